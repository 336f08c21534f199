//! `cargo xtask agree`: every engine and configuration, and the whole pipeline with every pass on and off, against the
//! naive twins, on random systems.
//!
//! The cases are compared in worker processes, since the solver library can neither be stopped in the
//! middle of every query nor be kept from aborting: a case whose worker says nothing for [`PATIENCE`], or
//! dies of a signal, is reported as lost, not as compared, and the series goes on with a new worker.

mod case;
mod cegar;
mod pipeline;
mod task;

use crate::series::Series;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a worker may work on one case. What can run into its time limit, up to four configurations, has 3 s each.
const PATIENCE: Duration = Duration::from_secs(45);
/// How many cases of a short series may be lost.
const MOST_LOST: u64 = 3;
/// The argument that makes this process a worker.
const WORKER: &str = "--worker";

pub fn run(args: &[String]) -> Result<(), String> {
    if args.iter().any(|arg| arg == WORKER) {
        return work();
    }
    let Series { n, first, others } = Series::parse(args, 300)?;
    let jobs = match others[..] {
        [] => std::thread::available_parallelism().map_or(1, usize::from),
        ["--jobs", jobs] => jobs.parse().map_err(|_| format!("{jobs} is no number"))?,
        _ => return Err("agree has the options --n N, --seed S and --jobs J".into()),
    };
    let start = Instant::now();
    let series = Mutex::new(Progress::new(first, n));
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

/// What a series of cases came to.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    compared: u64,
    violated: u64,
    reach: u64,
    too_large: u64,
    walked: u64,
    /// Tasks that the whole pipeline decided, and how many of them have a counterexample.
    tasks: u64,
    refuted: u64,
    answers: u64,
    unknown: u64,
}

impl Tally {
    fn counts(&mut self) -> [&mut u64; 9] {
        [
            &mut self.compared,
            &mut self.violated,
            &mut self.reach,
            &mut self.too_large,
            &mut self.walked,
            &mut self.tasks,
            &mut self.refuted,
            &mut self.answers,
            &mut self.unknown,
        ]
    }

    /// How many pairs were compared for the engines by themselves and for the pipeline.
    fn done(&self) -> u64 {
        self.compared.min(self.tasks)
    }

    fn add(&mut self, mut other: Self) {
        for (sum, count) in self.counts().into_iter().zip(other.counts()) {
            *sum += *count;
        }
    }

    /// The counts on one line, for [`read`](Self::read).
    fn line(mut self) -> String {
        self.counts().map(|count| count.to_string()).join(" ")
    }

    fn read(line: &str) -> Option<Self> {
        let mut tally = Self::default();
        let mut words = line.split(' ');
        for count in tally.counts() {
            *count = words.next()?.parse().ok()?;
        }
        Some(tally)
    }
}

/// Compares the cases whose seeds come in, one a line, and answers each with its tally.
fn work() -> Result<(), String> {
    for line in std::io::stdin().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let seed = line.parse().map_err(|_| format!("{line} is no seed"))?;
        match case::compare(seed) {
            Ok(tally) => println!("{}", tally.line()),
            Err(why) => println!("seed {seed}: {why:?}"),
        }
    }
    Ok(())
}

/// Gives a worker one seed after the other until enough cases have been compared or one failed.
fn drive(series: &Mutex<Progress>) -> Result<(), String> {
    let lock = || series.lock().map_err(|error| error.to_string());
    let mut worker = Worker::start()?;
    loop {
        let Some(seed) = lock()?.next() else {
            return Ok(());
        };
        match worker.compare(seed) {
            Answer::Compared(tally) => lock()?.add(tally),
            Answer::Failed(why) => {
                lock()?.stop();
                return Err(why);
            }
            Answer::Lost(why) => {
                lock()?.lose(seed, why);
                worker = Worker::start()?;
            }
        }
    }
}

/// How far a series is.
struct Progress {
    wanted: u64,
    next_seed: u64,
    tally: Tally,
    lost: Vec<(u64, &'static str)>,
    shown: Instant,
}

impl Progress {
    fn new(first: u64, wanted: u64) -> Self {
        Self {
            wanted,
            next_seed: first,
            tally: Tally::default(),
            lost: Vec::new(),
            shown: Instant::now(),
        }
    }

    /// The seed of a case that is still to be compared.
    fn next(&mut self) -> Option<u64> {
        let seed = self.next_seed;
        self.next_seed += 1;
        (self.tally.done() < self.wanted).then_some(seed)
    }

    fn stop(&mut self) {
        self.wanted = 0;
    }

    fn lose(&mut self, seed: u64, why: &'static str) {
        self.lost.push((seed, why));
    }

    fn add(&mut self, tally: Tally) {
        self.tally.add(tally);
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
                tally.unknown,
                lost.len()
            );
        }
    }

    /// Whether what was compared says something: few cases lost, and both verdicts often enough.
    fn judge(&self) -> Result<(), String> {
        let Tally {
            compared, violated, ..
        } = self.tally;
        let lost = self.lost.len() as u64;
        if lost > MOST_LOST + compared / 50 {
            return Err(format!("{lost} cases were lost: too many"));
        }
        let least = compared / 10;
        if violated < least || compared - violated < least {
            return Err(format!("only {violated} of {compared} pairs are violated"));
        }
        Ok(())
    }

    fn report(&self, time: Duration) -> String {
        let Tally {
            compared,
            violated,
            reach,
            too_large,
            walked,
            tasks,
            refuted,
            answers,
            unknown,
        } = self.tally;
        let mut text = format!(
            "{compared} pairs compared ({violated} violated, {} hold; {reach} of them reachability) and \
             {tasks} tasks ({refuted} violated, {} hold) through the whole pipeline, {answers} answers \
             ({unknown} unknown)\n\
             {walked} counterexamples also found by walking lassos; {too_large} systems too large; {:.1} s",
            compared - violated,
            tasks - refuted,
            time.as_secs_f64()
        );
        for (seed, why) in &self.lost {
            let _ = write!(text, "\nnot compared: seed {seed}, {why}");
        }
        text
    }
}

/// What a worker says of a case.
enum Answer {
    Compared(Tally),
    /// A disagreement, or a panic of ours.
    Failed(String),
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
    fn start() -> Result<Self, String> {
        let executable = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut process = Command::new(executable)
            .args(["agree", WORKER])
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
            Ok(line) => Tally::read(&line).map_or(Answer::Failed(line), Answer::Compared),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_survives_its_line() {
        let line = "1 2 3 4 5 6 7 8 9";
        assert_eq!(Tally::read(line).map(Tally::line).as_deref(), Some(line));
        assert!(Tally::read("1 2 3").is_none());
        assert!(Tally::read("seed 5: panicked").is_none());
    }
}
