//! Developer automation: `cargo xtask SUBCOMMAND`. One module per subcommand.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line tool

mod agree;
mod automata;
mod bench;
mod bench_explicit;
mod c_harnesses;
mod c_programs;
mod charts;
mod ci;
mod circuits;
mod convert;
mod gamma;
mod kill;
mod nightly;
mod series;
mod smv;
mod structured_text;
mod study;
mod tables;
mod tidy;
mod timed;

use std::process::ExitCode;

const HELP: &str = "\
cargo xtask agree [--n N --seed S --jobs J --log FILE]  every engine against naive twins on random systems
cargo xtask agree --infinite …   the program on random infinite models whose answers are known by construction
cargo xtask automata [OPTIONS]   sizes and times of our automata against the measured peers
cargo xtask bench-explicit       states per second and bytes per state of the explicit engine
cargo xtask bench [PART…]        speed of reading, running and showing models
cargo xtask c [--n N --seed S]   random C programs through the C compiler and through our interpreter
cargo xtask circuits [--n N --seed S]  random AIGER and BTOR2 files against simulators of their own
cargo xtask convert [--n N --seed S]  random models in every language that can express them: same verdicts
cargo xtask ci                   everything that CI checks
cargo xtask kill [--n N --seed S]  checks that signals, crashes and full disks end at random moments
cargo xtask nightly              what takes too long for every change: both Z3 libraries, fuzzing, long series
cargo xtask scxml [--n N --seed S]  random statecharts against an interpreter of the standard
cargo xtask gamma [--n N --seed S]  random Gamma models against an interpreter of their rules
cargo xtask smv [--n N --seed S]  random SMV models against an interpreter of their own
cargo xtask study [--full] [--resume]  research questions on the corpora beside the checkout: writes docs/study.md
cargo xtask st [--n N --seed S]  random programs in Structured Text against an interpreter of the standard
cargo xtask tables               the measured tables of docs/configurations.md
cargo xtask timed [--n N --seed S]  random timed automata against the finite models of their regions
cargo xtask tidy                 file headers, file lengths, links, left-over marks, dependencies";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("agree") => agree::run(&args[1..]),
        Some("automata") => automata::run(&args[1..]),
        Some("bench-explicit") => bench_explicit::run(&args[1..]),
        Some("bench") => bench::run(&args[1..]),
        Some("c") => c_programs::run(&args[1..]),
        Some("circuits") => circuits::run(&args[1..]),
        Some("convert") => convert::run(&args[1..]),
        Some("ci") => ci::run(&args[1..]),
        Some("kill") => kill::run(&args[1..]),
        Some("nightly") => nightly::run(&args[1..]),
        Some("scxml") => charts::run(&args[1..]),
        Some("gamma") => gamma::run(&args[1..]),
        Some("smv") => smv::run(&args[1..]),
        Some("study") => study::run(&args[1..]),
        Some("st") => structured_text::run(&args[1..]),
        Some("tables") => tables::run(&args[1..]),
        Some("timed") => timed::run(&args[1..]),
        Some("tidy") => tidy::run(&args[1..]),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("unknown subcommand {other}\n{HELP}")),
        None => Err(format!("which subcommand?\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
