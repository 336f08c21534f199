//! Candidates among bit-vectors: terms of the component as signed numbers, in a width in which nothing wraps around.
//!
//! A measure of bit-vectors is the signed value of a term, so any term is one. It is a useful one only if its arithmetic
//! does not wrap around where the loop's does not. So what the loop compares or writes is extended by some bits first, with
//! or without a sign as the loop reads it (comparing in the program's own width loses `x < y ⇒ 0 < y − x`). A number that
//! does wrap around in the loop increases in that step, like any other that increases.
//!
//! Widening beats integers: solvers answer questions about conversions to integers late or never.

use super::cells::has_cases;
use super::measure::number;
use crate::session::Session;
use lariat_expr::{BvOp, Int, Op, TermId, Terms, Value, VarId};

/// By how many bits terms are extended: their differences, and the sums of two of these, do not wrap around.
const EXTRA: u32 = 3;

/// How a term is read as a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Unsigned,
    Signed,
}

/// The width of a term that is a bit-vector.
pub(super) fn width(terms: &Terms, term: TermId) -> Option<u32> {
    terms.sorts.bv_width(terms.sort(term))
}

/// An operator of bit-vectors on arguments that fit.
pub(super) fn bits(terms: &mut Terms, op: BvOp, args: &[TermId]) -> TermId {
    terms.build(Op::Bv(op), args).expect("the sorts fit")
}

/// A bit-vector in a larger width.
fn widened(terms: &mut Terms, term: TermId, sign: Sign) -> Option<TermId> {
    let wide = width(terms, term)?.checked_add(EXTRA)?;
    let op = match sign {
        Sign::Unsigned => BvOp::Zext(wide),
        Sign::Signed => BvOp::Sext(wide),
    };
    terms.build(Op::Bv(op), &[term]).ok()
}

/// The distances of the sides of comparisons, of which all variables are among those of the state.
pub(super) fn slacks(session: &mut Session, roots: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for atom in session.cx.terms.subterms(roots) {
        let Some((signs, low, high)) = sides(&session.cx.terms, atom) else {
            continue;
        };
        let terms = &mut session.cx.terms;
        let read = terms.free_vars(&[low, high]);
        let is_of_state = read.iter().all(|var| session.variables.contains(var));
        if !is_of_state || has_cases(terms, &[low, high]) {
            continue;
        }
        for &sign in signs {
            let sides = [low, high].map(|side| widened(terms, side, sign));
            if let [Some(low), Some(high)] = sides {
                let [up, down] = [[high, low], [low, high]].map(|pair| minus(terms, pair));
                let one = number(terms, up, 1);
                found.extend([up, down, bits(terms, BvOp::Sub, &[up, one])]);
            }
        }
    }
    found
}

/// The difference of two bit-vectors.
fn minus(terms: &mut Terms, [left, right]: [TermId; 2]) -> TermId {
    if right == number(terms, right, 0) {
        return left;
    }
    bits(terms, BvOp::Sub, &[left, right])
}

/// The two sides of a comparison of bit-vectors, and how they may be read.
fn sides(terms: &Terms, atom: TermId) -> Option<(&'static [Sign], TermId, TermId)> {
    const EITHER: &[Sign] = &[Sign::Unsigned, Sign::Signed];
    let ops: [(Op, &[Sign]); 5] = [
        (Op::Bv(BvOp::Ult), &[Sign::Unsigned]),
        (Op::Bv(BvOp::Ule), &[Sign::Unsigned]),
        (Op::Bv(BvOp::Slt), &[Sign::Signed]),
        (Op::Bv(BvOp::Sle), &[Sign::Signed]),
        (Op::Eq, EITHER),
    ];
    ops.into_iter().find_map(|(op, signs)| {
        let &[low, high] = terms.as_op(atom, op)? else {
            return None;
        };
        width(terms, low).map(|_| (signs, low, high))
    })
}

/// The bit-vectors among some variables, each by its distance from the least and from the greatest value of its type, and
/// from 0.
pub(super) fn written(terms: &mut Terms, vars: &[VarId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for &var in vars {
        let term = terms.var(var);
        let Some(width) = width(terms, term) else {
            continue;
        };
        for (sign, range) in [(Sign::Unsigned, width), (Sign::Signed, width - 1)] {
            let Some(wide) = widened(terms, term, sign) else {
                continue;
            };
            let bound = Value::Bv(Int::power_of_two(range));
            let bound = terms.lit(bound, terms.sort(wide));
            found.extend([wide, bits(terms, BvOp::Sub, &[bound, wide])]);
            if sign == Sign::Signed {
                found.push(bits(terms, BvOp::Add, &[wide, bound]));
                found.push(bits(terms, BvOp::Neg, &[wide]));
            }
        }
    }
    found
}
