//! Instances of statecharts: their signals, and the variables of their states, transitions, timeouts and data.

use super::chart_tree::ChartTree;
use super::compose::{Placed, PlacedEvent, PlacedPort, Step};
use super::lower::{Ends, Instance, Lower, Priority, Rules, Signal, SignalId};
use super::parse::{Parse, unsupported};
use super::tree::{Annotation, ChartDecl, Component, EventDecl, ParamDecl, Port, Way};
use super::value::{Ty, Val};
use lariat_base::{Diagnostic, FxHashMap};
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub fn place_chart(
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
                        queues: Vec::new(),
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
            is_async: false,
        })
    }

    /// The signals of an event at a port.
    fn event_ends(
        &mut self,
        (file, instance): (usize, usize),
        port: &Port,
        event: &EventDecl,
    ) -> Parse<Ends> {
        let (input, output) = directions(event, port);
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
            let ty = self.parameter_type(file, event, param)?;
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

    /// The type of a parameter. Types of an interface are known where the interface is.
    pub fn parameter_type(
        &mut self,
        file: usize,
        event: &EventDecl,
        param: &ParamDecl,
    ) -> Parse<Ty> {
        match self.ty(file, &param.ty) {
            Ok(ty) => Ok(ty),
            Err(error) => self.type_where_declared(event, &param.ty).ok_or(error),
        }
    }

    fn type_where_declared(&mut self, event: &EventDecl, ty: &super::tree::Type) -> Option<Ty> {
        let is_there = |member: &super::project::Member| {
            let mut events = member.file.interfaces.iter().flat_map(|one| &one.events);
            events.any(|known| std::ptr::eq(known, event))
        };
        let file = self.project.files.iter().position(is_there)?;
        self.ty(file, ty).ok()
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

/// Whether an event comes in by a port, and whether it goes out.
pub(super) fn directions(event: &EventDecl, port: &Port) -> (bool, bool) {
    match (event.way, port.provides) {
        (Way::Both | Way::Internal, _) => (true, true),
        (Way::In, true) | (Way::Out, false) => (true, false),
        (Way::Out, true) | (Way::In, false) => (false, true),
    }
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
