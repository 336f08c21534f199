//! Interprets random models, straight from what the rules say: sets of active states, and what regions remember.

use super::queues::Waiting;
use super::{Comes, Do, Entry, Gamma, GammaChart, If, Kind, On, PERIOD, Place, Tra, named};
use std::collections::{BTreeMap, BTreeSet};

/// Choices, all combinations of which are gone through one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    /// What is chosen, and out of how many.
    made: Vec<(usize, usize)>,
    at: usize,
}

impl Choices {
    pub fn pick(&mut self, n: usize) -> usize {
        if self.at == self.made.len() {
            self.made.push((0, n));
        }
        self.at += 1;
        self.made[self.at - 1].0
    }

    /// Goes on to the next combination; whether there is one.
    pub fn next(&mut self) -> bool {
        self.made.truncate(self.at);
        self.at = 0;
        while let Some((chosen, n)) = self.made.pop() {
            if chosen + 1 < n {
                self.made.push((chosen + 1, n));
                return true;
            }
        }
        false
    }
}

/// An event: whether it is there, for each of the two, and the parameter of the second.
#[derive(Clone, Copy, Debug, Default)]
struct Mail {
    a: bool,
    b: bool,
    v: i64,
}

#[derive(Clone, Debug, Default)]
struct Part {
    active: BTreeSet<usize>,
    memory: BTreeMap<usize, usize>,
    x: i64,
    f: bool,
    /// What is left of the timeout; none if it is switched off.
    t: Option<i64>,
    inbox: Mail,
    later: Mail,
    sent: Mail,
    /// What was sent and goes into queues when the chart has run.
    outbox: Mail,
    waiting: Waiting,
}

/// A state of a model.
#[derive(Clone, Debug)]
pub(super) struct World {
    parts: Vec<Part>,
}

/// Nothing is possible.
struct Stuck;
type Run<T> = Result<T, Stuck>;

impl World {
    /// All states after a cycle, or at the start; nothing if there are too many.
    pub fn outcomes(
        model: &Gamma,
        before: Option<&World>,
        comes: Comes<'_>,
        most: usize,
    ) -> Option<BTreeMap<String, World>> {
        let mut all = BTreeMap::new();
        let mut choices = Choices::default();
        for _ in 0..most {
            let mut play = Play {
                model,
                world: before.cloned().unwrap_or_else(|| World::new(model)),
                choices: &mut choices,
                at: 0,
                early: Vec::new(),
            };
            let done = match before {
                None => play.start(),
                Some(_) => play.cycle(comes),
            };
            let world = play.world;
            if done.is_ok() {
                all.insert(world.show(model), world);
            }
            if !choices.next() {
                return Some(all);
            }
        }
        None
    }

    fn new(model: &Gamma) -> Self {
        let part = Part {
            x: 1,
            t: Some(0),
            ..Part::default()
        };
        let parts = model.adapters.iter().map(|adapter| Part {
            waiting: Waiting::new(adapter),
            ..part.clone()
        });
        Self {
            parts: parts.collect(),
        }
    }

    fn show(&self, model: &Gamma) -> String {
        let mut parts = Vec::new();
        for (at, part) in self.parts.iter().enumerate() {
            let mut say = |name: &str, value: i64| {
                parts.push(format!("{}={value}", named(model, at, name)));
            };
            say("x", part.x);
            say("f", i64::from(part.f));
            say("t", part.t.unwrap_or(-1));
            say("outp.a", i64::from(part.sent.a));
            say("outp.b", i64::from(part.sent.b));
            say("outp.b.v", part.sent.v);
            if model.is_async() {
                part.waiting.show(&model.adapters[at], say);
            }
            parts.extend(
                part.active
                    .iter()
                    .map(|state| named(model, at, &format!("S{state}"))),
            );
        }
        parts.sort();
        parts.join(" ")
    }
}

struct Play<'a> {
    model: &'a Gamma,
    world: World,
    choices: &'a mut Choices,
    /// The chart that runs.
    at: usize,
    /// Which arcs were possible when its run began, if that is what counts.
    early: Vec<bool>,
}

