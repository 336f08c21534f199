//! Finite models as circuits: counterexamples of bounded length and inductive invariants, both by a SAT solver of our own.
//!
//! ```text
//! Problem ─► Machine ─► Circuit ─┬─► Paths: bad states and loops of growing length ─► violated
//!            (bits)    (clauses) └─► Ic3: an invariant ─► holds
//! ```
//!
//! Both work in turn, as much as each other. That a loop cannot be taken for ever is shown by counting (Claessen and Sörensson, "A
//! liveness checking algorithm that counts", FMCAD'12): a *round* ends when all marks were met since the last one. If some
//! invariant excludes that more than `k` rounds end, no run is accepting. `k` grows as long as there are runs with more rounds;
//! what was found out about the steps stays.
//!
//! Or the states are listed, with the solver in place of the inputs (`states.rs`): for circuits with few latches. Or sets of them are
//! computed, as decision diagrams (`sets/`).
//!
//! Integers between known bounds are bits, too (`ranges.rs`); that no step leaves its bounds is a question to the SMT solver.
//!
//! An invariant is checked by the SMT solver before anything is said: that shares nothing with the clauses and how they were
//! found. A counterexample is executed, as every other.

mod cdcl;
mod circuit;
mod heap;
mod ic3;
mod lasting;
mod machine;
mod paths;
mod ranges;
mod run;
mod sets;
mod states;
mod stepper;

use crate::confirm::confirm;
use crate::engine::{Engine, Job, Outcome, Setting, Statistics};
use crate::problem::{Goal, Problem};
use crate::proof::Proof;
use crate::session::{Halt, Stats};
use crate::verdict::{Counterexample, Unknown, Verdict};
use circuit::Circuit;
use ic3::{Cube, Ic3, Progress};
use lariat_base::Budget;
use lariat_expr::{TermId, Terms, VarId};
use lariat_smt::{Answer, Backend};
use lariat_system::{Context, Growth, Lasso};
use machine::Machine;
use paths::{Found, Paths};
use states::States;

/// The engine on bits: how circuits are decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SatConfig {
    /// Bounded paths and invariants, in turn.
    #[default]
    Formulas,
    /// State by state.
    States,
    /// By sets of states, as decision diagrams.
    Sets,
}

/// The conflicts of a turn of the paths.
const TURN: u64 = 300;
/// How many propagated literals are a unit of work.
const PER_WORK: u64 = 8;
/// The longest paths.
const LONGEST: usize = 20_000;
/// The most rounds that are counted.
const MAX_ROUNDS: usize = 256;
/// The instance of the variables that count rounds.
const COUNTING: u32 = u32::MAX - 8;

impl SatConfig {
    /// All ways.
    pub const ALL: [Self; 3] = [Self::Formulas, Self::States, Self::Sets];
}

impl Engine for SatConfig {
    fn describe(&self) -> String {
        match self {
            Self::Formulas => "circuits".into(),
            Self::States => "circuits, state by state".into(),
            Self::Sets => "circuits, by sets of states".into(),
        }
    }

    fn settings(&self, _is_temporal: bool) -> Vec<(&'static str, Setting)> {
        let name = match self {
            Self::Formulas => "sat",
            Self::States => "sat-states",
            Self::Sets => "bdd",
        };
        vec![("engine", Setting::Name(name))]
    }

    fn supports(&self, _problem: &Problem) -> Result<(), String> {
        Ok(())
    }

    fn decide(&self, job: Job<'_, '_>) -> Outcome {
        let mut stats = Stats::default();
        let Job {
            cx,
            problem,
            solver,
            budget,
            ..
        } = job;
        let decided = match self {
            Self::Formulas => decide(cx, problem, solver, budget, &mut stats),
            Self::States | Self::Sets => list(*self, cx, problem, solver, budget, &mut stats),
        };
        let verdict = match decided {
            Ok(Some(counterexample)) => {
                confirm(cx, problem, &counterexample);
                Verdict::Violated(counterexample)
            }
            Ok(None) => Verdict::Holds,
            Err(Halt(why)) => Verdict::Unknown(why),
        };
        let is_listed = *self != Self::Formulas && verdict == Verdict::Holds;
        Outcome {
            verdict,
            proof: is_listed.then_some(Proof::States(stats.nodes)),
            statistics: Statistics::Cegar(stats),
        }
    }
}

