//! Operators as people write them who come from CTL, or from English: each is read as its LTL spelling, or answered.

use lariat_base::SourceMap;
use lariat_ltl::{Brackets, Formulas, PlainNames, Syntax, parse_formula, print_formula};

/// The formula as it was read, or the id of the error.
fn read(text: &str) -> String {
    let mut formulas = Formulas::new();
    let mut sources = SourceMap::new();
    let source = sources.add("<formula>", text);
    match parse_formula(&mut formulas, source, text, Syntax::Spot, &mut PlainNames) {
        Err(findings) => format!("error[{}]", findings[0].id),
        Ok(parsed) => print_formula(&formulas, parsed.formula, Syntax::Spot, Brackets::Minimal)
            .expect("it is short"),
    }
}

#[test]
fn english_words_are_operators() {
    for (text, expected) in [
        ("globally a", "G a"),
        ("finally a", "F a"),
        ("never a", "G !a"),
        ("never (a and b)", "G !(a & b)"),
        ("never[0..1] a", "!a & X !a"),
        ("always (if a then b)", "G (a -> b)"),
        ("if a then F b else G c", "(a -> F b) & (!a -> G c)"),
        (
            "if a then if b then c else d",
            "a -> ((b -> c) & (!b -> d))",
        ),
        ("(if a then b) and c", "(a -> b) & c"),
    ] {
        assert_eq!(read(text), read(expected), "{text}");
        assert!(!read(text).starts_with("error"), "{text}");
    }
    for text in ["if a", "if a then", "a then b", "if a else b", "never"] {
        assert_eq!(read(text), "error[syntax]", "{text}");
    }
}

#[test]
fn quantifiers_over_all_runs_are_left_out_where_that_changes_nothing() {
    for (text, expected) in [
        ("AG a", "G a"),
        ("A G a", "G a"),
        ("A [] a", "G a"),
        ("AG (a -> AF b)", "G (a -> F b)"),
        ("AG AF a & AX b", "G F a & X b"),
        ("AG (a | AF b)", "G (a | F b)"),
    ] {
        assert_eq!(read(text), read(expected), "{text}");
    }
    // Names stay names where no operand follows.
    for text in [
        "AG", "AG & b", "X AG", "AG U b", "AG and b", "AX -> EF", "A U E",
    ] {
        assert!(!read(text).starts_with("error"), "{text}: {}", read(text));
    }
    for text in [
        "AF AG a",
        "!AG a",
        "AG a | AG b",
        "AF a -> b",
        "a U AG b",
        "F AG a",
        "AG a <-> b",
    ] {
        assert_eq!(read(text), "error[not-ltl]", "{text}");
    }
    for text in ["EF a", "E F a", "EG (a & b)", "AG EF a", "E <> a"] {
        assert_eq!(read(text), "error[not-ltl]", "{text}");
    }
}
