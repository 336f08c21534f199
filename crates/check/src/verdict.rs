//! Answers.

use lariat_base::Stop;
use lariat_system::{Lasso, Run};
use std::fmt;

/// The answer to a problem.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// No run refutes the property: an emptiness check on an over-approximation was exhausted.
    Holds,
    /// This run refutes it; it has been replayed.
    Violated(Counterexample),
    /// Not decided.
    Unknown(Unknown),
}

/// A run that refutes a property.
#[derive(Clone, PartialEq, Debug)]
pub enum Counterexample {
    /// A finite run to a bad state.
    Path(Run),
    /// An infinite run.
    Lasso(Lasso),
}

impl Counterexample {
    /// The steps: of a lasso those of the stem and of one round of the loop.
    pub fn n_steps(&self) -> usize {
        match self {
            Self::Path(run) => run.steps.len(),
            Self::Lasso(lasso) => lasso.run.steps.len(),
        }
    }

    /// Its first steps.
    pub fn prefix(&self, n_steps: usize) -> Self {
        let (Self::Path(run) | Self::Lasso(Lasso { run, .. })) = self;
        let steps = run.steps.iter().take(n_steps).cloned().collect();
        Self::Path(Run { steps })
    }
}

/// Why a problem was not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// A limit was reached, or somebody cancelled.
    Stopped(Stop),
    /// The system has infinitely many states, or values were sampled; the words say where.
    Infinite(String),
    /// Refinement found nothing new to add; the words describe the lasso or path that stays.
    NoProgress(String),
    /// The solver gave up.
    Solver(String),
    /// The model uses something that the chosen engine cannot handle.
    Unsupported(String),
    /// The model is cut off somewhere, and the answer is known only for runs that do not come there.
    CutOff(String),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => stop.fmt(f),
            Self::Infinite(what) => write!(f, "not all successors can be listed: {what}"),
            Self::NoProgress(what) => write!(f, "refinement makes no progress: {what}"),
            Self::Solver(what) => write!(f, "the solver gave up: {what}"),
            Self::Unsupported(what) => write!(f, "not supported by this session: {what}"),
            Self::CutOff(what) => f.write_str(what),
        }
    }
}
