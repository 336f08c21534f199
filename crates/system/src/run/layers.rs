//! A map that is cheap to copy: what was inserted before the last [`freeze`](Layers::freeze) is shared between copies.
//!
//! Frozen entries lie in layers, later ones above; a layer is merged with the one below it unless that is more than twice
//! as large, so there are logarithmically many. Copies of a map of n entries, frozen after each of n insertions, hold
//! O(n log n) entries together and not n².

use lariat_base::FxHashMap;
use std::hash::Hash;
use std::rc::Rc;

/// The map.
#[derive(Clone, Debug)]
pub(crate) struct Layers<K, V> {
    frozen: Vec<Rc<FxHashMap<K, V>>>,
    top: FxHashMap<K, V>,
}

impl<K, V> Default for Layers<K, V> {
    fn default() -> Self {
        Self {
            frozen: Vec::new(),
            top: FxHashMap::default(),
        }
    }
}

impl<K: Copy + Eq + Hash, V: Copy + Eq> Layers<K, V> {
    /// Adds an entry, or replaces it.
    pub fn insert(&mut self, key: K, value: V) {
        self.top.insert(key, value);
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<V> {
        let mut layers = self.frozen.iter().rev();
        let below = || layers.find_map(|layer| layer.get(&key));
        self.top.get(&key).or_else(below).copied()
    }

    /// Lets copies share all that is there.
    pub fn freeze(&mut self) {
        if self.top.is_empty() {
            return;
        }
        let mut layer = std::mem::take(&mut self.top);
        while let Some(below) = self.frozen.pop_if(|below| below.len() <= 2 * layer.len()) {
            let mut merged = Rc::unwrap_or_clone(below);
            merged.extend(layer);
            layer = merged;
        }
        self.frozen.push(Rc::new(layer));
    }

    /// Replaces each value for which `change` gives another one.
    pub fn update(&mut self, mut change: impl FnMut(V) -> Option<V>) {
        let mut changed = Vec::new();
        let frozen = self.frozen.iter().map(|layer| &**layer);
        for (&key, &value) in frozen.chain([&self.top]).flatten() {
            // What lies under another value does not count.
            if let Some(new) = change(value)
                && self.get(key) == Some(value)
            {
                changed.push((key, new));
            }
        }
        self.top.extend(changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path of a program with n conditions leaves n copies behind: they share what they have in common.
    #[test]
    fn copies_share_their_entries() {
        const N: usize = 4096;
        let mut layers = Layers::default();
        let mut copies = Vec::new();
        for i in 0..N {
            layers.insert(i, i);
            layers.freeze();
            copies.push(layers.clone());
        }
        let all = copies.iter().flat_map(|copy| &copy.frozen);
        let distinct: FxHashMap<_, _> = all.map(|layer| (Rc::as_ptr(layer), layer.len())).collect();
        let n_entries: usize = distinct.values().sum();
        // Plain copies would hold N * N / 2, 2048 for each.
        assert!(n_entries <= 24 * N, "{n_entries}");
    }

    /// A random sequence of operations on copies, against plain maps.
    #[test]
    fn copies_are_independent() {
        let mut number = 1u64;
        let mut dice = |n: u64| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (number >> 33) % n
        };
        let mut pairs = vec![(Layers::default(), FxHashMap::<u64, u64>::default())];
        for _ in 0..5_000 {
            let at = dice(pairs.len() as u64) as usize;
            let (layers, plain) = &mut pairs[at];
            match dice(8) {
                0 => layers.freeze(),
                1 => {
                    let from = dice(10);
                    layers.update(|value| (value == from).then_some(value + 1));
                    plain
                        .values_mut()
                        .filter(|value| **value == from)
                        .for_each(|value| *value += 1);
                }
                2 => {
                    layers.freeze();
                    let pair = (layers.clone(), plain.clone());
                    pairs.push(pair);
                    if pairs.len() > 20 {
                        pairs.swap_remove(at);
                    }
                }
                _ => {
                    let (key, value) = (dice(40), dice(10));
                    layers.insert(key, value);
                    plain.insert(key, value);
                }
            }
            for (layers, plain) in &pairs {
                for key in 0..40 {
                    assert_eq!(layers.get(key), plain.get(&key).copied());
                }
            }
        }
    }
}
