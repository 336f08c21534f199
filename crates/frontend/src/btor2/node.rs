//! Values of nodes: bit-vectors, of which those of width one are truth values, and arrays.

use lariat_expr::{BvOp, Int, Op, SortId, TermId, Terms, Value};

/// What a sort line declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Bits(u32),
    /// Widths of the indices and of the elements.
    Array(u32, u32),
}

impl Sort {
    /// The sort of a variable.
    pub fn sort(self, terms: &mut Terms) -> SortId {
        match self {
            Self::Bits(1) => terms.sorts.bool(),
            Self::Bits(width) => terms.sorts.bv(width),
            Self::Array(index, element) => {
                let (index, element) = (terms.sorts.bv(index), terms.sorts.bv(element));
                terms.sorts.array(index, element)
            }
        }
    }

    /// As people write it.
    pub fn describe(self) -> String {
        match self {
            Self::Bits(width) => format!("a bit-vector of width {width}"),
            Self::Array(index, element) => {
                format!("an array of width {element} with indices of width {index}")
            }
        }
    }
}

/// A value: a term of [`Sort::sort`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub sort: Sort,
    pub term: TermId,
}

impl Node {
    /// A truth value.
    pub fn truth(term: TermId) -> Self {
        let sort = Sort::Bits(1);
        Self { sort, term }
    }

    /// A bit-vector, of a term of that sort; of width one it becomes a truth value.
    pub fn vector(terms: &mut Terms, width: u32, term: TermId) -> Self {
        let sort = Sort::Bits(width);
        let term = if width == 1 { bit(terms, term) } else { term };
        Self { sort, term }
    }

    /// A constant, taken modulo two to the power of its width.
    pub fn constant(terms: &mut Terms, width: u32, value: &Int) -> Self {
        let value = value.mod_euclid(&Int::power_of_two(width));
        let sort = terms.sorts.bv(width);
        let term = terms.lit(Value::Bv(value), sort);
        Self::vector(terms, width, term)
    }

    /// The bit-vector as a term of that sort, of width one, too.
    pub fn bits(self, terms: &mut Terms) -> TermId {
        match self.sort {
            Sort::Bits(1) => {
                let [zero, one] = [0, 1].map(|bit| vector_of(terms, bit));
                terms.ite(self.term, one, zero)
            }
            _ => self.term,
        }
    }

    /// Its bitwise complement.
    pub fn complement(self, terms: &mut Terms) -> Self {
        let term = match self.sort {
            Sort::Bits(1) => terms.not(self.term),
            _ => op(terms, BvOp::Not, &[self.term]),
        };
        Self { term, ..self }
    }
}

/// Whether a vector of width one is 1.
fn bit(terms: &mut Terms, vector: TermId) -> TermId {
    let one = vector_of(terms, 1);
    if let Some(&[condition, then, otherwise]) = terms.as_op(vector, Op::Ite)
        && terms.as_lit(then).is_some()
        && terms.as_lit(otherwise).is_some()
    {
        let (then, otherwise) = (then == one, otherwise == one);
        let [then, otherwise] = [then, otherwise].map(|value| terms.bool(value));
        return terms.ite(condition, then, otherwise);
    }
    terms.eq(vector, one)
}

fn vector_of(terms: &mut Terms, bit: i64) -> TermId {
    let sort = terms.sorts.bv(1);
    terms.lit(Value::Bv(Int::from(bit)), sort)
}

/// An operator of bit-vectors on operands that fit it.
pub(super) fn op(terms: &mut Terms, op: BvOp, args: &[TermId]) -> TermId {
    terms
        .build(Op::Bv(op), args)
        .expect("the widths were checked")
}
