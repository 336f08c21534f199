//! Pictures for Graphviz.
//!
//! A CFA is drawn as its control graph. The other languages have few structural states and much in
//! their statements, so statements are drawn as flow charts between the states. A composition is
//! drawn as the graph of its structural states.

use super::flow::{Exit, Flow, code, edge, escape};
use super::text::whole_edge;
use crate::session::Session;
use lariat_base::Id;
use lariat_frontend::statement::{initial_branch, is_skip, lines, one_line};
use lariat_system::{
    Context, Edge, LocId, LocRole, System, TransitionSystem as _, reachable_locations,
};
use lariat_verify::Model;
use lariat_verify::label;
use std::fmt::Write as _;

/// How many nodes a flow chart has at most.
const MAX_NODES: usize = 400;
/// How many structural states of a composition are drawn.
const MAX_LOCATIONS: usize = 60;

const GREEN: &str = "#e2f2e3";
const BLUE: &str = "#e1edfa";
const ORANGE: &str = "#fdf0dc";
/// The node that stands for the first state at the end of the picture.
const AGAIN: &str = "again";
/// The parts of a composition, by turns.
const PARTS: [&str; 6] = [
    "#1f6fb4", "#c4572a", "#3a8a3e", "#7b4fa3", "#9a7b1c", "#4a4a4a",
];

/// The picture of a model.
pub fn draw(session: &Session, model: &mut Model) -> String {
    let title = match &model.systems[..] {
        [system] => system.name.to_string(),
        systems => systems
            .iter()
            .map(|s| &*s.name)
            .collect::<Vec<_>>()
            .join(" + "),
    };
    let mut text = format!(
        "digraph \"{}\" {{\n  \
         graph [label=\"{}\", labelloc=t, fontname=\"Helvetica\", fontsize=16, nodesep=0.35, ranksep=0.45];\n  \
         node [fontname=\"DejaVu Sans Mono, Menlo, monospace\", fontsize=10, color=\"#555555\"];\n  \
         edge [fontname=\"DejaVu Sans Mono, Menlo, monospace\", fontsize=9, color=\"#555555\", arrowsize=0.7];\n",
        escape(&title),
        escape(&title)
    );
    if model.composed.is_some() {
        composition(&session.cx, model, &mut text);
    } else if model.is_program() {
        control_graph(&session.cx, &model.systems[0], &mut text);
    } else {
        flow_charts(&session.cx, &model.systems[0], &mut text);
    }
    text.push_str("}\n");
    text
}

/// Locations and edges of a CFA.
fn control_graph(cx: &Context, system: &System, text: &mut String) {
    start_node(text);
    for (at, location) in system.locations.iter_ids() {
        let look = match location.role {
            LocRole::Inner => continue,
            LocRole::Plain => "shape=ellipse, style=filled, fillcolor=white".into(),
            LocRole::Initial => format!("shape=ellipse, style=filled, fillcolor=\"{BLUE}\""),
            LocRole::Final => {
                format!("shape=ellipse, peripheries=2, style=filled, fillcolor=\"{GREEN}\"")
            }
            LocRole::Error => "shape=octagon, style=filled, fillcolor=\"#f8d4d0\", \
                 color=\"#b3261e\", fontcolor=\"#b3261e\""
                .into(),
            LocRole::Cut => "shape=ellipse, style=\"filled,dashed\", fillcolor=white".into(),
        };
        let name = escape(&location.name);
        let _ = writeln!(text, "  {} [{look}, label=\"{name}\"];", node(at));
    }
    for initial in &system.initial {
        edge(text, "start", &node(initial.target), "", "");
    }
    for (at, row) in system.edges.rows() {
        if system.locations[at].role == LocRole::Inner {
            continue;
        }
        for step in row.iter().filter(|step| !step.stutter) {
            let (target, stmts) = whole_edge(system, *step);
            let mut code_lines = Vec::new();
            for stmt in stmts {
                code_lines.extend(lines(cx, system.language, stmt));
            }
            let label = if code_lines.is_empty() {
                String::new()
            } else {
                format!("label=\"{}\"", code(&code_lines))
            };
            let error = match system.locations[target].role {
                LocRole::Error => "color=\"#b3261e\"",
                _ => "",
            };
            let more: Vec<&str> = [&*label, error]
                .into_iter()
                .filter(|a| !a.is_empty())
                .collect();
            edge(text, &node(at), &node(target), "", &more.join(", "));
        }
    }
}

