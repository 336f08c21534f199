//! The naive twin of the evaluator: written from SMT-LIB's definitions, on big numbers and lists of
//! bits, sharing nothing with `lariat-expr` but the operator names.

use crate::RawTerm;
use lariat_expr::{BvOp, Op, Sort, SortId, Terms, Value, VarId};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use std::collections::HashMap;

/// A value of the twin. Bits are least significant first.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "one variant per sort")]
pub enum Naive {
    Bool(bool),
    Int(BigInt),
    Rat(BigRational),
    Enum(u32),
    Bits(Vec<bool>),
    /// Writes, latest last, over a default.
    Array(Box<Naive>, Vec<(Naive, Naive)>),
}

impl Naive {
    /// The value as the twin writes it.
    pub fn of(terms: &Terms, sort: SortId, value: &Value) -> Self {
        match (value, terms.sorts.get(sort)) {
            (Value::Bool(b), _) => Self::Bool(*b),
            (Value::Int(i), _) => Self::Int(i.to_big()),
            (Value::Rat(r), _) => Self::Rat(BigRational::new(
                r.numerator().to_big(),
                r.denominator().to_big(),
            )),
            (Value::Enum(e), _) => Self::Enum(*e),
            (Value::Bv(bits), Sort::Bv(width)) => {
                Self::Bits(to_bits(&bits.to_big(), *width as usize))
            }
            (Value::Array(map), Sort::Array { index, element }) => {
                let entries = map
                    .entries()
                    .map(|(i, v)| (Self::of(terms, *index, i), Self::of(terms, *element, v)));
                Self::Array(
                    Box::new(Self::of(terms, *element, map.default_value())),
                    entries.collect(),
                )
            }
            other => panic!("{other:?} is no value of its sort"),
        }
    }

    /// Whether two values are equal; arrays over `sort` are compared index by index.
    pub fn same(&self, other: &Self, terms: &Terms, sort: SortId) -> bool {
        let (Self::Array(default, entries), Self::Array(other_default, other_entries)) =
            (self, other)
        else {
            return self == other;
        };
        let (index, element) = terms.sorts.as_array(sort).expect("an array sort");
        let mentioned = entries.iter().chain(other_entries).map(|(i, _)| i.clone());
        let count = terms.sorts.cardinality(index);
        let indices: Vec<Self> = match count {
            Some(n) => (0..n)
                .map(|i| {
                    Self::of(
                        terms,
                        index,
                        &Value::nth(&terms.sorts, index, i).expect("within the sort"),
                    )
                })
                .collect(),
            None => mentioned.collect(),
        };
        indices
            .iter()
            .all(|i| read(self, i).same(&read(other, i), terms, element))
            && (count.is_some() || default.same(other_default, terms, element))
    }

