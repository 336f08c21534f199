//! Tasks from a table: text with tabs, a line for each task, the names of the columns in the first line.
//!
//! Tables of benchmark collections name their columns differently. What is understood: `model` or `path`; `kind` or
//! `property_kind`, which says how `property` is to be read; everything that is not needed is skipped. A row that
//! cannot be understood is an error with its place: asking something else instead would give verdicts that mean nothing.

use super::scratch::Scratch;
use super::task::{Expected, Question, Task};
use crate::cli::{Compose, LanguageArg};
use crate::options::ReadingOptions;
use crate::session::{Failure, Session};
use clap::ValueEnum as _;
use lariat_base::{Diagnostic, SourceId, Span};
use std::path::{Path, PathBuf};

/// Which rows are wanted.
pub struct Filter<'a> {
    /// Only those of this kind.
    pub kind: Option<&'a str>,
    /// Only those with this text in id or model.
    pub text: Option<&'a str>,
    /// The language of all models, whatever their names say.
    pub language: Option<LanguageArg>,
    /// How models are read.
    pub reading: &'a ReadingOptions,
}

/// Reads the tasks of a table.
pub fn read(
    session: &mut Session,
    path: &Path,
    filter: &Filter<'_>,
    scratch: &mut Scratch,
) -> Result<Vec<Task>, Failure> {
    let text = crate::load::read(path)?;
    let source = session
        .sources
        .add(path.display().to_string(), text.clone());
    let folder = path.parent().unwrap_or(Path::new(""));
    let rows = rows(source, &text)?;
    let (mut tasks, mut findings) = (Vec::new(), Vec::new());
    for row in &rows {
        match task(row, folder, filter, scratch) {
            Ok(task) => tasks.extend(task),
            Err(finding) => findings.push(finding),
        }
    }
    if !findings.is_empty() {
        return Err(findings.into());
    }
    if tasks.is_empty() {
        let message = format!("`{}` has no task to run", path.display());
        let finding = Diagnostic::error("no-task", message);
        let filtered = filter.kind.is_some() || filter.text.is_some();
        let hint = filtered.then_some("`--kind` and `--match` leave none of its rows");
        return Err(finding.maybe_hint(hint).into());
    }
    Ok(tasks)
}

/// A row: its fields by the names of their columns.
struct Row<'a> {
    fields: Vec<(&'a str, &'a str, Span)>,
    span: Span,
}

impl<'a> Row<'a> {
    /// The field of the first of these columns that there is and that is not empty.
    fn field(&self, columns: &[&str]) -> Option<(&'a str, Span)> {
        let find = |column: &&str| {
            let fields = self.fields.iter();
            let mut fields = fields.filter(|(name, value, _)| name == column && !value.is_empty());
            fields.next().map(|&(_, value, span)| (value, span))
        };
        let found = columns.iter().find_map(find);
        found.filter(|&(value, _)| value != "-")
    }
}

/// Takes a table apart.
fn rows(source: SourceId, text: &str) -> Result<Vec<Row<'_>>, Vec<Diagnostic>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let fields = line.trim_end_matches('\r');
        if !fields.trim().is_empty() && !fields.starts_with('#') {
            lines.push((start, fields));
        }
        start += line.len() + 1;
    }
    let Some(((start, header), lines)) = lines.split_first() else {
        return Err(vec![Diagnostic::error("no-task", "the table is empty")]);
    };
    let columns: Vec<&str> = header.split('\t').map(str::trim).collect();
    let header_span = Span::new(source, *start, start + header.len());
    if !columns.iter().any(|column| MODEL.contains(column)) {
        let message = "the table has no column `model`";
        let hint =
            "the first line names the columns, separated by tabs: `model`, `ltl`, `expected`, …";
        let finding = Diagnostic::error("no-column", message).at(header_span);
        return Err(vec![finding.hint(hint)]);
    }
    let (mut rows, mut findings) = (Vec::new(), Vec::new());
    for &(start, line) in lines {
        let span = Span::new(source, start, start + line.len());
        let n_fields = line.split('\t').count();
        if n_fields > columns.len() {
            let message = format!("{n_fields} fields, but {} columns", columns.len());
            findings.push(Diagnostic::error("bad-row", message).at(span));
            continue;
        }
        let (mut fields, mut at) = (Vec::new(), start);
        for (&column, field) in columns.iter().zip(line.split('\t')) {
            let value = field.trim();
            let blanks = field.len() - field.trim_start().len();
            let span = Span::new(source, at + blanks, at + blanks + value.len());
            fields.push((column, value, span));
            at += field.len() + 1;
        }
        rows.push(Row { fields, span });
    }
    if findings.is_empty() {
        Ok(rows)
    } else {
        Err(findings)
    }
}

