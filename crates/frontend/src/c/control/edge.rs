//! One step of the program, worked out on terms.
//!
//! What an expression does is collected as a map from variables to terms over the state *before* the
//! step: the value of `x++` is `x`, and `x` becomes `x + 1`. So no temporary variables are needed, side
//! effects and short-circuit evaluation included. At the end the map becomes a sequence of assignments, in an
//! order in which each reads what it should.

use crate::c::control::fault::Fault;
use crate::c::integer::arith::{Arith, IntMode};
use crate::c::provenance::Provenance;
use crate::c::types::IntTy;
use lariat_base::{FxHashMap, Span};
use lariat_expr::{Head, Op, Substitution, TermId, Terms, Value, VarId};
use lariat_system::{CArrival, CInputId, Context, Stmt, StmtId};

/// A value that the environment chooses.
#[derive(Clone, Copy, Debug)]
pub(in crate::c) struct Input {
    pub var: VarId,
    pub term: TermId,
    /// The type whose range it lies in; none: any value of its sort.
    pub int: Option<IntTy>,
    pub span: Span,
    /// The call that it comes from, if it comes from one.
    pub id: Option<CInputId>,
    /// When the call is made, if that is not on all ways through the step.
    pub when: Option<TermId>,
    /// Whether the call may be forgotten if its value is not used.
    pub silent: bool,
}

/// The effects of a step so far.
#[derive(Clone, Debug, Default)]
pub(in crate::c) struct Step {
    values: FxHashMap<VarId, TermId>,
    order: Vec<VarId>,
    inputs: Vec<Input>,
    assumes: Vec<TermId>,
    /// When the step has no meaning, and how many inputs came before.
    faults: Vec<(Fault, TermId, usize)>,
}

/// What a branch of an expression changed.
pub(in crate::c) struct Branch {
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

    /// Notes that the step has no meaning where a condition holds, if what was assumed before does.
    pub fn fault(&mut self, terms: &mut Terms, fault: Fault, when: TermId) {
        let mut all = self.assumes.clone();
        all.push(when);
        let when = terms.and(&all);
        if !self
            .faults
            .iter()
            .any(|known| (known.0, known.1) == (fault, when))
        {
            self.faults.push((fault, when, self.inputs.len()));
        }
    }

    pub fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// A value of the environment.
    pub fn input(&mut self, input: Input) {
        self.inputs.push(input);
    }

