//! Predicate abstraction: an abstract state knows the truth of some predicates.
//!
//! *Cartesian* (`pred-cart`): one successor, each predicate true, false or unknown, decided on its
//! own (Ball, Podelski, Rajamani, TACAS'01). *Split* (`pred-split`): one successor per combination
//! of the predicates that Cartesian abstraction leaves unknown. *Boolean* (`pred-bool`): the same
//! combinations, kept together as one successor that is their disjunction (Graf and Saïdi, CAV'97; Ball and
//! Rajamani, SPIN'01). Split and Boolean are exact for the predicates they have, Cartesian is cheaper and
//! can be made exact step by step where refinement asks for it. Boolean makes fewer and larger states: it
//! cannot tell the branches of a run apart by its predicates, but has no states to multiply either.
//!
//! Every state is a [`Region`]; only Boolean regions have more than one cube.

use super::cube::{Cube, Region};
use super::precision::{Locality, Places, Precision, locally_first};
use super::pred_step::{Ask, PredStep};
use super::{Domain, Learned, Predicate, Reason};
use crate::session::{Halt, Session};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Dialect, Head, Op, Substitution, TermId, Terms, show_term};
use lariat_system::{PointId, StmtId};
use std::rc::Rc;

/// How successors are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Each predicate on its own.
    Cartesian,
    /// Every combination.
    Split,
    /// Every combination, all in one state.
    Boolean,
}

/// What becomes of an interpolant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pieces {
    /// It is one predicate.
    Whole,
    /// Each conjunct is a predicate.
    Conjuncts,
    /// Each atom is a predicate.
    Atoms,
}

/// Settings of the domain.
#[derive(Clone, Debug)]
pub struct PredicateConfig {
    /// How successors are computed.
    pub mode: Mode,
    /// What becomes of interpolants.
    pub pieces: Pieces,
    /// Beyond this many combinations a step is left Cartesian.
    pub max_split: usize,
}

impl Default for PredicateConfig {
    fn default() -> Self {
        Self {
            mode: Mode::Cartesian,
            pieces: Pieces::Atoms,
            max_split: 512,
        }
    }
}

/// The domain with its precision.
pub struct Predicates {
    config: PredicateConfig,
    precision: Precision<Predicate>,
    /// Steps that are computed exactly although the mode is Cartesian.
    exact: FxHashSet<StmtId>,
    /// Whether interpolants are added whole from now on.
    whole: bool,
    steps: FxHashMap<StmtId, Rc<PredStep>>,
    posts: FxHashMap<PostKey, Rc<[Region]>>,
}

type PostKey = (StmtId, Option<PointId>, Option<Region>);

impl Predicates {
    /// The domain with these predicates, tracked everywhere, to start with.
    pub fn new(
        terms: &mut Terms,
        config: PredicateConfig,
        locality: Locality,
        initial: &[TermId],
    ) -> Self {
        let mut domain = Self {
            config,
            precision: Precision::new(locality),
            exact: FxHashSet::default(),
            whole: false,
            steps: FxHashMap::default(),
            posts: FxHashMap::default(),
        };
        for &term in initial {
            domain.add(terms, Predicate::new(terms, term), None);
        }
        domain
    }

    /// Tracks a predicate (or its negation: they are the same); says whether that is new.
    pub(super) fn add(
        &mut self,
        terms: &mut Terms,
        predicate: Predicate,
        at: Option<PointId>,
    ) -> bool {
        if terms.as_lit(predicate.term()).is_some() {
            return false;
        }
        let negated = predicate.negation(terms);
        let predicate = match self.precision.position(negated) {
            Some(_) => negated,
            None => predicate,
        };
        self.precision.add(predicate, at)
    }

    /// Stops tracking the predicate at a position; returns where it was tracked.
    pub(super) fn retire(&mut self, i: usize) -> Places {
        self.precision.retire(i)
    }

    /// All predicates that were ever tracked.
    pub(super) fn predicates(&self) -> &[Predicate] {
        self.precision.items()
    }

