//! The values of the options that have a few of them, each with its help.

use super::row::Choice;

/// The domains that track values and predicates.
pub const COMBINED: &[&str] = &[
    "expl-pred-bool",
    "expl-pred-cart",
    "expl-pred-split",
    "value-pred-bool",
    "value-pred-cart",
    "value-pred-split",
];
/// The domains that have abstraction functions.
pub const WITH_FUNCTIONS: &[&str] = &[
    "value",
    "value-pred-bool",
    "value-pred-cart",
    "value-pred-split",
];
/// The domains that track values.
pub const WITH_VALUES: &[&str] = &[
    "expl",
    "expl-pred-bool",
    "expl-pred-cart",
    "expl-pred-split",
    "value",
    "value-pred-bool",
    "value-pred-cart",
    "value-pred-split",
];

pub const INTS: &[Choice] = &[
    Choice::new(
        "math",
        "Integers are mathematical; unsigned ones of C wrap around",
    ),
    Choice::new("bitprecise", "Two's complement of the declared width"),
];

pub const VOLATILE: &[Choice] = &[
    Choice::new("inputs", "Any value of its type, each time it is read"),
    Choice::new("ignore", "What the program stored last"),
];

pub const OBSERVED: &[Choice] = &[
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

pub const ENGINES: &[Choice] = &[
    Choice::new(
        "auto",
        "Explicit states on small finite models, circuits, then abstraction",
    ),
    Choice::new("cegar", "Abstraction refinement"),
    Choice::new(
        "trace",
        "Trace abstraction: subtracts sets of runs that cannot be executed, until no bad one is left",
    ),
    Choice::new("explicit", "All states of a finite model"),
    Choice::new(
        "bounded",
        "Short runs to a bad state, or with a loop that closes or grows by a rule: only refutes",
    ),
    Choice::new(
        "sat",
        "Models of truth values, bit-vectors, enumerations and bounded integers as circuits: short runs, and invariants that exclude all",
    ),
    Choice::new(
        "sat-states",
        "The same, state by state; the solver finds the successors: for many inputs and few latches",
    ),
    Choice::new(
        "bdd",
        "The same, by sets of states as decision diagrams: for many states of a regular kind",
    ),
];

pub const DOMAINS: &[Choice] = &[
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
    Choice::new(
        "value",
        "Classes of values: sign, remainder, interval and others, for each variable its own",
    ),
    Choice::new(
        "value-pred-bool",
        "As `expl-pred-bool`, and classes of values",
    ),
    Choice::new(
        "value-pred-cart",
        "As `expl-pred-cart`, and classes of values",
    ),
    Choice::new(
        "value-pred-split",
        "As `expl-pred-split`, and classes of values",
    ),
    Choice::new(
        "zones",
        "Bounds on clocks and their differences, the rest by value: for timed automata",
    ),
];

pub const PRECISIONS: &[Choice] = &[
    Choice::new("global", "Everywhere: fewer rounds"),
    Choice::new(
        "local",
        "At the location of the model where it was learned: fewer states",
    ),
];

pub const INITIAL: &[Choice] = &[
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

pub const PIECES: &[Choice] = &[
    Choice::new("whole", "One predicate"),
    Choice::new("conjuncts", "A predicate per conjunct"),
    Choice::new("atoms", "A predicate per atom"),
];

pub const SEARCHES: &[Choice] = &[
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

pub const REFINEMENTS: &[Choice] = &[
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

pub const RANKINGS: &[Choice] = &[
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
pub const RECURRENCES: &[Choice] = &[
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

pub const COMPLEMENTS: &[Choice] = &[
    Choice::new("ncsb", "As a semi-deterministic automaton: few states"),
    Choice::new(
        "rank",
        "As any Büchi automaton, by ranks: many states, to compare with",
    ),
];

pub const LASSO_REFINEMENTS: &[Choice] = &[
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

pub const APPROACHES: &[Choice] = &[
    Choice::new("may", "Steps that some state of a class can take"),
    Choice::new(
        "may-must",
        "Also whether every state of the class can: a loop of such steps is real at once, and where the two differ is refined",
    ),
];

pub const PRUNINGS: &[Choice] = &[
    Choice::new(
        "lazy",
        "All but the successors along the counterexample; searches do not enter again what they settled",
    ),
    Choice::new(
        "full",
        "Nothing: each round explores from the start under one precision",
    ),
];

pub const BLOCKS: &[Choice] = &[
    Choice::new("small", "Every statement is a step of its own"),
    Choice::new(
        "large",
        "Statements between the points that the property can see are one step",
    ),
];

pub const SYMMETRIES: &[Choice] = &[
    Choice::new(
        "auto",
        "Where copies of something were found that model and property treat alike",
    ),
    Choice::new("off", "Every state is explored"),
];

pub const CLOCKS: &[Choice] = &[
    Choice::new(
        "stop",
        "Beyond the largest constant that they are compared with they stay as they are",
    ),
    Choice::new("run", "They grow without end"),
];

pub const ON_OFF: &[Choice] = &[Choice::new("on", "Yes"), Choice::new("off", "No")];

pub const ACCEPTANCES: &[Choice] = &[
    Choice::new("tgba", "Generalized, on transitions"),
    Choice::new("tba", "One set of transitions"),
    Choice::new("ba", "One set of states"),
];

pub const DEADLOCKS: &[Choice] = &[
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

pub const VACUITIES: &[Choice] = &[
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
