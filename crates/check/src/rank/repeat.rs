//! Whether a loop can come back to where it was: then no measure excludes it.
//!
//! The steps of the loop are put one behind the other, each in its abstract state. A statement that occurs twice takes the
//! same inputs both times, so this asks for less than there may be: a loop that repeats is found, or it is not.

use super::cases::put_in;
use crate::session::{Halt, Possibility, Session};
use lariat_expr::{TermId, VarId};
use lariat_system::StmtId;

/// Whether a loop of these statements, each where a premise holds, is possible from a state to itself.
pub(crate) fn can_repeat(session: &mut Session, steps: &[(TermId, StmtId)]) -> Result<bool, Halt> {
    let mut values: Vec<(VarId, TermId)> = Vec::new();
    let mut conditions = Vec::new();
    for &(premise, stmt) in steps {
        let summary = session.summary(stmt)?;
        for condition in [premise, summary.guard] {
            conditions.push(put_in(session, &values, condition));
        }
        let before = values.clone();
        for &(var, value) in &summary.updates {
            let value = put_in(session, &before, value);
            match values.iter_mut().find(|known| known.0 == var) {
                Some(known) => known.1 = value,
                None => values.push((var, value)),
            }
        }
    }
    let terms = &mut session.cx.terms;
    for (var, value) in values {
        let var = terms.var(var);
        conditions.push(terms.eq(var, value));
    }
    Ok(session.possibility(conditions)? == Possibility::Model)
}
