//! Random formulas: the automata of a formula and of its negation, for every acceptance and effort,
//! against the lasso-word evaluator; and the two never share a word.

use lariat_base::Budget;
use lariat_ltl::{
    Acceptance, Automaton, Effort, FormulaId, Formulas, Operators, Rng, Syntax, TranslateConfig,
    print_formula, random_formula, random_word, satisfies, translate,
};
use std::time::Duration;

const ACCEPTANCES: [Acceptance; 3] = [
    Acceptance::Generalized,
    Acceptance::Buchi,
    Acceptance::StateBuchi,
];
const EFFORTS: [Effort; 3] = [Effort::Low, Effort::High, Effort::Deterministic];
const WORDS: u64 = 16;
/// For all automata of one formula; only nested mixtures of past and future need more.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tests `n` formulas from `seed`; the first failure ends with everything needed to repeat it.
pub(super) fn run(n: u64, seed: u64, past: bool) -> Result<(), String> {
    let operators = if past {
        Operators::Past
    } else {
        Operators::Future
    };
    let (mut n_automata, mut n_verdicts, mut n_given_up) = (0u64, 0u64, 0u64);
    for i in 0..n {
        let mut rng = Rng::new(seed.wrapping_mul(0x1_0000_0000).wrapping_add(i));
        let mut formulas = Formulas::new();
        let n_aps = 1 + rng.below(5);
        let aps: Vec<_> = (0..n_aps)
            .map(|i| formulas.ap_id(&format!("p{i}")))
            .collect();
        let size = 1 + rng.below(20);
        let formula = random_formula(&mut formulas, &mut rng, &aps, size, operators);
        let negation = formulas.not(formula);
        let budget = Budget::unlimited().with_time(PATIENCE);
        let words: Vec<_> = (0..WORDS).map(|_| random_word(&mut rng, &aps)).collect();
        let mut generalized: Vec<(Effort, FormulaId, Automaton)> = Vec::new();
        for acceptance in ACCEPTANCES {
            for effort in EFFORTS {
                let config = TranslateConfig::new(acceptance, effort);
                for f in [formula, negation] {
                    let made = translate(&mut formulas, f, &config, &budget);
                    let Ok(automaton) = made else {
                        n_given_up += 1;
                        continue;
                    };
                    n_automata += 1;
                    for word in &words {
                        n_verdicts += 1;
                        if automaton.accepts(word) != satisfies(&formulas, word, f) {
                            let what = format!("{acceptance:?} {effort:?}");
                            let word = word.display(&formulas).to_string();
                            return Err(failure(&formulas, f, seed, i, &what, &word));
                        }
                    }
                    if acceptance == Acceptance::Generalized {
                        generalized.push((effort, f, automaton));
                    }
                }
            }
        }
        let positive = generalized.iter().filter(|made| made.1 == formula);
        let pairs = positive.flat_map(|a| generalized.iter().map(move |b| (a, b)));
        for (a, b) in pairs.filter(|(a, b)| a.0 == b.0 && b.1 == negation) {
            let common = a.2.common_word(&b.2, &Budget::unlimited());
            let common = common.map_err(|e| e.to_string())?;
            if let Some(word) = common {
                let word = word.display(&formulas).to_string();
                return Err(failure(&formulas, formula, seed, i, "intersection", &word));
            }
        }
    }
    println!(
        "{n} formulas from seed {seed}: {n_automata} automata, {n_verdicts} verdicts on words, \
         no disagreement, {n_given_up} given up"
    );
    Ok(())
}

fn failure(formulas: &Formulas, f: FormulaId, seed: u64, i: u64, what: &str, word: &str) -> String {
    let text = print_formula(formulas, f, Syntax::Spot, lariat_ltl::Brackets::Minimal)
        .unwrap_or_else(|_| "(too large to print)".to_owned());
    format!("seed {seed} formula {i} ({what}): {text}\n  on {word}")
}
