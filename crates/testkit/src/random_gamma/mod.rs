//! Random Gamma models, as text and as data, and an interpreter of the data.
//!
//! The interpreter shares nothing with the front end: it has sets of active states and remembers what was left, where the
//! front end has a variable for each region; it walks from node to node, where the front end makes statements. What a rule
//! leaves open is a choice, and both must have the same set of outcomes in each cycle.

mod draw;
mod interpret;
mod print;

use interpret::{Choices, World};
use lariat_base::SourceMap;
use lariat_expr::{Env as _, Int, Value, VarId};
use lariat_frontend::{GammaFile, GammaReading, Time, parse_gamma};
use lariat_system::{
    Blocked, Chart, Context, Decide, Executor, StmtId, System, Valuation, active_states,
};
use rand::Rng as _;
use std::collections::BTreeMap;

/// How long a cycle takes, in milliseconds.
const PERIOD: i64 = 2;

/// The most outcomes of a cycle that are compared.
const MAX_OUTCOMES: usize = 200;

/// A model: statecharts, one or several in a composition.
#[derive(Clone, Debug)]
struct Gamma {
    charts: Vec<GammaChart>,
    /// Whether the charts step at the same time; otherwise one after another.
    sync: bool,
    /// In which order they run.
    order: Vec<usize>,
    /// Which chart hears which: from, to.
    links: Vec<(usize, usize)>,
}

#[derive(Clone, Debug, Default)]
struct GammaChart {
    bottom_up: bool,
    /// None: any; false: by order; true: by value.
    by_value: Option<bool>,
    unordered: bool,
    early: bool,
    regions: Vec<Reg>,
    states: Vec<Sta>,
    nodes: Vec<Via>,
    arcs: Vec<Tra>,
    joins: Vec<Joi>,
}

#[derive(Clone, Debug)]
struct Reg {
    parent: Option<usize>,
    states: Vec<usize>,
    entry: Entry,
    first: usize,
    first_acts: Vec<Do>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    Initial,
    Shallow,
    Deep,
}

#[derive(Clone, Debug)]
struct Sta {
    region: usize,
    regions: Vec<usize>,
    entry: Vec<Do>,
    exit: Vec<Do>,
}

/// A choice, or (with one branch and no guard) a merge.
#[derive(Clone, Debug)]
struct Via {
    region: usize,
    is_merge: bool,
    branches: Vec<Tra>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    State(usize),
    Via(usize),
    /// The history of a region.
    Memory(usize),
}

#[derive(Clone, Debug)]
struct Tra {
    from: Place,
    to: Place,
    /// More targets, in other regions of the same state: it goes through a fork.
    more: Vec<usize>,
    on: On,
    guard: If,
    acts: Vec<Do>,
    value: i64,
}

#[derive(Clone, Debug)]
struct Joi {
    region: usize,
    from: Vec<usize>,
    to: usize,
    acts: Vec<Do>,
}

#[derive(Clone, Debug)]
enum On {
    Cycle,
    A,
    B,
    Any,
    Timeout,
    NotA,
    Both,
    AOrTimeout,
}

#[derive(Clone, Debug)]
enum If {
    Yes,
    Else,
    Less(i64),
    Is(i64),
    Flag,
    NotFlag,
    In(usize),
    Param,
}

#[derive(Clone, Debug)]
enum Do {
    Add(i64),
    Flip,
    A,
    B,
    Set(i64),
    Off,
    IfLess(i64, i64, i64),
    Take,
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct GammaTally {
    /// Cycles with the same outcomes.
    pub agreed: usize,
    /// Outcomes of these.
    pub outcomes: usize,
    /// Runs that ended since nothing was possible, on both sides.
    pub stuck: usize,
}

/// Plays a random model and compares; what differs, with its text.
pub fn compare_gamma(seed: u64) -> Result<GammaTally, String> {
    let mut rng = crate::rng(seed);
    let model = draw::draw(&mut rng);
    let text = print::text(&model);
    compare(&model, &text, &mut rng).map_err(|why| format!("seed {seed}: {why}\n{text}"))
}

/// The text of a random model.
pub fn random_gamma(seed: u64) -> String {
    print::text(&draw::draw(&mut crate::rng(seed)))
}

fn compare(model: &Gamma, text: &str, rng: &mut crate::Rng) -> Result<GammaTally, String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("random.gcd", text.to_owned());
    let file = GammaFile {
        source,
        file: sources.file(source),
        imports: Vec::new(),
    };
    let reading = GammaReading {
        time: Time::Fixed(PERIOD as u32),
        ..GammaReading::default()
    };
    let system = parse_gamma(&mut cx, &[file], &reading)
        .map_err(|findings| format!("refused: {}", findings[0].message))?
        .system;
    let chart = system.chart.clone().ok_or("no chart")?;
    let mut tally = GammaTally::default();
    let (mut ours, mut theirs): (Option<Valuation>, Option<World>) = (None, None);
    for cycle in 0..10 {
        let inputs: Vec<[i64; 3]> = model
            .charts
            .iter()
            .map(|_| {
                let b = i64::from(rng.random_bool(0.5));
                [
                    i64::from(rng.random_bool(0.5)),
                    b,
                    b * rng.random_range(0..6),
                ]
            })
            .collect();
        let mine = our_outcomes(&cx, &system, &chart, ours.as_ref(), &inputs, model);
        let other = World::outcomes(model, theirs.as_ref(), &inputs, MAX_OUTCOMES);
        let (Some(mine), Some(other)) = (mine, other) else {
            return Ok(tally);
        };
        let keys: Vec<&String> = mine.keys().collect();
        let wanted: Vec<&String> = other.keys().collect();
        if keys != wanted {
            return Err(format!(
                "cycle {cycle}, inputs {inputs:?}:\nours        {keys:#?}\ninterpreter {wanted:#?}"
            ));
        }
        if keys.is_empty() {
            tally.stuck += 1;
            return Ok(tally);
        }
        tally.agreed += 1;
        tally.outcomes += keys.len();
        let at = rng.random_range(0..keys.len());
        let key = keys[at].clone();
        ours = mine.get(&key).cloned();
        theirs = other.get(&key).cloned();
    }
    Ok(tally)
}

