//! What is in force, as data.

use super::table::TABLE;
use super::useless::Facts;
use super::values::{Value, Values};
use serde_json::json;
use std::collections::BTreeMap;

/// Each option with what is in force for models like these; nothing where an option is not set or has no effect.
pub fn in_force(
    values: &Values,
    facts: &Facts,
) -> BTreeMap<&'static str, Option<serde_json::Value>> {
    let mut all = BTreeMap::new();
    for row in &TABLE {
        let value = values.in_force(row.opt);
        let value = value.filter(|value| values.why_useless(row.opt, value, facts).is_none());
        all.insert(row.name, value.as_ref().map(typed));
    }
    all
}

fn typed(value: &Value) -> serde_json::Value {
    match value {
        Value::On => json!(true),
        Value::Word(word) => json!(word),
        Value::Number(number) => json!(number),
        Value::Time(time) => json!(time.as_secs_f64()),
        Value::Size(bytes) => json!(bytes),
        Value::Names(names) => json!(names),
        Value::File(path) => json!(path.display().to_string()),
    }
}
