//! The truth of every subformula at every moment of a lasso, over any algebra of truth values.
//!
//! The same equations serve two algebras: three truth values ([`Truth`], where an atom may be unknown), and decision
//! diagrams (`exact`), which say for which values of the unknown atoms a subformula is true. With all atoms known the first
//! is the usual meaning, and a test compares it with the trusted evaluator (`eval.rs`), which knows nothing of this file.
//!
//! A *moment* is a position of the unrolling: the stem, then as many rounds of the cycle as past operators can tell apart
//! (`eval.rs` says why one more than they nest suffices). All equations are monotone, and an algebra's values are tuples
//! of truth values, so what `eval.rs` says of two truth values holds of each component.

use crate::formula::{FormulaId, Formulas, Op};
use crate::word::LassoWord;
use lariat_base::FxHashMap;

/// Three truth values: what a formula is known to be when some atoms are unknown (Kleene's strong logic).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Truth {
    False,
    Unknown,
    True,
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

/// What can stand for the truth of a formula.
pub(super) trait Algebra {
    type Value: Copy;
    fn constant(&self, value: bool) -> Self::Value;
    /// The atom of this bit of the word's letters at a position of the lasso.
    fn atom(&mut self, bit: u32, position: usize) -> Self::Value;
    fn not(&mut self, a: Self::Value) -> Self::Value;
    fn and(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    fn or(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
}

/// A word of which some letters' bits are known.
pub(super) struct Known<'a> {
    /// The letters, and of each the bits that are known; positions beyond are unknown.
    pub(super) letters: &'a [u64],
    pub(super) known: &'a [u64],
}

impl Algebra for Known<'_> {
    type Value = Truth;

    fn constant(&self, value: bool) -> Truth {
        value.into()
    }

    fn atom(&mut self, bit: u32, position: usize) -> Truth {
        match self.known.get(position) {
            Some(known) if known >> bit & 1 == 1 => (self.letters[position] >> bit & 1 == 1).into(),
            _ => Truth::Unknown,
        }
    }

    fn not(&mut self, a: Truth) -> Truth {
        match a {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    fn and(&mut self, a: Truth, b: Truth) -> Truth {
        a.min(b)
    }

    fn or(&mut self, a: Truth, b: Truth) -> Truth {
        a.max(b)
    }
}

/// The moments of a lasso: its stem, then its cycle some times; the last round is followed by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moments {
    n_stem: usize,
    n_cycle: usize,
    rounds: usize,
}

impl Moments {
    pub(super) fn new(n_stem: usize, n_cycle: usize, dag: &Dag) -> Self {
        Self {
            n_stem,
            n_cycle,
            rounds: dag.past_depth + 1,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.n_stem + self.rounds * self.n_cycle
    }

    /// Never: a cycle is not empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first moment of the round that repeats.
    pub fn loop_start(&self) -> usize {
        self.len() - self.n_cycle
    }

    /// The position of the lasso at a moment: below the length of the stem and one cycle.
    pub fn position(&self, moment: usize) -> usize {
        match moment.checked_sub(self.n_stem) {
            Some(later) => self.n_stem + later % self.n_cycle,
            None => moment,
        }
    }

    /// The round of the cycle at a moment, from 1; 0 in the stem.
    pub fn round(&self, moment: usize) -> usize {
        match moment.checked_sub(self.n_stem) {
            Some(later) => later / self.n_cycle + 1,
            None => 0,
        }
    }

    /// The moment after another.
    pub fn after(&self, moment: usize) -> usize {
        if moment + 1 < self.len() {
            moment + 1
        } else {
            self.loop_start()
        }
    }
}

/// A formula as a graph whose nodes are numbered children first; the last is the whole formula.
pub(super) struct Dag {
    pub(super) nodes: Vec<DagNode>,
    past_depth: usize,
}

/// A subformula.
pub(super) struct DagNode {
    pub(super) formula: FormulaId,
    pub(super) op: Op,
    pub(super) kids: Vec<usize>,
    /// For an atom that the word lists: its bit in a letter.
    pub(super) bit: Option<u32>,
}

impl Dag {
    pub(super) fn new(formulas: &Formulas, word: &LassoWord, formula: FormulaId) -> Self {
        let mut index: FxHashMap<FormulaId, usize> = FxHashMap::default();
        let mut nodes: Vec<DagNode> = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        for f in formulas.subformulas(formula) {
            let op = formulas.op(f);
            let kids: Vec<usize> = formulas.children(f).iter().map(|kid| index[kid]).collect();
            let below = kids.iter().map(|&kid| depths[kid]).max().unwrap_or(0);
            depths.push(below + usize::from(is_past(op)));
            let bit = match op {
                Op::Ap(ap) => word.aps().iter().position(|&known| known == ap),
                _ => None,
            };
            index.insert(f, nodes.len());
            nodes.push(DagNode {
                formula: f,
                op,
                kids,
                bit: bit.map(|bit| bit as u32),
            });
        }
        Self {
            nodes,
            past_depth: depths.into_iter().max().unwrap_or(0),
        }
    }

