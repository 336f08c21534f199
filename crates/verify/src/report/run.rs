//! A counterexample as a person reads it: steps of the model as given, with their places in its source.

use super::measures::plain_term;
use super::why::{Timeline, WhyReport};
use super::{GrowthReport, place};
use crate::confirm::Confirmed;
use crate::label;
use crate::model::Model;
use crate::property::{Claim, Property};
use crate::task::Answer;
use lariat_base::{FxHashMap, Id as _, SourceMap, Span};
use lariat_check::{Counterexample, Verdict, accepting_run};
use lariat_expr::TermId;
use lariat_frontend::statement::one_line;
use lariat_ltl::StateId;
use lariat_system::{
    CArrival, Context, Deed, Done, Edge, PointId, State, Step, Stmt, StmtId, TransitionSystem as _,
    deeds,
};
use serde::{Serialize, Serializer};

/// The longest piece of source, or statement, that is shown.
const WIDTH: usize = 60;

/// A run that refutes a property.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// `path` to a bad state, or `lasso`, an infinite run.
    pub kind: &'static str,
    /// The atoms of a temporal property as written.
    pub atoms: Vec<String>,
    /// For a lasso: the number (from 1) of the step after whose state the loop starts.
    pub loop_starts_after_step: Option<usize>,
    /// Variables that go on changing from round to round; what the loop does does not depend on them.
    pub drifting: Vec<String>,
    /// How the rounds differ, for a lasso of which no state comes back.
    pub growth: Option<GrowthReport>,
    /// What holds at the start of every round, for a loop that can be taken for ever because a round leads to where this
    /// holds again.
    pub region: Vec<String>,
    /// Why the run violates a temporal formula.
    pub why: Option<WhyReport>,
    /// The steps: the stem and once round the loop.
    pub steps: Vec<StepReport>,
    /// Whether the places of the model are worth showing.
    #[serde(skip)]
    pub has_locations: bool,
}

/// A step of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepReport {
    /// What was done: the branch, action or statement.
    pub action: String,
    /// `file:line` of what was done.
    pub source: Option<String>,
    /// The place in the model after it.
    pub location: String,
    /// Whether the state after it is observed.
    pub observed: bool,
    /// The variables that changed, with their new values.
    #[serde(serialize_with = "as_map")]
    pub changes: Vec<(String, String)>,
    /// The truth of the atoms, if observed.
    pub atoms: Option<Vec<bool>>,
    /// The automaton's state after reading it.
    pub automaton_state: Option<usize>,
    /// What a condition was found to be, if that is what was done.
    #[serde(skip)]
    pub tested: Option<bool>,
    /// Whether it is a part of a step, and not its end.
    #[serde(skip)]
    pub inside: bool,
}

/// What a step does of which there is nothing else to say.
const GOES_ON: &str = "goes on";

impl StepReport {
    /// Whether it only leads on: nothing was tested, and nothing changed.
    pub fn is_silent(&self) -> bool {
        self.action == GOES_ON && self.changes.is_empty() && self.tested.is_none()
    }
}

fn as_map<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

