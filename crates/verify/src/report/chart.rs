//! Steps of a statechart in the engineer's words: the event, the transitions that fired, the states that were left and
//! entered, the active states and the data.

use super::ValueReport;
use super::state::Values;
use crate::label::place;
use crate::model::Model;
use lariat_base::SourceMap;
use lariat_expr::{Env as _, Value};
use lariat_system::{
    Chart, ChartCause, Context, LocRole, Microstep, State, StmtId, TransitionSystem as _,
    Valuation, active_states, microstep,
};
use std::fmt::Write as _;
use std::sync::Arc;

/// What a step of a statechart is, for drawings.
#[derive(Clone, Debug, Default)]
pub struct ChartMove {
    /// What came from the environment.
    pub came: Vec<ChartMessage>,
    /// What parts of the chart sent.
    pub sent: Vec<ChartMessage>,
    /// The transitions that fired, by their positions in the chart.
    pub fired: Vec<usize>,
    /// The active states after it, by their positions.
    pub active: Vec<usize>,
}

/// An event that came or was sent.
#[derive(Clone, Debug)]
pub struct ChartMessage {
    /// Its name, with its parameters.
    pub text: String,
    /// The part of the chart that sent it, as a state.
    pub from: Option<usize>,
    /// The parts that hear it.
    pub to: Vec<usize>,
}

/// What a step did, as data.
pub(super) fn chart_move(
    cx: &Context,
    model: &Model,
    chart: &Chart,
    (before, after): (Option<&State>, &State),
    stmt: StmtId,
) -> ChartMove {
    let env = valuation(model, after);
    let old = before.map(|state| valuation(model, state));
    let step = chart.steps.get(&stmt);
    let fired = step.zip(old.as_ref()).map(|(step, old)| {
        let did = microstep(cx, chart, step, Some(old), &env);
        did.fired
    });
    let named = step.and_then(|step| match step.cause {
        ChartCause::Environment(event) => Some(chart.events[event].0.to_string()),
        _ => None,
    });
    let mut came = messages(cx, chart, &env, true);
    came.extend(named.map(|text| ChartMessage {
        text,
        from: None,
        to: Vec::new(),
    }));
    ChartMove {
        came,
        sent: messages(cx, chart, &env, false),
        fired: fired.unwrap_or_default(),
        active: active_states(cx, chart, &env),
    }
}

/// The name under which the active states are shown.
pub(super) const ACTIVE: &str = "in";

/// Where a chart is in a macrostep that never ends.
const HANGING: &str = "hanging";

/// The chart, if the model is one by itself.
pub(super) fn chart_of(model: &Model) -> Option<Arc<Chart>> {
    match (&model.systems[..], &model.composed) {
        ([system], None) => system.chart.clone(),
        _ => None,
    }
}

/// The values of a state by variable.
fn valuation(model: &Model, state: &State) -> Valuation {
    let mut env = Valuation::new();
    state.load(model.variables(), &mut env);
    env
}

/// The active states and the data of a state, by name.
pub(super) fn values(cx: &Context, model: &Model, chart: &Chart, state: &State) -> Values {
    let env = valuation(model, state);
    let active = active_states(cx, chart, &env).into_iter();
    let atomic = active.filter(|&at| chart.states[at].kind.is_atomic());
    let names: Vec<&str> = atomic.map(|at| &*chart.states[at].name).collect();
    let mut all = vec![(ACTIVE.into(), Arc::new(ValueReport::text(names.join(", "))))];
    for data in &chart.data {
        let is_there = data
            .defined
            .is_none_or(|var| env.value(var) == Some(&Value::Bool(true)));
        let value = match env.value(data.var).filter(|_| is_there) {
            Some(value) => ValueReport::new(&cx.terms.sorts, cx.terms.var_sort(data.var), value),
            None => ValueReport::text("undefined".to_owned()),
        };
        all.push(((&*data.name).into(), Arc::new(value)));
    }
    all
}

/// The values that are not those of the state before.
pub(super) fn changes(
    cx: &Context,
    model: &Model,
    chart: &Chart,
    before: Option<&State>,
    after: &State,
) -> Values {
    let mut new = values(cx, model, chart, after);
    if let Some(before) = before {
        let old = values(cx, model, chart, before);
        let mut old = old.iter();
        new.retain(|value| old.next() != Some(value));
    }
    new
}

