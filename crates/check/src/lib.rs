//! The engines that decide whether a system satisfies a property.

mod abstraction;
mod acceptance;
mod bits;
mod bounded;
mod cegar;
mod confirm;
mod distance;
mod domain;
mod encode;
mod engine;
mod explicit;
mod explore;
mod explored;
mod facts;
mod fairness;
mod graph;
mod initial;
mod problem;
mod product;
mod proof;
mod rank;
mod reader;
mod reading;
mod refine;
mod region;
mod respond;
mod sat;
mod search;
mod session;
mod shape;
mod shorter;
mod summary;
mod symmetry;
mod verdict;

pub use acceptance::{Acceptance, Mark, MarkSetId, MarkSets, StreettPair, Unsupported};
pub use bits::{Bits, Blasting, NoBits};
pub use bounded::BoundedConfig;
pub use cegar::{CegarConfig, DomainConfig, Listener, Round, check_cegar};
pub use confirm::{confirm, lasso_letters, letter};
pub use domain::{CombinedConfig, ExplicitDomain, Locality, Mode, Pieces, PredicateConfig};
pub use engine::{Engine, Job, Outcome, Setting, Statistics};
pub use explicit::{ExplicitConfig, ExplicitStats, Shorten, check_explicit};
pub use explored::Pruning;
pub use graph::{Arc, Graph, GraphLasso, GraphPath, Hop, NodeId};
pub use initial::InitialPrecision;
pub use problem::{Bad, Goal, Problem};
pub use proof::{Proof, ProofArc, ProofGraph, ProofMeasure, ProofNode};
pub use rank::{Change, Level, Measure, Ranking};
pub use reading::accepting_run;
pub use refine::{LassoRefinement, PathRefinement, Recurrence};
pub use region::{Values, closed_region, find_region, goes_on_in_region, is_closed};
pub use sat::SatConfig;
pub use search::{
    Cutoff, EmptinessCheck, Full, Gdfs, Lassos, Layers, Ndfs, Reach, Scc, Search, UnknownSearch,
    shorten,
};
pub use session::Stats;
pub use shape::{Kind, Shape};
pub use shorter::shorter;
pub use summary::{NoSummary, Summary};
pub use symmetry::Symmetry;
pub use verdict::{Counterexample, Unknown, Verdict};
