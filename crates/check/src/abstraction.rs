//! The abstract product as a graph: structural state and abstract state, made on demand.
//!
//! The reader's turns are passed through: an arc is a step of the model and, if it is observed, the
//! reader's step after it. It carries the marks of both: here the marks of the model's steps and those of
//! the property come together.

use crate::acceptance::{Acceptance, Mark, MarkSetId, MarkSets};
use crate::domain::Domain;
use crate::explored::{Explored, Passage, Source, Taken};
use crate::graph::{Arc, Graph, GraphPath, Hop, NodeId, component_of};
use crate::must::must_step;
use crate::product::{PlaceId, Product};
use crate::proof::{ProofArc, ProofGraph, ProofNode};
use crate::rank::{InnerArc, Ranks};
use crate::session::{Halt, Session};
use lariat_base::{CsrBuilder, FxHashMap, FxHashSet, Id as _, IdVec, Stop};
use lariat_expr::TermId;

/// In rows with more arcs, those that others cover stay in proofs.
const MAX_COMPARED: usize = 32;

/// No more steps are counted.
const MAX_COUNTED: u64 = 10_000;

/// The abstract product under one precision, and what is kept of earlier ones.
pub(crate) struct AbstractGraph<'g, 'c, 'p, D: Domain> {
    pub session: &'g mut Session<'c>,
    product: &'g mut Product<'p>,
    domain: &'g mut D,
    explored: &'g mut Explored<D::State>,
    ranks: &'g mut Ranks,
    /// What ended the exploration, if it was no limit.
    pub failure: Option<Halt>,
}

impl<'g, 'c, 'p, D: Domain> AbstractGraph<'g, 'c, 'p, D> {
    /// The graph as far as it is explored.
    pub fn new(
        session: &'g mut Session<'c>,
        product: &'g mut Product<'p>,
        domain: &'g mut D,
        explored: &'g mut Explored<D::State>,
        ranks: &'g mut Ranks,
    ) -> Self {
        Self {
            session,
            product,
            domain,
            explored,
            ranks,
            failure: None,
        }
    }

    /// The edges of the product along a path, those that start the run included, each with its source.
    pub fn path(&self, path: &GraphPath) -> Vec<(Source, Taken)> {
        let starts = self.explored.row(None).expect("a path has started");
        let start = starts
            .iter()
            .find(|passage| passage.arc.target == path.start);
        let mut taken = Vec::new();
        let start = start.expect("the path starts at an initial node");
        extend(&mut taken, None, start);
        taken.extend(self.hops(&path.hops));
        taken
    }

    /// The edges of the product along some hops, each with its source.
    pub fn hops(&self, hops: &[Hop]) -> Vec<(Source, Taken)> {
        let mut taken = Vec::new();
        for hop in hops {
            let row = self.explored.row(Some(hop.from));
            let passage = &row.expect("a path is explored")[hop.index];
            extend(&mut taken, Some(hop.from), passage);
        }
        taken
    }

    /// Whether accepting lassos are sought, not bad states.
    pub fn seeks_lassos(&self) -> bool {
        self.product.seeks_lassos()
    }

