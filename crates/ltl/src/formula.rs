//! The formula store: hash-consed nodes, so that equal ids are equal formulas.
//!
//! A node is an operator and a slice of children in one shared arena. The constructors apply only
//! what is free and never surprising: `!` cancels and folds constants, `&` and `|` are flattened,
//! sorted, made unique and folded with constants and with a child and its direct negation, unary
//! operators fold constants and idempotence. Everything else is the simplifier's work, so that a
//! parsed formula prints back much as it was written: `->`, `<->` and `xor` stay nodes.
//!
//! The order of `&` and `|` is the order of creation, which makes printing stable for one store.
//! Every traversal of this crate keeps its own stack: depth is bounded by memory, not by the call stack.
//!
//! Rejected: reference-counted trees (no cheap equality, recursive drop) and a term per atom
//! spelling (atoms are [`ApId`]s with a name, their meaning belongs to the caller).

use crate::class::{Class, class_of};
use hashbrown::HashTable;
use lariat_base::{FxBuildHasher, Id, IdVec, Interner};
use std::hash::BuildHasher;

lariat_base::id_type!(/// A formula of one [`Formulas`] store.
pub struct FormulaId, "f");
lariat_base::id_type!(/// An atomic proposition of one [`Formulas`] store.
pub struct ApId, "ap");

/// The operator of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Constant true.
    True,
    /// Constant false.
    False,
    /// An atomic proposition.
    Ap(ApId),
    /// Negation.
    Not,
    /// Conjunction of two or more.
    And,
    /// Disjunction of two or more.
    Or,
    /// Implication.
    Implies,
    /// Equivalence.
    Iff,
    /// Exclusive or.
    Xor,
    /// Next.
    X,
    /// Eventually.
    F,
    /// Always.
    G,
    /// Until: the right side happens, the left side holds strictly before.
    U,
    /// Weak until.
    W,
    /// Release: the right side holds up to and including the first left side, or for ever.
    R,
    /// Strong release.
    M,
    /// Yesterday: false at the first position.
    Y,
    /// Weak yesterday: true at the first position.
    Z,
    /// Once.
    O,
    /// Historically.
    H,
    /// Since.
    S,
    /// Triggered, the dual of since.
    T,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    op: Op,
    start: u32,
    len: u32,
    class: Class,
}

