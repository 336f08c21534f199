//! Compositions of models in different languages, nested, explored and replayed.
//!
//! The models are those of Theta's multi-analysis tests, with the verdicts it gives.

use lariat_base::{FxHashMap, SourceMap};
use lariat_expr::Value;
use lariat_frontend::parse;
use lariat_system::{
    Alternate, Composition, Context, Interleave, Language, Limits, Run, Schedule, State, Step,
    TransitionSystem, successors,
};

const DOUBLER: &str = "main process p { var x : int init loc L L -> L { x := 2 * x } }";
const INCREMENTOR: &str = "var x : integer = 0 trans { x := x + 1; } init {} env { x := x + 1; }";
const BOTH: &str = "var x : integer = 1 trans { x := 2 * x; } init {} env { x := x + 1; }";
const GUARD: &str = "var turn : 0..1 = 0 action flip: true -> turn := 1 - turn";

#[test]
fn alternation_reaches_seven() {
    let mut cx = Context::new();
    let parts = vec![
        model(&mut cx, Language::Cfa, DOUBLER),
        model(&mut cx, Language::Xsts, INCREMENTOR),
    ];
    let mut system = compose(&mut cx, parts, Alternate { n_parts: 2 });
    // 0 doubled, +1 (env), doubled, +1 (trans), doubled, +1 (env): 1, 3, 7.
    assert_eq!(steps_to(&mut cx, &mut system, 7), Some(6));
    assert_eq!(steps_to(&mut cx, &mut system, 5), None);
}

#[test]
fn a_model_composed_with_itself_steps_twice_as_often() {
    let mut cx = Context::new();
    for (n_parts, value) in [(2, 12), (3, 32)] {
        let parts = (0..n_parts)
            .map(|_| model(&mut cx, Language::Xsts, BOTH))
            .collect();
        let mut system = compose(&mut cx, parts, Alternate { n_parts });
        assert!(steps_to(&mut cx, &mut system, value).is_some(), "{value}");
    }
}

#[test]
fn compositions_nest() {
    let mut cx = Context::new();
    let inner = vec![
        model(&mut cx, Language::Xsts, INCREMENTOR),
        model(&mut cx, Language::Gcl, GUARD),
    ];
    let inner = compose(&mut cx, inner, Interleave { n_parts: 2 });
    let parts: Vec<Box<dyn TransitionSystem>> =
        vec![model(&mut cx, Language::Cfa, DOUBLER), Box::new(inner)];
    let mut system = compose(&mut cx, parts, Alternate { n_parts: 2 });
    assert_eq!(system.n_leaves(), 3);
    assert_eq!(system.variables().len(), 2, "`x` is shared");
    // The guard may step in place of the incrementor, so that doubling goes on: 1, 2, 4, 5.
    assert!(steps_to(&mut cx, &mut system, 5).is_some());
    assert!(steps_to(&mut cx, &mut system, 7).is_some());
}

/// The number of steps after the initial one to a state with `x = value`; the run is replayed.
fn steps_to(cx: &mut Context, system: &mut Composition<'_>, value: i64) -> Option<usize> {
    const MAX_STATES: usize = 300;
    let goal = Value::from(value);
    let x = system
        .variables()
        .iter()
        .position(|v| cx.terms.name(v.var) == "x");
    let x = x.expect("a variable x");
    let limits = Limits::default();
    let mut came_from: FxHashMap<State, (Option<State>, Step)> = FxHashMap::default();
    let mut level: Vec<Option<State>> = vec![None];
    while came_from.len() < MAX_STATES {
        let mut next = Vec::new();
        for before in level {
            for step in successors(cx, system, before.as_ref(), &limits).steps {
                let state = step.state.clone();
                if came_from.contains_key(&state) {
                    continue;
                }
                came_from.insert(state.clone(), (before.clone(), step));
                if state.values[x] == goal {
                    return Some(replay(cx, system, &came_from, state));
                }
                next.push(Some(state));
            }
        }
        level = next;
    }
    None
}

fn replay(
    cx: &Context,
    system: &mut Composition<'_>,
    came_from: &FxHashMap<State, (Option<State>, Step)>,
    goal: State,
) -> usize {
    let mut steps = Vec::new();
    let mut at = Some(goal);
    while let Some(state) = at {
        let (before, step) = came_from[&state].clone();
        steps.push(step);
        at = before;
    }
    steps.reverse();
    let run = Run { steps };
    let replayed = run.replay(cx, system);
    assert!(replayed.is_ok(), "{replayed:?}");
    run.steps.len() - 1
}

fn model(cx: &mut Context, language: Language, text: &str) -> Box<dyn TransitionSystem> {
    let mut sources = SourceMap::new();
    let id = sources.add("model", text);
    match parse(cx, language, id, sources.file(id)) {
        Ok(parsed) => Box::new(parsed.system),
        Err(findings) => panic!("{}", findings[0].message),
    }
}

fn compose(
    cx: &mut Context,
    parts: Vec<Box<dyn TransitionSystem>>,
    schedule: impl Schedule + 'static,
) -> Composition<'static> {
    Composition::new(cx, parts, Box::new(schedule)).expect("parts that fit")
}
