//! Why a translation may end without an automaton.

use lariat_base::Stop;
use std::fmt;

/// The work that is done between two looks at the limits, about. Whoever shares out time can pause a translation there.
pub(crate) const LOOK: u64 = 100;

/// A translation that was given up. The formula may be fine; it is the effort that is bounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TranslateError {
    /// Time, memory or patience ran out.
    Stopped(Stop),
    /// The automaton has more states than allowed.
    TooManyStates(usize),
    /// One state has at least as many edges as allowed.
    TooManyEdges(usize),
    /// More than 64 acceptance sets would be needed.
    TooManySets,
    /// More than 64 different atoms occur.
    TooManyAtoms(usize),
    /// More different temporal subformulas arise than the symbolic representation can hold.
    TooManySubformulas,
    /// The sets of letters grow beyond what their symbolic representation can hold.
    TooManyNodes,
}

impl From<Stop> for TranslateError {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl fmt::Display for TranslateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => write!(f, "the translation was given up: {stop}"),
            Self::TooManyStates(max) => {
                write!(f, "the automaton has more than {max} states, the limit")
            }
            Self::TooManyEdges(max) => {
                write!(
                    f,
                    "a state of the automaton has {max} edges, the limit, or more"
                )
            }
            Self::TooManySets => f.write_str("the automaton needs more than 64 acceptance sets"),
            Self::TooManyAtoms(n) => {
                write!(f, "the formula has {n} atoms; at most 64 are supported")
            }
            Self::TooManySubformulas => {
                f.write_str("the formula unfolds into too many different temporal subformulas")
            }
            Self::TooManyNodes => {
                f.write_str("the letters of the automaton are too many to tell apart")
            }
        }
    }
}

impl std::error::Error for TranslateError {}
