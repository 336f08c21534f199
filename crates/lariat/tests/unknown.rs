//! Answers that are unknown say what stood in the way and what may help; large questions are answered.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unknown");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = folder.join(name);
    std::fs::write(&file, text).expect("the file can be written");
    file
}

fn lariat(file: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let output = command.arg("check").arg(file).args(args).output();
    output.expect("the binary runs")
}

/// The lines of a check that is unknown, from the verdict on.
fn unknown(file: &Path, args: &[&str]) -> Vec<String> {
    let output = lariat(file, args);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{shown}");
    let lines = shown.lines().map(str::to_owned);
    lines
        .skip_while(|line| !line.starts_with("unknown"))
        .collect()
}

fn assert_says(lines: &[String], at: usize, words: &[&str]) {
    let line = lines.get(at).unwrap_or_else(|| panic!("{lines:#?}"));
    assert!(words.iter().all(|&word| line.contains(word)), "{lines:#?}");
}

#[test]
fn a_counter_is_named() {
    let text = "var x : int = 0\naction inc: true -> x := x + 1\nproperty big: G F x = 0\n";
    let model = file("inc.gcl", text);
    let options = [
        "--engine",
        "cegar",
        "--domain",
        "expl",
        "--recurrence",
        "off",
        "--clocks",
        "run",
    ];
    let lines = unknown(&model, &[&["--timeout", "1s"][..], &options].concat());
    assert_says(&lines, 0, &["unknown: "]);
    assert_says(&lines, 1, &["cause: ", "`x` is counted and has no range"]);
    assert_says(&lines, 2, &["what may help: ", "--engine auto"]);
}

#[test]
fn an_option_that_stands_in_the_way_is_named() {
    let text = "extern int rd(void);
int main(void){ static int cnt; int x = rd(); while(1){ cnt++; if (cnt > 5) cnt = 0; if (x > 3) { x--; } } }";
    let program = file("stat.c", text);
    let options = ["--ltl", "F x <= 3", "--timeout", "1s"];
    let lines = unknown(&program, &[&["--ranking", "off"][..], &options].concat());
    assert_says(&lines, 1, &["cause: ", "`x` is counted and has no range"]);
    assert_says(&lines, 2, &["what may help: ", "--ranking off"]);
}

#[test]
fn a_limit_says_what_was_going_on() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/pack.xsts");
    let lines = unknown(&model, &["--ltl", "G (boxes < 99)", "--timeout", "500ms"]);
    assert_says(&lines, 0, &["unknown: the time limit was reached"]);
    let did = [
        "was in round ",
        "had met ",
        "had not ended its first round",
        "gave up: ",
    ];
    let cause = lines.get(1).expect("there is a cause");
    assert!(did.iter().any(|did| cause.contains(did)), "{cause}");
    assert!(cause.len() < 500, "{cause}");
    assert_says(&lines, 2, &["what may help: "]);
}

/// It ends if `x * x` grows faster than `x * y`: no method here finds that out.
const PRODUCT: &str = "extern int rd(void);
int main(void) { int x = rd(); int y = rd(); int n = 1;
  while (x * y > n) { x = x * y - n; y = y * n - x; n = n + x; } return 0; }";

#[test]
fn products_are_named() {
    let program = file("product.c", PRODUCT);
    for int in ["math", "bitprecise"] {
        let options = ["--termination", "--timeout", "1s", "--int", int];
        let lines = unknown(&program, &options);
        assert_says(&lines, 1, &["cause: ", "which is not linear"]);
        assert_says(&lines, 2, &["what may help: ", "product"]);
    }
}

#[test]
fn limits_of_listing_say_which() {
    let model = file(
        "list.gcl",
        "var x : int = 0\naction inc: true -> x := x + 1\nproperty p: G (x >= 0)\n",
    );
    let lines = unknown(
        &model,
        &[
            "--engine",
            "explicit",
            "--max-states",
            "100",
            "--clocks",
            "run",
        ],
    );
    assert_says(
        &lines,
        0,
        &["unknown: not all successors can be listed: there are more than 100 states"],
    );
    assert_says(
        &lines,
        1,
        &["cause: there are more than 100 states; `x` is counted"],
    );
    assert_says(
        &lines,
        2,
        &["what may help: ", "--max-states", "--engine auto"],
    );
    let model = file(
        "any.gcl",
        "var x : int\naction keep: true -> skip\nproperty p: G (x >= 0 or x < 0)\n",
    );
    let lines = unknown(&model, &["--engine", "explicit", "--slice", "off"]);
    assert_says(&lines, 0, &["may take infinitely many values"]);
    assert_says(&lines, 1, &["what may help: ", "--engine auto", "range"]);
}

