//! C programs as their users write them: what is an input, what is asked, what must not be passed over in silence. Each case
//! once had another answer.

use std::path::PathBuf;
use std::process::Command;

const HOLDS: i32 = 0;
const VIOLATED: i32 = 1;
const REFUSED: i32 = 2;

/// A folder of its own for the files of a test.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = format!("lariat-programs-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// A folder with one program, `m.c`.
    fn program(name: &str, text: &str) -> Self {
        let files = Self::new(name);
        files.write("m.c", text);
        files
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

    fn ltl(&self, formula: &str, code: i32) -> String {
        self.check(&["m.c", "--ltl", formula], code)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn reads_of_volatile_objects_are_inputs() {
    let files = Files::program(
        "volatile",
        "#include <stdbool.h>\nvolatile bool tick; int seconds;\n\
         int main(void) { while (1) { while (!tick) { } tick = false; seconds = (seconds + 1) % 60; } }\n\
         void TIMER0_IRQHandler(void) { tick = true; }\n",
    );
    let said = files.ltl("G seconds == 0", VIOLATED);
    assert!(
        said.contains("each read of the volatile variable `tick` is an input"),
        "{said}"
    );
    assert!(
        said.contains("nothing calls the function `TIMER0_IRQHandler`"),
        "{said}"
    );
    assert!(
        said.contains("tick = 1 (m.c:3)"),
        "among the inputs: {said}"
    );
    let ignored = ["m.c", "--ltl", "G seconds == 0", "--volatile", "ignore"];
    let said = files.check(&ignored, HOLDS);
    assert!(!said.contains("is an input"), "{said}");
    // What formulas see is what the program last read or wrote.
    files.ltl("G F tick", VIOLATED);
    files.ltl("G (tick -> F !tick)", HOLDS);
    files.ltl("G (seconds < 60)", HOLDS);
    // A compiler that tells of the reads lets the harness feed them.
    let asked = ["m.c", "--ltl", "G seconds == 0", "--harness", "h.c"];
    files.check(&asked, VIOLATED);
    let cc = |args: &[&str]| {
        let mut cc = Command::new("cc");
        cc.current_dir(&files.0).args(args).status()
    };
    let see = [
        "-fsanitize=thread",
        "--param",
        "tsan-distinguish-volatile=1",
    ];
    let compiled = cc(&[&see[..], &["-w", "-c", "h.c"]].concat());
    if compiled.is_ok_and(|status| status.success()) {
        assert!(cc(&["-o", "h", "h.o"]).expect("it links").success());
        let run = Command::new(files.0.join("h")).output();
        let run = run.expect("the harness runs");
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success(), "{said}");
    }
}

#[test]
fn a_comment_that_looks_like_a_property_is_one_or_an_error() {
    let program = |line: &str| {
        let text =
            "int t; int main(void) { while (1) t = 1; }\n//@ ltl invariant good: [](AP(t >= 0));\n";
        Files::program("comment", &format!("{text}{line}\n"))
    };
    let refused = [
        ("//@ ltl invarient safe: [](AP(t == 0));", "is none"),
        ("//@ ltl invariant [](AP(t == 0));", "has no name"),
        ("//@ ltl invariant [](AP(t ? 1 : 0));", "has no name"),
        ("//@ LTL invariant d: [](AP(t == 0));", "is none"),
        ("/*@ LTL invariant d: [](AP(t == 0)); */", "is none"),
        ("//@ assert t == 0", "is none"),
        (
            "//@ ltl invariant a: []AP(t); //@ ltl invariant b: []AP(!t);",
            "behind the `;`",
        ),
    ];
    for (line, why) in refused {
        let said = program(line).check(&["m.c"], REFUSED);
        assert!(said.contains("error[not-a-property]"), "{line}: {said}");
        assert!(said.contains(why), "{line}: {said}");
        assert!(said.contains("m.c:3:"), "{line}: {said}");
        assert!(said.contains("//@ ltl NAME: FORMULA"), "{line}: {said}");
    }
    let ignored = ["// ltl is a logic", "/*@null@*/", "/* @author me */"];
    for line in ignored {
        program(line).check(&["m.c"], HOLDS);
    }
    // On the line of a directive, too.
    program("#define N 1 //@ ltl invariant wrong: []AP(t == 0);").check(&["m.c"], VIOLATED);
}

#[test]
fn a_header_that_is_not_there_is_an_error() {
    let text = "int t;\n  #include \"boiler.h\"\nint main(void) { while (1) t = 1; }\n";
    let files = Files::program("include", text);
    let said = files.check(&["m.c", "--invariant", "t < 2"], REFUSED);
    assert!(
        said.contains("error[missing-include]: `boiler.h` is not found"),
        "{said}"
    );
    assert!(said.contains("m.c:2:3"), "{said}");
    files.write("m.c", &text.replace("\"boiler.h\"", "<boiler.h>"));
    files.check(&["m.c", "--invariant", "t < 2"], HOLDS);
}

#[test]
fn assertions_beside_a_property_are_checked() {
    let files = Files::program(
        "both",
        "#include <assert.h>\nextern unsigned char rd(void);\nint temp, heater;\n\
         int main(void) { while (1) { temp = rd(); heater = temp < 20; assert(!(heater && temp > 10)); } }\n\
         //@ ltl invariant nonneg: [](AP(temp >= 0));\n",
    );
    let said = files.check(&["m.c"], VIOLATED);
    assert!(said.contains("nonneg: G \"temp >= 0\"\nholds"), "{said}");
    assert!(said.contains("assertions: "), "{said}");
    files.check(&["m.c", "--property", "nonneg"], HOLDS);
    files.check(&["m.c", "--property", "assertions"], VIOLATED);
}

const STEP: &str =
    "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_ltl_step(void);\n";

#[test]
fn a_run_that_hangs_before_its_first_step_repeats_the_initial_values() {
    let text = "int busy, done;\n\
        int main(void) { while (1) { busy = 1; done = 0;\n\
        while (busy) { if (__VERIFIER_nondet_int() == 42) busy = 0; } done = 1; __VERIFIER_ltl_step(); } }\n";
    let files = Files::program("hang", &format!("{STEP}{text}"));
    files.ltl("G F done", VIOLATED);
    files.ltl("F done", VIOLATED);
    files.ltl("F end", VIOLATED);
    // Wherever it is read, `busy` is 0; and once `done` was read, it is never read otherwise.
    files.ltl("G !busy", HOLDS);
    files.ltl("G (done -> X done)", HOLDS);
    files.ltl("G F done || G !done", HOLDS);
    // A state is bad where it is read, and what seems to hang may go on.
    files.check(&["m.c", "--invariant", "done == 1"], HOLDS);
    files.check(&["m.c", "--invariant", "done == 0"], VIOLATED);
}

#[test]
fn a_run_that_hangs_between_two_steps_repeats_the_last_letter() {
    // The words are 1 1 1 … and 1 2 3 3 3 …
    let text = "int a;\nint main(void) { a = 1; __VERIFIER_ltl_step(); a = 2;\n\
        if (__VERIFIER_nondet_int()) while (1) a = 7;\n\
        __VERIFIER_ltl_step(); a = 3; while (1) __VERIFIER_ltl_step(); }\n";
    let files = Files::program("between", &format!("{STEP}{text}"));
    let verdicts = [
        ("F a == 3", VIOLATED),
        ("X a == 2", VIOLATED),
        ("X a == 1", VIOLATED),
        ("X (a == 1 || a == 2)", HOLDS),
        ("G (a == 2 -> X a == 3)", HOLDS),
        ("(a == 1 && X a == 1) -> G a == 1", HOLDS),
        ("F G (a == 1 || a == 3)", HOLDS),
        ("G a >= 1", HOLDS),
        ("G a < 7", HOLDS),
    ];
    for (formula, code) in verdicts {
        files.ltl(formula, code);
    }
}

#[test]
fn a_program_that_goes_on_repeats_no_letter() {
    // The word is 1 0 1 0 …
    let text = "int n;\nint main(void) { while (1) { for (int i = 0; i < 3; i++) ; n = 1 - n; __VERIFIER_ltl_step(); } }\n";
    let files = Files::program("goes-on", &format!("{STEP}{text}"));
    files.ltl(
        "n == 1 && G (n == 1 -> X n == 0) && G (n == 0 -> X n == 1)",
        HOLDS,
    );
    files.ltl("G F n == 1", HOLDS);
    files.ltl("F G n == 1", VIOLATED);
    // When the program ends, the last state is repeated.
    let text = "int n;\nint main(void) { n = 1; __VERIFIER_ltl_step(); n = 2; return 0; }\n";
    files.write("m.c", &format!("{STEP}{text}"));
    files.ltl("n == 1 && X G n == 2 && X G end", HOLDS);
}

#[test]
fn where_a_run_hangs_is_remembered_too() {
    let text = "int n;\nint main(void) { __VERIFIER_ltl_step(); here: while (1) n = 1 - n; }\n";
    let files = Files::program("label", &format!("{STEP}{text}"));
    files.ltl("G at(here)", HOLDS);
    files.ltl("F !at(here)", VIOLATED);
    files.ltl("G n == 0", HOLDS);
}

#[test]
fn a_run_ends_where_it_has_no_meaning() {
    let files = Files::program(
        "division",
        "extern unsigned char rd(void); int x = 5, n;\nint main(void) { while (1) { n = rd(); x = 100 / n; } }\n",
    );
    let said = files.ltl("G x < 101", HOLDS);
    assert!(said.contains("warning[division]"), "{said}");
    assert!(said.contains("m.c:2:40"), "{said}");
    // With 0 the run ends in the state before.
    files.ltl("G F x != 5", VIOLATED);
    files.ltl("G ((x != 5 && n == 0) -> G n == 0)", HOLDS);
    let said = files.check(&["m.c", "--property", "division"], VIOLATED);
    assert!(said.contains("division: no division is by zero"), "{said}");
    assert!(said.contains("rd() = 0 (m.c:2)"), "{said}");
    files.check(&["m.c", "--property", "memsafety"], HOLDS);
    files.write(
        "m.c",
        "extern unsigned char rd(void); int x, n;\nint main(void) { while (1) { n = rd(); if (n) x = 100 / n; } }\n",
    );
    files.check(&["m.c", "--property", "division"], HOLDS);
}

#[test]
fn accesses_outside_of_an_array_are_found() {
    let program = |condition: &str| {
        format!(
            "extern unsigned char rd(void); int a[4], i;\n\
             int main(void) {{ while (1) {{ i = rd(); if ({condition}) a[i] = 1; }} }}\n"
        )
    };
    let files = Files::program("bounds", &program("i <= 4"));
    let said = files.check(&["m.c", "--property", "memsafety"], VIOLATED);
    assert!(said.contains("rd() = 4 (m.c:2)"), "{said}");
    let check = "CHECK( init(main()), LTL(G valid-deref) )";
    files.write("p.prp", check);
    files.check(&["m.c", "--prop", "p.prp"], VIOLATED);
    files.write("m.c", &program("i < 4"));
    files.check(&["m.c", "--property", "memsafety"], HOLDS);
    files.check(&["m.c", "--prop", "p.prp"], HOLDS);
    let said = files.check(&["m.c", "--property", "memsafty"], REFUSED);
    assert!(said.contains("unknown-property"), "{said}");
}

#[test]
fn places_in_a_program_with_headers_are_those_of_its_files() {
    let text = "#include \"cfg.h\"\nextern int rd(void);\nsw_t heater;\nint temp;\nint main(void)\n{\n    while (1) {\n        \
                temp = rd();\n        if (temp > LIMIT) heater = OFF;\n        else heater = ON;\n    }\n}\n";
    let files = Files::program("headers", text);
    let header =
        "#ifndef CFG_H\n#define CFG_H\n#define LIMIT 80\ntypedef enum { OFF, ON } sw_t;\n#endif\n";
    files.write("cfg.h", header);
    let said = files.ltl("G (temp > LIMIT -> F heater == OFF)", HOLDS);
    assert!(!said.contains("preprocessed"), "{said}");
    let said = files.ltl("G temp <= LIMIT", VIOLATED);
    assert!(
        said.contains("rd() = 81 (m.c:8)") || said.contains(" (m.c:8)"),
        "{said}"
    );
    files.write("cfg.h", &header.replace("ON }", "ON +* }"));
    let said = files.ltl("G temp <= LIMIT", REFUSED);
    assert!(said.contains("cfg.h:4:"), "{said}");
    // Headers in other folders, and macros from outside.
    std::fs::create_dir_all(files.0.join("inc")).expect("a folder");
    files.write("inc/cfg.h", &header.replace("#define LIMIT 80\n", ""));
    std::fs::remove_file(files.0.join("cfg.h")).expect("it is there");
    let said = files.ltl("G temp <= LIMIT", REFUSED);
    assert!(said.contains("`-I DIR`"), "{said}");
    let invariant = "!(temp == LIMIT && LIMIT == 30)";
    let asked = [
        "m.c",
        "-I",
        "inc",
        "-D",
        "LIMIT=30",
        "--invariant",
        invariant,
    ];
    files.check(&asked, VIOLATED);
}

#[test]
fn comments_need_not_be_utf_8() {
    let files = Files::new("latin");
    let text = b"int t; /* T\xfcr */ int main(void) { while (1) t = 1; }\n";
    std::fs::write(files.0.join("m.c"), text).expect("the file is written");
    files.ltl("F t == 1", HOLDS);
}

#[test]
fn names_that_are_nearly_right_are_named() {
    let files = Files::program(
        "names",
        "enum { ST_IDLE, ST_DOOR_OPEN } state; int door_open;\nint main(void) { while (1) state = ST_DOOR_OPEN; }\n",
    );
    let said = files.ltl("G state != ST_DOOR_OPN", REFUSED);
    assert!(said.contains("did you mean `ST_DOOR_OPEN`?"), "{said}");
    let said = files.ltl("F door_opne", REFUSED);
    assert!(said.contains("did you mean `door_open`?"), "{said}");
    let said = files.ltl("G (state = ST_IDLE)", REFUSED);
    assert!(said.contains("`==` compares"), "{said}");
    files.write(
        "m.c",
        "enum { ST_IDLE } state;\nint main(void) { state = ST_IDEL; }\n",
    );
    let said = files.ltl("G state == 0", REFUSED);
    assert!(said.contains("did you mean `ST_IDLE`?"), "{said}");
}

#[test]
fn functions_without_a_body_are_named_once() {
    let text = "extern int a(void); int b(void), c(int *);\nint x;\n\
                int main(void) { while (1) { x = a(); x = b(); x = b(); c(&x); } }\n";
    let files = Files::program("bodies", text);
    let said = files.ltl("G F x == x", HOLDS);
    assert_eq!(said.matches("no-body").count(), 1, "{said}");
    assert!(
        said.contains("the functions `b`, `c` have no body"),
        "{said}"
    );
}
