//! Rules of `X`, and of `G` with its dual `F`. Comments give the rule as written for `G`.

use super::{Simplifier, View};
use crate::class::Class;
use crate::formula::{FormulaId, Op};

impl Simplifier<'_> {
    pub(super) fn rewrite_next(&mut self, f: FormulaId) -> Option<FormulaId> {
        let x = self.fs.child(f, 0);
        // X q = q
        self.is_suspendable(x).then_some(x)
    }

    pub(super) fn rewrite_globally(&mut self, view: View, f: FormulaId) -> Option<FormulaId> {
        let x = self.fs.child(f, 0);
        // G u = u
        if self.has(view, x, Class::UNIVERSAL) {
            return Some(x);
        }
        match self.seen(view, x) {
            // G X f = X G f
            Op::X => {
                let inner = self.fs.child(x, 0);
                let inner = self.mk1(view, Op::G, inner);
                Some(self.fs.next(inner))
            }
            // G(f R g) = G g
            Op::R => {
                let right = self.fs.child(x, 1);
                Some(self.mk1(view, Op::G, right))
            }
            // G(f W g) = G(f | g)
            Op::W => {
                let (l, r) = (self.fs.child(x, 0), self.fs.child(x, 1));
                let either = self.mk2(view, Op::Or, l, r);
                Some(self.mk1(view, Op::G, either))
            }
            Op::And => self.globally_and(view, x),
            Op::Or if !view.dual => self.globally_or(view, x),
            Op::F => self.globally_finally(view, self.fs.child(x, 0)),
            _ => None,
        }
    }

    /// G(f & G g) = G(f & g); G(f & X e) = G(f & e); G(f & F(g & X e)) = G(f & F g & e)
    fn globally_and(&mut self, view: View, x: FormulaId) -> Option<FormulaId> {
        let parts = self.fs.children(x).to_vec();
        let mut stripped = Vec::with_capacity(parts.len());
        for &part in &parts {
            if let Some(inner) = self.unary(view, Op::G, part) {
                stripped.push(inner);
            } else if let Some(inner) = self.next_eventual(view, part) {
                stripped.push(inner);
            } else if let Some((now, later)) = self.finally_then(view, part) {
                stripped.extend(later);
                stripped.push(now);
            } else {
                stripped.push(part);
            }
        }
        if stripped == parts {
            return None;
        }
        let all = self.mk(view, Op::And, &stripped);
        Some(self.mk1(view, Op::G, all))
    }

    /// The `e` of X e.
    fn next_eventual(&self, view: View, part: FormulaId) -> Option<FormulaId> {
        let inner = self.unary(view, Op::X, part)?;
        self.has(view, inner, Class::EVENTUAL).then_some(inner)
    }

    /// The `F g` and the `e`s of F(g & X e), if there are any of the latter.
    fn finally_then(&mut self, view: View, part: FormulaId) -> Option<(FormulaId, Vec<FormulaId>)> {
        let inner = self.unary(view, Op::F, part)?;
        if self.seen(view, inner) != Op::And {
            return None;
        }
        let mut now = self.fs.children(inner).to_vec();
        let later: Vec<FormulaId> = now
            .iter()
            .filter_map(|&g| self.next_eventual(view, g))
            .collect();
        if later.is_empty() {
            return None;
        }
        now.retain(|&g| self.next_eventual(view, g).is_none());
        let now = self.mk(view, Op::And, &now);
        Some((self.mk1(view, Op::F, now), later))
    }

    /// G(f | q) = G f | q
    fn globally_or(&mut self, view: View, x: FormulaId) -> Option<FormulaId> {
        let (mut out, rest) = self.split_suspendable(x);
        if out.is_empty() || rest.is_empty() {
            return None;
        }
        let rest = self.mk(view, Op::Or, &rest);
        let always = self.mk1(view, Op::G, rest);
        out.push(always);
        Some(self.mk(view, Op::Or, &out))
    }

    /// Rules of G F y.
    fn globally_finally(&mut self, view: View, y: FormulaId) -> Option<FormulaId> {
        match self.seen(view, y) {
            Op::Or => {
                // GF(f | X g) = GF(f | g); GF(f | F g) = GF(f | g)
                let parts = self.fs.children(y).to_vec();
                let stripped: Vec<FormulaId> = parts
                    .iter()
                    .map(|&part| {
                        let inner = self.unary(view, Op::X, part);
                        inner
                            .or_else(|| self.unary(view, Op::F, part))
                            .unwrap_or(part)
                    })
                    .collect();
                if stripped != parts {
                    let any = self.mk(view, Op::Or, &stripped);
                    let some_time = self.mk1(view, Op::F, any);
                    return Some(self.mk1(view, Op::G, some_time));
                }
                // FG(f & F g) = FG f & GF g, on that side only
                view.dual.then(|| self.pull(view, Op::Or, &parts)).flatten()
            }
            Op::And => {
                let parts = self.fs.children(y).to_vec();
                // GF(f & F g) = G(F f & F g); GF(f & q) = G(F f & q)
                let goes_out = |this: &Self, part: FormulaId| {
                    this.unary(view, Op::F, part).is_some() || this.is_suspendable(part)
                };
                let (mut out, rest): (Vec<FormulaId>, Vec<FormulaId>) =
                    parts.iter().partition(|&&part| goes_out(self, part));
                if !out.is_empty() && !rest.is_empty() {
                    let rest = self.mk(view, Op::And, &rest);
                    let some_time = self.mk1(view, Op::F, rest);
                    out.push(some_time);
                    let all = self.mk(view, Op::And, &out);
                    return Some(self.mk1(view, Op::G, all));
                }
                // GF(f & G g) = GF f & FG g, on that side only
                (!view.dual)
                    .then(|| self.pull(view, Op::And, &parts))
                    .flatten()
            }
            _ => None,
        }
    }

    /// GF(f op G g) = GF f op FG g, if there is such a part.
    fn pull(&mut self, view: View, op: Op, parts: &[FormulaId]) -> Option<FormulaId> {
        let (always, rest): (Vec<FormulaId>, Vec<FormulaId>) = parts
            .iter()
            .partition(|&&part| self.unary(view, Op::G, part).is_some());
        if always.is_empty() || rest.is_empty() {
            return None;
        }
        let mut out: Vec<FormulaId> = Vec::new();
        for part in always {
            out.push(self.mk1(view, Op::F, part));
        }
        let rest = self.mk(view, op, &rest);
        let rest = self.mk1(view, Op::F, rest);
        out.push(self.mk1(view, Op::G, rest));
        Some(self.mk(view, op, &out))
    }

    /// The children of `x` that are both eventual and universal, and the others.
    pub(super) fn split_suspendable(&self, x: FormulaId) -> (Vec<FormulaId>, Vec<FormulaId>) {
        let parts = self.fs.children(x).iter();
        parts.copied().partition(|&part| self.is_suspendable(part))
    }
}
