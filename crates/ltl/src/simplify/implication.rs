//! Syntactic implication: a quick, incomplete proof that one formula implies another.
//!
//! Both are in negation normal form. "No" means "not proven". The recursion follows the structure
//! of the two formulas; proofs are cached per pair, and [`MAX_DEPTH`] bounds the recursion, beyond
//! which nothing is proven.

use super::{Simplifier, Simplify};
use crate::class::Class;
use crate::formula::{FormulaId, Op};

/// Deeper proofs are not looked for.
const MAX_DEPTH: u32 = 24;

impl Simplifier<'_> {
    /// Whether `f => g` could be proven.
    pub(crate) fn implies(&mut self, f: FormulaId, g: FormulaId) -> bool {
        if self.how == Simplify::Cheap {
            return self.trivially(f, g);
        }
        self.prove(f, g, 0)
    }

    fn trivially(&self, f: FormulaId, g: FormulaId) -> bool {
        f == g || f == self.fs.ff() || g == self.fs.tt()
    }

    fn prove(&mut self, f: FormulaId, g: FormulaId, depth: u32) -> bool {
        if self.trivially(f, g) {
            return true;
        }
        if g == self.fs.ff() || f == self.fs.tt() || depth > MAX_DEPTH {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        let proven = self.prove_pair(f, g, depth + 1);
        self.implications.insert((f, g), proven);
        proven
    }

    fn prove_pair(&mut self, f: FormulaId, g: FormulaId, d: u32) -> bool {
        if self.fs.is(f, Class::BOOLEAN) && self.fs.is(g, Class::BOOLEAN) {
            return match (self.function(f), self.function(g)) {
                (Some(a), Some(b)) => self.bdd.implies(a, b) && self.bdd.stopped().is_ok(),
                _ => false,
            };
        }
        let (f_op, g_op) = (self.fs.op(f), self.fs.op(g));
        if f_op == Op::Or {
            return self
                .fs
                .children(f)
                .to_vec()
                .iter()
                .all(|&c| self.prove(c, g, d));
        }
        if g_op == Op::And {
            return self
                .fs
                .children(g)
                .to_vec()
                .iter()
                .all(|&c| self.prove(f, c, d));
        }
        self.prove_by_right(f, g, g_op, d)
            || self.prove_by_left(f, g, f_op, d)
            || self.prove_by_both(f, g, f_op, g_op, d)
    }

    /// What `g` needs, from all of `f`.
    fn prove_by_right(&mut self, f: FormulaId, g: FormulaId, op: Op, d: u32) -> bool {
        let universal = self.fs.is(f, Class::UNIVERSAL);
        let child = |this: &Self, i| this.fs.child(g, i);
        match op {
            Op::Or => {
                let parts = self.fs.children(g).to_vec();
                parts.iter().any(|&c| self.prove(f, c, d))
            }
            Op::F => self.prove(f, child(self, 0), d),
            Op::X | Op::G => universal && self.prove(f, child(self, 0), d),
            Op::U => self.prove(f, child(self, 1), d),
            Op::W => {
                self.prove(f, child(self, 1), d) || (universal && self.prove(f, child(self, 0), d))
            }
            Op::R => {
                self.prove(f, child(self, 1), d) && (universal || self.prove(f, child(self, 0), d))
            }
            Op::M => self.prove(f, child(self, 1), d) && self.prove(f, child(self, 0), d),
            _ => false,
        }
    }

    /// What `f` gives, for all of `g`.
    fn prove_by_left(&mut self, f: FormulaId, g: FormulaId, op: Op, d: u32) -> bool {
        let eventual = self.fs.is(g, Class::EVENTUAL);
        let child = |this: &Self, i| this.fs.child(f, i);
        match op {
            Op::And => {
                let parts = self.fs.children(f).to_vec();
                parts.iter().any(|&c| self.prove(c, g, d))
            }
            Op::G => self.prove(child(self, 0), g, d),
            Op::X | Op::F => eventual && self.prove(child(self, 0), g, d),
            Op::U => {
                self.prove(child(self, 1), g, d) && (eventual || self.prove(child(self, 0), g, d))
            }
            Op::W => self.prove(child(self, 1), g, d) && self.prove(child(self, 0), g, d),
            Op::R => self.prove(child(self, 1), g, d),
            Op::M => {
                self.prove(child(self, 1), g, d) || (eventual && self.prove(child(self, 0), g, d))
            }
            _ => false,
        }
    }

    /// Two temporal operators side by side. Release is read as `f2 W (f1 & f2)`, strong release
    /// as `f2 U (f1 & f2)`.
    fn prove_by_both(&mut self, f: FormulaId, g: FormulaId, f_op: Op, g_op: Op, d: u32) -> bool {
        let pair = |this: &Self, h| (this.fs.child(h, 0), this.fs.child(h, 1));
        match (f_op, g_op) {
            (Op::X, Op::X) => self.prove(self.fs.child(f, 0), self.fs.child(g, 0), d),
            (Op::U, Op::U | Op::W) | (Op::W, Op::W) | (Op::R, Op::R) | (Op::M, Op::M | Op::R) => {
                let ((f1, f2), (g1, g2)) = (pair(self, f), pair(self, g));
                self.prove(f1, g1, d) && self.prove(f2, g2, d)
            }
            (Op::U, Op::R | Op::M) | (Op::W, Op::R) => {
                let ((f1, f2), (g1, g2)) = (pair(self, f), pair(self, g));
                self.prove(f1, g2, d) && self.prove(f2, g1, d) && self.prove(f2, g2, d)
            }
            (Op::R, Op::W) | (Op::M, Op::U | Op::W) => {
                let ((f1, f2), (g1, g2)) = (pair(self, f), pair(self, g));
                self.prove(f2, g1, d) && (self.prove(f1, g2, d) || self.prove(f2, g2, d))
            }
            _ => false,
        }
    }
}
