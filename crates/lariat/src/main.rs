//! The command line of Lariat. Everything that knows files, the terminal and exit codes is here;
//! what is done with models is in the other crates.

mod cli;
mod commands;
mod label;
mod load;
mod output;
mod quantity;
mod render;
mod session;
mod statement;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    session::run(cli::Cli::parse())
}
