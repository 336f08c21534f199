//! Tests abstract counterexamples with the solver: real, or why not.
//!
//! How an infeasible path is explained ([`ExplainPath`]) and how a lasso is tested ([`TestLasso`]) are
//! choices; each has a file of its own. Testing and explaining are apart: a tester only says which path
//! cannot be executed, so any explanation goes with any tester, and an explanation that teaches the
//! domain nothing new can be followed by another one of the same path.

mod along;
mod bin_itp;
mod bound;
mod bounded_unrolling;
mod closed;
mod direct;
mod geometric;
mod held;
mod newton;
mod path;
mod path_program;
mod seq_itp;
mod unroll;
mod unsat_core;

pub(crate) use along::Along;
pub(crate) use closed::closed;
pub(crate) use geometric::{geometric, geometric_near};
pub(crate) use held::held;
pub(crate) use path::{PathResult, test_path};
pub(crate) use unroll::{OneRound, one_round};

use crate::encode::{Assignment, PathEncoding, fold};
use crate::explored::Taken;
use crate::product::{PlaceId, Product};
use crate::session::{Halt, Session};
use bin_itp::BinaryInterpolation;
use bounded_unrolling::BoundedUnrolling;
use direct::Direct;
use lariat_expr::{TermId, VarId};
use lariat_smt::{Interpolants, Method};
use lariat_system::{Lasso, Run, State, Step};
use newton::Newton;
use path_program::PathProgram;
use seq_itp::SequenceInterpolation;
use unsat_core::UnsatCore;

/// How infeasible paths are explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathRefinement {
    /// Sequence interpolation: one interpolant per cut, each inductive over its step.
    SeqItp,
    /// One interpolant, before the first step that the path's start cannot take.
    FwBinItp,
    /// One interpolant, before the longest end of the path that can be executed.
    BwBinItp,
    /// The variables of an unsat core.
    UnsatCore,
    /// Weakest preconditions or strongest postconditions over an unsat core.
    Newton,
    /// Invariants of the program that the path is made of.
    PathProgram,
}

impl PathRefinement {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::SeqItp,
        Self::FwBinItp,
        Self::BwBinItp,
        Self::UnsatCore,
        Self::Newton,
        Self::PathProgram,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SeqItp => "seq-itp",
            Self::FwBinItp => "fw-bin-itp",
            Self::BwBinItp => "bw-bin-itp",
            Self::UnsatCore => "unsat-core",
            Self::Newton => "newton",
            Self::PathProgram => "path-program",
        }
    }

    /// What explains a path, and what explains it where that taught nothing new: sequence
    /// interpolation, whose predicates together exclude the path.
    pub(crate) fn explainers(self) -> Vec<Box<dyn ExplainPath>> {
        let chosen: Box<dyn ExplainPath> = match self {
            Self::SeqItp => return vec![Box::new(SequenceInterpolation)],
            Self::FwBinItp => Box::new(BinaryInterpolation::Forward),
            Self::BwBinItp => Box::new(BinaryInterpolation::Backward),
            Self::UnsatCore => Box::new(UnsatCore),
            Self::Newton => Box::new(Newton),
            Self::PathProgram => Box::new(PathProgram::default()),
        };
        vec![chosen, Box::new(SequenceInterpolation)]
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
    /// Unroll until the variables that can change have run out of values; `direct` where they never do.
    BoundedUnrolling {
        /// The most rounds that are unrolled.
        max_unrolling: usize,
        /// The most rounds where there is no bound, or it is larger.
        max_rounds: usize,
    },
}

