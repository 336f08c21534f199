//! What can be written on the command line. Each command's options are a struct of their own; what
//! the commands share (which models, how composed) is [`ModelArgs`].

use crate::commands::{
    abstraction::AbstractArgs,
    automaton::AutomatonArgs,
    check::CheckArgs,
    compare::CompareArgs,
    convert::ConvertArgs,
    explain::ExplainArgs,
    ltl::LtlArgs,
    shell::{CompletionsArgs, ManArgs},
    show::ShowArgs,
    simulate::SimulateArgs,
};
use crate::options::ReadingOptions;
use clap::{Args, Parser, Subcommand, ValueEnum};
use lariat_system::Language;
use std::path::PathBuf;

/// An LTL model checker for models with unbounded data.
#[derive(Debug, Parser)]
#[command(name = "lariat", version, about, max_term_width = 100, after_help = AFTER)]
pub struct Cli {
    /// When to colour the output
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
Examples:
  lariat check traffic.xsts --ltl 'G (red -> F green)'
  lariat compare traffic.xsts --ltl 'G (red -> F green)'    every way to decide it, side by side
  lariat show traffic.xsts                 what is in the model
  lariat simulate traffic.xsts --seed 7    a random run, the same each time
  lariat show a.cfa b.xsts --compose alternate --format dot | dot -Tsvg > both.svg

Exit codes: 0 all went well (`check`: holds), 1 violated, 2 the input or the options were wrong, 3 unknown.
`lariat explain ID` tells more about an error or a warning, by the id in its brackets.
Run `lariat COMMAND --help` for the options of a command and more examples.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decides whether a model satisfies a property, and shows a run if it does not
    Check(Box<CheckArgs>),
    /// Runs many configurations of `check` on one or many tasks, side by side
    Compare(Box<CompareArgs>),
    /// Shows what is in a model: variables, locations, transitions, properties
    Show(ShowArgs),
    /// Runs a model at random, or as you choose
    Simulate(SimulateArgs),
    /// Writes a model with its properties in another language
    Convert(Box<ConvertArgs>),
    /// Prints what some predicates tell of a model, as a model of its own or as a picture
    Abstract(Box<AbstractArgs>),
    /// Translates formulas to Büchi automata
    Automaton(AutomatonArgs),
    /// Describes a formula, prints it for other tools, compares it with another
    Ltl(LtlArgs),
    /// Explains an error or a warning by its id, with an example
    Explain(ExplainArgs),
    /// Prints a script that completes commands and options in a shell
    Completions(CompletionsArgs),
    /// Prints a manual page
    Man(ManArgs),
}

/// Which models, and how they are put together.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// Model files; several `.c` files are one program; `-` reads standard input
    #[arg(required = true, value_name = "MODEL", help_heading = None::<&'static str>)]
    pub models: Vec<PathBuf>,
    /// The language of the models, whatever their names say
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<LanguageArg>,
    /// How several models step: in turn, or any of them at any time
    #[arg(long, value_enum, value_name = "HOW")]
    pub compose: Option<Compose>,
    /// A folder in which headers of C programs are looked for
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// A macro of C programs: `NAME` or `NAME=VALUE`
    #[arg(short = 'D', value_name = "MACRO")]
    pub define: Vec<String>,
    #[command(flatten)]
    pub reading: ReadingOptions,
}

impl ModelArgs {
    /// Whether the models are the same when they are read a second time.
    pub fn can_be_read_again(&self) -> bool {
        self.models.iter().all(|path| path.is_file())
    }
}

/// An input language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LanguageArg {
    /// Extended symbolic transition systems (.xsts)
    Xsts,
    /// Control-flow automata (.cfa)
    Cfa,
    /// Symbolic transition systems (.sts, .system)
    Sts,
    /// Guarded commands (.gcl)
    Gcl,
    /// C programs (.c, .i)
    C,
    /// Modules of SMV (.smv)
    Smv,
    /// Circuits in the AIGER format (.aag, .aig)
    Aiger,
    /// Circuits in the BTOR2 format (.btor2, .btor)
    Btor2,
    /// Statecharts in XML (.scxml)
    Scxml,
    /// Programs of controllers in Structured Text (.st)
    St,
    /// Gamma statecharts and compositions (.gcd)
    Gamma,
    /// Transition systems in VMT-LIB (.vmt, .smt2)
    Vmt,
    /// Systems and queries in `MoXI` (.moxi)
    Moxi,
}

impl From<LanguageArg> for Language {
    fn from(arg: LanguageArg) -> Self {
        match arg {
            LanguageArg::Xsts => Self::Xsts,
            LanguageArg::Cfa => Self::Cfa,
            LanguageArg::Sts => Self::Sts,
            LanguageArg::Gcl => Self::Gcl,
            LanguageArg::C => Self::C,
            LanguageArg::Smv => Self::Smv,
            LanguageArg::Aiger => Self::Aiger,
            LanguageArg::Btor2 => Self::Btor2,
            LanguageArg::Scxml => Self::Scxml,
            LanguageArg::St => Self::St,
            LanguageArg::Gamma => Self::Gamma,
            LanguageArg::Vmt => Self::Vmt,
            LanguageArg::Moxi => Self::Moxi,
        }
    }
}

/// How several models step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Compose {
    /// The first, the second, …, the first again
    Alternate,
    /// Any of them at any time
    Interleave,
}

impl Compose {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        lariat_verify::Compose::from(self).name()
    }
}

impl From<Compose> for lariat_verify::Compose {
    fn from(arg: Compose) -> Self {
        match arg {
            Compose::Alternate => Self::Alternate,
            Compose::Interleave => Self::Interleave,
        }
    }
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Whether colours are wanted on what may be a terminal.
    pub fn is_wanted(self, is_terminal: bool) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
                is_terminal && !set("NO_COLOR") && !dumb
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
