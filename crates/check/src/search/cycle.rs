//! An accepting cycle inside a set of nodes that is strongly connected.
//!
//! Couvreur's construction: breadth first to the nearest arc with a mark that is still missing, from
//! its end to the next one, and at last back. Each leg is shortest; the whole need not be (that is a
//! travelling salesman's problem), but it is found in at most `marks + 1` searches of the set.

use super::Ticker;
use crate::{Arc, Graph, Hop, NodeId};
use lariat_base::{Budget, FxHashMap, Stop};
use std::collections::hash_map::Entry;

/// A set of nodes.
pub(super) type Inside<'a> = &'a dyn Fn(NodeId) -> bool;

/// A cycle from `from` back to it with all marks of the graph, through nodes of `inside` only. None
/// if some mark or the way back is not to be had.
pub(super) fn accepting_cycle(
    graph: &mut dyn Graph,
    from: NodeId,
    inside: Inside<'_>,
    budget: &Budget,
) -> Result<Option<Vec<Hop>>, Stop> {
    let mut missing = graph.all_marks();
    let mut cycle: Vec<Hop> = Vec::new();
    let mut at = from;
    while missing != 0 {
        let wanted = |arc: &Arc| arc.marks & missing != 0;
        let Some(leg) = nearest(graph, at, inside, &wanted, budget)? else {
            return Ok(None);
        };
        missing &= !leg.marks;
        at = leg.hops.last().expect("a leg ends with an arc").to;
        cycle.extend(leg.hops);
    }
    if at != from || cycle.is_empty() {
        let back = |arc: &Arc| arc.target == from;
        let Some(leg) = nearest(graph, at, inside, &back, budget)? else {
            return Ok(None);
        };
        cycle.extend(leg.hops);
    }
    Ok(Some(cycle))
}

/// A path and the marks it collects.
struct Leg {
    hops: Vec<Hop>,
    marks: u64,
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct From {
    hop: Hop,
    marks: u64,
}

/// A shortest path from `from` that ends with an arc that is `wanted`.
fn nearest(
    graph: &mut dyn Graph,
    from: NodeId,
    inside: Inside<'_>,
    wanted: &dyn Fn(&Arc) -> bool,
    budget: &Budget,
) -> Result<Option<Leg>, Stop> {
    let mut parents: FxHashMap<NodeId, Option<From>> = FxHashMap::default();
    parents.insert(from, None);
    let mut queue = vec![from];
    let (mut next, mut arcs, mut ticker) = (0, Vec::new(), Ticker::default());
    while let Some(&node) = queue.get(next) {
        ticker.tick(budget)?;
        next += 1;
        arcs.clear();
        graph.successors(node, &mut arcs)?;
        for (index, arc) in arcs.iter().enumerate() {
            if !inside(arc.target) {
                continue;
            }
            let hop = Hop {
                from: node,
                index,
                to: arc.target,
            };
            let marks = arc.marks;
            if wanted(arc) {
                return Ok(Some(trace_back(&parents, From { hop, marks })));
            }
            if let Entry::Vacant(slot) = parents.entry(arc.target) {
                slot.insert(Some(From { hop, marks }));
                queue.push(arc.target);
            }
        }
    }
    Ok(None)
}

fn trace_back(parents: &FxHashMap<NodeId, Option<From>>, last: From) -> Leg {
    let mut leg = Leg {
        hops: vec![last.hop],
        marks: last.marks,
    };
    let mut at = last.hop.from;
    while let Some(from) = parents[&at] {
        leg.hops.push(from.hop);
        leg.marks |= from.marks;
        at = from.hop.from;
    }
    leg.hops.reverse();
    leg
}
