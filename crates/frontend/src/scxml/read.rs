//! From XML to a tree. Names of states are resolved at the end, when all are known.

use super::content::{self, Place};
use super::tree::{Data, Payload, Start, State, StateId, Transition, Tree, index, state_id};
use crate::annotation;
use crate::scope::suggestion;
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, Id, SourceId, Span};
use lariat_system::{ChartKind, Property, PropertyBody};
use roxmltree::{Document, Node, ParsingOptions};

/// How deep states and executable content may nest.
pub(super) const MAX_DEPTH: usize = 100;

/// Names of states, each with its place.
type Named = Vec<(Box<str>, Span)>;

/// What reads a document.
pub(super) struct Reader<'a> {
    pub place: Place<'a>,
    tree: Tree,
    ids: FxHashMap<Box<str>, StateId>,
    /// Targets that are names still: those of transitions, and those of defaults.
    of_transitions: Vec<Named>,
    of_starts: Vec<(StateId, Named)>,
}

/// Reads a chart.
pub(super) fn read(source: SourceId, text: &str, findings: &mut Diagnostics) -> Option<Tree> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: 2_000_000,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            findings.push(syntax(source, text, &error));
            return None;
        }
    };
    let root = document.root_element();
    let span = name_span(source, text, root);
    if root.tag_name().name() != "scxml" {
        let message = format!("expected `<scxml>`, found `<{}>`", root.tag_name().name());
        findings.push(Diagnostic::error("not-a-chart", message).at(span));
        return None;
    }
    let tree = Tree {
        name: root.attribute("name").map(Into::into),
        states: Vec::new(),
        transitions: Vec::new(),
        data: Vec::new(),
        scripts: Vec::new(),
        properties: Vec::new(),
        late_binding: root.attribute("binding") == Some("late"),
        has_data: root.attribute("datamodel") != Some("null"),
        span,
    };
    let mut reader = Reader {
        place: Place {
            source,
            text,
            findings,
        },
        tree,
        ids: FxHashMap::default(),
        of_transitions: Vec::new(),
        of_starts: Vec::new(),
    };
    for comment in document.descendants().filter(Node::is_comment) {
        reader.comment(comment);
    }
    reader.datamodel_kind(root);
    reader.states(root);
    reader.resolve();
    (!reader.place.findings.has_errors()).then_some(reader.tree)
}

/// A finding of the XML parser.
fn syntax(source: SourceId, text: &str, error: &roxmltree::Error) -> Diagnostic {
    let pos = error.pos();
    let line_start: usize = text
        .split_inclusive('\n')
        .take((pos.row as usize).saturating_sub(1))
        .map(str::len)
        .sum();
    let rest = &text[line_start.min(text.len())..];
    let column = rest
        .char_indices()
        .nth((pos.col as usize).saturating_sub(1));
    let at = (line_start + column.map_or(0, |(at, _)| at)).min(text.len());
    let message = error.to_string();
    let message = message.split(" at ").next().unwrap_or(&message).to_owned();
    let span = Span::new(source, at, (at + 1).min(text.len()));
    Diagnostic::error("syntax", format!("this is no XML: {message}")).at(span)
}

/// Where the name of an element stands.
pub(super) fn name_span(source: SourceId, text: &str, node: Node<'_, '_>) -> Span {
    let range = node.range();
    let tag = &text[range.clone()];
    let end = tag
        .find(|c: char| c.is_whitespace() || c == '>' || c == '/')
        .unwrap_or(tag.len());
    Span::new(source, range.start, range.start + end.max(1).min(tag.len()))
}

/// The elements inside of one.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

