//! Automata against the lasso-word evaluator on random formulas, with every acceptance, effort and
//! with single steps turned off. A failure prints the seed and the formula.
//! `cargo xtask automata --random 20000` runs the same with more formulas.

use lariat_base::Budget;
use lariat_ltl::{
    Acceptance, ApId, Brackets, Effort, FormulaId, Formulas, Operators, Rng, Steps, Syntax,
    TranslateConfig, TranslateError, print_formula, random_formula, random_word, satisfies,
    translate,
};
use std::time::Duration;

const ACCEPTANCES: [Acceptance; 3] = [
    Acceptance::Generalized,
    Acceptance::Buchi,
    Acceptance::StateBuchi,
];

fn text(formulas: &Formulas, f: FormulaId) -> String {
    print_formula(formulas, f, Syntax::Spot, Brackets::Minimal).unwrap_or_default()
}

/// Translates a random formula and its negation under each configuration and compares verdicts.
fn check(seed: u64, size: u64, operators: Operators, configs: &[TranslateConfig]) {
    let mut rng = Rng::new(seed);
    let mut formulas = Formulas::new();
    let n_aps = 1 + rng.below(5);
    let aps: Vec<_> = (0..n_aps)
        .map(|i| formulas.ap_id(&format!("p{i}")))
        .collect();
    let size = 1 + rng.below(size);
    let formula = random_formula(&mut formulas, &mut rng, &aps, size, operators);
    compare(seed, formulas, rng, &aps, formula, operators, configs);
}

/// Translates `formula` and its negation under each configuration and compares verdicts.
fn compare(
    seed: u64,
    mut formulas: Formulas,
    mut rng: Rng,
    aps: &[ApId],
    formula: FormulaId,
    operators: Operators,
    configs: &[TranslateConfig],
) {
    let negation = formulas.not(formula);
    let words: Vec<_> = (0..12).map(|_| random_word(&mut rng, aps)).collect();
    let budget = Budget::unlimited().with_time(Duration::from_mins(1));
    for config in configs {
        let mut made = Vec::new();
        for f in [formula, negation] {
            let automaton = match translate(&mut formulas, f, config, &budget) {
                Ok(automaton) => automaton,
                // Nested mixtures of past and future may be too large; they must still end well.
                Err(_) if operators == Operators::Past => return,
                Err(error) => panic!("seed {seed}: {}: {error}", text(&formulas, f)),
            };
            for word in &words {
                assert_eq!(
                    automaton.accepts(word),
                    satisfies(&formulas, word, f),
                    "seed {seed}, {config:?}: {} on {}",
                    text(&formulas, f),
                    word.display(&formulas)
                );
            }
            if config.acceptance == Acceptance::StateBuchi {
                let uniform = automaton.states().all(|s| {
                    let edges = automaton.edges(s);
                    edges.windows(2).all(|pair| pair[0].marks == pair[1].marks)
                });
                assert!(uniform, "seed {seed}: marks belong to states");
            }
            made.push(automaton);
        }
        let common = made[0].common_word(&made[1], &Budget::unlimited());
        assert_eq!(
            common,
            Ok(None),
            "seed {seed}, {config:?}: {}",
            text(&formulas, formula)
        );
    }
}

#[test]
fn every_acceptance_and_effort_agrees_with_the_evaluator() {
    let configs: Vec<TranslateConfig> = ACCEPTANCES
        .iter()
        .flat_map(|&acceptance| {
            [Effort::Low, Effort::High, Effort::Deterministic]
                .map(|effort| TranslateConfig::new(acceptance, effort))
        })
        .collect();
    for seed in 0..300 {
        check(seed, 20, Operators::Future, &configs);
    }
}

