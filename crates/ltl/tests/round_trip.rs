//! Random formulas printed in every syntax and read back. The seed is printed; `LARIAT_SEED` replays it.

use lariat_base::{Id, SourceId};
use lariat_ltl::{
    Brackets, FormulaId, Formulas, LassoWord, Op, PlainNames, Syntax, parse_formula, print_formula,
    satisfies,
};

/// Marsaglia's xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

const NAMES: [&str; 10] = [
    "a",
    "b",
    "p0",
    "x > 3",
    "G",
    "S",
    "Foo",
    "next",
    "say \"hi\\\"",
    "AP(",
];

const OPS: [Op; 19] = [
    Op::Not,
    Op::And,
    Op::Or,
    Op::Implies,
    Op::Iff,
    Op::Xor,
    Op::X,
    Op::F,
    Op::G,
    Op::U,
    Op::W,
    Op::R,
    Op::M,
    Op::Y,
    Op::Z,
    Op::O,
    Op::H,
    Op::S,
    Op::T,
];

fn random_formula(random: &mut Random, formulas: &mut Formulas) -> FormulaId {
    let mut pool: Vec<FormulaId> = NAMES.iter().map(|n| formulas.ap_named(n)).collect();
    pool.push(formulas.tt());
    pool.push(formulas.ff());
    let n_ops = 1 + random.below(12);
    for _ in 0..n_ops {
        let op = OPS[random.below(OPS.len())];
        // Recent formulas are likelier, so that the result is deep rather than wide.
        let mut pick = |pool: &[FormulaId]| {
            let window = 1 + random.below(pool.len());
            pool[pool.len() - 1 - random.below(window)]
        };
        let operands = match op {
            Op::Not | Op::X | Op::F | Op::G | Op::Y | Op::Z | Op::O | Op::H => vec![pick(&pool)],
            Op::And | Op::Or => vec![pick(&pool), pick(&pool), pick(&pool)],
            _ => vec![pick(&pool), pick(&pool)],
        };
        let f = formulas.make(op, &operands);
        pool.push(f);
    }
    pool[pool.len() - 1]
}

/// Whether the printer of this syntax writes some operator of `f` out.
fn is_written_out(formulas: &Formulas, f: FormulaId, syntax: Syntax) -> bool {
    let missing = |op: Op| match syntax {
        Syntax::Spot => false,
        Syntax::CpaChecker => op == Op::M,
        Syntax::Smv => matches!(op, Op::W | Op::M),
        Syntax::SpinNever => matches!(op, Op::W | Op::M | Op::Xor),
        Syntax::Spin | Syntax::Ltsmin | Syntax::Ultimate => matches!(op, Op::M | Op::Xor),
    };
    let all = formulas.subformulas(f);
    all.into_iter().any(|g| missing(formulas.op(g)))
}

fn random_word(random: &mut Random, formulas: &mut Formulas) -> LassoWord {
    let aps = NAMES.iter().map(|n| formulas.ap_id(n)).collect();
    let mut letters = |n: usize| {
        (0..n)
            .map(|_| random.below(1 << NAMES.len()) as u64)
            .collect()
    };
    let stem = letters(3);
    let cycle = letters(3);
    LassoWord::new(aps, stem, cycle).expect("a cycle")
}

#[test]
fn what_is_printed_is_read_back() {
    let seed = std::env::var("LARIAT_SEED").map_or(0x001a_41a7, |s| s.parse().expect("a number"));
    let mut random = Random(seed);
    for round in 0..2000 {
        let mut formulas = Formulas::new();
        let f = random_formula(&mut random, &mut formulas);
        for (syntax, name) in Syntax::ALL {
            for brackets in [Brackets::All, Brackets::Minimal] {
                let text = print_formula(&formulas, f, syntax, brackets).expect("short");
                let context = format!("seed {seed}, round {round}, {name}, {brackets:?}: {text}");
                let source = SourceId::from_index(0);
                let parsed = parse_formula(&mut formulas, source, &text, syntax, &mut PlainNames)
                    .unwrap_or_else(|e| panic!("{context}: {e:?}"));
                if brackets == Brackets::All {
                    assert!(parsed.warnings.is_empty(), "{context}");
                }
                if !is_written_out(&formulas, f, syntax) {
                    assert_eq!(parsed.formula, f, "{context}");
                    continue;
                }
                for _ in 0..5 {
                    let word = random_word(&mut random, &mut formulas);
                    assert_eq!(
                        satisfies(&formulas, &word, parsed.formula),
                        satisfies(&formulas, &word, f),
                        "{context} on {}",
                        word.display(&formulas)
                    );
                }
            }
        }
    }
}

#[test]
fn words_are_read_back() {
    let mut random = Random(7);
    for _ in 0..200 {
        let mut formulas = Formulas::new();
        let word = random_word(&mut random, &mut formulas);
        let text = word.display(&formulas).to_string();
        assert_eq!(LassoWord::parse(&mut formulas, &text), Ok(word), "{text}");
    }
}
