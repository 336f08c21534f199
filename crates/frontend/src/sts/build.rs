//! Makes the system of an STS: one location, one step.

use crate::parser::Parser;
use lariat_base::{Csr, Id, Span};
use lariat_expr::{TermId, VarId};
use lariat_system::{
    Edge, Initial, Language, LocId, LocRole, Location, Property, Stmt, StmtId, System, Variable,
};

/// What an STS consists of.
#[derive(Default)]
pub(super) struct Body {
    pub constants: Vec<(Box<str>, TermId)>,
    pub variables: Vec<Variable>,
    pub initial: Vec<(TermId, Span)>,
    pub invariants: Vec<(TermId, Span)>,
    pub transitions: Vec<(TermId, Span)>,
}

/// The system. `parser.rigid` holds the variables that never change.
pub(super) fn system(
    parser: &mut Parser<'_>,
    name: &str,
    body: Body,
    properties: Vec<Property>,
) -> System {
    let at = LocId::from_index(0);
    let edge = |stmt: StmtId| Edge {
        stmt,
        target: at,
        observed: true,
        name: None,
        stutter: false,
    };
    let mut start: Vec<StmtId> = Vec::new();
    for &(term, span) in body.initial.iter().chain(&body.invariants) {
        start.push(parser.cx.stmts.add(Stmt::Assume(term), Some(span)));
    }
    let branch = parser.cx.stmts.seq(&start, None);
    let initial = Initial::new(parser.cx, &body.variables, vec![edge(branch)]);

    let moving: Vec<(VarId, VarId, Option<Span>)> = body
        .variables
        .iter()
        .filter(|variable| !parser.rigid.contains(&variable.var))
        .map(|variable| {
            let decl = parser.cx.terms.decl(variable.var).clone();
            let name = format!("{}'", decl.name);
            let next = parser.cx.terms.declare_instance(&name, decl.sort, 1);
            (variable.var, next, variable.span)
        })
        .collect();
    let mut step: Vec<StmtId> = Vec::new();
    for &(_, next, span) in &moving {
        step.push(parser.cx.stmts.add(Stmt::Havoc(next), span));
    }
    for &(term, span) in &body.transitions {
        step.push(parser.cx.stmts.add(Stmt::Assume(term), Some(span)));
    }
    for &(term, span) in &body.invariants {
        let next = parser
            .next_state(term)
            .expect("an invariant speaks of one state");
        step.push(parser.cx.stmts.add(Stmt::Assume(term), Some(span)));
        step.push(parser.cx.stmts.add(Stmt::Assume(next), Some(span)));
    }
    for &(var, next, span) in &moving {
        let value = parser.cx.terms.var(next);
        step.push(parser.cx.stmts.add(Stmt::Assign(var, value), span));
    }
    let step = parser.cx.stmts.seq(&step, None);

    System {
        name: name.into(),
        language: Language::Sts,
        sorts: Vec::new(),
        constants: body.constants,
        variables: body.variables,
        locations: std::iter::once(Location {
            name: "run".into(),
            role: LocRole::Plain,
            span: None,
        })
        .collect(),
        initial,
        edges: Csr::from_rows([[edge(step)]]),
        fairness: Vec::new(),
        properties,
        program: None,
    }
}
