//! Lassos, `direct`: is there a real run that takes the stem and then the loop for ever?
//!
//! The loop is unrolled a few rounds behind the stem, always connected to it. If some number of rounds
//! cannot be executed, the unrolled path is infeasible and interpolation tells why. If a round ends in
//! a state in which an earlier one started, that is a real lasso. If neither happens the loop changes
//! something each time; what it changes, and a predicate that tells its start from its end (the
//! interpolant between the path and the closing equations, with the values of one model put in for the
//! start), are the refinement. That last step can chase a counter for ever, so the caller checks for
//! progress and ends as unknown.

use super::unroll::{Outcome, Unrolled, unroll};
use super::{AbstractLasso, LassoResult, TestLasso};
use crate::encode::fold;
use crate::product::Product;
use crate::session::{Halt, Session};
use lariat_expr::{Substitution, TermId, Value, VarId};
use lariat_smt::{Answer, Interpolants};

/// Unrolls up to `max_rounds` rounds.
pub(crate) struct Direct {
    pub max_rounds: usize,
}

impl TestLasso for Direct {
    fn test(
        &self,
        session: &mut Session,
        product: &Product,
        lasso: AbstractLasso<'_>,
    ) -> Result<LassoResult, Halt> {
        Ok(match unroll(session, product, lasso, self.max_rounds)? {
            Outcome::Real(lasso) => LassoResult::Real(lasso),
            Outcome::Infeasible(path) => LassoResult::Infeasible(path),
            Outcome::Open(unrolled) => separate(session, &unrolled)?,
        })
    }
}

/// What keeps the first round from closing.
pub(super) fn separate(session: &mut Session, unrolled: &Unrolled) -> Result<LassoResult, Halt> {
    let (start, end) = (unrolled.starts[0], unrolled.starts[1]);
    let equations = unrolled.path.same_state(session, start, end);
    let path = session.cx.terms.and(&unrolled.path.parts[..end]);
    // The values of one execution at the start of the loop.
    let values = session.scoped(|session| {
        session.solver.assert(&session.cx.terms, path);
        match session.check(&[])? {
            Answer::Sat => {
                let model = unrolled.path.model(session, end)?;
                Ok(unrolled.path.state_values(session, &model, start))
            }
            Answer::Unsat => panic!("a path that was executable is not any more"),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    })?;
    let changing = changing(session, path, &equations)?;
    let closing: Vec<TermId> = equations.iter().map(|&(_, equation)| equation).collect();
    let closing = session.cx.terms.and(&closing);
    session.stats.interpolations += 1;
    let predicates = match session
        .solver
        .interpolate(&mut session.cx.terms, &[path, closing])
    {
        Interpolants::Sequence(sequence) => sequence
            .into_iter()
            .map(|term| at_values(session, unrolled, term, &values))
            .collect(),
        Interpolants::Satisfiable | Interpolants::Unknown(_) => Vec::new(),
    };
    let mut equations = Vec::new();
    for (&var, value) in session.variables.clone().iter().zip(values) {
        if changing.contains(&var) {
            let literal = session.cx.terms.lit(value, session.cx.terms.var_sort(var));
            let variable = session.cx.terms.var(var);
            equations.push(session.cx.terms.eq(variable, literal));
        }
    }
    Ok(LassoResult::NotClosing {
        changing,
        predicates,
        values: equations,
    })
}

/// The variables whose equations cannot all be true.
fn changing(
    session: &mut Session,
    path: TermId,
    equations: &[(VarId, TermId)],
) -> Result<Vec<VarId>, Halt> {
    let assumptions: Vec<TermId> = equations.iter().map(|&(_, equation)| equation).collect();
    let all = || equations.iter().map(|&(var, _)| var).collect();
    session.scoped(|session| {
        session.solver.assert(&session.cx.terms, path);
        if session.check(&assumptions)? != Answer::Unsat {
            return Ok(all());
        }
        let core = session.solver.core();
        Ok(equations
            .iter()
            .filter(|(_, equation)| core.contains(equation))
            .map(|&(var, _)| var)
            .collect())
    })
}

/// A term over the state at the start and at the end of the loop, with values put in for the start.
fn at_values(session: &mut Session, unrolled: &Unrolled, term: TermId, values: &[Value]) -> TermId {
    let (start, end) = (unrolled.starts[0], unrolled.starts[1]);
    let mut substitution = Substitution::new();
    for (var, value) in session.variables.clone().into_iter().zip(values) {
        let before = unrolled.path.var_at(session, var, start);
        if before != unrolled.path.var_at(session, var, end) {
            let literal = session
                .cx
                .terms
                .lit(value.clone(), session.cx.terms.var_sort(var));
            substitution.replace(&session.cx.terms, before, literal);
        }
    }
    let term = substitution.apply(&mut session.cx.terms, term);
    fold(session, term)
}
