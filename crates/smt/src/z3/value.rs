//! Values to and from Z3: literals out, numerals and models in.
//!
//! Numbers travel as text: it is the one form that Z3 gives and takes for every size.

use super::sorts::Z3Sorts;
use lariat_expr::{ArrayValue, Int, Rat, Sort, SortId, Terms, Value};
use std::str::FromStr;
use std::sync::Arc;
use z3::Model;
use z3::ast::{Array, Ast, BV, Bool, Dynamic, Int as Z3Int, Real};

/// The Z3 literal of a value of a sort.
pub(super) fn encode(sorts: &mut Z3Sorts, terms: &Terms, value: &Value, sort: SortId) -> Dynamic {
    match (value, terms.sorts.get(sort)) {
        (Value::Bool(value), _) => Bool::from_bool(*value).into(),
        (Value::Int(value), _) => encode_int(value).into(),
        (Value::Rat(value), _) => Real::from_rational_str(
            &value.numerator().to_string(),
            &value.denominator().to_string(),
        )
        .expect("Z3 reads every fraction")
        .into(),
        (Value::Enum(position), _) => sorts.literal(terms, sort, *position),
        (Value::Bv(bits), Sort::Bv(width)) => BV::from_str(*width, &bits.to_string())
            .expect("Z3 reads every numeral")
            .into(),
        (Value::Array(map), Sort::Array { index, element }) => {
            let default = encode(sorts, terms, map.default_value(), *element);
            let domain = sorts.get(terms, *index);
            let mut array = Array::const_array(&domain, &default);
            for (at, value) in map.entries() {
                let at = encode(sorts, terms, at, *index);
                array = array.store(&at, &encode(sorts, terms, value, *element));
            }
            array.into()
        }
        (value, sort) => panic!("{value:?} is no value of {sort:?}"),
    }
}

fn encode_int(value: &Int) -> Z3Int {
    match value.to_i64() {
        Some(small) => Z3Int::from_i64(small),
        None => Z3Int::from_str(&value.to_string()).expect("Z3 reads every numeral"),
    }
}

/// The value of a Z3 literal of a sort; nothing if it is no literal or not one of our values.
///
/// `model` resolves arrays that Z3 gives as a function of the model.
pub(super) fn decode(
    sorts: &Z3Sorts,
    terms: &Terms,
    model: Option<&Model>,
    literal: &Dynamic,
    sort: SortId,
) -> Option<Value> {
    match terms.sorts.get(sort) {
        Sort::Bool => literal.as_bool()?.as_bool().map(Value::Bool),
        Sort::Int => {
            let literal = literal.as_int()?;
            match literal.as_i64() {
                Some(small) => Some(Value::Int(Int::from(small))),
                None => parse_int(&literal.to_string()).map(Value::Int),
            }
        }
        Sort::Rat => parse_rat(&literal.as_real()?.to_string()).map(Value::Rat),
        Sort::Enum(_) => sorts.position(sort, literal).map(Value::Enum),
        Sort::Bv(_) => {
            let literal = literal.as_bv()?;
            match literal.as_u64().and_then(|bits| i64::try_from(bits).ok()) {
                Some(bits) => Some(Value::Bv(Int::from(bits))),
                None => parse_bits(&literal.to_string()).map(Value::Bv),
            }
        }
        Sort::Array { index, element } => {
            decode_array(sorts, terms, model, literal, *index, *element)
        }
    }
}

/// Reads writes over a constant array, or over a function of the model.
fn decode_array(
    sorts: &Z3Sorts,
    terms: &Terms,
    model: Option<&Model>,
    literal: &Dynamic,
    index: SortId,
    element: SortId,
) -> Option<Value> {
    let mut writes: Vec<(Value, Value)> = Vec::new();
    let mut at = literal.clone();
    let default = loop {
        // By name, not by `kind()`: see `decode.rs`.
        match at.safe_decl().ok()?.name().as_str() {
            "store" => {
                let parts = at.children();
                let [inner, place, value] = &parts[..] else {
                    return None;
                };
                writes.push((
                    decode(sorts, terms, model, place, index)?,
                    decode(sorts, terms, model, value, element)?,
                ));
                at = inner.clone();
            }
            "const" => {
                break decode(sorts, terms, model, &at.nth_child(0)?, element)?;
            }
            "as-array" => {
                let table = at.as_array()?.as_array_func_decl()?;
                let table = model?.get_func_interp(&table)?;
                for entry in table.get_entries() {
                    writes.push((
                        decode(sorts, terms, model, entry.get_args().first()?, index)?,
                        decode(sorts, terms, model, &entry.get_value(), element)?,
                    ));
                }
                break decode(sorts, terms, model, &table.get_else()?, element)?;
            }
            _ => return None,
        }
    };
    let mut map = ArrayValue::constant(default);
    // The outermost write was met first and must win.
    for (place, value) in writes.into_iter().rev() {
        map = map.with(&terms.sorts, index, place, value);
    }
    Some(Value::Array(Arc::new(map)))
}

/// `7`, `(- 7)`.
fn parse_int(text: &str) -> Option<Int> {
    match text.strip_prefix("(- ") {
        Some(rest) => rest.strip_suffix(')')?.parse().ok().map(|int: Int| -&int),
        None => text.parse().ok(),
    }
}

/// `7.0`, `(- 7.0)`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`; an algebraic number is not rational.
fn parse_rat(text: &str) -> Option<Rat> {
    let whole =
        |text: &str| -> Option<Int> { text.strip_suffix(".0").unwrap_or(text).parse().ok() };
    let (negative, text) = match text.strip_prefix("(- ") {
        Some(rest) => (true, rest.strip_suffix(')')?),
        None => (false, text),
    };
    let (numerator, denominator) = match text.strip_prefix("(/ ") {
        Some(rest) => {
            let (numerator, denominator) = rest.strip_suffix(')')?.split_once(' ')?;
            (whole(numerator)?, whole(denominator)?)
        }
        None => (whole(text)?, Int::ONE),
    };
    Rat::new(if negative { -&numerator } else { numerator }, denominator)
}

/// `#x0f`, `#b101`.
fn parse_bits(text: &str) -> Option<Int> {
    let (digits, radix) = match text.strip_prefix("#x") {
        Some(digits) => (digits, 16),
        None => (text.strip_prefix("#b")?, 2),
    };
    let base = Int::from(i64::from(radix));
    digits.chars().try_fold(Int::ZERO, |so_far, digit| {
        let digit = Int::from(i64::from(digit.to_digit(radix)?));
        Some(&(&so_far * &base) + &digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_read_in_every_form_that_z3_writes() {
        assert_eq!(parse_int("(- 5)"), Some(Int::from(-5)));
        assert_eq!(
            parse_rat("(- (/ 1.0 3.0))"),
            Rat::new(Int::from(-1), Int::from(3))
        );
        assert_eq!(parse_rat("7.0"), Rat::new(Int::from(7), Int::ONE));
        assert_eq!(parse_rat("(root-obj (+ (^ x 2) (- 2)) 1)"), None);
        assert_eq!(parse_bits("#xff"), Some(Int::from(255)));
        assert_eq!(parse_bits("#b101"), Some(Int::from(5)));
        assert_eq!(parse_bits("#q1"), None);
    }
}
