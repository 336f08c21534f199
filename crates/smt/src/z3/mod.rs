//! Z3 in process.
//!
//! One incremental Z3 solver per backend. Assumptions may be any terms: one that is no literal is
//! guarded, that is, a fresh constant `g` with `g → term` is asserted once in the scope where the term is
//! first assumed, and `g` is assumed from then on. The guard of a term that is still in scope is reused,
//! so a predicate that is assumed a thousand times is given to Z3 once.
//!
//! A check first runs with a small deterministic step limit, on the caller's thread alone. If that is
//! not enough, it is repeated under a watcher (see `watch.rs`), in a new solver that holds only what is asserted and
//! assumed now. There are two reasons for that. Guards of terms that are not assumed any more cost time: Z3 finds values
//! for them all the same, which is slow where there are divisions. And a solver that was stopped cannot be trusted: a
//! theory may take the stop for a conflict, and what it learns from that stays. For the same reason an
//! answer that took all the steps it may take counts as none.
//!
//! The `z3` crate keeps one Z3 context per thread, so a backend stays on the thread that made it (the
//! compiler sees to that).

mod cubes;
mod decode;
mod encode;
mod horn;
mod implicant;
mod interpolate;
mod newton;
mod polish;
mod project;
mod reads;
mod sorts;
mod value;
mod watch;

use crate::InterpolationConfig;
use crate::{
    Answer, Cores, HornSystem, Interpolants, Interpolate, Method, Models, Reason, Solver,
    Statistics,
};
use encode::Encoder;
use lariat_base::{Budget, FxHashMap, FxHashSet, Id, Stop};
use lariat_expr::{Head, Op, TermId, Terms, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use watch::Interrupt;
use z3::ast::Bool;
use z3::{Params, SatResult, StatisticsValue};

/// Settings of the Z3 backend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Z3Config {
    /// Z3's steps that a check may take before it is run under a watcher; some 5 million are a second.
    pub unwatched_steps: u32,
    /// With more guards than this the solver starts afresh. Fewer are allowed after checks that were slow.
    pub max_guards: usize,
    /// Every so many checks the memory limit is looked at (it costs a system call).
    pub memory_period: u64,
    /// How interpolants are made.
    pub interpolation: InterpolationConfig,
}

impl Default for Z3Config {
    fn default() -> Self {
        Self {
            unwatched_steps: 50_000,
            max_guards: 512,
            memory_period: 64,
            interpolation: InterpolationConfig::default(),
        }
    }
}

/// So many guards are always allowed.
const MIN_GUARDS: usize = 32;

/// What the last check said, and what can still be asked about it.
#[derive(Debug)]
enum Last {
    Nothing,
    /// The model is fetched when a value is asked for.
    Sat(Option<z3::Model>),
    Unsat,
}

/// An open scope.
#[derive(Debug, Default)]
struct Scope {
    /// What was asserted in it.
    asserted: Vec<Bool>,
    /// The terms whose guard was asserted in it.
    guarded: Vec<TermId>,
}

/// What a backend and its siblings share.
#[derive(Default)]
struct Shared {
    encoder: RefCell<Encoder>,
    /// Solvers that siblings have left. Making one takes Z3 some milliseconds, more than most of what
    /// siblings are asked.
    spare: RefCell<Vec<z3::Solver>>,
}

/// A Z3 solver for the terms of one store.
pub struct Z3 {
    config: Z3Config,
    solver: z3::Solver,
    /// Whether the solver goes back to the spare ones; then it has one more scope than `scopes`.
    borrowed: bool,
    shared: Rc<Shared>,
    budget: Budget,
    cancelled: Arc<AtomicBool>,
    statistics: Statistics,
    /// The literals by which terms are assumed.
    guards: FxHashMap<TermId, Bool>,
    /// What was asserted outside of all scopes, and then in each open one.
    base: Vec<Bool>,
    scopes: Vec<Scope>,
    /// How many guards there may be.
    max_guards: usize,
    /// The assumptions of the last check with their literals.
    assumed: Vec<(TermId, Bool)>,
    last: Last,
}

impl std::fmt::Debug for Z3 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Z3")
            .field("config", &self.config)
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Self::new(Z3Config::default())
    }
}

impl Z3 {
    /// A solver without assertions and without limits.
    pub fn new(config: Z3Config) -> Self {
        let solver = z3::Solver::new();
        configure(&solver, config.unwatched_steps);
        Self::with(config, solver, Rc::default(), Budget::unlimited())
    }

