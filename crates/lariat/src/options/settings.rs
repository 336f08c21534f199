//! What the values come to: the settings of the engines, the passes and the front ends.
//!
//! Whoever asks for settings has refused or dropped what has no effect before ([`Values::drop_useless`]).

use super::command_line::{EngineOptions, LimitOptions, ReadingOptions};
use super::table::Opt;
use super::values::{Value, Values};
use lariat_base::{Diagnostic, SourceMap, nearest};
use lariat_check::{
    Approach, BoundedConfig, CegarConfig, CombinedConfig, Complement, DomainConfig, Engine,
    ExplicitConfig, ExplicitDomain, Functions, InitialPrecision, LassoRefinement, Locality, Mode,
    PathRefinement, Pieces, PredicateConfig, Pruning, Ranking, Recurrence, SatConfig, Search,
    Symmetry, TraceConfig, ValueConfig,
};
use lariat_expr::{Terms, VarId};
use lariat_frontend::{IntMode, Time, Volatile};
use lariat_ltl::Acceptance;
use lariat_system::{Context, TransitionSystem as _, Variable};
use lariat_verify::pass::deadlock::Deadlock;
use lariat_verify::pass::observe::Observe;
use lariat_verify::{Model, Passes, Vacuity, read_functions};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

impl EngineOptions {
    /// The engine for a model, or none for a portfolio.
    pub fn engine(
        &self,
        is_temporal: bool,
        (cx, sources): (&mut Context, &mut SourceMap),
        model: &Model,
    ) -> Result<Option<Arc<dyn Engine>>, Vec<Diagnostic>> {
        Ok(match self.word(Opt::Engine) {
            Some("cegar") => {
                let functions = match &self.names(Opt::Abstract).join(",")[..] {
                    "" => Functions::default(),
                    text => read_functions(cx, sources, model, text)?,
                };
                let config = self.cegar(is_temporal, &cx.terms, model.variables(), functions);
                Some(Arc::new(config.map_err(|error| vec![error])?))
            }
            Some("bounded") => Some(Arc::new(BoundedConfig {
                recurrence: self.recurrence(),
                ..BoundedConfig::default()
            })),
            Some("trace") => Some(Arc::new(TraceConfig {
                ranking: self.ranking(),
                recurrence: self.recurrence(),
                complement: self.one_of(Opt::Complement, &Complement::ALL, Complement::name),
            })),
            Some("sat") => Some(Arc::new(SatConfig::Formulas)),
            Some("sat-states") => Some(Arc::new(SatConfig::States)),
            Some("bdd") => Some(Arc::new(SatConfig::Sets)),
            Some("explicit") => Some(Arc::new(ExplicitConfig {
                search: self.search(),
                max_states: self.number(Opt::MaxStates),
                symmetry: self.symmetry(),
                ..ExplicitConfig::default()
            })),
            _ => None,
        })
    }

    /// The settings of the abstraction-refinement engine.
    fn cegar(
        &self,
        is_temporal: bool,
        terms: &Terms,
        variables: &[Variable],
        functions: Functions,
    ) -> Result<CegarConfig, Diagnostic> {
        let defaults = CegarConfig::default();
        let (search, reach) = match self.search() {
            Some(search) if is_temporal => (search, defaults.reach),
            Some(reach) => (defaults.search, reach),
            None => (defaults.search, defaults.reach),
        };
        Ok(CegarConfig {
            domain: self.domain(terms, variables, functions)?,
            search,
            reach,
            initial: self.one_of(
                Opt::InitPrec,
                &InitialPrecision::ALL,
                InitialPrecision::name,
            ),
            precision: self.one_of(
                Opt::Precision,
                &[Locality::Global, Locality::Local],
                Locality::name,
            ),
            refinement: self.one_of(Opt::Refinement, &PathRefinement::ALL, PathRefinement::name),
            lasso_refinement: self.lasso_refinement(),
            ranking: self.ranking(),
            recurrence: self.recurrence(),
            approach: self.one_of(Opt::Approach, &Approach::ALL, Approach::name),
            pruning: self.one_of(Opt::Prune, &[Pruning::Lazy, Pruning::Full], Pruning::name),
            max_counterexamples: self.limit(Opt::MaxCounterexamples),
            ..defaults
        })
    }

