//! A statechart as an engineer draws it: states inside of states, regions, transitions.

use super::flow::escape;
use lariat_system::{Chart, ChartKind, System};
use lariat_verify::Model;
use std::fmt::Write as _;

/// The chart, if the model is one by itself.
pub fn chart_of(model: &Model) -> Option<(&System, &Chart)> {
    match &model.systems[..] {
        [system] if model.composed.is_none() => Some((system, system.chart.as_deref()?)),
        _ => None,
    }
}

/// The chart as indented text.
pub fn text(system: &System, chart: &Chart) -> String {
    let mut text = format!("statechart {}\n", system.name);
    let list = |states: &[usize]| -> String {
        let names: Vec<&str> = states.iter().map(|&at| &*chart.states[at].name).collect();
        names.join(" ")
    };
    let depth = |mut at: usize| {
        let mut n = 0;
        while let Some(outer) = chart.states[at].parent {
            (at, n) = (outer, n + 1);
        }
        n
    };
    for (at, state) in chart.states.iter().enumerate() {
        let pad = "  ".repeat(depth(at) + 1);
        if at > 0 {
            let kind = match state.kind {
                ChartKind::Atomic => "state",
                ChartKind::Compound => "state",
                ChartKind::Parallel => "parallel",
                ChartKind::Final => "final",
                ChartKind::ShallowHistory => "history",
                ChartKind::DeepHistory => "deep history",
                ChartKind::Junction => "node",
            };
            let initial = if state.initial.is_empty() {
                String::new()
            } else {
                format!("  (first {})", list(&state.initial))
            };
            let _ = writeln!(text, "{pad}{kind} {}{initial}", state.name);
        }
        for action in &state.actions {
            let _ = writeln!(text, "{pad}  {action}");
        }
        for transition in chart
            .transitions
            .iter()
            .filter(|transition| transition.source == at)
        {
            let label = if transition.label.is_empty() {
                "(no event)"
            } else {
                &transition.label
            };
            let target = if transition.targets.is_empty() {
                String::new()
            } else {
                format!(" -> {}", list(&transition.targets))
            };
            let _ = writeln!(text, "{pad}  {label}{target}");
        }
    }
    let data: Vec<&str> = chart.data.iter().map(|data| &*data.name).collect();
    if !data.is_empty() {
        let _ = writeln!(text, "data  {}", data.join(", "));
    }
    let named = chart.environment.iter().map(|&at| &*chart.events[at].0);
    let inputs = chart.signals.iter().filter(|signal| signal.is_input);
    let events: Vec<&str> = named.chain(inputs.map(|signal| &*signal.name)).collect();
    let _ = writeln!(text, "events of the environment  {}", events.join(", "));
    for send in &chart.sends {
        let _ = writeln!(
            text,
            "sends itself  {} after {} ms",
            chart.events[send.event].0, send.delay
        );
    }
    for property in &system.properties {
        let _ = writeln!(text, "property {}", property.name);
    }
    text
}

/// The chart for Graphviz: states with states inside are boxes around them.
pub fn dot(system: &System, chart: &Chart) -> String {
    let mut text = format!(
        "digraph \"{0}\" {{\n  graph [label=\"{0}\", labelloc=t, fontname=\"Helvetica\", fontsize=14, compound=true];\n  \
         node [fontname=\"Helvetica\", fontsize=10, color=\"#555555\", shape=box, style=rounded];\n  \
         edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", arrowsize=0.7];\n",
        escape(&system.name)
    );
    let mut open: Vec<usize> = Vec::new();
    for (at, state) in chart.states.iter().enumerate().skip(1) {
        while open
            .last()
            .is_some_and(|&outer| !chart.is_inside(at, outer))
        {
            open.pop();
            text.push_str("  }\n");
        }
        let name = escape(&state.name);
        let _ = match state.kind {
            ChartKind::Compound | ChartKind::Parallel => {
                open.push(at);
                let of_parallel = state
                    .parent
                    .is_some_and(|outer| chart.states[outer].kind == ChartKind::Parallel);
                let style = if of_parallel { "dashed" } else { "rounded" };
                writeln!(
                    text,
                    "  subgraph cluster_{at} {{ label=\"{name}\"; style={style}; color=\"#555555\"; n{at} [shape=point, style=invis, width=0.01];"
                )
            }
            ChartKind::Final => writeln!(
                text,
                "  n{at} [label=\"{name}\", shape=doublecircle, style=solid];"
            ),
            ChartKind::ShallowHistory => {
                writeln!(text, "  n{at} [label=\"H\", shape=circle, style=solid];")
            }
            ChartKind::DeepHistory => {
                writeln!(text, "  n{at} [label=\"H*\", shape=circle, style=solid];")
            }
            ChartKind::Junction => {
                writeln!(text, "  n{at} [label=\"\", shape=diamond, style=solid];")
            }
            ChartKind::Atomic => writeln!(text, "  n{at} [label=\"{name}\"];"),
        };
    }
    text.push_str(&"  }\n".repeat(open.len()));
    let end = |at: usize, which: &str| match chart.states[at].kind {
        ChartKind::Compound | ChartKind::Parallel => format!(", l{which}=cluster_{at}"),
        _ => String::new(),
    };
    for (at, state) in chart.states.iter().enumerate() {
        for &target in state.initial.iter().filter(|_| !state.kind.is_history()) {
            let _ = writeln!(
                text,
                "  i{at} [shape=point, width=0.08];\n  i{at} -> n{target} [style=dotted{}];",
                end(target, "head")
            );
        }
    }
    for transition in &chart.transitions {
        let label = escape(&transition.label);
        let targets = if transition.targets.is_empty() {
            vec![transition.source]
        } else {
            transition.targets.clone()
        };
        for target in targets {
            let (tail, head) = (end(transition.source, "tail"), end(target, "head"));
            let ends = if target == transition.source {
                String::new()
            } else {
                format!("{tail}{head}")
            };
            let _ = writeln!(
                text,
                "  n{} -> n{target} [label=\"{label}\"{ends}];",
                transition.source
            );
        }
    }
    text.push_str("}\n");
    text
}
