//! The stem and then the loop, round after round, always from the start of the run.
//!
//! What every tester of lassos shares. A loop by itself, from any state, would be the shorter question,
//! but the wrong one: a cycle that can only be executed from a state that no run reaches is no
//! counterexample. So the stem stays in front however often the loop is unrolled.

use super::{AbstractLasso, concrete_run};
use crate::encode::{PathEncoding, value_in};
use crate::explored::Taken;
use crate::product::Product;
use crate::session::{Halt, Session};
use lariat_expr::TermId;
use lariat_smt::Answer;
use lariat_system::{Growth, Lasso};

/// The stem and some rounds of the loop.
pub(super) struct Unrolled {
    pub taken: Vec<Taken>,
    pub path: PathEncoding,
    /// Where each round starts, and where the last one ends.
    pub starts: Vec<usize>,
}

/// What came of unrolling.
pub(super) enum Outcome {
    /// A round ends where an earlier one started.
    Real(Lasso),
    /// This path, the stem and some rounds, cannot be executed.
    Infeasible(PathEncoding),
    /// All rounds can be executed and no execution of them closes.
    Open(Unrolled),
}

/// Unrolls up to `max_rounds` rounds, one at a time, until they close or cannot be executed.
pub(super) fn unroll(
    session: &mut Session,
    product: &Product,
    AbstractLasso { stem, cycle }: AbstractLasso<'_>,
    max_rounds: usize,
) -> Result<Outcome, Halt> {
    let mut unrolled = Unrolled {
        taken: stem.to_vec(),
        path: PathEncoding::new(session, &[])?,
        starts: vec![stem.len()],
    };
    for step in stem {
        unrolled.path.push(session, step.stmt)?;
    }
    let end = session.scoped(|session| {
        assert_from(session, &unrolled.path, 0);
        for _ in 0..max_rounds {
            let first = unrolled.path.parts.len();
            for step in cycle {
                unrolled.path.push(session, step.stmt)?;
            }
            unrolled.taken.extend_from_slice(cycle);
            unrolled.starts.push(unrolled.taken.len());
            assert_from(session, &unrolled.path, first);
            match session.check(&[])? {
                Answer::Unsat => return Ok(End::Infeasible),
                Answer::Sat => {}
                Answer::Unknown(reason) => return Err(reason.into()),
            }
            if let Some(lasso) = close(session, product, &unrolled)? {
                return Ok(End::Real(lasso));
            }
        }
        Ok(End::Open)
    })?;
    Ok(match end {
        End::Real(lasso) => Outcome::Real(lasso),
        End::Infeasible => Outcome::Infeasible(unrolled.path),
        End::Open => Outcome::Open(unrolled),
    })
}

/// What one round says.
pub(crate) enum OneRound {
    /// It closes.
    Real(Lasso),
    /// The stem and one round cannot be executed.
    Infeasible(PathEncoding),
    /// They can, and no execution of them closes.
    Open(PathEncoding),
}

/// Tests the stem and one round.
pub(crate) fn one_round(
    session: &mut Session,
    product: &Product,
    lasso: AbstractLasso<'_>,
) -> Result<OneRound, Halt> {
    Ok(match unroll(session, product, lasso, 1)? {
        Outcome::Real(lasso) => OneRound::Real(lasso),
        Outcome::Infeasible(path) => OneRound::Infeasible(path),
        Outcome::Open(unrolled) => OneRound::Open(unrolled.path),
    })
}

enum End {
    Real(Lasso),
    Infeasible,
    Open,
}

fn assert_from(session: &mut Session, path: &PathEncoding, first: usize) {
    for &part in &path.parts[first..] {
        session.solver.assert(&session.cx.terms, part);
    }
}

/// A real lasso whose last round ends where an earlier round (or the first) started.
fn close(
    session: &mut Session,
    product: &Product,
    unrolled: &Unrolled,
) -> Result<Option<Lasso>, Halt> {
    let (&end, starts) = unrolled.starts.split_last().expect("there is a start");
    let mut closings = Vec::new();
    for &start in starts {
        let equations: Vec<TermId> = unrolled
            .path
            .same_state(session, start, end)
            .into_iter()
            .map(|(_, equation)| equation)
            .collect();
        closings.push(session.cx.terms.and(&equations));
    }
    let any = session.cx.terms.or(&closings);
    if session.check(&[any])? != Answer::Sat {
        return Ok(None);
    }
    let path = &unrolled.path;
    let model = path.model(session, path.parts.len())?;
    let run = concrete_run(session, product, &unrolled.taken, path, &model);
    let closed = closings
        .iter()
        .position(|&closing| value_in(session.cx, &model, closing).as_bool());
    let Some(closed) = closed else {
        return Err(Halt::solver("its model does not close the loop"));
    };
    let start = starts[closed];
    // The honda is the state after the last step of the model before the round.
    let n_model_steps = unrolled.taken[..start]
        .iter()
        .filter(|step| step.model_edge.is_some())
        .count();
    Ok(Some(Lasso {
        run,
        honda: n_model_steps - 1,
        growth: Growth::default(),
        region: Vec::new(),
        inputs: Vec::new(),
    }))
}
