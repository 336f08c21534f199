//! What must be shown of an abstract state graph to make it a proof, as formulas that must have no model.
//!
//! There is one obligation for each node (and for the start), each edge of the model there, and each edge of the reader that
//! may read the state after it: no state of the node may take the step, be read so, and lie in the target of no arc that fits.
//! An arc fits if it is for the same edges and says of the step no less than is true of it: the marks of the reader's edge and of
//! the justice constraints that are met are among its own, a request of compassion only where there is one, a response wherever
//! there is one, and what its marks say of a measure is what the step does to it.
//!
//! With all obligations met every run of the product is a path of the graph whose marks are at least as good for
//! acceptance, so that a graph without accepting cycle has no counterexample.

use super::{ProofArc, ProofGraph, ProofMeasure};
use crate::acceptance::{Acceptance, Mark, MarkSetId, MarkSets};
use crate::graph::NodeId;
use crate::problem::Problem;
use crate::product::label_term;
use crate::rank::Change;
use crate::reader::Reader;
use crate::summary::{NoSummary, Summary};
use lariat_base::Id as _;
use lariat_expr::{Substitution, TermId};
use lariat_ltl::StateId;
use lariat_system::{Context, Edge, Fairness, PointId};

/// A formula that must have no model.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// The node that the step leaves; nothing: a run starts.
    pub from: Option<NodeId>,
    /// Which of the edges of the model there it takes.
    pub edge: usize,
    /// Which of the edges of the reader reads the state after it; nothing, if none does.
    pub reading: Option<usize>,
    /// That it leads out of the graph.
    pub escape: TermId,
}

impl ProofGraph {
    /// The obligations of this graph of a problem.
    pub fn obligations(
        &self,
        cx: &mut Context,
        problem: &mut Problem,
    ) -> Result<Vec<Obligation>, NoSummary> {
        let fairness = problem.system.fairness().to_vec();
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let reader = Reader::new(&problem.goal, &fairness, &mut acceptance, &mut sets);
        let mut variables: Vec<_> = problem.system.variables().iter().map(|v| v.var).collect();
        variables.sort_unstable();
        let mut maker = Maker {
            graph: self,
            cx,
            is_variable: &|var| variables.binary_search(&var).is_ok(),
            reader: reader.as_ref(),
            sets: &mut sets,
            fairness: &fairness,
            all: Vec::new(),
        };
        let start = reader.as_ref().map(|reader| reader.automaton().initial());
        let edges = problem.system.initial();
        maker.node(None, (None, start), &edges, &self.initial)?;
        for (id, node) in self.nodes.iter_ids() {
            let edges = problem.system.edges(node.location);
            let at = (Some(node.location), node.reader);
            maker.node(Some(id), at, &edges, self.arcs.row(id))?;
        }
        Ok(maker.all)
    }
}

struct Maker<'m> {
    graph: &'m ProofGraph,
    cx: &'m mut Context,
    is_variable: &'m dyn Fn(lariat_expr::VarId) -> bool,
    reader: Option<&'m Reader>,
    sets: &'m mut MarkSets,
    fairness: &'m [Fairness],
    all: Vec<Obligation>,
}

/// A step of the model: as a formula, and where it leads from and to.
struct Step {
    summary: Summary,
    after: Substitution,
    ends: (Option<PointId>, PointId),
}

