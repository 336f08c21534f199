//! Queues of messages: places that hold an event and the values of its parameters, the oldest first.
//!
//! A place without a message, and a value that its message does not have, hold what they held at the start, so that queues with
//! the same messages are equal. Parameters of one type share variables, since a place holds one message.

use super::lower::{Lower, Signal, SignalId};
use super::value::{Slot, Ty, Val};
use lariat_base::Span;
use lariat_expr::{SortId, TermId, Value, VarId};
use lariat_system::StmtId;

pub(super) type QueueId = usize;

/// Where a message goes, and as what it waits there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Address {
    pub queue: QueueId,
    pub kind: usize,
}

pub(super) struct Queue {
    /// What it can hold.
    pub kinds: Vec<MessageKind>,
    pub places: Vec<Place>,
    pub drops_oldest: bool,
    /// Whether a message was lost in this cycle.
    pub lost: VarId,
    sort: SortId,
}

/// An event that a queue takes.
#[derive(Clone, Debug)]
pub(super) struct MessageKind {
    /// `PORT.EVENT`
    pub name: String,
    pub params: Vec<(Box<str>, Ty)>,
    pub persistent: bool,
    /// The signals that it is handed on by.
    pub signals: Vec<SignalId>,
    /// Whether the component runs when it is taken.
    pub runs: bool,
    /// Which value of a place holds each parameter.
    values: Vec<usize>,
}

impl MessageKind {
    pub fn new(name: String, params: Vec<(Box<str>, Ty)>, signals: Vec<SignalId>) -> Self {
        Self {
            name,
            params,
            persistent: false,
            signals,
            runs: false,
            values: Vec::new(),
        }
    }
}

/// A place of a queue: which message is there, if any, and the values of parameters.
#[derive(Clone)]
pub(super) struct Place {
    pub kind: VarId,
    values: Vec<Slot>,
}

/// What was sent to queues and is put there when the sender has run.
pub(super) struct Outbox {
    pub from: SignalId,
    pub waits: SignalId,
    pub to: Vec<Address>,
}

