//! Random loops, and random executions of one round of them: what arguments about all rounds are tested with.

use crate::Rng;
use lariat_base::SourceMap;
use lariat_expr::{Evaluator, Int, TermId, Value, VarId};
use lariat_frontend::parse;
use lariat_system::{
    Blocked, Context, Decide, Decision, Edge, Executor, Growth, Language, Lasso, PointId, Run,
    State, Step, StmtId, System, TransitionSystem as _, Valuation,
};
use rand::Rng as _;
use std::fmt::Write as _;

const NAMES: [&str; 3] = ["x", "y", "z"];

/// A program whose only loop is made of random statements, with its text.
pub fn random_loop(cx: &mut Context, random: &mut Rng) -> (String, System) {
    let text = program(random);
    let mut sources = SourceMap::new();
    let source = sources.add("p.cfa", &*text);
    let parsed = parse(cx, Language::Cfa, source, sources.file(source));
    let parsed = parsed.unwrap_or_else(|why| panic!("{text}\n{why:?}"));
    (text, parsed.system)
}

/// A random execution to the loop and once round it; none if it gets stuck.
pub fn recorded_round(cx: &Context, system: &mut System, random: &mut Rng) -> Option<Lasso> {
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
    Some(Lasso {
        run: Run { steps },
        honda,
        growth: Growth::default(),
        region: Vec::new(),
        inputs: Vec::new(),
    })
}

/// Lets some inputs of further rounds follow something else.
pub fn other_inputs(cx: &mut Context, system: &System, lasso: &mut Lasso, random: &mut Rng) {
    for input in lasso.inputs.iter_mut().flatten() {
        if random.random_bool(0.3) {
            let at = random.random_range(0..system.variables.len());
            let var = cx.terms.var(system.variables[at].var);
            let number = cx.terms.int(random.random_range(-2..3));
            *input = Some(cx.terms.add(&[var, number]));
        }
    }
}

/// Some comparisons of variables with numbers.
pub fn loop_atoms(cx: &mut Context, system: &System, random: &mut Rng) -> Vec<TermId> {
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

/// The truth of some terms in a state.
pub fn truths(cx: &Context, system: &System, state: &State, atoms: &[TermId]) -> Vec<Value> {
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
    match random.random_range(0..12) {
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
        8 => format!("havoc {left}\n    assume {left} = {right} + {number}"),
        9 => format!("havoc {left}\n    assume {left} >= {right}"),
        10 => format!("{left} := {left} * {right}"),
        _ => format!("havoc {left}"),
    }
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
