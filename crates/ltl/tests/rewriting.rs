//! The simplifier against the lasso-word evaluator: random formulas, and every rule it is built on.

use lariat_base::{Id, SourceId};
use lariat_ltl::{
    ApId, Brackets, Class, FormulaId, Formulas, Op, Operators, PlainNames, Rng, Simplify, Syntax,
    negation_normal_form, parse_formula, print_formula, random_formula, random_word, satisfies,
    simplify,
};

fn text(formulas: &Formulas, f: FormulaId) -> String {
    print_formula(formulas, f, Syntax::Spot, Brackets::Minimal).unwrap_or_default()
}

fn parse(formulas: &mut Formulas, text: &str) -> FormulaId {
    let source = SourceId::from_index(0);
    let parsed = parse_formula(formulas, source, text, Syntax::Spot, &mut PlainNames);
    parsed.expect("a formula of the tests").formula
}

fn agree(formulas: &Formulas, rng: &mut Rng, aps: &[ApId], f: FormulaId, g: FormulaId, why: &str) {
    for _ in 0..24 {
        let word = random_word(rng, aps);
        assert_eq!(
            satisfies(formulas, &word, f),
            satisfies(formulas, &word, g),
            "{why}: {} and {} on {}",
            text(formulas, f),
            text(formulas, g),
            word.display(formulas)
        );
    }
}

