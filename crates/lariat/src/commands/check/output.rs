//! What is written where: the options, and which of them contradict each other.

use crate::options::useless;
use crate::run_file::RunForm;
use crate::session::Telling;
use clap::{Args, ValueEnum};
use lariat_base::Diagnostic;
use std::path::{Path, PathBuf};

/// What is printed and written.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// One line for each property: its name (or its text, without one) and the verdict; no warnings
    #[arg(long, short)]
    pub quiet: bool,
    /// What standard output is
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write everything (settings, statistics, verdict, counterexample) as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a page that shows the answers (a run step by step, a proof, or what was tried) to open in a browser
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Write the counterexample as the ending of the file says: `.itf.json` (states for TLA+ tools), `.vcd` (waveform), `.csv`,
    /// `.mmd` (Mermaid), `.dot` (Graphviz); may be given several times
    #[arg(long, value_name = "FILE", value_parser = parse_export)]
    pub export: Vec<RunFile>,
    /// Write a C program that repeats the counterexample of a C program and compares its values
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write the counterexample in the format's own way: an SV-COMP violation witness (YAML 2.0) of a C program that reaches
    /// an error, a stimulus of an AIGER or BTOR2 file
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write why the first property that holds does so: formulas (SMT-LIB) and a graph that another program can check
    /// (docs/certificates.md)
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Print what the check did, as a table
    #[arg(long)]
    pub statistics: bool,
    /// Say in words what was chosen and why, what was tried, and why each attempt ended
    #[arg(long)]
    pub explain: bool,
    /// Print the rounds of the refinement loop
    #[arg(long, value_enum, value_name = "WHAT")]
    pub log: Option<Log>,
}

/// A file for the counterexample, with the form that its name asks for.
#[derive(Clone, Debug)]
pub struct RunFile {
    /// Where it is.
    pub path: PathBuf,
    /// What is written to it.
    pub form: RunForm,
}

fn parse_export(text: &str) -> Result<RunFile, String> {
    let path = PathBuf::from(text);
    let form = RunForm::of(&path).ok_or_else(|| {
        let endings = RunForm::ALL.map(|form| format!("`{}`", form.ending()));
        format!("the name ends in none of {}", endings.join(", "))
    })?;
    Ok(RunFile { path, form })
}

/// What standard output is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// Verdicts and runs for people
    Text,
    /// One JSON document at the end, diagnostics included (docs/json.md)
    Json,
    /// One JSON object a line, each as soon as it is known (docs/json.md)
    Jsonl,
}

/// What is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Log {
    /// Each round: precision, size, outcome
    Iterations,
}

impl OutputArgs {
    /// What standard output is.
    pub fn stdout(&self) -> Format {
        match self.format {
            Some(format) => format,
            None if self.json_to_stdout() => Format::Json,
            None => Format::Text,
        }
    }

    /// The file that the JSON document is written to.
    pub fn json_file(&self) -> Option<&Path> {
        let path = self.json.as_deref();
        path.filter(|_| !self.json_to_stdout())
    }

    fn json_to_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }

    /// How findings are told.
    pub fn telling(&self) -> Telling {
        match self.stdout() {
            Format::Text if self.quiet => Telling::Errors,
            Format::Text => Telling::Text,
            Format::Json => Telling::Kept,
            Format::Jsonl => Telling::Lines,
        }
    }

    /// Refuses options that contradict each other or have no effect.
    pub fn refuse_useless(&self) -> Result<(), Diagnostic> {
        let format = self.stdout();
        if self.json_to_stdout() && format != Format::Json {
            let message = "`--json -` and `--format` write to standard output both";
            return Err(Diagnostic::error("useless-option", message)
                .hint("leave out one of them, or name a file"));
        }
        let for_people = [
            ("--statistics", self.statistics),
            ("--explain", self.explain),
            ("--log", self.log.is_some()),
        ];
        for (option, _) in for_people.into_iter().filter(|(_, given)| *given) {
            if self.quiet {
                return Err(useless(option, "`--quiet` prints only verdicts"));
            }
            if format != Format::Text {
                return Err(useless(option, "it is for text; JSON tells all of it"));
            }
        }
        if self.quiet && format != Format::Text {
            return Err(useless("--quiet", "it is for text"));
        }
        Ok(())
    }
}
