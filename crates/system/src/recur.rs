//! Whether a loop can be repeated for ever although some variables do not come back to their values.
//!
//! A counter that only counts keeps a run from ever being in the same state again, and yet what the run does repeats.
//! This is decided along the one path that the loop takes, by following which values may depend on the variables that
//! differ (*taint*, Denning & Denning 1977). Let the loop lead from a state `s` to `s'`, which differ in the variables
//! `D` only. If no assumption on the way reads a tainted variable, and at the end only variables of `D` are tainted,
//! then the same decisions lead from `s'` to a state that again differs in `D` only, and so on for ever, with the same
//! values of everything that is not tainted. A conditional (or a loop) that tests a tainted value may go either way: both
//! ways must be free of assumptions, and what any of them writes is tainted.
//!
//! Where a step is a relation, `havoc x'; assume x' = x + 1`, its decisions change from round to round. A variable is
//! *open* from its havoc until something reads it: up to there its value may be chosen anew. So an assumption that reads
//! tainted variables is met again if each conjunct of it that does is an equation that defines an open variable, which is
//! tainted from then on; of a disjunction, one part that is true now is enough.
//!
//! This is trusted code: it is what makes a counterexample of a model out of a loop that does not quite close.

use crate::dataflow::Vars;
use crate::exec::{Decide, Executor, Recorded, Valuation};
use crate::{Context, Edge, Lasso, State, Stmt, StmtId, TransitionSystem, Variable};
use lariat_expr::{Head, Int, Op, TermId, Value, VarId};
use std::fmt;

/// Why a loop may not be repeatable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotRepeatable {
    /// The loop has no step, or its ends are at different locations.
    Open,
    /// A condition that can block depends on what differs.
    Condition(StmtId),
    /// What the property reads depends on what differs.
    Observed(TermId),
    /// A variable depends on what differs and did not differ itself.
    Spreads(VarId),
    /// The steps of the loop cannot be executed.
    NoRun,
}

impl fmt::Display for NotRepeatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "the loop does not come back to its location",
            Self::Condition(_) => "a condition depends on a variable that does not come back",
            Self::Observed(_) => "the property reads a variable that does not come back",
            Self::Spreads(_) => "a variable depends on one that does not come back",
            Self::NoRun => "the loop is no run",
        })
    }
}

/// The variables in which the ends of a lasso's loop differ, if the loop can be repeated for ever all the same and
/// `atoms` are the same in each round. An exact lasso differs in none.
pub fn repeats_for_ever(
    cx: &Context,
    system: &mut dyn TransitionSystem,
    lasso: &Lasso,
    atoms: &[TermId],
) -> Result<Vec<VarId>, NotRepeatable> {
    let steps = &lasso.run.steps;
    let (start, end) = (&steps[lasso.honda].state, &steps[steps.len() - 1].state);
    if lasso.honda + 1 >= steps.len() || start.loc != end.loc {
        return Err(NotRepeatable::Open);
    }
    let variables = system.variables().to_vec();
    let pairs = variables.iter().zip(start.values.iter().zip(&end.values));
    let differ: Vec<VarId> = pairs
        .filter(|(_, (before, after))| before != after)
        .map(|(variable, _)| variable.var)
        .collect();
    if differ.is_empty() {
        return Ok(differ);
    }
    let mut walk = Walk {
        cx,
        taint: differ.iter().copied().collect(),
        open: Vars::default(),
        executor: Executor::new(),
        env: Valuation::new(),
    };
    for (before, step) in steps[lasso.honda..].iter().zip(&steps[lasso.honda + 1..]) {
        let edge = system.edges(before.state.loc)[step.edge];
        walk.step(
            &variables,
            &before.state,
            edge,
            &mut Recorded::new(&step.decisions),
        )?;
        if edge.observed
            && let Some(&atom) = atoms.iter().find(|&&atom| walk.is_tainted(atom))
        {
            return Err(NotRepeatable::Observed(atom));
        }
    }
    let own = variables.iter().map(|variable| variable.var);
    let spread = own
        .filter(|var| walk.taint.contains(var))
        .find(|var| !differ.contains(var));
    match spread {
        Some(var) => Err(NotRepeatable::Spreads(var)),
        None => Ok(differ),
    }
}

