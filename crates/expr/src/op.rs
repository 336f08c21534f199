//! Operators: their sorts and what they compute on values.
//!
//! [`Op::result_sort`] is the one place that knows which arguments an operator takes, [`Op::apply`]
//! the one place that computes it. The builder folds constants with `apply`, the evaluator runs it.

use crate::{ArrayValue, Int, Rat, SortId, Sorts, Value};
use std::fmt;
use std::sync::Arc;

/// An operator that has arguments. Leaves (variables, literals) are not operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Negation.
    Not,
    /// Conjunction of any number.
    And,
    /// Disjunction of any number.
    Or,
    /// Equality, of any one sort; on truth values, "if and only if".
    Eq,
    /// If-then-else.
    Ite,
    /// Sum of any number of integers or of rationals.
    Add,
    /// Product of any number of integers or of rationals.
    Mul,
    /// SMT-LIB `div`; by zero: zero.
    Div,
    /// SMT-LIB `mod`; by zero: the dividend.
    Mod,
    /// `mod` with the divisor's sign.
    Rem,
    /// Division of rationals; by zero: zero.
    RatDiv,
    /// At most, on integers or on rationals.
    Le,
    /// Less than, on integers or on rationals.
    Lt,
    /// An integer as a rational.
    ToRat,
    /// The floor of a rational.
    ToInt,
    /// Read of an array.
    Select,
    /// Write of an array.
    Store,
    /// The array of the given sort that is the argument everywhere.
    ConstArray(SortId),
    /// An operator of bit-vectors.
    Bv(BvOp),
}

/// Operators on bit-vectors, with the meaning of SMT-LIB.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are SMT-LIB's")]
pub enum BvOp {
    Neg,
    Not,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    /// Rotate left by the second argument, modulo the width.
    Rotl,
    /// Rotate right by the second argument, modulo the width.
    Rotr,
    Ult,
    Ule,
    Slt,
    Sle,
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        high: u32,
        low: u32,
    },
    /// Zero extension to a width.
    Zext(u32),
    /// Sign extension to a width.
    Sext(u32),
    /// The value without sign as an integer.
    ToNat,
    /// An integer modulo two to the power of a width.
    OfInt(u32),
}

/// Arguments that an operator does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SortError {
    /// The operator.
    pub op: Op,
    /// The names of the sorts it was given.
    pub given: Vec<String>,
}

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "operator {:?} does not take ({})",
            self.op,
            self.given.join(", ")
        )
    }
}

impl std::error::Error for SortError {}

impl Op {
    /// The sort of the result on arguments of these sorts.
    pub fn result_sort(self, sorts: &mut Sorts, args: &[SortId]) -> Result<SortId, SortError> {
        self.sort_of(sorts, args).ok_or_else(|| SortError {
            op: self,
            given: args.iter().map(|&arg| sorts.name(arg)).collect(),
        })
    }

    fn sort_of(self, sorts: &mut Sorts, args: &[SortId]) -> Option<SortId> {
        let (bool_, int, rat) = (sorts.bool(), sorts.int(), sorts.rat());
        let same_number = |args: &[SortId]| {
            let first = *args.first()?;
            ((first == int || first == rat) && args.iter().all(|&arg| arg == first))
                .then_some(first)
        };
        let when = |condition: bool, sort: SortId| condition.then_some(sort);
        match (self, args) {
            (Self::Not, &[arg]) => when(arg == bool_, bool_),
            (Self::And | Self::Or, args) => when(args.iter().all(|&arg| arg == bool_), bool_),
            (Self::Eq, &[left, right]) => when(left == right, bool_),
            (Self::Ite, &[condition, then, otherwise]) => {
                when(condition == bool_ && then == otherwise, then)
            }
            (Self::Add | Self::Mul, args) => same_number(args),
            (Self::Div | Self::Mod | Self::Rem, &[left, right]) => {
                when(left == int && right == int, int)
            }
            (Self::RatDiv, &[left, right]) => when(left == rat && right == rat, rat),
            (Self::Le | Self::Lt, &[_, _]) => same_number(args).map(|_| bool_),
            (Self::ToRat, &[arg]) => when(arg == int, rat),
            (Self::ToInt, &[arg]) => when(arg == rat, int),
            (Self::Select, &[array, at]) => {
                let (index, element) = sorts.as_array(array)?;
                when(index == at, element)
            }
            (Self::Store, &[array, at, value]) => {
                when(sorts.as_array(array)? == (at, value), array)
            }
            (Self::ConstArray(array), &[value]) => when(sorts.as_array(array)?.1 == value, array),
            (Self::Bv(op), args) => op.sort_of(sorts, args),
            _ => None,
        }
    }

