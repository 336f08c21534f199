//! Dead values are forgotten: a variable that nothing reads before it is written again gets a fixed value.
//!
//! Runs stay the same but for the values of dead variables, which no step and no property reads. States that differ only
//! in dead values become one, and a loop that returns to where it was returns to the same state: without
//! this, temporaries and inputs would keep lassos from closing.
//!
//! The assignments that forget have no place in the source; that is how reports know them.

use super::{Applied, Pass, Stage};
use lariat_base::{FxHashMap, IdVec};
use lariat_expr::{Evaluator, TermId, Value, VarId};
use lariat_system::{
    Context, Edge, Initial, LocId, Stmt, StmtId, System, Valuation, Vars as Live, live_at_start,
    live_before, live_variables,
};

/// The pass, for programs and XSTSs by themselves: another part of a composition may read what looks dead. It may append
/// assignments to steps and turn havocs into assignments; variables, locations and edges stay.
pub struct Forget;

impl Pass for Forget {
    fn supports(&self, stage: &Stage) -> bool {
        stage.model.has_inner_points()
    }

    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let terms = stage.observed_terms();
        let observed: Live = cx.terms.free_vars(&terms).into_iter().collect();
        forget_dead(cx, &mut stage.model.systems[0], &observed);
        Applied::InPlace
    }
}

/// Appends to each step of `system` what forgets the variables that are dead after it; those that the
/// property reads (`observed`) are always alive. Havocs of dead variables give a fixed value.
pub fn forget_dead(cx: &mut Context, system: &mut System, observed: &Live) {
    let live = live_variables(cx, system, observed);
    forget_at_start(cx, system, &live);
    let positions = system
        .variables
        .iter()
        .map(|variable| variable.var)
        .zip(0..);
    let positions: FxHashMap<VarId, usize> = positions.collect();
    system.edges.update(|at, edge| {
        if edge.stutter {
            return;
        }
        let mut dead = cx.stmts.written(edge.stmt);
        dead.extend(&live[at]);
        dead.retain(|var| !live[edge.target].contains(var) && positions.contains_key(var));
        dead.sort_unstable_by_key(|var| positions[var]);
        dead.dedup();
        let stmt = with_fixed_havocs(cx, edge.stmt, &live[edge.target]);
        edge.stmt = forgetting(cx, stmt, &dead);
    });
}

/// Lets variables that are dead at the start begin with a fixed value. That becomes their declared initial value, from
/// which preludes are derived.
fn forget_at_start(cx: &mut Context, system: &mut System, live: &IdVec<LocId, Live>) {
    let alive = live_at_start(cx, system, live);
    for variable in &mut system.variables {
        if variable.initial.is_none() && !alive.contains(&variable.var) {
            variable.initial = Some(fixed_value(cx, variable.var));
        }
    }
    let branches = system.initial.branches().to_vec().into_iter();
    let branches = branches.map(|branch| Edge {
        stmt: with_fixed_havocs(cx, branch.stmt, &live[branch.target]),
        ..branch
    });
    let branches = branches.collect();
    system.initial = Initial::new(cx, &system.variables, branches);
}

/// A step in which the havocs, outside of choices and conditionals, whose values nothing reads give a
/// fixed value. An assumption about that value alone does not count as reading if the fixed one passes it.
fn with_fixed_havocs(cx: &mut Context, stmt: StmtId, after: &Live) -> StmtId {
    let mut kept = Vec::new();
    let mut live = after.clone();
    // Variables that are only alive since these assumptions read them.
    let mut tested: FxHashMap<VarId, Vec<TermId>> = FxHashMap::default();
    let mut todo = vec![stmt];
    while let Some(part) = todo.pop() {
        let mut kept_part = part;
        match cx.stmts.get(part) {
            Stmt::Seq(list) => {
                todo.extend(cx.stmts.items(list));
                continue;
            }
            Stmt::Havoc(var) if !live.contains(&var) => kept_part = fix(cx, var, part),
            Stmt::Havoc(var) => {
                let assumptions = tested.remove(&var);
                if assumptions.is_some_and(|terms| passes(cx, var, &terms)) {
                    kept_part = fix(cx, var, part);
                }
            }
            Stmt::Assume(term) => match cx.terms.free_vars(&[term])[..] {
                [var] if !live.contains(&var) || tested.contains_key(&var) => {
                    tested.entry(var).or_default().push(term);
                }
                _ => untest(cx, part, &mut tested),
            },
            _ => untest(cx, part, &mut tested),
        }
        live_before(cx, part, &mut live);
        kept.push(kept_part);
    }
    kept.reverse();
    match kept[..] {
        [one] => one,
        _ => cx.stmts.derive_seq(&kept, stmt),
    }
}

