//! Explanations of violated formulas against a naive twin: a cause is sufficient, and no fact of it can be left out.
//!
//! The twin knows the definitions of the operators and nothing else: no fixed points, no three truth values. It evaluates a
//! formula for very many words at once, a bit for each: all values of the atoms that a cause leaves open, if there are few
//! enough of them, else random ones.
#![allow(clippy::print_stdout)] // a test may tell how much it tried

use lariat_base::{FxHashMap, Id, SourceId};
use lariat_ltl::{
    ApId, Brackets, Class, Explanation, Fact, FormulaId, Formulas, LassoWord, Op, Operators,
    PlainNames, Rng, Syntax, explain, parse_formula, print_formula, random_formula, satisfies,
};

/// Up to this many open atoms are given all values, and more of them random ones.
const MAX_OPEN: usize = 12;

/// The same where random values have shown nothing.
const MAX_OPEN_AT_LAST: usize = 20;

/// A bit for each of many words.
type Bits = Vec<u64>;

/// Many lasso words of one shape.
struct Words {
    n_stem: usize,
    n_cycle: usize,
    aps: Vec<ApId>,
    /// The truth of an atom at a position, in each word.
    atoms: FxHashMap<(usize, ApId), Bits>,
    /// Whether these are all words that agree on what is not open.
    all: bool,
}

impl Words {
    /// The words that agree with `word` on some facts.
    fn agreeing(word: &LassoWord, facts: &[Fact], max_open: usize, rng: &mut Rng) -> Self {
        let n = word.stem().len() + word.cycle().len();
        let pairs = (0..n).flat_map(|position| word.aps().iter().map(move |&ap| (position, ap)));
        let given = |pair: (usize, ApId)| {
            let mut facts = facts.iter();
            facts.find(|fact| (fact.position, fact.ap) == pair)
        };
        let n_open = pairs.clone().filter(|&pair| given(pair).is_none()).count();
        let all = n_open <= max_open;
        let n_blocks = if all {
            (1usize << n_open).div_ceil(64)
        } else {
            16
        };
        let mut open = 0;
        let mut atoms = FxHashMap::default();
        for pair in pairs {
            let bits: Bits = match given(pair) {
                Some(fact) => vec![if fact.value { u64::MAX } else { 0 }; n_blocks],
                None if all => {
                    open += 1;
                    (0..n_blocks).map(|block| column(open - 1, block)).collect()
                }
                None => (0..n_blocks).map(|_| rng.bits()).collect(),
            };
            atoms.insert(pair, bits);
        }
        Self {
            n_stem: word.stem().len(),
            n_cycle: word.cycle().len(),
            aps: word.aps().to_vec(),
            atoms,
            all,
        }
    }