const MODEL: [&str; 3] = ["model", "models", "path"];
const KIND: [&str; 2] = ["kind", "property_kind"];
/// Columns that hold a question of their own kind.
const QUESTIONS: [&str; 3] = ["ltl", "invariant", "prop"];

/// The task of a row, if it is wanted.
fn task(
    row: &Row<'_>,
    folder: &Path,
    filter: &Filter<'_>,
    scratch: &mut Scratch,
) -> Result<Option<Task>, Diagnostic> {
    let Some((models, _)) = row.field(&MODEL) else {
        return Err(Diagnostic::error("bad-row", "the row names no model").at(row.span));
    };
    let id = row.field(&["id"]).map(|(id, _)| id);
    let kind = kind(row)?;
    let is_wanted = |text: &str| models.contains(text) || id.is_some_and(|id| id.contains(text));
    let wanted = filter.text.is_none_or(is_wanted) && filter.kind.is_none_or(|k| k == kind);
    if !wanted {
        return Ok(None);
    }
    let models: Vec<PathBuf> = models
        .split(" + ")
        .map(|model| folder.join(model.trim()))
        .collect();
    let compose = compose(row, models.len())?;
    let question = question(row, kind, folder, id.unwrap_or("task"), scratch)?;
    let expected = match row.field(&["expected"]) {
        None | Some(("unknown" | "?", _)) => None,
        Some(("holds", _)) => Some(Expected::Holds),
        Some(("violated", _)) => Some(Expected::Violated),
        Some((other, span)) => {
            let message = format!("`{other}` is no verdict");
            let finding = Diagnostic::error("bad-row", message).at(span);
            return Err(finding.hint("write `holds`, `violated` or nothing"));
        }
    };
    Ok(Some(Task {
        id: id.map_or_else(|| Task::describe(&models, &question), str::to_owned),
        models,
        language: filter.language,
        compose,
        reading: filter.reading.clone(),
        question,
        syntax: None,
        expected,
        place: Some(row.span),
    }))
}

/// What kind of task it is: what the row says, or the column that holds its question.
fn kind<'a>(row: &Row<'a>) -> Result<&'a str, Diagnostic> {
    let mut given = row
        .fields
        .iter()
        .filter(|(name, value, _)| QUESTIONS.contains(name) && !value.is_empty() && *value != "-");
    match (given.next(), given.next()) {
        (Some(&(first, ..)), None) => Ok(first),
        (Some(&(first, ..)), Some(&(second, _, span))) => {
            let message = format!("the row asks twice, in `{first}` and in `{second}`");
            let finding = Diagnostic::error("bad-row", message).at(span);
            Err(finding.hint("make two rows of it"))
        }
        (None, _) => Ok(match row.field(&KIND) {
            Some((kind, _)) => kind,
            None if row.field(&["property"]).is_some() => "property",
            None => "own",
        }),
    }
}

fn compose(row: &Row<'_>, n_models: usize) -> Result<Option<Compose>, Diagnostic> {
    let Some((text, span)) = row.field(&["compose"]) else {
        if n_models == 1 {
            return Ok(None);
        }
        let message = "several models need a column `compose`";
        let finding = Diagnostic::error("bad-row", message).at(row.span);
        return Err(finding.hint("`alternate` or `interleave`"));
    };
    Compose::from_str(text, false).map(Some).map_err(|_| {
        let message = format!("`{text}` is no way to compose models");
        let finding = Diagnostic::error("bad-row", message).at(span);
        finding.hint("`alternate` or `interleave`")
    })
}

