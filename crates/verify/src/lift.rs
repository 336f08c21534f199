//! Lifting: a run of a rewritten model becomes a run of the model before that pass.
//!
//! Each step of the rewritten run is executed, and what it did (which branch each choice took, which value each variable
//! got) is kept under the statement that it was made from. Then the step of the model before is executed, its
//! nondeterminism decided by that. A choice that the passes removed is decided by trying: they remove branches that
//! block, or choices that do not matter, so the first branch that does not block is right. A havoc that they removed
//! gives a fixed value.
//!
//! Nothing here is trusted: what comes out is replayed by `confirm.rs`.

use crate::model::Model;
use crate::pass::blocks::{Route, Routes};
use crate::pass::relations::Cases;
use crate::pass::{Applied, Done};
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::{Value, VarId};
use lariat_system::{
    Blocked, Context, Decide, Decision, Deed, Done as What, Edge, Executor, LocId, PointId,
    Recorded, Run, State, Step, Stmt, StmtId, System, TransitionSystem, Valuation, Vars, deeds,
};
use std::collections::VecDeque;
use std::fmt;

/// The most ways that are tried to decide the choices of one step that the passes removed.
const MAX_WAYS: usize = 100_000;
/// Why a run could not be lifted: a bug of a pass.
#[derive(Clone, Debug)]
pub struct NotLifted {
    /// The step of the rewritten run.
    step: usize,
    why: String,
}

impl fmt::Display for NotLifted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} cannot be lifted: {}", self.step, self.why)
    }
}

/// Lifts a run of `after`, which a pass made of `before`; for each of its steps, the position of its last one in the
/// lifted run.
pub fn lift(
    cx: &Context,
    before: &mut Model,
    after: &mut Model,
    done: &Done,
    run: &Run,
) -> Result<(Run, Vec<usize>), NotLifted> {
    let (steps, ends) = taken(cx, after, done, run)?;
    let cases = match &done.applied {
        Applied::Cases(cases) => Some(&cases[..]),
        _ => None,
    };
    let mut lifter = Lifter {
        cx,
        given: before,
        cases,
        executor: Executor::new(),
        run: Vec::new(),
    };
    for taken in &steps {
        let step = lifter.step(taken).map_err(|why| NotLifted {
            step: lifter.run.len(),
            why,
        })?;
        lifter.run.push(step);
    }
    Ok((Run { steps: lifter.run }, ends))
}

/// A step of the rewritten model in terms of one edge of one part.
struct Taken {
    /// Of the start: the initial edge of each part. Of another step: the part, the place it leaves, its edge there.
    edge: TakenEdge,
    events: Events,
}

enum TakenEdge {
    Initial(Vec<usize>),
    Step(usize, LocId, usize),
}

/// The steps of a run before edges were merged, and for each step of the run the position of its last one.
fn taken(
    cx: &Context,
    after: &mut Model,
    done: &Done,
    run: &Run,
) -> Result<(Vec<Taken>, Vec<usize>), NotLifted> {
    let routes = match &done.applied {
        Applied::Blocks(routes) => Some(routes),
        _ => None,
    };
    let variables = after.variables().to_vec();
    let (mut steps, mut ends) = (Vec::new(), Vec::new());
    // Of a step that was cut in two, the first half. Its second one leaves a location that the pass added.
    let mut half: Option<Taken> = None;
    let n_locations =
        matches!(done.applied, Applied::Halves).then(|| done.before[0].locations.len());
    for (i, step) in run.steps.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &run.steps[before].state);
        let events = |edge: Edge<PointId>| {
            let deeds = deeds(cx, &variables, before, edge.stmt, &step.decisions);
            Events::new(cx, done.n_stmts, deeds)
        };
        match (before, routes) {
            (None, _) => steps.push(Taken {
                edge: TakenEdge::Initial(starts(after, step.edge)),
                events: events(after.initial()[step.edge]),
            }),
            (Some(state), None) => {
                let (part, index) = after.origin(state.loc, step.edge);
                let at = after.leaf_location(state.loc, part);
                let edge = after.edges(state.loc)[step.edge];
                let mut taken = Taken {
                    edge: TakenEdge::Step(part, at, index),
                    events: events(edge),
                };
                if let Some(mut first) = half.take() {
                    first.events.append(taken.events);
                    taken = first;
                }
                let target = after.leaf_location(edge.target, part);
                if n_locations.is_some_and(|n| target.index() >= n) {
                    half = Some(taken);
                } else {
                    steps.push(taken);
                }
            }
            (Some(state), Some(routes)) => {
                let through = along(cx, &done.before[0], routes, state, step);
                steps.extend(through.map_err(|blocked| NotLifted {
                    step: i,
                    why: format!("{blocked:?}"),
                })?);
            }
        }
        ends.push(steps.len() - 1);
    }
    Ok((steps, ends))
}

