//! What is left of a language when sets of words have been subtracted, one after the other.
//!
//! Level 0 is the automaton that one starts with. Each next level is the one below, intersected with the complement of
//! one more set of words (a [`Layer`]): a node is a node of the level below and a state of the layer. Everything is made
//! on demand and kept, so a new level starts from what the one below has explored.
//!
//! Reduction between rounds: a node from which a search has found no accepting lasso is *dead*, and since every
//! level has fewer words than the one below, so is every node above it. Arcs to dead nodes are left out of the next level.

use super::words::{Layer, LetterId, Read, WordStateId};
use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::graph::{Arc, Graph, GraphPath, Hop, NodeId};
use crate::session::Halt;
use crate::verdict::Unknown;
use lariat_base::{Id as _, Interner, Stop};
use lariat_expr::TermId;
use std::rc::Rc;

/// The automaton that words are subtracted from. Its places are numbered.
pub(crate) trait Ground {
    /// The arcs that words start with.
    fn start(&mut self) -> Result<Vec<GroundArc>, Halt>;
    /// The arcs that leave a place.
    fn arcs(&mut self, place: usize) -> Result<Vec<GroundArc>, Halt>;
    /// Whether reachability searches look for a place.
    fn is_goal(&self, place: usize) -> bool;
    /// Which cycles are accepting, those of the layers included.
    fn acceptance(&self) -> &Acceptance;
    /// The sets of marks that arcs carry.
    fn mark_sets(&mut self) -> &mut MarkSets;
    /// That both are true; nothing says nothing.
    fn both(&mut self, one: Option<TermId>, other: Option<TermId>) -> Option<TermId>;
    /// What is always true.
    fn always(&self) -> TermId;
}

/// An arc of the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroundArc {
    pub letter: LetterId,
    pub target: usize,
    pub marks: MarkSetId,
}

/// An arc of a level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftArc {
    pub letter: LetterId,
    pub arc: Arc,
}

/// The remaining language as a graph: that of the last level.
pub(crate) struct Left<W> {
    pub world: W,
    levels: Vec<Level<W>>,
    /// What ended the exploration, if it was no limit.
    pub failure: Option<Halt>,
}

/// One level.
struct Level<W> {
    /// Nothing on level 0.
    layer: Option<Box<dyn Layer<W>>>,
    /// A node below (on level 0: a place), and a state of the layer.
    nodes: Interner<NodeId, (usize, WordStateId)>,
    /// What is known in each node.
    known: Vec<Option<TermId>>,
    start: Option<Row>,
    rows: Vec<Option<Row>>,
    dead: Vec<bool>,
}

type Row = Rc<[LeftArc]>;

impl<W: Ground> Level<W> {
    fn new(layer: Option<Box<dyn Layer<W>>>) -> Self {
        Self {
            layer,
            nodes: Interner::new(),
            known: Vec::new(),
            start: None,
            rows: Vec::new(),
            dead: Vec::new(),
        }
    }

    fn row(&self, from: Option<NodeId>) -> Option<&Row> {
        match from {
            None => self.start.as_ref(),
            Some(node) => self.rows[node.index()].as_ref(),
        }
    }

    fn set_row(&mut self, from: Option<NodeId>, row: Vec<LeftArc>) {
        let row: Row = row.into();
        match from {
            None => self.start = Some(row),
            Some(node) => self.rows[node.index()] = Some(row),
        }
    }

    /// The node of a node below, of which something is known, and a state.
    fn node(
        &mut self,
        world: &mut W,
        (below, known): (usize, Option<TermId>),
        state: WordStateId,
    ) -> NodeId {
        let node = self.nodes.intern((below, state));
        if node.index() == self.rows.len() {
            let says = self.layer.as_ref().and_then(|layer| layer.says(state));
            self.known.push(world.both(known, says));
            self.rows.push(None);
            self.dead.push(false);
        }
        node
    }
}

impl<W: Ground> Left<W> {
    /// Everything.
    pub fn new(world: W) -> Self {
        Self {
            world,
            levels: vec![Level::new(None)],
            failure: None,
        }
    }

    /// Subtracts what `layer` does not accept.
    pub fn subtract(&mut self, layer: Box<dyn Layer<W>>) {
        self.levels.push(Level::new(Some(layer)));
    }

    /// How many sets were subtracted.
    pub fn n_layers(&self) -> usize {
        self.levels.len() - 1
    }

    /// How many nodes the last level has, as far as it is explored.
    pub fn n_nodes(&self) -> usize {
        self.top().nodes.len()
    }

    fn top(&self) -> &Level<W> {
        self.levels.last().expect("there is the ground")
    }

    /// Keeps in mind from which nodes of the last level no accepting lasso can be reached.
    pub fn settle(&mut self, is_dead: impl Fn(NodeId) -> bool) {
        let top = self.levels.last_mut().expect("there is the ground");
        for (index, dead) in top.dead.iter_mut().enumerate() {
            *dead |= is_dead(NodeId::from_index(index));
        }
    }

    /// The place of a node of the last level.
    pub fn place(&self, node: NodeId) -> usize {
        let mut at = node;
        for level in self.levels.iter().rev() {
            at = NodeId::from_index(level.nodes[at].0);
        }
        at.index()
    }

