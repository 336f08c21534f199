//! Instances of components: compositions are taken apart into statecharts, their ports into signals.

use super::adapter::AdapterId;
use super::lower::{Local, Lower, Next, SignalId, Target, unknown};
use super::parse::{Parse, unsupported};
use super::queue::Address;
use super::tree::{Body, Component, Composite, EventDecl, Interface, Kind, Name, Part, PortRef};
use super::value::{Ty, Val};
use lariat_base::{Diagnostic, Span};

/// A component that was made: what its ports are, and how it runs.
pub(super) struct Placed {
    pub ports: Vec<PlacedPort>,
    pub step: Step,
    /// Whether messages reach it through queues.
    pub is_async: bool,
}

pub(super) struct PlacedPort {
    pub name: Box<str>,
    pub span: Span,
    pub events: Vec<PlacedEvent>,
}

/// An event of a port: the signals or queues that it comes in by, and the signals that it goes out by.
#[derive(Clone, Debug, Default)]
pub(super) struct PlacedEvent {
    pub name: Box<str>,
    pub inputs: Vec<SignalId>,
    pub queues: Vec<Address>,
    pub outputs: Vec<SignalId>,
}

/// How a component runs.
pub(super) enum Step {
    Chart(usize),
    /// All at the same time: what is sent arrives afterwards.
    Sync {
        parts: Vec<Step>,
        arrives: Vec<SignalId>,
    },
    /// One after another, in an order, and once more at the start.
    Cascade {
        parts: Vec<Step>,
        order: Vec<usize>,
        first: Vec<usize>,
    },
    /// Takes a message and runs what is inside, if the message is one to run for.
    Adapter(AdapterId, Box<Step>),
    /// One of the parts, whichever.
    Any(Vec<Step>),
}

/// How many instances a model may have.
const MAX_INSTANCES: usize = 10_000;

