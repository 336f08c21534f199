//! All states of a model and all steps between those that can be reached; or that the model is none.

use super::eval::{Env, Fault, elements};
use super::flat::Flat;
use super::tree::{Expr, Member, Role, Time};
use std::collections::HashMap;

/// A state with the inputs of a step that leaves it; all variables are in it.
pub(super) type Valuation = Vec<u16>;

/// A step: the state before it with its inputs, and the state after it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub now: Valuation,
    pub next: Valuation,
    /// The states before and after it, as positions in [`Space::states`].
    pub from: usize,
    pub to: usize,
}

impl Step {
    pub fn env(&self) -> Env<'_> {
        Env {
            now: &self.now,
            has_inputs: true,
            next: Some(&self.next),
            primed: false,
        }
    }
}

pub(super) struct Space {
    /// The states that can be reached.
    pub states: Vec<Valuation>,
    /// How many of them are initial; they come first.
    pub n_initial: usize,
    pub steps: Vec<Step>,
}

/// The environment of a state alone.
pub(super) fn in_state(state: &Valuation) -> Env<'_> {
    Env {
        now: state,
        has_inputs: false,
        next: None,
        primed: false,
    }
}

/// All valuations of the variables that are inputs, or of those that are not; the others are at their first value.
pub(super) fn valuations(flat: &Flat, is_input: bool) -> Vec<Valuation> {
    let mut all = vec![vec![0; flat.variables.len()]];
    for (at, variable) in flat.variables.iter().enumerate() {
        if (variable.role == Role::Input) != is_input {
            continue;
        }
        let with = |valuation: Valuation| {
            (0..variable.values.len() as u16).map(move |value| {
                let mut valuation = valuation.clone();
                valuation[at] = value;
                valuation
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

/// A state with inputs.
fn joined(flat: &Flat, state: &Valuation, input: &Valuation) -> Valuation {
    let variables = flat.variables.iter().enumerate();
    let pick = |(at, variable): (usize, &super::flat::Variable)| match variable.role {
        Role::Input => input[at],
        _ => state[at],
    };
    variables.map(pick).collect()
}

/// Whether some values of the types make an expression of the model undefined, or an assigned value leave its type: the
/// language forbids such models.
pub(super) fn is_illegal(flat: &Flat) -> bool {
    let (states, inputs) = (valuations(flat, false), valuations(flat, true));
    flat.members.iter().any(|&(instance, member)| {
        let (exprs, target): (Vec<&Expr>, Option<usize>) = match member {
            Member::Assign(_, target, value) => (vec![value], Some(flat.target(instance, target))),
            Member::Init(of) | Member::Invar(of) | Member::Trans(of) | Member::Justice(of) => {
                (vec![of], None)
            }
            Member::Compassion(request, response) => (vec![request, response], None),
            _ => return false,
        };
        let is_bad = |expr: &Expr, env: Env| -> Result<bool, Fault> {
            let values = elements(flat.eval(instance, expr, env)?);
            let domain = target.map(|target| &flat.variables[target].values);
            Ok(domain.is_some_and(|domain| values.iter().any(|value| !domain.contains(value))))
        };
        // With as much of a step as it reads.
        let bad_somewhere = |expr: &Expr| {
            states.iter().any(|state| {
                let alone = is_bad(expr, in_state(state));
                let Err(Fault::ReadsInput | Fault::ReadsNext) = alone else {
                    return alone != Ok(false);
                };
                inputs.iter().any(|input| {
                    let now = joined(flat, state, input);
                    let before = Env {
                        now: &now,
                        has_inputs: true,
                        ..in_state(state)
                    };
                    let known = is_bad(expr, before);
                    if known != Err(Fault::ReadsNext) {
                        return known != Ok(false);
                    }
                    states.iter().any(|next| {
                        let next = Some(&next[..]);
                        is_bad(expr, Env { next, ..before }) != Ok(false)
                    })
                })
            })
        };
        exprs.into_iter().any(bad_somewhere)
    })
}

/// The states and steps of a legal model.
pub(super) fn explore(flat: &Flat) -> Space {
    let inputs = valuations(flat, true);
    let valid: Vec<Valuation> = valuations(flat, false)
        .into_iter()
        .filter(|state| obeys(flat, state, Time::Always))
        .collect();
    let mut known: HashMap<Valuation, usize> = HashMap::new();
    let mut space = Space {
        states: Vec::new(),
        n_initial: 0,
        steps: Vec::new(),
    };
    for state in valid.iter().filter(|state| obeys(flat, state, Time::Init)) {
        known.insert(state.clone(), space.states.len());
        space.states.push(state.clone());
    }
    space.n_initial = space.states.len();
    let mut from = 0;
    while from < space.states.len() {
        let state = space.states[from].clone();
        for input in &inputs {
            let now = joined(flat, &state, input);
            for next in valid.iter().filter(|next| is_step(flat, &now, next)) {
                let new = space.states.len();
                let to = *known.entry(next.clone()).or_insert(new);
                if to == new {
                    space.states.push(next.clone());
                }
                space.steps.push(Step {
                    now: now.clone(),
                    next: next.clone(),
                    from,
                    to,
                });
            }
        }
        from += 1;
    }
    space
}

/// Whether a state meets the assignments and constraints of every state, or those of the first.
fn obeys(flat: &Flat, state: &Valuation, time: Time) -> bool {
    let env = in_state(state);
    flat.members.iter().all(|&(instance, member)| match member {
        Member::Assign(at, target, value) if *at == time => {
            gets(flat, (instance, target, value), env, state)
        }
        Member::Init(of) if time == Time::Init => holds(flat, instance, of, env),
        Member::Invar(of) if time == Time::Always => holds(flat, instance, of, env),
        _ => true,
    })
}

/// Whether a step leads from a state, with its inputs, to a valid state.
fn is_step(flat: &Flat, now: &Valuation, next: &Valuation) -> bool {
    let env = Env {
        now,
        has_inputs: true,
        next: Some(next),
        primed: false,
    };
    let moving = flat.selector.map_or(0, |selector| now[selector] as usize);
    // Whether each variable is assigned by the process that moves, or by another one only.
    let mut waits = vec![false; flat.variables.len()];
    for &(instance, member) in &flat.members {
        let fits = match member {
            Member::Assign(Time::Next, target, value) => {
                if flat.instances[instance].process == moving {
                    gets(flat, (instance, target, value), env, next)
                } else {
                    waits[flat.target(instance, target)] = true;
                    true
                }
            }
            Member::Trans(of) => holds(flat, instance, of, env),
            _ => true,
        };
        if !fits {
            return false;
        }
    }
    for &(instance, member) in &flat.members {
        if let Member::Assign(Time::Next, target, _) = member
            && flat.instances[instance].process == moving
        {
            waits[flat.target(instance, target)] = false;
        }
    }
    flat.variables.iter().enumerate().all(|(at, variable)| {
        let stays = variable.role == Role::Frozen || waits[at];
        !stays || now[at] == next[at]
    })
}

fn holds(flat: &Flat, instance: usize, expr: &Expr, env: Env) -> bool {
    flat.truth(instance, expr, env)
        .expect("a legal model is defined everywhere")
}

/// Whether the value of a variable is one of those that it is given.
fn gets(
    flat: &Flat,
    (instance, target, value): (usize, &Expr, &Expr),
    env: Env,
    state: &Valuation,
) -> bool {
    let target = flat.target(instance, target);
    let own = &flat.variables[target].values[state[target] as usize];
    let value = flat.eval(instance, value, env);
    elements(value.expect("a legal model is defined everywhere")).contains(own)
}
