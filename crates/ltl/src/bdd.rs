//! Binary decision diagrams: the one symbolic data structure of the translator.
//!
//! Reduced ordered diagrams in one arena of `u32` nodes, a unique table, a direct-mapped operation
//! cache that grows with the arena, no complement edges, no garbage collection: a manager lives for
//! one translation and must be cheap to create (a few kilobytes), which is why no general package
//! is used. Covers are Minato's irredundant sums of products (DAC'92).
//!
//! Limits. Recursion is as deep as the number of variables, which [`MAX_VARS`] bounds. When the
//! node limit or the caller's [`Budget`] is exhausted the manager is *poisoned*: from then on every
//! operation returns false and [`Bdd::stopped`] says why. Whoever builds something from diagrams
//! asks `stopped` before it uses the result; that is cheaper than a `Result` per operation.

use crate::limits::LOOK;
use hashbrown::HashTable;
use lariat_base::{Budget, FxBuildHasher, Stop};
use std::hash::BuildHasher;

/// A diagram of one manager. Equal references are equal functions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Ref(u32);

impl Ref {
    pub(crate) const FALSE: Self = Self(0);
    pub(crate) const TRUE: Self = Self(1);

    pub(crate) fn is_const(self) -> bool {
        self.0 <= 1
    }
}

/// A literal of a cube: the variable and its sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lit {
    pub(crate) var: u32,
    pub(crate) positive: bool,
}

/// More variables than this would make recursion too deep for a small thread stack.
pub(crate) const MAX_VARS: u32 = 4096;

/// More nodes than this are never useful here and would exhaust memory.
const MAX_NODES: usize = 1 << 23;

/// How many new nodes are made between two looks at the budget.
const NODES_PER_CHECK: usize = 1 << 14;

/// The variable of the constants: below every other.
const CONST_VAR: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    var: u32,
    lo: Ref,
    hi: Ref,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
enum Operation {
    And,
    Or,
    Diff,
}

#[derive(Clone, Copy, Debug)]
struct CacheEntry {
    operation: u32,
    a: Ref,
    b: Ref,
    result: Ref,
}

const EMPTY: CacheEntry = CacheEntry {
    operation: u32::MAX,
    a: Ref::FALSE,
    b: Ref::FALSE,
    result: Ref::FALSE,
};

/// A manager.
#[derive(Debug)]
pub(crate) struct Bdd {
    nodes: Vec<Node>,
    unique: HashTable<u32>,
    cache: Vec<CacheEntry>,
    budget: Budget,
    stop: Option<Stop>,
    max_nodes: usize,
    /// The receiver of a cover wants no more cubes.
    enough: bool,
}

impl Bdd {
    pub(crate) fn new(budget: &Budget) -> Self {
        Self::with_max_nodes(budget, MAX_NODES)
    }

    /// A manager that gives up at `max_nodes` nodes, or somewhat later.
    pub(crate) fn with_max_nodes(budget: &Budget, max_nodes: usize) -> Self {
        let constant = Node {
            var: CONST_VAR,
            lo: Ref::FALSE,
            hi: Ref::FALSE,
        };
        Self {
            nodes: vec![constant; 2],
            unique: HashTable::with_capacity(128),
            cache: vec![EMPTY; 256],
            budget: budget.clone(),
            stop: None,
            max_nodes,
            enough: false,
        }
    }

    /// Why the manager gave up, if it did; results since then are meaningless.
    pub(crate) fn stopped(&self) -> Result<(), Stop> {
        self.stop.map_or(Ok(()), Err)
    }

    /// Whether it gave up because it has as many nodes as it may have.
    pub(crate) fn is_full(&self) -> bool {
        self.stop == Some(Stop::Memory) && self.nodes.len() >= self.max_nodes
    }

    /// The function that is `var`.
    pub(crate) fn var(&mut self, var: u32) -> Ref {
        self.node(var, Ref::FALSE, Ref::TRUE)
    }

