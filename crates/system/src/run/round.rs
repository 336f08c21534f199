//! One round of a loop as formulas over the state at its start.
//!
//! The loop's statements are executed on terms, decided as in the recorded round: what was assumed, and which way each
//! conditional went, become conditions on the state at the start. In every state in which the conditions hold, the same
//! decisions take the same way round the loop. An input may follow the state from round to round, as the lasso says: it is then a
//! term over the state at the start, like any value. Which inputs may is found out on the way (`follow.rs`), too.
//!
//! This is trusted code: arguments about all rounds of a loop rest on it.

use crate::run::exec::{Decide as _, Executor, Recorded, Valuation};
use crate::run::follow::{Follow, chosen};
use crate::{Context, Inputs, Lasso, Stmt, StmtId, TransitionSystem};
use lariat_base::FxHashMap;
use lariat_expr::{Env as _, Int, Substitution, TermId, Value, VarId};

/// One round of a loop.
#[derive(Clone, Debug, Default)]
pub struct RoundFormula {
    /// What must hold at the start.
    pub conditions: Vec<TermId>,
    /// What is true on the way, of each atom in each observed state: the atom or its negation.
    pub letters: Vec<TermId>,
    /// The variables that are written, local ones included, with their values at the end.
    pub updates: FxHashMap<VarId, TermId>,
    /// How the inputs of a round follow the state at its start.
    pub inputs: Inputs,
}

enum Task {
    Stmt(StmtId),
    Loop(Int, Int, VarId, StmtId),
}

impl RoundFormula {
    /// The round of a lasso's loop, with its inputs; nothing if the loop cannot be executed as recorded.
    pub fn new(
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        lasso: &Lasso,
        atoms: &[TermId],
    ) -> Option<Self> {
        Self::of(cx, system, lasso, atoms, None)
    }

    /// The same with inputs that are to be found.
    pub fn following(
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        lasso: &Lasso,
        atoms: &[TermId],
        follow: Follow,
    ) -> Option<Self> {
        Self::of(cx, system, lasso, atoms, Some(follow))
    }

