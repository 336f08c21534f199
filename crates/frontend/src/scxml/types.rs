//! The variables of a chart and what they hold.
//!
//! ECMAScript gives values types; we give types to variables: all that is assigned to one must be of one kind. What comes
//! with events is treated as variables, too, named `_event.data.NAME`. Types are found by going round until nothing changes.

use super::events::walk;
use super::script::{Binary, Js, Node};
use super::tree::{Code, Content, Payload, Tree, root};
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, Span};

/// What a variable holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Int,
    Bool,
    Text,
}

impl Ty {
    fn name(self) -> &'static str {
        match self {
            Self::Int => "numbers",
            Self::Bool => "truth values",
            Self::Text => "strings",
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub name: Box<str>,
    pub ty: Option<Ty>,
    /// Whether it may be undefined.
    pub may_lack: bool,
    /// Whether it exists from its first assignment on only.
    pub implicit: bool,
    /// The elements of a constant array.
    pub list: Option<Vec<Js>>,
    pub span: Span,
}

/// All variables.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub known: Vec<Known>,
    by_name: FxHashMap<Box<str>, usize>,
}

/// The name of what comes with an event.
pub(super) fn field_name(field: &str) -> String {
    match field {
        "" => "_event.data".to_owned(),
        _ => format!("_event.data.{field}"),
    }
}

impl Table {
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    fn add(&mut self, name: &str, span: Span, implicit: bool, may_lack: bool) -> usize {
        if let Some(at) = self.find(name) {
            return at;
        }
        self.by_name.insert(name.into(), self.known.len());
        self.known.push(Known {
            name: name.into(),
            ty: None,
            may_lack,
            implicit,
            list: None,
            span,
        });
        self.known.len() - 1
    }
}

/// Something that a variable gets.
enum Given<'a> {
    Value(&'a Js),
    Position,
}

struct Infer<'a> {
    table: Table,
    given: Vec<(usize, Given<'a>, Span)>,
}

/// Finds the variables of a chart and their types.
pub(super) fn infer(tree: &Tree, findings: &mut Diagnostics) -> Table {
    let mut infer = Infer {
        table: Table::default(),
        given: Vec::new(),
    };
    for data in &tree.data {
        let is_late = tree.late_binding && data.state != root();
        let may_lack = data.value.is_none() || is_late;
        let at = infer.table.add(&data.name, data.span, false, may_lack);
        if let Some(value) = &data.value {
            match &value.code.node {
                Node::List(list) => infer.table.known[at].list = Some(list.clone()),
                _ => infer
                    .given
                    .push((at, Given::Value(&value.code), value.span)),
            }
        }
    }
    infer.block(&tree.scripts);
    for state in &tree.states {
        let blocks = state
            .entry
            .iter()
            .chain(&state.exit)
            .chain([&state.initial.content]);
        blocks.for_each(|block| infer.block(block));
        infer.payload(&state.done);
    }
    for transition in &tree.transitions {
        infer.block(&transition.content);
    }
    infer.check_order(tree, findings);
    infer.settle(findings);
    infer.table
}

impl<'a> Infer<'a> {
    fn block(&mut self, block: &'a [Content]) {
        for content in block {
            match content {
                Content::Assign(name, value) => {
                    if let Some(at) = self.table.find(name) {
                        self.given.push((at, Given::Value(&value.code), value.span));
                    }
                }
                Content::Script(Code { code, span }) => {
                    for one in code {
                        let at = self.table.add(&one.name, *span, true, true);
                        if let Some(value) = &one.value {
                            self.given.push((at, Given::Value(value), *span));
                        }
                    }
                }
                Content::If(branches) => branches.iter().for_each(|branch| self.block(&branch.1)),
                Content::Foreach(each) => {
                    if let Some(index) = &each.index {
                        let at = self.table.add(index, each.span, true, true);
                        self.given.push((at, Given::Position, each.span));
                    }
                    if is_name(&each.item) {
                        let at = self.table.add(&each.item, each.span, true, true);
                        self.given
                            .push((at, Given::Value(&each.array.code), each.span));
                    }
                    self.block(&each.body);
                }
                Content::Send(send) => self.payload(&send.payload),
                Content::Raise(..) | Content::Cancel(_) | Content::Log(_) => {}
            }
        }
    }

    fn payload(&mut self, payload: &'a Payload) {
        for (field, value) in &payload.fields {
            let at = self.table.add(&field_name(field), value.span, false, true);
            self.given.push((at, Given::Value(&value.code), value.span));
        }
    }

    /// Initial values read only what has a value; one that cannot be evaluated leaves its variable undefined.
    fn check_order(&mut self, tree: &Tree, findings: &mut Diagnostics) {
        for (at, data) in tree.data.iter().enumerate() {
            let Some(value) = &data.value else { continue };
            let (mut is_wrong, mut too_early) = (false, None);
            walk(&value.code, &mut |js| match &js.node {
                Node::Wrong(_) => is_wrong = true,
                Node::Name(name) => match self.table.find(name) {
                    None => is_wrong = true,
                    Some(other) if other >= at && self.table.known[other].list.is_none() => {
                        too_early = Some(name.clone());
                    }
                    Some(_) => {}
                },
                _ => {}
            });
            self.table.known[at].may_lack |= is_wrong;
            if let Some(name) = too_early {
                let message = format!("`{name}` has no value yet where this one is computed");
                findings.push(Diagnostic::error("no-value-yet", message).at(value.span));
            }
        }
    }

