//! `cargo xtask agree`: every engine and configuration, and the whole pipeline with every pass on and off, against the
//! naive twins, on random systems; with `--infinite`, what a user gets on models with infinitely many states, against what
//! is known of them by construction.
//!
//! The cases are compared in worker processes, since the solver library can neither be stopped in the
//! middle of every query nor be kept from aborting: a case whose worker says nothing for [`PATIENCE`], or
//! dies of a signal, is reported as lost, not as compared, and the series goes on with a new worker. A long series keeps a
//! log (`--log FILE`): started again with the same one, it goes on where it was stopped.

mod case;
mod cegar;
mod infinite;
mod log;
mod pipeline;
mod tally;
mod task;

pub(crate) use task::Subject;

use crate::series::Series;
use infinite::Table;
use log::Log;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tally::Tally;

/// How long a worker may work on one case. What can run into its time limit, up to four configurations, has 1 s each.
const PATIENCE: Duration = Duration::from_secs(45);
/// How many cases of a short series may be lost.
const MOST_LOST: u64 = 3;
/// The argument that makes this process a worker.
const WORKER: &str = "--worker";

/// The argument that asks for infinite models.
const INFINITE: &str = "--infinite";

/// What a series of cases comes to.
pub(super) trait Score: Default + Send {
    /// The arguments of a worker, besides [`WORKER`].
    const ARGS: &'static [&'static str];

    /// Compares a case; what it came to, on one line.
    fn compare(seed: u64) -> Result<String, String>;

    /// Adds what a case came to; none if the line does not say it.
    fn add(&mut self, line: &str) -> Option<()>;

    /// How many cases were compared.
    fn done(&self) -> u64;

    /// How many answers were unknown.
    fn unknown(&self) -> u64;

    /// Whether the cases were worth comparing: both verdicts often enough.
    fn judge(&self) -> Result<(), String>;

    /// What was compared, for people.
    fn report(&self) -> String;
}

pub fn run(args: &[String]) -> Result<(), String> {
    let (modes, args): (Vec<_>, Vec<_>) = args.iter().cloned().partition(|arg| arg == INFINITE);
    if modes.is_empty() {
        run_series::<Tally>(&args)
    } else {
        run_series::<Table>(&args)
    }
}

fn run_series<S: Score>(args: &[String]) -> Result<(), String> {
    if args.iter().any(|arg| arg == WORKER) {
        return work::<S>();
    }
    let Series { n, first, others } = Series::parse(args, 300)?;
    let mut jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut log = None;
    for option in others.chunks(2) {
        match option {
            ["--jobs", n] => jobs = n.parse().map_err(|_| format!("{n} is no number"))?,
            ["--log", path] => log = Some(Log::open(path)?),
            _ => {
                return Err(
                    "agree has the options --infinite, --n N, --seed S, --jobs J and --log FILE"
                        .into(),
                );
            }
        }
    }
    let start = Instant::now();
    let series = Mutex::new(Progress::<S>::new(first, n, log)?);
    let failed = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1))
            .map(|_| scope.spawn(|| drive(&series)))
            .collect();
        let mut results = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(_) => Err("a thread of agree panicked".into()),
        });
        results.find_map(Result::err)
    });
    let progress = series.into_inner().map_err(|error| error.to_string())?;
    println!("{}", progress.report(start.elapsed()));
    failed.map_or_else(|| progress.judge(), Err)
}

/// Compares the cases whose seeds come in, one a line, and answers each with its tally.
fn work<S: Score>() -> Result<(), String> {
    for line in std::io::stdin().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let seed = line.parse().map_err(|_| format!("{line} is no seed"))?;
        match S::compare(seed) {
            Ok(line) => println!("{line}"),
            Err(why) => println!("seed {seed}: {why:?}"),
        }
    }
    Ok(())
}

/// Gives a worker one seed after the other until enough cases have been compared or one failed.
fn drive<S: Score>(series: &Mutex<Progress<S>>) -> Result<(), String> {
    let lock = || series.lock().map_err(|error| error.to_string());
    let mut worker = Worker::start(S::ARGS)?;
    loop {
        let Some(seed) = lock()?.next() else {
            return Ok(());
        };
        match worker.compare(seed) {
            Answer::Line(line) => {
                let mut series = lock()?;
                if series.add(&line).is_none() {
                    series.stop();
                    return Err(line);
                }
                series.note(seed, &line)?;
            }
            Answer::Lost(why) => {
                lock()?.lose(seed, why);
                worker = Worker::start(S::ARGS)?;
            }
        }
    }
}

