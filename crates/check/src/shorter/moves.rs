//! The graph that the steps of a run span: each step may be made wherever the system is at the same place.
//!
//! The run itself is in the graph from the start, so that a search always finds it, also when there is no work left to try
//! its steps elsewhere. Nodes as far from the start as the run is long are not left otherwise: no shorter run leads there.

use super::Trail;
use super::walker::Walker;
use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::problem::{Bad, Goal};
use crate::reader::Reader;
use crate::search::{EmptinessCheck as _, Layers, Reach, shorten};
use crate::{Arc, Graph, GraphPath, Hop, NodeId};
use lariat_base::{Budget, FxHashMap, Id, Stop};
use lariat_ltl::StateId;
use lariat_system::{Decision, LocId, PointId, State, Step};

/// A shortest run to a bad state, or a short lasso, by steps of `trail`.
pub(super) fn shortest(walker: &mut Walker<'_>, goal: &Goal, trail: &Trail) -> Option<Trail> {
    let mut moves = Moves::new(walker, goal, trail);
    // Work is counted by whoever executes steps.
    let budget = Budget::unlimited();
    let (path, cycle) = match trail.honda {
        None => (Reach::Bfs.search(&mut moves, &budget).ok()??, Vec::new()),
        Some(_) => {
            let mut search = Layers::new();
            let lasso = search.search(&mut moves, &budget).ok()??;
            let is_explored = |node| search.is_explored(node);
            let lasso = shorten(&mut moves, lasso, &is_explored, &budget).ok()?;
            (lasso.stem, lasso.cycle)
        }
    };
    let honda = path.hops.len();
    let steps = moves.steps(&path, &cycle)?;
    Some(Trail {
        steps,
        honda: trail.honda.map(|_| honda),
    })
}

/// A step that may be made at a place.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Move {
    edge: usize,
    decisions: Vec<Decision>,
}

/// What a move does at one state.
#[derive(Clone, Copy)]
struct Made {
    /// Which of the moves at its place it is.
    index: usize,
    /// The number of the state after it.
    to: usize,
    observed: bool,
}

impl Made {
    fn leads(self, to: usize, observed: bool) -> bool {
        (self.to, self.observed) == (to, observed)
    }
}

struct Moves<'w, 'a> {
    walker: &'w mut Walker<'a>,
    reader: Option<Reader>,
    acceptance: Acceptance,
    sets: MarkSets,
    bad: Vec<(usize, LocId)>,
    /// By place, what the run did there, in its order; `None` is the start.
    pool: FxHashMap<Option<PointId>, Vec<Move>>,
    states: Vec<State>,
    /// By state, its letter if it was read.
    letters: Vec<Option<u64>>,
    numbers: FxHashMap<State, usize>,
    /// What the run itself does at a state, or at the start.
    own: FxHashMap<Option<usize>, Vec<Made>>,
    /// What was found out that moves do at a state.
    made: FxHashMap<Option<usize>, Vec<Made>>,
    /// The state and the reader's state of each node, and how far it is from the start.
    nodes: Vec<(usize, StateId, usize)>,
    ids: FxHashMap<(usize, StateId), NodeId>,
    /// How long the run is.
    length: usize,
}

/// The reader's state where there is no reader.
const NO_READER: usize = 0;

impl<'w, 'a> Moves<'w, 'a> {
    fn new(walker: &'w mut Walker<'a>, goal: &Goal, trail: &Trail) -> Self {
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let fairness = walker.system.fairness();
        let reader = Reader::new(goal, fairness, &mut acceptance, &mut sets);
        let mut moves = Self {
            walker,
            reader,
            acceptance,
            sets,
            bad: match goal {
                Goal::Reach(Bad { at, .. }) => at.clone(),
                Goal::Accept { .. } => Vec::new(),
            },
            pool: FxHashMap::default(),
            states: Vec::new(),
            letters: Vec::new(),
            numbers: FxHashMap::default(),
            own: FxHashMap::default(),
            made: FxHashMap::default(),
            nodes: Vec::new(),
            ids: FxHashMap::default(),
            length: trail.steps.len(),
        };
        moves.follow(trail);
        moves
    }

    /// Takes up what a run does.
    fn follow(&mut self, trail: &Trail) {
        let mut known: FxHashMap<(Option<PointId>, Move), usize> = FxHashMap::default();
        let mut before: Option<usize> = None;
        for step in &trail.steps {
            let at = before.map(|state| self.states[state].loc);
            let row = self.walker.row(at);
            let pool = self.pool.entry(at).or_default();
            let own = Move {
                edge: step.edge,
                decisions: step.decisions.clone(),
            };
            let index = *known.entry((at, own.clone())).or_insert_with(|| {
                pool.push(own);
                pool.len() - 1
            });
            let to = self.number(step.state.clone());
            let observed = row[step.edge].observed;
            let own = self.own.entry(before).or_default();
            if !own.iter().any(|made| made.leads(to, observed)) {
                own.push(Made {
                    index,
                    to,
                    observed,
                });
            }
            before = Some(to);
        }
    }

