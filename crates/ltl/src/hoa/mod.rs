//! The Hanoi omega-automata format (HOA), version 1 whole and 1.1's negated properties.
//!
//! Reading has two levels. [`read_hoa`] gives each automaton of a stream as plain data, faithful to
//! the text: any acceptance condition, alternation, aliases, implicit labels. [`HoaAutomaton::to_buchi`]
//! then makes our own [`Automaton`](crate::Automaton) of it or says why that cannot be. Writing goes
//! the same way back: [`HoaAutomaton::from_buchi`], then [`Display`](std::fmt::Display).
//!
//! Invariant: what is displayed reads back as the same data.
//! Rejected: the `hoars` crate reads 17 of our 31 test files.

mod body;
mod convert;
mod cover;
mod expression;
mod lex;
mod read;
mod write;

pub use convert::HoaError;
pub use expression::{AccAtom, Expression, Item, LabelAtom};
pub use read::{HoaStream, read_hoa};

/// A label over the automaton's propositions.
pub type Label = Expression<LabelAtom>;

/// An acceptance condition.
pub type AcceptanceCondition = Expression<AccAtom>;

/// An automaton as its text says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaAutomaton {
    /// The format's version, such as `v1`.
    pub version: String,
    /// `name:`.
    pub name: Option<String>,
    /// `tool:` and its version.
    pub tool: Option<(String, Option<String>)>,
    /// `States:`.
    pub n_states: Option<u32>,
    /// Every `Start:`, a conjunction of states.
    pub starts: Vec<Vec<u32>>,
    /// The names of the propositions.
    pub aps: Vec<String>,
    /// `Alias:` definitions, without the `@`.
    pub aliases: Vec<(String, Label)>,
    /// The words of `acc-name:`; informative only.
    pub acc_name: Vec<String>,
    /// The number of acceptance sets.
    pub n_sets: u32,
    /// The acceptance condition.
    pub acceptance: AcceptanceCondition,
    /// The words of `properties:`, with `!` in front of the negated ones.
    pub properties: Vec<String>,
    /// Other headers and their words, as written.
    pub other_headers: Vec<(String, Vec<String>)>,
    /// The states of the body.
    pub states: Vec<HoaState>,
}

/// A state and the edges that leave it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaState {
    /// The number of the state.
    pub id: u32,
    /// A label for all its edges.
    pub label: Option<Label>,
    /// Its name.
    pub name: Option<String>,
    /// Its acceptance sets.
    pub marks: Vec<u32>,
    /// Its edges.
    pub edges: Vec<HoaEdge>,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoaEdge {
    /// Its label; without one it is implicit or the state's.
    pub label: Option<Label>,
    /// The states it leads to; more than one is a conjunction.
    pub targets: Vec<u32>,
    /// Its acceptance sets.
    pub marks: Vec<u32>,
}
