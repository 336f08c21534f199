//! Adapters: a synchronous component behind queues.
//!
//! When an adapter runs it takes one message, the first of the first queue by priority that has one. The message is handed to the
//! component inside, which runs one cycle if the message is one to run for; otherwise the message waits at its port. What the
//! component sent goes into the queues of others when it has run.

use super::compose::{Placed, PlacedEvent, PlacedPort, Step};
use super::lower::{Lower, SignalId, unknown};
use super::parse::{Parse, unsupported};
use super::place_chart::directions;
use super::queue::{Address, MessageKind, Outbox, QueueId};
use super::tree::{Adapter, Component, EventRef, QueueDecl};
use super::value::{Ty, Val};
use lariat_base::Diagnostic;
use lariat_system::{Stmt, StmtId};

pub(super) type AdapterId = usize;

/// How many messages a queue may hold.
const MAX_CAPACITY: usize = 64;

/// An adapter that was made.
pub(super) struct AdapterInfo {
    pub id: AdapterId,
    /// Its queues, in the order in which they are emptied.
    pub queues: Vec<QueueId>,
    /// What the component inside sends, in the order of its ports.
    pub outputs: Vec<SignalId>,
    /// What goes from here into queues, in the same order.
    pub outboxes: Vec<Outbox>,
}

/// An event that can come to an adapter.
struct Incoming {
    port: Box<str>,
    event: Box<str>,
    kind: MessageKind,
}

