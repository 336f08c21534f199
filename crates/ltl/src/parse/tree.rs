//! From tokens to one generic tree that holds both the logic and the model's expressions.
//!
//! Operator precedence parsing with two explicit stacks (Dijkstra's shunting yard): no recursion, so
//! the depth of a text is bounded by memory only. Which tokens are accepted does not depend on the
//! table; the tables only decide how operators group. `disagree` relies on that.
//!
//! Rejected: two grammars with backtracking at `(`: whether `(x + 2) > 5` or `(p U q) & r` follows is
//! known only after the bracket closes, and nesting makes that exponential.

use lariat_base::{Diagnostic, Span, nearest};

use super::lex::Lexed;
use super::table::{Assoc, CHOICE_LEVEL, IF_LEVEL, SIGN_LEVEL, Syntax, term_level};
use super::token::{BinaryOp, Bound, Tok, Token, UnaryOp, WORDS};

/// The position of a node in its tree.
pub(crate) type NodeIx = u32;

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeKind {
    Const(bool),
    Name,
    Quoted(u32),
    Number,
    Unary(UnaryOp, Option<Bound>),
    Binary(BinaryOp),
    /// A comparison or arithmetic operator of the model's expressions.
    Term,
    /// A construct of the model's expressions whose parts are set off by brackets.
    Fenced,
    /// `if … then … else …` or `… ? … : …`; with two parts, `if … then …`.
    Choose,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// The token of the leaf or operator.
    pub(crate) token: u32,
    /// The bytes of the text without enclosing brackets.
    pub(crate) inner: (u32, u32),
    /// The bytes of the text with its brackets.
    pub(crate) outer: (u32, u32),
    first_kid: u32,
    n_kids: u32,
    /// Whether a temporal operator occurs.
    pub(crate) temporal: bool,
    /// The height, where a chain of one associative operator counts once and a bound by its steps.
    pub(crate) height: u32,
    /// The number of nodes.
    pub(crate) size: u32,
}

impl Node {
    /// Whether the node was written in brackets.
    pub(crate) fn is_bracketed(&self) -> bool {
        self.inner != self.outer
    }
}

/// A parsed text.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    kids: Vec<NodeIx>,
    pub(crate) root: NodeIx,
}

impl Tree {
    /// A node.
    pub(crate) fn node(&self, ix: NodeIx) -> &Node {
        &self.nodes[ix as usize]
    }

    /// The operands of a node, in the order of the text.
    pub(crate) fn kids(&self, ix: NodeIx) -> &[NodeIx] {
        let node = self.node(ix);
        &self.kids[node.first_kid as usize..(node.first_kid + node.n_kids) as usize]
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The operands of a chain of one operator, flattened: `a & (b & c)` gives `a b c`. A node that
    /// `is_leaf` is not looked into.
    pub(crate) fn chain(
        &self,
        ix: NodeIx,
        op: BinaryOp,
        is_leaf: impl Fn(NodeIx) -> bool,
    ) -> Vec<NodeIx> {
        let mut out = Vec::new();
        let mut stack = vec![ix];
        while let Some(at) = stack.pop() {
            if self.node(at).kind == NodeKind::Binary(op) && (at == ix || !is_leaf(at)) {
                stack.extend(self.kids(at).iter().rev());
            } else {
                out.push(at);
            }
        }
        out
    }
}

/// Groups the tokens of `text` by the table of `syntax`.
pub(crate) fn group(
    text: &str,
    origin: Span,
    lexed: &Lexed,
    syntax: Syntax,
) -> Result<Tree, Box<Diagnostic>> {
    let mut parser = Parser {
        text,
        origin,
        tokens: &lexed.tokens,
        syntax,
        pending: Vec::new(),
        operands: Vec::new(),
        tree: Tree {
            nodes: Vec::new(),
            kids: Vec::new(),
            root: 0,
        },
    };
    parser.run()?;
    Ok(parser.tree)
}

/// An operator or bracket that waits for its right side.
#[derive(Clone, Copy)]
enum Pending {
    Unary(UnaryOp, Option<Bound>),
    Binary(BinaryOp),
    /// An operator of the model's expressions with that many operands.
    Term {
        level: u8,
        arity: usize,
    },
    Paren,
    /// `f(`, `a[` or `[`: the operands from this stack height on belong to it.
    List {
        closer: Tok,
        base: usize,
    },
    If,
    Then,
    Choice,
    /// The last part of `if … then … else …` or `… ? … : …`.
    Choose(u8),
}

struct Parser<'a> {
    text: &'a str,
    origin: Span,
    tokens: &'a [Token],
    syntax: Syntax,
    pending: Vec<(Pending, u32)>,
    operands: Vec<NodeIx>,
    tree: Tree,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Box<Diagnostic>> {
        if self.tokens.is_empty() {
            return Err(Diagnostic::error("syntax", "the formula is empty")
                .at(self.span(0, self.text.len() as u32))
                .into());
        }
        let mut expect_operand = true;
        for at in 0..self.tokens.len() {
            let token = self.tokens[at];
            expect_operand = if expect_operand {
                self.operand(at as u32, token)?
            } else {
                self.operator(at as u32, token)?
            };
        }
        if expect_operand {
            let end = self.tokens[self.tokens.len() - 1].end;
            return Err(Diagnostic::error("syntax", "the formula ends too early")
                .at_label(self.span(end, end), "something must follow here")
                .into());
        }
        self.reduce_all();
        if let Some(&(_, at)) = self.pending.last() {
            let token = self.tokens[at as usize];
            let what = match token.tok {
                Tok::If => "this `if` has no `then`",
                Tok::Question => "this `?` has no `:`",
                _ => "this bracket is never closed",
            };
            return Err(Diagnostic::error("syntax", what)
                .at(self.span(token.start, token.end))
                .into());
        }
        self.tree.root = self.operands[0];
        Ok(())
    }