    /// The function that is a literal.
    pub(crate) fn lit(&mut self, lit: Lit) -> Ref {
        if lit.positive {
            self.var(lit.var)
        } else {
            self.node(lit.var, Ref::TRUE, Ref::FALSE)
        }
    }

    /// The top variable; a large number for constants.
    pub(crate) fn top(&self, f: Ref) -> u32 {
        self.nodes[f.0 as usize].var
    }

    /// The two cofactors of a node by its top variable: without and with it.
    pub(crate) fn branches(&self, f: Ref) -> (Ref, Ref) {
        let node = self.nodes[f.0 as usize];
        (node.lo, node.hi)
    }

    /// The number of nodes of `f`, counted up to about `max`.
    pub(crate) fn size(&self, f: Ref, max: usize) -> usize {
        let mut seen = lariat_base::FxHashSet::default();
        let mut stack = vec![f];
        while let Some(g) = stack.pop() {
            if !g.is_const() && seen.insert(g) {
                let (lo, hi) = self.branches(g);
                stack.extend([lo, hi]);
            }
            if seen.len() >= max {
                break;
            }
        }
        seen.len()
    }

    pub(crate) fn and(&mut self, a: Ref, b: Ref) -> Ref {
        match (a, b) {
            (Ref::FALSE, _) | (_, Ref::FALSE) => Ref::FALSE,
            (Ref::TRUE, x) | (x, Ref::TRUE) => x,
            _ if a == b => a,
            _ => self.apply(Operation::And, a.min(b), a.max(b)),
        }
    }

    pub(crate) fn or(&mut self, a: Ref, b: Ref) -> Ref {
        match (a, b) {
            (Ref::TRUE, _) | (_, Ref::TRUE) => Ref::TRUE,
            (Ref::FALSE, x) | (x, Ref::FALSE) => x,
            _ if a == b => a,
            _ => self.apply(Operation::Or, a.min(b), a.max(b)),
        }
    }

    /// `a` without `b`.
    pub(crate) fn diff(&mut self, a: Ref, b: Ref) -> Ref {
        match (a, b) {
            (Ref::FALSE, _) | (_, Ref::TRUE) => Ref::FALSE,
            (x, Ref::FALSE) => x,
            _ if a == b => Ref::FALSE,
            _ => self.apply(Operation::Diff, a, b),
        }
    }

    pub(crate) fn not(&mut self, a: Ref) -> Ref {
        self.diff(Ref::TRUE, a)
    }

    /// Whether every valuation of `a` is one of `b`.
    pub(crate) fn implies(&mut self, a: Ref, b: Ref) -> bool {
        self.diff(a, b) == Ref::FALSE
    }

    /// `condition ? a : b`.
    pub(crate) fn ite(&mut self, condition: Ref, a: Ref, b: Ref) -> Ref {
        let yes = self.and(condition, a);
        let no = self.diff(b, condition);
        self.or(yes, no)
    }

    /// Projects out every variable for which `hidden` says so.
    pub(crate) fn exists(&mut self, f: Ref, hidden: &dyn Fn(u32) -> bool) -> Ref {
        let mut memo = lariat_base::FxHashMap::default();
        self.exists_memo(f, hidden, &mut memo)
    }

    /// An irredundant sum of products of `f`; cubes arrive with literals in variable order, until
    /// `out` says that it wants no more.
    pub(crate) fn isop(&mut self, f: Ref, out: &mut dyn FnMut(&[Lit]) -> bool) {
        let mut path = Vec::new();
        self.enough = false;
        self.cover(f, f, &mut path, out);
    }

