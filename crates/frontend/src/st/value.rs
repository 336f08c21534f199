//! Typed values and what operators make of them.
//!
//! Integers are mathematical, or bit-vectors of their width if that is asked. Bit strings are always bit-vectors, times
//! always integers (milliseconds), reals always rationals. A number that is written without a type takes that of its place.

use super::ast::Binary;
use lariat_expr::{BvOp, Int, Op, Rat, SortId, TermId, Terms, Value};
use lariat_system::PlcType;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ValTy {
    Of(PlcType),
    /// A whole number without a type; its term is an integer literal.
    AnyInt,
    /// A fraction without a type; its term is a rational literal.
    AnyReal,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Val {
    pub term: TermId,
    pub ty: ValTy,
}

impl Val {
    pub fn new(term: TermId, ty: PlcType) -> Self {
        Self {
            term,
            ty: ValTy::Of(ty),
        }
    }
}

/// Why there is no value.
#[derive(Clone, Debug)]
pub(super) enum Misfit {
    /// A type where another is expected.
    Type(ValTy, PlcType),
    /// A written number that its type does not have.
    Range(Int, PlcType),
    /// Operands that an operator does not take.
    Operands(ValTy, ValTy),
}

/// Makes terms.
pub(super) struct Arith<'a> {
    pub terms: &'a mut Terms,
    /// Whether integers are bit-vectors.
    pub bits: bool,
}

/// The elementary types by their names.
pub(super) fn elementary(key: &str) -> Option<PlcType> {
    let int = |bits, signed| Some(PlcType::Int { bits, signed });
    match key {
        "BOOL" => Some(PlcType::Bool),
        "SINT" => int(8, true),
        "INT" => int(16, true),
        "DINT" => int(32, true),
        "LINT" => int(64, true),
        "USINT" => int(8, false),
        "UINT" => int(16, false),
        "UDINT" => int(32, false),
        "ULINT" => int(64, false),
        "BYTE" => Some(PlcType::Bits(8)),
        "WORD" => Some(PlcType::Bits(16)),
        "DWORD" => Some(PlcType::Bits(32)),
        "LWORD" => Some(PlcType::Bits(64)),
        "REAL" | "LREAL" => Some(PlcType::Real),
        "TIME" => Some(PlcType::Time),
        _ => None,
    }
}

/// The name of a type.
pub(super) fn type_name(terms: &Terms, ty: PlcType) -> String {
    match ty {
        PlcType::Bool => "BOOL".to_owned(),
        PlcType::Int { bits, signed } => {
            let size = match bits {
                8 => "SINT",
                16 => "INT",
                32 => "DINT",
                _ => "LINT",
            };
            format!("{}{size}", if signed { "" } else { "U" })
        }
        PlcType::Bits(8) => "BYTE".to_owned(),
        PlcType::Bits(16) => "WORD".to_owned(),
        PlcType::Bits(32) => "DWORD".to_owned(),
        PlcType::Bits(_) => "LWORD".to_owned(),
        PlcType::Real => "REAL".to_owned(),
        PlcType::Time => "TIME".to_owned(),
        PlcType::Enum(sort) => terms.sorts.name(sort),
    }
}

/// The name of the type of a value.
pub(super) fn val_name(terms: &Terms, ty: ValTy) -> String {
    match ty {
        ValTy::Of(ty) => type_name(terms, ty),
        ValTy::AnyInt => "a whole number".to_owned(),
        ValTy::AnyReal => "a fraction".to_owned(),
    }
}

/// Whether each value of an integer type is one of another.
fn widens(from: (u32, bool), to: (u32, bool)) -> bool {
    match (from.1, to.1) {
        (a, b) if a == b => from.0 <= to.0,
        (false, true) => from.0 < to.0,
        _ => false,
    }
}

/// A number of any size.
pub(super) fn int_of(value: i128) -> Int {
    let text = || value.to_string().parse().expect("digits are a number");
    i64::try_from(value).map_or_else(|_| text(), Int::from)
}

/// How many elements or slots; arrays are small.
pub(super) fn count(value: i128) -> usize {
    usize::try_from(value).expect("numbers of elements are small")
}

