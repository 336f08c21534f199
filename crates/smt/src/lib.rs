//! The solver layer: what Lariat asks of an SMT solver, and Z3 as the one that answers.
//!
//! Engines see capabilities only ([`Solver`], [`Models`], [`Cores`], [`Interpolate`], together
//! [`Backend`]), so another solver can be added without touching them; the suite in
//! `tests/conformance` is what it must pass. [`Z3`] runs in process; [`Recorder`] wraps any backend and writes what was asked
//! as SMT-LIB text. [`Unroller`] makes the time-indexed copies of variables that encodings need.
//!
//! Invariant of the whole crate: a limit, a cancellation or an incompleteness of the solver is
//! [`Answer::Unknown`], never one of the other answers.

mod interpolant;
mod minimise;
mod record;
mod smtlib;
mod statistics;
mod traits;
mod unroll;
mod z3;

pub use crate::z3::{Z3, Z3Config};
pub use interpolant::{InterpolationConfig, check_sequence};
pub use minimise::minimise_core;
pub use record::Recorder;
pub use statistics::Statistics;
pub use traits::{Answer, Backend, Cores, Interpolants, Interpolate, Models, Reason, Solver};
pub use unroll::{Indexing, Unroller};
