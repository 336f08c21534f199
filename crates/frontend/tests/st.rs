//! Structured Text: what programs do scan by scan, and what is said of wrong ones.

use lariat_base::SourceMap;
use lariat_expr::{Int, Value};
use lariat_frontend::{IntMode, Options, PlcReading, parse_with};
use lariat_system::{Context, Language, PlcType, ScanEnd, Scanner, System};

fn read(text: &str, ints: IntMode) -> Result<(Context, System), Vec<String>> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("test.st", text.to_owned());
    let options = Options {
        plc: PlcReading {
            ints,
            cycle: (0, 1000),
            hangs: true,
        },
        ..Options::default()
    };
    let file = sources.file(source);
    match parse_with(&mut cx, Language::St, source, file, &options) {
        Ok(parsed) => Ok((cx, parsed.system)),
        Err(findings) => Err(findings
            .iter()
            .map(|finding| {
                let span = finding.primary.as_ref().map(|primary| primary.span);
                let (line, column) = span.map_or((0, 0), |span| file.line_column(span.start));
                format!("{line}:{column} [{}] {}", finding.id, finding.message)
            })
            .collect()),
    }
}

/// The values of `watched` after each scan; `inputs` are those of the input `x`.
fn run(text: &str, ints: IntMode, inputs: &[i64], cycle: i64, watched: &[&str]) -> Vec<String> {
    let (cx, system) = read(text, ints).unwrap_or_else(|findings| panic!("{findings:#?}"));
    let mut scanner = Scanner::new(&cx, &system);
    let plc = scanner.plc();
    let mut shown = Vec::new();
    for &input in inputs {
        let end = scanner.scan(&mut |var| {
            if Some(var) == plc.cycle {
                return Value::Int(Int::from(cycle));
            }
            let leaf = plc.leaves.iter().find(|leaf| leaf.var == var);
            match leaf.expect("an input").ty {
                PlcType::Bool => Value::Bool(input != 0),
                PlcType::Bits(bits) => Value::Bv(Int::from(input.rem_euclid(1 << bits))),
                PlcType::Int { bits, .. } if ints == IntMode::BitPrecise => {
                    Value::Bv(Int::from(input.rem_euclid(1 << bits)))
                }
                _ => Value::Int(Int::from(input)),
            }
        });
        if end != ScanEnd::Done {
            shown.push(format!("{end:?}"));
            break;
        }
        let values: Vec<String> = watched
            .iter()
            .map(|name| {
                let leaf = plc.leaves.iter().find(|leaf| &*leaf.name == *name);
                let leaf = leaf.unwrap_or_else(|| panic!("there is no {name}"));
                match (leaf.ty, scanner.value(leaf.var)) {
                    (_, Value::Bool(truth)) => i32::from(*truth).to_string(),
                    (_, Value::Int(number)) => number.to_string(),
                    (PlcType::Int { bits, signed: true }, Value::Bv(number)) => {
                        let number = number.to_i64().expect("it is small");
                        let half = 1 << (bits - 1);
                        (if number < half {
                            number
                        } else {
                            number - 2 * half
                        })
                        .to_string()
                    }
                    (_, Value::Bv(number)) => number.to_string(),
                    (_, Value::Rat(number)) => number.to_string(),
                    (ty, Value::Enum(at)) => {
                        let PlcType::Enum(sort) = ty else {
                            panic!("{ty:?}")
                        };
                        let literals = &cx
                            .terms
                            .sorts
                            .as_enum(sort)
                            .expect("an enumeration")
                            .literals;
                        literals[*at as usize].to_string()
                    }
                    (_, value) => format!("{value:?}"),
                }
            })
            .collect();
        shown.push(values.join(" "));
    }
    shown
}

fn program(declarations: &str, body: &str) -> String {
    format!(
        "PROGRAM Main\nVAR_INPUT x : BOOL; END_VAR\nVAR {declarations} END_VAR\n{body}\nEND_PROGRAM\n"
    )
}

fn math(text: &str, inputs: &[i64], watched: &[&str]) -> Vec<String> {
    run(text, IntMode::Math, inputs, 10, watched)
}

