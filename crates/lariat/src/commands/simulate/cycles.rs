//! Playing a model of Gamma: what comes in each cycle is said by a script, or chosen at random.
//!
//! A script has a part for each cycle, with `;` between: the events that come in it, with their parameters, and the time that
//! passes before it. What is left open (transitions without priorities, time that is not said) is chosen by the seed.

use super::chart::{Report, Shown, TransitionShown, lines};
use super::{Dice, Format, SimulateArgs};
use crate::load::{load, load_for_script};
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, Id as _, SourceMap, nearest};
use lariat_expr::{Env as _, Int, Rat, Sort, Value, VarId};
use lariat_frontend::language_of;
use lariat_system::{
    Blocked, Chart, Context, Decide, Executor, Language, MacrostepEnd, StmtId, System, Valuation,
    active_states, microstep,
};
use lariat_verify::report::ValueReport;
use rand::{Rng as _, SeedableRng as _};
use serde_json::{Map, json};

/// How often a cycle is tried whose choices lead nowhere.
const MAX_TRIES: u64 = 1000;

/// Plays the model, if the command is about one and nothing else is asked than cycles.
pub fn run(args: &SimulateArgs, session: &mut Session) -> Result<Option<()>, Failure> {
    let [path] = &args.models.models[..] else {
        return Ok(None);
    };
    let named = args.models.language.map(Language::from);
    let is_gamma = named.or_else(|| language_of(path)) == Some(Language::Gamma);
    if !is_gamma || args.replay.is_some() || args.until.is_some() || args.interactive {
        return Ok(None);
    }
    let text = args.models.reading.events();
    let model = match &text {
        Some(text) => load_for_script(session, &args.models, vec![text.clone()])?,
        None => load(session, &args.models)?,
    };
    let Session {
        cx, sources, out, ..
    } = session;
    let system = &model.systems[0];
    let Some(chart) = system.chart.as_deref() else {
        return Ok(None);
    };
    let mut game = Game {
        cx,
        system,
        chart,
        sources,
        env: Valuation::new(),
        dice: Dice::seed_from_u64(args.seed),
        shown: Vec::new(),
        before: Vec::new(),
    };
    game.start()?;
    match &text {
        Some(text) => {
            for cycle in text.split(';') {
                let given = game.read(cycle)?;
                game.cycle(Some(&given))?;
            }
        }
        None => {
            for _ in 0..args.steps {
                game.cycle(None)?;
            }
        }
    }
    if args.format == Format::Json {
        out.json(&Report {
            schema: "lariat-play/1",
            model: &system.name,
            macrosteps: &game.shown,
            end: "waiting",
        })?;
    } else {
        for (number, step) in game.shown.iter().enumerate() {
            for line in lines(number, step) {
                out.line(&line)?;
            }
        }
    }
    Ok(Some(()))
}

/// What comes in a cycle.
#[derive(Clone, Debug, Default)]
struct Given {
    /// The inputs that are there, by their positions among the signals, with their parameters.
    signals: Vec<(usize, Vec<Value>)>,
    /// How many units of time pass, if that is said.
    units: Option<u64>,
}

struct Game<'a> {
    cx: &'a Context,
    system: &'a System,
    chart: &'a Chart,
    sources: &'a SourceMap,
    env: Valuation,
    dice: Dice,
    shown: Vec<Shown>,
    before: Vec<(String, String)>,
}

