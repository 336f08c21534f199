//! Sentences, text in and text out: a formula and a word, and what is said of them.

use super::super::{Timeline, WhyReport};
use super::{Manner, Reader};
use lariat_base::{Id as _, SourceId};
use lariat_ltl::{
    ApId, FormulaId, Formulas, LassoWord, Operators, PlainNames, Rng, Syntax, explain,
    parse_formula, random_formula, random_word,
};
use std::collections::BTreeSet;

/// Letters are steps 1, 2, ….
fn timeline(word: &LassoWord) -> Timeline {
    let n = word.stem().len() + word.cycle().len();
    Timeline {
        steps: (1..=n).collect(),
        round: (word.stem().len() + 1, n),
    }
}

/// What is said of a formula on a word whose letters are steps 1, 2, ….
fn check(formula: &str, word: &str, expected: &[&str]) {
    let mut formulas = Formulas::new();
    let source = SourceId::from_index(0);
    let parsed = parse_formula(&mut formulas, source, formula, Syntax::Smv, &mut PlainNames)
        .expect("a formula");
    let word = LassoWord::parse(&mut formulas, word).expect("a word");
    let why = WhyReport::new(&formulas, &word, parsed.formula, &timeline(&word));
    let why = why.expect("a violation");
    assert_eq!(why.sentences, expected, "{formula}");
}

#[test]
fn what_must_always_be() {
    check(
        "G p",
        "p; p; !p; cycle{p}",
        &[
            "at step 3 `p` is false",
            "nothing that follows step 3 can make up for it",
        ],
    );
    check(
        "G (open -> \"motor == OFF\")",
        "open & \"motor == OFF\"; open; cycle{!open}",
        &[
            "at step 2 `open` is true, and `motor == OFF` is false",
            "nothing that follows step 2 can make up for it",
        ],
    );
    check(
        "G (a -> X X b)",
        "!a; a; !a; !b; cycle{b}",
        &[
            "at step 2 `a` is true, and at step 4 `b` is false",
            "nothing that follows step 4 can make up for it",
        ],
    );
    check(
        "G (red -> X !red)",
        "!red; red; red; cycle{!red}",
        &[
            "in steps 2 and 3 `red` is true",
            "nothing that follows step 3 can make up for it",
        ],
    );
}

#[test]
fn what_must_come() {
    let wait = "!request; !request; grant; grant; request & !grant; !request; !request; \
                cycle{!grant; !grant; !grant; !grant; !grant}";
    check(
        "G (request -> F grant)",
        wait,
        &[
            "at step 5 `request` is true, and `grant` is never true from there on: not in steps 5 to 7, \
           nor in the loop (steps 8 to 12)",
        ],
    );
    check(
        "F done",
        "!done; cycle{!done; !done}",
        &["`done` is never true: not at step 1, nor in the loop (steps 2 and 3)"],
    );
    check(
        "G F red",
        "red; red; cycle{!red}",
        &["`red` is never true in the loop (step 3)"],
    );
    check(
        "F G !alarm",
        "alarm; !alarm; cycle{!alarm; !alarm; alarm}",
        &["again and again `alarm` is true: at step 5, in the loop (steps 3 to 5)"],
    );
    check(
        "G (a -> X F b)",
        "!b; a; !b; cycle{!b}",
        &[
            "at step 2 `a` is true, and `b` is never true from step 3 on: not at step 3, \
           nor in the loop (step 4)",
        ],
    );
    check(
        "G (on -> F !on)",
        "!on; cycle{on; on}",
        &["`on` is always true in the loop (steps 2 and 3)"],
    );
    check(
        "F (a & b)",
        "a; a; cycle{b; a}",
        &[
            "`a & b` is never true: not in steps 1 and 2, nor in the loop (steps 3 and 4)",
            "at step 3 `a` is false, and in steps 1, 2 and 4 `b` is false",
        ],
    );
}

#[test]
fn what_must_come_if_something_goes_on() {
    check(
        "G F tick -> G F served",
        "served; cycle{!tick & !served; tick & !served; !tick & !served}",
        &[
            "again and again `tick` is true: at step 3, in the loop (steps 2 to 4)",
            "`served` is never true in the loop (steps 2 to 4)",
        ],
    );
}

