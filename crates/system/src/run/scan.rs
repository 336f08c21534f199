//! Runs the program of a controller scan by scan, with inputs from outside.
//!
//! Given the inputs a scan is deterministic: of the edges of a location the first is taken that is not blocked.

use crate::run::exec::{Blocked, Decide, Executor, Valuation};
use crate::{Context, LocId, LocRole, Plc, StmtId, System, TransitionSystem as _};
use lariat_expr::{Env as _, Value, VarId};

/// What a scan came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanEnd {
    /// It ended.
    Done,
    /// It divided by zero, or left the range of an index or a variable.
    Fault,
    /// It did not end within many steps.
    Endless,
    /// An input has a value that it cannot have.
    Refused,
}

/// A program that runs.
#[derive(Debug)]
pub struct Scanner<'a> {
    cx: &'a Context,
    system: &'a System,
    env: Valuation,
    at: LocId,
    executor: Executor,
}

impl<'a> Scanner<'a> {
    /// How many steps inside of one scan are followed.
    pub const MAX_STEPS: usize = 100_000;

    /// Before the first scan. The system is that of a controller's program.
    pub fn new(cx: &'a Context, system: &'a System) -> Self {
        let mut env = Valuation::new();
        for variable in &system.variables {
            let initial = variable.initial.and_then(|term| cx.terms.as_lit(term));
            let initial = initial.expect("variables of controllers have initial values");
            env.set(variable.var, initial.clone());
        }
        let start = system.branches().first().map(|edge| edge.target.location());
        Self {
            cx,
            system,
            env,
            at: start.expect("a program starts"),
            executor: Executor::new(),
        }
    }

    /// What is known of the program.
    pub fn plc(&self) -> &'a Plc {
        self.system
            .plc
            .as_deref()
            .expect("a program of a controller")
    }

    /// The value of a variable.
    pub fn value(&self, var: VarId) -> &Value {
        self.env.value(var).expect("every variable has a value")
    }

    /// One scan; `input` gives the values of inputs.
    pub fn scan(&mut self, input: &mut dyn FnMut(VarId) -> Value) -> ScanEnd {
        for _ in 0..Self::MAX_STEPS {
            let mut taken = None;
            let edges = self.system.edges.row(self.at);
            for edge in edges {
                let mut env = self.env.clone();
                let mut given = Given(input);
                let done = self.executor.run(self.cx, edge.stmt, &mut env, &mut given);
                match done {
                    Ok(()) => {
                        taken = Some((edge, env));
                        break;
                    }
                    Err(Blocked::TooLong) => return ScanEnd::Endless,
                    Err(_) => {}
                }
            }
            let Some((edge, env)) = taken else {
                return ScanEnd::Refused;
            };
            self.env = env;
            self.at = edge.target;
            if self.system.locations[self.at].role == LocRole::Cut {
                return ScanEnd::Fault;
            }
            if edge.observed {
                return ScanEnd::Done;
            }
        }
        ScanEnd::Endless
    }
}

/// Decides by a function.
struct Given<'a>(&'a mut dyn FnMut(VarId) -> Value);

impl Decide for Given<'_> {
    fn branch(&mut self, _cx: &Context, _choice: StmtId, n: usize) -> Result<usize, Blocked> {
        n.checked_sub(1).ok_or(Blocked::NoBranch)
    }

    fn value(&mut self, _cx: &Context, _havoc: StmtId, var: VarId) -> Result<Value, Blocked> {
        Ok((self.0)(var))
    }
}