impl Game<'_> {
    fn start(&mut self) -> Result<(), Failure> {
        let edge = self.system.initial.first().copied();
        let edge = edge.ok_or_else(stuck)?;
        let mut env = None;
        for _ in 0..MAX_TRIES {
            let mut chooser = self.chooser(None);
            let mut tried = Valuation::new();
            if Executor::new()
                .run(chooser.cx, edge.stmt, &mut tried, &mut chooser)
                .is_ok()
            {
                env = Some(tried);
                break;
            }
        }
        self.env = env.ok_or_else(stuck)?;
        self.note(None);
        Ok(())
    }

    fn cycle(&mut self, given: Option<&Given>) -> Result<(), Failure> {
        let edge = self.system.edges.row(self.chart.waiting)[0];
        for _ in 0..MAX_TRIES {
            let mut tried = self.env.clone();
            let mut chooser = self.chooser(given);
            if Executor::new()
                .run(chooser.cx, edge.stmt, &mut tried, &mut chooser)
                .is_ok()
            {
                chooser.check_all_sent()?;
                let before = std::mem::replace(&mut self.env, tried);
                self.note(Some((&before, edge.stmt)));
                return Ok(());
            }
        }
        Err(stuck())
    }

    fn chooser<'g>(&'g mut self, given: Option<&'g Given>) -> Chooser<'g> {
        Chooser {
            cx: self.cx,
            chart: self.chart,
            given,
            is_sent: vec![false; given.map_or(0, |given| given.signals.len())],
            last_sent: None,
            dice: Dice::seed_from_u64(self.dice.random()),
        }
    }

    /// Reads `port.event(3) port.other (after 2 s)`.
    fn read(&self, text: &str) -> Result<Given, Failure> {
        let mut given = Given::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let end = rest.find([' ', '\t', '\n', '(']).unwrap_or(rest.len());
            let name = &rest[..end];
            rest = rest[end..].trim_start();
            let mut words: Vec<&str> = Vec::new();
            let has_brackets =
                rest.starts_with('(') && (name.is_empty() || !rest.starts_with("(after"));
            if has_brackets {
                let (inner, after) = rest[1..].split_once(')').ok_or_else(|| bad_script(text))?;
                words = inner
                    .split([' ', ','])
                    .filter(|word| !word.is_empty())
                    .collect();
                rest = after.trim_start();
            }
            if name.is_empty() {
                given.units = Some(self.units(&words).ok_or_else(|| bad_script(text))?);
            } else {
                given.signals.push(self.signal(name, &words)?);
            }
        }
        Ok(given)
    }

    fn units(&self, words: &[&str]) -> Option<u64> {
        let time = match *words {
            ["after", number, "ms"] => number.parse::<u64>().ok()?,
            ["after", number, "s"] => number.parse::<u64>().ok()?.checked_mul(1000)?,
            _ => return None,
        };
        let unit = self.chart.time?.unit.max(1);
        (time > 0 && time % unit == 0).then_some(time / unit)
    }

    fn signal(&self, name: &str, words: &[&str]) -> Result<(usize, Vec<Value>), Failure> {
        let inputs = || self.chart.signals.iter().filter(|signal| signal.is_input);
        let position = self.chart.signals.iter().position(|signal| {
            signal.is_input
                && (*signal.name == *name
                    || signal.other_names.iter().any(|known| **known == *name))
        });
        let Some(at) = position else {
            let message = format!("the system has no input `{name}`");
            let near = nearest(name, inputs().map(|signal| &*signal.name));
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Diagnostic::error("unknown-event", message)
                .maybe_hint(hint)
                .into());
        };
        let params = &self.chart.signals[at].params;
        if params.len() != words.len() {
            let message = format!(
                "`{name}` has {} parameters and is given {}",
                params.len(),
                words.len()
            );
            return Err(Diagnostic::error("bad-script", message).into());
        }
        let mut values = Vec::new();
        for (&var, word) in params.iter().zip(words) {
            let value = self.value(var, word).ok_or_else(|| {
                let message = format!("`{word}` is no value of a parameter of `{name}`");
                Failure::from(Diagnostic::error("bad-script", message))
            })?;
            values.push(value);
        }
        Ok((at, values))
    }

    fn value(&self, var: VarId, word: &str) -> Option<Value> {
        let sorts = &self.cx.terms.sorts;
        match sorts.get(self.cx.terms.var_sort(var)) {
            Sort::Bool => word.parse().ok().map(Value::Bool),
            Sort::Int => word
                .parse::<i64>()
                .ok()
                .map(|int| Value::Int(Int::from(int))),
            Sort::Rat => word
                .parse::<i64>()
                .ok()
                .map(|int| Value::Rat(Rat::from(Int::from(int)))),
            Sort::Enum(sort) => {
                let literal = word.rsplit("::").next().unwrap_or(word);
                sort.position(literal).map(Value::Enum)
            }
            _ => None,
        }
    }

    fn note(&mut self, step: Option<(&Valuation, StmtId)>) {
        let chart = self.chart;
        let name = |at: &usize| chart.states[*at].name.to_string();
        let (mut transitions, mut left, mut entered) = (Vec::new(), Vec::new(), Vec::new());
        match step.and_then(|(before, stmt)| Some((before, chart.steps.get(&stmt)?))) {
            Some((before, step)) => {
                let did = microstep(self.cx, chart, step, Some(before), &self.env);
                transitions.extend(did.fired.iter().map(|&at| {
                    let transition = &chart.transitions[at];
                    let span = transition.span;
                    TransitionShown {
                        source: name(&transition.source),
                        targets: transition.targets.iter().map(name).collect(),
                        label: transition.label.to_string(),
                        line: self.sources.file(span.source).line_column(span.start).0,
                    }
                }));
                left.extend(did.left.iter().map(name));
                entered.extend(did.entered.iter().map(name));
            }
            None => {
                let all = active_states(self.cx, chart, &self.env);
                entered.extend(all.iter().filter(|&&at| at > 0).map(name));
            }
        }
        let active = active_states(self.cx, chart, &self.env).into_iter();
        let configuration = active
            .filter(|&at| chart.states[at].kind.is_atomic())
            .map(|at| name(&at));
        let configuration = configuration.collect();
        let mut data = Map::new();
        let mut texts = Vec::new();
        for one in &chart.data {
            let Some(value) = self.env.value(one.var) else {
                continue;
            };
            let (sorts, sort) = (&self.cx.terms.sorts, self.cx.terms.var_sort(one.var));
            data.insert(
                one.name.to_string(),
                json!(ValueReport::new(sorts, sort, value)),
            );
            texts.push((one.name.to_string(), value.display(sorts, sort)));
        }
        let changes = texts
            .iter()
            .filter(|new| !self.before.contains(new))
            .cloned()
            .collect();
        self.before = texts;
        let came = self.signals(true).join(", ");
        let came = if came.is_empty() {
            "cycle".to_owned()
        } else {
            format!("cycle with {came}")
        };
        self.shown.push(Shown {
            event: step.map(|_| came),
            sent_by: step.map(|_| "environment"),
            transitions,
            left,
            entered,
            configuration,
            sent: self.signals(false),
            data,
            changes,
            end: MacrostepEnd::Waiting,
        });
    }

    /// The signals that are there, with their parameters.
    fn signals(&self, is_input: bool) -> Vec<String> {
        let is_there = |var| self.env.value(var) == Some(&Value::Bool(true));
        let all = self.chart.signals.iter();
        let all = all.filter(|signal| signal.is_input == is_input && is_there(signal.flag));
        let texts = all.map(|signal| {
            let values = signal.params.iter().filter_map(|&var| {
                let sort = self.cx.terms.var_sort(var);
                self.env
                    .value(var)
                    .map(|value| value.display(&self.cx.terms.sorts, sort))
            });
            let values: Vec<String> = values.collect();
            match &values[..] {
                [] => signal.name.to_string(),
                values => format!("{}({})", signal.name, values.join(", ")),
            }
        });
        texts.collect()
    }
}

