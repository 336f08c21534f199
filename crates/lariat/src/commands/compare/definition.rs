//! Tasks from the task definitions of `BenchExec` and SV-COMP: YAML files with input files and properties.
//!
//! Each property with a file is a task; `expected_verdict` says what it should give. A property whose file has a form that
//! is not supported is a task that cannot be read, and so an error in the result, as in a table. `options` for `lariat` are those
//! that `compare --benchexec` writes: the question as options of `lariat check`. A file that ends with `.set` lists
//! definitions, one in a line, with `*` in their names.

use super::manifest::Filter;
use super::task::{Expected, Question, Task};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceId, Span};
use saphyr::{LoadableYamlNode as _, MarkedYaml};
use std::path::{Path, PathBuf};

/// Larger files are none of the kind, and need not be taken apart.
const MOST_BYTES: usize = 1 << 16;

/// Whether a file is such a definition, or a list of them.
pub fn is_definition(path: &Path) -> bool {
    let extension = path.extension().and_then(|end| end.to_str());
    matches!(extension, Some("yml" | "yaml" | "set"))
}

/// The tasks of a definition, or of all that a list names.
pub fn read(session: &mut Session, path: &Path, filter: &Filter<'_>) -> Result<Vec<Task>, Failure> {
    let files = if path.extension().is_some_and(|end| end == "set") {
        listed(session, path)?
    } else {
        vec![path.to_owned()]
    };
    let mut tasks = Vec::new();
    for file in files {
        tasks.extend(read_one(session, &file, filter)?);
    }
    if tasks.is_empty() {
        let message = format!("`{}` has no task to run", path.display());
        return Err(Diagnostic::error("no-task", message).into());
    }
    Ok(tasks)
}

fn read_one(session: &mut Session, path: &Path, filter: &Filter<'_>) -> Result<Vec<Task>, Failure> {
    let text = crate::load::read(path)?;
    let source = session
        .sources
        .add(path.display().to_string(), text.clone());
    let file = Definition {
        source,
        text: &text,
        path,
    };
    match file.tasks(filter)? {
        Read::Tasks(tasks) => Ok(tasks),
        Read::LeftOut(why) => {
            session.report(&[why]);
            Ok(Vec::new())
        }
    }
}

/// What a definition gives.
enum Read {
    /// Its tasks.
    Tasks(Vec<Task>),
    /// Nothing, and why.
    LeftOut(Diagnostic),
}

/// The files that a list names.
fn listed(session: &mut Session, path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = crate::load::read(path)?;
    let source = session
        .sources
        .add(path.display().to_string(), text.clone());
    let folder = path.parent().unwrap_or(Path::new(""));
    let (mut files, mut findings) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in text.split('\n') {
        let pattern = line.trim();
        if !pattern.is_empty() && !pattern.starts_with('#') {
            let found = matching(&folder.join(pattern));
            if found.is_empty() {
                let message = format!("no file is called `{pattern}`");
                let at = start + (line.len() - line.trim_start().len());
                let span = Span::new(source, at, at + pattern.len());
                findings.push(Diagnostic::error("no-task", message).at(span));
            }
            files.extend(found);
        }
        start += line.len() + 1;
    }
    if findings.is_empty() {
        Ok(files)
    } else {
        Err(findings.into())
    }
}

/// The files whose names match; `*` stands for any letters in the last part of the path.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    if !name.contains('*') {
        return pattern
            .is_file()
            .then(|| pattern.to_owned())
            .into_iter()
            .collect();
    }
    let folder = pattern.parent().unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| fits(&entry.file_name().to_string_lossy(), &name))
        .map(|entry| pattern.with_file_name(entry.file_name()))
        .filter(|path| path.is_file())
        .collect();
    found.sort();
    found
}

/// Whether a name fits a pattern with stars.
fn fits(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let last = parts.pop();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    last.map_or(rest.is_empty(), |last| rest.ends_with(last))
}

/// A definition that is being read.
struct Definition<'a> {
    source: SourceId,
    text: &'a str,
    path: &'a Path,
}

