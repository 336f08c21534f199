//! Claims that a loop can be taken for ever while its numbers grow, right and tampered with: what is accepted is
//! executed, round after round.
//!
//! The loops are random, and so are the claims: some are read off the first rounds, some are changed afterwards. An accepted claim must be
//! right about all rounds, so about the first ones that the interpreter executes.

use lariat_expr::{Env as _, Evaluator, Int, Rat, TermId, Value};
use lariat_system::{
    Context, Decision, Follow, Growth, Lasso, Next, RoundFormula, Step, System, Valuation, grown,
    repeats_for_ever,
};
use lariat_testkit::{Rng, loop_atoms, other_inputs, random_loop, recorded_round, rng, truths};
use rand::Rng as _;

const N_CLAIMS: u64 = 10_000;
/// How many rounds of an accepted loop are executed.
const N_ROUNDS: usize = 40;

#[test]
fn what_is_accepted_can_be_taken_again_and_again() {
    let (mut n_accepted, mut n_growing) = (0, 0);
    for seed in 0..N_CLAIMS {
        let mut random = rng(seed);
        let mut cx = Context::new();
        let (text, mut system) = random_loop(&mut cx, &mut random);
        let Some(lasso) = claim(&cx, &mut system, &mut random) else {
            continue;
        };
        let atoms = loop_atoms(&mut cx, &system, &mut random);
        let Ok(drifting) = repeats_for_ever(&cx, &mut system, &lasso, &atoms) else {
            continue;
        };
        n_accepted += 1;
        n_growing += u64::from(!lasso.growth.is_none());
        let steps = lasso
            .further_rounds(&cx, &mut system, N_ROUNDS)
            .unwrap_or_else(|why| panic!("seed {seed}: {why:?}\n{text}\n{lasso:?}"));
        let round = &lasso.run.steps[lasso.honda + 1..];
        let start = &lasso.run.steps[lasso.honda].state;
        for (k, unknowns) in lasso.growth.unknowns().enumerate().skip(1).take(N_ROUNDS) {
            let last = match k {
                1 => round.last(),
                _ => steps.get((k - 1) * round.len() - 1),
            };
            // Numbers that do not matter may become too large to go on.
            let Some(Step { state, .. }) = last else {
                break;
            };
            for (i, variable) in system.variables.iter().enumerate() {
                if !drifting.contains(&variable.var) {
                    let expected = grown(&start.values[i], lasso.growth.variable(i), &unknowns);
                    assert_eq!(state.values[i], expected, "seed {seed}, round {k}\n{text}");
                }
            }
        }
        for (step, first) in steps.iter().zip(round.iter().cycle()) {
            let letters =
                [&step.state, &first.state].map(|state| truths(&cx, &system, state, &atoms));
            assert_eq!(letters[0], letters[1], "seed {seed}\n{text}");
        }
    }
    assert!(
        n_accepted >= N_CLAIMS / 20,
        "only {n_accepted} were accepted"
    );
    assert!(n_growing >= N_CLAIMS / 40, "only {n_growing} of them grow");
}

