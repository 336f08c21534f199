//! Values as integers: what the compiled code computes with and the store packs.
//!
//! Booleans, literals, integers and narrow bit-vectors are their own code. Values of other sorts
//! (rationals, arrays, wide bit-vectors) are interned, and their code is the position in that table.
//! An integer that is no machine word is interned too; its code counts up from the least machine
//! word, and the few integers that lie there themselves are treated the same way. States with such a
//! code cannot be run as code and go through the interpreter.

use super::layout::Width;
use lariat_base::{Id, Interner, id_type};
use lariat_expr::{Int, Sort, SortId, Sorts, Value};
use lariat_system::{Context, PointId, State, Variable, from_register, to_register};

id_type!(
    /// An interned value.
    struct ValueId, "v"
);

/// Integers below this are interned.
const LEAST: i64 = i64::MIN + (1 << 32);
/// Bit-vectors up to this many bits are their own code.
const NARROW: u32 = 62;

/// The codes of the values of each variable.
#[derive(Debug)]
pub(super) struct Codes {
    sorts: Vec<SortId>,
    kinds: Vec<Kind>,
    table: Interner<ValueId, Value>,
    has_long: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// What the machine computes with.
    Register,
    /// The bits of a bit-vector.
    Bits,
    /// A position in the table.
    Table,
}

impl Codes {
    /// The codes for these variables.
    pub fn new(cx: &Context, variables: &[Variable]) -> Self {
        let sorts: Vec<SortId> = variables.iter().map(|v| cx.terms.var_sort(v.var)).collect();
        let kind = |&sort: &SortId| match cx.terms.sorts.get(sort) {
            Sort::Bool | Sort::Int | Sort::Enum(_) => Kind::Register,
            Sort::Bv(width) if *width <= NARROW => Kind::Bits,
            Sort::Bv(_) | Sort::Rat | Sort::Array { .. } => Kind::Table,
        };
        Self {
            kinds: sorts.iter().map(kind).collect(),
            sorts,
            table: Interner::new(),
            has_long: false,
        }
    }

    /// The expected widths of the codes.
    pub fn widths(&self, cx: &Context, variables: &[Variable]) -> Vec<Width> {
        let width = |(i, variable): (usize, &Variable)| {
            let range = variable.range.as_ref();
            let range = range.and_then(|(low, high)| Some((low.to_i64()?, high.to_i64()?)));
            match (cx.terms.sorts.get(self.sorts[i]), range) {
                (Sort::Bool, _) => Width::range(0, 1),
                (Sort::Enum(decl), _) => Width::range(0, i64::from(decl.literals.len() as u32) - 1),
                (Sort::Bv(width), _) if *width <= NARROW => Width::range(0, (1 << width) - 1),
                (Sort::Int, Some((low, high))) if low <= high => Width::range(low, high),
                (Sort::Int, _) => Width::UNKNOWN,
                (Sort::Bv(_) | Sort::Rat | Sort::Array { .. }, _) => Width::GROWING,
            }
        };
        variables.iter().enumerate().map(width).collect()
    }

    /// The code of a value of the `i`-th variable.
    pub fn encode(&mut self, i: usize, value: &Value) -> i64 {
        match (self.kinds[i], value) {
            (Kind::Table, _) => code_of(self.table.intern(value.clone())),
            (Kind::Bits, Value::Bv(bits)) => bits.to_i64().expect("a narrow bit-vector"),
            _ => match to_register(value).filter(|&code| code >= LEAST) {
                Some(code) => code,
                None => {
                    self.has_long = true;
                    i64::MIN + code_of(self.table.intern(value.clone()))
                }
            },
        }
    }

    /// The value of the `i`-th variable that a code stands for.
    pub fn decode(&self, sorts: &Sorts, i: usize, code: i64) -> Value {
        let interned = |code: i64| self.table[id_of::<ValueId>(code)].clone();
        match self.kinds[i] {
            Kind::Table => interned(code),
            Kind::Bits => Value::Bv(Int::from(code)),
            Kind::Register if code < LEAST => interned(code.wrapping_sub(i64::MIN)),
            Kind::Register => from_register(sorts, self.sorts[i], code),
        }
    }

    /// The state with these codes.
    pub fn state(&self, cx: &Context, loc: PointId, codes: &[i64]) -> State {
        let decode = |(i, &code)| self.decode(&cx.terms.sorts, i, code);
        State {
            loc,
            values: codes.iter().enumerate().map(decode).collect(),
        }
    }

    /// Whether the machine may compute with these codes.
    pub fn are_registers(&self, codes: &[i64]) -> bool {
        !self.has_long || Self::are_short(codes)
    }

    /// Whether what the machine computed can be stored as it is.
    pub fn are_short(codes: &[i64]) -> bool {
        codes.iter().all(|&code| code >= LEAST)
    }
}

/// An id as a code.
pub(super) fn code_of(id: impl Id) -> i64 {
    i64::from(id.index() as u32)
}

/// A code as the id that it was made from.
pub(super) fn id_of<I: Id>(code: i64) -> I {
    I::from_index(code.cast_unsigned() as usize)
}
