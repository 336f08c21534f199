//! Instances of components: compositions are taken apart into statecharts, their ports into signals.

use super::chart_tree::ChartTree;
use super::lower::{
    Ends, Instance, Local, Lower, Next, Priority, Rules, Signal, SignalId, Target, unknown,
};
use super::parse::{Parse, unsupported};
use super::tree::{
    Annotation, Body, ChartDecl, Component, Composite, EventDecl, Interface, Kind, Name, PortRef,
    Way,
};
use super::value::{Ty, Val};
use lariat_base::{Diagnostic, FxHashMap, Span};
use std::rc::Rc;

/// A component that was made: what its ports are, and how it runs.
pub(super) struct Placed {
    pub ports: Vec<PlacedPort>,
    pub step: Step,
}

pub(super) struct PlacedPort {
    pub name: Box<str>,
    pub span: Span,
    pub events: Vec<PlacedEvent>,
}

/// An event of a port: the signals that it comes in by, and those that it goes out by.
#[derive(Clone, Debug)]
pub(super) struct PlacedEvent {
    pub name: Box<str>,
    pub inputs: Vec<SignalId>,
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
            Body::Adapter(_) => Err(unsupported("an asynchronous adapter", name.span)),
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
        let is_sync = match composite.kind {
            Kind::Sync => true,
            Kind::Cascade => false,
            Kind::Async => {
                return Err(unsupported("an `async` composition", component.name.span));
            }
            Kind::ScheduledAsync => {
                return Err(unsupported(
                    "a `scheduled-async` composition",
                    component.name.span,
                ));
            }
        };
        let project = self.project;
        let mut parts: Vec<(&Name, Placed)> = Vec::new();
        for part in &composite.parts {
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
            // Arguments may use the parameters of the composition.
            let n_locals = self.locals.len();
            for (param, (value, ty)) in component.params.iter().zip(&args) {
                let local = Local::Value(value.clone(), ty.clone());
                self.locals.push((param.name.text.clone(), local));
            }
            let before = (
                std::mem::replace(&mut self.file, file),
                std::mem::replace(&mut self.hidden, n_locals),
                self.instance.take(),
            );
            let values = self.component_arguments((at, inner), &part.args, part.name.span);
            self.locals.truncate(n_locals);
            (self.file, self.hidden, self.instance) = before;
            let path = match path {
                "" => part.name.text.to_string(),
                path => format!("{path}.{}", part.name.text),
            };
            parts.push((&part.name, self.place((at, inner), &path, values?)?));
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
        if is_sync && (composite.execute.is_some() || composite.initial_execute.is_some()) {
            return Err(unsupported(
                "`execute` in a `sync` composition",
                component.name.span,
            ));
        }
        let parts: Vec<Step> = parts.into_iter().map(|(_, placed)| placed.step).collect();
        let step = if is_sync {
            arrives.sort_unstable();
            arrives.dedup();
            Step::Sync { parts, arrives }
        } else {
            Step::Cascade {
                parts,
                order,
                first,
            }
        };
        Ok(Placed { ports, step })
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
            let both = [
                (&event.outputs, &other.inputs),
                (&other.outputs, &event.inputs),
            ];
            for (outputs, inputs) in both {
                for &output in outputs {
                    for &input in inputs {
                        self.link(output, input, !is_sync);
                        if is_sync {
                            arrives.push(input);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What goes out by one signal comes in by another, at once or after a step.
    fn link(&mut self, output: SignalId, input: SignalId, at_once: bool) {
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
                    inputs: Vec::new(),
                    outputs: Vec::new(),
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
                event.outputs.extend(&other.outputs);
            }
        }
        Ok(ports)
    }

    /// The events of an interface, with those that it extends.
    fn events_of(&self, file: usize, interface: &Name) -> Parse<Vec<&'a EventDecl>> {
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

    fn place_chart(
        &mut self,
        (file, component): (usize, &'a Component),
        chart: &'a ChartDecl,
        path: &str,
        args: Vec<(Val, Ty)>,
    ) -> Parse<Placed> {
        let rules = rules(&component.notes)?;
        let key = std::ptr::from_ref(component);
        let known = self
            .instances
            .iter()
            .find(|one| std::ptr::eq(one.component, key));
        let tree = match known {
            Some(known) => Rc::clone(&known.tree),
            None => Rc::new(ChartTree::new(chart)?),
        };
        let at = self.instances.len();
        let params = component
            .params
            .iter()
            .map(|param| param.name.text.clone())
            .zip(args);
        self.instances.push(Instance {
            path: path.to_owned(),
            file,
            component,
            chart,
            tree: Rc::clone(&tree),
            rules,
            params: params.collect(),
            vars: FxHashMap::default(),
            timeouts: FxHashMap::default(),
            ports: Vec::new(),
            regions: Vec::new(),
            fired: Vec::new(),
            early: FxHashMap::default(),
            runs: 0,
        });
        let mut ports = Vec::new();
        for port in &component.ports {
            let mut ends = Vec::new();
            for event in self.events_of(file, &port.interface)? {
                ends.push((
                    event.name.text.clone(),
                    self.event_ends((file, at), port, event)?,
                ));
            }
            ports.push(PlacedPort {
                name: port.name.text.clone(),
                span: port.name.span,
                events: ends
                    .iter()
                    .map(|(name, ends)| PlacedEvent {
                        name: name.clone(),
                        inputs: ends.input.into_iter().collect(),
                        outputs: ends.output.into_iter().collect(),
                    })
                    .collect(),
            });
            self.instances[at]
                .ports
                .push((port.name.text.clone(), ends));
        }
        self.chart_variables(at, &tree)?;
        Ok(Placed {
            ports,
            step: Step::Chart(at),
        })
    }

    /// The signals of an event at a port.
    fn event_ends(
        &mut self,
        (file, instance): (usize, usize),
        port: &super::tree::Port,
        event: &EventDecl,
    ) -> Parse<Ends> {
        let (input, output) = match (event.way, port.provides) {
            (Way::Both | Way::Internal, _) => (true, true),
            (Way::In, true) | (Way::Out, false) => (true, false),
            (Way::Out, true) | (Way::In, false) => (false, true),
        };
        let base = self.full_name(instance, &format!("{}.{}", port.name.text, event.name.text));
        let mut ends = Ends::default();
        if output {
            ends.output = Some(self.signal((file, instance), event, &base)?);
        }
        if input {
            let name = if output { format!("{base}.in") } else { base };
            ends.input = Some(self.signal((file, instance), event, &name)?);
        }
        if let (Way::Internal, Some(output), Some(input)) = (event.way, ends.output, ends.input) {
            self.link(output, input, false);
        }
        Ok(ends)
    }

    fn signal(
        &mut self,
        (file, instance): (usize, usize),
        event: &EventDecl,
        name: &str,
    ) -> Parse<SignalId> {
        let span = event.name.span;
        let flag = self.flag(name, Some(span));
        let mut params = Vec::new();
        for param in &event.params {
            let ty = self.ty(file, &param.ty);
            // Types of an interface are known where the interface is.
            let ty = match ty {
                Ok(ty) => ty,
                Err(error) => self.type_where_declared(event, &param.ty).ok_or(error)?,
            };
            let full = format!("{name}.{}", param.name.text);
            params.push((
                param.name.text.clone(),
                self.slot(&full, &ty, Some(param.name.span)),
            ));
        }
        self.signals.push(Signal {
            name: name.to_owned(),
            flag,
            params,
            persistent: event.persistent,
            span,
            instance,
            targets: Vec::new(),
            next: None,
        });
        Ok(self.signals.len() - 1)
    }

    fn type_where_declared(&mut self, event: &EventDecl, ty: &super::tree::Type) -> Option<Ty> {
        let is_there = |member: &super::project::Member| {
            let mut events = member.file.interfaces.iter().flat_map(|one| &one.events);
            events.any(|known| std::ptr::eq(known, event))
        };
        let file = self.project.files.iter().position(is_there)?;
        self.ty(file, ty).ok()
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

    fn chart_variables(&mut self, at: usize, tree: &ChartTree<'a>) -> Parse<()> {
        let (chart, file) = (self.instances[at].chart, self.instances[at].file);
        for (region, decl) in tree.regions.iter().enumerate() {
            let states = tree.states(region);
            let names = states
                .iter()
                .map(|&state| tree.nodes[state].name.text.clone());
            let all = std::iter::once("-".into()).chain(names);
            let sort = format!(
                "{}.{}#{region}",
                self.instances[at].component.name.text, decl.name.text
            );
            let sort = self.cx.terms.sorts.enumeration(&sort, all);
            let name = format!("state({})", self.full_name(at, &decl.name.text));
            let nothing = self.cx.terms.lit(lariat_expr::Value::Enum(0), sort);
            let taken = self
                .variables
                .iter()
                .any(|known| self.cx.terms.name(known.var) == name);
            let name = if taken {
                format!("{name}#{region}")
            } else {
                name
            };
            let var = self.variable(&name, sort, Some(nothing), Some(decl.name.span));
            self.instances[at].regions.push(var);
        }
        for (n, arc) in tree.transitions.iter().enumerate() {
            let name = arc
                .decl
                .id
                .as_deref()
                .map_or_else(|| format!("{}", n + 1), str::to_owned);
            let name = format!("fired({})", self.full_name(at, &name));
            let var = self.flag(&name, Some(arc.decl.span));
            self.instances[at].fired.push(var);
        }
        for name in &chart.timeouts {
            let (zero, sort) = (self.zero(), self.time_sort());
            let full = self.full_name(at, &name.text);
            let var = self.variable(&full, sort, Some(zero), Some(name.span));
            self.instances[at].timeouts.insert(name.text.clone(), var);
        }
        for decl in &chart.vars {
            let ty = self.ty(file, &decl.ty)?;
            let name = &decl.name;
            if self.instances[at].vars.contains_key(&name.text) {
                let message = format!("two variables are called `{}`", name.text);
                return Err(Box::new(
                    Diagnostic::error("duplicate-name", message).at(name.span),
                ));
            }
            let full = self.full_name(at, &name.text);
            let slot = self.slot(&full, &ty, Some(name.span));
            self.instances[at].vars.insert(name.text.clone(), slot);
        }
        Ok(())
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

/// How a statechart chooses, by its annotations.
fn rules(notes: &[Annotation]) -> Parse<Rules> {
    let mut rules = Rules {
        bottom_up: false,
        priority: Priority::Off,
        unordered: false,
        early_guards: false,
    };
    for note in notes {
        let value = note.value.as_ref().map_or("", |value| &value.text);
        match (&*note.name.text, value) {
            ("RegionSchedule", "top-down") => rules.bottom_up = false,
            ("RegionSchedule", "bottom-up") => rules.bottom_up = true,
            ("TransitionPriority", "off") => rules.priority = Priority::Off,
            ("TransitionPriority", "order-based") => rules.priority = Priority::Order,
            ("TransitionPriority", "value-based") => rules.priority = Priority::Value,
            ("OrthogonalRegionSchedule", "sequential") => rules.unordered = false,
            ("OrthogonalRegionSchedule", "unordered") => rules.unordered = true,
            ("GuardEvaluation", "on-the-fly") => rules.early_guards = false,
            ("GuardEvaluation", "beginning-of-step") => rules.early_guards = true,
            (name, value) => {
                let what = match value {
                    "" => format!("the annotation `@{name}`"),
                    value => format!("the annotation `@{name} = {value}`"),
                };
                return Err(unsupported(&what, note.name.span));
            }
        }
    }
    Ok(rules)
}
