//! Loops that can be repeated for ever although some variables do not come back, and loops that cannot.

use super::{NotRepeatable, repeats_for_ever};
use crate::{
    Context, Edge, Growth, Language, Lasso, Location, PointId, Run, State, Step, Stmt, StmtId,
    System, SystemBuilder, Variable,
};
use lariat_base::Id as _;
use lariat_expr::{Int, Value};

/// A system with one location, one edge and the numbers `x` and `y`.
fn looping(cx: &mut Context, stmt: impl FnOnce(&mut Context) -> StmtId) -> System {
    let mut builder = SystemBuilder::new(Language::Xsts, "s");
    let int = cx.terms.sorts.int();
    for name in ["x", "y"] {
        builder.variable(Variable::new(cx.terms.declare(name, int)));
    }
    let here = builder.location(Location::new("here"));
    let (start, stmt) = (cx.stmts.skip(), stmt(cx));
    builder.start(Edge::new(start, here).observed_if(true));
    builder.edge(here, Edge::new(stmt, here).observed_if(true));
    builder.finish(cx)
}

/// One round of the loop in which `x` grows from `x` to `x + 1` and `y` stays 0.
fn round(x: i64) -> Lasso {
    let step = |x: i64| Step {
        edge: 0,
        decisions: Vec::new(),
        state: State {
            loc: PointId::from_index(0),
            values: vec![Value::Int(Int::from(x)), Value::Int(Int::ZERO)],
        },
    };
    Lasso {
        run: Run {
            steps: vec![step(x), step(x + 1)],
        },
        honda: 0,
        growth: Growth::default(),
    }
}

/// `body; x := x + 1`.
fn then_count(cx: &mut Context, body: StmtId) -> StmtId {
    let int = cx.terms.sorts.int();
    let x = cx.terms.declare("x", int);
    let (old, one) = (cx.terms.var(x), cx.terms.int(1));
    let next = cx.terms.add(&[old, one]);
    let count = cx.stmts.add(Stmt::Assign(x, next), None);
    cx.stmts.seq(&[body, count], None)
}

#[test]
fn an_assumption_in_a_loop_is_judged_in_its_own_round() {
    // At i = 0 the assumption needs x > 0, which another round may not satisfy; i >= 1 says nothing about that.
    let mut cx = Context::new();
    let mut system = looping(&mut cx, |cx| {
        let int = cx.terms.sorts.int();
        let (x, i) = (cx.terms.declare("x", int), cx.terms.declare("i", int));
        let (zero, one, two) = (cx.terms.int(0), cx.terms.int(1), cx.terms.int(2));
        let (x, at) = (cx.terms.var(x), cx.terms.var(i));
        let (positive, later) = (cx.terms.lt(zero, x), cx.terms.le(one, at));
        let either = cx.terms.or(&[positive, later]);
        let body = cx.stmts.add(Stmt::Assume(either), None);
        let loop_ = Stmt::For {
            var: i,
            from: zero,
            to: two,
            body,
        };
        let loop_ = cx.stmts.add(loop_, None);
        then_count(cx, loop_)
    });
    let found = repeats_for_ever(&cx, &mut system, &round(5), &[]);
    assert!(
        matches!(found, Err(NotRepeatable::Condition(_))),
        "{found:?}"
    );
}

#[test]
fn a_counter_that_nothing_reads_may_count() {
    let mut cx = Context::new();
    let mut system = looping(&mut cx, |cx| {
        let skip = cx.stmts.skip();
        then_count(cx, skip)
    });
    let int = cx.terms.sorts.int();
    let (x, y) = (cx.terms.declare("x", int), cx.terms.declare("y", int));
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &round(5), &[]),
        Ok(vec![x])
    );
    let zero = cx.terms.int(0);
    let [about_x, about_y] = [x, y].map(|var| {
        let term = cx.terms.var(var);
        cx.terms.le(zero, term)
    });
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &round(5), &[about_x]),
        Err(NotRepeatable::Observed(about_x))
    );
    assert!(repeats_for_ever(&cx, &mut system, &round(5), &[about_y]).is_ok());
}
