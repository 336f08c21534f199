//! Which engine decides, and the engine that chooses for itself.
//!
//! `auto` looks at the shape of the model and makes a list of methods, the most promising first. It gives
//! each a little time, then more to those that ran out of it, until one decides: most problems are easy for
//! one of them and hard for the others. The lists were found by measuring (docs/configurations.md).

use crate::cegar::{CegarConfig, DomainConfig, Listener, check_cegar};
use crate::domain::{CombinedConfig, ExplicitConfig as DomainSettings, Mode, PredicateConfig};
use crate::engine::Stats;
use crate::explicit::{ExplicitConfig, ExplicitStats, check_explicit};
use crate::problem::{Goal, Problem};
use crate::search::Search;
use crate::shape::{Kind, Shape};
use crate::verdict::{Unknown, Verdict};
use lariat_base::{Budget, Stop};
use lariat_smt::Backend;
use lariat_system::Context;
use std::time::{Duration, Instant};

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Explicit states on what is small and finite, then abstraction.
    Auto,
    /// Abstraction refinement.
    Cegar,
    /// All states.
    Explicit,
}

/// Everything that decides how a problem is decided.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// Abstraction refinement.
    pub cegar: CegarConfig,
    /// Explicit states.
    pub explicit: ExplicitConfig,
    /// What `auto` spends its time on.
    pub focus: Focus,
}

/// What `auto` spends its time on after each method had a little.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// All methods, as the shape of the model says.
    #[default]
    All,
    /// Explicit states: the model will be tried in another form, which is better for abstraction.
    Explicit,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            cegar: CegarConfig::default(),
            explicit: ExplicitConfig::default(),
            focus: Focus::All,
        }
    }
}

/// A verdict and how it was reached.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// What the deciding (or the last) attempt did.
    pub stats: Stats,
    /// The attempts: what was tried, and how it ended.
    pub attempts: Vec<Attempt>,
    /// The shape of the model, if that is what the attempts were chosen by.
    pub shape: Option<String>,
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The engine and its main settings.
    pub what: String,
    /// How it ended.
    pub end: String,
    /// How long it took.
    pub time: Duration,
}

/// Decides `problem`. `solver` makes a fresh solver for each attempt that needs one.
pub fn check(
    cx: &mut Context,
    problem: &mut Problem,
    settings: &Settings,
    solver: &mut dyn FnMut() -> Box<dyn Backend>,
    budget: &Budget,
    listener: &mut Listener,
) -> Outcome {
    let mut chosen = None;
    let mut plan = match settings.engine {
        Engine::Cegar => vec![Method::Cegar(settings.cegar.clone())],
        Engine::Explicit => vec![Method::Explicit(settings.explicit)],
        Engine::Auto => {
            let shape = Shape::new(cx, problem);
            let is_temporal = matches!(problem.goal, Goal::Accept { .. });
            chosen = Some(shape.to_string());
            auto_methods(shape.kind, is_temporal)
        }
    };
    let shares: &[Share] = if settings.engine == Engine::Auto {
        &AUTO_SHARES
    } else {
        &[Share::Rest]
    };
    let mut attempts = Vec::new();
    let mut last = None;
    'plan: for share in shares {
        let mut hopeful = Vec::new();
        let n_methods = plan.len();
        for (at, method) in plan.into_iter().enumerate() {
            let is_only = n_methods == 1;
            let share = if is_only { Share::Rest } else { *share };
            let time = share.time(budget, n_methods - at);
            let part = time.map_or_else(|| budget.clone(), |time| budget.at_most(time));
            let start = Instant::now();
            let (verdict, stats) = method.run(cx, problem, solver, &part, listener);
            attempts.push(Attempt {
                what: method.describe(),
                end: describe_verdict(&verdict),
                time: start.elapsed(),
            });
            // More time helps only what ran out of it.
            let ran_out = matches!(verdict, Verdict::Unknown(Unknown::Stopped(Stop::Time)));
            let decided = !matches!(verdict, Verdict::Unknown(_));
            last = Some((verdict, stats));
            if let (false, Err(stop)) = (decided, budget.check()) {
                last = last.map(|(_, stats)| (Verdict::Unknown(Unknown::Stopped(stop)), stats));
            }
            if decided || budget.check().is_err() {
                break 'plan;
            }
            if ran_out {
                hopeful.push(method);
            }
        }
        if matches!(hopeful.first(), Some(Method::Explicit(_))) {
            match settings.focus {
                // What could not be listed in a first short time is rather for abstraction.
                Focus::All => hopeful.rotate_left(1),
                Focus::Explicit => hopeful.truncate(1),
            }
        }
        plan = hopeful;
    }
    let (verdict, stats) = last.expect("a plan has an attempt");
    Outcome {
        verdict,
        stats,
        attempts,
        shape: chosen,
    }
}