fn stuck() -> Failure {
    Diagnostic::error("no-start", "the model is stuck: no choice leads on").into()
}

fn bad_script(text: &str) -> Failure {
    let message = format!("`{}` is no cycle", text.trim());
    let hint = "write `--events 'port.event; port.other(3) (after 500 ms); ; port.event'`; times are whole units of `--time`";
    Diagnostic::error("bad-script", message).hint(hint).into()
}

/// Decides by what is given, the rest by chance.
struct Chooser<'g> {
    cx: &'g Context,
    chart: &'g Chart,
    given: Option<&'g Given>,
    /// Which of the given events were put into queues, and which was the last.
    is_sent: Vec<bool>,
    last_sent: Option<usize>,
    dice: Dice,
}

impl Chooser<'_> {
    /// The next of the given events that a choice of the environment can put into a queue: its branch.
    fn send(&mut self, given: &Given, signals: &[usize]) -> usize {
        for (at, (signal, _)) in given.signals.iter().enumerate() {
            let branch = signals.iter().position(|known| known == signal);
            if let (false, Some(branch)) = (self.is_sent[at], branch) {
                self.is_sent[at] = true;
                self.last_sent = Some(at);
                return branch + 1;
            }
        }
        0
    }

    /// More messages than come before a cycle are a mistake of the script.
    fn check_all_sent(&self) -> Result<(), Failure> {
        let signals = self.given.iter().flat_map(|given| &given.signals);
        for ((signal, _), is_sent) in signals.zip(&self.is_sent) {
            let mut sendings = self.chart.sendings.iter();
            if !is_sent && sendings.any(|sending| sending.signals.contains(signal)) {
                let name = &self.chart.signals[*signal].name;
                let message = format!("`{name}` is one message too many for its queue");
                let hint =
                    "say `--messages 2` to let two messages come to each queue before a cycle";
                return Err(Diagnostic::error("bad-script", message).hint(hint).into());
            }
        }
        Ok(())
    }
}

