//! The arguments of `lariat check`. What can stand in a configuration file comes from the table of options.

use crate::cli::ModelArgs;
use crate::options::{EngineOptions, Facts, LimitOptions, Options, refuse};
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use lariat_ltl::Syntax;
use std::path::PathBuf;

/// Decides whether a model satisfies a property.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub engine: EngineOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// Write everything (settings, statistics, verdict, counterexample) as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a C program that repeats the counterexample of a C program and compares its values
    #[arg(long, value_name = "FILE")]
    pub harness: Option<PathBuf>,
    /// Write an SV-COMP violation witness (YAML 2.0) of a C program that reaches an error
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Print what the check did, as a table
    #[arg(long)]
    pub statistics: bool,
    /// Say in words what was chosen and why, what was tried, and why each attempt ended
    #[arg(long)]
    pub explain: bool,
    /// Print the rounds of the refinement loop
    #[arg(long, value_enum, value_name = "WHAT")]
    pub log: Option<Log>,
}

impl CheckArgs {
    /// Refuses options without an effect, and goes on without those of the file.
    pub fn refuse_useless(&mut self, session: &Session, facts: &Facts) -> Result<(), Failure> {
        let mut values = self.engine.and(&self.limits);
        refuse(session, values.drop_useless(facts))?;
        self.engine = Options::new(&values);
        self.limits = Options::new(&values);
        Ok(())
    }
}

const AFTER: &str = "\
Examples:
  lariat check traffic.xsts --ltl 'G (police -> F blinking)'
  lariat check counter.cfa                          the model's own property: its error location
  lariat check buffer.gcl --property bounded
  lariat check a.cfa b.xsts --compose alternate --invariant 'x != 7'

The verdict is `holds`, `violated` (with a run that shows it) or `unknown` (with the reason).
Exit codes: 0 holds, 1 violated, 3 unknown, 2 the input or the options were wrong.";

/// What is asked.
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// A temporal formula; atoms are expressions of the model
    #[arg(
        long,
        value_name = "FORMULA",
        group = "question",
        allow_hyphen_values = true
    )]
    pub ltl: Option<String>,
    /// A property file: `prop { expression }`
    #[arg(long, value_name = "FILE", group = "question")]
    pub prop: Option<PathBuf>,
    /// An expression that must be true in every observed state
    #[arg(
        long,
        value_name = "EXPR",
        group = "question",
        allow_hyphen_values = true
    )]
    pub invariant: Option<String>,
    /// A property of the model, by its name
    #[arg(long, value_name = "NAME", group = "question")]
    pub property: Option<String>,
    /// A Büchi automaton (HOA) of the bad runs; its atoms are expressions of the model
    #[arg(long, value_name = "FILE", group = "question")]
    pub automaton: Option<PathBuf>,
    /// Whose operator precedence the formula is written in
    #[arg(long, value_enum, value_name = "TOOL")]
    pub syntax: Option<SyntaxArg>,
}

/// Whose precedence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SyntaxArg {
    /// Spot's (the default)
    Spot,
    /// Spin's `ltl { … }`
    Spin,
    /// Spin's `-f` and LTL2BA's
    Never,
    /// `NuSMV`'s
    Smv,
    /// `CPAchecker`'s and Owl's
    Cpachecker,
    /// `LTSmin`'s
    Ltsmin,
}

/// What is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Log {
    /// Each round: precision, size, outcome
    Iterations,
}

impl From<SyntaxArg> for Syntax {
    fn from(arg: SyntaxArg) -> Self {
        match arg {
            SyntaxArg::Spot => Self::Spot,
            SyntaxArg::Spin => Self::Spin,
            SyntaxArg::Never => Self::SpinNever,
            SyntaxArg::Smv => Self::Smv,
            SyntaxArg::Cpachecker => Self::CpaChecker,
            SyntaxArg::Ltsmin => Self::Ltsmin,
        }
    }
}
