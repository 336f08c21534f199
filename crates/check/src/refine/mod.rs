//! Tests abstract counterexamples with the solver: real, or why not.

mod lasso;
mod path;

pub(crate) use lasso::{LassoResult, refine_lasso};
pub(crate) use path::{PathResult, refine_path};

use crate::abstraction::Taken;
use crate::encode::{PathEncoding, fold};
use crate::engine::{Engine, Halt};
use crate::product::Product;
use lariat_expr::TermId;
use lariat_smt::Interpolants;
use lariat_system::{Run, State, Step};

/// Interpolants between the parts of an infeasible path, over the variables themselves.
fn interpolate(engine: &mut Engine, parts: &[TermId]) -> Result<Vec<TermId>, Halt> {
    engine.stats.interpolations += 1;
    match engine.solver.interpolate(&mut engine.cx.terms, parts) {
        Interpolants::Sequence(sequence) => Ok(sequence
            .into_iter()
            .map(|term| fold(engine, term))
            .collect()),
        Interpolants::Unknown(reason) => Err(reason.into()),
        Interpolants::Satisfiable => {
            panic!("a path that the solver calls infeasible has no interpolants")
        }
    }
}

/// The concrete run of the model of the last check, along the edges of the product that it takes.
fn concrete_run(
    engine: &mut Engine,
    product: &Product,
    taken: &[Taken],
    path: &PathEncoding,
) -> Result<Run, Halt> {
    let mut steps = Vec::new();
    for (at, step) in taken.iter().enumerate() {
        let Some(edge) = step.model_edge else {
            continue;
        };
        let decisions = path.decisions(engine, at)?;
        let values = path.state_values(engine, at + 1)?;
        steps.push(Step {
            edge,
            decisions,
            state: State {
                loc: product.model_location(step.target),
                values,
            },
        });
    }
    Ok(Run { steps })
}
