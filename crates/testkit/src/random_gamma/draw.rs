//! Draws models: small ones with everything that the reader knows.

use super::queues::Adapter;
use super::{Do, Entry, Gamma, GammaChart, If, Joi, Kind, On, Place, Reg, Sta, Tra, Via};
use crate::Rng;
use rand::Rng as _;

const MAX_STATES: usize = 9;

pub(super) fn draw(rng: &mut Rng) -> Gamma {
    let n = if rng.random_bool(0.5) {
        1
    } else {
        rng.random_range(2..4)
    };
    let charts: Vec<GammaChart> = (0..n).map(|_| chart(rng)).collect();
    let kind = match (rng.random_range(0..4), n) {
        (0, _) => Kind::Scheduled,
        (1, _) if rng.random_bool(0.5) => Kind::Async,
        (_, 1) => Kind::Alone,
        (2, _) => Kind::Sync,
        _ => Kind::Cascade,
    };
    let mut links = Vec::new();
    for to in 0..n {
        let from = rng.random_range(0..n);
        if n > 1 && from != to && rng.random_bool(0.7) {
            links.push((from, to));
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    let has_order = matches!(kind, Kind::Cascade | Kind::Scheduled);
    if has_order && n > 1 && rng.random_bool(0.4) {
        order = (0..rng.random_range(1..5))
            .map(|_| rng.random_range(0..n))
            .collect();
    }
    let adapters = (0..n).map(|_| Adapter::draw(rng)).collect();
    Gamma {
        charts,
        kind,
        order,
        links,
        adapters,
        burst: rng.random_range(1..3),
    }
}

fn chart(rng: &mut Rng) -> GammaChart {
    let mut maker = Maker {
        chart: GammaChart {
            bottom_up: rng.random_bool(0.5),
            by_value: [None, Some(false), Some(true)][rng.random_range(0..3)],
            unordered: rng.random_bool(0.15),
            early: rng.random_bool(0.2),
            ..GammaChart::default()
        },
        rng,
    };
    let tops = if maker.rng.random_bool(0.3) { 2 } else { 1 };
    for _ in 0..tops {
        maker.region(None, 0);
    }
    maker.nodes();
    let n = maker.chart.states.len();
    for _ in 0..maker.rng.random_range(n..2 * n + 3) {
        maker.arc();
    }
    maker.joins();
    maker.chart
}

struct Maker<'a> {
    chart: GammaChart,
    rng: &'a mut Rng,
}

impl Maker<'_> {
    fn region(&mut self, parent: Option<usize>, depth: usize) -> usize {
        let id = self.chart.regions.len();
        let entry = match self.rng.random_range(0..5) {
            0 => Entry::Shallow,
            1 => Entry::Deep,
            _ => Entry::Initial,
        };
        self.chart.regions.push(Reg {
            parent,
            states: Vec::new(),
            entry,
            first: 0,
            first_acts: Vec::new(),
        });
        for _ in 0..self.rng.random_range(1..4) {
            let state = self.chart.states.len();
            let (entry_acts, exit) = (self.acts(0.5), self.acts(0.4));
            self.chart.states.push(Sta {
                region: id,
                regions: Vec::new(),
                entry: entry_acts,
                exit,
            });
            self.chart.regions[id].states.push(state);
            if depth < 2 && self.chart.states.len() < MAX_STATES && self.rng.random_bool(0.4) {
                for _ in 0..self.rng.random_range(1..3) {
                    let inner = self.region(Some(state), depth + 1);
                    self.chart.states[state].regions.push(inner);
                }
            }
        }
        let states = self.chart.regions[id].states.clone();
        self.chart.regions[id].first = states[self.rng.random_range(0..states.len())];
        self.chart.regions[id].first_acts = self.acts(0.3);
        id
    }

    fn acts(&mut self, chance: f64) -> Vec<Do> {
        let mut all = Vec::new();
        while all.len() < 3 && self.rng.random_bool(chance) {
            let act = match self.rng.random_range(0..9) {
                0 | 1 => Do::Add(self.rng.random_range(1..4)),
                2 => Do::Flip,
                3 => Do::A,
                4 => Do::B,
                5 => Do::Set(self.rng.random_range(0..7)),
                6 => Do::Off,
                7 => Do::Take,
                _ => Do::IfLess(
                    self.rng.random_range(0..5),
                    self.rng.random_range(1..4),
                    self.rng.random_range(1..4),
                ),
            };
            all.push(act);
        }
        all
    }

    /// The region without a parent that something is in.
    fn top(&self, mut region: usize) -> usize {
        while let Some(state) = self.chart.regions[region].parent {
            region = self.chart.states[state].region;
        }
        region
    }

    fn state_near(&mut self, region: usize) -> usize {
        let top = self.top(region);
        let near: Vec<usize> = (0..self.chart.states.len())
            .filter(|&state| self.top(self.chart.states[state].region) == top)
            .collect();
        near[self.rng.random_range(0..near.len())]
    }

    /// Choices and merges; their branches lead to states and to later nodes.
    fn nodes(&mut self) {
        let n = self.rng.random_range(0..4);
        for _ in 0..n {
            let region = self.rng.random_range(0..self.chart.regions.len());
            self.chart.nodes.push(Via {
                region,
                is_merge: self.rng.random_bool(0.3),
                branches: Vec::new(),
            });
        }
        for at in 0..n {
            let n_branches = if self.chart.nodes[at].is_merge {
                1
            } else {
                self.rng.random_range(1..4)
            };
            for branch in 0..n_branches {
                let region = self.chart.nodes[at].region;
                let later: Vec<usize> = (at + 1..n)
                    .filter(|&other| self.top(self.chart.nodes[other].region) == self.top(region))
                    .collect();
                let to = if !later.is_empty() && self.rng.random_bool(0.4) {
                    Place::Via(later[self.rng.random_range(0..later.len())])
                } else {
                    Place::State(self.state_near(region))
                };
                let is_last = branch + 1 == n_branches;
                let guard = if self.chart.nodes[at].is_merge {
                    If::Yes
                } else if is_last && self.rng.random_bool(0.8) {
                    If::Else
                } else {
                    // Whether a state that is being left is still active is not said.
                    match self.guard() {
                        If::In(_) => If::Yes,
                        guard => guard,
                    }
                };
                let arc = Tra {
                    from: Place::Via(at),
                    to,
                    more: Vec::new(),
                    on: On::Cycle,
                    guard,
                    acts: self.acts(0.4),
                    value: self.rng.random_range(0..3),
                };
                self.chart.nodes[at].branches.push(arc);
            }
        }
    }

    fn guard(&mut self) -> If {
        match self.rng.random_range(0..8) {
            0 | 1 => If::Less(self.rng.random_range(0..5)),
            2 => If::Is(self.rng.random_range(0..5)),
            3 => If::Flag,
            4 => If::NotFlag,
            5 => If::In(self.rng.random_range(0..self.chart.states.len())),
            6 => If::Param,
            _ => If::Yes,
        }
    }

    fn arc(&mut self) {
        let from = self.rng.random_range(0..self.chart.states.len());
        let region = self.chart.states[from].region;
        let vias: Vec<usize> = (0..self.chart.nodes.len())
            .filter(|&at| self.top(self.chart.nodes[at].region) == self.top(region))
            .collect();
        let memories: Vec<usize> = (0..self.chart.regions.len())
            .filter(|&at| {
                self.chart.regions[at].entry != Entry::Initial && self.top(at) == self.top(region)
            })
            .collect();
        let mut more = Vec::new();
        let to = if !vias.is_empty() && self.rng.random_bool(0.3) {
            Place::Via(vias[self.rng.random_range(0..vias.len())])
        } else if !memories.is_empty() && self.rng.random_bool(0.15) {
            Place::Memory(memories[self.rng.random_range(0..memories.len())])
        } else {
            let to = self.state_near(region);
            // A fork: the same state's other region, too.
            let around = self.chart.regions[self.chart.states[to].region].parent;
            if let Some(around) = around
                && self.rng.random_bool(0.3)
            {
                for &other in &self.chart.states[around].regions.clone() {
                    if other != self.chart.states[to].region && self.rng.random_bool(0.7) {
                        let states = self.chart.regions[other].states.clone();
                        more.push(states[self.rng.random_range(0..states.len())]);
                    }
                }
            }
            Place::State(to)
        };
        let on = match self.rng.random_range(0..12) {
            0..=2 => On::A,
            3 | 4 => On::B,
            5 => On::Any,
            6 => On::Timeout,
            7 => On::NotA,
            8 => On::Both,
            9 => On::AOrTimeout,
            _ => On::Cycle,
        };
        let arc = Tra {
            from: Place::State(from),
            to,
            more,
            on,
            guard: self.guard(),
            acts: self.acts(0.5),
            value: self.rng.random_range(0..3),
        };
        self.chart.arcs.push(arc);
    }

    fn joins(&mut self) {
        for state in 0..self.chart.states.len() {
            if self.chart.states[state].regions.len() < 2 || !self.rng.random_bool(0.5) {
                continue;
            }
            let mut from = Vec::new();
            for &region in &self.chart.states[state].regions.clone() {
                let states = self.chart.regions[region].states.clone();
                from.push(states[self.rng.random_range(0..states.len())]);
            }
            let region = self.chart.states[state].region;
            let states = self.chart.regions[region].states.clone();
            let to = states[self.rng.random_range(0..states.len())];
            let acts = self.acts(0.4);
            self.chart.joins.push(Joi {
                region,
                from,
                to,
                acts,
            });
        }
    }
}
