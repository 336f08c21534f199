//! Reports as JSON, schema `lariat-check/1` (documented in docs/json.md).

use super::{Answered, CheckArgs, write_file};
use crate::cli::Compose;
use crate::session::Failure;
use lariat_verify::report::Report;
use serde_json::json;

/// Whether there may be more answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The check goes on: if it is killed, this is what is known.
    Unfinished,
    /// These are all answers.
    Done,
}

/// Writes the reports that there are.
pub fn write(args: &CheckArgs, answers: &[Answered], progress: Progress) -> Result<(), Failure> {
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
        "finished": progress == Progress::Done,
        "results": answers.iter().map(|answered| &answered.report).collect::<Vec<&Report>>(),
    });
    let text = serde_json::to_string_pretty(&document).expect("a JSON value can be written") + "\n";
    write_file(path, &text)
}
