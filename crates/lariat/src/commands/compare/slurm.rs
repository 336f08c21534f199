//! Campaigns on Slurm: the runs of a campaign as the jobs of an array.
//!
//! Element `K` of an array of `N` jobs makes every `N`th run from `K` on and notes them in the campaign's folder, which all
//! machines must see. So a job that dies loses at most the run that it was making: it is submitted again, and goes on where it
//! ended. Whether a job is still there says `squeue`; what is missing then has died.

use super::args::CampaignArgs;
use super::campaign::Campaign;
use super::text::shell;
use crate::target::cannot_write;
use lariat_base::Diagnostic;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How often a job is submitted before we give up on it.
pub const MOST_TRIES: usize = 3;
/// More elements than this an array has only where somebody has allowed it (`MaxArraySize`).
const MOST_JOBS: usize = 1000;

/// Whether the campaign in this folder has been submitted.
pub fn is_submitted(folder: &Path) -> bool {
    folder.join(LOG).exists()
}

/// What each job does.
pub struct Job<'a> {
    /// The program.
    pub program: &'a Path,
    /// The time that a run is told to keep to.
    pub timeout: Duration,
    /// How many runs at a time.
    pub n_at_once: usize,
    /// The memory for each run.
    pub memory: Option<u64>,
}

/// An array that was submitted.
#[derive(Serialize, Deserialize)]
struct Submission {
    /// Its number in Slurm.
    id: String,
    /// How many parts the runs are divided into.
    of: usize,
    /// Which of them the array makes.
    parts: Vec<usize>,
}

/// The arrays of a campaign.
pub struct Arrays {
    folder: PathBuf,
    submitted: Vec<Submission>,
}

impl Arrays {
    /// Those that were submitted until now.
    pub fn read(campaign: &Campaign) -> Self {
        let folder = campaign.folder().to_owned();
        let text = fs::read_to_string(folder.join(LOG)).unwrap_or_default();
        let lines = text.lines();
        let submitted = lines.filter_map(|line| serde_json::from_str(line).ok());
        Self {
            submitted: submitted.collect(),
            folder,
        }
    }

    /// Into how many parts the runs are divided, if any were submitted.
    pub fn n_parts(&self) -> Option<usize> {
        self.submitted.first().map(|array| array.of)
    }

    /// How often a part was submitted.
    pub fn n_tries(&self, part: usize) -> usize {
        let arrays = self.submitted.iter();
        arrays.filter(|array| array.parts.contains(&part)).count()
    }

    /// Writes the job for so many runs, and submits it.
    pub fn begin(
        &mut self,
        job: &Job<'_>,
        args: &CampaignArgs,
        n_runs: usize,
    ) -> Result<String, Diagnostic> {
        let of = args.slurm_jobs.map_or(MOST_JOBS, usize::from);
        let of = of.min(n_runs).max(1);
        let script = script(job, &self.folder, args, of, n_runs.div_ceil(of));
        let path = self.folder.join(SCRIPT);
        fs::write(&path, script).map_err(|error| cannot_write(&path, &error))?;
        self.submit(of, (0..of).collect())
    }

    /// Submits parts again.
    pub fn repeat(&mut self, parts: Vec<usize>) -> Result<String, Diagnostic> {
        let of = self.n_parts().unwrap_or(1);
        self.submit(of, parts)
    }

    fn submit(&mut self, of: usize, parts: Vec<usize>) -> Result<String, Diagnostic> {
        let script = self.folder.join(SCRIPT);
        let output = Command::new("sbatch")
            .arg("--parsable")
            .arg(format!("--array={}", ranges(&parts)))
            .arg(&script)
            .output();
        let output = output.map_err(|error| no_slurm("sbatch", &error.to_string()))?;
        if !output.status.success() {
            return Err(no_slurm("sbatch", &String::from_utf8_lossy(&output.stderr)));
        }
        // `number` or `number;cluster`.
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let id = answer
            .trim()
            .split(';')
            .next()
            .unwrap_or_default()
            .to_owned();
        let array = Submission {
            id: id.clone(),
            of,
            parts,
        };
        let line = serde_json::to_string(&array).expect("numbers can be written") + "\n";
        let path = self.folder.join(LOG);
        let log = OpenOptions::new().append(true).create(true).open(&path);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .map_err(|error| cannot_write(&path, &error))?;
        self.submitted.push(array);
        Ok(id)
    }