    fn settle(&mut self, findings: &mut Diagnostics) {
        let mut reported = vec![false; self.table.known.len()];
        loop {
            let mut changed = false;
            for (at, given, span) in &self.given {
                let (ty, lacks) = match given {
                    Given::Position => (Some(Ty::Int), false),
                    Given::Value(js) => self.table.given(js),
                };
                if self.table.known[*at].list.is_some() && !reported[*at] {
                    reported[*at] = true;
                    let message = format!(
                        "the array `{}` is assigned: only constant arrays are supported",
                        self.table.known[*at].name
                    );
                    findings.push(Diagnostic::error("unsupported-array", message).at(*span));
                }
                let known = &mut self.table.known[*at];
                if lacks && !known.may_lack {
                    known.may_lack = true;
                    changed = true;
                }
                match (known.ty, ty) {
                    (None, Some(_)) => {
                        known.ty = ty;
                        changed = true;
                    }
                    (Some(old), Some(new)) if old != new && !reported[*at] => {
                        reported[*at] = true;
                        let message = format!(
                            "`{}` holds {} here and {} elsewhere",
                            known.name,
                            new.name(),
                            old.name()
                        );
                        let finding = Diagnostic::error("mixed-types", message).at(*span);
                        findings.push(finding.hint("a variable holds values of one type"));
                    }
                    _ => {}
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// Whether a text is a name.
pub(super) fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && text.chars().all(is_part) && !text.starts_with(|c: char| c.is_ascii_digit())
}

impl Table {
    /// What a variable gets from an expression: of an array, what its elements are.
    fn given(&self, js: &Js) -> (Option<Ty>, bool) {
        let elements = match &js.node {
            Node::List(list) => Some(list),
            Node::Name(name) => self.find(name).and_then(|at| self.known[at].list.as_ref()),
            _ => None,
        };
        match elements {
            Some(list) => (list.iter().find_map(|element| self.ty(element)), false),
            None => (self.ty(js), self.may_lack(js)),
        }
    }

    /// The type of an expression, as far as it is known.
    pub fn ty(&self, js: &Js) -> Option<Ty> {
        match &js.node {
            Node::Int(_) | Node::Fraction | Node::Neg(_) => Some(Ty::Int),
            Node::Text(_) | Node::Typeof(_) => Some(Ty::Text),
            Node::Bool(_) | Node::Not(_) => Some(Ty::Bool),
            Node::Undefined | Node::Null | Node::List(_) | Node::Wrong(_) => None,
            Node::Name(name) => self.find(name).and_then(|at| self.known[at].ty),
            Node::Member(..) | Node::Index(..) => {
                let path = path(js)?;
                match path.strip_prefix("_event.")? {
                    "name" => Some(Ty::Text),
                    _ => self.find(&path).and_then(|at| self.known[at].ty),
                }
            }
            Node::Call(function, args) => match path(function).as_deref() {
                Some("In") => Some(Ty::Bool),
                Some(name) if name.starts_with("Math.") => args.first().map(|_| Ty::Int),
                _ => None,
            },
            Node::Binary(op, left, right) => match op {
                Binary::Or | Binary::And => self.ty(left).or_else(|| self.ty(right)),
                Binary::Add
                    if [left, right]
                        .iter()
                        .any(|side| self.ty(side) == Some(Ty::Text)) =>
                {
                    Some(Ty::Text)
                }
                Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => {
                    Some(Ty::Int)
                }
                _ => Some(Ty::Bool),
            },
            Node::If(_, then, otherwise) => self.ty(then).or_else(|| self.ty(otherwise)),
        }
    }

    fn may_lack(&self, js: &Js) -> bool {
        match &js.node {
            Node::Undefined => true,
            Node::Name(name) => self.find(name).is_some_and(|at| self.known[at].may_lack),
            Node::Member(..) | Node::Index(..) => {
                path(js).is_some_and(|path| path.starts_with("_event.data"))
            }
            Node::If(_, then, otherwise) => self.may_lack(then) || self.may_lack(otherwise),
            _ => false,
        }
    }
}

/// A chain of names with dots between, as `a.b` or `a['b']`.
pub(super) fn path(js: &Js) -> Option<String> {
    match &js.node {
        Node::Name(name) => Some(name.to_string()),
        Node::Member(inner, name) => Some(format!("{}.{name}", path(inner)?)),
        Node::Index(inner, index) => match &index.node {
            Node::Text(name) => Some(format!("{}.{name}", path(inner)?)),
            _ => None,
        },
        _ => None,
    }
}
