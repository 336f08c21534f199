//! An automaton as lines of plain text.

use std::fmt::Write;

use lariat_base::Id;

use super::guard::{FORMULA, guard};
use crate::automaton::{Acceptance, Automaton};
use crate::formula::Formulas;

/// One line per state and per edge.
pub fn to_text(automaton: &Automaton, formulas: &Formulas, title: &str) -> String {
    let mut out = format!("automaton of {title}\n");
    let n_sets = automaton.n_sets();
    let state_based = automaton.acceptance() == Acceptance::StateBuchi;
    let plural = |n: usize, thing: &str| format!("{n} {thing}{}", if n == 1 { "" } else { "s" });
    let _ = writeln!(
        out,
        "{}, {}, {}{}",
        plural(automaton.n_states(), "state"),
        plural(automaton.n_edges(), "edge"),
        match (n_sets, state_based) {
            (0, _) => "every run is accepted".to_owned(),
            (_, true) => "accepting states marked *".to_owned(),
            (1, _) => "accepting edges marked *".to_owned(),
            (n, _) => format!("an edge of each of {n} sets infinitely often"),
        },
        if automaton.is_deterministic() {
            ", deterministic"
        } else {
            ""
        },
    );
    for state in automaton.states() {
        let initial = if state == automaton.initial() {
            ", initial"
        } else {
            ""
        };
        let star = state_based && automaton.is_accepting_state(state);
        let star = if star { " *" } else { "" };
        let _ = writeln!(out, "state {}{initial}{star}", state.index());
        for edge in automaton.edges(state) {
            let guard = guard(automaton, formulas, edge.label, FORMULA);
            let _ = write!(out, "  to {} if {guard}", edge.target.index());
            if !state_based && edge.marks != 0 {
                if n_sets == 1 {
                    out += " *";
                } else {
                    let sets = (0..n_sets).filter(|i| edge.marks >> i & 1 == 1);
                    let sets: Vec<String> = sets.map(|i| i.to_string()).collect();
                    let _ = write!(out, " {{{}}}", sets.join(" "));
                }
            }
            out.push('\n');
        }
    }
    out
}
