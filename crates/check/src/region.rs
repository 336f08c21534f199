//! Closed sets of states: a region at the start of a loop from which every round leads back into it.
//!
//! A run that never repeats a state need not grow by a rule. It is enough to know a region in which the loop can be taken,
//! with inputs that the state determines, and that a round does not leave. Candidates are the conditions of the loop, what they
//! become after a round or two, that their sides move towards or away from one another, and values, bounds and orders of the
//! variables that matter to them; of those that hold in an execution, the ones that a round does not keep are dropped until the rest is inductive (Flanagan and Leino, "Houdini", FME
//! 2001; for runs that do not end: Frohn and Giesl, LPAR 2020). Only the solver is asked, so the loop may be one of any
//! theory.

use crate::rank::{is_number, number as literal};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Evaluator, Op, Substitution, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, Backend};
use lariat_system::{Context, Follow, Lasso, RoundFormula, State, TransitionSystem, Variable};

/// The most candidates, and the largest.
const MAX_CANDIDATES: usize = 120;
const MAX_SIZE: usize = 200;
/// How often a condition is followed through a round.
const N_IMAGES: usize = 2;
/// The most variables of which bounds and orders are candidates.
const MAX_ORDERED: usize = 6;
/// The solver's steps for one question.
const STEPS: u32 = 1_000_000;

/// The values of the variables in a state.
pub type Values = FxHashMap<VarId, Value>;

/// Gives a lasso a region that its loop does not leave, and the inputs with which it does not, if they are found.
pub fn find_region(
    cx: &mut Context,
    solver: &mut dyn Backend,
    system: &mut dyn TransitionSystem,
    variables: &[Variable],
    lasso: &mut Lasso,
    atoms: &[TermId],
) -> bool {
    let values = |state: &State| -> Values {
        let variables = variables.iter().map(|variable| variable.var);
        variables.zip(state.values.iter().cloned()).collect()
    };
    let steps = &lasso.run.steps;
    let ends = [&steps[lasso.honda], &steps[steps.len() - 1]].map(|step| values(&step.state));
    let mut last = None;
    for follow in Follow::ALL {
        let Some(round) = RoundFormula::following(cx, system, lasso, atoms, follow) else {
            return false;
        };
        if last.as_ref() == Some(&round.inputs) {
            return false;
        }
        if let Some(region) = closed_region(cx, solver, &round, [&ends[0], &ends[1]]) {
            (lasso.region, lasso.inputs) = (region, round.inputs);
            return true;
        }
        last = Some(round.inputs);
    }
    false
}

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
            let candidates = candidates(cx, round, &wanted, states);
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

/// Whether a lasso's region and inputs are an argument on a system: a round with these inputs can be taken from every state of the
/// region and leads back into it, and the first `n_rounds` can be executed.
pub fn goes_on_in_region(
    cx: &mut Context,
    solver: &mut dyn Backend,
    system: &mut dyn TransitionSystem,
    lasso: &Lasso,
    atoms: &[TermId],
    n_rounds: usize,
) -> bool {
    RoundFormula::new(cx, system, lasso, atoms)
        .is_some_and(|round| is_closed(cx, solver, &round, &lasso.region))
        && lasso.further_rounds(cx, system, n_rounds).is_ok()
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
    let assumptions = knowing(cx, premises, &[premises, &[not]].concat());
    solver.check_briefly(&cx.terms, &assumptions, STEPS) == Answer::Unsat
}

