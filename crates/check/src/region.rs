//! Closed sets of states: a region at the start of a loop from which every round leads back into it.
//!
//! A run that never repeats a state need not grow by a rule. It is enough to know a region in which the loop can be taken,
//! with fixed inputs, and that a round does not leave. Candidates are the conditions of the loop, what they become after a
//! round or two, that their sides move towards or away from one another, signs and orders of variables; of those that hold
//! in an execution, the ones that a round does not keep are dropped until the rest is inductive (Flanagan and Leino, "Houdini", FME
//! 2001; for runs that do not end: Frohn and Giesl, LPAR 2020). Only the solver is asked, so the loop may be one of any
//! theory.

use crate::rank::{is_number, number as literal};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Evaluator, Op, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Backend};
use lariat_system::{Context, RoundFormula};

/// The most candidates, and the largest.
const MAX_CANDIDATES: usize = 120;
const MAX_SIZE: usize = 200;
/// How often a condition is followed through a round.
const N_IMAGES: usize = 2;
/// The most variables of which orders are candidates.
const MAX_ORDERED: usize = 5;
/// The solver's steps for one question.
const STEPS: u32 = 1_000_000;

/// The values of the variables in a state.
pub type Values = FxHashMap<VarId, Value>;

/// A region, as conditions that all hold, from which a round can be taken and leads back; it holds in both of two states, at the
/// start and at the end of an execution of the round.
pub fn closed_region(
    cx: &mut Context,
    solver: &mut dyn Backend,
    round: &RoundFormula,
    states: [&Values; 2],
) -> Option<Vec<TermId>> {
    let wanted: Vec<TermId> = parts(&cx.terms, &round.conditions)
        .into_iter()
        .chain(parts(&cx.terms, &round.letters))
        .collect();
    // What the loop itself asks for is often enough, and the easiest question.
    let mut region = match inductive_among(cx, solver, round, wanted.clone(), states) {
        Some(own) if implies(cx, solver, &own, &wanted) => own,
        _ => {
            let candidates = candidates(cx, round, &wanted, states[1]);
            let found = inductive_among(cx, solver, round, candidates, states)?;
            Some(found).filter(|found| implies(cx, solver, found, &wanted))?
        }
    };
    let mut at = region.len();
    while at > 0 {
        at -= 1;
        let mut fewer = region.clone();
        fewer.remove(at);
        let ends: Vec<TermId> = fewer.iter().map(|&term| round.at_end(cx, term)).collect();
        if implies(cx, solver, &fewer, &wanted) && implies(cx, solver, &fewer, &ends) {
            region = fewer;
        }
    }
    if region.is_empty() {
        region.push(cx.terms.true_());
    }
    Some(region)
}

/// Whether a round can be taken from every state of a region, and leads back into it: what makes a region an argument.
pub fn is_closed(
    cx: &mut Context,
    solver: &mut dyn Backend,
    round: &RoundFormula,
    region: &[TermId],
) -> bool {
    let ends: Vec<TermId> = region.iter().map(|&term| round.at_end(cx, term)).collect();
    let wanted = [&round.conditions[..], &round.letters, &ends].concat();
    implies(cx, solver, region, &wanted)
}

/// Whether some conditions imply all of others.
fn implies(
    cx: &mut Context,
    solver: &mut dyn Backend,
    premises: &[TermId],
    conclusions: &[TermId],
) -> bool {
    let all = cx.terms.and(conclusions);
    let not = cx.terms.not(all);
    let assumptions = [premises, &[not]].concat();
    solver.check_briefly(&cx.terms, &assumptions, STEPS) == Answer::Unsat
}

/// The largest set of candidates that hold in some states and that a round keeps.
fn inductive_among(
    cx: &mut Context,
    solver: &mut dyn Backend,
    round: &RoundFormula,
    mut candidates: Vec<TermId>,
    states: [&Values; 2],
) -> Option<Vec<TermId>> {
    let mut evaluator = Evaluator::new();
    candidates.retain(|&term| {
        let mut holds = |values: &Values| {
            let truth = evaluator.eval(&cx.terms, term, values);
            truth.is_ok_and(|truth| truth.as_bool())
        };
        cx.terms.subterms(&[term]).len() <= MAX_SIZE && states.into_iter().all(&mut holds)
    });
    candidates.truncate(MAX_CANDIDATES);
    inductive(cx, solver, round, candidates)
}

