//! The system of a model: one place, and one step that is a cycle.
//!
//! A cycle begins with the environment: what was sent is over, any subset of the inputs of the system comes with any
//! parameters, time passes. Then the components run as the composition says. A statechart that has run has used up its
//! inputs; those that the environment sets stay to be seen until the next cycle.

use super::adapter::AdapterId;
use super::compose::{Placed, Step};
use super::environment::{Input, Output, Sending, check_events};
use super::lower::{Lower, Signal, SignalId};
use super::parse::{Parse, unsupported};
use super::value::{Slot, Ty, Val};
use super::{Reading, Time};
use lariat_base::Span;
use lariat_expr::{Op, SortId, TermId, VarId};
use lariat_system::{
    ChartTime, Edge, Fairness, Language, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// The most choices of how much time passes that are made one by one.
const MAX_MOMENTS: i64 = 64;

/// The parts of a system.
pub(super) struct Parts {
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    /// Where it is chosen which messages come.
    pub sendings: Vec<Sending>,
    pub start: StmtId,
    pub cycle: StmtId,
    /// Time goes on: what must be true again and again, in dense time.
    pub ticks: Option<TermId>,
    /// Where it is chosen how much time passes.
    pub time: Option<ChartTime>,
}

impl Lower<'_> {
    /// Everything that a component does as a system.
    pub fn parts(&mut self, placed: &Placed, reading: &Reading) -> Parse<Parts> {
        self.count_runs(&placed.step, 1);
        let (mut inputs, outputs) = self.ends_of_system(placed);
        if let Some(events) = &reading.events {
            check_events(events, &inputs)?;
            inputs.retain(|input| events.contains(&input.name));
        }
        let mut runs = Vec::new();
        let mut begins = Vec::new();
        for at in 0..self.instances.len() {
            let (begin, run) = self.statechart(at, &inputs)?;
            begins.push(begin);
            runs.push(run);
        }
        let mut start = self.initial_values()?;
        let mut order = Vec::new();
        begin_order(&placed.step, &mut order);
        start.extend(order.into_iter().map(|at| begins[at]));
        let all_next: Vec<SignalId> = (0..self.signals.len())
            .filter(|&at| self.signals[at].next.is_some())
            .collect();
        self.hand_over(&all_next, &mut start);
        for adapter in adapter_order(&placed.step, self.adapters.len()) {
            self.put_into_queues(adapter, &mut start);
        }
        self.first_runs(&placed.step, &runs, &mut start);
        let start = self.seq(&start);
        let n_messages = reading.messages.unwrap_or(1).max(1);
        let (mut cycle, sendings) = self.environment(&inputs, n_messages);
        let time = self.pass_time(&mut cycle);
        let (ticks, time) = time.map_or((None, None), |(ticks, time)| (ticks, Some(time)));
        self.run(&placed.step, &runs, &mut cycle);
        let cycle = self.seq(&cycle);
        Ok(Parts {
            inputs,
            outputs,
            sendings,
            start,
            cycle,
            ticks,
            time,
        })
    }

    fn count_runs(&mut self, step: &Step, times: usize) {
        match step {
            Step::Chart(at) => self.instances[*at].runs += times,
            Step::Adapter(_, inner) => self.count_runs(inner, times),
            Step::Sync { parts, .. } | Step::Any(parts) => {
                for part in parts {
                    self.count_runs(part, times);
                }
            }
            Step::Cascade { parts, order, .. } => {
                for (at, part) in parts.iter().enumerate() {
                    let here = order.iter().filter(|&&other| other == at).count();
                    self.count_runs(part, times.saturating_mul(here));
                }
            }
        }
    }

    /// What a statechart does at the start, and when it runs.
    fn statechart(&mut self, at: usize, inputs: &[Input]) -> Parse<(StmtId, StmtId)> {
        self.instance = Some(at);
        self.file = self.instances[at].file;
        let begin = self.begin()?;
        let react = self.react()?;
        let mut parts = vec![react];
        let own: Vec<SignalId> = (0..self.signals.len())
            .filter(|&signal| self.signals[signal].instance == at)
            .collect();
        let input_ends = self.instances[at]
            .ports
            .iter()
            .flat_map(|(_, events)| events);
        let ends: Vec<SignalId> = input_ends.filter_map(|(_, ends)| ends.input).collect();
        for &signal in &ends {
            let signal = self.signals[signal].clone();
            if inputs.iter().all(|input| input.flag != signal.flag) {
                self.be_over(&signal, &mut parts);
            }
        }
        // Events of the statechart's own, which it hears when it runs again.
        let internal: Vec<SignalId> = own
            .iter()
            .flat_map(|&signal| self.signals[signal].targets.clone())
            .filter(|target| own.contains(&target.signal) && ends.contains(&target.signal))
            .filter(|target| !target.at_once && self.is_internal(at, target.signal))
            .map(|target| target.signal)
            .collect();
        self.hand_over(&internal, &mut parts);
        self.instance = None;
        Ok((begin, self.seq(&parts)))
    }

    pub fn is_internal(&self, at: usize, signal: SignalId) -> bool {
        let events = self.instances[at]
            .ports
            .iter()
            .flat_map(|(_, events)| events);
        let ends = events
            .map(|(_, ends)| ends)
            .find(|ends| ends.input == Some(signal));
        ends.is_some_and(|ends| {
            ends.output.is_some_and(|output| {
                self.signals[output]
                    .targets
                    .iter()
                    .any(|target| target.signal == signal)
            })
        })
    }

    /// A signal is over: so are its parameters, unless they persist.
    pub fn be_over(&mut self, signal: &Signal, out: &mut Vec<StmtId>) {
        out.push(self.assign_bool(signal.flag, false));
        if !signal.persistent {
            for (_, slot) in &signal.params {
                self.reset(slot, out);
            }
        }
    }

    pub fn reset(&mut self, slot: &Slot, out: &mut Vec<StmtId>) {
        let (_, ty) = self.read(slot);
        let value = self.default_value(&ty);
        self.write(slot, &value, out, None);
    }

    /// What was sent during a step arrives.
    fn hand_over(&mut self, signals: &[SignalId], out: &mut Vec<StmtId>) {
        for &at in signals {
            let signal = self.signals[at].clone();
            let Some(next) = &signal.next else { continue };
            let mut parts = vec![self.assign_bool(signal.flag, true)];
            for ((_, from), (_, to)) in next.params.iter().zip(&signal.params) {
                let (value, _) = self.read(from);
                self.write(to, &value, &mut parts, None);
                self.reset(from, &mut parts);
            }
            parts.push(self.assign_bool(next.flag, false));
            let (flag, stmt) = (self.cx.terms.var(next.flag), self.seq(&parts));
            out.push(self.when(flag, stmt, None));
        }
    }

    /// The declared values of variables: they may read constants and parameters.
    fn initial_values(&mut self) -> Parse<Vec<StmtId>> {
        let mut stmts = Vec::new();
        for at in 0..self.instances.len() {
            self.instance = Some(at);
            self.file = self.instances[at].file;
            for decl in &self.instances[at].chart.vars {
                let Some(value) = &decl.value else { continue };
                let slot = self.instances[at].vars[&decl.name.text].clone();
                let (_, ty) = self.read(&slot);
                let value = self.value_as(value, &ty)?;
                self.write(&slot, &value, &mut stmts, Some(decl.name.span));
            }
            self.instance = None;
        }
        Ok(stmts)
    }

    pub fn time_sort(&self) -> SortId {
        let sorts = &self.cx.terms.sorts;
        if self.time.is_dense() {
            sorts.rat()
        } else {
            sorts.int()
        }
    }

    /// Time passes: all timeouts come nearer to their ends.
    fn pass_time(&mut self, out: &mut Vec<StmtId>) -> Option<(Option<TermId>, ChartTime)> {
        let mut timeouts: Vec<VarId> = self
            .instances
            .iter()
            .flat_map(|one| one.timeouts.values().copied())
            .collect();
        timeouts.sort_unstable();
        if timeouts.is_empty() {
            return None;
        }
        let sort = self.time_sort();
        let passed = self.local("passed", sort);
        let mut time = ChartTime {
            unit: self.time.unit().unsigned_abs(),
            passed,
            moments: None,
        };
        let one = self.cx.terms.int(1);
        let longest = self.longest.clone().and_then(|longest| longest.to_i64());
        let unit = self.time.unit();
        match (self.time, longest) {
            (Time::Fixed(_), _) => {
                out.push(self.cx.stmts.add(Stmt::Declare(passed, Some(one)), None));
            }
            (Time::Discrete(_), Some(longest)) if longest / unit <= MAX_MOMENTS => {
                // Longer than the longest timeout is as good as just as long.
                let first = self.cx.stmts.add(Stmt::Declare(passed, Some(one)), None);
                let branches: Vec<StmtId> = (1..=(longest / unit).max(1))
                    .map(|moment| {
                        let moment = self.cx.terms.int(moment);
                        self.assign(passed, moment)
                    })
                    .collect();
                let choice = self.cx.stmts.choice(&branches, None);
                time.moments = Some(choice);
                out.extend([first, choice]);
            }
            (how, _) => {
                let any = self.cx.stmts.add(Stmt::Declare(passed, None), None);
                let (term, zero) = (self.cx.terms.var(passed), self.zero());
                let goes_on = match how {
                    Time::Dense => self.cx.terms.lt(zero, term),
                    _ => self.cx.terms.le(one, term),
                };
                out.extend([any, self.assume(goes_on)]);
            }
        }
        let mut passed = self.cx.terms.var(passed);
        if unit > 1 {
            let unit = self.cx.terms.int(unit);
            passed = self.cx.terms.mul(&[passed, unit]);
        }
        for var in timeouts {
            let (term, zero) = (self.cx.terms.var(var), self.zero());
            let is_over = self.cx.terms.le(term, passed);
            let rest = self.cx.terms.sub(term, passed);
            let mut value = self.cx.terms.ite(is_over, zero, rest);
            if self.deactivated.contains(&var) {
                let is_off = self.cx.terms.lt(term, zero);
                value = self.cx.terms.ite(is_off, term, value);
            }
            out.push(self.assign(var, value));
        }
        let ticks = (self.time == Time::Dense).then(|| self.tick(passed, out));
        Some((ticks, time))
    }

    /// Time does not come to an end: again and again a second is full.
    fn tick(&mut self, passed: TermId, out: &mut Vec<StmtId>) -> TermId {
        let (sort, zero) = (self.time_sort(), self.zero());
        let part = self.variable("time.part", sort, Some(zero), None);
        let full = self.flag("time.full", None);
        let second = self.cx.terms.int(1000);
        let second = self
            .cx
            .terms
            .build(Op::ToRat, &[second])
            .expect("an integer");
        let term = self.cx.terms.var(part);
        let sum = self.cx.terms.add(&[term, passed]);
        let is_full = self.cx.terms.le(second, sum);
        let next = self.cx.terms.ite(is_full, zero, sum);
        out.push(self.assign(full, is_full));
        out.push(self.assign(part, next));
        self.cx.terms.var(full)
    }

    fn run(&mut self, step: &Step, runs: &[StmtId], out: &mut Vec<StmtId>) {
        match step {
            Step::Chart(at) => out.push(runs[*at]),
            Step::Sync { parts, arrives } => {
                for part in parts {
                    self.run(part, runs, out);
                }
                self.hand_over(arrives, out);
            }
            Step::Cascade { parts, order, .. } => {
                for &at in order {
                    self.run(&parts[at], runs, out);
                }
            }
            Step::Adapter(adapter, inner) => {
                let mut parts = Vec::new();
                self.run(inner, runs, &mut parts);
                let cycle = self.seq(&parts);
                self.take_message(*adapter, cycle, out);
            }
            Step::Any(parts) => {
                let mut branches = Vec::new();
                for part in parts {
                    let mut stmts = Vec::new();
                    self.run(part, runs, &mut stmts);
                    branches.push(self.seq(&stmts));
                }
                if !branches.is_empty() {
                    out.push(self.cx.stmts.choice(&branches, None));
                }
            }
        }
    }

    /// What runs once at the start.
    fn first_runs(&mut self, step: &Step, runs: &[StmtId], out: &mut Vec<StmtId>) {
        match step {
            Step::Chart(_) => {}
            Step::Adapter(_, inner) => self.first_runs(inner, runs, out),
            Step::Sync { parts, .. } | Step::Any(parts) => {
                for part in parts {
                    self.first_runs(part, runs, out);
                }
            }
            Step::Cascade { parts, first, .. } => {
                for part in parts {
                    self.first_runs(part, runs, out);
                }
                for &at in first {
                    self.run(&parts[at], runs, out);
                }
            }
        }
    }

    /// Arguments of the system that are not given: any values, which stay.
    pub fn free_argument(&mut self, name: &str, ty: &Ty, span: Span) -> Parse<(Val, Ty)> {
        let sort = self.sort(ty);
        if matches!(ty, Ty::Record(_) | Ty::Array(..) | Ty::Range(..) | Ty::Void) {
            return Err(unsupported(
                "a parameter of this type without a value",
                span,
            ));
        }
        let var = self.variable(name, sort, None, Some(span));
        Ok((Val::Term(self.cx.terms.var(var)), ty.clone()))
    }
}

