//! The reference semantics of statements: one concrete execution, all nondeterminism decided from outside.
//!
//! This is trusted code: replay runs counterexamples through it, and every other way of running a
//! statement (enumeration, the compiled machine, the symbolic search for havoc values) is checked
//! against it.

use crate::{Context, Stmt, StmtId};
use lariat_base::Id;
use lariat_expr::{Env, Evaluator, Int, TermId, Value, VarId};

/// What a nondeterministic statement did.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Decision {
    /// A choice took its n-th branch.
    Branch(u32),
    /// A havoc (or a declaration without a value) gave this value.
    Value(Value),
}

/// Decides nondeterminism during an execution.
pub trait Decide {
    /// The branch to take out of the `n > 0` of a choice.
    fn branch(&mut self, cx: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked>;
    /// The value that `havoc` (or a declaration without a value) is to give `var`.
    fn value(&mut self, cx: &Context, havoc: StmtId, var: VarId) -> Result<Value, Blocked>;
}

/// Why an execution did not reach the end of the statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocked {
    /// An assumption was false.
    Assume(StmtId),
    /// A choice has no branch.
    NoBranch,
    /// A variable was read before it had a value.
    Unassigned(VarId),
    /// A step took more than [`MAX_STMTS`] statements.
    TooLong,
    /// The decisions do not fit the statement: too few, or of another kind.
    Decisions,
    /// The value cannot be enumerated: its sort has too many.
    TooManyValues(VarId),
}

/// How many statements one step may execute: a bound for loops that count to astronomical numbers.
pub const MAX_STMTS: usize = 10_000_000;

/// Values of variables by id; local variables come and go.
#[derive(Clone, Debug, Default)]
pub struct Valuation {
    values: Vec<Option<Value>>,
}

impl Valuation {
    /// No variable has a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all values.
    pub fn clear(&mut self) {
        self.values.fill(None);
    }

    /// Gives a variable a value.
    pub fn set(&mut self, var: VarId, value: Value) {
        if var.index() >= self.values.len() {
            self.values.resize(var.index() + 1, None);
        }
        self.values[var.index()] = Some(value);
    }
}

impl Env for Valuation {
    fn value(&self, var: VarId) -> Option<&Value> {
        self.values.get(var.index())?.as_ref()
    }
}

/// Executes statements on a [`Valuation`].
#[derive(Debug, Default)]
pub struct Executor {
    evaluator: Evaluator,
    todo: Vec<Task>,
}

#[derive(Debug)]
enum Task {
    Stmt(StmtId),
    /// The rest of a loop: the next value, the bound, the variable, the body.
    Loop(Int, Int, VarId, StmtId),
}

impl Executor {
    /// A fresh executor; keep it to reuse its memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `stmt`, changing `env`. After an error `env` is in some state in between.
    pub fn run(
        &mut self,
        cx: &Context,
        stmt: StmtId,
        env: &mut Valuation,
        decide: &mut impl Decide,
    ) -> Result<(), Blocked> {
        self.todo.clear();
        self.todo.push(Task::Stmt(stmt));
        for _ in 0..MAX_STMTS {
            match self.todo.pop() {
                None => return Ok(()),
                Some(Task::Stmt(stmt)) => self.step(cx, stmt, env, decide)?,
                Some(Task::Loop(at, end, var, body)) => {
                    if at < end {
                        env.set(var, Value::Int(at.clone()));
                        self.todo.push(Task::Loop(&at + &Int::ONE, end, var, body));
                        self.todo.push(Task::Stmt(body));
                    }
                }
            }
        }
        Err(Blocked::TooLong)
    }

    fn step(
        &mut self,
        cx: &Context,
        id: StmtId,
        env: &mut Valuation,
        decide: &mut impl Decide,
    ) -> Result<(), Blocked> {
        match cx.stmts.get(id) {
            Stmt::Assume(term) => {
                if !self.eval(cx, term, env)?.as_bool() {
                    return Err(Blocked::Assume(id));
                }
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let value = self.eval(cx, term, env)?;
                env.set(var, value);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                let value = decide.value(cx, id, var)?;
                env.set(var, value);
            }
            Stmt::Seq(list) => self
                .todo
                .extend(cx.stmts.items(list).iter().rev().map(|&s| Task::Stmt(s))),
            Stmt::Choice(list) => {
                let branches = cx.stmts.items(list);
                if branches.is_empty() {
                    return Err(Blocked::NoBranch);
                }
                let branch = decide.branch(cx, id, branches.len())?;
                self.todo
                    .push(Task::Stmt(*branches.get(branch).ok_or(Blocked::Decisions)?));
            }
            Stmt::If(condition, then, otherwise) => {
                let taken = if self.eval(cx, condition, env)?.as_bool() {
                    then
                } else {
                    otherwise
                };
                self.todo.push(Task::Stmt(taken));
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let (Value::Int(from), Value::Int(to)) =
                    (self.eval(cx, from, env)?, self.eval(cx, to, env)?)
                else {
                    panic!("the bounds of a loop are integers");
                };
                self.todo.push(Task::Loop(from, to, var, body));
            }
        }
        Ok(())
    }

    /// The value of a term; a variable without a value blocks.
    pub fn eval(&mut self, cx: &Context, term: TermId, env: &Valuation) -> Result<Value, Blocked> {
        self.evaluator
            .eval(&cx.terms, term, env)
            .map_err(Blocked::Unassigned)
    }
}

/// Takes decisions from a list, in order.
#[derive(Debug)]
pub struct Recorded<'a> {
    rest: &'a [Decision],
}

impl<'a> Recorded<'a> {
    /// The decisions of `list`.
    pub fn new(list: &'a [Decision]) -> Self {
        Self { rest: list }
    }

    /// Whether every decision was asked for.
    pub fn is_used_up(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next decision, which must be about a choice.
    pub fn next_branch(&mut self) -> Result<usize, Blocked> {
        match self.next()? {
            Decision::Branch(branch) => Ok(*branch as usize),
            Decision::Value(_) => Err(Blocked::Decisions),
        }
    }

    fn next(&mut self) -> Result<&'a Decision, Blocked> {
        let (first, rest) = self.rest.split_first().ok_or(Blocked::Decisions)?;
        self.rest = rest;
        Ok(first)
    }
}

impl Decide for Recorded<'_> {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, _n: usize) -> Result<usize, Blocked> {
        self.next_branch()
    }

    fn value(&mut self, cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        match self.next()? {
            Decision::Value(value) if value.has_sort(&cx.terms.sorts, cx.terms.var_sort(var)) => {
                Ok(value.clone())
            }
            _ => Err(Blocked::Decisions),
        }
    }
}
