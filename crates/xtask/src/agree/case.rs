//! One case of `cargo xtask agree`: a random system with a random formula, or with a random set of bad
//! states, made from one seed. The naive twins say what the answer is; every contender must say the
//! same, and replays its counterexamples itself. To add an engine or a configuration, add an entry to
//! [`contenders`].

use super::tally::Tally;
use super::{cegar, pipeline};
use lariat_base::{Budget, Id};
use lariat_check::{
    Bad, ExplicitConfig, ExplicitStats, Goal, Problem, Search, Shorten, Verdict, check_explicit,
};
use lariat_ltl::{
    Acceptance, ApId, Automaton, Brackets, Effort, FormulaId, Formulas, Operators, Syntax,
    TranslateConfig, print_formula, random_formula, translate,
};
use lariat_system::{Context, LocId, TransitionSystem};
use lariat_testkit::{RandomSystem, StateSpace, naive_accepts, naive_lasso, random_system, rng};
use rand::Rng as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Systems with more states are left out: the twins are slow.
const MAX_STATES: usize = 400;
/// How many steps the walk over lassos may take.
pub(super) const MAX_WALK: usize = 20_000;

/// Decides a problem.
type Decide = dyn Fn(&mut Context, &mut Problem<'_>) -> Verdict;

/// One way to decide a problem.
pub(super) struct Contender {
    pub name: String,
    /// For temporal properties: the automaton it wants. None: it decides reachability.
    pub acceptance: Option<Acceptance>,
    /// Whether it may answer unknown.
    pub may_give_up: bool,
    pub decide: Box<Decide>,
}

/// Everything that must agree.
fn contenders() -> Vec<Contender> {
    let mut all = Vec::new();
    for shorten in [Shorten::On, Shorten::Off] {
        for search in Search::LASSO {
            for acceptance in ACCEPTANCES {
                all.push(explicit(search, Some(acceptance), shorten));
            }
        }
    }
    all.extend(Search::REACH.map(|search| explicit(search, None, Shorten::Off)));
    all
}

pub(super) const ACCEPTANCES: [Acceptance; 3] = [
    Acceptance::Generalized,
    Acceptance::Buchi,
    Acceptance::StateBuchi,
];

fn explicit(search: Search, acceptance: Option<Acceptance>, shorten: Shorten) -> Contender {
    let config = ExplicitConfig {
        search: Some(search),
        shorten,
        ..ExplicitConfig::default()
    };
    Contender {
        name: format!("explicit {search} {acceptance:?} shorten {shorten:?}"),
        acceptance,
        may_give_up: false,
        decide: Box::new(move |cx, problem| {
            let mut stats = ExplicitStats::default();
            check_explicit(cx, problem, &config, &Budget::unlimited(), &mut stats)
        }),
    }
}

/// Compares the case of `seed`, unless its system is too large.
pub(super) fn compare(seed: u64) -> Result<Tally, String> {
    let both = || {
        let mut tally = compare_all(seed)?;
        // A seed without a pair for the engines would only put the two counts apart.
        if tally.compared > 0 {
            pipeline::compare(seed, &mut tally)?;
        }
        Ok(tally)
    };
    catch_unwind(both).unwrap_or_else(|_| Err("panicked, see above".into()))
}

fn compare_all(seed: u64) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let mut random = rng(seed);
    let n_atoms = random.random_range(1..4);
    let RandomSystem {
        mut cx,
        mut system,
        atoms,
    } = random_system(&mut random, n_atoms);
    let Some(space) = StateSpace::explore(&mut cx, &mut *system, MAX_STATES) else {
        tally.too_large += 1;
        return Ok(tally);
    };
    let (properties, expected, what) = if random.random_range(0..4) == 0 {
        let bad = random_bad(&mut random, &space, &*system, &atoms);
        let when = Vec::from_iter(bad.when);
        let letters = space.letters(&cx, &*system, &when);
        let expected = space.reaches(&*system, &letters, &bad.at);
        tally.reach += 1;
        let what = format!("bad states {bad:?}");
        (vec![(None, Goal::Reach(bad))], expected, what)
    } else {
        let property = Temporal::random(&mut random, n_atoms)?;
        let letters = space.letters(&cx, &*system, &property.pick(&atoms));
        let expected = naive_accepts(&space, &letters, &property.automata[0]);
        let formula = (&*property.formulas, property.formula);
        let walked = naive_lasso(&space, (&property.aps, &letters), formula, 2, MAX_WALK);
        if walked.is_some() && !expected {
            return Err(format!(
                "no automaton sees the lasso that violates {}",
                property.text
            ));
        }
        tally.walked += u64::from(walked.is_some());
        (property.goals(&atoms), expected, property.text)
    };
    tally.compared += 1;
    tally.violated += u64::from(expected);
    let mut problem = Problem {
        system,
        goal: properties[0].1.clone(),
    };
    let is_temporal = properties[0].0.is_some();
    let sampled = cegar::sampled(&mut random, is_temporal);
    for contender in contenders().into_iter().chain(sampled) {
        let goal = properties
            .iter()
            .find(|(for_, _)| *for_ == contender.acceptance);
        let Some((_, goal)) = goal else { continue };
        problem.goal = goal.clone();
        tally.answers += 1;
        let decide = AssertUnwindSafe(|| (contender.decide)(&mut cx, &mut problem));
        let verdict = catch_unwind(decide)
            .map_err(|_| format!("{} panicked, see above, of {what}", contender.name))?;
        let agrees = match &verdict {
            Verdict::Holds => !expected,
            Verdict::Violated(_) => expected,
            Verdict::Unknown(_) => {
                tally.unknown += 1;
                contender.may_give_up
            }
        };
        if !agrees {
            let name = &contender.name;
            return Err(format!(
                "{name} says {verdict:?}, the twin says violated = {expected}, of {what}"
            ));
        }
    }
    Ok(tally)
}

