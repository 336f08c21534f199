//! A report is data: everything that a person or a program may want to know about an answer. Text, JSON and pages render
//! it and nothing else.

mod candidate;
mod changes;
mod chart;
mod columns;
mod fold;
mod formula;
mod growth;
mod inputs;
mod measures;
mod note;
mod proof;
mod run;
mod state;
mod unknown;
mod value;
mod why;
mod wording;

pub use candidate::{CandidateReport, CandidateStep};
pub use changes::{Changes, Constant, KeptClock, Merge};
pub use chart::{ChartMessage, ChartMove};
pub use columns::Column;
pub use fold::{FoldReport, FoldRow, folds};
pub use formula::{AutomatonEdge, AutomatonReport, PartReport};
pub use growth::{GrowingVariable, GrowthReport};
pub use inputs::{Input, Inputs};
pub use measures::{LevelReport, MeasureReport};
pub use note::NoteReport;
pub use proof::{LocationReport, ProofNodeReport, ProofReport};
pub use run::{RunReport, StepReport, VariableReport};
pub use state::Values;
pub use unknown::{UnknownReport, shortened};
pub use value::ValueReport;
pub use why::{FactReport, ReasonReport, Timeline, WhyReport};

use crate::asked::Asked;
use crate::label;
use crate::model::Model;
use crate::portfolio::{Attempt, End};
use crate::property::Property;
use crate::task::Answer;
use lariat_base::SourceMap;
use lariat_check::{Statistics, Stats, Verdict};
use lariat_system::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

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
    /// Which runs count, in words; empty if all do.
    pub fairness: Vec<String>,
    /// `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Why it is unknown.
    pub reason: Option<String>,
    /// What the reader of the verdict should know.
    pub notes: Vec<NoteReport>,
    /// What stood in the way, and what is likely to help, if it is unknown.
    pub unknown: Option<UnknownReport>,
    /// Seconds of wall time.
    pub time_s: f64,
    /// The engine that decided (or was the last to try) and its settings.
    pub settings: BTreeMap<&'static str, Setting>,
    /// For a portfolio: the shape of the model that it was chosen by.
    pub shape: Option<String>,
    /// What was tried.
    pub attempts: Vec<AttemptReport>,
    /// What all attempts did together.
    pub statistics: StatisticsReport,
    /// Why loops end, if the property holds by that.
    pub measures: Vec<MeasureReport>,
    /// What the proof rests on, if it holds.
    pub proof: Option<ProofReport>,
    /// The run that refutes the property.
    pub counterexample: Option<RunReport>,
    /// What came in from outside during the run of a C program.
    pub inputs: Option<Inputs>,
    /// The same up to where the property is broken for good, if it is.
    #[serde(skip)]
    pub inputs_until_broken: Option<Inputs>,
}

/// What was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// How many rounds of refinement it made.
    pub rounds: Option<u64>,
    /// What was found in the last of them, in words.
    pub last_round: Option<String>,
    /// The run that was looked at last, if the attempt decided nothing.
    pub candidate: Option<CandidateReport>,
    /// How many states there were at its end, as far as it told.
    pub states: Option<u64>,
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
    /// States of the last exploration: one for each class, if states were merged.
    pub states: u64,
    /// What was exchanged in states that counted as one; empty if each counted.
    pub symmetries: Vec<String>,
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
    /// Lassos that were found real by following must steps.
    pub must_lassos: u64,
    /// Steps of the last abstraction (`--approach may-must`).
    pub may_steps: u64,
    /// Those among them that every state of their class can take.
    pub must_steps: u64,
    /// Seconds spent in exploring.
    pub exploring_s: f64,
    /// Seconds spent in testing and refining.
    pub refining_s: f64,
    /// Seconds of processor time that the process has used since its start, where the system tells.
    pub process_cpu_s: Option<f64>,
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
            let own = attempt.engine.settings(property.is_temporal()).into_iter();
            settings.extend(own.map(|(name, value)| (name, Setting::from(value))));
            settings.insert("form", Setting::Name(attempt.form.name()));
        }
        let attempts = answer.attempts.iter().enumerate();
        let attempts = attempts.map(|(i, attempt)| {
            let about_cuts = i >= answer.about_cuts;
            AttemptReport::new(sources, attempt, about_cuts)
        });
        let run = RunReport::new(cx, sources, model, property, answer);
        Self {
            property: PropertyReport::new(property),
            changes: Changes::new(cx, model, &answer.passes),
            fairness: if property.is_temporal() {
                model.fairness_in_words(cx)
            } else {
                Vec::new()
            },
            verdict,
            reason,
            notes: answer
                .notes
                .iter()
                .map(|note| NoteReport::new(cx, model, note))
                .collect(),
            unknown: UnknownReport::new(cx, model, property, answer),
            time_s: answer.time.as_secs_f64(),
            settings,
            shape: answer.shape.as_ref().map(ToString::to_string),
            attempts: attempts.collect(),
            statistics: StatisticsReport::new(answer),
            measures: answer
                .proof
                .as_ref()
                .map_or_else(Vec::new, |proved| MeasureReport::all(sources, proved)),
            proof: answer.proof.as_ref().map(ProofReport::new),
            inputs_until_broken: run.as_ref().and_then(|run| {
                let (n, found) = run.n_broken.zip(answer.counterexample())?;
                Inputs::new(cx, sources, model, &found.prefix(n))
            }),
            counterexample: run,
            inputs: match &answer.verdict {
                Verdict::Violated(found) => Inputs::new(cx, sources, model, found),
                Verdict::Holds | Verdict::Unknown(_) => None,
            },
        }
    }

    /// The report on a property of which nothing is known but why, after some time.
    pub fn undecided(property: PropertyReport, why: String, time: Duration) -> Self {
        Self {
            property,
            changes: Changes::default(),
            fairness: Vec::new(),
            verdict: "unknown",
            reason: Some(why),
            time_s: time.as_secs_f64(),
            settings: BTreeMap::new(),
            shape: None,
            attempts: Vec::new(),
            statistics: StatisticsReport::default(),
            measures: Vec::new(),
            proof: None,
            counterexample: None,
            inputs: None,
            inputs_until_broken: None,
            unknown: None,
            notes: Vec::new(),
        }
    }
}