#[test]
fn simplified_formulas_are_equivalent() {
    for seed in 0..6000 {
        let mut rng = Rng::new(seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = ["a", "b", "c"].map(|name| formulas.ap_id(name)).to_vec();
        let size = 2 + rng.below(18);
        let operators = if seed % 4 == 0 {
            Operators::Past
        } else {
            Operators::Future
        };
        let f = random_formula(&mut formulas, &mut rng, &aps, size, operators);
        let why = format!("seed {seed}");
        let nnf = negation_normal_form(&mut formulas, f);
        agree(&formulas, &mut rng, &aps, f, nnf, &why);
        for how in [Simplify::Cheap, Simplify::Full] {
            let simple = simplify(&mut formulas, f, how);
            agree(&formulas, &mut rng, &aps, f, simple, &why);
        }
    }
}

/// Classes are claims about languages: check the two that rules rest on, at random suffixes.
#[test]
fn eventual_and_universal_formulas_are_what_they_say() {
    let mut n = 0;
    for seed in 0..4000 {
        let mut rng = Rng::new(seed);
        let mut formulas = Formulas::new();
        let aps: Vec<_> = ["a", "b"].map(|name| formulas.ap_id(name)).to_vec();
        let size = 2 + rng.below(10);
        let f = random_formula(&mut formulas, &mut rng, &aps, size, Operators::Future);
        let next = formulas.next(f);
        for _ in 0..12 {
            let word = random_word(&mut rng, &aps);
            let (now, later) = (
                satisfies(&formulas, &word, f),
                satisfies(&formulas, &word, next),
            );
            if formulas.is(f, Class::EVENTUAL) {
                n += 1;
                assert!(!later || now, "{} is eventual", text(&formulas, f));
            }
            if formulas.is(f, Class::UNIVERSAL) {
                n += 1;
                assert!(!now || later, "{} is universal", text(&formulas, f));
            }
        }
    }
    assert!(n > 1000, "the test looks at such formulas");
}

/// Rules as (condition, left, right); `f g h k` any, `b` Boolean, `e` eventual, `u` universal, `q` both.
const RULES: &[(&str, &str, &str)] = &[
    ("", "G X f", "X G f"),
    ("", "G(f R g)", "G g"),
    ("", "G(f W g)", "G(f | g)"),
    ("", "GF(f | X g)", "GF(f | g)"),
    ("", "GF(f | F g)", "GF(f | g)"),
    ("", "GF(f & F g)", "G(F f & F g)"),
    ("", "GF(f & q)", "G(F f & q)"),
    ("", "GF(f & G g)", "GF f & FG g"),
    ("", "FG(f & F g)", "FG f & GF g"),
    ("", "G(f | q)", "G f | q"),
    ("", "G(f & G g)", "G(f & g)"),
    ("", "G(f & X e)", "G(f & e)"),
    ("", "G(f & F(g & X e))", "G(f & F g & e)"),
    ("", "X q", "q"),
    ("", "G u", "u"),
    ("", "f U e", "e"),
    ("", "(X f) U (X g)", "X(f U g)"),
    ("", "(X f) U b", "b | X(b M f)"),
    ("", "(X f) W b", "b | X(b R f)"),
    ("", "f U (g | G f)", "f W g"),
    ("", "f W (g | G f)", "f W g"),
    ("", "f U (g & f)", "g M f"),
    ("", "f W (g & f)", "g R f"),
    ("", "q U X f", "X(q U f)"),
    ("", "u W g", "u | g"),
    ("", "e W F g", "G e | F g"),
    ("f -> g", "f U g", "g"),
    ("!f -> g", "f U g", "F g"),
    ("g -> e", "e U g", "F g"),
    ("!f -> g", "f U (g & e)", "F(g & e)"),
    ("f -> g", "f U (g U h)", "g U h"),
    ("f -> g", "f U (g W h)", "g W h"),
    ("g -> f", "f U (g U h)", "f U h"),
    ("f -> h", "f U (g R (h U k))", "g R (h U k)"),
    ("f -> h", "f U (g M (h W k))", "g M (h W k)"),
    ("f -> h", "(f U g) U h", "g U h"),
    ("f -> h", "(f W g) U h", "g U h"),
    ("g -> h", "(f U g) U h", "(f U g) | h"),
    ("h -> g", "(f U g) U h", "(f | g) U h"),
    ("h -> g", "(f W g) U h", "(f | g) U h"),
    ("g -> h", "(f | g) U h", "f U h"),
    ("f -> g", "f W g", "g"),
    ("!f -> g", "f W g", "1"),
    ("f -> g", "f W (g W h)", "g W h"),
    ("g -> f", "f W (g U h)", "f W h"),
    ("g -> f", "f W (g W h)", "f W h"),
    ("f -> h", "(f U g) W h", "g W h"),
    ("f -> h", "(f W g) W h", "g W h"),
    ("g -> h", "(f W g) W h", "(f W g) | h"),
    ("g -> h", "(f U g) W h", "(f U g) | h"),
    ("h -> g", "(f W g) W h", "(f | g) W h"),
    ("g -> h", "(f | g) W h", "f W h"),
    ("", "FG f & FG g", "FG(f & g)"),
    ("", "X f & X g", "X(f & g)"),
    ("", "q & X f", "X(q & f)"),
    ("", "G f & G g", "G(f & g)"),
    ("", "G e & q", "G(e & q)"),
    ("", "F f | GF h", "F(f | GF h)"),
    ("", "(f U g) & (h U g)", "(f & h) U g"),
    ("", "(f U g) & (h W g)", "(f & h) U g"),
    ("", "(f W g) & (h W g)", "(f & h) W g"),
    ("", "(f R g) & (f R h)", "f R (g & h)"),
    ("", "(f R g) & (f M h)", "f M (g & h)"),
    ("", "(f M g) & (f M h)", "f M (g & h)"),
    ("", "F g & (f W g)", "f U g"),
    ("", "F f & (f R g)", "f M g"),
    ("", "f & (g | X(g R f))", "g R f"),
    ("", "f & (g | X(g M f))", "g M f"),
    ("", "f & ((X f) W g)", "g R f"),
    ("", "f & ((X f) U g)", "g M f"),
    ("", "f & X(G(f & g) & h)", "G f & X(G g & h)"),
    ("f -> !g", "F f & G(g | u)", "f M (g | u)"),
];

/// Every rule and its dual, with random formulas for the letters. A condition is made true by
/// weakening or strengthening one side.
#[test]
fn every_rule_and_its_dual_hold() {
    for (number, &(condition, left, right)) in RULES.iter().enumerate() {
        for round in 0..60u64 {
            let mut rng = Rng::new(round + 1000 * number as u64);
            let mut formulas = Formulas::new();
            let aps: Vec<_> = ["p", "r", "s"].map(|name| formulas.ap_id(name)).to_vec();
            let values = instances(&mut formulas, &mut rng, &aps, condition);
            let [l, r] = [left, right].map(|rule| {
                let rule = parse(&mut formulas, rule);
                substitute(&mut formulas, rule, &values)
            });
            agree(&formulas, &mut rng, &aps, l, r, left);
            let (not_l, not_r) = (formulas.not(l), formulas.not(r));
            let [not_l, not_r] = [not_l, not_r].map(|f| negation_normal_form(&mut formulas, f));
            agree(&formulas, &mut rng, &aps, not_l, not_r, left);
        }
    }
}

type Values = Vec<(ApId, FormulaId)>;

fn instances(formulas: &mut Formulas, rng: &mut Rng, aps: &[ApId], condition: &str) -> Values {
    let mut random = |formulas: &mut Formulas| {
        let size = 1 + rng.below(5);
        random_formula(formulas, rng, aps, size, Operators::Future)
    };
    let mut values: Values = Vec::new();
    for name in ["f", "g", "h", "k"] {
        let value = random(formulas);
        values.push((formulas.ap_id(name), value));
    }
    let (p, r) = (formulas.ap(aps[0]), formulas.ap(aps[1]));
    let boolean = formulas.or(p, r);
    let x = random(formulas);
    let eventual = formulas.finally(x);
    let y = random(formulas);
    let universal = formulas.globally(y);
    let z = random(formulas);
    let finally = formulas.finally(z);
    let both = formulas.globally(finally);
    for (name, value) in [
        ("b", boolean),
        ("e", eventual),
        ("u", universal),
        ("q", both),
    ] {
        values.push((formulas.ap_id(name), value));
    }
    let get = |formulas: &Formulas, values: &Values, name: &str| {
        let ap = formulas.find_ap(name).expect("named above");
        values.iter().position(|(a, _)| *a == ap).expect("valued")
    };
    if let Some((from, to)) = condition.split_once(" -> ") {
        if from == "g" && to == "e" {
            // g => e by making g stronger.
            let (g, e) = (get(formulas, &values, "g"), get(formulas, &values, "e"));
            values[g].1 = formulas.and(values[g].1, values[e].1);
        } else {
            // The right side gets the left one as a disjunct.
            let premise = parse(formulas, from);
            let premise = substitute(formulas, premise, &values);
            if let Some(name) = to.strip_prefix('!') {
                let at = get(formulas, &values, name);
                let not = formulas.not(premise);
                values[at].1 = formulas.and(values[at].1, not);
            } else {
                let at = get(formulas, &values, to);
                values[at].1 = formulas.or(values[at].1, premise);
            }
        }
    }
    values
}

fn substitute(formulas: &mut Formulas, rule: FormulaId, values: &Values) -> FormulaId {
    let mut done: Vec<(FormulaId, FormulaId)> = Vec::new();
    for f in formulas.subformulas(rule) {
        let children: Vec<FormulaId> = formulas
            .children(f)
            .iter()
            .map(|c| {
                done.iter()
                    .find(|(old, _)| old == c)
                    .expect("children first")
                    .1
            })
            .collect();
        let new = match formulas.op(f) {
            Op::Ap(ap) => values.iter().find(|(a, _)| *a == ap).expect("a value").1,
            op => formulas.make(op, &children),
        };
        done.push((f, new));
    }
    done.last().expect("the rule itself").1
}
