//! Checks symmetries: a permutation is applied to all that a problem is, and what comes out must be the same.
//!
//! The portrait of a problem is its initial cases, the cases of each location of each model, and the terms that are read. A
//! permutation acts on it as a substitution: of variables, of inputs, and of literals, also inside of array literals. Every
//! operator commutes with it: none sees more of the literals of an enumeration than which are equal. So the value of a permuted term in a
//! permuted state is the permuted value, and equal portraits mean equal sets of initial states and of steps.

use super::family::Family;
use super::normal::{Case, Cases};
use super::read_terms;
use crate::{Goal, Problem};
use lariat_base::{FxHashMap, FxHashSet};
use lariat_expr::{ArrayValue, Head, SortId, Sorts, Substitution, TermId, Value, VarId};
use lariat_system::{
    Context, Edge, Fairness, LocId, PointId, TransitionSystem, Variable, reachable_locations,
};
use std::sync::Arc;

/// Models with more locations are not looked at.
const MAX_LOCATIONS: usize = 1 << 14;

/// Steps to one place.
type Steps = FxHashSet<(Case, PointId, bool)>;

/// All that a problem is.
pub(super) struct Portrait {
    variables: Vec<Variable>,
    initial: Steps,
    /// For each model the steps of its locations.
    models: Vec<FxHashMap<PointId, Steps>>,
    inputs: Vec<(VarId, (VarId, u32))>,
    /// The literals that occur anywhere, if they are of an enumeration or an array.
    literals: Vec<TermId>,
    /// What must be mapped to itself.
    read: Vec<TermId>,
    fairness: Vec<Fairness>,
    bad: Vec<(usize, LocId)>,
}

impl Portrait {
    /// The portrait of a problem; nothing if that would be too large.
    pub fn new(cx: &mut Context, problem: &mut Problem) -> Option<Self> {
        let system = &mut *problem.system;
        let variables = system.variables().to_vec();
        let mut cases = Cases::new(cx, variables.iter().map(|variable| variable.var));
        let initial = steps(cx, &mut cases, &system.initial())?;
        let mut models = Vec::new();
        let n_models = system.n_leaves();
        for model in 0..n_models {
            models.push(match system.component(model) {
                Some(component) => rows(cx, &mut cases, component)?,
                None if n_models == 1 => rows(cx, &mut cases, system)?,
                None => return None,
            });
        }
        let fairness = match &problem.goal {
            Goal::Accept { .. } => system.fairness().to_vec(),
            Goal::Reach(_) => Vec::new(),
        };
        let bad = match &problem.goal {
            Goal::Reach(bad) => bad.at.clone(),
            Goal::Accept { .. } => Vec::new(),
        };
        let mut inputs: Vec<_> = cases.inputs.into_iter().collect();
        inputs.sort_unstable();
        let mut portrait = Self {
            variables,
            initial,
            models,
            inputs,
            literals: Vec::new(),
            read: read_terms(&problem.goal),
            fairness,
            bad,
        };
        portrait.literals = portrait.find_literals(cx);
        Some(portrait)
    }

    fn find_literals(&self, cx: &Context) -> Vec<TermId> {
        let mut roots = self.read.clone();
        roots.extend(self.variables.iter().filter_map(|v| v.initial));
        roots.extend(self.fairness.iter().flat_map(|fair| fair.terms()));
        let rows = self.models.iter().flat_map(FxHashMap::values);
        for (case, _, _) in rows.chain([&self.initial]).flatten() {
            roots.push(case.guard);
            roots.extend(case.updates.iter().map(|(_, value)| *value));
        }
        roots.sort_unstable();
        roots.dedup();
        let mut literals = cx.terms.subterms(&roots);
        let is_literal = |term: &TermId| {
            let head = cx.terms.head(*term);
            matches!(head, Head::Lit(Value::Enum(_) | Value::Array(_)))
        };
        literals.retain(is_literal);
        literals
    }

