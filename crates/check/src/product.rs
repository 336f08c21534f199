//! The system composed with a reader of its observed states.
//!
//! For a temporal property the reader is the Büchi automaton of the bad words; for a bad state it is
//! a monitor with two locations. Both are transition systems like any other and the product is the
//! ordinary composition under the [`Observe`] schedule: the model steps, and after every observed
//! step the reader takes one of its edges, which assume what the letter must be.

use crate::distance::Distances;
use crate::problem::{Bad, Goal, Problem};
use lariat_base::{Csr, Id};
use lariat_expr::{TermId, Terms};
use lariat_ltl::Automaton;
use lariat_system::{
    Composition, Context, Edge, Initial, Interleave, LocId, Observe, Schedule, Stmt, StmtId,
    TransitionSystem, Variable,
};

/// A system and its reader as one transition system, with acceptance marks on its edges.
pub struct Product<'a> {
    composition: Composition<'a>,
    /// Acceptance marks of the reader's edges.
    marks: Csr<LocId, u64>,
    all_marks: u64,
    bad_locations: Vec<(usize, LocId)>,
    /// The reader's location that means "bad", if it has one.
    bad_reading: Option<LocId>,
    variables: Vec<Variable>,
    distances: Option<Distances>,
}

/// The model is the first part of the composition, the reader the second.
const READER: usize = 1;

impl<'a> Product<'a> {
    /// The product of `problem`.
    pub fn new(cx: &mut Context, problem: &'a mut Problem<'_>) -> Self {
        let reader = match &problem.goal {
            Goal::Accept {
                automaton, atoms, ..
            } => Some(Reader::of_automaton(cx, automaton, atoms)),
            Goal::Reach(Bad {
                when: Some(when), ..
            }) => Some(Reader::monitor(cx, *when)),
            Goal::Reach(Bad { when: None, .. }) => None,
        };
        let bad_locations = match &problem.goal {
            Goal::Reach(bad) => bad.at.clone(),
            Goal::Accept { .. } => Vec::new(),
        };
        let all_marks = match &problem.goal {
            // One more mark than the automaton has: a cycle must read something.
            Goal::Accept { automaton, .. } => automaton.all_marks() << 1 | 1,
            Goal::Reach(_) => 0,
        };
        let marks = reader.as_ref().map_or_else(
            || Csr::from_rows([[0; 0]; 0]),
            |reader| reader.marks.clone(),
        );
        let bad_reading = match &problem.goal {
            Goal::Reach(Bad { when: Some(_), .. }) => Some(Reader::BAD),
            _ => None,
        }
        .map(LocId::from_index);
        let variables = problem.system.variables().to_vec();
        let mut parts: Vec<Box<dyn TransitionSystem + 'a>> = vec![Box::new(&mut *problem.system)];
        let schedule: Box<dyn Schedule> = match reader {
            Some(reader) => {
                parts.push(Box::new(reader));
                Box::new(Observe)
            }
            None => Box::new(Interleave { n_parts: 1 }),
        };
        let composition =
            Composition::new(cx, parts, schedule).expect("a reader has no variables to clash");
        Self {
            composition,
            marks,
            all_marks,
            bad_locations,
            bad_reading,
            variables,
            distances: None,
        }
    }

    /// The variables of the model.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The marks that an accepting cycle must collect.
    pub fn all_marks(&self) -> u64 {
        self.all_marks
    }

    /// The edges that start a run.
    pub fn initial(&self) -> &[Edge] {
        self.composition.initial()
    }

    /// The edges of a structural state.
    pub fn edges(&mut self, at: LocId) -> &[Edge] {
        self.composition.edges(at)
    }

    /// Whether it is the reader's turn: such states are passed through, not stopped in.
    pub fn is_reading(&self, at: LocId) -> bool {
        self.composition.n_leaves() > READER && self.composition.turn(at) == READER as u32
    }

    /// The acceptance marks of the `index`-th edge: those of the reader's edge, and one for reading at all.
    pub fn marks(&mut self, at: LocId, index: usize) -> u64 {
        match self.composition.origin(at, index) {
            (READER, edge) => self.marks.row(self.composition.locations(at)[READER])[edge] << 1 | 1,
            _ => 0,
        }
    }

