//! Lassos whose loops are must steps are real: they are followed, not unrolled.
//!
//! If every state of each class round the loop has the step into the next class, then every state of the first class has a
//! run that goes round for ever, and one reachable state there is enough. A concrete run is followed round by round, each from the values
//! that the round before ended with, until it comes back to a state. Over infinite data it need not: then the other
//! arguments have their turn. A refinement splits the first class round the loop that only some states can leave by
//! the step: by what those states have in common, the step's weakest precondition.
//!
//! Three-valued abstraction: Bruns and Godefroid (CAV'99), Shoham and Grumberg (CAV'03).

use super::{Found, Learn, Workplace, place};
use crate::domain::{Learned, Predicate, Reason};
use crate::encode::PathEncoding;
use crate::explored::Taken;
use crate::must::must_step;
use crate::refine::concrete_run;
use crate::session::{Halt, Session};
use lariat_expr::{TermId, Value};
use lariat_smt::Answer;
use lariat_system::{Growth, Lasso, Run};

/// The most rounds that a run is followed.
const MAX_ROUNDS: usize = 16;

/// A step of the model with what the reader reads after it, between two abstract states.
struct Hop {
    source: TermId,
    step: Taken,
    /// What must be true after it.
    target: Vec<TermId>,
    /// Its position among the steps of the lasso.
    at: usize,
}

/// The real lasso along one that was found, if its loop is one of must steps and a run that follows it comes back to a state.
pub(super) fn follow<D: Learn>(
    at: &mut Workplace<'_, '_, '_, D>,
    found: &Found,
) -> Result<Option<Lasso>, Halt> {
    for hop in hops(at.session, found)? {
        if !must_step(at.session, hop.source, hop.step.stmt, &hop.target)? {
            return Ok(None);
        }
    }
    let honda = found.premises[found.stem.len()];
    let Some((mut run, state)) = walk(at, &found.stem, &[], (found.stem.len(), honda), &[])? else {
        return Ok(None);
    };
    let first = run.steps.len() - 1;
    let mut starts = vec![state];
    let per_round = found
        .cycle
        .iter()
        .filter(|step| step.model_edge.is_some())
        .count();
    for _ in 0..MAX_ROUNDS {
        let from = starts.last().expect("there is a start").clone();
        let end = (found.cycle.len(), honda);
        let Some((round, state)) = walk(at, &found.cycle, &from, end, &starts)? else {
            return Ok(None);
        };
        run.steps.extend(round.steps);
        if let Some(closed) = starts.iter().position(|start| *start == state) {
            at.session.stats.must_lassos += 1;
            return Ok(Some(Lasso {
                run,
                honda: first + closed * per_round,
                growth: Growth::default(),
                region: Vec::new(),
                inputs: Vec::new(),
            }));
        }
        starts.push(state);
    }
    Ok(None)
}

/// Splits the first class round the loop in which some states have the step and some do not; says whether that is new.
pub(super) fn split<D: Learn>(
    at: &mut Workplace<'_, '_, '_, D>,
    found: &Found,
) -> Result<bool, Halt> {
    for hop in hops(at.session, found)? {
        let summary = at.session.summary(hop.step.stmt)?;
        if !summary.auxiliary.is_empty()
            || must_step(at.session, hop.source, hop.step.stmt, &hop.target)?
        {
            continue;
        }
        let terms = &mut at.session.cx.terms;
        let mut leads = summary.after(terms, &hop.target);
        leads.push(summary.guard);
        let leads = terms.and(&leads);
        let learned = [Learned {
            predicate: Predicate::new(terms, leads),
            at: place(at.product, found, hop.at - 1),
        }];
        return Ok(at.domain.refine(at.session, &Reason::Infeasible(&learned)));
    }
    Ok(false)
}

/// The steps round the loop of a lasso.
fn hops(session: &mut Session, found: &Found) -> Result<Vec<Hop>, Halt> {
    let (n_stem, honda) = (found.stem.len(), found.premises[found.stem.len()]);
    let mut hops: Vec<Hop> = Vec::new();
    for (i, &step) in found.cycle.iter().enumerate() {
        let at = n_stem + i;
        if step.model_edge.is_some() {
            let source = found.premises[at];
            if let Some(last) = hops.last_mut() {
                last.target.push(source);
            }
            let target = Vec::new();
            hops.push(Hop {
                source,
                step,
                target,
                at,
            });
        } else if let Some(last) = hops.last_mut() {
            let reads = session.summary(step.stmt)?.guard;
            last.target.push(reads);
        }
    }
    if let Some(last) = hops.last_mut() {
        last.target.push(honda);
    }
    Ok(hops)
}

/// A concrete run along some steps of the product from a state (or from the start), to a state with `term` before the step at a
/// position; to one of `wanted` states if that can be.
fn walk<D: Learn>(
    at: &mut Workplace<'_, '_, '_, D>,
    taken: &[Taken],
    from: &[Value],
    (end, term): (usize, TermId),
    wanted: &[Vec<Value>],
) -> Result<Option<(Run, Vec<Value>)>, Halt> {
    let session = &mut *at.session;
    let stmts: Vec<_> = taken.iter().map(|step| step.stmt).collect();
    let mut path = PathEncoding::new(session, &stmts)?;
    path.hold(session, end, term);
    let start = equations(session, &path, from, 0);
    let closings: Vec<TermId> = wanted
        .iter()
        .map(|state| equations(session, &path, state, end))
        .collect();
    let closes = session.cx.terms.or(&closings);
    let mut all = path.parts.clone();
    all.push(start);
    let model = session.scoped(|session| {
        for &part in &all {
            session.solver.assert(&session.cx.terms, part);
        }
        let is_closed = !wanted.is_empty() && session.check(&[closes])? == Answer::Sat;
        if !is_closed && session.check(&[])? != Answer::Sat {
            return Ok(None);
        }
        path.model(session, path.parts.len()).map(Some)
    })?;
    let Some(mut model) = model else {
        return Ok(None);
    };
    // What the steps do not touch is as it was.
    for (i, value) in from.iter().enumerate() {
        let var = session.variables[i];
        let copy = path.var_at(session, var, 0);
        if let Some(copy) = session.cx.terms.as_var(copy) {
            model.insert(copy, value.clone());
        }
    }
    let run = concrete_run(session, at.product, taken, &path, &model);
    let state = path.state_values(session, &model, end);
    Ok(Some((run, state)))
}

/// That the state before a step is this one.
fn equations(session: &mut Session, path: &PathEncoding, state: &[Value], at: usize) -> TermId {
    let mut all = Vec::new();
    for (i, value) in state.iter().enumerate() {
        let copy = path.var_at(session, session.variables[i], at);
        let terms = &mut session.cx.terms;
        let value = terms.lit(value.clone(), terms.sort(copy));
        all.push(terms.eq(copy, value));
    }
    session.cx.terms.and(&all)
}
