//! The abstraction of a model by predicates, as a finite graph of its own: what one can look at, print and check again.
//!
//! A node is a structural state with a truth value for each predicate. Its arcs are the *may* steps, those that some concrete
//! state of the class has, and among them the *must* steps, those that every one has (`must.rs`). The successors are those
//! of the domain `pred-split`; where the solver gives up on a predicate both of its values follow.
//!
//! Formulas read observed states only, so only these are nodes in the end: a step from one observed state to
//! the next may pass others, and leads wherever a path through them does. The graph without acceptance and fairness has more runs
//! than the model: what holds on it holds on the model.

use crate::domain::{Domain, Locality, Mode, PredicateConfig, Predicates, Region};
use crate::must::must_step;
use crate::session::{Halt, Session};
use crate::verdict::Unknown;
use lariat_base::{Budget, FxHashMap, FxHashSet, Id, Interner, id_type};
use lariat_expr::TermId;
use lariat_smt::{Answer, Backend};
use lariat_system::{Context, NameId, PointId, StmtId, TransitionSystem};

id_type!(
    /// A node of an abstraction.
    pub struct ClassId, "c"
);

/// The most predicates.
const MAX_PREDICATES: usize = 16;
/// The most nodes.
const MAX_NODES: usize = 20_000;

/// A class of states.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    /// Where the model is.
    pub at: PointId,
    /// Which predicates are true.
    pub truths: Vec<bool>,
}

/// A step between classes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AbstractStep {
    /// From.
    pub from: ClassId,
    /// To.
    pub to: ClassId,
    /// The action, if it is a single one that has a name.
    pub name: Option<NameId>,
    /// Whether every concrete state of the class has such a step.
    pub is_must: bool,
}

/// A model as its predicates see it.
#[derive(Clone, Debug)]
pub struct BooleanAbstraction {
    /// The predicates.
    pub predicates: Vec<TermId>,
    /// The classes of observed states that runs can come to.
    pub classes: Vec<Class>,
    /// Those in which runs may start, and whether a concrete run does.
    pub initial: Vec<(ClassId, bool)>,
    /// The steps, by their sources.
    pub steps: Vec<AbstractStep>,
}

impl BooleanAbstraction {
    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// Whether may and must are the same: the classes tell all about what can be done from them.
    pub fn is_exact(&self) -> bool {
        self.steps.iter().all(|step| step.is_must)
            && self.initial.iter().all(|&(_, is_must)| is_must)
    }
}

/// A smaller set of predicates that tells the same: no constants, none twice, none with its negation.
fn distinct(cx: &mut Context, predicates: &[TermId]) -> Vec<TermId> {
    let mut kept: Vec<TermId> = Vec::new();
    for &predicate in predicates {
        let negated = cx.terms.not(predicate);
        let is_new = !kept.contains(&predicate) && !kept.contains(&negated);
        if is_new && cx.terms.as_lit(predicate).is_none() {
            kept.push(predicate);
        }
    }
    kept
}

/// The abstraction of a system by predicates; those that tell nothing new are left out.
pub fn abstract_by_predicates(
    cx: &mut Context,
    system: &mut dyn TransitionSystem,
    predicates: &[TermId],
    solver: Box<dyn Backend>,
    budget: &Budget,
) -> Result<BooleanAbstraction, Unknown> {
    let predicates = &distinct(cx, predicates)[..];
    if predicates.len() > MAX_PREDICATES {
        let why = format!("an abstraction by more than {MAX_PREDICATES} predicates");
        return Err(Unknown::Unsupported(why));
    }
    let variables = system.variables().to_vec();
    let session = Session::new(cx, solver, &variables, budget);
    let config = PredicateConfig {
        mode: Mode::Split,
        max_split: 1 << 14,
        ..PredicateConfig::default()
    };
    let terms = &mut session.cx.terms;
    let domain = Predicates::new(terms, config, Locality::Global, predicates);
    let mut maker = Maker {
        session,
        system,
        domain,
        predicates,
        nodes: Interner::new(),
        rows: Vec::new(),
    };
    let made = maker.explore();
    let initial = made.map_err(|Halt(why)| why)?;
    Ok(maker.observed(&initial))
}

id_type!(
    /// A class, and whether it was observed.
    struct RawId, "r"
);

/// A step to a node by a named action, and whether it is a must step.
type RawStep = (RawId, Option<NameId>, bool);

struct Maker<'m, 'c> {
    session: Session<'c>,
    system: &'m mut dyn TransitionSystem,
    domain: Predicates,
    predicates: &'m [TermId],
    nodes: Interner<RawId, (Class, bool)>,
    rows: Vec<Vec<RawStep>>,
}

