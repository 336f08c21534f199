//! Interpolant automata: words that cannot be executed, because of facts that hold along them.
//!
//! The nodes are facts, such as the interpolants of an infeasible path; there is a transition from some facts to another one
//! by an action if the *Hoare triple* holds: after the action, wherever those are true before, the other is true. The
//! solver is asked when a word comes that way, and what it says is kept. A state is the set of facts that are known to hold
//! (Heizmann, Hoenicke, Podelski, "Refinement of trace abstraction", SAS 2009; deterministic on demand). Where
//! known facts exclude an action, every word that goes on with it is subtracted: that is all that is ever subtracted here, so
//! the complement is the same automaton without those steps.
//!
//! Facts also *support*: what is true in a state is known to the layers above, which argue with measures.
//!
//! A fact is looked for at the model's locations for which it was found, and at all locations of which nothing was said.

use super::words::{Layer, LetterId, Read, Step, WordStateId};
use super::world::{ActionId, World};
use crate::acceptance::MarkSetId;
use crate::domain::Learned;
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, Interner};
use lariat_expr::{Op, TermId, Terms};
use lariat_smt::{Answer, Reason};
use lariat_system::PointId;

/// The solver's steps for one question.
const STEPS: u32 = 400_000;

/// Some facts and the sets of them that hold.
pub(super) struct Facts {
    /// The facts that are looked for at each location.
    at: FxHashMap<PointId, Vec<TermId>>,
    /// Those that are looked for elsewhere.
    all: Vec<TermId>,
    /// Sets of facts, in ascending order.
    states: Interner<WordStateId, Vec<TermId>>,
    /// What each set says.
    formulas: Vec<TermId>,
    /// Where actions lead from a set among facts of a location; nothing where they cannot be executed.
    steps: FxHashMap<(WordStateId, ActionId, Option<PointId>), Option<WordStateId>>,
}

impl Facts {
    /// Conjunctions are looked for by their parts.
    pub fn new(terms: &Terms, learned: &[Learned]) -> Self {
        let mut at: FxHashMap<PointId, Vec<TermId>> = FxHashMap::default();
        let mut all = Vec::new();
        for one in learned {
            let here = at.entry(one.at).or_default();
            for part in conjuncts(terms, one.predicate.term()) {
                for list in [&mut *here, &mut all] {
                    if !list.contains(&part) {
                        list.push(part);
                    }
                }
            }
        }
        let mut states = Interner::new();
        let _: WordStateId = states.intern(Vec::new());
        Self {
            at,
            all,
            states,
            formulas: vec![terms.true_()],
            steps: FxHashMap::default(),
        }
    }

    /// All facts.
    pub fn all(&self) -> &[TermId] {
        &self.all
    }

    /// The facts after an action; nothing if it cannot be executed.
    fn after(
        &mut self,
        world: &mut World<'_, '_>,
        from: WordStateId,
        letter: LetterId,
    ) -> Result<Option<WordStateId>, Halt> {
        let (action, (_, to)) = (world.action_of(letter), world.locations(letter));
        let at = self.at.contains_key(&to).then_some(to);
        if let Some(&known) = self.steps.get(&(from, action, at)) {
            return Ok(known);
        }
        let formula = world.action(action)?;
        let wanted = at.map_or(&self.all, |at| &self.at[&at]);
        let held = &self.states[from];
        let mut asked = Vec::new();
        for &fact in wanted {
            asked.push((fact, formula.before(&mut world.session, fact)));
        }
        let premises = [&formula.guard[..], held].concat();
        let after = consequences(&mut world.session, &premises, asked)?;
        let after = after.map(|mut facts| {
            facts.sort_unstable();
            let state = self.states.intern(facts.clone());
            if self.formulas.len() < self.states.len() {
                self.formulas.push(world.session.cx.terms.and(&facts));
            }
            state
        });
        self.steps.insert((from, action, at), after);
        Ok(after)
    }
}

impl<'c, 'p> Layer<World<'c, 'p>> for Facts {
    fn initial(&mut self) -> Vec<WordStateId> {
        vec![self.states.intern(Vec::new())]
    }

    fn step(
        &mut self,
        world: &mut World<'c, 'p>,
        from: WordStateId,
        Read { letter, .. }: Read,
        out: &mut Vec<Step>,
    ) -> Result<(), Halt> {
        let after = self.after(world, from, letter)?;
        out.extend(after.map(|state| Step {
            state,
            marks: MarkSetId::EMPTY,
            letter,
        }));
        Ok(())
    }

    fn says(&self, state: WordStateId) -> Option<TermId> {
        use lariat_base::Id as _;
        (!self.states[state].is_empty()).then(|| self.formulas[state.index()])
    }
}

/// Which facts follow from premises, each by what it says before an action; nothing if the premises contradict one another.
///
/// One question for all facts at once: a model in which some fails drops those, until the rest follows.
pub(super) fn consequences(
    session: &mut Session,
    premises: &[TermId],
    mut asked: Vec<(TermId, TermId)>,
) -> Result<Option<Vec<TermId>>, Halt> {
    let false_ = session.cx.terms.false_();
    if premises.contains(&false_) {
        return Ok(None);
    }
    session.scoped(|session| {
        for &premise in premises {
            session.solver.assert(&session.cx.terms, premise);
        }
        if ask(session, &[])? == Some(false) {
            return Ok(None);
        }
        let drop_false = |session: &mut Session, asked: &mut Vec<(TermId, TermId)>| {
            let n = asked.len();
            asked.retain(|&(_, before)| session.truth(before) != Some(false));
            asked.len() < n
        };
        drop_false(session, &mut asked);
        loop {
            let terms = &mut session.cx.terms;
            let open: Vec<TermId> = asked.iter().map(|&(_, before)| terms.not(before)).collect();
            let some_fails = terms.or(&open);
            if some_fails == terms.false_() {
                break;
            }
            match ask(session, &[some_fails])? {
                Some(false) => break,
                Some(true) if drop_false(session, &mut asked) => {}
                // One by one: the solver cannot tell, or does not say which.
                _ => {
                    let mut kept = Vec::new();
                    for (fact, before) in asked {
                        let not = session.cx.terms.not(before);
                        if ask(session, &[not])? == Some(false) {
                            kept.push((fact, before));
                        }
                    }
                    asked = kept;
                    break;
                }
            }
        }
        Ok(Some(asked.into_iter().map(|(fact, _)| fact).collect()))
    })
}

/// Whether what is asserted is possible under assumptions, if the solver can tell soon.
fn ask(session: &mut Session, assumptions: &[TermId]) -> Result<Option<bool>, Halt> {
    session.stats.checks += 1;
    let terms = &session.cx.terms;
    match session.solver.check_briefly(terms, assumptions, STEPS) {
        Answer::Sat => Ok(Some(true)),
        Answer::Unsat => Ok(Some(false)),
        Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
        Answer::Unknown(_) => Ok(None),
    }
}

/// The parts of a conjunction; none of `true`.
pub(super) fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    let mut parts = match terms.as_op(term, Op::And) {
        Some(parts) => parts.to_vec(),
        None => vec![term],
    };
    parts.retain(|&part| part != terms.true_() && part != terms.false_());
    parts
}
