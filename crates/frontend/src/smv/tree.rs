//! The syntax tree of SMV: modules with their sections, expressions in one arena.
//!
//! An expression is older than whatever contains it, so that increasing ids are a bottom-up order.

use super::lex::BitsLit;
use lariat_base::{IdVec, Interner, Span, id_type};
use lariat_expr::{Int, Rat};

id_type!(
    /// An expression of one file.
    pub(super) struct ExprId, "e"
);
id_type!(
    /// A name of one file.
    pub(super) struct NameId, "n"
);

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    Name(NameId),
    Bool(bool),
    Int(Int),
    Real(Rat),
    Bits(BitsLit),
    /// `a.b`, `a.0`.
    Dot(ExprId, NameId),
    /// `a[i]`.
    Index(ExprId, ExprId),
    /// `w[h:l]`.
    Slice(ExprId, ExprId, ExprId),
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    Ite(ExprId, ExprId, ExprId),
    /// Conditions and values in turn.
    Case(Vec<ExprId>),
    Set(Vec<ExprId>),
    List(Vec<ExprId>),
    Call(NameId, Vec<ExprId>),
    /// A temporal operator with a bound.
    Bounded(Unary, u32, u32, ExprId),
}

impl Node {
    /// The expressions inside, in the order of the text.
    pub fn children(&self) -> Vec<ExprId> {
        match self {
            Self::Name(_) | Self::Bool(_) | Self::Int(_) | Self::Real(_) | Self::Bits(_) => {
                Vec::new()
            }
            Self::Dot(of, _) => vec![*of],
            Self::Unary(_, of) | Self::Bounded(_, _, _, of) => vec![*of],
            Self::Index(a, b) | Self::Binary(_, a, b) => vec![*a, *b],
            Self::Slice(a, b, c) | Self::Ite(a, b, c) => vec![*a, *b, *c],
            Self::Case(list) | Self::Set(list) | Self::List(list) | Self::Call(_, list) => {
                list.clone()
            }
        }
    }
}

/// Operators before their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    Not,
    Minus,
    X,
    F,
    G,
    Y,
    Z,
    O,
    H,
}

impl Unary {
    /// Whether it is temporal.
    pub fn is_temporal(self) -> bool {
        !matches!(self, Self::Not | Self::Minus)
    }
}

/// Operators between operands.
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
    Range,
    Union,
    In,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Until,
    Releases,
    Since,
    Triggered,
    WeakUntil,
    StrongRelease,
    And,
    Or,
    Xor,
    Xnor,
    Iff,
    Implies,
}

impl Binary {
    /// Whether it is temporal.
    pub fn is_temporal(self) -> bool {
        matches!(
            self,
            Self::Until
                | Self::Releases
                | Self::Since
                | Self::Triggered
                | Self::WeakUntil
                | Self::StrongRelease
        )
    }
}

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Type {
    Boolean,
    Integer,
    Real,
    Clock,
    /// `{a, 3}`: names or integers.
    Enum(Vec<ExprId>),
    Range(ExprId, ExprId),
    Word {
        signed: bool,
        width: ExprId,
    },
    Array {
        low: ExprId,
        high: ExprId,
        element: Box<Type>,
    },
    /// `array word[N] of T`, `array integer of T`.
    Map {
        index: Box<Type>,
        element: Box<Type>,
    },
    Module {
        name: NameId,
        arguments: Vec<ExprId>,
        process: bool,
    },
}

/// What kind of variable is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    State,
    Input,
    Frozen,
}

/// What of a variable an assignment gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Time {
    Always,
    Init,
    Next,
}

/// What a constraint restricts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constraint {
    Init,
    Trans,
    Invar,
    Urgent,
    Justice,
}

/// A member of a module.
#[derive(Clone, Debug)]
pub(super) enum Member {
    Variable {
        role: Role,
        name: ExprId,
        of: Type,
    },
    Define {
        name: ExprId,
        value: ExprId,
    },
    Constants(Vec<ExprId>),
    Assign {
        time: Time,
        target: ExprId,
        value: ExprId,
    },
    Constrain(Constraint, ExprId),
    Compassion(ExprId, ExprId),
    Spec {
        is_ltl: bool,
        name: Option<(Box<str>, Span)>,
        formula: ExprId,
        span: Span,
        /// `IN instance`.
        place: Option<ExprId>,
    },
    Isa(NameId, Span),
}

/// A module.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub name: NameId,
    pub span: Span,
    pub parameters: Vec<(NameId, Span)>,
    pub members: Vec<Member>,
}

/// A file.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub names: Interner<NameId, Box<str>>,
    pub nodes: IdVec<ExprId, Node>,
    pub spans: IdVec<ExprId, Span>,
    pub modules: Vec<Module>,
    /// Whether time passes between steps (`@TIME_DOMAIN continuous`).
    pub timed: Option<Span>,
}

impl Tree {
    /// Adds an expression.
    pub fn add(&mut self, node: Node, span: Span) -> ExprId {
        self.spans.push(span);
        self.nodes.push(node)
    }

    /// In timed models of others a clock is also a `Clock`, where no module is called so.
    pub fn spell_clocks(&mut self) {
        let clock = self.names.intern("Clock".into());
        if self.timed.is_none() || self.modules.iter().any(|module| module.name == clock) {
            return;
        }
        for member in self
            .modules
            .iter_mut()
            .flat_map(|module| &mut module.members)
        {
            if let Member::Variable { of, .. } = member
                && matches!(of, Type::Module { name, arguments, process: false } if *name == clock && arguments.is_empty())
            {
                *of = Type::Clock;
            }
        }
    }

    /// The text of a name.
    pub fn text(&self, name: NameId) -> &str {
        &self.names[name]
    }
}

impl Tree {
    /// The text of a name with dots and constant indices, as it is declared.
    pub fn path(&self, id: ExprId) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = id;
        loop {
            match &self.nodes[at] {
                Node::Name(name) => {
                    parts.push(self.text(*name).to_owned());
                    break;
                }
                Node::Dot(of, name) => {
                    parts.push(format!(".{}", self.text(*name)));
                    at = *of;
                }
                Node::Index(of, index) => {
                    parts.push(format!("[{}]", self.constant_index(*index)?));
                    at = *of;
                }
                _ => return None,
            }
        }
        parts.reverse();
        Some(parts.concat())
    }

    /// An index that is a number.
    pub fn constant_index(&self, index: ExprId) -> Option<Int> {
        match &self.nodes[index] {
            Node::Int(int) => Some(int.clone()),
            Node::Unary(Unary::Minus, inner) => match &self.nodes[*inner] {
                Node::Int(int) => Some(-int),
                _ => None,
            },
            _ => None,
        }
    }
}
