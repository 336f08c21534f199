//! The control-flow graph while it is built: one open location, and edges behind it.
//!
//! Joining two locations costs no edge: the open one is *forwarded* to the other. A location that a
//! formula can speak of (a label, the entry of a function) keeps its name: leaving it is a step.

use crate::c::control::fault::Fault;
use crate::c::control::hang::Hanging;
use lariat_base::{FxHashMap, Id, IdVec, Span};
use lariat_system::{Context, Edge, LocId, LocRole, Location, StmtId, SystemBuilder};

/// The graph and where we are in it.
pub(in crate::c) struct Graph {
    pub locations: IdVec<LocId, Location>,
    pub(super) edges: Vec<(LocId, Edge)>,
    forward: Vec<Option<LocId>>,
    pub(super) named: Vec<bool>,
    reached: Vec<bool>,
    /// Where control is; nowhere in code that cannot be reached.
    pub at: Option<LocId>,
    /// What happens before the next step, without being one.
    pub pending: Vec<StmtId>,
    pub start: LocId,
    pub end: LocId,
    pub error: LocId,
    pub assert: LocId,
    pub overflow: LocId,
    division: LocId,
    access: LocId,
    /// Whether the error location only marks that it was reached, and the run goes on elsewhere.
    pub error_is_mark: bool,
    /// Whether the program calls `__VERIFIER_ltl_step()`: only those calls are observed.
    pub has_steps: bool,
    /// Whether the program has assertions: the location where they fail stays.
    pub has_asserts: bool,
    /// The edges of `__VERIFIER_ltl_step()`.
    steps: Vec<usize>,
    n_names: FxHashMap<Box<str>, u32>,
    shared: FxHashMap<Box<str>, LocId>,
}

impl Graph {
    pub fn new() -> Self {
        let mut graph = Self {
            locations: IdVec::new(),
            edges: Vec::new(),
            forward: Vec::new(),
            named: Vec::new(),
            reached: Vec::new(),
            at: None,
            pending: Vec::new(),
            start: LocId::from_index(0),
            end: LocId::from_index(0),
            error: LocId::from_index(0),
            assert: LocId::from_index(0),
            overflow: LocId::from_index(0),
            division: LocId::from_index(0),
            access: LocId::from_index(0),
            error_is_mark: false,
            has_steps: false,
            has_asserts: false,
            steps: Vec::new(),
            n_names: FxHashMap::default(),
            shared: FxHashMap::default(),
        };
        graph.start = graph.named("start", LocRole::Initial, None);
        graph.end = graph.named("end", LocRole::Final, None);
        graph.error = graph.named("error", LocRole::Error, None);
        graph.assert = graph.named("failed-assertion", LocRole::Plain, None);
        graph.overflow = graph.named("overflow", LocRole::Plain, None);
        graph.division = graph.named("division-by-zero", LocRole::Plain, None);
        graph.access = graph.named("invalid-access", LocRole::Plain, None);
        graph.at = Some(graph.start);
        graph
    }

    /// Where runs go whose next step has no meaning.
    pub fn fault(&self, fault: Fault) -> LocId {
        match fault {
            Fault::Overflow => self.overflow,
            Fault::Division => self.division,
            Fault::Access => self.access,
        }
    }

    pub fn n_edges(&self) -> usize {
        self.edges.len()
    }

    /// A location without a name of its own.
    pub fn location(&mut self, span: Option<Span>) -> LocId {
        self.add("".into(), LocRole::Plain, span, false)
    }

    /// A location that a formula can speak of, under a name that no other has.
    pub fn named(&mut self, name: &str, role: LocRole, span: Option<Span>) -> LocId {
        let name = self.fresh(name);
        self.add(name, role, span, true)
    }

    /// The location of this name, made at the first call; whether this was the first.
    pub fn shared(&mut self, name: &str, span: Option<Span>) -> (LocId, bool) {
        if let Some(&known) = self.shared.get(name) {
            return (known, false);
        }
        let at = self.named(name, LocRole::Plain, span);
        self.shared.insert(name.into(), at);
        (at, true)
    }

