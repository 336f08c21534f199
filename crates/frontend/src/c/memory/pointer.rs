//! Pointers: numbers of targets.
//!
//! Every place whose address is taken is a *target* with a number; the null pointer is 0. For each
//! pointer variable the set of targets it may ever have is kept (by inclusion, without regard to the
//! order of statements). A pointer with one target is followed without looking at its number.

use crate::c::lower::{Lower, Lowered};
use crate::c::memory::object::Place;
use crate::c::syntax::ast::Pos;
use crate::c::types::{self, Ty, Type};
use lariat_base::FxHashMap;
use lariat_expr::{TermId, VarId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Where a pointer may point.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(in crate::c) struct Targets {
    pub set: BTreeSet<u32>,
    /// Whether it may also point to something that we know nothing of.
    pub unknown: bool,
}

/// The value of a pointer.
#[derive(Clone, Debug)]
pub(in crate::c) struct Ptr {
    pub pointee: Ty,
    pub id: TermId,
    /// The element of the array that it points into; none: the first.
    pub offset: Option<TermId>,
    pub targets: Rc<Targets>,
}

impl Ptr {
    /// A pointer to something that we know nothing of.
    pub fn foreign(pointee: Ty, id: TermId) -> Self {
        let targets = Targets {
            set: BTreeSet::new(),
            unknown: true,
        };
        Self {
            pointee,
            id,
            offset: None,
            targets: Rc::new(targets),
        }
    }
}

/// What is known of a pointer variable.
#[derive(Clone, Debug, Default)]
struct Info {
    targets: Rc<Targets>,
    has_offset: bool,
}

#[derive(Debug, Default)]
pub(in crate::c) struct Pointers {
    /// The first leaf's variable, and the type, of each target.
    list: Vec<(VarId, Ty)>,
    numbers: FxHashMap<(VarId, Ty), u32>,
    info: FxHashMap<VarId, Info>,
    /// Whether this pass learnt something.
    pub changed: bool,
}

impl Pointers {
    fn number(&mut self, var: VarId, ty: Ty) -> u32 {
        let list = &mut self.list;
        *self.numbers.entry((var, ty)).or_insert_with(|| {
            list.push((var, ty));
            list.len() as u32
        })
    }

    /// Where the pointer in a variable may point.
    pub fn targets(&self, var: VarId) -> Rc<Targets> {
        self.info
            .get(&var)
            .map(|info| info.targets.clone())
            .unwrap_or_default()
    }

    /// Whether the pointer in a variable needs an offset.
    pub fn has_offset(&self, var: VarId) -> bool {
        self.info.get(&var).is_some_and(|info| info.has_offset)
    }

    /// Notes that a variable may hold a pointer.
    pub fn learn(&mut self, var: VarId, targets: &Targets, has_offset: bool) {
        let info = self.info.entry(var).or_default();
        let new =
            targets.unknown && !info.targets.unknown || !targets.set.is_subset(&info.targets.set);
        if new {
            let known = Rc::make_mut(&mut info.targets);
            known.unknown |= targets.unknown;
            known.set.extend(&targets.set);
            self.changed = true;
        }
        if has_offset && !info.has_offset {
            info.has_offset = true;
            self.changed = true;
        }
    }
}

impl Lower<'_> {
    pub fn null(&mut self, pointee: Ty) -> Ptr {
        Ptr {
            pointee,
            id: self.cx.terms.int(0),
            offset: None,
            targets: Rc::default(),
        }
    }

    /// The address of a place.
    pub fn address(&mut self, place: Place) -> Ptr {
        let leaf = self.objects.get(place.obj).leaves[place.leaf as usize];
        let number = self.pointers.number(leaf.var, place.ty.plain());
        let targets = Targets {
            set: BTreeSet::from([number]),
            unknown: false,
        };
        Ptr {
            pointee: place.ty,
            id: self.cx.terms.int(i64::from(number)),
            offset: place.index,
            targets: Rc::new(targets),
        }
    }

    /// The places that a pointer leads to, each with the condition (the last has none).
    pub fn follow(&mut self, ptr: &Ptr, pos: Pos) -> Lowered<Vec<(Option<TermId>, Place)>> {
        if ptr.targets.unknown {
            return Err(self.unsupported("following a pointer with unknown targets", pos));
        }
        if matches!(self.types.get(ptr.pointee), Type::Void | Type::Function(_)) {
            return Err(self.unsupported("following a pointer of this type", pos));
        }
        let mut places = Vec::new();
        for &number in &ptr.targets.set {
            let (var, ty) = self.pointers.list[number as usize - 1];
            let (obj, leaf) = self.objects.of_var[&var];
            if !self.fits(ty, ptr.pointee) {
                return Err(self.unsupported("a pointer to another type than its target's", pos));
            }
            let is_array = self.objects.get(obj).leaves[leaf as usize].is_array;
            let index = is_array.then(|| match ptr.offset {
                Some(offset) => offset,
                None => {
                    let zero = self.arith().constant(0, types::IntTy::LONG);
                    self.arith().term(zero)
                }
            });
            let id = self.cx.terms.int(i64::from(number));
            let here = self.cx.terms.eq(ptr.id, id);
            let place = Place {
                obj,
                leaf,
                ty,
                index,
            };
            places.push((Some(here), place));
        }
        if let Some(last) = places.last_mut() {
            last.0 = None;
        }
        if places.is_empty() && self.graph.at.is_some() {
            // Another pass may learn a target; if none does, this is an error.
            self.unresolved.push(pos);
        }
        Ok(places)
    }

    fn fits(&self, target: Ty, pointee: Ty) -> bool {
        if target.plain() == pointee.plain() {
            return true;
        }
        match (self.types.get(target), self.types.get(pointee)) {
            (Type::Int(a), Type::Int(b)) => a.bits == b.bits,
            (Type::Ptr(_), Type::Ptr(_)) => true,
            (Type::Array(a, _), Type::Array(b, _)) => {
                // An enumeration has a type of its own, which is an integer's.
                a.plain() == b.plain()
                    || self
                        .types
                        .as_int(*a)
                        .is_some_and(|int| self.types.as_int(*b) == Some(int))
            }
            _ => false,
        }
    }
}