impl LassoRefinement {
    /// How many rounds `direct` unrolls unless told otherwise.
    pub const MAX_ROUNDS: usize = 8;
    /// How many rounds `bounded-unrolling` unrolls unless told otherwise.
    pub const MAX_UNROLLING: usize = 100;

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct { .. } => "direct",
            Self::BoundedUnrolling { .. } => "bounded-unrolling",
        }
    }

    pub(crate) fn tester(self) -> Box<dyn TestLasso> {
        match self {
            Self::Direct { max_rounds } => Box::new(Direct { max_rounds }),
            Self::BoundedUnrolling {
                max_unrolling,
                max_rounds,
            } => Box::new(BoundedUnrolling {
                max_unrolling,
                otherwise: Direct { max_rounds },
            }),
        }
    }
}

/// Which runs are looked for that take a loop for ever without coming back to a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Recurrence {
    /// None.
    Off,
    /// Runs whose numbers grow by a rule.
    Geometric,
    /// Also runs that do not leave a region.
    #[default]
    Closed,
}

impl Recurrence {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Geometric, Self::Closed];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Geometric => "geometric",
            Self::Closed => "closed",
        }
    }
}

/// Explains why a path cannot be executed.
pub(crate) trait ExplainPath {
    /// What tells the path's prefixes from its suffixes. The conjunction of `path.parts` has been found
    /// unsatisfiable; `places` are the product's structural states after its steps.
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        places: &[PlaceId],
    ) -> Result<Explanation, Halt>;
}

/// Why a path cannot be executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Explanation {
    /// Predicates that hold at cuts of the path.
    Predicates(Vec<Cut>),
    /// The variables that matter.
    Variables(Vec<VarId>),
}

impl Explanation {
    /// One predicate for each cut of the path, from the first.
    fn at_cuts(predicates: Vec<TermId>) -> Self {
        let cut = |(after, predicate)| Cut { after, predicate };
        Self::Predicates(predicates.into_iter().enumerate().map(cut).collect())
    }
}

/// A predicate over the variables, and the cut of the path where it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// The step, from 0, after which the path is cut. A predicate for every place is a cut after each step.
    pub after: usize,
    /// What separates the path's prefix from its suffix there.
    pub predicate: TermId,
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
        session: &mut Session,
        product: &Product,
        lasso: AbstractLasso<'_>,
    ) -> Result<LassoResult, Halt>;
}

/// What an abstract lasso is.
pub(crate) enum LassoResult {
    /// A real one.
    Real(Lasso),
    /// Stem and some rounds of the loop, which are this path, are not executable.
    Infeasible(PathEncoding),
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
pub(crate) fn interpolate(session: &mut Session, parts: &[TermId]) -> Result<Vec<TermId>, Halt> {
    session.stats.interpolations += 1;
    let found = session.solver.interpolate(&mut session.cx.terms, parts);
    folded(session, found)
}

/// The same by one method.
fn interpolate_by(
    session: &mut Session,
    method: Method,
    parts: &[TermId],
) -> Result<Vec<TermId>, Halt> {
    session.stats.interpolations += 1;
    let found = session
        .solver
        .interpolate_by(method, &mut session.cx.terms, parts);
    folded(session, found)
}

fn folded(session: &mut Session, found: Interpolants) -> Result<Vec<TermId>, Halt> {
    match found {
        Interpolants::Sequence(sequence) => Ok(sequence
            .into_iter()
            .map(|term| fold(session, term))
            .collect()),
        Interpolants::Unknown(reason) => Err(reason.into()),
        Interpolants::Satisfiable => {
            panic!("a path that the solver calls infeasible has no interpolants")
        }
    }
}

/// The concrete run of a model of the path, along the edges of the product that it takes.
pub(crate) fn concrete_run(
    session: &mut Session,
    product: &Product,
    taken: &[Taken],
    path: &PathEncoding,
    model: &Assignment,
) -> Run {
    let mut steps = Vec::new();
    for (at, step) in taken.iter().enumerate() {
        let Some(edge) = step.model_edge else {
            continue;
        };
        let decisions = path.decisions(session, model, at);
        let values = path.state_values(session, model, at + 1);
        steps.push(Step {
            edge,
            decisions,
            state: State {
                loc: product.model_location(step.target),
                values,
            },
        });
    }
    Run { steps }
}
