//! The engines that decide whether a system satisfies a property.

mod abstraction;
mod cegar;
mod confirm;
mod domain;
mod encode;
mod engine;
mod graph;
mod problem;
mod product;
mod refine;
mod search;
mod summary;
mod verdict;

pub use cegar::{CegarConfig, DomainConfig, InitialPrecision, Listener, Round, check_cegar};
pub use confirm::confirm;
pub use domain::{ExplicitConfig as ExplicitDomain, Mode, Pieces, PredicateConfig};
pub use engine::Stats;
pub use graph::{Arc, Graph, GraphLasso, GraphPath, Hop, NodeId};
pub use problem::{Bad, Goal, Problem};
pub use search::{EmptinessCheck, Gdfs, Ndfs, Reach, Scc, Search, UnknownSearch, shorten};
pub use verdict::{Counterexample, Unknown, Verdict};
