//! The lists that a script consists of: one node per symbol, literal or list, children in one vector.

use lariat_base::{Diagnostic, Diagnostics, Id, IdVec, SourceId, Span, id_type};

id_type!(
    /// A node of a script.
    pub(crate) struct NodeId, "s"
);

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Symbol,
    Keyword,
    Numeral,
    Decimal,
    Hex,
    Binary,
    Text,
    /// Its children: where they begin, and how many there are.
    List(u32, u32),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
}

/// A script.
pub(crate) struct Tree<'a> {
    source: SourceId,
    text: &'a str,
    nodes: IdVec<NodeId, Node>,
    children: Vec<NodeId>,
    /// The commands.
    pub roots: Vec<NodeId>,
}

impl<'a> Tree<'a> {
    /// Reads a script. What is no list is reported, and so are brackets without their partners.
    pub fn read(source: SourceId, text: &'a str, findings: &mut Diagnostics) -> Self {
        let mut tree = Self {
            source,
            text,
            nodes: IdVec::new(),
            children: Vec::new(),
            roots: Vec::new(),
        };
        let mut lexer = Lexer::new(text);
        // Open lists: where each began, and how many nodes wait for lists further out.
        let mut open: Vec<(u32, usize)> = Vec::new();
        let mut waiting: Vec<NodeId> = Vec::new();
        while let Some((start, token)) = lexer.next() {
            let end = lexer.at as u32;
            let span = Span::new(source, start as usize, end as usize);
            match token {
                Token::Open => open.push((start, waiting.len())),
                Token::Close => {
                    let Some((start, first)) = open.pop() else {
                        let message = "there is no opening parenthesis for this one";
                        findings.push(Diagnostic::error("smtlib-brackets", message).at(span));
                        continue;
                    };
                    let kind =
                        Kind::List(tree.children.len() as u32, (waiting.len() - first) as u32);
                    tree.children.extend(waiting.drain(first..));
                    let node = tree.nodes.push(Node { kind, start, end });
                    tree.place(node, open.is_empty(), &mut waiting);
                }
                Token::Leaf(kind) => {
                    let node = tree.nodes.push(Node { kind, start, end });
                    tree.place(node, open.is_empty(), &mut waiting);
                }
                Token::Bad(message) => {
                    findings.push(Diagnostic::error("smtlib-token", message).at(span));
                    if findings.is_full() {
                        return tree;
                    }
                }
            }
        }
        if let Some(&(start, _)) = open.last() {
            let span = Span::new(source, start as usize, start as usize + 1);
            let message = "this parenthesis is not closed";
            findings.push(Diagnostic::error("smtlib-brackets", message).at(span));
        }
        tree
    }

    fn place(&mut self, node: NodeId, is_root: bool, waiting: &mut Vec<NodeId>) {
        if is_root {
            self.roots.push(node);
        } else {
            waiting.push(node);
        }
    }

    pub fn kind(&self, node: NodeId) -> Kind {
        self.nodes[node].kind
    }

    pub fn span(&self, node: NodeId) -> Span {
        let Node { start, end, .. } = self.nodes[node];
        Span::new(self.source, start as usize, end as usize)
    }

    /// The text of a node as it stands in the file.
    pub fn text(&self, node: NodeId) -> &'a str {
        let Node { start, end, .. } = self.nodes[node];
        &self.text[start as usize..end as usize]
    }

    /// The text of a node in one line.
    pub fn one_line(&self, node: NodeId) -> String {
        let words: Vec<&str> = self.text(node).split_whitespace().collect();
        words.join(" ")
    }

    /// The elements of a list; nothing for other nodes.
    pub fn items(&self, node: NodeId) -> &[NodeId] {
        match self.nodes[node].kind {
            Kind::List(first, n) => &self.children[first as usize..(first + n) as usize],
            _ => &[],
        }
    }

    /// The name of a symbol: `|x|` and `x` are one.
    pub fn symbol(&self, node: NodeId) -> Option<&'a str> {
        (self.nodes[node].kind == Kind::Symbol).then(|| bare(self.text(node)))
    }

    /// The symbol at the head of a list.
    pub fn head(&self, node: NodeId) -> Option<&'a str> {
        self.symbol(*self.items(node).first()?)
    }

    /// All nodes, inner ones first.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::from_index)
    }

    /// An error at a node.
    pub fn error(&self, id: &'static str, node: NodeId, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(id, message).at(self.span(node))
    }
}

