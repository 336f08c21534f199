//! The options of an engine as words of a line, for the configurations of `compare`: what is wrong is known by its word.

use super::command_line::EngineOptions;
use super::row::{Kind, Row, Section};
use super::table::TABLE;
use super::values::{Origin, Value, Values};
use lariat_base::nearest;

/// What is wrong with a line of options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadWord {
    /// The number of the word.
    pub at: usize,
    /// What is wrong with it.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

/// Reads options as `--name value` or `--name=value`.
pub fn read_words(words: &[String]) -> Result<EngineOptions, BadWord> {
    let mut values = Values::default();
    let mut at = 0;
    while at < words.len() {
        let bad = |at, message, hint| Err(BadWord { at, message, hint });
        let (option, attached) = match words[at].split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (&*words[at], None),
        };
        let Some(name) = option.strip_prefix("--") else {
            return bad(at, format!("`{option}` belongs to no option"), None);
        };
        let mut rows = TABLE.iter().filter(|row| row.section == Section::Engine);
        let Some(row) = rows.find(|row| row.name == name) else {
            let message = format!("`lariat check` has no option `{option}` for a configuration");
            return bad(at, message, hint_for(name));
        };
        if values.is_given(row.opt) && !matches!(row.kind, Kind::Names) {
            return bad(at, format!("`{option}` is given twice"), None);
        }
        let value = match (row.kind, attached) {
            (Kind::Switch, None) => Ok(Value::On),
            (_, Some(text)) => row.kind.read(text).map_err(|why| (text, why)),
            (_, None) => {
                let next = words.get(at + 1).filter(|word| !word.starts_with('-'));
                let Some(text) = next else {
                    return bad(at, format!("`{option}` needs a value"), possible(row));
                };
                at += 1;
                row.kind.read(text).map_err(|why| (&**text, why))
            }
        };
        match value {
            Ok(value) => values.set(row.opt, value, Origin::CommandLine),
            Err((text, why)) => {
                let message = format!("`{text}` is no value of `{option}`");
                return bad(at, message, why.or_else(|| advice(row, text)));
            }
        }
        at += 1;
    }
    Ok(EngineOptions::new(&values))
}

/// What could be meant instead of a value that an option does not have.
pub fn advice(row: &Row, text: &str) -> Option<String> {
    let names = row.choices().iter().map(|choice| choice.name);
    match nearest(text, names) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => possible(row),
    }
}

/// What an option can be.
fn possible(row: &Row) -> Option<String> {
    let names: Vec<&str> = row.choices().iter().map(|choice| choice.name).collect();
    (!names.is_empty()).then(|| format!("it can be {}", names.join(", ")))
}

/// What could be meant instead of an option that does not exist.
fn hint_for(name: &str) -> Option<String> {
    if matches!(name, "timeout" | "memory" | "json") {
        return Some(format!(
            "give `--{name}` to `lariat compare`: it is for all configurations"
        ));
    }
    let rows = TABLE.iter().filter(|row| row.section == Section::Engine);
    let near = nearest(name, rows.map(|row| row.name));
    near.map(|near| format!("did you mean `--{near}`?"))
}
