//! Counterexamples come back to the model as given, whatever was rewritten.

use std::path::PathBuf;
use std::process::Command;

/// The initial relation of the second part becomes an assignment behind the conditional of the first part's `init`: the start
/// of the given model must have the value that is assigned, not the one before it.
#[test]
fn an_initial_relation_behind_a_conditional() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lifting");
    std::fs::create_dir_all(&folder).expect("a folder for models");
    let first = "var x : integer = 0\nvar c : boolean\n\
                 trans { x := 1 - x; } init { if (c) { x := 1; } } env { }\nprop { true }\n";
    let second = "specification S {\n  system s := {\n    var i : int\n    initial i = 3\n    \
                  transition i' = i\n  }\n  property p : s models G (i = 3)\n}\n";
    for (name, text) in [("a.xsts", first), ("b.sts", second)] {
        std::fs::write(folder.join(name), text).expect("a model");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .current_dir(folder)
        .args(["check", "a.xsts", "b.sts", "--compose", "interleave"])
        .args(["--ltl", "G (x = 0)"])
        .output()
        .expect("lariat starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("i = 3"), "{text}");
}
