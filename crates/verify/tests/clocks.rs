//! Models with timers that never stop get the verdicts of models whose timers stop far beyond all that is compared.
//!
//! `LARIAT_CLOCK_SEEDS=5000` runs the long series.

#![allow(clippy::print_stdout)] // says what was compared

use lariat_base::{SourceMap, Span};
use lariat_check::{ExplicitConfig, Verdict};
use lariat_expr::TermId;
use lariat_frontend::{Scope, parse, parse_expression};
use lariat_system::{Context, Language};
use lariat_testkit::{Rng, StateSpace, naive_accepts, question_about, rng};
use lariat_verify::{Atom, Claim, Model, Options, Property, Task};
use rand::Rng as _;
use std::fmt::Write as _;
use std::sync::Arc;

/// Where the timers of the twin stop; constants are below 5, and one step adds at most 2.
const FAR: u32 = 9;

fn comparison(random: &mut Rng, n_clocks: usize) -> String {
    let clock = ["x", "y"][random.random_range(0..n_clocks)];
    let sign = ["<", "<=", "=", ">=", "!="][random.random_range(0..5)];
    let constant = random.random_range(0..5);
    match random.random_range(0..4) {
        0 => format!("{clock} + 1 {sign} {constant}"),
        1 => "b".into(),
        2 => "not b".into(),
        _ => format!("{clock} {sign} {constant}"),
    }
}

/// A model in which `{x + 1}` is the value of a timer that goes on.
fn model(random: &mut Rng) -> (String, Vec<String>) {
    let n_clocks = random.random_range(1..3);
    let mut text = String::from("var b : bool = false\n");
    for clock in &["x", "y"][..n_clocks] {
        let initial = random.random_range(0..8);
        let _ = writeln!(text, "var {clock} : int = {initial}");
    }
    for n in 0..random.random_range(2..5) {
        let guard = match n {
            0 => "true".to_owned(),
            _ => format!(
                "{} and {}",
                comparison(random, n_clocks),
                comparison(random, n_clocks)
            ),
        };
        let mut effects = Vec::new();
        if random.random_range(0..3) == 0 {
            let value = ["not b", "true", "any"][random.random_range(0..3)];
            effects.push(format!("b := {value}"));
        }
        for clock in &["x", "y"][..n_clocks] {
            let k = random.random_range(0..3);
            let reset = random.random_range(0..7);
            let condition = comparison(random, n_clocks);
            match random.random_range(0..5) {
                0 | 1 => effects.push(format!("{clock} := {{{clock} + {k}}}")),
                2 => effects.push(format!("{clock} := {reset}")),
                3 => effects.push(format!(
                    "{clock} := (if {condition} then {{{clock} + {k}}} else {reset})"
                )),
                _ => {}
            }
        }
        if effects.is_empty() {
            effects.push("skip".into());
        }
        let _ = writeln!(text, "action a{n}: {guard} -> {}", effects.join(", "));
    }
    let atoms = (0..3).map(|_| comparison(random, n_clocks)).collect();
    (text, atoms)
}

/// The model with timers that go on, or stop far away.
fn written(text: &str, stops: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inner)) = rest.split_once('{') {
        let (value, after) = inner.split_once('}').expect("braces come in pairs");
        out += before;
        if stops {
            let _ = write!(out, "(if {value} < {FAR} then {value} else {FAR})");
        } else {
            out += value;
        }
        rest = after;
    }
    out + rest
}

fn read(text: &str, atoms: &[String]) -> (Context, Model, Vec<TermId>) {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("model", text);
    let parsed = parse(&mut cx, Language::Gcl, source, sources.file(source));
    let system = parsed
        .unwrap_or_else(|why| panic!("{why:?} in\n{text}"))
        .system;
    let scope = Scope::new(&mut cx, &[&system]);
    let bool_ = cx.terms.sorts.bool();
    let mut terms = Vec::new();
    for text in atoms {
        let span = Span::new(sources.add("atom", text), 0, text.len());
        let term = parse_expression(&mut cx, &scope, span, text, Some(bool_));
        terms.push(term.expect("a condition"));
    }
    (cx, Model::single(system), terms)
}

#[test]
fn verdicts_are_those_of_timers_that_stop_far_away() {
    let n_seeds: u64 = std::env::var("LARIAT_CLOCK_SEEDS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(250);
    let mut n_violated = 0;
    for seed in 0..n_seeds {
        let mut random = rng(seed);
        let (text, atoms) = model(&mut random);
        let (mut cx, mut twin, terms) = read(&written(&text, true), &atoms);
        let space = StateSpace::explore(&mut cx, &mut twin, 2000).expect("it is finite");
        let is_temporal = random.random_range(0..3) > 0;
        let question = question_about(&terms, &mut random);
        let expected = if is_temporal {
            let letters = space.letters(&cx, &twin, &question.atoms);
            naive_accepts(&space, &letters, &question.automaton)
        } else {
            let letters = space.letters(&cx, &twin, &terms[..1]);
            space.reaches(&twin, &letters, &[])
        };
        // The same atoms in the other model, by their positions.
        let (mut cx, mut model, own) = read(&written(&text, false), &atoms);
        let position = |atom: &TermId| terms.iter().position(|term| term == atom);
        let picked = question.atoms.iter().filter_map(position);
        let picked: Vec<Atom> = picked.map(|at| Atom::Term(own[at])).collect();
        let property = if is_temporal {
            Property {
                name: String::new(),
                text: "random".into(),
                atom_names: picked.iter().map(|atom| format!("{atom:?}")).collect(),
                claim: Claim::Temporal {
                    automaton: Arc::new(question.automaton),
                    atoms: picked,
                    formula: None,
                },
            }
        } else {
            Property::never_true("never", Atom::Term(own[0]))
        };
        let mut options = Options {
            engine: Some(Arc::new(ExplicitConfig {
                max_states: Some(100_000),
                ..ExplicitConfig::default()
            })),
            ..Options::default()
        };
        let mut task = Task {
            model: &mut model,
            property: &property,
        };
        let verdict = task.check(&mut cx, &mut options).verdict;
        let is_violated = match verdict {
            Verdict::Holds => false,
            Verdict::Violated(_) => true,
            Verdict::Unknown(why) => panic!("seed {seed}: {why} of {property:?} in\n{text}"),
        };
        assert_eq!(
            is_violated, expected,
            "seed {seed}: {property:?} in\n{text}"
        );
        n_violated += u64::from(expected);
    }
    println!("{n_seeds} compared, {n_violated} violated");
    assert!(
        n_violated * 6 > n_seeds && n_violated * 6 < n_seeds * 5,
        "{n_violated}"
    );
}
