//! Random timed automata, as models of SMV in continuous time, with finite twins: their regions.
//!
//! Two values of the clocks are in the same region if their whole parts agree up to the largest constants, and so do the order
//! of their fractions and which of them are zero; then the same steps are possible into the same regions (Alur and Dill, "A theory of
//! timed automata", 1994). Time grows beyond all bounds on some run through regions exactly if it passes again and again,
//! and each clock is zero or above its largest constant again and again. Nothing here knows of zones.

use crate::Rng;
use rand::Rng as _;
use std::collections::HashMap;
use std::fmt::Write as _;

/// A timed automaton with questions.
#[derive(Clone, Debug)]
pub struct TimedModel {
    /// How many clocks there are.
    n_clocks: usize,
    /// For each location the bound that it demands.
    locations: Vec<Option<Atom>>,
    edges: Vec<Edge>,
    /// Formulas over `at0`, `at1`, …: being at a location.
    formulas: Vec<String>,
    /// The location that should not be reached.
    bad: usize,
    /// Whether constants are written as halves of what they are: as if time had another unit.
    in_halves: bool,
}

/// A comparison of a clock with a constant.
#[derive(Clone, Copy, Debug)]
struct Atom {
    clock: usize,
    operator: &'static str,
    constant: u32,
}

#[derive(Clone, Debug)]
struct Edge {
    from: usize,
    to: usize,
    guard: Vec<Atom>,
    resets: Vec<bool>,
}

/// Constants are at most this.
const MAX_CONSTANT: u32 = 3;

/// Draws a timed automaton.
pub fn random_timed(rng: &mut Rng) -> TimedModel {
    let n_clocks = rng.random_range(1..=2);
    let n_locations = rng.random_range(2..=4);
    let atom = |rng: &mut Rng, operators: &[&'static str]| Atom {
        clock: rng.random_range(0..n_clocks),
        operator: operators[rng.random_range(0..operators.len())],
        constant: rng.random_range(0..=MAX_CONSTANT),
    };
    let locations = (0..n_locations)
        .map(|_| rng.random_bool(0.5).then(|| atom(rng, &["<=", "<"])))
        .collect();
    let n_edges = rng.random_range(2..=7);
    let edges = (0..n_edges).map(|_| Edge {
        from: rng.random_range(0..n_locations),
        to: rng.random_range(0..n_locations),
        guard: (0..rng.random_range(0..=2))
            .map(|_| atom(rng, &["<=", "<", ">=", ">", "="]))
            .collect(),
        resets: (0..n_clocks).map(|_| rng.random_bool(0.4)).collect(),
    });
    let edges = edges.collect();
    let at = |rng: &mut Rng| format!("at{}", rng.random_range(0..n_locations));
    let formulas = (0..3).map(|_| {
        let (p, q) = (at(rng), at(rng));
        match rng.random_range(0..7) {
            0 => format!("F {p}"),
            1 => format!("G F {p}"),
            2 => format!("F G {p}"),
            3 => format!("G ({p} -> F {q})"),
            4 => format!("(G F {p}) -> (G F {q})"),
            5 => format!("!{p} U {q}"),
            _ => format!("G (({p} & F {q}) -> ({p} U {q}))"),
        }
    });
    TimedModel {
        n_clocks,
        locations,
        edges,
        formulas: formulas.collect(),
        bad: rng.random_range(0..n_locations),
        in_halves: rng.random_bool(0.3),
    }
}

impl TimedModel {
    /// The model in continuous time.
    pub fn timed(&self) -> String {
        let mut text = String::from("@TIME_DOMAIN continuous\nMODULE main\nVAR\n");
        let names: Vec<String> = (0..self.locations.len()).map(|i| format!("l{i}")).collect();
        let _ = writeln!(text, "  l : {{{}}};", names.join(", "));
        for clock in 0..self.n_clocks {
            let _ = writeln!(text, "  x{clock} : clock;");
        }
        text.push_str("DEFINE\n");
        for i in 0..self.locations.len() {
            let _ = writeln!(text, "  at{i} := l = l{i};");
        }
        text.push_str("INIT l = l0;\n");
        for clock in 0..self.n_clocks {
            let _ = writeln!(text, "INIT x{clock} = 0;");
        }
        for (i, bound) in self.locations.iter().enumerate() {
            if let Some(bound) = bound {
                let _ = writeln!(text, "INVAR l = l{i} -> {};", bound.text(self.in_halves));
            }
        }
        let edges = self.edges.iter().map(|edge| edge.text(self.in_halves));
        let edges: Vec<String> = edges.collect();
        let _ = writeln!(text, "TRANS {};", edges.join("\n  | "));
        self.ask(&mut text);
        text
    }