/// What a step did, and where the transition stands that fired.
pub(super) fn action(
    (cx, sources): (&Context, &SourceMap),
    model: &Model,
    chart: &Chart,
    (before, after): (Option<&State>, &State),
    stmt: StmtId,
) -> Option<(String, Option<String>)> {
    let step = chart.steps.get(&stmt);
    let step = match (step, before) {
        (Some(step), _) => step.clone(),
        // The start has the prelude before it.
        (None, None) => lariat_system::ChartStep {
            cause: ChartCause::Start,
            fired: Vec::new(),
        },
        (None, Some(_)) => return None,
    };
    let old = before.map(|state| valuation(model, state));
    let did = microstep(cx, chart, &step, old.as_ref(), &valuation(model, after));
    let spans = did
        .fired
        .first()
        .map(|&at| place(sources, chart.transitions[at].span));
    let cause = match step.cause {
        ChartCause::Start => "start".to_owned(),
        ChartCause::Environment(event) => format!("event {}", chart.events[event].0),
        ChartCause::Sent(_) => {
            let name = chart.event.and_then(|var| {
                let value = valuation(model, after).value(var).cloned()?;
                Some(value.display(&cx.terms.sorts, cx.terms.var_sort(var)))
            });
            format!("event {} (sent by the chart)", name.unwrap_or_default())
        }
        ChartCause::Internal(event) => format!("then {} (raised)", chart.events[event].0),
        ChartCause::Eventless => "then, without an event".to_owned(),
        ChartCause::Cycle => match signals(cx, chart, &valuation(model, after), true) {
            came if came.is_empty() => "cycle".to_owned(),
            came => format!("cycle with {came}"),
        },
        ChartCause::Settled => {
            let at = model.leaf_location(after.loc, 0);
            let place = &model.systems[0].locations[at];
            let text = match (place.role, &*place.name) {
                (LocRole::Final, _) => "the chart ends",
                (LocRole::Cut, "overflow") => "a queue overflows",
                (LocRole::Cut, _) => "what is modelled ends",
                _ => "waits",
            };
            return Some((text.to_owned(), None));
        }
    };
    let at = model.leaf_location(after.loc, 0);
    // What formulas read stays as it was, so that nothing can be said of what is left and entered.
    let hangs = *model.systems[0].locations[at].name == *HANGING;
    let sent = signals(cx, chart, &valuation(model, after), false);
    let deed = if !sent.is_empty() {
        format!("{}; sends {sent}", deed(chart, &did))
    } else if hangs {
        let deed = deed(
            chart,
            &Microstep {
                left: Vec::new(),
                ..did
            },
        );
        format!("{deed}, in a macrostep that never ends")
    } else {
        deed(chart, &did)
    };
    Some((format!("{cause}: {deed}"), spans))
}

/// The signals that came or were sent in a step, with their parameters.
fn signals(cx: &Context, chart: &Chart, env: &Valuation, is_input: bool) -> String {
    let texts = messages(cx, chart, env, is_input).into_iter();
    texts.map(|one| one.text).collect::<Vec<_>>().join(", ")
}

fn messages(cx: &Context, chart: &Chart, env: &Valuation, is_input: bool) -> Vec<ChartMessage> {
    let is_there = |var| env.value(var) == Some(&Value::Bool(true));
    let found = chart
        .signals
        .iter()
        .filter(|signal| signal.is_input == is_input && is_there(signal.flag));
    let all = found.map(|signal| {
        let values = signal.params.iter().filter_map(|&var| {
            let sort = cx.terms.var_sort(var);
            env.value(var)
                .map(|value| value.display(&cx.terms.sorts, sort))
        });
        let values: Vec<String> = values.collect();
        ChartMessage {
            text: match &values[..] {
                [] => signal.name.to_string(),
                values => format!("{}({})", signal.name, values.join(", ")),
            },
            from: signal.from,
            to: signal.to.clone(),
        }
    });
    all.collect()
}

/// The transitions that fired, and what was left and entered if that is not plain from them.
fn deed(chart: &Chart, did: &Microstep) -> String {
    let name = |at: &usize| &*chart.states[*at].name;
    let list = |states: &[usize]| {
        states
            .iter()
            .filter(|&&at| at > 0)
            .map(name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    if did.cause == ChartCause::Start {
        return format!("enters {}", list(&did.entered));
    }
    if did.fired.is_empty() {
        return "nothing fires".to_owned();
    }
    let fired = did.fired.iter().map(|&at| {
        let transition = &chart.transitions[at];
        match &transition.targets[..] {
            [] => format!("{} acts", name(&transition.source)),
            targets => format!("{} -> {}", name(&transition.source), list(targets)),
        }
    });
    let mut text = fired.collect::<Vec<_>>().join("; ");
    let plain: Vec<(usize, Vec<usize>)> = did
        .fired
        .iter()
        .map(|&at| {
            (
                chart.transitions[at].source,
                chart.transitions[at].targets.clone(),
            )
        })
        .collect();
    let is_plain = match &plain[..] {
        [(source, targets)] => {
            did.left == [*source] && did.entered == *targets || targets.is_empty()
        }
        _ => false,
    };
    if !is_plain && !did.left.is_empty() {
        let _ = write!(
            text,
            " (leaves {}; enters {})",
            list(&did.left),
            list(&did.entered)
        );
    }
    text
}
