//! Random statements as plain trees, and the naive enumerator of their outcomes.
//!
//! The enumerator is written from the meaning of statements, on its own values and by plain
//! recursion; it shares nothing with the executor, the symbolic search or the compiled machine.

use crate::{Naive, RawTerm, Rng, TermGen, eval_naive};
use lariat_expr::{Int, Op, Sort, SortId, Terms, Value, VarId};
use lariat_system::{Context, Stmt, StmtId};
use rand::Rng as _;
use std::collections::HashMap;

/// A statement as it was drawn.
#[derive(Clone, Debug)]
pub enum RawStmt {
    /// Blocks unless the term is true.
    Assume(RawTerm),
    /// Gives a variable a new value.
    Assign(VarId, RawTerm),
    /// Gives a variable any value of its (small) sort.
    Havoc(VarId),
    /// Gives an integer variable any value between two bounds, by a havoc and an assumption.
    HavocWithin(VarId, i64, i64),
    /// Declares a local variable, with a value or (of a small sort) any value.
    Declare(VarId, Option<RawTerm>),
    /// One after the other.
    Seq(Vec<RawStmt>),
    /// Any one of them.
    Choice(Vec<RawStmt>),
    /// A conditional.
    If(RawTerm, Box<RawStmt>, Box<RawStmt>),
    /// A loop from the first term up to but not including the second.
    For(VarId, RawTerm, RawTerm, Box<RawStmt>),
}

impl RawStmt {
    /// The same statement in a context, its terms through the simplifying builder.
    pub fn build(&self, cx: &mut Context) -> StmtId {
        let stmt = match self {
            Self::Assume(term) => Stmt::Assume(term.build(&mut cx.terms)),
            Self::Assign(var, term) => Stmt::Assign(*var, term.build(&mut cx.terms)),
            Self::Havoc(var) => Stmt::Havoc(*var),
            Self::HavocWithin(var, low, high) => {
                let terms = &mut cx.terms;
                let (x, low, high) = (terms.var(*var), terms.int(*low), terms.int(*high));
                let bounds = [terms.le(low, x), terms.le(x, high)];
                let within = terms.and(&bounds);
                let havoc = cx.stmts.add(Stmt::Havoc(*var), None);
                let assume = cx.stmts.add(Stmt::Assume(within), None);
                return cx.stmts.seq(&[havoc, assume], None);
            }
            Self::Declare(var, value) => {
                let value = value.as_ref().map(|value| value.build(&mut cx.terms));
                Stmt::Declare(*var, value)
            }
            Self::Seq(parts) => {
                let parts: Vec<StmtId> = parts.iter().map(|part| part.build(cx)).collect();
                return cx.stmts.seq(&parts, None);
            }
            Self::Choice(branches) => {
                let branches: Vec<StmtId> = branches.iter().map(|b| b.build(cx)).collect();
                return cx.stmts.choice(&branches, None);
            }
            Self::If(condition, then, otherwise) => {
                let condition = condition.build(&mut cx.terms);
                Stmt::If(condition, then.build(cx), otherwise.build(cx))
            }
            Self::For(var, from, to, body) => Stmt::For {
                var: *var,
                from: from.build(&mut cx.terms),
                to: to.build(&mut cx.terms),
                body: body.build(cx),
            },
        };
        cx.stmts.add(stmt, None)
    }

    /// The same statement without anything that blocks: an assumption is left out, a bounded havoc chooses.
    pub fn without_assumptions(&self, int: SortId) -> Self {
        let all = |parts: &[Self]| parts.iter().map(|p| p.without_assumptions(int)).collect();
        match self {
            Self::Assume(_) => Self::Seq(Vec::new()),
            Self::HavocWithin(var, low, high) => {
                let value = |value: i64| RawTerm::Lit(Value::Int(Int::from(value)), int);
                let assign = |to| Self::Assign(*var, value(to));
                Self::Choice((*low..=*high).map(assign).collect())
            }
            Self::Seq(parts) => Self::Seq(all(parts)),
            Self::Choice(branches) if branches.is_empty() => Self::Seq(Vec::new()),
            Self::Choice(branches) => Self::Choice(all(branches)),
            Self::If(condition, then, otherwise) => Self::If(
                condition.clone(),
                Box::new(then.without_assumptions(int)),
                Box::new(otherwise.without_assumptions(int)),
            ),
            Self::For(var, from, to, body) => Self::For(
                *var,
                from.clone(),
                to.clone(),
                Box::new(body.without_assumptions(int)),
            ),
            Self::Assign(..) | Self::Havoc(_) | Self::Declare(..) => self.clone(),
        }
    }

