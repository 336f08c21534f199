//! Sorts to and from Z3.
//!
//! Enumerations are Z3 enumeration sorts. Z3 knows a datatype by its name within a context, and the
//! `z3` crate has one context per thread, which all backends of that thread share. So enumerations
//! are declared once per thread, under a name that spells out the literals: the same name is always the
//! same sort.

use lariat_base::FxHashMap;
use lariat_expr::{EnumSort, Sort, SortId, Terms};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use z3::ast::Dynamic;
use z3::{FuncDecl, SortKind, Symbol};

/// One declared enumeration.
struct Enumeration {
    sort: z3::Sort,
    literals: Vec<Dynamic>,
    testers: Vec<FuncDecl>,
}

thread_local! {
    static ENUMERATIONS: RefCell<FxHashMap<Arc<EnumSort>, Rc<Enumeration>>> = RefCell::default();
}

/// The Z3 sorts of one [`Terms`] store.
#[derive(Default)]
pub(super) struct Z3Sorts {
    sorts: FxHashMap<SortId, z3::Sort>,
    enums: FxHashMap<SortId, Rc<Enumeration>>,
    /// The enumerations in the order they were met, for the way back.
    known: Vec<SortId>,
}

impl Z3Sorts {
    /// The Z3 sort of a sort.
    pub(super) fn get(&mut self, terms: &Terms, sort: SortId) -> z3::Sort {
        if let Some(done) = self.sorts.get(&sort) {
            return done.clone();
        }
        let made = match terms.sorts.get(sort) {
            Sort::Bool => z3::Sort::bool(),
            Sort::Int => z3::Sort::int(),
            Sort::Rat => z3::Sort::real(),
            Sort::Enum(_) => self.enumeration(terms, sort).sort.clone(),
            Sort::Bv(width) => z3::Sort::bitvector(*width),
            Sort::Array { index, element } => {
                z3::Sort::array(&self.get(terms, *index), &self.get(terms, *element))
            }
        };
        self.sorts.insert(sort, made.clone());
        made
    }

    /// The literal of an enumeration at a position.
    pub(super) fn literal(&mut self, terms: &Terms, sort: SortId, position: u32) -> Dynamic {
        self.enumeration(terms, sort).literals[position as usize].clone()
    }

    /// The position of a literal in its enumeration.
    pub(super) fn position(&self, sort: SortId, literal: &Dynamic) -> Option<u32> {
        let literals = &self.enums.get(&sort)?.literals;
        literals
            .iter()
            .position(|known| known == literal)
            .map(|i| i as u32)
    }

    /// The literal whose tester, applied to `argument`, is `test`.
    pub(super) fn tested(&self, sort: SortId, argument: &Dynamic, test: &Dynamic) -> Option<u32> {
        let testers = &self.enums.get(&sort)?.testers;
        testers
            .iter()
            .position(|tester| tester.apply(&[argument]) == *test)
            .map(|i| i as u32)
    }

    /// The sort of a Z3 sort that came back from the solver.
    pub(super) fn decode(&self, terms: &mut Terms, sort: &z3::Sort) -> Option<SortId> {
        match sort.kind() {
            SortKind::Bool => Some(terms.sorts.bool()),
            SortKind::Int => Some(terms.sorts.int()),
            SortKind::Real => Some(terms.sorts.rat()),
            SortKind::Bv => {
                let width = Dynamic::new_const("width", sort).as_bv()?.get_size();
                Some(terms.sorts.bv(width))
            }
            SortKind::Array => {
                let index = self.decode(terms, &sort.array_domain()?)?;
                let element = self.decode(terms, &sort.array_range()?)?;
                Some(terms.sorts.array(index, element))
            }
            SortKind::Datatype => self
                .known
                .iter()
                .copied()
                .find(|known| self.enums[known].sort == *sort),
            _ => None,
        }
    }

    fn enumeration(&mut self, terms: &Terms, sort: SortId) -> Rc<Enumeration> {
        if let Some(done) = self.enums.get(&sort) {
            return Rc::clone(done);
        }
        let decl = terms
            .sorts
            .as_enum(sort)
            .expect("only enumerations have literals");
        let made = ENUMERATIONS.with_borrow_mut(|all| {
            Rc::clone(
                all.entry(Arc::clone(decl))
                    .or_insert_with(|| Rc::new(declare(decl))),
            )
        });
        self.enums.insert(sort, Rc::clone(&made));
        self.known.push(sort);
        made
    }
}

fn declare(decl: &EnumSort) -> Enumeration {
    let name = format!("{}{:?}", decl.name, decl.literals);
    let literals: Vec<Symbol> = decl
        .literals
        .iter()
        .map(|literal| Symbol::String(format!("{name}.{literal}")))
        .collect();
    let (sort, constructors, testers) = z3::Sort::enumeration(Symbol::String(name), &literals);
    let literals = constructors
        .iter()
        .map(|constructor| constructor.apply(&[]))
        .collect();
    Enumeration {
        sort,
        literals,
        testers,
    }
}

impl std::fmt::Debug for Z3Sorts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Z3Sorts({} sorts)", self.sorts.len())
    }
}
