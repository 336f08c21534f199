//! Strongly connected components on the fly, stopping at the first accepting one.
//!
//! One depth-first search keeps a stack of *open* components with the marks each has collected.
//! An arc to an open node closes a cycle: the components above the target's fuse, with their marks
//! and the marks of the arcs that entered them. As soon as one component has all marks, the graph
//! explored so far contains an accepting cycle, and it does so at no earlier moment. A component that
//! the search leaves without all marks is dead: no accepting cycle runs through it.
//!
//! Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), with Gabow's path-based
//! components (IPL 2000); marks are on arcs, so state, transition and generalized acceptance are one
//! case. Rejected: Tarjan's low links, which learn of acceptance only when a component is left.
//!
//! Streett pairs: a component in which each request has its response ends the search at once, too. One
//! that has all Büchi marks and violates a pair may come to satisfy it, so it stays open; if it still violates
//! a pair when the search leaves it, it is split (see `streett.rs`), and only then is it dead.
//!
//! Pairs of sets of marks are interned: a root is eight bytes, which matters on long chains of components.

use super::cycle::{Region, accepting_cycle, nearest};
use super::repeated::Repeated;
use super::stack::{Guide, LAST, Stack, WindowSize};
use super::streett::smallest_fair_part;
use super::{EmptinessCheck, Pages, Ticker};
use crate::{Acceptance, Arc, Graph, GraphLasso, MarkSetId, MarkSets, NodeId, Unsupported};
use lariat_base::{Budget, FxHashSet, Id, Stop, id_type};

/// The number of a node that was never met.
pub(super) const UNSEEN: u32 = 0;
/// The number of a node whose component is finished.
pub(super) const DEAD: u32 = u32::MAX;

/// The search by components.
#[derive(Debug)]
pub struct Scc {
    acceptance: Acceptance,
    components: Components,
    stack: Stack,
}

impl Default for Scc {
    fn default() -> Self {
        Self::new()
    }
}

impl Scc {
    /// A search that has not started.
    pub fn new() -> Self {
        Self::with_stack(Stack::new(WindowSize::WIDE))
    }

    /// A search that keeps few pending arcs, to test that dropping them is harmless.
    pub(super) fn with_stack(stack: Stack) -> Self {
        Self {
            acceptance: Acceptance::new(),
            components: Components::default(),
            stack,
        }
    }

