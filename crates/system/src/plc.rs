//! What a program of a programmable logic controller says beyond its transition system: the types of its variables, and
//! which of them are inputs.
//!
//! Formulas over such a program are expressions of its language, so what they mean depends on the types: a comparison of
//! words is one without sign. Sorts do not tell.

use lariat_expr::{SortId, VarId};

/// The variables of a program.
#[derive(Clone, Debug, Default)]
pub struct Plc {
    /// Whether integers are bit-vectors, rather than mathematical.
    pub bit_precise: bool,
    /// What holds values, in the order of the declarations.
    pub leaves: Vec<PlcLeaf>,
    /// Enumerations by their names.
    pub enums: Vec<(Box<str>, SortId)>,
    /// Constants with their values, as text that reads back.
    pub constants: Vec<PlcConstant>,
    /// The instances of blocks and what they are instances of.
    pub instances: Vec<(Box<str>, Box<str>)>,
    /// How long the last cycle took, if that matters.
    pub cycle: Option<VarId>,
}

/// An elementary variable, a member or an element.
#[derive(Clone, Debug)]
pub struct PlcLeaf {
    /// Its full name, such as `T1.Q` or `a[2].x`.
    pub name: Box<str>,
    /// The variable of the system.
    pub var: VarId,
    /// Its type.
    pub ty: PlcType,
    /// Whether it takes any value at the start of each scan.
    pub input: bool,
    /// Whether it is nothing that the program's text names for its user: a memory inside of a standard block, a local
    /// variable of a function.
    pub hidden: bool,
    /// The least and the greatest value it may have, if its type is a part of another.
    pub range: Option<(i128, i128)>,
}

impl Plc {
    /// Whether a variable of the system is of no interest to a user: it is hidden, or one of a copy.
    pub fn is_hidden(&self, var: VarId) -> bool {
        let mut leaves = self.leaves.iter();
        leaves
            .find(|leaf| leaf.var == var)
            .is_none_or(|leaf| leaf.hidden)
    }
}

/// A constant.
#[derive(Clone, Debug)]
pub struct PlcConstant {
    /// Its name.
    pub name: Box<str>,
    /// Its value.
    pub value: lariat_expr::TermId,
    /// Its type.
    pub ty: PlcType,
}

/// An elementary type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlcType {
    /// `BOOL`.
    Bool,
    /// `SINT` to `ULINT`.
    Int {
        /// The width.
        bits: u32,
        /// Whether there are negative values.
        signed: bool,
    },
    /// `BYTE` to `LWORD`.
    Bits(u32),
    /// `REAL` and `LREAL`: a rational number.
    Real,
    /// `TIME`: milliseconds.
    Time,
    /// An enumeration.
    Enum(SortId),
}

impl PlcType {
    /// The least and the greatest number of an integer type or a time.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Int { bits, signed: true } => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Self::Int { bits, .. } | Self::Bits(bits) => Some((0, (1 << bits) - 1)),
            Self::Time => Some((i128::from(i32::MIN), i128::from(i32::MAX))),
            Self::Bool | Self::Real | Self::Enum(_) => None,
        }
    }
}
