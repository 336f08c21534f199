//! Sets of states as decision diagrams (Burch and others, "Symbolic model checking: 10^20 states and beyond", LICS'90):
//! what can be reached, ring by ring, and which of it can go on for ever with all marks again and again (Emerson and Lei, "Efficient
//! model checking in fragments of the propositional mu-calculus", LICS'86).
//!
//! A state of the second set is the start of an accepting run; a counterexample is put together from single states of it
//! (`lasso.rs`). If the set is empty, there is none.

mod diagram;
mod lasso;
mod operations;
mod relation;
mod sift;
#[cfg(test)]
mod tests;

use super::circuit::Circuit;
use super::machine::Machine;
use super::paths::Found;
use crate::session::{Halt, Stats};
use crate::verdict::Unknown;
use diagram::{Bdd, MAX_VARS};
use lariat_base::{Budget, Stop};
use lariat_expr::Terms;
use relation::Relation;

/// A counterexample that is found by sets of states; none if there is none.
pub(super) fn search(
    terms: &mut Terms,
    machine: &Machine,
    circuit: &Circuit,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<Found>, Halt> {
    if 2 * machine.state.len() + machine.inputs.len() > MAX_VARS {
        let why = format!("sets of states are tried with at most {MAX_VARS} bits");
        return Err(Halt(Unknown::Unsupported(why)));
    }
    let mut relation = Relation::new(terms, machine, budget)?;
    let found = Sets::new(&mut relation, circuit, budget).and_then(|mut sets| {
        let found = sets.search();
        stats.iterations = sets.n_rings;
        let now = &sets.relation.now;
        stats.nodes = sets.relation.diagrams.count(sets.reached, now);
        found
    });
    if relation.diagrams.is_full() {
        let why = "the sets of states are too large for decision diagrams";
        return Err(Halt(Unknown::NoProgress(why.into())));
    }
    Ok(found?)
}

/// The sets of states of a machine.
struct Sets<'r> {
    relation: &'r mut Relation,
    circuit: &'r Circuit,
    budget: &'r Budget,
    /// The states that are reached after each number of steps and not before. For loops, the last ones only: the run to a loop is
    /// looked for when one is known.
    rings: Vec<Bdd>,
    n_rings: u64,
    reached: Bdd,
    /// The states from which a run can meet all marks again and again, as far as is known.
    fair: Bdd,
}

impl<'r> Sets<'r> {
    fn new(
        relation: &'r mut Relation,
        circuit: &'r Circuit,
        budget: &'r Budget,
    ) -> Result<Self, Stop> {
        // All bits are 0 before the start.
        let now = relation.now.clone();
        let start = relation.diagrams.point(&now, &vec![false; now.len()])?;
        Ok(Self {
            relation,
            circuit,
            budget,
            rings: vec![start],
            n_rings: 1,
            reached: start,
            fair: Bdd::TRUE,
        })
    }

    fn search(&mut self) -> Result<Option<Found>, Stop> {
        if let Some(bad) = self.reach()? {
            return self.path(bad).map(Some);
        }
        if self.relation.n_marks() == 0 {
            return Ok(None);
        }
        self.find_fair()?;
        match self.fair {
            Bdd::FALSE => Ok(None),
            _ => self.lasso().map(Some),
        }
    }

    /// Finds all states that can be reached, or bad ones.
    fn reach(&mut self) -> Result<Option<Bdd>, Stop> {
        loop {
            let last = *self.rings.last().expect("there is a start");
            let bad = self.relation.diagrams.and(last, self.relation.bad)?;
            if bad != Bdd::FALSE {
                return Ok(Some(bad));
            }
            let needed = self.needed(&[]);
            let from = self.smaller(last, self.reached);
            let next = self.relation.image(from, None, &needed)?;
            let new = self.relation.diagrams.and(next, !self.reached)?;
            if new == Bdd::FALSE {
                return Ok(None);
            }
            self.reached = self.relation.diagrams.or(self.reached, new)?;
            self.n_rings += 1;
            if self.relation.n_marks() > 0 {
                self.rings.clear();
            }
            self.rings.push(new);
        }
    }

    /// The set that has fewer nodes.
    fn smaller(&self, a: Bdd, b: Bdd) -> Bdd {
        let size = |set| self.relation.diagrams.size(set);
        if size(a) <= size(b) { a } else { b }
    }

    /// What must be kept, and these.
    fn needed(&self, more: &[Bdd]) -> Vec<Bdd> {
        [&self.rings, &[self.reached, self.fair][..], more].concat()
    }

    /// Finds the fair states: the largest set in which each state reaches a step with each mark inside of the set.
    ///
    /// Before, the same is done the other way round: the largest set in which each state is reached from a step with each mark. It has all accepting loops,
    /// too, and steps forward from states that can be reached are smaller diagrams than steps back, which lead anywhere.
    fn find_fair(&mut self) -> Result<(), Stop> {
        self.fair = self.reached;
        for is_forward in [true, false] {
            loop {
                let before = self.fair;
                for mark in 0..self.relation.n_marks() {
                    let marked = self.step(self.fair, Some(mark), is_forward, &[before])?;
                    self.fair = self.connected(marked, is_forward, before)?;
                }
                if self.fair == before {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The fair states that are one step after these, or before them.
    fn step(
        &mut self,
        of: Bdd,
        mark: Option<usize>,
        is_forward: bool,
        kept: &[Bdd],
    ) -> Result<Bdd, Stop> {
        let needed = self.needed(kept);
        let next = if is_forward {
            self.relation.image(of, mark, &needed)?
        } else {
            self.relation.preimage(of, mark, &needed)?
        };
        self.relation.diagrams.and(next, self.fair)
    }

    /// The fair states that some of them lead to through fair states, or from which they are reached.
    fn connected(&mut self, some: Bdd, is_forward: bool, kept: Bdd) -> Result<Bdd, Stop> {
        let (mut all, mut last) = (some, some);
        while last != Bdd::FALSE {
            let from = self.smaller(last, all);
            let next = self.step(from, None, is_forward, &[all, kept])?;
            last = self.relation.diagrams.and(next, !all)?;
            all = self.relation.diagrams.or(all, last)?;
        }
        Ok(all)
    }
}
