//! A counterexample as a person reads it: steps of the model as given, with their places in its source.

use super::chart::{self, ChartMove};
use super::formula::{AutomatonReport, Letters, PartReport};
use super::measures::plain_term;
use super::state::{Ledger, Values};
use super::why::{Timeline, WhyReport};
use super::wording::Wording;
use super::{FoldReport, GrowthReport, fold, place};
use crate::confirm::Confirmed;
use crate::label;
use crate::model::Model;
use crate::property::{Claim, Property};
use crate::task::Answer;
use lariat_base::{FxHashMap, Id as _, SourceMap, Span};
use lariat_check::{Counterexample, Verdict, accepting_run};
use lariat_expr::{Op, TermId, Value, VarId};
use lariat_frontend::statement::one_line;
use lariat_ltl::StateId;
use lariat_system::{
    CArrival, CLinkage, CRole, Chart, Context, Deed, Done, Edge, Language, PointId, Run, State,
    Step, Stmt, StmtId, System, TransitionSystem as _, deeds,
};
use serde::{Serialize, Serializer};
use std::sync::Arc;

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
    /// Variables that are not the same in every round; what the loop does does not depend on them.
    pub drifting: Vec<String>,
    /// How the rounds differ, for a lasso of which no state comes back.
    pub growth: Option<GrowthReport>,
    /// What holds at the start of every round, for a loop that can be taken for ever because a round leads to where this
    /// holds again.
    pub region: Vec<String>,
    /// The variables of the states, in their order.
    pub variables: Vec<VariableReport>,
    /// The automaton that accepts bad runs, unless it is very large.
    pub automaton: Option<AutomatonReport>,
    /// The truth of the parts of a temporal formula, unless there are very many.
    pub parts: Vec<PartReport>,
    /// Why the run violates a temporal formula.
    pub why: Option<WhyReport>,
    /// The numbers of the steps that end a cycle, if the model works in cycles: environment and transition of an XSTS, the
    /// way to the next `__VERIFIER_ltl_step()` of a C program.
    pub cycles: Option<Vec<usize>>,
    /// Steps that do the same as those before them.
    pub folds: Vec<FoldReport>,
    /// The steps: the stem and once round the loop.
    pub steps: Vec<StepReport>,
    /// Whether the places of the model are worth showing.
    #[serde(skip)]
    pub has_locations: bool,
    /// The variables of functions of a C program.
    #[serde(skip)]
    pub locals: Vec<String>,
    /// How many steps of the run (several may be shown for one) lead to where the formula is broken for good, if it is.
    #[serde(skip)]
    pub n_broken: Option<usize>,
    /// The statechart, if the model is one.
    #[serde(skip)]
    pub chart: Option<Arc<Chart>>,
}

/// A variable of the states of a run.
#[derive(Clone, Debug, Serialize)]
pub struct VariableReport {
    /// Its name.
    pub name: String,
    /// What it belongs to: a model of a composition, a function, a process; nothing if that is the whole model.
    pub group: Option<String>,
}

impl VariableReport {
    /// A variable of a model.
    pub(super) fn new(model: &Model, name: &str, var: VarId) -> Self {
        let owns = |system: &&System| system.variables.iter().any(|own| own.var == var);
        let owners: Vec<&str> = (model.systems.iter().filter(owns))
            .map(|system| &*system.name)
            .collect();
        let group = match (&model.composed, &owners[..]) {
            (Some(_), [owner]) => Some((*owner).to_owned()),
            (Some(_), _) => Some("shared".to_owned()),
            (None, _) => name
                .rsplit_once("::")
                .or_else(|| name.rsplit_once('.'))
                .map(|(group, _)| group.to_owned()),
        };
        Self {
            name: name.to_owned(),
            group,
        }
    }
}

