//! Makes the system of a CFA: statements of one edge become steps of their own.

use lariat_base::{Csr, Id, IdVec, Span};
use lariat_system::{
    Context, Edge, Initial, Language, LocId, LocRole, Location, Property, PropertyBody, StmtId,
    System, Variable,
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
    let mut locations = process.locations;
    let mut source_edges = process.edges;
    // Grouped by their source, so that a printed model numbers its inner locations alike.
    source_edges.sort_by_key(|edge| edge.source);
    let plain = |stmt: StmtId, target: LocId| Edge {
        stmt,
        target,
        observed: true,
        name: None,
        stutter: false,
    };
    let n_named = locations.len();
    let mut edges: Vec<(LocId, Edge)> = Vec::new();
    for edge in source_edges {
        let mut at = edge.source;
        let Some((&last, before)) = edge.stmts.split_last() else {
            let skip = cx.stmts.seq(&[], Some(edge.span));
            edges.push((at, plain(skip, edge.target)));
            continue;
        };
        for (i, &stmt) in before.iter().enumerate() {
            let name = format!(
                "{}->{}:{}",
                locations[edge.source].name,
                locations[edge.target].name,
                i + 1
            );
            let next = locations.push(Location {
                name: name.into(),
                role: LocRole::Inner,
                span: cx.stmts.span(stmt),
            });
            edges.push((at, plain(stmt, next)));
            at = next;
        }
        edges.push((at, plain(last, edge.target)));
    }
    let mut has_edge = vec![false; locations.len()];
    for (source, _) in &edges {
        has_edge[source.index()] = true;
    }
    for at in (0..n_named)
        .filter(|&at| !has_edge[at])
        .map(LocId::from_index)
    {
        let edge = Edge {
            stutter: true,
            ..plain(cx.stmts.skip(), at)
        };
        edges.push((at, edge));
    }
    let with_role = |role: LocRole| {
        let found = locations.iter().position(|location| location.role == role);
        found.map(LocId::from_index)
    };
    let properties = with_role(LocRole::Error).map(|error| Property {
        name: "".into(),
        body: PropertyBody::Unreachable(error),
        span: locations[error].span,
    });
    let start = with_role(LocRole::Initial).expect("the caller has checked for it");
    let skip = cx.stmts.skip();
    let initial = Edge {
        observed: false,
        ..plain(skip, start)
    };
    System {
        constants: Vec::new(),
        name: process.name,
        language: Language::Cfa,
        sorts: Vec::new(),
        initial: Initial::new(cx, &variables, vec![initial]),
        variables,
        edges: Csr::from_pairs(locations.len(), edges),
        locations,
        fairness: Vec::new(),
        properties: properties.into_iter().collect(),
        program: None,
    }
}
