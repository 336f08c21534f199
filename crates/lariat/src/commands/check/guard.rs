//! Runs a check in a process of its own, so that a crash of the solver library is an answer, not a crash.
//!
//! Z3 is a C++ library in our process; interrupted at a bad moment it has been seen to end the whole
//! process (an exception out of a destructor). The parent only waits: what the worker prints and its
//! exit code are the answer, and a worker that dies of a signal is `unknown`. So is one that goes on long after its time is up:
//! in some theories Z3 does not hear that it should stop.

use crate::session::Session;
use lariat_base::Stop;
use std::io;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set for the worker.
const WORKER: &str = "LARIAT_CHECK_WORKER";
/// How long a worker may take to end after an interrupt, which a terminal sends to it as well.
const GRACE: Duration = Duration::from_secs(2);

/// How much longer than it was told a worker may take: to print a long counterexample, say.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs the check in a worker, which keeps to `limit`; nothing if this is the worker, or if none can be started.
pub fn run(session: &mut Session, limit: Option<Duration>) -> Option<io::Result<ExitCode>> {
    if std::env::var_os(WORKER).is_some() {
        end_with_parent();
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(WORKER, "1");
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let mut worker = command.spawn().ok()?;
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let limit = limit.map(|limit| limit.saturating_add(PATIENCE.max(limit / 2)));
    Some(wait(&mut worker, &interrupted, limit).and_then(|end| answer(session, end)))
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
fn answer(session: &mut Session, end: End) -> io::Result<ExitCode> {
    if let End::Status(status) = &end
        && let Some(code) = status.code().and_then(|code| u8::try_from(code).ok())
    {
        return Ok(ExitCode::from(code));
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
