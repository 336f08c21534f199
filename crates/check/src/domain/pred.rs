//! Predicate abstraction: an abstract state knows the truth of some predicates.
//!
//! *Cartesian* (`pred-cart`): one successor, each predicate true, false or unknown, decided on its
//! own (Ball, Podelski, Rajamani, TACAS'01). *Split* (`pred-split`): one successor per combination
//! of the predicates that Cartesian abstraction leaves unknown. Split is exact for the predicates it
//! has, Cartesian cheaper; Cartesian can be made exact step by step where refinement asks for it.
//!
//! What a step is asked: predicates that it cannot touch keep their value; a predicate after the step
//! is a term over the state before (see [`crate::summary`]) and is looked up among the known
//! predicates first; only the rest is asked, one check for all of them together and at most one more
//! for each, since the model of the first gives each predicate one possible value.

use super::{Domain, Reason};
use crate::engine::{Engine, Halt};
use crate::summary::Summary;
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{Dialect, Head, Op, Substitution, TermId, Terms, print_term};
use lariat_smt::Answer;
use lariat_system::{LocId, StmtId};
use std::rc::Rc;

/// How successors are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Each predicate on its own.
    Cartesian,
    /// Every combination.
    Split,
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
    /// Beyond this many combinations a split step is left Cartesian.
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
    predicates: Vec<TermId>,
    known: FxHashSet<TermId>,
    /// Steps that are computed exactly although the mode is Cartesian.
    exact: FxHashSet<StmtId>,
    /// Whether interpolants are added whole from now on.
    whole: bool,
    steps: FxHashMap<StmtId, Rc<StepInfo>>,
    posts: FxHashMap<(StmtId, Option<Cube>), Rc<[Cube]>>,
}

/// The truth of each predicate: true, false or unknown; two bits each.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    words: Box<[u64]>,
}

impl Cube {
    fn unknown(n: usize) -> Self {
        Self {
            words: vec![0; n.div_ceil(32)].into(),
        }
    }

    fn get(&self, i: usize) -> Option<bool> {
        let bits = self.words[i / 32] >> (2 * (i % 32)) & 3;
        (bits & 1 == 1).then_some(bits & 2 != 0)
    }

    fn set(&mut self, i: usize, truth: Option<bool>) {
        let shift = 2 * (i % 32);
        let bits = truth.map_or(0, |truth| 1 | u64::from(truth) << 1);
        self.words[i / 32] = self.words[i / 32] & !(3 << shift) | bits << shift;
    }
}

/// What is fixed about a statement under the present precision.
struct StepInfo {
    summary: Rc<Summary>,
    /// Each predicate after the step, as a term over the state before.
    after: Vec<TermId>,
    /// Whether the guard speaks of a variable of the (unchanged) predicate.
    guarded: Vec<bool>,
}

impl Predicates {
    /// The domain with these predicates to start with.
    pub fn new(engine: &mut Engine, config: PredicateConfig, initial: &[TermId]) -> Self {
        let mut domain = Self {
            config,
            predicates: Vec::new(),
            known: FxHashSet::default(),
            exact: FxHashSet::default(),
            whole: false,
            steps: FxHashMap::default(),
            posts: FxHashMap::default(),
        };
        for &predicate in initial {
            domain.add(&mut engine.cx.terms, predicate);
        }
        domain
    }

    /// Adds a predicate (or its negation: they are the same); says whether it is new.
    fn add(&mut self, terms: &mut Terms, predicate: TermId) -> bool {
        let negated = terms.not(predicate);
        if terms.as_lit(predicate).is_some()
            || self.known.contains(&predicate)
            || self.known.contains(&negated)
        {
            return false;
        }
        self.known.insert(predicate);
        self.predicates.push(predicate);
        true
    }

    fn step(&mut self, engine: &mut Engine, stmt: StmtId) -> Result<Rc<StepInfo>, Halt> {
        if let Some(info) = self.steps.get(&stmt) {
            return Ok(Rc::clone(info));
        }
        let summary = engine.summary(stmt)?;
        let terms = &mut engine.cx.terms;
        let mut substitution = Substitution::new();
        for &(var, value) in &summary.updates {
            substitution.insert(terms, var, value);
        }
        let guard_vars = terms.free_vars(&[summary.guard]);
        let mut info = StepInfo {
            summary,
            after: Vec::new(),
            guarded: Vec::new(),
        };
        for &predicate in &self.predicates {
            let vars = terms.free_vars(&[predicate]);
            info.guarded
                .push(vars.iter().any(|var| guard_vars.binary_search(var).is_ok()));
            info.after.push(substitution.apply(terms, predicate));
        }
        let info = Rc::new(info);
        self.steps.insert(stmt, Rc::clone(&info));
        Ok(info)
    }

