//! Random terms: builder, evaluator, compiled machine and naive twin agree.

use lariat_expr::{Evaluator, Sort, TermId, Value, VarId};
use lariat_system::{Bail, Context, Machine, Program, Stmt, Variable, from_register, to_register};
use lariat_testkit::{Naive, TermGen, eval_naive, rng};
use std::collections::HashMap;

const N_TERMS: u64 = 10_000;

#[test]
fn the_builder_and_the_evaluator_agree_with_the_naive_twin() {
    for seed in 0..N_TERMS {
        let mut cx = Context::new();
        let gen_ = TermGen::all(&mut cx.terms);
        let rng = &mut rng(seed);
        let sort = gen_.sort(rng);
        let raw = gen_.term(&mut cx.terms, sort, (seed % 24) as usize, rng);
        let term = raw.build(&mut cx.terms);
        for _ in 0..3 {
            let env: lariat_base::FxHashMap<VarId, Value> = gen_
                .vars
                .iter()
                .map(|&var| (var, gen_.value(&cx.terms, cx.terms.var_sort(var), rng)))
                .collect();
            let naive_env: HashMap<VarId, Naive> = env
                .iter()
                .map(|(&var, value)| (var, Naive::of(&cx.terms, cx.terms.var_sort(var), value)))
                .collect();
            let expected = eval_naive(&cx.terms, &raw, &naive_env);
            let value = Evaluator::new()
                .eval(&cx.terms, term, &env)
                .expect("all variables have values");
            let got = Naive::of(&cx.terms, sort, &value);
            assert!(
                got.same(&expected, &cx.terms, sort),
                "seed {seed}: {raw:?}\ngot {got:?}, expected {expected:?}"
            );
        }
    }
}

#[test]
fn the_compiled_machine_agrees_with_the_naive_twin() {
    let mut n_overflows = 0;
    for seed in 0..N_TERMS {
        let mut cx = Context::new();
        let gen_ = TermGen::scalar(&mut cx.terms);
        let rng = &mut rng(seed);
        let sort = gen_.sort(rng);
        let raw = gen_.term(&mut cx.terms, sort, (seed % 24) as usize, rng);
        let term = raw.build(&mut cx.terms);
        let (program, result) = assignment(&mut cx, &gen_.vars, term);
        let Ok(program) = program else { continue };
        let values: Vec<Value> = gen_
            .vars
            .iter()
            .map(|&var| gen_.value(&cx.terms, cx.terms.var_sort(var), rng))
            .collect();
        let naive_env: HashMap<VarId, Naive> = gen_
            .vars
            .iter()
            .zip(&values)
            .map(|(&var, value)| (var, Naive::of(&cx.terms, cx.terms.var_sort(var), value)))
            .collect();
        let Some(mut state) = values.iter().map(to_register).collect::<Option<Vec<i64>>>() else {
            continue;
        };
        state.push(0);
        let expected = eval_naive(&cx.terms, &raw, &naive_env);
        let mut outcomes = Vec::new();
        match Machine::new().run(&program, &state, |registers, _| {
            outcomes.push(registers.to_vec());
        }) {
            Err(Bail::Overflow) => n_overflows += 1,
            Err(other) => panic!("seed {seed}: {other:?}"),
            Ok(()) => {
                let value = from_register(
                    &cx.terms.sorts,
                    cx.terms.var_sort(result),
                    outcomes[0][state.len() - 1],
                );
                assert_eq!(outcomes.len(), 1, "seed {seed}");
                assert_eq!(
                    Naive::of(&cx.terms, sort, &value),
                    expected,
                    "seed {seed}: {raw:?}"
                );
            }
        }
    }
    assert!(
        n_overflows > 0,
        "the generator reaches the edges of machine words"
    );
    assert!(
        n_overflows < N_TERMS / 4,
        "most terms are computed: {n_overflows} overflows"
    );
}

/// `result := term` as a program, over `vars` and the result.
fn assignment(
    cx: &mut Context,
    vars: &[VarId],
    term: TermId,
) -> (Result<Program, lariat_system::Unsupported>, VarId) {
    let sort = cx.terms.sort(term);
    assert!(!matches!(cx.terms.sorts.get(sort), Sort::Array { .. }));
    let result = cx.terms.declare("result", sort);
    let declared = vars.iter().copied().chain([result]);
    let variables: Vec<Variable> = declared.map(Variable::new).collect();
    let stmt = cx.stmts.add(Stmt::Assign(result, term), None);
    (Program::new(cx, &variables, stmt), result)
}
