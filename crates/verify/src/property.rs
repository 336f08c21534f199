//! What is asked of a model: a property with its name, its text, and what would refute it.

use lariat_check::{Bad, Goal};
use lariat_expr::{TermId, Terms};
use lariat_ltl::{Automaton, FormulaId, Formulas};
use lariat_system::LocId;
use std::sync::Arc;

/// A property of a model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name; empty if it has none.
    pub name: String,
    /// What it says, as it was understood.
    pub text: String,
    /// What it claims.
    pub claim: Claim,
    /// The atoms of a temporal property as they were written, in the order of the claim's.
    pub atom_names: Vec<String>,
}

/// What a property claims of all runs.
#[derive(Clone, Debug)]
pub enum Claim {
    /// No run reaches a bad state.
    Never {
        /// Observed states of which this is true are bad.
        when: Option<Atom>,
        /// States at these locations are bad, each of the given leaf of the composition.
        at: Vec<(usize, LocId)>,
    },
    /// No infinite run has a word that the automaton accepts.
    Temporal {
        /// Accepts the words of bad runs; its atom `i` is `atoms[i]`.
        automaton: Arc<Automaton>,
        /// What letters tell the truth of.
        atoms: Vec<Atom>,
        /// The formula that bad words violate, if the property was one; its atoms are those of the automaton.
        formula: Option<(Arc<Formulas>, FormulaId)>,
    },
}

/// What one bit of a letter says of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// This Boolean term is true.
    Term(TermId),
    /// The model is at one of these locations, each of the given leaf of the composition.
    At(Vec<(usize, LocId)>),
    /// The model is at none of them.
    NotAt(Vec<(usize, LocId)>),
}

impl Atom {
    /// What is true where this is false.
    #[must_use]
    pub fn negated(&self, terms: &mut Terms) -> Self {
        match self {
            Self::Term(term) => Self::Term(terms.not(*term)),
            Self::At(places) => Self::NotAt(places.clone()),
            Self::NotAt(places) => Self::At(places.clone()),
        }
    }
}

impl Property {
    /// That no observed state is one of which this is true.
    pub fn never_true(text: impl Into<String>, atom: Atom) -> Self {
        let mut property = Self::never("", text, Vec::new());
        property.claim = Claim::Never {
            when: Some(atom),
            at: Vec::new(),
        };
        property
    }

    /// That no run comes to certain locations.
    pub fn never(
        name: impl Into<String>,
        text: impl Into<String>,
        at: Vec<(usize, LocId)>,
    ) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            claim: Claim::Never { when: None, at },
            atom_names: Vec::new(),
        }
    }

    /// Whether it is about infinite runs.
    pub fn is_temporal(&self) -> bool {
        matches!(self.claim, Claim::Temporal { .. })
    }

    /// Whether there is no state that would refute it.
    pub fn claims_nothing(&self) -> bool {
        matches!(&self.claim, Claim::Never { when: None, at } if at.is_empty())
    }

    /// Whether it asks if a run comes to this location.
    pub fn asks_for(&self, place: (usize, LocId)) -> bool {
        matches!(&self.claim, Claim::Never { at, .. } if at.contains(&place))
    }

    /// The terms that it reads.
    pub fn terms(&self) -> Vec<TermId> {
        let atoms = self.conditions().iter();
        let terms = atoms.filter_map(|atom| match atom {
            Atom::Term(term) => Some(*term),
            Atom::At(_) | Atom::NotAt(_) => None,
        });
        terms.collect()
    }

    /// What the letters of a temporal property say.
    pub fn atoms(&self) -> &[Atom] {
        match &self.claim {
            Claim::Never { .. } => &[],
            Claim::Temporal { atoms, .. } => atoms,
        }
    }

    /// All that it asks of states.
    fn conditions(&self) -> &[Atom] {
        match &self.claim {
            Claim::Never { when, .. } => when.as_slice(),
            Claim::Temporal { atoms, .. } => atoms,
        }
    }

    pub(crate) fn conditions_mut(&mut self) -> &mut [Atom] {
        match &mut self.claim {
            Claim::Never { when, .. } => when.as_mut_slice(),
            Claim::Temporal { atoms, .. } => atoms,
        }
    }

    /// Replaces the terms that it reads.
    pub(crate) fn map_terms(&mut self, mut map: impl FnMut(TermId) -> TermId) {
        for atom in self.conditions_mut() {
            if let Atom::Term(term) = atom {
                *term = map(*term);
            }
        }
    }

    /// What an engine looks for. Atoms about locations must have become terms.
    pub(crate) fn goal(&self) -> Goal {
        match &self.claim {
            Claim::Never { at, .. } => Goal::Reach(Bad {
                when: self.terms().first().copied(),
                at: at.clone(),
            }),
            Claim::Temporal {
                automaton, formula, ..
            } => Goal::Accept {
                automaton: Arc::clone(automaton),
                atoms: self.terms(),
                formula: formula.clone(),
            },
        }
    }
}
