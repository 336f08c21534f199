//! Parsers and printers of Lariat's model languages: XSTS, CFA, STS and GCL; the reader of C programs.
//!
//! [`parse`] reads a model into a [`System`], or says what is wrong with it;
//! [`print()`] writes a system in its language, and what it writes reads back as the same system.
//! [`Scope`] with [`parse_expression`] and [`parse_atom`] is for expressions outside of a
//! model: properties, conditions on the command line, atoms of temporal formulas.

mod c;
mod cfa;
mod expression;
mod gcl;
mod lexer;
mod ltl_text;
mod names;
mod parser;
mod property;
mod scope;
pub mod statement;
mod sts;
mod token;
mod types;
mod xsts;

pub use c::{COptions, Includes, IntMode, NEEDS_CPP, Volatile};
pub use property::{ExprAtom, locations_named, parse_atom, parse_expression, parse_property_file};
pub use scope::Scope;

use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_system::{Context, Language, System};
use std::path::Path;

/// A model that was read, and what the user should know about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model.
    pub system: System,
    /// What is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model.
pub fn parse(
    cx: &mut Context,
    language: Language,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    parse_with(cx, language, source, file, &Options::default())
}

/// How models are read, where a language leaves a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// For C programs.
    pub c: COptions,
}

/// Reads a model with options.
pub fn parse_with(
    cx: &mut Context,
    language: Language,
    source: SourceId,
    file: &SourceFile,
    options: &Options,
) -> Result<Parsed, Vec<Diagnostic>> {
    match language {
        Language::C => c::parse(cx, source, file, options.c),
        Language::Xsts => xsts::parse(cx, source, file),
        Language::Cfa => cfa::parse(cx, source, file),
        Language::Sts => sts::parse(cx, source, file),
        Language::Gcl => gcl::parse(cx, source, file),
    }
}

/// Writes a model in its language.
pub fn print(cx: &Context, system: &System) -> String {
    match system.language {
        Language::Xsts => xsts::print(cx, system),
        Language::Cfa => cfa::print(cx, system),
        Language::Sts => sts::print(cx, system),
        Language::Gcl => gcl::print(cx, system),
        // A program is its text; what was made of it reads best as a control-flow automaton.
        Language::C => cfa::print(cx, system),
    }
}

/// The language of a file by the extension of its name.
pub fn language_of(path: impl AsRef<Path>) -> Option<Language> {
    let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "xsts" => Some(Language::Xsts),
        "cfa" => Some(Language::Cfa),
        "sts" | "system" => Some(Language::Sts),
        "gcl" => Some(Language::Gcl),
        "c" | "i" => Some(Language::C),
        _ => None,
    }
}

/// The name of a model that gives itself none: its file's, without folder and extension.
fn file_stem(file: &SourceFile) -> Box<str> {
    let stem = Path::new(&file.name).file_stem().and_then(|s| s.to_str());
    stem.unwrap_or("model").into()
}

/// `name` as a name of the language, if it is none.
fn as_name(name: &str, syntax: token::Syntax) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut text: String = name
        .chars()
        .map(|c| if is_part(c) { c } else { '_' })
        .collect();
    if !lexer::is_plain_name(&text) || token::keyword(syntax, text.as_bytes()) != token::Tok::Word {
        text.insert(0, '_');
    }
    text
}
