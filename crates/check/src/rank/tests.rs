//! Case splits against all concrete steps of random systems, and linear arithmetic against its definition.

use super::linear::{Linear, rat};
use super::measure::{Level, Measure};
use super::{Change, Ranks};
use crate::acceptance::{Acceptance, MarkSets, StreettPair};
use crate::session::Session;
use lariat_base::{Budget, FxHashMap, Id as _};
use lariat_expr::{Evaluator, Int, Rat, Terms, Value, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_system::{
    Context, Executor, Limits, PointId, Recorded, State, Step, Stmt, Valuation, Variable,
    successors,
};
use lariat_testkit::{RandomSystem, Rng, StateSpace, random_system, rng};
use rand::Rng as _;

/// Larger systems are left out.
const MAX_STATES: usize = 150;

#[test]
fn the_cases_of_a_step_cover_it_and_exclude_one_another() {
    let mut n_steps = [0; 3];
    for seed in 0..60 {
        let mut random = rng(seed);
        let RandomSystem {
            mut cx, mut system, ..
        } = random_system(&mut random, 1);
        let Some(space) = StateSpace::explore(&mut cx, &mut *system, MAX_STATES) else {
            continue;
        };
        let variables = system.variables().to_vec();
        let measures = random_measures(&mut cx.terms, &variables, &space, &mut random);
        let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
        let mut ranks = Ranks::default();
        for measure in measures {
            if !ranks.knows(&measure) {
                ranks.add(measure, &mut acceptance, &mut sets);
            }
        }
        for state in &space.states {
            let found = successors(&mut cx, &mut *system, Some(state), &Limits::default());
            let edges = system.edges(state.loc).clone();
            for step in found.steps {
                let edge = (edges[step.edge].stmt, state.loc, step.state.loc);
                let solver = Box::new(Z3::new(Z3Config::default()));
                let budget = Budget::unlimited();
                let mut session = Session::new(&mut cx, solver, &variables, &budget);
                let cases = ranks.cases(&mut session, &mut sets, edge);
                drop(session);
                // Loops whose bounds depend on the state have no formula.
                let Ok(cases) = cases else {
                    continue;
                };
                let mut taken = cases.iter().filter(|case| {
                    let mut env = Valuation::new();
                    state.load(&variables, &mut env);
                    let mut decisions = Recorded::new(&step.decisions);
                    let end = Executor::new().run(&cx, case.stmt, &mut env, &mut decisions);
                    end.is_ok()
                        && State::read(&variables, step.state.loc, &env).as_ref() == Ok(&step.state)
                });
                let case = taken
                    .next()
                    .unwrap_or_else(|| panic!("seed {seed}: no case"));
                assert!(taken.next().is_none(), "seed {seed}: two cases");
                for known in ranks.for_proof() {
                    let mut is_first = true;
                    for (level, &pair) in known.measure.levels.iter().zip(&known.pairs) {
                        let change = judge(&cx.terms, &variables, level, state, &step);
                        let marks = (
                            sets.contains(case.marks, pair.request),
                            sets.contains(case.marks, pair.response),
                        );
                        assert!(
                            is_right(marks, change, is_first),
                            "seed {seed}: {change:?} is marked {marks:?}"
                        );
                        n_steps[change as usize] += 1;
                        is_first &= change == Change::Keep;
                    }
                }
            }
        }
    }
    assert!(n_steps.iter().all(|&n| n > 100), "{n_steps:?}");
}

/// Whether marks may stand on a step that changes a level like this and keeps those before it, if it is the first.
fn is_right((request, response): (bool, bool), change: Change, is_first: bool) -> bool {
    match (request, response) {
        (_, true) => true,
        (true, false) => is_first && change == Change::Decrease,
        (false, false) => is_first && change != Change::Increase,
    }
}

/// What a step does to a level, by the numbers.
fn judge(
    terms: &Terms,
    variables: &[Variable],
    level: &Level,
    from: &State,
    step: &Step,
) -> Change {
    let value = |state: &State| {
        let mut env = Valuation::new();
        state.load(variables, &mut env);
        let value = Evaluator::new().eval(terms, level.at(state.loc), &env);
        let value = value.expect("all variables have values");
        value.as_int().and_then(Int::to_i64).expect("small numbers")
    };
    let (before, after) = (value(from), value(&step.state));
    if before >= 0 && after < before {
        Change::Decrease
    } else if after >= 0 && after > before {
        Change::Increase
    } else {
        Change::Keep
    }
}

/// Up to four measures of one or two levels, some with terms and scopes of their own at some locations.
pub(crate) fn random_measures(
    terms: &mut Terms,
    variables: &[Variable],
    space: &StateSpace,
    random: &mut Rng,
) -> Vec<Measure> {
    let int = terms.sorts.int();
    let numbers: Vec<_> = variables
        .iter()
        .filter(|variable| terms.var_sort(variable.var) == int)
        .map(|variable| variable.var)
        .collect();
    let mut locations: Vec<PointId> = space.states.iter().map(|state| state.loc).collect();
    locations.sort_unstable();
    locations.dedup();
    if numbers.is_empty() || locations.is_empty() {
        return Vec::new();
    }
    let mut term = |random: &mut Rng| {
        let mut form = Linear::constant(rat(random.random_range(-2..4)));
        for _ in 0..random.random_range(1..3) {
            let var = numbers[random.random_range(0..numbers.len())];
            form.add(&Linear::var(var), &rat(random.random_range(-2..3)));
        }
        form.term(terms)
    };
    let mut measures = Vec::new();
    for _ in 0..random.random_range(1..5) {
        let levels = (0..random.random_range(1..3)).map(|_| {
            let mut at = FxHashMap::default();
            if random.random_range(0..3) == 0 {
                let here = locations[random.random_range(0..locations.len())];
                at.insert(here, term(random));
            }
            Level {
                term: term(random),
                at,
            }
        });
        let levels = levels.collect();
        let everywhere = random.random_range(0..3) > 0;
        let scope = locations.iter().copied();
        let scope = scope.filter(|_| everywhere || random.random()).collect();
        measures.push(Measure { levels, scope });
    }
    measures
}

/// The marks of the cases of one statement between two locations, of which the measure `x` judges some.
fn marks_of(make: impl Fn(&mut Context, VarId) -> Stmt, scope: &[usize]) -> Vec<(bool, bool)> {
    let mut cx = Context::new();
    let int = cx.terms.sorts.int();
    let x = cx.terms.declare("x", int);
    let stmt = make(&mut cx, x);
    let stmt = cx.stmts.add(stmt, None);
    let measure = Measure {
        levels: vec![Level::uniform(cx.terms.var(x))],
        scope: scope.iter().map(|&at| PointId::from_index(at)).collect(),
    };
    let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
    let mut ranks = Ranks::default();
    ranks.add(measure, &mut acceptance, &mut sets);
    let pair = acceptance.streett()[0];
    let variables = [Variable::new(x)];
    let (solver, budget) = (Box::new(Z3::new(Z3Config::default())), Budget::unlimited());
    let mut session = Session::new(&mut cx, solver, &variables, &budget);
    let edge = (stmt, PointId::from_index(0), PointId::from_index(1));
    let cases = ranks.cases(&mut session, &mut sets, edge);
    let cases = cases.unwrap_or_else(|halt| panic!("{halt:?}"));
    let marks = cases.iter().map(|case| {
        let has = |mark| sets.contains(case.marks, mark);
        (has(pair.request), has(pair.response))
    });
    let mut marks: Vec<(bool, bool)> = marks.collect();
    marks.sort_unstable();
    marks
}

fn decrement(cx: &mut Context, x: VarId) -> Stmt {
    let (var, one) = (cx.terms.var(x), cx.terms.int(1));
    Stmt::Assign(x, cx.terms.sub(var, one))
}

const NEITHER: (bool, bool) = (false, false);
const REQUEST: (bool, bool) = (true, false);
const RESPONSE: (bool, bool) = (false, true);

#[test]
fn a_havoc_may_do_anything() {
    let havoc = |_: &mut Context, x| Stmt::Havoc(x);
    assert_eq!(marks_of(havoc, &[0, 1]), [NEITHER, RESPONSE, REQUEST]);
}

/// Below zero `x - 1` is no decrease, and from there it cannot increase.
#[test]
fn a_decrement_decreases_or_keeps() {
    assert_eq!(marks_of(decrement, &[0, 1]), [NEITHER, REQUEST]);
}

/// What happens outside may bring it back to any value.
#[test]
fn a_step_out_of_the_scope_counts_as_an_increase() {
    for scope in [&[0][..], &[1], &[]] {
        assert_eq!(marks_of(decrement, scope), [RESPONSE]);
    }
}

#[test]
fn a_pair_belongs_to_each_level() {
    let (mut acceptance, mut sets) = (Acceptance::new(), MarkSets::new());
    let mut terms = Terms::new();
    let (one, two) = (terms.int(1), terms.int(2));
    let measure = Measure {
        levels: vec![Level::uniform(one), Level::uniform(two)],
        scope: Vec::new(),
    };
    let mut ranks = Ranks::default();
    ranks.add(measure.clone(), &mut acceptance, &mut sets);
    assert!(ranks.knows(&measure));
    let pairs: Vec<StreettPair> = ranks.for_proof()[0].pairs.clone();
    assert_eq!(acceptance.streett(), pairs);
    let added = ranks.take_added();
    assert!(
        pairs
            .iter()
            .all(|pair| sets.contains(added[0].responses, pair.response))
    );
    assert!(ranks.take_added().is_empty());
}

/// On rationals 1, 1/2, 1/4 … is no decrease, and 3/2, 1/2 is one.
#[test]
fn rationals_decrease_by_at_least_one() {
    let mut terms = Terms::new();
    let sort = terms.sorts.rat();
    let mut change = |before: (i64, i64), after: (i64, i64)| {
        let mut number = |(numerator, denominator): (i64, i64)| {
            let value = Rat::new(numerator.into(), denominator.into()).expect("not zero");
            terms.lit(Value::Rat(value), sort)
        };
        let (before, after) = (number(before), number(after));
        let changes = [Change::Decrease, Change::Increase, Change::Keep];
        let mut are = changes
            .map(|change| change.condition(&mut terms, before, after))
            .into_iter();
        let at = are.position(|is| is == terms.true_()).expect("one of them");
        changes[at]
    };
    assert_eq!(change((1, 1), (1, 2)), Change::Keep);
    assert_eq!(change((3, 2), (1, 2)), Change::Decrease);
    assert_eq!(change((1, 2), (-3, 1)), Change::Decrease);
    assert_eq!(change((-1, 2), (-5, 1)), Change::Keep);
    assert_eq!(change((-5, 1), (-1, 2)), Change::Keep);
    assert_eq!(change((-5, 1), (0, 1)), Change::Increase);
    assert_eq!(change((1, 2), (2, 3)), Change::Increase);
}

/// Each step of a bit-vector is one of the three, by its signed value: the number below 0 that all negative ones are is
/// what falls, rises or stays.
#[test]
fn bit_vectors_change_as_their_signed_values() {
    let mut terms = Terms::new();
    let sort = terms.sorts.bv(4);
    let signed = |value: i64| if value < 8 { value } else { value - 16 };
    for before in 0..16 {
        for after in 0..16 {
            let [old, new] =
                [before, after].map(|value: i64| terms.lit(Value::Bv(value.into()), sort));
            let [low, high] = [before, after].map(|value| signed(value).max(-1));
            let expected = match low.cmp(&high) {
                std::cmp::Ordering::Greater => Change::Decrease,
                std::cmp::Ordering::Less => Change::Increase,
                std::cmp::Ordering::Equal => Change::Keep,
            };
            for change in [Change::Decrease, Change::Increase, Change::Keep] {
                let condition = change.condition(&mut terms, old, new);
                let is = condition == terms.true_();
                assert_eq!(is, change == expected, "from {before} to {after}");
                assert!(is || condition == terms.false_());
            }
        }
    }
}

#[test]
fn linear_forms_are_what_terms_say() {
    let mut terms = Terms::new();
    let int = terms.sorts.int();
    let [x, y] = ["x", "y"].map(|name| terms.declare(name, int));
    let (tx, ty, two) = (terms.var(x), terms.var(y), terms.int(2));
    let double = terms.mul(&[two, tx]);
    let sum = terms.add(&[double, ty, two]);
    let form = Linear::of(&terms, sum).expect("linear");
    assert_eq!((&form.coefficients[&x], &form.constant), (&rat(2), &rat(2)));
    assert_eq!(form.term(&mut terms), sum);
    let product = terms.mul(&[tx, ty]);
    assert_eq!(Linear::of(&terms, product), None);
    let third = Rat::new(1.into(), 3.into()).expect("not zero");
    let mut small = Linear::constant(rat(0));
    small.add(&form, &third);
    assert_eq!(small.whole(true).coefficients[&x], rat(2));
    let mut gone = form.clone();
    gone.put_in(x, &Linear::constant(rat(5)));
    assert_eq!(
        (gone.coefficients.get(&x), &gone.constant),
        (None, &rat(12))
    );
}
