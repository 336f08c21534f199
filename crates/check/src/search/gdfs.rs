//! Guided depth-first search: one search that collects acceptance on its stack and prefers ways back to it.
//!
//! The idea of the guided search is to find a lasso during one descent: an arc to a stack node (a
//! possible *honda*) closes a lasso, which accepts if the stack collected all marks since. Arcs are
//! tried in the order that makes this likely: first those that lead back to the stack, then those
//! into nodes that are known to lead back, then those with marks that are still missing.
//!
//! As printed, and as implemented elsewhere, the search is wrong: a node that was left before its
//! ancestor reached a honda never learns of it, and a later arc into that node is taken for a dead
//! end. In `h→d, d→c, c→d, d→h, h→t (accepting), t→c`, explored in that order, node `c` is left when
//! only `d` is known as a honda, and the lasso `h t c d (h)` is missed. Here the open components of
//! the search ([`Components`]) hold the honda knowledge: whatever is open leads back to the stack, so
//! the answer "none" is complete, and a component with all marks has a lasso even if no single
//! descent took it. Each node that was left keeps the *way*: the arc by which its descent first led
//! lowest. Following ways ends on the stack, because Tarjan's low link falls with every return.
//!
//! Rejected: re-opening nodes when a new honda appears above them (exponential on nested loops).

use super::cycle::{Region, accepting_cycle, marks_of};
use super::scc::{Components, DEAD, UNSEEN};
use super::stack::{Guide, LAST, Stack, WindowSize};
use super::{EmptinessCheck, Pages, Ticker, buchi_only, require_support};
use crate::{Acceptance, Arc, Graph, GraphLasso, Hop, MarkSetId, MarkSets, NodeId, Unsupported};
use lariat_base::{Budget, Id, Stop};

/// Marks the way of a node that is on the stack.
const ON_STACK: u32 = 1 << 31;

/// Guided depth-first search.
#[derive(Debug)]
pub struct Gdfs {
    acceptance: Acceptance,
    components: Components,
    stack: Stack,
    /// For each stack node, the least number that a descent from it led to.
    lows: Pages<u32>,
    /// By node, the arc by which a descent from it led lowest; meaningful while the node is open.
    ways: Pages<u32>,
}

impl Default for Gdfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Gdfs {
    /// A search that has not started.
    pub fn new() -> Self {
        Self::with_stack(Stack::new(WindowSize::NARROW))
    }

    /// A search that keeps few pending arcs, to test that dropping them is harmless.
    pub(super) fn with_stack(stack: Stack) -> Self {
        Self {
            acceptance: Acceptance::new(),
            components: Components::default(),
            stack,
            lows: Pages::new(),
            ways: Pages::new(),
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
            let guide = Homeward::new(graph.mark_sets(), &self.components, &self.ways);
            let Some(arc) = self.stack.next(graph, &guide)? else {
                self.leave(top);
                continue;
            };
            match self.components.number(arc.target) {
                UNSEEN => self.enter(graph, arc.target, arc.marks)?,
                DEAD => {}
                number => {
                    self.lower(top, number);
                    let marks = self.components.fuse(graph.mark_sets(), number, arc);
                    if self.acceptance.accepts(graph.mark_sets(), marks) {
                        return self.lasso(graph, arc.target, budget).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, graph: &mut dyn Graph, node: NodeId, marks: MarkSetId) -> Result<(), Stop> {
        self.components.enter(node, marks);
        *self.ways.grow_to(node.index(), 0) = ON_STACK;
        self.lows.push(self.components.number(node));
        let guide = Homeward::new(graph.mark_sets(), &self.components, &self.ways);
        self.stack.push(graph, node, &guide)
    }

    fn leave(&mut self, node: NodeId) {
        self.stack.pop();
        let low = self.lows.pop().expect("a stack node has its least number");
        *self.ways.at_mut(node.index()) &= !ON_STACK;
        self.components.leave(node);
        if let Some(top) = self.stack.top() {
            self.lower(top, low);
        }
    }

    /// The descent from the top node led to this number by the arc that it took last.
    fn lower(&mut self, top: NodeId, number: u32) {
        let low = self.lows.last_mut().expect("a stack node has its number");
        if number < *low {
            *low = number;
            *self.ways.at_mut(top.index()) = ON_STACK | self.stack.taken();
        }
    }

    /// A lasso in the topmost component, which the arc to `target` has just given all marks.
    fn lasso(
        &self,
        graph: &mut dyn Graph,
        target: NodeId,
        budget: &Budget,
    ) -> Result<GraphLasso, Stop> {
        let top = self.stack.len() - 1;
        let mut back = vec![Hop {
            from: self.stack.node(top),
            index: self.stack.taken() as usize,
            to: target,
        }];
        let (mut honda, mut arcs) = (target, Vec::new());
        loop {
            let way = self.ways.at(honda.index());
            if way & ON_STACK != 0 {
                break;
            }
            arcs.clear();
            graph.successors(honda, &mut arcs)?;
            let to = arcs[way as usize].target;
            back.push(Hop {
                from: honda,
                index: way as usize,
                to,
            });
            honda = to;
        }
        let at = self.stack.position(honda);
        let stem = self.stack.path(at);
        let mut cycle = self.stack.hops(at, top);
        cycle.extend(back);
        let collected = marks_of(graph, &cycle)?;
        if self.acceptance.accepts(graph.mark_sets(), collected) {
            return Ok(GraphLasso { stem, cycle });
        }
        // The component has all marks, but not on one descent.
        let root = self.components.top_root();
        let inside = |node| self.components.is_open_above(node, root);
        let cycle = accepting_cycle(graph, honda, Region::of_nodes(&inside), budget)?
            .expect("a component with all marks has an accepting cycle through each node");
        Ok(GraphLasso { stem, cycle })
    }
}

impl EmptinessCheck for Gdfs {
    fn supports(&self, acceptance: &Acceptance) -> Result<(), Unsupported> {
        buchi_only(acceptance)
    }

    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        require_support(self, graph);
        self.acceptance = graph.acceptance().clone();
        self.components = Components::default();
        self.stack.clear();
        self.lows = Pages::new();
        self.ways = Pages::new();
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

/// Tries first what closes a cycle, then what collects marks that the topmost component has not.
struct Homeward<'a> {
    components: &'a Components,
    ways: &'a Pages<u32>,
    collected: MarkSetId,
}

impl<'a> Homeward<'a> {
    fn new(sets: &mut MarkSets, components: &'a Components, ways: &'a Pages<u32>) -> Self {
        Self {
            components,
            ways,
            collected: components.top_marks(sets),
        }
    }
}

impl Guide for Homeward<'_> {
    fn rank(&self, sets: &MarkSets, arc: Arc) -> Option<u8> {
        match self.components.number(arc.target) {
            DEAD => None,
            UNSEEN if !sets.is_subset(arc.marks, self.collected) => Some(2),
            UNSEEN => Some(LAST),
            _ if self.ways.at(arc.target.index()) & ON_STACK != 0 => Some(0),
            _ => Some(1),
        }
    }

    fn is_settled(&self, arc: Arc) -> bool {
        self.components.is_settled(arc)
    }
}
