//! Patterns against the English of their definition, on random lasso words.

use lariat_base::{Id as _, SourceId};
use lariat_ltl::{
    Formulas, LassoWord, PlainNames, Rng, Syntax, parse_formula, pattern_formula, satisfies,
};

/// The letters of a word at positions far enough for every question; `p`, `s`, `q`, `r` are bits.
struct Unrolled {
    letters: Vec<u64>,
    cycle: usize,
}

const P: u64 = 1;
const S: u64 = 2;
const Q: u64 = 4;
const R: u64 = 8;

impl Unrolled {
    fn has(&self, at: usize, what: u64) -> bool {
        self.letters[at] & what != 0
    }

    /// Where something comes next; at the end of the word, never.
    fn next(&self, from: usize, what: u64) -> Option<usize> {
        (from..self.letters.len()).find(|&at| self.has(at, what))
    }

    /// Whether a pattern is true of the states from `from` up to (not including) `to`; of all states if there is no end.
    fn body(&self, pattern: &str, from: usize, to: Option<usize>) -> bool {
        let end = to.unwrap_or(self.letters.len());
        // Near the end of what is unrolled the answer is that of a round before.
        let asked = if to.is_some() {
            end
        } else {
            end - 2 * self.cycle
        };
        match pattern {
            "absence of p" => (from..end).all(|at| !self.has(at, P)),
            "universality of p" => (from..end).all(|at| self.has(at, P)),
            "existence of p" => (from..end).any(|at| self.has(at, P)),
            "existence of p at most 2 times" => {
                let starts =
                    |at: &usize| self.has(*at, P) && (*at == from || !self.has(*at - 1, P));
                (from..end).filter(starts).count() <= 2
            }
            "response of s to p" => {
                let mut asks = (from..asked).filter(|&at| self.has(at, P));
                asks.all(|at| (at..end).any(|later| self.has(later, S)))
            }
            "precedence of s before p" => {
                let mut all = (from..end).filter(|&at| self.has(at, P));
                all.all(|at| (from..=at).any(|earlier| self.has(earlier, S)))
            }
            _ => unreachable!("{pattern}"),
        }
    }

    fn holds(&self, pattern: &str, scope: &str) -> bool {
        let starts = self.letters.len() - 8 * self.cycle;
        let mut segments = (0..starts)
            .filter(|&at| self.has(at, Q) && !self.has(at, R))
            .map(|at| (at, self.next(at, R)));
        match scope {
            "globally" => self.body(pattern, 0, None),
            "before r" => self
                .next(0, R)
                .is_none_or(|end| self.body(pattern, 0, Some(end))),
            "after q" => {
                let first = (0..starts).find(|&at| self.has(at, Q));
                first.is_none_or(|at| self.body(pattern, at, None))
            }
            "between q and r" => {
                segments.all(|(from, to)| to.is_none_or(|to| self.body(pattern, from, Some(to))))
            }
            _ => segments.all(|(from, to)| self.body(pattern, from, to)),
        }
    }
}

#[test]
fn formulas_say_what_the_english_says() {
    let patterns = [
        "absence of p",
        "universality of p",
        "existence of p",
        "existence of p at most 2 times",
        "response of s to p",
        "precedence of s before p",
    ];
    let scopes = [
        "globally",
        "before r",
        "after q",
        "between q and r",
        "after q until r",
    ];
    let mut dice = Rng::new(14);
    for pattern in patterns {
        for scope in scopes {
            let mut formulas = Formulas::new();
            let aps: Vec<_> = ["p", "s", "q", "r"].map(|name| formulas.ap_id(name)).into();
            let text = pattern_formula(&format!("{pattern} {scope}")).expect("a pattern");
            let source = SourceId::from_index(0);
            // Brackets make it the same in every tool's precedence.
            let [formula, rest @ ..] = [
                Syntax::Spot,
                Syntax::SpinNever,
                Syntax::CpaChecker,
                Syntax::Ltsmin,
                Syntax::Ultimate,
            ]
            .map(|syntax| {
                let names = &mut PlainNames;
                let parsed = parse_formula(&mut formulas, source, &text, syntax, names);
                parsed.expect("a formula").formula
            });
            assert!(rest.iter().all(|other| *other == formula), "{text}");
            let mut n_true = 0;
            for _ in 0..1500 {
                let percent = [15, 50, 85][dice.below(3) as usize];
                let mut letter = || {
                    let mut letter = 0;
                    for what in [P, S, Q, R] {
                        let percent = if what == R || what == Q { 25 } else { percent };
                        letter |= if dice.below(100) < percent { what } else { 0 };
                    }
                    letter
                };
                let stem: Vec<u64> = (0..6).map(|_| letter()).collect();
                let cycle: Vec<u64> = (0..3).map(|_| letter()).collect();
                let stem = stem[..dice.below(7) as usize].to_vec();
                let round = cycle.iter().cycle().take(12 * cycle.len());
                let unrolled = Unrolled {
                    letters: stem.iter().chain(round).copied().collect(),
                    cycle: cycle.len(),
                };
                let word = LassoWord::new(aps.clone(), stem, cycle).expect("a word");
                let expected = unrolled.holds(pattern, scope);
                n_true += usize::from(expected);
                let found = satisfies(&formulas, &word, formula);
                let shown = word.display(&formulas).to_string();
                assert_eq!(found, expected, "{pattern} {scope}: {text} on {shown}");
            }
            assert!(
                (1..1500).contains(&n_true),
                "{pattern} {scope}: {n_true} words satisfy it"
            );
        }
    }
}