/// One execution of a path, and what in it depends on the variables that differ.
struct Walk<'a> {
    cx: &'a Context,
    taint: Vars,
    open: Vars,
    executor: Executor,
    env: Valuation,
}

enum Task {
    Stmt(StmtId),
    Loop(Int, Int, VarId, StmtId),
}

impl Walk<'_> {
    fn is_tainted(&self, term: TermId) -> bool {
        let read = self.cx.terms.free_vars(&[term]);
        read.iter().any(|var| self.taint.contains(var))
    }

    fn set(&mut self, var: VarId, tainted: bool) {
        if tainted {
            self.taint.insert(var);
        } else {
            self.taint.remove(&var);
        }
    }

    fn step(
        &mut self,
        variables: &[Variable],
        before: &State,
        edge: Edge,
        decide: &mut impl Decide,
    ) -> Result<(), NotRepeatable> {
        before.load(variables, &mut self.env);
        // A value that was there after a step may have been observed.
        self.open.clear();
        let cx = self.cx;
        let mut todo = vec![Task::Stmt(edge.stmt)];
        while let Some(task) = todo.pop() {
            let stmt = match task {
                Task::Stmt(stmt) => stmt,
                Task::Loop(at, end, var, body) => {
                    if at < end {
                        self.env.set(var, Value::Int(at.clone()));
                        self.set(var, false);
                        todo.push(Task::Loop(&at + &Int::ONE, end, var, body));
                        todo.push(Task::Stmt(body));
                    }
                    continue;
                }
            };
            match cx.stmts.get(stmt) {
                Stmt::Seq(list) => {
                    let parts = cx.stmts.items(list).iter().rev();
                    todo.extend(parts.map(|&part| Task::Stmt(part)));
                }
                Stmt::Choice(list) => {
                    let branches = cx.stmts.items(list);
                    let index = decide.branch(cx, stmt, branches.len());
                    let index = index.map_err(|_| NotRepeatable::NoRun)?;
                    todo.push(Task::Stmt(
                        *branches.get(index).ok_or(NotRepeatable::NoRun)?,
                    ));
                }
                Stmt::If(condition, then, otherwise) => {
                    if self.is_tainted(condition) {
                        self.either_way(stmt, decide)?;
                        continue;
                    }
                    self.close(&[condition]);
                    let holds = self.value(condition)?.as_bool();
                    todo.push(Task::Stmt(if holds { then } else { otherwise }));
                }
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                } => {
                    if self.is_tainted(from) || self.is_tainted(to) {
                        self.either_way(stmt, decide)?;
                        continue;
                    }
                    self.close(&[from, to]);
                    if let (Value::Int(from), Value::Int(to)) = (self.value(from)?, self.value(to)?)
                    {
                        todo.push(Task::Loop(from, to, var, body));
                    }
                }
                leaf => self.leaf(stmt, leaf, decide)?,
            }
        }
        Ok(())
    }

    /// A statement that another round may execute in another way: it must not block, and all it writes is tainted.
    fn either_way(&mut self, stmt: StmtId, decide: &mut impl Decide) -> Result<(), NotRepeatable> {
        let mut blocks = false;
        self.cx.stmts.walk(stmt, |_, inner| {
            blocks |= match inner {
                Stmt::Assume(_) => true,
                Stmt::Choice(list) => self.cx.stmts.items(list).is_empty(),
                _ => false,
            };
        });
        if blocks {
            return Err(NotRepeatable::Condition(stmt));
        }
        self.taint.extend(self.cx.stmts.written(stmt));
        self.open.clear();
        let done = self.executor.run(self.cx, stmt, &mut self.env, decide);
        done.map_err(|_| NotRepeatable::NoRun)
    }

    /// A statement without inner structure.
    fn leaf(
        &mut self,
        id: StmtId,
        stmt: Stmt,
        decide: &mut impl Decide,
    ) -> Result<(), NotRepeatable> {
        let done = self.executor.run(self.cx, id, &mut self.env, decide);
        done.map_err(|_| NotRepeatable::NoRun)?;
        match stmt {
            Stmt::Assume(term) => {
                if self.is_tainted(term) {
                    self.assume_again(term)
                        .ok_or(NotRepeatable::Condition(id))?;
                }
                self.close(&[term]);
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let tainted = self.is_tainted(term);
                self.close(&[term]);
                self.open.remove(&var);
                self.set(var, tainted);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                self.open.insert(var);
                self.set(var, false);
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes that terms are read: the values of their variables cannot be chosen anew any more.
    fn close(&mut self, terms: &[TermId]) {
        for var in self.cx.terms.free_vars(terms) {
            self.open.remove(&var);
        }
    }

    /// Makes an assumption that is true now, and reads tainted variables, true in another round by choosing open variables
    /// anew; nothing if that is not sure to work.
    fn assume_again(&mut self, term: TermId) -> Option<()> {
        let terms = &self.cx.terms;
        let mut definitions: Vec<Vec<(VarId, TermId)>> = Vec::new();
        let mut todo = vec![(term, true)];
        while let Some((term, truth)) = todo.pop() {
            if !self.is_tainted(term) {
                self.close(&[term]);
                continue;
            }
            match (terms.head(term), truth) {
                (Head::Op(Op::Not, &[inner]), _) => todo.push((inner, !truth)),
                (Head::Op(Op::And, parts), true) | (Head::Op(Op::Or, parts), false) => {
                    todo.extend(parts.iter().map(|&part| (part, truth)));
                }
                (Head::Op(Op::And | Op::Or, parts), _) => {
                    let mut apt = Vec::new();
                    for &part in parts {
                        if self.value(part).ok()?.as_bool() == truth {
                            apt.push(part);
                        }
                    }
                    let plain = apt.iter().copied().find(|&part| !self.is_tainted(part));
                    todo.push((plain.or(apt.first().copied())?, truth));
                }
                (Head::Op(Op::Ite, &[condition, then, otherwise]), _) => {
                    let holds = self.value(condition).ok()?.as_bool();
                    todo.push((condition, holds));
                    todo.push((if holds { then } else { otherwise }, truth));
                }
                (Head::Op(Op::Eq, &[left, right]), true) => {
                    let sides = [(left, right), (right, left)].into_iter();
                    let sides =
                        sides.filter_map(|(side, other)| Some((terms.as_var(side)?, other)));
                    definitions.push(sides.collect());
                }
                _ => return None,
            }
        }
        self.define(definitions)
    }

    /// Chooses open variables anew so that equations hold: each defines one of them, none depends on a later one.
    fn define(&mut self, mut equations: Vec<Vec<(VarId, TermId)>>) -> Option<()> {
        while !equations.is_empty() {
            let defined = |equation: &Vec<(VarId, TermId)>| -> Vec<VarId> {
                let vars = equation.iter().map(|&(var, _)| var);
                vars.filter(|var| self.open.contains(var)).collect()
            };
            let pending: Vec<Vec<VarId>> = equations.iter().map(defined).collect();
            let next = equations.iter().enumerate().find_map(|(i, equation)| {
                let is_ready = |&(var, value): &(VarId, TermId)| {
                    let read = self.cx.terms.free_vars(&[value]);
                    let others = pending.iter().enumerate().filter(|&(other, _)| other != i);
                    self.open.contains(&var)
                        && !read.contains(&var)
                        && !others
                            .flat_map(|(_, vars)| vars)
                            .any(|var| read.contains(var))
                };
                let found = equation.iter().copied().find(is_ready)?;
                Some((i, found))
            });
            let (i, (var, value)) = next?;
            equations.swap_remove(i);
            self.close(&[value]);
            self.open.remove(&var);
            self.taint.insert(var);
        }
        Some(())
    }

    fn value(&mut self, term: TermId) -> Result<Value, NotRepeatable> {
        let value = self.executor.eval(self.cx, term, &self.env);
        value.map_err(|_| NotRepeatable::NoRun)
    }
}
