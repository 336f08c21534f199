//! A chart as SCXML.

use super::{Act, Ex, Kind, RandomChart};
use std::fmt::Write as _;

pub(super) fn print(chart: &RandomChart) -> String {
    let binding = if chart.late { " binding=\"late\"" } else { "" };
    let mut text = format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\"{binding}{}>\n",
        initial(chart, 0)
    );
    data(chart, 0, &mut text);
    for &inner in &chart.states[0].inner {
        state(chart, inner, 1, &mut text);
    }
    text.push_str("</scxml>\n");
    text
}

fn names(chart: &RandomChart, states: &[usize]) -> String {
    let names: Vec<&str> = states.iter().map(|&at| &*chart.states[at].id).collect();
    names.join(" ")
}

/// The attribute `initial`, where no element says it.
fn initial(chart: &RandomChart, at: usize) -> String {
    let state = &chart.states[at];
    match &state.initial {
        Some(targets) if state.initial_content.is_empty() && !chart.is_history(at) => {
            format!(" initial=\"{}\"", names(chart, targets))
        }
        _ => String::new(),
    }
}

fn data(chart: &RandomChart, at: usize, text: &mut String) {
    let all: Vec<_> = chart.data.iter().filter(|data| data.2 == at).collect();
    if all.is_empty() {
        return;
    }
    text.push_str("<datamodel>\n");
    for (name, value, _) in all {
        let value = value.as_ref().map_or(String::new(), |value| {
            format!(" expr=\"{}\"", attribute(chart, value))
        });
        let _ = writeln!(text, "  <data id=\"{name}\"{value}/>");
    }
    text.push_str("</datamodel>\n");
}

fn state(chart: &RandomChart, at: usize, depth: usize, text: &mut String) {
    let state = &chart.states[at];
    let (tag, kind) = match state.kind {
        Kind::State => ("state", ""),
        Kind::Parallel => ("parallel", ""),
        Kind::Final => ("final", ""),
        Kind::Shallow => ("history", " type=\"shallow\""),
        Kind::Deep => ("history", " type=\"deep\""),
    };
    let pad = "  ".repeat(depth);
    let _ = writeln!(
        text,
        "{pad}<{tag} id=\"{}\"{kind}{}>",
        state.id,
        initial(chart, at)
    );
    data(chart, at, text);
    if chart.is_history(at) {
        let targets = state.initial.as_deref().unwrap_or(&[]);
        let _ = writeln!(
            text,
            "{pad}  <transition target=\"{}\">",
            names(chart, targets)
        );
        acts(chart, &state.initial_content, depth + 2, text);
        let _ = writeln!(text, "{pad}  </transition>");
    } else if let (Some(targets), false) = (&state.initial, state.initial_content.is_empty()) {
        let _ = writeln!(
            text,
            "{pad}  <initial><transition target=\"{}\">",
            names(chart, targets)
        );
        acts(chart, &state.initial_content, depth + 2, text);
        let _ = writeln!(text, "{pad}  </transition></initial>");
    }
    for (tag, blocks) in [("onentry", &state.entry), ("onexit", &state.exit)] {
        for block in blocks {
            let _ = writeln!(text, "{pad}  <{tag}>");
            acts(chart, block, depth + 2, text);
            let _ = writeln!(text, "{pad}  </{tag}>");
        }
    }
    for &t in &state.transitions {
        let transition = &chart.transitions[t];
        let mut attributes = String::new();
        if !transition.events.is_empty() {
            let _ = write!(attributes, " event=\"{}\"", transition.events.join(" "));
        }
        if let Some(cond) = &transition.cond {
            let _ = write!(attributes, " cond=\"{}\"", attribute(chart, cond));
        }
        if !transition.targets.is_empty() {
            let _ = write!(
                attributes,
                " target=\"{}\"",
                names(chart, &transition.targets)
            );
        }
        if transition.internal {
            attributes.push_str(" type=\"internal\"");
        }
        let _ = writeln!(text, "{pad}  <transition{attributes}>");
        acts(chart, &transition.content, depth + 2, text);
        let _ = writeln!(text, "{pad}  </transition>");
    }
    for &inner in &state.inner {
        self::state(chart, inner, depth + 1, text);
    }
    let _ = writeln!(text, "{pad}</{tag}>");
}

fn acts(chart: &RandomChart, block: &[Act], depth: usize, text: &mut String) {
    let pad = "  ".repeat(depth);
    for act in block {
        let _ = match act {
            Act::Raise(event) => writeln!(text, "{pad}<raise event=\"{event}\"/>"),
            Act::Send(event, delay, id) => {
                let delay = if *delay == 0 {
                    String::new()
                } else {
                    format!(" delay=\"{delay}ms\"")
                };
                let id = id
                    .as_ref()
                    .map_or(String::new(), |id| format!(" id=\"{id}\""));
                writeln!(text, "{pad}<send event=\"{event}\"{delay}{id}/>")
            }
            Act::Cancel(id) => writeln!(text, "{pad}<cancel sendid=\"{id}\"/>"),
            Act::Assign(var, value) => {
                let (name, value) = (&chart.data[*var].0, attribute(chart, value));
                writeln!(text, "{pad}<assign location=\"{name}\" expr=\"{value}\"/>")
            }
            Act::Wrong => writeln!(text, "{pad}<assign location=\"nobody\" expr=\"1\"/>"),
            Act::If(cond, then, otherwise) => {
                let _ = writeln!(text, "{pad}<if cond=\"{}\">", attribute(chart, cond));
                acts(chart, then, depth + 1, text);
                let _ = writeln!(text, "{pad}<else/>");
                acts(chart, otherwise, depth + 1, text);
                writeln!(text, "{pad}</if>")
            }
            Act::Foreach(numbers, item, body) => {
                let item = &chart.data[*item].0;
                let _ = writeln!(text, "{pad}<foreach array=\"{numbers:?}\" item=\"{item}\">");
                acts(chart, body, depth + 1, text);
                writeln!(text, "{pad}</foreach>")
            }
        };
    }
}

fn attribute(chart: &RandomChart, ex: &Ex) -> String {
    expression(chart, ex)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
}

fn expression(chart: &RandomChart, ex: &Ex) -> String {
    match ex {
        Ex::Int(value) if *value < 0 => format!("({value})"),
        Ex::Int(value) => value.to_string(),
        Ex::Bool(value) => value.to_string(),
        Ex::Text(value) => format!("'{value}'"),
        Ex::Var(at) => chart.data[*at].0.clone(),
        Ex::In(at) => format!("In('{}')", chart.states[*at].id),
        Ex::Event => "_event.name".to_owned(),
        Ex::Unknown => "nobody".to_owned(),
        Ex::Not(inner) => format!("!({})", expression(chart, inner)),
        Ex::Op(op, left, right) => format!(
            "({} {op} {})",
            expression(chart, left),
            expression(chart, right)
        ),
    }
}
