//! The table: every option of a check that can stand in a configuration file.
//!
//! The rules of an option are in the order in which they are asked, and the first that is not met is the error: what the
//! engine makes useless comes before what the property or the domain does.

use super::choices::{
    ACCEPTANCES, APPROACHES, BLOCKS, CLOCKS, COMBINED, COMPLEMENTS, DEADLOCKS, DOMAINS, ENGINES,
    INITIAL, INTS, LASSO_REFINEMENTS, OBSERVED, ON_OFF, PIECES, PRECISIONS, PRUNINGS, RANKINGS,
    RECURRENCES, REFINEMENTS, SEARCHES, SYMMETRIES, VACUITIES, VOLATILE, WITH_FUNCTIONS,
    WITH_VALUES,
};
use super::row::{Kind, Need, Row, Rule, Section};
use lariat_system::Language;

/// The options, in the order of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Opt {
    Int,
    Volatile,
    Recursion,
    Queue,
    Events,
    Cycle,
    Component,
    Time,
    Messages,
    Observe,
    Engine,
    Domain,
    Abstract,
    Precision,
    InitPrec,
    Explicit,
    MaxEqualities,
    PredSplit,
    MaxEnum,
    Search,
    Refinement,
    LassoRefinement,
    Ranking,
    Recurrence,
    Complement,
    Approach,
    Prune,
    Symmetry,
    Blocks,
    Slice,
    Clocks,
    MaxRounds,
    MaxUnrolling,
    MaxCounterexamples,
    MaxStates,
    Acceptance,
    CheckInterpolants,
    Record,
    Deadlock,
    Vacuity,
    Timeout,
    TimeoutPerProperty,
    Memory,
    Jobs,
}

