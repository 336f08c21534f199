//! Verification tasks: what is asked of a model, how it is prepared for an engine, and what the answer means for the
//! model as given.

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
mod task;

pub use auto::Form;
pub use confirm::{Confirmed, confirm, letter};
pub use model::{Compose, Model};
pub use pass::Passes;
pub use portfolio::{Attempt, End, MakeSolver, RoundNews};
pub use prepare::Prepared;
pub use property::{Atom, Claim, Property};
pub use task::{Answer, Options, Task, check};
