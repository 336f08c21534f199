//! An accepting cycle inside a strongly connected region.
//!
//! Couvreur's construction: breadth first to the nearest arc with a mark that is still missing, from
//! its end to the next one, and at last back. Each leg is shortest; the whole need not be (that is a
//! travelling salesman's problem), but it takes at most one search of the region per mark, and one for each way back.
//!
//! Under Streett pairs a leg may collect requests, whose responses are then missing, too. Every leg to a missing mark
//! collects a new one and none is ever lost, so this ends; where each request of the region has its
//! response there, it ends with a cycle.

use super::Ticker;
use crate::{Arc, Graph, Hop, MarkSetId, MarkSets, NodeId};
use lariat_base::{Budget, FxHashMap, Stop};
use std::collections::hash_map::Entry;

/// Where a cycle may run: between some nodes, by arcs without some marks.
#[derive(Clone, Copy)]
pub(super) struct Region<'a> {
    /// Whether a node belongs to it.
    pub has: &'a dyn Fn(NodeId) -> bool,
    /// Arcs with one of these marks do not.
    pub without: MarkSetId,
}

impl<'a> Region<'a> {
    /// Some nodes and all arcs between them.
    pub fn of_nodes(has: &'a dyn Fn(NodeId) -> bool) -> Self {
        Self {
            has,
            without: MarkSetId::EMPTY,
        }
    }
}

/// An accepting cycle from `from` back to it inside a region. None if a mark or the way back is not to
/// be had.
pub(super) fn accepting_cycle(
    graph: &mut dyn Graph,
    from: NodeId,
    region: Region<'_>,
    budget: &Budget,
) -> Result<Option<Vec<Hop>>, Stop> {
    let acceptance = graph.acceptance().clone();
    let (mut at, mut cycle) = (from, Vec::new());
    let mut collected = MarkSetId::EMPTY;
    loop {
        let missing = acceptance.missing(graph.mark_sets(), collected);
        let is_complete = missing == MarkSetId::EMPTY;
        if is_complete && at == from && !cycle.is_empty() {
            return Ok(Some(cycle));
        }
        let leg = if is_complete {
            let back = |_: &MarkSets, arc: &Arc| arc.target == from;
            nearest(graph, at, region, &back, budget)?
        } else {
            let wanted = |sets: &MarkSets, arc: &Arc| sets.intersect(arc.marks, missing);
            nearest(graph, at, region, &wanted, budget)?
        };
        let Some(leg) = leg else {
            return Ok(None);
        };
        let marks = marks_of(graph, &leg)?;
        collected = graph.mark_sets().union(collected, marks);
        at = leg.last().expect("a leg ends with an arc").to;
        cycle.extend(leg);
    }
}

/// The marks that a path collects.
pub(super) fn marks_of(graph: &mut dyn Graph, hops: &[Hop]) -> Result<MarkSetId, Stop> {
    let (mut marks, mut arcs) = (MarkSetId::EMPTY, Vec::new());
    for hop in hops {
        arcs.clear();
        graph.successors(hop.from, &mut arcs)?;
        marks = graph.mark_sets().union(marks, arcs[hop.index].marks);
    }
    Ok(marks)
}

/// A shortest path inside a region from `from` that ends with an arc that is `wanted`.
pub(super) fn nearest(
    graph: &mut dyn Graph,
    from: NodeId,
    region: Region<'_>,
    wanted: &dyn Fn(&MarkSets, &Arc) -> bool,
    budget: &Budget,
) -> Result<Option<Vec<Hop>>, Stop> {
    let mut parents: FxHashMap<NodeId, Option<Hop>> = FxHashMap::default();
    parents.insert(from, None);
    let mut queue = vec![from];
    let (mut next, mut arcs, mut ticker) = (0, Vec::new(), Ticker::default());
    while let Some(&node) = queue.get(next) {
        ticker.tick(budget)?;
        next += 1;
        arcs.clear();
        graph.successors(node, &mut arcs)?;
        let sets = &*graph.mark_sets();
        for (index, arc) in arcs.iter().enumerate() {
            if !(region.has)(arc.target) || sets.intersect(arc.marks, region.without) {
                continue;
            }
            let hop = Hop {
                from: node,
                index,
                to: arc.target,
            };
            if wanted(sets, arc) {
                return Ok(Some(trace_back(&parents, hop)));
            }
            if let Entry::Vacant(slot) = parents.entry(arc.target) {
                slot.insert(Some(hop));
                queue.push(arc.target);
            }
        }
    }
    Ok(None)
}

fn trace_back(parents: &FxHashMap<NodeId, Option<Hop>>, last: Hop) -> Vec<Hop> {
    let mut hops = vec![last];
    let mut at = last.from;
    while let Some(hop) = parents[&at] {
        hops.push(hop);
        at = hop.from;
    }
    hops.reverse();
    hops
}
