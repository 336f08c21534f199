//! Transition systems and what can be done with them: run, replay, compose.
//!
//! Every formalism (XSTS, CFA, STS, GCL, compositions of these) is a [`TransitionSystem`]: variables,
//! structural states, and for each structural state the statements that lead on.

mod builder;
mod c_program;
mod chart;
mod compose;
mod dataflow;
mod initial;
mod machine;
mod plc;
mod run;
mod stmt;
mod system;
mod temporal;

pub use builder::SystemBuilder;
pub use c_program::{
    CArrival, CConstant, CField, CFunction, CFunctionId, CHanging, CInput, CInputId, CInt, CLeaf,
    CLinkage, CObject, CPart, CProgram, CRecord, CRecordId, CRole, CType, CTypeId,
};
pub use chart::{
    Chart, ChartCause, ChartData, ChartFiring, ChartKind, ChartSend, ChartSending, ChartSignal,
    ChartState, ChartStep, ChartTime, ChartTransition,
};
pub use compose::{
    Alternate, ComposeError, Composition, Interleave, Observe, Schedule, reachable_locations,
};
pub use dataflow::{Vars, live_at_start, live_before, live_variables, shared_variables};
pub use initial::Initial;
pub use machine::{
    Bail, Choice, Machine, Predicates, Program, Registers, Unsupported, from_register, to_register,
};
pub use plc::{Plc, PlcConstant, PlcLeaf, PlcType};
pub use run::{
    Blocked, Decide, Decision, Deed, Done, Executor, Follow, Growth, Incomplete, Inputs, Lasso,
    Limits, MAX_BITS, MAX_STMTS, Macrostep, MacrostepEnd, Microstep, Next, NotRepeatable,
    Obstacles, Outcome, Player, Recorded, Rejection, RoundFormula, Run, ScanEnd, Scanner,
    Simulator, State, Step, Successors, Valuation, active_states, deeds, edge_successors, execute,
    executed, grown, microstep, obstacles, repeats_for_ever, successors,
};
pub use stmt::{Stmt, StmtId, StmtList, Stmts};
pub use system::{
    Context, Edge, Fairness, Language, LocId, LocRole, Location, NameId, PointId, Property,
    PropertyBody, System, TransitionSystem, Variable,
};
pub use temporal::{BinaryTemporal, Temporal, TemporalId, TemporalNode, UnaryTemporal};
