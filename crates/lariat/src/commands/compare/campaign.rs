//! A campaign: a comparison with a folder in which every run is noted as soon as it has ended, so that nothing is lost
//! when the comparison ends early, and so that several processes can share the work.
//!
//! `campaign.json` says what is compared: the words of the command line, the folder they were said in, the program. `runs.jsonl` has a
//! line for each run that was made; a process that makes a part of the runs writes `runs-K.jsonl`. A run is known by its
//! command line, its repetition, and a digest of the files that it reads, so that a model that was changed is
//! checked again. A line that was cut off when the machine went down is as if its run had not been made.

use super::args::{CampaignArgs, CompareArgs};
use super::runner::Outcome;
use super::slurm;
use crate::cli::{Cli, Command};
use crate::load;
use crate::session::Failure;
use crate::target::cannot_write;
use clap::Parser as _;
use lariat_base::Diagnostic;
use lariat_verify::export::digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

const SCHEMA: &str = "lariat-campaign/1";

/// What a campaign compares.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Description {
    schema: String,
    /// The words after `lariat compare`.
    arguments: Vec<String>,
    /// Where they were said.
    folder: PathBuf,
    program: Program,
}

/// A program as it was when the campaign began.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Program {
    path: PathBuf,
    bytes: u64,
    /// Nanoseconds since 1970 at which it was written.
    written: u128,
}

impl Program {
    fn of(path: &Path) -> io::Result<Self> {
        let data = fs::metadata(path)?;
        let written = data.modified()?.duration_since(UNIX_EPOCH);
        Ok(Self {
            path: fs::canonicalize(path)?,
            bytes: data.len(),
            written: written.map_or(0, |since| since.as_nanos()),
        })
    }
}

/// What makes a run the same as another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Key {
    /// The words of its command line.
    pub arguments: Vec<String>,
    /// Which of the repetitions it is.
    pub repetition: usize,
    /// A digest of the files that it reads.
    pub input: String,
}

/// A line of the log.
#[derive(Serialize, Deserialize)]
struct Note {
    /// For people who read it.
    task: String,
    configuration: String,
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    outcome: Outcome,
}

/// The campaign that this process works on.
pub struct Campaign {
    folder: PathBuf,
    log: Mutex<File>,
    known: BTreeMap<Key, Outcome>,
}

/// Which runs of a campaign a process makes: every `of`th, from `number` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which one.
    pub number: usize,
    /// Of how many.
    pub of: usize,
}

impl Part {
    /// Reads `K/N`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/');
        let numbers = numbers.and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, of)) if number < of => Ok(Self { number, of }),
            _ => Err("write `K/N` with K less than N".to_owned()),
        }
    }

    /// Whether a run is in it.
    pub fn has(self, run: usize) -> bool {
        run % self.of == self.number
    }
}

/// The arguments that a campaign was begun with, where the command line only says to go on with it.
///
/// The process then works in the folder in which the campaign was begun, so that paths mean what they meant.
pub fn recall(args: &CompareArgs) -> Result<Option<CompareArgs>, Failure> {
    let Some(folder) = args.campaign.campaign.as_deref() else {
        return Ok(None);
    };
    if !args.models.is_empty() || args.manifest.is_some() {
        return Ok(None);
    }
    let folder = std::path::absolute(folder)?;
    let description = read(&folder)?.ok_or_else(|| {
        let message = format!("there is no campaign in `{}`", folder.display());
        let hint = "name models or a manifest to begin one";
        Diagnostic::error("no-campaign", message).hint(hint)
    })?;
    let words = ["lariat", "compare"].map(str::to_owned).into_iter();
    let again = Cli::try_parse_from(words.chain(description.arguments));
    let Ok(Command::Compare(mut again)) = again.map(|cli| cli.command) else {
        let message = format!("`{}` is no campaign of this program", folder.display());
        return Err(Diagnostic::error("no-campaign", message).into());
    };
    let absolute = |path: &Option<PathBuf>| path.as_ref().map(std::path::absolute).transpose();
    // What is to be written and shown may be said anew.
    again.csv = absolute(&args.csv)?.or(again.csv);
    again.json = absolute(&args.json)?.or(again.json);
    again.report = absolute(&args.report)?.or(again.report);
    again.benchexec_results = absolute(&args.benchexec_results)?.or(again.benchexec_results);
    again.jobs = args.jobs.or(again.jobs);
    again.matrix |= args.matrix;
    again.summary |= args.summary;
    if !args.scatter.is_empty() {
        again.scatter.clone_from(&args.scatter);
    }
    again.campaign = args.campaign.clone();
    again.campaign.campaign = Some(folder);
    std::env::set_current_dir(&description.folder)
        .map_err(|error| cannot_write(&description.folder, &error))?;
    Ok(Some(*again))
}

