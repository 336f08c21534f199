//! Runs that get stuck: from which states no step leads on, and what becomes of a run there.
//!
//! When a step can be taken is its weakest precondition in the angelic sense: *some* way through it
//! is not blocked. It is computed backwards; the values of a havoc are eliminated (`exists.rs`). Where
//! all steps of a location can be blocked, a step is added that is taken exactly then.

use super::exists::exists;
use crate::model::Model;
use crate::property::Property;
use lariat_base::{Csr, Span};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{Context, Edge, LocId, LocRole, Location, Stmt, StmtId, System};

/// What becomes of a run in a state from which no step leads on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deadlock {
    /// It ends there, and refutes no formula.
    Ignore,
    /// It stays there for ever.
    Stutter,
    /// It goes to a location of its own, which is an error.
    Error,
}

impl Deadlock {
    /// What a model means by itself. Parts of a composition wait for each other: it gets stuck as a whole, or goes on.
    pub fn usual(model: &Model) -> Self {
        match &model.systems[..] {
            [system] if system.language.stays_when_stuck() => Self::Stutter,
            _ => Self::Ignore,
        }
    }
}

/// A step of which it is not known when it can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opaque {
    /// What makes it so.
    pub why: &'static str,
    /// Where.
    pub span: Option<Span>,
}

/// A loop is unrolled at most so often.
const MAX_ROUNDS: i64 = 10_000;

/// Lets runs go on where they would get stuck, unless that is to be ignored. For [`Deadlock::Error`]: the location that they go to.
pub fn go_on_after_deadlock(
    cx: &mut Context,
    system: &mut System,
    how: Deadlock,
) -> Result<Option<LocId>, Opaque> {
    if how == Deadlock::Ignore {
        return Ok(None);
    }
    let error = (how == Deadlock::Error).then(|| {
        system.locations.push(Location {
            role: LocRole::Error,
            ..Location::new("deadlock")
        })
    });
    let name = cx.names.intern("no step is possible".into());
    let mut rows: Vec<Vec<Edge>> = Vec::new();
    for (at, row) in system.edges.rows() {
        let mut row = row.to_vec();
        let is_stuck = stuck(cx, &row)?;
        if is_stuck != cx.terms.false_() {
            let stmt = cx.stmts.add(Stmt::Assume(is_stuck), None);
            row.push(Edge {
                stutter: error.is_none(),
                ..Edge::new(stmt, error.unwrap_or(at)).named(name)
            });
        }
        rows.push(row);
    }
    if let Some(error) = error {
        // What a formula says of such a run is still what the language means.
        let skip = cx.stmts.skip();
        let stays = Edge::new(skip, error).stuttering();
        let stays = system.language.stays_when_stuck().then_some(stays);
        rows.push(stays.into_iter().collect());
    }
    system.edges = Csr::from_rows(rows);
    Ok(error)
}

/// The steps that only stuck states have.
fn is_going_on(cx: &Context, edge: &Edge) -> bool {
    let condition = match cx.stmts.get(edge.stmt) {
        Stmt::Assume(condition) => Some(condition),
        _ => None,
    };
    edge.stutter && condition.is_some_and(|condition| condition != cx.terms.true_())
}

/// Whether some runs would get stuck without the steps that were added, as far as can be seen.
pub fn goes_on_when_stuck(cx: &Context, system: &System) -> bool {
    let mut edges = system.edges.rows().flat_map(|(_, row)| row);
    edges.any(|edge| is_going_on(cx, edge))
}

/// Takes the added steps out again: no run comes to where one could be taken.
pub fn forget_deadlock(cx: &Context, system: &mut System) {
    let rows = system.edges.rows().map(|(_, row)| {
        let own = row.iter().copied().filter(|edge| !is_going_on(cx, edge));
        own.collect::<Vec<Edge>>()
    });
    system.edges = Csr::from_rows(rows.collect::<Vec<_>>());
}

/// A copy of a model in which runs that get stuck go to a location of its own, and the question whether any does; nothing
/// for a composition, and where it cannot be told which states are stuck.
pub fn gets_stuck(cx: &mut Context, model: &Model) -> Option<(Model, Property)> {
    let [system] = &model.systems[..] else {
        return None;
    };
    let mut system = system.clone();
    forget_deadlock(cx, &mut system);
    let place = go_on_after_deadlock(cx, &mut system, Deadlock::Error);
    let place = place.ok()?.expect("an error has a location");
    let property = Property::never("deadlock", "no run gets stuck", vec![(0, place)]);
    Some((model.with_systems(cx, vec![system]), property))
}

