//! Events: their names, which descriptors match them, what a chart sends itself.

use super::script::{Js, Node};
use super::tree::{Content, Payload, Send, Transition, Tree};
use super::types::{Table, path};
use lariat_base::{Diagnostic, Diagnostics, Span};

/// The event of what has no other name, for charts that take any event.
const OTHER: &str = "other";

/// What is known of the events of a chart before it is lowered.
#[derive(Debug)]
pub(super) struct Events {
    /// All strings of the chart: the names of events are strings.
    pub texts: Vec<Box<str>>,
    /// What may be raised inside, and what the platform raises.
    pub internal: Vec<Box<str>>,
    /// What the environment may send.
    pub environment: Vec<Box<str>>,
    /// What the chart sends itself through the outer queue.
    pub sends: Vec<Sent>,
    /// Whether conditions or content read `_event.name`.
    pub reads_name: bool,
    /// The parts of `_event.data` that are read.
    pub reads_fields: Vec<String>,
    /// Whether executable content asks which states are active.
    pub asks_inside: bool,
    /// Whether an event that nothing matches can make no difference.
    pub drops_unmatched: bool,
}

/// An event that is sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sent {
    pub event: Box<str>,
    pub delay: u64,
    pub id: Option<Box<str>>,
    pub span: Span,
}

/// Where `<send>` sends to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Internal,
    Itself,
    Elsewhere,
    /// An error of this name.
    Error(&'static str),
}