    /// The parts whose jobs wait or run.
    pub fn active(&self) -> Result<BTreeSet<usize>, Diagnostic> {
        let mut active = BTreeSet::new();
        for array in &self.submitted {
            let output = Command::new("squeue")
                .args(["--noheader", "--array", "--format=%K"])
                .arg(format!("--jobs={}", array.id))
                .output()
                .map_err(|error| no_slurm("squeue", &error.to_string()))?;
            let complaint = String::from_utf8_lossy(&output.stderr);
            // Slurm forgets jobs some minutes after their end.
            let is_forgotten = complaint.contains("Invalid job id");
            if !output.status.success() && !is_forgotten {
                return Err(no_slurm("squeue", &complaint));
            }
            let numbers = String::from_utf8_lossy(&output.stdout).into_owned();
            active.extend(
                numbers
                    .lines()
                    .filter_map(|line| line.trim().parse::<usize>().ok()),
            );
        }
        Ok(active)
    }
}

const LOG: &str = "submitted.jsonl";
const SCRIPT: &str = "job.sh";

fn no_slurm(command: &str, why: &str) -> Diagnostic {
    let why = why.trim().lines().next().unwrap_or_default();
    let message = format!("`{command}` did not do what was asked: {why}");
    Diagnostic::error("no-slurm", message)
}

/// The script of a job.
fn script(job: &Job<'_>, folder: &Path, args: &CampaignArgs, of: usize, n_each: usize) -> String {
    // Each run may take its time and a half before it is ended from outside.
    let run = job.timeout.mul_f64(1.5) + Duration::from_secs(15);
    let n_rounds = u32::try_from(n_each.div_ceil(job.n_at_once)).unwrap_or(u32::MAX);
    let all = run.saturating_mul(n_rounds);
    let minutes = all.as_secs().div_ceil(60) + 1;
    let mut text = format!(
        "#!/bin/sh\n\
         # Written by `lariat compare --slurm`: one of {of} parts of the runs of this campaign.\n\
         #SBATCH --job-name=lariat\n\
         #SBATCH --output={}\n\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --time={minutes}\n\
         #SBATCH --no-requeue\n",
        folder.join("slurm-%A_%a.out").display(),
        job.n_at_once,
    );
    if let Some(bytes) = job.memory {
        // A little more than the runs are told, for what is around them.
        let mebibytes = bytes.div_ceil(1 << 20) * job.n_at_once as u64 * 5 / 4 + 64;
        let _ = writeln!(text, "#SBATCH --mem={mebibytes}M");
    }
    for option in &args.sbatch {
        let _ = writeln!(text, "#SBATCH {option}");
    }
    let quoted = |path: &Path| shell(&[path.display().to_string()]);
    text + &format!(
        "exec {} compare --campaign {} --part \"$SLURM_ARRAY_TASK_ID/{of}\" --jobs {} --summary\n",
        quoted(job.program),
        quoted(folder),
        job.n_at_once,
    )
}

/// Numbers as Slurm takes them: `0-3,7`.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let range = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 3]), "0-3");
        assert_eq!(ranges(&[0, 2, 3, 7]), "0,2-3,7");
    }

    #[test]
    fn a_job_has_time_for_its_runs() {
        let job = Job {
            program: Path::new("/p/lariat"),
            timeout: Duration::from_mins(1),
            n_at_once: 2,
            memory: Some(100 << 20),
        };
        let args = CampaignArgs {
            sbatch: vec!["--partition=long".to_owned()],
            ..CampaignArgs::default()
        };
        let text = script(&job, Path::new("/c d"), &args, 5, 10);
        // Five times two runs of 105 s each, and a minute.
        assert!(text.contains("--time=10\n"), "{text}");
        assert!(
            text.contains("--mem=314M\n#SBATCH --partition=long\n"),
            "{text}"
        );
        let last = "exec /p/lariat compare --campaign '/c d' --part \"$SLURM_ARRAY_TASK_ID/5\" --jobs 2 --summary\n";
        assert!(text.ends_with(last), "{text}");
    }
}
