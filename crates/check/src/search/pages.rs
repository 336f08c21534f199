//! A vector in pages: growing never copies and never holds more than one page too much.
//!
//! A doubling vector of `n` items may hold room for `2n`, and `3n` while it grows. For data kept per
//! state of a model that is the difference between fitting into memory and not. Rejected: one
//! allocation per item (the allocator's own bytes cost more than the item).

/// How many items a page holds, as a power of two.
const BITS: u32 = 12;
const PAGE: usize = 1 << BITS;

/// A growing sequence of items.
#[derive(Clone, Debug)]
pub(crate) struct Pages<T> {
    /// All pages are full, up to the one that holds the last item; behind it, empty ones wait.
    pages: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Pages<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn push(&mut self, item: T) {
        let page = self.len >> BITS;
        if page == self.pages.len() {
            self.pages.push(Vec::with_capacity(PAGE));
        }
        self.pages[page].push(item);
        self.len += 1;
    }

    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.pages[self.len >> BITS].pop()
    }

    pub fn last(&self) -> Option<T> {
        self.len.checked_sub(1).map(|last| self.at(last))
    }

    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.len.checked_sub(1).map(|last| self.at_mut(last))
    }

    pub fn clear(&mut self) {
        self.pages.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    pub fn truncate(&mut self, len: usize) {
        while self.len > len {
            self.pop();
        }
    }

    /// The item at a position that exists.
    pub fn at(&self, i: usize) -> T {
        self.pages[i >> BITS][i & (PAGE - 1)]
    }

    pub fn at_mut(&mut self, i: usize) -> &mut T {
        &mut self.pages[i >> BITS][i & (PAGE - 1)]
    }

    /// The item at a position, if it exists.
    pub fn get(&self, i: usize) -> Option<T> {
        (i < self.len).then(|| self.at(i))
    }

    /// The item at any position; what is missing up to there becomes `default`.
    pub fn grow_to(&mut self, i: usize, default: T) -> &mut T {
        while self.len <= i {
            self.push(default);
        }
        self.at_mut(i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_a_vector() {
        let mut pages: Pages<u32> = Pages::new();
        for i in 0..10_000 {
            pages.push(i);
        }
        assert_eq!(
            (pages.len(), pages.at(4096), pages.last()),
            (10_000, 4096, Some(9999))
        );
        for _ in 0..6000 {
            pages.pop();
        }
        *pages.grow_to(5000, 7) = 8;
        assert_eq!(
            (pages.at(3999), pages.at(4000), pages.get(5001)),
            (3999, 7, None)
        );
        pages.truncate(10);
        assert_eq!((pages.len(), pages.last()), (10, Some(9)));
        pages.clear();
        pages.push(1);
        assert_eq!((pages.len(), pages.pop(), pages.pop()), (1, Some(1), None));
    }
}
