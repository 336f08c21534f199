//! Volatile objects: hardware and interrupts may change them at any time, so each read is an input.
//!
//! A read first gives the object any value of its type, then reads it: what a formula sees of it is the value that the
//! program last read or wrote. The read counts as volatile if the type it goes through is, or that of the object or member.
//! Automatic variables are not changed from outside, unless the program takes their address.

use crate::c::lower::{Lower, Lowered};
use crate::c::memory::object::{LeafKind, Place, n_leaves};
use crate::c::memory::place::Location;
use crate::c::provenance::{Origin, Source};
use crate::c::syntax::ast::{Ast, Body, E, Expr, Pos, Unary};
use crate::c::syntax::token::Sym;
use crate::c::types::{Ty, Type};
use lariat_base::{Diagnostic, FxHashSet};
use lariat_expr::TermId;
use lariat_system::CPart;

impl Lower<'_> {
    /// Gives volatile places that are about to be read any value of their type.
    pub fn refresh(&mut self, at: &Location, pos: Pos) -> Lowered<()> {
        if !self.reads_volatile() || self.in_atom {
            return Ok(());
        }
        // The places exclude one another: each is read under the condition that it is the one.
        let mut before: Vec<TermId> = Vec::new();
        for &(condition, place) in &at.places {
            let mark = self.guard.len();
            self.guard.extend(&before);
            self.guard.extend(condition);
            let when = self.guard[mark..].to_vec();
            let done = self.refresh_place(place, at.ty.is_volatile(), &when, pos);
            self.guard.truncate(mark);
            done?;
            if let Some(condition) = condition {
                before.push(self.cx.terms.not(condition));
            }
        }
        Ok(())
    }

    fn refresh_place(&mut self, place: Place, all: bool, when: &[TermId], pos: Pos) -> Lowered<()> {
        let when = (!when.is_empty()).then(|| self.cx.terms.and(when));
        for leaf in place.leaf..place.leaf + n_leaves(self.types, place.ty) {
            let known = self.objects.get(place.obj).leaves[leaf as usize];
            if !all && !known.volatile {
                continue;
            }
            let ty = match known.kind {
                LeafKind::Int(int) => self.types.int(int),
                LeafKind::Pointer(to) => self.types.add(Type::Ptr(to)),
                LeafKind::Unsupported(what) => return Err(self.unsupported(what, pos)),
            };
            if known.is_array && place.index.is_none() {
                return Err(self.unsupported("copying a volatile array", pos));
            }
            let source = Source::Volatile(place.obj);
            let origin = Origin {
                source,
                call: self.provenance.call(source),
                span: self.span(pos),
                part: CPart::Result,
            };
            let value = self.any_value(ty, Some(origin), pos)?;
            self.write_leaf(Place { leaf, ..place }, &value, when, pos)?;
        }
        Ok(())
    }

    /// The type of an automatic variable: volatile only if something outside could know where it is.
    pub fn local_type(&self, name: Sym, ty: Ty) -> Ty {
        if self.addressed.contains(&name) {
            ty
        } else {
            ty.plain()
        }
    }

    /// Names the volatile objects that the program reads.
    pub fn volatile_warning(&self) -> Option<Diagnostic> {
        let read = self.provenance.read.iter();
        let names: Vec<String> = read
            .map(|&obj| format!("`{}`", self.objects.get(obj).name))
            .collect();
        let (what, its) = match names.len() {
            0 => return None,
            1 => ("variable", "its type"),
            _ => ("variables", "their types"),
        };
        let message = format!(
            "each read of the volatile {what} {} is an input: any value of {its}",
            names.join(", ")
        );
        let finding = Diagnostic::warning("volatile", message);
        Some(finding.hint("`--volatile ignore` reads what the program stored last"))
    }

    /// Names the functions that nothing calls: interrupt handlers, perhaps, or a forgotten task.
    pub fn never_called(&self) -> Option<Diagnostic> {
        let mut used: FxHashSet<Sym> = FxHashSet::default();
        for i in 0..self.ast.n_exprs() {
            if let Expr::Name(name) = self.ast.expr(E(i as u32)) {
                used.insert(*name);
            }
        }
        let is_candidate = |text: &str| text != "main" && !text.starts_with("__");
        let mut names = Vec::new();
        for function in &self.ast.functions {
            let text = self.symbols.text(function.name);
            let is_present = matches!(function.body, Body::Present(_)) && !function.is_inline;
            if is_present
                && is_candidate(text)
                && self.known(function.name).is_none()
                && !used.contains(&function.name)
            {
                names.push(format!("`{text}`"));
            }
        }
        let message = match &names[..] {
            [] => return None,
            [one] => format!("nothing calls the function {one}: it is left out"),
            _ => format!(
                "nothing calls the functions {}: they are left out",
                names.join(", ")
            ),
        };
        Some(Diagnostic::warning("never-called", message))
    }
}

/// The names of which a program takes the address, or that of a part.
pub(in crate::c) fn addressed(ast: &Ast) -> FxHashSet<Sym> {
    let mut names = FxHashSet::default();
    for i in 0..ast.n_exprs() {
        let Expr::Unary(Unary::Address, mut at) = *ast.expr(E(i as u32)) else {
            continue;
        };
        while let Expr::Member(of, _) | Expr::Index(of, _) = ast.expr(at) {
            at = *of;
        }
        if let Expr::Name(name) = ast.expr(at) {
            names.insert(*name);
        }
    }
    names
}
