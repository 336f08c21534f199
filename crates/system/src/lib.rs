//! Transition systems and what can be done with them: run, replay, compose.
//!
//! Every formalism (XSTS, CFA, STS, GCL, compositions of these) is a [`TransitionSystem`]: variables,
//! structural states, and for each structural state the statements that lead on.

mod blocks;
mod c_program;
mod compile;
mod compose;
mod constants;
mod deadlock;
mod exec;
mod exists;
mod explain;
mod functional;
mod liveness;
mod locate;
mod machine;
mod merge;
mod reduce;
mod simulate;
mod slice;
mod stmt;
mod successors;
mod symbolic;
mod symbols;
mod system;
mod trace;

pub use blocks::{View, merge_blocks};
pub use c_program::{
    CConstant, CField, CInt, CLeaf, CObject, CProgram, CRecord, CRecordId, CType, CTypeId,
};
pub use compose::{
    Alternate, ComposeError, Composition, Interleave, Observe, Schedule, reachable_locations,
};
pub use constants::{Constants, propagate_constants};
pub use deadlock::{Deadlock, Opaque};
pub use exec::{Blocked, Decide, Decision, Executor, MAX_STMTS, Recorded, Valuation};
pub use explain::{Deed, Done, Obstacles, deeds, executed, obstacles};
pub use functional::make_functional;
pub use liveness::forget_dead;
pub use machine::{
    Bail, Choice, Machine, Predicates, Program, Unsupported, from_register, to_register,
};
pub use merge::{Merged, merge_values};
pub use reduce::{Reduction, reduce};
pub use simulate::{Outcome, Simulator};
pub use slice::{Sliced, slice};
pub use stmt::{Stmt, StmtId, StmtList, Stmts};
pub use successors::{Incomplete, Limits, Successors, edge_successors, successors};
pub use system::{
    Context, Edge, Language, LocId, LocRole, Location, NameId, Property, PropertyBody, System,
    TransitionSystem, Variable,
};
pub use trace::{Lasso, Rejection, Run, State, Step};
