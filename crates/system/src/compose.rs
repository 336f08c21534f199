//! Composition: several systems of any formalisms as one.
//!
//! The parts share variables by name. A structural state of the composition is one of each part plus
//! a *turn*; a [`Schedule`] says which parts may step at a turn and what turn comes next. Alternation,
//! interleaving and the product of a model with an automaton are schedules; compositions are
//! transition systems, so they nest.

use crate::{Context, Edge, Fairness, Initial, LocId, PointId, StmtId, TransitionSystem, Variable};
use lariat_base::{FxHashMap, Id, Interner};
use lariat_expr::SortId;
use std::fmt;

/// Which part steps next, as an automaton over turns.
pub trait Schedule {
    /// The first turn, after the parts have started together; `observed` says whether that was observed.
    fn start(&self, observed: bool) -> u32;
    /// The parts that may step at `turn`.
    fn sides(&self, turn: u32, out: &mut Vec<usize>);
    /// The turn after `side` stepped at `turn`.
    fn next(&self, turn: u32, side: usize, observed: bool) -> u32;
    /// Whether any part may step at any time, so that it does not matter which of them comes first.
    fn is_free(&self) -> bool {
        false
    }
}

/// The parts step in turn: first, second, …, first again. A part that cannot step blocks the run.
#[derive(Clone, Copy, Debug)]
pub struct Alternate {
    /// How many parts there are.
    pub n_parts: u32,
}

impl Schedule for Alternate {
    fn start(&self, _observed: bool) -> u32 {
        0
    }

    fn sides(&self, turn: u32, out: &mut Vec<usize>) {
        out.push(turn as usize);
    }

    fn next(&self, turn: u32, _side: usize, _observed: bool) -> u32 {
        (turn + 1) % self.n_parts
    }
}

/// Any part may step at any time.
#[derive(Clone, Copy, Debug)]
pub struct Interleave {
    /// How many parts there are.
    pub n_parts: u32,
}

impl Schedule for Interleave {
    fn start(&self, _observed: bool) -> u32 {
        0
    }

    fn sides(&self, _turn: u32, out: &mut Vec<usize>) {
        out.extend(0..self.n_parts as usize);
    }

    fn next(&self, turn: u32, _side: usize, _observed: bool) -> u32 {
        turn
    }

    fn is_free(&self) -> bool {
        true
    }
}

/// The first part is a model, the second reads: it steps after every observed step of the model.
#[derive(Clone, Copy, Debug)]
pub struct Observe;

impl Schedule for Observe {
    fn start(&self, observed: bool) -> u32 {
        u32::from(observed)
    }

    fn sides(&self, turn: u32, out: &mut Vec<usize>) {
        out.push(turn as usize);
    }

    fn next(&self, turn: u32, _side: usize, observed: bool) -> u32 {
        u32::from(turn == 0 && observed)
    }
}

/// Why systems cannot be composed.
#[derive(Clone, PartialEq, Debug)]
pub enum ComposeError {
    /// A shared variable has different sorts.
    Sorts {
        /// The variable in one part.
        first: Variable,
        /// The variable of the same name in another.
        second: Variable,
        /// Both sorts.
        sorts: (SortId, SortId),
    },
    /// A shared variable has different initial values.
    InitialValues {
        /// The variable in one part.
        first: Variable,
        /// The variable of the same name in another.
        second: Variable,
    },
}

impl fmt::Display for ComposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sorts { .. } => write!(f, "a shared variable has different sorts"),
            Self::InitialValues { .. } => {
                write!(f, "a shared variable has different initial values")
            }
        }
    }
}

impl std::error::Error for ComposeError {}

/// A structural state of the composition.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Place {
    locs: Box<[PointId]>,
    turn: u32,
}

/// Several systems as one.
pub struct Composition<'a> {
    parts: Vec<Box<dyn TransitionSystem + 'a>>,
    schedule: Box<dyn Schedule>,
    variables: Vec<Variable>,
    fairness: Vec<Fairness>,
    initial: Initial<PointId>,
    places: Interner<PointId, Place>,
    /// The edges of the places looked at so far.
    edges: FxHashMap<PointId, Row>,
}

