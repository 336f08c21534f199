//! Makes what Z3 gives back look like what a person would write.
//!
//! Spacer writes `x = y` as `x + -1*y <= 0` and `y + -1*x <= 0`. Here negative addends change sides, and
//! two such halves become one equality: a predicate that is easier to read, to split into atoms and to
//! decide. The meaning stays exactly the same.

use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Rat, TermId, Terms, Value};

/// The same formula, tidier.
pub(super) fn polish(terms: &mut Terms, formula: TermId) -> TermId {
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in terms.subterms(&[formula]) {
        let tidy = match terms.head(term) {
            Head::Op(op @ (Op::Le | Op::Lt | Op::Eq), &[left, right]) if is_number(terms, left) => {
                balance(terms, op, done[&left], done[&right])
            }
            Head::Op(Op::And, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
                join_halves(terms, &args)
            }
            Head::Op(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
                terms.build(op, &args).expect("sorts are kept")
            }
            _ => term,
        };
        done.insert(term, tidy);
    }
    done[&formula]
}

fn is_number(terms: &Terms, term: TermId) -> bool {
    let sort = terms.sort(term);
    sort == terms.sorts.int() || sort == terms.sorts.rat()
}

/// Moves what is negative in `left - right` to the right side and the constant to where it is positive.
fn balance(terms: &mut Terms, op: Op, left: TermId, right: TermId) -> TermId {
    let difference = terms.sub(left, right);
    let addends = terms
        .as_op(difference, Op::Add)
        .unwrap_or(std::slice::from_ref(&difference))
        .to_vec();
    let (negative, positive): (Vec<TermId>, Vec<TermId>) = addends
        .into_iter()
        .partition(|&addend| is_negative(terms, addend));
    let negative: Vec<TermId> = negative
        .into_iter()
        .map(|addend| terms.neg(addend))
        .collect();
    let zero = terms.sub(left, left);
    let side = |terms: &mut Terms, addends: &[TermId]| match addends {
        [] => zero,
        addends => terms.add(addends),
    };
    let (left, right) = (side(terms, &positive), side(terms, &negative));
    terms.build(op, &[left, right]).expect("sorts are kept")
}

/// Whether an addend is a negative number or has a negative factor.
fn is_negative(terms: &Terms, addend: TermId) -> bool {
    let number = match terms.head(addend) {
        Head::Op(Op::Mul, args) => args.iter().find_map(|&arg| terms.as_lit(arg)),
        Head::Lit(value) => Some(value),
        _ => None,
    };
    match number {
        Some(Value::Int(value)) => value.is_negative(),
        Some(Value::Rat(value)) => *value < Rat::from(Int::ZERO),
        _ => false,
    }
}

/// The conjunction with `a <= b` and `b <= a` as `a = b`.
fn join_halves(terms: &mut Terms, args: &[TermId]) -> TermId {
    let mut joined: Vec<TermId> = Vec::with_capacity(args.len());
    for &arg in args {
        let equality = match terms.as_op(arg, Op::Le) {
            Some(&[left, right]) => {
                let other = terms.le(right, left);
                args.contains(&other).then(|| terms.eq(left, right))
            }
            _ => None,
        };
        joined.push(equality.unwrap_or(arg));
    }
    terms.and(&joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_are_one_equality() {
        let mut t = Terms::new();
        let int = t.sorts.int();
        let (x, y) = (t.declare("x", int), t.declare("y", int));
        let (x, y, zero, three) = (t.var(x), t.var(y), t.int(0), t.int(3));
        let difference = t.sub(x, y);
        let (low, opposite) = (t.le(difference, zero), t.sub(y, x));
        let high = t.le(opposite, zero);
        let both = t.and(&[low, high]);
        assert_eq!(polish(&mut t, both), t.eq(x, y));
        let shifted = t.add(&[difference, three]);
        let bound = t.lt(shifted, zero);
        let (moved, expected) = (polish(&mut t, bound), t.add(&[x, three]));
        assert_eq!(moved, t.lt(expected, y));
    }
}