/// How far a series is.
struct Progress<S> {
    wanted: u64,
    next_seed: u64,
    tally: S,
    lost: Vec<(u64, &'static str)>,
    shown: Instant,
    log: Option<Log>,
}

impl<S: Score> Progress<S> {
    /// A series, with what its log already says of it.
    fn new(first: u64, wanted: u64, log: Option<Log>) -> Result<Self, String> {
        let mut series = Self {
            wanted,
            next_seed: first,
            tally: S::default(),
            lost: Vec::new(),
            shown: Instant::now(),
            log,
        };
        for (seed, line) in series.log.iter().flat_map(|log| &log.known) {
            let added = series.tally.add(line);
            added.ok_or_else(|| format!("the log says of seed {seed}: {line}"))?;
        }
        Ok(series)
    }

    /// The seed of a case that is still to be compared.
    fn next(&mut self) -> Option<u64> {
        let is_known = |seed| self.log.as_ref().is_some_and(|log| log.knows(seed));
        while is_known(self.next_seed) {
            self.next_seed += 1;
        }
        let seed = self.next_seed;
        self.next_seed += 1;
        (self.tally.done() < self.wanted).then_some(seed)
    }

    /// Writes down what a case came to.
    fn note(&mut self, seed: u64, line: &str) -> Result<(), String> {
        match &mut self.log {
            Some(log) => log.add(seed, line),
            None => Ok(()),
        }
    }

    fn stop(&mut self) {
        self.wanted = 0;
    }

    fn lose(&mut self, seed: u64, why: &'static str) {
        self.lost.push((seed, why));
    }

    /// Adds what a worker said; none if it said that a case failed.
    fn add(&mut self, line: &str) -> Option<()> {
        self.tally.add(line)?;
        let is_live = std::io::stderr().is_terminal();
        let every = Duration::from_secs(if is_live { 1 } else { 60 });
        if self.shown.elapsed() >= every {
            self.shown = Instant::now();
            let Self {
                wanted,
                tally,
                lost,
                ..
            } = self;
            eprintln!(
                "agree: {} of {wanted} pairs, {} unknown answers, {} cases lost",
                tally.done(),
                tally.unknown(),
                lost.len()
            );
        }
        Some(())
    }

    /// Whether what was compared says something.
    fn judge(&self) -> Result<(), String> {
        let lost = self.lost.len() as u64;
        if lost > MOST_LOST + self.tally.done() / 50 {
            return Err(format!("{lost} cases were lost: too many"));
        }
        self.tally.judge()
    }

    fn report(&self, time: Duration) -> String {
        let mut text = format!("{}; {:.1} s", self.tally.report(), time.as_secs_f64());
        for (seed, why) in &self.lost {
            let _ = write!(text, "\nnot compared: seed {seed}, {why}");
        }
        text
    }
}

/// What a worker says of a case.
enum Answer {
    /// What it came to, or a disagreement, or a panic of ours.
    Line(String),
    /// The solver library hung or aborted.
    Lost(&'static str),
}

/// A process that compares cases.
struct Worker {
    process: Child,
    seeds: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn start(args: &[&str]) -> Result<Self, String> {
        let executable = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut process = Command::new(executable)
            .args(["agree", WORKER])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let seeds = process.stdin.take().ok_or("a worker without input")?;
        let output = process.stdout.take().ok_or("a worker without output")?;
        let (send, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            for line in lines {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            process,
            seeds,
            answers,
        })
    }

    fn compare(&mut self, seed: u64) -> Answer {
        if writeln!(self.seeds, "{seed}").is_err() {
            return Answer::Lost("its worker was gone");
        }
        match self.answers.recv_timeout(PATIENCE) {
            Ok(line) => Answer::Line(line),
            Err(RecvTimeoutError::Timeout) => Answer::Lost("the solver library did not come back"),
            Err(RecvTimeoutError::Disconnected) => Answer::Lost("the solver library aborted"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already: then there is nothing to stop.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
