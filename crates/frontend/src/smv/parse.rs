//! Reads the sections of SMV files into a tree.

use super::lex::{Tok, Token, lex};
use super::tree::{Constraint, ExprId, Member, Module, NameId, Node, Role, Time, Tree, Type};
use crate::parser::shorten;
use lariat_base::{Diagnostic, Diagnostics, SourceId, Span};

/// A finding was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

/// The deepest nesting of array types.
const MAX_ARRAY_DEPTH: usize = 64;

/// The words that begin a section.
const SECTIONS: [&str; 28] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "MDEFINE",
    "CONSTANTS",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "URGENT",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "LTLSPEC",
    "INVARSPEC",
    "CTLSPEC",
    "SPEC",
    "PSLSPEC",
    "COMPUTE",
    "ISA",
    "FUN",
    "PRED",
    "MIRROR",
    "GOTO",
    "CONSTRAINT",
    "PARSYNTH",
];

/// Other words that are no names.
const RESERVED: [&str; 62] = [
    "process",
    "array",
    "of",
    "boolean",
    "word",
    "word1",
    "bool",
    "signed",
    "unsigned",
    "extend",
    "resize",
    "sizeof",
    "uwconst",
    "swconst",
    "toint",
    "count",
    "READ",
    "WRITE",
    "CONSTARRAY",
    "typeof",
    "case",
    "esac",
    "mod",
    "next",
    "init",
    "union",
    "in",
    "xor",
    "xnor",
    "self",
    "TRUE",
    "FALSE",
    "abs",
    "min",
    "max",
    "NAME",
    "A",
    "E",
    "F",
    "G",
    "H",
    "O",
    "S",
    "T",
    "U",
    "V",
    "X",
    "Y",
    "Z",
    "EX",
    "AX",
    "EF",
    "AF",
    "EG",
    "AG",
    "BU",
    "EBF",
    "ABF",
    "EBG",
    "ABG",
    "IN",
    "floor",
];

/// Whether a word is no name.
pub(super) fn is_reserved(word: &str) -> bool {
    SECTIONS.contains(&word) || RESERVED.contains(&word)
}

/// Reads a file; what is wrong with it goes into `findings`.
pub(super) fn read(source: SourceId, text: &str, findings: &mut Diagnostics) -> Tree {
    let mut reader = Reader::new(source, text, 0);
    reader.file();
    reader.tree.spell_clocks();
    for finding in reader.findings.into_vec() {
        findings.push(finding);
    }
    reader.tree
}

pub(super) struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    /// Where the text begins in its source.
    base: u32,
    tokens: Vec<Token>,
    at: usize,
    pub(super) tree: Tree,
    pub(super) findings: Diagnostics,
}

impl<'a> Reader<'a> {
    /// Reads `text`, which begins at `base` of its source.
    pub(super) fn new(source: SourceId, text: &'a str, base: u32) -> Self {
        let mut tokens = lex(text);
        for token in &mut tokens {
            token.start += base;
            token.end += base;
        }
        Self {
            source,
            text,
            base,
            tokens,
            at: 0,
            tree: Tree::default(),
            findings: Diagnostics::new(),
        }
    }

    fn file(&mut self) {
        if self.token().tok == Tok::End {
            let finding = Diagnostic::error("empty-file", "the file is empty");
            let hint = "a model is written `MODULE main VAR … ASSIGN …`";
            self.findings.push(finding.at(self.token_span()).hint(hint));
            return;
        }
        if self.token_text() == "@" && self.time_domain().is_err() {
            return;
        }
        while self.token().tok != Tok::End && !self.findings.is_full() {
            if self.token_text() != "MODULE" {
                self.unexpected("`MODULE`");
                self.skip_to(&["MODULE"]);
                continue;
            }
            if self.module().is_err() {
                self.skip_to(&["MODULE"]);
            }
        }
    }

    fn time_domain(&mut self) -> Parse<()> {
        let start = self.token().start;
        self.advance();
        if self.token_text() != "TIME_DOMAIN" {
            return Err(self.unexpected("`TIME_DOMAIN`"));
        }
        self.advance();
        match self.token_text() {
            "continuous" => self.tree.timed = Some(self.span_of(start, self.token().end)),
            "none" | "discrete" => {}
            _ => return Err(self.unexpected("`continuous` or `none`")),
        }
        self.advance();
        Ok(())
    }

