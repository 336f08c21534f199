//! Makes the system of an STS: one location, one step.

use crate::parser::Parser;
use lariat_base::Span;
use lariat_expr::{TermId, VarId};
use lariat_system::{Edge, Language, Location, Stmt, StmtId, System, SystemBuilder};

/// What an STS consists of.
pub(super) struct Body {
    /// Its declarations and properties.
    pub model: SystemBuilder,
    pub initial: Vec<(TermId, Span)>,
    pub invariants: Vec<(TermId, Span)>,
    pub transitions: Vec<(TermId, Span)>,
}

impl Body {
    /// A model with nothing in it.
    pub fn new() -> Self {
        Self {
            model: SystemBuilder::new(Language::Sts, ""),
            initial: Vec::new(),
            invariants: Vec::new(),
            transitions: Vec::new(),
        }
    }
}

/// The system. `parser.rigid` holds the variables that never change.
pub(super) fn system(parser: &mut Parser<'_>, body: Body) -> System {
    let mut model = body.model;
    let mut start: Vec<StmtId> = Vec::new();
    for &(term, span) in body.initial.iter().chain(&body.invariants) {
        start.push(parser.cx.stmts.add(Stmt::Assume(term), Some(span)));
    }
    let branch = parser.cx.stmts.seq(&start, None);
    let run = model.location(Location::new("run"));
    model.start(Edge::new(branch, run));

    let moving: Vec<(VarId, VarId, Option<Span>)> = model
        .variables()
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

    model.edge(run, Edge::new(step, run));
    model.finish(parser.cx)
}
