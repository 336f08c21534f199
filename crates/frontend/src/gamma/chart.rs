//! What is drawn and told of a model: instances, regions and states as one tree, transitions, signals.

use super::build::Parts;
use super::chart_tree::What;
use super::environment::Input;
use super::lower::{Lower, Signal};
use super::queue::Address;
use super::tree::{Action, ActionKind};
use super::value::Slot;
use lariat_base::{FxHashMap, Span};
use lariat_system::{
    Chart, ChartCause, ChartData, ChartFiring, ChartKind, ChartSending, ChartSignal, ChartState,
    ChartStep, ChartTransition, LocId,
};

struct Maker<'m, 'l> {
    lower: &'m mut Lower<'l>,
    states: Vec<ChartState>,
    /// Where each node of each instance stands in the tree.
    places: FxHashMap<(usize, usize), usize>,
    /// Where regions and whole statecharts stand: what is around the states of a region.
    around: FxHashMap<(usize, usize), usize>,
    /// Where each instance stands.
    homes: Vec<usize>,
}

/// The chart of a system.
pub(super) fn chart(
    lower: &mut Lower<'_>,
    name: &str,
    parts: &Parts,
    waiting: LocId,
    span: Span,
) -> Chart {
    let always = lower.cx.terms.true_();
    let n_instances = lower.instances.len();
    let mut maker = Maker {
        lower,
        states: Vec::new(),
        places: FxHashMap::default(),
        around: FxHashMap::default(),
        homes: Vec::new(),
    };
    let is_parallel = n_instances != 1 || !maker.lower.instances[0].path.is_empty();
    let kind = if is_parallel {
        ChartKind::Parallel
    } else {
        ChartKind::Compound
    };
    maker.states.push(ChartState {
        name: name.into(),
        other_names: Vec::new(),
        parent: None,
        kind,
        initial: Vec::new(),
        active: always,
        actions: Vec::new(),
        span,
    });
    for at in 0..n_instances {
        maker.instance(at, is_parallel);
    }
    let (transitions, fired) = maker.transitions();
    let Maker {
        lower,
        states,
        homes,
        ..
    } = maker;
    let current = fired
        .iter()
        .filter_map(|firing| lower.cx.terms.as_var(firing.when))
        .collect();
    let steps = [
        (
            parts.start,
            ChartStep {
                cause: ChartCause::Start,
                fired: Vec::new(),
            },
        ),
        (
            parts.cycle,
            ChartStep {
                cause: ChartCause::Cycle,
                fired,
            },
        ),
    ];
    Chart {
        states,
        transitions,
        data: data(lower),
        events: Vec::new(),
        event: None,
        signals: signals(lower, parts, &homes),
        time: parts.time,
        sendings: sendings(parts),
        environment: Vec::new(),
        current,
        pending: Vec::new(),
        old: None,
        sends: Vec::new(),
        waiting,
        steps: steps.into_iter().collect(),
    }
}

impl Maker<'_, '_> {
    fn instance(&mut self, at: usize, is_parallel: bool) {
        self.lower.instance = Some(at);
        let tree = self.lower.tree();
        let always = self.lower.cx.terms.true_();
        let span = self.lower.own().component.name.span;
        let mut around = 0;
        let kind = if tree.top.len() > 1 {
            ChartKind::Parallel
        } else {
            ChartKind::Compound
        };
        if is_parallel {
            around = self.states.len();
            self.states.push(ChartState {
                name: self.lower.own().path.as_str().into(),
                other_names: Vec::new(),
                parent: Some(0),
                kind,
                initial: Vec::new(),
                active: always,
                actions: Vec::new(),
                span,
            });
        } else {
            self.states[0].kind = kind;
        }
        self.homes.push(around);
        self.regions(at, &tree.top.clone(), around);
        self.lower.instance = None;
    }

    /// Regions of a state or statechart: one is the state itself, several are states of their own.
    fn regions(&mut self, at: usize, regions: &[usize], around: usize) {
        let tree = self.lower.tree();
        for &region in regions {
            let mut parent = around;
            if regions.len() > 1 {
                parent = self.states.len();
                let name = self.lower.full_name(at, &tree.regions[region].name.text);
                let active = self.states[around].active;
                self.states.push(ChartState {
                    name: name.into(),
                    other_names: Vec::new(),
                    parent: Some(around),
                    kind: ChartKind::Compound,
                    initial: Vec::new(),
                    active,
                    actions: Vec::new(),
                    span: tree.regions[region].name.span,
                });
            }
            self.around.insert((at, region), parent);
            for &node in &tree.regions[region].nodes {
                self.node(at, node, parent);
            }
            let first = tree.entry_of(region).expect("every region has an entry");
            let entry = match tree.nodes[first].what {
                What::Initial => tree.transitions[tree.nodes[first].out[0]].to,
                _ => first,
            };
            if let Some(&place) = self.places.get(&(at, entry)) {
                self.states[parent].initial.push(place);
            }
        }
    }