impl Definition<'_> {
    fn tasks(&self, filter: &Filter<'_>) -> Result<Read, Vec<Diagnostic>> {
        let whole = Span::new(self.source, 0, self.text.len());
        if self.text.len() > MOST_BYTES {
            let message = "this is too long for the definition of a task";
            return Err(vec![Diagnostic::error("bad-definition", message)]);
        }
        let documents = MarkedYaml::load_from_str(self.text).map_err(|error| {
            let at = self.offset(error.marker().index());
            let finding = Diagnostic::error("bad-definition", error.info());
            vec![finding.at(Span::new(self.source, at, at))]
        })?;
        let [root] = &documents[..] else {
            let message = "a task has one document";
            return Err(vec![Diagnostic::error("bad-definition", message).at(whole)]);
        };
        let bad = |message: &str, hint: &str| {
            let finding = Diagnostic::error("bad-definition", message).at(whole);
            Err(vec![finding.hint(hint)])
        };
        let Some(inputs) = root.data.as_mapping_get("input_files") else {
            return bad(
                "the task has no `input_files`",
                "such as `input_files: program.c`",
            );
        };
        let models: Vec<PathBuf> = self
            .texts(inputs)?
            .iter()
            .map(|name| self.beside(name))
            .collect();
        if models.is_empty() {
            return bad(
                "the task has no `input_files`",
                "such as `input_files: program.c`",
            );
        }
        let options = root.data.as_mapping_get("options");
        let data_model = options.and_then(|options| options.data.as_mapping_get("data_model"));
        if let Some(node) = data_model.filter(|node| node.data.as_str() == Some("ILP32")) {
            let message =
                "left out: numbers of programs for 32 bits have other sizes than those of LP64";
            let why = Diagnostic::warning("bad-definition", message).at(self.span(node));
            return Ok(Read::LeftOut(why));
        }
        let words = self.words(root)?;
        let Some(properties) = root.data.as_mapping_get("properties") else {
            return bad(
                "the task has no `properties`",
                "such as `- property_file: safe.prp`",
            );
        };
        let Some(properties) = properties.data.as_sequence() else {
            return bad(
                "`properties` is no list",
                "such as `- property_file: safe.prp`",
            );
        };
        let mut tasks = Vec::new();
        for property in properties {
            tasks.extend(self.task(property, &models, &words, filter)?);
        }
        Ok(Read::Tasks(tasks))
    }

    fn task(
        &self,
        property: &MarkedYaml<'_>,
        models: &[PathBuf],
        words: &[String],
        filter: &Filter<'_>,
    ) -> Result<Option<Task>, Vec<Diagnostic>> {
        let span = self.span(property);
        let file = property.data.as_mapping_get("property_file");
        let Some(file) = file.and_then(|file| file.data.as_str()) else {
            let finding =
                Diagnostic::error("bad-definition", "a property without a `property_file`");
            return Err(vec![finding.at(span)]);
        };
        let expected = match property.data.as_mapping_get("expected_verdict") {
            None => None,
            Some(node) => match node.data.as_bool() {
                Some(true) => Some(Expected::Holds),
                Some(false) => Some(Expected::Violated),
                None => {
                    let finding = Diagnostic::error(
                        "bad-definition",
                        "`expected_verdict` is `true` or `false`",
                    );
                    return Err(vec![finding.at(self.span(node))]);
                }
            },
        };
        let kind = Path::new(file)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let id = format!("{} {kind}", self.path.display());
        let wanted = filter.kind.is_none_or(|wanted| wanted == kind)
            && filter.text.is_none_or(|text| id.contains(text));
        if !wanted {
            return Ok(None);
        }
        let question = match words {
            [] => Question::Prop(self.beside(file)),
            words => asked(words).ok_or_else(|| {
                let message = "`options` for `lariat` are one question, such as `[--ltl, G p]`";
                vec![Diagnostic::error("bad-definition", message).at(span)]
            })?,
        };
        Ok(Some(Task {
            id,
            models: models.to_vec(),
            language: filter.language,
            compose: None,
            reading: filter.reading.clone(),
            question,
            syntax: None,
            expected,
            place: Some(span),
        }))
    }

    /// The question that `compare --benchexec` has written.
    fn words(&self, root: &MarkedYaml<'_>) -> Result<Vec<String>, Vec<Diagnostic>> {
        let options = root.data.as_mapping_get("options");
        let words = options.and_then(|options| options.data.as_mapping_get("lariat"));
        words.map_or(Ok(Vec::new()), |words| self.texts(words))
    }

    /// A text, or a list of texts.
    fn texts(&self, node: &MarkedYaml<'_>) -> Result<Vec<String>, Vec<Diagnostic>> {
        let text = |node: &MarkedYaml<'_>| {
            let text = node.data.as_str().map(str::to_owned);
            text.ok_or_else(|| {
                let finding = Diagnostic::error("bad-definition", "a text is needed here");
                vec![finding.at(self.span(node))]
            })
        };
        match node.data.as_sequence() {
            Some(list) => list.iter().map(text).collect(),
            None => text(node).map(|text| vec![text]),
        }
    }

    /// A file that is named relative to the definition.
    fn beside(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(name)
    }

    fn span(&self, node: &MarkedYaml<'_>) -> Span {
        let [start, end] = [node.span.start, node.span.end].map(|mark| self.offset(mark.index()));
        Span::new(self.source, start, end.max(start))
    }

    /// The byte at which a letter starts.
    fn offset(&self, letter: usize) -> usize {
        let mut letters = self.text.char_indices();
        letters.nth(letter).map_or(self.text.len(), |(at, _)| at)
    }
}