    /// All valuations after the statement, one per way through it (so some may be equal).
    pub fn outcomes(
        &self,
        terms: &Terms,
        env: &HashMap<VarId, Naive>,
    ) -> Vec<HashMap<VarId, Naive>> {
        let with = |var: VarId, value: Naive| {
            let mut env = env.clone();
            env.insert(var, value);
            env
        };
        match self {
            Self::Assume(term) => match eval_naive(terms, term, env) {
                Naive::Bool(true) => vec![env.clone()],
                _ => Vec::new(),
            },
            Self::Assign(var, term) | Self::Declare(var, Some(term)) => {
                vec![with(*var, eval_naive(terms, term, env))]
            }
            Self::Havoc(var) | Self::Declare(var, None) => small_values(terms, *var)
                .into_iter()
                .map(|value| with(*var, value))
                .collect(),
            Self::HavocWithin(var, low, high) => (*low..=*high)
                .map(|value| with(*var, Naive::Int(value.into())))
                .collect(),
            Self::Seq(parts) => {
                let mut envs = vec![env.clone()];
                for part in parts {
                    envs = envs
                        .iter()
                        .flat_map(|env| part.outcomes(terms, env))
                        .collect();
                }
                envs
            }
            Self::Choice(branches) => branches
                .iter()
                .flat_map(|branch| branch.outcomes(terms, env))
                .collect(),
            Self::If(condition, then, otherwise) => match eval_naive(terms, condition, env) {
                Naive::Bool(true) => then.outcomes(terms, env),
                _ => otherwise.outcomes(terms, env),
            },
            Self::For(var, from, to, body) => {
                let (Naive::Int(mut at), Naive::Int(end)) =
                    (eval_naive(terms, from, env), eval_naive(terms, to, env))
                else {
                    panic!("the bounds of a loop are integers");
                };
                let mut envs = vec![env.clone()];
                while at < end {
                    for env in &mut envs {
                        env.insert(*var, Naive::Int(at.clone()));
                    }
                    envs = envs
                        .iter()
                        .flat_map(|env| body.outcomes(terms, env))
                        .collect();
                    at += 1;
                }
                envs
            }
        }
    }
}

/// All values of a Boolean or enumeration variable.
fn small_values(terms: &Terms, var: VarId) -> Vec<Naive> {
    match terms.sorts.get(terms.var_sort(var)) {
        Sort::Bool => vec![Naive::Bool(false), Naive::Bool(true)],
        Sort::Enum(decl) => (0..decl.literals.len() as u32).map(Naive::Enum).collect(),
        other => panic!("{other:?} is not havocked as a whole"),
    }
}

/// Draws statements over the variables of a [`TermGen`].
#[derive(Debug)]
pub struct StmtGen {
    /// Draws the terms; local variables in scope are among its variables.
    pub terms: TermGen,
    n_locals: u32,
    /// How many more nondeterministic statements may be drawn: outcomes multiply.
    forks: usize,
}

impl StmtGen {
    /// A generator whose statements have at most `forks` nondeterministic parts.
    pub fn new(terms: TermGen, forks: usize) -> Self {
        Self {
            terms,
            n_locals: 0,
            forks,
        }
    }

