//! Reads the body of an automaton: states, edges and their acceptance sets.
//!
//! Within a state either the state, all of its edges or none of them have labels; without labels there
//! is one edge per valuation. Numbers of states and sets are checked against the headers.

use lariat_base::{Diagnostic, Span};

use super::lex::Tok;
use super::read::{Read, Reader};
use super::{HoaAutomaton, HoaEdge, HoaState};

impl Reader<'_> {
    /// The states of the body; false if the automaton was aborted.
    pub(super) fn body(&mut self, automaton: &mut HoaAutomaton) -> Read<bool> {
        let mut defined = lariat_base::FxHashSet::default();
        loop {
            match self.peek() {
                Some(Tok::End | Tok::Abort) => {
                    let ended = self.peek() == Some(&Tok::End);
                    self.at += 1;
                    return Ok(ended);
                }
                Some(Tok::Header(name)) if name == "State" => self.at += 1,
                _ => return Err(self.error("expected `State:` or `--END--`")),
            }
            let label = self.bracketed_label(automaton)?;
            let place = self.span();
            let id = self.number("the number of the state")?;
            check_state(automaton, id, place)?;
            if !defined.insert(id) {
                let message = format!("state {id} is defined twice");
                return Err(Diagnostic::error("hoa-state", message).at(place).into());
            }
            let name = self.take_text();
            let marks = self.marks(automaton)?;
            let mut state = HoaState {
                id,
                label,
                name,
                marks,
                edges: Vec::new(),
            };
            self.edges(automaton, &mut state, place)?;
            automaton.states.push(state);
        }
    }

    fn edges(&mut self, automaton: &HoaAutomaton, state: &mut HoaState, place: Span) -> Read<()> {
        loop {
            let begin = self.span();
            let label = self.bracketed_label(automaton)?;
            let targets = match self.peek() {
                Some(Tok::Number(_)) => self.conjunction()?,
                _ if label.is_some() => return Err(self.error("expected a state after the label")),
                _ => break,
            };
            for &target in &targets {
                check_state(automaton, target, begin)?;
            }
            let first = state.edges.first().map(|edge| edge.label.is_some());
            let mixed = first.is_some_and(|first| first != label.is_some());
            if mixed || state.label.is_some() && label.is_some() {
                let message = "either the state, all of its edges or none of them have labels";
                return Err(Diagnostic::error("hoa-label", message).at(begin).into());
            }
            let marks = self.marks(automaton)?;
            state.edges.push(HoaEdge {
                label,
                targets,
                marks,
            });
        }
        let implicit =
            state.label.is_none() && state.edges.first().is_some_and(|edge| edge.label.is_none());
        let n_aps = automaton.aps.len() as u32;
        if implicit && 1usize.checked_shl(n_aps) != Some(state.edges.len()) {
            let message = format!(
                "state {} has {} edges without labels; with {n_aps} propositions it needs 2^{n_aps}",
                state.id,
                state.edges.len(),
            );
            return Err(Diagnostic::error("hoa-label", message).at(place).into());
        }
        Ok(())
    }

    fn marks(&mut self, automaton: &HoaAutomaton) -> Read<Vec<u32>> {
        let mut marks = Vec::new();
        if !self.take_sign('{') {
            return Ok(marks);
        }
        loop {
            let place = self.span();
            let Some(set) = self.take_number() else { break };
            if set >= automaton.n_sets {
                let message = format!(
                    "there is no acceptance set {set}; `Acceptance:` says {}",
                    automaton.n_sets
                );
                return Err(Diagnostic::error("hoa-set", message).at(place).into());
            }
            marks.push(set);
        }
        self.expect_sign('}')?;
        Ok(marks)
    }
}

/// Whether the headers allow a state of this number.
pub(super) fn check_state(automaton: &HoaAutomaton, id: u32, place: Span) -> Read<()> {
    match automaton.n_states {
        Some(n) if id >= n => {
            let message = format!("there is no state {id}; `States:` says {n}");
            Err(Diagnostic::error("hoa-state", message).at(place).into())
        }
        _ => Ok(()),
    }
}
