//! The measures in force, and steps split by what they do to them.
//!
//! A case of a step is a statement: it keeps the measures before the step in ghost variables, does the step and assumes
//! the case. So every domain computes its successors as those of any other statement, and since each concrete step
//! falls into exactly one case, the cases together cover the step whatever the domain leaves unknown.
//!
//! Invariant: a mark is never left out of ignorance. The response of a pair (*the level has increased, or an
//! earlier one has changed*) is on every arc for which that was not excluded: on steps out of the measure's scope, on
//! steps with too many cases, and on all arcs that were made before the measure came in.

use super::measure::{Change, Measure};
use crate::acceptance::{Acceptance, Mark, MarkSetId, MarkSets, StreettPair};
use crate::proof::ProofMeasure;
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{PointId, Stmt, StmtId};
use std::ops::Range;
use std::rc::Rc;

/// The most cases of a step.
const MAX_CASES: usize = 27;
/// The most levels of all measures together.
const MAX_LEVELS: usize = 32;
/// Ghost variables are instances of their own: no model, path or statement has variables with this number.
const GHOST: u32 = u32::MAX - 1;

/// The measures in force.
#[derive(Debug, Default)]
pub(crate) struct Ranks {
    measures: Vec<ProofMeasure>,
    /// The cases of a statement between two locations under the present measures.
    splits: FxHashMap<Edge, Rc<[Case]>>,
    /// The statement of each case that was ever made: a domain remembers successors by it.
    made: FxHashMap<(Edge, TermId), StmtId>,
    added: Vec<Added>,
}

/// A measure that has come in and of which what was explored does not know yet.
#[derive(Debug)]
pub(crate) struct Added {
    /// The marks that every arc made before must have.
    pub responses: MarkSetId,
    /// The locations whose steps are to be made anew.
    pub scope: Vec<PointId>,
}

/// A statement from one location of the model to another.
type Edge = (StmtId, PointId, PointId);

/// One case of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub stmt: StmtId,
    pub marks: MarkSetId,
}

/// What a step may do to one measure, or to several: the condition, over ghosts and the state after it.
#[derive(Clone, Debug)]
struct Outcome {
    conditions: Vec<TermId>,
    marks: Vec<Mark>,
}

impl Ranks {
    /// Whether no measure is in force.
    pub fn is_empty(&self) -> bool {
        self.measures.is_empty()
    }

    /// The measures with their pairs.
    pub fn for_proof(&self) -> Vec<ProofMeasure> {
        self.measures.clone()
    }

    /// Whether a measure of these levels is in force at some locations already, or there is no room for it.
    pub fn knows(&self, measure: &Measure) -> bool {
        let n_levels: usize = self.measures.iter().map(|known| known.pairs.len()).sum();
        let is_known = |known: &ProofMeasure| {
            let scope = &known.measure.scope;
            known.measure.levels == measure.levels
                && measure.scope.iter().all(|at| scope.contains(at))
        };
        n_levels + measure.levels.len() > MAX_LEVELS || self.measures.iter().any(is_known)
    }

    /// Puts a measure in force that is [not known](Self::knows).
    pub fn add(&mut self, measure: Measure, acceptance: &mut Acceptance, sets: &mut MarkSets) {
        let pairs: Vec<StreettPair> = measure
            .levels
            .iter()
            .map(|_| acceptance.add_streett())
            .collect();
        let responses = sets.of(pairs.iter().map(|pair| pair.response));
        self.added.push(Added {
            responses,
            scope: measure.scope.clone(),
        });
        self.measures.push(ProofMeasure { measure, pairs });
        self.splits.clear();
    }

    /// The measures that have come in since this was last asked.
    pub fn take_added(&mut self) -> Vec<Added> {
        std::mem::take(&mut self.added)
    }

    /// The cases of a step: together they cover it.
    pub fn cases(
        &mut self,
        session: &mut Session,
        sets: &mut MarkSets,
        edge: Edge,
    ) -> Result<Rc<[Case]>, Halt> {
        if let Some(known) = self.splits.get(&edge) {
            return Ok(Rc::clone(known));
        }
        let cases = self.split(session, sets, edge, 0..self.measures.len())?;
        self.splits.insert(edge, Rc::clone(&cases));
        Ok(cases)
    }

    /// How many measures are in force.
    pub fn len(&self) -> usize {
        self.measures.len()
    }

    /// The cases of a step by one of the measures: together they cover it.
    pub fn cases_by(
        &mut self,
        session: &mut Session,
        sets: &mut MarkSets,
        edge: Edge,
        number: usize,
    ) -> Result<Rc<[Case]>, Halt> {
        self.split(session, sets, edge, number..number + 1)
    }

