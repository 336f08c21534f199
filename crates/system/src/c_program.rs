//! What a C program says of its variables and constants beyond their sorts: their types.
//!
//! Formulas over a program are C, so what they mean depends on these: whether `x - 1 > 0` wraps around,
//! what `sizeof x` is, which variable holds `s.m[i]`. Sorts do not tell, and are not asked to.

use lariat_base::{IdVec, id_type};
use lariat_expr::VarId;

id_type!(
    /// A type of one program.
    pub struct CTypeId, "ctype"
);
id_type!(
    /// A struct or union of one program.
    pub struct CRecordId, "record"
);

/// The types, objects and constants of a program.
#[derive(Clone, Debug, Default)]
pub struct CProgram {
    /// Whether numbers are bit-vectors, rather than mathematical integers.
    pub bit_precise: bool,
    /// Types; what one is made of stands before it, but for the members of records.
    pub types: IdVec<CTypeId, CType>,
    /// Structs and unions.
    pub records: IdVec<CRecordId, CRecord>,
    /// The objects that its variables belong to.
    pub objects: Vec<CObject>,
    /// Enumerators, and macros that stand for constants.
    pub constants: Vec<CConstant>,
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CInt {
    /// Its width; that of `_Bool` is 1.
    pub bits: u32,
    /// Whether it has negative values.
    pub signed: bool,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CType {
    /// `void`.
    Void,
    /// An integer.
    Int(CInt),
    /// A floating-point number.
    Float,
    /// A pointer to this.
    Pointer(CTypeId),
    /// An array of this, with the number of elements if it is known.
    Array(CTypeId, Option<u64>),
    /// A struct or union.
    Record(CRecordId),
    /// A function with this result.
    Function(CTypeId),
    /// Something without a meaning here, and what it is.
    Unsupported(&'static str),
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct CRecord {
    /// Whether its members share their memory.
    pub is_union: bool,
    /// Its members, if it is complete.
    pub fields: Option<Vec<CField>>,
}

/// A member.
#[derive(Clone, Debug)]
pub struct CField {
    /// Its name; the members of one without a name are reached through it.
    pub name: Option<Box<str>>,
    /// Its type.
    pub ty: CTypeId,
    /// The width of a bit-field.
    pub bits: Option<u32>,
}

/// A variable of the program, also if several of the system hold it.
#[derive(Clone, Debug)]
pub struct CObject {
    /// Its name in formulas.
    pub name: Box<str>,
    /// Its type.
    pub ty: CTypeId,
    /// The variables of its scalars, in the order of the members.
    pub leaves: Vec<CLeaf>,
    /// Whether it holds values of its type from the start.
    pub clean: bool,
}

/// What holds a scalar, or one scalar of each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CLeaf {
    /// The value; of a pointer the number of its target.
    pub var: VarId,
    /// Where a pointer stands in the array it points into, if it ever leaves the first element.
    pub offset: Option<VarId>,
}

/// A named constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CConstant {
    /// Its name.
    pub name: Box<str>,
    /// Its value.
    pub value: i128,
    /// Its type.
    pub int: CInt,
}
