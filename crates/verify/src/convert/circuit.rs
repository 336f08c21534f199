//! Functions over bits or words as a circuit: AIGER and BTOR2.
//!
//! A circuit steps with any inputs. A step that the model does not have is remembered instead: the state after it is not *valid*, and
//! validity is a constraint of the circuit. So a state that has no successor can still be a bad one, and a run that goes on for
//! ever has only steps of the model. Where the start is more than values for some of the states, it is a step of its
//! own, from a state that nothing reads.

use super::claim::Claim;
use super::functions::Functions;
use super::machine::made;
use super::names::Names;
use super::refuse;
use lariat_base::{Diagnostic, FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, SortId, Substitution, TermId, Value, VarId};
use lariat_frontend::{Circuit, Part};
use lariat_system::{Context, Fairness, Language, Property, PropertyBody, System};
use std::convert::Infallible;

/// The circuit of functions over truth values and bit-vectors, all of whose properties are about states or recurrence.
pub(super) fn circuit(
    cx: &mut Context,
    mut functions: Functions,
    language: Language,
) -> Result<System, Diagnostic> {
    rename(cx, &mut functions);
    let is_direct = is_direct(cx, &functions);
    let mut parts = if is_direct {
        direct_parts(cx, &functions)
    } else {
        let started = truth(cx, "started");
        gate_by(cx, &mut functions, started);
        started_parts(cx, &mut functions, started)
    };
    let mut circuit = Circuit::new(language, functions.name.as_str());
    if functions.step != cx.terms.true_() {
        let valid = truth(cx, "valid");
        let now = cx.terms.var(valid);
        parts.push(Part {
            var: valid,
            initial: Some(cx.terms.true_()),
            next: Some(cx.terms.and(&[now, functions.step])),
            span: None,
        });
        circuit.constraints.push((now, None));
    }
    parts.extend(functions.inputs.iter().map(|&var| Part {
        var,
        initial: None,
        next: None,
        span: None,
    }));
    check_arrays(cx, &functions, &parts)?;
    circuit.parts = parts;
    for &constraint in &functions.fairness {
        let Fairness::Justice(_) = constraint else {
            panic!("compassion became justice before");
        };
        circuit.model.fairness(constraint);
    }
    properties(&mut circuit, &functions);
    Ok(circuit.finish(cx))
}

fn properties(circuit: &mut Circuit, functions: &Functions) {
    let (mut n_bad, mut n_justice) = (0, 0);
    for claimed in &functions.claims {
        let (letter, number, body) = match &claimed.claim {
            Claim::Always(term) => ('b', &mut n_bad, PropertyBody::Invariant(*term)),
            Claim::NeverAll(terms) => {
                let named =
                    |(at, &term): (usize, &TermId)| (format!("{}.{at}", claimed.name).into(), term);
                let terms = terms.iter().enumerate().map(named).collect();
                ('j', &mut n_justice, PropertyBody::NotAllRecur(terms))
            }
            Claim::Temporal(_) => panic!("formulas became automata before"),
        };
        circuit.model.property(Property {
            name: format!("{letter}{number}").into(),
            alias: Some(claimed.name.as_str().into()),
            body,
            span: None,
        });
        *number += 1;
    }
}

/// Gives all variables names without spaces, each once.
fn rename(cx: &mut Context, functions: &mut Functions) {
    let mut names = Names::plain();
    for taken in ["started", "valid"] {
        names.unique(taken);
    }
    let mut put = Substitution::new();
    let mut renamed = |cx: &mut Context, var: &mut VarId| {
        let name = names.unique(cx.terms.name(*var));
        let new = made(cx, &name, cx.terms.var_sort(*var));
        let term = cx.terms.var(new);
        put.insert(&mut cx.terms, *var, term);
        *var = new;
    };
    for state in &mut functions.states {
        renamed(cx, &mut state.var);
    }
    for var in functions
        .inputs
        .iter_mut()
        .chain(&mut functions.start_inputs)
    {
        renamed(cx, var);
    }
    let mut put_in = |term| Ok::<_, Infallible>(put.apply(&mut cx.terms, term));
    let Ok(()) = functions.map_terms(&mut put_in);
}

fn truth(cx: &mut Context, name: &str) -> VarId {
    let sort = cx.terms.sorts.bool();
    made(cx, name, sort)
}

