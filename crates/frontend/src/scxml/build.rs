//! The system of a chart.
//!
//! Two places matter: where the chart waits for an event, and where it runs, in the middle of a macrostep. Every microstep
//! is a step that is not observed; coming back to waiting is. A chart without eventless transitions and inner events comes
//! back with each step.
//!
//! A macrostep that does not end gives no further letter: the last one is repeated for ever. Where that can be (there is a
//! circle of transitions that need no event from outside), the system has a second copy of its variables: a run may decide
//! that the next macrostep does not end, and runs on with the copy, each step observed, while what formulas read stays.
//! A macrostep that ends after all leads to where nothing is ever observed. So no run repeats a letter and goes on.

use super::Reading;
use super::enter::may_enter;
use super::events::{Events, enables};
use super::lower::{Lower, Needs, Vars, fields};
use super::tree::{Content, TransId, Transition, Tree, index, root};
use lariat_base::Id;
use lariat_expr::{SortId, TermId};
use lariat_system::{
    Chart, ChartCause, ChartData, ChartSend, ChartState, ChartStep, ChartTransition, Edge,
    Fairness, Language, LocId, LocRole, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// A step of the chart: what it does, what it is called.
struct Made {
    stmt: StmtId,
    name: Option<Box<str>>,
    step: ChartStep,
}

/// Where no eventless transition fires.
struct Idle {
    /// Nothing was lost.
    sound: TermId,
    /// Nothing was lost, the chart has not ended, and none fires.
    at: TermId,
    /// What their conditions raise.
    mistakes: StmtId,
    /// When they raise something.
    erring: TermId,
}

/// The steps of one copy of a chart.
struct Steps {
    /// From waiting.
    begin: Vec<Made>,
    /// In the middle of a macrostep.
    go_on: Vec<Made>,
    /// The end of a macrostep, of the chart, and of what is modelled.
    settle: StmtId,
    end: Option<StmtId>,
    overflow: Option<StmtId>,
    outside: Option<StmtId>,
}

impl Lower<'_> {
    /// The steps, over the current variables.
    fn steps(&mut self) -> Steps {
        loop {
            // Whether a run can leave what is modelled is known when all steps are made, and each of them asks.
            let known = self.may_leave;
            let steps = self.make_steps();
            if self.may_leave == known {
                return steps;
            }
        }
    }

    fn make_steps(&mut self) -> Steps {
        let events = self.events;
        let always = self.cx.terms.true_();
        let mut begin = Vec::new();
        for event in &events.environment {
            let start = self.begin(event, None);
            let cause = ChartCause::Environment(self.event_at(event));
            self.on_event(event, always, start, cause, &mut begin);
        }
        for (k, at, when) in self.arrivals() {
            let event = &events.sends[at].event;
            let start = self.begin(event, Some((k, at)));
            self.on_event(event, when, start, ChartCause::Sent(k), &mut begin);
        }
        let mut go_on = Vec::new();
        let Idle {
            sound,
            at: idle,
            mistakes,
            erring,
        } = self.eventless(&mut go_on);
        self.inner_events(idle, mistakes, &mut go_on);
        let mut settle = vec![idle, self.cx.terms.not(erring)];
        if let Some(front) = self.front() {
            settle.push(self.cx.terms.eq(front, self.texts.none));
        }
        let settle = self.cx.terms.and(&settle);
        let settle = self.assume(settle);
        let (ended, finish) = (self.has_ended(), self.finish());
        let may_end = ended != self.cx.terms.false_();
        let flag = |lower: &mut Self, var| {
            let term = lower.cx.terms.var(var);
            lower.assume(term)
        };
        let end = may_end.then(|| {
            let both = self.cx.terms.and(&[sound, ended]);
            let assume = self.assume(both);
            self.seq(&[assume, finish])
        });
        Steps {
            begin,
            go_on,
            settle,
            end,
            overflow: self.vars.overflow.map(|var| flag(self, var)),
            outside: self.may_leave.then(|| flag(self, self.vars.outside)),
        }
    }

    /// The position of an event in the list of all strings.
    fn event_at(&self, event: &str) -> usize {
        self.texts
            .find(event)
            .expect("events are strings of the chart") as usize
            - 1
    }

    /// When a macrostep goes on: nothing was lost. And when it does without the end of the chart.
    fn running(&mut self) -> (TermId, TermId) {
        let mut flags = vec![self.vars.outside];
        flags.extend(self.vars.overflow);
        let mut parts = Vec::new();
        for flag in flags {
            let is_used = flag != self.vars.outside || self.may_leave;
            if is_used {
                let flag = self.cx.terms.var(flag);
                parts.push(self.cx.terms.not(flag));
            }
        }
        let sound = self.cx.terms.and(&parts);
        let ended = self.has_ended();
        let not_ended = self.cx.terms.not(ended);
        (sound, self.cx.terms.and(&[sound, not_ended]))
    }

    fn candidates(&mut self, is_one: impl Fn(&Transition) -> bool) -> super::select::Selection {
        let tree = self.tree;
        let ids = (0..tree.transitions.len()).filter(|&at| is_one(&tree.transitions[at]));
        let ids: Vec<TransId> = ids.map(TransId::from_index).collect();
        let ways = ids.into_iter().flat_map(|id| self.ways(id)).collect();
        self.select(ways)
    }

    /// The steps of one event.
    fn on_event(
        &mut self,
        event: &str,
        when: TermId,
        before: StmtId,
        cause: ChartCause,
        out: &mut Vec<Made>,
    ) {
        let selection = self.candidates(|transition| enables(transition, event));
        let may_go = self.assume(when);
        for outcome in self.outcomes(&selection) {
            let is_it = self.assume(outcome.when);
            let span = self.cx.stmts.span(outcome.stmt);
            let stmt = self
                .cx
                .stmts
                .seq(&[may_go, before, is_it, outcome.stmt], span);
            let step = ChartStep {
                cause,
                fired: outcome.fired,
            };
            let name = Some(event.into());
            out.push(Made { stmt, name, step });
        }
    }

    /// The eventless steps, and what is known where none of them is possible.
    fn eventless(&mut self, out: &mut Vec<Made>) -> Idle {
        let selection = self.candidates(|transition| transition.events.is_none());
        // What conditions do must be known before it is said when a macrostep goes on.
        let outcomes = self.outcomes(&selection);
        let mistakes = self.mistakes(&selection);
        let (sound, running) = self.running();
        let mut idle = running;
        let cause = ChartCause::Eventless;
        for outcome in outcomes {
            let when = self.cx.terms.and(&[running, outcome.when]);
            if outcome.fired.is_empty() {
                idle = when;
                continue;
            }
            let assume = self.assume(when);
            let span = self.cx.stmts.span(outcome.stmt);
            let stmt = self.cx.stmts.seq(&[assume, outcome.stmt], span);
            let step = ChartStep {
                cause,
                fired: outcome.fired,
            };
            out.push(Made {
                stmt,
                name: None,
                step,
            });
        }
        // Conditions that lead outside of what is modelled do so even if nothing fires.
        if let Some(leave) = self.leave_if(selection.outside) {
            let when = self.cx.terms.and(&[idle, selection.outside]);
            let assume = self.assume(when);
            let stmt = self.cx.stmts.seq(&[assume, leave], None);
            let step = ChartStep {
                cause,
                fired: Vec::new(),
            };
            out.push(Made {
                stmt,
                name: None,
                step,
            });
            let inside = self.cx.terms.not(selection.outside);
            idle = self.cx.terms.and(&[idle, inside]);
        }
        let is_heard = self
            .events
            .internal
            .iter()
            .any(|event| **event == *"error.execution");
        let erring = if is_heard {
            self.or_all(&selection.raises)
        } else {
            self.cx.terms.false_()
        };
        let mistakes = self.seq(&mistakes);
        Idle {
            sound,
            at: idle,
            mistakes,
            erring,
        }
    }

    /// The steps of inner events. Conditions of eventless transitions were evaluated before, and may have added errors.
    fn inner_events(&mut self, idle: TermId, mistakes: StmtId, out: &mut Vec<Made>) {
        let Some(front) = self.front() else { return };
        let events = self.events;
        for event in &events.internal {
            let what = self.texts.term(&mut self.cx.terms, event);
            let is_first = self.cx.terms.eq(front, what);
            let (is_first, dequeue) = (self.assume(is_first), self.dequeue(event));
            let before = self.seq(&[mistakes, is_first, dequeue]);
            let cause = ChartCause::Internal(self.event_at(event));
            self.on_event(event, idle, before, cause, out);
        }
    }
}

