//! Rules of `U` with its dual `R`, and of `W` with its dual `M`. Comments give the rule as written
//! for `U` and `W`.

use super::{Simplifier, View};
use crate::class::Class;
use crate::formula::{FormulaId, Op};

impl Simplifier<'_> {
    pub(super) fn rewrite_until(&mut self, view: View, x: FormulaId) -> Option<FormulaId> {
        let (f, g) = (self.fs.child(x, 0), self.fs.child(x, 1));
        // f U e = e; f U g = g if f => g
        if self.has(view, g, Class::EVENTUAL) || self.view_implies(view, f, g) {
            return Some(g);
        }
        if let Some(done) = self.until_shape(view, Op::U, Op::M, Op::M, f, g) {
            return Some(done);
        }
        // q U X f = X(q U f)
        if self.is_suspendable(f)
            && let Some(inner) = self.unary(view, Op::X, g)
        {
            let until = self.mk2(view, Op::U, f, inner);
            return Some(self.fs.next(until));
        }
        // f U g = F g if f | g is true; e U g = F g if g => e
        if self.view_covers(view, f, g)
            || (self.has(view, f, Class::EVENTUAL) && self.view_implies(view, g, f))
        {
            return Some(self.mk1(view, Op::F, g));
        }
        // f U (g & e) = F(g & e) if f | g is true
        if self.seen(view, g) == Op::And {
            let (eventual, rest): (Vec<FormulaId>, Vec<FormulaId>) = self
                .fs
                .children(g)
                .iter()
                .partition(|&&part| self.has(view, part, Class::EVENTUAL));
            if !eventual.is_empty() && !rest.is_empty() {
                let rest = self.mk(view, Op::And, &rest);
                if self.view_covers(view, f, rest) {
                    return Some(self.mk1(view, Op::F, g));
                }
            }
        }
        self.until_right(view, Op::U, f, g)
            .or_else(|| self.until_left(view, Op::U, f, g))
    }

    pub(super) fn rewrite_weak_until(&mut self, view: View, x: FormulaId) -> Option<FormulaId> {
        let (f, g) = (self.fs.child(x, 0), self.fs.child(x, 1));
        // f W g = g if f => g
        if self.view_implies(view, f, g) {
            return Some(g);
        }
        // u W g = u | g
        if self.has(view, f, Class::UNIVERSAL) {
            return Some(self.mk2(view, Op::Or, f, g));
        }
        // e W e2 = G e | e2
        if self.has(view, f, Class::EVENTUAL) && self.has(view, g, Class::EVENTUAL) {
            let always = self.mk1(view, Op::G, f);
            return Some(self.mk2(view, Op::Or, always, g));
        }
        if let Some(done) = self.until_shape(view, Op::W, Op::R, Op::R, f, g) {
            return Some(done);
        }
        // f W g = true if f | g is true
        if self.view_covers(view, f, g) {
            return Some(self.mk(view, Op::True, &[]));
        }
        self.until_right(view, Op::W, f, g)
            .or_else(|| self.until_left(view, Op::W, f, g))
    }

    /// Rules on shapes, the same for `U` and `W`: `op` is the operator, `after` its release-like
    /// companion (`M` for `U`, `R` for `W`).
    fn until_shape(
        &mut self,
        view: View,
        op: Op,
        after: Op,
        swapped: Op,
        f: FormulaId,
        g: FormulaId,
    ) -> Option<FormulaId> {
        if let Some(f_next) = self.unary(view, Op::X, f) {
            // (X f) U (X g) = X(f U g)
            if let Some(g_next) = self.unary(view, Op::X, g) {
                let inner = self.mk2(view, op, f_next, g_next);
                return Some(self.fs.next(inner));
            }
            // (X f) U b = b | X(b M f)
            if self.fs.is(g, Class::BOOLEAN) {
                let later = self.mk2(view, after, g, f_next);
                let later = self.fs.next(later);
                return Some(self.mk2(view, Op::Or, g, later));
            }
        }
        let always = self.mk1(view, Op::G, f);
        // f U G f = G f
        if g == always {
            return Some(always);
        }
        match self.seen(view, g) {
            // f U (g | G f) = f W g
            Op::Or if self.fs.children(g).contains(&always) => {
                let rest = self.without(view, Op::Or, g, &[always]);
                Some(self.mk2(view, Op::W, f, rest))
            }
            // f U (g & f) = g M f
            Op::And => {
                let own = self.parts(view, Op::And, f);
                let inside = self.fs.children(g);
                if own.iter().all(|part| inside.contains(part)) {
                    let rest = self.without(view, Op::And, g, &own);
                    Some(self.mk2(view, swapped, rest, f))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// `f op g` where `g` is itself an until or a release.
    fn until_right(&mut self, view: View, op: Op, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        match self.seen(view, g) {
            inner @ (Op::U | Op::W) => {
                let (g1, g2) = (self.fs.child(g, 0), self.fs.child(g, 1));
                // f U (g U h) = g U h, f U (g W h) = g W h, f W (g W h) = g W h, if f => g
                let absorbs = op == Op::U || inner == Op::W;
                if absorbs && self.view_implies(view, f, g1) {
                    return Some(g);
                }
                // f U (g U h) = f U h, f W (g U h) = f W (g W h) = f W h, if g => f
                let widens = op == Op::W || inner == Op::U;
                if widens && self.view_implies(view, g1, f) {
                    return Some(self.mk2(view, op, f, g2));
                }
                None
            }
            // f U (g R (h U k)) = g R (h U k) if f => h; the same with M and W inside
            Op::R | Op::M if op == Op::U => {
                let k = self.fs.child(g, 1);
                if matches!(self.seen(view, k), Op::U | Op::W) {
                    let h = self.fs.child(k, 0);
                    if self.view_implies(view, f, h) {
                        return Some(g);
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// `f op g` where `f` is an until or a disjunction.
    fn until_left(&mut self, view: View, op: Op, f: FormulaId, g: FormulaId) -> Option<FormulaId> {
        match self.seen(view, f) {
            inner @ (Op::U | Op::W) => {
                let (f1, f2) = (self.fs.child(f, 0), self.fs.child(f, 1));
                // (f U g) U h = g U h if f => h
                if self.view_implies(view, f1, g) {
                    return Some(self.mk2(view, op, f2, g));
                }
                // (f U g) U h = (f U g) | h if g => h; not with a weak until under a strong one
                let exact = op == Op::W || inner == Op::U;
                if exact && self.view_implies(view, f2, g) {
                    return Some(self.mk2(view, Op::Or, f, g));
                }
                // (f U g) U h = (f | g) U h if h => g
                let widens = op == Op::U || inner == Op::W;
                if widens && self.view_implies(view, g, f2) {
                    let either = self.mk2(view, Op::Or, f1, f2);
                    return Some(self.mk2(view, op, either, g));
                }
                None
            }
            // (f | g) U h = f U h if g => h
            Op::Or => {
                let parts = self.fs.children(f).to_vec();
                let mut kept = Vec::with_capacity(parts.len());
                for &part in &parts {
                    if !self.view_implies(view, part, g) {
                        kept.push(part);
                    }
                }
                if kept.len() == parts.len() {
                    return None;
                }
                let rest = self.mk(view, Op::Or, &kept);
                Some(self.mk2(view, op, rest, g))
            }
            _ => None,
        }
    }

    /// The node `f`, seen as `op`, without some of its children.
    pub(super) fn without(
        &mut self,
        view: View,
        op: Op,
        f: FormulaId,
        gone: &[FormulaId],
    ) -> FormulaId {
        let mut parts = self.parts(view, op, f);
        parts.retain(|part| !gone.contains(part));
        self.mk(view, op, &parts)
    }
}
