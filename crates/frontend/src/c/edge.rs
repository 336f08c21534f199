//! One step of the program, worked out on terms.
//!
//! What an expression does is collected as a map from variables to terms over the state *before* the
//! step: the value of `x++` is `x`, and `x` becomes `x + 1`. So no temporary variables are needed, side
//! effects and short-circuit evaluation included. At the end the map becomes a sequence of assignments, in an
//! order in which each reads what it should.

use super::arith::{Arith, IntMode};
use super::types::IntTy;
use lariat_base::{FxHashMap, Span};
use lariat_expr::{Head, Op, Substitution, TermId, Terms, Value, VarId};
use lariat_system::{Context, Stmt, StmtId};

/// A value that the environment chooses.
#[derive(Clone, Copy, Debug)]
struct Input {
    var: VarId,
    term: TermId,
    /// The type whose range it lies in; none: any value of its sort.
    int: Option<IntTy>,
    span: Span,
}

/// The effects of a step so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    values: FxHashMap<VarId, TermId>,
    order: Vec<VarId>,
    inputs: Vec<Input>,
    assumes: Vec<TermId>,
    /// When a signed operation overflows, if that is asked.
    overflows: Vec<TermId>,
}

/// What a branch of an expression changed.
pub(super) struct Branch {
    values: FxHashMap<VarId, TermId>,
}

impl Step {
    pub fn is_empty(&self) -> bool {
        self.order.is_empty() && self.assumes.is_empty()
    }

    /// The value of a variable now.
    pub fn read(&self, terms: &mut Terms, var: VarId) -> TermId {
        match self.values.get(&var) {
            Some(&term) => term,
            None => terms.var(var),
        }
    }

    pub fn write(&mut self, var: VarId, term: TermId) {
        if self.values.insert(var, term).is_none() && !self.order.contains(&var) {
            self.order.push(var);
        }
    }

    pub fn assume(&mut self, term: TermId) {
        self.assumes.push(term);
    }

    /// Notes that the step overflows where a condition holds, if what was assumed before does.
    pub fn overflow(&mut self, terms: &mut Terms, when: TermId) {
        let mut all = self.assumes.clone();
        all.push(when);
        self.overflows.push(terms.and(&all));
    }

    pub fn overflows(&self) -> &[TermId] {
        &self.overflows
    }

    /// A value of the environment: of the type's range, or any of its sort.
    pub fn input(
        &mut self,
        terms: &mut Terms,
        var: VarId,
        int: Option<IntTy>,
        span: Span,
    ) -> TermId {
        let term = terms.var(var);
        self.inputs.push(Input {
            var,
            term,
            int,
            span,
        });
        term
    }

    /// Whether a term is a value that the environment chose.
    pub fn is_input(&self, term: TermId) -> bool {
        self.inputs.iter().any(|input| input.term == term)
    }

    pub fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Remembers the effects before a part that is evaluated only sometimes.
    pub fn fork(&self) -> Branch {
        Branch {
            values: self.values.clone(),
        }
    }

    /// Ends a branch: gives its effects and goes back to those from before it.
    pub fn back(&mut self, before: &Branch) -> Branch {
        Branch {
            values: std::mem::replace(&mut self.values, before.values.clone()),
        }
    }

    /// The effects of one branch or the other.
    pub fn merge(&mut self, terms: &mut Terms, condition: TermId, then: &Branch, other: &Branch) {
        for i in 0..self.order.len() {
            let var = self.order[i];
            let mut side = |branch: &Branch| match branch.values.get(&var) {
                Some(&term) => term,
                None => terms.var(var),
            };
            let (then, other) = (side(then), side(other));
            let term = terms.ite(condition, then, other);
            self.values.insert(var, term);
        }
    }

    /// The statements of the step where it overflows; `None` if it never does. What is assumed after
    /// the overflow does not undo it.
    pub fn overflowing(
        &self,
        cx: &mut Context,
        mode: IntMode,
        span: Option<Span>,
    ) -> Option<Vec<StmtId>> {
        let step = Self {
            assumes: vec![cx.terms.or(&self.overflows)],
            ..self.clone()
        };
        step.statements(cx, mode, None, span)
    }

