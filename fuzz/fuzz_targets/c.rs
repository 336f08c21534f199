//! Any bytes as a C program: no crash and no hang in both readings of integers, the same system when it is
//! read again, and what was read runs and replays.
#![no_main]

use lariat_base::{Id, SourceId};
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_fuzz::file;
use lariat_system::{Context, Language, Limits, Outcome, Run, Simulator};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let file = file(text);
    let source = SourceId::from_index(0);
    for ints in [IntMode::Math, IntMode::BitPrecise] {
        let options = Options {
            c: COptions {
                ints,
                includes: lariat_frontend::Includes::Skipped,
                overflow: text.len() % 2 == 1,
                hangs: text.len() % 4 >= 2,
                recursion: text.len() as u32 % 3,
                ..COptions::default()
            },
            ..Options::default()
        };
        let mut cx = Context::new();
        let Ok(first) = parse_with(&mut cx, Language::C, source, &file, &options) else {
            continue;
        };
        let second = parse_with(&mut cx, Language::C, source, &file, &options);
        let second = second.expect("it was read before");
        assert!(
            first.system.same(&second.system, &cx),
            "differs when it is read again"
        );
        let mut system = first.system;
        let limits = Limits {
            cases: 50,
            ..Limits::default()
        };
        let mut run = Run { steps: Vec::new() };
        let mut simulator = Simulator::new(&mut cx, &mut system, limits);
        let mut dice = 1u32;
        for _ in 0..20 {
            let pick = |n: u32| {
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                dice % n
            };
            if simulator.step(pick) != Outcome::Stepped {
                break;
            }
            run.steps.extend(simulator.last_step());
        }
        if !run.steps.is_empty() {
            let replayed = run.replay(&cx, &mut system);
            assert!(replayed.is_ok(), "{replayed:?}");
        }
    }
});