    /// In which words the formula is true at the start.
    fn satisfy(&self, formulas: &Formulas, formula: FormulaId) -> Bits {
        let order = formulas.subformulas(formula);
        // More rounds than past operators can tell apart, and beyond them the last one again.
        let is_past = |f: &&FormulaId| {
            let op = formulas.op(**f);
            matches!(op, Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T)
        };
        let n = self.n_stem + self.n_cycle * (order.iter().filter(is_past).count() + 2);
        let here = |t: usize| {
            if t < n {
                t
            } else {
                n - self.n_cycle + (t - n) % self.n_cycle
            }
        };
        let horizon = n + self.n_cycle;
        let mut table: FxHashMap<FormulaId, Vec<Bits>> = FxHashMap::default();
        for f in order {
            let kids: Vec<&Vec<Bits>> = formulas.children(f).iter().map(|k| &table[k]).collect();
            let a = |t: usize| &kids[0][here(t)];
            let b = |t: usize| &kids[1][here(t)];
            let row = (0..n)
                .map(|i| match formulas.op(f) {
                    Op::True => self.constant(true),
                    Op::False => self.constant(false),
                    Op::Ap(ap) => self.atom(i, ap),
                    Op::Not => not(a(i)),
                    Op::And => all(self.constant(true), kids.iter().map(|kid| kid[i].clone())),
                    Op::Or => any(self.constant(false), kids.iter().map(|kid| kid[i].clone())),
                    Op::Implies => or(&not(a(i)), b(i)),
                    Op::Iff => not(&xor(a(i), b(i))),
                    Op::Xor => xor(a(i), b(i)),
                    Op::X => a(i + 1).clone(),
                    Op::F => any(self.constant(false), (i..horizon).map(|t| a(t).clone())),
                    Op::G => all(self.constant(true), (i..horizon).map(|t| a(t).clone())),
                    Op::U => self.until(i..horizon, &a, &b),
                    Op::W => {
                        let always = all(self.constant(true), (i..horizon).map(|t| a(t).clone()));
                        or(&always, &self.until(i..horizon, &a, &b))
                    }
                    // `a R b` is not `!a U !b`, and `a M b` is `a R b` with `a` at some time.
                    Op::R => self.release(i..horizon, &a, &b),
                    Op::M => {
                        let ever = any(self.constant(false), (i..horizon).map(|t| a(t).clone()));
                        and(&ever, &self.release(i..horizon, &a, &b))
                    }
                    Op::Y => i
                        .checked_sub(1)
                        .map_or(self.constant(false), |t| a(t).clone()),
                    Op::Z => i
                        .checked_sub(1)
                        .map_or(self.constant(true), |t| a(t).clone()),
                    Op::O => any(self.constant(false), (0..=i).map(|t| a(t).clone())),
                    Op::H => all(self.constant(true), (0..=i).map(|t| a(t).clone())),
                    Op::S => self.until((0..=i).rev(), &a, &b),
                    Op::T => self.release((0..=i).rev(), &a, &b),
                })
                .collect();
            table.insert(f, row);
        }
        table[&formula][0].clone()
    }

    fn atom(&self, t: usize, ap: ApId) -> Bits {
        let position = match t.checked_sub(self.n_stem) {
            Some(later) => self.n_stem + later % self.n_cycle,
            None => t,
        };
        self.atoms[&(position, ap)].clone()
    }

    fn constant(&self, value: bool) -> Bits {
        let n_blocks = self.atoms.values().next().map_or(1, Vec::len);
        vec![if value { u64::MAX } else { 0 }; n_blocks]
    }

    /// At one of these times `b`, and at all before it `a`.
    fn until<'a>(
        &self,
        times: impl Iterator<Item = usize>,
        a: &impl Fn(usize) -> &'a Bits,
        b: &impl Fn(usize) -> &'a Bits,
    ) -> Bits {
        let (mut found, mut so_far) = (self.constant(false), self.constant(true));
        for t in times {
            found = or(&found, &and(&so_far, b(t)));
            so_far = and(&so_far, a(t));
        }
        found
    }

    /// At each of these times `b`, unless `a` at one before it.
    fn release<'a>(
        &self,
        times: impl Iterator<Item = usize>,
        a: &impl Fn(usize) -> &'a Bits,
        b: &impl Fn(usize) -> &'a Bits,
    ) -> Bits {
        let (mut kept, mut before) = (self.constant(true), self.constant(false));
        for t in times {
            kept = and(&kept, &or(&before, b(t)));
            before = or(&before, a(t));
        }
        kept
    }

    /// One of the words.
    fn word(&self, at: usize) -> LassoWord {
        let letter = |position: usize| {
            let bits = self.aps.iter().enumerate().map(|(i, &ap)| {
                let truth = self.atoms[&(position, ap)][at / 64] >> (at % 64) & 1;
                truth << i
            });
            bits.fold(0, |letter, bit| letter | bit)
        };
        let stem = (0..self.n_stem).map(letter).collect();
        let cycle = (self.n_stem..self.n_stem + self.n_cycle)
            .map(letter)
            .collect();
        LassoWord::new(self.aps.clone(), stem, cycle).expect("a cycle")
    }
}

