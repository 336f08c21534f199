//! Tests abstract counterexamples with the solver: real, or why not.
//!
//! How an infeasible path is explained ([`ExplainPath`]) and how a lasso is tested ([`TestLasso`]) are
//! choices; each has a file of its own.

mod direct;
mod path;
mod seq_itp;

pub(crate) use path::{PathResult, test_path};

use crate::abstraction::Taken;
use crate::encode::{PathEncoding, fold};
use crate::engine::{Engine, Halt};
use crate::product::Product;
use direct::Direct;
use lariat_expr::{TermId, VarId};
use lariat_smt::Interpolants;
use lariat_system::{Lasso, Run, State, Step};
use seq_itp::SequenceInterpolation;

/// How infeasible paths are explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathRefinement {
    /// Sequence interpolation: one interpolant per cut, each inductive over its step.
    SeqItp,
}

impl PathRefinement {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SeqItp => "seq-itp",
        }
    }

    pub(crate) fn explainer(self) -> Box<dyn ExplainPath> {
        match self {
            Self::SeqItp => Box::new(SequenceInterpolation),
        }
    }
}

/// How lassos are tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LassoRefinement {
    /// Unroll a few rounds, close, or tell the ends of the loop apart.
    Direct {
        /// The most rounds that are unrolled.
        max_rounds: usize,
    },
}

impl LassoRefinement {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct { .. } => "direct",
        }
    }

    pub(crate) fn tester(self) -> Box<dyn TestLasso> {
        match self {
            Self::Direct { max_rounds } => Box::new(Direct { max_rounds }),
        }
    }
}

/// Explains why a path cannot be executed.
pub(crate) trait ExplainPath {
    /// Predicates over the variables that tell the path's prefixes from its suffixes. The conjunction of
    /// `path.parts` has been found unsatisfiable.
    fn explain(&self, engine: &mut Engine, path: &PathEncoding) -> Result<Vec<TermId>, Halt>;
}

/// An abstract lasso: the edges of the product along its stem and once round its loop.
#[derive(Clone, Copy)]
pub(crate) struct AbstractLasso<'a> {
    pub stem: &'a [Taken],
    pub cycle: &'a [Taken],
}

/// Decides whether an abstract lasso is real.
pub(crate) trait TestLasso {
    fn test(
        &self,
        engine: &mut Engine,
        product: &Product,
        lasso: AbstractLasso<'_>,
        explain: &dyn ExplainPath,
    ) -> Result<LassoResult, Halt>;
}

/// What an abstract lasso is.
pub(crate) enum LassoResult {
    /// A real one.
    Real(Lasso),
    /// Stem and some rounds of the loop are not executable; predicates that explain it.
    Infeasible(Vec<TermId>),
    /// The loop can be executed, but no round returns to an earlier state.
    NotClosing {
        /// The variables that keep it from closing.
        changing: Vec<VarId>,
        /// Predicates that tell the start of the loop from its end.
        predicates: Vec<TermId>,
        /// The values of those variables at the start of the loop in one execution, as equations.
        values: Vec<TermId>,
    },
}

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
