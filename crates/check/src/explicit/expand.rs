//! The product of a system and a property as a graph: nodes are packed states, arcs are computed.
//!
//! A node holds the location, the state of the property's reader and the code of every variable.
//! Its arcs are the outcomes of the edges of its location, each with every move of the reader. An
//! edge runs as compiled code; one that has no such form, or whose run overflows, is interpreted. If
//! the interpreter can only sample (an unbounded `havoc`), the graph is a part of the real one:
//! what is found in it is real, but finding nothing means nothing; [`Product::incomplete`] tells.
//!
//! With symmetries a node stands for all states that they make of it ([`Orbits`]): arcs lead to the nodes that stand for the
//! states after the steps.
//!
//! Rejected: the general composition of system and automaton, which the abstraction engine uses: its
//! separate step for reading would double the nodes.

use super::ExplicitConfig;
use super::codes::{Codes, code_of, id_of};
use super::layout::{Numbers, Width};
use super::moves::ReaderMoves;
use super::orbits::{Orbits, Place};
use super::store::Store;
use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::reader::Reader;
use crate::symmetry::Family;
use crate::{Arc, Goal, Graph, NodeId};
use lariat_base::{Id, Stop};
use lariat_system::{
    Choice, Context, Decision, Edge, Incomplete, Limits, LocId, MAX_BITS, Machine, PointId,
    Program, Registers, State, Step, StmtId, TransitionSystem, Variable, edge_successors,
};

/// The fields of a node before the variables.
pub(super) const LOC: usize = 0;
const READER: usize = 1;
pub(super) const VALUES: usize = 2;

/// The product of a system and a property.
pub(super) struct Product<'a> {
    pub(super) cx: &'a mut Context,
    pub(super) system: &'a mut dyn TransitionSystem,
    pub(super) variables: Vec<Variable>,
    registers: Registers,
    pub(super) limits: Limits,
    /// Which states stand for which, if not each for itself.
    pub(super) orbits: Option<Orbits>,
    max_states: usize,
    reader: ReaderMoves,
    acceptance: Acceptance,
    sets: MarkSets,
    bad_locations: Vec<(usize, LocId)>,
    pub(super) codes: Codes,
    store: Store,
    start: Plan,
    /// The edges of the locations met so far.
    plans: Vec<Option<Plan>>,
    machine: Machine,
    /// The node that is expanded.
    from: Vec<i64>,
    sink: ArcSink,
    incomplete: Option<(Incomplete, Option<PointId>)>,
    overfull: bool,
    /// Counters.
    pub n_expanded: u64,
    pub n_arcs: u64,
    pub n_interpreted: u64,
    /// Work that the budget has not been told of.
    work: u64,
    /// Whether an edge of the node that is expanded had more cases than were tried.
    is_cut: bool,
    /// No counterexample has so many arcs or fewer.
    clear_arcs: Option<u64>,
    /// How many states the automaton of the property has: a loop of the system may have to go round as often before the
    /// automaton comes back to a state.
    n_rounds: u64,
}

/// The edges of one location.
type Plan = Box<[Planned]>;

struct Planned {
    edge: Edge<PointId>,
    program: Option<Program>,
    /// The fields of a node that the edge may change.
    changed: Box<[u32]>,
}

