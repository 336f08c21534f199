//! What is done to models before a check keeps verdicts: compared on random models of every language, and on
//! compositions of them, by the naive engine, which knows nothing of it.
//!
//! Random models have few constants and no values that nothing tells apart, so some are *seasoned* with both, and
//! with statements that spoil them.

use lariat_base::{Csr, SourceMap};
use lariat_expr::{Evaluator, SortId, TermId, Value, VarId};
use lariat_frontend::parse;
use lariat_ltl::Automaton;
use lariat_system::{
    Alternate, Composition, Context, Edge, Initial, Interleave, Language, Schedule, State, Stmt,
    StmtId, System, TransitionSystem, Valuation, Variable,
};
use lariat_testkit::{
    ModelGen, RandomQuestion, Rng, StateSpace, naive_accepts, random_question, rng,
};
use lariat_verify::pass::constants::propagate_constants;
use lariat_verify::pass::merge::{Merged, merge_values};
use lariat_verify::pass::relations::split_relations;
use lariat_verify::pass::slice::slice;
use rand::Rng as _;
use std::collections::BTreeSet;

const N_MODELS: u64 = 250;
const MAX_STATES: usize = 1_500;
/// The same for seasoned models, which are small ones with many states.
const N_SEASONED: u64 = 150;
const MAX_SEASONED: usize = 500;
/// What is seasoned.
const SMALL: ModelGen = ModelGen {
    size: 2,
    variables: 1,
    wild: false,
};

#[test]
fn reduced_models_have_the_same_verdicts() {
    for language in Language::ALL {
        let (mut n_compared, mut n_dropped, mut n_violated) = (0, 0, 0);
        for seed in 0..N_MODELS {
            let random = &mut rng(seed);
            let mut cx = Context::new();
            let text = ModelGen::default().model(language, random);
            let mut system = read(&mut cx, language, &text);
            let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_STATES) else {
                continue;
            };
            let RandomQuestion {
                automaton, atoms, ..
            } = random_question(&mut cx, &system, random, 2);
            let mut reduced = [system.clone()];
            split_relations(&mut cx, &mut reduced);
            n_dropped += slice(&mut cx, &mut reduced, &atoms).dropped.len();
            let [mut reduced] = reduced;
            let given = Judged::new(&cx, &system, &space, &atoms, &automaton);
            let small = StateSpace::explore(&mut cx, &mut reduced, MAX_STATES);
            let small = small.unwrap_or_else(|| panic!("{language:?}, seed {seed} grew:\n{text}"));
            let got = Judged::new(&cx, &reduced, &small, &atoms, &automaton);
            assert_eq!(got, given, "{language:?}, seed {seed}:\n{text}");
            n_compared += 1;
            n_violated += usize::from(given.accepts);
        }
        let told = format!(
            "{language:?}: {n_compared} compared, {n_dropped} dropped, {n_violated} violated"
        );
        assert!(n_compared > 50 && n_violated > 5, "{told}");
        assert!(n_dropped > 5 || language == Language::Sts, "{told}");
    }
}

#[test]
fn putting_constants_in_changes_no_step() {
    for language in Language::ALL {
        let (mut n_compared, mut n_constants) = (0, 0);
        for seed in 0..N_SEASONED {
            let random = &mut rng(seed);
            let mut cx = Context::new();
            let text = SMALL.model(language, random);
            let mut system = read(&mut cx, language, &text);
            season(&mut cx, &mut system, random);
            let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_SEASONED) else {
                continue;
            };
            let mut reduced = [system.clone()];
            split_relations(&mut cx, &mut reduced);
            let constants = propagate_constants(&mut cx, &mut reduced);
            let [mut reduced] = reduced;
            let new = StateSpace::explore(&mut cx, &mut reduced, MAX_SEASONED);
            let new = new.unwrap_or_else(|| panic!("{language:?}, seed {seed} grew:\n{text}"));
            assert_eq!(
                steps(&new),
                steps(&space),
                "{language:?}, seed {seed}:\n{text}"
            );
            for state in &space.states {
                for &(var, value) in &constants.values {
                    let mut env = Valuation::new();
                    state.load(system.variables(), &mut env);
                    let term = cx.terms.var(var);
                    let held = Evaluator::new().eval(&cx.terms, term, &env);
                    let held = held.expect("all variables have values");
                    let name = cx.terms.name(var);
                    assert_eq!(
                        Some(&held),
                        cx.terms.as_lit(value),
                        "{language:?}, seed {seed}, {name}:\n{text}"
                    );
                }
            }
            n_compared += 1;
            n_constants += constants.values.len();
        }
        let told = format!("{language:?}: {n_compared} compared, {n_constants} constants");
        assert!(n_compared > 50 && n_constants > 20, "{told}");
    }
}

