//! `cargo xtask bench-explicit`: states per second and bytes per state of the explicit engine.
//!
//! Models of 16 variables, built here so that the measured work is the engine's alone. Each run has a
//! process of its own, whose peak memory therefore counts everything: states, hash table, the search's
//! own data. The baseline of the same run is the naive exploration by the reference interpreter into
//! a hash map. Every verdict is checked.

use lariat_base::Budget;
use lariat_check::{
    Bad, ExplicitConfig, ExplicitStats, Goal, Problem, Search, Verdict, check_explicit,
};
use lariat_expr::{Int, Op, TermId, Value, VarId};
use lariat_ltl::{Acceptance, Effort, Formulas, TranslateConfig, translate};
use lariat_system::{
    Context, Edge, Language, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};
use lariat_testkit::StateSpace;
use std::process::Command;
use std::sync::Arc;

/// Makes a model.
type Make = fn() -> Model;

const MODELS: [(&str, Make); 2] = [("counters", counters), ("tokens", tokens)];
/// Those that the explicit engine is made for.
const SEARCHES: [Search; 5] = [
    Search::Scc,
    Search::Ndfs,
    Search::Gdfs,
    Search::Bfs,
    Search::Dfs,
];
/// The naive exploration of so many states is the baseline.
const BASELINE: u32 = 20_000;

/// Measures everything, or (`MODEL SEARCH`) one run in this process.
pub fn run(args: &[String]) -> Result<(), String> {
    if let [model, search] = args {
        let (_, model) = MODELS
            .iter()
            .find(|(name, _)| name == model)
            .ok_or("unknown model")?;
        let search = search.parse().map_err(|error| format!("{error}"))?;
        println!("{}", measure(model(), search)?);
        return Ok(());
    }
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    println!(
        "{:<10}{:<6}{:>9}{:>10}{:>11}{:>10}{:>16}{:>20}",
        "model",
        "search",
        "states",
        "arcs",
        "states/s",
        "× naive",
        "packed bytes",
        "other bytes a state"
    );
    for (name, model) in MODELS {
        let naive = naive_speed(model());
        for search in SEARCHES {
            let output = Command::new(&program)
                .args(["bench-explicit", name, search.name()])
                .output()
                .map_err(|error| error.to_string())?;
            let line = String::from_utf8_lossy(&output.stdout).into_owned();
            let numbers: Vec<f64> = line
                .split_whitespace()
                .filter_map(|n| n.parse().ok())
                .collect();
            let [states, arcs, seconds, packed, peak] = numbers[..] else {
                return Err(String::from_utf8_lossy(&output.stderr).into_owned());
            };
            let speed = states / seconds;
            println!(
                "{name:<10}{:<6}{states:>9}{arcs:>10}{speed:>11.0}{:>10.0}{packed:>16}{:>20.1}",
                search.name(),
                speed / naive,
                peak / states - packed
            );
        }
    }
    Ok(())
}

/// States, arcs, seconds, bytes of a packed state and bytes of growth of one run.
fn measure(model: Model, search: Search) -> Result<String, String> {
    let Model {
        mut cx,
        system,
        invariant,
        before,
        never_after,
    } = model;
    let goal = if search.reach().is_some() {
        Goal::Reach(Bad {
            when: Some(cx.terms.not(invariant)),
            at: Vec::new(),
        })
    } else {
        never_next(before, never_after)?
    };
    let mut problem = Problem {
        system: Box::new(system),
        goal,
    };
    let config = ExplicitConfig {
        search: Some(search),
        ..ExplicitConfig::default()
    };
    let (mut stats, budget, idle) = (ExplicitStats::default(), Budget::unlimited(), peak_bytes());
    let start = cpu_seconds();
    let verdict = check_explicit(&mut cx, &mut problem, &config, &budget, &mut stats);
    let seconds = cpu_seconds() - start;
    if verdict != Verdict::Holds {
        return Err(format!("the property holds, not {verdict:?}"));
    }
    let ExplicitStats {
        states,
        arcs,
        bytes_per_state,
        ..
    } = stats;
    Ok(format!(
        "{states} {arcs} {seconds} {bytes_per_state} {}",
        peak_bytes() - idle
    ))
}

