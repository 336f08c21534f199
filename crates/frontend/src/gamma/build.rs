//! The system of a model: one place, and one step that is a cycle.
//!
//! A cycle begins with the environment: what was sent is over, any subset of the inputs of the system comes with any
//! parameters, time passes. Then the components run as the composition says. A statechart that has run has used up its
//! inputs; those that the environment sets stay to be seen until the next cycle.

use super::Time;
use super::compose::{Placed, PlacedEvent, Step};
use super::lower::{Lower, Signal, SignalId};
use super::parse::{Parse, unsupported};
use super::value::{Slot, Ty, Val};
use lariat_base::{Diagnostic, Span, nearest};
use lariat_expr::{Int, Op, SortId, TermId, VarId};
use lariat_system::{
    ChartTime, Edge, Fairness, Language, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// What the environment can send: a flag and parameters, and the signals that they come in by if those are others.
pub(super) struct Input {
    /// `PORT.EVENT` of the system.
    pub name: String,
    pub flag: VarId,
    pub params: Vec<(Box<str>, Slot)>,
    pub persistent: bool,
    pub copies: Vec<SignalId>,
    pub span: Span,
}

/// What the system can send, by the names of its ports.
pub(super) struct Output {
    pub name: String,
    pub signals: Vec<SignalId>,
}

/// The most choices of how much time passes that are made one by one.
const MAX_MOMENTS: i64 = 64;

/// The parts of a system.
pub(super) struct Parts {
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    pub start: StmtId,
    pub cycle: StmtId,
    /// Time goes on: what must be true again and again, in dense time.
    pub ticks: Option<TermId>,
    /// Where it is chosen how much time passes.
    pub time: Option<ChartTime>,
}

impl Lower<'_> {
    /// Everything that a component does as a system.
    pub fn parts(&mut self, placed: &Placed, events: Option<&[String]>) -> Parse<Parts> {
        self.count_runs(&placed.step, 1);
        let (mut inputs, outputs) = self.ends_of_system(placed);
        if let Some(events) = events {
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
        self.first_runs(&placed.step, &runs, &mut start);
        let start = self.seq(&start);
        let mut cycle = self.environment(&inputs);
        let time = self.pass_time(&mut cycle);
        let (ticks, time) = time.map_or((None, None), |(ticks, time)| (ticks, Some(time)));
        self.run(&placed.step, &runs, &mut cycle);
        let cycle = self.seq(&cycle);
        Ok(Parts {
            inputs,
            outputs,
            start,
            cycle,
            ticks,
            time,
        })
    }

    fn count_runs(&mut self, step: &Step, times: usize) {
        match step {
            Step::Chart(at) => self.instances[*at].runs += times,
            Step::Sync { parts, .. } => {
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

    /// The inputs and outputs of the system.
    fn ends_of_system(&mut self, placed: &Placed) -> (Vec<Input>, Vec<Output>) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for port in &placed.ports {
            for event in &port.events {
                let name = format!("{}.{}", port.name, event.name);
                if !event.inputs.is_empty() {
                    inputs.push(self.input(&name, event, port.span));
                }
                if !event.outputs.is_empty() {
                    let signals = event.outputs.clone();
                    outputs.push(Output { name, signals });
                }
            }
        }
        (inputs, outputs)
    }

    fn input(&mut self, name: &str, event: &PlacedEvent, span: Span) -> Input {
        let first = self.signals[event.inputs[0]].clone();
        let is_own = event.inputs.len() == 1 && self.instances[first.instance].runs <= 1;
        let is_heard_else = self.signals.iter().any(|signal| {
            signal
                .targets
                .iter()
                .any(|to| event.inputs.contains(&to.signal))
        });
        if is_own && !is_heard_else {
            return Input {
                name: name.to_owned(),
                flag: first.flag,
                params: first.params,
                persistent: first.persistent,
                copies: Vec::new(),
                span,
            };
        }
        let flag = self.flag(name, Some(span));
        let params = first.params.iter().map(|(param, slot)| {
            let (_, ty) = self.read(slot);
            (
                param.clone(),
                self.slot(&format!("{name}.{param}"), &ty, Some(span)),
            )
        });
        Input {
            name: name.to_owned(),
            flag,
            params: params.collect(),
            persistent: first.persistent,
            copies: event.inputs.clone(),
            span,
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

    fn is_internal(&self, at: usize, signal: SignalId) -> bool {
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
    fn be_over(&mut self, signal: &Signal, out: &mut Vec<StmtId>) {
        out.push(self.assign_bool(signal.flag, false));
        if !signal.persistent {
            for (_, slot) in &signal.params {
                self.reset(slot, out);
            }
        }
    }

    fn reset(&mut self, slot: &Slot, out: &mut Vec<StmtId>) {
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

    /// What the environment does before a cycle.
    fn environment(&mut self, inputs: &[Input]) -> Vec<StmtId> {
        let mut out = Vec::new();
        for at in 0..self.instances.len() {
            for var in self.instances[at].fired.clone() {
                out.push(self.assign_bool(var, false));
            }
            let events = self.instances[at]
                .ports
                .iter()
                .flat_map(|(_, events)| events);
            let outputs: Vec<SignalId> = events.filter_map(|(_, ends)| ends.output).collect();
            for signal in outputs {
                let signal = self.signals[signal].clone();
                self.be_over(&signal, &mut out);
            }
        }
        for input in inputs {
            let span = Some(input.span);
            out.push(self.cx.stmts.add(Stmt::Havoc(input.flag), span));
            let (mut given, mut otherwise) = (Vec::new(), Vec::new());
            for (_, slot) in &input.params {
                for (var, ty) in slot.vars() {
                    given.push(self.cx.stmts.add(Stmt::Havoc(var), span));
                    if let Ty::Range(low, high) = ty {
                        given.push(self.within(var, low, high));
                    }
                }
                if !input.persistent {
                    self.reset(slot, &mut otherwise);
                }
            }
            let flag = self.cx.terms.var(input.flag);
            if !given.is_empty() {
                let (given, otherwise) = (self.seq(&given), self.seq(&otherwise));
                out.push(self.when(flag, given, Some(otherwise)));
            }
            for &copy in &input.copies {
                let signal = self.signals[copy].clone();
                let mut parts = vec![self.assign_bool(signal.flag, true)];
                for ((_, from), (_, to)) in input.params.iter().zip(&signal.params) {
                    let (value, _) = self.read(from);
                    self.write(to, &value, &mut parts, None);
                }
                let stmt = self.seq(&parts);
                out.push(self.when(flag, stmt, None));
            }
        }
        out
    }

    fn within(&mut self, var: VarId, low: &Int, high: &Int) -> StmtId {
        let (low, high) = (
            self.cx.terms.int(low.clone()),
            self.cx.terms.int(high.clone()),
        );
        let var = self.cx.terms.var(var);
        let parts = [self.cx.terms.le(low, var), self.cx.terms.le(var, high)];
        let both = self.cx.terms.and(&parts);
        self.assume(both)
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
        }
    }

    /// What runs once at the start.
    fn first_runs(&mut self, step: &Step, runs: &[StmtId], out: &mut Vec<StmtId>) {
        match step {
            Step::Chart(_) => {}
            Step::Sync { parts, .. } => {
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

/// Events that are named on the command line must be there.
fn check_events(events: &[String], inputs: &[Input]) -> Parse<()> {
    for event in events {
        if !inputs.iter().any(|input| input.name == *event) {
            let message = format!("the system has no input `{event}`");
            let near = nearest(event, inputs.iter().map(|input| &*input.name));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            let finding = Diagnostic::error("unknown-event", message).maybe_hint(hint);
            return Err(Box::new(finding));
        }
    }
    Ok(())
}

/// In which order statecharts begin.
fn begin_order(step: &Step, out: &mut Vec<usize>) {
    match step {
        Step::Chart(at) => out.push(*at),
        Step::Sync { parts, .. } | Step::Cascade { parts, .. } => {
            for part in parts {
                begin_order(part, out);
            }
        }
    }
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
