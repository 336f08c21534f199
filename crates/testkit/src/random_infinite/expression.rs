//! Expressions of random infinite models, and how each language spells them. All brackets are written: what binds how is
//! not what is tested here.

use lariat_system::Language;
use std::ops::{Add, Mul, Sub};

/// An expression over the variables of a [`Machine`](super::machine::Machine), by their numbers.
#[derive(Clone, Debug)]
pub enum Expr {
    Var(usize),
    Int(i64),
    /// A rational number: numerator and denominator.
    Ratio(i64, i64),
    Arith(Arith, Box<Expr>, Box<Expr>),
    Compare(Relation, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
}

#[derive(Clone, Copy, Debug)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    Lt,
    Le,
    Eq,
    Ne,
}

impl From<i64> for Expr {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

macro_rules! operator {
    ($name:ident, $method:ident) => {
        impl<E: Into<Expr>> $name<E> for Expr {
            type Output = Expr;

            fn $method(self, other: E) -> Expr {
                Expr::arith(Arith::$name, self, other.into())
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl Expr {
    fn arith(op: Arith, left: Self, right: Self) -> Self {
        Self::Arith(op, Box::new(left), Box::new(right))
    }

    fn compare(relation: Relation, left: Self, right: Self) -> Self {
        Self::Compare(relation, Box::new(left), Box::new(right))
    }

    pub fn div(self, other: i64) -> Self {
        Self::arith(Arith::Div, self, other.into())
    }

    pub fn modulo(self, other: i64) -> Self {
        Self::arith(Arith::Mod, self, other.into())
    }

    pub fn lt(self, other: impl Into<Self>) -> Self {
        Self::compare(Relation::Lt, self, other.into())
    }

    pub fn le(self, other: impl Into<Self>) -> Self {
        Self::compare(Relation::Le, self, other.into())
    }

    pub fn gt(self, other: impl Into<Self>) -> Self {
        other.into().lt(self)
    }

    pub fn ge(self, other: impl Into<Self>) -> Self {
        other.into().le(self)
    }

    pub fn equals(self, other: impl Into<Self>) -> Self {
        Self::compare(Relation::Eq, self, other.into())
    }

    pub fn differs(self, other: impl Into<Self>) -> Self {
        Self::compare(Relation::Ne, self, other.into())
    }

    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Whether it reads a variable.
    pub fn reads(&self, var: usize) -> bool {
        match self {
            Self::Var(own) => *own == var,
            Self::Int(_) | Self::Ratio(..) => false,
            Self::Arith(_, left, right) | Self::Compare(_, left, right) => {
                left.reads(var) || right.reads(var)
            }
            Self::Not(inner) => inner.reads(var),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(|part| part.reads(var)),
        }
    }

    /// Its text in a language, with these names of variables.
    pub fn text(&self, language: Language, names: &[String]) -> String {
        let text = |inner: &Self| inner.text(language, names);
        let list = |parts: &[Self], word: &str, none: &str| match parts {
            [] => none.to_owned(),
            parts => {
                let parts: Vec<String> = parts.iter().map(text).collect();
                format!("({})", parts.join(&format!(" {word} ")))
            }
        };
        let words = Words::of(language);
        match self {
            Self::Var(var) => names[*var].clone(),
            Self::Int(number) if *number < 0 => format!("({number})"),
            Self::Int(number) => number.to_string(),
            Self::Ratio(above, below) if language == Language::Smv => {
                format!("({above}.0 / {below}.0)")
            }
            Self::Ratio(above, below) => format!("({above}%{below})"),
            Self::Arith(op, left, right) => {
                let op = match op {
                    Arith::Add => "+",
                    Arith::Sub => "-",
                    Arith::Mul => "*",
                    Arith::Div => words.div,
                    Arith::Mod => words.modulo,
                };
                format!("({} {op} {})", text(left), text(right))
            }
            Self::Compare(relation, left, right) => {
                let relation = match relation {
                    Relation::Lt => "<",
                    Relation::Le => "<=",
                    Relation::Eq => words.equals,
                    Relation::Ne => words.differs,
                };
                format!("({} {relation} {})", text(left), text(right))
            }
            Self::Not(inner) => format!("({} {})", words.not, text(inner)),
            Self::And(parts) => list(parts, words.and, words.yes),
            Self::Or(parts) => list(parts, words.or, words.no),
        }
    }
}

/// What languages spell differently.
struct Words {
    and: &'static str,
    or: &'static str,
    not: &'static str,
    equals: &'static str,
    differs: &'static str,
    div: &'static str,
    modulo: &'static str,
    yes: &'static str,
    no: &'static str,
}

impl Words {
    fn of(language: Language) -> Self {
        let of_c = Self {
            and: "&&",
            or: "||",
            not: "!",
            equals: "==",
            differs: "!=",
            div: "/",
            modulo: "%",
            yes: "1",
            no: "0",
        };
        match language {
            Language::C => of_c,
            Language::Xsts => Self {
                yes: "true",
                no: "false",
                ..of_c
            },
            Language::Smv => Self {
                and: "&",
                or: "|",
                equals: "=",
                modulo: "mod",
                yes: "TRUE",
                no: "FALSE",
                ..of_c
            },
            _ => Self {
                and: "and",
                or: "or",
                not: "not",
                equals: "=",
                differs: "/=",
                div: "div",
                modulo: "mod",
                yes: "true",
                no: "false",
            },
        }
    }
}
