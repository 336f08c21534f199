//! Reports as JSON, schema `lariat-check/2` (documented in docs/json.md): one document, or a line for each thing that
//! becomes known.

use super::CheckArgs;
use super::output::Format;
use crate::cli::Compose;
use crate::finding::Finding;
use crate::options::{Facts, in_force};
use crate::session::Session;
use lariat_verify::report::Report;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io;

/// Options by their names, with the values that are in force.
pub type Options = BTreeMap<String, Option<serde_json::Value>>;

/// What is known of a check before its first answer.
#[derive(Serialize)]
pub struct Header {
    schema: &'static str,
    version: &'static str,
    command: Vec<String>,
    models: Vec<String>,
    compose: Option<&'static str>,
    timeout_s: Option<f64>,
    memory_bytes: Option<u64>,
    /// Where the certificate of the first property that has one is written.
    certificate: Option<String>,
    options: Options,
}

/// What is known when a document is written.
#[derive(Serialize)]
pub struct Known<'k> {
    /// Whether the check went to its end by itself.
    pub finished: bool,
    /// Why it did not.
    pub stopped: Option<&'k str>,
    /// The exit code, if it has ended.
    pub exit_code: Option<u8>,
    /// All findings.
    pub diagnostics: Vec<&'k Finding>,
    /// The reports that there are.
    pub results: Vec<&'k RawValue>,
}

#[derive(Serialize)]
struct Document<'d> {
    #[serde(flatten)]
    header: &'d Header,
    #[serde(flatten)]
    known: &'d Known<'d>,
}

/// A line of `--format jsonl`.
#[derive(Serialize)]
pub struct Line<T> {
    /// What it is about.
    pub event: &'static str,
    /// What there is to say.
    #[serde(flatten)]
    pub fields: T,
}

/// The last line of `--format jsonl`.
#[derive(Serialize)]
pub struct End<'e> {
    /// The exit code.
    pub exit_code: u8,
    /// Why the check did not go to its end by itself.
    pub stopped: Option<&'e str>,
}

impl Header {
    /// What was asked, of which models, with which options in force for models like these.
    pub fn new(args: &CheckArgs, facts: &Facts) -> Self {
        let models = args.model.models.iter();
        let command = std::env::args_os();
        Self {
            schema: "lariat-check/2",
            version: env!("CARGO_PKG_VERSION"),
            command: command
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            models: models.map(|path| path.display().to_string()).collect(),
            compose: args.model.compose.map(Compose::name),
            timeout_s: args.limits.timeout().map(|time| time.as_secs_f64()),
            memory_bytes: args.limits.memory(),
            certificate: (args.output.certificate.as_ref())
                .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
                .map(|path| path.display().to_string()),
            options: (in_force(&args.given(), facts).into_iter())
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }

    /// With the options that are in force for the models that were read.
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The options that are in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Says on standard output that the check starts, if that is told.
    pub fn start(&self, args: &CheckArgs, session: &mut Session) -> io::Result<()> {
        tell(args, session, "start", self)
    }

    /// The same as data.
    pub fn with<'d>(&'d self, known: &'d Known<'d>) -> impl Serialize + 'd {
        let header = self;
        Document { header, known }
    }

    /// All that is known.
    pub fn document(&self, known: &Known<'_>) -> String {
        serde_json::to_string_pretty(&self.with(known)).expect("a report can be written") + "\n"
    }
}

/// Says something on standard output, if that has a line for it.
pub fn tell(
    args: &CheckArgs,
    session: &mut Session,
    event: &'static str,
    fields: &impl Serialize,
) -> io::Result<()> {
    match args.output.stdout() {
        Format::Text | Format::Json => Ok(()),
        Format::Jsonl => session.out.json_line(&Line { event, fields }),
    }
}

/// A report, to stand among the results of a document.
pub fn result(report: &Report) -> String {
    let text = serde_json::to_string_pretty(report).expect("a report can be written");
    text.replace('\n', "\n    ")
}
