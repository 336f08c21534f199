//! The command line of Lariat. Everything that knows files, the terminal and exit codes is here;
//! what is done with models is in the other crates.

mod cli;
mod commands;
mod cpp;
mod csv;
#[allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]
// numbers of lines and places on a sheet are small
mod drawing;
mod finding;
mod gamma_files;
mod load;
mod options;
mod output;
mod page;
mod quantity;
mod render;
mod run_file;
mod screen;
mod session;
mod target;

use clap::Parser as _;
use std::process::ExitCode;

/// Some walks over statements recurse as deep as blocks are nested, and a chain of `else if` nests as
/// deep as it is long: a thread with a large stack (of which only what is used is ever backed by
/// memory) takes chains of hundreds of thousands.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let worker = std::thread::Builder::new().stack_size(STACK);
    match worker
        .spawn(move || session::run(cli))
        .map(std::thread::JoinHandle::join)
    {
        Ok(Ok(code)) => code,
        // The panic has been reported by the thread itself; a bug is no verdict.
        Ok(Err(_)) => ExitCode::from(BUG),
        Err(_) => ExitCode::from(BUG),
    }
}

/// The exit code of a bug in Lariat.
const BUG: u8 = 101;