    /// The location of this name where the model is cut off. No formula can speak of it: that it is
    /// reached is no step.
    pub fn cut(&mut self, name: &str, span: Option<Span>) -> LocId {
        if let Some(&known) = self.shared.get(name) {
            return known;
        }
        let at = self.add(name.into(), LocRole::Cut, span, false);
        self.shared.insert(name.into(), at);
        at
    }

    fn fresh(&mut self, name: &str) -> Box<str> {
        let count = self.n_names.entry(name.into()).or_insert(0);
        *count += 1;
        match *count {
            1 => name.into(),
            n => format!("{name}#{n}").into(),
        }
    }

    fn add(&mut self, name: Box<str>, role: LocRole, span: Option<Span>, named: bool) -> LocId {
        self.forward.push(None);
        self.named.push(named);
        self.reached.push(false);
        self.locations.push(Location { name, role, span })
    }

    /// Gives the open location a name, if it has none and nothing is pending.
    pub fn rename_open(&mut self, name: &str, span: Option<Span>) -> Option<LocId> {
        let at = self.at?;
        if self.named[at.index()] || !self.pending.is_empty() {
            return None;
        }
        self.named[at.index()] = true;
        let name = self.fresh(name);
        self.locations[at].name = name;
        self.locations[at].span = span;
        Some(at)
    }

    /// An edge from a location, without what is pending.
    pub fn edge(&mut self, from: LocId, stmt: StmtId, target: LocId, observed: bool) {
        let edge = Edge::new(stmt, target).observed_if(observed);
        self.reached[target.index()] = true;
        self.edges.push((from, edge));
    }

    /// Whether control can reach a location, as far as known.
    pub fn is_reached(&self, loc: LocId) -> bool {
        self.reached[loc.index()]
    }

    pub fn mark_reached(&mut self, loc: LocId) {
        self.reached[loc.index()] = true;
    }

    /// A step from the open location to `target`, with what is pending before; control is nowhere then.
    pub fn step_to(
        &mut self,
        cx: &mut Context,
        stmts: &[StmtId],
        target: LocId,
        observed: bool,
        span: Option<Span>,
    ) {
        let Some(at) = self.at.take() else { return };
        let mut all = std::mem::take(&mut self.pending);
        all.extend_from_slice(stmts);
        let stmt = one(cx, &all, span);
        self.edge(at, stmt, target, observed);
    }

    /// A step from the open location to a new one.
    pub fn step(&mut self, cx: &mut Context, stmts: &[StmtId], observed: bool, span: Option<Span>) {
        if self.at.is_none() {
            return;
        }
        let target = self.location(span);
        self.step_to(cx, stmts, target, observed, span);
        self.at = Some(target);
    }

    /// Marks the last edge as a step that the program asked for.
    pub fn mark_step(&mut self) {
        self.steps.push(self.edges.len() - 1);
    }

    /// Goes to `target` without a step, as far as that is possible.
    pub fn jump(&mut self, cx: &mut Context, target: LocId) {
        let Some(at) = self.at else {
            self.pending.clear();
            return;
        };
        if !self.pending.is_empty() {
            self.step_to(cx, &[], target, false, None);
        } else if self.named[at.index()] {
            self.step_to(cx, &[], target, true, None);
        } else {
            self.at = None;
            self.reached[target.index()] = true;
            if at != target {
                self.forward[at.index()] = Some(target);
            }
        }
    }

    /// The open location with nothing pending, for what has several edges.
    pub fn settle(&mut self, cx: &mut Context) -> Option<LocId> {
        if !self.pending.is_empty() {
            self.step(cx, &[], false, None);
            self.pending.clear();
        }
        self.at
    }

    fn resolve(&self, loc: LocId) -> LocId {
        let mut at = loc;
        while let Some(next) = self.forward[at.index()] {
            at = next;
        }
        at
    }

