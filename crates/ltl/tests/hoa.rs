//! HOA in and out: pinned readings and diagnostics, the corpus, and automata of formulas.
#![allow(clippy::print_stdout)] // a test may tell what it skipped

use std::path::PathBuf;

use lariat_base::{Budget, Diagnostic, Id, SourceId};
use lariat_ltl::{
    Acceptance, Automaton, Effort, FormulaId, Formulas, HoaAutomaton, Operators, PlainNames, Rng,
    Syntax, TranslateConfig, parse_formula, random_formula, random_word, read_hoa, satisfies,
    translate,
};

fn show(diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map_or(String::new(), |place| {
        format!("@{}..{}", place.span.start, place.span.end)
    });
    let mut parts = vec![format!("{}{place}: {}", diagnostic.id, diagnostic.message)];
    parts.extend(diagnostic.hints.iter().cloned());
    parts.join("; ")
}

/// The one automaton of a text.
fn one(text: &str) -> HoaAutomaton {
    let mut stream = read_hoa(SourceId::from_index(0), text);
    assert!(stream.diagnostics.is_empty(), "{:?}", stream.diagnostics);
    assert_eq!(stream.automata.len(), 1, "{text}");
    stream.automata.remove(0)
}

fn formula(formulas: &mut Formulas, text: &str) -> Option<FormulaId> {
    let source = SourceId::from_index(0);
    let parsed = parse_formula(formulas, source, text, Syntax::Spot, &mut PlainNames);
    parsed.ok().map(|parsed| parsed.formula)
}

/// Random words over the automaton's atoms have the formula's verdict.
fn agrees(automaton: &Automaton, formulas: &Formulas, f: FormulaId, context: &str) {
    let mut rng = Rng::new(1);
    for _ in 0..100 {
        let word = random_word(&mut rng, automaton.aps());
        assert_eq!(
            automaton.accepts(&word),
            satisfies(formulas, &word, f),
            "{context} on {}",
            word.display(formulas)
        );
    }
}

/// What the corpus's files are, in order of their names: the size of the Büchi automaton or why
/// there is none.
const CORPUS: &[(&str, &[&str])] = &[
    ("abort.hoa", &["1 states, 1 edges, all"]),
    (
        "hoaf-01.hoa",
        &[
            "the acceptance condition `Fin(0)&Inf(1)` (Rabin 1) is not a Büchi condition: it has `Fin`",
        ],
    ),
    (
        "hoaf-02.hoa",
        &[
            "the acceptance condition `Fin(0)&Inf(1)` (Rabin 1) is not a Büchi condition: it has `Fin`",
        ],
    ),
    ("hoaf-03.hoa", &["1 states, 4 edges, generalized-Buchi 2"]),
    ("hoaf-04.hoa", &["1 states, 4 edges, generalized-Buchi 2"]),
    ("hoaf-05.hoa", &["1 states, 4 edges, generalized-Buchi 2"]),
    ("hoaf-06.hoa", &["3 states, 6 edges, Buchi"]),
    ("hoaf-07.hoa", &["3 states, 6 edges, Buchi"]),
    ("hoaf-08.hoa", &["4 states, 9 edges, Buchi"]),
    ("hoaf-09.hoa", &["4 states, 9 edges, Buchi"]),
    (
        "hoaf-10.hoa",
        &["the automaton is alternating: an edge or a start joins states with `&`"],
    ),
    (
        "ltl3ba-tgba.hoa",
        &["4 states, 7 edges, generalized-Buchi 2"],
    ),
    (
        "ltl3ba-vwaa-alternating.hoa",
        &["the automaton is alternating: an edge or a start joins states with `&`"],
    ),
    ("multi-start.hoa", &["3 states, 4 edges, Buchi"]),
    (
        "neg-acc-set.hoa",
        &["the acceptance condition `Inf(!0)&Fin(1)` is not a Büchi condition: it has `Fin`"],
    ),
    ("nested-comment.hoa", &["1 states, 1 edges, all"]),
    ("no-start.hoa", &["2 states, 1 edges, Buchi"]),
    ("owl-nba.hoa", &["4 states, 8 edges, Buchi"]),
    ("spot-8aps.hoa", &["2 states, 3 edges, Buchi"]),
    ("spot-aliases.hoa", &["2 states, 8 edges, Buchi"]),
    ("spot-ba-state-acc.hoa", &["3 states, 8 edges, Buchi"]),
    ("spot-false.hoa", &["1 states, 0 edges, all"]),
    (
        "spot-generic-streettlike.hoa",
        &[
            "the acceptance condition `Fin(0) | Inf(1)` (Streett 1) is not a Büchi condition: it has `Fin`",
        ],
    ),
    ("spot-implicit-labels.hoa", &["2 states, 4 edges, Buchi"]),
    ("spot-mixed-acc.hoa", &["1 states, 2 edges, Buchi"]),
    (
        "spot-parity.hoa",
        &[
            "the acceptance condition `Inf(0) | Fin(1)` (parity min even 2) is not a Büchi condition: it has `Fin`",
        ],
    ),
    ("spot-quoted-aps.hoa", &["2 states, 3 edges, Buchi"]),
    (
        "spot-state-labels-if-possible.hoa",
        &["2 states, 4 edges, Buchi"],
    ),
    ("spot-tgba.hoa", &["2 states, 6 edges, generalized-Buchi 2"]),
    ("spot-true.hoa", &["1 states, 1 edges, all"]),
    (
        "spot-two-automata-stream.hoa",
        &["2 states, 3 edges, Buchi", "2 states, 3 edges, Buchi"],
    ),
];

