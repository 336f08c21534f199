//! Bounded integers as bit-vectors. Every term is as wide as its values need, in two's complement, so nothing overflows and the
//! bit-vector means exactly the integer. Variables that are never negative are kept without a sign.
//!
//! An input outside of its interval would be in no step that is taken; it must not be in one here, either, since terms are only
//! as wide as the interval needs.

use super::bounds::{Bounds, interval};
use super::functions::Functions;
use super::interval::Interval;
use super::machine::made;
use super::refuse;
use lariat_base::{Diagnostic, FxHashMap};
use lariat_expr::{BvOp, Head, Int, Op, TermId, Value, VarId};
use lariat_system::Context;

/// The widest bit-vector that is made.
const WIDEST: u64 = 512;

/// Makes bit-vectors of all integers.
pub(super) fn lower(
    cx: &mut Context,
    functions: &mut Functions,
    bounds: &Bounds,
) -> Result<(), Diagnostic> {
    let mut lowering = Lowering {
        bounds,
        variables: FxHashMap::default(),
        terms: FxHashMap::default(),
    };
    let mut ranges = [Vec::new(), Vec::new()];
    let lists = [&functions.start_inputs, &functions.inputs];
    for (list, ranges) in lists.into_iter().zip(&mut ranges) {
        for &input in list {
            if !is_int(cx, input) {
                continue;
            }
            let (low, high) = lowering.ends(cx, input)?;
            let (low, high) = (cx.terms.int(low), cx.terms.int(high));
            let input = cx.terms.var(input);
            ranges.extend([cx.terms.le(low, input), cx.terms.le(input, high)]);
        }
    }
    let [start, step] = ranges;
    functions.start = cx.terms.and(&[&[functions.start], &start[..]].concat());
    functions.step = cx.terms.and(&[&[functions.step], &step[..]].concat());
    for at in 0..functions.states.len() {
        let state = &functions.states[at];
        if !is_int(cx, state.var) {
            continue;
        }
        let (first, next) = (state.first, state.next);
        let (var, width) = lowering.stored(cx, state.var)?;
        let cut = |lowering: &mut Lowering<'_>, cx: &mut Context, term| {
            let term = lowering.term(cx, term)?;
            Ok::<_, Diagnostic>(resize(cx, term, width))
        };
        let first = cut(&mut lowering, cx, first)?;
        let next = cut(&mut lowering, cx, next)?;
        let state = &mut functions.states[at];
        (state.var, state.first, state.next, state.range) = (var, first, next, None);
    }
    for list in [&mut functions.start_inputs, &mut functions.inputs] {
        for input in list {
            if is_int(cx, *input) {
                *input = lowering.stored(cx, *input)?.0;
            }
        }
    }
    let mut whole = |term| lowering.term(cx, term);
    functions.map_terms(&mut whole)
}

fn is_int(cx: &Context, var: VarId) -> bool {
    cx.terms.var_sort(var) == cx.terms.sorts.int()
}

struct Lowering<'a> {
    bounds: &'a Bounds,
    /// The bit-vector of each integer, and its width.
    variables: FxHashMap<VarId, (VarId, u32)>,
    terms: FxHashMap<TermId, TermId>,
}

