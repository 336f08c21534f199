//! A graph explored to its end: nodes in breadth-first order, arcs both ways.
//!
//! Positions, not node ids: the position of a node is its place in the breadth-first order, so the node
//! of a set with the smallest position is one that is nearest to an initial node.

use super::Ticker;
use super::streett::Arcs;
use crate::{Graph, GraphPath, Hop, MarkSetId, NodeId};
use lariat_base::{Budget, Csr, FxHashMap, Id, Stop};
use std::collections::hash_map::Entry;

/// All that can be reached.
#[derive(Debug)]
pub(super) struct Whole {
    nodes: Vec<NodeId>,
    positions: FxHashMap<NodeId, usize>,
    /// The initial nodes have the first positions.
    n_starts: usize,
    /// How each node was first reached: the position before and the index of the arc.
    parents: Vec<Option<(usize, usize)>>,
    /// Target and marks of each arc.
    after: Arcs,
    before: Csr<NodeId, usize>,
}

impl Default for Whole {
    fn default() -> Self {
        Self::new(Discovered::default(), Csr::from_pairs(0, Vec::new()))
    }
}

/// Nodes in the order they are met.
#[derive(Debug, Default)]
struct Discovered {
    nodes: Vec<NodeId>,
    positions: FxHashMap<NodeId, usize>,
    parents: Vec<Option<(usize, usize)>>,
    n_starts: usize,
}

impl Discovered {
    fn add(&mut self, node: NodeId, parent: Option<(usize, usize)>) -> usize {
        let next = self.nodes.len();
        match self.positions.entry(node) {
            Entry::Occupied(slot) => *slot.get(),
            Entry::Vacant(slot) => {
                slot.insert(next);
                self.nodes.push(node);
                self.parents.push(parent);
                next
            }
        }
    }
}

impl Whole {
    /// Explores a graph to its end.
    pub fn explore(graph: &mut dyn Graph, budget: &Budget) -> Result<Self, Stop> {
        let mut met = Discovered::default();
        let (mut starts, mut arcs) = (Vec::new(), Vec::new());
        graph.initial(&mut starts)?;
        for start in starts {
            met.add(start, None);
        }
        met.n_starts = met.nodes.len();
        let mut rows: Vec<(NodeId, (usize, MarkSetId))> = Vec::new();
        let (mut next, mut ticker) = (0, Ticker::default());
        while next < met.nodes.len() {
            ticker.tick(budget)?;
            arcs.clear();
            graph.successors(met.nodes[next], &mut arcs)?;
            for (index, arc) in arcs.iter().enumerate() {
                let target = met.add(arc.target, Some((next, index)));
                rows.push((NodeId::from_index(next), (target, arc.marks)));
            }
            next += 1;
        }
        let after = Csr::from_pairs(met.nodes.len(), rows);
        Ok(Self::new(met, after))
    }

    fn new(met: Discovered, after: Arcs) -> Self {
        let n = met.nodes.len();
        let backward = after.rows().flat_map(|(from, row)| {
            let from = from.index();
            row.iter()
                .map(move |&(to, _)| (NodeId::from_index(to), from))
        });
        let before = Csr::from_pairs(n, backward.collect());
        Self {
            nodes: met.nodes,
            positions: met.positions,
            n_starts: met.n_starts,
            parents: met.parents,
            after,
            before,
        }
    }

    /// The positions of the initial nodes.
    pub fn starts(&self) -> std::ops::Range<usize> {
        0..self.n_starts
    }

    /// The node at a position.
    pub fn node(&self, at: usize) -> NodeId {
        self.nodes[at]
    }

    /// The position of a node, if it can be reached.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.positions.get(&node).copied()
    }

    /// Target and marks of the arcs that leave a position.
    pub fn after(&self, at: usize) -> &[(usize, MarkSetId)] {
        self.after.row(NodeId::from_index(at))
    }

    /// The positions that arcs lead from to this one.
    pub fn before(&self, at: usize) -> &[usize] {
        self.before.row(NodeId::from_index(at))
    }

    /// All arcs.
    pub fn arcs(&self) -> &Arcs {
        &self.after
    }

    /// The marks of an arc.
    pub fn marks(&self, hop: &Hop) -> MarkSetId {
        self.after(self.positions[&hop.from])[hop.index].1
    }

    /// A shortest path to a position.
    pub fn shortest(&self, to: usize) -> GraphPath {
        let (mut at, mut hops) = (to, Vec::new());
        while let Some((parent, index)) = self.parents[at] {
            hops.push(Hop {
                from: self.nodes[parent],
                index,
                to: self.nodes[at],
            });
            at = parent;
        }
        hops.reverse();
        GraphPath {
            start: self.nodes[at],
            hops,
        }
    }
}
