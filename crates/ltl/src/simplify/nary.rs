//! Rules of `&` with its dual `|`. Comments give the rule as written for `&`.
//!
//! The children are kept in one list; each rule takes some out and puts its result in.

use super::{Simplifier, View};
use crate::class::Class;
use crate::formula::{FormulaId, Op};

/// With more children pairs are no longer compared: that would be quadratic in proofs.
const MAX_COMPARED: usize = 40;

impl Simplifier<'_> {
    pub(super) fn rewrite_and(&mut self, view: View, f: FormulaId) -> Option<FormulaId> {
        let parts = self.fs.children(f).to_vec();
        let rules = [
            Self::drop_implied,
            Self::join_boolean,
            Self::join_eventually_always,
            Self::join_next,
            Self::join_always,
            Self::join_same_operand,
            Self::strengthen,
            Self::fold_unfolding,
            Self::fold_next,
            Self::always_later,
            Self::release_by_finally,
        ];
        for rule in rules {
            if let Some(parts) = rule(self, view, parts.clone()) {
                let done = self.mk(view, Op::And, &parts);
                if done != f {
                    return Some(done);
                }
            }
        }
        None
    }

    /// f & g = f if f => g; f & g = false if f => !g
    fn drop_implied(&mut self, view: View, mut parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        if parts.len() > MAX_COMPARED {
            return None;
        }
        let before = parts.len();
        let mut i = 0;
        while i < parts.len() {
            let mut j = 0;
            let mut dropped = false;
            while j < parts.len() {
                if i != j {
                    // "f | g is true" seen through the other view is "f & g is false".
                    let other = View { dual: !view.dual };
                    if j > i && self.view_covers(other, parts[i], parts[j]) {
                        return Some(vec![self.mk(view, Op::False, &[])]);
                    }
                    if self.view_implies(view, parts[j], parts[i]) {
                        parts.remove(i);
                        dropped = true;
                        break;
                    }
                }
                j += 1;
            }
            if !dropped {
                i += 1;
            }
        }
        (parts.len() < before).then_some(parts)
    }

    /// Boolean children become one canonical formula.
    fn join_boolean(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        let (boolean, mut rest): (Vec<FormulaId>, Vec<FormulaId>) = parts
            .iter()
            .partition(|&&part| self.fs.is(part, Class::BOOLEAN));
        if boolean.len() < 2 {
            return None;
        }
        let joined = self.mk(view, Op::And, &boolean);
        let canonical = self.canonical_boolean(joined);
        if canonical == joined {
            return None;
        }
        rest.push(canonical);
        Some(rest)
    }

    /// FG f & FG g = FG(f & g)
    fn join_eventually_always(
        &mut self,
        view: View,
        parts: Vec<FormulaId>,
    ) -> Option<Vec<FormulaId>> {
        let inner = |this: &Self, part| {
            let always = this.unary(view, Op::F, part)?;
            this.unary(view, Op::G, always)
        };
        let (found, mut rest): (Vec<FormulaId>, Vec<FormulaId>) =
            parts.iter().partition(|&&part| inner(self, part).is_some());
        if found.len() < 2 {
            return None;
        }
        let inners: Vec<FormulaId> = found.iter().filter_map(|&p| inner(self, p)).collect();
        let all = self.mk(view, Op::And, &inners);
        let all = self.mk1(view, Op::G, all);
        rest.push(self.mk1(view, Op::F, all));
        Some(rest)
    }

    /// X f & X g = X(f & g); q & X f = X(q & f)
    fn join_next(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        let is_next = |this: &Self, part| this.unary(view, Op::X, part).is_some();
        if !parts.iter().any(|&part| is_next(self, part)) {
            return None;
        }
        let (inside, mut rest): (Vec<FormulaId>, Vec<FormulaId>) = parts
            .iter()
            .partition(|&&part| is_next(self, part) || self.is_suspendable(part));
        if inside.len() < 2 {
            return None;
        }
        let inners: Vec<FormulaId> = inside
            .iter()
            .map(|&part| self.unary(view, Op::X, part).unwrap_or(part))
            .collect();
        let all = self.mk(view, Op::And, &inners);
        rest.push(self.fs.next(all));
        Some(rest)
    }

    /// G f & G g = G(f & g); G e & q = G(e & q)
    fn join_always(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        let (always, mut rest): (Vec<FormulaId>, Vec<FormulaId>) = parts
            .iter()
            .partition(|&&part| self.unary(view, Op::G, part).is_some());
        if always.is_empty() {
            return None;
        }
        let mut inners: Vec<FormulaId> = always
            .iter()
            .filter_map(|&part| self.unary(view, Op::G, part))
            .collect();
        let eventual = inners
            .iter()
            .all(|&inner| self.has(view, inner, Class::EVENTUAL));
        // F f | GF h = F(f | GF h) holds for any f, and pays on that side.
        if eventual || view.dual {
            let goes_in = |this: &Self, part: FormulaId| {
                this.is_suspendable(part)
                    && (eventual
                        || this
                            .unary(view, Op::F, part)
                            .is_some_and(|p| this.unary(view, Op::G, p).is_some()))
            };
            let (inside, outside): (Vec<FormulaId>, Vec<FormulaId>) =
                rest.iter().partition(|&&part| goes_in(self, part));
            inners.extend(inside);
            rest = outside;
        }
        if inners.len() < 2 {
            return None;
        }
        let all = self.mk(view, Op::And, &inners);
        rest.push(self.mk1(view, Op::G, all));
        Some(rest)
    }

    /// (f U g) & (h W g) = (f & h) U g; (f R g) & (f M h) = f M (g & h); and the equal cases
    fn join_same_operand(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (i, &a) in parts.iter().enumerate() {
            for (j, &b) in parts.iter().enumerate().skip(i + 1) {
                let joined = match (self.seen(view, a), self.seen(view, b)) {
                    (p @ (Op::U | Op::W), q @ (Op::U | Op::W))
                        if self.fs.child(a, 1) == self.fs.child(b, 1) =>
                    {
                        let op = if p == Op::U || q == Op::U {
                            Op::U
                        } else {
                            Op::W
                        };
                        let (f, h, g) = (
                            self.fs.child(a, 0),
                            self.fs.child(b, 0),
                            self.fs.child(a, 1),
                        );
                        let both = self.mk2(view, Op::And, f, h);
                        self.mk2(view, op, both, g)
                    }
                    (p @ (Op::R | Op::M), q @ (Op::R | Op::M))
                        if self.fs.child(a, 0) == self.fs.child(b, 0) =>
                    {
                        let op = if p == Op::M || q == Op::M {
                            Op::M
                        } else {
                            Op::R
                        };
                        let (f, g, h) = (
                            self.fs.child(a, 0),
                            self.fs.child(a, 1),
                            self.fs.child(b, 1),
                        );
                        let both = self.mk2(view, Op::And, g, h);
                        self.mk2(view, op, f, both)
                    }
                    _ => continue,
                };
                return Some(replace(&parts, &[i, j], joined));
            }
        }
        None
    }

    /// F g & (f W g) = f U g; F f & (f R g) = f M g
    fn strengthen(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (i, &a) in parts.iter().enumerate() {
            let Some(goal) = self.unary(view, Op::F, a) else {
                continue;
            };
            for (j, &b) in parts.iter().enumerate() {
                if let Some((f, g)) = self.binary(view, Op::W, b)
                    && g == goal
                {
                    let until = self.mk2(view, Op::U, f, g);
                    return Some(replace(&parts, &[i, j], until));
                }
                if let Some((f, g)) = self.binary(view, Op::R, b)
                    && f == goal
                {
                    let release = self.mk2(view, Op::M, f, g);
                    return Some(replace(&parts, &[i, j], release));
                }
            }
        }
        None
    }

    /// f & (g | X(g R f)) = g R f, and with M
    fn fold_unfolding(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (j, &b) in parts.iter().enumerate() {
            if self.seen(view, b) != Op::Or {
                continue;
            }
            for k in 0..self.fs.children(b).len() {
                let next = self.fs.child(b, k);
                let Some(later) = self.unary(view, Op::X, next) else {
                    continue;
                };
                let later_op = self.seen(view, later);
                if !matches!(later_op, Op::R | Op::M) {
                    continue;
                }
                let (g, f) = (self.fs.child(later, 0), self.fs.child(later, 1));
                let rest = self.without(view, Op::Or, b, &[next]);
                let own = self.parts(view, Op::And, f);
                if rest == g && own.iter().all(|part| parts.contains(part)) {
                    let mut out: Vec<FormulaId> = parts
                        .iter()
                        .enumerate()
                        .filter(|(i, part)| *i != j && !own.contains(part))
                        .map(|(_, part)| *part)
                        .collect();
                    out.push(later);
                    return Some(out);
                }
            }
        }
        None
    }

    /// f & ((X f) W g) = g R f; f & ((X f) U g) = g M f
    fn fold_next(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (j, &b) in parts.iter().enumerate() {
            let op = match self.seen(view, b) {
                Op::W => Op::R,
                Op::U => Op::M,
                _ => continue,
            };
            let (left, g) = (self.fs.child(b, 0), self.fs.child(b, 1));
            let Some(f) = self.unary(view, Op::X, left) else {
                continue;
            };
            if let Some(i) = parts.iter().position(|&part| part == f) {
                let folded = self.mk2(view, op, g, f);
                return Some(replace(&parts, &[i, j], folded));
            }
        }
        None
    }

    /// f & X(G(f & g) & h) = G f & X(G g & h)
    fn always_later(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (j, &b) in parts.iter().enumerate() {
            let Some(later) = self.unary(view, Op::X, b) else {
                continue;
            };
            for part in self.parts(view, Op::And, later) {
                let Some(inner) = self.unary(view, Op::G, part) else {
                    continue;
                };
                let own = self.parts(view, Op::And, inner);
                let found: Vec<FormulaId> =
                    own.iter().copied().filter(|f| parts.contains(f)).collect();
                if found.is_empty() {
                    continue;
                }
                let left = self.without(view, Op::And, inner, &found);
                let left = self.mk1(view, Op::G, left);
                let rest = self.without(view, Op::And, later, &[part]);
                let later = self.mk2(view, Op::And, left, rest);
                let now = self.mk(view, Op::And, &found);
                let now = self.mk1(view, Op::G, now);
                let mut out: Vec<FormulaId> = parts
                    .iter()
                    .enumerate()
                    .filter(|(i, part)| *i != j && !found.contains(part))
                    .map(|(_, part)| *part)
                    .collect();
                out.push(now);
                out.push(self.fs.next(later));
                return Some(out);
            }
        }
        None
    }

    /// F f & G(g | u) = f M (g | u) if f => !g
    fn release_by_finally(&mut self, view: View, parts: Vec<FormulaId>) -> Option<Vec<FormulaId>> {
        for (j, &b) in parts.iter().enumerate() {
            let Some(kept) = self.unary(view, Op::G, b) else {
                continue;
            };
            if self.seen(view, kept) != Op::Or {
                continue;
            }
            let (universal, rest): (Vec<FormulaId>, Vec<FormulaId>) = self
                .fs
                .children(kept)
                .iter()
                .partition(|&&part| self.has(view, part, Class::UNIVERSAL));
            if universal.is_empty() || rest.is_empty() {
                continue;
            }
            let rest = self.mk(view, Op::Or, &rest);
            for (i, &a) in parts.iter().enumerate() {
                let Some(goal) = self.unary(view, Op::F, a) else {
                    continue;
                };
                let other = View { dual: !view.dual };
                if self.view_covers(other, goal, rest) {
                    let release = self.mk2(view, Op::M, goal, kept);
                    return Some(replace(&parts, &[i, j], release));
                }
            }
        }
        None
    }
}

/// The list without the positions `gone` and with `new` at its end.
fn replace(parts: &[FormulaId], gone: &[usize], new: FormulaId) -> Vec<FormulaId> {
    let mut out: Vec<FormulaId> = parts
        .iter()
        .enumerate()
        .filter(|(i, _)| !gone.contains(i))
        .map(|(_, part)| *part)
        .collect();
    out.push(new);
    out
}
