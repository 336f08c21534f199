//! Whether a loop can be repeated for ever although some variables do not come back to their values.
//!
//! The path that the loop takes is followed for all rounds at once. Two kinds of variables may differ from round to
//! round. Some grow as the lasso says ([`Growth`](crate::Growth)): each is a value plus multiples of unknowns, and it
//! must be so again at the end, with the unknowns of the next round (`affine.rs`). Others *drift*: nothing is
//! known of their values, and what may depend on them is *tainted* (Denning & Denning 1977). If no
//! assumption on the way has another truth in another round or depends on a tainted value, and at the end only variables that
//! drift are tainted, then every round can be taken and leads to the next one, for ever. A conditional (or a loop) that
//! tests a tainted value may go either way: both ways must be free of assumptions, and what any of them writes is
//! tainted.
//!
//! Variables drift that would keep the loop from being repeatable if they did not: first those that do not come back,
//! then those that depend on them.
//!
//! A relation is an assumption that determines what was havocked before it: `havoc x'; assume x' = x + 1`. Another round
//! can choose `x'` so that it holds again, whatever `x` is. So an assumption may read a tainted variable if it can be solved
//! for havocked ones that nothing else has read yet; they are tainted then.
//!
//! This is trusted code: it is what makes a counterexample of a model out of a loop that does not quite close.

use crate::dataflow::Vars;
use crate::run::affine::{self, Affine};
use crate::run::exec::{Blocked, Decide, Executor, Recorded, Valuation};
use crate::run::growth::Growth;
use crate::{Context, Edge, Lasso, PointId, State, Stmt, StmtId, TransitionSystem, Variable};
use lariat_base::FxHashMap;
use lariat_expr::{Env as _, Head, Int, Op, Rat, TermId, Terms, Value, VarId};
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
    /// The numbers do not grow as claimed.
    Growth,
    /// The steps of the loop cannot be executed.
    NoRun,
}

impl fmt::Display for NotRepeatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "the loop does not come back to its location",
            Self::Condition(_) => "a condition depends on a variable that does not come back",
            Self::Observed(_) => "the property reads a variable that does not come back",
            Self::Growth => "the numbers do not grow as claimed",
            Self::NoRun => "the loop is no run",
        })
    }
}

/// The variables that drift, if the loop of a lasso can be repeated for ever and `atoms` are the same in each round. A
/// loop that comes back to its first state, or whose numbers all grow as the lasso says, has none.
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
    if !lasso.growth.is_monotonic() {
        return Err(NotRepeatable::Growth);
    }
    let variables = system.variables().to_vec();
    let first = first_values(start, &lasso.growth)?;
    let next: Vec<Affine> = first
        .iter()
        .map(|value| next_value(value, &lasso.growth).ok_or(NotRepeatable::Growth))
        .collect::<Result<_, _>>()?;
    let mut drifting = Vars::default();
    loop {
        let mut walk = Walk::new(cx, &variables, &first, &drifting);
        walk.round(system, &variables, lasso, atoms)?;
        let own = variables.iter().map(|variable| variable.var).zip(&next);
        let spread: Vec<VarId> = own
            .filter(|(var, next)| walk.variable(*var).as_ref() != Some(next))
            .map(|(var, _)| var)
            .filter(|var| !drifting.contains(var))
            .collect();
        if spread.is_empty() {
            let all = variables.iter().map(|variable| variable.var);
            return Ok(all.filter(|var| drifting.contains(var)).collect());
        }
        drifting.extend(spread);
    }
}

/// The values of the variables at the start of a round, over its unknowns.
fn first_values(start: &State, growth: &Growth) -> Result<Vec<Affine>, NotRepeatable> {
    let values = start.values.iter().enumerate();
    values
        .map(|(i, value)| {
            let affine = Affine::new(value.clone(), growth.variable(i).to_vec());
            affine.ok_or(NotRepeatable::Growth)
        })
        .collect()
}