    fn explore(
        &mut self,
        graph: &mut dyn Graph,
        start: NodeId,
        budget: &Budget,
        ticker: &mut Ticker,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.enter(graph, start, MarkSetId::EMPTY)?;
        while let Some(top) = self.stack.top() {
            ticker.tick(budget)?;
            let Some(arc) = self.stack.next(graph, &self.components)? else {
                if let Some(lasso) = self.split(graph, top, budget)? {
                    return Ok(Some(lasso));
                }
                self.stack.pop();
                self.components.leave(top);
                continue;
            };
            match self.components.number(arc.target) {
                UNSEEN => self.enter(graph, arc.target, arc.marks)?,
                DEAD => {}
                number => {
                    let marks = self.components.fuse(graph.mark_sets(), number, arc);
                    if self.acceptance.accepts(graph.mark_sets(), marks) {
                        return self.lasso(graph, budget).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, graph: &mut dyn Graph, node: NodeId, marks: MarkSetId) -> Result<(), Stop> {
        self.components.enter(node, marks);
        self.stack.push(graph, node, &self.components)
    }

    /// The lasso through the topmost component: the stack up to its root, then a cycle inside it.
    fn lasso(&self, graph: &mut dyn Graph, budget: &Budget) -> Result<GraphLasso, Stop> {
        if !self.acceptance.streett().is_empty() {
            // The component may have arcs that were not tried yet, with requests that it cannot answer.
            let lasso = self.fair_lasso(graph, budget)?;
            return Ok(lasso.expect("the arcs that were tried have an accepting cycle"));
        }
        let root = self.components.top_root();
        let at = self.root_position();
        let inside = |node| self.components.is_open_above(node, root);
        let region = Region::of_nodes(&inside);
        let cycle = accepting_cycle(graph, self.stack.node(at), region, budget)?
            .expect("a component with all marks has an accepting cycle through its root");
        Ok(GraphLasso {
            stem: self.stack.path(at),
            cycle,
        })
    }

    /// A lasso in the topmost component, if `top`, which the search is about to leave, is its root and a part of
    /// it is fair.
    fn split(
        &self,
        graph: &mut dyn Graph,
        top: NodeId,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        if self.acceptance.streett().is_empty() || !self.components.is_top_root(top) {
            return Ok(None);
        }
        let marks = self.components.top_inside();
        if !self.acceptance.has_all_buchi(graph.mark_sets(), marks) {
            return Ok(None);
        }
        self.fair_lasso(graph, budget)
    }

    /// A lasso in the smallest fair part of the topmost component, if it has one.
    fn fair_lasso(
        &self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        let component = self.components.top_members();
        let Some((part, without)) = smallest_fair_part(graph, &component, budget)? else {
            return Ok(None);
        };
        let part: FxHashSet<NodeId> = part.into_iter().collect();
        let is_fair = |node| part.contains(&node);
        let (root, at) = (self.components.top_root(), self.root_position());
        let mut stem = self.stack.path(at);
        if !is_fair(self.stack.node(at)) {
            let inside = |node| self.components.is_open_above(node, root);
            let enters = |_: &MarkSets, arc: &Arc| is_fair(arc.target);
            let region = Region::of_nodes(&inside);
            let way = nearest(graph, self.stack.node(at), region, &enters, budget)?;
            let way = way.expect("a component is strongly connected");
            stem.hops.extend(way);
        }
        let honda = stem.hops.last().map_or(stem.start, |hop| hop.to);
        let region = Region {
            has: &is_fair,
            without,
        };
        let cycle = accepting_cycle(graph, honda, region, budget)?
            .expect("a fair part has an accepting cycle through each node");
        Ok(Some(GraphLasso { stem, cycle }))
    }

    /// Where on the stack the root of the topmost component is.
    fn root_position(&self) -> usize {
        let root = self.components.top_root();
        (0..self.stack.len())
            .rev()
            .find(|&i| self.components.number(self.stack.node(i)) == root)
            .expect("the root of an open component is on the stack")
    }
}

impl EmptinessCheck for Scc {
    fn supports(&self, _acceptance: &Acceptance) -> Result<(), Unsupported> {
        Ok(())
    }

    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.acceptance = graph.acceptance().clone();
        self.components = Components::default();
        self.stack.clear();
        let (mut starts, mut ticker) = (Vec::new(), Ticker::default());
        graph.initial(&mut starts)?;
        for start in starts {
            if self.components.number(start) == UNSEEN {
                let found = self.explore(graph, start, budget, &mut ticker)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    fn is_explored(&self, node: NodeId) -> bool {
        self.components.number(node) != UNSEEN
    }

    fn is_dead(&self, node: NodeId) -> bool {
        self.components.number(node) == DEAD
    }
}

/// The open components of a depth-first search and the marks they have.
#[derive(Debug)]
pub(super) struct Components {
    numbers: Pages<u32>,
    n_numbers: u32,
    /// The nodes of open components in the order of their numbers.
    open: Pages<NodeId>,
    roots: Pages<Root>,
    collected: Repeated<CollectedId, Collected>,
}

/// An open component: its first node's number and its marks.
#[derive(Clone, Copy, Debug)]
struct Root {
    number: u32,
    collected: CollectedId,
}

/// The marks inside a component, and those of the arc that entered it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Collected {
    inside: MarkSetId,
    entering: MarkSetId,
}

id_type!(
    /// An interned pair of sets of marks.
    struct CollectedId, "c"
);

impl Default for Components {
    fn default() -> Self {
        Self {
            numbers: Pages::new(),
            n_numbers: 0,
            open: Pages::new(),
            roots: Pages::new(),
            collected: Repeated::new(Collected {
                inside: MarkSetId::EMPTY,
                entering: MarkSetId::EMPTY,
            }),
        }
    }
}

impl Components {
    pub fn number(&self, node: NodeId) -> u32 {
        self.numbers.get(node.index()).unwrap_or(UNSEEN)
    }

    /// The number of the root of the topmost component.
    pub fn top_root(&self) -> u32 {
        self.roots.last().expect("a component is open").number
    }

    /// Whether a node is the root of the topmost component.
    fn is_top_root(&self, node: NodeId) -> bool {
        self.top_root() == self.number(node)
    }

    fn top_collected(&self) -> Collected {
        let root = self.roots.last().expect("a component is open");
        self.collected[root.collected]
    }

    /// The marks inside the topmost component.
    fn top_inside(&self) -> MarkSetId {
        self.top_collected().inside
    }

    /// The marks inside the topmost component and on the way into it.
    pub fn top_marks(&self, sets: &mut MarkSets) -> MarkSetId {
        let Collected { inside, entering } = self.top_collected();
        sets.union(inside, entering)
    }

    /// The nodes of the topmost component, its root first.
    fn top_members(&self) -> Vec<NodeId> {
        let root = self.top_root();
        let newest_first = (0..self.open.len()).rev().map(|i| self.open.at(i));
        let members = newest_first.take_while(|&node| self.number(node) >= root);
        let mut members: Vec<NodeId> = members.collect();
        members.reverse();
        members
    }

    /// Whether a node belongs to an open component that starts at `root` or later.
    pub fn is_open_above(&self, node: NodeId, root: u32) -> bool {
        let number = self.number(node);
        number != DEAD && number >= root
    }

    /// Opens a component for a node that an arc with these marks has led to.
    pub fn enter(&mut self, node: NodeId, entering: MarkSetId) {
        self.n_numbers += 1;
        *self.numbers.grow_to(node.index(), UNSEEN) = self.n_numbers;
        self.open.push(node);
        self.roots.push(Root {
            number: self.n_numbers,
            collected: self.collected.intern(Collected {
                inside: MarkSetId::EMPTY,
                entering,
            }),
        });
    }

    /// Fuses the components that an arc to the open node with this number closes; their marks.
    pub fn fuse(&mut self, sets: &mut MarkSets, number: u32, arc: Arc) -> MarkSetId {
        let mut marks = arc.marks;
        loop {
            let root = self.roots.last_mut().expect("an open node has a component");
            let Collected { inside, entering } = self.collected[root.collected];
            marks = sets.union(marks, inside);
            if root.number <= number {
                root.collected = self.collected.intern(Collected {
                    inside: marks,
                    entering,
                });
                return marks;
            }
            marks = sets.union(marks, entering);
            self.roots.pop();
        }
    }

    /// Leaves a node; if it is a root, its component is dead.
    pub fn leave(&mut self, node: NodeId) {
        if !self.is_top_root(node) {
            return;
        }
        self.roots.pop();
        while let Some(last) = self.open.pop() {
            *self.numbers.at_mut(last.index()) = DEAD;
            if last == node {
                break;
            }
        }
    }
}

impl Guide for Components {
    /// Tries first what closes a cycle: it costs nothing and may end the search.
    fn rank(&self, _sets: &MarkSets, arc: Arc) -> Option<u8> {
        match self.number(arc.target) {
            DEAD => None,
            UNSEEN => Some(LAST),
            _ => Some(0),
        }
    }

    /// An arc to a descendant joins nothing that the descent did not; only its marks could matter.
    fn is_settled(&self, arc: Arc) -> bool {
        arc.marks == MarkSetId::EMPTY && self.number(arc.target) != UNSEEN
    }
}
