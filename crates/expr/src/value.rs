//! Values: what a term evaluates to.

use crate::{Int, Rat, Sort, SortId, Sorts};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value of one of the sorts. The derived order is only used to keep output stable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A rational.
    Rat(Rat),
    /// The position of a literal in its enumeration.
    Enum(u32),
    /// The bits of a bit-vector as a non-negative integer; the sort knows the width.
    Bv(Int),
    /// A total map.
    Array(Arc<ArrayValue>),
}

/// A total map with finitely many exceptions to a default.
///
/// Invariant (so that equality of maps is equality of values): no entry equals the default, and over
/// an index sort of at most [`ArrayValue::SMALL`] values the default is the value at the first index.
/// Over larger finite sorts the default is the majority, which is unique while fewer than half of the
/// indices are exceptions; nobody writes 2048 entries by hand.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArrayValue {
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// Up to this many indices, maps are kept in the first-index normal form.
    pub const SMALL: u64 = 4096;

    /// The map that is `value` everywhere.
    pub fn constant(value: Value) -> Self {
        Self {
            default: value,
            entries: BTreeMap::new(),
        }
    }

    /// The value at `index`.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// This map with `value` at `index`; `index_sort` is the sort of its indices.
    pub fn with(&self, sorts: &Sorts, index_sort: SortId, index: Value, value: Value) -> Self {
        let mut map = self.clone();
        if value == map.default {
            map.entries.remove(&index);
            return map;
        }
        map.entries.insert(index, value);
        map.normalise(sorts, index_sort);
        map
    }

    /// This map with all the entries, later ones over earlier ones.
    pub fn with_all(
        &self,
        sorts: &Sorts,
        index_sort: SortId,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> Self {
        let mut map = self.clone();
        for (index, value) in entries {
            if value == map.default {
                map.entries.remove(&index);
            } else {
                map.entries.insert(index, value);
            }
        }
        map.normalise(sorts, index_sort);
        map
    }

    /// The value of all indices but the exceptions.
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The exceptions in the order of their indices.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    /// Restores the first-index normal form after an insertion.
    fn normalise(&mut self, sorts: &Sorts, index_sort: SortId) {
        let Some(count) = sorts
            .cardinality(index_sort)
            .filter(|&count| count <= Self::SMALL)
        else {
            return;
        };
        let first = Value::nth(sorts, index_sort, 0).expect("a finite sort has a first value");
        let Some(default) = self.entries.get(&first).cloned() else {
            return;
        };
        let old = std::mem::take(&mut self.entries);
        let all =
            (0..count).map(|i| Value::nth(sorts, index_sort, i).expect("i is below the count"));
        for index in all {
            let value = old.get(&index).unwrap_or(&self.default);
            if *value != default {
                self.entries.insert(index, value.clone());
            }
        }
        self.default = default;
    }
}

