//! Gamma texts as trees: what is declared in a file.
//!
//! Chains of operators of one level are lists, so that nothing is as deep as a text is long; brackets, blocks and states may
//! nest only so deep.

use lariat_base::Span;
use lariat_expr::{Int, Rat};

/// A name and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub text: Box<str>,
    pub span: Span,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub package: Option<Name>,
    pub imports: Vec<Name>,
    pub interfaces: Vec<Interface>,
    pub types: Vec<TypeDecl>,
    pub constants: Vec<VarDecl>,
    pub functions: Vec<Function>,
    pub components: Vec<Component>,
}

#[derive(Clone, Debug)]
pub(super) struct Interface {
    pub name: Name,
    pub extends: Vec<Name>,
    pub events: Vec<EventDecl>,
}

/// Which way an event goes, seen from the component that provides the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    In,
    Out,
    Both,
    Internal,
}

#[derive(Clone, Debug)]
pub(super) struct EventDecl {
    pub name: Name,
    pub way: Way,
    /// Whether its parameters keep their values.
    pub persistent: bool,
    pub params: Vec<ParamDecl>,
}

#[derive(Clone, Debug)]
pub(super) struct ParamDecl {
    pub name: Name,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub(super) struct TypeDecl {
    pub name: Name,
    pub ty: Type,
}

#[derive(Clone, Debug)]
pub(super) struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TypeKind {
    Bool,
    Int,
    Rat,
    Void,
    Named(Box<str>),
    Enum(Vec<Name>),
    Record(Vec<ParamDecl>),
    /// An array; how long it is does not matter, since arrays are total maps.
    Array(Box<Type>),
    Range(Box<Expr>, Box<Expr>),
}

/// A variable or constant.
#[derive(Clone, Debug)]
pub(super) struct VarDecl {
    pub name: Name,
    pub ty: Type,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub name: Name,
    pub params: Vec<ParamDecl>,
    pub result: Type,
    pub body: Vec<Action>,
}

#[derive(Clone, Debug)]
pub(super) struct Component {
    pub name: Name,
    pub params: Vec<ParamDecl>,
    pub ports: Vec<Port>,
    pub notes: Vec<Annotation>,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Chart(Box<ChartDecl>),
    Composite(Box<Composite>),
    Adapter(Box<Adapter>),
}

/// A synchronous component behind queues of messages.
#[derive(Clone, Debug)]
pub(super) struct Adapter {
    pub part: Part,
    /// The messages that make it run; nothing stands for all of them.
    pub runs: Vec<Option<EventRef>>,
    pub queues: Vec<QueueDecl>,
}

#[derive(Clone, Debug)]
pub(super) struct QueueDecl {
    pub name: Name,
    /// The queue with the greatest number is emptied first.
    pub priority: Int,
    pub capacity: Expr,
    /// Whether a full queue forgets its oldest message; otherwise the one that comes.
    pub drops_oldest: bool,
    pub events: Vec<EventRef>,
}

/// An event of a port, or all of them.
#[derive(Clone, Debug)]
pub(super) struct EventRef {
    pub port: Name,
    pub event: Option<Name>,
}

#[derive(Clone, Debug)]
pub(super) struct Port {
    pub name: Name,
    pub provides: bool,
    pub interface: Name,
}

/// `@NAME` or `@NAME = VALUE`.
#[derive(Clone, Debug)]
pub(super) struct Annotation {
    pub name: Name,
    pub value: Option<Name>,
}

/// What a statechart declares.
#[derive(Clone, Debug, Default)]
pub(super) struct ChartDecl {
    pub vars: Vec<VarDecl>,
    pub timeouts: Vec<Name>,
    pub regions: Vec<Region>,
    pub transitions: Vec<Transition>,
    pub functions: Vec<Function>,
}

#[derive(Clone, Debug)]
pub(super) struct Region {
    pub name: Name,
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: Name,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    State(StateDecl),
    Initial,
    ShallowHistory,
    DeepHistory,
    Choice,
    Merge,
    Fork,
    Join,
}

#[derive(Clone, Debug, Default)]
pub(super) struct StateDecl {
    pub entry: Vec<Action>,
    pub exit: Vec<Action>,
    pub regions: Vec<Region>,
}

#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub id: Option<Box<str>>,
    pub priority: Option<Int>,
    pub from: Name,
    pub to: Name,
    pub trigger: Option<Trigger>,
    pub guard: Option<Expr>,
    pub actions: Vec<Action>,
    /// Trigger and guard as written.
    pub label: Box<str>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub kind: TriggerKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum TriggerKind {
    Event(Name, Name),
    AnyOf(Name),
    Any,
    Cycle,
    Timeout(Name),
    Not(Box<Trigger>),
    Chain(Join, Vec<Trigger>),
}

/// How triggers are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    And,
    Or,
    Xor,
    Eq,
    Imply,
}

#[derive(Clone, Debug)]
pub(super) struct Composite {
    pub kind: Kind,
    pub parts: Vec<Part>,
    pub bindings: Vec<Binding>,
    pub channels: Vec<Channel>,
    /// In which order components run, if that is said; `initial execute` comes before.
    pub execute: Option<Vec<Name>>,
    pub initial_execute: Option<Vec<Name>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Sync,
    Cascade,
    Async,
    ScheduledAsync,
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub name: Name,
    pub ty: Name,
    pub args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub port: Name,
    pub to: PortRef,
}

#[derive(Clone, Debug)]
pub(super) struct PortRef {
    pub part: Name,
    pub port: Name,
}

#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub from: PortRef,
    pub to: Vec<PortRef>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ExprKind {
    Bool(bool),
    Int(Int),
    Rat(Rat),
    Name(Box<str>),
    /// `TYPE::LITERAL`
    Literal(Box<str>, Box<str>),
    /// `PORT.EVENT::PARAMETER`
    Param(Box<str>, Box<str>, Box<str>),
    Field(Box<Expr>, Box<str>),
    Index(Box<Expr>, Box<Expr>),
    Call(Box<str>, Vec<Expr>),
    InState(Vec<Box<str>>),
    Else,
    Array(Vec<Expr>),
    /// `TYPE#{ FIELD := VALUE, … }` and the like.
    Record(Vec<(Box<str>, Expr)>),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Chain(Box<Expr>, Vec<(Binary, Expr)>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operators with two arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Mul,
    Divide,
    Div,
    Mod,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    Imply,
}

#[derive(Clone, Debug)]
pub(super) struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) enum ActionKind {
    Assign(Expr, Expr),
    Raise(Name, Name, Vec<Expr>),
    /// A timeout is set to a value in milliseconds times the factor.
    Set(Name, Expr, u32),
    Deactivate(Name),
    /// Conditions with what they lead to; the last may be `else`.
    If(Vec<(Option<Expr>, Vec<Action>)>),
    Switch(Expr, Vec<(Option<Expr>, Vec<Action>)>),
    For(Name, Box<(Expr, Expr)>, Vec<Action>),
    Choice(Vec<(Expr, Vec<Action>)>),
    Var(VarDecl),
    Assert,
    Block(Vec<Action>),
    Call(Box<str>, Vec<Expr>),
    Return(Option<Expr>),
}
