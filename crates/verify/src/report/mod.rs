//! A report is data: everything that a person or a program may want to know about an answer. Text, JSON and pages render
//! it and nothing else.

mod changes;
mod growth;
mod inputs;
mod measures;
mod run;
mod why;

pub use changes::{Changes, Constant, Merge};
pub use growth::{GrowingVariable, GrowthReport};
pub use inputs::{Input, Inputs};
pub use measures::{LevelReport, MeasureReport};
pub use run::{RunReport, StepReport};
pub use why::{FactReport, ReasonReport, Timeline, WhyReport};

use crate::label;
use crate::model::Model;
use crate::portfolio::{Attempt, End};
use crate::property::Property;
use crate::task::Answer;
use lariat_base::SourceMap;
use lariat_check::{Statistics, Stats, Verdict};
use lariat_system::Context;
use serde::Serialize;
use std::collections::BTreeMap;

/// The value of a setting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum Setting {
    /// A name.
    Name(&'static str),
    /// A number, if it is set.
    Number(Option<usize>),
}

impl From<lariat_check::Setting> for Setting {
    fn from(setting: lariat_check::Setting) -> Self {
        match setting {
            lariat_check::Setting::Name(name) => Self::Name(name),
            lariat_check::Setting::Number(number) => Self::Number(number),
        }
    }
}

/// What is known about one property.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was asked.
    pub property: PropertyReport,
    /// What was done to the model before.
    #[serde(flatten)]
    pub changes: Changes,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// Seconds of wall time.
    pub time_s: f64,
    /// The engine that decided (or was the last to try) and its settings.
    pub settings: BTreeMap<&'static str, Setting>,
    /// For a portfolio: the shape of the model that it was chosen by.
    pub shape: Option<String>,
    /// What was tried.
    pub attempts: Vec<AttemptReport>,
    /// What the last attempt did.
    pub statistics: StatisticsReport,
    /// Why loops end, if the property holds by that.
    pub measures: Vec<MeasureReport>,
    /// The run that refutes the property.
    pub counterexample: Option<RunReport>,
    /// What came in from outside during the run of a C program.
    pub inputs: Option<Inputs>,
}

/// What was asked.
#[derive(Clone, Debug, Serialize)]
pub struct PropertyReport {
    /// The property's name; may be empty.
    pub name: String,
    /// What it says, as it was understood.
    pub text: String,
}

/// How one attempt fared.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptReport {
    /// The engine and the form of the model, in words.
    pub what: String,
    /// How it ended, in words.
    pub end: String,
    /// Whether it was still at work when the check ended.
    pub unfinished: bool,
    /// The time that its turns took.
    pub time_s: f64,
    /// The work that it did; a unit is about a microsecond.
    pub work: u64,
}

/// What an engine did.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StatisticsReport {
    /// Rounds of the refinement loop.
    pub iterations: u64,
    /// States of the last exploration.
    pub states: u64,
    /// States expanded in all rounds.
    pub total_states: u64,
    /// States kept by refinements.
    pub kept_states: u64,
    /// States settled for good.
    pub settled_states: u64,
    /// Tracked predicates or variables.
    pub precision: u64,
    /// Abstract successor computations.
    pub posts: u64,
    /// Those answered from the cache.
    pub cached_posts: u64,
    /// Solver checks.
    pub checks: u64,
    /// Those for abstract successors.
    pub post_checks: u64,
    /// Those that asked about no predicate.
    pub guard_checks: u64,
    /// Predicates asked about.
    pub queried_predicates: u64,
    /// Interpolations.
    pub interpolations: u64,
    /// Seconds spent in exploring.
    pub exploring_s: f64,
    /// Seconds spent in testing and refining.
    pub refining_s: f64,
    /// The most memory that the process has held, where the system tells.
    pub peak_memory_bytes: Option<u64>,
}

