//! The parser: what all of it shares, and declarations of packages, interfaces, types and functions.
//!
//! It stops at the first word that does not fit: what follows would be guesswork.

use super::token::{Tok, Token, tokens};
use super::tree::{
    EventDecl, File, Function, Interface, Name, ParamDecl, Type, TypeDecl, TypeKind, VarDecl, Way,
};
use lariat_base::{Diagnostic, SourceId, Span};

/// How deep brackets, blocks and states may nest.
const MAX_DEPTH: u32 = 100;

pub(super) struct Parser<'a> {
    pub source: SourceId,
    pub text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u32,
}

/// What is wrong; boxed, since it is large and rare.
pub(super) type Parse<T> = Result<T, Box<Diagnostic>>;

/// Reads a file.
pub(super) fn parse(source: SourceId, text: &str) -> Parse<File> {
    let mut parser = Parser::new(source, text)?;
    parser.file()
}

/// The imports of a text, which may be wrong further on.
pub(super) fn imports(source: SourceId, text: &str) -> Vec<Name> {
    let Ok(mut parser) = Parser::new(source, text) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    loop {
        match parser.tok() {
            Tok::End => return all,
            Tok::Word if parser.word() == "import" => {
                parser.advance();
                if parser.tok() == Tok::Text {
                    all.extend(parser.quoted("the path of a file"));
                }
            }
            _ => parser.advance(),
        }
    }
}

/// What this reader does not know, by its name.
pub(super) fn unsupported(what: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("{what} is not supported");
    Box::new(Diagnostic::error("gamma-unsupported", message).at(span))
}

impl<'a> Parser<'a> {
    pub fn new(source: SourceId, text: &'a str) -> Parse<Self> {
        Ok(Self {
            source,
            text,
            tokens: tokens(source, text)?,
            at: 0,
            depth: 0,
        })
    }

    pub fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub fn tok(&self) -> Tok {
        self.token().tok
    }

    /// What kind of token comes after some more.
    pub fn ahead(&self, n: usize) -> (Tok, &'a str) {
        let token = self.tokens[(self.at + n).min(self.tokens.len() - 1)];
        (
            token.tok,
            &self.text[token.start as usize..token.end as usize],
        )
    }

