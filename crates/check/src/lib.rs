//! The engines that decide whether a system satisfies a property.

mod abstraction;
mod acceptance;
mod bits;
mod boolean;
mod bounded;
mod candidate;
mod cegar;
mod classes;
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
mod must;
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
mod trace;
mod verdict;

pub use acceptance::{Acceptance, Mark, MarkSetId, MarkSets, StreettPair, Unsupported};
pub use bits::{Bits, Blasting, NoBits};
pub use boolean::{
    AbstractStep, BooleanAbstraction, Class, ClassId, abstract_by_predicates, merge_truths,
};
pub use bounded::BoundedConfig;
pub use candidate::Candidate;
pub use cegar::{Approach, CegarConfig, DomainConfig, Listener, Round, check_cegar};
pub use confirm::{confirm, lasso_letters, letter};
pub use domain::atoms as atoms_of;
pub use domain::{
    CombinedConfig, ExplicitDomain, Function, Functions, Locality, Mode, Pieces, PredicateConfig,
    ValueConfig,
};
pub use engine::{Engine, Job, Outcome, Setting, Statistics};
pub use explicit::{ExplicitConfig, ExplicitStats, Shorten, check_explicit};
pub use explored::Pruning;
pub use graph::{Arc, Graph, GraphLasso, GraphPath, Hop, NodeId};
pub use initial::InitialPrecision;
pub use problem::{Bad, Goal, Problem};
pub use proof::{
    Obligation, PlainArc, Proof, ProofArc, ProofGraph, ProofMeasure, ProofNode, Subtracted,
};
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
pub use trace::{Complement, TraceConfig};
pub use verdict::{Counterexample, Unknown, Verdict};
