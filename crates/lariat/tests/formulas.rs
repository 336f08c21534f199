//! `lariat ltl` and `lariat automaton` from outside: what they print and how they end. The examples of
//! `docs/ltl.md` are run and compared too, so that the page shows what really happens.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Runs the program; returns standard output, standard error and the exit code.
fn run(arguments: &[&str], input: &str) -> (String, String, i32) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that does not read its input may have ended already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let code = output.status.code().expect("an exit code");
    (text(output.stdout), text(output.stderr), code)
}

fn check(arguments: &[&str], expected: &str, code: i32) {
    let (out, err, actual) = run(arguments, "");
    assert_eq!(
        (out.as_str(), actual),
        (expected, code),
        "{arguments:?}: {err}"
    );
}

#[test]
fn questions_are_answered_with_words_and_exit_codes() {
    check(&["ltl", "GFa", "--equivalent", "G(a | XFa)"], "yes\n", 0);
    check(&["ltl", "a U b", "--implies", "F b"], "yes\n", 0);
    check(
        &["ltl", "a", "--equivalent", "a & b"],
        "no\na & !b; cycle{!a & !b}\nsatisfies the first formula and not the second\n",
        1,
    );
    check(
        &["ltl", "a & b", "--equivalent", "a"],
        "no\na & !b; cycle{!a & !b}\nsatisfies the second formula and not the first\n",
        1,
    );
    check(&["ltl", "p U q", "--word", "p; p; cycle{q}"], "yes\n", 0);
    check(&["ltl", "p U q", "--word", "cycle{p}"], "no\n", 1);
}

#[test]
fn formulas_are_printed_for_other_tools() {
    check(
        &["ltl", "a | b & c U d", "--to", "never"],
        "a || (b && c U d)\n",
        0,
    );
    check(&["ltl", "a M b", "--to", "spin"], "b U (a && b)\n", 0);
    check(
        &["ltl", "a S b", "--syntax", "cpachecker", "--to", "spot"],
        "a M b\n",
        0,
    );
    let (out, err, code) = run(&["ltl", "O a", "--to", "spin"], "");
    assert_eq!((out.as_str(), code), ("", 2));
    assert!(err.contains("spin has no past operators"), "{err}");
}

#[test]
fn wrong_input_ends_with_two() {
    for arguments in [
        &["ltl", "a U"][..],
        &["ltl", "a", "--word", "a"],
        &["ltl", "a", "--syntax", "tla"],
        &["automaton", "a S b"],
        &["automaton", "-F", "/no/such/file"],
        &["automaton"],
        &[
            "automaton",
            "a",
            "--format",
            "never",
            "--acceptance",
            "tgba",
        ],
        &["automaton", "a", "--low", "--deterministic"],
    ] {
        let (out, err, code) = run(arguments, "");
        assert_eq!((out.as_str(), code), ("", 2), "{arguments:?}");
        assert!(err.starts_with("error"), "{arguments:?}: {err}");
    }
}

#[test]
fn one_bad_formula_does_not_hide_the_others() {
    let input = "# comment\nG a\n\n  a U (\nF b\n";
    let (out, err, code) = run(&["automaton", "-F", "-", "--format", "text"], input);
    assert_eq!(code, 2);
    assert_eq!(out.matches("automaton of").count(), 2, "{out}");
    assert!(err.contains("-:4:"), "{err}");
}

#[test]
fn a_limit_is_a_clear_message() {
    let names: Vec<String> = (0..70).map(|i| format!("p{i}")).collect();
    let (_, err, code) = run(&["automaton", &names.join(" & ")], "");
    assert_eq!(code, 3);
    assert!(
        err.contains("the formula has 70 atoms; at most 64"),
        "{err}"
    );
}
