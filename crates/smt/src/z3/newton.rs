//! Weakest preconditions and strongest postconditions over the core, the last fallback.
//!
//! The strongest postcondition at a cut is what the steps before it imply about the variables that live
//! there: eliminate the others from `I_{k-1} ∧ A_k`. The weakest precondition is the same from the other
//! end, negated. Over an unsat core these are the Newton refinement's predicates (Dietsch et al., 2017). For
//! assignments elimination is substitution: weakest preconditions then work for every sort, arrays
//! included.
//!
//! What a write of an array says about a read is added first, so that it survives when the old array goes.
//! A conjunct with a variable that cannot be eliminated is dropped. That weakens what follows, which the
//! last step may not tolerate, so the result is checked in the end.

use super::interpolate::Sliced;
use super::{Z3, project, reads};
use crate::{Answer, Reason, Solver};
use lariat_expr::{TermId, Terms, VarId};

/// Interpolants at the cuts of a sliced path.
pub(super) fn solve(z3: &Z3, terms: &mut Terms, path: &Sliced) -> Result<Vec<TermId>, Reason> {
    let (mut steps, mut cuts) = (path.steps.clone(), path.cuts.clone());
    steps.reverse();
    cuts.reverse();
    match postconditions(z3, terms, &steps, &cuts) {
        Ok(mut found) => {
            found.reverse();
            Ok(found.into_iter().map(|term| terms.not(term)).collect())
        }
        Err(Reason::Incomplete(_)) => postconditions(z3, terms, &path.steps, &path.cuts),
        Err(stopped) => Err(stopped),
    }
}

/// At each cut, what the steps before it imply; checked to contradict the last step.
fn postconditions(
    z3: &Z3,
    terms: &mut Terms,
    steps: &[TermId],
    cuts: &[Vec<VarId>],
) -> Result<Vec<TermId>, Reason> {
    let mut found: Vec<TermId> = Vec::with_capacity(cuts.len());
    let mut before = terms.true_();
    for (&step, live) in steps.iter().zip(cuts) {
        let mut parts = project::conjuncts(terms, step);
        parts.extend(reads::implied(terms, &parts));
        parts.push(before);
        let reached = terms.and(&parts);
        let mut dead = terms.free_vars(&[reached]);
        dead.retain(|var| !live.contains(var));
        let projected = project::exists(z3, terms, reached, &dead)?;
        let mut kept = project::conjuncts(terms, projected.formula);
        kept.retain(|&part| {
            terms
                .free_vars(&[part])
                .iter()
                .all(|var| !projected.left.contains(var))
        });
        before = terms.and(&kept);
        found.push(before);
    }
    let last = *steps.last().expect("a path has a step");
    match z3.sibling().check(terms, &[before, last]) {
        Answer::Unsat => Ok(found),
        Answer::Sat => Err(Reason::Incomplete(
            "some variables cannot be eliminated".into(),
        )),
        Answer::Unknown(reason) => Err(reason),
    }
}
