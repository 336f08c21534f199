//! Must steps: every concrete state of a class has a step into another class (Larsen and Thomsen, LICS'88; Godefroid,
//! Huth and Jagadeesan, CONCUR'01).
//!
//! A statement is a formula over the state before it and its auxiliary variables (inputs and selectors), so a must step says:
//! for all states of the class there are auxiliary values that lead into the target. There are no quantifiers here. Instead
//! values are collected that lead there from some state, until every state of the class has one among them or there is
//! a state from which none leads there. "Yes" is always true; "no" may mean that no few values do for all.

use crate::session::{Halt, Session};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_smt::Answer;
use lariat_system::StmtId;

/// The most choices of auxiliary values that are tried.
const MAX_CHOICES: usize = 8;

/// Whether every state that satisfies `source` can take `stmt` to one that satisfies all of `target`.
pub(crate) fn must_step(
    session: &mut Session,
    source: TermId,
    stmt: StmtId,
    target: &[TermId],
) -> Result<bool, Halt> {
    let summary = session.summary(stmt)?;
    let terms = &mut session.cx.terms;
    let mut leads = summary.after(terms, target);
    leads.push(summary.guard);
    let leads = terms.and(&leads);
    for_all_some(session, source, leads, &summary.auxiliary)
}

/// Whether for all values that satisfy `source` there are some of the `auxiliary` variables that satisfy `leads`.
fn for_all_some(
    session: &mut Session,
    source: TermId,
    leads: TermId,
    auxiliary: &[VarId],
) -> Result<bool, Halt> {
    let mut uncovered = vec![source];
    for _ in 0..=MAX_CHOICES {
        match session.check(&uncovered)? {
            Answer::Unsat => return Ok(true),
            Answer::Unknown(_) => return Ok(false),
            Answer::Sat => {}
        }
        // A state of the class from which no choice so far leads there, and a choice that does.
        let Some(mut state) = read(session, &[source, leads], |var| !auxiliary.contains(&var))
        else {
            return Ok(false);
        };
        let from_here = state.apply(&mut session.cx.terms, leads);
        if session.check(&[from_here])? != Answer::Sat {
            return Ok(false);
        }
        let Some(mut choice) = read(session, &[leads], |var| auxiliary.contains(&var)) else {
            return Ok(false);
        };
        let by_choice = choice.apply(&mut session.cx.terms, leads);
        uncovered.push(session.cx.terms.not(by_choice));
    }
    Ok(false)
}

/// The values of some variables of terms in the solver's model.
fn read(
    session: &mut Session,
    roots: &[TermId],
    is_wanted: impl Fn(VarId) -> bool,
) -> Option<Substitution> {
    let mut values = Substitution::new();
    for var in session.cx.terms.free_vars(roots) {
        if is_wanted(var) {
            let term = session.cx.terms.var(var);
            let value = session.solver.value(&session.cx.terms, term)?;
            let sort = session.cx.terms.var_sort(var);
            let value = session.cx.terms.lit(value, sort);
            values.insert(&mut session.cx.terms, var, value);
        }
    }
    Some(values)
}