/// How an outcome was decided.
enum How<'a> {
    Machine(&'a [Choice]),
    Interpreter(&'a [Decision]),
}

impl<'a> Product<'a> {
    /// The product, nothing of it expanded.
    pub fn new(
        cx: &'a mut Context,
        system: &'a mut dyn TransitionSystem,
        goal: &Goal,
        families: Vec<Family>,
        config: &ExplicitConfig,
    ) -> Self {
        let variables = system.variables().to_vec();
        let orbits = Orbits::new(cx, &variables, families);
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let reader = Reader::new(goal, system.fairness(), &mut acceptance, &mut sets);
        let reader = ReaderMoves::new(cx, &variables, reader);
        let (bad_locations, n_rounds) = match goal {
            Goal::Reach(bad) => (bad.at.clone(), 1),
            Goal::Accept { automaton, .. } => (Vec::new(), automaton.n_states().max(1) as u64),
        };
        let codes = Codes::new(cx, &variables);
        let mut widths = vec![Width::GROWING, reader.width()];
        widths.extend(codes.widths(cx, &variables));
        let edges = system.initial();
        let registers = Registers::new(&variables);
        let start = plan(cx, &registers, &edges);
        Self {
            cx,
            system,
            limits: config.limits.clone(),
            max_states: config.max_states.unwrap_or(usize::MAX),
            reader,
            acceptance,
            sets,
            bad_locations,
            codes,
            store: Store::new(&widths),
            start,
            plans: Vec::new(),
            machine: Machine::new(),
            from: vec![0; VALUES + variables.len()],
            sink: ArcSink {
                marks: Vec::new(),
                raw: orbits.as_ref().map(|_| Vec::new()),
            },
            orbits,
            variables,
            registers,
            incomplete: None,
            overfull: false,
            n_expanded: 0,
            n_arcs: 0,
            n_interpreted: 0,
            work: 0,
            is_cut: false,
            clear_arcs: None,
            n_rounds,
        }
    }

    /// The visited states.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What is exchanged, for people.
    pub fn symmetries(&self) -> Vec<String> {
        self.orbits.as_ref().map_or(Vec::new(), Orbits::describe)
    }

    /// Whether there are more states than allowed.
    pub fn is_overfull(&self) -> bool {
        self.overfull
    }

    /// Why and where the graph is only a part of the real one, if it is.
    pub fn incomplete(&self) -> Option<String> {
        let (why, at) = self.incomplete?;
        let place = match at {
            None => "at the start".to_owned(),
            Some(at) => format!("at {}", self.system.location_name(at)),
        };
        Some(match why {
            Incomplete::Sampled(var) => {
                let name = self.cx.terms.name(var).trim_start_matches('?');
                format!("`{name}` may take infinitely many values {place}")
            }
            Incomplete::Cases => format!("a step has too many outcomes {place}"),
            Incomplete::TooLong => format!("a step takes too many statements {place}"),
            Incomplete::LongNumber(var) => {
                let name = self.cx.terms.name(var);
                format!("`{name}` gets a number of more than {MAX_BITS} bits {place}")
            }
        })
    }

    /// The step of the `index`-th arc of a node, or to the `index`-th initial node.
    pub fn step(&mut self, from: Option<NodeId>, index: usize) -> Step {
        let mut sink = StepSink {
            wanted: index,
            n: 0,
            found: None,
        };
        let budget = std::mem::take(&mut self.limits.budget);
        self.expand(from, &mut sink);
        self.limits.budget = budget;
        let (edge, decisions, node) = sink.found.expect("the arc exists");
        let loc = id_of(node[LOC]);
        let decisions = match decisions {
            Decisions::Machine(choices) => {
                let sorts = &self.cx.terms.sorts;
                choices
                    .iter()
                    .map(|choice| choice.decision(sorts))
                    .collect()
            }
            Decisions::Interpreter(decisions) => decisions,
        };
        Step {
            edge,
            decisions,
            state: self.codes.state(self.cx, loc, &node[VALUES..]),
        }
    }

    /// The arcs of a node, or of the start.
    fn arcs(&mut self, from: Option<NodeId>, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let mut sink = std::mem::take(&mut self.sink);
        sink.marks.clear();
        let n_interpreted = self.n_interpreted;
        self.is_cut = false;
        self.expand(from, &mut sink);
        self.work += INTERPRETED * (self.n_interpreted - n_interpreted);
        self.work += sink.marks.len() as u64 / ARCS_PER_WORK;
        if let Some(raw) = &mut sink.raw {
            self.stage_orbits(raw);
        }
        // What was found after a limit may be a part only, and not the same part each time.
        let spent = if self.is_cut || self.work >= PORTION {
            self.limits.budget.tell_states(self.n_expanded);
            self.limits.budget.spend(std::mem::take(&mut self.work))
        } else {
            Ok(())
        };
        let mut marks = sink.marks.iter();
        self.store.flush(|target| {
            let marks = *marks.next().expect("each staged state has its marks");
            out.push(Arc { target, marks });
        });
        self.n_arcs += sink.marks.len() as u64;
        self.sink = sink;
        self.overfull |= self.store.len() > self.max_states;
        if self.overfull {
            Err(Stop::Memory)
        } else {
            spent
        }
    }

    /// Stages the nodes that stand for these states.
    fn stage_orbits(&mut self, raw: &mut Vec<i64>) {
        let orbits = self.orbits.as_mut().expect("states are kept for them");
        let mut place = Place {
            cx: self.cx,
            codes: &mut self.codes,
            system: self.system,
        };
        let mut numbers = Vec::new();
        for state in raw.chunks(self.from.len()) {
            numbers.clear();
            numbers.extend_from_slice(state);
            orbits.normalise(&mut place, &mut numbers);
            self.store.stage(numbers[..].into());
        }
        self.work += raw.len() as u64 / INSTRUCTIONS_PER_WORK;
        raw.clear();
    }

    /// Whether the state after an edge of a node is observed.
    pub fn is_observed(&self, node: NodeId, edge: usize) -> bool {
        let at: PointId = id_of(self.store.number(node, LOC));
        self.plan(Some(at))[edge].edge.observed
    }

    /// No counterexample has so many steps or fewer, stem and loop together; nothing if not all steps could be listed.
    pub fn clear_steps(&self) -> Option<u64> {
        let n_arcs = self.clear_arcs.filter(|_| self.incomplete.is_none())?;
        Some(n_arcs / self.n_rounds)
    }

    /// Gives `sink` every arc of a node, or of the start.
    fn expand(&mut self, from: Option<NodeId>, sink: &mut impl Sink) {
        let loc = match from {
            None => {
                self.from.fill(0);
                self.from[READER] = self.reader.start();
                None
            }
            Some(node) => {
                self.n_expanded += 1;
                self.store.get(node, &mut self.from);
                let loc = id_of(self.from[LOC]);
                self.prepare(loc);
                Some(loc)
            }
        };
        let runs = self.codes.are_registers(&self.from[VALUES..]);
        for index in 0..self.plan(loc).len() {
            let before = sink.len();
            if !(runs && self.run(from, loc, index, sink)) {
                sink.truncate(&mut self.store, before);
                self.interpret(loc, index, sink);
            }
        }
    }

    /// Runs an edge as code; false if that cannot be done.
    fn run(
        &mut self,
        node: Option<NodeId>,
        loc: Option<PointId>,
        index: usize,
        sink: &mut impl Sink,
    ) -> bool {
        let plan = match loc {
            None => &self.start,
            Some(at) => self.plans[at.index()].as_ref().expect("prepared"),
        };
        let planned = &plan[index];
        let Some(program) = &planned.program else {
            return false;
        };
        self.work += program.n_instructions() as u64 / INSTRUCTIONS_PER_WORK;
        let (cx, variables, codes) = (&*self.cx, self.variables.as_slice(), &self.codes);
        let (from, reader, store) = (&self.from, &mut self.reader, &mut self.store);
        let sets = &mut self.sets;
        let mut storable = true;
        let loc = code_of(planned.edge.target);
        let ran = self
            .machine
            .run(program, &from[VALUES..], |state, choices| {
                if !Codes::are_short(state) {
                    storable = false;
                    return;
                }
                let context = (cx, variables, codes);
                for &(reader, marks) in reader.of(context, sets, from[READER], planned.edge, state)
                {
                    let target = Target {
                        head: [loc, reader],
                        values: state,
                        like: node.map(|node| (node, &*planned.changed)),
                    };
                    sink.arc(store, target, marks, index, How::Machine(choices));
                }
            });
        ran.is_ok() && storable
    }

    /// Interprets an edge.
    fn interpret(&mut self, loc: Option<PointId>, index: usize, sink: &mut impl Sink) {
        self.n_interpreted += 1;
        let edge = self.plan(loc)[index].edge;
        let before: Option<State> =
            loc.map(|loc| self.codes.state(self.cx, loc, &self.from[VALUES..]));
        let found = edge_successors(
            self.cx,
            &self.variables,
            before.as_ref(),
            (index, edge),
            &self.limits,
        );
        self.is_cut |= found.more == Some(Incomplete::Cases);
        if self.incomplete.is_none() {
            self.incomplete = found.more.map(|why| (why, loc));
        }
        let loc = code_of(edge.target);
        for step in found.steps {
            let values = step.state.values.iter().enumerate();
            let values: Vec<i64> = values
                .map(|(i, value)| self.codes.encode(i, value))
                .collect();
            let context = (&*self.cx, self.variables.as_slice(), &self.codes);
            let from = self.from[READER];
            let moves = self.reader.of(context, &mut self.sets, from, edge, &values);
            for &(reader, marks) in moves {
                let how = How::Interpreter(&step.decisions);
                let target = Target {
                    head: [loc, reader],
                    values: &values,
                    like: None,
                };
                sink.arc(&mut self.store, target, marks, index, how);
            }
        }
    }

    fn plan(&self, loc: Option<PointId>) -> &[Planned] {
        match loc {
            None => &self.start,
            Some(at) => self.plans[at.index()].as_ref().expect("prepared"),
        }
    }

    /// Compiles the edges of a location.
    fn prepare(&mut self, at: PointId) {
        if at.index() >= self.plans.len() {
            self.plans.resize_with(at.index() + 1, || None);
        }
        if self.plans[at.index()].is_none() {
            let edges = self.system.edges(at);
            self.plans[at.index()] = Some(plan(self.cx, &self.registers, &edges));
        }
    }
}

fn plan(cx: &Context, variables: &Registers, edges: &[Edge<PointId>]) -> Plan {
    let planned = |&edge: &Edge<PointId>| Planned {
        edge,
        program: Program::partial(cx, variables, edge.stmt).ok(),
        changed: changed_fields(cx, variables, edge.stmt),
    };
    edges.iter().map(planned).collect()
}

/// The location, the reader's part, and the variables that an edge writes.
fn changed_fields(cx: &Context, variables: &Registers, stmt: StmtId) -> Box<[u32]> {
    let written = cx.stmts.written(stmt).into_iter();
    let values = written.filter_map(|var| variables.get(var));
    let mut fields = vec![LOC as u32, READER as u32];
    fields.extend(values.map(|i| VALUES as u32 + i));
    fields.sort_unstable();
    fields.into()
}

impl Graph for Product<'_> {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        let mut arcs = Vec::new();
        self.arcs(None, &mut arcs)?;
        out.extend(arcs.into_iter().map(|arc| arc.target));
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        self.arcs(Some(node), out)
    }

    fn is_clear_to(&mut self, n_arcs: u64) {
        self.clear_arcs = Some(n_arcs);
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        if self.reader.is_bad(self.store.number(node, READER)) {
            return Ok(true);
        }
        let at = || id_of(self.store.number(node, LOC));
        let is_here = |&(leaf, loc): &(usize, LocId)| self.system.leaf_location(at(), leaf) == loc;
        Ok(self.bad_locations.iter().any(is_here))
    }
}