    /// What is known in a node of the last level.
    pub fn known(&self, node: Option<NodeId>) -> TermId {
        let known = node.and_then(|node| self.top().known[node.index()]);
        known.unwrap_or_else(|| self.world.always())
    }

    /// The arcs of an explored node of the last level, or those that words start with.
    pub fn explored(&self, from: Option<NodeId>) -> &[LeftArc] {
        self.top().row(from).map_or(&[], |row| &row[..])
    }

    /// The letters along a path from the start, each with its source.
    pub fn path(&self, path: &GraphPath) -> Vec<(Option<NodeId>, LetterId)> {
        let start = self.explored(None).iter();
        let mut start = start.filter(|one| one.arc.target == path.start);
        let first = start.next().expect("a path starts at an initial node");
        let mut letters = vec![(None, first.letter)];
        letters.extend(self.hops(&path.hops));
        letters
    }

    /// The letters along some hops, each with its source.
    pub fn hops(&self, hops: &[Hop]) -> Vec<(Option<NodeId>, LetterId)> {
        let letter = |hop: &Hop| self.explored(Some(hop.from))[hop.index].letter;
        hops.iter()
            .map(|hop| (Some(hop.from), letter(hop)))
            .collect()
    }

    /// The arcs of a node of the last level, or those that words start with; made if they are not there yet, on the
    /// levels below first.
    fn row(&mut self, from: Option<NodeId>) -> Result<Row, Halt> {
        let (mut level, mut at) = (self.levels.len() - 1, from);
        let mut missing = Vec::new();
        while self.levels[level].row(at).is_none() {
            missing.push((level, at));
            if level == 0 {
                break;
            }
            at = at.map(|node| NodeId::from_index(self.levels[level].nodes[node].0));
            level -= 1;
        }
        while let Some((level, at)) = missing.pop() {
            let row = if level == 0 {
                self.ground_row(at)?
            } else {
                self.level_row(level, at)?
            };
            self.levels[level].set_row(at, row);
        }
        let row = self.top().row(from).expect("it has just been made");
        Ok(Rc::clone(row))
    }

    fn ground_row(&mut self, from: Option<NodeId>) -> Result<Vec<LeftArc>, Halt> {
        let ground = &mut self.levels[0];
        let arcs = match from {
            None => self.world.start()?,
            Some(node) => self.world.arcs(ground.nodes[node].0)?,
        };
        let only = WordStateId::from_index(0);
        let mut row = Vec::new();
        for GroundArc {
            letter,
            target,
            marks,
        } in arcs
        {
            let target = ground.node(&mut self.world, (target, None), only);
            row.push(LeftArc {
                letter,
                arc: Arc { target, marks },
            });
        }
        Ok(row)
    }

    /// The arcs of a node, from those of the node below.
    fn level_row(&mut self, level: usize, from: Option<NodeId>) -> Result<Vec<LeftArc>, Halt> {
        let (lower, upper) = self.levels.split_at_mut(level);
        let (below, here) = (&lower[level - 1], &mut upper[0]);
        let layer = here.layer.as_mut().expect("only the ground has none");
        let (node_below, states) = match from {
            None => (None, layer.initial()),
            Some(node) => {
                let (below, state) = here.nodes[node];
                (Some(NodeId::from_index(below)), vec![state])
            }
        };
        let known = node_below.and_then(|node| below.known[node.index()]);
        let known = known.unwrap_or_else(|| self.world.always());
        let arcs = below.row(node_below).expect("rows below come first");
        let (mut row, mut steps) = (Vec::new(), Vec::new());
        for LeftArc { letter, arc } in arcs.iter().copied() {
            if below.dead[arc.target.index()] {
                continue;
            }
            steps.clear();
            let layer = here.layer.as_mut().expect("only the ground has none");
            for &state in &states {
                layer.step(&mut self.world, state, Read { letter, known }, &mut steps)?;
            }
            let target = (arc.target.index(), below.known[arc.target.index()]);
            for step in &steps {
                let marks = self.world.mark_sets().union(arc.marks, step.marks);
                let target = here.node(&mut self.world, target, step.state);
                row.push(LeftArc {
                    letter: step.letter,
                    arc: Arc { target, marks },
                });
            }
        }
        Ok(row)
    }

    /// Keeps what ended the exploration; the search only learns that it must stop.
    fn fail(&mut self, halt: Halt) -> Stop {
        let stop = match &halt.0 {
            Unknown::Stopped(stop) => *stop,
            _ => Stop::Cancelled,
        };
        self.failure = Some(halt);
        stop
    }
}

impl<W: Ground> Graph for Left<W> {
    fn acceptance(&self) -> &Acceptance {
        self.world.acceptance()
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        self.world.mark_sets()
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        let row = self.row(None).map_err(|halt| self.fail(halt))?;
        for LeftArc { arc, .. } in &*row {
            if !out.contains(&arc.target) {
                out.push(arc.target);
            }
        }
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let row = self.row(Some(node)).map_err(|halt| self.fail(halt))?;
        out.extend(row.iter().map(|one| one.arc));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        Ok(self.world.is_goal(self.place(node)))
    }
}
