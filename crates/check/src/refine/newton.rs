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
use crate::product::PlaceId;
use crate::session::{Halt, Session};
use lariat_smt::Method;

pub(crate) struct Newton;

impl ExplainPath for Newton {
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        _places: &[PlaceId],
    ) -> Result<Explanation, Halt> {
        interpolate_by(session, Method::Newton, &path.parts).map(Explanation::at_cuts)
    }
}
