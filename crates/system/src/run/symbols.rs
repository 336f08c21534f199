//! Arithmetic on one symbol: solving an equation for it, bounds from comparisons, samples.

use crate::run::successors::Limits;
use lariat_expr::{Head, Int, Op, Rat, Sort, TermId, Terms, Value, VarId};
use std::collections::BTreeSet;

/// Solves `left = right` for a symbol that the rest does not contain.
pub(crate) fn solve_equation(
    terms: &mut Terms,
    left: TermId,
    right: TermId,
) -> Option<(VarId, TermId)> {
    for (one, other) in [(left, right), (right, left)] {
        if let Some(symbol) = terms.as_var(one)
            && terms.free_vars(&[other]).binary_search(&symbol).is_err()
        {
            return Some((symbol, other));
        }
    }
    if terms.sort(left) != terms.sorts.int() {
        return None;
    }
    // left - right = ±symbol + rest = 0
    let difference = terms.sub(left, right);
    let summands = terms.as_op(difference, Op::Add)?.to_vec();
    for (at, &summand) in summands.iter().enumerate() {
        let Some((symbol, coefficient)) = scaled_symbol(terms, summand) else {
            continue;
        };
        let mut rest = summands.clone();
        rest.swap_remove(at);
        let rest_has_symbol = terms.free_vars(&rest).binary_search(&symbol).is_ok();
        let sign = coefficient.to_i64().filter(|&c| c == 1 || c == -1);
        if let (false, Some(sign)) = (rest_has_symbol, sign) {
            let rest = terms.add(&rest);
            let minus_sign = terms.int(-sign);
            let value = terms.mul(&[minus_sign, rest]);
            return Some((symbol, value));
        }
    }
    None
}

/// `coefficient * symbol`.
fn scaled_symbol(terms: &Terms, term: TermId) -> Option<(VarId, Int)> {
    if let Some(symbol) = terms.as_var(term) {
        return Some((symbol, Int::ONE));
    }
    let &[factor, rest] = terms.as_op(term, Op::Mul)? else {
        return None;
    };
    Some((terms.as_var(rest)?, terms.as_lit(factor)?.as_int()?.clone()))
}

/// What comparisons with constants say about a numeric symbol.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    /// Greatest known lower bound (for integers: included; for rationals: perhaps not).
    pub lower: Option<Rat>,
    /// Least known upper bound.
    pub upper: Option<Rat>,
    /// Whether the symbol is an integer.
    is_int: bool,
}

impl Bounds {
    /// All integers between the bounds, if both are known and they are at most `limit`.
    pub fn integers(&self, limit: u64) -> Option<Vec<Int>> {
        let (Some(lower), Some(upper), true) = (&self.lower, &self.upper, self.is_int) else {
            return None;
        };
        let (first, last) = (ceil(lower), upper.floor());
        if last < first {
            return Some(Vec::new());
        }
        let count = (&last - &first).to_i64()?;
        if count.unsigned_abs() >= limit {
            return None;
        }
        Some((0..=count).map(|i| &first + &Int::from(i)).collect())
    }
}

fn ceil(value: &Rat) -> Int {
    let floor = value.floor();
    if Rat::from(floor.clone()) == *value {
        floor
    } else {
        &floor + &Int::ONE
    }
}

/// The bounds of `symbol` in `constraints` that compare linear terms over it alone.
pub(crate) fn bounds_of(terms: &Terms, symbol: VarId, constraints: &[TermId]) -> Bounds {
    let mut bounds = Bounds {
        is_int: terms.var_sort(symbol) == terms.sorts.int(),
        ..Bounds::default()
    };
    for &constraint in constraints {
        let (strict, left, right) = match terms.head(constraint) {
            Head::Op(Op::Le, &[left, right]) => (false, left, right),
            Head::Op(Op::Lt, &[left, right]) => (true, left, right),
            _ => continue,
        };
        let sides = (
            linear_in(terms, symbol, left),
            linear_in(terms, symbol, right),
        );
        let (Some(left), Some(right)) = sides else {
            continue;
        };
        let minus_one = Rat::from(Int::from(-1));
        let minus = |a: &Rat, b: &Rat| a + &(&minus_one * b);
        let (coefficient, constant) = (minus(&left.0, &right.0), minus(&left.1, &right.1));
        if coefficient.is_zero() {
            continue;
        }
        // coefficient * symbol + constant <= 0, so symbol lies on one side of -constant / coefficient.
        let edge = (&minus_one * &constant).divide(&coefficient);
        let is_lower = coefficient.numerator().is_negative();
        let edge = match (strict && bounds.is_int, is_lower) {
            (true, true) => Rat::from(&edge.floor() + &Int::ONE),
            (true, false) => Rat::from(&ceil(&edge) - &Int::ONE),
            (false, _) => edge,
        };
        let (slot, better): (_, fn(&Rat, &Rat) -> bool) = if is_lower {
            (&mut bounds.lower, |a, b| a > b)
        } else {
            (&mut bounds.upper, |a, b| a < b)
        };
        if slot.as_ref().is_none_or(|old| better(&edge, old)) {
            *slot = Some(edge);
        }
    }
    bounds
}