/// The work of an edge that is interpreted, besides that of its cases.
const INTERPRETED: u64 = 20;
/// How many instructions of an edge's code are worth a unit of work.
const INSTRUCTIONS_PER_WORK: u64 = 32;
/// How many arcs, whose targets are looked up and perhaps stored, are worth a unit of work.
const ARCS_PER_WORK: u64 = 20;
/// How much work is done before the budget is told.
const PORTION: u64 = 1_000;

/// The node that an arc leads to.
#[derive(Clone, Copy)]
struct Target<'a> {
    /// Its location and the reader's part.
    head: [i64; VALUES],
    values: &'a [i64],
    /// A node from which it differs at most in these fields.
    like: Option<(NodeId, &'a [u32])>,
}

/// What to do with arcs.
trait Sink {
    fn len(&self) -> usize;
    /// Takes back all arcs but the first `len`.
    fn truncate(&mut self, store: &mut Store, len: usize);
    fn arc(
        &mut self,
        store: &mut Store,
        to: Target<'_>,
        marks: MarkSetId,
        edge: usize,
        how: How<'_>,
    );
}

/// Stages the targets of all arcs.
#[derive(Default)]
struct ArcSink {
    marks: Vec<MarkSetId>,
    /// The targets, one after the other, if it is not known yet which nodes stand for them.
    raw: Option<Vec<i64>>,
}

