//! Finite paths: executable, or explained.

use super::{ExplainPath, concrete_run};
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
    /// Not executable; predicates that explain it.
    Infeasible(Vec<TermId>),
}

/// Tests a path.
pub(crate) fn test_path(
    engine: &mut Engine,
    product: &Product,
    taken: &[Taken],
    explain: &dyn ExplainPath,
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
        None => Ok(PathResult::Infeasible(explain.explain(engine, &path)?)),
    }
}
