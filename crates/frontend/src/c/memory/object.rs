//! Objects: what C variables are made of.
//!
//! A scalar is one variable of the system. A struct is one variable for each scalar member, named
//! `s.member`. An array, also of structs, turns each of these *leaves* into an array of the system,
//! read at one index: that of `a[i][j]` with rows of `n` elements is `i * n + j`. A pointer is the
//! number of its target, and where it may point into an array, an offset beside it.

use crate::c::integer::arith::{Arith, IntMode};
use crate::c::syntax::token::{Sym, Symbols};
use crate::c::types::{IntTy, Ty, Type, Types};
use lariat_base::{FxHashMap, Span};
use lariat_expr::{TermId, Terms, VarId};

/// The most leaves of one object, and the deepest nesting of structs.
const MAX_LEAVES: usize = 4096;
const MAX_NESTING: u32 = 40;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::c) struct ObjId(pub u32);

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum LeafKind {
    Int(IntTy),
    Pointer(Ty),
    Unsupported(&'static str),
}

/// One scalar of an object, or one for each element.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) struct Leaf {
    pub var: VarId,
    pub kind: LeafKind,
    pub is_array: bool,
    /// Where a pointer stands in the array it points into.
    pub offset: Option<VarId>,
    /// Whether something outside may change it.
    pub volatile: bool,
}

#[derive(Clone, Debug)]
pub(in crate::c) struct Object {
    pub name: Box<str>,
    pub ty: Ty,
    pub leaves: Vec<Leaf>,
    pub span: Option<Span>,
    /// Whether it always holds values of its type: it was never without a value.
    pub clean: bool,
}

/// A part of an object. Of an array's element the index is known.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) struct Place {
    pub obj: ObjId,
    pub leaf: u32,
    pub ty: Ty,
    pub index: Option<TermId>,
}

/// The objects of a program.
#[derive(Debug, Default)]
pub(in crate::c) struct Objects {
    pub list: Vec<Object>,
    names: FxHashMap<Box<str>, u32>,
    /// The object and leaf of each variable.
    pub of_var: FxHashMap<VarId, (ObjId, u32)>,
}

