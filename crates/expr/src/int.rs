//! Integers of any size with a fast path for those that fit a machine word.
//!
//! Invariant: a value is `Big` only if it does not fit an `i64`, so that derived equality and
//! hashing are right.

use num_bigint::{BigInt, ParseBigIntError};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

/// A mathematical integer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Box<BigInt>),
}

impl Int {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Small(0));
    /// One.
    pub const ONE: Self = Self(Repr::Small(1));

    /// The value if it fits a machine word.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(small) => Some(small),
            Repr::Big(_) => None,
        }
    }

    /// The value as a number of unbounded size.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(small) => BigInt::from(*small),
            Repr::Big(big) => (**big).clone(),
        }
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0)
    }

    /// Whether this is less than zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(small) => *small < 0,
            Repr::Big(big) => big.is_negative(),
        }
    }

    /// The distance from zero.
    pub fn abs(&self) -> Self {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// Two to the power `exponent`.
    pub fn power_of_two(exponent: u32) -> Self {
        Self::from(BigInt::from(1) << exponent)
    }

    /// SMT-LIB `div`: the quotient whose remainder is not negative. `x div 0` is 0 (SMT-LIB allows
    /// any value there; we fix one so that a run can be replayed).
    pub fn div_euclid(&self, divisor: &Self) -> Self {
        if divisor.is_zero() {
            return Self::ZERO;
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0)
            && let Some(quotient) = a.checked_div_euclid(*b)
        {
            return Self::from(quotient);
        }
        let (a, b) = (self.to_big(), divisor.to_big());
        let (quotient, remainder) = a.div_rem(&b);
        Self::from(match (remainder.is_negative(), b.is_negative()) {
            (false, _) => quotient,
            (true, false) => quotient - 1,
            (true, true) => quotient + 1,
        })
    }

    /// SMT-LIB `mod`: never negative, less than the divisor's absolute value. `x mod 0` is `x`.
    pub fn mod_euclid(&self, divisor: &Self) -> Self {
        self - &(divisor * &self.div_euclid(divisor))
    }

    /// `rem` as in Theta and Z3: `mod` with the sign of the divisor.
    pub fn rem_signed(&self, divisor: &Self) -> Self {
        let modulus = self.mod_euclid(divisor);
        if divisor.is_negative() {
            -&modulus
        } else {
            modulus
        }
    }

    /// The greatest common divisor, never negative.
    pub fn gcd(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) if *a != i64::MIN && *b != i64::MIN => {
                Self::from(a.gcd(b))
            }
            _ => Self::from(self.to_big().gcd(&other.to_big())),
        }
    }

    /// The value of digits to a base of 2 to 36, with an optional sign.
    pub fn parse_radix(text: &str, radix: u32) -> Option<Self> {
        match i64::from_str_radix(text, radix) {
            Ok(small) => Some(Self::from(small)),
            Err(_) => BigInt::parse_bytes(text.as_bytes(), radix).map(Self::from),
        }
    }

    /// How many bits a non-negative value needs.
    pub fn bits(&self) -> u64 {
        self.to_big().bits()
    }
}

impl From<i64> for Int {
    fn from(small: i64) -> Self {
        Self(Repr::Small(small))
    }
}

impl From<BigInt> for Int {
    fn from(big: BigInt) -> Self {
        match big.to_i64() {
            Some(small) => Self::from(small),
            None => Self(Repr::Big(Box::new(big))),
        }
    }
}

impl FromStr for Int {
    type Err = ParseBigIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<i64>() {
            Ok(small) => Ok(Self::from(small)),
            Err(_) => text.parse::<BigInt>().map(Self::from),
        }
    }
}

macro_rules! arithmetic {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait for &Int {
            type Output = Int;
            fn $method(self, other: Self) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(result) = a.$checked(*b)
                {
                    return Int::from(result);
                }
                Int::from(self.to_big().$method(other.to_big()))
            }
        }
    };
}
arithmetic!(Add, add, checked_add);
arithmetic!(Sub, sub, checked_sub);
arithmetic!(Mul, mul, checked_mul);

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            // A big value lies outside the range of the small ones: its sign decides.
            (Repr::Small(_), Repr::Big(b)) => BigInt::zero().cmp(b),
            (Repr::Big(a), Repr::Small(_)) => (**a).cmp(&BigInt::zero()),
        }
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(small) => small.fmt(f),
            Repr::Big(big) => big.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Int {
        text.parse().expect("a number")
    }

    #[test]
    fn division_follows_smt_lib_in_all_four_quadrants() {
        let table = [
            (7, 3, 2, 1, 1),
            (-7, 3, -3, 2, 2),
            (7, -3, -2, 1, -1),
            (-7, -3, 3, 2, -2),
            (7, 0, 0, 7, 7),
        ];
        for (a, b, div, modulus, rem) in table {
            let (a, b) = (Int::from(a), Int::from(b));
            assert_eq!(a.div_euclid(&b), Int::from(div), "{a} div {b}");
            assert_eq!(a.mod_euclid(&b), Int::from(modulus), "{a} mod {b}");
            assert_eq!(a.rem_signed(&b), Int::from(rem), "{a} rem {b}");
        }
    }

    #[test]
    fn the_fast_path_and_the_big_one_meet_without_a_seam() {
        let max = Int::from(i64::MAX);
        let above = &max + &Int::ONE;
        assert_eq!(above.to_string(), "9223372036854775808");
        assert_eq!(above.to_i64(), None);
        assert_eq!(&above - &Int::ONE, max);
        assert!(above > max && -&above < Int::from(0));
        assert_eq!(Int::from(i64::MIN).div_euclid(&Int::from(-1)), above);
        assert_eq!(Int::from(i64::MIN).gcd(&Int::ZERO), above);
        assert_eq!(
            int("-9223372036854775809").div_euclid(&int("9223372036854775808")),
            Int::from(-2)
        );
        assert_eq!(
            int("-9223372036854775809").mod_euclid(&int("9223372036854775808")),
            max
        );
        assert_eq!(
            int("-18446744073709551617").div_euclid(&int("-18446744073709551616")),
            Int::from(2)
        );
    }
}