    /// The predicates that are tracked somewhere, with their positions.
    pub(super) fn live(&self) -> impl Iterator<Item = (usize, Predicate)> {
        self.precision.live()
    }

    /// Whether any predicate is tracked at a place.
    pub(super) fn tracks_at(&self, at: PointId) -> bool {
        !self.precision.tracked(at).is_empty()
    }

    /// What becomes of predicates that were learned.
    pub(super) fn pieces(&self, terms: &Terms, learned: &[Learned]) -> Vec<Learned> {
        let pieces = if self.whole {
            Pieces::Whole
        } else {
            self.config.pieces
        };
        let mut found = Vec::new();
        for &Learned { predicate, at } in learned {
            let pieces = split(terms, predicate, pieces).into_iter();
            found.extend(pieces.map(|predicate| Learned { predicate, at }));
        }
        found
    }

    /// To be called when the precision has changed.
    pub(super) fn forget(&mut self) {
        self.steps.clear();
        self.posts.clear();
    }

    /// The successors of a region (anything, if none) by a step of `stmt` that leads to `at`.
    pub(super) fn follow(
        &self,
        session: &mut Session,
        from: Option<&Region>,
        (stmt, step): (StmtId, &PredStep),
        at: PointId,
    ) -> Result<Vec<Region>, Halt> {
        let wanted = self.precision.tracked(at);
        let max = self.config.max_split;
        let exact = self.config.mode != Mode::Cartesian || self.exact.contains(&stmt);
        let ask = Ask {
            wanted: &wanted,
            same_as_before: !self.precision.is_local(),
            exact: exact.then_some(max),
        };
        let sources: Vec<Option<&Cube>> = match from {
            None => vec![None],
            Some(region) => region.cubes().iter().map(Some).collect(),
        };
        let mut cubes = Vec::new();
        for source in sources {
            cubes.append(&mut step.post(session, source, &ask)?);
            if cubes.len() > max.saturating_mul(4) && from.is_some() {
                let cartesian = Ask { exact: None, ..ask };
                let hull = from.map(Region::hull);
                cubes = step.post(session, hull.as_ref(), &cartesian)?;
                break;
            }
        }
        if self.config.mode == Mode::Boolean {
            let n = self.predicates().len();
            return Ok(Vec::from_iter(Region::of(cubes, n, max)));
        }
        Ok(cubes.into_iter().map(Region::one).collect())
    }

    fn compute(
        &mut self,
        session: &mut Session,
        from: Option<&Region>,
        stmt: StmtId,
        at: PointId,
    ) -> Result<Vec<Region>, Halt> {
        let step = match self.steps.get(&stmt) {
            Some(step) => Rc::clone(step),
            None => {
                let summary = session.summary(stmt)?;
                let known = &mut Substitution::new();
                let predicates = self.precision.items();
                let step = PredStep::new(&mut session.cx.terms, &summary, predicates, known, &[]);
                Rc::clone(self.steps.entry(stmt).or_insert_with(|| Rc::new(step)))
            }
        };
        self.follow(session, from, (stmt, &step), at)
    }

    fn describe_cube(&self, terms: &Terms, cube: &Cube) -> String {
        let literal = |(i, &predicate): (usize, &Predicate)| {
            let truth = cube.get(i)?;
            let text = show_term(terms, predicate.term(), &Dialect::GCL);
            Some(if truth { text } else { format!("not ({text})") })
        };
        let predicates = self.predicates().iter().enumerate();
        let literals: Vec<String> = predicates.filter_map(literal).collect();
        if literals.is_empty() {
            "true".into()
        } else {
            literals.join(" and ")
        }
    }
}

impl Domain for Predicates {
    type State = Region;

