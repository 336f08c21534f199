//! States that differ only in the order of copies count as one, and no verdict changes by it.
//!
//! `LARIAT_SYMMETRY_SEEDS=5000` runs the long series.

#![allow(clippy::print_stdout)] // says what was compared

use lariat_base::{SourceMap, Span};
use lariat_check::{ExplicitConfig, Statistics, Symmetry, Verdict};
use lariat_expr::TermId;
use lariat_frontend::{Scope, parse, parse_expression};
use lariat_system::{Context, Language, System};
use lariat_testkit::{Form, StateSpace, naive_fair_accepts, question_about, random_symmetric, rng};
use lariat_verify::pass::deadlock::{Deadlock, go_on_after_deadlock};
use lariat_verify::{Atom, Claim, Compose, Model, Options, Passes, Property, Task};
use rand::Rng as _;
use std::sync::Arc;

const MAX_STATES: usize = 700;

fn read(cx: &mut Context, sources: &mut SourceMap, texts: &[String]) -> Vec<System> {
    let read = |text: &String| {
        let source = sources.add("model", text);
        match parse(cx, Language::Gcl, source, sources.file(source)) {
            Ok(parsed) => parsed.system,
            Err(findings) => panic!("{findings:?} in\n{text}"),
        }
    };
    texts.iter().map(read).collect()
}

fn condition(cx: &mut Context, sources: &mut SourceMap, systems: &[System], text: &str) -> TermId {
    let scope = Scope::new(cx, &systems.iter().collect::<Vec<_>>());
    let source = sources.add("condition", text);
    let span = Span::new(source, 0, text.len());
    let bool_ = cx.terms.sorts.bool();
    parse_expression(cx, &scope, span, text, Some(bool_))
        .unwrap_or_else(|findings| panic!("{findings:?} in {text}"))
}

fn composed(cx: &mut Context, mut systems: Vec<System>) -> Model {
    match systems.len() {
        1 => Model::single(systems.remove(0)),
        _ => Model::compose(cx, systems, Compose::Interleave).expect("they fit"),
    }
}

/// The verdict, as "is violated", how many states were stored, and what was exchanged.
fn decide(
    cx: &mut Context,
    model: &mut Model,
    property: &Property,
    (symmetry, passes): (Symmetry, Passes),
) -> (bool, u64, Vec<String>) {
    let mut options = Options {
        engine: Some(Arc::new(ExplicitConfig {
            symmetry,
            ..ExplicitConfig::default()
        })),
        passes,
        ..Options::default()
    };
    let answer = Task { model, property }.check(cx, &mut options);
    let Statistics::Explicit(stats) = answer.statistics else {
        panic!("the engine was chosen");
    };
    match answer.verdict {
        Verdict::Holds => (false, stats.states, stats.symmetries),
        Verdict::Violated(_) => (true, stats.states, stats.symmetries),
        Verdict::Unknown(why) => panic!("{why}"),
    }
}

const NO_PASSES: Passes = Passes {
    relations: false,
    constants: false,
    slice: false,
    merge: false,
    clocks: false,
    forget: false,
    blocks: false,
    cut: false,
};

