//! Reads model files and composes them.

use crate::cli::ModelArgs;
use crate::cpp;
use crate::gamma_files;
use crate::options::{Facts, refuse};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, Piece, Severity, SourceFile, SourceId};
use lariat_frontend::{
    Asked, COptions, ChartReading, DEFAULT_CYCLE, GammaReading, Includes, NEEDS_CPP, Options,
    Parsed, PlcReading, cycle_time, language_of, needs_preprocessor, parse, parse_smv, parse_with,
};
use lariat_system::{ComposeError, Context, Language};
use lariat_verify::Model;
use lariat_verify::pass::observe::observe;
use lariat_verify::unmet_obligations;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Reads the models that the options name; warnings are shown, errors of all files are collected.
pub fn load(session: &mut Session, args: &ModelArgs) -> Result<Model, Failure> {
    load_with(session, args, &Question::default(), &[])
}

/// What a question needs of a model.
#[derive(Clone, Debug, Default)]
struct Question {
    c: COptions,
    /// Events of a script, which a chart must know besides its own.
    script: Vec<String>,
}

/// [`load`] for a script of events.
pub fn load_for_script(
    session: &mut Session,
    args: &ModelArgs,
    script: Vec<String>,
) -> Result<Model, Failure> {
    let asked = Question {
        script,
        ..Question::default()
    };
    load_with(session, args, &asked, &[])
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
    formulas: &[String],
) -> Result<Model, Failure> {
    let asked = Question {
        c: COptions {
            overflow: overflow == Overflow::Watch,
            hangs: args.compose.is_none(),
            ..COptions::default()
        },
        script: Vec::new(),
    };
    load_with(session, args, &asked, formulas)
}