#[test]
fn every_file_of_the_corpus_reads_or_is_rejected_for_its_reason() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl/hoa");
    if !folder.exists() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let mut n_files = 0;
    for (name, expected) in CORPUS {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file of the corpus");
        let stream = read_hoa(SourceId::from_index(0), &text);
        assert!(
            stream.diagnostics.is_empty(),
            "{name}: {:?}",
            stream.diagnostics
        );
        let actual: Vec<String> = stream
            .automata
            .iter()
            .map(|a| round_trip(name, a))
            .collect();
        assert_eq!(actual, *expected, "{name}");
        n_files += 1;
    }
    let n_there = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(n_files, n_there, "every file is in the table");
}

/// Writes and reads the data and, if it is one, the Büchi automaton; describes the latter.
fn round_trip(name: &str, automaton: &HoaAutomaton) -> String {
    assert_eq!(one(&automaton.to_string()), *automaton, "{name}");
    let mut formulas = Formulas::new();
    let buchi = match automaton.to_buchi(&mut formulas) {
        Ok(buchi) => buchi,
        Err(error) => return error.to_string(),
    };
    let written = HoaAutomaton::from_buchi(&buchi, &formulas, automaton.name.clone());
    let again = one(&written.to_string());
    assert_eq!(again, written, "{name}");
    let buchi_again = again.to_buchi(&mut formulas).expect("a Büchi automaton");
    let rewritten = HoaAutomaton::from_buchi(&buchi_again, &formulas, automaton.name.clone());
    assert_eq!(rewritten.to_string(), written.to_string(), "{name}");
    let title = automaton.name.as_deref().unwrap_or("");
    if let Some(f) = formula(&mut formulas, title)
        && formulas.aps_of(f).iter().all(|ap| buchi.aps().contains(ap))
        && name != "nested-comment.hoa"
    {
        agrees(&buchi, &formulas, f, name);
    }
    format!(
        "{} states, {} edges, {}",
        buchi.n_states(),
        buchi.n_edges(),
        written.acc_name.join(" ")
    )
}

#[test]
fn automata_of_formulas_survive_hoa() {
    let seed = std::env::var("LARIAT_SEED").map_or(11, |s| s.parse().expect("a number"));
    let mut rng = Rng::new(seed);
    for round in 0..150 {
        let mut formulas = Formulas::new();
        let aps: Vec<_> = ["a", "b", "c d"]
            .iter()
            .map(|n| formulas.ap_id(n))
            .collect();
        let f = random_formula(&mut formulas, &mut rng, &aps, 8, Operators::Future);
        for acceptance in [
            Acceptance::Generalized,
            Acceptance::Buchi,
            Acceptance::StateBuchi,
        ] {
            let config = TranslateConfig::new(acceptance, Effort::Low);
            let automaton = translate(&mut formulas, f, &config, &Budget::unlimited())
                .expect("a small automaton");
            let text = HoaAutomaton::from_buchi(&automaton, &formulas, None).to_string();
            let back = one(&text)
                .to_buchi(&mut formulas)
                .expect("a Büchi automaton");
            assert_eq!(
                (back.n_states(), back.n_edges() <= automaton.n_edges()),
                (automaton.n_states(), true),
                "seed {seed}, round {round}: {text}"
            );
            agrees(
                &back,
                &formulas,
                f,
                &format!("seed {seed}, round {round}: {text}"),
            );
        }
    }
}

