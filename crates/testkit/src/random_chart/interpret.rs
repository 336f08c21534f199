//! The algorithm of appendix D, procedure by procedure.

use super::{Act, Ex, Kind, RandomChart, Val};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many microsteps a macrostep may have.
const MAX_MICROSTEPS: usize = 150;

/// A chart that is interpreted.
pub struct Interpreter<'a> {
    chart: &'a RandomChart,
    configuration: BTreeSet<usize>,
    history: BTreeMap<usize, Vec<usize>>,
    internal: VecDeque<String>,
    data: Vec<Val>,
    entered: BTreeSet<usize>,
    running: bool,
    event: String,
    /// What was sent: when it is due, the order of sending, event, identifier.
    sent: Vec<(u64, u64, String, Option<String>)>,
    now: u64,
    n_sent: u64,
    endless: bool,
    longest: usize,
}

impl<'a> Interpreter<'a> {
    /// `procedure interpret`, up to the first event from outside.
    pub fn start(chart: &'a RandomChart) -> Self {
        let mut this = Self {
            chart,
            configuration: BTreeSet::new(),
            history: BTreeMap::new(),
            internal: VecDeque::new(),
            data: vec![Val::Undefined; chart.data.len()],
            entered: BTreeSet::new(),
            running: true,
            event: String::new(),
            sent: Vec::new(),
            now: 0,
            n_sent: 0,
            endless: false,
            longest: 0,
        };
        for at in 0..chart.data.len() {
            if !chart.late || chart.data[at].2 == 0 {
                this.initialise(at);
            }
        }
        let initial = this.initial_targets(0);
        this.enter_states(&[], Some(&initial));
        this.exit_interpreter();
        this.macrostep();
        this
    }

    /// Handles an event from outside.
    pub fn send(&mut self, event: &str) {
        if self.running && !self.endless {
            self.external(event);
        }
    }

    /// Lets time pass.
    pub fn wait(&mut self, time: u64) {
        let end = self.now + time;
        let mut n = 0;
        while self.running && !self.endless {
            n += 1;
            if n > MAX_MICROSTEPS {
                // What is sent without a delay may go on for ever.
                self.endless = true;
                return;
            }
            let due = self
                .sent
                .iter()
                .enumerate()
                .filter(|(_, sent)| sent.0 <= end);
            let Some(at) = due
                .min_by_key(|(_, sent)| (sent.0, sent.1))
                .map(|(at, _)| at)
            else {
                break;
            };
            let (due, _, event, _) = self.sent.remove(at);
            self.now = due.max(self.now);
            self.external(&event);
        }
        self.now = end;
    }

    /// Whether a macrostep did not end.
    pub fn is_endless(&self) -> bool {
        self.endless
    }

    /// The most events that waited in a queue.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The active states that have nothing inside.
    pub fn configuration(&self) -> BTreeSet<String> {
        let atomic = self
            .configuration
            .iter()
            .filter(|&&at| self.chart.is_atomic(at));
        atomic.map(|&at| self.chart.states[at].id.clone()).collect()
    }

    /// The value of a variable.
    pub fn value(&self, name: &str) -> Option<String> {
        let at = self.chart.data.iter().position(|data| data.0 == name)?;
        match &self.data[at] {
            Val::Int(value) => Some(value.to_string()),
            Val::Bool(value) => Some(value.to_string()),
            Val::Text(value) => Some(value.clone()),
            Val::Undefined => None,
        }
    }

    fn initialise(&mut self, at: usize) {
        if let Some(value) = &self.chart.data[at].1 {
            match self.eval(value) {
                Ok(value) => self.data[at] = value,
                Err(()) => self.raise("error.execution"),
            }
        }
    }

    fn external(&mut self, event: &str) {
        event.clone_into(&mut self.event);
        let enabled = self.select_transitions(Some(event));
        if !enabled.is_empty() {
            self.microstep(&enabled);
        }
        self.macrostep();
    }

    fn macrostep(&mut self) {
        let mut n = 0;
        while self.running {
            n += 1;
            if n > MAX_MICROSTEPS || self.longest > 60 {
                self.endless = true;
                return;
            }
            let mut enabled = self.select_transitions(None);
            if enabled.is_empty() {
                let Some(event) = self.internal.pop_front() else {
                    return;
                };
                self.event.clone_from(&event);
                enabled = self.select_transitions(Some(&event));
            }
            if !enabled.is_empty() {
                self.microstep(&enabled);
            }
        }
    }

    fn raise(&mut self, event: &str) {
        self.internal.push_back(event.to_owned());
        self.longest = self.longest.max(self.internal.len());
    }

