//! Regions of random rounds: what the solver calls closed is so in every state of a box.

use super::{Values, closed_region, is_closed};
use lariat_expr::{Evaluator, Int, TermId, Value, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{Context, RoundFormula};
use lariat_testkit::{Rng, rng};
use rand::Rng as _;

const N_ROUNDS: u64 = 60;
/// Numbers of states that are tried.
const BOX: std::ops::Range<i64> = -6..7;

fn values(vars: [VarId; 2], numbers: [i64; 2]) -> Values {
    let pairs = vars.into_iter().zip(numbers);
    pairs
        .map(|(var, number)| (var, Value::Int(Int::from(number))))
        .collect()
}

fn holds(cx: &Context, term: TermId, values: &Values) -> bool {
    let truth = Evaluator::new().eval(&cx.terms, term, values);
    truth.expect("both variables have values").as_bool()
}

/// `a · x + b · y + c`.
fn linear(cx: &mut Context, vars: [VarId; 2], random: &mut Rng) -> TermId {
    let mut sum = vec![cx.terms.int(random.random_range(-3..4))];
    for var in vars {
        let (var, factor) = (cx.terms.var(var), cx.terms.int(random.random_range(-1..3)));
        sum.push(cx.terms.mul(&[factor, var]));
    }
    cx.terms.add(&sum)
}

fn comparison(cx: &mut Context, vars: [VarId; 2], random: &mut Rng) -> TermId {
    let (left, right) = (linear(cx, vars, random), cx.terms.int(0));
    match random.random_range(0..3) {
        0 => cx.terms.eq(left, right),
        1 => cx.terms.lt(right, left),
        _ => cx.terms.le(right, left),
    }
}

/// A round that writes both variables under one or two conditions.
fn round(cx: &mut Context, vars: [VarId; 2], random: &mut Rng) -> RoundFormula {
    let mut round = RoundFormula::default();
    for var in vars {
        round.updates.insert(var, linear(cx, vars, random));
    }
    for _ in 0..random.random_range(1..3) {
        round.conditions.push(comparison(cx, vars, random));
    }
    round
}

/// Whether a round can be taken from each state of the box that is in the region, into the region.
fn is_right(cx: &mut Context, vars: [VarId; 2], round: &RoundFormula, region: &[TermId]) -> bool {
    let ends: Vec<TermId> = region.iter().map(|&term| round.at_end(cx, term)).collect();
    BOX.flat_map(|x| BOX.map(move |y| [x, y])).all(|numbers| {
        let values = values(vars, numbers);
        let all = |terms: &[TermId]| terms.iter().all(|&term| holds(cx, term, &values));
        !all(region) || all(&round.conditions) && all(&ends)
    })
}

#[test]
fn tampered_regions_are_refused_unless_they_are_still_right() {
    let (mut n_found, mut n_refused, mut n_kept) = (0, 0, 0);
    for seed in 0..N_ROUNDS {
        let mut random = rng(seed);
        let mut cx = Context::new();
        let int = cx.terms.sorts.int();
        let vars = ["x", "y"].map(|name| cx.terms.declare(name, int));
        let round = round(&mut cx, vars, &mut random);
        let mut solver = Z3::new(Z3Config::default());
        let start = [0, 1].map(|_| random.random_range(BOX));
        let start = values(vars, start);
        let end: Values = vars
            .into_iter()
            .map(|var| {
                let value = Evaluator::new().eval(&cx.terms, round.updates[&var], &start);
                (var, value.expect("both variables have values"))
            })
            .collect();
        let found = closed_region(&mut cx, &mut solver, &round, [&start, &end]);
        let mut region = Vec::new();
        if let Some(found) = found {
            n_found += 1;
            assert!(is_right(&mut cx, vars, &round, &found), "seed {seed}");
            assert!(
                found.iter().all(|&term| holds(&cx, term, &start)),
                "seed {seed}"
            );
            region = found;
        }
        for _ in 0..10 {
            let mut tampered = region.clone();
            if random.random_bool(0.5) && !tampered.is_empty() {
                tampered.remove(random.random_range(0..tampered.len()));
            }
            if random.random_bool(0.7) {
                tampered.push(comparison(&mut cx, vars, &mut random));
            }
            if is_closed(&mut cx, &mut solver, &round, &tampered) {
                n_kept += 1;
                assert!(is_right(&mut cx, vars, &round, &tampered), "seed {seed}");
            } else {
                n_refused += 1;
            }
        }
    }
    assert!(
        n_found >= N_ROUNDS / 20,
        "only {n_found} regions were found"
    );
    assert!(
        n_refused >= N_ROUNDS && n_kept >= N_ROUNDS / 4,
        "{n_refused} {n_kept}"
    );
}
