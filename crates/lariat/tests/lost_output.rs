//! A verdict is not lost with standard output: the exit code is that of the verdicts, or an error says so.
#![cfg(unix)]

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// One property that holds, then one that is violated.
const MODEL: &str = "\
var x : 0..200 = 0
action count: x < 200 -> x := x + 1
action stay: x = 200 -> x := x
property first: G (x <= 200)
property second: G (x < 150)
";

fn model(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lost_output");
    std::fs::create_dir_all(&folder).expect("a folder for models");
    let path = folder.join(name);
    std::fs::write(&path, MODEL).expect("a model");
    path
}

fn check(name: &str, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("check").arg(model(name)).args(options);
    command
}

/// With a worker process, and without.
const ENGINES: [&[&str]; 2] = [&[], &["--engine", "explicit"]];

#[test]
fn a_reader_that_goes_away_does_not_change_the_verdict() {
    for options in ENGINES {
        let mut process = check("pipe.gcl", options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("lariat starts");
        let output = process.stdout.take().expect("it has an output");
        let mut line = String::new();
        let mut reader = BufReader::with_capacity(1, output);
        reader.read_line(&mut line).expect("a first line");
        drop(reader);
        let status = process.wait().expect("it ends");
        assert_eq!(status.code(), Some(1), "{options:?}");
    }
}

#[test]
fn a_full_disk_is_an_error_that_tells_the_verdict() {
    // Not every machine has this device.
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return;
    };
    for options in ENGINES {
        let full = full.try_clone().expect("another handle");
        let Output { status, stderr, .. } = check("full.gcl", options)
            .stdout(full)
            .output()
            .expect("lariat starts");
        let text = String::from_utf8_lossy(&stderr);
        assert_eq!(status.code(), Some(2), "{options:?}: {text}");
        assert!(text.contains("violated"), "{options:?}: {text}");
    }
}