    /// Takes a token where an operand begins; returns whether one is still expected.
    fn operand(&mut self, at: u32, token: Token) -> Result<bool, Box<Diagnostic>> {
        let leaf = match token.tok {
            Tok::Const(value) => NodeKind::Const(value),
            Tok::Name => NodeKind::Name,
            // A variable may have the name of an operator such as `mod`.
            Tok::Term(_) if self.word(token).starts_with(char::is_alphabetic) => NodeKind::Name,
            Tok::Number => NodeKind::Number,
            Tok::Quoted(index) => NodeKind::Quoted(index),
            Tok::Unary(op, bound) => {
                self.pending.push((Pending::Unary(op, bound), at));
                return Ok(true);
            }
            Tok::Minus => {
                let sign = Pending::Term {
                    level: SIGN_LEVEL,
                    arity: 1,
                };
                self.pending.push((sign, at));
                return Ok(true);
            }
            Tok::Open => {
                self.pending.push((Pending::Paren, at));
                return Ok(true);
            }
            Tok::If => {
                self.pending.push((Pending::If, at));
                return Ok(true);
            }
            Tok::OpenBracket => {
                self.open_list(Tok::CloseBracket, at);
                return Ok(true);
            }
            Tok::Close | Tok::CloseBracket if self.closes_empty_list(token.tok) => {
                self.close(at, token)?;
                return Ok(false);
            }
            _ => return Err(self.expected_operand(at, token).into()),
        };
        let bytes = (token.start, token.end);
        let ix = self.add(leaf, at, bytes, &[]);
        self.operands.push(ix);
        Ok(false)
    }

    /// Takes a token where an operator may follow; returns whether an operand is expected next.
    fn operator(&mut self, at: u32, token: Token) -> Result<bool, Box<Diagnostic>> {
        match token.tok {
            Tok::Binary(op) => {
                let (level, assoc) = self.syntax.binary(op);
                self.reduce_tighter(level, assoc);
                self.pending.push((Pending::Binary(op), at));
            }
            Tok::Term(op) => self.term(term_level(op), at),
            Tok::Minus => self.term(term_level(super::token::TermOp::Add), at),
            Tok::Question => {
                self.reduce_tighter(CHOICE_LEVEL, Assoc::Right);
                self.pending.push((Pending::Choice, at));
            }
            Tok::Open if self.calls(at) => self.open_list(Tok::Close, at),
            Tok::OpenBracket => self.open_list(Tok::CloseBracket, at),
            Tok::Name if self.text.as_bytes()[token.start as usize] == b'.' => {
                self.member(token);
                return Ok(false);
            }
            Tok::Close | Tok::CloseBracket => {
                self.close(at, token)?;
                return Ok(false);
            }
            Tok::Comma | Tok::Colon | Tok::Then | Tok::Else => self.separate(at, token)?,
            _ => return Err(self.expected_operator(token).into()),
        }
        Ok(true)
    }

    fn term(&mut self, level: u8, at: u32) {
        self.reduce_tighter(level, Assoc::Left);
        self.pending.push((Pending::Term { level, arity: 2 }, at));
    }

