//! Integers of C as terms, in two readings.
//!
//! [`IntMode::Math`]: signed integers are mathematical, a value that leaves its type is kept as it is;
//! unsigned ones, and conversions to a narrower type, wrap around. Wrapping is written as a case
//! split where the value is known to be at most one turn away, so that the solver rarely meets `mod`:
//! each number carries the range it is known to lie in. [`IntMode::BitPrecise`]: every number is a
//! bit-vector of its type's width.

use crate::c::integer::fold;
use crate::c::syntax::ast::Binary;
use crate::c::types::{IntTy, int_of};
use lariat_expr::{BvOp, Op, SortId, TermId, Terms, Value};

/// How integers are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum IntMode {
    /// Signed integers are mathematical, unsigned ones wrap.
    #[default]
    Math,
    /// Two's complement of the declared width.
    BitPrecise,
}

/// What a number is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rep {
    /// One if the truth value is true, else zero.
    Truth(TermId),
    Word(TermId),
}

/// A number with its type and what is known of its value.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) struct Num {
    rep: Rep,
    pub int: IntTy,
    range: Option<(i128, i128)>,
}

impl Num {
    /// A term of the type's sort; whether it is known to lie in the type's range.
    pub fn word(term: TermId, int: IntTy, in_range: bool) -> Self {
        let range = in_range.then(|| int.range());
        Self {
            rep: Rep::Word(term),
            int,
            range,
        }
    }

    /// One or zero.
    pub fn truth(truth: TermId) -> Self {
        Self {
            rep: Rep::Truth(truth),
            int: IntTy::INT,
            range: Some((0, 1)),
        }
    }

    /// Between what it is known to lie.
    pub fn range(self) -> Option<(i128, i128)> {
        self.range
    }

    /// The value, if it is constant.
    pub fn value(self) -> Option<i128> {
        match self.range {
            Some((low, high)) if low == high => Some(low),
            _ => None,
        }
    }
}

/// Arithmetic on terms.
pub(in crate::c) struct Arith<'a> {
    pub terms: &'a mut Terms,
    pub mode: IntMode,
}

/// An operation that has no meaning in integer arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) struct NeedsBits;

/// Ranges beyond this are not followed.
const FAR: i128 = 1 << 100;