/// Coefficient and constant of a term that is linear in `symbol` and has no other variable.
fn linear_in(terms: &Terms, symbol: VarId, term: TermId) -> Option<(Rat, Rat)> {
    let zero = Rat::from(Int::ZERO);
    let (mut coefficient, mut constant) = (zero.clone(), zero);
    let summands = terms
        .as_op(term, Op::Add)
        .unwrap_or(std::slice::from_ref(&term));
    for &summand in summands {
        match terms.head(summand) {
            Head::Lit(value) => constant = &constant + &number(value)?,
            Head::Var(var) if var == symbol => coefficient = &coefficient + &Rat::from(Int::ONE),
            Head::Op(Op::Mul, &[factor, rest]) if terms.as_var(rest) == Some(symbol) => {
                coefficient = &coefficient + &number(terms.as_lit(factor)?)?;
            }
            _ => return None,
        }
    }
    Some((coefficient, constant))
}

fn number(value: &Value) -> Option<Rat> {
    match value {
        Value::Int(int) => Some(Rat::from(int.clone())),
        Value::Rat(rat) => Some(rat.clone()),
        _ => None,
    }
}

/// Some values for a symbol that has too many: near its bounds, near the constants around it, and a few others.
pub(crate) fn sample(
    terms: &Terms,
    symbol: VarId,
    bounds: &Bounds,
    constraints: &[TermId],
    limits: &Limits,
) -> Vec<Value> {
    let sort = terms.var_sort(symbol);
    let mut values: BTreeSet<Value> = BTreeSet::new();
    match terms.sorts.get(sort) {
        Sort::Int => {
            let mut add = |int: Int| {
                values.extend([
                    Value::Int(&int - &Int::ONE),
                    Value::Int(&int + &Int::ONE),
                    Value::Int(int),
                ]);
            };
            let constants = constants_in(terms, constraints);
            constants
                .iter()
                .chain(bounds.lower.iter())
                .chain(bounds.upper.iter())
                .for_each(|c| add(c.floor()));
            if values.is_empty() {
                values.insert(Value::Int(Int::ZERO));
                values.extend(random(limits).map(|r| Value::Int(Int::from(r))));
            }
        }
        Sort::Rat => {
            let constants = constants_in(terms, constraints);
            let mut points: Vec<Rat> = constants
                .into_iter()
                .chain(bounds.lower.clone())
                .chain(bounds.upper.clone())
                .collect();
            points.push(Rat::from(Int::ZERO));
            points.extend(random(limits).map(|r| Rat::from(Int::from(r))));
            points.sort();
            points.dedup();
            let half = Rat::new(Int::ONE, Int::from(2)).expect("two is not zero");
            let one = Rat::from(Int::ONE);
            let between: Vec<Rat> = points
                .windows(2)
                .map(|pair| &(&pair[0] + &pair[1]) * &half)
                .collect();
            let beyond = points.last().map(|last| last + &one);
            values.extend(
                points
                    .into_iter()
                    .chain(between)
                    .chain(beyond)
                    .map(Value::Rat),
            );
        }
        Sort::Bv(width) => {
            values.extend((0i64..).take(limits.samples).map(Int::from).map(Value::Bv));
            values.insert(Value::Bv(&Int::power_of_two(*width) - &Int::ONE));
        }
        Sort::Bool | Sort::Enum(_) | Sort::Array { .. } => {
            values.insert(Value::some(&terms.sorts, sort));
        }
    }
    values
        .into_iter()
        .filter(|value| value.has_sort(&terms.sorts, sort))
        .collect()
}

/// The numeric constants in the constraints.
fn constants_in(terms: &Terms, constraints: &[TermId]) -> Vec<Rat> {
    terms
        .subterms(constraints)
        .into_iter()
        .filter_map(|term| terms.as_lit(term).and_then(number))
        .collect()
}

/// Small numbers from the seed (`SplitMix64`).
fn random(limits: &Limits) -> impl Iterator<Item = i64> + use<> {
    let mut state = limits.seed;
    (0..limits.samples).map(move |_| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % 21).cast_signed() - 10
    })
}