/// Terms with the values that conditions give to variables. Put in where the variables stand, they leave much less to the solver: a
/// product with a known number is linear, and a relation with a known program counter is one of its cases.
fn knowing(cx: &mut Context, conditions: &[TermId], what: &[TermId]) -> Vec<TermId> {
    let terms = &mut cx.terms;
    let mut known = Substitution::new();
    let mut seen = FxHashSet::default();
    for &condition in conditions {
        let (var, value) = match (
            terms.as_op(condition, Op::Eq),
            terms.as_op(condition, Op::Not),
        ) {
            (Some(&[left, right]), _) if terms.as_lit(right).is_some() => (left, right),
            (Some(&[left, right]), _) if terms.as_lit(left).is_some() => (right, left),
            (_, Some(&[negated])) => (negated, terms.false_()),
            _ => (condition, terms.true_()),
        };
        if let Some(var) = terms.as_var(var)
            && seen.insert(var)
        {
            known.insert(terms, var, value);
        }
    }
    what.iter().map(|&term| known.apply(terms, term)).collect()
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
        let premises = knowing(cx, &candidates, &candidates);
        let ends = knowing(cx, &candidates, &ends);
        let all = cx.terms.and(&ends);
        let not = cx.terms.not(all);
        let assumptions = [&premises[..], &[not]].concat();
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

/// What may hold at the start of every round, the most useful first.
fn candidates(
    cx: &mut Context,
    round: &RoundFormula,
    wanted: &[TermId],
    states: [&Values; 2],
) -> Vec<TermId> {
    let read = relevant(cx, round, wanted);
    // Values that stay, among them those of whatever the round does not change.
    let mut found = Vec::new();
    for &var in &read {
        let values = states.map(|state| state.get(&var));
        if let [Some(before), Some(after)] = values
            && before == after
        {
            let (sort, term) = (cx.terms.var_sort(var), cx.terms.var(var));
            let value = cx.terms.lit(after.clone(), sort);
            found.push(cx.terms.eq(term, value));
        }
    }
    // What is wanted is simpler if they are known.
    let wanted = knowing(cx, &found, wanted);
    let wanted = parts(&cx.terms, &wanted);
    let changed = read.iter().filter(|var| round.updates.contains_key(var));
    let mut changed: Vec<VarId> = changed.copied().collect();
    changed.retain(|&var| {
        let term = cx.terms.var(var);
        is_number(&cx.terms, term)
    });
    found.extend(bounds(cx, &changed, states[0]));
    let own = literals(cx, &wanted, states[1]);
    found.extend(wanted.iter().chain(&own));
    // Distances, and what is written: they may move in one direction only.
    let mut numbers = Vec::new();
    for atom in cx.terms.subterms(&wanted) {
        for op in [Op::Le, Op::Lt, Op::Eq] {
            if let Some(&[left, right]) = cx.terms.as_op(atom, op)
                && is_number(&cx.terms, left)
            {
                numbers.push(cx.terms.sub(right, left));
            }
        }
    }
    numbers.extend(changed.iter().map(|&var| cx.terms.var(var)));
    for number in numbers {
        let end = round.at_end(cx, number);
        found.extend([cx.terms.le(number, end), cx.terms.le(end, number)]);
    }
    let mut last = [wanted, own].concat();
    for _ in 0..N_IMAGES {
        last = last
            .into_iter()
            .map(|term| round.at_end(cx, term))
            .collect();
        found.extend(&last);
    }
    let true_ = cx.terms.true_();
    let mut seen = FxHashSet::default();
    found.retain(|&term| term != true_ && seen.insert(term));
    found
}

/// The variables that matter to some conditions in this round or in a later one.
fn relevant(cx: &Context, round: &RoundFormula, wanted: &[TermId]) -> Vec<VarId> {
    let mut found: Vec<VarId> = Vec::new();
    let mut next = cx.terms.free_vars(wanted);
    while let Some(var) = next.pop() {
        if found.contains(&var) {
            continue;
        }
        found.push(var);
        if let Some(&value) = round.updates.get(&var) {
            next.extend(cx.terms.free_vars(&[value]));
        }
    }
    found.sort_unstable();
    found
}

/// That numbers are on one side of zero, of what they are in a state, and of one another.
fn bounds(cx: &mut Context, changed: &[VarId], values: &Values) -> Vec<TermId> {
    let mut found = Vec::new();
    let terms = &mut cx.terms;
    for (i, &left) in changed.iter().enumerate().take(MAX_ORDERED) {
        let (sort, left_term) = (terms.var_sort(left), terms.var(left));
        let zero = literal(terms, left_term, 0);
        let now = values.get(&left).map(|now| terms.lit(now.clone(), sort));
        for bound in now.into_iter().chain([zero]) {
            found.extend([terms.le(bound, left_term), terms.le(left_term, bound)]);
        }
        for &right in changed.iter().skip(i + 1).take(MAX_ORDERED) {
            if terms.var_sort(right) == sort {
                let right = terms.var(right);
                found.extend([terms.le(left_term, right), terms.le(right, left_term)]);
            }
        }
    }
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
