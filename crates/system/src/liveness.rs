//! Dead values are forgotten: a variable that nothing reads before it is written again gets a fixed value.
//!
//! Runs stay the same but for the values of dead variables, which no step and no property reads (Muchnick,
//! "Advanced Compiler Design and Implementation", 1997, §14.1, for the analysis). States that differ only
//! in dead values become one, and a loop that returns to where it was returns to the same state: without
//! this, temporaries and inputs would keep lassos from closing.
//!
//! The assignments that forget have no place in the source; that is how reports know them.

use crate::exec::Valuation;
use crate::system::branch_of;
use crate::{Context, LocId, Stmt, StmtId, System};
use lariat_base::{FxHashMap, FxHashSet, Id, IdVec};
use lariat_expr::{Evaluator, TermId, Value, VarId};

/// Variables that may be read before they are written.
type Live = FxHashSet<VarId>;

/// Appends to each step of `system` what forgets the variables that are dead after it; those that the
/// property reads (`observed`) are always alive. Havocs of dead variables give a fixed value. How many
/// assignments were added.
pub fn forget_dead(cx: &mut Context, system: &mut System, observed: &FxHashSet<VarId>) -> usize {
    let live = live_variables(cx, system, observed);
    let mut n_added = 0;
    forget_at_start(cx, system, &live);
    let variables = &system.variables;
    system.edges.update(|at, edge| {
        if edge.stutter {
            return;
        }
        let written: Live = cx.stmts.written(edge.stmt).into_iter().collect();
        let is_dead = |var: &VarId| {
            !live[edge.target].contains(var) && (live[at].contains(var) || written.contains(var))
        };
        let variables = variables.iter().map(|variable| variable.var);
        let dead: Vec<VarId> = variables.filter(is_dead).collect();
        n_added += dead.len();
        let stmt = with_fixed_havocs(cx, edge.stmt, &live[edge.target]);
        edge.stmt = forgetting(cx, stmt, &dead);
    });
    n_added
}

