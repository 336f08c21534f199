//! Random Gamma models, as text and as data, and an interpreter of the data.
//!
//! The interpreter shares nothing with the front end: it has sets of active states and remembers what was left, where the
//! front end has a variable for each region; it walks from node to node, where the front end makes statements. What a rule
//! leaves open is a choice, and both must have the same set of outcomes in each cycle.

mod draw;
mod interpret;
mod print;
mod queues;

use interpret::{Choices, World};
use lariat_base::SourceMap;
use lariat_expr::{Env as _, Int, Value, VarId};
use lariat_frontend::{GammaFile, GammaReading, Time, parse_gamma};
use lariat_system::{
    Blocked, Chart, Context, Decide, Executor, StmtId, System, Valuation, active_states,
};
use queues::{Adapter, MESSAGES, Message, draw_messages};
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
    kind: Kind,
    /// In which order they run.
    order: Vec<usize>,
    /// Which chart hears which: from, to.
    links: Vec<(usize, usize)>,
    /// What stands around each chart in an asynchronous composition.
    adapters: Vec<Adapter>,
    /// How many messages come to a queue before a cycle.
    burst: u32,
}

/// How the charts run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// There is only one.
    Alone,
    /// All at the same time.
    Sync,
    /// One after another.
    Cascade,
    /// Adapters, one after another.
    Scheduled,
    /// Adapters, any one of them.
    Async,
}

impl Gamma {
    fn is_async(&self) -> bool {
        matches!(self.kind, Kind::Scheduled | Kind::Async)
    }
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
        messages: Some(model.burst),
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
        let messages = draw_messages(model, rng);
        let comes = Comes {
            inputs: &inputs,
            messages: &messages,
        };
        let mine = our_outcomes(&cx, &system, &chart, ours.as_ref(), comes, model);
        let other = World::outcomes(model, theirs.as_ref(), comes, MAX_OUTCOMES);
        let (Some(mine), Some(other)) = (mine, other) else {
            return Ok(tally);
        };
        let keys: Vec<&String> = mine.keys().collect();
        let wanted: Vec<&String> = other.keys().collect();
        if keys != wanted {
            return Err(format!(
                "cycle {cycle}, inputs {inputs:?}, messages {messages:?}:\nours        {keys:#?}\ninterpreter {wanted:#?}"
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

/// What comes before a cycle: for each chart whether its two events are there, with a parameter; or messages.
#[derive(Clone, Copy)]
struct Comes<'a> {
    inputs: &'a [[i64; 3]],
    messages: &'a [Message],
}

/// The name of something of a chart.
fn named(model: &Gamma, chart: usize, name: &str) -> String {
    if model.kind == Kind::Alone {
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
    comes: Comes<'_>,
    model: &Gamma,
) -> Option<BTreeMap<String, Valuation>> {
    let stmt = match before {
        None => system.initial.first()?.stmt,
        Some(_) => system.edges.row(chart.waiting)[0].stmt,
    };
    let mut all = BTreeMap::new();
    let mut given: BTreeMap<String, i64> = BTreeMap::new();
    for (at, [a, b, v]) in comes.inputs.iter().enumerate() {
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
            values: &given,
            chart,
            messages: comes.messages,
            is_sent: vec![false; comes.messages.len()],
            value: 0,
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
        let is_queue = own.starts_with(['q']);
        if is_queue || matches!(own, "x" | "f" | "t" | "outp.a" | "outp.b" | "outp.b.v") {
            let value = match env.value(variable.var) {
                Some(Value::Bool(value)) => i64::from(*value),
                Some(Value::Enum(value)) => i64::from(*value),
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
    values: &'a BTreeMap<String, i64>,
    chart: &'a Chart,
    messages: &'a [Message],
    is_sent: Vec<bool>,
    /// The parameter of the message that was sent last.
    value: i64,
}

impl Given<'_> {
    /// The next message that a choice of the environment can send: its branch.
    fn send(&mut self, signals: &[usize]) -> usize {
        for (at, message) in self.messages.iter().enumerate() {
            let (port, event) = MESSAGES[message.what].split_once('.').expect("a port");
            let port = if port == "inp" { "in" } else { port };
            let name = format!("{port}{}.{event}", message.chart);
            let mut names = signals.iter().map(|&at| &*self.chart.signals[at].name);
            let branch = names.position(|known| *known == *name);
            if let (false, Some(branch)) = (self.is_sent[at], branch) {
                self.is_sent[at] = true;
                self.value = message.v;
                return branch + 1;
            }
        }
        0
    }
}

impl Decide for Given<'_> {
    fn branch(&mut self, _: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let mut sendings = self.chart.sendings.iter();
        match sendings.find(|sending| sending.choice == choice) {
            Some(sending) => Ok(self.send(&sending.signals)),
            None => Ok(self.choices.pick(n)),
        }
    }

    fn value(&mut self, cx: &Context, _: StmtId, var: VarId) -> Result<Value, Blocked> {
        let name = cx.terms.name(var);
        let value = if self.chart.sendings.is_empty() {
            self.values.get(name).copied().unwrap_or(0)
        } else {
            self.value
        };
        Ok(if cx.terms.var_sort(var) == cx.terms.sorts.bool() {
            Value::Bool(value != 0)
        } else {
            Value::Int(Int::from(value))
        })
    }
}