impl Value {
    /// The truth value; panics on another sort, which a sort-checked term cannot give.
    pub fn as_bool(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            other => panic!("a Boolean term has value {other:?}"),
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<&Int> {
        match self {
            Self::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Some value of the sort, the same each time: false, 0, the first literal.
    pub fn some(sorts: &Sorts, sort: SortId) -> Self {
        match sorts.get(sort) {
            Sort::Bool => Self::Bool(false),
            Sort::Int => Self::Int(Int::ZERO),
            Sort::Rat => Self::Rat(Rat::from(Int::ZERO)),
            Sort::Enum(_) => Self::Enum(0),
            Sort::Bv(_) => Self::Bv(Int::ZERO),
            Sort::Array { element, .. } => {
                Self::Array(Arc::new(ArrayValue::constant(Self::some(sorts, *element))))
            }
        }
    }

    /// The `n`-th value of a finite sort that is no array, if there are that many.
    pub fn nth(sorts: &Sorts, sort: SortId, n: u64) -> Option<Self> {
        if n >= sorts.cardinality(sort)? {
            return None;
        }
        match sorts.get(sort) {
            Sort::Bool => Some(Self::Bool(n == 1)),
            Sort::Enum(_) => Some(Self::Enum(n as u32)),
            Sort::Bv(_) => i64::try_from(n).ok().map(|bits| Self::Bv(Int::from(bits))),
            Sort::Int | Sort::Rat | Sort::Array { .. } => None,
        }
    }

    /// Whether this is a value of the sort: the check that replay makes on every given state.
    pub fn has_sort(&self, sorts: &Sorts, sort: SortId) -> bool {
        match (self, sorts.get(sort)) {
            (Self::Bool(_), Sort::Bool) | (Self::Int(_), Sort::Int) | (Self::Rat(_), Sort::Rat) => {
                true
            }
            (Self::Enum(position), Sort::Enum(decl)) => (*position as usize) < decl.literals.len(),
            (Self::Bv(bits), Sort::Bv(width)) => {
                !bits.is_negative() && bits.bits() <= u64::from(*width)
            }
            (Self::Array(map), Sort::Array { index, element }) => {
                map.default.has_sort(sorts, *element)
                    && map
                        .entries
                        .iter()
                        .all(|(i, v)| i.has_sort(sorts, *index) && v.has_sort(sorts, *element))
            }
            _ => false,
        }
    }

    /// The value as Lariat prints it: enum literals by name, bit-vectors as `4'd5`.
    pub fn display(&self, sorts: &Sorts, sort: SortId) -> String {
        match (self, sorts.get(sort)) {
            (Self::Bool(value), _) => value.to_string(),
            (Self::Int(value), _) => value.to_string(),
            (Self::Rat(value), _) => match value.to_int() {
                Some(int) => int.to_string(),
                None => value.to_string(),
            },
            (Self::Enum(position), Sort::Enum(decl)) => {
                decl.literals[*position as usize].to_string()
            }
            (Self::Bv(bits), Sort::Bv(width)) => format!("{width}'d{bits}"),
            (Self::Array(map), Sort::Array { index, element }) => {
                let entry = |(i, v): (&Self, &Self)| {
                    format!(
                        "{} <- {}, ",
                        i.display(sorts, *index),
                        v.display(sorts, *element)
                    )
                };
                let entries: String = map.entries().map(entry).collect();
                format!(
                    "[{entries}default <- {}]",
                    map.default.display(sorts, *element)
                )
            }
            (value, sort) => panic!("{value:?} is no value of {sort:?}"),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(Int::from(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_that_agree_everywhere_are_equal() {
        let mut sorts = Sorts::default();
        let (bool_, int) = (sorts.bool(), sorts.int());
        let one = ArrayValue::constant(1.into()).with(&sorts, bool_, true.into(), 2.into());
        let two = ArrayValue::constant(2.into()).with(&sorts, bool_, false.into(), 1.into());
        assert_eq!(one, two);
        let back = one.with(&sorts, bool_, true.into(), 1.into());
        assert_eq!(back, ArrayValue::constant(1.into()));
        let far = ArrayValue::constant(0.into()).with(&sorts, int, 7.into(), 1.into());
        assert_eq!(
            far.with(&sorts, int, 7.into(), 0.into()),
            ArrayValue::constant(0.into())
        );
        let sort = sorts.array(int, int);
        assert_eq!(
            Value::Array(Arc::new(far)).display(&sorts, sort),
            "[7 <- 1, default <- 0]"
        );
    }

    #[test]
    fn a_value_knows_its_sort() {
        let mut sorts = Sorts::default();
        let bv2 = sorts.bv(2);
        assert!(Value::Bv(Int::from(3)).has_sort(&sorts, bv2));
        assert!(!Value::Bv(Int::from(4)).has_sort(&sorts, bv2));
        assert!(!Value::Bv(Int::from(-1)).has_sort(&sorts, bv2));
        assert!(!Value::Int(Int::ZERO).has_sort(&sorts, sorts.bool()));
    }
}