    fn domain(
        &self,
        terms: &Terms,
        variables: &[Variable],
        functions: Functions,
    ) -> Result<DomainConfig, Diagnostic> {
        let explicit = ExplicitDomain {
            max_enum: self.limit(Opt::MaxEnum),
            ..ExplicitDomain::default()
        };
        let pieces = match self.word(Opt::PredSplit) {
            Some("whole") => Pieces::Whole,
            Some("conjuncts") => Pieces::Conjuncts,
            _ => Pieces::Atoms,
        };
        let predicates = |mode| PredicateConfig {
            mode,
            pieces,
            ..PredicateConfig::default()
        };
        let combined = |mode, functions| -> Result<DomainConfig, Diagnostic> {
            Ok(DomainConfig::Combined(CombinedConfig {
                explicit: explicit.clone(),
                predicates: predicates(mode),
                variables: self.explicit_variables(terms, variables)?,
                max_equalities: self.limit(Opt::MaxEqualities),
                functions,
            }))
        };
        Ok(match self.word(Opt::Domain) {
            Some("pred-bool") => DomainConfig::Predicates(predicates(Mode::Boolean)),
            Some("pred-cart") => DomainConfig::Predicates(predicates(Mode::Cartesian)),
            Some("pred-split") => DomainConfig::Predicates(predicates(Mode::Split)),
            Some("expl-pred-bool") => combined(Mode::Boolean, None)?,
            Some("expl-pred-cart") => combined(Mode::Cartesian, None)?,
            Some("expl-pred-split") => combined(Mode::Split, None)?,
            Some("value-pred-bool") => combined(Mode::Boolean, Some(functions))?,
            Some("value-pred-cart") => combined(Mode::Cartesian, Some(functions))?,
            Some("value-pred-split") => combined(Mode::Split, Some(functions))?,
            Some("value") => DomainConfig::Value(ValueConfig {
                explicit,
                functions,
            }),
            Some("zones") => DomainConfig::Zones,
            _ => DomainConfig::Explicit(explicit),
        })
    }

    /// Which measures are looked for.
    pub fn ranking(&self) -> Ranking {
        self.one_of(Opt::Ranking, &Ranking::ALL, Ranking::name)
    }

    /// Which runs are looked for that never repeat a state.
    pub fn recurrence(&self) -> Recurrence {
        self.one_of(Opt::Recurrence, &Recurrence::ALL, Recurrence::name)
    }

    /// Whether states that differ only in the order of copies count as one.
    pub fn symmetry(&self) -> Symmetry {
        self.one_of(Opt::Symmetry, &Symmetry::ALL, Symmetry::name)
    }

    fn lasso_refinement(&self) -> LassoRefinement {
        let max_rounds = self.limit(Opt::MaxRounds);
        if self.is(Opt::LassoRefinement, "bounded-unrolling") {
            LassoRefinement::BoundedUnrolling {
                max_unrolling: self.limit(Opt::MaxUnrolling),
                max_rounds,
            }
        } else {
            LassoRefinement::Direct { max_rounds }
        }
    }

    fn search(&self) -> Option<Search> {
        let word = self.word(Opt::Search)?;
        Search::ALL.into_iter().find(|search| search.name() == word)
    }

    /// The passes that are made.
    pub fn passes(&self) -> Passes {
        let reduces = self.is(Opt::Slice, "on");
        let merges = self.is(Opt::Blocks, "large");
        Passes {
            relations: true,
            constants: reduces,
            slice: reduces,
            merge: reduces,
            clocks: self.is(Opt::Clocks, "stop"),
            forget: merges,
            blocks: merges,
            cut: reduces,
        }
    }

    /// The acceptance of automata.
    pub fn acceptance(&self) -> Acceptance {
        match self.word(Opt::Acceptance) {
            Some("tba") => Acceptance::Buchi,
            Some("ba") => Acceptance::StateBuchi,
            _ => Acceptance::Generalized,
        }
    }

    /// Where the solver's questions are written.
    pub fn record(&self) -> Option<PathBuf> {
        match self.in_force(Opt::Record)? {
            Value::File(path) => Some(path),
            _ => None,
        }
    }

