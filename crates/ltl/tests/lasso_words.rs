//! The evaluator against the word verdicts of the shared corpus, if it is there.
#![allow(clippy::print_stdout)] // a test may tell what it skipped

use std::path::PathBuf;

use lariat_base::{Id, SourceId};
use lariat_ltl::{
    FormulaId, Formulas, LassoWord, PlainNames, Rng, Syntax, parse_formula, random_word, satisfies,
};

/// A table of the corpus beside the repository, without its header.
fn rows(name: &str) -> Vec<Vec<String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/ltl")
        .join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return Vec::new();
    };
    let split = |line: &str| line.split('\t').map(str::to_owned).collect();
    text.lines().skip(1).map(split).collect()
}

fn parse(formulas: &mut Formulas, text: &str) -> FormulaId {
    let source = SourceId::from_index(0);
    let parsed = parse_formula(formulas, source, text, Syntax::Spot, &mut PlainNames);
    parsed.unwrap_or_else(|e| panic!("{text}: {e:?}")).formula
}

#[test]
fn every_word_of_the_corpus_has_its_verdict() {
    let mut n = 0;
    for row in rows("lasso-words.tsv") {
        let [_, formula, word, accepted] = row.as_slice() else {
            panic!("four columns: {row:?}");
        };
        let mut formulas = Formulas::new();
        let f = parse(&mut formulas, formula);
        let lasso = LassoWord::parse(&mut formulas, word).unwrap_or_else(|e| panic!("{word}: {e}"));
        assert_eq!(
            satisfies(&formulas, &lasso, f),
            accepted == "1",
            "{formula} on {word}"
        );
        n += 1;
    }
    println!("{n} verdicts agree");
}

/// Laws that tie the past to the future; each pair agrees on every word.
const LAWS: [(&str, &str); 12] = [
    ("X Y a", "a"),
    ("G(a -> O b)", "!a W b"),
    ("F(a & O b)", "F(b & F a)"),
    ("G(a -> H b)", "G(F a -> b)"),
    ("F(a & Y b)", "F(b & X a)"),
    ("F(c & (a since b))", "F(b & (c | X(a U (a & c))))"),
    ("G(a since b)", "b & X G(a | b)"),
    ("!(a since b)", "!a T !b"),
    ("!Y a", "Z !a"),
    ("G F (O a)", "F a"),
    ("F G (H a)", "G a"),
    ("F(a & Y Y O b)", "F(b & X X F a)"),
];

#[test]
fn past_operators_obey_their_laws() {
    let mut rng = Rng::new(99);
    for (left, right) in LAWS {
        let mut formulas = Formulas::new();
        let (f, g) = (parse(&mut formulas, left), parse(&mut formulas, right));
        let aps: Vec<_> = ["a", "b", "c"].iter().map(|n| formulas.ap_id(n)).collect();
        for _ in 0..500 {
            let word = random_word(&mut rng, &aps);
            assert_eq!(
                satisfies(&formulas, &word, f),
                satisfies(&formulas, &word, g),
                "{left} and {right} on {}",
                word.display(&formulas)
            );
        }
    }
}
