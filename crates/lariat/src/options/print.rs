//! What is in force, as a configuration file that reads back as the same.

use super::row::{Default, Section};
use super::table::TABLE;
use super::useless::Facts;
use super::values::{Value, Values};
use std::fmt::Write as _;

/// All options with what is in force; those that are not set or have no effect are comments.
pub fn print_config(values: &Values) -> String {
    let mut text = String::new();
    let mut section = None;
    for row in &TABLE {
        if section != Some(row.section) {
            if section.is_some() {
                text.push('\n');
            }
            section = Some(row.section);
            let _ = writeln!(text, "# {}", title(row.section));
        }
        let name = row.name;
        let value = values.in_force(row.opt);
        let useless = value
            .as_ref()
            .and_then(|value| values.why_useless(row.opt, value, &Facts::default()));
        match (value, row.default, useless) {
            (Some(value), _, None) => {
                let _ = writeln!(text, "{name} = {}", toml(&value));
            }
            (Some(value), _, Some(why)) => {
                let _ = writeln!(text, "# {name} = {}  # no effect: {why}", toml(&value));
            }
            (None, Default::Words(words), _) => {
                let _ = writeln!(text, "# {name} is not set: {words}");
            }
            (None, Default::Value(_), _) => unreachable!("a default is in force"),
        }
    }
    text
}

/// What a section is called.
pub fn title(section: Section) -> &'static str {
    match section {
        Section::Reading => "How models are read",
        Section::Engine => "How a property is decided",
        Section::Limits => "What a check may use, and what becomes of runs that get stuck",
    }
}

/// A value as TOML.
pub fn toml(value: &Value) -> String {
    match value {
        Value::On | Value::Number(_) => value.to_string(),
        Value::Names(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        }
        Value::Word(_) | Value::Time(_) | Value::Size(_) | Value::File(_) => {
            quoted(&value.to_string())
        }
    }
}

/// A basic string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
