//! Limits and cancellation are honoured inside long queries and do no harm afterwards.

use crate::Make;
use lariat_base::{Budget, Stop};
use lariat_expr::{BvOp, Op, TermId, Terms, Value};
use lariat_smt::{Answer, Backend, Interpolants, Reason};
use std::time::{Duration, Instant};

/// A formula that takes any solver long: the factors of a product of two primes of 30 bits.
fn hard(terms: &mut Terms) -> TermId {
    let (narrow, wide) = (terms.sorts.bv(31), terms.sorts.bv(62));
    let factors = ["p", "q"].map(|name| {
        let var = terms.declare(name, narrow);
        let term = terms.var(var);
        terms
            .build(Op::Bv(BvOp::Zext(62)), &[term])
            .expect("well-sorted")
    });
    let product = terms
        .build(Op::Bv(BvOp::Mul), &factors)
        .expect("well-sorted");
    let number = 1_073_741_789_i64 * 1_073_741_783;
    let number = terms.lit(Value::Bv(number.into()), wide);
    let one = terms.lit(Value::Bv(1.into()), wide);
    let mut parts = vec![terms.eq(product, number)];
    for factor in factors {
        parts.push(
            terms
                .build(Op::Bv(BvOp::Ult), &[one, factor])
                .expect("well-sorted"),
        );
    }
    terms.and(&parts)
}

/// Asks a hard question, expects it to end early for the reason, and then asks an easy one.
fn ends_with(solver: &mut dyn Backend, budget: &Budget, stop: Stop) {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    solver.set_budget(budget);
    solver.push();
    solver.assert(&terms, question);
    let start = Instant::now();
    assert_eq!(
        solver.check(&terms, &[]),
        Answer::Unknown(Reason::Stopped(stop))
    );
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "it took {:?}",
        start.elapsed()
    );
    solver.pop();
    solver.set_budget(&Budget::unlimited());
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
    let no = terms.false_();
    assert_eq!(solver.check(&terms, &[no]), Answer::Unsat);
}

pub fn time_ends_a_long_query(make: Make) {
    let budget = Budget::unlimited().with_time(Duration::from_millis(200));
    ends_with(make().as_mut(), &budget, Stop::Time);
    // A budget that is spent already ends the query before it begins.
    ends_with(make().as_mut(), &budget, Stop::Time);
}

pub fn cancellation_ends_a_long_query(make: Make) {
    let budget = Budget::unlimited();
    let remote = budget.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        remote.cancel();
    });
    ends_with(make().as_mut(), &budget, Stop::Cancelled);
    canceller.join().expect("it does not panic");
}

pub fn memory_ends_a_query(make: Make) {
    ends_with(
        make().as_mut(),
        &Budget::unlimited().with_memory(1),
        Stop::Memory,
    );
}

pub fn limits_end_interpolation(make: Make) {
    let (mut terms, mut solver) = (Terms::new(), make());
    let question = hard(&mut terms);
    let no = terms.false_();
    solver.set_budget(&Budget::unlimited().with_time(Duration::from_millis(200)));
    let result = solver.interpolate(&mut terms, &[question, question]);
    assert_eq!(result, Interpolants::Unknown(Reason::Stopped(Stop::Time)));
    solver.set_budget(&Budget::unlimited());
    let result = solver.interpolate(&mut terms, &[no, question]);
    assert_eq!(result, Interpolants::Sequence(vec![no]));
}
