//! What `lariat check` gives to scripts: one line a property, JSON documents and lines. The fields are those of
//! docs/json.md, no more and no less; the values are those of the model's types, and their changes add up to the states.

use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Values of all kinds; the counter does not matter to the first property.
const KINDS: &str = "model kinds
type Mode = { idle, busy }
var mode : Mode = idle
var x : 0..3 = 0
var n : int = 9007199254740990
var b : bool = false
var a : [int] -> bool = [<int>default <- false]
action up: x < 3 -> x := x + 1, n := n + 1, mode := busy, a[x] := true
action again: x = 3 -> x := 0, mode := idle, b := not b
property small: G x <= 3
property idle: F G mode = idle
";

fn check(args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_lariat");
    let output = Command::new(binary).arg("check").args(args).output();
    output.expect("the binary runs")
}

fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

fn json(bytes: &[u8]) -> Value {
    let text = String::from_utf8_lossy(bytes);
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

#[test]
fn quiet_is_a_line_for_each_property() {
    let model = file("quiet.gcl", KINDS);
    let output = check(&[&model, "--quiet"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "small: holds\nidle: violated\n"
    );
    assert_eq!(output.status.code(), Some(1));
    let output = check(&[&model, "-q", "--ltl", "G F x = 0"]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "G F \"x = 0\": holds\n"
    );
    // Warnings are no verdicts; errors are told all the same.
    let warned = "int rd(void); int x; int main(void) { while (1) { x = rd(); } }";
    let program = file("warned.c", warned);
    let output = check(&[&program, "-q", "--ltl", "G x == 0"]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(1), 0));
    let output = check(&[&program, "-q", "--ltl", "G y == 0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stderr.is_empty() && output.stdout.is_empty());
}

#[test]
fn a_document_has_the_documented_fields() {
    let model = file("fields.gcl", KINDS);
    let output = check(&[&model, "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
    let document = json(&output.stdout);
    assert_eq!(
        document,
        without_times(&json(&check(&[&model, "--json", "-"]).stdout), &document)
    );
    let section = section("`lariat-check/2`");
    assert_fields(&document, &section[0]);
    let result = &document["results"][1];
    assert_fields(result, &section[2]);
    let run = &result["counterexample"];
    assert_fields(run, &section[3]);
    for step in run["steps"].as_array().expect("steps") {
        assert_fields(step, &section[4]);
    }
    for part in run["parts"].as_array().expect("parts") {
        assert_fields(part, &section[5]);
    }
    let results = document["results"].as_array().expect("results");
    for proof in results.iter().map(|result| &result["proof"]) {
        if !proof.is_null() {
            assert_fields(proof, &section[6]);
        }
    }
    assert_fields(&run["why"], &section[7]);
    let refused = check(&[&model, "--format", "json", "--ltl", "G (y = 0)"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stderr.is_empty());
    let refused = json(&refused.stdout);
    assert_fields(&refused, &section[0]);
    assert_eq!(
        (&refused["exit_code"], &refused["results"]),
        (&2.into(), &Value::Array(vec![]))
    );
    let finding = &refused["diagnostics"][0];
    assert_fields(finding, &section[1]);
    assert_eq!(finding["id"], "unknown-variable");
    assert_eq!(
        (&finding["place"]["line"], &finding["place"]["column"]),
        (&1.into(), &4.into())
    );
}

#[test]
fn every_setting_is_told() {
    let model = file("settings.gcl", KINDS);
    let options = [
        "--format",
        "json",
        "--engine",
        "cegar",
        "--domain",
        "pred-cart",
        "--timeout",
        "50s",
        "--slice",
        "off",
    ];
    let document = json(&check(&[&[&*model], &options[..]].concat()).stdout);
    let command: Vec<&str> = document["command"].as_array().expect("words")[1..]
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(command, [&["check", &*model], &options[..]].concat());
    let told = &document["options"];
    assert_eq!(
        (&told["timeout"], &told["slice"], &told["domain"]),
        (&50.0.into(), &"off".into(), &"pred-cart".into())
    );
    // What has no effect on this model is not in force.
    assert_eq!(
        (&told["int"], &told["blocks"]),
        (&Value::Null, &Value::Null)
    );
    let used = &document["results"][0]["settings"];
    assert_eq!(
        (&used["domain"], &used["search"]),
        (&"pred-cart".into(), &"scc".into())
    );
    let invariant = json(
        &check(&[
            &model,
            "--format",
            "json",
            "--engine",
            "explicit",
            "--invariant",
            "x < 3",
        ])
        .stdout,
    );
    assert_eq!(invariant["results"][0]["settings"]["search"], "bfs");
}

#[test]
fn values_have_types_and_changes_add_up_to_states() {
    let model = file("typed.gcl", KINDS);
    let document = json(&check(&[&model, "--format", "json", "--property", "idle"]).stdout);
    let steps = document["results"][0]["counterexample"]["steps"]
        .as_array()
        .expect("steps");
    let mut state = Map::new();
    for (i, step) in steps.iter().enumerate() {
        let changes = step["changes"].as_object().expect("changes");
        state.extend(changes.clone());
        assert_eq!(
            &Value::Object(state.clone()),
            &step["state"],
            "step {}",
            i + 1
        );
        assert_eq!(state.len(), 5);
        assert!(state["b"].is_boolean() && state["x"].is_i64());
        assert!(["idle", "busy"].contains(&state["mode"].as_str().expect("a literal")));
    }
    let (first, second) = (&steps[0]["state"], &steps[1]["state"]);
    // The counter cannot matter, and is there all the same; up to 53 bits it is a number.
    assert_eq!(first["n"], 9_007_199_254_740_990_i64);
    assert_eq!((&first["x"], &second["x"]), (&0.into(), &1.into()));
    assert_eq!(
        first["a"],
        serde_json::json!({ "default": false, "entries": [] })
    );
    assert_eq!(
        second["a"],
        serde_json::json!({ "default": false, "entries": [[0, true]] })
    );
    let large: Vec<&Value> = steps.iter().map(|step| &step["state"]["n"]).collect();
    assert!(large.contains(&&9_007_199_254_740_992_i64.into()));
    assert!(large.contains(&&"9007199254740993".into()), "{large:?}");
}

/// The states between the statements of a step of a C program are told, too.
#[test]
fn the_states_of_a_program_follow_its_statements() {
    let program = "int x, y; int main(void) { while (1) { x = x + 1; y = x; if (x > 2) x = 0; } }";
    let program = file("follow.c", program);
    let document = json(&check(&[&program, "--format", "json", "--ltl", "G (y != 3)"]).stdout);
    let steps = document["results"][0]["counterexample"]["steps"]
        .as_array()
        .expect("steps");
    let mut before: Option<&Value> = None;
    for step in steps {
        let state = &step["state"];
        for (name, value) in step["changes"].as_object().expect("changes") {
            assert_eq!(&state[name], value);
        }
        let action = step["action"].as_str().expect("text");
        if let Some(before) = before {
            match action {
                "x = x + 1" => assert_eq!(state["x"].as_i64(), before["x"].as_i64().map(|x| x + 1)),
                "y = x" => assert_eq!(state["y"], state["x"]),
                "x = 0" => assert_eq!(state["x"], 0),
                _ => assert_eq!(state, before),
            }
        }
        before = Some(state);
    }
    assert!(steps.iter().any(|step| step["state"]["y"] == 3));
}

#[test]
fn lines_come_one_by_one() {
    let model = file("lines.gcl", KINDS);
    let output = check(&[&model, "--format", "jsonl"]);
    let lines: Vec<Value> = output
        .stdout
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty())
        .map(json)
        .collect();
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(events, ["start", "result", "result", "end"]);
    assert_eq!(lines[0]["schema"], "lariat-check/2");
    assert_eq!(
        (&lines[2]["verdict"], &lines[3]["exit_code"]),
        (&"violated".into(), &1.into())
    );
    let output = check(&["missing.gcl", "--format", "jsonl"]);
    let first = output
        .stdout
        .split(|&b| b == b'\n')
        .next()
        .map(json)
        .expect("a line");
    assert_eq!(
        (&first["event"], &first["id"]),
        (&"diagnostic".into(), &"unreadable-file".into())
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let model = file("refused.gcl", KINDS);
    let refused = [
        &["--json", "-", "--format", "jsonl"][..],
        &["--quiet", "--format", "json"],
        &["--quiet", "--statistics"],
        &["--format", "json", "--explain"],
    ];
    for args in refused {
        let output = check(&[&[&*model], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("useless-option"),
            "{args:?}"
        );
    }
    assert!(!PathBuf::from("-").exists());
}

/// The document with the times and the command of another, which may differ.
fn without_times(document: &Value, other: &Value) -> Value {
    let mut document = document.clone();
    document["command"] = other["command"].clone();
    for (i, result) in document["results"]
        .as_array_mut()
        .expect("results")
        .iter_mut()
        .enumerate()
    {
        let other = &other["results"][i];
        for field in ["time_s", "statistics", "attempts"] {
            result[field] = other[field].clone();
        }
    }
    document
}

/// The fields that the tables of a section of docs/json.md name in their first columns, table by table.
fn section(title: &str) -> Vec<BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let mut sections = page.split("\n## ");
    let section = sections.find(|section| {
        section
            .lines()
            .next()
            .is_some_and(|line| line.contains(title))
    });
    let mut tables = Vec::new();
    let mut inside = false;
    for line in section.expect("the section").lines() {
        let is_row = line.starts_with('|');
        if is_row && !inside {
            tables.push(BTreeSet::new());
        }
        inside = is_row;
        if let Some(fields) = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split(" | ").next())
        {
            let fields = fields.split(", ").map(|field| field.replace('`', ""));
            tables.last_mut().expect("a table").extend(fields);
        }
    }
    tables
}

fn assert_fields(object: &Value, documented: &BTreeSet<String>) {
    let fields: BTreeSet<String> = object
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    assert_eq!(&fields, documented);
}
