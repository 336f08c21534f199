//! `simulate` on C programs, by typed values, and along the run of a report.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const PROGRAM: &str = "extern int rd(void);\nextern void __VERIFIER_assume(int);\nint x, y;\nint main(void) {\n  \
    while (1) {\n    x = rd();\n    __VERIFIER_assume(x > 3000 && x < 3010);\n    if (x == 3005 && rd()) y = x;\n  }\n}\n";

/// A folder of its own with a program.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("lariat-simulate-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        std::fs::write(path.join("m.c"), PROGRAM).expect("the program is written");
        Self(path)
    }

    /// Calls the program with this standard input; what it printed.
    fn lariat(&self, arguments: &[&str], input: &str) -> String {
        let mut process = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = process.stdin.take().expect("a pipe");
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = process.wait_with_output().expect("it ends");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        text(&output.stdout) + &text(&output.stderr)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Inputs are such that assumptions hold, and steps are statements of the source.
#[test]
fn programs_run_in_their_own_words() {
    let folder = Folder::new("words");
    for ints in ["math", "bitprecise"] {
        let said = folder.lariat(&["simulate", "m.c", "--steps", "40", "--int", ints], "");
        assert!(said.contains("as many steps as were asked for"), "{said}");
        assert!(said.contains("m.c:6  x = rd()"), "{said}");
        assert!(said.contains("x == 3005 && rd(): false"), "{said}");
        assert!(!said.contains("havoc"), "{said}");
    }
}

#[test]
fn values_can_be_typed() {
    let folder = Folder::new("typed");
    let said = folder.lariat(
        &["simulate", "m.c", "--interactive"],
        "\n\n\nx = 3005\n\nq\n",
    );
    assert!(said.contains("x = 3005\n"), "{said}");
    assert!(said.contains("__VERIFIER_assume(x > 3000"), "{said}");
    let wrong = [
        ("z = 1", "there is no variable `z`"),
        ("x = one", "`one` is no value of `x`"),
        ("x = 99999999999", "no step leads to `x = 99999999999`"),
    ];
    for (line, why) in wrong {
        let said = folder.lariat(
            &["simulate", "m.c", "--interactive"],
            &format!("\n\n\n{line}\n"),
        );
        assert!(said.contains(why), "{said}");
    }
}

/// The stem and two rounds of the loop, in every language; a report of another model is refused.
#[test]
fn the_run_of_a_report_is_followed() {
    let folder = Folder::new("replay");
    std::fs::write(
        folder.0.join("m.gcl"),
        "var x : 0..3 = 0\naction up: x < 3 -> x := x + 1\naction down: x = 3 -> x := 0\nproperty p: G x < 3\n",
    )
    .expect("the model is written");
    let cases = [
        (&["m.c", "--ltl", "G y != 3005"][..], "y = 3005"),
        (&["m.gcl", "--property", "p"][..], "x = 3"),
    ];
    for (asked, reached) in cases {
        let arguments = [&["check"][..], asked, &["--json", "r.json"]].concat();
        let said = folder.lariat(&arguments, "");
        assert!(said.contains("violated"), "{said}");
        let arguments = ["simulate", asked[0], "--replay", "r.json", "--rounds", "2"];
        let said = folder.lariat(&arguments, "");
        assert!(said.contains(reached), "{said}");
        assert!(said.contains("round 2 of the loop:"), "{said}");
        assert!(said.contains("the run of the report ends here"), "{said}");
    }
    let said = folder.lariat(&["simulate", "m.c", "--replay", "r.json"], "");
    assert!(said.contains("error[replay]"), "{said}");
    let said = folder.lariat(&["simulate", "m.c", "--replay", "m.c"], "");
    assert!(said.contains("is no report"), "{said}");
}
