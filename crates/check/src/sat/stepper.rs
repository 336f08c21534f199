//! The inputs with which a circuit takes a step that is known to exist.

use super::cdcl::{Cdcl, Lit};
use super::circuit::{Circuit, Copy, ask, fresh};
use lariat_base::{Budget, Stop};

/// A solver that knows one step of a circuit.
pub(super) struct Stepper<'c> {
    circuit: &'c Circuit,
    budget: Budget,
    solver: Cdcl,
    step: Copy,
}

impl<'c> Stepper<'c> {
    pub fn new(circuit: &'c Circuit, budget: &Budget) -> Self {
        let (solver, step) = fresh(circuit);
        Self {
            circuit,
            budget: budget.clone(),
            solver,
            step,
        }
    }

    /// Inputs with which literals of the circuit are true in a state. There must be such.
    pub fn inputs(
        &mut self,
        state: impl Iterator<Item = bool>,
        wanted: &[Lit],
    ) -> Result<Vec<bool>, Stop> {
        let bits = state.enumerate();
        let bits = bits.map(|(bit, is_set)| Circuit::state(bit).if_(is_set));
        let assumed = bits.chain(wanted.iter().copied());
        let assumed: Vec<Lit> = assumed.map(|lit| self.step.of(lit)).collect();
        let is_possible = ask(&mut self.solver, &assumed, &self.budget)?;
        assert!(is_possible, "a step that was found can be taken");
        Ok(self.step.inputs(self.circuit, &self.solver))
    }

    /// Inputs of a step from a state to another one, with marks as wanted.
    pub fn step(
        &mut self,
        from: impl Iterator<Item = bool>,
        to: impl Iterator<Item = bool>,
        marks: impl Iterator<Item = Lit>,
    ) -> Result<Vec<bool>, Stop> {
        let mut wanted = vec![self.circuit.valid];
        let bits = self.circuit.next.iter().zip(to);
        wanted.extend(bits.map(|(next, is_set)| next.if_(is_set)));
        wanted.extend(marks);
        self.inputs(from, &wanted)
    }
}
