//! Measures: terms that cannot decrease forever unless they also increase again and again.
//!
//! Let `b` and `a` be the values of a term before and after a step. The step *decreases* it if `b ≥ 0` and `a ≤ b − 1`,
//! and *increases* it if `a ≥ 0` and `a > b`; otherwise it *keeps* it. For integers these are `<`, `>` and `=` of
//! `max(term, −1)`: what happens below zero does not matter. For rationals consider `⌊term⌋ + 1`, or 0 for negative
//! values: a decrease lowers that number by at least 1 and only an increase raises it. (A plain `a < b` would not do for
//! rationals: 1, ½, ¼ …) The value of a bit-vector is meant with its sign, whatever arithmetic made it.
//!
//! A measure has *levels*, compared lexicographically: its levels after one that changes may do what they like. No run
//! decreases a level infinitely often while from some point on it keeps all earlier levels and never
//! increases this one. That is one Streett pair per level (Kesten and Pnueli, "Verification by augmented finitary
//! abstraction", Inf. Comput. 2000; Balaban, Pnueli and Zuck, "Ranking abstraction as companion to predicate
//! abstraction", FORTE 2005).

use super::bits::{bits, width};
use crate::domain::{Learned, Predicate};
use lariat_base::FxHashMap;
use lariat_expr::{BvOp, Int, TermId, Terms, Value};
use lariat_system::PointId;

/// A lexicographic measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The terms, the most significant first; at least one.
    pub levels: Vec<Level>,
    /// The model's locations between which steps are judged by it. Any other step counts as an increase.
    pub scope: Vec<PointId>,
}

impl Measure {
    /// Renames the locations; those that have no other name are met by no step that matters.
    pub(crate) fn relocate(&mut self, moved: &FxHashMap<PointId, PointId>) {
        let scope = self.scope.iter().filter_map(|at| moved.get(at).copied());
        self.scope = scope.collect();
        for level in &mut self.levels {
            let at = level.at.drain();
            let at = at.filter_map(|(at, term)| Some((*moved.get(&at)?, term)));
            level.at = at.collect::<Vec<_>>().into_iter().collect();
        }
    }

    /// That each level is not negative, where it is judged.
    pub(crate) fn phases(&self, terms: &mut Terms) -> Vec<Learned> {
        let mut phases = Vec::new();
        for level in &self.levels {
            for &at in &self.scope {
                let phase = is_not_negative(terms, level.at(at));
                let predicate = Predicate::new(terms, phase);
                phases.push(Learned { predicate, at });
            }
        }
        phases
    }
}

/// One term of a measure, which may be another at each location of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// The term everywhere else.
    pub term: TermId,
    /// The locations with terms of their own.
    pub at: FxHashMap<PointId, TermId>,
}

impl Level {
    /// The same term at all locations.
    pub fn uniform(term: TermId) -> Self {
        Self {
            term,
            at: FxHashMap::default(),
        }
    }

    /// The term at a location.
    pub fn at(&self, at: PointId) -> TermId {
        self.at.get(&at).copied().unwrap_or(self.term)
    }

    /// All its terms.
    pub fn terms(&self) -> impl Iterator<Item = TermId> {
        let mut own: Vec<TermId> = self.at.values().copied().collect();
        own.push(self.term);
        own.sort_unstable();
        own.dedup();
        own.into_iter()
    }
}

/// What a step does to a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// It was not negative and falls by at least 1.
    Decrease,
    /// It rises, and is not negative afterwards.
    Increase,
    /// Neither.
    Keep,
}

impl Change {
    /// When a step does this, by the number's values before and after.
    pub fn condition(self, terms: &mut Terms, before: TermId, after: TermId) -> TermId {
        match self {
            Self::Decrease => {
                let positive = is_not_negative(terms, before);
                let falls = if width(terms, before).is_some() {
                    less(terms, after, before)
                } else {
                    let one = number(terms, before, 1);
                    let after = terms.add(&[after, one]);
                    terms.le(after, before)
                };
                terms.and(&[positive, falls])
            }
            Self::Increase => {
                let (positive, rises) = (is_not_negative(terms, after), less(terms, before, after));
                terms.and(&[positive, rises])
            }
            Self::Keep => {
                let others = [Self::Decrease, Self::Increase];
                let others = others.map(|change| change.condition(terms, before, after));
                let changes = terms.or(&others);
                terms.not(changes)
            }
        }
    }
}

/// That a measure decreases, by the values of its levels before and after: one does and those before it are kept.
pub(crate) fn descends(terms: &mut Terms, changes: &[(TermId, TermId)]) -> TermId {
    let (mut ways, mut kept) = (Vec::new(), Vec::new());
    for &(before, after) in changes {
        let mut way = kept.clone();
        way.push(Change::Decrease.condition(terms, before, after));
        ways.push(terms.and(&way));
        kept.push(Change::Keep.condition(terms, before, after));
    }
    terms.or(&ways)
}

/// That a number is less than another.
fn less(terms: &mut Terms, left: TermId, right: TermId) -> TermId {
    match width(terms, left) {
        Some(_) => bits(terms, BvOp::Slt, &[left, right]),
        None => terms.lt(left, right),
    }
}

/// That a number is at least 0.
pub(super) fn is_not_negative(terms: &mut Terms, term: TermId) -> TermId {
    let zero = number(terms, term, 0);
    match width(terms, term) {
        Some(_) => bits(terms, BvOp::Sle, &[zero, term]),
        None => terms.le(zero, term),
    }
}

/// A number of the same sort as a term.
pub(crate) fn number(terms: &mut Terms, like: TermId, value: i64) -> TermId {
    let sort = terms.sort(like);
    let value = if sort == terms.sorts.rat() {
        Value::Rat(Int::from(value).into())
    } else if let Some(width) = terms.sorts.bv_width(sort) {
        Value::Bv(Int::from(value).mod_euclid(&Int::power_of_two(width)))
    } else {
        Value::Int(value.into())
    };
    terms.lit(value, sort)
}
