//! Runs a check in a process of its own, so that a crash of the solver library is an answer, not a crash.
//!
//! Z3 is a C++ library in our process; interrupted at a bad moment it has been seen to end the whole
//! process (an exception out of a destructor). The parent only waits: what the worker prints and its
//! exit code are the answer. A worker that crashes before it has printed anything is followed by another, which has the time
//! that is left: it will be interrupted at other moments. A second crash is `unknown`. So is a worker that goes on long after
//! its time is up: in some theories Z3 does not hear that it should stop.

use crate::session::{Failure, Session};
use lariat_base::Stop;
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Set for the worker: for how many milliseconds others have tried before.
const WORKER: &str = "LARIAT_CHECK_WORKER";
/// How long a worker may take to end after an interrupt, which a terminal sends to it as well.
const GRACE: Duration = Duration::from_secs(2);

/// How much longer than it was told a worker may take: to print a long counterexample, say.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the check in a worker, which keeps to `limit`; nothing if this is the worker, or if none can be started. Only a check
/// whose models can be read again is repeated.
pub fn run(
    session: &mut Session,
    limit: Option<Duration>,
    can_repeat: bool,
) -> Option<Result<ExitCode, Failure>> {
    if std::env::var_os(WORKER).is_some() {
        end_with_parent();
        return None;
    }
    let start = Instant::now();
    let worker = Worker::start(start).ok()?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let limit = limit.map(|limit| limit.saturating_add(PATIENCE.max(limit / 2)));
    let mut end = worker.end(&interrupted, limit);
    if can_repeat
        && let Ok((End::Status(status), Printed { n_bytes: 0, .. })) = &end
        && has_crashed(*status)
        && let Ok(second) = Worker::start(start)
    {
        end = second.end(&interrupted, limit);
    }
    Some(match end {
        Ok((end, printed)) => answer(session, end, printed),
        Err(error) => Err(error.into()),
    })
}

/// For how long other workers have tried before this one.
pub fn time_spent() -> Duration {
    let spent = std::env::var(WORKER).ok();
    let spent = spent.and_then(|spent| spent.parse().ok());
    Duration::from_millis(spent.unwrap_or(0))
}

/// A process that checks, and the thread that hands on what it prints.
struct Worker {
    process: Child,
    printing: JoinHandle<Printed>,
}

/// What became of what a worker printed.
#[derive(Default)]
struct Printed {
    n_bytes: u64,
    /// Why the rest of it was not handed on.
    error: Option<io::Error>,
}

impl Worker {
    fn start(since: Instant) -> io::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(WORKER, since.elapsed().as_millis().to_string())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take();
        let output = output.ok_or_else(|| io::Error::other("the worker has no output"))?;
        let printing = std::thread::spawn(|| hand_on(output));
        Ok(Self { process, printing })
    }

    /// Waits for the end of the worker: how it ended, and what it printed.
    fn end(
        mut self,
        interrupted: &AtomicBool,
        limit: Option<Duration>,
    ) -> io::Result<(End, Printed)> {
        let end = wait(&mut self.process, interrupted, limit)?;
        let printed = self.printing.join();
        Ok((end, printed.unwrap_or_default()))
    }
}

/// Copies to standard output as long as that can be written. The rest is read all the same: the worker is to finish.
fn hand_on(mut from: impl Read) -> Printed {
    let mut buffer = vec![0; 1 << 16];
    let mut printed = Printed::default();
    while let Ok(len @ 1..) = from.read(&mut buffer) {
        printed.n_bytes += len as u64;
        if printed.error.is_none() {
            let mut to = io::stdout().lock();
            printed.error = to.write_all(&buffer[..len]).and_then(|()| to.flush()).err();
        }
    }
    printed
}

/// Whether a process ended itself by mistake, not because somebody stopped it.
#[cfg(unix)]
fn has_crashed(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    const ABORTED: i32 = 6;
    const BAD_ACCESS: i32 = 11;
    matches!(status.signal(), Some(ABORTED | BAD_ACCESS))
}

#[cfg(not(unix))]
fn has_crashed(_status: ExitStatus) -> bool {
    false
}

/// How a worker ended.
enum End {
    Status(ExitStatus),
    Interrupted,
    Late,
}

/// Waits for the worker; after an interrupt not for long.
fn wait(worker: &mut Child, interrupted: &AtomicBool, limit: Option<Duration>) -> io::Result<End> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    let mut since: Option<Instant> = None;
    loop {
        if let Some(status) = worker.try_wait()? {
            return Ok(End::Status(status));
        }
        if limit.is_some_and(|limit| start.elapsed() > limit) {
            worker.kill()?;
            worker.wait()?;
            return Ok(End::Late);
        }
        if since.is_none() && interrupted.load(Ordering::Relaxed) {
            since = Some(Instant::now());
        }
        if since.is_some_and(|since| since.elapsed() > GRACE) {
            worker.kill()?;
            worker.wait()?;
            return Ok(End::Interrupted);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

/// The worker's exit code, or unknown if it has none.
fn answer(session: &mut Session, end: End, printed: Printed) -> Result<ExitCode, Failure> {
    let code = match &end {
        End::Status(status) => status.code().and_then(|code| u8::try_from(code).ok()),
        _ => None,
    };
    if let Some(code) = code {
        session.out.fail(printed.error);
        let verdict = match code {
            0 => Some("holds"),
            1 => Some("violated"),
            super::UNKNOWN => Some("unknown"),
            _ => None,
        };
        return super::told(session, verdict.into_iter(), ExitCode::from(code));
    }
    let why = match end {
        End::Status(status) => format!("the solver library crashed ({status})"),
        End::Interrupted => Stop::Cancelled.to_string(),
        End::Late => format!("{}, and the solver did not stop", Stop::Time),
    };
    session.out.line(&format!("unknown: {why}"))?;
    Ok(ExitCode::from(super::UNKNOWN))
}

/// Ends the worker soon after its parent is gone: nobody waits for the answer.
#[cfg(unix)]
fn end_with_parent() {
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
fn end_with_parent() {}
