//! Compatible types of different files become one type.
//!
//! Each file that includes a header has structs and enumerations of its own. In C they are compatible with those of
//! another file if they have the same tag (or none) and the same members of compatible types (C11 6.2.7), so that an object can be
//! defined in one file and used in another. Structs refer to themselves and to each other through pointers, hence the
//! greatest fixed point: each is taken to be the same as the first candidate, until a difference shows.

use super::{Field, RecordId, Ty, Type, Types};
use lariat_base::FxHashMap;

/// What each type became.
#[derive(Debug)]
pub(in crate::c) struct Unified {
    types: Vec<Ty>,
}

impl Unified {
    pub fn of(&self, ty: Ty) -> Ty {
        self.types[ty.index()].volatile_if(ty.is_volatile())
    }
}

impl Types {
    /// Makes compatible types one. `starts` has the number of records that there were before each file.
    pub fn unify(&mut self, starts: &[usize]) -> Unified {
        let representatives = self.same_records(starts);
        let mut enumerations: FxHashMap<Vec<_>, Ty> = FxHashMap::default();
        let mut same_enumeration: FxHashMap<Ty, Ty> = FxHashMap::default();
        for (ty, list) in &self.enumerations {
            let first = *enumerations.entry(list.clone()).or_insert(*ty);
            same_enumeration.insert(*ty, first);
        }
        let mut unified = Unified { types: Vec::new() };
        for at in 0..self.list.len() {
            let own = Ty(at as u32);
            // The parts of a type are older than the type.
            let ty = match self.list[at].clone() {
                Type::Ptr(to) => self.add(Type::Ptr(unified.of(to))),
                Type::Array(element, len) => self.add(Type::Array(unified.of(element), len)),
                Type::Function(result) => self.add(Type::Function(unified.of(result))),
                Type::Record(id) => self.add(Type::Record(representatives[id.index()])),
                _ => same_enumeration.get(&own).copied().unwrap_or(own),
            };
            unified.types.push(ty);
        }
        // Types that were added have parts that are their own representatives.
        for at in unified.types.len()..self.list.len() {
            unified.types.push(Ty(at as u32));
        }
        for record in &mut self.records {
            for field in record.fields.iter_mut().flatten() {
                field.ty = unified.of(field.ty);
            }
        }
        unified
    }

    /// Whether declarations of these types can speak of one object or function: one may leave out an array's length.
    pub fn agree(&self, a: Ty, b: Ty) -> bool {
        let (a, b) = (a.plain(), b.plain());
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (&Type::Array(a, m), &Type::Array(b, n)) => {
                (m.is_none() || n.is_none() || m == n) && self.agree(a, b)
            }
            // An enumeration is a type of its own here, and an integer in C.
            (Type::Int(a), Type::Int(b)) => a == b,
            _ => false,
        }
    }

    /// For each record the one that stands for it.
    fn same_records(&self, starts: &[usize]) -> Vec<RecordId> {
        let file_of = |id: usize| starts.partition_point(|&start| start <= id);
        let mut groups: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        let is_open = |id: usize| self.records[id].fields.is_none();
        for (id, record) in self.records.iter().enumerate() {
            let names: Option<Vec<_>> = match (record.tag, &record.fields) {
                (None, Some(fields)) => Some(fields.iter().map(|field| field.name).collect()),
                _ => None,
            };
            groups
                .entry((record.is_union, record.tag, names))
                .or_default()
                .push(id);
        }
        // For each record, whom it may be the same as, the best last; complete ones are better.
        let mut candidates: Vec<Vec<usize>> = vec![Vec::new(); self.records.len()];
        for group in groups.into_values() {
            for &id in &group {
                let earlier = group.iter().copied().filter(|&other| {
                    file_of(other) != file_of(id) && (is_open(other), other) < (is_open(id), id)
                });
                let mut earlier: Vec<usize> = earlier.collect();
                earlier.sort_unstable_by_key(|&other| std::cmp::Reverse((is_open(other), other)));
                candidates[id] = earlier;
            }
        }
        loop {
            let same = |id: usize| *candidates[id].last().unwrap_or(&id);
            let differs = |&id: &usize| same(id) != id && !self.same_fields(id, same(id), &same);
            let wrong: Vec<usize> = (0..self.records.len()).filter(differs).collect();
            if wrong.is_empty() {
                break;
            }
            for id in wrong {
                candidates[id].pop();
            }
        }
        // A candidate may have one itself.
        let mut found = Vec::new();
        for id in 0..self.records.len() {
            let mut at = id;
            while let Some(&other) = candidates[at].last() {
                at = other;
            }
            found.push(RecordId(at as u32));
        }
        found
    }

    /// Whether two records have the same members, or one is not known.
    fn same_fields(&self, a: usize, b: usize, same: &dyn Fn(usize) -> usize) -> bool {
        let (Some(a), Some(b)) = (&self.records[a].fields, &self.records[b].fields) else {
            return true;
        };
        let same_field = |(a, b): (&Field, &Field)| {
            (a.name, a.bits) == (b.name, b.bits) && self.same_types(a.ty, b.ty, same)
        };
        a.len() == b.len() && a.iter().zip(b).all(same_field)
    }

    fn same_types(&self, mut a: Ty, mut b: Ty, same: &dyn Fn(usize) -> usize) -> bool {
        let first = |mut id: usize| {
            while same(id) != id {
                id = same(id);
            }
            id
        };
        loop {
            if a.is_volatile() != b.is_volatile() {
                return false;
            }
            (a, b) = match (self.get(a), self.get(b)) {
                (&Type::Ptr(a), &Type::Ptr(b)) | (&Type::Function(a), &Type::Function(b)) => (a, b),
                (&Type::Array(a, m), &Type::Array(b, n)) if m == n => (a, b),
                (Type::Record(a), Type::Record(b)) => return first(a.index()) == first(b.index()),
                (a, b) => return a == b,
            };
        }
    }
}
