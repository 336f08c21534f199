//! Elimination of variables from a conjunction.
//!
//! First by definitions: a conjunct that says what the variable is (`y = x + 1`, `y`, `!y`) is used up
//! and its right side put for the variable everywhere. That is exact for every sort, arrays included, and
//! all that assignments need. What is left goes to Z3's quantifier elimination.

use super::watch::{self, Interrupt};
use super::{Z3, decode, reads};
use crate::Reason;
use lariat_expr::{Head, Op, Substitution, TermId, Terms, Value, VarId};
use z3::ast::{Ast, Bool, Dynamic, exists_const};
use z3::{Goal, Tactic};

/// A formula from which variables were eliminated.
pub(super) struct Projected {
    /// Equivalent to the given formula with the eliminated variables existentially quantified.
    pub(super) formula: TermId,
    /// The variables that could not be eliminated and are still there.
    pub(super) left: Vec<VarId>,
}

/// Eliminates as many of `vars` from `formula` as possible.
pub(super) fn exists(
    z3: &Z3,
    terms: &mut Terms,
    formula: TermId,
    vars: &[VarId],
) -> Result<Projected, Reason> {
    let formula = use_definitions(terms, formula, vars);
    let mut left = terms.free_vars(&[formula]);
    left.retain(|var| vars.contains(var));
    if left.is_empty() {
        return Ok(Projected { formula, left });
    }
    let (with, without): (Vec<TermId>, Vec<TermId>) =
        conjuncts(terms, formula).into_iter().partition(|&part| {
            terms
                .free_vars(&[part])
                .iter()
                .any(|var| left.contains(var))
        });
    let rest = terms.and(&with);
    let rest = reads::expand(terms, rest);
    let (rest, mut back) = reads::abstract_away(terms, rest, &left);
    match eliminate(z3, terms, rest, &left)? {
        Some(eliminated) => {
            let eliminated = back.apply(terms, eliminated);
            let formula = terms.and(&[&[eliminated], &without[..]].concat());
            Ok(Projected {
                formula,
                left: Vec::new(),
            })
        }
        None => Ok(Projected { formula, left }),
    }
}

/// The members of a conjunction.
pub(super) fn conjuncts(terms: &Terms, formula: TermId) -> Vec<TermId> {
    terms
        .as_op(formula, Op::And)
        .unwrap_or(std::slice::from_ref(&formula))
        .to_vec()
}

fn use_definitions(terms: &mut Terms, formula: TermId, vars: &[VarId]) -> TermId {
    let mut formula = formula;
    loop {
        let found = conjuncts(terms, formula)
            .into_iter()
            .find_map(|conjunct| definition(terms, conjunct, vars).map(|def| (conjunct, def)));
        let Some((conjunct, (var, term))) = found else {
            return formula;
        };
        let mut rest = conjuncts(terms, formula);
        rest.retain(|&other| other != conjunct);
        let rest = terms.and(&rest);
        let mut substitution = Substitution::new();
        substitution.insert(terms, var, term);
        formula = substitution.apply(terms, rest);
    }
}

/// The variable among `vars` that a conjunct defines, and what it says the variable is.
fn definition(terms: &mut Terms, conjunct: TermId, vars: &[VarId]) -> Option<(VarId, TermId)> {
    let wanted = |terms: &Terms, term: TermId| terms.as_var(term).filter(|var| vars.contains(var));
    if let Some(var) = wanted(terms, conjunct) {
        return Some((var, terms.true_()));
    }
    match terms.head(conjunct) {
        Head::Op(Op::Not, &[inner]) => wanted(terms, inner).map(|var| (var, terms.false_())),
        Head::Op(Op::Eq, &[left, right]) => [(left, right), (right, left)]
            .into_iter()
            .find_map(|(side, other)| solve_for(terms, side, other, vars)),
        _ => None,
    }
}

/// Solves `side = other` for a variable that is `side` or an addend of it.
fn solve_for(
    terms: &mut Terms,
    side: TermId,
    other: TermId,
    vars: &[VarId],
) -> Option<(VarId, TermId)> {
    let addends = terms
        .as_op(side, Op::Add)
        .unwrap_or(std::slice::from_ref(&side))
        .to_vec();
    for addend in addends {
        let (var, negated) = match terms.head(addend) {
            Head::Var(var) => (var, false),
            Head::Op(Op::Mul, &[factor, inner]) if is_minus_one(terms, factor) => {
                match terms.as_var(inner) {
                    Some(var) => (var, true),
                    None => continue,
                }
            }
            _ => continue,
        };
        if !vars.contains(&var) {
            continue;
        }
        let solution = if addend == side && !negated {
            other
        } else {
            let rest = terms.sub(side, addend);
            if negated {
                terms.sub(rest, other)
            } else {
                terms.sub(other, rest)
            }
        };
        if !terms.free_vars(&[solution]).contains(&var) {
            return Some((var, solution));
        }
    }
    None
}

fn is_minus_one(terms: &Terms, term: TermId) -> bool {
    match terms.as_lit(term) {
        Some(Value::Int(value)) => value.to_i64() == Some(-1),
        Some(Value::Rat(value)) => value.to_int().and_then(lariat_expr::Int::to_i64) == Some(-1),
        _ => false,
    }
}

/// Z3's quantifier elimination; nothing if it does not eliminate everything.
fn eliminate(
    z3: &Z3,
    terms: &mut Terms,
    formula: TermId,
    vars: &[VarId],
) -> Result<Option<TermId>, Reason> {
    let goal = Goal::new(false, false, false);
    {
        let mut encoder = z3.shared.encoder.borrow_mut();
        let body = encoder.formula(terms, formula);
        let constants: Vec<Dynamic> = vars
            .iter()
            .map(|&var| encoder.constant(terms, var))
            .collect();
        let bound: Vec<&dyn Ast> = constants
            .iter()
            .map(|constant| constant as &dyn Ast)
            .collect();
        goal.assert(&exists_const(&bound, &[], &body));
    }
    let tactic = Tactic::new("qe").try_for(z3.config.interpolation.elimination_time);
    let result = loop {
        match watch::watched(&z3.budget, || tactic.apply(&goal, None)) {
            (Ok(result), _) => break result,
            (Err(_), Some(Interrupt::Stop(stop))) => return Err(Reason::Stopped(stop)),
            (Err(_), Some(Interrupt::Wait)) => {}
            (Err(_), None) => return Ok(None),
        }
    };
    let subgoals: Vec<Bool> = result
        .list_subgoals()
        .map(|goal| Bool::and(&goal.get_formulas()))
        .collect();
    let formula = Dynamic::from(Bool::or(&subgoals));
    let eliminated = decode::decode(&z3.shared.encoder.borrow(), terms, &formula);
    Ok(eliminated.filter(|&term| {
        terms
            .free_vars(&[term])
            .iter()
            .all(|var| !vars.contains(var))
    }))
}
