//! What is asked, from the command line and from property files, and that all of it is answered.
//! Each case once had another answer.

use std::path::PathBuf;
use std::process::Command;

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const REFUSED: i32 = 2;

/// A folder of its own for the files of a test.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = format!("lariat-questions-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the file is written");
    }

    /// Checks; the exit code must be this one. Gives what was printed, errors last.
    fn check(&self, arguments: &[&str], code: i32) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .arg("check")
            .args(arguments)
            .args(["--timeout", "60s"])
            .current_dir(&self.0)
            .output()
            .expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        said
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_line_of_a_property_file_is_a_question() {
    let files = Files::new("lines");
    files.write(
        "m.c",
        "int a, b; int main(void) { a = 1; while (1) b = 1; }",
    );
    let check = |formula: &str| format!("CHECK( init(main()), LTL({formula}) )\n");
    let (first, second) = (check("G \"a == 1\""), check("G \"b == 0\""));
    files.write("p.prp", &(first.clone() + &second));
    let said = files.check(&["m.c", "--prop", "p.prp"], VIOLATED);
    assert!(said.starts_with("G \"a == 1\"\nholds\n"), "{said}");
    assert!(said.contains("G \"b == 0\"\nviolated\n"), "{said}");
    files.write("p.prp", &(first.clone() + &first));
    files.check(&["m.c", "--prop", "p.prp"], HOLDS);
}

#[test]
fn what_a_property_file_says_beyond_its_formula_is_an_error() {
    let files = Files::new("rest");
    files.write(
        "m.c",
        "int a; void f(void); int main(void) { while (1) { a = 1; f(); } }",
    );
    for (text, finding) in [
        (
            "CHECK( init(main()), LTL(G \"a == 1\") & LTL(G \"a == 2\") )",
            "p.prp:1:38",
        ),
        (
            "CHECK( init(main()), LTL(G \"a == 1\") )\nrest",
            "p.prp:2:1",
        ),
        ("CHECK( init(f()), LTL(G \"a == 1\") )", "p.prp:1:13"),
        (
            "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(F end) )",
            "mixed-overflow",
        ),
        // A function without a body has no place where it is called.
        (
            "CHECK( init(main()), LTL(G ! call(f())) )",
            "unknown-function",
        ),
    ] {
        files.write("p.prp", text);
        let said = files.check(&["m.c", "--prop", "p.prp"], REFUSED);
        assert!(said.contains(finding), "{text}: {said}");
    }
}

#[test]
fn overflow_is_found_with_either_integers() {
    let files = Files::new("overflow");
    files.write("p.prp", "CHECK( init(main()), LTL(G ! overflow) )");
    for (body, code) in [
        ("int x = 2147483647; x = x + 1; return 0;", VIOLATED),
        ("int x = 2147483647; return x + 1;", VIOLATED),
        (
            "int x = 2147483647; switch (x + 1) { default: ; } return 0;",
            VIOLATED,
        ),
        (
            "int x = 2147483647; if (g != 0 && x + 1 > 0) g = 1; return 0;",
            HOLDS,
        ),
        // Any input, and the usual guard.
        (
            "int x = __VERIFIER_nondet_int(); if (x < 2147483647 && x + 1 > 0) g = x; return 0;",
            HOLDS,
        ),
        (
            "int x = __VERIFIER_nondet_int(); g = x * 2; return 0;",
            VIOLATED,
        ),
        // What follows an operation without effects does not see its condition.
        (
            "int x = 0; while (x < 3) { x + 2147483645; x++; } return 0;",
            HOLDS,
        ),
    ] {
        files.write("m.c", &format!("int g; int main(void) {{ {body} }}"));
        for ints in ["math", "bitprecise"] {
            files.check(&["m.c", "--prop", "p.prp", "--int", ints], code);
        }
    }
}

#[test]
fn dead_code_counts_for_what_is_asked() {
    let files = Files::new("dead");
    files.write(
        "m.c",
        "int g; extern void __VERIFIER_ltl_step(void);
         int main(void) { while (1) { g = 1; g = 0; if (0) __VERIFIER_ltl_step(); } }",
    );
    files.check(&["m.c", "--ltl", "G g == 0"], HOLDS);
    files.write(
        "e.c",
        "extern void reach_error(void); int main(void) { if (sizeof(int) != 4) reach_error(); }",
    );
    files.check(&["e.c"], HOLDS);
    files.write("a.c", "int main(void) { assert(sizeof(int) == 4); }");
    files.check(&["a.c"], HOLDS);
}

#[test]
fn invariants_speak_of_places_and_may_begin_with_a_sign() {
    let files = Files::new("invariants");
    files.write(
        "m.cfa",
        "main process p { var x : int init loc L0 loc L1 L0 -> L1 { x := 1 } L1 -> L0 { x := 0 } }",
    );
    files.check(&["m.cfa", "--invariant", "loc(L0)"], VIOLATED);
    files.write("m.c", "unsigned u = 1; int main(void) { while (1) u = 1; }");
    files.check(&["m.c", "--invariant", "-u > 0"], HOLDS);
    files.check(&["m.c", "--ltl", "-u > 0"], HOLDS);
    files.check(&["m.c", "--invariant", "end"], VIOLATED);
}

#[test]
fn formulas_use_the_spellings_of_models_without_quotes() {
    let files = Files::new("spellings");
    files.write(
        "m.xsts",
        "var a : boolean = true var b : boolean = false var c : boolean = false
         var mod : integer = 2 trans { } init { } env { }",
    );
    for formula in [
        "G (if c then a else (b imply a))",
        "G [<bool>default <- true][b]",
        "G mod > 1",
        "G (7 mod mod = 1)",
    ] {
        files.check(&["m.xsts", "--ltl", formula], HOLDS);
    }
    files.write(
        "m.cfa",
        "main process p { var v : bv[2] init loc L0 loc L1 L0 -> L1 { v := 2'b01 } L1 -> L1 { } }",
    );
    files.check(&["m.cfa", "--ltl", "F G (bvnot v = 2'b10)"], HOLDS);
}
