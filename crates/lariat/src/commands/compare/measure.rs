//! What a process used: processor time and memory, of it and of all processes that it started and waited for.
//!
//! Where a control group can be made (Linux, cgroups of version 2, in a group that is ours), a run gets one of its own, and what
//! the kernel counts for the group is taken: processes that nobody waits for are counted, too. Else it is what the kernel
//! tells when the process has ended (`wait4`). A control group whose memory is not accounted gives the processor time only.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;
use std::{env, io};

/// What was used.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// Seconds of processor time.
    pub cpu: Option<f64>,
    /// The most memory at a time, in bytes.
    pub memory: Option<u64>,
}

/// Whether a process has ended, how, and what it used.
#[cfg(unix)]
pub fn try_wait(child: &mut Child) -> io::Result<Option<(ExitStatus, Usage)>> {
    use wait4::Wait4 as _;
    let ended = child.try_wait4()?;
    Ok(ended.map(|ended| {
        let used = ended.rusage;
        let usage = Usage {
            cpu: Some((used.utime + used.stime).as_secs_f64()),
            memory: (used.maxrss > 0).then_some(used.maxrss),
        };
        (ended.status, usage)
    }))
}

/// Whether a process has ended, and how.
#[cfg(not(unix))]
pub fn try_wait(child: &mut Child) -> io::Result<Option<(ExitStatus, Usage)>> {
    let ended = child.try_wait()?;
    Ok(ended.map(|status| (status, Usage::default())))
}

/// Ends a process with those that it started.
#[cfg(unix)]
pub fn kill(child: &mut Child) -> io::Result<()> {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(number) = i32::try_from(child.id()) {
        // It leads a group of its own.
        let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
    }
    child.wait().map(|_| ())
}

/// Ends a process.
#[cfg(not(unix))]
pub fn kill(child: &mut Child) -> io::Result<()> {
    child.kill()?;
    child.wait().map(|_| ())
}

/// Where control groups for runs can be made.
pub struct Groups(Option<PathBuf>);

impl Groups {
    /// Looks for a place.
    pub fn find() -> Self {
        let groups = Self(own_group());
        // Whether one can be made is known when one was made.
        let usable = groups
            .make(&format!("{}-try", std::process::id()))
            .is_some();
        Self(groups.0.filter(|_| usable))
    }

    /// A group for a run; nothing where there are none.
    pub fn make(&self, name: &str) -> Option<Group> {
        let path = self.0.as_ref()?.join(format!("lariat-{name}"));
        fs::create_dir(&path).ok()?;
        let group = Group(path);
        // What cannot be entered or does not count is of no use.
        let usable = group.cpu().is_some()
            && fs::OpenOptions::new()
                .append(true)
                .open(group.entry())
                .is_ok();
        usable.then_some(group)
    }
}

/// The folder of the group that this process is in.
fn own_group() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    let mount = mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (_, place, kind) = (words.next()?, words.next()?, words.next()?);
        (kind == "cgroup2").then_some(place)
    })?;
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(Path::new(mount).join(own))
}

/// A control group. It goes with this value.
pub struct Group(PathBuf);

impl Group {
    fn entry(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }

    /// Puts a command into the group before it starts, so that all of it is counted.
    pub fn enter(&self, command: &Command) -> Command {
        let mut inside = Command::new("/bin/sh");
        // A process that cannot enter is measured by other means.
        inside.args(["-c", "echo $$ 2>/dev/null >\"$0\"; exec \"$@\""]);
        inside.arg(self.entry()).arg(command.get_program());
        inside.args(command.get_args());
        inside
    }

    fn cpu(&self) -> Option<f64> {
        let text = fs::read_to_string(self.0.join("cpu.stat")).ok()?;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("usage_usec "));
        let micros: u64 = line?.parse().ok()?;
        Some(Duration::from_micros(micros).as_secs_f64())
    }

    /// What was used in it; nothing of a process that did not enter.
    pub fn usage(&self) -> Usage {
        let memory = fs::read_to_string(self.0.join("memory.peak")).ok();
        Usage {
            cpu: self.cpu().filter(|&seconds| seconds > 0.0),
            memory: memory.and_then(|text| text.trim().parse().ok()),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group in which something still runs cannot be removed; the kernel keeps it, empty, and it does no harm.
        let _ = fs::remove_dir(&self.0);
    }
}

impl Usage {
    /// This, with what only the other knows.
    pub fn or(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.or(other.cpu),
            memory: self.memory.or(other.memory),
        }
    }
}

/// Whether runs get control groups: `LARIAT_CGROUPS=off` says no.
pub fn groups() -> Groups {
    if env::var_os("LARIAT_CGROUPS").is_some_and(|value| value == "off") {
        Groups(None)
    } else {
        Groups::find()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A process that computes for a while, and one that sleeps.
    #[test]
    fn time_and_memory_are_those_of_the_process() {
        let used = |script: &str| {
            let mut child = Command::new("sh")
                .args(["-c", script])
                .spawn()
                .expect("a shell");
            loop {
                if let Some((status, usage)) = try_wait(&mut child).expect("a child") {
                    assert!(status.success());
                    return usage;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        let idle = used("sleep 0.2");
        let busy = used("sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'");
        let (idle_cpu, busy_cpu) = (idle.cpu.expect("a time"), busy.cpu.expect("a time"));
        assert!(idle_cpu < busy_cpu, "{idle:?} {busy:?}");
        assert!(busy.memory.is_some_and(|bytes| bytes > 100_000), "{busy:?}");
    }

    #[test]
    fn a_group_counts_what_ran_in_it() {
        let groups = Groups::find();
        let Some(group) = groups.make(&format!("{}-test", std::process::id())) else {
            return;
        };
        let mut command = Command::new("sh");
        command.args(["-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"]);
        let status = group.enter(&command).status().expect("a shell");
        assert!(status.success());
        assert!(group.usage().cpu.is_some_and(|seconds| seconds > 0.001));
    }
}