impl Lowering<'_> {
    fn ends(&self, cx: &Context, var: VarId) -> Result<(Int, Int), Diagnostic> {
        let known = self.bounds.get(&var).and_then(Interval::ends);
        known.ok_or_else(|| {
            let name = cx.terms.name(var);
            let finding = refuse(&format!("has the integer `{name}`, for which no bounds were found"));
            finding.hint("give it a range where the language has ranges, or keep it between constants by a guard")
        })
    }

    /// The bit-vector of a variable, and its width.
    fn stored(&mut self, cx: &mut Context, var: VarId) -> Result<(VarId, u32), Diagnostic> {
        if let Some(&known) = self.variables.get(&var) {
            return Ok(known);
        }
        let (low, high) = self.ends(cx, var)?;
        let signed = width_of(cx, var, &low, &high)?;
        let width = if low.is_negative() {
            signed
        } else {
            (signed - 1).max(1)
        };
        let sort = cx.terms.sorts.bv(width);
        let name = cx.terms.name(var).to_owned();
        let new = (made(cx, &name, sort), width);
        self.variables.insert(var, new);
        Ok(new)
    }

    /// A term without integers inside; an integer itself becomes a bit-vector with a sign.
    fn term(&mut self, cx: &mut Context, root: TermId) -> Result<TermId, Diagnostic> {
        for term in cx.terms.subterms(&[root]) {
            if !self.terms.contains_key(&term) {
                let new = self.new_term(cx, term)?;
                self.terms.insert(term, new);
            }
        }
        Ok(self.terms[&root])
    }

    fn new_term(&mut self, cx: &mut Context, term: TermId) -> Result<TermId, Diagnostic> {
        let int = cx.terms.sorts.int();
        let (op, args) = match cx.terms.head(term) {
            Head::Var(var) if cx.terms.sort(term) == int => {
                let (low, _) = self.ends(cx, var)?;
                let (var, width) = self.stored(cx, var)?;
                let var = cx.terms.var(var);
                let to = if low.is_negative() { width } else { width + 1 };
                return Ok(bv(cx, BvOp::Zext(to), &[var]));
            }
            Head::Lit(Value::Int(value)) => {
                let value = value.clone();
                let width = width(&value, &value)?;
                return Ok(constant(cx, &value, width));
            }
            Head::Var(_) | Head::Lit(_) => return Ok(term),
            Head::Op(op, args) => (op, args.to_vec()),
        };
        let new: Vec<TermId> = args.iter().map(|arg| self.terms[arg]).collect();
        let of_first = args.first().map(|&arg| cx.terms.sort(arg));
        if cx.terms.sort(term) == int {
            return self.number(cx, term, op, &new);
        }
        match op {
            Op::Le | Op::Lt | Op::Eq if of_first == Some(int) => {
                let [left, right] = alike(cx, [new[0], new[1]]);
                Ok(match op {
                    Op::Le => bv(cx, BvOp::Sle, &[left, right]),
                    Op::Lt => bv(cx, BvOp::Slt, &[left, right]),
                    _ => cx.terms.eq(left, right),
                })
            }
            Op::Bv(BvOp::OfInt(width)) => Ok(resize(cx, new[0], width)),
            Op::ToRat => Err(refuse("has rational numbers")),
            Op::Select | Op::Store | Op::ConstArray(_) => Err(refuse(
                "has an array with integers that was not taken apart",
            )),
            op => cx
                .terms
                .build(op, &new)
                .map_err(|_| refuse("has an array with integers")),
        }
    }

    /// An operation that gives an integer.
    fn number(
        &mut self,
        cx: &mut Context,
        term: TermId,
        op: Op,
        args: &[TermId],
    ) -> Result<TermId, Diagnostic> {
        let widths = args
            .iter()
            .filter_map(|&arg| cx.terms.sorts.bv_width(cx.terms.sort(arg)));
        let widest = widths.max().unwrap_or(1);
        let own = interval(cx, self.bounds, term);
        let (low, high) = own
            .ends()
            .ok_or_else(|| refuse("has an expression of integers without bounds"))?;
        let own = width(&low, &high)?;
        match (op, args) {
            // What does not overflow at the end may overflow on the way: the bits that count are right all the same.
            (Op::Add | Op::Mul, _) => {
                let op = if op == Op::Add { BvOp::Add } else { BvOp::Mul };
                let args: Vec<TermId> = args.iter().map(|&arg| resize(cx, arg, own)).collect();
                let (first, rest) = args.split_first().expect("a sum is of something");
                Ok(rest
                    .iter()
                    .fold(*first, |so_far, &next| bv(cx, op, &[so_far, next])))
            }
            (Op::Ite, &[condition, then, otherwise]) => {
                let (then, otherwise) = (resize(cx, then, own), resize(cx, otherwise, own));
                Ok(cx.terms.ite(condition, then, otherwise))
            }
            (Op::Div | Op::Mod | Op::Rem, &[left, right]) => {
                // One more bit: the quotient of the least number and -1, and the size of the least number.
                let wide = widest + 1;
                let (left, right) = (resize(cx, left, wide), resize(cx, right, wide));
                let result = divided(cx, op, left, right, wide);
                Ok(resize(cx, result, own))
            }
            (Op::Bv(BvOp::ToNat), &[bits]) => Ok(bv(cx, BvOp::Zext(widest + 1), &[bits])),
            (Op::ToInt, _) => Err(refuse("has rational numbers")),
            _ => Err(refuse(
                "has an array with integers that was not taken apart",
            )),
        }
    }
}

