//! A proof as a text that others can check: formulas that must have no model, and a graph that must have no accepting cycle.
//!
//! The formulas are SMT-LIB, the graph stands in comments before them, a line for each arc. `scripts/check-certificate` asks a
//! solver of the reader's choice about all formulas and looks at the graph by itself. What it takes on trust is the model as the
//! passes left it, with its steps as formulas, and the automaton of the formula (docs/certificates.md).

use crate::report::Report;
use crate::task::Proved;
use lariat_base::{Id as _, SourceMap};
use lariat_check::{Goal, NoSummary, Obligation, Problem, Proof, ProofGraph};
use lariat_smt::script;
use lariat_system::TransitionSystem as _;
use std::fmt::Write as _;

/// The first line of a certificate.
const HEAD: &str = "; lariat-certificate/1";

/// The certificate of a property that holds, or why there is none.
pub fn certificate(
    sources: &SourceMap,
    report: &Report,
    proved: &mut Proved,
) -> Result<String, String> {
    let Proof::Graph(graph) = &proved.proof else {
        return Err("it was proved by listing states; `--engine cegar` proves by a graph".into());
    };
    let mut problem = Problem {
        system: Box::new(&mut proved.model),
        goal: proved.property.goal(),
    };
    let obligations = graph.obligations(&mut proved.cx, &mut problem);
    drop(problem);
    let obligations = obligations.map_err(|why| match why {
        NoSummary::LoopBounds(_) => "the bounds of a loop inside a step depend on the state",
        NoSummary::LongLoop(_) => "a loop inside a step is too long to be unfolded",
    })?;
    let mut text = head(sources, report, proved);
    text += &graph_lines(proved, graph);
    let _ = writeln!(text, "; obligations {}", obligations.len());
    let questions = obligations.iter().map(|one| (name(one), &one.escape));
    text += &script(&proved.cx.terms, questions);
    Ok(text)
}

fn head(sources: &SourceMap, report: &Report, proved: &Proved) -> String {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut text = format!("{HEAD}\n");
    for &file in &proved.model.files {
        let _ = writeln!(text, "; model {}", one_line(&sources.file(file).name));
    }
    let _ = writeln!(text, "; property {}", one_line(&report.property.text));
    text
}

/// The nodes with their places, where the acceptance condition comes from, and the arcs.
fn graph_lines(proved: &Proved, graph: &ProofGraph) -> String {
    let mut text = String::new();
    let Proved {
        model, property, ..
    } = proved;
    for (id, node) in graph.nodes.iter_ids() {
        let reader = node.reader.map_or("-".into(), |at| at.index().to_string());
        let place = model.location_name(node.location);
        let place = place.split_whitespace().collect::<Vec<_>>().join(" ");
        let bad = if is_bad(proved, graph, id) {
            " bad"
        } else {
            ""
        };
        let _ = writeln!(text, "; node {} {reader}{bad} at {place}", id.index());
    }
    let claim = if property.is_temporal() {
        "no-accepting-cycle"
    } else {
        "no-bad-node"
    };
    let (buchi, pairs) = (graph.acceptance.buchi(), graph.acceptance.streett());
    let _ = writeln!(
        text,
        "; claim {claim} buchi {} streett {}",
        buchi.len(),
        pairs.len()
    );
    for arc in graph.plain_arcs() {
        let _ = write!(text, "; arc {} {}", arc.from, arc.to);
        for (letter, numbers) in [('b', arc.buchi), ('q', arc.requests), ('r', arc.responses)] {
            for number in numbers {
                let _ = write!(text, " {letter}{number}");
            }
        }
        text.push('\n');
    }
    text
}

/// Whether a node is bad, if bad states were sought.
fn is_bad(proved: &Proved, graph: &ProofGraph, id: lariat_check::NodeId) -> bool {
    let Goal::Reach(bad) = proved.property.goal() else {
        return false;
    };
    let node = &graph.nodes[id];
    let is_there = |&(leaf, loc): &(usize, lariat_system::LocId)| {
        proved.model.leaf_location(node.location, leaf) == loc
    };
    bad.at.iter().any(is_there) || node.reader.is_some_and(|at| at.index() != 0)
}

/// Where an obligation comes from.
fn name(obligation: &Obligation) -> String {
    let from = match obligation.from {
        None => "from the start".into(),
        Some(node) => format!("from node {}", node.index()),
    };
    let edge = obligation.edge;
    match obligation.reading {
        None => format!("{from}, edge {edge}"),
        Some(reading) => format!("{from}, edge {edge}, read by {reading}"),
    }
}
