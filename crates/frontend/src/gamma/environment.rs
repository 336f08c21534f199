//! What comes from outside before a cycle: any subset of the inputs, with any parameters; of what goes into queues, so many
//! messages for each queue, in any order.

use super::compose::{Placed, PlacedEvent};
use super::lower::{Lower, SignalId};
use super::parse::Parse;
use super::queue::{Address, QueueId};
use super::value::{Slot, Ty, Val};
use lariat_base::{Diagnostic, Span, nearest};
use lariat_expr::{Int, VarId};
use lariat_system::{Stmt, StmtId};

/// What the environment can send: a flag and parameters, and the signals or queues that they come in by if those are others.
pub(super) struct Input {
    /// `PORT.EVENT` of the system.
    pub name: String,
    pub flag: VarId,
    pub params: Vec<(Box<str>, Slot)>,
    pub persistent: bool,
    pub copies: Vec<SignalId>,
    pub queues: Vec<Address>,
    pub span: Span,
}

/// What the system can send, by the names of its ports.
pub(super) struct Output {
    pub name: String,
    pub signals: Vec<SignalId>,
}

/// A choice of what comes into queues: its first branch is nothing, each other one an input, by its position.
pub(super) struct Sending {
    pub choice: StmtId,
    pub inputs: Vec<usize>,
}

impl Lower<'_> {
    /// The inputs and outputs of the system.
    pub fn ends_of_system(&mut self, placed: &Placed) -> (Vec<Input>, Vec<Output>) {
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for port in &placed.ports {
            for event in &port.events {
                let name = format!("{}.{}", port.name, event.name);
                if !event.queues.is_empty() {
                    inputs.push(self.message_input(&name, event, port.span));
                } else if !event.inputs.is_empty() {
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
                queues: Vec::new(),
                span,
            };
        }
        let params = first.params.iter();
        let params = params.map(|(param, slot)| (param.clone(), self.read(slot).1));
        let params: Vec<(Box<str>, Ty)> = params.collect();
        Input {
            copies: event.inputs.clone(),
            persistent: first.persistent,
            ..self.new_input(name, &params, span)
        }
    }

    fn message_input(&mut self, name: &str, event: &PlacedEvent, span: Span) -> Input {
        let Address { queue, kind } = event.queues[0];
        let kind = self.queues[queue].kinds[kind].clone();
        Input {
            queues: event.queues.clone(),
            persistent: kind.persistent,
            ..self.new_input(name, &kind.params, span)
        }
    }

    fn new_input(&mut self, name: &str, params: &[(Box<str>, Ty)], span: Span) -> Input {
        let flag = self.flag(name, Some(span));
        let params = params.iter().map(|(param, ty)| {
            let slot = self.slot(&format!("{name}.{param}"), ty, Some(span));
            (param.clone(), slot)
        });
        Input {
            name: name.to_owned(),
            flag,
            params: params.collect(),
            persistent: false,
            copies: Vec::new(),
            queues: Vec::new(),
            span,
        }
    }

    /// What the environment does before a cycle.
    pub fn environment(
        &mut self,
        inputs: &[Input],
        n_messages: u32,
    ) -> (Vec<StmtId>, Vec<Sending>) {
        let mut out = Vec::new();
        self.forget_last_cycle(&mut out);
        for input in inputs.iter().filter(|input| input.queues.is_empty()) {
            let span = Some(input.span);
            out.push(self.cx.stmts.add(Stmt::Havoc(input.flag), span));
            let (given, mut otherwise) = (self.any_parameters(input), Vec::new());
            if !input.persistent {
                for (_, slot) in &input.params {
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
        let sendings = self.messages(inputs, n_messages, &mut out);
        (out, sendings)
    }

    /// What was sent, lost and fired is over.
    fn forget_last_cycle(&mut self, out: &mut Vec<StmtId>) {
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
                self.be_over(&signal, out);
            }
        }
        for at in 0..self.queues.len() {
            out.push(self.assign_bool(self.queues[at].lost, false));
        }
    }

    /// Any values of the parameters of an input, within their ranges.
    fn any_parameters(&mut self, input: &Input) -> Vec<StmtId> {
        let mut out = Vec::new();
        let slots = input.params.iter().flat_map(|(_, slot)| slot.vars());
        for (var, ty) in slots {
            out.push(self.cx.stmts.add(Stmt::Havoc(var), Some(input.span)));
            if let Ty::Range(low, high) = ty {
                out.push(self.within(var, low, high));
            }
        }
        out
    }

    /// Messages of the environment: for queues that can get the same message the order of all of them matters.
    fn messages(&mut self, inputs: &[Input], n: u32, out: &mut Vec<StmtId>) -> Vec<Sending> {
        for input in inputs.iter().filter(|input| !input.queues.is_empty()) {
            out.push(self.assign_bool(input.flag, false));
            if !input.persistent {
                for (_, slot) in &input.params {
                    self.reset(slot, out);
                }
            }
        }
        let mut sendings = Vec::new();
        for (queues, members) in groups(inputs) {
            let mut rest = self.cx.stmts.skip();
            for _ in 0..n as usize * queues {
                let mut branches = vec![self.cx.stmts.skip()];
                for &at in &members {
                    let input = &inputs[at];
                    let mut parts = vec![self.assign_bool(input.flag, true)];
                    parts.extend(self.any_parameters(input));
                    let values = input.params.iter();
                    let values: Vec<Val> = values.map(|(_, slot)| self.read(slot).0).collect();
                    for &to in &input.queues {
                        self.enqueue(to, &values, &mut parts);
                    }
                    parts.push(rest);
                    branches.push(self.seq(&parts));
                }
                rest = self.cx.stmts.choice(&branches, None);
                sendings.push(Sending {
                    choice: rest,
                    inputs: members.clone(),
                });
            }
            out.push(rest);
        }
        sendings
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
}

/// The inputs that go into queues, together where they share one: how many queues, and which inputs.
fn groups(inputs: &[Input]) -> Vec<(usize, Vec<usize>)> {
    let mut all: Vec<(Vec<QueueId>, Vec<usize>)> = Vec::new();
    for (at, input) in inputs.iter().enumerate() {
        if input.queues.is_empty() {
            continue;
        }
        let mut queues: Vec<QueueId> = input.queues.iter().map(|to| to.queue).collect();
        let mut members = vec![at];
        all.retain_mut(|(known, others)| {
            let is_apart = !known.iter().any(|queue| queues.contains(queue));
            if !is_apart {
                queues.append(known);
                members.append(others);
            }
            is_apart
        });
        queues.sort_unstable();
        queues.dedup();
        members.sort_unstable();
        all.push((queues, members));
    }
    all.sort_by_key(|(_, members)| members[0]);
    let counted = all
        .into_iter()
        .map(|(queues, members)| (queues.len(), members));
    counted.collect()
}

/// Events that are named on the command line must be there.
pub(super) fn check_events(events: &[String], inputs: &[Input]) -> Parse<()> {
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
