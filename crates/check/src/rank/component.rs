//! The moves of a component of the abstract state graph, as formulas: what a measure must be right about.

use super::cases::put_in;
use super::measure::{Change, Level, Measure, descends};
use crate::session::{Halt, Possibility, Session};
use crate::summary::Summary;
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Evaluator, Head, Op, TermId, Terms, Value, VarId};
use lariat_system::{PointId, StmtId};
use std::cell::RefCell;
use std::rc::Rc;

/// An arc inside a component, as the abstract state graph knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerArc {
    /// What the abstract state before it says.
    pub premise: TermId,
    /// The step of the model.
    pub stmt: StmtId,
    /// What the property's reader does after it, if it reads.
    pub reading: Option<StmtId>,
    /// Where the model is before and after it.
    pub from: PointId,
    pub to: PointId,
    /// Whether the lasso's loop takes it.
    pub on_loop: bool,
    /// The first 64 acceptance sets of the property that it is in.
    pub sets: u64,
}

/// An arc as a formula.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// The premise, the guard of the step and what is read after it, over the state before and auxiliary variables.
    pub guard: Vec<TermId>,
    /// Whether the first part of the guard is the premise: it is left out where it says nothing.
    pub has_premise: bool,
    /// What else is true before it.
    pub support: Vec<TermId>,
    summary: Rc<Summary>,
    pub from: PointId,
    pub to: PointId,
    pub on_loop: bool,
    pub sets: u64,
    /// Some executions: what is possible in one of them need not be asked of the solver.
    samples: RefCell<Vec<FxHashMap<VarId, Value>>>,
}

/// The most executions of a move that are kept.
const MAX_SAMPLES: usize = 16;

impl Move {
    fn new(session: &mut Session, arc: &InnerArc) -> Result<Self, Halt> {
        let summary = session.summary(arc.stmt)?;
        let has_premise = arc.premise != session.cx.terms.true_();
        let mut guard = vec![arc.premise, summary.guard];
        if let Some(reading) = arc.reading {
            let read = session.summary(reading)?.guard;
            guard.push(put_in(session, &summary.updates, read));
        }
        guard.retain(|&term| term != session.cx.terms.true_());
        Ok(Self {
            guard,
            has_premise,
            support: Vec::new(),
            summary,
            from: arc.from,
            to: arc.to,
            on_loop: arc.on_loop,
            sets: arc.sets,
            samples: RefCell::default(),
        })
    }

    /// The variables that it writes, with their new values.
    pub fn updates(&self) -> &[(VarId, TermId)] {
        &self.summary.updates
    }

    /// A term over the state after it, as one over the state before.
    pub fn after(&self, session: &mut Session, term: TermId) -> TermId {
        put_in(session, &self.summary.updates, term)
    }

    /// Whether it may change a level like this.
    pub fn may(&self, session: &mut Session, level: &Level, change: Change) -> Result<bool, Halt> {
        let before = level.at(self.from);
        let after = self.after(session, level.at(self.to));
        if before == after {
            return Ok(change == Change::Keep);
        }
        let condition = change.condition(&mut session.cx.terms, before, after);
        self.may_be(session, condition)
    }

    /// Whether it always decreases a level.
    pub fn must_decrease(&self, session: &mut Session, level: &Level) -> Result<bool, Halt> {
        let before = level.at(self.from);
        let after = self.after(session, level.at(self.to));
        if before == after {
            return Ok(false);
        }
        let terms = &mut session.cx.terms;
        let decreases = Change::Decrease.condition(terms, before, after);
        let not = terms.not(decreases);
        Ok(!self.may_be(session, not)?)
    }

    /// What it reads: its guard and what it assigns.
    pub fn roots(&self) -> impl Iterator<Item = TermId> {
        let assigned = self.updates().iter().map(|&(_, value)| value);
        self.guard.iter().copied().chain(assigned)
    }

    /// The number of disjunctions and conditionals.
    pub fn n_choices(&self, terms: &Terms) -> usize {
        let roots: Vec<TermId> = self.roots().collect();
        let subterms = terms.subterms(&roots).into_iter();
        let is_choice = |&term: &TermId| matches!(terms.head(term), Head::Op(Op::Ite | Op::Or, _));
        subterms.filter(is_choice).count()
    }

    /// The same move, where more is true before it.
    pub fn supported(&self, support: Vec<TermId>) -> Self {
        Self {
            support,
            samples: RefCell::default(),
            ..self.clone()
        }
    }

    /// Whether it always decreases a measure.
    pub fn must_descend(&self, session: &mut Session, measure: &Measure) -> Result<bool, Halt> {
        let mut changes = Vec::new();
        for level in &measure.levels {
            let after = self.after(session, level.at(self.to));
            changes.push((level.at(self.from), after));
        }
        let terms = &mut session.cx.terms;
        let descends = descends(terms, &changes);
        let not = terms.not(descends);
        Ok(!self.may_be(session, not)?)
    }

    /// Whether it can be made in a way such that a condition, over the state before and auxiliary variables, is true.
    pub fn may_be(&self, session: &mut Session, condition: TermId) -> Result<bool, Halt> {
        let mut evaluator = Evaluator::new();
        let mut is_there = |sample: &FxHashMap<VarId, Value>| {
            let truth = evaluator.eval(&session.cx.terms, condition, sample);
            truth.is_ok_and(|truth| truth.as_bool())
        };
        if self.samples.borrow().iter().any(&mut is_there) {
            return Ok(true);
        }
        let mut assumptions = [&self.guard[..], &self.support].concat();
        assumptions.push(condition);
        let possibility = session.possibility(assumptions)?;
        if possibility == Possibility::Model {
            self.keep_sample(session);
        }
        Ok(possibility != Possibility::No)
    }

    /// Keeps the execution that the solver has a model of.
    fn keep_sample(&self, session: &mut Session) {
        if self.samples.borrow().len() == MAX_SAMPLES {
            return;
        }
        let read: Vec<TermId> = self.roots().collect();
        let mut sample = FxHashMap::default();
        for var in session.cx.terms.free_vars(&read) {
            let term = session.cx.terms.var(var);
            if let Some(value) = session.solver.value(&session.cx.terms, term) {
                sample.insert(var, value);
            }
        }
        self.samples.borrow_mut().push(sample);
    }
}

/// The moves of a component, the loop's first; equal ones once.
pub(super) fn moves(session: &mut Session, arcs: &[InnerArc]) -> Result<Vec<Move>, Halt> {
    let mut seen = FxHashSet::default();
    let mut moves = Vec::new();
    for on_loop in [true, false] {
        for arc in arcs.iter().filter(|arc| arc.on_loop == on_loop) {
            let step = (arc.premise, arc.stmt, arc.reading, arc.from, arc.to);
            if seen.insert((step, arc.sets)) {
                moves.push(Move::new(session, arc)?);
            }
        }
    }
    Ok(moves)
}