impl Report {
    /// The report of an answer about `model`.
    pub fn new(
        cx: &Context,
        sources: &SourceMap,
        model: &mut Model,
        property: &Property,
        answer: &Answer,
    ) -> Self {
        let (verdict, reason) = match &answer.verdict {
            Verdict::Holds => ("holds", None),
            Verdict::Unknown(why) => ("unknown", Some(why.to_string())),
            Verdict::Violated(_) => ("violated", None),
        };
        let ran = answer.decided_by.or(answer.about_cuts.checked_sub(1));
        let mut settings: BTreeMap<&'static str, Setting> = BTreeMap::new();
        if let Some(attempt) = ran.and_then(|at| answer.attempts.get(at)) {
            let own = attempt.engine.settings().into_iter();
            settings.extend(own.map(|(name, value)| (name, Setting::from(value))));
        }
        let attempts = answer.attempts.iter().enumerate();
        let attempts = attempts.map(|(i, attempt)| {
            let about_cuts = i >= answer.about_cuts;
            AttemptReport::new(attempt, about_cuts)
        });
        Self {
            property: PropertyReport {
                name: property.name.clone(),
                text: property.text.clone(),
            },
            changes: Changes::new(cx, model, &answer.passes),
            verdict,
            reason,
            time_s: answer.time.as_secs_f64(),
            settings,
            shape: answer.shape.as_ref().map(ToString::to_string),
            attempts: attempts.collect(),
            statistics: StatisticsReport::new(&answer.statistics),
            measures: answer
                .proof
                .as_ref()
                .map_or_else(Vec::new, |proved| MeasureReport::all(sources, proved)),
            counterexample: RunReport::new(cx, sources, model, property, answer),
            inputs: match &answer.verdict {
                Verdict::Violated(found) => Inputs::new(cx, sources, model, found),
                Verdict::Holds | Verdict::Unknown(_) => None,
            },
        }
    }
}

impl AttemptReport {
    fn new(attempt: &Attempt, about_cuts: bool) -> Self {
        let form = attempt.form.words();
        let about = if about_cuts {
            ", looking for deeper recursion"
        } else {
            ""
        };
        Self {
            what: format!("{}{form}{about}", attempt.engine.describe()),
            end: match &attempt.end {
                End::Holds => "holds".into(),
                End::Violated => "violated".into(),
                End::GaveUp(why) => format!("unknown: {why}"),
                End::Unfinished => "unfinished".into(),
            },
            unfinished: attempt.end == End::Unfinished,
            time_s: attempt.time.as_secs_f64(),
            work: attempt.work,
        }
    }
}

impl StatisticsReport {
    fn new(statistics: &Statistics) -> Self {
        let peak_memory_bytes = lariat_base::peak_memory();
        match statistics {
            Statistics::Explicit(stats) => Self {
                states: stats.states,
                total_states: stats.states,
                peak_memory_bytes,
                ..Self::default()
            },
            Statistics::Cegar(stats) => Self {
                peak_memory_bytes,
                ..Self::of_cegar(stats)
            },
        }
    }

    fn of_cegar(stats: &Stats) -> Self {
        Self {
            iterations: stats.iterations,
            states: stats.nodes,
            total_states: stats.total_nodes,
            kept_states: stats.kept_nodes,
            settled_states: stats.settled_nodes,
            precision: stats.precision,
            posts: stats.posts,
            cached_posts: stats.cached_posts,
            checks: stats.checks,
            post_checks: stats.post_checks,
            guard_checks: stats.guard_checks,
            queried_predicates: stats.queried_predicates,
            interpolations: stats.interpolations,
            exploring_s: stats.exploring.as_secs_f64(),
            refining_s: stats.refining.as_secs_f64(),
            peak_memory_bytes: None,
        }
    }
}

/// `file:line` of a place.
fn place(sources: &SourceMap, span: lariat_base::Span) -> String {
    label::place(sources, span)
}
