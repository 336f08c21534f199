//! The hash index of stored states: which number belongs to a hash.
//!
//! An entry is eight bytes: 32 bits of the hash and the state's number. Entries are sorted by hash and
//! lie at or after the place that the hash would have in a perfectly even table. So a miss ends at
//! the first larger hash, and it touches one place in memory; a hit touches the state once more to
//! compare. Because order is kept, the table grows in place, in one sweep, by a fraction of its size:
//! it is never less than half full, and never exists twice.
//!
//! This is linear probing with ordered runs (Amble and Knuth, "Ordered hash tables", 1974). Rejected:
//! a general hash table of numbers, which touches one more line per look-up, hashes all states again
//! when it doubles, and holds both copies meanwhile; measured, that was half of the engine's time.

use crate::NodeId;
use lariat_base::Id;

/// A set of numbered states, by their hashes.
#[derive(Debug)]
pub(super) struct Index {
    /// Hash above, number plus one below; zero is empty. The last slots take what is pushed out at the end.
    slots: Vec<u64>,
    /// How many places hashes are spread over.
    places: usize,
    len: usize,
}

/// Slots behind the last place.
const TAIL: usize = 1024;

impl Index {
    /// An empty index.
    pub fn new() -> Self {
        Self {
            slots: vec![0; TAIL + TAIL],
            places: TAIL,
            len: 0,
        }
    }

    /// The bytes of the table.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u64>()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    /// Reads where a hash will be looked for, so that it is near when it is.
    pub fn touch(&self, hash: u64) -> u64 {
        self.slots[self.place(hash >> 32)]
    }

    /// The state with this hash for which `is_equal`, or `None` after `new` was entered as that state.
    pub fn find_or_insert(
        &mut self,
        hash: u64,
        new: NodeId,
        is_equal: impl Fn(NodeId) -> bool,
    ) -> Option<NodeId> {
        let tag = hash >> 32;
        let mut at = self.place(tag);
        loop {
            let entry = self.slots[at];
            if entry == 0 || entry >> 32 > tag {
                break;
            }
            if entry >> 32 == tag {
                let id = NodeId::from_index((entry as u32 - 1) as usize);
                if is_equal(id) {
                    return Some(id);
                }
            }
            at += 1;
        }
        self.insert_at(at, tag << 32 | (new.index() as u64 + 1));
        None
    }

    /// Puts an entry before what lies at `at`, which moves up to the next empty slot.
    fn insert_at(&mut self, at: usize, entry: u64) {
        let mut carried = entry;
        for slot in &mut self.slots[at..] {
            std::mem::swap(slot, &mut carried);
            if carried == 0 {
                break;
            }
        }
        self.len += 1;
        if carried != 0 {
            // Pushed out at the end: it is the largest of all.
            self.slots.push(carried);
            self.grow();
        } else if self.len * 4 > self.places * 3 {
            self.grow();
        }
    }

    fn place(&self, tag: u64) -> usize {
        ((tag * self.places as u64) >> 32) as usize
    }

    /// Makes three eighths more places.
    #[cold]
    fn grow(&mut self) {
        self.places += self.places / 8 * 3;
        self.slots.retain(|&entry| entry != 0);
        // Hashes that crowd at the end need a longer tail.
        let mut end = 0;
        for &entry in &self.slots {
            end = self.place(entry >> 32).max(end) + 1;
        }
        let n_slots = end.max(self.places) + TAIL;
        let n = self.slots.len();
        self.slots.reserve_exact(n_slots - n);
        self.slots.resize(n_slots, 0);
        // All entries to the end, in order; then each to its place, which is never behind the next
        // unread one.
        self.slots.copy_within(..n, n_slots - n);
        let mut free = 0;
        for read in n_slots - n..n_slots {
            let entry = self.slots[read];
            let at = self.place(entry >> 32).max(free);
            self.slots[free..at].fill(0);
            self.slots[at] = entry;
            free = at + 1;
        }
        self.slots[free..].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::Rng;
    use std::collections::HashMap;

    #[test]
    fn the_index_is_a_map_whatever_the_hashes() {
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            // Few distinct tags, clustered tags, tags at the end, and even ones.
            let (keep, flip) = match seed % 4 {
                0 => (0xFF << 32, 0),
                1 => (u64::MAX >> 16, 0),
                2 => (u64::MAX >> 16, u64::MAX << 48),
                _ => (u64::MAX, 0),
            };
            let (mut index, mut twin) = (Index::new(), HashMap::new());
            let mut hashes: Vec<u64> = Vec::new();
            for _ in 0..if seed % 4 == 0 { 600 } else { 6_000 } {
                let hash = match hashes.len() as u64 {
                    n if n > 0 && rng.below(3) == 0 => hashes[rng.below(n) as usize],
                    _ => (rng.bits() & keep) ^ flip,
                };
                let new = NodeId::from_index(hashes.len());
                let found = index.find_or_insert(hash, new, |id| hashes[id.index()] == hash);
                assert_eq!(found, twin.get(&hash).copied(), "seed {seed}");
                if found.is_none() {
                    twin.insert(hash, new);
                    hashes.push(hash);
                }
            }
            assert!(index.slots.iter().filter(|&&slot| slot != 0).is_sorted());
            assert_eq!(index.len, twin.len());
        }
    }
}
