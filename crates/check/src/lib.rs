//! The engines that decide whether a system satisfies a property.

mod graph;
mod problem;
mod verdict;

pub use graph::{Arc, Graph, GraphLasso, GraphPath, Hop, NodeId};
pub use problem::{Bad, Goal, Problem};
pub use verdict::{Counterexample, Unknown, Verdict};
