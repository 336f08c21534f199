//! Runs a check in a process of its own, and watches it: a crash of the solver library is an answer, not a crash, and
//! limits are kept whatever the work is at.
//!
//! Z3 is a C++ library in our process; interrupted at a bad moment it has been seen to end the whole process (an exception
//! out of a destructor), and in some theories it does not hear that it should stop. So the worker does the work and keeps to
//! the limits as far as it can; the parent notes what it hands over ([`Journal`]), kills it if it does not keep to them, and
//! writes the report in any case. A worker that crashes is followed by another, which has the time that is left for what is
//! left: it will be interrupted at other moments. After a second crash the rest is unknown.

use super::journal::{End, Frame, Journal};
use crate::screen::{SHOWN_ON, Screen};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, Stop, resident_memory};
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _, stderr};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Set for the worker: for how many milliseconds others have tried before.
const WORKER: &str = "LARIAT_CHECK_WORKER";
/// Set for the worker: the properties that need not be checked, by their places.
const ANSWERED: &str = "LARIAT_CHECK_ANSWERED";
/// How long a worker may take to end after a signal: to say what it has tried.
const GRACE: Duration = Duration::from_millis(400);
/// How often limits and signals are looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// How much later than its limit a worker is killed; it ends by itself before, as a rule.
fn patience(limit: Duration) -> Duration {
    Duration::from_millis(400).max(limit / 25)
}

/// Whether this process is the worker.
pub fn is_worker() -> bool {
    std::env::var_os(WORKER).is_some()
}

/// For how long other workers have tried before this one.
pub fn time_spent() -> Duration {
    let spent = std::env::var(WORKER).ok();
    let spent = spent.and_then(|spent| spent.parse().ok());
    Duration::from_millis(spent.unwrap_or(0))
}

/// The places of the properties that other workers have answered.
pub fn answered_before() -> Vec<usize> {
    let places = std::env::var(ANSWERED).unwrap_or_default();
    places
        .split(',')
        .filter_map(|place| place.parse().ok())
        .collect()
}

/// Runs the check in a worker and reports on it.
pub fn run(
    mut journal: Journal<'_>,
    session: &mut Session,
    memory: Option<u64>,
) -> Result<ExitCode, Failure> {
    let start = Instant::now();
    let args = journal.args;
    let signalled = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&signalled);
    // Without a handler a signal just ends the program.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let limits = Limits {
        start,
        time: args.limits.timeout(),
        memory,
        signalled: &signalled,
    };
    let mut end = watch(&mut journal, session, &limits)?;
    if args.model.can_be_read_again()
        && let Ended::Status(status) = end
        && has_crashed(status)
    {
        end = watch(&mut journal, session, &limits)?;
    }
    clear_status();
    let end = match (journal.code(), end) {
        (Some(code), _) => End::Code(code),
        (None, Ended::Stopped(stop)) => End::Stopped(stop.to_string()),
        (None, Ended::Status(status)) => match status.code().map(u8::try_from) {
            Some(Ok(code)) if !has_crashed(status) => End::Code(code),
            _ => End::Stopped(format!("the process that checked it was ended ({status})")),
        },
    };
    journal.end(session, end)
}

/// What a worker is held to.
struct Limits<'l> {
    start: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    signalled: &'l AtomicBool,
}

impl Limits<'_> {
    /// Why the worker is to be killed, if it is.
    fn exceeded(&self, worker: u32, since_signal: Option<Instant>) -> Option<Stop> {
        let is_late = |limit: Duration| self.start.elapsed() > limit + patience(limit);
        let is_large = |limit: u64| {
            let most = limit.saturating_add(limit / 25);
            resident_memory(Some(worker)).is_some_and(|bytes| bytes > most)
        };
        if self.time.is_some_and(is_late) {
            Some(Stop::Time)
        } else if self.memory.is_some_and(is_large) {
            Some(Stop::Memory)
        } else if since_signal.is_some_and(|since| since.elapsed() > GRACE) {
            Some(Stop::Cancelled)
        } else {
            None
        }
    }
}

/// How a worker ended.
enum Ended {
    Status(ExitStatus),
    Stopped(Stop),
}

