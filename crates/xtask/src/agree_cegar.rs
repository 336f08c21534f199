//! The abstraction-refinement engine among the contenders of `cargo xtask agree`: configurations drawn
//! at random, so that every combination is met in a long series.

use crate::agree::{ACCEPTANCES, Contender};
use lariat_base::Budget;
use lariat_check::{
    CegarConfig, DomainConfig, ExplicitDomain, InitialPrecision, LassoRefinement, Mode, Pieces,
    PredicateConfig, Search, check_cegar,
};
use lariat_smt::{Z3, Z3Config};
use lariat_testkit::Rng;
use rand::Rng as _;
use std::time::Duration;

/// A check that takes longer counts as unknown.
const TIME: Duration = Duration::from_secs(10);

/// Some configurations for a temporal property, or for bad states.
pub fn sampled(random: &mut Rng, is_temporal: bool) -> Vec<Contender> {
    (0..2).map(|_| contender(random, is_temporal)).collect()
}

fn contender(random: &mut Rng, is_temporal: bool) -> Contender {
    let config = CegarConfig {
        domain: domain(random),
        search: pick(random, &Search::LASSO),
        reach: pick(random, &Search::REACH),
        initial: pick(random, &INITIAL),
        lasso_refinement: LassoRefinement::Direct {
            max_rounds: pick(random, &[1, 2, 8]),
        },
        ..CegarConfig::default()
    };
    let acceptance = is_temporal.then(|| pick(random, &ACCEPTANCES));
    Contender {
        name: format!("{config:?} {acceptance:?}"),
        acceptance,
        may_give_up: true,
        decide: Box::new(move |cx, problem| {
            let solver = Box::new(Z3::new(Z3Config::default()));
            let budget = Budget::unlimited().with_time(TIME);
            check_cegar(cx, problem, &config, solver, &budget, &mut |_| {}).0
        }),
    }
}

const INITIAL: [InitialPrecision; 4] = [
    InitialPrecision::Empty,
    InitialPrecision::Property,
    InitialPrecision::Control,
    InitialPrecision::AllVariables,
];

fn domain(random: &mut Rng) -> DomainConfig {
    if random.random_range(0..3) == 0 {
        let max_enum = pick(random, &[0, 1, 4, 32]);
        return DomainConfig::Explicit(ExplicitDomain {
            max_enum,
            max_cases: pick(random, &[1, 64]),
        });
    }
    DomainConfig::Predicates(PredicateConfig {
        mode: pick(random, &[Mode::Cartesian, Mode::Split]),
        pieces: pick(random, &[Pieces::Whole, Pieces::Conjuncts, Pieces::Atoms]),
        max_split: pick(random, &[2, 512]),
    })
}

fn pick<T: Clone>(random: &mut Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())].clone()
}
