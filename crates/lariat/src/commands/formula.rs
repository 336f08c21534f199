//! What the commands about formulas share: how formulas are read and how long is worked on them.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use lariat_base::{Budget, Diagnostic, Span};
use lariat_ltl::{FormulaId, Formulas, PlainNames, Syntax, TranslateError, parse_formula_at};

use crate::quantity::{parse_size, parse_time};
use crate::session::{Failure, Session};

/// The exit code of the answer no.
pub const NO: u8 = 1;
/// The exit code when a limit was reached before the answer.
pub const UNKNOWN: u8 = 3;

/// How formulas are read and how long is worked on them.
#[derive(Args, Clone, Debug)]
pub struct FormulaOptions {
    /// Whose precedence table reads the formula: spot, spin, never (spin -f, LTL2BA), smv,
    /// cpachecker (or owl), ltsmin, ultimate
    #[arg(long, default_value_t = Syntax::Spot, value_name = "TOOL")]
    pub syntax: Syntax,
    /// Give up on a formula after this time: `500ms`, `20s`, `5m`
    #[arg(long, default_value = "60s", value_name = "TIME", value_parser = parse_time)]
    pub timeout: Duration,
    /// Give up when the process holds more memory: `500MiB`, `4GiB`
    #[arg(long, default_value = "4GiB", value_name = "SIZE", value_parser = parse_size)]
    pub memory: u64,
}

impl FormulaOptions {
    /// The limits as a budget that starts now.
    pub fn budget(&self) -> Budget {
        Budget::unlimited()
            .with_time(self.timeout)
            .with_memory(self.memory)
    }

    /// Reads the formula at `place`, over plain names, and shows what the user should know about it.
    pub fn read(
        &self,
        session: &mut Session,
        formulas: &mut Formulas,
        place: Span,
    ) -> Result<FormulaId, Failure> {
        let text = session.sources.snippet(place);
        let parsed = parse_formula_at(formulas, place, text, self.syntax, &mut PlainNames)?;
        session.report(&parsed.warnings);
        Ok(parsed.formula)
    }
}

/// The place of a formula that was written on the command line.
pub fn on_command_line(session: &mut Session, name: &str, text: &str) -> Span {
    let source = session.sources.add(name, text);
    Span::new(source, 0, text.len())
}

/// Says that a translation was given up.
pub fn gave_up(session: &mut Session, place: Span, error: TranslateError) -> ExitCode {
    session.report(&[Diagnostic::error("gave-up", error.to_string()).at(place)]);
    ExitCode::from(UNKNOWN)
}
