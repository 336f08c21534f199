//! Trace abstraction as a user asks for it: small programs of the kinds that its papers argue about, each by itself.

use std::path::PathBuf;
use std::process::Command;

/// The exit code and the output of a check of this program by trace abstraction.
fn check(name: &str, program: &str, options: &[&str]) -> (Option<i32>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trace");
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let path = folder.join(format!("{name}.c"));
    let head = "extern int any(void);\nextern void reach_error(void);\n";
    std::fs::write(&path, format!("{head}{program}")).expect("a program");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(path)
        .args(["--engine", "trace", "--timeout", "120s"])
        .args(options)
        .output()
        .expect("lariat starts");
    let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    (output.status.code(), texts.concat())
}

const HOLDS: Option<i32> = Some(0);
const VIOLATED: Option<i32> = Some(1);

/// One interpolant, `x >= 0` or alike, excludes the path with any number of increments.
#[test]
fn a_number_that_only_grows_is_never_minus_one() {
    let counts = "int main(void) { int x = 0, y = 0; while (any()) x++; if (x == -1) reach_error(); return y; }";
    let (code, text) = check("grows", counts, &["--log", "iterations"]);
    assert_eq!(code, HOLDS, "{text}");
    let falls = counts.replace("x++", "x--");
    let (code, text) = check("falls", &falls, &[]);
    assert_eq!(code, VIOLATED, "{text}");
}

const SERVER: &str = "int asked = 0, served = 0;
int main(void) {
    while (1) {
        int work = any();
        served = 0;
        asked = 1;
        while (work > 0) work--;
        served = 1;
        asked = 0;
    }
}";

#[test]
fn an_answer_comes_after_a_countdown() {
    let formula = ["--ltl", r#"G("asked == 1" -> F "served == 1")"#];
    let (code, text) = check("countdown", SERVER, &formula);
    assert_eq!(code, HOLDS, "{text}");
    // A loop that may go on: no answer then.
    let stuck = SERVER.replace("while (work > 0) work--", "while (work > 0) work++");
    let (code, text) = check("stuck", &stuck, &formula);
    assert_eq!(code, VIOLATED, "{text}");
}

#[test]
fn a_toggle_is_on_and_off_again_and_again() {
    let toggle = "int on = 0; int main(void) { while (1) { int n = any(); while (n > 0) n = n - 2; on = 1 - on; } }";
    for state in ["on == 1", "on == 0"] {
        let formula = format!("G F \"{state}\"");
        let (code, text) = check("toggle", toggle, &["--ltl", &formula]);
        assert_eq!(code, HOLDS, "{state}: {text}");
    }
    let (code, text) = check("toggle_stays", toggle, &["--ltl", r#"F G "on == 1""#]);
    assert_eq!(code, VIOLATED, "{text}");
}

#[test]
fn a_request_that_is_dropped_violates() {
    let drops = "int asked = 0, served = 0;
        int main(void) { while (1) { asked = any(); served = 0; if (asked == 1 && any()) served = 1; } }";
    let formula = ["--ltl", r#"G("asked == 1" -> F "served == 1")"#];
    let (code, text) = check("drops", drops, &formula);
    assert_eq!(code, VIOLATED, "{text}");
}

#[test]
fn nested_loops_end() {
    let nested = "int main(void) { int n = any(); while (n > 0) { int m = any(); while (m > 0) m--; n--; } return 0; }";
    let (code, text) = check("nested", nested, &["--termination"]);
    assert_eq!(code, HOLDS, "{text}");
    let restarts = nested.replace("m > 0) m--", "m > 0) { m--; n++; }");
    let (code, text) = check("restarts", &restarts, &["--termination"]);
    assert_eq!(code, VIOLATED, "{text}");
}

/// The step is positive only because of a test earlier in the round. Without invariants no step of the loop has a measure; the
/// round as a whole has one, and both complements of its automaton subtract it.
#[test]
fn a_round_has_a_measure_where_its_steps_have_none() {
    let program = "int at = 0;
        int main(void) {
            int x = any();
            while (x > 0) { int step = any(); at = 1; if (step < 1) break; at = 2; x = x - step; at = 0; }
            at = 3; while (1) { }
        }";
    for complement in ["ncsb", "rank"] {
        let options = [
            "--ltl",
            r#"F "at == 3""#,
            "--ranking",
            "guards",
            "--complement",
            complement,
            "--blocks",
            "small",
            "--log",
            "iterations",
        ];
        let (code, text) = check("round", program, &options);
        assert_eq!(code, HOLDS, "{complement}: {text}");
        assert!(text.contains("decreases with each round"), "{text}");
    }
}

/// What cannot be argued is unknown, and the reason names the lasso.
#[test]
fn without_measures_a_countdown_is_unknown() {
    let formula = ["--ltl", r#"G("asked == 1" -> F "served == 1")"#];
    let options = [&formula[..], &["--ranking", "off", "--recurrence", "off"]].concat();
    let (code, text) = check("unargued", SERVER, &options);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("a lasso with a stem of"), "{text}");
}
