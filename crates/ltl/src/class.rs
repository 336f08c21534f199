//! Syntactic classes of formulas, computed once when a node is made.
//!
//! The classes are the Manna-Pnueli hierarchy (safety, guarantee, obligation, recurrence,
//! persistence), pure eventuality and pure universality (Etessami-Holzmann CONCUR'00), and a few
//! shape facts (Boolean, no next, past). Each is an under-approximation: a set bit is a proven
//! property of the language, a missing bit says nothing.
//!
//! Past operators. A pure-past formula is decided by the finite prefix read so far, so it sits in
//! every class of the hierarchy like an atom does; it is neither eventual nor universal, because
//! suffixes see another past. A past operator above a future one gets no class at all.

use crate::formula::Op;

/// A set of syntactic facts about a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Class(u16);

impl Class {
    /// No temporal operator.
    pub const BOOLEAN: Self = Self(1);
    /// If a suffix satisfies it, the word does.
    pub const EVENTUAL: Self = Self(1 << 1);
    /// If the word satisfies it, every suffix does.
    pub const UNIVERSAL: Self = Self(1 << 2);
    /// Syntactic safety.
    pub const SAFETY: Self = Self(1 << 3);
    /// Syntactic guarantee (co-safety).
    pub const GUARANTEE: Self = Self(1 << 4);
    /// Syntactic obligation.
    pub const OBLIGATION: Self = Self(1 << 5);
    /// Syntactic recurrence.
    pub const RECURRENCE: Self = Self(1 << 6);
    /// Syntactic persistence.
    pub const PERSISTENCE: Self = Self(1 << 7);
    /// No operator that counts steps (`X`, `Y`, `Z`): invariant under stuttering.
    pub const STUTTER_FREE: Self = Self(1 << 8);
    /// No past operator anywhere.
    pub const FUTURE: Self = Self(1 << 9);
    /// No future operator anywhere (Boolean formulas too).
    pub const PAST: Self = Self(1 << 10);

    const NONE: Self = Self(0);
    const ALL: Self = Self((1 << 11) - 1);
    const HIERARCHY: Self = Self(0b1111_1000);

    /// Whether all facts of `other` are in this set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The facts of both sets.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The facts common to both sets.
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Without the facts of `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    const fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }

    /// The class of the negation: dual facts change places.
    const fn negated(self) -> Self {
        let mut out = self.common(
            Self::BOOLEAN
                .union(Self::OBLIGATION)
                .union(Self::STUTTER_FREE)
                .union(Self::FUTURE)
                .union(Self::PAST),
        );
        out = out.union(Self::EVENTUAL.when(self.has(Self::UNIVERSAL)));
        out = out.union(Self::UNIVERSAL.when(self.has(Self::EVENTUAL)));
        out = out.union(Self::SAFETY.when(self.has(Self::GUARANTEE)));
        out = out.union(Self::GUARANTEE.when(self.has(Self::SAFETY)));
        out = out.union(Self::RECURRENCE.when(self.has(Self::PERSISTENCE)));
        out.union(Self::PERSISTENCE.when(self.has(Self::RECURRENCE)))
    }
}

/// The class of a node from its operator and the classes of its children.
pub(crate) fn class_of(op: Op, children: &[Class]) -> Class {
    use Class as C;
    let common = children.iter().fold(C::ALL, |acc, &c| acc.common(c));
    let first = children.first().copied().unwrap_or(C::ALL);
    let second = children.get(1).copied().unwrap_or(C::ALL);
    // What any operator over these children keeps.
    let shape = common.common(C::STUTTER_FREE.union(C::FUTURE).union(C::PAST));
    let future_shape = shape.without(C::PAST);
    let eventual_universal = common.common(C::EVENTUAL.union(C::UNIVERSAL));
    match op {
        Op::True | Op::False => C::ALL,
        Op::Ap(_) => C::ALL.without(C::EVENTUAL.union(C::UNIVERSAL)),
        Op::Not => first.negated(),
        Op::And | Op::Or => common,
        Op::Implies => first.negated().common(second),
        Op::Iff | Op::Xor => common.common(first.negated()).common(second.negated()),
        Op::X => first.without(C::BOOLEAN.union(C::STUTTER_FREE).union(C::PAST)),
        Op::F => future_shape
            .union(C::EVENTUAL)
            .union(first.common(C::UNIVERSAL.union(C::PERSISTENCE)))
            .union(
                C::GUARANTEE
                    .union(C::OBLIGATION)
                    .union(C::RECURRENCE)
                    .union(C::PERSISTENCE)
                    .when(first.has(C::GUARANTEE)),
            ),
        Op::G => future_shape
            .union(C::UNIVERSAL)
            .union(first.common(C::EVENTUAL.union(C::RECURRENCE)))
            .union(
                C::SAFETY
                    .union(C::OBLIGATION)
                    .union(C::RECURRENCE)
                    .union(C::PERSISTENCE)
                    .when(first.has(C::SAFETY)),
            ),
        Op::U => future_shape
            .union(common.common(C::GUARANTEE.union(C::PERSISTENCE).union(C::UNIVERSAL)))
            .union(second.common(C::EVENTUAL))
            .union(
                first
                    .common(C::OBLIGATION.union(C::RECURRENCE))
                    .when(second.has(C::GUARANTEE)),
            ),
        Op::M => future_shape
            .union(common.common(C::GUARANTEE.union(C::PERSISTENCE)))
            .union(eventual_universal)
            .union(
                second
                    .common(C::OBLIGATION.union(C::RECURRENCE))
                    .when(first.has(C::GUARANTEE)),
            ),
        Op::W => future_shape
            .union(common.common(C::SAFETY.union(C::RECURRENCE)))
            .union(eventual_universal)
            .union(
                second
                    .common(C::OBLIGATION.union(C::PERSISTENCE))
                    .when(first.has(C::SAFETY)),
            ),
        Op::R => future_shape
            .union(common.common(C::SAFETY.union(C::RECURRENCE).union(C::EVENTUAL)))
            .union(second.common(C::UNIVERSAL))
            .union(
                first
                    .common(C::OBLIGATION.union(C::PERSISTENCE))
                    .when(second.has(C::SAFETY)),
            ),
        Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T => {
            let counts = matches!(op, Op::Y | Op::Z);
            shape
                .without(C::FUTURE)
                .without(C::STUTTER_FREE.when(counts))
                .union(C::HIERARCHY.when(common.has(C::PAST)))
        }
    }
}

impl Class {
    /// The name of the smallest class of the Manna-Pnueli hierarchy that was proven.
    pub const fn hierarchy_name(self) -> &'static str {
        if self.has(Self::SAFETY) && self.has(Self::GUARANTEE) {
            "bounded"
        } else if self.has(Self::SAFETY) {
            "safety"
        } else if self.has(Self::GUARANTEE) {
            "guarantee"
        } else if self.has(Self::OBLIGATION) {
            "obligation"
        } else if self.has(Self::RECURRENCE) {
            "recurrence"
        } else if self.has(Self::PERSISTENCE) {
            "persistence"
        } else {
            "reactivity"
        }
    }
}
