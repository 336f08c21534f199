//! `cargo xtask c`: random C programs through the system's compiler and through our interpreter
//! (with `--harness` see `c_harnesses`).
//!
//! Programs are compiled a hundred at a time. Each is read with mathematical integers and with those of the
//! machine, or, if it uses what only the latter know, with these alone. A program that differs is
//! written to a file.

use crate::c_harnesses;
use crate::series::Series;
use lariat_frontend::IntMode;
use lariat_testkit::{CGen, CProgram, CompilerError, rng, run_compiled, run_read};
use std::path::Path;
use std::time::Instant;

/// How many programs one C file holds.
const BATCH: u64 = 100;

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 1000)?;
    if others.contains(&"--harness") {
        return c_harnesses::run(args);
    }
    let sanitize = others.contains(&"--sanitize");
    if let Some(other) = others.iter().find(|&&other| other != "--sanitize") {
        return Err(format!(
            "c has no option {other}; it has --n N, --seed S, --sanitize and --harness"
        ));
    }
    let folder = std::env::temp_dir().join(format!("lariat-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut at = first;
    while at < first + n {
        let end = (at + BATCH).min(first + n);
        tally.batch(at..end, &folder, sanitize)?;
        at = end;
    }
    let Tally {
        runs,
        lines,
        refused,
        unfinished,
        wrong,
    } = tally;
    println!(
        "{n} programs, {runs} runs of ours, {lines} points of all globals compared, {unfinished} runs cut off, \
         {refused} refused as not supported, {wrong} differ; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if wrong > 0 {
        return Err(format!("see the programs in {}", folder.display()));
    }
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

/// What a series of programs came to.
#[derive(Default)]
struct Tally {
    runs: u64,
    lines: u64,
    refused: u64,
    unfinished: u64,
    wrong: u64,
}

impl Tally {
    fn batch(
        &mut self,
        seeds: std::ops::Range<u64>,
        folder: &Path,
        sanitize: bool,
    ) -> Result<(), String> {
        let make = |seed: u64| {
            let (bits, recursion) = (seed % 3 == 2, seed % 4 == 3);
            let maker = CGen {
                bits,
                recursion,
                inputs: false,
            };
            let program = maker.program(&format!("p{seed}_"), &mut rng(seed));
            (seed, bits, program)
        };
        let drawn: Vec<(u64, bool, CProgram)> = seeds.map(make).collect();
        let programs: Vec<CProgram> = drawn.iter().map(|entry| entry.2.clone()).collect();
        let traces = match run_compiled(&programs, folder, sanitize) {
            Ok(traces) => traces,
            Err(CompilerError::Missing) => return Err("there is no `cc`".into()),
            Err(CompilerError::Failed(why)) => return Err(why),
        };
        for ((seed, bits, program), trace) in drawn.iter().zip(&traces) {
            let modes = [IntMode::BitPrecise, IntMode::Math];
            let modes = if *bits { &modes[..1] } else { &modes[..] };
            for &mode in modes {
                self.runs += 1;
                let why = match run_read(program, mode) {
                    Err(why) if why.contains("not supported") => {
                        println!("seed {seed}, {mode:?}: {why}");
                        self.refused += 1;
                        continue;
                    }
                    Err(why) => why,
                    Ok((ours, ended)) => {
                        self.lines += ours.len() as u64;
                        self.unfinished += u64::from(!ended);
                        match difference(trace, &ours, ended) {
                            None => continue,
                            Some(why) => why,
                        }
                    }
                };
                self.wrong += 1;
                let file = folder.join(format!("{seed}.c"));
                std::fs::write(&file, program.text()).map_err(|error| error.to_string())?;
                println!("seed {seed}, {mode:?}: {why}; {}", file.display());
            }
        }
        Ok(())
    }
}

fn difference(theirs: &[String], ours: &[String], ended: bool) -> Option<String> {
    for (i, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
        if theirs != ours {
            return Some(format!("at point {i}\n  cc   {theirs}\n  ours {ours}"));
        }
    }
    if ours.len() > theirs.len() || ended && ours.len() < theirs.len() {
        let (n, m) = (theirs.len(), ours.len());
        return Some(format!("cc passes {n} points, ours {m}"));
    }
    None
}