/// A step of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StepReport {
    /// What was done: the branch, action or statement.
    pub action: String,
    /// `file:line` of what was done.
    pub source: Option<String>,
    /// Of a step with branches: the lines of the same file that changed something.
    pub lines: Vec<u32>,
    /// Of a composition: which model made it, from 1.
    pub model: Option<usize>,
    /// The place in the model after it.
    pub location: String,
    /// Whether the state after it is observed.
    pub observed: bool,
    /// The variables that changed, with their new values.
    #[serde(serialize_with = "as_map")]
    pub changes: Values,
    /// All variables, with their values after it.
    #[serde(serialize_with = "as_map")]
    pub state: Values,
    /// The truth of the atoms, if observed.
    pub atoms: Option<Vec<bool>>,
    /// The automaton's state after reading it.
    pub automaton_state: Option<usize>,
    /// What a condition was found to be, if that is what was done.
    pub tested: Option<bool>,
    /// The case of a switch that was taken, if that is what was done.
    pub case: Option<String>,
    /// Whether it is a part of a step, and not its end.
    #[serde(skip)]
    pub inside: bool,
    /// What it is in a drawing of a statechart.
    #[serde(skip)]
    pub chart: Option<ChartMove>,
}

/// Where an XSTS is when its environment has done its part.
const TRANSITION: &str = "trans";

/// What a step does of which there is nothing else to say.
const GOES_ON: &str = "goes on";

impl StepReport {
    /// Whether it only leads on: nothing was tested, and nothing changed.
    pub fn is_silent(&self) -> bool {
        self.action == GOES_ON
            && self.changes.is_empty()
            && self.tested.is_none()
            && self.case.is_none()
    }
}

fn as_map<S: Serializer>(pairs: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    let pairs = pairs.iter();
    serializer.collect_map(pairs.map(|(name, value)| (&**name, &**value)))
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
        let wording = Wording::new(model);
        let mut steps: Vec<StepReport> = Vec::new();
        let mut ends = Vec::new();
        let mut ledger = Ledger::new(cx, model);
        for (i, step) in run.steps.iter().enumerate() {
            let before = i.checked_sub(1).map(|before| &run.steps[before].state);
            let mut parts = shown(cx, sources, model, (&tests, &wording), before, step);
            ledger.fill((cx, model, &wording), &mut parts, before, &step.state);
            steps.extend(parts);
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
        let why = honda.and_then(|honda| why(property, confirmed, &ends, honda));
        let broken = why.as_ref().and_then(|why| why.broken_after_step);
        let broken = broken.filter(|&step| step > 0);
        let n_broken = broken.map(|step| ends.partition_point(|&end| end < step) + 1);
        let named = why.as_ref().map_or_else(Vec::new, WhyReport::named_steps);
        let loop_start = honda.map(|honda| ends[honda]);
        let drifting = confirmed.drifting.iter();
        let drifting = drifting.filter(|&&var| !is_latch(var));
        let drifting: Vec<String> = drifting.map(|&var| cx.terms.name(var).to_owned()).collect();
        let growth = lasso.and_then(|lasso| GrowthReport::new(cx, model, lasso));
        // What drifts need not grow by any rule.
        let growth = growth.map(|growth| growth.without(&drifting));
        Some(Self {
            kind: if honda.is_some() { "lasso" } else { "path" },
            atoms: property.atom_names.clone(),
            loop_starts_after_step: loop_start,
            drifting,
            growth,
            region: lasso.map_or_else(Vec::new, |lasso| {
                let conditions = lasso.region.iter();
                conditions
                    .map(|&term| plain_term(&cx.terms, term))
                    .collect()
            }),
            variables: ledger.variables(model),
            automaton: match &property.claim {
                Claim::Temporal { automaton, .. } => {
                    AutomatonReport::new(automaton, &property.atom_names)
                }
                Claim::Never { .. } => None,
            },
            parts: honda.map_or_else(Vec::new, |honda| parts(property, confirmed, &ends, honda)),
            cycles: cycles(model, (run, honda), &confirmed.observed, &ends),
            folds: fold::of_steps(&steps, loop_start, &named),
            why,
            steps,
            // The lines of a C program say more than the names of its places.
            has_locations: model
                .systems
                .iter()
                .any(|system| system.language.has_control_flow() && system.program.is_none()),
            locals: locals(model),
            n_broken,
            chart: chart::chart_of(model),
        })
    }
}

