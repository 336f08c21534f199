//! Abstractions for people, for Graphviz and as data.

use crate::commands::show::escape;
use lariat_base::Id as _;
use lariat_check::AbstractStep;
use lariat_system::Context;
use lariat_verify::boolean::Shown;
use serde_json::json;
use std::fmt::Write as _;

/// The classes, each with its steps.
pub fn text(shown: &Shown, cx: &Context) -> String {
    let mut text = String::new();
    for (name, what) in shown.names.iter().zip(&shown.texts) {
        let _ = writeln!(text, "{name}: {what}");
    }
    let graph = &shown.graph;
    let n_must = graph.steps.iter().filter(|step| step.is_must).count();
    let _ = writeln!(
        text,
        "{} classes, {} may steps, {n_must} of them must steps{}",
        graph.classes.len(),
        graph.steps.len(),
        if graph.is_exact() {
            ": the abstraction is exact"
        } else {
            ""
        }
    );
    for class in shown.classes() {
        let is_initial = graph.initial.iter().any(|&(start, _)| start == class);
        let start = if is_initial {
            "  (runs start here)"
        } else {
            ""
        };
        let _ = writeln!(text, "\n{class:?}: {}{start}", shown.describe(class));
        for step in graph.steps.iter().filter(|step| step.from == class) {
            let must = if step.is_must { "must" } else { "may " };
            let _ = writeln!(text, "  {must} {} -> {:?}", label(cx, step), step.to);
        }
    }
    text
}

/// A picture: must steps are solid, may steps dashed.
pub fn dot(shown: &Shown, cx: &Context) -> String {
    let graph = &shown.graph;
    let mut text = format!(
        "digraph \"{}\" {{\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#e1edfa\", fontname=\"Helvetica\", \
         fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=10];\n",
        escape(&shown.model)
    );
    for class in shown.classes() {
        let what = escape(&shown.describe(class)).replace(", ", "\\n");
        let _ = writeln!(text, "  n{} [label=\"{what}\"];", class.index());
    }
    for (class, is_must) in &graph.initial {
        let at = class.index();
        let _ = writeln!(text, "  start{at} [shape=point];");
        let _ = writeln!(text, "  start{at} -> n{at} [style={}];", style(*is_must));
    }
    for step in &graph.steps {
        let _ = writeln!(
            text,
            "  n{} -> n{} [label=\"{}\", style={}];",
            step.from.index(),
            step.to.index(),
            escape(label(cx, step)),
            style(step.is_must)
        );
    }
    text.push_str("}\n");
    text
}

/// The abstraction as data.
pub fn json(shown: &Shown, cx: &Context) -> String {
    let graph = &shown.graph;
    let predicates: Vec<_> = shown
        .names
        .iter()
        .zip(&shown.texts)
        .map(|(name, condition)| json!({ "name": name, "condition": condition }))
        .collect();
    let classes: Vec<_> = shown
        .classes()
        .map(|class| {
            let initial = graph.initial.iter().find(|&&(start, _)| start == class);
            json!({
                "place": shown.place(class),
                "truths": graph.class(class).truths,
                "initial": initial.map(|&(_, is_must)| if is_must { "must" } else { "may" }),
            })
        })
        .collect();
    let steps: Vec<_> = graph
        .steps
        .iter()
        .map(|step| {
            json!({
                "from": step.from.index(),
                "to": step.to.index(),
                "action": step.name.map(|name| cx.names[name].to_string()),
                "kind": if step.is_must { "must" } else { "may" },
            })
        })
        .collect();
    let all = json!({
        "model": shown.model,
        "predicates": predicates,
        "classes": classes,
        "steps": steps,
        "exact": graph.is_exact(),
    });
    format!("{all:#}\n")
}

fn label<'c>(cx: &'c Context, step: &AbstractStep) -> &'c str {
    step.name.map_or("step", |name| &*cx.names[name])
}

fn style(is_must: bool) -> &'static str {
    if is_must { "solid" } else { "dashed" }
}
