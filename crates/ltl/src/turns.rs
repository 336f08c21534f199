//! Many recurrences at once: `GF a1 ∧ … ∧ GF an`, as the justice properties of circuits and the fairness of programs are.
//!
//! With an acceptance set for each, one state is enough, but every set of those that a letter meets is an edge of its own: `2^n` of them. So
//! from some number on they are waited for in turn, as in degeneralization: state `i` waits for `ai`, and a round through all states is
//! marked. A letter that meets several in a row moves on by as many, up to a limit, so that short loops stay short.

use crate::bdd::{Bdd, Ref};
use crate::class::Class;
use crate::formula::{FormulaId, Formulas, Op};
use crate::graph::{Arc, Graph};

/// Up to so many recurrences have marks of their own.
const FEW: usize = 8;
/// A letter moves on by so many at most.
const FURTHEST: usize = 8;

/// The `a` of all parts `GF a` of a conjunction, Boolean ones, and the other parts; if there are many.
pub(crate) fn many_recurring(
    formulas: &mut Formulas,
    formula: FormulaId,
) -> Option<(Vec<FormulaId>, Vec<FormulaId>)> {
    let mut todo = vec![formula];
    let (mut again, mut rest) = (Vec::new(), Vec::new());
    while let Some(part) = todo.pop() {
        let op = formulas.op(part);
        let inner = (op == Op::G).then(|| formulas.child(part, 0));
        match inner.map(|inner| (inner, formulas.op(inner))) {
            _ if op == Op::And => todo.extend(formulas.children(part).iter().rev()),
            Some((inner, Op::And)) => {
                for conjunct in formulas.children(inner).to_vec().into_iter().rev() {
                    todo.push(formulas.globally(conjunct));
                }
            }
            Some((inner, Op::F)) if formulas.is(formulas.child(inner, 0), Class::BOOLEAN) => {
                again.push(formulas.child(inner, 0));
            }
            _ => rest.push(part),
        }
    }
    (again.len() > FEW).then_some((again, rest))
}

/// The automaton that waits for letters of these sets in turn.
pub(crate) fn turns(bdd: &mut Bdd, awaited: &[Ref]) -> Graph<Ref> {
    let n = awaited.len();
    let mut rows = Vec::with_capacity(n);
    for from in 0..n {
        let mut row = Vec::new();
        let mut met = Ref::TRUE;
        for moved in 0..=FURTHEST.min(n) {
            let is_last = moved == FURTHEST.min(n);
            let next = awaited[(from + moved) % n];
            let label = if is_last { met } else { bdd.diff(met, next) };
            if label != Ref::FALSE {
                row.push(Arc {
                    target: ((from + moved) % n) as u32,
                    marks: u64::from(from + moved >= n),
                    label,
                });
            }
            met = bdd.and(met, next);
        }
        rows.push(row);
    }
    Graph {
        initial: 0,
        n_sets: 1,
        rows,
    }
}
