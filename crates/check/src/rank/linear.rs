//! Linear forms: sums of multiples of variables, and what of a term is one.

use lariat_expr::{Head, Int, Op, Rat, TermId, Terms, Value, VarId};
use std::collections::BTreeMap;

/// `Σ coefficient · variable + constant`; no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Linear {
    pub coefficients: BTreeMap<VarId, Rat>,
    pub constant: Rat,
}

impl Linear {
    pub fn constant(constant: Rat) -> Self {
        Self {
            coefficients: BTreeMap::new(),
            constant,
        }
    }

    pub fn var(var: VarId) -> Self {
        Self {
            coefficients: [(var, rat(1))].into(),
            constant: rat(0),
        }
    }

    /// The form of a term that is linear. The recursion follows sums and products by constants, which the builder
    /// flattens.
    pub fn of(terms: &Terms, term: TermId) -> Option<Self> {
        match terms.head(term) {
            Head::Lit(value) => Some(Self::constant(value_of(value)?)),
            Head::Var(var) => is_number(terms, term).then(|| Self::var(var)),
            Head::Op(Op::ToRat, &[inner]) => Self::of(terms, inner),
            Head::Op(Op::Add, parts) => {
                let mut sum = Self::constant(rat(0));
                for &part in parts {
                    sum.add(&Self::of(terms, part)?, &rat(1));
                }
                Some(sum)
            }
            Head::Op(Op::Mul, parts) => {
                let (mut factor, mut form) = (rat(1), None);
                for &part in parts {
                    match terms.as_lit(part) {
                        Some(value) => factor = &factor * &value_of(value)?,
                        None if form.is_none() => form = Some(Self::of(terms, part)?),
                        None => return None,
                    }
                }
                let mut product = Self::constant(rat(0));
                product.add(&form.unwrap_or_else(|| Self::constant(rat(1))), &factor);
                Some(product)
            }
            Head::Op(..) => None,
        }
    }

    /// Adds a multiple of another form.
    pub fn add(&mut self, other: &Self, factor: &Rat) {
        for (&var, coefficient) in &other.coefficients {
            let sum = self.coefficients.entry(var).or_insert_with(|| rat(0));
            *sum = &*sum + &(coefficient * factor);
            if sum.is_zero() {
                self.coefficients.remove(&var);
            }
        }
        self.constant = &self.constant + &(&other.constant * factor);
    }

    /// Puts in a form for a variable.
    pub fn put_in(&mut self, var: VarId, value: &Self) {
        if let Some(factor) = self.coefficients.remove(&var) {
            self.add(value, &factor);
        }
    }

    /// The difference of two forms.
    pub fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        difference.add(other, &rat(-1));
        difference
    }

    /// The smallest positive multiple of all coefficients, and of the constant if that counts, that is whole; then
    /// divided by what they have in common.
    pub fn whole(&self, with_constant: bool) -> Self {
        let constant = with_constant.then_some(&self.constant);
        let numbers = self.coefficients.values().chain(constant);
        let (mut multiple, mut common) = (Int::ONE, Int::ZERO);
        for number in numbers.clone() {
            let denominator = number.denominator();
            let gcd = multiple.gcd(denominator);
            multiple = &multiple * &denominator.div_euclid(&gcd);
        }
        for number in numbers {
            let scaled = number * &Rat::from(multiple.clone());
            common = common.gcd(scaled.numerator());
        }
        if common.is_zero() {
            common = Int::ONE;
        }
        let factor = Rat::new(multiple, common).expect("it is not zero");
        let mut whole = Self::constant(rat(0));
        whole.add(self, &factor);
        whole
    }

    /// The form as a term: of integers if all its variables and numbers are.
    pub fn term(&self, terms: &mut Terms) -> TermId {
        let int = terms.sorts.int();
        let numbers = self.coefficients.values().chain([&self.constant]);
        let is_whole = numbers.clone().all(|number| number.to_int().is_some())
            && self
                .coefficients
                .keys()
                .all(|&var| terms.var_sort(var) == int);
        let sort = if is_whole { int } else { terms.sorts.rat() };
        let value = |number: &Rat| match number.to_int() {
            Some(int) if is_whole => Value::Int(int.clone()),
            _ => Value::Rat(number.clone()),
        };
        let mut sum = Vec::new();
        for (&var, coefficient) in &self.coefficients {
            let mut term = terms.var(var);
            if !is_whole && terms.var_sort(var) == int {
                term = terms.build(Op::ToRat, &[term]).expect("an integer");
            }
            let coefficient = terms.lit(value(coefficient), sort);
            sum.push(terms.mul(&[coefficient, term]));
        }
        sum.push(terms.lit(value(&self.constant), sort));
        terms.add(&sum)
    }
}

/// A whole number.
pub(crate) fn rat(value: i64) -> Rat {
    Int::from(value).into()
}

fn value_of(value: &Value) -> Option<Rat> {
    match value {
        Value::Int(int) => Some(int.clone().into()),
        Value::Rat(rat) => Some(rat.clone()),
        _ => None,
    }
}

pub(crate) fn is_number(terms: &Terms, term: TermId) -> bool {
    let sort = terms.sort(term);
    sort == terms.sorts.int() || sort == terms.sorts.rat()
}
