//! The whole pipeline among what `cargo xtask agree` compares: a random task is decided as a user's would be, with every
//! set of passes that leaves one out, with all, with none, and now and then by the portfolio or by abstraction refinement.
//! The naive twin decides the model as given; a counterexample that cannot be lifted to it panics.

use super::cegar;
use super::tally::Tally;
use super::task::Subject;
use lariat_base::Budget;
use lariat_check::{
    BoundedConfig, Complement, Engine, ExplicitConfig, Ranking, Recurrence, SatConfig, TraceConfig,
    Verdict,
};
use lariat_expr::{Terms, VarId};
use lariat_system::{
    Context, Edge, Limits, PointId, State, Stmt, StmtId, TransitionSystem, Variable,
    edge_successors,
};
use lariat_testkit::{Rng, StateSpace, rng};
use lariat_verify::{Options, Passes, Task};
use rand::Rng as _;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Models with more states are left out: the twin is slow.
const MAX_STATES: usize = 400;
/// So many models are drawn for one that is small enough.
const MAX_DRAWS: usize = 8;
/// What takes longer counts as unknown.
const TIME: Duration = Duration::from_secs(1);

/// A way to decide a task.
struct Way {
    name: String,
    passes: Passes,
    engine: Option<Arc<dyn Engine>>,
    /// Whether it has a time limit, and may answer unknown.
    may_give_up: bool,
}

/// Compares the task of `seed`.
pub(super) fn compare(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = rng(!seed);
    for _ in 0..MAX_DRAWS {
        let Some(mut subject) = Subject::random(&mut random) else {
            continue;
        };
        let Subject { cx, model, .. } = &mut subject;
        let Some(space) = StateSpace::explore(cx, model, MAX_STATES) else {
            tally.too_large += 1;
            continue;
        };
        start_like_the_twin(cx, model).map_err(|why| format!("{why} in {}", subject.told))?;
        let (property, expected) = subject.question(&space, &mut random)?;
        tally.tasks += 1;
        tally.refuted += u64::from(expected);
        let variables: Vec<VarId> = subject.model.variables().iter().map(|v| v.var).collect();
        for way in ways(&subject.cx.terms, &variables, &mut random) {
            let Subject {
                cx, model, told, ..
            } = &mut subject;
            let told = || format!("{}, of {} in {told}", way.name, property.text);
            let mut options = Options {
                engine: way.engine.clone(),
                passes: way.passes,
                ..Options::default()
            };
            if way.may_give_up {
                options.budget = Budget::unlimited().with_time(TIME);
            }
            let decide = AssertUnwindSafe(|| {
                let mut task = Task {
                    model,
                    property: &property,
                };
                task.check(cx, &mut options).verdict
            });
            let verdict = catch_unwind(decide);
            let verdict = verdict.map_err(|_| format!("a panic, see above: {}", told()))?;
            tally.answers += 1;
            let agrees = match &verdict {
                Verdict::Holds => !expected,
                Verdict::Violated(_) => expected,
                Verdict::Unknown(_) => {
                    tally.unknown += 1;
                    way.may_give_up
                }
            };
            if !agrees {
                return Err(format!(
                    "{verdict:?}, the twin says violated = {expected}: {}",
                    told()
                ));
            }
        }
        return Ok(());
    }
    Ok(())
}

/// Explicit states with every set of passes; sometimes the portfolio, abstraction refinement as it comes, bounded paths, trace
/// abstraction, and circuits.
fn ways(terms: &Terms, variables: &[VarId], random: &mut Rng) -> Vec<Way> {
    let mut ways = Vec::new();
    for passes in pass_sets() {
        ways.push(Way {
            name: format!("explicit with {passes:?}"),
            passes,
            engine: Some(Arc::new(ExplicitConfig::default())),
            // Without slicing a start may have too many outcomes to list them.
            may_give_up: !passes.slice,
        });
    }
    let some = |random: &mut Rng| {
        let sets = pass_sets();
        if random.random() {
            Passes::ALL
        } else {
            sets[random.random_range(0..sets.len())]
        }
    };
    if random.random_range(0..5) == 0 {
        let passes = some(random);
        ways.push(Way {
            name: format!("portfolio with {passes:?}"),
            passes,
            engine: None,
            may_give_up: true,
        });
    }
    if random.random_range(0..4) == 0 {
        let passes = some(random);
        let mut config = cegar::config(random);
        cegar::name_variables(&mut config.domain, terms, variables, random.random());
        ways.push(Way {
            name: format!("{config:?} with {passes:?}"),
            passes,
            engine: Some(Arc::new(config)),
            may_give_up: true,
        });
    }
    if random.random_range(0..8) == 0 {
        let passes = some(random);
        let config = BoundedConfig {
            max_steps: 9,
            ..BoundedConfig::default()
        };
        ways.push(Way {
            name: format!("bounded paths with {passes:?}"),
            passes,
            engine: Some(Arc::new(config)),
            may_give_up: true,
        });
    }
    if random.random_range(0..4) == 0 {
        let passes = some(random);
        let config = trace(random);
        ways.push(Way {
            name: format!("{config:?} with {passes:?}"),
            passes,
            engine: Some(Arc::new(config)),
            may_give_up: true,
        });
    }
    if random.random_range(0..4) == 0 {
        let passes = some(random);
        for config in SatConfig::ALL {
            ways.push(Way {
                name: format!("circuits ({config:?}) with {passes:?}"),
                passes,
                engine: Some(Arc::new(config)),
                may_give_up: true,
            });
        }
    }
    ways
}