    fn ask(&self, text: &mut String) {
        for formula in &self.formulas {
            let _ = writeln!(text, "LTLSPEC {formula};");
        }
        let _ = writeln!(text, "INVARSPEC !at{};", self.bad);
    }

    /// The model of its regions: finite, with the same answers. A state is twice the number of a region, plus one if time has
    /// just passed; the last number is no state, so that no set is empty.
    pub fn twin(&self) -> String {
        let space = Space::new(self);
        let last = 2 * space.states.len();
        let set = |holds: &dyn Fn(usize, bool) -> bool| -> String {
            let members = (0..last).filter(|&s| holds(s / 2, s % 2 == 1));
            let members: Vec<String> = members.chain([last]).map(|s| s.to_string()).collect();
            format!("s in {{{}}}", members.join(", "))
        };
        let mut text = format!("MODULE main\nVAR s : 0..{last};\nDEFINE\n");
        for i in 0..self.locations.len() {
            let is_there = |s: usize, _| space.states[s].location == i;
            let _ = writeln!(text, "  at{i} := {};", set(&is_there));
        }
        text.push_str("ASSIGN\n  init(s) := 0;\n  next(s) := case\n");
        for (i, steps) in space
            .steps
            .iter()
            .enumerate()
            .filter(|(_, steps)| !steps.is_empty())
        {
            let targets = steps.iter().map(|&(to, moved)| 2 * to + usize::from(moved));
            let targets: Vec<String> = targets.map(|to| to.to_string()).collect();
            let (here, there) = (2 * i, targets.join(", "));
            let _ = writeln!(text, "    s = {here} | s = {} : {{{there}}};", here + 1);
        }
        let is_stuck = |s: usize, _| space.steps[s].is_empty();
        let _ = writeln!(text, "    TRUE : s;\n  esac;\nTRANS !({});", set(&is_stuck));
        let _ = writeln!(text, "INIT !({});", set(&|_, _| false));
        let _ = writeln!(text, "FAIRNESS {};", set(&|_, moved| moved));
        for clock in 0..self.n_clocks {
            let is_free = |s: usize, _| {
                let value = space.states[s].region[clock];
                value.is_none_or(|value| value == (0, 0))
            };
            let _ = writeln!(text, "FAIRNESS {};", set(&is_free));
        }
        self.ask(&mut text);
        text
    }

    /// The largest constant that a clock is compared with.
    fn largest(&self, clock: usize) -> u32 {
        let guards = self.edges.iter().flat_map(|edge| &edge.guard);
        let atoms = self.locations.iter().flatten().chain(guards);
        let own = atoms.filter(|atom| atom.clock == clock);
        own.map(|atom| atom.constant).max().unwrap_or(0)
    }
}

impl Atom {
    fn text(&self, in_halves: bool) -> String {
        let Self {
            clock,
            operator,
            constant,
        } = self;
        if in_halves {
            let (whole, rest) = (constant / 2, 5 * (constant % 2));
            format!("x{clock} {operator} {whole}.{rest}")
        } else {
            format!("x{clock} {operator} {constant}")
        }
    }

    /// Whether it holds in a region.
    fn holds(&self, region: &Region) -> bool {
        // Twice the value, plus one if there is a fraction.
        let doubled =
            region[self.clock].map_or(u32::MAX, |(whole, order)| 2 * whole + u32::from(order > 0));
        let constant = 2 * self.constant;
        match self.operator {
            "<" => doubled < constant,
            "<=" => doubled <= constant,
            ">" => doubled > constant,
            ">=" => doubled >= constant,
            _ => doubled == constant,
        }
    }
}