    fn compute(
        &mut self,
        engine: &mut Engine,
        from: Option<&Cube>,
        stmt: StmtId,
    ) -> Result<Vec<Cube>, Halt> {
        let info = self.step(engine, stmt)?;
        let truths = Truths::new(&mut engine.cx.terms, &self.predicates, from);
        let mut to = Cube::unknown(self.predicates.len());
        let mut open: Vec<usize> = Vec::new();
        for (i, &after) in info.after.iter().enumerate() {
            let unchanged = after == self.predicates[i];
            let truth = truths.of(&engine.cx.terms, after);
            if truth.is_some() {
                to.set(i, truth);
            } else if !unchanged || info.guarded[i] {
                open.push(i);
            }
        }
        let guard = info.summary.guard;
        match truths.of(&engine.cx.terms, guard) {
            Some(false) => return Ok(Vec::new()),
            Some(true) if open.is_empty() => return Ok(vec![to]),
            _ => {}
        }
        let mut assumptions = truths.literals;
        assumptions.push(guard);
        engine.stats.post_checks += 1;
        match engine.check(&assumptions)? {
            Answer::Unsat => return Ok(Vec::new()),
            Answer::Unknown(_) => return Ok(vec![to]),
            Answer::Sat => {}
        }
        engine.stats.queried_predicates += open.len() as u64;
        let open = decide(engine, &mut to, &open, &info.after, &mut assumptions)?;
        let exact = self.config.mode == Mode::Split || self.exact.contains(&stmt);
        if exact && !open.is_empty() {
            return self.split(engine, &to, &open, &info.after, &assumptions);
        }
        Ok(vec![to])
    }

    /// One cube for each combination of the open predicates.
    fn split(
        &self,
        engine: &mut Engine,
        to: &Cube,
        open: &[usize],
        after: &[TermId],
        assumptions: &[TermId],
    ) -> Result<Vec<Cube>, Halt> {
        engine.scoped(|engine| {
            let mut cubes = Vec::new();
            loop {
                engine.stats.post_checks += 1;
                match engine.check(assumptions)? {
                    Answer::Unsat => return Ok(cubes),
                    Answer::Sat if cubes.len() < self.config.max_split => {}
                    // Cartesian after all: the cube without the open predicates covers every combination.
                    Answer::Sat | Answer::Unknown(_) => return Ok(vec![to.clone()]),
                }
                let mut cube = to.clone();
                let mut differs = Vec::new();
                for &i in open {
                    let Some(truth) = engine.truth(after[i]) else {
                        continue;
                    };
                    cube.set(i, Some(truth));
                    differs.push(if truth {
                        engine.cx.terms.not(after[i])
                    } else {
                        after[i]
                    });
                }
                let block = engine.cx.terms.or(&differs);
                engine.solver.assert(&engine.cx.terms, block);
                cubes.push(cube);
            }
        })
    }
}

/// Settles the open predicates after a check that was satisfiable under `assumptions`: sets those that
/// can only have one value, returns those that can have both.
fn decide(
    engine: &mut Engine,
    to: &mut Cube,
    open: &[usize],
    after: &[TermId],
    assumptions: &mut Vec<TermId>,
) -> Result<Vec<usize>, Halt> {
    let first: Vec<Option<bool>> = open.iter().map(|&i| engine.truth(after[i])).collect();
    let mut both: Vec<bool> = first.iter().map(Option::is_none).collect();
    for at in 0..open.len() {
        let (i, false, Some(truth)) = (open[at], both[at], first[at]) else {
            continue;
        };
        let other = if truth {
            engine.cx.terms.not(after[i])
        } else {
            after[i]
        };
        assumptions.push(other);
        engine.stats.post_checks += 1;
        let answer = engine.check(assumptions)?;
        assumptions.pop();
        match answer {
            Answer::Unsat => to.set(i, Some(truth)),
            Answer::Unknown(_) => both[at] = true,
            Answer::Sat => {
                // This model may show other values of later predicates, too.
                for later in at..open.len() {
                    both[later] |= engine.truth(after[open[later]]) != first[later];
                }
            }
        }
    }
    Ok((0..open.len())
        .filter(|&at| both[at])
        .map(|at| open[at])
        .collect())
}

/// The predicates that are known before a step.
struct Truths {
    map: FxHashMap<TermId, bool>,
    /// The same as assumptions.
    literals: Vec<TermId>,
}

impl Truths {
    fn new(terms: &mut Terms, predicates: &[TermId], from: Option<&Cube>) -> Self {
        let mut truths = Self {
            map: FxHashMap::default(),
            literals: Vec::new(),
        };
        let Some(from) = from else { return truths };
        for (i, &predicate) in predicates.iter().enumerate() {
            if let Some(truth) = from.get(i) {
                let negated = terms.not(predicate);
                truths.map.insert(predicate, truth);
                truths.map.insert(negated, !truth);
                truths
                    .literals
                    .push(if truth { predicate } else { negated });
            }
        }
        truths
    }