/// Takes what a statement reads out of the variables that are only tested.
fn untest(cx: &Context, stmt: StmtId, tested: &mut FxHashMap<VarId, Vec<TermId>>) {
    for var in cx.stmts.read(&cx.terms, stmt) {
        tested.remove(&var);
    }
}

/// Whether the fixed value of a variable satisfies assumptions about it alone.
fn passes(cx: &Context, var: VarId, assumptions: &[TermId]) -> bool {
    let mut env = Valuation::new();
    env.set(var, Value::some(&cx.terms.sorts, cx.terms.var_sort(var)));
    let mut evaluator = Evaluator::new();
    let mut passes = |&term: &TermId| {
        let truth = evaluator.eval(&cx.terms, term, &env);
        truth.is_ok_and(|truth| truth.as_bool())
    };
    assumptions.iter().all(&mut passes)
}

/// A step after which some variables have a fixed value.
pub fn forgetting(cx: &mut Context, stmt: StmtId, dead: &[VarId]) -> StmtId {
    if dead.is_empty() {
        return stmt;
    }
    let mut parts = vec![stmt];
    for &var in dead {
        let value = fixed_value(cx, var);
        parts.push(cx.stmts.add(Stmt::Assign(var, value), None));
    }
    cx.stmts.derive_seq(&parts, stmt)
}

/// A havoc that gives the fixed value.
fn fix(cx: &mut Context, var: VarId, havoc: StmtId) -> StmtId {
    let value = fixed_value(cx, var);
    cx.stmts.derive(Stmt::Assign(var, value), havoc)
}

/// The value of a variable whose value does not matter.
pub fn fixed_value(cx: &mut Context, var: VarId) -> TermId {
    let sort = cx.terms.var_sort(var);
    let value = Value::some(&cx.terms.sorts, sort);
    cx.terms.lit(value, sort)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_system::{Language, Location, SystemBuilder, Variable};

    /// `havoc x; assume 0 <= x; assume x <= bound`, and then `then` of x.
    fn fixed(bound: i64, read_after: bool) -> bool {
        let mut cx = Context::new();
        let int = cx.terms.sorts.int();
        let x = cx.terms.declare("x", int);
        let term = cx.terms.var(x);
        let (zero, bound) = (cx.terms.int(0), cx.terms.int(bound));
        let conditions = [cx.terms.le(zero, term), cx.terms.le(term, bound)];
        let mut parts = vec![cx.stmts.add(Stmt::Havoc(x), None)];
        for condition in conditions {
            parts.push(cx.stmts.add(Stmt::Assume(condition), None));
        }
        let stmt = cx.stmts.seq(&parts, None);
        let after = if read_after {
            Live::from_iter([x])
        } else {
            Live::default()
        };
        let stmt = with_fixed_havocs(&mut cx, stmt, &after);
        let Stmt::Seq(list) = cx.stmts.get(stmt) else {
            panic!("a step with a forgotten variable is a sequence");
        };
        let first = cx.stmts.items(list)[0];
        matches!(cx.stmts.get(first), Stmt::Assign(..))
    }

    #[test]
    fn a_havoc_that_is_only_tested_gives_a_fixed_value() {
        assert!(fixed(9, false));
        assert!(!fixed(9, true), "its value is read later");
        assert!(!fixed(-1, false), "the fixed value does not pass");
    }

    #[test]
    fn what_a_declared_value_reads_may_start_with_anything() {
        let mut cx = Context::new();
        let int = cx.terms.sorts.int();
        let [x, y, z] = ["x", "y", "z"].map(|name| cx.terms.declare(name, int));
        let y_term = cx.terms.var(y);
        let mut builder = SystemBuilder::new(Language::Cfa, "declared");
        for (var, initial) in [(x, Some(y_term)), (y, None), (z, None)] {
            builder.variable(Variable {
                initial,
                ..Variable::new(var)
            });
        }
        let here = builder.location(Location::new("here"));
        let stay = Edge::new(cx.stmts.skip(), here);
        builder.start(stay);
        builder.edge(here, stay);
        let mut system = builder.finish(&mut cx);
        forget_dead(&mut cx, &mut system, &Live::from_iter([x]));
        let initial: Vec<Option<TermId>> = system.variables.iter().map(|v| v.initial).collect();
        let zero = cx.terms.int(0);
        assert_eq!(initial, [Some(y_term), None, Some(zero)]);
    }
}
