//! The options of `lariat check` that say what an abstraction tracks, and the settings they make.

use clap::{Args, ValueEnum};
use lariat_base::{Diagnostic, nearest};
use lariat_check::{
    CombinedConfig, DomainConfig, ExplicitDomain, InitialPrecision, Locality, Mode, Pieces,
    PredicateConfig,
};
use lariat_expr::{Terms, VarId};
use lariat_system::Variable;

/// What the abstraction tracks.
#[derive(Debug, Args)]
pub struct DomainArgs {
    /// The abstract domain (engine `cegar`; `expl` if not given)
    #[arg(long, value_enum)]
    pub domain: Option<DomainArg>,
    /// Where what is learned from a counterexample applies (engine `cegar`; `global` if not given)
    #[arg(long, value_enum)]
    pub precision: Option<PrecisionArg>,
    /// What the first abstraction tracks (engine `cegar`; `prop` if not given)
    #[arg(long, value_enum)]
    pub init_prec: Option<InitPrecArg>,
    /// Variables that are tracked by value from the start (domains `expl-pred-…`)
    #[arg(long, value_name = "VAR,…", value_delimiter = ',')]
    pub explicit: Vec<String>,
    /// Track a variable by value once this many predicates `v = c` were learned for it
    /// (domains `expl-pred-…`)
    #[arg(long, value_name = "N")]
    pub max_equalities: Option<usize>,
    /// What becomes of an interpolant (domains with predicates)
    #[arg(long, value_enum)]
    pub pred_split: Option<PiecesArg>,
    /// The most values that one step may give the tracked variables (domains with values)
    #[arg(long, value_name = "N")]
    pub max_enum: Option<usize>,
}

/// An abstract domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum DomainArg {
    /// Values of tracked variables: for control and for data with few values
    Expl,
    /// Predicates, all combinations in one state: exact, with few and large states
    PredBool,
    /// Predicates, each on its own: the cheapest steps
    PredCart,
    /// Predicates, one state for each combination: exact, with many small states
    PredSplit,
    /// Control by value, the rest as `pred-bool`
    ExplPredBool,
    /// Control by value, the rest as `pred-cart`: for controllers with counters or clocks
    ExplPredCart,
    /// Control by value, the rest as `pred-split`
    ExplPredSplit,
}

/// Where what is learned applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PrecisionArg {
    /// Everywhere: fewer rounds
    Global,
    /// At the location of the model where it was learned: fewer states
    Local,
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
    /// The atoms of the property, or their variables
    Prop,
    /// The control variables (domain `expl`)
    Ctrl,
    /// All variables (domains with values)
    Allvars,
    /// The atoms of all conditions of the model, or their variables
    Allassumes,
    /// The labels of the automaton, or their variables (temporal properties)
    Automaton,
}

/// What the options come to.
pub struct Abstraction {
    /// The domain.
    pub domain: DomainConfig,
    /// What is tracked to start with.
    pub initial: InitialPrecision,
    /// Where what is learned applies.
    pub precision: Locality,
}

/// A family of domains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Values,
    Predicates(Mode),
    Both(Mode),
}

