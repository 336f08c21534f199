//! `lariat explain`: what the id of a finding means, with an example.
//!
//! The texts are files: `## id`, some lines, and lines of an example, which are indented. A test finds ids in the
//! sources of all crates that have no text here.

use crate::session::{Failure, Session};
use clap::Args;
use lariat_base::{Diagnostic, nearest};
use std::process::ExitCode;

/// Explains an error or a warning by its id, as in `error[useless-option]`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ExplainArgs {
    /// The id; all ids are listed without one
    #[arg(value_name = "ID")]
    id: Option<String>,
}

const AFTER: &str = "\
Examples:
  lariat explain narrow-operator
  lariat explain 'error[useless-option]'
  lariat explain                           all ids";

/// The texts.
const TEXTS: [&str; 9] = [
    include_str!("models.txt"),
    include_str!("formulas.txt"),
    include_str!("programs.txt"),
    include_str!("circuits.txt"),
    include_str!("options.txt"),
    include_str!("smv.txt"),
    include_str!("charts.txt"),
    include_str!("controllers.txt"),
    include_str!("smtlib.txt"),
];

/// Runs the command.
pub fn run(args: &ExplainArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    match &args.id {
        None => list(session)?,
        Some(id) => {
            let id = bare(id);
            let Some((_, text)) = entries().find(|(known, _)| *known == id) else {
                let near = nearest(id, entries().map(|(known, _)| known));
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "`lariat explain` lists all ids".into(),
                };
                let message = format!("there is no finding `{id}`");
                return Err(Diagnostic::error("unknown-id", message).hint(hint).into());
            };
            session.out.line(id)?;
            session.out.line("")?;
            for line in text.lines() {
                session.out.line(&session.screen.wrap(line))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All ids, by what they are about.
fn list(session: &mut Session) -> Result<(), Failure> {
    for (i, text) in TEXTS.iter().enumerate() {
        let title = text.lines().next().unwrap_or_default();
        if i > 0 {
            session.out.line("")?;
        }
        session.out.line(title.trim_start_matches("# "))?;
        for (id, text) in entries_of(text) {
            let words = text.lines().take_while(|line| !line.starts_with(' '));
            let words = words.collect::<Vec<_>>().join(" ");
            let first = words.split_inclusive(". ").next().unwrap_or_default();
            let line = format!("  {id:<24} {}", first.trim());
            session.out.line(&session.screen.wrap(&line))?;
        }
    }
    Ok(())
}

/// The id in `error[id]`, or the word itself.
fn bare(word: &str) -> &str {
    let inner = word.split_once('[').map_or(word, |(_, inner)| inner);
    inner.trim_end_matches(']').trim()
}

/// All ids with their texts.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXTS.into_iter().flat_map(entries_of)
}

fn entries_of(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = text.split("\n## ").skip(1);
    sections.map(|section| {
        let (id, text) = section.split_once('\n').unwrap_or((section, ""));
        (id, text.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    /// Places where the id is not written where the finding is made, with the ids that they give.
    const INDIRECT: [(&str, &[&str]); 4] = [
        (
            "frontend/src/c/atom.rs",
            &["unknown-function", "unknown-label"],
        ),
        (
            "frontend/src/c/control/fault.rs",
            &["division", "memsafety"],
        ),
        (
            "lariat/src/commands/check/export.rs",
            &["no-drawing", "no-harness", "no-witness"],
        ),
        (
            "ltl/src/parse/lower.rs",
            &["temporal-in-expression", "unclear-expression"],
        ),
    ];

    /// Functions that hand on the id they are given.
    const HANDED_ON: [&str; 10] = [
        "base/src/diagnostic.rs",
        "frontend/src/aiger/order.rs",
        "frontend/src/aiger/read.rs",
        "frontend/src/btor2/line.rs",
        "frontend/src/c/lower.rs",
        "frontend/src/gamma/mod.rs",
        "frontend/src/smtlib/sexpr.rs",
        "frontend/src/smv/flat.rs",
        "frontend/src/st/expression.rs",
        "frontend/src/st/parse.rs",
    ];

    #[test]
    fn every_id_in_the_sources_has_a_text() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut ids: BTreeSet<String> = BTreeSet::new();
        let mut todo = vec![crates.clone()];
        while let Some(folder) = todo.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(&crates).expect("inside").to_owned();
                let name = name.to_string_lossy().replace('\\', "/");
                let others = ["xtask", "testkit", "target"];
                let is_test = name.ends_with("tests.rs") || name.contains("/tests");
                if path.is_dir() && !others.contains(&&*name) && !is_test {
                    todo.push(path);
                } else if path.extension().is_some_and(|end| end == "rs")
                    && name.contains("/src/")
                    && !is_test
                {
                    let text = std::fs::read_to_string(&path).expect("a source");
                    ids.extend(ids_of(&name, &text));
                }
            }
        }
        assert!(ids.len() > 100, "the scan finds {}", ids.len());
        let known: BTreeSet<String> = entries().map(|(id, _)| id.to_owned()).collect();
        let missing: Vec<&String> = ids.difference(&known).collect();
        assert!(missing.is_empty(), "ids without a text: {missing:?}");
        let useless: Vec<&String> = known.difference(&ids).collect();
        assert!(useless.is_empty(), "texts without a finding: {useless:?}");
        assert_eq!(known.len(), entries().count(), "an id has two texts");
        for (id, text) in entries() {
            assert!(text.len() > 20, "{id} says nothing");
            let width = text.lines().map(|line| line.chars().count()).max();
            assert!(width < Some(165), "{id} has long lines");
        }
    }

    /// The ids of the findings that a source makes.
    fn ids_of(name: &str, text: &str) -> Vec<String> {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let mut ids = Vec::new();
        for word in ["error(", "warning("] {
            for (at, _) in code.match_indices(word) {
                let before = code[..at].chars().next_back();
                if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    continue;
                }
                let first = code[at + word.len()..].trim_start();
                let is_made = code[..at].ends_with("Diagnostic::");
                if let Some(rest) = first.strip_prefix('"') {
                    let id = rest.split('"').next().unwrap_or_default();
                    let is_id = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                    if !id.is_empty()
                        && id.chars().all(is_id)
                        && rest[id.len()..].starts_with("\",")
                    {
                        ids.push(id.to_owned());
                    }
                } else if is_made {
                    let end = first.find(|c: char| !c.is_alphanumeric() && c != '_');
                    ids.extend(named(name, code, &first[..end.unwrap_or(0)]));
                }
            }
        }
        ids
    }

    /// What the name of an id stands for: a constant of the file, or what the table above says.
    fn named(file: &str, code: &str, name: &str) -> Vec<String> {
        let constant = format!("const {name}: &str = \"");
        if let Some((_, rest)) = code.split_once(&constant) {
            return vec![rest.split('"').next().unwrap_or_default().to_owned()];
        }
        if HANDED_ON.contains(&file) {
            return Vec::new();
        }
        let found = INDIRECT.iter().find(|(known, _)| *known == file);
        let found = found.unwrap_or_else(|| panic!("{file} makes a finding with the id `{name}`"));
        found.1.iter().map(|&id| id.to_owned()).collect()
    }

    #[test]
    fn an_id_can_be_copied_with_its_brackets() {
        for word in ["no-body", "warning[no-body]", "[no-body]"] {
            assert_eq!(bare(word), "no-body");
        }
    }
}
