//! Why a property holds: what an exhausted search leaves behind.
//!
//! Abstraction refinement leaves its abstract state graph. Each node says at which location the model is, in which state
//! the property's reader is, and what is known of the variables. Together they are an inductive invariant
//! of the product, and with the marks of its arcs the graph is a proof that anybody can check without trusting the
//! engine:
//!
//! 1. each initial step of the model, and the reader's step after it if it is observed, leads into an initial node;
//! 2. each step of the model from a concrete state of a node, and the reader's step after it if it is observed, leads into
//!    the target of an arc of that node for the same edge of the model, which has the marks of the reader's step;
//! 3. where the arc has a measure's mark, the step is of that kind: one that has the request of a level and not its response
//!    decreases the level and keeps those before it; one that has neither keeps those before it and does not increase the level
//!    (`rank/measure.rs`);
//! 4. no cycle of the graph is accepting; or, if bad states were sought, no node is bad.
//!
//! Parts that were settled in earlier rounds of the refinement loop belong to the graph like any other.
//! Explicit states leave their number only: whoever wants to check them lists them again.

mod obligations;

pub use obligations::{Obligation, PlainArc};

use crate::acceptance::{Acceptance, MarkSetId, MarkSets, StreettPair};
use crate::graph::NodeId;
use crate::rank::Measure;
use crate::search::fair_parts;
use lariat_base::{Csr, FxHashMap, Id as _, IdVec};
use lariat_expr::TermId;
use lariat_ltl::StateId;
use lariat_system::{PointId, TransitionSystem};

/// Why a property holds.
#[derive(Clone, Debug)]
pub enum Proof {
    /// An abstract state graph without counterexample.
    Graph(Box<ProofGraph>),
    /// All states were listed, and there are so many of the product.
    States(u64),
    /// The accepting words of the product were subtracted set by set until none was left; none of them can be executed.
    Words {
        /// How many states the empty rest has.
        n_states: u64,
        /// The sets, in the order in which they were subtracted.
        subtracted: Vec<Subtracted>,
    },
}

/// A set of words that cannot be executed, by what shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subtracted {
    /// The words along which these facts come to exclude a step: those of an interpolant automaton. Without such a step
    /// they are what supports measures.
    Infeasible(Vec<TermId>),
    /// The words along which a measure would decrease for ever and not increase: the terms of each of its levels.
    Measure(Vec<Vec<TermId>>),
    /// The words that go round a loop for ever and would decrease a measure with each round: the terms of its levels.
    Round(Vec<TermId>),
}

/// An abstract state graph without counterexample. Terms live in the context in which the problem was decided.
#[derive(Clone, Debug)]
pub struct ProofGraph {
    /// What each node says.
    pub nodes: IdVec<NodeId, ProofNode>,
    /// Where runs start.
    pub initial: Vec<ProofArc>,
    /// The arcs of each node.
    pub arcs: Csr<NodeId, ProofArc>,
    /// Which cycles would be accepting. The Büchi marks of the property's automaton come first, in the order of its
    /// sets; if it has no sets, there is one that all its edges have. Then come those of the system's fairness
    /// constraints, in their order: a Büchi mark where a justice constraint is true, the response of a Streett pair where
    /// that of a compassion constraint is true, and its request where only the request is.
    pub acceptance: Acceptance,
    /// The sets of marks that arcs carry.
    pub mark_sets: MarkSets,
    /// Why some Streett pairs are true of every run.
    pub measures: Vec<ProofMeasure>,
}

/// A measure, with the Streett pair of each of its levels.
#[derive(Clone, Debug)]
pub struct ProofMeasure {
    /// The measure.
    pub measure: Measure,
    /// The request of a pair is on steps that decrease its level; the response, on all steps that may increase it or
    /// change an earlier level.
    pub pairs: Vec<StreettPair>,
}

/// A set of states of the product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofNode {
    /// Where the model is.
    pub location: PointId,
    /// The state of the property's automaton; of a monitor with the states good and bad, if states are bad by their
    /// values; nothing, if states are bad by their locations only.
    pub reader: Option<StateId>,
    /// What is true of the variables.
    pub formula: TermId,
}

/// Where a step leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProofArc {
    /// The step: which of the edges of the node's location it is, or which of the initial edges.
    pub edge: u32,
    /// Where it leads.
    pub target: NodeId,
    /// The marks of the step and of the reader's step after it.
    pub marks: MarkSetId,
}

impl ProofGraph {
    /// Measures that are enough: without any one of them some cycle would be accepting.
    pub fn needed_measures(&self) -> Vec<&ProofMeasure> {
        let arcs = self.arcs.rows().flat_map(|(from, row)| {
            let arcs = row.iter();
            arcs.map(move |arc| (from, (arc.target.index(), arc.marks)))
        });
        let arcs = Csr::from_pairs(self.nodes.len(), arcs.collect());
        let (mut acceptance, mut sets) = (self.acceptance.clone(), self.mark_sets.clone());
        let mut needed = Vec::new();
        for known in self.measures.iter().rev() {
            let weaker = acceptance.without(&known.pairs);
            if fair_parts(&arcs, &weaker, &mut sets).is_empty() {
                acceptance = weaker;
            } else {
                needed.push(known);
            }
        }
        needed.reverse();
        needed
    }

    /// Gives the nodes their locations in another copy of the system: compositions number their places in the order in
    /// which they are met.
    pub fn relocate(&mut self, system: &mut dyn TransitionSystem) {
        let mut known = vec![false; self.nodes.len()];
        let mut todo = Vec::new();
        let mut moved: FxHashMap<PointId, PointId> = FxHashMap::default();
        let mut arrive = |nodes: &mut IdVec<NodeId, ProofNode>, arc: &ProofArc, at: PointId| {
            let before = std::mem::replace(&mut nodes[arc.target].location, at);
            moved.entry(before).or_insert(at);
            let is_new = !std::mem::replace(&mut known[arc.target.index()], true);
            is_new.then_some(arc.target)
        };
        let initial = system.initial();
        for arc in &self.initial {
            let at = initial[arc.edge as usize].target;
            todo.extend(arrive(&mut self.nodes, arc, at));
        }
        while let Some(node) = todo.pop() {
            let edges = system.edges(self.nodes[node].location);
            for arc in self.arcs.row(node) {
                let at = edges[arc.edge as usize].target;
                todo.extend(arrive(&mut self.nodes, arc, at));
            }
        }
        for known in &mut self.measures {
            known.measure.relocate(&moved);
        }
    }
}

#[cfg(test)]
mod tests;