impl Campaign {
    /// Begins a campaign, or goes on with one.
    pub fn open(args: &CompareArgs, program: &Path) -> Result<Option<Self>, Failure> {
        let Some(folder) = &args.campaign.campaign else {
            return Ok(None);
        };
        let folder = std::path::absolute(folder)?;
        let description = Description {
            schema: SCHEMA.to_owned(),
            arguments: arguments(std::env::args().skip(1)),
            folder: std::env::current_dir()?,
            program: Program::of(program)?,
        };
        let CampaignArgs {
            resume,
            collect,
            slurm,
            part,
            ..
        } = args.campaign;
        // One that could not be submitted may be submitted again.
        let is_new = slurm && !slurm::is_submitted(&folder);
        let goes_on = resume || collect || is_new || part.is_some();
        match read(&folder)? {
            None => begin(&folder, &description)?,
            Some(_) if !goes_on => {
                let message = format!("there is a campaign in `{}` already", folder.display());
                let hint = "`--resume` goes on with it";
                return Err(Diagnostic::error("campaign-exists", message)
                    .hint(hint)
                    .into());
            }
            Some(old) if old.program != description.program => {
                let message =
                    "the campaign was begun with another program, or with another build of it";
                let hint = "begin a new campaign in another folder: figures of two programs do not belong together";
                return Err(Diagnostic::error("campaign-exists", message)
                    .hint(hint)
                    .into());
            }
            Some(_) => {}
        }
        let name = match args.campaign.part {
            None => "runs.jsonl".to_owned(),
            Some(part) => format!("runs-{}.jsonl", part.number),
        };
        let path = folder.join(name);
        let log = open_log(&path).map_err(|error| cannot_write(&path, &error))?;
        if log.try_lock().is_err() {
            let message = format!("another process is writing `{}`", path.display());
            return Err(Diagnostic::error("campaign-exists", message).into());
        }
        let known = known(&folder)?;
        Ok(Some(Self {
            folder,
            log: Mutex::new(log),
            known,
        }))
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What a run gave, if it was made.
    pub fn known(&self, key: &Key) -> Option<&Outcome> {
        self.known.get(key)
    }

    /// Notes a run, for good.
    pub fn note(
        &self,
        task: &str,
        configuration: &str,
        key: &Key,
        outcome: &Outcome,
    ) -> io::Result<()> {
        let note = Note {
            task: task.to_owned(),
            configuration: configuration.to_owned(),
            key: key.clone(),
            outcome: outcome.clone(),
        };
        let line = serde_json::to_string(&note)? + "\n";
        let mut log = self.log.lock().expect("no writer panics");
        log.write_all(line.as_bytes())?;
        log.sync_data()
    }
}

/// The words of a command line that say what is compared, without those that say how the campaign goes on.
fn arguments(words: impl Iterator<Item = String>) -> Vec<String> {
    const WITH_VALUE: [&str; 4] = ["--campaign", "--slurm-jobs", "--sbatch", "--part"];
    const ALONE: [&str; 3] = ["--resume", "--slurm", "--collect"];
    let mut kept = Vec::new();
    let mut words = words.skip_while(|word| word != "compare").skip(1);
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        if WITH_VALUE.contains(&name) {
            if !word.contains('=') {
                words.next();
            }
        } else if !ALONE.contains(&name) {
            kept.push(word);
        }
    }
    kept
}

