//! What an expression of SMV is worth: a term, a set of terms, an array of values, or an instance.
//!
//! A value carries the condition under which it is undefined (division by zero, no case that fits, an index out of bounds). It
//! is false almost always; guards weaken it on the way up, and what is left at the top must be impossible.

use super::flat::{Domain, Flat, InstId, Sound};
use lariat_base::{FxHashMap, Id as _, Span, id_type};
use lariat_expr::{Head, Int, Op, SortId, TermId, Value as Literal};
use std::rc::Rc;

id_type!(
    /// A set expression.
    pub(super) struct PickId, "p"
);

/// The instance of a variable that no model has.
const WARNED: u32 = u32::MAX - 5;

/// Variables with more numbers are no values of an enumeration with symbols.
const MAX_NUMBERS: i64 = 256;

/// The classes of types: what may be compared.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Ty {
    Bool,
    Int,
    Real,
    /// Symbolic values, and enumerations that mix them with numbers. The sort of the term tells which.
    Symbol,
    Word {
        signed: bool,
        width: u32,
    },
    /// An array over words or integers: index and element.
    Map(Box<(Ty, Ty)>),
}

impl Ty {
    /// As a message calls it.
    pub fn describe(&self) -> String {
        match self {
            Self::Bool => "a boolean".into(),
            Self::Int => "an integer".into(),
            Self::Real => "a real".into(),
            Self::Symbol => "a symbolic value".into(),
            Self::Word { signed, width } => {
                let sign = if *signed { "a signed" } else { "an unsigned" };
                format!("{sign} word of {width} bits")
            }
            Self::Map(_) => "an array".into(),
        }
    }
}

/// A value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub data: Data,
    /// When it has none.
    pub undefined: TermId,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Data {
    Term(Ty, TermId),
    Set(Ty, PickId),
    /// The index of the first element, and the elements.
    Array(i64, Vec<Rc<Value>>),
    Instance(InstId),
}

/// A set: what may be chosen.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Pick {
    One(TermId),
    Range(Int, Int),
    Any(Vec<PickId>),
    If(TermId, PickId, PickId),
}

