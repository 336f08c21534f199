//! Integers between known bounds as bits, in two's complement: the last of the bits is the sign.
//!
//! Every term has as many bits as its values may need, whatever its arguments are, so nothing overflows and the bits mean exactly the
//! integer. Bits that repeat the sign are left out. A variable that is never negative is stored without a sign.

use super::{Bits, BvOp, Gates, Int, NoBits, Op, TermId, Terms};

/// Wider integers are not tried.
const WIDEST: usize = 64;

/// The bits of a variable that has the values of a range.
pub(super) fn stored_width((low, high): &(Int, Int)) -> u32 {
    let below = &-low - &Int::ONE;
    let width = if low.is_negative() {
        below.bits().max(high.bits()) + 1
    } else {
        high.bits()
    };
    u32::try_from(width.max(1)).unwrap_or(u32::MAX)
}

/// The bits of a number.
pub(super) fn literal(terms: &Terms, value: &Int) -> Result<Bits, NoBits> {
    let signed = stored_width(&(value.clone(), value.clone())) as usize + 1;
    if signed > WIDEST {
        return Err(too_wide());
    }
    Ok(trimmed(super::constant(terms, value, signed as u32)))
}

fn too_wide() -> NoBits {
    NoBits("has integers of more than 64 bits")
}

/// The same number, or its last bits, in another width.
pub(crate) fn resized(bits: &[TermId], width: usize) -> Bits {
    let sign = bits[bits.len() - 1];
    let mut bits = bits.to_vec();
    bits.resize(width, sign);
    bits
}

/// Without bits that repeat the sign.
fn trimmed(mut bits: Bits) -> Bits {
    while let [.., before, sign] = bits[..]
        && before == sign
    {
        bits.pop();
    }
    bits
}

/// Both in one width that holds them, and some bits more.
fn alike(a: &[TermId], b: &[TermId], more: usize) -> (Bits, Bits) {
    let width = a.len().max(b.len()) + more;
    (resized(a, width), resized(b, width))
}

impl Gates<'_> {
    /// An operation that takes or gives integers.
    pub(super) fn integer(&mut self, op: Op, args: &[&[TermId]]) -> Result<Bits, NoBits> {
        let bits = match (op, args) {
            (Op::Add, _) => self.balanced(args, |gates, a, b| {
                let (a, b) = alike(a, b, 1);
                gates.sum(&a, &b, false).0
            })?,
            (Op::Mul, _) => self.balanced(args, |gates, a, b| {
                let width = a.len() + b.len();
                gates.product(&resized(a, width), &resized(b, width))
            })?,
            (Op::Div | Op::Mod | Op::Rem, [a, b]) => {
                // One more bit: the quotient of the least number and -1, and the size of the least number.
                let (a, b) = alike(a, b, 1);
                self.euclidean(op, &a, &b)
            }
            (Op::Ite, [condition, a, b]) => {
                let (a, b) = alike(a, b, 0);
                self.choose(condition[0], &a, &b)
            }
            (Op::Bv(BvOp::ToNat), [bits]) => {
                let no = self.terms.false_();
                bits.iter().copied().chain([no]).collect()
            }
            (Op::Bv(BvOp::OfInt(width)), [bits]) => return Ok(resized(bits, width as usize)),
            (Op::Eq | Op::Le | Op::Lt, [a, b]) => {
                let (a, b) = alike(a, b, 0);
                return Ok(vec![match op {
                    Op::Eq => self.equal(&a, &b),
                    Op::Le => self.order(BvOp::Sle, &a, &b),
                    _ => self.order(BvOp::Slt, &a, &b),
                }]);
            }
            _ => return Err(NoBits("has operations on integers that are not on bits")),
        };
        let bits = trimmed(bits);
        if bits.len() > WIDEST {
            return Err(too_wide());
        }
        Ok(bits)
    }

    /// Joins all, neighbours first: then widths grow least.
    fn balanced(
        &mut self,
        args: &[&[TermId]],
        join: impl Fn(&mut Self, &[TermId], &[TermId]) -> Bits,
    ) -> Result<Bits, NoBits> {
        let mut all: Vec<Bits> = args.iter().map(|bits| bits.to_vec()).collect();
        while all.len() > 1 {
            let mut joined = Vec::with_capacity(all.len().div_ceil(2));
            for pair in all.chunks(2) {
                joined.push(match pair {
                    [a, b] if a.len() + b.len() > 2 * WIDEST => return Err(too_wide()),
                    [a, b] => trimmed(join(self, a, b)),
                    single => single[0].clone(),
                });
            }
            all = joined;
        }
        Ok(all.pop().expect("sums and products are of something"))
    }

    /// Division whose rest is never negative; by zero as Lariat defines it.
    fn euclidean(&mut self, op: Op, a: &[TermId], b: &[TermId]) -> Bits {
        let zero = vec![self.terms.false_(); a.len()];
        let by_zero = self.equal(b, &zero);
        let rest = self.signed_division(BvOp::Srem, a, b);
        let (is_below, is_negative) = (rest[rest.len() - 1], b[b.len() - 1]);
        if op == Op::Div {
            let quotient = self.signed_division(BvOp::Sdiv, a, b);
            let ones = vec![self.terms.true_(); a.len()];
            let less = self.sum(&quotient, &ones, false).0;
            let more = self.sum(&quotient, &zero, true).0;
            let other = self.choose(is_negative, &more, &less);
            let quotient = self.choose(is_below, &other, &quotient);
            return self.choose(by_zero, &zero, &quotient);
        }
        let size = self.size(b);
        let above = self.sum(&rest, &size, false).0;
        let mut result = self.choose(is_below, &above, &rest);
        if op == Op::Rem {
            let negated = self.negated(&result);
            result = self.choose(is_negative, &negated, &result);
        }
        self.choose(by_zero, a, &result)
    }
}
