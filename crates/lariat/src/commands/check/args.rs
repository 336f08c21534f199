//! The arguments of `lariat check`. What can stand in a configuration file comes from the table of options.

use super::output::OutputArgs;
use crate::cli::ModelArgs;
use crate::options::{
    EngineOptions, Facts, LimitOptions, Options, Values, print_config, read_config, refuse,
};
use crate::session::{Failure, Session};
use clap::{ArgGroup, Args, ValueEnum};
use lariat_check::Shorten;
use lariat_ltl::Syntax;
use std::path::PathBuf;

/// Decides whether a model satisfies a property, or several.
#[derive(Debug, Args)]
#[command(after_help = AFTER, override_usage = USAGE)]
#[command(mut_arg("models", |models| models.required(false).required_unless_present("print_config")))]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub fairness: FairnessArgs,
    #[command(flatten)]
    pub engine: EngineOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub trace: TraceArgs,
    /// Read options from a TOML file: `domain = "pred-cart"`; the command line wins over it
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub config: Option<PathBuf>,
    /// Print the options that are in force, as a file for `--config`, and check nothing
    #[arg(long, help_heading = "Configuration")]
    pub print_config: bool,
    #[command(flatten)]
    pub output: OutputArgs,
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
        let mut values = self.engine.and(&self.limits);
        values.imply_engine();
        self.engine = Options::new(&values);
        Ok(())
    }

    /// Refuses options without an effect, and goes on without those of the file.
    pub fn refuse_useless(&mut self, session: &mut Session, facts: &Facts) -> Result<(), Failure> {
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

    /// All options that can stand in a configuration file, as they were given.
    pub fn given(&self) -> Values {
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
  lariat check mutex.gcl --ltl 'G (asks -> F in)' --fair 'turn = 1' --strong-fair 'asks -> in'
  lariat check boiler.c --ltl-file requirements.txt --quiet
  lariat check --domain pred-cart --print-config > mine.toml
  lariat check traffic.xsts --ltl 'G F red' --config mine.toml

The verdict is `holds`, `violated` (with a run that shows it) or `unknown` (with the reason).
Exit codes: 0 holds, 1 violated, 3 unknown, 2 the input or the options were wrong.";

/// What is asked; several questions are answered one after the other.
#[derive(Debug, Default, Args)]
#[command(group(ArgGroup::new("question").multiple(true)))]
#[command(next_help_heading = "Question (the properties of the model itself if there is none)")]
pub struct PropertyArgs {
    /// A temporal formula; atoms are expressions of the model
    #[arg(
        long,
        value_name = "FORMULA",
        group = "question",
        allow_hyphen_values = true
    )]
    pub ltl: Vec<String>,
    /// A requirement in words, such as `absence of X between A and B`; docs/patterns.md has them all
    #[arg(long, value_name = "PATTERN", group = "question")]
    pub pattern: Vec<String>,
    /// A file of temporal formulas: one a line, `NAME: FORMULA` or just the formula; `#` and `//` start comments
    #[arg(long, value_name = "FILE", group = "question")]
    pub ltl_file: Vec<PathBuf>,
    /// An expression that must be true in every observed state
    #[arg(
        long,
        value_name = "EXPR",
        group = "question",
        allow_hyphen_values = true
    )]
    pub invariant: Vec<String>,
    /// A property of the model, by its name
    #[arg(long, value_name = "NAME", group = "question")]
    pub property: Vec<String>,
    /// A property file: `prop { expression }`
    #[arg(long, value_name = "FILE", group = "question")]
    pub prop: Option<PathBuf>,
    /// A Büchi automaton (HOA) of the bad runs; its atoms are expressions of the model
    #[arg(long, value_name = "FILE", group = "question")]
    pub automaton: Option<PathBuf>,
    /// Every run of the program (C, CFA) comes to its end
    #[arg(long, group = "question")]
    pub termination: bool,
    /// Whose operator precedence the formula is written in
    #[arg(long, value_enum, value_name = "TOOL")]
    pub syntax: Option<SyntaxArg>,
}

/// Which runs count.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Fairness (of temporal formulas; invariants are about all runs)")]
pub struct FairnessArgs {
    /// Only runs count on which this is true infinitely often
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub fair: Vec<String>,
    /// Only runs count on which the second is true infinitely often if the first is: `EXPR -> EXPR`
    #[arg(long, value_name = "EXPR -> EXPR", allow_hyphen_values = true)]
    pub strong_fair: Vec<String>,
}

/// Whose precedence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum SyntaxArg {
    /// Spot's (the default, but for C programs)
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
    /// Ultimate's `//@ ltl invariant` (the default for C programs)
    Ultimate,
}

/// How a counterexample is shown.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// How a counterexample is shown: every step, a row for each cycle, or only what changes; as fits the model
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Counterexamples")]
    pub trace: Option<TraceArg>,
    /// Show these variables only, separated by commas
    #[arg(
        long,
        value_name = "VARIABLES",
        value_delimiter = ',',
        help_heading = "Counterexamples"
    )]
    pub show: Vec<String>,
    /// Show the states of the automaton that reads the run, with `--trace steps`
    #[arg(long, help_heading = "Counterexamples")]
    pub automaton_states: bool,
    /// Whether a counterexample is made shorter and its inputs plainer before it is shown
    #[arg(
        long,
        value_enum,
        value_name = "WHETHER",
        default_value = "on",
        help_heading = "Counterexamples"
    )]
    pub shorten: ShortenArg,
}

/// How a counterexample is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TraceArg {
    /// Each step, or statement of a program, with its place
    Steps,
    /// The states that formulas read, as a table
    Cycles,
    /// The steps that change something, with nothing else
    Changes,
}

/// Whether a counterexample is made shorter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ShortenArg {
    /// It is
    On,
    /// It is shown as an engine found it
    Off,
}

impl From<ShortenArg> for Shorten {
    fn from(arg: ShortenArg) -> Self {
        match arg {
            ShortenArg::On => Self::On,
            ShortenArg::Off => Self::Off,
        }
    }
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
            SyntaxArg::Ultimate => Self::Ultimate,
        }
    }
}
