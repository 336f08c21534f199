//! Types, values and what holds values. Records are taken apart: each field is a variable of its own.

use super::lower::Lower;
use super::parse::{Parse, unsupported};
use super::tree::{Expr, Type, TypeKind};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{ArrayValue, Int, Op, Rat, SortId, TermId, Value, VarId};
use lariat_system::Stmt;
use std::sync::Arc;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    Void,
    Bool,
    Int,
    /// Integers within bounds.
    Range(Int, Int),
    Rat,
    Enum(SortId),
    Record(Vec<(Box<str>, Ty)>),
    Array(SortId, Box<Ty>),
}

/// A value: one term, or a value for each field.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Term(TermId),
    Record(Vec<(Box<str>, Val)>),
}

/// What holds a value.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Var(VarId, Ty),
    Record(Vec<(Box<str>, Slot)>),
}

impl Slot {
    /// Its variables, in order.
    pub fn vars(&self) -> Vec<(VarId, &Ty)> {
        let (mut all, mut todo) = (Vec::new(), vec![self]);
        while let Some(slot) = todo.pop() {
            match slot {
                Slot::Var(var, ty) => all.push((*var, ty)),
                Slot::Record(fields) => todo.extend(fields.iter().rev().map(|(_, slot)| slot)),
            }
        }
        all
    }
}

pub(super) fn mismatch(message: impl Into<String>, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("type-mismatch", message).at(span))
}