#[test]
fn merged_values_leave_runs_of_the_model() {
    for language in Language::ALL {
        let (mut n_compared, mut n_merged, mut n_violated) = (0, 0, 0);
        for seed in 0..N_SEASONED {
            let random = &mut rng(seed);
            let mut cx = Context::new();
            let text = SMALL.model(language, random);
            let mut system = read(&mut cx, language, &text);
            season(&mut cx, &mut system, random);
            let Some(space) = StateSpace::explore(&mut cx, &mut system, MAX_SEASONED) else {
                continue;
            };
            let RandomQuestion {
                automaton, atoms, ..
            } = random_question(&mut cx, &system, random, 2);
            let mut reduced = [system.clone()];
            let merged = merge_values(&mut cx, &mut reduced, &atoms);
            let [mut reduced] = reduced;
            let small = StateSpace::explore(&mut cx, &mut reduced, MAX_SEASONED);
            let small = small.unwrap_or_else(|| panic!("{language:?}, seed {seed} grew:\n{text}"));
            let what = format!("{language:?}, seed {seed}, {merged:?}:\n{text}");
            // Every step of the new model is one of the given model as it stands.
            assert!(steps(&small).is_subset(&steps(&space)), "{what}");
            let given = Judged::new(&cx, &system, &space, &atoms, &automaton);
            let got = Judged::new(&cx, &reduced, &small, &atoms, &automaton);
            assert_eq!(got, given, "{what}");
            n_compared += 1;
            n_merged += usize::from(small.states.len() < space.states.len());
            n_violated += usize::from(given.accepts);
        }
        let told = format!(
            "{language:?}: {n_compared} compared, {n_merged} merged, {n_violated} violated"
        );
        assert!(n_compared > 50 && n_merged > 10 && n_violated > 5, "{told}");
    }
}

#[test]
fn all_reductions_together_keep_the_verdicts_of_compositions() {
    let (mut n_compared, mut n_violated) = (0, 0);
    let (mut n_constants, mut n_merged, mut n_shared) = (0, 0, 0);
    for seed in 0..4 * N_SEASONED {
        let random = &mut rng(seed);
        let mut cx = Context::new();
        let mut systems = Vec::new();
        let n_parts = random.random_range(1..4);
        for _ in 0..n_parts {
            let language = Language::ALL[random.random_range(0..Language::ALL.len())];
            let text = SMALL.model(language, random);
            let mut system = read(&mut cx, language, &text);
            if random.random_range(0..4) > 0 {
                season(&mut cx, &mut system, random);
            }
            systems.push(system);
        }
        let is_alternating = random.random();
        // Different first values of a shared variable are no composition.
        let Some(mut whole) = compose(&mut cx, &systems, is_alternating) else {
            continue;
        };
        let Some(space) = StateSpace::explore(&mut cx, &mut whole, MAX_SEASONED) else {
            continue;
        };
        let asked = random.random_range(0..systems.len());
        let RandomQuestion {
            automaton, atoms, ..
        } = random_question(&mut cx, &systems[asked], random, 2);
        let mut reduced = systems.clone();
        split_relations(&mut cx, &mut reduced);
        let constants = propagate_constants(&mut cx, &mut reduced);
        let put_in = |&atom: &TermId| constants.apply(&mut cx, atom);
        let new_atoms: Vec<TermId> = atoms.iter().map(put_in).collect();
        slice(&mut cx, &mut reduced, &new_atoms);
        let merged = merge_values(&mut cx, &mut reduced, &new_atoms);
        let small = compose(&mut cx, &reduced, is_alternating);
        let mut small = small.expect("what was composed once can be composed again");
        let states = StateSpace::explore(&mut cx, &mut small, MAX_SEASONED);
        let states = states.unwrap_or_else(|| panic!("seed {seed} grew"));
        let given = Judged::new(&cx, &whole, &space, &atoms, &automaton);
        let got = Judged::new(&cx, &small, &states, &new_atoms, &automaton);
        assert_eq!(got, given, "seed {seed}: {constants:?} {merged:?}");
        n_compared += 1;
        n_violated += usize::from(given.accepts);
        n_constants += usize::from(!constants.values.is_empty());
        n_merged += usize::from(!merged.is_empty());
        n_shared += usize::from(n_parts > 1);
    }
    let told = format!(
        "{n_compared} compared, {n_shared} of several parts, {n_violated} violated, \
         {n_constants} with constants, {n_merged} merged"
    );
    assert!(n_shared > 50 && n_violated > 20, "{told}");
    assert!(n_constants > 50 && n_merged > 20, "{told}");
}

