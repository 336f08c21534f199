//! The condition at which a simulation stops.

use crate::session::{Failure, Session};
use lariat_base::Span;
use lariat_expr::Evaluator;
use lariat_frontend::{ExprAtom, Scope, locations_named, parse_atom};
use lariat_system::{Simulator, System, TransitionSystem as _, Valuation};
use lariat_verify::Model;

/// A condition over the variables and locations of a model.
pub struct Until {
    /// As it was written.
    pub text: String,
    atom: ExprAtom,
    evaluator: Evaluator,
    env: Valuation,
}

impl Until {
    /// Reads a condition.
    pub fn parse(session: &mut Session, model: &Model, text: &str) -> Result<Self, Failure> {
        let source = session.sources.add("--until", text);
        let systems: Vec<&System> = model.systems.iter().collect();
        let scope = Scope::new(&mut session.cx, &systems);
        let span = Span::new(source, 0, text.len());
        let atom = parse_atom(&mut session.cx, &scope, span, text)?;
        Ok(Self {
            text: text.to_owned(),
            atom,
            evaluator: Evaluator::new(),
            env: Valuation::new(),
        })
    }

    /// Whether it holds where the run is; a run that has not started is nowhere.
    pub fn holds(&mut self, simulator: &Simulator<'_, Model>) -> bool {
        let Some(state) = simulator.state() else {
            return false;
        };
        match self.atom {
            ExprAtom::Location(part, loc) => {
                simulator.system().leaf_location(state.loc, part) == loc
            }
            ExprAtom::Named(part, name) => {
                let loc = simulator.system().leaf_location(state.loc, part);
                let system = &simulator.system().systems[part];
                let name = &simulator.context().names[name];
                locations_named(system, name).contains(&loc)
            }
            ExprAtom::Term(term) => {
                state.load(simulator.variables(), &mut self.env);
                let terms = &simulator.context().terms;
                let value = self.evaluator.eval(terms, term, &self.env);
                value.is_ok_and(|value| value.as_bool())
            }
        }
    }
}