fn random_bad(
    random: &mut lariat_testkit::Rng,
    space: &StateSpace,
    system: &dyn TransitionSystem,
    atoms: &[lariat_expr::TermId],
) -> Bad {
    let leaf = random.random_range(0..system.n_leaves());
    let n = space.states.len().max(1);
    let some = space.states.get(random.random_range(0..n));
    // A location that occurs, or one that may not.
    let loc = some.map_or(LocId::from_index(0), |state| {
        system.leaf_location(state.loc, leaf)
    });
    match random.random_range(0..3) {
        0 => Bad {
            when: None,
            at: vec![(leaf, loc)],
        },
        1 => Bad {
            when: Some(atoms[0]),
            at: vec![(leaf, LocId::from_index(2))],
        },
        _ => Bad {
            when: Some(atoms[0]),
            at: Vec::new(),
        },
    }
}

/// A formula and the automata of its negation.
pub(super) struct Temporal {
    pub formulas: Arc<Formulas>,
    pub formula: FormulaId,
    pub text: String,
    /// The atoms of the automata, as the formula names them: `p0`, `p1`, ….
    pub aps: Vec<ApId>,
    indices: Vec<usize>,
    pub automata: Vec<Arc<Automaton>>,
}

impl Temporal {
    pub fn random(random: &mut lariat_testkit::Rng, n_atoms: usize) -> Result<Self, String> {
        let mut formulas = Formulas::new();
        let names: Vec<ApId> = (0..n_atoms)
            .map(|i| formulas.ap_id(&format!("p{i}")))
            .collect();
        let size = random.random_range(1..9);
        let mut letters = lariat_ltl::Rng::new(random.random());
        let operators = Operators::Future;
        let formula = random_formula(&mut formulas, &mut letters, &names, size, operators);
        let negated = formulas.not(formula);
        let mut automata = Vec::new();
        for acceptance in ACCEPTANCES {
            let effort = if random.random() {
                Effort::Low
            } else {
                Effort::High
            };
            let config = TranslateConfig::new(acceptance, effort);
            let automaton = translate(&mut formulas, negated, &config, &Budget::unlimited());
            automata.push(Arc::new(automaton.map_err(|error| format!("{error:?}"))?));
        }
        let aps = automata[0].aps().to_vec();
        let position = |ap: &ApId| names.iter().position(|name| name == ap);
        let indices = aps.iter().filter_map(position).collect();
        let text = print_formula(&formulas, formula, Syntax::Spot, Brackets::Minimal)
            .map_err(|error| format!("{error:?}"))?;
        Ok(Self {
            formulas: Arc::new(formulas),
            formula,
            text,
            aps,
            indices,
            automata,
        })
    }

    /// What the automata's atoms stand for, if `p0`, `p1`, … are these.
    pub fn pick<T: Clone>(&self, all: &[T]) -> Vec<T> {
        self.indices.iter().map(|&i| all[i].clone()).collect()
    }

    /// The goal for each acceptance.
    fn goals(&self, all: &[lariat_expr::TermId]) -> Vec<(Option<Acceptance>, Goal)> {
        let goal = |(&acceptance, automaton): (&Acceptance, &Arc<Automaton>)| {
            assert_eq!(
                automaton.aps(),
                self.aps,
                "all automata have the formula's atoms"
            );
            let goal = Goal::Accept {
                automaton: Arc::clone(automaton),
                atoms: self.pick(all),
                formula: Some((Arc::clone(&self.formulas), self.formula)),
            };
            (Some(acceptance), goal)
        };
        ACCEPTANCES.iter().zip(&self.automata).map(goal).collect()
    }
}
