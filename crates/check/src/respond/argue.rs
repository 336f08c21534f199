//! What arguments say of one abstract lasso: one round of its loop, measures, and runs that never repeat a state.
//!
//! The order matters more than the arguments. A measure that excludes the whole component comes before an explanation of
//! the stem; one that may increase elsewhere comes after it, and conditions that only split the loop's states
//! come last. A loop that can return to the state it started in has no measure, so none is sought.

use super::{Found, Learn, Responder, Spurious, Tested, Workplace, place};
use crate::domain::{Learned, Reason};
use crate::product::Product;
use crate::rank::{Component, Invariants, Measure, Ranking, can_repeat};
use crate::refine::{AbstractLasso, OneRound, Recurrence, closed, geometric, held, one_round};
use crate::session::{Halt, Session};
use crate::verdict::Counterexample;
use lariat_expr::{Dialect, show_term};

/// So many loops without a measure ask for invariants.
const UNRANKED: u64 = 2;

impl Responder {
    /// What one round of the loop and measures say of a lasso. A measure that excludes the loop for good comes before an
    /// explanation of one stem, which could go on with the next for ever.
    pub(super) fn rank_or_try_once<D: Learn>(
        &mut self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        lasso: AbstractLasso<'_>,
    ) -> Result<Option<Tested>, Halt> {
        let ranked = |measure| {
            Ok(Some(Tested::Spurious(Spurious::Ranked(
                measure,
                Vec::new(),
            ))))
        };
        let component = Component::new(at.session, &found.component)?;
        let is_linear = self.ranking == Ranking::Linear;
        let repeats = can_repeat(at.session, &found.loop_steps())?;
        let mut suggestion = None;
        if !repeats {
            suggestion = component.candidate(at.session, at.ranks)?;
            if let Some(best) = suggestion.take_if(|best| best.is_perfect || !is_linear) {
                return ranked(best.measure);
            }
        }
        let mut once = Self::once(at.session, at.product, found, lasso)?;
        let is_early = is_linear && !component.has_many_cases(at.session);
        if let Some(result) = once.take_if(|once| once.is_real() || !is_early) {
            return Ok(Some(result));
        }
        // Where numbers are multiplied with one another, measures find little and regions more.
        let multiplies = !component.not_linear(&at.session.cx.terms).is_empty();
        if once.is_none() {
            let mut real = self.grow(at, lasso)?;
            if real.is_none() && multiplies {
                real = self.stay(at, lasso)?;
            }
            if real.is_some() {
                return Ok(real);
            }
        }
        let mut partial = None;
        if is_linear {
            let mut is_too_large = false;
            if !repeats {
                let linear = component.linear(at.session, at.ranks)?;
                if let Some(measure) = linear.complete {
                    return ranked(measure);
                }
                (partial, is_too_large) = (linear.partial, linear.is_too_large);
            }
            // The search for invariants takes long: only where loops without a measure go on.
            self.n_unranked += 1;
            let is_worth_it = !is_too_large && self.n_unranked >= UNRANKED;
            if is_worth_it && let Some(why) = self.supported(at, found, &component)? {
                return Ok(Some(Tested::Spurious(why)));
            }
        }
        if once.is_some() {
            return Ok(once);
        }
        if repeats {
            suggestion = component.candidate(at.session, at.ranks)?;
        }
        if let Some(suggestion) = suggestion {
            return ranked(suggestion.measure);
        }
        if partial.is_none() && is_linear && !repeats {
            partial = component.linear_of_loop(at.session, at.ranks)?;
        }
        if let Some(measure) = partial {
            return ranked(measure);
        }
        if !multiplies && let Some(real) = self.stay(at, lasso)? {
            return Ok(Some(real));
        }
        let phases = component.phases(at.session)?;
        let are_new = at.domain.refine(at.session, &Reason::Support(&phases));
        Ok(are_new.then_some(Tested::Spurious(Spurious::InPhases)))
    }