#[test]
fn what_is_assigned_from_a_havoc_stays_behind_it() {
    let text = "var x : boolean = false\nvar y : boolean = false\nvar z : boolean = true\n\
                trans { havoc x; y := x; assume z; }\ninit {}\nenv {}\n";
    let mut cx = Context::new();
    let mut systems = [read(&mut cx, Language::Xsts, text)];
    let given = StateSpace::explore(&mut cx, &mut systems[0], 100).expect("a small model");
    split_relations(&mut cx, &mut systems);
    let got = StateSpace::explore(&mut cx, &mut systems[0], 100).expect("a small model");
    assert_eq!(steps(&got), steps(&given));
}

#[test]
fn a_relation_about_a_shared_variable_stays_one() {
    // The second part does not choose the first value of `b`, it only accepts some.
    let texts = [
        (
            Language::Xsts,
            "var b : boolean = false\ntrans {}\ninit {}\nenv {}\n",
        ),
        (
            Language::Sts,
            "specification S { system s := { var b : bool var c : bool initial b and (c iff b) \
             transition b' iff b transition c' iff c } }",
        ),
    ];
    let mut cx = Context::new();
    let mut systems = texts.map(|(language, text)| read(&mut cx, language, text));
    split_relations(&mut cx, &mut systems);
    let mut whole = compose(&mut cx, &systems, false).expect("one first value");
    let space = StateSpace::explore(&mut cx, &mut whole, 100).expect("a small model");
    assert_eq!(space.states.len(), 0);
}

