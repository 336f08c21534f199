//! A statechart as a diagram in Markdown (Mermaid's `stateDiagram-v2`).
//!
//! Mermaid has no transitions from the inside of one state to the inside of another: these are drawn between the states around
//! their ends, and the label says what they are between.

use lariat_system::{Chart, ChartKind};
use std::fmt::Write as _;

/// The diagram of a chart.
pub fn chart(chart: &Chart) -> String {
    let mut text = String::from("stateDiagram-v2\n");
    if chart.states[0].kind == ChartKind::Parallel {
        // Regions stand only inside of a state.
        let _ = writeln!(
            text,
            "  state \"{}\" as s0 {{",
            label(&chart.states[0].name)
        );
        inside(&mut text, chart, 0, 2);
        text.push_str("  }\n");
    } else {
        inside(&mut text, chart, 0, 1);
    }
    text
}

/// What is inside of a state; states nest only so deep.
fn inside(text: &mut String, chart: &Chart, at: usize, depth: usize) {
    let pad = "  ".repeat(depth);
    let states = 0..chart.states.len();
    let children: Vec<usize> = states
        .filter(|&state| chart.states[state].parent == Some(at))
        .collect();
    let is_parallel = chart.states[at].kind == ChartKind::Parallel;
    for (n, &child) in children.iter().enumerate() {
        if is_parallel && n > 0 {
            let _ = writeln!(text, "{pad}--");
        }
        let own = &chart.states[child];
        let name = label(&own.name);
        let _ = match own.kind {
            ChartKind::Compound | ChartKind::Parallel => {
                let _ = writeln!(text, "{pad}state \"{name}\" as s{child} {{");
                inside(text, chart, child, depth + 1);
                writeln!(text, "{pad}}}")
            }
            ChartKind::Atomic => writeln!(text, "{pad}state \"{name}\" as s{child}"),
            ChartKind::Final => {
                writeln!(
                    text,
                    "{pad}state \"{name}\" as s{child}\n{pad}s{child} --> [*]"
                )
            }
            ChartKind::ShallowHistory => writeln!(text, "{pad}state \"H\" as s{child}"),
            ChartKind::DeepHistory => writeln!(text, "{pad}state \"H*\" as s{child}"),
            ChartKind::Junction => writeln!(text, "{pad}state s{child} <<choice>>"),
        };
    }
    if !is_parallel {
        for &first in &chart.states[at].initial {
            if let Some(child) = around(chart, at, first) {
                let _ = writeln!(text, "{pad}[*] --> s{child}");
            }
        }
    }
    for transition in &chart.transitions {
        let targets = match &transition.targets[..] {
            [] => &[transition.source][..],
            targets => targets,
        };
        for &target in targets {
            let source = transition.source;
            let (Some(a), Some(b)) = (around(chart, at, source), around(chart, at, target)) else {
                continue;
            };
            if a == b && !(source == target && a == source) {
                continue;
            }
            let mut said = transition.label.to_string();
            if (a, b) != (source, target) {
                let (from, to) = (&chart.states[source].name, &chart.states[target].name);
                let _ = write!(said, " ({from} to {to})");
            }
            let said = match said.trim() {
                "" => String::new(),
                said => format!(": {}", label(said)),
            };
            let _ = writeln!(text, "{pad}s{a} --> s{b}{said}");
        }
    }
}

/// The child of a state that another state is or lies in.
fn around(chart: &Chart, at: usize, state: usize) -> Option<usize> {
    let mut inner = state;
    loop {
        let outer = chart.states[inner].parent?;
        if outer == at {
            return Some(inner);
        }
        inner = outer;
    }
}

/// A text in a diagram: what could mean something there is written as a character entity.
pub fn label(text: &str) -> String {
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
