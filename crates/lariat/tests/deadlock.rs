//! `lariat check --deadlock`: runs that get stuck end, stay for ever, or are errors.

use std::path::Path;
use std::process::Command;

/// The verdicts that a check prints, one after the other, and its exit code.
fn check(name: &str, model: &str, args: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deadlock");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join(name);
    std::fs::write(&file, model).expect("the file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(file)
        .args(args)
        .output()
        .expect("the binary runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let is_verdict = |line: &&str| {
        ["holds", "violated"].contains(line)
            || line.starts_with("unknown")
            || line.starts_with("error")
    };
    let verdicts = shown.lines().filter(is_verdict).map(str::to_owned);
    (verdicts.collect(), output.status.code())
}

/// Works three times and is stuck then, at work.
const TIRED: &str = "type Phase : { wait, work }
var phase : Phase = wait
var n : integer = 0
trans {
  choice { assume phase == wait; phase := work; }
  or { assume phase == work && n < 2; n := n + 1; phase := wait; }
}
init { }
env { }
prop { n < 3 }
";
/// Climbs as long as there is a number below five.
const CLIMB: &str = "specification Climb {
  system climb := {
    var x : int
    initial x = 0
    transition x' > x and x' < 5
  }
  property small : climb models G(x < 5)
}
";
/// Counts to three: there is no next value then.
const COUNTS: &str =
    "MODULE main VAR x : 0..3; b : boolean; INIT x = 0 TRANS next(x) = x + 1 LTLSPEC G F x = 7";
const RELATION: &str = "(declare-fun x () Int) (declare-fun x1 () Int)
(define-fun sx () Int (! x :next x1))
(define-fun start () Bool (! (= x 0) :init true))
(define-fun step () Bool (! (and (= x1 (+ x 1)) (< x1 4)) :trans true))
(define-fun p () Bool (! (< x 9) :invar-property 0))
";
const ENGINES: [&str; 3] = ["auto", "explicit", "cegar"];

#[test]
fn a_stuck_run_ends_unless_it_stutters() {
    for engine in ENGINES {
        let verdict = |name, model, args: &[&str]| {
            let args = [args, &["--engine", engine]].concat();
            check(name, model, &args).0.join(", ")
        };
        let waits = ["--ltl", "G F (phase == wait)"];
        let stuttering = ["--ltl", "G F (phase == wait)", "--deadlock", "stutter"];
        assert_eq!(verdict("tired.xsts", TIRED, &waits), "holds", "{engine}");
        assert_eq!(
            verdict("tired.xsts", TIRED, &stuttering),
            "violated",
            "{engine}"
        );
        // Every run of the other model gets stuck: only by staying does it come to rest.
        let never = ["--ltl", "false"];
        assert_eq!(verdict("climb.sts", CLIMB, &never), "holds", "{engine}");
        let rests = ["--ltl", "F G x = 4", "--deadlock", "stutter"];
        assert_eq!(verdict("climb.sts", CLIMB, &rests), "holds", "{engine}");
        let below = ["--ltl", "F G x = 3", "--deadlock", "stutter"];
        assert_eq!(verdict("climb.sts", CLIMB, &below), "violated", "{engine}");
    }
}

#[test]
fn a_deadlock_is_an_error_of_its_own() {
    for engine in ENGINES {
        let args = ["--deadlock", "error", "--engine", engine];
        let expected = (vec!["violated".to_owned(), "holds".to_owned()], Some(1));
        assert_eq!(check("error.xsts", TIRED, &args), expected, "{engine}");
        assert_eq!(check("error.sts", CLIMB, &args), expected, "{engine}");
        assert_eq!(check("error.smv", COUNTS, &args), expected, "{engine}");
        assert_eq!(check("error.vmt", RELATION, &args), expected, "{engine}");
        let lively = "var b : bool = false\naction go: true -> b := not b\n";
        let alone = (vec!["holds".to_owned()], Some(0));
        assert_eq!(check("lively.gcl", lively, &args), alone, "{engine}");
    }
}

#[test]
fn what_cannot_be_told_is_said() {
    // The next x is the double of something: whether there is one depends on y being even.
    let halves = "var x : integer = 0\nvar y : integer = 3
trans { havoc x; assume x + x == y; }
init { }
env { }
prop { true }
";
    let (shown, code) = check("halves.xsts", halves, &["--deadlock", "error"]);
    assert_eq!(code, Some(2));
    assert!(shown[0].starts_with("error[unknown-deadlock]"), "{shown:?}");
    let program = "int main() { return 0; }";
    let (shown, code) = check(
        "none.c",
        program,
        &["--ltl", "F end", "--deadlock", "error"],
    );
    assert_eq!(code, Some(2));
    assert!(shown[0].starts_with("error[useless-option]"), "{shown:?}");
}