impl RunReport {
    /// The counterexample of an answer, if it has one.
    pub fn new(
        cx: &Context,
        sources: &SourceMap,
        model: &mut Model,
        property: &Property,
        answer: &Answer,
    ) -> Option<Self> {
        let (Verdict::Violated(found), Some(confirmed)) = (&answer.verdict, &answer.confirmed)
        else {
            return None;
        };
        let (run, honda) = match found {
            Counterexample::Path(run) => (run, None),
            Counterexample::Lasso(lasso) => (&lasso.run, Some(lasso.honda)),
        };
        let mut states = automaton_states(property, answer).into_iter();
        let tests = Tests::new(cx, model);
        let mut steps: Vec<StepReport> = Vec::new();
        let mut ends = Vec::new();
        for (i, step) in run.steps.iter().enumerate() {
            let before = i.checked_sub(1).map(|before| &run.steps[before].state);
            steps.extend(shown(cx, sources, model, &tests, before, step));
            let last = steps.last_mut().expect("a step is shown");
            (last.observed, last.inside) = (confirmed.observed[i], false);
            if let Some(letter) = confirmed.letters[i] {
                let n = property.atoms().len();
                last.atoms = (n > 0).then(|| (0..n).map(|atom| letter >> atom & 1 == 1).collect());
                last.automaton_state = states.next().map(StateId::index);
            }
            ends.push(steps.len());
        }
        let lasso = match found {
            Counterexample::Lasso(lasso) => Some(lasso),
            Counterexample::Path(_) => None,
        };
        let program = model.systems[0].program.clone();
        let is_latch = |var| {
            program
                .as_ref()
                .is_some_and(|program| program.is_latch(var))
        };
        let drifting = confirmed.drifting.iter();
        let drifting = drifting.filter(|&&var| !is_latch(var));
        Some(Self {
            kind: if honda.is_some() { "lasso" } else { "path" },
            atoms: property.atom_names.clone(),
            loop_starts_after_step: honda.map(|honda| ends[honda]),
            drifting: drifting.map(|&var| cx.terms.name(var).to_owned()).collect(),
            growth: lasso.and_then(|lasso| GrowthReport::new(cx, model, lasso)),
            region: lasso.map_or_else(Vec::new, |lasso| {
                let conditions = lasso.region.iter();
                conditions
                    .map(|&term| plain_term(&cx.terms, term))
                    .collect()
            }),
            why: honda.and_then(|honda| why(property, confirmed, &ends, honda)),
            steps,
            has_locations: model
                .systems
                .iter()
                .any(|system| system.language.has_control_flow()),
        })
    }
}

/// Why a lasso violates a formula; `ends` has the number of the step that shows the end of each step of the run.
fn why(
    property: &Property,
    confirmed: &Confirmed,
    ends: &[usize],
    honda: usize,
) -> Option<WhyReport> {
    let Claim::Temporal {
        formula: Some((formulas, formula)),
        ..
    } = &property.claim
    else {
        return None;
    };
    let letters = confirmed.letters.iter().zip(ends);
    let timeline = Timeline {
        steps: letters
            .filter_map(|(letter, &end)| letter.map(|_| end))
            .collect(),
        round: (ends[honda] + 1, *ends.last()?),
    };
    WhyReport::new(formulas, confirmed.word.as_ref()?, *formula, &timeline)
}

/// The states of the automaton along the word of a counterexample.
fn automaton_states(property: &Property, answer: &Answer) -> Vec<StateId> {
    let Claim::Temporal { automaton, .. } = &property.claim else {
        return Vec::new();
    };
    let word = answer.confirmed.as_ref().and_then(|c| c.word.as_ref());
    word.and_then(|word| accepting_run(automaton, word))
        .unwrap_or_default()
}

/// For the conditions in the text of programs, by their place: whether a test of this term is one of the condition
/// itself, or of its opposite. Where two steps from one place have the same text, the first is for the case that it is true.
struct Tests(FxHashMap<(Span, TermId), bool>);

