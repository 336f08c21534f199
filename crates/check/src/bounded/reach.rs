//! Bad states by unrolling, shorter paths first: bounded model checking (Biere, Cimatti, Clarke, Zhu, "Symbolic model checking
//! without BDDs", TACAS'99).
//!
//! The layers stay asserted, and so does that none of them ends in a bad state, so the solver goes on from what it has
//! learned. Where it gives up, longer paths are still tried, but how far there is no counterexample is not known any more.

use super::{STEPS, Search};
use crate::refine::{PathResult, test_path};
use crate::session::Halt;
use lariat_expr::TermId;
use lariat_smt::{Answer, Reason};
use lariat_system::Run;

/// The longest path, in steps of the product.
const LONGEST: usize = 10_000;
/// After so many questions that the solver did not answer, one after the other, no longer path is tried.
const PATIENCE: usize = 3;

impl Search<'_, '_, '_> {
    /// A run to a bad state; shortest, if the solver answered all questions before.
    pub(super) fn reach(&mut self) -> Result<Option<Run>, Halt> {
        let mut n_unclear = 0;
        let mut is_clear = true;
        while self.layers.all.len() < LONGEST && n_unclear < PATIENCE {
            self.session.budget.check()?;
            if !self.layers.push(self.session, self.product)? {
                break;
            }
            self.session.stats.iterations += 1;
            let answer = self.ends_badly()?;
            if answer == Answer::Sat {
                return self.run_there();
            }
            let is_unsat = answer == Answer::Unsat;
            n_unclear = if is_unsat { 0 } else { n_unclear + 1 };
            is_clear &= is_unsat;
            if is_clear {
                self.session.stats.clear_steps = self.n_model_steps();
            }
        }
        Ok(None)
    }

    /// Whether the last layer may end in a bad state. If it cannot, that is asserted.
    fn ends_badly(&mut self) -> Result<Answer, Halt> {
        let last = self.layers.all.last().expect("there is a layer");
        let choices = last.choices.iter();
        let bad = choices.filter(|choice| self.product.is_bad(choice.taken.target));
        let bad: Vec<TermId> = bad.map(|choice| choice.is_taken).collect();
        if bad.is_empty() {
            return Ok(Answer::Unsat);
        }
        let session = &mut *self.session;
        session.stats.checks += 1;
        let bad = session.cx.terms.or(&bad);
        let never = session.cx.terms.not(bad);
        let terms = &session.cx.terms;
        let answer = session.solver.check_briefly(terms, &[bad], STEPS);
        match answer {
            Answer::Unknown(Reason::Stopped(stop)) => return Err(stop.into()),
            Answer::Unsat => session.solver.assert(terms, never),
            Answer::Sat | Answer::Unknown(_) => {}
        }
        Ok(answer)
    }

    /// How many steps of the model all paths so far have at least: its start is none, and each may be followed by one of the
    /// reader.
    fn n_model_steps(&self) -> Option<u64> {
        let n_layers = self.layers.all.len() as u64;
        let per_step = if self.product.read_terms().is_empty() {
            1
        } else {
            2
        };
        (n_layers / per_step).checked_sub(1)
    }

    /// The run along the path that the solver chose.
    fn run_there(&mut self) -> Result<Option<Run>, Halt> {
        let mut taken = Vec::new();
        for layer in &self.layers.all {
            let mut choices = layer.choices.iter();
            let chosen = choices.find(|choice| self.session.truth(choice.is_taken) == Some(true));
            let Some(chosen) = chosen else {
                return Ok(None);
            };
            taken.push(chosen.taken);
        }
        std::mem::swap(&mut self.session.solver, &mut self.other);
        let tested = test_path(self.session, self.product, &taken);
        std::mem::swap(&mut self.session.solver, &mut self.other);
        Ok(match tested? {
            PathResult::Real(run) => Some(run),
            PathResult::Infeasible(_) => None,
        })
    }
}
