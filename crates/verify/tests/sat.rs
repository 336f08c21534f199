//! Models as circuits, decided by the SAT engine: against simulators on random circuits, and by hand where the languages of circuits have
//! nothing of the kind.

use lariat_base::{Budget, SourceMap};
use lariat_check::{SatConfig, Unknown, Verdict};
use lariat_frontend::parse;
use lariat_system::{Context, Language};
use lariat_testkit::{
    NaiveAiger, NaiveBtor2, NaiveCircuit, bad_is_reachable, justice_is_possible, random_aiger,
    random_btor2, rng,
};
use lariat_verify::{Asker, Model, Options, Passes, Task};
use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

/// What the engine says of all properties of a text, in each of its ways: the same.
fn verdicts(language: Language, text: &str, passes: Passes) -> Vec<Verdict> {
    let [found, others @ ..] =
        SatConfig::ALL.map(|config| verdicts_by(config, language, text, passes));
    for other in &others {
        for (a, b) in found.iter().zip(other) {
            assert_eq!(discriminant(a), discriminant(b), "{text}: {a:?}, {b:?}");
        }
    }
    found
}

fn verdicts_by(config: SatConfig, language: Language, text: &str, passes: Passes) -> Vec<Verdict> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("model", text);
    let parsed = parse(&mut cx, language, source, sources.file(source));
    let parsed = parsed.unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let mut model = Model::single(parsed.system);
    if model.systems[0].properties.is_empty() {
        return Vec::new();
    }
    let asked = Asker::new(&mut cx, &mut sources, &model).own(None);
    let asked = asked.unwrap_or_else(|found| panic!("{text}: {found:?}"));
    let mut verdicts = Vec::new();
    for property in asked {
        let property = property.translated(&Budget::unlimited());
        let property = property.expect("it has an automaton");
        let mut options = Options {
            engine: Some(Arc::new(config)),
            passes,
            budget: Budget::unlimited().with_time(Duration::from_mins(2)),
            ..Options::default()
        };
        let mut task = Task {
            model: &mut model,
            property: &property,
        };
        verdicts.push(task.check(&mut cx, &mut options).verdict);
    }
    verdicts
}

fn is_violated(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Holds => false,
        Verdict::Violated(_) => true,
        Verdict::Unknown(why) => panic!("unknown: {why}"),
    }
}

fn simulated(circuit: &impl NaiveCircuit) -> Vec<bool> {
    let any = circuit.step(0, 0);
    let bad = (0..any.bad.len()).map(|bad| bad_is_reachable(circuit, bad));
    let justice = (0..any.justice.len()).map(|property| justice_is_possible(circuit, property));
    bad.chain(justice).collect()
}

#[test]
fn random_circuits_are_decided_as_simulators_do() {
    let (mut n_violated, mut n_holding) = (0, 0);
    for seed in 0..120 {
        let language = [Language::Aiger, Language::Btor2][(seed % 2) as usize];
        let (text, expected) = if language == Language::Aiger {
            let text = random_aiger(&mut rng(seed));
            let expected = simulated(&NaiveAiger::read(&text));
            (text, expected)
        } else {
            let text = random_btor2(&mut rng(seed));
            let expected = simulated(&NaiveBtor2::read(&text));
            (text, expected)
        };
        let found = verdicts(language, &text, Passes::ALL);
        let has_no_bits = |verdict| matches!(verdict, &Verdict::Unknown(Unknown::Unsupported(_)));
        if text.contains(" sort array ") && found.iter().any(has_no_bits) {
            continue;
        }
        let found: Vec<bool> = found.iter().map(is_violated).collect();
        assert_eq!(found, expected, "seed {seed}:\n{text}");
        n_violated += found.iter().filter(|&&violated| violated).count();
        n_holding += found.iter().filter(|&&violated| !violated).count();
    }
    assert!(
        n_violated > 50 && n_holding > 50,
        "{n_violated}, {n_holding}"
    );
}

/// The properties that are violated, by their numbers, with all passes and with few.
fn violated(text: &str) -> Vec<usize> {
    let numbers = |passes| {
        let found = verdicts(Language::Smv, text, passes);
        let numbers = found.iter().enumerate();
        let numbers = numbers.filter(|(_, verdict)| is_violated(verdict));
        numbers.map(|(number, _)| number).collect::<Vec<usize>>()
    };
    let found = numbers(Passes::ALL);
    let few = Passes {
        relations: false,
        constants: false,
        slice: false,
        ..Passes::ALL
    };
    assert_eq!(numbers(few), found, "{text}");
    found
}

