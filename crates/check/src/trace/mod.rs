//! Trace abstraction (`--engine trace`): the language view of abstraction refinement.
//!
//! The product of the model and the property's reader is an automaton over statements. Its accepting words are to be
//! shown not to be executable. A word that it still has, a path or a lasso, is tested as in `respond/`. If it is not real, it
//! is generalised to a *set* of words that cannot be executed for the same reason, and that set is subtracted: an interpolant
//! automaton for an infeasible path (`facts.rs`), a certificate for a loop with a measure: deterministic if the
//! steps of the loop have one (`falling.rs`; in phases, `phases.rs`), semi-deterministic if only the round has (`round.rs`; complements in `ncsb.rs` and
//! `rank_based.rs`). What is left is explored on demand (`left.rs`). When no word is left, the property holds.
//!
//! Heizmann, Hoenicke, Podelski: "Refinement of trace abstraction" (SAS 2009), "Termination analysis by learning terminating
//! programs" (CAV 2014). What abstraction refinement keeps in one precision for all states is here kept apart, one
//! reason at a time: a state knows the facts of each reason, and not how they combine.
//!
//! Invariant: only words that cannot be executed are subtracted, so an exhausted search is a proof.

mod facts;
mod falling;
mod found;
mod left;
mod lessons;
mod ncsb;
mod phases;
mod rank_based;
mod round;
#[cfg(test)]
mod tests;
mod words;
mod world;

use crate::candidate::Candidate;
use crate::cegar::{CegarConfig, Listener, Round as News};
use crate::confirm::confirm;
use crate::engine::{Engine as _, Outcome, Statistics};
use crate::problem::Problem;
use crate::product::Product;
use crate::proof::{Proof, Subtracted};
use crate::rank::Ranking;
use crate::refine::Recurrence;
use crate::respond::{Found, Responder, Response, Workplace};
use crate::session::{Halt, Session, Stats};
use crate::verdict::{Counterexample, Unknown, Verdict};
use facts::Facts;
use falling::Falling;
use lariat_base::{Budget, FxHashSet};
use lariat_expr::{Dialect, TermId, show_term};
use lariat_smt::Backend;
use lariat_system::{Context, StmtId};
use left::Left;
use lessons::Lessons;
use ncsb::{AsBuchi, Ncsb};
use phases::Phases;
use rank_based::RankBased;
use round::Round;
use std::time::Instant;
use world::World;

/// How the certificate of a round is complemented.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Complement {
    /// As a semi-deterministic automaton.
    #[default]
    Ncsb,
    /// As any Büchi automaton.
    RankBased,
}

impl Complement {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Ncsb, Self::RankBased];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ncsb => "ncsb",
            Self::RankBased => "rank",
        }
    }
}

/// Settings of trace abstraction.
#[derive(Clone, Debug, Default)]
pub struct TraceConfig {
    /// Which arguments are looked for that a loop cannot be repeated forever.
    pub ranking: Ranking,
    /// Which runs are looked for that take a loop for ever without coming back to a state.
    pub recurrence: Recurrence,
    /// How certificates of rounds are complemented.
    pub complement: Complement,
}

/// Decides `problem` by subtracting words.
pub(crate) fn check_trace(
    cx: &mut Context,
    problem: &mut Problem,
    config: &TraceConfig,
    solver: Box<dyn Backend>,
    budget: &Budget,
    listener: &mut Listener,
) -> Outcome {
    if let Err(why) = config.supports(problem) {
        return Outcome {
            verdict: Verdict::Unknown(Unknown::Unsupported(why)),
            statistics: Statistics::Cegar(Stats::default()),
            proof: None,
        };
    }
    let product = Product::new(cx, problem);
    let variables = product.variables().to_vec();
    let session = Session::new(cx, solver, &variables, budget);
    let mut subtraction = Subtraction::new(World::new(session, product), config);
    let result = subtraction.run(listener);
    let stats = subtraction.left.world.session.stats.clone();
    let subtracted = std::mem::take(&mut subtraction.subtracted);
    drop(subtraction);
    let (verdict, proof) = match result {
        Ok(Some(counterexample)) => {
            confirm(cx, problem, &counterexample);
            (Verdict::Violated(counterexample), None)
        }
        Ok(None) => {
            let n_states = stats.nodes;
            let proof = Proof::Words {
                n_states,
                subtracted,
            };
            (Verdict::Holds, Some(proof))
        }
        Err(Halt(why)) => (Verdict::Unknown(why), None),
    };
    Outcome {
        verdict,
        statistics: Statistics::Cegar(stats),
        proof,
    }
}

/// The loop: look for a word, test it, subtract.
struct Subtraction<'s, 'c, 'p> {
    left: Left<World<'c, 'p>>,
    config: &'s TraceConfig,
    responder: Responder,
    lessons: Lessons,
    subtracted: Vec<Subtracted>,
    /// The subtracted sets in words.
    told: Vec<String>,
}

impl<'s, 'c, 'p> Subtraction<'s, 'c, 'p> {
    fn new(world: World<'c, 'p>, config: &'s TraceConfig) -> Self {
        let arguments = CegarConfig {
            ranking: config.ranking,
            recurrence: config.recurrence,
            // What keeps a loop from closing is no reason to subtract it.
            max_chases: 0,
            ..CegarConfig::default()
        };
        Self {
            left: Left::new(world),
            config,
            responder: Responder::new(&arguments),
            lessons: Lessons::default(),
            subtracted: Vec::new(),
            told: Vec::new(),
        }
    }

