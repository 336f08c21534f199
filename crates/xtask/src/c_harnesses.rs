//! `cargo xtask c --harness`: runs of random C programs with inputs, each repeated by its compiled harness.
//!
//! A random program calls functions without a body in expressions, conditions and arguments, lets them store through
//! pointers, and reads volatile variables. Our simulator draws a run of it: a lasso where a state comes back or the program
//! ends, else a finite run. From that the harness is made, as from a counterexample, compiled, and executed: it
//! compares all global variables at every input.

use crate::series::Series;
use lariat_base::SourceMap;
use lariat_check::Counterexample;
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{
    Context, Growth, Language, Lasso, Limits, Outcome, Run, Simulator, Step, System,
};
use lariat_testkit::{CGen, Rng, rng};
use lariat_verify::export::harness_of_run;
use rand::Rng as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The most steps of a run.
const MAX_STEPS: usize = 250;
/// What lets a harness see the reads of volatile variables.
const SEE_READS: [&str; 3] = [
    "-fsanitize=thread",
    "--param",
    "tsan-distinguish-volatile=1",
];

pub fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 2000)?;
    if let Some(other) = others.iter().find(|&&other| other != "--harness") {
        return Err(format!(
            "--harness goes with --n N and --seed S, not {other}"
        ));
    }
    let folder = std::env::temp_dir().join(format!("lariat-harness-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let mut tally = Tally::default();
    for seed in first..first + n {
        tally.program(seed, &folder)?;
    }
    let Tally {
        followed,
        lassos,
        volatile,
        places,
        refused,
        wrong,
    } = tally;
    println!(
        "{n} programs: {followed} runs followed by their harness ({lassos} lassos, {volatile} with volatile variables, \
         {places} places compared), {refused} without a harness, {wrong} differ; {:.1} s",
        start.elapsed().as_secs_f64()
    );
    if wrong > 0 {
        return Err(format!("see the programs in {}", folder.display()));
    }
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

/// What a series came to.
#[derive(Default)]
struct Tally {
    followed: u64,
    lassos: u64,
    volatile: u64,
    places: u64,
    refused: u64,
    wrong: u64,
}

impl Tally {
    fn program(&mut self, seed: u64, folder: &Path) -> Result<(), String> {
        let mut dice = rng(seed);
        let bits = seed % 3 == 2;
        let maker = CGen {
            bits,
            recursion: false,
            inputs: true,
        };
        let program = maker.program("", &mut dice);
        let path = folder.join(format!("{seed}.c"));
        std::fs::write(&path, program.text()).map_err(|error| error.to_string())?;
        let ints = if bits || seed % 2 == 1 {
            IntMode::BitPrecise
        } else {
            IntMode::Math
        };
        let (harness, is_lasso) = match harness(&path, &program.text(), ints, &mut dice) {
            Ok(made) => made,
            Err(why) => {
                println!("seed {seed}: {why}");
                self.refused += 1;
                return Ok(());
            }
        };
        match follow(&path.with_extension("harness.c"), &harness) {
            Ok(places) => {
                self.followed += 1;
                self.lassos += u64::from(is_lasso);
                self.volatile += u64::from(sees_reads(&harness));
                self.places += places;
                for end in ["c", "harness.c", "harness.o", "harness"] {
                    let _ = std::fs::remove_file(path.with_extension(end));
                }
            }
            Err(why) => {
                self.wrong += 1;
                println!("seed {seed}, {ints:?}: {why}; {}", path.display());
            }
        }
        Ok(())
    }
}

/// The harness of a random run, and whether the run is infinite.
fn harness(
    path: &Path,
    text: &str,
    ints: IntMode,
    dice: &mut Rng,
) -> Result<(String, bool), String> {
    let mut sources = SourceMap::new();
    let id = sources.add(path.display().to_string(), text);
    let mut cx = Context::new();
    let options = Options {
        c: COptions {
            ints,
            ..COptions::default()
        },
        ..Options::default()
    };
    let parsed = parse_with(&mut cx, Language::C, id, sources.file(id), &options);
    let mut system = parsed
        .map_err(|findings| findings[0].message.clone())?
        .system;
    let found = random_run(&mut cx, &mut system, dice)?;
    let is_lasso = matches!(found, Counterexample::Lasso(_));
    let text = harness_of_run(&mut cx, &sources, id, &mut system, "nothing", &found, &[])?;
    Ok((text, is_lasso))
}

fn random_run(
    cx: &mut Context,
    system: &mut System,
    dice: &mut Rng,
) -> Result<Counterexample, String> {
    let mut simulator = Simulator::new(cx, system, Limits::default());
    simulator.prefer_likely_values();
    let mut steps: Vec<Step> = Vec::new();
    while steps.len() < MAX_STEPS {
        match simulator.step(|n| small(dice, n)) {
            Outcome::Stepped => {}
            other => return Err(format!("a run cannot go on: {other:?}")),
        }
        let step = simulator.last_step().expect("a step was taken");
        let honda = steps.iter().position(|old| old.state == step.state);
        steps.push(step);
        if let Some(honda) = honda {
            return Ok(Counterexample::Lasso(Lasso {
                run: Run { steps },
                honda,
                growth: Growth::default(),
                region: Vec::new(),
                inputs: Vec::new(),
            }));
        }
    }
    Ok(Counterexample::Path(Run { steps }))
}

/// A random number below `n`: of many, mostly one near an end.
fn small(dice: &mut Rng, n: u32) -> u32 {
    if n <= 1 << 16 {
        return dice.random_range(0..n);
    }
    match dice.random_range(0..8) {
        0 => dice.random_range(0..n),
        1 => n - dice.random_range(1..10),
        _ => dice.random_range(0..20),
    }
}

fn sees_reads(harness: &str) -> bool {
    harness.contains("LARIAT_SEES_READS")
}

/// Compiles and runs a harness: how many places it compared, or what went wrong.
fn follow(source: &Path, harness: &str) -> Result<u64, String> {
    let (object, binary) = (source.with_extension("o"), source.with_extension(""));
    std::fs::write(source, harness).map_err(|error| error.to_string())?;
    let mut compile = Command::new("cc");
    if sees_reads(harness) {
        compile.args(SEE_READS);
    }
    compile.args(["-w", "-c", "-o"]).arg(&object).arg(source);
    said(&mut compile)?;
    said(Command::new("cc").arg("-o").arg(&binary).arg(&object))?;
    let text = said(&mut Command::new(&binary))?;
    let places = text
        .strip_prefix("as in the counterexample: ")
        .and_then(|rest| rest.strip_suffix(" places\n"));
    places
        .and_then(|places| places.parse().ok())
        .ok_or(format!("the harness says {text}"))
}

/// What a program says if it ends well.
fn said(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("{text}{error}"))
}

#[cfg(test)]
mod tests {
    /// A sample of the series.
    #[test]
    fn harnesses_follow_random_runs() {
        if std::process::Command::new("cc")
            .arg("--version")
            .output()
            .is_err()
        {
            return;
        }
        let args = ["--harness", "--n", "25", "--seed", "1000000"];
        super::run(&args.map(str::to_owned)).expect("all are followed");
    }
}
