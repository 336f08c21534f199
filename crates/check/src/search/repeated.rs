//! Interning of values that mostly repeat: the last one is remembered, so that asking for it again costs
//! a comparison instead of a look-up.

use lariat_base::{Id, Interner};
use std::hash::Hash;
use std::ops::Index;

/// An interner whose last answer is at hand.
#[derive(Debug)]
pub(super) struct Repeated<I: Id, T> {
    values: Interner<I, T>,
    last: (T, I),
}

impl<I: Id, T: Copy + Eq + Hash> Repeated<I, T> {
    /// Holds `first`, the value that is expected most.
    pub fn new(first: T) -> Self {
        let mut values = Interner::new();
        let id = values.intern(first);
        Self {
            values,
            last: (first, id),
        }
    }

    pub fn intern(&mut self, value: T) -> I {
        if self.last.0 != value {
            self.last = (value, self.values.intern(value));
        }
        self.last.1
    }
}

impl<I: Id, T> Index<I> for Repeated<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.values[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    lariat_base::id_type!(struct TestId, "t");

    #[test]
    fn equal_values_have_equal_ids_in_any_order() {
        let mut values: Repeated<TestId, u64> = Repeated::new(0);
        let asked = [5, 0, 0, 5, 7, 5, 0];
        let ids = asked.map(|value| values.intern(value));
        for (value, id) in asked.into_iter().zip(ids) {
            assert_eq!(values[id], value);
            assert_eq!(values.intern(value), id);
        }
    }
}
