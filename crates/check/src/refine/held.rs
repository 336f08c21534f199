//! Lassos, once more: can the loop be executed without leaving the abstract states that it runs through?
//!
//! A run along the edges of a lasso need not be in its abstract states: `while (x ≠ 0) x--` can be taken from 5, but
//! not where the abstract state says `x < 1`. Such a lasso can be executed and is excluded by no measure, and yet
//! it is spurious. What the abstract states say is therefore assumed before each step; if that path is infeasible,
//! its explanation tells the states apart from which the loop can be taken.

use crate::encode::PathEncoding;
use crate::session::{Halt, Session};
use lariat_expr::TermId;
use lariat_smt::Answer;

/// The path of a stem and one round of a loop, with a premise assumed before each step and that of the loop's first step
/// also at its end, if it cannot be executed like this.
pub(crate) fn held(
    session: &mut Session,
    mut path: PathEncoding,
    premises: &[TermId],
    honda: usize,
) -> Result<Option<PathEncoding>, Halt> {
    for (at, &premise) in premises.iter().enumerate() {
        path.hold(session, at, premise);
    }
    path.hold(session, premises.len(), premises[honda]);
    let answer = session.scoped(|session| {
        for &part in &path.parts {
            session.solver.assert(&session.cx.terms, part);
        }
        session.check(&[])
    })?;
    Ok((answer == Answer::Unsat).then_some(path))
}
