//! The product as an automaton over statements.
//!
//! A letter is a step of the model together with the reader's step after it, if it is observed, at its place in the
//! product. Two letters with the same statements are the same *action*: whatever the solver proves of one it proves of the other.

use super::left::{Ground, GroundArc};
use super::words::LetterId;
use crate::acceptance::{Acceptance, MarkSetId, MarkSets};
use crate::explored::Taken;
use crate::product::{PlaceId, Product};
use crate::rank::{Ranks, put_in};
use crate::session::{Halt, Session};
use crate::summary::Summary;
use lariat_base::{FxHashMap, Id as _, Interner, id_type};
use lariat_expr::TermId;
use lariat_system::{PointId, StmtId};
use std::rc::Rc;

id_type!(
    /// What a letter does, wherever it is.
    pub(super) struct ActionId, "A"
);

/// A step of the product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Letter {
    /// Where it starts; nothing if runs start with it.
    pub from: Option<PlaceId>,
    /// The step of the model, or a case of it.
    pub step: Taken,
    /// What the reader does after it.
    pub reading: Option<Taken>,
}

impl Letter {
    /// Its steps.
    pub fn taken(&self) -> impl Iterator<Item = Taken> {
        [self.step].into_iter().chain(self.reading)
    }

    /// Where it leads.
    pub fn target(&self) -> PlaceId {
        self.reading.unwrap_or(self.step).target
    }
}

/// An action as a formula.
pub(super) struct Action {
    /// What must be true for it, over the state before and auxiliary variables.
    pub guard: Vec<TermId>,
    summary: Rc<Summary>,
}

impl Action {
    /// A term over the state after it, as one over the state before and auxiliary variables.
    pub fn before(&self, session: &mut Session, term: TermId) -> TermId {
        put_in(session, &self.summary.updates, term)
    }
}

/// The product, with what is needed to speak of its letters.
pub(super) struct World<'c, 'p> {
    pub session: Session<'c>,
    pub product: Product<'p>,
    pub ranks: Ranks,
    letters: Interner<LetterId, Letter>,
    names: Interner<ActionId, (StmtId, Option<StmtId>)>,
    actions: FxHashMap<ActionId, Rc<Action>>,
}

impl<'c, 'p> World<'c, 'p> {
    pub fn new(session: Session<'c>, product: Product<'p>) -> Self {
        Self {
            session,
            product,
            ranks: Ranks::default(),
            letters: Interner::new(),
            names: Interner::new(),
            actions: FxHashMap::default(),
        }
    }

    /// A letter.
    pub fn letter(&self, letter: LetterId) -> Letter {
        self.letters[letter]
    }

    /// A case of a letter: with another statement for its step.
    pub fn case(&mut self, letter: LetterId, stmt: StmtId) -> LetterId {
        let whole = self.letters[letter];
        let step = Taken { stmt, ..whole.step };
        self.letters.intern(Letter { step, ..whole })
    }

    /// What a letter does.
    pub fn action_of(&mut self, letter: LetterId) -> ActionId {
        let Letter { step, reading, .. } = self.letters[letter];
        self.names
            .intern((step.stmt, reading.map(|reading| reading.stmt)))
    }

    /// The formula of an action.
    pub fn action(&mut self, action: ActionId) -> Result<Rc<Action>, Halt> {
        if let Some(known) = self.actions.get(&action) {
            return Ok(Rc::clone(known));
        }
        let (stmt, reading) = self.names[action];
        let summary = self.session.summary(stmt)?;
        let mut guard = vec![summary.guard];
        if let Some(reading) = reading {
            let read = self.session.summary(reading)?.guard;
            guard.push(put_in(&mut self.session, &summary.updates, read));
        }
        let true_ = self.session.cx.terms.true_();
        guard.retain(|&term| term != true_);
        let made = Rc::new(Action { guard, summary });
        self.actions.insert(action, Rc::clone(&made));
        Ok(made)
    }

    /// Where the model is before and after a letter.
    pub fn locations(&self, letter: LetterId) -> (Option<PointId>, PointId) {
        let letter = &self.letters[letter];
        let from = letter.from.map(|from| self.product.model_location(from));
        (from, self.product.model_location(letter.target()))
    }

    /// The letters of one step of the product, through the reader if it is its turn.
    fn follow(
        &mut self,
        from: Option<PlaceId>,
        (step, marks): (Taken, MarkSetId),
    ) -> Vec<GroundArc> {
        let mut letters = Vec::new();
        if self.product.is_reading(step.target) {
            for (reading, read_marks) in self.product.edges(step.target) {
                let marks = self.product.mark_sets().union(marks, read_marks);
                letters.push((Some(reading), marks));
            }
        } else {
            letters.push((None, marks));
        }
        let arc = |(reading, marks): (Option<Taken>, MarkSetId)| {
            let letter = Letter {
                from,
                step,
                reading,
            };
            GroundArc {
                letter: self.letters.intern(letter),
                target: letter.target().index(),
                marks,
            }
        };
        letters.into_iter().map(arc).collect()
    }
}

impl Ground for World<'_, '_> {
    fn start(&mut self) -> Result<Vec<GroundArc>, Halt> {
        let mut arcs = Vec::new();
        for step in self.product.initial() {
            arcs.extend(self.follow(None, (step, MarkSetId::EMPTY)));
        }
        Ok(arcs)
    }

    fn arcs(&mut self, place: usize) -> Result<Vec<GroundArc>, Halt> {
        self.session.stats.total_nodes += 1;
        let from = PlaceId::from_index(place);
        let mut arcs = Vec::new();
        for edge in self.product.edges(from) {
            arcs.extend(self.follow(Some(from), edge));
        }
        Ok(arcs)
    }

    fn is_goal(&self, place: usize) -> bool {
        self.product.is_bad(PlaceId::from_index(place))
    }

    fn acceptance(&self) -> &Acceptance {
        self.product.acceptance()
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        self.product.mark_sets()
    }

    fn both(&mut self, one: Option<TermId>, other: Option<TermId>) -> Option<TermId> {
        match (one, other) {
            (Some(one), Some(other)) => Some(self.session.cx.terms.and(&[one, other])),
            _ => one.or(other),
        }
    }

    fn always(&self) -> TermId {
        self.session.cx.terms.true_()
    }
}
