//! Values and predicates together: an abstract state knows the values of some variables and, of the
//! others, the truth of some predicates (`expl-pred-bool`, `expl-pred-cart`, `expl-pred-split`). With abstraction
//! functions it knows classes of values as well (`value-pred-bool`, `value-pred-cart`, `value-pred-split`).
//!
//! A step is first taken by the values: what is known is put into guard and updates, which says most of
//! what control does without a solver. Then, for each outcome, the predicates take the step under
//! the values before and the values after.
//!
//! Tracked by value are the control variables, the variables that the user names, and those that
//! move over: where more and more predicates `v = c` are learned, one value after another is told from the
//! rest, which enumerating the values does at once. When there are `max_equalities` of them they are
//! dropped and `v` is tracked by value (Theta's and `CPAchecker`'s combined analyses do likewise).
//! A value can get lost where a step has too many outcomes; then predicates `v = c` can be needed after all,
//! so the first escalation keeps them as predicates from there on.

use super::cube::{Cube, Region};
use super::expl::{Explicit, ExplicitDomain, Surroundings, Values};
use super::function::Functions;
use super::known::Known;
use super::precision::{Locality, locally_first};
use super::pred::{PredicateConfig, Predicates};
use super::pred_step::PredStep;
use super::{Domain, Learned, Predicate, Reason};
use crate::session::{Halt, Session};
use crate::summary::Summary;
use lariat_base::FxHashMap;
use lariat_expr::{Op, TermId, Terms, VarId};
use lariat_system::{PointId, StmtId};
use std::rc::Rc;

/// Settings of the domain.
#[derive(Clone, Debug)]
pub struct CombinedConfig {
    /// The values.
    pub explicit: ExplicitDomain,
    /// The predicates.
    pub predicates: PredicateConfig,
    /// Variables that are tracked by value from the start, besides the control variables.
    pub variables: Vec<VarId>,
    /// A variable with this many predicates `v = c` is tracked by value instead.
    pub max_equalities: usize,
    /// By which functions variables are told, besides; nothing if they are told by values and predicates only.
    pub functions: Option<Functions>,
}

impl Default for CombinedConfig {
    fn default() -> Self {
        Self {
            explicit: ExplicitDomain::default(),
            predicates: PredicateConfig::default(),
            variables: Vec::new(),
            max_equalities: 3,
            functions: None,
        }
    }
}

/// The domain with its precision.
pub struct Combined {
    explicit: Explicit,
    predicates: Predicates,
    locality: Locality,
    max_equalities: usize,
    /// Whether predicates `v = c` stay predicates from now on.
    keep_equalities: bool,
    posts: FxHashMap<PostKey, Rc<[State]>>,
}

/// The values and what the predicates say.
pub type State = (Values, Region);

type PostKey = (StmtId, Option<PointId>, Option<State>);

impl Combined {
    /// The domain that tracks these variables and predicates, everywhere, to start with.
    pub fn new(
        terms: &mut Terms,
        config: CombinedConfig,
        locality: Locality,
        variables: &[VarId],
        predicates: &[TermId],
    ) -> Self {
        let variables = variables.iter().chain(&config.variables);
        let variables: Vec<TermId> = variables.map(|&var| terms.var(var)).collect();
        let mut domain = Self {
            explicit: Explicit::new(config.explicit, locality, &variables),
            predicates: Predicates::new(terms, config.predicates, locality, &[]),
            locality,
            max_equalities: config.max_equalities,
            keep_equalities: false,
            posts: FxHashMap::default(),
        };
        let functions = config.functions.unwrap_or_default();
        for (var, function) in functions.iter() {
            domain.explicit.track_class(terms, (var, function), None);
        }
        for &term in predicates {
            // What a class of its variable says is not said twice.
            let is_told = match terms.free_vars(&[term])[..] {
                [var] => !functions.of(var).is_empty(),
                _ => false,
            };
            if !is_told {
                domain.learn(terms, Predicate::new(terms, term), None);
            }
        }
        domain
    }

    /// Tracks a predicate at a place, or everywhere: the variable by value if it is a further `v = c`.
    fn learn(&mut self, terms: &mut Terms, predicate: Predicate, at: Option<PointId>) -> bool {
        let Some(var) = equated(terms, predicate).filter(|_| !self.keep_equalities) else {
            return self.predicates.add(terms, predicate, at);
        };
        let value = terms.var(var);
        if self.explicit.is_tracked(value) {
            return self.explicit.track(value, at);
        }
        let same = |&(_, other): &(usize, Predicate)| equated(terms, other) == Some(var);
        let equalities: Vec<(usize, Predicate)> = self.predicates.live().filter(same).collect();
        let negated = predicate.negation(terms);
        let is_new = |&(_, other): &(usize, Predicate)| other != predicate && other != negated;
        if !equalities.iter().all(is_new) || equalities.len() + 1 < self.max_equalities {
            return self.predicates.add(terms, predicate, at);
        }
        self.explicit.track(value, at);
        for (i, _) in equalities {
            let places = self.predicates.retire(i);
            self.explicit.track_at(value, &places);
        }
        true
    }