    /// Whether the bracket at token `at` follows a name without a gap, as in a call.
    fn calls(&self, at: u32) -> bool {
        let before = self.tokens[at as usize - 1];
        before.tok == Tok::Name && before.end == self.tokens[at as usize].start
    }

    /// A list takes the operand before it along, if it is an index or a call.
    fn open_list(&mut self, closer: Tok, at: u32) {
        let before = at.checked_sub(1).map(|i| self.tokens[i as usize].tok);
        let postfix = matches!(before, Some(Tok::Name | Tok::Close | Tok::CloseBracket));
        let base = self.operands.len() - usize::from(postfix);
        self.pending.push((Pending::List { closer, base }, at));
    }

    fn closes_empty_list(&self, tok: Tok) -> bool {
        matches!(self.pending.last(), Some(&(Pending::List { closer, .. }, at))
            if closer == tok && self.tokens[at as usize + 1].tok == tok && tok == Tok::Close)
    }

    /// `.field` after a bracket.
    fn member(&mut self, token: Token) {
        if let Some(&top) = self.operands.last() {
            let bytes = (self.tree.node(top).outer.0, token.end);
            let ix = self.add(NodeKind::Fenced, 0, bytes, &[top]);
            self.operands.pop();
            self.operands.push(ix);
        }
    }

    fn close(&mut self, at: u32, token: Token) -> Result<(), Box<Diagnostic>> {
        self.reduce_all();
        match self.pending.last().copied() {
            Some((Pending::Paren, open)) if token.tok == Tok::Close => {
                self.pending.pop();
                let start = self.tokens[open as usize].start;
                if let Some(&top) = self.operands.last() {
                    self.tree.nodes[top as usize].outer = (start, token.end);
                }
                Ok(())
            }
            Some((Pending::List { closer, base }, open)) if closer == token.tok => {
                self.pending.pop();
                let parts: Vec<NodeIx> = self.operands.drain(base..).collect();
                let open = self.tokens[open as usize].start;
                let start = parts
                    .first()
                    .map_or(open, |&first| self.tree.node(first).outer.0.min(open));
                let ix = self.add(NodeKind::Fenced, at, (start, token.end), &parts);
                self.operands.push(ix);
                Ok(())
            }
            _ => {
                let what = format!("nothing is open that this `{}` closes", self.word(token));
                let place = self.span(token.start, token.end);
                Err(Diagnostic::error("syntax", what).at(place).into())
            }
        }
    }

    /// `,` and the later words of `if … then … else …` and `… ? … : …`.
    fn separate(&mut self, at: u32, token: Token) -> Result<(), Box<Diagnostic>> {
        self.reduce_while(|_| true);
        let top = self.pending.last().map(|(pending, _)| *pending);
        let next = match (token.tok, top) {
            (Tok::Comma | Tok::Colon, Some(Pending::List { .. })) => return Ok(()),
            (Tok::Colon, Some(Pending::Choice)) => Pending::Choose(CHOICE_LEVEL),
            (Tok::Then, Some(Pending::If)) => Pending::Then,
            (Tok::Else, Some(Pending::Then)) => Pending::Choose(IF_LEVEL),
            _ => return Err(self.expected_operator(token).into()),
        };
        // The reduction of the finished construct needs where it began; its first operand knows for
        // `? :`, and for `if` the token of the keyword is kept.
        let begin = self.pending.pop().map_or(at, |(_, begin)| begin);
        self.pending.push((next, begin));
        Ok(())
    }

    /// Reduces everything that binds at least as tightly as a new operator of this level.
    fn reduce_tighter(&mut self, level: u8, assoc: Assoc) {
        let syntax = self.syntax;
        self.reduce_while(|pending| {
            let top = match pending {
                Pending::Unary(op, _) => syntax.unary(op),
                Pending::Binary(op) => syntax.binary(op).0,
                Pending::Term { level, .. } | Pending::Choose(level) => level,
                _ => 0,
            };
            top > level || top == level && assoc == Assoc::Left
        });
    }

    /// Reduces everything up to an open bracket, which also ends an `if … then …` without `else`.
    fn reduce_all(&mut self) {
        self.reduce_while(|_| true);
        while let Some(&(Pending::Then, begin)) = self.pending.last() {
            self.pending.pop();
            self.reduce(NodeKind::Choose, 2, begin);
            self.reduce_while(|_| true);
        }
    }

