//! The parser: tokens to a syntax tree, with types resolved on the way, because only the known type
//! names tell a declaration from an expression.
//!
//! A function whose body cannot be read is kept with its finding: the libraries' headers that stand
//! before a preprocessed program need not be in our subset, only what the program calls.

use crate::c::syntax::ast::{Ast, Body, Declaration, E, Expr, Function, Param, Pos, Storage};
use crate::c::syntax::parse_type::Specifiers;
use crate::c::syntax::token::{Sym, Symbols, Tok, Token, is_keyword};
use crate::c::types::{self, IntTy, Ty, Type, Types};
use lariat_base::{Diagnostic, FxHashMap, SourceId, Span};

/// The deepest nesting of parentheses, blocks and the like.
const MAX_DEPTH: u32 = 200;
/// The highest syntax tree, chains of left-associative operators not counted.
const MAX_HEIGHT: u16 = 300;

/// What a name stands for, as far as the grammar cares.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) enum Entity {
    Typedef(Ty),
    Constant(i128, IntTy),
    Ordinary,
    /// A name that its file has for itself, with the name by which it is known in the program.
    Internal(Sym),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) enum Tag {
    Record(types::RecordId),
    Enum(Ty),
}

/// A part that could not be read.
pub(in crate::c) type Parse<T> = Result<T, Box<Diagnostic>>;

/// The parser's state.
pub(in crate::c) struct Parser<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub text: &'a str,
    pub base: u32,
    pub source: SourceId,
    pub symbols: &'a mut Symbols,
    pub ast: Ast,
    pub types: Types,
    pub entities: FxHashMap<Sym, Entity>,
    pub tags: FxHashMap<Sym, Tag>,
    undo: Vec<Undo>,
    depth: u32,
    heights: Vec<u16>,
    /// Whether `volatile` is part of a type.
    pub keeps_volatile: bool,
    /// Functions by name, so that a definition completes a declaration.
    functions: FxHashMap<Sym, usize>,
    /// What the program's files have for themselves, if it has several.
    pub files: Option<Files>,
}

/// What a parser of several files knows besides.
#[derive(Debug, Default)]
pub(in crate::c) struct Files {
    /// Stands before the names that the current file has for itself.
    pub prefix: Box<str>,
    /// Those names so far, of all files: as they are written, and with their prefix.
    pub internal: Vec<(Sym, Sym)>,
    /// Functions that were declared again: what is said of them there.
    pub redeclared: Vec<(usize, Ty, Vec<Ty>, Pos)>,
}

enum Undo {
    Entity(Sym, Option<Entity>),
    Tag(Sym, Option<Tag>),
}

impl<'a> Parser<'a> {
    pub fn new(
        tokens: &'a [Token],
        text: &'a str,
        base: u32,
        source: SourceId,
        symbols: &'a mut Symbols,
    ) -> Self {
        let mut parser = Self {
            tokens,
            at: 0,
            text,
            base,
            source,
            symbols,
            ast: Ast::default(),
            types: Types::new(),
            entities: FxHashMap::default(),
            tags: FxHashMap::default(),
            undo: Vec::new(),
            depth: 0,
            heights: Vec::new(),
            keeps_volatile: false,
            functions: FxHashMap::default(),
            files: None,
        };
        parser.standard_names();
        parser
    }

    /// Reads a whole file.
    pub fn file(&mut self) -> Parse<()> {
        while self.tok() != Tok::End {
            self.external()?;
        }
        Ok(())
    }

    /// Goes on with another file of the program: types and names of the one before are not known there.
    pub fn next_file(&mut self, tokens: &'a [Token], prefix: &str) {
        (self.tokens, self.at) = (tokens, 0);
        self.entities.clear();
        self.tags.clear();
        self.undo.clear();
        self.standard_names();
        self.files.get_or_insert_default().prefix = prefix.into();
    }

    /// The name by which the program knows a name at the top of a file.
    fn linked(&mut self, name: Sym, specifiers: Specifiers) -> Sym {
        if let Some(&Entity::Internal(full)) = self.entities.get(&name) {
            return full;
        }
        let is_internal = specifiers.storage == Storage::Static && !specifiers.is_typedef;
        let Some(files) = self.files.as_mut().filter(|_| is_internal) else {
            return name;
        };
        let full = format!("{}::{}", files.prefix, self.symbols.text(name));
        let full = self.symbols.intern(&full);
        files.internal.push((name, full));
        self.entities.insert(name, Entity::Internal(full));
        full
    }

