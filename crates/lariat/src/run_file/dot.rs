//! A graph for Graphviz: a box for the state after each step with what changed, and the way back.

use super::{said, shown_changes, way_back};
use lariat_verify::report::{PropertyReport, RunReport};
use std::fmt::Write as _;

/// The graph of a run.
pub fn write(property: &PropertyReport, run: &RunReport) -> String {
    let mut text = String::from("digraph run {\n");
    let title = quoted(&format!("violated: {}", property.text));
    let _ = writeln!(
        text,
        "  graph [label={title}, labelloc=t, fontname=\"Helvetica\"];"
    );
    text.push_str("  node [shape=box, style=rounded, fontname=\"Helvetica\", fontsize=10];\n");
    text.push_str("  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (number, step) in (1..).zip(&run.steps) {
        let is_loop = run
            .loop_starts_after_step
            .is_some_and(|start| number > start);
        let look = if is_loop { ", color=\"#7637c2\"" } else { "" };
        let mut lines = vec![number.to_string()];
        lines.extend(shown_changes(step));
        let _ = writeln!(
            text,
            "  s{number} [label={}{look}];",
            quoted(&lines.join("\n"))
        );
        match number {
            1 => text.push_str("  start [shape=point];\n  start -> s1"),
            _ => {
                let _ = write!(text, "  s{} -> s{number}", number - 1);
            }
        }
        let _ = writeln!(text, " [label={}];", quoted(&said(step)));
    }
    if let (Some(start), Some(words)) = (run.loop_starts_after_step, way_back(run)) {
        let (last, words) = (run.steps.len(), quoted(&words));
        let _ = writeln!(
            text,
            "  s{last} -> s{start} [style=dashed, color=\"#7637c2\", constraint=false, label={words}];"
        );
    }
    text.push_str("}\n");
    text
}

/// A quoted string: only the quote and the backslash mean something there, and `\n` is the end of a line.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}
