//! Finite paths: executable, or not.

use super::concrete_run;
use crate::encode::PathEncoding;
use crate::engine::{Engine, Halt};
use crate::explored::Taken;
use crate::product::Product;
use lariat_smt::Answer;
use lariat_system::{Run, StmtId};

/// What an abstract path is.
pub(crate) enum PathResult {
    /// A real one.
    Real(Run),
    /// Not executable.
    Infeasible(PathEncoding),
}

/// Tests a path.
pub(crate) fn test_path(
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
            Answer::Sat => {
                let model = path.model(engine, path.parts.len())?;
                Ok(Some(concrete_run(engine, product, taken, &path, &model)))
            }
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.into()),
        }
    })?;
    Ok(match run {
        Some(run) => PathResult::Real(run),
        None => PathResult::Infeasible(path),
    })
}