impl PropertyReport {
    /// What a property says.
    pub fn new(property: &Property) -> Self {
        Self {
            name: property.name.clone(),
            text: property.text.clone(),
        }
    }

    /// What a question asks.
    pub fn of(asked: &Asked) -> Self {
        Self {
            name: asked.name().to_owned(),
            text: asked.text().to_owned(),
        }
    }
}

impl AttemptReport {
    fn new(sources: &SourceMap, attempt: &Attempt, about_cuts: bool) -> Self {
        let form = attempt.form.words();
        let last = attempt.last_round.as_ref();
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
            rounds: last.map(|last| last.number),
            last_round: last.map(|last| last.outcome.clone()),
            candidate: last
                .and_then(|last| last.candidate.as_ref())
                .filter(|_| !matches!(attempt.end, End::Holds | End::Violated))
                .and_then(|candidate| CandidateReport::new(sources, candidate)),
            states: attempt.statistics.as_ref().map(|stats| match stats {
                Statistics::Explicit(stats) => stats.states,
                Statistics::Cegar(stats) => stats.nodes,
            }),
            time_s: attempt.time.as_secs_f64(),
            work: attempt.work,
        }
    }
}

impl StatisticsReport {
    /// The sum over all attempts. What is left at the end (states of the last exploration, settled ones, what is tracked)
    /// is that of the attempt that decided, or of the last one.
    fn new(answer: &Answer) -> Self {
        let last = Self::of(&answer.statistics);
        let own = |attempt: &Attempt| attempt.statistics.as_ref().map(Self::of);
        let all = answer.attempts.iter().filter_map(own);
        let sum = all.fold(Self::default(), Self::plus);
        Self {
            states: last.states,
            symmetries: last.symmetries,
            settled_states: last.settled_states,
            precision: last.precision,
            may_steps: last.may_steps,
            must_steps: last.must_steps,
            process_cpu_s: lariat_base::cpu_time().map(|time| time.as_secs_f64()),
            peak_memory_bytes: lariat_base::peak_memory(),
            ..sum
        }
    }

    fn of(statistics: &Statistics) -> Self {
        match statistics {
            Statistics::Explicit(stats) => Self {
                states: stats.states,
                symmetries: stats.symmetries.clone(),
                total_states: stats.states,
                ..Self::default()
            },
            Statistics::Cegar(stats) => Self::of_cegar(stats),
        }
    }

    /// The counters of both.
    fn plus(self, other: Self) -> Self {
        Self {
            iterations: self.iterations + other.iterations,
            total_states: self.total_states + other.total_states,
            kept_states: self.kept_states + other.kept_states,
            posts: self.posts + other.posts,
            cached_posts: self.cached_posts + other.cached_posts,
            checks: self.checks + other.checks,
            post_checks: self.post_checks + other.post_checks,
            guard_checks: self.guard_checks + other.guard_checks,
            queried_predicates: self.queried_predicates + other.queried_predicates,
            interpolations: self.interpolations + other.interpolations,
            must_lassos: self.must_lassos + other.must_lassos,
            exploring_s: self.exploring_s + other.exploring_s,
            refining_s: self.refining_s + other.refining_s,
            ..self
        }
    }

    fn of_cegar(stats: &Stats) -> Self {
        Self {
            iterations: stats.iterations,
            states: stats.nodes,
            symmetries: Vec::new(),
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
            must_lassos: stats.must_lassos,
            may_steps: stats.may_steps,
            must_steps: stats.must_steps,
            exploring_s: stats.exploring.as_secs_f64(),
            refining_s: stats.refining.as_secs_f64(),
            process_cpu_s: None,
            peak_memory_bytes: None,
        }
    }
}

/// `file:line` of a place.
fn place(sources: &SourceMap, span: lariat_base::Span) -> String {
    label::place(sources, span)
}
