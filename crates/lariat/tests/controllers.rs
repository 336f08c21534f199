//! Programs of controllers and requirements in words from the command line.

mod folder;

use folder::{Folder, HOLDS, UNKNOWN, VIOLATED, WRONG};

/// A program with these variables and this body, in a folder.
fn program(name: &str, declarations: &str, body: &str) -> Folder {
    let text = format!(
        "PROGRAM Main\nVAR_INPUT x : BOOL; END_VAR\nVAR {declarations} END_VAR\n{body}\nEND_PROGRAM\n"
    );
    Folder::new(&format!("controllers-{name}"), &[("m.st", &text)])
}

#[test]
fn a_scan_that_never_ends_repeats_its_last_letter() {
    // Each scan toggles, unless `x` lets it go round for ever.
    let body = "on := NOT on;\nWHILE x AND on = seen DO k := 1 - k; END_WHILE;\nseen := on;";
    let folder = program("hangs", "on, seen : BOOL; k : INT;", body);
    folder.expect("m.st", HOLDS, &["--ltl", "G F on"]);
    let body = "on := NOT on;\nWHILE x DO k := 1 - k; END_WHILE;";
    let folder = program("hangs2", "on : BOOL; k : INT;", body);
    folder.expect("m.st", VIOLATED, &["--ltl", "G F on"]);
    folder.expect("m.st", VIOLATED, &["--ltl", "F G !on"]);
    folder.expect("m.st", HOLDS, &["--ltl", "on"]);
    folder.expect("m.st", HOLDS, &["--ltl", "G !x"]);
}

#[test]
fn faults_are_no_evidence() {
    let body = "IF x THEN n := n + 1; END_IF; IF n > 3 THEN n := 0; END_IF; m := 6 / (3 - n);";
    let folder = program("faults", "n, m : INT;", body);
    folder.expect("m.st", VIOLATED, &["--property", "faults"]);
    let said = folder.expect("m.st", UNKNOWN, &["--ltl", "G (m >= 0)"]);
    assert!(said.contains("holds on all runs"), "{said}");
    folder.expect("m.st", VIOLATED, &["--ltl", "G (m != 6)"]);
    let folder = program("no-faults", "n, m : INT;", "m := 6 / (n + 1);");
    folder.expect("m.st", HOLDS, &["--property", "faults"]);
    folder.expect("m.st", HOLDS, &["--ltl", "G (m = 6)"]);
}

#[test]
fn cycles_take_their_time() {
    let folder = program(
        "cycle",
        "t : TON; n : INT;",
        "t(IN := TRUE, PT := T#25ms); IF n < 9 THEN n := n + 1; END_IF;",
    );
    folder.expect("m.st", HOLDS, &["--ltl", "X X X t.Q && X X !t.Q"]);
    folder.expect(
        "m.st",
        HOLDS,
        &["--cycle", "25ms", "--ltl", "X t.Q && !t.Q"],
    );
    folder.expect(
        "m.st",
        VIOLATED,
        &["--cycle", "10ms..30ms", "--ltl", "X t.Q"],
    );
    folder.expect(
        "m.st",
        VIOLATED,
        &["--cycle", "10ms..30ms", "--ltl", "X !t.Q"],
    );
    folder.expect(
        "m.st",
        HOLDS,
        &["--cycle", "10ms..30ms", "--ltl", "X X X t.Q"],
    );
    folder.expect("m.st", HOLDS, &["--ltl", "G (timer(t).ET <= T#25ms)"]);
    let said = folder.expect("m.st", WRONG, &["--cycle", "fast", "--ltl", "t.Q"]);
    assert!(said.contains("bad-cycle"), "{said}");
}

#[test]
fn integers_are_read_as_asked() {
    let folder = program(
        "int",
        "n : SINT; w : BYTE;",
        "n := n + 1; w := ROL(w OR 16#01, 1);",
    );
    folder.expect("m.st", HOLDS, &["--ltl", "G (n > 0)"]);
    let said = folder.expect(
        "m.st",
        VIOLATED,
        &["--int", "bitprecise", "--ltl", "G (n > 0)"],
    );
    assert!(said.contains("-128"), "{said}");
    let said = folder.expect(
        "m.st",
        VIOLATED,
        &["--int", "bitprecise", "--ltl", "G (w != 16#FF)"],
    );
    assert!(said.contains("16#FF"), "{said}");
}

#[test]
fn scans_are_run_with_given_inputs() {
    let folder = program("inputs", "c : CTU;", "c(CU := x, R := FALSE, PV := 2);");
    let (code, said) =
        folder.lariat(&["simulate", "m.st", "--inputs", "X=true; x=FALSE; x=1=1; ; "]);
    assert_eq!(code, Some(0), "{said}");
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "1  x = true, c.CU = true, c.PV = 2, c.CV = 1",
            "2  x = false, c.CU = false",
            "3  x = true, c.CU = true, c.Q = true, c.CV = 2",
            "4  nothing changes",
            "5  nothing changes",
        ]
    );
    let (code, said) = folder.lariat(&["simulate", "m.st", "--inputs", "y=1"]);
    assert!(
        code == Some(WRONG) && said.contains("`y` is no input; these are: x"),
        "{said}"
    );
    let (code, said) =
        folder.lariat(&["simulate", "m.st", "--inputs", "x=TRUE", "--format", "json"]);
    assert_eq!(code, Some(0), "{said}");
    let report: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["scans"][0]["values"]["c.CV"], 1);
}

#[test]
fn requirements_are_asked_in_words() {
    let folder = program("patterns", "on : BOOL;", "on := x;");
    let said = folder.expect("m.st", HOLDS, &["--pattern", "response of on to x"]);
    assert!(said.contains("response of on to x: G(x -> F on)"), "{said}");
    folder.expect(
        "m.st",
        VIOLATED,
        &[
            "--pattern",
            "absence of on",
            "--pattern",
            "universality of on = x",
        ],
    );
    folder.expect(
        "m.st",
        HOLDS,
        &["--pattern", "absence of NOT on between x and (NOT x)"],
    );
    let said = folder.expect("m.st", WRONG, &["--pattern", "respones of on to x"]);
    assert!(said.contains("did you mean `response`?"), "{said}");
}
