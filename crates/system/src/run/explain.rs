//! What a step did, statement by statement, and why a step cannot be made: for people who read runs.
//!
//! Structure (sequences, choices, conditionals, loops) is walked here, everything that changes or
//! reads values goes through the reference [`Executor`].

use crate::run::exec::{Blocked, Decide, Executor, Recorded, Valuation};
use crate::{Context, Decision, State, Stmt, StmtId, Variable};
use lariat_expr::{Env as _, Int, Value, VarId};
use std::collections::BTreeSet;

/// How many executions are tried to find out what blocks a step.
const CASES: usize = 2_000;

/// The statements without inner structure that a step executed, in order.
pub fn executed(
    cx: &Context,
    variables: &[Variable],
    before: Option<&State>,
    stmt: StmtId,
    decisions: &[Decision],
) -> Vec<StmtId> {
    let mut walk = Walk::new(cx, variables, before, stmt);
    // A step that does not fit its decisions was not made; what fits of it is still worth showing.
    let _ = walk.run(&mut Recorded::new(decisions));
    walk.done
}

/// Why an edge cannot be taken, as far as a bounded search can tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Obstacles {
    /// The assumptions that were false, in the order of the text.
    pub assumes: Vec<StmtId>,
    /// Whether values of unbounded sorts, or some branches, were left untried.
    pub partial: bool,
}

/// The assumptions that block an edge.
pub fn obstacles(
    cx: &Context,
    variables: &[Variable],
    before: Option<&State>,
    stmt: StmtId,
) -> Obstacles {
    let mut assumes = BTreeSet::new();
    let mut tree = Tree::default();
    for _ in 0..CASES {
        tree.depth = 0;
        let mut walk = Walk::new(cx, variables, before, stmt);
        match walk.run(&mut tree) {
            Err(Blocked::Assume(stmt)) => {
                assumes.insert(stmt);
            }
            Err(Blocked::NoBranch) => {}
            _ => tree.partial = true,
        }
        if !tree.advance() {
            return Obstacles {
                assumes: assumes.into_iter().collect(),
                partial: tree.partial,
            };
        }
    }
    Obstacles {
        assumes: assumes.into_iter().collect(),
        partial: true,
    }
}

/// One thing that a step did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deed {
    /// The statement: one without inner structure, or a conditional or choice that was decided.
    pub stmt: StmtId,
    /// What it did.
    pub what: Done,
}

/// What a statement did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// It found a condition to be true or false.
    Tested(bool),
    /// It gave a variable a value.
    Set(VarId, Value),
    /// It chose this branch.
    Chose(StmtId),
    /// Nothing: it is the empty sequence, which may stand for something in the source.
    Nothing,
}

/// What a step did, in order, conditionals and choices included.
pub fn deeds(
    cx: &Context,
    variables: &[Variable],
    before: Option<&State>,
    stmt: StmtId,
    decisions: &[Decision],
) -> Vec<Deed> {
    let mut walk = Walk::new(cx, variables, before, stmt);
    // As above: what fits is worth showing.
    let _ = walk.run(&mut Recorded::new(decisions));
    walk.deeds
}

struct Walk<'a> {
    cx: &'a Context,
    executor: Executor,
    env: Valuation,
    todo: Vec<Task>,
    done: Vec<StmtId>,
    deeds: Vec<Deed>,
}

enum Task {
    Stmt(StmtId),
    Loop(Int, Int, VarId, StmtId),
}

impl<'a> Walk<'a> {
    fn new(cx: &'a Context, variables: &[Variable], before: Option<&State>, stmt: StmtId) -> Self {
        let mut env = Valuation::new();
        if let Some(before) = before {
            before.load(variables, &mut env);
        }
        Self {
            cx,
            executor: Executor::new(),
            env,
            todo: vec![Task::Stmt(stmt)],
            done: Vec::new(),
            deeds: Vec::new(),
        }
    }

