//! Makes the system of a GCL model: one location, one step for each action.
//!
//! Assignments of one action happen at the same time, statements one after the other. So a value that
//! reads a variable assigned earlier in the action is put aside first, in a local variable that
//! has the name of the variable it is for.

use lariat_base::{Csr, FxHashSet, Id, Span};
use lariat_expr::{Int, SortId, TermId, Value, VarId};
use lariat_system::{
    Context, Edge, Initial, Language, LocId, LocRole, Location, Property, Stmt, StmtId, System,
    Variable,
};

/// What a model consists of.
pub(super) struct Body {
    pub name: Box<str>,
    pub sorts: Vec<SortId>,
    pub constants: Vec<(Box<str>, TermId)>,
    pub variables: Vec<Variable>,
    pub init: Vec<(TermId, Span)>,
    pub actions: Vec<Action>,
    pub properties: Vec<Property>,
}

/// A guarded command.
pub(super) struct Action {
    pub name: Box<str>,
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
            name,
            sorts: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            init: Vec::new(),
            actions: Vec::new(),
            properties: Vec::new(),
        }
    }
}

/// The system of a model.
pub(super) fn system(cx: &mut Context, body: Body) -> System {
    let at = LocId::from_index(0);
    let mut start: Vec<StmtId> = Vec::new();
    for &(term, span) in &body.init {
        start.push(cx.stmts.add(Stmt::Assume(term), Some(span)));
    }
    for variable in &body.variables {
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
    let edge = |stmt: StmtId| Edge {
        stmt,
        target: at,
        observed: true,
        name: None,
        stutter: false,
    };
    let initial = Initial::new(cx, &body.variables, vec![edge(branch)]);
    let mut steps: Vec<Edge> = Vec::new();
    for action in &body.actions {
        let stmt = step(cx, action);
        steps.push(Edge {
            name: Some(cx.names.intern(action.name.clone())),
            ..edge(stmt)
        });
    }
    System {
        name: body.name,
        language: Language::Gcl,
        sorts: body.sorts,
        constants: body.constants,
        variables: body.variables,
        locations: std::iter::once(Location {
            name: "run".into(),
            role: LocRole::Plain,
            span: None,
        })
        .collect(),
        initial,
        edges: Csr::from_rows([steps]),
        fairness: Vec::new(),
        properties: body.properties,
        program: None,
    }
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
    let mut stmts = vec![cx.stmts.add(guard, Some(action.guard_span))];
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
                        let aside = cx.terms.declare_instance(&decl.name, decl.sort, 1);
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
