//! Path programs (`path-program`): invariants instead of interpolants.
//!
//! A path that goes round a loop three times is infeasible for a reason that mostly does not depend on the
//! three. The *path program* has the structural states of the path and the steps that it takes, so its
//! loops are loops again (Beyer, Henzinger, Majumdar, Rybalchenko, "Path invariants", PLDI'07). If the Horn
//! engine finds inductive invariants that exclude the path's end, they are predicates that exclude the path
//! with any number of rounds. Where the path repeats no structural state there is nothing to gain, and where
//! the engine gives up (or another run of the path program reaches the end) the path is left to
//! sequence interpolation. After a few failures it is not asked any more.

use super::{Cut, ExplainPath, Explanation, SequenceInterpolation};
use crate::encode::PathEncoding;
use crate::product::PlaceId;
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{TermId, VarId};
use lariat_smt::{Applied, HornClause, HornSystem, Indexing, Reason};
use std::cell::Cell;

/// After so many failures in a row the Horn engine is left alone.
const MAX_FAILURES: u32 = 3;

#[derive(Default)]
pub(crate) struct PathProgram {
    failures: Cell<u32>,
}

impl ExplainPath for PathProgram {
    fn explain(
        &self,
        session: &mut Session,
        path: &PathEncoding,
        places: &[PlaceId],
    ) -> Result<Explanation, Halt> {
        let distinct: FxHashSet<PlaceId> = places.iter().copied().collect();
        if distinct.len() < places.len() && self.failures.get() < MAX_FAILURES {
            let (system, relation_of) = clauses(session, path, places);
            session.stats.interpolations += 1;
            match session.solver.solve_horn(&mut session.cx.terms, &system) {
                Ok(invariants) => {
                    self.failures.set(0);
                    let after = 0..places.len() - 1;
                    let cut = |after: usize| Cut {
                        after,
                        predicate: invariants[relation_of[&places[after]]],
                    };
                    return Ok(Explanation::Predicates(after.map(cut).collect()));
                }
                Err(Reason::Stopped(stop)) => return Err(stop.into()),
                Err(Reason::Incomplete(_)) => self.failures.set(self.failures.get() + 1),
            }
        }
        SequenceInterpolation.explain(session, path, places)
    }
}

/// The clauses of the path program: a relation per structural state, a clause per different step, and
/// nothing may take the last one. Also which relation is whose.
fn clauses(
    session: &mut Session,
    path: &PathEncoding,
    places: &[PlaceId],
) -> (HornSystem, FxHashMap<PlaceId, usize>) {
    let variables = path.variables(session);
    let mut relation_of: FxHashMap<PlaceId, usize> = FxHashMap::default();
    for &place in &places[..places.len() - 1] {
        let next = relation_of.len();
        relation_of.entry(place).or_insert(next);
    }
    let mut system = HornSystem {
        relations: vec![variables.clone(); relation_of.len()],
        clauses: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    for i in 0..places.len() {
        let from = i.checked_sub(1).map(|before| relation_of[&places[before]]);
        let to = (i + 1 < places.len()).then(|| relation_of[&places[i]]);
        if !seen.insert((from, std::ptr::from_ref(path.step(i)), to)) {
            continue;
        }
        let (step, after) = step(session, path, i, &variables);
        system.clauses.push(HornClause {
            from: from.map(|relation| Applied {
                relation,
                args: variables.clone(),
            }),
            step,
            to: to.map(|relation| Applied {
                relation,
                args: after,
            }),
        });
    }
    (system, relation_of)
}

/// A step over the variables themselves, and the variables that stand for them after it.
fn step(
    session: &mut Session,
    path: &PathEncoding,
    i: usize,
    variables: &[VarId],
) -> (TermId, Vec<VarId>) {
    let summary = path.step(i);
    let mut conjuncts = vec![summary.guard];
    let mut after = variables.to_vec();
    let mut indexing = Indexing::new();
    for (position, &var) in variables.iter().enumerate() {
        let Some(value) = summary.update(var) else {
            continue;
        };
        let copy = session
            .unroller
            .var(&mut session.cx.terms, var, indexing.advance(var));
        after[position] = copy;
        let copy = session.cx.terms.var(copy);
        conjuncts.push(session.cx.terms.eq(copy, value));
    }
    (session.cx.terms.and(&conjuncts), after)
}