    /// A random statement with about `size` parts.
    pub fn stmt(&mut self, terms: &mut Terms, size: usize, rng: &mut Rng) -> RawStmt {
        let (bool_, int) = (terms.sorts.bool(), terms.sorts.int());
        let term_size = rng.random_range(0..5);
        match rng.random_range(0..if size == 0 { 5 } else { 10 }) {
            0 => {
                // Mostly true: a statement that always blocks tests little.
                let condition = self.terms.term(terms, bool_, term_size, rng);
                let other = self.terms.term(terms, bool_, 1, rng);
                RawStmt::Assume(RawTerm::Op(Op::Or, vec![condition, other]))
            }
            1 if self.forks > 0 => {
                self.forks -= 1;
                self.havoc(terms, rng)
            }
            2 if self.forks > 0 => {
                self.forks -= 1;
                let low = rng.random_range(-3..3);
                let var = self.variable(terms, int, rng);
                RawStmt::HavocWithin(var, low, low + rng.random_range(0..4))
            }
            1..=4 => {
                let sort = self.terms.sort(rng);
                let var = self.variable(terms, sort, rng);
                RawStmt::Assign(var, self.terms.term(terms, sort, term_size, rng))
            }
            5 if self.forks > 0 => {
                self.forks -= 1;
                // A choice without branches blocks; now and then is enough.
                let least = usize::from(rng.random_range(0..8) > 0);
                let n = rng.random_range(least..4);
                let branches = (0..n).map(|_| self.stmt(terms, size / 2, rng)).collect();
                RawStmt::Choice(branches)
            }
            6 => {
                let condition = self.terms.term(terms, bool_, term_size, rng);
                let then = self.stmt(terms, size / 2, rng);
                let otherwise = self.stmt(terms, size / 2, rng);
                RawStmt::If(condition, Box::new(then), Box::new(otherwise))
            }
            7 => self.for_loop(terms, size, rng),
            _ => self.block(terms, size, rng),
        }
    }

    fn havoc(&self, terms: &Terms, rng: &mut Rng) -> RawStmt {
        let small: Vec<VarId> = self
            .terms
            .vars
            .iter()
            .copied()
            .filter(|&v| {
                matches!(
                    terms.sorts.get(terms.var_sort(v)),
                    Sort::Bool | Sort::Enum(_)
                )
            })
            .collect();
        RawStmt::Havoc(small[rng.random_range(0..small.len())])
    }

    /// A sequence, perhaps with a local variable at its start.
    fn block(&mut self, terms: &mut Terms, size: usize, rng: &mut Rng) -> RawStmt {
        let n_outer = self.terms.vars.len();
        let mut parts = Vec::new();
        if rng.random() {
            let sort = self.terms.sort(rng);
            let small = matches!(terms.sorts.get(sort), Sort::Bool | Sort::Enum(_));
            let value = if small && self.forks > 0 && rng.random() {
                self.forks -= 1;
                None
            } else {
                Some(self.terms.term(terms, sort, 2, rng))
            };
            let local = self.local(terms, sort);
            parts.push(RawStmt::Declare(local, value));
            self.terms.vars.push(local);
        }
        for _ in 0..rng.random_range(0..4) {
            parts.push(self.stmt(terms, size / 2, rng));
        }
        self.terms.vars.truncate(n_outer);
        RawStmt::Seq(parts)
    }

    fn for_loop(&mut self, terms: &mut Terms, size: usize, rng: &mut Rng) -> RawStmt {
        let int = terms.sorts.int();
        let lit = |value: i64| RawTerm::Lit(Value::Int(Int::from(value)), int);
        let from = lit(rng.random_range(-1..2));
        let to = if rng.random() {
            lit(rng.random_range(-1..3))
        } else {
            RawTerm::Op(Op::Mod, vec![self.terms.term(terms, int, 1, rng), lit(3)])
        };
        let counter = self.local(terms, int);
        let n_outer = self.terms.vars.len();
        // The counter may be read but not written: most languages forbid that.
        let body = match rng.random_range(0..3) {
            0 => {
                let x = self.variable(terms, int, rng);
                RawStmt::Assign(
                    x,
                    RawTerm::Op(Op::Add, vec![RawTerm::Var(x), RawTerm::Var(counter)]),
                )
            }
            _ => {
                // A fork inside a loop multiplies: at most one.
                let (forks, inside) = (self.forks, self.forks.min(1));
                self.forks = inside;
                let body = self.stmt(terms, size / 2, rng);
                self.forks += forks - inside;
                body
            }
        };
        self.terms.vars.truncate(n_outer);
        RawStmt::For(counter, from, to, Box::new(body))
    }

    fn local(&mut self, terms: &mut Terms, sort: SortId) -> VarId {
        self.n_locals += 1;
        terms.declare_instance("local", sort, self.n_locals)
    }

    fn variable(&self, terms: &Terms, sort: SortId, rng: &mut Rng) -> VarId {
        let fitting: Vec<VarId> = self
            .terms
            .vars
            .iter()
            .copied()
            .filter(|&v| terms.var_sort(v) == sort)
            .collect();
        fitting[rng.random_range(0..fitting.len())]
    }
}
