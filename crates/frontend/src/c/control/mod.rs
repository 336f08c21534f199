//! Control flow: statements, calls and branches as steps of a graph.

pub(super) mod call;
pub(super) mod edge;
pub(super) mod fault;
pub(super) mod graph;
mod hang;
pub(super) mod hoist;
pub(super) mod statement;
