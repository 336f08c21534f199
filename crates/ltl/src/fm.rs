//! The tableau: from a formula in negation normal form to a transition-based generalized automaton
//! (Couvreur FM'99, with the symbolic state keys of Duret-Lutz 2011).
//!
//! Each formula is unfolded one step into a Boolean function `r` of three kinds of variables: atoms
//! of the present, `Next[f]` (f must hold from the next position on) and promises `P(f)` (f is put
//! off once more). Prime implicants of that function are the edges: the `Next` variables give the
//! target, a conjunction; an edge belongs to the acceptance set of every promise it does not make.
//!
//! - The key of a state is the function `r` itself, not the formula: two formulas with the same
//!   function, promises included, are the same state. (Merging merely equivalent formulas is *not*
//!   sound here: rewriting `F a` to `a | X F a` at every step would never make the promise.)
//! - Promises are shared, also through nesting: `P(f U g) = P(F g) = P(g)`, `P(f M g) = P(f & g)`. A persistence formula
//!   needs only one promise altogether.
//! - Directly below `G` a promise needs no `Next`: `G F a` asks for `F a` again anyway.
//! - With [`Letters::Explicit`] a function is first split by the atoms, so that each letter is given
//!   only the targets it needs: more deterministic, mostly smaller. Otherwise one cover of the whole.
//!
//! The function is monotone in `Next` and promises (they occur only positively), so its cover is
//! its set of prime implicants and does not depend on the order of variables.

use crate::automaton::all_marks;
use crate::bdd::{Bdd, Lit, MAX_VARS, Ref};
use crate::class::Class;
use crate::formula::{ApId, FormulaId, Formulas, Op};
use crate::graph::{Arc, Graph};
use crate::limits::{LOOK, TranslateError};
use lariat_base::{Budget, FxHashMap, FxHashSet};

/// A function with more nodes above its targets is not split by letters: it would take too long.
const MAX_SPLIT: usize = 1024;

/// A state with more choices makes no useful automaton.
const MAX_CHOICES: usize = 1 << 17;

/// How the successors of a state are enumerated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Letters {
    /// Split by atoms first.
    Explicit,
    /// One cover over atoms and targets together.
    Symbolic,
}

/// A raw automaton: labels are diagrams over variables `0..aps.len()` of the manager given to
/// [`tableau`].
#[derive(Debug)]
pub(crate) struct Tableau {
    pub(crate) graph: Graph<Ref>,
}

/// Translates `formula`, which is in negation normal form without past operators.
/// Atom `aps[i]` is variable `i`; every atom of the formula is in `aps`.
pub(crate) fn tableau(
    formulas: &mut Formulas,
    formula: FormulaId,
    aps: &[ApId],
    bdd: &mut Bdd,
    letters: Letters,
    max_states: usize,
    budget: &Budget,
) -> Result<Tableau, TranslateError> {
    let mut unfolding = Unfolding {
        single_promise: formulas.is(formula, Class::PERSISTENCE),
        ap_vars: aps
            .iter()
            .enumerate()
            .map(|(i, &ap)| (ap, i as u32))
            .collect(),
        formulas,
        bdd,
        first_dynamic: aps.len() as u32,
        kinds: Vec::new(),
        next_vars: FxHashMap::default(),
        promise_vars: FxHashMap::default(),
        n_promises: 0,
        memo: FxHashMap::default(),
    };
    unfolding.explore(formula, letters, max_states, budget)
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Next(FormulaId),
    Promise(u32),
}

struct Unfolding<'a> {
    formulas: &'a mut Formulas,
    bdd: &'a mut Bdd,
    ap_vars: FxHashMap<ApId, u32>,
    first_dynamic: u32,
    kinds: Vec<Kind>,
    next_vars: FxHashMap<FormulaId, u32>,
    promise_vars: FxHashMap<FormulaId, u32>,
    n_promises: u32,
    single_promise: bool,
    memo: FxHashMap<(FormulaId, bool), Ref>,
}

/// One way to go on: the letters, the formulas of the target, the promises made.
struct Choice {
    label: Ref,
    target: FormulaId,
    promises: u64,
}