impl Flat<'_> {
    /// The values that hold for truth and numbers: defined everywhere.
    pub fn defined(&self, ty: Ty, term: TermId) -> Value {
        Value {
            data: Data::Term(ty, term),
            undefined: self.cx.terms.false_(),
        }
    }

    /// A condition under which an operation on words has the value that SMT-LIB gives it: the model is warned of it, not refused.
    pub fn only_warned(&mut self, condition: TermId) -> TermId {
        let warned = self.warned();
        self.cx.terms.and(&[warned, condition])
    }

    /// Stands in conditions beside what is only warned of.
    pub fn warned(&mut self) -> TermId {
        let bool_ = self.cx.terms.sorts.bool();
        let warned = self.cx.terms.declare_instance("warned()", bool_, WARNED);
        self.cx.terms.var(warned)
    }

    /// The single term of a value.
    pub fn term(&mut self, value: &Value, span: Span) -> Sound<(Ty, TermId)> {
        match &value.data {
            Data::Term(ty, term) => Ok((ty.clone(), *term)),
            Data::Set(ty, pick) => match self.picks[*pick] {
                Pick::One(term) => Ok((ty.clone(), term)),
                _ => {
                    let message = "a set of values cannot stand here";
                    let finding = lariat_base::Diagnostic::error("set-as-value", message).at(span);
                    Err(self.report(finding.hint("compare with `in`: `x in {1, 2}`")))
                }
            },
            Data::Array(..) => {
                Err(self.error("array-as-value", span, "an array cannot stand here"))
            }
            Data::Instance(_) => Err(self.error(
                "instance-as-value",
                span,
                "an instance of a module is no value",
            )),
        }
    }

    /// A truth value; 0 and 1 are such, too.
    pub fn truth(&mut self, value: &Value, span: Span) -> Sound<TermId> {
        let (ty, term) = self.term(value, span)?;
        self.as_type(term, &ty, &Ty::Bool, span)
    }

    /// A term as one of another type, where that needs no word.
    pub fn as_type(&mut self, term: TermId, from: &Ty, to: &Ty, span: Span) -> Sound<TermId> {
        if from == to {
            return Ok(term);
        }
        let converted = match (from, to) {
            (Ty::Int, Ty::Bool) => self.old_truth(term, span),
            (Ty::Int, Ty::Real) => Some(self.build(Op::ToRat, &[term])),
            (Ty::Int, Ty::Symbol) => self.number_as_symbol(term),
            _ => None,
        };
        converted.ok_or_else(|| {
            let message = format!("this is {}, not {}", from.describe(), to.describe());
            self.error("type-mismatch", span, message)
        })
    }

    /// 0 or 1 as a truth value, as files before `NuSMV` 2.5 have it.
    fn old_truth(&mut self, term: TermId, span: Span) -> Option<TermId> {
        let truth = self.map_cases(term, |flat, case| match flat.cx.terms.as_lit(case) {
            Some(Literal::Int(int)) => match int.to_i64()? {
                0 => Some(flat.cx.terms.false_()),
                1 => Some(flat.cx.terms.true_()),
                _ => None,
            },
            _ => None,
        })?;
        self.old_dialect.get_or_insert(span);
        Some(truth)
    }

    /// A number as a value of enumerations that have numbers and symbols: a constant, or a variable of few values.
    fn number_as_symbol(&mut self, term: TermId) -> Option<TermId> {
        self.map_cases(term, |flat, case| {
            if let Some(Literal::Int(int)) = flat.cx.terms.as_lit(case) {
                return flat.symbol_value(&int.to_string());
            }
            let slot = *flat.slot_of.get(&flat.cx.terms.as_var(case)?)?;
            let values: Vec<Int> = match &flat.variables[slot].domain {
                Domain::OneOf(values) => values.clone(),
                Domain::Range(low, high) => {
                    let (low, high) = (low.to_i64()?, high.to_i64()?);
                    let few = high.checked_sub(low)? < MAX_NUMBERS;
                    few.then(|| (low..=high).map(Int::from).collect())?
                }
                Domain::All => return None,
            };
            let mut all = None;
            for value in values {
                let symbol = flat.symbol_value(&value.to_string())?;
                let value = flat.cx.terms.int(value);
                let is_value = flat.cx.terms.eq(case, value);
                all = Some(match all {
                    Some(others) => flat.cx.terms.ite(is_value, symbol, others),
                    None => symbol,
                });
            }
            all
        })
    }

    /// A term with each case of its conditionals converted; nothing if one cannot be.
    fn map_cases(
        &mut self,
        term: TermId,
        mut convert: impl FnMut(&mut Self, TermId) -> Option<TermId>,
    ) -> Option<TermId> {
        let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut todo = vec![term];
        while let Some(&at) = todo.last() {
            if done.contains_key(&at) {
                todo.pop();
                continue;
            }
            let converted = match self.cx.terms.as_op(at, Op::Ite) {
                Some(&[condition, then, otherwise]) => {
                    match (done.get(&then).copied(), done.get(&otherwise).copied()) {
                        (Some(a), Some(b)) => self.cx.terms.ite(condition, a, b),
                        _ => {
                            todo.extend([then, otherwise]);
                            continue;
                        }
                    }
                }
                _ => convert(self, at)?,
            };
            done.insert(at, converted);
        }
        Some(done[&term])
    }

    /// A term that is well-sorted by construction.
    pub fn build(&mut self, op: Op, args: &[TermId]) -> TermId {
        let built = self.cx.terms.build(op, args);
        built.unwrap_or_else(|error| panic!("types are checked before terms are built: {error}"))
    }

    /// The type that values of both types have.
    pub fn common_type(&mut self, left: &Ty, right: &Ty, span: Span) -> Sound<Ty> {
        Ok(match (left, right) {
            _ if left == right => left.clone(),
            (Ty::Int, Ty::Real) | (Ty::Real, Ty::Int) => Ty::Real,
            // A number is 0 or 1, or a value of a mixed enumeration: conversion will tell.
            (Ty::Int, Ty::Bool) | (Ty::Bool, Ty::Int) => Ty::Bool,
            (Ty::Int, Ty::Symbol) | (Ty::Symbol, Ty::Int) => Ty::Symbol,
            _ => {
                let message = format!(
                    "{} and {} do not go together",
                    left.describe(),
                    right.describe()
                );
                return Err(self.error("type-mismatch", span, message));
            }
        })
    }

    /// Two symbolic terms in one sort.
    pub fn same_sort(&mut self, left: TermId, right: TermId) -> (TermId, TermId) {
        let (a, b) = (self.cx.terms.sort(left), self.cx.terms.sort(right));
        if a == b {
            return (left, right);
        }
        let no = self.cx.terms.false_();
        if self.cx.terms.as_lit(right).is_some() {
            let (converted, outside) = self.convert(right, a);
            if outside == no {
                return (left, converted);
            }
        }
        if self.cx.terms.as_lit(left).is_some() {
            let (converted, outside) = self.convert(left, b);
            if outside == no {
                return (converted, right);
            }
        }
        let all = self.symbols_sort.expect("symbolic terms have symbols");
        (self.convert(left, all).0, self.convert(right, all).0)
    }

    /// A symbolic term as one of another enumeration, and when it is no value of that.
    pub fn convert(&mut self, term: TermId, to: SortId) -> (TermId, TermId) {
        let mut done: FxHashMap<TermId, (TermId, TermId)> = FxHashMap::default();
        let mut todo = vec![term];
        while let Some(&at) = todo.last() {
            if done.contains_key(&at) {
                todo.pop();
                continue;
            }
            if self.cx.terms.sort(at) != to
                && let Some(&[condition, then, otherwise]) = self.cx.terms.as_op(at, Op::Ite)
            {
                match (done.get(&then).copied(), done.get(&otherwise).copied()) {
                    (Some(a), Some(b)) => {
                        let value = self.cx.terms.ite(condition, a.0, b.0);
                        let outside = self.cx.terms.ite(condition, a.1, b.1);
                        done.insert(at, (value, outside));
                    }
                    _ => todo.extend([then, otherwise]),
                }
                continue;
            }
            let leaf = self.convert_leaf(at, to);
            done.insert(at, leaf);
        }
        done[&term]
    }

    fn convert_leaf(&mut self, term: TermId, to: SortId) -> (TermId, TermId) {
        let from = self.cx.terms.sort(term);
        let (yes, no) = (self.cx.terms.true_(), self.cx.terms.false_());
        if from == to {
            return (term, no);
        }
        let sorts = &self.cx.terms.sorts;
        let known = sorts
            .as_enum(from)
            .expect("symbolic terms are enumerations")
            .clone();
        let target = sorts
            .as_enum(to)
            .expect("symbolic terms are enumerations")
            .clone();
        if let Head::Lit(Literal::Enum(position)) = self.cx.terms.head(term) {
            let found = target.position(&known.literals[*position as usize]);
            let outside = if found.is_some() { no } else { yes };
            return (
                self.cx.terms.lit(Literal::Enum(found.unwrap_or(0)), to),
                outside,
            );
        }
        let mut value = self.cx.terms.lit(Literal::Enum(0), to);
        let mut outside = no;
        for (position, literal) in known.literals.iter().enumerate() {
            let own = self.cx.terms.lit(Literal::Enum(position as u32), from);
            let is_own = self.cx.terms.eq(term, own);
            match target.position(literal) {
                Some(at) => {
                    let other = self.cx.terms.lit(Literal::Enum(at), to);
                    value = self.cx.terms.ite(is_own, other, value);
                }
                None => outside = self.cx.terms.or(&[outside, is_own]),
            }
        }
        (value, outside)
    }

    /// Adds a set.
    pub fn pick(&mut self, pick: Pick) -> PickId {
        self.picks.push(pick)
    }

    /// A value as a set.
    pub fn as_set(&mut self, value: &Value, span: Span) -> Sound<(Ty, PickId)> {
        if let Data::Set(ty, pick) = &value.data {
            return Ok((ty.clone(), *pick));
        }
        let (ty, term) = self.term(value, span)?;
        Ok((ty, self.pick(Pick::One(term))))
    }

    /// The sets inside of a set and itself, inner ones first.
    pub fn inner_picks(&self, root: PickId) -> Vec<PickId> {
        let mut seen = lariat_base::FxHashSet::default();
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                match &self.picks[at] {
                    Pick::Any(parts) => todo.extend(parts),
                    Pick::If(_, then, otherwise) => todo.extend([*then, *otherwise]),
                    Pick::One(_) | Pick::Range(..) => {}
                }
            }
        }
        let mut order: Vec<PickId> = seen.into_iter().collect();
        order.sort_unstable_by_key(|pick| pick.index());
        order
    }

    /// Folds a set: a term for each single value or range, joined by `any` where one may be chosen.
    pub fn fold_pick(
        &mut self,
        root: PickId,
        mut leaf: impl FnMut(&mut Self, &Pick) -> Sound<TermId>,
        any: Op,
    ) -> Sound<TermId> {
        let mut done: FxHashMap<PickId, TermId> = FxHashMap::default();
        for at in self.inner_picks(root) {
            let term = match self.picks[at].clone() {
                Pick::Any(parts) => {
                    let parts: Vec<TermId> = parts.iter().map(|part| done[part]).collect();
                    self.build(any, &parts)
                }
                Pick::If(condition, then, otherwise) => {
                    self.cx.terms.ite(condition, done[&then], done[&otherwise])
                }
                single => leaf(self, &single)?,
            };
            done.insert(at, term);
        }
        Ok(done[&root])
    }

    /// A set with every single value replaced.
    pub fn map_pick(
        &mut self,
        root: PickId,
        mut map: impl FnMut(&mut Self, TermId) -> Sound<TermId>,
    ) -> Sound<PickId> {
        let mut done: FxHashMap<PickId, PickId> = FxHashMap::default();
        for at in self.inner_picks(root) {
            let new = match self.picks[at].clone() {
                Pick::One(term) => Pick::One(map(self, term)?),
                Pick::Any(parts) => Pick::Any(parts.iter().map(|part| done[part]).collect()),
                Pick::If(condition, then, otherwise) => {
                    Pick::If(condition, done[&then], done[&otherwise])
                }
                range @ Pick::Range(..) => range,
            };
            let new = self.pick(new);
            done.insert(at, new);
        }
        Ok(done[&root])
    }

    /// That a number lies between two.
    pub fn between(&mut self, term: TermId, low: &Int, high: &Int) -> TermId {
        let terms = &mut self.cx.terms;
        let (low, high) = (terms.int(low.clone()), terms.int(high.clone()));
        let (above, below) = (terms.le(low, term), terms.le(term, high));
        terms.and(&[above, below])
    }
}