    /// The whole formula.
    pub(super) fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// The bits of the atoms that occur outside of, and inside of, an odd number of negations.
    pub(super) fn polarities(&self) -> (u64, u64) {
        let mut seen = vec![[false; 2]; self.nodes.len()];
        seen[self.root()][0] = true;
        let mut bits = [0u64; 2];
        for (f, node) in self.nodes.iter().enumerate().rev() {
            for negated in [false, true] {
                if !seen[f][usize::from(negated)] {
                    continue;
                }
                if let Some(bit) = node.bit {
                    bits[usize::from(negated)] |= 1 << bit;
                }
                for (i, &kid) in node.kids.iter().enumerate() {
                    let flips = match node.op {
                        Op::Not => [true].as_slice(),
                        Op::Implies if i == 0 => &[true],
                        Op::Iff | Op::Xor => &[false, true],
                        _ => &[false],
                    };
                    for &flip in flips {
                        seen[kid][usize::from(negated != flip)] = true;
                    }
                }
            }
        }
        (bits[0], bits[1])
    }
}

/// Whether an operator looks back.
pub(super) fn is_past(op: Op) -> bool {
    matches!(op, Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T)
}

/// The value of each node of the graph at each moment.
pub(super) fn evaluate<A: Algebra>(
    dag: &Dag,
    moments: Moments,
    algebra: &mut A,
) -> Vec<Vec<A::Value>> {
    let mut table: Vec<Vec<A::Value>> = Vec::with_capacity(dag.nodes.len());
    for node in &dag.nodes {
        let kids: Vec<&[A::Value]> = node.kids.iter().map(|&kid| &*table[kid]).collect();
        let row = evaluate_node(node, &kids, moments, algebra);
        table.push(row);
    }
    table
}

fn evaluate_node<A: Algebra>(
    node: &DagNode,
    kids: &[&[A::Value]],
    moments: Moments,
    algebra: &mut A,
) -> Vec<A::Value> {
    let n = moments.len();
    let (a, b) = match *kids {
        [] => ([].as_slice(), [].as_slice()),
        [a] => (a, a),
        [a, b, ..] => (a, b),
    };
    let (yes, no) = (algebra.constant(true), algebra.constant(false));
    match node.op {
        Op::True => vec![yes; n],
        Op::False => vec![no; n],
        Op::Ap(_) => match node.bit {
            Some(bit) => (0..n)
                .map(|i| algebra.atom(bit, moments.position(i)))
                .collect(),
            None => vec![no; n],
        },
        Op::Not => (0..n).map(|i| algebra.not(a[i])).collect(),
        Op::And => (0..n)
            .map(|i| kids.iter().fold(yes, |all, kid| algebra.and(all, kid[i])))
            .collect(),
        Op::Or => (0..n)
            .map(|i| kids.iter().fold(no, |any, kid| algebra.or(any, kid[i])))
            .collect(),
        Op::Implies => (0..n)
            .map(|i| {
                let not = algebra.not(a[i]);
                algebra.or(not, b[i])
            })
            .collect(),
        Op::Iff => (0..n).map(|i| equal(algebra, a[i], b[i])).collect(),
        Op::Xor => (0..n)
            .map(|i| {
                let same = equal(algebra, a[i], b[i]);
                algebra.not(same)
            })
            .collect(),
        Op::X => (0..n).map(|i| a[moments.after(i)]).collect(),
        Op::F => backward(moments, no, |i, next| algebra.or(a[i], next)),
        Op::G => backward(moments, yes, |i, next| algebra.and(a[i], next)),
        Op::U => backward(moments, no, |i, next| until(algebra, a[i], b[i], next)),
        Op::W => backward(moments, yes, |i, next| until(algebra, a[i], b[i], next)),
        Op::R => backward(moments, yes, |i, next| release(algebra, a[i], b[i], next)),
        Op::M => backward(moments, no, |i, next| release(algebra, a[i], b[i], next)),
        Op::Y => (0..n)
            .map(|i| i.checked_sub(1).map_or(no, |before| a[before]))
            .collect(),
        Op::Z => (0..n)
            .map(|i| i.checked_sub(1).map_or(yes, |before| a[before]))
            .collect(),
        Op::O => forward(n, no, |i, before| algebra.or(a[i], before)),
        Op::H => forward(n, yes, |i, before| algebra.and(a[i], before)),
        Op::S => forward(n, no, |i, before| until(algebra, a[i], b[i], before)),
        Op::T => forward(n, yes, |i, before| release(algebra, a[i], b[i], before)),
    }
}

fn equal<A: Algebra>(algebra: &mut A, a: A::Value, b: A::Value) -> A::Value {
    let both = algebra.and(a, b);
    let either = algebra.or(a, b);
    let neither = algebra.not(either);
    algebra.or(both, neither)
}

/// `b`, or `a` and what comes after.
fn until<A: Algebra>(algebra: &mut A, a: A::Value, b: A::Value, next: A::Value) -> A::Value {
    let on = algebra.and(a, next);
    algebra.or(b, on)
}

/// `b`, and `a` or what comes after.
fn release<A: Algebra>(algebra: &mut A, a: A::Value, b: A::Value, next: A::Value) -> A::Value {
    let off = algebra.or(a, next);
    algebra.and(b, off)
}

/// The solution of `value(i) = step(i, value(i + 1))` nearest to `start`: one round through the loop finds the value where
/// the loop closes, a second one uses it.
fn backward<V: Copy>(moments: Moments, start: V, mut step: impl FnMut(usize, V) -> V) -> Vec<V> {
    let n = moments.len();
    let mut value = vec![start; n];
    for first in [moments.loop_start(), 0] {
        for i in (first..n).rev() {
            value[i] = step(i, value[moments.after(i)]);
        }
    }
    value
}

/// `value(i) = step(i, value(i - 1))`, with `start` before the first moment.
fn forward<V: Copy>(n: usize, start: V, mut step: impl FnMut(usize, V) -> V) -> Vec<V> {
    let mut before = start;
    (0..n)
        .map(|i| {
            before = step(i, before);
            before
        })
        .collect()
}