/// Lets variables that are dead after every start, and that no declared value reads, begin with a fixed value. That becomes their declared initial value:
/// compositions make one prelude of all declarations.
fn forget_at_start(cx: &mut Context, system: &mut System, live: &IdVec<LocId, Live>) {
    let declared = system
        .variables
        .iter()
        .filter_map(|variable| variable.initial);
    let declared: Vec<TermId> = declared.collect();
    let mut alive: Live = cx.terms.free_vars(&declared).into_iter().collect();
    for edge in &system.initial {
        let branch = branch_of(cx, edge.stmt);
        alive.extend(before(cx, branch, &live[edge.target]));
    }
    for variable in &mut system.variables {
        if variable.initial.is_none() && !alive.contains(&variable.var) {
            variable.initial = Some(fixed_value(cx, variable.var));
        }
    }
    for edge in &mut system.initial {
        let span = cx.stmts.span(edge.stmt);
        let branch = branch_of(cx, edge.stmt);
        let branch = with_fixed_havocs(cx, branch, &live[edge.target]);
        let prelude = System::prelude(cx, &system.variables, branch);
        edge.stmt = cx.stmts.seq(&[prelude, branch], span);
    }
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
            Stmt::Havoc(var) if !live.contains(&var) => kept_part = forget(cx, var),
            Stmt::Havoc(var) => {
                let assumptions = tested.remove(&var);
                if assumptions.is_some_and(|terms| passes(cx, var, &terms)) {
                    kept_part = forget(cx, var);
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
        live = before(cx, part, &live);
        kept.push(kept_part);
    }
    kept.reverse();
    let span = cx.stmts.span(stmt);
    match kept[..] {
        [one] => one,
        _ => cx.stmts.seq(&kept, span),
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

fn forgetting(cx: &mut Context, stmt: StmtId, dead: &[VarId]) -> StmtId {
    if dead.is_empty() {
        return stmt;
    }
    let span = cx.stmts.span(stmt);
    let mut parts = vec![stmt];
    parts.extend(dead.iter().map(|&var| forget(cx, var)));
    cx.stmts.seq(&parts, span)
}

/// Gives a variable a fixed value.
fn forget(cx: &mut Context, var: VarId) -> StmtId {
    let value = fixed_value(cx, var);
    cx.stmts.add(Stmt::Assign(var, value), None)
}

fn fixed_value(cx: &mut Context, var: VarId) -> TermId {
    let sort = cx.terms.var_sort(var);
    let value = Value::some(&cx.terms.sorts, sort);
    cx.terms.lit(value, sort)
}

/// The variables that are alive at each location.
fn live_variables(cx: &Context, system: &System, observed: &Live) -> IdVec<LocId, Live> {
    let n = system.locations.len();
    let mut live: IdVec<LocId, Live> = IdVec::filled(observed.clone(), n);
    let mut sources: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), n);
    for (at, edges) in system.edges.rows() {
        for edge in edges {
            sources[edge.target].push(at);
        }
    }
    let mut todo: Vec<LocId> = (0..n).map(LocId::from_index).collect();
    let mut waiting = IdVec::filled(true, n);
    while let Some(at) = todo.pop() {
        waiting[at] = false;
        let mut now = observed.clone();
        for edge in system.edges.row(at) {
            now.extend(before(cx, edge.stmt, &live[edge.target]));
        }
        if now.len() > live[at].len() {
            live[at] = now;
            for &source in &sources[at] {
                if !std::mem::replace(&mut waiting[source], true) {
                    todo.push(source);
                }
            }
        }
    }
    live
}

/// The variables that are alive before a statement, given those alive after it. The recursion follows
/// the nesting of blocks in the source, which the parsers bound.
fn before(cx: &Context, stmt: StmtId, after: &Live) -> Live {
    let reading = |live: &Live, term| {
        let mut live = live.clone();
        live.extend(cx.terms.free_vars(&[term]));
        live
    };
    let without = |var: VarId| {
        let mut live = after.clone();
        live.remove(&var);
        live
    };
    match cx.stmts.get(stmt) {
        Stmt::Assume(term) => reading(after, term),
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => reading(&without(var), term),
        Stmt::Havoc(var) | Stmt::Declare(var, None) => without(var),
        Stmt::Seq(list) => {
            let items = cx.stmts.items(list).iter().rev();
            items.fold(after.clone(), |live, &item| before(cx, item, &live))
        }
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list).iter();
            branches
                .flat_map(|&branch| before(cx, branch, after))
                .collect()
        }
        Stmt::If(condition, then, otherwise) => {
            let mut live = before(cx, then, after);
            live.extend(before(cx, otherwise, after));
            reading(&live, condition)
        }
        Stmt::For { from, to, .. } => {
            // What the body reads may be read, and it may not run at all.
            let mut live = after.clone();
            live.extend(cx.stmts.read(&cx.terms, stmt));
            reading(&reading(&live, from), to)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edge, Language, LocRole, Location, Variable};
    use lariat_base::Csr;

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
        let declared = |var, initial| Variable {
            var,
            ctrl: false,
            initial,
            range: None,
            span: None,
        };
        let y_term = cx.terms.var(y);
        let variables = vec![
            declared(x, Some(y_term)),
            declared(y, None),
            declared(z, None),
        ];
        let branch = cx.stmts.skip();
        let prelude = System::prelude(&mut cx, &variables, branch);
        let start = cx.stmts.seq(&[prelude, branch], None);
        let here = LocId::from_index(0);
        let edge = |stmt| Edge {
            stmt,
            target: here,
            observed: true,
            name: None,
            stutter: false,
        };
        let step = cx.stmts.skip();
        let mut system = System {
            name: "declared".into(),
            language: Language::Cfa,
            sorts: Vec::new(),
            constants: Vec::new(),
            variables,
            locations: IdVec::from_iter([Location {
                name: "here".into(),
                role: LocRole::Plain,
                span: None,
            }]),
            initial: vec![edge(start)],
            edges: Csr::from_rows([vec![edge(step)]]),
            properties: Vec::new(),
            program: None,
        };
        forget_dead(&mut cx, &mut system, &Live::from_iter([x]));
        let initial: Vec<Option<TermId>> = system.variables.iter().map(|v| v.initial).collect();
        let zero = cx.terms.int(0);
        assert_eq!(initial, [Some(y_term), None, Some(zero)]);
    }
}
