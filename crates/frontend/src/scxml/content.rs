//! From XML to executable content and pieces of scripts.

use super::read::{MAX_DEPTH, elements, name_span};
use super::script::{self, Js, Mistake, Node as JsNode};
use super::tree::{Code, Content, Foreach, Payload, Send};
use lariat_base::{Diagnostic, Diagnostics, SourceId, Span};
use roxmltree::Node;

/// Where things stand, and what is wrong with them.
pub(super) struct Place<'a> {
    pub source: SourceId,
    pub text: &'a str,
    pub findings: &'a mut Diagnostics,
}

impl Place<'_> {
    pub fn name_span(&self, node: Node<'_, '_>) -> Span {
        name_span(self.source, self.text, node)
    }

    pub fn attribute_span(&self, node: Node<'_, '_>, name: &str) -> Span {
        let attribute = node.attributes().find(|attribute| attribute.name() == name);
        match attribute {
            Some(attribute) => {
                let range = attribute.range_value();
                Span::new(self.source, range.start, range.end)
            }
            None => self.name_span(node),
        }
    }

    /// The expression in an attribute, if there is one.
    pub fn code(&mut self, node: Node<'_, '_>, name: &str) -> Option<Code<Js>> {
        let text = node.attribute(name)?;
        let span = self.attribute_span(node, name);
        self.expression(text, span)
    }

    /// The expression between the tags.
    pub fn text_code(&mut self, node: Node<'_, '_>) -> Option<Code<Js>> {
        let (text, span) = self.inner(node);
        self.expression(&text, span)
    }

    fn expression(&mut self, text: &str, span: Span) -> Option<Code<Js>> {
        match script::expression(text) {
            Ok(code) => Some(Code { code, span }),
            Err(mistake) => {
                self.mistake(&mistake, text, span);
                None
            }
        }
    }

    /// Text between tags, and where it stands.
    fn inner(&self, node: Node<'_, '_>) -> (String, Span) {
        let texts = node.children().filter(Node::is_text);
        let text: String = texts.clone().filter_map(|inner| inner.text()).collect();
        let range = texts
            .map(|inner| inner.range())
            .reduce(|a, b| a.start..b.end);
        let range = range.unwrap_or(node.range());
        (text, Span::new(self.source, range.start, range.end))
    }

    /// A mistake in a script: at its own place, if the text stands in the file as it is.
    fn mistake(&mut self, mistake: &Mistake, text: &str, span: Span) {
        let verbatim = &self.text[span.range()] == text;
        let at = if verbatim {
            let start = span.start as usize;
            let end = (start + mistake.at.1.max(mistake.at.0 + 1)).min(span.end as usize);
            Span::new(self.source, (start + mistake.at.0).min(end), end)
        } else {
            span
        };
        let message = mistake.message.clone();
        let finding = if message.contains("not supported") || message.contains("may only") {
            Diagnostic::error("unsupported-script", message)
        } else {
            Diagnostic::error("syntax", message)
        };
        self.findings.push(finding.at(at));
    }

    fn unsupported(&mut self, message: String, span: Span) {
        self.findings
            .push(Diagnostic::error("unsupported-element", message).at(span));
    }

    /// What one attribute says as text or another as an expression.
    fn either(&mut self, node: Node<'_, '_>, plain: &str, computed: &str) -> Option<Code<Js>> {
        match node.attribute(plain) {
            Some(text) => {
                let span = self.attribute_span(node, plain);
                Some(literal(text, span))
            }
            None => self.code(node, computed),
        }
    }

    fn required<'a>(&mut self, node: Node<'a, '_>, name: &str) -> Option<&'a str> {
        let value = node.attribute(name);
        if value.is_none() {
            let message = format!(
                "`<{}>` needs the attribute `{name}`",
                node.tag_name().name()
            );
            let span = self.name_span(node);
            self.findings
                .push(Diagnostic::error("syntax", message).at(span));
        }
        value
    }
}

/// A text as an expression.
fn literal(text: &str, span: Span) -> Code<Js> {
    let code = Js {
        node: JsNode::Text(text.into()),
        at: (0, text.len()),
    };
    Code { code, span }
}

/// The content of an element that holds a block.
pub(super) fn block(place: &mut Place<'_>, node: Node<'_, '_>) -> Vec<Content> {
    nested_block(place, node, 0)
}

/// The content of one element.
pub(super) fn one(place: &mut Place<'_>, node: Node<'_, '_>) -> Vec<Content> {
    let mut contents = Vec::new();
    element(place, node, 0, &mut contents);
    contents
}

fn nested_block(place: &mut Place<'_>, node: Node<'_, '_>, depth: usize) -> Vec<Content> {
    let mut contents = Vec::new();
    if depth > MAX_DEPTH {
        let span = place.name_span(node);
        let message = format!("executable content nests deeper than {MAX_DEPTH}");
        place
            .findings
            .push(Diagnostic::error("nesting", message).at(span));
        return contents;
    }
    for child in elements(node) {
        element(place, child, depth, &mut contents);
    }
    contents
}

