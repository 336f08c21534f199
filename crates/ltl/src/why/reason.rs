//! Why a subformula has its value at a moment: the values of its parts, at which moments, that make it so.
//!
//! A Boolean operator is decided by all of its parts or by one of them. A temporal operator is decided along a *way*
//! from its moment on (or back, for the past): at each moment of the way something is needed to *go* on, and at its last
//! moment something to *stop*; or the way has no last moment, and goes round the loop for ever (back: to the start).
//! `a U b` is true on a way with `a` at each moment and `b` at the last; it is false on a way with `not b` at each and
//! `not a` too at the last, or with `not b` for ever. [`way`] is the table of all operators.
//!
//! Of the ways of an operator the one that stops first is taken: of several requests without an answer, the first. Among
//! operands the cheapest is taken, where a known atom costs 1 and a subformula what its parts cost. Costs count an atom as
//! often as it is used, so they only guide: `mod.rs` says how a set without superfluous facts is reached from here.
//!
//! Each subformula is treated once for all moments together, and no way is walked twice: linear in the size of the formula
//! times the number of moments.

use super::evaluate::{Dag, DagNode, Moments, Truth, is_past};
use crate::formula::Op;
use std::collections::BTreeMap;

/// A cost that no reason has: the value is not known.
const NONE: u64 = u64::MAX;

/// The largest cost that is told apart from others.
const MOST: u64 = 1 << 40;

/// What is needed at one moment: operands with their values.
type Needs = &'static [(usize, bool)];

/// The ways on which a temporal operator has a value.
struct Way {
    /// What ends a way; nothing can if `None`.
    stop: Option<Needs>,
    /// What each moment before needs.
    go: Needs,
    /// Whether a way need not end.
    endless: bool,
}

/// The ways on which an operator has a value; `None` if it is not one that looks beyond the next moment.
fn way(op: Op, value: bool) -> Option<Way> {
    let (stop, go, endless): (Option<Needs>, Needs, bool) = match (op, value) {
        (Op::F | Op::O, true) => (Some(&[(0, true)]), &[], false),
        (Op::F | Op::O, false) => (None, &[(0, false)], true),
        (Op::G | Op::H, true) => (None, &[(0, true)], true),
        (Op::G | Op::H, false) => (Some(&[(0, false)]), &[], false),
        (Op::U | Op::S, true) => (Some(&[(1, true)]), &[(0, true)], false),
        (Op::W, true) => (Some(&[(1, true)]), &[(0, true)], true),
        (Op::U | Op::S, false) => (Some(&[(0, false), (1, false)]), &[(1, false)], true),
        (Op::W, false) => (Some(&[(0, false), (1, false)]), &[(1, false)], false),
        (Op::R | Op::T, true) => (Some(&[(0, true), (1, true)]), &[(1, true)], true),
        (Op::M, true) => (Some(&[(0, true), (1, true)]), &[(1, true)], false),
        (Op::R | Op::T, false) => (Some(&[(1, false)]), &[(0, false)], false),
        (Op::M, false) => (Some(&[(1, false)]), &[(0, false)], true),
        _ => return None,
    };
    Some(Way { stop, go, endless })
}

/// Something that a subformula's value rests on: an operand, its value, and the moments, in order.
pub(super) struct Ground {
    pub(super) operand: usize,
    pub(super) value: bool,
    pub(super) moments: Vec<usize>,
}

/// The values of all subformulas at all moments, and what it costs to give reasons for them.
pub(super) struct Reasons<'a> {
    dag: &'a Dag,
    moments: Moments,
    values: &'a [Vec<Truth>],
    /// The cost of the cheapest reason.
    costs: Vec<Vec<u64>>,
    /// For temporal operators: that of the way that stops first.
    ending: Vec<Vec<u64>>,
}

impl<'a> Reasons<'a> {
    pub(super) fn new(dag: &'a Dag, moments: Moments, values: &'a [Vec<Truth>]) -> Self {
        let mut reasons = Self {
            dag,
            moments,
            values,
            costs: Vec::with_capacity(dag.nodes.len()),
            ending: Vec::with_capacity(dag.nodes.len()),
        };
        for f in 0..dag.nodes.len() {
            let (costs, ending) = reasons.of_node(f);
            reasons.costs.push(costs);
            reasons.ending.push(ending);
        }
        reasons
    }

    /// What it rests on that a subformula has a value at these moments, where it is known to have it.
    pub(super) fn grounds(&self, f: usize, value: bool, at: &[usize]) -> Vec<Ground> {
        let node = &self.dag.nodes[f];
        let mut found: BTreeMap<(usize, bool), Vec<usize>> = BTreeMap::new();
        let mut need = |needs: &[(usize, bool)], moment: usize| {
            for &need in needs {
                found.entry(need).or_default().push(moment);
            }
        };
        if let Some(way) = way(node.op, value) {
            self.walk(f, &way, at, &mut need);
        } else {
            for &moment in at {
                if let Some((needs, moment)) = self.here(node, value, moment) {
                    need(&needs, moment);
                }
            }
        }
        let ground = |((operand, value), mut moments): ((usize, bool), Vec<usize>)| {
            moments.sort_unstable();
            moments.dedup();
            Ground {
                operand: node.kids[operand],
                value,
                moments,
            }
        };
        found.into_iter().map(ground).collect()
    }

