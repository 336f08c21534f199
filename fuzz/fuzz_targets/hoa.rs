//! The HOA reader. What it reads must write and read back as the same data, and a Büchi automaton
//! made of it must survive the same.
#![no_main]

use lariat_base::{Id, Severity, SourceId};
use lariat_ltl::{Formulas, HoaAutomaton, read_hoa};
use libfuzzer_sys::fuzz_target;

fn one(text: &str) -> HoaAutomaton {
    let mut stream = read_hoa(SourceId::from_index(0), text);
    let is_error = |severity| severity == Severity::Error;
    let errors = stream.diagnostics.iter().any(|d| is_error(d.severity));
    assert!(
        !errors && stream.automata.len() == 1,
        "{text}: {:?}",
        stream.diagnostics
    );
    stream.automata.remove(0)
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let stream = read_hoa(SourceId::from_index(0), text);
    for diagnostic in &stream.diagnostics {
        let Some(place) = &diagnostic.primary else {
            continue;
        };
        assert!(text.get(place.span.range()).is_some(), "{:?}", place.span);
    }
    for automaton in &stream.automata {
        assert_eq!(one(&automaton.to_string()), *automaton);
        let mut formulas = Formulas::new();
        let Ok(buchi) = automaton.to_buchi(&mut formulas) else {
            continue;
        };
        let written = HoaAutomaton::from_buchi(&buchi, &formulas, None);
        let again = one(&written.to_string());
        assert_eq!(again, written);
        again.to_buchi(&mut formulas).expect("a Büchi automaton");
    }
});
