//! simulate
use crate::session::{Failure, Session};
use std::process::ExitCode;
/// Options
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    models: crate::cli::ModelArgs,
}
pub fn run(_: &SimulateArgs, _: &mut Session) -> Result<ExitCode, Failure> {
    Ok(ExitCode::SUCCESS)
}
