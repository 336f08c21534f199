//! Supporting invariants: what is always true at a location, among the conditions that the model itself names.
//!
//! Some loops end only because of what was true before: `x -= y` where `y` was tested to be positive, `i < n` where `n` is
//! within its type's range. Candidates are the comparisons of guards, and what is known of values that are assigned. A
//! location that is reached first keeps all that hold after the step there, and every other step into it drops what
//! it does not keep, until nothing changes: what is left is inductive (Flanagan and Leino, "Houdini, an annotation assistant
//! for ESC/Java", FME 2001). What an argument needs becomes predicates: nothing here is trusted.

use super::cases::put_in;
use super::cells::atoms;
use crate::domain::{Learned, Predicate};
use crate::product::{PlaceId, Product};
use crate::session::{Halt, Session};
use crate::summary::Summary;
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Substitution, TermId};
use lariat_smt::{Answer, Reason};
use lariat_system::PointId;
use std::rc::Rc;

/// Models with more steps are left alone.
const MAX_STEPS: usize = 60;
/// The most candidates.
const MAX_CANDIDATES: usize = 80;
/// The solver's steps for one question.
const STEPS: u32 = 200_000;

/// A step of the model; without a source if runs start with it.
struct ModelStep {
    from: Option<PointId>,
    summary: Rc<Summary>,
    to: PointId,
}

/// What is always true at the locations of a model.
pub(crate) struct Invariants {
    at: FxHashMap<PointId, Vec<TermId>>,
    steps: Vec<ModelStep>,
}

impl Invariants {
    /// Those of a model; none if it is large.
    pub fn infer(session: &mut Session, product: &mut Product<'_>) -> Result<Self, Halt> {
        let steps = steps(session, product)?.unwrap_or_default();
        let candidates = candidates(session, &steps);
        let mut invariants = Self {
            at: FxHashMap::default(),
            steps,
        };
        let starts = invariants.steps.iter().enumerate();
        let mut todo: Vec<usize> = starts
            .filter(|(_, step)| step.from.is_none())
            .map(|(i, _)| i)
            .collect();
        while let Some(i) = todo.pop() {
            if invariants.pass(session, i, &candidates)? {
                let to = invariants.steps[i].to;
                let next = invariants.steps.iter().enumerate();
                let next = next.filter(|(_, step)| step.from == Some(to));
                todo.extend(next.map(|(next, _)| next));
            }
        }
        Ok(invariants)
    }

    /// What is always true at a location.
    pub fn at(&self, at: PointId) -> &[TermId] {
        self.at.get(&at).map_or(&[], Vec::as_slice)
    }

    fn before(&self, step: &ModelStep) -> &[TermId] {
        step.from.map_or(&[], |from| self.at(from))
    }

    /// Drops what a step does not keep; says whether that changed anything.
    fn pass(&mut self, session: &mut Session, step: usize, all: &[TermId]) -> Result<bool, Halt> {
        let step = &self.steps[step];
        let known = self.at.get(&step.to);
        let mut kept: Vec<(TermId, TermId)> = Vec::new();
        for &candidate in known.map_or(all, Vec::as_slice) {
            kept.push((candidate, put_in(session, &step.summary.updates, candidate)));
        }
        let (is_first, n_before) = (known.is_none(), kept.len());
        let is_possible = session.scoped(|session| {
            for &part in [step.summary.guard].iter().chain(self.before(step)) {
                session.solver.assert(&session.cx.terms, part);
            }
            if ask(session, &[])? == Some(false) {
                return Ok(false);
            }
            while !kept.is_empty() {
                let terms = &mut session.cx.terms;
                let failures: Vec<TermId> =
                    kept.iter().map(|&(_, after)| terms.not(after)).collect();
                let failure = terms.or(&failures);
                match ask(session, &[failure])? {
                    Some(false) => break,
                    Some(true) => {
                        let n = kept.len();
                        kept.retain(|&(_, after)| session.truth(after) == Some(true));
                        if kept.len() == n {
                            kept.clear();
                        }
                    }
                    None => kept.clear(),
                }
            }
            Ok(true)
        })?;
        if !is_possible {
            return Ok(false);
        }
        let (to, kept) = (step.to, kept.into_iter().map(|(candidate, _)| candidate));
        let kept: Vec<TermId> = kept.collect();
        let changed = is_first || kept.len() < n_before;
        self.at.insert(to, kept);
        Ok(changed)
    }

