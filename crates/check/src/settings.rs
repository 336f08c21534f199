//! Which engine decides, and the engine that chooses for itself.
//!
//! `auto` is a sequence of attempts under one budget: cheap and decisive ones first, each with a share
//! of the time that is left, so that one that makes no progress cannot starve the next.

use crate::cegar::{CegarConfig, DomainConfig, Listener, check_cegar};
use crate::domain::{ExplicitConfig as DomainSettings, Mode, PredicateConfig};
use crate::engine::Stats;
use crate::explicit::{ExplicitConfig, ExplicitStats, check_explicit};
use crate::problem::Problem;
use crate::verdict::{Unknown, Verdict};
use lariat_base::Budget;
use lariat_smt::Backend;
use lariat_system::Context;
use std::time::Duration;

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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            engine: Engine::Auto,
            cegar: CegarConfig::default(),
            explicit: ExplicitConfig::default(),
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
}

/// One attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The engine and its main settings.
    pub what: String,
    /// How it ended.
    pub end: String,
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
    let plan = match settings.engine {
        Engine::Cegar => vec![Plan {
            what: Method::Cegar(settings.cegar.clone()),
            share: 1.0,
            at_most: None,
        }],
        Engine::Explicit => vec![Plan {
            what: Method::Explicit(settings.explicit),
            share: 1.0,
            at_most: None,
        }],
        Engine::Auto => auto_plan(),
    };
    let mut attempts = Vec::new();
    let mut last = None;
    for step in plan {
        let time = budget.remaining().map(|left| left.mul_f64(step.share));
        let share = match time.into_iter().chain(step.at_most).min() {
            Some(time) => budget.at_most(time),
            None => budget.clone(),
        };
        let what = step.what.describe();
        let (verdict, stats) = match step.what {
            Method::Explicit(config) => {
                let mut explored = ExplicitStats::default();
                let verdict = check_explicit(cx, problem, &config, &share, &mut explored);
                (
                    verdict,
                    Stats {
                        nodes: explored.states,
                        total_nodes: explored.states,
                        ..Stats::default()
                    },
                )
            }
            Method::Cegar(config) => check_cegar(cx, problem, &config, solver(), &share, listener),
        };
        attempts.push(Attempt {
            what,
            end: describe_verdict(&verdict),
        });
        let decided = !matches!(verdict, Verdict::Unknown(_));
        let stop = budget.check().err();
        last = Some((verdict, stats));
        if decided || stop.is_some() {
            break;
        }
    }
    let (verdict, stats) = last.expect("a plan has an attempt");
    // A share that ran out is not what ended the check unless the budget did.
    let verdict = match (verdict, budget.check()) {
        (Verdict::Unknown(_), Err(stop)) => Verdict::Unknown(Unknown::Stopped(stop)),
        (verdict, _) => verdict,
    };
    Outcome {
        verdict,
        stats,
        attempts,
    }
}

struct Plan {
    what: Method,
    /// The share of the remaining time that it may use.
    share: f64,
    /// The most time that it may use.
    at_most: Option<Duration>,
}

enum Method {
    Explicit(ExplicitConfig),
    Cegar(CegarConfig),
}

impl Method {
    fn describe(&self) -> String {
        match self {
            Self::Explicit(_) => "explicit states".into(),
            Self::Cegar(config) => format!("abstraction refinement, {}", config.domain.name()),
        }
    }
}

/// What `auto` tries, in this order.
fn auto_plan() -> Vec<Plan> {
    let cegar = |domain| CegarConfig {
        domain,
        ..CegarConfig::default()
    };
    let predicates = |mode| {
        DomainConfig::Predicates(PredicateConfig {
            mode,
            ..PredicateConfig::default()
        })
    };
    let explicit = ExplicitConfig {
        max_states: Some(100_000),
        ..ExplicitConfig::default()
    };
    let attempt = |domain, share| Plan {
        what: Method::Cegar(cegar(domain)),
        share,
        at_most: None,
    };
    vec![
        Plan {
            what: Method::Explicit(explicit),
            share: 0.1,
            at_most: Some(Duration::from_secs(2)),
        },
        attempt(DomainConfig::Explicit(DomainSettings::default()), 0.3),
        attempt(predicates(Mode::Cartesian), 0.4),
        attempt(predicates(Mode::Split), 1.0),
    ]
}

fn describe_verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds => "holds".into(),
        Verdict::Violated(_) => "violated".into(),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}
