//! The syntax tree of C, in arenas: ids are small, a child is older than its parent, and dropping a
//! tree never recurses.

use crate::c::syntax::token::Sym;
use crate::c::types::{IntTy, Ty};
use lariat_base::Diagnostic;

/// A place in the source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) struct Pos {
    pub start: u32,
    pub end: u32,
}

/// An expression of the [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::c) struct E(pub u32);

/// A statement of the [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::c) struct S(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::c) enum Unary {
    Plus,
    Neg,
    BitNot,
    Not,
    Deref,
    Address,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::c) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Binary {
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge
        )
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::c) enum Expr {
    Int(i128, IntTy),
    Float,
    /// The bytes of a string literal.
    Str(Box<[u8]>),
    Name(Sym),
    Unary(Unary, E),
    Binary(Binary, E, E),
    LogicalAnd(E, E),
    LogicalOr(E, E),
    /// `a = b`, `a += b` …
    Assign(Option<Binary>, E, E),
    /// By one up or down; whether the value is the one from before.
    Step {
        place: E,
        up: bool,
        post: bool,
    },
    /// Without a middle: GNU's `a ?: b`.
    Conditional(E, Option<E>, E),
    Comma(E, E),
    Call(E, Box<[E]>),
    Index(E, E),
    Member(E, Sym),
    Cast(Ty, E),
    SizeofValue(E),
    SizeofType(Ty),
    /// GNU's `({ … })`.
    Block(S),
    /// Something that we have no meaning for.
    Unsupported(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum Storage {
    Plain,
    Static,
    Extern,
}

#[derive(Clone, Debug)]
pub(in crate::c) struct Declaration {
    pub name: Sym,
    pub ty: Ty,
    pub storage: Storage,
    pub init: Option<Init>,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub(in crate::c) enum Init {
    Expr(E),
    List(Vec<(Vec<Designator>, Init)>, Pos),
}

#[derive(Clone, Debug)]
pub(in crate::c) enum Designator {
    Field(Sym),
    At(E),
}

#[derive(Clone, Debug)]
pub(in crate::c) enum Stmt {
    Empty,
    Expr(E),
    Declare(Vec<Declaration>),
    Block(Vec<S>),
    /// Statements that share the scope around them.
    Group(Vec<S>),
    /// `if … else if … else …`.
    If(Vec<(E, S)>, Option<S>),
    While(E, S),
    DoWhile(S, E),
    For(Option<S>, Option<E>, Option<E>, S),
    Switch(E, S),
    Case(E),
    Default,
    Label(Sym),
    Goto(Sym),
    Break,
    Continue,
    Return(Option<E>),
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub(in crate::c) enum Body {
    Missing,
    Present(S),
    /// It could not be read: an error if it is called.
    Broken(Box<Diagnostic>),
}

#[derive(Clone, Debug)]
pub(in crate::c) struct Param {
    pub name: Option<Sym>,
    pub ty: Ty,
    pub pos: Pos,
}

#[derive(Clone, Debug)]
pub(in crate::c) struct Function {
    pub name: Sym,
    pub result: Ty,
    pub params: Vec<Param>,
    pub body: Body,
    pub pos: Pos,
    pub is_inline: bool,
    /// Whether a declaration says `extern`.
    pub is_extern: bool,
}

#[derive(Debug, Default)]
pub(in crate::c) struct Ast {
    exprs: Vec<(Expr, Pos)>,
    stmts: Vec<(Stmt, Pos)>,
    pub globals: Vec<Declaration>,
    pub functions: Vec<Function>,
    /// Whether `volatile` is part of a type.
    pub has_volatile: bool,
}

impl Ast {
    pub fn add(&mut self, expr: Expr, pos: Pos) -> E {
        self.exprs.push((expr, pos));
        E(self.exprs.len() as u32 - 1)
    }

    pub fn add_stmt(&mut self, stmt: Stmt, pos: Pos) -> S {
        self.stmts.push((stmt, pos));
        S(self.stmts.len() as u32 - 1)
    }

    pub fn expr(&self, e: E) -> &Expr {
        &self.exprs[e.0 as usize].0
    }

    pub fn pos(&self, e: E) -> Pos {
        self.exprs[e.0 as usize].1
    }

    pub fn stmt(&self, s: S) -> &Stmt {
        &self.stmts[s.0 as usize].0
    }

    pub fn stmt_pos(&self, s: S) -> Pos {
        self.stmts[s.0 as usize].1
    }

    /// Changes the names and the types of all that is declared or used.
    pub fn rename(&mut self, name: impl Fn(Sym) -> Sym, ty: impl Fn(Ty) -> Ty) {
        let declaration = |declaration: &mut Declaration| {
            declaration.name = name(declaration.name);
            declaration.ty = ty(declaration.ty);
        };
        for (expr, _) in &mut self.exprs {
            match expr {
                Expr::Name(own) => *own = name(*own),
                Expr::Cast(own, _) | Expr::SizeofType(own) => *own = ty(*own),
                _ => {}
            }
        }
        for (stmt, _) in &mut self.stmts {
            if let Stmt::Declare(list) = stmt {
                list.iter_mut().for_each(declaration);
            }
        }
        self.globals.iter_mut().for_each(declaration);
        for function in &mut self.functions {
            function.name = name(function.name);
            function.result = ty(function.result);
            for param in &mut function.params {
                param.ty = ty(param.ty);
            }
        }
    }

    pub fn n_stmts(&self) -> usize {
        self.stmts.len()
    }

    pub fn n_exprs(&self) -> usize {
        self.exprs.len()
    }

    /// Calls `visit` on the direct parts of an expression, in the order of evaluation.
    pub fn children(&self, e: E, mut visit: impl FnMut(E)) {
        match self.expr(e) {
            Expr::Unary(_, a) | Expr::Step { place: a, .. } | Expr::Cast(_, a) => visit(*a),
            Expr::Member(a, _) => visit(*a),
            Expr::Binary(_, a, b)
            | Expr::LogicalAnd(a, b)
            | Expr::LogicalOr(a, b)
            | Expr::Assign(_, a, b)
            | Expr::Comma(a, b)
            | Expr::Index(a, b) => {
                visit(*a);
                visit(*b);
            }
            Expr::Conditional(a, b, c) => {
                visit(*a);
                if let Some(b) = b {
                    visit(*b);
                }
                visit(*c);
            }
            Expr::Call(f, args) => {
                visit(*f);
                for &arg in args {
                    visit(arg);
                }
            }
            Expr::Int(..)
            | Expr::Float
            | Expr::Str(_)
            | Expr::Name(_)
            | Expr::SizeofValue(_)
            | Expr::SizeofType(_)
            | Expr::Block(_)
            | Expr::Unsupported(_) => {}
        }
    }
}