impl Arith<'_> {
    pub fn sort(&mut self, ty: PlcType) -> SortId {
        let sorts = &mut self.terms.sorts;
        match ty {
            PlcType::Bool => sorts.bool(),
            PlcType::Int { bits, .. } if self.bits => sorts.bv(bits),
            PlcType::Bits(bits) => sorts.bv(bits),
            PlcType::Int { .. } | PlcType::Time => sorts.int(),
            PlcType::Real => sorts.rat(),
            PlcType::Enum(sort) => sort,
        }
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.terms
            .build(op, args)
            .expect("operands have the sorts of their types")
    }

    fn bv(&mut self, op: BvOp, args: &[TermId]) -> TermId {
        self.op(Op::Bv(op), args)
    }

    fn is_bv(&self, ty: PlcType) -> bool {
        matches!(ty, PlcType::Bits(_)) || self.bits && matches!(ty, PlcType::Int { .. })
    }

    /// The value that variables of a type have if nothing is said.
    pub fn default(&mut self, ty: PlcType) -> TermId {
        match ty {
            PlcType::Bool => self.terms.false_(),
            PlcType::Real => self.rat(Rat::from(Int::ZERO)),
            PlcType::Enum(sort) => self.terms.lit(Value::Enum(0), sort),
            _ => self.number(&Int::ZERO, ty),
        }
    }

    fn rat(&mut self, value: Rat) -> TermId {
        let sort = self.terms.sorts.rat();
        self.terms.lit(Value::Rat(value), sort)
    }

    /// A number as a value of a type of numbers; it wraps around.
    pub fn number(&mut self, value: &Int, ty: PlcType) -> TermId {
        match ty {
            PlcType::Real => self.rat(Rat::from(value.clone())),
            _ => {
                let term = self.terms.int(value.clone());
                self.of_int(term, ty)
            }
        }
    }

    /// A number of `ty` as a mathematical integer.
    pub fn as_int(&mut self, val: Val) -> TermId {
        let ValTy::Of(ty) = val.ty else {
            return val.term;
        };
        if !self.is_bv(ty) {
            return val.term;
        }
        let nat = self.bv(BvOp::ToNat, &[val.term]);
        let PlcType::Int { bits, signed: true } = ty else {
            return nat;
        };
        let half = self.terms.int(Int::power_of_two(bits - 1));
        let all = self.terms.int(Int::power_of_two(bits));
        let less = self.terms.sub(nat, all);
        let is_small = self.terms.lt(nat, half);
        self.terms.ite(is_small, nat, less)
    }

    /// A mathematical integer as a value of an integer type, which wraps around, a bit string or a time.
    pub fn of_int(&mut self, term: TermId, ty: PlcType) -> TermId {
        match ty {
            PlcType::Bits(bits) => self.bv(BvOp::OfInt(bits), &[term]),
            PlcType::Int { bits, .. } if self.bits => self.bv(BvOp::OfInt(bits), &[term]),
            PlcType::Int { .. } => self.wrapped(term, ty),
            _ => term,
        }
    }

    fn wrapped(&mut self, term: TermId, ty: PlcType) -> TermId {
        let Some((low, high)) = ty.range() else {
            return term;
        };
        let (least, size) = (
            self.terms.int(int_of(low)),
            self.terms.int(int_of(high - low + 1)),
        );
        let shifted = self.terms.sub(term, least);
        let rest = self.op(Op::Mod, &[shifted, size]);
        self.terms.add(&[rest, least])
    }

    /// The value as one of `ty`, if no conversion has to be written.
    pub fn implicit(&mut self, val: Val, ty: PlcType) -> Result<TermId, Misfit> {
        let misfit = Misfit::Type(val.ty, ty);
        match (val.ty, ty) {
            (ValTy::AnyInt, PlcType::Real) => Ok(self.op(Op::ToRat, &[val.term])),
            (ValTy::AnyReal, PlcType::Real) => Ok(val.term),
            (ValTy::AnyInt, PlcType::Int { .. } | PlcType::Bits(_)) => {
                let Some(Value::Int(value)) = self.terms.as_lit(val.term) else {
                    return Err(misfit);
                };
                let value = value.clone();
                let (low, high) = ty.range().expect("integers have a range");
                if value < int_of(low) || value > int_of(high) {
                    return Err(Misfit::Range(value, ty));
                }
                Ok(self.number(&value, ty))
            }
            (ValTy::Of(from), _) if from == ty => Ok(val.term),
            (
                ValTy::Of(PlcType::Int { bits, signed }),
                PlcType::Int {
                    bits: to,
                    signed: sign,
                },
            ) if widens((bits, signed), (to, sign)) => Ok(self.widened(val.term, bits, signed, to)),
            (ValTy::Of(PlcType::Bits(bits)), PlcType::Bits(to)) if bits <= to => {
                Ok(self.bv(BvOp::Zext(to), &[val.term]))
            }
            (ValTy::Of(PlcType::Int { bits, .. }), PlcType::Real) if bits <= 32 => {
                let int = self.as_int(val);
                Ok(self.op(Op::ToRat, &[int]))
            }
            _ => Err(misfit),
        }
    }

    fn widened(&mut self, term: TermId, bits: u32, signed: bool, to: u32) -> TermId {
        if !self.bits || bits == to {
            return term;
        }
        let op = if signed {
            BvOp::Sext(to)
        } else {
            BvOp::Zext(to)
        };
        self.bv(op, &[term])
    }

    /// What `FROM_TO_TO` gives.
    pub fn converted(&mut self, val: Val, to: PlcType) -> Result<TermId, Misfit> {
        if let Ok(term) = self.implicit(val, to) {
            return Ok(term);
        }
        let misfit = Misfit::Type(val.ty, to);
        let from = match val.ty {
            ValTy::Of(from) => from,
            ValTy::AnyInt => PlcType::Int {
                bits: 64,
                signed: true,
            },
            ValTy::AnyReal => PlcType::Real,
        };
        let is_number = |ty| !matches!(ty, PlcType::Bool | PlcType::Enum(_) | PlcType::Real);
        match (from, to) {
            (PlcType::Bool, to) if is_number(to) => {
                let (one, zero) = (self.number(&Int::ONE, to), self.number(&Int::ZERO, to));
                Ok(self.terms.ite(val.term, one, zero))
            }
            (from, PlcType::Bool) if is_number(from) => {
                let zero = match val.ty {
                    ValTy::AnyInt => self.terms.int(0),
                    _ => self.number(&Int::ZERO, from),
                };
                let is_zero = self.terms.eq(val.term, zero);
                Ok(self.terms.not(is_zero))
            }
            (PlcType::Real, to) if is_number(to) => {
                let rounded = self.rounded(val.term);
                Ok(self.of_int(rounded, to))
            }
            (from, PlcType::Real) if is_number(from) => {
                let int = self.as_int(val);
                Ok(self.op(Op::ToRat, &[int]))
            }
            (from, to) if is_number(from) && is_number(to) => {
                let int = self.as_int(val);
                Ok(self.of_int(int, to))
            }
            _ => Err(misfit),
        }
    }

    /// To the nearest whole number, from the middle to the even one.
    fn rounded(&mut self, term: TermId) -> TermId {
        let half = Rat::new(Int::ONE, Int::from(2)).expect("two is not zero");
        let half = self.rat(half);
        let up = self.terms.add(&[term, half]);
        let near = self.op(Op::ToInt, &[up]);
        let back = self.op(Op::ToRat, &[near]);
        let is_middle = self.terms.eq(back, up);
        let (two, one) = (self.terms.int(2), self.terms.int(1));
        let rest = self.op(Op::Mod, &[near, two]);
        let is_odd = self.terms.eq(rest, one);
        let less = self.terms.sub(near, one);
        let down = self.terms.and(&[is_middle, is_odd]);
        self.terms.ite(down, less, near)
    }

    /// Towards zero.
    pub fn truncated(&mut self, term: TermId) -> TermId {
        let zero = self.rat(Rat::from(Int::ZERO));
        let floor = self.op(Op::ToInt, &[term]);
        let negated = self.terms.neg(term);
        let ceiling = self.op(Op::ToInt, &[negated]);
        let ceiling = self.terms.neg(ceiling);
        let is_negative = self.terms.lt(term, zero);
        self.terms.ite(is_negative, ceiling, floor)
    }

    /// Both as values of their common type.
    pub fn unify(&mut self, a: Val, b: Val) -> Result<(Val, Val), Misfit> {
        let misfit = || Misfit::Operands(a.ty, b.ty);
        let ty = common(a.ty, b.ty).ok_or_else(misfit)?;
        let mut bring = |val: Val| match ty {
            ValTy::Of(to) => Ok(Val::new(self.implicit(val, to)?, to)),
            ValTy::AnyReal if val.ty == ValTy::AnyInt => Ok(Val {
                term: self.op(Op::ToRat, &[val.term]),
                ty,
            }),
            _ => Ok(val),
        };
        Ok((bring(a)?, bring(b)?))
    }

    /// The value of an operator. A division by zero gives something.
    pub fn binary(&mut self, op: Binary, a: Val, b: Val) -> Result<Val, Misfit> {
        let misfit = Misfit::Operands(a.ty, b.ty);
        if let Some((time, number)) = time_and_number(op, a, b) {
            return self.of_times(op, time, number).ok_or(misfit);
        }
        let (a, b) = self.unify(a, b)?;
        let term = match op {
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                let term = self.compare(op, a, b).ok_or(misfit)?;
                return Ok(Val::new(term, PlcType::Bool));
            }
            Binary::Or | Binary::Xor | Binary::And => self.logic(op, a, b),
            Binary::Power => None,
            _ => self.arithmetic(op, a, b),
        };
        let term = term.ok_or(misfit)?;
        Ok(Val { term, ty: a.ty })
    }

    /// A time, multiplied or divided by a number.
    fn of_times(&mut self, op: Binary, time: Val, number: Val) -> Option<Val> {
        if !matches!(number.ty, ValTy::AnyInt | ValTy::Of(PlcType::Int { .. })) {
            return None;
        }
        let number = self.as_int(number);
        let term = if op == Binary::Mul {
            self.terms.mul(&[time.term, number])
        } else {
            self.quotient(time.term, number)
        };
        Some(Val::new(term, PlcType::Time))
    }

    fn compare(&mut self, op: Binary, a: Val, b: Val) -> Option<TermId> {
        if matches!(op, Binary::Eq | Binary::Ne) {
            let eq = self.terms.eq(a.term, b.term);
            return Some(if op == Binary::Eq {
                eq
            } else {
                self.terms.not(eq)
            });
        }
        let (left, right, strict) = match op {
            Binary::Lt => (a.term, b.term, true),
            Binary::Le => (a.term, b.term, false),
            Binary::Gt => (b.term, a.term, true),
            _ => (b.term, a.term, false),
        };
        match a.ty {
            ValTy::Of(PlcType::Enum(_)) => None,
            ValTy::Of(PlcType::Bool) => {
                let not = self.terms.not(left);
                Some(if strict {
                    self.terms.and(&[not, right])
                } else {
                    self.terms.or(&[not, right])
                })
            }
            ValTy::Of(ty) if self.is_bv(ty) => {
                let signed = matches!(ty, PlcType::Int { signed: true, .. });
                let op = match (signed, strict) {
                    (true, true) => BvOp::Slt,
                    (true, false) => BvOp::Sle,
                    (false, true) => BvOp::Ult,
                    (false, false) => BvOp::Ule,
                };
                Some(self.bv(op, &[left, right]))
            }
            _ if strict => Some(self.terms.lt(left, right)),
            _ => Some(self.terms.le(left, right)),
        }
    }

    fn logic(&mut self, op: Binary, a: Val, b: Val) -> Option<TermId> {
        let (x, y) = (a.term, b.term);
        match a.ty {
            ValTy::Of(PlcType::Bool) => Some(match op {
                Binary::Or => self.terms.or(&[x, y]),
                Binary::And => self.terms.and(&[x, y]),
                _ => {
                    let same = self.terms.eq(x, y);
                    self.terms.not(same)
                }
            }),
            ValTy::Of(PlcType::Bits(_)) => {
                let op = match op {
                    Binary::Or => BvOp::Or,
                    Binary::And => BvOp::And,
                    _ => BvOp::Xor,
                };
                Some(self.bv(op, &[x, y]))
            }
            _ => None,
        }
    }

    fn arithmetic(&mut self, op: Binary, a: Val, b: Val) -> Option<TermId> {
        let (x, y) = (a.term, b.term);
        match a.ty {
            ValTy::Of(PlcType::Int { signed, .. }) if self.bits => {
                let op = match (op, signed) {
                    (Binary::Add, _) => BvOp::Add,
                    (Binary::Sub, _) => BvOp::Sub,
                    (Binary::Mul, _) => BvOp::Mul,
                    (Binary::Div, true) => BvOp::Sdiv,
                    (Binary::Div, false) => BvOp::Udiv,
                    (Binary::Mod, _) => return Some(self.bv_remainder(x, y, signed)),
                    _ => return None,
                };
                Some(self.bv(op, &[x, y]))
            }
            ValTy::Of(PlcType::Int { .. }) | ValTy::AnyInt => Some(match op {
                Binary::Add => self.terms.add(&[x, y]),
                Binary::Sub => self.terms.sub(x, y),
                Binary::Mul => self.terms.mul(&[x, y]),
                Binary::Div => self.quotient(x, y),
                Binary::Mod => self.remainder(x, y),
                _ => return None,
            }),
            ValTy::Of(PlcType::Real) | ValTy::AnyReal => Some(match op {
                Binary::Add => self.terms.add(&[x, y]),
                Binary::Sub => self.terms.sub(x, y),
                Binary::Mul => self.terms.mul(&[x, y]),
                Binary::Div => self.op(Op::RatDiv, &[x, y]),
                _ => return None,
            }),
            ValTy::Of(PlcType::Time) => Some(match op {
                Binary::Add => self.terms.add(&[x, y]),
                Binary::Sub => self.terms.sub(x, y),
                _ => return None,
            }),
            ValTy::Of(_) => None,
        }
    }

    /// The quotient of integers, cut towards zero.
    fn quotient(&mut self, x: TermId, y: TermId) -> TermId {
        let zero = self.terms.int(0);
        let down = self.op(Op::Div, &[x, y]);
        let negated = self.terms.neg(x);
        let up = self.op(Op::Div, &[negated, y]);
        let up = self.terms.neg(up);
        let is_negative = self.terms.lt(x, zero);
        self.terms.ite(is_negative, up, down)
    }

    /// `x - (x / y) * y`, and zero if `y` is.
    fn remainder(&mut self, x: TermId, y: TermId) -> TermId {
        let zero = self.terms.int(0);
        let quotient = self.quotient(x, y);
        let whole = self.terms.mul(&[quotient, y]);
        let rest = self.terms.sub(x, whole);
        let by_zero = self.terms.eq(y, zero);
        self.terms.ite(by_zero, zero, rest)
    }

    fn bv_remainder(&mut self, x: TermId, y: TermId, signed: bool) -> TermId {
        let sort = self.terms.sort(y);
        let zero = self.terms.lit(Value::Bv(Int::ZERO), sort);
        let op = if signed { BvOp::Srem } else { BvOp::Urem };
        let rest = self.bv(op, &[x, y]);
        let by_zero = self.terms.eq(y, zero);
        self.terms.ite(by_zero, zero, rest)
    }

    /// Whether a divisor is zero.
    pub fn is_zero(&mut self, val: Val) -> TermId {
        let zero = match val.ty {
            ValTy::Of(ty) => self.default(ty),
            ValTy::AnyInt => self.terms.int(0),
            ValTy::AnyReal => self.rat(Rat::from(Int::ZERO)),
        };
        self.terms.eq(val.term, zero)
    }

    pub fn negated(&mut self, val: Val) -> Option<Val> {
        let term = match val.ty {
            ValTy::Of(PlcType::Int { .. }) if self.bits => self.bv(BvOp::Neg, &[val.term]),
            ValTy::Of(PlcType::Int { .. } | PlcType::Real | PlcType::Time)
            | ValTy::AnyInt
            | ValTy::AnyReal => self.terms.neg(val.term),
            ValTy::Of(_) => return None,
        };
        Some(Val { term, ..val })
    }

    pub fn not(&mut self, val: Val) -> Option<Val> {
        let term = match val.ty {
            ValTy::Of(PlcType::Bool) => self.terms.not(val.term),
            ValTy::Of(PlcType::Bits(_)) => self.bv(BvOp::Not, &[val.term]),
            _ => return None,
        };
        Some(Val { term, ..val })
    }

    /// A shift or a rotation of a bit string by a number.
    pub fn shift(&mut self, name: &str, val: Val, by: Val) -> Option<Val> {
        let ValTy::Of(PlcType::Bits(bits)) = val.ty else {
            return None;
        };
        if !matches!(by.ty, ValTy::AnyInt | ValTy::Of(PlcType::Int { .. })) {
            return None;
        }
        let by = self.as_int(by);
        let width = self.terms.int(i64::from(bits));
        let rotates = matches!(name, "ROL" | "ROR");
        let amount = if rotates {
            self.op(Op::Mod, &[by, width])
        } else {
            // So many that all bits are gone.
            let is_less = self.terms.lt(by, width);
            self.terms.ite(is_less, by, width)
        };
        let amount = self.bv(BvOp::OfInt(bits), &[amount]);
        let op = match name {
            "SHL" => BvOp::Shl,
            "SHR" => BvOp::Lshr,
            "ROL" => BvOp::Rotl,
            _ => BvOp::Rotr,
        };
        let term = self.bv(op, &[val.term, amount]);
        Some(Val { term, ..val })
    }

    /// That a number lies between two bounds.
    pub fn within(&mut self, term: TermId, ty: PlcType, (low, high): (i128, i128)) -> TermId {
        if let Some((least, most)) = ty.range().filter(|_| self.is_bv(ty)) {
            // Bounds beyond the type are always kept.
            let mut all = Vec::new();
            for (is_asked, bound, op) in [
                (low > least, low, Binary::Ge),
                (high < most, high, Binary::Le),
            ] {
                if bound < least || bound > most {
                    let never = (op == Binary::Ge) == (bound > most);
                    all.push(self.terms.bool(!never));
                } else if is_asked {
                    let bound = Val::new(self.number(&int_of(bound), ty), ty);
                    all.extend(self.compare(op, Val::new(term, ty), bound));
                }
            }
            return self.terms.and(&all);
        }
        let int = self.as_int(Val::new(term, ty));
        let (low, high) = (self.terms.int(int_of(low)), self.terms.int(int_of(high)));
        let (above, below) = (self.terms.le(low, int), self.terms.le(int, high));
        self.terms.and(&[above, below])
    }
}

