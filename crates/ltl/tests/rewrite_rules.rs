//! Every rewriting rule of the shared corpus, if it is there, holds under the evaluator: both sides,
//! with random formulas for their letters, agree on random words.
#![allow(clippy::print_stdout)] // a test may tell what it skipped

use std::path::PathBuf;

use lariat_base::{FxHashMap, Id, SourceId};
use lariat_ltl::{
    ApId, Class, FormulaId, Formulas, Op, Operators, PlainNames, Rng, Syntax, parse_formula,
    random_formula, random_word, satisfies,
};

fn read(formulas: &mut Formulas, text: &str) -> FormulaId {
    let source = SourceId::from_index(0);
    let parsed = parse_formula(formulas, source, text, Syntax::Spot, &mut PlainNames);
    parsed.unwrap_or_else(|e| panic!("{text}: {e:?}")).formula
}

/// A random formula of the class that a letter stands for: `b` Boolean, `e` pure eventuality, `u`
/// purely universal, `q` both, others any.
fn instance(formulas: &mut Formulas, rng: &mut Rng, aps: &[ApId], letter: &str) -> FormulaId {
    let class = match &letter[..1] {
        "b" => Class::BOOLEAN,
        "e" => Class::EVENTUAL,
        "u" => Class::UNIVERSAL,
        "q" => Class::EVENTUAL.union(Class::UNIVERSAL),
        _ => {
            let size = 1 + rng.below(5);
            return random_formula(formulas, rng, aps, size, Operators::Future);
        }
    };
    loop {
        let size = 1 + rng.below(6);
        let f = random_formula(formulas, rng, aps, size, Operators::Future);
        let constant = matches!(formulas.op(f), Op::True | Op::False);
        if formulas.is(f, class) && (!constant || rng.below(20) == 0) {
            return f;
        }
    }
}

/// Changes the instances so that the condition `f=>g`, `!f=>g` or `f=>!g` holds.
fn impose(formulas: &mut Formulas, values: &mut FxHashMap<String, FormulaId>, condition: &str) {
    let Some((left, right)) = condition.split_once("=>") else {
        return;
    };
    let side = |formulas: &mut Formulas, values: &FxHashMap<String, FormulaId>, text: &str| {
        let value = values[text.trim_start_matches('!')];
        if text.starts_with('!') {
            formulas.not(value)
        } else {
            value
        }
    };
    let (from, to) = (side(formulas, values, left), side(formulas, values, right));
    if right.starts_with('!') {
        let both = formulas.and(from, to);
        values.insert(left.to_owned(), both);
    } else {
        let either = formulas.or(from, to);
        values.insert(right.to_owned(), either);
    }
}

/// `pattern` with its letters replaced.
fn substitute(
    formulas: &mut Formulas,
    pattern: FormulaId,
    values: &FxHashMap<String, FormulaId>,
) -> FormulaId {
    let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
    for f in formulas.subformulas(pattern) {
        let new = if let Op::Ap(ap) = formulas.op(f) {
            values[formulas.ap_name(ap)]
        } else {
            let children: Vec<FormulaId> = formulas.children(f).iter().map(|c| done[c]).collect();
            formulas.make(formulas.op(f), &children)
        };
        done.insert(f, new);
    }
    done[&pattern]
}

#[test]
fn every_rule_holds() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpus/ltl/rewrite-rules.tsv");
    let Ok(table) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let mut rng = Rng::new(2024);
    let mut n_rules = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, condition, left, right] = cells[..] else {
            panic!("four columns: {row}");
        };
        n_rules += 1;
        for _ in 0..30 {
            let mut formulas = Formulas::new();
            let aps: Vec<ApId> = ["x", "y", "z"].iter().map(|n| formulas.ap_id(n)).collect();
            let patterns = [left, right].map(|text| read(&mut formulas, text));
            let mut letters: Vec<ApId> = Vec::new();
            for pattern in patterns {
                letters.extend(formulas.aps_of(pattern));
            }
            let mut values: FxHashMap<String, FormulaId> = FxHashMap::default();
            for letter in letters {
                let name = formulas.ap_name(letter).to_owned();
                let value = instance(&mut formulas, &mut rng, &aps, &name);
                values.insert(name, value);
            }
            impose(&mut formulas, &mut values, condition);
            let [f, g] = patterns.map(|pattern| substitute(&mut formulas, pattern, &values));
            for _ in 0..15 {
                let word = random_word(&mut rng, &aps);
                assert_eq!(
                    satisfies(&formulas, &word, f),
                    satisfies(&formulas, &word, g),
                    "{row} on {}",
                    word.display(&formulas)
                );
            }
        }
    }
    println!("{n_rules} rules hold");
}
