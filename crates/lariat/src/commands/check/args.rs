//! The options of `lariat check`, and the settings they make.

use crate::cli::ModelArgs;
use clap::{Args, ValueEnum};
use lariat_base::Diagnostic;
use lariat_check::{
    CegarConfig, DomainConfig, Engine, ExplicitConfig, ExplicitDomain, InitialPrecision,
    LassoRefinement, Mode, Pieces, PredicateConfig, Search, Settings,
};
use lariat_ltl::{Acceptance, Syntax};
use std::path::PathBuf;
use std::time::Duration;

/// Decides whether a model satisfies a property.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CheckArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub property: PropertyArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Give up after this time: `20s`, `5m`, `1h`, `500ms`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Give up when the process holds more memory: `500MiB`, `4GiB`
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Write everything (settings, statistics, verdict, counterexample) as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print what the check did, as a table
    #[arg(long)]
    pub statistics: bool,
    /// Print the rounds of the refinement loop
    #[arg(long, value_enum, value_name = "WHAT")]
    pub log: Option<Log>,
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
    #[arg(long, value_name = "FORMULA", group = "question")]
    pub ltl: Option<String>,
    /// A property file: `prop { expression }`
    #[arg(long, value_name = "FILE", group = "question")]
    pub prop: Option<PathBuf>,
    /// An expression that must be true in every observed state
    #[arg(long, value_name = "EXPR", group = "question")]
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

/// How it is decided.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The engine; `auto` tries explicit states first and abstraction after
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,
    /// The abstract domain (engine `cegar`)
    #[arg(long, value_enum)]
    pub domain: Option<DomainArg>,
    /// The search: `scc`, `ndfs`, `gdfs` for temporal properties, `bfs`, `dfs` for bad states
    #[arg(long, value_name = "SEARCH")]
    pub search: Option<Search>,
    /// How spurious paths are explained (engine `cegar`)
    #[arg(long, value_enum)]
    pub refinement: Option<RefinementArg>,
    /// How spurious lassos are explained (engine `cegar`)
    #[arg(long, value_enum)]
    pub lasso_refinement: Option<LassoRefinementArg>,
    /// What becomes of an interpolant (predicate domains)
    #[arg(long, value_enum)]
    pub pred_split: Option<PiecesArg>,
    /// What the first abstraction tracks (engine `cegar`)
    #[arg(long, value_enum)]
    pub init_prec: Option<InitPrecArg>,
    /// Leave out the variables that cannot matter to the property
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub slice: Switch,
    /// The most values that one step may give the tracked variables (domain `expl`)
    #[arg(long, value_name = "N")]
    pub max_enum: Option<usize>,
    /// The most rounds of a loop that are unrolled to test a lasso (engine `cegar`)
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<usize>,
    /// The most states that are stored (engine `explicit`)
    #[arg(long, value_name = "N")]
    pub max_states: Option<usize>,
    /// The acceptance of the automaton of a temporal property
    #[arg(long, value_enum)]
    pub acceptance: Option<AcceptanceArg>,
    /// Check every interpolant for its defining properties (slow; for finding bugs)
    #[arg(long)]
    pub check_interpolants: bool,
    /// Write what the solver is asked as SMT-LIB text
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Switch {
    /// Yes
    On,
    /// No
    Off,
}

/// An engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum EngineArg {
    /// Explicit states on small finite models, then abstraction
    Auto,
    /// Abstraction refinement
    Cegar,
    /// All states of a finite model
    Explicit,
}

/// An abstract domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum DomainArg {
    /// Values of tracked variables
    Expl,
    /// Predicates, each on its own
    PredCart,
    /// Predicates, every combination
    PredSplit,
}

/// A refinement of paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RefinementArg {
    /// Sequence interpolation
    SeqItp,
}

/// A refinement of lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LassoRefinementArg {
    /// Unroll, close, or tell the ends of the loop apart
    Direct,
}

/// What becomes of an interpolant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PiecesArg {
    /// One predicate
    Whole,
    /// A predicate per conjunct
    Conjuncts,
    /// A predicate per atom
    Atoms,
}

/// What the first abstraction tracks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum InitPrecArg {
    /// Nothing
    Empty,
    /// The property
    Prop,
    /// The control variables
    Ctrl,
    /// All variables
    Allvars,
}

/// The acceptance of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AcceptanceArg {
    /// Generalized, on transitions
    Tgba,
    /// One set of transitions
    Tba,
    /// One set of states
    Ba,
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
    /// NuSMV's
    Smv,
    /// CPAchecker's and Owl's
    Cpachecker,
    /// LTSmin's
    Ltsmin,
}

/// What is logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Log {
    /// Each round: precision, size, outcome
    Iterations,
}

impl EngineArgs {
    /// The settings; an option without effect on the chosen engine is an error.
    pub fn settings(&self, is_temporal: bool) -> Result<Settings, Diagnostic> {
        self.refuse_useless(is_temporal)?;
        let defaults = CegarConfig::default();
        let domain = match self.domain {
            None | Some(DomainArg::Expl) => {
                let own = ExplicitDomain::default();
                DomainConfig::Explicit(ExplicitDomain {
                    max_enum: self.max_enum.unwrap_or(own.max_enum),
                    ..own
                })
            }
            Some(domain) => {
                let mode = if domain == DomainArg::PredCart {
                    Mode::Cartesian
                } else {
                    Mode::Split
                };
                let own = PredicateConfig::default();
                let pieces = self.pred_split.map_or(own.pieces, Pieces::from);
                DomainConfig::Predicates(PredicateConfig {
                    mode,
                    pieces,
                    ..own
                })
            }
        };
        let (search, reach) = match self.search {
            Some(search) if is_temporal => (search, defaults.reach),
            Some(reach) => (defaults.search, reach),
            None => (defaults.search, defaults.reach),
        };
        let cegar = CegarConfig {
            domain,
            search,
            reach,
            initial: self
                .init_prec
                .map_or(defaults.initial, InitialPrecision::from),
            lasso_refinement: match self.max_rounds {
                Some(max_rounds) => LassoRefinement::Direct { max_rounds },
                None => defaults.lasso_refinement,
            },
            ..defaults
        };
        let engine = match self.engine {
            EngineArg::Auto => Engine::Auto,
            EngineArg::Cegar => Engine::Cegar,
            EngineArg::Explicit => Engine::Explicit,
        };
        let explicit = ExplicitConfig {
            search: self.search,
            max_states: self.max_states,
            ..ExplicitConfig::default()
        };
        Ok(Settings {
            engine,
            cegar,
            explicit,
        })
    }

