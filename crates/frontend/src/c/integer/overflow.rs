//! Signed overflow: when an operation has a result that its type cannot hold (C11 6.5p5), in one
//! definition for both readings of integers.
//!
//! | | overflows where |
//! |---|---|
//! | `+ - *` (and `++ --`, unary `-`, compound assignments) | the exact result lies outside of the type |
//! | `/ %` | the least value is divided by -1: the quotient lies outside of the type (6.5.5p6) |
//! | `<<` | the left operand is negative, or bits are lost that count (6.5.7p4) |
//!
//! Conversions to a narrower type do not overflow, their result is defined by the implementation (6.3.1.3p3).
//! With bit-vectors the exact result is computed in a width that holds it, rather than by looking at the
//! wrapped one: that is the definition itself, and the solver sees no case split.

use crate::c::control::fault::Fault;
use crate::c::integer::arith::{self, Arith, IntMode, Num};
use crate::c::lower::Lower;
use crate::c::syntax::ast::Binary;
use crate::c::types::{IntTy, int_of};
use lariat_expr::{BvOp, Int, TermId, Value};

impl Lower<'_> {
    /// Under `G ! overflow`: a step that overflows leads to the location of that name.
    pub fn check_overflow(&mut self, op: Binary, left: Num, right: Num) {
        if !self.options.overflow {
            return;
        }
        let Some(outside) = self.arith().overflows(op, left, right) else {
            return;
        };
        self.fault(Fault::Overflow, outside);
    }
}

impl Arith<'_> {
    /// When an operation overflows; nothing if it cannot.
    fn overflows(&mut self, op: Binary, left: Num, right: Num) -> Option<TermId> {
        let int = match op {
            Binary::Shl => left.int.promoted(),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => {
                left.int.common(right.int)
            }
            _ => return None,
        };
        if !int.signed {
            return None;
        }
        let left = self.convert(left, int);
        let when = if op == Binary::Shl {
            let right = self.convert(right, right.int.promoted());
            self.shift_overflows(left, right)
        } else {
            let right = self.convert(right, int);
            if matches!(op, Binary::Div | Binary::Rem) {
                self.quotient_overflows(left, right)
            } else {
                self.result_overflows(op, left, right)?
            }
        };
        (when != self.terms.false_()).then_some(when)
    }

    /// Whether the exact result of `+`, `-` or `*` lies outside of the type.
    fn result_overflows(&mut self, op: Binary, left: Num, right: Num) -> Option<TermId> {
        let int = left.int;
        if let (Some(a), Some(b), true) = (left.range(), right.range(), int.bits <= 64) {
            let (low, high) = int.range();
            let exact = exact_range(op, a, b);
            if exact.is_some_and(|(least, most)| low <= least && most <= high) {
                return None;
            }
        }
        let (a, b) = (self.term(left), self.term(right));
        if self.mode == IntMode::Math {
            let exact = match op {
                Binary::Add => self.terms.add(&[a, b]),
                Binary::Sub => self.terms.sub(a, b),
                _ => self.terms.mul(&[a, b]),
            };
            let (low, high) = limits(int);
            let (low, high) = (self.terms.int(low), self.terms.int(high));
            let (under, over) = (self.terms.lt(exact, low), self.terms.lt(high, exact));
            return Some(self.terms.or(&[under, over]));
        }
        let (op, width) = match op {
            Binary::Add => (BvOp::Add, int.bits + 1),
            Binary::Sub => (BvOp::Sub, int.bits + 1),
            _ => (BvOp::Mul, 2 * int.bits),
        };
        let (a, b) = (
            self.bv(BvOp::Sext(width), &[a]),
            self.bv(BvOp::Sext(width), &[b]),
        );
        let exact = self.bv(op, &[a, b]);
        let (low, high) = limits(int);
        let (low, high) = (self.bits(&low, width), self.bits(&high, width));
        let (under, over) = (
            self.bv(BvOp::Slt, &[exact, low]),
            self.bv(BvOp::Slt, &[high, exact]),
        );
        Some(self.terms.or(&[under, over]))
    }

    /// Whether the least value is divided by -1.
    fn quotient_overflows(&mut self, left: Num, right: Num) -> TermId {
        let int = left.int;
        let (low, _) = limits(int);
        let (a, b) = (self.term(left), self.term(right));
        let (least, minus_one) = match self.mode {
            IntMode::Math => (self.terms.int(low), self.terms.int(-1)),
            IntMode::BitPrecise => (
                self.bits(&low, int.bits),
                self.bits(&Int::from(-1), int.bits),
            ),
        };
        let (is_least, by_minus_one) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
        self.terms.and(&[is_least, by_minus_one])
    }

    /// Whether the left operand is negative, or times the power of two it lies outside of the type.
    fn shift_overflows(&mut self, left: Num, right: Num) -> TermId {
        let int = left.int;
        let a = self.term(left);
        if self.mode == IntMode::Math {
            let by = right.value().and_then(|by| u32::try_from(by).ok());
            let by = by.filter(|&by| by < int.bits);
            let by = by.expect("other shifts have no meaning for mathematical integers");
            let most = self.terms.int(int_of(int.range().1 >> by));
            let zero = self.terms.int(0);
            let (negative, over) = (self.terms.lt(a, zero), self.terms.lt(most, a));
            return self.terms.or(&[negative, over]);
        }
        // A shift by the width or more loses every bit; a negative number counts as a large one.
        let b = self.term(right);
        let width = self.bits(&Int::from(i64::from(int.bits)), right.int.bits);
        let fits = self.bv(BvOp::Ult, &[b, width]);
        let by = self.convert(right, int);
        let by = self.term(by);
        let shifted = self.bv(BvOp::Shl, &[a, by]);
        let back = self.bv(BvOp::Ashr, &[shifted, by]);
        let kept = self.terms.eq(back, a);
        let zero = self.bits(&Int::ZERO, int.bits);
        let negative = self.bv(BvOp::Slt, &[a, zero]);
        let is_zero = self.terms.eq(a, zero);
        let not_negative = self.terms.not(negative);
        let fine = self.terms.and(&[not_negative, fits, kept]);
        let fine = self.terms.or(&[is_zero, fine]);
        self.terms.not(fine)
    }

    /// A literal of a width.
    fn bits(&mut self, value: &Int, width: u32) -> TermId {
        let sort = self.terms.sorts.bv(width);
        let bits = value.mod_euclid(&Int::power_of_two(width));
        self.terms.lit(Value::Bv(bits), sort)
    }
}

/// The least and the greatest value of a signed type.
fn limits(int: IntTy) -> (Int, Int) {
    let half = Int::power_of_two(int.bits - 1);
    (-&half, &half - &Int::from(1))
}

/// Between what the exact results lie.
fn exact_range(op: Binary, (al, ah): (i128, i128), (bl, bh): (i128, i128)) -> Option<(i128, i128)> {
    match op {
        Binary::Add => al.checked_add(bl).zip(ah.checked_add(bh)),
        Binary::Sub => al.checked_sub(bh).zip(ah.checked_sub(bl)),
        _ => arith::product(((al, ah), (bl, bh))),
    }
}
