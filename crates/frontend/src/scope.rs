//! What names mean: variables, constants, enumerations with their literals, locations.
//!
//! A name is looked up once per occurrence and leads to everything it can mean. A literal that
//! several enumerations share has no meaning of its own; the sort that its place asks for decides.

use crate::names::Names;
use lariat_base::{FxHashMap, Span, nearest};
use lariat_expr::{SortId, TermId, Value, VarId};
use lariat_system::{Context, Language, LocId, LocRole, System};

/// The names that an expression may use.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    names: Names,
    slots: Vec<Slot>,
    /// Where what each name stands for was declared.
    spans: Vec<Option<Span>>,
    literals: FxHashMap<(u32, SortId), TermId>,
    types: FxHashMap<Box<str>, (SortId, Option<Span>)>,
    type_names: Vec<Box<str>>,
    locations: FxHashMap<Box<str>, Vec<(usize, LocId)>>,
    systems: Vec<Box<str>>,
    undo: Vec<(u32, Binding, Option<Span>)>,
    level: u32,
    ratio_literals: bool,
    c: Option<Box<crate::c::Names>>,
    charts: Option<Box<crate::chart_atom::ChartNames>>,
    plc: Option<Box<crate::st::Names>>,
}

/// One name.
#[derive(Clone, Debug)]
struct Slot {
    binding: Binding,
    literal: Literal,
    /// How many local variables of this name were declared so far.
    n_locals: u32,
}

/// What a name stands for now.
#[derive(Clone, Copy, Debug)]
struct Binding {
    meaning: Meaning,
    level: u32,
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    Nothing,
    Variable { var: VarId, term: TermId },
    Constant(TermId),
}

/// Whether a name is a literal of enumerations.
#[derive(Clone, Copy, Debug)]
enum Literal {
    No,
    Of(SortId, TermId),
    OfSeveral,
    /// `Type.literal`: no variable may take this name.
    Full(SortId, TermId),
}

/// The meaning of a name in an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    Term(TermId),
    /// A literal of several enumerations; its place must tell which.
    Ambiguous(LiteralName),
    Nothing,
}

/// A name that is declared already, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    pub first: Option<Span>,
}

/// A name that several enumerations use for a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LiteralName(u32);

impl Scope {
    /// The names of several systems that run together: their variables (shared ones are one), the
    /// literals of their enumerations, their locations.
    pub fn new(cx: &mut Context, systems: &[&System]) -> Self {
        let mut scope = Self {
            c: crate::c::Names::new(cx, systems).map(Box::new),
            plc: crate::st::Names::new(systems).map(Box::new),
            charts: crate::chart_atom::ChartNames::new(cx, systems).map(Box::new),
            ratio_literals: systems
                .iter()
                .all(|s| matches!(s.language, Language::Cfa | Language::Sts)),
            ..Self::default()
        };
        for (position, system) in systems.iter().enumerate() {
            scope.systems.push(system.name.clone());
            for &sort in &system.sorts {
                let name = cx.terms.sorts.name(sort);
                if scope.types.get(&*name).is_none_or(|known| known.0 != sort) {
                    scope.declare_enum(cx, sort, None);
                }
            }
            for (name, value) in &system.constants {
                scope.declare_constant(name, *value, None);
            }
            for variable in &system.variables {
                let name = cx.terms.name(variable.var).to_owned();
                scope.declare_variable(cx, &name, variable.var, variable.span);
            }
            for (id, location) in system.locations.iter_ids() {
                if system.language == Language::Cfa && location.role != LocRole::Inner {
                    let known = scope.locations.entry(location.name.clone()).or_default();
                    known.push((position, id));
                }
            }
        }
        scope
    }

    /// Whether expressions are C: a C program is among the systems.
    pub fn is_c(&self) -> bool {
        self.c.is_some()
    }

    /// The names of C programs, if there are any: expressions are C then.
    pub(crate) fn c_names(&self) -> Option<&crate::c::Names> {
        self.c.as_deref()
    }

    /// The names of controllers' programs, if there are any: expressions are Structured Text then.
    pub(crate) fn plc_names(&self) -> Option<&crate::st::Names> {
        self.plc.as_deref()
    }

    /// What can be said of the statecharts among the systems, if there are any.
    pub(crate) fn charts(&self) -> Option<&crate::chart_atom::ChartNames> {
        self.charts.as_deref()
    }

    /// Whether `1%2` is a rational number (CFA, STS) rather than `1` modulo `2`.
    pub(crate) fn has_ratio_literals(&self) -> bool {
        self.ratio_literals
    }

    pub(crate) fn set_ratio_literals(&mut self) {
        self.ratio_literals = true;
    }