#[test]
fn verdicts_are_those_of_the_naive_engine() {
    let n_seeds: u64 = std::env::var("LARIAT_SYMMETRY_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(250);
    let (mut n_compared, mut n_merged, mut n_violated, mut n_smaller) = (0, 0, 0, 0);
    let mut by_form = [0_u64; 3];
    let mut seed = 0;
    while n_compared < n_seeds {
        seed += 1;
        let mut random = rng(seed);
        let drawn = random_symmetric(&mut random);
        let (mut cx, mut sources) = (Context::new(), SourceMap::new());
        let mut systems = read(&mut cx, &mut sources, &drawn.texts);
        if let ([system], true) = (&mut systems[..], random.random()) {
            go_on_after_deadlock(&mut cx, system, Deadlock::Stutter).expect("finite choices");
        }
        let atoms: Vec<TermId> = drawn
            .atoms
            .iter()
            .map(|atom| condition(&mut cx, &mut sources, &systems, atom))
            .collect();
        let mut model = composed(&mut cx, systems);
        let Some(space) = StateSpace::explore(&mut cx, &mut model, MAX_STATES) else {
            continue;
        };
        let (property, expected) = if random.random_range(0..3) == 0 {
            let letters = space.letters(&cx, &model, &atoms[..1]);
            let expected = space.reaches(&model, &letters, &[]);
            (
                Property::never_true("never", Atom::Term(atoms[0])),
                expected,
            )
        } else {
            let question = question_about(&atoms, &mut random);
            let letters = space.letters(&cx, &model, &question.atoms);
            let fairness = space.fairness(&cx, &model);
            let expected = naive_fair_accepts(&space, &letters, &question.automaton, &fairness);
            let atoms: Vec<Atom> = question.atoms.into_iter().map(Atom::Term).collect();
            let property = Property {
                name: String::new(),
                text: "random".into(),
                atom_names: atoms.iter().map(|atom| format!("{atom:?}")).collect(),
                claim: Claim::Temporal {
                    automaton: Arc::new(question.automaton),
                    atoms,
                    formula: None,
                },
            };
            (property, expected)
        };
        let off = decide(&mut cx, &mut model, &property, (Symmetry::Off, Passes::ALL));
        for passes in [Passes::ALL, NO_PASSES] {
            let on = decide(&mut cx, &mut model, &property, (Symmetry::Auto, passes));
            let told = || {
                format!(
                    "seed {seed}: {property:?} of\n{}",
                    drawn.texts.join("\n---\n")
                )
            };
            assert_eq!(on.0, expected, "with symmetry, {}", told());
            assert_eq!(off.0, expected, "without symmetry, {}", told());
            if passes == Passes::ALL && !on.2.is_empty() {
                n_merged += 1;
                by_form[drawn.form as usize] += 1;
                n_smaller += u64::from(on.1 < off.1);
            }
        }
        n_compared += 1;
        n_violated += u64::from(expected);
    }
    println!(
        "{n_compared} compared, {n_violated} violated, {n_merged} with a symmetry {by_form:?}, {n_smaller} with fewer states"
    );
    assert!(
        n_merged * 4 > n_seeds,
        "{n_merged} of {n_seeds} have a symmetry"
    );
    assert!(
        n_violated * 5 > n_seeds && n_violated * 5 < n_seeds * 4,
        "{n_violated}"
    );
    assert!(
        by_form.iter().all(|&n| n > 0),
        "{by_form:?} of {:?}",
        Form::Numbers
    );
}

/// What is exchanged when an invariant of a model is checked, and how many states there are with and without.
fn exchanged(texts: &[&str], bad: &str) -> (Vec<String>, u64, u64) {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
    let systems = read(&mut cx, &mut sources, &texts);
    let bad = condition(&mut cx, &mut sources, &systems, bad);
    let property = Property::never_true("bad", Atom::Term(bad));
    let mut model = composed(&mut cx, systems);
    let on = decide(
        &mut cx,
        &mut model,
        &property,
        (Symmetry::Auto, Passes::ALL),
    );
    let off = decide(&mut cx, &mut model, &property, (Symmetry::Off, Passes::ALL));
    assert_eq!(on.0, off.0, "the verdict is the same");
    (on.2, on.1, off.1)
}

/// Three copies that count to two each: 27 states, of which 10 differ by more than an order (multisets of three out of three).
const COUNTERS: &str = "
    var x1 : 0..2 = 0  var x2 : 0..2 = 0  var x3 : 0..2 = 0
    action a1: true -> x1 := x1 + 1
    action a2: true -> x2 := x2 + 1
    action a3: true -> x3 := x3 + 1";

#[test]
fn copies_with_numbers_are_sorted() {
    let all = ["x1, x2, x3 in any order".to_owned()];
    let sum = "x1 + x2 + x3 > 6";
    assert_eq!(exchanged(&[COUNTERS], sum), (all.to_vec(), 10, 27));
    // A copy that the property names stays where it is: 3 · 6 states.
    let others = ["x2, x3 in any order".to_owned()];
    let named = "x1 + x1 + x2 + x3 > 9";
    assert_eq!(exchanged(&[COUNTERS], named), (others.to_vec(), 18, 27));
    let ordered = "x1 > 2 or x2 > x3 + 2 or x1 + x2 < x3 - 9";
    assert_eq!(exchanged(&[COUNTERS], ordered), (Vec::new(), 27, 27));
}

#[test]
fn what_tells_a_copy_apart_is_seen() {
    for (what, by) in [
        ("x3 : 0..2 = 0", "x3 : 0..2 = 1"),
        ("x3 : 0..2 = 0", "x3 : 0..3 = 0"),
        ("a3: true", "a3: x1 = 2"),
        ("x3 := x3 + 1", "x3 := 2"),
        ("action a3", "fair x3 = 2; action a3"),
    ] {
        let text = COUNTERS.replace(what, by);
        let (symmetries, ..) = exchanged(&[&text], "x1 + x2 + x3 > 20");
        let expected = if by.contains("fair") {
            // Fairness does not count for bad states.
            "x1, x2, x3 in any order"
        } else {
            "x1, x2 in any order"
        };
        assert!(
            symmetries.iter().all(|s| s == expected),
            "{by}: {symmetries:?}"
        );
    }
}

#[test]
fn a_ring_is_rotated() {
    // Necklaces of five beads in two colours: 8 of 32.
    let text = "
        var b1 : bool = false  var b2 : bool = false  var b3 : bool = false
        var b4 : bool = false  var b5 : bool = false
        action a1: not b5 -> b1 := not b1
        action a2: not b1 -> b2 := not b2
        action a3: not b2 -> b3 := not b3
        action a4: not b3 -> b4 := not b4
        action a5: not b4 -> b5 := not b5";
    let (symmetries, with, without) = exchanged(&[text], "b1 and b2 and b3 and b4 and b5");
    assert_eq!(symmetries, ["b1, b2, b3, b4, b5 rotated"]);
    assert!(with <= 8 && without >= 3 * with, "{with} of {without}");
}

#[test]
fn values_of_a_symmetric_type_are_exchanged() {
    let text = "
        symmetric P = 1..4
        type S = { idle, trying, critical }
        var s : [P] -> S = [<P>default <- idle]
        var turn : P
        action ask(i : P): s[i] = idle -> s[i] := trying
        action enter(i : P): s[i] = trying and forall(j : P, s[j] != critical) and turn = i -> s[i] := critical
        action leave(i : P, j : P): s[i] = critical -> s[i] := idle, turn := j";
    let two = "exists(i : P, exists(j : P, i != j and s[i] = critical and s[j] = critical))";
    let (symmetries, with, without) = exchanged(&[text], two);
    assert_eq!(symmetries, ["P1, P2, P3, P4 in any order"]);
    // Three copies without the turn are idle or trying: 2^3 states and 4 multisets; the one with it is in any of three.
    assert_eq!((with, without), (12, 96));
    let (symmetries, ..) = exchanged(&[text], "s[P2] = critical and turn != P2");
    assert_eq!(symmetries, ["P1, P3, P4 in any order"]);
}

#[test]
fn models_of_a_composition_are_exchanged() {
    let part = |name: &str| {
        format!(
            "var free : bool = true  var {name} : bool = false
             action enter: free and not {name} -> {name} := true, free := false
             action leave: {name} -> {name} := false, free := true"
        )
    };
    let (a, b, c) = (part("a"), part("b"), part("c"));
    let (symmetries, with, without) = exchanged(&[&a, &b, &c], "a and b or b and c or a and c");
    assert_eq!(symmetries, ["model 1, model 2, model 3 in any order"]);
    assert_eq!((with, without), (2, 4));
}
