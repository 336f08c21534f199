//! `--explain`: in plain words what was chosen and why, what was tried, and why each attempt ended.
//!
//! This tells what the report says (the shape of the model, the attempts), so it stays true when the rule of
//! `--engine auto` changes.

use super::CheckArgs;
use crate::options::Opt;
use lariat_check::Kind;
use lariat_verify::Form;
use lariat_verify::report::{
    AttemptReport, CandidateReport, CandidateStep, Report, StatisticsReport,
};

/// So many statements of a candidate are told, from where it starts and once round its loop.
const MAX_STATEMENTS: usize = 8;

/// The explanation of a report.
pub fn lines(args: &CheckArgs, report: &Report) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, which) in report.changes.rows() {
        lines.push(format!("before the check, {what}: {which}"));
    }
    match (args.engine.is(Opt::Engine, "auto"), &report.shape) {
        (true, Some(shape)) => {
            lines.push(format!("the model has {shape}"));
            lines.extend(advice(shape).map(|advice| format!("so {advice}")));
        }
        (true, None) => lines.push("the engine chose by itself".into()),
        (false, _) => {
            lines.push("the options chose the engine: nothing else is tried".into());
        }
    }
    let tried = |form: Form| {
        let attempts = report.attempts.iter();
        attempts
            .filter(|attempt| attempt.what.contains(form.words()))
            .count()
            > 0
    };
    if tried(Form::WholeRelations) {
        lines.push("its steps are relations: split into cases, and whole".into());
    }
    if tried(Form::CutSteps) {
        lines
            .push("its states hold inputs: each step computes first and chooses afterwards".into());
    }
    if tried(Form::SmallSteps) {
        lines.push("it is a long program: tried in large steps and in small ones".into());
    }
    for attempt in &report.attempts {
        let (what, time) = (&attempt.what, attempt.time_s);
        let end = end(attempt);
        lines.push(format!("tried {what} for {time:.3} s: {end}"));
    }
    if report.verdict == "unknown" {
        let with_candidate = report.attempts.iter().filter(|one| one.candidate.is_some());
        let longest = with_candidate.max_by_key(|attempt| attempt.work);
        lines.extend(longest.into_iter().flat_map(last_candidate));
    }
    lines.extend(may_and_must(&report.statistics));
    let stats = &report.statistics;
    for exchanged in &stats.symmetries {
        let n = stats.states;
        lines.push(format!(
            "states that differ only by {exchanged} counted as one: {n} classes of states"
        ));
    }
    lines
}

/// How much every state of a class can do of what some can.
fn may_and_must(statistics: &StatisticsReport) -> Vec<String> {
    let mut lines = Vec::new();
    let (may, must) = (statistics.may_steps, statistics.must_steps);
    if may > 0 && may == must {
        lines.push(format!(
            "the abstraction is exact: each of its {may} steps can be taken by every state of its class"
        ));
    } else if may > 0 {
        lines.push(format!(
            "of the {may} steps of the abstraction every state of its class can take {must}"
        ));
    }
    if statistics.must_lassos > 0 {
        lines.push("the counterexample follows steps that every state of a class can take".into());
    }
    lines
}

/// The run that an attempt could neither confirm nor exclude.
fn last_candidate(attempt: &AttemptReport) -> Vec<String> {
    let Some(CandidateReport { stem, cycle, .. }) = &attempt.candidate else {
        return Vec::new();
    };
    let what = &attempt.what;
    let mut lines = vec![format!(
        "the last run that {what} could neither confirm nor exclude:"
    )];
    lines.push(format!("  it starts with {}", told(stem)));
    if !cycle.is_empty() {
        lines.push(format!("  and repeats {}", told(cycle)));
    }
    lines
}

fn told(steps: &[CandidateStep]) -> String {
    let shown = steps.iter().take(MAX_STATEMENTS);
    let shown = shown.map(|step| format!("`{}` ({})", step.action, step.source));
    let mut told: Vec<String> = shown.collect();
    if let Some(more @ 1..) = steps.len().checked_sub(MAX_STATEMENTS) {
        told.push(format!("and {more} more"));
    }
    told.join(", ")
}

/// What suits a model of this shape.
fn advice(shape: &str) -> Option<&'static str> {
    let kinds = [
        Kind::Rational,
        Kind::Finite,
        Kind::Equalities,
        Kind::Control,
        Kind::Arithmetic,
    ];
    let kind = kinds
        .into_iter()
        .find(|kind| shape.starts_with(&kind.to_string()))?;
    Some(match kind {
        Kind::Rational => {
            "its states cannot be listed: zones suit it if the numbers are clocks, else predicates about them, with control by value"
        }
        Kind::Finite => {
            "its states can be listed if they are not too many, and tracking the values of few variables suits it otherwise"
        }
        Kind::Equalities => {
            "few of the values matter: tracking those of few variables suits it, if its states cannot be listed"
        }
        Kind::Control => {
            "control by value, with predicates about the other numbers, suits it best, unless few states are reached"
        }
        Kind::Arithmetic => {
            "predicates say more about its numbers than values do, unless few states are reached"
        }
    })
}

/// Why an attempt ended.
fn end(attempt: &AttemptReport) -> String {
    if attempt.unfinished {
        return "its portion of the work was used up".into();
    }
    match attempt.end.strip_prefix("unknown: ") {
        None => format!("it decided: {}", attempt.end),
        Some(why) => format!("it gave up: {why}"),
    }
}
