//! Certificates: others accept them, and reject them when they were changed.
//!
//! `scripts/check-certificate` needs Python and a solver with a command line; without them these tests say that they were skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Writes the certificate of the first property that holds.
fn certificate(name: &str, args: &[&str]) -> (PathBuf, Output) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.smt2"));
    let _ = std::fs::remove_file(&file);
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.current_dir(ROOT).arg("check").args(args);
    let output = command.arg("--certificate").arg(&file).output();
    (file, output.expect("the binary runs"))
}

/// The exit code of the checker and what it says; nothing if it cannot be run here.
#[allow(clippy::print_stderr)] // whoever reads the log should know
fn checked(file: &Path) -> Option<(i32, String)> {
    let has = |program: &str, arg: &str| {
        let output = Command::new(program).arg(arg).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !has("python3", "--version") || !has("z3", "--version") {
        eprintln!("skipped: python3 or z3 is not installed");
        return None;
    }
    let mut command = Command::new("python3");
    command.arg(Path::new(ROOT).join("scripts/check-certificate"));
    let output = command.arg(file).output().expect("Python runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((output.status.code().expect("an exit code"), said))
}

const CASES: [(&str, &[&str]); 6] = [
    (
        "response",
        &[
            "examples/xsts/traffic_light.xsts",
            "--ltl",
            "G (green -> (green W yellow))",
            "--domain",
            "expl",
        ],
    ),
    (
        "invariant",
        &[
            "examples/xsts/traffic_light.xsts",
            "--invariant",
            "!(yellow && green)",
            "--domain",
            "pred-bool",
        ],
    ),
    (
        "pair",
        &[
            "examples/c/two_counters.c",
            "--termination",
            "--domain",
            "pred-cart",
        ],
    ),
    (
        "fair",
        &[
            "examples/gcl/ticket_lock.gcl",
            "--property",
            "served",
            "--domain",
            "pred-cart",
        ],
    ),
    (
        "waiting",
        &[
            "examples/gcl/peterson.gcl",
            "--property",
            "enters",
            "--domain",
            "pred-split",
        ],
    ),
    (
        "combined",
        &[
            "examples/gcl/peterson.gcl",
            "--property",
            "exclusive",
            "--domain",
            "expl-pred-cart",
        ],
    ),
];

#[test]
fn others_accept_them() {
    for (name, args) in CASES {
        let (file, output) = certificate(name, args);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        if let Some((code, said)) = checked(&file) {
            assert_eq!(code, 0, "{name}: {said}");
            assert!(
                said.starts_with("the certificate is right"),
                "{name}: {said}"
            );
        }
    }
}

/// A measure's step that claims to decrease what it does not touch, a graph that lost an arc's mark, a formula less.
#[test]
fn changed_ones_are_rejected() {
    let (_, args) = CASES[2];
    let (file, _) = certificate("tampered", args);
    let text = std::fs::read_to_string(&file).expect("it was written");
    let first = text.find("(assert").expect("a formula");
    let changes = [
        (
            "a response everywhere",
            text.replace(" b0 q", " b0 r0 r1 q"),
        ),
        ("a formula less", text.replacen("(check-sat)", "", 1)),
        (
            "a weaker formula",
            format!(
                "{}(assert true)\n(check-sat)\n; {}",
                &text[..first],
                &text[first..]
            ),
        ),
        (
            "another kind",
            text.replacen("certificate/1", "certificate/9", 1),
        ),
    ];
    for (what, changed) in changes {
        assert_ne!(changed, text, "{what}");
        std::fs::write(&file, changed).expect("it can be written");
        if let Some((code, said)) = checked(&file) {
            assert_eq!(code, 1, "{what}: {said}");
        }
    }
}

#[test]
fn a_list_of_states_has_none() {
    let args = [
        "examples/gcl/peterson.gcl",
        "--property",
        "exclusive",
        "--engine",
        "explicit",
    ];
    let (_, output) = certificate("states", &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("no-certificate") && said.contains("--engine cegar"),
        "{output:?}"
    );
}