/// The value of a variable at the start of the next round, over the unknowns of this one.
fn next_value(value: &Affine, growth: &Growth) -> Option<Affine> {
    let sum = |factor: &dyn Fn(usize) -> Int| {
        let products = (0..growth.rule.len()).map(|i| &value.ray(i) * &factor(i).into());
        products.fold(Rat::from(Int::ZERO), |sum, product| &sum + &product)
    };
    let plus = sum(&|i| growth.rule[i].plus.clone());
    let base = match value.base() {
        Value::Int(int) => Value::Int(int + plus.to_int()?),
        Value::Rat(rat) => Value::Rat(rat + &plus),
        other => other.clone(),
    };
    let rays = (0..growth.rule.len()).map(|j| sum(&|i| growth.rule[i].times[j].clone()));
    Affine::new(base, rays.collect())
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

/// One execution of a path, and what is known of its values in all rounds.
struct Walk<'a> {
    cx: &'a Context,
    /// The variables of which nothing is known.
    taint: Vars,
    /// The rays of the variables that grow; their bases are in `env`.
    rays: FxHashMap<VarId, Vec<Rat>>,
    /// What was havocked in this step and has not been read since.
    free: Vars,
    /// The assumptions since anything else was executed.
    assumed: Vec<(StmtId, TermId)>,
    executor: Executor,
    /// The values of the first round.
    env: Valuation,
}

enum Task {
    Stmt(StmtId),
    Loop(Int, Int, VarId, StmtId),
}

/// The decisions of a step, with their rays.
struct Growing<'a> {
    recorded: Recorded<'a>,
    growth: &'a Growth,
    step: usize,
    n_made: usize,
}

impl<'a> Growing<'a> {
    /// The rays of the decision made last.
    fn rays(&self) -> &'a [Rat] {
        self.growth.decision(self.step, self.n_made - 1)
    }
}

impl Decide for Growing<'_> {
    fn branch(&mut self, cx: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        self.n_made += 1;
        self.recorded.branch(cx, choice, n)
    }

    fn value(&mut self, cx: &Context, havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        self.n_made += 1;
        self.recorded.value(cx, havoc, var)
    }
}

impl<'a> Walk<'a> {
    fn new(cx: &'a Context, variables: &[Variable], first: &[Affine], drifting: &Vars) -> Self {
        let mut walk = Self {
            cx,
            taint: drifting.clone(),
            rays: FxHashMap::default(),
            free: Vars::default(),
            assumed: Vec::new(),
            executor: Executor::new(),
            env: Valuation::new(),
        };
        for (variable, value) in variables.iter().zip(first) {
            walk.env.set(variable.var, value.base().clone());
            if !drifting.contains(&variable.var) {
                walk.set(variable.var, Some(value.clone()));
            }
        }
        walk
    }

    /// Once round the loop of a lasso.
    fn round(
        &mut self,
        system: &mut dyn TransitionSystem,
        variables: &[Variable],
        lasso: &Lasso,
        atoms: &[TermId],
    ) -> Result<(), NotRepeatable> {
        let steps = &lasso.run.steps;
        let round = steps[lasso.honda..].iter().zip(&steps[lasso.honda + 1..]);
        for (i, (before, step)) in round.enumerate() {
            let edge = system.edges(before.state.loc)[step.edge];
            let mut decide = Growing {
                recorded: Recorded::new(&step.decisions),
                growth: &lasso.growth,
                step: i,
                n_made: 0,
            };
            before.state.load(variables, &mut self.env);
            self.step(edge, &mut decide)?;
            if edge.observed
                && let Some(&atom) = atoms.iter().find(|&&atom| self.known(atom).is_none())
            {
                return Err(NotRepeatable::Observed(atom));
            }
        }
        Ok(())
    }

    /// The value of a variable in all rounds, if it is known.
    fn variable(&self, var: VarId) -> Option<Affine> {
        if self.taint.contains(&var) {
            return None;
        }
        let rays = self.rays.get(&var).cloned().unwrap_or_default();
        Affine::new(self.env.value(var)?.clone(), rays)
    }

