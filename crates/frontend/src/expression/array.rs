//! Arrays: literals, reads and writes.
//!
//! Many writes with constant indices and values make one array value at once, so that a table of ten
//! thousand entries is not copied ten thousand times.

use super::{Operand, What};
use crate::parser::{Parse, Parser};
use crate::token::Tok;
use lariat_base::Diagnostic;
use lariat_expr::{ArrayValue, Op, SortId, TermId, Value};
use std::sync::Arc;

impl Parser<'_> {
    /// `[k <- v, …, default <- d]` or `[<T>default <- d]`.
    pub(super) fn array_literal(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let start = self.token().start;
        self.advance();
        let hint = hint.and_then(|hint| self.cx.terms.sorts.as_array(hint));
        let (mut index_sort, element_hint) = (hint.map(|h| h.0), hint.map(|h| h.1));
        let mut entries: Vec<(Operand, Operand)> = Vec::new();
        while !matches!(self.tok(), Tok::Lt | Tok::Default) {
            let index = self.inner(index_sort)?;
            self.expect_after_expression(Tok::LArrow, "`<-` between an index and its value")?;
            let value = self.inner(element_hint)?;
            self.expect_after_expression(Tok::Comma, "`,` before the next entry or `default`")?;
            entries.push((index, value));
        }
        if self.eat(Tok::Lt) {
            let declared = self.sort()?;
            self.expect(Tok::Gt, "`>`")?;
            index_sort = declared.or(index_sort);
        } else if let Some(sort) = entries.iter().find_map(|entry| self.sort_of(entry.0)) {
            index_sort = Some(sort);
        }
        self.expect(Tok::Default, "`default`")?;
        self.expect(Tok::LArrow, "`<-`")?;
        let otherwise = self.inner(element_hint)?;
        self.expect_after_expression(Tok::RBrack, "`]`")?;
        let mut operand = Operand {
            what: What::Wrong,
            start,
            end: self.last_end(),
        };
        if let Some(term) = self.array_of(operand, index_sort, &entries, otherwise) {
            operand.what = What::Term(term);
        }
        Ok(operand)
    }

    fn array_of(
        &mut self,
        whole: Operand,
        index_sort: Option<SortId>,
        entries: &[(Operand, Operand)],
        otherwise: Operand,
    ) -> Option<TermId> {
        let Some(index_sort) = index_sort else {
            if entries.is_empty() {
                let message = "the sort of this array's indices is unknown";
                let finding = Diagnostic::error("unknown-type", message);
                let finding = finding.at(self.operand_span(whole));
                self.report(finding.hint("write it as in `[<int>default <- 0]`"));
            }
            for &(index, _) in entries {
                self.resolve(index, None);
            }
            return None;
        };
        let rat = self.cx.terms.sorts.rat();
        let values = || entries.iter().map(|entry| entry.1).chain([otherwise]);
        let sorts: Vec<SortId> = values().filter_map(|value| self.sort_of(value)).collect();
        let element = sorts.iter().copied().find(|&sort| sort == rat);
        let element = element.or(sorts.first().copied());
        let mut complete = true;
        let mut writes = Vec::with_capacity(entries.len());
        for &(index, value) in entries {
            let index = self.settle(index, Some(index_sort));
            let value = self.settle(value, element);
            match (index, value) {
                (Some(index), Some(value)) => writes.push((index, value)),
                _ => complete = false,
            }
        }
        let otherwise = self.settle(otherwise, element)?;
        let element = self.cx.terms.sort(otherwise);
        let sort = self.cx.terms.sorts.array(index_sort, element);
        let base = self.build(Op::ConstArray(sort), &[otherwise])?;
        complete.then(|| self.write_all(base, &writes))
    }

    /// What follows an array that is indexed: one read, or all writes in a row.
    pub(super) fn array_accesses(&mut self, base: Option<TermId>) -> Parse<Option<TermId>> {
        let sort = base.map(|base| self.cx.terms.sort(base));
        let sorts = sort.and_then(|sort| self.cx.terms.sorts.as_array(sort));
        let (index_sort, element) = (sorts.map(|s| s.0), sorts.map(|s| s.1));
        let mut writes: Vec<(TermId, TermId)> = Vec::new();
        let mut complete = base.is_some();
        while self.eat(Tok::LBrack) {
            let index = self.inner(index_sort)?;
            let index = self.settle(index, index_sort);
            if self.eat(Tok::LArrow) {
                let value = self.inner(element)?;
                let value = self.settle(value, element);
                self.expect_after_expression(Tok::RBrack, "`]`")?;
                match (index, value) {
                    (Some(index), Some(value)) => writes.push((index, value)),
                    _ => complete = false,
                }
                continue;
            }
            self.expect_after_expression(Tok::RBrack, "`]` or `<-`")?;
            let written = base
                .filter(|_| complete)
                .map(|base| self.write_all(base, &writes));
            return Ok(match (written, index) {
                (Some(array), Some(index)) => self.build(Op::Select, &[array, index]),
                _ => None,
            });
        }
        Ok(base
            .filter(|_| complete)
            .map(|base| self.write_all(base, &writes)))
    }

    /// `base` with all entries written, in order.
    pub(crate) fn write_all(&mut self, base: TermId, writes: &[(TermId, TermId)]) -> TermId {
        let terms = &mut self.cx.terms;
        let sort = terms.sort(base);
        let (index_sort, _) = terms.sorts.as_array(sort).expect("an array is written");
        let is_literal = |term: TermId| terms.as_lit(term).is_some();
        let n_constant = writes
            .iter()
            .take_while(|write| is_literal(write.0) && is_literal(write.1))
            .count();
        let (mut array, mut rest) = (base, writes);
        if let (Some(Value::Array(map)), true) = (terms.as_lit(base), n_constant > 1) {
            let value = |term: TermId| terms.as_lit(term).expect("a literal").clone();
            let entries = writes[..n_constant]
                .iter()
                .map(|write| (value(write.0), value(write.1)));
            let map = ArrayValue::with_all(map, &terms.sorts, index_sort, entries);
            array = terms.lit(Value::Array(Arc::new(map)), sort);
            rest = &writes[n_constant..];
        }
        for &(index, value) in rest {
            array = terms.store(array, index, value);
        }
        array
    }
}
