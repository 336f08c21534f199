//! One state for each class of states that symmetries lead to one another (`symmetry/`).
//!
//! Any state of a class may stand for it; the fewer different ones do, the fewer are explored. Copies that can come in any order are
//! *sorted* by what a state says of them: the values of their own variables, the elements of arrays at the literals that name
//! them, whether shared variables name them, the locations of their models. If no copy refers to another one, copies that
//! are equal so far are equal, and sorting gives the same state for all of a class. If some do, what is known of the copies that
//! they refer to is taken into account, round after round (colour refinement); among copies that are still equal all orders
//! are tried, if they are few, and the least state is taken. Copies in a ring are rotated to the least state.
//!
//! A permutation lists for each copy whose place it takes.

use super::codes::{Codes, id_of};
use super::expand::{LOC, VALUES};
use crate::symmetry::{Family, Group, permuted};
use lariat_base::FxHashMap;
use lariat_expr::{SortId, Sorts, Value};
use lariat_system::{Context, TransitionSystem, Variable};

/// More orders of equal copies are not tried.
const MAX_ORDERS: usize = 120;

/// What states are permuted in: how values are coded, and where a composition is.
pub(super) struct Place<'a> {
    pub cx: &'a Context,
    pub codes: &'a mut Codes,
    pub system: &'a mut dyn TransitionSystem,
}

/// The families of a problem, and how to find the state that stands for another.
#[derive(Debug)]
pub(super) struct Orbits {
    families: Vec<Copies>,
    /// The permutation of each family that the last state was changed by.
    permutations: Vec<Vec<usize>>,
    scratch: Vec<i64>,
}

/// A family and what a state says of its copies.
#[derive(Debug)]
struct Copies {
    family: Family,
    features: Vec<Feature>,
    references: Vec<Reference>,
    /// The variables, in the order of the state, whose values have literals of the family inside; with their sorts.
    naming: Vec<(usize, SortId)>,
    has_leaves: bool,
}

/// Something that a state says of each copy.
#[derive(Debug)]
enum Feature {
    /// The value of its own variable.
    Own(Vec<usize>),
    /// Whether a shared variable names it.
    Named(usize, Vec<u32>),
    /// The element of a shared array at its literal.
    Element(usize, Vec<u32>),
    /// The location of its model.
    Leaf(Vec<usize>),
}

/// Where a state says of a copy which other one it refers to.
#[derive(Debug)]
enum Reference {
    /// Its own variable; the literals of the copies.
    Own(Vec<usize>, Vec<u32>),
    /// The element of a shared array at its literal.
    Element(usize, Vec<u32>, Vec<u32>),
}

/// What is compared of copies.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Code(i64),
    Value(Value),
}

impl Orbits {
    /// For families of a system with these variables; nothing if there are none.
    pub fn new(cx: &Context, variables: &[Variable], families: Vec<Family>) -> Option<Self> {
        if families.is_empty() {
            return None;
        }
        let sorts: Vec<SortId> = variables.iter().map(|v| cx.terms.var_sort(v.var)).collect();
        let of = |family| Copies::new(&cx.terms.sorts, &sorts, family);
        let families: Vec<Copies> = families.into_iter().map(of).collect();
        Some(Self {
            permutations: families
                .iter()
                .map(|copies| identity(copies.len()))
                .collect(),
            families,
            scratch: Vec::new(),
        })
    }

    /// What is exchanged, for people.
    pub fn describe(&self) -> Vec<String> {
        let families = self.families.iter();
        families.map(|copies| copies.family.describe()).collect()
    }

    /// The permutation that changes nothing.
    pub fn identity(&self) -> Vec<Vec<usize>> {
        let families = self.families.iter();
        families.map(|copies| identity(copies.len())).collect()
    }

