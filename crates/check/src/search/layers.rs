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
use crate::acceptance::MarkSetId;
use crate::{Acceptance, Arc, Graph, GraphLasso, GraphPath, Hop, MarkSets, NodeId, Unsupported};
use lariat_base::{Budget, FxHashSet, Id, Stop};

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
                let found = found.map(|lasso| self.explored.nearest(lasso));
                return Ok(found.map(|lasso| self.explored.in_graph(lasso)));
            }
            // A lasso of so many arcs leaves only nodes that are nearer: those are expanded.
            graph.is_clear_to(self.explored.n_layers);
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
    /// Where each arc stands among the successors of its node: those that repeat another one are left out.
    indices: Pages<u32>,
    known: FxHashSet<(NodeId, MarkSetId)>,
    /// How many whole layers were expanded, by distance from the start, and where the next one ends in the order.
    n_layers: u64,
    layer_end: usize,
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
            indices: Pages::new(),
            known: FxHashSet::default(),
            n_layers: 0,
            layer_end: 0,
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
        explored.layer_end = explored.order.len();
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
        self.known.clear();
        for (index, &arc) in found.iter().enumerate() {
            if self.known.insert((arc.target, arc.marks)) {
                self.meet(arc.target);
                self.arcs.push(arc);
                self.indices.push(index as u32);
            }
        }
        self.ends.push(self.arcs.len() as u32);
        self.found = found;
        if self.n_expanded() == self.layer_end {
            (self.n_layers, self.layer_end) = (self.n_layers + 1, self.order.len());
        }
        Ok(true)
    }

    /// The same lasso, entered where its cycle is nearest to an initial node, by a shortest way. Nodes were met in the order
    /// of their distance, so that the first arc to a node is the last one of a shortest way to it.
    fn nearest(&self, lasso: GraphLasso) -> GraphLasso {
        let on_cycle: FxHashSet<NodeId> = lasso.cycle.iter().map(|hop| hop.from).collect();
        // By place, how it was reached: the place before, and which arc.
        let mut parents: Vec<Option<(usize, usize)>> = vec![None; self.order.len()];
        let mut n_met = self.starts.iter().collect::<FxHashSet<_>>().len();
        let mut honda = (0..n_met).find(|&place| on_cycle.contains(&self.order.at(place)));
        let mut place = 0;
        while honda.is_none() && place < self.n_expanded() {
            let row = self.row(self.order.at(place)).unwrap_or_default();
            for (index, arc) in row.map(|i| self.arcs.at(i)).enumerate() {
                // The next one that is met for the first time is the next in the order.
                if n_met < self.order.len() && self.order.at(n_met) == arc.target {
                    parents[n_met] = Some((place, index));
                    if honda.is_none() && on_cycle.contains(&arc.target) {
                        honda = Some(n_met);
                    }
                    n_met += 1;
                }
            }
            place += 1;
        }
        let Some(honda) = honda else {
            return lasso;
        };
        let (mut at, mut hops) = (honda, Vec::new());
        while let Some((before, index)) = parents[at] {
            hops.push(Hop {
                from: self.order.at(before),
                index,
                to: self.order.at(at),
            });
            at = before;
        }
        hops.reverse();
        let mut cycle = lasso.cycle;
        let honda = self.order.at(honda);
        let first = cycle.iter().position(|hop| hop.from == honda);
        cycle.rotate_left(first.unwrap_or(0));
        let start = self.order.at(at);
        let stem = GraphPath { start, hops };
        GraphLasso { stem, cycle }
    }

    /// A lasso along these arcs as one along the successors of the graph.
    fn in_graph(&self, mut lasso: GraphLasso) -> GraphLasso {
        for hop in lasso.stem.hops.iter_mut().chain(&mut lasso.cycle) {
            let row = self.row(hop.from).expect("a lasso leaves expanded nodes");
            hop.index = self.indices.at(row.start + hop.index) as usize;
        }
        lasso
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
