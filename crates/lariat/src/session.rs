//! One run of the program: what all commands share, and how a run ends.

use crate::cli::{Cli, Color};
use crate::output::Output;
use crate::{commands, render};
use lariat_base::{Diagnostic, SourceMap};
use lariat_system::Context;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

/// What a command works with.
pub struct Session {
    /// Terms and statements of all models.
    pub cx: Context,
    /// The texts they were read from.
    pub sources: SourceMap,
    /// Standard output.
    pub out: Output,
    /// Whether findings are coloured.
    styled: bool,
}

/// Why a command did not finish.
pub enum Failure {
    /// The input or the options are wrong.
    Findings(Vec<Diagnostic>),
    /// The result could not be written.
    Output(io::Error),
}

impl From<Diagnostic> for Failure {
    fn from(finding: Diagnostic) -> Self {
        Self::Findings(vec![finding])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(findings: Vec<Diagnostic>) -> Self {
        Self::Findings(findings)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Bad input or bad options.
const BAD_INPUT: u8 = 2;

/// Runs a command and says how it ended.
pub fn run(cli: Cli) -> ExitCode {
    let mut session = Session {
        cx: Context::new(),
        sources: SourceMap::new(),
        out: Output::stdout(),
        styled: is_styled(cli.color),
    };
    let result = commands::run(cli.command, &mut session)
        .and_then(|code| session.out.flush().map(|()| code).map_err(Failure::Output));
    match result {
        Ok(code) => code,
        Err(Failure::Findings(findings)) => {
            // What was written before the failure still belongs to the reader.
            let _ = session.out.flush();
            session.report(&findings);
            ExitCode::from(BAD_INPUT)
        }
        // The reader has seen enough, as in `lariat show … | head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(Failure::Output(error)) => {
            let message = format!("cannot write the result: {error}");
            session.report(&[Diagnostic::error("cannot-write", message)]);
            ExitCode::from(BAD_INPUT)
        }
    }
}

impl Session {
    /// Shows findings on standard error.
    pub fn report(&self, findings: &[Diagnostic]) {
        render::report(&self.sources, findings, self.styled);
    }
}

fn is_styled(color: Color) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
        }
    }
}