impl Lower<'_> {
    /// Makes a queue.
    pub fn queue(
        &mut self,
        name: &str,
        mut kinds: Vec<MessageKind>,
        capacity: usize,
        drops_oldest: bool,
        span: Span,
    ) -> QueueId {
        let mut types: Vec<Ty> = Vec::new();
        for kind in &mut kinds {
            for (_, ty) in &kind.params {
                let free = |at: &usize| types[*at] == *ty && !kind.values.contains(at);
                let at = (0..types.len()).find(free).unwrap_or_else(|| {
                    types.push(ty.clone());
                    types.len() - 1
                });
                kind.values.push(at);
            }
        }
        let names = kinds.iter().map(|kind| Box::from(kind.name.as_str()));
        let all = std::iter::once(Box::from("-")).chain(names);
        let sort = self
            .cx
            .terms
            .sorts
            .enumeration(&format!("{name}#queue"), all);
        let nothing = self.cx.terms.lit(Value::Enum(0), sort);
        let mut places = Vec::new();
        for at in 1..=capacity {
            let place = format!("{name}[{at}]");
            let kind = self.variable(&place, sort, Some(nothing), Some(span));
            let values = types.iter().enumerate();
            let values = values.map(|(n, ty)| self.slot(&format!("{place}.{n}"), ty, Some(span)));
            let values = values.collect();
            places.push(Place { kind, values });
        }
        let lost = self.flag(&format!("{name}.lost"), Some(span));
        self.queues.push(Queue {
            kinds,
            places,
            drops_oldest,
            lost,
            sort,
        });
        self.queues.len() - 1
    }

    /// What goes out by a signal is put into a queue when the adapter around the sender has run.
    pub fn post(&mut self, output: SignalId, to: Address) {
        let owner = self.adapters.iter();
        let mut owner = owner.filter(|adapter| adapter.outputs.contains(&output));
        let Some(owner) = owner.next().map(|adapter| adapter.id) else {
            unreachable!("the parts of an asynchronous composition are adapters");
        };
        let known = self.adapters[owner].outboxes.iter_mut();
        if let Some(outbox) = known.into_iter().find(|outbox| outbox.from == output) {
            outbox.to.push(to);
            return;
        }
        let sender = self.signals[output].clone();
        let name = format!("post({})", sender.name);
        let flag = self.flag(&name, Some(sender.span));
        let params = sender.params.iter().map(|(param, slot)| {
            let (_, ty) = self.read(slot);
            let slot = self.slot(&format!("{name}.{param}"), &ty, Some(sender.span));
            (param.clone(), slot)
        });
        let params = params.collect();
        self.signals.push(Signal {
            name,
            flag,
            params,
            persistent: false,
            targets: Vec::new(),
            next: None,
            ..sender
        });
        let waits = self.signals.len() - 1;
        self.signals[output].targets.push(super::lower::Target {
            signal: waits,
            at_once: true,
        });
        let adapter = &mut self.adapters[owner];
        adapter.outboxes.push(Outbox {
            from: output,
            waits,
            to: vec![to],
        });
        let outputs = &adapter.outputs;
        let position = |outbox: &Outbox| outputs.iter().position(|&known| known == outbox.from);
        adapter.outboxes.sort_by_key(position);
    }

    fn kind_value(&mut self, queue: QueueId, kind: Option<usize>) -> TermId {
        let value = kind.map_or(0, |kind| 1 + kind as u32);
        let sort = self.queues[queue].sort;
        self.cx.terms.lit(Value::Enum(value), sort)
    }

    /// Whether a place holds a message of a kind, or nothing.
    pub fn holds(&mut self, queue: QueueId, place: usize, kind: Option<usize>) -> TermId {
        let value = self.kind_value(queue, kind);
        let var = self.queues[queue].places[place].kind;
        let var = self.cx.terms.var(var);
        self.cx.terms.eq(var, value)
    }

    /// Puts a message into a queue; a full one forgets its oldest or this one.
    pub fn enqueue(&mut self, to: Address, values: &[Val], out: &mut Vec<StmtId>) {
        let Address { queue, kind } = to;
        let n = self.queues[queue].places.len();
        let lose = self.assign_bool(self.queues[queue].lost, true);
        let mut stmt = None;
        if self.queues[queue].drops_oldest {
            let mut parts = vec![lose];
            self.forget_first(queue, &mut parts);
            let (has_room, full) = (self.holds(queue, n - 1, None), self.seq(&parts));
            let skip = self.cx.stmts.skip();
            out.push(self.when(has_room, skip, Some(full)));
        } else {
            stmt = Some(lose);
        }
        for at in (0..n).rev() {
            let place = self.queues[queue].places[at].clone();
            let value = self.kind_value(queue, Some(kind));
            let mut parts = vec![self.assign(place.kind, value)];
            let cells = self.queues[queue].kinds[kind].values.clone();
            for (cell, value) in cells.into_iter().zip(values) {
                self.write(&place.values[cell], value, &mut parts, None);
            }
            let (is_free, put) = (self.holds(queue, at, None), self.seq(&parts));
            stmt = Some(match stmt {
                // The last place is free if no other is.
                None => put,
                Some(otherwise) => self.when(is_free, put, Some(otherwise)),
            });
        }
        out.extend(stmt);
    }

    /// The values of the first message of a queue, if it is of this kind.
    pub fn first_values(&mut self, queue: QueueId, kind: usize) -> Vec<Val> {
        let cells = self.queues[queue].kinds[kind].values.clone();
        let first = self.queues[queue].places[0].clone();
        let values = cells
            .into_iter()
            .map(|cell| self.read(&first.values[cell]).0);
        values.collect()
    }

    /// All messages move up; the first is forgotten.
    pub fn forget_first(&mut self, queue: QueueId, out: &mut Vec<StmtId>) {
        let places = self.queues[queue].places.clone();
        for (at, place) in places.iter().enumerate() {
            match places.get(at + 1) {
                Some(next) => {
                    let value = self.cx.terms.var(next.kind);
                    out.push(self.assign(place.kind, value));
                    for (from, to) in next.values.iter().zip(&place.values) {
                        let (value, _) = self.read(from);
                        self.write(to, &value, out, None);
                    }
                }
                None => {
                    let nothing = self.kind_value(queue, None);
                    out.push(self.assign(place.kind, nothing));
                    for slot in &place.values {
                        self.reset(slot, out);
                    }
                }
            }
        }
    }
}