    fn module(&mut self) -> Parse<()> {
        self.advance();
        let (name, span) = self.plain_name("the name of a module")?;
        let mut parameters = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                parameters.push(self.plain_name("the name of a parameter")?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        self.eat(";");
        self.tree.modules.push(Module {
            name,
            span,
            parameters,
            members: Vec::new(),
        });
        while !matches!(self.token_text(), "MODULE")
            && self.token().tok != Tok::End
            && !self.findings.is_full()
        {
            if self.section().is_err() {
                self.skip_to(&SECTIONS);
            }
        }
        Ok(())
    }

    fn section(&mut self) -> Parse<()> {
        let word = self.token_text();
        let (start, span) = (self.token().start, self.token_span());
        if self.token().tok != Tok::Word || !SECTIONS.contains(&word) {
            return Err(self.unexpected("a section such as `VAR` or `ASSIGN`"));
        }
        self.advance();
        match word {
            "VAR" => self.variables(Role::State),
            "IVAR" => self.variables(Role::Input),
            "FROZENVAR" => self.variables(Role::Frozen),
            "DEFINE" | "MDEFINE" => self.defines(),
            "CONSTANTS" => self.constants(),
            "ASSIGN" => self.assignments(),
            "INIT" => self.constraint(Constraint::Init),
            "TRANS" => self.constraint(Constraint::Trans),
            "INVAR" => self.constraint(Constraint::Invar),
            "URGENT" => self.constraint(Constraint::Urgent),
            "FAIRNESS" | "JUSTICE" => self.constraint(Constraint::Justice),
            "COMPASSION" => self.compassion(),
            "LTLSPEC" => self.specification(true, start),
            "INVARSPEC" => self.specification(false, start),
            "SPEC" | "CTLSPEC" | "PSLSPEC" | "COMPUTE" => {
                let what = match word {
                    "PSLSPEC" => "the property specification language",
                    "COMPUTE" => "lengths of paths",
                    _ => "branching time (CTL)",
                };
                self.skip_to(&SECTIONS);
                let message = format!("this `{word}` is skipped: it is about {what}");
                let finding = Diagnostic::warning("skipped-property", message).at(span);
                self.findings
                    .push(finding.hint("Lariat checks LTLSPEC and INVARSPEC"));
                Ok(())
            }
            "ISA" => {
                let (name, span) = self.plain_name("the name of a module")?;
                self.eat(";");
                self.push(Member::Isa(name, span));
                Ok(())
            }
            _ => {
                let message = format!("`{word}` is not supported");
                Err(self.fail(Diagnostic::error("unsupported-section", message).at(span)))
            }
        }
    }

    fn push(&mut self, member: Member) {
        let module = self.tree.modules.last_mut();
        module
            .expect("members are read inside of a module")
            .members
            .push(member);
    }

    /// Whether a list of declarations goes on.
    fn has_item(&self) -> bool {
        match self.token().tok {
            Tok::Quoted => true,
            Tok::Word => !is_reserved(self.token_text()),
            _ => false,
        }
    }

    fn variables(&mut self, role: Role) -> Parse<()> {
        while self.has_item() {
            let name = self.declared_name()?;
            self.expect(":")?;
            let of = self.type_(0)?;
            self.expect(";")?;
            self.push(Member::Variable { role, name, of });
        }
        self.end_of_items()
    }

    fn defines(&mut self) -> Parse<()> {
        while self.has_item() {
            let name = self.declared_name()?;
            self.expect(":=")?;
            let value = self.expression()?;
            self.expect(";")?;
            self.push(Member::Define { name, value });
        }
        self.end_of_items()
    }

    fn constants(&mut self) -> Parse<()> {
        let mut names = Vec::new();
        while self.has_item() {
            names.push(self.declared_name()?);
            if !self.eat(",") {
                break;
            }
        }
        self.eat(";");
        self.push(Member::Constants(names));
        Ok(())
    }

    fn assignments(&mut self) -> Parse<()> {
        loop {
            let time = match self.token_text() {
                "init" => Time::Init,
                "next" => Time::Next,
                _ if self.has_item() => Time::Always,
                _ => return self.end_of_items(),
            };
            let target = if time == Time::Always {
                self.declared_name()?
            } else {
                self.advance();
                self.expect("(")?;
                let target = self.expression()?;
                self.expect(")")?;
                target
            };
            self.expect(":=")?;
            let value = self.expression()?;
            self.expect(";")?;
            self.push(Member::Assign {
                time,
                target,
                value,
            });
        }
    }

    /// The end of a list of declarations must be that of its section.
    fn end_of_items(&mut self) -> Parse<()> {
        let is_section = self.token().tok == Tok::Word && SECTIONS.contains(&self.token_text());
        if is_section || self.token().tok == Tok::End {
            return Ok(());
        }
        let word = self.token_text();
        let hint = is_reserved(word).then(|| format!("`{word}` is a reserved word"));
        Err(self.unexpected_hint("a declaration or a section", hint))
    }

    fn constraint(&mut self, kind: Constraint) -> Parse<()> {
        let term = self.expression()?;
        self.eat(";");
        self.push(Member::Constrain(kind, term));
        Ok(())
    }

    fn compassion(&mut self) -> Parse<()> {
        self.expect("(")?;
        let request = self.expression()?;
        self.expect(",")?;
        let response = self.expression()?;
        self.expect(")")?;
        self.eat(";");
        self.push(Member::Compassion(request, response));
        Ok(())
    }

    fn specification(&mut self, is_ltl: bool, start: u32) -> Parse<()> {
        let mut name = None;
        if self.token_text() == "NAME" && self.token().tok == Tok::Word {
            self.advance();
            let id = self.declared_name()?;
            let span = self.tree.spans[id];
            let text = self.path(id).expect("a declared name is a path").into();
            name = Some((text, span));
            self.expect(":=")?;
        }
        let formula = self.expression()?;
        let mut place = None;
        if self.eat("IN") {
            place = Some(self.declared_name()?);
        }
        let span = self.span_from(start);
        self.eat(";");
        self.push(Member::Spec {
            is_ltl,
            name,
            formula,
            span,
            place,
        });
        Ok(())
    }

    fn type_(&mut self, depth: usize) -> Parse<Type> {
        if depth > MAX_ARRAY_DEPTH {
            let finding = Diagnostic::error("too-deep", "this type is nested too deeply");
            return Err(self.fail(finding.at(self.token_span())));
        }
        let word = self.token_text();
        match word {
            "boolean" | "integer" | "real" | "clock" => {
                self.advance();
                Ok(match word {
                    "boolean" => Type::Boolean,
                    "integer" => Type::Integer,
                    "real" => Type::Real,
                    _ => Type::Clock,
                })
            }
            "signed" | "unsigned" | "word" => {
                self.advance();
                if word != "word" {
                    self.expect("word")?;
                }
                self.word_type(word == "signed")
            }
            "array" => {
                self.advance();
                self.array_type(depth)
            }
            "process" => {
                self.advance();
                self.named_type(true)
            }
            _ => self.named_type(false),
        }
    }

    fn word_type(&mut self, signed: bool) -> Parse<Type> {
        self.expect("[")?;
        let width = self.expression()?;
        self.expect("]")?;
        Ok(Type::Word { signed, width })
    }

    fn array_type(&mut self, depth: usize) -> Parse<Type> {
        let index = match self.token_text() {
            "word" | "unsigned" | "signed" | "integer" => Some(self.type_(depth + 1)?),
            _ => None,
        };
        let range = match index {
            Some(_) => None,
            None => {
                let range = self.expression()?;
                let Node::Binary(super::tree::Binary::Range, low, high) = self.tree.nodes[range]
                else {
                    return Err(self.unexpected("a range of indices such as `0..3`"));
                };
                Some((low, high))
            }
        };
        self.expect("of")?;
        let element = Box::new(self.type_(depth + 1)?);
        Ok(match (index, range) {
            (None, Some((low, high))) => Type::Array { low, high, element },
            (Some(index), _) => Type::Map {
                index: Box::new(index),
                element,
            },
            (None, None) => unreachable!("an array has indices"),
        })
    }

    /// A range, an enumeration or an instance of a module.
    fn named_type(&mut self, process: bool) -> Parse<Type> {
        if self.token().tok == Tok::Word && self.peek_text(1) == "(" && self.peek_text(2) == ")" {
            let name = self.intern_token();
            for _ in 0..3 {
                self.advance();
            }
            return Ok(Type::Module {
                name,
                arguments: Vec::new(),
                process,
            });
        }
        let at = self.at;
        let written = self.expression()?;
        match self.tree.nodes[written].clone() {
            Node::Name(name) => Ok(Type::Module {
                name,
                arguments: Vec::new(),
                process,
            }),
            Node::Call(name, arguments) => Ok(Type::Module {
                name,
                arguments,
                process,
            }),
            Node::Set(values) if !process => Ok(Type::Enum(values)),
            Node::Binary(super::tree::Binary::Range, low, high) if !process => {
                Ok(Type::Range(low, high))
            }
            _ => {
                self.at = at;
                Err(self.unexpected("a type"))
            }
        }
    }

    fn plain_name(&mut self, what: &str) -> Parse<(NameId, Span)> {
        if !self.has_item() {
            let word = self.token_text();
            let hint = is_reserved(word).then(|| format!("`{word}` is a reserved word"));
            return Err(self.unexpected_hint(what, hint));
        }
        let name = (self.intern_token(), self.token_span());
        self.advance();
        Ok(name)
    }

    /// A name that may have dots and indices: `a.b`, `c[0]`.
    fn declared_name(&mut self) -> Parse<ExprId> {
        let (name, mut span) = self.plain_name("a name")?;
        let mut id = self.tree.add(Node::Name(name), span);
        loop {
            if self.eat(".") {
                let is_member = matches!(self.token().tok, Tok::Word | Tok::Quoted | Tok::Int(_));
                if !is_member {
                    return Err(self.unexpected("the name of a member"));
                }
                let member = self.intern_token();
                span = span.to(self.token_span());
                self.advance();
                id = self.tree.add(Node::Dot(id, member), span);
            } else if self.eat("[") {
                let index = self.expression()?;
                self.expect("]")?;
                span = self.span_from(span.start);
                id = self.tree.add(Node::Index(id, index), span);
            } else {
                return Ok(id);
            }
        }
    }

    /// The text of a name with dots and constant indices.
    pub(super) fn path(&self, id: ExprId) -> Option<String> {
        self.tree.path(id)
    }

    // ----- tokens -----

    pub(super) fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    pub(super) fn token_text(&self) -> &'a str {
        self.text_of(self.at)
    }

