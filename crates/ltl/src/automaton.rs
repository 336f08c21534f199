//! The finished automaton: states, edges and labels as flat arrays, nothing symbolic left inside.
//!
//! A label is a disjunction of cubes over at most 64 atoms; atom `i` of the automaton is bit `i`.
//! A model checker evaluates the atoms of its state once into a word `v` and then asks
//! `(v & mask) == value` per cube. A label without cubes is false, the cube with mask 0 is true.
//!
//! Acceptance marks sit on edges, as a bit set of at most 64 sets. A run is accepted if it takes
//! edges of every set infinitely often; with no set every infinite run is accepted. State-based
//! acceptance is the special case where all edges that leave a state carry the same marks
//! (a state without edges is never visited twice, so its mark does not matter).
//!
//! Invariant: one initial state; targets are states; marks are below `n_sets`.
//! Rejected: keeping BDDs in the finished automaton (every user would need the manager), and
//! several initial states (a reader can add one).

use crate::formula::ApId;
use lariat_base::{Csr, CsrBuilder, Id};

lariat_base::id_type!(/// A state of an automaton.
pub struct StateId, "s");
lariat_base::id_type!(/// A label of an automaton; equal ids are equal lists of cubes.
pub struct LabelId, "l");

/// A conjunction of literals: the valuations `v` with `v & mask == value`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cube {
    /// The atoms it speaks of.
    pub mask: u64,
    /// Their values; zero outside the mask.
    pub value: u64,
}

impl Cube {
    /// The cube of all valuations.
    pub const TRUE: Self = Self { mask: 0, value: 0 };

    /// Whether `valuation` is in the cube.
    pub const fn holds(self, valuation: u64) -> bool {
        valuation & self.mask == self.value
    }

    /// The common valuations, if there are any.
    pub const fn meet(self, other: Self) -> Option<Self> {
        if (self.value ^ other.value) & self.mask & other.mask != 0 {
            return None;
        }
        Some(Self {
            mask: self.mask | other.mask,
            value: self.value | other.value,
        })
    }
}

/// One edge of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Which valuations take it.
    pub label: LabelId,
    /// The acceptance sets it belongs to, as bits.
    pub marks: u64,
    /// Where it leads.
    pub target: StateId,
}

/// Which kind of acceptance an automaton was built for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    /// Any number of sets, on edges.
    Generalized,
    /// One set, on edges.
    Buchi,
    /// One set, the same for all edges that leave a state.
    StateBuchi,
}

/// A Büchi automaton over valuations of atoms.
#[derive(Clone, Debug)]
pub struct Automaton {
    aps: Vec<ApId>,
    acceptance: Acceptance,
    n_sets: u32,
    initial: StateId,
    edges: Csr<StateId, Edge>,
    labels: Csr<LabelId, Cube>,
}

impl Automaton {
    /// The atoms that labels speak of; atom `i` is bit `i` of a cube.
    pub fn aps(&self) -> &[ApId] {
        &self.aps
    }

    /// The kind of acceptance.
    pub fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// The number of acceptance sets.
    pub fn n_sets(&self) -> u32 {
        self.n_sets
    }

    /// All sets as bits: what a fair cycle must collect.
    pub fn all_marks(&self) -> u64 {
        all_marks(self.n_sets)
    }

    /// Where runs start.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The number of states.
    pub fn n_states(&self) -> usize {
        self.edges.n_rows()
    }

    /// The number of edges.
    pub fn n_edges(&self) -> usize {
        self.edges.n_items()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<> {
        (0..self.n_states()).map(StateId::from_index)
    }

    /// The edges that leave `state`.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        self.edges.row(state)
    }

    /// The cubes of a label: their disjunction.
    pub fn cubes(&self, label: LabelId) -> &[Cube] {
        self.labels.row(label)
    }

    /// The number of distinct labels; labels are `0..n`.
    pub fn n_labels(&self) -> usize {
        self.labels.n_rows()
    }

    /// Whether `valuation` is in the label.
    pub fn holds(&self, label: LabelId, valuation: u64) -> bool {
        self.cubes(label).iter().any(|cube| cube.holds(valuation))
    }

    /// With state-based acceptance: whether `state` is accepting.
    pub fn is_accepting_state(&self, state: StateId) -> bool {
        let edges = self.edges(state);
        !edges.is_empty() && edges.iter().all(|e| e.marks == self.all_marks())
    }

