//! Parsers and printers of Lariat's model languages: XSTS, CFA, STS, GCL, SMV, AIGER, BTOR2, VMT-LIB and
//! `MoXI`; the reader of C programs.
//!
//! [`parse`] reads a model into a [`System`], or says what is wrong with it;
//! [`print()`] writes a system in its language, and what it writes reads back as the same system.
//! [`Scope`] with [`parse_expression`] and [`parse_atom`] is for expressions outside of a
//! model: properties, conditions on the command line, atoms of temporal formulas.

mod aiger;
mod annotation;
mod btor2;
mod c;
mod cfa;
mod chart_atom;
mod circuit;
mod expression;
mod gamma;
mod gcl;
mod lexer;
mod ltl_text;
mod moxi;
mod names;
mod parser;
mod property;
mod relation;
mod scope;
mod scxml;
mod smtlib;
mod smv;
mod st;
pub mod statement;
mod sts;
mod token;
mod types;
mod vmt;
mod xsts;

pub use aiger::print_binary as print_binary_aiger;
pub use c::{COptions, Includes, IntMode, NEEDS_CPP, Volatile, needs_preprocessor};
pub use circuit::{Circuit, Part, free_variables};
pub use gamma::{GammaFile, Reading as GammaReading, Time, imports as gamma_imports};
pub use property::{ExprAtom, locations_named, parse_atom, parse_expression, parse_property_file};
pub use scope::Scope;
pub use scxml::{DEFAULT_QUEUE, Reading as ChartReading};
pub use st::{DEFAULT_CYCLE, Reading as PlcReading, cycle_time, parse_input};

use lariat_base::{Diagnostic, SourceFile, SourceId};
use lariat_expr::TermId;
use lariat_system::{Context, Language, System};
use std::path::Path;

/// A model that was read, and what the user should know about it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The model.
    pub system: System,
    /// What is legal but probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// What the language forbids and only a solver can rule out.
    pub obligations: Vec<Obligation>,
}

/// Something that must be impossible for a model to be one: a value out of its range, a division by zero.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// A Boolean term over the variables of the model that no values may satisfy.
    pub bad: TermId,
    /// What is wrong if some do.
    pub finding: Diagnostic,
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// For C programs.
    pub c: COptions,
    /// For statecharts in XML.
    pub chart: ChartReading,
    /// For programs of controllers.
    pub plc: PlcReading,
    /// For models of Gamma.
    pub gamma: GammaReading,
}

/// Reads a model with options.
pub fn parse_with(
    cx: &mut Context,
    language: Language,
    source: SourceId,
    file: &SourceFile,
    options: &Options,
) -> Result<Parsed, Vec<Diagnostic>> {
    let parsed = match language {
        Language::C => return c::parse(cx, source, file, options.c),
        Language::Xsts => xsts::parse(cx, source, file),
        Language::Cfa => cfa::parse(cx, source, file),
        Language::Sts => sts::parse(cx, source, file),
        Language::Gcl => gcl::parse(cx, source, file),
        // These have comments of their own, and binary files bytes that look like any.
        Language::Smv => return smv::parse(cx, source, file, &[]),
        Language::Aiger => return aiger::parse(cx, source, file),
        Language::Btor2 => return btor2::parse(cx, source, file),
        Language::Scxml => return scxml::parse(cx, source, file, &options.chart),
        Language::St => return st::parse(cx, source, file, &options.plc),
        Language::Gamma => {
            let file = GammaFile {
                source,
                file,
                imports: Vec::new(),
            };
            return parse_gamma(cx, &[file], &options.gamma);
        }
        Language::Vmt => return vmt::parse(cx, source, file),
        Language::Moxi => return moxi::parse(cx, source, file),
    };
    annotation::add(source, &file.text, parsed)
}

/// A temporal formula that is asked about a model from outside of it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Its text.
    pub text: &'a str,
    /// The source that it is the text of.
    pub source: SourceId,
}

impl Asked<'_> {
    /// The name of the property that it becomes, which is none that a model could give.
    pub fn name(self) -> String {
        asked_name(self.text)
    }
}

/// The name of the property that a formula from outside of a model becomes.
pub fn asked_name(formula: &str) -> String {
    format!("{ASKED}{formula}")
}

/// Whether a property was asked from outside of the model.
pub fn is_asked(property: &str) -> bool {
    property.starts_with(ASKED)
}

const ASKED: &str = "asked: ";

/// Reads an SMV model with formulas in its own spelling, which become properties of it ([`Asked::name`]).
pub fn parse_smv(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
    asked: &[Asked<'_>],
) -> Result<Parsed, Vec<Diagnostic>> {
    smv::parse(cx, source, file, asked)
}

/// Reads a model of Gamma that has several texts; the first is the one that is asked for.
pub fn parse_gamma(
    cx: &mut Context,
    files: &[GammaFile<'_>],
    reading: &GammaReading,
) -> Result<Parsed, Vec<Diagnostic>> {
    let first = &files[0];
    let parsed = gamma::parse(cx, files, reading);
    annotation::add(first.source, &first.file.text, parsed)
}

/// Writes a model in its language.
pub fn print(cx: &Context, system: &System) -> String {
    match system.language {
        Language::Xsts => xsts::print(cx, system),
        Language::Cfa => cfa::print(cx, system),
        Language::Sts => sts::print(cx, system),
        Language::Gcl => gcl::print(cx, system),
        // A program is its text, and so is a model with modules; what was made of it reads best as a control-flow automaton.
        Language::C | Language::Smv | Language::Scxml | Language::Gamma | Language::St => {
            cfa::print(cx, system)
        }
        Language::Aiger => aiger::print(cx, system),
        Language::Btor2 => btor2::print(cx, system),
        Language::Vmt => vmt::print(cx, system),
        Language::Moxi => moxi::print(cx, system),
    }
}

/// The language of a file by the extension of its name.
pub fn language_of(path: impl AsRef<Path>) -> Option<Language> {
    let path = path.as_ref();
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "gz" => language_of(path.file_stem()?),
        "xsts" => Some(Language::Xsts),
        "cfa" => Some(Language::Cfa),
        "sts" | "system" => Some(Language::Sts),
        "gcl" => Some(Language::Gcl),
        "c" | "i" => Some(Language::C),
        "smv" | "nusmv" | "xmv" => Some(Language::Smv),
        "aag" | "aig" => Some(Language::Aiger),
        "btor" | "btor2" => Some(Language::Btor2),
        "scxml" => Some(Language::Scxml),
        "st" | "iecst" => Some(Language::St),
        "gcd" | "gpd" | "gsm" => Some(Language::Gamma),
        "vmt" | "smt2" => Some(Language::Vmt),
        "moxi" => Some(Language::Moxi),
        _ => None,
    }
}

/// Whether a language reserves a word, so that nothing can be called so. Circuits reserve none.
pub fn is_reserved(language: Language, word: &str) -> bool {
    let syntax = match language {
        Language::Xsts => token::Syntax::Xsts,
        Language::Cfa => token::Syntax::Cfa,
        Language::Sts => token::Syntax::Sts,
        Language::Gcl => token::Syntax::Gcl,
        Language::Smv => return smv::is_reserved(word),
        _ => return false,
    };
    token::keyword(syntax, word.as_bytes()) != token::Tok::Word
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
