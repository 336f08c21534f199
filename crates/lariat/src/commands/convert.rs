//! `lariat convert`: a model with its properties in another language.

use super::check::{PropertyArgs, deadlock, overflow, questions};
use crate::cli::ModelArgs;
use crate::load::load_for;
use crate::session::{Failure, Session};
use crate::target::Target;
use clap::{Args, ValueEnum};
use lariat_base::{Budget, Diagnostic};
use lariat_ltl::Acceptance;
use lariat_verify::convert::{self, Written, convert};
use lariat_verify::{Model, NO_PROPERTY, Property, translate_all};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Writes a model with its properties in another language.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ConvertArgs {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    property: PropertyArgs,
    /// The file to write, in the language of its name; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The language to write, whatever the name of the file says
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    to: Option<To>,
}

const AFTER: &str = "\
Examples:
  lariat convert buffer.gcl -o buffer.smv                  with the properties of the model
  lariat convert traffic.xsts --ltl 'G (red -> F green)' -o traffic.vmt
  lariat convert counter.cfa --to smv                      to standard output

The file means the same: the property that is named there holds exactly if the one that was asked holds here. What a language
cannot express is an error that names it. Exit codes: 0 written, 2 the model cannot be converted or the input was wrong.";

/// A language that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// SMV, for nuXmv and others (.smv)
    Smv,
    /// VMT-LIB (.vmt)
    Vmt,
    /// `MoXI` (.moxi)
    Moxi,
    /// Circuits of words, for finite models (.btor2, .btor)
    Btor2,
    /// AIGER as text, for finite models (.aag)
    Aag,
    /// Binary AIGER, for finite models (.aig)
    Aig,
    /// Symbolic transition systems (.sts, .system)
    Sts,
    /// Extended symbolic transition systems (.xsts)
    Xsts,
    /// Guarded commands (.gcl)
    Gcl,
}

impl From<To> for convert::Target {
    fn from(to: To) -> Self {
        match to {
            To::Smv => Self::Smv,
            To::Vmt => Self::Vmt,
            To::Moxi => Self::Moxi,
            To::Btor2 => Self::Btor2,
            To::Aag => Self::Aag,
            To::Aig => Self::Aig,
            To::Sts => Self::Sts,
            To::Xsts => Self::Xsts,
            To::Gcl => Self::Gcl,
        }
    }
}

/// Runs the command.
pub fn run(args: &ConvertArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let output = args
        .output
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    let to = language(args.to, output)?;
    let mut model = load_for(
        session,
        &args.models,
        overflow(&args.property),
        &args.property.ltl,
    )?;
    let properties = asked(session, &model, &args.property)?;
    deadlock::go_on(session, &mut model, None)?;
    let written = convert(&mut session.cx, &mut model, &properties, to.into())?;
    match output {
        None => session.out.bytes(&written.bytes)?,
        Some(path) => {
            Target::open(path)?.write(&written.bytes)?;
            tell(session, path, &written)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The language that is asked for.
fn language(to: Option<To>, output: Option<&Path>) -> Result<To, Diagnostic> {
    if let Some(to) = to {
        return Ok(to);
    }
    let Some(output) = output else {
        let message = "the language to write is missing";
        let finding = Diagnostic::error("missing-option", message);
        return Err(finding.hint("name a file, `-o model.smv`, or the language, `--to smv`"));
    };
    let extension = output.extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    Ok(match extension.as_str() {
        "smv" | "nusmv" | "xmv" => To::Smv,
        "vmt" => To::Vmt,
        "moxi" => To::Moxi,
        "btor2" | "btor" => To::Btor2,
        "aag" => To::Aag,
        "aig" => To::Aig,
        "sts" | "system" => To::Sts,
        "xsts" => To::Xsts,
        "gcl" => To::Gcl,
        _ => {
            let name = output.display();
            let message = format!("the name `{name}` does not tell a language that can be written");
            let finding = Diagnostic::error("unknown-language", message);
            let known = To::value_variants()
                .iter()
                .filter_map(To::to_possible_value);
            let known: Vec<String> = known
                .map(|value| format!("`{}`", value.get_name()))
                .collect();
            return Err(finding.hint(format!("say `--to LANGUAGE`, one of {}", known.join(", "))));
        }
    })
}

/// The properties that are asked for, or those of the model if it has any.
fn asked(
    session: &mut Session,
    model: &Model,
    args: &PropertyArgs,
) -> Result<Vec<Property>, Failure> {
    let acceptance = Acceptance::Generalized;
    let asked = match questions(session, model, args, acceptance) {
        Err(Failure::Findings(findings)) if findings.iter().all(|f| f.id == NO_PROPERTY) => {
            return Ok(Vec::new());
        }
        asked => asked?,
    };
    let properties = translate_all(asked, &Budget::unlimited());
    properties.map_err(|error| Diagnostic::error("gave-up", error.to_string()).into())
}

/// Says what is in the file, and how its properties are called there.
fn tell(session: &mut Session, path: &Path, written: &Written) -> Result<(), Failure> {
    let path = path.display();
    session.out.line(&format!("{path} is written"))?;
    for (name, text) in &written.properties {
        let line = match name.as_str() {
            "" => format!("  {text}"),
            name => format!("  --property {name}  {text}"),
        };
        session.out.line(&session.screen.wrap(&line))?;
    }
    for bounds in &written.bounds {
        session.out.line(&format!("  {bounds}"))?;
    }
    if written.properties.is_empty() {
        session
            .out
            .line("  without a property: the model has none, and none was asked")?;
    }
    Ok(())
}
