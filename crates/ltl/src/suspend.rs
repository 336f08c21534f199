//! The suspension route: formulas built from `GF` and `FG` parts by conjunction and disjunction.
//!
//! Such a formula does not depend on finite prefixes, so it is equivalent to "from some moment on,
//! one of these: always b and infinitely often a1, a2, …", that is `F(∨ (G b ∧ GF a1 ∧ …))`, by
//! distributing into disjunctive form (`FG` distributes over `&`, `F` over `|`). The tableau of that
//! formula has one waiting state and one state per disjunct, where the conjunctive form would keep
//! the alternatives of every part apart. Disjuncts that imply another are dropped, and so is every
//! `GF a` that the `FG b` beside it implies.
//!
//! The idea of suspending such formulas is from Babiak et al. TACAS'12; doing it by rewriting keeps
//! one tableau for everything.

use crate::class::Class;
use crate::formula::{FormulaId, Formulas, Op};
use crate::simplify::{Simplifier, Simplify};

/// More disjuncts than this are not made.
const MAX_DISJUNCTS: usize = 512;

/// `FG always` and `GF a` for each `a` of `again`.
#[derive(Clone, Debug)]
struct Disjunct {
    always: FormulaId,
    again: Vec<FormulaId>,
}

/// The formula in the form above and the number of its disjuncts, if it is built that way.
pub(crate) fn disjunctive_form(
    formulas: &mut Formulas,
    formula: FormulaId,
) -> Option<(FormulaId, usize)> {
    if !is_suspendable(formulas, formula) {
        return None;
    }
    let mut simplifier = Simplifier::new(formulas, Simplify::Full);
    let disjuncts = Form {
        simplifier: &mut simplifier,
    }
    .of(formula, 0)?;
    let formulas = simplifier.formulas();
    let parts: Vec<FormulaId> = disjuncts
        .iter()
        .map(|disjunct| {
            let mut parts = vec![formulas.globally(disjunct.always)];
            for &a in &disjunct.again {
                let finally = formulas.finally(a);
                parts.push(formulas.globally(finally));
            }
            formulas.and_all(&parts)
        })
        .collect();
    let any = formulas.or_all(&parts);
    Some((formulas.finally(any), disjuncts.len()))
}

/// Whether the language does not depend on finite prefixes, as far as the syntax tells.
pub(crate) fn is_suspendable(formulas: &Formulas, f: FormulaId) -> bool {
    formulas.is(f, Class::EVENTUAL.union(Class::UNIVERSAL))
}

struct Form<'s, 'f> {
    simplifier: &'s mut Simplifier<'f>,
}