/// What a row of this kind asks.
fn question(
    row: &Row<'_>,
    kind: &str,
    folder: &Path,
    id: &str,
    scratch: &mut Scratch,
) -> Result<Question, Diagnostic> {
    /// What collections write where the property stands in the model.
    const INSIDE: &str = "[inside the file]";
    if QUESTIONS.contains(&kind)
        && let Some((text, _)) = row.field(&[kind])
    {
        return Ok(match kind {
            "ltl" => Question::Ltl(text.to_owned()),
            "invariant" => Question::Invariant(text.to_owned()),
            _ => Question::Prop(folder.join(text)),
        });
    }
    let (text, span) = row.field(&["property"]).unwrap_or(("", row.span));
    let file = folder.join(text);
    if !text.is_empty() && file.is_file() {
        return Ok(Question::Prop(file));
    }
    if text.starts_with("CHECK") {
        let path = scratch.keep_file(id, "prp", &format!("{text}\n"))?;
        return Ok(Question::Prop(path));
    }
    let wrong = |message: String| Err(Diagnostic::error("bad-row", message).at(span));
    match kind {
        "own" | "errloc" | "reach" => Ok(Question::Own),
        "invar" | "prop" if text.ends_with(INSIDE) => Ok(Question::Own),
        "termination" => Ok(Question::Termination),
        _ if text.is_empty() => wrong(format!("a row of kind `{kind}` needs a property")),
        "ltl" => Ok(Question::Ltl(text.trim_end_matches([';', ' ']).to_owned())),
        "invariant" => Ok(Question::Invariant(text.to_owned())),
        "property" => Ok(Question::Property(text.to_owned())),
        "invar" | "prop" => wrong(format!("there is no file `{}`", file.display())),
        _ => wrong(format!("`{kind}` is no kind of property")).map_err(|finding: Diagnostic| {
            finding.hint(
                "ltl, invariant, property (by name), prop (a file), own (the model's properties)",
            )
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Values;
    use lariat_base::SourceMap;

    /// The command lines of a table's tasks, or what is wrong, each with its place.
    fn check(text: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let source = sources.add("t", text);
        let mut scratch = Scratch::new(None).expect("a folder for temporary files");
        let filter = Filter {
            kind: None,
            text: None,
            language: None,
            reading: &ReadingOptions::new(&Values::default()),
        };
        let show = |finding: Diagnostic| {
            let span = finding.primary.expect("a mistake has a place").span;
            format!("{}: {}", sources.describe(span), finding.message)
        };
        let rows = match rows(source, text) {
            Ok(rows) => rows,
            Err(findings) => return findings.into_iter().map(show).collect(),
        };
        let line = |row: &Row<'_>| match task(row, Path::new("d"), &filter, &mut scratch) {
            Err(finding) => show(finding),
            Ok(None) => "left out".into(),
            Ok(Some(task)) => {
                let expected = task.expected.map_or("?", Expected::name);
                format!("{} = {} {expected}", task.id, task.words().join(" "))
            }
        };
        rows.iter().map(line).collect()
    }

    #[test]
    fn our_own_columns() {
        assert_eq!(
            check(
                "id\tmodel\tltl\tinvariant\tproperty\texpected\n\
                 # a comment\n\
                 a\tm.gcl\tG p\t\t\tholds\n\
                 b\tm.gcl\t\t-1 < x\t-\tviolated\n\
                 \tm.gcl\t-\t\tsafe\n"
            ),
            [
                "a = d/m.gcl --ltl G p holds",
                "b = d/m.gcl --invariant=-1 < x violated",
                "d/m.gcl: safe = d/m.gcl --property safe ?",
            ]
        );
    }

    #[test]
    fn columns_of_other_collections() {
        assert_eq!(
            check(
                "id\tpath\tkind\tproperty\texpected\tnotes\n\
                 a\tm.c\tltl\t[](AP(x > 0)) ;\tholds\tfine\n\
                 b\tm.cfa\terrloc\tERR unreachable\tviolated\tfine\n\
                 c\tm.sts\tinvar\tG(x < 5) [inside the file]\tunknown\t\n"
            ),
            [
                "a = d/m.c --ltl [](AP(x > 0)) holds",
                "b = d/m.cfa violated",
                "c = d/m.sts ?",
            ]
        );
        assert_eq!(
            check(
                "model\tcompose\tkind\tproperty\texpected\twhy\n\
                 a.cfa + b.xsts\talternate\tinvariant\tx != 7\tviolated\tso\n\
                 c.gcl\t-\town\t-\tholds\tso\n"
            ),
            [
                "d/a.cfa + d/b.xsts: x != 7 = d/a.cfa d/b.xsts --compose alternate --invariant x != 7 violated",
                "d/c.gcl = d/c.gcl holds",
            ]
        );
    }

    #[test]
    fn mistakes_have_their_places() {
        assert_eq!(check("a\tb\n"), ["t:1:1: the table has no column `model`"]);
        assert_eq!(
            check("model\tltl\nm\tG p\tx\n"),
            ["t:2:1: 3 fields, but 2 columns"]
        );
        assert_eq!(
            check(
                "model\tkind\tproperty\tltl\tinvariant\texpected\n\
                 m\t\t\tp\tq\t\n\
                 m\tinvar\tno.prop\t\t\t\n\
                 m\tstrange\tp\t\t\t\n\
                 m\tltl\t\t\t\t\n\
                 m\t\t\t\tq\tyes\n\
                 m + n\t\t\t\tq\t\n"
            ),
            [
                "t:2:7: the row asks twice, in `ltl` and in `invariant`",
                "t:3:9: there is no file `d/no.prop`",
                "t:4:11: `strange` is no kind of property",
                "t:5:1: a row of kind `ltl` needs a property",
                "t:6:8: `yes` is no verdict",
                "t:7:1: several models need a column `compose`",
            ]
        );
    }
}
