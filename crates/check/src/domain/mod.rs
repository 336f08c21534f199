//! Abstract domains: what an abstract state says about the values of the variables.
//!
//! Invariant of every domain, on which "holds" rests: each concrete successor of each concrete state
//! of an abstract state lies in one of the states that [`Domain::post`] returns. The concrete states of an abstract one
//! are those that satisfy its [formula](Domain::formula).

mod combined;
mod cube;
mod expl;
mod expl_step;
mod function;
mod known;
mod precision;
mod pred;
mod pred_step;
mod predicate;
mod residue;
#[cfg(test)]
mod tests;
mod value;
mod zones;

pub use combined::{Combined, CombinedConfig};
pub(crate) use cube::Region;
pub use expl::{Explicit, ExplicitDomain};
pub use function::{Function, Functions};
pub use precision::Locality;
pub use pred::atoms;
pub use pred::{Mode, Pieces, PredicateConfig, Predicates};
pub use predicate::Predicate;
pub use value::{ValueConfig, ValueDomain};
pub use zones::Zones;

use crate::session::{Halt, Session};
use lariat_expr::{TermId, Terms, VarId};
use lariat_system::{PointId, StmtId};
use std::fmt::Debug;
use std::hash::Hash;

/// An abstraction with a precision that grows.
pub trait Domain {
    /// An abstract state.
    type State: Clone + Eq + Hash + Debug;

    /// Appends the abstract successors of `from` (all values, if none) under a statement that leads to
    /// the model's structural state `at`.
    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&Self::State>,
        stmt: StmtId,
        at: PointId,
        out: &mut Vec<Self::State>,
    ) -> Result<(), Halt>;

    /// Adds what separates the prefixes of an infeasible path from its suffixes; says whether the precision changed.
    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool;

    /// Makes the steps of a path more exact where a finer precision did not help; says whether anything changed. Only
    /// predicates have steps that are less exact than the precision allows.
    fn escalate(&mut self, _stmts: &[StmtId]) -> bool {
        false
    }

    /// Whether the steps of a path are known to be as exact as they can be made.
    fn is_exact(&self, _stmts: &[StmtId]) -> bool {
        false
    }

    /// What an abstract state says, over the variables of the model. It is the same under every later precision.
    fn formula(&self, terms: &mut Terms, state: &Self::State) -> TermId;

    /// Whether every concrete state of `small` is known to be one of `big`. Decided on the representation, without the
    /// solver, so "no" may mean "perhaps".
    fn covers(&self, big: &Self::State, small: &Self::State) -> bool;

    /// What states that cover each other have in common; nothing if it is not worth looking for them.
    fn family(&self, _state: &Self::State) -> Option<u64> {
        None
    }

    /// How much the precision tracks.
    fn precision_size(&self) -> usize;

    /// An abstract state as shown to the user.
    fn describe(&self, session: &Session, state: &Self::State) -> String;

    /// The precision as shown to the user.
    fn describe_precision(&self, session: &Session) -> Vec<String>;
}

/// Why a counterexample is not real.
#[derive(Clone, Copy, Debug)]
pub enum Reason<'a> {
    /// The path cannot be executed: what explains it, and where.
    Infeasible(&'a [Learned]),
    /// The path cannot be executed: the variables that matter for that. Says nothing to a domain
    /// without values.
    Variables(&'a [VarId]),
    /// What supports a ranking argument. Says nothing to a domain without predicates.
    Support(&'a [Learned]),
    /// The loop can be executed but does not return to where it started.
    NotClosing {
        /// The variables that keep it from closing.
        changing: &'a [VarId],
        /// Terms that tell the start of the loop from its end.
        predicates: &'a [TermId],
        /// The model's structural state where the loop starts and ends.
        at: PointId,
    },
}

impl Reason<'_> {
    /// The predicates that it tells, with their places.
    fn learned(&self, terms: &Terms) -> Vec<Learned> {
        match *self {
            Self::Infeasible(learned) | Self::Support(learned) => learned.to_vec(),
            Self::Variables(_) => Vec::new(),
            Self::NotClosing { predicates, at, .. } => {
                let learned = |&term| Learned {
                    predicate: Predicate::new(terms, term),
                    at,
                };
                predicates.iter().map(learned).collect()
            }
        }
    }
}

/// A predicate, and the model's structural state for which it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Learned {
    /// The predicate.
    pub predicate: Predicate,
    /// Where.
    pub at: PointId,
}
