//! Plays a statechart: feeds it events, lets time pass, and tells after each macrostep what happened.
//!
//! Given its events, a chart is deterministic: at each point exactly one of the steps of its system is possible. Time is
//! virtual. What the chart sent itself arrives when its delay has passed, in the order in which it is due.

use crate::run::exec::{Executor, Recorded, Valuation};
use crate::run::trace::State;
use crate::{
    Chart, ChartCause, ChartData, ChartStep, Context, Edge, LocId, LocRole, PointId, StmtId, System,
};
use lariat_expr::{Env as _, Value, VarId};

/// How many microsteps a macrostep may have before it counts as one that never ends. One that comes back to a state is
/// found sooner.
const MAX_MICROSTEPS: usize = 20_000;

/// A chart and where it is.
pub struct Player<'a> {
    cx: &'a Context,
    system: &'a System,
    chart: &'a Chart,
    env: Valuation,
    at: LocId,
    executor: Executor,
    now: u64,
    /// What waits: which send, and when it is due.
    waiting: Vec<(usize, u64)>,
}

/// What happened from one event to the next.
#[derive(Clone, Debug)]
pub struct Macrostep {
    /// The event that was handled, by its position; none at the start.
    pub event: Option<usize>,
    /// Whether the chart had sent it itself.
    pub is_own: bool,
    /// What happened, in order; steps in which nothing fired are left out.
    pub micro: Vec<Microstep>,
    /// How it ended.
    pub end: MacrostepEnd,
}

/// What transitions did together.
#[derive(Clone, Debug)]
pub struct Microstep {
    /// Why.
    pub cause: ChartCause,
    /// The transitions that fired.
    pub fired: Vec<usize>,
    /// The states that were left, inner ones first.
    pub left: Vec<usize>,
    /// The states that were entered, outer ones first.
    pub entered: Vec<usize>,
}

/// How a macrostep ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MacrostepEnd {
    /// The chart waits.
    Waiting,
    /// The chart has come to its end.
    Ended,
    /// A queue was full.
    Overflow,
    /// What is modelled ends here: a fraction, arithmetic on what is undefined.
    Outside,
    /// It seems never to end.
    Endless,
}

impl<'a> Player<'a> {
    /// Starts the chart of a system: its first macrostep.
    pub fn start(cx: &'a Context, system: &'a System) -> Option<(Self, Macrostep)> {
        let chart = system.chart.as_deref()?;
        let mut player = Self {
            cx,
            system,
            chart,
            env: Valuation::new(),
            at: chart.waiting,
            executor: Executor::new(),
            now: 0,
            waiting: Vec::new(),
        };
        let edge = *system.initial.first()?;
        player.run(edge.stmt)?;
        player.at = edge.target;
        let entered = player.active();
        let first = Microstep {
            cause: ChartCause::Start,
            fired: Vec::new(),
            left: Vec::new(),
            entered,
        };
        let step = player.complete(None, false, vec![first]);
        player.waiting = player
            .pending()
            .into_iter()
            .map(|send| (send, chart.sends[send].delay))
            .collect();
        Some((player, step))
    }

    /// Whether it waits for an event.
    pub fn is_waiting(&self) -> bool {
        self.at == self.chart.waiting
    }

    /// Handles an event of the environment, by its position among all events.
    pub fn send(&mut self, event: usize) -> Option<Macrostep> {
        self.begin(ChartCause::Environment(event), event)
    }

    /// The events that can come next: of the environment, and those that the chart sent itself (with their position in
    /// the list of those that wait).
    pub fn possible(&mut self) -> (Vec<usize>, Vec<(usize, usize)>) {
        if !self.is_waiting() {
            return (Vec::new(), Vec::new());
        }
        let mut own = Vec::new();
        let pending = self.pending();
        for (k, &send) in pending.iter().enumerate() {
            let delay = self.chart.sends[send].delay;
            let is_first = pending[..k]
                .iter()
                .all(|&before| self.chart.sends[before].delay > delay);
            if is_first {
                own.push((k, self.chart.sends[send].event));
            }
        }
        (self.chart.environment.clone(), own)
    }

    /// Handles what waits at a position, whenever it is due.
    pub fn arrive(&mut self, at: usize) -> Option<Macrostep> {
        let &(send, due) = self.waiting.get(at)?;
        self.now = self.now.max(due);
        self.begin(ChartCause::Sent(at), self.chart.sends[send].event)
    }

