//! A comparison for other programs: CSV and JSON (schema `lariat-compare/1`, documented in docs/json.md).

use super::comparison::{Alarm, Comparison, Run, Summary};
use super::prepare::Prepared;
use super::task::Expected;
use super::text::shell;
use crate::cli::Compose;
use crate::csv::field;
use serde_json::{Value, json};
use std::time::Duration;

/// What the runs were told, and which program they were.
pub struct Setup<'a> {
    /// The program as a user would call it.
    pub program: &'a str,
    /// The time for each run.
    pub timeout: Duration,
    /// The memory for each run.
    pub memory: Option<u64>,
    /// How many at a time.
    pub n_jobs: usize,
}

const COLUMNS: [&str; 22] = [
    "task",
    "models",
    "compose",
    "question",
    "property",
    "expected",
    "configuration",
    "options",
    "verdict",
    "correct",
    "reason",
    "time_s",
    "wall_s",
    "iterations",
    "states",
    "total_states",
    "tracked",
    "checks",
    "interpolations",
    "peak_memory_bytes",
    "cpu_s",
    "repetition",
];

/// A line for each run, and one without a configuration for each task that could not be read.
pub fn csv(comparison: &Comparison) -> String {
    let mut text = line(&COLUMNS.map(str::to_owned));
    for (number, task) in comparison.tasks.iter().enumerate() {
        if let Some(error) = &task.error {
            let mut fields = task_fields(task);
            fields.extend(["", "", "error", "", error].map(str::to_owned));
            fields.resize(COLUMNS.len(), String::new());
            text += &line(&fields);
        }
        for run in comparison.runs_of(number) {
            let mut fields = task_fields(task);
            fields.extend(run_fields(comparison, run));
            text += &line(&fields);
        }
    }
    text
}

fn task_fields(task: &Prepared) -> Vec<String> {
    let task = &task.task;
    let models: Vec<String> = task
        .models
        .iter()
        .map(|m| m.display().to_string())
        .collect();
    let (question, property) = task.question.option().unwrap_or(("own", String::new()));
    vec![
        task.id.clone(),
        models.join(" + "),
        task.compose.map_or("", Compose::name).to_owned(),
        question.to_owned(),
        property,
        task.expected.map_or("", Expected::name).to_owned(),
    ]
}

fn run_fields(comparison: &Comparison, run: &Run) -> Vec<String> {
    let configuration = &comparison.configurations[run.configuration];
    let (outcome, counters) = (&run.outcome, &run.outcome.counters);
    let number = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    let correct = comparison.is_correct(run);
    vec![
        configuration.name.clone(),
        shell(&configuration.options),
        outcome.ending.name().to_owned(),
        correct.map_or_else(String::new, |correct| correct.to_string()),
        outcome.reason.clone().unwrap_or_default(),
        format!("{:.6}", outcome.time),
        format!("{:.6}", outcome.wall),
        number(counters.iterations),
        number(counters.states),
        number(counters.total_states),
        number(counters.precision),
        number(counters.checks),
        number(counters.interpolations),
        number(counters.peak_memory),
        outcome.cpu.map_or_else(String::new, |cpu| cpu.to_string()),
        run.repetition.to_string(),
    ]
}

/// Fields as RFC 4180 has them, but with line ends of our own kind.
fn line(fields: &[String]) -> String {
    let fields: Vec<String> = fields.iter().map(|text| field(text)).collect();
    fields.join(",") + "\n"
}

/// Everything.
pub fn json(comparison: &Comparison, setup: &Setup<'_>) -> String {
    let configurations = comparison.configurations.iter();
    let configurations: Vec<Value> = configurations
        .map(|c| json!({ "name": c.name, "options": c.options }))
        .collect();
    let document = json!({
        "schema": "lariat-compare/1",
        "version": env!("CARGO_PKG_VERSION"),
        "program": setup.program,
        "timeout_s": setup.timeout.as_secs_f64(),
        "memory_bytes": setup.memory,
        "jobs": setup.n_jobs,
        "missing_runs": comparison.n_missing,
        "configurations": configurations,
        "tasks": comparison.tasks.iter().map(task).collect::<Vec<Value>>(),
        "runs": comparison.runs.iter().map(|one| run(comparison, one)).collect::<Vec<Value>>(),
        "summary": comparison.summaries().iter().map(|one| summary(comparison, one)).collect::<Vec<Value>>(),
        "disagreements": disagreements(comparison),
    });
    let text = serde_json::to_string_pretty(&document);
    text.expect("a JSON value can be written") + "\n"
}

fn task(prepared: &Prepared) -> Value {
    let task = &prepared.task;
    let models: Vec<String> = task
        .models
        .iter()
        .map(|m| m.display().to_string())
        .collect();
    let (question, property) = match task.question.option() {
        Some((question, property)) => (question, Some(property)),
        None => ("own", None),
    };
    json!({
        "id": task.id,
        "models": models,
        "compose": task.compose.map(Compose::name),
        "question": question,
        "property": property,
        "temporal": prepared.is_temporal,
        "expected": task.expected.map(Expected::name),
        "error": prepared.error,
    })
}

fn run(comparison: &Comparison, run: &Run) -> Value {
    let (outcome, counters) = (&run.outcome, &run.outcome.counters);
    json!({
        "task": comparison.tasks[run.task].task.id,
        "configuration": comparison.configurations[run.configuration].name,
        "repetition": run.repetition,
        "arguments": run.words,
        "verdict": outcome.ending.name(),
        "correct": comparison.is_correct(run),
        "reason": outcome.reason,
        "time_s": outcome.time,
        "wall_s": outcome.wall,
        "cpu_s": outcome.cpu,
        "iterations": counters.iterations,
        "states": counters.states,
        "total_states": counters.total_states,
        "tracked": counters.precision,
        "checks": counters.checks,
        "interpolations": counters.interpolations,
        "peak_memory_bytes": counters.peak_memory,
    })
}

fn summary(comparison: &Comparison, one: &Summary) -> Value {
    json!({
        "configuration": comparison.configurations[one.configuration].name,
        "tasks": one.n_runs,
        "holds": one.n_holds,
        "violated": one.n_violated,
        "unknown": one.n_unknown,
        "failed": one.n_failed,
        "wrong": one.n_wrong,
        "total_time_s": one.total,
        "median_time_s": one.median,
        "total_cpu_s": one.cpu,
    })
}

fn disagreements(comparison: &Comparison) -> Vec<Value> {
    let names = |runs: &[&Run]| -> Vec<String> {
        let name = |run: &&Run| comparison.configurations[run.configuration].name.clone();
        runs.iter().map(name).collect()
    };
    let mut found = Vec::new();
    for alarm in comparison.alarms() {
        if let Alarm::Disagreement {
            task,
            holds,
            violated,
        } = alarm
        {
            let (holds, violated) = (names(&holds), names(&violated));
            found.push(json!({ "task": task.task.id, "holds": holds, "violated": violated }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_with_commas_are_quoted() {
        let fields = ["a", "b,c", "d\"e"].map(str::to_owned);
        assert_eq!(super::line(&fields), "a,\"b,c\",\"d\"\"e\"\n");
    }
}
