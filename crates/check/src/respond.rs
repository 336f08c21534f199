//! What the loop does about abstract counterexamples: one that is real ends the check, spurious ones refine.
//!
//! A search can find several counterexamples in one exploration (`full` does). They are tested first,
//! all of them, since a real one makes every refinement superfluous. Then each spurious one teaches the
//! domain what it can, all in the same round: the next exploration must avoid them all. Only if not
//! one of them taught anything new are the domain's steps made more exact (whole interpolants, exact
//! steps), and only if that changes nothing either the check ends as unknown.
//!
//! Invariant: a round that neither ends the check nor changes the precision is an error, so the loop
//! never spins. A counterexample on which the solver gives up is neither real nor spurious; the others
//! may still make progress, and if none does the solver's reason is the verdict's.

mod argue;
mod must;

use crate::cegar::{Approach, CegarConfig};
use crate::domain::{Domain, Learned, Predicate, Reason};
use crate::encode::PathEncoding;
use crate::explored::{Source, Taken};
use crate::product::{PlaceId, Product};
use crate::rank::{InnerArc, Invariants, Measure, Ranking, Ranks};
use crate::refine::{
    AbstractLasso, Cut, ExplainPath, Explanation, LassoResult, PathResult, Recurrence, TestLasso,
    test_path,
};
use crate::session::{Halt, Session};
use crate::verdict::{Counterexample, Unknown};
use lariat_expr::{TermId, VarId};
use lariat_system::{PointId, StmtId};

/// What a search found: the edges of the product along a path or a lasso, and words for a person.
pub(crate) struct Found {
    /// To the bad state, or to the honda.
    pub stem: Vec<Taken>,
    /// Once round the loop; nothing for a path.
    pub cycle: Vec<Taken>,
    /// Where each step of the stem and of the loop starts.
    pub sources: Vec<Source>,
    /// What the abstract state before each of these steps says.
    pub premises: Vec<TermId>,
    /// The component in which the loop runs, if somebody wants to know.
    pub component: Vec<InnerArc>,
    /// Whether it runs along successors that were computed under an older precision.
    pub is_stale: bool,
    pub words: String,
}

impl Found {
    /// The statements once round the loop, each with what the abstract state before it says.
    fn loop_steps(&self) -> Vec<(TermId, StmtId)> {
        let premises = self.premises[self.stem.len()..].iter().copied();
        let stmts = self.cycle.iter().map(|step| step.stmt);
        premises.zip(stmts).collect()
    }

    /// The step at a position of the path, or of the lasso with its loop unrolled.
    fn step(&self, at: usize) -> &Taken {
        match self.stem.get(at) {
            Some(step) => step,
            None => &self.cycle[(at - self.stem.len()) % self.cycle.len()],
        }
    }
}

/// What came of the counterexamples of a round.
pub(crate) enum Response {
    /// One is real.
    Real(Counterexample),
    /// All are spurious and the abstraction must be explored anew along them: for each, from which of its
    /// steps on.
    Refined(Vec<usize>),
}

/// Tests and refines, round after round.
pub(crate) struct Responder {
    explainers: Vec<Box<dyn ExplainPath>>,
    tester: Box<dyn TestLasso>,
    ranking: Ranking,
    recurrence: Recurrence,
    approach: Approach,
    max_chases: u64,
    n_chases: u64,
    /// What is always true, once it was asked.
    invariants: Option<Invariants>,
    /// How many loops were met that no measure without invariants excludes.
    n_unranked: u64,
}

/// Why a counterexample is not real.
enum Spurious {
    /// This path cannot be executed; the last explanation that was found.
    Infeasible(PathEncoding, Option<Explanation>),
    /// This measure excludes the loop, supported by what is always true.
    Ranked(Measure, Vec<Learned>),
    /// It may be; the domain has learned to tell the phases of the loop apart.
    InPhases,
    /// The loop does not close; see [`LassoResult::NotClosing`].
    NotClosing {
        changing: Vec<VarId>,
        predicates: Vec<TermId>,
        values: Vec<TermId>,
    },
}

/// Whoever learns from counterexamples that are not real: an abstract domain, or what is to be subtracted from a language.
pub(crate) trait Learn {
    /// Learns why a counterexample is not real; says whether that is new.
    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool;
    /// See [`Domain::escalate`].
    fn escalate(&mut self, stmts: &[StmtId]) -> bool;
    /// See [`Domain::is_exact`].
    fn is_exact(&self, stmts: &[StmtId]) -> bool;
}