/// The constants of XSTS that run together.
fn constants(parts: &[&str]) -> String {
    let mut cx = Context::new();
    let rest = "\nenv {}\n";
    let read = |part: &&str| read(&mut cx, Language::Xsts, &format!("{part}{rest}"));
    let mut systems: Vec<System> = parts.iter().map(read).collect();
    let found = propagate_constants(&mut cx, &mut systems);
    let show = |&(var, value): &(VarId, TermId)| {
        let value = cx.terms.as_lit(value).expect("a constant is a literal");
        let value = value.display(&cx.terms.sorts, cx.terms.var_sort(var));
        format!("{} = {value}", cx.terms.name(var))
    };
    found.values.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_constant_and_what_is_not() {
    let k = |trans: &str| {
        constants(&[&format!(
            "var k : integer = 2\nvar j : integer = 2\nvar x : integer = 0\n\
             trans {{ x := x + 1; {trans} }}\ninit {{}}"
        )])
    };
    assert_eq!(k(""), "k = 2, j = 2");
    assert_eq!(k("k := 2; j := 2;"), "k = 2, j = 2");
    // Each is constant because the other one is.
    assert_eq!(k("k := j; j := k * k - k;"), "k = 2, j = 2");
    // Another value that nobody sees after the step.
    assert_eq!(k("k := 3; x := k; k := 2;"), "k = 2, j = 2");
    // A branch that is never taken, a step that never happens.
    assert_eq!(k("if (j == 3) { k := 3; }"), "k = 2, j = 2");
    assert_eq!(k("k := 3; assume j > 2;"), "k = 2, j = 2, x = 0");
    // Written, in some run.
    assert_eq!(k("k := k + 1;"), "j = 2");
    assert_eq!(k("k := x; j := k;"), "");
    assert_eq!(k("havoc k;"), "j = 2");
    assert_eq!(k("havoc k; assume k == 2;"), "j = 2");
    assert_eq!(k("if (x == 9) { k := 3; }"), "j = 2");
    assert_eq!(k("choice { k := 2; } or { k := 1; }"), "j = 2");
    assert_eq!(k("for i from 0 to x do { k := i; }"), "j = 2");
    // No value, different values, or an array to start with.
    assert_eq!(constants(&["var k : integer\ntrans {}\ninit {}"]), "");
    let branches = "trans {}\ninit { k := 1; } or { k := 2; }";
    assert_eq!(constants(&[&format!("var k : integer\n{branches}")]), "");
    let branches = "trans {}\ninit { k := 1; } or { k := 1; }";
    assert_eq!(
        constants(&[&format!("var k : integer\n{branches}")]),
        "k = 1"
    );
    let array = "var a : [integer] -> integer = [<integer>default <- 0]\ntrans {}\ninit {}";
    assert_eq!(constants(&[array]), "");
}

#[test]
fn a_shared_variable_is_constant_for_all_parts() {
    let first = "var k : integer = 2\nvar own : integer = 1\ntrans {}\ninit {}";
    let other = |trans: &str, init: &str| {
        let text = format!("var k : integer\ntrans {{ {trans} }}\ninit {{ {init} }}");
        constants(&[first, &text])
    };
    assert_eq!(other("", ""), "k = 2, own = 1");
    assert_eq!(other("k := 2;", "k := 2;"), "k = 2, own = 1");
    assert_eq!(other("k := 3;", ""), "own = 1");
    assert_eq!(other("", "k := 3;"), "own = 1");
    assert_eq!(other("", "havoc k;"), "own = 1");
    // What reads a shared variable while the parts start may read what another part wrote.
    let reader = "var k : integer = 2\nvar copy : integer\ntrans {}\ninit { copy := k; }";
    let writer = "var k : integer = 2\ntrans {}\ninit { k := 3; }";
    assert_eq!(constants(&[writer, reader]), "");
}

/// The merged values of an XSTS with an enumeration `E { a, b, c, d }`, an input `m` and a store `n` of it.
fn merged(rest: &str, atom: Option<&str>) -> String {
    let text = format!(
        "type E : {{ a, b, c, d }}\nvar m : E\nvar n : E = E.a\nvar p : boolean = false\n{rest}\n\
         init {{}}\nenv {{ havoc m; }}\n"
    );
    let mut cx = Context::new();
    let mut systems = [read(&mut cx, Language::Xsts, &text)];
    let atoms: Vec<TermId> = atom
        .map(|literal| {
            let m = systems[0].variables[0].var;
            let sort = cx.terms.var_sort(m);
            let decl = cx.terms.sorts.as_enum(sort).expect("an enumeration");
            let literal = decl.position(literal).expect("a literal");
            let literal = cx.terms.lit(Value::Enum(literal), sort);
            let m = cx.terms.var(m);
            cx.terms.eq(m, literal)
        })
        .into_iter()
        .collect();
    let found = merge_values(&mut cx, &mut systems, &atoms);
    let show = |merged: &Merged| {
        let decl = cx.terms.sorts.as_enum(merged.sort).expect("an enumeration");
        let literal = |at: &u32| decl.literals[*at as usize].to_string();
        let others: Vec<String> = merged.others.iter().map(literal).collect();
        format!("{} for {}", literal(&merged.kept), others.join(", "))
    };
    found.iter().map(show).collect::<Vec<_>>().join("; ")
}

#[test]
fn what_is_merged_and_what_is_not() {
    assert_eq!(merged("trans { n := m; }", None), "b for c, d");
    assert_eq!(
        merged("trans { if (m == E.b) { p := true; } }", None),
        "c for d"
    );
    assert_eq!(
        merged("trans { n := (if p then m else E.d); }", None),
        "b for c"
    );
    // The property mentions one.
    assert_eq!(merged("trans { n := m; }", Some("c")), "b for d");
    // Only one is left that nobody mentions.
    assert_eq!(merged("trans { n := E.b; assume m != E.c; }", None), "");
    // Two variables, or two values that were selected, are compared.
    assert_eq!(merged("trans { p := (m == n); }", None), "");
    assert_eq!(
        merged("trans { p := ((if p then m else E.a) == n); }", None),
        ""
    );
    // Arrays tell their indices and their elements apart.
    assert_eq!(
        merged("var f : [E] -> integer\ntrans { f[m] := 1; }", None),
        ""
    );
    assert_eq!(
        merged("var f : [integer] -> E\ntrans { n := m; }", None),
        ""
    );
}

/// What the naive engine says: about an automaton, and about each atom as a bad state.
#[derive(PartialEq, Eq, Debug)]
struct Judged {
    accepts: bool,
    reaches: Vec<bool>,
}

impl Judged {
    fn new(
        cx: &Context,
        system: &dyn TransitionSystem,
        space: &StateSpace,
        atoms: &[TermId],
        automaton: &Automaton,
    ) -> Self {
        let letters = space.letters(cx, system, atoms);
        let only = |bit: usize| letters.iter().map(|l| l >> bit & 1).collect::<Vec<_>>();
        let reaches = |bit: usize| space.reaches(system, &only(bit), &[]);
        Self {
            accepts: naive_accepts(space, &letters, automaton),
            reaches: (0..atoms.len()).map(reaches).collect(),
        }
    }
}

/// The steps of a state space by the states themselves, the initial ones from nowhere.
fn steps(space: &StateSpace) -> BTreeSet<String> {
    let show = |from: Option<&State>, (to, observed): (usize, bool)| {
        format!("{from:?} {:?} {observed}", space.states[to])
    };
    let initial = space.initial.iter().map(|&step| show(None, step));
    let others = space.steps.iter().enumerate().flat_map(|(from, steps)| {
        steps
            .iter()
            .map(move |&step| show(Some(&space.states[from]), step))
    });
    initial.chain(others).collect()
}

fn read(cx: &mut Context, language: Language, text: &str) -> System {
    let mut sources = SourceMap::new();
    let source = sources.add("random", text);
    match parse(cx, language, source, sources.file(source)) {
        Ok(parsed) => parsed.system,
        Err(findings) => panic!("a random model is wrong: {findings:?}\n{text}"),
    }
}

fn compose(
    cx: &mut Context,
    systems: &[System],
    is_alternating: bool,
) -> Option<Composition<'static>> {
    let n_parts = systems.len() as u32;
    let schedule: Box<dyn Schedule> = if is_alternating {
        Box::new(Alternate { n_parts })
    } else {
        Box::new(Interleave { n_parts })
    };
    let part = |system: &System| -> Box<dyn TransitionSystem> { Box::new(system.clone()) };
    Composition::new(cx, systems.iter().map(part).collect(), schedule).ok()
}