/// When none of these edges can be taken.
fn stuck(cx: &mut Context, edges: &[Edge]) -> Result<TermId, Opaque> {
    let mut ways = Vec::new();
    for edge in edges {
        ways.push(enabled(cx, edge.stmt)?);
    }
    let some = cx.terms.or(&ways);
    Ok(cx.terms.not(some))
}

/// What is left to do, last things first; each works on the condition on top of the stack, which must hold behind it.
enum Task {
    /// The condition that must hold before a statement.
    Before(StmtId),
    /// As it stands with a value for a variable.
    Let(VarId, TermId),
    /// Doubles the topmost condition.
    Copy,
    /// Exchanges the two topmost conditions.
    Swap,
    /// Either of the two topmost conditions.
    Or,
    /// The topmost condition if the term holds, else the one below.
    Ite(TermId),
}

/// When some way through a statement is not blocked.
fn enabled(cx: &mut Context, stmt: StmtId) -> Result<TermId, Opaque> {
    let mut conditions = vec![cx.terms.true_()];
    let mut todo = vec![Task::Before(stmt)];
    while let Some(task) = todo.pop() {
        let top = conditions.pop().expect("there is a condition");
        match task {
            Task::Before(stmt) => conditions.push(before(cx, stmt, top, &mut todo)?),
            Task::Let(var, value) => conditions.push(with(cx, var, value, top)),
            Task::Copy => conditions.extend([top, top]),
            Task::Swap => {
                let below = conditions.pop().expect("there are two conditions");
                conditions.extend([top, below]);
            }
            Task::Or => {
                let below = conditions.pop().expect("there are two conditions");
                conditions.push(cx.terms.or(&[below, top]));
            }
            Task::Ite(condition) => {
                let below = conditions.pop().expect("there are two conditions");
                conditions.push(cx.terms.ite(condition, top, below));
            }
        }
    }
    Ok(conditions.pop().expect("one condition is left"))
}

/// The condition before a statement; of one with inner statements, what there is to do for it.
fn before(
    cx: &mut Context,
    stmt: StmtId,
    after: TermId,
    todo: &mut Vec<Task>,
) -> Result<TermId, Opaque> {
    let opaque = |cx: &Context, why| Opaque {
        why,
        span: cx.stmts.span(stmt),
    };
    match cx.stmts.get(stmt) {
        Stmt::Assume(term) => return Ok(cx.terms.and(&[term, after])),
        Stmt::Assign(var, value) | Stmt::Declare(var, Some(value)) => {
            return Ok(with(cx, var, value, after));
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => {
            let found = exists(&mut cx.terms, var, after);
            return found.ok_or_else(|| opaque(cx, "it depends on a value that may be anything"));
        }
        Stmt::Seq(list) => {
            // The last one is done first.
            todo.extend(cx.stmts.items(list).iter().map(|&part| Task::Before(part)));
        }
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list);
            let Some((&last, others)) = branches.split_last() else {
                return Ok(cx.terms.false_());
            };
            // Each branch gets a copy of the condition; what it makes of it goes below the next copy.
            todo.extend(others.iter().map(|_| Task::Or));
            todo.push(Task::Before(last));
            for &branch in others {
                todo.extend([Task::Swap, Task::Before(branch), Task::Copy]);
            }
        }
        Stmt::If(condition, then, otherwise) => {
            todo.extend([Task::Ite(condition), Task::Before(then), Task::Swap]);
            todo.extend([Task::Before(otherwise), Task::Copy]);
        }
        Stmt::For {
            var,
            from,
            to,
            body,
        } => {
            let bound = |term| cx.terms.as_lit(term)?.as_int()?.to_i64();
            let (Some(from), Some(to)) = (bound(from), bound(to)) else {
                return Err(opaque(cx, "the bounds of this loop depend on the state"));
            };
            if to.saturating_sub(from) > MAX_ROUNDS {
                return Err(opaque(cx, "this loop has very many rounds"));
            }
            for value in from..to {
                let value = cx.terms.int(value);
                todo.extend([Task::Let(var, value), Task::Before(body)]);
            }
        }
    }
    Ok(after)
}

fn with(cx: &mut Context, var: VarId, value: TermId, term: TermId) -> TermId {
    let mut substitution = Substitution::new();
    substitution.insert(&mut cx.terms, var, value);
    substitution.apply(&mut cx.terms, term)
}
