//! Executable content as statements.
//!
//! An error ends the block it is in: the event `error.execution` is raised and the rest of the block does not happen. Where
//! that can be, a local variable says whether the block still goes on.

use super::events::{self, Target};
use super::lower::Lower;
use super::queue::Carried;
use super::script::{Js, Node};
use super::tree::{Code, Content, Foreach, Send};
use super::types::is_name;
use super::value::V;
use lariat_base::{Diagnostic, Span};
use lariat_expr::TermId;
use lariat_system::{Stmt, StmtId};

/// The longest array.
const MAX_ARRAY: usize = 200;

/// A statement, and whether the block may end with it.
struct Piece {
    stmt: StmtId,
    may_end: bool,
}

impl Lower<'_> {
    /// A block: what an `<onentry>`, an `<onexit>` or a transition does.
    pub fn block(&mut self, contents: &[Content]) -> Option<StmtId> {
        if contents.is_empty() {
            return None;
        }
        let outer = self.alive.take();
        let alive = self.local("goes_on");
        self.alive = Some(alive);
        let piece = self.contents(contents);
        self.alive = outer;
        if !piece.may_end {
            return Some(piece.stmt);
        }
        let yes = self.cx.terms.true_();
        let declare = self.cx.stmts.add(Stmt::Declare(alive, Some(yes)), None);
        Some(self.cx.stmts.seq(&[declare, piece.stmt], None))
    }

    fn contents(&mut self, contents: &[Content]) -> Piece {
        let pieces: Vec<Piece> = contents
            .iter()
            .map(|content| self.content(content))
            .collect();
        self.in_order(pieces)
    }

    /// One after the other, as long as the block goes on.
    fn in_order(&mut self, pieces: Vec<Piece>) -> Piece {
        let may_end = pieces.iter().any(|piece| piece.may_end);
        let mut rest: Vec<StmtId> = Vec::new();
        for piece in pieces.into_iter().rev() {
            if piece.may_end && !rest.is_empty() {
                rest.reverse();
                let after = self.seq(&rest);
                let alive = self.alive.expect("content is in a block");
                let alive = self.cx.terms.var(alive);
                rest = vec![self.when(alive, after, None)];
            }
            rest.push(piece.stmt);
        }
        rest.reverse();
        let stmt = self.seq(&rest);
        Piece { stmt, may_end }
    }

    fn fine(&mut self, parts: &[StmtId]) -> Piece {
        let stmt = self.seq(parts);
        Piece {
            stmt,
            may_end: false,
        }
    }

    /// Raises an error and ends the block if a condition holds; else does something.
    fn unless(&mut self, raises: TermId, error: &str, otherwise: StmtId) -> Piece {
        if raises == self.cx.terms.false_() {
            return Piece {
                stmt: otherwise,
                may_end: false,
            };
        }
        let alive = self.alive.expect("content is in a block");
        let (error, end) = (self.raise_named(error), self.assign_bool(alive, false));
        let error = self.seq(&[error, end]);
        let stmt = self.when(raises, error, Some(otherwise));
        Piece {
            stmt,
            may_end: true,
        }
    }

    fn error(&mut self, name: &str) -> Piece {
        let (always, skip) = (self.cx.terms.true_(), self.cx.stmts.skip());
        self.unless(always, name, skip)
    }

    /// What is done with a value, unless evaluating it is an error.
    fn evaluated(&mut self, value: V, then: StmtId) -> Piece {
        let piece = self.unless(value.raises, "error.execution", then);
        match self.leave_if(value.outside) {
            None => piece,
            Some(leave) => Piece {
                stmt: self.seq(&[leave, piece.stmt]),
                ..piece
            },
        }
    }

    /// A piece that happens unless evaluating a value is an error.
    fn after_value(&mut self, value: V, piece: Piece) -> Piece {
        let whole = self.evaluated(value, piece.stmt);
        let may_end = piece.may_end || whole.may_end;
        Piece { may_end, ..whole }
    }

    fn content(&mut self, content: &Content) -> Piece {
        match content {
            Content::Raise(event) => {
                let stmt = self.raise_named(event);
                self.fine(&[stmt])
            }
            Content::Log(code) => self.log(code),
            Content::Assign(name, code) => self.assignment(name, code, false),
            Content::Script(Code { code, span }) => {
                let mut pieces = Vec::new();
                for one in code {
                    if let Some(value) = &one.value {
                        let value = Code {
                            code: value.clone(),
                            span: *span,
                        };
                        pieces.push(self.assignment(&one.name, &value, true));
                    }
                }
                self.in_order(pieces)
            }
            Content::If(branches) => self.conditional(branches),
            Content::Foreach(each) => self.foreach(each),
            Content::Cancel(code) => {
                let value = self.value(code);
                let piece = self.by_text(value, code.span, |lower, text| {
                    let stmt = lower.cancel(text);
                    lower.fine(&[stmt])
                });
                self.after_value(value, piece)
            }
            Content::Send(send) => self.send(send),
        }
    }

    /// Messages are for people; only that one cannot be evaluated matters.
    fn log(&mut self, code: &Code<Js>) -> Piece {
        let (mut unknown, mut called) = (false, None);
        events::walk(&code.code, &mut |js| match &js.node {
            Node::Name(name) => {
                let is_builtin = name.starts_with('_')
                    || matches!(&**name, "JSON" | "Math" | "String" | "In" | "Date");
                unknown |= !is_builtin && self.table.find(name).is_none();
            }
            Node::Call(function, _) => called = called.take().or(super::types::path(function)),
            _ => {}
        });
        let is_harmless = |name: &str| {
            matches!(name, "In" | "JSON.stringify" | "String") || name.starts_with("Math.")
        };
        if let Some(name) = called.filter(|name| !is_harmless(name)) {
            let message = format!("calls of `{name}` are not supported");
            self.findings
                .push(Diagnostic::error("unsupported-script", message).at(code.span));
        }
        if unknown {
            return self.error("error.execution");
        }
        self.fine(&[])
    }

    fn assignment(&mut self, name: &str, code: &Code<Js>, creates: bool) -> Piece {
        let known = self.table.find(name);
        let Some(at) = known else {
            let root = name.split(['.', '[']).next().unwrap_or(name);
            if name != root && self.table.find(root).is_some() || creates {
                let message = format!("`{name}`: objects and arrays cannot be assigned");
                self.findings
                    .push(Diagnostic::error("unsupported-script", message).at(code.span));
                return self.fine(&[]);
            }
            let message = format!("there is no variable `{name}`: this raises `error.execution`");
            self.findings
                .push(Diagnostic::warning("unknown-variable", message).at(code.span));
            return self.error("error.execution");
        };
        if self.table.known[at].list.is_some() {
            return self.fine(&[]);
        }
        let value = self.value(code);
        // What does not exist cannot be assigned by `<assign>`, but by scripts.
        let raises = match (
            self.table.known[at].implicit,
            creates,
            self.vars.data[at].defined,
        ) {
            (true, false, Some(defined)) => {
                let exists = self.cx.terms.var(defined);
                let not = self.cx.terms.not(exists);
                self.cx.terms.or(&[value.raises, not])
            }
            _ => value.raises,
        };
        let value = V { raises, ..value };
        let parts = self.put(at, Some(value));
        let store = self.cx.stmts.seq(&parts, Some(code.span));
        self.evaluated(value, store)
    }

    /// Gives a variable a value, if anything reads it.
    fn put(&mut self, at: usize, value: Option<V>) -> Vec<StmtId> {
        if !self.vars.is_used[at] {
            return Vec::new();
        }
        let slot = self.vars.data[at];
        self.store(slot, value)
    }

    fn conditional(&mut self, branches: &[(Option<Code<Js>>, Vec<Content>)]) -> Piece {
        let mut rest = self.fine(&[]);
        for (condition, block) in branches.iter().rev() {
            let block = self.contents(block);
            let Some(condition) = condition else {
                rest = block;
                continue;
            };
            let truth = self.truth(condition);
            let may_end = rest.may_end || block.may_end;
            let choice = self.when(truth.holds, block.stmt, Some(rest.stmt));
            let mut parts: Vec<StmtId> = self.leave_if(truth.outside).into_iter().collect();
            // A condition that cannot be evaluated is false, and an error; the block goes on.
            if truth.raises != self.cx.terms.false_() {
                let error = self.raise_named("error.execution");
                parts.push(self.when(truth.raises, error, None));
            }
            parts.push(choice);
            let stmt = self.seq(&parts);
            rest = Piece { stmt, may_end };
        }
        rest
    }

    fn foreach(&mut self, each: &Foreach) -> Piece {
        let array = match &each.array.code.node {
            Node::List(list) => Some(list.clone()),
            Node::Name(name) => self
                .table
                .find(name)
                .and_then(|at| self.table.known[at].list.clone()),
            _ => None,
        };
        let Some(array) = array else {
            let message = "this is no constant array: `<foreach>` raises `error.execution`";
            self.findings
                .push(Diagnostic::warning("no-array", message).at(each.array.span));
            return self.error("error.execution");
        };
        if !is_name(&each.item) {
            return self.error("error.execution");
        }
        if array.len() > MAX_ARRAY {
            let message = format!("arrays have at most {MAX_ARRAY} elements here");
            self.findings
                .push(Diagnostic::error("unsupported-array", message).at(each.array.span));
            return self.fine(&[]);
        }
        let item = self.table.find(&each.item).expect("items are known");
        let index = each
            .index
            .as_ref()
            .map(|name| self.table.find(name).expect("indices are known"));
        let mut pieces = Vec::new();
        for (position, element) in array.into_iter().enumerate() {
            let element = Code {
                code: element,
                span: each.array.span,
            };
            let value = self.value(&element);
            let mut parts = self.put(item, Some(value));
            if let Some(index) = index {
                let position = self.int(i64::from(position as u32));
                parts.extend(self.put(index, Some(position)));
            }
            let store = self.seq(&parts);
            pieces.push(self.evaluated(value, store));
            pieces.push(self.contents(&each.body));
        }
        self.in_order(pieces)
    }

    /// What is done for each string that a value may be.
    fn by_text(
        &mut self,
        value: V,
        span: Span,
        mut make: impl FnMut(&mut Self, &str) -> Piece,
    ) -> Piece {
        use lariat_expr::Value;
        if value.ty != super::types::Ty::Text {
            if value.raises != self.cx.terms.true_() {
                let message = "this is no string: it raises `error.execution`";
                self.findings
                    .push(Diagnostic::warning("no-string", message).at(span));
            }
            return self.error("error.execution");
        }
        let events = self.events;
        if let Some(Value::Enum(at)) = self.cx.terms.as_lit(value.term).cloned() {
            let text = (at as usize)
                .checked_sub(1)
                .map_or("", |at| &*events.texts[at]);
            return make(self, text);
        }
        let mut rest = self.error("error.execution");
        for text in &events.texts {
            let piece = make(self, text);
            let literal = self.text(text).term;
            let is_it = self.cx.terms.eq(value.term, literal);
            let stmt = self.when(is_it, piece.stmt, Some(rest.stmt));
            rest = Piece {
                stmt,
                may_end: rest.may_end || piece.may_end,
            };
        }
        rest
    }

    fn send(&mut self, send: &Send) -> Piece {
        let carried = self.carried(&send.payload);
        let (mut raises, mut outside) = (carried.raises.clone(), carried.outside.clone());
        let mut texts = Vec::new();
        for code in [
            Some(&send.event),
            send.target.as_ref(),
            send.kind.as_ref(),
            send.delay.as_ref(),
        ] {
            let value = code.map(|code| (self.value(code), code.span));
            raises.extend(value.iter().map(|(value, _)| value.raises));
            outside.extend(value.iter().map(|(value, _)| value.outside));
            texts.push(value);
        }
        let (event, target, kind, delay) = (
            texts[0].expect("an event is sent"),
            texts[1],
            texts[2],
            texts[3],
        );
        let empty = self.text("");
        let zero = (empty, send.span);
        let piece = self.by_text(kind.unwrap_or(zero).0, send.span, |lower, kind| {
            if !events::is_own_type(kind) {
                return if kind.contains("://") {
                    lower.fine(&[])
                } else {
                    lower.error("error.execution")
                };
            }
            lower.by_text(target.unwrap_or(zero).0, send.span, |lower, target| {
                let target = events::target(target);
                lower.by_text(event.0, event.1, |lower, event| {
                    lower.send_to(target, event, delay, send, &carried)
                })
            })
        });
        let (raises, outside) = (self.or_all(&raises), self.or_all(&outside));
        self.after_value(
            V {
                raises,
                outside,
                ..empty
            },
            piece,
        )
    }

    fn send_to(
        &mut self,
        target: Target,
        event: &str,
        delay: Option<(V, Span)>,
        send: &Send,
        carried: &Carried,
    ) -> Piece {
        if event.is_empty() {
            return self.error("error.execution");
        }
        match target {
            Target::Elsewhere => self.fine(&[]),
            Target::Error(name) => self.error(name),
            Target::Internal => {
                let stmt = self.raise(event, carried);
                self.fine(&[stmt])
            }
            Target::Itself => {
                let Some((delay, span)) = delay else {
                    return self.posted(event, 0, send, carried);
                };
                self.by_text(delay, span, |lower, text| match events::delay(text) {
                    Some(delay) => lower.posted(event, delay, send, carried),
                    None => lower.error("error.execution"),
                })
            }
        }
    }

    fn posted(&mut self, event: &str, delay: u64, send: &Send, carried: &Carried) -> Piece {
        match self.events.find(event, delay, send.id.as_deref()) {
            Some(at) => {
                let stmt = self.post(at, carried);
                self.fine(&[stmt])
            }
            // The value of an expression that no string of the chart has.
            None => self.error("error.execution"),
        }
    }
}
