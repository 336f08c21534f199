//! The evaluator: the value of a term under values of its variables.

use crate::{Head, Op, SortId, TermId, Terms, Value, VarId};
use lariat_base::FxHashMap;

/// Where an evaluation finds the values of variables.
pub trait Env {
    /// The value of `var`, or nothing if it is not known.
    fn value(&self, var: VarId) -> Option<&Value>;
}

impl Env for FxHashMap<VarId, Value> {
    fn value(&self, var: VarId) -> Option<&Value> {
        self.get(&var)
    }
}

/// Evaluates terms with an explicit stack; shared subterms are evaluated once per call.
///
/// If-then-else evaluates only the branch it takes, conjunction and disjunction stop at the value
/// that decides them, so a term has a value whenever the part that matters has.
#[derive(Debug, Default)]
pub struct Evaluator {
    memo: FxHashMap<TermId, Value>,
    todo: Vec<TermId>,
}

impl Evaluator {
    /// A fresh evaluator; keep it to reuse its memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of `term`, or the first variable found missing.
    pub fn eval(&mut self, terms: &Terms, term: TermId, env: &impl Env) -> Result<Value, VarId> {
        match terms.head(term) {
            Head::Lit(value) => return Ok(value.clone()),
            Head::Var(var) => return env.value(var).cloned().ok_or(var),
            Head::Op(..) => {}
        }
        self.memo.clear();
        self.todo.clear();
        self.todo.push(term);
        while let Some(&at) = self.todo.last() {
            if self.memo.contains_key(&at) {
                self.todo.pop();
                continue;
            }
            let value = match terms.head(at) {
                Head::Lit(value) => value.clone(),
                Head::Var(var) => env.value(var).cloned().ok_or(var)?,
                Head::Op(op, args) => match self.step(terms, op, args) {
                    Ok(value) => value,
                    Err(missing) => {
                        self.todo.push(missing);
                        continue;
                    }
                },
            };
            self.memo.insert(at, value);
            self.todo.pop();
        }
        Ok(self
            .memo
            .remove(&term)
            .expect("the loop ends when the term has a value"))
    }

    /// The value of `op(args)` from the memo, or an argument that must be evaluated first.
    fn step(&self, terms: &Terms, op: Op, args: &[TermId]) -> Result<Value, TermId> {
        let known = |arg: TermId| self.memo.get(&arg).ok_or(arg);
        match op {
            Op::Ite => {
                let branch = if known(args[0])?.as_bool() {
                    args[1]
                } else {
                    args[2]
                };
                known(branch).cloned()
            }
            Op::And | Op::Or => {
                let decides = op == Op::Or;
                for &arg in args {
                    if known(arg)?.as_bool() == decides {
                        return Ok(Value::Bool(decides));
                    }
                }
                Ok(Value::Bool(!decides))
            }
            _ => {
                let mut values: Vec<Value> = Vec::with_capacity(args.len());
                for &arg in args {
                    values.push(known(arg)?.clone());
                }
                let sorts: Vec<SortId> = args.iter().map(|&arg| terms.sort(arg)).collect();
                Ok(op.apply(&terms.sorts, &sorts, &values))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_that_matters_needs_values() {
        let mut t = Terms::new();
        let (int, bool_) = (t.sorts.int(), t.sorts.bool());
        let (x, y, p) = (
            t.declare("x", int),
            t.declare("y", int),
            t.declare("p", bool_),
        );
        let mut env: FxHashMap<VarId, Value> = FxHashMap::default();
        env.insert(p, true.into());
        env.insert(x, 20.into());
        let (tx, ty, tp) = (t.var(x), t.var(y), t.var(p));
        let term = t.ite(tp, tx, ty);
        let term = t.add(&[term, tx]);
        assert_eq!(Evaluator::new().eval(&t, term, &env), Ok(40.into()));
        let sum = t.add(&[tx, ty]);
        assert_eq!(Evaluator::new().eval(&t, sum, &env), Err(y));
        let small = t.lt(ty, tx);
        let either = t.or(&[tp, small]);
        assert_eq!(Evaluator::new().eval(&t, either, &env), Ok(true.into()));
    }
}
