//! Large blocks and forgotten dead values keep verdicts: compared on random programs by the naive
//! engine, which knows neither.

use lariat_base::{FxHashSet, Id};
use lariat_expr::VarId;
use lariat_system::{Context, LocId, System};
use lariat_testkit::{
    RandomQuestion, StateSpace, naive_accepts, random_program, random_question, rng,
};
use lariat_verify::pass::blocks::{View, merge_blocks};
use lariat_verify::pass::forget::forget_dead;
use rand::Rng as _;

const N_PROGRAMS: u64 = 800;
const MAX_STATES: usize = 1_500;

#[derive(Debug, Default)]
struct Counts {
    compared: usize,
    violated: usize,
    eliminated: usize,
    eliminated_with_next: usize,
    forgotten: usize,
}

#[test]
fn merged_programs_have_the_same_verdicts() {
    let mut counts = Counts::default();
    for seed in 0..N_PROGRAMS {
        let random = &mut rng(seed);
        let n_locations = random.random_range(2..9);
        let (mut cx, mut system) = random_program(random, n_locations);
        let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_STATES) else {
            continue;
        };
        let question = random_question(&mut cx, &system, random, 2);
        let mut view = View {
            variables: cx.terms.free_vars(&question.atoms).into_iter().collect(),
            locations: FxHashSet::default(),
            counts_steps: !question.is_stutter_free,
            ends_early: false,
        };
        compare_runs(
            &mut cx,
            (&mut system, &space),
            &question,
            &view,
            seed,
            &mut counts,
        );
        let bad = LocId::from_index(random.random_range(0..n_locations));
        view.locations.insert(bad);
        view.counts_steps = false;
        view.ends_early = true;
        compare_reach(
            &mut cx,
            (&mut system, &space),
            &question,
            (&view, bad),
            seed,
        );
    }
    assert!(counts.compared > 300 && counts.violated > 50, "{counts:?}");
    assert!(
        counts.eliminated > 200 && counts.forgotten > 200,
        "{counts:?}"
    );
    assert!(counts.eliminated_with_next > 10, "{counts:?}");
}

/// The same words are accepted.
fn compare_runs(
    cx: &mut Context,
    (system, space): (&mut System, &StateSpace),
    question: &RandomQuestion,
    view: &View,
    seed: u64,
    counts: &mut Counts,
) {
    let RandomQuestion {
        automaton, atoms, ..
    } = question;
    let mut merged = system.clone();
    forget_dead(cx, &mut merged, &view.variables);
    counts.forgotten += usize::from(!merged.same(system, cx));
    let n_before = merged.edges.n_items();
    merge_blocks(cx, &mut merged, view);
    let n_eliminated = n_before.saturating_sub(merged.edges.n_items());
    let small = StateSpace::explore(cx, &mut merged, 4 * MAX_STATES);
    let small = small.unwrap_or_else(|| panic!("seed {seed} grew"));
    let letters = space.letters(cx, system, atoms);
    let expected = naive_accepts(space, &letters, automaton);
    let letters = small.letters(cx, &merged, atoms);
    let got = naive_accepts(&small, &letters, automaton);
    assert_eq!(got, expected, "seed {seed}");
    counts.compared += 1;
    counts.violated += usize::from(expected);
    counts.eliminated += n_eliminated;
    if view.counts_steps {
        counts.eliminated_with_next += n_eliminated;
    }
}

/// The same bad states and the same location are reached, even by runs that are blocked later.
fn compare_reach(
    cx: &mut Context,
    (system, space): (&mut System, &StateSpace),
    question: &RandomQuestion,
    (view, bad): (&View, LocId),
    seed: u64,
) {
    let mut merged = system.clone();
    let observed: FxHashSet<VarId> = view.variables.clone();
    forget_dead(cx, &mut merged, &observed);
    merge_blocks(cx, &mut merged, view);
    let small = StateSpace::explore(cx, &mut merged, 4 * MAX_STATES);
    let small = small.unwrap_or_else(|| panic!("seed {seed} grew"));
    let letters = space.letters(cx, system, &question.atoms);
    let small_letters = small.letters(cx, &merged, &question.atoms);
    for bit in 0..question.atoms.len() {
        let only = |letters: &[u64]| letters.iter().map(|l| l >> bit & 1).collect::<Vec<_>>();
        let expected = space.reaches(system, &only(&letters), &[]);
        let got = small.reaches(&merged, &only(&small_letters), &[]);
        assert_eq!(got, expected, "seed {seed}, atom {bit}");
    }
    let nothing = |letters: &[u64]| vec![0; letters.len()];
    let expected = space.reaches(system, &nothing(&letters), &[(0, bad)]);
    let got = small.reaches(&merged, &nothing(&small_letters), &[(0, bad)]);
    assert_eq!(got, expected, "seed {seed}, location {bad:?}");
}