impl Edge {
    fn text(&self, in_halves: bool) -> String {
        let mut parts = vec![format!("l = l{} & next(l) = l{}", self.from, self.to)];
        parts.extend(self.guard.iter().map(|atom| atom.text(in_halves)));
        for (clock, is_reset) in self.resets.iter().enumerate() {
            let value = if *is_reset {
                "0".into()
            } else {
                format!("x{clock}")
            };
            parts.push(format!("next(x{clock}) = {value}"));
        }
        format!("({})", parts.join(" & "))
    }
}

/// For each clock nothing if it is above its largest constant, else its whole part and the rank of its fraction: 0 if that is zero.
type Region = Vec<Option<(u32, usize)>>;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    location: usize,
    region: Region,
}

/// The states that can be reached, with their steps and whether time passes in them.
struct Space {
    states: Vec<State>,
    steps: Vec<Vec<(usize, bool)>>,
}

impl Space {
    fn new(model: &TimedModel) -> Self {
        let mut space = Self {
            states: Vec::new(),
            steps: Vec::new(),
        };
        let start = State {
            location: 0,
            region: vec![Some((0, 0)); model.n_clocks],
        };
        let mut known = HashMap::new();
        if is_allowed(model, &start) {
            known.insert(start.clone(), 0);
            space.states.push(start);
        }
        while space.steps.len() < space.states.len() {
            let from = space.states[space.steps.len()].clone();
            let mut steps = Vec::new();
            for (to, moved) in successors(model, &from) {
                let next = known.len();
                let number = *known.entry(to.clone()).or_insert_with(|| {
                    space.states.push(to);
                    next
                });
                steps.push((number, moved));
            }
            space.steps.push(steps);
        }
        space
    }
}

fn is_allowed(model: &TimedModel, state: &State) -> bool {
    model.locations[state.location].is_none_or(|bound| bound.holds(&state.region))
}

fn successors(model: &TimedModel, from: &State) -> Vec<(State, bool)> {
    let mut found = Vec::new();
    for edge in &model.edges {
        if edge.from == from.location && edge.guard.iter().all(|atom| atom.holds(&from.region)) {
            let clocks = from.region.iter().zip(&edge.resets);
            let region = clocks.map(|(own, is_reset)| if *is_reset { Some((0, 0)) } else { *own });
            let to = State {
                location: edge.to,
                region: ranked(region.collect()),
            };
            found.push((to, false));
        }
    }
    let mut later = State {
        location: from.location,
        region: passed(model, &from.region),
    };
    found.push((later.clone(), true));
    // Time can pass inside of a region that is open in the direction of time.
    if from.region.iter().flatten().all(|(_, order)| *order > 0) {
        later.region.clone_from(&from.region);
        found.push((later, true));
    }
    found.retain(|(state, _)| is_allowed(model, state));
    found
}

/// The region that time leads to next.
fn passed(model: &TimedModel, region: &Region) -> Region {
    let is_whole = |clock: &Option<(u32, usize)>| clock.is_some_and(|(_, order)| order == 0);
    let largest_order = region.iter().flatten().map(|(_, order)| *order).max();
    let starts = region.iter().any(is_whole);
    let next = region.iter().enumerate().map(|(clock, value)| {
        let (whole, order) = (*value)?;
        let moved = match (starts, order) {
            (true, 0) => (whole, 1),
            (true, _) => (whole, order + 1),
            (false, _) if Some(order) == largest_order => (whole + 1, 0),
            (false, _) => (whole, order),
        };
        let doubled = 2 * moved.0 + u32::from(moved.1 > 0);
        (doubled <= 2 * model.largest(clock)).then_some(moved)
    });
    ranked(next.collect())
}

/// The region with the ranks of fractions without gaps.
fn ranked(mut region: Region) -> Region {
    let mut orders: Vec<usize> = region.iter().flatten().map(|(_, order)| *order).collect();
    orders.push(0);
    orders.sort_unstable();
    orders.dedup();
    for (_, order) in region.iter_mut().flatten() {
        *order = orders.binary_search(order).expect("it is one of them");
    }
    region
}
