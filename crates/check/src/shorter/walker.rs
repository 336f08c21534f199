//! Executes steps, counts the work, and stops when there was enough of it.

use crate::confirm::letter;
use lariat_base::{Budget, FxHashMap};
use lariat_expr::{TermId, VarId};
use lariat_system::{
    Blocked, Context, Decide, Decision, Edge, Executor, PointId, Recorded, State, StmtId,
    TransitionSystem, Valuation, Variable, execute,
};
use std::rc::Rc;

/// The work for one counterexample, in about microseconds.
const WORK: u64 = 1_500_000;
/// The work of one execution, besides what its variables cost.
const EXECUTION: u64 = 10;
/// How many executions lie between two questions about the time.
const EVERY: u64 = 64;

/// Where a step gets a value from outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Site {
    /// The havoc, or the declaration without a value.
    pub stmt: StmtId,
    /// What gets the value.
    pub var: VarId,
}

/// Executes steps of a system.
pub(super) struct Walker<'a> {
    pub cx: &'a Context,
    pub system: &'a mut dyn TransitionSystem,
    pub variables: Vec<Variable>,
    /// What is read in observed states.
    pub terms: Vec<TermId>,
    budget: &'a Budget,
    executor: Executor,
    rows: FxHashMap<Option<PointId>, Rc<[Edge<PointId>]>>,
    work: u64,
    n_executed: u64,
    is_stopped: bool,
}

impl<'a> Walker<'a> {
    pub fn new(
        cx: &'a Context,
        system: &'a mut dyn TransitionSystem,
        terms: Vec<TermId>,
        budget: &'a Budget,
    ) -> Self {
        Self {
            cx,
            variables: system.variables().to_vec(),
            system,
            terms,
            budget,
            executor: Executor::new(),
            rows: FxHashMap::default(),
            work: 0,
            n_executed: 0,
            is_stopped: budget.check().is_err(),
        }
    }

    /// The share of the work that is done, or more if there is no time.
    pub fn has_spent(&self, part: u64, of: u64) -> bool {
        self.is_stopped || self.work * of >= WORK * part
    }

    /// The edges from a place, or those that start a run.
    pub fn row(&mut self, at: Option<PointId>) -> Rc<[Edge<PointId>]> {
        if let Some(row) = self.rows.get(&at) {
            return Rc::clone(row);
        }
        let row: Rc<[Edge<PointId>]> = match at {
            None => self.system.initial().into(),
            Some(at) => self.system.edges(at).into(),
        };
        self.rows.insert(at, Rc::clone(&row));
        row
    }

    /// The state after a step; none if it cannot be made, or if no more work may be done.
    pub fn execute(
        &mut self,
        before: Option<&State>,
        edge: usize,
        decisions: &[Decision],
    ) -> Option<State> {
        self.count()?;
        let edge = *self.row(before.map(|state| state.loc)).get(edge)?;
        let executor = &mut self.executor;
        execute(self.cx, &self.variables, before, edge, decisions, executor).ok()?
    }

    /// For each decision of a step, where it gives a value, if it does.
    pub fn sites(
        &mut self,
        before: Option<&State>,
        edge: usize,
        decisions: &[Decision],
    ) -> Option<Vec<Option<Site>>> {
        self.count()?;
        let edge = *self.row(before.map(|state| state.loc)).get(edge)?;
        let mut env = Valuation::new();
        if let Some(before) = before {
            before.load(&self.variables, &mut env);
        }
        let mut noting = Noting {
            recorded: Recorded::new(decisions),
            sites: Vec::new(),
        };
        let ran = self.executor.run(self.cx, edge.stmt, &mut env, &mut noting);
        ran.ok().map(|()| noting.sites)
    }

    /// The truth of what is read in a state, as bits.
    pub fn letter(&self, state: &State) -> u64 {
        letter(self.cx, &self.variables, state, &self.terms)
    }

    fn count(&mut self) -> Option<()> {
        self.work += EXECUTION + self.variables.len() as u64;
        self.n_executed += 1;
        if self.n_executed.is_multiple_of(EVERY) {
            self.is_stopped |= self.budget.check().is_err();
        }
        (!self.has_spent(1, 1)).then_some(())
    }
}

/// Takes decisions from a list and notes where values are given.
struct Noting<'d> {
    recorded: Recorded<'d>,
    sites: Vec<Option<Site>>,
}

impl Decide for Noting<'_> {
    fn branch(&mut self, cx: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        self.sites.push(None);
        self.recorded.branch(cx, choice, n)
    }

    fn value(
        &mut self,
        cx: &Context,
        havoc: StmtId,
        var: VarId,
    ) -> Result<lariat_expr::Value, Blocked> {
        self.sites.push(Some(Site { stmt: havoc, var }));
        self.recorded.value(cx, havoc, var)
    }
}