    /// The same without measures.
    pub(super) fn try_once_or_recur<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        lasso: AbstractLasso<'_>,
    ) -> Result<Option<Tested>, Halt> {
        if let Some(result) = Self::once(at.session, at.product, found, lasso)? {
            return Ok(Some(result));
        }
        match self.grow(at, lasso)? {
            Some(real) => Ok(Some(real)),
            None => self.stay(at, lasso),
        }
    }

    /// A run along the lasso whose numbers grow, if one is found.
    fn grow<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        lasso: AbstractLasso<'_>,
    ) -> Result<Option<Tested>, Halt> {
        if self.recurrence == Recurrence::Off {
            return Ok(None);
        }
        let lasso = geometric(at.session, at.product, lasso)?;
        Ok(lasso.map(|lasso| Tested::Real(Counterexample::Lasso(lasso))))
    }

    /// A run along the lasso that does not leave a region, if one is found.
    fn stay<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        lasso: AbstractLasso<'_>,
    ) -> Result<Option<Tested>, Halt> {
        if self.recurrence != Recurrence::Closed {
            return Ok(None);
        }
        let lasso = closed(at.session, at.product, lasso)?;
        Ok(lasso.map(|lasso| Tested::Real(Counterexample::Lasso(lasso))))
    }

    /// Whether invariants of the model support a measure for a component.
    fn supported<D: Learn>(
        &mut self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
        component: &Component,
    ) -> Result<Option<Spurious>, Halt> {
        if self.invariants.is_none() {
            self.invariants = Some(Invariants::infer(at.session, at.product)?);
        }
        let Some(invariants) = &self.invariants else {
            return Ok(None);
        };
        let start = place(at.product, found, found.stem.len() - 1);
        let mut steps = found.loop_steps();
        let always = [&[steps[0].0], invariants.at(start)].concat();
        steps[0].0 = at.session.cx.terms.and(&always);
        if can_repeat(at.session, &steps)? {
            return Ok(None);
        }
        let Some((measure, support)) = component.supported(at.session, invariants)? else {
            return Ok(None);
        };
        if !at.ranks.knows(&measure) {
            return Ok(Some(Spurious::Ranked(measure, support)));
        }
        let are_new = at.domain.refine(at.session, &Reason::Support(&support));
        Ok(are_new.then_some(Spurious::InPhases))
    }

    /// What one round of a loop says: whether it can be executed, by any run or by one that stays in the abstract
    /// states, and whether it closes.
    fn once(
        session: &mut Session,
        product: &Product<'_>,
        found: &Found,
        lasso: AbstractLasso<'_>,
    ) -> Result<Option<Tested>, Halt> {
        let spurious = |path| Some(Tested::Spurious(Spurious::Infeasible(path, None)));
        Ok(match one_round(session, product, lasso)? {
            OneRound::Real(lasso) => Some(Tested::Real(Counterexample::Lasso(lasso))),
            OneRound::Infeasible(path) => spurious(path),
            OneRound::Open(path) => {
                held(session, path, &found.premises, found.stem.len())?.and_then(spurious)
            }
        })
    }

    /// A counterexample about which nothing can be done, in words, and what keeps measures from excluding it.
    pub(super) fn what_stays<D: Learn>(
        &self,
        at: &mut Workplace<'_, '_, '_, D>,
        found: &Found,
    ) -> Result<String, Halt> {
        let words = &found.words;
        if self.ranking == Ranking::Off || found.cycle.is_empty() {
            return Ok(words.clone());
        }
        let component = Component::new(at.session, &found.component)?;
        let terms = &at.session.cx.terms;
        let others = component.not_linear(terms).into_iter();
        let others: Vec<String> = others
            .map(|term| show_term(terms, term, &Dialect::GCL))
            .collect();
        let why = match &others[..] {
            [] => String::new(),
            others => format!(
                "; it computes {}, which is not linear",
                others.join(" and ")
            ),
        };
        Ok(format!("{words}; no measure was found for its loop{why}"))
    }
}

/// Puts a measure in force and lets the domain tell where it is negative, so that what happens there does not blur what
/// happens elsewhere. Rows along the lasso stay, those that the measure judges are dropped with its scope; but what supports
/// the measure must be learned along the stem.
pub(super) fn put_in_force<D: Learn>(
    at: &mut Workplace<'_, '_, '_, D>,
    found: &Found,
    measure: &Measure,
    support: &[Learned],
) -> Option<usize> {
    if at.ranks.knows(measure) {
        return None;
    }
    let is_supported = at.domain.refine(at.session, &Reason::Support(support));
    let phases = measure.phases(&mut at.session.cx.terms);
    at.domain.refine(at.session, &Reason::Support(&phases));
    let (acceptance, sets) = at.product.marking();
    at.ranks.add(measure.clone(), acceptance, sets);
    Some(if is_supported { 0 } else { found.sources.len() })
}
