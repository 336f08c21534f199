//! Finite paths: sequence interpolation (`seq-itp`).

use super::{concrete_run, interpolate};
use crate::abstraction::Taken;
use crate::encode::PathEncoding;
use crate::engine::{Engine, Halt};
use crate::product::Product;
use lariat_expr::TermId;
use lariat_smt::Answer;
use lariat_system::{Run, StmtId};

/// What an abstract path is.
pub(crate) enum PathResult {
    /// A real one.
    Real(Run),
    /// Not executable; the interpolants between its steps.
    Infeasible(Vec<TermId>),
}

/// Tests a path.
pub(crate) fn refine_path(
    engine: &mut Engine,
    product: &Product,
    taken: &[Taken],
) -> Result<PathResult, Halt> {
    let stmts: Vec<StmtId> = taken.iter().map(|step| step.stmt).collect();
    let path = PathEncoding::new(engine, &stmts)?;
    let run = engine.scoped(|engine| {
        for &part in &path.parts {
            engine.solver.assert(&engine.cx.terms, part);
        }
        match engine.check(&[])? {
            Answer::Sat => concrete_run(engine, product, taken, &path).map(Some),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    })?;
    match run {
        Some(run) => Ok(PathResult::Real(run)),
        None => Ok(PathResult::Infeasible(interpolate(engine, &path.parts)?)),
    }
}
