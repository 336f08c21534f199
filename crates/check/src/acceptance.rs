//! Acceptance as a value: which cycles count, and the sets of marks that arcs carry.
//!
//! An arc carries *marks*. A cycle is accepting if its arcs together carry every Büchi mark and, for every
//! Streett pair whose request they carry, its response. Generalized Büchi acceptance, justice
//! constraints and the sets of a property automaton are Büchi marks. Compassion constraints and ranking measures
//! (a measure that decreases again and again must increase again and again) are Streett pairs; Rabin
//! pairs, which are disjunctions, are not expressible. With neither marks nor pairs every cycle is accepting.
//!
//! Marks come from two sources: the edges of the property's automaton (`reader.rs`) and the steps of the model. Whoever
//! makes the arcs of a product unites the two sets; searches see only the union.
//!
//! Sets of marks are interned in [`MarkSets`], so an arc stores four bytes whatever the number of marks, and
//! equal ids are equal sets. A union is rarely a new set, since one operand mostly contains the other: that is
//! tested first and hashes nothing. Rejected: one machine word per set, which limits the number of marks to 64.

use lariat_base::{Id, Interner, id_type};
use std::fmt;
use std::num::NonZeroU32;

id_type!(
    /// One acceptance mark.
    pub struct Mark, "m"
);

id_type!(
    /// An interned set of marks.
    pub struct MarkSetId, "M"
);

impl MarkSetId {
    /// The empty set; it has this id in every [`MarkSets`].
    pub const EMPTY: Self = Self(NonZeroU32::MIN);
}

/// A condition on the marks that a cycle visits.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Acceptance {
    n_marks: usize,
    buchi: Vec<Mark>,
    /// The same marks as a set.
    buchi_set: Bits,
    streett: Vec<StreettPair>,
}

/// A cycle with the request must have the response, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StreettPair {
    /// What obliges: the strongly fair action is enabled, the measure decreases.
    pub request: Mark,
    /// What discharges: the action is taken, the measure increases.
    pub response: Mark,
}

/// A search cannot handle an acceptance condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// It handles Büchi marks only.
    StreettPairs,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StreettPairs => f.write_str("it handles no Streett pairs"),
        }
    }
}

impl std::error::Error for Unsupported {}

impl Acceptance {
    /// The condition that every cycle meets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Demands a new mark.
    pub fn add_buchi(&mut self) -> Mark {
        let mark = self.new_mark();
        self.buchi.push(mark);
        self.buchi_set.insert(mark);
        mark
    }

    /// Adds a pair of new marks.
    pub fn add_streett(&mut self) -> StreettPair {
        let pair = StreettPair {
            request: self.new_mark(),
            response: self.new_mark(),
        };
        self.streett.push(pair);
        pair
    }

    /// The same condition without some pairs: more cycles are accepting.
    pub(crate) fn without(&self, pairs: &[StreettPair]) -> Self {
        let mut weaker = self.clone();
        weaker.streett.retain(|pair| !pairs.contains(pair));
        weaker
    }

    /// The marks that an accepting cycle must have.
    pub fn buchi(&self) -> &[Mark] {
        &self.buchi
    }

    /// The pairs that an accepting cycle must satisfy.
    pub fn streett(&self) -> &[StreettPair] {
        &self.streett
    }

    /// Whether a set of marks has all Büchi marks.
    pub fn has_all_buchi(&self, sets: &MarkSets, marks: MarkSetId) -> bool {
        self.buchi_set.is_subset(&sets.sets[marks])
    }

    /// Whether a cycle with exactly these marks is accepting.
    pub fn accepts(&self, sets: &MarkSets, marks: MarkSetId) -> bool {
        self.has_all_buchi(sets, marks) && self.violated(sets, marks).next().is_none()
    }

    /// The pairs whose request is among these marks and whose response is not.
    pub fn violated<'a>(
        &'a self,
        sets: &'a MarkSets,
        marks: MarkSetId,
    ) -> impl Iterator<Item = StreettPair> + 'a {
        let pairs = self.streett.iter().copied();
        pairs.filter(move |pair| {
            sets.contains(marks, pair.request) && !sets.contains(marks, pair.response)
        })
    }

    /// What a path with these marks must still visit to become part of an accepting cycle. Empty if and only if
    /// the condition [accepts](Self::accepts) the marks.
    pub fn missing(&self, sets: &mut MarkSets, marks: MarkSetId) -> MarkSetId {
        let buchi = self.buchi.iter().copied();
        let buchi = buchi.filter(|&mark| !sets.contains(marks, mark));
        let responses = self.violated(sets, marks).map(|pair| pair.response);
        let missing: Vec<Mark> = buchi.chain(responses).collect();
        sets.of(missing)
    }

    fn new_mark(&mut self) -> Mark {
        self.n_marks += 1;
        Mark::from_index(self.n_marks - 1)
    }
}

/// Sets of marks by id.
#[derive(Clone, Debug)]
pub struct MarkSets {
    sets: Interner<MarkSetId, Bits>,
}

impl Default for MarkSets {
    fn default() -> Self {
        Self::new()
    }
}

impl MarkSets {
    /// The empty set only.
    pub fn new() -> Self {
        let mut sets = Interner::new();
        let empty = sets.intern(Bits::default());
        debug_assert_eq!(empty, MarkSetId::EMPTY);
        Self { sets }
    }

