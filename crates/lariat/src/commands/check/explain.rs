//! `--explain`: in plain words what was chosen and why, what was tried, and why each attempt ended.
//!
//! This tells what the engine reports about itself (the shape of the model, the attempts), so it stays true when the rule
//! of `--engine auto` changes.

use super::Answered;
use super::form::Form;
use lariat_base::Stop;
use lariat_check::{Attempt, Engine, Kind, Verdict};

/// The explanation of an answer.
pub fn lines(answered: &Answered) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, which) in answered.reduction.rows() {
        lines.push(format!("before the check, {what}: {which}"));
    }
    let outcome = &answered.outcome;
    match (answered.settings.engine, &outcome.shape) {
        (Engine::Auto, Some(shape)) => {
            lines.push(format!("the model has {shape}"));
            lines.extend(advice(shape).map(|advice| format!("so {advice}")));
        }
        (Engine::Auto, None) => lines.push("the engine chose by itself".into()),
        (Engine::Cegar | Engine::Explicit, _) => {
            lines.push("the options chose the engine: nothing else is tried".into());
        }
    }
    let tried = |form: Form| {
        let ends = |attempt: &Attempt| attempt.what.ends_with(form.words());
        outcome.attempts.iter().any(ends)
    };
    if tried(Form::WholeRelations) {
        lines.push("its steps are relations: taken apart into cases first, then whole".into());
    }
    if tried(Form::SmallSteps) {
        lines.push("it is a long program: tried in large steps first, then in small ones".into());
    }
    let n_attempts = outcome.attempts.len();
    for (i, attempt) in outcome.attempts.iter().enumerate() {
        let is_final = i + 1 == n_attempts && matches!(outcome.verdict, Verdict::Unknown(_));
        let (what, time) = (&attempt.what, attempt.time.as_secs_f64());
        let end = end(attempt, is_final);
        lines.push(format!("tried {what} for {time:.3} s: {end}"));
    }
    lines
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
            "its states cannot be listed: predicates about the numbers, with what steers by value, suit it best"
        }
        Kind::Finite => {
            "its states can be listed if they are not too many, and tracking the values of few variables suits it otherwise"
        }
        Kind::Equalities => {
            "few of the values matter: tracking those of few variables suits it, if its states cannot be listed"
        }
        Kind::Control => {
            "values of what steers, with predicates about the other numbers, suit it best, unless few states are reached"
        }
        Kind::Arithmetic => {
            "predicates say more about its numbers than values do, unless few states are reached"
        }
    })
}

/// Why an attempt ended; `is_final` if it was the last of a check that decided nothing.
fn end(attempt: &Attempt, is_final: bool) -> String {
    match attempt.end.strip_prefix("unknown: ") {
        None => format!("it decided: {}", attempt.end),
        Some(why) if why == Stop::Time.to_string() && !is_final => {
            "its share of the time ran out".into()
        }
        Some(why) => format!("it gave up: {why}"),
    }
}