/// [`load`] with what the question needs, and with formulas that an SMV model reads in its own spelling.
fn load_with(
    session: &mut Session,
    args: &ModelArgs,
    asked: &Question,
    formulas: &[String],
) -> Result<Model, Failure> {
    match (args.models.len(), args.compose) {
        (1, Some(_)) => {
            let message = "`--compose` has no effect on a single model";
            let finding = Diagnostic::error("useless-option", message);
            return Err(finding
                .hint("name several models, or leave the option out")
                .into());
        }
        (2.., None) if !are_one_program(args) => {
            let finding = Diagnostic::error("missing-option", "several models need `--compose`");
            let hint = "`--compose alternate` lets them step in turn, \
                        `--compose interleave` in any order; only C files are one program without it";
            return Err(finding.hint(hint).into());
        }
        _ => {}
    }
    let language = |path: &PathBuf| language_named(path, args);
    let facts = Facts {
        languages: Some(args.models.iter().filter_map(language).collect()),
        ..Facts::default()
    };
    let mut reading = args.reading.clone();
    refuse(session, reading.drop_useless(&facts))?;
    let mut findings = Vec::new();
    let (mut systems, mut files) = (Vec::new(), Vec::new());
    let groups: Vec<&[PathBuf]> = match args.compose {
        Some(_) => args.models.chunks(1).collect(),
        None => vec![&args.models],
    };
    for paths in groups {
        let loaded = match paths {
            [path] => load_one(session, path, args, (asked, formulas)),
            several => load_program(session, several, args, asked),
        };
        match loaded {
            Ok((source, parsed)) => {
                session.report(&parsed.warnings);
                let unmet = unmet_obligations(&session.cx, parsed.obligations);
                let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
                let (errors, warnings): (Vec<_>, Vec<_>) = unmet.into_iter().partition(is_error);
                session.report(&warnings);
                findings.extend(errors);
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
    if systems.len() > 1 && systems.iter().any(|system| system.clocks.is_some()) {
        let message = "a model in continuous time cannot be composed with others";
        return Err(Diagnostic::error("continuous-time", message).into());
    }
    let model = match args.compose {
        None => Model::single(systems.remove(0)),
        Some(how) => Model::compose(&mut session.cx, systems, how.into())
            .map_err(|error| explain(&session.cx, error))?,
    };
    Ok(Model { files, ..model })
}

/// The language of a file, if it is named or the file's name tells it.
fn language_named(path: &Path, args: &ModelArgs) -> Option<Language> {
    let named = args.language.map(Language::from);
    named.or_else(|| language_of(path))
}

/// Whether the models are the files of one program.
fn are_one_program(args: &ModelArgs) -> bool {
    let mut models = args.models.iter();
    models.all(|path| language_named(path, args) == Some(Language::C))
}

/// Reads the files of one C program: their texts, preprocessed if one of them needs it, are one text.
fn load_program(
    session: &mut Session,
    paths: &[PathBuf],
    args: &ModelArgs,
    asked: &Question,
) -> Result<(SourceId, Parsed), Vec<Diagnostic>> {
    let (mut files, mut findings) = (Vec::new(), Vec::new());
    for path in paths {
        match read_program(path, args) {
            Ok(text) => files.push(session.sources.add(path.display().to_string(), text)),
            Err(errors) => findings.extend(errors),
        }
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let needs_cpp = |&file: &SourceId| needs_preprocessor(file, session.sources.file(file));
    let is_preprocessed = !args.define.is_empty() || files.iter().any(needs_cpp);
    let (mut text, mut pieces) = (String::new(), Vec::new());
    for &source in &files {
        let file = session.sources.file(source);
        let own = if is_preprocessed {
            cpp::preprocess(source, file, cpp::Settings::of(args)).map_err(|error| vec![error])?
        } else {
            file.text.clone()
        };
        let at_line = text.matches('\n').count() + 1;
        pieces.push(Piece {
            start: text.len() as u32,
            at_line,
            name: file.name.clone(),
            line: 1,
            is_unit: true,
        });
        let inner = cpp::pieces(&file.name, &own).into_iter();
        pieces.extend(inner.filter(|_| is_preprocessed).map(|piece| Piece {
            start: piece.start + text.len() as u32,
            at_line: piece.at_line + at_line - 1,
            ..piece
        }));
        text.push_str(&own);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        if text.len() as u64 >= LARGEST {
            return Err(unreadable(&paths[0], TOO_LARGE));
        }
    }
    let name = session.sources.file(files[0]).name.clone();
    let source = session.sources.add_pieces(name, text, pieces);
    let mut options = options(args, asked);
    if is_preprocessed {
        options.c.includes = Includes::Done;
    }
    let file = session.sources.file(source);
    let parsed = parse_with(&mut session.cx, Language::C, source, file, &options)?;
    Ok((source, parsed))
}

/// How programs and charts are read.
fn options(args: &ModelArgs, asked: &Question) -> Options {
    Options {
        c: COptions {
            ints: args.reading.ints(),
            volatile: args.reading.volatile(),
            recursion: args.reading.recursion(),
            ..asked.c
        },
        chart: ChartReading {
            queue: args.reading.queue(),
            events: events(args, asked),
            hangs: asked.c.hangs,
        },
        plc: PlcReading {
            ints: args.reading.ints(),
            cycle: cycle(args).unwrap_or(DEFAULT_CYCLE),
            hangs: asked.c.hangs,
        },
        gamma: GammaReading::default(),
    }
}

/// How long a cycle of a controller takes, if that is said and makes sense.
fn cycle(args: &ModelArgs) -> Option<(i128, i128)> {
    args.reading.cycle().and_then(|text| cycle_time(&text))
}

/// What the environment of a chart may send: what the user says, and what a script has besides what the chart knows.
fn events(args: &ModelArgs, asked: &Question) -> Option<Vec<String>> {
    if !asked.script.is_empty() {
        let more = asked.script.iter().map(|event| format!("+{event}"));
        return Some(more.collect());
    }
    let said = args.reading.events()?;
    Some(said.split_whitespace().map(str::to_owned).collect())
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
    (asked, formulas): (&Question, &[String]),
) -> Result<(SourceId, Parsed), Vec<Diagnostic>> {
    let name = path.display().to_string();
    // A file that is not there is a better message than one without a language.
    let text = read_program(path, args)?;
    let Some(language) = language_named(path, args) else {
        let message = format!("the name `{name}` does not tell the language of the model");
        let finding = Diagnostic::error("unknown-language", message);
        let hint = "say `--language xsts`, `cfa`, `sts`, `gcl`, `c`, `smv`, `aiger`, `btor2`, `vmt`, `moxi`, `scxml`, `gamma` or `st`";
        return Err(vec![finding.hint(hint)]);
    };
    if let (Some(said), None) = (args.reading.cycle(), cycle(args)) {
        let message = format!("`{said}` is no cycle time");
        let finding = Diagnostic::error("bad-cycle", message);
        return Err(vec![finding.hint(
            "write `--cycle 10ms`, or `--cycle 10ms..20ms` for any time between",
        )]);
    }
    let source = session.sources.add(name, text);
    if language == Language::Smv && args.models.len() == 1 && !formulas.is_empty() {
        return load_asking(session, source, formulas).map(|parsed| (source, parsed));
    }
    if language == Language::Gamma {
        let mut reading = gamma_files::reading(args).map_err(|finding| vec![finding])?;
        if !asked.script.is_empty() {
            // A script says what comes, not what may come.
            reading.events = None;
        }
        let parsed = gamma_files::load(session, (path, source), &reading)?;
        return Ok((source, parsed));
    }
    let file = session.sources.file(source);
    let options = options(args, asked);
    let settings = cpp::Settings::of(args);
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

/// Reads an SMV model with formulas in its own spelling. Those that make no sense in it are left to be read in ours.
fn load_asking(
    session: &mut Session,
    source: SourceId,
    formulas: &[String],
) -> Result<Parsed, Vec<Diagnostic>> {
    let add = |text: &String| session.sources.add("<ltl>", text.clone());
    let sources: Vec<SourceId> = formulas.iter().map(add).collect();
    let asked = formulas.iter().zip(sources);
    let mut asked: Vec<Asked<'_>> = asked.map(|(text, source)| Asked { text, source }).collect();
    loop {
        let file = session.sources.file(source);
        let parsed = parse_smv(&mut session.cx, source, file, &asked);
        let n_asked = asked.len();
        if let Err(findings) = &parsed {
            asked.retain(|asked| {
                !findings
                    .iter()
                    .any(|finding| is_about(finding, asked.source))
            });
        }
        if parsed.is_ok() || asked.len() == n_asked {
            return parsed;
        }
    }
}

/// Whether a finding is an error in a source.
fn is_about(finding: &Diagnostic, source: SourceId) -> bool {
    let place = finding.primary.as_ref();
    finding.severity == Severity::Error && place.is_some_and(|place| place.span.source == source)
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

/// The text of a model, unpacked if it is gzipped. A C program that is no UTF-8 is taken as Latin-1, as compilers take it:
/// what lies beyond ASCII stands in comments and strings. So is binary AIGER: one character for each byte.
fn read_program(path: &Path, args: &ModelArgs) -> Result<String, Vec<Diagnostic>> {
    let language = language_named(path, args);
    let bytes = unpacked(path, read_bytes(path)?)?;
    let is_latin1 = match language {
        Some(Language::C) => std::str::from_utf8(&bytes).is_err(),
        Some(Language::Aiger) => bytes.starts_with(b"aig "),
        _ => false,
    };
    if is_latin1 {
        return Ok(bytes.into_iter().map(char::from).collect());
    }
    as_text(path, bytes)
}

/// What is in a gzipped file, or the bytes of any other.
fn unpacked(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, Vec<Diagnostic>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes);
    }
    let mut text = Vec::new();
    let unpacked = flate2::read::MultiGzDecoder::new(&bytes[..]);
    let mut unpacked = unpacked.take(LARGEST);
    let read = unpacked.read_to_end(&mut text);
    match read {
        Ok(_) if (text.len() as u64) < LARGEST => Ok(text),
        Ok(_) => Err(unreadable(path, TOO_LARGE)),
        Err(error) => Err(unreadable(path, &error.to_string())),
    }
}

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Vec<Diagnostic>> {
    as_text(path, read_bytes(path)?)
}

/// Places in a text are numbers of 32 bits.
const LARGEST: u64 = u32::MAX as u64;
const TOO_LARGE: &str = "it has 4 GiB or more";

fn unreadable(path: &Path, why: &str) -> Vec<Diagnostic> {
    let message = format!("cannot read `{}`: {why}", path.display());
    vec![Diagnostic::error("unreadable-file", message)]
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let refuse = |why: String| unreadable(path, &why);
    let too_large = || unreadable(path, TOO_LARGE);
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        let stdin = std::io::stdin().lock();
        let read = stdin.take(LARGEST).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    } else {
        let metadata = std::fs::metadata(path).map_err(|error| refuse(error.to_string()))?;
        if metadata.is_dir() {
            return Err(refuse("it is a directory".into()));
        }
        if metadata.len() >= LARGEST {
            return Err(too_large());
        }
        let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
        bytes.reserve(metadata.len() as usize);
        let read = file.take(LARGEST).read_to_end(&mut bytes);
        read.map_err(|error| refuse(error.to_string()))?;
    }
    if bytes.len() as u64 >= LARGEST {
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
