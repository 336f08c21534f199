//! What the solver layer costs: an incremental check under assumptions on a small step, and sequence
//! interpolation of two counters that move together, by each method.
//!
//! `cargo bench -p lariat-smt`. Times are of this thread's processor, so that a busy machine does not
//! matter. The baseline of the checks is the same question asked of a fresh solver.
#![expect(clippy::print_stdout, reason = "a benchmark reports")]

use lariat_expr::{TermId, Terms};
use lariat_smt::{
    Answer, Interpolants, Interpolate, InterpolationConfig, Method, Solver, Unroller, Z3, Z3Config,
};
use std::time::Duration;

fn main() {
    checks();
    for n_cuts in [4, 22] {
        interpolation(n_cuts);
    }
}

/// A step of four branches over six variables, and eight predicates before and after it.
fn checks() {
    let mut terms = Terms::new();
    let t = &mut terms;
    let int = t.sorts.int();
    let vars = ["a", "b", "c", "d", "e", "f"].map(|name| t.declare(name, int));
    let mut unroller = Unroller::new();
    let mut at = |t: &mut Terms, i: usize, index: u32| {
        let copy = unroller.var(t, vars[i], index);
        t.var(copy)
    };
    let mut branches = Vec::new();
    for branch in 0..4 {
        let mut parts = Vec::new();
        for i in 0..6 {
            let (before, after) = (at(t, i, 0), at(t, i, 1));
            let by = t.int(i64::from(i == branch));
            let value = t.add(&[before, by]);
            parts.push(t.eq(after, value));
        }
        let (left, right) = (at(t, branch, 0), at(t, branch + 1, 0));
        parts.push(t.lt(left, right));
        branches.push(t.and(&parts));
    }
    let step = t.or(&branches);
    let predicates = |t: &mut Terms, at: &mut dyn FnMut(&mut Terms, usize, u32) -> TermId, k| {
        let mut all = Vec::new();
        for i in 0..5 {
            let (left, right) = (at(t, i, k), at(t, i + 1, k));
            all.push(t.le(left, right));
        }
        for i in 0..3 {
            let (var, bound) = (at(t, i, k), t.int(10));
            all.push(t.le(var, bound));
        }
        all
    };
    let (before, after) = (predicates(t, &mut at, 0), predicates(t, &mut at, 1));
    let questions: Vec<Vec<TermId>> = (0..512_usize)
        .map(|bits| {
            let mut question: Vec<TermId> = before
                .iter()
                .enumerate()
                .map(|(i, &p)| if bits >> i & 1 == 0 { p } else { t.not(p) })
                .collect();
            let predicate = after[bits % 8];
            question.push(if bits / 8 % 2 == 0 {
                predicate
            } else {
                t.not(predicate)
            });
            question
        })
        .collect();

    let mut incremental = Z3::default();
    incremental.assert(t, step);
    let run = |ask: &mut dyn FnMut(&[TermId]) -> Answer| {
        let start = processor_time();
        let answers: Vec<Answer> = questions.iter().map(|question| ask(question)).collect();
        (
            processor_time().saturating_sub(start) / questions.len() as u32,
            answers,
        )
    };
    let (first, answers) = run(&mut |question| incremental.check(t, question));
    let (warm, again) = run(&mut |question| incremental.check(t, question));
    let (fresh, baseline) = run(&mut |question| {
        let mut solver = Z3::default();
        solver.assert(t, step);
        solver.check(t, question)
    });
    assert!(
        answers == again && answers == baseline,
        "all ways give the same answers"
    );
    let n_unsat = answers
        .iter()
        .filter(|&answer| *answer == Answer::Unsat)
        .count();
    println!("check under 9 assumptions ({n_unsat} of 512 unsat):");
    println!("  incremental, first time  {first:>10.1?}");
    println!("  incremental, again       {warm:>10.1?}");
    println!("  fresh solver each time   {fresh:>10.1?}  (baseline)");
}

/// The time that this thread has run (Linux tells).
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split_whitespace()
        .next()
        .and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.expect("Linux with schedstat"))
}

fn interpolation(n_cuts: u32) {
    println!("interpolation of two counters at {n_cuts} cuts:");
    for method in [Method::Horn, Method::Projection, Method::Newton] {
        let interpolation = InterpolationConfig {
            methods: vec![method],
            ..InterpolationConfig::default()
        };
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let mut terms = Terms::new();
            let parts = two_counters(&mut terms, n_cuts - 1);
            let mut solver = Z3::new(Z3Config {
                interpolation: interpolation.clone(),
                ..Z3Config::default()
            });
            let start = processor_time();
            let result = solver.interpolate(&mut terms, &parts);
            best = best.min(processor_time().saturating_sub(start));
            assert!(
                matches!(result, Interpolants::Sequence(found) if found.len() as u32 == n_cuts)
            );
        }
        let name = format!("{method:?}");
        println!("  {name:<24} {best:>10.1?}");
    }
}

fn two_counters(terms: &mut Terms, n_steps: u32) -> Vec<TermId> {
    let int = terms.sorts.int();
    let (x, y) = (terms.declare("x", int), terms.declare("y", int));
    let (tx, ty, zero, one) = (terms.var(x), terms.var(y), terms.int(0), terms.int(1));
    let mut unroller = Unroller::new();
    let (x_is, y_is, same) = (terms.eq(tx, zero), terms.eq(ty, zero), terms.eq(tx, ty));
    let (init, differ) = (terms.and(&[x_is, y_is]), terms.not(same));
    let mut parts = vec![unroller.at(terms, init, 0)];
    for step in 0..n_steps {
        let both = [x, y].map(|var| {
            let (before, after) = (
                unroller.var(terms, var, step),
                unroller.var(terms, var, step + 1),
            );
            let (before, after) = (terms.var(before), terms.var(after));
            let next = terms.add(&[before, one]);
            terms.eq(after, next)
        });
        parts.push(terms.and(&both));
    }
    parts.push(unroller.at(terms, differ, n_steps));
    parts
}