    /// The truth of a term from the known predicates alone, if its Boolean structure shows it.
    fn of(&self, terms: &Terms, term: TermId) -> Option<bool> {
        if let Some(value) = terms.as_lit(term) {
            return Some(value.as_bool());
        }
        if let Some(&truth) = self.map.get(&term) {
            return Some(truth);
        }
        // Two levels are enough for labels of automata (conjunctions of literals, and disjunctions of these).
        self.junction(terms, term, 2)
    }

    fn junction(&self, terms: &Terms, term: TermId, depth: u32) -> Option<bool> {
        if let Some(value) = terms.as_lit(term) {
            return Some(value.as_bool());
        }
        if let Some(&truth) = self.map.get(&term) {
            return Some(truth);
        }
        if depth == 0 {
            return None;
        }
        let (decides, args) = match terms.head(term) {
            Head::Op(Op::And, args) => (false, args),
            Head::Op(Op::Or, args) => (true, args),
            _ => return None,
        };
        let mut all_known = true;
        for &arg in args {
            match self.junction(terms, arg, depth - 1) {
                Some(truth) if truth == decides => return Some(decides),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(!decides)
    }
}

impl Domain for Predicates {
    type State = Cube;

    fn post(
        &mut self,
        engine: &mut Engine,
        from: Option<&Cube>,
        stmt: StmtId,
        _at: LocId,
        out: &mut Vec<Cube>,
    ) -> Result<(), Halt> {
        engine.stats.posts += 1;
        let key = (stmt, from.cloned());
        if let Some(cubes) = self.posts.get(&key) {
            engine.stats.cached_posts += 1;
            out.extend_from_slice(cubes);
            return Ok(());
        }
        let cubes: Rc<[Cube]> = self.compute(engine, from, stmt)?.into();
        out.extend_from_slice(&cubes);
        self.posts.insert(key, cubes);
        Ok(())
    }

    fn refine(&mut self, engine: &mut Engine, reason: &Reason<'_>) -> bool {
        let pieces = if self.whole {
            Pieces::Whole
        } else {
            self.config.pieces
        };
        let found = match reason {
            Reason::Infeasible(learned) => learned.iter().map(|one| one.predicate).collect(),
            Reason::Variables(_) => Vec::new(),
            Reason::NotClosing { predicates, .. } => predicates.to_vec(),
        };
        let terms = &mut engine.cx.terms;
        let mut changed = false;
        for term in found {
            for piece in split_term(terms, term, pieces) {
                changed |= self.add(terms, piece);
            }
        }
        if changed {
            self.steps.clear();
            self.posts.clear();
        }
        changed
    }

    fn escalate(&mut self, stmts: &[StmtId]) -> bool {
        if !self.whole && self.config.pieces != Pieces::Whole {
            self.whole = true;
            return true;
        }
        if self.config.mode == Mode::Split {
            return false;
        }
        let before = self.exact.len();
        self.exact.extend(stmts);
        self.posts.clear();
        self.exact.len() > before
    }

    fn is_exact(&self, stmts: &[StmtId]) -> bool {
        self.config.mode == Mode::Split || stmts.iter().all(|stmt| self.exact.contains(stmt))
    }

    fn precision_size(&self) -> usize {
        self.predicates.len()
    }

    fn describe(&self, engine: &Engine, state: &Cube) -> String {
        let literal = |(i, &predicate): (usize, &TermId)| {
            let text = print_term(&engine.cx.terms, predicate, &Dialect::GCL);
            state
                .get(i)
                .map(|truth| if truth { text } else { format!("not ({text})") })
        };
        let literals: Vec<String> = self
            .predicates
            .iter()
            .enumerate()
            .filter_map(literal)
            .collect();
        if literals.is_empty() {
            "true".into()
        } else {
            literals.join(" and ")
        }
    }

    fn describe_precision(&self, engine: &Engine) -> Vec<String> {
        self.predicates
            .iter()
            .map(|&predicate| print_term(&engine.cx.terms, predicate, &Dialect::GCL))
            .collect()
    }
}

/// The predicates that an interpolant is made into.
fn split_term(terms: &Terms, term: TermId, pieces: Pieces) -> Vec<TermId> {
    match pieces {
        Pieces::Whole => vec![term],
        Pieces::Conjuncts => terms
            .as_op(term, Op::And)
            .map_or_else(|| vec![term], <[TermId]>::to_vec),
        Pieces::Atoms => atoms(terms, term),
    }
}

/// The atoms of a Boolean term: its maximal subterms without Boolean structure, in a fixed order.
pub(crate) fn atoms(terms: &Terms, root: TermId) -> Vec<TermId> {
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
                todo.extend(args.iter().rev())
            }
            _ => found.push(term),
        }
    }
    found
}