impl Opt {
    /// What the table says of it.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

/// All options; each stands at its own number.
pub static TABLE: [Row; 44] = [
    reading("int", Opt::Int, Kind::Choice(INTS))
        .value_name("HOW")
        .help("How the integers of C programs and of Structured Text are read")
        .default("math")
        .effect(&[FOR_PROGRAMS]),
    reading("volatile", Opt::Volatile, Kind::Choice(VOLATILE))
        .value_name("HOW")
        .help("What a read of a volatile object of a C program gives")
        .default("inputs")
        .effect(&[FOR_C]),
    reading("recursion", Opt::Recursion, Kind::Number(u32::MAX as u64))
        .help("Inline C functions that call themselves this deep; 0 refuses them")
        .more(
            "While a function is active it is entered up to N more times. What would go deeper is cut off: no run that \
             comes there counts, and a property that holds otherwise holds only if no run can come there.",
        )
        .default("0")
        .effect(&[FOR_C]),
    reading("queue", Opt::Queue, Kind::Number(1000))
        .help("How many events each queue of a statechart holds")
        .more(
            "A run that would put more into a queue is cut off: it counts for nothing, and a property that holds \
             otherwise holds only if no run can come there. `--property queue` asks whether one can.",
        )
        .default("8")
        .effect(&[FOR_CHARTS]),
    reading("events", Opt::Events, Kind::Names)
        .value_name("EVENT,…")
        .help("The events that the environment of a statechart may send; `+EVENT` adds one to the others")
        .otherwise("those that the chart waits for and does not send itself")
        .effect(&[Rule::needs(
            Need::Language(&[Language::Scxml, Language::Gamma]),
            "it is for statecharts",
        )]),
    reading("cycle", Opt::Cycle, Kind::Names)
        .value_name("TIME..TIME")
        .help("How long a cycle of a controller takes at least and at most, for the timers of Structured Text")
        .otherwise("10ms")
        .effect(&[FOR_CONTROLLERS]),
    reading("component", Opt::Component, Kind::Names)
        .value_name("NAME")
        .help("Which component of a Gamma model is the system; with arguments: `Crossing(3, true)`")
        .otherwise("the one of the file that no other one is made of; parameters have any value")
        .effect(&[FOR_GAMMA]),
    reading("time", Opt::Time, Kind::Names)
        .value_name("HOW")
        .help("How time passes between the cycles of a Gamma model: `discrete`, `dense`, or a time such as `500ms`")
        .more(
            "`discrete`: any whole number of milliseconds, at least one; `discrete:10ms`: any multiple of ten. `dense`: any positive \
             rational number, and time does not come to an end. `500ms`: each cycle comes half a second after the one before.",
        )
        .default("discrete")
        .effect(&[FOR_GAMMA]),
    reading("messages", Opt::Messages, Kind::Number(16))
        .help("How many messages come to each queue of an asynchronous Gamma model before a cycle")
        .more("They are messages of the environment, and come in any order. What components send each other does not count.")
        .default("1")
        .effect(&[FOR_GAMMA]),
    reading("observe", Opt::Observe, Kind::Choice(OBSERVED))
        .value_name("WHICH")
        .help("Which states a formula reads, if not those of the language")
        .otherwise("those of the language")
        .effect(&[
            Rule::of(&["macro"], Need::Language(&[Language::Xsts]), "`macro` is for XSTS"),
            Rule::of(
                &["initial"],
                Need::Language(&[Language::Cfa, Language::C]),
                "`initial` is for CFA and C",
            ),
        ]),
    engine("engine", Opt::Engine, Kind::Choice(ENGINES))
        .value_name("ENGINE")
        .help("The engine; `auto` tries explicit states first and abstraction after")
        .default("auto"),
    engine("domain", Opt::Domain, Kind::Choice(DOMAINS))
        .value_name("DOMAIN")
        .help("The abstract domain (engine `cegar`)")
        .default("expl")
        .effect(&[CEGAR])
        .names_configurations(),
    engine("abstract", Opt::Abstract, Kind::Names)
        .value_name("VAR:FUNCTION,…")
        .help("What is told of values instead of the values: `x:sign, y:mod 4` (domains `value` and `value-pred-…`)")
        .more(
            "Functions: `sign`, `parity`, `mod M`, `bits` (how many the number needs), `bit I`, `is VALUE`, `at N N …` (the \
             intervals between these numbers), `id` (the value itself), `any` (nothing), and a partition by conditions such as \
             `level:{low: level < 10, ok: level < 90, high: true}`. Implies `--domain value`. See docs/abstractions.md.",
        )
        .otherwise("what the constants and operators of the model suggest")
        .effect(&[
            CEGAR,
            Rule::needs(
                Need::Is(Opt::Domain, WITH_FUNCTIONS),
                "it is for the domains `value` and `value-pred-…`",
            ),
        ]),
    engine("precision", Opt::Precision, Kind::Choice(PRECISIONS))
        .value_name("PRECISION")
        .help("Where what is learned from a counterexample applies (engine `cegar`)")
        .default("global")
        .effect(&[CEGAR, NOT_ZONES]),
    engine("init-prec", Opt::InitPrec, Kind::Choice(INITIAL))
        .value_name("INIT_PREC")
        .help("What the first abstraction tracks (engine `cegar`)")
        .default("prop")
        .effect(&[
            CEGAR,
            NOT_ZONES,
            Rule::of(
                &["ctrl", "allvars"],
                Need::Is(Opt::Domain, WITH_VALUES),
                "a predicate domain tracks no values; `expl`, `value` and the combined domains do",
            ),
            Rule::of(
                &["ctrl"],
                Need::Not(Opt::Domain, COMBINED),
                "a combined domain always tracks the control variables by value; `empty` starts with nothing else",
            ),
            Rule::of(
                &["automaton"],
                Need::Temporal,
                "the property needs no automaton; `prop` starts with what it says",
            ),
        ]),
    engine("explicit", Opt::Explicit, Kind::Names)
        .help("Variables that are tracked by value from the start (domains `expl-pred-…` and `value-pred-…`)")
        .otherwise("those that the domain finds")
        .effect(&[
            CEGAR,
            FOR_COMBINED,
            Rule::needs(
                Need::Not(Opt::InitPrec, &["allvars"]),
                "`--init-prec allvars` tracks every variable by value",
            ),
        ]),
    engine("max-equalities", Opt::MaxEqualities, COUNT)
        .help(
            "Track a variable by value once this many predicates `v = c` were learned for it (domains `expl-pred-…` and `value-pred-…`)",
        )
        .default("3")
        .effect(&[CEGAR, FOR_COMBINED]),
    engine("pred-split", Opt::PredSplit, Kind::Choice(PIECES))
        .value_name("PRED_SPLIT")
        .help("What becomes of an interpolant (domains with predicates)")
        .default("atoms")
        .effect(&[
            CEGAR,
            Rule::needs(
                Need::Not(Opt::Domain, &["expl", "value", "zones"]),
                "it is for the domains with predicates",
            ),
        ]),
    engine("max-enum", Opt::MaxEnum, COUNT)
        .help("The most values that one step may give the tracked variables (domains with values)")
        .default("32")
        .effect(&[
            CEGAR,
            Rule::needs(
                Need::Is(Opt::Domain, WITH_VALUES),
                "it is for the domains with values",
            ),
        ]),
    engine("search", Opt::Search, Kind::Choice(SEARCHES))
        .value_name("SEARCH")
        .help("The search")
        .more(
            "For temporal properties: `scc`, `ndfs`, `gdfs`, `layers` and `full`; `scc` if not given. For bad states: \
             `bfs`, `dfs` and `err-dist`; `bfs` if not given.",
        )
        .otherwise("`scc` for temporal properties, `bfs` for bad states")
        .effect(&[
            Rule::needs(
                Need::Not(Opt::Engine, &["auto"]),
                "`--engine auto` chooses the search",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["bounded"]),
                "the solver searches bounded paths",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["trace"]),
                "trace abstraction explores all that is left, to find the smallest loops",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["sat", "sat-states", "bdd"]),
                "the solver searches the circuit",
            ),
            Rule::of(
                &["err-dist"],
                Need::Not(Opt::Engine, &["explicit"]),
                "the explicit engine has no distances; `err-dist` is for `--engine cegar`",
            ),
            Rule::of(
                &["bfs", "dfs", "err-dist"],
                Need::BadStates,
                "`{value}` does not look for a temporal property; scc, ndfs, gdfs, layers, full do",
            ),
            Rule::of(
                &["scc", "ndfs", "gdfs", "layers", "full"],
                Need::Temporal,
                "`{value}` does not look for bad states; bfs, dfs, err-dist do",
            ),
        ])
        .names_configurations(),
    engine("refinement", Opt::Refinement, Kind::Choice(REFINEMENTS))
        .value_name("REFINEMENT")
        .help("How spurious paths are explained (engine `cegar`)")
        .more("Whatever is chosen, a path that teaches nothing new is explained by `seq-itp`.")
        .default("seq-itp")
        .effect(&[
            CEGAR,
            Rule::of(
                &["unsat-core"],
                Need::Is(Opt::Domain, WITH_VALUES),
                "`unsat-core` finds variables, the predicate domains need predicates",
            ),
        ])
        .names_configurations(),
    engine("lasso-refinement", Opt::LassoRefinement, Kind::Choice(LASSO_REFINEMENTS))
        .value_name("LASSO_REFINEMENT")
        .help("How spurious lassos are explained (engine `cegar`)")
        .default("direct")
        .effect(&[CEGAR, LASSOS])
        .names_configurations(),
    engine("ranking", Opt::Ranking, Kind::Choice(RANKINGS))
        .value_name("RANKING")
        .help("Which arguments are looked for that a loop cannot be repeated forever (engines `auto`, `cegar` and `trace`)")
        .more("A measure that decreases and is never negative excludes every lasso along which it does; see docs/liveness.md.")
        .default("linear")
        .effect(&[
            Rule::needs(
                Need::Not(Opt::Engine, &["explicit"]),
                "the explicit engine lists all states; it needs no measures",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["bounded"]),
                "bounded paths prove nothing; measures do",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["sat", "sat-states", "bdd"]),
                "a circuit has no measures",
            ),
            LASSOS,
        ]),
    engine("recurrence", Opt::Recurrence, Kind::Choice(RECURRENCES))
        .value_name("RECURRENCE")
        .help("Which runs are looked for that never repeat a state (engines `auto`, `cegar`, `trace` and `bounded`)")
        .more("A counter that grows forever keeps a loop from closing; see docs/liveness.md.")
        .default("closed")
        .effect(&[
            Rule::needs(
                Need::Not(Opt::Engine, &["explicit"]),
                "the explicit engine finds only loops that come back to a state",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["sat", "sat-states", "bdd"]),
                "the runs of a circuit come back to a state",
            ),
            LASSOS,
        ]),
    engine("complement", Opt::Complement, Kind::Choice(COMPLEMENTS))
        .value_name("COMPLEMENT")
        .help("How the automaton of a loop's rounds is complemented before it is subtracted (engine `trace`)")
        .default("ncsb")
        .effect(&[TRACE, LASSOS]),
    engine("approach", Opt::Approach, Kind::Choice(APPROACHES))
        .value_name("APPROACH")
        .help("Which abstract steps are looked at (engine `cegar`)")
        .more("See docs/abstractions.md.")
        .default("may")
        .effect(&[CEGAR]),
    engine("prune", Opt::Prune, Kind::Choice(PRUNINGS))
        .value_name("PRUNE")
        .help("What a refinement keeps of the explored abstraction (engine `cegar`)")
        .default("lazy")
        .effect(&[CEGAR, NOT_ZONES]),
    engine("symmetry", Opt::Symmetry, Kind::Choice(SYMMETRIES))
        .value_name("SYMMETRY")
        .help("Whether states that differ only in the order of copies count as one (engines `auto` and `explicit`)")
        .more(
            "Copies are variables whose names differ in a number, the values of an enumeration, or models of a composition. What is \
             exchanged is checked on the whole model and property; a copy that the property names stays where it is. See docs/symmetry.md.",
        )
        .default("auto")
        .effect(&[Rule::needs(
            Need::Is(Opt::Engine, &["auto", "explicit"]),
            "only engines that list states merge them",
        )]),
    engine("blocks", Opt::Blocks, Kind::Choice(BLOCKS))
        .value_name("BLOCKS")
        .help("How much of a program (CFA, C) or of a cycle (XSTS) is one step")
        .default("large")
        .effect(&[Rule::needs(
            Need::Program,
            "only a program or an XSTS by itself has steps to merge",
        )]),
    engine("slice", Opt::Slice, Kind::Choice(ON_OFF))
        .value_name("SLICE")
        .help("Leave out what cannot matter to the property: variables, constants, values that nothing tells apart")
        .default("on"),
    engine("clocks", Opt::Clocks, Kind::Choice(CLOCKS))
        .value_name("CLOCKS")
        .help("What becomes of counters that only grow, are reset and are compared with constants")
        .more("With `stop`, models in discrete time with timers have finitely many states; see docs/symmetry.md. Programs (CFA, C) keep their counters.")
        .default("stop"),
    engine("max-rounds", Opt::MaxRounds, COUNT)
        .help("The most rounds of a loop that `direct` unrolls to test a lasso (engine `cegar`)")
        .default("8")
        .effect(&[CEGAR, LASSOS]),
    engine("max-unrolling", Opt::MaxUnrolling, COUNT)
        .help(
            "The most rounds of a loop that `bounded-unrolling` unrolls; loops that need more are left to `direct`",
        )
        .default("100")
        .effect(&[
            CEGAR,
            Rule::needs(
                Need::Is(Opt::LassoRefinement, &["bounded-unrolling"]),
                "it is for `--lasso-refinement bounded-unrolling`",
            ),
            LASSOS,
        ]),
    engine("max-counterexamples", Opt::MaxCounterexamples, COUNT)
        .help("The most lassos that one exploration returns (engine `cegar`, search `full`)")
        .default("16")
        .effect(&[
            CEGAR,
            Rule::needs(Need::Is(Opt::Search, &["full"]), "it is for `--search full`"),
        ]),
    engine("max-states", Opt::MaxStates, COUNT)
        .help("The most states that are stored (engine `explicit`)")
        .otherwise("no limit")
        .effect(&[Rule::needs(
            Need::Is(Opt::Engine, &["explicit"]),
            "it is for `--engine explicit`",
        )]),
    engine("acceptance", Opt::Acceptance, Kind::Choice(ACCEPTANCES))
        .value_name("ACCEPTANCE")
        .help("The acceptance of the automaton of a temporal property")
        .default("tgba")
        .effect(&[Rule::needs(Need::Temporal, "the property needs no automaton")]),
    engine("check-interpolants", Opt::CheckInterpolants, Kind::Switch)
        .help("Check every interpolant for its defining properties (slow; for finding bugs)")
        .otherwise("no")
        .effect(&[CEGAR]),
    engine("record", Opt::Record, Kind::File)
        .help("Write what the solver is asked as SMT-LIB text")
        .otherwise("nothing is written")
        .effect(&[CEGAR]),
    limit("deadlock", Opt::Deadlock, Kind::Choice(DEADLOCKS))
        .value_name("HOW")
        .help("What becomes of a run in a state from which no step leads on; if not given, what the language means: `stutter` for GCL, else `ignore`")
        .otherwise("`stutter` for a GCL model, else `ignore`")
        .effect(&[Rule::needs(
            Need::Language(&[
                Language::Xsts,
                Language::Cfa,
                Language::Sts,
                Language::Gcl,
                Language::Smv,
                Language::Vmt,
                Language::Moxi,
            ]),
            "in this language nothing gets stuck: a run goes on, ends, or an assumption leaves it out",
        )]),
    limit("vacuity", Opt::Vacuity, Kind::Choice(VACUITIES))
        .value_name("HOW")
        .help("What is done after `holds` to find out whether the property says anything")
        .default("quick"),
    limit("timeout", Opt::Timeout, Kind::Time)
        .help("Give up after this time, for all properties together: `20s`, `5m`, `1h`, `500ms`")
        .more(
            "With several properties each gets a short first try, and what is left goes round: a hard one does not keep the \
             time from an easy one. It is kept to half a second or 5 %, whichever is more.",
        )
        .otherwise("no limit"),
    limit("timeout-per-property", Opt::TimeoutPerProperty, Kind::Time)
        .help("Give up on a property after this time; the others go on")
        .otherwise("no limit"),
    limit("memory", Opt::Memory, Kind::Size)
        .help("Give up when the process holds more memory: `500MiB`, `4GiB`; if not given, most of what is free")
        .otherwise("most of what is free"),
    limit("jobs", Opt::Jobs, COUNT)
        .help("How many engines of `--engine auto` may work at once; 0: as many as there are processors")
        .more(
            "With one the same input gives the same output; with several, whichever answers first decides which \
             counterexample is shown.",
        )
        .default("1")
        .effect(&[Rule::needs(
            Need::Is(Opt::Engine, &["auto"]),
            "it is for `--engine auto`",
        )]),
];

