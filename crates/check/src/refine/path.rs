//! Finite paths: executable, or not.

use super::concrete_run;
use crate::encode::PathEncoding;
use crate::explored::Taken;
use crate::product::Product;
use crate::session::{Halt, Session};
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
    session: &mut Session,
    product: &Product,
    taken: &[Taken],
) -> Result<PathResult, Halt> {
    let stmts: Vec<StmtId> = taken.iter().map(|step| step.stmt).collect();
    let path = PathEncoding::new(session, &stmts)?;
    let run = session.scoped(|session| {
        for &part in &path.parts {
            session.solver.assert(&session.cx.terms, part);
        }
        match session.check(&[])? {
            Answer::Sat => {
                let model = path.model(session, path.parts.len())?;
                Ok(Some(concrete_run(session, product, taken, &path, &model)))
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
