//! Random statecharts, as SCXML and as data, and an interpreter written straight from the algorithm in appendix D of the
//! W3C's recommendation.
//!
//! The interpreter shares nothing with the front end: it works on the data that the text was printed from, with sets of
//! states where the front end has terms. Both must agree on the configuration and the data after each macrostep.

mod draw;
mod interpret;
mod print;

pub use interpret::Interpreter;

use crate::Rng;
use lariat_base::SourceMap;
use lariat_frontend::{ChartReading, Options, parse_with};
use lariat_system::{Context, Language, MacrostepEnd, Player};
use rand::Rng as _;
use std::collections::BTreeSet;

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct RandomChart {
    states: Vec<St>,
    transitions: Vec<Tr>,
    /// Names of variables with their initial values, if they have any, and the state they stand in.
    data: Vec<(String, Option<Ex>, usize)>,
    late: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    State,
    Parallel,
    Final,
    Shallow,
    Deep,
}

#[derive(Clone, Debug)]
struct St {
    id: String,
    kind: Kind,
    parent: Option<usize>,
    /// All states inside, in document order.
    inner: Vec<usize>,
    transitions: Vec<usize>,
    entry: Vec<Vec<Act>>,
    exit: Vec<Vec<Act>>,
    /// What is entered by default, if it is said; the default of a history.
    initial: Option<Vec<usize>>,
    initial_content: Vec<Act>,
}

#[derive(Clone, Debug)]
struct Tr {
    source: usize,
    events: Vec<String>,
    cond: Option<Ex>,
    targets: Vec<usize>,
    internal: bool,
    content: Vec<Act>,
}

#[derive(Clone, Debug)]
enum Act {
    Raise(String),
    Send(String, u64, Option<String>),
    Cancel(String),
    Assign(usize, Ex),
    /// Assigns a variable that is not there.
    Wrong,
    If(Ex, Vec<Act>, Vec<Act>),
    /// For each of these numbers, held by a variable.
    Foreach(Vec<i64>, usize, Vec<Act>),
}

#[derive(Clone, Debug)]
enum Ex {
    Int(i64),
    Bool(bool),
    Text(String),
    Var(usize),
    In(usize),
    /// The name of the event that is handled.
    Event,
    /// A variable that is not there.
    Unknown,
    Not(Box<Ex>),
    Op(&'static str, Box<Ex>, Box<Ex>),
}

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Val {
    Int(i64),
    Bool(bool),
    Text(String),
    Undefined,
}

/// The names of events that charts use.
const EVENTS: [&str; 5] = ["a", "b", "a.b", "c", "c.d"];
const TEXTS: [&str; 3] = ["red", "green", "blue"];
/// How many events a queue of the front end holds in these tests.
const QUEUE: usize = 8;

impl RandomChart {
    /// Draws a chart.
    pub fn draw(rng: &mut Rng) -> Self {
        draw::draw(rng)
    }

    /// As SCXML.
    pub fn text(&self) -> String {
        print::print(self)
    }

    fn is_history(&self, at: usize) -> bool {
        matches!(self.states[at].kind, Kind::Shallow | Kind::Deep)
    }

    fn children(&self, at: usize) -> Vec<usize> {
        let inner = self.states[at].inner.iter().copied();
        inner.filter(|&child| !self.is_history(child)).collect()
    }

    fn is_atomic(&self, at: usize) -> bool {
        !self.is_history(at) && self.children(at).is_empty()
    }

    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        let mut at = self.states[inner].parent;
        while let Some(state) = at {
            if state == outer {
                return true;
            }
            at = self.states[state].parent;
        }
        false
    }
}

/// What a comparison of the front end with the interpreter saw.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartTally {
    /// Macrosteps after which both agreed.
    pub agreed: u64,
    /// Runs that ended early: a macrostep without end, a full queue.
    pub cut: u64,
}

/// Plays a random chart and compares; what differs, with the text of the chart.
pub fn compare_chart(seed: u64) -> Result<ChartTally, String> {
    let mut rng = crate::rng(seed);
    let chart = RandomChart::draw(&mut rng);
    let text = chart.text();
    compare(&chart, &text, &mut rng).map_err(|why| format!("seed {seed}: {why}\n{text}"))
}

fn compare(chart: &RandomChart, text: &str, rng: &mut Rng) -> Result<ChartTally, String> {
    let (mut cx, mut sources) = (Context::new(), SourceMap::new());
    let source = sources.add("random.scxml", text.to_owned());
    let options = Options {
        chart: ChartReading {
            events: Some(EVENTS.iter().map(|&event| event.to_owned()).collect()),
            queue: QUEUE,
            hangs: false,
        },
        ..Options::default()
    };
    let parsed = parse_with(
        &mut cx,
        Language::Scxml,
        source,
        sources.file(source),
        &options,
    );
    let system = parsed
        .map_err(|findings| format!("refused: {}", findings[0].message))?
        .system;
    let (mut player, first) = Player::start(&cx, &system).ok_or("it does not start")?;
    let known = system.chart.clone().ok_or("no chart")?;
    let mut twin = Interpreter::start(chart);
    let mut tally = ChartTally::default();
    let mut ends = vec![first.end];
    for step in 0..12 {
        if step > 0 {
            if rng.random_bool(0.3) {
                let time = [0, 5, 10, 25, 100][rng.random_range(0..5)];
                twin.wait(time);
                if !twin.is_endless() {
                    ends = player.wait(time).iter().map(|step| step.end).collect();
                }
            } else {
                let event = EVENTS[rng.random_range(0..EVENTS.len())];
                let at = known.event(event).ok_or("an event is not known")?;
                ends = player.send(at).iter().map(|step| step.end).collect();
                twin.send(event);
            }
        }
        let is_cut =
            |end: &MacrostepEnd| matches!(end, MacrostepEnd::Endless | MacrostepEnd::Overflow);
        if twin.is_endless() || twin.longest() > QUEUE || ends.iter().any(is_cut) {
            if !twin.is_endless() && twin.longest() <= QUEUE {
                return Err(format!(
                    "step {step}: ours is cut ({ends:?}), the interpreter goes on"
                ));
            }
            tally.cut += 1;
            return Ok(tally);
        }
        if ends.contains(&MacrostepEnd::Outside) {
            return Err(format!("step {step}: outside of what is modelled"));
        }
        let ours: BTreeSet<String> = player
            .configuration()
            .into_iter()
            .map(|at| known.states[at].name.to_string())
            .collect();
        let theirs = twin.configuration();
        if ours != theirs {
            return Err(format!(
                "step {step}: ours {ours:?}, the interpreter {theirs:?}"
            ));
        }
        for (name, value) in player.data() {
            let expected = twin.value(name);
            let terms = &cx.terms;
            let value = value.map(|(var, value)| value.display(&terms.sorts, terms.var_sort(var)));
            if value != expected {
                return Err(format!(
                    "step {step}: {name} is {value:?}, the interpreter has {expected:?}"
                ));
            }
        }
        tally.agreed += 1;
    }
    Ok(tally)
}
