//! The tree of a Structured Text file.
//!
//! Operators of one level are one chain, so that the depth of a tree is bounded by its brackets.

use lariat_expr::{Int, Rat};

/// A stretch of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pos {
    pub start: u32,
    pub end: u32,
}

impl Pos {
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end,
        }
    }
}

/// A name: as written, and without case.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: Box<str>,
    pub key: Box<str>,
    pub pos: Pos,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    pub types: Vec<TypeDecl>,
    pub globals: Vec<VarDecl>,
    pub pous: Vec<Pou>,
}

#[derive(Clone, Debug)]
pub(super) struct TypeDecl {
    pub name: Name,
    pub spec: TypeSpec,
    pub init: Option<Init>,
}

/// What a program organisation unit is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PouKind {
    Program,
    Function,
    Block,
}

#[derive(Clone, Debug)]
pub(super) struct Pou {
    pub kind: PouKind,
    pub name: Name,
    pub result: Option<TypeSpec>,
    pub vars: Vec<VarDecl>,
    pub body: Vec<Stmt>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Input,
    Output,
    InOut,
    Local,
    Temp,
    External,
    Global,
}

#[derive(Clone, Debug)]
pub(super) struct VarDecl {
    pub section: Section,
    pub constant: bool,
    pub name: Name,
    pub ty: TypeSpec,
    pub init: Option<Init>,
    /// Its address, such as `%IX0.0`, without case.
    pub address: Option<Box<str>>,
}

#[derive(Clone, Debug)]
pub(super) enum TypeSpec {
    Named(Name),
    /// `INT (0..10)`.
    Sub(Name, Expr, Expr),
    Enum(Vec<Name>),
    Array(Vec<(Expr, Expr)>, Box<TypeSpec>, Pos),
    Struct(Vec<VarDecl>),
}

#[derive(Clone, Debug)]
pub(super) enum Init {
    Expr(Expr),
    /// `[1, 2(0)]`.
    Array(Vec<(Option<Expr>, Init)>, Pos),
    /// `(x := 1)`.
    Struct(Vec<(Name, Init)>, Pos),
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Literal(Literal),
    Name(Name),
    Member(Box<Expr>, Name),
    Index(Box<Expr>, Vec<Expr>),
    Unary(Unary, Box<Expr>),
    /// `a + b - c`: operators of one level, from left to right.
    Chain(Box<Expr>, Vec<(Binary, Expr)>),
    Call(Name, Vec<Arg>),
}

#[derive(Clone, Debug)]
pub(super) enum Literal {
    Bool(bool),
    /// With its type, if it is written.
    Int(Int, Option<Name>),
    Real(Rat, Option<Name>),
    /// In milliseconds.
    Time(Int),
    /// `Color#RED`.
    Enum(Name, Name),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Minus,
    Plus,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(super) struct Arg {
    pub name: Option<Name>,
    /// Whether it is `name => place`.
    pub output: bool,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub pos: Pos,
}

/// Values with what is done for them.
pub(super) type CaseBranch = (Vec<(Expr, Option<Expr>)>, Vec<Stmt>);

#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Assign(Expr, Expr),
    /// Of a block instance (a place) or a function (a name).
    Call(Expr, Vec<Arg>),
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    Case(Expr, Vec<CaseBranch>, Vec<Stmt>),
    For(Box<For>),
    While(Expr, Vec<Stmt>),
    Repeat(Vec<Stmt>, Expr),
    Exit,
    Continue,
    Return,
}

#[derive(Clone, Debug)]
pub(super) struct For {
    pub var: Name,
    pub from: Expr,
    pub to: Expr,
    pub by: Option<Expr>,
    pub body: Vec<Stmt>,
}
