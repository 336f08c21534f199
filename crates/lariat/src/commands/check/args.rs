//! The options of `lariat check`, and the settings they make.

use super::domain_args::{Abstraction, DomainArgs};
use crate::cli::ModelArgs;
use crate::quantity::{parse_size, parse_time};
use clap::{Args, ValueEnum};
use lariat_base::Diagnostic;
use lariat_check::{
    CegarConfig, Engine, ExplicitConfig, LassoRefinement, PathRefinement, Pruning, Search,
};
use lariat_expr::Terms;
use lariat_ltl::{Acceptance, Syntax};
use lariat_system::Variable;
use lariat_verify::Passes;
use std::path::PathBuf;
use std::sync::Arc;
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
    /// What becomes of a run in a state from which no step leads on; if not given, it ends and refutes nothing
    #[arg(long, value_enum, value_name = "HOW")]
    pub deadlock: Option<DeadlockArg>,
    /// Give up after this time: `20s`, `5m`, `1h`, `500ms`
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Give up when the process holds more memory: `500MiB`, `4GiB`; if not given, most of what is free
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// How many engines of `--engine auto` may work at once; 0: as many as there are processors
    ///
    /// With one (the default) the same input gives the same output; with several, whichever answers first decides
    /// which counterexample is shown.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
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
    /// How many engines may work at once.
    pub fn jobs(&self) -> usize {
        match self.jobs {
            None => 1,
            Some(0) => std::thread::available_parallelism().map_or(1, usize::from),
            Some(jobs) => jobs,
        }
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

/// What becomes of a run that gets stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DeadlockArg {
    /// It stays as it is for ever, and formulas speak of it too
    Stutter,
    /// It is an error: whether there is one is asked before the property
    Error,
}

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

/// How it is decided.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// The engine; `auto` tries explicit states first and abstraction after
    #[arg(long, value_enum, default_value_t = EngineArg::Auto)]
    pub engine: EngineArg,
    #[command(flatten)]
    pub abstraction: DomainArgs,
    /// The search
    ///
    /// For temporal properties: `scc` (the default) and `gdfs` stop at the first lasso there is, `ndfs` needs
    /// less memory, `layers` goes breadth first and finds what is near the start, `full` explores everything and
    /// refines by many lassos at once. For bad states: `bfs` (the default) finds shortest paths, `dfs` dives,
    /// `err-dist` runs towards the error location of a control-flow automaton.
    #[arg(long, value_name = "SEARCH")]
    pub search: Option<Search>,
    /// How spurious paths are explained (engine `cegar`)
    ///
    /// Whatever is chosen, a path that teaches nothing new is explained by `seq-itp`.
    #[arg(long, value_enum)]
    pub refinement: Option<RefinementArg>,
    /// How spurious lassos are explained (engine `cegar`)
    #[arg(long, value_enum)]
    pub lasso_refinement: Option<LassoRefinementArg>,
    /// What a refinement keeps of the explored abstraction (engine `cegar`)
    #[arg(long, value_enum)]
    pub prune: Option<PruneArg>,
    /// How much of a program (CFA, C) is one step
    #[arg(long, value_enum)]
    pub blocks: Option<BlocksArg>,
    /// Leave out what cannot matter to the property: variables, constants, values that nothing tells apart
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub slice: Switch,
    /// The most rounds of a loop that `direct` unrolls to test a lasso (engine `cegar`)
    #[arg(long, value_name = "N")]
    pub max_rounds: Option<usize>,
    /// The most rounds of a loop that `bounded-unrolling` unrolls; loops that need more are left to `direct`
    #[arg(long, value_name = "N")]
    pub max_unrolling: Option<usize>,
    /// The most lassos that one exploration returns (engine `cegar`, search `full`)
    #[arg(long, value_name = "N")]
    pub max_counterexamples: Option<usize>,
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

/// A refinement of paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum RefinementArg {
    /// Sequence interpolation: a predicate at every step, which together exclude the path (the default)
    SeqItp,
    /// One interpolant, where the path first breaks seen from its start: cheap rounds, more of them
    FwBinItp,
    /// One interpolant, where the path last breaks seen from its end: predicates close to the violation
    BwBinItp,
    /// The variables of an unsat core: no interpolation at all, for domains that track values
    UnsatCore,
    /// Weakest preconditions over an unsat core: fast, and for every theory, but specific to the path
    Newton,
    /// Inductive invariants of the loops that the path goes round: excludes it with any number of rounds
    PathProgram,
}

/// A refinement of lassos.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LassoRefinementArg {
    /// Unroll a few rounds, close, or tell the ends of the loop apart (the default)
    Direct,
    /// Unroll until the variables that can change have run out of values: decides finite loops without
    /// chasing values; falls back to `direct` where values are unbounded or too many
    BoundedUnrolling,
}

/// How much of a program is one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BlocksArg {
    /// Every statement is a step of its own
    Small,
    /// Statements between the points that the property can see are one step (the default)
    Large,
}

/// What a refinement keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PruneArg {
    /// All but the successors along the counterexample; searches do not enter again what they settled (the default)
    Lazy,
    /// Nothing: each round explores from the start under one precision
    Full,
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

impl EngineArgs {
    /// The engine for a model with these variables, or none for a portfolio; an option without effect on it is an error.
    pub fn engine(
        &self,
        is_temporal: bool,
        terms: &Terms,
        variables: &[Variable],
    ) -> Result<Option<Arc<dyn Engine>>, Diagnostic> {
        self.refuse_useless(is_temporal)?;
        let cegar = self.cegar(is_temporal, terms, variables)?;
        Ok(match self.engine {
            EngineArg::Auto => None,
            EngineArg::Cegar => Some(Arc::new(cegar)),
            EngineArg::Explicit => Some(Arc::new(ExplicitConfig {
                search: self.search,
                max_states: self.max_states,
                ..ExplicitConfig::default()
            })),
        })
    }

