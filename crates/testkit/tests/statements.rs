//! Random statements: the interpreter, the simulator and the naive enumerator find the same
//! successors, and every one of them can be replayed.

use lariat_expr::VarId;
use lariat_system::{
    Context, Edge, Language, Limits, Location, Outcome, Run, Simulator, State, Step, System,
    SystemBuilder, Variable, executed, successors,
};
use lariat_testkit::{Naive, RawStmt, Rng, StmtGen, TermGen, rng};
use rand::Rng as _;
use std::collections::{BTreeSet, HashMap};

const N_SYSTEMS: u64 = 5_000;

struct Case {
    cx: Context,
    system: System,
    raws: Vec<RawStmt>,
    env: HashMap<VarId, Naive>,
}

#[test]
fn all_ways_to_list_successors_agree() {
    let mut n_successors = 0;
    for seed in 0..N_SYSTEMS {
        let Case {
            mut cx,
            mut system,
            raws,
            env,
        } = random_case(seed);
        let limits = Limits::default();
        let start = successors(&mut cx, &mut system, None, &limits);
        assert_eq!((start.steps.len(), start.more), (1, None), "seed {seed}");
        let first = &start.steps[0];

        let interpreted = successors(&mut cx, &mut system, Some(&first.state), &limits);
        assert_eq!(interpreted.more, None, "seed {seed}: {raws:?}");
        let mut simulator = Simulator::new(&mut cx, &mut system, limits);
        assert_eq!(as_set(&simulator.successors().steps), as_set(&start.steps));
        simulator.take(first.clone());
        let simulated = simulator.successors();
        assert_eq!(simulated.more, None, "seed {seed}");
        assert_eq!(
            as_set(&interpreted.steps),
            as_set(&simulated.steps),
            "seed {seed}: {raws:?}"
        );

        for (edge, raw) in raws.iter().enumerate() {
            let expected = raw.outcomes(&cx.terms, &env);
            let found: Vec<&Step> = interpreted
                .steps
                .iter()
                .filter(|s| s.edge == edge)
                .collect();
            let matches = |step: &&&Step, env: &HashMap<VarId, Naive>| {
                let pairs = system.variables.iter().zip(&step.state.values);
                pairs.into_iter().all(|(variable, value)| {
                    let sort = cx.terms.var_sort(variable.var);
                    Naive::of(&cx.terms, sort, value).same(&env[&variable.var], &cx.terms, sort)
                })
            };
            for env in &expected {
                assert!(
                    found.iter().any(|step| matches(&step, env)),
                    "seed {seed}: {env:?} is missing\n{raw:?}"
                );
            }
            for step in &found {
                assert!(
                    expected.iter().any(|env| matches(&step, env)),
                    "seed {seed}: {step:?} is invented\n{raw:?}"
                );
            }
        }

        for step in interpreted.steps.iter().chain(&simulated.steps) {
            let run = Run {
                steps: vec![first.clone(), step.clone()],
            };
            assert_eq!(
                run.replay(&cx, &mut system),
                Ok(vec![true, true]),
                "seed {seed}"
            );
            n_successors += 1;
        }
    }
    assert!(
        n_successors > 5 * N_SYSTEMS,
        "only {n_successors} successors"
    );
}

#[test]
fn a_random_step_is_one_of_the_successors_and_deadlock_means_that_there_is_none() {
    let mut n_deadlocks = 0;
    for seed in 0..N_SYSTEMS {
        let Case {
            mut cx, mut system, ..
        } = random_case(seed);
        let limits = Limits::default();
        let mut dice = rng(seed);
        let mut run = Run { steps: Vec::new() };
        for _ in 0..4 {
            let before = run.steps.last().map(|step| step.state.clone());
            let all = successors(&mut cx, &mut system, before.as_ref(), &limits);
            let mut simulator = Simulator::new(&mut cx, &mut system, limits.clone());
            for step in &run.steps {
                simulator.take(step.clone());
            }
            let outcome = simulator.step(|n| dice.random_range(0..n));
            let step = simulator.last_step();
            match outcome {
                Outcome::Deadlock => {
                    assert!(all.steps.is_empty(), "seed {seed}: a step is missed");
                    n_deadlocks += 1;
                    break;
                }
                Outcome::NotFound(why) => panic!("seed {seed}: {why:?}"),
                Outcome::Stepped => {
                    let step = step.expect("a step was taken");
                    assert!(
                        as_set(&all.steps).contains(&(step.edge, step.state.clone())),
                        "seed {seed}: {step:?} is no successor"
                    );
                    run.steps.push(step);
                }
            }
        }
        if !run.steps.is_empty() {
            let replayed = run.replay(&cx, &mut system);
            assert!(replayed.is_ok(), "seed {seed}: {replayed:?}");
        }
    }
    assert!(n_deadlocks > 0, "some random systems get stuck");
}

#[test]
fn what_a_step_executed_can_be_told() {
    for seed in 0..N_SYSTEMS / 10 {
        let Case {
            mut cx, mut system, ..
        } = random_case(seed);
        let start = successors(&mut cx, &mut system, None, &Limits::default());
        let first = &start.steps[0];
        let told = executed(
            &cx,
            &system.variables,
            None,
            system.initial[0].stmt,
            &first.decisions,
        );
        assert_eq!(told.len(), system.variables.len(), "one assignment each");
    }
}

fn as_set(steps: &[Step]) -> BTreeSet<(usize, State)> {
    steps
        .iter()
        .map(|step| (step.edge, step.state.clone()))
        .collect()
}

/// One location, a few random statements as loops on it, and one random initial state.
fn random_case(seed: u64) -> Case {
    let rng: &mut Rng = &mut rng(seed);
    let mut cx = Context::new();
    // Every other system has only what the compiled machine knows.
    let terms = if seed.is_multiple_of(2) {
        TermGen::scalar(&mut cx.terms)
    } else {
        TermGen::all(&mut cx.terms)
    };
    let vars = terms.vars.clone();
    let mut env = HashMap::new();
    let mut builder = SystemBuilder::new(Language::Gcl, "random");
    for &var in &vars {
        let sort = cx.terms.var_sort(var);
        let value = terms.value(&cx.terms, sort, rng);
        env.insert(var, Naive::of(&cx.terms, sort, &value));
        builder.variable(Variable {
            initial: Some(cx.terms.lit(value, sort)),
            ..Variable::new(var)
        });
    }
    let raws: Vec<RawStmt> = (0..rng.random_range(1..4))
        .map(|_| {
            let mut gen_ = StmtGen::new(TermGen::scalar(&mut cx.terms), 4);
            if !seed.is_multiple_of(2) {
                gen_ = StmtGen::new(TermGen::all(&mut cx.terms), 4);
            }
            let size = rng.random_range(1..12);
            gen_.stmt(&mut cx.terms, size, rng)
        })
        .collect();
    let here = builder.location(Location::new("here"));
    builder.start(Edge::new(cx.stmts.skip(), here));
    for raw in &raws {
        builder.edge(here, Edge::new(raw.build(&mut cx), here));
    }
    let system = builder.finish(&mut cx);
    Case {
        cx,
        system,
        raws,
        env,
    }
}
