//! What is done to a model before a check, as a user meets it: named in the report, and every variable has its
//! right value in a counterexample.

use std::path::Path;
use std::process::{Command, Output};

/// Two constants, a copy that cannot matter, and messages of which three are never told apart.
const MODEL: &str = "type Msg : { ack, nak, a, b, c }
var limit : integer = 3
var step : integer = 1
var x : integer = 0
var m : Msg
var noise : integer = 0
trans {
    assume x < limit;
    x := x + step;
    step := 1;
    noise := x;
    if (m == Msg.nak) { x := 0; }
}
init {}
env { havoc m; }
";

fn check(args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reductions");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    // Each run has a file of its own: tests run at the same time.
    let name = format!("model{:?}.xsts", std::thread::current().id());
    let model = folder.join(name.replace(['(', ')'], ""));
    std::fs::write(&model, MODEL).expect("the file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(model)
        .args(args)
        .output();
    output.expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_counterexample_has_the_constants_where_they_are_declared() {
    for engine in [&["--engine", "explicit"][..], &["--engine", "cegar"], &[]] {
        let question = ["--ltl", "F (x = limit)", "--trace", "steps"];
        let output = check(&[&question[..], engine].concat());
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{shown}");
        let first = shown
            .lines()
            .find(|line| line.contains("init ("))
            .unwrap_or_default();
        assert!(
            first.contains(": limit = 3, step = 1, x = 0, m = "),
            "{shown}"
        );
        // What was left out has its values all the same.
        assert!(first.contains(", noise = 0"), "{shown}");
        assert!(
            shown.contains("a of Msg stands for b, c as well: nothing tells them apart"),
            "{shown}"
        );
        // The atom is shown as it was written.
        assert!(shown.contains("not (x = limit)"), "{shown}");
    }
}

#[test]
fn the_report_names_what_was_done() {
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reductions.json");
    let path = report.display().to_string();
    let output = check(&["--invariant", "x <= limit", "--statistics", "--json", &path]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    for row in [
        "variables left out                 noise",
        "constants                          limit = 3, step = 1",
        "values taken as one                a of Msg for b, c",
    ] {
        assert!(shown.contains(row), "no `{row}` in:\n{shown}");
    }
    let json = std::fs::read_to_string(report).expect("the report was written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("the report is JSON");
    let result = &json["results"][0];
    assert_eq!(result["left_out"], serde_json::json!(["noise"]));
    assert_eq!(
        result["constants"],
        serde_json::json!([{ "name": "limit", "value": 3 }, { "name": "step", "value": 1 }])
    );
    assert_eq!(
        result["merged"],
        serde_json::json!([{ "type": "Msg", "kept": "a", "others": ["b", "c"] }])
    );
}

#[test]
fn the_verdict_is_the_same_without() {
    let questions: [(&[&str], i32); 6] = [
        (&["--invariant", "x <= limit"], 0),
        (&["--invariant", "limit = 3"], 0),
        (&["--invariant", "limit = 4"], 1),
        (&["--ltl", "F (limit = 4)"], 1),
        (&["--ltl", "G F (m = Msg.nak)"], 0),
        (&["--ltl", "F (m = Msg.c)"], 1),
    ];
    for (question, expected) in questions {
        for options in [&["--slice", "on"][..], &["--slice", "off"]] {
            let output = check(&[question, options].concat());
            let shown = text(&output.stdout);
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{question:?} {options:?}: {shown}"
            );
        }
    }
}

#[test]
fn every_domain_bears_a_question_about_constants_alone() {
    let domains = [
        "expl",
        "pred-bool",
        "pred-cart",
        "pred-split",
        "expl-pred-bool",
        "expl-pred-cart",
        "expl-pred-split",
    ];
    for domain in domains {
        let run = |question: [&str; 2]| {
            let options = ["--engine", "cegar", "--domain", domain];
            check(&[&question[..], &options].concat()).status.code()
        };
        assert_eq!(run(["--invariant", "limit = 3"]), Some(0), "{domain}");
        assert_eq!(run(["--invariant", "limit < step"]), Some(1), "{domain}");
        assert_eq!(run(["--ltl", "G (limit = 3)"]), Some(0), "{domain}");
    }
    // A variable that is named but not there any more does no harm.
    let options = [
        "--engine",
        "cegar",
        "--domain",
        "expl-pred-cart",
        "--explicit",
        "limit,noise",
    ];
    let output = check(&[&["--ltl", "F (x = limit)"][..], &options].concat());
    assert_eq!(output.status.code(), Some(1));
}
