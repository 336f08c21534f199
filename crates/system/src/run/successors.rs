//! All successors of a state, with the decisions that lead to them.
//!
//! Choices and values of small sorts are enumerated by running the statement again for each
//! combination of decisions. Where a havoc has too many values (integers), [`crate::symbolic`]
//! finds the combinations; each is then executed like any other, so a mistake there can lose a
//! successor but never invent one.

use crate::run::exec::{Blocked, Decide, Decision, Executor, Valuation};
use crate::run::symbolic::{self, Search};
use crate::run::trace::execute;
use crate::{Context, Edge, PointId, State, Step, Stmt, StmtId, TransitionSystem, Variable};
use lariat_base::Budget;
use lariat_expr::{Value, VarId};

/// How far to go in enumerating.
#[derive(Clone, Debug)]
pub struct Limits {
    /// A havoc with at most this many values is enumerated value by value.
    pub values: u64,
    /// At most this many executions or symbolic cases per edge.
    pub cases: usize,
    /// Values to try for an integer that nothing bounds, besides those near the constants of its constraints.
    pub samples: usize,
    /// Chooses the samples.
    pub seed: u64,
    /// When to stop looking for more; each case counts as work.
    pub budget: Budget,
}

/// Work that is counted, and now and then told to the budget.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    pending: u64,
}

impl Meter {
    /// How much work is done before the budget is told.
    const PORTION: u64 = 1_000;

    /// Counts work; whether the budget is spent.
    pub fn spends(&mut self, limits: &Limits, work: u64) -> bool {
        self.pending += work;
        self.pending >= Self::PORTION
            && limits
                .budget
                .spend(std::mem::take(&mut self.pending))
                .is_err()
    }
}

/// The work of executing a statement once more: an interpreter's, not a machine's.
const CASE: u64 = 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            values: 64,
            cases: 100_000,
            samples: 4,
            seed: 0,
            budget: Budget::unlimited(),
        }
    }
}

/// The successors that were found.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// One step each, distinct in their edge and state, in a fixed order.
    pub steps: Vec<Step>,
    /// Whether there may be more: an unbounded value was sampled, or a limit was hit.
    pub more: Option<Incomplete>,
}

/// Why there may be more successors than were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// A variable may take infinitely many values; some were tried.
    Sampled(VarId),
    /// The limit of cases was reached.
    Cases,
    /// A step took too many statements.
    TooLong,
    /// A variable got a number of more than [`MAX_BITS`] bits.
    LongNumber(VarId),
}

/// States with longer numbers are not listed: numbers that are multiplied with themselves at each step soon leave no time for
/// anything else.
pub const MAX_BITS: u64 = 1 << 14;

/// The successors of `before` in `system`, or its initial states.
pub fn successors(
    cx: &mut Context,
    system: &mut dyn TransitionSystem,
    before: Option<&State>,
    limits: &Limits,
) -> Successors {
    let variables = system.variables().to_vec();
    let edges = match before {
        None => system.initial(),
        Some(state) => system.edges(state.loc),
    };
    let mut found = Successors::default();
    let mut finder = Finder {
        variables: &variables,
        before,
        limits,
        executor: Executor::new(),
    };
    for (index, &edge) in edges.iter().enumerate() {
        finder.edge(cx, index, edge, &mut found);
    }
    found
}

/// The successors of `before` by one edge, which is the `index`-th of its source.
pub fn edge_successors(
    cx: &mut Context,
    variables: &[Variable],
    before: Option<&State>,
    (index, edge): (usize, Edge<PointId>),
    limits: &Limits,
) -> Successors {
    let mut found = Successors::default();
    let mut finder = Finder {
        variables,
        before,
        limits,
        executor: Executor::new(),
    };
    finder.edge(cx, index, edge, &mut found);
    found
}

struct Finder<'a> {
    variables: &'a [Variable],
    before: Option<&'a State>,
    limits: &'a Limits,
    executor: Executor,
}

