//! One run of the program: what all commands share, and how a run ends.

use crate::cli::Cli;
use crate::commands::check::{Line, Message};
use crate::finding::Finding;
use crate::output::Output;
use crate::screen::Screen;
use crate::{commands, render};
use lariat_base::{Diagnostic, Severity, SourceMap};
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
    /// What standard output is shown on.
    pub screen: Screen,
    /// Whether findings are coloured.
    styled: bool,
    /// How findings are told.
    pub telling: Telling,
    /// Those that were told.
    told: Vec<Finding>,
}

/// How findings are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Telling {
    /// As text on standard error.
    Text,
    /// Likewise, but only errors.
    Errors,
    /// Each as a line of JSON on standard output.
    Lines,
    /// Not at all: whoever ends the command writes them.
    Kept,
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
pub const BAD_INPUT: u8 = 2;

/// Runs a command and says how it ended.
pub fn run(cli: Cli) -> ExitCode {
    let mut session = Session {
        cx: Context::new(),
        sources: SourceMap::new(),
        out: Output::stdout(),
        screen: Screen::new(cli.color),
        styled: cli.color.is_wanted(io::stderr().is_terminal()),
        telling: Telling::Text,
        told: Vec::new(),
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
    /// Tells findings.
    pub fn report(&mut self, findings: &[Diagnostic]) {
        let new = findings.iter().map(|f| Finding::new(&self.sources, f));
        let new: Vec<Finding> = new.collect();
        // A worker's parent writes them, if it is still there.
        let _ = self.out.tell(Message::Findings(new.clone()));
        let n_old = self.told.len();
        self.told.extend(new);
        match self.telling {
            Telling::Text => render::report(&self.sources, findings, self.styled),
            Telling::Errors => {
                let errors = findings.iter().filter(|f| f.severity == Severity::Error);
                let errors: Vec<Diagnostic> = errors.cloned().collect();
                render::report(&self.sources, &errors, self.styled);
            }
            Telling::Lines => {
                for fields in &self.told[n_old..] {
                    let event = "diagnostic";
                    // An output that cannot be written is noticed at the end.
                    let _ = self.out.json_line(&Line { event, fields });
                }
            }
            Telling::Kept => {}
        }
    }

    /// The findings that were told.
    pub fn told(&self) -> &[Finding] {
        &self.told
    }
}
