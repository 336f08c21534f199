//! ITF, the Informal Trace Format of Apalache (its ADR 15), which tools of TLA+ read: the states, and where the loop starts.
//!
//! Integers are `{"#bigint": "3"}`, as the format has it for all of them. Our arrays have a value at every index, which no
//! function of the format has: they are records of a `default` and a function of `entries`. `loop` is the index of the state
//! that follows the last one. The state after the last step of a lasso is that in which the loop starts, so it is left out; a
//! loop in which no state comes back has no `loop`, and says so in `#meta`.

use super::said;
use lariat_verify::report::{PropertyReport, RunReport, ValueReport};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The states of a run.
pub fn write(property: &PropertyReport, run: &RunReport) -> String {
    let names: Vec<&str> = run.variables.iter().map(|own| &*own.name).collect();
    let columns = run.columns();
    let mut now: Vec<Option<Arc<ValueReport>>> = vec![None; columns.len()];
    let mut next = vec![0; columns.len()];
    let mut states = Vec::new();
    for (index, step) in run.steps.iter().enumerate() {
        let mut state = Map::new();
        let meta = json!({
            "index": index, "action": said(step), "source": step.source, "location": step.location,
        });
        state.insert("#meta".into(), meta);
        for (i, column) in columns.iter().enumerate() {
            if let Some((at, value)) = column.get(next[i])
                && *at == index + 1
            {
                now[i] = Some(Arc::clone(value));
                next[i] += 1;
            }
            if let Some(value) = &now[i] {
                state.insert(names[i].into(), typed(value));
            }
        }
        states.push(Value::Object(state));
    }
    let mut meta = json!({
        "format": "ITF",
        "format-description": "https://github.com/apalache-mc/apalache/blob/main/docs/src/adr/015adr-trace.md",
        "description": format!("A run that violates {}", property.text),
        "source": "lariat",
    });
    let mut document = Map::new();
    if let Some(start) = run.loop_starts_after_step {
        if run.comes_back() {
            states.pop();
            document.insert("loop".into(), json!(start - 1));
        } else {
            meta["loop-starts-after-index"] = json!(start - 1);
        }
    }
    document.insert("#meta".into(), meta);
    document.insert("vars".into(), json!(names));
    document.insert("states".into(), Value::Array(states));
    serde_json::to_string_pretty(&document).expect("a run can be written") + "\n"
}

/// A value as the format has it.
fn typed(value: &ValueReport) -> Value {
    if let Some(digits) = value.digits() {
        return json!({ "#bigint": digits });
    }
    let Some((default, entries)) = value.array() else {
        return json!(value);
    };
    let entries: Vec<Value> = (entries.iter())
        .map(|(index, value)| json!([typed(index), typed(value)]))
        .collect();
    json!({ "default": typed(default), "entries": { "#map": entries } })
}
