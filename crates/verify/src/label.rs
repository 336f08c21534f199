//! What a step is called: the action's name, or the block and the branch.

use crate::model::Model;
use lariat_base::{SourceMap, Span};
use lariat_system::{Context, Edge, LocId, PointId, System, TransitionSystem as _};

/// The model that a step belongs to and its place there.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The position of the model on the command line.
    pub part: usize,
    /// The location that the step leaves.
    pub at: LocId,
    /// Which of the location's edges it is.
    pub index: usize,
}

/// Where a step from `at` comes from.
pub fn origin(model: &Model, at: PointId, edge: &Edge<PointId>) -> Option<Origin> {
    (0..model.systems.len()).find_map(|part| {
        let at = model.leaf_location(at, part);
        let row = model.systems[part].edges.row(at);
        let index = row.iter().position(|e| e.stmt == edge.stmt)?;
        Some(Origin { part, at, index })
    })
}

/// The name of a step from `at`, or of an initial one.
pub fn step(cx: &Context, model: &Model, at: Option<PointId>, edge: &Edge<PointId>) -> String {
    let found = at.and_then(|at| origin(model, at, edge));
    match (found, at) {
        (Some(origin), _) => {
            let system = &model.systems[origin.part];
            let row = system.edges.row(origin.at);
            let name = branch(cx, system, Some(origin.at), origin.index, row);
            match (model.systems.len(), &*name) {
                (1, _) => name,
                (_, "") => format!("{}", origin.part + 1),
                _ => format!("{}: {name}", origin.part + 1),
            }
        }
        (None, Some(_)) => String::new(),
        (None, None) => match model.systems.len() {
            1 => {
                let row = &model.systems[0].initial;
                let index = row.iter().position(|e| e.stmt == edge.stmt).unwrap_or(0);
                branch(cx, &model.systems[0], None, index, row)
            }
            _ => "init".into(),
        },
    }
}

/// The name of the `index`-th of the edges in `row`: its action, or its block and, where there are
/// several, its number; empty for an edge of a CFA.
pub fn branch(
    cx: &Context,
    system: &System,
    at: Option<LocId>,
    index: usize,
    row: &[Edge],
) -> String {
    if let Some(name) = row[index].name {
        return cx.names[name].to_string();
    }
    let language = system.language;
    let block = match (at, language.step_names()) {
        (None, _) => "init",
        // An edge of a program is known by its line and by where it leads.
        (Some(_), _) if language.has_control_flow() => return String::new(),
        (Some(_), Some((step, _))) => step,
        (Some(at), None) => &*system.locations[at].name,
    };
    if row.len() > 1 {
        format!("{block} {}", index + 1)
    } else {
        block.to_owned()
    }
}

/// `file:line` of a place.
pub fn place(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.source);
    let (line, _) = file.line_column(span.start);
    format!("{}:{line}", file.name_at(span.start))
}

/// The same without the folder.
pub fn short_place(sources: &SourceMap, span: Span) -> String {
    let place = place(sources, span);
    place.rsplit('/').next().unwrap_or_default().to_owned()
}
