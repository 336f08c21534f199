//! The property's half of a product: an automaton that reads observed states, with the marks of its edges.
//!
//! Both engines combine a system with this one reader; they differ in how they tell which edges can read
//! a state (`product.rs` asks the domain, `explicit/` evaluates the atoms). For a temporal
//! property it is the automaton of the bad words, for a bad condition a monitor of two states.
//!
//! A step that is not observed leaves the automaton where it is and carries no mark of it. So a cycle that reads
//! nothing is not accepting, *unless* there is no mark to collect. For automata without acceptance sets
//! reading itself is therefore the one mark. Which runs are fair is read along with the property (`fairness.rs`).

use crate::acceptance::{Acceptance, Mark, MarkSetId, MarkSets};
use crate::fairness::FairMarks;
use crate::problem::{Bad, Goal};
use lariat_base::{Csr, Id};
use lariat_expr::TermId;
use lariat_ltl::{ApId, Automaton, AutomatonBuilder, Cube, Edge, StateId};
use lariat_system::Fairness;
use std::sync::Arc;

/// An automaton over the truth of some terms.
#[derive(Debug)]
pub(crate) struct Reader {
    automaton: Arc<Automaton>,
    /// The atoms, then what fairness reads.
    terms: Vec<TermId>,
    n_atoms: usize,
    marks: EdgeMarks,
    fair: FairMarks,
    /// The state that means "bad", if bad states are sought and not lassos.
    bad: Option<StateId>,
}

impl Reader {
    /// The reader for a goal of a system with fairness constraints; none if the goal does not depend on what is observed.
    /// What it asks of a cycle is added to `acceptance`.
    pub fn new(
        goal: &Goal,
        fairness: &[Fairness],
        acceptance: &mut Acceptance,
        sets: &mut MarkSets,
    ) -> Option<Self> {
        match goal {
            Goal::Accept {
                automaton, atoms, ..
            } => {
                let marks = EdgeMarks::new(automaton, acceptance, sets);
                let fair = FairMarks::new(fairness, acceptance);
                Some(Self {
                    marks,
                    automaton: Arc::clone(automaton),
                    terms: [atoms, fair.terms()].concat(),
                    n_atoms: atoms.len(),
                    fair,
                    bad: None,
                })
            }
            Goal::Reach(Bad { when, .. }) => {
                let when = (*when)?;
                let (automaton, bad) = monitor();
                Some(Self {
                    marks: EdgeMarks::unmarked(&automaton),
                    automaton: Arc::new(automaton),
                    terms: vec![when],
                    n_atoms: 1,
                    fair: FairMarks::default(),
                    bad: Some(bad),
                })
            }
        }
    }

    /// The automaton; its atom `i` is the `i`-th of [`Reader::atoms`].
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// The Boolean terms that labels speak of.
    pub fn atoms(&self) -> &[TermId] {
        &self.terms[..self.n_atoms]
    }

    /// The Boolean terms that letters tell the truth of: the atoms, then what fairness reads.
    pub fn terms(&self) -> &[TermId] {
        &self.terms
    }

    /// What fairness reads.
    pub fn fair(&self) -> &FairMarks {
        &self.fair
    }

    /// The marks of the edges of a state, those of fairness left out.
    pub fn marks(&self, at: StateId) -> &[MarkSetId] {
        self.marks.row(at)
    }

    /// Where a letter leads, with which marks.
    pub fn moves(
        &self,
        sets: &mut MarkSets,
        from: StateId,
        letter: u64,
    ) -> impl Iterator<Item = (StateId, MarkSetId)> {
        let truths = letter.checked_shr(self.n_atoms as u32).unwrap_or(0);
        let fair = sets.of(self.fair.marks(truths));
        let moves = self.marks.moves(&self.automaton, from, letter);
        moves.map(move |(to, marks)| (to, sets.union(marks, fair)))
    }

    /// Whether a state means that what was read is bad.
    pub fn is_bad(&self, at: StateId) -> bool {
        self.bad == Some(at)
    }
}

/// Goes to its second state, which it never leaves, when it reads a letter in which its one atom is true.
fn monitor() -> (Automaton, StateId) {
    let literal = |value| Cube { mask: 1, value };
    let mut builder = AutomatonBuilder::new(
        vec![ApId::from_index(0)],
        lariat_ltl::Acceptance::Generalized,
        0,
    );
    let (good, bad) = (builder.add_state(), builder.add_state());
    builder.add_edge(good, vec![literal(1)], 0, bad);
    builder.add_edge(good, vec![literal(0)], 0, good);
    (builder.finish(), bad)
}

/// The marks of an automaton's edges.
#[derive(Debug)]
pub(crate) struct EdgeMarks(Csr<StateId, MarkSetId>);

impl EdgeMarks {
    /// Interns the marks of each edge and adds the automaton's condition to `acceptance`.
    pub fn new(automaton: &Automaton, acceptance: &mut Acceptance, sets: &mut MarkSets) -> Self {
        let n_sets = automaton.n_sets();
        let marks: Vec<Mark> = (0..n_sets.max(1)).map(|_| acceptance.add_buchi()).collect();
        Self::of(automaton, |edge| {
            let is_in = |set: usize| n_sets == 0 || edge.marks >> set & 1 == 1;
            let carried = marks.iter().enumerate().filter(|&(set, _)| is_in(set));
            sets.of(carried.map(|(_, &mark)| mark))
        })
    }

    /// No marks at all.
    fn unmarked(automaton: &Automaton) -> Self {
        Self::of(automaton, |_| MarkSetId::EMPTY)
    }

    fn of(automaton: &Automaton, mut marks: impl FnMut(&Edge) -> MarkSetId) -> Self {
        let mut row = |state| automaton.edges(state).iter().map(&mut marks).collect();
        let rows: Vec<Vec<MarkSetId>> = automaton.states().map(&mut row).collect();
        Self(Csr::from_rows(rows))
    }

    /// The marks of the edges of a state.
    fn row(&self, at: StateId) -> &[MarkSetId] {
        self.0.row(at)
    }

    /// The edges of a state that read a letter: where they lead, with which marks.
    pub fn moves<'a>(
        &'a self,
        automaton: &'a Automaton,
        from: StateId,
        letter: u64,
    ) -> impl Iterator<Item = (StateId, MarkSetId)> + 'a {
        let edges = automaton.edges(from).iter().zip(self.row(from));
        let taken = edges.filter(move |(edge, _)| automaton.holds(edge.label, letter));
        taken.map(|(edge, &marks)| (edge.target, marks))
    }
}
