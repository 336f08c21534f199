//! `cargo xtask automata`: sizes and times of our automata against the measured peers, an ablation
//! of the translator's steps, and the random test against the lasso-word evaluator.
//!
//! Sizes are counted as in `peer-sizes.tsv`: states and symbolic edges of the automaton without a
//! trap state; all formulas of the five classic sets and their negations. Times are CPU time of
//! this process for all translations of one pass, the best of some passes.

mod random;
mod sizes;

use std::path::PathBuf;

const HELP: &str = "\
cargo xtask automata [OPTIONS]
  --corpus DIR     the LTL corpus (default ../shared/corpus/ltl)
  --losses         list every formula on which Spot is smaller
  --ablation       what each step of the translator buys
  --families       the scalable families against Spot
  --only NAME      one family of --families, every row
  --seconds S      the limit per formula of --families (default 20)
  --kind KIND      only tgba, tba or ba in --families
  --random N       N random formulas against the lasso-word evaluator, nothing else
  --seed S         the seed of --random (default 1)
  --past           with past operators in --random";

/// What the command line asked for.
#[allow(clippy::struct_excessive_bools)] // independent switches
struct Options {
    corpus: PathBuf,
    losses: bool,
    ablation: bool,
    families: bool,
    only: Option<String>,
    kind: Option<String>,
    seconds: u64,
    random: Option<u64>,
    seed: u64,
    past: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let options = parse(args)?;
    if let Some(n) = options.random {
        return random::run(n, options.seed, options.past);
    }
    sizes::run(&options)
}

fn parse(args: &[String]) -> Result<Options, String> {
    let mut options = Options {
        corpus: PathBuf::from("../shared/corpus/ltl"),
        losses: false,
        ablation: false,
        families: false,
        only: None,
        kind: None,
        seconds: 20,
        random: None,
        seed: 1,
        past: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || {
            args.next()
                .cloned()
                .ok_or(format!("{arg} needs a value\n{HELP}"))
        };
        let number = |text: String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
        match arg.as_str() {
            "--corpus" => options.corpus = PathBuf::from(value()?),
            "--losses" => options.losses = true,
            "--ablation" => options.ablation = true,
            "--families" => options.families = true,
            "--only" => options.only = Some(value()?),
            "--kind" => options.kind = Some(value()?),
            "--seconds" => options.seconds = number(value()?)?,
            "--random" => options.random = Some(number(value()?)?),
            "--seed" => options.seed = number(value()?)?,
            "--past" => options.past = true,
            _ => return Err(format!("unknown option {arg}\n{HELP}")),
        }
    }
    Ok(options)
}

/// CPU time of this process so far, in milliseconds, where the system tells (Linux).
fn cpu_ms() -> f64 {
    let read = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let ns = read
        .split_whitespace()
        .next()
        .and_then(|t| t.parse::<f64>().ok());
    ns.unwrap_or(0.0) / 1e6
}