/// A process that checks, and what it hands over. It does not outlive this value.
struct Worker {
    process: Child,
    frames: Receiver<Frame>,
}

impl Worker {
    fn start(since: Instant, answered: &[usize]) -> io::Result<Self> {
        let answered: Vec<String> = answered.iter().map(ToString::to_string).collect();
        let mut process = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(WORKER, since.elapsed().as_millis().to_string())
            .env(ANSWERED, answered.join(","))
            .envs(Screen::handed_on().map(|columns| (SHOWN_ON, columns)))
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take();
        let output = output.ok_or_else(|| io::Error::other("the worker has no output"))?;
        let (send, frames) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n') {
                // A line that was cut off is no frame.
                let frame = line
                    .ok()
                    .and_then(|line| serde_json::from_slice(&line).ok());
                let Some(frame) = frame else { return };
                if send.send(frame).is_err() {
                    return;
                }
            }
        });
        Ok(Self { process, frames })
    }

    /// Asks the worker to end and to say what it has tried. A terminal sends signals to both processes, others do not.
    fn ask_to_end(&self) {
        #[cfg(unix)]
        if let Ok(number) = i32::try_from(self.process.id()) {
            use nix::sys::signal::{Signal, kill};
            use nix::unistd::Pid;
            // One that has ended needs not be asked.
            let _ = kill(Pid::from_raw(number), Signal::SIGTERM);
        }
    }

    /// Ends the worker.
    fn kill(&mut self) -> io::Result<ExitStatus> {
        // It may have ended by itself.
        let _ = self.process.kill();
        self.process.wait()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// Runs a worker for what is not answered yet, and notes what it hands over.
fn watch(
    journal: &mut Journal<'_>,
    session: &mut Session,
    limits: &Limits<'_>,
) -> Result<Ended, Failure> {
    let worker = Worker::start(limits.start, &journal.answered());
    let mut worker = worker.map_err(|error| {
        let message = format!("cannot start a process for the check: {error}");
        Diagnostic::error("cannot-start", message)
    })?;
    let mut since_signal: Option<Instant> = None;
    let ended = loop {
        match worker.frames.recv_timeout(PERIOD) {
            Ok(frame) => journal.note(session, frame)?,
            Err(RecvTimeoutError::Timeout) => journal.catch_up(session),
            Err(RecvTimeoutError::Disconnected) => break Ended::Status(worker.process.wait()?),
        }
        if journal.code().is_some() {
            // It has said all. What it holds need not be taken down piece by piece.
            break Ended::Status(worker.kill()?);
        }
        if since_signal.is_none() && limits.signalled.load(Ordering::Relaxed) {
            since_signal = Some(Instant::now());
            worker.ask_to_end();
        }
        if let Some(stop) = limits.exceeded(worker.process.id(), since_signal) {
            worker.kill()?;
            break Ended::Stopped(stop);
        }
    };
    // What it said before it ended.
    while let Ok(frame) = worker.frames.recv_timeout(GRACE) {
        journal.note(session, frame)?;
    }
    Ok(ended)
}

/// Removes the status line of a worker that was killed.
fn clear_status() {
    if stderr().is_terminal() {
        let _ = stderr().write_all(b"\r\x1b[K");
    }
}

/// Whether a process ended itself by mistake, not because somebody stopped it.
#[cfg(unix)]
fn has_crashed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const ABORTED: i32 = 6;
    const BAD_ACCESS: i32 = 11;
    /// How Z3 ends the program when it finds itself in a state that it thought impossible.
    const UNREACHABLE: i32 = 114;
    matches!(status.signal(), Some(ABORTED | BAD_ACCESS)) || status.code() == Some(UNREACHABLE)
}

#[cfg(not(unix))]
fn has_crashed(_status: ExitStatus) -> bool {
    false
}

/// Ends the worker soon after its parent is gone: nobody waits for the answer.
#[cfg(unix)]
pub fn end_with_parent() {
    use std::os::unix::process::parent_id;
    let parent = parent_id();
    std::thread::spawn(move || {
        while parent_id() == parent {
            std::thread::sleep(Duration::from_millis(200));
        }
        std::process::exit(i32::from(super::UNKNOWN));
    });
}

#[cfg(not(unix))]
pub fn end_with_parent() {}
