//! The global variables of a C program as C expressions, with their values in states: what a harness compares.

use crate::calls::signed;
use lariat_base::FxHashMap;
use lariat_expr::{Int, Value, VarId};
use lariat_system::{CInt, CLinkage, CObject, CProgram, CType, CTypeId, State, System};
use std::fmt::Write as _;

/// The longest array of which all elements are listed.
const MAX_ELEMENTS: i64 = 1 << 12;

/// A number that is, or is a part of, a global variable.
pub struct Watched {
    /// The C expression.
    pub text: String,
    /// Whether the program only declares it.
    pub is_extern: bool,
    /// Its type.
    pub int: CInt,
    /// Where it is in states.
    at: usize,
    /// The element, if it is one of an array.
    index: Option<i64>,
}

impl Watched {
    /// The value in a state.
    pub fn value(&self, state: &State) -> Option<Int> {
        self.value_of(&state.values[self.at])
    }

    /// The same in a value of the variable that holds it.
    pub fn value_of(&self, value: &Value) -> Option<Int> {
        match (value, self.index) {
            (Value::Array(array), Some(index)) => {
                // Arrays are indexed as their elements are: by integers or by bits.
                let index = Int::from(index);
                let value = match array.default_value() {
                    Value::Bv(_) => array.get(&Value::Bv(index)),
                    _ => array.get(&Value::Int(index)),
                };
                self.number(value)
            }
            (value, _) => self.number(value),
        }
    }

    /// The variable of the system that holds it.
    pub fn variable(&self, system: &System) -> VarId {
        system.variables[self.at].var
    }

    fn number(&self, value: &Value) -> Option<Int> {
        match value {
            Value::Int(number) => Some(number.clone()),
            Value::Bv(bits) => Some(signed(bits, self.int)),
            _ => None,
        }
    }
}

/// The numbers in global variables. Of arrays those elements that have a value of their own in one of the states.
pub fn watched<'s>(
    system: &System,
    program: &CProgram,
    states: impl Iterator<Item = &'s State> + Clone,
) -> Vec<Watched> {
    let places = system.variables.iter().enumerate();
    let places: FxHashMap<VarId, usize> = places.map(|(at, v)| (v.var, at)).collect();
    let mut found = Vec::new();
    for object in &program.objects {
        if object.linkage == CLinkage::Local || object.name.contains('#') {
            continue;
        }
        for (scalar, leaf) in scalars(program, object).into_iter().zip(&object.leaves) {
            let (Some(int), Some(&at)) = (scalar.int, places.get(&leaf.var)) else {
                continue;
            };
            let new = |text: String, index: Option<i64>| Watched {
                text,
                is_extern: object.linkage == CLinkage::Extern,
                int,
                at,
                index,
            };
            if scalar.dimensions.is_empty() {
                found.push(new(scalar.text(&[]), None));
                continue;
            }
            let all = scalar.n_elements().filter(|&n| n <= MAX_ELEMENTS);
            // What is not the program's own has a value from outside everywhere.
            let indices = match all.filter(|_| object.linkage == CLinkage::Extern) {
                Some(n) => (0..n).collect(),
                None => indices(states.clone(), at),
            };
            for index in indices {
                if let Some(indices) = scalar.indices(index) {
                    found.push(new(scalar.text(&indices), Some(index)));
                }
            }
        }
    }
    found
}

/// The elements of an array that have a value of their own.
fn indices<'s>(states: impl Iterator<Item = &'s State>, at: usize) -> Vec<i64> {
    let mut indices: Vec<i64> = Vec::new();
    for state in states {
        if let Value::Array(array) = &state.values[at] {
            indices.extend(array.entries().filter_map(|(index, _)| match index {
                Value::Int(index) | Value::Bv(index) => index.to_i64(),
                _ => None,
            }));
            indices.sort_unstable();
            indices.dedup();
        }
    }
    indices
}

/// A scalar of an object, or one for each element of the arrays around it.
#[derive(Clone)]
struct Scalar {
    /// The text before the first index, between indices, and after the last.
    parts: Vec<String>,
    /// The lengths of the arrays, outer ones first.
    dimensions: Vec<Option<u64>>,
    /// Its type, if it is a number that can be compared.
    int: Option<CInt>,
}

impl Scalar {
    fn text(&self, indices: &[i64]) -> String {
        let mut text = self.parts[0].clone();
        for (part, index) in self.parts[1..].iter().zip(indices) {
            let _ = write!(text, "[{index}]{part}");
        }
        text
    }

    /// How many elements there are in all, if it is known.
    fn n_elements(&self) -> Option<i64> {
        let mut dimensions = self.dimensions.iter();
        dimensions.try_fold(1i64, |n, length| n.checked_mul((*length)?.try_into().ok()?))
    }

    /// The indices of the element that one index into all of them stands for; nothing if there is no such element.
    fn indices(&self, mut index: i64) -> Option<Vec<i64>> {
        let mut indices = Vec::new();
        for (depth, length) in self.dimensions.iter().enumerate().rev() {
            let length = length.and_then(|length| i64::try_from(length).ok());
            match (depth, length) {
                (0, None) => indices.push(index),
                (0, Some(length)) if index < length => indices.push(index),
                (1.., Some(length)) if length > 0 => indices.push(index % length),
                _ => return None,
            }
            index /= length.unwrap_or(1);
        }
        indices.reverse();
        indices.iter().all(|&index| index >= 0).then_some(indices)
    }
}

/// The scalars of an object, in the order of its leaves.
fn scalars(program: &CProgram, object: &CObject) -> Vec<Scalar> {
    let whole = Scalar {
        parts: vec![object.name.to_string()],
        dimensions: Vec::new(),
        int: None,
    };
    let mut found = Vec::new();
    // Depth first with a stack of our own, the first member on top. Bit-fields have no type here: they are leaves without
    // a meaning.
    let mut todo: Vec<(Option<CTypeId>, Scalar)> = vec![(Some(object.ty), whole)];
    while let Some((ty, mut scalar)) = todo.pop() {
        match ty.map(|ty| &program.types[ty]) {
            Some(&CType::Array(element, length)) => {
                scalar.dimensions.push(length);
                scalar.parts.push(String::new());
                todo.push((Some(element), scalar));
            }
            Some(&CType::Record(id)) if !program.records[id].is_union => {
                let fields = program.records[id].fields.as_deref().unwrap_or(&[]);
                for field in fields.iter().rev() {
                    let mut member = scalar.clone();
                    let last = member.parts.last_mut().expect("there is a first part");
                    if let Some(name) = &field.name {
                        last.push('.');
                        last.push_str(name);
                    }
                    let ty = field.bits.is_none().then_some(field.ty);
                    todo.push((ty, member));
                }
            }
            Some(&CType::Int(int)) if int.bits <= 64 => {
                scalar.int = Some(int);
                found.push(scalar);
            }
            _ => found.push(scalar),
        }
    }
    found
}
