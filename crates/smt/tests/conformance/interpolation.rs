//! Interpolants have their three defining properties.

use crate::Make;
use lariat_expr::{BvOp, Int, Op, Rat, Sort, SortId, TermId, Terms, Value, VarId};
use lariat_smt::{Interpolants, Reason, Unroller, check_sequence};
use lariat_testkit::rng;
use rand::Rng as _;

/// A path over a few variables, step by step.
struct Path {
    terms: Terms,
    unroller: Unroller,
    parts: Vec<TermId>,
}

impl Path {
    fn new() -> Self {
        Self {
            terms: Terms::new(),
            unroller: Unroller::new(),
            parts: Vec::new(),
        }
    }

    /// The variable at a step, as a term.
    fn at(&mut self, var: VarId, step: usize) -> TermId {
        let copy = self.unroller.var(&mut self.terms, var, step as u32);
        self.terms.var(copy)
    }

    /// A condition on the variables at a step, as a part of its own.
    fn assume(&mut self, condition: TermId, step: usize) {
        let part = self.unroller.at(&mut self.terms, condition, step as u32);
        self.parts.push(part);
    }

    /// A step to the next copies: each of these variables becomes the value of a term.
    fn assign(&mut self, step: usize, values: &[(VarId, TermId)]) {
        let mut all = Vec::new();
        for &(var, value) in values {
            let after = self.at(var, step + 1);
            let value = self.unroller.at(&mut self.terms, value, step as u32);
            all.push(self.terms.eq(after, value));
        }
        self.parts.push(self.terms.and(&all));
    }

    /// Interpolates and checks the result with a second backend.
    fn interpolate(&mut self, make: Make) -> Vec<TermId> {
        match make().interpolate(&mut self.terms, &self.parts) {
            Interpolants::Sequence(found) => {
                let correct = check_sequence(make().as_mut(), &mut self.terms, &self.parts, &found);
                assert_eq!(correct, Ok(()), "{found:?}");
                found
            }
            other => panic!("no interpolants: {other:?}"),
        }
    }
}

/// `x` and `y` start equal, grow together for `n` steps and end different.
fn two_counters(n: usize) -> (Path, VarId, VarId) {
    let mut path = Path::new();
    let int = path.terms.sorts.int();
    let (x, y) = (path.terms.declare("x", int), path.terms.declare("y", int));
    let t = &mut path.terms;
    let (tx, ty, zero, one) = (t.var(x), t.var(y), t.int(0), t.int(1));
    let (x_is, y_is, same) = (t.eq(tx, zero), t.eq(ty, zero), t.eq(tx, ty));
    let (init, differ) = (t.and(&[x_is, y_is]), t.not(same));
    let (next_x, next_y) = (t.add(&[tx, one]), t.add(&[ty, one]));
    path.assume(init, 0);
    for step in 0..n {
        path.assign(step, &[(x, next_x), (y, next_y)]);
    }
    path.assume(differ, n);
    (path, x, y)
}

pub fn two_counters_move_together(make: Make) {
    for n in [0, 1, 3, 9] {
        let (mut path, x, y) = two_counters(n);
        let found = path.interpolate(make);
        for (step, &interpolant) in found.iter().enumerate() {
            let (left, right) = (path.at(x, step), path.at(y, step));
            assert_eq!(
                interpolant,
                path.terms.eq(left, right),
                "the general one, at step {step}"
            );
        }
    }
}

