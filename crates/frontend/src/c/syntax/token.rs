//! Tokens of C.

use crate::names::Names;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::c) struct Sym(pub u32);

/// An integer literal: its value and what its suffix asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) struct IntLit {
    pub value: u64,
    pub unsigned: bool,
    pub long: bool,
    pub decimal: bool,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum Tok {
    End,
    /// A name or a keyword.
    Name(Sym),
    Int(IntLit),
    /// A character constant.
    Char(i64),
    Float,
    Str,
    /// Punctuation.
    P(&'static str),
    /// A byte that starts no token.
    Bad,
}

/// A token and its place. A token that a macro made has the place of the macro's use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) struct Token {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
    /// Whether it is the first of its line.
    pub first: bool,
}

/// Punctuation, longest first.
pub(in crate::c) const PUNCTUATION: [&str; 48] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##", "::", "[", "]", "(", ")", "{", "}", ".", "&",
    "*", "+", "-", "~", "!", "/", "%", "<", ">", "^", "|", "?", ":", ";", "=", ",",
];

macro_rules! keywords {
    ($($const:ident = $text:literal),* $(,)?) => {
        /// The reserved words: their symbols are the first of every table.
        pub(in crate::c) mod kw {
            use super::Sym;
            #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "only numbers the words")]
            #[allow(dead_code)]
            enum Number { $($const),* }
            $(pub(in crate::c) const $const: Sym = Sym(Number::$const as u32);)*
            pub(in crate::c) const TEXTS: &[&str] = &[$($text),*];
        }
    };
}

keywords! {
    AUTO = "auto", BREAK = "break", CASE = "case", CHAR = "char", CONST = "const",
    CONTINUE = "continue", DEFAULT = "default", DO = "do", DOUBLE = "double", ELSE = "else",
    ENUM = "enum", EXTERN = "extern", FLOAT = "float", FOR = "for", GOTO = "goto", IF = "if",
    INLINE = "inline", INT = "int", LONG = "long", REGISTER = "register", RESTRICT = "restrict",
    RETURN = "return", SHORT = "short", SIGNED = "signed", SIZEOF = "sizeof", STATIC = "static",
    STRUCT = "struct", SWITCH = "switch", TYPEDEF = "typedef", UNION = "union",
    UNSIGNED = "unsigned", VOID = "void", VOLATILE = "volatile", WHILE = "while",
    BOOL = "_Bool", COMPLEX = "_Complex", NORETURN = "_Noreturn", THREAD_LOCAL = "_Thread_local",
    ATOMIC = "_Atomic", ALIGNAS = "_Alignas", ALIGNOF = "_Alignof",
    STATIC_ASSERT = "_Static_assert", GENERIC = "_Generic",
    ATTRIBUTE = "__attribute__", ATTRIBUTE_2 = "__attribute", EXTENSION = "__extension__",
    ASM = "asm", ASM_2 = "__asm__", ASM_3 = "__asm", INLINE_2 = "__inline", INLINE_3 = "__inline__",
    CONST_2 = "__const", CONST_3 = "__const__", RESTRICT_2 = "__restrict",
    RESTRICT_3 = "__restrict__", VOLATILE_2 = "__volatile", VOLATILE_3 = "__volatile__",
    SIGNED_2 = "__signed__", SIGNED_3 = "__signed", TYPEOF = "typeof", TYPEOF_2 = "__typeof__",
    TYPEOF_3 = "__typeof", INT128 = "__int128", FLOAT128 = "_Float128", FLOAT128_2 = "__float128",
    FLOAT64 = "_Float64", FLOAT32 = "_Float32", FLOAT64X = "_Float64x", FLOAT32X = "_Float32x",
    THREAD = "__thread", VA_LIST = "__builtin_va_list", LABEL = "__label__",
    ALIGNOF_2 = "__alignof__",
}

/// Whether the name is reserved.
pub(in crate::c) fn is_keyword(sym: Sym) -> bool {
    (sym.0 as usize) < kw::TEXTS.len()
}

/// The names of one file, keywords first.
#[derive(Debug)]
pub(in crate::c) struct Symbols(Names);

impl Symbols {
    pub fn new() -> Self {
        let mut symbols = Self(Names::default());
        for text in kw::TEXTS {
            symbols.intern(text);
        }
        symbols
    }

    pub fn intern(&mut self, text: &str) -> Sym {
        match self.0.get(text) {
            Some(known) => Sym(known),
            None => Sym(self.0.insert(text)),
        }
    }

    pub fn text(&self, sym: Sym) -> &str {
        self.0.name(sym.0)
    }

    pub fn get(&self, text: &str) -> Option<Sym> {
        self.0.get(text).map(Sym)
    }
}
