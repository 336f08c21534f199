//! Runs and lassos as data, and the replay that accepts or rejects them.
//!
//! A step carries the decisions that made it, so that replay is one concrete execution: it asks
//! nobody, searches nothing, and shares no code with whoever found the run.

use crate::run::exec::{Blocked, Decision, Executor, Recorded, Valuation};
use crate::run::growth::Growth;
use crate::{Context, Edge, PointId, TransitionSystem, Variable};
use lariat_expr::{Env, TermId, Value};
use std::fmt;

/// A concrete state: structural state and the values of all variables, in the system's order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    /// The structural state.
    pub loc: PointId,
    /// The values.
    pub values: Vec<Value>,
}

impl State {
    /// The state that a valuation holds.
    pub fn read(variables: &[Variable], loc: PointId, env: &Valuation) -> Result<Self, Blocked> {
        let value = |v: &Variable| env.value(v.var).cloned().ok_or(Blocked::Unassigned(v.var));
        let values = variables.iter().map(value).collect::<Result<_, _>>()?;
        Ok(Self { loc, values })
    }

    /// Puts the values into a valuation.
    pub fn load(&self, variables: &[Variable], env: &mut Valuation) {
        for (variable, value) in variables.iter().zip(&self.values) {
            env.set(variable.var, value.clone());
        }
    }
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which of the edges was taken: an index into `initial()` for the first step, into `edges(loc)` for the others.
    pub edge: usize,
    /// How its nondeterminism was decided.
    pub decisions: Vec<Decision>,
    /// The state after it.
    pub state: State,
}

/// A finite run: its first step starts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The steps, at least one.
    pub steps: Vec<Step>,
}

/// Decisions that follow the state, see [`Lasso::inputs`].
pub type Inputs = Vec<Vec<Option<TermId>>>;

/// An infinite run: what is between the state after step `honda` and the last one repeats for ever. The last state is
/// that of the honda again, unless the rounds differ as `growth` says or in variables on which nothing depends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Stem and one round of the loop.
    pub run: Run,
    /// The index of the step after whose state the loop starts.
    pub honda: usize,
    /// How the rounds differ.
    pub growth: Growth,
    /// Conditions of which all hold at the start of every round, if that is why the loop can be repeated for ever: from
    /// every such state the same decisions, or those that `inputs` says, lead round the loop to another one. Empty for other loops.
    pub region: Vec<TermId>,
    /// What further rounds decide instead of the recorded value, for each step of the loop and each decision: a term over the
    /// state in which the round starts. What is missing here is decided as recorded.
    pub inputs: Inputs,
}

/// Why a run is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// There is no step.
    Empty,
    /// The step names an edge that is not there.
    NoSuchEdge {
        /// The step.
        step: usize,
    },
    /// The statement cannot be executed as decided.
    Blocked {
        /// The step.
        step: usize,
        /// Why.
        reason: Blocked,
    },
    /// The statement leads to another state than the run says.
    OtherState {
        /// The step.
        step: usize,
    },
    /// There were more decisions than the statement makes.
    TooManyDecisions {
        /// The step.
        step: usize,
    },
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the run has no step"),
            Self::NoSuchEdge { step } => write!(f, "step {step} takes an edge that does not exist"),
            Self::Blocked { step, reason } => write!(f, "step {step} is blocked: {reason:?}"),
            Self::OtherState { step } => write!(f, "step {step} leads to another state"),
            Self::TooManyDecisions { step } => {
                write!(f, "step {step} has decisions that are not used")
            }
        }
    }
}

impl std::error::Error for Rejection {}

impl Run {
    /// Executes the run step by step; says which of its states are observed.
    pub fn replay(
        &self,
        cx: &Context,
        system: &mut dyn TransitionSystem,
    ) -> Result<Vec<bool>, Rejection> {
        let variables = system.variables().to_vec();
        let mut executor = Executor::new();
        let mut observed = Vec::with_capacity(self.steps.len());
        let mut before: Option<&State> = None;
        for (i, step) in self.steps.iter().enumerate() {
            let edges = match before {
                None => system.initial(),
                Some(state) => system.edges(state.loc),
            };
            let edge = *edges
                .get(step.edge)
                .ok_or(Rejection::NoSuchEdge { step: i })?;
            let state = execute(cx, &variables, before, edge, &step.decisions, &mut executor)
                .map_err(|reason| Rejection::Blocked { step: i, reason })?
                .ok_or(Rejection::TooManyDecisions { step: i })?;
            if state != step.state {
                return Err(Rejection::OtherState { step: i });
            }
            observed.push(edge.observed);
            before = Some(&step.state);
        }
        if observed.is_empty() {
            Err(Rejection::Empty)
        } else {
            Ok(observed)
        }
    }
}

/// The state after one edge as decided; nothing if decisions were left over.
pub fn execute(
    cx: &Context,
    variables: &[Variable],
    before: Option<&State>,
    edge: Edge<PointId>,
    decisions: &[Decision],
    executor: &mut Executor,
) -> Result<Option<State>, Blocked> {
    let mut env = Valuation::new();
    if let Some(before) = before {
        before.load(variables, &mut env);
    }
    let mut recorded = Recorded::new(decisions);
    executor.run(cx, edge.stmt, &mut env, &mut recorded)?;
    if !recorded.is_used_up() {
        return Ok(None);
    }
    State::read(variables, edge.target, &env).map(Some)
}
