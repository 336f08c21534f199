//! Hash-consing: equal values get equal ids, each value is stored once.

use crate::{Id, IdVec};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A set of values with dense ids in insertion order.
///
/// The table holds only ids; hashes are recomputed on growth. Iteration order is insertion order,
/// so nothing that is printed from an interner depends on hashing.
#[derive(Clone, Debug)]
pub struct Interner<I: Id, T> {
    items: IdVec<I, T>,
    table: HashTable<I>,
}

impl<I: Id, T: Eq + Hash> Interner<I, T> {
    /// An empty interner.
    pub fn new() -> Self {
        Self {
            items: IdVec::new(),
            table: HashTable::new(),
        }
    }

    /// The id of `value`, which is stored if it is new.
    pub fn intern(&mut self, value: T) -> I {
        let hash = FxBuildHasher.hash_one(&value);
        if let Some(&id) = self.table.find(hash, |&id| self.items[id] == value) {
            return id;
        }
        let id = self.items.push(value);
        let items = &self.items;
        self.table
            .insert_unique(hash, id, |&id| FxBuildHasher.hash_one(&items[id]));
        id
    }

    /// The id of `value` if it has been interned.
    pub fn get(&self, value: &T) -> Option<I> {
        let hash = FxBuildHasher.hash_one(value);
        self.table
            .find(hash, |&id| self.items[id] == *value)
            .copied()
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The values with their ids, in insertion order.
    pub fn iter_ids(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter_ids()
    }
}

impl<I: Id, T: Eq + Hash> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> std::ops::Index<I> for Interner<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::id_type!(struct WordId, "w");

    #[test]
    fn equal_values_share_an_id() {
        let mut words: Interner<WordId, String> = Interner::new();
        let ids: Vec<_> = (0..1000)
            .map(|i| words.intern(format!("{}", i % 100)))
            .collect();
        assert_eq!(words.len(), 100);
        assert_eq!(ids[7], ids[907]);
        assert_eq!(words[ids[42]], "42");
        assert_eq!(words.get(&"99".into()), Some(ids[99]));
        assert_eq!(words.get(&"100".into()), None);
    }
}
