//! The graph that searches explore: dense nodes, arcs with acceptance marks, made on demand.
//!
//! Searches know nothing of systems, automata or abstractions; whatever they explore is a [`Graph`].

use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use lariat_base::{FxHashMap, FxHashSet, Stop, id_type};

id_type!(
    /// A node of one graph.
    pub struct NodeId, "n"
);

/// An arc of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arc {
    /// Where it leads.
    pub target: NodeId,
    /// Its acceptance marks, in the [`Graph::mark_sets`] of its graph.
    pub marks: MarkSetId,
}

/// A finite graph that is explored on the fly.
///
/// A cycle is accepting if the [acceptance](Graph::acceptance) accepts the marks of its arcs together. State
/// acceptance is the case where all arcs that leave a node carry its marks.
pub trait Graph {
    /// Which cycles are accepting.
    fn acceptance(&self) -> &Acceptance;
    /// The sets of marks that arcs carry; the graph and the search that explores it add to them.
    fn mark_sets(&mut self) -> &mut MarkSets;
    /// Appends the initial nodes, in a fixed order.
    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop>;
    /// Appends the arcs that leave `node`, in a fixed order: the same at every call.
    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop>;
    /// Whether reachability searches look for `node`.
    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop>;
    /// How many arcs it takes to a goal at least, as far as is known without exploring.
    fn distance(&mut self, _node: NodeId) -> u32 {
        0
    }
    /// Hears from a breadth-first search that no path to a goal, or no accepting lasso, has so many arcs or fewer.
    fn is_clear_to(&mut self, _n_arcs: u64) {}
}

/// One arc of a path: the `index`-th successor of `from`, which is `to`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// Where the arc starts.
    pub from: NodeId,
    /// Its position among the successors of `from`.
    pub index: usize,
    /// Where it ends.
    pub to: NodeId,
}

/// A path from an initial node; without hops it is just that node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphPath {
    /// The initial node.
    pub start: NodeId,
    /// The arcs, each starting where the one before ended.
    pub hops: Vec<Hop>,
}

/// An accepting lasso: a stem from an initial node to the honda, and a cycle from the honda back to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphLasso {
    /// The way to the honda.
    pub stem: GraphPath,
    /// The way round; at least one hop.
    pub cycle: Vec<Hop>,
}

/// The nodes that a node can reach and that can reach it, in ascending order; `after` appends where arcs lead.
pub(crate) fn component_of(
    root: NodeId,
    mut after: impl FnMut(NodeId, &mut Vec<NodeId>),
) -> Vec<NodeId> {
    let (mut reached, mut before) = (vec![root], FxHashMap::<NodeId, Vec<NodeId>>::default());
    let mut met: FxHashSet<NodeId> = [root].into_iter().collect();
    let (mut next, mut targets) = (0, Vec::new());
    while let Some(&from) = reached.get(next) {
        next += 1;
        targets.clear();
        after(from, &mut targets);
        for &target in &targets {
            before.entry(target).or_default().push(from);
            if met.insert(target) {
                reached.push(target);
            }
        }
    }
    let mut members: FxHashSet<NodeId> = [root].into_iter().collect();
    let mut todo = vec![root];
    while let Some(at) = todo.pop() {
        for &from in before.get(&at).map_or(&[][..], Vec::as_slice) {
            if members.insert(from) {
                todo.push(from);
            }
        }
    }
    let mut members: Vec<NodeId> = members.into_iter().collect();
    members.sort_unstable();
    members
}
