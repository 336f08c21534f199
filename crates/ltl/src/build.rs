//! The constructors of formulas.
//!
//! They apply only what is free and never surprising: `!` cancels and folds constants, `&` and `|`
//! are flattened, sorted, made unique and folded with constants and with a child and its direct
//! negation, other operators fold constants, equal operands and idempotence. Everything else is the
//! simplifier's work, so that a parsed formula prints back much as it was written: `->`, `<->` and
//! `xor` stay nodes.

use crate::formula::{ApId, FormulaId, Formulas, Op};
use lariat_base::Id;

impl Formulas {
    /// Constant true.
    pub fn tt(&self) -> FormulaId {
        FormulaId::from_index(1)
    }

    /// Constant false.
    pub fn ff(&self) -> FormulaId {
        FormulaId::from_index(0)
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> FormulaId {
        if value { self.tt() } else { self.ff() }
    }

    /// The formula of an atom.
    pub fn ap(&mut self, ap: ApId) -> FormulaId {
        self.intern(Op::Ap(ap), &[])
    }

    /// The formula of the atom called `name`.
    pub fn ap_named(&mut self, name: &str) -> FormulaId {
        let ap = self.ap_id(name);
        self.ap(ap)
    }

    /// `!f`.
    #[allow(clippy::should_implement_trait)] // takes the store, not a formula
    pub fn not(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True => self.ff(),
            Op::False => self.tt(),
            Op::Not => self.child(f, 0),
            _ => self.intern(Op::Not, &[f]),
        }
    }

    /// `f & g`.
    pub fn and(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.and_all(&[f, g])
    }

    /// `f | g`.
    pub fn or(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        self.or_all(&[f, g])
    }

    /// The conjunction of `parts`; true if there is none.
    pub fn and_all(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.nary(Op::And, parts)
    }

