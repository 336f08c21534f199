//! The answer as JSON, schema `lariat-check/1` (documented in docs/check-json.md).

use super::report::{Shown, shown};
use super::{Answered, CheckArgs};
use crate::load::Model;
use crate::session::{Failure, Session};
use lariat_base::Diagnostic;
use lariat_check::{Counterexample, Verdict};
use serde_json::{Value, json};

/// Writes everything about the answers.
pub fn write(
    args: &CheckArgs,
    session: &Session,
    model: &mut Model,
    answers: &[Answered],
) -> Result<(), Failure> {
    let Some(path) = &args.json else {
        return Ok(());
    };
    let results: Vec<Value> = answers
        .iter()
        .map(|answered| result(session, model, answered))
        .collect();
    let models: Vec<String> = args
        .model
        .models
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let document = json!({
        "schema": "lariat-check/1",
        "version": env!("CARGO_PKG_VERSION"),
        "models": models,
        "compose": args.model.compose.map(|how| how.name()),
        "timeout_s": args.timeout.map(|time| time.as_secs_f64()),
        "memory_bytes": args.memory,
        "results": results,
    });
    let text = serde_json::to_string_pretty(&document).expect("a JSON value can be written") + "\n";
    std::fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Failure::from(Diagnostic::error("cannot-write", message))
    })
}

fn result(session: &Session, model: &mut Model, answered: &Answered) -> Value {
    let outcome = &answered.outcome;
    let (verdict, reason, counterexample) = match &outcome.verdict {
        Verdict::Holds => ("holds", None, None),
        Verdict::Unknown(why) => ("unknown", Some(why.to_string()), None),
        Verdict::Violated(found) => (
            "violated",
            None,
            Some(counterexample(session, model, answered, found)),
        ),
    };
    let (stats, settings) = (&outcome.stats, &answered.settings);
    json!({
        "property": { "name": answered.question.name, "text": answered.question.text },
        "verdict": verdict,
        "reason": reason,
        "time_s": answered.time.as_secs_f64(),
        "settings": {
            "engine": format!("{:?}", settings.engine).to_lowercase(),
            "domain": settings.cegar.domain.name(),
            "search": settings.cegar.search.name(),
            "reach": settings.cegar.reach.name(),
            "initial_precision": format!("{:?}", settings.cegar.initial).to_lowercase(),
            "refinement": settings.cegar.refinement.name(),
            "lasso_refinement": settings.cegar.lasso_refinement.name(),
            "max_states": settings.explicit.max_states,
        },
        "attempts": outcome.attempts.iter().map(|a| json!({ "what": a.what, "end": a.end })).collect::<Vec<_>>(),
        "statistics": {
            "iterations": stats.iterations,
            "states": stats.nodes,
            "total_states": stats.total_nodes,
            "precision": stats.precision,
            "posts": stats.posts,
            "cached_posts": stats.cached_posts,
            "checks": stats.checks,
            "post_checks": stats.post_checks,
            "queried_predicates": stats.queried_predicates,
            "interpolations": stats.interpolations,
            "exploring_s": stats.exploring.as_secs_f64(),
            "refining_s": stats.refining.as_secs_f64(),
            "peak_memory_bytes": lariat_base::peak_memory(),
        },
        "counterexample": counterexample,
    })
}

fn counterexample(
    session: &Session,
    model: &mut Model,
    answered: &Answered,
    found: &Counterexample,
) -> Value {
    let (steps, honda) = shown(session, model, answered, found);
    let steps: Vec<Value> = steps.iter().map(|step| step_json(answered, step)).collect();
    json!({
        "kind": if honda.is_some() { "lasso" } else { "path" },
        "atoms": answered.question.atoms,
        "loop_starts_after_step": honda.map(|honda| honda + 1),
        "steps": steps,
    })
}

fn step_json(answered: &Answered, step: &Shown) -> Value {
    let atoms = step.letter.map(|letter| {
        (0..answered.question.atoms.len())
            .map(|i| letter >> i & 1 == 1)
            .collect::<Vec<bool>>()
    });
    let changes: serde_json::Map<String, Value> = step
        .changes
        .iter()
        .map(|(name, value)| (name.clone(), Value::String(value.clone())))
        .collect();
    json!({
        "action": step.action,
        "source": step.source,
        "location": step.location,
        "observed": step.observed,
        "changes": changes,
        "atoms": atoms,
        "automaton_state": step.automaton,
    })
}