    /// The value of a term in all rounds, if it is known.
    fn known(&self, term: TermId) -> Option<Affine> {
        affine::eval(&self.cx.terms, term, &|var| self.variable(var))
    }

    /// Sets what is known of a variable, whose value in the first round is in `env` or will be.
    fn set(&mut self, var: VarId, value: Option<Affine>) {
        self.rays.remove(&var);
        match value {
            Some(value) => {
                self.taint.remove(&var);
                if value.as_constant().is_none() {
                    self.rays.insert(var, value.rays().to_vec());
                }
            }
            None => {
                self.taint.insert(var);
            }
        }
    }

    fn step(&mut self, edge: Edge<PointId>, decide: &mut Growing<'_>) -> Result<(), NotRepeatable> {
        self.free.clear();
        let cx = self.cx;
        let mut todo = vec![Task::Stmt(edge.stmt)];
        while let Some(task) = todo.pop() {
            let stmt = match task {
                Task::Stmt(stmt) => stmt,
                Task::Loop(at, end, var, body) => {
                    self.keep_assumptions()?;
                    if at < end {
                        let value = Value::Int(at.clone());
                        self.env.set(var, value.clone());
                        self.set(var, Some(Affine::constant(value)));
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
                    match self.known(condition) {
                        Some(known) if known.base().as_bool() => todo.push(Task::Stmt(then)),
                        Some(_) => todo.push(Task::Stmt(otherwise)),
                        None => self.either_way(stmt, decide)?,
                    }
                }
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                } => {
                    self.read(&[from, to]);
                    let bounds = [from, to].map(|bound| self.known(bound));
                    match bounds.each_ref().map(|bound| bound.as_ref()?.as_constant()) {
                        [Some(Value::Int(from)), Some(Value::Int(to))] => {
                            todo.push(Task::Loop(from.clone(), to.clone(), var, body));
                        }
                        _ => self.either_way(stmt, decide)?,
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

    /// Solves a relation for free variables until all the rest of it is known; says which, and on what their values
    /// depend.
    ///
    /// The recursion follows the nesting of disjunctions.
    fn solve(&mut self, mut relation: Relation) -> Result<Option<Depends>, NotRepeatable> {
        let terms = &self.cx.terms;
        loop {
            let is_solved = |var: &VarId| relation.depends.contains_key(var);
            let value = |var| {
                Some(var)
                    .filter(|var| !is_solved(var))
                    .and_then(|var| self.variable(var))
            };
            let is_open = |duty: &Duty| affine::eval(terms, duty.term(), &value).is_none();
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
    fn either_way(&mut self, stmt: StmtId, decide: &mut Growing<'_>) -> Result<(), NotRepeatable> {
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
        decide: &mut Growing<'_>,
    ) -> Result<(), NotRepeatable> {
        let assigned = match stmt {
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                self.read(&[term]);
                self.free.remove(&var);
                Some((var, self.known(term)))
            }
            _ => None,
        };
        let done = self.executor.run(self.cx, id, &mut self.env, decide);
        done.map_err(|_| NotRepeatable::NoRun)?;
        match (stmt, assigned) {
            (_, Some((var, value))) => self.set(var, value),
            (Stmt::Havoc(var) | Stmt::Declare(var, None), None) => {
                let value = self.env.value(var).ok_or(NotRepeatable::NoRun)?;
                let value = Affine::new(value.clone(), decide.rays().to_vec());
                self.set(var, Some(value.ok_or(NotRepeatable::Growth)?));
                self.free.insert(var);
            }
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, term: TermId) -> Result<Value, NotRepeatable> {
        let value = self.executor.eval(self.cx, term, &self.env);
        value.map_err(|_| NotRepeatable::NoRun)
    }
}

#[cfg(test)]
mod tests;
