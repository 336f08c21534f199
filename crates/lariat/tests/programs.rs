//! C programs as their users write them: what is an input, what is asked, what must not be passed over in silence. Each case
//! once had another answer.

use std::path::PathBuf;
use std::process::Command;

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;

/// A folder of its own for the files of a test.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = format!("lariat-programs-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// A folder with one program, `m.c`.
    fn program(name: &str, text: &str) -> Self {
        let files = Self::new(name);
        files.write("m.c", text);
        files
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the file is written");
    }

    /// Checks; the exit code must be this one. Gives what was printed, errors last.
    fn check(&self, arguments: &[&str], code: i32) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .arg("check")
            .args(arguments)
            .args(["--timeout", "60s"])
            .current_dir(&self.0)
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        said
    }

    fn ltl(&self, formula: &str, code: i32) -> String {
        self.check(&["m.c", "--ltl", formula], code)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn reads_of_volatile_objects_are_inputs() {
    let files = Files::program(
        "volatile",
        "#include <stdbool.h>\nvolatile bool tick; int seconds;\n\
         int main(void) { while (1) { while (!tick) { } tick = false; seconds = (seconds + 1) % 60; } }\n\
         void TIMER0_IRQHandler(void) { tick = true; }\n",
    );
    let said = files.ltl("G seconds == 0", VIOLATED);
    assert!(
        said.contains("each read of the volatile variable `tick` is an input"),
        "{said}"
    );
    assert!(
        said.contains("nothing calls the function `TIMER0_IRQHandler`"),
        "{said}"
    );
    assert!(
        said.contains("tick = 1 (m.c:3)"),
        "among the inputs: {said}"
    );
    let ignored = ["m.c", "--ltl", "G seconds == 0", "--volatile", "ignore"];
    let said = files.check(&ignored, HOLDS);
    assert!(!said.contains("is an input"), "{said}");
    // What formulas see is what the program last read or wrote.
    files.ltl("G F tick", VIOLATED);
    files.ltl("G (tick -> F !tick)", HOLDS);
    files.ltl("G (seconds < 60)", HOLDS);
    // No function brings the value in, so that no harness can repeat the run.
    let asked = ["m.c", "--ltl", "G seconds == 0", "--harness", "h.c"];
    let said = files.check(&asked, VIOLATED);
    assert!(said.contains("it reads volatile variables"), "{said}");
}