    /// The variables that `explicit` names.
    fn explicit_variables(
        &self,
        terms: &Terms,
        variables: &[Variable],
    ) -> Result<Vec<VarId>, Diagnostic> {
        let names = || variables.iter().map(|variable| terms.name(variable.var));
        let mut named = Vec::new();
        for name in self.names(Opt::Explicit).iter().map(|name| name.trim()) {
            let Some(at) = names().position(|known| known == name) else {
                let message = format!("`--explicit`: the model has no variable `{name}`");
                let near = nearest(name, names());
                let error = Diagnostic::error("unknown-name", message)
                    .maybe_hint(near.map(|near| format!("did you mean `{near}`?")));
                return Err(match self.place(Opt::Explicit) {
                    Some(span) => error.at(span),
                    None => error,
                });
            };
            named.push(variables[at].var);
        }
        Ok(named)
    }
}

impl ReadingOptions {
    /// How the integers of C programs are read.
    pub fn ints(&self) -> IntMode {
        if self.is(Opt::Int, "bitprecise") {
            IntMode::BitPrecise
        } else {
            IntMode::Math
        }
    }

    /// What reads of volatile objects of C programs give.
    pub fn volatile(&self) -> Volatile {
        if self.is(Opt::Volatile, "ignore") {
            Volatile::Ignore
        } else {
            Volatile::Inputs
        }
    }

    /// How deep recursion is inlined.
    pub fn recursion(&self) -> u32 {
        u32::try_from(self.limit(Opt::Recursion)).expect("the table bounds it")
    }

    /// How many events each queue of a chart holds.
    pub fn queue(&self) -> usize {
        self.limit(Opt::Queue)
    }

    /// What the environment of a chart may send, as written: names with blanks or commas between.
    pub fn events(&self) -> Option<String> {
        let names = self.names(Opt::Events);
        (!names.is_empty()).then(|| names.join(" "))
    }

    /// How long a cycle of a controller takes, as written.
    pub fn cycle(&self) -> Option<String> {
        let times = self.names(Opt::Cycle);
        (!times.is_empty()).then(|| times.join(","))
    }

    /// Which component is the system, as written.
    pub fn component(&self) -> Option<String> {
        let names = self.names(Opt::Component);
        (!names.is_empty()).then(|| names.join(","))
    }

    /// How many messages come to each queue before a cycle.
    pub fn messages(&self) -> u32 {
        u32::try_from(self.limit(Opt::Messages)).unwrap_or(u32::MAX)
    }

    /// How time passes.
    pub fn time(&self) -> Result<Time, Diagnostic> {
        let text = self.names(Opt::Time).join(",");
        if text.is_empty() {
            return Ok(Time::default());
        }
        Time::parse(text.trim()).ok_or_else(|| {
            let message = format!("`--time {text}` is no way in which time passes");
            let hint = "say `discrete`, `discrete:10ms`, `dense`, or a time such as `500ms`";
            Diagnostic::error("bad-option", message).hint(hint)
        })
    }

    /// Which states formulas read.
    pub fn observe(&self) -> Option<Observe> {
        match self.word(Opt::Observe)? {
            "macro" => Some(Observe::Macro),
            _ => Some(Observe::Initial),
        }
    }
}

impl LimitOptions {
    /// What becomes of runs that get stuck.
    pub fn deadlock(&self) -> Option<Deadlock> {
        match self.word(Opt::Deadlock)? {
            "error" => Some(Deadlock::Error),
            "ignore" => Some(Deadlock::Ignore),
            _ => Some(Deadlock::Stutter),
        }
    }

    /// How much is done to find out why a property holds.
    pub fn vacuity(&self) -> Vacuity {
        match self.word(Opt::Vacuity) {
            Some("off") => Vacuity::Off,
            Some("full") => Vacuity::Full,
            _ => Vacuity::Quick,
        }
    }

    /// The limit of time for all properties together.
    pub fn timeout(&self) -> Option<Duration> {
        self.time(Opt::Timeout)
    }

    /// The limit of time for each property.
    pub fn timeout_per_property(&self) -> Option<Duration> {
        self.time(Opt::TimeoutPerProperty)
    }

    fn time(&self, option: Opt) -> Option<Duration> {
        match self.in_force(option)? {
            Value::Time(time) => Some(time),
            _ => None,
        }
    }

