//! What the commands about formulas share: how formulas are read and how long is worked on them.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use lariat_base::{Budget, Diagnostic};
use lariat_ltl::{FormulaId, Formulas, PlainNames, Syntax, TranslateError, parse_formula};

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

    /// Reads one formula over plain names and shows what a person should know about it.
    pub fn read(
        &self,
        session: &mut Session,
        formulas: &mut Formulas,
        name: &str,
        text: &str,
    ) -> Result<FormulaId, Failure> {
        if u32::try_from(text.len()).is_err() {
            let message = format!("{name} is longer than 4 GiB");
            return Err(Diagnostic::error("too-large", message).into());
        }
        let source = session.sources.add(name, text);
        let parsed = parse_formula(formulas, source, text, self.syntax, &mut PlainNames)?;
        session.report(&parsed.warnings);
        Ok(parsed.formula)
    }
}

/// Says that a translation was given up.
pub fn gave_up(session: &Session, name: &str, error: TranslateError) -> ExitCode {
    let message = format!("{name}: {error}");
    session.report(&[Diagnostic::error("gave-up", message)]);
    ExitCode::from(UNKNOWN)
}