    /// The result on values that fit [`Op::result_sort`]; `arg_sorts` are the sorts of the arguments.
    pub fn apply(self, sorts: &Sorts, arg_sorts: &[SortId], args: &[Value]) -> Value {
        match (self, args) {
            (Self::Not, [Value::Bool(arg)]) => Value::Bool(!arg),
            (Self::And, args) => Value::Bool(args.iter().all(Value::as_bool)),
            (Self::Or, args) => Value::Bool(args.iter().any(Value::as_bool)),
            (Self::Eq, [left, right]) => Value::Bool(left == right),
            (Self::Ite, [condition, then, otherwise]) => {
                if condition.as_bool() { then } else { otherwise }.clone()
            }
            (Self::Add, args) => fold_numbers(args, |a, b| a + b, |a, b| a + b),
            (Self::Mul, args) => fold_numbers(args, |a, b| a * b, |a, b| a * b),
            (Self::Div, [Value::Int(a), Value::Int(b)]) => Value::Int(a.div_euclid(b)),
            (Self::Mod, [Value::Int(a), Value::Int(b)]) => Value::Int(a.mod_euclid(b)),
            (Self::Rem, [Value::Int(a), Value::Int(b)]) => Value::Int(a.rem_signed(b)),
            (Self::RatDiv, [Value::Rat(a), Value::Rat(b)]) => Value::Rat(a.divide(b)),
            (Self::Le, [a, b]) => Value::Bool(a <= b),
            (Self::Lt, [a, b]) => Value::Bool(a < b),
            (Self::ToRat, [Value::Int(arg)]) => Value::Rat(Rat::from(arg.clone())),
            (Self::ToInt, [Value::Rat(arg)]) => Value::Int(arg.floor()),
            (Self::Select, [Value::Array(map), index]) => map.get(index).clone(),
            (Self::Store, [Value::Array(map), index, value]) => {
                let (index_sort, _) = sorts.as_array(arg_sorts[0]).expect("store is sort-checked");
                Value::Array(Arc::new(map.with(
                    sorts,
                    index_sort,
                    index.clone(),
                    value.clone(),
                )))
            }
            (Self::ConstArray(_), [value]) => {
                Value::Array(Arc::new(ArrayValue::constant(value.clone())))
            }
            (Self::Bv(op), args) => op.apply(sorts, arg_sorts, args),
            (op, args) => panic!("{op:?} is applied to {args:?} against its sort"),
        }
    }
}

fn fold_numbers(args: &[Value], int: fn(&Int, &Int) -> Int, rat: fn(&Rat, &Rat) -> Rat) -> Value {
    let (first, rest) = args.split_first().expect("sums and products are not empty");
    rest.iter()
        .fold(first.clone(), |so_far, next| match (&so_far, next) {
            (Value::Int(a), Value::Int(b)) => Value::Int(int(a, b)),
            (Value::Rat(a), Value::Rat(b)) => Value::Rat(rat(a, b)),
            (a, b) => panic!("arithmetic on {a:?} and {b:?} against its sort"),
        })
}