impl Form<'_, '_> {
    /// The disjuncts of a suspendable formula. Deep nesting is refused rather than recursed into.
    fn of(&mut self, f: FormulaId, depth: u32) -> Option<Vec<Disjunct>> {
        const MAX_DEPTH: u32 = 64;
        if depth > MAX_DEPTH {
            return None;
        }
        let fs = self.simplifier.formulas();
        let (yes, no) = (fs.tt(), fs.ff());
        let child = |fs: &Formulas| fs.child(f, 0);
        match fs.op(f) {
            Op::True => Some(vec![Disjunct {
                always: yes,
                again: Vec::new(),
            }]),
            Op::False => Some(vec![Disjunct {
                always: no,
                again: Vec::new(),
            }]),
            Op::X => {
                let inner = child(fs);
                self.of(inner, depth + 1)
            }
            Op::Or => {
                let parts = fs.children(f).to_vec();
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.of(part, depth + 1)?);
                    self.absorb(&mut all)?;
                }
                Some(all)
            }
            Op::And => {
                let parts = fs.children(f).to_vec();
                self.conjunction(&parts, depth)
            }
            Op::G => {
                let inner = child(fs);
                match fs.op(inner) {
                    _ if is_suspendable(fs, inner) => self.of(inner, depth + 1),
                    Op::And => {
                        let parts = fs.children(inner).to_vec();
                        let parts: Vec<FormulaId> =
                            parts.into_iter().map(|part| fs.globally(part)).collect();
                        self.conjunction(&parts, depth)
                    }
                    // An eventual formula under G: infinitely often.
                    op => {
                        let goal = if op == Op::F {
                            fs.child(inner, 0)
                        } else {
                            inner
                        };
                        Some(vec![Disjunct {
                            always: yes,
                            again: vec![goal],
                        }])
                    }
                }
            }
            Op::F => {
                let inner = child(fs);
                match fs.op(inner) {
                    _ if is_suspendable(fs, inner) => self.of(inner, depth + 1),
                    Op::Or => {
                        let parts = fs.children(inner).to_vec();
                        let parts: Vec<FormulaId> =
                            parts.into_iter().map(|part| fs.finally(part)).collect();
                        let any = fs.or_all(&parts);
                        if fs.op(any) == Op::F {
                            return None;
                        }
                        self.of(any, depth + 1)
                    }
                    Op::And => {
                        let (mut out, rest): (Vec<FormulaId>, Vec<FormulaId>) = fs
                            .children(inner)
                            .iter()
                            .partition(|&&part| is_suspendable(fs, part));
                        if out.is_empty() {
                            return Some(vec![Disjunct {
                                always: inner,
                                again: Vec::new(),
                            }]);
                        }
                        let rest = fs.and_all(&rest);
                        out.push(fs.finally(rest));
                        self.conjunction(&out, depth)
                    }
                    // A universal formula under F: from some moment on, always.
                    op => {
                        let kept = if op == Op::G {
                            fs.child(inner, 0)
                        } else {
                            inner
                        };
                        Some(vec![Disjunct {
                            always: kept,
                            again: Vec::new(),
                        }])
                    }
                }
            }
            _ => None,
        }
    }

    fn conjunction(&mut self, parts: &[FormulaId], depth: u32) -> Option<Vec<Disjunct>> {
        let mut all: Option<Vec<Disjunct>> = None;
        for &part in parts {
            let more = self.of(part, depth + 1)?;
            let Some(known) = all else {
                all = Some(more);
                continue;
            };
            let mut product = Vec::with_capacity(known.len() * more.len());
            if known.len() * more.len() > 4 * MAX_DISJUNCTS {
                return None;
            }
            for a in &known {
                for b in &more {
                    product.push(self.meet(a, b));
                }
            }
            self.absorb(&mut product)?;
            all = Some(product);
        }
        all
    }

    fn meet(&mut self, a: &Disjunct, b: &Disjunct) -> Disjunct {
        let always = self.simplifier.formulas().and(a.always, b.always);
        let always = self.simplifier.run(always);
        let mut again: Vec<FormulaId> = a.again.iter().chain(&b.again).copied().collect();
        again.sort_unstable();
        again.dedup();
        again.retain(|&goal| !self.simplifier.implies(always, goal));
        Disjunct { always, again }
    }

    /// Drops disjuncts that imply another one; of equal ones the first stays.
    fn absorb(&mut self, all: &mut Vec<Disjunct>) -> Option<()> {
        let no = self.simplifier.formulas().ff();
        all.retain(|disjunct| disjunct.always != no);
        let mut kept: Vec<Disjunct> = Vec::with_capacity(all.len());
        for disjunct in all.drain(..) {
            if kept.iter().any(|other| self.implied(&disjunct, other)) {
                continue;
            }
            kept.retain(|other| !self.implied(other, &disjunct));
            kept.push(disjunct);
        }
        *all = kept;
        (all.len() <= MAX_DISJUNCTS).then_some(())
    }

    fn implied(&mut self, strong: &Disjunct, weak: &Disjunct) -> bool {
        self.simplifier.implies(strong.always, weak.always)
            && weak.again.iter().all(|&goal| {
                self.simplifier.implies(strong.always, goal)
                    || strong
                        .again
                        .iter()
                        .any(|&own| self.simplifier.implies(own, goal))
            })
    }
}
