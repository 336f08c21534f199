//! Loops that can be repeated for ever although some variables do not come back, and loops that cannot.

use super::{NotRepeatable, repeats_for_ever};
use crate::{
    Context, Edge, Growth, Language, Lasso, Location, Next, PointId, Run, State, Step, Stmt,
    StmtId, System, SystemBuilder, Variable,
};
use lariat_base::Id as _;
use lariat_expr::{Int, Op, TermId, Terms, Value};

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
        region: Vec::new(),
        inputs: Vec::new(),
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

/// A round in which `x` goes from `first` to `second`, with an unknown that becomes `plus + times · unknown`, on which `x`
/// depends by `ray`.
fn growing(first: i64, second: i64, (plus, times): (i64, i64), ray: i64) -> Lasso {
    let mut lasso = round(first);
    lasso.run.steps[1].state.values[0] = Value::Int(second.into());
    lasso.growth = Growth {
        rule: vec![Next {
            plus: plus.into(),
            times: vec![times.into()],
        }],
        state: vec![vec![Int::from(ray).into()], Vec::new()],
        decisions: Vec::new(),
    };
    lasso
}

/// `x := factor · x + plus`, if the assumptions of `assume` hold before.
fn system_of(
    cx: &mut Context,
    (factor, plus): (i64, i64),
    assume: impl FnOnce(&mut Terms, TermId) -> TermId,
) -> System {
    looping(cx, |cx| {
        let int = cx.terms.sorts.int();
        let var = cx.terms.declare("x", int);
        let (x, factor, plus) = (cx.terms.var(var), cx.terms.int(factor), cx.terms.int(plus));
        let condition = assume(&mut cx.terms, x);
        let product = cx.terms.mul(&[factor, x]);
        let next = cx.terms.add(&[product, plus]);
        let parts = [Stmt::Assume(condition), Stmt::Assign(var, next)];
        let parts = parts.map(|stmt| cx.stmts.add(stmt, None));
        cx.stmts.seq(&parts, None)
    })
}

fn at_least(terms: &mut Terms, x: TermId, bound: i64) -> TermId {
    let bound = terms.int(bound);
    terms.le(bound, x)
}

#[test]
fn a_number_may_grow_where_its_conditions_stay_true() {
    let mut cx = Context::new();
    let mut system = system_of(&mut cx, (1, 2), |terms, x| at_least(terms, x, 5));
    let lasso = growing(5, 7, (1, 1), 2);
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &lasso, &[]),
        Ok(Vec::new())
    );
    // At 4 it could be taken only from the next state on, which the replay of the run tells; here it is no run.
    let lasso = growing(4, 6, (1, 1), 2);
    let found = repeats_for_ever(&cx, &mut system, &lasso, &[]);
    assert_eq!(found, Err(NotRepeatable::NoRun));
}

#[test]
fn a_condition_that_becomes_false_in_some_round_is_found() {
    let mut cx = Context::new();
    let mut system = system_of(&mut cx, (1, 1), |terms, x| {
        let below = at_least(terms, x, 1_000_000);
        terms.not(below)
    });
    let lasso = growing(0, 1, (1, 1), 1);
    let found = repeats_for_ever(&cx, &mut system, &lasso, &[]);
    assert!(
        matches!(found, Err(NotRepeatable::Condition(_))),
        "{found:?}"
    );
}

#[test]
fn a_number_may_double_in_each_round() {
    // 1, 2, 4, 8: one more than an unknown that is 0, 1, 3, 7.
    let mut cx = Context::new();
    let mut system = system_of(&mut cx, (2, 0), |terms, x| at_least(terms, x, 1));
    let lasso = growing(1, 2, (1, 2), 1);
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &lasso, &[]),
        Ok(Vec::new())
    );
    // Claimed to grow by 1 it does so once only: then nothing is known of it, and the condition depends on it.
    let lasso = growing(1, 2, (1, 1), 1);
    let found = repeats_for_ever(&cx, &mut system, &lasso, &[]);
    assert!(
        matches!(found, Err(NotRepeatable::Condition(_))),
        "{found:?}"
    );
}

#[test]
fn an_unknown_must_not_become_negative() {
    // 0, -1, -2: as `-unknown` that is right, as a growing unknown with a negative rule it is not judged.
    let mut cx = Context::new();
    let mut system = system_of(&mut cx, (1, -1), |terms, _| terms.true_());
    let lasso = growing(0, -1, (1, 1), -1);
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &lasso, &[]),
        Ok(Vec::new())
    );
    let lasso = growing(0, -1, (-1, 1), 1);
    let found = repeats_for_ever(&cx, &mut system, &lasso, &[]);
    assert_eq!(found, Err(NotRepeatable::Growth));
}

#[test]
fn atoms_must_stay_the_same() {
    let mut cx = Context::new();
    let mut system = system_of(&mut cx, (1, 2), |terms, _| terms.true_());
    let lasso = growing(1, 3, (1, 1), 2);
    let int = cx.terms.sorts.int();
    let x = cx.terms.declare("x", int);
    let x = cx.terms.var(x);
    let (one, two, three) = (cx.terms.int(1), cx.terms.int(2), cx.terms.int(3));
    let positive = cx.terms.lt(one, x);
    let parity = cx.terms.build(Op::Mod, &[x, two]).expect("integers");
    let odd = cx.terms.eq(parity, one);
    let rest = cx.terms.build(Op::Mod, &[x, three]).expect("integers");
    let divisible = cx.terms.eq(rest, one);
    let still = [positive, odd];
    assert_eq!(
        repeats_for_ever(&cx, &mut system, &lasso, &still),
        Ok(Vec::new())
    );
    let found = repeats_for_ever(&cx, &mut system, &lasso, &[odd, divisible]);
    assert_eq!(found, Err(NotRepeatable::Observed(divisible)));
}
