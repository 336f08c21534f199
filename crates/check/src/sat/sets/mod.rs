//! Sets of states as decision diagrams (Burch, Clarke, McMillan, Dill, Hwang, "Symbolic model checking: 10^20 states and beyond", LICS'90):
//! what can be reached, ring by ring, and which of it can go on for ever with all marks again and again (Emerson and Lei, "Efficient
//! model checking in fragments of the propositional mu-calculus", LICS'86).
//!
//! A state of the second set is the start of an accepting run; a counterexample is put together from single states of it
//! (`lasso.rs`). If the set is empty, there is none.

mod diagram;
mod lasso;
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
    terms: &Terms,
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
        let n_states = sets.relation.diagrams.density(sets.reached)
            * 2f64.powi(sets.relation.now.len() as i32);
        stats.nodes = n_states as u64;
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

    /// Finds the largest set in which each state reaches a step with each mark that stays in it, all inside of it; but not the states that no
    /// loop leads to: chains of those would be cut off one round for each.
    fn find_fair(&mut self) -> Result<(), Stop> {
        self.fair = self.reached;
        loop {
            let before = self.fair;
            for mark in 0..self.relation.n_marks() {
                let needed = self.needed(&[before]);
                let steps = self.relation.preimage(self.fair, Some(mark), &needed)?;
                let marked = self.relation.diagrams.and(steps, self.fair)?;
                self.fair = self.reaching(marked, before)?;
            }
            self.drop_unentered(before)?;
            if self.fair == before {
                return Ok(());
            }
        }
    }

    /// The fair states from which some of them are reached through fair states.
    fn reaching(&mut self, goal: Bdd, kept: Bdd) -> Result<Bdd, Stop> {
        let (mut all, mut last) = (goal, goal);
        while last != Bdd::FALSE {
            let needed = self.needed(&[all, kept]);
            let before = self.relation.preimage(last, None, &needed)?;
            let before = self.relation.diagrams.and(before, self.fair)?;
            last = self.relation.diagrams.and(before, !all)?;
            all = self.relation.diagrams.or(all, last)?;
        }
        Ok(all)
    }

    /// Keeps the fair states to which arbitrarily long runs through fair states lead: all that are on loops are among them, and all that those
    /// lead to.
    fn drop_unentered(&mut self, kept: Bdd) -> Result<(), Stop> {
        loop {
            let needed = self.needed(&[kept]);
            let after = self.relation.image(self.fair, None, &needed)?;
            let fewer = self.relation.diagrams.and(after, self.fair)?;
            if fewer == self.fair {
                return Ok(());
            }
            self.fair = fewer;
        }
    }
}
