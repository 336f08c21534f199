//! Inputs that follow the state: how the inputs of one round become those of every round.
//!
//! A relation is an assumption on what was havocked before it: `havoc x'; assume x' = x + 1`. In another round `x'` must have
//! another value. Here an equation that holds in the recorded round gives the term by which each round may choose.
//! Where there is only an inequality, the choice keeps its distance from the other side.
//!
//! Nothing here is trusted: whether a choice does is decided by the conditions of the round (`round.rs`).

use crate::Context;
use crate::run::exec::Valuation;
use lariat_base::FxHashSet;
use lariat_expr::{Evaluator, Head, Int, Op, Rat, TermId, Terms, Value, VarId};

/// What inputs follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// Equations; the others are the same in each round.
    Equations,
    /// Also bounds, at the distance that the recorded round has.
    Bounds,
}

impl Follow {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Equations, Self::Bounds];
}

/// A term for one of some open variables, over others, by which it may be chosen so that an assumption holds again.
pub(super) fn chosen(
    cx: &mut Context,
    env: &Valuation,
    assumed: TermId,
    open: &[VarId],
    follow: Follow,
) -> Option<(VarId, TermId)> {
    let literals = literals(cx, env, assumed);
    let mut find = |ops: &[Op]| {
        literals.iter().find_map(|&(op, left, right)| {
            let sides = ops
                .contains(&op)
                .then_some([(left, right), (right, left)])?;
            sides.into_iter().find_map(|(from, to)| {
                open.iter()
                    .find_map(|&var| Some((var, solved(cx, env, open, var, from, to)?)))
            })
        })
    };
    match (find(&[Op::Eq]), follow) {
        (None, Follow::Bounds) => find(&[Op::Le, Op::Lt]),
        (found, _) => found,
    }
}

/// The comparisons in a formula that hold and together make it true.
fn literals(cx: &Context, env: &Valuation, root: TermId) -> Vec<(Op, TermId, TermId)> {
    let terms = &cx.terms;
    let mut evaluator = Evaluator::new();
    let mut truth = |term: TermId| -> Option<bool> {
        let value = evaluator.eval(terms, term, env).ok()?;
        matches!(value, Value::Bool(_)).then(|| value.as_bool())
    };
    let mut found = Vec::new();
    let mut todo = vec![(root, true)];
    let mut seen: FxHashSet<(TermId, bool)> = FxHashSet::default();
    while let Some((term, wanted)) = todo.pop() {
        if !seen.insert((term, wanted)) {
            continue;
        }
        let Head::Op(op, args) = terms.head(term) else {
            continue;
        };
        match (op, args) {
            (Op::Not, &[arg]) => todo.push((arg, !wanted)),
            (Op::And | Op::Or, _) => {
                let right = args.iter().filter(|&&arg| truth(arg) == Some(wanted));
                let right: Vec<TermId> = right.copied().collect();
                // An implication whose premise is false says nothing, even if its consequence happens to hold.
                let is_premise = |arg: &&TermId| terms.as_op(**arg, Op::Not).is_some();
                let is_one = (op == Op::Or) == wanted;
                match right.iter().find(is_premise).filter(|_| is_one) {
                    Some(&premise) => todo.push((premise, wanted)),
                    None => todo.extend(right.iter().rev().map(|&arg| (arg, wanted))),
                }
            }
            (Op::Ite, &[condition, then, otherwise]) => {
                let holds = truth(condition) == Some(true);
                todo.push((if holds { then } else { otherwise }, wanted));
                todo.push((condition, holds));
            }
            (Op::Eq, &[left, right]) if wanted => found.push((op, left, right)),
            // That `left < right` is false bounds the same numbers.
            (Op::Le | Op::Lt, &[left, right]) => found.push((op, left, right)),
            _ => {}
        }
    }
    found
}

/// What a variable that is an addend of one side is if the sides are as far apart as now; nothing if that depends on
/// what is open.
fn solved(
    cx: &mut Context,
    env: &Valuation,
    open: &[VarId],
    var: VarId,
    from: TermId,
    to: TermId,
) -> Option<TermId> {
    let terms = &mut cx.terms;
    let solved = solve(terms, var, from, to)?;
    if terms
        .free_vars(&[solved])
        .iter()
        .any(|var| open.contains(var))
    {
        return None;
    }
    let mut evaluator = Evaluator::new();
    let own = terms.var(var);
    let [now, then] = [own, solved].map(|term| evaluator.eval(terms, term, env).ok());
    let sort = terms.var_sort(var);
    let distance = match (now?, then?) {
        (Value::Int(now), Value::Int(then)) => Value::Int(&now - &then),
        (Value::Rat(now), Value::Rat(then)) => {
            Value::Rat(&now + &(&then * &Rat::from(Int::from(-1))))
        }
        (now, then) => return (now == then).then_some(solved),
    };
    let distance = terms.lit(distance, sort);
    Some(terms.add(&[solved, distance]))
}

/// What a variable must be for two sides to be equal, if it is an addend of the first or the whole of it.
fn solve(terms: &mut Terms, var: VarId, from: TermId, to: TermId) -> Option<TermId> {
    if terms.as_var(from) == Some(var) {
        return Some(to);
    }
    if let Some(&[negated]) = terms.as_op(from, Op::Not)
        && terms.as_var(negated) == Some(var)
    {
        return Some(terms.not(to));
    }
    let parts = terms.as_op(from, Op::Add)?.to_vec();
    for (i, &part) in parts.iter().enumerate() {
        let is_added = terms.as_var(part) == Some(var);
        let is_taken_off = is_minus(terms, part, var);
        if !is_added && !is_taken_off {
            continue;
        }
        let mut rest = parts.clone();
        rest.remove(i);
        let rest = terms.add(&rest);
        return Some(if is_added {
            terms.sub(to, rest)
        } else {
            terms.sub(rest, to)
        });
    }
    None
}

/// Whether a term is a variable times -1.
fn is_minus(terms: &Terms, term: TermId, var: VarId) -> bool {
    let Some(&[factor, other]) = terms.as_op(term, Op::Mul) else {
        return false;
    };
    let minus_one = Int::from(-1);
    let is_minus_one = match terms.as_lit(factor) {
        Some(Value::Int(int)) => *int == minus_one,
        Some(Value::Rat(rat)) => *rat == Rat::from(minus_one),
        _ => false,
    };
    is_minus_one && terms.as_var(other) == Some(var)
}
