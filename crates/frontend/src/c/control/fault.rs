//! Steps that C gives no meaning: a division by zero, an index outside of its array, a pointer that points nowhere. Such a
//! run ends there, in the state before the step, at a location of its own; the step itself is for the other runs. Signed
//! overflow is looked for in the same way, but only if that is asked.

use crate::c::control::edge::Step;
use crate::c::control::graph;
use crate::c::integer::arith::Num;
use crate::c::lower::Lower;
use crate::c::memory::object::Place;
use crate::c::memory::place::Location;
use crate::c::memory::pointer::Ptr;
use crate::c::syntax::ast::Binary;
use crate::c::types::{IntTy, Ty, Type};
use lariat_base::{Diagnostic, Span};
use lariat_expr::TermId;

/// Why a step has no meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum Fault {
    /// Of a signed operation.
    Overflow,
    /// By zero.
    Division,
    /// To no object.
    Access,
}

impl Fault {
    pub const ALL: [Self; 3] = [Self::Overflow, Self::Division, Self::Access];
}

impl Lower<'_> {
    /// Notes that the step has no meaning where a condition holds.
    pub fn fault(&mut self, fault: Fault, when: TermId) {
        let mut all = self.guard.clone();
        all.push(when);
        let when = self.cx.terms.and(&all);
        if when != self.cx.terms.false_() && !self.in_atom {
            self.step.fault(&mut self.cx.terms, fault, when);
        }
    }

    /// Notes where a division is by zero.
    pub fn check_division(&mut self, op: Binary, divisor: Num) {
        let may_be_zero = divisor.value().is_none_or(|value| value == 0);
        if matches!(op, Binary::Div | Binary::Rem) && may_be_zero {
            let is_other = self.arith().is_true(divisor);
            let is_zero = self.cx.terms.not(is_other);
            self.fault(Fault::Division, is_zero);
        }
    }

    /// Notes where places that are read or written lie outside of their arrays.
    pub fn check_access(&mut self, at: &Location) {
        let mut before: Vec<TermId> = Vec::new();
        for &(condition, place) in &at.places {
            if let Some(outside) = self.outside(place) {
                let mut all = before.clone();
                all.extend(condition);
                all.push(outside);
                let outside = self.cx.terms.and(&all);
                self.fault(Fault::Access, outside);
            }
            if let Some(condition) = condition {
                before.push(self.cx.terms.not(condition));
            }
        }
    }

    /// When the index of a place is outside of its array, which may be an array of arrays.
    fn outside(&mut self, place: Place) -> Option<TermId> {
        let index = place.index?;
        let n = self.n_elements(self.objects.get(place.obj).ty, place.leaf)?;
        let index = Num::word(index, IntTy::LONG, false);
        let (first, end) = (
            self.arith().constant(0, IntTy::LONG),
            self.arith().constant(i128::from(n), IntTy::LONG),
        );
        let mut less = |a, b| {
            let less = self.arith().binary(Binary::Lt, a, b);
            let less = less.expect("comparisons have a meaning in every mode");
            self.arith().is_true(less)
        };
        let (under, inside) = (less(index, first), less(index, end));
        let over = self.cx.terms.not(inside);
        Some(self.cx.terms.or(&[under, over]))
    }

    /// How often an object of this type has a leaf, if that is known.
    fn n_elements(&self, ty: Ty, leaf: u32) -> Option<u64> {
        match self.types.get(ty) {
            Type::Array(element, length) => {
                (*length)?.checked_mul(self.n_elements(*element, leaf)?)
            }
            Type::Record(id) if !self.types.record(*id).is_union => {
                let mut start = 0;
                for field in self.types.record(*id).fields.as_deref()? {
                    let n = match field.bits {
                        Some(_) => 1,
                        None => crate::c::memory::object::n_leaves(self.types, field.ty),
                    };
                    if leaf < start + n {
                        return self.n_elements(field.ty, leaf - start);
                    }
                    start += n;
                }
                None
            }
            _ => Some(1),
        }
    }

    /// Notes where a pointer that is followed has none of its targets, or leaves a variable that is no array.
    pub fn check_pointer(&mut self, pointer: &Ptr, places: &[(Option<TermId>, Place)]) {
        let targets = pointer.targets.set.clone();
        let mut hits = Vec::new();
        for (&number, &(_, place)) in targets.iter().zip(places) {
            let number = self.cx.terms.int(i64::from(number));
            let hit = self.cx.terms.eq(pointer.id, number);
            hits.push(hit);
            let leaf = self.objects.get(place.obj).leaves[place.leaf as usize];
            if let Some(offset) = pointer.offset.filter(|_| !leaf.is_array) {
                let zero = self.zero_index();
                let at_start = self.cx.terms.eq(offset, zero);
                let moved = self.cx.terms.not(at_start);
                let outside = self.cx.terms.and(&[hit, moved]);
                self.fault(Fault::Access, outside);
            }
        }
        if !hits.is_empty() {
            let hit = self.cx.terms.or(&hits);
            let miss = self.cx.terms.not(hit);
            self.fault(Fault::Access, miss);
        }
    }

    /// The edges of the runs for which a step has no meaning, beside the edges of the step itself.
    pub fn fault_edges(&mut self, step: &Step, span: Option<Span>) {
        if !step.has_faults() {
            return;
        }
        let Some(at) = self.graph.settle(self.cx) else {
            return;
        };
        for fault in Fault::ALL {
            let arena = (&mut *self.cx, &mut self.provenance);
            if let Some(stmts) = step.faulting(arena, self.mode, fault, span) {
                let stmt = graph::one(self.cx, &stmts, span);
                let target = self.graph.fault(fault);
                self.graph.edge(at, stmt, target, true);
                let place = span.map(|span| (fault, span));
                let is_new = |place: &(Fault, Span)| !self.faults.contains(place);
                self.faults.extend(place.filter(is_new));
            }
        }
    }

    /// Says that runs end where they have no meaning.
    pub fn fault_warning(&self, fault: Fault) -> Option<Diagnostic> {
        let mut found = self.faults.iter().filter(|found| found.0 == fault);
        let &(_, first) = found.next()?;
        let more = match found.count() {
            0 => String::new(),
            n => format!(", and in {n} more places"),
        };
        let (what, name) = match fault {
            Fault::Overflow => return None,
            Fault::Division => ("divides by zero", "division"),
            Fault::Access => ("leaves its array or object", "memsafety"),
        };
        let message = format!("a run that {what} here{more} ends there, if there is one");
        let finding = Diagnostic::warning(name, message).at(first);
        Some(finding.hint(format!("`--property {name}` asks whether there is one")))
    }
}