#[test]
fn json_says_the_same_and_sums_over_all_attempts() {
    let program = file("json.c", PRODUCT);
    let options = ["--termination", "--format", "json", "--timeout", "2s"];
    let output = lariat(&program, &options);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let result = &report["results"][0];
    assert_eq!(result["verdict"], "unknown", "{report:#}");
    let unknown = &result["unknown"];
    assert_eq!(unknown["kind"], "time", "{report:#}");
    assert!(
        unknown["cause"]
            .as_str()
            .is_some_and(|text| text.contains("not linear"))
    );
    assert!(unknown["advice"].is_string());
    let n_attempts = result["attempts"].as_array().map_or(0, Vec::len);
    assert!(n_attempts > 1, "{report:#}");
    // Several refinement loops have begun.
    let iterations = result["statistics"]["iterations"].as_u64();
    assert!(iterations.is_some_and(|n| n > 1), "{report:#}");
}

/// n requirements, each answered by the next value of a counter that goes round.
fn round(n: usize) -> (String, String) {
    let model = "var x : 0..100 = 0
action a: x < 100 -> x := x + 1
action b: x = 100 -> x := 0
";
    let all: Vec<String> = (0..n)
        .map(|i| format!("(x = {i} -> F x = {})", i + 1))
        .collect();
    (model.into(), format!("G ({})", all.join(" & ")))
}

