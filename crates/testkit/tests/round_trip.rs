//! Random models of every language: they are read, what is printed reads back as the same system,
//! and they run.

use lariat_base::SourceMap;
use lariat_frontend::{parse, print};
use lariat_system::{Context, Language, Limits, Outcome, Run, Simulator, System};
use lariat_testkit::{ModelGen, rng};
use rand::Rng as _;

/// For each language, half of them wild.
const N_MODELS: u64 = 2_500;

#[test]
fn ten_thousand_random_models_survive_printing() {
    for language in Language::ALL {
        for seed in 0..N_MODELS {
            let text = model_text(language, seed);
            let mut cx = Context::new();
            let first = read(&mut cx, language, &text, seed);
            let printed = print(&cx, &first);
            let second = read(&mut cx, language, &printed, seed);
            assert!(
                first.same(&second, &cx),
                "{language:?}, seed {seed}\n--- written\n{text}\n--- printed\n{printed}"
            );
            // What is printed is a fixed point.
            assert_eq!(print(&cx, &second), printed, "{language:?}, seed {seed}");
        }
    }
}

#[test]
fn random_models_run_and_their_runs_replay() {
    for language in Language::ALL {
        let mut n_steps = 0;
        for seed in 0..N_MODELS / 10 {
            let mut cx = Context::new();
            let mut system = read(&mut cx, language, &model_text(language, seed), seed);
            let limits = Limits {
                cases: 2_000,
                ..Limits::default()
            };
            let mut dice = rng(seed);
            let mut run = Run { steps: Vec::new() };
            let mut simulator = Simulator::new(&mut cx, &mut system, limits);
            for _ in 0..8 {
                if simulator.step(|n| dice.random_range(0..n)) != Outcome::Stepped {
                    break;
                }
                run.steps.extend(simulator.last_step());
            }
            n_steps += run.steps.len();
            if !run.steps.is_empty() {
                let replayed = run.replay(&cx, &mut system);
                assert!(replayed.is_ok(), "{language:?}, seed {seed}: {replayed:?}");
            }
        }
        let least = N_MODELS as usize / 10;
        assert!(n_steps > least, "{language:?}: only {n_steps} steps in all");
    }
}

fn model_text(language: Language, seed: u64) -> String {
    let gen_ = if seed.is_multiple_of(2) {
        ModelGen::default()
    } else {
        ModelGen::wild()
    };
    gen_.model(language, &mut rng(seed))
}

fn read(cx: &mut Context, language: Language, text: &str, seed: u64) -> System {
    let mut sources = SourceMap::new();
    let id = sources.add("random", text);
    match parse(cx, language, id, sources.file(id)) {
        Ok(parsed) => parsed.system,
        Err(findings) => {
            let finding = &findings[0];
            let place = finding.primary.as_ref().map(|p| sources.describe(p.span));
            panic!(
                "{language:?}, seed {seed}: {} at {place:?}\n{text}",
                finding.message
            );
        }
    }
}
