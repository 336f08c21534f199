//! Long comparisons: what is noted is not made again, what is cut off is not lost, and a cluster shares the work.

#![cfg(unix)]

use serde_json::Value;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("campaign")
            .join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("the file can be written");
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }

    fn script(&self, name: &str, text: &str) -> String {
        let path = self.file(name, &format!("#!/bin/sh\n{text}\n"));
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, permissions).expect("our own file");
        path
    }

    /// A program that answers at once, and counts how often it was asked.
    fn counting(&self) -> String {
        let log = self.path("asked");
        self.script("fake", &format!("echo \"$*\" >> '{log}'\nexit 0"))
    }

    fn n_asked(&self) -> usize {
        self.read("asked").lines().count()
    }
}

fn compare(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("compare").args(args);
    command.output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const MODEL: &str = "model cycle
var x : 0..3 = 0
action up: x < 3 -> x := x + 1
action again: x = 3 -> x := 0
";

/// The verdicts of a CSV file, with what they are about.
fn verdicts(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let wanted = [
        "task",
        "configuration",
        "repetition",
        "verdict",
        "correct",
        "states",
    ];
    let columns = wanted.map(|name| heads.iter().position(|head| head == name));
    let row = |row: Result<csv::StringRecord, csv::Error>| {
        let row = row.expect("a row");
        columns
            .iter()
            .map(|at| row[at.expect("a column")].to_owned())
            .collect()
    };
    reader.records().map(row).collect()
}

#[test]
fn what_is_noted_is_not_made_again() {
    let folder = Folder::new("again");
    let model = folder.file("cycle.gcl", MODEL);
    let (program, campaign) = (folder.counting(), folder.path("runs"));
    let base = [
        &*model,
        "--ltl",
        "G F x = 0",
        "--ltl",
        "F x = 2",
        "--configs",
        "auto,explicit",
        "--repeat",
        "2",
        "--jobs",
        "1",
        "--program",
        &*program,
        "--campaign",
        &*campaign,
    ];
    let first = compare(&base);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    assert_eq!(folder.n_asked(), 8);
    // By accident nothing is begun anew.
    let again = compare(&base);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("campaign-exists"));
    // Nothing is missing, and nothing but the folder needs to be said.
    let csv = folder.path("runs.csv");
    let all = compare(&["--campaign", &campaign, "--resume", "--csv", &csv]);
    assert_eq!(all.status.code(), Some(0), "{}", text(&all.stderr));
    assert_eq!(folder.n_asked(), 8);
    assert_eq!(text(&all.stdout), text(&first.stdout));
    assert_eq!(verdicts(&folder.read("runs.csv")).len(), 8);
    // A machine that went down in the middle of a line, and one line that something else has spoiled.
    let log = folder.read("runs/runs.jsonl");
    let mut lines: Vec<&str> = log.lines().collect();
    lines[2] = "{\"spoiled\":";
    let cut = lines[..7].join("\n") + "\n" + &lines[7][..40];
    std::fs::write(folder.path("runs/runs.jsonl"), cut).expect("our own file");
    let resumed = compare(&["--campaign", &campaign, "--resume"]);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
    assert_eq!(folder.n_asked(), 10);
    // Every line is whole now, but for the spoiled one.
    let log = folder.read("runs/runs.jsonl");
    let whole = log
        .lines()
        .filter(|line| serde_json::from_str::<Value>(line).is_ok());
    assert_eq!(whole.count(), 8);
    // A model that was changed is checked again.
    std::fs::write(&model, MODEL.replace("0..3", "0..4")).expect("our own file");
    let changed = compare(&["--campaign", &campaign, "--resume"]);
    assert_eq!(changed.status.code(), Some(0), "{}", text(&changed.stderr));
    assert_eq!(folder.n_asked(), 18);
    // Another build of the program gives figures that do not belong to these.
    folder.script("fake", "exit 1");
    let other = compare(&["--campaign", &campaign, "--resume"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("another program"));
}

#[test]
fn an_ended_comparison_goes_on_where_it_was() {
    let folder = Folder::new("ended");
    let model = folder.file("cycle.gcl", MODEL);
    let (asked, mark, campaign) = (
        folder.path("asked"),
        folder.path("waits"),
        folder.path("runs"),
    );
    // The third run hangs until somebody removes the mark.
    let program = folder.script(
        "fake",
        &format!(
            "echo \"$*\" >> '{asked}'\nif [ $(wc -l < '{asked}') = 3 ] && [ ! -e '{mark}' ]; then touch '{mark}'; sleep 100; fi\nexit 0"
        ),
    );
    let args = [
        "compare",
        &*model,
        "--ltl",
        "G F x = 0",
        "--configs",
        "auto,explicit,expl,pred-cart",
        "--jobs",
        "1",
        "--program",
        &*program,
        "--campaign",
        &*campaign,
    ];
    for signal in ["-KILL", "-INT"] {
        let _ = std::fs::remove_file(&mark);
        let _ = std::fs::remove_file(&asked);
        let _ = std::fs::remove_dir_all(&campaign);
        let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        for _ in 0..2000 {
            if Path::new(&mark).exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.expect("kill runs").success());
        child.wait().expect("it ends");
        assert_eq!(
            folder.read("runs/runs.jsonl").lines().count(),
            2,
            "{signal}"
        );
        let resumed = compare(&["--campaign", &campaign, "--resume"]);
        assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
        // Two before, one that was cut off, two now.
        assert_eq!(folder.n_asked(), 5, "{signal}");
    }
}

#[test]
fn jobs_of_a_cluster_are_repeated_when_they_die() {
    let folder = Folder::new("cluster");
    let mut manifest = String::from("id\tmodel\tltl\texpected\n");
    folder.file("cycle.gcl", MODEL);
    for i in 0..50 {
        let (formula, expected) = match i % 3 {
            0 => (format!("G x <= {}", 3 + i), "holds"),
            1 => (format!("(G F x = {}) & G x <= {}", i % 4, 3 + i), "holds"),
            _ => (format!("(F G x = {}) | F x > {}", i % 4, 3 + i), "violated"),
        };
        let _ = writeln!(manifest, "t{i}\tcycle.gcl\t{formula}\t{expected}");
    }
    let manifest = folder.file("tasks.tsv", &manifest);
    let campaign = folder.path("runs");
    // A cluster of one machine: `sbatch` runs the parts one after another. The fourth dies when it is run first, the sixth always.
    let dead = folder.path("dead");
    folder.script(
        "sbatch",
        &format!(
            "for word; do case $word in --array=*) list=${{word#--array=}};; esac; script=$word; done\n\
             for range in $(echo $list | tr , ' '); do\n\
             for SLURM_ARRAY_TASK_ID in $(seq ${{range%-*}} ${{range#*-}}); do\n\
             export SLURM_ARRAY_TASK_ID\n\
             [ $SLURM_ARRAY_TASK_ID = 3 ] && [ ! -e '{dead}' ] && touch '{dead}' && continue\n\
             [ $SLURM_ARRAY_TASK_ID = 5 ] && [ ! -e '{dead}-never' ] && continue\n\
             sh $script > /dev/null 2>&1\n\
             done; done\necho 17"
        ),
    );
    folder.script(
        "squeue",
        "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1",
    );
    let path = format!(
        "{}:{}",
        folder.0.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let on_cluster = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        let command = command.arg("compare").args(args).env("PATH", &path);
        command.output().expect("the binary runs")
    };
    let submitted = on_cluster(&[
        "--manifest",
        &manifest,
        "--configs",
        "auto",
        "--timeout",
        "60s",
        "--campaign",
        &campaign,
        "--slurm",
        "--slurm-jobs",
        "10",
    ]);
    assert_eq!(
        submitted.status.code(),
        Some(0),
        "{}",
        text(&submitted.stderr)
    );
    assert!(text(&submitted.stdout).contains("50 runs are submitted as job 17"));
    let csv = folder.path("cluster.csv");
    let collect = [
        "--campaign",
        &*campaign,
        "--collect",
        "--summary",
        "--csv",
        &*csv,
    ];
    let first = on_cluster(&collect);
    assert_eq!(first.status.code(), Some(3), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("10 of 50 runs are missing"));
    assert!(text(&first.stderr).contains("2 jobs that died are submitted again as job 17"));
    // The second try has brought what the fourth part had to do; the sixth is tried once more.
    let second = on_cluster(&collect);
    assert!(
        text(&second.stdout).contains("5 of 50 runs are missing"),
        "{}",
        text(&second.stdout)
    );
    // What dies three times is an error of its runs, not something to wait for.
    let third = on_cluster(&collect);
    assert_eq!(third.status.code(), Some(2), "{}", text(&third.stderr));
    assert_eq!(
        folder
            .read("cluster.csv")
            .matches("its job ended 3 times without a result")
            .count(),
        5
    );
    // A person mends the cause: the part is made by hand, and everything is there.
    let part = compare(&["--campaign", &campaign, "--part", "5/10", "--summary"]);
    assert_eq!(part.status.code(), Some(0), "{}", text(&part.stderr));
    let last = on_cluster(&collect);
    assert_eq!(last.status.code(), Some(0), "{}", text(&last.stderr));
    // The same as on this machine alone.
    let own = folder.path("own.csv");
    let local = compare(&[
        "--manifest",
        &manifest,
        "--configs",
        "auto",
        "--timeout",
        "60s",
        "--csv",
        &own,
        "--summary",
    ]);
    assert_eq!(local.status.code(), Some(0), "{}", text(&local.stderr));
    let (cluster, own) = (
        verdicts(&folder.read("cluster.csv")),
        verdicts(&folder.read("own.csv")),
    );
    assert_eq!(own.len(), 50);
    assert_eq!(cluster, own);
}

#[test]
fn a_cluster_that_is_not_there_is_an_error() {
    let folder = Folder::new("nowhere");
    let model = folder.file("cycle.gcl", MODEL);
    let campaign = folder.path("runs");
    let args = [
        &*model,
        "--ltl",
        "G F x = 0",
        "--configs",
        "auto",
        "--campaign",
        &*campaign,
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let command = command
        .arg("compare")
        .args(args)
        .arg("--slurm")
        .env("PATH", "/nowhere");
    let output = command.output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("no-slurm"),
        "{}",
        text(&output.stderr)
    );
    // Options that mean nothing alone are refused.
    for option in ["--resume", "--slurm", "--collect"] {
        assert_eq!(
            compare(&[&*model, option]).status.code(),
            Some(2),
            "{option}"
        );
    }
    let nothing = compare(&["--campaign", &folder.path("empty"), "--resume"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("no-campaign"));
}
