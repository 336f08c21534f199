//! The system composed with a reader of its observed states.
//!
//! The [`Reader`] becomes a transition system like any other, and the product is the ordinary composition
//! under the [`Observe`] schedule: the model steps, and after every observed step the reader takes one
//! of its edges, which assume what the letter must be.

use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::distance::Distances;
use crate::explored::Taken;
use crate::problem::{Goal, Problem};
use crate::reader::Reader;
use lariat_base::{Csr, CsrBuilder, Id, id_type};
use lariat_expr::{TermId, Terms};
use lariat_ltl::{Automaton, StateId};
use lariat_system::{
    Composition, Context, Edge, Fairness, Initial, Interleave, LocId, Observe, PointId, Schedule,
    Stmt, StmtId, TransitionSystem, Variable,
};

id_type!(
    /// A structural state of a product: a location of the model, a state of the reader, and whose turn it is.
    pub(crate) struct PlaceId, "P"
);

impl PlaceId {
    fn of(at: PointId) -> Self {
        Self::from_index(at.index())
    }

    /// The same as a structural state of the composition.
    fn point(self) -> PointId {
        PointId::from_index(self.index())
    }
}

/// A system and its reader as one transition system, with acceptance marks on its edges.
pub(crate) struct Product<'a> {
    composition: Composition<'a>,
    reader: Option<Reader>,
    /// The marks of each edge of the reader.
    reader_marks: Csr<StateId, MarkSetId>,
    acceptance: Acceptance,
    sets: MarkSets,
    seeks_lassos: bool,
    bad_locations: Vec<(usize, LocId)>,
    variables: Vec<Variable>,
    distances: Option<Distances>,
}

/// The model is the first part of the composition, the reader the second.
const READER: usize = 1;

impl<'a> Product<'a> {
    /// The product of `problem`.
    pub fn new(cx: &mut Context, problem: &'a mut Problem<'_>) -> Self {
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let fairness = problem.system.fairness();
        let reader = Reader::new(&problem.goal, fairness, &mut acceptance, &mut sets);
        let mut reader_marks = Csr::from_pairs(0, Vec::new());
        let (seeks_lassos, bad_locations) = match &problem.goal {
            Goal::Reach(bad) => (false, bad.at.clone()),
            Goal::Accept { .. } => (true, Vec::new()),
        };
        let variables = problem.system.variables().to_vec();
        let mut parts: Vec<Box<dyn TransitionSystem + 'a>> = vec![Box::new(&mut *problem.system)];
        let schedule: Box<dyn Schedule> = match &reader {
            Some(reader) => {
                let (system, marks) = reader_system(cx, reader, &mut sets);
                reader_marks = marks;
                parts.push(Box::new(system));
                Box::new(Observe)
            }
            None => Box::new(Interleave { n_parts: 1 }),
        };
        let composition =
            Composition::new(cx, parts, schedule).expect("a reader has no variables to clash");
        Self {
            composition,
            reader,
            reader_marks,
            acceptance,
            sets,
            seeks_lassos,
            bad_locations,
            variables,
            distances: None,
        }
    }

    /// The variables of the model.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Which cycles are accepting.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// The sets of marks that edges carry.
    pub fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    /// Which cycles are accepting, and the sets of marks: for measures, which add to both.
    pub fn marking(&mut self) -> (&mut Acceptance, &mut MarkSets) {
        (&mut self.acceptance, &mut self.sets)
    }

    /// Whether accepting lassos are sought, not bad states.
    pub fn seeks_lassos(&self) -> bool {
        self.seeks_lassos
    }

    /// The edges that start a run. No cycle takes one, so they carry no marks.
    pub fn initial(&self) -> Vec<Taken> {
        let edges = self.composition.initial().into_iter().enumerate();
        let taken = |(index, edge): (usize, Edge<PointId>)| Taken {
            stmt: edge.stmt,
            model_edge: Some(index),
            target: PlaceId::of(edge.target),
        };
        edges.map(taken).collect()
    }

    /// The edges of a structural state, each with its marks: the model's carry none.
    pub fn edges(&mut self, at: PlaceId) -> Vec<(Taken, MarkSetId)> {
        let at = at.point();
        let edges = self.composition.edges(at);
        let mut taken = Vec::with_capacity(edges.len());
        for (index, edge) in edges.into_iter().enumerate() {
            let (model_edge, marks) = match self.composition.origin(at, index) {
                (READER, edge) => {
                    let state = state_of(self.composition.locations(at)[READER]);
                    (None, self.reader_marks.row(state)[edge])
                }
                (_, edge) => (Some(edge), MarkSetId::EMPTY),
            };
            let step = Taken {
                stmt: edge.stmt,
                model_edge,
                target: PlaceId::of(edge.target),
            };
            taken.push((step, marks));
        }
        taken
    }

    /// Whether it is the reader's turn: such states are passed through, not stopped in.
    pub fn is_reading(&self, at: PlaceId) -> bool {
        self.composition.n_leaves() > READER && self.composition.turn(at.point()) == READER as u32
    }

