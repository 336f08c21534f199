//! The hash table of terms: open addressing, each slot an id beside half of its hash.
//!
//! Looking up a term is the innermost loop of everything that builds terms, and on a large model its
//! cost is the memory it touches. Here that is one line of the table and one of the node; a general
//! table keeps its control bytes apart from its slots, and must visit every node again when it grows.

use crate::TermId;

/// A set of ids by the hashes of what they stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct TermTable {
    /// A power of two of them, at most three quarters in use.
    slots: Vec<(u32, Option<TermId>)>,
    n_used: usize,
}

impl TermTable {
    /// The id with this hash that satisfies `is_it`.
    pub fn find(&self, hash: u64, is_it: impl Fn(TermId) -> bool) -> Option<TermId> {
        let (half, mask) = (halve(hash), self.slots.len().checked_sub(1)?);
        let mut at = half as usize & mask;
        loop {
            let (other, id) = self.slots[at];
            let id = id?;
            if other == half && is_it(id) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an id that is not in the table.
    pub fn insert(&mut self, hash: u64, id: TermId) {
        if 4 * (self.n_used + 1) > 3 * self.slots.len() {
            let larger = vec![(0, None); (2 * self.slots.len()).max(64)];
            for (half, id) in std::mem::replace(&mut self.slots, larger) {
                if let Some(id) = id {
                    self.place(half, id);
                }
            }
        }
        self.place(halve(hash), id);
        self.n_used += 1;
    }

    fn place(&mut self, half: u32, id: TermId) {
        let mask = self.slots.len() - 1;
        let mut at = half as usize & mask;
        while self.slots[at].1.is_some() {
            at = (at + 1) & mask;
        }
        self.slots[at] = (half, Some(id));
    }
}

/// Half of a hash, mixed from both halves.
fn halve(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Id;

    #[test]
    fn ids_are_found_by_their_hashes_also_when_these_collide() {
        let mut table = TermTable::default();
        let id = TermId::from_index;
        assert_eq!(table.find(7, |_| true), None);
        for i in 0..1000 {
            table.insert(i % 10, id(i as usize));
        }
        for i in 0..1000 {
            assert_eq!(
                table.find(i % 10, |found| found == id(i as usize)),
                Some(id(i as usize))
            );
        }
        assert_eq!(table.find(3, |found| found.index() > 2000), None);
        assert_eq!(table.find(11, |_| true), None);
    }
}