    /// The graph that can be reached, its special locations in the new numbering.
    pub fn finish(
        mut self,
        cx: &mut Context,
        line_of: impl Fn(u32) -> usize,
        latch: Option<StmtId>,
        model: &mut SystemBuilder,
    ) -> Ends {
        let has_steps = self.has_steps;
        for (i, (_, edge)) in self.edges.iter_mut().enumerate() {
            if has_steps {
                edge.observed = self.steps.binary_search(&i).is_ok();
            }
        }
        for i in 0..self.edges.len() {
            let (from, edge) = self.edges[i];
            let (from, target) = (self.resolve(from), self.resolve(edge.target));
            self.edges[i] = (from, Edge { target, ..edge });
        }
        if !has_steps {
            self.show_names(cx);
        }
        let skip = cx.stmts.skip();
        let faults = Fault::ALL.map(|fault| self.fault(fault));
        for loc in [self.error, self.assert].into_iter().chain(faults) {
            if loc != self.error || !self.error_is_mark {
                self.edge(loc, skip, self.end, true);
            }
        }
        let stutter = Edge::new(skip, self.end).stuttering();
        self.edges.push((self.end, stutter));
        let steps = std::mem::take(&mut self.steps);
        let hanging = latch.map(|latch| self.add_hanging(cx, latch, &steps));
        self.compact(line_of, hanging, model)
    }

    /// A named location that is entered by an unobserved step gets one in front that is.
    fn show_names(&mut self, cx: &mut Context) {
        let mut before: FxHashMap<LocId, LocId> = FxHashMap::default();
        for i in 0..self.edges.len() {
            let target = self.edges[i].1.target;
            if self.edges[i].1.observed || !self.named[target.index()] {
                continue;
            }
            let front = match before.get(&target) {
                Some(&front) => front,
                None => {
                    let front = self.location(self.locations[target].span);
                    let skip = cx.stmts.skip();
                    self.edge(front, skip, target, true);
                    before.insert(target, front);
                    front
                }
            };
            self.edges[i].1.target = front;
        }
    }

    /// Gives the locations and edges to the model; leaves out what cannot be reached.
    fn compact(
        self,
        line_of: impl Fn(u32) -> usize,
        hanging: Option<Hanging>,
        model: &mut SystemBuilder,
    ) -> Ends {
        let mut rows: Vec<Vec<Edge>> = vec![Vec::new(); self.locations.len()];
        for (from, edge) in self.edges {
            rows[from.index()].push(edge);
        }
        let mut keep = vec![false; rows.len()];
        let mut todo = vec![self.start, self.end, self.error];
        todo.extend(self.has_asserts.then_some(self.assert));
        todo.extend(hanging.as_ref().map(|hanging| hanging.start));
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut keep[at.index()], true) {
                todo.extend(rows[at.index()].iter().map(|edge| edge.target));
            }
        }
        let mut numbers = vec![LocId::from_index(0); rows.len()];
        let mut n_at_line: FxHashMap<usize, u32> = FxHashMap::default();
        for (old, location) in self.locations.iter_ids() {
            if !keep[old.index()] {
                continue;
            }
            let mut location = location.clone();
            if location.name.is_empty() {
                let line = location.span.map_or(0, |span| line_of(span.start));
                let count = n_at_line.entry(line).or_insert(0);
                *count += 1;
                location.name = match *count {
                    1 => format!("L{line}").into(),
                    n => format!("L{line}.{n}").into(),
                };
            }
            numbers[old.index()] = model.location(location);
        }
        let new = |loc: LocId| numbers[loc.index()];
        for (old, row) in rows.into_iter().enumerate().filter(|(old, _)| keep[*old]) {
            for edge in row {
                let target = new(edge.target);
                model.edge(numbers[old], Edge { target, ..edge });
            }
        }
        let kept = |loc: LocId| keep[loc.index()].then(|| new(loc));
        Ends {
            hanging: hanging.map(|hanging| Hanging {
                start: new(hanging.start),
                locations: hanging.locations.into_iter().filter_map(kept).collect(),
            }),
            start: new(self.start),
            error: new(self.error),
            assert: kept(self.assert),
            overflow: kept(self.overflow),
        }
    }
}

/// The locations of a finished graph that the model has more to say of.
pub(in crate::c) struct Ends {
    pub start: LocId,
    pub error: LocId,
    pub assert: Option<LocId>,
    pub overflow: Option<LocId>,
    pub hanging: Option<Hanging>,
}

/// Several statements as one.
pub(in crate::c) fn one(cx: &mut Context, stmts: &[StmtId], span: Option<Span>) -> StmtId {
    match *stmts {
        [single] => single,
        _ => cx.stmts.seq(stmts, span),
    }
}
