//! Declarations: specifiers, declarators, initialisers.

use crate::c::integer::fold::fold;
use crate::c::syntax::ast::{self, Designator, Init, Param, Pos, Storage};
use crate::c::syntax::parse::{Entity, Parse, Parser, Tag};
use crate::c::syntax::token::{self, Sym, Tok, kw};
use crate::c::types::{Field, IntTy, Ty, Type};
use lariat_base::Diagnostic;

/// What comes before the names of a declaration.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) struct Specifiers {
    pub ty: Ty,
    pub storage: Storage,
    pub is_typedef: bool,
    pub is_inline: bool,
}

/// A name with its type.
pub(in crate::c) struct Declared {
    pub name: Option<(Sym, Pos)>,
    pub ty: Ty,
    pub params: Option<Vec<Param>>,
}

/// The words of an arithmetic type, counted.
#[derive(Default)]
struct Words {
    unsigned: bool,
    short: bool,
    longs: u32,
    base: Option<Base>,
    any: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Base {
    Void,
    Bool,
    Char,
    Int,
    Int128,
    Float,
}

impl Parser<'_> {
    /// Whether a type starts here.
    pub fn starts_type(&self) -> bool {
        self.names_type(self.tok())
    }

    pub fn names_type(&self, tok: Tok) -> bool {
        let Tok::Name(name) = tok else { return false };
        match name {
            kw::VOID
            | kw::CHAR
            | kw::SHORT
            | kw::INT
            | kw::LONG
            | kw::FLOAT
            | kw::DOUBLE
            | kw::SIGNED
            | kw::SIGNED_2
            | kw::SIGNED_3
            | kw::UNSIGNED
            | kw::BOOL
            | kw::COMPLEX
            | kw::STRUCT
            | kw::UNION
            | kw::ENUM
            | kw::CONST
            | kw::CONST_2
            | kw::CONST_3
            | kw::VOLATILE
            | kw::VOLATILE_2
            | kw::VOLATILE_3
            | kw::RESTRICT
            | kw::RESTRICT_2
            | kw::RESTRICT_3
            | kw::TYPEDEF
            | kw::EXTERN
            | kw::STATIC
            | kw::AUTO
            | kw::REGISTER
            | kw::INLINE
            | kw::INLINE_2
            | kw::INLINE_3
            | kw::NORETURN
            | kw::THREAD_LOCAL
            | kw::THREAD
            | kw::ATOMIC
            | kw::ALIGNAS
            | kw::TYPEOF
            | kw::TYPEOF_2
            | kw::TYPEOF_3
            | kw::INT128
            | kw::FLOAT128
            | kw::FLOAT128_2
            | kw::FLOAT64
            | kw::FLOAT32
            | kw::FLOAT64X
            | kw::FLOAT32X
            | kw::VA_LIST => true,
            _ => matches!(self.entities.get(&name), Some(Entity::Typedef(_))),
        }
    }

