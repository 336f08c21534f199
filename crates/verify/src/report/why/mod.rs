//! Why a run violates a temporal property: the explanation of its word (`lariat_ltl::explain`), in steps of the run as it
//! is shown, and in words.

mod places;
mod words;

use lariat_ltl::{
    Brackets, Explanation, FormulaId, Formulas, LassoWord, Syntax, explain, print_formula,
};
use serde::Serialize;

pub use places::Timeline;

/// Why a run violates a temporal property.
#[derive(Clone, Debug, Serialize)]
pub struct WhyReport {
    /// In words, a sentence each.
    pub sentences: Vec<String>,
    /// The number of the step after which nothing that follows can make up for it, if there is one in the stem and the first
    /// round of the loop; 0 if no run satisfies the property.
    pub broken_after_step: Option<usize>,
    /// Atoms that decide it: as long as they have these values after these steps, the formula is violated, whatever the
    /// other atoms are.
    pub cause: Vec<FactReport>,
    /// Whether none of them can be left out. If not, that would have taken too long to find out.
    pub minimal: bool,
    /// The argument, as a tree in a list: the first is that the whole formula is false at the start.
    pub reasons: Vec<ReasonReport>,
}

/// The value of an atom after a step.
#[derive(Clone, Debug, Serialize)]
pub struct FactReport {
    /// The number of the step, from 1.
    pub step: usize,
    /// The atom, as written.
    pub atom: String,
    /// Its value.
    pub value: bool,
}

/// That a part of the formula is true, or false, after some steps.
#[derive(Clone, Debug, Serialize)]
pub struct ReasonReport {
    /// The part.
    pub formula: String,
    /// Its value.
    pub value: bool,
    /// When: the number of each step, and the round of the loop (from 1; 0 in the stem).
    pub at: Vec<(usize, usize)>,
    /// The reasons that it rests on, as places in the list, from 0.
    pub because: Vec<usize>,
    /// Whether there are more, which were left out because there are too many.
    pub cut: bool,
}

impl WhyReport {
    /// Why `word` violates `formula`; `None` if it does not, or if both are too large to tell.
    pub fn new(
        formulas: &Formulas,
        word: &LassoWord,
        formula: FormulaId,
        timeline: &Timeline,
    ) -> Option<Self> {
        let why: Explanation = explain(formulas, word, formula)?;
        let cause = why.cause.iter().map(|fact| FactReport {
            step: timeline.step(fact.position),
            atom: formulas.ap_name(fact.ap).to_owned(),
            value: fact.value,
        });
        let reasons = why.reasons.iter().map(|reason| ReasonReport {
            formula: text(formulas, reason.formula),
            value: reason.value,
            at: reason
                .moments
                .iter()
                .map(|&moment| {
                    let step = timeline.step(why.moments.position(moment));
                    (step, why.moments.round(moment))
                })
                .collect(),
            because: reason.because.clone(),
            cut: reason.cut,
        });
        Some(Self {
            sentences: words::sentences(formulas, word, &why, timeline),
            broken_after_step: why.bad_prefix.map(|n| timeline.step_after(n)),
            cause: cause.collect(),
            minimal: why.minimal,
            reasons: reasons.collect(),
        })
    }
}

impl WhyReport {
    /// The steps that are named one by one.
    pub fn named_steps(&self) -> Vec<usize> {
        let single = |reason: &ReasonReport| match *reason.at {
            [(step, _)] => Some(step),
            _ => None,
        };
        let steps = self.reasons.iter().filter_map(single);
        steps.chain(self.broken_after_step).collect()
    }
}

/// Parts with more operators and atoms than this are not written out: nobody reads them, and there may be very many.
const MAX_SIZE: u64 = 300;

/// A part of a formula as text; `…` if it is very long.
pub(super) fn text(formulas: &Formulas, formula: FormulaId) -> String {
    if formulas.tree_size(formula) > MAX_SIZE {
        return "…".into();
    }
    print_formula(formulas, formula, Syntax::Spot, Brackets::All).unwrap_or_else(|_| "…".into())
}