    /// Whether there are measures: then accepting cycles are those of a Streett condition.
    pub fn has_measures(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// What the abstract state of a source says.
    pub fn formula(&mut self, source: Source) -> TermId {
        match source {
            None => self.session.cx.terms.true_(),
            Some(node) => {
                let (_, state) = self.explored.node(node);
                self.domain.formula(&mut self.session.cx.terms, state)
            }
        }
    }

    /// The arcs of the component in which a cycle runs, as far as it is explored, by arcs without some marks.
    pub fn inner_arcs(&mut self, cycle: &[Hop], without: MarkSetId) -> Vec<InnerArc> {
        let members = self.component(cycle[0].from, without);
        let on_loop: FxHashSet<(NodeId, usize)> =
            cycle.iter().map(|hop| (hop.from, hop.index)).collect();
        let mut inner = Vec::new();
        for &from in &members {
            let premise = self.formula(Some(from));
            let (place, _) = self.explored.node(from);
            let row = self.explored.row(Some(from)).unwrap_or_default();
            for (index, passage) in row.iter().enumerate() {
                let is_out = self
                    .product
                    .mark_sets()
                    .intersect(passage.arc.marks, without);
                if is_out || members.binary_search(&passage.arc.target).is_err() {
                    continue;
                }
                let marks = self.product.acceptance().buchi().iter().take(64);
                let marks: Vec<Mark> = marks.copied().collect();
                let all_sets = self.product.mark_sets();
                let sets = marks.iter().enumerate().fold(0, |sets, (i, &mark)| {
                    sets | u64::from(all_sets.contains(passage.arc.marks, mark)) << i
                });
                inner.push(InnerArc {
                    sets,
                    premise,
                    stmt: passage.step.stmt,
                    reading: passage.reading.map(|reading| reading.stmt),
                    from: self.product.model_location(place),
                    to: self.product.model_location(passage.step.target),
                    on_loop: on_loop.contains(&(from, index)),
                });
            }
        }
        inner
    }

    /// The explored nodes that a node can reach and that can reach it, in ascending order, by arcs without some marks.
    fn component(&mut self, root: NodeId, without: MarkSetId) -> Vec<NodeId> {
        component_of(root, |from, out| {
            let row = self.explored.row(Some(from)).unwrap_or_default();
            let arcs = row.iter().map(|passage| passage.arc);
            let sets = self.product.mark_sets();
            let inside = arcs.filter(|arc| !sets.intersect(arc.marks, without));
            out.extend(inside.map(|arc| arc.target));
        })
    }

    /// Whether what follows a source was computed under an older precision.
    pub fn is_stale(&self, source: Source) -> bool {
        self.explored.is_stale(source)
    }

    /// Keeps in mind from which nodes no accepting lasso can be reached.
    pub fn settle(&mut self, is_dead: impl Fn(NodeId) -> bool) {
        self.explored.settle(is_dead);
    }

    /// How many steps have been explored, and how many of them every state of their class can take.
    pub fn count_must(&mut self) -> Result<(u64, u64), Halt> {
        let (mut n_may, mut n_must) = (0, 0);
        for node in self.explored.nodes() {
            let Some(arcs) = self.explored.arcs(Some(node)) else {
                continue;
            };
            let arcs: Vec<ProofArc> = arcs.collect();
            let edges = self.product.edges(self.explored.node(node).0);
            let source = self.formula(Some(node));
            for arc in arcs {
                if n_may >= MAX_COUNTED {
                    return Ok((n_may, n_must));
                }
                let step = edges.iter().map(|(step, _)| *step);
                let mut step = step.filter(|step| step.model_edge == Some(arc.edge as usize));
                let step = step.next().expect("an arc takes an edge of the model");
                let target = self.entered(step, arc.target)?;
                n_may += 1;
                n_must += u64::from(must_step(self.session, source, step.stmt, &target)?);
            }
        }
        Ok((n_may, n_must))
    }

    /// What is true after a step that leads to a node: what its state says, and what the reader has read on its way there.
    fn entered(&mut self, step: Taken, node: NodeId) -> Result<Vec<TermId>, Halt> {
        let mut target = vec![self.formula(Some(node))];
        if self.product.is_reading(step.target) {
            let place = self.explored.node(node).0;
            let mut read = Vec::new();
            for (reading, _) in self.product.edges(step.target) {
                if reading.target == place {
                    read.push(self.session.summary(reading.stmt)?.guard);
                }
            }
            target.push(self.session.cx.terms.or(&read));
        }
        Ok(target)
    }

    /// The graph that a search has exhausted.
    pub fn proof(&mut self) -> ProofGraph {
        let (mut nodes, mut arcs) = (IdVec::new(), CsrBuilder::new());
        // The nodes in the order in which they are met, with their numbers in the proof.
        let mut met: Vec<NodeId> = Vec::new();
        let mut numbers: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut number = |arc: ProofArc, met: &mut Vec<NodeId>| {
            let next = NodeId::from_index(met.len());
            let target = *numbers.entry(arc.target).or_insert_with(|| {
                met.push(arc.target);
                next
            });
            ProofArc { target, ..arc }
        };
        let starts = self.needed(None).into_iter();
        let initial = starts.map(|arc| number(arc, &mut met)).collect();
        let mut next = 0;
        while next < met.len() {
            let (place, state) = self.explored.node(met[next]);
            nodes.push(ProofNode {
                location: self.product.model_location(place),
                reader: self.product.reader_state(place),
                formula: self.domain.formula(&mut self.session.cx.terms, state),
            });
            let row = self.needed(Some(met[next])).into_iter();
            arcs.items(row.map(|arc| number(arc, &mut met)));
            arcs.end_row();
            next += 1;
        }
        ProofGraph {
            nodes,
            initial,
            arcs: arcs.finish(),
            acceptance: self.product.acceptance().clone(),
            mark_sets: self.product.mark_sets().clone(),
            measures: self.ranks.for_proof(),
        }
    }

    /// The arcs of a source in a proof: all but those whose targets others cover.
    fn needed(&self, source: Source) -> Vec<ProofArc> {
        let arcs = self.explored.arcs(source);
        let arcs: Vec<ProofArc> = arcs.expect("an exhausted search expands all").collect();
        if arcs.len() > MAX_COMPARED {
            return arcs;
        }
        let covers = |big: &ProofArc, small: &ProofArc| {
            let [to, other] = [big, small].map(|arc| self.explored.node(arc.target));
            (big.edge, big.marks, to.0) == (small.edge, small.marks, other.0)
                && self.domain.covers(to.1, other.1)
        };
        let mut needed: Vec<ProofArc> = Vec::with_capacity(arcs.len());
        for arc in arcs {
            if !needed.iter().any(|other| covers(other, &arc)) {
                needed.retain(|other| !covers(&arc, other));
                needed.push(arc);
            }
        }
        needed
    }

    /// A node as shown to the user.
    pub fn describe(&self, node: NodeId) -> String {
        let (place, state) = self.explored.node(node);
        let state = self.domain.describe(self.session, state);
        format!("{} [{state}]", self.product.place_name(place))
    }

    fn explore(&mut self, node: NodeId) -> Result<Vec<Passage>, Halt> {
        self.session.stats.total_nodes += 1;
        let (place, state) = self.explored.node(node);
        let edges = self.product.edges(place);
        let state = state.clone();
        let mut row = Vec::new();
        let from = self.product.model_location(place);
        for (step, marks) in edges {
            let edge = (step.stmt, from, self.product.model_location(step.target));
            let cases = self
                .ranks
                .cases(self.session, self.product.mark_sets(), edge)?;
            for case in &*cases {
                let step = Taken {
                    stmt: case.stmt,
                    ..step
                };
                let marks = self.product.mark_sets().union(marks, case.marks);
                self.follow(Some(&state), (step, marks), &mut row)?;
            }
        }
        Ok(row)
    }

    /// The passages of one step, with its marks, from a state, through the reader if it is its turn.
    fn follow(
        &mut self,
        from: Option<&D::State>,
        (step, step_marks): (Taken, MarkSetId),
        row: &mut Vec<Passage>,
    ) -> Result<(), Halt> {
        let mut after = Vec::new();
        let at = self.product.model_location(step.target);
        self.domain
            .post(self.session, from, step.stmt, at, &mut after)?;
        if !self.product.is_reading(step.target) {
            for state in after {
                let target = self.enter(step.target, state);
                let marks = step_marks;
                row.push(Passage {
                    arc: Arc { target, marks },
                    step,
                    reading: None,
                });
            }
            return Ok(());
        }
        let readings = self.product.edges(step.target);
        for state in after {
            for &(reading, read_marks) in &readings {
                let mut read = Vec::new();
                self.domain
                    .post(self.session, Some(&state), reading.stmt, at, &mut read)?;
                let marks = self.product.mark_sets().union(step_marks, read_marks);
                for state in read {
                    let target = self.enter(reading.target, state);
                    row.push(Passage {
                        arc: Arc { target, marks },
                        step,
                        reading: Some(reading),
                    });
                }
            }
        }
        Ok(())
    }

    /// Keeps what ended the exploration; the search only learns that it must stop.
    /// The node of a state. Where bad states are looked for, a state that lies inside another one need not be
    /// followed; in breadth-first order, paths still go along the steps that made their nodes.
    fn enter(&mut self, place: PlaceId, state: D::State) -> NodeId {
        match self.domain.family(&state) {
            Some(family) if !self.seeks_lassos() => {
                let covers = |big: &D::State, small: &D::State| self.domain.covers(big, small);
                let state = (family, state);
                self.explored.intern_covered(place, state, covers)
            }
            _ => self.explored.intern(place, state),
        }
    }

    fn fail(&mut self, halt: Halt) -> Stop {
        let stop = match &halt.0 {
            crate::verdict::Unknown::Stopped(stop) => *stop,
            _ => Stop::Cancelled,
        };
        self.failure = Some(halt);
        stop
    }
}

fn extend(taken: &mut Vec<(Source, Taken)>, source: Source, passage: &Passage) {
    taken.push((source, passage.step));
    taken.extend(passage.reading.map(|reading| (source, reading)));
}

impl<D: Domain> Graph for AbstractGraph<'_, '_, '_, D> {
    fn acceptance(&self) -> &Acceptance {
        self.product.acceptance()
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        self.product.mark_sets()
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        if self.explored.row(None).is_none() {
            let mut starts = Vec::new();
            for step in self.product.initial() {
                self.follow(None, (step, MarkSetId::EMPTY), &mut starts)
                    .map_err(|halt| self.fail(halt))?;
            }
            self.explored.set_row(None, starts);
        }
        for passage in self.explored.row(None).unwrap_or_default() {
            if !out.contains(&passage.arc.target) {
                out.push(passage.arc.target);
            }
        }
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        if self.explored.row(Some(node)).is_none() {
            let row = self.explore(node).map_err(|halt| self.fail(halt))?;
            self.explored.set_row(Some(node), row);
        }
        let row = self.explored.row(Some(node)).unwrap_or_default();
        out.extend(row.iter().map(|passage| passage.arc));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        Ok(self.product.is_bad(self.explored.node(node).0))
    }

    fn distance(&mut self, node: NodeId) -> u32 {
        self.product.distance(self.explored.node(node).0)
    }
}