    /// The locations of this name, each with the position of its system.
    pub(crate) fn locations(&self, name: &str) -> &[(usize, LocId)] {
        self.locations.get(name).map_or(&[], Vec::as_slice)
    }

    /// The location most likely meant by a misspelt name.
    pub(crate) fn nearest_location(&self, name: &str) -> Option<&str> {
        let mut names: Vec<&str> = self.locations.keys().map(|name| &**name).collect();
        names.sort_unstable();
        suggestion(name, names)
    }

    /// The names of the systems.
    pub(crate) fn systems(&self) -> &[Box<str>] {
        &self.systems
    }

    /// Makes an enumeration and its literals known, each literal by its own and by its full name.
    /// Gives the full name that is taken already, if one is.
    pub(crate) fn declare_enum(
        &mut self,
        cx: &mut Context,
        sort: SortId,
        span: Option<Span>,
    ) -> Option<String> {
        let decl = cx
            .terms
            .sorts
            .as_enum(sort)
            .expect("an enumeration is declared")
            .clone();
        self.types.insert(decl.name.clone(), (sort, span));
        self.type_names.push(decl.name.clone());
        let mut taken = None;
        for (position, literal) in decl.literals.iter().enumerate() {
            let term = cx.terms.lit(Value::Enum(position as u32), sort);
            let slot = self.slot(literal);
            self.literals.insert((slot, sort), term);
            let old = &mut self.slots[slot as usize].literal;
            *old = match *old {
                Literal::No => Literal::Of(sort, term),
                Literal::Of(known, _) if known == sort => Literal::Of(sort, term),
                Literal::Full(..) => *old,
                _ => Literal::OfSeveral,
            };
            let full = format!("{}.{literal}", decl.name);
            let slot = self.slot(&full);
            let old = &mut self.slots[slot as usize];
            if matches!(old.literal, Literal::No) && old.binding.meaning == Meaning::Nothing {
                old.literal = Literal::Full(sort, term);
            } else if !matches!(old.literal, Literal::Full(known, _) if known == sort) {
                taken.get_or_insert(full);
            }
        }
        taken
    }

    /// The enumeration of this name.
    pub(crate) fn type_of(&self, name: &str) -> Option<SortId> {
        self.types.get(name).map(|known| known.0)
    }

    /// The enumeration most likely meant by a misspelt name.
    pub(crate) fn nearest_type(&self, name: &str) -> Option<&str> {
        suggestion(name, self.type_names.iter().map(|name| &**name))
    }

    /// Makes a variable known.
    pub(crate) fn declare_variable(
        &mut self,
        cx: &mut Context,
        name: &str,
        var: VarId,
        span: Option<Span>,
    ) {
        let term = cx.terms.var(var);
        self.bind(name, Meaning::Variable { var, term }, span);
    }

    /// Makes a variable known until the open block is closed.
    pub(crate) fn declare_local_variable(
        &mut self,
        cx: &mut Context,
        name: &str,
        var: VarId,
        span: Span,
    ) {
        let slot = self.slot(name) as usize;
        self.undo
            .push((slot as u32, self.slots[slot].binding, self.spans[slot]));
        self.declare_variable(cx, name, var, Some(span));
    }

    /// Where what a name stands for was declared.
    pub(crate) fn declared_at(&self, name: &str) -> Option<Span> {
        self.spans[self.names.get(name)? as usize]
    }

    /// Makes a name stand for a value.
    pub(crate) fn declare_constant(&mut self, name: &str, value: TermId, span: Option<Span>) {
        self.bind(name, Meaning::Constant(value), span);
    }

    /// Makes the next local variable of this name known in the open block.
    pub(crate) fn declare_local(
        &mut self,
        cx: &mut Context,
        name: &str,
        sort: SortId,
        span: Span,
    ) -> VarId {
        let slot = self.slot(name) as usize;
        self.slots[slot].n_locals += 1;
        let var = cx
            .terms
            .declare_instance(name, sort, self.slots[slot].n_locals);
        self.undo
            .push((slot as u32, self.slots[slot].binding, self.spans[slot]));
        self.declare_variable(cx, name, var, Some(span));
        var
    }

    /// Opens a block: what is declared from now on is forgotten by [`close`](Self::close).
    pub(crate) fn open(&mut self) -> usize {
        self.level += 1;
        self.undo.len()
    }

    /// Closes the block that `open` gave this mark for.
    pub(crate) fn close(&mut self, mark: usize) {
        self.level -= 1;
        while self.undo.len() > mark {
            let (slot, binding, span) = self.undo.pop().expect("the mark is below the length");
            self.slots[slot as usize].binding = binding;
            self.spans[slot as usize] = span;
        }
    }

