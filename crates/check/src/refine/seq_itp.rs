//! Sequence interpolation (`seq-itp`): one interpolant per cut of the path, each following from the one
//! before by its step (`McMillan`, CAV'06).

use super::{ExplainPath, Explanation, interpolate};
use crate::encode::PathEncoding;
use crate::product::PlaceId;
use crate::session::{Halt, Session};

pub(crate) struct SequenceInterpolation;

impl ExplainPath for SequenceInterpolation {
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        _places: &[PlaceId],
    ) -> Result<Explanation, Halt> {
        interpolate(session, &path.parts).map(Explanation::at_cuts)
    }
}