/// The edges of a place, and where each comes from: the part and its position among that part's edges.
#[derive(Debug, Default)]
struct Row {
    edges: Vec<Edge<PointId>>,
    origins: Vec<(usize, usize)>,
}

impl<'a> Composition<'a> {
    /// Composes `parts`, of which there is at least one.
    pub fn new(
        cx: &mut Context,
        parts: Vec<Box<dyn TransitionSystem + 'a>>,
        schedule: Box<dyn Schedule>,
    ) -> Result<Self, ComposeError> {
        let variables = merge_variables(cx, &parts)?;
        let fairness = parts.iter().flat_map(|part| part.fairness()).copied();
        let mut composition = Self {
            fairness: fairness.collect(),
            parts,
            schedule,
            variables,
            initial: Initial::new(cx, &[], Vec::new()),
            places: Interner::new(),
            edges: FxHashMap::default(),
        };
        composition.start(cx);
        Ok(composition)
    }

    /// The structural state of each part.
    pub fn locations(&self, at: PointId) -> &[PointId] {
        &self.places[at].locs
    }

    /// The systems that this is composed of, in the order of their turns.
    pub fn parts(&self) -> &[Box<dyn TransitionSystem + 'a>] {
        &self.parts
    }

    /// One of them.
    pub fn part(&mut self, part: usize) -> &mut (dyn TransitionSystem + 'a) {
        &mut *self.parts[part]
    }

    /// All parts start together, in one step: every combination of their initial edges.
    fn start(&mut self, cx: &mut Context) {
        let mut combinations: Vec<Vec<Edge<PointId>>> = vec![Vec::new()];
        for part in &self.parts {
            let branches = part.branches();
            let extended = combinations.iter().flat_map(|combination| {
                let extend = |&branch| combination.iter().copied().chain([branch]).collect();
                branches.iter().map(extend)
            });
            combinations = extended.collect();
        }
        let mut branches = Vec::with_capacity(combinations.len());
        for combination in combinations {
            let stmts: Vec<StmtId> = combination.iter().map(|branch| branch.stmt).collect();
            let observed = combination.iter().any(|branch| branch.observed);
            let locs = combination.iter().map(|branch| branch.target).collect();
            let turn = self.schedule.start(observed);
            let stmt = cx.stmts.seq(&stmts, None);
            let target = self.places.intern(Place { locs, turn });
            branches.push(Edge {
                name: combination.iter().find_map(|branch| branch.name),
                ..Edge::new(stmt, target).observed_if(observed)
            });
        }
        self.initial = Initial::new(cx, &self.variables, branches);
    }

    /// Which part steps in the `index`-th edge of a place, and which of that part's edges it takes.
    pub fn origin(&mut self, at: PointId, index: usize) -> (usize, usize) {
        self.row(at).origins[index]
    }

    /// The turn of a place.
    pub fn turn(&self, at: PointId) -> u32 {
        self.places[at].turn
    }

    fn row(&mut self, at: PointId) -> &Row {
        if !self.edges.contains_key(&at) {
            let row = self.make_row(at);
            self.edges.insert(at, row);
        }
        &self.edges[&at]
    }

    fn make_row(&mut self, at: PointId) -> Row {
        let place = self.places[at].clone();
        let mut sides = Vec::new();
        self.schedule.sides(place.turn, &mut sides);
        let mut row = Row::default();
        for side in sides {
            for (index, &edge) in self.parts[side].edges(place.locs[side]).iter().enumerate() {
                let mut locs = place.locs.clone();
                locs[side] = edge.target;
                let turn = self.schedule.next(place.turn, side, edge.observed);
                let target = self.places.intern(Place { locs, turn });
                row.edges.push(Edge { target, ..edge });
                row.origins.push((side, index));
            }
        }
        row
    }
}

