//! What engines may ask of a solver, one trait per capability.
//!
//! A function that only checks takes `&mut dyn Solver`, one that also reads a model `&mut dyn Models`:
//! the signature says what a backend must be able to do. All traits can be used as `dyn`.
//!
//! A backend serves one [`Terms`] store for its whole life, the one it is first given: it remembers the
//! translation of every [`TermId`].

use crate::{Method, Statistics};
use lariat_base::{Budget, Stop};
use lariat_expr::{TermId, Terms, Value, VarId};
use std::fmt;

/// The answer to a satisfiability check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// Not decided; nothing may be concluded.
    Unknown(Reason),
}

/// Why a question was not answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// A limit of the budget, or a cancellation.
    Stopped(Stop),
    /// The solver gave up; in its own words.
    Incomplete(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(stop) => stop.fmt(f),
            Self::Incomplete(why) => write!(f, "the solver gave up ({why})"),
        }
    }
}

/// Assertions in scopes, checked under assumptions.
pub trait Solver {
    /// Opens a scope.
    fn push(&mut self);
    /// Closes the innermost scope: forgets what was asserted in it. Panics if none is open.
    fn pop(&mut self);
    /// Asserts a Boolean term in the innermost scope.
    fn assert(&mut self, terms: &Terms, term: TermId);
    /// Whether the assertions and the assumptions (any Boolean terms) have a common model.
    ///
    /// A term that is assumed often should be the same term each time: it is then translated and
    /// handed to the solver only once per scope.
    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer;
    /// The same with a small effort: unknown if it takes more than so many of the solver's steps (some 5 million are a
    /// second). How many are needed does not depend on the machine.
    fn check_briefly(&mut self, terms: &Terms, assumptions: &[TermId], steps: u32) -> Answer;
    /// What checks and interpolations may use from now on.
    fn set_budget(&mut self, budget: &Budget);
    /// What was done so far.
    fn statistics(&self) -> &Statistics;
}

/// Values of terms in the model of the last check.
pub trait Models: Solver {
    /// The value of a term in one fixed model of the last check, which must have been answered
    /// [`Answer::Sat`] with nothing asserted or popped since. Nothing if the value is none of
    /// [`Value`] (an irrational root of a polynomial).
    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value>;
}

/// Unsatisfiable subsets of the assumptions of the last check.
pub trait Cores: Solver {
    /// A subset of the assumptions of the last check, which must have been answered
    /// [`Answer::Unsat`], that is unsatisfiable together with the assertions; in the order they were
    /// assumed. Not necessarily minimal; see [`minimise_core`](crate::minimise_core).
    fn core(&mut self) -> Vec<TermId>;
}

/// The answer to an interpolation request for `A_1 … A_n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interpolants {
    /// `I_1 … I_{n-1}`: with `I_0 = true` and `I_n = false`, each `I_{k-1} ∧ A_k` implies `I_k`, and
    /// `I_k` has only variables that occur both in some `A_i` with `i ≤ k` and in some with `i > k`.
    Sequence(Vec<TermId>),
    /// The conjunction has a model: there is no interpolant.
    Satisfiable,
    /// Not decided, or no interpolant was found.
    Unknown(Reason),
}

/// Interpolation, independent of the assertions of the solver.
pub trait Interpolate: Solver {
    /// Sequence interpolants of `parts`; with two parts the usual binary interpolant.
    fn interpolate(&mut self, terms: &mut Terms, parts: &[TermId]) -> Interpolants;
    /// The same by one method only, whatever the settings of the backend; unknown if that method fails.
    fn interpolate_by(
        &mut self,
        method: Method,
        terms: &mut Terms,
        parts: &[TermId],
    ) -> Interpolants;
    /// A formula for each relation, over its variables, that makes every clause true.
    fn solve_horn(&mut self, terms: &mut Terms, system: &HornSystem)
    -> Result<Vec<TermId>, Reason>;
}

/// Constrained Horn clauses: what relations must satisfy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HornSystem {
    /// The variables of each relation: a solution is a formula over them.
    pub relations: Vec<Vec<VarId>>,
    /// The clauses.
    pub clauses: Vec<HornClause>,
}

/// For all values of all variables: `from ∧ step → to`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HornClause {
    /// The relation that holds before; if none, anything does.
    pub from: Option<Applied>,
    /// What happens.
    pub step: TermId,
    /// The relation that holds after; if none, the step must be impossible.
    pub to: Option<Applied>,
}

/// A relation of variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Which relation.
    pub relation: usize,
    /// Of which variables: as many as it has, of the same sorts.
    pub args: Vec<VarId>,
}

/// Every capability.
pub trait Backend: Models + Cores + Interpolate {}

impl<B: Models + Cores + Interpolate> Backend for B {}
