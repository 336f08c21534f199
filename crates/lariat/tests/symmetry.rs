//! Copies in any order and clocks, as a user meets them: on by themselves, named in reports, off by an option.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// Three counters up to two: 27 states, 10 multisets.
const COPIES: &str = "var x1 : 0..2 = 0  var x2 : 0..2 = 0  var x3 : 0..2 = 0
action a1: true -> x1 := x1 + 1
action a2: true -> x2 := x2 + 1
action a3: true -> x3 := x3 + 1
property small: G (x1 + x2 + x3 <= 6)
property one: G (x1 <= 1)
";

/// A timer that goes on while it is not reset.
const TIMER: &str = "var t : int = 0  var b : bool = false
action tick: true -> t := t + 1
action reset: t >= 3 -> t := 0, b := not b
property back: G F (t = 0)
";

fn check(name: &str, text: &str, args: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symmetry");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let model = folder.join(name);
    std::fs::write(&model, text).expect("the file can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("check")
        .arg(model)
        .args(args)
        .output();
    output.expect("the binary runs")
}

fn result(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    report["results"][0].clone()
}

#[test]
fn copies_in_any_order_count_as_one_unless_told_otherwise() {
    let args = ["--engine", "explicit", "--property", "small", "--json", "-"];
    let on = result(&check("on.gcl", COPIES, &args));
    assert_eq!(on["statistics"]["states"], json!(10));
    assert_eq!(
        on["statistics"]["symmetries"],
        json!(["x1, x2, x3 in any order"])
    );
    let off = [&args[..], &["--symmetry", "off"]].concat();
    let off = result(&check("off.gcl", COPIES, &off));
    assert_eq!(off["statistics"]["states"], json!(27));
    assert_eq!(off["statistics"]["symmetries"], json!([]));
    assert_eq!([&on["verdict"], &off["verdict"]], ["holds", "holds"]);
    let explained = check("explained.gcl", COPIES, &["--property", "one", "--explain"]);
    let text = String::from_utf8_lossy(&explained.stdout);
    assert_eq!(explained.status.code(), Some(1), "{text}");
    assert!(
        text.contains("states that differ only by x2, x3 in any order counted as one"),
        "{text}"
    );
    let useless = check(
        "useless.gcl",
        COPIES,
        &["--engine", "cegar", "--symmetry", "off"],
    );
    assert_eq!(useless.status.code(), Some(2));
}

#[test]
fn clocks_stop_unless_told_otherwise() {
    let args = ["--engine", "explicit", "--json", "-"];
    let stopped = check("timer.gcl", TIMER, &args);
    assert_eq!(stopped.status.code(), Some(1));
    let stopped = result(&stopped);
    assert_eq!(stopped["clocks"], json!([{ "name": "t", "top": 4 }]));
    // The loop is one of the model as given, in which the timer goes on.
    let names = &stopped["counterexample"]["growth"]["variables"][0]["name"];
    assert_eq!(names, "t", "{stopped}");
    let on = [&args[..], &["--clocks", "run", "--max-states", "1000"]].concat();
    let on = check("running.gcl", TIMER, &on);
    assert_eq!(on.status.code(), Some(3));
    assert_eq!(result(&on)["clocks"], json!([]));
}

/// How many states and classes the lock with tickets has, counted by hand: before the first ticket there is one state. Later
/// `m` of `n` processes hold one ticket each, in any order, the others are alike, and the next number is any of
/// `n`; the first in the queue is inside or not.
fn tickets(n: u64) -> (u64, u64) {
    let orders = |m: u64| (n - m + 1..=n).product::<u64>();
    let states = 1 + 2 * n * (1..=n).map(orders).sum::<u64>();
    (states, 1 + 2 * n * n)
}

#[test]
fn one_state_stands_for_each_class() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let text = std::fs::read_to_string(examples.join("gcl/tickets.gcl")).expect("the example");
    let args = ["--engine", "explicit", "--json", "-"];
    let args = [&args[..], &["--property", "exclusive"]].concat();
    for n in 2..=5 {
        let text = text.replace("1..4", &format!("1..{n}"));
        let text = text.replace("const N = 4", &format!("const N = {n}"));
        let name = format!("tickets{n}.gcl");
        let on = result(&check(&name, &text, &args));
        let off = [&args[..], &["--symmetry", "off"]].concat();
        let off = result(&check(&name, &text, &off));
        let found = [&off, &on].map(|result| result["statistics"]["states"].as_u64());
        let (states, classes) = tickets(n);
        assert_eq!(found, [Some(states), Some(classes)], "{n} processes");
    }
}