impl TransitionSystem for Composition<'_> {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initial(&self) -> Vec<Edge<PointId>> {
        self.initial.to_vec()
    }

    fn branches(&self) -> Vec<Edge<PointId>> {
        self.initial.branches().to_vec()
    }

    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>> {
        self.row(at).edges.clone()
    }

    fn fairness(&self) -> &[Fairness] {
        &self.fairness
    }

    fn location_name(&self, at: PointId) -> String {
        let place = &self.places[at];
        let names: Vec<String> = self
            .parts
            .iter()
            .zip(&place.locs)
            .map(|(part, &loc)| part.location_name(loc))
            .collect();
        names.join(" | ")
    }

    fn n_leaves(&self) -> usize {
        self.parts.iter().map(|part| part.n_leaves()).sum()
    }

    fn leaf_location(&self, at: PointId, leaf: usize) -> LocId {
        let mut leaf = leaf;
        for (part, &loc) in self.parts.iter().zip(&self.places[at].locs) {
            if leaf < part.n_leaves() {
                return part.leaf_location(loc, leaf);
            }
            leaf -= part.n_leaves();
        }
        panic!("the composition has fewer leaves");
    }

    fn component(&mut self, index: usize) -> Option<&mut dyn TransitionSystem> {
        let part = self.parts.get_mut(index)?;
        Some(&mut **part)
    }

    fn rearranged(&mut self, at: PointId, order: &[usize]) -> Option<PointId> {
        if !self.schedule.is_free() || self.parts.iter().any(|part| part.n_leaves() > 1) {
            return None;
        }
        let Place { locs, turn } = &self.places[at];
        let place = Place {
            locs: order.iter().map(|&part| locs[part]).collect(),
            turn: *turn,
        };
        Some(self.places.intern(place))
    }
}

impl fmt::Debug for Composition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Composition")
            .field("n_parts", &self.parts.len())
            .finish_non_exhaustive()
    }
}

/// The variables of all parts, shared ones once.
fn merge_variables(
    cx: &Context,
    parts: &[Box<dyn TransitionSystem + '_>],
) -> Result<Vec<Variable>, ComposeError> {
    let mut merged: Vec<Variable> = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    for variable in parts.iter().flat_map(|part| part.variables()) {
        let name = cx.terms.name(variable.var);
        let Some(&at) = by_name.get(name) else {
            by_name.insert(name, merged.len());
            merged.push(variable.clone());
            continue;
        };
        let known = &mut merged[at];
        if known.var != variable.var {
            let sorts = (
                cx.terms.var_sort(known.var),
                cx.terms.var_sort(variable.var),
            );
            return Err(ComposeError::Sorts {
                first: known.clone(),
                second: variable.clone(),
                sorts,
            });
        }
        if known.initial.is_some()
            && variable.initial.is_some()
            && known.initial != variable.initial
        {
            return Err(ComposeError::InitialValues {
                first: known.clone(),
                second: variable.clone(),
            });
        }
        known.ctrl |= variable.ctrl;
        known.initial = known.initial.or(variable.initial);
        known.range = known.range.clone().or_else(|| variable.range.clone());
    }
    Ok(merged)
}

/// The structural states that can be reached if no statement ever blocks, at most `limit` of them.
pub fn reachable_locations(system: &mut dyn TransitionSystem, limit: usize) -> Vec<PointId> {
    let mut seen: Vec<PointId> = Vec::new();
    let mut known = lariat_base::FxHashSet::default();
    let mut todo: Vec<PointId> = system
        .initial()
        .iter()
        .rev()
        .map(|edge| edge.target)
        .collect();
    while let Some(at) = todo.pop() {
        if seen.len() >= limit || !known.insert(at) {
            continue;
        }
        seen.push(at);
        todo.extend(system.edges(at).iter().rev().map(|edge| edge.target));
    }
    seen.sort_unstable_by_key(|loc| loc.index());
    seen
}
