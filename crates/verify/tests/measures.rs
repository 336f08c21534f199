//! What ranking proves, and what it must not prove.

use lariat_base::{Budget, SourceMap};
use lariat_check::{CegarConfig, DomainConfig, Mode, PredicateConfig, Ranking, Verdict};
use lariat_frontend::parse;
use lariat_system::{Context, Language};
use lariat_verify::{Asker, Compose, Model, Options, Task};
use std::sync::Arc;
use std::time::Duration;

/// The body of `main`, with `any()` for an input.
fn program(body: &str) -> String {
    format!("extern int any(void);\nint main() {{ {body} return 0; }}\n")
}

fn verdict(language: Language, text: &str, formula: &str, mode: Mode, seconds: u64) -> Verdict {
    let (mut cx, mut sources) = (Context::new(), SourceMap::default());
    let file = sources.add("model", text.to_owned());
    let parsed = parse(&mut cx, language, file, sources.file(file));
    let system = parsed
        .unwrap_or_else(|found| panic!("{text}: {found:?}"))
        .system;
    let model = Model::compose(&mut cx, vec![system], Compose::Interleave);
    let mut model = model.expect("one model agrees with itself");
    let property = Asker::new(&mut cx, &mut sources, &model).ltl(formula);
    let property = property.expect("it can be read");
    let property = property.translated(&Budget::unlimited());
    let property = property.expect("it has an automaton");
    let engine = CegarConfig {
        domain: DomainConfig::Predicates(PredicateConfig {
            mode,
            ..PredicateConfig::default()
        }),
        ranking: Ranking::Linear,
        ..CegarConfig::default()
    };
    let mut options = Options {
        engine: Some(Arc::new(engine)),
        budget: Budget::unlimited().with_time(Duration::from_secs(seconds)),
        ..Options::default()
    };
    let mut task = Task {
        model: &mut model,
        property: &property,
    };
    task.check(&mut cx, &mut options).verdict
}

#[test]
fn loops_that_end_are_proved() {
    let programs = [
        ("a counter", "int x = any(); while (x > 0) x--;"),
        (
            "the first that changes decreases",
            "int a = any(), b = any();
             while (a > 0 && b > 0) { if (any()) { a--; b = any(); } else b--; }",
        ),
        (
            "loops in loops",
            "int n = any(), i, j;
             for (i = 0; i < n; i++) for (j = i; j > 0; j--) ;",
        ),
    ];
    for (name, body) in programs {
        let found = verdict(Language::C, &program(body), "F end", Mode::Cartesian, 60);
        assert!(matches!(found, Verdict::Holds), "{name}: {found:?}");
    }
}

/// Some of these are refuted, for others no method is known; no measure may prove them.
#[test]
fn loops_that_go_on_are_not_proved() {
    let programs = [
        ("an input", "int x = any(); while (x > 0) x = any();"),
        ("below zero", "int x = any(); while (1) x--;"),
        (
            "up and down below zero",
            "int x = -5; while (x < 0) { if (x == -5) x = -1; else x--; }",
        ),
        (
            "an outer loop that starts the inner one again",
            "int x = any(); while (1) { while (x > 0) x--; x = any(); }",
        ),
        (
            "one falls, the other rises",
            "int x = any(), y = any(); while (x > 0 && y > 0) { if (any()) { x--; y++; } else { x++; y--; } }",
        ),
        (
            "a step of any size",
            "int x = any(), y = any(); while (x >= 0) x = x - y;",
        ),
        ("a wrap", "unsigned x = 1; while (x != 0) x += 2;"),
    ];
    for (name, body) in programs {
        for mode in [Mode::Cartesian, Mode::Split] {
            let found = verdict(Language::C, &program(body), "F end", mode, 1);
            assert!(!matches!(found, Verdict::Holds), "{name}");
        }
    }
}

/// 1, 1/2, 1/4 … decreases for ever.
#[test]
fn halving_a_rational_number_goes_on() {
    let text = "specification Halving {
        system halving := {
            var x : rat
            initial x > 0
            transition x' = 1%2 * x
        }
        property ends : halving models F (x <= 0)
    }";
    for mode in [Mode::Cartesian, Mode::Split] {
        let found = verdict(Language::Sts, text, "F (x <= 0)", mode, 2);
        assert!(!matches!(found, Verdict::Holds));
    }
    let text = text.replace("x' = 1%2 * x", "x' = x - 1%2");
    let found = verdict(Language::Sts, &text, "F (x <= 0)", Mode::Cartesian, 20);
    assert!(
        matches!(found, Verdict::Holds),
        "it falls by a fixed step: {found:?}"
    );
}
