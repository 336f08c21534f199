//! Transition systems and what can be done with them: run, replay, compose.
//!
//! Every formalism (XSTS, CFA, STS, GCL, compositions of these) is a [`TransitionSystem`]: variables,
//! structural states, and for each structural state the statements that lead on.

mod stmt;
mod system;

pub use stmt::{Stmt, StmtId, StmtList, Stmts};
pub use system::{
    Context, Edge, Language, LocId, LocRole, Location, NameId, Property, PropertyBody, System, TransitionSystem,
    Variable,
};
