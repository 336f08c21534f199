//! The table: every option of a check that can stand in a configuration file.
//!
//! The rules of an option are in the order in which they are asked, and the first that is not met is the error: what the
//! engine makes useless comes before what the property or the domain does.

use super::row::{Choice, Kind, Need, Row, Rule, Section};
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
    Observe,
    Engine,
    Domain,
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
    Prune,
    Blocks,
    Slice,
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
pub static TABLE: [Row; 38] = [
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
    engine("precision", Opt::Precision, Kind::Choice(PRECISIONS))
        .value_name("PRECISION")
        .help("Where what is learned from a counterexample applies (engine `cegar`)")
        .default("global")
        .effect(&[CEGAR]),
    engine("init-prec", Opt::InitPrec, Kind::Choice(INITIAL))
        .value_name("INIT_PREC")
        .help("What the first abstraction tracks (engine `cegar`)")
        .default("prop")
        .effect(&[
            CEGAR,
            Rule::of(
                &["ctrl", "allvars"],
                Need::Is(Opt::Domain, WITH_VALUES),
                "a predicate domain tracks no values; `expl` and `expl-pred-…` do",
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
        .help("Variables that are tracked by value from the start (domains `expl-pred-…`)")
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
            "Track a variable by value once this many predicates `v = c` were learned for it (domains `expl-pred-…`)",
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
                Need::Not(Opt::Domain, &["expl"]),
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
                "it is for the domains with values, `expl` and `expl-pred-…`",
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
                Need::Not(Opt::Engine, &["sat", "sat-states"]),
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
        .help("Which arguments are looked for that a loop cannot be repeated forever (engines `auto` and `cegar`)")
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
                Need::Not(Opt::Engine, &["sat", "sat-states"]),
                "a circuit has no measures",
            ),
            LASSOS,
        ]),
    engine("recurrence", Opt::Recurrence, Kind::Choice(RECURRENCES))
        .value_name("RECURRENCE")
        .help("Which runs are looked for that never repeat a state (engines `auto`, `cegar` and `bounded`)")
        .more("A counter that grows forever keeps a loop from closing; see docs/liveness.md.")
        .default("closed")
        .effect(&[
            Rule::needs(
                Need::Not(Opt::Engine, &["explicit"]),
                "the explicit engine finds only loops that come back to a state",
            ),
            Rule::needs(
                Need::Not(Opt::Engine, &["sat", "sat-states"]),
                "the runs of a circuit come back to a state",
            ),
            LASSOS,
        ]),
    engine("prune", Opt::Prune, Kind::Choice(PRUNINGS))
        .value_name("PRUNE")
        .help("What a refinement keeps of the explored abstraction (engine `cegar`)")
        .default("lazy")
        .effect(&[CEGAR]),
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
            Need::Language(&[Language::Xsts, Language::Cfa, Language::Sts, Language::Gcl]),
            "a C program never gets stuck, it ends or an assumption leaves the run out",
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

const CEGAR: Rule = Rule::needs(
    Need::Is(Opt::Engine, &["cegar"]),
    "it is for `--engine cegar`",
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
    "it is for the combined domains `expl-pred-…`",
);

const COMBINED: &[&str] = &["expl-pred-bool", "expl-pred-cart", "expl-pred-split"];
const WITH_VALUES: &[&str] = &[
    "expl",
    "expl-pred-bool",
    "expl-pred-cart",
    "expl-pred-split",
];

const INTS: &[Choice] = &[
    Choice::new(
        "math",
        "Integers are mathematical; unsigned ones of C wrap around",
    ),
    Choice::new("bitprecise", "Two's complement of the declared width"),
];

const VOLATILE: &[Choice] = &[
    Choice::new("inputs", "Any value of its type, each time it is read"),
    Choice::new("ignore", "What the program stored last"),
];

const OBSERVED: &[Choice] = &[
    Choice::new(
        "macro",
        "XSTS: only after `init` and after each `trans`, not after `env`",
    ),
    Choice {
        alias: "main-entry",
        ..Choice::new(
            "initial",
            "CFA and C: also the state in which the program starts",
        )
    },
];

const ENGINES: &[Choice] = &[
    Choice::new(
        "auto",
        "Explicit states on small finite models, circuits, then abstraction",
    ),
    Choice::new("cegar", "Abstraction refinement"),
    Choice::new("explicit", "All states of a finite model"),
    Choice::new(
        "bounded",
        "Short runs to a bad state, or with a loop that closes or grows by a rule: only refutes",
    ),
    Choice::new(
        "sat",
        "Models of truth values, bit-vectors and enumerations as circuits: short runs, and invariants that exclude all",
    ),
    Choice::new(
        "sat-states",
        "The same, state by state; the solver finds the successors: for many inputs and few latches",
    ),
];

const DOMAINS: &[Choice] = &[
    Choice::new(
        "expl",
        "Values of tracked variables: for control and for data with few values",
    ),
    Choice::new(
        "pred-bool",
        "Predicates, all combinations in one state: exact, with few and large states",
    ),
    Choice::new(
        "pred-cart",
        "Predicates, each on its own: the cheapest steps",
    ),
    Choice::new(
        "pred-split",
        "Predicates, one state for each combination: exact, with many small states",
    ),
    Choice::new(
        "expl-pred-bool",
        "Control by value, the rest as `pred-bool`",
    ),
    Choice::new(
        "expl-pred-cart",
        "Control by value, the rest as `pred-cart`: for controllers with counters or clocks",
    ),
    Choice::new(
        "expl-pred-split",
        "Control by value, the rest as `pred-split`",
    ),
];

const PRECISIONS: &[Choice] = &[
    Choice::new("global", "Everywhere: fewer rounds"),
    Choice::new(
        "local",
        "At the location of the model where it was learned: fewer states",
    ),
];

const INITIAL: &[Choice] = &[
    Choice::new("empty", "Nothing"),
    Choice::new("prop", "The atoms of the property, or their variables"),
    Choice::new("ctrl", "The control variables (domain `expl`)"),
    Choice::new("allvars", "All variables (domains with values)"),
    Choice::new(
        "allassumes",
        "The atoms of all conditions of the model, or their variables",
    ),
    Choice::new(
        "automaton",
        "The labels of the automaton, or their variables (temporal properties)",
    ),
];

const PIECES: &[Choice] = &[
    Choice::new("whole", "One predicate"),
    Choice::new("conjuncts", "A predicate per conjunct"),
    Choice::new("atoms", "A predicate per atom"),
];

const SEARCHES: &[Choice] = &[
    Choice::new(
        "scc",
        "Strongly connected components; stops at the first lasso there is",
    ),
    Choice::new("ndfs", "Nested depth first; needs less memory"),
    Choice::new(
        "gdfs",
        "As `scc`, but tries first what leads back to the stack",
    ),
    Choice::new("layers", "Breadth first; finds lassos near the start"),
    Choice::new(
        "full",
        "Explores everything and refines by many lassos at once",
    ),
    Choice::new("bfs", "Breadth first; finds shortest paths to bad states"),
    Choice::new("dfs", "Depth first, to bad states with many ways in"),
    Choice::new(
        "err-dist",
        "Towards the error location of a control-flow automaton",
    ),
];

const REFINEMENTS: &[Choice] = &[
    Choice::new(
        "seq-itp",
        "Sequence interpolation: a predicate at every step, which together exclude the path",
    ),
    Choice::new(
        "fw-bin-itp",
        "One interpolant, where the path first breaks seen from its start: cheap rounds, more of them",
    ),
    Choice::new(
        "bw-bin-itp",
        "One interpolant, where the path last breaks seen from its end: predicates close to the violation",
    ),
    Choice::new(
        "unsat-core",
        "The variables of an unsat core: no interpolation at all, for domains that track values",
    ),
    Choice::new(
        "newton",
        "Weakest preconditions over an unsat core: fast, and for every theory, but specific to the path",
    ),
    Choice::new(
        "path-program",
        "Inductive invariants of the loops that the path goes round: excludes it with any number of rounds",
    ),
];

const RANKINGS: &[Choice] = &[
    Choice::new(
        "off",
        "None: loops are excluded only where they cannot be executed",
    ),
    Choice::new(
        "guards",
        "Distances to the bounds in conditions, and numbers that the loop writes",
    ),
    Choice::new(
        "linear",
        "Also linear terms, in phases where needed, by linear programming",
    ),
];
const RECURRENCES: &[Choice] = &[
    Choice::new(
        "off",
        "None: a loop counts only if it comes back to a state",
    ),
    Choice::new(
        "geometric",
        "Runs whose numbers grow by a rule, as in 1, 3, 5, 7 … or 1, 2, 4, 8 …",
    ),
    Choice::new(
        "closed",
        "Also runs that never leave a set of states from which the loop can be taken",
    ),
];

const LASSO_REFINEMENTS: &[Choice] = &[
    Choice::new(
        "direct",
        "Unroll a few rounds, close, or tell the ends of the loop apart",
    ),
    Choice::new(
        "bounded-unrolling",
        "Unroll until the variables that can change have run out of values: decides finite loops without chasing \
         values; falls back to `direct` where values are unbounded or too many",
    ),
];

const PRUNINGS: &[Choice] = &[
    Choice::new(
        "lazy",
        "All but the successors along the counterexample; searches do not enter again what they settled",
    ),
    Choice::new(
        "full",
        "Nothing: each round explores from the start under one precision",
    ),
];

const BLOCKS: &[Choice] = &[
    Choice::new("small", "Every statement is a step of its own"),
    Choice::new(
        "large",
        "Statements between the points that the property can see are one step",
    ),
];

const ON_OFF: &[Choice] = &[Choice::new("on", "Yes"), Choice::new("off", "No")];

const ACCEPTANCES: &[Choice] = &[
    Choice::new("tgba", "Generalized, on transitions"),
    Choice::new("tba", "One set of transitions"),
    Choice::new("ba", "One set of states"),
];

const DEADLOCKS: &[Choice] = &[
    Choice::new("ignore", "It ends and refutes no formula"),
    Choice::new(
        "stutter",
        "It stays as it is for ever, and formulas speak of it too",
    ),
    Choice::new(
        "error",
        "It is an error: whether there is one is asked before the property",
    ),
];

const VACUITIES: &[Choice] = &[
    Choice::new("off", "Nothing"),
    Choice::new(
        "quick",
        "Notes on runs that end, on atoms that never change and on assumptions that are never true, as far as they are \
         found with little work",
    ),
    Choice::new(
        "full",
        "The same with all the time that is left, and parts of the formula that do not matter",
    ),
];

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
