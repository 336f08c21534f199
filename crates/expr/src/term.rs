//! The store of hash-consed terms and of the variables in them.

use crate::table::TermTable;
use crate::{Op, SortId, Sorts, Value};
use lariat_base::{FxBuildHasher, Id, IdVec, Interner, id_type};
use std::hash::BuildHasher;

id_type!(
    /// A term of one [`Terms`] store; equal ids are equal terms.
    pub struct TermId, "t"
);
id_type!(
    /// A variable of one [`Terms`] store.
    pub struct VarId, "v"
);
id_type!(
    /// A literal value of one [`Terms`] store.
    pub(crate) struct LitId, "lit"
);

/// What is at the top of a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Head<'a> {
    /// A variable.
    Var(VarId),
    /// A literal value.
    Lit(&'a Value),
    /// An operator with arguments.
    Op(Op, &'a [TermId]),
}

/// A variable: name, sort, and which declaration of that name it is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VarDecl {
    /// The name as written.
    pub name: Box<str>,
    /// The sort.
    pub sort: SortId,
    /// 0 for a model's own (global) variable, which models share by name; above 0 for local variables,
    /// several of which may have the same name.
    pub instance: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Symbol {
    Var(VarId),
    Lit(LitId),
    Op(Op),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    symbol: Symbol,
    sort: SortId,
    n_args: u32,
    /// Up to two arguments; of more, the first is the position of the list in the pool, as an id.
    args: [TermId; INLINE],
}

/// How many arguments stand in the node itself, where looking at them costs nothing.
const INLINE: usize = 2;

/// Sorts, variables and terms. Everything only grows; ids stay valid for ever.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The sorts.
    pub sorts: Sorts,
    vars: Interner<VarId, VarDecl>,
    lits: Interner<LitId, Value>,
    nodes: IdVec<TermId, Node>,
    args: Vec<TermId>,
    table: TermTable,
    true_: TermId,
    false_: TermId,
}

impl Default for Terms {
    fn default() -> Self {
        let placeholder = TermId::from_index(0);
        let mut terms = Self {
            sorts: Sorts::default(),
            vars: Interner::new(),
            lits: Interner::new(),
            nodes: IdVec::new(),
            args: Vec::new(),
            table: TermTable::default(),
            true_: placeholder,
            false_: placeholder,
        };
        let bool_ = terms.sorts.bool();
        terms.false_ = terms.lit(Value::Bool(false), bool_);
        terms.true_ = terms.lit(Value::Bool(true), bool_);
        terms
    }
}

impl Terms {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The term `true`.
    pub fn true_(&self) -> TermId {
        self.true_
    }

    /// The term `false`.
    pub fn false_(&self) -> TermId {
        self.false_
    }

    /// The global variable of this name and sort.
    pub fn declare(&mut self, name: &str, sort: SortId) -> VarId {
        self.declare_instance(name, sort, 0)
    }

    /// The `instance`-th local variable of this name and sort.
    pub fn declare_instance(&mut self, name: &str, sort: SortId, instance: u32) -> VarId {
        self.vars.intern(VarDecl {
            name: name.into(),
            sort,
            instance,
        })
    }

    /// A variable's declaration.
    pub fn decl(&self, var: VarId) -> &VarDecl {
        &self.vars[var]
    }

    /// A variable's name.
    pub fn name(&self, var: VarId) -> &str {
        &self.vars[var].name
    }

    /// A variable's sort.
    pub fn var_sort(&self, var: VarId) -> SortId {
        self.vars[var].sort
    }

    /// How many variables there are.
    pub fn n_vars(&self) -> usize {
        self.vars.len()
    }

    /// How many terms there are.
    pub fn n_terms(&self) -> usize {
        self.nodes.len()
    }

    /// The term of a variable.
    pub fn var(&mut self, var: VarId) -> TermId {
        let sort = self.vars[var].sort;
        self.intern(Symbol::Var(var), &[], sort)
    }

    /// The term of a value of a sort.
    pub fn lit(&mut self, value: Value, sort: SortId) -> TermId {
        debug_assert!(
            value.has_sort(&self.sorts, sort),
            "{value:?} is a value of its sort"
        );
        let lit = self.lits.intern(value);
        self.intern(Symbol::Lit(lit), &[], sort)
    }

    /// The top of a term.
    pub fn head(&self, term: TermId) -> Head<'_> {
        let node = self.nodes[term];
        match node.symbol {
            Symbol::Var(var) => Head::Var(var),
            Symbol::Lit(lit) => Head::Lit(&self.lits[lit]),
            Symbol::Op(op) => Head::Op(op, self.args(term)),
        }
    }

    /// The arguments of a term; none for variables and literals.
    pub fn args(&self, term: TermId) -> &[TermId] {
        let node = &self.nodes[term];
        let n = node.n_args as usize;
        if n <= INLINE {
            return &node.args[..n];
        }
        let start = node.args[0].index();
        &self.args[start..start + n]
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> SortId {
        self.nodes[term].sort
    }

    /// The value of a literal.
    pub fn as_lit(&self, term: TermId) -> Option<&Value> {
        match self.nodes[term].symbol {
            Symbol::Lit(lit) => Some(&self.lits[lit]),
            _ => None,
        }
    }

    /// The variable, if the term is just that.
    pub fn as_var(&self, term: TermId) -> Option<VarId> {
        match self.nodes[term].symbol {
            Symbol::Var(var) => Some(var),
            _ => None,
        }
    }

    /// The arguments, if the term has this operator on top.
    pub fn as_op(&self, term: TermId, op: Op) -> Option<&[TermId]> {
        (self.nodes[term].symbol == Symbol::Op(op)).then(|| self.args(term))
    }

    /// All distinct subterms of `roots`, arguments before what holds them.
    pub fn subterms(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = lariat_base::FxHashSet::default();
        let mut order: Vec<TermId> = Vec::new();
        let mut todo = roots.to_vec();
        while let Some(term) = todo.pop() {
            if seen.insert(term) {
                order.push(term);
                todo.extend_from_slice(self.args(term));
            }
        }
        order.sort_unstable();
        order
    }

    /// The variables of `roots`, in the order of their ids.
    pub fn free_vars(&self, roots: &[TermId]) -> Vec<VarId> {
        let mut vars: Vec<_> = self
            .subterms(roots)
            .into_iter()
            .filter_map(|term| self.as_var(term))
            .collect();
        vars.sort_unstable();
        vars
    }

    /// Interns an operator application as it is; the builder in `build.rs` has sort-checked and simplified it.
    pub(crate) fn intern_op(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        self.intern(Symbol::Op(op), args, sort)
    }

    fn intern(&mut self, symbol: Symbol, args: &[TermId], sort: SortId) -> TermId {
        let hash = FxBuildHasher.hash_one((symbol, args, sort));
        let found = self.table.find(hash, |id| {
            let node = &self.nodes[id];
            node.symbol == symbol && node.sort == sort && self.args(id) == args
        });
        if let Some(id) = found {
            return id;
        }
        let mut inline = [TermId::from_index(0); INLINE];
        if args.len() <= INLINE {
            inline[..args.len()].copy_from_slice(args);
        } else {
            inline[0] = TermId::from_index(self.args.len());
            self.args.extend_from_slice(args);
        }
        let id = self.nodes.push(Node {
            symbol,
            sort,
            n_args: args.len() as u32,
            args: inline,
        });
        self.table.insert(hash, id);
        id
    }
}