/// The structural states of other languages, with the statements between them as flow charts.
///
/// Drawn from left to right; a state that steps lead back to is drawn a second time at the end, which
/// gives a far clearer picture than lines across everything.
fn flow_charts(cx: &Context, system: &System, text: &mut String) {
    text.push_str("  rankdir=LR;\n");
    start_node(text);
    let states = system
        .locations
        .iter_ids()
        .map(|(at, _)| (at, node(at), "#444444", "white"));
    let first = LocId::from_index(0);
    let again = [(first, AGAIN.to_owned(), "white", "#444444")];
    for (at, id, fill, font) in states.chain(again) {
        let name = match system.language.environment() {
            Some(_) => format!("{}\\nis next", escape(&system.locations[at].name)),
            None => "state".into(),
        };
        let _ = writeln!(
            text,
            "  {id} [shape=circle, width=0.8, fixedsize=true, style=filled, fillcolor=\"{fill}\", \
             fontcolor=\"{font}\", fontname=\"Helvetica\", label=\"{name}\"];"
        );
    }
    let mut budget = MAX_NODES;
    block(cx, system, None, &mut budget, text);
    for at in system.locations.ids() {
        block(cx, system, Some(at), &mut budget, text);
    }
}

/// The steps of one structural state, or those that start a run.
fn block(cx: &Context, system: &System, at: Option<LocId>, budget: &mut usize, text: &mut String) {
    let (row, source): (&[Edge], String) = match at {
        None => (&system.initial, "start".into()),
        Some(at) => (system.edges.row(at), node(at)),
    };
    let environment = system.language.environment();
    let (title, fill) = match (at, environment) {
        (None, _) => ("init", GREEN),
        (Some(at), Some(environment)) => {
            let name = &*system.locations[at].name;
            (name, if name == environment { BLUE } else { ORANGE })
        }
        (Some(_), None) if row.iter().all(|step| step.name.is_some()) => ("", ORANGE),
        (Some(_), None) => ("trans", ORANGE),
    };
    let mut flow = Flow {
        cx,
        language: system.language,
        fill,
        prefix: at.map_or("init".into(), |at| format!("step{}", at.index())),
        budget,
        nodes: String::new(),
        edges: String::new(),
        n_nodes: 0,
    };
    for (i, step) in row.iter().enumerate() {
        let stmt = match at {
            None => initial_branch(cx, step.stmt),
            Some(_) => step.stmt,
        };
        let name = match step.name {
            Some(_) => label::branch(cx, system, at, i, row) + ":",
            None => String::new(),
        };
        let entry = Exit {
            node: source.clone(),
            label: String::new(),
        };
        let ends = if is_skip(cx, stmt) && name.is_empty() {
            vec![entry]
        } else {
            flow.draw(stmt, &name, vec![entry])
        };
        let is_back = at.is_some_and(|at| step.target <= at);
        let target = if is_back {
            AGAIN.to_owned()
        } else {
            node(step.target)
        };
        flow.join(&ends, &target);
    }
    if flow.nodes.is_empty() || title.is_empty() {
        text.push_str(&flow.nodes);
    } else {
        let _ = writeln!(
            text,
            "  subgraph cluster_{} {{\n    label=\"{title}\"; labeljust=l; fontsize=13; \
             style=\"rounded,dashed\"; color=\"#999999\";\n{}  }}",
            flow.prefix, flow.nodes
        );
    }
    text.push_str(&flow.edges);
}

/// The structural states of a composition that can be reached if nothing blocks.
fn composition(cx: &Context, model: &mut Model, text: &mut String) {
    start_node(text);
    let mut drawn = reachable_locations(model, MAX_LOCATIONS + 1);
    let too_many = drawn.len() > MAX_LOCATIONS;
    drawn.truncate(MAX_LOCATIONS);
    for &at in &drawn {
        let name = escape(&model.location_name(at)).replace(" | ", "\\n");
        let look = "shape=box, style=\"rounded,filled\", fillcolor=white";
        let _ = writeln!(text, "  {} [{look}, label=\"{name}\"];", node(at));
    }
    let initial = model.initial();
    for step in initial.iter().filter(|step| drawn.contains(&step.target)) {
        edge(text, "start", &node(step.target), "", "");
    }
    for &at in &drawn {
        let row = model.edges(at);
        for step in row.iter().filter(|step| drawn.contains(&step.target)) {
            let origin = label::origin(model, at, step);
            let part = origin.map_or(0, |origin| origin.part);
            let language = model.systems[part].language;
            let mut what = one_line(cx, language, step.stmt, 40);
            if let Some(name) = step.name {
                what = cx.names[name].to_string();
            } else if step.stutter {
                what = "stays".into();
            }
            let color = PARTS[part % PARTS.len()];
            let more = format!("color=\"{color}\", fontcolor=\"{color}\"");
            let name = match &*what {
                "" => format!("{}", part + 1),
                what => format!("{}: {what}", part + 1),
            };
            edge(text, &node(at), &node(step.target), &name, &more);
        }
    }
    if too_many {
        let _ = writeln!(
            text,
            "  more [shape=note, label=\"only the first {MAX_LOCATIONS} structural states are drawn\"];"
        );
    }
}

fn start_node(text: &mut String) {
    text.push_str("  start [shape=point, width=0.15, label=\"\"];\n");
}

fn node(at: impl Id) -> String {
    format!("l{}", at.index())
}
