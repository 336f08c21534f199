//! The complement of a Büchi automaton, on the fly, by ranks.
//!
//! A word is not accepted exactly if the states of all its runs can be *ranked* at each position such that ranks never rise
//! along a run, accepting states have even ranks, and every run is stuck at an odd one in the end (Kupferman and Vardi,
//! "Weak alternating automata are not that weak", TOCL 2001). From some position on such ranks are *tight*: the largest is odd, the
//! same for ever, and every odd rank below it occurs (Friedgut, Kupferman, Vardi, "Büchi complementation made
//! tighter", IJFCS 2006). So the complement follows the set of states that can be reached, guesses once that ranks
//! are tight from here on, and then ranks each set. *O* are the runs at even ranks that were there when O was last empty: it must
//! become empty again and again.
//!
//! This is the last resort: there are many rankings. Automata that are semi-deterministic go to `ncsb.rs`.

use super::words::{Buchi, Layer, Read, Step, WordStateId};
use crate::acceptance::MarkSetId;
use crate::session::Halt;
use lariat_base::Interner;
use std::collections::{BTreeMap, BTreeSet};

/// The complement of an automaton.
pub(crate) struct RankBased<A> {
    automaton: A,
    /// Carried by steps from where nothing is owed.
    marks: MarkSetId,
    states: Interner<WordStateId, Guess>,
}

/// A state of the complement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Guess {
    /// All states of the automaton that can be reached.
    Reached(BTreeSet<WordStateId>),
    /// The same with tight ranks.
    Ranked {
        ranks: BTreeMap<WordStateId, usize>,
        owing: BTreeSet<WordStateId>,
    },
}

impl Guess {
    /// Whether nothing is owed. Where no run is left, none accepts.
    fn is_settled(&self) -> bool {
        match self {
            Self::Reached(states) => states.is_empty(),
            Self::Ranked { owing, .. } => owing.is_empty(),
        }
    }
}

impl<A> RankBased<A> {
    /// The complement of `automaton`; `marks` has the one Büchi mark that its accepting cycles must have.
    pub fn new(automaton: A, marks: MarkSetId) -> Self {
        Self {
            automaton,
            marks,
            states: Interner::new(),
        }
    }

    fn after<W>(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
    ) -> Result<Vec<WordStateId>, Halt>
    where
        A: Buchi<W>,
    {
        let mut after = Vec::new();
        self.automaton.step(world, from, read, &mut after)?;
        Ok(after)
    }

    /// The tight rankings up to some ranks, with the largest one that is given, or any.
    fn rankings<W>(
        &self,
        most: &BTreeMap<WordStateId, usize>,
        largest: Option<usize>,
    ) -> Vec<BTreeMap<WordStateId, usize>>
    where
        A: Buchi<W>,
    {
        let mut partial = vec![BTreeMap::new()];
        for (&state, &most) in most {
            let is_even = self.automaton.is_accepting(state);
            let ranks = (0..=most).filter(|rank| !is_even || rank % 2 == 0);
            let ranks: Vec<usize> = ranks.collect();
            let longer = partial.iter().flat_map(|ranking| {
                ranks.iter().map(move |&rank| {
                    let mut ranking: BTreeMap<WordStateId, usize> = ranking.clone();
                    ranking.insert(state, rank);
                    ranking
                })
            });
            partial = longer.collect();
        }
        partial.retain(|ranking| is_tight(ranking, largest));
        partial
    }
}

/// Whether the largest rank is odd, the given one if one is given, and all smaller odd ones occur.
fn is_tight(ranking: &BTreeMap<WordStateId, usize>, largest: Option<usize>) -> bool {
    let Some(&most) = ranking.values().max() else {
        return false;
    };
    let occurs = |rank: usize| ranking.values().any(|&other| other == rank);
    most % 2 == 1
        && largest.is_none_or(|largest| largest == most)
        && (1..most).step_by(2).all(occurs)
}

impl<W, A: Buchi<W>> Layer<W> for RankBased<A> {
    fn initial(&mut self) -> Vec<WordStateId> {
        let start = Guess::Reached(self.automaton.initial().into_iter().collect());
        vec![self.states.intern(start)]
    }

    fn step(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let from = self.states[from].clone();
        let (mut next, is_settled) = (Vec::new(), from.is_settled());
        match from {
            Guess::Reached(states) => {
                let mut reached = BTreeSet::new();
                for &state in &states {
                    reached.extend(self.after(world, state, read)?);
                }
                let is_odd = |state: &&WordStateId| !self.automaton.is_accepting(**state);
                let n_odd = reached.iter().filter(is_odd).count();
                let most = (2 * n_odd).saturating_sub(1);
                let most = reached.iter().map(|&state| (state, most)).collect();
                for ranks in self.rankings(&most, None) {
                    let owing = BTreeSet::new();
                    next.push(Guess::Ranked { ranks, owing });
                }
                next.push(Guess::Reached(reached));
            }
            Guess::Ranked { ranks, owing } => {
                let mut most: BTreeMap<WordStateId, usize> = BTreeMap::new();
                let mut owed = BTreeSet::new();
                for (&state, &rank) in &ranks {
                    for after in self.after(world, state, read)? {
                        let known = most.entry(after).or_insert(rank);
                        *known = rank.min(*known);
                        if is_settled || owing.contains(&state) {
                            owed.insert(after);
                        }
                    }
                }
                let largest = ranks.values().max().copied();
                for ranks in self.rankings(&most, largest) {
                    let is_even = |state: &&WordStateId| ranks[*state] % 2 == 0;
                    let owing = owed.iter().filter(is_even).copied().collect();
                    next.push(Guess::Ranked { ranks, owing });
                }
            }
        }
        let marks = if is_settled {
            self.marks
        } else {
            MarkSetId::EMPTY
        };
        let letter = read.letter;
        for guess in next {
            let state = self.states.intern(guess);
            out.push(Step {
                state,
                marks,
                letter,
            });
        }
        Ok(())
    }
}
