//! The harnesses of violated C examples compile, and run as the counterexamples say. `--witness` writes
//! what the format asks for.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

/// A folder of our own.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("lariat-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

fn lariat(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let command = command.current_dir(examples()).arg("check").args(args);
    command.output().expect("lariat runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The arguments of the rows of the table that are C programs and violated.
fn violated() -> Vec<Vec<String>> {
    let table = std::fs::read_to_string(examples().join("expected.tsv")).expect("the table");
    let mut rows = Vec::new();
    for line in table.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [model, _, kind, property, "violated", _] = fields[..] else {
            continue;
        };
        if !model.starts_with("c/") {
            continue;
        }
        let mut row = vec![model.to_owned()];
        if kind != "own" {
            row.extend([format!("--{kind}"), property.to_owned()]);
        }
        rows.push(row);
    }
    rows
}

#[test]
fn harnesses_of_violated_examples_run_as_found() {
    if Command::new("cc").arg("--version").output().is_err() {
        return; // There is no C compiler.
    }
    let folder = folder("harness");
    let (source, binary) = (folder.join("harness.c"), folder.join("harness"));
    let rows = violated();
    assert!(rows.len() >= 15, "{} rows", rows.len());
    for row in &rows {
        for ints in ["math", "bitprecise"] {
            let path = source.display().to_string();
            let mut args: Vec<&str> = row.iter().map(String::as_str).collect();
            args.extend(["--int", ints, "--timeout", "60s", "--harness", &path]);
            let checked = lariat(&args);
            assert_eq!(
                checked.status.code(),
                Some(1),
                "{args:?}\n{}{}",
                text(&checked.stdout),
                text(&checked.stderr)
            );
            let compiled = Command::new("cc")
                .args(["-w", "-o"])
                .args([&binary, &source])
                .output();
            let compiled = compiled.expect("cc runs");
            assert!(
                compiled.status.success(),
                "{args:?}\n{}",
                text(&compiled.stderr)
            );
            let run = Command::new(&binary).output().expect("the harness runs");
            assert!(
                run.status.success(),
                "{args:?}\n{}{}",
                text(&run.stdout),
                text(&run.stderr)
            );
            assert!(text(&run.stdout).starts_with("as in the counterexample"));
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

#[test]
fn a_harness_with_another_input_says_so() {
    if Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let folder = folder("wrong-harness");
    let (source, binary) = (folder.join("harness.c"), folder.join("harness"));
    let path = source.display().to_string();
    let args = [
        "c/coolant_faulty.c",
        "--property",
        "sounds",
        "--harness",
        &path,
    ];
    assert_eq!(lariat(&args).status.code(), Some(1));
    let harness = std::fs::read_to_string(&source).expect("the harness");
    assert!(harness.contains(", 81LL }, /*"), "{harness}");
    std::fs::write(&source, harness.replace(", 81LL }, /*", ", 80LL }, /*"))
        .expect("it can be written");
    let mut cc = Command::new("cc");
    let compiled = cc.args(["-w", "-o"]).args([&binary, &source]).status();
    assert!(compiled.expect("cc runs").success());
    let run = Command::new(&binary).output().expect("the harness runs");
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stdout);
    assert!(said.contains("temperature is 80, not 81"), "{said}");
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

#[test]
fn inputs_are_listed_in_order() {
    let folder = folder("inputs");
    let json = folder.join("answer.json").display().to_string();
    let output = lariat(&["c/account.c", "--json", &json]);
    let said = text(&output.stdout);
    let (_, inputs) = said.split_once("inputs:\n").expect("there are inputs");
    let calls: Vec<&str> = inputs.lines().map(str::trim).take(4).collect();
    let lines = [22, 23, 22, 23];
    for (call, line) in calls.iter().zip(lines) {
        assert!(call.ends_with(&format!("(c/account.c:{line})")), "{said}");
    }
    let document = std::fs::read_to_string(&json).expect("the answer");
    let document: serde_json::Value = serde_json::from_str(&document).expect("it is JSON");
    let inputs = &document["results"][0]["inputs"];
    assert_eq!(inputs["stem"].as_array().map(Vec::len), Some(4));
    assert_eq!(inputs["loop"], serde_json::Value::Null);
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

#[test]
fn a_witness_names_inputs_and_target() {
    let folder = folder("witness");
    let path = folder.join("witness.yml").display().to_string();
    let output = lariat(&["c/account.c", "--witness", &path]);
    assert_eq!(output.status.code(), Some(1));
    let witness = std::fs::read_to_string(&path).expect("the witness");
    for part in [
        "- entry_type: \"violation_sequence\"\n",
        "    format_version: \"2.0\"\n",
        "      name: \"Lariat\"\n",
        "      specification: \"G ! call(reach_error())\"\n",
        "            type: \"function_return\"\n",
        "              value: \"\\\\result == 0\"\n",
        "            type: \"assumption\"\n",
        "              value: \"balance == -1\"\n",
        "            type: \"target\"\n",
        "              line: 27\n",
    ] {
        assert!(witness.contains(part), "{part} in\n{witness}");
    }
    let target = witness.rfind("type: \"target\"").expect("a target");
    assert!(!witness[target..].contains("segment"), "the target is last");
    // An infinite run has none; the verdict is still one.
    let output = lariat(&["c/retry.c", "--property", "delivers", "--witness", &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no-witness"));
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

#[test]
fn harnesses_are_for_c_programs() {
    let output = lariat(&["cfa/lock.cfa", "--harness", "/nowhere/harness.c"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("`--harness` has no effect"), "{said}");
}

/// The truth of the conditions with this text, in the order of the run.
fn truths(said: &str, condition: &str) -> Vec<String> {
    let tests = said.lines().filter(|line| line.contains(condition));
    let truth = |line: &str| line.rsplit(": ").next().unwrap_or("").to_owned();
    tests.map(truth).collect()
}

#[test]
fn conditions_show_their_truth() {
    let folder = folder("truth");
    let (counting, chain) = (folder.join("counting.c"), folder.join("chain.c"));
    let text_of_counting = "extern void reach_error(void);\nint x = 1;\nint main(void) {\n  \
                            while (x < 3)\n    x++;\n  reach_error();\n}\n";
    // Merging turns the tests of such a chain around.
    let text_of_chain = "extern _Bool __VERIFIER_nondet_bool(void);\nint in, out;\nint f(int i) {\n  \
                         if (i == 1) { return 10; }\n  if (i == 2) { out = 3; return 20; }\n  return 30;\n}\n\
                         int main(void) {\n  while (1) {\n    in = 1 + __VERIFIER_nondet_bool();\n    \
                         out = f(in);\n  }\n}\n";
    std::fs::write(&counting, text_of_counting).expect("it can be written");
    std::fs::write(&chain, text_of_chain).expect("it can be written");
    let (counting, chain) = (counting.display().to_string(), chain.display().to_string());
    for blocks in ["small", "large"] {
        let output = lariat(&[&counting, "--blocks", blocks, "--engine", "cegar"]);
        let said = text(&output.stdout);
        assert_eq!(truths(&said, "x < 3"), ["true", "true", "false"], "{said}");
        let output = lariat(&[&chain, "--blocks", blocks, "--ltl", "F G out == 20"]);
        let said = text(&output.stdout);
        // Each test agrees with the value that `i` was given before.
        let mut i = "";
        for line in said.lines() {
            if let Some((_, value)) = line.split_once("f::i = ") {
                i = value.split(',').next().unwrap_or_default();
            }
            if line.contains("  i == 1 (") {
                assert_eq!(line.ends_with(": true"), i == "1", "{said}");
            }
        }
        assert!(truths(&said, "  i == 1 (").len() > 1, "{said}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}
