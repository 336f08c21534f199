//! The formula store: hash-consed nodes, so that equal ids are equal formulas.
//!
//! A node is an operator and a slice of children in one shared arena; `build` holds the constructors.
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

    pub(crate) fn intern(&mut self, op: Op, children: &[FormulaId]) -> FormulaId {
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