/// Enumerations whose number of values is no power of two: the code that is left over is no value.
#[test]
fn enumerations_have_only_their_values() {
    let text = "MODULE main
        VAR x : {a, b, c}; y : {a, b, c, d, e};
        ASSIGN init(x) := a; next(x) := case x = a : {b, c}; x = b : c; TRUE : a; esac;
        INVARSPEC x = a | x = b | x = c
        INVARSPEC y = a | y = b | y = c | y = d | y = e
        INVARSPEC y != e
        LTLSPEC G F x = a
        LTLSPEC G F x = b
        LTLSPEC G (x = b -> X x = c)";
    assert_eq!(violated(text), [2, 4]);
}

#[test]
fn words_are_computed_with() {
    let text = "MODULE main
        VAR x : unsigned word[4];
        ASSIGN init(x) := 0ud4_1; next(x) := x * 0ud4_3;
        INVARSPEC x != 0ud4_11
        INVARSPEC x != 0ud4_5
        LTLSPEC G F x = 0ud4_9
        LTLSPEC F G x != 0ud4_1
        LTLSPEC X X X X x = 0ud4_1";
    // 1, 3, 9, 11, 1, …
    assert_eq!(violated(text), [0, 3]);
}

/// If `p` is true again and again, so is `q`: which of the two is for the run to choose.
#[test]
fn compassion_is_asked_of_every_run() {
    let text = "MODULE main
        VAR p : boolean; q : boolean;
        COMPASSION (p, q)
        LTLSPEC G F p -> G F q
        LTLSPEC G F q
        LTLSPEC F G !p
        LTLSPEC G F p | F G !p
        LTLSPEC G !q -> F G !p";
    assert_eq!(violated(text), [1, 2]);
}

#[test]
fn justice_and_states_without_successor() {
    let text = "MODULE main
        VAR n : unsigned word[2]; stuck : boolean;
        INIT n = 0ud2_0 & !stuck
        TRANS !stuck & (next(n) = n | next(n) = n + 0ud2_1)
        JUSTICE n = 0ud2_2
        INVARSPEC !stuck
        LTLSPEC G F n = 0ud2_2
        LTLSPEC G F n = 0ud2_3
        LTLSPEC F n = 0ud2_1
        LTLSPEC F stuck
        LTLSPEC G !stuck";
    // Runs that get stuck are finite: only the invariant speaks of them.
    assert_eq!(violated(text), [0, 2, 4]);
}

/// Counting rounds to a bound that is far: a counter that comes round once.
#[test]
fn many_rounds_are_counted() {
    let text = "MODULE main
        VAR n : unsigned word[4]; b : boolean;
        ASSIGN init(n) := 0ud4_0; next(n) := case n = 0ud4_15 : n; b : n + 0ud4_1; TRUE : n; esac;
        JUSTICE b
        LTLSPEC F G n = 0ud4_15
        LTLSPEC F G n = 0ud4_14";
    assert_eq!(violated(text), [1]);
}

/// Numbers with ranges: sums that are larger than their variables, negative ones, products, quotients, choices.
#[test]
fn numbers_between_bounds_are_bits() {
    let text = "MODULE main
        VAR x : 0..5; y : -3..4; m : 2..3;
        ASSIGN init(x) := 0; next(x) := (x + 4) mod 6;
        init(y) := -3; next(y) := case y * y > 8 : {0, 2}; y = 0 : -1; TRUE : x / 2 - 2; esac;
        INVARSPEC x + x <= 8
        INVARSPEC x != 3
        INVARSPEC y != -2
        INVARSPEC y >= -1 | y = -3 | x = 4
        INVARSPEC m > 1 & m < 4
        INVARSPEC m = 2
        LTLSPEC G F x = 4
        LTLSPEC F G y != -1
        LTLSPEC G (x = 4 -> X x = 2)
        LTLSPEC G F m = 3";
    // x is 0, 4, 2, 0, …; y is -3, then 0 or 2, and soon -1, -2, 0, -1, … for ever.
    assert_eq!(violated(text), [2, 5, 7, 9]);
}

#[test]
fn numbers_without_bounds_are_no_bits() {
    let text = "MODULE main VAR n : integer; INVARSPEC n = 0";
    let found = verdicts(Language::Smv, text, Passes::ALL);
    assert!(
        matches!(&found[..], [Verdict::Unknown(Unknown::Unsupported(_))]),
        "{found:?}"
    );
}
