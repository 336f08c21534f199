//! Verification tasks: what is asked of a model, how it is prepared for an engine, and what the answer means for the
//! model as given.

mod ask;
mod auto;
mod confirm;
pub mod label;
mod lift;
mod model;
pub mod pass;
mod portfolio;
mod prepare;
mod property;
pub mod report;
mod specification;
mod task;

pub use ask::{Asker, Findings, NO_AUTOMATON, NO_PROPERTY};
pub use auto::Form;
pub use confirm::{Confirmed, confirm, letter};
pub use model::{Compose, Model};
pub use pass::Passes;
pub use portfolio::{Attempt, End, MakeSolver, RoundNews};
pub use prepare::Prepared;
pub use property::{Atom, Claim, Property};
pub use specification::asks_for_overflow;
pub use task::{Answer, Options, Proved, Task, check};
