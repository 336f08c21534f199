//! Rational numbers in lowest terms.

use crate::Int;
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul};

/// A rational number. Invariant: the denominator is positive and shares no factor with the numerator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rat {
    numerator: Int,
    denominator: Int,
}

impl Rat {
    /// `numerator / denominator`; nothing if the denominator is zero.
    pub fn new(numerator: Int, denominator: Int) -> Option<Self> {
        if denominator.is_zero() {
            return None;
        }
        let gcd = numerator.gcd(&denominator);
        let gcd = if denominator.is_negative() {
            -&gcd
        } else {
            gcd
        };
        Some(Self {
            numerator: numerator.div_euclid(&gcd),
            denominator: denominator.div_euclid(&gcd),
        })
    }

    /// The numerator of the lowest terms.
    pub fn numerator(&self) -> &Int {
        &self.numerator
    }

    /// The positive denominator of the lowest terms.
    pub fn denominator(&self) -> &Int {
        &self.denominator
    }

    /// Whether this is zero.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// The value if it is an integer.
    pub fn to_int(&self) -> Option<&Int> {
        (self.denominator == Int::ONE).then_some(&self.numerator)
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> Int {
        self.numerator.div_euclid(&self.denominator)
    }

    /// The quotient; division by zero gives zero (SMT-LIB allows any value, we fix one).
    pub fn divide(&self, divisor: &Self) -> Self {
        Self::new(
            &self.numerator * &divisor.denominator,
            &self.denominator * &divisor.numerator,
        )
        .unwrap_or_else(|| Self::from(Int::ZERO))
    }
}

impl From<Int> for Rat {
    fn from(numerator: Int) -> Self {
        Self {
            numerator,
            denominator: Int::ONE,
        }
    }
}

impl Add for &Rat {
    type Output = Rat;
    fn add(self, other: Self) -> Rat {
        let numerator =
            &(&self.numerator * &other.denominator) + &(&other.numerator * &self.denominator);
        Rat::new(numerator, &self.denominator * &other.denominator)
            .expect("denominators are positive")
    }
}

impl Mul for &Rat {
    type Output = Rat;
    fn mul(self, other: Self) -> Rat {
        Rat::new(
            &self.numerator * &other.numerator,
            &self.denominator * &other.denominator,
        )
        .expect("denominators are positive")
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rat {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rat(n: i64, d: i64) -> Rat {
        Rat::new(Int::from(n), Int::from(d)).expect("not over zero")
    }

    #[test]
    fn lowest_terms_and_order() {
        assert_eq!(rat(2, -4), rat(-1, 2));
        assert_eq!(&rat(1, 2) + &rat(1, 3), rat(5, 6));
        assert_eq!(&rat(-2, 3) * &rat(3, 4), rat(-1, 2));
        assert_eq!(rat(1, 2).divide(&rat(-1, 4)), rat(-2, 1));
        assert_eq!(rat(1, 2).divide(&rat(0, 1)), rat(0, 1));
        assert_eq!(rat(-1, 2).floor(), Int::from(-1));
        assert!(rat(1, 3) < rat(1, 2) && rat(-1, 2) < rat(-1, 3));
        assert_eq!(Rat::new(Int::ONE, Int::ZERO), None);
        assert_eq!(rat(0, -7), rat(0, 1));
    }
}