/// A symbol without its bars. Behind a quoted name `'` marks the next value, as inside of the bars.
fn bare(text: &str) -> &str {
    text.strip_prefix('|')
        .and_then(|rest| rest.strip_suffix('|'))
        .unwrap_or(text)
}

/// Characters of symbols without bars.
fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/'#".contains(&byte)
}

enum Token {
    Open,
    Close,
    Leaf(Kind),
    Bad(&'static str),
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let bytes = text.as_bytes();
        Self { text, bytes, at }
    }

    /// The next token and where it begins.
    fn next(&mut self) -> Option<(u32, Token)> {
        loop {
            match self.bytes.get(self.at)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b';' => self.skip(|byte| byte != b'\n'),
                _ => break,
            }
        }
        let start = self.at;
        let byte = self.bytes[start];
        self.at += 1;
        let token = match byte {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'"' => self.string(),
            b'|' => self.quoted(),
            b':' => {
                self.skip(is_symbol);
                Token::Leaf(Kind::Keyword)
            }
            b'\'' => {
                self.skip(is_symbol);
                Token::Bad("a name does not begin with `'`")
            }
            _ if is_symbol(byte) => {
                self.skip(is_symbol);
                word(&self.text[start..self.at])
            }
            _ => {
                while !self.text.is_char_boundary(self.at) {
                    self.at += 1;
                }
                Token::Bad("this character has no meaning here")
            }
        };
        Some((start as u32, token))
    }

    fn skip(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| goes_on(byte)) {
            self.at += 1;
        }
    }

    /// The rest of a text; a doubled quote is one in it.
    fn string(&mut self) -> Token {
        loop {
            self.skip(|byte| byte != b'"');
            if self.at >= self.bytes.len() {
                return Token::Bad("this text is not closed");
            }
            self.at += 1;
            if self.bytes.get(self.at) != Some(&b'"') {
                return Token::Leaf(Kind::Text);
            }
            self.at += 1;
        }
    }

    /// The rest of a name in bars.
    fn quoted(&mut self) -> Token {
        self.skip(|byte| byte != b'|' && byte != b'\\');
        match self.bytes.get(self.at) {
            Some(b'|') => {
                self.at += 1;
                self.skip(|byte| byte == b'\'');
                Token::Leaf(Kind::Symbol)
            }
            Some(_) => {
                self.at += 1;
                Token::Bad("a name in bars has no backslash")
            }
            None => Token::Bad("this name in bars is not closed"),
        }
    }
}

/// A word that is a number or a name.
fn word(text: &str) -> Token {
    let digits = |text: &str, radix: u32| {
        !text.is_empty() && text.chars().all(|digit| digit.is_digit(radix))
    };
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    if let Some(bits) = text.strip_prefix("#b") {
        return if digits(bits, 2) {
            Token::Leaf(Kind::Binary)
        } else {
            Token::Bad("binary digits are expected behind `#b`")
        };
    }
    if let Some(rest) = text.strip_prefix("#x") {
        return if digits(rest, 16) {
            Token::Leaf(Kind::Hex)
        } else {
            Token::Bad("hexadecimal digits are expected behind `#x`")
        };
    }
    if !unsigned.starts_with(|first: char| first.is_ascii_digit()) {
        return Token::Leaf(Kind::Symbol);
    }
    match unsigned.split_once('.') {
        None if digits(unsigned, 10) => Token::Leaf(Kind::Numeral),
        Some((whole, part)) if digits(whole, 10) && digits(part, 10) => Token::Leaf(Kind::Decimal),
        _ => Token::Bad("this is neither a number nor a name"),
    }
}