/// A question as it is asked on the command line.
fn asked(words: &[String]) -> Option<Question> {
    let (option, value) = match words {
        [word] => match word.split_once('=') {
            Some((option, value)) => (option, value),
            None => (&**word, ""),
        },
        [option, value] => (&**option, &**value),
        _ => return None,
    };
    let text = value.to_owned();
    Some(match option {
        "--ltl" => Question::Ltl(text),
        "--invariant" => Question::Invariant(text),
        "--property" => Question::Property(text),
        "--termination" => Question::Termination,
        "--own" => Question::Own,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{ReadingOptions, Values};
    use lariat_base::SourceMap;

    /// The command lines of a definition's tasks, or what is wrong, each with its place.
    fn check(text: &str) -> Vec<String> {
        let mut sources = SourceMap::new();
        let source = sources.add("t.yml", text);
        let file = Definition {
            source,
            text,
            path: Path::new("d/t.yml"),
        };
        let filter = Filter {
            kind: None,
            text: None,
            language: None,
            reading: &ReadingOptions::new(&Values::default()),
        };
        match file.tasks(&filter) {
            Ok(Read::LeftOut(why)) => vec![why.message],
            Ok(Read::Tasks(tasks)) => tasks
                .iter()
                .map(|task| {
                    let expected = task.expected.map_or("?", Expected::name);
                    format!("{} = {} {expected}", task.id, task.words().join(" "))
                })
                .collect(),
            Err(findings) => findings
                .into_iter()
                .map(|finding| {
                    let place = finding.primary.map(|label| sources.describe(label.span));
                    format!("{}: {}", place.unwrap_or_default(), finding.message)
                })
                .collect(),
        }
    }

    #[test]
    fn each_property_is_a_task() {
        assert_eq!(
            check(
                "format_version: '2.0'\n\
                 input_files: 'a.c'\n\
                 properties:\n  - property_file: ../p/unreach-call.prp\n    expected_verdict: true\n  \
                 - property_file: ../p/termination.prp\n    expected_verdict: false\n  - property_file: q.prp\n\
                 options:\n  language: C\n  data_model: LP64\n"
            ),
            [
                "d/t.yml unreach-call = d/a.c --prop d/../p/unreach-call.prp holds",
                "d/t.yml termination = d/a.c --prop d/../p/termination.prp violated",
                "d/t.yml q = d/a.c --prop d/q.prp ?",
            ]
        );
    }

    #[test]
    fn programs_for_32_bits_are_left_out() {
        let text = "input_files: a.c\nproperties:\n  - property_file: p.prp\noptions:\n  data_model: ILP32\n";
        assert!(check(text)[0].starts_with("left out: "));
    }

    #[test]
    fn our_own_questions_come_back() {
        assert_eq!(
            check(
                "format_version: '2.0'\ninput_files: [m.gcl]\n\
                 properties:\n  - property_file: ltl.prp\n    expected_verdict: true\n\
                 options:\n  lariat: ['--ltl', 'G \"p: q\" -> F ''x''']\n"
            ),
            ["d/t.yml ltl = d/m.gcl --ltl G \"p: q\" -> F 'x' holds"]
        );
    }

    #[test]
    fn mistakes_have_their_places() {
        assert_eq!(
            check("input_files: a.c\n"),
            ["t.yml:1:1: the task has no `properties`"]
        );
        assert_eq!(
            check(
                "input_files: é.c\nproperties:\n  - property_file: a.prp\n    expected_verdict: maybe\n"
            ),
            ["t.yml:4:23: `expected_verdict` is `true` or `false`"]
        );
        assert!(check("input_files: [a\n")[0].starts_with("t.yml:"));
        // Whatever stands there, it is told and not broken down at.
        for text in ["", "[", "a: b: c", "- &a [*a]", "\u{0}", "---\n---\n"] {
            assert_eq!(check(text).len(), 1, "{text:?}");
        }
        let deep = "[".repeat(30_000);
        assert_eq!(check(&deep).len(), 1);
    }

    #[test]
    fn stars_stand_for_letters() {
        for (name, pattern) in [
            ("a.yml", "*.yml"),
            ("a.yml", "a*"),
            ("abc", "a*b*c"),
            ("a", "a"),
            ("aXXb", "a*b"),
        ] {
            assert!(fits(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [
            ("a.yml", "*.c"),
            ("b.yml", "a*"),
            ("acb", "a*b*c"),
            ("ab", "a"),
            ("a", "a*a"),
        ] {
            assert!(!fits(name, pattern), "{name} {pattern}");
        }
    }
}