impl Unfolding<'_> {
    fn explore(
        &mut self,
        formula: FormulaId,
        letters: Letters,
        max_states: usize,
        budget: &Budget,
    ) -> Result<Tableau, TranslateError> {
        let mut state_of: FxHashMap<Ref, u32> = FxHashMap::default();
        let mut target_of: FxHashMap<FormulaId, Option<u32>> = FxHashMap::default();
        let mut functions: Vec<Ref> = Vec::new();
        let mut rows: Vec<Vec<Arc<Ref>>> = Vec::new();
        let first = self.unfold(formula)?;
        if first == Ref::FALSE {
            return Ok(Tableau {
                graph: Graph::empty(),
            });
        }
        state_of.insert(first, 0);
        functions.push(first);
        let mut choices = Vec::new();
        while rows.len() < functions.len() {
            if functions.len() > max_states {
                return Err(TranslateError::TooManyStates(max_states));
            }
            if rows.len() % 64 == 63 {
                budget.spend(LOOK)?;
            }
            let function = functions[rows.len()];
            choices.clear();
            match letters {
                Letters::Explicit => self.split_by_atoms(function, &mut choices)?,
                Letters::Symbolic => self.cover(function, Ref::TRUE, &mut choices)?,
            }
            let mut row: Vec<Arc<Ref>> = Vec::with_capacity(choices.len());
            let mut place: FxHashMap<(u32, u64), usize> = FxHashMap::default();
            let mut done = Ref::FALSE;
            for (i, choice) in choices.iter().enumerate() {
                if i % 1024 == 1023 {
                    budget.spend(LOOK)?;
                }
                let target = match target_of.get(&choice.target) {
                    Some(&known) => known,
                    None => {
                        let function = self.unfold(choice.target)?;
                        let known = (function != Ref::FALSE).then(|| {
                            *state_of.entry(function).or_insert_with(|| {
                                functions.push(function);
                                functions.len() as u32 - 1
                            })
                        });
                        target_of.insert(choice.target, known);
                        known
                    }
                };
                let Some(target) = target else { continue };
                if functions[target as usize] == Ref::TRUE && choice.promises == 0 {
                    done = self.bdd.or(done, choice.label);
                }
                // Promises for now; turned into marks when their number is known.
                let marks = choice.promises;
                let at = *place.entry((target, marks)).or_insert(row.len());
                if let Some(arc) = row.get_mut(at) {
                    arc.label = self.bdd.or(arc.label, choice.label);
                } else {
                    row.push(Arc {
                        target,
                        marks,
                        label: choice.label,
                    });
                }
            }
            for arc in &mut row {
                if functions[arc.target as usize] != Ref::TRUE || arc.marks != 0 {
                    arc.label = self.bdd.diff(arc.label, done);
                }
            }
            row.retain(|arc| arc.label != Ref::FALSE);
            self.bdd.stopped()?;
            rows.push(row);
        }
        let all = all_marks(self.n_promises);
        let arcs = rows.iter_mut().flatten();
        arcs.for_each(|arc| arc.marks = all & !arc.marks);
        Ok(Tableau {
            graph: Graph {
                initial: 0,
                n_sets: self.n_promises,
                rows,
            },
        })
    }

    /// The function of `formula`, computed children first with an explicit stack.
    fn unfold(&mut self, formula: FormulaId) -> Result<Ref, TranslateError> {
        let mut stack = vec![(formula, false, false)];
        while let Some((f, recurring, ready)) = stack.pop() {
            if self.memo.contains_key(&(f, recurring)) {
                continue;
            }
            let op = self.formulas.op(f);
            if !ready && !matches!(op, Op::X | Op::Ap(_) | Op::Not) {
                stack.push((f, recurring, true));
                let children = self.formulas.children(f);
                let below = below(op, recurring);
                stack.extend(children.iter().map(|&c| (c, below, false)));
                continue;
            }
            let function = self.unfold_node(f, recurring)?;
            self.bdd.stopped()?;
            self.memo.insert((f, recurring), function);
        }
        Ok(self.memo[&(formula, false)])
    }

    /// One step of unfolding; the children are in the memo.
    fn unfold_node(&mut self, f: FormulaId, recurring: bool) -> Result<Ref, TranslateError> {
        let op = self.formulas.op(f);
        let below = below(op, recurring);
        let child = |this: &Self, i: usize| {
            let c = this.formulas.child(f, i);
            this.memo[&(c, below)]
        };
        Ok(match op {
            Op::True => Ref::TRUE,
            Op::False => Ref::FALSE,
            Op::Ap(ap) => self.bdd.var(self.ap_vars[&ap]),
            Op::Not => {
                let Op::Ap(ap) = self.formulas.op(self.formulas.child(f, 0)) else {
                    unreachable!("negation normal form negates only atoms");
                };
                self.bdd.lit(Lit {
                    var: self.ap_vars[&ap],
                    positive: false,
                })
            }
            Op::And => {
                let n = self.formulas.children(f).len();
                let mut parts: Vec<Ref> = (0..n).map(|i| child(self, i)).collect();
                // Many parts: small ones first, they tend to be constraints that keep the rest small.
                if n > 4 {
                    parts.sort_by_key(|&part| self.bdd.size(part, 512));
                }
                parts
                    .iter()
                    .fold(Ref::TRUE, |acc, &part| self.bdd.and(acc, part))
            }
            Op::Or => {
                let n = self.formulas.children(f).len();
                (0..n).fold(Ref::FALSE, |acc, i| {
                    let c = child(self, i);
                    self.bdd.or(acc, c)
                })
            }
            Op::X => {
                let argument = self.formulas.child(f, 0);
                self.next(argument)?
            }
            Op::G => {
                let now = child(self, 0);
                let later = self.next(f)?;
                self.bdd.and(now, later)
            }
            Op::F => {
                let goal = self.formulas.child(f, 0);
                let now = child(self, 0);
                let later = self.put_off(goal, f, recurring)?;
                self.bdd.or(now, later)
            }
            Op::U => {
                let (left, goal) = (self.formulas.child(f, 0), self.formulas.child(f, 1));
                let (hold, now) = (child(self, 0), child(self, 1));
                let again = if self.formulas.is(left, Class::UNIVERSAL) {
                    self.formulas.finally(goal)
                } else {
                    f
                };
                let later = self.put_off(goal, again, recurring)?;
                let later = self.bdd.and(hold, later);
                self.bdd.or(now, later)
            }
            Op::M => {
                let (left, right) = (self.formulas.child(f, 0), self.formulas.child(f, 1));
                let (stop, hold) = (child(self, 0), child(self, 1));
                let goal = self.formulas.and(left, right);
                let later = self.put_off(goal, f, recurring)?;
                let end = self.bdd.or(stop, later);
                self.bdd.and(hold, end)
            }
            Op::W => {
                let (hold, now) = (child(self, 0), child(self, 1));
                let later = self.next(f)?;
                let later = self.bdd.and(hold, later);
                self.bdd.or(now, later)
            }
            Op::R => {
                let (stop, hold) = (child(self, 0), child(self, 1));
                let later = self.next(f)?;
                let end = self.bdd.or(stop, later);
                self.bdd.and(hold, end)
            }
            Op::Implies | Op::Iff | Op::Xor => unreachable!("negation normal form has no {op:?}"),
            Op::Y | Op::Z | Op::O | Op::H | Op::S | Op::T => {
                unreachable!("past operators were removed before the tableau")
            }
        })
    }

    /// `P(goal)` and, unless it is asked again anyway, `Next[again]`.
    fn put_off(
        &mut self,
        goal: FormulaId,
        again: FormulaId,
        recurring: bool,
    ) -> Result<Ref, TranslateError> {
        let key = if self.single_promise {
            self.formulas.tt()
        } else {
            self.promise(goal)
        };
        let var = if let Some(&var) = self.promise_vars.get(&key) {
            var
        } else {
            if self.n_promises == 64 {
                return Err(TranslateError::TooManySets);
            }
            let var = self.new_var(Kind::Promise(self.n_promises))?;
            self.n_promises += 1;
            self.promise_vars.insert(key, var);
            var
        };
        let promise = self.bdd.var(var);
        if recurring {
            return Ok(promise);
        }
        let later = self.next(again)?;
        Ok(self.bdd.and(promise, later))
    }

    /// What is promised in the end: the goal of the innermost until.
    fn promise(&mut self, goal: FormulaId) -> FormulaId {
        let mut goal = goal;
        loop {
            goal = match self.formulas.op(goal) {
                Op::F => self.formulas.child(goal, 0),
                Op::U => self.formulas.child(goal, 1),
                Op::M => {
                    let (left, right) =
                        (self.formulas.child(goal, 0), self.formulas.child(goal, 1));
                    self.formulas.and(left, right)
                }
                _ => return goal,
            };
        }
    }

    /// `Next[f]`, split over conjunctions.
    fn next(&mut self, f: FormulaId) -> Result<Ref, TranslateError> {
        match self.formulas.op(f) {
            Op::True => return Ok(Ref::TRUE),
            Op::False => return Ok(Ref::FALSE),
            Op::And => {
                let mut all = Ref::TRUE;
                for i in 0..self.formulas.children(f).len() {
                    let part = self.next(self.formulas.child(f, i))?;
                    all = self.bdd.and(all, part);
                }
                return Ok(all);
            }
            _ => {}
        }
        let var = if let Some(&var) = self.next_vars.get(&f) {
            var
        } else {
            let var = self.new_var(Kind::Next(f))?;
            self.next_vars.insert(f, var);
            var
        };
        Ok(self.bdd.var(var))
    }

    fn new_var(&mut self, kind: Kind) -> Result<u32, TranslateError> {
        let var = self.first_dynamic + self.kinds.len() as u32;
        if var >= MAX_VARS {
            return Err(TranslateError::TooManySubformulas);
        }
        self.kinds.push(kind);
        Ok(var)
    }

    /// Splits `function` by the atoms: every remaining function gets the letters that lead to it.
    fn split_by_atoms(
        &mut self,
        function: Ref,
        out: &mut Vec<Choice>,
    ) -> Result<(), TranslateError> {
        let mut nodes = vec![function];
        let mut seen: FxHashSet<Ref> = FxHashSet::default();
        seen.insert(function);
        let mut at = 0;
        while at < nodes.len() {
            let node = nodes[at];
            at += 1;
            if self.bdd.top(node) < self.first_dynamic {
                let (lo, hi) = self.bdd.branches(node);
                for child in [lo, hi] {
                    if child != Ref::FALSE && seen.insert(child) {
                        nodes.push(child);
                    }
                }
            }
        }
        if nodes.len() > MAX_SPLIT {
            return self.cover(function, Ref::TRUE, out);
        }
        // Parents have smaller variables than children; what is below the atoms comes last.
        let level = |bdd: &Bdd, node: Ref| bdd.top(node).min(self.first_dynamic);
        nodes.sort_by_key(|&node| level(self.bdd, node));
        let mut letters: FxHashMap<Ref, Ref> = FxHashMap::default();
        letters.insert(function, Ref::TRUE);
        for node in nodes {
            let label = letters[&node];
            let var = self.bdd.top(node);
            if var >= self.first_dynamic {
                self.cover(node, label, out)?;
                continue;
            }
            let (lo, hi) = self.bdd.branches(node);
            for (child, positive) in [(lo, false), (hi, true)] {
                if child != Ref::FALSE {
                    let lit = self.bdd.lit(Lit { var, positive });
                    let part = self.bdd.and(label, lit);
                    let known = letters.get(&child).copied().unwrap_or(Ref::FALSE);
                    let joined = self.bdd.or(known, part);
                    letters.insert(child, joined);
                }
            }
        }
        Ok(())
    }

    /// The prime implicants of `function` as choices, all restricted to `letters`.
    fn cover(
        &mut self,
        function: Ref,
        letters: Ref,
        out: &mut Vec<Choice>,
    ) -> Result<(), TranslateError> {
        let mut cubes: Vec<Vec<Lit>> = Vec::new();
        self.bdd.isop(function, &mut |cube| {
            cubes.push(cube.to_vec());
            cubes.len() < MAX_CHOICES
        });
        self.bdd.stopped()?;
        if cubes.len() >= MAX_CHOICES {
            return Err(TranslateError::TooManyEdges(MAX_CHOICES));
        }
        let mut parts = Vec::new();
        for cube in cubes {
            parts.clear();
            let mut label = letters;
            let mut promises = 0;
            for lit in cube {
                if lit.var < self.first_dynamic {
                    let factor = self.bdd.lit(lit);
                    label = self.bdd.and(label, factor);
                } else {
                    debug_assert!(lit.positive, "functions are monotone in Next and promises");
                    match self.kinds[(lit.var - self.first_dynamic) as usize] {
                        Kind::Next(f) => parts.push(f),
                        Kind::Promise(set) => promises |= 1 << set,
                    }
                }
            }
            let target = self.formulas.and_all(&parts);
            out.push(Choice {
                label,
                target,
                promises,
            });
        }
        Ok(())
    }
}

/// Whether the children of a node are asked again at the next position in any case.
fn below(op: Op, recurring: bool) -> bool {
    match op {
        Op::G => true,
        Op::And => recurring,
        _ => false,
    }
}