    /// Puts the state that stands for a state in its place, and tells the permutations that did it.
    pub fn normalise(&mut self, place: &mut Place<'_>, state: &mut Vec<i64>) -> &[Vec<usize>] {
        for (copies, permutation) in self.families.iter().zip(&mut self.permutations) {
            match copies.family.group {
                Group::All => copies.sort(place, state, permutation, &mut self.scratch),
                Group::Rotations => {
                    let (all, len) = (identity(copies.len()), copies.len());
                    let rotated = |by| all.iter().map(|copy| (copy + by) % len).collect();
                    let orders = (0..len).map(rotated).collect();
                    copies.least(place, state, orders, permutation, &mut self.scratch);
                }
            }
        }
        &self.permutations
    }

    /// Permutes a state.
    pub fn apply(&self, place: &mut Place<'_>, permutations: &[Vec<usize>], state: &mut Vec<i64>) {
        let mut permuted = Vec::new();
        for (copies, permutation) in self.families.iter().zip(permutations) {
            copies.apply(place, permutation, state, &mut permuted);
            std::mem::swap(state, &mut permuted);
        }
    }
}

/// The permutation that changes nothing.
fn identity(len: usize) -> Vec<usize> {
    (0..len).collect()
}

/// First the second permutation backwards, then the first one.
pub(super) fn after_inverse(first: &mut [Vec<usize>], second: &[Vec<usize>]) {
    for (first, second) in first.iter_mut().zip(second) {
        let mut both = identity(first.len());
        for (copy, &to) in second.iter().enumerate() {
            both[to] = first[copy];
        }
        *first = both;
    }
}

impl Copies {
    fn new(sorts: &Sorts, variables: &[SortId], family: Family) -> Self {
        let parts = family.copies();
        let literals_of = |sort: SortId| -> Option<Vec<u32>> {
            let at = family.sorts().position(|known| known == sort)?;
            Some(parts.iter().map(|part| part.literals[at].1).collect())
        };
        let names = |sort: SortId| mentions(sorts, sort, &|sort| literals_of(sort).is_some());
        let mut features = Vec::new();
        let mut references = Vec::new();
        let mut owned = vec![false; variables.len()];
        for at in 0..parts[0].variables.len() {
            let own: Vec<usize> = parts.iter().map(|part| part.variables[at]).collect();
            let sort = variables[own[0]];
            for &variable in &own {
                owned[variable] = true;
            }
            match literals_of(sort) {
                Some(literals) => references.push(Reference::Own(own, literals)),
                None if names(sort) => {}
                None => features.push(Feature::Own(own)),
            }
        }
        for (at, &sort) in variables.iter().enumerate().filter(|(at, _)| !owned[*at]) {
            if let Some(literals) = literals_of(sort) {
                features.push(Feature::Named(at, literals));
            } else if let Some((index, element)) = sorts.as_array(sort)
                && let Some(literals) = literals_of(index)
            {
                match literals_of(element) {
                    Some(others) => references.push(Reference::Element(at, literals, others)),
                    None if names(element) => {}
                    None => features.push(Feature::Element(at, literals)),
                }
            }
        }
        let leaves: Option<Vec<usize>> = parts.iter().map(|part| part.leaf).collect();
        let has_leaves = leaves.is_some();
        features.extend(leaves.map(Feature::Leaf));
        let naming = variables.iter().enumerate();
        let naming = naming.filter(|(_, sort)| names(**sort));
        Self {
            naming: naming.map(|(at, &sort)| (at, sort)).collect(),
            features,
            references,
            has_leaves,
            family,
        }
    }

    fn len(&self) -> usize {
        self.family.len()
    }

    /// Sorts the copies.
    fn sort(
        &self,
        place: &mut Place<'_>,
        state: &mut Vec<i64>,
        permutation: &mut Vec<usize>,
        scratch: &mut Vec<i64>,
    ) {
        let keys: Vec<Vec<Key>> = (0..self.len()).map(|c| self.key(place, state, c)).collect();
        let mut ranks = ranks(&keys);
        if !self.references.is_empty() {
            ranks = self.refined(place, state, ranks);
            let orders = orders(&ranks);
            if orders.len() > 1 {
                self.least(place, state, orders, permutation, scratch);
                return;
            }
        }
        let mut order = identity(self.len());
        order.sort_by_key(|&copy| ranks[copy]);
        permutation.resize(self.len(), 0);
        for (to, &copy) in order.iter().enumerate() {
            permutation[copy] = to;
        }
        if !order.is_sorted() {
            self.apply(place, permutation, state, scratch);
            std::mem::swap(state, scratch);
        }
    }

