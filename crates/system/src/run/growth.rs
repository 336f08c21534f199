//! How the rounds of a loop differ that never comes back to a state.
//!
//! In some runs numbers grow from round to round by a rule that can be written down: `x`, `x + 2`, `x + 4`, … or
//! `x`, `x + 1`, `x + 3`, `x + 7`, … With each round some *unknowns*, 0 in the first, become fixed multiples of one another
//! plus fixed numbers, and every number at the loop's start and every input of the loop is a value plus
//! multiples of the unknowns (a *geometric* argument; Leike and Heizmann, TACAS 2018). A loop that comes back to the
//! state in which it started has no unknowns.
//!
//! This is only the claim. That the loop can be taken in every round like this is decided in `recur.rs`.

use crate::run::exec::{Blocked, Decision, Executor, Valuation};
use crate::run::trace::{Lasso, Step, execute};
use crate::{Context, TransitionSystem};
use lariat_expr::{Int, Rat, TermId, Value};

/// How the rounds of a loop differ.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Growth {
    /// What each unknown becomes after a round.
    pub rule: Vec<Next>,
    /// By how much each variable, in the system's order, grows with each unknown at the loop's start. What is missing
    /// here, as in `decisions`, does not grow.
    pub state: Vec<Vec<Rat>>,
    /// By how much each decision of each step of the loop grows.
    pub decisions: Vec<Vec<Vec<Rat>>>,
}

/// What an unknown becomes: a number plus multiples of all unknowns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Next {
    /// The number.
    pub plus: Int,
    /// The factor of each unknown.
    pub times: Vec<Int>,
}

impl Growth {
    /// Whether nothing grows.
    pub fn is_none(&self) -> bool {
        self.rule.is_empty()
    }

    /// Whether the rule keeps unknowns that are not negative so.
    pub fn is_monotonic(&self) -> bool {
        self.rule.iter().all(|next| {
            let numbers = next.times.iter().chain([&next.plus]);
            next.times.len() == self.rule.len() && !numbers.clone().any(Int::is_negative)
        })
    }

    /// The unknowns after a round.
    pub fn after(&self, unknowns: &[Int]) -> Vec<Int> {
        let value = |next: &Next| {
            let products = next.times.iter().zip(unknowns);
            products.fold(next.plus.clone(), |sum, (factor, unknown)| {
                &sum + &(factor * unknown)
            })
        };
        self.rule.iter().map(value).collect()
    }

    /// The unknowns at the start of each round.
    pub fn unknowns(&self) -> impl Iterator<Item = Vec<Int>> {
        let first = vec![Int::ZERO; self.rule.len()];
        std::iter::successors(Some(first), |unknowns| Some(self.after(unknowns)))
    }

    /// The rays of a decision of a step of the loop.
    pub fn decision(&self, step: usize, index: usize) -> &[Rat] {
        let rays = self.decisions.get(step).and_then(|step| step.get(index));
        rays.map_or(&[], Vec::as_slice)
    }

    /// The rays of a variable at the loop's start.
    pub fn variable(&self, index: usize) -> &[Rat] {
        self.state.get(index).map_or(&[], Vec::as_slice)
    }
}

/// A value after it has grown; values that are no numbers do not grow.
pub fn grown(base: &Value, rays: &[Rat], unknowns: &[Int]) -> Value {
    let products = rays.iter().zip(unknowns);
    let sum = products.fold(Rat::from(Int::ZERO), |sum, (ray, unknown)| {
        &sum + &(ray * &unknown.clone().into())
    });
    match base {
        Value::Int(int) => Value::Int(int + sum.to_int().unwrap_or(&sum.floor())),
        Value::Rat(rat) => Value::Rat(rat + &sum),
        other => other.clone(),
    }
}

/// Rounds are executed until a number has more bits than this.
const MAX_BITS: u64 = 20_000;

fn is_large(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.bits() > MAX_BITS,
        Value::Rat(rat) => [rat.numerator(), rat.denominator()]
            .into_iter()
            .any(|part| part.bits() > MAX_BITS),
        _ => false,
    }
}

impl Lasso {
    /// Whether the loop comes back to the state in which it starts.
    pub fn is_closed(&self) -> bool {
        let (start, end) = (&self.run.steps[self.honda], self.run.steps.last());
        end.is_some_and(|end| end.state == start.state)
    }

    /// The term by which rounds after the first make a decision of a step of the loop, if not as recorded.
    pub(super) fn input(&self, step: usize, index: usize) -> Option<TermId> {
        let inputs = self.inputs.get(step)?;
        inputs.get(index).copied().flatten()
    }

    /// The steps of the rounds that follow the first, executed as the growth and the inputs say. They end early with the round
    /// after which some number is too large (`MAX_BITS`): squares of squares soon fill the memory.
    pub fn further_rounds(
        &self,
        cx: &Context,
        system: &mut dyn TransitionSystem,
        n_rounds: usize,
    ) -> Result<Vec<Step>, Blocked> {
        let variables = system.variables().to_vec();
        let round = &self.run.steps[self.honda + 1..];
        let mut executor = Executor::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut before = self.run.steps[self.run.steps.len() - 1].state.clone();
        for unknowns in self.growth.unknowns().skip(1).take(n_rounds) {
            if before.values.iter().any(is_large) {
                break;
            }
            let mut start = Valuation::new();
            before.load(&variables, &mut start);
            for (i, step) in round.iter().enumerate() {
                let edges = system.edges(before.loc);
                let edge = *edges.get(step.edge).ok_or(Blocked::NoBranch)?;
                let decision = |(index, decision): (usize, &Decision)| {
                    Ok(match (decision, self.input(i, index)) {
                        (Decision::Value(_), Some(term)) => {
                            Decision::Value(executor.eval(cx, term, &start)?)
                        }
                        (Decision::Value(value), None) => {
                            Decision::Value(grown(value, self.growth.decision(i, index), &unknowns))
                        }
                        (branch @ Decision::Branch(_), _) => branch.clone(),
                    })
                };
                let decisions = step.decisions.iter().enumerate().map(decision);
                let decisions = decisions.collect::<Result<Vec<Decision>, Blocked>>()?;
                let state = execute(
                    cx,
                    &variables,
                    Some(&before),
                    edge,
                    &decisions,
                    &mut executor,
                )?
                .ok_or(Blocked::Decisions)?;
                before = state.clone();
                steps.push(Step {
                    edge: step.edge,
                    decisions,
                    state,
                });
            }
        }
        Ok(steps)
    }
}
