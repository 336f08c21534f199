//! `cargo xtask kill`: checks that are ended from outside, at random moments and in every way that a user may meet.
//!
//! A model with properties whose verdicts are known is checked; a signal strikes, the worker dies, a disk is full, a reader
//! goes away. Afterwards the report must be there and true, or an error must say why it is not: nothing that was decided is
//! lost, and a violated property never ends as success.

use crate::series::Series;
use lariat_testkit::rng;
use rand::Rng as _;
use serde_json::Value;
use std::fs::{File, read_dir, read_to_string};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Properties of both verdicts, near and far; `hard` is true, but beyond every method at the time of writing.
const MODEL: &str = "\
var x : int = 0
var y : int = 0
var n : 0..400 = 0
action count: n < 400 -> n := n + 1, x := x + 1, y := y + x * x
action back: n = 400 -> n := 0, x := x + 1, y := y + x * x
property small: G (n <= 400)
property early: G (n < 3)
property hard: F G (y > x * x)
property far: G (n < 399)
";
const TRUTH: [(&str, &str); 4] = [
    ("small", "holds"),
    ("early", "violated"),
    ("hard", "holds"),
    ("far", "violated"),
];

/// How long a check may take to end after it was told to.
const PATIENCE: Duration = Duration::from_secs(3);

/// What happens to a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blow {
    /// A signal to the program that the user started.
    Signal(&'static str),
    /// A signal to the process that does the work.
    Worker(&'static str),
    /// Standard output is full.
    FullOutput,
    /// The disk with the report is full.
    FullReport,
    /// Whoever reads standard output goes away.
    ClosedPipe,
    /// The time limit.
    Time,
}

const BLOWS: [Blow; 9] = [
    Blow::Signal("TERM"),
    Blow::Signal("INT"),
    Blow::Signal("HUP"),
    Blow::Worker("KILL"),
    Blow::Worker("ABRT"),
    Blow::FullOutput,
    Blow::FullReport,
    Blow::ClosedPipe,
    Blow::Time,
];

/// Runs the subcommand.
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let Series { n, first, others } = Series::parse(args, 500)?;
    if let Some(other) = others.first() {
        return Err(format!(
            "kill has no option {other}; it has --n N and --seed S"
        ));
    }
    let lariat = program()?;
    let folder = std::env::temp_dir().join(format!("lariat-kill-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("model.gcl"), MODEL).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let (mut slowest, mut n_decided) = (Duration::ZERO, 0);
    for seed in first..first + n {
        let case = Case::new(seed, &lariat, &folder);
        let told = case.run();
        let told = told.map_err(|why| format!("seed {seed}, {:?}: {why}", case.blow))?;
        slowest = slowest.max(told.late);
        n_decided += told.n_decided;
    }
    println!(
        "{n} checks ended from outside: all reports are there and true, {n_decided} verdicts kept; the slowest ended {:.2} s \
         after it was told to; {:.1} s",
        slowest.as_secs_f64(),
        start.elapsed().as_secs_f64()
    );
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

/// The program as the tests have it.
fn program() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "-p", "lariat"]);
    let status = build.status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err("lariat cannot be built".into());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let targets = own.parent().and_then(Path::parent).ok_or("no folder")?;
    Ok(targets.join("debug/lariat"))
}

/// One check.
struct Case<'c> {
    blow: Blow,
    after: Duration,
    limit: Duration,
    lariat: &'c Path,
    folder: &'c Path,
}

/// What came of it.
struct Told {
    late: Duration,
    n_decided: usize,
}

impl<'c> Case<'c> {
    fn new(seed: u64, lariat: &'c Path, folder: &'c Path) -> Self {
        let mut rng = rng(seed);
        Self {
            blow: BLOWS[seed as usize % BLOWS.len()],
            after: Duration::from_millis(rng.random_range(0..1200)),
            limit: Duration::from_millis(rng.random_range(300..2500)),
            lariat,
            folder,
        }
    }

    fn report(&self) -> PathBuf {
        match self.blow {
            Blow::FullReport => "/dev/full".into(),
            _ => self.folder.join("report.json"),
        }
    }

