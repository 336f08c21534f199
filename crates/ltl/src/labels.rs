//! Sets of letters: what the reductions need to know about edge labels, and two ways to have it.
//!
//! The labels of one automaton generate a finite Boolean algebra whose atoms are usually few
//! (at most two to the number of atomic propositions, typically a handful). Once these atoms are
//! known a label is a short bit set, and inclusion, union and difference cost a nanosecond. The
//! reductions never leave that algebra, so the atoms are computed once per automaton. With more
//! atoms than fit, the reductions run on decision diagrams instead, at some fifty times the cost.
//!
//! Rejected: truth tables over the propositions (2^n bits where the atoms may be two), diagrams
//! everywhere (simulation would dominate the whole translation).

use crate::bdd::{Bdd, Ref};
use lariat_base::{FxHashMap, Stop};
use std::fmt::Debug;
use std::hash::Hash;

/// Operations on the labels of one automaton.
pub(crate) trait Labels {
    /// A set of letters.
    type L: Copy + Eq + Ord + Hash + Debug;

    fn none(&self) -> Self::L;
    fn all(&self) -> Self::L;
    fn and(&mut self, a: Self::L, b: Self::L) -> Self::L;
    fn or(&mut self, a: Self::L, b: Self::L) -> Self::L;
    /// `a` without `b`.
    fn diff(&mut self, a: Self::L, b: Self::L) -> Self::L;
    /// Why results are meaningless, if they are.
    fn stopped(&self) -> Result<(), Stop>;

    fn is_none(&self, a: Self::L) -> bool {
        a == self.none()
    }

    fn overlap(&mut self, a: Self::L, b: Self::L) -> bool {
        let both = self.and(a, b);
        !self.is_none(both)
    }

    /// Splits the union of `labels` into the largest blocks that no label cuts; false if there are more
    /// than `max`.
    fn blocks(
        &mut self,
        labels: impl IntoIterator<Item = Self::L>,
        max: usize,
        out: &mut Vec<Self::L>,
    ) -> bool {
        out.clear();
        for label in labels {
            if out.len() > max {
                return false;
            }
            let mut rest = label;
            for i in 0..out.len() {
                if self.is_none(rest) {
                    break;
                }
                let inside = self.and(out[i], rest);
                if self.is_none(inside) {
                    continue;
                }
                rest = self.diff(rest, inside);
                if inside != out[i] {
                    out[i] = self.diff(out[i], inside);
                    out.push(inside);
                }
            }
            if !self.is_none(rest) {
                out.push(rest);
            }
        }
        out.len() <= max
    }
}

/// Labels as bit sets over the atoms of the label algebra.
#[derive(Debug)]
pub(crate) struct BitLabels<const N: usize> {
    all: [u64; N],
}

impl<const N: usize> BitLabels<N> {
    /// Over `n_atoms <= 64 * N` atoms.
    pub(crate) fn new(n_atoms: usize) -> Self {
        assert!(n_atoms <= 64 * N, "the atoms fit");
        let mut all = [0; N];
        for atom in 0..n_atoms {
            all[atom / 64] |= 1 << (atom % 64);
        }
        Self { all }
    }
}

impl<const N: usize> Labels for BitLabels<N> {
    type L = [u64; N];

    fn none(&self) -> [u64; N] {
        [0; N]
    }
    fn all(&self) -> [u64; N] {
        self.all
    }
    fn and(&mut self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|i| a[i] & b[i])
    }
    fn or(&mut self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|i| a[i] | b[i])
    }
    fn diff(&mut self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        std::array::from_fn(|i| a[i] & !b[i])
    }
    fn stopped(&self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Labels as decision diagrams.
#[derive(Debug)]
pub(crate) struct BddLabels<'a>(pub(crate) &'a mut Bdd);

impl Labels for BddLabels<'_> {
    type L = Ref;

    fn none(&self) -> Ref {
        Ref::FALSE
    }
    fn all(&self) -> Ref {
        Ref::TRUE
    }
    fn and(&mut self, a: Ref, b: Ref) -> Ref {
        self.0.and(a, b)
    }
    fn or(&mut self, a: Ref, b: Ref) -> Ref {
        self.0.or(a, b)
    }
    fn diff(&mut self, a: Ref, b: Ref) -> Ref {
        self.0.diff(a, b)
    }
    fn stopped(&self) -> Result<(), Stop> {
        self.0.stopped()
    }
}

/// The atoms of the algebra that a set of diagrams generates.
#[derive(Debug)]
pub(crate) struct Atoms {
    atoms: Vec<Ref>,
}

impl Atoms {
    /// The atoms of `labels`, unless there are more than `limit`.
    pub(crate) fn of(bdd: &mut Bdd, labels: &[Ref], limit: usize) -> Option<Self> {
        let mut atoms = vec![Ref::TRUE];
        for &label in labels {
            for i in 0..atoms.len() {
                let inside = bdd.and(atoms[i], label);
                if inside != Ref::FALSE && inside != atoms[i] {
                    atoms[i] = bdd.diff(atoms[i], inside);
                    atoms.push(inside);
                }
            }
            if atoms.len() > limit {
                return None;
            }
        }
        Some(Self { atoms })
    }

    pub(crate) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// The bit sets of `labels`, which must be in the algebra.
    pub(crate) fn encode<const N: usize>(
        &self,
        bdd: &mut Bdd,
        labels: &[Ref],
    ) -> FxHashMap<Ref, [u64; N]> {
        let mut codes = FxHashMap::default();
        for &label in labels {
            let mut code = [0; N];
            for (i, &atom) in self.atoms.iter().enumerate() {
                if bdd.implies(atom, label) {
                    code[i / 64] |= 1 << (i % 64);
                }
            }
            codes.insert(label, code);
        }
        codes
    }

    /// The diagram of a bit set.
    pub(crate) fn decode<const N: usize>(&self, bdd: &mut Bdd, code: [u64; N]) -> Ref {
        let mut label = Ref::FALSE;
        for (i, &atom) in self.atoms.iter().enumerate() {
            if code[i / 64] >> (i % 64) & 1 == 1 {
                label = bdd.or(label, atom);
            }
        }
        label
    }
}
