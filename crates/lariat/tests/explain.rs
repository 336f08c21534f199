//! `lariat check --explain`: what was chosen and why, what was tried, why each attempt ended.

use std::path::Path;
use std::process::Command;

/// What a check of a model prints with `--explain`, and its report.
fn explain(name: &str, model: &str, args: &[&str]) -> (Vec<String>, serde_json::Value) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let (model_file, report) = (folder.join(name), folder.join(format!("{name}.json")));
    std::fs::write(&model_file, model).expect("the file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(model_file)
        .arg("--explain")
        .arg("--json")
        .arg(&report)
        .args(args)
        .output()
        .expect("the binary runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    let report = std::fs::read_to_string(report).expect("the report was written");
    let report = serde_json::from_str(&report).expect("the report is JSON");
    (shown.lines().map(str::to_owned).collect(), report)
}

const FINITE: &str = "var x : 0..3 = 0\nvar k : int = 3\n\
                      action up: x < k -> x := x + 1\naction again: x = k -> x := 0\n";

#[test]
fn auto_says_what_it_chose_by_and_what_it_tried() {
    let (lines, report) = explain("finite.gcl", FINITE, &["--ltl", "G F x = 0"]);
    assert_eq!(lines[1], "before the check, constants: k = 3");
    assert!(lines[2].starts_with("the model has "), "{lines:?}");
    assert!(lines[3].starts_with("so "), "{lines:?}");
    assert!(
        lines[4].starts_with("tried explicit states for "),
        "{lines:?}"
    );
    assert!(lines[4].ends_with(" s: it decided: holds"), "{lines:?}");
    assert_eq!(lines[5], "holds");
    let result = &report["results"][0];
    let shape = result["shape"].as_str().expect("auto looks at the shape");
    assert_eq!(lines[2], format!("the model has {shape}"));
    assert!(result["attempts"][0]["time_s"].as_f64().is_some());
}

#[test]
fn bounds_that_conditions_imply_are_found() {
    let says = |name: &str, guard: &str| {
        let model = format!(
            "var x : int = 0\nvar y : int = 3\naction up: {guard} -> x := x + 1, y := if y > 2 then y - 1 else x\n\
             action again: x > 5 -> x := x - 5\naction rest: true -> x := x\n"
        );
        let (_, report) = explain(name, &model, &["--ltl", "G F x = y"]);
        let result = &report["results"][0];
        let shape = result["shape"].as_str().expect("auto looks at the shape");
        let engine = result["attempts"][0]["what"].as_str();
        let is_bounded = shape.contains("conditions keep the integers between bounds");
        (is_bounded, engine.expect("a name").to_owned())
    };
    let bounded = says("bounded.gcl", "x < 10");
    assert_eq!(bounded, (true, "explicit states".to_owned()));
    let open = says("open.gcl", "x > -1");
    assert_eq!(open, (false, "explicit states, layers".to_owned()));
}

#[test]
fn each_attempt_that_failed_has_its_reason() {
    // Beyond every method for now: the state is never the same again.
    let model = "var x : int = 0\nvar y : int = 0\naction go: true -> x := x + 1, y := y + 2 * x\n";
    let args = ["--ltl", "F G (y > x)", "--timeout", "2s"];
    let (lines, _) = explain("hard.gcl", model, &args);
    let tried = lines.iter().filter(|line| line.starts_with("tried "));
    let mut n_failed = 0;
    for line in tried {
        let reasons = ["its portion of the work was used up", "it gave up: "];
        let has_failed = reasons.into_iter().any(|reason| line.contains(reason));
        assert!(has_failed || line.contains("it decided: "), "{line}");
        n_failed += usize::from(has_failed);
    }
    assert!(n_failed > 0, "{lines:?}");
    // Before the verdict.
    let words = ["unknown: ", "holds", "violated"];
    let is_verdict = |line: &String| words.into_iter().any(|word| line.starts_with(word));
    let verdict = lines.iter().position(is_verdict);
    let last = lines.iter().rposition(|line| line.starts_with("tried "));
    assert!(verdict > last, "{lines:?}");
}

#[test]
fn a_time_limit_holds_whatever_the_solver_does() {
    // Products of unbounded integers: here Z3 has been seen not to stop when it is told to.
    let model = "var x : int = 0\nvar y : int = 0\naction go: true -> x := x + 1, y := y + x * x\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join("products.gcl");
    std::fs::write(&file, model).expect("the file can be written");
    let start = std::time::Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(file)
        .args(["--ltl", "F G (y mod 7 = 0)", "--timeout", "1s"])
        .output()
        .expect("the binary runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{shown}");
    assert!(
        shown.contains("unknown: the time limit was reached"),
        "{shown}"
    );
    // The limit, the patience of the parent, and a busy machine.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn a_chosen_engine_is_said_to_be_chosen() {
    let args = [
        "--ltl",
        "G F x = 0",
        "--engine",
        "cegar",
        "--domain",
        "pred-cart",
    ];
    let (lines, report) = explain("chosen.gcl", FINITE, &args);
    assert_eq!(
        lines[2],
        "the options chose the engine: nothing else is tried"
    );
    assert!(
        lines[3].starts_with("tried abstraction refinement, pred-cart for "),
        "{lines:?}"
    );
    assert!(report["results"][0]["shape"].is_null());
}

#[test]
fn rational_numbers_cannot_be_listed() {
    let model = "specification S { system s := { var c : rat initial c = 0%1 \
                 transition c' = c + 1%2 } }";
    let (lines, _) = explain("clock.sts", model, &["--invariant", "0%1 <= c"]);
    let shape = lines.iter().find(|line| line.starts_with("the model has "));
    assert!(
        shape.is_some_and(|line| line.contains("rational numbers")),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.contains("cannot be listed")),
        "{lines:?}"
    );
}

#[test]
fn where_most_variables_are_control_values_and_predicates_come_together() {
    // Three that are only ever given constants, and a number that grows for ever.
    let model = "var a : int = 0\nvar b : int = 0\nvar c : int = 0\nvar x : int = 0\n\
                 action a: a = 0 -> a := 1, x := x + 1\naction b: a = 1 and c < 2 -> b := 1, a := 0\n\
                 action c: b = 1 -> c := 2, b := 0\naction d: c = 2 -> c := 0\n";
    let (lines, _) = explain(
        "control.gcl",
        model,
        &["--invariant", "x >= 0", "--clocks", "run"],
    );
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(
        has("few unbounded integers among control variables"),
        "{lines:?}"
    );
    let tried: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("tried "))
        .collect();
    assert!(
        tried[0].starts_with("tried explicit states for "),
        "{tried:?}"
    );
    assert!(tried[1].contains("expl-pred-cart"), "{tried:?}");
    assert_eq!(lines.last().map(String::as_str), Some("holds"));
}

#[test]
fn a_long_program_is_tried_in_small_steps_too() {
    let branch = |i: u32| format!("  if (x % 211 == {i}) n = n + {i};\n");
    let branches: String = (0..200).map(branch).collect();
    // Without a ranking function it is beyond every method.
    let program = format!(
        "int n; int main() {{ int x = __VERIFIER_nondet_int();\n\
         {branches}  while (x > 0) x = x - 1 - n * n; }}\n"
    );
    let args = ["--ltl", "F end", "--ranking", "off", "--timeout", "3s"];
    let (lines, _) = explain("long.c", &program, &args);
    let has = |text: &str| lines.iter().any(|line| line.contains(text));
    assert!(has("it is a long program"), "{lines:?}");
    assert!(has(", small steps for "), "{lines:?}");
}
