//! What is asked: a system and what its runs must not do.

use lariat_expr::TermId;
use lariat_ltl::{Automaton, FormulaId, Formulas};
use lariat_system::{LocId, StmtId, TransitionSystem, reachable_locations};
use std::sync::Arc;

/// A system and a property of its runs.
pub struct Problem<'m> {
    /// The system.
    pub system: Box<dyn TransitionSystem + 'm>,
    /// What would refute the property.
    pub goal: Goal,
}

/// The statements of more structural states are not looked at.
const MAX_LOCATIONS: usize = 10_000;

impl Problem<'_> {
    /// The statements of the system, each once.
    pub(crate) fn stmts(&mut self) -> Vec<StmtId> {
        let mut stmts = [self.starts(), self.steps()].concat();
        stmts.sort_unstable();
        stmts.dedup();
        stmts
    }

    /// The statements with which runs start.
    pub(crate) fn starts(&mut self) -> Vec<StmtId> {
        let initial = self.system.initial();
        initial.iter().map(|edge| edge.stmt).collect()
    }

    /// The statements of the steps, each once.
    pub(crate) fn steps(&mut self) -> Vec<StmtId> {
        let (system, mut stmts) = (&mut *self.system, Vec::new());
        for at in reachable_locations(system, MAX_LOCATIONS) {
            stmts.extend(system.edges(at).iter().map(|edge| edge.stmt));
        }
        stmts.sort_unstable();
        stmts.dedup();
        stmts
    }

    /// What is read of observed states, fairness included.
    pub(crate) fn read_terms(&self) -> Vec<TermId> {
        match &self.goal {
            Goal::Reach(bad) => Vec::from_iter(bad.when),
            Goal::Accept { atoms, .. } => {
                let fairness = self.system.fairness().iter();
                let fair = fairness.flat_map(|constraint| constraint.terms());
                atoms.iter().copied().chain(fair).collect()
            }
        }
    }
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