/// What is added to a model: an enumeration with more literals than are mentioned, an input and a store of it, and
/// two integers that perhaps never change.
struct Seasoning {
    sort: SortId,
    messages: [VarId; 2],
    local: VarId,
    numbers: [VarId; 2],
    flag: VarId,
}

/// Adds variables to a system, and to some of its steps statements about them.
fn season(cx: &mut Context, system: &mut System, random: &mut Rng) {
    let literals = ["l0", "l1", "l2", "l3", "l4"];
    let sort = cx.terms.sorts.enumeration("Message", literals);
    let (int, bool_) = (cx.terms.sorts.int(), cx.terms.sorts.bool());
    let seasoning = Seasoning {
        sort,
        messages: ["m0", "m1"].map(|name| cx.terms.declare(name, sort)),
        local: cx.terms.declare_instance("m", sort, 1),
        numbers: ["k0", "k1"].map(|name| cx.terms.declare(name, int)),
        flag: cx.terms.declare("flag", bool_),
    };
    let (no, two) = (cx.terms.false_(), cx.terms.int(2));
    let store = match random.random_range(0..3) {
        0 => None,
        i => Some(cx.terms.lit(Value::Enum(i), sort)),
    };
    let number = (random.random_range(0..4) > 0).then_some(two);
    let k0 = cx.terms.var(seasoning.numbers[0]);
    let new = [
        (seasoning.messages[0], None),
        (seasoning.messages[1], store),
        (seasoning.numbers[0], Some(two)),
        (seasoning.numbers[1], number.map(|_| k0)),
        (seasoning.flag, Some(no)),
    ];
    for (var, initial) in new {
        system.variables.push(Variable {
            initial,
            ..Variable::new(var)
        });
    }
    let mut branches = Vec::new();
    for branch in system.initial.branches() {
        let mut parts = vec![branch.stmt];
        if number.is_none() {
            let k1 = seasoning.numbers[1];
            parts.push(cx.stmts.add(Stmt::Assign(k1, two), None));
        }
        if random.random_range(0..3) == 0 {
            parts.push(seasoning.statement(cx, random, 1));
        }
        let stmt = cx.stmts.seq(&parts, None);
        branches.push(Edge { stmt, ..*branch });
    }
    system.initial = Initial::new(cx, &system.variables, branches);
    let mut rows: Vec<Vec<Edge>> = Vec::new();
    for (_, row) in system.edges.rows() {
        let mut new_row = Vec::new();
        for edge in row {
            let mut parts = vec![edge.stmt];
            for _ in 0..random.random_range(0..4) {
                parts.push(seasoning.statement(cx, random, 2));
            }
            let stmt = cx.stmts.seq(&parts, None);
            new_row.push(Edge { stmt, ..*edge });
        }
        rows.push(new_row);
    }
    system.edges = Csr::from_rows(rows);
}