    /// The text of a token further on.
    pub(super) fn peek_text(&self, ahead: usize) -> &'a str {
        self.text_of((self.at + ahead).min(self.tokens.len() - 1))
    }

    fn text_of(&self, at: usize) -> &'a str {
        let token = &self.tokens[at];
        &self.text[(token.start - self.base) as usize..(token.end - self.base) as usize]
    }

    pub(super) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = matches!(self.token().tok, Tok::Sign | Tok::Word) && self.token_text() == text;
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parse<()> {
        if self.eat(text) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{text}`")))
    }

    pub(super) fn intern_token(&mut self) -> NameId {
        let text = self.token_text();
        self.tree.names.intern(text.into())
    }

    fn skip_to(&mut self, words: &[&str]) {
        while self.token().tok != Tok::End
            && !(self.token().tok == Tok::Word && words.contains(&self.token_text()))
        {
            self.advance();
        }
    }

    // ----- findings -----

    fn span_of(&self, start: u32, end: u32) -> Span {
        Span {
            source: self.source,
            start,
            end,
        }
    }

    pub(super) fn token_span(&self) -> Span {
        self.span_of(self.token().start, self.token().end)
    }

    /// From `start` to the end of the last token that was passed.
    pub(super) fn span_from(&self, start: u32) -> Span {
        let end = self
            .at
            .checked_sub(1)
            .map_or(start, |last| self.tokens[last].end);
        self.span_of(start, end.max(start))
    }

    pub(super) fn fail(&mut self, finding: Diagnostic) -> Failed {
        self.findings.push(finding);
        Failed
    }

    pub(super) fn unexpected(&mut self, what: &str) -> Failed {
        self.unexpected_hint(what, None)
    }

    fn unexpected_hint(&mut self, what: &str, hint: Option<String>) -> Failed {
        let span = self.token_span();
        let finding = match &self.token().tok {
            Tok::Bad(why) => Diagnostic::error("bad-token", *why),
            Tok::End => Diagnostic::error(
                "unexpected-token",
                format!("expected {what}, found the end of the text"),
            ),
            _ => {
                let found = shorten(self.token_text());
                Diagnostic::error(
                    "unexpected-token",
                    format!("expected {what}, found `{found}`"),
                )
            }
        };
        let name_before = self.at.checked_sub(1).map(|last| self.text_of(last));
        let hint = hint.or_else(|| {
            let before = name_before.filter(|name| name.len() > 1 && name.ends_with('-'))?;
            Some(format!(
                "`-` is a letter of names: put a space into `{before}`"
            ))
        });
        self.fail(finding.at(span).maybe_hint(hint))
    }
}
