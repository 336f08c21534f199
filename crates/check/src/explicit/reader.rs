//! The property's part of a product node: what it remembers and how it moves when a state is read.
//!
//! For a temporal property that is the state of the automaton, which reads the letter of every
//! observed state, the first one included. A step that is not observed leaves it where it is and
//! carries no mark; so a cycle that reads nothing is not accepting, *unless* there is no mark to
//! collect. For automata without acceptance sets reading itself is therefore made the one mark.
//! For bad states it is one bit: whether the state was bad when it was entered.

use super::codes::{Codes, code_of, id_of};
use super::layout::Width;
use crate::confirm::letter;
use crate::{Bad, Goal};
use lariat_expr::TermId;
use lariat_ltl::{Automaton, StateId};
use lariat_system::{Context, Edge, LocId, Machine, Predicates, TransitionSystem, Variable};
use std::sync::Arc;

/// Reads states for a property.
#[derive(Debug)]
pub(super) struct Reader {
    atoms: Vec<TermId>,
    /// The atoms as code, if they have that form.
    code: Option<Predicates>,
    machine: Machine,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Automaton(Arc<Automaton>),
    Bad(Vec<(usize, LocId)>),
}

/// A move of the reader: where to, with which marks.
pub(super) type Move = (i64, u64);

impl Reader {
    /// The reader for a goal over a system with these variables.
    pub fn new(cx: &Context, variables: &[Variable], goal: &Goal) -> Self {
        let (atoms, kind) = match goal {
            Goal::Accept {
                automaton, atoms, ..
            } => (atoms.clone(), Kind::Automaton(Arc::clone(automaton))),
            Goal::Reach(Bad { when, at }) => {
                (when.iter().copied().collect(), Kind::Bad(at.clone()))
            }
        };
        Self {
            code: Predicates::new(cx, variables, &atoms).ok(),
            atoms,
            machine: Machine::new(),
            kind,
        }
    }

    /// How wide its part of a node is.
    pub fn width(&self) -> Width {
        match &self.kind {
            Kind::Automaton(automaton) => {
                Width::range(0, i64::from(automaton.n_states() as u32) - 1)
            }
            Kind::Bad(_) => Width::range(0, 1),
        }
    }

    /// Where it is before anything was read.
    pub fn start(&self) -> i64 {
        match &self.kind {
            Kind::Automaton(automaton) => code_of(automaton.initial()),
            Kind::Bad(_) => 0,
        }
    }

    /// The marks that an accepting cycle must collect.
    pub fn all_marks(&self) -> u64 {
        match &self.kind {
            Kind::Automaton(automaton) => automaton.all_marks().max(1),
            Kind::Bad(_) => 0,
        }
    }

    /// Whether a node with this part is a goal.
    pub fn is_goal(&self, at: i64) -> bool {
        matches!(self.kind, Kind::Bad(_)) && at == 1
    }

    /// Whether states of a location are bad whatever their values.
    pub fn is_bad_location(&self, system: &dyn TransitionSystem, at: LocId) -> bool {
        match &self.kind {
            Kind::Automaton(_) => false,
            Kind::Bad(bad) => {
                let here = |&(leaf, loc): &(usize, LocId)| system.leaf_location(at, leaf) == loc;
                bad.iter().any(here)
            }
        }
    }

    /// The moves from `from` after a step to a state with these codes.
    pub fn moves(
        &mut self,
        (cx, variables, codes): (&Context, &[Variable], &Codes),
        from: i64,
        (edge, bad_location): (Edge, bool),
        state: &[i64],
        out: &mut Vec<Move>,
    ) {
        out.clear();
        let letter = if edge.observed && !self.atoms.is_empty() {
            self.letter(cx, variables, codes, edge.target, state)
        } else {
            0
        };
        match &self.kind {
            Kind::Bad(_) => out.push((i64::from(bad_location || letter == 1), 0)),
            Kind::Automaton(_) if !edge.observed => out.push((from, 0)),
            Kind::Automaton(automaton) => {
                let at = id_of::<StateId>(from);
                let taken = automaton.edges(at).iter();
                let taken = taken.filter(|edge| automaton.holds(edge.label, letter));
                let reading = u64::from(automaton.n_sets() == 0);
                out.extend(taken.map(|edge| (code_of(edge.target), edge.marks | reading)));
            }
        }
    }

    fn letter(
        &mut self,
        cx: &Context,
        variables: &[Variable],
        codes: &Codes,
        loc: LocId,
        state: &[i64],
    ) -> u64 {
        if let Some(code) = &self.code
            && codes.are_registers(state)
            && let Ok(letter) = self.machine.truths(code, state)
        {
            return letter;
        }
        letter(cx, variables, &codes.state(cx, loc, state), &self.atoms)
    }
}
