//! Reports as JSON, schema `lariat-check/1` (documented in docs/json.md).

use super::inputs::{Input, ProgramRun};
use super::{Answered, CheckArgs};
use crate::cli::Compose;
use crate::session::Failure;
use lariat_base::Diagnostic;
use serde_json::{Value, json};

/// Writes all reports.
pub fn write(args: &CheckArgs, answers: &[Answered]) -> Result<(), Failure> {
    let Some(path) = &args.json else {
        return Ok(());
    };
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
        "timeout_s": args.limits.timeout().map(|time| time.as_secs_f64()),
        "memory_bytes": args.limits.memory(),
        "results": answers.iter().map(result).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&document).expect("a JSON value can be written") + "\n";
    std::fs::write(path, text).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", path.display());
        Failure::from(Diagnostic::error("cannot-write", message))
    })
}

fn result(answered: &Answered) -> Value {
    let mut value = serde_json::to_value(&answered.report).expect("a report can be written");
    value["inputs"] = json!(answered.program.as_ref().map(inputs));
    value
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
