//! A diagram for Markdown (Mermaid): of a composition a sequence diagram with a line of life for each model, of a statechart one with
//! a line for each of its parts, of any other model a state diagram.

use super::{said, shown_changes, way_back};
use crate::drawing::mermaid::label;
use lariat_system::{Chart, ChartKind};
use lariat_verify::report::{ChartMove, RunReport, StepReport};
use std::fmt::Write as _;

/// Longer runs make no diagram that anybody could look at: their middle is left out.
const N_STEPS: usize = 60;

/// The diagram of a run.
pub fn write(run: &RunReport) -> String {
    if let Some(chart) = &run.chart {
        return messages(run, chart);
    }
    match run.steps.iter().filter_map(|step| step.model).max() {
        Some(n_models) => sequence(run, n_models),
        None => states(run),
    }
}

/// The numbers of the steps that are shown, and where some are left out.
fn shown(run: &RunReport) -> impl Iterator<Item = (usize, &StepReport)> {
    let n = run.steps.len();
    let keeps = move |number: usize| number <= N_STEPS / 2 || number + N_STEPS / 2 > n;
    (1..)
        .zip(&run.steps)
        .filter(move |&(number, _)| keeps(number))
}

fn sequence(run: &RunReport, n_models: usize) -> String {
    let mut text = String::from("sequenceDiagram\n");
    for model in 1..=n_models {
        let _ = writeln!(text, "  participant m{model} as model {model}");
    }
    let (mut before, mut is_loop) = (0, false);
    for (number, step) in shown(run) {
        let starts = |start| number > start && !is_loop;
        if run.loop_starts_after_step.is_some_and(starts) {
            is_loop = true;
            text.push_str("  loop for ever\n");
        }
        if number > before + 1 {
            let (first, last) = (before + 1, number - 1);
            let _ = writeln!(text, "  Note over m1: steps {first} to {last} are left out");
        }
        let lines = shown_changes(step).join("\n");
        match step.model {
            Some(model) => {
                let action = label(&said(step));
                let _ = writeln!(text, "  m{model}->>m{model}: {number}. {action}");
                if !lines.is_empty() {
                    let _ = writeln!(text, "  Note over m{model}: {}", label(&lines));
                }
            }
            None => {
                let lines = label(&format!("{number}. {}\n{lines}", said(step)));
                let _ = writeln!(text, "  Note over m1,m{n_models}: {lines}");
            }
        }
        before = number;
    }
    if is_loop {
        text.push_str("  end\n");
    }
    text
}

/// The events of a statechart, from the environment to its parts and between them, and the states that each part is in.
fn messages(run: &RunReport, chart: &Chart) -> String {
    let mut text = String::from("sequenceDiagram\n  participant e as environment\n");
    let parts = parts(chart);
    for &part in &parts {
        let name = label(&chart.states[part].name);
        let _ = writeln!(text, "  participant p{part} as {name}");
    }
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let (mut before, mut is_loop) = (0, false);
    let mut active: Vec<usize> = Vec::new();
    for (number, step) in shown(run) {
        let starts = |start| number > start && !is_loop;
        if run.loop_starts_after_step.is_some_and(starts) {
            is_loop = true;
            text.push_str("  loop for ever\n");
        }
        if number > before + 1 {
            let (from, to) = (before + 1, number - 1);
            let _ = writeln!(
                text,
                "  Note over p{first}: steps {from} to {to} are left out"
            );
        }
        before = number;
        let Some(did) = &step.chart else {
            let _ = writeln!(
                text,
                "  Note over p{first},p{last}: {number}. {}",
                label(&said(step))
            );
            continue;
        };
        let is_quiet = did.fired.is_empty() && did.active == active;
        if !arrows(&mut text, number, did, first) && !is_quiet {
            let said = label(&said(step));
            let _ = writeln!(text, "  Note over p{first},p{last}: {number}. {said}");
        }
        for &part in &parts {
            let inside = |state: &&usize| {
                let is_own = **state == part || chart.is_inside(**state, part);
                is_own && chart.states[**state].kind.is_atomic()
            };
            let old: Vec<usize> = active.iter().filter(inside).copied().collect();
            let new: Vec<usize> = did.active.iter().filter(inside).copied().collect();
            if old != new {
                let names: Vec<&str> = new.iter().map(|&at| &*chart.states[at].name).collect();
                let _ = writeln!(text, "  Note over p{part}: in {}", label(&names.join(", ")));
            }
        }
        active.clone_from(&did.active);
    }
    if is_loop {
        text.push_str("  end\n");
    }
    text
}

/// What came and what was sent in a step; whether anything was.
fn arrows(text: &mut String, number: usize, did: &ChartMove, first: usize) -> bool {
    let all = did.came.iter().chain(&did.sent);
    let mut n = 0;
    for message in all {
        let said = label(&message.text);
        let from = message
            .from
            .map_or("e".to_owned(), |part| format!("p{part}"));
        let mut to: Vec<String> = message.to.iter().map(|part| format!("p{part}")).collect();
        if to.is_empty() {
            let outside = message.from.map_or(format!("p{first}"), |_| "e".to_owned());
            to.push(outside);
        }
        for to in to {
            let _ = writeln!(text, "  {from}->>{to}: {number}. {said}");
            n += 1;
        }
    }
    n > 0
}

/// The parts of a chart that have a line of their own: its instances, or the chart itself.
fn parts(chart: &Chart) -> Vec<usize> {
    let has_instances = chart.states[0].kind == ChartKind::Parallel
        && chart
            .signals
            .iter()
            .any(|one| one.from.is_some_and(|from| from > 0));
    if !has_instances {
        return vec![0];
    }
    let all = 0..chart.states.len();
    all.filter(|&at| chart.states[at].parent == Some(0))
        .collect()
}

fn states(run: &RunReport) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    let mut before = 0;
    for (number, step) in shown(run) {
        let mut lines = vec![number.to_string()];
        lines.extend(shown_changes(step));
        let _ = writeln!(
            text,
            "  state \"{}\" as s{number}",
            label(&lines.join("\n"))
        );
        let from = match before {
            0 => "[*]".to_owned(),
            before => format!("s{before}"),
        };
        let mut action = label(&said(step));
        if number > before + 1 {
            let _ = write!(action, " (and {} steps before it)", number - before - 1);
        }
        let _ = writeln!(text, "  {from} --> s{number}: {action}");
        before = number;
    }
    if let (Some(start), Some(words)) = (run.loop_starts_after_step, way_back(run)) {
        // A state that is left out is stood for by the last one before it.
        let to = shown(run).map(|(number, _)| number).filter(|&n| n <= start);
        let to = to.max().unwrap_or(1);
        let _ = writeln!(text, "  s{before} --> s{to}: {}", label(&words));
    }
    text
}