impl Maker<'_> {
    /// The obligations of a node, or of the start.
    fn node(
        &mut self,
        from: Option<NodeId>,
        (at, reader): (Option<PointId>, Option<StateId>),
        edges: &[Edge<PointId>],
        arcs: &[ProofArc],
    ) -> Result<(), NoSummary> {
        for (index, edge) in edges.iter().enumerate() {
            let summary = Summary::new(self.cx, self.is_variable, edge.stmt)?;
            let mut after = Substitution::new();
            for &(var, value) in &summary.updates {
                after.insert(&mut self.cx.terms, var, value);
            }
            let mut step = Step {
                summary,
                after,
                ends: (at, edge.target),
            };
            let arcs: Vec<&ProofArc> = arcs.iter().filter(|a| a.edge as usize == index).collect();
            let reader_edges = match (self.reader, reader) {
                (Some(known), Some(state)) if edge.observed => known.automaton().edges(state).len(),
                _ => {
                    let escape = self.escape(from, &mut step, None, reader, &arcs);
                    self.add(from, index, None, escape);
                    continue;
                }
            };
            for reading in 0..reader_edges {
                let escape = self.escape(from, &mut step, Some(reading), reader, &arcs);
                self.add(from, index, Some(reading), escape);
            }
        }
        Ok(())
    }

    fn add(&mut self, from: Option<NodeId>, edge: usize, reading: Option<usize>, escape: TermId) {
        if escape != self.cx.terms.false_() {
            self.all.push(Obligation {
                from,
                edge,
                reading,
                escape,
            });
        }
    }

    /// That a state of the node takes the step, is read so, and lies in the target of no arc that fits.
    fn escape(
        &mut self,
        from: Option<NodeId>,
        step: &mut Step,
        reading: Option<usize>,
        reader: Option<StateId>,
        arcs: &[&ProofArc],
    ) -> TermId {
        let mut parts = vec![step.summary.guard];
        parts.extend(from.map(|from| self.graph.nodes[from].formula));
        let (mut target, mut marks) = (reader, MarkSetId::EMPTY);
        if let (Some(known), Some(state), Some(reading)) = (self.reader, reader, reading) {
            let edge = known.automaton().edges(state)[reading];
            let atoms = known.atoms();
            let label = label_term(&mut self.cx.terms, known.automaton(), atoms, edge.label);
            parts.push(step.after.apply(&mut self.cx.terms, label));
            (target, marks) = (Some(edge.target), known.marks(state)[reading]);
        }
        for &arc in arcs {
            let node = &self.graph.nodes[arc.target];
            if (node.location, node.reader) != (step.ends.1, target) {
                continue;
            }
            // No cycle takes an edge that starts a run: its marks do not matter.
            if from.is_some() && !self.has_marks(arc, marks) {
                continue;
            }
            let fits = self.fits(from, step, reading.is_some(), arc);
            parts.push(self.cx.terms.not(fits));
        }
        self.cx.terms.and(&parts)
    }

    /// Whether an arc has the Büchi marks of the reader's edge.
    fn has_marks(&self, arc: &ProofArc, marks: MarkSetId) -> bool {
        let mut buchi = self.graph.acceptance.buchi().iter();
        buchi.all(|&mark| !self.sets.contains(marks, mark) || self.has(arc, mark))
    }

    fn has(&self, arc: &ProofArc, mark: Mark) -> bool {
        self.graph.mark_sets.contains(arc.marks, mark)
    }

    /// That the step leads to the target of an arc, and that what the arc says of it is true.
    fn fits(
        &mut self,
        from: Option<NodeId>,
        step: &mut Step,
        is_read: bool,
        arc: &ProofArc,
    ) -> TermId {
        let formula = self.graph.nodes[arc.target].formula;
        let mut parts = vec![step.after.apply(&mut self.cx.terms, formula)];
        if from.is_some() {
            if is_read {
                self.is_fair(step, arc, &mut parts);
            }
            for known in &self.graph.measures {
                self.is_measured(step, arc, known, &mut parts);
            }
        }
        self.cx.terms.and(&parts)
    }

    /// That the marks of fairness constraints are right for the state after the step.
    fn is_fair(&mut self, step: &mut Step, arc: &ProofArc, parts: &mut Vec<TermId>) {
        let n_justice = (self.fairness.iter())
            .filter(|constraint| matches!(constraint, Fairness::Justice(_)))
            .count();
        let buchi = self.graph.acceptance.buchi();
        let mut marks = buchi[buchi.len() - n_justice.min(buchi.len())..].iter();
        let mut pairs = self.graph.acceptance.streett().iter();
        for constraint in self.fairness {
            match *constraint {
                Fairness::Justice(term) => {
                    let mark = *marks.next().expect("each justice constraint has a mark");
                    if !self.has(arc, mark) {
                        let met = step.after.apply(&mut self.cx.terms, term);
                        parts.push(self.cx.terms.not(met));
                    }
                }
                Fairness::Compassion(request, response) => {
                    let pair = *pairs.next().expect("each compassion constraint has a pair");
                    if !self.has(arc, pair.response) {
                        let met = step.after.apply(&mut self.cx.terms, response);
                        parts.push(self.cx.terms.not(met));
                    }
                    if self.has(arc, pair.request) {
                        parts.push(step.after.apply(&mut self.cx.terms, request));
                    }
                }
            }
        }
    }

    /// That the step does to the levels of a measure what the arc says.
    fn is_measured(
        &mut self,
        step: &mut Step,
        arc: &ProofArc,
        known: &ProofMeasure,
        parts: &mut Vec<TermId>,
    ) {
        let (from, to) = step.ends;
        let from = from.expect("measures judge steps between nodes");
        let mut kept = Vec::new();
        for (level, pair) in known.measure.levels.iter().zip(&known.pairs) {
            let before = level.at(from);
            let after = step.after.apply(&mut self.cx.terms, level.at(to));
            let terms = &mut self.cx.terms;
            if !self.graph.mark_sets.contains(arc.marks, pair.response) {
                parts.extend(&kept);
                if self.graph.mark_sets.contains(arc.marks, pair.request) {
                    parts.push(Change::Decrease.condition(terms, before, after));
                } else {
                    let rises = Change::Increase.condition(terms, before, after);
                    parts.push(terms.not(rises));
                }
            }
            kept.push(Change::Keep.condition(terms, before, after));
        }
    }
}

impl ProofGraph {
    /// The arcs between nodes, with the Büchi marks, requests and responses that each has, as numbers.
    pub fn plain_arcs(&self) -> Vec<PlainArc> {
        let numbers = |arc: &ProofArc, marks: &mut dyn Iterator<Item = Mark>| {
            let has = |&(_, mark): &(usize, Mark)| self.mark_sets.contains(arc.marks, mark);
            marks.enumerate().filter(has).map(|(i, _)| i).collect()
        };
        let pairs = self.acceptance.streett();
        let mut arcs = Vec::new();
        for (from, row) in self.arcs.rows() {
            arcs.extend(row.iter().map(|arc| PlainArc {
                from: from.index(),
                to: arc.target.index(),
                buchi: numbers(arc, &mut self.acceptance.buchi().iter().copied()),
                requests: numbers(arc, &mut pairs.iter().map(|pair| pair.request)),
                responses: numbers(arc, &mut pairs.iter().map(|pair| pair.response)),
            }));
        }
        arcs
    }
}

/// An arc of the graph, in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlainArc {
    /// The node that it leaves.
    pub from: usize,
    /// The node that it enters.
    pub to: usize,
    /// The Büchi conditions that it meets.
    pub buchi: Vec<usize>,
    /// The Streett pairs whose request it has.
    pub requests: Vec<usize>,
    /// The Streett pairs whose response it has.
    pub responses: Vec<usize>,
}