/// A part of the time for each method that is still hopeful.
#[derive(Clone, Copy)]
enum Share {
    /// So many milliseconds.
    Millis(u64),
    /// Half of what is left, but so many milliseconds at least (and no more if time is not limited).
    Half(u64),
    /// What is left, divided evenly.
    Rest,
}

/// What `auto` gives each of its methods, one round after the other: most problems are easy for one of
/// them, so all get a little before one gets much. After that the first is the most promising.
const AUTO_SHARES: [Share; 4] = [
    Share::Millis(400),
    Share::Half(2500),
    Share::Half(8000),
    Share::Rest,
];

impl Share {
    fn time(self, budget: &Budget, n_methods: usize) -> Option<Duration> {
        match self {
            Self::Millis(millis) => Some(Duration::from_millis(millis)),
            Self::Half(least) => {
                let half = budget.remaining().map_or(Duration::ZERO, |left| left / 2);
                Some(half.max(Duration::from_millis(least)))
            }
            Self::Rest => budget.remaining().map(|left| left / n_methods as u32),
        }
    }
}

enum Method {
    Explicit(ExplicitConfig),
    Cegar(CegarConfig),
}

impl Method {
    fn describe(&self) -> String {
        match self {
            Self::Explicit(ExplicitConfig { search: None, .. }) => "explicit states".into(),
            Self::Explicit(ExplicitConfig {
                search: Some(search),
                ..
            }) => format!("explicit states, {search}"),
            Self::Cegar(config) => format!("abstraction refinement, {}", config.domain.name()),
        }
    }

    fn run(
        &self,
        cx: &mut Context,
        problem: &mut Problem,
        solver: &mut dyn FnMut() -> Box<dyn Backend>,
        budget: &Budget,
        listener: &mut Listener,
    ) -> (Verdict, Stats) {
        match self {
            Self::Explicit(config) => {
                let mut explored = ExplicitStats::default();
                let verdict = check_explicit(cx, problem, config, budget, &mut explored);
                let stats = Stats {
                    nodes: explored.states,
                    total_nodes: explored.states,
                    ..Stats::default()
                };
                (verdict, stats)
            }
            Self::Cegar(config) => check_cegar(cx, problem, config, solver(), budget, listener),
        }
    }
}

/// What `auto` tries on a model of this kind, in this order. Lassos are looked for near the start first where there may be
/// no end of states, and where there are too many for the first try.
fn auto_methods(kind: Kind, is_temporal: bool) -> Vec<Method> {
    let cegar = |domain| {
        Method::Cegar(CegarConfig {
            domain,
            ..CegarConfig::default()
        })
    };
    let mode = |mode| PredicateConfig {
        mode,
        ..PredicateConfig::default()
    };
    let explicit = |search: Option<Search>| {
        Method::Explicit(ExplicitConfig {
            search,
            ..ExplicitConfig::default()
        })
    };
    let layers = is_temporal.then_some(Search::Layers);
    let values = || cegar(DomainConfig::Explicit(DomainSettings::default()));
    let predicates = || cegar(DomainConfig::Predicates(mode(Mode::Cartesian)));
    let split = || cegar(DomainConfig::Predicates(mode(Mode::Split)));
    let combined = || {
        cegar(DomainConfig::Combined(CombinedConfig {
            predicates: mode(Mode::Cartesian),
            ..CombinedConfig::default()
        }))
    };
    match kind {
        Kind::Rational => vec![combined(), predicates(), split()],
        Kind::Finite => {
            let mut methods = vec![explicit(None), values(), combined(), predicates(), split()];
            methods.extend(layers.map(|layers| explicit(Some(layers))));
            methods
        }
        Kind::Equalities => {
            let first = explicit(layers);
            vec![first, values(), combined(), predicates(), split()]
        }
        Kind::Control => {
            let first = explicit(layers);
            vec![first, combined(), predicates(), values(), split()]
        }
        Kind::Arithmetic => {
            let first = explicit(layers);
            vec![first, predicates(), values(), combined(), split()]
        }
    }
}

fn describe_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Violated(_) => "violated".into(),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}