    fn bool(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    fn int(&self) -> &BigInt {
        match self {
            Self::Int(int) => int,
            other => panic!("{other:?} is no integer"),
        }
    }

    fn rat(&self) -> &BigRational {
        match self {
            Self::Rat(rat) => rat,
            other => panic!("{other:?} is no rational"),
        }
    }

    fn bits(&self) -> &[bool] {
        match self {
            Self::Bits(bits) => bits,
            other => panic!("{other:?} is no bit-vector"),
        }
    }
}

/// The value of a raw term.
pub fn eval_naive(terms: &Terms, term: &RawTerm, env: &HashMap<VarId, Naive>) -> Naive {
    match term {
        RawTerm::Var(var) => env[var].clone(),
        RawTerm::Lit(value, sort) => Naive::of(terms, *sort, value),
        RawTerm::Op(op, args) => {
            // Equality of arrays needs the sort: look at the argument before it is evaluated.
            let sort = sort_of(terms, &args[0]);
            let args: Vec<Naive> = args.iter().map(|arg| eval_naive(terms, arg, env)).collect();
            apply(terms, *op, sort, &args)
        }
    }
}

/// The sort of a raw term, from its leaves.
fn sort_of(terms: &Terms, term: &RawTerm) -> Option<SortId> {
    match term {
        RawTerm::Var(var) => Some(terms.var_sort(*var)),
        RawTerm::Lit(_, sort) => Some(*sort),
        RawTerm::Op(Op::Ite, args) => sort_of(terms, &args[1]),
        RawTerm::Op(Op::Store, args) => sort_of(terms, &args[0]),
        RawTerm::Op(Op::ConstArray(sort), _) => Some(*sort),
        RawTerm::Op(..) => None,
    }
}

fn apply(terms: &Terms, op: Op, sort: Option<SortId>, args: &[Naive]) -> Naive {
    match op {
        Op::Not => Naive::Bool(!args[0].bool()),
        Op::And => Naive::Bool(!args.iter().any(|arg| !arg.bool())),
        Op::Or => Naive::Bool(args.iter().any(Naive::bool)),
        Op::Eq => Naive::Bool(match sort {
            Some(sort) => args[0].same(&args[1], terms, sort),
            None => args[0] == args[1],
        }),
        Op::Ite => args[if args[0].bool() { 1 } else { 2 }].clone(),
        Op::Add => match &args[0] {
            Naive::Rat(_) => Naive::Rat(args.iter().map(Naive::rat).sum()),
            _ => Naive::Int(args.iter().map(Naive::int).sum()),
        },
        Op::Mul => match &args[0] {
            Naive::Rat(_) => Naive::Rat(args.iter().map(Naive::rat).product()),
            _ => Naive::Int(args.iter().map(Naive::int).product()),
        },
        Op::Div | Op::Mod | Op::Rem => Naive::Int(division(op, args[0].int(), args[1].int())),
        Op::RatDiv if args[1].rat().is_zero() => Naive::Rat(BigRational::zero()),
        Op::RatDiv => Naive::Rat(args[0].rat() / args[1].rat()),
        Op::Le | Op::Lt => Naive::Bool(match &args[0] {
            Naive::Rat(left) => left < args[1].rat() || (op == Op::Le && left == args[1].rat()),
            left => left.int() < args[1].int() || (op == Op::Le && left.int() == args[1].int()),
        }),
        Op::ToRat => Naive::Rat(BigRational::from(args[0].int().clone())),
        Op::ToInt => Naive::Int(args[0].rat().floor().to_integer()),
        Op::Select => read(&args[0], &args[1]),
        Op::Store => match &args[0] {
            Naive::Array(default, entries) => {
                let mut entries = entries.clone();
                entries.push((args[1].clone(), args[2].clone()));
                Naive::Array(default.clone(), entries)
            }
            other => panic!("{other:?} is no array"),
        },
        Op::ConstArray(_) => Naive::Array(Box::new(args[0].clone()), Vec::new()),
        Op::Bv(op) => bit_vector(op, args),
    }
}

/// SMT-LIB: for `b ≠ 0`, `a = b * q + r` with `0 <= r < |b|`; by zero as Lariat fixes it.
fn division(op: Op, a: &BigInt, b: &BigInt) -> BigInt {
    if b.is_zero() {
        return if op == Op::Div {
            BigInt::zero()
        } else {
            a.clone()
        };
    }
    let remainder = a.mod_floor(&b.abs());
    match op {
        Op::Div => (a - &remainder) / b,
        Op::Rem if b.is_negative() => -remainder,
        _ => remainder,
    }
}

fn read(array: &Naive, index: &Naive) -> Naive {
    match array {
        Naive::Array(default, entries) => entries
            .iter()
            .rev()
            .find(|(i, _)| i == index)
            .map_or_else(|| (**default).clone(), |(_, v)| v.clone()),
        other => panic!("{other:?} is no array"),
    }
}

fn to_bits(value: &BigInt, width: usize) -> Vec<bool> {
    let modulus = BigInt::from(1) << width;
    let mut rest = value.mod_floor(&modulus);
    (0..width)
        .map(|_| {
            let bit = rest.is_odd();
            rest >>= 1;
            bit
        })
        .collect()
}

fn unsigned(bits: &[bool]) -> BigInt {
    bits.iter()
        .rev()
        .fold(BigInt::zero(), |so_far, &bit| so_far * 2 + u8::from(bit))
}

fn negate(bits: &[bool]) -> Vec<bool> {
    to_bits(&-unsigned(bits), bits.len())
}

fn is_negative(bits: &[bool]) -> bool {
    bits[bits.len() - 1]
}

fn udiv(a: &[bool], b: &[bool]) -> Vec<bool> {
    let divisor = unsigned(b);
    if divisor.is_zero() {
        vec![true; a.len()]
    } else {
        to_bits(&(unsigned(a) / divisor), a.len())
    }
}

fn urem(a: &[bool], b: &[bool]) -> Vec<bool> {
    let divisor = unsigned(b);
    if divisor.is_zero() {
        a.to_vec()
    } else {
        to_bits(&(unsigned(a) % divisor), a.len())
    }
}

/// Signed operators through the unsigned ones, as the SMT-LIB theory defines them.
fn signed(op: BvOp, a: &[bool], b: &[bool]) -> Vec<bool> {
    let (neg_a, neg_b) = (is_negative(a), is_negative(b));
    let absolute = |bits: &[bool], negative| {
        if negative {
            negate(bits)
        } else {
            bits.to_vec()
        }
    };
    let (abs_a, abs_b) = (absolute(a, neg_a), absolute(b, neg_b));
    match op {
        BvOp::Sdiv => {
            let quotient = udiv(&abs_a, &abs_b);
            if neg_a == neg_b {
                quotient
            } else {
                negate(&quotient)
            }
        }
        BvOp::Srem => {
            let remainder = urem(&abs_a, &abs_b);
            if neg_a { negate(&remainder) } else { remainder }
        }
        _ => {
            let remainder = urem(&abs_a, &abs_b);
            if !remainder.contains(&true) {
                return remainder;
            }
            let sum = |x: &[bool]| to_bits(&(unsigned(x) + unsigned(b)), b.len());
            match (neg_a, neg_b) {
                (false, false) => remainder,
                (true, false) => sum(&negate(&remainder)),
                (false, true) => sum(&remainder),
                (true, true) => negate(&remainder),
            }
        }
    }
}

fn bit_vector(op: BvOp, args: &[Naive]) -> Naive {
    if let (BvOp::OfInt(width), Naive::Int(int)) = (op, &args[0]) {
        return Naive::Bits(to_bits(int, width as usize));
    }
    let a = args[0].bits();
    let b = args.get(1).map_or(&[][..], Naive::bits);
    let width = a.len();
    let arithmetic = |value: BigInt| to_bits(&value, width);
    let zip = |on: fn(bool, bool) -> bool| {
        a.iter()
            .zip(b)
            .map(|(&x, &y)| on(x, y))
            .collect::<Vec<bool>>()
    };
    // Index arithmetic on bits: `from(i)` is where bit `i` of the result comes from.
    let distance = || unsigned(b);
    let pick = |source: &dyn Fn(usize) -> bool| (0..width).map(source).collect::<Vec<bool>>();
    let small = |value: &BigInt| usize::try_from(value).ok();
    Naive::Bits(match op {
        BvOp::Neg => negate(a),
        BvOp::Not => a.iter().map(|bit| !bit).collect(),
        BvOp::Add => arithmetic(unsigned(a) + unsigned(b)),
        BvOp::Sub => arithmetic(unsigned(a) - unsigned(b)),
        BvOp::Mul => arithmetic(unsigned(a) * unsigned(b)),
        BvOp::Udiv => udiv(a, b),
        BvOp::Urem => urem(a, b),
        BvOp::Sdiv | BvOp::Srem | BvOp::Smod => signed(op, a, b),
        BvOp::And => zip(|x, y| x && y),
        BvOp::Or => zip(|x, y| x || y),
        BvOp::Xor => zip(|x, y| x != y),
        BvOp::Shl => pick(&|i| {
            small(&distance())
                .and_then(|d| i.checked_sub(d))
                .is_some_and(|j| a[j])
        }),
        BvOp::Lshr => pick(&|i| {
            small(&distance())
                .and_then(|d| a.get(i + d))
                .copied()
                .unwrap_or(false)
        }),
        BvOp::Ashr => pick(&|i| {
            small(&distance())
                .and_then(|d| a.get(i + d))
                .copied()
                .unwrap_or(a[width - 1])
        }),
        BvOp::Rotl => pick(&|i| {
            a[(i + width - small(&(distance() % width)).expect("below the width")) % width]
        }),
        BvOp::Rotr => {
            pick(&|i| a[(i + small(&(distance() % width)).expect("below the width")) % width])
        }
        BvOp::Ult => return Naive::Bool(unsigned(a) < unsigned(b)),
        BvOp::Ule => return Naive::Bool(unsigned(a) <= unsigned(b)),
        BvOp::Slt | BvOp::Sle => {
            let less = match (is_negative(a), is_negative(b)) {
                (true, false) => true,
                (false, true) => false,
                _ => unsigned(a) < unsigned(b),
            };
            return Naive::Bool(less || (op == BvOp::Sle && a == b));
        }
        BvOp::Concat => b.iter().chain(a).copied().collect(),
        BvOp::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
        BvOp::Zext(to) => a
            .iter()
            .copied()
            .chain(std::iter::repeat(false))
            .take(to as usize)
            .collect(),
        BvOp::Sext(to) => a
            .iter()
            .copied()
            .chain(std::iter::repeat(a[width - 1]))
            .take(to as usize)
            .collect(),
        BvOp::ToNat => return Naive::Int(unsigned(a)),
        BvOp::OfInt(_) => panic!("takes an integer"),
    })
}
