//! How the automaton reads a counterexample: a run of it that accepts the word, for showing to a person.

use crate::acceptance::{Acceptance, MarkSets};
use crate::graph::{Arc, Graph, NodeId};
use crate::reader::EdgeMarks;
use crate::search::{EmptinessCheck, Scc};
use lariat_base::{Budget, Id, Stop};
use lariat_ltl::{Automaton, LassoWord, StateId};

/// The state of the automaton after each letter of the stem and of the first round of the cycle, on an
/// accepting run; nothing if the word is not accepted.
pub fn accepting_run(automaton: &Automaton, word: &LassoWord) -> Option<Vec<StateId>> {
    let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
    let mut graph = WordGraph {
        automaton,
        marks: EdgeMarks::new(automaton, &mut acceptance, &mut sets),
        word,
        acceptance,
        sets,
    };
    let lasso = Scc::new().search(&mut graph, &Budget::unlimited()).ok()??;
    let hops = lasso.stem.hops.iter().chain(lasso.cycle.iter().cycle());
    let n_letters = word.stem().len() + word.cycle().len();
    Some(
        hops.take(n_letters)
            .map(|hop| graph.state(hop.to))
            .collect(),
    )
}

/// Positions of the word times states of the automaton.
struct WordGraph<'a> {
    automaton: &'a Automaton,
    marks: EdgeMarks,
    word: &'a LassoWord,
    acceptance: Acceptance,
    sets: MarkSets,
}

impl WordGraph<'_> {
    fn node(&self, position: usize, state: StateId) -> NodeId {
        NodeId::from_index(position * self.automaton.n_states() + state.index())
    }

    fn state(&self, node: NodeId) -> StateId {
        StateId::from_index(node.index() % self.automaton.n_states())
    }
}

impl Graph for WordGraph<'_> {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        out.push(self.node(0, self.automaton.initial()));
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        let position = node.index() / self.automaton.n_states();
        let n_letters = self.word.stem().len() + self.word.cycle().len();
        let next = if position + 1 < n_letters {
            position + 1
        } else {
            self.word.stem().len()
        };
        let letter = self.word.letter(position);
        let moves = self.marks.moves(self.automaton, self.state(node), letter);
        out.extend(moves.map(|(state, marks)| Arc {
            target: self.node(next, state),
            marks,
        }));
        Ok(())
    }

    fn is_goal(&mut self, _node: NodeId) -> Result<bool, Stop> {
        Ok(false)
    }
}
