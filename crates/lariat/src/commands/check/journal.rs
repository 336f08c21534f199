//! What a check has found out so far, kept by the process that watches it: whoever ends the work, the report is written.
//!
//! The worker hands over what it prints and what it finds in *frames*, one JSON value a line. A frame holds a whole result
//! or none of it, so a worker that dies between two frames, or within one, loses only what it had not decided.

use super::json::Header;
use super::output::Format;
use super::{CheckArgs, UNKNOWN, json, text};
use crate::finding::Finding;
use crate::options::Facts;
use crate::page::{self, Source};
use crate::session::{Failure, Session, Telling};
use crate::target::Target;
use lariat_base::Diagnostic;
use lariat_verify::report::{PropertyReport, Report};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a worker hands over at once.
#[derive(Serialize, Deserialize)]
pub struct Frame {
    /// For standard output.
    pub print: String,
    /// What has happened.
    pub news: Option<Message>,
}

/// What a worker tells.
#[derive(Serialize, Deserialize)]
pub enum Message {
    /// What is asked, and the options that are in force for the models that were read.
    Asked(json::Options, Vec<PropertyReport>),
    /// Findings.
    Findings(Vec<Finding>),
    /// The work on a property begins.
    Begun(usize),
    /// What was found out about a property: its place among those that are asked, and what is known of it.
    Answered(usize, Told),
    /// The texts of the models, by their names: the page shows them.
    Sources(Vec<Source>),
    /// The text of a file: of which option, and what it is.
    File(Export, String),
    /// Nothing could be asked, for this reason.
    Stopped(String),
    /// That was all; the exit code.
    End(u8),
}

/// What is told of an answer.
#[derive(Serialize, Deserialize)]
pub struct Told {
    /// The verdict.
    pub verdict: String,
    /// The report as JSON.
    pub report: String,
    /// The same for the page, if one is written.
    pub page: Option<String>,
}

impl Told {
    /// What is told of a report.
    pub fn new(args: &CheckArgs, report: &Report) -> Self {
        Self {
            verdict: report.verdict.to_owned(),
            report: json::result(report),
            page: args.output.report.is_some().then(|| page::result(report)),
        }
    }
}

/// A counterexample in another form.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Export {
    /// A C program that repeats it.
    Harness,
    /// A violation witness.
    Witness,
    /// That of `--export` at this place.
    Run(usize),
    /// A proof, not a counterexample.
    Certificate,
}

/// How the work ended.
pub enum End {
    /// By itself, with this exit code.
    Code(u8),
    /// It was stopped, or broke down: why nothing more is known.
    Stopped(String),
}

/// How often the page is written at most while the work goes on: it holds all runs, and grows with each.
const PAGE_PERIOD: Duration = Duration::from_secs(1);

/// What is known, and where it is to be written.
pub struct Journal<'c> {
    /// What was asked for.
    pub args: &'c CheckArgs,
    header: Header,
    json: Option<Target>,
    harness: Option<Target>,
    witness: Option<Target>,
    certificate: Option<Target>,
    page: Option<Target>,
    /// When the page was written last, and whether more is known since.
    page_written: Option<Instant>,
    page_is_old: bool,
    runs: Vec<Target>,
    sources: Vec<Source>,
    entries: Vec<Entry>,
    findings: Vec<Finding>,
    /// Why nothing was asked.
    stopped: Option<String>,
    /// The exit code of a worker that has said all.
    code: Option<u8>,
}

/// How the work has ended, if it has: why it was stopped, and the exit code.
type Ended<'a> = (Option<&'a str>, Option<u8>);

/// What is known about one property.
struct Entry {
    property: PropertyReport,
    /// Since when it is worked on.
    begun: Option<Instant>,
    result: Option<Known>,
}

struct Known {
    verdict: String,
    report: Box<RawValue>,
    page: Option<Box<RawValue>>,
}

impl Known {
    fn new(told: Told) -> Self {
        let raw = |text| RawValue::from_string(text).expect("a report is JSON");
        Self {
            verdict: told.verdict,
            report: raw(told.report),
            page: told.page.map(raw),
        }
    }
}

