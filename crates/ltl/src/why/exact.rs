//! Leaves out of a sufficient set what is not needed.
//!
//! A set of facts is sufficient if no values of all other atoms satisfy the formula. Two tests of that, both sound:
//!
//! 1. Three truth values ([`without_unneeded`]): if the formula is false with the other atoms unknown, it is false for all
//!    their values. It takes one evaluation. If no atom occurs both plainly and negated, it is exact: the value that helps
//!    is then the same at all occurrences, and giving it to every unknown atom satisfies what is not false.
//! 2. A decision diagram ([`smallest`]) of the formula as a function of the atoms of the lasso: sufficient means that no
//!    path to true agrees with the set. It is exact for all formulas, and bounded in size. Atoms that are unknown already
//!    and occur with one sign only are given the value that helps; the variables are ordered by position, so that the width
//!    is bounded by the number of residuals of the formula.
//!
//! Supersets of sufficient sets are sufficient. So one pass that leaves out each fact without which the rest is still
//! sufficient ends with a set of which no fact can be left out. Late facts are tried first: early ones stay. Many facts are
//! tried at once, and in halves if some of them are needed: what the pass ends with is the same.

use super::evaluate::{Algebra, Dag, Known, Moments, Truth, evaluate};
use crate::bdd::{Bdd, MAX_VARS, Ref};
use lariat_base::{Budget, FxHashMap, FxHashSet};

/// The most cells of tables, or nodes of diagrams, that are computed to leave out facts.
const MAX_WORK: usize = 50_000_000;

/// The most nodes of a diagram.
const MAX_NODES: usize = 1 << 18;

/// Whether all was tried that was to be tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    All,
    Some,
}

/// A position of the lasso and a bit of its letter.
type Place = (usize, u32);

/// The facts of a set, the last first.
fn facts(known: &[u64]) -> Vec<Place> {
    let mut facts = Vec::new();
    for (position, &bits) in known.iter().enumerate().rev() {
        facts.extend(
            (0..64)
                .rev()
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| (position, bit)),
        );
    }
    facts
}

/// Tries to leave out each of some facts, with at most so many tests. `leave_out` says whether the rest is sufficient without
/// these; if so it leaves them out for good.
fn shrink(facts: &[Place], max_tests: usize, mut leave_out: impl FnMut(&[Place]) -> bool) -> Tried {
    let mut left = max_tests;
    let mut blocks = vec![facts];
    while let Some(block) = blocks.pop() {
        if left == 0 {
            return Tried::Some;
        }
        left -= 1;
        if !leave_out(block) && block.len() > 1 {
            let (first, second) = block.split_at(block.len() / 2);
            blocks.extend([second, first]);
        }
    }
    Tried::All
}

/// Leaves out what is not needed for the formula to be false with three truth values.
pub(super) fn without_unneeded(
    dag: &Dag,
    moments: Moments,
    letters: &[u64],
    known: &mut [u64],
) -> Tried {
    let cells = dag.nodes.len() * moments.len();
    shrink(&facts(known), MAX_WORK / cells.max(1), |block| {
        for &(position, bit) in block {
            known[position] &= !(1 << bit);
        }
        let table = evaluate(dag, moments, &mut Known { letters, known });
        let sufficient = table[dag.root()][0] == Truth::False;
        if !sufficient {
            for &(position, bit) in block {
                known[position] |= 1 << bit;
            }
        }
        sufficient
    })
}

/// Leaves out what is not needed for every word that agrees on the rest to violate the formula.
pub(super) fn smallest(dag: &Dag, moments: Moments, letters: &[u64], known: &mut [u64]) -> Tried {
    let (plain, negated) = dag.polarities();
    let mut algebra = Diagrams {
        bdd: Bdd::with_max_nodes(&Budget::unlimited(), MAX_NODES),
        known,
        mixed: plain & negated,
        plain,
        variables: FxHashMap::default(),
    };
    if !algebra.number_variables(plain | negated) {
        return Tried::Some;
    }
    let table = evaluate(dag, moments, &mut algebra);
    let Diagrams { bdd, variables, .. } = algebra;
    if bdd.stopped().is_err() {
        return Tried::Some;
    }
    let whole = table[dag.root()][0];
    // What the variables are known to be.
    let mut given: Vec<Option<bool>> = vec![None; variables.len()];
    let value = |(position, bit): Place| Some(letters[position] >> bit & 1 == 1);
    let facts = facts(known);
    for fact in &facts {
        given[variables[fact] as usize] = value(*fact);
    }
    let max_tests = MAX_WORK / bdd.size(whole, MAX_NODES).max(1);
    shrink(&facts, max_tests, |block| {
        for fact in block {
            given[variables[fact] as usize] = None;
        }
        let sufficient = !can_be_true(&bdd, whole, &given);
        for fact in block {
            if sufficient {
                known[fact.0] &= !(1 << fact.1);
            } else {
                given[variables[fact] as usize] = value(*fact);
            }
        }
        sufficient
    })
}

/// Whether a function has a model that agrees with what is given.
fn can_be_true(bdd: &Bdd, function: Ref, given: &[Option<bool>]) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![function];
    while let Some(f) = stack.pop() {
        if f == Ref::TRUE {
            return true;
        }
        if f == Ref::FALSE || !seen.insert(f) {
            continue;
        }
        let (without, with) = bdd.branches(f);
        match given[bdd.top(f) as usize] {
            Some(true) => stack.push(with),
            Some(false) => stack.push(without),
            None => stack.extend([without, with]),
        }
    }
    false
}

/// Truth as a function of the atoms that may yet become unknown, and of those that are and occur with both signs.
struct Diagrams<'a> {
    bdd: Bdd,
    known: &'a [u64],
    /// The atoms that occur plainly and negated.
    mixed: u64,
    /// Those that occur plainly.
    plain: u64,
    variables: FxHashMap<Place, u32>,
}

impl Diagrams<'_> {
    /// Gives out variables in the order of positions; `false` if there are too many.
    fn number_variables(&mut self, occurring: u64) -> bool {
        for (position, known) in self.known.iter().enumerate() {
            let bits = (known | self.mixed) & occurring;
            for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                let next = self.variables.len() as u32;
                if next >= MAX_VARS {
                    return false;
                }
                self.variables.insert((position, bit), next);
            }
        }
        true
    }
}

impl Algebra for Diagrams<'_> {
    type Value = Ref;

    fn constant(&self, value: bool) -> Ref {
        if value { Ref::TRUE } else { Ref::FALSE }
    }

    fn atom(&mut self, bit: u32, position: usize) -> Ref {
        match self.variables.get(&(position, bit)) {
            Some(&variable) => self.bdd.var(variable),
            None => self.constant(self.plain >> bit & 1 == 1),
        }
    }

    fn not(&mut self, a: Ref) -> Ref {
        self.bdd.not(a)
    }

    fn and(&mut self, a: Ref, b: Ref) -> Ref {
        self.bdd.and(a, b)
    }

    fn or(&mut self, a: Ref, b: Ref) -> Ref {
        self.bdd.or(a, b)
    }
}