    /// Reduces operators from the top of the stack as long as `more` says so, up to an open bracket.
    fn reduce_while(&mut self, more: impl Fn(Pending) -> bool) {
        while let Some(&(pending, at)) = self.pending.last() {
            let (kind, arity) = match pending {
                Pending::Unary(op, bound) => (NodeKind::Unary(op, bound), 1),
                Pending::Binary(op) => (NodeKind::Binary(op), 2),
                Pending::Term { arity, .. } => (NodeKind::Term, arity),
                Pending::Choose(_) => (NodeKind::Choose, 3),
                _ => return,
            };
            if !more(pending) {
                return;
            }
            self.pending.pop();
            self.reduce(kind, arity, at);
        }
    }

    /// Makes a node of the operator at a token and the operands on top of the stack.
    fn reduce(&mut self, kind: NodeKind, arity: usize, at: u32) {
        let base = self.operands.len() - arity;
        let parts: Vec<NodeIx> = self.operands.drain(base..).collect();
        let token = self.tokens[at as usize];
        let first = self.tree.node(parts[0]).outer.0;
        let end = self.tree.node(parts[arity - 1]).outer.1;
        let bytes = (first.min(token.start), end);
        let ix = self.add(kind, at, bytes, &parts);
        self.operands.push(ix);
    }

    fn add(&mut self, kind: NodeKind, token: u32, bytes: (u32, u32), parts: &[NodeIx]) -> NodeIx {
        let mut temporal = match kind {
            NodeKind::Unary(op, _) => op.is_temporal(),
            NodeKind::Binary(op) => op.is_temporal(),
            _ => false,
        };
        let mut height = 0;
        let mut size = 1u32;
        let steps = match kind {
            NodeKind::Unary(_, Some(bound)) => bound.steps(),
            _ => 0,
        };
        for &part in parts {
            let node = self.tree.node(part);
            temporal |= node.temporal;
            size = size.saturating_add(node.size);
            let chained = matches!(kind, NodeKind::Binary(op) if op.is_associative())
                && node.kind == kind
                && node.height > 0;
            height = height.max(node.height - u32::from(chained));
        }
        let first_kid = self.tree.kids.len() as u32;
        self.tree.kids.extend_from_slice(parts);
        self.tree.nodes.push(Node {
            kind,
            token,
            inner: bytes,
            outer: bytes,
            first_kid,
            n_kids: parts.len() as u32,
            temporal,
            height: height + steps + u32::from(!parts.is_empty()),
            size,
        });
        self.tree.nodes.len() as u32 - 1
    }

    fn span(&self, start: u32, end: u32) -> Span {
        let base = self.origin.start as usize;
        Span::new(
            self.origin.source,
            base + start as usize,
            base + end as usize,
        )
    }

    fn word(&self, token: Token) -> &str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn expected_operand(&self, at: u32, token: Token) -> Diagnostic {
        let word = self.word(token);
        let place = self.span(token.start, token.end);
        let mut diagnostic =
            Diagnostic::error("syntax", format!("expected a formula, found `{word}`")).at(place);
        if let Some(before) = at.checked_sub(1).map(|i| self.tokens[i as usize]) {
            let what = format!("after this `{}`", self.word(before));
            diagnostic = diagnostic.also(self.span(before.start, before.end), what);
            let reserved = |t: Token| {
                let word = self.word(t);
                word.starts_with(char::is_alphabetic) && WORDS.iter().any(|(w, _)| *w == word)
            };
            let operator = if reserved(before) { before } else { token };
            if reserved(operator) {
                let name = self.word(operator);
                diagnostic = diagnostic.hint(format!(
                    "`{name}` is an operator; an atom of this name is written in quotes: `\"{name}\"`"
                ));
            }
        }
        diagnostic
    }

    fn expected_operator(&self, token: Token) -> Diagnostic {
        let word = self.word(token);
        let message = format!("expected an operator or the end of the formula, found `{word}`");
        let diagnostic = Diagnostic::error("syntax", message).at(self.span(token.start, token.end));
        if word == "<>" {
            return diagnostic.hint("`<>` means eventually; not equal is written `!=`");
        }
        let infix = WORDS
            .iter()
            .filter(|(w, tok)| matches!(tok, Tok::Binary(_)) && w.len() > 1)
            .map(|(w, _)| *w);
        let near = nearest(word, infix).filter(|_| token.tok == Tok::Name && word.len() > 1);
        diagnostic.maybe_hint(near.map(|n| format!("did you mean `{n}`?")))
    }
}
