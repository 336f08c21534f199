//! Draws charts: whatever the language allows, small.

use super::{Act, EVENTS, Ex, Kind, RandomChart, St, TEXTS, Tr};
use crate::Rng;
use rand::Rng as _;

const MAX_STATES: usize = 14;

/// What variables hold: the first ones numbers, then a truth value, then a string.
const N_INTS: usize = 2;

pub(super) fn draw(rng: &mut Rng) -> RandomChart {
    let mut maker = Maker {
        chart: RandomChart::default(),
        asks: rng.random_bool(0.3),
        names_events: rng.random_bool(0.2),
        fails: rng.random_bool(0.3),
        sends: rng.random_bool(0.5),
        rng,
    };
    maker.state(Kind::State, None);
    maker.inside(0, 0);
    maker.data();
    maker.fill();
    maker.chart
}

#[expect(clippy::struct_excessive_bools, reason = "each is drawn")]
struct Maker<'a> {
    chart: RandomChart,
    /// Whether content asks which states are active.
    asks: bool,
    names_events: bool,
    fails: bool,
    sends: bool,
    rng: &'a mut Rng,
}

impl Maker<'_> {
    fn chance(&mut self, p: f64) -> bool {
        self.rng.random_bool(p)
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn state(&mut self, kind: Kind, parent: Option<usize>) -> usize {
        let at = self.chart.states.len();
        let dot = if at % 5 == 4 { ".x" } else { "" };
        self.chart.states.push(St {
            id: format!("s{at}{dot}"),
            kind,
            parent,
            inner: Vec::new(),
            transitions: Vec::new(),
            entry: Vec::new(),
            exit: Vec::new(),
            initial: None,
            initial_content: Vec::new(),
        });
        if let Some(parent) = parent {
            self.chart.states[parent].inner.push(at);
        }
        at
    }

    /// The states inside of one, in document order.
    fn inside(&mut self, outer: usize, depth: usize) {
        let is_parallel = self.chart.states[outer].kind == Kind::Parallel;
        if outer > 0 && self.chance(0.25) {
            let kind = if self.chance(0.5) {
                Kind::Deep
            } else {
                Kind::Shallow
            };
            self.state(kind, Some(outer));
        }
        let n = 1 + self.below(3) + usize::from(is_parallel && self.chance(0.8));
        for i in 0..n {
            let is_full = self.chart.states.len() >= MAX_STATES;
            if !is_parallel && i > 0 && self.chance(0.15) {
                self.state(Kind::Final, Some(outer));
                continue;
            }
            let is_outer = depth < 3 && !is_full && self.chance(if depth == 0 { 0.7 } else { 0.4 });
            let kind = if is_outer && self.chance(0.4) {
                Kind::Parallel
            } else {
                Kind::State
            };
            let inner = self.state(kind, Some(outer));
            if is_outer {
                self.inside(inner, depth + 1);
            }
        }
    }

    fn data(&mut self) {
        let n_states = self.chart.states.len();
        self.chart.late = self.chance(0.2);
        for (i, name) in ["x", "y", "ok", "color"].iter().enumerate() {
            let value = match i {
                0 | 1 => Ex::Int(self.rng.random_range(-2..4)),
                2 => Ex::Bool(self.chance(0.5)),
                _ => Ex::Text(TEXTS[self.below(3)].to_owned()),
            };
            // Arithmetic on what is undefined is outside of what is modelled: numbers have a value from the start.
            let is_early = i < N_INTS || self.chance(0.7);
            let mut state = if is_early { 0 } else { self.below(n_states) };
            if !matches!(self.chart.states[state].kind, Kind::State | Kind::Parallel) {
                state = 0;
            }
            let value = (i < N_INTS || self.chance(0.7)).then_some(value);
            self.chart.data.push(((*name).to_owned(), value, state));
        }
        // In the order of the document.
        self.chart.data.sort_by_key(|data| data.2);
    }

    fn var(&self, name: &str) -> usize {
        self.chart
            .data
            .iter()
            .position(|data| data.0 == name)
            .expect("it is declared")
    }

    fn fill(&mut self) {
        for at in 0..self.chart.states.len() {
            let kind = self.chart.states[at].kind;
            let has_children = !self.chart.children(at).is_empty();
            if self.chart.is_history(at) {
                let parent = self.chart.states[at]
                    .parent
                    .expect("a history has a parent");
                let target = self.plain_inside(parent);
                self.chart.states[at].initial = Some(vec![target]);
                self.chart.states[at].initial_content = self.maybe_block(0.3);
                continue;
            }
            if has_children && kind == Kind::State && self.chance(0.4) {
                let targets = self.inner_targets(at);
                self.chart.states[at].initial = Some(targets);
                if at > 0 {
                    self.chart.states[at].initial_content = self.maybe_block(0.4);
                }
            }
            if at == 0 {
                continue;
            }
            for _ in 0..self.below(3) {
                let block = self.maybe_block(0.6);
                self.chart.states[at].entry.push(block);
            }
            if self.chance(0.3) {
                let block = self.maybe_block(0.8);
                self.chart.states[at].exit.push(block);
            }
            if kind != Kind::Final {
                for _ in 0..self.below(4) {
                    self.transition(at);
                }
            }
        }
    }

    /// A state inside of one that is no history.
    fn plain_inside(&mut self, outer: usize) -> usize {
        let all = (0..self.chart.states.len())
            .filter(|&at| self.chart.is_inside(at, outer) && !self.chart.is_history(at));
        let all: Vec<usize> = all.collect();
        all[self.below(all.len())]
    }

    /// Targets inside of a state: one, perhaps a history of a state further inside, or two in different regions.
    fn inner_targets(&mut self, outer: usize) -> Vec<usize> {
        let all = (0..self.chart.states.len()).filter(|&at| self.chart.is_inside(at, outer));
        let all: Vec<usize> = all.collect();
        let first = all[self.below(all.len())];
        self.with_second(first, outer)
    }

    fn with_second(&mut self, first: usize, outer: usize) -> Vec<usize> {
        let place = |chart: &RandomChart, at: usize| {
            if chart.is_history(at) {
                chart.states[at].parent.expect("a history has a parent")
            } else {
                at
            }
        };
        let chart = &self.chart;
        let orthogonal = |at: usize| {
            let (a, b) = (place(chart, first), place(chart, at));
            if a == b || chart.is_inside(a, b) || chart.is_inside(b, a) {
                return false;
            }
            let mut up = chart.states[a].parent;
            while let Some(common) = up.filter(|&common| !chart.is_inside(b, common)) {
                up = chart.states[common].parent;
            }
            up.is_some_and(|common| chart.states[common].kind == Kind::Parallel)
        };
        let second: Vec<usize> = (0..chart.states.len())
            .filter(|&at| chart.is_inside(at, outer) && orthogonal(at))
            .collect();
        if second.is_empty() || self.chance(0.4) {
            return vec![first];
        }
        vec![first, second[self.below(second.len())]]
    }

    fn transition(&mut self, source: usize) {
        let is_eventless = self.chance(0.15);
        let mut events = Vec::new();
        if !is_eventless {
            for _ in 0..=self.below(2) {
                events.push(self.descriptor());
            }
        }
        let cond = (is_eventless || self.chance(0.4)).then(|| self.condition(2, true));
        let targets = if self.chance(0.85) {
            self.inner_targets(0)
        } else {
            Vec::new()
        };
        let internal = self.chance(0.2);
        let content = self.maybe_block(0.5);
        self.chart.states[source]
            .transitions
            .push(self.chart.transitions.len());
        self.chart.transitions.push(Tr {
            source,
            events,
            cond,
            targets,
            internal,
            content,
        });
    }

    fn descriptor(&mut self) -> String {
        match self.below(12) {
            0 => "*".to_owned(),
            1 => "error".to_owned(),
            2 => {
                let at = self.below(self.chart.states.len());
                format!("done.state.{}", self.chart.states[at].id)
            }
            3 => "a.*".to_owned(),
            4 => "done".to_owned(),
            _ => EVENTS[self.below(EVENTS.len())].to_owned(),
        }
    }

    fn maybe_block(&mut self, p: f64) -> Vec<Act> {
        if !self.chance(p) {
            return Vec::new();
        }
        self.block(0)
    }

    fn block(&mut self, depth: usize) -> Vec<Act> {
        let n = 1 + self.below(2);
        (0..n).map(|_| self.act(depth)).collect()
    }

    fn act(&mut self, depth: usize) -> Act {
        match self.below(14) {
            0 | 1 => Act::Raise(EVENTS[self.below(EVENTS.len())].to_owned()),
            2 | 3 if self.sends => {
                let delay = [0, 0, 5, 10, 20][self.below(5)];
                let id = [None, Some("one"), Some("two")][self.below(3)].map(str::to_owned);
                Act::Send(EVENTS[self.below(EVENTS.len())].to_owned(), delay, id)
            }
            4 if self.sends => Act::Cancel(["one", "two"][self.below(2)].to_owned()),
            5 if self.fails => Act::Wrong,
            6 | 7 if depth < 2 => {
                let asks = self.asks;
                let cond = self.condition(1, asks);
                Act::If(cond, self.block(depth + 1), self.block(depth + 1))
            }
            8 if depth < 2 => {
                let numbers = (0..self.below(4))
                    .map(|_| self.rng.random_range(0..5))
                    .collect();
                Act::Foreach(numbers, self.var("y"), self.block(depth + 1))
            }
            9 => {
                let asks = self.asks;
                Act::Assign(self.var("ok"), self.condition(1, asks))
            }
            10 => Act::Assign(self.var("color"), Ex::Text(TEXTS[self.below(3)].to_owned())),
            _ => {
                let name = ["x", "y"][self.below(2)];
                Act::Assign(self.var(name), self.number())
            }
        }
    }

    fn any_number(&mut self) -> Ex {
        let name = ["x", "y"][self.below(2)];
        Ex::Var(self.var(name))
    }

    /// A small number: sums stay below a bound by a remainder.
    fn number(&mut self) -> Ex {
        let var = self.any_number();
        let other = match self.below(3) {
            0 => self.any_number(),
            _ => Ex::Int(self.rng.random_range(-3..4)),
        };
        let op = ["+", "-", "*"][self.below(3)];
        let sum = Ex::Op(op, Box::new(var), Box::new(other));
        let bound = [5, -3, 7][self.below(3)];
        Ex::Op("%", Box::new(sum), Box::new(Ex::Int(bound)))
    }

    fn condition(&mut self, depth: usize, asks: bool) -> Ex {
        let both = |op, left, right| Ex::Op(op, Box::new(left), Box::new(right));
        match self.below(10) {
            0 if depth > 0 => Ex::Not(Box::new(self.condition(depth - 1, asks))),
            1 | 2 if depth > 0 => {
                let op = ["&&", "||"][self.below(2)];
                both(
                    op,
                    self.condition(depth - 1, asks),
                    self.condition(depth - 1, asks),
                )
            }
            3 if asks => {
                let plain = self.plain_inside(0);
                Ex::In(plain)
            }
            4 => {
                // As a truth value: what is undefined is false.
                let ok = Ex::Var(self.var("ok"));
                Ex::Not(Box::new(Ex::Not(Box::new(ok))))
            }
            5 => both(
                ["===", "!=="][self.below(2)],
                Ex::Var(self.var("color")),
                Ex::Text(TEXTS[self.below(3)].to_owned()),
            ),
            6 if self.fails => both("===", Ex::Unknown, Ex::Int(1)),
            7 if self.names_events => both(
                "===",
                Ex::Event,
                Ex::Text(EVENTS[self.below(EVENTS.len())].to_owned()),
            ),
            _ => {
                let op = ["<", ">=", "===", "!=="][self.below(4)];
                let var = self.any_number();
                both(op, var, Ex::Int(self.rng.random_range(-3..4)))
            }
        }
    }
}