/// One scan of a program without inputs that matter.
fn one(declarations: &str, body: &str, watched: &[&str]) -> String {
    math(&program(declarations, body), &[0], watched).remove(0)
}

#[test]
fn an_on_delay_follows_its_diagram() {
    let text = program("t : TON;", "t(IN := x, PT := T#25ms);");
    let shown = math(&text, &[1, 1, 1, 1, 1, 0, 1, 0], &["t.Q", "t.ET"]);
    let expected = ["0 0", "0 10", "0 20", "1 25", "1 25", "0 0", "0 0", "0 0"];
    assert_eq!(shown, expected);
}

#[test]
fn an_off_delay_follows_its_diagram() {
    let text = program("t : TOF;", "t(x, T#20ms);");
    let shown = math(&text, &[0, 1, 1, 0, 0, 0, 0, 1, 0, 1], &["t.Q", "t.ET"]);
    let expected = [
        "0 0", "1 0", "1 0", "1 0", "1 10", "0 20", "0 20", "1 0", "1 0", "1 0",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_pulse_follows_its_diagram() {
    let text = program("t : TP;", "t(IN := x, PT := t#20ms);");
    let shown = math(&text, &[1, 0, 1, 1, 0, 1, 1], &["t.Q", "t.ET"]);
    // It is not started again while it lasts; it holds its time while the input does.
    let expected = ["1 0", "1 10", "0 20", "0 20", "0 0", "1 0", "1 10"];
    assert_eq!(shown, expected);
}

#[test]
fn a_timer_goes_on_while_it_is_not_called() {
    let text = program(
        "t : TON; n : INT;",
        "n := n + 1; IF n <> 2 AND n <> 3 THEN t(IN := TRUE, PT := T#30ms); END_IF;",
    );
    let shown = math(&text, &[0; 4], &["t.Q", "t.ET"]);
    assert_eq!(shown, ["0 0", "0 0", "0 0", "1 30"]);
}

#[test]
fn counters_count_edges() {
    let text = program("c : CTU;", "c(CU := x, R := c.CV >= 3, PV := 2);");
    let shown = math(&text, &[1, 1, 0, 1, 0, 1, 0, 0], &["c.Q", "c.CV"]);
    let expected = ["0 1", "0 1", "0 1", "1 2", "1 2", "1 3", "0 0", "0 0"];
    assert_eq!(shown, expected);
    let text = program(
        "c : CTD; n : INT;",
        "n := n + 1; c(CD := x, LD := n = 1, PV := 2);",
    );
    let shown = math(&text, &[0, 1, 0, 1, 1], &["c.Q", "c.CV"]);
    assert_eq!(shown, ["0 2", "0 1", "0 1", "1 0", "1 0"]);
    let text = program(
        "c : CTUD;",
        "c(CU := x, CD := NOT x, R := FALSE, LD := FALSE, PV := 1);",
    );
    let shown = math(&text, &[0, 1, 1, 0], &["c.QU", "c.QD", "c.CV"]);
    assert_eq!(shown, ["0 1 -1", "0 1 0", "0 1 0", "0 1 -1"]);
}

#[test]
fn edges_and_latches_follow_the_standard() {
    let text = program("r : R_TRIG; f : F_TRIG;", "r(CLK := x); f(CLK := x);");
    let shown = math(&text, &[0, 1, 1, 0, 0], &["r.Q", "f.Q"]);
    assert_eq!(shown, ["0 1", "1 0", "0 0", "0 1", "0 0"]);
    let text = program(
        "s : SR; r : RS;",
        "s(S1 := x, R := TRUE); r(S := TRUE, R1 := x);",
    );
    let shown = math(&text, &[0, 1, 0], &["s.Q1", "r.Q1"]);
    assert_eq!(shown, ["0 1", "1 0", "0 1"]);
}

#[test]
fn integers_wrap_around_if_asked() {
    let text = program(
        "a : SINT := 127; b : USINT; c : INT;",
        "a := a + 1; b := b - 1; c := SINT_TO_INT(a) * 300;",
    );
    let watched = ["a", "b", "c"];
    assert_eq!(
        run(&text, IntMode::Math, &[0], 1, &watched),
        ["128 -1 38400"]
    );
    assert_eq!(
        run(&text, IntMode::BitPrecise, &[0], 1, &watched),
        ["-128 255 27136"]
    );
}

#[test]
fn division_is_cut_towards_zero() {
    let declarations = "a : INT := -7; b : INT := 2; q, r, z : INT;";
    let body = "q := a / b; r := a MOD b; z := a MOD 0;";
    let text = program(declarations, body);
    for ints in [IntMode::Math, IntMode::BitPrecise] {
        assert_eq!(run(&text, ints, &[0], 1, &["q", "r", "z"]), ["-3 -1 0"]);
    }
}

#[test]
fn standard_functions_have_their_values() {
    let shown = one(
        "a, b, c, d, e, f : INT; w, v : WORD; y : BYTE; t : TIME; k : DINT;",
        "a := LIMIT(1, 9, 5); b := SEL(TRUE, 1, 2); c := MUX(2, 10, 20, 30); d := ABS(-4);
         e := MIN(3, 1, 2); f := MAX(IN1 := 3, IN2 := 7); w := SHL(WORD#16#00FF, 4); v := ROR(WORD#1, 1);
         y := BYTE#16#0F XOR 2#1010_1010; t := T#1s * 2 + T#5ms; k := 2 ** 10 + REAL_TO_DINT(2.5) + TRUNC(-2.7);",
        &["a", "b", "c", "d", "e", "f", "w", "v", "y", "t", "k"],
    );
    assert_eq!(shown, "5 2 30 4 1 7 4080 32768 165 2005 1024");
}

#[test]
fn loops_go_round() {
    let shown = one(
        "i, n, s, k : INT; a : ARRAY [1..3, 0..1] OF INT := [2(7), 5];",
        "n := 5;
         FOR i := 1 TO n DO IF i = 2 THEN CONTINUE; END_IF; IF i = 5 THEN EXIT; END_IF; s := s + i; END_FOR;
         WHILE k < 10 DO k := k + 3; END_WHILE;
         REPEAT k := k - 1; UNTIL k <= 4 END_REPEAT;
         FOR i := 3 TO 1 BY -1 DO a[i, 1] := i * 10; END_FOR;",
        &["s", "k", "i", "a[1,0]", "a[1,1]", "a[2,0]", "a[2,1]", "a[3,1]"],
    );
    assert_eq!(shown, "8 4 0 7 10 5 20 30");
}

#[test]
fn functions_and_blocks_are_called() {
    let text = "
        TYPE Point : STRUCT px, py : INT; END_STRUCT; END_TYPE
        VAR_GLOBAL total : INT; END_VAR
        VAR_GLOBAL CONSTANT STEP_SIZE : INT := 4; END_VAR
        FUNCTION Twice : INT VAR_INPUT v : INT; END_VAR
          IF v > 100 THEN Twice := 100; RETURN; END_IF;
          Twice := v + v;
        END_FUNCTION
        FUNCTION_BLOCK Adder
          VAR_INPUT d : INT := 3; END_VAR VAR_OUTPUT sum : INT; END_VAR
          VAR_IN_OUT acc : INT; END_VAR VAR_EXTERNAL total : INT; END_VAR
          sum := sum + d; acc := acc + sum; total := total + 1;
        END_FUNCTION_BLOCK
        PROGRAM main
        VAR_INPUT x : BOOL; END_VAR
        VAR A : Adder; b : Adder := (d := 10); n, m : INT; p, q : Point := (py := 2); END_VAR
          A(acc := n, sum => m);
          B(d := STEP_SIZE, acc := N);
          p.px := Twice(Twice(m) + Twice(v := 1));
          q := p;
        END_PROGRAM";
    let shown = math(
        text,
        &[0, 0],
        &["n", "m", "A.sum", "b.sum", "total", "q.px", "q.py"],
    );
    assert_eq!(shown, ["7 3 3 4 2 16 2", "21 6 6 8 4 28 2"]);
}

#[test]
fn cases_choose_by_value_and_range() {
    let text = program(
        "n : INT; c : (RED, AMBER, GREEN); k : INT;",
        "n := n + 1;
         CASE n OF 1: k := 10; 2, 5..6: k := 20; ELSE k := 30; END_CASE;
         CASE c OF RED: c := AMBER; AMBER: c := GREEN; GREEN: c := RED; END_CASE;",
    );
    let shown = math(&text, &[0; 6], &["k", "c"]);
    let expected = [
        "10 AMBER", "20 GREEN", "30 RED", "30 AMBER", "20 GREEN", "20 RED",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn errors_of_the_standard_end_a_run() {
    let cases = [
        ("n, k : INT := 1;", "n := 1 / (k - 1);"),
        ("a : ARRAY [1..2] OF INT; k : INT := 3;", "a[k] := 1;"),
        ("s : INT (0..5); k : INT := 6;", "s := k;"),
        ("r : REAL; k : REAL;", "r := 1.0 / k;"),
        ("n : INT; k : INT := 3;", "n := MUX(k, 1, 2, 3);"),
        (
            "a : ARRAY [1..2] OF INT; i : INT;",
            "WHILE TRUE DO i := i + 1; a[i] := 1; END_WHILE;",
        ),
    ];
    for (declarations, body) in cases {
        let shown = math(&program(declarations, body), &[0], &[]);
        assert_eq!(shown, ["Fault"], "{body}");
    }
    let shown = math(
        &program("i : INT;", "WHILE i >= 0 DO i := i + 1; END_WHILE;"),
        &[0],
        &[],
    );
    assert_eq!(shown, ["Endless"]);
}

#[test]
fn mistakes_have_a_place() {
    let cases = [
        ("", "y := 1;", "4:1 [unknown-name] unknown name `y`"),
        (
            "n : INT;",
            "n := TRUE;",
            "4:6 [type-mismatch] this is BOOL, where INT is expected",
        ),
        (
            "n : SINT; k : INT;",
            "n := k;",
            "4:6 [type-mismatch] this is INT, where SINT is expected",
        ),
        (
            "n : SINT;",
            "n := 200;",
            "4:6 [out-of-range] 200 is no value of SINT",
        ),
        (
            "n : INT",
            "n := 1;",
            "3:13 [syntax] `END_VAR` stands here, where `;` is expected",
        ),
        (
            "n : INT;",
            "n = 1;",
            "4:3 [syntax] `=` stands here, where `:=` is expected",
        ),
        (
            "n : STRING;",
            "",
            "3:9 [unsupported] the type `STRING` is not supported",
        ),
        (
            "n : INT;",
            "EXIT;",
            "4:1 [no-loop] there is no loop around this",
        ),
        (
            "t : TON;",
            "t(INN := x);",
            "4:3 [unknown-name] `TON` has no member `INN`",
        ),
        (
            "t : TON;",
            "t(Q := x);",
            "4:8 [wrong-arguments] this parameter is given with `=>`",
        ),
        (
            "n : INT;",
            "n := SQRT(2);",
            "4:6 [unsupported] the function `SQRT` is not supported",
        ),
        (
            "n : INT;",
            "n := Foo(2);",
            "4:6 [unknown-function] there is no function `Foo`",
        ),
        (
            "i : INT;",
            "FOR i := 1 TO 3 DO i := 2; END_FOR;",
            "4:20 [not-assignable] `i` must not change inside of its loop",
        ),
        (
            "a : ARRAY [1..2] OF INT;",
            "a[3] := 1;",
            "4:3 [out-of-range] the index is not in 1..2",
        ),
        ("x : INT;", "", ""),
        ("n : Foo;", "", "3:9 [unknown-type] there is no type `Foo`"),
        (
            "n : INT;",
            "n := 1 AND 2;",
            "4:6 [type-mismatch] this is not defined for a whole number",
        ),
        (
            "n : INT; k : UINT;",
            "n := n + k;",
            "4:6 [type-mismatch] this is not defined for INT and UINT",
        ),
    ];
    for (declarations, body, expected) in cases {
        let text = program(declarations, body);
        match read(&text, IntMode::Math) {
            Ok(_) => panic!("{body} is read"),
            Err(findings) if expected.is_empty() => {
                assert!(findings[0].contains("[duplicate-name]"), "{findings:?}");
            }
            Err(findings) => assert_eq!(findings[0], expected, "{declarations} {body}"),
        }
    }
    let nothing = read("TYPE T : INT; END_TYPE", IntMode::Math).expect_err("no program");
    assert_eq!(nothing, ["0:0 [missing-program] there is no `PROGRAM`"]);
    let own = "FUNCTION f : INT f := f() + 1; END_FUNCTION PROGRAM p VAR n : INT; END_VAR n := f(); END_PROGRAM";
    let findings = read(own, IntMode::Math).expect_err("it calls itself");
    assert!(findings[0].contains("[recursion]"), "{findings:?}");
    let part = "FUNCTION_BLOCK b VAR c : b; END_VAR END_FUNCTION_BLOCK PROGRAM p END_PROGRAM";
    let findings = read(part, IntMode::Math).expect_err("it is part of itself");
    assert!(findings[0].contains("[recursion]"), "{findings:?}");
}

#[test]
fn all_mistakes_are_told() {
    let text = program("n : INT;", "n := ;\n n := m;\n IF n THEN n := 1; END_IF;");
    let findings = read(&text, IntMode::Math).expect_err("it is wrong");
    assert_eq!(
        findings,
        ["4:6 [syntax] `;` stands here, where an expression is expected"]
    );
    let text = program("n : INT;", "n := k;\n n := m;");
    let findings = read(&text, IntMode::Math).expect_err("it is wrong");
    assert_eq!(findings.len(), 2);
}

#[test]
fn deep_nesting_and_odd_texts_are_refused() {
    let deep = format!("n := {}1{};", "(".repeat(5000), ")".repeat(5000));
    let findings = read(&program("n : INT;", &deep), IntMode::Math).expect_err("too deep");
    assert!(findings[0].contains("[too-deep]"), "{findings:?}");
    let long = format!("n := 1{};", " + n".repeat(5000));
    assert!(read(&program("n : INT;", &long), IntMode::Math).is_ok());
    let many = "IF x THEN n := 1; ELSE n := 2; END_IF;\n".repeat(5000);
    assert!(read(&program("n : INT;", &many), IntMode::Math).is_ok());
    for text in [
        "",
        "(*",
        "{",
        "'",
        "\u{feff}",
        "PROGRAM",
        "VAR_GLOBAL",
        "PROGRAM p VAR",
        "TYPE x :",
        "é",
        "16#",
        "T#",
        "%",
    ] {
        assert!(read(text, IntMode::Math).is_err(), "{text}");
    }
}

/// Pieces that mutations put in.
const PIECES: [&str; 24] = [
    "(",
    ")",
    "[",
    "]",
    ";",
    ":=",
    "..",
    ".",
    "IF TRUE THEN",
    "END_IF;",
    "WHILE x DO",
    "END_WHILE;",
    "EXIT;",
    "RETURN;",
    "END_VAR",
    "VAR",
    "T#5s",
    "16#FF",
    "-9223372036854775808",
    "'",
    "(*",
    "NOT",
    "FOR i := 1 TO 9 DO",
    "é",
];

#[test]
fn mutated_programs_are_read_or_refused() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/st");
    let mut texts: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder).expect("examples") {
        let path = entry.expect("an entry").path();
        texts.push(std::fs::read_to_string(path).expect("a program"));
    }
    texts.sort();
    assert!(texts.len() >= 5);
    let (mut state, mut n_read) = (7_u64, 0);
    let mut below = |n: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        usize::try_from(state >> 33).expect("it is small") % n
    };
    for round in 0..400 {
        let text = &texts[round % texts.len()];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ';', '(']).collect();
        for _ in 0..=below(3) {
            let (at, other) = (below(words.len()), below(words.len()));
            match below(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, PIECES[below(PIECES.len())]),
                2 => words.swap(at, other),
                _ => words.insert(at, words[other]),
            }
        }
        n_read += usize::from(read(&words.concat(), IntMode::Math).is_ok());
    }
    assert!(n_read > 20, "only {n_read} were read");
}