impl Decide for Chooser<'_> {
    fn branch(&mut self, _: &Context, choice: StmtId, n: usize) -> Result<usize, Blocked> {
        let moments = self.chart.time.and_then(|time| time.moments);
        if moments == Some(choice)
            && let Some(given) = self.given
        {
            // More time than is listed is as good as the most that is.
            let units = given.units.unwrap_or(1).max(1) - 1;
            return Ok(usize::try_from(units).unwrap_or(n).min(n - 1));
        }
        let mut sendings = self.chart.sendings.iter();
        let sending = sendings.find(|sending| sending.choice == choice);
        if let (Some(given), Some(sending)) = (self.given, sending) {
            return Ok(self.send(given, &sending.signals));
        }
        Ok(self.dice.random_range(0..n))
    }

    fn value(&mut self, cx: &Context, _: StmtId, var: VarId) -> Result<Value, Blocked> {
        let sorts = &cx.terms.sorts;
        if self
            .chart
            .time
            .is_some_and(|time| time.passed.index() == var.index())
        {
            let units = match self.given {
                Some(given) => given.units.unwrap_or(1),
                None => self.dice.random_range(1..1000),
            };
            let units = Int::from(i64::try_from(units).unwrap_or(i64::MAX));
            return Ok(match sorts.get(cx.terms.var_sort(var)) {
                Sort::Rat => Value::Rat(Rat::from(units)),
                _ => Value::Int(units),
            });
        }
        if let (Some(given), Some(last)) = (self.given, self.last_sent) {
            let (signal, values) = &given.signals[last];
            let params = &self.chart.signals[*signal].params;
            if let Some(n) = params.iter().position(|&param| param == var) {
                return Ok(values[n].clone());
            }
        }
        if let Some(given) = self.given {
            for (at, signal) in self.chart.signals.iter().enumerate() {
                let values = given.signals.iter().find(|(known, _)| *known == at);
                if signal.flag == var {
                    return Ok(Value::Bool(values.is_some()));
                }
                if let (Some(n), Some((_, values))) =
                    (signal.params.iter().position(|&param| param == var), values)
                {
                    return Ok(values[n].clone());
                }
            }
        }
        Ok(match sorts.get(cx.terms.var_sort(var)) {
            Sort::Bool => Value::Bool(self.dice.random()),
            Sort::Int => Value::Int(Int::from(self.dice.random_range(-2_i64..8))),
            Sort::Rat => Value::Rat(Rat::from(Int::from(self.dice.random_range(-2_i64..8)))),
            Sort::Enum(sort) => Value::Enum(self.dice.random_range(0..sort.literals.len() as u32)),
            _ => Value::some(sorts, cx.terms.var_sort(var)),
        })
    }
}
