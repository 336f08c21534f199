//! A graph explored to its end: nodes in breadth-first order, arcs both ways, components.
//!
//! Positions, not node ids: the position of a node is its place in the breadth-first order, so the node
//! of a set with the smallest position is one that is nearest to an initial node. Components are
//! Tarjan's (SIAM J. Comput. 1972), with an explicit stack.

use super::Ticker;
use crate::{Graph, GraphPath, Hop, NodeId};
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
    after: Csr<NodeId, (usize, u64)>,
    before: Csr<NodeId, usize>,
    /// The component of each position.
    components: Vec<u32>,
    /// The positions of each component, in order.
    members: Csr<NodeId, usize>,
    /// The marks on the arcs inside each component; none if there is no such arc.
    inner_marks: Vec<Option<u64>>,
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
        let mut rows: Vec<(NodeId, (usize, u64))> = Vec::new();
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

    fn new(met: Discovered, after: Csr<NodeId, (usize, u64)>) -> Self {
        let n = met.nodes.len();
        let arcs = || {
            let row = |from: usize| after.row(NodeId::from_index(from));
            (0..n).flat_map(move |from| row(from).iter().map(move |&(to, marks)| (from, to, marks)))
        };
        let backward = arcs().map(|(from, to, _)| (NodeId::from_index(to), from));
        let before = Csr::from_pairs(n, backward.collect());
        let (components, n_components) = components(&after, n);
        let mut inner_marks = vec![None; n_components];
        for (from, to, marks) in arcs() {
            let component = components[from];
            if component == components[to] {
                *inner_marks[component as usize].get_or_insert(0) |= marks;
            }
        }
        let member = |at: usize| (NodeId::from_index(components[at] as usize), at);
        let members = Csr::from_pairs(n_components, (0..n).map(member).collect());
        Self {
            nodes: met.nodes,
            positions: met.positions,
            n_starts: met.n_starts,
            parents: met.parents,
            after,
            before,
            components,
            members,
            inner_marks,
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
    pub fn after(&self, at: usize) -> &[(usize, u64)] {
        self.after.row(NodeId::from_index(at))
    }

    /// The positions that arcs lead from to this one.
    pub fn before(&self, at: usize) -> &[usize] {
        self.before.row(NodeId::from_index(at))
    }

    /// The marks of an arc.
    pub fn marks(&self, hop: &Hop) -> u64 {
        self.after(self.positions[&hop.from])[hop.index].1
    }

    pub fn n_components(&self) -> u32 {
        self.inner_marks.len() as u32
    }

    /// The component of a position.
    pub fn component(&self, at: usize) -> u32 {
        self.components[at]
    }

    /// The positions of a component, in order.
    pub fn members(&self, component: u32) -> &[usize] {
        self.members.row(NodeId::from_index(component as usize))
    }

    /// Whether a component has a cycle with all these marks.
    pub fn is_accepting(&self, component: u32, all_marks: u64) -> bool {
        self.inner_marks[component as usize].is_some_and(|marks| marks & all_marks == all_marks)
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

/// The component of each position, and how many there are.
fn components(after: &Csr<NodeId, (usize, u64)>, n: usize) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let (mut numbers, mut lows, mut components) = (vec![NONE; n], vec![NONE; n], vec![NONE; n]);
    let (mut n_numbers, mut n_components) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..n {
        if numbers[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            if *next == 0 {
                numbers[at] = n_numbers;
                lows[at] = n_numbers;
                n_numbers += 1;
                open.push(at);
            }
            let row = after.row(NodeId::from_index(at));
            if let Some(&(target, _)) = row.get(*next) {
                *next += 1;
                if numbers[target] == NONE {
                    path.push((target, 0));
                } else if components[target] == NONE {
                    lows[at] = lows[at].min(numbers[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                lows[parent] = lows[parent].min(lows[at]);
            }
            if lows[at] == numbers[at] {
                while let Some(member) = open.pop() {
                    components[member] = n_components;
                    if member == at {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    (components, n_components as usize)
}