/// The type that two operands are brought to.
fn common(a: ValTy, b: ValTy) -> Option<ValTy> {
    use PlcType::{Bits, Int, Real};
    Some(match (a, b) {
        (a, b) if a == b => a,
        (ValTy::AnyInt, ValTy::AnyReal) | (ValTy::AnyReal, ValTy::AnyInt) => ValTy::AnyReal,
        (ValTy::AnyInt, ValTy::Of(ty @ (Int { .. } | Bits(_) | Real)))
        | (ValTy::Of(ty @ (Int { .. } | Bits(_) | Real)), ValTy::AnyInt)
        | (ValTy::AnyReal, ValTy::Of(ty @ Real))
        | (ValTy::Of(ty @ Real), ValTy::AnyReal) => ValTy::Of(ty),
        (ValTy::Of(Int { bits, signed }), ValTy::Of(Int { bits: n, signed: s })) => {
            if widens((bits, signed), (n, s)) {
                b
            } else if widens((n, s), (bits, signed)) {
                a
            } else {
                return None;
            }
        }
        (ValTy::Of(Bits(x)), ValTy::Of(Bits(y))) => ValTy::Of(Bits(x.max(y))),
        (ValTy::Of(Int { bits, .. }), ValTy::Of(Real))
        | (ValTy::Of(Real), ValTy::Of(Int { bits, .. }))
            if bits <= 32 =>
        {
            ValTy::Of(Real)
        }
        (ValTy::Of(Int { bits, .. }), ValTy::AnyReal)
        | (ValTy::AnyReal, ValTy::Of(Int { bits, .. }))
            if bits <= 32 =>
        {
            ValTy::Of(Real)
        }
        _ => return None,
    })
}

/// The time and the number of a product or a quotient of such.
fn time_and_number(op: Binary, a: Val, b: Val) -> Option<(Val, Val)> {
    let time = ValTy::Of(PlcType::Time);
    match (a.ty == time, b.ty == time, op) {
        (true, false, Binary::Mul | Binary::Div) => Some((a, b)),
        (false, true, Binary::Mul) => Some((b, a)),
        _ => None,
    }
}