/// An object that cannot be made, and why.
pub(in crate::c) struct NoObject(pub &'static str);

impl Objects {
    pub fn get(&self, obj: ObjId) -> &Object {
        &self.list[obj.0 as usize]
    }

    /// Whether a name is in use.
    pub fn is_used(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Makes an object under a name that no other has.
    pub fn add(
        &mut self,
        (terms, mode): (&mut Terms, IntMode),
        (types, symbols): (&Types, &Symbols),
        name: &str,
        ty: Ty,
        span: Option<Span>,
    ) -> Result<ObjId, NoObject> {
        let mut full = name.to_owned();
        let count = self.names.entry(name.into()).or_insert(0);
        *count += 1;
        if *count > 1 {
            full = format!("{name}#{count}");
        }
        let shapes = shapes(types, symbols, ty, &full)?;
        let obj = ObjId(self.list.len() as u32);
        let mut leaves = Vec::new();
        for (name, kind, (is_array, volatile)) in shapes {
            let mut arith = Arith {
                terms: &mut *terms,
                mode,
            };
            let mut sort = match kind {
                LeafKind::Int(int) => arith.sort(int),
                _ => arith.terms.sorts.int(),
            };
            let mut offset_sort = arith.index_sort();
            if is_array {
                let index = arith.index_sort();
                sort = terms.sorts.array(index, sort);
                offset_sort = terms.sorts.array(index, offset_sort);
            }
            let var = terms.declare(&name, sort);
            let offset = matches!(kind, LeafKind::Pointer(_))
                .then(|| terms.declare(&format!("{name}.offset"), offset_sort));
            self.of_var.insert(var, (obj, leaves.len() as u32));
            leaves.push(Leaf {
                var,
                kind,
                is_array,
                offset,
                volatile,
            });
        }
        self.list.push(Object {
            name: full.into(),
            ty,
            leaves,
            span,
            clean: true,
        });
        Ok(obj)
    }
}

/// The name of each leaf, what it is, and whether there is one for each element and it is volatile.
type Shapes = Vec<(String, LeafKind, (bool, bool))>;

/// The leaves of an object.
pub(in crate::c) fn shapes(
    types: &Types,
    symbols: &Symbols,
    ty: Ty,
    name: &str,
) -> Result<Shapes, NoObject> {
    let mut shapes = Vec::new();
    let how = (false, false);
    shape(types, symbols, ty, name, how, MAX_NESTING, &mut shapes)?;
    Ok(shapes)
}

/// The leaves of a type.
fn shape(
    types: &Types,
    symbols: &Symbols,
    ty: Ty,
    name: &str,
    (is_array, volatile): (bool, bool),
    depth: u32,
    out: &mut Shapes,
) -> Result<(), NoObject> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(NoObject("a type that is nested so deep"));
    };
    if out.len() >= MAX_LEAVES {
        return Err(NoObject("an object with so many members"));
    }
    let volatile = volatile || ty.is_volatile();
    let kind = match types.get(ty) {
        Type::Int(int) => LeafKind::Int(*int),
        Type::Ptr(to) => LeafKind::Pointer(*to),
        Type::Float => LeafKind::Unsupported("a floating-point number"),
        Type::Unsupported(what) => LeafKind::Unsupported(what),
        Type::Void => return Err(NoObject("an object of type `void`")),
        Type::Function(_) => return Err(NoObject("a function as an object")),
        Type::Array(element, _) => {
            let how = (true, volatile);
            return shape(types, symbols, *element, name, how, depth, out);
        }
        Type::Record(id) => {
            let record = types.record(*id);
            if record.is_union {
                let kind = LeafKind::Unsupported("a union");
                out.push((name.to_owned(), kind, (is_array, volatile)));
                return Ok(());
            }
            let Some(fields) = &record.fields else {
                return Err(NoObject("an object of an incomplete type"));
            };
            for field in fields {
                let name = match field.name {
                    Some(field) => format!("{name}.{}", symbols.text(field)),
                    None => name.to_owned(),
                };
                if field.bits.is_some() {
                    let kind = LeafKind::Unsupported("a bit-field");
                    out.push((name, kind, (is_array, volatile)));
                    continue;
                }
                let how = (is_array, volatile);
                shape(types, symbols, field.ty, &name, how, depth, out)?;
            }
            return Ok(());
        }
    };
    out.push((name.to_owned(), kind, (is_array, volatile)));
    Ok(())
}

/// How many leaves a type has; objects of the type exist, so it is finite.
pub(in crate::c) fn n_leaves(types: &Types, ty: Ty) -> u32 {
    match types.get(ty) {
        Type::Array(element, _) => n_leaves(types, *element),
        Type::Record(id) if !types.record(*id).is_union => {
            let fields = types.record(*id).fields.as_deref().unwrap_or(&[]);
            let each = fields.iter().map(|field| match field.bits {
                Some(_) => 1,
                None => n_leaves(types, field.ty),
            });
            each.sum()
        }
        _ => 1,
    }
}

/// A member of a struct: the leaf it starts at, and its type. Members of members without a name count.
pub(in crate::c) fn member(types: &Types, ty: Ty, name: Sym) -> Option<(u32, Ty)> {
    let Type::Record(id) = types.get(ty) else {
        return None;
    };
    let record = types.record(*id);
    if record.is_union {
        return None;
    }
    let mut start = 0;
    for field in record.fields.as_deref()? {
        if field.name == Some(name) {
            return Some((start, field.ty));
        }
        if field.name.is_none()
            && let Some((inner, ty)) = member(types, field.ty, name)
        {
            return Some((start + inner, ty));
        }
        start += match field.bits {
            Some(_) => 1,
            None => n_leaves(types, field.ty),
        };
    }
    None
}