/// States per second of the naive exploration, as far as it is followed.
fn naive_speed(model: Model) -> f64 {
    let Model {
        mut cx, mut system, ..
    } = model;
    let start = cpu_seconds();
    let whole = StateSpace::explore(&mut cx, &mut system, BASELINE as usize);
    assert!(
        whole.is_none(),
        "the models are larger than the baseline's share"
    );
    f64::from(BASELINE) / (cpu_seconds() - start)
}

/// `G (before -> X !never_after)`, as its negation's automaton.
fn never_next(before: TermId, never_after: TermId) -> Result<Goal, String> {
    let mut formulas = Formulas::new();
    let (p, q) = (formulas.ap_named("before"), formulas.ap_named("after"));
    let not_q = formulas.not(q);
    let next = formulas.next(not_q);
    let step = formulas.implies(p, next);
    let formula = formulas.globally(step);
    let negated = formulas.not(formula);
    let config = TranslateConfig::new(Acceptance::Generalized, Effort::High);
    let automaton = translate(&mut formulas, negated, &config, &Budget::unlimited())
        .map_err(|error| format!("{error:?}"))?;
    let atom = |ap| match formulas.ap_name(ap) {
        "before" => before,
        _ => never_after,
    };
    Ok(Goal::Accept {
        atoms: automaton.aps().iter().map(|&ap| atom(ap)).collect(),
        automaton: Arc::new(automaton),
        formula: Some((Arc::new(formulas), formula)),
    })
}

/// The time that this thread has run: the engine is one thread, and other processes must not count.
fn cpu_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let running = schedule.split_whitespace().next();
    let nanoseconds = running.and_then(|n| n.parse::<f64>().ok());
    nanoseconds.expect("Linux tells how long a thread has run") / 1e9
}

/// The most memory that this process has held.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// A system and what is always true of it.
struct Model {
    cx: Context,
    system: System,
    /// Holds in every state.
    invariant: TermId,
    /// A state with `before` is never followed by one with `never_after`.
    before: TermId,
    never_after: TermId,
}

/// Four counters with three variables each that follow them: 40⁴ states, four successors each.
fn counters() -> Model {
    let mut cx = Context::new();
    let third = cx
        .terms
        .sorts
        .enumeration("Third", ["low", "middle", "high"]);
    let (bool_, int) = (cx.terms.sorts.bool(), cx.terms.sorts.int());
    let literal = |cx: &mut Context, n: u32| cx.terms.lit(Value::Enum(n), third);
    let (mut variables, mut edges) = (Vec::new(), Vec::new());
    for i in 0..4 {
        let name = |what: &str| format!("{what}{i}");
        let [count, rest] = ["count", "rest"].map(|what| cx.terms.declare(&name(what), int));
        let even = cx.terms.declare(&name("even"), bool_);
        let part = cx.terms.declare(&name("part"), third);
        let (zero, yes, low) = (cx.terms.int(0), cx.terms.true_(), literal(&mut cx, 0));
        variables.push(variable(count, zero, Some(39)));
        variables.push(variable(rest, zero, Some(3)));
        variables.push(variable(even, yes, None));
        variables.push(variable(part, low, None));
        let (c, one, size) = (cx.terms.var(count), cx.terms.int(1), cx.terms.int(40));
        let next = cx.terms.add(&[c, one]);
        let next = cx.terms.build(Op::Mod, &[next, size]).expect("integers");
        let four = cx.terms.int(4);
        let rest_value = cx.terms.build(Op::Mod, &[c, four]).expect("integers");
        let was_even = cx.terms.var(even);
        let odd = cx.terms.not(was_even);
        let (a, b) = (cx.terms.int(13), cx.terms.int(26));
        let (is_low, is_middle) = (cx.terms.lt(c, a), cx.terms.lt(c, b));
        let (middle, high) = (literal(&mut cx, 1), literal(&mut cx, 2));
        let upper = cx.terms.ite(is_middle, middle, high);
        let part_value = cx.terms.ite(is_low, low, upper);
        let step = [
            (count, next),
            (rest, rest_value),
            (even, odd),
            (part, part_value),
        ];
        edges.push(assign(&mut cx, &step));
    }
    let terms = &mut cx.terms;
    let (count, even, part) = (variables[0].var, variables[2].var, variables[3].var);
    let (two, zero, c) = (terms.int(2), terms.int(0), terms.var(count));
    let rest = terms.build(Op::Mod, &[c, two]).expect("integers");
    let is_even = terms.eq(rest, zero);
    let even = terms.var(even);
    let invariant = terms.eq(even, is_even);
    let (eleven, part) = (terms.int(11), terms.var(part));
    let before = terms.eq(c, eleven);
    let high = terms.lit(Value::Enum(2), third);
    let never_after = terms.eq(part, high);
    let system = system(&mut cx, variables, edges);
    Model {
        cx,
        system,
        invariant,
        before,
        never_after,
    }
}

