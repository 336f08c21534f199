//! What is asked: a system and what its runs must not do.

use lariat_expr::TermId;
use lariat_ltl::{Automaton, FormulaId, Formulas};
use lariat_system::{LocId, TransitionSystem};
use std::sync::Arc;

/// A system and a property of its runs.
pub struct Problem<'m> {
    /// The system.
    pub system: Box<dyn TransitionSystem + 'm>,
    /// What would refute the property.
    pub goal: Goal,
}

/// What a counterexample is.
#[derive(Clone, Debug)]
pub enum Goal {
    /// A run that reaches a bad state.
    Reach(Bad),
    /// An infinite run that is fair and whose word the automaton accepts.
    Accept {
        /// Accepts the words of bad runs; its atom `i` is `atoms[i]`.
        automaton: Arc<Automaton>,
        /// The Boolean terms that letters tell the truth of.
        atoms: Vec<TermId>,
        /// The formula that bad words violate, if the property was one: replay evaluates it. Its
        /// atoms are those of the automaton.
        formula: Option<(Arc<Formulas>, FormulaId)>,
    },
}

/// Bad states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bad {
    /// Observed states where this Boolean term is true are bad.
    pub when: Option<TermId>,
    /// States whose structural state is this one, of the given leaf of the composition, are bad.
    pub at: Vec<(usize, LocId)>,
}