#[test]
fn what_must_last_until_something_else() {
    check(
        "wait U go",
        "wait; wait; !wait; cycle{go}",
        &[
            "at step 3 `wait` is false, and in steps 1 to 3 `go` is false",
            "nothing that follows step 3 can make up for it",
        ],
    );
    check(
        "wait U go",
        "wait & !go; cycle{wait; wait; wait}",
        &["`go` is never true: not at step 1, nor in the loop (steps 2 to 4)"],
    );
    check(
        "go R closed",
        "closed & !go; closed; !closed; cycle{go}",
        &[
            "at step 3 `closed` is false, and in steps 1 and 2 `go` is false",
            "nothing that follows step 3 can make up for it",
        ],
    );
}

#[test]
fn what_must_have_been() {
    check(
        "G (start -> O key)",
        "!key; !key; start & !key; cycle{key}",
        &[
            "at step 3 `start` is true, and `key` is never true up to there: not in steps 1 to 3",
            "nothing that follows step 3 can make up for it",
        ],
    );
    check(
        "G (go -> Y ready)",
        "go & ready; cycle{!go}",
        &[
            "at step 1 `go` is true, and `Y ready` is false, because nothing comes before it",
            "nothing that follows step 1 can make up for it",
        ],
    );
    check(
        "G (p -> H q)",
        "q; q; cycle{p & q; !p & !q}",
        &["at step 3 in round 2 of the loop `p` is true, and at step 4 `q` is false"],
    );
}

#[test]
fn there_is_something_to_say_of_every_violation() {
    let mut rng = Rng::new(12);
    let mut n_said = 0;
    for _ in 0..20_000 {
        let mut formulas = Formulas::new();
        let aps: Vec<ApId> = ["p", "q", "r"].map(|name| formulas.ap_id(name)).into();
        let size = 1 + rng.below(12);
        let formula = random_formula(&mut formulas, &mut rng, &aps, size, Operators::Past);
        let word = random_word(&mut rng, &aps);
        let Some(why) = WhyReport::new(&formulas, &word, formula, &timeline(&word)) else {
            continue;
        };
        n_said += 1;
        let first = &why.sentences[0];
        assert!(
            first.contains("step") || first.contains("whatever"),
            "{first}"
        );
        check_told(&formulas, &word, formula);
    }
    assert!(n_said > 1000, "{n_said}");
}

/// What is told of atoms is so, and moments are told in a manner that fits them.
fn check_told(formulas: &Formulas, word: &LassoWord, formula: FormulaId) {
    let why = explain(formulas, word, formula).expect("a violation");
    let all = why.moments;
    let n = word.stem().len() + word.cycle().len();
    let reader = Reader {
        formulas,
        word,
        why: &why,
    };
    for told in reader.read() {
        let positions: BTreeSet<usize> = told.moments.iter().map(|&m| all.position(m)).collect();
        let subject = &told.subjects[0];
        let mut names = word.aps().iter().map(|&ap| formulas.ap_name(ap));
        if let Some(bit) = names.position(|name| name == subject) {
            let is_so = |&p: &usize| (word.letter(p) >> bit & 1 == 1) == told.value;
            assert!(positions.iter().all(is_so), "{subject}");
        }
        let first = all.position(told.moments[0]).min(word.stem().len());
        let fits = match told.manner {
            Manner::At => true,
            Manner::Always => (first..n).all(|p| positions.contains(&p)),
            Manner::SoFar => {
                let last = told.moments[told.moments.len() - 1];
                told.moments == (0..=last).collect::<Vec<_>>()
            }
            Manner::Again => told.moments.iter().all(|&m| all.round(m) > 0),
        };
        assert!(
            fits,
            "{:?} {:?} {:?}",
            told.subjects, told.manner, told.moments
        );
    }
}

#[test]
fn what_cannot_be() {
    check(
        "FALSE",
        "cycle{a}",
        &["the formula is false whatever happens"],
    );
}