    /// Statements for the calls of a step that has no other effect.
    pub fn markers(&self, cx: &mut Context, provenance: &mut Provenance) -> Vec<StmtId> {
        let mut markers = Vec::new();
        for input in &self.inputs {
            unused(cx, provenance, *input, &mut markers);
        }
        markers
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

    /// The statements of the step where it has no meaning; `None` if that is never so. What is assumed later does not
    /// undo it. After an overflow the values are those of the step, otherwise those from before.
    pub fn faulting(
        &self,
        (cx, provenance): (&mut Context, &mut Provenance),
        mode: IntMode,
        fault: Fault,
        span: Option<Span>,
    ) -> Option<Vec<StmtId>> {
        let mut step = self.clone();
        let when: Vec<TermId> = step.faults_of(|own| own == fault);
        step.assumes = vec![cx.terms.or(&when)];
        if fault != Fault::Overflow {
            step.order.clear();
            let own = step.faults.iter().filter(|own| own.0 == fault);
            let n_inputs = own.map(|own| own.2).max().unwrap_or(0);
            step.inputs.truncate(n_inputs);
        }
        step.faults.clear();
        step.statements((cx, provenance), mode, None, span)
    }

    fn faults_of(&self, which: impl Fn(Fault) -> bool) -> Vec<TermId> {
        let faults = self.faults.iter().filter(|fault| which(fault.0));
        faults.map(|fault| fault.1).collect()
    }

    /// The statements of the step where `condition` holds; `None` if it never does.
    pub fn statements(
        &self,
        (cx, provenance): (&mut Context, &mut Provenance),
        mode: IntMode,
        condition: Option<TermId>,
        span: Option<Span>,
    ) -> Option<Vec<StmtId>> {
        let mut assumes = self.assumes.clone();
        assumes.extend(condition);
        let faults = self.faults_of(|fault| fault != Fault::Overflow);
        let fine: Vec<TermId> = faults.into_iter().map(|when| cx.terms.not(when)).collect();
        assumes.extend(&fine);
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
        // Whether later calls are made may depend on the value of an earlier one, which then needs its variable.
        let conditions: Vec<TermId> = self.inputs.iter().filter_map(|input| input.when).collect();
        let conditions = cx.terms.free_vars(&conditions);
        for input in &self.inputs {
            place_input(
                (&mut *cx, &mut *provenance),
                mode,
                (*input, conditions.contains(&input.var)),
                &mut assumes,
                &mut writes,
                &mut chosen,
                &mut out,
            );
        }
        for term in assumes {
            // That the step has a meaning is no condition of the program's text.
            let span = span.filter(|_| !fine.contains(&term));
            out.push(cx.stmts.add(Stmt::Assume(term), span));
        }
        assign(cx, writes, span, &mut out);
        // After all reads.
        for &(var, input) in &chosen {
            let havoc = cx.stmts.add(Stmt::Havoc(var), Some(input.span));
            arrives(provenance, input, havoc);
            out.push(havoc);
        }
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
    (cx, provenance): (&mut Context, &mut Provenance),
    mode: IntMode,
    (input, is_condition): (Input, bool),
    assumes: &mut Vec<TermId>,
    writes: &mut Vec<(VarId, TermId)>,
    chosen: &mut Vec<(VarId, Input)>,
    out: &mut Vec<StmtId>,
) {
    let uses = |term: TermId| cx.terms.free_vars(&[term]).contains(&input.var);
    let in_writes: Vec<usize> = (0..writes.len()).filter(|&i| uses(writes[i].1)).collect();
    let in_assumes: Vec<usize> = (0..assumes.len()).filter(|&i| uses(assumes[i])).collect();
    match (&in_writes[..], &in_assumes[..]) {
        ([], []) => return unused(cx, provenance, input, out),
        _ if input.when.is_some() => {}
        ([only], []) if writes[*only].1 == input.term && !is_condition => {
            let (var, _) = writes.remove(*only);
            chosen.push((var, input));
            return;
        }
        ([], [only]) => {
            if let Some(truth) = zero_test(&cx.terms, assumes[*only], input.term) {
                assumes.remove(*only);
                if let Some(id) = input.id {
                    let how = CArrival::Tested(truth);
                    out.push(provenance.marker(&mut cx.stmts, id, how));
                }
                return;
            }
        }
        _ => {}
    }
    let declare = cx
        .stmts
        .add(Stmt::Declare(input.var, None), Some(input.span));
    arrives(provenance, input, declare);
    out.push(declare);
    let terms = &mut cx.terms;
    let range = input
        .int
        .and_then(|int| Arith { terms, mode }.in_range(input.term, int));
    if let Some(range) = range {
        out.push(cx.stmts.add(Stmt::Assume(range), Some(input.span)));
    }
}

fn arrives(provenance: &mut Provenance, input: Input, stmt: StmtId) {
    if let Some(id) = input.id {
        provenance.arrives(stmt, id, CArrival::Stored);
    }
}

/// Keeps a call whose value is not used.
fn unused(cx: &mut Context, provenance: &mut Provenance, input: Input, out: &mut Vec<StmtId>) {
    if let Some(id) = input.id.filter(|_| !input.silent) {
        out.push(provenance.marker(&mut cx.stmts, id, CArrival::Unused));
    }
}

/// If a condition says no more than that the value is, or is not, zero: whether it is for the others.
fn zero_test(terms: &Terms, condition: TermId, value: TermId) -> Option<bool> {
    let (inner, truth) = match terms.head(condition) {
        Head::Op(Op::Not, &[inner]) => (inner, true),
        _ => (condition, false),
    };
    let &[left, right] = terms.as_op(inner, Op::Eq)? else {
        return None;
    };
    let is_zero = |term: TermId| match terms.as_lit(term) {
        Some(Value::Int(value) | Value::Bv(value)) => value.is_zero(),
        _ => false,
    };
    let is_test = (left == value && is_zero(right)) || (right == value && is_zero(left));
    is_test.then_some(truth)
}

/// Assignments at once as assignments one by one.
fn assign(
    cx: &mut Context,
    mut writes: Vec<(VarId, TermId)>,
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
}
