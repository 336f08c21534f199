//! Best first by distance to the goal: reachability that goes where the structure says the goal is near.
//!
//! A graph may know, without computing anything, how far a node is from a goal at least
//! ([`Graph::distance`]); for a control-flow automaton that is the number of edges to the error location,
//! guards aside. Nodes are expanded in the order of that number, those met first before others with
//! the same. So a program with an error deep inside is run towards it, not layer by layer; where the
//! guess is wrong, the rest is explored as well, and "none" is said only when nothing is left.
//!
//! Hajdu, Micskei (JAR 2020) call it error-location-based search. Rejected: depth plus distance (A*), whose
//! shortest paths matter little for refinement and which falls back to breadth first on every spurious
//! guess. Without distances the order is breadth first.

use super::reach::path_back;
use super::{Pages, Ticker};
use crate::{Graph, GraphPath, NodeId};
use lariat_base::{Budget, Id, Stop};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A path to a goal, or none if none can be reached.
pub(super) fn best_first(
    graph: &mut dyn Graph,
    budget: &Budget,
) -> Result<Option<GraphPath>, Stop> {
    // A node's parent; an initial node is its own.
    let mut parents: Pages<Option<NodeId>> = Pages::new();
    let mut queue: BinaryHeap<Reverse<(u32, u64, NodeId)>> = BinaryHeap::new();
    let (mut met, mut arcs, mut ticker) = (Vec::new(), Vec::new(), Ticker::default());
    let mut n_met = 0;
    graph.initial(&mut met)?;
    let mut pending: Vec<(NodeId, NodeId)> = met.iter().map(|&node| (node, node)).collect();
    loop {
        for (node, parent) in pending.drain(..) {
            let known = parents.grow_to(node.index(), None);
            if known.is_some() {
                continue;
            }
            *known = Some(parent);
            if graph.is_goal(node)? {
                return path_back(graph, &parents, node).map(Some);
            }
            queue.push(Reverse((graph.distance(node), n_met, node)));
            n_met += 1;
        }
        ticker.tick(budget)?;
        let Some(Reverse((_, _, node))) = queue.pop() else {
            return Ok(None);
        };
        arcs.clear();
        graph.successors(node, &mut arcs)?;
        pending.extend(arcs.iter().map(|arc| (arc.target, node)));
    }
}
