//! Playing a statechart: a script of events, random events, or events that a person chooses; after each macrostep the active
//! states and the data.

use super::{Dice, Format, SimulateArgs};
use crate::load::load_for_script;
use crate::output::Output;
use crate::session::{Failure, Session};
use lariat_base::{Diagnostic, SourceMap};
use lariat_expr::{Value, VarId};
use lariat_frontend::language_of;
use lariat_system::{Chart, Context, Language, Macrostep, MacrostepEnd, Player, System};
use lariat_verify::Model;
use lariat_verify::report::ValueReport;
use rand::{Rng as _, SeedableRng as _};
use serde::Serialize;
use serde_json::{Map, json};
use std::io::{self, BufRead as _, IsTerminal as _};

/// A part of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Scripted {
    Event(String),
    /// So many milliseconds pass.
    Wait(u64),
}

impl Scripted {
    fn event(&self) -> Option<&String> {
        match self {
            Self::Event(name) => Some(name),
            Self::Wait(_) => None,
        }
    }
}

/// Plays the chart, if the command is about one and nothing else is asked than events.
pub fn run(args: &SimulateArgs, session: &mut Session) -> Result<Option<()>, Failure> {
    let [path] = &args.models.models[..] else {
        return Ok(None);
    };
    let named = args.models.language.map(Language::from);
    let is_chart = named.or_else(|| language_of(path)) == Some(Language::Scxml);
    if !is_chart || args.replay.is_some() || args.until.is_some() {
        return Ok(None);
    }
    let script = match args.models.reading.events() {
        None => None,
        Some(text) => Some(script(&text)?),
    };
    let parts = script.iter().flatten();
    let names = parts.filter_map(Scripted::event).cloned().collect();
    let model = load_for_script(session, &args.models, names)?;
    let Session {
        cx, sources, out, ..
    } = session;
    let Model { systems, .. } = &model;
    let mut game = Game::new(cx, &systems[0], sources)
        .ok_or_else(|| Diagnostic::error("no-start", "the chart does not start"))?;
    match (&script, args.interactive) {
        (_, true) => game.interactive(out)?,
        (Some(script), _) => {
            game.script(script);
            game.print(args.format, out)?;
        }
        (None, _) => {
            game.random(args.steps, args.seed);
            game.print(args.format, out)?;
        }
    }
    Ok(Some(()))
}

/// Reads `e1 e2 (after 100 ms) e3`.
fn script(text: &str) -> Result<Vec<Scripted>, Failure> {
    let mut parts: Vec<Scripted> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('(') {
            let (time, after) = inner.split_once(')').unwrap_or((inner, ""));
            let words: Vec<&str> = time.split_whitespace().collect();
            let time = match words[..] {
                ["after", number, "ms"] => number.parse().ok(),
                ["after", number, "s"] => {
                    number.parse::<u64>().ok().and_then(|n| n.checked_mul(1000))
                }
                ["after", time] => match time.strip_suffix("ms") {
                    Some(number) => number.parse().ok(),
                    None => time
                        .strip_suffix('s')
                        .and_then(|n| n.parse::<u64>().ok())
                        .and_then(|n| n.checked_mul(1000)),
                },
                _ => None,
            };
            let Some(time) = time else {
                let message = format!("`({})` is no time that passes", time_text(inner));
                let finding = Diagnostic::error("bad-script", message);
                return Err(finding
                    .hint("write `--events 'e1 e2 (after 100 ms) e3'`")
                    .into());
            };
            parts.push(Scripted::Wait(time));
            rest = after.trim_start();
            continue;
        }
        let end = rest.find([' ', '\t', '\n', '(']).unwrap_or(rest.len());
        let name = rest[..end].trim_start_matches('+').to_owned();
        parts.push(Scripted::Event(name));
        rest = rest[end..].trim_start();
    }
    Ok(parts)
}

fn time_text(inner: &str) -> &str {
    inner.split(')').next().unwrap_or(inner)
}

/// A chart that is played.
struct Game<'a> {
    cx: &'a Context,
    system: &'a System,
    chart: &'a Chart,
    sources: &'a SourceMap,
    player: Player<'a>,
    shown: Vec<Shown>,
    before: Vec<(String, String)>,
}

/// A macrostep as it is shown.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Shown {
    /// The event; none at the start.
    pub event: Option<String>,
    /// `environment`, or `chart` for what it sent itself.
    pub sent_by: Option<&'static str>,
    pub transitions: Vec<TransitionShown>,
    pub left: Vec<String>,
    pub entered: Vec<String>,
    /// The active states that have nothing inside.
    pub configuration: Vec<String>,
    /// What the chart sent in the step, where that is seen outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<String>,
    pub data: Map<String, serde_json::Value>,
    #[serde(skip)]
    pub changes: Vec<(String, String)>,
    #[serde(skip)]
    pub end: MacrostepEnd,
}