impl Reader<'_> {
    fn report(&mut self, finding: Diagnostic) {
        self.place.findings.push(finding);
    }

    /// A comment that starts with `@` is a property.
    fn comment(&mut self, node: Node<'_, '_>) {
        let Some(text) = node
            .text()
            .and_then(|text| text.trim_start().strip_prefix('@'))
        else {
            return;
        };
        let range = node.range();
        let span = Span::new(self.place.source, range.start, range.end);
        match annotation::property(text) {
            Ok((name, _))
                if self
                    .tree
                    .properties
                    .iter()
                    .any(|known| *known.name == *name) =>
            {
                let message = format!("there is another property `{name}`");
                self.report(Diagnostic::error("duplicate-name", message).at(span));
            }
            Ok((name, formula)) => self.tree.properties.push(Property {
                name: name.into(),
                alias: None,
                body: PropertyBody::Ltl(formula.into()),
                span: Some(span),
            }),
            Err(why) => {
                let finding = Diagnostic::error("not-a-property", why).at(span);
                self.report(finding.hint("a property is `<!--@ ltl NAME: FORMULA -->`"));
            }
        }
    }

    fn datamodel_kind(&mut self, root: Node<'_, '_>) {
        let Some(kind) = root.attribute("datamodel") else {
            return;
        };
        if !["null", "ecmascript"].contains(&kind) {
            let span = self.place.attribute_span(root, "datamodel");
            let message = format!("the data model `{kind}` is not supported");
            let finding = Diagnostic::error("unsupported-datamodel", message).at(span);
            self.report(finding.hint("`null` and a part of `ecmascript` are"));
        }
    }

    /// All states, outer ones first, without recursion: a stack of elements to enter and states to leave.
    fn states(&mut self, root: Node<'_, '_>) {
        enum Todo<'a, 'i> {
            Enter(Node<'a, 'i>, Option<StateId>, usize),
            Leave(StateId),
        }
        let mut todo = vec![Todo::Enter(root, None, 0)];
        while let Some(next) = todo.pop() {
            match next {
                Todo::Leave(id) => {
                    self.tree.states[index(id)].last = state_id(self.tree.states.len() - 1);
                }
                Todo::Enter(node, parent, depth) => {
                    if depth > MAX_DEPTH {
                        let message = format!("states nest deeper than {MAX_DEPTH}");
                        let span = self.place.name_span(node);
                        self.report(Diagnostic::error("nesting", message).at(span));
                        return;
                    }
                    let id = self.state(node, parent);
                    todo.push(Todo::Leave(id));
                    let inner: Vec<Node<'_, '_>> = elements(node)
                        .filter(|child| {
                            matches!(
                                child.tag_name().name(),
                                "state" | "parallel" | "final" | "history"
                            )
                        })
                        .collect();
                    for child in inner.into_iter().rev() {
                        todo.push(Todo::Enter(child, Some(id), depth + 1));
                    }
                }
            }
        }
        for id in self.tree.ids() {
            let Some(parent) = self.tree.parent(id) else {
                continue;
            };
            if !self.tree.kind(id).is_history() {
                let siblings = &mut self.tree.states[index(parent)].children;
                let place = siblings.len();
                siblings.push(id);
                self.tree.states[index(id)].place = place;
            }
        }
    }

    fn state(&mut self, node: Node<'_, '_>, parent: Option<StateId>) -> StateId {
        let id = state_id(self.tree.states.len());
        let tag = node.tag_name().name();
        let has_states = elements(node)
            .any(|child| matches!(child.tag_name().name(), "state" | "parallel" | "final"));
        let kind = match tag {
            "parallel" => ChartKind::Parallel,
            "final" => ChartKind::Final,
            "history" if node.attribute("type") == Some("deep") => ChartKind::DeepHistory,
            "history" => ChartKind::ShallowHistory,
            _ if has_states || tag == "scxml" => ChartKind::Compound,
            _ => ChartKind::Atomic,
        };
        let span = self.place.name_span(node);
        let name: Box<str> = match (node.attribute("id"), tag) {
            (_, "scxml") => node.attribute("name").unwrap_or("chart").into(),
            (Some(name), _) => name.into(),
            (None, _) => format!("{tag}_{}", index(id)).into(),
        };
        if tag == "scxml" && !has_states {
            self.report(Diagnostic::error("no-state", "the chart has no state").at(span));
        }
        if kind == ChartKind::Parallel && !has_states {
            let message = "a `<parallel>` without states inside is not supported";
            self.report(Diagnostic::error("no-state", message).at(span));
        }
        if tag != "scxml" {
            self.check_id(node, &name, id);
        }
        self.tree.states.push(State {
            name,
            kind,
            parent,
            last: id,
            children: Vec::new(),
            place: 0,
            transitions: Vec::new(),
            entry: Vec::new(),
            exit: Vec::new(),
            initial: Start::default(),
            done: Payload::default(),
            span,
        });
        if let Some(initial) = node.attribute("initial") {
            let span = self.place.attribute_span(node, "initial");
            let names = names(initial, span);
            self.of_starts.push((id, names));
        }
        for child in elements(node) {
            self.part(id, tag, child);
        }
        id
    }

    fn check_id(&mut self, node: Node<'_, '_>, name: &str, id: StateId) {
        let span = match node.attribute("id") {
            Some(_) => self.place.attribute_span(node, "id"),
            None => self.place.name_span(node),
        };
        if name.is_empty() || name.contains(char::is_whitespace) {
            let message = format!("`{name}` is no name of a state");
            self.report(Diagnostic::error("bad-name", message).at(span));
        } else if let Some(first) = self.ids.insert(name.into(), id) {
            let message = format!("there are two states `{name}`");
            let first = self.tree.state(first).span;
            let finding = Diagnostic::error("duplicate-name", message).at(span);
            self.report(finding.also(first, "the first one"));
        }
    }

    /// What stands inside of a state and is no state.
    fn part(&mut self, id: StateId, outer: &str, node: Node<'_, '_>) {
        let tag = node.tag_name().name();
        match (outer, tag) {
            (_, "state" | "parallel" | "history") if outer != "final" && outer != "history" => {}
            ("scxml" | "state", "final") => {}
            ("scxml" | "state" | "parallel", "datamodel") => self.datamodel(id, node),
            ("scxml", "script") => {
                let contents = content::one(&mut self.place, node);
                self.tree.scripts.extend(contents);
            }
            ("state" | "parallel" | "final", "onentry") => {
                let block = content::block(&mut self.place, node);
                self.tree.states[index(id)].entry.push(block);
            }
            ("state" | "parallel" | "final", "onexit") => {
                let block = content::block(&mut self.place, node);
                self.tree.states[index(id)].exit.push(block);
            }
            ("state" | "parallel", "transition") => self.transition(id, node),
            ("history", "transition") => self.start(id, node),
            ("state", "initial") => {
                for inner in elements(node).filter(|inner| inner.tag_name().name() == "transition")
                {
                    self.start(id, inner);
                }
            }
            ("final", "donedata") => {
                let payload = content::payload(&mut self.place, node);
                self.tree.states[index(id)].done = payload;
            }
            _ => {
                let span = self.place.name_span(node);
                let message = format!("`<{tag}>` is not supported inside of `<{outer}>`");
                self.report(Diagnostic::error("unsupported-element", message).at(span));
            }
        }
    }

    fn datamodel(&mut self, state: StateId, node: Node<'_, '_>) {
        for data in elements(node) {
            let span = self.place.name_span(data);
            if !self.tree.has_data {
                let message = "the data model `null` has no data";
                self.report(Diagnostic::error("no-data", message).at(span));
            }
            let (Some(name), "data") = (data.attribute("id"), data.tag_name().name()) else {
                let message = "expected `<data id=\"NAME\" …>`";
                self.report(Diagnostic::error("syntax", message).at(span));
                continue;
            };
            if data.has_attribute("src") {
                let span = self.place.attribute_span(data, "src");
                let message = "data from other files (`src`) is not supported";
                self.report(Diagnostic::error("unsupported-src", message).at(span));
            }
            let text = data.text().map_or("", str::trim);
            let value = if data.has_attribute("expr") {
                self.place.code(data, "expr")
            } else if text.is_empty() {
                None
            } else {
                self.place.text_code(data)
            };
            let is_known = self.tree.data.iter().any(|known| *known.name == *name);
            if is_known {
                let message = format!("there is another variable `{name}`");
                self.report(Diagnostic::error("duplicate-name", message).at(span));
                continue;
            }
            let (name, span) = (name.into(), self.place.attribute_span(data, "id"));
            self.tree.data.push(Data {
                name,
                value,
                state,
                span,
            });
        }
    }

    /// The default transition of a state or a history.
    fn start(&mut self, id: StateId, node: Node<'_, '_>) {
        for attribute in ["event", "cond"] {
            if node.has_attribute(attribute) {
                let span = self.place.attribute_span(node, attribute);
                let message = format!("a default transition has no `{attribute}`");
                self.report(Diagnostic::error("syntax", message).at(span));
            }
        }
        let content = content::block(&mut self.place, node);
        self.tree.states[index(id)].initial.content = content;
        let span = match node.attribute("target") {
            Some(_) => self.place.attribute_span(node, "target"),
            None => self.place.name_span(node),
        };
        let names = names(node.attribute("target").unwrap_or(""), span);
        self.of_starts.push((id, names));
    }

    fn transition(&mut self, source: StateId, node: Node<'_, '_>) {
        let span = self.place.name_span(node);
        let events = node.attribute("event").map(|events| {
            let plain = |event: &str| match event {
                "*" => "*".into(),
                _ => event.trim_end_matches(".*").trim_end_matches('.').into(),
            };
            events
                .split_whitespace()
                .map(plain)
                .collect::<Vec<Box<str>>>()
        });
        let targets = match node.attribute("target") {
            Some(targets) => {
                let span = self.place.attribute_span(node, "target");
                names(targets, span)
            }
            None => Vec::new(),
        };
        let cond = self.place.code(node, "cond");
        let label = match (node.attribute("event"), node.attribute("cond")) {
            (event, Some(cond)) => format!("{} [{cond}]", event.unwrap_or("")),
            (event, None) => event.unwrap_or("").to_owned(),
        };
        let id = Id::from_index(self.tree.transitions.len());
        self.tree.states[index(source)].transitions.push(id);
        let content = content::block(&mut self.place, node);
        self.of_transitions.push(targets);
        self.tree.transitions.push(Transition {
            source,
            events: events.filter(|events| !events.is_empty()),
            cond,
            targets: Vec::new(),
            internal: node.attribute("type") == Some("internal"),
            content,
            label: label.trim().into(),
            span,
        });
    }

    fn resolve(&mut self) {
        for (at, names) in std::mem::take(&mut self.of_transitions)
            .into_iter()
            .enumerate()
        {
            let targets = self.targets(&names);
            self.check_together(&targets, &names);
            self.tree.transitions[at].targets = targets;
        }
        for (id, names) in std::mem::take(&mut self.of_starts) {
            let targets = self.targets(&names);
            self.check_together(&targets, &names);
            self.check_inside(id, &targets, &names);
            self.tree.states[index(id)].initial.targets = targets;
        }
        for id in self.tree.ids() {
            let state = self.tree.state(id);
            if !state.initial.targets.is_empty() {
                continue;
            }
            match state.kind {
                ChartKind::Compound => {
                    let first = state.children.first().copied();
                    self.tree.states[index(id)].initial.targets.extend(first);
                }
                kind if kind.is_history() => {
                    let message = format!(
                        "the history `{}` has no default transition with a target",
                        state.name
                    );
                    let span = state.span;
                    self.report(Diagnostic::error("no-default", message).at(span));
                }
                _ => {}
            }
        }
    }

    fn targets(&mut self, names: &[(Box<str>, Span)]) -> Vec<StateId> {
        let mut found = Vec::new();
        for (name, span) in names {
            match self.ids.get(name) {
                Some(&id) => found.push(id),
                None => {
                    let message = format!("there is no state `{name}`");
                    let mut known: Vec<&str> = self.ids.keys().map(|name| &**name).collect();
                    known.sort_unstable();
                    let hint =
                        suggestion(name, known).map(|near| format!("did you mean `{near}`?"));
                    let finding = Diagnostic::error("unknown-state", message).at(*span);
                    self.report(finding.maybe_hint(hint));
                }
            }
        }
        found
    }

    /// Several targets must be in different regions of a parallel state.
    fn check_together(&mut self, targets: &[StateId], names: &[(Box<str>, Span)]) {
        // A history stands for what is inside of its parent.
        let place = |id: StateId| {
            if self.tree.kind(id).is_history() {
                self.tree.parent(id).expect("a history has a parent")
            } else {
                id
            }
        };
        for (i, &a) in targets.iter().enumerate() {
            for &b in &targets[..i] {
                let both = [place(a), place(b)];
                if !self.tree.are_orthogonal(both[0], both[1]) {
                    let (a, b) = (&self.tree.state(a).name, &self.tree.state(b).name);
                    let message = format!("`{b}` and `{a}` cannot be entered together");
                    let finding = Diagnostic::error("bad-targets", message).at(names[0].1);
                    self.report(finding.hint(
                        "several targets are states in different regions of one `<parallel>`",
                    ));
                    return;
                }
            }
        }
    }

    /// The targets of a default lie inside of the state.
    fn check_inside(&mut self, id: StateId, targets: &[StateId], names: &[(Box<str>, Span)]) {
        let state = self.tree.state(id);
        let is_history = state.kind.is_history();
        let outer = if is_history {
            state.parent.unwrap_or(id)
        } else {
            id
        };
        for &target in targets {
            let is_inside = self.tree.is_inside(target, outer);
            let is_plain = !(is_history && self.tree.kind(target).is_history());
            if !is_inside || !is_plain {
                let inner = &self.tree.state(target).name;
                let message = format!(
                    "the default target `{inner}` is no state inside of `{}`",
                    self.tree.state(outer).name
                );
                let finding = Diagnostic::error("bad-targets", message).at(names[0].1);
                self.report(finding);
                return;
            }
        }
    }
}

/// The names in a list, all at the place of the list.
fn names(list: &str, span: Span) -> Named {
    list.split_whitespace()
        .map(|name| (name.into(), span))
        .collect()
}