impl Sink for ArcSink {
    fn len(&self) -> usize {
        self.marks.len()
    }

    fn truncate(&mut self, store: &mut Store, len: usize) {
        match &mut self.raw {
            Some(raw) => raw.truncate(raw.len() / self.marks.len().max(1) * len),
            None => store.unstage(len),
        }
        self.marks.truncate(len);
    }

    fn arc(
        &mut self,
        store: &mut Store,
        to: Target<'_>,
        marks: MarkSetId,
        _edge: usize,
        _how: How<'_>,
    ) {
        self.marks.push(marks);
        if let Some(raw) = &mut self.raw {
            raw.extend_from_slice(&to.head);
            raw.extend_from_slice(to.values);
            return;
        }
        let numbers = Numbers {
            head: &to.head,
            rest: to.values,
        };
        match to.like {
            Some((node, changed)) => store.stage_like(node, changed, numbers),
            None => store.stage(numbers),
        }
    }
}

/// Keeps one arc: its edge, its decisions, and the node it leads to.
struct StepSink {
    wanted: usize,
    n: usize,
    found: Option<(usize, Decisions, Vec<i64>)>,
}

enum Decisions {
    Machine(Vec<Choice>),
    Interpreter(Vec<Decision>),
}

impl Sink for StepSink {
    fn len(&self) -> usize {
        self.n
    }

    fn truncate(&mut self, _store: &mut Store, len: usize) {
        self.n = len;
        if len <= self.wanted {
            self.found = None;
        }
    }

    fn arc(
        &mut self,
        _store: &mut Store,
        to: Target<'_>,
        _marks: MarkSetId,
        edge: usize,
        how: How<'_>,
    ) {
        if self.n == self.wanted {
            let decisions = match how {
                How::Machine(choices) => Decisions::Machine(choices.to_vec()),
                How::Interpreter(decisions) => Decisions::Interpreter(decisions.to_vec()),
            };
            self.found = Some((edge, decisions, [&to.head, to.values].concat()));
        }
        self.n += 1;
    }
}
