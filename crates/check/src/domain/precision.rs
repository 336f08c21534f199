//! What is tracked, and where.
//!
//! An item (a predicate, a variable) is tracked everywhere or at some of the model's structural states
//! only. With *local* precision an item learned at a cut of a path is tracked at the structural state of
//! that cut; where it is not tracked it is unknown, which is always an over-approximation. Local
//! precision keeps abstract states apart only where that was needed, at the price of learning the same
//! item at several places one after the other.
//!
//! Items keep their position for ever: one that is dropped is just tracked nowhere. So a state made under
//! an older precision still means what it meant.

use lariat_base::{FxHashMap, FxHashSet};
use lariat_system::PointId;
use std::hash::Hash;

/// Where what is learned from a counterexample applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Locality {
    /// Everywhere.
    Global,
    /// At the structural state of the model where it was learned.
    Local,
}

impl Locality {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Local => "local",
        }
    }
}

/// The items with their places.
#[derive(Debug)]
pub(super) struct Precision<T> {
    locality: Locality,
    items: Vec<T>,
    positions: FxHashMap<T, usize>,
    places: Vec<Places>,
}

/// Where an item is tracked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Places {
    Everywhere,
    /// Only here; nowhere, if empty.
    Only(FxHashSet<PointId>),
}

impl<T: Copy + Eq + Hash> Precision<T> {
    /// Nothing is tracked.
    pub fn new(locality: Locality) -> Self {
        Self {
            locality,
            items: Vec::new(),
            positions: FxHashMap::default(),
            places: Vec::new(),
        }
    }

    /// Whether items are learned for single places.
    pub fn is_local(&self) -> bool {
        self.locality == Locality::Local
    }

    /// All items that were ever tracked, by position.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The position of an item that was ever tracked.
    pub fn position(&self, item: T) -> Option<usize> {
        self.positions.get(&item).copied()
    }

    /// Tracks an item at a place, or everywhere; says whether it was not tracked there.
    pub fn add(&mut self, item: T, at: Option<PointId>) -> bool {
        let i = *self.positions.entry(item).or_insert_with(|| {
            self.items.push(item);
            self.places.push(Places::Only(FxHashSet::default()));
            self.items.len() - 1
        });
        let at = at.filter(|_| self.locality == Locality::Local);
        match (&mut self.places[i], at) {
            (Places::Everywhere, _) => false,
            (Places::Only(places), Some(at)) => places.insert(at),
            (places, None) => {
                *places = Places::Everywhere;
                true
            }
        }
    }

    /// Tracks an item at the places where another one was.
    pub fn add_at(&mut self, item: T, places: &Places) -> bool {
        match places {
            Places::Everywhere => self.add(item, None),
            Places::Only(places) => places
                .iter()
                .fold(false, |changed, &at| self.add(item, Some(at)) | changed),
        }
    }

    /// Stops tracking the item at a position; returns where it was tracked.
    pub fn retire(&mut self, i: usize) -> Places {
        std::mem::replace(&mut self.places[i], Places::Only(FxHashSet::default()))
    }

    /// Whether the item at a position is tracked at a place.
    pub fn is_tracked(&self, i: usize, at: PointId) -> bool {
        match &self.places[i] {
            Places::Everywhere => true,
            Places::Only(places) => places.contains(&at),
        }
    }

    /// Whether the item at a position is tracked at some place.
    pub fn is_live(&self, i: usize) -> bool {
        self.places[i] != Places::Only(FxHashSet::default())
    }

    /// The positions of the items that are tracked at a place.
    pub fn tracked(&self, at: PointId) -> Vec<usize> {
        (0..self.items.len())
            .filter(|&i| self.is_tracked(i, at))
            .collect()
    }

    /// The positions and items that are tracked at some place.
    pub fn live(&self) -> impl Iterator<Item = (usize, T)> {
        let live = |&(i, _): &(usize, T)| self.is_live(i);
        self.items.iter().copied().enumerate().filter(live)
    }

    /// What successors at a place depend on: the place, if the precision is local.
    pub fn key(&self, at: PointId) -> Option<PointId> {
        self.is_local().then_some(at)
    }
}

/// Learns by `learn` at the places where things were found and, if that is nothing new, everywhere.
pub(super) fn locally_first(
    is_local: bool,
    mut learn: impl FnMut(fn(PointId) -> Option<PointId>) -> bool,
) -> bool {
    learn(Some) || (is_local && learn(|_| None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Id;

    #[test]
    fn an_item_is_tracked_where_it_was_learned() {
        let [here, there] = [0, 1].map(PointId::from_index);
        let mut local = Precision::new(Locality::Local);
        assert!(local.add('p', Some(here)) && !local.add('p', Some(here)));
        assert!(local.is_tracked(0, here) && !local.is_tracked(0, there));
        assert!(local.add('p', None) && !local.add('p', Some(there)));
        assert_eq!(local.tracked(there), [0]);
        assert_eq!(local.retire(0), Places::Everywhere);
        assert!(!local.is_live(0) && local.tracked(here).is_empty());
        let mut global = Precision::new(Locality::Global);
        assert!(global.add('p', Some(here)) && global.is_tracked(0, there));
    }
}
