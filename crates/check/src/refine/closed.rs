//! Lassos that never close, once more: is there a region in which the loop can be taken for ever?
//!
//! The stem and some rounds are executed with the same inputs in each round; the last round is then followed for all states of
//! a region that it does not leave (`region.rs`).

use super::{AbstractLasso, concrete_run};
use crate::encode::PathEncoding;
use crate::product::Product;
use crate::region::{Values, closed_region};
use crate::session::{Halt, Session};
use lariat_smt::{Answer, Reason};
use lariat_system::{Growth, Lasso, RoundFormula, State};

/// How many rounds are executed.
const N_ROUNDS: usize = 3;
/// The solver's steps for them.
const STEPS: u32 = 2_000_000;

/// A run along the lasso with a region that its loop does not leave, if one is found.
pub(crate) fn closed(
    session: &mut Session,
    product: &mut Product,
    AbstractLasso { stem, cycle }: AbstractLasso<'_>,
) -> Result<Option<Lasso>, Halt> {
    let mut taken = stem.to_vec();
    for _ in 0..N_ROUNDS {
        taken.extend_from_slice(cycle);
    }
    let mut path = PathEncoding::new(session, &[])?;
    for step in &taken {
        path.push(session, step.stmt)?;
    }
    let mut conditions = path.parts.clone();
    for at in stem.len()..taken.len() - cycle.len() {
        for input in path.step(at).auxiliary.clone() {
            let input = session.cx.terms.var(input);
            let copies = [at, at + cycle.len()].map(|at| path.term_at(session, input, at));
            conditions.push(session.cx.terms.eq(copies[0], copies[1]));
        }
    }
    let model = session.scoped(|session| {
        for condition in conditions {
            session.solver.assert(&session.cx.terms, condition);
        }
        session.stats.checks += 1;
        match session.solver.check_briefly(&session.cx.terms, &[], STEPS) {
            Answer::Sat => path.model(session, path.parts.len()).map(Some),
            Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
            Answer::Unsat | Answer::Unknown(_) => Ok(None),
        }
    })?;
    let Some(model) = model else {
        return Ok(None);
    };
    let run = concrete_run(session, product, &taken, &path, &model);
    let n_steps = cycle
        .iter()
        .filter(|step| step.model_edge.is_some())
        .count();
    let honda = run.steps.len() - 1 - n_steps;
    let mut lasso = Lasso {
        run,
        honda,
        growth: Growth::default(),
        region: Vec::new(),
    };
    let atoms = product.read_terms().to_vec();
    let Some(round) = RoundFormula::new(session.cx, product.model(), &lasso, &atoms) else {
        return Ok(None);
    };
    let values = |state: &State| -> Values {
        let variables = session.variables.iter().copied();
        variables.zip(state.values.iter().cloned()).collect()
    };
    let (start, end) = (
        values(&lasso.run.steps[honda].state),
        values(&lasso.run.steps[lasso.run.steps.len() - 1].state),
    );
    let found = closed_region(session.cx, &mut *session.solver, &round, [&start, &end]);
    Ok(found.map(|region| {
        lasso.region = region;
        lasso
    }))
}
