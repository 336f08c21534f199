//! Arguments that a loop does not leave a region, with inputs that follow the state: right ones and ones that were tampered with.
//!
//! The loops are random, with products and inputs among their statements. What is accepted is executed, from states of the region
//! near the recorded one and near zero: the round must be possible with the inputs that the argument states, end in
//! the region again, and read the same letters.

use lariat_check::{find_region, goes_on_in_region};
use lariat_expr::{TermId, Value};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{Context, Lasso, System};
use lariat_testkit::{Rng, loop_atoms, other_inputs, random_loop, recorded_round, rng, truths};
use rand::Rng as _;

/// How many loops; the environment variable is for longer series.
const N_LOOPS: u64 = 60;
const N_LOOPS_VARIABLE: &str = "LARIAT_REGION_LOOPS";
/// How often each argument is tampered with.
const N_TAMPERED: usize = 10;
/// How many rounds are executed of every argument.
const N_ROUNDS: usize = 3;

#[derive(Default, Debug)]
struct Counts {
    found: u64,
    following: u64,
    refused: u64,
    kept: u64,
    executed: u64,
}

#[test]
fn tampered_regions_and_inputs_are_refused_unless_they_are_still_right() {
    let wanted = std::env::var(N_LOOPS_VARIABLE).ok();
    let n = wanted.map_or(N_LOOPS, |n| n.parse().expect("a number of loops"));
    let mut counts = Counts::default();
    let mut seed = 0;
    let mut n_loops = 0;
    while n_loops < n {
        n_loops += u64::from(one_loop(seed, &mut counts));
        seed += 1;
    }
    let n_tampered = n * N_TAMPERED as u64;
    assert_eq!(counts.refused + counts.kept, n_tampered);
    assert!(
        counts.found > n / 5 && counts.following > n / 60,
        "{counts:?}"
    );
    assert!(
        counts.kept > n / 2 && counts.refused > n_tampered / 4,
        "{counts:?}"
    );
    assert!(counts.executed > n, "{counts:?}");
}

/// Draws a loop, looks for a region and tampers with it; false if the loop gets stuck.
fn one_loop(seed: u64, counts: &mut Counts) -> bool {
    let mut random = rng(seed);
    let mut cx = Context::new();
    let (text, mut system) = random_loop(&mut cx, &mut random);
    // Assumptions on inputs are met by chance.
    let mut tries = (0..30).map(|_| recorded_round(&cx, &mut system, &mut random));
    let Some(mut lasso) = tries.find_map(|lasso| lasso) else {
        return false;
    };
    let atoms = loop_atoms(&mut cx, &system, &mut random);
    let mut solver = Z3::new(Z3Config::default());
    let variables = system.variables.clone();
    let told = format!("seed {seed}\n{text}");
    if find_region(
        &mut cx,
        &mut solver,
        &mut system,
        &variables,
        &mut lasso,
        &atoms,
    ) {
        counts.found += 1;
        counts.following += u64::from(lasso.inputs.iter().flatten().any(Option::is_some));
        let is_right =
            goes_on_in_region(&mut cx, &mut solver, &mut system, &lasso, &atoms, N_ROUNDS);
        assert!(is_right, "what was found is refused, {told}");
        execute(
            &mut cx,
            &mut system,
            &lasso,
            &atoms,
            &mut random,
            counts,
            &told,
        );
    }
    for _ in 0..N_TAMPERED {
        let mut tampered = lasso.clone();
        tamper(&mut cx, &system, &mut tampered, &mut random);
        // Rounds start in the region: that is looked at before anything is asked (`verify/src/confirm.rs`).
        let steps = &tampered.run.steps;
        let ends = [&steps[tampered.honda], &steps[steps.len() - 1]];
        let is_in = |state| truths(&cx, &system, state, &tampered.region);
        let starts_in = ends.map(|step| is_in(&step.state).iter().all(Value::as_bool));
        let is_kept = starts_in == [true, true]
            && goes_on_in_region(
                &mut cx,
                &mut solver,
                &mut system,
                &tampered,
                &atoms,
                N_ROUNDS,
            );
        if is_kept {
            counts.kept += 1;
            execute(
                &mut cx,
                &mut system,
                &tampered,
                &atoms,
                &mut random,
                counts,
                &told,
            );
        } else {
            counts.refused += 1;
        }
    }
    true
}

/// Changes conditions of the region, or what inputs follow.
fn tamper(cx: &mut Context, system: &System, lasso: &mut Lasso, random: &mut Rng) {
    if random.random_bool(0.5) && !lasso.region.is_empty() {
        lasso
            .region
            .remove(random.random_range(0..lasso.region.len()));
    }
    for _ in 0..random.random_range(0..3) {
        let condition = condition(cx, system, random);
        lasso.region.push(condition);
    }
    if lasso.region.is_empty() {
        lasso.region.push(cx.terms.true_());
    }
    if random.random_bool(0.5) {
        other_inputs(cx, system, lasso, random);
    }
}

/// A comparison of two variables or of a variable and a number.
fn condition(cx: &mut Context, system: &System, random: &mut Rng) -> TermId {
    let var = |cx: &mut Context, random: &mut Rng| {
        let at = random.random_range(0..system.variables.len());
        cx.terms.var(system.variables[at].var)
    };
    let left = var(cx, random);
    let right = if random.random_bool(0.3) {
        var(cx, random)
    } else {
        cx.terms.int(random.random_range(-4..5))
    };
    match random.random_range(0..5) {
        0 => cx.terms.eq(left, right),
        1 | 2 => cx.terms.le(left, right),
        _ => cx.terms.le(right, left),
    }
}

/// Executes a round from some states of the region.
fn execute(
    cx: &mut Context,
    system: &mut System,
    lasso: &Lasso,
    atoms: &[TermId],
    random: &mut Rng,
    counts: &mut Counts,
    told: &str,
) {
    let round = &lasso.run.steps[lasso.honda + 1..];
    for _ in 0..40 {
        let mut here = lasso.clone();
        let is_near = random.random_bool(0.5);
        let last = here.run.steps.last_mut().expect("it has steps");
        for value in &mut last.state.values {
            let by = random.random_range(-5..6);
            *value = match value {
                Value::Int(int) if is_near => Value::Int(&*int + &by.into()),
                _ => Value::Int(by.into()),
            };
        }
        let start = last.state.clone();
        let is_in = |cx: &Context, system: &System, state| {
            truths(cx, system, state, &lasso.region)
                .iter()
                .all(Value::as_bool)
        };
        if !is_in(cx, system, &start) {
            continue;
        }
        counts.executed += 1;
        let steps = here
            .further_rounds(cx, system, 1)
            .unwrap_or_else(|why| panic!("{why:?} from {start:?}, {told}\n{lasso:?}"));
        let end = &steps[steps.len() - 1].state;
        assert!(is_in(cx, system, end), "from {start:?} to {end:?}, {told}");
        for (step, first) in steps.iter().zip(round) {
            let letters = [&step.state, &first.state].map(|state| truths(cx, system, state, atoms));
            assert_eq!(letters[0], letters[1], "from {start:?}, {told}");
        }
    }
}
