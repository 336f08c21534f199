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

/// Two workers of which one may be forgotten; `b` may ask again and again and never get its turn.
const WORKERS: &str = "var turn : 0..1 = 0\nvar asks : bool = false\nvar done : bool = false\n\
    action first: true -> turn := 0, done := false\n\
    action ask: not asks -> asks := true, done := false\n\
    action back: asks -> asks := false, done := false\n\
    action second: asks -> turn := 1, asks := false, done := true\n";

#[test]
fn only_fair_runs_refute() {
    let files = Files::new("fair");
    files.write("m.gcl", WORKERS);
    let ask = |more: &[&str], code: i32| {
        let arguments = [&["m.gcl", "--ltl", "G F done"], more].concat();
        files.check(&arguments, code)
    };
    let said = ask(&[], VIOLATED);
    assert!(!said.contains("on runs with"), "{said}");
    let said = ask(&["--fair", "asks"], VIOLATED);
    assert!(
        said.contains("on runs with infinitely often asks\n"),
        "{said}"
    );
    ask(&["--strong-fair", "asks -> done"], VIOLATED);
    let both = [
        "--fair",
        "asks",
        "--strong-fair",
        "asks -> turn = 1 and done",
    ];
    let said = ask(&both, HOLDS);
    let words = "on runs with infinitely often asks, and infinitely often done and turn = 1 if infinitely often asks";
    assert!(said.contains(words), "{said}");
    for engine in ["explicit", "cegar"] {
        ask(&[&both[..], &["--engine", engine]].concat(), HOLDS);
        ask(&["--fair", "asks", "--engine", engine], VIOLATED);
    }
    // Bad states may be reached by any run.
    let invariant = ["m.gcl", "--invariant", "not done", "--fair", "not done"];
    assert!(!files.check(&invariant, VIOLATED).contains("on runs with"));
}

#[test]
fn gcl_declares_fairness() {
    let files = Files::new("declared");
    let declared =
        "fair asks\ncompassion asks -> done;\njustice true\nproperty served: G F done;\n";
    files.write("m.gcl", &format!("{WORKERS}{declared}"));
    let said = files.check(&["m.gcl"], HOLDS);
    assert!(
        said.contains("infinitely often done if infinitely often asks"),
        "{said}"
    );
    let report = files.check(&["m.gcl", "--format", "json"], HOLDS);
    assert!(report.contains("\"fairness\""), "{report}");
}

#[test]
fn fairness_of_compositions_and_other_languages() {
    let files = Files::new("parts");
    files.write("a.gcl", "var x : 0..1 = 0\naction up: true -> x := 1 - x\n");
    files.write("b.gcl", "var y : 0..1 = 0\naction up: true -> y := 1 - y\n");
    let parts = [
        "a.gcl",
        "b.gcl",
        "--compose",
        "interleave",
        "--ltl",
        "G F (x = 1 and y = 1)",
    ];
    files.check(&parts, VIOLATED);
    files.check(
        &[&parts[..], &["--fair", "x = 1 and y = 0"]].concat(),
        VIOLATED,
    );
    let fair = [
        "--strong-fair",
        "x = 1 -> x = 1 and y = 1",
        "--fair",
        "x = 1",
    ];
    files.check(&[&parts[..], &fair].concat(), HOLDS);
    files.write("m.smv", "MODULE main VAR b : boolean; x : 0..3; ASSIGN init(x) := 0; next(x) := b & x < 3 ? x + 1 : x;\n");
    let smv = ["m.smv", "--ltl", "F x = 3"];
    files.check(&smv, VIOLATED);
    files.check(&[&smv[..], &["--fair", "b"]].concat(), HOLDS);
    files.write(
        "m.c",
        "int x; int main(void) { while (1) { if (__VERIFIER_nondet_int()) x = 1; else x = 0; } }",
    );
    let c = ["m.c", "--ltl", "[] <> \"x == 1\""];
    files.check(&c, VIOLATED);
    files.check(&[&c[..], &["--fair", "x == 1"]].concat(), HOLDS);
}

#[test]
fn wrong_fairness_is_refused_with_its_place() {
    let files = Files::new("unfair");
    files.write("m.gcl", WORKERS);
    let said = files.check(
        &["m.gcl", "--ltl", "G F done", "--strong-fair", "asks"],
        REFUSED,
    );
    assert!(said.contains("strong-fairness"), "{said}");
    let said = files.check(&["m.gcl", "--ltl", "G F done", "--fair", "aks"], REFUSED);
    assert!(said.contains("did you mean `asks`?"), "{said}");
}

#[test]
fn time_must_pass_in_continuous_time() {
    let files = Files::new("time");
    files.write(
        "m.smv",
        "@TIME_DOMAIN continuous\nMODULE main VAR c : clock; b : boolean;\n\
         INIT c = 0 & !b INVAR c <= 3 TRANS next(c) = 0 & next(b) = !b\n\
         LTLSPEC NAME flips := G F b\nINVARSPEC NAME soon := c <= 3\nINVARSPEC NAME early := c < 3\n",
    );
    files.check(&["m.smv", "--property", "flips"], HOLDS);
    files.check(&["m.smv", "--property", "soon"], HOLDS);
    files.check(&["m.smv", "--property", "early"], VIOLATED);
    // Time cannot stand still at the bound, so the step is made.
    files.check(&["m.smv", "--ltl", "G F !b"], HOLDS);
    files.check(&["m.smv", "--ltl", "F G b"], VIOLATED);
    files.check(&["m.smv", "--ltl", "G X b"], REFUSED);
    files.check(&["m.smv", "--ltl", "F c = 1"], REFUSED);
    files.check(&["m.smv", "--ltl", "F b", "--fair", "c = 1"], REFUSED);
}

#[test]
fn formulas_about_smv_models_are_written_in_smv() {
    let files = Files::new("smv");
    files.write(
        "m.smv",
        "MODULE main VAR w : unsigned word[4]; e : {go, stop, 3}; sub : cell(e); IVAR i : boolean;\n\
         ASSIGN init(w) := 0ud4_0; next(w) := w + 0ud4_1; init(e) := go; next(e) := i ? stop : go;\n\
         MODULE cell(p) DEFINE stopped := p = stop;\n",
    );
    let ask = |formula: &str, code: i32| files.check(&["m.smv", "--ltl", formula], code);
    ask("G F w = 0ud4_15", HOLDS);
    ask("G (w[3:3] = 0b1_1 -> O w = 0h4_8)", HOLDS);
    // An input belongs to the step that leaves its state.
    ask("G (i -> X e = stop)", HOLDS);
    ask("G (i <-> next(e) = stop)", HOLDS);
    ask("G !sub.stopped", VIOLATED);
    // Until binds to the left.
    ask("FALSE U TRUE U e = stop", VIOLATED);
    ask("(FALSE U (TRUE U e = go)) & (TRUE U e = go)", HOLDS);
    // Our own spelling.
    ask("G (e == go || e != go)", HOLDS);
    let said = ask("G F v = 0ud4_15", REFUSED);
    assert!(said.contains("<ltl>"), "{said}");
}
