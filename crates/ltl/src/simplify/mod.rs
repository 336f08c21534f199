//! Rewriting formulas into smaller equivalent ones.
//!
//! Bottom-up on negation normal form, with a memo: children first, then the rules of the node; a
//! rewritten node is simplified again, until no rule applies. The aim is a formula that translates
//! to a small automaton, not a short text: `X` and then `F` are pulled outward, equal operands are
//! joined, and what is implied by a neighbour is dropped.
//!
//! Every rule has a dual (swap `&`/`|`, `F`/`G`, `U`/`R`, `W`/`M`, eventual/universal, and turn
//! implications around), so each is written once and read through a [`View`]. The few rules that
//! pay on one side only say so.
//!
//! - `unary`: `F`, `G`, `X`; `binary`: `U`, `W` and duals; `nary`: `&` and `|`;
//! - `implication`: `f => g` decided from the syntax, Boolean leaves by decision diagrams.
//!
//! The rules were collected from Etessami-Holzmann (CONCUR'00), Somenzi-Bloem (CAV'00) and Spot's
//! documentation, several corrected; all are tested against the lasso-word evaluator. Rules are
//! equivalences at every position, so they are also valid below and above past operators, which
//! themselves are left alone.
//!
//! Termination: rules that make formulas larger could feed each other on unforeseen inputs, so
//! rewriting has [`FUEL`]; when it is spent the formula so far is the result, which is still equivalent.

mod binary;
mod implication;
mod nary;
mod unary;

use crate::bdd::{Bdd, Ref};
use crate::class::Class;
use crate::formula::{ApId, FormulaId, Formulas, Op};
use crate::nnf::{dual, to_nnf};
use lariat_base::{Budget, FxHashMap};

/// How many rewriting steps one simplifier may take.
const FUEL: u32 = 20_000;

/// Nodes of the diagrams that compare Boolean subformulas; beyond that they are just compared by id.
const MAX_BOOLEAN_NODES: usize = 1 << 14;

/// How hard to simplify.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simplify {
    /// Only rules that look at the node and its class.
    Cheap,
    /// Rules that ask whether one formula implies another too.
    Full,
}

/// An equivalent formula in negation normal form that tends to give a smaller automaton.
pub fn simplify(formulas: &mut Formulas, formula: FormulaId, how: Simplify) -> FormulaId {
    let nnf = to_nnf(formulas, formula, false);
    Simplifier::new(formulas, how).run(nnf)
}

/// The negation normal form of `formula`.
pub fn negation_normal_form(formulas: &mut Formulas, formula: FormulaId) -> FormulaId {
    to_nnf(formulas, formula, false)
}

pub(crate) struct Simplifier<'a> {
    fs: &'a mut Formulas,
    how: Simplify,
    memo: FxHashMap<FormulaId, FormulaId>,
    negations: FxHashMap<FormulaId, FormulaId>,
    implications: FxHashMap<(FormulaId, FormulaId), bool>,
    bdd: Bdd,
    ap_vars: FxHashMap<ApId, u32>,
    functions: FxHashMap<FormulaId, Ref>,
    canonical: FxHashMap<Ref, FormulaId>,
    fuel: u32,
}

/// Reads a rule as it is written or as its dual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct View {
    dual: bool,
}

impl View {
    fn op(self, op: Op) -> Op {
        if self.dual { dual(op) } else { op }
    }

    fn class(self, class: Class) -> Class {
        match class {
            Class::EVENTUAL if self.dual => Class::UNIVERSAL,
            Class::UNIVERSAL if self.dual => Class::EVENTUAL,
            _ => class,
        }
    }
}

enum Task {
    Enter(FormulaId),
    Build(FormulaId),
    Alias(FormulaId, FormulaId),
}

