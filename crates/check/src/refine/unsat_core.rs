//! Unsat cores (`unsat-core`): the variables that make the path infeasible, for domains of values.
//!
//! A domain of values only asks which variables to track, so interpolants are more than it needs. Each
//! step is split into its guards and assignments, an unsat core of them all is made small, and the
//! variables whose copies live in the core across some cut are the answer. A variable that is set and
//! used within one step is left out: the step's own evaluation sees it. Theta's `UNSAT_CORE` takes all
//! variables of the core; the live ones are never more. Interpolants may manage with fewer still, but
//! cost far more than one check and a few smaller ones.

use super::{ExplainPath, Explanation};
use crate::encode::PathEncoding;
use crate::product::PlaceId;
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Op, TermId, VarId};
use lariat_smt::{Answer, minimise_core};
use std::collections::hash_map::Entry;

/// The most checks that are spent on a smaller core.
const CORE_CHECKS: usize = 100;

pub(crate) struct UnsatCore;

impl ExplainPath for UnsatCore {
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        _places: &[PlaceId],
    ) -> Result<Explanation, Halt> {
        let mut origins: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut conjuncts: Vec<TermId> = Vec::new();
        for (step, part) in path.parts.iter().enumerate() {
            let members = session.cx.terms.as_op(*part, Op::And);
            for &member in members.unwrap_or(std::slice::from_ref(part)) {
                // One that several steps have is counted in the first.
                if let Entry::Vacant(slot) = origins.entry(member) {
                    slot.insert(step);
                    conjuncts.push(member);
                }
            }
        }
        match session.check(&conjuncts)? {
            Answer::Unsat => {}
            Answer::Sat => panic!("a path that the solver calls infeasible has no core"),
            Answer::Unknown(reason) => return Err(reason.into()),
        }
        let core = session.solver.core();
        let core = minimise_core(&mut *session.solver, &session.cx.terms, &core, CORE_CHECKS);
        Ok(Explanation::Variables(live(session, &core, &origins)))
    }
}

/// The variables with a copy that the core has in more than one step.
fn live(session: &mut Session, core: &[TermId], origins: &FxHashMap<TermId, usize>) -> Vec<VarId> {
    let mut first_step: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut found = Vec::new();
    for conjunct in core {
        let step = origins[conjunct];
        for copy in session.cx.terms.free_vars(&[*conjunct]) {
            if *first_step.entry(copy).or_insert(step) != step {
                found.extend(session.unroller.origin(copy).map(|(var, _)| var));
            }
        }
    }
    found.retain(|var| session.variables.contains(var));
    found.sort_unstable();
    found.dedup();
    found
}