    /// Whether a permutation of the copies of a family is a symmetry.
    pub fn is_kept_by(
        &self,
        cx: &mut Context,
        problem: &mut Problem,
        family: &Family,
        permutation: &[usize],
    ) -> bool {
        let mut image = self.image(cx, family, permutation);
        // What is read is small and tells most copies apart that can be told apart.
        let mut terms = self.read.clone();
        terms.extend(self.fairness.iter().flat_map(|fair| fair.terms()));
        let keeps_terms = terms.iter().all(|&term| image.term(cx, term) == term);
        let leaf = |leaf: usize| image.leaves[leaf];
        let mut bad = self.bad.iter();
        keeps_terms
            && bad.all(|&(at, loc)| self.bad.contains(&(leaf(at), loc)))
            && self.keeps_variables(cx, &mut image)
            && self.keeps_start(cx, problem, &mut image)
            && self.keeps_steps(cx, &mut image)
    }

    fn keeps_variables(&self, cx: &mut Context, image: &mut Image) -> bool {
        let by_var: FxHashMap<VarId, &Variable> =
            self.variables.iter().map(|v| (v.var, v)).collect();
        self.variables.iter().all(|variable| {
            let other = by_var[&image.var(variable.var)];
            let initial = variable.initial.map(|initial| image.term(cx, initial));
            (initial, &variable.range) == (other.initial, &other.range)
        })
    }

    fn keeps_start(&self, cx: &mut Context, problem: &mut Problem, image: &mut Image) -> bool {
        // A composition takes the place of one of its models at each place of the order.
        let mut order: Vec<usize> = (0..image.leaves.len()).collect();
        for (from, &to) in image.leaves.iter().enumerate() {
            order[to] = from;
        }
        let is_moved = order.iter().enumerate().any(|(to, from)| to != *from);
        self.initial.iter().all(|(case, target, observed)| {
            let target = if is_moved {
                problem.system.rearranged(*target, &order)
            } else {
                Some(*target)
            };
            let case = image.case(cx, case);
            target.is_some_and(|target| self.initial.contains(&(case, target, *observed)))
        })
    }

    /// The number of cases is the same on both sides, and different cases have different images: so one inclusion is enough.
    fn keeps_steps(&self, cx: &mut Context, image: &mut Image) -> bool {
        for (from, rows) in self.models.iter().enumerate() {
            let images = &self.models[image.leaves[from]];
            if rows.len() != images.len() {
                return false;
            }
            for (at, steps) in rows {
                let Some(others) = images.get(at).filter(|other| other.len() == steps.len()) else {
                    return false;
                };
                let is_there = |(case, target, observed): &(Case, PointId, bool)| {
                    others.contains(&(image.case(cx, case), *target, *observed))
                };
                if !steps.iter().all(is_there) {
                    return false;
                }
            }
        }
        true
    }

    /// What a permutation does to terms.
    fn image(&self, cx: &mut Context, family: &Family, permutation: &[usize]) -> Image {
        let mut vars: FxHashMap<VarId, VarId> = FxHashMap::default();
        let mut literals: FxHashMap<(SortId, u32), u32> = FxHashMap::default();
        let mut leaves: Vec<usize> = (0..self.models.len()).collect();
        let copies = family.copies();
        for (from, &to) in permutation.iter().enumerate() {
            let (from, to) = (&copies[from], &copies[to]);
            for (&own, &other) in from.variables.iter().zip(&to.variables) {
                vars.insert(self.variables[own].var, self.variables[other].var);
            }
            for (&own, &(_, other)) in from.literals.iter().zip(&to.literals) {
                literals.insert(own, other);
            }
            if let (Some(own), Some(other)) = (from.leaf, to.leaf) {
                leaves[own] = other;
            }
        }
        let mut substitution = Substitution::new();
        for (&from, &to) in &vars {
            let to = cx.terms.var(to);
            substitution.insert(&mut cx.terms, from, to);
        }
        for &(input, (of, n)) in &self.inputs {
            if let Some(&other) = vars.get(&of) {
                let other = Cases::input(cx, other, n);
                let other = cx.terms.var(other);
                substitution.insert(&mut cx.terms, input, other);
            }
        }
        if !literals.is_empty() {
            for &literal in &self.literals {
                let (sort, value) = (cx.terms.sort(literal), cx.terms.as_lit(literal));
                let value = value.expect("it is a literal");
                let value = permuted(&cx.terms.sorts, &literals, sort, value);
                let other = cx.terms.lit(value, sort);
                substitution.replace(&cx.terms, literal, other);
            }
        }
        Image {
            vars,
            substitution,
            leaves,
        }
    }
}

