//! What the parts of the abstraction-refinement engine share: terms, solver, budget, statistics.

use crate::facts::{Consequences, Facts};
use crate::summary::{NoSummary, Summary};
use crate::verdict::Unknown;
use lariat_base::{Budget, FxHashMap, FxHashSet, Stop};
use lariat_expr::{TermId, VarId};
use lariat_smt::{Answer, Backend, Reason, Unroller};
use lariat_system::{Context, StmtId, Variable};
use std::rc::Rc;
use std::time::Duration;

/// Ends a check without an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Halt(pub Unknown);

impl Halt {
    /// The solver gave up.
    pub fn solver(why: impl Into<String>) -> Self {
        Self(Unknown::Solver(why.into()))
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self(Unknown::Stopped(stop))
    }
}

impl From<Reason> for Halt {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Stopped(stop) => stop.into(),
            Reason::Incomplete(why) => Self::solver(why),
        }
    }
}

/// What a check did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stats {
    /// Rounds of the refinement loop.
    pub iterations: u64,
    /// Nodes of the last explored graph.
    pub nodes: u64,
    /// Nodes whose successors were computed, in all rounds together.
    pub total_nodes: u64,
    /// Nodes whose successors were kept from the round before, in all rounds together.
    pub kept_nodes: u64,
    /// Nodes that the last round need not enter again: no counterexample can be reached from them.
    pub settled_nodes: u64,
    /// Abstract successor computations.
    pub posts: u64,
    /// Abstract successor computations answered from the cache.
    pub cached_posts: u64,
    /// Predicates whose value after a step was asked of the solver and not remembered.
    pub queried_predicates: u64,
    /// Solver checks made for abstract successors.
    pub post_checks: u64,
    /// Those among them that asked whether a step is possible and about no predicate.
    pub guard_checks: u64,
    /// Size of the precision at the end: predicates and tracked variables.
    pub precision: u64,
    /// Solver checks in all.
    pub checks: u64,
    /// Interpolations.
    pub interpolations: u64,
    /// Lassos that were found real by following must steps.
    pub must_lassos: u64,
    /// Steps of the last abstraction, if it was asked which of them every state of their class can take.
    pub may_steps: u64,
    /// Those that every state can take.
    pub must_steps: u64,
    /// No counterexample has so many steps or fewer, if that is known.
    pub clear_steps: Option<u64>,
    /// Time spent in exploring the abstraction.
    pub exploring: Duration,
    /// Time spent in testing counterexamples and refining.
    pub refining: Duration,
}

/// Whether something can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Possibility {
    /// It cannot.
    No,
    /// It can, and the solver has a model of it now.
    Model,
    /// It can, or that is not known.
    Perhaps,
}

/// The solver's steps that a question of little importance may take: some 10 ms.
const FEW_STEPS: u32 = 50_000;

/// The shared state of one check.
pub struct Session<'c> {
    /// Terms and statements.
    pub cx: &'c mut Context,
    /// The solver.
    pub solver: Box<dyn Backend>,
    /// Copies of variables.
    pub unroller: Unroller,
    /// The limits.
    pub budget: Budget,
    /// The counters.
    pub stats: Stats,
    /// What the solver has said about sets of assumptions without assertions.
    pub facts: Facts,
    /// The variables of the model, in its order.
    pub variables: Vec<VarId>,
    is_variable: FxHashSet<VarId>,
    summaries: FxHashMap<StmtId, Rc<Summary>>,
}

impl<'c> Session<'c> {
    /// An engine for a system with these variables.
    pub fn new(
        cx: &'c mut Context,
        mut solver: Box<dyn Backend>,
        variables: &[Variable],
        budget: &Budget,
    ) -> Self {
        solver.set_budget(budget);
        let variables: Vec<VarId> = variables.iter().map(|variable| variable.var).collect();
        Self {
            cx,
            solver,
            unroller: Unroller::new(),
            budget: budget.clone(),
            stats: Stats::default(),
            facts: Facts::default(),
            is_variable: variables.iter().copied().collect(),
            variables,
            summaries: FxHashMap::default(),
        }
    }

    /// The formula of a statement, made once.
    pub fn summary(&mut self, stmt: StmtId) -> Result<Rc<Summary>, Halt> {
        if let Some(summary) = self.summaries.get(&stmt) {
            return Ok(Rc::clone(summary));
        }
        let is_variable = &self.is_variable;
        let summary =
            Summary::new(self.cx, &|var| is_variable.contains(&var), stmt).map_err(|why| {
                Halt(Unknown::Unsupported(match why {
                    NoSummary::LoopBounds(_) => "a loop whose bounds depend on the state".into(),
                    NoSummary::LongLoop(_) => "a loop with too many rounds".into(),
                }))
            })?;
        let summary = Rc::new(summary);
        self.summaries.insert(stmt, Rc::clone(&summary));
        Ok(summary)
    }

    /// Whether the assertions and the assumptions have a model. An answer cut off by a limit ends the check.
    pub fn check(&mut self, assumptions: &[TermId]) -> Result<Answer, Halt> {
        self.stats.checks += 1;
        match self.solver.check(&self.cx.terms, assumptions) {
            Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
            answer => Ok(answer),
        }
    }

    /// Whether the assumptions may have a common model: no only if the solver says so after little work.
    pub fn is_possible(&mut self, assumptions: Vec<TermId>) -> Result<bool, Halt> {
        Ok(self.possibility(assumptions)? != Possibility::No)
    }

    /// The same, and whether the solver has a model now. What it says is remembered.
    pub fn possibility(&mut self, mut assumptions: Vec<TermId>) -> Result<Possibility, Halt> {
        assumptions.sort_unstable();
        assumptions.dedup();
        match self.facts.of(&assumptions) {
            Some(Consequences::Contradiction) => return Ok(Possibility::No),
            Some(Consequences::Truths(_)) => return Ok(Possibility::Perhaps),
            None => {}
        }
        self.stats.checks += 1;
        let terms = &self.cx.terms;
        match self.solver.check_briefly(terms, &assumptions, FEW_STEPS) {
            Answer::Unsat => {
                self.facts.contradict(assumptions);
                Ok(Possibility::No)
            }
            Answer::Sat => {
                self.facts.learn(assumptions, std::iter::empty());
                Ok(Possibility::Model)
            }
            Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
            Answer::Unknown(Reason::Incomplete(_)) => Ok(Possibility::Perhaps),
        }
    }

    /// The truth of a Boolean term in the model of the last check, if the solver can tell.
    pub fn truth(&mut self, term: TermId) -> Option<bool> {
        self.solver
            .value(&self.cx.terms, term)
            .map(|value| value.as_bool())
    }

    /// Runs `work` in a scope of the solver.
    pub fn scoped<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Halt>,
    ) -> Result<T, Halt> {
        self.solver.push();
        let result = work(self);
        self.solver.pop();
        result
    }
}
