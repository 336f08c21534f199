//! Nested depth-first search: a blue search finds accepting arcs, red ones look for the way back.
//!
//! The blue search treats every accepting arc `s → t` as a node of its own between `s` and `t`.
//! When that node is finished (after `t` is: *post-order*), a red search starts at `t`. It looks for
//! any node that is still on the blue stack, since each of those leads to `s` and so through the arc.
//! Red nodes stay red: a later red search need not enter them.
//!
//! Two ways to get this wrong are in print. Starting the red search before the blue successors are
//! finished leaves nodes red that a later seed needs: cycles are missed. Seeding with the *target*
//! of the arc accepts every cycle through the target, whether it takes the arc or not.
//!
//! Courcoubetis, Vardi, Wolper, Yannakakis, "Memory-efficient algorithms…" (FMSD 1992); the stack
//! test is Schwoon and Esparza's (TACAS 2005). Generalized acceptance is removed on the fly: a node
//! is paired with the number of marks it has collected in order, and the arc that collects the last
//! is the accepting one. Rejected: one red search per mark, which needs them to be repeatable.

use super::stack::{Guide, LAST, Stack, WindowSize};
use super::{EmptinessCheck, Pages, Ticker, buchi_only, require_support};
use crate::{
    Acceptance, Arc, Graph, GraphLasso, GraphPath, Hop, Mark, MarkSetId, MarkSets, NodeId,
    Unsupported,
};
use lariat_base::{Budget, Id, Stop};

const BLUE: u8 = 1;
/// On the blue stack.
const CYAN: u8 = 2;
const RED: u8 = 4;
/// Entered by an accepting arc.
const SEED: u8 = 8;

/// Nested depth-first search.
#[derive(Debug)]
pub struct Ndfs {
    colors: Pages<u8>,
    n_levels: usize,
    blue: Stack,
    red: Stack,
}

impl Default for Ndfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Ndfs {
    /// A search that has not started.
    pub fn new() -> Self {
        let stack = || Stack::new(WindowSize::WIDE);
        Self::with_stacks(stack(), stack())
    }

    /// A search that keeps few pending arcs, to test that dropping them is harmless.
    pub(super) fn with_stacks(blue: Stack, red: Stack) -> Self {
        Self {
            colors: Pages::new(),
            n_levels: 1,
            blue,
            red,
        }
    }

    fn has(&self, node: NodeId, color: u8) -> bool {
        has(&self.colors, node, color)
    }

    fn paint(&mut self, node: NodeId, color: u8) {
        *self.colors.grow_to(node.index(), 0) |= color;
    }

    fn explore(
        &mut self,
        graph: &mut Levels<'_>,
        start: NodeId,
        budget: &Budget,
        ticker: &mut Ticker,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.enter_blue(graph, start, 0)?;
        while let Some(top) = self.blue.top() {
            ticker.tick(budget)?;
            // The target of an accepting arc whose blue search is over.
            let guide = Painted(&self.colors, BLUE);
            let seed = match self.blue.next(graph, &guide)? {
                Some(arc) if !self.has(arc.target, BLUE) => {
                    let seed = if is_accepting(arc) { SEED } else { 0 };
                    self.enter_blue(graph, arc.target, seed)?;
                    None
                }
                Some(arc) => is_accepting(arc).then_some(arc.target),
                None => {
                    self.blue.pop();
                    *self.colors.at_mut(top.index()) &= !CYAN;
                    self.has(top, SEED).then_some(top)
                }
            };
            let Some(target) = seed else { continue };
            if let Some(back) = self.way_back(graph, target, budget, ticker)? {
                return Ok(Some(self.lasso(target, back)));
            }
        }
        Ok(None)
    }

    fn enter_blue(&mut self, graph: &mut Levels<'_>, node: NodeId, seed: u8) -> Result<(), Stop> {
        self.paint(node, BLUE | CYAN | seed);
        let guide = Painted(&self.colors, BLUE);
        self.blue.push(graph, node, &guide)
    }

    fn enter_red(&mut self, graph: &mut Levels<'_>, node: NodeId) -> Result<(), Stop> {
        self.paint(node, RED);
        let guide = Painted(&self.colors, CYAN | RED);
        self.red.push(graph, node, &guide)
    }

    /// A path from `from` to a node of the blue stack through nodes that are not red.
    fn way_back(
        &mut self,
        graph: &mut Levels<'_>,
        from: NodeId,
        budget: &Budget,
        ticker: &mut Ticker,
    ) -> Result<Option<Vec<Hop>>, Stop> {
        if self.has(from, CYAN) {
            return Ok(Some(Vec::new()));
        }
        if self.has(from, RED) {
            return Ok(None);
        }
        self.red.clear();
        self.enter_red(graph, from)?;
        while let Some(top) = self.red.top() {
            ticker.tick(budget)?;
            let guide = Painted(&self.colors, CYAN | RED);
            let Some(arc) = self.red.next(graph, &guide)? else {
                self.red.pop();
                continue;
            };
            if self.has(arc.target, CYAN) {
                let last = Hop {
                    from: top,
                    index: self.red.taken() as usize,
                    to: arc.target,
                };
                let mut hops = self.red.hops(0, self.red.len() - 1);
                hops.push(last);
                return Ok(Some(hops));
            }
            if !self.has(arc.target, RED) {
                self.enter_red(graph, arc.target)?;
            }
        }
        Ok(None)
    }