impl Maker<'_, '_> {
    /// Explores everything; returns where runs start.
    fn explore(&mut self) -> Result<Vec<RawStep>, Halt> {
        let mut initial = Vec::new();
        for edge in self.system.initial() {
            for (class, observed) in self.follow(None, edge.stmt, (edge.target, edge.observed))? {
                let is_must = self.starts(edge.stmt, &class)?;
                let node = self.nodes.intern((class, observed));
                initial.push((node, edge.name, is_must));
            }
        }
        while self.rows.len() < self.nodes.len() {
            self.session.budget.check()?;
            if self.nodes.len() > MAX_NODES {
                let why = format!("an abstraction with more than {MAX_NODES} classes");
                return Err(Halt(Unknown::Unsupported(why)));
            }
            let node = RawId::from_index(self.rows.len());
            let (class, _) = self.nodes[node].clone();
            let source = self.formula(&class.truths);
            let mut row = Vec::new();
            for edge in self.system.edges(class.at) {
                let to = (edge.target, edge.observed);
                for (target, observed) in self.follow(Some(&class), edge.stmt, to)? {
                    let goal = self.formula(&target.truths);
                    let is_must = must_step(&mut self.session, source, edge.stmt, &[goal])?;
                    let target = self.nodes.intern((target, observed));
                    row.push((target, edge.name, is_must));
                }
            }
            self.rows.push(row);
        }
        Ok(initial)
    }

    /// The classes that a statement may lead to.
    fn follow(
        &mut self,
        from: Option<&Class>,
        stmt: StmtId,
        (at, observed): (PointId, bool),
    ) -> Result<Vec<(Class, bool)>, Halt> {
        let from = from.map(|class| Region::of_truths(&class.truths));
        let mut regions = Vec::new();
        let session = &mut self.session;
        self.domain
            .post(session, from.as_ref(), stmt, at, &mut regions)?;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for region in regions {
            for truths in region.combinations(self.predicates.len()) {
                if seen.insert(truths.clone()) {
                    found.push((Class { at, truths }, observed));
                }
            }
        }
        Ok(found)
    }

    /// Whether a run starts in a class by a statement.
    fn starts(&mut self, stmt: StmtId, class: &Class) -> Result<bool, Halt> {
        let summary = self.session.summary(stmt)?;
        let formula = self.formula(&class.truths);
        let mut all = summary.after(&mut self.session.cx.terms, &[formula]);
        all.push(summary.guard);
        Ok(self.session.check(&all)? == Answer::Sat)
    }

    fn formula(&mut self, truths: &[bool]) -> TermId {
        let terms = &mut self.session.cx.terms;
        let literal = |(&predicate, &truth): (&TermId, &bool)| {
            if truth {
                predicate
            } else {
                terms.not(predicate)
            }
        };
        let literals: Vec<TermId> = self.predicates.iter().zip(truths).map(literal).collect();
        terms.and(&literals)
    }

    /// The graph of the observed nodes.
    fn observed(&self, initial: &[RawStep]) -> BooleanAbstraction {
        let mut made = BooleanAbstraction {
            predicates: self.predicates.to_vec(),
            classes: Vec::new(),
            initial: Vec::new(),
            steps: Vec::new(),
        };
        let mut numbers: FxHashMap<RawId, ClassId> = FxHashMap::default();
        let mut met: Vec<RawId> = Vec::new();
        let mut number = |node: RawId, met: &mut Vec<RawId>| {
            let next = ClassId::from_index(met.len());
            *numbers.entry(node).or_insert_with(|| {
                met.push(node);
                next
            })
        };
        for (node, _, is_must) in self.passed(initial) {
            let id = number(node, &mut met);
            match made.initial.iter_mut().find(|(other, _)| *other == id) {
                Some((_, known)) => *known |= is_must,
                None => made.initial.push((id, is_must)),
            }
        }
        let mut next = 0;
        while let Some(&node) = met.get(next) {
            let from = ClassId::from_index(next);
            next += 1;
            for (target, name, is_must) in self.passed(&self.rows[node.index()]) {
                let to = number(target, &mut met);
                let same =
                    |step: &&mut AbstractStep| (step.from, step.to, step.name) == (from, to, name);
                match made
                    .steps
                    .iter_mut()
                    .rev()
                    .take_while(|s| s.from == from)
                    .find(same)
                {
                    Some(known) => known.is_must |= is_must,
                    None => made.steps.push(AbstractStep {
                        from,
                        to,
                        name,
                        is_must,
                    }),
                }
            }
        }
        made.classes = met.iter().map(|&node| self.nodes[node].0.clone()).collect();
        made
    }

    /// Where some steps lead when nodes that are not observed are passed through. A path of must steps is one.
    fn passed(&self, steps: &[RawStep]) -> Vec<RawStep> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<RawStep> = FxHashSet::default();
        let mut todo: Vec<RawStep> = steps.iter().rev().copied().collect();
        while let Some((node, name, is_must)) = todo.pop() {
            if !seen.insert((node, name, is_must)) {
                continue;
            }
            if self.nodes[node].1 {
                found.push((node, name, is_must));
                continue;
            }
            let row = self.rows[node.index()].iter().rev();
            todo.extend(row.map(|&(to, own, must)| (to, name.or(own), is_must && must)));
        }
        found
    }
}

/// Combinations of truth values as few cubes: what each predicate is in all combinations of a cube, or nothing.
pub fn merge_truths(combinations: &[Vec<bool>]) -> Vec<Vec<Option<bool>>> {
    let n = combinations.first().map_or(0, Vec::len);
    let region = Region::of_combinations(combinations, n);
    let cubes = region.iter().flat_map(Region::cubes);
    cubes
        .map(|cube| (0..n).map(|i| cube.get(i)).collect())
        .collect()
}