    fn node(&mut self, at: usize, node: usize, parent: usize) {
        let tree = self.lower.tree();
        let known = &tree.nodes[node];
        let kind = match known.what {
            What::Initial => return,
            What::State => match known.regions.len() {
                0 => ChartKind::Atomic,
                1 => ChartKind::Compound,
                _ => ChartKind::Parallel,
            },
            What::Shallow => ChartKind::ShallowHistory,
            What::Deep => ChartKind::DeepHistory,
            What::Choice | What::Merge | What::Fork | What::Join => ChartKind::Junction,
        };
        let active = if known.what == What::State {
            self.lower.active(node)
        } else {
            self.lower.cx.terms.false_()
        };
        let place = self.states.len();
        self.places.insert((at, node), place);
        let own = self.lower.own();
        let region = &tree.regions[known.region].name.text;
        let (chart, path) = (&own.component.name.text, &own.path);
        let name = self.lower.full_name(at, &known.name.text);
        let mut other_names = vec![
            self.lower
                .full_name(at, &format!("{region}.{}", known.name.text)),
        ];
        if path.is_empty() {
            other_names.push(format!("{chart}.{}", known.name.text));
            other_names.push(format!("{chart}.{region}.{}", known.name.text));
        } else if self.lower.instances.len() == 1 {
            other_names.push(known.name.text.to_string());
        }
        let actions = actions(known.entry, "entry").chain(actions(known.exit, "exit"));
        self.states.push(ChartState {
            name: name.into(),
            other_names: other_names.into_iter().map(Into::into).collect(),
            parent: Some(parent),
            kind,
            initial: Vec::new(),
            active,
            actions: actions.collect(),
            span: known.name.span,
        });
        if known.what == What::State {
            self.regions(at, &known.regions.clone(), place);
        }
    }

    /// The transitions between what is drawn, and when each fires.
    fn transitions(&mut self) -> (Vec<ChartTransition>, Vec<ChartFiring>) {
        let (mut all, mut fired) = (Vec::new(), Vec::new());
        for at in 0..self.lower.instances.len() {
            let tree = std::rc::Rc::clone(&self.lower.instances[at].tree);
            for (n, arc) in tree.transitions.iter().enumerate() {
                let from = self.places.get(&(at, arc.from));
                let (Some(&source), Some(&target)) = (from, self.places.get(&(at, arc.to))) else {
                    continue;
                };
                let var = self.lower.instances[at].fired[n];
                let domain = tree.common(&[arc.from, arc.to]);
                fired.push(ChartFiring {
                    when: self.lower.cx.terms.var(var),
                    transition: all.len(),
                    domain: domain.and_then(|region| self.around.get(&(at, region)).copied()),
                });
                all.push(ChartTransition {
                    source,
                    targets: vec![target],
                    label: arc.decl.label.clone(),
                    span: arc.decl.span,
                });
            }
        }
        (all, fired)
    }
}

/// Variables, timeouts and parameters, by name.
fn data(lower: &Lower<'_>) -> Vec<ChartData> {
    let mut all = Vec::new();
    for one in &lower.instances {
        let declared = one
            .chart
            .vars
            .iter()
            .filter_map(|decl| one.vars.get(&decl.name.text));
        let timeouts = one
            .chart
            .timeouts
            .iter()
            .filter_map(|name| one.timeouts.get(&name.text));
        all.extend(declared.flat_map(Slot::vars).map(|(var, _)| var));
        all.extend(timeouts.copied());
    }
    let places = lower.queues.iter().flat_map(|queue| &queue.places);
    all.extend(places.map(|place| place.kind));
    let is_free = |variable: &&lariat_system::Variable| variable.initial.is_none();
    all.extend(
        lower
            .variables
            .iter()
            .filter(is_free)
            .map(|variable| variable.var),
    );
    let named = all.into_iter().map(|var| ChartData {
        name: lower.cx.terms.name(var).into(),
        var,
        defined: None,
    });
    named.collect()
}

/// Where it is chosen which messages come; inputs stand first among the signals.
fn sendings(parts: &Parts) -> Vec<ChartSending> {
    let all = parts.sendings.iter().map(|sending| ChartSending {
        choice: sending.choice,
        signals: sending.inputs.clone(),
    });
    all.collect()
}

