//! Reachability: a path from an initial node to a goal.
//!
//! Breadth first finds a shortest path and keeps a parent per node; depth first needs a bit per node
//! and the stack, and often meets a goal sooner. Which arc led from parent to child is not kept but
//! looked up again for the one path that is reported.

use super::err_dist::best_first;
use super::stack::{Guide, LAST, Stack, WindowSize};
use super::{Pages, Ticker};
use crate::{Arc, Graph, GraphPath, Hop, MarkSets, NodeId};
use lariat_base::{Budget, Id, Stop};

/// A search for a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Breadth first: the path is shortest.
    Bfs,
    /// Depth first.
    Dfs,
    /// Nearest to the goal first.
    ErrDist,
}

impl Reach {
    /// A path to a goal, or none if none can be reached.
    pub fn search(self, graph: &mut dyn Graph, budget: &Budget) -> Result<Option<GraphPath>, Stop> {
        match self {
            Self::Bfs => breadth_first(graph, budget),
            Self::Dfs => depth_first(graph, budget, Stack::new(WindowSize::WIDE)),
            Self::ErrDist => best_first(graph, budget),
        }
    }
}

fn breadth_first(graph: &mut dyn Graph, budget: &Budget) -> Result<Option<GraphPath>, Stop> {
    // A node's parent; an initial node is its own.
    let mut parents: Pages<Option<NodeId>> = Pages::new();
    let mut queue: Pages<NodeId> = Pages::new();
    let (mut starts, mut arcs) = (Vec::new(), Vec::new());
    graph.initial(&mut starts)?;
    for node in starts {
        let parent = parents.grow_to(node.index(), None);
        if parent.is_none() {
            *parent = Some(node);
            if graph.is_goal(node)? {
                return path_back(graph, &parents, node).map(Some);
            }
            queue.push(node);
        }
    }
    let (mut next, mut ticker) = (0, Ticker::default());
    // All nodes at this distance were met, and the last of them stands before this place in the queue.
    let (mut distance, mut layer_end) = (0, queue.len());
    while next < queue.len() {
        if next == layer_end {
            (distance, layer_end) = (distance + 1, queue.len());
            graph.is_clear_to(distance);
        }
        ticker.tick(budget)?;
        let node = queue.at(next);
        next += 1;
        arcs.clear();
        graph.successors(node, &mut arcs)?;
        for arc in &arcs {
            let parent = parents.grow_to(arc.target.index(), None);
            if parent.is_none() {
                *parent = Some(node);
                if graph.is_goal(arc.target)? {
                    return path_back(graph, &parents, arc.target).map(Some);
                }
                queue.push(arc.target);
            }
        }
    }
    Ok(None)
}

pub(super) fn path_back(
    graph: &mut dyn Graph,
    parents: &Pages<Option<NodeId>>,
    goal: NodeId,
) -> Result<GraphPath, Stop> {
    let (mut at, mut hops, mut arcs) = (goal, Vec::new(), Vec::new());
    loop {
        let parent = parents.at(at.index()).expect("the path was explored");
        if parent == at {
            break;
        }
        arcs.clear();
        graph.successors(parent, &mut arcs)?;
        let index = arcs
            .iter()
            .position(|arc| arc.target == at)
            .expect("a graph gives the same successors at every call");
        hops.push(Hop {
            from: parent,
            index,
            to: at,
        });
        at = parent;
    }
    hops.reverse();
    Ok(GraphPath { start: at, hops })
}

pub(super) fn depth_first(
    graph: &mut dyn Graph,
    budget: &Budget,
    mut stack: Stack,
) -> Result<Option<GraphPath>, Stop> {
    let mut seen: Pages<bool> = Pages::new();
    let (mut starts, mut ticker) = (Vec::new(), Ticker::default());
    graph.initial(&mut starts)?;
    for start in starts {
        let mut entered = Some(start);
        loop {
            if let Some(node) = entered.take() {
                let known = seen.grow_to(node.index(), false);
                if !std::mem::replace(known, true) {
                    stack.push(graph, node, &Unseen(&seen))?;
                    if graph.is_goal(node)? {
                        return Ok(Some(stack.path(stack.len() - 1)));
                    }
                }
            }
            if stack.len() == 0 {
                break;
            }
            ticker.tick(budget)?;
            match stack.next(graph, &Unseen(&seen))? {
                Some(arc) => entered = Some(arc.target),
                None => {
                    stack.pop();
                }
            }
        }
    }
    Ok(None)
}

/// Tries only what was not visited yet.
struct Unseen<'a>(&'a Pages<bool>);

impl Guide for Unseen<'_> {
    fn rank(&self, _sets: &MarkSets, arc: Arc) -> Option<u8> {
        (!self.is_settled(arc)).then_some(LAST)
    }

    fn is_settled(&self, arc: Arc) -> bool {
        self.0.get(arc.target.index()) == Some(true)
    }
}