impl DomainArgs {
    /// One of these options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let options = [
            ("--domain", self.domain.is_some()),
            ("--precision", self.precision.is_some()),
            ("--init-prec", self.init_prec.is_some()),
            ("--explicit", !self.explicit.is_empty()),
            ("--max-equalities", self.max_equalities.is_some()),
            ("--pred-split", self.pred_split.is_some()),
            ("--max-enum", self.max_enum.is_some()),
        ];
        let mut given = options.into_iter().filter(|&(_, given)| given);
        given.next().map(|(option, _)| option)
    }

    /// The settings for a model with these variables; an option without effect is an error.
    pub fn settings(
        &self,
        is_temporal: bool,
        terms: &Terms,
        variables: &[Variable],
    ) -> Result<Abstraction, Diagnostic> {
        if let Some((option, why)) = self.useless(is_temporal) {
            let message = format!("`{option}` has no effect: {why}");
            return Err(Diagnostic::error("useless-option", message));
        }
        let explicit = ExplicitDomain::default();
        let explicit = ExplicitDomain {
            max_enum: self.max_enum.unwrap_or(explicit.max_enum),
            ..explicit
        };
        let predicates = |mode| {
            let own = PredicateConfig::default();
            let pieces = self.pred_split.map_or(own.pieces, Pieces::from);
            PredicateConfig {
                mode,
                pieces,
                ..own
            }
        };
        let domain = match self.family() {
            Family::Values => DomainConfig::Explicit(explicit),
            Family::Predicates(mode) => DomainConfig::Predicates(predicates(mode)),
            Family::Both(mode) => {
                let own = CombinedConfig::default();
                DomainConfig::Combined(CombinedConfig {
                    explicit,
                    predicates: predicates(mode),
                    variables: self.named(terms, variables)?,
                    max_equalities: self.max_equalities.unwrap_or(own.max_equalities),
                })
            }
        };
        Ok(Abstraction {
            domain,
            initial: self
                .init_prec
                .map_or(InitialPrecision::Property, InitialPrecision::from),
            precision: match self.precision {
                None | Some(PrecisionArg::Global) => Locality::Global,
                Some(PrecisionArg::Local) => Locality::Local,
            },
        })
    }

    /// Whether the domain tracks values.
    pub fn has_values(&self) -> bool {
        !matches!(self.family(), Family::Predicates(_))
    }

    fn family(&self) -> Family {
        match self.domain {
            None | Some(DomainArg::Expl) => Family::Values,
            Some(DomainArg::PredBool) => Family::Predicates(Mode::Boolean),
            Some(DomainArg::PredCart) => Family::Predicates(Mode::Cartesian),
            Some(DomainArg::PredSplit) => Family::Predicates(Mode::Split),
            Some(DomainArg::ExplPredBool) => Family::Both(Mode::Boolean),
            Some(DomainArg::ExplPredCart) => Family::Both(Mode::Cartesian),
            Some(DomainArg::ExplPredSplit) => Family::Both(Mode::Split),
        }
    }

    /// An option without effect, and why it has none.
    fn useless(&self, is_temporal: bool) -> Option<(&'static str, &'static str)> {
        let family = self.family();
        let (values, predicates) = match family {
            Family::Values => (true, false),
            Family::Predicates(_) => (false, true),
            Family::Both(_) => (true, true),
        };
        let both = values && predicates;
        let checks = [
            (
                self.pred_split.is_some() && !predicates,
                "--pred-split",
                "it is for the domains with predicates",
            ),
            (
                self.max_enum.is_some() && !values,
                "--max-enum",
                "it is for the domains with values, `expl` and `expl-pred-…`",
            ),
            (
                !self.explicit.is_empty() && !both,
                "--explicit",
                "it is for the combined domains `expl-pred-…`",
            ),
            (
                self.max_equalities.is_some() && !both,
                "--max-equalities",
                "it is for the combined domains `expl-pred-…`",
            ),
            (
                !self.explicit.is_empty() && self.init_prec == Some(InitPrecArg::Allvars),
                "--explicit",
                "`--init-prec allvars` tracks every variable by value",
            ),
            (
                matches!(
                    self.init_prec,
                    Some(InitPrecArg::Ctrl | InitPrecArg::Allvars)
                ) && !values,
                "--init-prec",
                "a predicate domain tracks no values; `expl` and `expl-pred-…` do",
            ),
            (
                self.init_prec == Some(InitPrecArg::Ctrl) && both,
                "--init-prec",
                "a combined domain always tracks the control variables by value; \
                 `empty` starts with nothing else",
            ),
            (
                self.init_prec == Some(InitPrecArg::Automaton) && !is_temporal,
                "--init-prec",
                "the property needs no automaton; `prop` starts with what it says",
            ),
        ];
        let mut useless = checks.into_iter().filter(|&(is_useless, ..)| is_useless);
        useless.next().map(|(_, option, why)| (option, why))
    }

    /// The variables that `--explicit` names.
    fn named(&self, terms: &Terms, variables: &[Variable]) -> Result<Vec<VarId>, Diagnostic> {
        let names = || variables.iter().map(|variable| terms.name(variable.var));
        let mut named = Vec::new();
        for name in self.explicit.iter().map(|name| name.trim()) {
            let Some(at) = names().position(|known| known == name) else {
                let message = format!("`--explicit`: the model has no variable `{name}`");
                let error = Diagnostic::error("unknown-name", message);
                return Err(match nearest(name, names()) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error,
                });
            };
            named.push(variables[at].var);
        }
        Ok(named)
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
            InitPrecArg::Allassumes => Self::AllAssumes,
            InitPrecArg::Automaton => Self::Automaton,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: DomainArgs,
    }

    /// The domain with its settings, or what is wrong, for a temporal property of a model with `x` and `mode`.
    fn check(line: &str) -> String {
        let mut terms = Terms::new();
        let variables = ["x", "mode"].map(|name| Variable {
            var: terms.declare(name, terms.sorts.int()),
            ctrl: false,
            initial: None,
            range: None,
            span: None,
        });
        let words = ["lariat"].into_iter().chain(line.split_whitespace());
        let Line { args } = Line::try_parse_from(words).expect("the options exist");
        match args.settings(true, &terms, &variables) {
            Ok(made) => {
                let variables = match &made.domain {
                    DomainConfig::Combined(combined) => combined.variables.len(),
                    _ => 0,
                };
                let (domain, initial) = (made.domain.name(), made.initial.name());
                format!("{domain} {initial} {} {variables}", made.precision.name())
            }
            Err(error) => error.message,
        }
    }

    #[test]
    fn options_make_settings() {
        assert_eq!(check(""), "expl prop global 0");
        assert_eq!(
            check("--domain pred-bool --precision local --init-prec allassumes"),
            "pred-bool allassumes local 0"
        );
        assert_eq!(
            check("--domain expl-pred-split --explicit mode,x --init-prec automaton"),
            "expl-pred-split automaton global 2"
        );
    }

    #[test]
    fn options_without_effect_are_errors() {
        for line in [
            "--domain pred-cart --init-prec ctrl",
            "--domain pred-split --init-prec allvars",
            "--domain expl-pred-cart --init-prec ctrl",
            "--domain expl-pred-cart --init-prec allvars --explicit x",
            "--domain expl --explicit x",
            "--domain pred-bool --max-equalities 2",
            "--domain pred-bool --max-enum 2",
            "--pred-split atoms",
        ] {
            assert!(check(line).contains("has no effect"), "{line}");
        }
        assert_eq!(
            check("--domain expl-pred-cart --explicit mod"),
            "`--explicit`: the model has no variable `mod`"
        );
    }
}
