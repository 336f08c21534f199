//! Places in memory: finding, reading and writing them.

use crate::c::integer::arith::{self, Num};
use crate::c::lower::{Lower, Lowered, Val};
use crate::c::memory::object::{LeafKind, Place, member, n_leaves};
use crate::c::memory::pointer::Ptr;
use crate::c::syntax::ast::{self, E, Expr, Pos, Unary};
use crate::c::types::{IntTy, Ty, Type};
use lariat_expr::TermId;
use std::rc::Rc;

/// Where an assignment goes: one of several places, each with its condition but the last.
#[derive(Clone, Debug)]
pub(in crate::c) struct Location {
    pub ty: Ty,
    pub places: Vec<(Option<TermId>, Place)>,
}

impl Lower<'_> {
    /// The place that an expression names.
    pub fn place(&mut self, e: E) -> Lowered<Location> {
        let pos = self.ast.pos(e);
        let addressing = std::mem::take(&mut self.addressing);
        match *self.ast.expr(e) {
            Expr::Name(name) => {
                let obj = self.lookup(name, pos)?;
                let ty = self.objects.get(obj).ty;
                let place = Place {
                    obj,
                    leaf: 0,
                    ty,
                    index: None,
                };
                Ok(Location {
                    ty,
                    places: vec![(None, place)],
                })
            }
            Expr::Unary(Unary::Deref, pointer) => {
                let value = self.value(pointer)?;
                self.pointed(value, addressing, pos)
            }
            Expr::Index(base, index) => {
                let base = self.value(base)?;
                let index = self.value(index)?;
                let (pointer, index) = match (base, index) {
                    (Val::Ptr(pointer), Val::Num(index)) => (pointer, index),
                    (Val::Num(index), Val::Ptr(pointer)) => (pointer, index),
                    _ => return Err(self.error("type-mismatch", "this is no array", pos)),
                };
                let moved = self.moved(&pointer, index, false);
                self.pointed(Val::Ptr(moved), addressing, pos)
            }
            Expr::Member(of, name) => {
                if let Some(obj) = self.foreign_member(e) {
                    return Ok(self.whole(obj));
                }
                self.addressing = addressing;
                let whole = self.place(of)?;
                let Some((start, ty)) = member(self.types, whole.ty, name) else {
                    let what = self.types.describe(whole.ty);
                    if what == "a union" {
                        return Err(self.unsupported(&what, pos));
                    }
                    let message = format!("{what} has no member `{}`", self.symbols.text(name));
                    return Err(self.error("unknown-member", message, pos));
                };
                let ty = ty.volatile_if(whole.ty.is_volatile());
                let part = |(condition, place): &(Option<TermId>, Place)| {
                    let leaf = place.leaf + start;
                    (*condition, Place { leaf, ty, ..*place })
                };
                Ok(Location {
                    ty,
                    places: whole.places.iter().map(part).collect(),
                })
            }
            _ => Err(self.error("no-place", "this is not a place in memory", pos)),
        }
    }

    fn pointed(&mut self, value: Val, addressing: bool, pos: Pos) -> Lowered<Location> {
        let Val::Ptr(pointer) = value else {
            return Err(self.error("type-mismatch", "this is no pointer", pos));
        };
        let places = self.follow(&pointer, pos)?;
        if !addressing {
            self.check_pointer(&pointer, &places);
        }
        Ok(Location {
            ty: pointer.pointee,
            places,
        })
    }

    /// The pointer some elements further, or back.
    pub fn moved(&mut self, pointer: &Ptr, by: Num, back: bool) -> Ptr {
        let by = self.arith().convert(by, IntTy::LONG);
        let by = self.arith().index(by);
        let start = match pointer.offset {
            Some(offset) => offset,
            None => self.zero_index(),
        };
        let (start, by) = {
            (
                Num::word(start, IntTy::LONG, false),
                Num::word(by, IntTy::LONG, false),
            )
        };
        let op = if back {
            ast::Binary::Sub
        } else {
            ast::Binary::Add
        };
        let sum = self.arith().binary(op, start, by);
        let sum = sum.expect("sums have a meaning in every mode");
        Ptr {
            offset: Some(self.arith().term(sum)),
            ..pointer.clone()
        }
    }

    pub fn zero_index(&mut self) -> TermId {
        let zero = self.arith().constant(0, IntTy::LONG);
        self.arith().term(zero)
    }

    /// An array as the pointer to its first element.
    fn decayed(&mut self, at: &Location, element: Ty, length: Option<u64>) -> Ptr {
        let mut result: Option<Ptr> = None;
        for &(condition, place) in at.places.iter().rev() {
            // Rows of an array of arrays lie one behind the other.
            let index = match (place.index, length) {
                (Some(index), Some(length)) => {
                    let (index, length) = {
                        let mut arith = self.arith();
                        let length = arith.constant(i128::from(length), IntTy::LONG);
                        (Num::word(index, IntTy::LONG, false), length)
                    };
                    let start = self.arith().binary(ast::Binary::Mul, index, length);
                    let start = start.expect("products have a meaning in every mode");
                    Some(self.arith().term(start))
                }
                (index, _) => index,
            };
            let first = self.address(Place {
                ty: element,
                index,
                ..place
            });
            result = Some(match (result, condition) {
                (Some(other), Some(condition)) => self.either(condition, &first, &other),
                _ => first,
            });
        }
        match result {
            Some(result) => result,
            None => self.null(element),
        }
    }

    /// One pointer or the other.
    pub fn either(&mut self, condition: TermId, then: &Ptr, other: &Ptr) -> Ptr {
        let id = self.cx.terms.ite(condition, then.id, other.id);
        let offset = if then.offset.is_some() || other.offset.is_some() {
            let zero = self.zero_index();
            let (a, b) = (then.offset.unwrap_or(zero), other.offset.unwrap_or(zero));
            Some(self.cx.terms.ite(condition, a, b))
        } else {
            None
        };
        let mut targets = (*then.targets).clone();
        targets.set.extend(&other.targets.set);
        targets.unknown |= other.targets.unknown;
        Ptr {
            pointee: then.pointee,
            id,
            offset,
            targets: Rc::new(targets),
        }
    }

    /// The address of what an expression names.
    pub fn address_of(&mut self, e: E) -> Lowered<Val> {
        self.addressing = true;
        let at = self.place(e)?;
        let mut result: Option<Ptr> = None;
        for &(condition, place) in at.places.iter().rev() {
            let here = self.address(place);
            result = Some(match (result, condition) {
                (Some(other), Some(condition)) => self.either(condition, &here, &other),
                _ => here,
            });
        }
        let mut pointer = match result {
            Some(pointer) => pointer,
            None => self.null(at.ty),
        };
        pointer.pointee = at.ty;
        Ok(Val::Ptr(pointer))
    }

    /// The value of an expression that names a place.
    pub fn read_expr(&mut self, e: E) -> Lowered<Val> {
        let pos = self.ast.pos(e);
        let at = self.place(e)?;
        self.read(&at, pos)
    }

    /// What is at a place; an array is a pointer to its first element.
    pub fn read(&mut self, at: &Location, pos: Pos) -> Lowered<Val> {
        if let Type::Array(element, length) = *self.types.get(at.ty) {
            let element = element.volatile_if(at.ty.is_volatile());
            return Ok(Val::Ptr(self.decayed(at, element, length)));
        }
        self.check_access(at);
        self.refresh(at, pos)?;
        let mut result: Option<Val> = None;
        for &(condition, place) in at.places.iter().rev() {
            let here = self.read_place(place, at.ty, pos)?;
            result = Some(match (result, condition) {
                (Some(other), Some(condition)) => self.choose(condition, &here, &other),
                _ => here,
            });
        }
        match result {
            Some(result) => Ok(result),
            None => self.any_value(at.ty, None, pos),
        }
    }

    fn read_place(&mut self, place: Place, ty: Ty, pos: Pos) -> Lowered<Val> {
        if let Type::Record(_) = self.types.get(place.ty) {
            if place.index.is_some() && self.has_arrays(place.ty) {
                return Err(self.unsupported("copying a struct with arrays out of an array", pos));
            }
            let n = n_leaves(self.types, place.ty);
            let mut parts = Vec::new();
            for leaf in place.leaf..place.leaf + n {
                parts.push(self.read_leaf(Place { leaf, ..place }, pos, true)?);
            }
            return Ok(Val::Record(place.ty, parts));
        }
        let value = self.read_leaf(place, pos, false)?;
        self.converted(value, ty, pos)
    }

    /// Whether a struct has an array inside.
    fn has_arrays(&self, ty: Ty) -> bool {
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            match self.types.get(ty) {
                Type::Array(..) => return true,
                Type::Record(id) => {
                    let fields = self.types.record(*id).fields.as_deref();
                    todo.extend(fields.unwrap_or(&[]).iter().map(|field| field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// A scalar; inside a struct that is copied also a whole array.
    fn read_leaf(&mut self, place: Place, pos: Pos, copied: bool) -> Lowered<Val> {
        let object = self.objects.get(place.obj);
        let (leaf, clean) = (object.leaves[place.leaf as usize], object.clean);
        let mut term = self.step.read(&mut self.cx.terms, leaf.var);
        if leaf.is_array {
            match place.index {
                Some(index) => term = self.cx.terms.select(term, index),
                None if copied => return Ok(Val::Array(term)),
                None => {
                    let zero = self.zero_index();
                    term = self.cx.terms.select(term, zero);
                }
            }
        }
        match leaf.kind {
            LeafKind::Int(int) => {
                // Signed numbers as wide as `int` may lie outside of their type, see `arith`; not before
                // an overflow, and what comes after one does not matter where it is asked for.
                let bounded = !int.signed || int.bits < 32 || self.options.overflow;
                if leaf.is_array && !clean && bounded {
                    let wide = Num::word(term, IntTy::LONG, false);
                    if self.mode == arith::IntMode::Math {
                        return Ok(Val::Num(self.arith().convert(wide, int)));
                    }
                }
                Ok(Val::Num(Num::word(term, int, bounded)))
            }
            LeafKind::Pointer(pointee) => {
                let offset = match leaf.offset {
                    Some(var) if self.pointers.has_offset(leaf.var) => {
                        let mut offset = self.step.read(&mut self.cx.terms, var);
                        if leaf.is_array {
                            let index = match place.index {
                                Some(index) => index,
                                None => self.zero_index(),
                            };
                            offset = self.cx.terms.select(offset, index);
                        }
                        Some(offset)
                    }
                    _ => None,
                };
                Ok(Val::Ptr(Ptr {
                    pointee,
                    id: term,
                    offset,
                    targets: self.pointers.targets(leaf.var),
                }))
            }
            LeafKind::Unsupported(what) => Err(self.unsupported(what, pos)),
        }
    }

    /// Stores a value of the place's type.
    pub fn write(&mut self, at: &Location, value: &Val, pos: Pos) -> Lowered<()> {
        self.check_access(at);
        self.write_unchecked(at, value, pos)
    }

    /// [`write`](Self::write) by someone else, who may know better than to leave an array.
    pub fn write_unchecked(&mut self, at: &Location, value: &Val, pos: Pos) -> Lowered<()> {
        // The places exclude one another: each is written under the condition that it is the one.
        let mut before: Vec<TermId> = Vec::new();
        for &(condition, place) in &at.places {
            let mut all = before.clone();
            all.extend(condition);
            let when = if all.is_empty() {
                None
            } else {
                Some(self.cx.terms.and(&all))
            };
            self.write_place(place, value, when, pos)?;
            if let Some(condition) = condition {
                before.push(self.cx.terms.not(condition));
            }
        }
        Ok(())
    }

    fn write_place(
        &mut self,
        place: Place,
        value: &Val,
        when: Option<TermId>,
        pos: Pos,
    ) -> Lowered<()> {
        if let Val::Record(_, parts) = value {
            if place.index.is_some() && self.has_arrays(place.ty) {
                return Err(self.unsupported("copying a struct with arrays into an array", pos));
            }
            for (i, part) in parts.iter().enumerate() {
                let leaf = place.leaf + i as u32;
                self.write_leaf(Place { leaf, ..place }, part, when, pos)?;
            }
            return Ok(());
        }
        let value = self.converted(value.clone(), place.ty, pos)?;
        self.write_leaf(place, &value, when, pos)
    }

    pub fn write_leaf(
        &mut self,
        place: Place,
        value: &Val,
        when: Option<TermId>,
        pos: Pos,
    ) -> Lowered<()> {
        let leaf = self.objects.get(place.obj).leaves[place.leaf as usize];
        match value {
            Val::Array(term) => {
                self.store(leaf.var, None, *term, when);
                return Ok(());
            }
            Val::Num(num) => {
                let term = self.arith().term(*num);
                let index = self.leaf_index(leaf.is_array, place.index);
                self.store(leaf.var, index, term, when);
            }
            Val::Ptr(pointer) => {
                let moved = pointer.offset.is_some_and(|offset| {
                    let zero = self.zero_index();
                    offset != zero
                });
                self.pointers.learn(leaf.var, &pointer.targets, moved);
                let index = self.leaf_index(leaf.is_array, place.index);
                self.store(leaf.var, index, pointer.id, when);
                if let Some(var) = leaf.offset
                    && self.pointers.has_offset(leaf.var)
                {
                    let offset = match pointer.offset {
                        Some(offset) => offset,
                        None => self.zero_index(),
                    };
                    self.store(var, index, offset, when);
                }
            }
            Val::Void | Val::Record(..) => {
                return Err(self.error("type-mismatch", "this value cannot be stored here", pos));
            }
        }
        Ok(())
    }

    fn leaf_index(&mut self, is_array: bool, index: Option<TermId>) -> Option<TermId> {
        is_array.then(|| match index {
            Some(index) => index,
            None => self.zero_index(),
        })
    }

    fn store(
        &mut self,
        var: lariat_expr::VarId,
        index: Option<TermId>,
        term: TermId,
        when: Option<TermId>,
    ) {
        let old = self.step.read(&mut self.cx.terms, var);
        let mut new = match index {
            Some(index) => self.cx.terms.store(old, index, term),
            None => term,
        };
        if let Some(when) = when {
            new = self.cx.terms.ite(when, new, old);
        }
        self.step.write(var, new);
    }
}
