//! Lassos, `bounded-unrolling`: unroll until a repetition is certain.
//!
//! If the variables that can change from round to round have `n` combinations of values, an execution
//! of `n` rounds is in one of them twice: it contains a real lasso. So unrolling as often decides: either
//! a round closes, or some number of rounds cannot be executed and the path is explained like any
//! other. Predicates that tell the two ends of a loop apart, which may chase a counter for ever, are not
//! needed. `bound.rs` counts.
//!
//! Where the count is infinite or larger than the maximum, the lasso is tested by `direct`. The same
//! happens if no round closes although it must (the solver gave up on the question): the count decides
//! how much work is done, never the verdict.
//!
//! Mondok, Vörös, "Abstraction-based model checking of linear temporal properties" (2020), as printed,
//! unrolls the loop by itself and reports cycles that are feasible only from unreachable states.

use super::direct::{Direct, separate};
use super::unroll::{Outcome, unroll};
use super::{AbstractLasso, LassoResult, TestLasso, bound};
use crate::product::Product;
use crate::session::{Halt, Session};

/// Unrolls as often as is needed, up to a maximum.
pub(crate) struct BoundedUnrolling {
    pub max_unrolling: usize,
    pub otherwise: Direct,
}

impl TestLasso for BoundedUnrolling {
    fn test(
        &self,
        session: &mut Session,
        product: &Product,
        lasso: AbstractLasso<'_>,
    ) -> Result<LassoResult, Halt> {
        let enough = bound::rounds(session, lasso.cycle)?
            .and_then(|rounds| usize::try_from(rounds).ok())
            .filter(|&rounds| rounds <= self.max_unrolling);
        let Some(rounds) = enough else {
            return self.otherwise.test(session, product, lasso);
        };
        Ok(match unroll(session, product, lasso, rounds)? {
            Outcome::Real(lasso) => LassoResult::Real(lasso),
            Outcome::Infeasible(path) => LassoResult::Infeasible(path),
            Outcome::Open(unrolled) => separate(session, &unrolled)?,
        })
    }
}