impl Tests {
    fn new(cx: &Context, model: &Model) -> Self {
        let mut found = FxHashMap::default();
        let programs = model.systems.iter().filter(|s| s.program.is_some());
        for (_, edges) in programs.flat_map(|system| system.edges.rows()) {
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
        Self(found)
    }

    /// What a condition with this text was found to be when `term` had this truth.
    fn truth(&self, span: Span, term: Option<TermId>, truth: bool) -> bool {
        let direct = term.and_then(|term| self.0.get(&(span, term)));
        direct.is_none_or(|&direct| direct) == truth
    }
}

/// What a step did: one entry, or for a program one for each statement.
fn shown(
    cx: &Context,
    sources: &SourceMap,
    model: &mut Model,
    tests: &Tests,
    before: Option<&State>,
    step: &Step,
) -> Vec<StepReport> {
    let edge = match before {
        None => model.initial()[step.edge],
        Some(state) => model.edges(state.loc)[step.edge],
    };
    if model.is_program() && before.is_some() && !edge.stutter {
        let mut all = statements(cx, sources, model, tests, before, edge, step);
        if let Some(last) = all.last_mut() {
            last.location = model.location_name(step.state.loc);
            return all;
        }
    }
    let at: Option<PointId> = before.map(|state| state.loc);
    let source = cx.stmts.span(edge.stmt).map(|span| place(sources, span));
    let mut changes = Vec::new();
    let program = model.systems[0].program.clone();
    let is_latch = |var| {
        program
            .as_ref()
            .is_some_and(|program| program.is_latch(var))
    };
    for (i, variable) in model.variables().iter().enumerate() {
        if is_latch(variable.var) {
            continue;
        }
        if before.is_none_or(|state| state.values[i] != step.state.values[i]) {
            let sort = cx.terms.var_sort(variable.var);
            let value = step.state.values[i].display(&cx.terms.sorts, sort);
            changes.push((cx.terms.name(variable.var).to_owned(), value));
        }
    }
    vec![StepReport {
        action: action(cx, model, at, &edge),
        source,
        location: model.location_name(step.state.loc),
        changes,
        ..StepReport::default()
    }]
}

/// The statements that a step executed, in order; nothing if their places are not known.
fn statements(
    cx: &Context,
    sources: &SourceMap,
    model: &Model,
    tests: &Tests,
    before: Option<&State>,
    edge: Edge<PointId>,
    step: &Step,
) -> Vec<StepReport> {
    let mut shown: Vec<(Span, StepReport)> = Vec::new();
    let program = model.systems[0].program.as_ref();
    let arrival = |stmt: StmtId| program.and_then(|program| program.arrivals.get(&stmt));
    for Deed { stmt, what } in deeds(cx, model.variables(), before, edge.stmt, &step.decisions) {
        let what = match (what, arrival(stmt)) {
            (Done::Nothing, Some(&(_, CArrival::Tested(truth)))) => Done::Tested(truth),
            (Done::Nothing, None) => continue,
            (what, _) => what,
        };
        let Some(span) = cx.stmts.span(stmt) else {
            continue;
        };
        if shown.last().is_none_or(|(last, _)| *last != span) {
            let report = StepReport {
                action: snippet(sources, span),
                source: Some(place(sources, span)),
                inside: true,
                ..StepReport::default()
            };
            shown.push((span, report));
        }
        let (_, last) = shown.last_mut().expect("just pushed");
        match what {
            Done::Chose(_) | Done::Nothing => {}
            Done::Tested(truth) if last.changes.is_empty() => {
                let condition = match cx.stmts.get(stmt) {
                    Stmt::Assume(term) | Stmt::If(term, ..) => Some(term),
                    _ => None,
                };
                last.tested = Some(tests.truth(span, condition, truth));
            }
            Done::Tested(_) => {}
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

/// What a step does: the name of its branch or action, and for an edge of a CFA its statement.
fn action(cx: &Context, model: &Model, at: Option<PointId>, edge: &Edge<PointId>) -> String {
    if edge.stutter {
        return "stays".into();
    }
    let origin = at.and_then(|at| label::origin(model, at, edge));
    match origin.map(|origin| model.systems[origin.part].language) {
        Some(language) if language.has_control_flow() && language.is_printed() => {
            one_line(cx, language, edge.stmt, WIDTH)
        }
        _ => Some(label::step(cx, model, at, edge))
            .filter(|step| !step.is_empty())
            .unwrap_or_else(|| GOES_ON.into()),
    }
}

/// The text of a place, in one line.
pub(super) fn snippet(sources: &SourceMap, span: Span) -> String {
    let text = sources.snippet(span);
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
