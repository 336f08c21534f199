//! How far each structural state is from a bad one, guards aside.
//!
//! The control graph is explored forwards from the initial structural states, edge by edge without a
//! look at the values, and walked backwards from the bad ones. The number of edges is a lower bound of
//! the length of every run to a bad state. Made once per check: refinement does not change structure.
//!
//! A composition can have more structural states than are worth listing. Beyond [`MAX_STATES`] the
//! rest is unknown and counts as farther than everything known. A state from which no bad one
//! can be reached is the farthest of all.

use crate::product::{PlaceId, Product};
use lariat_base::FxHashMap;

/// More structural states are not listed.
const MAX_STATES: usize = 100_000;

/// Distances to bad structural states.
#[derive(Clone, Debug)]
pub(crate) struct Distances {
    /// Of the states from which a bad one can be reached.
    known: FxHashMap<PlaceId, u32>,
    /// Of all others.
    otherwise: u32,
}

impl Distances {
    /// The distances in a product.
    pub fn new(product: &mut Product<'_>) -> Self {
        let (mut met, mut before): (Vec<PlaceId>, FxHashMap<PlaceId, Vec<PlaceId>>) =
            Default::default();
        for edge in product.initial() {
            if before.insert(edge.target, Vec::new()).is_none() {
                met.push(edge.target);
            }
        }
        let mut next = 0;
        while next < met.len().min(MAX_STATES) {
            let from = met[next];
            next += 1;
            for (edge, _) in product.edges(from) {
                let sources = before.entry(edge.target).or_insert_with(|| {
                    met.push(edge.target);
                    Vec::new()
                });
                sources.push(from);
            }
        }
        let mut layer: Vec<PlaceId> = met.into_iter().filter(|&at| product.is_bad(at)).collect();
        let (mut known, mut distance) = (FxHashMap::default(), 0);
        while !layer.is_empty() {
            layer.retain(|&at| known.insert(at, distance).is_none());
            layer = layer
                .iter()
                .flat_map(|at| before[at].iter().copied())
                .filter(|at| !known.contains_key(at))
                .collect();
            distance += 1;
        }
        Self {
            known,
            otherwise: distance,
        }
    }

    /// The distance of a structural state.
    pub fn of(&self, at: PlaceId) -> u32 {
        self.known.get(&at).copied().unwrap_or(self.otherwise)
    }
}
