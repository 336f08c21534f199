//! Certificates by one round of a loop: words that go round it for ever, or round anything that a measure cannot tell from it.
//!
//! Some loops have a measure for the round as a whole but none for its steps: on the way round it may rise. Then what
//! the measure was when the round began is kept in ghost variables, and between the round's steps stand the
//! interpolants that lead from *the ghosts are the measure* to *the measure is less than the ghosts*. They are facts about
//! the state and the ghosts, and every action for which a Hoare triple holds is a transition between sets of them, as in
//! `facts.rs`. Where the measure has decreased, the ghosts are set anew: that step is accepting (Heizmann, Hoenicke, Podelski,
//! "Termination analysis by learning terminating programs", CAV 2014).
//!
//! The automaton is semi-deterministic: it waits in one state, guesses that a round begins, and from there on sets of facts
//! follow one another. Words that it accepts cannot be executed, since the measure would decrease for ever.

use super::facts::{conjuncts, consequences};
use super::words::{Read, SemiDeterministic, WordStateId};
use super::world::{ActionId, World};
use crate::encode::PathEncoding;
use crate::explored::Taken;
use crate::rank::{Component, InnerArc, Measure, Ranking, Ranks, descends};
use crate::refine::interpolate;
use crate::session::{Halt, Session};
use crate::verdict::Unknown;
use lariat_base::{FxHashMap, Id as _, Interner};
use lariat_expr::{TermId, VarId};
use lariat_smt::Answer;
use lariat_system::{PointId, StmtId};

/// Ghosts are instances of their own: no model, path or statement has variables with this number.
const GHOST: u32 = u32::MAX - 5;

/// The words on which a measure of one round argues.
pub(super) struct Round {
    /// Where rounds begin and end.
    honda: PointId,
    /// What must be known there.
    support: TermId,
    /// That the measure is less than the ghosts.
    descends: TermId,
    /// The terms of the measure, and what they were when the round began.
    levels: Vec<TermId>,
    ghosts: Vec<VarId>,
    /// What may be known between the round's steps.
    facts: Vec<TermId>,
    /// Sets of facts that hold. The first is that the ghosts are the measure, the second that anything holds: the
    /// word cannot be executed.
    states: Interner<WordStateId, Vec<TermId>>,
    steps: FxHashMap<(WordStateId, ActionId, bool), Option<(WordStateId, bool)>>,
    supported: FxHashMap<TermId, bool>,
}

impl Round {
    /// The certificate for a loop with what is known where it begins, if it has a measure that needs no more.
    pub fn find(
        world: &mut World<'_, '_>,
        cycle: &[Taken],
        known: TermId,
        ranking: Ranking,
    ) -> Result<Option<Self>, Halt> {
        let last = cycle.last().expect("a loop has steps");
        let honda = world.product.model_location(last.target);
        let session = &mut world.session;
        let true_ = session.cx.terms.true_();
        let mut supports = vec![true_, known];
        supports.dedup();
        for support in supports {
            let Some(measure) = of_round(session, cycle, (honda, support), ranking)? else {
                continue;
            };
            if let Some(round) = Self::new(session, cycle, (honda, support), &measure)? {
                return Ok(Some(round));
            }
        }
        Ok(None)
    }