/// Whether a macrostep may go on for ever: whether transitions that need no event from outside can make each other
/// possible in a circle. A transition leaves its source and fires again only after that was entered anew.
fn may_hang(tree: &Tree, events: &Events) -> bool {
    let own = |transition: &Transition| match &transition.events {
        None => true,
        Some(_) => events
            .internal
            .iter()
            .any(|event| enables(transition, event)),
    };
    let all: Vec<&Transition> = tree
        .transitions
        .iter()
        .filter(|transition| own(transition))
        .collect();
    let mut at_source: Vec<Vec<usize>> = vec![Vec::new(); tree.states.len()];
    for (at, transition) in all.iter().enumerate() {
        at_source[index(transition.source)].push(at);
    }
    let mut next: Vec<Vec<usize>> = Vec::new();
    for transition in &all {
        if transition.targets.is_empty() {
            if transition.events.is_none() || says_something(&transition.content) {
                return true;
            }
            next.push(Vec::new());
            continue;
        }
        if transition.internal {
            return true;
        }
        let entered = may_enter(tree, &transition.targets, root());
        next.push(
            entered
                .into_iter()
                .flat_map(|id| at_source[index(id)].iter().copied())
                .collect(),
        );
    }
    has_circle(&next)
}

fn says_something(block: &[Content]) -> bool {
    block.iter().any(|content| match content {
        Content::If(branches) => branches.iter().any(|branch| says_something(&branch.1)),
        Content::Foreach(each) => says_something(&each.body),
        Content::Log(_) => false,
        // An assignment may be an error, which is an event.
        Content::Assign(..)
        | Content::Script(_)
        | Content::Raise(..)
        | Content::Send(_)
        | Content::Cancel(_) => true,
    })
}