/// The name of something of a chart.
fn named(model: &Gamma, chart: usize, name: &str) -> String {
    if model.charts.len() == 1 {
        name.to_owned()
    } else {
        format!("p{chart}.{name}")
    }
}

/// All states after a cycle of the system, by what they show; nothing if there are too many.
fn our_outcomes(
    cx: &Context,
    system: &System,
    chart: &Chart,
    before: Option<&Valuation>,
    inputs: &[[i64; 3]],
    model: &Gamma,
) -> Option<BTreeMap<String, Valuation>> {
    let stmt = match before {
        None => system.initial.first()?.stmt,
        Some(_) => system.edges.row(chart.waiting)[0].stmt,
    };
    let mut all = BTreeMap::new();
    let mut given: BTreeMap<String, i64> = BTreeMap::new();
    for (at, [a, b, v]) in inputs.iter().enumerate() {
        // An input of the system is the chart's own if it is heard once in a cycle.
        for port in [named(model, at, "inp"), format!("in{at}")] {
            given.insert(format!("{port}.a"), *a);
            given.insert(format!("{port}.b"), *b);
            given.insert(format!("{port}.b.v"), *v);
        }
    }
    let mut choices = Choices::default();
    for _ in 0..MAX_OUTCOMES {
        let mut env = before.cloned().unwrap_or_default();
        let mut decide = Given {
            choices: &mut choices,
            given: &given,
        };
        if Executor::new().run(cx, stmt, &mut env, &mut decide).is_ok() {
            all.insert(show(cx, system, chart, &env), env);
        }
        if !choices.next() {
            return Some(all);
        }
    }
    None
}

/// The active states, the data and what was sent.
fn show(cx: &Context, system: &System, chart: &Chart, env: &Valuation) -> String {
    let is_state = |name: &str| {
        let own = name.rsplit('.').next().unwrap_or(name);
        own.starts_with('S') && own[1..].parse::<usize>().is_ok()
    };
    let mut parts: Vec<String> = active_states(cx, chart, env)
        .into_iter()
        .map(|at| chart.states[at].name.to_string())
        .filter(|name| is_state(name))
        .collect();
    for variable in &system.variables {
        let name = cx.terms.name(variable.var);
        let own = name.split_once('.').map_or(name, |(part, rest)| {
            if part.starts_with('p') && part[1..].parse::<usize>().is_ok() {
                rest
            } else {
                name
            }
        });
        if matches!(own, "x" | "f" | "t" | "outp.a" | "outp.b" | "outp.b.v") {
            let value = match env.value(variable.var) {
                Some(Value::Bool(value)) => i64::from(*value),
                Some(Value::Int(value)) => value.to_i64().unwrap_or(i64::MIN),
                _ => i64::MIN,
            };
            parts.push(format!("{name}={value}"));
        }
    }
    parts.sort();
    parts.join(" ")
}

struct Given<'a> {
    choices: &'a mut Choices,
    given: &'a BTreeMap<String, i64>,
}

impl Decide for Given<'_> {
    fn branch(&mut self, _: &Context, _: StmtId, n: usize) -> Result<usize, Blocked> {
        Ok(self.choices.pick(n))
    }

    fn value(&mut self, cx: &Context, _: StmtId, var: VarId) -> Result<Value, Blocked> {
        let name = cx.terms.name(var);
        let value = self.given.get(name).copied().unwrap_or(0);
        Ok(if cx.terms.var_sort(var) == cx.terms.sorts.bool() {
            Value::Bool(value != 0)
        } else {
            Value::Int(Int::from(value))
        })
    }
}