impl Lower<'_> {
    pub fn ty(&mut self, file: usize, ty: &Type) -> Parse<Ty> {
        self.type_inside(file, ty, &mut Vec::new())
    }

    fn type_inside(&mut self, file: usize, ty: &Type, inside: &mut Vec<Box<str>>) -> Parse<Ty> {
        Ok(match &ty.kind {
            TypeKind::Void => Ty::Void,
            TypeKind::Bool => Ty::Bool,
            TypeKind::Int => Ty::Int,
            TypeKind::Rat => Ty::Rat,
            TypeKind::Named(name) => {
                let Some((at, decl)) = self.project.type_named(file, name) else {
                    let message = format!("there is no type `{name}`");
                    return Err(Box::new(
                        Diagnostic::error("unknown-type", message).at(ty.span),
                    ));
                };
                if inside.contains(name) {
                    let message = format!("the type `{name}` contains itself");
                    return Err(Box::new(
                        Diagnostic::error("recursion", message).at(ty.span),
                    ));
                }
                if let TypeKind::Enum(literals) = &decl.ty.kind {
                    return Ok(Ty::Enum(self.enumeration(at, name, literals)));
                }
                inside.push(name.clone());
                let found = self.type_inside(at, &decl.ty, inside)?;
                inside.pop();
                found
            }
            TypeKind::Enum(literals) => {
                let name = format!("enum@{}", ty.span.start);
                Ty::Enum(self.enumeration(file, &name, literals))
            }
            TypeKind::Record(fields) => {
                let mut all = Vec::new();
                for field in fields {
                    let inner = self.type_inside(file, &field.ty, inside)?;
                    all.push((field.name.text.clone(), inner));
                }
                Ty::Record(all)
            }
            TypeKind::Array(element) => {
                let element = self.type_inside(file, element, inside)?;
                if matches!(element, Ty::Record(_) | Ty::Array(..)) {
                    let what = "an array of records or of arrays";
                    return Err(unsupported(what, ty.span));
                }
                let sort = self.sort(&element);
                let int = self.cx.terms.sorts.int();
                Ty::Array(self.cx.terms.sorts.array(int, sort), Box::new(element))
            }
            TypeKind::Range(low, high) => {
                let (low, high) = (
                    self.constant_int(file, low)?,
                    self.constant_int(file, high)?,
                );
                if low > high {
                    let message = "the range is empty";
                    return Err(Box::new(
                        Diagnostic::error("empty-range", message).at(ty.span),
                    ));
                }
                Ty::Range(low, high)
            }
        })
    }

    fn enumeration(&mut self, file: usize, name: &str, literals: &[super::tree::Name]) -> SortId {
        let texts: Vec<Box<str>> = literals
            .iter()
            .map(|literal| literal.text.clone())
            .collect();
        // Enumerations of one name and different literals are different types of different packages.
        let taken = self.enums.iter().find(|(known, _, _)| *known == name);
        let full = match taken {
            Some((_, known, sort)) if *known == texts => return *sort,
            Some(_) => format!("{name}@{file}"),
            None => name.to_owned(),
        };
        let sort = self
            .cx
            .terms
            .sorts
            .enumeration(&full, texts.iter().cloned());
        self.enums.push((full, texts, sort));
        sort
    }

    /// An integer that is known when the model is read.
    pub fn constant_int(&mut self, file: usize, expr: &Expr) -> Parse<Int> {
        let before = std::mem::replace(&mut self.file, file);
        let value = self.value(expr);
        self.file = before;
        if let Val::Term(term) = value?.0
            && let Some(Value::Int(int)) = self.cx.terms.as_lit(term)
        {
            return Ok(int.clone());
        }
        let message = "this must be an integer that is known when the model is read";
        Err(Box::new(
            Diagnostic::error("not-constant", message).at(expr.span),
        ))
    }

    pub fn sort(&self, ty: &Ty) -> SortId {
        let sorts = &self.cx.terms.sorts;
        match ty {
            Ty::Void | Ty::Bool | Ty::Record(_) => sorts.bool(),
            Ty::Int | Ty::Range(..) => sorts.int(),
            Ty::Rat => sorts.rat(),
            Ty::Enum(sort) | Ty::Array(sort, _) => *sort,
        }
    }

    /// What a variable holds that is given no value: zero, false, the first literal; the least value of a range without zero.
    pub fn default_value(&mut self, ty: &Ty) -> Val {
        let sort = self.sort(ty);
        let value = match ty {
            Ty::Record(fields) => {
                let fields = fields.iter();
                let fields = fields.map(|(name, ty)| (name.clone(), self.default_value(ty)));
                return Val::Record(fields.collect());
            }
            _ => default_scalar(ty),
        };
        Val::Term(self.cx.terms.lit(value, sort))
    }

    /// What a slot holds.
    pub fn read(&mut self, slot: &Slot) -> (Val, Ty) {
        match slot {
            Slot::Var(var, ty) => (Val::Term(self.cx.terms.var(*var)), ty.clone()),
            Slot::Record(fields) => {
                let (mut values, mut types) = (Vec::new(), Vec::new());
                for (name, slot) in fields {
                    let (value, ty) = self.read(slot);
                    values.push((name.clone(), value));
                    types.push((name.clone(), ty));
                }
                (Val::Record(values), Ty::Record(types))
            }
        }
    }

    /// The statements that put a value into a slot.
    pub fn write(
        &mut self,
        slot: &Slot,
        value: &Val,
        out: &mut Vec<lariat_system::StmtId>,
        span: Option<Span>,
    ) {
        match (slot, value) {
            (Slot::Var(var, _), Val::Term(term)) => {
                out.push(self.cx.stmts.add(Stmt::Assign(*var, *term), span));
            }
            (Slot::Record(slots), Val::Record(values)) => {
                for ((_, slot), (_, value)) in slots.iter().zip(values) {
                    self.write(slot, value, out, span);
                }
            }
            _ => unreachable!("values fit what they are put into"),
        }
    }

    /// A value as one of another type: integers are rationals, too.
    pub fn fit(&mut self, (value, from): (Val, Ty), to: &Ty, span: Span) -> Parse<Val> {
        match (&from, to, &value) {
            (Ty::Int | Ty::Range(..), Ty::Rat, Val::Term(term)) => {
                let term = self
                    .cx
                    .terms
                    .build(Op::ToRat, &[*term])
                    .expect("an integer");
                Ok(Val::Term(term))
            }
            (Ty::Int | Ty::Range(..), Ty::Int | Ty::Range(..), _)
            | (Ty::Bool, Ty::Bool, _)
            | (Ty::Rat, Ty::Rat, _) => Ok(value),
            (Ty::Enum(from), Ty::Enum(to), _) | (Ty::Array(from, _), Ty::Array(to, _), _)
                if from == to =>
            {
                Ok(value)
            }
            (Ty::Record(from), Ty::Record(to), Val::Record(values)) => {
                let mut all = Vec::new();
                for (name, ty) in to {
                    let at = from.iter().position(|(known, _)| known == name);
                    let Some(at) = at else {
                        let message = format!("the record has no field `{name}`");
                        return Err(mismatch(message, span));
                    };
                    let inner = (values[at].1.clone(), from[at].1.clone());
                    all.push((name.clone(), self.fit(inner, ty, span)?));
                }
                Ok(Val::Record(all))
            }
            _ => {
                let message = format!(
                    "{} stands where {} should be",
                    self.describe(&from),
                    self.describe(to)
                );
                Err(mismatch(message, span))
            }
        }
    }

    pub fn describe(&self, ty: &Ty) -> String {
        match ty {
            Ty::Void => "nothing".into(),
            Ty::Bool => "a truth value".into(),
            Ty::Int | Ty::Range(..) => "an integer".into(),
            Ty::Rat => "a rational".into(),
            Ty::Enum(sort) => format!("a value of `{}`", self.cx.terms.sorts.name(*sort)),
            Ty::Record(_) => "a record".into(),
            Ty::Array(..) => "an array".into(),
        }
    }
}

/// What a variable of a type that is no record holds if nothing is said.
fn default_scalar(ty: &Ty) -> Value {
    let zero = Int::from(0);
    match ty {
        Ty::Void | Ty::Bool | Ty::Record(_) => Value::Bool(false),
        Ty::Int => Value::Int(zero),
        Ty::Range(low, high) => {
            let fits = *low <= zero && zero <= *high;
            Value::Int(if fits { zero } else { low.clone() })
        }
        Ty::Rat => Value::Rat(Rat::from(zero)),
        Ty::Enum(_) => Value::Enum(0),
        Ty::Array(_, element) => {
            Value::Array(Arc::new(ArrayValue::constant(default_scalar(element))))
        }
    }
}