/// Removes what nothing leads to until nothing is left, or a circle.
fn has_circle(next: &[Vec<usize>]) -> bool {
    let mut n_before = vec![0_usize; next.len()];
    next.iter().flatten().for_each(|&at| n_before[at] += 1);
    let mut todo: Vec<usize> = (0..next.len()).filter(|&at| n_before[at] == 0).collect();
    let mut n_removed = 0;
    while let Some(at) = todo.pop() {
        n_removed += 1;
        for &other in &next[at] {
            n_before[other] -= 1;
            if n_before[other] == 0 {
                todo.push(other);
            }
        }
    }
    n_removed < next.len()
}

/// Makes the system.
pub(super) fn system(mut lower: Lower<'_>, name: &str, reading: &Reading) -> System {
    let needs = Needs {
        seats: reading.queue.max(1),
        internal: !lower.events.internal.is_empty(),
        current: lower.events.reads_name,
        explicit_regions: lower.events.asks_inside,
    };
    let uses = lower.vars.is_used.clone();
    lower.vars = lower.make_vars("", needs, &uses);
    let start = lower.start();
    let steps = lower.steps();
    let mut made = Build {
        builder: SystemBuilder::new(Language::Scxml, name),
        sorts: Vec::new(),
        chart_steps: Vec::new(),
    };
    for sort in lower
        .vars
        .all
        .iter()
        .map(|variable| lower.cx.terms.var_sort(variable.var))
    {
        let is_enum = lower.cx.terms.sorts.as_enum(sort).is_some();
        if is_enum && !made.sorts.contains(&sort) {
            made.builder.sort(sort);
            made.sorts.push(sort);
        }
    }
    let waiting = made.place(&lower, "waiting", LocRole::Plain);
    let is_direct = steps.go_on.is_empty()
        && steps.end.is_none()
        && steps.outside.is_none()
        && lower.vars.internal.is_empty()
        && lower.vars.overflow.is_none();
    let main = lower.vars.clone();
    made.variables(&lower, &main);
    let errs = lower.conditions_raise
        && lower
            .events
            .internal
            .iter()
            .any(|event| **event == *"error.execution");
    let hanging = reading.hangs && (errs || may_hang(lower.tree, lower.events));
    let mut at_rest = Vec::new();
    if is_direct {
        made.builder.start(Edge::new(start, waiting));
        made.note(start, ChartCause::Start);
        for one in steps.begin {
            made.add(&mut lower, waiting, waiting, one, true);
        }
    } else {
        let running = made.place(&lower, "running", LocRole::Plain);
        made.builder
            .start(Edge::new(start, running).observed_if(false));
        made.note(start, ChartCause::Start);
        made.main(&mut lower, steps, waiting, running);
        if hanging {
            at_rest.push(made.hanging(&mut lower, needs, &uses, waiting));
        }
    }
    lower.vars = main;
    made.stay(&mut lower, waiting);
    at_rest.push(lower.has_ended());
    for at in 0..lower.events.sends.len() {
        // Everything that is sent arrives, unless the chart handles no further event.
        let mut arrives = vec![lower.arrives(at)];
        arrives.extend(&at_rest);
        let arrives = lower.or_all(&arrives);
        made.builder.fairness(Fairness::Justice(arrives));
    }
    for property in &lower.tree.properties {
        made.builder.property(property.clone());
    }
    let chart = made.chart(&mut lower, waiting);
    made.builder.chart(chart);
    made.builder.finish(lower.cx)
}