    /// The statements of the step where `condition` holds; `None` if it never does.
    pub fn statements(
        &self,
        cx: &mut Context,
        mode: IntMode,
        condition: Option<TermId>,
        span: Option<Span>,
    ) -> Option<Vec<StmtId>> {
        let mut assumes = self.assumes.clone();
        assumes.extend(condition);
        if assumes.iter().any(|&term| term == cx.terms.false_()) {
            return None;
        }
        let true_ = cx.terms.true_();
        assumes.retain(|&term| term != true_);
        let mut writes: Vec<(VarId, TermId)> = Vec::new();
        for &var in &self.order {
            let own = cx.terms.var(var);
            match self.values.get(&var) {
                Some(&term) if term != own => writes.push((var, term)),
                _ => {}
            }
        }
        let mut out = Vec::new();
        let mut chosen: Vec<(VarId, Input)> = Vec::new();
        for input in &self.inputs {
            place_input(
                cx,
                mode,
                *input,
                &mut assumes,
                &mut writes,
                &mut chosen,
                &mut out,
            );
        }
        for term in assumes {
            out.push(cx.stmts.add(Stmt::Assume(term), span));
        }
        assign(cx, writes, &chosen, span, &mut out);
        for (var, input) in chosen {
            let term = cx.terms.var(var);
            let terms = &mut cx.terms;
            let range = input
                .int
                .and_then(|int| Arith { terms, mode }.in_range(term, int));
            if let Some(range) = range {
                out.push(cx.stmts.add(Stmt::Assume(range), Some(input.span)));
            }
        }
        Some(out)
    }
}

/// Declares an input, unless it is simply stored in a variable, or simply asked for being zero.
fn place_input(
    cx: &mut Context,
    mode: IntMode,
    input: Input,
    assumes: &mut Vec<TermId>,
    writes: &mut Vec<(VarId, TermId)>,
    chosen: &mut Vec<(VarId, Input)>,
    out: &mut Vec<StmtId>,
) {
    let uses = |term: TermId| cx.terms.free_vars(&[term]).contains(&input.var);
    let in_writes: Vec<usize> = (0..writes.len()).filter(|&i| uses(writes[i].1)).collect();
    let in_assumes: Vec<usize> = (0..assumes.len()).filter(|&i| uses(assumes[i])).collect();
    match (&in_writes[..], &in_assumes[..]) {
        ([], []) => return,
        ([only], []) if writes[*only].1 == input.term => {
            let (var, _) = writes.remove(*only);
            chosen.push((var, input));
            return;
        }
        ([], [only]) if is_zero_test(&cx.terms, assumes[*only], input.term) => {
            assumes.remove(*only);
            return;
        }
        _ => {}
    }
    out.push(
        cx.stmts
            .add(Stmt::Declare(input.var, None), Some(input.span)),
    );
    let terms = &mut cx.terms;
    let range = input
        .int
        .and_then(|int| Arith { terms, mode }.in_range(input.term, int));
    if let Some(range) = range {
        out.push(cx.stmts.add(Stmt::Assume(range), Some(input.span)));
    }
}

/// Whether a condition says no more than that the value is, or is not, zero.
fn is_zero_test(terms: &Terms, condition: TermId, value: TermId) -> bool {
    let inner = match terms.head(condition) {
        Head::Op(Op::Not, &[inner]) => inner,
        _ => condition,
    };
    let Some(&[left, right]) = terms.as_op(inner, Op::Eq) else {
        return false;
    };
    let is_zero = |term: TermId| match terms.as_lit(term) {
        Some(Value::Int(value) | Value::Bv(value)) => value.is_zero(),
        _ => false,
    };
    (left == value && is_zero(right)) || (right == value && is_zero(left))
}

/// Assignments at once as assignments one by one; `chosen` variables get any value, after all reads.
fn assign(
    cx: &mut Context,
    mut writes: Vec<(VarId, TermId)>,
    chosen: &[(VarId, Input)],
    span: Option<Span>,
    out: &mut Vec<StmtId>,
) {
    if writes.len() == 1 {
        let (var, term) = writes[0];
        out.push(cx.stmts.add(Stmt::Assign(var, term), span));
        writes.clear();
    }
    while !writes.is_empty() {
        let reads: Vec<Vec<VarId>> = writes
            .iter()
            .map(|&(_, term)| cx.terms.free_vars(&[term]))
            .collect();
        let is_free = |i: usize| {
            let var = writes[i].0;
            (0..writes.len()).all(|j| j == i || !reads[j].contains(&var))
        };
        if let Some(next) = (0..writes.len()).find(|&i| is_free(i)) {
            let (var, term) = writes.remove(next);
            out.push(cx.stmts.add(Stmt::Assign(var, term), span));
            continue;
        }
        // All wait for one another: the old value of the first goes to a local variable.
        let var = writes[0].0;
        let name = format!("old {}", cx.terms.name(var));
        let local = cx.terms.declare_instance(&name, cx.terms.var_sort(var), 1);
        let (old, new) = (cx.terms.var(var), cx.terms.var(local));
        out.push(cx.stmts.add(Stmt::Declare(local, Some(old)), span));
        let mut substitution = Substitution::new();
        substitution.insert(&mut cx.terms, var, new);
        for write in &mut writes {
            write.1 = substitution.apply(&mut cx.terms, write.1);
        }
    }
    for &(var, input) in chosen {
        out.push(cx.stmts.add(Stmt::Havoc(var), Some(input.span)));
    }
}
