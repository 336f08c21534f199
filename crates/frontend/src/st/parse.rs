//! Declarations: types, variables, programs, functions, function blocks.

use super::ast::{Expr, Init, Name, Pos, Pou, PouKind, Section, TypeDecl, TypeSpec, Unit, VarDecl};
use super::lex::{Lexed, Tok, Token};
use lariat_base::{Diagnostic, SourceId, Span};

/// What was read, or why not.
pub(super) type Parse<T> = Result<T, Box<Diagnostic>>;

/// How deep brackets, statements and types may be nested.
pub(super) const MAX_DEPTH: usize = 100;

/// Reads tokens one by one.
pub(super) struct Parser<'a> {
    pub text: &'a str,
    tokens: &'a [Token],
    at: usize,
    source: SourceId,
    /// Where the text starts in its source.
    base: u32,
    pub depth: usize,
    pub findings: Vec<Diagnostic>,
}

/// Words that the language reserves and that we have no meaning for.
const REFUSED: [&str; 26] = [
    "CLASS",
    "INTERFACE",
    "METHOD",
    "NAMESPACE",
    "CONFIGURATION",
    "RESOURCE",
    "TASK",
    "ACTION",
    "STEP",
    "INITIAL_STEP",
    "TRANSITION",
    "STRING",
    "WSTRING",
    "CHAR",
    "WCHAR",
    "DATE",
    "LDATE",
    "TIME_OF_DAY",
    "TOD",
    "DATE_AND_TIME",
    "DT",
    "LTIME",
    "POINTER",
    "REF_TO",
    "VAR_ACCESS",
    "VAR_CONFIG",
];

