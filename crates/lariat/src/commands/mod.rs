//! The commands, one module each.

pub mod abstraction;
pub mod automaton;
pub mod check;
pub mod compare;
pub mod convert;
pub mod explain;
pub mod formula;
pub mod ltl;
pub mod shell;
pub mod show;
pub mod simulate;

use crate::cli::Command;
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs a command.
pub fn run(command: Command, session: &mut Session) -> Result<ExitCode, Failure> {
    match command {
        Command::Abstract(args) => abstraction::run(&args, session),
        Command::Automaton(args) => automaton::run(&args, session),
        Command::Check(args) => check::run(*args, session),
        Command::Compare(args) => compare::run(&args, session),
        Command::Completions(args) => shell::completions(&args, session),
        Command::Convert(args) => convert::run(&args, session),
        Command::Explain(args) => explain::run(&args, session),
        Command::Ltl(args) => ltl::run(&args, session),
        Command::Man(args) => shell::man(&args, session),
        Command::Show(args) => show::run(&args, session),
        Command::Simulate(args) => simulate::run(&args, session),
    }
}