    fn of(
        cx: &mut Context,
        system: &mut dyn TransitionSystem,
        lasso: &Lasso,
        atoms: &[TermId],
        follow: Option<Follow>,
    ) -> Option<Self> {
        let variables = system.variables().to_vec();
        let steps = &lasso.run.steps[lasso.honda..];
        let mut walk = Walk {
            round: Self::default(),
            env: Valuation::new(),
            executor: Executor::new(),
            open: Vec::new(),
            follow,
        };
        for (before, step) in steps.iter().zip(steps.get(1..)?) {
            let edge = *system.edges(before.state.loc).get(step.edge)?;
            before.state.load(&variables, &mut walk.env);
            let at = walk.round.inputs.len();
            let known = |index: usize| lasso.input(at, index).filter(|_| follow.is_none());
            let inputs = (0..step.decisions.len()).map(known).collect();
            walk.round.inputs.push(inputs);
            walk.step(cx, edge.stmt, &mut Recorded::new(&step.decisions))?;
            for &atom in atoms.iter().filter(|_| edge.observed) {
                let letter = walk.truth(cx, atom)?;
                walk.round.letters.push(letter);
            }
        }
        walk.close(cx, |_| true);
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

/// The assumptions that come next, up to the first other statement.
fn assumptions(cx: &Context, todo: &[Task]) -> Vec<TermId> {
    let next = todo.iter().rev().map_while(|task| match task {
        Task::Stmt(stmt) => match cx.stmts.get(*stmt) {
            Stmt::Assume(term) => Some(term),
            _ => None,
        },
        Task::Loop(..) => None,
    });
    next.collect()
}

struct Walk {
    round: RoundFormula,
    /// The values of the recorded round.
    env: Valuation,
    executor: Executor,
    /// Inputs that nothing has read yet.
    open: Vec<Open>,
    /// Which inputs may follow the state, if that is to be found.
    follow: Option<Follow>,
}

/// An input whose value in other rounds is not settled.
struct Open {
    var: VarId,
    /// The step of the loop and the decision in it.
    at: (usize, usize),
}

impl Walk {
    fn step(&mut self, cx: &mut Context, stmt: StmtId, decide: &mut Recorded<'_>) -> Option<()> {
        let mut todo = vec![Task::Stmt(stmt)];
        let mut n_made = 0;
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
                    n_made += 1;
                    let branch = decide.branch(cx, stmt, n).ok()?;
                    todo.push(Task::Stmt(*cx.stmts.items(list).get(branch)?));
                }
                Stmt::Assume(term) => {
                    let mut assumed = vec![term];
                    assumed.extend(assumptions(cx, &todo));
                    self.choose(cx, &assumed);
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
                    let term = self.over_start(cx, term);
                    self.open.retain(|open| open.var != var);
                    self.env.set(var, value);
                    self.round.updates.insert(var, term);
                }
                Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                    let value = decide.value(cx, stmt, var).ok()?;
                    self.open.retain(|open| open.var != var);
                    let at = (self.round.inputs.len() - 1, n_made);
                    n_made += 1;
                    match (self.round.inputs[at.0][at.1], self.follow) {
                        (Some(term), _) => {
                            self.env.set(var, value);
                            self.round.updates.insert(var, term);
                        }
                        (None, Some(_)) => {
                            self.env.set(var, value);
                            self.open.push(Open { var, at });
                        }
                        (None, None) => self.set(cx, var, value),
                    }
                }
            }
        }
        Some(())
    }

    /// Gives a variable the same value in every round.
    fn set(&mut self, cx: &mut Context, var: VarId, value: Value) {
        let sort = cx.terms.var_sort(var);
        let literal = cx.terms.lit(value.clone(), sort);
        self.open.retain(|open| open.var != var);
        self.env.set(var, value);
        self.round.updates.insert(var, literal);
    }

    /// Lets inputs follow the state so that assumptions on them may hold again, if they say how.
    fn choose(&mut self, cx: &mut Context, assumed: &[TermId]) {
        let assumed = cx.terms.and(assumed);
        while let Some(follow) = self.follow {
            let open: Vec<VarId> = self.open.iter().map(|open| open.var).collect();
            if open.is_empty() {
                return;
            }
            let Some((var, value)) = chosen(cx, &self.env, assumed, &open, follow) else {
                return;
            };
            let value = self.round.at_end(cx, value);
            let at = open.iter().position(|&own| own == var);
            let Open { at, .. } = self.open.remove(at.expect("it is an open one"));
            self.round.inputs[at.0][at.1] = Some(value);
            self.round.updates.insert(var, value);
        }
    }

    /// Gives some inputs that are still open the same value in every round.
    fn close(&mut self, cx: &mut Context, is_meant: impl Fn(VarId) -> bool) {
        let (closed, open) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|open| is_meant(open.var));
        self.open = open;
        let closed: Vec<Open> = closed;
        for Open { var, .. } in closed {
            let value = self.env.value(var).cloned();
            self.set(cx, var, value.expect("an input has a value"));
        }
    }

    /// A term over what is now, as one over the state at the start. What it reads is settled by that.
    fn over_start(&mut self, cx: &mut Context, term: TermId) -> TermId {
        let read = cx.terms.free_vars(&[term]);
        self.close(cx, |var| read.contains(&var));
        self.round.at_end(cx, term)
    }

    /// That a Boolean term is now what it is in the recorded round, over the state at the start.
    fn truth(&mut self, cx: &mut Context, term: TermId) -> Option<TermId> {
        let holds = self.executor.eval(cx, term, &self.env).ok()?.as_bool();
        let term = self.over_start(cx, term);
        Some(if holds { term } else { cx.terms.not(term) })
    }

    /// The value of an integer, which must be the same in every round.
    fn fixed(&mut self, cx: &mut Context, term: TermId) -> Option<Int> {
        let Value::Int(value) = self.executor.eval(cx, term, &self.env).ok()? else {
            return None;
        };
        let (term, literal) = (self.over_start(cx, term), cx.terms.int(value.clone()));
        let same = cx.terms.eq(term, literal);
        self.round.conditions.push(same);
        Some(value)
    }
}
