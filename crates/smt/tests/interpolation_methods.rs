//! Each interpolation method by itself: the others not tried, and every interpolant checked.

use lariat_expr::{Dialect, Op, TermId, Terms, VarId, print_term};
use lariat_smt::{
    Interpolants, Interpolate, InterpolationConfig, Method, Reason, Solver, Statistics, Unroller,
    Z3, Z3Config,
};

fn solver(methods: Vec<Method>) -> Z3 {
    Z3::new(Z3Config {
        interpolation: InterpolationConfig {
            check: true,
            methods,
            ..InterpolationConfig::default()
        },
        ..Z3Config::default()
    })
}

/// The interpolants as text, without the indices of the variables.
fn interpolate(method: Method, path: &mut Path) -> Vec<String> {
    let mut solver = solver(InterpolationConfig::default().methods);
    let found = match solver.interpolate_by(method, &mut path.terms, &path.parts) {
        Interpolants::Sequence(found) => found,
        other => panic!("{method:?} finds no interpolants: {other:?}"),
    };
    let by = |statistics: &Statistics| match method {
        Method::Horn => statistics.by_horn,
        Method::Projection => statistics.by_projection,
        Method::Newton => statistics.by_newton,
    };
    assert_eq!(
        by(solver.statistics()),
        1,
        "{method:?} did it: {:?}",
        solver.statistics()
    );
    let terms = &mut path.terms;
    found
        .into_iter()
        .map(|term| {
            let folded = path.unroller.fold(terms, term);
            print_term(terms, folded, &Dialect::GCL)
        })
        .collect()
}

#[derive(Default)]
struct Path {
    terms: Terms,
    unroller: Unroller,
    parts: Vec<TermId>,
}

impl Path {
    fn assume(&mut self, condition: TermId, step: u32) {
        let part = self.unroller.at(&mut self.terms, condition, step);
        self.parts.push(part);
    }

    fn assign(&mut self, step: u32, values: &[(VarId, TermId)]) {
        let terms = &mut self.terms;
        let mut all = Vec::new();
        for &(var, value) in values {
            let copy = self.unroller.var(terms, var, step + 1);
            let (after, value) = (terms.var(copy), self.unroller.at(terms, value, step));
            all.push(terms.eq(after, value));
        }
        self.parts.push(terms.and(&all));
    }
}

/// Two counters that move together from 0.
fn counters(n: u32) -> Path {
    let mut path = Path::default();
    let t = &mut path.terms;
    let int = t.sorts.int();
    let (x, y) = (t.declare("x", int), t.declare("y", int));
    let (tx, ty, zero, one) = (t.var(x), t.var(y), t.int(0), t.int(1));
    let (x_is, y_is, same) = (t.eq(tx, zero), t.eq(ty, zero), t.eq(tx, ty));
    let (init, differ) = (t.and(&[x_is, y_is]), t.not(same));
    let (next_x, next_y) = (t.add(&[tx, one]), t.add(&[ty, one]));
    path.assume(init, 0);
    for step in 0..n {
        path.assign(step, &[(x, next_x), (y, next_y)]);
    }
    path.assume(differ, n);
    path
}

#[test]
fn two_counters() {
    assert_eq!(
        interpolate(Method::Horn, &mut counters(2)),
        ["x = y", "x = y", "x = y"]
    );
    assert_eq!(
        interpolate(Method::Newton, &mut counters(2)),
        ["x = y", "x = y", "x = y"]
    );
    // Projection is exact: it knows the values.
    let found = interpolate(Method::Projection, &mut counters(2));
    assert_eq!(found[0], "x = 0 and y = 0");
}

#[test]
fn havoc_needs_real_elimination() {
    // Something lies between x and y; then they are in order.
    for method in [Method::Horn, Method::Projection, Method::Newton] {
        let mut path = Path::default();
        let t = &mut path.terms;
        let int = t.sorts.int();
        let (x, y, z) = (
            t.declare("x", int),
            t.declare("y", int),
            t.declare("z", int),
        );
        let (x, y, z) = (t.var(x), t.var(y), t.var(z));
        let (low, high, reversed) = (t.le(x, z), t.le(z, y), t.lt(y, x));
        path.parts = vec![t.and(&[low, high]), reversed];
        assert_eq!(interpolate(method, &mut path), ["x <= y"], "{method:?}");
    }
}

#[test]
fn arrays_are_left_to_newton() {
    let mut path = Path::default();
    let t = &mut path.terms;
    let int = t.sorts.int();
    let sort = t.sorts.array(int, int);
    let (m, i) = (t.declare("m", sort), t.declare("i", int));
    let (tm, ti, zero, seven) = (t.var(m), t.var(i), t.int(0), t.int(7));
    let (marked, written) = (t.store(tm, zero, seven), t.store(tm, ti, ti));
    let (read, positive) = (t.select(tm, zero), t.lt(zero, ti));
    let intact = t.eq(read, seven);
    let broken = t.not(intact);
    path.assign(0, &[(m, marked), (i, ti)]);
    path.assume(positive, 1);
    path.assign(1, &[(m, written), (i, ti)]);
    path.assume(broken, 2);
    let found = interpolate(Method::Newton, &mut path);
    assert_eq!(found.last().map(String::as_str), Some("m[0] = 7"));
}

#[test]
fn without_any_method_nothing_is_claimed() {
    // The product of two odd numbers is odd, which none of the last two methods can express.
    let mut path = Path::default();
    let t = &mut path.terms;
    let bv = t.sorts.bv(3);
    let (x, y) = (t.declare("x", bv), t.declare("y", bv));
    let (x, y) = (t.var(x), t.var(y));
    let square = t
        .build(Op::Bv(lariat_expr::BvOp::Mul), &[x, x])
        .expect("well-sorted");
    let is = t.eq(y, square);
    let three = t.lit(lariat_expr::Value::Bv(3.into()), bv);
    let is_three = t.eq(y, three);
    path.parts = vec![is, is_three];
    let mut solver = solver(vec![Method::Newton]);
    match solver.interpolate(&mut path.terms, &path.parts) {
        Interpolants::Sequence(found) => assert_eq!(found.len(), 1),
        Interpolants::Unknown(Reason::Incomplete(_)) => {
            assert_eq!(solver.statistics().not_interpolated, 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let once = || {
        let found = std::thread::spawn(|| interpolate(Method::Horn, &mut counters(4)));
        found.join().expect("it does not panic")
    };
    assert_eq!(once(), once());
}
