//! Wide disjunctions are translated part by part, many recurrences in turn: their automata accept what the word evaluator says, and stay small.

use lariat_base::Budget;
use lariat_ltl::{
    Acceptance, Effort, FormulaId, Formulas, Operators, Rng, TranslateConfig, TranslateError,
    random_formula, random_word, satisfies, translate,
};
use std::time::Duration;

const N_SEEDS: u64 = 60;

#[test]
fn random_wide_formulas_agree_with_the_evaluator() {
    let (mut n_accepted, mut n_words) = (0, 0);
    for seed in 0..N_SEEDS {
        let mut rng = Rng::new(seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = (0..12).map(|i| formulas.ap_id(&format!("p{i}"))).collect();
        let parts: Vec<FormulaId> = (0..8 + rng.below(4))
            .map(|i| {
                // An atom of its own keeps a part from being simplified away.
                let own = formulas.ap(aps[i as usize]);
                let size = 1 + rng.below(6);
                let other = random_formula(&mut formulas, &mut rng, &aps, size, Operators::Future);
                formulas.and(own, other)
            })
            .collect();
        let any = formulas.or_all(&parts);
        let finally = formulas.finally(any);
        let again = formulas.ap(aps[0]);
        let again = formulas.finally(again);
        let again = formulas.globally(again);
        let both = formulas.and(again, finally);
        let words: Vec<_> = (0..20).map(|_| random_word(&mut rng, &aps)).collect();
        let budget = Budget::unlimited().with_time(Duration::from_mins(1));
        for formula in [any, finally, both] {
            for acceptance in [Acceptance::Generalized, Acceptance::StateBuchi] {
                let config = TranslateConfig::new(acceptance, Effort::High);
                let automaton = translate(&mut formulas, formula, &config, &budget)
                    .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                for word in &words {
                    let expected = satisfies(&formulas, word, formula);
                    assert_eq!(automaton.accepts(word), expected, "seed {seed}");
                    n_accepted += u32::from(expected);
                    n_words += 1;
                }
            }
        }
    }
    assert!(
        n_accepted > n_words / 10 && n_accepted < n_words / 10 * 9,
        "{n_accepted}"
    );
}

/// The negation of n response properties.
fn unanswered(formulas: &mut Formulas, n: usize) -> FormulaId {
    let aps: Vec<_> = (0..=n).map(|i| formulas.ap_id(&format!("a{i}"))).collect();
    let atoms: Vec<FormulaId> = aps.into_iter().map(|ap| formulas.ap(ap)).collect();
    let mut all = Vec::new();
    for pair in atoms.windows(2) {
        let (idle, answered) = (formulas.not(pair[0]), formulas.finally(pair[1]));
        all.push(formulas.or(idle, answered));
    }
    let all = formulas.and_all(&all);
    let always = formulas.globally(all);
    formulas.not(always)
}

#[test]
fn many_response_properties_have_one_state_each() {
    for n in [4, 10, 60] {
        let mut formulas = Formulas::new();
        let formula = unanswered(&mut formulas, n);
        let budget = Budget::unlimited().with_time(Duration::from_mins(1));
        for acceptance in [Acceptance::Generalized, Acceptance::StateBuchi] {
            let config = TranslateConfig::new(acceptance, Effort::High);
            let automaton = translate(&mut formulas, formula, &config, &budget);
            let automaton = automaton.unwrap_or_else(|error| panic!("{n}: {error}"));
            assert_eq!(automaton.n_states(), n + 1);
        }
    }
}

#[test]
fn what_is_too_large_says_why() {
    let mut formulas = Formulas::new();
    let formula = unanswered(&mut formulas, 70);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let made = translate(&mut formulas, formula, &config, &Budget::unlimited());
    assert_eq!(made.err(), Some(TranslateError::TooManyAtoms(71)));
}

/// `GF` of many Boolean formulas, alone and beside another formula.
#[test]
fn many_recurrences_agree_with_the_evaluator() {
    let (mut n_accepted, mut n_words) = (0, 0);
    for seed in 0..N_SEEDS {
        let mut rng = Rng::new(seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = (0..14).map(|i| formulas.ap_id(&format!("p{i}"))).collect();
        let n = 9 + rng.below(6) as usize;
        let mut again = Vec::new();
        for at in 0..n {
            let (own, other) = (formulas.ap(aps[at]), formulas.ap(aps[(at + 1) % n]));
            let not = formulas.not(other);
            let either = match rng.below(3) {
                0 => own,
                1 => formulas.or(own, other),
                _ => formulas.or(own, not),
            };
            let finally = formulas.finally(either);
            again.push(formulas.globally(finally));
        }
        let all = formulas.and_all(&again);
        let other = random_formula(&mut formulas, &mut rng, &aps[..4], 5, Operators::Future);
        let both = formulas.and(all, other);
        let words: Vec<_> = (0..40).map(|_| random_word(&mut rng, &aps)).collect();
        let budget = Budget::unlimited().with_time(Duration::from_mins(1));
        for formula in [all, both] {
            let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
            let automaton = translate(&mut formulas, formula, &config, &budget)
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
            for word in &words {
                let expected = satisfies(&formulas, word, formula);
                assert_eq!(automaton.accepts(word), expected, "seed {seed}");
                n_accepted += u32::from(expected);
                n_words += 1;
            }
        }
    }
    assert!(n_accepted > n_words / 50, "{n_accepted} of {n_words}");
}

/// As many as circuits have justice conditions: no edge for each set of them.
#[test]
fn sixty_recurrences_have_a_small_automaton() {
    let mut formulas = Formulas::new();
    let mut again = Vec::new();
    for i in 0..60 {
        let atom = formulas.ap_named(&format!("p{i}"));
        let finally = formulas.finally(atom);
        again.push(formulas.globally(finally));
    }
    let all = formulas.and_all(&again);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, all, &config, &Budget::unlimited());
    let automaton = automaton.expect("it is small");
    assert_eq!(automaton.n_states(), 60);
    let edges = automaton.states().map(|state| automaton.edges(state).len());
    assert!(edges.sum::<usize>() <= 600);
}