impl<'c> Journal<'c> {
    /// Nothing is known yet.
    pub fn new(args: &'c CheckArgs) -> Self {
        Self {
            args,
            header: Header::new(args, &Facts::default()),
            json: None,
            harness: None,
            witness: None,
            certificate: None,
            page: None,
            page_written: None,
            page_is_old: false,
            runs: Vec::new(),
            sources: Vec::new(),
            entries: Vec::new(),
            findings: Vec::new(),
            stopped: None,
            code: None,
        }
    }

    /// Opens the files that are to be written: all can be, or the work does not start.
    pub fn open(self) -> Result<Self, Diagnostic> {
        let open = |path: Option<&Path>| path.map(Target::open).transpose();
        let output = &self.args.output;
        Ok(Self {
            json: open(output.json_file())?,
            harness: open(output.harness.as_deref())?,
            witness: open(output.witness.as_deref())?,
            certificate: open(output.certificate.as_deref())?,
            page: open(output.report.as_deref())?,
            runs: (output.export.iter())
                .map(|file| Target::open(&file.path))
                .collect::<Result<_, _>>()?,
            ..self
        })
    }

    /// The places of those properties whose report is there.
    pub fn answered(&self) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        let answered = entries.filter(|(_, entry)| entry.result.is_some());
        answered.map(|(at, _)| at).collect()
    }

    /// The exit code of a worker that has said all.
    pub fn code(&self) -> Option<u8> {
        self.code
    }

    /// Notes what a worker tells, and prints what it prints.
    pub fn note(&mut self, session: &mut Session, frame: Frame) -> Result<(), Failure> {
        if !frame.print.is_empty() {
            session.out.text(&frame.print)?;
            session.out.flush()?;
        }
        match frame.news {
            None => {}
            Some(Message::Findings(findings)) => self.findings.extend(findings),
            Some(Message::Asked(options, properties)) if self.entries.is_empty() => {
                let header = Header::new(self.args, &Facts::default());
                self.header = header.with_options(options);
                let entry = |property| Entry {
                    property,
                    begun: None,
                    result: None,
                };
                self.entries = properties.into_iter().map(entry).collect();
                self.save(session);
            }
            // Another worker goes on with the same questions.
            Some(Message::Asked(..)) => {}
            Some(Message::Begun(at)) => self.entries[at].begun = Some(Instant::now()),
            Some(Message::Answered(at, told)) => {
                self.entries[at].result = Some(Known::new(told));
                self.save(session);
            }
            Some(Message::Sources(sources)) => self.sources = sources,
            Some(Message::File(export, text)) => {
                let target = match export {
                    Export::Harness => self.harness.as_mut(),
                    Export::Witness => self.witness.as_mut(),
                    Export::Run(at) => self.runs.get_mut(at),
                    Export::Certificate => self.certificate.as_mut(),
                };
                if let Some(target) = target {
                    target.write(&text)?;
                }
            }
            Some(Message::Stopped(why)) => self.stopped = Some(why),
            Some(Message::End(code)) => self.code = Some(code),
        }
        Ok(())
    }

    /// Writes what is known so far; whether that works is told at the end.
    fn save(&mut self, session: &Session) {
        if self.json.as_ref().is_some_and(Target::can_rewrite) {
            let _ = self.write_json(session, (None, None));
        }
        self.page_is_old = true;
        self.catch_up(session);
    }

    /// Writes the page if more is known than it says, and if it was not written just before.
    pub fn catch_up(&mut self, session: &Session) {
        let is_due = self
            .page_written
            .is_none_or(|written| written.elapsed() >= PAGE_PERIOD);
        if self.page_is_old && is_due && self.page.as_ref().is_some_and(Target::can_rewrite) {
            self.page_is_old = false;
            let _ = self.write_page(session, (None, None));
            self.page_written = Some(Instant::now());
        }
    }

    fn write_json(&mut self, session: &Session, ended: Ended<'_>) -> Result<(), Diagnostic> {
        let text = self
            .json
            .is_some()
            .then(|| self.document(session, ended.0, ended.1));
        let target = self.json.as_mut().zip(text);
        target.map_or(Ok(()), |(target, text)| target.write(text))
    }

    fn write_page(&mut self, session: &Session, ended: Ended<'_>) -> Result<(), Diagnostic> {
        let text = self
            .page
            .is_some()
            .then(|| self.page(session, ended.0, ended.1));
        let target = self.page.as_mut().zip(text);
        target.map_or(Ok(()), |(target, text)| target.write(text))
    }

    fn document(&self, session: &Session, stopped: Option<&str>, exit_code: Option<u8>) -> String {
        let results = self.results().map(|known| &*known.report);
        let known = self.known(session, stopped, exit_code, results.collect());
        self.header.document(&known)
    }

    fn page(&self, session: &Session, stopped: Option<&str>, exit_code: Option<u8>) -> String {
        let results = self.results().filter_map(|known| known.page.as_deref());
        let known = self.known(session, stopped, exit_code, results.collect());
        page::page(&self.header, &known, &self.sources)
    }

    fn known<'k>(
        &'k self,
        session: &'k Session,
        stopped: Option<&'k str>,
        exit_code: Option<u8>,
        results: Vec<&'k RawValue>,
    ) -> json::Known<'k> {
        let findings = session.told().iter().chain(&self.findings);
        json::Known {
            finished: exit_code.is_some() && stopped.is_none(),
            stopped,
            exit_code,
            diagnostics: findings.collect(),
            results,
        }
    }

    fn results(&self) -> impl Iterator<Item = &Known> {
        let entries = self.entries.iter();
        entries.filter_map(|entry| entry.result.as_ref())
    }

    /// Writes and prints what is known now that the work has ended, and why the rest is not. The exit code is that of the
    /// verdicts, or that of an error.
    pub fn end(mut self, session: &mut Session, end: End) -> Result<ExitCode, Failure> {
        let (code, why) = match end {
            End::Code(code) => (Some(code), None),
            End::Stopped(why) => (None, Some(why)),
        };
        let is_error = code.is_some_and(|code| !matches!(code, 0 | 1 | UNKNOWN));
        let stopped = why.or(self.stopped.take());
        if let Some(why) = &stopped {
            if self.entries.is_empty() && self.args.output.stdout() == Format::Text {
                session.out.line(&format!("unknown: {why}"))?;
            }
            self.give_up(session, why)?;
        } else if is_error {
            self.give_up(session, "an error ended the check")?;
        }
        let verdicts: Vec<&str> = self.results().map(|known| &*known.verdict).collect();
        let code = match code {
            Some(code) if is_error || verdicts.is_empty() => code,
            _ => exit_code(&verdicts),
        };
        let stopped = stopped.as_deref();
        if self.args.output.stdout() == Format::Json {
            let document = self.document(session, stopped, Some(code));
            session.out.text(&document)?;
        }
        let last = json::End {
            exit_code: code,
            stopped,
        };
        json::tell(self.args, session, "end", &last)?;
        let verdicts = verdicts.join(", ");
        let ended = (stopped, Some(code));
        let written = self.write_json(session, ended);
        let written = written.and(self.write_page(session, ended));
        let printed = match session.out.take_error() {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                let message = format!("cannot write the result: {error}");
                Err(Diagnostic::error("cannot-write", message))
            }
            _ => Ok(()),
        };
        written.and(printed).map_err(|mut error| {
            // Whatever standard output is: the verdicts are not lost.
            session.telling = Telling::Text;
            if !verdicts.is_empty() {
                error.message = format!("{}; it is: {verdicts}", error.message);
            }
            error
        })?;
        Ok(ExitCode::from(code))
    }

    /// Says of each property that is open why it is.
    fn give_up(&mut self, session: &mut Session, why: &str) -> Result<(), Failure> {
        for entry in &mut self.entries {
            if entry.result.is_some() {
                continue;
            }
            let (why, time) = match entry.begun {
                Some(begun) => (why.to_owned(), begun.elapsed()),
                None => (not_tried(why), Duration::ZERO),
            };
            let report = Report::undecided(entry.property.clone(), why, time);
            text::print(self.args, session, &report)?;
            json::tell(self.args, session, "result", &report)?;
            entry.result = Some(Known::new(Told::new(self.args, &report)));
        }
        Ok(())
    }
}

/// Why a property is unknown that never had its turn.
pub fn not_tried(why: &str) -> String {
    format!("not tried: {why} before its turn")
}

/// 1 if any property is violated, else 3 if any is unknown, else 0.
pub fn exit_code(verdicts: &[&str]) -> u8 {
    let any = |verdict| verdicts.contains(&verdict);
    match (any("violated"), any("unknown") || verdicts.is_empty()) {
        (true, _) => 1,
        (false, true) => UNKNOWN,
        (false, false) => 0,
    }
}