    /// The set of these marks.
    pub fn of(&mut self, marks: impl IntoIterator<Item = Mark>) -> MarkSetId {
        let mut bits = Bits::default();
        marks.into_iter().for_each(|mark| bits.insert(mark));
        self.sets.intern(bits)
    }

    /// The union of two sets.
    pub fn union(&mut self, a: MarkSetId, b: MarkSetId) -> MarkSetId {
        if self.is_subset(b, a) {
            return a;
        }
        if self.is_subset(a, b) {
            return b;
        }
        let union = self.sets[a].union(&self.sets[b]);
        self.sets.intern(union)
    }

    /// Whether a mark is in a set.
    pub fn contains(&self, set: MarkSetId, mark: Mark) -> bool {
        set != MarkSetId::EMPTY && self.sets[set].contains(mark)
    }

    /// Whether all marks of `a` are in `b`.
    pub fn is_subset(&self, a: MarkSetId, b: MarkSetId) -> bool {
        a == b || a == MarkSetId::EMPTY || self.sets[a].is_subset(&self.sets[b])
    }

    /// Whether two sets have a mark in common.
    pub fn intersect(&self, a: MarkSetId, b: MarkSetId) -> bool {
        let is_empty = a == MarkSetId::EMPTY || b == MarkSetId::EMPTY;
        !is_empty && self.sets[a].intersects(&self.sets[b])
    }
}

/// Marks as bits, the first 64 without an indirection.
///
/// Invariant: the last word of `high` is not zero, so equal sets have equal representations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Bits {
    low: u64,
    high: Box<[u64]>,
}

impl Bits {
    /// The word of a mark and its bit there; the first word is `low`.
    fn place(mark: Mark) -> (usize, u64) {
        (mark.index() / 64, 1 << (mark.index() % 64))
    }

    fn insert(&mut self, mark: Mark) {
        let (word, bit) = Self::place(mark);
        let Some(word) = word.checked_sub(1) else {
            self.low |= bit;
            return;
        };
        if word >= self.high.len() {
            let mut longer = self.high.to_vec();
            longer.resize(word + 1, 0);
            self.high = longer.into();
        }
        self.high[word] |= bit;
    }

    fn contains(&self, mark: Mark) -> bool {
        let (word, bit) = Self::place(mark);
        let word = match word.checked_sub(1) {
            None => self.low,
            Some(word) => self.high.get(word).copied().unwrap_or(0),
        };
        word & bit != 0
    }

    fn is_subset(&self, of: &Self) -> bool {
        self.low & !of.low == 0
            && self.high.len() <= of.high.len()
            && self.high.iter().zip(&of.high).all(|(a, b)| a & !b == 0)
    }

    fn intersects(&self, other: &Self) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    fn union(&self, other: &Self) -> Self {
        let (short, long) = if self.high.len() < other.high.len() {
            (self, other)
        } else {
            (other, self)
        };
        let mut union = long.clone();
        union.low |= short.low;
        for (to, from) in union.high.iter_mut().zip(&short.high) {
            *to |= from;
        }
        union
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::Rng;
    use std::collections::BTreeSet;

    fn marks(set: &BTreeSet<usize>) -> impl Iterator<Item = Mark> + '_ {
        set.iter().map(|&i| Mark::from_index(i))
    }

    #[test]
    fn sets_behave_like_sets_below_and_above_a_word() {
        for seed in 0..2_000 {
            let mut rng = Rng::new(seed);
            let n_marks = [3, 64, 65, 200][rng.below(4) as usize];
            let mut sets = MarkSets::new();
            let mut random = || -> BTreeSet<usize> {
                (0..rng.below(6))
                    .map(|_| rng.below(n_marks) as usize)
                    .collect()
            };
            let (a, b) = (random(), random());
            let (id_a, id_b) = (sets.of(marks(&a)), sets.of(marks(&b)));
            assert_eq!(id_a == id_b, a == b, "seed {seed}");
            assert_eq!(id_a == MarkSetId::EMPTY, a.is_empty());
            assert_eq!(sets.is_subset(id_a, id_b), a.is_subset(&b), "seed {seed}");
            assert_eq!(
                sets.intersect(id_a, id_b),
                !a.is_disjoint(&b),
                "seed {seed}"
            );
            let union = sets.union(id_a, id_b);
            assert_eq!(union, sets.of(marks(&(&a | &b))), "seed {seed}");
            for i in 0..n_marks as usize {
                let is_in = a.contains(&i) || b.contains(&i);
                assert_eq!(sets.contains(union, Mark::from_index(i)), is_in);
            }
        }
    }

    #[test]
    fn nothing_is_missing_exactly_when_marks_are_accepted() {
        let mut acceptance = Acceptance::new();
        let (mut sets, set) = (MarkSets::new(), acceptance.add_buchi());
        let StreettPair { request, response } = acceptance.add_streett();
        let expected: [(&[Mark], &[Mark]); 6] = [
            (&[], &[set]),
            (&[set], &[]),
            (&[request], &[set, response]),
            (&[set, request], &[response]),
            (&[set, response], &[]),
            (&[set, request, response], &[]),
        ];
        for (have, missing) in expected {
            let (have, missing) = (
                sets.of(have.iter().copied()),
                sets.of(missing.iter().copied()),
            );
            assert_eq!(acceptance.missing(&mut sets, have), missing);
            assert_eq!(acceptance.accepts(&sets, have), missing == MarkSetId::EMPTY);
        }
    }
}
