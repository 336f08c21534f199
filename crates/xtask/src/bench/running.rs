//! Simulated micro-steps per second: compiled code against the interpreter.

use super::{Figure, Goal, best};
use lariat_base::{FxHashSet, SourceMap};
use lariat_frontend::parse;
use lariat_system::{Context, Language, Limits, Outcome, Simulator, State, System, successors};
use rand::Rng as _;

/// A crossroad: two lights, a sensor, a timer.
const CROSSROAD: &str = include_str!("crossroad.xsts");
/// Every state that the model can be in.
const N_STATES: usize = 75;
const N_STEPS: usize = 5_000_000;
const N_INTERPRETED: usize = 20_000;

/// Speed of running.
pub fn measure() -> Result<Vec<Figure>, String> {
    let (mut cx, mut system) = load()?;
    let reachable = explore(&mut cx, &mut system);
    if reachable.len() != N_STATES {
        let n = reachable.len();
        return Err(format!(
            "the interpreter reaches {n} states, not {N_STATES}"
        ));
    }
    check(&mut cx, &mut system, &reachable)?;
    let mut rng = lariat_testkit::rng(1);
    let (interpreted, ()) = best(1, || {
        interpret(&mut cx, &mut system, |n| rng.random_range(0..n));
    });
    let mut rng = lariat_testkit::rng(1);
    let (compiled, steps) = best(3, || {
        let mut simulator = Simulator::new(&mut cx, &mut system, Limits::default());
        let steps = (0..N_STEPS).map(|_| simulator.step(|n| rng.random_range(0..n)));
        steps.filter(|outcome| *outcome == Outcome::Stepped).count()
    });
    if steps != N_STEPS {
        return Err(format!(
            "the model never stops, but {steps} steps were taken"
        ));
    }
    let speed = N_STEPS as f64 / 1e6 / compiled.as_secs_f64();
    let slow = N_INTERPRETED as f64 / 1e6 / interpreted.as_secs_f64();
    Ok(vec![Figure {
        what: "random micro-steps of a small XSTS".into(),
        value: speed,
        unit: "million steps/s",
        goal: Goal::AtLeast(2.0),
        beside: format!("{:.0} times the interpreter ({slow:.3})", speed / slow),
    }])
}

fn load() -> Result<(Context, System), String> {
    let mut sources = SourceMap::new();
    let id = sources.add("crossroad.xsts", CROSSROAD);
    let mut cx = Context::new();
    let parsed = parse(&mut cx, Language::Xsts, id, sources.file(id));
    let parsed = parsed.map_err(|findings| findings[0].message.clone())?;
    Ok((cx, parsed.system))
}

/// All reachable states, by the interpreter.
fn explore(cx: &mut Context, system: &mut System) -> FxHashSet<State> {
    let limits = Limits::default();
    let mut seen = FxHashSet::default();
    let mut todo: Vec<State> = Vec::new();
    let mut found = successors(cx, system, None, &limits);
    loop {
        for step in found.steps.drain(..) {
            if seen.insert(step.state.clone()) {
                todo.push(step.state);
            }
        }
        let Some(state) = todo.pop() else {
            return seen;
        };
        found = successors(cx, system, Some(&state), &limits);
    }
}

/// Random runs must stay among the reachable states and visit all of them.
fn check(
    cx: &mut Context,
    system: &mut System,
    reachable: &FxHashSet<State>,
) -> Result<(), String> {
    let mut rng = lariat_testkit::rng(7);
    let mut simulator = Simulator::new(cx, system, Limits::default());
    let mut visited = FxHashSet::default();
    for i in 0..100_000 {
        // Some states are never met again once a run has left them.
        if i % 100 == 0 {
            simulator.restart();
        }
        simulator.step(|n| rng.random_range(0..n));
        visited.extend(simulator.state());
    }
    if visited == *reachable {
        Ok(())
    } else {
        Err(format!(
            "the simulator visits {} states, {} are reachable",
            visited.len(),
            reachable.len()
        ))
    }
}

/// Random steps by the interpreter.
fn interpret(cx: &mut Context, system: &mut System, mut pick: impl FnMut(usize) -> usize) {
    let limits = Limits::default();
    let mut state: Option<State> = None;
    for _ in 0..N_INTERPRETED {
        let mut found = successors(cx, system, state.as_ref(), &limits);
        let at = pick(found.steps.len());
        state = Some(found.steps.swap_remove(at).state);
    }
}
