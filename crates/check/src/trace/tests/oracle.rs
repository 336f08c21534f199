//! Random automata over two letters, random lasso words, and membership by the definition: all pairs of a position of the word and a
//! state, and which of them reach which.

use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::session::Halt;
use crate::trace::left::{Ground, GroundArc};
use crate::trace::words::{Buchi, LetterId, Read, SemiDeterministic, WordStateId};
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::TermId;
use lariat_ltl::Rng;
use std::hash::Hash;

const N_LETTERS: usize = 2;

/// A lasso word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub stem: Vec<LetterId>,
    pub cycle: Vec<LetterId>,
}

impl Word {
    pub fn random(rng: &mut Rng) -> Self {
        let letters = |rng: &mut Rng, n: u64| -> Vec<LetterId> {
            let letter = |rng: &mut Rng| LetterId::from_index(rng.below(N_LETTERS as u64) as usize);
            (0..n).map(|_| letter(rng)).collect()
        };
        let n = rng.below(4);
        let stem = letters(rng, n);
        let n = 1 + rng.below(4);
        let cycle = letters(rng, n);
        Self { stem, cycle }
    }

    /// Whether some run over the word goes round a cycle with a marked step, for ever.
    pub fn has_marked_cycle<S: Clone + Eq + Hash>(
        &self,
        starts: &[S],
        mut step: impl FnMut(&S, LetterId) -> Vec<(S, bool)>,
    ) -> bool {
        let n = self.stem.len() + self.cycle.len();
        let word: Vec<LetterId> = [&self.stem[..], &self.cycle].concat();
        let mut numbers: FxHashMap<(usize, S), usize> = FxHashMap::default();
        let mut nodes: Vec<(usize, S)> = Vec::new();
        let mut arcs: Vec<(usize, usize, bool)> = Vec::new();
        for start in starts {
            numbers.insert((0, start.clone()), nodes.len());
            nodes.push((0, start.clone()));
        }
        let mut next = 0;
        while let Some((position, state)) = nodes.get(next).cloned() {
            let after = if position + 1 == n {
                self.stem.len()
            } else {
                position + 1
            };
            for (target, is_marked) in step(&state, word[position]) {
                let key = (after, target);
                let number = *numbers.entry(key.clone()).or_insert_with(|| {
                    nodes.push(key);
                    nodes.len() - 1
                });
                arcs.push((next, number, is_marked));
            }
            next += 1;
        }
        let mut before = vec![Vec::new(); nodes.len()];
        for &(from, to, _) in &arcs {
            before[to].push(from);
        }
        // The nodes from which a marked step can be taken, and after it another, and so on: the largest set in which
        // every node reaches a marked step that stays in it.
        let mut alive = vec![true; nodes.len()];
        loop {
            let marked = arcs.iter().filter(|&&(_, to, marked)| marked && alive[to]);
            let mut todo: Vec<usize> = marked.map(|arc| arc.0).collect();
            let mut reaching = vec![false; nodes.len()];
            while let Some(at) = todo.pop() {
                if alive[at] && !std::mem::replace(&mut reaching[at], true) {
                    todo.extend(&before[at]);
                }
            }
            if reaching == alive {
                return alive.iter().take(starts.len()).any(|&alive| alive);
            }
            alive = reaching;
        }
    }
}

/// An automaton as a table: by state and letter, the states after it.
#[derive(Clone, Debug)]
pub(super) struct Table {
    steps: Vec<Vec<Vec<usize>>>,
    accepting: Vec<bool>,
}

pub(super) fn random_table(rng: &mut Rng, max_states: u64) -> Table {
    let n = 1 + rng.below(max_states);
    let density = 20 + rng.below(50);
    let targets = |rng: &mut Rng| -> Vec<usize> {
        (0..n as usize)
            .filter(|_| rng.below(100) < density)
            .collect()
    };
    let row = |rng: &mut Rng| (0..N_LETTERS).map(|_| targets(rng)).collect();
    Table {
        steps: (0..n).map(|_| row(rng)).collect(),
        accepting: (0..n).map(|_| rng.below(3) == 0).collect(),
    }
}

impl Table {
    pub fn accepts(&self, word: &Word) -> bool {
        word.has_marked_cycle(&[0usize], |&state, letter| {
            let after = self.steps[state][letter.index()].iter();
            after.map(|&to| (to, self.accepting[state])).collect()
        })
    }
}

impl<W> Buchi<W> for Table {
    fn initial(&self) -> Vec<WordStateId> {
        vec![WordStateId::from_index(0)]
    }

    fn is_accepting(&self, state: WordStateId) -> bool {
        self.accepting[state.index()]
    }

    fn step(
        &mut self,
        _world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        let after = &self.steps[from.index()][read.letter.index()];
        out.extend(after.iter().map(|&to| WordStateId::from_index(to)));
        Ok(())
    }
}

/// A semi-deterministic automaton as tables.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    first: Vec<Vec<Vec<usize>>>,
    jumps: Vec<Vec<Vec<usize>>>,
    second: Vec<Vec<Option<(usize, bool)>>>,
}

