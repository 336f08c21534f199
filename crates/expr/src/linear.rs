//! Sums and products in a normal form: a constant plus coefficients times the other factors.
//!
//! `x + 1 + x` and `2 * x + 1` are the same term, and a constant factor is multiplied into a sum.
//! Nothing else is multiplied out, so the normal form never grows a term.

use crate::{Int, Op, Rat, SortId, TermId, Terms, Value};

/// A number of one of the two numeric sorts.
#[derive(Clone, PartialEq)]
enum Number {
    Int(Int),
    Rat(Rat),
}

impl Number {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(int) => Some(Self::Int(int.clone())),
            Value::Rat(rat) => Some(Self::Rat(rat.clone())),
            _ => None,
        }
    }

    fn small(terms: &Terms, sort: SortId, value: i64) -> Self {
        let int = Int::from(value);
        if sort == terms.sorts.int() {
            Self::Int(int)
        } else {
            Self::Rat(Rat::from(int))
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Int(int) => Value::Int(int),
            Self::Rat(rat) => Value::Rat(rat),
        }
    }

    fn is(&self, value: i64) -> bool {
        match self {
            Self::Int(int) => int.to_i64() == Some(value),
            Self::Rat(rat) => rat.to_int().and_then(Int::to_i64) == Some(value),
        }
    }

    fn add(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a + b),
            (Self::Rat(a), Self::Rat(b)) => Self::Rat(a + b),
            _ => panic!("a sum is of one sort"),
        }
    }

    fn mul(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Self::Int(a * b),
            (Self::Rat(a), Self::Rat(b)) => Self::Rat(a * b),
            _ => panic!("a product is of one sort"),
        }
    }
}

impl Terms {
    /// The normal form of the sum of `args`, which are of one numeric sort.
    pub(crate) fn build_sum(&mut self, args: &[TermId], sort: SortId) -> TermId {
        let mut constant = Number::small(self, sort, 0);
        let mut summands: Vec<(TermId, Number)> = Vec::with_capacity(args.len());
        for &arg in args {
            match self.as_op(arg, Op::Add) {
                Some(inner) => {
                    for &inner in inner {
                        self.add_summand(inner, sort, &mut constant, &mut summands);
                    }
                }
                None => self.add_summand(arg, sort, &mut constant, &mut summands),
            }
        }
        summands.sort_by_key(|summand| summand.0);
        summands.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 = earlier.1.add(&later.1);
            }
            same
        });
        summands.retain(|summand| !summand.1.is(0));
        let mut parts: Vec<TermId> = Vec::with_capacity(summands.len() + 1);
        for (term, coefficient) in summands {
            parts.push(self.scaled(term, coefficient, sort));
        }
        if !constant.is(0) || parts.is_empty() {
            parts.push(self.lit(constant.value(), sort));
        }
        match parts[..] {
            [single] => single,
            _ => self.intern_op(Op::Add, &parts, sort),
        }
    }

    /// The normal form of the product of `args`, which are of one numeric sort.
    pub(crate) fn build_product(&mut self, args: &[TermId], sort: SortId) -> TermId {
        let mut coefficient = Number::small(self, sort, 1);
        let mut factors: Vec<TermId> = Vec::with_capacity(args.len());
        let mut todo = args.to_vec();
        while let Some(arg) = todo.pop() {
            if let Some(number) = self.as_lit(arg).and_then(Number::of) {
                coefficient = coefficient.mul(&number);
            } else if let Some(parts) = self.as_op(arg, Op::Mul) {
                todo.extend_from_slice(parts);
            } else {
                factors.push(arg);
            }
        }
        if coefficient.is(0) || factors.is_empty() {
            return self.lit(coefficient.value(), sort);
        }
        if let [single] = factors[..]
            && let Some(summands) = self.as_op(single, Op::Add).map(<[TermId]>::to_vec)
            && !coefficient.is(1)
        {
            let factor = self.lit(coefficient.value(), sort);
            let scaled: Vec<TermId> = summands
                .iter()
                .map(|&summand| self.build_product(&[factor, summand], sort))
                .collect();
            return self.build_sum(&scaled, sort);
        }
        factors.sort_unstable();
        let product = match factors[..] {
            [single] => single,
            _ => self.intern_op(Op::Mul, &factors, sort),
        };
        self.scaled(product, coefficient, sort)
    }

    /// Adds one summand that is no sum to the collection.
    fn add_summand(
        &self,
        term: TermId,
        sort: SortId,
        constant: &mut Number,
        summands: &mut Vec<(TermId, Number)>,
    ) {
        if let Some(number) = self.as_lit(term).and_then(Number::of) {
            *constant = constant.add(&number);
            return;
        }
        let scaled = match self.as_op(term, Op::Mul) {
            Some(&[factor, rest]) => self
                .as_lit(factor)
                .and_then(Number::of)
                .map(|number| (rest, number)),
            _ => None,
        };
        summands.push(scaled.unwrap_or_else(|| (term, Number::small(self, sort, 1))));
    }

    /// `coefficient * term` for a term that has no constant factor and is no sum.
    ///
    /// A scaled product stays a product inside: `3 * (x * y)`, so that `x * y + 2 * x * y` adds up.
    fn scaled(&mut self, term: TermId, coefficient: Number, sort: SortId) -> TermId {
        if coefficient.is(1) {
            return term;
        }
        let factor = self.lit(coefficient.value(), sort);
        self.intern_op(Op::Mul, &[factor, term], sort)
    }
}
