//! One step as shown to the user: what it is called, where it is, what it did, what changed.

use lariat_base::{FxHashSet, SourceMap, Span};
use lariat_expr::{Value, VarId};
use lariat_frontend::statement;
use lariat_system::{
    Context, Edge, Language, PointId, Simulator, State, Step, Stmt, StmtId, System,
    TransitionSystem as _, executed,
};
use lariat_verify::label;
use lariat_verify::{Call, Model, calls_of_step};

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
    /// The round of a loop that starts with it.
    pub round: Option<usize>,
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
        let mut texts = texts(cx, &changes);
        let statements: Vec<(String, Option<Span>)> = match &model.systems[..] {
            [system] if system.program.is_some() && before.is_some() => {
                let inputs = inputs(cx, sources, system, before, step);
                // A value that is stored is among the changes.
                if texts.is_empty() {
                    texts.extend(inputs);
                }
                in_words_of_program(cx, sources, system, before, step, &statements)
            }
            _ => statements.iter().map(text).collect(),
        };
        Row {
            step: number,
            name: label::step(cx, model, at, &edge),
            location: model.location_name(step.state.loc),
            observed: edge.observed,
            place,
            line: place.map_or(String::new(), |span| label::short_place(sources, span)),
            statements,
            texts,
            changes,
            round: None,
        }
    }

    fn language(&self, model: &Model, at: Option<PointId>, edge: &Edge<PointId>) -> Language {
        let origin = at.and_then(|at| label::origin(model, at, edge));
        self.languages[origin.map_or(0, |origin| origin.part)]
    }
}

/// What was executed, as the source of a program says it; a condition with what it was.
fn in_words_of_program(
    cx: &Context,
    sources: &SourceMap,
    system: &System,
    before: Option<&State>,
    step: &Step,
    statements: &[StmtId],
) -> Vec<(String, Option<Span>)> {
    let is_part = |part: Span, of: Span| of.start <= part.start && part.end <= of.end;
    let program = system.program.as_ref();
    let whole = |&stmt: &StmtId| {
        let span = cx.stmts.span(stmt)?;
        // What comes in is evaluated in a statement.
        let program = program.filter(|program| program.arrivals.contains_key(&stmt));
        let statements = program.map(|program| program.statements.keys());
        let around = statements.into_iter().flatten();
        let around = around.filter(|&&other| is_part(span, other));
        let innermost = around.min_by_key(|other| (other.end - other.start, other.start));
        Some(innermost.copied().unwrap_or(span))
    };
    let spans: Vec<Span> = statements.iter().filter_map(whole).collect();
    let mut shown: Vec<Span> = Vec::new();
    for &span in &spans {
        let mut others = spans.iter().filter(|&&other| other != span);
        if !shown.contains(&span) && !others.any(|&other| is_part(span, other)) {
            shown.push(span);
        }
    }
    let condition = condition(cx, system, before, step);
    let text = |span: &Span| {
        let words: Vec<&str> = sources.snippet(*span).split_whitespace().collect();
        let line = words.join(" ");
        let head = line.split(" {").next().unwrap_or(&line);
        let head = head.trim_end_matches(';');
        let text = match condition {
            Some(condition) if condition == *span => format!("{head}: {}", step.edge == 0),
            _ => head.to_owned(),
        };
        (text, Some(*span))
    };
    shown.iter().map(text).collect()
}

/// The text of a condition, if a step decides one. Of two steps from one place with the same text, the first is for the case
/// that it is true.
fn condition(cx: &Context, system: &System, before: Option<&State>, step: &Step) -> Option<Span> {
    let [first, second] = system.edges.row(before?.loc.location()) else {
        return None;
    };
    let spans = (cx.stmts.span(first.stmt), cx.stmts.span(second.stmt));
    let mut assigns = false;
    let taken = if step.edge == 0 { first } else { second };
    cx.stmts.walk(taken.stmt, |_, stmt| {
        assigns |= matches!(stmt, Stmt::Assign(..));
    });
    spans.0.filter(|_| spans.0 == spans.1 && !assigns)
}

/// What came in from outside, by the text of each call.
fn inputs(
    cx: &Context,
    sources: &SourceMap,
    system: &System,
    before: Option<&State>,
    step: &Step,
) -> Vec<(String, String)> {
    let calls = calls_of_step(cx, system, before, step).into_iter();
    let input = |call: Call| {
        let value = call.result.filter(|result| result.used)?.value;
        Some((sources.snippet(call.span).to_owned(), value.to_string()))
    };
    calls.filter_map(input).collect()
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
    let program = simulator.system().systems[0].program.as_ref();
    let is_latch = |var| program.is_some_and(|program| program.is_latch(var));
    pairs
        .enumerate()
        .filter(|(_, (variable, _))| !is_latch(variable.var))
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
