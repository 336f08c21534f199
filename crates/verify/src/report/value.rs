//! Values as data: what a program reads has types, what a person reads is text.

use lariat_expr::{Int, Sort, SortId, Sorts, Value};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::fmt;

/// The largest integer up to which every integer is a number of JSON that all readers take as it is.
const EXACT: i64 = 1 << 53;

/// A value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueReport {
    /// As the program prints it.
    text: String,
    typed: Typed,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Typed {
    Bool(bool),
    /// An integer that fits 53 bits.
    Number(i64),
    /// The digits of a larger one.
    Digits(String),
    /// A literal or a rational: as it is printed.
    Text,
    Array {
        default: Box<ValueReport>,
        entries: Vec<(ValueReport, ValueReport)>,
    },
}

impl ValueReport {
    /// A value of a sort.
    pub fn new(sorts: &Sorts, sort: SortId, value: &Value) -> Self {
        let text = value.display(sorts, sort);
        let typed = match (value, sorts.get(sort)) {
            (Value::Bool(truth), _) => Typed::Bool(*truth),
            (Value::Int(int) | Value::Bv(int), _) => return Self::of_number(int, text),
            (Value::Array(map), Sort::Array { index, element }) => Typed::Array {
                default: Box::new(Self::new(sorts, *element, map.default_value())),
                entries: map
                    .entries()
                    .map(|(at, v)| (Self::new(sorts, *index, at), Self::new(sorts, *element, v)))
                    .collect(),
            },
            _ => Typed::Text,
        };
        Self { text, typed }
    }

    /// What is only text.
    pub fn text(text: String) -> Self {
        let typed = Typed::Text;
        Self { text, typed }
    }

    /// The same value, printed in another way.
    pub fn written(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// The number, if it is one that is printed as such.
    pub fn number(&self) -> Option<i64> {
        match self.typed {
            Typed::Number(number) if self.text == number.to_string() => Some(number),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn truth(&self) -> Option<bool> {
        match self.typed {
            Typed::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The digits of an integer, if it is one.
    pub fn digits(&self) -> Option<String> {
        match &self.typed {
            Typed::Number(number) => Some(number.to_string()),
            Typed::Digits(digits) => Some(digits.clone()),
            _ => None,
        }
    }

    /// What an array holds by default, and where it holds something else, if it is one.
    pub fn array(&self) -> Option<(&Self, &[(Self, Self)])> {
        match &self.typed {
            Typed::Array { default, entries } => Some((default, entries)),
            _ => None,
        }
    }

    /// An integer that is printed as `text`.
    fn of_number(int: &Int, text: String) -> Self {
        let small = int.to_i64();
        let typed = match small.filter(|small| (-EXACT..=EXACT).contains(small)) {
            Some(small) => Typed::Number(small),
            None => Typed::Digits(int.to_string()),
        };
        Self { text, typed }
    }
}

impl From<&Int> for ValueReport {
    fn from(int: &Int) -> Self {
        Self::of_number(int, int.to_string())
    }
}

impl fmt::Display for ValueReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for ValueReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.typed {
            Typed::Bool(truth) => serializer.serialize_bool(*truth),
            Typed::Number(number) => serializer.serialize_i64(*number),
            Typed::Digits(digits) => serializer.serialize_str(digits),
            Typed::Text => serializer.serialize_str(&self.text),
            Typed::Array { default, entries } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("default", default)?;
                map.serialize_entry("entries", entries)?;
                map.end()
            }
        }
    }
}
