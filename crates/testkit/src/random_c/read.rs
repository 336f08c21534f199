//! A program through our reader and the reference interpreter.

use super::types::Int;
use super::{CProgram, MAX_TRACE, Observed};
use lariat_base::SourceMap;
use lariat_expr::Env as _;
use lariat_expr::{Int as Number, Value, VarId};
use lariat_frontend::{COptions, IntMode, Options, parse_with};
use lariat_system::{
    Blocked, Context, Decide, Edge, Executor, Language, LocId, PointId, State, StmtId, System,
    Valuation, Variable,
};
use std::fmt::Write as _;

/// The most steps that are taken.
const MAX_STEPS: usize = 40_000;

/// The lines of the trace, and whether the program came to its end.
pub fn run_read(program: &CProgram, ints: IntMode) -> Result<(Vec<String>, bool), String> {
    let mut sources = SourceMap::new();
    let id = sources.add("random.c", program.text());
    let mut cx = Context::new();
    let options = Options {
        c: COptions {
            ints,
            recursion: super::RECURSION,
            ..COptions::default()
        },
        ..Options::default()
    };
    let parsed = parse_with(&mut cx, Language::C, id, sources.file(id), &options);
    let system = parsed.map_err(|findings| {
        let finding = &findings[0];
        let place = finding.primary.as_ref();
        let place = place.map(|place| sources.describe(place.span));
        format!("{} at {}", finding.message, place.unwrap_or_default())
    })?;
    let mut run = Run {
        cx: &cx,
        system: &system.system,
        executor: Executor::new(),
    };
    run.all(program)
}

struct Run<'a> {
    cx: &'a Context,
    system: &'a System,
    executor: Executor,
}

impl Run<'_> {
    fn all(&mut self, program: &CProgram) -> Result<(Vec<String>, bool), String> {
        let mut shown = Vec::new();
        for observed in &program.observed {
            shown.push((self.find(&observed.name)?, observed));
        }
        let name = format!("call({}trace)", program.prefix);
        let is_trace = |loc: LocId| {
            let location = &self.system.locations[loc];
            let rest = location.name.strip_prefix(&name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        };
        let marks: Vec<bool> = self
            .system
            .locations
            .iter_ids()
            .map(|(loc, _)| is_trace(loc))
            .collect();
        let mut lines = Vec::new();
        let mut state = self.next(None, &self.system.initial.clone())?;
        for _ in 0..MAX_STEPS {
            if lines.len() >= MAX_TRACE {
                return Ok((lines, true));
            }
            if marks[lariat_base::Id::index(state.loc.location())] {
                lines.push(show(&shown, &state)?);
            }
            let edges: Vec<Edge> = self.system.edges.row(state.loc.location()).to_vec();
            if edges.iter().any(|edge| edge.stutter) {
                return Ok((lines, true));
            }
            state = self.next(Some(&state), &edges)?;
        }
        Ok((lines, false))
    }

    fn find(&self, name: &str) -> Result<usize, String> {
        let variables = self.system.variables.iter();
        let mut names = variables.map(|variable| self.cx.terms.name(variable.var));
        names
            .position(|known| known == name)
            .ok_or_else(|| format!("there is no variable {name}"))
    }

    /// The one state that comes next: a program without inputs has no choice.
    fn next(&mut self, before: Option<&State>, edges: &[Edge]) -> Result<State, String> {
        let mut found: Option<State> = None;
        for edge in edges {
            let mut env = Valuation::new();
            if let Some(before) = before {
                before.load(&self.system.variables, &mut env);
            }
            match self.executor.run(self.cx, edge.stmt, &mut env, &mut Some_) {
                Ok(()) => {}
                Err(Blocked::Assume(_)) => continue,
                Err(other) => return Err(format!("a step is blocked: {other:?}")),
            }
            let value = |variable: &Variable| env.value(variable.var).cloned();
            let values: Option<Vec<Value>> = self.system.variables.iter().map(value).collect();
            let state = State {
                loc: PointId::of(edge.target),
                values: values.ok_or("a variable has no value")?,
            };
            if found.replace(state).is_some() {
                return Err("two edges can be taken".into());
            }
        }
        found.ok_or_else(|| "no edge can be taken".into())
    }
}

/// Values that do not matter: those of variables before they are set.
struct Some_;

impl Decide for Some_ {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, _n: usize) -> Result<usize, Blocked> {
        Ok(0)
    }

    fn value(&mut self, cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        Ok(Value::some(&cx.terms.sorts, cx.terms.var_sort(var)))
    }
}

fn show(shown: &[(usize, &Observed)], state: &State) -> Result<String, String> {
    let mut line = String::new();
    for &(at, observed) in shown {
        let value = &state.values[at];
        match (value, observed.len) {
            (Value::Array(array), Some(len)) => {
                for i in (0i64..).take(len) {
                    let index = Number::from(i);
                    let index = match array.default_value() {
                        Value::Bv(_) => Value::Bv(index),
                        _ => Value::Int(index),
                    };
                    let _ = write!(line, "{} ", number(array.get(&index), observed.int)?);
                }
            }
            (value, None) => {
                let _ = write!(line, "{} ", number(value, observed.int)?);
            }
            _ => return Err(format!("{} has another shape", observed.name)),
        }
    }
    Ok(line.trim_end().to_owned())
}

fn number(value: &Value, int: Int) -> Result<String, String> {
    match value {
        Value::Int(number) => Ok(number.to_string()),
        Value::Bv(bits) => {
            let half = Number::power_of_two(int.bits - 1);
            if int.signed && *bits >= half {
                let turn = Number::power_of_two(int.bits);
                return Ok((bits - &turn).to_string());
            }
            Ok(bits.to_string())
        }
        other => Err(format!("{other:?} is no number")),
    }
}