/// Division that rounds down for positive divisors and up for negative ones, so that the rest is never negative; by
/// zero as Lariat defines it.
fn divided(cx: &mut Context, op: Op, left: TermId, right: TermId, width: u32) -> TermId {
    let sort = cx.terms.sorts.bv(width);
    let zero = cx.terms.lit(Value::Bv(Int::ZERO), sort);
    let one = cx.terms.lit(Value::Bv(Int::ONE), sort);
    let by_zero = cx.terms.eq(right, zero);
    let rest = bv(cx, BvOp::Srem, &[left, right]);
    let is_below = bv(cx, BvOp::Slt, &[rest, zero]);
    let is_negative = bv(cx, BvOp::Slt, &[right, zero]);
    if op == Op::Div {
        let quotient = bv(cx, BvOp::Sdiv, &[left, right]);
        let less = bv(cx, BvOp::Sub, &[quotient, one]);
        let more = bv(cx, BvOp::Add, &[quotient, one]);
        let other = cx.terms.ite(is_negative, more, less);
        let quotient = cx.terms.ite(is_below, other, quotient);
        return cx.terms.ite(by_zero, zero, quotient);
    }
    let negated = bv(cx, BvOp::Neg, &[right]);
    let size = cx.terms.ite(is_negative, negated, right);
    let above = bv(cx, BvOp::Add, &[rest, size]);
    let mut result = cx.terms.ite(is_below, above, rest);
    if op == Op::Rem {
        let negated = bv(cx, BvOp::Neg, &[result]);
        result = cx.terms.ite(is_negative, negated, result);
    }
    cx.terms.ite(by_zero, left, result)
}

fn bv(cx: &mut Context, op: BvOp, args: &[TermId]) -> TermId {
    cx.terms
        .build(Op::Bv(op), args)
        .expect("the widths were made to fit")
}

/// The same number, or its last bits, in another width.
fn resize(cx: &mut Context, term: TermId, width: u32) -> TermId {
    let own = cx.terms.sorts.bv_width(cx.terms.sort(term));
    if own.is_some_and(|own| own > width) {
        let high = width - 1;
        return bv(cx, BvOp::Extract { high, low: 0 }, &[term]);
    }
    bv(cx, BvOp::Sext(width), &[term])
}

fn alike(cx: &mut Context, both: [TermId; 2]) -> [TermId; 2] {
    let widths = both.map(|term| cx.terms.sorts.bv_width(cx.terms.sort(term)));
    let width = widths.into_iter().flatten().max().unwrap_or(1);
    both.map(|term| resize(cx, term, width))
}

fn constant(cx: &mut Context, value: &Int, width: u32) -> TermId {
    let sort = cx.terms.sorts.bv(width);
    let bits = value.mod_euclid(&Int::power_of_two(width));
    cx.terms.lit(Value::Bv(bits), sort)
}

/// How many bits numbers between these need, with a sign.
fn width(low: &Int, high: &Int) -> Result<u32, Diagnostic> {
    let below = &-low - &Int::ONE;
    let bits = if low.is_negative() {
        below.bits().max(high.bits())
    } else {
        high.bits()
    };
    let width = bits + 1;
    if width > WIDEST {
        return Err(refuse(&format!("has integers of more than {WIDEST} bits")));
    }
    Ok(width as u32)
}

fn width_of(cx: &Context, var: VarId, low: &Int, high: &Int) -> Result<u32, Diagnostic> {
    width(low, high).map_err(|_| {
        let name = cx.terms.name(var);
        refuse(&format!(
            "has the integer `{name}` with more than {WIDEST} bits"
        ))
    })
}
