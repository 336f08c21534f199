//! Writes HOA: one header or state per line, in the order that the format's own examples use.

use std::fmt;

use super::{HoaAutomaton, HoaState};

impl fmt::Display for HoaAutomaton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "HOA: {}", self.version)?;
        if let Some((name, version)) = &self.tool {
            write!(f, "tool: {}", quote(name))?;
            if let Some(version) = version {
                write!(f, " {}", quote(version))?;
            }
            writeln!(f)?;
        }
        if let Some(name) = &self.name {
            writeln!(f, "name: {}", quote(name))?;
        }
        if let Some(n) = self.n_states {
            writeln!(f, "States: {n}")?;
        }
        for start in &self.starts {
            writeln!(f, "Start: {}", conjunction(start))?;
        }
        write!(f, "AP: {}", self.aps.len())?;
        for ap in &self.aps {
            write!(f, " {}", quote(ap))?;
        }
        writeln!(f)?;
        if !self.acc_name.is_empty() {
            writeln!(f, "acc-name: {}", self.acc_name.join(" "))?;
        }
        writeln!(f, "Acceptance: {} {}", self.n_sets, self.acceptance)?;
        if !self.properties.is_empty() {
            writeln!(f, "properties: {}", self.properties.join(" "))?;
        }
        for (name, label) in &self.aliases {
            writeln!(f, "Alias: @{name} {label}")?;
        }
        for (name, words) in &self.other_headers {
            write!(f, "{name}:")?;
            for word in words {
                write!(f, " {word}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "--BODY--")?;
        for state in &self.states {
            write_state(f, state)?;
        }
        writeln!(f, "--END--")
    }
}

fn write_state(f: &mut fmt::Formatter<'_>, state: &HoaState) -> fmt::Result {
    f.write_str("State:")?;
    if let Some(label) = &state.label {
        write!(f, " [{label}]")?;
    }
    write!(f, " {}", state.id)?;
    if let Some(name) = &state.name {
        write!(f, " {}", quote(name))?;
    }
    writeln!(f, "{}", marks(&state.marks))?;
    for edge in &state.edges {
        if let Some(label) = &edge.label {
            write!(f, "[{label}] ")?;
        }
        writeln!(f, "{}{}", conjunction(&edge.targets), marks(&edge.marks))?;
    }
    Ok(())
}

fn conjunction(states: &[u32]) -> String {
    let states: Vec<String> = states.iter().map(u32::to_string).collect();
    states.join("&")
}

fn marks(marks: &[u32]) -> String {
    if marks.is_empty() {
        return String::new();
    }
    let marks: Vec<String> = marks.iter().map(u32::to_string).collect();
    format!(" {{{}}}", marks.join(" "))
}

/// A string in quotes.
pub(crate) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
