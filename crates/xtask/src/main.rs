//! Developer automation: `cargo xtask SUBCOMMAND`. One module per subcommand.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line tool

mod automata;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("automata") => automata::run(&args[1..]),
        _ => Err("usage: cargo xtask automata [OPTIONS]".to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
