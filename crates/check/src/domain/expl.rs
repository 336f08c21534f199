//! Explicit-value abstraction: an abstract state knows the values of the tracked terms, or that a
//! value is unknown.
//!
//! The tracked terms are variables (`expl`) and the classes of variables by abstraction functions (`value`).
//! A step is evaluated, not asked: known values are put into the guard and the updates, which mostly
//! fold to constants. Selectors and inputs of small sorts are tried one by one. What is left goes to
//! the solver, which lists the possible values of the tracked terms up to `max_enum`; beyond that
//! the terms that can differ become unknown. What it lists for classes is remembered across refinements.

use super::expl_step::{Case, Limits};
use super::function::Function;
use super::known::Known;
use super::precision::{Locality, Places, Precision, locally_first};
use super::{Domain, Learned, Reason};
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Dialect, TermId, Terms, Value, VarId, show_term};
use lariat_system::{PointId, StmtId};
use std::rc::Rc;

/// Settings of the domain.
#[derive(Clone, Debug)]
pub struct ExplicitDomain {
    /// The most successors that the solver lists for one step.
    pub max_enum: usize,
    /// The most cases that are tried without the solver.
    pub max_cases: usize,
}

impl Default for ExplicitDomain {
    fn default() -> Self {
        Self {
            max_enum: 32,
            max_cases: 64,
        }
    }
}

/// The domain with its precision.
pub struct Explicit {
    config: ExplicitDomain,
    precision: Precision<TermId>,
    /// Which functions of variables tracked terms are.
    names: FxHashMap<TermId, (VarId, Function)>,
    posts: FxHashMap<PostKey, Rc<[Values]>>,
    /// What the solver has listed for steps about which only classes are known.
    listed: FxHashMap<ListKey, Rc<[Values]>>,
}

type PostKey = (StmtId, Option<PointId>, Option<Values>);
/// The guard with what is known, the tracked terms after the step, and whether somebody else asks if it is possible.
type ListKey = (TermId, Box<[TermId]>, bool);

/// The values of the tracked terms, by their positions in the precision. Unknown values at the end are
/// left out, so that a state is the same under every later precision.
pub type Values = Box<[Option<Value>]>;

/// What else is known of a step.
#[derive(Clone, Copy)]
pub(super) struct Surroundings {
    /// What holds before it.
    pub known: TermId,
    /// Whether somebody else asks if it is possible at all.
    pub is_tested_later: bool,
}

impl Explicit {
    /// The domain that tracks these terms, everywhere, to start with.
    pub fn new(config: ExplicitDomain, locality: Locality, initial: &[TermId]) -> Self {
        let mut precision = Precision::new(locality);
        for &term in initial {
            precision.add(term, None);
        }
        Self {
            config,
            precision,
            names: FxHashMap::default(),
            posts: FxHashMap::default(),
            listed: FxHashMap::default(),
        }
    }

    /// The terms that were ever tracked.
    pub(super) fn terms(&self) -> &[TermId] {
        self.precision.items()
    }

    /// Whether a term is tracked somewhere.
    pub(super) fn is_tracked(&self, term: TermId) -> bool {
        self.precision.position(term).is_some()
    }

    /// Tracks a term at a place, or everywhere; says whether that is new.
    pub(super) fn track(&mut self, term: TermId, at: Option<PointId>) -> bool {
        self.precision.add(term, at)
    }

    /// Tracks a term at the places where something else was tracked.
    pub(super) fn track_at(&mut self, term: TermId, places: &Places) -> bool {
        self.precision.add_at(term, places)
    }

    /// Tracks the class of a variable at a place, or everywhere; says whether that is new.
    pub(super) fn track_class(
        &mut self,
        terms: &mut Terms,
        (var, function): (VarId, &Function),
        at: Option<PointId>,
    ) -> bool {
        let Some(class) = function.class(terms, var) else {
            return false;
        };
        if terms.as_lit(class).is_some() {
            return false;
        }
        self.names.insert(class, (var, function.clone()));
        self.precision.add(class, at)
    }

    /// To be called when the precision has changed.
    pub(super) fn forget(&mut self) {
        self.posts.clear();
    }

