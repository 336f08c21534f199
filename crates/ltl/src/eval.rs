//! Does a lasso word satisfy a formula? Straight from the semantics; part of the trusted base.
//!
//! This file uses the formula store and the word, and nothing else of the crate: no simplifier, no
//! automaton. Each subformula, children first, gets its truth value at every position of a finite
//! unrolling of the word whose last position is followed by the start of its last copy of the cycle.
//!
//! Why a finite unrolling suffices. The values of an atom repeat with the cycle from the end of the
//! stem on. Future operators keep that start. A past operator over values that repeat from position
//! `p` repeats from `p` plus one cycle at the latest: reading one cycle maps the value before it to
//! the value after it, the map is monotone on two values, and applying a monotone map twice is
//! applying it once or a constant. So with `d` nested past operators `d` more copies suffice.

use lariat_base::FxHashMap;

use crate::formula::{FormulaId, Formulas, Op};
use crate::word::LassoWord;

/// Whether `word` satisfies `formula` at its first position. An atom that the word does not list is
/// false everywhere.
pub fn satisfies(formulas: &Formulas, word: &LassoWord, formula: FormulaId) -> bool {
    truths(formulas, word, formula).values[&formula][0]
}

/// The truth of subformulas at the positions of an unrolling of a word.
#[derive(Clone, Debug)]
pub struct Truths {
    /// The subformulas, children first; the last is the whole formula.
    pub order: Vec<FormulaId>,
    /// Their values at the positions: the stem, and then the cycle as often as [`Self::n_rounds`] says.
    pub values: FxHashMap<FormulaId, Vec<bool>>,
    /// How often the cycle is there. What comes after it is like its last copy.
    pub n_rounds: usize,
}

/// The truth of all subformulas of `formula` along `word`.
pub fn truths(formulas: &Formulas, word: &LassoWord, formula: FormulaId) -> Truths {
    let order = formulas.subformulas(formula);
    let past_depth = past_depth(formulas, &order);
    let n_cycle = word.cycle().len();
    let loop_start = word.stem().len() + past_depth * n_cycle;
    let lasso = Lasso {
        n: loop_start + n_cycle,
        loop_start,
    };
    let mut values: FxHashMap<FormulaId, Vec<bool>> = FxHashMap::default();
    for &f in &order {
        let children: Vec<&[bool]> = formulas
            .children(f)
            .iter()
            .map(|child| values[child].as_slice())
            .collect();
        let value = lasso.evaluate(word, formulas.op(f), &children);
        values.insert(f, value);
    }
    Truths {
        order,
        values,
        n_rounds: past_depth + 1,
    }
}

/// The largest number of past operators above one another.
fn past_depth(formulas: &Formulas, order: &[FormulaId]) -> usize {
    let mut depths: FxHashMap<FormulaId, usize> = FxHashMap::default();
    let mut deepest = 0;
    for &f in order {
        let below = formulas.children(f).iter().map(|c| depths[c]).max();
        let own = matches!(
            formulas.op(f),
            Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T
        );
        let depth = below.unwrap_or(0) + usize::from(own);
        depths.insert(f, depth);
        deepest = deepest.max(depth);
    }
    deepest
}

/// The positions `0..n`, where `loop_start` follows `n - 1`.
struct Lasso {
    n: usize,
    loop_start: usize,
}

impl Lasso {
    fn evaluate(&self, word: &LassoWord, op: Op, children: &[&[bool]]) -> Vec<bool> {
        let (a, b) = match *children {
            [] => ([].as_slice(), [].as_slice()),
            [a] => (a, a),
            [a, b, ..] => (a, b),
        };
        let each = |value: &dyn Fn(usize) -> bool| (0..self.n).map(value).collect();
        match op {
            Op::True => vec![true; self.n],
            Op::False => vec![false; self.n],
            Op::Ap(ap) => match word.aps().iter().position(|&known| known == ap) {
                Some(bit) => each(&|i| word.letter(i) >> bit & 1 == 1),
                None => vec![false; self.n],
            },
            Op::Not => each(&|i| !a[i]),
            Op::And => each(&|i| children.iter().all(|c| c[i])),
            Op::Or => each(&|i| children.iter().any(|c| c[i])),
            Op::Implies => each(&|i| !a[i] || b[i]),
            Op::Iff => each(&|i| a[i] == b[i]),
            Op::Xor => each(&|i| a[i] != b[i]),
            Op::X => each(&|i| a[self.after(i)]),
            // The least solution for what must happen, the greatest for what may go on for ever.
            Op::F => self.backward(false, |i, next| a[i] || next),
            Op::G => self.backward(true, |i, next| a[i] && next),
            Op::U => self.backward(false, |i, next| b[i] || a[i] && next),
            Op::W => self.backward(true, |i, next| b[i] || a[i] && next),
            Op::R => self.backward(true, |i, next| b[i] && (a[i] || next)),
            Op::M => self.backward(false, |i, next| b[i] && (a[i] || next)),
            Op::Y => self.forward(false, |i, _| i > 0 && a[i - 1]),
            Op::Z => self.forward(true, |i, _| i == 0 || a[i - 1]),
            Op::O => self.forward(false, |i, before| a[i] || before),
            Op::H => self.forward(true, |i, before| a[i] && before),
            Op::S => self.forward(false, |i, before| b[i] || a[i] && before),
            Op::T => self.forward(true, |i, before| b[i] && (a[i] || before)),
        }
    }

