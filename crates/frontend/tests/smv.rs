//! SMV: what is made of each construct, and what a person is told about a bad model. Text in, text out.

mod common;

use common::load;
use lariat_frontend::statement::lines;
use lariat_system::{Language, PropertyBody};
use std::fmt::Write as _;

/// How a model starts and steps, and its properties.
fn made(text: &str) -> String {
    let loaded = match load(Language::Smv, "test.smv", text) {
        Ok(loaded) => loaded,
        Err(findings) => return findings,
    };
    let (cx, system) = (&loaded.cx, &loaded.system);
    let mut out = String::new();
    let mut add = |what: &str, parts: Vec<String>| {
        let text = parts.join(" ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let _ = writeln!(out, "{what}: {}", words.join(" "));
    };
    for branch in system.initial.branches() {
        add("start", lines(cx, Language::Smv, branch.stmt));
    }
    for (_, row) in system.edges.rows() {
        for edge in row {
            add("step", lines(cx, Language::Smv, edge.stmt));
        }
    }
    for property in &system.properties {
        let body = match &property.body {
            PropertyBody::Temporal(tree) => tree.text.to_string(),
            other => format!("{other:?}"),
        };
        if body.starts_with("Invariant") {
            add(
                "property",
                vec![property.name.to_string(), "is an invariant".into()],
            );
        } else {
            add("property", vec![property.name.to_string(), body]);
        }
    }
    out
}

/// The findings of a model.
#[track_caller]
fn rejected(text: &str, expected: &str) {
    let found = made(text);
    assert_eq!(found.trim_end(), expected.trim_end(), "\n{found}");
}

#[test]
fn assignments_come_before_choices_and_constraints() {
    assert_eq!(
        made(
            "MODULE main
             VAR x : 0..3; b : boolean; free : 0..1; s : {on, off};
             IVAR i : boolean;
             ASSIGN init(x) := 0; next(x) := i & x < 3 ? x + 1 : x;
                    next(b) := {TRUE, FALSE}; init(s) := off; next(s) := b ? on : {on, s};
             TRANS next(free) != free
             LTLSPEC G x <= 3
             INVARSPEC NAME top := x < 3"
        ),
        "\
start: x := 0 s := {on, off}.off havoc b havoc free assume free >= 0 and free <= 1
step: havoc next(free) assume next(free) >= 0 and next(free) <= 1 havoc i assume next(free) != free \
next(x) := if x < 3 and i then x + 1 else x havoc next(b) \
if b { next(s) := {on, off}.on } else { choice { next(s) := {on, off}.on } or { next(s) := s } } \
x := next(x) b := next(b) free := next(free) s := next(s) i := i
property: ltl0 G x <= 3
property: top is an invariant
"
    );
}

#[test]
fn names_are_those_of_instances() {
    let printed = made(
        "MODULE cell(inp) VAR v : boolean; ASSIGN next(v) := inp; LTLSPEC G v
         MODULE main VAR a : cell(b.v); b : cell(TRUE); DEFINE both := a.v & b.v; INVARSPEC both",
    );
    assert_eq!(
        printed,
        "\
start: havoc a.v havoc b.v
step: next(a.v) := b.v next(b.v) := true a.v := next(a.v) b.v := next(b.v)
property: inv0 is an invariant
property: a.ltl0 G v
property: b.ltl0 G v
"
    );
}

#[test]
fn precedence_is_that_of_the_language() {
    // What each pair means is the same term.
    for (written, meant) in [
        ("!x = y", "(!x) = y"),
        ("x = y = z", "(x = y) = z"),
        ("x & y | z", "(x & y) | z"),
        ("x -> y -> z", "x -> (y -> z)"),
        ("x -> y <-> z", "x -> (y <-> z)"),
        ("x ? y : z -> x", "(x ? y : z) -> x"),
        ("x ? y : z ? x : y", "x ? y : (z ? x : y)"),
        ("n + 1 * 2 = 3", "(n + (1 * 2)) = 3"),
        ("n - 1 - 1 = 0", "((n - 1) - 1) = 0"),
        ("n in 0..1 union 3", "n in ((0..1) union 3)"),
        ("-w :: w = 0ub4_0", "((-w) :: w) = 0ub4_0"),
    ] {
        let with = |text: &str| {
            made(&format!(
                "MODULE main VAR x : boolean; y : boolean; z : boolean; n : 0..3; w : word[2]; INIT {text}"
            ))
        };
        assert_eq!(with(written), with(meant), "{written}");
    }
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    rejected(
        "MODULE main VAR x : 0..3; ASSIGN next(x) := x-1;",
        "unknown-name 1:45 `x-1` is not declared (`-` is a letter of names: put spaces around it to subtract)",
    );
    rejected(
        "MODULE main VAR x : {a, b}; INIT x > a",
        "type-mismatch 1:34 symbolic values have no order and no arithmetic",
    );
    rejected(
        "MODULE main VAR x : {a, b}; INIT x = 3",
        "type-mismatch 1:34 `=` does not take a symbolic value and an integer",
    );
    rejected(
        "MODULE main VAR x : boolean; ASSIGN next(x) := y; next(y) := x;",
        "unknown-name 1:56 `y` is not declared (did you mean `x`?)",
    );
    rejected(
        "MODULE main VAR x : boolean; y : boolean; ASSIGN next(x) := next(y); next(y) := next(x);",
        "circular-assignment 1:55 these assignments depend on each other in a circle",
    );
    rejected(
        "MODULE main VAR x : boolean; INVAR next(x)",
        "next-in-state 1:36 `next(x)` cannot be read here",
    );
    rejected(
        "MODULE main VAR x : boolean; LTLSPEC x ? G x : x",
        "temporal-operator 1:38 a temporal operator cannot stand inside of this expression \
(temporal operators stand under `! & | xor xnor -> <->` and each other)",
    );
    rejected(
        "MODULE main VAR a : m; MODULE m VAR b : m;",
        "recursive-module 1:37 module `m` contains itself",
    );
}

#[test]
fn what_only_a_solver_can_rule_out_is_an_obligation() {
    let obligations = |text: &str| {
        let mut cx = lariat_system::Context::new();
        let mut map = lariat_base::SourceMap::new();
        let id = map.add("test.smv", text);
        let parsed =
            lariat_frontend::parse(&mut cx, Language::Smv, id, map.file(id)).expect("it parses");
        let found = parsed
            .obligations
            .iter()
            .map(|obligation| obligation.finding.id);
        found.collect::<Vec<_>>().join(" ")
    };
    let model =
        |next: &str| format!("MODULE main VAR x : 0..5; y : 0..5; ASSIGN next(x) := {next};");
    assert_eq!(obligations(&model("y")), "");
    assert_eq!(obligations(&model("{0, 5} union y")), "");
    assert_eq!(obligations(&model("x + 1")), "out-of-range");
    assert_eq!(
        obligations(&model("case x = 5 : 0; esac")),
        "undefined-value"
    );
    assert_eq!(obligations(&model("case x = 5 : 0; TRUE : 1; esac")), "");
    assert_eq!(obligations(&model("y = 0 ? 0 : 5 / y")), "out-of-range");
    assert_eq!(obligations(&model("5 / y")), "undefined-value out-of-range");
    let words =
        |next: &str| format!("MODULE main VAR x : word[4]; y : word[4]; ASSIGN next(x) := {next};");
    assert_eq!(obligations(&words("x / y")), "undefined-word");
    assert_eq!(obligations(&words("x >> y")), "undefined-word");
    assert_eq!(obligations(&words("x mod 0ud4_3")), "");
    let both = "case x = y : x mod y; esac";
    assert_eq!(obligations(&words(both)), "undefined-word undefined-value");
}

#[test]
fn numbers_of_an_enumeration_with_symbols_may_be_chosen() {
    let step = |next: &str| {
        let text = format!(
            "MODULE main VAR m : {{off, 1, 2}}; b : boolean; n : 1..2; ASSIGN next(m) := {next};"
        );
        made(&text).lines().nth(1).unwrap_or_default().to_owned()
    };
    let cases = step("case b : 1; TRUE : 2; esac");
    let chosen = "next(m) := if b then {off, 1, 2}.1 else {off, 1, 2}.2";
    assert!(cases.contains(chosen), "{cases}");
    let number = step("b ? n : off");
    assert!(
        number.contains("n = 2 then {off, 1, 2}.2 else {off, 1, 2}.1"),
        "{number}"
    );
    let range = step("case b : {off, 2}; TRUE : 1..2; esac");
    assert!(range.contains("{off, 1, 2}.1"), "{range}");
    let larger = step("case b : off; TRUE : 1..4; esac");
    assert_eq!(larger, "", "3 is no value of any enumeration");
}

#[test]
fn numbers_that_are_truth_values_may_be_chosen() {
    let text =
        "MODULE main VAR a : boolean; b : boolean; ASSIGN next(a) := case b : 0; 1 : 1; esac;";
    assert!(made(text).contains("next(a) := not b"), "{}", made(text));
}

#[test]
fn an_index_that_is_computed_may_be_guarded() {
    let model = |index: &str| {
        format!(
            "MODULE main VAR a : array 0..1 of boolean; x : boolean; DEFINE d := 2;
             ASSIGN next(x) := case {index} in 0..1 : a[{index}]; TRUE : x; esac;"
        )
    };
    assert!(load(Language::Smv, "guarded", &model("d")).is_ok());
    let written = load(Language::Smv, "written", &model("2")).err();
    assert!(written.is_some_and(|found| found.contains("there is no element 2")));
}

#[test]
fn long_chains_and_deep_nesting_are_read() {
    let n = 100_000;
    let mut text = String::from("MODULE main VAR x : boolean; DEFINE d0 := x;\n");
    for i in 1..n {
        let _ = writeln!(text, "d{i} := d{} & x;", i - 1);
    }
    let _ = write!(text, "INVARSPEC d{}", n - 1);
    assert!(load(Language::Smv, "chain", &text).is_ok());
    let deep = format!(
        "MODULE main VAR x : boolean; INIT {}x{}",
        "!(".repeat(n),
        ")".repeat(n)
    );
    assert!(load(Language::Smv, "deep", &deep).is_ok());
}

#[test]
fn time_passes_in_steps_of_its_own_and_diverges() {
    let text = "@TIME_DOMAIN continuous\nMODULE main VAR c : Clock; b : boolean; INIT c = 0; INVAR c <= 3
        TRANS next(c) = 0 & next(b) = !b; LTLSPEC G F b; LTLSPEC G X b; LTLSPEC F c = 2; LTLSPEC F G next(b) = b; LTLSPEC F next(c) = 2;
        INVARSPEC c <= 3";
    let loaded = match load(Language::Smv, "test.smv", text) {
        Ok(loaded) => loaded,
        Err(findings) => panic!("{findings}"),
    };
    let (cx, system) = (&loaded.cx, &loaded.system);
    let names: Vec<&str> = system
        .properties
        .iter()
        .map(|property| &*property.name)
        .collect();
    assert_eq!(
        names,
        ["ltl0", "ltl3", "inv0"],
        "`X` and clocks can tell a delay from two"
    );
    assert_eq!(loaded.warnings.len(), 3);
    assert_eq!(system.fairness.len(), 1);
    let clocks = system.clocks.as_ref().expect("it is in continuous time");
    assert_eq!(
        clocks
            .iter()
            .map(|&var| cx.terms.name(var))
            .collect::<Vec<_>>(),
        ["c"]
    );
    let steps: Vec<String> = system
        .edges
        .rows()
        .flat_map(|(_, row)| row)
        .map(|edge| lines(cx, Language::Smv, edge.stmt).join(" "))
        .collect();
    assert_eq!(steps.len(), 2);
    assert!(steps[1].contains("c := c + delay"), "{steps:?}");
}
