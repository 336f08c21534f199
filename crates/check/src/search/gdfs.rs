//! Guided depth-first search: one search that collects acceptance on its stack and steers back to it.
//!
//! The idea of the guided search is to find a lasso during one descent. Every node on the stack has a
//! *counter* of the marks collected in order on the way to it. An arc to a stack node (a possible
//! *honda*) whose counter lies a full round of marks behind closes an accepting lasso at once. Arcs
//! are tried in the order that makes this likely: first those that lead back to the stack, then those
//! into nodes that are known to lead back, then those that carry the mark wanted next.
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

use super::cycle::accepting_cycle;
use super::scc::{Components, DEAD, UNSEEN};
use super::stack::{Guide, Offer, Stack};
use super::{EmptinessCheck, Pages, Ticker};
use crate::{Arc, Graph, GraphLasso, Hop, NodeId};
use lariat_base::{Budget, Id, Stop};

/// The way of a node that is on the stack: it is there already.
const HERE: u32 = u32::MAX;

/// Guided depth-first search.
#[derive(Debug)]
pub struct Gdfs {
    components: Components,
    stack: Stack,
    /// What is known of each stack node.
    descent: Pages<Descent>,
    /// By node, which arc leads back; meaningful while the node is open.
    ways: Pages<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Descent {
    /// How many marks were collected in order on the way here.
    counter: u32,
    /// The least number that a descent from here led to.
    low: u32,
    /// The arc by which it did.
    way: u32,
}

impl Default for Gdfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Gdfs {
    /// A search that has not started.
    pub fn new() -> Self {
        Self::with_stack(Stack::new())
    }

    /// A search that keeps few pending arcs, to test that dropping them is harmless.
    pub(super) fn with_stack(stack: Stack) -> Self {
        Self {
            components: Components::default(),
            stack,
            descent: Pages::new(),
            ways: Pages::new(),
        }
    }

