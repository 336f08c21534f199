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
//! Sets of marks are interned: a root is eight bytes, which matters on long chains of components.

use super::cycle::accepting_cycle;
use super::repeated::Repeated;
use super::stack::{Guide, LAST, Stack, WindowSize};
use super::{EmptinessCheck, Pages, Ticker};
use crate::{Arc, Graph, GraphLasso, NodeId};
use lariat_base::{Budget, Id, Stop, id_type};

/// The number of a node that was never met.
pub(super) const UNSEEN: u32 = 0;
/// The number of a node whose component is finished.
pub(super) const DEAD: u32 = u32::MAX;

/// The search by components.
#[derive(Debug)]
pub struct Scc {
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
        self.enter(graph, start, 0)?;
        while let Some(top) = self.stack.top() {
            ticker.tick(budget)?;
            let Some(arc) = self.stack.next(graph, &self.components)? else {
                self.stack.pop();
                self.components.leave(top);
                continue;
            };
            match self.components.number(arc.target) {
                UNSEEN => self.enter(graph, arc.target, arc.marks)?,
                DEAD => {}
                number => {
                    let marks = self.components.fuse(number, arc);
                    if marks & graph.all_marks() == graph.all_marks() {
                        return self.lasso(graph, budget).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, graph: &mut dyn Graph, node: NodeId, marks: u64) -> Result<(), Stop> {
        self.components.enter(node, marks);
        self.stack.push(graph, node, &self.components)
    }

    /// The lasso through the topmost component: the stack up to its root, then a cycle inside it.
    fn lasso(&self, graph: &mut dyn Graph, budget: &Budget) -> Result<GraphLasso, Stop> {
        let root = self.components.top_root();
        let at = (0..self.stack.len())
            .rev()
            .find(|&i| self.components.number(self.stack.node(i)) == root)
            .expect("the root of an open component is on the stack");
        let inside = |node| self.components.is_open_above(node, root);
        let cycle = accepting_cycle(graph, self.stack.node(at), &inside, budget)?
            .expect("a component with all marks has an accepting cycle through its root");
        Ok(GraphLasso {
            stem: self.stack.path(at),
            cycle,
        })
    }
}

impl EmptinessCheck for Scc {
    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
struct Collected {
    inside: u64,
    entering: u64,
}

id_type!(
    /// An interned pair of sets of marks.
    struct CollectedId, "m"
);

impl Default for Components {
    fn default() -> Self {
        Self {
            numbers: Pages::new(),
            n_numbers: 0,
            open: Pages::new(),
            roots: Pages::new(),
            collected: Repeated::new(Collected::default()),
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

    /// The marks inside the topmost component and on the way into it.
    pub fn top_marks(&self) -> u64 {
        let root = self.roots.last().expect("a component is open");
        let Collected { inside, entering } = self.collected[root.collected];
        inside | entering
    }

    /// Whether a node belongs to an open component that starts at `root` or later.
    pub fn is_open_above(&self, node: NodeId, root: u32) -> bool {
        let number = self.number(node);
        number != DEAD && number >= root
    }

    /// Opens a component for a node that an arc with these marks has led to.
    pub fn enter(&mut self, node: NodeId, entering: u64) {
        self.n_numbers += 1;
        *self.numbers.grow_to(node.index(), UNSEEN) = self.n_numbers;
        self.open.push(node);
        self.roots.push(Root {
            number: self.n_numbers,
            collected: self.collected.intern(Collected {
                inside: 0,
                entering,
            }),
        });
    }

    /// Fuses the components that an arc to the open node with this number closes; their marks.
    pub fn fuse(&mut self, number: u32, arc: Arc) -> u64 {
        let mut marks = arc.marks;
        loop {
            let root = self.roots.last_mut().expect("an open node has a component");
            let Collected { inside, entering } = self.collected[root.collected];
            marks |= inside;
            if root.number <= number {
                root.collected = self.collected.intern(Collected {
                    inside: marks,
                    entering,
                });
                return marks;
            }
            marks |= entering;
            self.roots.pop();
        }
    }

    /// Leaves a node; if it is a root, its component is dead.
    pub fn leave(&mut self, node: NodeId) {
        if self.top_root() != self.number(node) {
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
    fn rank(&self, arc: Arc) -> Option<u8> {
        match self.number(arc.target) {
            DEAD => None,
            UNSEEN => Some(LAST),
            _ => Some(0),
        }
    }

    /// An arc to a descendant joins nothing that the descent did not; only its marks could matter.
    fn is_settled(&self, arc: Arc) -> bool {
        arc.marks == 0 && self.number(arc.target) != UNSEEN
    }
}