    fn node(&mut self, var: u32, lo: Ref, hi: Ref) -> Ref {
        debug_assert!(var < MAX_VARS, "callers keep to MAX_VARS");
        if lo == hi {
            return lo;
        }
        let hash = hash_node(var, lo, hi);
        let nodes = &self.nodes;
        let found = self.unique.find(hash, |&i| {
            let node = &nodes[i as usize];
            node.var == var && node.lo == lo && node.hi == hi
        });
        if let Some(&i) = found {
            return Ref(i);
        }
        let index = self.nodes.len();
        if index.is_multiple_of(NODES_PER_CHECK) {
            self.check(index);
        }
        if self.stop.is_some() {
            return Ref::FALSE;
        }
        self.nodes.push(Node { var, lo, hi });
        let nodes = &self.nodes;
        self.unique.insert_unique(hash, index as u32, |&i| {
            let node = &nodes[i as usize];
            hash_node(node.var, node.lo, node.hi)
        });
        if index > 2 * self.cache.len() && self.cache.len() < 1 << 20 {
            let larger = 4 * self.cache.len();
            self.cache.clear();
            self.cache.resize(larger, EMPTY);
        }
        Ref(index as u32)
    }

    fn check(&mut self, n_nodes: usize) {
        if n_nodes >= self.max_nodes {
            self.stop = Some(Stop::Memory);
        } else if let Err(stop) = self.budget.spend(LOOK) {
            self.stop = Some(stop);
        }
    }

    fn apply(&mut self, operation: Operation, a: Ref, b: Ref) -> Ref {
        let hash = hash_node(operation as u32, a, b) as usize;
        let entry = self.cache[hash & (self.cache.len() - 1)];
        if entry.operation == operation as u32 && entry.a == a && entry.b == b {
            return entry.result;
        }
        let var = self.top(a).min(self.top(b));
        let (a0, a1) = self.cofactors(a, var);
        let (b0, b1) = self.cofactors(b, var);
        let (lo, hi) = match operation {
            Operation::And => (self.and(a0, b0), self.and(a1, b1)),
            Operation::Or => (self.or(a0, b0), self.or(a1, b1)),
            Operation::Diff => (self.diff(a0, b0), self.diff(a1, b1)),
        };
        let result = self.node(var, lo, hi);
        if self.stop.is_none() {
            let slot = hash & (self.cache.len() - 1);
            self.cache[slot] = CacheEntry {
                operation: operation as u32,
                a,
                b,
                result,
            };
        }
        result
    }

    fn cofactors(&self, f: Ref, var: u32) -> (Ref, Ref) {
        let node = self.nodes[f.0 as usize];
        if node.var == var {
            (node.lo, node.hi)
        } else {
            (f, f)
        }
    }

    fn exists_memo(
        &mut self,
        f: Ref,
        hidden: &dyn Fn(u32) -> bool,
        memo: &mut lariat_base::FxHashMap<Ref, Ref>,
    ) -> Ref {
        if f.is_const() {
            return f;
        }
        if let Some(&g) = memo.get(&f) {
            return g;
        }
        let Node { var, lo, hi } = self.nodes[f.0 as usize];
        let lo = self.exists_memo(lo, hidden, memo);
        let hi = self.exists_memo(hi, hidden, memo);
        let g = if hidden(var) {
            self.or(lo, hi)
        } else {
            // The children's variables are below `var`, so this is a plain node.
            self.node(var, lo, hi)
        };
        memo.insert(f, g);
        g
    }

