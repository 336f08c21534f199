//! Predicates that tell the phases of a loop apart.
//!
//! A number that a loop changes may decrease only under a condition on the state: `x -= y` decreases `x` where `y ≥ 1`.
//! If no measure argues about a loop as it is, such conditions are tracked as predicates. They split the loop's
//! states: on one side the number is a measure, the other side is another loop.

use super::cells::Cells;
use super::component::Move;
use super::linear::{Linear, rat};
use super::polyhedra::arcs;
use crate::domain::{Learned, Predicate};
use crate::session::{Halt, Session};
use lariat_expr::Rat;

/// The most conditions that are returned.
const MAX_PHASES: usize = 12;

/// The conditions under which moves of the loop make a number smaller or larger.
pub(super) fn phases(session: &mut Session, moves: &[Move]) -> Result<Vec<Learned>, Halt> {
    let on_loop: Vec<Move> = moves.iter().filter(|one| one.on_loop).cloned().collect();
    let mut found: Vec<Learned> = Vec::new();
    let cells = Cells::locations(&on_loop);
    for arc in arcs(session, &on_loop, &cells)?.unwrap_or_default() {
        let mut written: Vec<_> = arc.after.iter().collect();
        written.sort_unstable_by_key(|&(&var, _)| var);
        for (&var, after) in written {
            let fall = Linear::var(var).minus(after);
            let is_of_state = |var| session.variables.contains(var);
            if fall.coefficients.is_empty() || !fall.coefficients.keys().all(is_of_state) {
                continue;
            }
            for sign in [1, -1] {
                let phase = at_least_one(session, &fall, &rat(sign));
                let predicate = Predicate::new(&session.cx.terms, phase);
                let learned = Learned {
                    predicate,
                    at: cells.list[arc.from].at,
                };
                if !found.contains(&learned) {
                    found.push(learned);
                }
            }
        }
    }
    found.truncate(MAX_PHASES);
    Ok(found)
}

/// That a multiple of a form is at least 1.
fn at_least_one(session: &mut Session, form: &Linear, factor: &Rat) -> lariat_expr::TermId {
    let terms = &mut session.cx.terms;
    let mut left = Linear::constant(rat(0));
    left.add(form, factor);
    let bound = Linear::constant(&rat(1) + &(&rat(-1) * &left.constant));
    left.constant = rat(0);
    let left = left.term(terms);
    let mut right = bound.term(terms);
    if terms.sort(left) != terms.sort(right) {
        right = terms
            .build(lariat_expr::Op::ToRat, &[right])
            .expect("a whole number");
    }
    terms.le(right, left)
}