/// A value of the sort that steps count with, and the term of its successor.
fn successor(terms: &mut Terms, var: VarId) -> (TermId, TermId, TermId) {
    let sort = terms.var_sort(var);
    let term = terms.var(var);
    let lit = |terms: &mut Terms, n: i64| {
        let value = match terms.sorts.get(sort) {
            Sort::Rat => Value::Rat(Rat::new(n.into(), 2.into()).expect("not over 0")),
            Sort::Bv(_) => Value::Bv(n.into()),
            Sort::Enum(_) => Value::Enum(n.unsigned_abs() as u32),
            Sort::Bool => Value::Bool(n == 1),
            _ => Value::Int(n.into()),
        };
        terms.lit(value, sort)
    };
    let (zero, one) = (lit(terms, 0), lit(terms, 1));
    let next = match terms.sorts.get(sort) {
        Sort::Bool => terms.not(term),
        Sort::Enum(_) => {
            let two = lit(terms, 2);
            let (at_zero, at_one) = (terms.eq(term, zero), terms.eq(term, one));
            let rest = terms.ite(at_one, two, zero);
            terms.ite(at_zero, one, rest)
        }
        Sort::Bv(_) => terms
            .build(Op::Bv(BvOp::Add), &[term, one])
            .expect("well-sorted"),
        _ => terms.add(&[term, one]),
    };
    (term, zero, next)
}

pub fn every_sort_is_interpolated(make: Make) {
    let sorts: [fn(&mut Terms) -> SortId; 5] = [
        |terms| terms.sorts.bool(),
        |terms| terms.sorts.int(),
        |terms| terms.sorts.rat(),
        |terms| terms.sorts.enumeration("Phase", ["one", "two", "three"]),
        |terms| terms.sorts.bv(4),
    ];
    for sort in sorts {
        // Two variables of the sort walk together; a Boolean says that they do.
        let mut path = Path::new();
        let sort = sort(&mut path.terms);
        let bool_ = path.terms.sorts.bool();
        let t = &mut path.terms;
        let (a, b, ok) = (
            t.declare("a", sort),
            t.declare("b", sort),
            t.declare("ok", bool_),
        );
        let (ta, zero, next_a) = successor(t, a);
        let (tb, _, next_b) = successor(t, b);
        let tok = t.var(ok);
        let (a_is, b_is, same) = (t.eq(ta, zero), t.eq(tb, zero), t.eq(ta, tb));
        let init = t.and(&[a_is, b_is, tok]);
        let (still, broken) = (t.and(&[tok, same]), t.not(tok));
        path.assume(init, 0);
        for step in 0..3 {
            path.assign(step, &[(a, next_a), (b, next_b), (ok, still)]);
        }
        path.assume(broken, 3);
        path.interpolate(make);
    }
    arrays(make);
}

/// A value written to an array is read again at the end, though others are written in between.
fn arrays(make: Make) {
    let mut path = Path::new();
    let t = &mut path.terms;
    let int = t.sorts.int();
    let map = t.sorts.array(int, int);
    let (m, i) = (t.declare("m", map), t.declare("i", int));
    let (tm, ti, zero, one, seven) = (t.var(m), t.var(i), t.int(0), t.int(1), t.int(7));
    let (written, next) = (t.store(tm, ti, ti), t.add(&[ti, one]));
    let (marked, start) = (t.store(tm, zero, seven), t.int(1));
    let read = t.select(tm, zero);
    let intact = t.eq(read, seven);
    let broken = t.not(intact);
    path.assign(0, &[(m, marked), (i, start)]);
    for step in 1..3 {
        path.assign(step, &[(m, written), (i, next)]);
    }
    path.assume(broken, 3);
    path.interpolate(make);
}

pub fn parts_that_do_not_matter_are_skipped(make: Make) {
    let mut path = Path::new();
    let t = &mut path.terms;
    let int = t.sorts.int();
    let (x, z) = (t.declare("x", int), t.declare("z", int));
    let (tx, tz, zero) = (t.var(x), t.var(z), t.int(0));
    let (positive, negative, noise) = (t.lt(zero, tx), t.lt(tx, zero), t.lt(tz, zero));
    for condition in [noise, positive, noise, noise, negative, noise] {
        path.assume(condition, 0);
    }
    let found = path.interpolate(make);
    let t = &path.terms;
    assert_eq!((found[0], found[4]), (t.true_(), t.false_()));
    assert_eq!((found[1], found[1]), (found[2], found[3]));

    // A path that is infeasible by one part alone.
    let mut path = Path::new();
    let (yes, no) = (path.terms.true_(), path.terms.false_());
    path.parts = vec![yes, no, yes, yes];
    assert_eq!(path.interpolate(make), [yes, no, no]);
}

