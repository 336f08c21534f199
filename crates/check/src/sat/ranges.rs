//! Between which values the integers of a model lie, so that they have bits.
//!
//! Variables have the ranges that they are declared with, or the values that are assigned to them if those are constants. That no step leaves these
//! ranges is demanded of the machine and checked by the SMT solver before anything else (`sat/mod.rs`): where that fails the model is
//! not for this engine. What a step chooses must lie between bounds that the step's guard implies, so nothing that can be chosen is lost. These
//! bounds are demanded whichever step is taken, so there is always something between them.

use super::machine::Plan;
use crate::summary::Summary;
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, TermId, Terms, Value, VarId};
use lariat_system::Variable;

/// Ranges of integers.
pub(super) type Ranges = FxHashMap<VarId, (Int, Int)>;

/// Integers of more bits are not tried.
const MAX_BITS: u64 = 40;

/// The ranges of all integers among the variables and the choices of a model, or which has none.
pub(super) fn ranges(
    terms: &Terms,
    variables: &[Variable],
    plans: &[Plan],
) -> Result<Ranges, String> {
    let unbounded = |var: VarId| format!("`{}` is an integer without bounds", terms.name(var));
    let is_int = |var: VarId| terms.var_sort(var) == terms.sorts.int();
    let mut known = Ranges::default();
    for variable in variables.iter().filter(|variable| is_int(variable.var)) {
        let assigned = || assigned(terms, variable.var, plans);
        let range = variable.range.clone().or_else(assigned);
        let range = range
            .filter(is_small)
            .ok_or_else(|| unbounded(variable.var))?;
        known.insert(variable.var, range);
    }
    let states = known.clone();
    for (_, summary) in plans.iter().flatten() {
        for &var in summary.auxiliary.iter().filter(|&&var| is_int(var)) {
            let range = chosen(terms, &states, summary, var).filter(is_small);
            known.insert(var, range.ok_or_else(|| unbounded(var))?);
        }
    }
    Ok(known)
}

fn is_small((low, high): &(Int, Int)) -> bool {
    low.bits().max(high.bits()) <= MAX_BITS
}

/// The least and greatest of the constants that are assigned to a variable, if nothing else is.
fn assigned(terms: &Terms, var: VarId, plans: &[Plan]) -> Option<(Int, Int)> {
    let mut range: Option<(Int, Int)> = None;
    let updates = plans.iter().flatten();
    let mut todo: Vec<TermId> = updates
        .filter_map(|(_, summary)| summary.update(var))
        .collect();
    while let Some(term) = todo.pop() {
        match terms.head(term) {
            Head::Lit(Value::Int(value)) => range = Some(joined(range, (value, value))),
            Head::Op(Op::Ite, &[_, then, otherwise]) => todo.extend([then, otherwise]),
            Head::Var(same) if same == var => {}
            _ => return None,
        }
    }
    range
}

fn joined(range: Option<(Int, Int)>, (low, high): (&Int, &Int)) -> (Int, Int) {
    match range {
        None => (low.clone(), high.clone()),
        Some(range) => (range.0.min(low.clone()), range.1.max(high.clone())),
    }
}

/// Ends of an interval, as far as they are known.
type Ends = (Option<Int>, Option<Int>);

/// The bounds that the guard of a step implies for something it chooses.
fn chosen(terms: &Terms, states: &Ranges, summary: &Summary, var: VarId) -> Option<(Int, Int)> {
    let mut of: FxHashMap<TermId, Ends> = FxHashMap::default();
    for term in terms.subterms(&[summary.guard]) {
        let ends = if terms.sort(term) == terms.sorts.int() {
            value_ends(terms, states, &of, term)
        } else {
            implied(terms, &of, term, var)
        };
        of.insert(term, ends);
    }
    let (low, high) = of.remove(&summary.guard)?;
    let (low, high) = (low?, high?);
    // A step that leaves nothing to choose cannot be taken, by its guard. All others still choose.
    let high = high.max(low.clone());
    Some((low, high))
}

/// Between which values an integer term lies.
fn value_ends(terms: &Terms, states: &Ranges, of: &FxHashMap<TermId, Ends>, term: TermId) -> Ends {
    match terms.head(term) {
        Head::Lit(Value::Int(value)) => (Some(value.clone()), Some(value.clone())),
        Head::Var(var) => match states.get(&var) {
            Some((low, high)) => (Some(low.clone()), Some(high.clone())),
            None => (None, None),
        },
        Head::Op(Op::Add, args) => {
            args.iter()
                .fold((Some(Int::ZERO), Some(Int::ZERO)), |(low, high), arg| {
                    let plus = |a: Option<Int>, b: &Option<Int>| Some(&a? + b.as_ref()?);
                    (plus(low, &of[arg].0), plus(high, &of[arg].1))
                })
        }
        Head::Op(Op::Ite, &[_, then, otherwise]) => either(&of[&then], &of[&otherwise]),
        _ => (None, None),
    }
}

/// The bounds of a variable where a condition is true.
fn implied(terms: &Terms, of: &FxHashMap<TermId, Ends>, term: TermId, var: VarId) -> Ends {
    let is_var = |term: TermId| terms.as_var(term) == Some(var);
    let nothing = (None, None);
    match terms.head(term) {
        Head::Op(Op::And, args) => args.iter().fold(nothing, |ends, arg| both(&ends, &of[arg])),
        Head::Op(Op::Or, args) => {
            let parts = args.iter().map(|arg| of[arg].clone());
            parts.reduce(|a, b| either(&a, &b)).unwrap_or(nothing)
        }
        Head::Op(Op::Ite, &[_, then, otherwise]) => either(&of[&then], &of[&otherwise]),
        Head::Op(Op::Eq, &[a, b]) if is_var(a) && !is_var(b) => of[&b].clone(),
        Head::Op(Op::Eq, &[a, b]) if is_var(b) && !is_var(a) => of[&a].clone(),
        Head::Op(Op::Le | Op::Lt, &[a, b]) if is_var(a) => (None, of[&b].1.clone()),
        Head::Op(Op::Le | Op::Lt, &[a, b]) if is_var(b) => (of[&a].0.clone(), None),
        Head::Op(Op::Not, &[inner]) => match terms.head(inner) {
            Head::Op(Op::Le | Op::Lt, &[a, b]) if is_var(a) => (of[&b].0.clone(), None),
            Head::Op(Op::Le | Op::Lt, &[a, b]) if is_var(b) => (None, of[&a].1.clone()),
            _ => nothing,
        },
        _ => nothing,
    }
}

/// The interval that contains both.
fn either(a: &Ends, b: &Ends) -> Ends {
    let low = a.0.clone().zip(b.0.clone()).map(|(a, b)| a.min(b));
    let high = a.1.clone().zip(b.1.clone()).map(|(a, b)| a.max(b));
    (low, high)
}

/// What both contain.
fn both(a: &Ends, b: &Ends) -> Ends {
    let low = [a.0.clone(), b.0.clone()].into_iter().flatten().max();
    let high = [a.1.clone(), b.1.clone()].into_iter().flatten().min();
    (low, high)
}
