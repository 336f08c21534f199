//! Intervals of integers, with or without ends, and what operators make of them.

use lariat_expr::{Int, Op, Value};

/// The values from the first to the second; none is without end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Interval {
    pub low: Option<Int>,
    pub high: Option<Int>,
}

/// Division as Lariat defines it, also by zero.
pub(super) fn divided(op: Op, left: &Interval, right: &Interval) -> Interval {
    let largest = match (&right.low, &right.high) {
        (Some(low), Some(high)) => Some(low.abs().max(high.abs())),
        _ => None,
    };
    let may_be_zero = !right.meet(&Interval::new(Int::ZERO, Int::ZERO)).is_empty();
    match op {
        Op::Div => {
            // The quotient is not farther from zero than the dividend, but for rounding down.
            let bound = left.magnitude();
            match bound {
                Some(bound) => Interval::new(-&bound, bound),
                None => Interval::all(),
            }
        }
        _ => {
            let mut rest = match largest {
                Some(largest) => {
                    let most = (&largest - &Int::ONE).max(Int::ZERO);
                    let least = if op == Op::Rem { -&most } else { Int::ZERO };
                    Interval::new(least, most)
                }
                None => Interval::all(),
            };
            if may_be_zero {
                rest = rest.join(left);
            }
            rest
        }
    }
}

impl Interval {
    pub fn new(low: Int, high: Int) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
        }
    }

    pub fn all() -> Self {
        Self {
            low: None,
            high: None,
        }
    }

    /// The interval of a value; of an array, that of its elements.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Int(int) => Self::new(int.clone(), int.clone()),
            Value::Array(map) => {
                let default = Self::of(map.default_value());
                map.entries()
                    .fold(default, |all, (_, value)| all.join(&Self::of(value)))
            }
            _ => Self::all(),
        }
    }

    /// Both ends, if there are both.
    pub fn ends(&self) -> Option<(Int, Int)> {
        self.low.clone().zip(self.high.clone())
    }

    /// The largest absolute value.
    fn magnitude(&self) -> Option<Int> {
        let (low, high) = self.ends()?;
        Some(low.abs().max(high.abs()))
    }

    pub fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(low), Some(high)) if low > high)
    }

    pub fn is_point(&self) -> bool {
        self.low.is_some() && self.low == self.high
    }

    /// Without a value at one of its ends, if the other interval is just that value.
    pub fn without(&self, other: &Self) -> Self {
        let mut less = self.clone();
        if other.is_point() && less.low == other.low {
            less.low = less.low.map(|low| &low + &Int::ONE);
        }
        if other.is_point() && less.high == other.high {
            less.high = less.high.map(|high| &high - &Int::ONE);
        }
        less
    }

    pub fn join(&self, other: &Self) -> Self {
        let both = |a: &Option<Int>, b: &Option<Int>| a.clone().zip(b.clone());
        Self {
            low: both(&self.low, &other.low).map(|(a, b)| a.min(b)),
            high: both(&self.high, &other.high).map(|(a, b)| a.max(b)),
        }
    }

    pub fn meet(&self, other: &Self) -> Self {
        let either = |a: &Option<Int>, b: &Option<Int>, pick: fn(Int, Int) -> Int| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a.clone(), b.clone())),
            (one, other) => one.clone().or_else(|| other.clone()),
        };
        Self {
            low: either(&self.low, &other.low, Int::max),
            high: either(&self.high, &other.high, Int::min),
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        let sum = |a: &Option<Int>, b: &Option<Int>| Some(a.as_ref()? + b.as_ref()?);
        Self {
            low: sum(&self.low, &other.low),
            high: sum(&self.high, &other.high),
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&Self {
            low: other.high.as_ref().map(|high| -high),
            high: other.low.as_ref().map(|low| -low),
        })
    }

    pub fn times(&self, other: &Self) -> Self {
        let (Some((a, b)), Some((c, d))) = (self.ends(), other.ends()) else {
            return Self::all();
        };
        let products = [&a * &c, &a * &d, &b * &c, &b * &d];
        let low = products.iter().min().cloned();
        let high = products.iter().max().cloned();
        Self { low, high }
    }

    /// Where a number lies whose product with `factor` lies here.
    pub fn divided(&self, factor: &Int) -> Self {
        let size = factor.abs();
        let floor = |end: &Int| end.div_euclid(&size);
        let ceiling = |end: &Int| -&(-end).div_euclid(&size);
        let negated = |end: &Int| -end;
        if factor.is_negative() {
            Self {
                low: self.high.as_ref().map(negated).as_ref().map(ceiling),
                high: self.low.as_ref().map(negated).as_ref().map(floor),
            }
        } else {
            Self {
                low: self.low.as_ref().map(ceiling),
                high: self.high.as_ref().map(floor),
            }
        }
    }
}