    /// Whether what is learned applies where it was learned only.
    pub(super) fn is_local(&self) -> bool {
        self.precision.is_local()
    }

    /// What a state says.
    pub(super) fn known(&self, terms: &mut Terms, from: Option<&Values>) -> Known {
        let values = from.map_or(&[][..], |values| values);
        Known::new(terms, self.terms(), values)
    }

    /// The successors of `from` (any values, if none) by a statement that leads to `at`. What the context
    /// says of the state before is made use of where the solver is asked.
    pub(super) fn follow(
        &mut self,
        session: &mut Session,
        from: Option<&Values>,
        stmt: StmtId,
        at: PointId,
        context: Surroundings,
    ) -> Result<Vec<Values>, Halt> {
        let wanted = self.precision.tracked(at);
        let tracked: Vec<TermId> = wanted.iter().map(|&i| self.terms()[i]).collect();
        let mut found = self.compute(session, from, stmt, &tracked, context)?;
        if wanted.len() < self.terms().len() {
            for values in &mut found {
                let mut all: Values = vec![None; self.terms().len()].into();
                for (&i, value) in wanted.iter().zip(&mut *values) {
                    all[i] = value.take();
                }
                *values = all;
            }
        }
        Ok(found.into_iter().map(trimmed).collect())
    }

    /// The values of `tracked` terms after a statement.
    fn compute(
        &mut self,
        session: &mut Session,
        from: Option<&Values>,
        stmt: StmtId,
        tracked: &[TermId],
        context: Surroundings,
    ) -> Result<Vec<Values>, Halt> {
        let summary = session.summary(stmt)?;
        let terms = &mut session.cx.terms;
        let mut known = self.known(terms, from);
        let guard = known.apply(terms, summary.guard);
        let context = Surroundings {
            known: known.apply(terms, context.known),
            ..context
        };
        let mut after = summary.after(terms, tracked);
        for term in &mut after {
            *term = known.apply(terms, *term);
        }
        let inputs: FxHashSet<VarId> = summary.auxiliary.iter().copied().collect();
        let mut found: Vec<Values> = Vec::new();
        let mut todo = vec![Case { guard, after }];
        let mut n_cases = 1;
        while let Some(case) = todo.pop() {
            if case.guard == session.cx.terms.false_() {
                continue;
            }
            if case.guard == session.cx.terms.true_()
                && let Some(values) = case.settled(&session.cx.terms, tracked, &known)
            {
                found.push(values);
                continue;
            }
            let limit = self.config.max_cases - n_cases;
            match case.small_input(&session.cx.terms, &inputs, limit) {
                Some((input, count)) => {
                    n_cases += count as usize;
                    todo.extend(case.split(&mut session.cx.terms, input, count));
                }
                None => self.ask(session, &case, (tracked, &known), context, &mut found)?,
            }
        }
        let mut seen = FxHashSet::default();
        found.retain(|values| seen.insert(values.clone()));
        Ok(found)
    }

    /// Lists the values of the tracked terms by the solver, or from what it has listed before.
    fn ask(
        &mut self,
        session: &mut Session,
        case: &Case,
        (tracked, known): (&[TermId], &Known),
        context: Surroundings,
        found: &mut Vec<Values>,
    ) -> Result<(), Halt> {
        let roots = [&[case.guard, context.known], &case.after[..]].concat();
        let mut guard = known.relevant(&session.cx.terms, &roots);
        let has_facts = !guard.is_empty();
        guard.extend([case.guard, context.known]);
        let guard = session.cx.terms.and(&guard);
        let limits = Limits {
            max_enum: self.config.max_enum,
            is_tested_later: context.is_tested_later,
        };
        if !has_facts {
            return case.list(session, (tracked, guard), limits, found);
        }
        let key = (guard, case.after.clone().into(), context.is_tested_later);
        if let Some(listed) = self.listed.get(&key) {
            found.extend_from_slice(listed);
            return Ok(());
        }
        let mut listed = Vec::new();
        case.list(session, (tracked, guard), limits, &mut listed)?;
        found.extend_from_slice(&listed);
        self.listed.insert(key, listed.into());
        Ok(())
    }
}