    pub fn word(&self) -> &'a str {
        let token = self.token();
        &self.text[token.start as usize..token.end as usize]
    }

    pub fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn here(&self) -> Span {
        let token = self.token();
        Span::new(self.source, token.start as usize, token.end as usize)
    }

    /// From a place to the end of the token before this one.
    pub fn since(&self, start: Span) -> Span {
        let end = self.tokens[self.at.saturating_sub(1)].end.max(start.end);
        Span { end, ..start }
    }

    pub fn is_sign(&self, sign: &str) -> bool {
        matches!(self.tok(), Tok::Sign(known) if known == sign)
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.tok() == Tok::Word && self.word() == word
    }

    pub fn eat(&mut self, sign: &str) -> bool {
        let is_it = self.is_sign(sign);
        if is_it {
            self.advance();
        }
        is_it
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let is_it = self.is_word(word);
        if is_it {
            self.advance();
        }
        is_it
    }

    pub fn expect(&mut self, sign: &str) -> Parse<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    pub fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    pub fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let found = match self.tok() {
            Tok::End => "the text ends".to_owned(),
            _ => {
                let word: String = self.word().chars().take(40).collect();
                format!("`{word}` stands")
            }
        };
        let message = format!("{found} where {wanted} should be");
        Box::new(Diagnostic::error("unexpected-token", message).at(self.here()))
    }

    /// Something one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Box::new(
                Diagnostic::error("too-deep", message).at(self.here()),
            ));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub fn name(&mut self, what: &str) -> Parse<Name> {
        let span = self.here();
        let text = match self.tok() {
            Tok::Word => self.word(),
            Tok::Name => &self.word()[1..],
            _ => return Err(self.unexpected(what)),
        };
        let name = Name {
            text: text.into(),
            span,
        };
        self.advance();
        Ok(name)
    }

    fn quoted(&mut self, what: &str) -> Parse<Name> {
        if self.tok() != Tok::Text {
            return Err(self.unexpected(what));
        }
        let word = self.word();
        let name = Name {
            text: word[1..word.len() - 1].into(),
            span: self.here(),
        };
        self.advance();
        Ok(name)
    }

    /// Things with commas between, up to a closing sign.
    pub fn list<T>(
        &mut self,
        close: &str,
        mut read: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut all = Vec::new();
        while !self.eat(close) {
            if !all.is_empty() {
                self.expect(",")?;
            }
            all.push(read(self)?);
        }
        Ok(all)
    }

    fn file(&mut self) -> Parse<File> {
        let mut file = File::default();
        if self.eat_word("package") {
            file.package = Some(self.name("the name of a package")?);
        }
        loop {
            if self.tok() == Tok::End {
                return Ok(file);
            }
            let notes = self.annotations()?;
            match (self.tok(), self.word()) {
                (Tok::Word, "import") => {
                    self.advance();
                    file.imports
                        .push(self.quoted("the path of a file in quotes")?);
                }
                (Tok::Word, "interface") => file.interfaces.push(self.interface()?),
                (Tok::Word, "type") => file.types.push(self.type_declaration()?),
                (Tok::Word, "const") => file.constants.push(self.variable()?),
                (Tok::Word, "procedure" | "function" | "lambda") => {
                    file.functions.push(self.function()?);
                }
                (
                    Tok::Word,
                    "statechart"
                    | "sync"
                    | "cascade"
                    | "async"
                    | "scheduled-async"
                    | "adapter"
                    | "asynchronous-adapter"
                    | "wrapper",
                ) => file.components.push(self.component(notes)?),
                _ => {
                    let wanted = "an interface, a type, a constant, a function or a component";
                    return Err(self.unexpected(wanted));
                }
            }
        }
    }

    fn interface(&mut self) -> Parse<Interface> {
        self.advance();
        let name = self.name("the name of an interface")?;
        let mut extends = Vec::new();
        if self.eat_word("extends") {
            loop {
                extends.push(self.name("the name of an interface")?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect("{")?;
        let mut events = Vec::new();
        while !self.eat("}") {
            if self.is_word("invariant") {
                return Err(unsupported("`invariant` of an interface", self.here()));
            }
            events.push(self.event()?);
        }
        Ok(Interface {
            name,
            extends,
            events,
        })
    }

    fn event(&mut self) -> Parse<EventDecl> {
        let way = match self.word() {
            "in" => Way::In,
            "out" => Way::Out,
            "inout" => Way::Both,
            "internal" => Way::Internal,
            _ => return Err(self.unexpected("`in`, `out`, `inout`, `internal` or `}`")),
        };
        self.advance();
        let persistent = self.eat_word("persistent");
        if !persistent {
            self.eat_word("transient");
        }
        self.expect_word("event")?;
        let name = self.name("the name of an event")?;
        let params = self.params()?;
        Ok(EventDecl {
            name,
            way,
            persistent,
            params,
        })
    }

    /// `(a : integer, b : boolean)`, if it is there.
    pub fn params(&mut self) -> Parse<Vec<ParamDecl>> {
        if !self.eat("(") {
            return Ok(Vec::new());
        }
        self.list(")", |parser| {
            let name = parser.name("the name of a parameter")?;
            parser.expect(":")?;
            let ty = parser.ty()?;
            Ok(ParamDecl { name, ty })
        })
    }

    fn type_declaration(&mut self) -> Parse<TypeDecl> {
        self.advance();
        let name = self.name("the name of a type")?;
        self.expect(":")?;
        let ty = self.ty()?;
        Ok(TypeDecl { name, ty })
    }

    pub fn ty(&mut self) -> Parse<Type> {
        self.nested(Self::type_inside)
    }

    fn type_inside(&mut self) -> Parse<Type> {
        let start = self.here();
        let kind = if self.eat("[") {
            self.expression()?;
            self.expect("]")?;
            TypeKind::Array(Box::new(self.ty()?))
        } else if self.eat("#") {
            self.expect("[")?;
            let low = self.expression()?;
            self.expect_word("to")?;
            let high = self.expression()?;
            self.expect("]")?;
            TypeKind::Range(Box::new(low), Box::new(high))
        } else {
            match (self.tok(), self.word()) {
                (Tok::Word, "boolean") => self.simple(TypeKind::Bool),
                (Tok::Word, "integer") => self.simple(TypeKind::Int),
                (Tok::Word, "decimal" | "rational") => self.simple(TypeKind::Rat),
                (Tok::Word, "void") => self.simple(TypeKind::Void),
                (Tok::Word, "enum") => {
                    self.advance();
                    self.expect("{")?;
                    TypeKind::Enum(self.list("}", |parser| parser.name("a literal"))?)
                }
                (Tok::Word, "record") => {
                    self.advance();
                    self.expect("{")?;
                    let fields = self.list("}", |parser| {
                        let name = parser.name("the name of a field")?;
                        parser.expect(":")?;
                        let ty = parser.ty()?;
                        Ok(ParamDecl { name, ty })
                    });
                    TypeKind::Record(fields?)
                }
                (Tok::Word | Tok::Name, _) => {
                    let name = self.name("a type")?;
                    TypeKind::Named(name.text)
                }
                _ => return Err(self.unexpected("a type")),
            }
        };
        Ok(Type {
            kind,
            span: self.since(start),
        })
    }

    fn simple(&mut self, kind: TypeKind) -> TypeKind {
        self.advance();
        kind
    }

    /// `var x : T := e`, or the same with `const`.
    pub fn variable(&mut self) -> Parse<VarDecl> {
        self.advance();
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let value = if self.eat(":=") {
            Some(self.expression()?)
        } else {
            None
        };
        Ok(VarDecl { name, ty, value })
    }

    pub fn function(&mut self) -> Parse<Function> {
        let start = self.here();
        self.advance();
        let name = self.name("the name of a function")?;
        let params = self.params()?;
        self.expect(":")?;
        let result = self.ty()?;
        let body = if self.eat(":=") {
            let value = self.expression()?;
            self.eat(";");
            let span = value.span;
            vec![super::tree::Action {
                kind: super::tree::ActionKind::Return(Some(value)),
                span,
            }]
        } else {
            if !self.is_sign("{") {
                return Err(unsupported("a function without a body", self.since(start)));
            }
            self.block()?
        };
        Ok(Function {
            name,
            params,
            result,
            body,
        })
    }
}
