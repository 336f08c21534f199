//! The summary for programs: schema `lariat-show/1`.
//!
//! Fields are only ever added under that name; anything else gets a new number.

use super::text::whole_edge;
use crate::session::Session;
use lariat_base::{SourceId, Span};
use lariat_expr::{Int, show_term};
use lariat_frontend::statement::{dialect, initial_branch, lines};
use lariat_system::{Edge, LocId, LocRole, PropertyBody, System};
use lariat_verify::Model;
use lariat_verify::label;
use serde::Serialize;

/// Everything.
#[derive(Serialize)]
pub struct Report {
    schema: &'static str,
    /// `alternate`, `interleave`, or null for a single model.
    compose: Option<&'static str>,
    models: Vec<ModelReport>,
}

#[derive(Serialize)]
struct ModelReport {
    name: String,
    file: String,
    language: &'static str,
    types: Vec<TypeReport>,
    variables: Vec<VariableReport>,
    locations: Vec<LocationReport>,
    initial: Vec<StepReport>,
    transitions: Vec<StepReport>,
    properties: Vec<PropertyReport>,
}

#[derive(Serialize)]
struct TypeReport {
    name: String,
    literals: Vec<String>,
}

#[derive(Serialize)]
struct VariableReport {
    name: String,
    sort: String,
    control: bool,
    /// The declared initial value as the language writes it.
    initial: Option<String>,
    /// Least and greatest value, as decimal text: they may be larger than any machine number.
    range: Option<[String; 2]>,
    line: Option<usize>,
}

#[derive(Serialize)]
struct LocationReport {
    name: String,
    role: &'static str,
    line: Option<usize>,
}

#[derive(Serialize)]
struct StepReport {
    name: String,
    /// Null for steps that start a run.
    source: Option<String>,
    target: String,
    observed: bool,
    stutter: bool,
    statements: Vec<String>,
    line: Option<usize>,
}

#[derive(Serialize)]
struct PropertyReport {
    name: String,
    kind: &'static str,
    text: String,
    line: Option<usize>,
}

/// The report on a model.
pub fn report(session: &Session, model: &Model) -> Report {
    let models = model.systems.iter().zip(&model.files);
    let models = models.map(|(system, &file)| ModelReport {
        file: session.sources.file(file).name.clone(),
        ..one(session, system)
    });
    Report {
        schema: "lariat-show/1",
        compose: model.composed.as_ref().map(|(how, _)| how.name()),
        models: models.collect(),
    }
}

fn one(session: &Session, system: &System) -> ModelReport {
    let terms = &session.cx.terms;
    let spelling = dialect(system.language);
    let lines = Lines::of(session, system);
    let line = |span: Option<Span>| lines.line(span?);
    let types = system
        .sorts
        .iter()
        .filter_map(|&sort| terms.sorts.as_enum(sort))
        .map(|decl| TypeReport {
            name: decl.name.to_string(),
            literals: decl.literals.iter().map(ToString::to_string).collect(),
        });
    let variables = system.variables.iter().map(|variable| VariableReport {
        name: terms.name(variable.var).to_owned(),
        sort: spelling.sort_name(&terms.sorts, terms.var_sort(variable.var)),
        control: variable.ctrl,
        initial: variable.initial.map(|v| show_term(terms, v, spelling)),
        range: variable
            .range
            .as_ref()
            .map(|(low, high)| [low, high].map(Int::to_string)),
        line: line(variable.span),
    });
    let named = system.locations.iter();
    let named = named.filter(|location| location.role != LocRole::Inner);
    let locations = named.map(|location| LocationReport {
        name: location.name.to_string(),
        role: role(location.role),
        line: line(location.span),
    });
    let properties = system.properties.iter().map(|property| PropertyReport {
        name: property.name.to_string(),
        kind: match property.body {
            PropertyBody::Invariant(_) => "invariant",
            PropertyBody::Ltl(_) | PropertyBody::Temporal(_) => "ltl",
            PropertyBody::Unreachable(_) => "unreachable",
            PropertyBody::NotAllRecur(_) => "not-all-recur",
        },
        text: match &property.body {
            PropertyBody::Invariant(term) => show_term(terms, *term, spelling),
            PropertyBody::Ltl(text) => text.to_string(),
            PropertyBody::Temporal(tree) => tree.text.to_string(),
            PropertyBody::Unreachable(at) => system.locations[*at].name.to_string(),
            PropertyBody::NotAllRecur(list) => {
                let names: Vec<&str> = list.iter().map(|(name, _)| &**name).collect();
                names.join(", ")
            }
        },
        line: line(property.span),
    });
    ModelReport {
        name: system.name.to_string(),
        file: String::new(),
        language: system.language.name(),
        types: types.collect(),
        variables: variables.collect(),
        locations: locations.collect(),
        initial: steps(session, system, &lines, None, &system.initial),
        transitions: system
            .edges
            .rows()
            .filter(|(at, _)| system.locations[*at].role != LocRole::Inner)
            .flat_map(|(at, row)| steps(session, system, &lines, Some(at), row))
            .collect(),
        properties: properties.collect(),
    }
}

fn steps(
    session: &Session,
    system: &System,
    lines_of: &Lines,
    at: Option<LocId>,
    edges: &[Edge],
) -> Vec<StepReport> {
    let cx = &session.cx;
    let step = |(i, edge): (usize, &Edge)| {
        let (target, stmts) = whole_edge(system, *edge);
        let mut statements = Vec::new();
        for stmt in &stmts {
            let stmt = match at {
                None => initial_branch(cx, *stmt),
                Some(_) => *stmt,
            };
            statements.extend(lines(cx, system.language, stmt));
        }
        let span = stmts.iter().find_map(|&stmt| cx.stmts.span(stmt));
        let line = span.and_then(|span| lines_of.line(span));
        StepReport {
            name: label::branch(cx, system, at, i, edges),
            source: at.map(|at| system.locations[at].name.to_string()),
            target: system.locations[target].name.to_string(),
            observed: edge.observed,
            stutter: edge.stutter,
            statements,
            line,
        }
    };
    edges.iter().enumerate().map(step).collect()
}

/// Where the lines of a model's text start: a model of many megabytes has many places to name.
struct Lines {
    source: Option<SourceId>,
    starts: Vec<u32>,
}

impl Lines {
    fn of(session: &Session, system: &System) -> Self {
        let spans = system.variables.iter().filter_map(|variable| variable.span);
        let edges = system.edges.rows().flat_map(|(_, row)| row);
        let stmts = edges.filter_map(|edge| session.cx.stmts.span(edge.stmt));
        let source = spans.chain(stmts).next().map(|span| span.source);
        let text = source.map_or("", |source| &session.sources.file(source).text);
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = breaks.map(|(at, _)| at as u32 + 1);
        Self {
            source,
            starts: std::iter::once(0).chain(starts).collect(),
        }
    }

    fn line(&self, span: Span) -> Option<usize> {
        let known = self.source == Some(span.source);
        known.then(|| self.starts.partition_point(|&start| start <= span.start))
    }
}

fn role(role: LocRole) -> &'static str {
    match role {
        LocRole::Plain => "plain",
        LocRole::Initial => "initial",
        LocRole::Final => "final",
        LocRole::Error => "error",
        LocRole::Inner => "inner",
        LocRole::Cut => "cut",
    }
}
