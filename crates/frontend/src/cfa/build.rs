//! Makes the system of a CFA: statements of one edge become steps of their own.

use lariat_base::{Id, IdVec, Span};
use lariat_system::{
    Context, Edge, Language, LocId, LocRole, Location, Property, PropertyBody, StmtId, System,
    SystemBuilder, Variable,
};

/// A process as it was read.
pub(super) struct Process {
    pub name: Box<str>,
    pub variables: Vec<Variable>,
    pub locations: IdVec<LocId, Location>,
    pub edges: Vec<SourceEdge>,
}

/// An edge as it was read.
pub(super) struct SourceEdge {
    pub source: LocId,
    pub target: LocId,
    pub stmts: Vec<StmtId>,
    pub span: Span,
}

impl Process {
    /// A process without members.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            variables: Vec::new(),
            locations: IdVec::new(),
            edges: Vec::new(),
        }
    }
}

/// The system of the main process, which has an initial location.
pub(super) fn system(cx: &mut Context, variables: Vec<Variable>, process: Process) -> System {
    let mut model = SystemBuilder::new(Language::Cfa, process.name);
    for variable in variables {
        model.variable(variable);
    }
    let named = process.locations;
    for location in &named {
        model.location(location.clone());
    }
    let mut source_edges = process.edges;
    // Grouped by their source, so that a printed model numbers its inner locations alike.
    source_edges.sort_by_key(|edge| edge.source);
    let mut is_final = vec![true; named.len()];
    for edge in source_edges {
        let mut at = edge.source;
        is_final[at.index()] = false;
        let Some((&last, before)) = edge.stmts.split_last() else {
            let skip = cx.stmts.seq(&[], Some(edge.span));
            model.edge(at, Edge::new(skip, edge.target));
            continue;
        };
        for (i, &stmt) in before.iter().enumerate() {
            let (source, target) = (&named[edge.source].name, &named[edge.target].name);
            let next = model.location(Location {
                name: format!("{source}->{target}:{}", i + 1).into(),
                role: LocRole::Inner,
                span: cx.stmts.span(stmt),
            });
            model.edge(at, Edge::new(stmt, next));
            at = next;
        }
        model.edge(at, Edge::new(last, edge.target));
    }
    let skip = cx.stmts.skip();
    let with_role = |role: LocRole| named.iter_ids().find(|(_, location)| location.role == role);
    let (start, _) = with_role(LocRole::Initial).expect("the caller has checked for it");
    model.start(Edge::new(skip, start).observed_if(false));
    for (at, _) in named.iter_ids().filter(|(at, _)| is_final[at.index()]) {
        model.edge(at, Edge::new(skip, at).stuttering());
    }
    if let Some((error, location)) = with_role(LocRole::Error) {
        model.property(Property {
            name: "".into(),
            alias: None,
            body: PropertyBody::Unreachable(error),
            span: location.span,
        });
    }
    model.finish(cx)
}