/// Whether a descriptor matches an event: the same words, or a beginning of them.
pub(super) fn matches(descriptor: &str, event: &str) -> bool {
    descriptor == "*"
        || event
            .strip_prefix(descriptor)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Whether an event can enable a transition.
pub(super) fn enables(transition: &Transition, event: &str) -> bool {
    let descriptors = transition.events.as_deref().unwrap_or(&[]);
    descriptors
        .iter()
        .any(|descriptor| matches(descriptor, event))
}

/// What a target means.
pub(super) fn target(text: &str) -> Target {
    match text {
        "" => Target::Itself,
        "#_internal" => Target::Internal,
        "#_parent" => Target::Elsewhere,
        _ if text.starts_with("#_") => Target::Error("error.communication"),
        _ if text.contains("://") => Target::Elsewhere,
        _ => Target::Error("error.execution"),
    }
}

/// Whether the type of a send is that of charts.
pub(super) fn is_own_type(text: &str) -> bool {
    matches!(
        text,
        "scxml"
            | "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"
            | "http://www.w3.org/TR/scxml/"
            | ""
    )
}

/// A time such as `1.5s` or `20ms`, in milliseconds.
pub(super) fn delay(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1),
        None => (
            text.strip_suffix('s').unwrap_or(text),
            if text.ends_with('s') { 1000 } else { 1 },
        ),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if number.is_empty()
        || number == "."
        || !digits(whole)
        || !digits(fraction)
        || fraction.len() > 9
    {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
    whole
        .checked_mul(unit)?
        .checked_add(fraction * unit / 1_000_000_000)
}

impl Events {
    /// Looks through a chart.
    pub fn new(
        tree: &Tree,
        table: &Table,
        given: Option<&[String]>,
        findings: &mut Diagnostics,
    ) -> Self {
        let mut events = Self {
            texts: Vec::new(),
            internal: Vec::new(),
            environment: Vec::new(),
            sends: Vec::new(),
            reads_name: false,
            reads_fields: Vec::new(),
            asks_inside: false,
            drops_unmatched: true,
        };
        let mut all = All {
            tree,
            table,
            codes: Vec::new(),
            sends: Vec::new(),
            raised: Vec::new(),
            in_content: Vec::new(),
        };
        all.collect();
        for text in [
            "",
            "undefined",
            "number",
            "boolean",
            "string",
            "error.execution",
            "error.communication",
        ] {
            add(&mut events.texts, text);
        }
        for code in &all.codes {
            events.code(code);
        }
        events.asks_inside = all.in_content.iter().any(|code| asks(code));
        for event in &all.raised {
            add(&mut events.internal, event);
        }
        for event in ["error.execution", "error.communication"] {
            add(&mut events.internal, event);
        }
        for state in &tree.states {
            add(&mut events.internal, &format!("done.state.{}", state.name));
        }
        events.environment(tree, given, findings, &all);
        let strings = events.texts.clone();
        for send in &all.sends {
            events.send(send, &strings);
        }
        for event in events.internal.iter().chain(&events.environment) {
            add(&mut events.texts, event);
        }
        events.drops_unmatched = !events.reads_name && events.reads_fields.is_empty();
        let is_heard = |event: &str| {
            tree.transitions
                .iter()
                .any(|transition| enables(transition, event))
        };
        if events.drops_unmatched {
            events.internal.retain(|event| is_heard(event));
        }
        events
    }

    fn code(&mut self, js: &Js) {
        walk(js, &mut |js| match &js.node {
            Node::Text(text) => add(&mut self.texts, text),
            Node::Member(..) | Node::Index(..) => match path(js).as_deref() {
                Some("_event.name") => self.reads_name = true,
                Some(path)
                    if path.starts_with("_event.data")
                        && !self.reads_fields.iter().any(|known| known == path) =>
                {
                    self.reads_fields.push(path.to_owned());
                }
                _ => {}
            },
            _ => {}
        });
    }

    /// The events of the environment: those that are given, or those that the chart waits for and does not send itself, with
    /// those that are given with a `+`.
    fn environment(
        &mut self,
        tree: &Tree,
        given: Option<&[String]>,
        findings: &mut Diagnostics,
        all: &All<'_>,
    ) {
        let given = given.unwrap_or(&[]);
        let mut is_restricted = false;
        for event in given {
            let more = event.strip_prefix('+');
            is_restricted |= more.is_none();
            add(&mut self.environment, more.unwrap_or(event));
        }
        if is_restricted {
            return;
        }
        let mut takes_any = false;
        let mut own: Vec<&str> = Vec::new();
        for descriptor in tree
            .transitions
            .iter()
            .filter_map(|t| t.events.as_ref())
            .flatten()
        {
            let is_own = all.raised.iter().any(|event| matches(descriptor, event))
                || all
                    .sends
                    .iter()
                    .any(|send| is_event(&send.event.code, descriptor));
            match &**descriptor {
                "*" => takes_any = true,
                text if text == "done" || text == "error" => {}
                text if text.starts_with("done.") || text.starts_with("error.") => {}
                text if is_own => own.push(text),
                text => add(&mut self.environment, text),
            }
        }
        if takes_any {
            add(&mut self.environment, OTHER);
        }
        own.sort_unstable();
        own.dedup();
        if !own.is_empty() && self.environment.is_empty() && !takes_any {
            let message = format!(
                "the environment sends nothing: the chart sends {} itself",
                quoted(&own)
            );
            let finding = Diagnostic::warning("closed-chart", message).at(tree.span);
            findings.push(finding.hint("`--events 'e1 e2'` says what the environment may send"));
        }
    }

    /// What a `<send>` may put into the outer queue.
    fn send(&mut self, send: &Send, strings: &[Box<str>]) {
        let options = |code: &Js| -> Vec<Box<str>> {
            match &code.node {
                Node::Text(text) => vec![text.clone()],
                _ => strings.to_vec(),
            }
        };
        let targets = send
            .target
            .as_ref()
            .map_or_else(|| vec!["".into()], |code| options(&code.code));
        let goes_inside = targets.iter().any(|text| target(text) == Target::Internal);
        let goes_out = targets.iter().any(|text| target(text) == Target::Itself);
        let delays = send
            .delay
            .as_ref()
            .map_or_else(|| vec!["0s".into()], |code| options(&code.code));
        for event in options(&send.event.code)
            .iter()
            .filter(|event| !event.is_empty())
        {
            add(&mut self.texts, event);
            if goes_inside {
                add(&mut self.internal, event);
            }
            for delay in delays
                .iter()
                .filter_map(|text| delay(text))
                .filter(|_| goes_out)
            {
                let sent = Sent {
                    event: event.clone(),
                    delay,
                    id: send.id.clone(),
                    span: send.span,
                };
                if self.find(event, delay, send.id.as_deref()).is_none() {
                    self.sends.push(sent);
                }
            }
        }
    }

    /// The position of what is sent.
    pub fn find(&self, event: &str, delay: u64, id: Option<&str>) -> Option<usize> {
        let is_it =
            |sent: &Sent| *sent.event == *event && sent.delay == delay && sent.id.as_deref() == id;
        self.sends.iter().position(is_it)
    }
}

fn is_event(code: &Js, descriptor: &str) -> bool {
    matches!(&code.node, Node::Text(text) if matches(descriptor, text))
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn add(list: &mut Vec<Box<str>>, text: &str) {
    if !list.iter().any(|known| **known == *text) {
        list.push(text.into());
    }
}

/// Everything in a chart that is evaluated or sent.
struct All<'a> {
    tree: &'a Tree,
    table: &'a Table,
    codes: Vec<&'a Js>,
    in_content: Vec<&'a Js>,
    sends: Vec<&'a Send>,
    raised: Vec<Box<str>>,
}

impl<'a> All<'a> {
    fn collect(&mut self) {
        let tree = self.tree;
        self.codes.extend(
            tree.data
                .iter()
                .filter_map(|data| data.value.as_ref())
                .map(|value| &value.code),
        );
        self.codes.extend(
            tree.transitions
                .iter()
                .filter_map(|t| t.cond.as_ref())
                .map(|cond| &cond.code),
        );
        let lists = self
            .table
            .known
            .iter()
            .filter_map(|known| known.list.as_ref());
        self.codes.extend(lists.flatten());
        self.block(&tree.scripts);
        for state in &tree.states {
            for block in state
                .entry
                .iter()
                .chain(&state.exit)
                .chain([&state.initial.content])
            {
                self.block(block);
            }
            self.payload(&state.done);
        }
        for transition in &tree.transitions {
            self.block(&transition.content);
        }
        self.codes.extend(self.in_content.iter().copied());
    }

    fn payload(&mut self, payload: &'a Payload) {
        self.in_content
            .extend(payload.fields.iter().map(|field| &field.1.code));
    }

    fn block(&mut self, block: &'a [Content]) {
        for content in block {
            match content {
                Content::Raise(event) => self.raised.push(event.clone()),
                Content::Send(send) => {
                    self.sends.push(send);
                    let parts = [
                        Some(&send.event),
                        send.target.as_ref(),
                        send.kind.as_ref(),
                        send.delay.as_ref(),
                    ];
                    self.in_content
                        .extend(parts.into_iter().flatten().map(|code| &code.code));
                    self.payload(&send.payload);
                }
                Content::Cancel(code) | Content::Assign(_, code) => {
                    self.in_content.push(&code.code);
                }
                Content::If(branches) => {
                    for (condition, block) in branches {
                        self.in_content
                            .extend(condition.as_ref().map(|code| &code.code));
                        self.block(block);
                    }
                }
                Content::Foreach(each) => {
                    self.in_content.push(&each.array.code);
                    self.block(&each.body);
                }
                Content::Script(code) => {
                    self.in_content
                        .extend(code.code.iter().filter_map(|one| one.value.as_ref()));
                }
                Content::Log(_) => {}
            }
        }
    }
}

fn asks(js: &Js) -> bool {
    let mut found = false;
    walk(js, &mut |js| {
        found |=
            matches!(&js.node, Node::Call(function, _) if path(function).as_deref() == Some("In"));
    });
    found
}

/// Visits an expression and all in it.
pub(super) fn walk<'a>(js: &'a Js, visit: &mut impl FnMut(&'a Js)) {
    let mut todo = vec![js];
    while let Some(js) = todo.pop() {
        visit(js);
        match &js.node {
            Node::Member(inner, _) | Node::Not(inner) | Node::Neg(inner) | Node::Typeof(inner) => {
                todo.push(inner);
            }
            Node::Index(a, b) | Node::Binary(_, a, b) => todo.extend([&**a, &**b]),
            Node::If(a, b, c) => todo.extend([&**a, &**b, &**c]),
            Node::Call(function, args) => {
                todo.push(function);
                todo.extend(args);
            }
            Node::List(list) => todo.extend(list),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_match_whole_words() {
        for (descriptor, event, expected) in [
            ("foo", "foo", true),
            ("foo", "foo.bar", true),
            ("foo", "foobar", false),
            ("foo.bar", "foo", false),
            ("*", "foo", true),
            ("Foo", "foo", false),
        ] {
            assert_eq!(matches(descriptor, event), expected, "{descriptor} {event}");
        }
    }

    #[test]
    fn delays_are_read() {
        for (text, expected) in [
            ("1s", Some(1000)),
            (".5s", Some(500)),
            ("1.5s", Some(1500)),
            ("10ms", Some(10)),
            ("0s", Some(0)),
            ("x", None),
            ("", None),
            ("-1s", None),
        ] {
            assert_eq!(delay(text), expected, "{text}");
        }
    }
}
