//! Reads model files and composes them.

use crate::cli::ModelArgs;
use crate::cpp;
use crate::options::{Facts, refuse};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_frontend::{
    COptions, Includes, NEEDS_CPP, Options, Parsed, language_of, parse, parse_with,
};
use lariat_system::{ComposeError, Context, Language};
use lariat_verify::Model;
use lariat_verify::pass::observe::observe;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Reads the models that the options name; warnings are shown, errors of all files are collected.
pub fn load(session: &mut Session, args: &ModelArgs) -> Result<Model, Failure> {
    load_with(session, args, COptions::default())
}

/// Whether signed overflow of C programs is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// It leads to a location of its own.
    Watch,
    /// Numbers are what they are.
    Ignore,
}

/// [`load`] for a property that is decided: it may ask for overflow, and runs that hang count.
pub fn load_for(
    session: &mut Session,
    args: &ModelArgs,
    overflow: Overflow,
) -> Result<Model, Failure> {
    let asked = COptions {
        overflow: overflow == Overflow::Watch,
        hangs: args.models.len() == 1,
        ..COptions::default()
    };
    load_with(session, args, asked)
}

/// [`load`] with what the question needs of C programs.
fn load_with(session: &mut Session, args: &ModelArgs, asked: COptions) -> Result<Model, Failure> {
    match (args.models.len(), args.compose) {
        (1, Some(_)) => {
            let message = "`--compose` has no effect on a single model";
            let finding = Diagnostic::error("useless-option", message);
            return Err(finding
                .hint("name several models, or leave the option out")
                .into());
        }
        (2.., None) => {
            let finding = Diagnostic::error("missing-option", "several models need `--compose`");
            let hint = "`--compose alternate` lets them step in turn, \
                        `--compose interleave` in any order";
            return Err(finding.hint(hint).into());
        }
        _ => {}
    }
    let language = |path: &PathBuf| {
        args.language
            .map(Language::from)
            .or_else(|| language_of(path))
    };
    let facts = Facts {
        languages: Some(args.models.iter().filter_map(language).collect()),
        ..Facts::default()
    };
    let mut reading = args.reading.clone();
    refuse(session, reading.drop_useless(&facts))?;
    let mut findings = Vec::new();
    let (mut systems, mut files) = (Vec::new(), Vec::new());
    for path in &args.models {
        match load_one(session, path, args, asked) {
            Ok((source, parsed)) => {
                session.report(&parsed.warnings);
                systems.push(parsed.system);
                files.push(source);
            }
            Err(errors) => findings.extend(errors),
        }
    }
    if !findings.is_empty() {
        return Err(findings.into());
    }
    if let Some(which) = reading.observe() {
        observe(&mut systems, which);
    }
    let model = match args.compose {
        None => Model::single(systems.remove(0)),
        Some(how) => Model::compose(&mut session.cx, systems, how.into())
            .map_err(|error| explain(&session.cx, error))?,
    };
    Ok(Model { files, ..model })
}

/// A composition error with both places.
fn explain(cx: &Context, error: ComposeError) -> Diagnostic {
    let (finding, first, second) = match error {
        ComposeError::Sorts {
            first,
            second,
            sorts,
        } => {
            let message = format!(
                "the shared variable `{}` has different types",
                cx.terms.name(first.var)
            );
            let sort = |sort| cx.terms.sorts.describe(sort);
            (
                Diagnostic::error("shared-variable-types", message)
                    .hint("variables of one name are one variable: rename one of them"),
                (first, format!("{} here", sort(sorts.0))),
                (second, format!("{} here", sort(sorts.1))),
            )
        }
        ComposeError::InitialValues { first, second } => {
            let message = format!(
                "the shared variable `{}` has different initial values",
                cx.terms.name(first.var)
            );
            (
                Diagnostic::error("shared-variable-values", message)
                    .hint("give it the same value in both, or a value in only one"),
                (first, "one value here".to_owned()),
                (second, "another value here".to_owned()),
            )
        }
    };
    let finding = match second.0.span {
        Some(span) => finding.at_label(span, second.1),
        None => finding,
    };
    match first.0.span {
        Some(span) => finding.also(span, first.1),
        None => finding,
    }
}