impl Finder<'_> {
    fn edge(
        &mut self,
        cx: &mut Context,
        index: usize,
        edge: Edge<PointId>,
        found: &mut Successors,
    ) {
        let start = found.steps.len();
        let needs_solving = has_large_havoc(cx, edge.stmt, self.limits.values);
        if needs_solving {
            self.solve(cx, index, edge, found);
        } else {
            self.enumerate(cx, index, edge, found);
        }
        // Different decisions may lead to one state: keep the first of each.
        let mut seen = std::collections::BTreeSet::new();
        let mut at = 0;
        found.steps.retain(|step| {
            at += 1;
            if at > start
                && let Some(i) = step.state.values.iter().position(is_long)
            {
                found.more = Some(Incomplete::LongNumber(self.variables[i].var));
                return false;
            }
            at <= start || seen.insert(step.state.clone())
        });
    }

    /// Runs the statement once per combination of decisions.
    fn enumerate(
        &mut self,
        cx: &Context,
        index: usize,
        edge: Edge<PointId>,
        found: &mut Successors,
    ) {
        let mut odometer = Odometer::default();
        let mut meter = Meter::default();
        for _ in 0..self.limits.cases {
            if meter.spends(self.limits, CASE) {
                break;
            }
            let mut env = Valuation::new();
            if let Some(before) = self.before {
                before.load(self.variables, &mut env);
            }
            odometer.position = 0;
            match self.executor.run(cx, edge.stmt, &mut env, &mut odometer) {
                Ok(()) => {
                    let state =
                        State::read(self.variables, edge.target, &env).unwrap_or_else(|blocked| {
                            panic!("a step leaves a variable without a value: {blocked:?}")
                        });
                    found.steps.push(Step {
                        edge: index,
                        decisions: odometer.decisions(),
                        state,
                    });
                }
                Err(Blocked::Assume(_) | Blocked::NoBranch) => {}
                Err(Blocked::TooLong) => found.more = Some(Incomplete::TooLong),
                Err(other) => panic!("enumeration decides everything that a step asks: {other:?}"),
            }
            if !odometer.advance() {
                return;
            }
        }
        found.more = Some(Incomplete::Cases);
    }

    /// Finds decisions symbolically and executes each.
    fn solve(
        &mut self,
        cx: &mut Context,
        index: usize,
        edge: Edge<PointId>,
        found: &mut Successors,
    ) {
        let Search { solutions, more } =
            symbolic::search(cx, edge.stmt, self.variables, self.before, self.limits);
        for decisions in solutions {
            let executed = execute(
                cx,
                self.variables,
                self.before,
                edge,
                &decisions,
                &mut self.executor,
            );
            if let Ok(Some(state)) = executed {
                found.steps.push(Step {
                    edge: index,
                    decisions,
                    state,
                });
            }
        }
        found.more = found.more.or(more);
    }
}

/// Whether a value is a number of more than [`MAX_BITS`] bits.
fn is_long(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.to_i64().is_none() && int.bits() > MAX_BITS,
        Value::Rat(_) | Value::Bool(_) | Value::Enum(_) | Value::Bv(_) | Value::Array(_) => false,
    }
}

/// Whether a statement gives a variable any value of a sort with more than `limit` values.
fn has_large_havoc(cx: &Context, stmt: StmtId, limit: u64) -> bool {
    let mut found = false;
    cx.stmts.walk(stmt, |_, stmt| {
        if let Stmt::Havoc(var) | Stmt::Declare(var, None) = stmt {
            let sort = cx.terms.var_sort(var);
            let is_array = cx.terms.sorts.as_array(sort).is_some();
            found |= is_array
                || cx
                    .terms
                    .sorts
                    .cardinality(sort)
                    .is_none_or(|count| count > limit);
        }
    });
    found
}

/// All combinations of decisions, counted like the wheels of an odometer: the last one turns first.
#[derive(Debug, Default)]
struct Odometer {
    wheels: Vec<Wheel>,
    position: usize,
}

#[derive(Debug)]
struct Wheel {
    at: u64,
    count: u64,
    /// What was decided: a branch, or the value of a variable.
    decision: Decision,
}

impl Odometer {
    /// Moves to the next combination; false after the last.
    fn advance(&mut self) -> bool {
        self.wheels.truncate(self.position);
        while let Some(last) = self.wheels.last_mut() {
            last.at += 1;
            if last.at < last.count {
                return true;
            }
            self.wheels.pop();
        }
        false
    }

    fn decisions(&self) -> Vec<Decision> {
        self.wheels[..self.position]
            .iter()
            .map(|wheel| wheel.decision.clone())
            .collect()
    }

    /// Where the wheel at the current position stands.
    fn turn(&mut self, count: u64) -> u64 {
        if self.position == self.wheels.len() {
            self.wheels.push(Wheel {
                at: 0,
                count,
                decision: Decision::Branch(0),
            });
        }
        self.position += 1;
        self.wheels[self.position - 1].at
    }

    fn record(&mut self, decision: Decision) {
        self.wheels[self.position - 1].decision = decision;
    }
}

impl Decide for Odometer {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let branch = self.turn(n as u64);
        self.record(Decision::Branch(branch as u32));
        Ok(branch as usize)
    }

    fn value(&mut self, cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        let (sorts, sort) = (&cx.terms.sorts, cx.terms.var_sort(var));
        let count = sorts.cardinality(sort).ok_or(Blocked::TooManyValues(var))?;
        let n = self.turn(count);
        let value = Value::nth(sorts, sort, n).ok_or(Blocked::TooManyValues(var))?;
        self.record(Decision::Value(value.clone()));
        Ok(value)
    }
}
