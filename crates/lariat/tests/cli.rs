//! The built binary on small models: what it prints and how it ends.
//!
//! Each file in `tests/cli` is a transcript: a line `$ lariat …`, then what it prints (standard output,
//! then standard error), then `[exit N]` unless that is 0. `UPDATE_EXPECT=1 cargo test -p lariat --test
//! cli` regenerates the transcripts; read the difference before you commit it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[test]
fn transcripts_are_as_expected() {
    let folder = tests().join("cli");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the transcripts")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut different = Vec::new();
    for file in files {
        let expected = std::fs::read_to_string(&file).expect("a transcript");
        let actual = replay(&expected);
        if update {
            std::fs::write(&file, &actual).expect("a writable transcript");
        } else if actual != expected {
            let line = actual
                .lines()
                .zip(expected.lines())
                .position(|(a, e)| a != e);
            let line = line.unwrap_or(actual.lines().count().min(expected.lines().count()));
            different.push(format!(
                "{}:{}\n  expected: {:?}\n  actual:   {:?}",
                file.display(),
                line + 1,
                expected.lines().nth(line),
                actual.lines().nth(line)
            ));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Runs the commands of a transcript and writes it with what they print now.
fn replay(transcript: &str) -> String {
    let mut text = String::new();
    for command in transcript.lines().filter(|line| line.starts_with("$ ")) {
        let (words, input) = split(&command[2..]);
        assert_eq!(words[0], "lariat", "{command}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let input = match input {
            Some(file) => std::fs::read(tests().join("models").join(file)).expect("the input"),
            None => Vec::new(),
        };
        let output = lariat(&arguments, &input);
        let _ = writeln!(text, "{command}");
        for part in [&output.stdout, &output.stderr] {
            let part = String::from_utf8(part.clone()).expect("UTF-8");
            text += &part;
            if !part.is_empty() && !part.ends_with('\n') {
                text.push('\n');
            }
        }
        let code = output.status.code().expect("it was not killed");
        if code != 0 {
            let _ = writeln!(text, "[exit {code}]");
        }
        text.push('\n');
    }
    text
}

/// The words of a command, with single quotes as in a shell, and the file after `<`.
fn split(command: &str) -> (Vec<String>, Option<String>) {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is a word").push(c),
        }
    }
    match words.iter().position(|word| word == "<") {
        Some(at) => {
            let input = words.get(at + 1).cloned();
            words.truncate(at);
            (words, input)
        }
        None => (words, None),
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed: &str| {
        let arguments = ["simulate", "light.xsts", "--steps", "200", "--seed", seed];
        lariat(&arguments, b"").stdout
    };
    assert_eq!(run("4"), run("4"));
    assert_ne!(run("4"), run("5"));
}

#[test]
fn text_that_is_no_utf8_is_refused_with_its_place() {
    let folder = std::env::temp_dir().join(format!("lariat-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let file = folder.join("latin.xsts");
    std::fs::write(&file, b"var x : integer\n// caf\xe9\n").expect("a writable folder");
    let output = lariat(&["show", file.to_str().expect("a plain path")], b"");
    std::fs::remove_dir_all(&folder).expect("our own folder");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("not-utf8"), "{error}");
    assert!(error.contains("byte 0xe9 in line 2 (offset 22)"), "{error}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_model_can_come_from_standard_input() {
    let model = std::fs::read(tests().join("models/stuck.gcl")).expect("a model");
    let output = lariat(&["show", "-", "--language", "gcl"], &model);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"GCL stuck  (-)"));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["simulate", "light.xsts", "--steps", "100000"])
        .current_dir(tests().join("models"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*error), (Some(0), ""));
}

#[test]
fn colour_is_used_only_when_it_is_asked_for() {
    let plain = lariat(&["show", "missing.xsts"], b"");
    let coloured = lariat(&["show", "missing.xsts", "--color", "always"], b"");
    assert!(!plain.stderr.contains(&0x1b));
    assert!(coloured.stderr.contains(&0x1b));
}

fn lariat(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(arguments)
        .current_dir(tests().join("models"))
        .env_remove("COLUMNS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that does not read its input may be gone already.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}
