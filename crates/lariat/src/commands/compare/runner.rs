//! Runs checks as processes of their own, several at a time, until all are done or a person has seen enough.
//!
//! A process cannot take others down with it, gives back all of its memory, and is measured by itself.
//! The verdict is the exit code, as for every caller of `lariat check`; the report (JSON) has the rest.

use super::measure::{self, Group, Groups, Usage};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How runs are made.
pub struct Runner<'a> {
    /// The program.
    pub program: PathBuf,
    /// A folder for what it writes.
    pub folder: &'a Path,
    /// How many at a time.
    pub n_jobs: usize,
    /// The time that each run was told to keep to.
    pub timeout: Duration,
    /// Where control groups can be made.
    pub groups: Groups,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The property holds.
    Holds,
    /// The property is violated.
    Violated,
    /// No answer.
    Unknown,
    /// The input was refused, or the process could not be started.
    Error,
    /// The process ended as no check should.
    Crash,
}

impl Ending {
    /// Whether the property was decided.
    pub fn is_verdict(self) -> bool {
        matches!(self, Self::Holds | Self::Violated)
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Violated => "violated",
            Self::Unknown => "unknown",
            Self::Error => "error",
            Self::Crash => "crash",
        }
    }
}

/// What a run gave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended.
    #[serde(rename = "verdict")]
    pub ending: Ending,
    /// Why it is unknown, or what went wrong.
    pub reason: Option<String>,
    /// Seconds that the check took by its own account; of the whole process if it gave none.
    pub time: f64,
    /// Seconds from the start of the process to its end.
    pub wall: f64,
    /// Seconds of processor time that the process has used, with those that it started; by its own account where the
    /// system does not tell.
    pub cpu: Option<f64>,
    /// What the check counted.
    pub counters: Counters,
}

/// What a check counted; of several properties the sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Rounds of the refinement loop.
    pub iterations: Option<u64>,
    /// States of the last exploration.
    pub states: Option<u64>,
    /// States of all explorations.
    pub total_states: Option<u64>,
    /// Tracked predicates and variables at the end.
    pub precision: Option<u64>,
    /// Solver checks.
    pub checks: Option<u64>,
    /// Interpolations.
    pub interpolations: Option<u64>,
    /// The most memory that the process held, in bytes.
    pub peak_memory: Option<u64>,
}

/// How often a process is looked at.
const PERIOD: Duration = Duration::from_millis(5);

impl Runner<'_> {
    /// Runs all command lines (the words after the program's name), and tells of each that has ended. What an interrupt cut off
    /// has no outcome.
    pub fn run(
        &self,
        commands: &[Vec<String>],
        interrupted: &AtomicBool,
        done: &(dyn Fn(usize, &Outcome) + Sync),
    ) -> Vec<Option<Outcome>> {
        let next = AtomicUsize::new(0);
        let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(vec![None; commands.len()]);
        std::thread::scope(|scope| {
            for _ in 0..self.n_jobs.min(commands.len()) {
                scope.spawn(|| {
                    while !interrupted.load(Ordering::Relaxed) {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(words) = commands.get(at) else {
                            break;
                        };
                        let outcome = self.one(at, words, interrupted);
                        if let Some(outcome) = &outcome {
                            done(at, outcome);
                        }
                        outcomes.lock().expect("no worker panics")[at] = outcome;
                    }
                });
            }
        });
        outcomes.into_inner().expect("no worker panics")
    }

    fn one(&self, at: usize, words: &[String], interrupted: &AtomicBool) -> Option<Outcome> {
        let file = |extension: &str| self.folder.join(format!("run-{at}.{extension}"));
        let files = [file("json"), file("out"), file("err")];
        let group = self.groups.make(&format!("{}-{at}", std::process::id()));
        let start = Instant::now();
        let ended = self
            .start(words, &files, group.as_ref())
            .and_then(|mut child| self.wait(&mut child, start, interrupted));
        let wall = start.elapsed().as_secs_f64();
        let [report, printed, complaints] = files.map(|file| {
            let text = std::fs::read(&file).unwrap_or_default();
            // The folder goes away as a whole in the end.
            let _ = std::fs::remove_file(&file);
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut usage = group.map(|group| group.usage()).unwrap_or_default();
        let (ending, reason) = match ended {
            Ok(End::Interrupted) => return None,
            Ok(End::Late) => (
                Ending::Unknown,
                Some("it ran past its own time limit".into()),
            ),
            Ok(End::Status(status, used)) => {
                usage = usage.or(used);
                judge(status, &printed, &complaints)
            }
            Err(error) => {
                let program = self.program.display();
                (
                    Ending::Error,
                    Some(format!("cannot run `{program}`: {error}")),
                )
            }
        };
        let mut outcome = Outcome {
            ending,
            reason,
            time: wall,
            wall,
            cpu: None,
            counters: Counters::default(),
        };
        if let Ok(report) = serde_json::from_str(&report) {
            outcome.read(&report);
        }
        outcome.cpu = usage.cpu.or(outcome.cpu);
        let peak = &mut outcome.counters.peak_memory;
        *peak = usage.memory.or(*peak);
        Some(outcome)
    }

    fn start(
        &self,
        words: &[String],
        [report, printed, complaints]: &[PathBuf; 3],
        group: Option<&Group>,
    ) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(words).arg("--json").arg(report);
        // A program that is not there is told by the system, not by a shell.
        if let Some(group) = group.filter(|_| self.program.is_file()) {
            command = group.enter(&command);
        }
        command
            .stdin(Stdio::null())
            .stdout(File::create(printed)?)
            .stderr(File::create(complaints)?);
        // Ctrl-C is for us: the terminal sends it to every process of our group.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }

    /// Waits for the end; after an interrupt, or long after the time is up, brings it about.
    fn wait(&self, child: &mut Child, start: Instant, interrupted: &AtomicBool) -> io::Result<End> {
        let patience = self
            .timeout
            .mul_f64(1.5)
            .saturating_add(Duration::from_secs(10));
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some((status, usage)) = measure::try_wait(child)? {
                return Ok(End::Status(status, usage));
            }
            let end = if interrupted.load(Ordering::Relaxed) {
                Some(End::Interrupted)
            } else {
                (start.elapsed() > patience).then_some(End::Late)
            };
            if let Some(end) = end {
                measure::kill(child)?;
                return Ok(end);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PERIOD);
        }
    }
}

