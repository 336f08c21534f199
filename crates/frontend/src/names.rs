//! The names of a scope, numbered: all texts in one string, and a table of hashes.
//!
//! A large model looks up a name for every few bytes of its text, so what counts is how little memory
//! a lookup touches: one slot of the table, and the text to compare with.

use lariat_base::FxBuildHasher;
use std::hash::BuildHasher;

/// Distinct names with dense numbers in the order they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<u32>,
    /// A power of two of slots, at most half in use: half a hash, and the number plus one.
    slots: Vec<(u32, u32)>,
}

impl Names {
    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<u32> {
        let (half, mask) = (hash(name), self.slots.len().checked_sub(1)?);
        let mut at = half as usize & mask;
        loop {
            let (other, number) = self.slots[at];
            let number = number.checked_sub(1)?;
            if other == half && self.name(number) == name {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a name that is not there, and gives its number.
    pub fn insert(&mut self, name: &str) -> u32 {
        let number = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        if 2 * self.ends.len() > self.slots.len() {
            let larger = vec![(0, 0); (2 * self.slots.len()).max(64)];
            for (half, number) in std::mem::replace(&mut self.slots, larger) {
                if number > 0 {
                    self.place(half, number);
                }
            }
        }
        self.place(hash(name), number + 1);
        number
    }

    /// The name of a number.
    pub fn name(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[at] as usize]
    }

    fn place(&mut self, half: u32, number: u32) {
        let mask = self.slots.len() - 1;
        let mut at = half as usize & mask;
        while self.slots[at].1 > 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = (half, number);
    }
}

/// Half of a name's hash, mixed from both halves.
fn hash(name: &str) -> u32 {
    let hash = FxBuildHasher.hash_one(name);
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_text() {
        let mut names = Names::default();
        assert_eq!(names.get("x"), None);
        for i in 0..1000 {
            assert_eq!(names.insert(&format!("x{i}")), i);
        }
        for i in 0..1000 {
            assert_eq!(names.get(&format!("x{i}")), Some(i));
        }
        assert_eq!(names.get("x1000"), None);
        assert_eq!(names.name(0), "x0");
    }
}