/// Whether a run starts with fixed values and with any, and nothing more is asked of it.
fn is_direct(cx: &Context, functions: &Functions) -> bool {
    let mut seen: FxHashSet<VarId> = FxHashSet::default();
    let mut is_plain = |first: TermId| match cx.terms.head(first) {
        Head::Lit(_) => true,
        Head::Op(Op::ConstArray(_), &[value]) => cx.terms.as_lit(value).is_some(),
        Head::Var(input) => functions.start_inputs.contains(&input) && seen.insert(input),
        Head::Op(..) => false,
    };
    functions.start == cx.terms.true_()
        && functions.states.iter().all(|state| is_plain(state.first))
}

fn direct_parts(cx: &Context, functions: &Functions) -> Vec<Part> {
    let part = |state: &super::functions::State| Part {
        var: state.var,
        initial: cx
            .terms
            .as_var(state.first)
            .is_none()
            .then_some(state.first),
        next: Some(state.next),
        span: None,
    };
    functions.states.iter().map(part).collect()
}

/// Nothing is asked before the start.
fn gate_by(cx: &mut Context, functions: &mut Functions, started: VarId) {
    let started = cx.terms.var(started);
    for claimed in &mut functions.claims {
        match &mut claimed.claim {
            Claim::Always(term) => *term = cx.terms.implies(started, *term),
            Claim::NeverAll(terms) => {
                for term in terms {
                    *term = cx.terms.and(&[started, *term]);
                }
            }
            Claim::Temporal(_) => panic!("formulas became automata before"),
        }
    }
    for constraint in &mut functions.fairness {
        *constraint = constraint.map(|term| cx.terms.and(&[started, term]));
    }
}

/// The parts of a circuit whose first step is the start.
fn started_parts(cx: &mut Context, functions: &mut Functions, started: VarId) -> Vec<Part> {
    let mut put = share_inputs(cx, functions);
    let now = cx.terms.var(started);
    let mut parts = vec![Part {
        var: started,
        initial: Some(cx.terms.false_()),
        next: Some(cx.terms.true_()),
        span: None,
    }];
    for state in &functions.states {
        let first = put.apply(&mut cx.terms, state.first);
        let sort = cx.terms.var_sort(state.var);
        let some = Value::some(&cx.terms.sorts, sort);
        parts.push(Part {
            var: state.var,
            initial: Some(cx.terms.lit(some, sort)),
            next: Some(cx.terms.ite(now, state.next, first)),
            span: None,
        });
    }
    let start = put.apply(&mut cx.terms, functions.start);
    functions.step = cx.terms.ite(now, functions.step, start);
    parts
}

/// Lets the start read inputs of the steps, as far as there are some of the same sort.
fn share_inputs(cx: &mut Context, functions: &mut Functions) -> Substitution {
    let mut put = Substitution::new();
    let mut free: FxHashMap<SortId, Vec<VarId>> = FxHashMap::default();
    for &input in functions.inputs.iter().rev() {
        free.entry(cx.terms.var_sort(input))
            .or_default()
            .push(input);
    }
    for input in std::mem::take(&mut functions.start_inputs) {
        let sort = cx.terms.var_sort(input);
        let shared = free.get_mut(&sort).and_then(Vec::pop);
        let shared = shared.unwrap_or_else(|| {
            functions.inputs.push(input);
            input
        });
        let shared = cx.terms.var(shared);
        put.insert(&mut cx.terms, input, shared);
    }
    put
}

/// A constant array can only be the first value of a state.
fn check_arrays(cx: &Context, functions: &Functions, parts: &[Part]) -> Result<(), Diagnostic> {
    let mut terms = vec![functions.step];
    terms.extend(parts.iter().filter_map(|part| part.next));
    for claimed in &functions.claims {
        terms.extend(claimed.claim.terms());
    }
    let is_constant = |&term: &TermId| match cx.terms.head(term) {
        Head::Lit(value) => matches!(value, Value::Array(_)),
        Head::Op(op, _) => matches!(op, Op::ConstArray(_)),
        Head::Var(_) => false,
    };
    let firsts = parts.iter().filter_map(|part| part.initial);
    let is_mixed = |first: TermId| match cx.terms.as_lit(first) {
        Some(Value::Array(map)) => map.entries().len() > 0,
        _ => false,
    };
    if cx.terms.subterms(&terms).iter().any(is_constant) || firsts.into_iter().any(is_mixed) {
        return Err(refuse(
            "has a large array that is not the same everywhere from the start",
        ));
    }
    Ok(())
}
