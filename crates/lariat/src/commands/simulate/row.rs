//! One step as shown to the user: what it is called, where it is, what it did, what changed.

use lariat_base::{FxHashSet, SourceMap, Span};
use lariat_expr::{Value, VarId};
use lariat_frontend::statement;
use lariat_system::{
    Context, Edge, Language, PointId, Simulator, State, Step, StmtId, TransitionSystem as _,
    executed,
};
use lariat_verify::Model;
use lariat_verify::label;

/// A step of a run.
pub struct Row {
    /// Its number; 0 starts the run.
    pub step: u64,
    /// The action, or the block and branch.
    pub name: String,
    /// The structural state after it.
    pub location: String,
    /// Whether the state after it is a letter of the word that formulas read.
    pub observed: bool,
    /// Where the first of its statements stands.
    pub place: Option<Span>,
    /// The same as `file:line`, without the folder.
    pub line: String,
    /// What was executed.
    pub statements: Vec<(String, Option<Span>)>,
    /// The variables that changed, with their new values; all of them at the start.
    pub changes: Vec<(VarId, Value)>,
    /// The changes as text.
    pub texts: Vec<(String, String)>,
}

/// Makes rows.
pub struct Scribe {
    languages: Vec<Language>,
}

impl Scribe {
    /// A scribe for the steps of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            languages: model.systems.iter().map(|system| system.language).collect(),
        }
    }

    /// The last step of the simulator, which was taken from `before`.
    pub fn row(
        &self,
        simulator: &Simulator<'_, Model>,
        sources: &SourceMap,
        before: Option<&State>,
        number: u64,
    ) -> Row {
        let (Some(step), Some(edge)) = (simulator.last_step(), simulator.last_edge()) else {
            panic!("a row is made after a step");
        };
        self.describe(simulator, sources, before, &step, edge, number)
    }

    /// A step that was or could be taken from `before`.
    pub fn describe(
        &self,
        simulator: &Simulator<'_, Model>,
        sources: &SourceMap,
        before: Option<&State>,
        step: &Step,
        edge: Edge<PointId>,
        number: u64,
    ) -> Row {
        let (cx, model) = (simulator.context(), simulator.system());
        let at = before.map(|state| state.loc);
        let language = self.language(model, at, &edge);
        // An STS has one formula for all steps: it tells nothing about this one.
        let statements = if language.has_relations() {
            Vec::new()
        } else {
            did(cx, simulator, before, step, edge)
        };
        let place = statements
            .iter()
            .find_map(|&stmt| cx.stmts.span(stmt))
            .or_else(|| cx.stmts.span(edge.stmt));
        let text = |&stmt: &StmtId| {
            let text = statement::one_line(cx, language, stmt, 200);
            (text, cx.stmts.span(stmt))
        };
        let changes = changes(simulator, before, &step.state);
        Row {
            step: number,
            name: label::step(cx, model, at, &edge),
            location: model.location_name(step.state.loc),
            observed: edge.observed,
            place,
            line: place.map_or(String::new(), |span| label::short_place(sources, span)),
            statements: statements.iter().map(text).collect(),
            texts: texts(cx, &changes),
            changes,
        }
    }

    fn language(&self, model: &Model, at: Option<PointId>, edge: &Edge<PointId>) -> Language {
        let origin = at.and_then(|at| label::origin(model, at, edge));
        self.languages[origin.map_or(0, |origin| origin.part)]
    }
}

/// The statements that a step executed, without those that give variables their first values.
fn did(
    cx: &Context,
    simulator: &Simulator<'_, Model>,
    before: Option<&State>,
    step: &Step,
    edge: Edge<PointId>,
) -> Vec<StmtId> {
    let mut done = executed(
        cx,
        simulator.variables(),
        before,
        edge.stmt,
        &step.decisions,
    );
    if before.is_none() {
        let branch = statement::initial_branch(cx, edge.stmt);
        let mut inside: FxHashSet<StmtId> = FxHashSet::default();
        cx.stmts.walk(branch, |id, _| {
            inside.insert(id);
        });
        done.retain(|stmt| inside.contains(stmt));
    }
    done
}

fn changes(
    simulator: &Simulator<'_, Model>,
    before: Option<&State>,
    after: &State,
) -> Vec<(VarId, Value)> {
    let pairs = simulator.variables().iter().zip(&after.values);
    pairs
        .enumerate()
        .filter(|(i, (_, value))| before.is_none_or(|before| before.values[*i] != **value))
        .map(|(_, (variable, value))| (variable.var, value.clone()))
        .collect()
}

fn texts(cx: &Context, changes: &[(VarId, Value)]) -> Vec<(String, String)> {
    let text = |(var, value): &(VarId, Value)| {
        let sort = cx.terms.var_sort(*var);
        let name = cx.terms.name(*var).to_owned();
        (name, value.display(&cx.terms.sorts, sort))
    };
    changes.iter().map(text).collect()
}
