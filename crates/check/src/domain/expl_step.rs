//! One step of explicit values: what the tracked terms can be after it.
//!
//! Known values are put in first. A step whose guard and terms are constants then is settled; inputs with few values are tried one
//! by one; and what is left is listed by the solver, one model after the other, as long as there are few.

use super::expl::Values;
use super::known::Known;
use crate::session::{Halt, Session};
use lariat_base::FxHashSet;
use lariat_expr::{Op, Substitution, TermId, Terms, Value, VarId};
use lariat_smt::Answer;

/// A step with known values put in.
pub(super) struct Case {
    pub guard: TermId,
    /// The tracked terms after the step.
    pub after: Vec<TermId>,
}

/// What is asked of the solver.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The most values that it lists.
    pub max_enum: usize,
    /// Whether somebody else asks if the step is possible at all.
    pub is_tested_later: bool,
}

impl Case {
    /// The values of a case that has only literals, or terms that just stay unknown.
    pub fn settled(&self, terms: &Terms, tracked: &[TermId], known: &Known) -> Option<Values> {
        let stays_unknown = |after: TermId| {
            terms.as_var(after).is_some() || known.relevant(terms, &[after]).is_empty()
        };
        let value = |(&after, &term): (&TermId, &TermId)| match terms.as_lit(after) {
            Some(value) => Some(Some(value.clone())),
            None => (after == term && stays_unknown(after)).then_some(None),
        };
        self.after.iter().zip(tracked).map(value).collect()
    }

    /// An input or selector of it that has at most `limit` values, with their number.
    pub fn small_input(
        &self,
        terms: &Terms,
        inputs: &FxHashSet<VarId>,
        limit: usize,
    ) -> Option<(VarId, u64)> {
        let mut roots = self.after.clone();
        roots.push(self.guard);
        let candidates = terms
            .free_vars(&roots)
            .into_iter()
            .filter(|var| inputs.contains(var));
        let counted = candidates.filter_map(|var| {
            let sort = terms.var_sort(var);
            Value::nth(&terms.sorts, sort, 0)?;
            terms
                .sorts
                .cardinality(sort)
                .filter(|&count| count <= limit as u64)
                .map(|count| (var, count))
        });
        counted.min_by_key(|&(_, count)| count)
    }

    /// One case per value of an input.
    pub fn split(&self, terms: &mut Terms, input: VarId, count: u64) -> Vec<Self> {
        let sort = terms.var_sort(input);
        let mut cases = Vec::new();
        for n in 0..count {
            let value = Value::nth(&terms.sorts, sort, n).expect("below the count");
            let value = terms.lit(value, sort);
            let mut substitution = Substitution::new();
            substitution.insert(terms, input, value);
            let guard = substitution.apply(terms, self.guard);
            let after = self
                .after
                .iter()
                .map(|&term| substitution.apply(terms, term))
                .collect();
            cases.push(Self { guard, after });
        }
        cases
    }

    /// Lists the values of the tracked terms by the solver.
    pub fn list(
        &self,
        session: &mut Session,
        (tracked, guard): (&[TermId], TermId),
        limits: Limits,
        found: &mut Vec<Values>,
    ) -> Result<(), Halt> {
        let terms = &session.cx.terms;
        let guard_vars = terms.free_vars(&[guard]);
        let open: Vec<usize> = (0..self.after.len())
            .filter(|&i| terms.as_lit(self.after[i]).is_none())
            .filter(|&i| !is_anything(terms, self.after[i], &guard_vars))
            .filter(|&i| !is_untouched(terms, (tracked[i], self.after[i]), &guard_vars))
            .collect();
        let base: Values = self
            .after
            .iter()
            .map(|&term| session.cx.terms.as_lit(term).cloned())
            .collect();
        if open.is_empty() {
            let is_possible = limits.is_tested_later || {
                session.stats.post_checks += 1;
                session.check(&[guard])? != Answer::Unsat
            };
            found.extend(is_possible.then_some(base));
            return Ok(());
        }
        let mut listed: Vec<Values> = Vec::new();
        let all_listed = session.scoped(|session| {
            session.solver.assert(&session.cx.terms, guard);
            loop {
                session.stats.post_checks += 1;
                match session.check(&[])? {
                    Answer::Unsat => return Ok(true),
                    Answer::Unknown(_) => return Ok(false),
                    Answer::Sat if listed.len() >= limits.max_enum => return Ok(false),
                    Answer::Sat => {}
                }
                let mut values = base.clone();
                let mut differs = Vec::new();
                for &i in &open {
                    let Some(value) = session.solver.value(&session.cx.terms, self.after[i]) else {
                        return Ok(false);
                    };
                    let literal = session
                        .cx
                        .terms
                        .lit(value.clone(), session.cx.terms.sort(self.after[i]));
                    let same = session.cx.terms.eq(self.after[i], literal);
                    differs.push(session.cx.terms.not(same));
                    values[i] = Some(value);
                }
                let block = session.cx.terms.or(&differs);
                session.solver.assert(&session.cx.terms, block);
                listed.push(values);
            }
        })?;
        if all_listed {
            found.append(&mut listed);
        } else {
            found.push(collapse(
                session,
                (guard, &self.after),
                &open,
                base,
                &listed,
            )?);
        }
        Ok(())
    }
}

/// One state that covers all values: a variable stays known only if it can have no other value.
fn collapse(
    session: &mut Session,
    (guard, after): (TermId, &[TermId]),
    open: &[usize],
    base: Values,
    listed: &[Values],
) -> Result<Values, Halt> {
    let mut covering = base;
    let Some(first) = listed.first() else {
        return Ok(covering);
    };
    for &i in open {
        if listed.iter().any(|values| values[i] != first[i]) {
            continue;
        }
        let Some(value) = &first[i] else { continue };
        let literal = session
            .cx
            .terms
            .lit(value.clone(), session.cx.terms.sort(after[i]));
        let same = session.cx.terms.eq(after[i], literal);
        let other = session.cx.terms.not(same);
        session.stats.post_checks += 1;
        if session.check(&[guard, other])? == Answer::Unsat {
            covering[i] = Some(value.clone());
        }
    }
    Ok(covering)
}

/// Whether a step says nothing of the class of a variable: it does not change, and the guard does not speak of it.
fn is_untouched(terms: &Terms, (term, after): (TermId, TermId), guard_vars: &[VarId]) -> bool {
    let is_mentioned = |var: &VarId| guard_vars.binary_search(var).is_ok();
    term == after
        && terms.as_var(term).is_none()
        && !terms.free_vars(&[term]).iter().any(is_mentioned)
}

/// Whether a term can have any value of its (infinite) sort whatever the guard says: a variable, or a
/// sum with one, that the guard does not mention. Listing its values would never end.
fn is_anything(terms: &Terms, term: TermId, guard_vars: &[VarId]) -> bool {
    let is_free = |summand: TermId| {
        let factor = match terms.as_op(summand, Op::Mul) {
            Some(&[coefficient, rest]) if terms.as_lit(coefficient).is_some() => rest,
            _ => summand,
        };
        terms
            .as_var(factor)
            .is_some_and(|var| guard_vars.binary_search(&var).is_err())
    };
    terms.sorts.cardinality(terms.sort(term)).is_none()
        && match terms.as_op(term, Op::Add) {
            Some(summands) => summands.iter().any(|&summand| is_free(summand)),
            None => is_free(term),
        }
}
