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
//! A relation is an assumption that determines what was havocked before it: `havoc x'; assume x' = x + 1`. Another round
//! can choose `x'` so that it holds again, whatever `x` is. So an assumption may read a tainted variable if it can be solved
//! for havocked ones that nothing else has read yet; they are tainted then.
//!
//! This is trusted code: it is what makes a counterexample of a model out of a loop that does not quite close.

use crate::dataflow::Vars;
use crate::run::exec::{Decide, Executor, Recorded, Valuation};
use crate::{Context, Edge, Lasso, PointId, State, Stmt, StmtId, TransitionSystem, Variable};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, TermId, Terms, Value, VarId};
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
        free: Vars::default(),
        assumed: Vec::new(),
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

/// What must be so in every round.
#[derive(Clone, Copy)]
enum Duty {
    /// It is true.
    Holds(TermId),
    /// It has the value that it has now.
    Stays(TermId),
}

impl Duty {
    fn term(self) -> TermId {
        match self {
            Self::Holds(term) | Self::Stays(term) => term,
        }
    }
}

/// For each variable that a relation was solved for: the variables that its value depends on.
type Depends = FxHashMap<VarId, Vars>;

/// A relation that is being solved.
#[derive(Clone)]
struct Relation {
    duties: Vec<Duty>,
    depends: Depends,
}

impl Relation {
    /// Lets every round choose `var` by this value, unless that is decided already or the value depends on `var`.
    fn define(&mut self, terms: &Terms, var: VarId, value: TermId) -> bool {
        let mut all: Vars = terms.free_vars(&[value]).into_iter().collect();
        let indirect: Vec<VarId> = all
            .iter()
            .filter_map(|var| self.depends.get(var))
            .flatten()
            .copied()
            .collect();
        all.extend(indirect);
        if self.depends.contains_key(&var) || all.contains(&var) {
            return false;
        }
        for others in self.depends.values_mut() {
            if others.contains(&var) {
                others.extend(all.iter().copied());
            }
        }
        self.depends.insert(var, all);
        true
    }
}