    fn compute(
        &mut self,
        session: &mut Session,
        from: Option<&State>,
        stmt: StmtId,
        at: PointId,
    ) -> Result<Vec<State>, Halt> {
        let (values, region) = (from.map(|from| &from.0), from.map(|from| &from.1));
        let context = match region {
            Some(region) => self.predicates.formula(&mut session.cx.terms, region),
            None => session.cx.terms.true_(),
        };
        let no_predicates = context == session.cx.terms.true_() && !self.predicates.tracks_at(at);
        let outcomes = {
            let context = Surroundings {
                known: context,
                is_tested_later: !no_predicates,
            };
            self.explicit.follow(session, values, stmt, at, context)?
        };
        if no_predicates {
            let anything = Region::one(Cube::unknown());
            let state = |values| (values, anything.clone());
            return Ok(outcomes.into_iter().map(state).collect());
        }
        let summary = session.summary(stmt)?;
        let terms = &mut session.cx.terms;
        let mut known = self.explicit.known(terms, values);
        let mut after = summary.after(terms, self.explicit.terms());
        for term in &mut after {
            *term = known.apply(terms, *term);
        }
        let facts = self.facts(terms, &summary, &known);
        let mut found = Vec::new();
        for outcome in outcomes {
            let terms = &mut session.cx.terms;
            let mut also = facts.clone();
            for (&after, value) in after.iter().zip(&outcome) {
                let Some(value) = value else { continue };
                let value = terms.lit(value.clone(), terms.sort(after));
                also.push(terms.eq(after, value));
            }
            let predicates = self.predicates.predicates();
            let step = PredStep::new(terms, &summary, predicates, &mut known.values, &also);
            let regions = self.predicates.follow(session, region, (stmt, &step), at)?;
            found.extend(regions.into_iter().map(|region| (outcome.clone(), region)));
        }
        Ok(found)
    }

    /// What the classes of variables say that can matter for what the predicates are after a step.
    fn facts(&self, terms: &Terms, summary: &Summary, known: &Known) -> Vec<TermId> {
        let mut roots = vec![summary.guard];
        roots.extend(summary.updates.iter().map(|&(_, value)| value));
        roots.extend(self.predicates.predicates().iter().map(|p| p.term()));
        known.relevant(terms, &roots)
    }
}

/// The variable of a predicate `v = c`, or of its negation.
fn equated(terms: &Terms, predicate: Predicate) -> Option<VarId> {
    let atom = match terms.as_op(predicate.term(), Op::Not) {
        Some(&[atom]) => atom,
        _ => predicate.term(),
    };
    match terms.as_op(atom, Op::Eq) {
        Some(&[left, right]) if terms.as_lit(right).is_some() => terms.as_var(left),
        Some(&[left, right]) if terms.as_lit(left).is_some() => terms.as_var(right),
        _ => None,
    }
}

impl Domain for Combined {
    type State = State;

    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&State>,
        stmt: StmtId,
        at: PointId,
        out: &mut Vec<State>,
    ) -> Result<(), Halt> {
        session.stats.posts += 1;
        let place = (self.locality == Locality::Local).then_some(at);
        let key = (stmt, place, from.cloned());
        if let Some(states) = self.posts.get(&key) {
            session.stats.cached_posts += 1;
            out.extend_from_slice(states);
            return Ok(());
        }
        let states: Rc<[State]> = self.compute(session, from, stmt, at)?.into();
        out.extend_from_slice(&states);
        self.posts.insert(key, states);
        Ok(())
    }

    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        let terms = &mut session.cx.terms;
        let pieces = self.predicates.pieces(terms, &reason.learned(terms));
        let (vars, at): (&[VarId], _) = match *reason {
            Reason::Infeasible(_) | Reason::Support(_) => (&[], None),
            Reason::Variables(vars) => (vars, None),
            Reason::NotClosing { changing, at, .. } => (changing, Some(at)),
        };
        let is_local = self.locality == Locality::Local;
        let changed = locally_first(is_local, |place| {
            let mut changed = false;
            for &Learned { predicate, at } in &pieces {
                changed |= self.learn(terms, predicate, place(at));
            }
            changed
        });
        // Values only where predicates say nothing new.
        let changed = changed
            || locally_first(is_local, |place| {
                vars.iter().fold(false, |changed, &var| {
                    let value = terms.var(var);
                    self.explicit.track(value, at.and_then(place)) | changed
                })
            });
        if changed {
            self.posts.clear();
        }
        changed
    }

    fn escalate(&mut self, stmts: &[StmtId]) -> bool {
        if !self.keep_equalities {
            self.keep_equalities = true;
            return true;
        }
        self.posts.clear();
        self.predicates.escalate(stmts)
    }

    fn is_exact(&self, stmts: &[StmtId]) -> bool {
        self.predicates.is_exact(stmts)
    }

    fn formula(&self, terms: &mut Terms, (values, region): &State) -> TermId {
        let values = self.explicit.formula(terms, values);
        let region = self.predicates.formula(terms, region);
        terms.and(&[values, region])
    }

    fn covers(&self, big: &State, small: &State) -> bool {
        self.explicit.covers(&big.0, &small.0) && self.predicates.covers(&big.1, &small.1)
    }

    fn precision_size(&self) -> usize {
        self.explicit.precision_size() + self.predicates.precision_size()
    }

    fn describe(&self, session: &Session, (values, region): &State) -> String {
        let known = [
            self.explicit.describe(session, values),
            self.predicates.describe(session, region),
        ];
        let known: Vec<String> = known.into_iter().filter(|text| text != "true").collect();
        if known.is_empty() {
            "true".into()
        } else {
            known.join(" and ")
        }
    }

    fn describe_precision(&self, session: &Session) -> Vec<String> {
        let mut texts = self.explicit.describe_precision(session);
        texts.extend(self.predicates.describe_precision(session));
        texts
    }
}
