//! Statements that give a set of variables their values: at the start, or in a step.

use super::build::Model;
use super::flat::Sound;
use super::value::{Pick, PickId};
use lariat_base::{FxHashMap, FxHashSet, Span};
use lariat_expr::{TermId, VarId};
use lariat_system::{Stmt, StmtId};

/// How a block of statements gives variables their values.
#[derive(Default)]
pub(super) struct Block {
    /// Variables with any value, and what tells their values.
    pub free: Vec<(VarId, TermId, Span)>,
    /// Variables with what they may be given.
    pub given: Vec<(VarId, PickId, Span)>,
    pub assumed: Vec<(TermId, Span)>,
}

impl Model<'_, '_> {
    /// The terms in a set.
    pub(super) fn terms_of(&self, pick: PickId) -> Vec<TermId> {
        let picks = self.flat.inner_picks(pick).into_iter();
        picks
            .filter_map(|pick| match self.flat.picks[pick] {
                Pick::One(term) | Pick::If(term, ..) => Some(term),
                _ => None,
            })
            .collect()
    }

    /// The statements of a block.
    pub(super) fn statements(&mut self, block: Block) -> Sound<Vec<StmtId>> {
        let order = self.order(&block)?;
        let mut stmts = Vec::new();
        // What depends on a choice or on a free variable comes after constraints on what does not.
        let mut late: FxHashSet<VarId> = block.free.iter().map(|&(var, ..)| var).collect();
        let mut waiting = Vec::new();
        for at in order {
            let (var, pick, span) = block.given[at];
            let picked = self.simplified(pick, var);
            let reads = self.flat.cx.terms.free_vars(&self.terms_of(picked));
            match self.flat.picks[picked] {
                Pick::One(term) if !reads.iter().any(|read| late.contains(read)) => {
                    stmts.push(self.flat.cx.stmts.add(Stmt::Assign(var, term), Some(span)));
                }
                _ => {
                    late.insert(var);
                    waiting.push((var, picked, span));
                }
            }
        }
        let chosen: FxHashSet<VarId> = waiting.iter().map(|&(var, ..)| var).collect();
        let yes = self.flat.cx.terms.true_();
        for &(var, domain, span) in &block.free {
            stmts.push(self.flat.cx.stmts.add(Stmt::Havoc(var), Some(span)));
            if domain != yes {
                stmts.push(self.flat.cx.stmts.add(Stmt::Assume(domain), Some(span)));
            }
        }
        let depends = |model: &Self, term: TermId| {
            let vars = model.flat.cx.terms.free_vars(&[term]);
            vars.iter().any(|var| chosen.contains(var))
        };
        let (after, before): (Vec<_>, Vec<_>) = block
            .assumed
            .iter()
            .partition(|(term, _)| depends(self, *term));
        for (term, span) in before {
            self.assume(&mut stmts, term, span);
        }
        for (var, pick, span) in waiting {
            stmts.push(self.choice(var, pick, span));
        }
        for (term, span) in after {
            self.assume(&mut stmts, term, span);
        }
        Ok(stmts)
    }

    fn assume(&mut self, stmts: &mut Vec<StmtId>, term: TermId, span: Span) {
        if term != self.flat.cx.terms.true_() {
            stmts.push(self.flat.cx.stmts.add(Stmt::Assume(term), Some(span)));
        }
    }

    /// An order of the assignments in which each reads only what has its value.
    fn order(&mut self, block: &Block) -> Sound<Vec<usize>> {
        let position: FxHashMap<VarId, usize> = block
            .given
            .iter()
            .enumerate()
            .map(|(at, given)| (given.0, at))
            .collect();
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); block.given.len()];
        let mut n_missing = vec![0usize; block.given.len()];
        for (at, &(_, pick, _)) in block.given.iter().enumerate() {
            for var in self.flat.cx.terms.free_vars(&self.terms_of(pick)) {
                if let Some(&read) = position.get(&var) {
                    readers[read].push(at);
                    n_missing[at] += 1;
                }
            }
        }
        let mut ready: std::collections::BTreeSet<usize> = (0..block.given.len())
            .filter(|&at| n_missing[at] == 0)
            .collect();
        let mut order = Vec::with_capacity(block.given.len());
        while let Some(at) = ready.pop_first() {
            order.push(at);
            for &reader in &readers[at] {
                n_missing[reader] -= 1;
                if n_missing[reader] == 0 {
                    ready.insert(reader);
                }
            }
        }
        if order.len() < block.given.len() {
            let stuck = (0..block.given.len()).find(|&at| n_missing[at] > 0);
            let span = block.given[stuck.expect("something is left")].2;
            let message = "these assignments depend on each other in a circle";
            return Err(self.flat.error("circular-assignment", span, message));
        }
        Ok(order)
    }

    /// A set of constants that are all values of a finite sort is any value.
    fn simplified(&mut self, pick: PickId, var: VarId) -> PickId {
        let mut seen: Vec<TermId> = Vec::new();
        let mut todo = vec![pick];
        while let Some(at) = todo.pop() {
            match &self.flat.picks[at] {
                Pick::One(term) if self.flat.cx.terms.as_lit(*term).is_some() => seen.push(*term),
                Pick::Any(parts) => todo.extend(parts),
                _ => return pick,
            }
        }
        seen.sort_unstable();
        seen.dedup();
        let sort = self.flat.cx.terms.var_sort(var);
        let count = self.flat.cx.terms.sorts.cardinality(sort);
        if seen.len() > 1 && count == Some(seen.len() as u64) {
            return self.flat.pick(Pick::Any(Vec::new()));
        }
        if seen.len() == 1 {
            self.flat.pick(Pick::One(seen[0]))
        } else {
            pick
        }
    }

    /// The statement that gives a variable a value of a set. An empty union stands for any value.
    fn choice(&mut self, var: VarId, root: PickId, span: Span) -> StmtId {
        let mut done: FxHashMap<PickId, StmtId> = FxHashMap::default();
        for at in self.flat.inner_picks(root) {
            let at_span = Some(span);
            let stmt = match self.flat.picks[at].clone() {
                Pick::One(term) => self.flat.cx.stmts.add(Stmt::Assign(var, term), at_span),
                Pick::Range(low, high) => {
                    let term = self.flat.cx.terms.var(var);
                    let inside = self.flat.between(term, &low, &high);
                    let havoc = self.flat.cx.stmts.add(Stmt::Havoc(var), at_span);
                    let assume = self.flat.cx.stmts.add(Stmt::Assume(inside), at_span);
                    self.flat.cx.stmts.seq(&[havoc, assume], at_span)
                }
                Pick::Any(parts) if parts.is_empty() => {
                    self.flat.cx.stmts.add(Stmt::Havoc(var), at_span)
                }
                Pick::Any(parts) => {
                    let parts: Vec<StmtId> = parts.iter().map(|part| done[part]).collect();
                    self.flat.cx.stmts.choice(&parts, at_span)
                }
                Pick::If(condition, then, otherwise) => {
                    let stmt = Stmt::If(condition, done[&then], done[&otherwise]);
                    self.flat.cx.stmts.add(stmt, at_span)
                }
            };
            done.insert(at, stmt);
        }
        done[&root]
    }
}
