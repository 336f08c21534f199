//! Slicing and the functional form keep verdicts: compared on random models of every language by the
//! naive engine, which knows neither.

use lariat_base::{Budget, SourceMap};
use lariat_expr::{Sort, TermId, Value};
use lariat_frontend::parse;
use lariat_ltl::{
    Acceptance, ApId, Automaton, Effort, Formulas, Operators, TranslateConfig, random_formula,
    translate,
};
use lariat_system::{Context, Language, System, make_functional, slice};
use lariat_testkit::{ModelGen, Rng, StateSpace, naive_accepts, rng};
use rand::Rng as _;

const N_MODELS: u64 = 250;
const MAX_STATES: usize = 1_500;

#[test]
fn reduced_models_have_the_same_verdicts() {
    for language in Language::ALL {
        let (mut n_compared, mut n_dropped, mut n_violated) = (0, 0, 0);
        for seed in 0..N_MODELS {
            let random = &mut rng(seed);
            let mut cx = Context::new();
            let text = ModelGen::default().model(language, random);
            let mut system = read(&mut cx, language, &text);
            let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_STATES) else {
                continue;
            };
            let atoms: Vec<TermId> = (0..2).map(|_| atom(&mut cx, &system, random)).collect();
            let (automaton, indices) = formula(random, atoms.len());
            let atoms: Vec<TermId> = indices.iter().map(|&i| atoms[i]).collect();
            let mut reduced = system.clone();
            make_functional(&mut cx, &mut reduced);
            let mut reduced = [reduced];
            n_dropped += slice(&mut cx, &mut reduced, &atoms).dropped.len();
            let [mut reduced] = reduced;
            let small = StateSpace::explore(&mut cx, &mut reduced, MAX_STATES);
            let small = small.unwrap_or_else(|| panic!("{language:?}, seed {seed} grew:\n{text}"));
            let letters = space.letters(&cx, &system, &atoms);
            let small_letters = small.letters(&cx, &reduced, &atoms);
            let expected = naive_accepts(&space, &letters, &automaton);
            let got = naive_accepts(&small, &small_letters, &automaton);
            assert_eq!(got, expected, "{language:?}, seed {seed}:\n{text}");
            for bit in 0..atoms.len() {
                let only =
                    |letters: &[u64]| letters.iter().map(|l| l >> bit & 1).collect::<Vec<_>>();
                let expected = space.reaches(&system, &only(&letters), &[]);
                let got = small.reaches(&reduced, &only(&small_letters), &[]);
                assert_eq!(
                    got, expected,
                    "{language:?}, seed {seed}, bad {bit}:\n{text}"
                );
            }
            n_compared += 1;
            n_violated += usize::from(expected);
        }
        let told = format!(
            "{language:?}: {n_compared} compared, {n_dropped} dropped, {n_violated} violated"
        );
        assert!(n_compared > 50 && n_violated > 5, "{told}");
        assert!(n_dropped > 5 || language == Language::Sts, "{told}");
    }
}

fn read(cx: &mut Context, language: Language, text: &str) -> System {
    let mut sources = SourceMap::new();
    let source = sources.add("random", text);
    match parse(cx, language, source, sources.file(source)) {
        Ok(parsed) => parsed.system,
        Err(findings) => panic!("a random model is wrong: {findings:?}\n{text}"),
    }
}

/// An equation of a variable with a small value, or a Boolean variable.
fn atom(cx: &mut Context, system: &System, random: &mut Rng) -> TermId {
    let var = system.variables[random.random_range(0..system.variables.len())].var;
    let (term, sort) = (cx.terms.var(var), cx.terms.var_sort(var));
    let value = match cx.terms.sorts.get(sort) {
        Sort::Bool => return term,
        Sort::Int => Value::from(random.random_range(-1..4)),
        Sort::Enum(decl) => Value::Enum(random.random_range(0..decl.literals.len() as u32)),
        _ => Value::some(&cx.terms.sorts, sort),
    };
    let value = cx.terms.lit(value, sort);
    cx.terms.eq(term, value)
}

/// The automaton of a random formula, and which atom each of its atoms is.
fn formula(random: &mut Rng, n_atoms: usize) -> (Automaton, Vec<usize>) {
    let mut formulas = Formulas::new();
    let names: Vec<ApId> = (0..n_atoms)
        .map(|i| formulas.ap_id(&format!("p{i}")))
        .collect();
    let mut letters = lariat_ltl::Rng::new(random.random());
    let formula = random_formula(&mut formulas, &mut letters, &names, 6, Operators::Future);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, formula, &config, &Budget::unlimited());
    let automaton = automaton.expect("a small formula has a small automaton");
    let position = |ap: &ApId| names.iter().position(|name| name == ap);
    let indices = automaton.aps().iter().filter_map(position).collect();
    (automaton, indices)
}