    fn start(&self) -> Result<Child, String> {
        let mut command = Command::new(self.lariat);
        command
            .arg("check")
            .arg(self.folder.join("model.gcl"))
            .arg("--json")
            .arg(self.report())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped());
        // Without a limit the hard property would never end.
        let limit = match self.blow {
            Blow::Signal(_) => Duration::from_mins(2),
            _ => self.limit,
        };
        command.args(["--timeout", &format!("{}ms", limit.as_millis())]);
        if self.blow == Blow::FullOutput {
            let full = File::options().write(true).open("/dev/full");
            command.stdout(full.map_err(|error| error.to_string())?);
        }
        command.spawn().map_err(|error| error.to_string())
    }

    fn run(&self) -> Result<Told, String> {
        let _ = std::fs::remove_file(self.folder.join("report.json"));
        let start = Instant::now();
        let mut check = self.start()?;
        let mut told_at = start + self.limit;
        match self.blow {
            Blow::Signal(name) => {
                sleep(self.after.max(Duration::from_millis(20)));
                told_at = Instant::now();
                send(name, check.id())?;
            }
            Blow::Worker(name) => {
                sleep(self.after);
                if let Some(worker) = worker_of(check.id()) {
                    send(name, worker)?;
                }
            }
            Blow::ClosedPipe => {
                let mut output = check.stdout.take().ok_or("it has no output")?;
                let mut some = [0; 5];
                // There may be less.
                let _ = output.read(&mut some);
                drop(output);
            }
            Blow::FullOutput | Blow::FullReport | Blow::Time => {}
        }
        let output = check
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        let late = Instant::now().saturating_duration_since(told_at);
        if late > PATIENCE {
            return Err(format!("it ended {late:?} after it was told to"));
        }
        let n_decided = self.judge(&output)?;
        Ok(Told { late, n_decided })
    }

    /// Whether what is left of a check is whole and true; how many properties were decided.
    fn judge(&self, output: &Output) -> Result<usize, String> {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        let code = code.ok_or_else(|| format!("it crashed: {:?}", output.status))?;
        if code == 2 && stderr.contains("cannot-write") {
            let is_full = matches!(self.blow, Blow::FullOutput | Blow::FullReport);
            if is_full && stderr.contains("; it is: ") {
                return Ok(0);
            }
        }
        if matches!(self.blow, Blow::FullReport) {
            return Err(format!(
                "exit code {code} although the report is lost: {stderr}"
            ));
        }
        let text = read_to_string(self.report()).map_err(|error| format!("no report: {error}"))?;
        let report: Value = serde_json::from_str(&text).map_err(|error| format!("{error}"))?;
        let results = report["results"].as_array().ok_or("no results")?;
        if results.is_empty() && report["stopped"].is_null() {
            return Err(format!("no results and no reason: {text}"));
        }
        if !results.is_empty() && results.len() != TRUTH.len() {
            return Err(format!("not all properties are reported: {text}"));
        }
        let mut n_decided = 0;
        for (result, (name, truth)) in results.iter().zip(TRUTH) {
            let verdict = result["verdict"].as_str();
            let is_known = verdict != Some("unknown");
            if result["property"]["name"] != name
                || is_known && verdict != Some(truth)
                || is_known != result["reason"].is_null()
            {
                return Err(format!("not as it should be: {result}"));
            }
            n_decided += usize::from(is_known);
        }
        let is_violated = results.iter().any(|result| result["verdict"] == "violated");
        let expected = if is_violated { 1 } else { 3 };
        if code != expected || report["exit_code"] != expected {
            return Err(format!(
                "exit code {code} instead of {expected}: {text}{stderr}"
            ));
        }
        if !matches!(self.blow, Blow::ClosedPipe | Blow::FullOutput) {
            one_verdict_each(&output.stdout, results.len().max(1))?;
        }
        Ok(n_decided)
    }
}

/// Standard output has one verdict for each property.
fn one_verdict_each(shown: &[u8], n: usize) -> Result<(), String> {
    let shown = String::from_utf8_lossy(shown);
    let is_verdict =
        |line: &&str| matches!(*line, "holds" | "violated") || line.starts_with("unknown: ");
    let found = shown.lines().filter(is_verdict).count();
    if found == n {
        Ok(())
    } else {
        Err(format!("{found} verdicts for {n} properties:\n{shown}"))
    }
}

fn send(signal: &str, process: u32) -> Result<(), String> {
    let mut kill = Command::new("kill");
    let kill = kill.args([&format!("-{signal}"), &process.to_string()]);
    // It may have ended by itself.
    let status = kill.stderr(Stdio::null()).status();
    status.map(drop).map_err(|error| error.to_string())
}

/// The process that does the work of a check, if it has been started.
fn worker_of(check: u32) -> Option<u32> {
    for _ in 0..200 {
        let threads = read_dir(format!("/proc/{check}/task")).ok()?;
        let children = threads
            .flatten()
            .map(|thread| read_to_string(thread.path().join("children")).unwrap_or_default());
        let children: String = children.collect();
        if let Some(child) = children.split_whitespace().next() {
            return child.parse().ok();
        }
        sleep(Duration::from_millis(5));
    }
    None
}