/// A transition that fired.
#[derive(Clone, Debug, Serialize)]
pub(super) struct TransitionShown {
    pub source: String,
    pub targets: Vec<String>,
    /// Event and condition.
    pub label: String,
    pub line: usize,
}

/// The whole run, for programs.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    pub schema: &'static str,
    pub model: &'a str,
    pub macrosteps: &'a [Shown],
    /// `waiting`, `ended`, `overflow`, `outside` or `endless`.
    pub end: &'static str,
}

impl<'a> Game<'a> {
    fn new(cx: &'a Context, system: &'a System, sources: &'a SourceMap) -> Option<Self> {
        let chart = system.chart.as_deref()?;
        let (player, first) = Player::start(cx, system)?;
        let mut game = Self {
            cx,
            system,
            chart,
            sources,
            player,
            shown: Vec::new(),
            before: Vec::new(),
        };
        game.note(&first);
        Some(game)
    }

    fn note(&mut self, step: &Macrostep) {
        let chart = self.chart;
        let name = |at: &usize| chart.states[*at].name.to_string();
        let transition = |at: &usize| {
            let transition = &chart.transitions[*at];
            let span = transition.span;
            TransitionShown {
                source: name(&transition.source),
                targets: transition.targets.iter().map(name).collect(),
                label: transition.label.to_string(),
                line: self.sources.file(span.source).line_column(span.start).0,
            }
        };
        let transitions = step
            .micro
            .iter()
            .flat_map(|micro| &micro.fired)
            .map(transition)
            .collect();
        let left = step
            .micro
            .iter()
            .flat_map(|micro| &micro.left)
            .map(name)
            .collect();
        let entered = step
            .micro
            .iter()
            .flat_map(|micro| &micro.entered)
            .filter(|&&at| at > 0)
            .map(name)
            .collect();
        let configuration = self.player.configuration().iter().map(name).collect();
        let values = self.player.data();
        let data = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), self.json(value.as_ref())))
            .collect();
        let texts: Vec<(String, String)> = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), self.text(value.as_ref())))
            .collect();
        let changes = texts
            .iter()
            .filter(|new| !self.before.contains(new))
            .cloned()
            .collect();
        self.before = texts;
        self.shown.push(Shown {
            event: step.event.map(|at| chart.events[at].0.to_string()),
            sent_by: step
                .event
                .map(|_| if step.is_own { "chart" } else { "environment" }),
            transitions,
            left,
            entered,
            configuration,
            sent: Vec::new(),
            data,
            changes,
            end: step.end,
        });
    }

    fn json(&self, value: Option<&(VarId, Value)>) -> serde_json::Value {
        let terms = &self.cx.terms;
        value.map_or(serde_json::Value::Null, |(var, value)| {
            json!(ValueReport::new(&terms.sorts, terms.var_sort(*var), value))
        })
    }

    fn text(&self, value: Option<&(VarId, Value)>) -> String {
        let terms = &self.cx.terms;
        value.map_or("undefined".to_owned(), |(var, value)| {
            value.display(&terms.sorts, terms.var_sort(*var))
        })
    }

    fn end(&self) -> MacrostepEnd {
        self.shown
            .last()
            .map_or(MacrostepEnd::Waiting, |step| step.end)
    }

    fn wait(&mut self, time: u64) {
        for step in self.player.wait(time) {
            self.note(&step);
        }
    }

    fn script(&mut self, script: &[Scripted]) {
        for part in script {
            let at = match part {
                Scripted::Wait(time) => {
                    self.wait(*time);
                    continue;
                }
                Scripted::Event(name) => self.chart.event(name),
            };
            let Some(step) = at.and_then(|at| self.player.send(at)) else {
                return;
            };
            self.note(&step);
        }
    }

    fn random(&mut self, steps: u64, seed: u64) {
        let mut dice = Dice::seed_from_u64(seed);
        for _ in 0..steps {
            let (environment, own) = self.player.possible();
            let n = environment.len() + own.len();
            if n == 0 {
                return;
            }
            let chosen = dice.random_range(0..n);
            let step = match environment.get(chosen) {
                Some(&event) => self.player.send(event),
                None => self.player.arrive(own[chosen - environment.len()].0),
            };
            let Some(step) = step else { return };
            self.note(&step);
        }
    }

    fn print(&self, format: Format, out: &mut Output) -> Result<(), Failure> {
        if format == Format::Json {
            let report = Report {
                schema: "lariat-play/1",
                model: &self.system.name,
                macrosteps: &self.shown,
                end: end_name(self.end()),
            };
            out.json(&report)?;
            return Ok(());
        }
        for (number, step) in self.shown.iter().enumerate() {
            for line in lines(number, step) {
                out.line(&line)?;
            }
        }
        out.line("")?;
        out.line(end_text(self.end()))?;
        Ok(())
    }

    /// Asks for every event.
    fn interactive(&mut self, out: &mut Output) -> Result<(), Failure> {
        let is_terminal = io::stdin().is_terminal();
        let mut input = io::stdin().lock().lines();
        let mut n_shown = 0;
        loop {
            while n_shown < self.shown.len() {
                for line in lines(n_shown, &self.shown[n_shown]) {
                    out.line(&line)?;
                }
                n_shown += 1;
            }
            let (environment, own) = self.player.possible();
            if environment.is_empty() && own.is_empty() {
                break;
            }
            let name = |at: usize| &*self.chart.events[at].0;
            for (i, &event) in environment.iter().enumerate() {
                out.line(&format!("  {:>2}  {}", i + 1, name(event)))?;
            }
            for (i, &(_, event)) in own.iter().enumerate() {
                out.line(&format!(
                    "  {:>2}  {} (sent by the chart)",
                    environment.len() + i + 1,
                    name(event)
                ))?;
            }
            out.text("> ")?;
            out.flush()?;
            let Some(line) = input.next().transpose()? else {
                out.text("\n")?;
                break;
            };
            let line = line.trim();
            if !is_terminal {
                out.line(line)?;
            }
            if matches!(line, "q" | "quit" | "exit") {
                break;
            }
            let by_name = environment.iter().position(|&event| name(event) == line);
            let by_name = by_name.or_else(|| {
                own.iter()
                    .position(|own| name(own.1) == line)
                    .map(|at| environment.len() + at)
            });
            let by_number = line.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let step = match by_name.or(by_number) {
                Some(at) if at < environment.len() => self.player.send(environment[at]),
                Some(at) if at < environment.len() + own.len() => {
                    self.player.arrive(own[at - environment.len()].0)
                }
                _ => {
                    out.line("A number or a name sends that event, `q` quits.")?;
                    continue;
                }
            };
            match step {
                Some(step) => self.note(&step),
                None => break,
            }
        }
        out.line(end_text(self.end()))?;
        Ok(())
    }
}

