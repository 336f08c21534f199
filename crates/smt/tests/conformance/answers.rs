//! Scopes, assumptions, cores, models.

use crate::Make;
use lariat_expr::{ArrayValue, Int, Rat, TermId, Terms, Value, VarId};
use lariat_smt::{Answer, minimise_core};

/// Integer variables by name.
fn ints<const N: usize>(terms: &mut Terms, names: [&str; N]) -> [TermId; N] {
    let int = terms.sorts.int();
    names.map(|name| {
        let var = terms.declare(name, int);
        terms.var(var)
    })
}

pub fn scopes_forget(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let [x] = ints(t, ["x"]);
    let (zero, ten) = (t.int(0), t.int(10));
    let (above, below) = (t.lt(ten, x), t.lt(x, zero));
    solver.assert(t, above);
    assert_eq!(solver.check(t, &[]), Answer::Sat);
    solver.push();
    solver.assert(t, below);
    assert_eq!(solver.check(t, &[]), Answer::Unsat);
    solver.push();
    assert_eq!(solver.check(t, &[]), Answer::Unsat);
    solver.pop();
    solver.pop();
    assert_eq!(solver.check(t, &[]), Answer::Sat);
    assert_eq!(solver.check(t, &[below]), Answer::Unsat);
    assert_eq!(solver.check(t, &[]), Answer::Sat);
    let no = t.false_();
    assert_eq!(solver.check(t, &[no]), Answer::Unsat);
    let yes = t.true_();
    assert_eq!(solver.check(t, &[yes]), Answer::Sat);
}

pub fn assumptions_may_be_any_terms(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let [x, y] = ints(t, ["x", "y"]);
    let bool_ = t.sorts.bool();
    let p = t.declare("p", bool_);
    let p = t.var(p);
    let (less, more) = (t.lt(x, y), t.lt(y, x));
    let not_p = t.not(p);
    let either = t.or(&[p, less]);
    assert_eq!(solver.check(t, &[either, not_p, more]), Answer::Unsat);
    let core = solver.core();
    assert!(
        [either, not_p, more].iter().all(|part| core.contains(part)),
        "{core:?}"
    );
    assert_eq!(solver.check(t, &[either, not_p]), Answer::Sat);
    assert_eq!(solver.check(t, &[p, not_p]), Answer::Unsat);
    assert_eq!(solver.check(t, &[either, p, more]), Answer::Sat);
    assert_eq!(solver.check(t, &[less, less]), Answer::Sat);
}

pub fn assumptions_in_scopes_are_forgotten_with_them(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let [x, y] = ints(t, ["x", "y"]);
    let (less, more) = (t.lt(x, y), t.lt(y, x));
    solver.push();
    assert_eq!(solver.check(t, &[less]), Answer::Sat);
    solver.push();
    assert_eq!(solver.check(t, &[less, more]), Answer::Unsat);
    solver.pop();
    assert_eq!(solver.check(t, &[less, more]), Answer::Unsat);
    solver.pop();
    assert_eq!(solver.check(t, &[less, more]), Answer::Unsat);
    assert_eq!(solver.check(t, &[more]), Answer::Sat);
}

pub fn cores_are_enough_and_can_be_minimised(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let vars: Vec<TermId> = ints(t, ["a", "b", "c", "d", "e", "f"]).to_vec();
    let mut chain: Vec<TermId> = vars.windows(2).map(|pair| t.lt(pair[0], pair[1])).collect();
    let (zero, hundred) = (t.int(0), t.int(100));
    chain.extend(
        vars.iter()
            .map(|&var| t.lt(var, hundred))
            .collect::<Vec<_>>(),
    );
    let (low, high) = (t.lt(vars[3], zero), t.lt(zero, vars[1]));
    chain.extend([low, high]);
    assert_eq!(solver.check(t, &chain), Answer::Unsat);
    let core = solver.core();
    assert!(
        core.iter().all(|part| chain.contains(part)),
        "a core is a subset"
    );
    assert_eq!(solver.check(t, &core), Answer::Unsat);
    let smallest = minimise_core(solver.as_mut(), t, &core, 100);
    let mut expected = vec![chain[1], chain[2], low, high];
    expected.sort_unstable();
    let mut found = smallest.clone();
    found.sort_unstable();
    assert_eq!(found, expected);
}

