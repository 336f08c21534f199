//! Counters of what was asked and how it was answered.

use crate::Answer;
use std::time::Duration;

/// What a backend has done so far. Counters are exact and deterministic, times are not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Satisfiability checks asked by the engine.
    pub checks: u64,
    /// Of these, answered "satisfiable".
    pub sat: u64,
    /// Of these, answered "unsatisfiable".
    pub unsat: u64,
    /// Of these, not answered.
    pub unknown: u64,
    /// Checks that outlived the first small slice and ran under a watcher.
    pub watched: u64,
    /// Time inside checks.
    pub check_time: Duration,
    /// Interpolation requests.
    pub interpolations: u64,
    /// Of these, answered by the Horn engine.
    pub by_horn: u64,
    /// Of these, answered by model-based projection.
    pub by_projection: u64,
    /// Of these, answered by weakest preconditions or strongest postconditions.
    pub by_newton: u64,
    /// Of these, neither answered nor satisfiable.
    pub not_interpolated: u64,
    /// Time inside interpolation, its own checks included.
    pub interpolation_time: Duration,
}

impl Statistics {
    /// Counts one check.
    pub(crate) fn count(&mut self, answer: &Answer, time: Duration) {
        self.checks += 1;
        self.check_time += time;
        match answer {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}