/// Conjunctions and disjunctions of `GF`, `FG`, `F` and `G` parts: the routes for prefix-independent
/// formulas, recurrence and products.
#[test]
fn combinations_of_recurrent_parts_agree_with_the_evaluator() {
    let configs = ACCEPTANCES.map(|acceptance| TranslateConfig::new(acceptance, Effort::High));
    for seed in 0..300 {
        let mut rng = Rng::new(90_000 + seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = ["a", "b", "c"].map(|name| formulas.ap_id(name)).to_vec();
        let mut parts: Vec<FormulaId> = Vec::new();
        for _ in 0..2 + rng.below(4) {
            let size = 1 + rng.below(4);
            let inner = random_formula(&mut formulas, &mut rng, &aps, size, Operators::Future);
            let (always, finally) = (formulas.globally(inner), formulas.finally(inner));
            parts.push(match rng.below(6) {
                0 => always,
                1 => finally,
                2 | 3 => formulas.globally(finally),
                _ => formulas.finally(always),
            });
        }
        while parts.len() > 1 {
            let (f, g) = (parts.remove(0), parts.remove(0));
            parts.push(if rng.below(2) == 0 {
                formulas.and(f, g)
            } else {
                formulas.or(f, g)
            });
        }
        compare(
            seed,
            formulas,
            rng,
            &aps,
            parts[0],
            Operators::Future,
            &configs,
        );
    }
}

#[test]
fn every_step_can_be_left_out() {
    let switches: [fn(&mut Steps); 14] = [
        |s| s.simplify = false,
        |s| s.explicit_letters = false,
        |s| s.scc = false,
        |s| s.direct_simulation = false,
        |s| s.reverse_simulation = false,
        |s| s.move_marks = false,
        |s| s.wdba = false,
        |s| s.buchi_simulation = false,
        |s| s.set_orders = false,
        |s| s.portfolio = false,
        |s| s.suspension = false,
        |s| s.recurrence = false,
        |s| s.split = false,
        |s| s.union = false,
    ];
    for (i, off) in (0u64..).zip(switches) {
        let configs = ACCEPTANCES.map(|acceptance| {
            let mut config = TranslateConfig::new(acceptance, Effort::High);
            config.steps.portfolio = false;
            off(&mut config.steps);
            config
        });
        for seed in 0..40 {
            check(1000 * (i + 1) + seed, 16, Operators::Future, &configs);
        }
    }
}

#[test]
fn past_operators_agree_with_the_evaluator() {
    let configs = [
        TranslateConfig::new(Acceptance::Generalized, Effort::High),
        TranslateConfig::new(Acceptance::StateBuchi, Effort::Low),
    ];
    for seed in 0..150 {
        check(50_000 + seed, 9, Operators::Past, &configs);
    }
}

#[test]
fn limits_are_errors_with_a_reason() {
    let mut formulas = Formulas::new();
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let atoms: Vec<FormulaId> = (0..70)
        .map(|i| formulas.ap_named(&format!("a{i}")))
        .collect();
    let all = formulas.and_all(&atoms);
    let error = translate(&mut formulas, all, &config, &Budget::unlimited());
    assert_eq!(error.err(), Some(TranslateError::TooManyAtoms(70)));

    let deep = formulas.next_n(50_000, atoms[0]);
    let error = translate(&mut formulas, deep, &config, &Budget::unlimited());
    assert_eq!(error.err(), Some(TranslateError::TooManySubformulas));

    let parts: Vec<FormulaId> = atoms[..40].iter().map(|&a| formulas.finally(a)).collect();
    let many = formulas.and_all(&parts);
    let budget = Budget::unlimited().with_time(Duration::from_millis(200));
    let error = translate(&mut formulas, many, &config, &budget).err();
    assert!(error.is_some(), "2^40 states are too many");

    let tight = TranslateConfig {
        max_states: 8,
        ..config
    };
    let few = formulas.and_all(&parts[..6]);
    let error = translate(&mut formulas, few, &tight, &Budget::unlimited()).err();
    assert_eq!(error, Some(TranslateError::TooManyStates(8)));
}

#[test]
fn witnesses_are_words_of_both() {
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let mut found = 0;
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = ["a", "b", "c"].map(|name| formulas.ap_id(name)).to_vec();
        let f = random_formula(&mut formulas, &mut rng, &aps, 8, Operators::Future);
        let g = random_formula(&mut formulas, &mut rng, &aps, 8, Operators::Future);
        let budget = Budget::unlimited();
        let a = translate(&mut formulas, f, &config, &budget).expect("small");
        let b = translate(&mut formulas, g, &config, &budget).expect("small");
        let both = formulas.and(f, g);
        let whole = translate(&mut formulas, both, &config, &budget).expect("small");
        let word = a.common_word(&b, &budget).expect("no limit");
        let other = whole.some_word(&budget).expect("no limit");
        assert_eq!(word.is_some(), other.is_some(), "seed {seed}");
        for word in word.iter().chain(&other) {
            assert!(satisfies(&formulas, word, f) && satisfies(&formulas, word, g));
            found += 1;
        }
    }
    assert!(found > 100, "the test looks at words");
}