    /// The limit of memory in bytes.
    pub fn memory(&self) -> Option<u64> {
        match self.in_force(Opt::Memory)? {
            Value::Size(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// How many engines may work at once.
    pub fn jobs(&self) -> usize {
        match self.limit(Opt::Jobs) {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        }
    }
}

impl Values {
    /// A number that has a default.
    fn limit(&self, opt: Opt) -> usize {
        self.number(opt).expect("the table has a default")
    }

    /// The one of `all` whose name is in force.
    fn one_of<T: Copy>(&self, opt: Opt, all: &[T], name: fn(T) -> &'static str) -> T {
        let word = self.word(opt).expect("the table has a default");
        let mut all = all.iter().copied();
        all.find(|&one| name(one) == word)
            .expect("the table has the names of the library")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::table::TABLE;
    use crate::options::useless::Facts;
    use crate::options::words::read_words;
    use lariat_check::Setting;

    /// The settings that an engine gets by a line of options for a temporal property of a model with `x` and `mode`,
    /// or what is wrong.
    fn cegar(line: &str) -> Result<CegarConfig, String> {
        let mut terms = Terms::new();
        let int = terms.sorts.int();
        let variables = ["x", "mode"].map(|name| Variable::new(terms.declare(name, int)));
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let mut options = read_words(&words).map_err(|bad| bad.message)?;
        let facts = Facts::default().for_property(true);
        match options.drop_useless(&facts).into_iter().next() {
            Some(finding) => Err(finding.message),
            None => options
                .cegar(true, &terms, &variables, Functions::default())
                .map_err(|error| error.message),
        }
    }

    /// The domain with its settings, or what is wrong.
    fn check(line: &str) -> String {
        match cegar(&format!("--engine cegar {line}")) {
            Ok(made) => {
                let variables = match &made.domain {
                    DomainConfig::Combined(combined) => combined.variables.len(),
                    _ => 0,
                };
                let (domain, initial) = (made.domain.name(), made.initial.name());
                format!("{domain} {initial} {} {variables}", made.precision.name())
            }
            Err(message) => message,
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
    fn without_options_the_settings_are_those_of_the_engines() {
        let shown = |config: &CegarConfig| format!("{config:?}");
        let made = cegar("--engine cegar").expect("an engine");
        assert_eq!(shown(&made), shown(&CegarConfig::default()));
        let combined = cegar("--engine cegar --domain expl-pred-cart").expect("an engine");
        let own = DomainConfig::Combined(CombinedConfig::default());
        assert_eq!(format!("{:?}", combined.domain), format!("{own:?}"));
        let bounded = cegar("--engine cegar --lasso-refinement bounded-unrolling");
        let own = LassoRefinement::BoundedUnrolling {
            max_unrolling: LassoRefinement::MAX_UNROLLING,
            max_rounds: LassoRefinement::MAX_ROUNDS,
        };
        assert_eq!(bounded.expect("an engine").lasso_refinement, own);
        let none = Values::default();
        let passes = EngineOptions::new(&none).passes();
        assert_eq!(format!("{passes:?}"), format!("{:?}", Passes::ALL));
        assert_eq!(ReadingOptions::new(&none).ints(), IntMode::default());
    }

    /// Every value of the options that the echo of the settings tells is the one that was asked for.
    #[test]
    fn each_value_of_the_table_reaches_its_setting() {
        let echoed = [
            (Opt::Domain, "domain"),
            (Opt::InitPrec, "initial_precision"),
            (Opt::Precision, "precision"),
            (Opt::Refinement, "refinement"),
            (Opt::LassoRefinement, "lasso_refinement"),
            (Opt::Ranking, "ranking"),
            (Opt::Recurrence, "recurrence"),
            (Opt::Prune, "prune"),
        ];
        for (opt, key) in echoed {
            for choice in opt.row().choices() {
                let line = format!("--engine cegar --{} {}", opt.row().name, choice.name);
                let settings = cegar(&line).expect("it has an effect on `expl`");
                let settings = settings.settings(true);
                let value = settings.iter().find(|(name, _)| *name == key);
                let expected = Setting::Name(choice.name);
                assert_eq!(value.map(|(_, value)| value), Some(&expected), "{line}");
            }
        }
        let searches: Vec<&str> = Search::ALL.map(Search::name).to_vec();
        let choices = Opt::Search.row().choices().iter();
        assert_eq!(
            choices.map(|choice| choice.name).collect::<Vec<_>>(),
            searches
        );
        assert_eq!(
            TABLE.iter().filter(|row| row.names_configurations).count(),
            4
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
