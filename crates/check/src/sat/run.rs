//! A run of the model, read off the inputs of the machine's steps.

use super::machine::Machine;
use lariat_base::FxHashMap;
use lariat_expr::{Evaluator, TermId, Value, VarId};
use lariat_system::{Context, Run, State, Step, Valuation};
use std::convert::Infallible;

/// The run whose steps have these inputs. The last ones are those of the state that is reached.
pub(super) fn run(cx: &mut Context, machine: &Machine, inputs: &[Vec<bool>]) -> Run {
    let model = &machine.model;
    let places: FxHashMap<VarId, usize> = machine.inputs.iter().copied().zip(0..).collect();
    let mut env = Valuation::new();
    let mut plan = &model.plans[0];
    let mut steps = Vec::new();
    for (now, after) in inputs.iter().zip(&inputs[1..]) {
        let truth = |var: VarId| now[places[&var]];
        let bits = model.choice.iter().enumerate();
        let chosen: usize = bits.map(|(i, &bit)| usize::from(truth(bit)) << i).sum();
        let index = chosen.min(plan.len() - 1);
        let (edge, summary) = &plan[index];
        for &var in &summary.auxiliary {
            env.set(var, model.value(&cx.terms, var, &truth));
        }
        // What a step gives a variable that is an input is what is read in the next state.
        for variable in model.inputs() {
            let given = summary.update(variable.var);
            let given = given.and_then(|value| cx.terms.as_var(value));
            let given = given.expect("every step gives an input a value of its own");
            let next = |var: VarId| after[places[&var]];
            env.set(given, model.value(&cx.terms, variable.var, &next));
        }
        let value = |cx: &Context, term: TermId| -> Value {
            let value = Evaluator::new().eval(&cx.terms, term, &env);
            value.expect("all variables have values")
        };
        let Ok(decisions) =
            summary.decisions(cx, &mut |cx, term| Ok::<_, Infallible>(value(cx, term)));
        let mut next = env.clone();
        for &(var, updated) in &summary.updates {
            next.set(var, value(cx, updated));
        }
        env = next;
        let state = State::read(&model.variables, edge.target, &env);
        let at = model.points.iter().position(|&point| point == edge.target);
        plan = &model.plans[1 + at.expect("all points were listed")];
        steps.push(Step {
            edge: index,
            decisions,
            state: state.expect("all variables have values"),
        });
    }
    Run { steps }
}