fn load_one(
    session: &mut Session,
    path: &Path,
    args: &ModelArgs,
    asked: COptions,
) -> Result<(SourceId, Parsed), Vec<Diagnostic>> {
    let name = path.display().to_string();
    // A file that is not there is a better message than one without a language.
    let text = read_program(path, args)?;
    let named = args.language.map(Language::from);
    let Some(language) = named.or_else(|| language_of(path)) else {
        let message = format!("the name `{name}` does not tell the language of the model");
        let finding = Diagnostic::error("unknown-language", message);
        let hint = "say `--language xsts`, `cfa`, `sts`, `gcl` or `c`";
        return Err(vec![finding.hint(hint)]);
    };
    let source = session.sources.add(name, text);
    let file = session.sources.file(source);
    let options = Options {
        c: COptions {
            ints: args.reading.ints(),
            volatile: args.reading.volatile(),
            recursion: args.reading.recursion(),
            ..asked
        },
    };
    let settings = cpp::Settings {
        folders: &args.include,
        macros: &args.define,
    };
    let parsed = parse_with(&mut session.cx, language, source, file, &options);
    let needs_cpp = |findings: &[Diagnostic]| {
        let is_asked = language == Language::C && !settings.macros.is_empty();
        is_asked || findings.iter().any(|finding| finding.id == NEEDS_CPP)
    };
    let parsed = match parsed {
        Ok(_) if needs_cpp(&[]) => Err(Vec::new()),
        parsed => parsed,
    };
    match parsed {
        Ok(parsed) => Ok((source, parsed)),
        Err(findings) if needs_cpp(&findings) => {
            let text = cpp::preprocess(source, file, settings).map_err(|finding| vec![finding])?;
            let name = file.name.clone();
            let pieces = cpp::pieces(&name, &text);
            let source = session.sources.add_pieces(name, text, pieces);
            let mut options = options;
            options.c.includes = Includes::Done;
            let file = session.sources.file(source);
            let parsed = parse_with(&mut session.cx, language, source, file, &options)?;
            Ok((source, parsed))
        }
        Err(mut findings) => {
            let other = other_language(file, source, language);
            if let (Some(other), Some(first)) = (other, findings.first_mut()) {
                let name = other.name();
                let hint = format!("the text reads as {name}: try `--language {name}`");
                first.hints.push(hint);
                // What is wrong with it in this language matters little then.
                findings.truncate(1);
            }
            Err(findings)
        }
    }
}

/// Another language that the text is a model of: the name of the file may be wrong.
fn other_language(file: &SourceFile, source: SourceId, language: Language) -> Option<Language> {
    const LIMIT: usize = 1 << 20;
    let others = Language::ALL.into_iter().filter(|&other| other != language);
    if file.text.len() > LIMIT || file.text.trim().is_empty() {
        return None;
    }
    let mut others = others;
    others.find(|&other| parse(&mut Context::new(), other, source, file).is_ok())
}

/// The text of a model. A C program that is no UTF-8 is taken as Latin-1, as compilers take it: what lies beyond
/// ASCII stands in comments and strings.
fn read_program(path: &Path, args: &ModelArgs) -> Result<String, Vec<Diagnostic>> {
    let language = args.language.map(Language::from);
    let language = language.or_else(|| language_of(path));
    let bytes = read_bytes(path)?;
    if language == Some(Language::C) && std::str::from_utf8(&bytes).is_err() {
        return Ok(bytes.into_iter().map(char::from).collect());
    }
    as_text(path, bytes)
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Vec<Diagnostic>> {
    as_text(path, read_bytes(path)?)
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let name = path.display();
    let refuse = |why: String| {
        let message = format!("cannot read `{name}`: {why}");
        vec![Diagnostic::error("unreadable-file", message)]
    };
    let too_large = || refuse("it has 4 GiB or more".into());
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin().lock();
        let read = stdin.take(u64::from(u32::MAX)).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    } else {
        let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
        if metadata.is_dir() {
            return Err(refuse("it is a directory".into()));
        }
        if metadata.len() >= u64::from(u32::MAX) {
            return Err(too_large());
        }
        let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
        bytes.reserve(metadata.len() as usize);
        let read = file.take(u64::from(u32::MAX)).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    }
    if bytes.len() as u64 >= u64::from(u32::MAX) {
        return Err(too_large());
    }
    Ok(bytes)
}

fn as_text(path: &Path, bytes: Vec<u8>) -> Result<String, Vec<Diagnostic>> {
    let name = path.display();
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = bytes[..good].split(|&byte| byte == b'\n').count();
        let message = format!(
            "`{name}` is no UTF-8 text: byte 0x{:02x} in line {line} (offset {good})",
            bytes[good]
        );
        let finding = Diagnostic::error("not-utf8", message);
        vec![finding.hint("save the file as UTF-8")]
    })
}