/// A permutation of what a portrait is made of.
struct Image {
    vars: FxHashMap<VarId, VarId>,
    substitution: Substitution,
    leaves: Vec<usize>,
}

impl Image {
    fn var(&self, var: VarId) -> VarId {
        self.vars.get(&var).copied().unwrap_or(var)
    }

    fn term(&mut self, cx: &mut Context, term: TermId) -> TermId {
        self.substitution.apply(&mut cx.terms, term)
    }

    fn case(&mut self, cx: &mut Context, case: &Case) -> Case {
        let mut updates = Vec::with_capacity(case.updates.len());
        for &(var, value) in &case.updates {
            updates.push((self.var(var), self.term(cx, value)));
        }
        updates.sort_unstable();
        Case {
            guard: self.term(cx, case.guard),
            updates,
        }
    }
}

/// The steps of all locations of a model.
fn rows(
    cx: &mut Context,
    cases: &mut Cases,
    model: &mut dyn TransitionSystem,
) -> Option<FxHashMap<PointId, Steps>> {
    let locations = reachable_locations(model, MAX_LOCATIONS);
    if locations.len() >= MAX_LOCATIONS {
        return None;
    }
    let mut rows = FxHashMap::default();
    for at in locations {
        let edges = model.edges(at);
        rows.insert(at, steps(cx, cases, &edges)?);
    }
    Some(rows)
}

fn steps(cx: &mut Context, cases: &mut Cases, edges: &[Edge<PointId>]) -> Option<Steps> {
    let mut steps = Steps::default();
    for edge in edges {
        let cases = cases.of(cx, edge.stmt)?;
        steps.extend(
            cases
                .into_iter()
                .map(|case| (case, edge.target, edge.observed)),
        );
    }
    Some(steps)
}

/// A value with the literals in it permuted.
///
/// The recursion follows the nesting of the sort.
pub(crate) fn permuted(
    sorts: &Sorts,
    literals: &FxHashMap<(SortId, u32), u32>,
    sort: SortId,
    value: &Value,
) -> Value {
    match value {
        Value::Enum(literal) => {
            let other = literals.get(&(sort, *literal));
            Value::Enum(other.copied().unwrap_or(*literal))
        }
        Value::Array(map) => {
            let Some((index, element)) = sorts.as_array(sort) else {
                return value.clone();
            };
            let of = |sort: SortId, value: &Value| permuted(sorts, literals, sort, value);
            let base = ArrayValue::constant(of(element, map.default_value()));
            // What is kept as an exception depends on the first index, which may be another one afterwards.
            let entries: Vec<(Value, Value)> = match sorts.as_enum(index) {
                Some(decl) => (0..decl.literals.len() as u32)
                    .map(|literal| {
                        let at = Value::Enum(literal);
                        (of(index, &at), of(element, map.get(&at)))
                    })
                    .collect(),
                None => map
                    .entries()
                    .map(|(at, value)| (of(index, at), of(element, value)))
                    .collect(),
            };
            Value::Array(Arc::new(base.with_all(sorts, index, entries)))
        }
        Value::Bool(_) | Value::Int(_) | Value::Rat(_) | Value::Bv(_) => value.clone(),
    }
}
