//! Questions about finished automata: is a lasso word accepted, do two automata share a word?
//!
//! Both build the synchronous product explicitly, with a sample letter per edge, and look for an
//! accepting component; a common word is then read off a path to it and a cycle through one edge
//! of every set. Marks of both sides together fit 128 bits.

use crate::automaton::{Automaton, Cube};
use crate::formula::ApId;
use crate::limits::{LOOK, TranslateError};
use crate::scc::components;
use crate::word::LassoWord;
use lariat_base::{Budget, FxHashMap, Id};

impl Automaton {
    /// Whether `word` is accepted. An atom that the word does not know is false.
    pub fn accepts(&self, word: &LassoWord) -> bool {
        let (n_stem, n_cycle) = (word.stem().len(), word.cycle().len());
        let length = n_stem + n_cycle;
        let letters: Vec<u64> = (0..length)
            .map(|i| {
                let letter = word.letter(i);
                self.aps().iter().enumerate().fold(0, |v, (bit, ap)| {
                    let held = word
                        .aps()
                        .iter()
                        .position(|a| a == ap)
                        .is_some_and(|i| letter >> i & 1 == 1);
                    v | u64::from(held) << bit
                })
            })
            .collect();
        let n = self.n_states() * length;
        let mut rows: Vec<Vec<Step>> = Vec::with_capacity(n);
        for s in self.states() {
            for (i, &letter) in letters.iter().enumerate() {
                let next = if i + 1 < length { i + 1 } else { n_stem };
                let taken = self.edges(s).iter().filter(|e| self.holds(e.label, letter));
                rows.push(
                    taken
                        .map(|e| Step {
                            target: (e.target.index() * length + next) as u32,
                            marks: u128::from(e.marks),
                            letter,
                        })
                        .collect(),
                );
            }
        }
        let root = (self.initial().index() * length) as u32;
        accepting_component(&rows, root, u128::from(self.all_marks())).is_some()
    }

    /// A word that both automata accept, if there is one.
    pub fn common_word(
        &self,
        other: &Self,
        budget: &Budget,
    ) -> Result<Option<LassoWord>, TranslateError> {
        let mut aps: Vec<ApId> = self.aps().to_vec();
        let place: Vec<usize> = other
            .aps()
            .iter()
            .map(|ap| {
                aps.iter().position(|a| a == ap).unwrap_or_else(|| {
                    aps.push(*ap);
                    aps.len() - 1
                })
            })
            .collect();
        if aps.len() > 64 {
            return Err(TranslateError::TooManyAtoms(aps.len()));
        }
        let moved = |bits: u64| {
            let each = place.iter().enumerate();
            each.fold(0, |v, (bit, &to)| v | (bits >> bit & 1) << to)
        };
        let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut pairs = vec![(self.initial(), other.initial())];
        ids.insert((pairs[0].0.index() as u32, pairs[0].1.index() as u32), 0);
        let mut rows: Vec<Vec<Step>> = Vec::new();
        while rows.len() < pairs.len() {
            if rows.len() % 256 == 255 {
                budget.spend(LOOK)?;
            }
            let (s, t) = pairs[rows.len()];
            let mut row = Vec::new();
            for e in self.edges(s) {
                for d in other.edges(t) {
                    let mut meets = self.cubes(e.label).iter().flat_map(|c| {
                        other.cubes(d.label).iter().filter_map(|cube| {
                            c.meet(Cube {
                                mask: moved(cube.mask),
                                value: moved(cube.value),
                            })
                        })
                    });
                    let Some(sample) = meets.next() else { continue };
                    let pair = (e.target, d.target);
                    let key = (pair.0.index() as u32, pair.1.index() as u32);
                    let target = *ids.entry(key).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() as u32 - 1
                    });
                    row.push(Step {
                        target,
                        marks: u128::from(e.marks) | u128::from(d.marks) << 64,
                        letter: sample.value,
                    });
                }
            }
            rows.push(row);
        }
        let all = u128::from(self.all_marks()) | u128::from(other.all_marks()) << 64;
        Ok(accepting_component(&rows, 0, all).map(|found| {
            let (stem, cycle) = lasso(&rows, 0, &found);
            LassoWord::new(aps, stem, cycle).expect("a cycle has a step")
        }))
    }

    /// A word that the automaton accepts, if there is one.
    pub fn some_word(&self, budget: &Budget) -> Result<Option<LassoWord>, TranslateError> {
        let mut all = crate::AutomatonBuilder::new(Vec::new(), crate::Acceptance::Generalized, 0);
        let only = all.add_state();
        all.add_edge(only, vec![Cube::TRUE], 0, only);
        self.common_word(&all.finish(), budget)
    }
}

#[derive(Clone, Copy)]
struct Step {
    target: u32,
    marks: u128,
    letter: u64,
}

struct Found {
    component: u32,
    of: Vec<u32>,
    all: u128,
}

fn accepting_component(rows: &[Vec<Step>], root: u32, all: u128) -> Option<Found> {
    let of = components(rows.len(), root, |s, i| {
        rows[s as usize].get(i).map(|step| step.target)
    });
    let mut marks: FxHashMap<u32, u128> = FxHashMap::default();
    for (s, row) in rows.iter().enumerate() {
        for step in row {
            if of[s] != crate::scc::Sccs::UNREACHED && of[s] == of[step.target as usize] {
                *marks.entry(of[s]).or_default() |= step.marks;
            }
        }
    }
    let component = marks
        .iter()
        .filter(|(_, m)| **m == all)
        .map(|(c, _)| *c)
        .min()?;
    Some(Found { component, of, all })
}

/// The letters of a path from `root` into the component and of a cycle there through all marks.
fn lasso(rows: &[Vec<Step>], root: u32, found: &Found) -> (Vec<u64>, Vec<u64>) {
    let inside = |s: u32| found.of[s as usize] == found.component;
    let mut stem = Vec::new();
    let honda = if inside(root) {
        root
    } else {
        walk(
            rows,
            root,
            &|_| true,
            &|step| inside(step.target),
            &mut stem,
        )
    };
    let mut cycle = Vec::new();
    let mut at = honda;
    for set in (0..128).filter(|set| found.all >> set & 1 == 1) {
        at = walk(
            rows,
            at,
            &inside,
            &|step| step.marks >> set & 1 == 1,
            &mut cycle,
        );
    }
    if at != honda || cycle.is_empty() {
        walk(rows, at, &inside, &|step| step.target == honda, &mut cycle);
    }
    (stem, cycle)
}

/// Appends the letters of a shortest path whose last step is `wanted`, inside `allowed`.
fn walk(
    rows: &[Vec<Step>],
    from: u32,
    allowed: &dyn Fn(u32) -> bool,
    wanted: &dyn Fn(&Step) -> bool,
    letters: &mut Vec<u64>,
) -> u32 {
    let mut parent: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
    let mut queue = vec![from];
    let mut next = 0;
    while next < queue.len() {
        let s = queue[next];
        next += 1;
        for step in rows[s as usize].iter().filter(|step| allowed(step.target)) {
            if wanted(step) {
                let start = letters.len();
                letters.push(step.letter);
                let mut at = s;
                while at != from {
                    let (before, letter) = parent[&at];
                    letters.push(letter);
                    at = before;
                }
                letters[start..].reverse();
                return step.target;
            }
            if step.target != from && !parent.contains_key(&step.target) {
                parent.insert(step.target, (s, step.letter));
                queue.push(step.target);
            }
        }
    }
    unreachable!("a strongly connected component has a path to each of its edges")
}
