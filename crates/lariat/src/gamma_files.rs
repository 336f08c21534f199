//! The files of a Gamma model: what one imports is looked for next to it and in the folders around it.
//!
//! Imports are written from the root of a project that may be anywhere (`/project/model/Interfaces.gcd`), or from a folder
//! around the file. So the end of a path is tried, as much of it as possible, in the nearest folder first. The extension may
//! be missing. A property file imports what was made from a model: the model is read in its place.

use crate::cli::ModelArgs;
use crate::load::read;
use crate::session::Session;
use lariat_base::{Diagnostic, SourceId};
use lariat_frontend::{GammaFile, GammaReading, Parsed, gamma_imports, parse_gamma};
use std::path::{Path, PathBuf};

/// How many folders around a file are looked into.
const MAX_FOLDERS: usize = 8;

/// How a model is read.
pub fn reading(args: &ModelArgs) -> Result<GammaReading, Diagnostic> {
    let events = args.reading.events();
    let events = events.map(|said| said.split_whitespace().map(str::to_owned).collect());
    Ok(GammaReading {
        component: args.reading.component(),
        time: args.reading.time()?,
        events,
        messages: Some(args.reading.messages()),
    })
}

/// A file of the model.
struct Member {
    path: PathBuf,
    source: SourceId,
    imports: Vec<usize>,
}

/// Reads a model and all that it imports.
pub fn load(
    session: &mut Session,
    (path, source): (&Path, SourceId),
    reading: &GammaReading,
) -> Result<Parsed, Vec<Diagnostic>> {
    if path.extension().is_some_and(|ending| ending == "gsm") {
        let message = "a serialised model (`.gsm`) is not read";
        let finding = Diagnostic::error("gamma-unsupported", message);
        return Err(vec![finding.hint("give the `.gcd` that it was made from")]);
    }
    let mut files = vec![Member {
        path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        source,
        imports: Vec::new(),
    }];
    let mut findings = Vec::new();
    let mut at = 0;
    while at < files.len() {
        let source = files[at].source;
        for (text, span) in gamma_imports(source, &session.sources.file(source).text) {
            let Some(found) = find(&files[at].path, &text) else {
                let message = format!("the file `{text}` is not found");
                let hint = "imports are looked for next to the file and in the folders around it";
                findings.push(
                    Diagnostic::error("gamma-import", message)
                        .at(span)
                        .hint(hint),
                );
                continue;
            };
            let known = files.iter().position(|file| file.path == found);
            let to = match known {
                Some(known) => known,
                None => {
                    let text = read(&found)?;
                    let source = session.sources.add(shown(path, &found), text);
                    files.push(Member {
                        path: found,
                        source,
                        imports: Vec::new(),
                    });
                    files.len() - 1
                }
            };
            files[at].imports.push(to);
        }
        at += 1;
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let texts: Vec<GammaFile<'_>> = files
        .into_iter()
        .map(|file| GammaFile {
            source: file.source,
            file: session.sources.file(file.source),
            imports: file.imports,
        })
        .collect();
    parse_gamma(&mut session.cx, &texts, reading)
}

/// The file that an import means. Property files import serialised models, `.X.gsm` or `.X-SMV.gsm`, which were made from `X.gcd`.
fn find(from: &Path, import: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = import
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    let (&name, folders) = parts.split_last()?;
    let mut names = vec![name.to_owned(), format!("{name}.gcd")];
    if let Some(made) = name.strip_suffix(".gsm") {
        let made = made.trim_start_matches('.');
        let base = made.rsplit_once('-').map_or(made, |(base, _)| base);
        names = vec![format!("{made}.gcd"), format!("{base}.gcd")];
    }
    for skipped in 0..parts.len() {
        let end: PathBuf = folders.iter().skip(skipped).collect();
        for folder in from.ancestors().skip(1).take(MAX_FOLDERS) {
            for name in &names {
                let path = folder.join(&end).join(name);
                if path.is_file() {
                    return Some(path.canonicalize().unwrap_or(path));
                }
            }
        }
    }
    None
}

/// How a file is called in messages: as it lies from the first one, if it lies near.
fn shown(first: &Path, path: &Path) -> String {
    let near = first.parent().and_then(|folder| folder.canonicalize().ok());
    let inside = near
        .as_ref()
        .and_then(|folder| path.strip_prefix(folder).ok());
    match (inside, first.parent()) {
        (Some(inside), Some(folder)) => folder.join(inside).display().to_string(),
        _ => path.display().to_string(),
    }
}
