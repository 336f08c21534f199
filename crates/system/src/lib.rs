//! Transition systems and what can be done with them: run, replay, compose.
//!
//! Every formalism (XSTS, CFA, STS, GCL, compositions of these) is a [`TransitionSystem`]: variables,
//! structural states, and for each structural state the statements that lead on.

mod builder;
mod c_program;
mod compile;
mod compose;
mod dataflow;
mod exec;
mod explain;
mod initial;
mod machine;
mod recur;
mod simulate;
mod stmt;
mod successors;
mod symbolic;
mod symbols;
mod system;
mod trace;

pub use builder::SystemBuilder;
pub use c_program::{
    CArrival, CConstant, CField, CFunction, CFunctionId, CInput, CInputId, CInt, CLeaf, CLinkage,
    CObject, CPart, CProgram, CRecord, CRecordId, CRole, CType, CTypeId,
};
pub use compose::{
    Alternate, ComposeError, Composition, Interleave, Observe, Schedule, reachable_locations,
};
pub use dataflow::{Vars, live_at_start, live_before, live_variables, shared_variables};
pub use exec::{Blocked, Decide, Decision, Executor, MAX_STMTS, Recorded, Valuation};
pub use explain::{Deed, Done, Obstacles, deeds, executed, obstacles};
pub use initial::Initial;
pub use machine::{
    Bail, Choice, Machine, Predicates, Program, Unsupported, from_register, to_register,
};
pub use recur::{NotRepeatable, repeats_for_ever};
pub use simulate::{Outcome, Simulator};
pub use stmt::{Stmt, StmtId, StmtList, Stmts};
pub use successors::{Incomplete, Limits, Successors, edge_successors, successors};
pub use system::{
    Context, Edge, Fairness, Language, LocId, LocRole, Location, NameId, PointId, Property,
    PropertyBody, System, TransitionSystem, Variable,
};
pub use trace::{Lasso, Rejection, Run, State, Step};