fn trimmed(values: Values) -> Values {
    let n = values.iter().rposition(Option::is_some);
    let n = n.map_or(0, |last| last + 1);
    if n == values.len() {
        return values;
    }
    let mut values = values.into_vec();
    values.truncate(n);
    values.into()
}

impl Domain for Explicit {
    type State = Values;

    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&Values>,
        stmt: StmtId,
        at: PointId,
        out: &mut Vec<Values>,
    ) -> Result<(), Halt> {
        session.stats.posts += 1;
        let key = (stmt, self.precision.key(at), from.cloned());
        if let Some(states) = self.posts.get(&key) {
            session.stats.cached_posts += 1;
            out.extend_from_slice(states);
            return Ok(());
        }
        let nothing = Surroundings {
            known: session.cx.terms.true_(),
            is_tested_later: false,
        };
        let states = self.follow(session, from, stmt, at, nothing)?;
        let states: Rc<[Values]> = states.into();
        out.extend_from_slice(&states);
        self.posts.insert(key, states);
        Ok(())
    }

    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        let terms = &mut session.cx.terms;
        let mut vars: Vec<(VarId, Option<PointId>)> = Vec::new();
        match *reason {
            Reason::Infeasible(learned) => {
                for &Learned { predicate, at } in learned {
                    let found = terms.free_vars(&[predicate.term()]);
                    vars.extend(found.into_iter().map(|var| (var, Some(at))));
                }
            }
            Reason::Support(_) => {}
            Reason::Variables(found) => vars.extend(found.iter().map(|&var| (var, None))),
            Reason::NotClosing { changing, at, .. } => {
                vars.extend(changing.iter().map(|&var| (var, Some(at))));
            }
        }
        let changed = locally_first(self.is_local(), |place| {
            vars.iter().fold(false, |changed, &(var, at)| {
                let term = terms.var(var);
                self.track(term, at.and_then(place)) | changed
            })
        });
        if changed {
            self.forget();
        }
        changed
    }

    fn formula(&self, terms: &mut Terms, state: &Values) -> TermId {
        let mut known = Vec::new();
        for (&term, value) in self.terms().iter().zip(state) {
            let Some(value) = value else { continue };
            let literal = terms.lit(value.clone(), terms.sort(term));
            known.push(terms.eq(term, literal));
        }
        terms.and(&known)
    }

    fn covers(&self, big: &Values, small: &Values) -> bool {
        let known = big.iter().enumerate();
        let mut known = known.filter_map(|(i, value)| Some((i, value.as_ref()?)));
        known.all(|(i, value)| small.get(i).and_then(Option::as_ref) == Some(value))
    }

    fn precision_size(&self) -> usize {
        self.precision.live().count()
    }

    fn describe(&self, session: &Session, state: &Values) -> String {
        let terms = &session.cx.terms;
        let value = |(&term, value): (&TermId, &Option<Value>)| {
            Some(self.describe_value(terms, term, value.as_ref()?))
        };
        let values: Vec<String> = self.terms().iter().zip(state).filter_map(value).collect();
        if values.is_empty() {
            "true".into()
        } else {
            values.join(" and ")
        }
    }

    fn describe_precision(&self, session: &Session) -> Vec<String> {
        let terms = &session.cx.terms;
        let name = |(_, term): (usize, TermId)| match self.names.get(&term) {
            Some((var, function)) => function.describe_itself(terms, *var),
            None => show(terms, term),
        };
        self.precision.live().map(name).collect()
    }
}

impl Explicit {
    fn describe_value(&self, terms: &Terms, term: TermId, value: &Value) -> String {
        if let Some((var, function)) = self.names.get(&term) {
            return function.describe(terms, *var, value);
        }
        match (terms.as_var(term), value) {
            (None, Value::Bool(true)) => show(terms, term),
            (None, Value::Bool(false)) => format!("not ({})", show(terms, term)),
            _ => {
                let value = value.display(&terms.sorts, terms.sort(term));
                format!("{} = {value}", show(terms, term))
            }
        }
    }
}

/// A tracked term as shown to the user.
fn show(terms: &Terms, term: TermId) -> String {
    match terms.as_var(term) {
        Some(var) => terms.name(var).to_owned(),
        None => show_term(terms, term, &Dialect::GCL),
    }
}