    /// What an operator that looks at one moment needs, and at which.
    fn here(
        &self,
        node: &DagNode,
        value: bool,
        moment: usize,
    ) -> Option<(Vec<(usize, bool)>, usize)> {
        let all = || (0..node.kids.len()).map(|i| (i, value)).collect();
        let cheapest = |options: Vec<(usize, bool)>| -> Vec<(usize, bool)> {
            let cost = |need: &(usize, bool)| self.need(node, &[*need], moment);
            options.into_iter().min_by_key(cost).into_iter().collect()
        };
        Some(match (node.op, value) {
            (Op::True | Op::False | Op::Ap(_), _) => return None,
            (Op::Not, _) => (vec![(0, !value)], moment),
            (Op::And, true) | (Op::Or, false) => (all(), moment),
            (Op::And | Op::Or, _) => (cheapest(all()), moment),
            (Op::Implies, false) => (vec![(0, true), (1, false)], moment),
            (Op::Implies, true) => (cheapest(vec![(0, false), (1, true)]), moment),
            (Op::Iff | Op::Xor, _) => {
                let value = |i: usize| (i, self.values[node.kids[i]][moment] == Truth::True);
                (vec![value(0), value(1)], moment)
            }
            (Op::X, _) => (all(), self.moments.after(moment)),
            (Op::Y | Op::Z, _) => (all(), moment.checked_sub(1)?),
            _ => unreachable!("{:?} has a way", node.op),
        })
    }

    /// What is needed on the ways from some moments.
    fn walk(
        &self,
        f: usize,
        way: &Way,
        at: &[usize],
        need: &mut impl FnMut(&[(usize, bool)], usize),
    ) {
        let node = &self.dag.nodes[f];
        let mut walked = [
            vec![false; self.moments.len()],
            vec![false; self.moments.len()],
        ];
        for &start in at {
            let endless = self.ending[f][start] == NONE;
            let walked = &mut walked[usize::from(endless)];
            let mut next = Some(start);
            while let Some(moment) = next.filter(|&moment| !walked[moment]) {
                walked[moment] = true;
                let stop = way
                    .stop
                    .filter(|stop| !endless && self.need(node, stop, moment) != NONE);
                if let Some(stop) = stop {
                    need(stop, moment);
                    break;
                }
                need(way.go, moment);
                next = self.onward(node.op, moment);
            }
        }
    }

    /// The next moment of a way.
    fn onward(&self, op: Op, moment: usize) -> Option<usize> {
        if is_past(op) {
            moment.checked_sub(1)
        } else {
            Some(self.moments.after(moment))
        }
    }

    /// What it costs that operands have these values at a moment.
    fn need(&self, node: &DagNode, needs: &[(usize, bool)], moment: usize) -> u64 {
        let cost = |&(operand, value): &(usize, bool)| {
            let kid = node.kids[operand];
            let known = self.values[kid][moment] == Truth::from(value);
            if known { self.costs[kid][moment] } else { NONE }
        };
        needs.iter().map(cost).fold(0, add)
    }

    /// The costs of a subformula at all moments, and those of ways that end.
    fn of_node(&self, f: usize) -> (Vec<u64>, Vec<u64>) {
        let node = &self.dag.nodes[f];
        let n = self.moments.len();
        if way(node.op, true).is_none() {
            let cost = |moment| match (node.op, self.values[f][moment]) {
                (_, Truth::Unknown) => NONE,
                (Op::Ap(_), _) => u64::from(node.bit.is_some()),
                (_, value) => match self.here(node, value == Truth::True, moment) {
                    Some((needs, moment)) => self.need(node, &needs, moment),
                    None => 0,
                },
            };
            return ((0..n).map(cost).collect(), Vec::new());
        }
        let mut ending = vec![NONE; n];
        let mut costs = vec![NONE; n];
        for value in [false, true] {
            let way = way(node.op, value).expect("a temporal operator");
            let stop = |moment| way.stop.map_or(NONE, |stop| self.need(node, stop, moment));
            let go = |moment| self.need(node, way.go, moment);
            let (first, endless) = self.along(node.op, &stop, &go);
            for moment in 0..n {
                if self.values[f][moment] == Truth::from(value) {
                    ending[moment] = first[moment];
                    costs[moment] = match first[moment] {
                        NONE if way.endless => endless[moment],
                        cost => cost,
                    };
                }
            }
        }
        (costs, ending)
    }

    /// What the way that stops first costs, and the one that does not stop, from every moment.
    fn along(
        &self,
        op: Op,
        stop: &dyn Fn(usize) -> u64,
        go: &dyn Fn(usize) -> u64,
    ) -> (Vec<u64>, Vec<u64>) {
        let n = self.moments.len();
        let (mut ending, mut endless) = (vec![NONE; n], vec![0u64; n]);
        if is_past(op) {
            let (mut first, mut all) = (NONE, 0);
            for moment in 0..n {
                first = match stop(moment) {
                    NONE => add(go(moment), first),
                    cost => cost,
                };
                all = add(go(moment), all);
                (ending[moment], endless[moment]) = (first, all);
            }
            return (ending, endless);
        }
        let start = self.moments.loop_start();
        for first in [start, 0] {
            for moment in (first..n).rev() {
                ending[moment] = match stop(moment) {
                    NONE => add(go(moment), ending[self.moments.after(moment)]),
                    cost => cost,
                };
            }
        }
        let round = (start..n).map(go).fold(0, add);
        endless[start..].fill(round);
        for moment in (0..start).rev() {
            endless[moment] = add(go(moment), endless[moment + 1]);
        }
        (ending, endless)
    }
}

fn add(a: u64, b: u64) -> u64 {
    if a == NONE || b == NONE {
        NONE
    } else {
        (a + b).min(MOST)
    }
}
