//! Certificates by a measure: words along which it decreases again and again, and from some point on never increases.
//!
//! Every step is split by what it does to the measure (`rank/cases.rs`); cases that contradict what is known before the step are
//! left out. The automaton of the words that are subtracted is then deterministic: it has one state and accepts the
//! words in which, from some point on, the measure has only decreasing and neutral steps, and infinitely many decreasing
//! ones. What stays are the words in which there are increasing steps again and again if there are decreasing ones: the
//! complement is one Streett pair for each level of the measure, and costs no states.
//!
//! What is known comes from the interpolant automata below: they are the supporting invariants of the certificate.

use super::words::{Layer, LetterId, Read, Step, WordStateId};
use super::world::World;
use crate::acceptance::MarkSetId;
use crate::rank::Case;
use crate::session::{Halt, Possibility};
use lariat_base::{FxHashMap, Id as _};
use lariat_expr::TermId;
use std::rc::Rc;

/// Letters with their marks.
type Marked = Rc<[(LetterId, MarkSetId)]>;

/// The words on which one measure does not argue.
pub(super) struct Falling {
    /// Which of the measures in force.
    number: usize,
    /// The cases of each letter.
    cases: FxHashMap<LetterId, Rc<[Case]>>,
    /// Those that are possible after what is known.
    possible: FxHashMap<(LetterId, TermId), Marked>,
}

impl Falling {
    pub fn new(number: usize) -> Self {
        Self {
            number,
            cases: FxHashMap::default(),
            possible: FxHashMap::default(),
        }
    }

    fn cases(&mut self, world: &mut World<'_, '_>, letter: LetterId) -> Result<Rc<[Case]>, Halt> {
        if let Some(known) = self.cases.get(&letter) {
            return Ok(Rc::clone(known));
        }
        let stmt = world.letter(letter).step.stmt;
        let cases = match world.locations(letter) {
            (Some(from), to) => {
                let (session, sets) = (&mut world.session, world.product.mark_sets());
                world
                    .ranks
                    .cases_by(session, sets, (stmt, from, to), self.number)?
            }
            // No loop takes what starts runs.
            (None, _) => [Case {
                stmt,
                marks: MarkSetId::EMPTY,
            }]
            .into(),
        };
        self.cases.insert(letter, Rc::clone(&cases));
        Ok(cases)
    }

    fn possible(
        &mut self,
        world: &mut World<'_, '_>,
        Read { letter, known }: Read,
    ) -> Result<Marked, Halt> {
        if let Some(found) = self.possible.get(&(letter, known)) {
            return Ok(Rc::clone(found));
        }
        let cases = self.cases(world, letter)?;
        let mut found = Vec::new();
        for case in &*cases {
            let refined = world.case(letter, case.stmt);
            if cases.len() > 1 {
                let action = world.action_of(refined);
                let mut premises = world.action(action)?.guard.clone();
                premises.push(known);
                if world.session.possibility(premises)? == Possibility::No {
                    continue;
                }
            }
            found.push((refined, case.marks));
        }
        let found: Marked = found.into();
        self.possible.insert((letter, known), Rc::clone(&found));
        Ok(found)
    }
}

impl<'c, 'p> Layer<World<'c, 'p>> for Falling {
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
        let cases = self.possible(world, read)?;
        out.extend(cases.iter().map(|&(letter, marks)| Step {
            state,
            marks,
            letter,
        }));
        Ok(())
    }
}
