//! Binary interpolation (`fw-bin-itp`, `bw-bin-itp`): one interpolant, at the cut where the path breaks.
//!
//! Forward: the longest prefix that can be executed, against the one step after it. The predicate says
//! what the prefix leaves behind that rules this step out. Backward: the one step before the longest
//! suffix that can be executed (from any values) against that suffix. The predicate says what must not
//! enter the suffix. Either is one small question where sequence interpolation asks one per step; the
//! price is more rounds, since one predicate at one cut rarely excludes the path. Backward finds what
//! is close to the violation, forward what is close to the start.
//!
//! Theta's checkers (Hajdu, Micskei, "Efficient strategies for CEGAR-based model checking", JAR 2020)
//! also put the labels of the abstract states into the path, so that the next round cuts elsewhere. Here
//! the path is the statements alone: a round whose interpolant is known already is explained by
//! sequence interpolation (see [`super::explain`]), which excludes the path for good.

use super::{Cut, ExplainPath, Explanation, interpolate};
use crate::encode::PathEncoding;
use crate::product::PlaceId;
use crate::session::{Halt, Session};
use lariat_expr::TermId;
use lariat_smt::Answer;

/// From which end the path is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinaryInterpolation {
    Forward,
    Backward,
}

impl ExplainPath for BinaryInterpolation {
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        _places: &[PlaceId],
    ) -> Result<Explanation, Halt> {
        let parts = &path.parts;
        let n = parts.len();
        let (first, cut, end) = match self {
            Self::Forward => {
                let executable = executable(session, parts.iter())?;
                (0, executable, executable + 1)
            }
            Self::Backward => {
                let executable = executable(session, parts.iter().rev())?;
                (n - executable - 1, n - executable, n)
            }
        };
        if cut == first || cut == end {
            // One step cannot be executed by itself: no predicate is needed, nor would one help.
            return Ok(Explanation::Predicates(Vec::new()));
        }
        let before = session.cx.terms.and(&parts[first..cut]);
        let after = session.cx.terms.and(&parts[cut..end]);
        let predicate = |predicate| Cut {
            after: cut - 1,
            predicate,
        };
        let found = interpolate(session, &[before, after])?;
        let cuts = found.into_iter().map(predicate).collect();
        Ok(Explanation::Predicates(cuts))
    }
}

/// How many of the parts, from the first on, have a common model. All of them together have none.
fn executable<'t>(
    session: &mut Session,
    parts: impl Iterator<Item = &'t TermId>,
) -> Result<usize, Halt> {
    session.scoped(|session| {
        for (n, &part) in parts.enumerate() {
            session.solver.assert(&session.cx.terms, part);
            match session.check(&[])? {
                Answer::Sat => {}
                Answer::Unsat => return Ok(n),
                Answer::Unknown(reason) => return Err(reason.into()),
            }
        }
        panic!("a path that the solver calls infeasible can be executed")
    })
}