#[test]
fn sixty_requirements_are_checked_at_once() {
    let (model, formula) = round(60);
    let model = file("round.gcl", &model);
    let output = lariat(&model, &["--timeout", "20s", "--ltl", &formula]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    // One of them is broken: the run and the reason are about the whole.
    let broken = formula.replace("F x = 31)", "F x = 101)");
    let output = lariat(&model, &["--timeout", "20s", "--ltl", &broken]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{shown}");
    let why = shown.lines().find(|line| line.contains("is never true"));
    assert!(why.is_some_and(|why| why.contains("`x = 101`")), "{shown}");
}

#[test]
fn what_has_no_automaton_is_unknown() {
    let (model, formula) = round(70);
    let model = file("too_many.gcl", &model);
    let output = lariat(&model, &["--ltl", &formula]);
    assert_eq!(output.status.code(), Some(3));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdict = "unknown: the formula has no automaton within the limits: \
                   the formula has 71 atoms; at most 64 are supported";
    assert!(shown.lines().any(|line| line == verdict), "{shown}");
}

#[test]
fn a_huge_formula_does_not_hold_up_the_others() {
    let model = "var x : 0..3 = 0\naction up: x < 3 -> x := x + 1\naction zero: true -> x := 0\n";
    let model = file("toggle.gcl", model);
    // Its negation must remember for 26 steps where `x = 1` was true: some 2^26 states.
    let huge = format!("F (x = 1 & {}(x = 2 | x = 0))", "X ".repeat(26));
    let options = ["--ltl", &huge, "--ltl", "G x <= 3", "--ltl", "G x < 3"];
    let output = lariat(
        &model,
        &[&options[..], &["--timeout", "6s", "--quiet"]].concat(),
    );
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let verdicts: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.rsplit(": ").next())
        .collect();
    // They are told in the order in which they are found.
    assert_eq!(verdicts, ["holds", "violated", "unknown"], "{shown}");
    assert_eq!(output.status.code(), Some(1));
}

/// A counter that goes up to 60, or back: `x = n` is reached after `n` steps and not before.
const UP: &str =
    "var x : int = 0\naction up: x < 60 -> x := x + 1\naction down: x > 0 -> x := x - 1\n";

/// What an unknown answer knows.
fn known(file: &Path, args: &[&str]) -> Option<u64> {
    let lines = unknown(file, args);
    let line = lines
        .iter()
        .find_map(|line| line.trim().strip_prefix("known: "))?;
    let number = line.strip_prefix("no counterexample up to ")?;
    number.split(' ').next()?.parse().ok()
}

#[test]
fn how_far_there_is_no_counterexample_is_known_and_true() {
    let model = file("up.gcl", UP);
    // Breadth first: with this many states, all at a distance of at most 19 were met, and `x = 60` is at 60.
    let explicit = ["--engine", "explicit", "--invariant", "x < 60"];
    let steps = known(&model, &[&explicit[..], &["--max-states", "20"]].concat());
    assert_eq!(steps, Some(19));
    // By distance, however the states are met: the bound is below the step where it breaks, for every limit.
    for max_states in ["5", "10", "40", "59", "60"] {
        let steps = known(
            &model,
            &[&explicit[..], &["--max-states", max_states]].concat(),
        );
        assert!(
            steps.is_some_and(|steps| steps < 60),
            "{max_states}: {steps:?}"
        );
    }
    // A lasso that violates it has a stem of 60 steps and a loop of 2.
    let layers = [
        "--engine",
        "explicit",
        "--search",
        "layers",
        "--ltl",
        "F G x < 60",
    ];
    for max_states in ["600", "1000"] {
        let text = UP.replace(
            "action down",
            "var y : 0..99 = 0\naction y: y < 99 -> y := y + 1\naction down",
        );
        let model = file("layers.gcl", &text);
        let slow = [&layers[..], &["--max-states", max_states, "--slice", "off"]].concat();
        let steps = known(&model, &slow);
        assert!(
            steps.is_some_and(|steps| 0 < steps && steps < 62),
            "{steps:?}"
        );
    }
    // Depth-first searches know of no distance.
    let dfs = [&explicit[..], &["--search", "dfs", "--max-states", "20"]].concat();
    assert_eq!(known(&model, &dfs), None);
}

#[test]
fn bounded_paths_say_how_far_they_came() {
    let text = "var x : integer = 0\nvar i : integer = 0\n\
                trans { assume 0 <= i && i <= 3; x := x + i; }\ninit {}\nenv { havoc i; }\n";
    let model = file("sum.xsts", text);
    let ask = ["--engine", "bounded", "--invariant", "x != 30"];
    // Each cycle adds at most 3, so the sum of 30 takes ten of them: 20 steps.
    let output = lariat(&model, &[&ask[..], &["--json", "-"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let run = &report["results"][0]["counterexample"]["steps"];
    assert_eq!(
        run.as_array().map(Vec::len),
        Some(21),
        "the start and 20 steps"
    );
    let ask = [
        "--engine",
        "bounded",
        "--invariant",
        "x >= 0",
        "--timeout",
        "2s",
    ];
    let steps = known(&model, &ask);
    assert!(steps.is_some_and(|steps| steps > 0), "{steps:?}");
}

/// Numbers whose length doubles with every step must not keep the other methods from their turns.
#[test]
fn numbers_that_square_leave_time_for_others() {
    let text = "int x;
int main(void) {
  x = 2;
  while (x > 1) {
    x = x * x - 1;
  }
  return 0;
}
";
    let program = file("square.c", text);
    let output = lariat(&program, &["--termination", "--timeout", "60s"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn the_run_that_could_not_be_judged_is_told() {
    let text = "var x : int = 0\naction inc: true -> x := x + 1\nproperty big: G F x = 0\n";
    let model = file("candidate.gcl", text);
    let options = [
        "--domain",
        "pred-cart",
        "--recurrence",
        "off",
        "--clocks",
        "run",
        "--ranking",
        "off",
    ];
    let json = model.with_extension("json");
    let json_path = json.to_str().expect("a plain path");
    let told = ["--json", json_path, "--explain", "--timeout", "1s"];
    let output = lariat(&model, &[&options[..], &told].concat());
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let text = std::fs::read_to_string(&json).expect("the report was written");
    let report: Value = serde_json::from_str(&text).expect("a report is JSON");
    let candidate = &report["results"][0]["attempts"][0]["candidate"];
    // The only action is the loop: it stands in line 2.
    let steps = candidate["loop"].as_array().expect("a loop");
    assert!(!steps.is_empty(), "{candidate}");
    for step in steps {
        let source = step["source"].as_str().expect("a place");
        assert!(source.ends_with("candidate.gcl:2"), "{candidate}");
    }
    let shown = String::from_utf8_lossy(&output.stdout);
    let told = "could neither confirm nor exclude:";
    assert!(
        shown.contains(told) && shown.contains("candidate.gcl:2"),
        "{shown}"
    );
}