    fn split(
        &mut self,
        session: &mut Session,
        sets: &mut MarkSets,
        edge: Edge,
        measures: Range<usize>,
    ) -> Result<Rc<[Case]>, Halt> {
        let mut ghosts: Vec<(VarId, TermId)> = Vec::new();
        let mut all = vec![Outcome {
            conditions: Vec::new(),
            marks: Vec::new(),
        }];
        for number in measures {
            let one = self.outcomes(session, number, edge, &mut ghosts)?;
            let responses = self.measures[number].pairs.iter().map(|pair| pair.response);
            match one {
                Some(one) if one.len() * all.len() <= MAX_CASES => all = product(&all, &one),
                _ => {
                    let responses: Vec<Mark> = responses.collect();
                    for outcome in &mut all {
                        outcome.marks.extend(&responses);
                    }
                }
            }
        }
        let case = |outcome: Outcome| Case {
            stmt: self.statement(session, edge, &ghosts, &outcome.conditions),
            marks: sets.of(outcome.marks),
        };
        Ok(all.into_iter().map(case).collect())
    }

    /// What a step may do to a measure; nothing if the measure does not judge it.
    fn outcomes(
        &self,
        session: &mut Session,
        number: usize,
        (stmt, from, to): Edge,
        ghosts: &mut Vec<(VarId, TermId)>,
    ) -> Result<Option<Vec<Outcome>>, Halt> {
        let ProofMeasure { measure, pairs } = &self.measures[number];
        if !measure.scope.contains(&from) || !measure.scope.contains(&to) {
            return Ok(None);
        }
        let summary = session.summary(stmt)?;
        let mut found = Vec::new();
        // That all levels so far are kept: over the state before, and over ghosts and the state after.
        let (mut kept, mut conditions) = (vec![summary.guard], Vec::new());
        for (i, level) in measure.levels.iter().enumerate() {
            let (before, next) = (level.at(from), level.at(to));
            let after = put_in(session, &summary.updates, next);
            if before == after {
                continue;
            }
            let sort = session.cx.terms.sort(before);
            let name = format!("rank {number}.{i}");
            let ghost = session.cx.terms.declare_instance(&name, sort, GHOST);
            ghosts.push((ghost, before));
            let ghost = session.cx.terms.var(ghost);
            let later = pairs[i + 1..].iter().map(|pair| pair.response);
            for change in [Change::Decrease, Change::Increase] {
                let terms = &mut session.cx.terms;
                let mut possible = kept.clone();
                possible.push(change.condition(terms, before, after));
                let condition = change.condition(terms, ghost, next);
                if !session.is_possible(possible)? {
                    continue;
                }
                let own = match change {
                    Change::Decrease => pairs[i].request,
                    _ => pairs[i].response,
                };
                let mut conditions = conditions.clone();
                conditions.push(condition);
                found.push(Outcome {
                    conditions,
                    marks: [own].into_iter().chain(later.clone()).collect(),
                });
            }
            let terms = &mut session.cx.terms;
            kept.push(Change::Keep.condition(terms, before, after));
            conditions.push(Change::Keep.condition(terms, ghost, next));
        }
        if session.is_possible(kept)? {
            found.push(Outcome {
                conditions,
                marks: Vec::new(),
            });
        }
        // Where only one is possible nothing need be assumed.
        if let [only] = &mut found[..] {
            only.conditions.clear();
        }
        Ok(Some(found))
    }

    /// The statement of a case.
    fn statement(
        &mut self,
        session: &mut Session,
        edge: Edge,
        ghosts: &[(VarId, TermId)],
        conditions: &[TermId],
    ) -> StmtId {
        let condition = session.cx.terms.and(conditions);
        if condition == session.cx.terms.true_() {
            return edge.0;
        }
        if let Some(&known) = self.made.get(&(edge, condition)) {
            return known;
        }
        let read = session.cx.terms.free_vars(&[condition]);
        let stmts = &mut session.cx.stmts;
        let mut parts = Vec::new();
        for &(ghost, value) in ghosts {
            if read.binary_search(&ghost).is_ok() {
                parts.push(stmts.derive(Stmt::Declare(ghost, Some(value)), edge.0));
            }
        }
        parts.push(edge.0);
        parts.push(stmts.derive(Stmt::Assume(condition), edge.0));
        let stmt = stmts.derive_seq(&parts, edge.0);
        self.made.insert((edge, condition), stmt);
        stmt
    }
}

/// One of the first and one of the second.
fn product(first: &[Outcome], second: &[Outcome]) -> Vec<Outcome> {
    let pairs = first
        .iter()
        .flat_map(|a| second.iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| Outcome {
            conditions: [&a.conditions[..], &b.conditions].concat(),
            marks: [&a.marks[..], &b.marks].concat(),
        })
        .collect()
}

/// A term after some updates, over the state before.
pub(crate) fn put_in(session: &mut Session, updates: &[(VarId, TermId)], term: TermId) -> TermId {
    let terms = &mut session.cx.terms;
    let mut substitution = Substitution::new();
    for &(var, value) in updates {
        substitution.insert(terms, var, value);
    }
    substitution.apply(terms, term)
}
