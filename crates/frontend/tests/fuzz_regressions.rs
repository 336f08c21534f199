//! Inputs that a fuzzer found, shortened: each is read or refused, and what is read survives a round trip.

mod common;

use common::{load, round_trip};
use lariat_system::Language;

#[track_caller]
fn holds(language: Language, text: &str) {
    if let Ok(mut loaded) = load(language, "fuzz", text) {
        let printed = round_trip(&mut loaded);
        assert!(printed.is_ok(), "{}", printed.err().unwrap_or_default());
    }
}

#[test]
fn a_formula_with_an_open_brace_ends_at_its_semicolon() {
    holds(Language::Gcl, "property bounded: G nt */e Color = { re");
}

#[test]
fn a_statement_that_cannot_be_read_is_passed() {
    holds(
        Language::Cfa,
        "main process m { init loc A A -> A { return 1 } }",
    );
}