    /// For an edge of the model: which of the model's edges it is.
    pub fn model_edge(&mut self, at: LocId, index: usize) -> Option<usize> {
        match self.composition.origin(at, index) {
            (0, edge) => Some(edge),
            _ => None,
        }
    }

    /// The model's part of a structural state.
    pub fn model_location(&self, at: LocId) -> LocId {
        self.composition.locations(at)[0]
    }

    /// The automaton's state, if there is an automaton.
    pub fn reader_location(&self, at: LocId) -> Option<LocId> {
        self.composition.locations(at).get(READER).copied()
    }

    /// Whether a structural state is bad whatever the values.
    pub fn is_bad(&self, at: LocId) -> bool {
        let at_bad =
            |&(leaf, loc): &(usize, LocId)| self.composition.leaf_location(at, leaf) == loc;
        self.bad_locations.iter().any(at_bad)
            || (self.bad_reading.is_some() && self.bad_reading == self.reader_location(at))
    }

    /// How many edges it takes to a bad structural state, guards aside.
    pub fn distance(&mut self, at: LocId) -> u32 {
        if self.distances.is_none() {
            self.distances = Some(Distances::new(self));
        }
        self.distances.as_ref().map_or(0, |known| known.of(at))
    }

    /// A structural state as a person should see it.
    pub fn location_name(&self, at: LocId) -> String {
        self.composition.location_name(at)
    }
}

/// An automaton over letters as a transition system: its edges assume what the letter is.
struct Reader {
    initial: Initial,
    edges: Csr<LocId, Edge>,
    marks: Csr<LocId, u64>,
}

impl Reader {
    /// The monitor's second location.
    const BAD: usize = 1;

    fn of_automaton(cx: &mut Context, automaton: &Automaton, atoms: &[TermId]) -> Self {
        let (mut rows, mut marks) = (Vec::new(), Vec::new());
        for state in automaton.states() {
            let mut row = Vec::new();
            for edge in automaton.edges(state) {
                let label = label_term(&mut cx.terms, automaton, atoms, edge.label);
                row.push((label, edge.target.index()));
            }
            marks.push(
                automaton
                    .edges(state)
                    .iter()
                    .map(|edge| edge.marks)
                    .collect::<Vec<u64>>(),
            );
            rows.push(row);
        }
        Self::new(cx, automaton.initial().index(), rows, Csr::from_rows(marks))
    }

    /// Goes to its second location when it reads a state in which `bad` is true.
    fn monitor(cx: &mut Context, bad: TermId) -> Self {
        let good = cx.terms.not(bad);
        let rows = vec![vec![(bad, Self::BAD), (good, 0)], Vec::new()];
        Self::new(cx, 0, rows, Csr::from_rows([vec![0, 0], vec![]]))
    }

    fn new(
        cx: &mut Context,
        initial: usize,
        rows: Vec<Vec<(TermId, usize)>>,
        marks: Csr<LocId, u64>,
    ) -> Self {
        let edge = |stmt: StmtId, target: usize| Edge {
            stmt,
            target: LocId::from_index(target),
            observed: false,
            name: None,
            stutter: false,
        };
        let mut reading = Vec::new();
        for row in rows {
            let row = row
                .into_iter()
                .map(|(label, target)| edge(cx.stmts.add(Stmt::Assume(label), None), target));
            reading.push(row.collect::<Vec<Edge>>());
        }
        let start = cx.stmts.skip();
        Self {
            initial: Initial::new(cx, &[], vec![edge(start, initial)]),
            edges: Csr::from_rows(reading),
            marks,
        }
    }
}

impl TransitionSystem for Reader {
    fn variables(&self) -> &[Variable] {
        &[]
    }

    fn initial(&self) -> &[Edge] {
        &self.initial
    }

    fn branches(&self) -> &[Edge] {
        self.initial.branches()
    }

    fn edges(&mut self, at: LocId) -> &[Edge] {
        self.edges.row(at)
    }

    fn location_name(&self, at: LocId) -> String {
        format!("q{}", at.index())
    }

    fn n_leaves(&self) -> usize {
        1
    }

    fn leaf_location(&self, at: LocId, _leaf: usize) -> LocId {
        at
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
