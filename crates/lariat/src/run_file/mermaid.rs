//! A diagram for Markdown (Mermaid): of a composition a sequence diagram with a line of life for each model, of any other
//! model a state diagram.

use super::{said, shown_changes, way_back};
use lariat_verify::report::{RunReport, StepReport};
use std::fmt::Write as _;

/// Longer runs make no diagram that anybody could look at: their middle is left out.
const N_STEPS: usize = 60;

/// The diagram of a run.
pub fn write(run: &RunReport) -> String {
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

/// A text in a diagram: what could mean something there is written as a character entity.
fn label(text: &str) -> String {
    let mut label = String::new();
    for c in text.chars() {
        match c {
            '\n' => label.push_str("<br/>"),
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '.' | ',' | '_' | '=' | '+' | '(' | ')' => {
                label.push(c);
            }
            c if c.is_control() => label.push(' '),
            c => {
                let _ = write!(label, "#{};", c as u32);
            }
        }
    }
    label
}
