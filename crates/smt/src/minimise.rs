//! Smaller unsat cores.

use crate::{Answer, Cores};
use lariat_expr::{TermId, Terms};

/// A subset of `core` that is unsatisfiable with the solver's assertions and from which at most the
/// members that the solver could not decide can be left out: each member is tried without once, and
/// every new core shortens the rest. At most `max_checks` checks are spent.
///
/// `core` must be unsatisfiable with the assertions.
pub fn minimise_core(
    solver: &mut (impl Cores + ?Sized),
    terms: &Terms,
    core: &[TermId],
    max_checks: usize,
) -> Vec<TermId> {
    let mut core = core.to_vec();
    let mut kept = 0; // core[..kept] was tried and is needed
    for _ in 0..max_checks {
        if kept == core.len() {
            break;
        }
        let mut rest = core.clone();
        let tried = rest.remove(kept);
        match solver.check(terms, &rest) {
            Answer::Unsat => {
                let smaller = solver.core();
                kept = core[..kept]
                    .iter()
                    .filter(|term| smaller.contains(term))
                    .count();
                core = smaller;
                debug_assert!(
                    !core.contains(&tried),
                    "a core is a subset of the assumptions"
                );
            }
            Answer::Sat | Answer::Unknown(_) => kept += 1,
        }
    }
    core
}