    /// Some invariants at locations with all those that keep them.
    pub fn with_support(
        &self,
        session: &mut Session,
        used: Vec<(PointId, TermId)>,
    ) -> Result<Vec<Learned>, Halt> {
        let mut all: FxHashSet<(PointId, TermId)> = used.iter().copied().collect();
        let mut todo = used;
        let mut next = 0;
        while let Some(&(to, term)) = todo.get(next) {
            next += 1;
            for step in self.steps.iter().filter(|step| step.to == to) {
                let Some(from) = step.from else {
                    continue;
                };
                let after = put_in(session, &step.summary.updates, term);
                let terms = &mut session.cx.terms;
                let mut assumptions = self.at(from).to_vec();
                assumptions.extend([step.summary.guard, terms.not(after)]);
                if ask(session, &assumptions)? == Some(false) {
                    let core = session.solver.core();
                    let core = core.iter().filter(|term| self.at(from).contains(term));
                    for &needed in core {
                        if all.insert((from, needed)) {
                            todo.push((from, needed));
                        }
                    }
                }
            }
        }
        let learned = todo.into_iter().map(|(at, term)| Learned {
            predicate: Predicate::new(&session.cx.terms, term),
            at,
        });
        Ok(learned.collect())
    }
}

/// Whether assumptions are possible, if the solver can tell soon.
fn ask(session: &mut Session, assumptions: &[TermId]) -> Result<Option<bool>, Halt> {
    session.stats.checks += 1;
    let terms = &session.cx.terms;
    match session.solver.check_briefly(terms, assumptions, STEPS) {
        Answer::Sat => Ok(Some(true)),
        Answer::Unsat => Ok(Some(false)),
        Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
        Answer::Unknown(_) => Ok(None),
    }
}

/// The steps of a model, guards aside; nothing if there are many.
fn steps(session: &mut Session, product: &mut Product<'_>) -> Result<Option<Vec<ModelStep>>, Halt> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut met: FxHashSet<PlaceId> = FxHashSet::default();
    let mut todo: Vec<PlaceId> = Vec::new();
    for taken in product.initial() {
        let (summary, to) = (session.summary(taken.stmt)?, taken.target);
        found.push(ModelStep {
            from: None,
            summary,
            to: product.model_location(to),
        });
        todo.push(to);
    }
    while let Some(place) = todo.pop() {
        if !met.insert(place) {
            continue;
        }
        let from = product.model_location(place);
        for (taken, _) in product.edges(place) {
            todo.push(taken.target);
            let to = product.model_location(taken.target);
            if taken.model_edge.is_none() || !seen.insert((taken.stmt, from, to)) {
                continue;
            }
            if found.len() == MAX_STEPS {
                return Ok(None);
            }
            found.push(ModelStep {
                from: Some(from),
                summary: session.summary(taken.stmt)?,
                to,
            });
        }
    }
    Ok(Some(found))
}

/// Comparisons over the state that guards make, before or after their steps, and their opposites; what is known of numbers
/// that are assigned.
fn candidates(session: &mut Session, steps: &[ModelStep]) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    for step in steps {
        let summary = &step.summary;
        let terms = &mut session.cx.terms;
        // Values that are put in as they are: what the guard says of them it says of the variable afterwards.
        let mut renamed = Substitution::new();
        for &(var, value) in &summary.updates {
            let Some(input) = terms.as_var(value) else {
                continue;
            };
            if summary.auxiliary.contains(&input) {
                let var = terms.var(var);
                renamed.insert(terms, input, var);
            }
        }
        let renamed = renamed.apply(terms, summary.guard);
        let mut roots = vec![summary.guard, renamed];
        for &(var, value) in &summary.updates {
            let var = terms.var(var);
            if terms.as_lit(value).is_some() && terms.sort(value) != terms.sorts.bool() {
                roots.push(terms.eq(var, value));
            } else {
                roots.push(value);
            }
        }
        let own = atoms(session, &roots);
        let terms = &mut session.cx.terms;
        for atom in own {
            for candidate in [atom, terms.not(atom)] {
                if !found.contains(&candidate) {
                    found.push(candidate);
                }
            }
        }
    }
    found.truncate(MAX_CANDIDATES);
    found
}
