//! Shortens a lasso inside the part of the graph that a search has explored.
//!
//! Depth-first searches find long lassos; people read short ones. All nodes of the fair parts (`streett.rs`), where
//! accepting cycles run, can be hondas. Those nearest to an initial node are tried in
//! the order of their distance, each with a shortest stem and the cycle of [`accepting_cycle`]; the
//! lasso with the fewest arcs wins, the first one on ties. Nothing new is expanded.
//!
//! The stem is always shortest for its honda. The loop is shortest if there is at most one mark and
//! the honda lies at it; in general it is short, not shortest (see `cycle.rs`). Work is bounded: a
//! part with more than [`MAX_NODES`] nodes is left alone, and at most [`MAX_HONDAS`] are tried.

use super::Ticker;
use super::cycle::{Region, accepting_cycle};
use super::streett::{Part, fair_parts};
use crate::{Arc, Graph, GraphLasso, GraphPath, Hop, MarkSetId, NodeId};
use lariat_base::{Budget, Csr, FxHashMap, Id, Stop};

/// Explored parts with more nodes are not worth the time.
const MAX_NODES: usize = 200_000;
/// How many hondas are tried.
const MAX_HONDAS: usize = 64;

/// A lasso with at most as many arcs, through nodes that `is_explored` only.
pub fn shorten(
    graph: &mut dyn Graph,
    lasso: GraphLasso,
    is_explored: &dyn Fn(NodeId) -> bool,
    budget: &Budget,
) -> Result<GraphLasso, Stop> {
    let Some(mut explored) = Explored::new(graph, is_explored, budget)? else {
        return Ok(lasso);
    };
    let arcs = Csr::from_pairs(explored.nodes.len(), std::mem::take(&mut explored.arcs));
    let acceptance = graph.acceptance().clone();
    let parts = fair_parts(&arcs, &acceptance, graph.mark_sets());
    let mut hondas: Vec<(usize, &Part)> = Vec::new();
    for part in &parts {
        hondas.extend(part.members.iter().take(MAX_HONDAS).map(|&at| (at, part)));
    }
    hondas.sort_unstable_by_key(|&(at, _)| at);
    let length = |lasso: &GraphLasso| lasso.stem.hops.len() + lasso.cycle.len();
    let mut best = lasso;
    for &(honda, part) in hondas.iter().take(MAX_HONDAS) {
        let stem = explored.stem(honda);
        if stem.hops.len() + 1 >= length(&best) {
            break;
        }
        let inside = |node: NodeId| {
            let position = explored.positions.get(&node);
            position.is_some_and(|&position| part.has(position))
        };
        let region = Region {
            has: &inside,
            without: part.without,
        };
        let cycle = accepting_cycle(graph, explored.nodes[honda], region, budget)?
            .expect("a fair part has an accepting cycle through each node");
        let lasso = GraphLasso { stem, cycle };
        if length(&lasso) < length(&best) {
            best = lasso;
        }
    }
    Ok(best)
}

/// The explored part, its nodes in breadth-first order.
struct Explored {
    nodes: Vec<NodeId>,
    positions: FxHashMap<NodeId, usize>,
    /// How each node was first reached: the position of the node before and the arc.
    parents: Vec<Option<(usize, usize)>>,
    /// All arcs between them: positions, and marks.
    arcs: Vec<(NodeId, (usize, MarkSetId))>,
}

impl Explored {
    /// The nodes that initial ones lead to; none if they are too many.
    fn new(
        graph: &mut dyn Graph,
        is_explored: &dyn Fn(NodeId) -> bool,
        budget: &Budget,
    ) -> Result<Option<Self>, Stop> {
        let mut explored = Self {
            nodes: Vec::new(),
            positions: FxHashMap::default(),
            parents: Vec::new(),
            arcs: Vec::new(),
        };
        let (mut starts, mut arcs): (_, Vec<Arc>) = (Vec::new(), Vec::new());
        graph.initial(&mut starts)?;
        for start in starts.into_iter().filter(|&node| is_explored(node)) {
            explored.add(start, None);
        }
        let (mut next, mut ticker) = (0, Ticker::default());
        while next < explored.nodes.len() {
            if explored.nodes.len() > MAX_NODES {
                return Ok(None);
            }
            ticker.tick(budget)?;
            arcs.clear();
            graph.successors(explored.nodes[next], &mut arcs)?;
            for (index, arc) in arcs.iter().enumerate() {
                if is_explored(arc.target) {
                    let target = explored.add(arc.target, Some((next, index)));
                    let from = NodeId::from_index(next);
                    explored.arcs.push((from, (target, arc.marks)));
                }
            }
            next += 1;
        }
        Ok(Some(explored))
    }

    fn add(&mut self, node: NodeId, parent: Option<(usize, usize)>) -> usize {
        let new = self.nodes.len();
        let position = *self.positions.entry(node).or_insert(new);
        if position == new {
            self.nodes.push(node);
            self.parents.push(parent);
        }
        position
    }

    /// A shortest path to a position.
    fn stem(&self, to: usize) -> GraphPath {
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