fn signals(lower: &Lower<'_>, parts: &Parts, homes: &[usize]) -> Vec<ChartSignal> {
    let home = |instances: Vec<usize>| -> Vec<usize> {
        let mut all: Vec<usize> = instances.into_iter().map(|at| homes[at]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let params = |params: &[(Box<str>, Slot)]| -> Vec<_> {
        params
            .iter()
            .flat_map(|(_, slot)| slot.vars())
            .map(|(var, _)| var)
            .collect()
    };
    let mut all = Vec::new();
    for input in &parts.inputs {
        let own = lower.cx.terms.name(input.flag);
        let mut other_names: Vec<Box<str>> = Vec::new();
        if *own != *input.name {
            other_names.push(own.into());
        }
        all.push(ChartSignal {
            name: input.name.as_str().into(),
            other_names,
            flag: input.flag,
            params: params(&input.params),
            is_input: true,
            from: None,
            to: home(hears_input(lower, input)),
        });
    }
    let outputs: FxHashMap<usize, &str> = parts
        .outputs
        .iter()
        .flat_map(|output| output.signals.iter().map(|&signal| (signal, &*output.name)))
        .collect();
    for (at, signal) in lower.signals.iter().enumerate() {
        let Signal { flag, name, .. } = signal;
        let is_known = all.iter().any(|known: &ChartSignal| known.flag == *flag);
        if is_known || !is_output(lower, at) {
            continue;
        }
        let outer = outputs.get(&at).copied();
        let unique = parts.outputs.iter().any(|output| output.signals == [at]);
        all.push(ChartSignal {
            name: outer.filter(|_| unique).unwrap_or(name).into(),
            other_names: match outer {
                Some(outer) if unique && *outer != **name => vec![name.as_str().into()],
                _ => Vec::new(),
            },
            flag: *flag,
            params: params(&signal.params),
            is_input: false,
            from: Some(homes[signal.instance]),
            to: home(hears(lower, at)),
        });
    }
    all
}

/// The instances that hear what comes from outside.
fn hears_input(lower: &Lower<'_>, input: &Input) -> Vec<usize> {
    let own = lower.signals.iter().filter(|one| one.flag == input.flag);
    let copies = input
        .copies
        .iter()
        .map(|&copy| lower.signals[copy].instance);
    let mut all: Vec<usize> = own.map(|one| one.instance).chain(copies).collect();
    all.extend(input.queues.iter().flat_map(|&to| takes(lower, to)));
    all
}

/// The instances that hear what an instance sends.
fn hears(lower: &Lower<'_>, signal: usize) -> Vec<usize> {
    let boxes = lower.adapters.iter().flat_map(|adapter| &adapter.outboxes);
    let boxes: Vec<_> = boxes.filter(|outbox| outbox.from == signal).collect();
    let targets = lower.signals[signal].targets.iter();
    let direct = targets.filter(|to| boxes.iter().all(|outbox| outbox.waits != to.signal));
    let mut all: Vec<usize> = direct.map(|to| lower.signals[to.signal].instance).collect();
    let addresses = boxes.iter().flat_map(|outbox| &outbox.to);
    all.extend(addresses.flat_map(|&to| takes(lower, to)));
    all
}

/// The instances that a message is handed to, or that run for it.
fn takes(lower: &Lower<'_>, to: Address) -> Vec<usize> {
    let kind = &lower.queues[to.queue].kinds[to.kind];
    let mut signals = kind.signals.clone();
    if signals.is_empty() {
        let mut adapters = lower.adapters.iter();
        let adapter = adapters.find(|adapter| adapter.queues.contains(&to.queue));
        signals.extend(adapter.and_then(|adapter| adapter.outputs.first()));
    }
    signals
        .into_iter()
        .map(|at| lower.signals[at].instance)
        .collect()
}

fn is_output(lower: &Lower<'_>, signal: usize) -> bool {
    let instance = &lower.instances[lower.signals[signal].instance];
    let mut ends = instance.ports.iter().flat_map(|(_, events)| events);
    ends.any(|(_, ends)| ends.output == Some(signal))
}

/// What a state does, in a few words.
fn actions<'a>(all: &'a [Action], when: &'a str) -> impl Iterator<Item = Box<str>> + 'a {
    all.iter().map(move |action| {
        let text = match &action.kind {
            ActionKind::Raise(port, event, _) => format!("raise {}.{}", port.text, event.text),
            ActionKind::Set(name, ..) => format!("set {}", name.text),
            ActionKind::Deactivate(name) => format!("deactivate {}", name.text),
            ActionKind::Call(name, _) => format!("{name}()"),
            ActionKind::Assign(target, _) => match &target.kind {
                super::tree::ExprKind::Name(name) => format!("{name} := …"),
                _ => "…".to_owned(),
            },
            _ => "…".to_owned(),
        };
        format!("{when} / {text}").into()
    })
}
