//! Dense typed ids and vectors indexed by them.
//!
//! Every arena of the project hands out `u32` ids of its own type, so that a location can never be
//! used where a term is meant. [`id_type!`](crate::id_type) declares one.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense index of one kind of thing.
pub trait Id: Copy + Eq + Ord + Hash + fmt::Debug {
    /// The id of the `index`-th thing. Panics beyond `u32::MAX - 1` things: arenas are dense and small.
    fn from_index(index: usize) -> Self;
    /// The position of this id in its arena.
    fn index(self) -> usize;
}

/// Declares a dense id type: `id_type!(/// A location. pub struct LocId, "L");`
///
/// The string is the prefix of its debug form.
#[macro_export]
macro_rules! id_type {
    ($(#[$meta:meta])* $vis:vis struct $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(::std::num::NonZeroU32);

        impl $crate::Id for $name {
            fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index + 1).expect("an arena holds fewer than 2^32 things");
                Self(::std::num::NonZeroU32::new(raw).expect("index + 1 is positive"))
            }
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), $crate::Id::index(*self))
            }
        }
    };
}

/// A vector indexed by the ids of one type.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub const fn new() -> Self {
        Self {
            items: Vec::new(),
            marker: PhantomData,
        }
    }

    /// A vector of `n` copies of `value`.
    pub fn filled(value: T, n: usize) -> Self
    where
        T: Clone,
    {
        Self {
            items: vec![value; n],
            marker: PhantomData,
        }
    }

    /// Appends `value` and returns its id.
    pub fn push(&mut self, value: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(value);
        id
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The id that the next [`push`](Self::push) returns.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// The item of `id`, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items with their ids, in order.
    pub fn iter_ids(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(i, item)| (I::from_index(i), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// Grows or shrinks to `n` items.
    pub fn resize(&mut self, n: usize, value: T)
    where
        T: Clone,
    {
        self.items.resize(n, value);
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self {
            items: items.into_iter().collect(),
            marker: PhantomData,
        }
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter_ids()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    id_type!(struct NodeId, "n");

    #[test]
    fn ids_are_dense_and_options_are_free() {
        let mut names: IdVec<NodeId, &str> = IdVec::new();
        let a = names.push("a");
        let b = names.push("b");
        assert_eq!((a.index(), b.index(), names[b]), (0, 1, "b"));
        assert_eq!(format!("{a:?}"), "n0");
        assert_eq!(names.ids().collect::<Vec<_>>(), [a, b]);
        assert_eq!(size_of::<Option<NodeId>>(), 4);
    }
}
