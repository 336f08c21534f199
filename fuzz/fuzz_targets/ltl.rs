//! The LTL parser in every syntax, with names and with expressions as atoms. What it reads must
//! print and read back as the same formula.
#![no_main]

use lariat_base::{Diagnostic, Id, SourceId, Span};
use lariat_ltl::{
    ApId, AtomSource, Brackets, Formulas, LassoWord, PlainNames, Syntax, parse_formula,
    print_formula, satisfies,
};
use libfuzzer_sys::fuzz_target;

/// Takes any expression as an atom.
struct AnyExpression;

impl AtomSource for AnyExpression {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        _span: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        assert!(!text.trim().is_empty(), "an atom has a text");
        Ok(formulas.ap_id(text))
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let (syntax, _) = Syntax::ALL[usize::from(choice) % Syntax::ALL.len()];
    let mut formulas = Formulas::new();
    let source = SourceId::from_index(0);
    let mut expressions = AnyExpression;
    let mut names = PlainNames;
    let atoms: &mut dyn AtomSource = if choice & 128 == 0 {
        &mut names
    } else {
        &mut expressions
    };
    let parsed = match parse_formula(&mut formulas, source, text, syntax, atoms) {
        Ok(parsed) => parsed,
        Err(errors) => {
            assert!(!errors.is_empty(), "a refusal has a reason");
            for error in errors {
                let Some(place) = error.primary else { continue };
                assert!(text.get(place.span.range()).is_some(), "{:?}", place.span);
            }
            return;
        }
    };
    if formulas.tree_size(parsed.formula) > 2000 {
        return;
    }
    for brackets in [Brackets::All, Brackets::Minimal] {
        let printed = print_formula(&formulas, parsed.formula, Syntax::Spot, brackets);
        let printed = printed.expect("a small formula has a short text");
        let again = parse_formula(
            &mut formulas,
            source,
            &printed,
            Syntax::Spot,
            &mut PlainNames,
        );
        let again = again.unwrap_or_else(|e| panic!("{printed}: {e:?}"));
        assert_eq!(again.formula, parsed.formula, "{printed}");
    }
    let word = LassoWord::parse(&mut formulas, "a; cycle{b; a & b}").expect("a word");
    let not = formulas.not(parsed.formula);
    assert_ne!(
        satisfies(&formulas, &word, parsed.formula),
        satisfies(&formulas, &word, not)
    );
});
