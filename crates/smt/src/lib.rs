//! The solver layer: what Lariat asks of an SMT solver, and Z3 as the one that answers.
//!
//! Engines see capabilities only ([`Solver`], [`Models`], [`Cores`], [`Interpolate`], together
//! [`Backend`]), so another solver can be added without touching them; the suite in
//! `tests/conformance` is what it must pass. [`Z3`] runs in process; [`Recorder`] wraps any backend and writes what was asked
//! as SMT-LIB text. [`Unroller`] makes the time-indexed copies of variables that encodings need.
//!
//! ```
//! use lariat_expr::Terms;
//! use lariat_smt::{Answer, Cores, Interpolants, Interpolate, Models, Solver, Unroller, Z3};
//!
//! let mut terms = Terms::new();
//! let int = terms.sorts.int();
//! let x = terms.declare("x", int);
//! let mut unroller = Unroller::new();
//! let (x0, x1) = (unroller.var(&mut terms, x, 0), unroller.var(&mut terms, x, 1));
//! let (x0, x1, zero, one) = (terms.var(x0), terms.var(x1), terms.int(0), terms.int(1));
//! let next = terms.add(&[x0, one]);
//! let step = terms.eq(x1, next);
//! let (before, after) = (terms.le(zero, x0), terms.lt(x1, zero));
//!
//! let mut solver = Z3::default();
//! solver.assert(&terms, step);
//! assert_eq!(solver.check(&terms, &[before]), Answer::Sat);
//! assert!(solver.value(&terms, x1).is_some());
//! assert_eq!(solver.check(&terms, &[before, after]), Answer::Unsat);
//! assert_eq!(solver.core(), [before, after]);
//!
//! let Interpolants::Sequence(found) = solver.interpolate(&mut terms, &[before, step, after]) else {
//!     panic!("the path is infeasible");
//! };
//! let predicate = unroller.fold(&mut terms, found[1]);
//! assert_eq!(terms.free_vars(&[predicate]), [x]);
//! ```
//!
//! Invariant of the whole crate: a limit, a cancellation or an incompleteness of the solver is
//! [`Answer::Unknown`], never one of the other answers.

mod interpolant;
mod minimise;
mod record;
mod script;
mod smtlib;
mod statistics;
mod traits;
mod unroll;
mod z3;

pub use crate::z3::{Z3, Z3Config};
pub use interpolant::{InterpolationConfig, Method, check_sequence};
pub use minimise::minimise_core;
pub use record::Recorder;
pub use script::script;
pub use statistics::Statistics;
pub use traits::{
    Answer, Applied, Backend, Cores, HornClause, HornSystem, Interpolants, Interpolate, Models,
    Reason, Solver,
};
pub use unroll::{Indexing, Unroller};