/// The values of a variable in 64 rows of a truth table.
fn column(variable: usize, block: usize) -> u64 {
    const LOW: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    match LOW.get(variable) {
        Some(&column) => column,
        None if block >> (variable - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

fn zip(a: &Bits, b: &Bits, f: impl Fn(u64, u64) -> u64) -> Bits {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn and(a: &Bits, b: &Bits) -> Bits {
    zip(a, b, |a, b| a & b)
}

fn or(a: &Bits, b: &Bits) -> Bits {
    zip(a, b, |a, b| a | b)
}

fn xor(a: &Bits, b: &Bits) -> Bits {
    zip(a, b, |a, b| a ^ b)
}

fn not(a: &Bits) -> Bits {
    a.iter().map(|a| !a).collect()
}

fn all(start: Bits, parts: impl Iterator<Item = Bits>) -> Bits {
    parts.fold(start, |all, part| and(&all, &part))
}

fn any(start: Bits, parts: impl Iterator<Item = Bits>) -> Bits {
    parts.fold(start, |any, part| or(&any, &part))
}

/// The place of a bit that is set.
fn a_set_bit(bits: &Bits) -> Option<usize> {
    let block = bits.iter().position(|&block| block != 0)?;
    Some(64 * block + bits[block].trailing_zeros() as usize)
}

/// A word of up to `max` positions over some atoms.
fn random_lasso(rng: &mut Rng, aps: &[ApId], max: u64) -> LassoWord {
    let n = 1 + rng.below(max);
    let n_cycle = 1 + rng.below(n);
    let mut letters = |n: u64| {
        (0..n)
            .map(|_| rng.bits() & ((1 << aps.len()) - 1))
            .collect()
    };
    let (stem, cycle) = (letters(n - n_cycle), letters(n_cycle));
    LassoWord::new(aps.to_vec(), stem, cycle).expect("a cycle")
}

/// What happened to many random cases.
#[derive(Default, Debug)]
struct Count {
    cases: u32,
    /// Those in which all values of the open atoms were tried.
    exact: u32,
    facts: u32,
    /// Facts for which no word was found that satisfies the formula without them, out of random ones.
    undecided: u32,
}

fn check(seed: u64, cases: u32) {
    let mut rng = Rng::new(seed);
    let mut count = Count::default();
    while count.cases < cases {
        let mut formulas = Formulas::new();
        let n_aps = 1 + rng.below(4) as usize;
        let aps: Vec<ApId> = (0..n_aps)
            .map(|i| formulas.ap_id(&format!("p{i}")))
            .collect();
        let size = 3 + rng.below(14);
        let operators = [Operators::Future, Operators::Past][rng.below(2) as usize];
        let formula = random_formula(&mut formulas, &mut rng, &aps, size, operators);
        let word = random_lasso(&mut rng, &aps, 6);
        let explanation = explain(&formulas, &word, formula);
        let about = || {
            let text = print_formula(&formulas, formula, Syntax::Smv, Brackets::All);
            let word = word.display(&formulas);
            format!("seed {seed}: {} on {word}", text.unwrap_or_default())
        };
        assert_eq!(
            explanation.is_none(),
            satisfies(&formulas, &word, formula),
            "{}",
            about()
        );
        // Formulas that no word satisfies have an empty cause; a few of them will do.
        let Some(explanation) = explanation.filter(|e| !e.cause.is_empty() || rng.below(9) == 0)
        else {
            continue;
        };
        count.cases += 1;
        check_cause(
            &formulas,
            &word,
            formula,
            &explanation,
            &mut rng,
            &mut count,
            &about,
        );
        check_reasons(&formulas, &word, &explanation, &about);
        check_prefix(&formulas, &word, formula, &explanation, &mut rng, &about);
    }
    println!("seed {seed}: {count:?}");
    assert!(count.exact * 4 > cases, "{count:?}");
    assert!(count.undecided * 500 < count.facts, "{count:?}");
}

/// The cause is sufficient, and no fact can be left out.
fn check_cause(
    formulas: &Formulas,
    word: &LassoWord,
    formula: FormulaId,
    explanation: &Explanation,
    rng: &mut Rng,
    count: &mut Count,
    about: &dyn Fn() -> String,
) {
    let cause = &explanation.cause;
    assert!(explanation.minimal, "{}", about());
    for fact in cause {
        let bit = word
            .aps()
            .iter()
            .position(|&ap| ap == fact.ap)
            .expect("an atom of the word");
        let value = word.letter(fact.position) >> bit & 1 == 1;
        assert_eq!(value, fact.value, "{}", about());
    }
    let words = Words::agreeing(word, cause, MAX_OPEN, rng);
    count.exact += u32::from(words.all);
    let satisfied = words.satisfy(formulas, formula);
    assert_eq!(
        a_set_bit(&satisfied),
        None,
        "not sufficient: {cause:?} {}",
        about()
    );
    for i in 0..cause.len() {
        count.facts += 1;
        let mut rest = cause.clone();
        rest.remove(i);
        let mut words = Words::agreeing(word, &rest, MAX_OPEN, rng);
        let mut found = a_set_bit(&words.satisfy(formulas, formula));
        if found.is_none() && !words.all {
            words = Words::agreeing(word, &rest, MAX_OPEN_AT_LAST, rng);
            found = a_set_bit(&words.satisfy(formulas, formula));
        }
        match found {
            // The twin is right about this word, too.
            Some(at) => assert!(satisfies(formulas, &words.word(at), formula), "{}", about()),
            None if words.all => panic!("{:?} is not needed: {cause:?} {}", cause[i], about()),
            None => count.undecided += 1,
        }
    }
}

/// The reasons are a tree whose leaves are atoms and constants, and what they say is so.
fn check_reasons(
    formulas: &Formulas,
    word: &LassoWord,
    explanation: &Explanation,
    about: &dyn Fn() -> String,
) {
    let reasons = &explanation.reasons;
    let mut parents = vec![0; reasons.len()];
    for (i, reason) in reasons.iter().enumerate() {
        assert!(
            !reason.cut && reason.because.iter().all(|&j| j > i),
            "{}",
            about()
        );
        assert!(!reason.moments.is_empty(), "{}", about());
        reason.because.iter().for_each(|&j| parents[j] += 1);
        for &moment in &reason.moments {
            let rest = from(word, explanation.moments.position(moment));
            // The rest of a word tells nothing about its past.
            let is_future = formulas.is(reason.formula, Class::FUTURE);
            let value = satisfies(formulas, &rest, reason.formula);
            assert!(!is_future || value == reason.value, "{}", about());
        }
        let before_all =
            matches!(formulas.op(reason.formula), Op::Y | Op::Z) && reason.moments == [0];
        let leaf = matches!(
            formulas.op(reason.formula),
            Op::Ap(_) | Op::True | Op::False
        );
        assert_eq!(reason.because.is_empty(), leaf || before_all, "{}", about());
    }
    assert!(parents[1..].iter().all(|&n| n == 1), "{}", about());
}

/// A word from a position on.
fn from(word: &LassoWord, position: usize) -> LassoWord {
    let n_stem = word.stem().len();
    let stem = word.stem().get(position..).unwrap_or_default().to_vec();
    let mut cycle = word.cycle().to_vec();
    cycle.rotate_left(position.saturating_sub(n_stem));
    LassoWord::new(word.aps().to_vec(), stem, cycle).expect("a cycle")
}

/// No continuation of the bad prefix satisfies the formula.
fn check_prefix(
    formulas: &Formulas,
    word: &LassoWord,
    formula: FormulaId,
    explanation: &Explanation,
    rng: &mut Rng,
    about: &dyn Fn() -> String,
) {
    let Some(n) = explanation.bad_prefix else {
        return;
    };
    for _ in 0..20 {
        let tail = random_lasso(rng, word.aps(), 5);
        let stem = (0..n)
            .map(|i| word.letter(i))
            .chain(tail.stem().iter().copied())
            .collect();
        let other = LassoWord::new(word.aps().to_vec(), stem, tail.cycle().to_vec());
        let other = other.expect("a cycle");
        assert!(
            !satisfies(formulas, &other, formula),
            "prefix of {n}: {}",
            about()
        );
    }
}

#[test]
fn causes_of_random_violations_1() {
    check(1, 5000);
}

#[test]
fn causes_of_random_violations_2() {
    check(2, 5000);
}

#[test]
fn causes_of_random_violations_3() {
    check(3, 5000);
}

#[test]
fn causes_of_random_violations_4() {
    check(4, 5000);
}

/// The cause in text: `3:p 4:!q`, and the bad prefix.
fn cause_of(formula: &str, word: &str) -> String {
    let mut formulas = Formulas::new();
    let source = SourceId::from_index(0);
    let parsed = parse_formula(&mut formulas, source, formula, Syntax::Smv, &mut PlainNames)
        .expect("a formula");
    let word = LassoWord::parse(&mut formulas, word).expect("a word");
    let Some(explanation) = explain(&formulas, &word, parsed.formula) else {
        return "satisfied".into();
    };
    assert!(explanation.minimal);
    let fact = |fact: &Fact| {
        let sign = if fact.value { "" } else { "!" };
        format!("{}:{sign}{}", fact.position, formulas.ap_name(fact.ap))
    };
    let mut parts: Vec<String> = explanation.cause.iter().map(fact).collect();
    parts.extend(explanation.bad_prefix.map(|n| format!("bad after {n}")));
    parts.join(" ")
}

#[test]
fn causes_by_hand() {
    let check = |formula: &str, word: &str, expected: &str| {
        assert_eq!(cause_of(formula, word), expected, "{formula} on {word}");
    };
    check("G p", "p; p; cycle{p}", "satisfied");
    check("G p", "p; p; !p; cycle{!p}", "2:!p bad after 3");
    // From the request on, in the stem and in the loop, but not before it.
    let word = "!p & !q; p & !q; !p & !q; cycle{!p & !q; !p & !q}";
    check("G (p -> F q)", word, "1:p 1:!q 2:!q 3:!q 4:!q");
    check("G F p", "p; p; cycle{!p; !p}", "2:!p 3:!p");
    check("F G p", "!p; cycle{p; !p}", "2:!p");
    check("F p", "!p; cycle{!p}", "0:!p 1:!p");
    check(
        "p U q",
        "p & !q; !p & !q; cycle{q}",
        "0:!q 1:!p 1:!q bad after 2",
    );
    check("p U q", "p & !q; cycle{p & !q}", "0:!q 1:!q");
    check("q R p", "p & !q; !p; cycle{p}", "0:!q 1:!p bad after 2");
    check(
        "G (p -> X !p)",
        "!p; p; p; cycle{!p}",
        "1:p 2:p bad after 3",
    );
    check(
        "G F a -> G F b",
        "a & b; cycle{!a & !b; a & !b}",
        "1:!b 2:a 2:!b",
    );
    // The past: up to there, and in a later round of the loop.
    check(
        "G (q -> O p)",
        "!p & !q; !p & q; cycle{p}",
        "0:!p 1:!p 1:q bad after 2",
    );
    check("G (q -> Y p)", "!p & q; cycle{p}", "0:q bad after 1");
    check("G (p -> H q)", "q; q; cycle{p & q; !p & !q}", "2:p 3:!q");
    // Three truth values do not see that `b` does not matter.
    check("(b | c) & (!b | c)", "cycle{!b & !c}", "0:!c bad after 1");
    check("F a & G b", "a & b; cycle{!b}", "1:!b bad after 2");
    check("FALSE", "cycle{a}", "bad after 0");
}

#[test]
fn size_is_bounded() {
    let mut formulas = Formulas::new();
    let p = formulas.ap_id("p");
    let atom = formulas.ap(p);
    let explained = |formulas: &Formulas, formula: FormulaId, n: usize| {
        let word = LassoWord::new(vec![p], vec![0; n], vec![0]).expect("a cycle");
        explain(formulas, &word, formula)
    };
    // Deep, and long: no recursion along either.
    let deep = formulas.next_n(10_000, atom);
    let found = explained(&formulas, deep, 10).expect("small enough");
    assert_eq!((found.cause.len(), found.minimal), (1, true));
    assert!(found.reasons.len() <= 1000 && found.reasons.iter().any(|reason| reason.cut));
    assert!(explained(&formulas, deep, 10_000).is_none());
    // Too many facts to try each: still sufficient, and it says so.
    let never = formulas.finally(atom);
    let found = explained(&formulas, never, 100_000).expect("small enough");
    assert_eq!((found.cause.len(), found.minimal), (100_001, false));
}
