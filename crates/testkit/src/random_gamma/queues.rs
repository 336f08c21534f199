//! Adapters of random models: queues with priorities and capacities, what makes a chart run, and messages that wait.

use super::{Gamma, Kind};
use crate::Rng;
use rand::Rng as _;
use std::collections::VecDeque;
use std::fmt::Write as _;

/// What can come to an adapter: the two events of the chart's port, and the same two of a port of the adapter's own.
pub(super) const MESSAGES: [&str; 4] = ["inp.a", "inp.b", "go.a", "go.b"];

/// The adapter of a chart.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    pub queues: Vec<QueueRule>,
    /// For which messages the chart runs.
    runs: [bool; 4],
}

#[derive(Clone, Debug)]
pub(super) struct QueueRule {
    priority: u32,
    capacity: usize,
    drops_oldest: bool,
    /// The messages that it takes, in the order of the text.
    pub takes: Vec<usize>,
}

/// A message of the environment: to which chart, what, and its parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub chart: usize,
    pub what: usize,
    pub v: i64,
}

/// The messages that wait in the queues of a chart.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    pub queues: Vec<VecDeque<(usize, i64)>>,
    /// Which queues lost a message in this cycle.
    pub lost: Vec<bool>,
}

impl Waiting {
    pub fn new(adapter: &Adapter) -> Self {
        Self {
            queues: vec![VecDeque::new(); adapter.queues.len()],
            lost: vec![false; adapter.queues.len()],
        }
    }

    /// A message comes to the first queue by priority that is for it.
    pub fn put(&mut self, adapter: &Adapter, what: usize, v: i64) {
        let Some(at) = adapter.queue_of(what) else {
            return;
        };
        let (rule, queue) = (&adapter.queues[at], &mut self.queues[at]);
        if queue.len() == rule.capacity {
            self.lost[at] = true;
            if !rule.drops_oldest {
                return;
            }
            queue.pop_front();
        }
        queue.push_back((what, v));
    }

    /// Takes the message that comes next, and whether the chart runs for it.
    pub fn take(&mut self, adapter: &Adapter) -> Option<(usize, i64, bool)> {
        let mut order: Vec<usize> = (0..self.queues.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(adapter.queues[at].priority));
        let message = order.into_iter().find_map(|at| self.queues[at].pop_front());
        message.map(|(what, v)| (what, v, adapter.runs[what]))
    }

    /// What is in each place, as in the variables of the system.
    pub fn show(&self, adapter: &Adapter, mut say: impl FnMut(&str, i64)) {
        for (at, rule) in adapter.queues.iter().enumerate() {
            say(&format!("q{at}.lost"), i64::from(self.lost[at]));
            for place in 0..rule.capacity {
                let (what, v) = self.queues[at].get(place).copied().unzip();
                let position = what.and_then(|what| {
                    let mut kinds = adapter.kinds(at).into_iter();
                    kinds.position(|known| known == what)
                });
                let number = position.map_or(0, |position| {
                    1 + i64::try_from(position).expect("few kinds")
                });
                say(&format!("q{at}[{}]", place + 1), number);
                let has_value = adapter.kinds(at).iter().any(|what| what % 2 == 1);
                if has_value {
                    let v = v.filter(|_| what.is_some_and(|what| what % 2 == 1));
                    say(&format!("q{at}[{}].0", place + 1), v.unwrap_or(0));
                }
            }
        }
    }
}

impl Adapter {
    pub fn draw(rng: &mut Rng) -> Self {
        let n = rng.random_range(1..3);
        let mut queues: Vec<QueueRule> = (0..n)
            .map(|_| QueueRule {
                priority: rng.random_range(1..4),
                capacity: rng.random_range(1..4),
                drops_oldest: rng.random_bool(0.4),
                takes: Vec::new(),
            })
            .collect();
        for what in 0..MESSAGES.len() {
            for _ in 0..2 {
                let at = rng.random_range(0..n);
                if rng.random_bool(0.7) && !queues[at].takes.contains(&what) {
                    queues[at].takes.push(what);
                }
            }
        }
        for queue in &mut queues {
            if queue.takes.is_empty() {
                queue.takes.push(rng.random_range(0..MESSAGES.len()));
            }
        }
        let all = rng.random_bool(0.5);
        Self {
            queues,
            runs: std::array::from_fn(|_| all || rng.random_bool(0.6)),
        }
    }

    fn queue_of(&self, what: usize) -> Option<usize> {
        let all = 0..self.queues.len();
        let mut fitting: Vec<usize> = all
            .filter(|&at| self.queues[at].takes.contains(&what))
            .collect();
        fitting.sort_by_key(|&at| std::cmp::Reverse(self.queues[at].priority));
        fitting.first().copied()
    }

    /// The messages that really come to a queue.
    pub fn kinds(&self, queue: usize) -> Vec<usize> {
        let takes = self.queues[queue].takes.iter().copied();
        takes
            .filter(|&what| self.queue_of(what) == Some(queue))
            .collect()
    }

    pub fn print(&self, at: usize, out: &mut String) {
        let _ = writeln!(
            out,
            "adapter A{at} of component c : C{at} [\n  port go : requires Ev\n] {{"
        );
        if self.runs == [true; 4] {
            out.push_str("  when any / run\n");
        } else if self.runs[..2] == [true; 2] {
            out.push_str("  when inp.any / run\n");
        }
        for (what, name) in MESSAGES.iter().enumerate() {
            if self.runs[what] && self.runs != [true; 4] {
                let _ = writeln!(out, "  when {name} / run");
            }
        }
        for (at, queue) in self.queues.iter().enumerate() {
            let discard = if queue.drops_oldest {
                ", discard = oldest"
            } else {
                ""
            };
            let names: Vec<&str> = queue.takes.iter().map(|&what| MESSAGES[what]).collect();
            let _ = writeln!(
                out,
                "  queue q{at}(priority = {}, capacity = {}{discard}) {{ {} }}",
                queue.priority,
                queue.capacity,
                names.join(", ")
            );
        }
        out.push_str("}\n");
    }
}

/// The messages of the environment before a cycle: up to so many for each queue.
pub(super) fn draw_messages(model: &Gamma, rng: &mut Rng) -> Vec<Message> {
    let mut all = Vec::new();
    if !matches!(model.kind, Kind::Scheduled | Kind::Async) {
        return all;
    }
    for (chart, adapter) in model.adapters.iter().enumerate() {
        let is_linked = model.links.iter().any(|&(_, to)| to == chart);
        for queue in 0..adapter.queues.len() {
            let mut kinds = adapter.kinds(queue);
            kinds.retain(|&what| what >= 2 || !is_linked);
            for _ in 0..model.burst {
                if !kinds.is_empty() && rng.random_bool(0.6) {
                    let what = kinds[rng.random_range(0..kinds.len())];
                    let v = if what % 2 == 1 {
                        rng.random_range(0..6)
                    } else {
                        0
                    };
                    all.push(Message { chart, what, v });
                }
            }
        }
    }
    all
}