/// A counterexample that is found among all states, one by one or by sets; none if there is none.
fn list(
    config: SatConfig,
    cx: &mut Context,
    problem: &mut Problem,
    solver: &dyn Fn() -> Box<dyn Backend>,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<Counterexample>, Halt> {
    let machine = machine(cx, problem, solver, budget)?;
    let circuit = Circuit::new(&cx.terms, &machine).ok_or_else(too_large)?;
    let found = if config == SatConfig::Sets {
        sets::search(&mut cx.terms, &machine, &circuit, budget, stats)?
    } else {
        let mut states = States::new(&circuit, budget);
        let found = states.search();
        stats.nodes = states.n_states() as u64;
        found?
    };
    Ok(found.map(|found| counterexample(cx, &machine, &found)))
}

/// The machine of a problem.
fn machine(
    cx: &mut Context,
    problem: &mut Problem,
    solver: &dyn Fn() -> Box<dyn Backend>,
    budget: &Budget,
) -> Result<Machine, Halt> {
    let mut machine = Machine::new(cx, problem).map_err(unsupported)?;
    stay_inside(cx, &machine, &mut *solver(), budget)?;
    lasting::keep(&mut cx.terms, &mut machine, &mut *solver(), budget)?;
    Ok(machine)
}

/// Integers stay in their ranges: every step that begins inside of all of them ends there, and so does the first one.
fn stay_inside(
    cx: &mut Context,
    machine: &Machine,
    solver: &mut dyn Backend,
    budget: &Budget,
) -> Result<(), Halt> {
    let terms = &mut cx.terms;
    if machine.leaves == terms.false_() {
        return Ok(());
    }
    solver.set_budget(budget);
    match solver.check(terms, &[machine.valid, machine.leaves]) {
        Answer::Unsat => Ok(()),
        Answer::Sat => Err(unsupported("integers may leave their ranges".into())),
        Answer::Unknown(why) => Err(why.into()),
    }
}

fn unsupported(why: String) -> Halt {
    Halt(Unknown::Unsupported(why))
}

fn too_large() -> Halt {
    unsupported("the circuit is too large".into())
}

fn counterexample(cx: &mut Context, machine: &Machine, found: &Found) -> Counterexample {
    let run = run::run(cx, machine, &found.inputs);
    match found.start {
        None => Counterexample::Path(run),
        Some(start) => Counterexample::Lasso(Lasso {
            run,
            honda: start - 1,
            growth: Growth::default(),
            region: Vec::new(),
            inputs: Vec::new(),
        }),
    }
}

/// A counterexample; none if there is none.
fn decide(
    cx: &mut Context,
    problem: &mut Problem,
    solver: &dyn Fn() -> Box<dyn Backend>,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<Counterexample>, Halt> {
    let mut machine = machine(cx, problem, solver, budget)?;
    let circuit = Circuit::new(&cx.terms, &machine).ok_or_else(too_large)?;
    let mut paths = Paths::new(&circuit);
    let mut rounds = match problem.goal {
        Goal::Reach(_) => None,
        Goal::Accept { .. } => Some(Rounds::new(&mut cx.terms, &mut machine)),
    };
    let counted = Circuit::new(&cx.terms, &machine).ok_or_else(too_large)?;
    let mut ic3 = Ic3::new(counted, budget);
    let mut told = 0;
    let mut is_counting = true;
    while paths.n_steps() < LONGEST {
        stats.iterations = ic3.depth() as u64;
        let work = (paths.work() + ic3.work()) / PER_WORK;
        budget.spend(work - told)?;
        told = work;
        stats.checks += 1;
        if let Some(found) = paths.advance(TURN) {
            return Ok(Some(counterexample(cx, &machine, &found)));
        }
        stats.clear_steps = paths.n_clear.checked_sub(1).map(|n| n as u64);
        while is_counting && ic3.work() < paths.work() {
            stats.checks += 1;
            let work = (paths.work() + ic3.work()) / PER_WORK;
            budget.spend(work - told)?;
            told = work;
            match ic3.advance()? {
                Progress::Going => {}
                Progress::Proved(cubes) => {
                    verify(cx, &machine, &cubes, &mut *solver(), budget)?;
                    return Ok(None);
                }
                Progress::Reached(inputs) => match &mut rounds {
                    None => {
                        let run = run::run(cx, &machine, &inputs);
                        return Ok(Some(Counterexample::Path(run)));
                    }
                    Some(rounds) if rounds.n < MAX_ROUNDS => {
                        rounds.count_one_more(&mut cx.terms, &mut machine);
                        let counted = Circuit::new(&cx.terms, &machine);
                        ic3.ask(counted.ok_or_else(too_large)?);
                    }
                    Some(_) => is_counting = false,
                },
            }
        }
    }
    let why = format!("no counterexample was found within {LONGEST} steps");
    Err(Halt(Unknown::NoProgress(why)))
}

/// Rounds, counted by bits of the machine.
struct Rounds {
    /// How many are counted.
    n: usize,
    /// That a round ends with this step.
    ends: TermId,
}

impl Rounds {
    /// Counts the first round: a machine is bad that has ended one.
    fn new(terms: &mut Terms, machine: &mut Machine) -> Self {
        let bool_ = terms.sorts.bool();
        let marks = machine.marks.clone();
        let mut met = Vec::new();
        if let [only] = marks[..] {
            met.push(only);
        } else {
            for (i, &mark) in marks.iter().enumerate() {
                let was_met = terms.declare_instance(&format!("met {i}"), bool_, COUNTING);
                let was_met = terms.var(was_met);
                met.push(terms.or(&[was_met, mark]));
            }
        }
        let ends = terms.and(&met);
        let goes_on = terms.not(ends);
        if marks.len() != 1 {
            for (i, &met) in met.iter().enumerate() {
                let was_met = terms.declare_instance(&format!("met {i}"), bool_, COUNTING);
                machine.state.push((was_met, terms.and(&[met, goes_on])));
            }
        }
        let mut rounds = Self { n: 0, ends };
        machine.bad = terms.true_();
        rounds.count_one_more(terms, machine);
        rounds
    }

    /// A machine is bad that has ended one round more.
    fn count_one_more(&mut self, terms: &mut Terms, machine: &mut Machine) {
        self.n += 1;
        let bool_ = terms.sorts.bool();
        let name = format!("rounds {}", self.n);
        let ended: VarId = terms.declare_instance(&name, bool_, COUNTING);
        let now = terms.var(ended);
        let one_more = terms.and(&[machine.bad, self.ends]);
        machine.state.push((ended, terms.or(&[now, one_more])));
        machine.bad = now;
    }
}

/// Panics unless the negations of the cubes are an invariant of the machine and exclude its bad states.
fn verify(
    cx: &mut Context,
    machine: &Machine,
    cubes: &[Cube],
    solver: &mut dyn Backend,
    budget: &Budget,
) -> Result<(), Halt> {
    let terms = &mut cx.terms;
    solver.set_budget(budget);
    let mut leads_out = Vec::new();
    for cube in cubes {
        let is_apart = cube.iter().any(|lit| !lit.is_negative());
        assert!(
            is_apart,
            "the state before the start satisfies an invariant"
        );
        let mut literals = [Vec::new(), Vec::new()];
        for lit in cube {
            let (var, next) = machine.state[lit.var() - 1];
            let var = terms.var(var);
            for (literals, term) in literals.iter_mut().zip([var, next]) {
                literals.push(if lit.is_negative() {
                    terms.not(term)
                } else {
                    term
                });
            }
        }
        let [now, next] = literals.map(|literals| terms.and(&literals));
        let outside = terms.not(now);
        solver.assert(terms, outside);
        leads_out.push(next);
    }
    let leads_out = terms.or(&leads_out);
    for asked in [vec![machine.bad], vec![machine.valid, leads_out]] {
        match solver.check(terms, &asked) {
            Answer::Unsat => {}
            Answer::Sat => panic!("an invariant is inductive and excludes bad states"),
            Answer::Unknown(why) => return Err(why.into()),
        }
    }
    Ok(())
}
