//! Functions as a relation between the values before and after, as SMV, VMT-LIB and STS have it. An input that is just the next
//! value of a variable goes: the variable itself is free then. So a model that was a relation becomes one again.

use super::claim::Claimed;
use super::functions::Functions;
use super::machine::made;
use lariat_base::FxHashMap;
use lariat_expr::{Int, Substitution, TermId, VarId};
use lariat_system::{Context, Fairness};
use std::convert::Infallible;

/// A model as a relation.
#[derive(Debug)]
pub(super) struct Relation {
    pub name: String,
    pub variables: Vec<Variable>,
    /// What the start chooses and nothing else reads.
    pub start_inputs: Vec<VarId>,
    /// What a step chooses.
    pub inputs: Vec<VarId>,
    /// The least and the greatest value of inputs.
    pub input_ranges: FxHashMap<VarId, (Int, Int)>,
    /// What is true of the first values, besides those that variables are given.
    pub start: TermId,
    /// What is true of a step, besides the next values that variables are given.
    pub step: TermId,
    pub fairness: Vec<Fairness>,
    pub claims: Vec<Claimed>,
}

/// A variable of a relation.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub var: VarId,
    /// Stands for its next value.
    pub next_var: VarId,
    pub range: Option<(Int, Int)>,
    /// Its first value, if the relation gives it one.
    pub first: Option<TermId>,
    /// Its next value, if the relation gives it one.
    pub next: Option<TermId>,
}

impl Relation {
    /// The relation of functions.
    pub fn new(cx: &mut Context, mut functions: Functions) -> Self {
        let mut variables = Vec::new();
        let (mut put, mut replaced) = (Substitution::new(), FxHashMap::default());
        for state in &functions.states {
            let decl = cx.terms.decl(state.var).clone();
            let next_var = made(cx, &format!("{}'", decl.name), decl.sort);
            let mut free = |cx: &mut Context, value: TermId, inputs: &[VarId], by: VarId| {
                let input = cx.terms.as_var(value).filter(|var| inputs.contains(var))?;
                if replaced.contains_key(&input) {
                    return None;
                }
                replaced.insert(input, by);
                let by = cx.terms.var(by);
                put.insert(&mut cx.terms, input, by);
                Some(())
            };
            let is_first = free(cx, state.first, &functions.start_inputs, state.var).is_some();
            let is_next = free(cx, state.next, &functions.inputs, next_var).is_some();
            variables.push(Variable {
                var: state.var,
                next_var,
                range: state.range.clone(),
                first: (!is_first).then_some(state.first),
                next: (!is_next).then_some(state.next),
            });
        }
        let mut put_in = |term| Ok::<_, Infallible>(put.apply(&mut cx.terms, term));
        let Ok(()) = functions.map_terms(&mut put_in);
        for (variable, state) in variables.iter_mut().zip(&functions.states) {
            variable.first = variable.first.map(|_| state.first);
            variable.next = variable.next.map(|_| state.next);
        }
        let is_left = |input: &VarId| !replaced.contains_key(input);
        functions.inputs.retain(is_left);
        functions.start_inputs.retain(is_left);
        Self {
            name: functions.name,
            variables,
            start_inputs: functions.start_inputs,
            inputs: functions.inputs,
            input_ranges: functions.input_ranges,
            start: functions.start,
            step: functions.step,
            fairness: functions.fairness,
            claims: functions.claims,
        }
    }

    /// All that is true of the start, and of a step, the values of variables included.
    pub fn whole(&self, cx: &mut Context) -> [TermId; 2] {
        let (mut start, mut step) = (vec![self.start], vec![self.step]);
        let terms = &mut cx.terms;
        for variable in &self.variables {
            let [now, next] = [variable.var, variable.next_var].map(|var| terms.var(var));
            start.extend(variable.first.map(|value| terms.eq(now, value)));
            step.extend(variable.next.map(|value| terms.eq(next, value)));
        }
        [terms.and(&start), terms.and(&step)]
    }

    /// All terms.
    pub fn terms(&self) -> Vec<TermId> {
        let mut terms = vec![self.start, self.step];
        for variable in &self.variables {
            terms.extend(variable.first);
            terms.extend(variable.next);
        }
        terms.extend(self.asked());
        terms
    }

    /// What is asked, and what makes runs fair.
    pub fn asked(&self) -> Vec<TermId> {
        let mut terms = Vec::new();
        for constraint in &self.fairness {
            terms.extend(constraint.terms());
        }
        for claimed in &self.claims {
            terms.extend(claimed.claim.terms());
        }
        terms
    }
}