pub fn feasible_paths_have_none(make: Make) {
    let (mut path, _, _) = two_counters(2);
    path.parts.pop();
    let result = make().interpolate(&mut path.terms, &path.parts);
    assert_eq!(result, Interpolants::Satisfiable);
}

pub fn random_paths(make: Make) {
    let (n_infeasible, n_given_up) = count_random_paths(make);
    assert!(
        n_infeasible > 15 && n_given_up == 0,
        "{n_infeasible}, {n_given_up} given up"
    );
}

/// Interpolates paths of random assignments and assumptions over variables of several sorts: how many
/// are infeasible, and for how many there was no interpolant.
pub fn count_random_paths(make: Make) -> (u32, u32) {
    let (mut n_infeasible, mut n_given_up) = (0, 0);
    for seed in 0..80 {
        let mut rng = rng(seed);
        let mut path = Path::new();
        let t = &mut path.terms;
        let (bool_, int, rat) = (t.sorts.bool(), t.sorts.int(), t.sorts.rat());
        let phase = t.sorts.enumeration("Phase", ["one", "two", "three"]);
        let ints = ["x", "y"].map(|name| t.declare(name, int));
        let (p, r, c) = (
            t.declare("p", bool_),
            t.declare("r", rat),
            t.declare("c", phase),
        );
        let vars = [ints[0], ints[1], p, r, c];
        let value = |t: &mut Terms, var: VarId, rng: &mut lariat_testkit::Rng| {
            let n: u8 = rng.random_range(0..3);
            let sort = t.var_sort(var);
            let value = match t.sorts.get(sort) {
                Sort::Bool => Value::Bool(n > 0),
                Sort::Rat => Value::Rat(Rat::from(Int::from(i64::from(n)))),
                Sort::Enum(_) => Value::Enum(n.into()),
                _ => Value::Int(Int::from(i64::from(n))),
            };
            t.lit(value, sort)
        };
        let n_steps = rng.random_range(2..6);
        for step in 0..=n_steps {
            let t = &mut path.terms;
            let var = vars[rng.random_range(0..vars.len())];
            let (term, literal) = (t.var(var), value(t, var, &mut rng));
            let condition = match rng.random_range(0..4) {
                0 if var == r || ints.contains(&var) => t.lt(term, literal),
                1 if ints.contains(&var) => {
                    let (left, right) = (t.var(ints[0]), t.var(ints[1]));
                    t.le(left, right)
                }
                2 => t.eq(term, literal),
                _ => {
                    let same = t.eq(term, literal);
                    t.not(same)
                }
            };
            path.assume(condition, step);
            let mut values = Vec::new();
            for &var in &vars {
                let t = &mut path.terms;
                let term = t.var(var);
                let (_, _, next) = successor(t, var);
                let fresh = value(t, var, &mut rng);
                values.extend(match rng.random_range(0..6) {
                    0 => None,
                    1 => Some((var, fresh)),
                    2 => Some((var, next)),
                    3 => {
                        let condition = t.var(p);
                        Some((var, t.ite(condition, next, term)))
                    }
                    _ => Some((var, term)),
                });
            }
            path.assign(step, &values);
        }
        match make().interpolate(&mut path.terms, &path.parts) {
            Interpolants::Sequence(found) => {
                n_infeasible += 1;
                let correct = check_sequence(make().as_mut(), &mut path.terms, &path.parts, &found);
                assert_eq!(correct, Ok(()), "seed {seed}: {found:?}");
            }
            Interpolants::Satisfiable => {}
            Interpolants::Unknown(Reason::Incomplete(_)) => n_given_up += 1,
            other @ Interpolants::Unknown(_) => panic!("seed {seed}: {other:?}"),
        }
    }
    (n_infeasible, n_given_up)
}
