//! The abstraction-refinement engine among the contenders of `cargo xtask agree`: configurations drawn
//! at random, so that every combination is met in a long series.

use super::case::{ACCEPTANCES, Contender};
use lariat_base::Budget;
use lariat_check::{
    Approach, CegarConfig, CombinedConfig, DomainConfig, ExplicitDomain, Function, Functions,
    InitialPrecision, LassoRefinement, Locality, Mode, PathRefinement, Pieces, PredicateConfig,
    Pruning, Ranking, Recurrence, Search, ValueConfig, check_cegar,
};
use lariat_expr::{Terms, Value, VarId};
use lariat_smt::{Z3, Z3Config};
use lariat_testkit::{Rng, rng};
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
        approach: pick(random, &Approach::ALL),
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
            let variables: Vec<VarId> = problem.system.variables().iter().map(|v| v.var).collect();
            name_variables(&mut config.domain, &cx.terms, &variables, by_value);
            let solver = Box::new(Z3::new(Z3Config::default()));
            let budget = Budget::unlimited().with_time(TIME);
            check_cegar(cx, problem, &config, solver, &budget, &mut |_| {}).verdict
        }),
    }
}

/// Tells some variables by value and, in a domain with functions, some by functions, as the bits of a number say.
pub(super) fn name_variables(
    domain: &mut DomainConfig,
    terms: &Terms,
    variables: &[VarId],
    bits: u64,
) {
    let named = variables.iter().enumerate();
    let named = named.filter(|(i, _)| bits >> (2 * i % 64) & 3 == 3);
    let named: Vec<VarId> = named.map(|(_, &var)| var).collect();
    let functions = functions(terms, variables, bits);
    match domain {
        DomainConfig::Value(value) => value.functions = functions,
        DomainConfig::Combined(combined) => {
            combined.variables = named;
            if let Some(own) = &mut combined.functions {
                *own = functions;
            }
        }
        DomainConfig::Explicit(_) | DomainConfig::Predicates(_) | DomainConfig::Zones => {}
    }
}

/// For about half of the variables a function that fits.
fn functions(terms: &Terms, variables: &[VarId], bits: u64) -> Functions {
    let mut random = rng(bits);
    let mut all = Vec::new();
    for &var in variables {
        let sort = terms.var_sort(var);
        let function = match random.random_range(0..18) {
            0 => Function::Sign,
            1 => Function::Parity,
            2 => Function::Modulo(random.random_range(1..7_i64).into()),
            3 => Function::Bits,
            4 => Function::Bit(random.random_range(0..3)),
            5 => Function::Is(Value::some(&terms.sorts, sort)),
            6 => Function::Thresholds(vec![(-1).into(), 0.into(), 2.into()]),
            7 => Function::Identity,
            8 => Function::Any,
            _ => continue,
        };
        if function.misfit(terms, sort).is_none() {
            all.push((var, function));
        }
    }
    Functions::new(all)
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
    match random.random_range(0..10) {
        9 => DomainConfig::Zones,
        0 => DomainConfig::Explicit(explicit),
        1..4 => DomainConfig::Predicates(predicates),
        4..6 => DomainConfig::Value(ValueConfig {
            explicit,
            functions: Functions::default(),
        }),
        _ => DomainConfig::Combined(CombinedConfig {
            explicit,
            predicates,
            variables: Vec::new(),
            max_equalities: pick(random, &[1, 2, 3]),
            functions: pick(random, &[None, Some(Functions::default())]),
        }),
    }
}

fn pick<T: Clone>(random: &mut Rng, from: &[T]) -> T {
    from[random.random_range(0..from.len())].clone()
}
