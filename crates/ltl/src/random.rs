//! Random formulas and lasso words from a printed seed, for tests and for comparing tools.
//!
//! `SplitMix64`: small, well distributed, the same on every machine, so a seed in a bug report is the
//! whole input. Nothing here may change the sequence without a reason: seeds are written down.

use crate::formula::{ApId, FormulaId, Formulas};
use crate::word::LassoWord;

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Starts from `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is positive. The bias is negligible for small `n`.
    pub const fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }
}

/// Which operators a random formula may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operators {
    /// Boolean and future operators.
    Future,
    /// Past operators too.
    Past,
}

/// A random formula over `aps` with `size` nodes before folding. Needs at least one atom.
pub fn random_formula(
    formulas: &mut Formulas,
    rng: &mut Rng,
    aps: &[ApId],
    size: u64,
    operators: Operators,
) -> FormulaId {
    /// What to do next: make a formula of some size, or apply an operator to the finished ones.
    enum Task {
        Make(u64),
        Unary(u64),
        Binary(u64),
    }
    let mut tasks = vec![Task::Make(size)];
    let mut done: Vec<FormulaId> = Vec::new();
    while let Some(task) = tasks.pop() {
        match task {
            Task::Make(size) if size <= 1 => {
                let leaf = match rng.below(16) {
                    0 => formulas.tt(),
                    1 => formulas.ff(),
                    _ => formulas.ap(aps[rng.below(aps.len() as u64) as usize]),
                };
                done.push(leaf);
            }
            Task::Make(size) => {
                let unary = size == 2 || rng.below(3) == 0;
                if unary {
                    tasks.push(Task::Unary(rng.below(if past(operators) { 8 } else { 4 })));
                    tasks.push(Task::Make(size - 1));
                } else {
                    let left = 1 + rng.below(size - 2);
                    tasks.push(Task::Binary(rng.below(if past(operators) {
                        12
                    } else {
                        10
                    })));
                    tasks.push(Task::Make(left));
                    tasks.push(Task::Make(size - 1 - left));
                }
            }
            Task::Unary(which) => {
                let f = done.pop().expect("its argument was made");
                done.push(match which {
                    0 => formulas.not(f),
                    1 => formulas.next(f),
                    2 => formulas.finally(f),
                    3 => formulas.globally(f),
                    4 => formulas.yesterday(f),
                    5 => formulas.weak_yesterday(f),
                    6 => formulas.once(f),
                    _ => formulas.historically(f),
                });
            }
            Task::Binary(which) => {
                let f = done.pop().expect("its left argument was made");
                let g = done.pop().expect("its right argument was made");
                done.push(match which {
                    0 | 1 => formulas.and(f, g),
                    2 | 3 => formulas.or(f, g),
                    4 => formulas.implies(f, g),
                    5 if rng.below(2) == 0 => formulas.iff(f, g),
                    5 => formulas.xor(f, g),
                    6 => formulas.until(f, g),
                    7 => formulas.weak_until(f, g),
                    8 => formulas.release(f, g),
                    9 => formulas.strong_release(f, g),
                    10 => formulas.since(f, g),
                    _ => formulas.triggered(f, g),
                });
            }
        }
    }
    done.pop().expect("the formula was made")
}

fn past(operators: Operators) -> bool {
    operators == Operators::Past
}

/// A random word over `aps`: a stem of up to three letters and a cycle of one to four.
pub fn random_word(rng: &mut Rng, aps: &[ApId]) -> LassoWord {
    let mut letters = |n: u64| (0..n).map(|_| rng.bits()).collect::<Vec<u64>>();
    let keep = crate::automaton::all_marks(aps.len() as u32);
    let mut stem = letters(4);
    let mut cycle = letters(4);
    stem.truncate(rng.below(4) as usize);
    cycle.truncate(1 + rng.below(4) as usize);
    for letter in stem.iter_mut().chain(&mut cycle) {
        *letter &= keep;
    }
    LassoWord::new(aps.to_vec(), stem, cycle).expect("a cycle of one to four letters")
}