    /// Lets time pass, in milliseconds: what is due until then arrives.
    pub fn wait(&mut self, time: u64) -> Vec<Macrostep> {
        let end = self.now.saturating_add(time);
        let mut all = Vec::new();
        while self.is_waiting() {
            let due = self
                .waiting
                .iter()
                .enumerate()
                .filter(|(_, (_, due))| *due <= end);
            let Some(first) = due
                .min_by_key(|(at, (_, due))| (*due, *at))
                .map(|(at, _)| at)
            else {
                break;
            };
            let Some(step) = self.arrive(first) else {
                break;
            };
            all.push(step);
            if all.len() >= MAX_MICROSTEPS {
                break;
            }
        }
        self.now = end;
        all
    }

    /// The active states that have nothing inside, in document order.
    pub fn configuration(&self) -> Vec<usize> {
        let mut active = self.active();
        active.retain(|&state| self.chart.states[state].kind.is_atomic());
        active
    }

    /// The data: names, and values where there are any.
    pub fn data(&self) -> Vec<(&'a str, Option<(VarId, Value)>)> {
        let value = |data: &'a ChartData| {
            let is_there = data
                .defined
                .is_none_or(|var| self.env.value(var) == Some(&Value::Bool(true)));
            let value = self.env.value(data.var).filter(|_| is_there);
            (&*data.name, value.map(|value| (data.var, value.clone())))
        };
        self.chart.data.iter().map(value).collect()
    }

    fn active(&self) -> Vec<usize> {
        active_states(self.cx, self.chart, &self.env)
    }

    /// What waits, as the system has it.
    fn pending(&self) -> Vec<usize> {
        let held = self
            .chart
            .pending
            .iter()
            .filter_map(|&var| match self.env.value(var) {
                Some(Value::Enum(at)) => (*at as usize).checked_sub(1),
                _ => None,
            });
        held.collect()
    }

    fn state(&self) -> Option<State> {
        State::read(&self.system.variables, PointId::of(self.at), &self.env).ok()
    }

    fn run(&mut self, stmt: StmtId) -> Option<()> {
        self.executor
            .run(self.cx, stmt, &mut self.env, &mut Recorded::new(&[]))
            .ok()
    }

    fn begin(&mut self, cause: ChartCause, event: usize) -> Option<Macrostep> {
        if !self.is_waiting() {
            return None;
        }
        if let ChartCause::Sent(at) = cause {
            self.waiting.remove(at);
        }
        let fresh = self.sent_by(cause);
        let micro = self.step(Some(cause))?;
        let step = self.complete(
            Some(event),
            matches!(cause, ChartCause::Sent(_)),
            vec![micro],
        );
        self.settle_times(&fresh);
        Some(step)
    }

    /// What a macrostep sends: what waits after it if nothing waited before.
    fn sent_by(&self, cause: ChartCause) -> Vec<usize> {
        if self.chart.pending.is_empty() {
            return Vec::new();
        }
        let mut other = Player {
            env: self.env.clone(),
            executor: Executor::new(),
            waiting: Vec::new(),
            ..*self
        };
        other.run_alone(cause);
        other.pending()
    }

    /// Runs a macrostep on a chart in which nothing waits but what arrives.
    fn run_alone(&mut self, cause: ChartCause) {
        let nothing = Value::Enum(0);
        let moved = match cause {
            ChartCause::Sent(at) => self.env.value(self.chart.pending[at]).cloned(),
            _ => None,
        };
        for &var in &self.chart.pending {
            self.env.set(var, nothing.clone());
        }
        let cause = match moved {
            Some(what) => {
                self.env.set(self.chart.pending[0], what);
                ChartCause::Sent(0)
            }
            None => cause,
        };
        if self.step(Some(cause)).is_some() {
            self.complete(None, false, Vec::new());
        }
    }

    /// When what waits now is due: what waited before keeps its time.
    fn settle_times(&mut self, fresh: &[usize]) {
        let pending = self.pending();
        let n_kept = pending.len().saturating_sub(fresh.len());
        let mut before = std::mem::take(&mut self.waiting).into_iter();
        for &send in &pending[..n_kept] {
            let due = before
                .by_ref()
                .find(|(other, _)| *other == send)
                .map_or(self.now, |(_, due)| due);
            self.waiting.push((send, due));
        }
        for &send in &pending[n_kept..] {
            let due = self.now.saturating_add(self.chart.sends[send].delay);
            self.waiting.push((send, due));
        }
    }

    /// Microsteps until the macrostep is over.
    fn complete(
        &mut self,
        event: Option<usize>,
        is_own: bool,
        mut micro: Vec<Microstep>,
    ) -> Macrostep {
        let mut end = MacrostepEnd::Endless;
        let mut seen = self.state();
        for n in 1..MAX_MICROSTEPS {
            if self.is_waiting() {
                end = MacrostepEnd::Waiting;
                break;
            }
            let place = &self.system.locations[self.at];
            match (place.role, &*place.name) {
                (LocRole::Final, _) => end = MacrostepEnd::Ended,
                (LocRole::Cut, "overflow") => end = MacrostepEnd::Overflow,
                (LocRole::Cut, _) => end = MacrostepEnd::Outside,
                _ => match self.step(None) {
                    Some(step) => {
                        micro.push(step);
                        let state = self.state();
                        if seen.is_some() && state == seen {
                            break;
                        }
                        if n.is_power_of_two() {
                            seen = state;
                        }
                        continue;
                    }
                    None => end = MacrostepEnd::Endless,
                },
            }
            break;
        }
        micro.retain(|step| !step.fired.is_empty() || step.cause == ChartCause::Start);
        Macrostep {
            event,
            is_own,
            micro,
            end,
        }
    }

    /// The one step that is possible, with this cause if one is given; what it did if it fires transitions.
    fn step(&mut self, cause: Option<ChartCause>) -> Option<Microstep> {
        let edges: Vec<Edge> = self.system.edges.row(self.at).to_vec();
        let before = self.env.clone();
        for edge in edges {
            let step = self.chart.steps.get(&edge.stmt);
            if cause.is_some() && step.map(|step| step.cause) != cause {
                continue;
            }
            if self.run(edge.stmt).is_none() {
                self.env = before.clone();
                continue;
            }
            self.at = edge.target;
            let step = step.cloned().unwrap_or(ChartStep {
                cause: ChartCause::Settled,
                fired: Vec::new(),
            });
            return Some(self.describe(&step, &before));
        }
        None
    }

    fn describe(&mut self, step: &ChartStep, before: &Valuation) -> Microstep {
        microstep(self.cx, self.chart, step, Some(before), &self.env)
    }
}