/// A macrostep in a few lines.
pub(super) fn lines(number: usize, step: &Shown) -> Vec<String> {
    let title = match (&step.event, step.sent_by) {
        (None, _) => "start".to_owned(),
        (Some(event), Some("chart")) => format!("{event} (sent by the chart)"),
        (Some(event), _) => event.clone(),
    };
    let mut all = vec![format!("{number:>3}  {title}")];
    let mut say = |text: String| all.push(format!("     {text}"));
    for transition in &step.transitions {
        say(format!("fires {}", transition.text()));
    }
    if step.transitions.is_empty() && step.event.is_some() {
        say("fires nothing".to_owned());
    }
    if !step.left.is_empty() {
        say(format!("leaves {}", step.left.join(", ")));
    }
    if !step.entered.is_empty() {
        say(format!("enters {}", step.entered.join(", ")));
    }
    if !step.sent.is_empty() {
        say(format!("sends {}", step.sent.join(", ")));
    }
    say(format!("in {}", step.configuration.join(", ")));
    let changes: Vec<String> = step
        .changes
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if !changes.is_empty() {
        say(changes.join(", "));
    }
    all
}

impl TransitionShown {
    fn text(&self) -> String {
        let label = if self.label.is_empty() {
            String::new()
        } else {
            format!(" {}", self.label)
        };
        let targets = if self.targets.is_empty() {
            String::new()
        } else {
            format!(" -> {}", self.targets.join(" "))
        };
        format!(
            "{}{targets} on{} (line {})",
            self.source,
            if label.is_empty() { " nothing" } else { &label },
            self.line
        )
    }
}

fn end_name(end: MacrostepEnd) -> &'static str {
    match end {
        MacrostepEnd::Waiting => "waiting",
        MacrostepEnd::Ended => "ended",
        MacrostepEnd::Overflow => "overflow",
        MacrostepEnd::Outside => "outside",
        MacrostepEnd::Endless => "endless",
    }
}

fn end_text(end: MacrostepEnd) -> &'static str {
    match end {
        MacrostepEnd::Waiting => "The chart waits for an event.",
        MacrostepEnd::Ended => "The chart has come to its end.",
        MacrostepEnd::Overflow => "A queue is full: `--queue N` gives it more places.",
        MacrostepEnd::Outside => {
            "The chart computes something that is not modelled: a fraction, or arithmetic on what is undefined."
        }
        MacrostepEnd::Endless => "The last macrostep does not end.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_events_and_times() {
        let event = |name: &str| Scripted::Event(name.to_owned());
        let wait = Scripted::Wait;
        let read = script(" a b.c (after 100 ms) d(after 2s)").ok();
        let expected = [event("a"), event("b.c"), wait(100), event("d"), wait(2000)];
        assert_eq!(read, Some(expected.to_vec()));
        let read = script("(after 3 ms) a").ok();
        assert_eq!(read, Some(vec![wait(3), event("a")]));
        assert!(script("a (later)").is_err());
    }
}
