//! `--engine auto`: the same input gives the same output, and several engines at once give the same verdicts.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Two counters and a switch: too many states to list at once, violated far from the start, so that several engines have a turn.
const MODEL: &str = "model race
var x : int = 0
var y : int = 0
var on : bool = false
action up: x < 5000 -> x := x + 1
action more: y < 5000 -> y := y + 1
action switch: x > 40 and y > 45 -> on := not on
property stays_off: G (not on)
property both: G (x <= 5000 and y <= 5000)
property moves: F (x > 0 or y > 0)
";

fn model(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("portfolio");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join(name);
    std::fs::write(&file, MODEL).expect("the file can be written");
    file
}

/// What a check prints, and its exit code.
fn check(file: &Path, args: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output = command.arg("check").arg(file).args(args).output();
    let output = output.expect("the binary runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    (shown, output.status.code())
}

/// The verdicts of a report, in the order of the properties.
fn verdicts(shown: &str) -> Vec<&str> {
    let words = ["holds", "violated"];
    let is_verdict = |line: &&str| words.contains(line) || line.starts_with("unknown");
    shown.lines().filter(is_verdict).collect()
}

#[test]
fn the_same_input_gives_the_same_output() {
    let file = model("same.gcl");
    let (first, code) = check(&file, &[]);
    assert_eq!(code, Some(1), "{first}");
    assert_eq!(verdicts(&first), ["violated", "holds", "holds"], "{first}");
    // All at once: each has a small part of the machine, and another one at each time.
    let runs: Vec<_> = (0..10)
        .map(|_| {
            let file = file.clone();
            std::thread::spawn(move || check(&file, &[]).0)
        })
        .collect();
    for run in runs {
        assert_eq!(run.join().expect("it ends"), first);
    }
}

#[test]
fn several_engines_at_once_give_the_same_verdicts() {
    let file = model("jobs.gcl");
    let (alone, _) = check(&file, &[]);
    for jobs in ["2", "4", "0"] {
        let (shown, code) = check(&file, &["--jobs", jobs]);
        assert_eq!(verdicts(&shown), verdicts(&alone), "--jobs {jobs}: {shown}");
        assert_eq!(code, Some(1));
    }
}

/// The work of all attempts of a check, which must find a violation.
fn work(file: &Path, args: &[&str]) -> u64 {
    let (shown, code) = check(file, &[args, &["--json", "-"]].concat());
    assert_eq!(code, Some(1), "{shown}");
    let report: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let attempts = report["results"][0]["attempts"].as_array().expect("a list");
    attempts
        .iter()
        .filter_map(|attempt| attempt["work"].as_u64())
        .sum()
}

/// A machine with many inputs whose bad state is 57 steps away: listing states finds it, and so must the portfolio.
#[test]
fn what_explicit_states_find_auto_finds_with_at_most_twice_the_work() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/pack.xsts");
    let explicit = work(&file, &["--invariant", "boxes < 2", "--engine", "explicit"]);
    let auto = work(&file, &["--invariant", "boxes < 2"]);
    assert!(auto <= 2 * explicit, "{auto} against {explicit}");
    let layers = [
        "--ltl",
        "G (boxes < 2)",
        "--engine",
        "explicit",
        "--search",
        "layers",
    ];
    let explicit = work(&file, &layers);
    let auto = work(&file, &["--ltl", "G (boxes < 2)"]);
    assert!(auto <= 2 * explicit, "{auto} against {explicit}");
}