    fn explore(
        &mut self,
        graph: &mut dyn Graph,
        rounds: &Rounds,
        start: NodeId,
        run: &mut Run<'_>,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.enter(graph, rounds, start, 0, 0)?;
        while let Some(top) = self.stack.top() {
            run.ticker.tick(run.budget)?;
            let here = self.descent.last().expect("a stack node has its descent");
            let guide = Homeward {
                components: &self.components,
                ways: &self.ways,
                wanted: rounds.wanted(here.counter),
            };
            let Some(arc) = self.stack.next(graph, &guide)? else {
                self.leave(top);
                continue;
            };
            let counter = rounds.after(here.counter, arc.marks);
            match self.components.number(arc.target) {
                UNSEEN => self.enter(graph, rounds, arc.target, arc.marks, counter)?,
                DEAD => {}
                number => {
                    self.lower(number, self.stack.taken());
                    let marks = self.components.fuse(number, arc);
                    if rounds.is_full(marks) {
                        return self.lasso(graph, rounds, arc, run.budget).map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(
        &mut self,
        graph: &mut dyn Graph,
        rounds: &Rounds,
        node: NodeId,
        marks: u64,
        counter: u32,
    ) -> Result<(), Stop> {
        self.components.enter(node, marks);
        *self.ways.grow_to(node.index(), HERE) = HERE;
        self.descent.push(Descent {
            counter,
            low: self.components.number(node),
            way: HERE,
        });
        let guide = Homeward {
            components: &self.components,
            ways: &self.ways,
            wanted: rounds.wanted(counter),
        };
        self.stack.push(graph, node, &guide)
    }

    fn leave(&mut self, node: NodeId) {
        self.stack.pop();
        let left = self.descent.pop().expect("a stack node has its descent");
        *self.ways.at_mut(node.index()) = left.way;
        self.components.leave(node);
        if self.stack.top().is_some() {
            self.lower(left.low, self.stack.taken());
        }
    }

    /// The descent from the top node led to this number by its arc `way`.
    fn lower(&mut self, number: u32, way: u32) {
        let here = self
            .descent
            .last_mut()
            .expect("a stack node has its descent");
        if number < here.low {
            here.low = number;
            here.way = way;
        }
    }

    /// A lasso in the topmost component, which `last` has just given all marks.
    fn lasso(
        &self,
        graph: &mut dyn Graph,
        rounds: &Rounds,
        last: Arc,
        budget: &Budget,
    ) -> Result<GraphLasso, Stop> {
        let top = self.stack.len() - 1;
        let mut back = vec![Hop {
            from: self.stack.node(top),
            index: self.stack.taken() as usize,
            to: last.target,
        }];
        let (mut honda, mut arcs) = (last.target, Vec::new());
        loop {
            let way = self.ways.at(honda.index());
            if way == HERE {
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
        let collected = rounds.after(self.descent.at(top).counter, last.marks);
        let early = collected - self.descent.at(at).counter >= rounds.n_marks();
        if early || rounds.is_full(marks_of(graph, &cycle)?) {
            return Ok(GraphLasso { stem, cycle });
        }
        // The component has all marks, but not on one descent.
        let root = self.components.top_root();
        let inside = |node| self.components.is_open_above(node, root);
        let cycle = accepting_cycle(graph, honda, &inside, budget)?
            .expect("a component with all marks has an accepting cycle through each node");
        Ok(GraphLasso { stem, cycle })
    }
}

impl EmptinessCheck for Gdfs {
    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.components = Components::default();
        self.stack.clear();
        self.descent = Pages::new();
        self.ways = Pages::new();
        let rounds = Rounds::new(graph.all_marks());
        let mut starts = Vec::new();
        graph.initial(&mut starts)?;
        let mut run = Run {
            budget,
            ticker: Ticker::default(),
        };
        for start in starts {
            if self.components.number(start) == UNSEEN {
                let found = self.explore(graph, &rounds, start, &mut run)?;
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

struct Run<'a> {
    budget: &'a Budget,
    ticker: Ticker,
}

/// The marks in the order in which they are counted, round after round.
struct Rounds {
    all: u64,
    marks: Vec<u64>,
}

impl Rounds {
    fn new(all: u64) -> Self {
        let bits = (0..u64::BITS).map(|bit| 1 << bit);
        Self {
            all,
            marks: bits.filter(|bit| all & bit != 0).collect(),
        }
    }

    fn n_marks(&self) -> u32 {
        self.marks.len() as u32
    }

    fn is_full(&self, marks: u64) -> bool {
        marks & self.all == self.all
    }

    /// The mark that a counter waits for.
    fn wanted(&self, counter: u32) -> u64 {
        match self.marks.len() {
            0 => 0,
            n => self.marks[counter as usize % n],
        }
    }

    /// The counter after an arc with these marks: at most one round more.
    fn after(&self, counter: u32, marks: u64) -> u32 {
        let climbed = (0..self.n_marks()).take_while(|i| marks & self.wanted(counter + i) != 0);
        counter + climbed.count() as u32
    }
}

/// Tries first what closes a cycle, then what collects the mark that is wanted.
struct Homeward<'a> {
    components: &'a Components,
    ways: &'a Pages<u32>,
    wanted: u64,
}

impl Guide for Homeward<'_> {
    fn arrange(&self, offers: &mut Vec<Offer>) {
        offers.retain(|offer| self.components.number(offer.arc.target) != DEAD);
        offers.sort_by_key(|offer| {
            let target = offer.arc.target;
            match self.components.number(target) {
                UNSEEN if offer.arc.marks & self.wanted != 0 => 2,
                UNSEEN => 3,
                _ if self.ways.at(target.index()) == HERE => 0,
                _ => 1,
            }
        });
    }

    fn is_settled(&self, arc: Arc) -> bool {
        self.components.is_settled(arc)
    }
}

fn marks_of(graph: &mut dyn Graph, hops: &[Hop]) -> Result<u64, Stop> {
    let (mut marks, mut arcs) = (0, Vec::new());
    for hop in hops {
        arcs.clear();
        graph.successors(hop.from, &mut arcs)?;
        marks |= arcs[hop.index].marks;
    }
    Ok(marks)
}