    fn select_transitions(&mut self, event: Option<&str>) -> Vec<usize> {
        let chart = self.chart;
        let mut enabled = Vec::new();
        let atomic: Vec<usize> = self
            .configuration
            .iter()
            .copied()
            .filter(|&at| chart.is_atomic(at))
            .collect();
        for state in atomic {
            let mut at = Some(state);
            'search: while let Some(s) = at {
                for &t in &chart.states[s].transitions {
                    let fits = match event {
                        None => chart.transitions[t].events.is_empty(),
                        Some(event) => chart.transitions[t]
                            .events
                            .iter()
                            .any(|descriptor| name_match(descriptor, event)),
                    };
                    if fits && self.condition_match(t) {
                        if !enabled.contains(&t) {
                            enabled.push(t);
                        }
                        break 'search;
                    }
                }
                at = chart.states[s].parent;
            }
        }
        self.remove_conflicting(enabled)
    }

    fn condition_match(&mut self, t: usize) -> bool {
        let Some(cond) = &self.chart.transitions[t].cond else {
            return true;
        };
        match self.eval(cond) {
            Ok(value) => truthy(&value),
            Err(()) => {
                self.raise("error.execution");
                false
            }
        }
    }

    fn remove_conflicting(&self, enabled: Vec<usize>) -> Vec<usize> {
        let chart = self.chart;
        let mut filtered: Vec<usize> = Vec::new();
        for t1 in enabled {
            let (mut preempted, mut to_remove) = (false, Vec::new());
            let exit1 = self.exit_set(&[t1]);
            for &t2 in &filtered {
                if exit1.intersection(&self.exit_set(&[t2])).next().is_some() {
                    if chart.is_inside(chart.transitions[t1].source, chart.transitions[t2].source) {
                        to_remove.push(t2);
                    } else {
                        preempted = true;
                        break;
                    }
                }
            }
            if !preempted {
                filtered.retain(|t| !to_remove.contains(t));
                filtered.push(t1);
            }
        }
        filtered
    }

    fn microstep(&mut self, enabled: &[usize]) {
        let chart = self.chart;
        self.exit_states(enabled);
        for &t in enabled {
            self.execute(&chart.transitions[t].content);
        }
        self.enter_states(enabled, None);
        self.exit_interpreter();
    }

    /// `procedure exitInterpreter`, if the chart has ended: leaves what is active, in exit order. The configuration stays to be
    /// looked at.
    fn exit_interpreter(&mut self) {
        if self.running {
            return;
        }
        let (chart, active) = (self.chart, self.configuration.clone());
        for s in active.into_iter().rev() {
            for block in &chart.states[s].exit {
                self.execute(block);
            }
        }
    }

    fn exit_set(&self, transitions: &[usize]) -> BTreeSet<usize> {
        let mut states = BTreeSet::new();
        for &t in transitions {
            if !self.chart.transitions[t].targets.is_empty() {
                let domain = self.domain(t);
                states.extend(
                    self.configuration
                        .iter()
                        .copied()
                        .filter(|&s| self.chart.is_inside(s, domain)),
                );
            }
        }
        states
    }

    fn exit_states(&mut self, enabled: &[usize]) {
        let chart = self.chart;
        let to_exit = self.exit_set(enabled);
        for &s in to_exit.iter().rev() {
            for &h in chart.states[s]
                .inner
                .iter()
                .filter(|&&h| chart.is_history(h))
            {
                let deep = chart.states[h].kind == Kind::Deep;
                let keep = |&at: &usize| {
                    if deep {
                        chart.is_atomic(at) && chart.is_inside(at, s)
                    } else {
                        chart.states[at].parent == Some(s)
                    }
                };
                let value: Vec<usize> = self.configuration.iter().copied().filter(keep).collect();
                self.history.insert(h, value);
            }
        }
        for &s in to_exit.iter().rev() {
            for block in &chart.states[s].exit {
                self.execute(block);
            }
            self.configuration.remove(&s);
        }
    }

    fn effective_targets(&self, t: usize) -> Vec<usize> {
        let mut targets = Vec::new();
        for &s in &self.chart.transitions[t].targets {
            if self.chart.is_history(s) {
                match self.history.get(&s) {
                    Some(states) => targets.extend(states),
                    None => targets.extend(self.chart.states[s].initial.iter().flatten()),
                }
            } else {
                targets.push(s);
            }
        }
        targets
    }

    fn domain(&self, t: usize) -> usize {
        let chart = self.chart;
        let targets = self.effective_targets(t);
        let source = chart.transitions[t].source;
        let is_compound =
            |at: usize| chart.states[at].kind == Kind::State && !chart.children(at).is_empty();
        if chart.transitions[t].internal
            && is_compound(source)
            && targets.iter().all(|&s| chart.is_inside(s, source))
        {
            return source;
        }
        let mut at = chart.states[source].parent;
        while let Some(ancestor) = at {
            if is_compound(ancestor) && targets.iter().all(|&s| chart.is_inside(s, ancestor)) {
                return ancestor;
            }
            at = chart.states[ancestor].parent;
        }
        0
    }

    fn initial_targets(&self, s: usize) -> Vec<usize> {
        match &self.chart.states[s].initial {
            Some(targets) => targets.clone(),
            None => self.chart.children(s).into_iter().take(1).collect(),
        }
    }

    fn enter_states(&mut self, enabled: &[usize], initial: Option<&[usize]>) {
        let chart = self.chart;
        let mut entry = Entry::default();
        for &t in enabled {
            for &s in &chart.transitions[t].targets {
                self.add_descendants(s, &mut entry);
            }
            if !chart.transitions[t].targets.is_empty() {
                let ancestor = self.domain_before_exit(t);
                for s in self.effective_targets(t) {
                    self.add_ancestors(s, ancestor, &mut entry);
                }
            }
        }
        for &s in initial.unwrap_or(&[]) {
            self.add_descendants(s, &mut entry);
        }
        for &s in initial.unwrap_or(&[]) {
            self.add_ancestors(s, 0, &mut entry);
        }
        for &s in &entry.states {
            self.configuration.insert(s);
            if chart.late && self.entered.insert(s) && s != 0 {
                for at in 0..chart.data.len() {
                    if chart.data[at].2 == s {
                        self.initialise(at);
                    }
                }
            }
            for block in &chart.states[s].entry {
                self.execute(block);
            }
            if entry.defaults.contains(&s) {
                self.execute(&chart.states[s].initial_content);
            }
            if let Some(&h) = entry.histories.get(&s) {
                self.execute(&chart.states[h].initial_content);
            }
            if chart.states[s].kind == Kind::Final {
                self.entered_final(s);
            }
        }
    }

    /// The domain depends on histories; they were recorded when states were exited, and the selection had used them as
    /// they were before. A history that a transition leads to is that of a state which the transition does not leave, or
    /// of one that was recorded just now: the standard computes the domain again, and so do we.
    fn domain_before_exit(&self, t: usize) -> usize {
        self.domain(t)
    }

    fn entered_final(&mut self, s: usize) {
        let chart = self.chart;
        let parent = chart.states[s].parent.expect("a final state has a parent");
        let Some(grandparent) = chart.states[parent].parent else {
            self.running = false;
            return;
        };
        self.raise(&format!("done.state.{}", chart.states[parent].id));
        if chart.states[grandparent].kind == Kind::Parallel
            && chart
                .children(grandparent)
                .iter()
                .all(|&child| self.is_in_final(child))
        {
            self.raise(&format!("done.state.{}", chart.states[grandparent].id));
        }
    }

    fn is_in_final(&self, s: usize) -> bool {
        let chart = self.chart;
        let children = chart.children(s);
        match chart.states[s].kind {
            Kind::Parallel => children.iter().all(|&child| self.is_in_final(child)),
            Kind::State => {
                let is_end = |&child: &usize| {
                    chart.states[child].kind == Kind::Final && self.configuration.contains(&child)
                };
                children.iter().any(is_end)
            }
            _ => false,
        }
    }

    fn add_descendants(&self, s: usize, entry: &mut Entry) {
        let chart = self.chart;
        if chart.is_history(s) {
            let parent = chart.states[s].parent.expect("a history has a parent");
            let targets = match self.history.get(&s) {
                Some(states) => states.clone(),
                None => {
                    entry.histories.insert(parent, s);
                    chart.states[s].initial.clone().unwrap_or_default()
                }
            };
            for &target in &targets {
                self.add_descendants(target, entry);
            }
            for &target in &targets {
                self.add_ancestors(target, parent, entry);
            }
            return;
        }
        entry.states.insert(s);
        if chart.states[s].kind == Kind::Parallel {
            self.add_regions(s, entry);
        } else if !chart.children(s).is_empty() {
            entry.defaults.insert(s);
            let targets = self.initial_targets(s);
            for &target in &targets {
                self.add_descendants(target, entry);
            }
            for &target in &targets {
                self.add_ancestors(target, s, entry);
            }
        }
    }

    fn add_ancestors(&self, s: usize, ancestor: usize, entry: &mut Entry) {
        let chart = self.chart;
        let mut at = chart.states[s].parent;
        while let Some(outer) = at.filter(|&outer| outer != ancestor) {
            entry.states.insert(outer);
            if chart.states[outer].kind == Kind::Parallel {
                self.add_regions(outer, entry);
            }
            at = chart.states[outer].parent;
        }
    }

    fn add_regions(&self, s: usize, entry: &mut Entry) {
        for child in self.chart.children(s) {
            if !entry
                .states
                .iter()
                .any(|&other| self.chart.is_inside(other, child))
            {
                self.add_descendants(child, entry);
            }
        }
    }

    /// A block of executable content: an error ends it.
    fn execute(&mut self, block: &[Act]) {
        let _ = self.execute_all(block);
    }

    fn execute_all(&mut self, block: &[Act]) -> Result<(), ()> {
        for act in block {
            self.execute_one(act)?;
        }
        Ok(())
    }

    fn execute_one(&mut self, act: &Act) -> Result<(), ()> {
        match act {
            Act::Raise(event) => self.raise(event),
            Act::Send(event, delay, id) => {
                self.n_sent += 1;
                self.sent
                    .push((self.now + delay, self.n_sent, event.clone(), id.clone()));
                self.longest = self.longest.max(self.sent.len());
            }
            Act::Cancel(id) => self.sent.retain(|sent| sent.3.as_ref() != Some(id)),
            Act::Assign(var, value) => match self.eval(value) {
                Ok(value) => self.data[*var] = value,
                Err(()) => {
                    self.raise("error.execution");
                    return Err(());
                }
            },
            Act::Wrong => {
                self.raise("error.execution");
                return Err(());
            }
            Act::If(cond, then, otherwise) => {
                let holds = match self.eval(cond) {
                    Ok(value) => truthy(&value),
                    Err(()) => {
                        self.raise("error.execution");
                        false
                    }
                };
                self.execute_all(if holds { then } else { otherwise })?;
            }
            Act::Foreach(numbers, item, body) => {
                for &number in numbers {
                    self.data[*item] = Val::Int(number);
                    self.execute_all(body)?;
                }
            }
        }
        Ok(())
    }

    fn eval(&self, ex: &Ex) -> Result<Val, ()> {
        Ok(match ex {
            Ex::Int(value) => Val::Int(*value),
            Ex::Bool(value) => Val::Bool(*value),
            Ex::Text(value) => Val::Text(value.clone()),
            Ex::Var(at) => self.data[*at].clone(),
            Ex::In(s) => Val::Bool(self.configuration.contains(s)),
            Ex::Event => Val::Text(self.event.clone()),
            Ex::Unknown => return Err(()),
            Ex::Not(inner) => Val::Bool(!truthy(&self.eval(inner)?)),
            Ex::Op(op @ ("&&" | "||"), left, right) => {
                let left = self.eval(left)?;
                if truthy(&left) == (*op == "||") {
                    Val::Bool(*op == "||")
                } else {
                    Val::Bool(truthy(&self.eval(right)?))
                }
            }
            Ex::Op(op, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                match (*op, &left, &right) {
                    ("===", _, _) => Val::Bool(left == right),
                    ("!==", _, _) => Val::Bool(left != right),
                    ("<", Val::Int(a), Val::Int(b)) => Val::Bool(a < b),
                    (">=", Val::Int(a), Val::Int(b)) => Val::Bool(a >= b),
                    ("+", Val::Int(a), Val::Int(b)) => Val::Int(a + b),
                    ("-", Val::Int(a), Val::Int(b)) => Val::Int(a - b),
                    ("*", Val::Int(a), Val::Int(b)) => Val::Int(a * b),
                    ("%", Val::Int(a), Val::Int(b)) => Val::Int(a % b),
                    // A comparison with what is undefined.
                    _ => Val::Bool(false),
                }
            }
        })
    }
}

fn truthy(value: &Val) -> bool {
    match value {
        Val::Int(value) => *value != 0,
        Val::Bool(value) => *value,
        Val::Text(value) => !value.is_empty(),
        Val::Undefined => false,
    }
}

fn name_match(descriptor: &str, event: &str) -> bool {
    let descriptor = descriptor.strip_suffix(".*").unwrap_or(descriptor);
    if descriptor == "*" {
        return true;
    }
    let (tokens, words): (Vec<&str>, Vec<&str>) =
        (descriptor.split('.').collect(), event.split('.').collect());
    words.starts_with(&tokens)
}

#[derive(Default)]
struct Entry {
    states: BTreeSet<usize>,
    defaults: BTreeSet<usize>,
    /// For the parent of a history, the history whose default is taken.
    histories: BTreeMap<usize, usize>,
}