    /// A counterexample, or nothing if no word is left.
    fn run(&mut self, listener: &mut Listener) -> Result<Option<Counterexample>, Halt> {
        loop {
            self.left.world.session.budget.check()?;
            self.left.world.session.stats.iterations += 1;
            let start = Instant::now();
            let found = found::search(&mut self.left, self.config.ranking != Ranking::Off);
            let n_nodes = self.left.n_nodes() as u64;
            let stats = &mut self.left.world.session.stats;
            stats.exploring += start.elapsed();
            stats.precision = self.told.len() as u64;
            stats.nodes = n_nodes;
            let found = found?;
            let words = found.first().map_or("no word is left", |one| &one.words);
            let stmts = &self.left.world.session.cx.stmts;
            let candidate = found.first().map(|one| Candidate::new(stmts, one));
            self.tell(listener, words.to_owned(), candidate);
            if found.is_empty() {
                return Ok(None);
            }
            let start = Instant::now();
            let real = self.respond(&found);
            self.left.world.session.stats.refining += start.elapsed();
            if let Some(counterexample) = real? {
                self.tell(listener, "the counterexample is real".into(), None);
                return Ok(Some(counterexample));
            }
        }
    }

    /// Tests words and subtracts what can be said of each; a real one, if there is one. An error if nothing can be said of any.
    fn respond(&mut self, found: &[Found]) -> Result<Option<Counterexample>, Halt> {
        let mut given_up = None;
        let (before, mut met) = (self.left.n_layers(), FxHashSet::default());
        for one in found {
            // One lasso of each loop is enough for a round.
            let steps = if one.cycle.is_empty() {
                &one.stem
            } else {
                &one.cycle
            };
            let stmts: Vec<StmtId> = steps.iter().map(|step| step.stmt).collect();
            if !met.insert(stmts) {
                continue;
            }
            match self.respond_to(one) {
                Ok(Some(counterexample)) => return Ok(Some(counterexample)),
                Ok(None) => {}
                Err(halt) => match halt.0 {
                    Unknown::Solver(_) | Unknown::NoProgress(_) => {
                        given_up.get_or_insert(halt);
                    }
                    _ => return Err(halt),
                },
            }
        }
        if self.left.n_layers() > before {
            return Ok(None);
        }
        Err(given_up.unwrap_or_else(|| Halt(Unknown::NoProgress(found[0].words.clone()))))
    }

    fn respond_to(&mut self, found: &Found) -> Result<Option<Counterexample>, Halt> {
        let World {
            session,
            product,
            ranks,
            ..
        } = &mut self.left.world;
        let n_measures = ranks.len();
        let at = Workplace {
            session,
            product,
            domain: &mut self.lessons,
            ranks,
        };
        let response = self.responder.respond(at, std::slice::from_ref(found));
        let (learned, conditions) = self.lessons.take();
        let has_new_measure = self.left.world.ranks.len() > n_measures;
        if !conditions.is_empty() && !has_new_measure {
            // A measure of the round says more than conditions by which it may have one.
            if self.subtract_round(found)? {
                self.lessons.forget(&conditions);
                return Ok(None);
            }
            self.left.subtract(Box::new(Phases::new(&conditions)));
        }
        if !learned.is_empty() {
            let facts = Facts::new(&self.left.world.session.cx.terms, &learned);
            self.told.push(self.words(facts.all()));
            self.subtracted
                .push(Subtracted::Infeasible(facts.all().to_vec()));
            self.left.subtract(Box::new(facts));
        }
        let measures = self.left.world.ranks.for_proof();
        for (number, known) in measures.into_iter().enumerate().skip(n_measures) {
            let levels = known.measure.levels.iter();
            let levels: Vec<Vec<TermId>> = levels.map(|level| level.terms().collect()).collect();
            let words = format!("{} decreases", self.words(&levels.concat()));
            self.told.push(words);
            self.subtracted.push(Subtracted::Measure(levels));
            self.left.subtract(Box::new(Falling::new(number)));
        }
        match response {
            Ok(Response::Real(counterexample)) => Ok(Some(counterexample)),
            Ok(Response::Refined(_)) => Ok(None),
            Err(halt) => match halt.0 {
                Unknown::NoProgress(_) if self.subtract_round(found)? => Ok(None),
                _ => Err(halt),
            },
        }
    }

    /// Subtracts the certificate of a loop's round, if it has one.
    fn subtract_round(&mut self, found: &Found) -> Result<bool, Halt> {
        if found.cycle.is_empty() || self.config.ranking == Ranking::Off {
            return Ok(false);
        }
        let known = found.premises[found.stem.len()];
        let world = &mut self.left.world;
        let Some(round) = Round::find(world, &found.cycle, known, self.config.ranking)? else {
            return Ok(false);
        };
        let levels = round.levels().to_vec();
        let (acceptance, sets) = world.product.marking();
        let mark = acceptance.add_buchi();
        let marks = sets.of([mark]);
        match self.config.complement {
            Complement::Ncsb => self.left.subtract(Box::new(Ncsb::new(round, marks))),
            Complement::RankBased => {
                let round = AsBuchi::new::<World<'c, 'p>>(round);
                self.left.subtract(Box::new(RankBased::new(round, marks)));
            }
        }
        let words = format!("{} decreases with each round", self.words(&levels));
        self.told.push(words);
        self.subtracted.push(Subtracted::Round(levels));
        Ok(true)
    }

    fn words(&self, terms: &[TermId]) -> String {
        let all = &self.left.world.session.cx.terms;
        let terms = terms.iter();
        let words: Vec<String> = terms
            .map(|&term| show_term(all, term, &Dialect::GCL))
            .collect();
        words.join(", ")
    }

    fn tell(&self, listener: &mut Listener, outcome: String, candidate: Option<Candidate>) {
        let stats = &self.left.world.session.stats;
        listener(&News {
            number: stats.iterations,
            n_nodes: stats.nodes as usize,
            precision: &self.told,
            outcome,
            candidate,
            stats,
        });
    }
}
