//! The one interface of all engines.
//!
//! An engine is its configuration: it describes itself, says whether it can handle a problem, and decides it within a
//! budget. What runs engines (a portfolio, a test, a benchmark) knows nothing else of them.

use crate::acceptance::Acceptance;
use crate::bounded::{BoundedConfig, check_bounded};
use crate::cegar::{CegarConfig, Listener, check_cegar};
use crate::explicit::{ExplicitConfig, ExplicitStats, check_explicit};
use crate::fairness::FairMarks;
use crate::problem::{Goal, Problem};
use crate::proof::Proof;
use crate::search::Search;
use crate::session::Stats;
use crate::trace::{TraceConfig, check_trace};
use crate::verdict::Verdict;
use lariat_base::Budget;
use lariat_smt::Backend;
use lariat_system::Context;
use std::fmt;

/// A way to decide problems.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Itself and its main settings, for people.
    fn describe(&self) -> String;
    /// All its settings by their names, as they count for a property about infinite runs, or for one about bad states.
    fn settings(&self, is_temporal: bool) -> Vec<(&'static str, Setting)>;
    /// Whether it can handle the problem, or why not.
    fn supports(&self, problem: &Problem) -> Result<(), String>;
    /// Decides the problem.
    fn decide(&self, job: Job<'_, '_>) -> Outcome;
}

/// The value of a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// One of several names.
    Name(&'static str),
    /// A number; nothing for a limit that is not set.
    Number(Option<usize>),
}

/// What an engine works with.
pub struct Job<'j, 'm> {
    /// Terms and statements.
    pub cx: &'j mut Context,
    /// What is to be decided.
    pub problem: &'j mut Problem<'m>,
    /// Makes a new solver.
    pub solver: &'j dyn Fn() -> Box<dyn Backend>,
    /// The limits.
    pub budget: &'j Budget,
    /// Hears of each round of a refinement loop.
    pub listener: &'j mut Listener<'j>,
}

/// What an engine found out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// What it did.
    pub statistics: Statistics,
    /// Why the property holds, if it does: over the terms of the job's context and the locations of its problem's system.
    pub proof: Option<Proof>,
}

/// What an engine did, in its own terms.
#[derive(Clone, PartialEq, Debug)]
pub enum Statistics {
    /// Abstraction refinement.
    Cegar(Stats),
    /// Explicit states.
    Explicit(ExplicitStats),
}

impl Statistics {
    /// The number of steps such that no counterexample has so many or fewer, stem and loop together, if one is known.
    pub fn clear_steps(&self) -> Option<u64> {
        match self {
            Self::Cegar(stats) => stats.clear_steps,
            Self::Explicit(stats) => stats.clear_steps,
        }
    }
}

/// More cases of fairness constraints per edge of the automaton are too many to tell apart in the abstraction.
const MAX_CASES: usize = 1 << 10;

/// Whether the problem's fairness constraints can be read, and whether the search, if it is one for lassos, can handle
/// them.
fn fits(search: Option<Search>, problem: &Problem) -> Result<FairMarks, String> {
    let Goal::Accept { atoms, .. } = &problem.goal else {
        return Ok(FairMarks::default());
    };
    let mut acceptance = Acceptance::new();
    let fair = FairMarks::new(problem.system.fairness(), &mut acceptance);
    if !fair.terms().is_empty() && atoms.len() + fair.terms().len() > u64::BITS as usize {
        return Err("atoms and fairness constraints have more than 64 terms".into());
    }
    if let Some(search) = search
        && let Some(check) = search.emptiness()
        && let Err(why) = check.supports(&acceptance)
    {
        return Err(format!(
            "the search {search} does not fit the fairness constraints: {why}"
        ));
    }
    Ok(fair)
}

impl Engine for CegarConfig {
    fn describe(&self) -> String {
        format!("abstraction refinement, {}", self.domain.name())
    }

    fn settings(&self, is_temporal: bool) -> Vec<(&'static str, Setting)> {
        let search = if is_temporal { self.search } else { self.reach };
        vec![
            ("engine", Setting::Name("cegar")),
            ("domain", Setting::Name(self.domain.name())),
            ("search", Setting::Name(search.name())),
            ("initial_precision", Setting::Name(self.initial.name())),
            ("precision", Setting::Name(self.precision.name())),
            ("refinement", Setting::Name(self.refinement.name())),
            (
                "lasso_refinement",
                Setting::Name(self.lasso_refinement.name()),
            ),
            ("ranking", Setting::Name(self.ranking.name())),
            ("recurrence", Setting::Name(self.recurrence.name())),
            ("approach", Setting::Name(self.approach.name())),
            ("prune", Setting::Name(self.pruning.name())),
            (
                "max_counterexamples",
                Setting::Number(Some(self.max_counterexamples)),
            ),
        ]
    }