/// One execution of a path, and what in it depends on the variables that differ.
struct Walk<'a> {
    cx: &'a Context,
    taint: Vars,
    /// What was havocked in this step and has not been read since.
    free: Vars,
    /// The assumptions since anything else was executed.
    assumed: Vec<(StmtId, TermId)>,
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
        edge: Edge<PointId>,
        decide: &mut impl Decide,
    ) -> Result<(), NotRepeatable> {
        before.load(variables, &mut self.env);
        self.free.clear();
        let cx = self.cx;
        let mut todo = vec![Task::Stmt(edge.stmt)];
        while let Some(task) = todo.pop() {
            let stmt = match task {
                Task::Stmt(stmt) => stmt,
                Task::Loop(at, end, var, body) => {
                    self.keep_assumptions()?;
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
                    continue;
                }
                Stmt::Assume(term) => {
                    self.assumed.push((stmt, term));
                    continue;
                }
                _ => self.keep_assumptions()?,
            }
            match cx.stmts.get(stmt) {
                Stmt::Choice(list) => {
                    let branches = cx.stmts.items(list);
                    let index = decide.branch(cx, stmt, branches.len());
                    let index = index.map_err(|_| NotRepeatable::NoRun)?;
                    todo.push(Task::Stmt(
                        *branches.get(index).ok_or(NotRepeatable::NoRun)?,
                    ));
                }
                Stmt::If(condition, then, otherwise) => {
                    self.read(&[condition]);
                    if self.is_tainted(condition) {
                        self.either_way(stmt, decide)?;
                        continue;
                    }
                    let holds = self.value(condition)?.as_bool();
                    todo.push(Task::Stmt(if holds { then } else { otherwise }));
                }
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                } => {
                    self.read(&[from, to]);
                    if self.is_tainted(from) || self.is_tainted(to) {
                        self.either_way(stmt, decide)?;
                        continue;
                    }
                    if let (Value::Int(from), Value::Int(to)) = (self.value(from)?, self.value(to)?)
                    {
                        todo.push(Task::Loop(from, to, var, body));
                    }
                }
                leaf => self.leaf(stmt, leaf, decide)?,
            }
        }
        self.keep_assumptions()
    }

    /// Somebody reads these terms: what they read is not free any more.
    fn read(&mut self, terms: &[TermId]) {
        for var in self.cx.terms.free_vars(terms) {
            self.free.remove(&var);
        }
    }

    /// Makes sure that the assumptions since the last other statement hold in every round.
    fn keep_assumptions(&mut self) -> Result<(), NotRepeatable> {
        let assumed = std::mem::take(&mut self.assumed);
        let Some(&(first, _)) = assumed.first() else {
            return Ok(());
        };
        for &(_, term) in &assumed {
            if !self.value(term)?.as_bool() {
                return Err(NotRepeatable::NoRun);
            }
        }
        let duties = assumed.iter().map(|&(_, term)| Duty::Holds(term));
        let relation = Relation {
            duties: duties.collect(),
            depends: FxHashMap::default(),
        };
        let Some(depends) = self.solve(relation)? else {
            return Err(NotRepeatable::Condition(first));
        };
        self.taint.extend(depends.into_keys());
        let terms: Vec<TermId> = assumed.iter().map(|&(_, term)| term).collect();
        self.read(&terms);
        Ok(())
    }

    /// Solves a relation for free variables until nothing in it depends on tainted ones; says which, and on what their
    /// values depend.
    ///
    /// The recursion follows the nesting of disjunctions.
    fn solve(&mut self, mut relation: Relation) -> Result<Option<Depends>, NotRepeatable> {
        let terms = &self.cx.terms;
        loop {
            let is_open = |duty: &Duty| {
                let read = terms.free_vars(&[duty.term()]);
                let tainted = |var| self.taint.contains(var) || relation.depends.contains_key(var);
                read.iter().any(tainted)
            };
            let Some(at) = relation.duties.iter().position(is_open) else {
                return Ok(Some(relation.depends));
            };
            let Duty::Holds(term) = relation.duties.swap_remove(at) else {
                return Ok(None);
            };
            match terms.head(term) {
                Head::Op(Op::And, parts) => {
                    relation
                        .duties
                        .extend(parts.iter().map(|&p| Duty::Holds(p)));
                }
                Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                    let holds = self.value(condition)?.as_bool();
                    let taken = if holds { then } else { otherwise };
                    relation
                        .duties
                        .extend([Duty::Stays(condition), Duty::Holds(taken)]);
                }
                Head::Op(Op::Or, parts) => {
                    for &part in parts {
                        if self.value(part)?.as_bool() {
                            let mut case = relation.clone();
                            case.duties.push(Duty::Holds(part));
                            if let Some(depends) = self.solve(case)? {
                                return Ok(Some(depends));
                            }
                        }
                    }
                    return Ok(None);
                }
                Head::Op(Op::Eq, &[left, right]) => {
                    let sides = [(left, right), (right, left)];
                    let is_solved = sides.into_iter().any(|(side, value)| {
                        let var = terms.as_var(side).filter(|var| self.free.contains(var));
                        var.is_some_and(|var| relation.define(terms, var, value))
                    });
                    if !is_solved {
                        return Ok(None);
                    }
                }
                _ => return Ok(None),
            }
        }
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
        for var in self.cx.stmts.read(&self.cx.terms, stmt) {
            self.free.remove(&var);
        }
        for var in self.cx.stmts.written(stmt) {
            self.free.remove(&var);
        }
        self.taint.extend(self.cx.stmts.written(stmt));
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
        match stmt {
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let tainted = self.is_tainted(term);
                self.set(var, tainted);
                self.read(&[term]);
                self.free.remove(&var);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                self.set(var, false);
                self.free.insert(var);
            }
            _ => {}
        }
        let done = self.executor.run(self.cx, id, &mut self.env, decide);
        done.map_err(|_| NotRepeatable::NoRun)
    }

    fn value(&mut self, term: TermId) -> Result<Value, NotRepeatable> {
        let value = self.executor.eval(self.cx, term, &self.env);
        value.map_err(|_| NotRepeatable::NoRun)
    }
}

#[cfg(test)]
mod tests;
