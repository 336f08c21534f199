//! What an interpolant is: settings, and the check of its three defining properties.

use crate::{Answer, Solver};
use lariat_base::{FxHashSet, Id};
use lariat_expr::{TermId, Terms, VarId};
use std::time::Duration;

/// A way to make interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Z3's Horn engine: the most general interpolants, and the slowest way.
    Horn,
    /// Projection of models with unsat cores: close to the reachable values.
    Projection,
    /// Weakest preconditions, or else strongest postconditions, over the unsat core: the fastest way, and
    /// the one that handles arrays.
    Newton,
}

/// How interpolants are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterpolationConfig {
    /// Check every interpolant against its definition and panic if one is wrong. Off by default: an
    /// abstraction may use any predicate, so a wrong interpolant costs progress, never a verdict.
    pub check: bool,
    /// The methods, in the order they are tried.
    pub methods: Vec<Method>,
    /// At most so many checks are spent on a smaller unsat core.
    pub core_checks: usize,
    /// Steps that Z3's Horn engine may take; some 5 million are a second.
    pub horn_steps: u32,
    /// At most so many cubes are projected for one cut.
    pub projected_cubes: usize,
    /// Time for one quantifier elimination.
    pub elimination_time: Duration,
}

impl Default for InterpolationConfig {
    fn default() -> Self {
        Self {
            check: false,
            methods: vec![Method::Horn, Method::Projection, Method::Newton],
            core_checks: 100,
            horn_steps: 20_000_000,
            projected_cubes: 100,
            elimination_time: Duration::from_secs(2),
        }
    }
}

/// Checks that `interpolants` is a sequence interpolant of `parts` (see
/// [`Interpolants::Sequence`](crate::Interpolants::Sequence)); the error names the property that does not
/// hold. `solver` must have no assertions; a check that it cannot decide is no error.
pub fn check_sequence(
    solver: &mut (impl Solver + ?Sized),
    terms: &mut Terms,
    parts: &[TermId],
    interpolants: &[TermId],
) -> Result<(), String> {
    if interpolants.len() + 1 != parts.len() {
        return Err("there is one interpolant per cut".into());
    }
    for (cut, &interpolant) in interpolants.iter().enumerate() {
        let shared = shared_vars(terms, &parts[..=cut], &parts[cut + 1..]);
        if let Some(alien) = terms
            .free_vars(&[interpolant])
            .into_iter()
            .find(|var| !shared.contains(var))
        {
            let name = terms.name(alien);
            return Err(format!(
                "interpolant {cut} has {name}, which is not shared across the cut"
            ));
        }
    }
    for (step, &part) in parts.iter().enumerate() {
        let before = step
            .checked_sub(1)
            .map_or(terms.true_(), |cut| interpolants[cut]);
        let after = interpolants.get(step).copied().unwrap_or(terms.false_());
        let not_after = terms.not(after);
        if solver.check(terms, &[before, part, not_after]) == Answer::Sat {
            return Err(format!(
                "interpolant {step} does not follow from part {step} and the one before"
            ));
        }
    }
    Ok(())
}

/// The variables that occur on both sides, in the order of their ids.
pub(crate) fn shared_vars(terms: &Terms, left: &[TermId], right: &[TermId]) -> Vec<VarId> {
    let left: FxHashSet<VarId> = terms.free_vars(left).into_iter().collect();
    let mut shared = terms.free_vars(right);
    shared.retain(|var| left.contains(var));
    shared.sort_unstable_by_key(|var| var.index());
    shared
}