impl<'a> Lower<'a> {
    pub fn place_adapter(
        &mut self,
        (file, component): (usize, &'a Component),
        adapter: &'a Adapter,
        path: &str,
        args: Vec<(Val, Ty)>,
    ) -> Parse<Placed> {
        let inner_path = match path {
            "" => &*adapter.part.name.text,
            path => path,
        };
        let n_instances = self.instances.len();
        let inner = self.place_part((file, component), &args, &adapter.part, inner_path)?;
        let part_span = adapter.part.name.span;
        if inner.is_async {
            return Err(unsupported(
                "an adapter of an asynchronous component",
                part_span,
            ));
        }
        if (n_instances..self.instances.len()).any(|at| self.has_internal(at)) {
            return Err(unsupported(
                "an adapter of a component with internal events",
                part_span,
            ));
        }
        let mut incoming = self.control_events((file, component))?;
        for port in &inner.ports {
            for event in port.events.iter().filter(|event| !event.inputs.is_empty()) {
                incoming.push(self.handed_on(port, event));
            }
        }
        for one in &mut incoming {
            let is_asked = |wanted: &Option<EventRef>| {
                wanted.as_ref().is_none_or(|wanted| is_meant(wanted, one))
            };
            one.kind.runs = adapter.runs.iter().any(is_asked);
        }
        let ports = component.ports.iter().map(|port| &*port.name.text);
        let ports: Vec<&str> = ports
            .chain(inner.ports.iter().map(|port| &*port.name))
            .collect();
        let wanted = adapter.queues.iter().flat_map(|queue| &queue.events);
        for wanted in adapter.runs.iter().flatten().chain(wanted) {
            check_event(wanted, &ports, &incoming)?;
        }
        // The first queue by priority takes an event that several are for.
        let mut order: Vec<&QueueDecl> = adapter.queues.iter().collect();
        order.sort_by(|a, b| b.priority.cmp(&a.priority));
        let mut taken: Vec<(usize, Address)> = Vec::new();
        let mut queues = Vec::new();
        for decl in order {
            let capacity =
                self.with_params((file, component), &args, |lower| lower.capacity(file, decl))?;
            let (mut kinds, mut positions) = (Vec::new(), Vec::new());
            for wanted in &decl.events {
                for (at, one) in incoming.iter().enumerate() {
                    let is_new = taken.iter().all(|(known, _)| *known != at);
                    if is_new && is_meant(wanted, one) && !positions.contains(&at) {
                        positions.push(at);
                        kinds.push(one.kind.clone());
                    }
                }
            }
            let name = match path {
                "" => decl.name.text.to_string(),
                path => format!("{path}.{}", decl.name.text),
            };
            let queue = self.queue(&name, kinds, capacity, decl.drops_oldest, decl.name.span);
            queues.push(queue);
            let addresses = positions.into_iter().enumerate();
            taken.extend(addresses.map(|(kind, at)| (at, Address { queue, kind })));
        }
        let ports = self.adapter_ports((file, component), &inner, &incoming, &taken)?;
        let outputs = ports.iter().flat_map(|port| &port.events);
        let outputs = outputs.flat_map(|event| event.outputs.clone()).collect();
        let id = self.adapters.len();
        self.adapters.push(AdapterInfo {
            id,
            queues,
            outputs,
            outboxes: Vec::new(),
        });
        Ok(Placed {
            ports,
            step: Step::Adapter(id, Box::new(inner.step)),
            is_async: true,
        })
    }

    fn has_internal(&self, at: usize) -> bool {
        let events = self.instances[at].ports.iter().flat_map(|(_, all)| all);
        let mut inputs = events.filter_map(|(_, ends)| ends.input);
        inputs.any(|signal| self.is_internal(at, signal))
    }

    /// How many messages a queue holds.
    fn capacity(&mut self, file: usize, decl: &QueueDecl) -> Parse<usize> {
        let value = self.constant_int(file, &decl.capacity)?;
        let known = value.to_i64().and_then(|value| usize::try_from(value).ok());
        known
            .filter(|value| (1..=MAX_CAPACITY).contains(value))
            .ok_or_else(|| {
                let message = format!("a queue holds between 1 and {MAX_CAPACITY} messages");
                Box::new(Diagnostic::error("gamma-queue", message).at(decl.capacity.span))
            })
    }

    /// What comes in by the adapter's own ports: it only makes the component run.
    fn control_events(&mut self, (file, component): (usize, &Component)) -> Parse<Vec<Incoming>> {
        let mut all = Vec::new();
        for port in &component.ports {
            for event in self.events_of(file, &port.interface)? {
                if !directions(event, port).0 {
                    continue;
                }
                let mut params = Vec::new();
                for param in &event.params {
                    let ty = self.parameter_type(file, event, param)?;
                    params.push((param.name.text.clone(), ty));
                }
                let name = format!("{}.{}", port.name.text, event.name.text);
                all.push(Incoming {
                    port: port.name.text.clone(),
                    event: event.name.text.clone(),
                    kind: MessageKind::new(name, params, Vec::new()),
                });
            }
        }
        Ok(all)
    }

    /// What comes in by a port of the component inside.
    fn handed_on(&mut self, port: &PlacedPort, event: &PlacedEvent) -> Incoming {
        let first = self.signals[event.inputs[0]].clone();
        let params = first.params.iter();
        let params = params.map(|(name, slot)| (name.clone(), self.read(slot).1));
        let name = format!("{}.{}", port.name, event.name);
        let mut kind = MessageKind::new(name, params.collect(), event.inputs.clone());
        kind.persistent = first.persistent;
        Incoming {
            port: port.name.clone(),
            event: event.name.clone(),
            kind,
        }
    }

    /// The ports of the adapter: its own, and those of the component inside, whose inputs are queues.
    fn adapter_ports(
        &mut self,
        (file, component): (usize, &Component),
        inner: &Placed,
        incoming: &[Incoming],
        taken: &[(usize, Address)],
    ) -> Parse<Vec<PlacedPort>> {
        let queues = |port: &str, event: &str| -> Vec<Address> {
            let all = taken.iter().filter(|(at, _)| {
                let one = &incoming[*at];
                *one.port == *port && *one.event == *event
            });
            all.map(|&(_, address)| address).collect()
        };
        let mut ports = Vec::new();
        for port in &component.ports {
            let events = self.events_of(file, &port.interface)?.into_iter();
            let events = events.map(|event| PlacedEvent {
                queues: queues(&port.name.text, &event.name.text),
                name: event.name.text.clone(),
                ..PlacedEvent::default()
            });
            ports.push(PlacedPort {
                name: port.name.text.clone(),
                span: port.name.span,
                events: events.collect(),
            });
        }
        for port in &inner.ports {
            let events = port.events.iter().map(|event| PlacedEvent {
                name: event.name.clone(),
                inputs: Vec::new(),
                queues: queues(&port.name, &event.name),
                outputs: event.outputs.clone(),
            });
            ports.push(PlacedPort {
                name: port.name.clone(),
                span: port.span,
                events: events.collect(),
            });
        }
        Ok(ports)
    }

    /// An adapter takes a message, if there is one; `run` is a cycle of the component inside.
    pub fn take_message(&mut self, adapter: AdapterId, run: StmtId, out: &mut Vec<StmtId>) {
        let (bool_, no) = (self.cx.terms.sorts.bool(), self.cx.terms.false_());
        let runs = self.local("runs", bool_);
        out.push(self.cx.stmts.add(Stmt::Declare(runs, Some(no)), None));
        let mut stmt = self.cx.stmts.skip();
        for queue in self.adapters[adapter].queues.clone().into_iter().rev() {
            let mut chain = self.cx.stmts.skip();
            for kind in (0..self.queues[queue].kinds.len()).rev() {
                let (values, mut parts) = (self.first_values(queue, kind), Vec::new());
                let message = self.queues[queue].kinds[kind].clone();
                for signal in message.signals {
                    let signal = self.signals[signal].clone();
                    parts.push(self.assign_bool(signal.flag, true));
                    for ((_, slot), value) in signal.params.iter().zip(&values) {
                        self.write(slot, value, &mut parts, None);
                    }
                }
                if message.runs {
                    parts.push(self.assign_bool(runs, true));
                }
                let (is_it, hand_on) = (self.holds(queue, 0, Some(kind)), self.seq(&parts));
                chain = self.when(is_it, hand_on, Some(chain));
            }
            let mut parts = vec![chain];
            self.forget_first(queue, &mut parts);
            let (is_empty, take) = (self.holds(queue, 0, None), self.seq(&parts));
            stmt = self.when(is_empty, stmt, Some(take));
        }
        out.push(stmt);
        let mut parts = vec![run];
        self.put_into_queues(adapter, &mut parts);
        let (runs, stmt) = (self.cx.terms.var(runs), self.seq(&parts));
        out.push(self.when(runs, stmt, None));
    }

    /// What was sent inside of an adapter goes into the queues of others.
    pub fn put_into_queues(&mut self, adapter: AdapterId, out: &mut Vec<StmtId>) {
        for at in 0..self.adapters[adapter].outboxes.len() {
            let Outbox { waits, to, .. } = &self.adapters[adapter].outboxes[at];
            let (waits, to) = (self.signals[*waits].clone(), to.clone());
            let mut parts = Vec::new();
            let values = waits.params.iter();
            let values: Vec<Val> = values.map(|(_, slot)| self.read(slot).0).collect();
            for address in to {
                self.enqueue(address, &values, &mut parts);
            }
            self.be_over(&waits, &mut parts);
            let (flag, stmt) = (self.cx.terms.var(waits.flag), self.seq(&parts));
            out.push(self.when(flag, stmt, None));
        }
    }
}

fn is_meant(wanted: &EventRef, one: &Incoming) -> bool {
    let event = wanted.event.as_ref();
    wanted.port.text == one.port && event.is_none_or(|event| event.text == one.event)
}

/// A queue or a trigger names a port, and an event that comes in by it.
fn check_event(wanted: &EventRef, ports: &[&str], incoming: &[Incoming]) -> Parse<()> {
    if !ports.contains(&&*wanted.port.text) {
        return Err(unknown("port", &wanted.port, ports.iter().copied()));
    }
    let Some(event) = &wanted.event else {
        return Ok(());
    };
    let inputs = incoming.iter().filter(|one| one.port == wanted.port.text);
    let names: Vec<&str> = inputs.map(|one| &*one.event).collect();
    if names.contains(&&*event.text) {
        Ok(())
    } else {
        Err(unknown("input", event, names))
    }
}
