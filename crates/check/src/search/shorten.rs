//! Shortens a lasso inside the part of the graph that a search has explored.
//!
//! Depth-first searches find long lassos; people read short ones. All nodes that are explored and
//! strongly connected to the honda can be hondas too. Those nearest to an initial node are tried in
//! the order of their distance, each with a shortest stem and the cycle of [`accepting_cycle`]; the
//! lasso with the fewest arcs wins, the first one on ties. Nothing new is expanded.
//!
//! The stem is always shortest for its honda. The loop is shortest if there is at most one mark and
//! the honda lies at it; in general it is short, not shortest (see `cycle.rs`). Work is bounded: a
//! part with more than [`MAX_NODES`] nodes is left alone, and at most [`MAX_HONDAS`] are tried.

use super::Ticker;
use super::cycle::accepting_cycle;
use crate::{Arc, Graph, GraphLasso, GraphPath, Hop, NodeId};
use lariat_base::{Budget, Csr, FxHashMap, FxHashSet, Id, Stop};

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
    let Some(part) = Part::explore(graph, is_explored, budget)? else {
        return Ok(lasso);
    };
    let honda = part.position(lasso.cycle[0].from);
    let component: FxHashSet<usize> = part.component(honda).into_iter().collect();
    let mut hondas: Vec<usize> = component.iter().copied().collect();
    hondas.sort_unstable();
    let inside = |node: NodeId| {
        let position = part.positions.get(&node);
        position.is_some_and(|position| component.contains(position))
    };
    let length = |lasso: &GraphLasso| lasso.stem.hops.len() + lasso.cycle.len();
    let mut best = lasso;
    for honda in hondas.into_iter().take(MAX_HONDAS) {
        let stem = part.stem(honda);
        if stem.hops.len() + 1 >= length(&best) {
            break;
        }
        let cycle = accepting_cycle(graph, part.nodes[honda], &inside, budget)?
            .expect("a component with an accepting cycle has one through each node");
        let lasso = GraphLasso { stem, cycle };
        if length(&lasso) < length(&best) {
            best = lasso;
        }
    }
    Ok(best)
}

/// The explored part, its nodes in breadth-first order.
struct Part {
    nodes: Vec<NodeId>,
    positions: FxHashMap<NodeId, usize>,
    /// How each node was first reached: the position of the node before and the arc.
    parents: Vec<Option<(usize, usize)>>,
    /// All arcs, as pairs of positions.
    arcs: Vec<(usize, usize)>,
}

impl Part {
    /// The nodes that initial ones lead to; none if they are too many.
    fn explore(
        graph: &mut dyn Graph,
        is_explored: &dyn Fn(NodeId) -> bool,
        budget: &Budget,
    ) -> Result<Option<Self>, Stop> {
        let mut part = Self {
            nodes: Vec::new(),
            positions: FxHashMap::default(),
            parents: Vec::new(),
            arcs: Vec::new(),
        };
        let (mut starts, mut arcs): (_, Vec<Arc>) = (Vec::new(), Vec::new());
        graph.initial(&mut starts)?;
        for start in starts.into_iter().filter(|&node| is_explored(node)) {
            part.add(start, None);
        }
        let (mut next, mut ticker) = (0, Ticker::default());
        while next < part.nodes.len() {
            if part.nodes.len() > MAX_NODES {
                return Ok(None);
            }
            ticker.tick(budget)?;
            arcs.clear();
            graph.successors(part.nodes[next], &mut arcs)?;
            for (index, arc) in arcs.iter().enumerate() {
                if is_explored(arc.target) {
                    let target = part.add(arc.target, Some((next, index)));
                    part.arcs.push((next, target));
                }
            }
            next += 1;
        }
        Ok(Some(part))
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

    fn position(&self, node: NodeId) -> usize {
        self.positions[&node]
    }

    /// The positions of the strongly connected component of one, in no particular order.
    fn component(&self, of: usize) -> Vec<usize> {
        let n = self.nodes.len();
        let id = NodeId::from_index;
        let forward = self.arcs.iter().map(|&(a, b)| (id(a), b)).collect();
        let backward = self.arcs.iter().map(|&(a, b)| (id(b), a)).collect();
        let after = reachable(&Csr::from_pairs(n, forward), of);
        let before = reachable(&Csr::from_pairs(n, backward), of);
        (0..n).filter(|&i| after[i] && before[i]).collect()
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

fn reachable(arcs: &Csr<NodeId, usize>, from: usize) -> Vec<bool> {
    let mut seen = vec![false; arcs.n_rows()];
    seen[from] = true;
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        for &to in arcs.row(NodeId::from_index(at)) {
            if !seen[to] {
                seen[to] = true;
                todo.push(to);
            }
        }
    }
    seen
}
