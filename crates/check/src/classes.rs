//! Which abstraction functions fit the variables of a model: read off the constants and operators that meet them.
//!
//! A variable that is compared with constants is told by the intervals between them (by its sign, if it is compared with zero
//! only), one of which a remainder is taken by that remainder, and one with few values by its value. Of others
//! nothing is told until a counterexample asks for it.

use crate::domain::{Function, Functions};
use crate::problem::Problem;
use crate::shape::Shape;
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Sort, TermId, VarId};
use lariat_system::{Context, Stmt};
use std::collections::BTreeSet;

/// A variable with so many values is told by its value.
const FEW_VALUES: u64 = 16;
/// Classes that are more are no abstraction.
const MAX_CLASSES: usize = 64;
/// The same for remainders.
const MAX_MODULUS: i64 = 64;

/// What meets a variable.
#[derive(Default)]
struct Met {
    /// Where its classes must be cut: each class is below one of these and not below the one before.
    cuts: BTreeSet<i64>,
    /// The least common multiple of the numbers by which remainders are taken.
    modulus: Option<Int>,
}

/// The functions of all variables: those that are given, and what the model says for the others.
pub(crate) fn functions(cx: &Context, problem: &mut Problem, given: &Functions) -> Functions {
    let variables: Vec<VarId> = problem.system.variables().iter().map(|v| v.var).collect();
    let control = Shape::new(cx, problem).control;
    let mut met = Meetings::default();
    for root in roots(cx, problem) {
        met.read(cx, root);
    }
    let mut all = Vec::new();
    for var in variables {
        let own = given.of(var);
        if !own.is_empty() {
            all.extend(own.into_iter().map(|function| (var, function.clone())));
            continue;
        }
        let sort = cx.terms.var_sort(var);
        let count = cx.terms.sorts.cardinality(sort);
        if control.contains(&var) || count.is_some_and(|count| count <= FEW_VALUES) {
            all.push((var, Function::Identity));
        } else if *cx.terms.sorts.get(sort) == Sort::Int
            && let Some(met) = met.of.remove(&var)
        {
            all.extend(met.functions().into_iter().map(|function| (var, function)));
        }
    }
    Functions::new(all)
}

/// Whether few remainders are taken of a variable of which `is_open` is true.
pub(crate) fn takes_remainders(
    cx: &Context,
    problem: &mut Problem,
    is_open: impl Fn(VarId) -> bool,
) -> bool {
    let mut met = Meetings::default();
    for root in roots(cx, problem) {
        met.read(cx, root);
    }
    let mut all = met.of.iter();
    all.any(|(&var, met)| met.remainder().is_some() && is_open(var))
}

impl Met {
    /// The remainder that is told, unless there are too many.
    fn remainder(&self) -> Option<Function> {
        let modulus = self.modulus.clone()?;
        if modulus == Int::from(2) {
            return Some(Function::Parity);
        }
        (modulus <= Int::from(MAX_MODULUS)).then_some(Function::Modulo(modulus))
    }

    fn functions(self) -> Vec<Function> {
        let mut found: Vec<Function> = self.remainder().into_iter().collect();
        if self.cuts.is_empty() || self.cuts.len() > MAX_CLASSES {
            return found;
        }
        found.push(if self.cuts.iter().all(|cut| (0..2).contains(cut)) {
            Function::Sign
        } else {
            Function::Thresholds(self.cuts.into_iter().map(Int::from).collect())
        });
        found
    }
}

/// What meets each variable.
#[derive(Default)]
struct Meetings {
    of: FxHashMap<VarId, Met>,
}

impl Meetings {
    /// Looks at all subterms of a term.
    fn read(&mut self, cx: &Context, root: TermId) {
        let terms = &cx.terms;
        let constant = |term| terms.as_lit(term)?.as_int()?.to_i64();
        for at in terms.subterms(&[root]) {
            let Head::Op(op, &[left, right]) = terms.head(at) else {
                continue;
            };
            if op == Op::Mod
                && let Some(modulus) = terms.as_lit(right).and_then(|value| value.as_int())
            {
                self.divide(cx, left, &modulus.abs());
                continue;
            }
            // `x < c` cuts at c, `x <= c` and `c < x` behind it, `x = c` on both sides.
            let (var, cuts): (_, &[i64]) = match (op, terms.as_var(left), terms.as_var(right)) {
                (Op::Eq, Some(var), _) | (Op::Eq, _, Some(var)) => (var, &[0, 1]),
                (Op::Lt, Some(var), _) | (Op::Le, _, Some(var)) => (var, &[0]),
                (Op::Le, Some(var), _) | (Op::Lt, _, Some(var)) => (var, &[1]),
                _ => continue,
            };
            if let Some(at) = constant(left).or_else(|| constant(right)) {
                let met = self.of.entry(var).or_default();
                met.cuts
                    .extend(cuts.iter().map(|cut| at.saturating_add(*cut)));
            }
        }
    }

    /// The remainder of a sum of products is taken: the remainders of its variables say it.
    fn divide(&mut self, cx: &Context, dividend: TermId, modulus: &Int) {
        if modulus.is_zero() {
            return;
        }
        let mut todo = vec![dividend];
        while let Some(term) = todo.pop() {
            match cx.terms.head(term) {
                Head::Var(var) => {
                    let known = &mut self.of.entry(var).or_default().modulus;
                    *known = Some(match known {
                        None => modulus.clone(),
                        Some(other) => (&*other * modulus).div_euclid(&other.gcd(modulus)),
                    });
                }
                Head::Op(Op::Add | Op::Mul, args) => todo.extend(args),
                _ => {}
            }
        }
    }
}

/// What the model computes and what the property reads.
fn roots(cx: &Context, problem: &mut Problem) -> Vec<TermId> {
    let mut found = problem.read_terms();
    for stmt in problem.stmts() {
        cx.stmts.walk(stmt, |_, stmt| match stmt {
            Stmt::Assume(term)
            | Stmt::If(term, ..)
            | Stmt::Assign(_, term)
            | Stmt::Declare(_, Some(term)) => found.push(term),
            _ => {}
        });
    }
    found.sort_unstable();
    found.dedup();
    found
}