/// Trace abstraction with any settings.
pub(super) fn trace(random: &mut Rng) -> TraceConfig {
    TraceConfig {
        ranking: Ranking::ALL[random.random_range(0..Ranking::ALL.len())],
        recurrence: Recurrence::ALL[random.random_range(0..Recurrence::ALL.len())],
        complement: Complement::ALL[random.random_range(0..Complement::ALL.len())],
    }
}

/// All passes, all but one, none.
fn pass_sets() -> [Passes; 9] {
    let all = Passes::ALL;
    [
        all,
        Passes {
            relations: false,
            ..all
        },
        Passes {
            constants: false,
            ..all
        },
        Passes {
            slice: false,
            ..all
        },
        Passes {
            merge: false,
            ..all
        },
        Passes {
            clocks: false,
            ..all
        },
        Passes {
            forget: false,
            ..all
        },
        Passes {
            blocks: false,
            ..all
        },
        Passes {
            relations: false,
            constants: false,
            slice: false,
            merge: false,
            clocks: false,
            forget: false,
            blocks: false,
            cut: false,
        },
    ]
}

/// Whether runs start as declarations say. The twin reads the derived preludes like everybody else, so these are compared
/// with one that gives every variable a value before anything is read.
fn start_like_the_twin(cx: &mut Context, model: &dyn TransitionSystem) -> Result<(), String> {
    let variables = model.variables().to_vec();
    let Some(prelude) = naive_prelude(cx, &variables) else {
        return Ok(());
    };
    let states = |cx: &mut Context, edge: Edge<PointId>| {
        let found = edge_successors(cx, &variables, None, (0, edge), &Limits::default());
        let states: BTreeSet<State> = found.steps.into_iter().map(|step| step.state).collect();
        found.more.is_none().then_some(states)
    };
    let (initial, branches) = (model.initial(), model.branches());
    for (edge, branch) in initial.into_iter().zip(branches) {
        let stmt = cx.stmts.seq(&[prelude, branch.stmt], None);
        let (given, naive) = (states(cx, edge), states(cx, Edge { stmt, ..branch }));
        if let (Some(given), Some(naive)) = (given, naive)
            && given != naive
        {
            return Err(format!("runs start in {given:?}, not in {naive:?}"));
        }
    }
    Ok(())
}

/// Any value for each variable without a declared one, then the declared values; none if these depend on one another in a
/// circle.
fn naive_prelude(cx: &mut Context, variables: &[Variable]) -> Option<StmtId> {
    let mut parts = Vec::new();
    let (declared, open): (Vec<_>, Vec<_>) = variables.iter().partition(|v| v.initial.is_some());
    for variable in &open {
        parts.push(cx.stmts.add(Stmt::Havoc(variable.var), None));
    }
    let mut ready: Vec<VarId> = open.iter().map(|variable| variable.var).collect();
    while ready.len() < variables.len() {
        let next = declared.iter().find(|variable| {
            let read = cx.terms.free_vars(variable.initial.as_slice());
            !ready.contains(&variable.var) && read.iter().all(|var| ready.contains(var))
        })?;
        let value = next.initial.expect("it is declared");
        parts.push(cx.stmts.add(Stmt::Assign(next.var, value), None));
        ready.push(next.var);
    }
    Some(cx.stmts.seq(&parts, None))
}
