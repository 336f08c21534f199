//! Fair runs only, compared with the naive twin: random systems, formulas and constraints, both engines.

use crate::{
    CegarConfig, CombinedConfig, DomainConfig, ExplicitConfig, ExplicitDomain, ExplicitStats, Goal,
    Mode, PredicateConfig, Problem, Search, Unknown, Verdict, check_cegar, check_explicit,
};
use lariat_base::Budget;
use lariat_expr::TermId;
use lariat_ltl::{Acceptance, ApId, Automaton, Effort, Formulas, Operators};
use lariat_ltl::{TranslateConfig, random_formula, translate};
use lariat_smt::Z3;
use lariat_system::Fairness;
use lariat_testkit::{
    RandomSystem, Rng, StateSpace, naive_accepts, naive_fair_accepts, random_fair_system, rng,
};
use rand::Rng as _;
use std::sync::Arc;
use std::time::Duration;

/// Larger systems are left out.
const MAX_STATES: usize = 300;
/// For each answer of the abstraction.
const TIME: Duration = Duration::from_secs(2);

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    /// Those with a counterexample, none of which is fair.
    differ: usize,
    violated: usize,
    refused: usize,
    /// Answers of the abstraction, and how many of them decide nothing.
    abstract_answers: usize,
    undecided: usize,
}

#[test]
fn only_fair_runs_refute() {
    let mut tally = Tally::default();
    for seed in 0..seeds() {
        compare(seed, &mut tally);
    }
    assert!(
        tally.differ > 5 && tally.violated > 10 && tally.refused > 0,
        "{tally:?}"
    );
    assert!(tally.undecided * 4 < tally.abstract_answers, "{tally:?}");
}

/// How many pairs are compared; `LARIAT_FAIR_SEEDS` asks for more.
fn seeds() -> u64 {
    let wanted = std::env::var("LARIAT_FAIR_SEEDS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(140)
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut random = rng(seed);
    let RandomSystem {
        mut cx,
        mut system,
        atoms,
    } = random_fair_system(&mut random, 2);
    let Some(space) = StateSpace::explore(&mut cx, &mut *system, MAX_STATES) else {
        return;
    };
    let (automaton, atoms) = random_automaton(&mut random, &atoms);
    let letters = space.letters(&cx, &*system, &atoms);
    let fairness = space.fairness(&cx, &*system);
    let expected = naive_fair_accepts(&space, &letters, &automaton, &fairness);
    let has_pairs = {
        let mut constraints = system.fairness().iter();
        constraints.any(|constraint| matches!(constraint, Fairness::Compassion(..)))
    };
    tally.compared += 1;
    tally.abstract_answers += 2;
    tally.violated += usize::from(expected);
    tally.differ += usize::from(!expected && naive_accepts(&space, &letters, &automaton));
    let goal = Goal::Accept {
        automaton: Arc::new(automaton),
        atoms,
        formula: None,
    };
    let mut problem = Problem { system, goal };
    let mut judge = |verdict: Verdict, search: Search, what: &str| match verdict {
        Verdict::Holds => assert!(!expected, "seed {seed}: {what} says holds"),
        // Violated was confirmed, fairness included.
        Verdict::Violated(_) => assert!(expected, "seed {seed}: {what} says violated"),
        Verdict::Unknown(Unknown::Unsupported(why)) if why.contains("Streett") => {
            let without_pairs = [Search::Ndfs, Search::Gdfs];
            assert!(has_pairs && without_pairs.contains(&search), "{what}");
            tally.refused += 1;
        }
        Verdict::Unknown(why) => {
            assert!(!what.starts_with("explicit "), "seed {seed}: {what}: {why}");
            tally.undecided += 1;
        }
    };
    for search in Search::LASSO {
        let config = ExplicitConfig {
            search: Some(search),
            ..ExplicitConfig::default()
        };
        let (budget, mut stats) = (Budget::unlimited(), ExplicitStats::default());
        let verdict = check_explicit(&mut cx, &mut problem, &config, &budget, &mut stats);
        judge(verdict, search, &format!("explicit {search}"));
    }
    let search = Search::LASSO[random.random_range(0..Search::LASSO.len())];
    for search in [CegarConfig::default().search, search] {
        let config = CegarConfig {
            domain: random_domain(&mut random),
            search,
            ..CegarConfig::default()
        };
        let (budget, solver) = (Budget::unlimited().with_time(TIME), Box::new(Z3::default()));
        let outcome = check_cegar(&mut cx, &mut problem, &config, solver, &budget, &mut |_| {});
        judge(outcome.verdict, search, &format!("{config:?}"));
    }
}

fn random_domain(random: &mut Rng) -> DomainConfig {
    let mode = [Mode::Cartesian, Mode::Split, Mode::Boolean][random.random_range(0..3)];
    let predicates = PredicateConfig {
        mode,
        ..PredicateConfig::default()
    };
    match random.random_range(0..4) {
        0 => DomainConfig::Explicit(ExplicitDomain::default()),
        3 => DomainConfig::Zones,
        1 => DomainConfig::Predicates(predicates),
        _ => DomainConfig::Combined(CombinedConfig {
            predicates,
            ..CombinedConfig::default()
        }),
    }
}

/// A random formula as an automaton, with the atoms that it reads.
fn random_automaton(random: &mut Rng, atoms: &[TermId]) -> (Automaton, Vec<TermId>) {
    let mut formulas = Formulas::new();
    let names: Vec<ApId> = (0..atoms.len())
        .map(|i| formulas.ap_id(&format!("p{i}")))
        .collect();
    let mut letters = lariat_ltl::Rng::new(random.random());
    let formula = random_formula(&mut formulas, &mut letters, &names, 5, Operators::Future);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, formula, &config, &Budget::unlimited());
    let automaton = automaton.expect("a small formula has a small automaton");
    let position = |ap: &ApId| names.iter().position(|name| name == ap);
    let positions = automaton.aps().iter().filter_map(position);
    let atoms = positions.map(|i| atoms[i]).collect();
    (automaton, atoms)
}