pub fn models_are_of_every_sort(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let (bool_, int, rat) = (t.sorts.bool(), t.sorts.int(), t.sorts.rat());
    let color = t.sorts.enumeration("Color", ["red", "green", "blue"]);
    let other = t.sorts.enumeration("Shade", ["red", "dark"]);
    let (bv, wide) = (t.sorts.bv(5), t.sorts.bv(80));
    let map = t.sorts.array(int, color);
    let nested = t.sorts.array(bool_, map);
    let half = Rat::new(Int::from(-1), Int::from(2)).expect("not over zero");
    let map_value = ArrayValue::constant(Value::Enum(1))
        .with(&t.sorts, int, Value::from(3), Value::Enum(2))
        .with(&t.sorts, int, Value::from(-4), Value::Enum(0));
    let map_value = Value::Array(map_value.into());
    let nested_value = ArrayValue::constant(map_value.clone()).with(
        &t.sorts,
        bool_,
        true.into(),
        Value::some(&t.sorts, map),
    );
    let values = [
        ("p", bool_, true.into()),
        ("x", int, Value::from(-7)),
        ("r", rat, Value::Rat(half)),
        ("c", color, Value::Enum(2)),
        ("d", other, Value::Enum(0)),
        ("b", bv, Value::Bv(Int::from(19))),
        ("w", wide, Value::Bv(&Int::power_of_two(79) + &Int::ONE)),
        ("m", map, map_value),
        ("n", nested, Value::Array(nested_value.into())),
    ];
    let vars: Vec<(VarId, Value)> = values
        .into_iter()
        .map(|(name, sort, value)| (t.declare(name, sort), value))
        .collect();
    for (var, value) in &vars {
        let (term, sort) = (t.var(*var), t.var_sort(*var));
        let literal = t.lit(value.clone(), sort);
        let is = t.eq(term, literal);
        solver.assert(t, is);
    }
    assert_eq!(solver.check(t, &[]), Answer::Sat);
    for (var, value) in &vars {
        let term = t.var(*var);
        assert_eq!(
            solver.value(t, term).as_ref(),
            Some(value),
            "{}",
            t.name(*var)
        );
    }
    // A variable that nothing is said about has some value of its sort, the same each time.
    let free = t.declare("free", nested);
    let free = t.var(free);
    let value = solver.value(t, free).expect("arrays are values");
    assert!(value.has_sort(&t.sorts, nested));
    assert_eq!(solver.value(t, free), Some(value));
}

pub fn big_numbers_survive(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let [x, y] = ints(t, ["x", "y"]);
    let huge: Int = "123456789012345678901234567890123456789"
        .parse()
        .expect("a number");
    let literal = t.int(huge.clone());
    let sum = t.add(&[x, y]);
    let (is, same) = (t.eq(sum, literal), t.eq(x, y));
    solver.assert(t, is);
    assert_eq!(solver.check(t, &[same]), Answer::Unsat, "it is odd");
    let zero = t.int(0);
    let (negative, least) = (t.lt(x, zero), t.int(-1));
    let is_least = t.eq(x, least);
    assert_eq!(solver.check(t, &[negative, is_least]), Answer::Sat);
    assert_eq!(solver.value(t, y), Some(Value::Int(&huge + &Int::ONE)));
    let minus = t.neg(y);
    assert_eq!(
        solver.value(t, minus),
        Some(Value::Int(-&(&huge + &Int::ONE)))
    );
    let rat = t.sorts.rat();
    let r = t.declare("r", rat);
    let r = t.var(r);
    let small = Rat::new(-&Int::ONE, huge).expect("not over zero");
    let literal = t.lit(Value::Rat(small.clone()), rat);
    let is = t.eq(r, literal);
    assert_eq!(solver.check(t, &[is, is_least]), Answer::Sat);
    assert_eq!(solver.value(t, r), Some(Value::Rat(small)));
}

pub fn questions_are_counted(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let t = &mut terms;
    let [x, y] = ints(t, ["x", "y"]);
    let (less, more) = (t.lt(x, y), t.lt(y, x));
    solver.check(t, &[less]);
    solver.check(t, &[less, more]);
    solver.interpolate(t, &[less, more]);
    let statistics = solver.statistics();
    assert_eq!(
        (statistics.checks, statistics.sat, statistics.unsat),
        (2, 1, 1)
    );
    assert_eq!((statistics.interpolations, statistics.unknown), (1, 0));
}
