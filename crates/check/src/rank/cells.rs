//! Cells: where linear measures have terms of their own.
//!
//! A measure is one term at each location, or one for each *cell* of it: for the least of `x` and `y` it matters which of
//! them is less. The cells of a location are what the conditions on which its moves depend can be together. States from
//! which no move is possible are in no cell: a move that leads there need not be argued about.

use super::component::Move;
use super::linear::is_number;
use crate::session::{Halt, Session};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Op, TermId, Terms};
use lariat_smt::{Answer, Reason};
use lariat_system::PointId;

/// The most conditions that are looked at together.
const MAX_CONDITIONS: usize = 12;
/// The most cells of a location.
const MAX_CELLS: usize = 12;
/// The solver's steps for one cell.
const STEPS: u32 = 200_000;

/// Some states at a location.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub at: PointId,
    /// The truths of the location's conditions.
    truths: Vec<bool>,
}

/// The cells of a component.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub list: Vec<Cell>,
    conditions: FxHashMap<PointId, Vec<TermId>>,
    /// By the truths of the location's conditions.
    numbers: FxHashMap<(PointId, Vec<bool>), usize>,
}

impl Cells {
    /// One cell for each location.
    pub fn locations(moves: &[Move]) -> Self {
        let mut cells = Self::default();
        for at in starts(moves) {
            cells.add(at, Vec::new());
        }
        cells
    }

    /// By the conditions of the moves; nothing if there are none.
    pub fn by_conditions(session: &mut Session, moves: &[Move]) -> Result<Option<Self>, Halt> {
        let mut cells = Self::default();
        let mut any = false;
        for at in starts(moves) {
            let here: Vec<&Move> = moves.iter().filter(|one| one.from == at).collect();
            let mut conditions = conditions(session, &here);
            conditions.truncate(MAX_CONDITIONS);
            let truths = loop {
                if let Some(truths) = truths(session, &here, &conditions)? {
                    break truths;
                }
                conditions.truncate(conditions.len() / 2);
            };
            any |= truths.len() > 1;
            for truths in truths {
                cells.add(at, truths);
            }
            cells.conditions.insert(at, conditions);
        }
        Ok(any.then_some(cells))
    }

    fn add(&mut self, at: PointId, truths: Vec<bool>) {
        self.numbers.insert((at, truths.clone()), self.list.len());
        self.list.push(Cell { at, truths });
    }

    /// Which states a cell has.
    pub fn condition(&self, terms: &mut Terms, cell: &Cell) -> TermId {
        let parts = self.conditions(cell.at).iter().zip(&cell.truths);
        let parts: Vec<TermId> = parts
            .map(|(&condition, &truth)| {
                if truth {
                    condition
                } else {
                    terms.not(condition)
                }
            })
            .collect();
        terms.and(&parts)
    }

    /// The same cells without one of the conditions of a location: they have more states, and the same ones perhaps.
    pub fn without(&self, at: PointId, condition: usize) -> Self {
        let mut fewer = self.clone();
        fewer.numbers.clear();
        if let Some(own) = fewer.conditions.get_mut(&at) {
            own.remove(condition);
        }
        for cell in fewer.list.iter_mut().filter(|cell| cell.at == at) {
            cell.truths.remove(condition);
        }
        fewer
    }

    /// The conditions that tell the cells of a location apart.
    pub fn conditions(&self, at: PointId) -> &[TermId] {
        self.conditions.get(&at).map_or(&[], Vec::as_slice)
    }

    /// The cell of a location where its conditions have these truths, if a move is possible there.
    pub fn find(&self, at: PointId, truths: &[bool]) -> Option<usize> {
        self.numbers.get(&(at, truths.to_vec())).copied()
    }
}