/// The initial edge of each part that a start is made of: the last part's edges vary fastest.
fn starts(model: &Model, mut index: usize) -> Vec<usize> {
    let mut starts = Vec::new();
    for system in model.systems.iter().rev() {
        starts.push(index % system.initial.len());
        index /= system.initial.len();
    }
    starts.reverse();
    starts
}

/// The edges that a merged one stands for in this step.
fn along(
    cx: &Context,
    system: &System,
    routes: &Routes,
    before: &State,
    step: &Step,
) -> Result<Vec<Taken>, Blocked> {
    let variables = &system.variables;
    let mut env = Valuation::new();
    before.load(variables, &mut env);
    let mut recorded = Recorded::new(&step.decisions);
    let mut executor = Executor::new();
    let mut todo = vec![&*routes.row(before.loc.location())[step.edge]];
    let mut taken = Vec::new();
    while let Some(route) = todo.pop() {
        match route {
            Route::Edge(at, index) => {
                let edge = system.edges.row(*at)[*index];
                let state = State::read(variables, PointId::of(*at), &env)?;
                let mut logged = Logged {
                    decide: &mut recorded,
                    made: Vec::new(),
                };
                executor.run(cx, edge.stmt, &mut env, &mut logged)?;
                let deeds = deeds(cx, variables, Some(&state), edge.stmt, &logged.made);
                taken.push(Taken {
                    edge: TakenEdge::Step(0, *at, *index),
                    events: Events::new(cx, cx.stmts.len(), deeds),
                });
            }
            Route::Then(first, second) => todo.extend([&**second, &**first]),
            Route::Choice(routes) => {
                todo.push(&routes[recorded.next_branch()?]);
            }
            Route::If(condition, then, otherwise) => {
                let holds = executor.eval(cx, *condition, &env)?.as_bool();
                todo.push(if holds { then } else { otherwise });
            }
        }
    }
    Ok(taken)
}

/// Hands decisions on and keeps them.
struct Logged<'a, D> {
    decide: &'a mut D,
    made: Vec<Decision>,
}

impl<D: Decide> Decide for Logged<'_, D> {
    fn branch(&mut self, cx: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let branch = self.decide.branch(cx, choice, n)?;
        self.made.push(Decision::Branch(branch as u32));
        Ok(branch)
    }

    fn value(&mut self, cx: &Context, havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        let value = self.decide.value(cx, havoc, var)?;
        self.made.push(Decision::Value(value.clone()));
        Ok(value)
    }
}

/// What a step did, by the statements of the given model.
#[derive(Clone, Default)]
struct Events {
    /// The values that a statement gave.
    values: FxHashMap<StmtId, VecDeque<Value>>,
    /// The branches that a choice took.
    branches: FxHashMap<StmtId, VecDeque<StmtId>>,
    /// The first value that each variable got, and the last.
    ends: FxHashMap<VarId, (Value, Value)>,
}

impl Events {
    /// What happened, under the statements that were there when there were `n_stmts`.
    fn new(cx: &Context, n_stmts: usize, deeds: Vec<Deed>) -> Self {
        let mut events = Self::default();
        for Deed { stmt, what } in deeds {
            let stmt = cx.stmts.origin(stmt, n_stmts);
            match what {
                What::Tested(_) | What::Nothing => {}
                What::Set(var, value) => {
                    let ends = events.ends.entry(var);
                    ends.or_insert_with(|| (value.clone(), value.clone())).1 = value.clone();
                    events.values.entry(stmt).or_default().push_back(value);
                }
                What::Chose(branch) => {
                    let branch = cx.stmts.origin(branch, n_stmts);
                    events.branches.entry(stmt).or_default().push_back(branch);
                }
            }
        }
        events
    }

    /// Adds what happened afterwards.
    fn append(&mut self, later: Self) {
        for (stmt, values) in later.values {
            self.values.entry(stmt).or_default().extend(values);
        }
        for (stmt, branches) in later.branches {
            self.branches.entry(stmt).or_default().extend(branches);
        }
        for (var, (first, last)) in later.ends {
            let ends = self.ends.entry(var);
            let ends = ends.or_insert_with(|| (first, last.clone()));
            ends.1 = last;
        }
    }
}

/// Decides a step of the given model by what the rewritten one did.
struct Guide<'a> {
    events: Events,
    /// If it is the start: the variables that it gives a value once only.
    set_once: Option<&'a Vars>,
    /// The branches of choices that the passes removed, and how many there are.
    free: &'a mut Vec<(usize, usize)>,
    n_free: usize,
}

