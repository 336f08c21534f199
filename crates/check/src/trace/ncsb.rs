//! The complement of a semi-deterministic Büchi automaton, on the fly (NCSB).
//!
//! A word is not accepted if every run that has jumped takes finitely many accepting steps. The complement follows all
//! runs at once and guesses, for each, its last accepting step. **N** are the states of the first part; **C** runs that may
//! still take accepting steps, to be *checked*; **S** runs that are *safe*: they take none any more, and the guess was wrong
//! if one does. A run becomes safe when it jumps or takes an accepting step. **B** are those of the checked runs
//! that were there when B was last empty: again and again all of them must have become safe or have ended.
//!
//! Blahoudek, Heizmann, Schewe, Strejček, Tsai, "Complementing semi-deterministic Büchi automata" (TACAS 2016), with
//! acceptance on steps, so that a step into S is a guess that is tested at the next accepting one.
//!
//! Invariant: C and S are disjoint. A state that is reached by a safe run and by a checked one that did not accept has no
//! place: their futures are the same, so one of the guesses was wrong.

use super::words::{Buchi, Layer, Read, SemiDeterministic, Step, WordStateId};
use crate::acceptance::MarkSetId;
use crate::session::Halt;
use lariat_base::{Id as _, Interner};
use std::collections::BTreeSet;

/// The complement of an automaton.
pub(crate) struct Ncsb<A> {
    automaton: A,
    /// Carried by steps from where B is empty.
    marks: MarkSetId,
    states: Interner<WordStateId, Sets>,
}

/// A state of the complement.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Sets {
    n: BTreeSet<WordStateId>,
    c: BTreeSet<WordStateId>,
    s: BTreeSet<WordStateId>,
    b: BTreeSet<WordStateId>,
}

/// What must become of the runs of a state, and what may.
#[derive(Default)]
struct Runs {
    checked: BTreeSet<WordStateId>,
    safe: BTreeSet<WordStateId>,
    /// They may be either.
    free: BTreeSet<WordStateId>,
}

impl<A> Ncsb<A> {
    /// The complement of `automaton`; `marks` has the one Büchi mark that its accepting cycles must have.
    pub fn new(automaton: A, marks: MarkSetId) -> Self {
        Self {
            automaton,
            marks,
            states: Interner::new(),
        }
    }

    /// The runs after a letter; nothing if a safe one accepts.
    fn runs<W>(&mut self, world: &mut W, from: &Sets, read: Read) -> Result<Option<Runs>, Halt>
    where
        A: SemiDeterministic<W>,
    {
        let mut runs = Runs::default();
        for &state in &from.s {
            match self.automaton.second(world, state, read)? {
                Some((_, true)) => return Ok(None),
                Some((next, false)) => {
                    runs.safe.insert(next);
                }
                None => {}
            }
        }
        for &state in &from.c {
            match self.automaton.second(world, state, read)? {
                Some((next, true)) => {
                    runs.free.insert(next);
                }
                Some((next, false)) => {
                    runs.checked.insert(next);
                }
                None => {}
            }
        }
        let mut jumped = Vec::new();
        for &state in &from.n {
            self.automaton.jump(world, state, read, &mut jumped)?;
        }
        runs.free.extend(jumped);
        if !runs.safe.is_disjoint(&runs.checked) {
            return Ok(None);
        }
        runs.free
            .retain(|state| !runs.safe.contains(state) && !runs.checked.contains(state));
        Ok(Some(runs))
    }

    /// The runs of B after a letter.
    fn watched<W>(
        &mut self,
        world: &mut W,
        from: &Sets,
        read: Read,
    ) -> Result<BTreeSet<WordStateId>, Halt>
    where
        A: SemiDeterministic<W>,
    {
        let mut watched = BTreeSet::new();
        for &state in &from.b {
            let next = self.automaton.second(world, state, read)?;
            watched.extend(next.map(|(next, _)| next));
        }
        Ok(watched)
    }
}

impl<W, A: SemiDeterministic<W>> Layer<W> for Ncsb<A> {
    fn initial(&mut self) -> Vec<WordStateId> {
        let start = Sets {
            n: self.automaton.initial().into_iter().collect(),
            ..Sets::default()
        };
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
        let Some(runs) = self.runs(world, &from, read)? else {
            return Ok(());
        };
        let mut n = Vec::new();
        for &state in &from.n {
            self.automaton.first(world, state, read, &mut n)?;
        }
        let watched = self.watched(world, &from, read)?;
        let free: Vec<WordStateId> = runs.free.iter().copied().collect();
        for choice in choices(free.len()) {
            let (mut c, mut s) = (runs.checked.clone(), runs.safe.clone());
            for (i, &state) in free.iter().enumerate() {
                if choice[i] {
                    s.insert(state);
                } else {
                    c.insert(state);
                }
            }
            let b = if from.b.is_empty() {
                c.clone()
            } else {
                watched.intersection(&c).copied().collect()
            };
            let n = n.iter().copied().collect();
            let state = self.states.intern(Sets { n, c, s, b });
            let marks = if from.b.is_empty() {
                self.marks
            } else {
                MarkSetId::EMPTY
            };
            let letter = read.letter;
            out.push(Step {
                state,
                marks,
                letter,
            });
        }
        Ok(())
    }
}

/// All ways to choose among `n` things, the one that takes all of them first.
fn choices(n: usize) -> impl Iterator<Item = Vec<bool>> {
    let mut next = Some(vec![true; n]);
    std::iter::from_fn(move || {
        let choice = next.take()?;
        let mut after = choice.clone();
        if let Some(last) = after.iter().rposition(|&taken| taken) {
            after[last] = false;
            after[last + 1..].fill(true);
            next = Some(after);
        }
        Some(choice)
    })
}

/// A semi-deterministic automaton as a Büchi automaton: an accepting step is a state after it.
pub(crate) struct AsBuchi<A> {
    automaton: A,
    states: Interner<WordStateId, Place>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    First(WordStateId),
    Second(WordStateId, bool),
}

impl<A> AsBuchi<A> {
    /// The same language.
    pub fn new<W>(automaton: A) -> Self
    where
        A: SemiDeterministic<W>,
    {
        let mut states = Interner::new();
        for state in automaton.initial() {
            let _: WordStateId = states.intern(Place::First(state));
        }
        Self { automaton, states }
    }
}

impl<W, A: SemiDeterministic<W>> Buchi<W> for AsBuchi<A> {
    fn initial(&self) -> Vec<WordStateId> {
        let n = self.automaton.initial().len();
        (0..n).map(WordStateId::from_index).collect()
    }

    fn is_accepting(&self, state: WordStateId) -> bool {
        matches!(self.states[state], Place::Second(_, true))
    }

    fn step(
        &mut self,
        world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        match self.states[from] {
            Place::First(state) => {
                let (mut stay, mut jump) = (Vec::new(), Vec::new());
                self.automaton.first(world, state, read, &mut stay)?;
                self.automaton.jump(world, state, read, &mut jump)?;
                let stay = stay.into_iter().map(Place::First);
                let jump = jump.into_iter().map(|state| Place::Second(state, false));
                for place in stay.chain(jump) {
                    out.push(self.states.intern(place));
                }
            }
            Place::Second(state, _) => {
                if let Some((next, accepts)) = self.automaton.second(world, state, read)? {
                    out.push(self.states.intern(Place::Second(next, accepts)));
                }
            }
        }
        Ok(())
    }
}
