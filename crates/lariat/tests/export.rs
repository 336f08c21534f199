//! `--export`: each form says what the JSON report says. Waveforms and tables are read by others' readers.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn examples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"))
}

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

/// All forms of a counterexample, by their endings, and the counterexample of the JSON report.
fn exported(name: &str, args: &[&str]) -> (HashMap<&'static str, String>, Value) {
    let folder = folder(name);
    let endings = ["itf.json", "vcd", "csv", "mmd", "dot"];
    let path = |ending: &str| folder.join(format!("run.{ending}")).display().to_string();
    let paths = endings.map(path);
    let json = path("report");
    let mut all = args.to_vec();
    for path in &paths {
        all.extend(["--export", path]);
    }
    all.extend(["--quiet", "--json", &json]);
    let output = lariat(&all);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let read = |path: &String| std::fs::read_to_string(path).expect("it is written");
    let files = endings.into_iter().zip(paths.iter().map(read)).collect();
    let report: Value = serde_json::from_str(&read(&json)).expect("JSON");
    let _ = std::fs::remove_dir_all(folder);
    (files, report["results"][0]["counterexample"].clone())
}

fn steps(run: &Value) -> &Vec<Value> {
    run["steps"].as_array().expect("steps")
}

/// A value of a JSON report as people write it.
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn same_states(itf: &str, run: &Value) {
    let trace: Value = serde_json::from_str(itf).expect("JSON");
    let states = trace["states"].as_array().expect("states");
    let plain = |value: &Value| match &value["#bigint"] {
        Value::Null => value.clone(),
        digits => json!(
            digits
                .as_str()
                .expect("digits")
                .parse::<i64>()
                .expect("a number")
        ),
    };
    let names: Vec<&Value> = trace["vars"].as_array().expect("names").iter().collect();
    for (i, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], i);
        let expected = steps(run)[i]["state"].as_object().expect("a state");
        assert_eq!(names.len(), expected.len());
        for (name, value) in expected {
            assert!(names.contains(&&json!(name)), "{name}");
            assert_eq!(plain(&state[name]), *value, "{name} in state {i}");
        }
    }
    // What follows the last state is the one that `loop` names.
    match run["loop_starts_after_step"].as_u64() {
        Some(_) => {
            let back = trace["loop"].as_u64().expect("a loop") as usize;
            assert_eq!(states.len() + 1, steps(run).len());
            assert_eq!(steps(run)[back]["state"], steps(run)[states.len()]["state"]);
        }
        None => {
            assert_eq!(trace["loop"], Value::Null);
            assert_eq!(states.len(), steps(run).len());
        }
    }
}