/// Nine tokens move round a ring of sixteen places with room for three: up to nine successors each.
fn tokens() -> Model {
    let mut cx = Context::new();
    let int = cx.terms.sorts.int();
    let places: Vec<VarId> = (0..16)
        .map(|i| cx.terms.declare(&format!("place{i}"), int))
        .collect();
    let variables = places.iter().enumerate().map(|(i, &place)| {
        let full = cx.terms.int(if i < 3 { 3 } else { 0 });
        variable(place, full, Some(3))
    });
    let variables: Vec<Variable> = variables.collect();
    let mut edges = Vec::new();
    for i in 0..16 {
        let (from, to) = (places[i], places[(i + 1) % 16]);
        let terms = &mut cx.terms;
        let (a, b, zero, three) = (terms.var(from), terms.var(to), terms.int(0), terms.int(3));
        let guards = [terms.lt(zero, a), terms.lt(b, three)];
        let guard = terms.and(&guards);
        let (one, minus) = (terms.int(1), terms.int(-1));
        let step = [(from, terms.add(&[a, minus])), (to, terms.add(&[b, one]))];
        let assume = cx.stmts.add(Stmt::Assume(guard), None);
        let moved = assign(&mut cx, &step);
        edges.push(cx.stmts.seq(&[assume, moved], None));
    }
    let terms = &mut cx.terms;
    let all: Vec<TermId> = places.iter().map(|&place| terms.var(place)).collect();
    let (sum, nine) = (terms.add(&all), terms.int(9));
    let invariant = terms.eq(sum, nine);
    let (zero, two) = (terms.int(0), terms.int(2));
    let (before, never_after) = (terms.eq(all[0], zero), terms.eq(all[0], two));
    let system = system(&mut cx, variables, edges);
    Model {
        cx,
        system,
        invariant,
        before,
        never_after,
    }
}

/// A variable with an initial value and perhaps a range from zero.
fn variable(var: VarId, initial: TermId, high: Option<i64>) -> Variable {
    Variable {
        initial: Some(initial),
        range: high.map(|high| (Int::from(0), Int::from(high))),
        ..Variable::new(var)
    }
}

fn assign(cx: &mut Context, values: &[(VarId, TermId)]) -> StmtId {
    // Written last to first: no value reads a variable that is listed after its own.
    let mut parts = Vec::new();
    for &(var, value) in values.iter().rev() {
        parts.push(cx.stmts.add(Stmt::Assign(var, value), None));
    }
    cx.stmts.seq(&parts, None)
}

/// One location with an edge per statement, everything observed.
fn system(cx: &mut Context, variables: Vec<Variable>, steps: Vec<StmtId>) -> System {
    let mut builder = SystemBuilder::new(Language::Gcl, "bench");
    for variable in variables {
        builder.variable(variable);
    }
    let here = builder.location(Location::new("here"));
    builder.start(Edge::new(cx.stmts.skip(), here));
    for step in steps {
        builder.edge(here, Edge::new(step, here));
    }
    builder.finish(cx)
}
