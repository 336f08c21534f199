//! Paths of the product as formulas, one per step, over time-indexed copies of the variables.
//!
//! Each step renames the variables that it changes to new copies (static single assignment), so the
//! formulas of different steps share only what is live between them: exactly the vocabulary that
//! interpolants may use.

use crate::session::{Halt, Session};
use crate::summary::Summary;
use lariat_base::FxHashMap;
use lariat_expr::{Evaluator, TermId, Value, VarId};
use lariat_smt::{Indexing, Unroller};
use lariat_system::{Context, Decision, StmtId};
use std::convert::Infallible;
use std::rc::Rc;

/// A sequence of statements as formulas.
pub struct PathEncoding {
    /// One formula per statement.
    pub parts: Vec<TermId>,
    summaries: Vec<Rc<Summary>>,
    /// The copies that stand for the variables before each statement, and after the last.
    indexings: Vec<Indexing>,
}

impl PathEncoding {
    /// Encodes `stmts`, one after the other, from arbitrary values.
    pub fn new(session: &mut Session, stmts: &[StmtId]) -> Result<Self, Halt> {
        let mut encoding = Self {
            parts: Vec::new(),
            summaries: Vec::new(),
            indexings: vec![Indexing::new()],
        };
        for &stmt in stmts {
            encoding.push(session, stmt)?;
        }
        Ok(encoding)
    }

    /// Adds one more statement.
    pub fn push(&mut self, session: &mut Session, stmt: StmtId) -> Result<(), Halt> {
        let summary = session.summary(stmt)?;
        let step = self.parts.len() as u32;
        let mut before = self
            .indexings
            .last()
            .expect("there is a first indexing")
            .clone();
        for &auxiliary in &summary.auxiliary {
            before.set(auxiliary, step);
        }
        let mut after = before.clone();
        let unroller = &mut session.unroller;
        let mut conjuncts = vec![unroller.unfold(&mut session.cx.terms, summary.guard, &before)];
        for &(var, value) in &summary.updates {
            let value = unroller.unfold(&mut session.cx.terms, value, &before);
            let index = after.advance(var);
            let copy = unroller.var(&mut session.cx.terms, var, index);
            let copy = session.cx.terms.var(copy);
            conjuncts.push(session.cx.terms.eq(copy, value));
        }
        self.parts.push(session.cx.terms.and(&conjuncts));
        *self
            .indexings
            .last_mut()
            .expect("there is a first indexing") = before;
        self.indexings.push(after);
        self.summaries.push(summary);
        Ok(())
    }

    /// Demands that a term is true before step `at`, or after the last.
    pub fn hold(&mut self, session: &mut Session, at: usize, term: TermId) {
        let term = self.term_at(session, term, at);
        let terms = &mut session.cx.terms;
        // After the last step it belongs to that step.
        let part = at.min(self.parts.len() - 1);
        self.parts[part] = terms.and(&[self.parts[part], term]);
    }

    /// The `at`-th step.
    pub fn step(&self, at: usize) -> &Summary {
        &self.summaries[at]
    }

    /// The variables of the model that its steps read or write.
    pub fn variables(&self, session: &Session) -> Vec<VarId> {
        let mut terms = Vec::new();
        let mut written = Vec::new();
        for summary in &self.summaries {
            terms.push(summary.guard);
            for &(var, value) in &summary.updates {
                terms.push(value);
                written.push(var);
            }
        }
        let mut found = session.cx.terms.free_vars(&terms);
        found.extend(written);
        found.sort_unstable();
        found.dedup();
        found.retain(|var| session.variables.contains(var));
        found
    }

    /// A variable's copy before step `at`.
    pub fn var_at(&self, session: &mut Session, var: VarId, at: usize) -> TermId {
        let copy = session
            .unroller
            .var(&mut session.cx.terms, var, self.indexings[at].get(var));
        session.cx.terms.var(copy)
    }

    /// A term over the variables before step `at`.
    pub fn term_at(&self, session: &mut Session, term: TermId, at: usize) -> TermId {
        let terms = &mut session.cx.terms;
        session.unroller.unfold(terms, term, &self.indexings[at])
    }

    /// That the variables have the same values before steps `left` and `right`, one equation each.
    pub fn same_state(
        &self,
        session: &mut Session,
        left: usize,
        right: usize,
    ) -> Vec<(VarId, TermId)> {
        let variables: Vec<VarId> = session.variables.clone();
        let mut equations = Vec::new();
        for var in variables {
            let (a, b) = (
                self.var_at(session, var, left),
                self.var_at(session, var, right),
            );
            let equation = session.cx.terms.eq(a, b);
            if equation != session.cx.terms.true_() {
                equations.push((var, equation));
            }
        }
        equations
    }

    /// The model of the last check as values of the copies in the first `n_parts` steps, checked by our
    /// own evaluator: a model that does not satisfy them is a fault of the solver, not a run.
    pub fn model(&self, session: &mut Session, n_parts: usize) -> Result<Assignment, Halt> {
        let parts = &self.parts[..n_parts];
        let mut values = Assignment::default();
        for var in session.cx.terms.free_vars(parts) {
            let term = session.cx.terms.var(var);
            let value = session.solver.value(&session.cx.terms, term);
            let value =
                value.ok_or_else(|| Halt::solver("a value of the model is not rational"))?;
            values.insert(var, value);
        }
        let mut evaluator = Evaluator::new();
        let mut holds = |&part: &TermId| {
            let truth = evaluator.eval(&session.cx.terms, part, &values);
            truth.is_ok_and(|truth| truth.as_bool())
        };
        if parts.iter().all(&mut holds) {
            Ok(values)
        } else {
            Err(Halt::solver("its model does not satisfy the formula"))
        }
    }

    /// In a model of the path: the decisions of step `at`.
    pub fn decisions(&self, session: &mut Session, model: &Assignment, at: usize) -> Vec<Decision> {
        let Session { cx, unroller, .. } = session;
        let value = &mut |cx: &mut Context, term: TermId| -> Result<Value, Infallible> {
            let term = unroller.unfold(&mut cx.terms, term, &self.indexings[at]);
            Ok(value_in(cx, model, term))
        };
        let Ok(decisions) = self.summaries[at].decisions(cx, value);
        decisions
    }

    /// In a model of the path: the values of the variables before step `at`.
    pub fn state_values(&self, session: &mut Session, model: &Assignment, at: usize) -> Vec<Value> {
        let variables: Vec<VarId> = session.variables.clone();
        let mut values = Vec::new();
        for var in variables {
            let copy = self.var_at(session, var, at);
            values.push(value_in(session.cx, model, copy));
        }
        values
    }
}

/// Values of copies of variables.
pub type Assignment = FxHashMap<VarId, Value>;

/// The value of a term; a variable that the path does not constrain has some fixed value.
pub fn value_in(cx: &Context, model: &Assignment, term: TermId) -> Value {
    let mut known = std::borrow::Cow::Borrowed(model);
    loop {
        match Evaluator::new().eval(&cx.terms, term, &*known) {
            Ok(value) => return value,
            Err(free) => {
                let value = Value::some(&cx.terms.sorts, cx.terms.var_sort(free));
                known.to_mut().insert(free, value);
            }
        }
    }
}

/// A copy-free term from one over copies: every copy back to its variable.
pub fn fold(session: &mut Session, term: TermId) -> TermId {
    let unroller: &mut Unroller = &mut session.unroller;
    unroller.fold(&mut session.cx.terms, term)
}