impl<'a> Simplifier<'a> {
    pub(crate) fn new(fs: &'a mut Formulas, how: Simplify) -> Self {
        Self {
            fs,
            how,
            memo: FxHashMap::default(),
            negations: FxHashMap::default(),
            implications: FxHashMap::default(),
            bdd: Bdd::with_max_nodes(&Budget::unlimited(), MAX_BOOLEAN_NODES),
            ap_vars: FxHashMap::default(),
            functions: FxHashMap::default(),
            canonical: FxHashMap::default(),
            fuel: FUEL,
        }
    }

    /// The store that is worked on.
    pub(crate) fn formulas(&mut self) -> &mut Formulas {
        self.fs
    }

    /// Simplifies `formula`, which is in negation normal form.
    pub(crate) fn run(&mut self, formula: FormulaId) -> FormulaId {
        let mut tasks = vec![Task::Enter(formula)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Enter(f) => {
                    if !self.memo.contains_key(&f) {
                        tasks.push(Task::Build(f));
                        if !self.fs.is(f, Class::BOOLEAN) {
                            let children = self.fs.children(f).iter();
                            tasks.extend(children.map(|&c| Task::Enter(c)));
                        }
                    }
                }
                Task::Build(f) => {
                    if self.memo.contains_key(&f) {
                        continue;
                    }
                    let node = self.rebuild(f);
                    let better = self.rewrite(node);
                    if better == node || self.fuel == 0 {
                        self.memo.insert(f, better);
                        self.memo.insert(better, better);
                    } else {
                        self.fuel -= 1;
                        tasks.push(Task::Alias(f, better));
                        tasks.push(Task::Enter(better));
                    }
                }
                Task::Alias(f, better) => {
                    // Absent only if `better` is still being simplified further up: stop there.
                    let done = self.memo.get(&better).copied().unwrap_or(better);
                    self.memo.insert(f, done);
                }
            }
        }
        self.memo[&formula]
    }

    /// The node over its simplified children.
    fn rebuild(&mut self, f: FormulaId) -> FormulaId {
        if self.fs.is(f, Class::BOOLEAN) {
            return f;
        }
        let children: Vec<FormulaId> = self
            .fs
            .children(f)
            .iter()
            .map(|c| self.memo.get(c).copied().unwrap_or(*c))
            .collect();
        let op = self.fs.op(f);
        self.fs.make(op, &children)
    }

    /// One step at the top node; the same formula if no rule applies.
    fn rewrite(&mut self, f: FormulaId) -> FormulaId {
        if self.fs.is(f, Class::BOOLEAN) {
            return self.canonical_boolean(f);
        }
        let op = self.fs.op(f);
        let view = View {
            dual: matches!(op, Op::Or | Op::F | Op::R | Op::M),
        };
        let rewritten = match op {
            Op::X => self.rewrite_next(f),
            Op::G | Op::F => self.rewrite_globally(view, f),
            Op::U | Op::R => self.rewrite_until(view, f),
            Op::W | Op::M => self.rewrite_weak_until(view, f),
            Op::And | Op::Or => self.rewrite_and(view, f),
            _ => None,
        };
        rewritten.unwrap_or(f)
    }

    /// The first formula seen with the same truth table.
    fn canonical_boolean(&mut self, f: FormulaId) -> FormulaId {
        let Some(function) = self.function(f) else {
            return f;
        };
        match function {
            Ref::TRUE => self.fs.tt(),
            Ref::FALSE => self.fs.ff(),
            _ => {
                let size = self.fs.children(f).len();
                let known = *self.canonical.entry(function).or_insert(f);
                // Prefer the flatter form when it shows up later.
                if self.fs.children(known).len() > size && size < 2 {
                    self.canonical.insert(function, f);
                    return f;
                }
                known
            }
        }
    }

    /// The diagram of a Boolean formula, unless diagrams have become too large.
    fn function(&mut self, f: FormulaId) -> Option<Ref> {
        if let Some(&known) = self.functions.get(&f) {
            return Some(known);
        }
        for g in self.fs.subformulas(f) {
            if self.functions.contains_key(&g) {
                continue;
            }
            let children = self.fs.children(g);
            let parts: Vec<Ref> = children.iter().map(|c| self.functions[c]).collect();
            let function = match self.fs.op(g) {
                Op::True => Ref::TRUE,
                Op::False => Ref::FALSE,
                Op::Ap(ap) => {
                    let next = self.ap_vars.len() as u32;
                    if next >= crate::bdd::MAX_VARS {
                        return None;
                    }
                    let var = *self.ap_vars.entry(ap).or_insert(next);
                    self.bdd.var(var)
                }
                Op::Not => self.bdd.not(parts[0]),
                Op::And => parts.iter().fold(Ref::TRUE, |a, &b| self.bdd.and(a, b)),
                Op::Or => parts.iter().fold(Ref::FALSE, |a, &b| self.bdd.or(a, b)),
                op => unreachable!("{op:?} is not Boolean in negation normal form"),
            };
            if self.bdd.stopped().is_err() {
                return None;
            }
            self.functions.insert(g, function);
        }
        Some(self.functions[&f])
    }

    // ----- helpers of the rules, all through a view -----

    /// The operator of `f` as the view sees it; only for operators that have a dual.
    fn seen(&self, view: View, f: FormulaId) -> Op {
        match self.fs.op(f) {
            op @ (Op::Ap(_) | Op::Not) => op,
            op => view.op(op),
        }
    }

    fn has(&self, view: View, f: FormulaId, class: Class) -> bool {
        self.fs.is(f, view.class(class))
    }

    /// Both eventual and universal: prefix-independent.
    fn is_suspendable(&self, f: FormulaId) -> bool {
        self.fs.is(f, Class::EVENTUAL.union(Class::UNIVERSAL))
    }

    fn mk(&mut self, view: View, op: Op, children: &[FormulaId]) -> FormulaId {
        self.fs.make(view.op(op), children)
    }

    fn mk1(&mut self, view: View, op: Op, f: FormulaId) -> FormulaId {
        self.mk(view, op, &[f])
    }

    fn mk2(&mut self, view: View, op: Op, f: FormulaId, g: FormulaId) -> FormulaId {
        self.mk(view, op, &[f, g])
    }

    /// The children of `f` if the view sees `op`, otherwise `f` alone.
    fn parts(&self, view: View, op: Op, f: FormulaId) -> Vec<FormulaId> {
        if self.seen(view, f) == op {
            self.fs.children(f).to_vec()
        } else {
            vec![f]
        }
    }

    /// The children of `f` if the view sees the binary operator `op`.
    fn binary(&self, view: View, op: Op, f: FormulaId) -> Option<(FormulaId, FormulaId)> {
        (self.seen(view, f) == op).then(|| (self.fs.child(f, 0), self.fs.child(f, 1)))
    }

    /// The child of `f` if the view sees the unary operator `op`.
    fn unary(&self, view: View, op: Op, f: FormulaId) -> Option<FormulaId> {
        (self.seen(view, f) == op).then(|| self.fs.child(f, 0))
    }

    /// Whether `f => g` as the view sees it.
    fn view_implies(&mut self, view: View, f: FormulaId, g: FormulaId) -> bool {
        if view.dual {
            self.implies(g, f)
        } else {
            self.implies(f, g)
        }
    }

    /// Whether `f | g` is true, as the view sees it: `f & g` is false in the dual.
    fn view_covers(&mut self, view: View, f: FormulaId, g: FormulaId) -> bool {
        if view.dual {
            let not_g = self.negation(g);
            self.implies(f, not_g)
        } else {
            let not_f = self.negation(f);
            self.implies(not_f, g)
        }
    }

    fn negation(&mut self, f: FormulaId) -> FormulaId {
        if let Some(&known) = self.negations.get(&f) {
            return known;
        }
        let negation = to_nnf(self.fs, f, true);
        self.negations.insert(f, negation);
        self.negations.insert(negation, f);
        negation
    }
}