/// A little automaton with the given header lines and body.
fn text(headers: &str, body: &str) -> String {
    format!("HOA: v1\n{headers}\n--BODY--\n{body}\n--END--\n")
}

/// What is said about a text.
fn findings(text: &str) -> Vec<String> {
    let stream = read_hoa(SourceId::from_index(0), text);
    stream.diagnostics.iter().map(show).collect()
}

fn wrong(text: &str, expected: &str) {
    assert_eq!(findings(text), [expected], "{text}");
}

#[test]
fn errors_have_places() {
    wrong("", "hoa-syntax@0..0: there is no automaton in this text");
    wrong(
        "hello",
        "hoa-syntax@0..5: an automaton begins with `HOA: v1`",
    );
    wrong(
        "HOA: v2\nAcceptance: 0 t\n--BODY--\n--END--",
        "hoa-version@5..7: version `v2` of the format is not supported, only `v1`",
    );
    wrong(
        &text("AP: 0", ""),
        "hoa-syntax@14..22: `Acceptance:` is missing",
    );
    wrong(
        &text("Acceptance: 0 t Acceptance: 0 t", ""),
        "hoa-syntax@24..35: `Acceptance:` may occur only once",
    );
    wrong(
        &text("Acceptance: 1 Inf(1)", ""),
        "hoa-set@26..27: there is no acceptance set 1; `Acceptance:` says 1",
    );
    wrong(
        &text("Acceptance: 1 Inf(0) &", ""),
        "hoa-syntax@31..39: expected `Inf`, `Fin`, `t`, `f` or `(`",
    );
    wrong(
        &text("AP: 2 \"a\" Acceptance: 0 t", ""),
        "hoa-syntax@12..13: 2 propositions announced, 1 listed",
    );
    wrong(
        &text("AP: 2 \"a\" \"a\" Acceptance: 0 t", ""),
        "hoa-syntax@18..21: the proposition `a` is listed twice",
    );
    wrong(
        &text("States: 1 Acceptance: 0 t", "State: 1"),
        "hoa-state@50..51: there is no state 1; `States:` says 1",
    );
    wrong(
        &text("Start: 3 States: 2 Acceptance: 0 t", ""),
        "hoa-state@43..51: there is no state 3; `States:` says 2",
    );
    wrong(
        &text("Alias: @a 0&!1 AP: 1 \"a\" Acceptance: 0 t", ""),
        "hoa-label@49..57: the alias `@a` uses proposition 1; `AP:` lists 1",
    );
    wrong(
        &text("AP: 0 Acceptance: 0 t", "State: 0 State: 0"),
        "hoa-state@55..56: state 0 is defined twice",
    );
    wrong(
        &text("AP: 1 \"a\" Acceptance: 0 t", "State: 0 0"),
        "hoa-label@50..51: state 0 has 1 edges without labels; with 1 propositions it needs 2^1",
    );
    wrong(
        &text("AP: 1 \"a\" Acceptance: 0 t", "State: 0 [0] 0 0"),
        "hoa-label@58..59: either the state, all of its edges or none of them have labels",
    );
    wrong(
        &text("AP: 1 \"a\" Acceptance: 0 t", "State: 0 [1] 0"),
        "hoa-label@53..54: there is no proposition 1; `AP:` lists 1",
    );
    wrong(
        &text(
            "AP: 1 \"a\" Alias: @foo 0 Acceptance: 0 t",
            "State: 0 [@fooo] 0",
        ),
        "hoa-label@67..72: the alias `@fooo` is not defined; did you mean `@foo`?",
    );
    wrong(
        &text("AP: 1 \"a\" Acceptance: 0 t", "State: 0 [(0|!0] 0"),
        "hoa-syntax@58..59: expected `)`",
    );
    wrong(
        &text("Acceptance: 0 t", "State: 0 [t"),
        "hoa-syntax@45..52: expected `]`",
    );
    wrong(
        "HOA: v1 /* /* */",
        "hoa-syntax@8..10: this comment is never closed",
    );
    wrong(
        "HOA: v1 name: \"a",
        "hoa-syntax@14..15: this quotation mark is never closed",
    );
    wrong("HOA: v1 #", "hoa-syntax@8..9: unexpected character `#`");
    wrong(
        "HOA: v1 States: 99999999999",
        "hoa-syntax@16..27: this number is too large",
    );
    wrong(
        &text("Starts: 0 Acceptance: 0 t", ""),
        "hoa-header@8..15: the header `Starts:` is unknown and may matter; did you mean `Start:`?",
    );
}

