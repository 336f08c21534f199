//! What a statechart says beyond its transition system: its states, its transitions, and what each step of the system is in
//! these words.
//!
//! The system has a variable for each state that has exactly one active child, queues, and flags. A person thinks of a
//! *configuration* (the active states), of events, and of transitions that fire. The terms here tell the one from the other:
//! which states are active, and which transitions a step fires in the state before it. They are evaluated on runs of the
//! system as given; nothing else is derived from them.

use crate::{LocId, StmtId};
use lariat_base::{FxHashMap, Span};
use lariat_expr::{TermId, VarId};

/// A statechart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Its states in document order; the first is the chart itself.
    pub states: Vec<ChartState>,
    /// Its transitions in document order.
    pub transitions: Vec<ChartTransition>,
    /// Its data.
    pub data: Vec<ChartData>,
    /// The names of its events, and the value that a variable of events has for each.
    pub events: Vec<(Box<str>, TermId)>,
    /// Holds the event that was handled last, where events come one by one.
    pub event: Option<VarId>,
    /// Events that are there or not in each step, where several can be.
    pub signals: Vec<ChartSignal>,
    /// Where a step chooses how much time passes, if it does.
    pub time: Option<ChartTime>,
    /// Where a step chooses which messages the environment puts into queues.
    pub sendings: Vec<ChartSending>,
    /// The events that the environment may send, by their positions in `events`.
    pub environment: Vec<usize>,
    /// What conditions read of the event that is handled: the values after a step are those that its conditions read.
    pub current: Vec<VarId>,
    /// Where what the chart sent to itself waits; in each the position in `sends` plus one, or zero.
    pub pending: Vec<VarId>,
    /// How many of those were sent in earlier macrosteps, if that matters.
    pub old: Option<VarId>,
    /// What the chart sends to itself.
    pub sends: Vec<ChartSend>,
    /// Where the chart waits for the next event.
    pub waiting: LocId,
    /// What the steps of the system are, by their statements.
    pub steps: FxHashMap<StmtId, ChartStep>,
}

/// A state of a chart.
#[derive(Clone, Debug)]
pub struct ChartState {
    /// Its name.
    pub name: Box<str>,
    /// What else it is called in formulas.
    pub other_names: Vec<Box<str>>,
    /// The state around it.
    pub parent: Option<usize>,
    /// What it is.
    pub kind: ChartKind,
    /// The states it enters by default.
    pub initial: Vec<usize>,
    /// When it is active; never, of a history state.
    pub active: TermId,
    /// What it does when it is entered and left, as text.
    pub actions: Vec<Box<str>>,
    /// Where it stands.
    pub span: Span,
}

/// What a state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChartKind {
    /// Has no states inside.
    Atomic,
    /// Has states inside, of which one is active.
    Compound,
    /// Has regions, all of which are active.
    Parallel,
    /// An end.
    Final,
    /// Stands for the child that was active last.
    ShallowHistory,
    /// Stands for all that was active last.
    DeepHistory,
    /// Transitions lead through it: a choice, a merge, a fork or a join.
    Junction,
}

impl ChartKind {
    /// Whether it stands for what was active before.
    pub fn is_history(self) -> bool {
        matches!(self, Self::ShallowHistory | Self::DeepHistory)
    }

    /// Whether it can never be active.
    pub fn is_pseudo(self) -> bool {
        self.is_history() || self == Self::Junction
    }

    /// Whether it can be active and has nothing inside.
    pub fn is_atomic(self) -> bool {
        matches!(self, Self::Atomic | Self::Final)
    }
}

/// An event that is there or not in each step.
#[derive(Clone, Debug)]
pub struct ChartSignal {
    /// Its name.
    pub name: Box<str>,
    /// What else it is called in formulas.
    pub other_names: Vec<Box<str>>,
    /// Whether it is there, after a step: whether it was there in that step.
    pub flag: VarId,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// Whether the environment sends it; otherwise the chart does.
    pub is_input: bool,
    /// The part of the chart that sends it, if one does, and those that hear it.
    pub from: Option<usize>,
    /// The parts that hear it, as states.
    pub to: Vec<usize>,
}

/// Where a step chooses how much time passes.
#[derive(Clone, Copy, Debug)]
pub struct ChartTime {
    /// The unit of time, in milliseconds.
    pub unit: u64,
    /// Holds how many units pass.
    pub passed: VarId,
    /// The choice among numbers of units, if they are listed: its first branch is one unit, its second two.
    pub moments: Option<StmtId>,
}

/// A choice of a message that the environment puts into a queue.
#[derive(Clone, Debug)]
pub struct ChartSending {
    /// The choice: its first branch is no message.
    pub choice: StmtId,
    /// What its other branches send, by their positions in `signals`.
    pub signals: Vec<usize>,
}

/// A transition of a chart.
#[derive(Clone, Debug)]
pub struct ChartTransition {
    /// Where it starts.
    pub source: usize,
    /// Where it leads; nowhere, if it only does something.
    pub targets: Vec<usize>,
    /// Event and condition as written.
    pub label: Box<str>,
    /// Where it stands.
    pub span: Span,
}

/// A variable of the data model.
#[derive(Clone, Debug)]
pub struct ChartData {
    /// Its name.
    pub name: Box<str>,
    /// Its value.
    pub var: VarId,
    /// Whether it has a value, if it may have none.
    pub defined: Option<VarId>,
}

/// What a chart sends to itself.
#[derive(Clone, Debug)]
pub struct ChartSend {
    /// The event, as its position in `events`.
    pub event: usize,
    /// After how many milliseconds.
    pub delay: u64,
    /// Where it stands.
    pub span: Span,
}

/// What a step of the system is.
#[derive(Clone, Debug)]
pub struct ChartStep {
    /// Why it happens.
    pub cause: ChartCause,
    /// The transitions that it may fire.
    pub fired: Vec<ChartFiring>,
}

/// A transition that a step may fire.
#[derive(Clone, Copy, Debug)]
pub struct ChartFiring {
    /// When it does, read in the state before (with `Chart::current` as it is after).
    pub when: TermId,
    /// The transition, by its position.
    pub transition: usize,
    /// The state inside of which all active states are left; none if none is left.
    pub domain: Option<usize>,
}

/// Why a step happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChartCause {
    /// The chart starts.
    Start,
    /// The environment sends this event.
    Environment(usize),
    /// What waits at this position of `pending` arrives.
    Sent(usize),
    /// An event of the chart's own, by its position in `events`.
    Internal(usize),
    /// No event is needed.
    Eventless,
    /// The chart runs once, with the signals that are there.
    Cycle,
    /// A macrostep ends: the step fires nothing.
    Settled,
}

impl Chart {
    /// The position of a state.
    pub fn state(&self, name: &str) -> Option<usize> {
        self.states.iter().position(|state| *state.name == *name)
    }

    /// The position of an event.
    pub fn event(&self, name: &str) -> Option<usize> {
        self.events.iter().position(|(known, _)| **known == *name)
    }

    /// Whether `inner` lies inside of `outer`.
    pub fn is_inside(&self, inner: usize, outer: usize) -> bool {
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