impl Decide for Guide<'_> {
    fn branch(&mut self, cx: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let taken = self.events.branches.get_mut(&choice);
        if let Some(taken) = taken.and_then(VecDeque::pop_front)
            && let Stmt::Choice(list) = cx.stmts.get(choice)
            && let Some(at) = cx.stmts.items(list).iter().position(|&b| b == taken)
        {
            return Ok(at);
        }
        if self.n_free == self.free.len() {
            self.free.push((0, n));
        }
        self.n_free += 1;
        Ok(self.free[self.n_free - 1].0)
    }

    fn value(&mut self, cx: &Context, havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        let given = self.events.values.get_mut(&havoc);
        if let Some(value) = given.and_then(VecDeque::pop_front) {
            return Ok(value);
        }
        // Preludes are derived anew after each pass, so a start knows its values by their variables. What a relation
        // determines in this model may be assigned after the prelude in the other one: then the last value counts.
        let known = self.set_once.and_then(|once| {
            let (first, last) = self.events.ends.get(&var)?;
            Some(if once.contains(&var) { last } else { first })
        });
        let sort = cx.terms.var_sort(var);
        Ok(known.map_or_else(|| Value::some(&cx.terms.sorts, sort), Value::clone))
    }
}

struct Lifter<'a> {
    cx: &'a Context,
    given: &'a mut Model,
    cases: Option<&'a [Cases]>,
    executor: Executor,
    run: Vec<Step>,
}

impl Lifter<'_> {
    fn step(&mut self, taken: &Taken) -> Result<Step, String> {
        let before = self.run.last().map(|step| step.state.clone());
        let (index, edge) = self.edge(&taken.edge, before.as_ref())?;
        let variables = self.given.variables().to_vec();
        let set_once = before.is_none().then(|| set_once(self.cx, edge.stmt));
        let mut free = Vec::new();
        let mut blocked = None;
        for _ in 0..MAX_WAYS {
            let mut env = Valuation::new();
            if let Some(before) = &before {
                before.load(&variables, &mut env);
            }
            let mut guide = Guide {
                events: taken.events.clone(),
                set_once: set_once.as_ref(),
                free: &mut free,
                n_free: 0,
            };
            let mut logged = Logged {
                decide: &mut guide,
                made: Vec::new(),
            };
            let done = self.executor.run(self.cx, edge.stmt, &mut env, &mut logged);
            let decisions = logged.made;
            let n_free = guide.n_free;
            match done {
                Ok(()) => {
                    let state = State::read(&variables, edge.target, &env);
                    return Ok(Step {
                        edge: index,
                        decisions,
                        state: state.map_err(|blocked| format!("{blocked:?}"))?,
                    });
                }
                Err(why) => blocked = Some(why),
            }
            free.truncate(n_free);
            if !advance(&mut free) {
                break;
            }
        }
        Err(format!("it is blocked: {blocked:?}"))
    }

    /// The edge of the given model, and its position.
    fn edge(
        &mut self,
        taken: &TakenEdge,
        before: Option<&State>,
    ) -> Result<(usize, Edge<PointId>), String> {
        match (taken, before) {
            (TakenEdge::Initial(starts), None) => {
                let mut index = 0;
                for (part, &start) in starts.iter().enumerate() {
                    let own = self.cases.map_or(start, |cases| cases[part].initial[start]);
                    index = index * self.given.systems[part].initial.len() + own;
                }
                Ok((index, self.given.initial()[index]))
            }
            (TakenEdge::Step(part, at, index), Some(state)) => {
                let (part, at) = (*part, *at);
                if self.given.leaf_location(state.loc, part) != at {
                    return Err("it starts at another location".into());
                }
                let own = self
                    .cases
                    .map_or(*index, |cases| cases[part].edges.row(at)[*index]);
                let edges = self.given.edges(state.loc);
                let found =
                    (0..edges.len()).find(|&i| self.given.origin(state.loc, i) == (part, own));
                found
                    .map(|i| (i, edges[i]))
                    .ok_or_else(|| "its edge is gone".into())
            }
            _ => Err("a run has one start".into()),
        }
    }
}

/// The variables that exactly one statement inside of this one writes.
fn set_once(cx: &Context, stmt: StmtId) -> Vars {
    let (mut once, mut again) = (Vars::default(), Vars::default());
    cx.stmts.walk(stmt, |_, stmt| {
        if let Stmt::Assign(var, _) | Stmt::Havoc(var) | Stmt::Declare(var, _) = stmt
            && !once.insert(var)
        {
            again.insert(var);
        }
    });
    once.retain(|var| !again.contains(var));
    once
}

/// The next way to decide free choices, depth first.
fn advance(free: &mut Vec<(usize, usize)>) -> bool {
    while let Some((at, n)) = free.last_mut() {
        *at += 1;
        if at < n {
            return true;
        }
        free.pop();
    }
    false
}
