//! `--recursion N`: what is beyond the limit is evidence of nothing.

use std::path::Path;
use std::process::{Command, Output};

fn lariat(args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_lariat");
    let output = Command::new(binary).args(args).output();
    output.expect("the binary runs")
}

/// A file with a program, for one test.
fn file(name: &str, text: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recursion");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the file can be written");
    path.display().to_string()
}

/// The verdict on a program, and all that was printed.
fn verdict(program: &str, depth: u32, args: &[&str]) -> (&'static str, String) {
    let depth = depth.to_string();
    let common = ["check", program, "--recursion", &depth, "--timeout", "60s"];
    let output = lariat(&[&common, args].concat());
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let verdict = match output.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => "unknown",
        _ => "failure",
    };
    (verdict, text)
}

const ENGINES: [&[&str]; 5] = [
    &[],
    &["--engine", "explicit"],
    &["--engine", "cegar"],
    &["--engine", "cegar", "--blocks", "small", "--slice", "off"],
    &[
        "--engine", "explicit", "--blocks", "small", "--slice", "off",
    ],
];

fn expect(program: &str, depth: u32, args: &[&str], expected: &str) {
    for engine in ENGINES {
        let (found, text) = verdict(program, depth, &[args, engine].concat());
        assert_eq!(
            found, expected,
            "{program}, {depth} deep, {args:?} {engine:?}\n{text}"
        );
    }
}

#[test]
fn a_property_holds_only_if_the_depth_is_enough() {
    let factorial = file(
        "factorial.c",
        "int r; int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }
        int main(void) { r = f(5); if (r != 120) reach_error(); return 0; }",
    );
    expect(&factorial, 4, &[], "holds");
    expect(&factorial, 6, &["--ltl", "F end"], "holds");
    expect(&factorial, 3, &[], "unknown");
    expect(&factorial, 3, &["--ltl", "F end"], "unknown");
    // The error is beyond the limit: nothing is known of it.
    expect(&factorial, 3, &["--ltl", "G r != 120"], "unknown");
    assert_eq!(
        verdict(&factorial, 4, &["--ltl", "G r != 120"]).0,
        "violated"
    );
    let even = file(
        "even.c",
        "int r; int odd(int n); int even(int n) { if (n == 0) return 1; return odd(n - 1); }
        int odd(int n) { if (n == 0) return 0; return even(n - 1); }
        int main(void) { r = even(7); if (r) reach_error(); return 0; }",
    );
    expect(&even, 3, &[], "holds");
    expect(&even, 2, &[], "unknown");
    let ackermann = file(
        "ackermann.c",
        "int r; int a(int m, int n) { if (m == 0) return n + 1; if (n == 0) return a(m - 1, 1);
            return a(m - 1, a(m, n - 1)); }
        int main(void) { r = a(1, 2); if (r != 4) reach_error(); return 0; }",
    );
    expect(&ackermann, 3, &[], "holds");
    expect(&ackermann, 2, &[], "unknown");
}

#[test]
fn the_reason_says_what_is_missing() {
    let program = file(
        "reason.c",
        "int f(int n) { return n <= 1 ? 1 : n * f(n - 1); } int main(void) { f(5); return 0; }",
    );
    let (_, text) = verdict(&program, 3, &["--ltl", "F end"]);
    let expected = "unknown: holds on all runs within the bound of recursion; \
                    deeper recursion is possible: raise `--recursion`\n";
    assert!(text.ends_with(expected), "{text}");
    let output = lariat(&["check", &program, "--ltl", "F end"]);
    let refused = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        refused.contains("`--recursion N` inlines it N deep"),
        "{refused}"
    );
    let cfa = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/counter.cfa");
    let output = lariat(&["show", cfa, "--recursion", "2"]);
    let refused = String::from_utf8_lossy(&output.stderr);
    assert!(refused.contains("`--recursion` has no effect"), "{refused}");
}

#[test]
fn a_violation_within_the_limit_is_found() {
    let program = file(
        "within.c",
        "extern int __VERIFIER_nondet_int(void); int r;
        int f(int n) { if (n <= 1) return 1; return n * f(n - 1); }
        int main(void) { r = f(__VERIFIER_nondet_int()); if (r == 24) reach_error(); return 0; }",
    );
    for engine in [&[][..], &["--engine", "cegar"]] {
        let (found, text) = verdict(&program, 3, engine);
        assert_eq!(found, "violated", "{text}");
        assert!(text.contains("f::n#4 = 1"), "{text}");
        assert_eq!(verdict(&program, 2, engine).0, "unknown");
    }
}

#[test]
fn recursion_for_ever_is_neither_an_end_nor_a_violation() {
    let program = file(
        "forever.c",
        "int x; void f(void) { x = 1 - x; f(); } int main(void) { f(); return 0; }",
    );
    for depth in [1, 2, 5] {
        for formula in [
            "F end",
            "G !end",
            "G F x == 1",
            "F G x == 1",
            "F x == 7",
            "G x == 0",
        ] {
            expect(&program, depth, &["--ltl", formula], "unknown");
        }
        expect(&program, depth, &["--invariant", "x <= 1"], "unknown");
        // Bad states on the way are states of the program.
        expect(&program, depth, &["--invariant", "x == 0"], "violated");
    }
}

#[test]
fn arguments_of_a_call_beyond_the_limit_are_not_read() {
    let program = file(
        "arguments.c",
        "int x; void f(int n) { f(x = n + 1); } int main(void) { f(1); return 0; }",
    );
    // The call that is cut off would set it to 4.
    expect(&program, 2, &["--invariant", "x < 4"], "unknown");
    expect(&program, 2, &["--invariant", "x < 3"], "violated");
}

#[test]
fn another_part_of_a_composition_proves_nothing_while_one_is_cut_off() {
    let cut = file(
        "cut.c",
        "int x; void f(void) { x = 1; f(); } int main(void) { f(); return 0; }",
    );
    let other = file(
        "other.c",
        "int z; int main(void) { while (1) { z = 1 - z; } }",
    );
    for how in ["alternate", "interleave"] {
        for engine in ["explicit", "cegar"] {
            let args = [&*other, "--compose", how, "--engine", engine];
            let ask = |formula: &str| verdict(&cut, 1, &[&args[..], &["--ltl", formula]].concat());
            let (found, text) = ask("G x == 0");
            assert_eq!(found, "unknown", "{how} {engine}\n{text}");
        }
    }
}

#[test]
fn a_simulation_says_that_it_is_cut_off() {
    let program = file(
        "simulated.c",
        "int x; void f(void) { x = 1 - x; f(); } int main(void) { f(); return 0; }",
    );
    let output = lariat(&["simulate", &program, "--recursion", "1"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("recursion of f deeper than 1"), "{text}");
    assert!(
        text.contains("recursion goes deeper than `--recursion` inlines it"),
        "{text}"
    );
    assert!(!text.contains("deadlock"), "{text}");
}