    /// Whether a name may not be declared (again) in the open block, and where it was declared.
    pub(crate) fn is_taken(&self, name: &str) -> Option<Taken> {
        if let (0, Some(known)) = (self.level, self.types.get(name)) {
            return Some(Taken { first: known.1 });
        }
        let at = self.names.get(name)? as usize;
        let slot = &self.slots[at];
        if matches!(slot.literal, Literal::Full(..)) {
            return Some(Taken { first: None });
        }
        let binding = slot.binding;
        let is_taken = binding.meaning != Meaning::Nothing && binding.level == self.level;
        is_taken.then_some(Taken {
            first: self.spans[at],
        })
    }

    /// What a name stands for, literals aside.
    pub(crate) fn meaning(&self, name: &str) -> Meaning {
        match self.names.get(name) {
            Some(slot) => self.slots[slot as usize].binding.meaning,
            None => Meaning::Nothing,
        }
    }

    /// What a name means where a term of sort `hint` would fit.
    pub(crate) fn find(&self, cx: &Context, name: &str, hint: Option<SortId>) -> Found {
        let Some(at) = self.names.get(name) else {
            return Found::Nothing;
        };
        let slot = &self.slots[at as usize];
        let term = match slot.binding.meaning {
            Meaning::Variable { term, .. } | Meaning::Constant(term) => Some(term),
            Meaning::Nothing => None,
        };
        if let (Some(term), Literal::No) = (term, slot.literal) {
            return Found::Term(term);
        }
        let fits = |term: TermId| hint.is_none_or(|hint| hint == cx.terms.sort(term));
        if let Some(term) = term.filter(|&term| fits(term)) {
            return Found::Term(term);
        }
        if let Some(&literal) = hint.and_then(|hint| self.literals.get(&(at, hint))) {
            return Found::Term(literal);
        }
        match (term, slot.literal) {
            (Some(term), _) => Found::Term(term),
            (None, Literal::Of(_, term) | Literal::Full(_, term)) => Found::Term(term),
            (None, Literal::OfSeveral) => Found::Ambiguous(LiteralName(at)),
            (None, Literal::No) => Found::Nothing,
        }
    }

    /// The literal of this name in an enumeration.
    pub(crate) fn literal_of(&self, name: LiteralName, sort: SortId) -> Option<TermId> {
        self.literals.get(&(name.0, sort)).copied()
    }

    /// The text of a literal's name.
    pub(crate) fn literal_text(&self, name: LiteralName) -> &str {
        self.names.name(name.0)
    }

    /// The enumerations that have this literal.
    pub(crate) fn owners(&self, name: LiteralName) -> Vec<&str> {
        let owns = |owner: &&str| {
            let sort = self.types[*owner].0;
            self.literals.contains_key(&(name.0, sort))
        };
        let types = self.type_names.iter().map(|name| &**name);
        types.filter(owns).collect()
    }

    /// The known name most likely meant by a misspelt one.
    pub(crate) fn nearest_name(&self, name: &str) -> Option<&str> {
        let known = |(_, slot): &(usize, &Slot)| {
            slot.binding.meaning != Meaning::Nothing || !matches!(slot.literal, Literal::No)
        };
        let known = self.slots.iter().enumerate().filter(known);
        suggestion(name, known.map(|(at, _)| self.names.name(at as u32)))
    }

    fn bind(&mut self, name: &str, meaning: Meaning, span: Option<Span>) {
        let slot = self.slot(name) as usize;
        self.slots[slot].binding = Binding {
            meaning,
            level: self.level,
        };
        self.spans[slot] = span;
    }

    fn slot(&mut self, name: &str) -> u32 {
        if let Some(slot) = self.names.get(name) {
            return slot;
        }
        let slot = self.names.insert(name);
        self.spans.push(None);
        self.slots.push(Slot {
            binding: Binding {
                meaning: Meaning::Nothing,
                level: 0,
            },
            literal: Literal::No,
            n_locals: 0,
        });
        slot
    }
}

/// The candidate nearest to `name`, with bounded work: names of very different length cannot be near,
/// and very long ones are not compared.
pub(crate) fn suggestion<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const LONGEST: usize = 40;
    let slack = (name.len() / 3).max(1);
    let comparable =
        |other: &&str| other.len().abs_diff(name.len()) <= slack && other.len() <= LONGEST;
    let candidates = candidates.into_iter().filter(comparable).take(2_000);
    (name.len() <= LONGEST)
        .then(|| nearest(name, candidates))
        .flatten()
}
