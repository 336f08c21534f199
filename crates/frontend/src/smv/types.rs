//! Types of scalars: their class, their sort, and the values that they allow.

use super::flat::{Domain, Flat, InstId, Sound};
use super::lex::MAX_WIDTH;
use super::tree::{ExprId, Node, Type};
use super::value::Ty;
use crate::parser::shorten;
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, SortId};

impl Flat<'_> {
    /// The sort of an enumeration; sets of the same values are one sort.
    pub fn enumeration(&mut self, literals: Vec<Box<str>>) -> SortId {
        let mut sorted = literals.clone();
        sorted.sort_unstable();
        if let Some(&known) = self.sort_of_set.get(&sorted) {
            return known;
        }
        let name = format!("{{{}}}", literals.join(", "));
        let sort = self.cx.terms.sorts.enumeration(&name, literals);
        self.enum_sorts.push(sort);
        self.sort_of_set.insert(sorted, sort);
        sort
    }

    pub(super) fn scalar_type(
        &mut self,
        instance: InstId,
        of: &Type,
        span: Span,
    ) -> Sound<(Ty, SortId, Domain)> {
        let sorts = &self.cx.terms.sorts;
        Ok(match of {
            Type::Boolean => (Ty::Bool, sorts.bool(), Domain::All),
            Type::Integer => (Ty::Int, sorts.int(), Domain::All),
            Type::Real => (Ty::Real, sorts.rat(), Domain::All),
            Type::Clock => {
                if self.tree.timed.is_none() {
                    let message =
                        "a clock needs `@TIME_DOMAIN continuous` at the beginning of the file";
                    return Err(self.error("clock-without-time", span, message));
                }
                (Ty::Real, sorts.rat(), Domain::All)
            }
            Type::Range(low, high) => {
                let sort = sorts.int();
                let (low, high) = (
                    self.constant(instance, *low)?,
                    self.constant(instance, *high)?,
                );
                if low > high {
                    return Err(self.error(
                        "empty-range",
                        span,
                        format!("the range {low}..{high} is empty"),
                    ));
                }
                (Ty::Int, sort, Domain::Range(low, high))
            }
            Type::Word { signed, width } => {
                let width = self.constant(instance, *width)?;
                let small = width.to_i64().and_then(|width| u32::try_from(width).ok());
                let Some(width) = small.filter(|width| (1..=MAX_WIDTH).contains(width)) else {
                    return Err(self.error("bad-width", span, "a word has from 1 to 65535 bits"));
                };
                let ty = Ty::Word {
                    signed: *signed,
                    width,
                };
                (ty, self.cx.terms.sorts.bv(width), Domain::All)
            }
            Type::Enum(values) => self.enum_type(values, span)?,
            Type::Map { index, element } => {
                let (index_ty, index, index_domain) = self.scalar_type(instance, index, span)?;
                let (element_ty, element, domain) = self.scalar_type(instance, element, span)?;
                if index_domain != Domain::All || domain != Domain::All || element_ty == Ty::Symbol
                {
                    let message = "the elements of an array over words have a type without bounds";
                    return Err(self.error("bad-type", span, message));
                }
                let sort = self.cx.terms.sorts.array(index, element);
                (Ty::Map(Box::new((index_ty, element_ty))), sort, Domain::All)
            }
            Type::Array { .. } | Type::Module { .. } => {
                return Err(self.error("bad-type", span, "this type is not supported here"));
            }
        })
    }

    fn enum_type(&mut self, values: &[ExprId], span: Span) -> Sound<(Ty, SortId, Domain)> {
        let mut literals: Vec<Box<str>> = Vec::new();
        let mut ints: Vec<Int> = Vec::new();
        for &value in values {
            let at = self.tree.spans[value];
            let text = match (self.tree.path(value), self.tree.constant_index(value)) {
                (Some(path), _) => path,
                (None, Some(int)) => {
                    ints.push(int.clone());
                    int.to_string()
                }
                (None, None) => {
                    let finding = Diagnostic::error(
                        "bad-enumeration",
                        "a value of an enumeration is a name or a number",
                    );
                    let hint = matches!(self.tree.nodes[value], Node::Bool(_))
                        .then_some("`TRUE` and `FALSE` are the values of `boolean`");
                    return Err(self.report(finding.at(at).maybe_hint(hint)));
                }
            };
            if literals.iter().any(|known| **known == *text) {
                return Err(self.error(
                    "duplicate-name",
                    at,
                    format!("`{}` stands here twice", shorten(&text)),
                ));
            }
            literals.push(text.into());
        }
        if ints.len() == literals.len() {
            ints.sort_unstable();
            let (Some(low), Some(high)) = (ints.first().cloned(), ints.last().cloned()) else {
                return Err(self.error("bad-enumeration", span, "an enumeration has a value"));
            };
            let n_values = i64::try_from(ints.len()).expect("a file has few values");
            let is_whole = &high - &low == Int::from(n_values - 1);
            let domain = if is_whole {
                Domain::Range(low, high)
            } else {
                Domain::OneOf(ints)
            };
            return Ok((Ty::Int, self.cx.terms.sorts.int(), domain));
        }
        Ok((Ty::Symbol, self.enumeration(literals), Domain::All))
    }
}