/// The value of each signal at each time, as a viewer would show it.
fn same_waves(waves: &str, run: &Value) {
    let mut reader = vcd::Parser::new(waves.as_bytes());
    let header = reader.parse_header().expect("a header");
    let module = header.find_scope(&["run"]).expect("a scope");
    let mut names = HashMap::new();
    for item in &module.items {
        if let vcd::ScopeItem::Var(var) = item {
            names.insert(var.code, var.reference.clone());
        }
    }
    let mut now: HashMap<String, Value> = HashMap::new();
    let mut time = None;
    let compare = |time: u64, now: &HashMap<String, Value>| {
        let Some(step) = steps(run).get(time as usize) else {
            return;
        };
        let start = run["loop_starts_after_step"].as_u64();
        assert_eq!(
            now["loop"],
            start.is_some_and(|start| time >= start),
            "at {time}"
        );
        for (name, value) in step["state"].as_object().expect("a state") {
            assert_eq!(now[name], *value, "{name} at {time}");
        }
    };
    for command in reader {
        match command.expect("a command") {
            vcd::Command::Timestamp(next) => {
                if let Some(time) = time {
                    compare(time, &now);
                }
                time = Some(next);
            }
            vcd::Command::ChangeScalar(code, value) => {
                let value = json!(value == vcd::Value::V1);
                now.insert(names[&code].clone(), value);
            }
            vcd::Command::ChangeVector(code, bits) => {
                let sign = i64::from(bits.get(0) == Some(vcd::Value::V1));
                let digits = bits.iter().map(|bit| i64::from(bit == vcd::Value::V1));
                let value = digits.fold(-sign, |value, bit| value * 2 + bit);
                now.insert(names[&code].clone(), json!(value));
            }
            vcd::Command::ChangeString(code, value) => {
                now.insert(names[&code].clone(), json!(value));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(time, Some(steps(run).len() as u64));
}

fn same_table(table: &str, run: &Value) {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().expect("heads").clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), steps(run).len());
    for (i, (row, step)) in rows.iter().zip(steps(run)).enumerate() {
        let field = |name: &str| &row[heads.iter().position(|head| head == name).expect(name)];
        assert_eq!(field("step"), (i + 1).to_string());
        assert_eq!(field("observed"), step["observed"].to_string());
        for (name, value) in step["state"].as_object().expect("a state") {
            assert_eq!(field(name), text(value), "{name} in row {i}");
        }
        let start = run["loop_starts_after_step"].as_u64();
        let is_loop = start.is_some_and(|start| i as u64 >= start);
        assert_eq!(field("part"), if is_loop { "loop" } else { "stem" });
    }
}

/// Every step is a node with an arrow into it; the way back is one more.
fn same_graph(dot: &str, run: &Value) {
    let n = steps(run).len();
    let is_arrow = |line: &&str| line.split_whitespace().nth(1) == Some("->");
    let arrows: Vec<&str> = dot.lines().filter(is_arrow).collect();
    let back = run["loop_starts_after_step"].as_u64();
    assert_eq!(arrows.len(), n + usize::from(back.is_some()));
    for number in 1..=n {
        assert!(
            dot.contains(&format!("  s{number} [label=\"{number}")),
            "{dot}"
        );
    }
    if let Some(start) = back {
        assert!(
            dot.contains(&format!("  s{n} -> s{start} [style=dashed")),
            "{dot}"
        );
    }
    if let Ok(mut drawn) = Command::new("dot")
        .arg("-Tcanon")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
    {
        use std::io::Write as _;
        drawn
            .stdin
            .take()
            .expect("an input")
            .write_all(dot.as_bytes())
            .expect("it reads");
        assert!(drawn.wait().expect("it ends").success());
    }
}

fn same_in_all_forms(name: &str, args: &[&str]) -> (HashMap<&'static str, String>, Value) {
    let (files, run) = exported(name, args);
    same_states(&files["itf.json"], &run);
    same_waves(&files["vcd"], &run);
    same_table(&files["csv"], &run);
    same_graph(&files["dot"], &run);
    (files, run)
}

#[test]
fn a_lasso_is_the_same_in_all_forms() {
    let args = ["gcl/elevator.gcl", "--property", "served"];
    let (files, run) = same_in_all_forms("lasso", &args);
    let diagram = &files["mmd"];
    assert!(diagram.starts_with("stateDiagram-v2\n"), "{diagram}");
    let arrows = diagram
        .lines()
        .filter(|line| line.contains(" --> "))
        .count();
    assert_eq!(arrows, steps(&run).len() + 1);
    same_in_all_forms(
        "xsts",
        &[
            "xsts/traffic_light.xsts",
            "--ltl",
            "(G F tick) -> (G F green)",
        ],
    );
}

#[test]
fn a_path_of_a_composition_is_the_same_in_all_forms() {
    let args = ["cfa/pump.cfa", "xsts/tank.xsts", "--compose", "alternate"];
    let (files, run) = same_in_all_forms(
        "path",
        &[&args[..], &["--invariant", "level <= 8"]].concat(),
    );
    assert_eq!(run["kind"], "path");
    let diagram = &files["mmd"];
    assert!(diagram.starts_with("sequenceDiagram\n"), "{diagram}");
    // The models step in turn.
    for (i, step) in steps(&run).iter().enumerate().skip(1) {
        let model = 2 - i % 2;
        assert_eq!(step["model"], model, "step {}", i + 1);
        let arrow = format!("  m{model}->>m{model}: {}. ", i + 1);
        assert!(diagram.contains(&arrow), "{arrow} in {diagram}");
    }
}

#[test]
fn endings_and_paths_are_looked_at_first() {
    let output = lariat(&["gcl/elevator.gcl", "--export", "run.txt"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains(".itf.json"), "{message}");
    for option in ["--export", "--report"] {
        let output = lariat(&["gcl/elevator.gcl", option, "/no/such/folder/run.csv"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains("cannot write"), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn nothing_is_written_where_nothing_is_violated() {
    let folder = folder("nothing");
    let path = folder.join("run.csv").display().to_string();
    let output = lariat(&["xsts/traffic_light.xsts", "--export", &path]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing is violated"));
    assert!(!Path::new(&path).exists());
    let _ = std::fs::remove_dir_all(folder);
}