    /// Takes the permutation that leads to the least state.
    fn least(
        &self,
        place: &mut Place<'_>,
        state: &mut Vec<i64>,
        orders: Vec<Vec<usize>>,
        permutation: &mut Vec<usize>,
        scratch: &mut Vec<i64>,
    ) {
        let mut best: Option<(Vec<i64>, Vec<usize>)> = None;
        for order in orders {
            self.apply(place, &order, state, scratch);
            if best.as_ref().is_none_or(|(least, _)| *scratch < *least) {
                best = Some((scratch.clone(), order));
            }
        }
        (*state, *permutation) = best.expect("there is an order");
    }

    /// What a state says of a copy.
    fn key(&self, place: &Place<'_>, state: &[i64], copy: usize) -> Vec<Key> {
        let features = self.features.iter();
        let key = |feature: &Feature| match feature {
            Feature::Own(own) => Key::Code(state[VALUES + own[copy]]),
            Feature::Named(at, literals) => {
                let is_named = state[VALUES + at] == i64::from(literals[copy]);
                Key::Code(i64::from(is_named))
            }
            Feature::Element(at, literals) => {
                Key::Value(element(place, state, *at, literals[copy]))
            }
            Feature::Leaf(leaves) => {
                let at = place.system.leaf_location(id_of(state[LOC]), leaves[copy]);
                Key::Code(super::codes::code_of(at))
            }
        };
        features.map(key).collect()
    }

    /// Ranks by what is said of the copies that are referred to, too.
    fn refined(&self, place: &Place<'_>, state: &[i64], mut ranks: Vec<usize>) -> Vec<usize> {
        let targets: Vec<Vec<Target>> = (0..self.len())
            .map(|copy| {
                let references = self.references.iter();
                references.map(|r| r.target(place, state, copy)).collect()
            })
            .collect();
        loop {
            let key = |copy: usize| {
                let rank = |target: &Target| match *target {
                    Target::Copy(other) if other == copy => (0, 0),
                    Target::Copy(other) => (1, ranks[other]),
                    Target::Other(literal) => (2, literal),
                };
                let mut incoming: Vec<(usize, usize)> = Vec::new();
                for (from, targets) in targets.iter().enumerate() {
                    let here = targets.iter().enumerate();
                    let here = here.filter(|(_, target)| **target == Target::Copy(copy));
                    incoming.extend(here.map(|(which, _)| (which, ranks[from])));
                }
                incoming.sort_unstable();
                let outgoing: Vec<(usize, usize)> = targets[copy].iter().map(rank).collect();
                (ranks[copy], outgoing, incoming)
            };
            let keys: Vec<_> = (0..self.len()).map(key).collect();
            let finer = self::ranks(&keys);
            if finer == ranks {
                return ranks;
            }
            ranks = finer;
        }
    }

