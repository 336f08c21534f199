//! The tree of an SMV model.

/// A model: its modules, `main` first.
#[derive(Clone, Debug)]
pub struct SmvModel {
    pub(super) modules: Vec<Module>,
}

#[derive(Clone, Debug)]
pub(super) struct Module {
    pub name: String,
    pub parameters: Vec<String>,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(super) enum Member {
    Variable(Role, String, Type),
    Instance {
        name: String,
        process: bool,
        module: String,
        arguments: Vec<Expr>,
    },
    Constants(Vec<&'static str>),
    Define(String, Expr),
    Assign(Time, Expr, Expr),
    Init(Expr),
    Invar(Expr),
    Trans(Expr),
    Justice(Expr),
    Compassion(Expr, Expr),
    Ltl(Formula),
    Invariant(Expr),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    State,
    Input,
    Frozen,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Time {
    Always,
    Init,
    Next,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Range(i64, i64),
    Enum(Vec<Value>),
    Word(Shape),
    Array(i64, i64, Box<Type>),
}

/// How a word is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Shape {
    pub signed: bool,
    pub width: u32,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Value {
    Bool(bool),
    Int(i64),
    Symbol(String),
    /// The bits as a number.
    Word(Shape, u64),
    Array(i64, Vec<Value>),
    Set(Vec<Value>),
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Literal(Value),
    Name(String),
    Dot(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Slice(Box<Expr>, u32, u32),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    Case(Vec<(Expr, Expr)>),
    Set(Vec<Expr>),
    Range(i64, i64),
    Next(Box<Expr>),
    Call(&'static str, Vec<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Concat,
    Mul,
    Div,
    Mod,
    Add,
    Sub,
    Shl,
    Shr,
    Union,
    In,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    And,
    Or,
    Xor,
    Xnor,
    Iff,
    Implies,
}

#[derive(Clone, Debug)]
pub(super) enum Formula {
    Atom(Expr),
    Not(Box<Formula>),
    /// One of the logical operators.
    Logic(Binary, Box<Formula>, Box<Formula>),
    /// `X F G Y Z H O`, the last five of them with bounds or without.
    Unary(char, Option<(u32, u32)>, Box<Formula>),
    /// `U V S T`.
    Binary(char, Box<Formula>, Box<Formula>),
}

pub(super) fn name(text: &str) -> Expr {
    Expr::Name(text.to_owned())
}

pub(super) fn int(value: i64) -> Expr {
    Expr::Literal(Value::Int(value))
}

pub(super) fn truth(value: bool) -> Expr {
    Expr::Literal(Value::Bool(value))
}

pub(super) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}
