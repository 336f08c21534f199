//! Runs that would get stuck go on, and no others are touched: compared with the naive list of all
//! steps, on random models of every language.

use lariat_base::SourceMap;
use lariat_frontend::parse;
use lariat_system::{Context, Language, PointId, System};
use lariat_testkit::{ModelGen, StateSpace, random_program, rng};
use lariat_verify::pass::deadlock::{Deadlock, go_on_after_deadlock};

const N_MODELS: u64 = 200;
const MAX_STATES: usize = 1_000;

#[derive(Default, Debug)]
struct Seen {
    compared: usize,
    stuck: usize,
    opaque: usize,
}

/// Compares a system with itself after each treatment.
fn compare(cx: &mut Context, system: &System, seen: &mut Seen, told: &str) {
    let Some(space) = StateSpace::explore(cx, &mut system.clone(), MAX_STATES) else {
        return;
    };
    for how in [Deadlock::Stutter, Deadlock::Error] {
        let mut changed = system.clone();
        let Ok(error) = go_on_after_deadlock(cx, &mut changed, how) else {
            seen.opaque += 1;
            return;
        };
        let after = StateSpace::explore(cx, &mut changed, 2 * MAX_STATES);
        let after = after.expect("each state adds at most one");
        let at = |state| after.states.iter().position(|other| other == state);
        for (state, steps) in space.states.iter().zip(&space.steps) {
            let now = &after.steps[at(state).expect("it is still there")];
            if steps.is_empty() {
                seen.stuck += 1;
                let &[(to, true)] = &now[..] else {
                    panic!("a stuck state has one step, not {now:?}: {state:?}\n{told}");
                };
                let expected = (error.map_or(state.loc, PointId::of), &state.values);
                let to = &after.states[to];
                assert_eq!((to.loc, &to.values), expected, "{told}");
            } else {
                let states = |space: &StateSpace, steps: &[(usize, bool)]| -> Vec<String> {
                    let show = |&(to, observed): &(usize, bool)| (&space.states[to], observed);
                    let shown = steps.iter().map(show);
                    shown.map(|step| format!("{step:?}")).collect()
                };
                assert_eq!(states(&after, now), states(&space, steps), "{told}");
            }
        }
    }
    seen.compared += 1;
}

#[test]
fn a_stuck_state_goes_on_and_no_other_changes() {
    for language in Language::ALL {
        let mut seen = Seen::default();
        for seed in 0..N_MODELS {
            let mut cx = Context::new();
            let text = ModelGen::default().model(language, &mut rng(seed));
            let mut sources = SourceMap::new();
            let source = sources.add("random", &*text);
            let parsed = parse(&mut cx, language, source, sources.file(source));
            let system = parsed.expect("random models are models").system;
            compare(&mut cx, &system, &mut seen, &text);
        }
        assert!(seen.compared > 50, "{language:?} {seen:?}");
        // Random systems of equations always have a next state.
        let may_be_stuck = language != Language::Sts;
        assert!(seen.stuck > 20 || !may_be_stuck, "{language:?} {seen:?}");
        assert!(seen.opaque < seen.compared / 4, "{language:?} {seen:?}");
    }
}

#[test]
fn random_programs_go_on_too() {
    let mut seen = Seen::default();
    for seed in 0..N_MODELS {
        let (mut cx, system) = random_program(&mut rng(seed), 4);
        compare(&mut cx, &system, &mut seen, &format!("seed {seed}"));
    }
    assert!(seen.compared > 50 && seen.stuck > 20, "{seen:?}");
}
