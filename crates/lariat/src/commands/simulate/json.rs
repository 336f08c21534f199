//! A run for programs: schema `lariat-simulate/1`.

use super::Walk;
use super::end::{End, find_obstacles};
use super::row::Row;
use lariat_base::Span;
use lariat_expr::Value;
use lariat_verify::report::ValueReport;
use serde::Serialize;
use serde_json::{Map, json};

/// Everything.
#[derive(Serialize)]
pub struct Report {
    schema: &'static str,
    models: Vec<String>,
    compose: Option<&'static str>,
    seed: u64,
    run: Vec<StepReport>,
    end: EndReport,
}

#[derive(Serialize)]
struct StepReport {
    step: u64,
    name: String,
    location: String,
    observed: bool,
    file: Option<String>,
    line: Option<usize>,
    statements: Vec<StatementReport>,
    /// The new values of the variables that changed; all variables in the first step.
    changes: Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct StatementReport {
    text: String,
    line: Option<usize>,
}

#[derive(Serialize)]
struct EndReport {
    /// `steps`, `until`, `deadlock`, `not-found`, `stutters` or `replayed`.
    reason: &'static str,
    obstacles: Vec<ObstacleReport>,
    /// Variables whose values were picked from infinitely many.
    sampled: Vec<String>,
}

#[derive(Serialize)]
struct ObstacleReport {
    step: String,
    assume: String,
    place: Option<String>,
    values: Map<String, serde_json::Value>,
}

/// The report on a run.
pub fn report(walk: &mut Walk<'_>, seed: u64, rows: Vec<Row>, end: End) -> Report {
    let run = rows.into_iter().map(|row| step(walk, row)).collect();
    let obstacles = match end {
        End::Deadlock | End::NotFound => find_obstacles(walk),
        _ => Vec::new(),
    };
    let obstacles = obstacles.into_iter().map(|obstacle| ObstacleReport {
        step: obstacle.name,
        assume: obstacle.assume,
        place: obstacle.place,
        values: obstacle
            .values
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect(),
    });
    let obstacles = obstacles.collect();
    let model = walk.simulator.system();
    let file = |&id: &lariat_base::SourceId| walk.sources.file(id).name.clone();
    Report {
        schema: "lariat-simulate/1",
        models: model.files.iter().map(file).collect(),
        compose: model.composed.as_ref().map(|(how, _)| how.name()),
        seed,
        run,
        end: EndReport {
            reason: end.name(),
            obstacles,
            sampled: walk.simulator.sampled().map(str::to_owned).collect(),
        },
    }
}

fn step(walk: &Walk<'_>, row: Row) -> StepReport {
    let terms = &walk.simulator.context().terms;
    let line = |span: Option<Span>| {
        let span = span?;
        Some(walk.sources.file(span.source).line_column(span.start).0)
    };
    let change = |(var, value): &(lariat_expr::VarId, Value)| {
        let sort = terms.var_sort(*var);
        (
            terms.name(*var).to_owned(),
            json!(ValueReport::new(&terms.sorts, sort, value)),
        )
    };
    let statement = |(text, span): (String, Option<Span>)| StatementReport {
        text,
        line: line(span),
    };
    StepReport {
        step: row.step,
        name: row.name,
        location: row.location,
        observed: row.observed,
        file: row
            .place
            .map(|span| walk.sources.file(span.source).name.clone()),
        line: line(row.place),
        statements: row.statements.into_iter().map(statement).collect(),
        changes: row.changes.iter().map(change).collect(),
    }
}
