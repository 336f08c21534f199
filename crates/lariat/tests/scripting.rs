//! Several questions at once, properties in comments, the engine that an option implies, colours and widths, and what
//! shells and readers of manuals get.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

const LAMP: &str = "model lamp
var x : 0..3 = 0
action up: x < 3 -> x := x + 1
action again: x = 3 -> x := 0
property small: G x <= 3
property zero: F G x = 0
";

fn lariat(args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_lariat");
    let mut command = Command::new(binary);
    command.args(args).env_remove("COLUMNS");
    command.output().expect("the binary runs")
}

fn out(args: &[&str]) -> String {
    String::from_utf8(lariat(args).stdout).expect("text")
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scripting");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

#[test]
fn all_questions_are_answered() {
    let model = file("lamp.gcl", LAMP);
    let list = file(
        "list.txt",
        "# a list\nback: G F x = 0 // always\n\nF G x = 3\n",
    );
    let asked = [
        &[
            "check",
            &*model,
            "-q",
            "--property",
            "zero",
            "--property",
            "small",
        ][..],
        &["--ltl", "F x = 2", "--ltl", "G x < 3", "--ltl-file", &list],
        &["--invariant", "x < 4", "--invariant", "x < 2"],
    ];
    let output = lariat(&asked.concat());
    let expected = "F \"x = 2\": holds\nG \"x < 3\": violated\nback: holds\nF G \"x = 3\": violated\n\
                    always x < 4: holds\nalways x < 2: violated\nzero: violated\nsmall: holds\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(1));
    let only = [
        "check", &model, "-q", "--ltl", "F x = 2", "--ltl", "G x < 4",
    ];
    assert_eq!(lariat(&only).status.code(), Some(0));
}

#[test]
fn every_wrong_question_is_shown_at_its_place() {
    let model = file("wrong.gcl", LAMP);
    let list = file(
        "wrong.txt",
        "a: G x = 0\nG (y = 0\na: F x = 0\n  b: G z\nempty:\n",
    );
    let output = lariat(&["check", &model, "--ltl-file", &list, "--ltl", "G w"]);
    let shown = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{shown}");
    for place in [
        "<ltl>:1:3",
        "wrong.txt:2:",
        "wrong.txt:3:4",
        "wrong.txt:4:8",
        "wrong.txt:5:",
    ] {
        assert!(shown.contains(place), "no {place} in {shown}");
    }
    let empty = file("empty.txt", "# nothing\n");
    let output = lariat(&["check", &model, "--ltl-file", &empty]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-formula"));
}

/// Each language with a property in a comment that holds and one that is violated.
const COMMENTED: [(&str, &str); 5] = [
    (
        "a.xsts",
        "var x : integer = 0\ntrans { assume x < 3; x := x + 1; } or { assume x >= 3; x := 0; }\ninit {}\nenv {}\n\
         //@ ltl good: G x <= 3\n/* //@ no */\n//@ ltl bad: G x < 3;\nprop { x <= 3 }\n",
    ),
    (
        "a.cfa",
        "main process p {\n  var x : int\n  init loc A\n  loc B\n  A -> B { x := 0 }\n  B -> B { x := 1 - x } //@ ltl good: G x <= 1\n\
         }\n//@ ltl bad: G x < 1\n",
    ),
    (
        "a.sts",
        "specification s {\n  property own : m models G(x <= 1)\n  system m := {\n    var x : int\n    initial x = 0\n\
             transition x' = 1 - x\n  }\n}\n//@ ltl good: G(x <= 1)\n//@ ltl bad: G(x < 1)\n",
    ),
    (
        "a.gcl",
        "var x : 0..1 = 0\naction a: true -> x := 1 - x\nproperty own: G x <= 1\n//@ ltl good: G x <= 1\n//@ ltl bad-1.x: G x < 1\n",
    ),
    (
        "a.c",
        "int x;\n//@ ltl good: G x <= 1\n//@ ltl invariant bad: G x < 1;\nint main(void) { while (1) { x = 1 - x; } }\n",
    ),
];

#[test]
fn comments_of_every_language_hold_properties() {
    for (name, text) in COMMENTED {
        let model = file(name, text);
        let output = lariat(&["check", &model, "-q"]);
        let shown = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {shown}{error}");
        assert!(shown.contains("good: holds\nbad"), "{name}: {shown}");
        assert!(shown.contains(": violated"), "{name}: {shown}");
        let bad = if name == "a.gcl" { "bad-1.x" } else { "bad" };
        let one = out(&["check", &model, "-q", "--property", bad]);
        assert_eq!(one, format!("{bad}: violated\n"), "{name}");
        // What is printed back has the same properties.
        let language = name.split('.').nth(1).expect("an ending");
        if language != "c" {
            let printed = out(&["show", &model, "--format", language]);
            let again = file(&format!("again.{language}"), &printed);
            let verdicts = out(&["check", &again, "-q"]);
            assert_eq!(verdicts, shown, "{name}: {printed}");
        }
    }
}

#[test]
fn a_mistyped_property_is_an_error_in_every_language() {
    for (name, text) in COMMENTED {
        for (wrong, id) in [
            ("//@ ltl G x = 0", "not-a-property"),
            ("//@ LTL a: G x = 0", "not-a-property"),
            ("//@ invariant a: x = 0", "not-a-property"),
        ] {
            let model = file(&format!("mistyped-{name}"), &format!("{text}{wrong}\n"));
            let output = lariat(&["check", &model, "-q"]);
            let shown = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{name}: {shown}");
            assert!(
                shown.contains(id) && shown.contains("//@ ltl NAME: FORMULA"),
                "{name}: {shown}"
            );
        }
    }
    let twice = file("twice.gcl", &format!("{LAMP}//@ ltl small: G x < 3\n"));
    let output = lariat(&["check", &twice]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("duplicate-name"));
}

#[test]
fn an_option_implies_its_engine() {
    let model = file("implied.gcl", LAMP);
    let engine = |args: &[&str]| {
        let fixed = ["check", &model, "--property", "small", "--format", "json"];
        let output = lariat(&[&fixed, args].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), report["options"]["engine"].clone())
    };
    assert_eq!(
        engine(&["--domain", "pred-cart"]),
        (Some(0), "cegar".into())
    );
    assert_eq!(engine(&["--prune", "full"]), (Some(0), "cegar".into()));
    assert_eq!(
        engine(&["--max-states", "100"]),
        (Some(0), "explicit".into())
    );
    assert_eq!(engine(&["--jobs", "2"]), (Some(0), "auto".into()));
    // What is said wins over what is implied, and contradictions are errors.
    assert_eq!(
        engine(&["--domain", "expl", "--engine", "explicit"]).0,
        Some(2)
    );
    assert_eq!(
        engine(&["--domain", "expl", "--max-states", "9"]).0,
        Some(2)
    );
    let config = file("auto.toml", "engine = \"auto\"\n");
    assert_eq!(
        engine(&["--config", &config, "--domain", "expl"]),
        (Some(0), "cegar".into())
    );
}

#[test]
fn help_has_headings() {
    let help = out(&["check", "--help"]);
    let headings = [
        "Question",
        "Model:",
        "Limits",
        "Output:",
        "Abstraction refinement",
        "Configuration:",
        "Engine:",
    ];
    for heading in headings {
        assert!(
            help.lines().any(|line| line.starts_with(heading)),
            "{heading}"
        );
    }
}

#[test]
fn colours_show_verdicts_changes_and_parts() {
    let model = file("coloured.gcl", LAMP);
    let check = ["check", &model, "--property", "zero"];
    let plain = out(&check);
    let coloured = out(&[&check[..], &["--color", "always"]].concat());
    for piece in [
        "\x1b[1;31mviolated\x1b[0m",
        "\x1b[1mthe stem:\x1b[0m",
        "\x1b[36mx = 1\x1b[0m",
    ] {
        assert!(coloured.contains(piece), "{piece:?} in {coloured}");
    }
    let mut stripped = coloured.clone();
    for code in ["\x1b[1;31m", "\x1b[1m", "\x1b[36m", "\x1b[0m"] {
        stripped = stripped.replace(code, "");
    }
    assert_eq!(stripped, plain);
    assert!(
        out(&["check", &model, "-q", "--color", "always"])
            .contains("small: \x1b[1;32mholds\x1b[0m")
    );
}

#[test]
fn lines_wrap_at_the_width_that_is_said() {
    let variables: Vec<String> = (0..30)
        .map(|i| format!("var variable{i} : 0..3 = 0\n"))
        .collect();
    let variables = variables.concat();
    let model = file(
        "wide.gcl",
        &format!("{variables}action a: true -> variable0 := 3 - variable0\n"),
    );
    // Places are shown as the model was named: a long path to the folder would not fit into a line.
    let model = Path::new(&model);
    let (folder, model) = (model.parent().expect("a folder"), model.file_name());
    let model = model.and_then(OsStr::to_str).expect("a name");
    let run = |columns: Option<&str>, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.current_dir(folder);
        command.args(args).env_remove("COLUMNS");
        command.envs(columns.map(|columns| ("COLUMNS", columns)));
        String::from_utf8(command.output().expect("it runs").stdout).expect("text")
    };
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max();
    let check = ["check", model, "--ltl", "G variable0 = 0", "--slice", "off"];
    assert!(widest(&run(None, &check)) > Some(400));
    assert!(widest(&run(Some("60"), &check)) <= Some(60));
    let simulate = ["simulate", model, "--steps", "2"];
    assert!(widest(&run(None, &simulate)) > Some(100));
    assert!(widest(&run(Some("60"), &simulate)) <= Some(60));
}