    /// A solver without assertions that shares this one's translations, budget and settings.
    fn sibling(&self) -> Self {
        let spare = self.shared.spare.borrow_mut().pop();
        let solver = spare.unwrap_or_else(|| {
            let solver = z3::Solver::new();
            configure(&solver, self.config.unwatched_steps);
            solver
        });
        solver.push();
        let (shared, budget) = (Rc::clone(&self.shared), self.budget.clone());
        let mut sibling = Self::with(self.config.clone(), solver, shared, budget);
        sibling.borrowed = true;
        sibling
    }

    fn with(config: Z3Config, solver: z3::Solver, shared: Rc<Shared>, budget: Budget) -> Self {
        Self {
            solver,
            borrowed: false,
            shared,
            cancelled: budget.cancel_flag(),
            budget,
            statistics: Statistics::default(),
            guards: FxHashMap::default(),
            base: Vec::new(),
            scopes: Vec::new(),
            max_guards: config.max_guards,
            assumed: Vec::new(),
            last: Last::Nothing,
            config,
        }
    }

    /// The settings.
    pub fn config(&self) -> &Z3Config {
        &self.config
    }

    /// The literal by which a term is assumed.
    fn guard(&mut self, terms: &Terms, term: TermId) -> Bool {
        if let Some(guard) = self.guards.get(&term) {
            return guard.clone();
        }
        let formula = self.shared.encoder.borrow_mut().formula(terms, term);
        let guard = if is_literal(terms, term) {
            formula
        } else {
            let guard = Bool::new_const(format!("g!{}", term.index()));
            self.solver.assert(guard.implies(&formula));
            if let Some(scope) = self.scopes.last_mut() {
                scope.guarded.push(term);
            }
            guard
        };
        self.guards.insert(term, guard.clone());
        guard
    }

    /// Forgets all guards if they have become too many.
    fn renew(&mut self) {
        if self.guards.len() > self.max_guards && self.scopes.is_empty() && !self.borrowed {
            self.solver.reset();
            self.guards.clear();
            for formula in &self.base {
                self.solver.assert(formula);
            }
        }
    }

    /// Makes a new solver with everything that is asserted, without guards.
    fn rebuild(&mut self) {
        self.solver = z3::Solver::new();
        configure(&self.solver, self.config.unwatched_steps);
        self.borrowed = false;
        self.guards.clear();
        for formula in &self.base {
            self.solver.assert(formula);
        }
        for scope in &mut self.scopes {
            self.solver.push();
            scope.guarded.clear();
            for formula in &scope.asserted {
                self.solver.assert(formula);
            }
        }
    }

    /// The limits that cost nothing to look at, and now and then the others.
    fn spent(&self) -> Option<Stop> {
        if self
            .statistics
            .checks
            .is_multiple_of(self.config.memory_period)
        {
            return self.budget.check().err();
        }
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        self.budget
            .remaining()
            .is_some_and(|left| left.is_zero())
            .then_some(Stop::Time)
    }

    /// The literals of assumptions, which become those of the last check.
    fn literals(&mut self, terms: &Terms, assumptions: &[TermId]) -> Vec<Bool> {
        self.assumed.clear();
        let mut literals = Vec::with_capacity(assumptions.len());
        for &term in assumptions {
            let literal = self.guard(terms, term);
            self.assumed.push((term, literal.clone()));
            literals.push(literal);
        }
        literals
    }

    /// An answer within a small number of steps. Z3 does not always say that these were the reason why it gave none.
    fn ask_briefly(&self, literals: &[Bool], steps: u32) -> Option<Answer> {
        if let Some(stop) = self.spent() {
            return Some(Answer::Unknown(Reason::Stopped(stop)));
        }
        let before = n_steps(&self.solver);
        let quick = self.solver.check_assumptions(literals);
        let used = n_steps(&self.solver)?.wrapping_sub(before?);
        if let Err(stop) = self
            .budget
            .spend(WORK_PER_CHECK + u64::from(used / STEPS_PER_WORK))
        {
            return Some(Answer::Unknown(Reason::Stopped(stop)));
        }
        let is_whole = quick != SatResult::Unknown && used < steps;
        is_whole.then(|| self.answer(quick))
    }

