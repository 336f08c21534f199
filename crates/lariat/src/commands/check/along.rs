//! A run of a program along its source: one line for each statement that was executed, however many of
//! them a step of the check is made of.

use super::report::Shown;
use crate::label;
use crate::load::Model;
use crate::session::Session;
use lariat_base::{FxHashMap, Span};
use lariat_expr::TermId;
use lariat_system::{
    Context, Deed, Done, Edge, Language, State, Step, Stmt, TransitionSystem as _, deeds,
};

/// The longest piece of source that is shown.
const WIDTH: usize = 60;

/// For the conditions in the text of C programs, by their place: whether a test of this term was one of the
/// condition itself, or of its opposite.
pub type Branches = FxHashMap<(Span, TermId), bool>;

/// How the conditions of C programs are tested: where two steps from one place have the same text, the first is for
/// the case that it is true. To be asked before steps are merged, which may turn a test around.
pub fn branches(cx: &Context, model: &Model) -> Branches {
    let mut found = Branches::default();
    for system in &model.systems {
        if system.language != Language::C {
            continue;
        }
        for (_, edges) in system.edges.rows() {
            let [first, second] = edges else { continue };
            let (Some(span), Some(other)) = (cx.stmts.span(first.stmt), cx.stmts.span(second.stmt))
            else {
                continue;
            };
            if span != other {
                continue;
            }
            for (edge, truth) in [(first, true), (second, false)] {
                cx.stmts.walk(edge.stmt, |id, stmt| {
                    if let Stmt::Assume(term) = stmt
                        && cx.stmts.span(id) == Some(span)
                    {
                        found.insert((span, term), truth);
                    }
                });
            }
        }
    }
    found
}

/// The statements that a step executed, in order; nothing if their places are not known.
pub fn statements(
    session: &Session,
    model: &Model,
    branches: &Branches,
    before: Option<&State>,
    edge: Edge,
    step: &Step,
) -> Vec<Shown> {
    let cx = &session.cx;
    let mut shown: Vec<(Span, Shown)> = Vec::new();
    for Deed { stmt, what } in deeds(cx, model.variables(), before, edge, &step.decisions) {
        // What has no place in the source was added by us: forgetting dead values, say.
        let Some(span) = cx.stmts.span(stmt) else {
            continue;
        };
        if shown.last().is_none_or(|(last, _)| *last != span) {
            shown.push((span, one(session, span)));
        }
        let (_, last) = shown.last_mut().expect("just pushed");
        match what {
            Done::Tested(truth) => {
                if last.changes.is_empty() {
                    let condition = match cx.stmts.get(stmt) {
                        Stmt::Assume(term) | Stmt::If(term, ..) => Some(term),
                        _ => None,
                    };
                    let direct = condition.and_then(|term| branches.get(&(span, term)));
                    last.tested = Some(direct.is_none_or(|&direct| direct) == truth);
                }
            }
            Done::Set(var, value) => {
                let name = cx.terms.name(var).to_owned();
                let value = value.display(&cx.terms.sorts, cx.terms.var_sort(var));
                last.changes.retain(|(other, _)| *other != name);
                last.changes.push((name, value));
            }
        }
    }
    shown.into_iter().map(|(_, shown)| shown).collect()
}

fn one(session: &Session, span: Span) -> Shown {
    Shown {
        location: String::new(),
        action: snippet(session, span),
        source: Some(label::place(&session.sources, span)),
        changes: Vec::new(),
        tested: None,
        observed: false,
        inside: true,
        letter: None,
        automaton: None,
    }
}

/// The text of a place, in one line.
fn snippet(session: &Session, span: Span) -> String {
    let text = session.sources.snippet(span);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    // Of a statement with a block, its head.
    let line = line.split(" {").next().unwrap_or(&line);
    let line = line.trim_end_matches(';');
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