#[test]
fn a_stream_goes_on_after_a_bad_automaton() {
    let good = text("Start: 0 AP: 0 Acceptance: 0 t", "State: 0 [t] 0");
    let stream = format!("{good}HOA: v1 States: --END--\n{good}HOA: v1 --ABORT--{good}");
    let read = read_hoa(SourceId::from_index(0), &stream);
    assert_eq!((read.automata.len(), read.diagnostics.len()), (3, 1));
}

#[test]
fn negated_properties_and_unknown_headers_are_kept() {
    let source = text(
        "properties: !deterministic complete owlArgs: \"a\\\"b\" 3 x AP: 0 Acceptance: 0 t",
        "",
    );
    let automaton = one(&source);
    assert_eq!(automaton.properties, ["!deterministic", "complete"]);
    assert_eq!(automaton.other_headers[0].1, ["\"a\\\"b\"", "3", "x"]);
    assert_eq!(one(&automaton.to_string()), automaton);
}

/// The Büchi automaton of a one-state body with propositions `a` and `b` agrees with a formula.
fn means(acceptance: &str, body: &str, expected: &str) {
    let headers = format!("Start: 0 AP: 2 \"a\" \"b\" Acceptance: {acceptance}");
    let mut formulas = Formulas::new();
    let automaton = one(&text(&headers, body)).to_buchi(&mut formulas);
    let automaton = automaton.expect("a Büchi automaton");
    let f = formula(&mut formulas, expected).expect("a formula");
    agrees(&automaton, &formulas, f, expected);
}

#[test]
fn conditions_without_fin_are_generalized_buchi() {
    let body = "State: 0 [0&!1] 0 {0} [1&!0] 0 {1} [0&1] 0 {0 1} [!0&!1] 0";
    means("2 Inf(0) & Inf(1)", body, "GFa & GFb");
    means("2 Inf(0) | Inf(1)", body, "GFa | GFb");
    means("3 Inf(0) & (Inf(1) | Inf(2))", body, "GFa & GFb");
    means("2 Inf(!0)", body, "GF!a");
    means("2 Inf(!0) & Inf(1) | f", body, "GF!a & GFb");
    means("2 (Inf(0) & Inf(1)) | Inf(!1)", body, "(GFa & GFb) | GF!b");
    means("0 t", "State: 0 [t] 0", "1");
    means("0 f", "State: 0 [t] 0", "0");
    means(
        "1 Inf(0)",
        "State: 0 [0] 1 {0} State: 1 [1] 1 {0}",
        "a & XGb",
    );
    // A state's marks and label count for all of its edges; implicit labels have proposition 0 first.
    means("1 Inf(0)", "State: [0] 0 {0} 0", "Ga");
    means("1 Inf(0)", "State: 0 0 0 {0} 0 0 {0}", "GFa");
    means("1 Inf(0)", "State: 0 {0} [!(0|!(1))] 0", "G(!a & b)");
}

#[test]
fn labels_that_explode_are_refused() {
    use std::fmt::Write;
    let names: Vec<String> = (0..60).map(|i| format!("\"p{i}\"")).collect();
    let mut headers = format!("Start: 0 AP: 60 {} Alias: @0 0", names.join(" "));
    for i in 1..60 {
        let j = i - 1;
        write!(headers, " Alias: @{i} @{j}&!{i} | !@{j}&{i}").expect("a string");
    }
    headers += " Acceptance: 0 t";
    let automaton = one(&text(&headers, "State: 0 [@59] 0"));
    let error = automaton
        .to_buchi(&mut Formulas::new())
        .expect_err("too large");
    assert_eq!(
        error.to_string(),
        "a label is too large when written as a disjunction of conjunctions"
    );
    let small = one(&text(&headers, "State: 0 [@5] 0"));
    let buchi = small.to_buchi(&mut Formulas::new()).expect("small enough");
    assert_eq!(buchi.cubes(buchi.edges(buchi.initial())[0].label).len(), 32);
}