enum End {
    Status(ExitStatus, Usage),
    Interrupted,
    Late,
}

/// What an exit code means, and why.
fn judge(status: ExitStatus, printed: &str, complaints: &str) -> (Ending, Option<String>) {
    let unknown = printed
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("unknown: "));
    // The first line of a diagnostic is `error[id]: message`.
    let complaint = complaints.lines().find(|line| !line.trim().is_empty());
    let complaint = complaint.map(|line| line.split_once(": ").map_or(line, |(_, text)| text));
    let owned = |text: Option<&str>| text.map(str::to_owned);
    match status.code() {
        Some(0) => (Ending::Holds, None),
        Some(1) => (Ending::Violated, None),
        Some(3) => (Ending::Unknown, owned(unknown)),
        Some(2) => (Ending::Error, owned(complaint)),
        _ => {
            let last = complaints
                .lines()
                .rev()
                .find(|line| !line.trim().is_empty());
            let why = match last {
                Some(line) => format!("{status}: {line}"),
                None => status.to_string(),
            };
            (Ending::Crash, Some(why))
        }
    }
}

impl Outcome {
    /// Of a run that nobody could make.
    pub fn failed(reason: String) -> Self {
        Self {
            ending: Ending::Error,
            reason: Some(reason),
            time: 0.0,
            wall: 0.0,
            cpu: None,
            counters: Counters::default(),
        }
    }

    /// Takes over what the report of a check (`lariat-check/2`) says.
    fn read(&mut self, report: &serde_json::Value) {
        let Some(results) = report["results"].as_array().filter(|all| !all.is_empty()) else {
            return;
        };
        let sum = |name: &str| -> Option<u64> {
            let one = |result: &serde_json::Value| result["statistics"][name].as_u64();
            results.iter().map(one).sum()
        };
        let seconds = results.iter().map(|result| result["time_s"].as_f64());
        self.time = seconds.sum::<Option<f64>>().unwrap_or(self.wall);
        // Each tells the time since the start of the process.
        let cpu = results.iter();
        let cpu = cpu.filter_map(|result| result["statistics"]["process_cpu_s"].as_f64());
        self.cpu = cpu.reduce(f64::max);
        let peaks = results.iter();
        let peaks = peaks.filter_map(|result| result["statistics"]["peak_memory_bytes"].as_u64());
        self.counters = Counters {
            iterations: sum("iterations"),
            states: sum("states"),
            total_states: sum("total_states"),
            precision: sum("precision"),
            checks: sum("checks"),
            interpolations: sum("interpolations"),
            peak_memory: peaks.max(),
        };
        if self.reason.is_none() {
            let mut reasons = results
                .iter()
                .filter_map(|result| result["reason"].as_str());
            self.reason = reasons.next().map(str::to_owned);
        }
    }
}