fn element(place: &mut Place<'_>, node: Node<'_, '_>, depth: usize, out: &mut Vec<Content>) {
    let span = place.name_span(node);
    match node.tag_name().name() {
        "raise" => {
            if let Some(event) = place.required(node, "event") {
                out.push(Content::Raise(event.trim().into()));
            }
        }
        "send" => out.extend(send(place, node, span).map(|send| Content::Send(Box::new(send)))),
        "cancel" => {
            let code = place.either(node, "sendid", "sendidexpr");
            out.extend(code.map(Content::Cancel));
        }
        "assign" => {
            let Some(location) = place.required(node, "location") else {
                return;
            };
            let has_text = node.text().is_some_and(|text| !text.trim().is_empty());
            let code = if node.has_attribute("expr") {
                place.code(node, "expr")
            } else if has_text {
                place.text_code(node)
            } else {
                place.required(node, "expr");
                None
            };
            out.extend(code.map(|code| Content::Assign(location.trim().into(), code)));
        }
        "if" => out.push(conditional(place, node, depth)),
        "foreach" => {
            let body = nested_block(place, node, depth + 1);
            let (array, item) = (place.code(node, "array"), place.required(node, "item"));
            if array.is_none() {
                place.required(node, "array");
            }
            if let (Some(array), Some(item)) = (array, item) {
                out.push(Content::Foreach(Box::new(Foreach {
                    array,
                    item: item.into(),
                    index: node.attribute("index").map(Into::into),
                    body,
                    span,
                })));
            }
        }
        "script" => {
            if node.has_attribute("src") {
                let span = place.attribute_span(node, "src");
                place.unsupported(
                    "scripts from other files (`src`) are not supported".into(),
                    span,
                );
                return;
            }
            let (text, span) = place.inner(node);
            match script::assignments(&text) {
                Ok(code) => out.push(Content::Script(Code { code, span })),
                Err(mistake) => place.mistake(&mistake, &text, span),
            }
        }
        "log" => out.extend(place.code(node, "expr").map(Content::Log)),
        tag => place.unsupported(
            format!("`<{tag}>` is not supported in executable content"),
            span,
        ),
    }
}

fn conditional(place: &mut Place<'_>, node: Node<'_, '_>, depth: usize) -> Content {
    let mut branches = vec![(condition(place, node), Vec::new())];
    if depth > MAX_DEPTH {
        nested_block(place, node, depth);
        return Content::If(branches);
    }
    for child in elements(node) {
        match child.tag_name().name() {
            "elseif" => branches.push((condition(place, child), Vec::new())),
            "else" => branches.push((None, Vec::new())),
            _ => {
                let (_, block) = branches.last_mut().expect("there is a branch");
                let mut more = Vec::new();
                element(place, child, depth + 1, &mut more);
                block.extend(more);
            }
        }
    }
    Content::If(branches)
}

fn condition(place: &mut Place<'_>, node: Node<'_, '_>) -> Option<Code<Js>> {
    place.required(node, "cond");
    place.code(node, "cond")
}

fn send(place: &mut Place<'_>, node: Node<'_, '_>, span: Span) -> Option<Send> {
    if node.has_attribute("idlocation") {
        let span = place.attribute_span(node, "idlocation");
        place.unsupported(
            "identifiers that the platform makes (`idlocation`) are not supported".into(),
            span,
        );
    }
    let event = place.either(node, "event", "eventexpr");
    if event.is_none() {
        place.required(node, "event");
    }
    Some(Send {
        event: event?,
        target: place.either(node, "target", "targetexpr"),
        kind: place.either(node, "type", "typeexpr"),
        delay: place.either(node, "delay", "delayexpr"),
        id: node.attribute("id").map(Into::into),
        payload: payload(place, node),
        span,
    })
}

/// What is sent with an event: `namelist`, `<param>`, `<content>`.
pub(super) fn payload(place: &mut Place<'_>, node: Node<'_, '_>) -> Payload {
    let mut fields = Vec::new();
    if let Some(names) = node.attribute("namelist") {
        let span = place.attribute_span(node, "namelist");
        for name in names.split_whitespace() {
            fields.extend(place.expression(name, span).map(|code| (name.into(), code)));
        }
    }
    for child in elements(node) {
        match child.tag_name().name() {
            "param" => {
                let Some(name) = place.required(child, "name") else {
                    continue;
                };
                let code = if child.has_attribute("expr") {
                    place.code(child, "expr")
                } else {
                    place.code(child, "location")
                };
                fields.extend(code.map(|code| (name.into(), code)));
            }
            "content" if child.has_attribute("expr") => {
                fields.extend(place.code(child, "expr").map(|code| ("".into(), code)));
            }
            "content" => {
                let (text, span) = place.inner(child);
                // What reads as an expression is one (a number, an array); other text is text.
                let code = match script::expression(&text) {
                    Ok(code)
                        if matches!(
                            code.node,
                            JsNode::Int(_) | JsNode::Bool(_) | JsNode::Text(_)
                        ) =>
                    {
                        Code { code, span }
                    }
                    _ => literal(text.trim(), span),
                };
                fields.push(("".into(), code));
            }
            _ => {}
        }
    }
    Payload { fields }
}
