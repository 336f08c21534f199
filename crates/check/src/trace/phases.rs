//! Phases: steps told apart by what is true before them.
//!
//! Some loops behave in one way where a condition holds and in another where it does not, and have a measure for each. A
//! word does not say which it is, so letters are split: into one that assumes the condition before the step and one
//! that assumes its opposite. Together they are the step, so nothing is subtracted here but cases that contradict what
//! is known; what a case assumes is a fact that the layer above can keep.

use super::words::{Layer, LetterId, Read, Step, WordStateId};
use super::world::World;
use crate::acceptance::MarkSetId;
use crate::domain::Learned;
use crate::session::{Halt, Possibility};
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::TermId;
use lariat_system::{PointId, Stmt};
use std::rc::Rc;

/// The most conditions of a location: their cases double with each.
const MAX_CONDITIONS: usize = 4;

/// Conditions by which steps from some locations are split.
pub(super) struct Phases {
    at: FxHashMap<PointId, Vec<TermId>>,
    /// The cases of a letter that are possible after what is known.
    possible: FxHashMap<(LetterId, TermId), Rc<[LetterId]>>,
    /// The letter of each case that was ever made.
    made: FxHashMap<(LetterId, TermId), LetterId>,
}

impl Phases {
    pub fn new(conditions: &[Learned]) -> Self {
        let mut at: FxHashMap<PointId, Vec<TermId>> = FxHashMap::default();
        for one in conditions {
            let here = at.entry(one.at).or_default();
            let condition = one.predicate.term();
            if here.len() < MAX_CONDITIONS && !here.contains(&condition) {
                here.push(condition);
            }
        }
        Self {
            at,
            possible: FxHashMap::default(),
            made: FxHashMap::default(),
        }
    }

    /// The cases of a letter: by all its conditions together, as far as they are possible.
    fn cases(
        &mut self,
        world: &mut World<'_, '_>,
        Read { letter, known }: Read,
    ) -> Result<Rc<[LetterId]>, Halt> {
        if let Some(found) = self.possible.get(&(letter, known)) {
            return Ok(Rc::clone(found));
        }
        let from = world.locations(letter).0;
        let conditions = from.and_then(|from| self.at.get(&from));
        let mut cases: Vec<Vec<TermId>> = vec![Vec::new()];
        let action = world.action_of(letter);
        let guard = world.action(action)?.guard.clone();
        for &condition in conditions.into_iter().flatten() {
            let mut finer = Vec::new();
            for case in cases {
                let not = world.session.cx.terms.not(condition);
                for literal in [condition, not] {
                    let case = [&case[..], &[literal]].concat();
                    let premises = [&guard[..], &[known], &case].concat();
                    if world.session.possibility(premises)? != Possibility::No {
                        finer.push(case);
                    }
                }
            }
            cases = finer;
        }
        // Where only one is possible nothing need be assumed.
        let is_whole = cases.len() == 1;
        let found = cases.into_iter().map(|case| {
            if is_whole {
                return letter;
            }
            let condition = world.session.cx.terms.and(&case);
            let made = self.made.entry((letter, condition));
            *made.or_insert_with(|| assuming(world, letter, condition))
        });
        let found: Rc<[LetterId]> = found.collect();
        self.possible.insert((letter, known), Rc::clone(&found));
        Ok(found)
    }
}

/// A letter where a condition is true before it.
fn assuming(world: &mut World<'_, '_>, letter: LetterId, condition: TermId) -> LetterId {
    let stmt = world.letter(letter).step.stmt;
    let stmts = &mut world.session.cx.stmts;
    let assume = stmts.derive(Stmt::Assume(condition), stmt);
    let stmt = stmts.derive_seq(&[assume, stmt], stmt);
    world.case(letter, stmt)
}

impl<'c, 'p> Layer<World<'c, 'p>> for Phases {
    fn initial(&mut self) -> Vec<WordStateId> {
        vec![WordStateId::from_index(0)]
    }

    fn step(
        &mut self,
        world: &mut World<'c, 'p>,
        state: WordStateId,
        read: Read,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let cases = self.cases(world, read)?;
        out.extend(cases.iter().map(|&letter| Step {
            state,
            marks: MarkSetId::EMPTY,
            letter,
        }));
        Ok(())
    }
}
