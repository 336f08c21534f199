//! Random C programs do the same in our interpreter and when the system's compiler has made them.
//! `cargo xtask c` runs more of them.
#![allow(clippy::print_stdout)] // says why it was skipped

use lariat_frontend::IntMode;
use lariat_testkit::{CGen, CompilerError, rng, run_compiled, run_read};

/// A third of them use shifts and bit operators, a fourth functions that call themselves.
const N_PROGRAMS: u64 = 210;

#[test]
fn programs_do_the_same_as_when_compiled() {
    let make = |seed: u64| {
        let (bits, recursion) = (seed % 3 == 2, seed % 4 == 3);
        CGen {
            bits,
            recursion,
            inputs: false,
        }
        .program(&format!("p{seed}_"), &mut rng(seed))
    };
    let programs: Vec<_> = (0..N_PROGRAMS).map(make).collect();
    let folder = std::env::temp_dir().join(format!("lariat-c-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let traces = run_compiled(&programs, &folder, false);
    std::fs::remove_dir_all(&folder).expect("the folder was made");
    let traces = match traces {
        Ok(traces) => traces,
        Err(CompilerError::Missing) => {
            println!("skipped: there is no `cc`");
            return;
        }
        Err(CompilerError::Failed(why)) => panic!("{why}"),
    };
    assert_eq!(traces.len(), programs.len());
    let mut n_points = 0;
    for (seed, (program, theirs)) in programs.iter().zip(&traces).enumerate() {
        let modes = [IntMode::BitPrecise, IntMode::Math];
        let modes = if seed % 3 == 2 {
            &modes[..1]
        } else {
            &modes[..]
        };
        for &mode in modes {
            let (ours, ended) = run_read(program, mode)
                .unwrap_or_else(|why| panic!("seed {seed}, {mode:?}: {why}\n{}", program.text()));
            assert!(ended, "seed {seed}, {mode:?}: cut off\n{}", program.text());
            assert_eq!(
                *theirs,
                ours,
                "seed {seed}, {mode:?}: compiled left, ours right\n{}",
                program.text()
            );
            n_points += ours.len();
        }
    }
    assert!(n_points > 1000, "only {n_points} points compared");
}
