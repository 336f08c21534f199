//! Makes the system of a GCL model: one location, one step for each action.
//!
//! Assignments of one action happen at the same time, statements one after the other. So a value that
//! reads a variable assigned earlier in the action is saved first, in a local variable that
//! has the name of the variable it is for.

use lariat_base::{FxHashSet, Span};
use lariat_expr::{Int, TermId, Value, VarId};
use lariat_system::{
    Context, Edge, Language, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// What a model consists of.
pub(super) struct Body {
    /// Its declarations and properties.
    pub model: SystemBuilder,
    pub init: Vec<(TermId, Span)>,
    pub actions: Vec<Action>,
}

/// A guarded command.
pub(super) struct Action {
    pub name: Box<str>,
    /// Variables that may have any value, the same in all of the action.
    pub parameters: Vec<VarId>,
    pub guard: TermId,
    pub guard_span: Span,
    pub effects: Vec<Effect>,
    pub span: Span,
}

/// One assignment of an action; without a value: any value.
pub(super) struct Effect {
    pub var: VarId,
    pub value: Option<TermId>,
    /// Whether it writes elements of an array, not the whole.
    pub by_elements: bool,
    pub range: Option<(Int, Int)>,
    pub span: Span,
}

impl Body {
    /// An empty model.
    pub fn new(name: Box<str>) -> Self {
        Self {
            model: SystemBuilder::new(Language::Gcl, name),
            init: Vec::new(),
            actions: Vec::new(),
        }
    }
}

/// The system of a model.
pub(super) fn system(cx: &mut Context, body: Body) -> System {
    let mut model = body.model;
    let mut start: Vec<StmtId> = Vec::new();
    for &(term, span) in &body.init {
        start.push(cx.stmts.add(Stmt::Assume(term), Some(span)));
    }
    for variable in model.variables() {
        let Some(range) = variable
            .range
            .as_ref()
            .filter(|_| starts_in_doubt(cx, variable))
        else {
            continue;
        };
        let term = in_range(cx, variable.var, range);
        start.push(cx.stmts.add(Stmt::Assume(term), variable.span));
    }
    let branch = cx.stmts.seq(&start, None);
    let run = model.location(Location::new("run"));
    model.start(Edge::new(branch, run));
    for action in &body.actions {
        let name = cx.names.intern(action.name.clone());
        model.edge(run, Edge::new(step(cx, action), run).named(name));
    }
    model.finish(cx)
}

/// Whether a variable has a range and no constant initial value, which would have been checked.
pub(super) fn starts_in_doubt(cx: &Context, variable: &Variable) -> bool {
    let constant = variable
        .initial
        .is_some_and(|value| cx.terms.as_lit(value).is_some());
    variable.range.is_some() && !constant
}

fn in_range(cx: &mut Context, var: VarId, (low, high): &(Int, Int)) -> TermId {
    let var = cx.terms.var(var);
    let (low, high) = (cx.terms.int(low.clone()), cx.terms.int(high.clone()));
    let (low, high) = (cx.terms.le(low, var), cx.terms.le(var, high));
    cx.terms.and(&[low, high])
}

fn step(cx: &mut Context, action: &Action) -> StmtId {
    let guard = Stmt::Assume(action.guard);
    let mut stmts = Vec::new();
    for &parameter in &action.parameters {
        let any = Stmt::Declare(parameter, None);
        stmts.push(cx.stmts.add(any, Some(action.span)));
    }
    stmts.push(cx.stmts.add(guard, Some(action.guard_span)));
    let mut assigned: FxHashSet<VarId> = FxHashSet::default();
    let mut writes: Vec<StmtId> = Vec::new();
    for effect in &action.effects {
        let write = match effect.value {
            None => Stmt::Havoc(effect.var),
            Some(value) => {
                let read = cx.terms.free_vars(&[value]);
                let too_late = read.iter().any(|var| assigned.contains(var));
                Stmt::Assign(
                    effect.var,
                    if too_late {
                        let decl = cx.terms.decl(effect.var).clone();
                        let aside =
                            cx.terms
                                .declare_instance(&format!("{}'", decl.name), decl.sort, 1);
                        let declare = Stmt::Declare(aside, Some(value));
                        stmts.push(cx.stmts.add(declare, Some(effect.span)));
                        cx.terms.var(aside)
                    } else {
                        value
                    },
                )
            }
        };
        writes.push(cx.stmts.add(write, Some(effect.span)));
        assigned.insert(effect.var);
    }
    stmts.append(&mut writes);
    for effect in &action.effects {
        let Some(range) = &effect.range else { continue };
        let constant = effect.value.and_then(|value| cx.terms.as_lit(value));
        let stays = matches!(constant, Some(Value::Int(int)) if range.0 <= *int && *int <= range.1);
        if !stays {
            let term = in_range(cx, effect.var, range);
            stmts.push(cx.stmts.add(Stmt::Assume(term), Some(effect.span)));
        }
    }
    cx.stmts.seq(&stmts, Some(action.span))
}
