//! Random Gamma models: the reader and an interpreter of the rules agree.

use lariat_testkit::compare_gamma;

#[test]
fn random_models_do_what_the_interpreter_does() {
    let asked = std::env::var("LARIAT_GAMMA_SEEDS").ok();
    let n_seeds = asked.and_then(|n| n.parse().ok()).unwrap_or(60);
    let mut n_cycles = 0;
    for seed in 0..n_seeds {
        match compare_gamma(seed) {
            Ok(tally) => n_cycles += tally.agreed,
            Err(why) => panic!("{why}"),
        }
    }
    assert!(n_cycles > 200, "only {n_cycles} cycles were compared");
}
