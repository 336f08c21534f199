//! A chart as written: states in document order, transitions, executable content.

use super::script::{Assignment, Js};
use lariat_base::{Span, id_type};
use lariat_system::{ChartKind, Property};

id_type!(
    /// A state; they are numbered in document order, a state before what is inside of it.
    pub(super) struct StateId, "state"
);
id_type!(
    /// A transition of a state that can be selected; in document order.
    pub(super) struct TransId, "trans"
);

/// A chart.
#[derive(Debug)]
pub(super) struct Tree {
    pub name: Option<Box<str>>,
    pub states: Vec<State>,
    pub transitions: Vec<Transition>,
    pub data: Vec<Data>,
    /// Scripts of the whole chart, run before it starts.
    pub scripts: Vec<Content>,
    /// The properties in comments.
    pub properties: Vec<Property>,
    pub late_binding: bool,
    pub has_data: bool,
    pub span: Span,
}

/// A state, a region, an end, or a history state; or the chart itself.
#[derive(Debug)]
pub(super) struct State {
    pub name: Box<str>,
    pub kind: ChartKind,
    pub parent: Option<StateId>,
    /// The last state inside of it (in document order); itself if there is none.
    pub last: StateId,
    /// Its children that can be active.
    pub children: Vec<StateId>,
    /// Its place among the children of its parent.
    pub place: usize,
    pub transitions: Vec<TransId>,
    pub entry: Vec<Vec<Content>>,
    pub exit: Vec<Vec<Content>>,
    /// What is entered by default, of a compound state; the default of a history state.
    pub initial: Start,
    /// What the end of the state's parent is said with.
    pub done: Payload,
    pub span: Span,
}

/// A transition without event and condition.
#[derive(Debug, Default)]
pub(super) struct Start {
    pub targets: Vec<StateId>,
    pub content: Vec<Content>,
}

/// A transition that can be selected.
#[derive(Debug)]
pub(super) struct Transition {
    pub source: StateId,
    /// Descriptors, without the `.*` at their ends; none if no event is needed.
    pub events: Option<Vec<Box<str>>>,
    pub cond: Option<Code<Js>>,
    pub targets: Vec<StateId>,
    pub internal: bool,
    pub content: Vec<Content>,
    pub label: Box<str>,
    pub span: Span,
}

/// A piece of a script: what was read, and where.
#[derive(Clone, Debug)]
pub(super) struct Code<T> {
    pub code: T,
    pub span: Span,
}

/// A declared variable.
#[derive(Debug)]
pub(super) struct Data {
    pub name: Box<str>,
    pub value: Option<Code<Js>>,
    /// The state whose data model it stands in.
    pub state: StateId,
    pub span: Span,
}

/// What comes with an event.
#[derive(Debug, Default)]
pub(super) struct Payload {
    /// Names with their values; the name of the only value is empty.
    pub fields: Vec<(Box<str>, Code<Js>)>,
}

/// Executable content.
#[derive(Debug)]
pub(super) enum Content {
    Raise(Box<str>),
    Send(Box<Send>),
    Cancel(Code<Js>),
    Assign(Box<str>, Code<Js>),
    If(Vec<(Option<Code<Js>>, Vec<Content>)>),
    Foreach(Box<Foreach>),
    Script(Code<Vec<Assignment>>),
    Log(Code<Js>),
}

/// Sends an event.
#[derive(Debug)]
pub(super) struct Send {
    pub event: Code<Js>,
    pub target: Option<Code<Js>>,
    pub kind: Option<Code<Js>>,
    pub delay: Option<Code<Js>>,
    pub id: Option<Box<str>>,
    pub payload: Payload,
    pub span: Span,
}

/// Does something for each element of an array.
#[derive(Debug)]
pub(super) struct Foreach {
    pub array: Code<Js>,
    pub item: Box<str>,
    pub index: Option<Box<str>>,
    pub body: Vec<Content>,
    pub span: Span,
}

impl Tree {
    pub fn state(&self, id: StateId) -> &State {
        &self.states[index(id)]
    }

    pub fn kind(&self, id: StateId) -> ChartKind {
        self.state(id).kind
    }

    pub fn parent(&self, id: StateId) -> Option<StateId> {
        self.state(id).parent
    }

    /// Whether `inner` lies properly inside of `outer`.
    pub fn is_inside(&self, inner: StateId, outer: StateId) -> bool {
        outer < inner && inner <= self.state(outer).last
    }

    pub fn is_in_or_at(&self, inner: StateId, outer: StateId) -> bool {
        outer <= inner && inner <= self.state(outer).last
    }

    /// All states inside of one, in document order.
    pub fn inside(&self, outer: StateId) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (index(outer) + 1..=index(self.state(outer).last)).map(state_id)
    }

    /// The states around one, from the inside out.
    pub fn ancestors(&self, id: StateId) -> impl Iterator<Item = StateId> + '_ {
        std::iter::successors(self.parent(id), |&at| self.parent(at))
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.states.len()).map(state_id)
    }

    /// Whether both can be active together without one being inside of the other: the innermost state around both is parallel.
    pub fn are_orthogonal(&self, a: StateId, b: StateId) -> bool {
        if self.is_in_or_at(a, b) || self.is_in_or_at(b, a) {
            return false;
        }
        let common = self.ancestors(a).find(|&outer| self.is_inside(b, outer));
        common.is_some_and(|outer| self.kind(outer) == ChartKind::Parallel)
    }

    /// Whether both can be active together.
    pub fn can_be_together(&self, a: StateId, b: StateId) -> bool {
        self.is_in_or_at(a, b) || self.is_in_or_at(b, a) || self.are_orthogonal(a, b)
    }

    /// The states that have nothing inside and can be active, at or in one.
    pub fn atomics(&self, outer: StateId) -> impl Iterator<Item = StateId> + '_ {
        let all = std::iter::once(outer).chain(self.inside(outer));
        all.filter(|&id| self.kind(id).is_atomic())
    }
}

pub(super) fn index(id: StateId) -> usize {
    lariat_base::Id::index(id)
}

/// The chart itself.
pub(super) fn root() -> StateId {
    state_id(0)
}

pub(super) fn state_id(at: usize) -> StateId {
    lariat_base::Id::from_index(at)
}
