//! Why no state of a loop comes back: how its numbers grow from round to round, in the words of the model.

use super::ValueReport;
use crate::model::Model;
use lariat_expr::{Int, Rat, Value};
use lariat_system::{Context, Growth, Lasso, TransitionSystem as _, grown};
use serde::Serialize;

/// How many rounds are shown of a number that does not grow by the same amount in each.
const N_SHOWN: usize = 4;

/// How the rounds of a loop differ.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthReport {
    /// The variables that have other values in each round.
    pub variables: Vec<GrowingVariable>,
    /// What each unknown, 0 in the first round, becomes after a round: a number, then the factors of all unknowns.
    pub rule: Vec<Vec<String>>,
}

/// A variable that has another value in each round.
#[derive(Clone, Debug, Serialize)]
pub struct GrowingVariable {
    /// Its name.
    pub name: String,
    /// Its values at the start of the first rounds.
    pub values: Vec<ValueReport>,
    /// What is added to it in each round, if that is always the same.
    pub step: Option<String>,
    /// How often each unknown is added to its first value.
    pub rays: Vec<String>,
}

impl GrowthReport {
    /// How a loop grows, if it does.
    pub fn new(cx: &Context, model: &Model, lasso: &Lasso) -> Option<Self> {
        let growth = &lasso.growth;
        let start = &lasso.run.steps[lasso.honda].state;
        let mut variables = Vec::new();
        for (i, variable) in model.variables().iter().enumerate() {
            let rays = growth.variable(i);
            if rays.iter().all(Rat::is_zero) {
                continue;
            }
            let sort = cx.terms.var_sort(variable.var);
            let rounds = growth.unknowns().take(N_SHOWN);
            let values = rounds.map(|unknowns| grown(&start.values[i], rays, &unknowns));
            variables.push(GrowingVariable {
                name: cx.terms.name(variable.var).to_owned(),
                values: values
                    .map(|value| ValueReport::new(&cx.terms.sorts, sort, &value))
                    .collect(),
                step: step(growth, rays).map(|step| plain(&step)),
                rays: rays.iter().map(plain).collect(),
            });
        }
        let numbers = growth.rule.iter().map(|next| {
            let numbers = [&next.plus].into_iter().chain(&next.times);
            numbers.map(Int::to_string).collect()
        });
        (!growth.is_none()).then(|| Self {
            variables,
            rule: numbers.collect(),
        })
    }

    /// Without some variables, of which it does not tell the truth.
    pub fn without(mut self, names: &[String]) -> Self {
        self.variables
            .retain(|variable| !names.contains(&variable.name));
        self
    }

    /// In a sentence, or one for each variable that does not grow by the same amount in each round.
    pub fn sentences(&self) -> Vec<String> {
        let mut by_step: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut sentences = Vec::new();
        for variable in &self.variables {
            match &variable.step {
                Some(step) => match by_step.iter_mut().find(|(known, _)| known == step) {
                    Some((_, names)) => names.push(&variable.name),
                    None => by_step.push((step, vec![&variable.name])),
                },
                None => {
                    let values = variable.values.iter().map(ValueReport::to_string);
                    let values = values.collect::<Vec<_>>().join(", ");
                    sentences.push(format!(
                        "{} is {values}, … from round to round",
                        variable.name
                    ));
                }
            }
        }
        let steady = by_step.into_iter().map(|(step, names)| {
            let (verb, amount) = match (step.strip_prefix('-'), names.len()) {
                (None, 1) => ("grows", step),
                (None, _) => ("grow", step),
                (Some(amount), 1) => ("falls", amount),
                (Some(amount), _) => ("fall", amount),
            };
            format!("with each round {} {verb} by {amount}", and(&names))
        });
        steady.chain(sentences).collect()
    }
}

/// What is added in each round, if that is always the same.
fn step(growth: &Growth, rays: &[Rat]) -> Option<Rat> {
    let zero = Value::Rat(Int::ZERO.into());
    let mut sums = growth
        .unknowns()
        .map(|unknowns| grown(&zero, rays, &unknowns));
    // The unknowns of as many rounds as there are unknowns, and one more, determine all others.
    let sums: Vec<Value> = sums.by_ref().take(growth.rule.len() + 3).collect();
    let minus = Rat::from(-&Int::ONE);
    let steps = sums.windows(2).map(|pair| match pair {
        [Value::Rat(now), Value::Rat(next)] => Some(next + &(now * &minus)),
        _ => None,
    });
    let steps: Vec<Rat> = steps.collect::<Option<_>>()?;
    let first = steps.first()?;
    steps
        .iter()
        .all(|step| step == first)
        .then(|| first.clone())
}

/// A number as people write it.
fn plain(number: &Rat) -> String {
    number
        .to_int()
        .map_or_else(|| number.to_string(), Int::to_string)
}

/// A list in words.
fn and(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
