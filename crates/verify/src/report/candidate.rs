//! What could be neither confirmed nor excluded: the run of the abstraction that an attempt looked at last.

use super::place;
use super::run::snippet;
use lariat_base::{SourceMap, Span};
use lariat_check::Candidate;
use serde::Serialize;

/// A run that would refute the property, if it could be executed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CandidateReport {
    /// What it does up to the bad state, or to the loop.
    pub stem: Vec<CandidateStep>,
    /// What it does once round the loop; nothing of a path to a bad state.
    #[serde(rename = "loop")]
    pub cycle: Vec<CandidateStep>,
    /// Whether it is longer than what is told.
    pub cut: bool,
}

/// A statement along it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CandidateStep {
    /// `file:line` of the statement.
    pub source: String,
    /// Its text, in one line.
    pub action: String,
}

impl CandidateReport {
    /// A candidate, unless nothing of it has a place in the source.
    pub(super) fn new(sources: &SourceMap, candidate: &Candidate) -> Option<Self> {
        let report = Self {
            stem: steps(sources, &candidate.stem),
            cycle: steps(sources, &candidate.cycle),
            cut: candidate.cut,
        };
        (!report.stem.is_empty() || !report.cycle.is_empty()).then_some(report)
    }
}

/// The statements at some places; what passes made of one statement stands there once.
fn steps(sources: &SourceMap, places: &[Span]) -> Vec<CandidateStep> {
    let steps = places.iter().map(|&span| CandidateStep {
        source: place(sources, span),
        action: snippet(sources, span),
    });
    let mut steps: Vec<CandidateStep> = steps.collect();
    steps.dedup();
    steps
}
