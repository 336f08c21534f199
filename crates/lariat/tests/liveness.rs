//! Loops that end for one reason or another, and loops that go on without coming back to a state, as a user asks about
//! them.

use std::path::PathBuf;
use std::process::Command;

/// The exit code and the output of `--termination` for a program with this body of `main`.
fn ends(name: &str, body: &str) -> (Option<i32>, String) {
    ends_with(name, body, &[])
}

/// The same with some options.
fn ends_with(name: &str, body: &str, options: &[&str]) -> (Option<i32>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("liveness");
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let path = folder.join(format!("{name}.c"));
    let text = format!("extern int any(void);\nint main(void) {{ {body} return 0; }}\n");
    std::fs::write(&path, text).expect("a program");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(path)
        .args(["--termination", "--timeout", "120s"])
        .args(options)
        .output()
        .expect("lariat starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text)
}

#[test]
fn loops_that_end() {
    let programs = [
        ("down", "int x = any(); while (x > 0) x--;"),
        // The distance of the two gets smaller, whichever is the larger.
        (
            "distance",
            "int p = any(), q = any(); while (p != q) { if (p > q) p--; else q--; }",
        ),
        // The step is at least 1, which only the start tells.
        (
            "step",
            "int x = any(), y = any(); if (y < 1) return 0; while (x > 0) x = x - y;",
        ),
        // First z becomes negative, then y, then x.
        (
            "phases",
            "int x = any(), y = any(), z = any(); while (x >= 0) { x = x + y; y = y + z; z = z - 1; }",
        ),
    ];
    for (name, body) in programs {
        let (code, text) = ends(name, body);
        assert_eq!(code, Some(0), "{name}: {text}");
        assert!(text.contains("cannot go on forever"), "{name}: {text}");
    }
}

#[test]
fn loops_that_go_on() {
    let programs = [
        (
            "up",
            "int x = any(); while (x > 0) x++;",
            "no state comes back: with each round x grows by 1",
        ),
        (
            "twice",
            "int x = any(); while (x > 0) x = 2 * x;",
            "no state comes back: x is ",
        ),
        // x grows by y, which grows by 1.
        (
            "faster",
            "int x = any(), y = any(); while (x > 0) { x = x + y; y = y + 1; }",
            "no state comes back: ",
        ),
        // The factor of each round is no rational number; 2x + 3y is x + y a round later.
        (
            "irrational",
            "int x = any(), y = any(), t; while (x + y > 0) { t = x; x = x + 2 * y; y = t + y; }",
            "no state need come back: every round starts with ",
        ),
        // The other number does not matter to the loop.
        (
            "beside",
            "int x = any(), n = 1; while (any()) n = n * 3 + x; if (n > 7) return 1;",
            "violated",
        ),
    ];
    for (name, body, words) in programs {
        let (code, text) = ends(name, body);
        assert_eq!(code, Some(1), "{name}: {text}");
        assert!(text.contains(words), "{name}: {text}");
    }
}

/// Numbers of the machine: what is compared without a sign is measured without one, and what wraps around is no measure.
#[test]
fn bit_vectors_that_end_and_that_do_not() {
    let programs = [
        (
            "unsigned-down",
            "unsigned x = any(); while (x > 0) x--;",
            Some("x decreases and does not go below 0"),
        ),
        (
            "signed-up",
            "int n = any(); for (int i = 0; i < n; i++) ;",
            Some("decreases and does not go below 0"),
        ),
        // Never below 0: x becomes the greatest number, again and again.
        ("wrap", "unsigned x = any(); while (x >= 0) x--;", None),
    ];
    for (name, body, measure) in programs {
        let (code, text) = ends_with(name, body, &["--int", "bitprecise"]);
        match measure {
            Some(words) => {
                assert_eq!(code, Some(0), "{name}: {text}");
                assert!(text.contains(words), "{name}: {text}");
            }
            None => assert_ne!(code, Some(0), "{name}: {text}"),
        }
    }
}

#[test]
fn what_drifts_is_not_said_to_grow_by_a_rule() {
    // y is 0, 2, 7, 15, …: it does not grow by the same amount in each round, and nothing depends on it.
    let text = "var x : int = 2\nvar y : int = 0\naction go: true -> x := x + 3, y := y + x\n";
    let path = std::env::temp_dir().join(format!("lariat-drift-{}.gcl", std::process::id()));
    std::fs::write(&path, text).expect("a model");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let command = command.arg("check").arg(&path).args(["--ltl", "F (x < 0)"]);
    let output = command.output().expect("lariat runs");
    let _ = std::fs::remove_file(path);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("with each round x grows by 3"), "{text}");
    assert!(!text.contains("y grows"), "{text}");
    assert!(
        text.contains("these are not the same in every round, which changes nothing else: y"),
        "{text}"
    );
}
