//! How a simulation ended, told plainly.

use super::Walk;
use lariat_expr::{Evaluator, Op, TermId, show_term};
use lariat_frontend::statement::{dialect, shorten};
use lariat_system::{
    Edge, PointId, State, Stmt, StmtId, TransitionSystem as _, Valuation, obstacles,
};
use lariat_verify::label;

/// Why there is no further step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// As many steps as were asked for.
    Steps,
    /// The condition holds.
    Until,
    /// No step is possible.
    Deadlock,
    /// The model is cut off here: recursion goes deeper than was asked for.
    CutOff,
    /// No step was found, but not everything could be tried.
    NotFound,
    /// The run stays where it is for ever.
    Stutters,
    /// The person had enough.
    Quit,
    /// The run of the report is over.
    Replayed,
}

/// A step that cannot be taken, and what prevents it.
pub struct Obstacle {
    /// The step.
    pub name: String,
    /// The false assumption, or the part of it that is false.
    pub assume: String,
    /// Where it stands.
    pub place: Option<String>,
    /// The values of its variables.
    pub values: Vec<(String, String)>,
}

/// How many obstacles are listed.
const MAX_OBSTACLES: usize = 8;

impl End {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Until => "until",
            Self::Deadlock => "deadlock",
            Self::CutOff => "cut-off",
            Self::NotFound => "not-found",
            Self::Stutters => "stutters",
            Self::Quit => "quit",
            Self::Replayed => "replayed",
        }
    }

    /// The last lines of the output.
    pub fn lines(self, walk: &mut Walk<'_>) -> Vec<String> {
        let steps = match walk.n_steps {
            0 => "before the first step".to_owned(),
            n => format!("after step {}", n - 1),
        };
        let mut lines = vec![match self {
            Self::Steps => format!("stopped {steps}: as many steps as were asked for"),
            Self::Quit => format!("stopped {steps}"),
            Self::Replayed => format!("stopped {steps}: the run of the report ends here"),
            Self::Until => {
                let text = walk.until.as_ref().map_or("", |until| &until.text);
                format!("stopped {steps}: {text} holds")
            }
            Self::Deadlock if walk.n_steps == 0 => {
                "no initial state: nothing satisfies the initial conditions".into()
            }
            Self::Deadlock => format!("deadlock {steps}: no step is possible"),
            Self::CutOff => {
                format!("stopped {steps}: recursion goes deeper than `--recursion` inlines it")
            }
            Self::NotFound => format!(
                "stopped {steps}: no step was found, but there are too many values to try them all"
            ),
            Self::Stutters => format!("finished {steps}: nothing changes from here on"),
        }];
        if matches!(self, Self::Deadlock | Self::NotFound) {
            lines.extend(obstacle_lines(walk));
        }
        let sampled: Vec<String> = walk.simulator.sampled().map(|v| format!("`{v}`")).collect();
        if !sampled.is_empty() {
            let names = sampled.join(", ");
            lines.push(format!(
                "note: of the infinitely many values that {names} can get, a few were tried"
            ));
        }
        lines
    }
}

/// What blocks the steps, in a line each.
fn obstacle_lines(walk: &mut Walk<'_>) -> Vec<String> {
    let all = find_obstacles(walk);
    let mut lines = Vec::new();
    for obstacle in all.iter().take(MAX_OBSTACLES) {
        let place = match &obstacle.place {
            Some(place) => format!(" ({place})"),
            None => String::new(),
        };
        let values: Vec<String> = obstacle
            .values
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let values = if values.is_empty() {
            String::new()
        } else {
            shorten(&format!(", as {}", values.join(", ")), 100)
        };
        let assume = shorten(&obstacle.assume, 100);
        let name = &obstacle.name;
        lines.push(format!("  {name}{place}: `{assume}` is false{values}"));
    }
    if all.len() > MAX_OBSTACLES {
        lines.push(format!("  … and {} more", all.len() - MAX_OBSTACLES));
    }
    lines
}

/// What blocks each of the steps that could come next.
pub fn find_obstacles(walk: &mut Walk<'_>) -> Vec<Obstacle> {
    let before = walk.simulator.state();
    let candidates = walk.simulator.edges();
    let mut all = Vec::new();
    for edge in candidates {
        let (cx, variables) = (walk.simulator.context(), walk.simulator.variables());
        let found = obstacles(cx, variables, before.as_ref(), edge.stmt);
        for stmt in found.assumes {
            all.push(describe(walk, before.as_ref(), edge, stmt));
        }
    }
    all
}

fn describe(
    walk: &Walk<'_>,
    before: Option<&State>,
    edge: Edge<PointId>,
    stmt: StmtId,
) -> Obstacle {
    let (cx, model) = (walk.simulator.context(), walk.simulator.system());
    let at = before.map(|state| state.loc);
    let origin = at.and_then(|at| label::origin(model, at, &edge));
    let language = model.systems[origin.map_or(0, |o| o.part)].language;
    let Stmt::Assume(term) = cx.stmts.get(stmt) else {
        panic!("an obstacle is an assumption");
    };
    let term = false_part(walk, before, term);
    let used = cx.terms.free_vars(&[term]);
    let values = before.map_or(&[][..], |state| &state.values);
    let pairs = model.variables().iter().zip(values);
    let values = pairs
        .filter(|(variable, _)| used.contains(&variable.var))
        .map(|(variable, value)| {
            let sort = cx.terms.var_sort(variable.var);
            let name = cx.terms.name(variable.var).to_owned();
            (name, value.display(&cx.terms.sorts, sort))
        });
    Obstacle {
        name: label::step(cx, model, at, &edge),
        assume: show_term(&cx.terms, term, dialect(language)),
        place: cx
            .stmts
            .span(stmt)
            .map(|span| label::short_place(walk.sources, span)),
        values: values.collect(),
    }
}

/// Of a conjunction, the first part that is false in `state`; else the term itself.
fn false_part(walk: &Walk<'_>, state: Option<&State>, term: TermId) -> TermId {
    let terms = &walk.simulator.context().terms;
    let (Some(parts), Some(state)) = (terms.as_op(term, Op::And), state) else {
        return term;
    };
    let mut env = Valuation::new();
    state.load(walk.simulator.variables(), &mut env);
    let is_false = |part: &&TermId| {
        let value = Evaluator::new().eval(terms, **part, &env);
        value.is_ok_and(|value| !value.as_bool())
    };
    parts.iter().find(is_false).copied().unwrap_or(term)
}