    fn run(&mut self, decide: &mut impl Decide) -> Result<(), Blocked> {
        for _ in 0..crate::MAX_STMTS {
            match self.todo.pop() {
                None => return Ok(()),
                Some(Task::Stmt(stmt)) => self.step(stmt, decide)?,
                Some(Task::Loop(at, end, var, body)) => {
                    if at < end {
                        self.env.set(var, Value::Int(at.clone()));
                        self.todo.push(Task::Loop(&at + &Int::ONE, end, var, body));
                        self.todo.push(Task::Stmt(body));
                    }
                }
            }
        }
        Err(Blocked::TooLong)
    }

    fn step(&mut self, id: StmtId, decide: &mut impl Decide) -> Result<(), Blocked> {
        let cx = self.cx;
        match cx.stmts.get(id) {
            Stmt::Seq(list) => {
                let parts = cx.stmts.items(list);
                if parts.is_empty() {
                    self.deeds.push(Deed {
                        stmt: id,
                        what: Done::Nothing,
                    });
                }
                let parts = parts.iter().rev();
                self.todo.extend(parts.map(|&part| Task::Stmt(part)));
            }
            Stmt::Choice(list) => {
                let branches = cx.stmts.items(list);
                if branches.is_empty() {
                    return Err(Blocked::NoBranch);
                }
                let index = decide.branch(cx, id, branches.len())?;
                let branch = *branches.get(index).ok_or(Blocked::Decisions)?;
                self.deeds.push(Deed {
                    stmt: id,
                    what: Done::Chose(branch),
                });
                self.todo.push(Task::Stmt(branch));
            }
            Stmt::If(condition, then, otherwise) => {
                let holds = self.executor.eval(cx, condition, &self.env)?.as_bool();
                self.deeds.push(Deed {
                    stmt: id,
                    what: Done::Tested(holds),
                });
                self.todo
                    .push(Task::Stmt(if holds { then } else { otherwise }));
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let from = self.executor.eval(cx, from, &self.env)?;
                let to = self.executor.eval(cx, to, &self.env)?;
                if let (Value::Int(from), Value::Int(to)) = (from, to) {
                    self.todo.push(Task::Loop(from, to, var, body));
                }
            }
            Stmt::Assume(_) | Stmt::Assign(..) | Stmt::Havoc(_) | Stmt::Declare(..) => {
                self.executor.run(cx, id, &mut self.env, decide)?;
                self.done.push(id);
                self.keep(id);
            }
        }
        Ok(())
    }
}

impl Walk<'_> {
    /// Keeps what a statement without inner structure has just done.
    fn keep(&mut self, id: StmtId) {
        let what = match self.cx.stmts.get(id) {
            Stmt::Assign(var, _) | Stmt::Havoc(var) | Stmt::Declare(var, _) => {
                match self.env.value(var) {
                    Some(value) => Done::Set(var, value.clone()),
                    None => return,
                }
            }
            _ => Done::Tested(true),
        };
        self.deeds.push(Deed { stmt: id, what });
    }
}

/// All decisions one after the other, depth first; of an unbounded sort only one value.
#[derive(Default)]
struct Tree {
    /// The alternative taken and how many there are.
    path: Vec<(u64, u64)>,
    depth: usize,
    partial: bool,
}

impl Tree {
    fn next(&mut self, count: u64) -> u64 {
        if self.depth == self.path.len() {
            self.path.push((0, count));
        }
        self.depth += 1;
        self.path[self.depth - 1].0
    }

    fn advance(&mut self) -> bool {
        self.path.truncate(self.depth);
        while let Some((at, count)) = self.path.last_mut() {
            *at += 1;
            if at < count {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

impl Decide for Tree {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, n: usize) -> Result<usize, Blocked> {
        Ok(self.next(n as u64) as usize)
    }

    fn value(&mut self, cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        let (sorts, sort) = (&cx.terms.sorts, cx.terms.var_sort(var));
        if let Some(count) = sorts.cardinality(sort)
            && sorts.as_array(sort).is_none()
        {
            let n = self.next(count);
            if let Some(value) = Value::nth(sorts, sort, n) {
                return Ok(value);
            }
        }
        self.partial = true;
        Ok(Value::some(sorts, sort))
    }
}