    /// With the interpolants of the round; nothing if the solver finds none.
    fn new(
        session: &mut Session,
        cycle: &[Taken],
        (honda, support): (PointId, TermId),
        measure: &Measure,
    ) -> Result<Option<Self>, Halt> {
        let (mut ghosts, mut begins, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for (i, level) in measure.levels.iter().enumerate() {
            let (terms, now) = (&mut session.cx.terms, level.at(honda));
            let name = format!("round {i}");
            let ghost = terms.declare_instance(&name, terms.sort(now), GHOST);
            ghosts.push(ghost);
            let ghost = terms.var(ghost);
            begins.push(terms.eq(ghost, now));
            changes.push((ghost, now));
        }
        let descends = descends(&mut session.cx.terms, &changes);
        let stmts: Vec<StmtId> = cycle.iter().map(|step| step.stmt).collect();
        let path = PathEncoding::new(session, &stmts)?;
        let begin = session.cx.terms.and(&begins);
        let begin = session.cx.terms.and(&[begin, support]);
        let mut parts = vec![path.term_at(session, begin, 0)];
        parts.extend(&path.parts);
        let end = session.cx.terms.not(descends);
        parts.push(path.term_at(session, end, stmts.len()));
        let is_infeasible = session.scoped(|session| {
            for &part in &parts {
                session.solver.assert(&session.cx.terms, part);
            }
            Ok(session.check(&[])? == Answer::Unsat)
        })?;
        if !is_infeasible {
            return Ok(None);
        }
        let interpolants = match interpolate(session, &parts) {
            Err(Halt(Unknown::Solver(_))) => return Ok(None),
            found => found?,
        };
        let mut facts = Vec::new();
        for interpolant in interpolants {
            for fact in conjuncts(&session.cx.terms, interpolant) {
                if !facts.contains(&fact) {
                    facts.push(fact);
                }
            }
        }
        let mut states = Interner::new();
        let false_ = session.cx.terms.false_();
        for state in [[&begins[..], &[support]].concat(), vec![false_]] {
            let _: WordStateId = states.intern(state);
        }
        Ok(Some(Self {
            honda,
            support,
            descends,
            levels: changes.into_iter().map(|(_, now)| now).collect(),
            ghosts,
            facts,
            states,
            steps: FxHashMap::default(),
            supported: FxHashMap::default(),
        }))
    }

    /// The terms of the measure.
    pub fn levels(&self) -> &[TermId] {
        &self.levels
    }

    /// The ghosts are the measure.
    fn begin() -> WordStateId {
        WordStateId::from_index(0)
    }

    /// The word cannot be executed.
    fn impossible() -> WordStateId {
        WordStateId::from_index(1)
    }

    /// Whether what must be known follows from what is known.
    fn is_supported(&mut self, session: &mut Session, known: TermId) -> Result<bool, Halt> {
        if let Some(&is) = self.supported.get(&known) {
            return Ok(is);
        }
        let not = session.cx.terms.not(self.support);
        let is = self.support == known || !session.is_possible(vec![known, not])?;
        self.supported.insert(known, is);
        Ok(is)
    }

    /// The facts after an action.
    fn after(
        &mut self,
        world: &mut World<'_, '_>,
        from: WordStateId,
        (action, is_at_honda): (ActionId, bool),
    ) -> Result<Option<(WordStateId, bool)>, Halt> {
        let formula = world.action(action)?;
        let premises = [&formula.guard[..], &self.states[from]].concat();
        let mut wanted = self.facts.clone();
        if is_at_honda && !wanted.contains(&self.descends) {
            wanted.push(self.descends);
        }
        let mut asked = Vec::new();
        for fact in wanted {
            asked.push((fact, formula.before(&mut world.session, fact)));
        }
        let Some(mut facts) = consequences(&mut world.session, &premises, asked)? else {
            return Ok(Some((Self::impossible(), true)));
        };
        if is_at_honda && facts.contains(&self.descends) {
            return Ok(Some((Self::begin(), true)));
        }
        facts.sort_unstable();
        let read = world.session.cx.terms.free_vars(&facts);
        let speaks = read.iter().any(|var| self.ghosts.contains(var));
        Ok(speaks.then(|| (self.states.intern(facts), false)))
    }
}

impl<'c, 'p> SemiDeterministic<World<'c, 'p>> for Round {
    fn initial(&self) -> Vec<WordStateId> {
        vec![WordStateId::from_index(0)]
    }

    fn first(
        &mut self,
        _world: &mut World<'c, 'p>,
        from: WordStateId,
        _read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        out.push(from);
        Ok(())
    }

    fn jump(
        &mut self,
        world: &mut World<'c, 'p>,
        _from: WordStateId,
        read: Read,
        out: &mut Vec<WordStateId>,
    ) -> Result<(), Halt> {
        if world.locations(read.letter).0 == Some(self.honda) {
            let next = self.second(world, Self::begin(), read)?;
            out.extend(next.map(|(state, _)| state));
        }
        Ok(())
    }

    fn second(
        &mut self,
        world: &mut World<'c, 'p>,
        from: WordStateId,
        Read { letter, known }: Read,
    ) -> Result<Option<(WordStateId, bool)>, Halt> {
        if from == Self::impossible() {
            return Ok(Some((from, true)));
        }
        if from == Self::begin() && !self.is_supported(&mut world.session, known)? {
            return Ok(None);
        }
        let is_at_honda = world.locations(letter).1 == self.honda;
        let key = (from, world.action_of(letter), is_at_honda);
        if let Some(&known) = self.steps.get(&key) {
            return Ok(known);
        }
        let after = self.after(world, from, (key.1, key.2))?;
        self.steps.insert(key, after);
        Ok(after)
    }
}

/// A measure of a loop that each round decreases, where something is known.
fn of_round(
    session: &mut Session,
    cycle: &[Taken],
    (honda, premise): (PointId, TermId),
    ranking: Ranking,
) -> Result<Option<Measure>, Halt> {
    let stmts: Vec<StmtId> = cycle.iter().map(|step| step.stmt).collect();
    let arc = InnerArc {
        premise,
        stmt: session.cx.stmts.seq(&stmts, None),
        reading: None,
        from: honda,
        to: honda,
        on_loop: true,
        sets: 0,
    };
    let (round, none) = (Component::new(session, &[arc])?, Ranks::default());
    if let Some(best) = round.candidate(session, &none)?
        && best.is_perfect
    {
        return Ok(Some(best.measure));
    }
    if ranking != Ranking::Linear {
        return Ok(None);
    }
    Ok(round.linear(session, &none)?.complete)
}
