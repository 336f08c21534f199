//! The commands, one module each.

pub mod automaton;
pub mod check;
pub mod compare;
pub mod formula;
pub mod ltl;
pub mod show;
pub mod simulate;

use crate::cli::Command;
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs a command.
pub fn run(command: Command, session: &mut Session) -> Result<ExitCode, Failure> {
    match command {
        Command::Automaton(args) => automaton::run(&args, session),
        Command::Check(args) => check::run(*args, session),
        Command::Compare(args) => compare::run(&args, session),
        Command::Ltl(args) => ltl::run(&args, session),
        Command::Show(args) => show::run(&args, session),
        Command::Simulate(args) => simulate::run(&args, session),
    }
}