    fn number(&mut self, state: State) -> usize {
        let new = self.states.len();
        let number = *self.numbers.entry(state.clone()).or_insert(new);
        if number == new {
            self.states.push(state);
            self.letters.push(None);
        }
        number
    }

    /// What can be done at a state, the run's own steps first.
    fn made(&mut self, from: Option<usize>, depth: usize) -> Vec<Made> {
        if let Some(made) = self.made.get(&from) {
            return made.clone();
        }
        let mut made = self.own.get(&from).cloned().unwrap_or_default();
        let before = from.map(|from| self.states[from].clone());
        let at = before.as_ref().map(|state| state.loc);
        let row = self.walker.row(at);
        if depth < self.length && !self.walker.has_spent(2, 3) {
            let pool = std::mem::take(self.pool.entry(at).or_default());
            for (index, Move { edge, decisions }) in pool.iter().enumerate() {
                let Some(state) = self.walker.execute(before.as_ref(), *edge, decisions) else {
                    continue;
                };
                let (to, observed) = (self.number(state), row[*edge].observed);
                if !made.iter().any(|made| made.leads(to, observed)) {
                    made.push(Made {
                        index,
                        to,
                        observed,
                    });
                }
            }
            self.pool.insert(at, pool);
        }
        self.made.insert(from, made.clone());
        made
    }

    /// Where a node's moves lead, or those of the start, each with the move of the reader.
    fn arcs(&mut self, from: Option<NodeId>) -> Vec<(Made, Arc)> {
        let (state, read, depth) = match from {
            None => {
                let start = self.reader.as_ref().map(|r| r.automaton().initial());
                (None, start.unwrap_or(StateId::from_index(NO_READER)), 0)
            }
            Some(node) => {
                let (state, read, depth) = self.nodes[node.index()];
                (Some(state), read, depth + 1)
            }
        };
        let mut arcs = Vec::new();
        for made in self.made(state, depth) {
            for (read, marks) in self.read(read, made) {
                let target = self.node(made.to, read, depth);
                arcs.push((made, Arc { target, marks }));
            }
        }
        arcs
    }

    /// How the reader moves.
    fn read(&mut self, at: StateId, made: Made) -> Vec<(StateId, MarkSetId)> {
        match &self.reader {
            Some(reader) if made.observed => {
                let letter = &mut self.letters[made.to];
                let state = &self.states[made.to];
                let letter = *letter.get_or_insert_with(|| self.walker.letter(state));
                reader.moves(&mut self.sets, at, letter).collect()
            }
            _ => vec![(at, MarkSetId::EMPTY)],
        }
    }

    fn node(&mut self, state: usize, read: StateId, depth: usize) -> NodeId {
        let new = NodeId::from_index(self.nodes.len());
        let node = *self.ids.entry((state, read)).or_insert(new);
        if node == new {
            self.nodes.push((state, read, depth));
        }
        node
    }

    /// The run along a path and then the hops of a cycle.
    fn steps(&mut self, path: &GraphPath, cycle: &[Hop]) -> Option<Vec<Step>> {
        let starts = self.arcs(None);
        let (first, _) = *starts.iter().find(|(_, arc)| arc.target == path.start)?;
        let mut steps = vec![self.step(None, first)];
        for hop in path.hops.iter().chain(cycle) {
            let (made, _) = self.arcs(Some(hop.from))[hop.index];
            let (from, ..) = self.nodes[hop.from.index()];
            steps.push(self.step(Some(from), made));
        }
        Some(steps)
    }

    fn step(&self, from: Option<usize>, made: Made) -> Step {
        let at = from.map(|from| self.states[from].loc);
        let Move { edge, decisions } = self.pool[&at][made.index].clone();
        Step {
            edge,
            decisions,
            state: self.states[made.to].clone(),
        }
    }
}

impl Graph for Moves<'_, '_> {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        out.extend(self.arcs(None).into_iter().map(|(_, arc)| arc.target));
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        out.extend(self.arcs(Some(node)).into_iter().map(|(_, arc)| arc));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        let (state, read, _) = self.nodes[node.index()];
        let reader = self.reader.as_ref();
        if reader.is_some_and(|reader| reader.is_bad(read)) {
            return Ok(true);
        }
        let loc = self.states[state].loc;
        let is_here =
            |&(leaf, bad): &(usize, LocId)| self.walker.system.leaf_location(loc, leaf) == bad;
        Ok(self.bad.iter().any(is_here))
    }
}