/// In which order statecharts begin.
fn begin_order(step: &Step, out: &mut Vec<usize>) {
    match step {
        Step::Chart(at) => out.push(*at),
        Step::Adapter(_, inner) => begin_order(inner, out),
        Step::Sync { parts, .. } | Step::Cascade { parts, .. } | Step::Any(parts) => {
            for part in parts {
                begin_order(part, out);
            }
        }
    }
}

/// In which order adapters send what was raised at the start: as they run, then those that never run.
fn adapter_order(step: &Step, n: usize) -> Vec<AdapterId> {
    let (mut order, mut todo) = (Vec::new(), vec![step]);
    while let Some(step) = todo.pop() {
        match step {
            Step::Chart(_) => {}
            Step::Adapter(adapter, _) => order.push(*adapter),
            Step::Sync { parts, .. } | Step::Any(parts) => todo.extend(parts.iter().rev()),
            Step::Cascade { parts, order, .. } => {
                todo.extend(order.iter().rev().map(|&at| &parts[at]));
            }
        }
    }
    order.extend(0..n);
    let mut seen = vec![false; n];
    order.retain(|&adapter| !std::mem::replace(&mut seen[adapter], true));
    order
}

/// Makes the system.
pub(super) fn system(lower: &mut Lower<'_>, name: &str, parts: Parts, span: Span) -> System {
    let mut builder = SystemBuilder::new(Language::Gamma, name);
    let mut sorts: Vec<SortId> = Vec::new();
    for variable in &lower.variables {
        let sort = lower.cx.terms.var_sort(variable.var);
        if lower.cx.terms.sorts.as_enum(sort).is_some() && !sorts.contains(&sort) {
            sorts.push(sort);
            builder.sort(sort);
        }
    }
    for variable in &lower.variables {
        builder.variable(Variable::clone(variable));
    }
    let place = builder.location(Location {
        span: Some(span),
        ..Location::new("cycle")
    });
    builder.start(Edge::new(parts.start, place));
    builder.edge(place, Edge::new(parts.cycle, place));
    if let Some(ticks) = parts.ticks {
        builder.fairness(Fairness::Justice(ticks));
    }
    let chart = super::chart::chart(lower, name, &parts, place, span);
    builder.chart(chart);
    builder.finish(lower.cx)
}

/// The system of a text without a component: nothing happens.
pub(super) fn empty(lower: &mut Lower<'_>, name: &str, span: Span) -> System {
    let mut builder = SystemBuilder::new(Language::Gamma, name);
    let place = builder.location(Location {
        span: Some(span),
        ..Location::new("cycle")
    });
    let skip = lower.cx.stmts.skip();
    builder.start(Edge::new(skip, place));
    builder.edge(place, Edge::new(skip, place).stuttering());
    builder.finish(lower.cx)
}
