//! `lariat completions` and `lariat man`: what a shell and a reader of manuals need, from the same table of arguments
//! that the command line is read by.

use crate::cli::Cli;
use crate::session::{Failure, Session};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use lariat_base::{Diagnostic, nearest};
use std::process::ExitCode;

/// Prints a script that completes commands and options in a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

const COMPLETIONS: &str = "\
Examples:
  lariat completions bash > ~/.local/share/bash-completion/completions/lariat
  lariat completions zsh > ~/.zfunc/_lariat          with ~/.zfunc in $fpath
  lariat completions fish > ~/.config/fish/completions/lariat.fish";

/// Prints a manual page (roff) of the program or of one of its commands.
#[derive(Debug, Args)]
#[command(after_help = MANUAL)]
pub struct ManArgs {
    /// The command; the program as a whole without one
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

const MANUAL: &str = "\
Examples:
  lariat man | man -l -
  lariat man check > ~/.local/share/man/man1/lariat-check.1";

/// Runs `lariat completions`.
pub fn completions(args: &CompletionsArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lariat", &mut script);
    session.out.text(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `lariat man`.
pub fn man(args: &ManArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut cli = Cli::command();
    cli.build();
    let command = match &args.command {
        None => cli,
        Some(name) => {
            let commands = cli.get_subcommands();
            let names: Vec<&str> = commands.map(clap::Command::get_name).collect();
            let Some(command) = cli.find_subcommand(name) else {
                let near = nearest(name, names.iter().copied());
                let message = format!("there is no command `{name}`");
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", names.join(", ")),
                };
                return Err(Diagnostic::error("unknown-command", message)
                    .hint(hint)
                    .into());
            };
            command.clone()
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    session.out.text(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}
