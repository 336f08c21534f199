//! `lariat check` as a user meets it: verdicts and exit codes, bad input, limits, the JSON report.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of files for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("the file can be written");
        path.display().to_string()
    }
}

fn check(args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_lariat");
    let output = Command::new(binary).arg("check").args(args).output();
    output.expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Counts 0, 1, 2, 3, 0, … for ever.
const CYCLE: &str = "model cycle
var x : 0..3 = 0
var n : int = 0
action up: x < 3 -> x := x + 1, n := n + 1
action again: x = 3 -> x := 0
property small: G (x <= 3)
property zero: F G (x = 0)
";

#[test]
fn verdicts_are_exit_codes() {
    let folder = Folder::new("verdicts");
    let model = folder.file("cycle.gcl", CYCLE);
    let code = |args: &[&str]| check(&[&[&*model], args].concat()).status.code();
    assert_eq!(code(&["--ltl", "G F x = 0"]), Some(0));
    assert_eq!(code(&["--ltl", "F G x = 0"]), Some(1));
    assert_eq!(code(&["--invariant", "x <= 3"]), Some(0));
    assert_eq!(code(&["--invariant", "x < 3"]), Some(1));
    assert_eq!(code(&["--property", "small"]), Some(0));
    // All of the model's own properties: one of them is violated.
    assert_eq!(code(&[]), Some(1));
    assert_eq!(code(&["--ltl", "G F x = 0", "--timeout", "0s"]), Some(3));
    for engine in ["explicit", "cegar"] {
        assert_eq!(code(&["--ltl", "G F x = 0", "--engine", engine]), Some(0));
        assert_eq!(code(&["--ltl", "F G x = 0", "--engine", engine]), Some(1));
    }
}

#[test]
fn a_violated_formula_shows_stem_and_loop() {
    let folder = Folder::new("lasso");
    let model = folder.file("cycle.gcl", CYCLE);
    let output = check(&[&model, "--ltl", "F G x < 3"]);
    let shown = text(&output.stdout);
    for part in [
        "violated",
        "the stem:",
        "the loop",
        "x = 3",
        "not (x < 3)",
        "cycle.gcl:4",
    ] {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
    // The counter only counts: it cannot matter, and the loop can be repeated all the same.
    let note = "these are not the same in every round, which changes nothing else: n";
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn bad_questions_are_errors_with_a_place() {
    let folder = Folder::new("bad");
    let model = folder.file("cycle.gcl", CYCLE);
    let plain = folder.file(
        "plain.xsts",
        "var x : integer = 0\ntrans {}\ninit {}\nenv {}\n",
    );
    let other = folder.file("other.prop", CYCLE);
    let cases: [(&[&str], &str); 13] = [
        (&[&model, "--ltl", "G y > 0"], "unknown-variable"),
        (&[&model, "--ltl", "G (x + true > 0)"], "type-mismatch"),
        (&[&model, "--ltl", "G ("], "error"),
        (&[&model, "--ltl", ""], "empty"),
        (&[&model, "--ltl", "G x"], "type-mismatch"),
        (&[&model, "--property", "smal"], "did you mean `small`?"),
        (&[&model, "--prop", &other], "error"),
        (&[&plain], "no-property"),
        (&[&plain, "--property", "p"], "unknown-property"),
        (
            &[
                &model, "--ltl", "G x = 0", "--engine", "auto", "--domain", "expl",
            ],
            "useless-option",
        ),
        (
            &[
                &model, "--ltl", "G x = 0", "--engine", "cegar", "--search", "bfs",
            ],
            "useless-option",
        ),
        (
            &[&model, "--invariant", "x = 0", "--acceptance", "ba"],
            "useless-option",
        ),
        (&[&model, "--timeout", "20"], "20s"),
    ];
    for (args, part) in cases {
        let output = check(args);
        let shown = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {shown}");
        assert!(
            shown.contains(part),
            "{args:?} does not say `{part}`: {shown}"
        );
        assert!(text(&output.stdout).is_empty(), "{args:?} answers");
    }
}

#[test]
fn the_json_report_says_what_the_text_says() {
    let folder = Folder::new("json");
    let model = folder.file("cycle.gcl", CYCLE);
    let report = folder.file("report.json", "");
    let output = check(&[&model, "--json", &report]);
    assert_eq!(output.status.code(), Some(1));
    let report = std::fs::read_to_string(report).expect("the report was written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert_eq!(report["schema"], "lariat-check/2");
    let verdicts: Vec<&str> = (0..2)
        .filter_map(|i| report["results"][i]["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["holds", "violated"]);
    let found = &report["results"][1]["counterexample"];
    assert_eq!(found["kind"], "lasso");
    let honda = found["loop_starts_after_step"]
        .as_u64()
        .expect("a lasso has a loop");
    let n_steps = found["steps"].as_array().expect("steps").len() as u64;
    // A round of the cycle is four steps.
    assert_eq!((n_steps - honda) % 4, 0);
    explains(found);
}

/// Why the run violates the formula is told in its own steps.
fn explains(found: &serde_json::Value) {
    let why = &found["why"];
    assert_eq!(why["minimal"], true);
    let cause = why["cause"].as_array().expect("a cause");
    assert!(!cause.is_empty());
    for fact in cause {
        let step = fact["step"].as_u64().expect("a step") as usize;
        let atoms = found["atoms"].as_array().expect("atoms");
        let atom = atoms.iter().position(|atom| *atom == fact["atom"]);
        let shown = &found["steps"][step - 1]["atoms"][atom.expect("an atom")];
        assert_eq!(*shown, fact["value"]);
    }
    let first = &why["reasons"][0];
    assert_eq!(
        (&first["value"], &first["at"][0][1]),
        (&false.into(), &0.into())
    );
    assert!(
        why["sentences"][0]
            .as_str()
            .is_some_and(|text| text.contains("step"))
    );
}

#[test]
fn an_automaton_is_a_property() {
    let folder = Folder::new("automaton");
    let model = folder.file("cycle.gcl", CYCLE);
    // Bad runs: x = 3 again and again.
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"x = 3\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    let bad = folder.file("bad.hoa", hoa);
    assert_eq!(check(&[&model, "--automaton", &bad]).status.code(), Some(1));
    let never = folder.file("never.hoa", &hoa.replace("x = 3", "x = 4"));
    assert_eq!(
        check(&[&model, "--automaton", &never]).status.code(),
        Some(0)
    );
    let wrong = folder.file("wrong.hoa", &hoa.replace("x = 3", "z = 4"));
    assert_eq!(
        check(&[&model, "--automaton", &wrong]).status.code(),
        Some(2)
    );
}

#[test]
fn a_constant_has_its_name_in_properties() {
    let folder = Folder::new("constant");
    let text = "const N = 2\nvar x : 0..5 = 0\naction up: x < N -> x := x + 1\n\
                action down: x = N -> x := 0\nproperty low: G (x <= N)\nproperty top: G (x < N)\n";
    let model = folder.file("constant.gcl", text);
    let code = |property: &str| check(&[&*model, "--property", property]).status.code();
    assert_eq!((code("low"), code("top")), (Some(0), Some(1)));
}

#[test]
fn which_states_are_read_can_be_chosen() {
    let folder = Folder::new("observe");
    // `b` follows `a` one block later: between `env` and `trans` they may differ.
    let follower = "var a : boolean = false\nvar b : boolean = false\n\
                    trans { b := a; }\ninit {}\nenv { havoc a; }\nprop { true }\n";
    let follower = folder.file("follower.xsts", follower);
    let program = "int x = 5;\nint main(void) { x = 1; while (1) x = 2; }\n";
    let program = folder.file("program.c", program);
    let code = |args: &[&str]| check(args).status.code();
    let same = ["--ltl", "G (a <-> b)"];
    assert_eq!(code(&[&[&*follower][..], &same].concat()), Some(1));
    let macro_steps = ["--observe", "macro"];
    assert_eq!(
        code(&[&[&*follower][..], &same, &macro_steps].concat()),
        Some(0)
    );
    // The program starts with 5, before its first statement.
    let small = ["--ltl", "G (x < 5)"];
    assert_eq!(code(&[&[&*program][..], &small].concat()), Some(0));
    let from_start = ["--observe", "main-entry"];
    assert_eq!(
        code(&[&[&*program][..], &small, &from_start].concat()),
        Some(1)
    );
    assert_eq!(
        code(&[&[&*program][..], &small, &macro_steps].concat()),
        Some(2)
    );
}

#[test]
fn a_variable_that_is_dead_at_the_start_can_be_replayed() {
    let folder = Folder::new("dead-at-start");
    let model = "main process cfa {\n  var x : bool\n  var y : bool\n  init loc A\n  loc B\n  loc C\n\
                 A -> B { x := false }\n  B -> C { y := x }\n  C -> B { x := not y }\n}\n";
    let model = folder.file("dead.cfa", model);
    for domain in ["expl", "pred-cart", "expl-pred-cart"] {
        let options = ["--slice", "off", "--engine", "cegar", "--domain", domain];
        let output = check(&[&[&*model, "--ltl", "F G x"][..], &options].concat());
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    }
}

/// The worker of a check, once it is another than `last` and has begun.
#[cfg(target_os = "linux")]
fn worker_of(check: &std::process::Child, last: &str) -> String {
    let id = check.id();
    for _ in 0..500 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).expect("it runs");
        let children = |thread: std::fs::DirEntry| {
            std::fs::read_to_string(thread.path().join("children")).unwrap_or_default()
        };
        let children: String = threads.flatten().map(children).collect();
        let worker = children.split_whitespace().next().unwrap_or(last);
        let name = std::fs::read_to_string(format!("/proc/{worker}/cmdline")).unwrap_or_default();
        if worker != last && name.contains("endless.gcl") {
            return worker.to_owned();
        }
    }
    panic!("no worker was started");
}

/// What a check of a question without an end says when its first `n` workers crash.
#[cfg(target_os = "linux")]
fn after_crashes(n: usize) -> String {
    let folder = Folder::new(&format!("crash-{n}"));
    let endless =
        "var x : int = 0\nvar y : int = 0\naction go: true -> x := x + 1, y := y + 2 * x\n";
    let model = folder.file("endless.gcl", endless);
    let check = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", &model, "--ltl", "F G (y > x)"])
        .args([
            "--engine",
            "cegar",
            "--domain",
            "expl",
            "--timeout",
            "1500ms",
        ])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut last = String::new();
    for _ in 0..n {
        let worker = worker_of(&check, &last);
        let killed = Command::new("kill").args(["-ABRT", &worker]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        last = worker;
    }
    let output = check.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    text(&output.stdout)
}

#[test]
#[cfg(target_os = "linux")]
fn a_crash_of_the_solver_library_is_survived_once() {
    let shown = after_crashes(1);
    assert!(!shown.contains("signal"), "{shown}");
    assert!(shown.contains("unknown: "), "{shown}");
    let shown = after_crashes(2);
    assert!(
        shown.contains("unknown: the process that checked it was ended (signal: 6"),
        "{shown}"
    );
}