/// Whether a word (without case) is reserved and has no meaning here.
pub(super) fn is_refused(key: &str) -> bool {
    REFUSED.contains(&key)
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, lexed: &'a Lexed, source: SourceId, base: u32) -> Self {
        Self {
            text,
            tokens: &lexed.tokens,
            at: 0,
            source,
            base,
            depth: 0,
            findings: Vec::new(),
        }
    }

    pub fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub fn tok(&self) -> Tok {
        self.token().tok
    }

    pub fn tok_after(&self) -> Tok {
        self.tok_at(1)
    }

    /// The kind of the `n`-th token from here.
    pub fn tok_at(&self, n: usize) -> Tok {
        let token = self.tokens.get(self.at + n);
        token.map_or(Tok::End, |token| token.tok)
    }

    pub fn token_text(&self) -> &'a str {
        let pos = self.token().pos;
        &self.text[pos.start as usize..pos.end as usize]
    }

    pub fn advance(&mut self) -> Token {
        let token = self.token();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Where the last token ended.
    pub fn before(&self) -> Pos {
        self.tokens[self.at.saturating_sub(1)].pos
    }

    pub fn span(&self, pos: Pos) -> Span {
        let base = self.base as usize;
        Span::new(
            self.source,
            base + pos.start as usize,
            base + pos.end as usize,
        )
    }

    pub fn error(&self, id: &'static str, message: impl Into<String>, pos: Pos) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(id, message).at(self.span(pos)))
    }

    pub fn unsupported(&self, what: &str, pos: Pos) -> Box<Diagnostic> {
        self.error("unsupported", format!("{what} is not supported"), pos)
    }

    pub fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let found = match self.tok() {
            Tok::End => "the text ends here".to_owned(),
            _ => format!(
                "`{}` stands here",
                crate::parser::shorten(self.token_text())
            ),
        };
        let pos = self.token().pos;
        if self.tok() == Tok::Word && is_refused(&self.token_text().to_ascii_uppercase()) {
            let what = format!("`{}`", self.token_text());
            return self.unsupported(&what, pos);
        }
        if self.tok() == Tok::Text {
            return self.unsupported("a character string", pos);
        }
        self.error(
            "syntax",
            format!("{found}, where {expected} is expected"),
            pos,
        )
    }

    pub fn at_word(&self, word: &str) -> bool {
        self.tok() == Tok::Word && self.token_text().eq_ignore_ascii_case(word)
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let is_it = self.at_word(word);
        if is_it {
            self.advance();
        }
        is_it
    }

    pub fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    pub fn eat(&mut self, sign: &'static str) -> bool {
        let is_it = self.tok() == Tok::Sign(sign);
        if is_it {
            self.advance();
        }
        is_it
    }

    pub fn expect(&mut self, sign: &'static str) -> Parse<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    /// A name that is no keyword of statements or declarations.
    pub fn name(&mut self, what: &str) -> Parse<Name> {
        if self.tok() != Tok::Word || is_keyword(&self.token_text().to_ascii_uppercase()) {
            return Err(self.unexpected(what));
        }
        let text = self.token_text();
        let pos = self.advance().pos;
        Ok(Name {
            text: text.into(),
            key: text.to_ascii_uppercase().into(),
            pos,
        })
    }

    /// One level deeper; the caller decreases `depth` again.
    pub fn deeper(&mut self) -> Parse<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!("this is nested more than {MAX_DEPTH} deep");
            return Err(self.error("too-deep", message, self.token().pos));
        }
        self.depth += 1;
        Ok(())
    }

    /// A whole file.
    pub fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        while self.tok() != Tok::End {
            if let Err(finding) = self.declaration(&mut unit) {
                self.findings.push(*finding);
                self.recover();
            }
        }
        unit
    }

    /// Goes on behind the end of what could not be read.
    fn recover(&mut self) {
        while self.tok() != Tok::End {
            let word = self.token_text().to_ascii_uppercase();
            let is_end = self.tok() == Tok::Word
                && matches!(
                    &*word,
                    "END_PROGRAM" | "END_FUNCTION" | "END_FUNCTION_BLOCK" | "END_TYPE"
                );
            self.advance();
            if is_end {
                return;
            }
        }
    }

    fn declaration(&mut self, unit: &mut Unit) -> Parse<()> {
        if self.eat_word("TYPE") {
            while !self.eat_word("END_TYPE") {
                let declared = self.type_declaration()?;
                unit.types.push(declared);
            }
            self.eat(";");
            return Ok(());
        }
        if self.at_word("VAR_GLOBAL") {
            let vars = self.sections()?;
            unit.globals.extend(vars);
            return Ok(());
        }
        let (kind, end) = if self.eat_word("PROGRAM") {
            (PouKind::Program, "END_PROGRAM")
        } else if self.eat_word("FUNCTION_BLOCK") {
            (PouKind::Block, "END_FUNCTION_BLOCK")
        } else if self.eat_word("FUNCTION") {
            (PouKind::Function, "END_FUNCTION")
        } else {
            return Err(
                self.unexpected("`PROGRAM`, `FUNCTION`, `FUNCTION_BLOCK`, `TYPE` or `VAR_GLOBAL`")
            );
        };
        let name = self.name("a name")?;
        let mut result = None;
        if kind == PouKind::Function && self.eat(":") {
            result = Some(self.type_spec()?);
            self.eat(";");
        }
        for word in ["EXTENDS", "IMPLEMENTS"] {
            if self.at_word(word) {
                return Err(self.unsupported(&format!("`{word}`"), self.token().pos));
            }
        }
        let vars = self.sections()?;
        let body = self.statements(&[end]);
        self.expect_word(end)?;
        self.eat(";");
        unit.pous.push(Pou {
            kind,
            name,
            result,
            vars,
            body,
        });
        Ok(())
    }

    fn type_declaration(&mut self) -> Parse<TypeDecl> {
        let name = self.name("the name of a type, or `END_TYPE`")?;
        self.expect(":")?;
        let spec = if self.at_word("STRUCT") {
            self.structure()?
        } else {
            self.type_spec()?
        };
        let init = self.initial()?;
        // A struct ends with its word.
        if !self.eat(";") && !matches!(spec, TypeSpec::Struct(_)) {
            return Err(self.unexpected("`;`"));
        }
        Ok(TypeDecl { name, spec, init })
    }

    fn structure(&mut self) -> Parse<TypeSpec> {
        self.expect_word("STRUCT")?;
        let mut members = Vec::new();
        while !self.eat_word("END_STRUCT") {
            self.variables(Section::Local, false, &mut members)?;
        }
        Ok(TypeSpec::Struct(members))
    }

    pub fn type_spec(&mut self) -> Parse<TypeSpec> {
        self.deeper()?;
        let spec = self.type_inside();
        self.depth -= 1;
        spec
    }

    fn type_inside(&mut self) -> Parse<TypeSpec> {
        let start = self.token().pos;
        if self.tok() == Tok::Sign("(") {
            return self.enumeration();
        }
        if self.eat_word("ARRAY") {
            self.expect("[")?;
            let mut ranges = Vec::new();
            loop {
                let from = self.expression()?;
                self.expect("..")?;
                ranges.push((from, self.expression()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
            self.expect_word("OF")?;
            let of = Box::new(self.type_spec()?);
            return Ok(TypeSpec::Array(ranges, of, start.to(self.before())));
        }
        if self.at_word("STRUCT") {
            return self.structure();
        }
        let name = self.name("a type")?;
        if is_refused(&name.key) {
            return Err(self.unsupported(&format!("the type `{}`", name.text), name.pos));
        }
        if matches!(self.tok(), Tok::Sign("[")) {
            return Err(self.unsupported("a length behind a type", self.token().pos));
        }
        if self.tok() == Tok::Sign("(") {
            let open = self.token().pos;
            self.advance();
            let from = self.expression()?;
            if self.tok() != Tok::Sign("..") {
                let what = "something else than a range in brackets behind a type";
                return Err(self.unsupported(what, open));
            }
            self.advance();
            let to = self.expression()?;
            self.expect(")")?;
            return Ok(TypeSpec::Sub(name, from, to));
        }
        Ok(TypeSpec::Named(name))
    }

    fn enumeration(&mut self) -> Parse<TypeSpec> {
        self.expect("(")?;
        let mut names = Vec::new();
        loop {
            names.push(self.name("the name of a value")?);
            if self.tok() == Tok::Sign(":=") {
                let what = "a number for a value of an enumeration";
                return Err(self.unsupported(what, self.token().pos));
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(TypeSpec::Enum(names))
    }

    /// The `VAR…` sections that stand here.
    fn sections(&mut self) -> Parse<Vec<VarDecl>> {
        let mut vars = Vec::new();
        loop {
            let word = self.token_text().to_ascii_uppercase();
            let section = match &*word {
                "VAR" => Section::Local,
                "VAR_INPUT" => Section::Input,
                "VAR_OUTPUT" => Section::Output,
                "VAR_IN_OUT" => Section::InOut,
                "VAR_TEMP" => Section::Temp,
                "VAR_EXTERNAL" => Section::External,
                "VAR_GLOBAL" => Section::Global,
                _ => return Ok(vars),
            };
            self.advance();
            let mut constant = false;
            loop {
                if self.eat_word("CONSTANT") {
                    constant = true;
                } else if ![
                    "RETAIN",
                    "NON_RETAIN",
                    "PERSISTENT",
                    "PUBLIC",
                    "PRIVATE",
                    "PROTECTED",
                ]
                .iter()
                .any(|word| self.eat_word(word))
                {
                    break;
                }
            }
            while !self.eat_word("END_VAR") {
                self.variables(section, constant, &mut vars)?;
            }
            self.eat(";");
        }
    }

    /// `a, b : T := init;`
    fn variables(
        &mut self,
        section: Section,
        constant: bool,
        vars: &mut Vec<VarDecl>,
    ) -> Parse<()> {
        let mut names = Vec::new();
        let mut address = None;
        loop {
            names.push(self.name("the name of a variable, or `END_VAR`")?);
            if self.eat_word("AT") {
                if self.tok() != Tok::Address {
                    return Err(self.unexpected("an address such as `%IX0.0`"));
                }
                address = Some(self.token_text().to_ascii_uppercase().into_boxed_str());
                self.advance();
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(":")?;
        let ty = self.type_spec()?;
        for word in ["R_EDGE", "F_EDGE"] {
            if self.at_word(word) {
                let finding = self.unsupported(&format!("`{word}`"), self.token().pos);
                return Err(Box::new(finding.hint("use a block `R_TRIG` or `F_TRIG`")));
            }
        }
        let init = self.initial()?;
        if !self.eat(";") {
            return Err(self.unexpected("`;`"));
        }
        for name in names {
            vars.push(VarDecl {
                section,
                constant,
                name,
                ty: ty.clone(),
                init: init.clone(),
                address: address.clone(),
            });
        }
        Ok(())
    }

    fn initial(&mut self) -> Parse<Option<Init>> {
        if !self.eat(":=") {
            return Ok(None);
        }
        self.init().map(Some)
    }

    fn init(&mut self) -> Parse<Init> {
        self.deeper()?;
        let init = self.init_inside();
        self.depth -= 1;
        init
    }

    fn init_inside(&mut self) -> Parse<Init> {
        let start = self.token().pos;
        if self.eat("[") {
            let mut items = Vec::new();
            loop {
                items.push(self.array_item()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("]")?;
            return Ok(Init::Array(items, start.to(self.before())));
        }
        let names_follow = self.tok() == Tok::Sign("(")
            && self.tok_after() == Tok::Word
            && self.tok_at(2) == Tok::Sign(":=");
        if names_follow {
            self.advance();
            let mut members = Vec::new();
            loop {
                let name = self.name("the name of a member")?;
                self.expect(":=")?;
                members.push((name, self.init()?));
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
            return Ok(Init::Struct(members, start.to(self.before())));
        }
        Ok(Init::Expr(self.expression()?))
    }

    /// `value` or `n(value)`.
    fn array_item(&mut self) -> Parse<(Option<Expr>, Init)> {
        if self.tok() == Tok::Number && self.tok_after() == Tok::Sign("(") {
            let count = self.operand()?;
            self.expect("(")?;
            let init = self.init()?;
            self.expect(")")?;
            return Ok((Some(count), init));
        }
        Ok((None, self.init()?))
    }
}

/// Whether a word (without case) is one of the language's own.
pub(super) fn is_keyword(key: &str) -> bool {
    const WORDS: [&str; 58] = [
        "PROGRAM",
        "END_PROGRAM",
        "FUNCTION",
        "END_FUNCTION",
        "FUNCTION_BLOCK",
        "END_FUNCTION_BLOCK",
        "TYPE",
        "END_TYPE",
        "STRUCT",
        "END_STRUCT",
        "ARRAY",
        "OF",
        "AT",
        "VAR",
        "VAR_INPUT",
        "VAR_OUTPUT",
        "VAR_IN_OUT",
        "VAR_TEMP",
        "VAR_EXTERNAL",
        "VAR_GLOBAL",
        "END_VAR",
        "CONSTANT",
        "RETAIN",
        "NON_RETAIN",
        "PERSISTENT",
        "IF",
        "THEN",
        "ELSIF",
        "ELSE",
        "END_IF",
        "CASE",
        "END_CASE",
        "FOR",
        "TO",
        "BY",
        "DO",
        "END_FOR",
        "WHILE",
        "END_WHILE",
        "REPEAT",
        "UNTIL",
        "END_REPEAT",
        "EXIT",
        "CONTINUE",
        "RETURN",
        "AND",
        "OR",
        "XOR",
        "NOT",
        "MOD",
        "AND_THEN",
        "OR_ELSE",
        "TRUE",
        "FALSE",
        "EXTENDS",
        "IMPLEMENTS",
        "R_EDGE",
        "F_EDGE",
    ];
    WORDS.contains(&key)
}