struct Build {
    builder: SystemBuilder,
    /// The enumerations so far.
    sorts: Vec<SortId>,
    chart_steps: Vec<(StmtId, ChartStep)>,
}

impl Build {
    fn place(&mut self, lower: &Lower<'_>, name: &str, role: LocRole) -> LocId {
        self.builder.location(Location {
            name: name.into(),
            role,
            span: Some(lower.tree.span),
        })
    }

    fn variables(&mut self, lower: &Lower<'_>, vars: &Vars) {
        for variable in &vars.all {
            if variable.var != vars.outside || lower.may_leave {
                self.builder.variable(variable.clone());
            }
        }
    }

    fn note(&mut self, stmt: StmtId, cause: ChartCause) {
        let fired = Vec::new();
        self.chart_steps.push((stmt, ChartStep { cause, fired }));
    }

    fn add(&mut self, lower: &mut Lower<'_>, from: LocId, to: LocId, made: Made, observed: bool) {
        let mut edge = Edge::new(made.stmt, to).observed_if(observed);
        if let Some(name) = made.name {
            edge = edge.named(lower.cx.names.intern(name));
        }
        self.builder.edge(from, edge);
        self.chart_steps.push((made.stmt, made.step));
    }

    /// The steps of a chart that runs macrosteps to completion.
    fn main(&mut self, lower: &mut Lower<'_>, steps: Steps, waiting: LocId, running: LocId) {
        for one in steps.begin {
            self.add(lower, waiting, running, one, false);
        }
        for one in steps.go_on {
            self.add(lower, running, running, one, false);
        }
        self.builder.edge(running, Edge::new(steps.settle, waiting));
        self.note(steps.settle, ChartCause::Settled);
        if let Some(end) = steps.end {
            let ended = self.place(lower, "ended", LocRole::Final);
            self.builder.edge(running, Edge::new(end, ended));
            self.note(end, ChartCause::Settled);
            let skip = lower.cx.stmts.skip();
            self.builder
                .edge(ended, Edge::new(skip, ended).stuttering());
        }
        for (stmt, name) in [(steps.overflow, "overflow"), (steps.outside, "outside")] {
            if let Some(stmt) = stmt {
                let cut = self.place(lower, name, LocRole::Cut);
                self.builder
                    .edge(running, Edge::new(stmt, cut).observed_if(false));
                self.note(stmt, ChartCause::Settled);
            }
        }
    }

    /// The copy in which a macrostep does not end; the term that is true in it.
    fn hanging(
        &mut self,
        lower: &mut Lower<'_>,
        needs: Needs,
        uses: &[bool],
        waiting: LocId,
    ) -> TermId {
        let original = lower.vars.clone();
        let copied = lower.make_vars("hanging.", needs, uses);
        let (bool_, no) = (lower.cx.terms.sorts.bool(), lower.cx.terms.false_());
        let flag = lower.cx.terms.declare("hanging", bool_);
        self.builder.variable(Variable {
            initial: Some(no),
            ..Variable::new(flag)
        });
        let mut copy = vec![lower.assign_bool(flag, true)];
        for (from, to) in original.all.iter().zip(&copied.all) {
            if from.var != original.outside {
                let value = lower.cx.terms.var(from.var);
                copy.push(lower.cx.stmts.add(Stmt::Assign(to.var, value), None));
            }
        }
        lower.vars = copied.clone();
        let steps = lower.steps();
        self.variables(lower, &copied);
        let hanging = self.place(lower, "hanging", LocRole::Plain);
        let lost = self.place(lower, "not hanging", LocRole::Plain);
        for mut one in steps.begin {
            let mut parts = copy.clone();
            parts.push(one.stmt);
            one.stmt = lower.cx.stmts.seq(&parts, lower.cx.stmts.span(one.stmt));
            self.add(lower, waiting, hanging, one, true);
        }
        for one in steps.go_on {
            self.add(lower, hanging, hanging, one, true);
        }
        for stmt in [Some(steps.settle), steps.end, steps.overflow, steps.outside]
            .into_iter()
            .flatten()
        {
            self.builder
                .edge(hanging, Edge::new(stmt, lost).observed_if(false));
            self.note(stmt, ChartCause::Settled);
        }
        let skip = lower.cx.stmts.skip();
        self.builder
            .edge(lost, Edge::new(skip, lost).observed_if(false));
        lower.vars = original;
        lower.cx.terms.var(flag)
    }