const fn reading(name: &'static str, opt: Opt, kind: Kind) -> Row {
    Row::new(opt, Section::Reading, name, kind)
}

const fn engine(name: &'static str, opt: Opt, kind: Kind) -> Row {
    Row::new(opt, Section::Engine, name, kind)
}

const fn limit(name: &'static str, opt: Opt, kind: Kind) -> Row {
    Row::new(opt, Section::Limits, name, kind)
}

const COUNT: Kind = Kind::Number(u64::MAX >> 1);

/// Zones track everything from the start.
const NOT_ZONES: Rule = Rule::needs(
    Need::Not(Opt::Domain, &["zones"]),
    "zones know everything from the start",
);

const CEGAR: Rule = Rule::needs(
    Need::Is(Opt::Engine, &["cegar"]),
    "it is for `--engine cegar`",
);
const TRACE: Rule = Rule::needs(
    Need::Is(Opt::Engine, &["trace"]),
    "it is for `--engine trace`",
);
const LASSOS: Rule = Rule::needs(Need::Temporal, "the property needs no lasso");
const FOR_C: Rule = Rule::needs(Need::Language(&[Language::C]), "it is for C programs");
const FOR_PROGRAMS: Rule = Rule::needs(
    Need::Language(&[Language::C, Language::St]),
    "it is for C programs and Structured Text",
);
const FOR_CONTROLLERS: Rule =
    Rule::needs(Need::Language(&[Language::St]), "it is for Structured Text");
