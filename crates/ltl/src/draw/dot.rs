//! DOT for graphviz: an arrow into the initial state, double circles for accepting states, set numbers
//! and thick lines for accepting edges, long guards broken over lines. Edges between the same states
//! are drawn as one arrow with a line of text for each, so that their labels do not overlap.

use std::collections::BTreeMap;
use std::fmt::Write;

use lariat_base::Id;

use super::guard::{FORMULA, guard};
use crate::automaton::{Acceptance, Automaton};
use crate::formula::Formulas;

/// Guards longer than this are broken at their disjunctions.
const LINE: usize = 32;

/// The drawing of an automaton under a title.
pub fn to_dot(automaton: &Automaton, formulas: &Formulas, title: &str) -> String {
    let mut out = String::new();
    let state_based = automaton.acceptance() == Acceptance::StateBuchi;
    let kind = match (automaton.n_sets(), state_based) {
        (0, _) => "every run is accepted".to_owned(),
        (_, true) => "Büchi: double circles infinitely often".to_owned(),
        (1, _) => "Büchi: edges marked ● infinitely often".to_owned(),
        (n, _) => format!("generalized Büchi: an edge of each of {n} sets infinitely often"),
    };
    let _ = writeln!(out, "digraph automaton {{");
    let _ = writeln!(out, "  rankdir=LR\n  nodesep=0.4");
    let _ = writeln!(out, "  labelloc=t");
    let _ = writeln!(out, "  fontname=\"Helvetica\"");
    let _ = writeln!(out, "  label=\"{}\\n{kind}\"", escape(title));
    let _ = writeln!(
        out,
        "  node [shape=circle, fontname=\"Helvetica\", width=0.5, fixedsize=true]"
    );
    let _ = writeln!(
        out,
        "  edge [fontname=\"Helvetica\", fontsize=11, arrowsize=0.8]"
    );
    let _ = writeln!(out, "  start [shape=point, width=0.08]");
    let _ = writeln!(out, "  start -> s{}", automaton.initial().index());
    for state in automaton.states() {
        let double = state_based && automaton.is_accepting_state(state);
        let shape = if double { ", shape=doublecircle" } else { "" };
        let i = state.index();
        let _ = writeln!(out, "  s{i} [label=\"{i}\"{shape}]");
    }
    for state in automaton.states() {
        let mut arrows: BTreeMap<usize, (Vec<String>, bool)> = BTreeMap::new();
        for edge in automaton.edges(state) {
            let text = guard(automaton, formulas, edge.label, FORMULA);
            let mut line = break_lines(&text);
            if !state_based && edge.marks != 0 {
                line += &sets(edge.marks, automaton.n_sets());
            }
            let accepting = !state_based && automaton.n_sets() > 0;
            let accepting = accepting && edge.marks == automaton.all_marks();
            let (lines, thick) = arrows
                .entry(edge.target.index())
                .or_insert((Vec::new(), true));
            lines.push(line);
            *thick &= accepting;
        }
        for (to, (lines, thick)) in arrows {
            let label = escape(&lines.join("\n"));
            let thick = if thick { ", penwidth=2" } else { "" };
            let from = state.index();
            let _ = writeln!(out, "  s{from} -> s{to} [label=\"{label}\"{thick}]");
        }
    }
    out += "}\n";
    out
}

/// The sets of an edge, beside its guard.
fn sets(marks: u64, n_sets: u32) -> String {
    if n_sets == 1 {
        return "  ●".to_owned();
    }
    let sets = (0..n_sets).filter(|i| marks >> i & 1 == 1);
    let sets: Vec<String> = sets.map(|i| i.to_string()).collect();
    format!("  {{{}}}", sets.join(","))
}

fn break_lines(guard: &str) -> String {
    if guard.chars().count() <= LINE {
        return guard.to_owned();
    }
    let mut out = String::new();
    let mut width = 0;
    for part in guard.split_inclusive(" | ") {
        let n = part.chars().count();
        if width > 0 && width + n > LINE {
            out.push('\n');
            width = 0;
        }
        out += part;
        width += n;
    }
    out
}

fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}
