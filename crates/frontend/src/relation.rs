//! Systems given as relations: what is true at the start, and what is true of each step, between the values before and after it.
//!
//! A variable that changes has a variable for its next value, which a step chooses freely and then takes over. An input is chosen
//! anew at the end of each step: a state has the inputs of the step that leaves it.

use lariat_base::{FxHashMap, Span};
use lariat_expr::{TermId, VarId};
use lariat_system::{
    Context, Edge, LocId, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// A variable of a relation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    pub var: VarId,
    pub role: Role,
    pub span: Option<Span>,
}

/// How a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// To the value of this variable of the step.
    State(VarId),
    /// To any value.
    Input,
    /// Never.
    Rigid,
}

/// One relation: what starts a run, and what it does in each step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relation {
    pub initial: Vec<(TermId, Option<Span>)>,
    pub steps: Vec<(TermId, Option<Span>)>,
}

impl Relation {
    /// Adds a location to the model in which runs are those of this relation, over variables that the model has.
    pub fn add(
        &self,
        cx: &mut Context,
        model: &mut SystemBuilder,
        name: &str,
        moving: &[Moving],
    ) -> LocId {
        let assume = |cx: &mut Context, terms: &[(TermId, Option<Span>)]| -> Vec<StmtId> {
            terms
                .iter()
                .map(|&(term, span)| cx.stmts.add(Stmt::Assume(term), span))
                .collect()
        };
        let at = model.location(Location::new(name));
        let start = assume(cx, &self.initial);
        let start = cx.stmts.seq(&start, None);
        model.start(Edge::new(start, at));
        let mut step = Vec::new();
        for part in moving {
            if let Role::State(next) = part.role {
                step.push(cx.stmts.add(Stmt::Havoc(next), part.span));
            }
        }
        step.extend(assume(cx, &self.steps));
        for part in moving {
            step.push(match part.role {
                Role::Rigid => continue,
                Role::Input => cx.stmts.add(Stmt::Havoc(part.var), part.span),
                Role::State(next) => {
                    let value = cx.terms.var(next);
                    cx.stmts.add(Stmt::Assign(part.var, value), part.span)
                }
            });
        }
        let step = cx.stmts.seq(&step, None);
        model.edge(at, Edge::new(step, at));
        at
    }
}

/// Adds variables to a model.
pub(crate) fn declare(model: &mut SystemBuilder, moving: &[Moving]) {
    for part in moving {
        model.variable(Variable {
            span: part.span,
            ..Variable::new(part.var)
        });
    }
}

/// The relation and the roles of the variables of a system that was made by [`Relation::add`], of its only location.
pub(crate) fn taken_apart(cx: &Context, system: &System) -> (Relation, Vec<Moving>) {
    let assumed = |stmt: StmtId| {
        let mut terms = Vec::new();
        cx.stmts.walk(stmt, |_, stmt| {
            if let Stmt::Assume(term) = stmt {
                terms.push((term, None));
            }
        });
        terms
    };
    let mut relation = Relation::default();
    let mut roles: FxHashMap<VarId, Role> = FxHashMap::default();
    for edge in system.initial.branches() {
        relation.initial.extend(assumed(edge.stmt));
    }
    for edge in system.edges.rows().flat_map(|(_, row)| row) {
        relation.steps.extend(assumed(edge.stmt));
        cx.stmts.walk(edge.stmt, |_, stmt| match stmt {
            Stmt::Havoc(var) => {
                roles.insert(var, Role::Input);
            }
            Stmt::Assign(var, value) => {
                if let Some(next) = cx.terms.as_var(value) {
                    roles.insert(var, Role::State(next));
                }
            }
            _ => {}
        });
    }
    let moving = |variable: &Variable| Moving {
        var: variable.var,
        role: roles.get(&variable.var).copied().unwrap_or(Role::Rigid),
        span: variable.span,
    };
    (relation, system.variables.iter().map(moving).collect())
}
