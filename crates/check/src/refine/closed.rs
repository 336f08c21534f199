//! Lassos that never close, once more: is there a region in which the loop can be taken for ever?
//!
//! The stem and some rounds are executed with the same inputs in each round; the last round is then followed for all states of
//! a region that it does not leave (`region.rs`).

use super::{AbstractLasso, concrete_run};
use crate::encode::PathEncoding;
use crate::explored::Taken;
use crate::product::Product;
use crate::region::find_region;
use crate::session::{Halt, Session};
use lariat_expr::TermId;
use lariat_smt::{Answer, Reason};
use lariat_system::{Growth, Lasso};

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
    let mut same = Vec::new();
    for at in stem.len()..taken.len() - cycle.len() {
        for input in path.step(at).auxiliary.clone() {
            let input = session.cx.terms.var(input);
            let copies = [at, at + cycle.len()].map(|at| path.term_at(session, input, at));
            same.push(session.cx.terms.eq(copies[0], copies[1]));
        }
    }
    if let Some(lasso) = with_inputs(session, product, &taken, &path, (cycle, &same))? {
        return Ok(Some(lasso));
    }
    // Inputs that a relation ties to the state cannot be the same in each round, but they may follow it.
    if same.is_empty() {
        return Ok(None);
    }
    with_inputs(session, product, &taken, &path, (cycle, &[]))
}

/// The same with some conditions on the inputs of the rounds.
fn with_inputs(
    session: &mut Session,
    product: &mut Product,
    taken: &[Taken],
    path: &PathEncoding,
    (cycle, conditions): (&[Taken], &[TermId]),
) -> Result<Option<Lasso>, Halt> {
    let model = session.scoped(|session| {
        for &condition in path.parts.iter().chain(conditions) {
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
    let run = concrete_run(session, product, taken, path, &model);
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
        inputs: Vec::new(),
    };
    let atoms = product.read_terms().to_vec();
    let variables = product.variables().to_vec();
    let (cx, solver) = (&mut *session.cx, &mut *session.solver);
    let is_found = find_region(cx, solver, product.model(), &variables, &mut lasso, &atoms);
    Ok(is_found.then_some(lasso))
}
