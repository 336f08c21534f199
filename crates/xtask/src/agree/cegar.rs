//! The abstraction-refinement engine among the contenders of `cargo xtask agree`: configurations drawn
//! at random, so that every combination is met in a long series.

use super::case::{ACCEPTANCES, Contender};
use lariat_base::Budget;
use lariat_check::{
    CegarConfig, CombinedConfig, DomainConfig, ExplicitDomain, InitialPrecision, LassoRefinement,
    Locality, Mode, PathRefinement, Pieces, PredicateConfig, Pruning, Ranking, Recurrence, Search,
    check_cegar,
};
use lariat_smt::{Z3, Z3Config};
use lariat_testkit::Rng;
use rand::Rng as _;
use std::time::Duration;

/// A check that takes longer counts as unknown.
const TIME: Duration = Duration::from_secs(1);

/// Some configurations for a temporal property, or for bad states.
pub(super) fn sampled(random: &mut Rng, is_temporal: bool) -> Vec<Contender> {
    (0..2).map(|_| contender(random, is_temporal)).collect()
}

/// Any configuration.
pub(super) fn config(random: &mut Rng) -> CegarConfig {
    CegarConfig {
        domain: domain(random),
        search: pick(random, &Search::LASSO),
        reach: pick(random, &Search::REACH),
        initial: pick(random, &InitialPrecision::ALL),
        precision: pick(random, &[Locality::Global, Locality::Local]),
        refinement: pick(random, &PathRefinement::ALL),
        lasso_refinement: lasso_refinement(random),
        ranking: pick(random, &Ranking::ALL),
        recurrence: pick(random, &Recurrence::ALL),
        pruning: pick(random, &[Pruning::Lazy, Pruning::Lazy, Pruning::Full]),
        max_counterexamples: pick(random, &[1, 3, 16]),
        ..CegarConfig::default()
    }
}

fn contender(random: &mut Rng, is_temporal: bool) -> Contender {
    let config = config(random);
    let by_value: u64 = random.random();
    let acceptance = is_temporal.then(|| pick(random, &ACCEPTANCES));
    Contender {
        name: format!("{config:?} {acceptance:?} by value {by_value:#b}"),
        acceptance,
        may_give_up: true,
        decide: Box::new(move |cx, problem| {
            let mut config = config.clone();
            if let DomainConfig::Combined(combined) = &mut config.domain {
                let variables = problem.system.variables().iter().enumerate();
                let named = variables.filter(|(i, _)| by_value >> (2 * i) & 3 == 3);
                combined.variables = named.map(|(_, variable)| variable.var).collect();
            }
            let solver = Box::new(Z3::new(Z3Config::default()));
            let budget = Budget::unlimited().with_time(TIME);
            check_cegar(cx, problem, &config, solver, &budget, &mut |_| {}).verdict
        }),
    }
}

fn lasso_refinement(random: &mut Rng) -> LassoRefinement {
    let max_rounds = pick(random, &[1, 2, 8]);
    if random.random() {
        return LassoRefinement::Direct { max_rounds };
    }
    LassoRefinement::BoundedUnrolling {
        max_unrolling: pick(random, &[2, 20, 100]),
        max_rounds,
    }
}

fn domain(random: &mut Rng) -> DomainConfig {
    let explicit = ExplicitDomain {
        max_enum: pick(random, &[0, 1, 4, 32]),
        max_cases: pick(random, &[1, 64]),
    };
    let predicates = PredicateConfig {
        mode: pick(random, &[Mode::Cartesian, Mode::Split, Mode::Boolean]),
        pieces: pick(random, &[Pieces::Whole, Pieces::Conjuncts, Pieces::Atoms]),
        max_split: pick(random, &[2, 512]),
    };
    match random.random_range(0..7) {
        0 => DomainConfig::Explicit(explicit),
        1..4 => DomainConfig::Predicates(predicates),
        _ => DomainConfig::Combined(CombinedConfig {
            explicit,
            predicates,
            variables: Vec::new(),
            max_equalities: pick(random, &[1, 2, 3]),
        }),
    }
}

fn pick<T: Clone>(random: &mut Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())].clone()
}