const FOR_CHARTS: Rule = Rule::needs(Need::Language(&[Language::Scxml]), "it is for statecharts");
const FOR_GAMMA: Rule = Rule::needs(Need::Language(&[Language::Gamma]), "it is for Gamma");
const FOR_COMBINED: Rule = Rule::needs(
    Need::Is(Opt::Domain, COMBINED),
    "it is for the combined domains `expl-pred-…` and `value-pred-…`",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::row::Default;

    #[test]
    fn each_option_stands_at_its_number() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.opt as usize, at, "{}", row.name);
        }
    }

    #[test]
    fn rules_and_defaults_speak_of_values_that_exist() {
        let has =
            |row: &Row, value: &&str| row.choices().iter().any(|choice| choice.name == *value);
        for row in &TABLE {
            if let Default::Value(text) = row.default {
                assert!(row.kind.read(text).is_ok(), "{} = {text}", row.name);
            }
            for rule in row.effect {
                assert!(
                    rule.of.iter().all(|value| has(row, value)),
                    "{}: {rule:?}",
                    row.name
                );
                if let Need::Is(other, values) | Need::Not(other, values) = rule.need {
                    let ok = values.iter().all(|value| has(other.row(), value));
                    assert!(ok, "{}: {rule:?}", row.name);
                }
            }
        }
    }
}
