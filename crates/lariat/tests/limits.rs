//! Whatever ends a check, its report is there; limits are kept; an easy property is not starved by a hard one.
#![cfg(target_os = "linux")]

use serde_json::Value;
use std::fs::{read_dir, read_to_string};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The first property is true, but beyond every method; the others are decided in no time.
const MODEL: &str = "\
var x : int = 0
var y : int = 0
var n : 0..9 = 0
action count: n < 9 -> n := n + 1, x := x + 1, y := y + x * x
action back: n = 9 -> n := 0, x := x + 1, y := y + x * x
property hard: F G (y > x * x)
property small: G (n <= 9)
property early: G (n < 3)
";

/// What a busy machine may add to half a second.
const BUSY: Duration = Duration::from_secs(2);

fn file(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

fn check(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("check").args(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn output(args: &[&str]) -> Output {
    check(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn report(path: &str) -> Value {
    let text = read_to_string(path).expect("there is a report");
    serde_json::from_str(&text).expect("it is JSON")
}

/// The verdicts of a report with their reasons, in the order of the file.
fn verdicts(report: &Value) -> Vec<(String, String, String)> {
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let results = report["results"].as_array().expect("results");
    let result = |r: &Value| {
        (
            word(&r["property"]["name"]),
            word(&r["verdict"]),
            word(&r["reason"]),
        )
    };
    results.iter().map(result).collect()
}

fn all(hard: &str) -> Vec<(String, String, String)> {
    let row = |name: &str, verdict: &str, why: &str| (name.into(), verdict.into(), why.into());
    vec![
        row("hard", "unknown", hard),
        row("small", "holds", ""),
        row("early", "violated", ""),
    ]
}

fn send(signal: &str, process: u32) {
    let mut kill = Command::new("kill");
    let kill = kill.args([&format!("-{signal}"), &process.to_string()]);
    assert!(kill.status().is_ok_and(|status| status.success()));
}

/// The process that does the work.
fn worker_of(check: &Child) -> u32 {
    for _ in 0..1000 {
        let threads = read_dir(format!("/proc/{}/task", check.id())).expect("it runs");
        let children = |thread: std::fs::DirEntry| {
            read_to_string(thread.path().join("children")).unwrap_or_default()
        };
        let children: String = threads.flatten().map(children).collect();
        if let Some(worker) = children.split_whitespace().next() {
            return worker.parse().expect("a number");
        }
        sleep(Duration::from_millis(5));
    }
    panic!("no worker was started");
}

/// Starts a check with a long limit, and waits until the easy properties are decided.
fn started(name: &str) -> (Child, String) {
    let model = file(&format!("{name}.gcl"), MODEL);
    let json = file(&format!("{name}.json"), "");
    let mut check = check(&[&model, "--json", &json, "--timeout", "5s"])
        .spawn()
        .expect("the binary runs");
    for _ in 0..2000 {
        let written = read_to_string(&json).unwrap_or_default();
        if written.matches("\"verdict\"").count() == 2 {
            return (check, json);
        }
        sleep(Duration::from_millis(10));
    }
    let _ = check.kill();
    let _ = check.wait();
    panic!("the easy properties are not decided");
}

#[test]
fn a_signal_leaves_a_whole_report() {
    for signal in ["TERM", "INT", "HUP"] {
        let (check, json) = started(signal);
        let told = Instant::now();
        send(signal, check.id());
        let output = check.wait_with_output().expect("it ends");
        assert!(told.elapsed() < BUSY, "{signal}: {:?}", told.elapsed());
        assert_eq!(output.status.code(), Some(1), "{signal}");
        assert_eq!(verdicts(&report(&json)), all("it was cancelled"));
        let shown = text(&output.stdout);
        assert_eq!(shown.matches("unknown: ").count(), 1, "{shown}");
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    }
}

#[test]
fn a_killed_worker_loses_only_what_was_open() {
    let (check, json) = started("worker");
    send("KILL", worker_of(&check));
    let output = check.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let report = report(&json);
    let why = "the process that checked it was ended (signal: 9 (SIGKILL))";
    assert_eq!(verdicts(&report), all(why));
    assert_eq!(
        (&report["finished"], &report["stopped"]),
        (&Value::Bool(false), &Value::from(why))
    );
    assert!(text(&output.stdout).contains(&format!("unknown: {why}\n")));
}

#[test]
fn a_crash_is_followed_by_another_try_of_what_is_open() {
    let (check, json) = started("crash");
    send("ABRT", worker_of(&check));
    let output = check.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(verdicts(&report(&json)), all("the time limit was reached"));
    let shown = text(&output.stdout);
    assert_eq!(shown.matches("small: ").count(), 1, "{shown}");
}

#[test]
fn the_time_limit_is_shared_out_and_kept() {
    let model = file("shared.gcl", MODEL);
    let json = file("shared.json", "");
    let start = Instant::now();
    let done = output(&[&model, "--json", &json, "--timeout", "2s"]);
    let time = start.elapsed();
    assert!(time < Duration::from_millis(2500) + BUSY, "{time:?}");
    assert_eq!(done.status.code(), Some(1));
    assert_eq!(verdicts(&report(&json)), all("the time limit was reached"));
    let own = output(&[&model, "--json", &json, "--timeout-per-property", "500ms"]);
    assert_eq!(own.status.code(), Some(1));
    assert_eq!(verdicts(&report(&json)), all("the time limit was reached"));
}

#[test]
fn preparing_a_large_model_keeps_to_the_limit() {
    let n = 3000;
    let variable = |i: usize| format!("var x{i} : bool = false\n");
    let variables: Vec<String> = (0..n).map(variable).collect();
    let action = |i: usize| {
        let next = (i * 7 + 1) % n;
        format!("action a{i}: not x{i} or x{next} -> x{next} := not x{i}\n")
    };
    let actions: Vec<String> = (0..n).map(action).collect();
    let property = "property q: G F (x0 and x1)\nproperty r: G F x5\n";
    let model = [variables.concat(), actions.concat(), property.into()].concat();
    let model = file("large.gcl", &model);
    let json = file("large.json", "");
    let start = Instant::now();
    let done = output(&[&model, "--json", &json, "--timeout", "1s"]);
    let time = start.elapsed();
    assert!(time < Duration::from_millis(1500) + BUSY, "{time:?}");
    let report = report(&json);
    assert_eq!(
        report["exit_code"].as_i64(),
        done.status.code().map(i64::from)
    );
    let is_named = |(_, verdict, why): &(String, String, String)| {
        verdict != "unknown" || why.contains("the time limit was reached")
    };
    assert!(verdicts(&report).iter().all(is_named), "{report}");
}

#[test]
fn the_memory_limit_is_kept() {
    let model = file("memory.gcl", MODEL);
    let json = file("memory.json", "");
    let limit = ["--memory", "150MiB", "--timeout", "60s"];
    let only = [
        "--property",
        "hard",
        "--engine",
        "explicit",
        "--json",
        &json,
    ];
    let done = output(&[&[&*model], &limit[..], &only[..]].concat());
    assert_eq!(done.status.code(), Some(3));
    let why = &verdicts(&report(&json))[0].2;
    assert_eq!(why, "the memory limit was reached");
}

#[test]
fn a_path_that_cannot_be_written_is_refused_before_the_work() {
    let model = file("paths.gcl", MODEL);
    let folder = env!("CARGO_TARGET_TMPDIR");
    for option in ["--json", "--harness", "--witness"] {
        for path in [folder, "/nonexistent/folder/file"] {
            let start = Instant::now();
            let done = output(&[&model, option, path, "--timeout", "60s"]);
            assert_eq!(done.status.code(), Some(2), "{option} {path}");
            let told = text(&done.stderr);
            assert!(told.contains("error[cannot-write]"), "{told}");
            assert!(start.elapsed() < Duration::from_secs(20));
        }
    }
    let record = ["--engine", "cegar", "--record", "/nonexistent/folder/file"];
    let done = output(&[&[&*model], &record[..]].concat());
    assert_eq!(done.status.code(), Some(2));
}

#[test]
fn files_are_left_alone_until_there_is_something_to_write() {
    let program = file("fine.c", "int x; int main(void) { x = 1; }\n");
    let old = file("old.c", "old\n");
    let new = PathBuf::from(&old).with_file_name("never.c");
    let new = new.display().to_string();
    for path in [&old, &new] {
        let holds = output(&[&program, "--ltl", "F x == 1", "--harness", path]);
        assert_eq!(holds.status.code(), Some(0), "{}", text(&holds.stderr));
    }
    assert_eq!(read_to_string(&old).expect("it is there"), "old\n");
    assert!(!PathBuf::from(&new).exists(), "no empty file is left");
}

#[test]
fn rounds_are_logged_at_once_with_their_owner() {
    let model = file("log.gcl", MODEL);
    let engine = ["--engine", "cegar", "--domain", "pred-cart"];
    let args = [
        &[&*model, "--timeout", "20s", "--log", "iterations"],
        &engine[..],
    ]
    .concat();
    let mut check = check(&args).spawn().expect("the binary runs");
    let start = Instant::now();
    let mut line = String::new();
    let mut reader = BufReader::new(check.stdout.take().expect("it has an output"));
    while !line.contains("round 1: ") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).expect("a line"), 0);
    }
    assert!(start.elapsed() < Duration::from_secs(10), "not at the end");
    assert!(
        line.starts_with("hard: abstraction refinement, pred-cart: round 1: tracking "),
        "{line}"
    );
    send("TERM", check.id());
    assert!(check.wait().is_ok());
}