    /// What standard headers declare, in case they were not included by a preprocessor.
    fn standard_names(&mut self) {
        let signed = |bits| IntTy::new(bits, true);
        let unsigned = |bits| IntTy::new(bits, false);
        let types = [
            ("bool", IntTy::BOOL),
            ("size_t", IntTy::ULONG),
            ("ssize_t", IntTy::LONG),
            ("ptrdiff_t", IntTy::LONG),
            ("intptr_t", IntTy::LONG),
            ("uintptr_t", IntTy::ULONG),
            ("wchar_t", IntTy::INT),
            ("int8_t", signed(8)),
            ("int16_t", signed(16)),
            ("int32_t", signed(32)),
            ("int64_t", signed(64)),
            ("uint8_t", unsigned(8)),
            ("uint16_t", unsigned(16)),
            ("uint32_t", unsigned(32)),
            ("uint64_t", unsigned(64)),
        ];
        for (name, int) in types {
            let (name, ty) = (self.symbols.intern(name), self.types.int(int));
            self.entities.insert(name, Entity::Typedef(ty));
        }
        let constants = [
            ("NULL", 0, IntTy::INT),
            ("true", 1, IntTy::INT),
            ("false", 0, IntTy::INT),
            ("EXIT_SUCCESS", 0, IntTy::INT),
            ("EXIT_FAILURE", 1, IntTy::INT),
            ("CHAR_BIT", 8, IntTy::INT),
            ("CHAR_MIN", -128, IntTy::INT),
            ("CHAR_MAX", 127, IntTy::INT),
            ("SCHAR_MIN", -128, IntTy::INT),
            ("SCHAR_MAX", 127, IntTy::INT),
            ("UCHAR_MAX", 255, IntTy::INT),
            ("SHRT_MIN", -32768, IntTy::INT),
            ("SHRT_MAX", 32767, IntTy::INT),
            ("USHRT_MAX", 65535, IntTy::INT),
            ("INT_MIN", IntTy::INT.range().0, IntTy::INT),
            ("INT_MAX", IntTy::INT.range().1, IntTy::INT),
            ("UINT_MAX", IntTy::UINT.range().1, IntTy::UINT),
            ("LONG_MIN", IntTy::LONG.range().0, IntTy::LONG),
            ("LONG_MAX", IntTy::LONG.range().1, IntTy::LONG),
            ("ULONG_MAX", IntTy::ULONG.range().1, IntTy::ULONG),
            ("LLONG_MIN", IntTy::LONG.range().0, IntTy::LONG),
            ("LLONG_MAX", IntTy::LONG.range().1, IntTy::LONG),
            ("ULLONG_MAX", IntTy::ULONG.range().1, IntTy::ULONG),
        ];
        for (name, value, int) in constants {
            let name = self.symbols.intern(name);
            self.entities.insert(name, Entity::Constant(value, int));
        }
        for bits in [8, 16, 32, 64] {
            let ((low, high), most) = (signed(bits).range(), unsigned(bits).range().1);
            let limits = [
                (format!("INT{bits}_MIN"), low, signed(bits)),
                (format!("INT{bits}_MAX"), high, signed(bits)),
                (format!("UINT{bits}_MAX"), most, unsigned(bits)),
            ];
            for (name, value, int) in limits {
                let name = self.symbols.intern(&name);
                let entity = Entity::Constant(value, int.promoted());
                self.entities.insert(name, entity);
            }
        }
    }

    /// A declaration or definition at the top of the file.
    fn external(&mut self) -> Parse<()> {
        self.skip_extensions()?;
        if self.eat(";") {
            return Ok(());
        }
        if self.static_assert()? {
            return Ok(());
        }
        let specifiers = self.specifiers()?;
        if self.eat(";") {
            return Ok(());
        }
        let mut first = true;
        loop {
            let declared = self.declarator(specifiers.ty)?;
            self.skip_extensions()?;
            let Some((name, name_pos)) = declared.name else {
                return Err(self.unexpected("a name"));
            };
            let linked = self.linked(name, specifiers);
            if let &Type::Function(result) = self.types.get(declared.ty)
                && !specifiers.is_typedef
            {
                let params = declared.params.unwrap_or_default();
                if linked == name {
                    self.entities.insert(name, Entity::Ordinary);
                }
                let is_definition = first
                    && (self.tok() == Tok::P("{") || (self.starts_type() && !params.is_empty()));
                let function = self.function(linked, result, params, name_pos);
                let is_again = self.ast.functions[function].is_inline && specifiers.is_inline;
                let known = &mut self.ast.functions[function];
                known.is_inline |= specifiers.is_inline;
                known.is_extern |= specifiers.storage == Storage::Extern;
                if is_definition && is_again && self.has_body(function) && self.files.is_some() {
                    // Files may have the same inline function, from a header.
                    return self.skip_balanced();
                }
                if is_definition {
                    return self.definition(function);
                }
            } else {
                let init = self.declare(specifiers, name, declared.ty)?;
                let ty = self.completed(declared.ty, init.as_ref());
                if !specifiers.is_typedef {
                    self.ast.globals.push(Declaration {
                        name: linked,
                        ty,
                        storage: specifiers.storage,
                        init,
                        pos: name_pos,
                    });
                }
            }
            first = false;
            if self.eat(",") {
                continue;
            }
            if !self.eat(";") {
                return Err(self.unexpected("`;`"));
            }
            return Ok(());
        }
    }

