//! Solver and evaluator agree on every operator.

use crate::Make;
use lariat_base::{Budget, FxHashMap};
use lariat_expr::{Evaluator, Op, TermId, Terms, Value, VarId};
use lariat_smt::Answer;
use lariat_testkit::{Rng, TermGen, rng};
use std::time::Duration;

/// Values of all variables, and the formula that says so.
fn state(terms: &mut Terms, gen_: &TermGen, rng: &mut Rng) -> (FxHashMap<VarId, Value>, TermId) {
    let mut values: FxHashMap<VarId, Value> = FxHashMap::default();
    let mut all = Vec::new();
    for &var in &gen_.vars {
        let sort = terms.var_sort(var);
        let value = gen_.value(terms, sort, rng);
        let (term, literal) = (terms.var(var), terms.lit(value.clone(), sort));
        all.push(terms.eq(term, literal));
        values.insert(var, value);
    }
    (values, terms.and(&all))
}

pub fn operators_agree_with_the_evaluator(make: Make) {
    operators_agree(make, 40);
}

/// The same for the replay, which needs a fresh solver for every question.
pub fn operators_agree_on_fewer_terms(make: Make) {
    operators_agree(make, 10);
}

fn operators_agree(make: Make, n_seeds: u64) {
    for seed in 0..n_seeds {
        let (mut terms, mut rng, mut solver) = (Terms::new(), rng(seed), make());
        let t = &mut terms;
        let gen_ = TermGen::all(t);
        let (values, fixed) = state(t, &gen_, &mut rng);
        solver.assert(t, fixed);
        for _ in 0..8 {
            let sort = gen_.sort(&mut rng);
            let term = gen_.term(t, sort, 6, &mut rng).build(t);
            let value = Evaluator::new()
                .eval(t, term, &values)
                .expect("all variables have values");
            let literal = t.lit(value, sort);
            let is = t.eq(term, literal);
            let is_not = t.not(is);
            assert_eq!(solver.check(t, &[is]), Answer::Sat, "seed {seed}: {is:?}");
            assert_eq!(
                solver.check(t, &[is_not]),
                Answer::Unsat,
                "seed {seed}: {is:?}"
            );
        }
    }
}

pub fn models_satisfy_what_was_asserted(make: Make) {
    let (mut n_sat, mut n_unsat, mut n_unknown) = (0, 0, 0);
    for seed in 0..30 {
        let (mut terms, mut rng, mut solver) = (Terms::new(), rng(1000 + seed), make());
        let t = &mut terms;
        let gen_ = TermGen::all(t);
        let bool_ = t.sorts.bool();
        let formulas: Vec<TermId> = (0..4)
            .map(|_| gen_.term(t, bool_, 8, &mut rng).build(t))
            .collect();
        solver.set_budget(&Budget::unlimited().with_time(Duration::from_millis(500)));
        match solver.check(t, &formulas) {
            Answer::Sat => n_sat += 1,
            Answer::Unsat => {
                n_unsat += 1;
                continue;
            }
            Answer::Unknown(_) => {
                n_unknown += 1;
                continue;
            }
        }
        let mut model: FxHashMap<VarId, Value> = FxHashMap::default();
        for var in t.free_vars(&formulas) {
            let term = t.var(var);
            model.insert(var, solver.value(t, term).expect("these sorts have values"));
        }
        for &formula in &formulas {
            let value = Evaluator::new().eval(t, formula, &model);
            assert_eq!(value, Ok(true.into()), "seed {seed}: {model:?}");
            assert_eq!(solver.value(t, formula), Some(true.into()), "seed {seed}");
        }
    }
    assert!(
        n_sat > 10 && n_unsat > 3 && n_unknown < 10,
        "{n_sat} sat, {n_unsat} unsat, {n_unknown} unknown"
    );
}

pub fn division_by_zero_is_fixed(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let (int, rat) = (t.sorts.int(), t.sorts.rat());
    let (x, y) = (t.declare("x", int), t.declare("y", int));
    let (r, s) = (t.declare("r", rat), t.declare("s", rat));
    let (x, y, r, s) = (t.var(x), t.var(y), t.var(r), t.var(s));
    let zero = t.int(0);
    let rat_zero = t.lit(Value::Rat(lariat_expr::Int::ZERO.into()), rat);
    let (no_int, no_rat) = (t.eq(y, zero), t.eq(s, rat_zero));
    let results = [
        (Op::Div, x, y, zero),
        (Op::Mod, x, y, x),
        (Op::Rem, x, y, x),
        (Op::RatDiv, r, s, rat_zero),
    ];
    for (op, left, right, result) in results {
        let quotient = t.build(op, &[left, right]).expect("well-sorted");
        let is = t.eq(quotient, result);
        let is_not = t.not(is);
        assert_eq!(
            solver.check(t, &[no_int, no_rat, is_not]),
            Answer::Unsat,
            "{op:?}"
        );
        assert_eq!(
            solver.check(t, &[no_int, no_rat, is]),
            Answer::Sat,
            "{op:?}"
        );
    }
}
