//! The commands, one module each.

pub mod show;
pub mod simulate;

use crate::cli::Command;
use crate::session::{Failure, Session};
use std::process::ExitCode;

/// Runs a command.
pub fn run(command: Command, session: &mut Session) -> Result<ExitCode, Failure> {
    match command {
        Command::Show(args) => show::run(&args, session),
        Command::Simulate(args) => simulate::run(&args, session),
    }
}