impl Arith<'_> {
    /// The sort of the variables of a type.
    pub fn sort(&mut self, int: IntTy) -> SortId {
        match self.mode {
            IntMode::Math => self.terms.sorts.int(),
            IntMode::BitPrecise => self.terms.sorts.bv(int.bits),
        }
    }

    /// The sort that arrays are indexed with.
    pub fn index_sort(&mut self) -> SortId {
        self.sort(IntTy::LONG)
    }

    pub fn constant(&mut self, value: i128, int: IntTy) -> Num {
        let value = fold::wrap(value, int).value;
        let term = match self.mode {
            IntMode::Math => self.terms.int(int_of(value)),
            IntMode::BitPrecise => {
                let sort = self.terms.sorts.bv(int.bits);
                let bits = int_of(value).mod_euclid(&lariat_expr::Int::power_of_two(int.bits));
                self.terms.lit(Value::Bv(bits), sort)
            }
        };
        Num {
            rep: Rep::Word(term),
            int,
            range: Some((value, value)),
        }
    }

    /// The number as a term of its type's sort.
    pub fn term(&mut self, num: Num) -> TermId {
        match num.rep {
            Rep::Word(term) => term,
            Rep::Truth(truth) => {
                let (one, zero) = (self.constant(1, num.int), self.constant(0, num.int));
                let (one, zero) = (self.term(one), self.term(zero));
                self.terms.ite(truth, one, zero)
            }
        }
    }

    /// Whether the number is not zero.
    pub fn is_true(&mut self, num: Num) -> TermId {
        match num.rep {
            Rep::Truth(truth) => truth,
            Rep::Word(term) => {
                if let Some(truth) = self.stored_truth(term) {
                    return truth;
                }
                let zero = self.constant(0, num.int);
                let zero = self.term(zero);
                let equal = self.terms.eq(term, zero);
                self.terms.not(equal)
            }
        }
    }

    /// The truth value behind a choice between one and zero.
    fn stored_truth(&mut self, term: TermId) -> Option<TermId> {
        let &[condition, then, otherwise] = self.terms.as_op(term, Op::Ite)? else {
            return None;
        };
        let is_zero = |term: TermId| match self.terms.as_lit(term)? {
            Value::Int(value) | Value::Bv(value) => Some(value.is_zero()),
            _ => None,
        };
        match (is_zero(then)?, is_zero(otherwise)?) {
            (false, true) => Some(condition),
            (true, false) => Some(self.terms.not(condition)),
            (both, _) => Some(self.terms.bool(!both)),
        }
    }

    /// The number as an index of arrays.
    pub fn index(&mut self, num: Num) -> TermId {
        let wide = match self.mode {
            IntMode::Math => num,
            IntMode::BitPrecise => self.convert(num, IntTy::LONG),
        };
        self.term(wide)
    }

    /// The number as a mathematical integer.
    pub fn integer(&mut self, num: Num) -> TermId {
        let term = self.term(num);
        match self.mode {
            IntMode::Math => term,
            IntMode::BitPrecise => self.bv(BvOp::ToNat, &[term]),
        }
    }

    /// A mathematical integer as a number of a type.
    pub fn of_integer(&mut self, term: TermId, int: IntTy) -> Num {
        match self.mode {
            IntMode::Math if int.signed => Num::word(term, int, false),
            IntMode::Math => self.wrapped(term, None, int),
            IntMode::BitPrecise => {
                let term = self.bv(BvOp::OfInt(int.bits), &[term]);
                Num::word(term, int, true)
            }
        }
    }

    /// The number in another type.
    pub fn convert(&mut self, num: Num, to: IntTy) -> Num {
        if to == IntTy::BOOL {
            let truth = self.is_true(num);
            return Num {
                int: to,
                ..Num::truth(truth)
            };
        }
        if let Rep::Truth(_) = num.rep {
            return Num { int: to, ..num };
        }
        let Rep::Word(term) = num.rep else {
            return num;
        };
        match self.mode {
            IntMode::Math => {
                let from = num.int;
                // Widening keeps the value, known range or not.
                let keeps =
                    to.signed && (to.bits > from.bits || (from.signed && to.bits >= from.bits));
                if keeps {
                    return Num { int: to, ..num };
                }
                if let Some(value) = num.value() {
                    return self.constant(value, to);
                }
                self.wrapped(term, num.range, to)
            }
            IntMode::BitPrecise => {
                if let Some(value) = num.value() {
                    return self.constant(value, to);
                }
                let op = if to.bits < num.int.bits {
                    BvOp::Extract {
                        high: to.bits - 1,
                        low: 0,
                    }
                } else if num.int.signed {
                    BvOp::Sext(to.bits)
                } else {
                    BvOp::Zext(to.bits)
                };
                let range = num.range.filter(|&range| within(range, to.range()));
                Num {
                    rep: Rep::Word(self.bv(op, &[term])),
                    int: to,
                    range,
                }
            }
        }
    }

    /// An integer term brought into the range of a type.
    fn wrapped(&mut self, term: TermId, range: Option<(i128, i128)>, to: IntTy) -> Num {
        let (low, high) = to.range();
        let turn = high - low + 1;
        let word = |term, range| Num {
            rep: Rep::Word(term),
            int: to,
            range: Some(range),
        };
        match range {
            Some(range) if within(range, (low, high)) => word(term, range),
            Some((least, most)) if least >= low - turn && most <= high + turn => {
                let t = self.terms.int(int_of(turn));
                let mut result = term;
                if most > high {
                    let (limit, less) = (self.terms.int(int_of(high)), self.terms.sub(term, t));
                    let over = self.terms.lt(limit, term);
                    result = self.terms.ite(over, less, result);
                }
                if least < low {
                    let (limit, more) = (self.terms.int(int_of(low)), self.terms.add(&[term, t]));
                    let under = self.terms.lt(term, limit);
                    result = self.terms.ite(under, more, result);
                }
                word(result, (low, high))
            }
            _ => {
                let (low_term, t) = (self.terms.int(int_of(low)), self.terms.int(int_of(turn)));
                let shifted = self.terms.sub(term, low_term);
                let rest = self.op(Op::Mod, &[shifted, t]);
                word(self.terms.add(&[rest, low_term]), (low, high))
            }
        }
    }

    /// A prefix operator other than `!`, `*` and `&`.
    pub fn negate(&mut self, num: Num) -> Num {
        let zero = self.constant(0, num.int.promoted());
        self.binary(Binary::Sub, zero, num)
            .expect("subtraction has a meaning in every mode")
    }

    pub fn complement(&mut self, num: Num) -> Num {
        let num = self.convert(num, num.int.promoted());
        if self.mode == IntMode::BitPrecise && num.value().is_none() {
            let term = self.term(num);
            let not = self.bv(BvOp::Not, &[term]);
            return Num::word(not, num.int, true);
        }
        let minus_one = self.constant(-1, num.int);
        self.binary(Binary::Sub, minus_one, num)
            .expect("subtraction has a meaning in every mode")
    }

    /// An infix operator, with the conversions of its operands.
    pub fn binary(&mut self, op: Binary, left: Num, right: Num) -> Result<Num, NeedsBits> {
        if matches!(op, Binary::Shl | Binary::Shr) {
            let left = self.convert(left, left.int.promoted());
            let right = self.convert(right, right.int.promoted());
            return self.shift(op, left, right);
        }
        if let (Binary::Eq | Binary::Ne, Rep::Truth(a), Rep::Truth(b)) = (op, left.rep, right.rep) {
            let same = self.terms.eq(a, b);
            let truth = if op == Binary::Eq {
                same
            } else {
                self.terms.not(same)
            };
            return Ok(Num::truth(truth));
        }
        if let (Binary::Eq | Binary::Ne, Some(value @ (0 | 1)), Rep::Truth(a)) =
            (op, right.value(), left.rep)
        {
            let holds = (op == Binary::Eq) == (value == 1);
            let truth = if holds { a } else { self.terms.not(a) };
            return Ok(Num::truth(truth));
        }
        let int = left.int.common(right.int);
        let (left, right) = (self.convert(left, int), self.convert(right, int));
        if op.is_comparison() {
            return Ok(self.compare(op, left, right));
        }
        if matches!(op, Binary::And | Binary::Or | Binary::Xor)
            && let (Rep::Truth(a), Rep::Truth(b)) = (left.rep, right.rep)
        {
            let truth = match op {
                Binary::And => self.terms.and(&[a, b]),
                Binary::Or => self.terms.or(&[a, b]),
                _ => {
                    let same = self.terms.eq(a, b);
                    self.terms.not(same)
                }
            };
            return Ok(Num {
                int,
                ..Num::truth(truth)
            });
        }
        match self.mode {
            IntMode::BitPrecise => Ok(self.binary_bits(op, left, right)),
            IntMode::Math => self.binary_math(op, left, right),
        }
    }

    fn compare(&mut self, op: Binary, left: Num, right: Num) -> Num {
        let signed = left.int.signed;
        let (a, b) = (self.term(left), self.term(right));
        let truth = match op {
            Binary::Eq => self.terms.eq(a, b),
            Binary::Ne => {
                let same = self.terms.eq(a, b);
                self.terms.not(same)
            }
            Binary::Lt => self.less(a, b, signed),
            Binary::Gt => self.less(b, a, signed),
            Binary::Ge => {
                let less = self.less(a, b, signed);
                self.terms.not(less)
            }
            _ => {
                let less = self.less(b, a, signed);
                self.terms.not(less)
            }
        };
        Num::truth(truth)
    }

    fn less(&mut self, a: TermId, b: TermId, signed: bool) -> TermId {
        match (self.mode, signed) {
            (IntMode::Math, _) => self.terms.lt(a, b),
            (IntMode::BitPrecise, true) => self.bv(BvOp::Slt, &[a, b]),
            (IntMode::BitPrecise, false) => self.bv(BvOp::Ult, &[a, b]),
        }
    }

    fn binary_bits(&mut self, op: Binary, left: Num, right: Num) -> Num {
        let int = left.int;
        let op = match (op, int.signed) {
            (Binary::Add, _) => BvOp::Add,
            (Binary::Sub, _) => BvOp::Sub,
            (Binary::Mul, _) => BvOp::Mul,
            (Binary::Div, true) => BvOp::Sdiv,
            (Binary::Div, false) => BvOp::Udiv,
            (Binary::Rem, true) => BvOp::Srem,
            (Binary::Rem, false) => BvOp::Urem,
            (Binary::And, _) => BvOp::And,
            (Binary::Or, _) => BvOp::Or,
            _ => BvOp::Xor,
        };
        let (a, b) = (self.term(left), self.term(right));
        let term = self.bv(op, &[a, b]);
        self.word_or_literal(term, int)
    }

    /// The number that a bit-vector term is; its value if it is a literal.
    fn word_or_literal(&mut self, term: TermId, int: IntTy) -> Num {
        let value = match self.terms.as_lit(term) {
            Some(Value::Bv(bits)) => i128::try_from(bits.to_big()).ok(),
            _ => None,
        };
        match value {
            Some(value) => self.constant(value, int),
            None => Num::word(term, int, true),
        }
    }

    fn binary_math(&mut self, op: Binary, left: Num, right: Num) -> Result<Num, NeedsBits> {
        let int = left.int;
        let (a, b) = (self.term(left), self.term(right));
        let ends = left.range.zip(right.range);
        let (term, range) = match op {
            Binary::Add => (
                self.terms.add(&[a, b]),
                ends.map(|((al, ah), (bl, bh))| (al + bl, ah + bh)),
            ),
            Binary::Sub => (
                self.terms.sub(a, b),
                ends.map(|((al, ah), (bl, bh))| (al - bh, ah - bl)),
            ),
            Binary::Mul => (self.terms.mul(&[a, b]), ends.and_then(product)),
            Binary::Div => {
                let range = left.range.map(|(low, high)| {
                    let far = low.abs().max(high.abs());
                    (
                        if low < 0 || right.range.is_none_or(|r| r.0 < 0) {
                            -far
                        } else {
                            0
                        },
                        far,
                    )
                });
                (self.divided(Op::Div, a, b, left.range), range)
            }
            Binary::Rem => {
                let far = right.range.map(|(low, high)| low.abs().max(high.abs()));
                let range = far.map(|far| {
                    let negative = left.range.is_none_or(|range| range.0 < 0);
                    (if negative { -far } else { 0 }, far)
                });
                // The remainder by zero is the dividend.
                let by_zero = right.range.is_none_or(|(low, high)| low <= 0 && high >= 0);
                let range = range.filter(|_| !by_zero);
                (self.divided(Op::Mod, a, b, left.range), range)
            }
            Binary::And | Binary::Or | Binary::Xor => return self.bitwise(op, left, right),
            _ => return Err(NeedsBits),
        };
        Ok(self.math_result(term, range, int))
    }

    /// A result of arithmetic: unsigned ones wrap.
    fn math_result(&mut self, term: TermId, range: Option<(i128, i128)>, int: IntTy) -> Num {
        let literal = self.terms.as_lit(term).and_then(|value| {
            let value = value.as_int()?.to_big();
            i128::try_from(value).ok()
        });
        let range = match literal {
            Some(value) => Some((value, value)),
            None => range,
        };
        let range = range.filter(|&(low, high)| low > -FAR && high < FAR);
        if int.signed {
            return Num {
                rep: Rep::Word(term),
                int,
                range,
            };
        }
        self.wrapped(term, range, int)
    }

    /// Division that rounds towards zero, or its remainder.
    fn divided(&mut self, op: Op, a: TermId, b: TermId, range: Option<(i128, i128)>) -> TermId {
        let straight = self.op(op, &[a, b]);
        if range.is_some_and(|(low, _)| low >= 0) {
            return straight;
        }
        let minus = self.terms.neg(a);
        let mirrored = self.op(op, &[minus, b]);
        let mirrored = self.terms.neg(mirrored);
        let zero = self.terms.int(0);
        let negative = self.terms.lt(a, zero);
        self.terms.ite(negative, mirrored, straight)
    }

    /// Bit operators where one side is a constant: sums of slices of bits.
    fn bitwise(&mut self, op: Binary, left: Num, right: Num) -> Result<Num, NeedsBits> {
        let int = left.int;
        let (num, mask) = match (left.value(), right.value()) {
            (_, Some(mask)) => (left, mask),
            (Some(mask), _) => (right, mask),
            _ => return Err(NeedsBits),
        };
        if let Some(value) = num.value() {
            let value = match op {
                Binary::And => value & mask,
                Binary::Or => value | mask,
                _ => value ^ mask,
            };
            return Ok(self.constant(value, int));
        }
        let term = self.term(num);
        let both = self.masked(term, mask, num.range);
        let mask_term = self.terms.int(int_of(mask));
        let term = match op {
            Binary::And => both,
            Binary::Or => {
                let sum = self.terms.add(&[term, mask_term]);
                self.terms.sub(sum, both)
            }
            _ => {
                let (sum, two) = (self.terms.add(&[term, mask_term]), self.terms.int(2));
                let twice = self.terms.mul(&[two, both]);
                self.terms.sub(sum, twice)
            }
        };
        let range = if op == Binary::And && mask >= 0 {
            Some((0, mask))
        } else if num.range.is_some() || !int.signed {
            Some(int.range())
        } else {
            None
        };
        Ok(Num {
            rep: Rep::Word(term),
            int,
            range,
        })
    }

    /// The bits of a number that a mask selects.
    fn masked(&mut self, term: TermId, mask: i128, range: Option<(i128, i128)>) -> TermId {
        if mask < 0 {
            let rest = self.masked(term, !mask, range);
            return self.terms.sub(term, rest);
        }
        let mut parts = Vec::new();
        let mut low = 0;
        while mask >> low != 0 {
            if mask >> low & 1 == 0 {
                low += 1;
                continue;
            }
            let len = (!(mask >> low)).trailing_zeros();
            let unit = self.terms.int(int_of(1 << low));
            let shifted = self.op(Op::Div, &[term, unit]);
            let covers = range.is_some_and(|(least, most)| least >= 0 && most >> (low + len) == 0);
            let slice = if covers {
                shifted
            } else {
                let size = self.terms.int(int_of(1 << len));
                self.op(Op::Mod, &[shifted, size])
            };
            parts.push(self.terms.mul(&[unit, slice]));
            low += len;
        }
        if parts.is_empty() {
            return self.terms.int(0);
        }
        self.terms.add(&parts)
    }

    fn shift(&mut self, op: Binary, left: Num, right: Num) -> Result<Num, NeedsBits> {
        let int = left.int;
        if self.mode == IntMode::BitPrecise {
            let right = self.convert(right, int);
            let (a, b) = (self.term(left), self.term(right));
            let op = match (op, int.signed) {
                (Binary::Shl, _) => BvOp::Shl,
                (_, true) => BvOp::Ashr,
                (_, false) => BvOp::Lshr,
            };
            let term = self.bv(op, &[a, b]);
            return Ok(self.word_or_literal(term, int));
        }
        let by = right.value().and_then(|by| u32::try_from(by).ok());
        let Some(by) = by.filter(|&by| by < int.bits) else {
            return Err(NeedsBits);
        };
        let term = self.term(left);
        let factor = self.terms.int(int_of(1 << by));
        let (term, range) = if op == Binary::Shl {
            let scale = |end: i128| end.checked_mul(1 << by);
            let range = left
                .range
                .and_then(|(low, high)| scale(low).zip(scale(high)));
            (self.terms.mul(&[factor, term]), range)
        } else {
            let range = left.range.map(|(low, high)| (low >> by, high >> by));
            (self.op(Op::Div, &[term, factor]), range)
        };
        Ok(self.math_result(term, range, int))
    }

    /// That a variable's value lies in the range of its type; nothing if its sort says so.
    pub fn in_range(&mut self, term: TermId, int: IntTy) -> Option<TermId> {
        if self.mode == IntMode::BitPrecise {
            return None;
        }
        let (low, high) = int.range();
        let (low, high) = (self.terms.int(int_of(low)), self.terms.int(int_of(high)));
        let (above, below) = (self.terms.le(low, term), self.terms.le(term, high));
        Some(self.terms.and(&[above, below]))
    }

    /// One number or the other.
    pub fn choose(&mut self, condition: TermId, then: Num, otherwise: Num) -> Num {
        let int = then.int;
        if let (Rep::Truth(a), Rep::Truth(b)) = (then.rep, otherwise.rep) {
            let truth = self.terms.ite(condition, a, b);
            return Num {
                int,
                ..Num::truth(truth)
            };
        }
        let range = then
            .range
            .zip(otherwise.range)
            .map(|(a, b)| (a.0.min(b.0), a.1.max(b.1)));
        let (a, b) = (self.term(then), self.term(otherwise));
        Num {
            rep: Rep::Word(self.terms.ite(condition, a, b)),
            int,
            range,
        }
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.terms
            .build(op, args)
            .expect("operands have the sorts of the mode")
    }

    pub fn bv(&mut self, op: BvOp, args: &[TermId]) -> TermId {
        self.op(Op::Bv(op), args)
    }
}

fn within(inner: (i128, i128), outer: (i128, i128)) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

pub(in crate::c) fn product(
    ((al, ah), (bl, bh)): ((i128, i128), (i128, i128)),
) -> Option<(i128, i128)> {
    let ends = [
        al.checked_mul(bl)?,
        al.checked_mul(bh)?,
        ah.checked_mul(bl)?,
        ah.checked_mul(bh)?,
    ];
    Some((*ends.iter().min()?, *ends.iter().max()?))
}