/// The variables of functions.
fn locals(model: &Model) -> Vec<String> {
    let programs = model.systems.iter().filter_map(|s| s.program.as_ref());
    let objects = programs.flat_map(|program| &program.objects);
    let locals = objects.filter(|object| object.linkage == CLinkage::Local);
    locals.map(|object| object.name.to_string()).collect()
}

/// The steps that end a cycle, if the model works in cycles; `ends` has the number of the step that shows the end of each
/// step of the run. Those of a loop end where the loop starts.
fn cycles(
    model: &Model,
    (run, honda): (&Run, Option<usize>),
    observed: &[bool],
    ends: &[usize],
) -> Option<Vec<usize>> {
    let system = model.systems.first().filter(|_| model.composed.is_none())?;
    let has_steps = system.program.as_ref().is_some_and(|program| {
        let mut functions = program.functions.iter();
        functions.any(|function| function.role == CRole::Step)
    });
    let location = |i: usize| model.location_name(run.steps[i].state.loc);
    let is_end = |i: usize| match (system.language, honda) {
        (Language::Xsts, Some(honda)) if i > honda => location(i) == location(honda),
        (Language::Xsts, _) => i
            .checked_sub(1)
            .is_none_or(|before| location(before) == TRANSITION),
        _ => observed[i] || i == 0,
    };
    let last = run.steps.len() - 1;
    let in_cycles = matches!(system.language, Language::Xsts | Language::St);
    (has_steps || in_cycles).then(|| {
        let all = (0..=last).filter(|&i| is_end(i) || i == last || Some(i) == honda);
        all.map(|i| ends[i]).collect()
    })
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
    let timeline = Timeline {
        steps: letter_steps(confirmed, ends),
        round: (ends[honda] + 1, *ends.last()?),
    };
    WhyReport::new(formulas, confirmed.word.as_ref()?, *formula, &timeline)
}

/// The truth of the parts of a formula along a lasso.
fn parts(
    property: &Property,
    confirmed: &Confirmed,
    ends: &[usize],
    honda: usize,
) -> Vec<PartReport> {
    let (
        Claim::Temporal {
            formula: Some((formulas, formula)),
            ..
        },
        Some(word),
    ) = (&property.claim, &confirmed.word)
    else {
        return Vec::new();
    };
    let steps = letter_steps(confirmed, ends);
    let letters = Letters {
        steps: &steps,
        n_steps: ends.last().copied().unwrap_or(0),
        n_stem: ends[honda],
    };
    PartReport::all(formulas, word, *formula, letters)
}

/// The number of the step that shows each letter of the word.
fn letter_steps(confirmed: &Confirmed, ends: &[usize]) -> Vec<usize> {
    let letters = confirmed.letters.iter().zip(ends);
    letters
        .filter_map(|(letter, &end)| letter.map(|_| end))
        .collect()
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
    (tests, wording): (&Tests, &Wording),
    before: Option<&State>,
    step: &Step,
) -> Vec<StepReport> {
    let edge = match before {
        None => model.initial()[step.edge],
        Some(state) => model.edges(state.loc)[step.edge],
    };
    if model.is_program() && before.is_some() && !edge.stutter {
        let mut all = statements(cx, sources, model, (tests, wording), before, edge, step);
        if let Some(last) = all.last_mut() {
            last.location = model.location_name(step.state.loc);
            return all;
        }
    }
    if let Some(chart) = chart::chart_of(model)
        && let Some((action, source)) = chart::action(
            (cx, sources),
            model,
            &chart,
            (before, &step.state),
            edge.stmt,
        )
    {
        return vec![StepReport {
            action,
            source,
            location: model.location_name(step.state.loc),
            changes: chart::changes(cx, model, &chart, before, &step.state),
            chart: Some(chart::chart_move(
                cx,
                model,
                &chart,
                (before, &step.state),
                edge.stmt,
            )),
            ..StepReport::default()
        }];
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
            let value = wording.value(cx, model, variable.var, &step.state.values[i]);
            changes.push((cx.terms.name(variable.var).into(), Arc::new(value)));
        }
    }
    let part = match (&model.composed, at) {
        (Some(_), Some(at)) => Some(model.origin(at, step.edge).0 + 1),
        _ => None,
    };
    vec![StepReport {
        model: part,
        action: action(cx, model, at, &edge),
        lines: lines(cx, sources, model, before, edge, step),
        source,
        location: model.location_name(step.state.loc),
        changes,
        ..StepReport::default()
    }]
}