/// In a state in which the conditions of a round hold, the round can be executed with the inputs that the lasso states, right or
/// not, and leads to where the formulas say.
#[test]
fn the_formulas_of_a_round_say_what_is_executed() {
    let (mut n_rounds, mut n_following) = (0, 0);
    for seed in 0..N_CLAIMS / 5 {
        let mut random = rng(seed);
        let mut cx = Context::new();
        let (text, mut system) = random_loop(&mut cx, &mut random);
        let Some(mut lasso) = claim(&cx, &mut system, &mut random) else {
            continue;
        };
        lasso.growth = Growth::default();
        let atoms = loop_atoms(&mut cx, &system, &mut random);
        let follow = Follow::ALL[random.random_range(0..2)];
        let Some(found) = RoundFormula::following(&mut cx, &mut system, &lasso, &atoms, follow)
        else {
            panic!("seed {seed}: the recorded round is none\n{text}");
        };
        lasso.inputs = found.inputs.clone();
        if random.random_bool(0.5) {
            other_inputs(&mut cx, &system, &mut lasso, &mut random);
        }
        let round = RoundFormula::new(&mut cx, &mut system, &lasso, &atoms).expect("a round");
        if lasso.inputs == found.inputs {
            assert_eq!(round.conditions, found.conditions, "seed {seed}\n{text}");
        }
        for _ in 0..10 {
            let mut here = lasso.clone();
            let last = here.run.steps.last_mut().expect("it has steps");
            for value in &mut last.state.values {
                *value = Value::Int(random.random_range(-6..7).into());
            }
            let start = last.state.clone();
            let mut env = Valuation::new();
            start.load(&system.variables, &mut env);
            let value = |term: TermId| Evaluator::new().eval(&cx.terms, term, &env);
            let mut holds = |&term: &TermId| value(term).is_ok_and(|truth| truth.as_bool());
            if !round.conditions.iter().all(&mut holds) {
                continue;
            }
            n_rounds += 1;
            n_following += u64::from(lasso.inputs.iter().flatten().any(Option::is_some));
            let steps = here
                .further_rounds(&cx, &mut system, 1)
                .unwrap_or_else(|why| panic!("seed {seed}: {why:?}\n{text}\n{here:?}"));
            let end = &steps[steps.len() - 1].state;
            for (variable, actual) in system.variables.iter().zip(&end.values) {
                let own = round.updates.get(&variable.var).copied();
                let expected = match own {
                    Some(term) => value(term).expect("a term over the state"),
                    None => env.value(variable.var).cloned().expect("a variable"),
                };
                assert_eq!(*actual, expected, "seed {seed}\n{text}\n{here:?}");
            }
        }
    }
    assert!(n_rounds >= 2_000, "only {n_rounds} rounds were executed");
    assert!(n_following >= 200, "only {n_following} with such inputs");
}

/// A lasso along the loop with some growth: what the first rounds suggest, perhaps tampered with.
fn claim(cx: &Context, system: &mut System, random: &mut Rng) -> Option<Lasso> {
    let lasso = recorded_round(cx, system, random)?;
    Some(Lasso {
        growth: growth(&lasso, random),
        ..lasso
    })
}

/// Numbers by which variables and inputs may grow with one or two unknowns.
fn growth(lasso: &Lasso, random: &mut Rng) -> Growth {
    let n = random.random_range(0..3);
    let (first, last) = (
        &lasso.run.steps[lasso.honda].state.values,
        &lasso.run.steps[lasso.run.steps.len() - 1].state.values,
    );
    let small = |random: &mut Rng, low: i64, high: i64| random.random_range(low..high);
    let rule = (0..n).map(|i| Next {
        plus: Int::ONE,
        times: (0..n)
            .map(|j| {
                if i == j {
                    Int::from([1, 1, 1, 2, 3, 0, -1][random.random_range(0..7)])
                } else {
                    Int::from(i64::from(j + 1 == i && random.random_bool(0.5)))
                }
            })
            .collect(),
    });
    let rule: Vec<Next> = rule.collect();
    let state = first.iter().zip(last).map(|(first, last)| {
        let (Value::Int(first), Value::Int(last)) = (first, last) else {
            return Vec::new();
        };
        // The rays add up to what one round adds.
        let mut rest = last - first;
        let mut rays: Vec<Rat> = Vec::new();
        for i in 0..n {
            let ray = if i + 1 == n {
                rest.clone()
            } else {
                Int::from(small(random, -2, 3))
            };
            rest = &rest - &ray;
            rays.push(ray.into());
        }
        if n > 0 && random.random_bool(0.1) {
            rays[0] = Rat::from(Int::from(small(random, -3, 4)));
        }
        rays
    });
    let state: Vec<Vec<Rat>> = state.collect();
    let decisions = lasso.run.steps[lasso.honda + 1..].iter().map(|step| {
        let of = |_: &Decision| -> Vec<Rat> {
            let ray = |_| Rat::from(Int::from([0, 0, 1, 2, -1][random.random_range(0..5)]));
            (0..n).map(ray).collect()
        };
        step.decisions.iter().map(of).collect()
    });
    let decisions = decisions.collect();
    Growth {
        rule,
        state,
        decisions,
    }
}
