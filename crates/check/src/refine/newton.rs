//! Newton refinement (`newton`): weakest preconditions over the unsat core of the path.
//!
//! What the core does not need is dropped from each step: a guard becomes true, an assignment a havoc.
//! The weakest preconditions of what is left, from the end of the path backwards, with the variables
//! projected out that are not live at the cut, separate prefixes from suffixes as interpolants do; where
//! a projection fails, the strongest postconditions from the start do. Dietsch, Heizmann, Musa,
//! Nutz, Podelski, "Craig vs. Newton in software model checking" (ESEC/FSE 2017).
//!
//! No proof is needed, so it is fast and handles every theory, arrays included; but the predicates are
//! as specific as the path, where an interpolant may generalise. The transformers are the solver
//! layer's, which uses them when its other methods fail; here they come first.

use super::{ExplainPath, Explanation, interpolate_by};
use crate::encode::PathEncoding;
use crate::engine::{Engine, Halt};
use lariat_smt::Method;
use lariat_system::LocId;

pub(crate) struct Newton;

impl ExplainPath for Newton {
    fn explain(
        &self,
        engine: &mut Engine,
        path: &PathEncoding,
        _places: &[LocId],
    ) -> Result<Explanation, Halt> {
        interpolate_by(engine, Method::Newton, &path.parts).map(Explanation::at_cuts)
    }
}