    /// The disjunction of `parts`; false if there is none.
    pub fn or_all(&mut self, parts: &[FormulaId]) -> FormulaId {
        self.nary(Op::Or, parts)
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::False, _) | (_, Op::True) => self.tt(),
            (Op::True, _) => g,
            (_, Op::False) => self.not(f),
            _ if f == g => self.tt(),
            _ => self.intern(Op::Implies, &[f, g]),
        }
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::True, _) => g,
            (_, Op::True) => f,
            (Op::False, _) => self.not(g),
            (_, Op::False) => self.not(f),
            _ if f == g => self.tt(),
            _ => self.intern(Op::Iff, &[f, g]),
        }
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (Op::False, _) => g,
            (_, Op::False) => f,
            (Op::True, _) => self.not(g),
            (_, Op::True) => self.not(f),
            _ if f == g => self.ff(),
            _ => self.intern(Op::Xor, &[f, g]),
        }
    }

    /// `X f`.
    pub fn next(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True | Op::False => f,
            _ => self.intern(Op::X, &[f]),
        }
    }

    /// `X` applied `n` times.
    pub fn next_n(&mut self, n: u32, f: FormulaId) -> FormulaId {
        (0..n).fold(f, |g, _| self.next(g))
    }

    /// `F f`.
    pub fn finally(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::F, f)
    }

    /// `G f`.
    pub fn globally(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::G, f)
    }

    /// `F[low..high] f`: within those positions, `f` holds at one. Needs `low <= high`.
    pub fn finally_within(&mut self, low: u32, high: u32, f: FormulaId) -> FormulaId {
        assert!(low <= high, "a bounded operator has an interval");
        let window = (low..high).fold(f, |g, _| {
            let later = self.next(g);
            self.or(f, later)
        });
        self.next_n(low, window)
    }

    /// `G[low..high] f`: at all those positions, `f` holds. Needs `low <= high`.
    pub fn globally_within(&mut self, low: u32, high: u32, f: FormulaId) -> FormulaId {
        assert!(low <= high, "a bounded operator has an interval");
        let window = (low..high).fold(f, |g, _| {
            let later = self.next(g);
            self.and(f, later)
        });
        self.next_n(low, window)
    }

    /// `f U g`.
    pub fn until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::False, _) => g,
            (Op::True, _) => self.finally(g),
            _ if f == g => g,
            _ => self.intern(Op::U, &[f, g]),
        }
    }

    /// `f W g`.
    pub fn weak_until(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True) | (Op::False, _) => g,
            (Op::True, _) => f,
            (_, Op::False) => self.globally(f),
            _ if f == g => g,
            _ => self.intern(Op::W, &[f, g]),
        }
    }

    /// `f R g`.
    pub fn release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::True, _) => g,
            (Op::False, _) => self.globally(g),
            _ if f == g => g,
            _ => self.intern(Op::R, &[f, g]),
        }
    }

    /// `f M g`.
    pub fn strong_release(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::False) | (Op::True, _) => g,
            (Op::False, _) => f,
            (_, Op::True) => self.finally(f),
            _ if f == g => g,
            _ => self.intern(Op::M, &[f, g]),
        }
    }

    /// `Y f`: at the previous position, which exists.
    pub fn yesterday(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::False => f,
            _ => self.intern(Op::Y, &[f]),
        }
    }

    /// `Z f`: at the previous position, if it exists.
    pub fn weak_yesterday(&mut self, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True => f,
            _ => self.intern(Op::Z, &[f]),
        }
    }

    /// `O f`: now or before.
    pub fn once(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::O, f)
    }

    /// `H f`: now and always before.
    pub fn historically(&mut self, f: FormulaId) -> FormulaId {
        self.idempotent(Op::H, f)
    }

    /// `f S g`: `g` now or before, `f` ever since.
    pub fn since(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::False, _) => g,
            (Op::True, _) => self.once(g),
            _ if f == g => g,
            _ => self.intern(Op::S, &[f, g]),
        }
    }

    /// `f T g`, the dual of since: `!(!f S !g)`.
    pub fn triggered(&mut self, f: FormulaId, g: FormulaId) -> FormulaId {
        match (self.op(f), self.op(g)) {
            (_, Op::True | Op::False) | (Op::True, _) => g,
            (Op::False, _) => self.historically(g),
            _ if f == g => g,
            _ => self.intern(Op::T, &[f, g]),
        }
    }

    /// The node `op` over `children`, through the constructor of that operator.
    pub fn make(&mut self, op: Op, children: &[FormulaId]) -> FormulaId {
        match (op, children) {
            (Op::True, []) => self.tt(),
            (Op::False, []) => self.ff(),
            (Op::Ap(ap), []) => self.ap(ap),
            (Op::Not, &[f]) => self.not(f),
            (Op::And, _) => self.and_all(children),
            (Op::Or, _) => self.or_all(children),
            (Op::Implies, &[f, g]) => self.implies(f, g),
            (Op::Iff, &[f, g]) => self.iff(f, g),
            (Op::Xor, &[f, g]) => self.xor(f, g),
            (Op::X, &[f]) => self.next(f),
            (Op::F, &[f]) => self.finally(f),
            (Op::G, &[f]) => self.globally(f),
            (Op::U, &[f, g]) => self.until(f, g),
            (Op::W, &[f, g]) => self.weak_until(f, g),
            (Op::R, &[f, g]) => self.release(f, g),
            (Op::M, &[f, g]) => self.strong_release(f, g),
            (Op::Y, &[f]) => self.yesterday(f),
            (Op::Z, &[f]) => self.weak_yesterday(f),
            (Op::O, &[f]) => self.once(f),
            (Op::H, &[f]) => self.historically(f),
            (Op::S, &[f, g]) => self.since(f, g),
            (Op::T, &[f, g]) => self.triggered(f, g),
            _ => panic!("{op:?} does not take {} children", children.len()),
        }
    }

    fn idempotent(&mut self, op: Op, f: FormulaId) -> FormulaId {
        match self.op(f) {
            Op::True | Op::False => f,
            inner if inner == op => f,
            _ => self.intern(op, &[f]),
        }
    }

    fn nary(&mut self, op: Op, parts: &[FormulaId]) -> FormulaId {
        let (unit, zero) = match op {
            Op::And => (self.tt(), self.ff()),
            _ => (self.ff(), self.tt()),
        };
        let mut flat = Vec::with_capacity(parts.len());
        for &part in parts {
            // A stored node of the same operator is already flat.
            if self.op(part) == op {
                flat.extend_from_slice(self.children(part));
            } else if part != unit {
                flat.push(part);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let contradicts = |&f: &FormulaId| {
            f == zero || (self.op(f) == Op::Not && flat.binary_search(&self.child(f, 0)).is_ok())
        };
        if flat.iter().any(contradicts) {
            return zero;
        }
        match flat.as_slice() {
            [] => unit,
            &[only] => only,
            _ => self.intern(op, &flat),
        }
    }
}