impl<'a> Play<'a> {
    fn chart(&self) -> &'a GammaChart {
        &self.model.charts[self.at]
    }

    fn part(&mut self) -> &mut Part {
        &mut self.world.parts[self.at]
    }

    fn start(&mut self) -> Run<()> {
        for at in 0..self.model.charts.len() {
            self.at = at;
            let chart = self.chart();
            let tops: Vec<usize> = (0..chart.regions.len())
                .filter(|&region| chart.regions[region].parent.is_none())
                .collect();
            for &region in &tops {
                self.enter_default(region)?;
            }
            for &region in &tops {
                self.entry_actions(region);
            }
        }
        self.deliver();
        if self.model.is_async() {
            let rest = 0..self.model.charts.len();
            for at in self.model.order.iter().copied().chain(rest) {
                self.post(at);
            }
        }
        Ok(())
    }

    fn cycle(&mut self, comes: Comes<'_>) -> Run<()> {
        let inputs = comes.inputs;
        for (at, part) in self.world.parts.iter_mut().enumerate() {
            part.sent = Mail::default();
            part.waiting.lost.fill(false);
            let is_async = self.model.is_async();
            if !is_async && !self.model.links.iter().any(|&(_, to)| to == at) {
                let [a, b, v] = inputs[at];
                part.inbox = Mail {
                    a: a != 0,
                    b: b != 0,
                    v,
                };
            }
            part.t = part.t.map(|t| (t - PERIOD).max(0));
        }
        for message in comes.messages {
            let adapter = &self.model.adapters[message.chart];
            let waiting = &mut self.world.parts[message.chart].waiting;
            waiting.put(adapter, message.what, message.v);
        }
        match self.model.kind {
            Kind::Async => {
                let at = self.choices.pick(self.model.charts.len());
                self.take_message(at)?;
            }
            Kind::Scheduled => {
                for &at in &self.model.order {
                    self.take_message(at)?;
                }
            }
            _ => {
                for &at in &self.model.order {
                    self.at = at;
                    self.run_chart()?;
                    self.part().inbox = Mail::default();
                }
            }
        }
        self.deliver();
        Ok(())
    }

    /// An adapter hands a message to its chart, which runs if it is one to run for.
    fn take_message(&mut self, at: usize) -> Run<()> {
        self.at = at;
        let part = &mut self.world.parts[at];
        let Some((what, v, runs)) = part.waiting.take(&self.model.adapters[at]) else {
            return Ok(());
        };
        match what {
            0 => part.inbox.a = true,
            1 => (part.inbox.b, part.inbox.v) = (true, v),
            _ => {}
        }
        if runs {
            self.run_chart()?;
            self.part().inbox = Mail::default();
            self.post(at);
        }
        Ok(())
    }

    /// What a chart sent goes into the queues of those that hear it.
    fn post(&mut self, from: usize) {
        let sent = std::mem::take(&mut self.world.parts[from].outbox);
        for (what, is_sent) in [(0, sent.a), (1, sent.b)] {
            for &(_, to) in self
                .model
                .links
                .iter()
                .filter(|&&(sender, _)| sender == from)
            {
                let waiting = &mut self.world.parts[to].waiting;
                if is_sent {
                    let v = if what == 1 { sent.v } else { 0 };
                    waiting.put(&self.model.adapters[to], what, v);
                }
            }
        }
    }

    /// What was sent at the same time arrives afterwards.
    fn deliver(&mut self) {
        for part in &mut self.world.parts {
            let later = std::mem::take(&mut part.later);
            if later.a {
                part.inbox.a = true;
            }
            if later.b {
                (part.inbox.b, part.inbox.v) = (true, later.v);
            }
        }
    }

    fn run_chart(&mut self) -> Run<()> {
        let chart = self.chart();
        self.early = chart.arcs.iter().map(|arc| self.is_possible(arc)).collect();
        let tops: Vec<usize> = (0..chart.regions.len())
            .filter(|&region| chart.regions[region].parent.is_none())
            .collect();
        self.run_regions(None, &tops)?;
        Ok(())
    }

    fn run_regions(&mut self, state: Option<usize>, regions: &[usize]) -> Run<bool> {
        let mut rest = regions.to_vec();
        let mut fired = false;
        while !rest.is_empty() {
            let next = if self.chart().unordered && rest.len() > 1 {
                self.choices.pick(rest.len())
            } else {
                0
            };
            let region = rest.remove(next);
            if state.is_none_or(|state| self.part().active.contains(&state)) {
                fired |= self.run_region(region)?;
            }
        }
        Ok(fired)
    }

    fn run_region(&mut self, region: usize) -> Run<bool> {
        let states = &self.chart().regions[region].states;
        let Some(state) = states
            .iter()
            .copied()
            .find(|state| self.part().active.contains(state))
        else {
            return Ok(false);
        };
        let regions = &self.chart().states[state].regions;
        if self.chart().bottom_up {
            return Ok(self.run_regions(Some(state), regions)? || self.fire_one(state)?);
        }
        Ok(self.fire_one(state)? || self.run_regions(Some(state), regions)?)
    }

    /// Fires one of the transitions of a state, or a join out of it.
    fn fire_one(&mut self, state: usize) -> Run<bool> {
        let chart = self.chart();
        // What can fire: an arc or a join, with its priority.
        let mut can: Vec<(bool, usize, i64)> = Vec::new();
        for (at, arc) in chart.arcs.iter().enumerate() {
            let counts = if chart.early {
                self.early[at]
            } else {
                self.is_possible(arc)
            };
            if arc.from == Place::State(state) && counts {
                can.push((false, at, arc.value));
            }
        }
        for (at, join) in chart.joins.iter().enumerate() {
            let active = &self.world.parts[self.at].active;
            let is_own = chart.regions[chart.states[join.from[0]].region].parent == Some(state);
            if is_own && join.from.iter().all(|from| active.contains(from)) {
                can.push((true, at, 0));
            }
        }
        let best = can.iter().map(|&(_, _, value)| value).max();
        let chosen = match chart.by_value {
            Some(false) => can.first().copied(),
            Some(true) => {
                can.retain(|&(_, _, value)| Some(value) == best);
                self.any(&can)
            }
            None => self.any(&can),
        };
        match chosen {
            None => Ok(false),
            Some((false, at, _)) => {
                let arc = &chart.arcs[at];
                self.leave(Place::State(state), &ends(arc));
                self.go(arc)?;
                Ok(true)
            }
            Some((true, at, _)) => {
                let join = &chart.joins[at];
                let mut ends = vec![Place::State(join.to)];
                ends.extend(join.from[1..].iter().map(|&from| Place::State(from)));
                self.leave(Place::State(join.from[0]), &ends);
                self.act(&join.acts);
                self.enter(
                    Place::State(join.from[0]),
                    &ends[1..],
                    &[Place::State(join.to)],
                )?;
                Ok(true)
            }
        }
    }

    fn any<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        match all {
            [] => None,
            [one] => Some(*one),
            _ => Some(all[self.choices.pick(all.len())]),
        }
    }

    /// Follows an arc whose source was left.
    fn go(&mut self, arc: &Tra) -> Run<()> {
        self.act(&arc.acts);
        let to = ends(arc);
        self.enter(arc.from, &[], &to)?;
        let Place::Via(node) = arc.to else {
            return Ok(());
        };
        let chart = self.chart();
        let via = &chart.nodes[node];
        let mut can = Vec::new();
        let mut last = None;
        for (at, branch) in via.branches.iter().enumerate() {
            if matches!(branch.guard, If::Else) {
                last = Some(at);
            } else if self.is_possible(branch) {
                can.push(at);
            }
        }
        let chosen = match (chart.by_value, can.is_empty()) {
            (_, true) => last,
            (Some(false), _) => can.first().copied(),
            (Some(true), _) => {
                let best = can.iter().map(|&at| via.branches[at].value).max();
                can.retain(|&at| Some(via.branches[at].value) == best);
                self.any(&can)
            }
            (None, _) => self.any(&can),
        };
        let branch = &via.branches[chosen.ok_or(Stuck)?];
        self.leave(Place::Via(node), &ends(branch));
        self.go(branch)
    }

    fn is_possible(&self, arc: &Tra) -> bool {
        let part = &self.world.parts[self.at];
        let (a, b) = (part.inbox.a, part.inbox.b);
        let over = part.t == Some(0);
        let on = match arc.on {
            On::Cycle => true,
            On::A => a,
            On::B => b,
            On::Any => a || b,
            On::Timeout => over,
            On::NotA => !a,
            On::Both => a && b,
            On::AOrTimeout => a || over,
        };
        on && match arc.guard {
            If::Yes | If::Else => true,
            If::Less(k) => part.x < k,
            If::Is(k) => part.x == k,
            If::Flag => part.f,
            If::NotFlag => !part.f,
            If::In(state) => part.active.contains(&state),
            If::Param => part.inbox.v > part.x,
        }
    }

    fn act(&mut self, acts: &[Do]) {
        for act in acts {
            let part = self.part();
            match *act {
                Do::Add(k) => part.x = (part.x + k) % 5,
                Do::Flip => part.f = !part.f,
                Do::Set(k) => part.t = Some((k + PERIOD - 1) / PERIOD * PERIOD),
                Do::Off => part.t = None,
                Do::Take => part.x = part.inbox.v % 5,
                Do::IfLess(k, yes, _) if part.x < k => part.x = (part.x + yes) % 5,
                Do::IfLess(_, _, no) => {
                    part.x = (part.x + no) % 5;
                    part.f = true;
                }
                Do::A => {
                    part.sent.a = true;
                    self.send(|mail| mail.a = true);
                }
                Do::B => {
                    let x = part.x;
                    (part.sent.b, part.sent.v) = (true, x);
                    self.send(|mail| (mail.b, mail.v) = (true, x));
                }
            }
        }
    }

    fn send(&mut self, put: impl Fn(&mut Mail)) {
        if self.model.is_async() {
            put(&mut self.part().outbox);
            return;
        }
        for &(from, to) in &self.model.links {
            if from == self.at {
                let part = &mut self.world.parts[to];
                put(if self.model.kind == Kind::Sync {
                    &mut part.later
                } else {
                    &mut part.inbox
                });
            }
        }
    }

    // Places.

    fn region_of(&self, place: Place) -> usize {
        match place {
            Place::State(state) => self.chart().states[state].region,
            Place::Via(node) => self.chart().nodes[node].region,
            Place::Memory(region) => region,
        }
    }

    /// The states around a place, from inside; without the place itself.
    fn around(&self, place: Place) -> Vec<usize> {
        let mut all = Vec::new();
        let mut region = self.region_of(place);
        while let Some(state) = self.chart().regions[region].parent {
            all.push(state);
            region = self.chart().states[state].region;
        }
        all
    }

    /// The states around all places, from inside.
    fn around_all(&self, places: &[Place]) -> Vec<usize> {
        let others: Vec<Vec<usize>> = places[1..]
            .iter()
            .map(|&place| self.around(place))
            .collect();
        let mut all = self.around(places[0]);
        all.retain(|state| others.iter().all(|around| around.contains(state)));
        // Two regions of the innermost state: the state itself is left and entered again.
        while let Some(&state) = all.first() {
            let of = |place: Place| {
                let regions = &self.chart().states[state].regions;
                let mut chain = vec![self.region_of(place)];
                chain.extend(
                    self.around(place)
                        .iter()
                        .map(|&outer| self.chart().states[outer].region),
                );
                regions
                    .iter()
                    .copied()
                    .find(|region| chain.contains(region))
            };
            let first = of(places[0]);
            if places.iter().all(|&place| of(place) == first) {
                break;
            }
            all.remove(0);
        }
        all
    }

    // Leaving.

    /// Leaves what must be left to come from a place to others.
    fn leave(&mut self, from: Place, to: &[Place]) {
        let mut places = vec![from];
        places.extend(to);
        let stay = self.around_all(&places);
        let mut chain = self.around(from);
        chain.retain(|state| !stay.contains(state));
        if let Place::State(state) = from {
            chain.insert(0, state);
        }
        for state in chain {
            self.exit(state);
        }
    }

    /// Leaves a state with all that is active inside; a state that is not active is left already.
    fn exit(&mut self, state: usize) {
        if !self.part().active.contains(&state) {
            return;
        }
        for &region in &self.chart().states[state].regions {
            for &inner in &self.chart().regions[region].states {
                self.exit(inner);
            }
        }
        self.act(&self.chart().states[state].exit);
        let region = self.chart().states[state].region;
        self.part().active.remove(&state);
        self.part().memory.insert(region, state);
    }

    // Entering.

    /// Enters places from what is active: first the states, then their entry actions.
    fn enter(&mut self, from: Place, also: &[Place], to: &[Place]) -> Run<()> {
        let mut places = vec![from];
        places.extend(also);
        places.extend(to);
        let stay = self.around_all(&places);
        // The outermost states to enter.
        let mut chain = self.around(to[0]);
        chain.retain(|state| !stay.contains(state));
        let outer = match (chain.last(), to[0]) {
            (Some(&state), _) | (None, Place::State(state)) => state,
            (None, Place::Memory(region)) => {
                self.enter_memory(region)?;
                self.entry_actions(region);
                return Ok(());
            }
            (None, Place::Via(_)) => return Ok(()),
        };
        self.enter_state(outer, to)?;
        self.state_actions(outer);
        Ok(())
    }

    fn enter_state(&mut self, state: usize, to: &[Place]) -> Run<()> {
        self.part().active.insert(state);
        for &region in &self.chart().states[state].regions {
            let mut inside = None;
            for &place in to {
                let mut chain = self.around(place);
                if let Place::State(target) = place {
                    chain.insert(0, target);
                }
                let in_region = chain
                    .iter()
                    .copied()
                    .find(|&one| self.chart().states[one].region == region);
                match (in_region, place) {
                    (Some(next), _) if next != state => inside = Some(Some(next)),
                    (None, Place::Via(node)) if self.chart().nodes[node].region == region => {
                        inside = Some(None);
                    }
                    (None, Place::Memory(memory)) if memory == region => {
                        self.enter_memory(region)?;
                        inside = Some(None);
                    }
                    _ => {}
                }
            }
            match inside {
                Some(Some(next)) => self.enter_state(next, to)?,
                Some(None) => {}
                None => self.enter_default(region)?,
            }
        }
        Ok(())
    }

    fn enter_default(&mut self, region: usize) -> Run<()> {
        match self.chart().regions[region].entry {
            Entry::Initial => self.enter_first(region),
            _ => self.enter_memory(region),
        }
    }

    fn enter_first(&mut self, region: usize) -> Run<()> {
        self.act(&self.chart().regions[region].first_acts);
        self.enter_state(self.chart().regions[region].first, &[])
    }

    fn enter_memory(&mut self, region: usize) -> Run<()> {
        let Some(&state) = self.part().memory.get(&region) else {
            return self.enter_first(region);
        };
        if self.chart().regions[region].entry == Entry::Deep {
            return self.restore(region);
        }
        self.enter_state(state, &[])
    }

    /// Everything as it was; a region that never had a state begins.
    fn restore(&mut self, region: usize) -> Run<()> {
        let Some(&state) = self.part().memory.get(&region) else {
            return self.enter_default(region);
        };
        self.part().active.insert(state);
        for &inner in &self.chart().states[state].regions {
            self.restore(inner)?;
        }
        Ok(())
    }

    fn entry_actions(&mut self, region: usize) {
        for &state in &self.chart().regions[region].states {
            if self.part().active.contains(&state) {
                self.state_actions(state);
            }
        }
    }

    fn state_actions(&mut self, state: usize) {
        self.act(&self.chart().states[state].entry);
        for &region in &self.chart().states[state].regions {
            self.entry_actions(region);
        }
    }
}

/// Where an arc leads.
fn ends(arc: &Tra) -> Vec<Place> {
    let mut ends = vec![arc.to];
    ends.extend(arc.more.iter().map(|&state| Place::State(state)));
    ends
}