impl Seasoning {
    fn statement(&self, cx: &mut Context, random: &mut Rng, depth: usize) -> StmtId {
        let [input, store] = self.messages;
        let [k0, k1] = self.numbers;
        let stmt = match random.random_range(0..14) {
            0 | 1 => Stmt::Havoc(input),
            2 => Stmt::Assign(store, cx.terms.var(input)),
            3 => {
                let l1 = cx.terms.lit(Value::Enum(1), self.sort);
                Stmt::Assign(store, l1)
            }
            4 => {
                // A local one is read in the same block.
                let declare = cx.stmts.add(Stmt::Declare(self.local, None), None);
                let local = cx.terms.var(self.local);
                let assign = cx.stmts.add(Stmt::Assign(store, local), None);
                return cx.stmts.seq(&[declare, assign], None);
            }
            5 => Stmt::Assign(k0, cx.terms.var(k1)),
            6 => Stmt::Assign(k1, cx.terms.var(k0)),
            7 => Stmt::Assign(k0, cx.terms.int(2)),
            8 => {
                // A value that is gone before the step ends.
                let three = cx.terms.int(3);
                let (there, back) = (Stmt::Assign(k0, three), cx.terms.int(2));
                let parts = [
                    cx.stmts.add(there, None),
                    self.statement(cx, random, depth.saturating_sub(1)),
                    cx.stmts.add(Stmt::Assign(k0, back), None),
                ];
                return cx.stmts.seq(&parts, None);
            }
            // What spoils it, now and then.
            9 if random.random_range(0..4) == 0 => Stmt::Havoc(k1),
            9 => Stmt::Assign(self.flag, self.condition(cx, random)),
            10 if depth > 0 => {
                let condition = self.condition(cx, random);
                let then = self.statement(cx, random, depth - 1);
                let otherwise = self.statement(cx, random, depth - 1);
                Stmt::If(condition, then, otherwise)
            }
            11 if depth > 0 => {
                let branches = [
                    self.statement(cx, random, depth - 1),
                    self.statement(cx, random, depth - 1),
                ];
                return cx.stmts.choice(&branches, None);
            }
            12 if depth > 0 => {
                let int = cx.terms.sorts.int();
                let var = cx.terms.declare_instance("i", int, 1);
                let (from, to) = (cx.terms.int(0), cx.terms.var(k0));
                let body = self.statement(cx, random, depth - 1);
                Stmt::For {
                    var,
                    from,
                    to,
                    body,
                }
            }
            _ => Stmt::Assume(self.condition(cx, random)),
        };
        cx.stmts.add(stmt, None)
    }

    fn condition(&self, cx: &mut Context, random: &mut Rng) -> TermId {
        let message = self.messages[random.random_range(0..2)];
        let number = self.numbers[random.random_range(0..2)];
        let term = match random.random_range(0..12) {
            0..5 => {
                let literal = random.random_range(0..2);
                let literal = cx.terms.lit(Value::Enum(literal), self.sort);
                let message = cx.terms.var(message);
                cx.terms.eq(message, literal)
            }
            // This tells all values apart.
            5 if random.random_range(0..3) == 0 => {
                let [left, right] = self.messages.map(|var| cx.terms.var(var));
                cx.terms.eq(left, right)
            }
            6 => cx.terms.var(self.flag),
            _ => {
                let value = cx.terms.int(random.random_range(2..4));
                let number = cx.terms.var(number);
                cx.terms.eq(number, value)
            }
        };
        if random.random() {
            cx.terms.not(term)
        } else {
            term
        }
    }
}
