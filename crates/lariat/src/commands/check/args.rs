//! The arguments of `lariat check`. What can stand in a configuration file comes from the table of options.

use crate::cli::ModelArgs;
use crate::options::{
    EngineOptions, Facts, LimitOptions, Options, Values, print_config, read_config, refuse,
};
use crate::session::{Failure, Session};
use clap::{Args, ValueEnum};
use lariat_ltl::Syntax;
use std::path::PathBuf;

/// Decides whether a model satisfies a property.
#[derive(Debug, Args)]
#[command(after_help = AFTER, override_usage = USAGE)]
#[command(mut_arg("models", |models| models.required(false).required_unless_present("print_config")))]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub engine: EngineOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// Read options from a TOML file: `domain = "pred-cart"`; the command line wins over it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print the options that are in force, as a file for `--config`, and check nothing
    #[arg(long)]
    pub print_config: bool,
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
    /// Takes over what the configuration file says and the command line does not.
    pub fn read_config(&mut self, session: &mut Session) -> Result<(), Failure> {
        if let Some(path) = &self.config {
            let file = read_config(&mut session.sources, path)?;
            self.model.reading.fill_from(&file);
            self.engine.fill_from(&file);
            self.limits.fill_from(&file);
        }
        Ok(())
    }

    /// Refuses options without an effect, and goes on without those of the file.
    pub fn refuse_useless(&mut self, session: &Session, facts: &Facts) -> Result<(), Failure> {
        let mut values = self.engine.and(&self.limits);
        refuse(session, values.drop_useless(facts))?;
        self.engine = Options::new(&values);
        self.limits = Options::new(&values);
        Ok(())
    }

    /// The options that are in force, as a configuration file.
    pub fn in_force(&self) -> String {
        print_config(&self.given())
    }

    fn given(&self) -> Values {
        self.engine.and(&self.limits).and(&self.model.reading)
    }
}

const USAGE: &str = "\
lariat check [OPTIONS] <MODEL>...
       lariat check [OPTIONS] --print-config";

const AFTER: &str = "\
Examples:
  lariat check traffic.xsts --ltl 'G (police -> F blinking)'
  lariat check counter.cfa                          the model's own property: its error location
  lariat check buffer.gcl --property bounded
  lariat check search.c --termination
  lariat check a.cfa b.xsts --compose alternate --invariant 'x != 7'
  lariat check --engine cegar --domain pred-cart --print-config > mine.toml
  lariat check traffic.xsts --ltl 'G F red' --config mine.toml

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
    /// Every run of the program (C, CFA) comes to its end
    #[arg(long, group = "question")]
    pub termination: bool,
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