    /// An answer within the budget, from a new solver. If work is handed out in portions, a question that is too much
    /// for what is left of one is asked again, from the start, with the next and twice as much.
    fn ask_at_length(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        self.statistics.watched += 1;
        let mut least = self.config.unwatched_steps;
        let mut may_be_late = true;
        let answer = loop {
            let most = self.budget.work_left().map(|work| {
                let steps = work.saturating_mul(u64::from(STEPS_PER_WORK));
                u32::try_from(steps).map_or(0, |steps| steps.max(least))
            });
            let (outcome, used) = self.watched(terms, assumptions, most.unwrap_or(0));
            let spent = self.budget.spend(u64::from(used / STEPS_PER_WORK));
            let is_cut = most.is_some_and(|most| most > 0 && used >= most);
            match (outcome, spent) {
                ((_, Some(Interrupt::Stop(stop))), _) | (_, Err(stop)) => {
                    break Answer::Unknown(Reason::Stopped(stop));
                }
                ((_, Some(Interrupt::Wait)), _) => {}
                _ if is_cut => least = least.saturating_mul(2),
                // A late interrupt of an earlier query.
                ((SatResult::Unknown, None), _) if may_be_late && was_interrupted(&self.solver) => {
                    may_be_late = false;
                }
                ((result, None), _) => break self.answer(result),
            }
        };
        if matches!(answer, Answer::Unknown(_)) {
            self.rebuild();
        }
        answer
    }

    /// Asks a new solver under a watcher, with at most so many steps (0 is no limit); how many it took.
    fn watched(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        steps: u32,
    ) -> ((SatResult, Option<Interrupt>), u32) {
        self.rebuild();
        let literals = self.literals(terms, assumptions);
        configure(&self.solver, steps);
        let before = n_steps(&self.solver).unwrap_or(0);
        let outcome = watch::watched(&self.budget, || self.solver.check_assumptions(&literals));
        let used = n_steps(&self.solver).unwrap_or(0).wrapping_sub(before);
        configure(&self.solver, self.config.unwatched_steps);
        (outcome, used)
    }

    /// Asks, keeps the answer in mind and counts it.
    fn timed(&mut self, ask: impl FnOnce(&mut Self) -> Answer) -> Answer {
        let start = Instant::now();
        self.last = Last::Nothing;
        self.renew();
        let answer = ask(self);
        self.last = match &answer {
            Answer::Sat => Last::Sat(None),
            Answer::Unsat => Last::Unsat,
            Answer::Unknown(_) => Last::Nothing,
        };
        self.statistics.count(&answer, start.elapsed());
        answer
    }

    fn answer(&self, result: SatResult) -> Answer {
        match result {
            SatResult::Sat => Answer::Sat,
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => {
                let why = self.solver.get_reason_unknown().unwrap_or_default();
                Answer::Unknown(Reason::Incomplete(why))
            }
        }
    }
}

/// How many of Z3's steps are worth one unit of work, about a microsecond.
const STEPS_PER_WORK: u32 = 2;
/// The work of asking at all.
const WORK_PER_CHECK: u64 = 30;

/// Whether the term is a Boolean variable or the negation of one.
fn is_literal(terms: &Terms, term: TermId) -> bool {
    match terms.head(term) {
        Head::Var(_) => true,
        Head::Op(Op::Not, &[inner]) => terms.as_var(inner).is_some(),
        _ => false,
    }
}

/// Sets Z3's parameters: the steps per check (0 is no limit) and models that can be read.
fn configure(solver: &z3::Solver, steps: u32) {
    let mut params = Params::new();
    params.set_u32("rlimit", steps);
    // Otherwise Z3 turns some arrays of a model into lambda terms, whose bodies the crate cannot show.
    params.set_bool("model.compact", false);
    solver.set_params(&params);
}

/// The steps that Z3 has taken, up to multiples of 2³², if it tells.
fn n_steps(solver: &z3::Solver) -> Option<u32> {
    match solver.get_statistics().value("rlimit count")? {
        StatisticsValue::UInt(steps) => Some(steps),
        StatisticsValue::Double(_) => None,
    }
}

/// Whether the last check ended by a step limit or an interrupt rather than by itself.
fn was_interrupted(solver: &z3::Solver) -> bool {
    let why = solver.get_reason_unknown().unwrap_or_default();
    ["cancel", "interrupt", "resource", "timeout"]
        .iter()
        .any(|word| why.contains(word))
}