impl<D: Domain> Learn for D {
    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        Domain::refine(self, session, reason)
    }

    fn escalate(&mut self, stmts: &[StmtId]) -> bool {
        Domain::escalate(self, stmts)
    }

    fn is_exact(&self, stmts: &[StmtId]) -> bool {
        Domain::is_exact(self, stmts)
    }
}

/// What a round works on.
pub(crate) struct Workplace<'w, 'c, 'p, D: Learn> {
    pub session: &'w mut Session<'c>,
    pub product: &'w mut Product<'p>,
    pub domain: &'w mut D,
    pub ranks: &'w mut Ranks,
}

impl Responder {
    pub fn new(config: &CegarConfig) -> Self {
        Self {
            explainers: config.refinement.explainers(),
            tester: config.lasso_refinement.tester(),
            ranking: config.ranking,
            recurrence: config.recurrence,
            approach: config.approach,
            max_chases: config.max_chases,
            n_chases: 0,
            invariants: None,
            n_unranked: 0,
        }
    }

    /// A real counterexample among those found; if there is none, the precision has been refined, or
    /// a counterexample was found along stale successors only.
    pub fn respond<D: Learn>(
        &mut self,
        mut at: Workplace<'_, '_, '_, D>,
        found: &[Found],
    ) -> Result<Response, Halt> {
        let mut spurious = Vec::new();
        let mut given_up = None;
        for (i, one) in found.iter().enumerate() {
            match self.test(&mut at, one) {
                Ok(Tested::Real(counterexample)) => return Ok(Response::Real(counterexample)),
                Ok(Tested::Spurious(why)) => spurious.push((i, why)),
                Err(halt) => given_up = Some(only_solver(halt)?),
            }
        }
        if spurious.iter().any(|(_, why)| why.is_chase()) {
            self.n_chases += 1;
        }
        let mut pivots = vec![0; found.len()];
        let mut changed = false;
        for (i, why) in &mut spurious {
            match self.learn(&mut at, &found[*i], why) {
                Ok(Some(pivot)) => {
                    pivots[*i] = pivot;
                    changed = true;
                }
                Ok(None) => {}
                Err(halt) => given_up = Some(only_solver(halt)?),
            }
        }
        let refined = changed
            || found.iter().any(|one| one.is_stale)
            || spurious
                .iter()
                .any(|(i, why)| self.escalate(&mut at, &found[*i], why));
        if refined {
            return Ok(Response::Refined(pivots));
        }
        if let Some(halt) = given_up {
            return Err(halt);
        }
        let words = found.first().map(|one| self.what_stays(&mut at, one));
        let words = words.unwrap_or_else(|| Ok(String::new()))?;
        Err(Halt(Unknown::NoProgress(words)))
    }

    fn test<D: Learn>(
        &mut self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
    ) -> Result<Tested, Halt> {
        let Found { stem, cycle, .. } = found;
        if cycle.is_empty() {
            return Ok(match test_path(at.session, at.product, stem)? {
                PathResult::Real(run) => Tested::Real(Counterexample::Path(run)),
                PathResult::Infeasible(path) => Tested::Spurious(Spurious::Infeasible(path, None)),
            });
        }
        if self.approach == Approach::MayMust {
            match must::follow(at, found) {
                Ok(Some(lasso)) => return Ok(Tested::Real(Counterexample::Lasso(lasso))),
                Ok(None) => {}
                // The other tests may still do.
                Err(halt) => {
                    only_solver(halt)?;
                }
            }
        }
        let lasso = AbstractLasso { stem, cycle };
        let argued = match (self.ranking, self.recurrence) {
            (Ranking::Off, Recurrence::Off) => None,
            (Ranking::Off, _) => self.try_once_or_recur(at, found, lasso)?,
            _ => self.rank_or_try_once(at, found, lasso)?,
        };
        if let Some(result) = argued {
            return Ok(result);
        }
        Ok(match self.tester.test(at.session, at.product, lasso)? {
            LassoResult::Real(lasso) => Tested::Real(Counterexample::Lasso(lasso)),
            LassoResult::Infeasible(path) => Tested::Spurious(Spurious::Infeasible(path, None)),
            LassoResult::NotClosing {
                changing,
                predicates,
                values,
            } => Tested::Spurious(Spurious::NotClosing {
                changing,
                predicates,
                values,
            }),
        })
    }

