//! The calls of functions without a body that a run of a C program makes, and what they bring in: read off the run of the
//! given model by the provenance that the front end hands out.

use lariat_base::Span;
use lariat_check::Counterexample;
use lariat_expr::{Evaluator, Int, Value};
use lariat_system::{
    CArrival, CFunctionId, CInput, CInt, CPart, CProgram, Context, Deed, Done, State, Step, System,
    Valuation, deeds,
};

/// A call that a run makes.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub function: CFunctionId,
    /// The text of the call.
    pub span: Span,
    /// What it returns, if it is a value.
    pub result: Option<Returned>,
    /// What it stores where its arguments point to.
    pub targets: Vec<Target>,
}

/// What a call returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Returned {
    /// The value, in the reading of its type.
    pub value: Int,
    /// Whether the program does anything with it.
    pub used: bool,
}

/// What a call stores where an argument points to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The argument's position.
    pub position: u32,
    /// The text of the argument.
    pub argument: Span,
    /// The type of what it points to.
    pub int: Option<CInt>,
    /// The value, in the reading of its type.
    pub value: Int,
}

/// The calls of each step of a counterexample, in the order of evaluation.
pub fn calls(cx: &Context, system: &System, found: &Counterexample) -> Vec<Vec<Call>> {
    let run = match found {
        Counterexample::Path(run) => run,
        Counterexample::Lasso(lasso) => &lasso.run,
    };
    let mut all = Vec::new();
    for (i, step) in run.steps.iter().enumerate() {
        let before = i.checked_sub(1).map(|before| &run.steps[before].state);
        all.push(calls_of_step(cx, system, before, step));
    }
    all
}

/// The calls of one step, in the order of evaluation.
pub fn calls_of_step(
    cx: &Context,
    system: &System,
    before: Option<&State>,
    step: &Step,
) -> Vec<Call> {
    let (Some(before), Some(program)) = (before, &system.program) else {
        return Vec::new();
    };
    let edge = system.edges.row(before.loc.location())[step.edge];
    let mut env = Valuation::new();
    before.load(&system.variables, &mut env);
    let mut arrived = Vec::new();
    let deeds = deeds(
        cx,
        &system.variables,
        Some(before),
        edge.stmt,
        &step.decisions,
    );
    for Deed { stmt, what } in deeds {
        let Some(&(id, how)) = program.arrivals.get(&stmt) else {
            if let Done::Set(var, value) = what {
                env.set(var, value);
            }
            continue;
        };
        let input = &program.inputs[id];
        let value = match (how, what) {
            (CArrival::Stored, Done::Set(var, value)) => {
                env.set(var, value.clone());
                number(input, &value)
            }
            (how, _) => {
                let value = Int::from(i64::from(how == CArrival::Tested(true)));
                if let Some(var) = input.var {
                    env.set(var, word(program, value.clone()));
                }
                value
            }
        };
        let made = input.when.is_none_or(|when| {
            let truth = Evaluator::new().eval(&cx.terms, when, &env);
            truth.is_ok_and(|truth| truth.as_bool())
        });
        if made {
            arrived.push((id, how != CArrival::Unused, value));
        }
    }
    // Values that are stored as they are arrive last, whenever they were evaluated.
    arrived.sort_by_key(|&(id, ..)| id);
    let mut calls: Vec<(u32, Call)> = Vec::new();
    for (id, used, value) in arrived {
        let input = &program.inputs[id];
        if calls.last().is_none_or(|&(number, _)| number != input.call) {
            let call = Call {
                function: input.function,
                span: input.span,
                result: None,
                targets: Vec::new(),
            };
            calls.push((input.call, call));
        }
        let (_, call) = calls.last_mut().expect("just pushed");
        match input.part {
            CPart::Result => call.result = Some(Returned { value, used }),
            CPart::Target(position, argument) => call.targets.push(Target {
                position,
                argument,
                int: input.int,
                value,
            }),
            CPart::Nothing => {}
        }
    }
    calls.into_iter().map(|(_, call)| call).collect()
}

/// The value of an input as a number of its type.
fn number(input: &CInput, value: &Value) -> Int {
    match (value, input.int) {
        (Value::Bv(bits), Some(int)) => signed(bits, int),
        (Value::Int(number) | Value::Bv(number), _) => number.clone(),
        _ => panic!("an input of a C program is a number"),
    }
}

/// Bits in the reading of a type.
pub fn signed(bits: &Int, int: CInt) -> Int {
    if int.signed && *bits >= Int::power_of_two(int.bits - 1) {
        return bits - &Int::power_of_two(int.bits);
    }
    bits.clone()
}

fn word(program: &CProgram, value: Int) -> Value {
    if program.bit_precise {
        Value::Bv(value)
    } else {
        Value::Int(value)
    }
}
