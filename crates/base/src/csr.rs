//! Compressed sparse rows: a finished graph as two arrays.
//!
//! Row `i` owns `items[offsets[i]..offsets[i + 1]]`; the last offset is the sentinel. Finished
//! automata and control graphs are kept this way: no allocation per node, neighbours contiguous.

use crate::Id;
use std::marker::PhantomData;

/// A map from each id to a slice of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<I, T> {
    offsets: Vec<u32>,
    items: Vec<T>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Csr<I, T> {
    /// The rows of `rows`, in order.
    pub fn from_rows<R: IntoIterator<Item = T>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut builder = CsrBuilder::new();
        for row in rows {
            builder.items(row);
            builder.end_row();
        }
        builder.finish()
    }

    /// Groups `pairs` by their row, keeping the order inside each row.
    pub fn from_pairs(n_rows: usize, pairs: Vec<(I, T)>) -> Self {
        let mut sorted = pairs;
        sorted.sort_by_key(|pair| pair.0);
        let mut offsets = vec![0u32; n_rows + 1];
        for (row, _) in &sorted {
            offsets[row.index() + 1] += 1;
        }
        for i in 0..n_rows {
            offsets[i + 1] += offsets[i];
        }
        let items = sorted.into_iter().map(|pair| pair.1).collect();
        Self {
            offsets,
            items,
            marker: PhantomData,
        }
    }

    /// The items of `row`.
    pub fn row(&self, row: I) -> &[T] {
        let i = row.index();
        &self.items[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many items there are in all rows together.
    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    /// Changes each item where it is, with the id of its row, in order.
    pub fn update(&mut self, mut change: impl FnMut(I, &mut T)) {
        for row in 0..self.n_rows() {
            let items = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            for item in &mut self.items[items] {
                change(I::from_index(row), item);
            }
        }
    }

    /// All rows with their ids.
    pub fn rows(&self) -> impl Iterator<Item = (I, &[T])> {
        (0..self.n_rows()).map(|i| (I::from_index(i), self.row(I::from_index(i))))
    }
}

/// Builds a [`Csr`] row by row.
#[derive(Clone, Debug)]
pub struct CsrBuilder<I, T> {
    offsets: Vec<u32>,
    items: Vec<T>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> CsrBuilder<I, T> {
    /// No rows yet.
    pub fn new() -> Self {
        Self {
            offsets: vec![0],
            items: Vec::new(),
            marker: PhantomData,
        }
    }

    /// Adds one item to the open row.
    pub fn item(&mut self, item: T) {
        self.items.push(item);
    }

    /// Adds items to the open row.
    pub fn items(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
    }

    /// Closes the open row and returns its id.
    pub fn end_row(&mut self) -> I {
        let end = u32::try_from(self.items.len()).expect("a graph holds fewer than 2^32 edges");
        self.offsets.push(end);
        I::from_index(self.offsets.len() - 2)
    }

    /// The finished rows. Items after the last [`end_row`](Self::end_row) would be lost, so there must be none.
    pub fn finish(self) -> Csr<I, T> {
        assert_eq!(
            self.offsets.last().copied(),
            Some(self.items.len() as u32),
            "the last row is closed"
        );
        Csr {
            offsets: self.offsets,
            items: self.items,
            marker: PhantomData,
        }
    }
}

impl<I: Id, T> Default for CsrBuilder<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::id_type!(struct NodeId, "n");

    #[test]
    fn pairs_and_rows_agree() {
        let id = NodeId::from_index;
        let by_pairs = Csr::from_pairs(
            3,
            vec![(id(2), 'x'), (id(0), 'a'), (id(2), 'b'), (id(0), 'c')],
        );
        let by_rows = Csr::from_rows([vec!['a', 'c'], vec![], vec!['x', 'b']]);
        assert_eq!(by_pairs, by_rows);
        assert_eq!(by_rows.row(id(2)), ['x', 'b']);
        assert_eq!((by_rows.n_rows(), by_rows.n_items()), (3, 4));
    }

    #[test]
    fn update_visits_every_item_with_its_row() {
        let mut rows = Csr::from_rows([vec![10, 20], vec![], vec![30]]);
        rows.update(|row: NodeId, item| *item += row.index());
        assert_eq!(rows, Csr::from_rows([vec![10, 20], vec![], vec![32]]));
    }
}