    /// The model's part of a structural state.
    pub fn model_location(&self, at: PlaceId) -> PointId {
        self.composition.locations(at.point())[0]
    }

    /// The reader's state, if there is a reader.
    pub fn reader_state(&self, at: PlaceId) -> Option<StateId> {
        let at = self.composition.locations(at.point()).get(READER);
        at.copied().map(state_of)
    }

    /// Whether a structural state is bad whatever the values.
    pub fn is_bad(&self, at: PlaceId) -> bool {
        let here = at.point();
        let at_bad =
            |&(leaf, loc): &(usize, LocId)| self.composition.leaf_location(here, leaf) == loc;
        let reading = self.reader.as_ref().zip(self.reader_state(at));
        self.bad_locations.iter().any(at_bad)
            || reading.is_some_and(|(reader, at)| reader.is_bad(at))
    }

    /// How many edges it takes to a bad structural state, guards aside.
    pub fn distance(&mut self, at: PlaceId) -> u32 {
        if self.distances.is_none() {
            self.distances = Some(Distances::new(self));
        }
        self.distances.as_ref().map_or(0, |known| known.of(at))
    }

    /// What is read in observed states: the atoms of the property and of the fairness constraints.
    pub fn read_terms(&self) -> &[TermId] {
        self.reader.as_ref().map_or(&[], Reader::terms)
    }

    /// The model by itself.
    pub fn model(&mut self) -> &mut (dyn TransitionSystem + 'a) {
        self.composition.part(0)
    }

    /// A structural state as shown to the user.
    pub fn place_name(&self, at: PlaceId) -> String {
        self.composition.location_name(at.point())
    }
}

/// The state of the reader's automaton that a location of [`ReaderSystem`] stands for.
fn state_of(at: PointId) -> StateId {
    StateId::from_index(at.index())
}

/// A reader as a transition system: its edges assume what the letter is.
struct ReaderSystem {
    initial: Initial<PointId>,
    edges: Csr<PointId, Edge<PointId>>,
}

/// A reader as a transition system, and the marks of its edges. Each edge of the automaton becomes one edge for each way
/// in which the fairness constraints can read the state.
fn reader_system(
    cx: &mut Context,
    reader: &Reader,
    sets: &mut MarkSets,
) -> (ReaderSystem, Csr<StateId, MarkSetId>) {
    let (automaton, atoms) = (reader.automaton(), reader.atoms());
    let edge = |stmt: StmtId, target: StateId| {
        Edge::new(stmt, PointId::from_index(target.index())).observed_if(false)
    };
    let mut cases: Vec<(TermId, MarkSetId)> = Vec::new();
    for (condition, marks) in reader.fair().cases(&mut cx.terms) {
        cases.push((condition, sets.of(marks)));
    }
    let (mut edges, mut marks) = (CsrBuilder::new(), CsrBuilder::new());
    for state in automaton.states() {
        for (read, &own) in automaton.edges(state).iter().zip(reader.marks(state)) {
            let label = label_term(&mut cx.terms, automaton, atoms, read.label);
            for &(condition, fair) in &cases {
                let both = cx.terms.and(&[label, condition]);
                if both == cx.terms.false_() && cases.len() > 1 {
                    continue;
                }
                edges.item(edge(cx.stmts.add(Stmt::Assume(both), None), read.target));
                marks.item(sets.union(own, fair));
            }
        }
        let _: PointId = edges.end_row();
        let _: StateId = marks.end_row();
    }
    let start = cx.stmts.skip();
    let system = ReaderSystem {
        initial: Initial::new(cx, &[], vec![edge(start, automaton.initial())]),
        edges: edges.finish(),
    };
    (system, marks.finish())
}

impl TransitionSystem for ReaderSystem {
    fn variables(&self) -> &[Variable] {
        &[]
    }

    fn initial(&self) -> Vec<Edge<PointId>> {
        self.initial.to_vec()
    }

    fn branches(&self) -> Vec<Edge<PointId>> {
        self.initial.branches().to_vec()
    }

    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>> {
        self.edges.row(at).to_vec()
    }

    fn fairness(&self) -> &[Fairness] {
        &[]
    }

    fn location_name(&self, at: PointId) -> String {
        format!("q{}", at.index())
    }

    fn n_leaves(&self) -> usize {
        1
    }

    fn leaf_location(&self, at: PointId, _leaf: usize) -> LocId {
        at.location()
    }
}

/// A label as a Boolean term over the model's variables.
pub(crate) fn label_term(
    terms: &mut Terms,
    automaton: &Automaton,
    atoms: &[TermId],
    label: lariat_ltl::LabelId,
) -> TermId {
    let mut cubes = Vec::new();
    for cube in automaton.cubes(label) {
        let mut literals = Vec::new();
        for (i, &atom) in atoms.iter().enumerate() {
            if cube.mask >> i & 1 == 1 {
                literals.push(if cube.value >> i & 1 == 1 {
                    atom
                } else {
                    terms.not(atom)
                });
            }
        }
        cubes.push(terms.and(&literals));
    }
    terms.or(&cubes)
}
