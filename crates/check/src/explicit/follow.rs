//! A run of the system along a path of the product.
//!
//! Without symmetries the arcs of a path are the steps of a run. With them, a node stands for all states that permutations
//! make of it, and an arc leads to the node that stands for the state after a step. So the run is followed: at node `r` it is in
//! state `ρ(r)` for a permutation `ρ`, at first none. If the arc's step leads from `r` to `t`, and `r' = π(t)` stands for `t`, the run goes
//! to `ρ(t)`, and there `ρ(t) = ρ(π⁻¹(r'))`. A round of a cycle may come back to another state of the same
//! class; the cycle is followed until a round ends where one began, after at most as many rounds as the permutation of one
//! has to be repeated to change nothing.

use super::codes::code_of;
use super::expand::{Product, VALUES};
use super::orbits::{Place, after_inverse};
use crate::{Graph as _, GraphPath, Hop};
use lariat_base::Stop;
use lariat_system::{Run, State, Step, edge_successors};

/// A run, and the position of the last step before its loop, if it has one.
pub(super) struct Followed {
    pub run: Run,
    pub honda: usize,
}

impl Product<'_> {
    /// The run along a path and then round a cycle. Nothing if a step of it was not found again after a permutation, which
    /// happens only where not all steps could be listed.
    pub fn follow(&mut self, path: &GraphPath, cycle: &[Hop]) -> Result<Option<Followed>, Stop> {
        let mut starts = Vec::new();
        self.initial(&mut starts)?;
        let first = starts
            .iter()
            .position(|&start| start == path.start)
            .expect("a path starts in an initial node");
        let first = self.step(None, first);
        let mut follower = Follower {
            turned: self.turned(&first.state),
            product: self,
            run: vec![first],
        };
        for hop in &path.hops {
            if !follower.take(*hop) {
                return Ok(None);
            }
        }
        let mut ends = vec![follower.run.len() - 1];
        let honda = loop {
            for hop in cycle {
                if !follower.take(*hop) {
                    return Ok(None);
                }
            }
            let state = |end: usize| &follower.run[end].state;
            let last = follower.run.len() - 1;
            let same = |&end: &usize| state(end) == state(last);
            match ends.iter().copied().find(same) {
                Some(honda) => break honda,
                None => ends.push(last),
            }
        };
        Ok(Some(Followed {
            run: Run {
                steps: follower.run,
            },
            honda,
        }))
    }

    /// The permutation that leads from the node that stands for a state to the state.
    fn turned(&mut self, state: &State) -> Vec<Vec<usize>> {
        let mut numbers = self.numbers(state);
        let Some(orbits) = &mut self.orbits else {
            return Vec::new();
        };
        let mut turned = orbits.identity();
        let mut place = Place {
            cx: self.cx,
            codes: &mut self.codes,
            system: self.system,
        };
        after_inverse(&mut turned, orbits.normalise(&mut place, &mut numbers));
        turned
    }

    /// A state as numbers, without the reader's part.
    fn numbers(&mut self, state: &State) -> Vec<i64> {
        let mut numbers = vec![0; VALUES];
        numbers[super::expand::LOC] = code_of(state.loc);
        let values = state.values.iter().enumerate();
        numbers.extend(values.map(|(i, value)| self.codes.encode(i, value)));
        numbers
    }

    /// A state after a permutation.
    fn permuted(&mut self, permutations: &[Vec<usize>], state: &State) -> State {
        let mut numbers = self.numbers(state);
        let Some(orbits) = &self.orbits else {
            return state.clone();
        };
        let mut place = Place {
            cx: self.cx,
            codes: &mut self.codes,
            system: self.system,
        };
        orbits.apply(&mut place, permutations, &mut numbers);
        let loc = super::codes::id_of(numbers[super::expand::LOC]);
        self.codes.state(self.cx, loc, &numbers[VALUES..])
    }

    /// A step from one state to another, observed or not.
    fn step_between(&mut self, from: &State, to: &State, observed: bool) -> Option<Step> {
        let edges = self.system.edges(from.loc).into_iter().enumerate();
        for (index, edge) in edges {
            if edge.observed != observed || edge.target != to.loc {
                continue;
            }
            let limits = &self.limits;
            let found =
                edge_successors(self.cx, &self.variables, Some(from), (index, edge), limits);
            let mut steps = found.steps.into_iter();
            if let Some(step) = steps.find(|step| step.state == *to) {
                return Some(step);
            }
        }
        None
    }
}

struct Follower<'p, 's> {
    product: &'p mut Product<'s>,
    run: Vec<Step>,
    /// The permutation that leads from the node of the last state to that state.
    turned: Vec<Vec<usize>>,
}

impl Follower<'_, '_> {
    /// Takes one more step; false if it was not found.
    fn take(&mut self, hop: Hop) -> bool {
        let step = self.product.step(Some(hop.from), hop.index);
        if self
            .turned
            .iter()
            .all(|permutation| permutation.is_sorted())
        {
            self.turned = self.product.turned(&step.state);
            self.run.push(step);
            return true;
        }
        let to = self.product.permuted(&self.turned, &step.state);
        let from = &self.run[self.run.len() - 1].state;
        let observed = self.product.is_observed(hop.from, step.edge);
        let Some(taken) = self.product.step_between(from, &to, observed) else {
            let why = "a permutation that was checked keeps steps";
            assert!(self.product.incomplete().is_some(), "{why}");
            return false;
        };
        let after = self.product.turned(&step.state);
        self.turned = composed(&self.turned, &after);
        self.run.push(taken);
        true
    }
}

/// First the second permutation, then the first.
fn composed(first: &[Vec<usize>], second: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let both = first.iter().zip(second);
    both.map(|(first, second)| second.iter().map(|&copy| first[copy]).collect())
        .collect()
}
