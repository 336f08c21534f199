//! The counterexample of a circuit as a witness in its format's own way: what the circuit starts with, and the inputs of
//! each step. A loop is not marked: the last state is one that was there before.

use crate::model::Model;
use crate::report::Report;
use crate::task::Answer;
use lariat_base::SourceMap;
use lariat_check::{Counterexample, Verdict};
use lariat_expr::{SortId, Sorts, Value, VarId};
use lariat_frontend::free_variables;
use lariat_system::{Context, Language, Lasso, Run, State, Step, System, Variable};
use std::fmt::Write as _;

/// Elements of an array beyond this are too many to list.
const MOST_ELEMENTS: u64 = 1 << 12;
/// A witness that is longer is none that anybody reads.
const MOST_STEPS: usize = 1 << 16;

/// A value of a variable; its position among the states or among the inputs of the file.
type Cell<'a> = (usize, VarId, &'a Value);

/// The witness of the counterexample of an answer, or why there is none.
pub(super) fn witness(
    cx: &Context,
    sources: &SourceMap,
    model: &Model,
    report: &Report,
    answer: &Answer,
) -> Result<String, &'static str> {
    let system = &model.systems[0];
    let Verdict::Violated(found) = &answer.verdict else {
        return Err("there is no run");
    };
    let name = property_name(&report.property.name).ok_or("the property is none of the file")?;
    let run = match found {
        Counterexample::Path(run) => run.clone(),
        Counterexample::Lasso(lasso) => {
            let mut whole = system.clone();
            closed(cx, &mut whole, lasso).ok_or("the run does not come back to a state")?
        }
    };
    let mut frames = frames(cx, sources, system, &run);
    if system.language == Language::Aiger && matches!(found, Counterexample::Lasso(_)) {
        // The state after the last step is the repeated one; in BTOR2 it is that of the last step.
        frames.pop();
    }
    match system.language {
        Language::Aiger => Ok(aiger(&frames, &name)),
        _ => btor2(cx, system, &frames, &name).ok_or("an array has too many elements to list"),
    }
}

/// The name in witnesses: outputs of old files are bad states there.
fn property_name(name: &str) -> Option<String> {
    let position = name.strip_prefix(['b', 'j', 'o'])?;
    position.parse::<usize>().ok()?;
    let kind = if name.starts_with('j') { 'j' } else { 'b' };
    Some(format!("{kind}{position}"))
}

/// Rounds of a loop until a state is there again. One round need not suffice: the lasso may differ at its ends in what
/// the property does not depend on, but the inputs of each round are the same, and the circuit has finitely many states.
fn closed(cx: &Context, system: &mut System, lasso: &Lasso) -> Option<Run> {
    let n_steps = lasso.run.steps.len() - lasso.honda - 1;
    let mut n_rounds = 0;
    while n_rounds * n_steps < MOST_STEPS {
        let mut run = lasso.run.clone();
        run.steps
            .extend(lasso.further_rounds(cx, system, n_rounds).ok()?);
        let starts = (lasso.honda..run.steps.len()).step_by(n_steps);
        let mut seen: Vec<&State> = Vec::new();
        for start in starts {
            let state = &run.steps[start].state;
            if seen.contains(&state) {
                run.steps.truncate(start + 1);
                return Some(run);
            }
            seen.push(state);
        }
        n_rounds = 2 * n_rounds + 1;
    }
    None
}

/// The states and the inputs of one step.
struct Frame<'a> {
    states: Vec<Cell<'a>>,
    inputs: Vec<Cell<'a>>,
}

fn frames<'a>(cx: &Context, sources: &SourceMap, system: &System, run: &'a Run) -> Vec<Frame<'a>> {
    let free = free_variables(cx, system);
    let is_input = |variable: &Variable| match system.language {
        Language::Aiger => free.contains(&variable.var),
        _ => is_input_line(sources, variable),
    };
    let is_input: Vec<bool> = system.variables.iter().map(is_input).collect();
    let cells = |state: &'a State, inputs: bool| -> Vec<Cell<'a>> {
        let values = system.variables.iter().zip(&state.values);
        let chosen = values.zip(&is_input).filter(|(_, own)| **own == inputs);
        let chosen = chosen.enumerate();
        chosen
            .map(|(at, ((variable, value), _))| (at, variable.var, value))
            .collect()
    };
    let frame = |step: &'a Step| Frame {
        states: cells(&step.state, false),
        inputs: cells(&step.state, true),
    };
    run.steps.iter().map(frame).collect()
}

/// Whether the line that declares a variable of BTOR2 says `input`: a state without next state behaves like an input, but
/// is none.
fn is_input_line(sources: &SourceMap, variable: &Variable) -> bool {
    let line = variable.span.map(|span| {
        let text = &sources.file(span.source).text;
        text[span.start as usize..]
            .lines()
            .next()
            .unwrap_or_default()
    });
    line.and_then(|line| line.split_whitespace().nth(1)) == Some("input")
}

fn aiger(frames: &[Frame<'_>], name: &str) -> String {
    let bits = |cells: &[Cell<'_>]| -> String {
        let bit = |value: &Value| if value.as_bool() { '1' } else { '0' };
        cells.iter().map(|(_, _, value)| bit(value)).collect()
    };
    let mut text = format!("1\n{name}\n{}\n", bits(&frames[0].states));
    for frame in frames {
        let _ = writeln!(text, "{}", bits(&frame.inputs));
    }
    text + ".\n"
}

/// After the first step, states are given only where they have no next state.
fn btor2(cx: &Context, system: &System, frames: &[Frame<'_>], name: &str) -> Option<String> {
    let free = free_variables(cx, system);
    let mut text = format!("sat\n{name}\n");
    for (step, frame) in frames.iter().enumerate() {
        let states = frame.states.iter();
        let mut states = states
            .filter(|cell| step == 0 || free.contains(&cell.1))
            .peekable();
        if states.peek().is_some() {
            let _ = writeln!(text, "#{step}");
        }
        for cell in states {
            assignment(cx, &mut text, *cell)?;
        }
        let _ = writeln!(text, "@{step}");
        for cell in &frame.inputs {
            assignment(cx, &mut text, *cell)?;
        }
    }
    Some(text + ".\n")
}

/// The lines of one value; none if there are too many.
fn assignment(cx: &Context, text: &mut String, (at, var, value): Cell<'_>) -> Option<()> {
    let sorts = &cx.terms.sorts;
    let sort = cx.terms.var_sort(var);
    let (Value::Array(array), Some((index, element))) = (value, sorts.as_array(sort)) else {
        let _ = writeln!(text, "{at} {}", bits(sorts, sort, value));
        return Some(());
    };
    let n = sorts.cardinality(index).filter(|&n| n <= MOST_ELEMENTS)?;
    for position in 0..n {
        let place = Value::nth(sorts, index, position)?;
        let value = bits(sorts, element, array.get(&place));
        let _ = writeln!(text, "{at} [{}] {value}", bits(sorts, index, &place));
    }
    Some(())
}

/// The binary digits of a bit-vector or truth value.
fn bits(sorts: &Sorts, sort: SortId, value: &Value) -> String {
    match value {
        Value::Bv(value) => {
            let width = sorts.bv_width(sort).unwrap_or(1) as usize;
            format!("{:0>width$}", value.to_big().to_str_radix(2))
        }
        other => u8::from(other.as_bool()).to_string(),
    }
}
