//! Lexicographic measures of linear terms, level by level.
//!
//! In each component of the arcs that are left, linear programming (`farkas.rs`) looks for terms that no arc increases and
//! some arcs decrease. They are the next level, and those arcs are done with: Alias, Darte, Feautrier and Gonnord
//! ("Multi-dimensional rankings, program termination, and complexity bounds of flowchart programs", SAS 2010). Arcs between
//! components are done with by a level of numbers. A component without some acceptance set needs no argument. If nothing
//! is left, the measure excludes every accepting cycle of the component; what finds no term is left to the refinement
//! loop, which goes on with the rest.

use super::cells::Cells;
use super::component::Move;
use super::farkas::{Solution, affine, nested};
use super::linear::{Linear, rat};
use super::measure::{Level, Measure, number};
use super::polyhedra::{PolyArc, arcs};
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Op, Rat, TermId, Terms};
use lariat_system::PointId;
use std::collections::BTreeMap;

/// The most levels of a measure.
const MAX_LEVELS: usize = 10;
/// The longest nested template.
const MAX_PHASES: usize = 4;
/// In components with more arcs, phases are sought for all of them at once only.
const MAX_TARGETS: usize = 4;

/// Linear measures for a component.
#[derive(Default)]
pub(crate) struct LinearMeasures {
    /// One that excludes every accepting cycle.
    pub complete: Option<Measure>,
    /// One that decreases somewhere on the loop and leaves something.
    pub partial: Option<Measure>,
    /// Whether the component has too many cases.
    pub is_too_large: bool,
}

/// Linear measures for a component: one term for each location rather than several.
pub(super) fn linear(
    session: &mut Session,
    moves: &[Move],
    is_new: &dyn Fn(&Measure) -> bool,
) -> Result<LinearMeasures, Halt> {
    let mut found = LinearMeasures::default();
    let whole = Cells::locations(moves);
    let Some(all) = arcs(session, moves, &whole)? else {
        found.is_too_large = true;
        return Ok(found);
    };
    found.add(argue(session, moves, &whole, &all)?, is_new);
    if found.complete.is_none()
        && let Some(cells) = Cells::by_conditions(session, moves)?
        && let Some(all) = arcs(session, moves, &cells)?
    {
        found.add(argue(session, moves, &cells, &all)?, is_new);
    }
    Ok(found)
}

impl LinearMeasures {
    fn add(&mut self, found: Option<Argument>, is_new: &dyn Fn(&Measure) -> bool) {
        let Some(found) = found.filter(|found| is_new(&found.measure)) else {
            return;
        };
        let place = if found.is_complete {
            &mut self.complete
        } else {
            &mut self.partial
        };
        place.get_or_insert(found.measure);
    }
}

/// A measure, and whether it excludes every accepting cycle.
struct Argument {
    measure: Measure,
    is_complete: bool,
}

/// A measure of one term for each cell that decreases somewhere on the loop.
fn argue(
    session: &mut Session,
    moves: &[Move],
    cells: &Cells,
    arcs: &[PolyArc],
) -> Result<Option<Argument>, Halt> {
    let needed = moves.iter().fold(0, |all, one| all | one.sets);
    let mut left: Vec<&PolyArc> = arcs.iter().collect();
    let mut levels: Vec<BTreeMap<usize, Linear>> = Vec::new();
    let (mut is_complete, mut helps) = (true, false);
    while !left.is_empty() && levels.len() < MAX_LEVELS {
        let parts = components(cells.list.len(), &left);
        let is_inside = |arc: &&PolyArc| parts[arc.from] == parts[arc.to];
        if !left.iter().all(is_inside) {
            helps |= left.iter().any(|arc| arc.on_loop && !is_inside(arc));
            left.retain(is_inside);
            let number = |&part: &usize| rat(i64::try_from(part).expect("cells are few"));
            let order = parts.iter().map(|part| Linear::constant(number(part)));
            levels.push(order.enumerate().collect());
        }
        let (mut rest, first) = (Vec::new(), levels.len());
        for part in 0..cells.list.len() {
            let own: Vec<&PolyArc> = left
                .iter()
                .copied()
                .filter(|arc| parts[arc.from] == part)
                .collect();
            if own.is_empty() || own.iter().fold(0, |all, arc| all | arc.sets) != needed {
                continue;
            }
            let Some(Solution { phases, falling }) = solve(session, &own)? else {
                is_complete = false;
                continue;
            };
            merge(&mut levels, first, phases);
            for (arc, falls) in own.into_iter().zip(falling) {
                if falls {
                    helps |= arc.on_loop;
                } else {
                    rest.push(arc);
                }
            }
        }
        left = rest;
    }
    is_complete &= left.is_empty();
    if levels.is_empty() || !helps {
        return Ok(None);
    }
    let measure = simplest(session, moves, cells, levels)?;
    Ok(Some(Argument {
        measure,
        is_complete,
    }))
}

