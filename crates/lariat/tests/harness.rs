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

fn has_compiler() -> bool {
    Command::new("cc").arg("--version").output().is_ok()
}

/// Checks with `--harness`; what the check says, and the harness if there is one.
fn checked(folder: &Path, args: &[&str]) -> (Output, PathBuf) {
    let source = folder.join("harness.c");
    let path = source.display().to_string();
    let _ = std::fs::remove_file(&source);
    let mut all = args.to_vec();
    all.extend(["--timeout", "60s", "--harness", &path]);
    let output = lariat(&all);
    let said = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        output.status.code(),
        Some(1),
        "{args:?}\n{}{}",
        said.0,
        said.1
    );
    (output, source)
}

/// Compiles a harness and runs it; whether it ended well, and what it said.
fn repeated(harness: &Path, hint: &str) -> (bool, String) {
    let binary = harness.with_extension("");
    let mut cc = Command::new("cc");
    let compiled = cc.args(["-w", "-o"]).args([&binary, harness]).output();
    let compiled = compiled.expect("cc runs");
    let said = text(&compiled.stderr);
    assert!(compiled.status.success(), "{hint}\n{said}");
    let run = Command::new(&binary).output().expect("the harness runs");
    (run.status.success(), text(&run.stdout))
}

#[test]
fn harnesses_of_violated_examples_run_as_found() {
    if !has_compiler() {
        return;
    }
    let folder = folder("harness");
    let rows = violated();
    assert!(rows.len() >= 15, "{} rows", rows.len());
    for row in &rows {
        for ints in ["math", "bitprecise"] {
            let mut args: Vec<&str> = row.iter().map(String::as_str).collect();
            args.extend(["--int", ints]);
            let (_, harness) = checked(&folder, &args);
            let (well, said) = repeated(&harness, &format!("{args:?}"));
            assert!(well, "{args:?}\n{said}");
            assert!(said.starts_with("as in the counterexample"), "{said}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

/// The lines under a heading of the report.
fn listed<'s>(said: &'s str, heading: &str) -> Vec<&'s str> {
    let after = said.split_once(&format!("{heading}:\n"));
    let lines = after.map_or("", |(_, after)| after).lines();
    let inputs = lines.take_while(|line| line.starts_with("       "));
    let call = |line: &'s str| line.trim().rsplit_once(" (").map_or(line, |(call, _)| call);
    inputs.map(call).collect()
}

/// How controllers read their inputs: the inputs of stem and loop are all there, in order.
#[test]
fn inputs_of_every_kind_are_listed() {
    let folder = folder("kinds");
    let cases = [
        (
            "extern int rd(void);\nint x;\nint main(void) { while (1) { if (rd()) x = 1; else x = 0; } }\n",
            "G F x == 0",
            vec!["rd() = 1"],
        ),
        (
            "extern int rd(void);\nint x = 1;\nint main(void) { while (1) { if (!rd()) x = 1; else x = 0; } }\n",
            "G F x == 0",
            vec!["rd() = 0"],
        ),
        (
            "extern int rd(void);\nint x;\nint main(void) { while (rd()) x = 1; x = 2; while (1) {} }\n",
            "F x == 2",
            vec!["rd() = 1"],
        ),
        (
            "extern int rd(void);\nint x;\nint main(void) { while (1) { if ((rd())) { x = rd() == 7; } else { x = 0; } } }\n",
            "G F x == 0",
            vec!["rd() = 1", "rd() = 7"],
        ),
        (
            "extern int __VERIFIER_nondet_int(void);\nint x;\nint main(void) {\n  while (1) {\n    x = 0;\n    \
             if (__VERIFIER_nondet_int() == 42) x = 1;\n    else x = 2;\n  }\n}\n",
            "F x == 2",
            vec!["__VERIFIER_nondet_int() = 42"],
        ),
        (
            "extern int hal_read(int *out);\nint temp = 30, heater;\nint main(void) { while (1) { hal_read(&temp); heater = temp == 20; } }\n",
            "G F heater == 0",
            vec!["hal_read(&temp) sets temp = 20"],
        ),
        (
            "extern int rd(void);\nint x, y;\nint main(void) { while (1) { y = rd() == 3; if (y && rd() == 8) x = 1; else x = 0; rd(); } }\n",
            "G F x == 0",
            vec!["rd() = 3", "rd() = 8", "rd() = 0"],
        ),
    ];
    for (i, (program, formula, inputs)) in cases.into_iter().enumerate() {
        let path = folder.join(format!("kind{i}.c"));
        std::fs::write(&path, program).expect("it can be written");
        let path = path.display().to_string();
        let said = text(&lariat(&[&path, "--ltl", formula]).stdout);
        let mut once = listed(&said, "inputs of the loop");
        once.truncate(inputs.len());
        assert_eq!(once, inputs, "{program}{said}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

/// Programs, a question, and a change of the program (from, to) that the harness must notice.
const SHAPES: [(&str, &str, &str, (&str, &str)); 24] = [
    // What is asked for, and what is not.
    (
        "int rd(void); int x;\nint main(void) { while (1) { if (rd()) x = 1; else x = 0; } }",
        "--ltl",
        "G x == 0",
        ("x = 1", "x = 2"),
    ),
    (
        "int rd(void); int x;\nint main(void) { while (1) { if ((rd())) { x = rd(); } } }",
        "--ltl",
        "G x != 5",
        ("x = rd()", "x = -rd()"),
    ),
    (
        "int rd(void); int x;\nint main(void) { for (; rd();) x++; do x--; while (rd()); return 0; }",
        "--ltl",
        "G x >= 0",
        ("x--", "x++"),
    ),
    (
        "int __VERIFIER_nondet_int(void); int x;\nint main(void) { while (1) { if (__VERIFIER_nondet_int() == 42) x = 1; x = x + 2; } }",
        "--ltl",
        "G x != 3",
        ("== 42", "!= 42"),
    ),
    (
        "int __VERIFIER_nondet_int(void); void __VERIFIER_ltl_step(void); int busy, done;\nint main(void) { while (1) { busy = 1; done = 0; while (busy) { if (__VERIFIER_nondet_int() == 42) busy = 0; } done = 1; __VERIFIER_ltl_step(); } }",
        "--ltl",
        "false",
        ("done = 1", "done = 2"),
    ),
    (
        "int hal_read(int *out); int temp, heater;\nint main(void) { while (1) { hal_read(&temp); heater = temp < 20; } }",
        "--ltl",
        "G heater == 0",
        ("< 20", "> 20"),
    ),
    (
        "void hal(int *p, char *q); int t; char c;\nint main(void) { while (1) { hal(&t, &c); t = t + c; } }",
        "--ltl",
        "G t != 100",
        ("t + c", "t - c - c"),
    ),
    (
        "int rd(void); int x;\nint main(void) { while (1) { rd(); x = rd(); (void)rd(); } }",
        "--ltl",
        "G x != 7",
        ("(void)rd()", "rd(), rd()"),
    ),
    (
        "int rd(void); int x, y;\nint main(void) { while (1) { y = rd(); if (y) rd(); x = rd(); } }",
        "--ltl",
        "G !(x == 7 && y)",
        ("if (y) rd()", "if (!y) rd()"),
    ),
    (
        "int rd(void); int x, y;\nint main(void) { while (1) { (x = rd()) && (y = rd()); } }",
        "--ltl",
        "G y != 3",
        ("x = rd()", "x = !rd()"),
    ),
    (
        "int rd(void), r2(void); int x;\nint main(void) { while (1) { rd() && r2(); if (rd() || (r2(), 0)) x = 1; else x = 2; } }",
        "--ltl",
        "G x != 2",
        ("rd() ||", "!rd() ||"),
    ),
    (
        "int rd(void), r2(void); int x, y;\nint main(void) { while (1) { x = y ? rd() : r2(); y = r2() == 4; } }",
        "--ltl",
        "G !(y && x == 5)",
        ("y ?", "!y ?"),
    ),
    (
        "int rd(void); int x;\nint main(void) { while (1) switch (rd()) { case 0: x = 1; break; case 5: x = 2; break; default: x = 3; } }",
        "--ltl",
        "G (x == 1 -> F x == 2)",
        ("x = 1", "x = 4"),
    ),
    (
        "int rd(void); int a[2][3]; struct { int m[2]; char c; } s[2];\nint main(void) { int i = 0; while (1) { a[1][i] = rd(); s[1].m[1] = a[1][i]; i = (i + 1) % 3; } }",
        "--ltl",
        "G a[1][2] != 7",
        ("s[1].m[1] = ", "s[1].m[1] = 1 + "),
    ),
    (
        "extern int limit; extern const unsigned char tab[4]; int rd(void); int x;\nint main(void) { while (1) { x = rd(); if (x > limit) x = tab[1]; } }",
        "--ltl",
        "G !(x == 77 && limit == 77)",
        ("x = rd()", "x = rd() - 1"),
    ),
    // Called only where it is never reached, and functions of the library.
    (
        "int hal(void), rd(void); int x; void unused(void) { hal(); }\nint main(void) { while (1) { x = rd(); sleep(100); } }",
        "--ltl",
        "G x != 3",
        ("x = rd()", "x = rd() + 1"),
    ),
    (
        "struct d; struct d *find(void); int x;\nint main(void) { while (1) { if (find()) x = 1; else x = 2; } }",
        "--ltl",
        "G x != 1",
        ("if (find())", "if (!find())"),
    ),
    // Ends and errors.
    (
        "int rd(void); int x, y;\nint main(void) { while (1) { x = rd(); y = x + 1; y = y + 1; } }",
        "--invariant",
        "y != 9",
        ("y = y + 1", "y = y + 2"),
    ),
    (
        "int rd(void); int x;\nint main(void) { x = rd(); x = x + 1; return 0; }",
        "--invariant",
        "x != 9",
        ("x + 1", "x + 2"),
    ),
    (
        "void reach_error(void); int rd(void); int x;\nint main(void) { x = rd(); if (x == 5) reach_error(); return 0; }",
        "--property",
        "no-error",
        ("x = rd()", "x = 5 + 0 * rd(), x = 6"),
    ),
    (
        "void abort(void); void reach_error(void) { abort(); } int rd(void); int x;\nint main(void) { while (1) { x = rd(); if (x == 5) reach_error(); } }",
        "--property",
        "no-error",
        ("x = rd()", "x = (rd(), rd(), rd())"),
    ),
    (
        "#include <assert.h>\nint rd(void); int x;\nint main(void) { x = rd(); assert(x != 5); while (1) {} }",
        "--property",
        "assertions",
        ("x != 5", "x == 5"),
    ),
    // Nothing comes in.
    (
        "int x, y = 1;\nint main(void) { while (1) x = !x; }",
        "--ltl",
        "F G x",
        ("y = 1", "y = 2"),
    ),
    (
        "int x, i;\nint main(void) { for (i = 0; i < 5; i++) x += i; return 0; }",
        "--ltl",
        "G x < 10",
        ("x += i", "x -= i"),
    ),
];

#[test]
fn harnesses_notice_another_program() {
    if !has_compiler() {
        return;
    }
    let folder = folder("shapes");
    let program = folder.join("program.c");
    let path = program.display().to_string();
    for (source, kind, question, (from, to)) in SHAPES {
        std::fs::write(&program, source).expect("it can be written");
        let (_, harness) = checked(&folder, &[&path, kind, question]);
        let (well, said) = repeated(&harness, source);
        assert!(well, "{source}\n{said}");
        assert!(said.starts_with("as in the counterexample"), "{said}");
        // The harness includes the program, which is another one now.
        let other = source.replace(from, to);
        assert_ne!(source, other, "there is `{from}`");
        std::fs::write(&program, &other).expect("it can be written");
        let (well, said) = repeated(&harness, &other);
        assert!(!well, "{other}\n{said}");
        assert!(said.contains("not as in the counterexample"), "{said}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder was made");
}

#[test]
fn a_harness_with_another_input_says_so() {
    if !has_compiler() {
        return;
    }
    let folder = folder("wrong-harness");
    let args = ["c/coolant_faulty.c", "--property", "sounds"];
    let (_, source) = checked(&folder, &args);
    let harness = std::fs::read_to_string(&source).expect("the harness");
    assert!(harness.contains(", 81LL }, /*"), "{harness}");
    let other = harness.replace(", 81LL }, /*", ", 80LL }, /*");
    std::fs::write(&source, other).expect("it can be written");
    let (well, said) = repeated(&source, "another input");
    assert!(
        !well && said.contains("temperature is 80, not 81"),
        "{said}"
    );
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
    let path = format!("{}/none.c", env!("CARGO_TARGET_TMPDIR"));
    let output = lariat(&["cfa/lock.cfa", "--harness", &path]);
    assert!(!Path::new(&path).exists(), "no file is left");
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
