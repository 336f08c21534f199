//! Breadth first, layer by layer, looking for lassos in what has been explored whenever that has doubled.
//!
//! A depth-first search in a graph without end, or one too large to be explored, dives into one corner of it and may
//! miss for ever what lies beside its start. Here everything near the start is explored first. The arcs are
//! kept, so that each look for a lasso (by [`Scc`]) computes no successor again; because the graph
//! doubles between two looks, all looks together cost little more than the last one.
//!
//! Rejected: deepening a depth-first search step by step. A node that is first met at the bound is not expanded
//! when it is met again above it.

use super::{EmptinessCheck, Pages, Scc, Ticker};
use crate::{Acceptance, Arc, Graph, GraphLasso, MarkSets, NodeId, Unsupported};
use lariat_base::{Budget, Id, Stop};

/// After so many expanded nodes there is the first look.
const FIRST_LOOK: usize = 512;

/// The search by layers.
#[derive(Debug)]
pub struct Layers {
    explored: Explored,
    first_look: usize,
}

impl Default for Layers {
    fn default() -> Self {
        Self::new()
    }
}

impl Layers {
    /// A search that has not started.
    pub fn new() -> Self {
        Self::with_first_look(FIRST_LOOK)
    }

    /// A search that looks early, to test that a part of a graph is enough.
    pub(super) fn with_first_look(first_look: usize) -> Self {
        Self {
            explored: Explored::default(),
            first_look,
        }
    }
}

impl EmptinessCheck for Layers {
    fn supports(&self, acceptance: &Acceptance) -> Result<(), Unsupported> {
        Scc::new().supports(acceptance)
    }

    fn search(
        &mut self,
        graph: &mut dyn Graph,
        budget: &Budget,
    ) -> Result<Option<GraphLasso>, Stop> {
        self.explored = Explored::start(graph)?;
        let (mut ticker, mut next_look) = (Ticker::default(), self.first_look);
        loop {
            while self.explored.n_expanded() < next_look && self.explored.expand_next(graph)? {
                ticker.tick(budget)?;
            }
            std::mem::swap(&mut self.explored.sets, graph.mark_sets());
            let found = Scc::new().search(&mut self.explored, budget);
            std::mem::swap(&mut self.explored.sets, graph.mark_sets());
            let found = found?;
            if found.is_some() || self.explored.is_complete() {
                return Ok(found);
            }
            next_look *= 2;
        }
    }

    fn is_explored(&self, node: NodeId) -> bool {
        self.explored.row(node).is_some()
    }
}

/// A part of a graph: nodes that were not expanded have no arcs.
#[derive(Debug)]
struct Explored {
    acceptance: Acceptance,
    /// Those of the graph, while a search looks for lassos here.
    sets: MarkSets,
    starts: Vec<NodeId>,
    /// The nodes in the order they were met; the first ones are expanded.
    order: Pages<NodeId>,
    /// By node, its place in that order plus one; zero if it was not met.
    places: Pages<u32>,
    /// Where the arcs of each expanded node end, in that order.
    ends: Pages<u32>,
    arcs: Pages<Arc>,
    /// The arcs of one node.
    found: Vec<Arc>,
}

impl Default for Explored {
    fn default() -> Self {
        Self {
            acceptance: Acceptance::new(),
            sets: MarkSets::new(),
            starts: Vec::new(),
            order: Pages::new(),
            places: Pages::new(),
            ends: Pages::new(),
            arcs: Pages::new(),
            found: Vec::new(),
        }
    }
}

impl Explored {
    /// The initial nodes of a graph.
    fn start(graph: &mut dyn Graph) -> Result<Self, Stop> {
        let mut explored = Self {
            acceptance: graph.acceptance().clone(),
            ..Self::default()
        };
        let mut starts = Vec::new();
        graph.initial(&mut starts)?;
        for &node in &starts {
            explored.meet(node);
        }
        explored.starts = starts;
        Ok(explored)
    }

    fn n_expanded(&self) -> usize {
        self.ends.len()
    }

    fn is_complete(&self) -> bool {
        self.n_expanded() == self.order.len()
    }

    fn meet(&mut self, node: NodeId) {
        let place = self.places.grow_to(node.index(), 0);
        if *place == 0 {
            self.order.push(node);
            *place = self.order.len() as u32;
        }
    }

    /// Expands the next node, if there is one.
    fn expand_next(&mut self, graph: &mut dyn Graph) -> Result<bool, Stop> {
        let Some(node) = self.order.get(self.n_expanded()) else {
            return Ok(false);
        };
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        graph.successors(node, &mut found)?;
        for &arc in &found {
            self.meet(arc.target);
            self.arcs.push(arc);
        }
        self.ends.push(self.arcs.len() as u32);
        self.found = found;
        Ok(true)
    }

    /// The arcs of a node, if it was expanded.
    fn row(&self, node: NodeId) -> Option<std::ops::Range<usize>> {
        let place = self.places.get(node.index())?.checked_sub(1)? as usize;
        let end = self.ends.get(place)?;
        let start = place
            .checked_sub(1)
            .map_or(0, |before| self.ends.at(before));
        Some(start as usize..end as usize)
    }
}

impl Graph for Explored {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        out.extend(&self.starts);
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let row = self.row(node).unwrap_or_default();
        out.extend(row.map(|i| self.arcs.at(i)));
        Ok(())
    }

    fn is_goal(&mut self, _node: NodeId) -> Result<bool, Stop> {
        Ok(false)
    }
}