#[test]
fn shells_and_manuals_are_served() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = out(&["completions", shell]);
        assert!(
            script.contains("ltl-file") && script.contains("pred-cart"),
            "{shell}"
        );
    }
    let page = out(&["man"]);
    assert!(
        page.contains(".TH lariat") && page.contains("lariat\\-check(1)"),
        "{page}"
    );
    let page = out(&["man", "check"]);
    assert!(
        page.contains("lariat\\-check") && page.contains("\\-\\-ltl\\-file"),
        "{page}"
    );
    let output = lariat(&["man", "chek"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `check`?"));
}

#[test]
fn findings_are_explained() {
    let text = out(&["explain", "error[not-a-property]"]);
    assert!(
        text.starts_with("not-a-property\n") && text.contains("//@ ltl served:"),
        "{text}"
    );
    assert!(out(&["explain"]).contains("\n  narrow-operator "));
    let output = lariat(&["explain", "narow-operator"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("did you mean `narrow-operator`?"));
}

#[test]
fn comparisons_have_a_matrix_repetitions_and_processor_time() {
    let model = file("compared.gcl", LAMP);
    let fixed = [
        "compare",
        &*model,
        "--configs",
        "auto,explicit",
        "--jobs",
        "2",
    ];
    let matrix = out(&[&fixed[..], &["--matrix"]].concat());
    let lines: Vec<Vec<&str>> = matrix
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[0], ["task", "auto", "explicit"]);
    assert_eq!(
        (lines[1][1], lines[1][2], lines[1][5]),
        ("small", "holds", "holds")
    );
    assert_eq!(
        (lines[2][1], lines[2][2], lines[2][5]),
        ("zero", "violated", "violated")
    );
    let summary = out(&[&fixed[..], &["--summary"]].concat());
    assert!(
        summary.starts_with("all 2 tasks, the best first\n"),
        "{summary}"
    );
    assert_eq!(summary.lines().count(), 4);
    let report = file("compared.json", "");
    let csv = file("compared.csv", "");
    let repeated = out(&[
        &fixed[..],
        &["--repeat", "3", "--json", &report, "--csv", &csv],
    ]
    .concat());
    assert!(
        repeated.contains("spread") && repeated.contains("cpu"),
        "{repeated}"
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).expect("a report")).expect("JSON");
    let runs = report["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2 * 2 * 3);
    let repetitions: Vec<u64> = runs
        .iter()
        .filter_map(|run| run["repetition"].as_u64())
        .collect();
    assert_eq!(&repetitions[..6], [0, 1, 2, 0, 1, 2]);
    assert!(runs.iter().all(|run| run["cpu_s"].is_number()));
    assert_eq!(report["summary"][0]["tasks"], 2);
    let csv = std::fs::read_to_string(csv).expect("a table");
    assert_eq!(csv.lines().count(), 1 + 12);
}
