//! Values that a person types (`start = true, t = 20`) or that a report holds, as values of variables.

use lariat_expr::{ArrayValue, Int, Sort, SortId, Sorts, Terms, Value, VarId};
use lariat_system::Variable;
use serde_json::Value as Json;
use std::sync::Arc;

/// Values that variables are to have after a step.
pub type Wanted = Vec<(VarId, Value)>;

/// The values in a line such as `start = true, t = 20`; what is wrong with it if it is none.
pub fn typed(terms: &Terms, variables: &[Variable], line: &str) -> Result<Wanted, String> {
    let mut wanted = Vec::new();
    for part in line
        .split([',', ';'])
        .filter(|part| !part.trim().is_empty())
    {
        let equation = part.split_once("==").or_else(|| part.split_once('='));
        let Some((name, text)) = equation else {
            return Err(format!("`{}` is none of the choices", part.trim()));
        };
        let (name, text) = (name.trim(), text.trim());
        let var =
            variable(terms, variables, name).ok_or(format!("there is no variable `{name}`"))?;
        let sort = terms.var_sort(var);
        let value = value(&terms.sorts, sort, &Json::String(text.to_owned())).ok_or_else(|| {
            let kind = terms.sorts.describe(sort);
            format!("`{text}` is no value of `{name}` ({kind})")
        })?;
        wanted.push((var, value));
    }
    Ok(wanted)
}

/// A variable by its name.
pub fn variable(terms: &Terms, variables: &[Variable], name: &str) -> Option<VarId> {
    let mut vars = variables.iter().map(|variable| variable.var);
    vars.find(|&var| terms.name(var) == name)
}

/// A value of a sort from data, as reports have it; numbers and truth values may also be text.
pub fn value(sorts: &Sorts, sort: SortId, data: &Json) -> Option<Value> {
    match (sorts.get(sort), data) {
        (Sort::Bool, Json::Bool(truth)) => Some(Value::Bool(*truth)),
        (Sort::Bool, Json::String(text)) => match text.as_str() {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        (Sort::Int, data) => Some(Value::Int(integer(data)?)),
        (&Sort::Bv(width), data) => {
            let number = integer(data)?;
            let range = Int::power_of_two(width);
            let number = if number.is_negative() {
                &number + &range
            } else {
                number
            };
            let fits = !number.is_negative() && number < range;
            fits.then_some(Value::Bv(number))
        }
        (Sort::Enum(literals), Json::String(text)) => Some(Value::Enum(literals.position(text)?)),
        (&Sort::Array { index, element }, Json::Object(map)) => {
            let default = value(sorts, element, map.get("default")?)?;
            let entry = |entry: &Json| {
                let pair = entry.as_array()?;
                let at = value(sorts, index, pair.first()?)?;
                Some((at, value(sorts, element, pair.get(1)?)?))
            };
            let entries = map.get("entries")?.as_array()?;
            let entries: Option<Vec<_>> = entries.iter().map(entry).collect();
            let array = ArrayValue::constant(default).with_all(sorts, index, entries?);
            Some(Value::Array(Arc::new(array)))
        }
        _ => None,
    }
}

fn integer(data: &Json) -> Option<Int> {
    match data {
        Json::Number(number) => number.as_i64().map(Int::from),
        Json::String(text) => text.parse().ok(),
        _ => None,
    }
}