    fn post(
        &mut self,
        session: &mut Session,
        from: Option<&Region>,
        stmt: StmtId,
        at: PointId,
        out: &mut Vec<Region>,
    ) -> Result<(), Halt> {
        session.stats.posts += 1;
        let key = (stmt, self.precision.key(at), from.cloned());
        if let Some(regions) = self.posts.get(&key) {
            session.stats.cached_posts += 1;
            out.extend_from_slice(regions);
            return Ok(());
        }
        let regions: Rc<[Region]> = self.compute(session, from, stmt, at)?.into();
        out.extend_from_slice(&regions);
        self.posts.insert(key, regions);
        Ok(())
    }

    fn refine(&mut self, session: &mut Session, reason: &Reason<'_>) -> bool {
        let terms = &mut session.cx.terms;
        let pieces = self.pieces(terms, &reason.learned(terms));
        let changed = locally_first(self.precision.is_local(), |place| {
            let mut changed = false;
            for &Learned { predicate, at } in &pieces {
                changed |= self.add(terms, predicate, place(at));
            }
            changed
        });
        if changed {
            self.forget();
        }
        changed
    }

    fn escalate(&mut self, stmts: &[StmtId]) -> bool {
        if !self.whole && self.config.pieces != Pieces::Whole {
            self.whole = true;
            return true;
        }
        if self.config.mode != Mode::Cartesian {
            return false;
        }
        let before = self.exact.len();
        self.exact.extend(stmts);
        self.posts.clear();
        self.exact.len() > before
    }

    fn is_exact(&self, stmts: &[StmtId]) -> bool {
        self.config.mode != Mode::Cartesian || stmts.iter().all(|stmt| self.exact.contains(stmt))
    }

    fn formula(&self, terms: &mut Terms, region: &Region) -> TermId {
        let mut cubes = Vec::new();
        for cube in region.cubes() {
            let mut literals = Vec::new();
            for (i, &predicate) in self.predicates().iter().enumerate() {
                match cube.get(i) {
                    Some(true) => literals.push(predicate.term()),
                    Some(false) => literals.push(predicate.negation(terms).term()),
                    None => {}
                }
            }
            cubes.push(terms.and(&literals));
        }
        terms.or(&cubes)
    }

    fn covers(&self, big: &Region, small: &Region) -> bool {
        big.covers(small)
    }

    fn precision_size(&self) -> usize {
        self.live().count()
    }

    fn describe(&self, session: &Session, state: &Region) -> String {
        let cube = |cube: &Cube| self.describe_cube(&session.cx.terms, cube);
        match state.cubes() {
            [one] => cube(one),
            several => {
                let cubes: Vec<String> = several
                    .iter()
                    .map(|one| format!("({})", cube(one)))
                    .collect();
                cubes.join(" or ")
            }
        }
    }

    fn describe_precision(&self, session: &Session) -> Vec<String> {
        self.live()
            .map(|(_, predicate)| show_term(&session.cx.terms, predicate.term(), &Dialect::GCL))
            .collect()
    }
}

/// The predicates that one that was learned is made into.
fn split(terms: &Terms, learned: Predicate, pieces: Pieces) -> Vec<Predicate> {
    let found = match pieces {
        Pieces::Whole => return vec![learned],
        Pieces::Conjuncts => match terms.as_op(learned.term(), Op::And) {
            Some(conjuncts) => conjuncts.to_vec(),
            None => return vec![learned],
        },
        Pieces::Atoms => atoms(terms, learned.term()),
    };
    let predicate = |term| Predicate::new(terms, term);
    found.into_iter().map(predicate).collect()
}

/// The atoms of a Boolean term: its maximal subterms without Boolean structure, in a fixed order.
pub fn atoms(terms: &Terms, root: TermId) -> Vec<TermId> {
    let bool_ = terms.sorts.bool();
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut todo = vec![root];
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.head(term) {
            Head::Lit(_) => {}
            Head::Op(Op::And | Op::Or | Op::Not | Op::Ite, args) => todo.extend(args.iter().rev()),
            Head::Op(Op::Eq, args) if terms.sort(args[0]) == bool_ => {
                todo.extend(args.iter().rev());
            }
            _ => found.push(term),
        }
    }
    found
}