/// A store of formulas and atoms.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: IdVec<FormulaId, Node>,
    children: Vec<FormulaId>,
    table: HashTable<FormulaId>,
    aps: Interner<ApId, String>,
    n_fresh: u32,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// A store with the two constants.
    pub fn new() -> Self {
        let mut store = Self {
            nodes: IdVec::new(),
            children: Vec::new(),
            table: HashTable::new(),
            aps: Interner::new(),
            n_fresh: 0,
        };
        let no = store.intern(Op::False, &[]);
        let yes = store.intern(Op::True, &[]);
        debug_assert_eq!((no.index(), yes.index()), (0, 1));
        store
    }

    // ----- reading -----

    /// The operator of `f`.
    pub fn op(&self, f: FormulaId) -> Op {
        self.nodes[f].op
    }

    /// The children of `f`, in order.
    pub fn children(&self, f: FormulaId) -> &[FormulaId] {
        let node = &self.nodes[f];
        &self.children[node.start as usize..(node.start + node.len) as usize]
    }

    /// The `i`-th child of `f`.
    pub fn child(&self, f: FormulaId, i: usize) -> FormulaId {
        self.children(f)[i]
    }

    /// The syntactic class of `f`.
    pub fn class(&self, f: FormulaId) -> Class {
        self.nodes[f].class
    }

    /// Whether `f` has all facts of `class`.
    pub fn is(&self, f: FormulaId, class: Class) -> bool {
        self.nodes[f].class.has(class)
    }

    /// How many distinct formulas are stored.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All atoms that occur in `f`, in the order of their ids.
    pub fn aps_of(&self, f: FormulaId) -> Vec<ApId> {
        let mut aps: Vec<ApId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| match self.op(g) {
                Op::Ap(ap) => Some(ap),
                _ => None,
            })
            .collect();
        aps.sort_unstable();
        aps
    }

    /// Every distinct subformula of `f`, children before parents.
    pub fn subformulas(&self, f: FormulaId) -> Vec<FormulaId> {
        let mut seen = lariat_base::FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(f, false)];
        while let Some((g, expanded)) = stack.pop() {
            if expanded {
                order.push(g);
            } else if seen.insert(g) {
                stack.push((g, true));
                stack.extend(self.children(g).iter().rev().map(|&c| (c, false)));
            }
        }
        order
    }

    /// The number of nodes of `f` as a tree, where an n-ary node counts for n - 1 binary ones.
    /// Saturates.
    pub fn tree_size(&self, f: FormulaId) -> u64 {
        let mut sizes = lariat_base::FxHashMap::<FormulaId, u64>::default();
        for g in self.subformulas(f) {
            let children = self.children(g);
            let own = (children.len() as u64).saturating_sub(1).max(1);
            let size = children
                .iter()
                .fold(own, |acc, c| acc.saturating_add(sizes[c]));
            sizes.insert(g, size);
        }
        sizes[&f]
    }

    // ----- atoms -----

    /// The atom called `name`.
    pub fn ap_id(&mut self, name: &str) -> ApId {
        match self.find_ap(name) {
            Some(ap) => ap,
            None => self.aps.intern(name.to_owned()),
        }
    }

    /// The atom called `name`, if there is one.
    pub fn find_ap(&self, name: &str) -> Option<ApId> {
        self.aps.get(&name.to_owned())
    }

    /// An atom whose name no other atom has.
    pub fn fresh_ap(&mut self) -> ApId {
        loop {
            let name = format!("_fresh{}", self.n_fresh);
            self.n_fresh += 1;
            if self.find_ap(&name).is_none() {
                return self.aps.intern(name);
            }
        }
    }

    /// The name of `ap`.
    pub fn ap_name(&self, ap: ApId) -> &str {
        &self.aps[ap]
    }

    /// How many atoms the store knows.
    pub fn n_aps(&self) -> usize {
        self.aps.len()
    }

    // ----- making -----

    /// Constant true.
    pub fn tt(&self) -> FormulaId {
        FormulaId::from_index(1)
    }

    /// Constant false.
    pub fn ff(&self) -> FormulaId {
        FormulaId::from_index(0)
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> FormulaId {
        if value { self.tt() } else { self.ff() }
    }

    /// The formula of an atom.
    pub fn ap(&mut self, ap: ApId) -> FormulaId {
        self.intern(Op::Ap(ap), &[])
    }

    /// The formula of the atom called `name`.
    pub fn ap_named(&mut self, name: &str) -> FormulaId {
        let ap = self.ap_id(name);
        self.ap(ap)
    }

    /// `!f`.
    #[allow(clippy::should_implement_trait)] // takes the store, not a formula
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True => self.ff(),
            Op::False => self.tt(),
            Op::Not => self.child(f, 0),
            _ => self.intern(Op::Not, &[f]),
        }
    }

    /// `f & g`.
    pub fn and(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.and_all(&[f, g])
    }

    /// `f | g`.
    pub fn or(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.or_all(&[f, g])
    }

    /// The conjunction of `parts`; true if there is none.
    pub fn and_all(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.nary(Op::And, parts)
    }

    /// The disjunction of `parts`; false if there is none.
    pub fn or_all(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.nary(Op::Or, parts)
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::False, _) | (_, Op::True) => self.tt(),
            (Op::True, _) => g,
            (_, Op::False) => self.not(f),
            _ if f == g => self.tt(),
            _ => self.intern(Op::Implies, &[f, g]),
        }
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::True, _) => g,
            (_, Op::True) => f,
            (Op::False, _) => self.not(g),
            (_, Op::False) => self.not(f),
            _ if f == g => self.tt(),
            _ => self.intern(Op::Iff, &[f, g]),
        }
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::False, _) => g,
            (_, Op::False) => f,
            (Op::True, _) => self.not(g),
            (_, Op::True) => self.not(f),
            _ if f == g => self.ff(),
            _ => self.intern(Op::Xor, &[f, g]),
        }
    }

    /// `X f`.
    pub fn next(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True | Op::False => f,
            _ => self.intern(Op::X, &[f]),
        }
    }

    /// `X` applied `n` times.
    pub fn next_n(&mut self, n: u32, f: FormulaId) -> FormulaId {
        (0..n).fold(f, |g, _| self.next(g))
    }

    /// `F f`.
    pub fn finally(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::F, f)
    }

    /// `G f`.
    pub fn globally(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::G, f)
    }

    /// `F[low..high] f`: within those positions, `f` holds at one. Needs `low <= high`.
    pub fn finally_within(&mut self, low: u32, high: u32, f: FormulaId) -> FormulaId {
        assert!(low <= high, "a bounded operator has an interval");
        let window = (low..high).fold(f, |g, _| {
            let later = self.next(g);
            self.or(f, later)
        });
        self.next_n(low, window)
    }

    /// `G[low..high] f`: at all those positions, `f` holds. Needs `low <= high`.
    pub fn globally_within(&mut self, low: u32, high: u32, f: FormulaId) -> FormulaId {
        assert!(low <= high, "a bounded operator has an interval");
        let window = (low..high).fold(f, |g, _| {
            let later = self.next(g);
            self.and(f, later)
        });
        self.next_n(low, window)
    }

    /// `f U g`.
    pub fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::False, _) => g,
            (Op::True, _) => self.finally(g),
            _ if f == g => g,
            _ => self.intern(Op::U, &[f, g]),
        }
    }

    /// `f W g`.
    pub fn weak_until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True) | (Op::False, _) => g,
            (Op::True, _) => f,
            (_, Op::False) => self.globally(f),
            _ if f == g => g,
            _ => self.intern(Op::W, &[f, g]),
        }
    }

    /// `f R g`.
    pub fn release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::True, _) => g,
            (Op::False, _) => self.globally(g),
            _ if f == g => g,
            _ => self.intern(Op::R, &[f, g]),
        }
    }

    /// `f M g`.
    pub fn strong_release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::False) | (Op::True, _) => g,
            (Op::False, _) => f,
            (_, Op::True) => self.finally(f),
            _ if f == g => g,
            _ => self.intern(Op::M, &[f, g]),
        }
    }

    /// `Y f`: at the previous position, which exists.
    pub fn yesterday(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::False => f,
            _ => self.intern(Op::Y, &[f]),
        }
    }

    /// `Z f`: at the previous position, if it exists.
    pub fn weak_yesterday(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True => f,
            _ => self.intern(Op::Z, &[f]),
        }
    }

    /// `O f`: now or before.
    pub fn once(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::O, f)
    }

    /// `H f`: now and always before.
    pub fn historically(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::H, f)
    }

    /// `f S g`: `g` now or before, `f` ever since.
    pub fn since(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::False, _) => g,
            (Op::True, _) => self.once(g),
            _ if f == g => g,
            _ => self.intern(Op::S, &[f, g]),
        }
    }

    /// `f T g`, the dual of since: `!(!f S !g)`.
    pub fn triggered(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::True, _) => g,
            (Op::False, _) => self.historically(g),
            _ if f == g => g,
            _ => self.intern(Op::T, &[f, g]),
        }
    }

    /// The node `op` over `children`, through the constructor of that operator.
    pub fn make(&mut self, op: Op, children: &[FormulaId]) -> FormulaId {
        match (op, children) {
            (Op::True, []) => self.tt(),
            (Op::False, []) => self.ff(),
            (Op::Ap(ap), []) => self.ap(ap),
            (Op::Not, &[f]) => self.not(f),
            (Op::And, _) => self.and_all(children),
            (Op::Or, _) => self.or_all(children),
            (Op::Implies, &[f, g]) => self.implies(f, g),
            (Op::Iff, &[f, g]) => self.iff(f, g),
            (Op::Xor, &[f, g]) => self.xor(f, g),
            (Op::X, &[f]) => self.next(f),
            (Op::F, &[f]) => self.finally(f),
            (Op::G, &[f]) => self.globally(f),
            (Op::U, &[f, g]) => self.until(f, g),
            (Op::W, &[f, g]) => self.weak_until(f, g),
            (Op::R, &[f, g]) => self.release(f, g),
            (Op::M, &[f, g]) => self.strong_release(f, g),
            (Op::Y, &[f]) => self.yesterday(f),
            (Op::Z, &[f]) => self.weak_yesterday(f),
            (Op::O, &[f]) => self.once(f),
            (Op::H, &[f]) => self.historically(f),
            (Op::S, &[f, g]) => self.since(f, g),
            (Op::T, &[f, g]) => self.triggered(f, g),
            _ => panic!("{op:?} does not take {} children", children.len()),
        }
    }

    fn idempotent(&mut self, op: Op, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True | Op::False => f,
            inner if inner == op => f,
            _ => self.intern(op, &[f]),
        }
    }

    fn nary(&mut self, op: Op, parts: &[FormulaId]) -> FormulaId {
        let (unit, zero) = match op {
            Op::And => (self.tt(), self.ff()),
            _ => (self.ff(), self.tt()),
        };
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            // A stored node of the same operator is already flat.
            if self.op(part) == op {
                flat.extend_from_slice(self.children(part));
            } else if part != unit {
                flat.push(part);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let contradicts = |&f: &FormulaId| {
            f == zero || (self.op(f) == Op::Not && flat.binary_search(&self.child(f, 0)).is_ok())
        };
        if flat.iter().any(contradicts) {
            return zero;
        }
        match flat.as_slice() {
            [] => unit,
            &[only] => only,
            _ => self.intern(op, &flat),
        }
    }

    fn intern(&mut self, op: Op, children: &[FormulaId]) -> FormulaId {
        let hash = FxBuildHasher.hash_one((op, children));
        let found = self.table.find(hash, |&f| {
            self.nodes[f].op == op && self.children(f) == children
        });
        if let Some(&f) = found {
            return f;
        }
        let class = match *children {
            [one] => class_of(op, &[self.class(one)]),
            [one, two] => class_of(op, &[self.class(one), self.class(two)]),
            _ => class_of(
                op,
                &children.iter().map(|&c| self.class(c)).collect::<Vec<_>>(),
            ),
        };
        let start = u32::try_from(self.children.len()).expect("fewer than 2^32 child links");
        self.children.extend_from_slice(children);
        let f = self.nodes.push(Node {
            op,
            start,
            len: children.len() as u32,
            class,
        });
        let (nodes, arena) = (&self.nodes, &self.children);
        self.table.insert_unique(hash, f, |&g| {
            let node = &nodes[g];
            let slice = &arena[node.start as usize..(node.start + node.len) as usize];
            FxBuildHasher.hash_one((node.op, slice))
        });
        f
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_have_equal_ids() {
        let mut fs = Formulas::new();
        let (a, b, c) = (fs.ap_named("a"), fs.ap_named("b"), fs.ap_named("c"));
        let ab = fs.and(a, b);
        let abc = fs.and(ab, c);
        assert_eq!(abc, fs.and_all(&[c, b, a, b]));
        let na = fs.not(a);
        assert_eq!(fs.and(abc, na), fs.ff());
        assert_eq!(fs.or_all(&[b, na, a]), fs.tt());
        assert_eq!(fs.aps_of(abc).len(), 3);
        assert_eq!(fs.tree_size(abc), 5);
        let ga = fs.globally(a);
        assert_eq!(fs.globally(ga), ga);
    }

    #[test]
    fn classes_of_small_formulas() {
        let mut fs = Formulas::new();
        let (a, b) = (fs.ap_named("a"), fs.ap_named("b"));
        let fa = fs.finally(a);
        let gfa = fs.globally(fa);
        let gb = fs.globally(b);
        let fgb = fs.finally(gb);
        assert_eq!(fs.class(fa).hierarchy_name(), "guarantee");
        assert_eq!(fs.class(gfa).hierarchy_name(), "recurrence");
        assert_eq!(fs.class(fgb).hierarchy_name(), "persistence");
        assert!(fs.is(gfa, Class::EVENTUAL.union(Class::UNIVERSAL)));
        let both = fs.and(fa, gb);
        assert_eq!(fs.class(both).hierarchy_name(), "obligation");
        let once = fs.once(a);
        let safe = fs.globally(once);
        assert_eq!(fs.class(safe).hierarchy_name(), "safety");
        assert!(!fs.is(safe, Class::FUTURE) && fs.is(once, Class::PAST));
    }
}