impl BvOp {
    /// Whether the two arguments may be exchanged.
    pub fn is_commutative(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor
        )
    }

    fn sort_of(self, sorts: &mut Sorts, args: &[SortId]) -> Option<SortId> {
        if let (Self::OfInt(width), &[arg]) = (self, args) {
            return (arg == sorts.int() && width > 0).then(|| sorts.bv(width));
        }
        let width = sorts.bv_width(*args.first()?)?;
        match (self, args) {
            (Self::Neg | Self::Not, &[arg]) => Some(arg),
            (Self::Extract { high, low }, &[_]) => {
                (low <= high && high < width).then(|| sorts.bv(high - low + 1))
            }
            (Self::Zext(to) | Self::Sext(to), &[_]) => (to >= width).then(|| sorts.bv(to)),
            (Self::ToNat, &[_]) => Some(sorts.int()),
            (Self::Concat, &[_, right]) => {
                let total = width.checked_add(sorts.bv_width(right)?)?;
                Some(sorts.bv(total))
            }
            (Self::Ult | Self::Ule | Self::Slt | Self::Sle, &[left, right]) => {
                (left == right).then_some(sorts.bool())
            }
            (
                Self::Neg
                | Self::Not
                | Self::Extract { .. }
                | Self::Zext(_)
                | Self::Sext(_)
                | Self::ToNat
                | Self::OfInt(_),
                _,
            ) => None,
            (_, &[left, right]) => (left == right).then_some(left),
            _ => None,
        }
    }

    fn apply(self, sorts: &Sorts, arg_sorts: &[SortId], args: &[Value]) -> Value {
        if let (Self::OfInt(width), [Value::Int(arg)]) = (self, args) {
            return Value::Bv(wrap(arg, width));
        }
        let width = sorts
            .bv_width(arg_sorts[0])
            .expect("bit-vector operators are sort-checked");
        match args {
            [Value::Bv(arg)] => self.apply_unary(arg, width),
            [Value::Bv(a), Value::Bv(b)] => {
                let right_width = sorts
                    .bv_width(arg_sorts[1])
                    .expect("bit-vector operators are sort-checked");
                self.apply_binary(a, b, width, right_width)
            }
            other => panic!("{self:?} is applied to {other:?} against its sort"),
        }
    }

    fn apply_unary(self, arg: &Int, width: u32) -> Value {
        match self {
            Self::Neg => Value::Bv(wrap(&-arg, width)),
            Self::Not => Value::Bv(&(&Int::power_of_two(width) - &Int::ONE) - arg),
            Self::Extract { high, low } => Value::Bv(wrap(
                &arg.div_euclid(&Int::power_of_two(low)),
                high - low + 1,
            )),
            Self::Zext(_) => Value::Bv(arg.clone()),
            Self::Sext(to) => Value::Bv(wrap(&signed(arg, width), to)),
            Self::ToNat => Value::Int(arg.clone()),
            other => panic!("{other:?} is not unary"),
        }
    }

    fn apply_binary(self, a: &Int, b: &Int, width: u32, right_width: u32) -> Value {
        let (sa, sb) = (|| signed(a, width), || signed(b, width));
        let ones = || &Int::power_of_two(width) - &Int::ONE;
        let bits = |value: Int| Value::Bv(wrap(&value, width));
        match self {
            Self::Add => bits(a + b),
            Self::Sub => bits(a - b),
            Self::Mul => bits(a * b),
            Self::Udiv => Value::Bv(if b.is_zero() { ones() } else { a.div_euclid(b) }),
            Self::Urem => Value::Bv(a.mod_euclid(b)),
            Self::Sdiv => bits(match (b.is_zero(), sa().is_negative()) {
                (true, true) => Int::ONE,
                (true, false) => ones(),
                (false, _) => truncating_div(&sa(), &sb()),
            }),
            Self::Srem if b.is_zero() => bits(sa()),
            Self::Srem => bits(&sa() - &(&sb() * &truncating_div(&sa(), &sb()))),
            Self::Smod => bits(floor_mod(&sa(), &sb())),
            Self::And => Value::Bv(bitwise(a, b, |x, y| x & y)),
            Self::Or => Value::Bv(bitwise(a, b, |x, y| x | y)),
            Self::Xor => Value::Bv(bitwise(a, b, |x, y| x ^ y)),
            Self::Shl => match shift(b, width) {
                Some(by) => bits(a * &Int::power_of_two(by)),
                None => Value::Bv(Int::ZERO),
            },
            Self::Lshr => match shift(b, width) {
                Some(by) => Value::Bv(a.div_euclid(&Int::power_of_two(by))),
                None => Value::Bv(Int::ZERO),
            },
            Self::Ashr => {
                let by = shift(b, width).unwrap_or(width);
                bits(sa().div_euclid(&Int::power_of_two(by)))
            }
            Self::Rotl => Value::Bv(rotate_left(
                a,
                &b.mod_euclid(&Int::from(i64::from(width))),
                width,
            )),
            Self::Rotr => {
                let width_int = Int::from(i64::from(width));
                let by = (&width_int - &b.mod_euclid(&width_int)).mod_euclid(&width_int);
                Value::Bv(rotate_left(a, &by, width))
            }
            Self::Ult => Value::Bool(a < b),
            Self::Ule => Value::Bool(a <= b),
            Self::Slt => Value::Bool(sa() < sb()),
            Self::Sle => Value::Bool(sa() <= sb()),
            Self::Concat => Value::Bv(&(a * &Int::power_of_two(right_width)) + b),
            other => panic!("{other:?} is not binary"),
        }
    }
}

/// The value modulo two to the power of the width.
fn wrap(value: &Int, width: u32) -> Int {
    if let (Some(small), true) = (value.to_i64(), width < 63) {
        return Int::from(small & ((1 << width) - 1));
    }
    value.mod_euclid(&Int::power_of_two(width))
}

/// The bits read as two's complement.
fn signed(bits: &Int, width: u32) -> Int {
    if *bits >= Int::power_of_two(width - 1) {
        bits - &Int::power_of_two(width)
    } else {
        bits.clone()
    }
}

/// A shift distance below the width.
fn shift(by: &Int, width: u32) -> Option<u32> {
    by.to_i64()
        .and_then(|by| u32::try_from(by).ok())
        .filter(|&by| by < width)
}

fn rotate_left(bits: &Int, by: &Int, width: u32) -> Int {
    let by = by
        .to_i64()
        .and_then(|by| u32::try_from(by).ok())
        .expect("the distance is below the width");
    let high = wrap(&(bits * &Int::power_of_two(by)), width);
    &high + &bits.div_euclid(&Int::power_of_two(width - by))
}

/// Division that rounds towards zero; the divisor is not zero.
fn truncating_div(a: &Int, b: &Int) -> Int {
    let quotient = a.abs().div_euclid(&b.abs());
    if a.is_negative() == b.is_negative() {
        quotient
    } else {
        -&quotient
    }
}

/// The remainder with the sign of the divisor (`bvsmod`); by zero: the dividend.
fn floor_mod(a: &Int, b: &Int) -> Int {
    let modulus = a.mod_euclid(b);
    if b.is_negative() && !modulus.is_zero() {
        &modulus + b
    } else {
        modulus
    }
}

fn bitwise(
    a: &Int,
    b: &Int,
    on: fn(num_bigint::BigInt, num_bigint::BigInt) -> num_bigint::BigInt,
) -> Int {
    Int::from(on(a.to_big(), b.to_big()))
}
