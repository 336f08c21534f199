//! Bit-vectors in registers: up to 62 bits, as the number without sign that they stand for.

use lariat_expr::BvOp;

/// Wider bit-vectors have no register form.
pub(crate) const MAX_WIDTH: u32 = 62;

/// An operator whose result depends on the width of its arguments. Those that do not need it are instructions of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitOp {
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
    Xor,
    Shl,
    Lshr,
    Ashr,
    Rotl,
    Rotr,
    Slt,
    Sle,
    /// The second argument has this many bits.
    Concat(u8),
    /// From this bit on, so many.
    Extract(u8, u8),
    /// To this width.
    Sext(u8),
    /// A number modulo two to the power of the width.
    OfInt,
}

impl BitOp {
    /// The operator for a term's, whose second argument has `right` bits; nothing if it is one of numbers.
    pub fn new(op: BvOp, right: u32) -> Option<Self> {
        let narrow =
            |width: u32| u8::try_from(width).expect("a bit-vector in a register is narrow");
        Some(match op {
            BvOp::Neg => Self::Neg,
            BvOp::Not => Self::Not,
            BvOp::Add => Self::Add,
            BvOp::Sub => Self::Sub,
            BvOp::Mul => Self::Mul,
            BvOp::Udiv => Self::Udiv,
            BvOp::Urem => Self::Urem,
            BvOp::Sdiv => Self::Sdiv,
            BvOp::Srem => Self::Srem,
            BvOp::Smod => Self::Smod,
            BvOp::Xor => Self::Xor,
            BvOp::Shl => Self::Shl,
            BvOp::Lshr => Self::Lshr,
            BvOp::Ashr => Self::Ashr,
            BvOp::Rotl => Self::Rotl,
            BvOp::Rotr => Self::Rotr,
            BvOp::Slt => Self::Slt,
            BvOp::Sle => Self::Sle,
            BvOp::Concat => Self::Concat(narrow(right)),
            BvOp::Extract { high, low } => Self::Extract(narrow(low), narrow(high - low + 1)),
            BvOp::Sext(to) => Self::Sext(narrow(to)),
            BvOp::OfInt(_) => Self::OfInt,
            BvOp::And | BvOp::Or | BvOp::Ult | BvOp::Ule | BvOp::Zext(_) | BvOp::ToNat => {
                return None;
            }
        })
    }

    /// The result on registers; `width` is that of the first argument, or of the result of [`BitOp::OfInt`].
    pub fn apply(self, width: u8, a: i64, b: i64) -> i64 {
        let width = u32::from(width);
        let (sa, sb) = (signed(a, width), signed(b, width));
        let ones = wrap(-1, width);
        // Both fit a register, and so does the result before it is wrapped, but for products.
        let wide = |value: i128| (value & i128::from(ones)) as i64;
        match self {
            Self::Neg => wrap(-a, width),
            Self::Not => ones - a,
            Self::Add => wrap(a + b, width),
            Self::Sub => wrap(a - b, width),
            Self::Mul => wide(i128::from(a) * i128::from(b)),
            Self::Udiv => a.checked_div(b).unwrap_or(ones),
            Self::Urem => a.checked_rem(b).unwrap_or(a),
            Self::Sdiv => match sa.checked_div(sb) {
                Some(quotient) => wrap(quotient, width),
                None if sa < 0 => 1,
                None => ones,
            },
            Self::Srem => wrap(sa.checked_rem(sb).unwrap_or(sa), width),
            Self::Smod => match sa.checked_rem(sb) {
                Some(rest) if rest != 0 && (rest < 0) != (sb < 0) => wrap(rest + sb, width),
                Some(rest) => wrap(rest, width),
                None => a,
            },
            Self::Xor => a ^ b,
            Self::Shl if b < i64::from(width) => wide(i128::from(a) << b),
            Self::Lshr if b < i64::from(width) => a >> b,
            Self::Shl | Self::Lshr => 0,
            Self::Ashr => wrap(sa >> b.min(i64::from(width)), width),
            Self::Rotl => rotated(a, b % i64::from(width), width),
            Self::Rotr => {
                let by = (i64::from(width) - b % i64::from(width)) % i64::from(width);
                rotated(a, by, width)
            }
            Self::Slt => i64::from(sa < sb),
            Self::Sle => i64::from(sa <= sb),
            Self::Concat(low) => a << low | b,
            Self::Extract(low, n) => wrap(a >> low, u32::from(n)),
            Self::Sext(to) => wrap(sa, u32::from(to)),
            Self::OfInt => wrap(a, width),
        }
    }
}

/// A number modulo two to the power of a width.
fn wrap(value: i64, width: u32) -> i64 {
    value & ((1 << width) - 1)
}

/// The number with sign that bits stand for.
fn signed(bits: i64, width: u32) -> i64 {
    if bits >> (width - 1) & 1 == 1 {
        bits.wrapping_sub(1 << width)
    } else {
        bits
    }
}

fn rotated(bits: i64, left: i64, width: u32) -> i64 {
    wrap(bits << left, width) | bits >> (i64::from(width) - left)
}