/// The lines that changed something, of a step with branches.
fn lines(
    cx: &Context,
    sources: &SourceMap,
    model: &Model,
    before: Option<&State>,
    edge: Edge<PointId>,
    step: &Step,
) -> Vec<u32> {
    let (Some(before), Some(whole)) = (before, cx.stmts.span(edge.stmt)) else {
        return Vec::new();
    };
    let deeds = deeds(
        cx,
        model.variables(),
        Some(before),
        edge.stmt,
        &step.decisions,
    );
    let has_branches = deeds
        .iter()
        .any(|deed| matches!(cx.stmts.get(deed.stmt), Stmt::If(..) | Stmt::Choice(_)));
    if !has_branches {
        return Vec::new();
    }
    let variables = model.variables().iter().map(|variable| variable.var);
    let mut values: FxHashMap<VarId, &Value> = variables.zip(&before.values).collect();
    let mut lines = Vec::new();
    for deed in &deeds {
        let (Done::Set(var, value), Some(span)) = (&deed.what, cx.stmts.span(deed.stmt)) else {
            continue;
        };
        let is_new = values.insert(*var, value).is_some_and(|old| old != value);
        if is_new && span.source == whole.source {
            let (line, _) = sources.file(span.source).line_column(span.start);
            lines.push(u32::try_from(line).unwrap_or(u32::MAX));
        }
    }
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Which case of a switch a condition is for: a comparison with its constant, or with none of them.
fn case(cx: &Context, model: &Model, wording: &Wording, condition: TermId) -> String {
    let program = model.systems[0].program.as_ref();
    let compared = cx.terms.as_op(condition, Op::Eq);
    let Some((program, &[a, b])) = program.zip(compared) else {
        return "default".into();
    };
    let (lit, other) = match (cx.terms.as_lit(a), cx.terms.as_lit(b)) {
        (Some(lit), _) => (lit, b),
        (None, Some(lit)) => (lit, a),
        (None, None) => return "default".into(),
    };
    match lit {
        Value::Int(number) | Value::Bv(number) => match number.to_i64() {
            Some(number) => {
                let var = cx.terms.free_vars(&[other]);
                let var = (var.len() == 1).then(|| var[0]);
                format!("case {}", wording.constant(program, var, number.into()))
            }
            None => format!("case {number}"),
        },
        _ => "default".into(),
    }
}

/// The statements that a step executed, in order; nothing if their places are not known.
fn statements(
    cx: &Context,
    sources: &SourceMap,
    model: &Model,
    (tests, wording): (&Tests, &Wording),
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
                match condition {
                    Some(condition) if last.action.starts_with("switch") && truth => {
                        last.case = Some(case(cx, model, wording, condition));
                    }
                    _ => last.tested = Some(tests.truth(span, condition, truth)),
                }
            }
            Done::Tested(_) => {}
            Done::Set(var, value) => {
                let name: Arc<str> = cx.terms.name(var).into();
                let value = wording.value(cx, model, var, &value);
                last.changes.retain(|(other, _)| *other != name);
                last.changes.push((name, Arc::new(value)));
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