/// Where moves start, in ascending order.
fn starts(moves: &[Move]) -> Vec<PointId> {
    let mut starts: Vec<PointId> = moves.iter().map(|one| one.from).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

/// What some moves depend on: the guards of their steps and the conditions of what they assign, then the rest.
fn conditions(session: &mut Session, moves: &[&Move]) -> Vec<TermId> {
    let mut found = Vec::new();
    for is_premise in [false, true] {
        for one in moves {
            let (premise, guard) = one.guard.split_at(usize::from(one.has_premise));
            let assigned = one.updates().iter().map(|&(_, value)| value);
            let roots: Vec<TermId> = if is_premise {
                premise.to_vec()
            } else {
                guard.iter().copied().chain(assigned).collect()
            };
            for atom in atoms(session, &roots) {
                if !found.contains(&atom) {
                    found.push(atom);
                }
            }
        }
    }
    found
}

/// The comparisons and Boolean variables in some terms that speak of the state only. Equality of numbers is two
/// comparisons.
pub(super) fn atoms(session: &mut Session, roots: &[TermId]) -> Vec<TermId> {
    let variables = session.variables.clone();
    let terms = &mut session.cx.terms;
    let mut found = Vec::new();
    for term in terms.subterms(roots) {
        let (is_atom, sides) = match terms.head(term) {
            Head::Var(_) => (terms.sort(term) == terms.sorts.bool(), None),
            Head::Op(Op::Eq, &[left, right]) => {
                let is_connective = terms.sort(left) == terms.sorts.bool();
                let sides = is_number(terms, left).then_some((left, right));
                (!is_connective, sides)
            }
            Head::Op(Op::Le | Op::Lt, _) => (true, None),
            _ => (false, None),
        };
        if !is_atom {
            continue;
        }
        let read = terms.free_vars(&[term]);
        let is_of_state = read.iter().all(|var| variables.contains(var));
        if read.is_empty() || !is_of_state || has_cases(terms, &[term]) {
            continue;
        }
        match sides {
            None => found.push(term),
            Some((left, right)) => found.extend([terms.le(left, right), terms.le(right, left)]),
        }
    }
    found
}

/// Whether terms have conditionals: the conditions of case splits do, and would suggest measures of ever more cases.
pub(super) fn has_cases(terms: &Terms, roots: &[TermId]) -> bool {
    let mut subterms = terms.subterms(roots).into_iter();
    subterms.any(|term| terms.as_op(term, Op::Ite).is_some())
}

/// What some conditions can be together where one of some moves is possible; nothing if that is too much.
fn truths(
    session: &mut Session,
    moves: &[&Move],
    conditions: &[TermId],
) -> Result<Option<Vec<Vec<bool>>>, Halt> {
    if conditions.is_empty() {
        return Ok(Some(vec![Vec::new()]));
    }
    let mut found: Vec<Vec<bool>> = Vec::new();
    let mut others: Vec<TermId> = Vec::new();
    for one in moves {
        let is_all = session.scoped(|session| {
            for &part in one.guard.iter().chain(&one.support).chain(&others) {
                session.solver.assert(&session.cx.terms, part);
            }
            loop {
                session.stats.checks += 1;
                match session.solver.check_briefly(&session.cx.terms, &[], STEPS) {
                    Answer::Unsat => return Ok(true),
                    Answer::Unknown(Reason::Stopped(stop)) => return Err(stop.into()),
                    Answer::Unknown(_) => return Ok(false),
                    Answer::Sat if found.len() == MAX_CELLS => return Ok(false),
                    Answer::Sat => {}
                }
                let truths = conditions.iter().map(|&condition| session.truth(condition));
                let Some(truths) = truths.collect::<Option<Vec<bool>>>() else {
                    return Ok(false);
                };
                let terms = &mut session.cx.terms;
                let differs = conditions.iter().zip(&truths);
                let differs: Vec<TermId> = differs
                    .map(|(&condition, &truth)| {
                        if truth {
                            terms.not(condition)
                        } else {
                            condition
                        }
                    })
                    .collect();
                let other = terms.or(&differs);
                session.solver.assert(&session.cx.terms, other);
                others.push(other);
                found.push(truths);
            }
        })?;
        if !is_all {
            return Ok(None);
        }
    }
    Ok(Some(found))
}
