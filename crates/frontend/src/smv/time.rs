//! Models in continuous time: time passes in steps of their own, in which all clocks grow alike and nothing else changes.
//!
//! A delay is exact where it matters: a constraint that is convex in the clocks holds during a delay if it holds at both ends.
//! Others are refused. Formulas are read where they cannot tell one delay from two: without `X` and the like, and without
//! clocks in their atoms. Of these only runs count in which time grows beyond all bounds: a variable sums up delays until one
//! unit has passed, and that must happen again and again.

use super::build::Model;
use super::flat::Slot;
use super::tree::Role;
use lariat_base::{Diagnostic, FxHashMap, Span};
use lariat_expr::{Head, Int, Op, TermId, Value as Literal, VarId};
use lariat_system::{Fairness, Stmt, StmtId, Temporal, TemporalNode, UnaryTemporal, Variable};

impl Model<'_, '_> {
    fn is_clock(&self, var: VarId) -> bool {
        let slot: Option<&Slot> = self.flat.slot_of.get(&var);
        slot.is_some_and(|&slot| self.flat.variables[slot].is_clock)
    }

    /// Whether a term reads a clock.
    fn reads_clock(&self, term: TermId) -> bool {
        let vars = self.flat.cx.terms.free_vars(&[term]);
        vars.into_iter().any(|var| self.is_clock(var))
    }

    fn reads_input(&self, term: TermId) -> bool {
        let vars = self.flat.cx.terms.free_vars(&[term]);
        vars.iter().any(|var| {
            let slot = self.flat.slot_of.get(var);
            slot.is_some_and(|&slot| self.flat.variables[slot].role == Role::Input)
        })
    }

    /// Refuses a constraint on states that a delay might violate on its way.
    pub(super) fn check_convex(&mut self, term: TermId, span: Span) {
        if self.is_convex(term) {
            return;
        }
        let message =
            "this constraint on clocks may fail in the middle of a delay and hold at its ends";
        let finding = Diagnostic::error("unsupported-clocks", message).at(span);
        self.flat.report(
            finding.hint(
                "supported are bounds on clocks, and conditions without clocks that imply them",
            ),
        );
    }

    /// Refuses a condition of urgency that may become true in the middle of a delay.
    pub(super) fn check_urgent(&mut self, term: TermId, span: Span) {
        if self.reads_clock(term) {
            let message = "a condition of urgency that reads clocks is not supported";
            self.flat.error("unsupported-clocks", span, message);
        }
    }

    fn is_convex(&self, root: TermId) -> bool {
        let terms = &self.flat.cx.terms;
        let mut convex: FxHashMap<TermId, bool> = FxHashMap::default();
        for term in terms.subterms(&[root]) {
            let with_clocks = |arg: &&TermId| self.reads_clock(**arg);
            let is_convex = match terms.head(term) {
                Head::Var(_) | Head::Lit(_) => true,
                Head::Op(op, args) => {
                    let n_clocks = args.iter().filter(with_clocks).count();
                    let all = args.iter().all(|arg| convex[arg]);
                    all && match op {
                        _ if n_clocks == 0 => true,
                        Op::And | Op::Add | Op::Le | Op::Lt => true,
                        Op::Eq => terms.sort(args[0]) != terms.sorts.bool(),
                        Op::Or | Op::Mul => n_clocks <= 1,
                        Op::RatDiv => !self.reads_clock(args[1]),
                        Op::Ite => {
                            !self.reads_clock(args[0]) && terms.sort(term) == terms.sorts.bool()
                        }
                        _ => false,
                    }
                }
            };
            convex.insert(term, is_convex);
        }
        convex[&root]
    }