    fn cegar(
        &self,
        is_temporal: bool,
        terms: &Terms,
        variables: &[Variable],
    ) -> Result<CegarConfig, Diagnostic> {
        let defaults = CegarConfig::default();
        let Abstraction {
            domain,
            initial,
            precision,
        } = self.abstraction.settings(is_temporal, terms, variables)?;
        let (search, reach) = match self.search {
            Some(search) if is_temporal => (search, defaults.reach),
            Some(reach) => (defaults.search, reach),
            None => (defaults.search, defaults.reach),
        };
        Ok(CegarConfig {
            domain,
            search,
            reach,
            initial,
            precision,
            refinement: self
                .refinement
                .map_or(defaults.refinement, PathRefinement::from),
            lasso_refinement: self.lasso_refinement(),
            pruning: match self.prune {
                None | Some(PruneArg::Lazy) => Pruning::Lazy,
                Some(PruneArg::Full) => Pruning::Full,
            },
            max_counterexamples: self
                .max_counterexamples
                .unwrap_or(defaults.max_counterexamples),
            ..defaults
        })
    }

    /// The passes that are made.
    pub fn passes(&self) -> Passes {
        let reduces = self.slice == Switch::On;
        let merges = self.blocks != Some(BlocksArg::Small);
        Passes {
            relations: true,
            constants: reduces,
            slice: reduces,
            merge: reduces,
            forget: merges,
            blocks: merges,
        }
    }

    fn lasso_refinement(&self) -> LassoRefinement {
        let max_rounds = self.max_rounds.unwrap_or(LassoRefinement::MAX_ROUNDS);
        match self.lasso_refinement {
            None | Some(LassoRefinementArg::Direct) => LassoRefinement::Direct { max_rounds },
            Some(LassoRefinementArg::BoundedUnrolling) => LassoRefinement::BoundedUnrolling {
                max_unrolling: self.max_unrolling.unwrap_or(LassoRefinement::MAX_UNROLLING),
                max_rounds,
            },
        }
    }

    fn refuse_useless(&self, is_temporal: bool) -> Result<(), Diagnostic> {
        let useless = |option: &str, why: String| Err(useless(option, &why));
        let cegar_only = [
            ("--refinement", self.refinement.is_some()),
            ("--lasso-refinement", self.lasso_refinement.is_some()),
            ("--prune", self.prune.is_some()),
            ("--max-rounds", self.max_rounds.is_some()),
            ("--max-unrolling", self.max_unrolling.is_some()),
            ("--max-counterexamples", self.max_counterexamples.is_some()),
            ("--check-interpolants", self.check_interpolants),
            ("--record", self.record.is_some()),
        ];
        let abstraction = self.abstraction.given().map(|option| (option, true));
        for (option, given) in cegar_only.into_iter().chain(abstraction) {
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
        let lasso_only = [
            ("--lasso-refinement", self.lasso_refinement.is_some()),
            ("--max-rounds", self.max_rounds.is_some()),
        ];
        for (option, given) in lasso_only {
            if given && !is_temporal {
                return useless(option, "the property needs no lasso".into());
            }
        }
        self.refuse_useless_refinement()?;
        if !is_temporal && self.acceptance.is_some() {
            return useless("--acceptance", "the property needs no automaton".into());
        }
        match self.search {
            Some(search) if is_temporal != Search::LASSO.contains(&search) => {
                let (kind, fit) = if is_temporal {
                    ("a temporal property", "scc, ndfs, gdfs, layers, full")
                } else {
                    ("bad states", "bfs, dfs, err-dist")
                };
                useless(
                    "--search",
                    format!("`{search}` does not look for {kind}; {fit} do"),
                )
            }
            _ => Ok(()),
        }
    }

    /// Options of refinement that the others make useless.
    fn refuse_useless_refinement(&self) -> Result<(), Diagnostic> {
        let bounded = Some(LassoRefinementArg::BoundedUnrolling);
        let uses = [
            (
                "--max-unrolling",
                self.max_unrolling.is_some() && self.lasso_refinement != bounded,
                "it is for `--lasso-refinement bounded-unrolling`",
            ),
            (
                "--max-counterexamples",
                self.max_counterexamples.is_some() && self.search != Some(Search::Full),
                "it is for `--search full`",
            ),
            (
                "--refinement",
                self.refinement == Some(RefinementArg::UnsatCore) && !self.abstraction.has_values(),
                "`unsat-core` finds variables, the predicate domains need predicates",
            ),
            (
                "--search",
                self.search == Some(Search::ErrDist) && self.engine == EngineArg::Explicit,
                "the explicit engine has no distances; `err-dist` is for `--engine cegar`",
            ),
        ];
        for (option, is_useless, why) in uses {
            if is_useless {
                return Err(useless(option, why));
            }
        }
        Ok(())
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

/// The finding that an option has no effect.
pub fn useless(option: &str, why: &str) -> Diagnostic {
    Diagnostic::error("useless-option", format!("`{option}` has no effect: {why}"))
}

impl From<RefinementArg> for PathRefinement {
    fn from(arg: RefinementArg) -> Self {
        match arg {
            RefinementArg::SeqItp => Self::SeqItp,
            RefinementArg::FwBinItp => Self::FwBinItp,
            RefinementArg::BwBinItp => Self::BwBinItp,
            RefinementArg::UnsatCore => Self::UnsatCore,
            RefinementArg::Newton => Self::Newton,
            RefinementArg::PathProgram => Self::PathProgram,
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