    /// Minato: emits a cover of some function between `lower` and `upper` and returns it.
    fn cover(
        &mut self,
        lower: Ref,
        upper: Ref,
        path: &mut Vec<Lit>,
        out: &mut dyn FnMut(&[Lit]) -> bool,
    ) -> Ref {
        if lower == Ref::FALSE || self.stop.is_some() || self.enough {
            return Ref::FALSE;
        }
        if upper == Ref::TRUE {
            self.enough = !out(path);
            return Ref::TRUE;
        }
        let var = self.top(lower).min(self.top(upper));
        let (l0, l1) = self.cofactors(lower, var);
        let (u0, u1) = self.cofactors(upper, var);
        let mut half = |bdd: &mut Self, l, other, u, positive, path: &mut Vec<Lit>| {
            let needed = bdd.diff(l, other);
            path.push(Lit { var, positive });
            let f = bdd.cover(needed, u, path, out);
            path.pop();
            f
        };
        let f0 = half(self, l0, u1, u0, false, path);
        let f1 = half(self, l1, u0, u1, true, path);
        let rest0 = self.diff(l0, f0);
        let rest1 = self.diff(l1, f1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let shared = self.cover(rest, both, path, out);
        let lo = self.or(f0, shared);
        let hi = self.or(f1, shared);
        self.node(var, lo, hi)
    }
}

fn hash_node(var: u32, lo: Ref, hi: Ref) -> u64 {
    let hash = FxBuildHasher.hash_one((u64::from(lo.0) << 32 | u64::from(hi.0), var));
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A naive twin: functions of three variables as truth tables.
    fn table(bdd: &Bdd, f: Ref) -> u8 {
        (0..8u32).fold(0, |acc, v| {
            let mut g = f;
            while !g.is_const() {
                let (lo, hi) = bdd.branches(g);
                g = if v >> bdd.top(g) & 1 == 1 { hi } else { lo };
            }
            acc | u8::from(g == Ref::TRUE) << v
        })
    }

    fn from_table(bdd: &mut Bdd, t: u8) -> Ref {
        (0..8u32)
            .filter(|v| t >> v & 1 == 1)
            .fold(Ref::FALSE, |acc, v| {
                let minterm = (0..3).rev().fold(Ref::TRUE, |m, var| {
                    let lit = bdd.lit(Lit {
                        var,
                        positive: v >> var & 1 == 1,
                    });
                    bdd.and(m, lit)
                });
                bdd.or(acc, minterm)
            })
    }

    #[test]
    fn all_functions_of_three_variables_agree_with_truth_tables() {
        let mut bdd = Bdd::new(&Budget::unlimited());
        let all: Vec<Ref> = (0..=255).map(|t| from_table(&mut bdd, t)).collect();
        for (s, &f) in (0..=255u8).zip(&all) {
            assert_eq!(table(&bdd, f), s);
            let mut cubes = Ref::FALSE;
            let mut list: Vec<Vec<Lit>> = Vec::new();
            bdd.isop(f, &mut |cube| {
                list.push(cube.to_vec());
                true
            });
            for cube in list {
                let product = cube.iter().fold(Ref::TRUE, |acc, &lit| {
                    let lit = bdd.lit(lit);
                    bdd.and(acc, lit)
                });
                cubes = bdd.or(cubes, product);
            }
            assert_eq!(cubes, f, "the cover is exact");
            let hidden = bdd.exists(f, &|var| var == 1);
            let merged = (s | s >> 2) & 0b0011_0011;
            assert_eq!(table(&bdd, hidden), merged | merged << 2);
            for (t, &g) in (0..=255u8).zip(&all) {
                let (and, or, diff) = (bdd.and(f, g), bdd.or(f, g), bdd.diff(f, g));
                assert_eq!(all[usize::from(s & t)], and);
                assert_eq!(all[usize::from(s | t)], or);
                assert_eq!(all[usize::from(s & !t)], diff);
            }
        }
    }

    #[test]
    fn a_spent_budget_poisons_the_manager() {
        let budget = Budget::unlimited();
        budget.cancel();
        let mut bdd = Bdd::new(&budget);
        let mut parity = Ref::FALSE;
        let mut sum = Ref::TRUE;
        for var in 0..400 {
            let x = bdd.var(var);
            let not = bdd.not(parity);
            parity = bdd.ite(x, not, parity);
            let y = bdd.var(399 - var);
            let either = bdd.or(x, y);
            let either = bdd.or(either, parity);
            sum = bdd.and(sum, either);
        }
        assert_eq!(bdd.stopped(), Err(Stop::Cancelled));
    }
}
