//! The visited states: packed, hashed, numbered in the order they were met.
//!
//! States lie side by side in pages; an [`Index`] finds them. The states that one expansion leads to
//! are staged first and looked up together, so that the memory they need is fetched for all of them
//! at once rather than one after the other. When a number does not fit its field, every state is
//! packed anew in a wider layout; numbers of states stay, and a field widens at most a few times.

use super::index::Index;
use super::layout::{Layout, Numbers, Width};
use crate::NodeId;
use lariat_base::Id;

/// How many states a page holds.
const PAGE: usize = 1 << 12;

/// A set of states, each a fixed number of integers.
#[derive(Debug)]
pub(super) struct Store {
    layout: Layout,
    pages: Vec<Vec<u64>>,
    len: usize,
    index: Index,
    /// Packed states that wait to be looked up.
    staged: Vec<u64>,
    hashes: Vec<u64>,
    n_repacks: u32,
}

impl Store {
    /// No state yet; their numbers are expected to have these widths.
    pub fn new(widths: &[Width]) -> Self {
        Self {
            layout: Layout::new(widths),
            pages: Vec::new(),
            len: 0,
            index: Index::new(),
            staged: Vec::new(),
            hashes: Vec::new(),
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

    /// The bytes of the index and the pages.
    pub fn bytes(&self) -> usize {
        let states = self.pages.len() * PAGE * self.n_words() * size_of::<u64>();
        states + self.index.bytes()
    }

    /// Stages a state.
    pub fn stage(&mut self, numbers: Numbers<'_>) {
        loop {
            let (start, n_words) = (self.staged.len(), self.n_words());
            self.staged.resize(start + n_words, 0);
            match self.layout.pack(numbers, &mut self.staged[start..]) {
                Ok(()) => return,
                Err(i) => {
                    self.staged.truncate(start);
                    self.widen(i, numbers.get(i));
                }
            }
        }
    }

    /// Stages a state that differs from a stored one at most in the numbers at these positions.
    pub fn stage_like(&mut self, like: NodeId, changed: &[u32], numbers: Numbers<'_>) {
        let (start, n_words) = (self.staged.len(), self.n_words());
        let stored = words(&self.pages, n_words, like.index());
        self.staged.extend_from_slice(stored);
        let staged = &mut self.staged[start..];
        if self.layout.update(changed, numbers, staged).is_err() {
            self.staged.truncate(start);
            self.stage(numbers);
        }
    }

    /// Forgets all staged states but the first `n`.
    pub fn unstage(&mut self, n: usize) {
        self.staged.truncate(n * self.n_words());
    }

    /// Stores the staged states that are new and gives the numbers of all, in their order.
    pub fn flush(&mut self, mut number: impl FnMut(NodeId)) {
        let n_words = self.n_words();
        self.hashes.clear();
        self.hashes.extend(self.staged.chunks(n_words).map(hash));
        // Reads where the look-ups below will start, each independently of the others: the processor
        // waits for all of these places together.
        let index = &self.index;
        let near = self
            .hashes
            .iter()
            .fold(0, |near, &hash| near ^ index.touch(hash));
        std::hint::black_box(near);
        for (state, &hash) in self.staged.chunks(n_words).zip(&self.hashes) {
            let (pages, new) = (&self.pages, NodeId::from_index(self.len));
            let is_equal = |id: NodeId| {
                let stored = words(pages, n_words, id.index());
                stored.iter().zip(state).all(|(a, b)| a == b)
            };
            if let Some(known) = self.index.find_or_insert(hash, new, is_equal) {
                number(known);
                continue;
            }
            if self.len.is_multiple_of(PAGE) {
                self.pages.push(Vec::with_capacity(PAGE * n_words));
            }
            let page = self.pages.last_mut().expect("a page was just added");
            page.extend_from_slice(state);
            self.len += 1;
            number(new);
        }
        self.staged.clear();
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
        let mut repack = |states: &mut Vec<u64>, n: usize| {
            let mut wide = Vec::with_capacity(n * new_words);
            for state in states.chunks(old_words) {
                self.layout.unpack(state, &mut numbers);
                layout
                    .pack(numbers[..].into(), &mut packed)
                    .expect("a wider layout holds what a narrower one held");
                wide.extend_from_slice(&packed);
            }
            *states = wide;
        };
        let n_staged = self.staged.len() / old_words;
        repack(&mut self.staged, n_staged);
        for page in &mut self.pages {
            repack(page, PAGE);
        }
        self.layout = layout;
        self.n_repacks += 1;
        self.index.clear();
        for index in 0..self.len {
            let hash = hash(words(&self.pages, new_words, index));
            let new = NodeId::from_index(index);
            let known = self.index.find_or_insert(hash, new, |_| false);
            assert_eq!(known, None, "packing keeps different states different");
        }
    }
}

fn words(pages: &[Vec<u64>], n_words: usize, index: usize) -> &[u64] {
    &pages[index / PAGE][index % PAGE * n_words..][..n_words]
}

/// Multiplies and folds each word in; the index uses the upper half.
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

    fn insert(store: &mut Store, state: &[i64]) -> NodeId {
        store.stage(state.into());
        let mut id = None;
        store.flush(|number| id = Some(number));
        id.expect("one state was staged")
    }

    #[test]
    fn states_keep_their_numbers_through_every_repacking() {
        let mut store = Store::new(&[Width::range(0, 3), Width::UNKNOWN, Width::GROWING]);
        let state = |i: i64| [i % 5, (i - 300) * i * i * i * i, i];
        let ids: Vec<NodeId> = (0..5_000).map(|i| insert(&mut store, &state(i))).collect();
        assert_eq!(store.len(), 5_000);
        assert!(store.n_repacks() >= 4, "{}", store.n_repacks());
        for (i, &id) in (0..).zip(&ids) {
            assert_eq!(insert(&mut store, &state(i)), id);
            let mut numbers = [0; 3];
            store.get(id, &mut numbers);
            assert_eq!(numbers, state(i));
        }
        assert_eq!(store.len(), 5_000);
    }

    #[test]
    fn staged_states_survive_a_repacking_and_can_be_taken_back() {
        let mut store = Store::new(&[Width::range(0, 3)]);
        for number in [1, 2, 1, 9, -1] {
            store.stage([number][..].into());
        }
        store.unstage(4);
        let mut ids = Vec::new();
        store.flush(|id| ids.push(id.index()));
        assert_eq!((ids, store.len()), (vec![0, 1, 0, 2], 3));
        store.flush(|_| panic!("nothing is staged any more"));
    }
}