    fn refuse_useless(&self, is_temporal: bool) -> Result<(), Diagnostic> {
        let useless = |option: &str, why: String| {
            Err(Diagnostic::error(
                "useless-option",
                format!("`{option}` has no effect: {why}"),
            ))
        };
        let cegar_only = [
            ("--domain", self.domain.is_some()),
            ("--refinement", self.refinement.is_some()),
            ("--lasso-refinement", self.lasso_refinement.is_some()),
            ("--pred-split", self.pred_split.is_some()),
            ("--init-prec", self.init_prec.is_some()),
            ("--max-enum", self.max_enum.is_some()),
            ("--max-rounds", self.max_rounds.is_some()),
            ("--check-interpolants", self.check_interpolants),
            ("--record", self.record.is_some()),
        ];
        for (option, given) in cegar_only {
            if given && self.engine != EngineArg::Cegar {
                return useless(option, "it is for `--engine cegar`".into());
            }
        }
        if self.max_states.is_some() && self.engine != EngineArg::Explicit {
            return useless("--max-states", "it is for `--engine explicit`".into());
        }
        if self.search.is_some() && self.engine == EngineArg::Auto {
            return useless("--search", "`--engine auto` chooses the search".into());
        }
        let predicates = matches!(
            self.domain,
            Some(DomainArg::PredCart | DomainArg::PredSplit)
        );
        if self.pred_split.is_some() && !predicates {
            return useless("--pred-split", "it is for the predicate domains".into());
        }
        if self.max_enum.is_some() && predicates {
            return useless("--max-enum", "it is for the domain `expl`".into());
        }
        if predicates
            && matches!(
                self.init_prec,
                Some(InitPrecArg::Ctrl | InitPrecArg::Allvars)
            )
        {
            return useless(
                "--init-prec",
                "predicate domains start with `empty` or `prop`".into(),
            );
        }
        if !is_temporal && self.lasso_refinement.is_some() {
            return useless("--lasso-refinement", "the property needs no lasso".into());
        }
        if !is_temporal && self.acceptance.is_some() {
            return useless("--acceptance", "the property needs no automaton".into());
        }
        match self.search {
            Some(search) if is_temporal != Search::LASSO.contains(&search) => {
                let (kind, fit) = if is_temporal {
                    ("a temporal property", "scc, ndfs, gdfs")
                } else {
                    ("bad states", "bfs, dfs")
                };
                useless(
                    "--search",
                    format!("`{search}` does not look for {kind}; {fit} do"),
                )
            }
            _ => Ok(()),
        }
    }

    /// The acceptance of automata.
    pub fn acceptance(&self) -> Acceptance {
        match self.acceptance {
            None | Some(AcceptanceArg::Tgba) => Acceptance::Generalized,
            Some(AcceptanceArg::Tba) => Acceptance::Buchi,
            Some(AcceptanceArg::Ba) => Acceptance::StateBuchi,
        }
    }
}

impl From<PiecesArg> for Pieces {
    fn from(arg: PiecesArg) -> Self {
        match arg {
            PiecesArg::Whole => Self::Whole,
            PiecesArg::Conjuncts => Self::Conjuncts,
            PiecesArg::Atoms => Self::Atoms,
        }
    }
}

impl From<InitPrecArg> for InitialPrecision {
    fn from(arg: InitPrecArg) -> Self {
        match arg {
            InitPrecArg::Empty => Self::Empty,
            InitPrecArg::Prop => Self::Property,
            InitPrecArg::Ctrl => Self::Control,
            InitPrecArg::Allvars => Self::AllVariables,
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
        }
    }
}

/// A time with its unit.
fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("min", 60.0),
        ("h", 3600.0),
    ];
    let seconds =
        parse_quantity(text, &units).ok_or("write a time as `500ms`, `20s`, `5m` or `1h`")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A size with its unit.
fn parse_size(text: &str) -> Result<u64, String> {
    let (kib, kb) = (1024.0, 1000.0);
    let units = [
        ("KiB", kib),
        ("MiB", kib * kib),
        ("GiB", kib * kib * kib),
        ("kB", kb),
        ("MB", kb * kb),
        ("GB", kb * kb * kb),
    ];
    let bytes = parse_quantity(text, &units).ok_or("write a size as `500MiB` or `4GiB`")?;
    #[expect(clippy::cast_sign_loss, reason = "quantities are not negative")]
    Ok(bytes as u64)
}

/// A non-negative number times the factor of its unit.
fn parse_quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let factor = units.iter().find(|(name, _)| *name == unit.trim())?.1;
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_have_units() {
        assert_eq!(parse_time("20s"), Ok(Duration::from_secs(20)));
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert!(
            parse_time("20").is_err() && parse_time("s").is_err() && parse_time("-1s").is_err()
        );
        assert_eq!(parse_size("4GiB"), Ok(4 << 30));
        assert!(parse_size("4").is_err());
    }
}
