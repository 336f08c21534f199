//! A `holds` that can be trusted, and formulas as people write them: the points B1 to B5, F2, F3 and F7 of the first users' trial, on
//! their models.

use std::path::{Path, PathBuf};
use std::process::Command;

fn model(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trust");
    folder.join(name)
}

/// A model of one test.
fn written(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trust");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path
}

/// What a check prints, errors included, and its exit code.
fn check(model: &Path, args: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(model)
        .args(args)
        .output()
        .expect("the binary runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (shown, output.status.code())
}

/// The lines of the verdicts and of what is noted beside them.
fn verdicts(model: &Path, args: &[&str]) -> Vec<String> {
    let (shown, _) = check(model, args);
    let is_told = |line: &&str| {
        ["holds", "violated", "unknown"]
            .iter()
            .any(|word| line.starts_with(word))
            || ["    note: ", "    warning: "]
                .iter()
                .any(|word| line.starts_with(word))
    };
    shown.lines().filter(is_told).map(str::to_owned).collect()
}

/// Whether something that is printed contains this.
fn says(model: &Path, args: &[&str], expected: &str) {
    let (shown, _) = check(model, args);
    assert!(shown.contains(expected), "{args:?}: {expected}\n{shown}");
}

#[test]
fn a_run_of_guarded_commands_that_ends_stays() {
    let stop = model("stop.gcl");
    assert_eq!(verdicts(&stop, &[]), ["violated"; 3]);
    assert_eq!(verdicts(&stop, &["--ltl", "false"]), ["violated"]);
    assert_eq!(verdicts(&stop, &["--invariant", "x < 2"]), ["violated"]);
    assert_eq!(verdicts(&stop, &["--ltl", "F G x = 3"]), ["holds"]);
    let ignored = verdicts(&stop, &["--deadlock", "ignore", "--property", "safe"]);
    assert_eq!(ignored[0], "holds");
    assert!(
        ignored[1].contains("warning: no run goes on for ever"),
        "{ignored:?}"
    );
    // Whether a run gets stuck is an error or not, formulas are read in the same way.
    let error = verdicts(&stop, &["--deadlock", "error", "--property", "safe"]);
    assert_eq!(error, ["violated"; 2]);
}

#[test]
fn runs_that_were_ignored_are_told() {
    let gate = model("gate.xsts");
    let fair = "(G F (carAtEntry and ticket)) -> G F gate == Open";
    let told = verdicts(&gate, &["--ltl", fair]);
    assert_eq!((told.len(), &*told[0]), (2, "holds"), "{told:?}");
    assert!(told[1].contains("note: some runs get stuck"), "{told:?}");
    assert!(told[1].contains("cars = 10"), "{told:?}");
    assert_eq!(
        verdicts(&gate, &["--ltl", fair, "--deadlock", "stutter"]),
        ["violated"]
    );
    assert_eq!(
        verdicts(&gate, &["--ltl", fair, "--vacuity", "off"]),
        ["holds"]
    );
}

#[test]
fn a_model_without_runs_is_a_warning() {
    let text = "var x : integer = 0\ninit { assume x == 5; }\ntrans { }\nenv { }\nprop { x < 3 }\n";
    let never = written("never.xsts", text);
    for args in [&[][..], &["--ltl", "F x > 100"]] {
        let told = verdicts(&never, args);
        assert_eq!(told[0], "holds");
        assert!(
            told[1].contains("warning: the model has no initial state"),
            "{told:?}"
        );
    }
    let text = "int main(void) { int x = 0; __VERIFIER_assume(x > 1); while (1) { x = 1 - x; } }";
    let assumes = written("assumes.c", text);
    let told = verdicts(&assumes, &["--ltl", "G x == 7"]);
    assert_eq!(told[0], "holds");
    assert!(
        told[1].contains("an assumption that always fails"),
        "{told:?}"
    );
}

#[test]
fn what_never_happens_is_named() {
    let text = "var r : 0..3 = 0\nvar q : bool = false\nvar g : bool = false
action ask: not q -> q := true, g := false
action give: q -> g := true, q := false
";
    let served = written("served.gcl", text);
    let ltl = |formula: &str| verdicts(&served, &["--ltl", formula]);
    assert_eq!(ltl("G (q -> F g)"), ["holds"]);
    assert_eq!(ltl("G (r = 0)"), ["holds"], "it is just what is asked");
    let note = "    note: `r = 2` is never true, so what follows from it is not tested";
    assert_eq!(ltl("G (r = 2 -> F g)"), ["holds", note]);
    assert_eq!(
        ltl("G (q -> F r = 0)"),
        ["holds", "    note: `r = 0` is always true"]
    );
    let told = ltl("F (r = 1) -> F q");
    assert!(
        told[2].contains("`F \"r = 1\"` is never true, so what follows"),
        "{told:?}"
    );
    let warning =
        "    warning: the formula is true whatever the model does: it says nothing about it";
    assert_eq!(ltl("G (q -> F true)"), ["holds", warning]);
    let full = verdicts(&served, &["--ltl", "G (q -> F g)", "--vacuity", "full"]);
    assert_eq!(
        full,
        ["holds", "    note: `q` does not matter: `G F g` holds too"]
    );
}

#[test]
fn c_programs_of_the_trial() {
    let args = ["--ltl", "G seconds == 0"];
    assert_eq!(verdicts(&model("vol2.c"), &args), ["violated"]);
    says(
        &model("vol2.c"),
        &args,
        "nothing calls the function `TIMER0_IRQHandler`",
    );
    for formula in ["G F done", "F done"] {
        assert_eq!(
            verdicts(&model("hang.c"), &["--ltl", formula]),
            ["violated"]
        );
    }
    let (shown, code) = check(&model("two.c"), &[]);
    assert_eq!(
        (shown.matches("error[not-a-property]").count(), code),
        (3, Some(2))
    );
    assert_eq!(verdicts(&model("both.c"), &[]), ["holds", "violated"]);
}

#[test]
fn formulas_over_programs() {
    let text = "enum Motor { MOTOR_OFF, MOTOR_UP } motor;
unsigned char PINB; int request[4]; _Bool door_open;
void step(int estop) { if (estop) { motor = MOTOR_OFF; } }
int main(void) { while (1) { step(PINB); door_open = !door_open; } }
";
    let lift = written("lift.c", text);
    let ltl = |formula: &'static str| ["--ltl", formula];
    for (formula, read) in [
        ("G(step::estop == 0)", "G \"step::estop == 0\""),
        (
            "F (end && motor == MOTOR_OFF)",
            "F(end & \"motor == MOTOR_OFF\")",
        ),
        ("G((PINB & 8) != 0)", "G \"(PINB & 8) != 0\""),
        (
            "always (if door_open then motor == MOTOR_OFF)",
            "G(door_open -> \"motor == MOTOR_OFF\")",
        ),
    ] {
        says(&lift, &ltl(formula), read);
    }
    for (formula, answer) in [
        ("G(PINB & 8)", "write that in quotes"),
        ("G(motor = MOTOR_OFF)", "`=` assigns, `==` compares"),
        ("G(request -> F !request)", "error[array-as-condition]"),
        ("EF door_open", "ask for the opposite, `G !(…)`"),
        ("G (motr == 1)", "did you mean `motor`?"),
        (
            "G (request[3] -> F door_open)",
            "note: `request[3]` is never true",
        ),
        (
            "always door_open implies motor == MOTOR_OFF",
            "note: `G door_open` is never true",
        ),
    ] {
        says(&lift, &ltl(formula), answer);
    }
    let tautology = "[](AP(motor == 0) ==> AP(motor == 0))";
    let args = ["--ltl", tautology, "--syntax", "ultimate"];
    says(&lift, &args, "the formula is true whatever the model does");
}

#[test]
fn slips_are_shown_where_they_are() {
    let text = "type Color : { Red, Green }\nvar c : Color = Red\ntrans {\n  c := Blue;\n  c := Red\n}\ninit { }\nenv { }\n";
    let slips = written("slips.xsts", text);
    let args = ["--ltl", "F c == Red"];
    says(&slips, &args, "the literals of Color are `Red`, `Green`");
    says(&slips, &args, "slips.xsts:5:10");
    let text = "int x;\nint main(void) {\n  x = 1\n  while (1) { }\n}\n";
    says(&written("slips.c", text), &["--ltl", "F x"], "slips.c:3:7");
}
