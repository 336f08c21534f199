//! Never claims for Spin. Spin starts at the first label, so the initial state comes first; labels
//! that begin with `accept` are the accepting ones.

use std::fmt::Write;

use lariat_base::Id;

use super::guard::{PROMELA, guard};
use crate::automaton::{Acceptance, Automaton, Cube, StateId};
use crate::formula::Formulas;

/// The never claim of an automaton with state-based acceptance; `None` for other automata.
pub fn to_never(automaton: &Automaton, formulas: &Formulas, title: &str) -> Option<String> {
    let all_accept = automaton.n_sets() == 0;
    if automaton.acceptance() != Acceptance::StateBuchi && !all_accept {
        return None;
    }
    let title = title.replace("*/", "* /");
    let mut out = format!("never {{ /* {title} */\n");
    let rest = automaton.states().filter(|&s| s != automaton.initial());
    for state in std::iter::once(automaton.initial()).chain(rest) {
        let _ = writeln!(out, "{}:", name(automaton, state));
        let edges = automaton.edges(state);
        let loops = |cubes: &[Cube]| cubes == [Cube::TRUE];
        match edges {
            [] => out += "  false;\n",
            [edge] if edge.target == state && loops(automaton.cubes(edge.label)) => {
                // A claim that stands still accepts whatever the model does.
                let _ = writeln!(out, "  do\n  :: true\n  od;");
            }
            _ => {
                out += "  do\n";
                for edge in edges {
                    let guard = guard(automaton, formulas, edge.label, PROMELA);
                    let to = name(automaton, edge.target);
                    let _ = writeln!(out, "  :: ({guard}) -> goto {to}");
                }
                out += "  od;\n";
            }
        }
    }
    out += "}\n";
    Some(out)
}

fn name(automaton: &Automaton, state: StateId) -> String {
    let accepting = automaton.n_sets() == 0 || automaton.is_accepting_state(state);
    let prefix = if accepting { "accept" } else { "T0" };
    if state == automaton.initial() {
        format!("{prefix}_init")
    } else {
        format!("{prefix}_S{}", state.index())
    }
}