impl<'a> Lower<'a> {
    /// Makes a component with arguments.
    pub fn place(
        &mut self,
        (file, component): (usize, &'a Component),
        path: &str,
        args: Vec<(Val, Ty)>,
    ) -> Parse<Placed> {
        let name = &component.name;
        if self.calls.iter().any(|known| **known == *name.text) || self.calls.len() > 100 {
            let message = format!("the component `{}` contains itself", name.text);
            return Err(Box::new(
                Diagnostic::error("recursion", message).at(name.span),
            ));
        }
        if self.instances.len() >= MAX_INSTANCES {
            let message = format!("the model has more than {MAX_INSTANCES} instances");
            return Err(Box::new(
                Diagnostic::error("too-many-instances", message).at(name.span),
            ));
        }
        self.calls.push(name.text.clone());
        let placed = match &component.body {
            Body::Chart(chart) => self.place_chart((file, component), chart, path, args),
            Body::Composite(composite) => {
                self.place_composite((file, component), composite, path, args)
            }
            Body::Adapter(adapter) => self.place_adapter((file, component), adapter, path, args),
        };
        self.calls.pop();
        placed
    }

    fn place_composite(
        &mut self,
        (file, component): (usize, &'a Component),
        composite: &'a Composite,
        path: &str,
        args: Vec<(Val, Ty)>,
    ) -> Parse<Placed> {
        let is_sync = composite.kind == Kind::Sync;
        let is_async = matches!(composite.kind, Kind::Async | Kind::ScheduledAsync);
        let mut parts: Vec<(&Name, Placed)> = Vec::new();
        for part in &composite.parts {
            let path = match path {
                "" => part.name.text.to_string(),
                path => format!("{path}.{}", part.name.text),
            };
            let placed = self.place_part((file, component), &args, part, &path)?;
            if placed.is_async != is_async {
                let message = if is_async {
                    "the parts of an asynchronous composition have queues"
                } else {
                    "the parts of a synchronous composition have no queues"
                };
                let finding = Diagnostic::error("gamma-composition", message).at(part.name.span);
                let hint = if is_async {
                    "put an adapter around the component: `adapter A of component c : T { when any / run  queue … }`"
                } else {
                    "make the composition `scheduled-async` or `async`"
                };
                return Err(Box::new(finding.hint(hint)));
            }
            parts.push((&part.name, placed));
        }
        let mut arrives = Vec::new();
        for channel in &composite.channels {
            for to in &channel.to {
                self.connect(
                    &parts,
                    (&channel.from, to),
                    is_sync,
                    channel.span,
                    &mut arrives,
                )?;
            }
        }
        let ports = self.composite_ports((file, component), composite, &parts)?;
        let find = |name: &Name| {
            let at = parts.iter().position(|(part, _)| part.text == name.text);
            at.ok_or_else(|| unknown("component", name, parts.iter().map(|(part, _)| &*part.text)))
        };
        let mut order = Vec::new();
        let mut first = Vec::new();
        if let Some(names) = &composite.execute {
            for name in names {
                order.push(find(name)?);
            }
        } else {
            order.extend(0..parts.len());
        }
        for name in composite.initial_execute.iter().flatten() {
            first.push(find(name)?);
        }
        let has_order = composite.execute.is_some() || composite.initial_execute.is_some();
        if has_order && matches!(composite.kind, Kind::Sync | Kind::Async) {
            let what = if is_sync {
                "`execute` in a `sync` composition"
            } else {
                "`execute` in an `async` composition"
            };
            return Err(unsupported(what, component.name.span));
        }
        let parts: Vec<Step> = parts.into_iter().map(|(_, placed)| placed.step).collect();
        let step = if is_sync {
            arrives.sort_unstable();
            arrives.dedup();
            Step::Sync { parts, arrives }
        } else if composite.kind == Kind::Async {
            Step::Any(parts)
        } else {
            Step::Cascade {
                parts,
                order,
                first,
            }
        };
        Ok(Placed {
            ports,
            step,
            is_async,
        })
    }

    /// Makes a part of a component; its arguments may use the parameters of the component.
    pub fn place_part(
        &mut self,
        (file, component): (usize, &'a Component),
        args: &[(Val, Ty)],
        part: &'a Part,
        path: &str,
    ) -> Parse<Placed> {
        let project = self.project;
        let Some((at, inner)) = project.component(file, &part.ty.text) else {
            let known = project
                .files
                .iter()
                .flat_map(|member| &member.file.components);
            return Err(unknown(
                "component",
                &part.ty,
                known.map(|one| &*one.name.text),
            ));
        };
        let values = self.with_params((file, component), args, |lower| {
            lower.component_arguments((at, inner), &part.args, part.name.span)
        });
        self.place((at, inner), path, values?)
    }

    /// Does something where the parameters of a component are known.
    pub fn with_params<T>(
        &mut self,
        (file, component): (usize, &Component),
        args: &[(Val, Ty)],
        what: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let n_locals = self.locals.len();
        for (param, (value, ty)) in component.params.iter().zip(args) {
            let local = Local::Value(value.clone(), ty.clone());
            self.locals.push((param.name.text.clone(), local));
        }
        let before = (
            std::mem::replace(&mut self.file, file),
            std::mem::replace(&mut self.hidden, n_locals),
            self.instance.take(),
        );
        let done = what(self);
        self.locals.truncate(n_locals);
        (self.file, self.hidden, self.instance) = before;
        done
    }

    /// The values of a component's arguments.
    pub fn component_arguments(
        &mut self,
        (file, component): (usize, &Component),
        args: &[super::tree::Expr],
        span: Span,
    ) -> Parse<Vec<(Val, Ty)>> {
        if component.params.len() != args.len() {
            let message = format!(
                "`{}` has {} parameters and is given {} arguments",
                component.name.text,
                component.params.len(),
                args.len()
            );
            return Err(Box::new(
                Diagnostic::error("wrong-arguments", message).at(span),
            ));
        }
        let mut values = Vec::new();
        for (param, arg) in component.params.iter().zip(args) {
            let ty = self.ty(file, &param.ty)?;
            values.push((self.value_as(arg, &ty)?, ty));
        }
        Ok(values)
    }

    /// A channel: what one side sends, the other hears.
    fn connect(
        &mut self,
        parts: &[(&Name, Placed)],
        (from, to): (&PortRef, &PortRef),
        is_sync: bool,
        span: Span,
        arrives: &mut Vec<SignalId>,
    ) -> Parse<()> {
        let (from, to) = (port_of(parts, from)?, port_of(parts, to)?);
        for event in &from.events {
            let Some(other) = to.events.iter().find(|other| other.name == event.name) else {
                let message = format!(
                    "the event `{}` of `{}` is not one of `{}`",
                    event.name, from.name, to.name
                );
                return Err(Box::new(Diagnostic::error("gamma-port", message).at(span)));
            };
            for (from, to) in [(event, other), (other, event)] {
                for &output in &from.outputs {
                    for &input in &to.inputs {
                        self.link(output, input, !is_sync);
                        if is_sync {
                            arrives.push(input);
                        }
                    }
                    for &address in &to.queues {
                        self.post(output, address);
                    }
                }
            }
        }
        Ok(())
    }

    /// What goes out by one signal comes in by another, at once or after a step.
    pub fn link(&mut self, output: SignalId, input: SignalId, at_once: bool) {
        if !at_once && self.signals[input].next.is_none() {
            let signal = self.signals[input].clone();
            let flag = self.flag(&format!("{}.next", signal.name), Some(signal.span));
            let params = signal.params.iter().map(|(name, slot)| {
                let (_, ty) = self.read(slot);
                let full = format!("{}.next.{name}", signal.name);
                (name.clone(), self.slot(&full, &ty, Some(signal.span)))
            });
            let params = params.collect();
            self.signals[input].next = Some(Next { flag, params });
        }
        self.signals[output].targets.push(Target {
            signal: input,
            at_once,
        });
    }

    /// The ports of a composition are those of its parts that they are bound to.
    fn composite_ports(
        &mut self,
        (file, component): (usize, &Component),
        composite: &Composite,
        parts: &[(&Name, Placed)],
    ) -> Parse<Vec<PlacedPort>> {
        let mut ports = Vec::new();
        for port in &component.ports {
            let mut events = Vec::new();
            for event in self.events_of(file, &port.interface)? {
                events.push(PlacedEvent {
                    name: event.name.text.clone(),
                    ..PlacedEvent::default()
                });
            }
            ports.push(PlacedPort {
                name: port.name.text.clone(),
                span: port.name.span,
                events,
            });
        }
        for binding in &composite.bindings {
            let at = ports.iter().position(|port| port.name == binding.port.text);
            let Some(at) = at else {
                return Err(unknown(
                    "port",
                    &binding.port,
                    ports.iter().map(|port| &*port.name),
                ));
            };
            let inner = port_of(parts, &binding.to)?;
            for event in &mut ports[at].events {
                let Some(other) = inner.events.iter().find(|other| other.name == event.name) else {
                    let message = format!("`{}` has no event `{}`", inner.name, event.name);
                    let span = binding.to.port.span;
                    return Err(Box::new(Diagnostic::error("gamma-port", message).at(span)));
                };
                event.inputs.extend(&other.inputs);
                event.queues.extend(&other.queues);
                event.outputs.extend(&other.outputs);
            }
        }
        Ok(ports)
    }

    /// The events of an interface, with those that it extends.
    pub fn events_of(&self, file: usize, interface: &Name) -> Parse<Vec<&'a EventDecl>> {
        let project = self.project;
        let find = |file: usize, name: &Name| -> Parse<(usize, &'a Interface)> {
            project.interface(file, &name.text).ok_or_else(|| {
                let known = project
                    .files
                    .iter()
                    .flat_map(|member| &member.file.interfaces);
                unknown("interface", name, known.map(|one| &*one.name.text))
            })
        };
        let mut todo = vec![find(file, interface)?];
        let (mut seen, mut events): (Vec<*const Interface>, Vec<&EventDecl>) =
            (Vec::new(), Vec::new());
        while let Some((file, interface)) = todo.pop() {
            if seen.contains(&std::ptr::from_ref(interface)) {
                continue;
            }
            seen.push(interface);
            for event in &interface.events {
                if !events
                    .iter()
                    .any(|known| known.name.text == event.name.text)
                {
                    events.push(event);
                }
            }
            for outer in &interface.extends {
                todo.push(find(file, outer)?);
            }
        }
        Ok(events)
    }

    /// Looks at what a text declares that has no component.
    pub fn check_all(&mut self) {
        let file = &self.project.files[0].file;
        let params = file
            .interfaces
            .iter()
            .flat_map(|one| &one.events)
            .flat_map(|event| &event.params);
        let types = file
            .types
            .iter()
            .map(|decl| &decl.ty)
            .chain(params.map(|param| &param.ty));
        for ty in types {
            if let Err(finding) = self.ty(0, ty) {
                self.findings.push(*finding);
            }
        }
    }

    /// The name of something of an instance.
    pub fn full_name(&self, instance: usize, name: &str) -> String {
        match &*self.instances[instance].path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        }
    }
}

fn port_of<'p>(parts: &'p [(&Name, Placed)], wanted: &PortRef) -> Parse<&'p PlacedPort> {
    let part = parts.iter().find(|(name, _)| name.text == wanted.part.text);
    let Some((_, placed)) = part else {
        return Err(unknown(
            "component",
            &wanted.part,
            parts.iter().map(|(name, _)| &*name.text),
        ));
    };
    let port = placed
        .ports
        .iter()
        .find(|port| port.name == wanted.port.text);
    port.ok_or_else(|| {
        unknown(
            "port",
            &wanted.port,
            placed.ports.iter().map(|port| &*port.name),
        )
    })
}