    /// Refines by the first explanation that changes anything; the step from which on it tells something,
    /// or none if nothing changed.
    fn learn<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        why: &mut Spurious,
    ) -> Result<Option<usize>, Halt> {
        let (path, last) = match why {
            Spurious::Infeasible(path, last) => (path, last),
            Spurious::Ranked(measure, support) => {
                return Ok(argue::put_in_force(at, found, measure, support));
            }
            Spurious::InPhases => return Ok(Some(0)),
            Spurious::NotClosing { .. } => {
                let is_split = self.approach == Approach::MayMust
                    && self.n_chases <= self.max_chases
                    && must::split(at, found)?;
                return Ok((is_split || self.chase(at, found, why)).then_some(0));
            }
        };
        let places: Vec<PlaceId> = (0..path.parts.len())
            .map(|after| found.step(after).target)
            .collect();
        let mut given_up = None;
        for explainer in &self.explainers {
            match explainer.explain(at.session, path, &places) {
                Ok(explanation) => {
                    if teach(at, found, &explanation) {
                        return Ok(Some(pivot(at.session, found, &explanation)));
                    }
                    *last = Some(explanation);
                }
                Err(halt) => given_up = Some(only_solver(halt)?),
            }
        }
        given_up.map_or(Ok(None), Err)
    }

    /// Refines by a loop that does not close: by what tells its ends apart, else by the values of one
    /// execution. That can go on for ever on a counter, so the number of such rounds is limited.
    fn chase<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        why: &Spurious,
    ) -> bool {
        self.n_chases <= self.max_chases
            && reasons(at.product, found, why)
                .iter()
                .any(|reason| at.domain.refine(at.session, reason))
    }

    /// Makes the steps of a counterexample that taught nothing more exact; says whether anything changed.
    fn escalate<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        why: &Spurious,
    ) -> bool {
        if why.is_chase() && self.n_chases > self.max_chases {
            return false;
        }
        let steps = found.stem.iter().chain(&found.cycle);
        let stmts: Vec<StmtId> = steps.map(|step| step.stmt).collect();
        while at.domain.escalate(&stmts) {
            let changed = match why {
                Spurious::Infeasible(_, Some(explanation)) => teach(at, found, explanation),
                Spurious::Infeasible(_, None) | Spurious::Ranked(..) | Spurious::InPhases => false,
                Spurious::NotClosing { .. } => reasons(at.product, found, why)
                    .last()
                    .is_some_and(|reason| at.domain.refine(at.session, reason)),
            };
            if changed || at.domain.is_exact(&stmts) {
                return true;
            }
        }
        false
    }
}

enum Tested {
    Real(Counterexample),
    Spurious(Spurious),
}

impl Tested {
    fn is_real(&self) -> bool {
        matches!(self, Self::Real(_))
    }
}

impl Spurious {
    fn is_chase(&self) -> bool {
        matches!(self, Self::NotClosing { .. })
    }
}

/// A solver that gives up on one counterexample need not end the check; everything else does.
fn only_solver(halt: Halt) -> Result<Halt, Halt> {
    match halt.0 {
        Unknown::Solver(_) => Ok(halt),
        _ => Err(halt),
    }
}

/// Refines by an explanation; says whether the precision changed.
fn teach<D: Learn>(
    at: &mut Workplace<'_, '_, '_, D>,
    found: &Found,
    explanation: &Explanation,
) -> bool {
    let learned: Vec<Learned>;
    let reason = match explanation {
        Explanation::Variables(vars) => Reason::Variables(vars),
        Explanation::Predicates(cuts) => {
            learned = cuts
                .iter()
                .map(|cut| Learned {
                    predicate: Predicate::new(&at.session.cx.terms, cut.predicate),
                    at: place(at.product, found, cut.after),
                })
                .collect();
            Reason::Infeasible(&learned)
        }
    };
    at.domain.refine(at.session, &reason)
}

/// The first step after which an explanation says anything: what lies before it cannot matter. Inside the
/// loop it is the loop's start, since unrolled rounds pass all of it.
fn pivot(session: &Session, found: &Found, explanation: &Explanation) -> usize {
    let Explanation::Predicates(cuts) = explanation else {
        return 0;
    };
    let says = |cut: &&Cut| cut.predicate != session.cx.terms.true_();
    let first = cuts.iter().filter(says).map(|cut| cut.after).min();
    first.map_or(0, |after| after.min(found.stem.len()))
}

/// The model's structural state after a step of a path, or of a lasso with an unrolled loop.
fn place(product: &Product<'_>, found: &Found, after: usize) -> PointId {
    product.model_location(found.step(after).target)
}

/// What a loop that does not close says to the domain, in the order it should be tried.
fn reasons<'w>(product: &Product<'_>, found: &Found, why: &'w Spurious) -> Vec<Reason<'w>> {
    let Spurious::NotClosing {
        changing,
        predicates,
        values,
    } = why
    else {
        return Vec::new();
    };
    let at = place(product, found, found.stem.len() - 1);
    [predicates, values]
        .map(|predicates| Reason::NotClosing {
            changing,
            predicates,
            at,
        })
        .to_vec()
}
