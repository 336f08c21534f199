//! `lariat show`: what is in a model.

mod chart;
mod dot;
mod flow;
mod json;
mod text;

pub use flow::escape;

use crate::cli::ModelArgs;
use crate::drawing::{mermaid, svg};
use crate::load::load;
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use lariat_base::Diagnostic;
use lariat_system::Language;
use lariat_verify::Model;
use std::process::ExitCode;

/// Options of `lariat show`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ShowArgs {
    #[command(flatten)]
    models: ModelArgs,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const AFTER: &str = "\
Examples:
  lariat show traffic.xsts                              a readable summary
  lariat show counter.cfa --format dot | dot -Tsvg > counter.svg
  lariat show crossing.gcd --format svg > crossing.svg  a statechart as a drawing
  lariat show counter.cfa --format cfa                  the model, printed anew
  lariat show a.cfa b.xsts --compose interleave         two models and what they share
  lariat show model.txt --language gcl                  a file with another name

The JSON carries `\"schema\": \"lariat-show/1\"`; fields are only ever added under that name.";

/// What `lariat show` prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Format {
    /// A readable summary
    Text,
    /// The same for programs
    Json,
    /// A picture for Graphviz
    Dot,
    /// A picture of a statechart, ready to be looked at
    Svg,
    /// A diagram of a statechart for Markdown
    Mermaid,
    /// The model in its language, if that is XSTS
    Xsts,
    /// The model in its language, if that is CFA
    Cfa,
    /// The model in its language, if that is STS
    Sts,
    /// The model in its language, if that is GCL
    Gcl,
}

/// Runs the command.
pub fn run(args: &ShowArgs, session: &mut Session) -> Result<ExitCode, Failure> {
    let mut model = load(session, &args.models)?;
    match args.format {
        Format::Text => {
            let text = match chart::chart_of(&model) {
                Some((system, chart)) => chart::text(system, chart),
                None => text::summary(session, &model),
            };
            session.out.text(&text)?;
        }
        Format::Json => {
            let report = json::report(session, &model);
            session.out.json(&report)?;
        }
        Format::Dot => {
            let drawn = chart::chart_of(&model).map(|(system, chart)| chart::dot(system, chart));
            let text = drawn.unwrap_or_else(|| dot::draw(session, &mut model));
            session.out.text(&text)?;
        }
        Format::Svg | Format::Mermaid => {
            let Some((_, chart)) = chart::chart_of(&model) else {
                let message = "only statecharts are drawn in this form";
                let finding = Diagnostic::error("wrong-format", message);
                return Err(finding
                    .hint("say `--format dot`, and let Graphviz draw it")
                    .into());
            };
            let text = match args.format {
                Format::Svg => svg::chart(chart, svg::Marks::default()),
                _ => mermaid::chart(chart),
            };
            session.out.text(&text)?;
        }
        Format::Xsts => print_as(session, &model, Language::Xsts)?,
        Format::Cfa => print_as(session, &model, Language::Cfa)?,
        Format::Sts => print_as(session, &model, Language::Sts)?,
        Format::Gcl => print_as(session, &model, Language::Gcl)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the model in its own language; there is no translation between languages.
fn print_as(session: &mut Session, model: &Model, language: Language) -> Result<(), Failure> {
    let [system] = &model.systems[..] else {
        let message = "a composition cannot be printed in one language";
        let finding = Diagnostic::error("wrong-format", message);
        return Err(finding.hint("print the models one by one").into());
    };
    let (asked, own) = (language.name(), system.language.name());
    if language != system.language {
        let message = format!("the model is written in {own} and cannot be printed as {asked}");
        let finding = Diagnostic::error("wrong-format", message);
        return Err(finding.hint(format!("say `--format {own}`")).into());
    }
    let text = lariat_frontend::print(&session.cx, system);
    session.out.text(&text)?;
    Ok(())
}