    /// Skips `__extension__`, attributes and `asm` labels.
    pub fn skip_extensions(&mut self) -> Parse<()> {
        loop {
            match self.tok() {
                Tok::Name(kw::EXTENSION) => self.advance(),
                Tok::Name(kw::ATTRIBUTE | kw::ATTRIBUTE_2 | kw::ASM | kw::ASM_2 | kw::ASM_3) => {
                    self.advance();
                    while matches!(
                        self.tok(),
                        Tok::Name(kw::VOLATILE | kw::VOLATILE_3 | kw::GOTO)
                    ) {
                        self.advance();
                    }
                    if !self.is("(") {
                        return Err(self.unexpected("`(`"));
                    }
                    self.skip_balanced()?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips a `_Static_assert`.
    pub fn static_assert(&mut self) -> Parse<bool> {
        if !self.eat_word(kw::STATIC_ASSERT) {
            return Ok(false);
        }
        self.skip_balanced()?;
        self.expect(";")?;
        Ok(true)
    }

    /// Reads specifiers; without a type it is `int`.
    pub fn specifiers(&mut self) -> Parse<Specifiers> {
        let mut storage = Storage::Plain;
        let (mut is_typedef, mut is_inline, mut is_volatile) = (false, false, false);
        let mut words = Words::default();
        let mut ty: Option<Ty> = None;
        loop {
            self.skip_extensions()?;
            let Tok::Name(name) = self.tok() else { break };
            match name {
                kw::TYPEDEF => is_typedef = true,
                kw::EXTERN => storage = Storage::Extern,
                kw::STATIC => storage = Storage::Static,
                kw::VOLATILE | kw::VOLATILE_2 | kw::VOLATILE_3 => is_volatile = true,
                kw::INLINE | kw::INLINE_2 | kw::INLINE_3 => is_inline = true,
                kw::AUTO
                | kw::REGISTER
                | kw::NORETURN
                | kw::CONST
                | kw::CONST_2
                | kw::CONST_3
                | kw::RESTRICT
                | kw::RESTRICT_2
                | kw::RESTRICT_3
                | kw::THREAD_LOCAL
                | kw::THREAD => {}
                kw::ATOMIC => {
                    if self.peek(1) == Tok::P("(") {
                        self.advance();
                        ty = Some(self.parenthesized_type()?);
                        continue;
                    }
                }
                kw::ALIGNAS => {
                    self.advance();
                    self.skip_balanced()?;
                    continue;
                }
                kw::STRUCT | kw::UNION => {
                    ty = Some(self.record()?);
                    continue;
                }
                kw::ENUM => {
                    ty = Some(self.enumeration()?);
                    continue;
                }
                kw::TYPEOF | kw::TYPEOF_2 | kw::TYPEOF_3 => {
                    self.advance();
                    if self.is("(") && self.names_type(self.peek(1)) {
                        ty = Some(self.parenthesized_type()?);
                    } else {
                        self.skip_balanced()?;
                        ty = Some(self.types.add(Type::Unsupported("typeof")));
                    }
                    continue;
                }
                kw::VA_LIST => {
                    ty = Some(self.types.add(Type::Unsupported("variable arguments")));
                }
                _ if words.take(name) => {}
                _ => {
                    let known = self.entities.get(&name);
                    let Some(&Entity::Typedef(named)) = known else {
                        break;
                    };
                    if ty.is_some() || words.any {
                        break;
                    }
                    ty = Some(named);
                }
            }
            self.advance();
        }
        let ty = match ty {
            Some(ty) => ty,
            None => self.word_type(&words),
        };
        Ok(Specifiers {
            ty: self.volatile_if(ty, is_volatile),
            storage,
            is_typedef,
            is_inline,
        })
    }

    fn volatile_if(&mut self, ty: Ty, is_volatile: bool) -> Ty {
        let counts = is_volatile && self.keeps_volatile;
        self.ast.has_volatile |= counts;
        ty.volatile_if(counts)
    }

    fn word_type(&mut self, words: &Words) -> Ty {
        let signed = !words.unsigned;
        let int = |bits| Type::Int(IntTy::new(bits, signed));
        let ty = match words.base {
            Some(Base::Void) => Type::Void,
            Some(Base::Bool) => Type::Int(IntTy::BOOL),
            Some(Base::Float) => Type::Float,
            Some(Base::Char) => int(8),
            Some(Base::Int128) => Type::Unsupported("__int128"),
            Some(Base::Int) | None if words.short => int(16),
            Some(Base::Int) | None if words.longs > 0 => int(64),
            Some(Base::Int) | None => int(32),
        };
        self.types.add(ty)
    }

    fn parenthesized_type(&mut self) -> Parse<Ty> {
        self.expect("(")?;
        let ty = self.type_name()?;
        self.expect(")")?;
        Ok(ty)
    }

    /// A type without a name, as in a cast.
    pub fn type_name(&mut self) -> Parse<Ty> {
        let specifiers = self.specifiers()?;
        Ok(self.declarator(specifiers.ty)?.ty)
    }

    fn record(&mut self) -> Parse<Ty> {
        let is_union = self.is_word(kw::UNION);
        self.advance();
        self.skip_extensions()?;
        let tag = match self.tok() {
            Tok::Name(_) => Some(self.name("a tag")?.0),
            _ => None,
        };
        let known = tag.and_then(|tag| self.tags.get(&tag).copied());
        let id = match known {
            Some(Tag::Record(id)) if !(self.is("{") && self.types.record(id).fields.is_some()) => {
                id
            }
            _ => {
                let id = self.types.new_record(is_union, tag);
                if let Some(tag) = tag {
                    self.bind_tag(tag, Tag::Record(id));
                }
                id
            }
        };
        if self.eat("{") {
            self.deeper()?;
            let fields = self.fields()?;
            self.shallower();
            self.types.complete(id, fields);
        }
        Ok(self.types.add(Type::Record(id)))
    }

    fn fields(&mut self) -> Parse<Vec<Field>> {
        let mut fields = Vec::new();
        while !self.eat("}") {
            self.skip_extensions()?;
            if self.eat(";") || self.static_assert()? {
                continue;
            }
            if !self.starts_type() {
                return Err(self.unexpected("a member or `}`"));
            }
            let specifiers = self.specifiers()?;
            if self.eat(";") {
                let (name, bits) = (None, None);
                let ty = specifiers.ty;
                fields.push(Field { name, ty, bits });
                continue;
            }
            loop {
                let declared = if self.is(":") {
                    Declared {
                        name: None,
                        ty: specifiers.ty,
                        params: None,
                    }
                } else {
                    self.declarator(specifiers.ty)?
                };
                let mut bits = None;
                if self.eat(":") {
                    let width = self.constant("the width of a bit-field")?;
                    bits = Some(u32::try_from(width).unwrap_or(0));
                }
                self.skip_extensions()?;
                if declared.name.is_some() || bits.is_none() {
                    let name = declared.name.map(|named| named.0);
                    let ty = declared.ty;
                    fields.push(Field { name, ty, bits });
                }
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        Ok(fields)
    }

    fn enumeration(&mut self) -> Parse<Ty> {
        self.advance();
        self.skip_extensions()?;
        let tag = match self.tok() {
            Tok::Name(_) => Some(self.name("a tag")?.0),
            _ => None,
        };
        let mut enumerators = Vec::new();
        let is_defined = self.eat("{");
        if is_defined {
            let mut next: i128 = 0;
            while !self.eat("}") {
                let (name, _) = self.name("an enumerator or `}`")?;
                self.skip_extensions()?;
                if self.eat("=") {
                    next = self.constant("the value of an enumerator")?;
                }
                let (low, high) = IntTy::INT.range();
                let int = if (low..=high).contains(&next) {
                    IntTy::INT
                } else {
                    IntTy::LONG
                };
                self.bind(name, Entity::Constant(next, int));
                enumerators.push((name, next));
                next = next.saturating_add(1);
                if !self.eat(",") && !self.is("}") {
                    return Err(self.unexpected("`,` or `}`"));
                }
            }
        }
        // gcc makes it unsigned where no enumerator is negative; values agree wherever they are in range.
        let known = tag.and_then(|tag| self.tags.get(&tag).copied());
        let ty = match known {
            Some(Tag::Enum(ty)) if !is_defined => ty,
            _ if !is_defined => self.types.int(IntTy::INT),
            _ => self.types.new_enumeration(enumerators),
        };
        if let Some(tag) = tag {
            self.bind_tag(tag, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// A constant expression.
    pub fn constant(&mut self, what: &str) -> Parse<i128> {
        let start = self.start();
        let e = self.conditional()?;
        fold(&self.ast, &self.types, e).map_or_else(
            || {
                let message = format!("{what} must be a constant");
                let span = self.span(self.since(start));
                Err(Box::new(
                    Diagnostic::error("not-constant", message).at(span),
                ))
            },
            |constant| Ok(constant.value),
        )
    }

    /// A name (perhaps none) with what makes its type out of `base`.
    pub fn declarator(&mut self, base: Ty) -> Parse<Declared> {
        self.deeper()?;
        let declared = self.declarator_inside(base);
        self.shallower();
        declared
    }

    fn declarator_inside(&mut self, base: Ty) -> Parse<Declared> {
        let mut ty = base;
        loop {
            self.skip_extensions()?;
            match self.tok() {
                Tok::P("*") => ty = self.types.add(Type::Ptr(ty)),
                Tok::Name(kw::VOLATILE | kw::VOLATILE_2 | kw::VOLATILE_3) => {
                    ty = self.volatile_if(ty, true);
                }
                Tok::Name(
                    kw::CONST
                    | kw::CONST_2
                    | kw::CONST_3
                    | kw::RESTRICT
                    | kw::RESTRICT_2
                    | kw::RESTRICT_3
                    | kw::ATOMIC,
                ) => {}
                _ => break,
            }
            self.advance();
        }
        let nested = self.is("(")
            && match self.peek(1) {
                Tok::P("*" | "(" | "[") => true,
                Tok::P(_) => false,
                Tok::Name(kw::ATTRIBUTE | kw::ATTRIBUTE_2) => true,
                tok @ Tok::Name(_) => !self.names_type(tok),
                _ => false,
            };
        if nested {
            let inner = self.at + 1;
            self.skip_balanced()?;
            let (ty, params) = self.suffixes(ty)?;
            let end = self.at;
            self.at = inner;
            let mut declared = self.declarator(ty)?;
            self.expect(")")?;
            self.at = end;
            declared.params = declared.params.or(params);
            return Ok(declared);
        }
        let name = match self.tok() {
            Tok::Name(name) if !token::is_keyword(name) => Some(self.name("a name")?),
            _ => None,
        };
        let (ty, params) = self.suffixes(ty)?;
        Ok(Declared { name, ty, params })
    }

    /// `[…]` and `(…)` behind a name.
    fn suffixes(&mut self, base: Ty) -> Parse<(Ty, Option<Vec<Param>>)> {
        self.skip_extensions()?;
        if self.is("(") {
            self.advance();
            let params = self.params()?;
            self.skip_extensions()?;
            // A function that returns a function or an array is none.
            let ty = self.types.add(Type::Function(base.plain()));
            return Ok((ty, Some(params)));
        }
        let mut lengths = Vec::new();
        while self.eat("[") {
            while let Tok::Name(
                kw::STATIC
                | kw::CONST
                | kw::VOLATILE
                | kw::RESTRICT
                | kw::RESTRICT_2
                | kw::RESTRICT_3,
            ) = self.tok()
            {
                self.advance();
            }
            if self.eat("]") {
                lengths.push(None);
                continue;
            }
            let e = self.assignment()?;
            let length = fold(&self.ast, &self.types, e).map(|constant| constant.value);
            lengths.push(length.and_then(|length| u64::try_from(length).ok()));
            self.expect("]")?;
        }
        let mut ty = base;
        for length in lengths.into_iter().rev() {
            ty = self.types.add(Type::Array(ty, length));
        }
        Ok((ty, None))
    }

    fn params(&mut self) -> Parse<Vec<Param>> {
        let mut params = Vec::new();
        if self.eat(")") {
            return Ok(params);
        }
        if self.is_word(kw::VOID) && self.peek(1) == Tok::P(")") {
            self.advance();
            self.advance();
            return Ok(params);
        }
        let mark = self.open();
        loop {
            if self.eat("...") {
                break;
            }
            self.skip_extensions()?;
            let pos = self.pos();
            if self.starts_type() {
                let specifiers = self.specifiers()?;
                let declared = self.declarator(specifiers.ty)?;
                self.skip_extensions()?;
                let ty = self.decayed(declared.ty);
                let name = declared.name.map(|named| named.0);
                let pos = declared.name.map_or(pos, |named| named.1);
                params.push(Param { name, ty, pos });
            } else {
                let (name, pos) = self.name("a parameter")?;
                let ty = self.types.int(IntTy::INT);
                let name = Some(name);
                params.push(Param { name, ty, pos });
            }
            if !self.eat(",") {
                break;
            }
        }
        self.close(mark);
        self.expect(")")?;
        Ok(params)
    }

    /// The type that a parameter of this type has.
    pub fn decayed(&mut self, ty: Ty) -> Ty {
        match *self.types.get(ty) {
            Type::Array(element, _) => self.types.add(Type::Ptr(element)),
            Type::Function(_) => self.types.add(Type::Ptr(ty)),
            _ => ty,
        }
    }

    /// The type of an array whose length its initialiser tells.
    pub fn completed(&mut self, ty: Ty, init: Option<&Init>) -> Ty {
        let &Type::Array(element, None) = self.types.get(ty) else {
            return ty;
        };
        let length = match init {
            Some(Init::List(members, _)) if members.iter().all(|member| member.0.is_empty()) => {
                Some(members.len() as u64)
            }
            Some(Init::Expr(e)) => match self.ast.expr(*e) {
                ast::Expr::Str(bytes) => Some(bytes.len() as u64 + 1),
                _ => None,
            },
            _ => None,
        };
        self.types.add(Type::Array(element, length))
    }

    /// Makes a name known and reads its initialiser.
    pub fn declare(&mut self, specifiers: Specifiers, name: Sym, ty: Ty) -> Parse<Option<Init>> {
        if specifiers.is_typedef {
            self.bind(name, Entity::Typedef(ty));
            return Ok(None);
        }
        if !self.speaks_of_internal(specifiers, name, ty) {
            self.bind(name, Entity::Ordinary);
        }
        if !self.eat("=") {
            return Ok(None);
        }
        self.initializer().map(Some)
    }

    /// Whether a declaration is one of what the file has for itself, not of something new.
    fn speaks_of_internal(&self, specifiers: Specifiers, name: Sym, ty: Ty) -> bool {
        let is_internal = matches!(self.entities.get(&name), Some(Entity::Internal(_)));
        let is_function = matches!(self.types.get(ty), Type::Function(_));
        let is_linked = self.is_outermost() || specifiers.storage == Storage::Extern || is_function;
        is_internal && is_linked
    }

    fn initializer(&mut self) -> Parse<Init> {
        if !self.is("{") {
            return Ok(Init::Expr(self.assignment()?));
        }
        let start = self.start();
        self.deeper()?;
        self.advance();
        let mut members = Vec::new();
        while !self.eat("}") {
            let mut designators = Vec::new();
            loop {
                if self.eat(".") {
                    designators.push(Designator::Field(self.name("a member")?.0));
                } else if self.eat("[") {
                    designators.push(Designator::At(self.conditional()?));
                    self.expect("]")?;
                } else {
                    break;
                }
            }
            if !designators.is_empty() {
                self.expect("=")?;
            }
            members.push((designators, self.initializer()?));
            if !self.eat(",") && !self.is("}") {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        self.shallower();
        Ok(Init::List(members, self.since(start)))
    }
}

impl Words {
    /// Takes a word of an arithmetic type.
    fn take(&mut self, name: Sym) -> bool {
        match name {
            kw::VOID => self.base = Some(Base::Void),
            kw::BOOL => self.base = Some(Base::Bool),
            kw::CHAR => self.base = Some(Base::Char),
            kw::INT => {
                if self.base.is_none() {
                    self.base = Some(Base::Int);
                }
            }
            kw::INT128 => self.base = Some(Base::Int128),
            kw::FLOAT
            | kw::DOUBLE
            | kw::COMPLEX
            | kw::FLOAT128
            | kw::FLOAT128_2
            | kw::FLOAT64
            | kw::FLOAT32
            | kw::FLOAT64X
            | kw::FLOAT32X => self.base = Some(Base::Float),
            kw::SHORT => self.short = true,
            kw::LONG => self.longs += 1,
            kw::SIGNED | kw::SIGNED_2 | kw::SIGNED_3 => {}
            kw::UNSIGNED => self.unsigned = true,
            _ => return false,
        }
        self.any = true;
        true
    }
}
