//! Large, deep and senseless input: an answer soon, and no overflow of the stack.
#![allow(
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a test need not be fast"
)]

mod common;

use common::{load, round_trip};
use lariat_system::Language;

/// Runs on a stack half as large as a thread's usual one.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run);
    thread.expect("a thread").join().expect("no overflow");
}

fn xsts_with(statement: &str) -> String {
    format!(
        "var x : integer var p : boolean var a : [integer] -> integer trans {{ {statement} }} init {{}} env {{}}"
    )
}

#[track_caller]
fn too_deep(language: Language, text: &str) {
    let text = text.to_owned();
    on_a_small_stack(move || {
        let findings = load(language, "deep", &text)
            .err()
            .unwrap_or_else(|| "accepted".into());
        assert!(findings.starts_with("too-deep "), "{findings}");
    });
}

#[test]
fn deep_nesting_is_refused() {
    let n = 100_000;
    let around = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(n), close.repeat(n))
    };
    too_deep(
        Language::Xsts,
        &xsts_with(&format!("assume {};", around("(", "p", ")"))),
    );
    too_deep(
        Language::Xsts,
        &xsts_with(&format!("x := {};", around("a[", "0", "]"))),
    );
    too_deep(
        Language::Xsts,
        &xsts_with(&format!("x := {};", around("if p then ", "1", " else 2"))),
    );
    too_deep(
        Language::Xsts,
        &xsts_with(&format!("a := {}", "[0 <- ".repeat(n))),
    );
    too_deep(Language::Xsts, &xsts_with(&around("{", "", "}")));
    too_deep(
        Language::Xsts,
        &xsts_with(&around("if (p) ", "x := 1;", "")),
    );
    too_deep(
        Language::Xsts,
        &xsts_with(&around("choice ", "x := 1;", "")),
    );
    too_deep(
        Language::Xsts,
        &xsts_with(&around("for i from 0 to 1 do ", "x := 1;", "")),
    );
    too_deep(
        Language::Xsts,
        &format!("var x : {}", around("[", "integer", "] -> integer")),
    );
    too_deep(
        Language::Xsts,
        &format!("var x : {} integer", "[integer] -> ".repeat(n)),
    );
    too_deep(
        Language::Gcl,
        &format!("var p : bool init {}", around("(", "p", ")")),
    );
    let chain = " bvxor x bvsub x".repeat(n);
    let cfa = format!("main process m {{ var x : bv[4] init loc A A -> A {{ x := x{chain} }} }}");
    too_deep(Language::Cfa, &cfa);
}

#[test]
fn what_is_allowed_fits_a_small_stack() {
    on_a_small_stack(|| {
        let n = 390;
        let around = |open: &str, middle: &str, close: &str| {
            format!("{}{middle}{}", open.repeat(n), close.repeat(n))
        };
        let texts = [
            format!("assume {};", around("(", "p", ")")),
            format!("x := {};", around("a[", "0", "]")),
            format!("x := {};", around("(-", "x", ")")),
            format!("a := a{};", around("[0 <- a", "", "[0]]")),
            around("{", "x := 1;", "}"),
            around("if (p) ", "x := 1;", ""),
            // Printed with brackets around each, so twice as deep.
            format!(
                "x := {}1{};",
                "if p then ".repeat(190),
                " else x".repeat(190)
            ),
        ];
        for text in texts {
            let loaded = load(Language::Xsts, "deep", &xsts_with(&text));
            let mut loaded = loaded.unwrap_or_else(|findings| panic!("{findings}"));
            let printed = round_trip(&mut loaded);
            assert!(printed.is_ok(), "{}", printed.err().unwrap_or_default());
        }
    });
}

#[test]
fn long_chains_are_flat() {
    on_a_small_stack(|| {
        let n = 100_000;
        let many = |part: &str| part.repeat(n);
        let texts = [
            format!("x := x{};", many(" + x")),
            format!("x := x{};", many(" - a[x] + 3")),
            format!("assume p{};", many(" && (x < 3)")),
            format!("assume p{};", many(" || p && x > 1")),
            format!("assume p{};", many(" => p")),
            format!("assume {}p;", many("!")),
            format!("x := {}x;", many("- ")),
            format!("x := {}(x{});", many("-"), many(" + a[x]")),
            format!("x := {}2;", many("if p then 1 else ")),
            format!("assume {}p;", many("if x < 1 then true else ")),
            format!("x := a{}[x];", many("[0 <- 1]")),
            format!("a := [{}default <- 0];", many("1 <- 2, ")),
            many("if (p) x := 1; else ") + "x := 2;",
            many("x := 1;"),
        ];
        for text in texts {
            let shown = text[..40].to_owned();
            let loaded = load(Language::Xsts, "long", &xsts_with(&text));
            if let Err(findings) = loaded {
                panic!("{shown}: {findings}");
            }
        }
        let entries: String = (0..n).map(|i| format!("{i} <- {i}, ")).collect();
        let text = xsts_with(&format!("a := [{entries}default <- 0];"));
        assert!(load(Language::Xsts, "table", &text).is_ok());
    });
}

