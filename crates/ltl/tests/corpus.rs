//! The formulas of the shared corpus, if it is there: the same in Spot's and in Spin's syntax, and the
//! properties of models and programs with expressions as atoms.
#![allow(clippy::print_stdout)] // a test may tell what it skipped

use std::path::PathBuf;

use lariat_base::{Diagnostic, Id, SourceId, Span};
use lariat_ltl::{
    ApId, AtomSource, FormulaId, Formulas, PlainNames, Rng, Syntax, parse_formula, random_word,
    satisfies,
};

fn corpus(name: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = folder.join(name);
    let text = std::fs::read_to_string(&path);
    if text.is_err() {
        println!("skipped: {} is not there", path.display());
    }
    text.ok()
}

fn read(formulas: &mut Formulas, text: &str, syntax: Syntax) -> FormulaId {
    let source = SourceId::from_index(0);
    let parsed = parse_formula(formulas, source, text, syntax, &mut PlainNames);
    parsed.unwrap_or_else(|e| panic!("{text}: {e:?}")).formula
}

#[test]
fn spot_and_spin_texts_of_a_formula_agree() {
    let mut rng = Rng::new(5);
    for set in ["dac", "eh", "sb", "hkrss", "p", "sejk"] {
        let Some(spot) = corpus(&format!("ltl/{set}-patterns.ltl")) else {
            return;
        };
        let spin = corpus(&format!("ltl/{set}-patterns.spin")).expect("the same in Spin's syntax");
        assert_eq!(spot.lines().count(), spin.lines().count(), "{set}");
        for (a, b) in spot.lines().zip(spin.lines()) {
            let mut formulas = Formulas::new();
            let f = read(&mut formulas, a, Syntax::Spot);
            let aps = formulas.aps_of(f);
            for syntax in [Syntax::Spin, Syntax::SpinNever] {
                let g = read(&mut formulas, b, syntax);
                for _ in 0..20 {
                    let word = random_word(&mut rng, &aps);
                    assert_eq!(
                        satisfies(&formulas, &word, f),
                        satisfies(&formulas, &word, g),
                        "{a} and {b} on {}",
                        word.display(&formulas)
                    );
                }
            }
        }
    }
}

/// Takes any expression, and lists what it was given.
struct Texts(Vec<String>);

impl AtomSource for Texts {
    fn atom(
        &mut self,
        formulas: &mut Formulas,
        text: &str,
        _span: Span,
    ) -> Result<ApId, Box<Diagnostic>> {
        self.0.push(text.to_owned());
        Ok(formulas.ap_id(text))
    }
}

/// The formula inside `CHECK( init(main()), LTL( … ) )` or before a semicolon.
fn formula_of(property: &str) -> &str {
    let text = property.trim().trim_end_matches(';');
    let Some((_, rest)) = text.split_once("LTL(") else {
        return text;
    };
    let inner = rest.strip_suffix(')').expect("the bracket of CHECK");
    inner
        .trim_end()
        .strip_suffix(')')
        .expect("the bracket of LTL")
}

#[test]
fn properties_of_models_and_programs_read() {
    let mut n = 0;
    for (manifest, syntax) in [
        ("theta/manifest.tsv", Syntax::Spot),
        ("c/manifest.tsv", Syntax::Ultimate),
    ] {
        let Some(table) = corpus(manifest) else {
            return;
        };
        let columns: Vec<&str> = table.lines().next().unwrap_or("").split('\t').collect();
        let column = |name: &str| {
            let found = columns.iter().position(|c| c.ends_with(name));
            found.unwrap_or_else(|| panic!("{manifest} has no column {name}: {columns:?}"))
        };
        let (kind, property) = (column("kind"), column("property"));
        for row in table.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            if cells[kind] != "ltl" {
                continue;
            }
            let text = formula_of(cells[property]);
            let mut formulas = Formulas::new();
            let mut atoms = Texts(Vec::new());
            let source = SourceId::from_index(0);
            let parsed = parse_formula(&mut formulas, source, text, syntax, &mut atoms);
            assert!(parsed.is_ok(), "{text}: {parsed:?}");
            assert!(!atoms.0.is_empty(), "{text}");
            n += 1;
        }
    }
    println!("{n} properties read");
}