/// Terms for one component.
fn solve(session: &mut Session, arcs: &[&PolyArc]) -> Result<Option<Solution>, Halt> {
    if let Some(found) = affine(session, arcs)? {
        return Ok(Some(found));
    }
    let n = arcs.len();
    let targets: Vec<usize> = (0..n).filter(|_| (2..=MAX_TARGETS).contains(&n)).collect();
    let targets: Vec<Option<usize>> = [None]
        .into_iter()
        .chain(targets.into_iter().map(Some))
        .collect();
    for n_phases in 2..=MAX_PHASES {
        for &only in &targets {
            if let Some(found) = nested(session, arcs, only, n_phases)? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Adds the phases of a component's terms to the levels of a round, as whole numbers.
fn merge(
    levels: &mut Vec<BTreeMap<usize, Linear>>,
    first: usize,
    phases: Vec<BTreeMap<usize, Linear>>,
) {
    let n_phases = phases.len();
    for (phase, forms) in phases.into_iter().enumerate() {
        let mut multiple = rat(1);
        for form in forms.values() {
            for number in form.coefficients.values().chain([&form.constant]) {
                let scaled = number * &multiple;
                multiple = &multiple * &Rat::from(scaled.denominator().clone());
            }
        }
        // What a phase hands over to the next at, -1, is what a level ignores.
        let shift = i64::from(phase + 1 < n_phases);
        if levels.len() == first + phase {
            levels.push(BTreeMap::new());
        }
        for (cell, form) in forms {
            let mut scaled = Linear::constant(rat(shift));
            scaled.add(&form, &multiple);
            levels[first + phase].insert(cell, scaled);
        }
    }
}

/// By cell, the number of its strongly connected component: arcs lead to smaller numbers or stay.
fn components(n: usize, arcs: &[&PolyArc]) -> Vec<usize> {
    let mut reaches = vec![vec![false; n]; n];
    for arc in arcs {
        reaches[arc.from][arc.to] = true;
    }
    for via in 0..n {
        let further = reaches[via].clone();
        for row in reaches.iter_mut().filter(|row| row[via]) {
            for (is_reached, &is_further) in row.iter_mut().zip(&further) {
                *is_reached |= is_further;
            }
        }
    }
    let is_same = |a: usize, b: usize| a == b || (reaches[a][b] && reaches[b][a]);
    // Whoever reaches another component reaches all that this one reaches, and it besides.
    let mut heads: Vec<usize> = (0..n)
        .filter(|&cell| (0..cell).all(|other| !is_same(cell, other)))
        .collect();
    let n_reached = |cell: usize| {
        reaches[cell].iter().filter(|&&is| is).count() + usize::from(!reaches[cell][cell])
    };
    heads.sort_by_key(|&head| n_reached(head));
    let number = |cell| heads.iter().position(|&head| is_same(cell, head));
    (0..n)
        .map(|cell| number(cell).expect("each cell has a head"))
        .collect()
}

/// The measure with some terms for each cell. If all moves decrease it, without what they do not need for that: levels,
/// conditions of cells, the difference between the last cell of a location and none.
fn simplest(
    session: &mut Session,
    moves: &[Move],
    cells: &Cells,
    mut levels: Vec<BTreeMap<usize, Linear>>,
) -> Result<Measure, Halt> {
    let mut cells = cells.clone();
    let mut best = measure(&mut session.cx.terms, &cells, &levels);
    if !descends(session, moves, &best)? {
        return Ok(best);
    }
    for i in (0..levels.len()).rev() {
        let mut fewer = levels.clone();
        fewer.remove(i);
        if fewer.is_empty() {
            break;
        }
        let simpler = measure(&mut session.cx.terms, &cells, &fewer);
        if descends(session, moves, &simpler)? {
            (best, levels) = (simpler, fewer);
        }
    }
    for at in best.scope.clone() {
        for i in (0..cells.conditions(at).len()).rev() {
            let fewer = cells.without(at, i);
            let simpler = measure(&mut session.cx.terms, &fewer, &levels);
            if descends(session, moves, &simpler)? {
                (best, cells) = (simpler, fewer);
            }
        }
    }
    Ok(best)
}

/// Whether all moves decrease a measure.
pub(super) fn descends(
    session: &mut Session,
    moves: &[Move],
    measure: &Measure,
) -> Result<bool, Halt> {
    for one in moves {
        if !one.must_descend(session, measure)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The measure with some terms for each cell. It is negative in cells that a level does not name, and in none.
fn measure(terms: &mut Terms, cells: &Cells, levels: &[BTreeMap<usize, Linear>]) -> Measure {
    let mut scope: Vec<PointId> = cells.list.iter().map(|cell| cell.at).collect();
    scope.sort_unstable();
    scope.dedup();
    let levels = levels.iter().map(|forms| {
        let mut own: BTreeMap<usize, TermId> = forms
            .iter()
            .map(|(&cell, form)| (cell, form.term(terms)))
            .collect();
        let rat = terms.sorts.rat();
        if own.values().any(|&term| terms.sort(term) == rat) {
            for term in own.values_mut() {
                if terms.sort(*term) != rat {
                    *term = terms.build(Op::ToRat, &[*term]).expect("an integer");
                }
            }
        }
        let like = *own.values().next().expect("a level has terms");
        let mut at: FxHashMap<PointId, TermId> = FxHashMap::default();
        for &place in &scope {
            let mut value = number(terms, like, -1);
            for (i, cell) in cells.list.iter().enumerate() {
                if let Some(&form) = own.get(&i).filter(|_| cell.at == place) {
                    let condition = cells.condition(terms, cell);
                    value = terms.ite(condition, form, value);
                }
            }
            at.insert(place, value);
        }
        let term = at[&scope[0]];
        if at.values().all(|&other| other == term) {
            return Level::uniform(term);
        }
        Level { term, at }
    });
    let levels = levels.collect();
    Measure { levels, scope }
}
