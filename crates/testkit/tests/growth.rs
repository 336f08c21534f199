//! Claims that a loop can be taken for ever while its numbers grow, right and tampered with: what is accepted is
//! executed, round after round.
//!
//! The loops are random, and so are the claims: some are read off the first rounds, some are changed afterwards. An accepted claim must be
//! right about all rounds, so about the first ones that the interpreter executes.

use lariat_base::SourceMap;
use lariat_expr::{Evaluator, Int, Rat, TermId, Value, VarId};
use lariat_frontend::parse;
use lariat_system::{
    Blocked, Context, Decide, Decision, Edge, Executor, Growth, Language, Lasso, Next, PointId,
    Run, State, Step, StmtId, System, TransitionSystem as _, Valuation, grown, repeats_for_ever,
};
use lariat_testkit::{Rng, rng};
use rand::Rng as _;
use std::fmt::Write as _;

const N_CLAIMS: u64 = 10_000;
/// How many rounds of an accepted loop are executed.
const N_ROUNDS: usize = 40;
const NAMES: [&str; 3] = ["x", "y", "z"];

#[test]
fn what_is_accepted_can_be_taken_again_and_again() {
    let (mut n_accepted, mut n_growing) = (0, 0);
    for seed in 0..N_CLAIMS {
        let mut random = rng(seed);
        let mut cx = Context::new();
        let text = program(&mut random);
        let mut system = load(&mut cx, &text);
        let Some(lasso) = claim(&cx, &mut system, &mut random) else {
            continue;
        };
        let atoms = atoms(&mut cx, &system, &mut random);
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
            let state = match k {
                1 => &round[round.len() - 1].state,
                _ => &steps[(k - 1) * round.len() - 1].state,
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
                [&step.state, &first.state].map(|state| letter(&cx, &system, state, &atoms));
            assert_eq!(letters[0], letters[1], "seed {seed}\n{text}");
        }
    }
    assert!(
        n_accepted >= N_CLAIMS / 20,
        "only {n_accepted} were accepted"
    );
    assert!(n_growing >= N_CLAIMS / 40, "only {n_growing} of them grow");
}

/// A loop of random statements.
fn program(random: &mut Rng) -> String {
    let mut text = String::from("main process p {\n");
    for name in NAMES {
        let _ = writeln!(text, "  var {name} : int");
    }
    text.push_str("  init loc S\n  loc L\n  S -> L {\n");
    for name in NAMES {
        let _ = writeln!(text, "    {name} := {}", random.random_range(-3..4));
    }
    text.push_str("  }\n  L -> L {\n");
    for _ in 0..random.random_range(1..5) {
        let _ = writeln!(text, "    {}", statement(random));
    }
    text.push_str("  }\n}\n");
    text
}

fn name(random: &mut Rng) -> &'static str {
    NAMES[random.random_range(0..NAMES.len())]
}

fn statement(random: &mut Rng) -> String {
    let (left, right) = (name(random), name(random));
    let number = random.random_range(-3..4);
    match random.random_range(0..9) {
        0 | 1 => format!("{left} := {left} + {number}"),
        2 => format!("{left} := {left} + {right}"),
        3 => format!(
            "{left} := {} * {right} + {number}",
            random.random_range(-1..4)
        ),
        4 => format!("assume {left} >= {number}"),
        5 => format!("assume {left} <= {right}"),
        6 => format!("{left} := {right} mod {}", random.random_range(2..4)),
        7 => format!("{left} := if {right} > {number} then {left} + 1 else {left}"),
        _ => format!("havoc {left}"),
    }
}

fn load(cx: &mut Context, text: &str) -> System {
    let mut sources = SourceMap::new();
    let source = sources.add("p.cfa", text);
    let parsed = parse(cx, Language::Cfa, source, sources.file(source));
    parsed
        .unwrap_or_else(|why| panic!("{text}\n{why:?}"))
        .system
}

/// A lasso along the loop with some growth: what the first rounds suggest, perhaps tampered with.
fn claim(cx: &Context, system: &mut System, random: &mut Rng) -> Option<Lasso> {
    let mut steps: Vec<Step> = Vec::new();
    let mut before: Option<State> = None;
    // To the loop's location, then one round: each statement is a step.
    let (mut honda, mut n_visits) = (None, 0);
    for _ in 0..40 {
        let edges = match &before {
            None => system.initial(),
            Some(state) => system.edges(state.loc),
        };
        let [edge] = edges[..] else { return None };
        let step = random_step(cx, system, before.as_ref(), edge, random)?;
        let run = Run {
            steps: [&steps[..], std::slice::from_ref(&step)].concat(),
        };
        run.replay(cx, system).ok()?;
        steps = run.steps;
        before = Some(step.state);
        let name = system.location_name(edge.target);
        if name.ends_with('L') {
            n_visits += 1;
            match n_visits {
                1 => honda = Some(steps.len() - 1),
                _ => break,
            }
        }
    }
    let honda = honda.filter(|_| n_visits == 2)?;
    let lasso = Lasso {
        run: Run { steps },
        honda,
        growth: Growth::default(),
        region: Vec::new(),
    };
    Some(Lasso {
        growth: growth(&lasso, random),
        ..lasso
    })
}

/// Decides at random, and keeps what was decided.
struct Random<'r> {
    random: &'r mut Rng,
    made: Vec<Decision>,
}

impl Decide for Random<'_> {
    fn branch(&mut self, _: &Context, _: StmtId, n: usize) -> Result<usize, Blocked> {
        let branch = self.random.random_range(0..n);
        self.made.push(Decision::Branch(branch as u32));
        Ok(branch)
    }

    fn value(&mut self, _: &Context, _: StmtId, _: VarId) -> Result<Value, Blocked> {
        let value = Value::Int(Int::from(self.random.random_range(-3..8)));
        self.made.push(Decision::Value(value.clone()));
        Ok(value)
    }
}

/// A step along the only edge of a location.
fn random_step(
    cx: &Context,
    system: &System,
    before: Option<&State>,
    edge: Edge<PointId>,
    random: &mut Rng,
) -> Option<Step> {
    let mut env = Valuation::new();
    if let Some(before) = before {
        before.load(&system.variables, &mut env);
    }
    let mut decide = Random {
        random,
        made: Vec::new(),
    };
    let done = Executor::new().run(cx, edge.stmt, &mut env, &mut decide);
    done.ok()?;
    Some(Step {
        edge: 0,
        decisions: decide.made,
        state: State::read(&system.variables, edge.target, &env).ok()?,
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

/// Some comparisons.
fn atoms(cx: &mut Context, system: &System, random: &mut Rng) -> Vec<TermId> {
    let variables: Vec<TermId> = system
        .variables
        .iter()
        .map(|variable| cx.terms.var(variable.var))
        .collect();
    let mut atoms = Vec::new();
    for _ in 0..random.random_range(0..2) {
        let left = variables[random.random_range(0..variables.len())];
        let right = cx.terms.int(random.random_range(-3..4));
        atoms.push(cx.terms.le(left, right));
    }
    atoms
}

fn letter(cx: &Context, system: &System, state: &State, atoms: &[TermId]) -> Vec<Value> {
    let mut env = Valuation::new();
    state.load(&system.variables, &mut env);
    let mut evaluator = Evaluator::new();
    atoms
        .iter()
        .map(|&atom| {
            evaluator
                .eval(&cx.terms, atom, &env)
                .expect("all variables have values")
        })
        .collect()
}