    /// The lasso of the top frame's accepting arc to `target` and the way from there to the stack.
    fn lasso(&self, target: NodeId, back: Vec<Hop>) -> GraphLasso {
        let honda = back.last().map_or(target, |hop| hop.to);
        let (at, top) = (self.blue.position(honda), self.blue.len() - 1);
        let mut cycle = self.blue.hops(at, top);
        cycle.push(Hop {
            from: self.blue.node(top),
            index: self.blue.taken() as usize,
            to: target,
        });
        cycle.extend(back);
        let node = |node: NodeId| NodeId::from_index(node.index() / self.n_levels);
        let plain = |hops: Vec<Hop>| {
            let plain = |hop: Hop| Hop {
                from: node(hop.from),
                index: hop.index,
                to: node(hop.to),
            };
            hops.into_iter().map(plain).collect()
        };
        let stem = self.blue.path(at);
        GraphLasso {
            stem: GraphPath {
                start: node(stem.start),
                hops: plain(stem.hops),
            },
            cycle: plain(cycle),
        }
    }
}

impl EmptinessCheck for Ndfs {
    fn supports(&self, acceptance: &Acceptance) -> Result<(), Unsupported> {
        buchi_only(acceptance)
    }

    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        require_support(self, graph);
        let mut graph = Levels::new(graph);
        self.colors = Pages::new();
        self.n_levels = graph.n_levels();
        self.blue.clear();
        let (mut starts, mut ticker) = (Vec::new(), Ticker::default());
        graph.initial(&mut starts)?;
        for start in starts {
            if !self.has(start, BLUE) {
                let found = self.explore(&mut graph, start, budget, &mut ticker)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }

    fn is_explored(&self, node: NodeId) -> bool {
        let first = node.index() * self.n_levels;
        (first..first + self.n_levels).any(|i| self.has(NodeId::from_index(i), BLUE))
    }
}

fn has(colors: &Pages<u8>, node: NodeId, color: u8) -> bool {
    colors
        .get(node.index())
        .is_some_and(|colors| colors & color != 0)
}

/// Tries first what leads to nodes with one of these colors: that needs no descent.
struct Painted<'a>(&'a Pages<u8>, u8);

impl Guide for Painted<'_> {
    fn rank(&self, _sets: &MarkSets, arc: Arc) -> Option<u8> {
        Some(if has(self.0, arc.target, self.1) {
            0
        } else {
            LAST
        })
    }

    /// Accepting arcs are seeds even if their target was visited meanwhile.
    fn is_settled(&self, arc: Arc) -> bool {
        !is_accepting(arc) && has(self.0, arc.target, self.1)
    }
}

/// A graph with one mark instead of any number: node `n` at level `l` is `n * n_levels + l`.
///
/// Level `l` waits for mark `l`. An arc climbs as many levels as it has the marks for; the arc that
/// passes the last one is accepting and starts again from the bottom. Arcs keep their positions.
struct Levels<'a> {
    graph: &'a mut dyn Graph,
    /// The marks in the order in which they are collected.
    marks: Vec<Mark>,
    /// What its own arcs carry and are accepted for.
    sets: MarkSets,
    acceptance: Acceptance,
    accepting: MarkSetId,
}

/// Whether an arc of [`Levels`] is accepting.
fn is_accepting(arc: Arc) -> bool {
    arc.marks != MarkSetId::EMPTY
}

impl<'a> Levels<'a> {
    fn new(graph: &'a mut dyn Graph) -> Self {
        let (mut sets, mut acceptance) = (MarkSets::new(), Acceptance::new());
        let accepting = sets.of([acceptance.add_buchi()]);
        Self {
            marks: graph.acceptance().buchi().to_vec(),
            graph,
            sets,
            acceptance,
            accepting,
        }
    }

    fn n_levels(&self) -> usize {
        self.marks.len().max(1)
    }
}

impl Graph for Levels<'_> {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        let (start, n) = (out.len(), self.n_levels());
        self.graph.initial(out)?;
        for node in &mut out[start..] {
            *node = NodeId::from_index(node.index() * n);
        }
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let (start, n) = (out.len(), self.n_levels());
        let plain = NodeId::from_index(node.index() / n);
        let from = node.index() % n;
        self.graph.successors(plain, out)?;
        let sets = &*self.graph.mark_sets();
        for arc in &mut out[start..] {
            let wanted = self.marks.iter().skip(from);
            let has = |mark: &&Mark| sets.contains(arc.marks, **mark);
            let level = from + wanted.take_while(has).count();
            let (level, marks) = if level == self.marks.len() {
                (0, self.accepting)
            } else {
                (level, MarkSetId::EMPTY)
            };
            *arc = Arc {
                target: NodeId::from_index(arc.target.index() * n + level),
                marks,
            };
        }
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        let n = self.n_levels();
        self.graph.is_goal(NodeId::from_index(node.index() / n))
    }
}
