//! Automata as DOT, text and never claims: small ones, pinned whole.

use lariat_base::{Id, SourceId};
use lariat_ltl::{Automaton, Formulas, read_hoa, to_dot, to_never, to_text};

/// The automaton with these propositions, acceptance condition and states.
fn automaton(aps: &str, acceptance: &str, body: &str) -> (Automaton, Formulas) {
    let text =
        format!("HOA: v1 Start: 0 AP: {aps} Acceptance: {acceptance} --BODY-- {body} --END--");
    let stream = read_hoa(SourceId::from_index(0), &text);
    assert!(stream.diagnostics.is_empty(), "{:?}", stream.diagnostics);
    let mut formulas = Formulas::new();
    let automaton = stream.automata[0].to_buchi(&mut formulas);
    (automaton.expect("a Büchi automaton"), formulas)
}

const RESPONSE: &str = "State: 0 [!2&!0 | !2&1] 0 {0} [2&!0 | 2&1] 0 {0 1} [0&!1&!2] 1 [0&!1&2] 1 {1} \
                        State: 1 [1&!2] 0 {0} [1&2] 0 {0 1} [!1&!2] 1 [!1&2] 1 {1}";
const BOTH: &str = "State: 0 [!0&!1] 0 [!0&1] 0 {0} [0&!1] 0 {1} [0&1] 0 {0 1}";
const REACH: &str = "State: 0 [!0 | !1] 0 [0&1] 1 State: 1 {0} [t] 1";
const STAY: &str = "State: 0 [t] 0 [0&!1] 1 State: 1 {0} [!1] 1";

fn dot((automaton, formulas): (Automaton, Formulas), expected: &[&str]) {
    let drawn = to_dot(&automaton, &formulas, "title");
    let lines: Vec<&str> = drawn
        .lines()
        .map(str::trim)
        .filter(|l| l.starts_with('s'))
        .collect();
    assert_eq!(lines, expected, "{drawn}");
    assert!(drawn.starts_with("digraph automaton {\n") && drawn.ends_with("}\n"));
}

#[test]
fn drawings() {
    dot(
        automaton("3 \"p\" \"q\" \"r\"", "2 Inf(0)&Inf(1)", RESPONSE),
        &[
            "start [shape=point, width=0.08]",
            "start -> s0",
            "s0 [label=\"0\"]",
            "s1 [label=\"1\"]",
            "s0 -> s0 [label=\"!r & (!p | q)  {0}\\nr & (!p | q)  {0,1}\"]",
            "s0 -> s1 [label=\"p & !q & !r\\np & !q & r  {1}\"]",
            "s1 -> s0 [label=\"q & !r  {0}\\nq & r  {0,1}\"]",
            "s1 -> s1 [label=\"!q & !r\\n!q & r  {1}\"]",
        ],
    );
    dot(
        automaton("2 \"p\" \"say \\\"hi\\\"\"", "1 Inf(0)", REACH),
        &[
            "start [shape=point, width=0.08]",
            "start -> s0",
            "s0 [label=\"0\"]",
            "s1 [label=\"1\", shape=doublecircle]",
            "s0 -> s0 [label=\"!(p & (say \\\"hi\\\"))\"]",
            "s0 -> s1 [label=\"p & (say \\\"hi\\\")\"]",
            "s1 -> s1 [label=\"true\"]",
        ],
    );
    dot(
        automaton("0", "1 Inf(0)", "State: 0"),
        &[
            "start [shape=point, width=0.08]",
            "start -> s0",
            "s0 [label=\"0\"]",
        ],
    );
}

#[test]
fn texts() {
    let (automaton, formulas) = automaton("2 \"a\" \"b\"", "2 Inf(0)&Inf(1)", BOTH);
    assert_eq!(
        to_text(&automaton, &formulas, "GFa & GFb"),
        "automaton of GFa & GFb\n\
         1 state, 4 edges, an edge of each of 2 sets infinitely often, deterministic\n\
         state 0, initial\n\
         \x20 to 0 if !a & !b\n\
         \x20 to 0 if !a & b {0}\n\
         \x20 to 0 if a & !b {1}\n\
         \x20 to 0 if a & b {0 1}\n"
    );
}

#[test]
fn never_claims() {
    let aps = "2 \"p\" \"q\"";
    let (ba, formulas) = automaton(aps, "1 Inf(0)", STAY);
    assert_eq!(
        to_never(&ba, &formulas, "!G(p -> F q)").as_deref(),
        Some(
            "never { /* !G(p -> F q) */\n\
             T0_init:\n  do\n  :: (true) -> goto T0_init\n  :: (p && !q) -> goto accept_S1\n  od;\n\
             accept_S1:\n  do\n  :: (!q) -> goto accept_S1\n  od;\n}\n"
        )
    );
    let (ba, formulas) = automaton(aps, "1 Inf(0)", REACH);
    let claim = to_never(&ba, &formulas, "F(p & q)").expect("a claim");
    assert!(
        claim.ends_with("accept_S1:\n  do\n  :: true\n  od;\n}\n"),
        "{claim}"
    );
    let (tgba, formulas) = automaton(aps, "2 Inf(0)&Inf(1)", BOTH);
    assert_eq!(to_never(&tgba, &formulas, ""), None);
}
