//! `lariat compare` as a user meets it: tables, files, bad input, contradictions, interrupts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of files for one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("compare")
            .join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the folder can be made");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn file(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("the file can be written");
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("the file was written")
    }

    /// A program that answers every check with an exit code that a shell script decides.
    #[cfg(unix)]
    fn program(&self, script: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.file("fake", &format!("#!/bin/sh\n{script}\n"));
        let permissions = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, permissions).expect("our own file");
        path
    }
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("compare").args(args);
    command
}

fn compare(args: &[&str]) -> Output {
    command(args).output().expect("the binary runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Counts 0, 1, 2, 3, 0, … for ever.
const CYCLE: &str = "model cycle
var x : 0..3 = 0
action up: x < 3 -> x := x + 1
action again: x = 3 -> x := 0
property small: G (x <= 3)
property zero: F G (x = 0)
";

/// The first column and the verdict of each row of a table.
fn verdicts(output: &Output) -> Vec<String> {
    let text = text(&output.stdout);
    let rows = text.lines().filter(|line| line.starts_with("  "));
    let words = rows.map(|row| row.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
    words
        .filter(|row| !row.starts_with("configuration"))
        .collect()
}

#[test]
fn every_configuration_is_a_row() {
    let folder = Folder::new("rows");
    let model = folder.file("cycle.gcl", CYCLE);
    let output = compare(&[
        &model,
        "--ltl",
        "G F x = 0",
        "--configs",
        "auto,explicit,expl/scc,pred-cart/ndfs/direct",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        verdicts(&output),
        [
            "auto holds",
            "explicit holds",
            "expl/scc holds",
            "pred-cart/ndfs/direct holds"
        ]
    );
    // Nothing but the table, also not in a pipe.
    assert_eq!(text(&output.stderr), "");
    // One task needs no summary.
    assert!(!text(&output.stdout).contains("best first"));
}

#[test]
fn all_configurations_agree_on_a_small_model() {
    let folder = Folder::new("all");
    let model = folder.file("cycle.gcl", CYCLE);
    let count = |question: &[&str]| {
        let output = compare(&[&[&*model, "--timeout", "60s"], question].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let rows = verdicts(&output);
        assert!(
            rows.iter().all(|row| row.ends_with(" violated")),
            "{rows:?}"
        );
        rows.len()
    };
    // Twelve domains, three searches, two lasso refinements, explicit and auto.
    assert_eq!(count(&["--ltl", "F G x = 0"]), 74);
    // Twelve domains with five path refinements, the core for the eight with values, depth first, explicit and auto.
    assert_eq!(count(&["--invariant", "x < 2"]), 82);
}

#[test]
fn models_and_their_properties_are_tasks() {
    let folder = Folder::new("tasks");
    let first = folder.file("first.gcl", CYCLE);
    let second = folder.file("second.gcl", &CYCLE.replace("= 3 ->", "= 3 && x = 4 ->"));
    let output = compare(&[&first, &second, "--configs", "auto,expl"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for title in ["first.gcl: small", "first.gcl: zero", "second.gcl: small"] {
        assert!(shown.contains(title), "no `{title}` in:\n{shown}");
    }
    assert!(shown.contains("all 4 tasks, the best first"), "{shown}");
    // Composed they are one task.
    let output = compare(&[
        &first,
        &second,
        "--compose",
        "alternate",
        "--invariant",
        "x <= 3",
        "--configs",
        "auto",
    ]);
    assert_eq!(verdicts(&output), ["auto holds"]);
}

#[test]
fn csv_and_json_hold_what_the_table_shows() {
    let folder = Folder::new("files");
    let model = folder.file("cycle.gcl", CYCLE);
    let (csv, json) = (folder.path("runs.csv"), folder.path("runs.json"));
    let output = compare(&[
        &model,
        "--invariant",
        "x < 2 || x > 2",
        "--configs",
        "auto,pred-split",
        "--csv",
        &csv,
        "--json",
        &json,
        "--jobs",
        "1",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let csv = folder.read("runs.csv");
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(
        lines[0],
        "task,models,compose,question,property,expected,configuration,options,verdict,correct,reason,time_s,wall_s,\
         iterations,states,total_states,tracked,checks,interpolations,peak_memory_bytes,cpu_s,repetition"
    );
    assert_eq!(lines.len(), 3);
    let start = format!("{model}: x < 2 || x > 2,{model},,invariant,x < 2 || x > 2,,");
    let rest = lines[2]
        .strip_prefix(&*start)
        .expect("the task comes first");
    assert!(
        rest.starts_with("pred-split,--engine cegar --domain pred-split,violated,,,"),
        "{rest}"
    );
    let json: serde_json::Value = serde_json::from_str(&folder.read("runs.json")).expect("JSON");
    assert_eq!(json["schema"], "lariat-compare/1");
    assert_eq!(json["jobs"], 1);
    assert_eq!(json["tasks"][0]["temporal"], false);
    assert_eq!(json["runs"][1]["configuration"], "pred-split");
    assert_eq!(json["runs"][1]["verdict"], "violated");
    assert!(json["runs"][1]["iterations"].as_u64() > Some(0));
    assert!(json["runs"][1]["checks"].as_u64() > Some(0));
    assert_eq!(json["summary"][0]["violated"], 1);
    assert_eq!(json["disagreements"].as_array().map(Vec::len), Some(0));
}

#[test]
fn a_table_of_tasks_has_expected_verdicts() {
    let folder = Folder::new("manifest");
    folder.file("cycle.gcl", CYCLE);
    let table = "id\tmodel\tkind\tproperty\tinvariant\texpected\n\
                 one\tcycle.gcl\tltl\tG F x = 0;\t\tholds\n\
                 two\tcycle.gcl\t\tzero\t\tviolated\n\
                 three\tcycle.gcl\t\t\tx < 4\t\n\
                 lost\tnowhere.gcl\tltl\tG p\t\tholds\n";
    let table = folder.file("tasks.tsv", table);
    let csv = folder.path("runs.csv");
    let run = |options: &[&str]| {
        let args = [
            "--manifest",
            &*table,
            "--configs",
            "auto,explicit",
            "--csv",
            &*csv,
        ];
        compare(&[&args, options].concat())
    };
    let output = run(&[]);
    let (shown, errors) = (text(&output.stdout), text(&output.stderr));
    // What cannot be read is an error of that task only.
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("unreadable-file"), "{errors}");
    assert!(
        shown.contains("all 4 tasks, 1 of them could not be read"),
        "{shown}"
    );
    let csv = folder.read("runs.csv");
    let has = |part: &str| assert!(csv.contains(part), "no `{part}` in:\n{csv}");
    has("ltl,G F x = 0,holds,auto,,holds,true,,");
    has("property,zero,violated,explicit,--engine explicit,violated,true,,");
    has("invariant,x < 4,,auto,,holds,,,");
    has(",ltl,G p,holds,,,error,,cannot read");
    // A part of it.
    let output = run(&["--kind", "ltl", "--match", "one"]);
    assert_eq!(verdicts(&output), ["auto holds", "explicit holds"]);
    assert_eq!(output.status.code(), Some(0));
    let output = run(&["--match", "nothing like that"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no-task"));
}

#[test]
fn an_unexpected_verdict_is_loud() {
    let folder = Folder::new("wrong");
    folder.file("cycle.gcl", CYCLE);
    let table = folder.file("t.tsv", "model\tltl\texpected\ncycle.gcl\tG x = 0\tholds\n");
    let output = compare(&["--manifest", &table, "--configs", "auto,expl"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("WRONG: "), "{errors}");
    assert!(errors.contains("is violated, expected holds"), "{errors}");
    assert!(errors.contains("violated: auto, expl"), "{errors}");
    assert!(text(&output.stdout).contains("violated WRONG"));
}

#[cfg(unix)]
#[test]
fn a_contradiction_is_a_bug() {
    let folder = Folder::new("disagree");
    let model = folder.file("my cycle.gcl", CYCLE);
    let program = folder.program("case \"$*\" in *pred-cart*) exit 0;; *) exit 1;; esac");
    let json = folder.path("runs.json");
    let output = compare(&[
        &model,
        "--ltl",
        "G F x = 0",
        "--configs",
        "auto,expl,pred-cart",
        "--program",
        &program,
        "--json",
        &json,
    ]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(101), "{errors}");
    assert!(
        errors
            .trim_start()
            .starts_with("BUG: configurations disagree"),
        "{errors}"
    );
    let commands = [
        format!("{program} check '{model}' --ltl 'G F x = 0' --timeout 10s"),
        format!(
            "{program} check '{model}' --ltl 'G F x = 0' --engine cegar --domain pred-cart --timeout 10s"
        ),
    ];
    for command in commands {
        assert!(errors.contains(&command), "no `{command}` in:\n{errors}");
    }
    let json: serde_json::Value = serde_json::from_str(&folder.read("runs.json")).expect("JSON");
    assert_eq!(json["disagreements"][0]["holds"][0], "pred-cart");
    assert_eq!(json["disagreements"][0]["violated"][1], "expl");
}

#[cfg(unix)]
#[test]
fn a_crash_is_a_bug_and_a_refusal_an_error() {
    let folder = Folder::new("crash");
    let model = folder.file("cycle.gcl", CYCLE);
    let run = |script: &str| {
        let program = folder.program(script);
        let args = [
            "--ltl",
            "G F x = 0",
            "--configs",
            "auto",
            "--program",
            &*program,
        ];
        compare(&[&[&*model], &args[..]].concat())
    };
    let output = run("echo 'an invariant is broken' >&2; exit 101");
    assert_eq!(output.status.code(), Some(101));
    assert!(text(&output.stderr).contains("BUG: auto crashed on"));
    assert!(text(&output.stderr).contains("an invariant is broken"));
    let output = run("kill -9 $$");
    assert_eq!(output.status.code(), Some(101));
    let output = run("echo 'error[x]: not like this' >&2; exit 2");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("not like this"));
    let output = run("echo 'unknown: it is late'; exit 3");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("it is late"));
}

#[test]
fn bad_configurations_are_errors_before_anything_runs() {
    let folder = Folder::new("configs");
    let model = folder.file("cycle.gcl", CYCLE);
    let file = folder.file(
        "mine.txt",
        "# mine\ngood: --engine cegar\nbad: --engine cegar --domain exp\n",
    );
    let run = |configs: &str| compare(&[&model, "--ltl", "G F x = 0", "--configs", configs]);
    let output = run(&file);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(text(&output.stdout).is_empty());
    assert!(
        errors.contains("`exp` is no value of `--domain`"),
        "{errors}"
    );
    assert!(errors.contains("mine.txt:3:30"), "{errors}");
    assert!(errors.contains("^^^"), "{errors}");
    let cases = [
        ("expl/sc", "did you mean `scc`?"),
        ("mine", "is no configuration"),
        ("", "is no configuration"),
        ("expl,expl", "two configurations are called `expl`"),
        // Right by itself, but of no use for this property.
        ("expl/bfs", "`--search` has no effect"),
    ];
    for (configs, part) in cases {
        let output = run(configs);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{configs}: {errors}");
        assert!(
            errors.contains(part),
            "{configs} does not say `{part}`: {errors}"
        );
    }
    let file = folder.file("blocks.txt", "a: --blocks small\n");
    let errors = text(&run(&file).stderr);
    assert!(errors.contains("`--blocks` has no effect"), "{errors}");
    assert!(errors.contains("blocks.txt:1:4"), "{errors}");
    // The option that is of no use has the caret.
    let file = folder.file(
        "useless.txt",
        "a: --engine cegar --domain expl --search bfs\n",
    );
    let errors = text(&run(&file).stderr);
    assert!(errors.contains("useless.txt:1:33"), "{errors}");
}

#[test]
fn a_toml_file_is_a_configuration_of_its_name() {
    let folder = Folder::new("toml");
    let model = folder.file("cycle.gcl", CYCLE);
    // The search is for bad states only: `check` leaves it out for the formula.
    let mine = folder.file(
        "mine.toml",
        "engine = \"cegar\"\ndomain = \"pred-cart\"\nsearch = \"dfs\"\n",
    );
    let run = |configs: &str| compare(&[&model, "--ltl", "G F x = 0", "--configs", configs]);
    let output = run(&format!("explicit,{mine}"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(verdicts(&output), ["explicit holds", "mine holds"]);
    let cases = [
        ("domain = \"pred-crat\"", "did you mean `pred-cart`?"),
        ("record = \"f\"", "`record` has no place here"),
    ];
    for (line, part) in cases {
        let output = run(&folder.file("bad.toml", line));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(errors.contains(part), "{line}: {errors}");
        assert!(errors.contains("bad.toml:1:"), "{line}: {errors}");
    }
}

#[test]
fn a_configuration_for_some_of_the_tasks_is_run_on_those() {
    let folder = Folder::new("some");
    folder.file("cycle.gcl", CYCLE);
    let table = folder.file(
        "t.tsv",
        "model\tltl\tinvariant\ncycle.gcl\tG F x = 0\t\ncycle.gcl\t\tx <= 3\n",
    );
    let output = compare(&["--manifest", &table, "--configs", "auto,expl/bfs"]);
    assert_eq!(output.status.code(), Some(0));
    let errors = text(&output.stderr);
    assert!(
        errors.contains("`expl/bfs` is not run on tasks"),
        "{errors}"
    );
    let holds = verdicts(&output)
        .iter()
        .filter(|row| row.ends_with("holds"))
        .count();
    assert_eq!(holds, 3);
}

#[test]
fn bad_questions_and_options_are_errors() {
    let folder = Folder::new("questions");
    let model = folder.file("cycle.gcl", CYCLE);
    let table = folder.file("t.tsv", "model\tltl\ncycle.gcl\tG F x = 0\n");
    let csv = folder.path("no such folder/runs.csv");
    let cases: [(&[&str], &str); 8] = [
        (&[&model, "--ltl", "G y = 0"], "unknown-variable"),
        (&["nowhere.gcl", "--ltl", "G x = 0"], "unreadable-file"),
        (&["-", "--ltl", "G x = 0"], "standard input"),
        (&[], "required"),
        (
            &["--manifest", &table, "--ltl", "G x = 0"],
            "cannot be used with",
        ),
        (&[&model, "--kind", "ltl"], "useless-option"),
        (&[&model, "--compose", "alternate"], "useless-option"),
        (&[&model, "--ltl", "G x = 0", "--csv", &csv], "cannot-write"),
    ];
    for (args, part) in cases {
        let output = compare(args);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(
            errors.contains(part),
            "{args:?} does not say `{part}`: {errors}"
        );
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_done() {
    let folder = Folder::new("interrupt");
    let model = folder.file("cycle.gcl", CYCLE);
    let mark = folder.path("started");
    let script = format!("case \"$*\" in *pred-cart*) touch '{mark}'; sleep 60;; *) exit 0;; esac");
    let program = folder.program(&script);
    let args = [
        &*model,
        "--ltl",
        "G F x = 0",
        "--configs",
        "expl,pred-cart,auto",
        "--program",
        &*program,
        "--jobs",
        "1",
    ];
    let mut command = command(&args);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    for _ in 0..1000 {
        if Path::new(&mark).exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupted.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(verdicts(&output), ["expl holds"]);
    assert!(text(&output.stdout).contains("unfinished: 2 of 3 runs are missing"));
}