    /// The function of this name; its parameters if they were not known.
    fn function(&mut self, name: Sym, result: Ty, params: Vec<Param>, pos: Pos) -> usize {
        if let Some(&known) = self.functions.get(&name) {
            if let Some(files) = &mut self.files {
                let types = params.iter().map(|param| param.ty).collect();
                files.redeclared.push((known, result, types, pos));
            }
            let function = &mut self.ast.functions[known];
            if matches!(function.body, Body::Missing) {
                (function.result, function.params, function.pos) = (result, params, pos);
            }
            return known;
        }
        let body = Body::Missing;
        self.ast.functions.push(Function {
            name,
            result,
            params,
            body,
            pos,
            is_inline: false,
            is_extern: false,
        });
        let id = self.ast.functions.len() - 1;
        self.functions.insert(name, id);
        id
    }

    fn has_body(&self, function: usize) -> bool {
        !matches!(self.ast.functions[function].body, Body::Missing)
    }

    fn definition(&mut self, function: usize) -> Parse<()> {
        // Parameters of the old style are declared between the list and the body.
        while self.tok() != Tok::P("{") {
            let specifiers = self.specifiers()?;
            loop {
                let declared = self.declarator(specifiers.ty)?;
                let ty = self.decayed(declared.ty);
                let params = &mut self.ast.functions[function].params;
                let name = declared.name.map(|named| named.0);
                if let Some(param) = params.iter_mut().find(|param| param.name == name) {
                    param.ty = ty;
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        if self.has_body(function) {
            let name = self.symbols.text(self.ast.functions[function].name);
            let message = format!("the function `{name}` is defined twice");
            let finding = Diagnostic::error("duplicate-name", message);
            let first = self.ast.functions[function].pos;
            return Err(Box::new(
                finding
                    .at(self.span(self.pos()))
                    .also(self.span(first), "the first one"),
            ));
        }
        let open = self.at;
        let mark = self.open();
        let params: Vec<Sym> = self.ast.functions[function]
            .params
            .iter()
            .filter_map(|param| param.name)
            .collect();
        for name in params {
            self.bind(name, Entity::Ordinary);
        }
        let body = self.block();
        self.close(mark);
        let body = match body {
            Ok(body) => Body::Present(body),
            Err(finding) => {
                self.at = open;
                self.depth = 0;
                self.skip_balanced().map_err(|_| finding.clone())?;
                Body::Broken(finding)
            }
        };
        self.ast.functions[function].body = body;
        Ok(())
    }

    // Tokens.

    pub fn tok(&self) -> Tok {
        self.tokens[self.at].tok
    }

    pub fn peek(&self, ahead: usize) -> Tok {
        let at = (self.at + ahead).min(self.tokens.len() - 1);
        self.tokens[at].tok
    }

    pub fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn is(&self, punctuation: &str) -> bool {
        matches!(self.tok(), Tok::P(found) if found == punctuation)
    }

    pub fn eat(&mut self, punctuation: &str) -> bool {
        let found = self.is(punctuation);
        if found {
            self.advance();
        }
        found
    }

    pub fn expect(&mut self, punctuation: &'static str) -> Parse<()> {
        if self.eat(punctuation) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{punctuation}`")))
    }

    pub fn is_word(&self, word: Sym) -> bool {
        self.tok() == Tok::Name(word)
    }

    pub fn eat_word(&mut self, word: Sym) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    /// A name that is no keyword.
    pub fn name(&mut self, what: &str) -> Parse<(Sym, Pos)> {
        match self.tok() {
            Tok::Name(name) if !is_keyword(name) => {
                let pos = self.pos();
                self.advance();
                Ok((name, pos))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Skips from an opening bracket past the one that closes it.
    pub fn skip_balanced(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        loop {
            match self.tok() {
                Tok::P("(" | "[" | "{") => depth += 1,
                Tok::P(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Tok::End => return Err(self.unexpected("a closing bracket")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    pub fn start(&self) -> u32 {
        self.tokens[self.at].start
    }

    pub fn pos(&self) -> Pos {
        let token = self.tokens[self.at];
        Pos {
            start: token.start,
            end: token.end,
        }
    }

    /// From `start` to the end of the token before.
    pub fn since(&self, start: u32) -> Pos {
        let end = self
            .at
            .checked_sub(1)
            .map_or(start, |at| self.tokens[at].end);
        Pos {
            start,
            end: end.max(start),
        }
    }

    pub fn span(&self, pos: Pos) -> Span {
        Span::new(self.source, pos.start as usize, pos.end as usize)
    }

    pub fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let token = self.tokens[self.at];
        let found = match token.tok {
            Tok::End => "the end of the text".to_owned(),
            _ => {
                let range = (token.start - self.base) as usize..(token.end - self.base) as usize;
                let text = self.text.get(range).unwrap_or("");
                format!("`{}`", crate::parser::shorten(text))
            }
        };
        let message = format!("expected {wanted}, found {found}");
        let missing = self.at.checked_sub(1).map(|before| self.tokens[before].end);
        if let Some(end) = missing.filter(|&end| wanted == "`;`" && self.ends_line(end)) {
            let place = Span::new(self.source, end as usize - 1, end as usize);
            let message =
                format!("expected {wanted} at the end of this line, found {found} on another");
            let finding = Diagnostic::error("syntax", message).at(place);
            return Box::new(finding.hint("write `;` behind it"));
        }
        Box::new(Diagnostic::error("syntax", message).at(self.span(self.pos())))
    }

    /// Whether a line ends between this place and the current token.
    fn ends_line(&self, end: u32) -> bool {
        let token = self.tokens[self.at];
        let gap = (end - self.base) as usize..(token.start - self.base) as usize;
        self.text.get(gap).is_some_and(|gap| gap.contains('\n'))
    }

    // Nesting.

    /// One level deeper; the caller calls [`shallower`](Self::shallower) when it is done.
    pub fn deeper(&mut self) -> Parse<()> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    pub fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether this is the top of a file.
    pub fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    fn too_deep(&self) -> Box<Diagnostic> {
        let message = format!("the program is nested more than {MAX_DEPTH} deep here");
        Box::new(Diagnostic::error("too-deep", message).at(self.span(self.pos())))
    }

    /// Adds an expression, unless the tree gets too high.
    pub fn node(&mut self, expr: Expr, pos: Pos) -> Parse<E> {
        let class = |e: &Expr| match e {
            Expr::Binary(..) => 1,
            Expr::LogicalAnd(..) => 2,
            Expr::LogicalOr(..) => 3,
            Expr::Comma(..) => 4,
            _ => 0,
        };
        let (own, left) = match &expr {
            Expr::Binary(_, left, _)
            | Expr::LogicalAnd(left, _)
            | Expr::LogicalOr(left, _)
            | Expr::Comma(left, _) => (class(&expr), Some(*left)),
            _ => (0, None),
        };
        let e = self.ast.add(expr, pos);
        let mut height = 0;
        self.ast.children(e, |child| {
            let spine = own > 0 && Some(child) == left && class(self.ast.expr(child)) == own;
            height = height.max(self.heights[child.0 as usize] + u16::from(!spine));
        });
        self.heights.push(height);
        if height > MAX_HEIGHT {
            return Err(self.too_deep());
        }
        Ok(e)
    }

    // Scopes.

    pub fn open(&mut self) -> usize {
        self.undo.len()
    }

    pub fn close(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some(Undo::Entity(name, before)) => match before {
                    Some(before) => {
                        self.entities.insert(name, before);
                    }
                    None => {
                        self.entities.remove(&name);
                    }
                },
                Some(Undo::Tag(name, before)) => match before {
                    Some(before) => {
                        self.tags.insert(name, before);
                    }
                    None => {
                        self.tags.remove(&name);
                    }
                },
                None => {}
            }
        }
    }

    pub fn bind(&mut self, name: Sym, entity: Entity) {
        let before = self.entities.insert(name, entity);
        self.undo.push(Undo::Entity(name, before));
    }

    pub fn bind_tag(&mut self, name: Sym, tag: Tag) {
        let before = self.tags.insert(name, tag);
        self.undo.push(Undo::Tag(name, before));
    }
}
