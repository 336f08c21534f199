//! Measures without synthesis: terms that the component itself suggests, tested by the solver.
//!
//! For every comparison in the guards, premises and conditional assignments of the component, the distance of its sides;
//! and every number that is written, with both signs. Most loops of programs need nothing else, and since candidates are only ever tested,
//! never computed with, they may be terms of any theory.
//!
//! A candidate must not be able to increase on the lasso's loop, and some move of the loop must decrease it: always, or
//! sometimes if no move of the whole component can increase it (then the case split takes the decreasing half out
//! of the component). Among these, the one that may increase on the fewest other moves.

use super::bits;
use super::cells::has_cases;
use super::component::Move;
use super::linear::is_number;
use super::measure::{Change, Level, Measure, number};
use crate::session::{Halt, Session};
use lariat_expr::{BvOp, Op, TermId, Terms, VarId};

/// The most candidates that are tested.
const MAX_CANDIDATES: usize = 60;
/// The most that are added in pairs.
const MAX_SUMMANDS: usize = 8;

/// A candidate that argues about the loop.
pub(crate) struct Suggestion {
    pub measure: Measure,
    /// Whether a move of the loop always decreases it and none of the component increases it.
    pub is_perfect: bool,
}

/// The best candidate for the loop of a component, if there is any.
pub(super) fn best(
    session: &mut Session,
    moves: &[Move],
    is_new: &dyn Fn(&Measure) -> bool,
) -> Result<Option<Suggestion>, Halt> {
    let mut all = slacks(session, moves);
    all.extend(written(session, moves));
    all.truncate(MAX_CANDIDATES);
    if let Some(found) = best_of(session, moves, &all, is_new)? {
        return Ok(Some(found));
    }
    let sums = sums(session, &all);
    best_of(session, moves, &sums, is_new)
}

fn best_of(
    session: &mut Session,
    moves: &[Move],
    candidates: &[TermId],
    is_new: &dyn Fn(&Measure) -> bool,
) -> Result<Option<Suggestion>, Halt> {
    let mut best: Option<(Score, TermId)> = None;
    for &candidate in candidates {
        if !is_new(&measure(moves, candidate)) {
            continue;
        }
        if let Some(score) = score(session, moves, candidate)?
            && best.is_none_or(|(least, _)| score < least)
        {
            best = Some((score, candidate));
            if score == Score::BEST {
                break;
            }
        }
    }
    Ok(best.map(|(score, term)| Suggestion {
        measure: measure(moves, term),
        is_perfect: score == Score::BEST,
    }))
}

/// How good a candidate is: the less the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// How many moves may increase it.
    n_increasing: usize,
    /// Whether no move of the loop always decreases it.
    is_unsure: bool,
}

impl Score {
    const BEST: Self = Self {
        n_increasing: 0,
        is_unsure: false,
    };
}

/// A measure of one term in the scope of the moves.
fn measure(moves: &[Move], term: TermId) -> Measure {
    let mut scope: Vec<_> = moves.iter().flat_map(|one| [one.from, one.to]).collect();
    scope.sort_unstable();
    scope.dedup();
    Measure {
        levels: vec![Level::uniform(term)],
        scope,
    }
}

/// How good a candidate is, if it is one.
fn score(session: &mut Session, moves: &[Move], candidate: TermId) -> Result<Option<Score>, Halt> {
    let level = Level::uniform(candidate);
    let (mut may, mut must) = (false, false);
    for one in moves.iter().filter(|one| one.on_loop) {
        if one.may(session, &level, Change::Increase)? {
            return Ok(None);
        }
        if !must && one.may(session, &level, Change::Decrease)? {
            may = true;
            must = one.must_decrease(session, &level)?;
        }
    }
    // A rational may fall by less than 1 as often as it likes: measures for the rest would never be enough.
    let is_rational = session.cx.terms.sort(candidate) == session.cx.terms.sorts.rat();
    if !may || (is_rational && !must) {
        return Ok(None);
    }
    let mut n_increasing = 0;
    for one in moves.iter().filter(|one| !one.on_loop) {
        if one.may(session, &level, Change::Increase)? {
            if !must {
                return Ok(None);
            }
            n_increasing += 1;
        }
    }
    Ok(Some(Score {
        n_increasing,
        is_unsure: !must,
    }))
}

/// The distances of the sides of the comparisons in guards and premises, and in the conditions of what is assigned.
fn slacks(session: &mut Session, moves: &[Move]) -> Vec<TermId> {
    let variables = session.variables.clone();
    let mut found = Vec::new();
    for one in moves {
        let terms = &mut session.cx.terms;
        let assigned = one.updates().iter().map(|&(_, value)| value);
        let roots: Vec<TermId> = one.guard.iter().copied().chain(assigned).collect();
        for atom in terms.subterms(&roots) {
            let Some((low, high)) = sides(terms, atom) else {
                continue;
            };
            let read = terms.free_vars(&[low, high]);
            let is_of_state = read.iter().all(|var| variables.contains(var));
            if !is_of_state || has_cases(terms, &[low, high]) {
                continue;
            }
            let (up, down) = (terms.sub(high, low), terms.sub(low, high));
            add(&mut found, up);
            add(&mut found, down);
            if terms.sort(up) == terms.sorts.int() {
                let one = number(terms, up, 1);
                let closer = terms.sub(up, one);
                add(&mut found, closer);
            }
        }
        for term in bits::slacks(session, &roots) {
            add(&mut found, term);
        }
    }
    found
}

/// The two sides of a comparison of numbers.
fn sides(terms: &Terms, atom: TermId) -> Option<(TermId, TermId)> {
    for op in [Op::Le, Op::Lt, Op::Eq] {
        if let Some(&[low, high]) = terms.as_op(atom, op) {
            return is_number(terms, low).then_some((low, high));
        }
    }
    None
}

/// The numbers that the loop writes, with both signs.
fn written(session: &mut Session, moves: &[Move]) -> Vec<TermId> {
    let written = moves.iter().filter(|one| one.on_loop);
    let mut vars: Vec<VarId> = written
        .flat_map(|one| one.updates().iter().map(|&(var, _)| var))
        .collect();
    vars.sort_unstable();
    vars.dedup();
    let terms = &mut session.cx.terms;
    let mut found = Vec::new();
    for &var in &vars {
        let term = terms.var(var);
        if is_number(terms, term) {
            found.push(term);
            found.push(terms.neg(term));
        }
    }
    found.extend(bits::written(terms, &vars));
    found
}

/// The sums of two of the first candidates.
fn sums(session: &mut Session, all: &[TermId]) -> Vec<TermId> {
    let terms = &mut session.cx.terms;
    let few = &all[..all.len().min(MAX_SUMMANDS)];
    let mut found = Vec::new();
    for (i, &left) in few.iter().enumerate() {
        for &right in &few[i + 1..] {
            if terms.sort(left) == terms.sort(right) {
                let sum = if bits::width(terms, left).is_some() {
                    bits::bits(terms, BvOp::Add, &[left, right])
                } else {
                    terms.add(&[left, right])
                };
                add(&mut found, sum);
            }
        }
    }
    found
}

/// Adds a candidate that is no constant and not there yet.
fn add(found: &mut Vec<TermId>, term: TermId) {
    if !found.contains(&term) {
        found.push(term);
    }
}