/// The largest subset of the candidates that a round keeps.
fn inductive(
    cx: &mut Context,
    solver: &mut dyn Backend,
    round: &RoundFormula,
    mut candidates: Vec<TermId>,
) -> Option<Vec<TermId>> {
    loop {
        let ends: Vec<TermId> = candidates
            .iter()
            .map(|&term| round.at_end(cx, term))
            .collect();
        let all = cx.terms.and(&ends);
        let not = cx.terms.not(all);
        let assumptions = [&candidates[..], &[not]].concat();
        match solver.check_briefly(&cx.terms, &assumptions, STEPS) {
            Answer::Unsat => return Some(candidates),
            Answer::Unknown(_) => return None,
            Answer::Sat => {}
        }
        let kept: Vec<bool> = ends
            .iter()
            .map(|&end| {
                let truth = solver.value(&cx.terms, end);
                truth.is_some_and(|truth| truth.as_bool())
            })
            .collect();
        if kept.iter().all(|&kept| kept) {
            return None;
        }
        let mut kept = kept.into_iter();
        candidates.retain(|_| kept.next().unwrap_or(false));
    }
}

/// The members of conjunctions, but for what is always true.
fn parts(terms: &Terms, conditions: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut todo = conditions.to_vec();
    while let Some(term) = todo.pop() {
        match terms.as_op(term, Op::And) {
            Some(parts) => todo.extend(parts),
            None if term != terms.true_() && !found.contains(&term) => found.push(term),
            None => {}
        }
    }
    found.reverse();
    found
}

/// What may hold at the start of every round.
fn candidates(
    cx: &mut Context,
    round: &RoundFormula,
    wanted: &[TermId],
    values: &Values,
) -> Vec<TermId> {
    let mut found = wanted.to_vec();
    found.extend(literals(cx, wanted, values));
    let mut last = found.clone();
    for _ in 0..N_IMAGES {
        last = last
            .into_iter()
            .map(|term| round.at_end(cx, term))
            .collect();
        found.extend(&last);
    }
    // Distances, and what is written: they may move in one direction only.
    let mut numbers = Vec::new();
    for atom in cx.terms.subterms(wanted) {
        for op in [Op::Le, Op::Lt, Op::Eq] {
            if let Some(&[left, right]) = cx.terms.as_op(atom, op)
                && is_number(&cx.terms, left)
            {
                numbers.push(cx.terms.sub(right, left));
            }
        }
    }
    let read = cx.terms.free_vars(wanted);
    let changed = read.iter().filter(|var| round.updates.contains_key(var));
    let mut changed: Vec<TermId> = changed.map(|&var| cx.terms.var(var)).collect();
    changed.retain(|&term| is_number(&cx.terms, term));
    numbers.extend(&changed);
    for number in numbers {
        let end = round.at_end(cx, number);
        found.extend([cx.terms.le(number, end), cx.terms.le(end, number)]);
    }
    for (i, &left) in changed.iter().enumerate().take(MAX_ORDERED) {
        let zero = literal(&mut cx.terms, left, 0);
        found.extend([cx.terms.le(zero, left), cx.terms.le(left, zero)]);
        for &right in changed.iter().skip(i + 1).take(MAX_ORDERED) {
            if cx.terms.sort(left) == cx.terms.sort(right) {
                found.extend([cx.terms.le(left, right), cx.terms.le(right, left)]);
            }
        }
    }
    for (var, value) in read.iter().filter_map(|var| Some((*var, values.get(var)?))) {
        let (sort, term) = (cx.terms.var_sort(var), cx.terms.var(var));
        let value = cx.terms.lit(value.clone(), sort);
        found.push(cx.terms.eq(term, value));
    }
    let true_ = cx.terms.true_();
    let mut seen = FxHashSet::default();
    found.retain(|&term| term != true_ && seen.insert(term));
    found
}

/// The comparisons in some formulas, each or its negation as it is true under some values.
fn literals(cx: &mut Context, formulas: &[TermId], values: &Values) -> Vec<TermId> {
    let bool_ = cx.terms.sorts.bool();
    let mut evaluator = Evaluator::new();
    let mut found = Vec::new();
    for term in cx.terms.subterms(formulas) {
        let is_connective = [Op::And, Op::Or, Op::Not, Op::Ite]
            .into_iter()
            .any(|op| cx.terms.as_op(term, op).is_some());
        if cx.terms.sort(term) != bool_ || is_connective {
            continue;
        }
        if let Ok(truth) = evaluator.eval(&cx.terms, term, values) {
            found.push(if truth.as_bool() {
                term
            } else {
                cx.terms.not(term)
            });
        }
    }
    found
}

#[cfg(test)]
mod tests;