    /// Permutes a state.
    fn apply(
        &self,
        place: &mut Place<'_>,
        permutation: &[usize],
        state: &[i64],
        out: &mut Vec<i64>,
    ) {
        out.clear();
        out.extend_from_slice(state);
        let parts = self.family.copies();
        for (from, &to) in permutation.iter().enumerate() {
            let pairs = parts[from].variables.iter().zip(&parts[to].variables);
            for (&own, &other) in pairs {
                out[VALUES + other] = state[VALUES + own];
            }
        }
        if !self.naming.is_empty() {
            let mut literals: FxHashMap<(SortId, u32), u32> = FxHashMap::default();
            for (from, &to) in permutation.iter().enumerate() {
                let pairs = parts[from].literals.iter().zip(&parts[to].literals);
                literals.extend(pairs.map(|(&own, &(_, other))| (own, other)));
            }
            let sorts = &place.cx.terms.sorts;
            for &(at, sort) in &self.naming {
                let value = place.codes.decode(sorts, at, out[VALUES + at]);
                let value = permuted(sorts, &literals, sort, &value);
                out[VALUES + at] = place.codes.encode(at, &value);
            }
        }
        if self.has_leaves {
            let mut order = identity(place.system.n_leaves());
            for (from, &to) in permutation.iter().enumerate() {
                if let (Some(from), Some(to)) = (parts[from].leaf, parts[to].leaf) {
                    order[to] = from;
                }
            }
            let at = place.system.rearranged(id_of(out[LOC]), &order);
            let at = at.expect("models that are exchanged may step at any time");
            out[LOC] = super::codes::code_of(at);
        }
    }
}

/// What a reference leads to.
#[derive(PartialEq, Eq)]
enum Target {
    Copy(usize),
    /// A literal that names no copy.
    Other(usize),
}

impl Reference {
    fn target(&self, place: &Place<'_>, state: &[i64], copy: usize) -> Target {
        let (literal, literals) = match self {
            Self::Own(own, literals) => {
                (state[VALUES + own[copy]].cast_unsigned() as u32, literals)
            }
            Self::Element(at, own, literals) => {
                let Value::Enum(literal) = element(place, state, *at, own[copy]) else {
                    unreachable!("the elements of the array are literals");
                };
                (literal, literals)
            }
        };
        match literals.iter().position(|&known| known == literal) {
            Some(copy) => Target::Copy(copy),
            None => Target::Other(literal as usize),
        }
    }
}

/// The element of an array of a state at a literal.
fn element(place: &Place<'_>, state: &[i64], at: usize, literal: u32) -> Value {
    let sorts = &place.cx.terms.sorts;
    let Value::Array(map) = place.codes.decode(sorts, at, state[VALUES + at]) else {
        unreachable!("the variable is an array");
    };
    map.get(&Value::Enum(literal)).clone()
}

/// Whether a sort is, or has inside, one of which something is true.
fn mentions(sorts: &Sorts, sort: SortId, is: &dyn Fn(SortId) -> bool) -> bool {
    let mut todo = vec![sort];
    while let Some(sort) = todo.pop() {
        if is(sort) {
            return true;
        }
        if let Some((index, element)) = sorts.as_array(sort) {
            todo.extend([index, element]);
        }
    }
    false
}

/// How many different keys are less than each.
fn ranks<K: Ord>(keys: &[K]) -> Vec<usize> {
    let mut sorted: Vec<&K> = keys.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let rank = |key| sorted.binary_search(&key).expect("it is among them");
    keys.iter().map(rank).collect()
}

/// The permutations that sort copies by their ranks; one of them if there are many.
fn orders(ranks: &[usize]) -> Vec<Vec<usize>> {
    let mut order = identity(ranks.len());
    order.sort_by_key(|&copy| ranks[copy]);
    let mut orders = vec![order];
    let mut start = 0;
    while start < ranks.len() {
        let first = orders[0][start];
        let end = start + ranks.iter().filter(|&&rank| rank == ranks[first]).count();
        // All orders of the copies from `start` to `end`, for each order of those before.
        for at in start..end {
            let n_known = orders.len();
            if n_known * (end - at) > MAX_ORDERS {
                orders.truncate(1);
                return inverses(orders);
            }
            for known in 0..n_known {
                for other in at + 1..end {
                    let mut order = orders[known].clone();
                    order.swap(at, other);
                    orders.push(order);
                }
            }
        }
        start = end;
    }
    inverses(orders)
}

/// For each list of copies by place the place of each copy.
fn inverses(orders: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let inverse = |order: Vec<usize>| {
        let mut places = identity(order.len());
        for (place, copy) in order.into_iter().enumerate() {
            places[copy] = place;
        }
        places
    };
    orders.into_iter().map(inverse).collect()
}