/// The active states, in document order.
pub fn active_states(cx: &Context, chart: &Chart, env: &Valuation) -> Vec<usize> {
    let mut executor = Executor::new();
    let mut is_active = |term| executor.eval(cx, term, env) == Ok(Value::Bool(true));
    let states = chart.states.iter().enumerate();
    states
        .filter(|(_, state)| !state.kind.is_pseudo() && is_active(state.active))
        .map(|(at, _)| at)
        .collect()
}

/// What a step of a chart did, from the values before and after it.
pub fn microstep(
    cx: &Context,
    chart: &Chart,
    step: &ChartStep,
    before: Option<&Valuation>,
    after: &Valuation,
) -> Microstep {
    let new = active_states(cx, chart, after);
    let Some(before) = before else {
        return Microstep {
            cause: step.cause,
            fired: Vec::new(),
            left: Vec::new(),
            entered: new,
        };
    };
    // Conditions are read in the state before, but of the event as it is after.
    let mut read = before.clone();
    for &var in &chart.current {
        if let Some(value) = after.value(var) {
            read.set(var, value.clone());
        }
    }
    let mut executor = Executor::new();
    let mut fires = |when| executor.eval(cx, when, &read) == Ok(Value::Bool(true));
    let fired: Vec<_> = step
        .fired
        .iter()
        .filter(|firing| fires(firing.when))
        .collect();
    let is_touched = |state: usize| {
        let mut domains = fired.iter().filter_map(|firing| firing.domain);
        domains.any(|domain| chart.is_inside(state, domain))
    };
    let old = active_states(cx, chart, before).into_iter();
    let mut left: Vec<usize> = old.filter(|&state| is_touched(state)).collect();
    left.reverse();
    Microstep {
        cause: step.cause,
        fired: fired.iter().map(|firing| firing.transition).collect(),
        left,
        entered: new.into_iter().filter(|&state| is_touched(state)).collect(),
    }
}