pub(super) fn random_parts(rng: &mut Rng, max_states: u64) -> Parts {
    let (n_first, n_second) = (1 + rng.below(max_states.min(3)), 1 + rng.below(max_states));
    let some = |rng: &mut Rng, n: u64, percent: u64| -> Vec<usize> {
        (0..n as usize)
            .filter(|_| rng.below(100) < percent)
            .collect()
    };
    let table = |rng: &mut Rng, n: u64, percent: u64| -> Vec<Vec<Vec<usize>>> {
        (0..n_first)
            .map(|_| (0..N_LETTERS).map(|_| some(rng, n, percent)).collect())
            .collect()
    };
    let (first, jumps) = (table(rng, n_first, 50), table(rng, n_second, 30));
    let target = |rng: &mut Rng| {
        let is_there = rng.below(10) < 8;
        is_there.then(|| (rng.below(n_second) as usize, rng.below(3) == 0))
    };
    let row = |rng: &mut Rng| (0..N_LETTERS).map(|_| target(rng)).collect();
    Parts {
        first,
        jumps,
        second: (0..n_second).map(|_| row(rng)).collect(),
    }
}

impl Parts {
    pub fn accepts(&self, word: &Word) -> bool {
        word.has_marked_cycle(&[(true, 0)], |&(is_first, state), letter| {
            let letter = letter.index();
            if !is_first {
                let after = self.second[state][letter].into_iter();
                return after.map(|(to, marked)| ((false, to), marked)).collect();
            }
            let stay = self.first[state][letter].iter();
            let stay = stay.map(|&to| ((true, to), false));
            let jump = self.jumps[state][letter].iter();
            stay.chain(jump.map(|&to| ((false, to), false))).collect()
        })
    }
}

fn ids(states: &[usize]) -> impl Iterator<Item = WordStateId> {
    states.iter().map(|&state| WordStateId::from_index(state))
}

impl<W> SemiDeterministic<W> for Parts {
    fn initial(&self) -> Vec<WordStateId> {
        vec![WordStateId::from_index(0)]
    }

    fn first(
        &mut self,
        _world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        out.extend(ids(&self.first[from.index()][read.letter.index()]));
        Ok(())
    }

    fn jump(
        &mut self,
        _world: &mut W,
        from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        out.extend(ids(&self.jumps[from.index()][read.letter.index()]));
        Ok(())
    }

    fn second(
        &mut self,
        _world: &mut W,
        from: WordStateId,
        read: Read,
    ) -> Result<Option<(WordStateId, bool)>, Halt> {
        let after = self.second[from.index()][read.letter.index()];
        Ok(after.map(|(to, accepts)| (WordStateId::from_index(to), accepts)))
    }
}

/// What words are subtracted from: a generalized automaton with up to two sets, on arcs.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// By place: letter, target, and the sets that the arc is in, as bits.
    arcs: Vec<Vec<(usize, usize, u32)>>,
    n_sets: u32,
    acceptance: Acceptance,
    sets: MarkSets,
    /// By set of bits.
    marks: Vec<MarkSetId>,
}

impl Field {
    pub fn random(rng: &mut Rng) -> Self {
        let n = 1 + rng.below(3) as usize;
        let n_sets = rng.below(3) as u32;
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let all: Vec<_> = (0..n_sets).map(|_| acceptance.add_buchi()).collect();
        let marks = (0..1u32 << n_sets).map(|bits| {
            let has = |i: &usize| bits >> i & 1 == 1;
            sets.of((0..all.len()).filter(has).map(|i| all[i]))
        });
        let marks = marks.collect();
        let row = |rng: &mut Rng| {
            let mut row = Vec::new();
            for letter in 0..N_LETTERS {
                for target in 0..n {
                    if rng.below(100) < 55 {
                        row.push((letter, target, rng.below(1 << n_sets) as u32));
                    }
                }
            }
            row
        };
        Self {
            arcs: (0..n).map(|_| row(rng)).collect(),
            n_sets,
            acceptance,
            sets,
            marks,
        }
    }

    /// The marks of a new layer.
    pub fn add_mark(&mut self) -> MarkSetId {
        let mark = self.acceptance.add_buchi();
        self.sets.of([mark])
    }

    /// Whether a run meets all sets again and again: the sets are waited for in turn.
    pub fn accepts(&self, word: &Word) -> bool {
        word.has_marked_cycle(&[(0usize, 0u32)], |&(place, waits), letter| {
            let arcs = self.arcs[place].iter();
            arcs.filter(|arc| arc.0 == letter.index())
                .map(|&(_, target, bits)| {
                    let mut next = waits;
                    while next < self.n_sets && bits >> next & 1 == 1 {
                        next += 1;
                    }
                    let is_round = next == self.n_sets;
                    ((target, if is_round { 0 } else { next }), is_round)
                })
                .collect()
        })
    }

    fn row(&self, place: usize) -> Vec<GroundArc> {
        let arcs = self.arcs[place].iter();
        arcs.map(|&(letter, target, bits)| GroundArc {
            letter: LetterId::from_index(letter),
            target,
            marks: self.marks[bits as usize],
        })
        .collect()
    }
}

impl Ground for Field {
    /// Words start at place 0: the first letter leads on from there.
    fn start(&mut self) -> Result<Vec<GroundArc>, Halt> {
        Ok(self.row(0))
    }

    fn arcs(&mut self, place: usize) -> Result<Vec<GroundArc>, Halt> {
        Ok(self.row(place))
    }

    fn is_goal(&self, _place: usize) -> bool {
        false
    }

    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn both(&mut self, one: Option<TermId>, other: Option<TermId>) -> Option<TermId> {
        one.or(other)
    }

    fn always(&self) -> TermId {
        TermId::from_index(0)
    }
}