fn read(folder: &Path) -> Result<Option<Description>, Failure> {
    let path = folder.join("campaign.json");
    if !path.exists() {
        return Ok(None);
    }
    let text = load::read(&path)?;
    let description: Option<Description> = serde_json::from_str(&text).ok();
    match description {
        Some(description) if description.schema == SCHEMA => Ok(Some(description)),
        _ => {
            let message = format!("`{}` does not describe a campaign", path.display());
            Err(Diagnostic::error("no-campaign", message).into())
        }
    }
}

fn begin(folder: &Path, description: &Description) -> Result<(), Diagnostic> {
    let path = folder.join("campaign.json");
    let text = serde_json::to_string_pretty(description).expect("words can be written");
    // A name of its own first: there is never half of it.
    let draft = folder.join("campaign.json.new");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&draft, text + "\n"))
        .and_then(|()| fs::rename(&draft, &path))
        .map_err(|error| cannot_write(&path, &error))
}

/// Opens a log to be written on; what was cut off at its end goes.
fn open_log(path: &Path) -> io::Result<File> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let whole = text.iter().rposition(|&byte| byte == b'\n');
    let whole = whole.map_or(0, |at| at + 1);
    let log = OpenOptions::new().append(true).create(true).open(path)?;
    if whole < text.len() {
        log.set_len(whole as u64)?;
    }
    Ok(log)
}

/// All runs that were noted, by whichever process. Lines that cannot be read are runs to be made again.
fn known(folder: &Path) -> Result<BTreeMap<Key, Outcome>, Failure> {
    let mut known = BTreeMap::new();
    let mut logs: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_log = name.starts_with("runs") && name.ends_with(".jsonl");
        logs.extend(is_log.then(|| path.clone()));
    }
    logs.sort();
    for log in logs {
        let text = fs::read(log)?;
        for line in text.split(|&byte| byte == b'\n') {
            if let Ok(Note { key, outcome, .. }) = serde_json::from_slice::<Note>(line) {
                known.entry(key).or_insert(outcome);
            }
        }
    }
    Ok(known)
}

/// Digests of files, each read once.
#[derive(Default)]
pub struct Digests(BTreeMap<PathBuf, String>);

impl Digests {
    /// A digest of the contents of these files; one that cannot be read counts as empty.
    pub fn of<'a>(&mut self, files: impl Iterator<Item = &'a Path>) -> String {
        let mut all = String::new();
        for file in files {
            let one = self.0.entry(file.to_owned());
            all += one.or_insert_with(|| hex(&fs::read(file).unwrap_or_default()));
        }
        hex(all.as_bytes())
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in &digest(bytes)[..16] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_kept_of_a_command_line() {
        let words = "lariat --color never compare --campaign d a.gcl --ltl F --slurm --sbatch=-p=x --slurm-jobs 3 --resume --part 0/3";
        let words = words.split(' ').map(str::to_owned);
        assert_eq!(arguments(words), ["a.gcl", "--ltl", "F"]);
    }

    #[test]
    fn parts_have_every_run_once() {
        let parts: Vec<Part> = (0..3).map(|number| Part { number, of: 3 }).collect();
        for run in 0..10 {
            assert_eq!(parts.iter().filter(|part| part.has(run)).count(), 1);
        }
        assert_eq!(Part::parse("2/3"), Ok(parts[2]));
        for wrong in ["3/3", "1", "a/b", "1/0", "-1/2"] {
            assert!(Part::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_line_that_was_cut_off_goes() {
        let path = std::env::temp_dir().join(format!("lariat-log-{}", std::process::id()));
        fs::write(&path, "one\ntwo\nthr").expect("a file");
        let mut log = open_log(&path).expect("a log");
        log.write_all(b"three\n").expect("a line");
        assert_eq!(
            fs::read_to_string(&path).expect("a log"),
            "one\ntwo\nthree\n"
        );
        let _ = fs::remove_file(path);
    }
}
