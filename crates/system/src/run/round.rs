//! One round of a loop as formulas over the state at its start.
//!
//! The loop's statements are executed on terms, decided as in the recorded round: what was assumed, and which way each
//! conditional went, become conditions on the state at the start. In every state in which the conditions hold, the same
//! decisions take the same way round the loop.
//!
//! This is trusted code: arguments about all rounds of a loop rest on it.

use crate::run::exec::{Decide as _, Executor, Recorded, Valuation};
use crate::{Context, Lasso, Stmt, StmtId, TransitionSystem};
use lariat_base::FxHashMap;
use lariat_expr::{Int, Substitution, TermId, Value, VarId};

/// One round of a loop.
#[derive(Clone, Debug, Default)]
pub struct RoundFormula {
    /// What must hold at the start.
    pub conditions: Vec<TermId>,
    /// What is true on the way, of each atom in each observed state: the atom or its negation.
    pub letters: Vec<TermId>,
    /// The variables that are written, local ones included, with their values at the end.
    pub updates: FxHashMap<VarId, TermId>,
}

enum Task {
    Stmt(StmtId),
    Loop(Int, Int, VarId, StmtId),
}

impl RoundFormula {
    /// The round of a lasso's loop; nothing if the loop cannot be executed as recorded.
    pub fn new(
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        lasso: &Lasso,
        atoms: &[TermId],
    ) -> Option<Self> {
        let variables = system.variables().to_vec();
        let steps = &lasso.run.steps[lasso.honda..];
        let mut walk = Walk {
            round: Self::default(),
            env: Valuation::new(),
            executor: Executor::new(),
        };
        for (before, step) in steps.iter().zip(steps.get(1..)?) {
            let edge = *system.edges(before.state.loc).get(step.edge)?;
            before.state.load(&variables, &mut walk.env);
            walk.step(cx, edge.stmt, &mut Recorded::new(&step.decisions))?;
            for &atom in atoms.iter().filter(|_| edge.observed) {
                let letter = walk.truth(cx, atom)?;
                walk.round.letters.push(letter);
            }
        }
        Some(walk.round)
    }

    /// A term over the state at the end, as one over the state at the start.
    pub fn at_end(&self, cx: &mut Context, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for var in cx.terms.free_vars(&[term]) {
            if let Some(&value) = self.updates.get(&var) {
                substitution.insert(&mut cx.terms, var, value);
            }
        }
        substitution.apply(&mut cx.terms, term)
    }
}

struct Walk {
    round: RoundFormula,
    /// The values of the recorded round.
    env: Valuation,
    executor: Executor,
}

impl Walk {
    fn step(&mut self, cx: &mut Context, stmt: StmtId, decide: &mut Recorded<'_>) -> Option<()> {
        let mut todo = vec![Task::Stmt(stmt)];
        while let Some(task) = todo.pop() {
            let stmt = match task {
                Task::Stmt(stmt) => stmt,
                Task::Loop(at, end, var, body) => {
                    if at < end {
                        self.set(cx, var, Value::Int(at.clone()));
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
                    let n = cx.stmts.items(list).len();
                    let branch = decide.branch(cx, stmt, n).ok()?;
                    todo.push(Task::Stmt(*cx.stmts.items(list).get(branch)?));
                }
                Stmt::Assume(term) => {
                    let holds = self.truth(cx, term)?;
                    self.round.conditions.push(holds);
                }
                Stmt::If(condition, then, otherwise) => {
                    let holds = self.executor.eval(cx, condition, &self.env).ok()?.as_bool();
                    let way = self.truth(cx, condition)?;
                    self.round.conditions.push(way);
                    todo.push(Task::Stmt(if holds { then } else { otherwise }));
                }
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                } => {
                    let bounds = (self.fixed(cx, from)?, self.fixed(cx, to)?);
                    todo.push(Task::Loop(bounds.0, bounds.1, var, body));
                }
                Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                    let value = self.executor.eval(cx, term, &self.env).ok()?;
                    let term = self.round.at_end(cx, term);
                    self.env.set(var, value);
                    self.round.updates.insert(var, term);
                }
                Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                    let value = decide.value(cx, stmt, var).ok()?;
                    self.set(cx, var, value);
                }
            }
        }
        Some(())
    }

    /// Gives a variable the same value in every round.
    fn set(&mut self, cx: &mut Context, var: VarId, value: Value) {
        let sort = cx.terms.var_sort(var);
        let literal = cx.terms.lit(value.clone(), sort);
        self.env.set(var, value);
        self.round.updates.insert(var, literal);
    }

    /// That a Boolean term is now what it is in the recorded round, over the state at the start.
    fn truth(&mut self, cx: &mut Context, term: TermId) -> Option<TermId> {
        let holds = self.executor.eval(cx, term, &self.env).ok()?.as_bool();
        let term = self.round.at_end(cx, term);
        Some(if holds { term } else { cx.terms.not(term) })
    }

    /// The value of an integer, which must be the same in every round.
    fn fixed(&mut self, cx: &mut Context, term: TermId) -> Option<Int> {
        let Value::Int(value) = self.executor.eval(cx, term, &self.env).ok()? else {
            return None;
        };
        let (term, literal) = (self.round.at_end(cx, term), cx.terms.int(value.clone()));
        let same = cx.terms.eq(term, literal);
        self.round.conditions.push(same);
        Some(value)
    }
}
