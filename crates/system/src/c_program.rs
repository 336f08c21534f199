//! What a C program says beyond its transition system: the types of its variables and constants, and where its inputs
//! come from.
//!
//! Formulas over a program are C, so what they mean depends on the types: whether `x - 1 > 0` wraps around,
//! what `sizeof x` is, which variable holds `s.m[i]`. Sorts do not tell, and are not asked to.
//!
//! A run is explained to a person, and repeated by a compiled program, in terms of calls: which function without a body was
//! called where, and what it gave back. Statements alone do not tell, since an input of which only the truth matters is
//! lowered to a choice of edges, and one that is not used to nothing. So the statements that stand for inputs are listed here
//! ([`CProgram::arrivals`]). Runs of the given system contain these very statements; passes may change them, but
//! counterexamples are lifted back.

use crate::{LocId, StmtId};
use lariat_base::{FxHashMap, IdVec, Span, id_type};
use lariat_expr::{TermId, VarId};

id_type!(
    /// A type of one program.
    pub struct CTypeId, "ctype"
);
id_type!(
    /// A struct or union of one program.
    pub struct CRecordId, "record"
);

id_type!(
    /// A function of one program.
    pub struct CFunctionId, "function"
);
id_type!(
    /// A place where a value comes into one program.
    pub struct CInputId, "input"
);

/// The types, objects and constants of a program, and its inputs.
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
    /// The integer types that are enumerations, with their enumerators: what the values of their variables are called.
    pub enumerations: FxHashMap<CTypeId, Vec<(Box<str>, i128)>>,
    /// The functions that it defines or calls.
    pub functions: IdVec<CFunctionId, CFunction>,
    /// Where values come in, in the order in which the program evaluates them along any of its paths.
    pub inputs: IdVec<CInputId, CInput>,
    /// The statements that bring an input in. Both branches of a condition have statements for the inputs in it.
    pub arrivals: FxHashMap<StmtId, (CInputId, CArrival)>,
    /// The statements of the source whose effects are all in one step: what is evaluated, and where the statement starts.
    pub statements: FxHashMap<Span, u32>,
    /// Where it hangs, if the program says where it is observed and that is asked.
    pub hanging: Option<CHanging>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct CFunction {
    /// Its name.
    pub name: Box<str>,
    /// Its body, if it has one.
    pub body: Option<Span>,
    /// Whether the source declares it.
    pub declared: bool,
    /// What a call of it does.
    pub role: CRole,
}

/// What a call of a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CRole {
    /// What its body says.
    Body,
    /// It is not known: its result is an input, and so is what it stores through its pointers.
    Input,
    /// As [`CRole::Input`], but what it is called for is invisible to the program (`printf`).
    Silent,
    /// Leaves out the runs in which its argument is zero.
    Assume,
    /// Marks the states that formulas read (`__VERIFIER_ltl_step`).
    Step,
    /// Is an error.
    Error,
    /// Is an error if its argument is zero.
    Assert,
    /// No function: a volatile object of this name, whose reads are inputs.
    Volatile,
    /// What the library says, or it is never called in a run.
    Other,
}

/// A place where a value comes in.
#[derive(Clone, Debug)]
pub struct CInput {
    /// The function that is called.
    pub function: CFunctionId,
    /// The call; the inputs of one call have the same number.
    pub call: u32,
    /// The text of the call.
    pub span: Span,
    /// What of the call it is.
    pub part: CPart,
    /// The type of the value; of a pointer none.
    pub int: Option<CInt>,
    /// Its variable in `when` of inputs that are evaluated later.
    pub var: Option<VarId>,
    /// Under which condition on the state at the arrival the call is made at all, as in `x && rd()`.
    pub when: Option<TermId>,
}

/// What of a call an input is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CPart {
    /// Its result.
    Result,
    /// What it stores where this argument (by position and text) points to.
    Target(u32, Span),
    /// No value: only that it was called.
    Nothing,
}

/// Which value a statement brings in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CArrival {
    /// The one that the statement gives to its variable.
    Stored,
    /// A branch that is for all values but zero, or for zero.
    Tested(bool),
    /// Any: it is not used.
    Unused,
}

impl CProgram {
    /// Whether a variable of the system is none of the program: formulas read it.
    pub fn is_latch(&self, var: VarId) -> bool {
        let mut leaves = self.objects.iter().flat_map(|object| &object.leaves);
        let is_start = |hanging: &CHanging| hanging.at_start == var;
        self.hanging.as_ref().is_some_and(is_start)
            || leaves.any(|leaf| leaf.latch == Some(var) || leaf.offset_latch == Some(var))
    }

    /// The function whose body a place lies in.
    pub fn function_at(&self, at: u32) -> Option<&CFunction> {
        let inside = |body: Span| body.start <= at && at < body.end;
        let mut functions = self.functions.iter();
        functions.find(|function| function.body.is_some_and(inside))
    }
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
    /// Where it is defined.
    pub linkage: CLinkage,
}

/// Where an object is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CLinkage {
    /// In a function.
    Local,
    /// In the program, outside of functions.
    Global,
    /// Outside of the program.
    Extern,
}

/// What holds a scalar, or one scalar of each element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CLeaf {
    /// The value; of a pointer the number of its target.
    pub var: VarId,
    /// Where a pointer stands in the array it points into, if it ever leaves the first element.
    pub offset: Option<VarId>,
    /// What formulas read instead of `var`, if not that.
    pub latch: Option<VarId>,
    /// What they read instead of `offset`.
    pub offset_latch: Option<VarId>,
}

/// The part of a system whose infinite runs are those that come to no further `__VERIFIER_ltl_step()`, with the last letter
/// repeated. What is observed there counts only for a run that goes on for ever.
#[derive(Clone, Debug)]
pub struct CHanging {
    /// True if the run comes to no such step at all, and reads the initial values.
    pub at_start: VarId,
    /// Its locations.
    pub locations: Vec<LocId>,
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