    /// A chart that can get no event stays as it is.
    fn stay(&mut self, lower: &mut Lower<'_>, waiting: LocId) {
        if !lower.events.environment.is_empty() {
            return;
        }
        let nothing = lower.none_pending();
        let stmt = lower.assume(nothing);
        self.builder
            .edge(waiting, Edge::new(stmt, waiting).stuttering());
        self.note(stmt, ChartCause::Settled);
    }

    fn chart(&mut self, lower: &mut Lower<'_>, waiting: LocId) -> Chart {
        let tree = lower.tree;
        let mut states = Vec::new();
        for id in tree.ids() {
            let state = tree.state(id);
            let active = if state.kind.is_history() {
                lower.cx.terms.false_()
            } else {
                lower.active(id)
            };
            let actions = actions(&state.entry, "entry")
                .into_iter()
                .chain(actions(&state.exit, "exit"));
            states.push(ChartState {
                name: state.name.clone(),
                other_names: Vec::new(),
                parent: state.parent.map(index),
                kind: state.kind,
                initial: state.initial.targets.iter().copied().map(index).collect(),
                active,
                actions: actions.collect(),
                span: state.span,
            });
        }
        let transitions = tree.transitions.iter().map(|transition| ChartTransition {
            source: index(transition.source),
            targets: transition.targets.iter().copied().map(index).collect(),
            label: transition.label.clone(),
            span: transition.span,
        });
        let transitions = transitions.collect();
        let known = lower.table.known.iter().enumerate();
        let is_shown = |at: usize| lower.vars.is_used[at] && lower.table.known[at].list.is_none();
        let data = known
            .filter(|(at, known)| is_shown(*at) && !super::lower::is_field(&known.name))
            .map(|(at, known)| {
                let slot = lower.vars.data[at];
                ChartData {
                    name: known.name.clone(),
                    var: slot.var,
                    defined: slot.defined,
                }
            });
        let data = data.collect();
        let mut current: Vec<_> = lower.vars.current.into_iter().collect();
        for at in fields(lower.table, &lower.vars.is_used) {
            let slot = lower.vars.data[at];
            current.push(slot.var);
            current.extend(slot.defined);
        }
        let texts = lower.events.texts.clone();
        let events = texts.into_iter().map(|text| {
            let value = lower.texts.term(&mut lower.cx.terms, &text);
            (text, value)
        });
        let events = events.collect();
        let event_at =
            |event: &str| lower.texts.find(event).expect("events are strings") as usize - 1;
        let sends = lower.events.sends.iter().map(|send| ChartSend {
            event: event_at(&send.event),
            delay: send.delay,
            span: send.span,
        });
        Chart {
            states,
            transitions,
            data,
            events,
            event: Some(lower.vars.event),
            signals: Vec::new(),
            time: None,
            sendings: Vec::new(),
            environment: lower
                .events
                .environment
                .iter()
                .map(|event| event_at(event))
                .collect(),
            current,
            pending: lower.vars.pending.iter().map(|seat| seat.what).collect(),
            old: lower.vars.old,
            sends: sends.collect(),
            waiting,
            steps: std::mem::take(&mut self.chart_steps).into_iter().collect(),
        }
    }
}

/// What a state does, in a few words.
fn actions(blocks: &[Vec<Content>], when: &str) -> Vec<Box<str>> {
    let all = blocks.iter().flatten().filter_map(|content| match content {
        Content::Raise(event) => Some(format!("{when} / raise {event}")),
        Content::Send(send) => match &send.event.code.node {
            super::script::Node::Text(event) => Some(format!("{when} / send {event}")),
            _ => Some(format!("{when} / send")),
        },
        Content::Assign(name, _) => Some(format!("{when} / {name} := …")),
        Content::Cancel(_) => Some(format!("{when} / cancel")),
        Content::Log(_) => None,
        Content::If(_) | Content::Foreach(_) | Content::Script(_) => Some(format!("{when} / …")),
    });
    all.map(String::into_boxed_str).collect()
}