    fn after(&self, i: usize) -> usize {
        if i + 1 < self.n {
            i + 1
        } else {
            self.loop_start
        }
    }

    /// The solution of `value(i) = step(i, value(i + 1))` nearest to `start`. One round through the
    /// loop finds the value where the loop closes, a second round uses it.
    fn backward(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut value = vec![start; self.n];
        for _ in 0..2 {
            for i in (0..self.n).rev() {
                value[i] = step(i, value[self.after(i)]);
            }
        }
        value
    }

    /// `value(i) = step(i, value(i - 1))`, with `start` before the first position.
    fn forward(&self, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut before = start;
        (0..self.n)
            .map(|i| {
                before = step(i, before);
                before
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{PlainNames, Syntax, parse_formula};
    use lariat_base::{Id, SourceId};

    fn check(formula: &str, word: &str, expected: bool) {
        let mut formulas = Formulas::new();
        let source = SourceId::from_index(0);
        let parsed = parse_formula(&mut formulas, source, formula, Syntax::Smv, &mut PlainNames)
            .expect("a formula");
        let lasso = LassoWord::parse(&mut formulas, word).expect("a word");
        let value = satisfies(&formulas, &lasso, parsed.formula);
        assert_eq!(value, expected, "{formula} on {word}");
    }

    #[test]
    fn future_operators() {
        check("p U q", "p; p; cycle{q}", true);
        check("p U q", "p; !p; cycle{q}", false);
        check("p U q", "cycle{p}", false);
        check("p W q", "cycle{p}", true);
        check("p U q", "cycle{q & !p}", true);
        check("q R p", "p; p & q; cycle{!p & !q}", true);
        check("q R p", "p; q & !p; cycle{!p & !q}", false);
        check("q M p", "cycle{p & !q}", false);
        check("G F p", "cycle{p; !p}", true);
        check("F G p", "cycle{p; !p}", false);
        check("X X p", "!p; cycle{!p; p}", true);
        check("X[3] p", "cycle{p; !p}", false);
        check("F[1..2] p", "!p; !p; p; cycle{!p}", true);
        check("F[1..2] p", "p; !p; !p; cycle{p}", false);
        check("G[1,2] p", "!p; p; p; cycle{!p}", true);
        check("p ~> q", "p; !p; q; cycle{!p}", true);
        check("p ~> q", "p; !p; q; cycle{p & !q}", false);
    }

    #[test]
    fn past_operators() {
        check("Y p", "cycle{p}", false);
        check("Z p", "cycle{!p}", true);
        check("X Y p", "p; cycle{!p}", true);
        check("G O p", "p; cycle{!p}", true);
        check("G O p", "!p; cycle{p}", false);
        check("F H p", "p; cycle{!p}", true);
        check("F G O p", "!p; cycle{p}", true);
        check("G(q -> p S r)", "r & !q; p; p & q; cycle{!q}", true);
        check("G(q -> p S r)", "r & !q; !p; p & q; cycle{!q}", false);
        check("X X (p T q)", "p & q; q; q; cycle{!q}", true);
        check("X X (p T q)", "q; q; !q; cycle{q & p}", false);
        // True only from the second copy of the cycle on: the unrolling must be long enough.
        check("F G (q -> Y O p)", "cycle{q; p & !q}", true);
        check("X[4] (H (p -> Y Y O q))", "cycle{q; p & !q; q}", false);
        check("G F (p & O(q & O(p & O q)))", "cycle{p & !q; q & !p}", true);
        check(
            "X[2] (p & O(q & O(p & O q)))",
            "cycle{p & !q; q & !p}",
            false,
        );
    }
}