#[test]
fn many_declarations_take_linear_time() {
    let n = 30_000;
    let each = |f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
    let gcl = each(&|i| format!("var x{i} : int action a{i}: true -> x{i} := 1 "));
    assert!(load(Language::Gcl, "many", &gcl).is_ok());
    let assigned = each(&|i| format!("x{i} := x{}, ", (i + 1) % n));
    let gcl = each(&|i| format!("var x{i} : int "))
        + &format!("var y : int action a: true -> {assigned} y := 1");
    assert!(load(Language::Gcl, "many", &gcl).is_ok());
    let cfa =
        each(&|i| format!("loc l{i} var v{i} : int l{i} -> l{i} {{ v{i} := 1 havoc v{i} }} "));
    assert!(
        load(
            Language::Cfa,
            "many",
            &format!("main process m {{ init loc A {cfa} }}")
        )
        .is_ok()
    );
    let xsts = each(&|i| format!("type T{i} : {{ A, B, C{i} }} var t{i} : T{i} = A "));
    assert!(
        load(
            Language::Xsts,
            "many",
            &format!("{xsts} trans {{}} init {{}} env {{}}")
        )
        .is_ok()
    );
    let sts = each(&|i| format!("var v{i} : int initial v{i} = 1 invariant v{i} > 0 "));
    let sts = format!("specification S {{ system s := {{ {sts} }} }}");
    assert!(load(Language::Sts, "many", &sts).is_ok());
}

#[test]
fn huge_numbers_are_refused() {
    let digits = "9".repeat(100_000);
    let findings = load(
        Language::Xsts,
        "huge",
        &xsts_with(&format!("x := {digits};")),
    );
    let findings = findings.err().expect("too many digits");
    assert!(findings.starts_with("number-too-large 1:"), "{findings}");
    let product = format!("x := 1{};", format!(" * {}", "9".repeat(5000)).repeat(100));
    let findings = load(Language::Xsts, "huge", &xsts_with(&product));
    assert!(
        findings
            .err()
            .expect("too large")
            .starts_with("number-too-large")
    );
    let wide = "main process m { var x : bv[4294967295] init loc A }";
    let findings = load(Language::Cfa, "huge", wide).err().expect("too wide");
    assert!(findings.starts_with("unsupported-width 1:29"), "{findings}");
}

#[test]
fn a_flood_of_errors_is_cut() {
    let text = xsts_with(&"x := ; ".repeat(100_000));
    let findings = load(Language::Xsts, "flood", &text).err().expect("errors");
    assert!(
        findings.lines().count() <= 101,
        "{}",
        findings.lines().count()
    );
}

/// Five thousand lines of each language of engineers. In an optimised build each takes less than half a second; tests are built without
/// optimisation and run beside others.
#[test]
fn five_thousand_lines_are_read_soon() {
    let n = 1660;
    let states: String = (0..n)
        .map(|k| format!("state A{k} {{ entry / raise o.a; x := x + {k}; }}\n"))
        .collect();
    let arcs: String = (0..n)
        .map(|k| {
            let (next, other) = ((k + 1) % n, k * 7 % n);
            format!(
                "transition from A{k} to A{next} when i.a [x < {k}] / x := 0;\ntransition from A{k} to A{other} when i.b [i.b::v > {k}]\n"
            )
        })
        .collect();
    let gamma = format!(
        "package p\ninterface I {{ out event a out event b(v : integer) }}\nstatechart S [ port i : requires I port o : provides I ] {{\nvar x : integer\n\
         region r {{\ninitial e\n{states}}}\ntransition from e to A0\n{arcs}}}\n"
    );
    let n = 1000;
    let states: String = (0..n)
        .map(|k| {
            let (next, other) = ((k + 1) % n, k * 7 % n);
            format!(
                "<state id=\"s{k}\">\n<onentry><assign location=\"x\" expr=\"x + 1\"/></onentry>\n<transition event=\"a\" cond=\"x &lt; {k}\" target=\"s{next}\"/>\n\
                 <transition event=\"b\" target=\"s{other}\"/>\n</state>\n"
            )
        })
        .collect();
    let scxml = format!(
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" datamodel=\"ecmascript\">\n<datamodel><data id=\"x\" expr=\"0\"/></datamodel>\n{states}</scxml>\n"
    );
    let body: String = (0..n)
        .map(|k| format!("IF a AND b > {k} THEN\n  x := x + {k};\nELSE\n  x := b;\nEND_IF;\n"))
        .collect();
    let st = format!(
        "PROGRAM p\nVAR_INPUT a : BOOL; b : INT; END_VAR\nVAR x : INT; END_VAR\n{body}END_PROGRAM\n"
    );
    let all = [
        (Language::Gamma, gamma),
        (Language::Scxml, scxml),
        (Language::St, st),
    ];
    for (language, text) in all {
        assert!(text.lines().count() > 4900);
        let start = std::time::Instant::now();
        if let Err(findings) = load(language, "long", &text) {
            panic!("{findings}");
        }
        let seconds = start.elapsed().as_secs_f64();
        assert!(seconds < 5.0, "{} takes {seconds} s", language.name());
    }
}
