//! The visited states: packed, hashed, numbered in the order they were met.
//!
//! States lie side by side in pages; the hash table holds only their numbers, and a hash is computed
//! again from the packed words when the table grows. So a state costs its words plus five to twelve
//! bytes. When a number does not fit its field, every state is packed anew in a wider layout; numbers
//! of states stay, and a field widens at most a few times.

use super::layout::{Layout, Width};
use crate::NodeId;
use hashbrown::HashTable;
use lariat_base::Id;

/// How many states a page holds.
const PAGE: usize = 1 << 12;

/// A set of states, each a fixed number of integers.
#[derive(Debug)]
pub(super) struct Store {
    layout: Layout,
    pages: Vec<Vec<u64>>,
    len: usize,
    table: HashTable<NodeId>,
    /// Where a state is packed before it is looked up.
    packed: Vec<u64>,
    n_repacks: u32,
}

impl Store {
    /// No state yet; their numbers are expected to have these widths.
    pub fn new(widths: &[Width]) -> Self {
        let layout = Layout::new(widths);
        Self {
            packed: vec![0; layout.n_words()],
            layout,
            pages: Vec::new(),
            len: 0,
            table: HashTable::new(),
            n_repacks: 0,
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// How many words each state takes.
    pub fn n_words(&self) -> usize {
        self.layout.n_words()
    }

    /// How often the states were packed anew.
    pub fn n_repacks(&self) -> u32 {
        self.n_repacks
    }

    /// The bytes of the table and the pages.
    pub fn bytes(&self) -> usize {
        let states = self.pages.len() * PAGE * self.n_words() * size_of::<u64>();
        states + self.table.allocation_size()
    }

    /// The number of a state, which is stored if it is new.
    pub fn insert(&mut self, numbers: &[i64]) -> NodeId {
        while let Err(i) = self.layout.pack(numbers, &mut self.packed) {
            self.widen(i, numbers[i]);
        }
        let (pages, packed, n_words) = (&self.pages, &self.packed, self.packed.len());
        let hash = hash(packed);
        let equal = |&id: &NodeId| words(pages, n_words, id.index()) == packed.as_slice();
        if let Some(&id) = self.table.find(hash, equal) {
            return id;
        }
        let id = NodeId::from_index(self.len);
        if self.len.is_multiple_of(PAGE) {
            self.pages.push(Vec::with_capacity(PAGE * n_words));
        }
        let last = self.pages.last_mut().expect("a page was just added");
        last.extend_from_slice(&self.packed);
        self.len += 1;
        let pages = &self.pages;
        let rehash = |&id: &NodeId| self::hash(words(pages, n_words, id.index()));
        self.table.insert_unique(hash, id, rehash);
        id
    }

    /// The numbers of a state.
    pub fn get(&self, id: NodeId, numbers: &mut [i64]) {
        self.layout.unpack(self.words(id), numbers);
    }

    /// One number of a state.
    pub fn number(&self, id: NodeId, i: usize) -> i64 {
        self.layout.number(self.words(id), i)
    }

    fn words(&self, id: NodeId) -> &[u64] {
        words(&self.pages, self.n_words(), id.index())
    }

    /// Packs all states anew so that field `i` holds `number` too.
    #[cold]
    fn widen(&mut self, i: usize, number: i64) {
        let layout = self.layout.widened(i, number);
        let (old_words, new_words) = (self.n_words(), layout.n_words());
        let mut numbers = vec![0; layout.n_fields()];
        let mut packed = vec![0; new_words];
        self.table.clear();
        for page in &mut self.pages {
            let mut new = Vec::with_capacity(PAGE * new_words);
            for state in page.chunks(old_words) {
                self.layout.unpack(state, &mut numbers);
                layout
                    .pack(&numbers, &mut packed)
                    .expect("a wider layout holds what a narrower one held");
                new.extend_from_slice(&packed);
            }
            *page = new;
        }
        let pages = &self.pages;
        let rehash = |&id: &NodeId| hash(words(pages, new_words, id.index()));
        for index in 0..self.len {
            let hash = hash(words(pages, new_words, index));
            self.table
                .insert_unique(hash, NodeId::from_index(index), rehash);
        }
        self.layout = layout;
        self.packed = packed;
        self.n_repacks += 1;
    }
}

fn words(pages: &[Vec<u64>], n_words: usize, index: usize) -> &[u64] {
    &pages[index / PAGE][index % PAGE * n_words..][..n_words]
}

/// Multiplies and folds each word in; the table uses the top seven bits and the low ones.
fn hash(words: &[u64]) -> u64 {
    let fold = |hash: u64, &word: &u64| {
        let product = u128::from(hash ^ word) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
        (product as u64) ^ ((product >> 64) as u64)
    };
    words.iter().fold(0x5851_F42D_4C95_7F2D, fold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_keep_their_numbers_through_every_repacking() {
        let mut store = Store::new(&[Width::range(0, 3), Width::UNKNOWN, Width::GROWING]);
        let state = |i: i64| [i % 5, (i - 300) * i * i * i * i, i];
        let ids: Vec<NodeId> = (0..5_000).map(|i| store.insert(&state(i))).collect();
        assert_eq!(store.len(), 5_000);
        assert!(store.n_repacks() >= 4, "{}", store.n_repacks());
        for (i, &id) in ids.iter().enumerate() {
            assert_eq!((id.index(), store.insert(&state(i as i64))), (i, id));
            let mut numbers = [0; 3];
            store.get(id, &mut numbers);
            assert_eq!(numbers, state(i as i64));
        }
        assert_eq!(store.len(), 5_000);
    }
}