    /// Whether a formula cannot tell one delay from two. In a delay all next values but those of clocks are the present ones, so that both
    /// parts of it are read alike.
    pub(super) fn is_dense(&self, formula: &Temporal) -> bool {
        formula.nodes().iter().all(|node| match node {
            TemporalNode::Atom(term, _) => !self.reads_clock(*term) && !self.reads_input(*term),
            TemporalNode::Unary(operator, _) => !matches!(
                operator,
                UnaryTemporal::X | UnaryTemporal::Y | UnaryTemporal::Z
            ),
            TemporalNode::Within(..) => false,
            TemporalNode::Binary(..) => true,
        })
    }

    /// The variable that sums up delays, and that runs are fair in which it reaches one unit again and again.
    pub(super) fn require_divergence(&mut self) -> VarId {
        let terms = &mut self.flat.cx.terms;
        let rat = terms.sorts.rat();
        let elapsed = terms.declare("elapsed()", rat);
        let one = terms.lit(Literal::Rat(Int::ONE.into()), rat);
        let sum = terms.var(elapsed);
        let reached = terms.le(one, sum);
        self.justice.push(Fairness::Justice(reached));
        elapsed
    }

    /// The declaration of that variable.
    pub(super) fn elapsed_variable(&mut self, elapsed: VarId) -> Variable {
        let rat = self.flat.cx.terms.sorts.rat();
        let zero = self.flat.cx.terms.lit(Literal::Rat(Int::ZERO.into()), rat);
        Variable {
            initial: Some(zero),
            ..Variable::new(elapsed)
        }
    }

    /// What a step does to that variable: it starts anew after one unit, and grows by the delay.
    pub(super) fn count_time(&mut self, elapsed: VarId, delay: Option<TermId>) -> StmtId {
        let terms = &mut self.flat.cx.terms;
        let rat = terms.sorts.rat();
        let zero = terms.lit(Literal::Rat(Int::ZERO.into()), rat);
        let one = terms.lit(Literal::Rat(Int::ONE.into()), rat);
        let sum = terms.var(elapsed);
        let reached = terms.le(one, sum);
        let delay = delay.unwrap_or(zero);
        let more = terms.add(&[sum, delay]);
        let value = terms.ite(reached, delay, more);
        self.flat.cx.stmts.add(Stmt::Assign(elapsed, value), None)
    }

    /// The step in which time passes. `invariants` hold at its end, none of `urgent` at its beginning.
    pub(super) fn delay(
        &mut self,
        invariants: &[(TermId, Span)],
        urgent: &[TermId],
        remembered: &[StmtId],
    ) -> StmtId {
        let terms = &mut self.flat.cx.terms;
        let rat = terms.sorts.rat();
        let delta = terms.declare_instance("delay", rat, 1);
        let zero = terms.lit(Literal::Rat(Int::ZERO.into()), rat);
        let amount = terms.var(delta);
        let passes = terms.lt(zero, amount);
        let stmts = &mut self.flat.cx.stmts;
        let mut step = vec![
            stmts.add(Stmt::Havoc(delta), None),
            stmts.add(Stmt::Assume(passes), None),
        ];
        for &urgent in urgent {
            let calm = self.flat.cx.terms.not(urgent);
            step.push(self.flat.cx.stmts.add(Stmt::Assume(calm), None));
        }
        step.extend_from_slice(remembered);
        if let Some(elapsed) = self.elapsed {
            step.push(self.count_time(elapsed, Some(amount)));
        }
        for slot in self.flat.variables.ids() {
            let variable = &self.flat.variables[slot];
            if variable.is_clock {
                let (clock, span) = (variable.now, variable.span);
                let now = self.flat.cx.terms.var(clock);
                let later = self.flat.cx.terms.add(&[now, amount]);
                step.push(
                    self.flat
                        .cx
                        .stmts
                        .add(Stmt::Assign(clock, later), Some(span)),
                );
            }
        }
        for &(invariant, span) in invariants {
            step.push(self.flat.cx.stmts.add(Stmt::Assume(invariant), Some(span)));
        }
        self.flat.cx.stmts.seq(&step, None)
    }
}