impl Drop for Z3 {
    fn drop(&mut self) {
        if self.borrowed {
            let solver = std::mem::take(&mut self.solver);
            solver.pop(self.scopes.len() as u32 + 1);
            self.shared.spare.borrow_mut().push(solver);
        }
    }
}

impl Solver for Z3 {
    fn push(&mut self) {
        self.last = Last::Nothing;
        self.renew();
        self.solver.push();
        self.scopes.push(Scope::default());
    }

    fn pop(&mut self) {
        let scope = self.scopes.pop().expect("a scope is open");
        for term in scope.guarded {
            self.guards.remove(&term);
        }
        self.last = Last::Nothing;
        self.solver.pop(1);
    }

    fn assert(&mut self, terms: &Terms, term: TermId) {
        self.last = Last::Nothing;
        let formula = self.shared.encoder.borrow_mut().formula(terms, term);
        self.solver.assert(&formula);
        match self.scopes.last_mut() {
            None => self.base.push(formula),
            Some(scope) => scope.asserted.push(formula),
        }
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId]) -> Answer {
        let steps = self.config.unwatched_steps;
        self.timed(|own| {
            let literals = own.literals(terms, assumptions);
            own.ask_briefly(&literals, steps).unwrap_or_else(|| {
                own.max_guards = (own.max_guards / 2).max(MIN_GUARDS);
                own.ask_at_length(terms, assumptions)
            })
        })
    }

    fn check_briefly(&mut self, terms: &Terms, assumptions: &[TermId], steps: u32) -> Answer {
        self.timed(|own| {
            let literals = own.literals(terms, assumptions);
            configure(&own.solver, steps);
            let answer = own.ask_briefly(&literals, steps);
            configure(&own.solver, own.config.unwatched_steps);
            answer.unwrap_or_else(|| {
                let why = "it takes too many steps".into();
                Answer::Unknown(Reason::Incomplete(why))
            })
        })
    }

    fn set_budget(&mut self, budget: &Budget) {
        self.cancelled = budget.cancel_flag();
        self.budget = budget.clone();
    }

    fn statistics(&self) -> &Statistics {
        &self.statistics
    }
}

impl Models for Z3 {
    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        let Last::Sat(model) = &mut self.last else {
            panic!("a value is read only after a check that was satisfiable");
        };
        let model: &z3::Model =
            model.get_or_insert_with(|| self.solver.get_model().expect("Z3 has a model after sat"));
        let mut encoder = self.shared.encoder.borrow_mut();
        let ast = encoder.encode(terms, term);
        let literal = model.eval(&ast, true)?;
        value::decode(
            &encoder.sorts,
            terms,
            Some(model),
            &literal,
            terms.sort(term),
        )
    }
}

impl Cores for Z3 {
    fn core(&mut self) -> Vec<TermId> {
        assert!(
            matches!(self.last, Last::Unsat),
            "a core is read only after a check that was unsatisfiable"
        );
        let core: FxHashSet<Bool> = self.solver.get_unsat_core().into_iter().collect();
        let mut terms = Vec::with_capacity(core.len());
        for (term, literal) in &self.assumed {
            if core.contains(literal) && !terms.contains(term) {
                terms.push(*term);
            }
        }
        terms
    }
}

impl Interpolate for Z3 {
    fn interpolate(&mut self, terms: &mut Terms, parts: &[TermId]) -> Interpolants {
        let start = Instant::now();
        let mut statistics = std::mem::take(&mut self.statistics);
        statistics.interpolations += 1;
        let result = interpolate::sequence(self, terms, parts, &mut statistics);
        statistics.interpolation_time += start.elapsed();
        self.statistics = statistics;
        result
    }

    fn interpolate_by(
        &mut self,
        method: Method,
        terms: &mut Terms,
        parts: &[TermId],
    ) -> Interpolants {
        let methods = std::mem::replace(&mut self.config.interpolation.methods, vec![method]);
        let result = self.interpolate(terms, parts);
        self.config.interpolation.methods = methods;
        result
    }

    fn solve_horn(
        &mut self,
        terms: &mut Terms,
        system: &HornSystem,
    ) -> Result<Vec<TermId>, Reason> {
        let start = Instant::now();
        let result = horn::solve(
            self,
            terms,
            system,
            self.config.interpolation.horn_steps / 4,
        );
        self.statistics.interpolation_time += start.elapsed();
        result
    }
}
