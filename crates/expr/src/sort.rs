//! Sorts: what kind of value a term has.

use lariat_base::{Id, Interner, id_type};
use std::fmt::Write;
use std::sync::Arc;

id_type!(
    /// A sort of one [`Sorts`] table; equal ids are equal sorts.
    pub struct SortId, "s"
);

/// The structure of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Rational numbers.
    Rat,
    /// A named enumeration.
    Enum(Arc<EnumSort>),
    /// Bit-vectors of a fixed width, at least 1.
    Bv(u32),
    /// Total maps.
    Array {
        /// What it is read at.
        index: SortId,
        /// What it holds.
        element: SortId,
    },
}

/// An enumeration: its name and its literals in order. Two enumerations are the same sort when both agree.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnumSort {
    /// The type's name.
    pub name: Box<str>,
    /// The literals' names, without the type's name.
    pub literals: Box<[Box<str>]>,
}

impl EnumSort {
    /// The position of a literal.
    pub fn position(&self, literal: &str) -> Option<u32> {
        self.literals
            .iter()
            .position(|known| **known == *literal)
            .map(|i| i as u32)
    }
}

/// The interned sorts.
#[derive(Clone, Debug)]
pub struct Sorts {
    table: Interner<SortId, Sort>,
    bool_: SortId,
    int: SortId,
    rat: SortId,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut table = Interner::new();
        let (bool_, int, rat) = (
            table.intern(Sort::Bool),
            table.intern(Sort::Int),
            table.intern(Sort::Rat),
        );
        Self {
            table,
            bool_,
            int,
            rat,
        }
    }
}

impl Sorts {
    /// The sort of truth values.
    pub fn bool(&self) -> SortId {
        self.bool_
    }

    /// The sort of integers.
    pub fn int(&self) -> SortId {
        self.int
    }

    /// The sort of rationals.
    pub fn rat(&self) -> SortId {
        self.rat
    }

    /// The sort of bit-vectors of `width` bits; the width must be positive.
    pub fn bv(&mut self, width: u32) -> SortId {
        assert!(width > 0, "a bit-vector has at least one bit");
        self.table.intern(Sort::Bv(width))
    }

    /// The sort of arrays.
    pub fn array(&mut self, index: SortId, element: SortId) -> SortId {
        self.table.intern(Sort::Array { index, element })
    }

    /// An enumeration. It must have a literal.
    pub fn enumeration(
        &mut self,
        name: &str,
        literals: impl IntoIterator<Item = impl Into<Box<str>>>,
    ) -> SortId {
        let literals: Box<[Box<str>]> = literals.into_iter().map(Into::into).collect();
        assert!(!literals.is_empty(), "an enumeration has a literal");
        self.table.intern(Sort::Enum(Arc::new(EnumSort {
            name: name.into(),
            literals,
        })))
    }

    /// The structure of a sort.
    pub fn get(&self, sort: SortId) -> &Sort {
        &self.table[sort]
    }

    /// The enumeration behind a sort, if it is one.
    pub fn as_enum(&self, sort: SortId) -> Option<&Arc<EnumSort>> {
        match self.get(sort) {
            Sort::Enum(decl) => Some(decl),
            _ => None,
        }
    }

    /// The width of a bit-vector sort.
    pub fn bv_width(&self, sort: SortId) -> Option<u32> {
        match self.get(sort) {
            Sort::Bv(width) => Some(*width),
            _ => None,
        }
    }

    /// Index and element sort of an array sort.
    pub fn as_array(&self, sort: SortId) -> Option<(SortId, SortId)> {
        match self.get(sort) {
            Sort::Array { index, element } => Some((*index, *element)),
            _ => None,
        }
    }

    /// How many values the sort has, if they are finitely many and the count fits.
    pub fn cardinality(&self, sort: SortId) -> Option<u64> {
        match self.get(sort) {
            Sort::Bool => Some(2),
            Sort::Int | Sort::Rat => None,
            Sort::Enum(decl) => Some(decl.literals.len() as u64),
            Sort::Bv(width) => 1u64.checked_shl(*width),
            Sort::Array { index, element } => {
                let exponent = u32::try_from(self.cardinality(*index)?).ok()?;
                self.cardinality(*element)?.checked_pow(exponent)
            }
        }
    }

    /// A sort's name as Lariat prints it: `bool`, `int`, `rat`, `bv[8]`, `[int] -> bool`, an enumeration's name.
    pub fn name(&self, sort: SortId) -> String {
        let mut text = String::new();
        let mut at = sort;
        while let Sort::Array { index, element } = self.get(at) {
            let _ = write!(text, "[{}] -> ", self.name(*index));
            at = *element;
        }
        match self.get(at) {
            Sort::Bool => text.push_str("bool"),
            Sort::Int => text.push_str("int"),
            Sort::Rat => text.push_str("rat"),
            Sort::Enum(decl) => text.push_str(&decl.name),
            Sort::Bv(width) => {
                let _ = write!(text, "bv[{width}]");
            }
            Sort::Array { .. } => unreachable!("the loop ends at a sort that is no array"),
        }
        text
    }

    /// A sort as a message calls it: "an integer", "a `Color`".
    pub fn describe(&self, sort: SortId) -> String {
        match self.get(sort) {
            Sort::Bool => "a Boolean".into(),
            Sort::Int => "an integer".into(),
            Sort::Rat => "a rational".into(),
            Sort::Enum(decl) => format!("a `{}`", decl.name),
            Sort::Bv(width) => format!("a bit-vector of {width} bits"),
            Sort::Array { .. } => format!("an array `{}`", self.name(sort)),
        }
    }

    /// All sorts in the order they were made.
    pub fn ids(&self) -> impl Iterator<Item = SortId> {
        (0..self.table.len()).map(SortId::from_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_are_interned_named_and_counted() {
        let mut sorts = Sorts::default();
        let color = sorts.enumeration("Color", ["red", "green"]);
        assert_eq!(color, sorts.enumeration("Color", ["red", "green"]));
        assert_ne!(color, sorts.enumeration("Color", ["red", "green", "blue"]));
        let (bool_, int) = (sorts.bool(), sorts.int());
        let bv3 = sorts.bv(3);
        let nested = sorts.array(int, bool_);
        let nested = sorts.array(color, nested);
        assert_eq!(sorts.name(nested), "[Color] -> [int] -> bool");
        assert_eq!(sorts.cardinality(bv3), Some(8));
        assert_eq!(sorts.cardinality(nested), None);
        let small = sorts.array(color, bv3);
        assert_eq!(sorts.cardinality(small), Some(64));
        let wide = sorts.bv(64);
        assert_eq!(sorts.cardinality(wide), None);
    }
}