    /// Whether no valuation has two edges from one state.
    pub fn is_deterministic(&self) -> bool {
        self.states().all(|s| {
            let edges = self.edges(s);
            edges.iter().enumerate().all(|(i, e)| {
                edges[..i].iter().all(|d| {
                    let disjoint = |c: &Cube| {
                        let mut others = self.cubes(d.label).iter();
                        others.all(|other| c.meet(*other).is_none())
                    };
                    self.cubes(e.label).iter().all(disjoint)
                })
            })
        })
    }
}

/// The marks of `n_sets` sets as bits.
pub(crate) const fn all_marks(n_sets: u32) -> u64 {
    if n_sets == 64 {
        u64::MAX
    } else {
        (1 << n_sets) - 1
    }
}

/// Builds an [`Automaton`] edge by edge, in any order.
#[derive(Clone, Debug)]
pub struct AutomatonBuilder {
    aps: Vec<ApId>,
    acceptance: Acceptance,
    n_sets: u32,
    initial: Option<StateId>,
    n_states: usize,
    edges: Vec<(StateId, Edge)>,
    labels: lariat_base::Interner<LabelId, Vec<Cube>>,
}

impl AutomatonBuilder {
    /// An automaton without states. Needs at most 64 atoms and 64 sets; with [`Acceptance::Buchi`]
    /// and [`Acceptance::StateBuchi`] exactly one set.
    pub fn new(aps: Vec<ApId>, acceptance: Acceptance, n_sets: u32) -> Self {
        assert!(aps.len() <= 64 && n_sets <= 64, "atoms and sets fit a word");
        assert!(
            acceptance == Acceptance::Generalized || n_sets == 1,
            "Büchi acceptance has one set"
        );
        Self {
            aps,
            acceptance,
            n_sets,
            initial: None,
            n_states: 0,
            edges: Vec::new(),
            labels: lariat_base::Interner::new(),
        }
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> StateId {
        self.n_states += 1;
        StateId::from_index(self.n_states - 1)
    }

    /// The number of states so far.
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    /// Makes `state` the initial one (otherwise it is the first).
    pub fn set_initial(&mut self, state: StateId) {
        assert!(state.index() < self.n_states, "the state exists");
        self.initial = Some(state);
    }

    /// Adds an edge; its label is the disjunction of `cubes`.
    pub fn add_edge(&mut self, from: StateId, cubes: Vec<Cube>, marks: u64, target: StateId) {
        assert!(
            from.index() < self.n_states && target.index() < self.n_states,
            "both ends of an edge exist"
        );
        assert_eq!(marks & !all_marks(self.n_sets), 0, "the marks exist");
        let label = self.labels.intern(cubes);
        let edge = Edge {
            label,
            marks,
            target,
        };
        self.edges.push((from, edge));
    }

    /// The finished automaton. Without a state, one is added: the empty language needs an initial state.
    pub fn finish(mut self) -> Automaton {
        if self.n_states == 0 {
            self.add_state();
        }
        let mut labels = CsrBuilder::new();
        for (_, cubes) in self.labels.iter_ids() {
            labels.items(cubes.iter().copied());
            labels.end_row();
        }
        Automaton {
            aps: self.aps,
            acceptance: self.acceptance,
            n_sets: self.n_sets,
            initial: self.initial.unwrap_or_else(|| StateId::from_index(0)),
            edges: Csr::from_pairs(self.n_states, self.edges),
            labels: labels.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_grouped_and_labels_shared() {
        let mut builder = AutomatonBuilder::new(vec![], Acceptance::Generalized, 1);
        let (s, t) = (builder.add_state(), builder.add_state());
        builder.add_edge(t, vec![Cube::TRUE], 1, t);
        builder.add_edge(s, vec![Cube::TRUE], 0, t);
        let automaton = builder.finish();
        assert_eq!((automaton.n_states(), automaton.n_edges()), (2, 2));
        assert_eq!(automaton.edges(s)[0].label, automaton.edges(t)[0].label);
        assert!(automaton.is_deterministic());
        assert!(automaton.holds(automaton.edges(s)[0].label, 17));
        assert!(automaton.is_accepting_state(t) && !automaton.is_accepting_state(s));
    }
}
