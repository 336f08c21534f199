//! Runs: executing a step, listing and simulating steps, replaying runs, and telling what a step did.
//!
//! Replay (`trace`, `exec`, `recur`, `affine`, `growth`, `round`) is trusted: a counterexample counts only if it passes there. What finds runs (`successors`
//! with its search for values, `simulate`) is not.

mod affine;
pub(crate) mod exec;
pub(crate) mod explain;
mod follow;
pub(crate) mod growth;
mod layers;
pub(crate) mod play;
pub(crate) mod recur;
mod round;
pub(crate) mod scan;
pub(crate) mod simulate;
pub(crate) mod successors;
pub(crate) mod symbolic;
pub(crate) mod symbols;
pub(crate) mod trace;

pub use exec::{Blocked, Decide, Decision, Executor, MAX_STMTS, Recorded, Valuation};
pub use explain::{Deed, Done, Obstacles, deeds, executed, obstacles};
pub use follow::Follow;
pub use growth::{Growth, Next, grown};
pub use play::{Macrostep, MacrostepEnd, Microstep, Player, active_states, microstep};
pub use recur::{NotRepeatable, repeats_for_ever};
pub use round::RoundFormula;
pub use scan::{ScanEnd, Scanner};
pub use simulate::{Outcome, Simulator};
pub use successors::{Incomplete, Limits, MAX_BITS, Successors, edge_successors, successors};
pub use trace::{Inputs, Lasso, Rejection, Run, State, Step, execute};
