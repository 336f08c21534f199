//! Negation normal form: negations only on atoms, no implication, equivalence or exclusive or.
//!
//! Works on pairs (formula, negated?) with an explicit stack and a memo, so shared subformulas are
//! converted once per polarity. Past operators have their own duals (`Y`/`Z`, `O`/`H`, `S`/`T`).
//! Equivalence becomes two conjunctions, `(f & g) | (!f & !g)`: both polarities of the children are
//! needed, which the memo shares.

use crate::formula::{FormulaId, Formulas, Op};
use lariat_base::FxHashMap;

/// The negation normal form of `formula`, or of its negation.
pub(crate) fn to_nnf(formulas: &mut Formulas, formula: FormulaId, negated: bool) -> FormulaId {
    let mut memo: FxHashMap<(FormulaId, bool), FormulaId> = FxHashMap::default();
    let mut stack = vec![(formula, negated, false)];
    while let Some((f, neg, ready)) = stack.pop() {
        if memo.contains_key(&(f, neg)) {
            continue;
        }
        let op = formulas.op(f);
        let needs = needs(formulas, f, op, neg);
        if !ready {
            stack.push((f, neg, true));
            stack.extend(needs.iter().map(|&(g, n)| (g, n, false)));
            continue;
        }
        let parts: Vec<FormulaId> = needs.iter().map(|need| memo[need]).collect();
        let done = build(formulas, f, op, neg, &parts);
        memo.insert((f, neg), done);
    }
    memo[&(formula, negated)]
}

/// The children with the polarities in which they occur.
fn needs(formulas: &Formulas, f: FormulaId, op: Op, neg: bool) -> Vec<(FormulaId, bool)> {
    let children = formulas.children(f);
    match op {
        Op::Not => vec![(children[0], !neg)],
        Op::Implies => vec![(children[0], !neg), (children[1], neg)],
        Op::Iff | Op::Xor => {
            let (a, b) = (children[0], children[1]);
            vec![(a, false), (a, true), (b, false), (b, true)]
        }
        _ => children.iter().map(|&c| (c, neg)).collect(),
    }
}

fn build(
    formulas: &mut Formulas,
    f: FormulaId,
    op: Op,
    neg: bool,
    parts: &[FormulaId],
) -> FormulaId {
    match op {
        Op::Ap(_) if neg => formulas.not(f),
        Op::Ap(_) => f,
        Op::Not => parts[0],
        Op::Implies if neg => formulas.and(parts[0], parts[1]),
        Op::Implies => formulas.or(parts[0], parts[1]),
        Op::Iff | Op::Xor => {
            let same = (op == Op::Iff) != neg;
            let (a, na, b, nb) = (parts[0], parts[1], parts[2], parts[3]);
            let (b, nb) = if same { (b, nb) } else { (nb, b) };
            let one = formulas.and(a, b);
            let other = formulas.and(na, nb);
            formulas.or(one, other)
        }
        _ => {
            let op = if neg { dual(op) } else { op };
            formulas.make(op, parts)
        }
    }
}

/// The operator with which negation changes places.
pub(crate) fn dual(op: Op) -> Op {
    match op {
        Op::True => Op::False,
        Op::False => Op::True,
        Op::And => Op::Or,
        Op::Or => Op::And,
        Op::F => Op::G,
        Op::G => Op::F,
        Op::U => Op::R,
        Op::R => Op::U,
        Op::W => Op::M,
        Op::M => Op::W,
        Op::Y => Op::Z,
        Op::Z => Op::Y,
        Op::O => Op::H,
        Op::H => Op::O,
        Op::S => Op::T,
        Op::T => Op::S,
        Op::X => Op::X,
        Op::Ap(_) | Op::Not | Op::Implies | Op::Iff | Op::Xor => {
            unreachable!("{op:?} has a case of its own")
        }
    }
}
