//! Sequence interpolation (`seq-itp`): one interpolant per cut of the path, each following from the one
//! before by its step (`McMillan`, CAV'06).

use super::{ExplainPath, Explanation, interpolate};
use crate::encode::PathEncoding;
use crate::engine::{Engine, Halt};
use lariat_system::LocId;

pub(crate) struct SequenceInterpolation;

impl ExplainPath for SequenceInterpolation {
    fn explain(
        &self,
        engine: &mut Engine,
        path: &PathEncoding,
        _places: &[LocId],
    ) -> Result<Explanation, Halt> {
        interpolate(engine, &path.parts).map(Explanation::at_cuts)
    }
}