    fn supports(&self, problem: &Problem) -> Result<(), String> {
        let fair = fits(Some(self.search), problem)?;
        if fair.max_cases() > MAX_CASES {
            return Err("the system has too many fairness constraints to abstract them".into());
        }
        Ok(())
    }

    fn decide(&self, job: Job<'_, '_>) -> Outcome {
        let Job {
            cx,
            problem,
            solver,
            budget,
            listener,
        } = job;
        check_cegar(cx, problem, self, solver(), budget, listener)
    }
}

impl Engine for BoundedConfig {
    fn describe(&self) -> String {
        "bounded paths".into()
    }

    fn settings(&self, _is_temporal: bool) -> Vec<(&'static str, Setting)> {
        vec![
            ("engine", Setting::Name("bounded")),
            ("recurrence", Setting::Name(self.recurrence.name())),
            ("max_steps", Setting::Number(Some(self.max_steps))),
        ]
    }

    fn supports(&self, problem: &Problem) -> Result<(), String> {
        let fair = fits(None, problem)?;
        if fair.max_cases() > MAX_CASES {
            return Err("the system has too many fairness constraints".into());
        }
        Ok(())
    }

    fn decide(&self, job: Job<'_, '_>) -> Outcome {
        check_bounded(job.cx, job.problem, self, job.solver, job.budget)
    }
}

impl Engine for TraceConfig {
    fn describe(&self) -> String {
        "trace abstraction".into()
    }

    fn settings(&self, _is_temporal: bool) -> Vec<(&'static str, Setting)> {
        vec![
            ("engine", Setting::Name("trace")),
            ("ranking", Setting::Name(self.ranking.name())),
            ("recurrence", Setting::Name(self.recurrence.name())),
            ("complement", Setting::Name(self.complement.name())),
        ]
    }

    fn supports(&self, problem: &Problem) -> Result<(), String> {
        let fair = fits(None, problem)?;
        if fair.max_cases() > MAX_CASES {
            return Err("the system has too many fairness constraints".into());
        }
        Ok(())
    }

    fn decide(&self, job: Job<'_, '_>) -> Outcome {
        let Job {
            cx,
            problem,
            solver,
            budget,
            listener,
        } = job;
        check_trace(cx, problem, self, solver(), budget, listener)
    }
}

impl Engine for ExplicitConfig {
    fn describe(&self) -> String {
        match self.search {
            None => "explicit states".into(),
            Some(search) => format!("explicit states, {search}"),
        }
    }

    fn settings(&self, is_temporal: bool) -> Vec<(&'static str, Setting)> {
        let default = if is_temporal {
            Search::Scc
        } else {
            Search::Bfs
        };
        let search = self.search.unwrap_or(default).name();
        vec![
            ("engine", Setting::Name("explicit")),
            ("search", Setting::Name(search)),
            ("symmetry", Setting::Name(self.symmetry.name())),
            ("max_states", Setting::Number(self.max_states)),
        ]
    }

    fn supports(&self, problem: &Problem) -> Result<(), String> {
        if let Some(search) = self.search {
            match &problem.goal {
                Goal::Reach(_) if search.reach().is_none() => {
                    return Err(format!(
                        "the search {search} looks for lassos, the property asks for a state"
                    ));
                }
                Goal::Accept { .. } if search.emptiness().is_none() => {
                    return Err(format!(
                        "the search {search} looks for a state, the property asks for lassos"
                    ));
                }
                _ => {}
            }
        }
        fits(self.search, problem).map(|_| ())
    }

    fn decide(&self, job: Job<'_, '_>) -> Outcome {
        let mut stats = ExplicitStats::default();
        let verdict = check_explicit(job.cx, job.problem, self, job.budget, &mut stats);
        let holds = verdict == Verdict::Holds;
        Outcome {
            verdict,
            proof: holds.then_some(Proof::States(stats.states)),
            statistics: Statistics::Explicit(stats),
        }
    }
}
