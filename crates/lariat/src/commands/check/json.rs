//! The answer as JSON, schema `lariat-check/1` (documented in docs/check-json.md).

use super::inputs::{Input, ProgramRun};
use super::report::{Shown, ShownRun};
use super::{Answered, CheckArgs};
use crate::cli::Compose;
use crate::session::Failure;
use lariat_base::Diagnostic;
use lariat_check::{Attempt, Verdict};
use serde_json::{Value, json};

/// Writes everything about the answers.
pub fn write(args: &CheckArgs, answers: &[Answered]) -> Result<(), Failure> {
    let Some(path) = &args.json else {
        return Ok(());
    };
    let results: Vec<Value> = answers.iter().map(result).collect();
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
        "compose": args.model.compose.map(Compose::name),
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

fn result(answered: &Answered) -> Value {
    let outcome = &answered.outcome;
    let (verdict, reason) = match &outcome.verdict {
        Verdict::Holds => ("holds", None),
        Verdict::Unknown(why) => ("unknown", Some(why.to_string())),
        Verdict::Violated(_) => ("violated", None),
    };
    let run = answered.counterexample.as_ref();
    let counterexample = run.map(|run| counterexample(run, &answered.question.atoms));
    let (stats, settings) = (&outcome.stats, &answered.settings);
    json!({
        "property": { "name": answered.question.name, "text": answered.question.text },
        "left_out": answered.reduction.left_out,
        "constants": answered.reduction.constants_json(),
        "merged": answered.reduction.merged_json(),
        "verdict": verdict,
        "reason": reason,
        "time_s": answered.time.as_secs_f64(),
        "settings": {
            "engine": format!("{:?}", settings.engine).to_lowercase(),
            "domain": settings.cegar.domain.name(),
            "search": settings.cegar.search.name(),
            "reach": settings.cegar.reach.name(),
            "initial_precision": settings.cegar.initial.name(),
            "precision": settings.cegar.precision.name(),
            "refinement": settings.cegar.refinement.name(),
            "lasso_refinement": settings.cegar.lasso_refinement.name(),
            "prune": settings.cegar.pruning.name(),
            "max_counterexamples": settings.cegar.max_counterexamples,
            "max_states": settings.explicit.max_states,
        },
        "shape": outcome.shape,
        "attempts": outcome.attempts.iter().map(attempt).collect::<Vec<_>>(),
        "statistics": {
            "iterations": stats.iterations,
            "states": stats.nodes,
            "total_states": stats.total_nodes,
            "kept_states": stats.kept_nodes,
            "settled_states": stats.settled_nodes,
            "precision": stats.precision,
            "posts": stats.posts,
            "cached_posts": stats.cached_posts,
            "checks": stats.checks,
            "post_checks": stats.post_checks,
            "guard_checks": stats.guard_checks,
            "queried_predicates": stats.queried_predicates,
            "interpolations": stats.interpolations,
            "exploring_s": stats.exploring.as_secs_f64(),
            "refining_s": stats.refining.as_secs_f64(),
            "peak_memory_bytes": lariat_base::peak_memory(),
        },
        "counterexample": counterexample,
        "inputs": answered.program.as_ref().map(inputs),
    })
}

fn attempt(attempt: &Attempt) -> Value {
    json!({
        "what": attempt.what,
        "end": attempt.end,
        "time_s": attempt.time.as_secs_f64(),
    })
}

/// What came in from outside during the run of a C program, in order.
fn inputs(run: &ProgramRun) -> Value {
    let list = |inputs: &[Input]| -> Vec<Value> {
        let one = |Input { call, place, value }: &Input| json!({ "call": call, "source": place, "value": value });
        inputs.iter().map(one).collect()
    };
    let (stem, round) = run.inputs();
    json!({ "stem": list(&stem), "loop": run.n_round.map(|_| list(&round)) })
}

fn counterexample(run: &ShownRun, atoms: &[String]) -> Value {
    let steps = run.steps.iter();
    let steps: Vec<Value> = steps.map(|step| step_json(step, atoms.len())).collect();
    json!({
        "kind": if run.honda.is_some() { "lasso" } else { "path" },
        "atoms": atoms,
        "loop_starts_after_step": run.honda.map(|honda| honda + 1),
        "steps": steps,
    })
}

fn step_json(step: &Shown, n_atoms: usize) -> Value {
    let atoms = step.letter.map(|letter| {
        (0..n_atoms)
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
