//! A model as a machine: variables, and branches that say from which values to which others it may start and step.
//!
//! A branch is a guard and new values, over the values before and over *inputs*, which may be anything. Locations are
//! values of a variable like any other, and so is whether the last step was observed, unless the location tells that.
//! This is all that the languages of relations and circuits know of a model, so every construct of the statements
//! (sequences, choices, loops, local variables, havocs) ends here.
//!
//! Branches are alternatives: no run takes two at once. So they share their inputs.

use super::refuse;
use crate::model::Model;
use lariat_base::{Diagnostic, FxHashMap, FxHashSet};
use lariat_check::{NoSummary, Summary};
use lariat_expr::{Int, SortId, Substitution, TermId, Value, VarId};
use lariat_system::{
    Context, Edge, Fairness, PointId, Stmt, StmtId, TransitionSystem as _, Variable,
};

/// The instance of variables that are made here: models have none of it.
const MADE: u32 = u32::MAX - 1;

/// A model as branches.
#[derive(Debug)]
pub(super) struct Machine {
    /// Its name.
    pub name: String,
    /// Its variables with the values that their declarations allow.
    pub variables: Vec<Declared>,
    /// What starts may choose.
    pub start_inputs: Vec<VarId>,
    /// What steps may choose.
    pub inputs: Vec<VarId>,
    /// How runs start: each gives every variable a value, over the start inputs.
    pub starts: Vec<Branch>,
    /// How runs go on.
    pub steps: Vec<Branch>,
    /// Whether a state is a letter of the word that formulas read.
    pub observed: TermId,
    /// Whether only the states in which runs start are not observed.
    pub is_read_late: bool,
    /// Which runs are fair, in the terms of the machine.
    pub fairness: Vec<Fairness>,
    /// Where the model is, if it has several places.
    places: Option<Places>,
    /// The numbers of the places.
    points: Vec<PointId>,
}

/// A variable, and the least and the greatest of its values.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub var: VarId,
    pub range: Option<(Int, Int)>,
}

/// One way to start or to step.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    /// The name of the action.
    pub name: Option<String>,
    /// The place where it can be taken; 0 for a start.
    pub from: usize,
    /// The place where it leads.
    pub to: usize,
    /// When it can be taken there.
    pub guard: TermId,
    /// What changes.
    pub values: Vec<(VarId, TermId)>,
}

/// The variable that tells the place.
#[derive(Clone, Copy, Debug)]
struct Places {
    var: VarId,
    sort: SortId,
}

impl Machine {
    /// The machine of a model. Where that is cut off, it has no steps.
    pub fn new(cx: &mut Context, model: &mut Model) -> Result<Self, Diagnostic> {
        let graph = Graph::of(model);
        let mut building = Building::new(cx, model, &graph);
        for edge in model.initial() {
            building.start(cx, &edge)?;
        }
        for (from, edges) in graph.edges.iter().enumerate() {
            for edge in edges {
                building.step(cx, from, edge)?;
            }
        }
        Ok(building.machine)
    }

    /// Whether the model is at one of these locations of its parts.
    pub fn at(
        &self,
        cx: &mut Context,
        model: &Model,
        wanted: &[(usize, lariat_system::LocId)],
    ) -> TermId {
        let mut ways = Vec::new();
        for (place, &point) in self.points.iter().enumerate() {
            let is_wanted = |&(leaf, at): &(usize, lariat_system::LocId)| {
                model.leaf_location(point, leaf) == at
            };
            if wanted.iter().any(is_wanted) {
                ways.push(self.is_at(cx, place));
            }
        }
        cx.terms.or(&ways)
    }

    /// Whether the machine is at a place.
    pub fn is_at(&self, cx: &mut Context, place: usize) -> TermId {
        let Some(places) = &self.places else {
            return cx.terms.true_();
        };
        let here = cx.terms.var(places.var);
        let there = cx.terms.lit(Value::Enum(place as u32), places.sort);
        cx.terms.eq(here, there)
    }

    /// Lets variables start with some value whose first values nothing reads that is asked, before they get others.
    pub fn forget_dead_starts(&mut self, cx: &mut Context, asked: &[TermId]) {
        let live = self.live(cx, asked);
        for branch in &mut self.starts {
            for (var, value) in &mut branch.values {
                if !live[branch.to].contains(var) {
                    let sort = cx.terms.var_sort(*var);
                    let some = Value::some(&cx.terms.sorts, sort);
                    *value = cx.terms.lit(some, sort);
                }
            }
        }
    }

    /// The variables at each place whose values may still be read there, or later, before they get others.
    fn live(&self, cx: &Context, asked: &[TermId]) -> Vec<FxHashSet<VarId>> {
        let mut asked = asked.to_vec();
        asked.push(self.observed);
        asked.extend(
            self.fairness
                .iter()
                .flat_map(|constraint| constraint.terms()),
        );
        let mut always: FxHashSet<VarId> = cx.terms.free_vars(&asked).into_iter().collect();
        always.extend(self.place());
        let mut live = vec![always; self.n_places()];
        loop {
            let mut grows = false;
            for branch in &self.steps {
                let after = &live[branch.to];
                let mut read = vec![branch.guard];
                let kept = branch.values.iter().filter(|(var, _)| after.contains(var));
                read.extend(kept.map(|&(_, value)| value));
                let mut before: Vec<VarId> = cx.terms.free_vars(&read);
                let is_changed = |var: &VarId| branch.values.iter().any(|value| value.0 == *var);
                before.extend(after.iter().copied().filter(|var| !is_changed(var)));
                for var in before {
                    grows |= live[branch.from].insert(var);
                }
            }
            if !grows {
                return live;
            }
        }
    }

    /// The variable that tells the place.
    pub fn place(&self) -> Option<VarId> {
        self.places.map(|places| places.var)
    }

    /// How many places there are.
    pub fn n_places(&self) -> usize {
        self.points.len()
    }
}

/// A new variable that no model has.
pub(super) fn made(cx: &mut Context, name: &str, sort: SortId) -> VarId {
    cx.terms.declare_instance(name, sort, MADE)
}

/// The places that can be reached, and the steps from each.
struct Graph {
    points: Vec<PointId>,
    numbers: FxHashMap<PointId, usize>,
    edges: Vec<Vec<Edge<PointId>>>,
}

impl Graph {
    fn of(model: &mut Model) -> Self {
        let mut graph = Self {
            points: Vec::new(),
            numbers: FxHashMap::default(),
            edges: Vec::new(),
        };
        for edge in model.initial() {
            graph.add(edge.target);
        }
        while graph.edges.len() < graph.points.len() {
            let edges = model.edges(graph.points[graph.edges.len()]);
            for edge in &edges {
                graph.add(edge.target);
            }
            graph.edges.push(edges);
        }
        graph
    }

    fn add(&mut self, point: PointId) {
        let next = self.points.len();
        if *self.numbers.entry(point).or_insert(next) == next {
            self.points.push(point);
        }
    }

    /// Whether entering each place is observed, if that does not depend on the step.
    fn observed(&self, model: &Model) -> Option<Vec<bool>> {
        let initial = model.initial();
        let mut observed: Vec<Option<bool>> = vec![None; self.points.len()];
        for edge in initial.iter().chain(self.edges.iter().flatten()) {
            let known = &mut observed[self.numbers[&edge.target]];
            if known.is_some_and(|known| known != edge.observed) {
                return None;
            }
            *known = Some(edge.observed);
        }
        Some(
            observed
                .into_iter()
                .map(|known| known == Some(true))
                .collect(),
        )
    }
}

struct Building<'a> {
    machine: Machine,
    graph: &'a Graph,
    /// The variables of the model itself.
    own: Vec<Variable>,
    /// Tells whether the last step was observed, where the place does not.
    flag: Option<VarId>,
}

impl<'a> Building<'a> {
    fn new(cx: &mut Context, model: &Model, graph: &'a Graph) -> Self {
        let own = model.variables().to_vec();
        // A variable that several models share may leave the range that one of them declares.
        let is_single = model.systems.len() == 1;
        let mut variables: Vec<Declared> = own
            .iter()
            .map(|variable| Declared {
                var: variable.var,
                range: variable.range.clone().filter(|_| is_single),
            })
            .collect();
        let places = (graph.points.len() > 1).then(|| places(cx, model, &graph.points));
        let plain = |var| Declared { var, range: None };
        variables.extend(places.map(|places| plain(places.var)));
        let mut machine = Machine {
            name: model.systems[0].name.to_string(),
            variables,
            start_inputs: Vec::new(),
            inputs: Vec::new(),
            starts: Vec::new(),
            steps: Vec::new(),
            observed: cx.terms.true_(),
            is_read_late: false,
            fairness: Vec::new(),
            places,
            points: graph.points.clone(),
        };
        let mut flag = None;
        match graph.observed(model) {
            Some(observed) if observed.iter().all(|&observed| observed) => {}
            Some(observed) => {
                let seen = observed
                    .iter()
                    .enumerate()
                    .filter(|&(_, &observed)| observed);
                let seen = seen.map(|(place, _)| machine.is_at(cx, place));
                let seen: Vec<TermId> = seen.collect();
                machine.observed = cx.terms.or(&seen);
            }
            None => {
                let sort = cx.terms.sorts.bool();
                let var = made(cx, "observed", sort);
                machine.variables.push(plain(var));
                machine.observed = cx.terms.var(var);
                flag = Some(var);
            }
        }
        for constraint in model.fairness() {
            let seen = |term| cx.terms.and(&[machine.observed, term]);
            machine.fairness.push(constraint.map(seen));
        }
        let is_seldom = machine.observed != cx.terms.true_();
        let is_always = graph.edges.iter().flatten().all(|edge| edge.observed);
        machine.is_read_late = is_always && model.initial().iter().all(|edge| !edge.observed);
        if is_seldom && !is_always {
            // A run that is not read any more has no word.
            machine.fairness.push(Fairness::Justice(machine.observed));
        }
        Self {
            machine,
            graph,
            own,
            flag,
        }
    }

    fn start(&mut self, cx: &mut Context, edge: &Edge<PointId>) -> Result<(), Diagnostic> {
        for stmt in alternatives(cx, edge.stmt) {
            let summary = self.summary(cx, stmt)?;
            let mut put = pooled(cx, &summary, "start", &mut self.machine.start_inputs);
            let mut terms = vec![summary.guard];
            terms.extend(summary.updates.iter().map(|update| update.1));
            let read = cx.terms.free_vars(&terms);
            let mut values = Vec::new();
            for variable in &self.own {
                let update = summary.update(variable.var);
                let decl = cx.terms.decl(variable.var).clone();
                let mut before = None;
                if update.is_none() || read.binary_search(&variable.var).is_ok() {
                    let input = made(cx, &format!("first {}", decl.name), decl.sort);
                    if !self.machine.start_inputs.contains(&input) {
                        self.machine.start_inputs.push(input);
                    }
                    let input = cx.terms.var(input);
                    put.insert(&mut cx.terms, variable.var, input);
                    before = Some(input);
                }
                values.push((variable.var, update.or(before)));
            }
            let value = |(var, value): (VarId, Option<TermId>)| {
                let value = value.expect("a variable is given a value or has one before");
                (var, value)
            };
            let values: Vec<(VarId, TermId)> = values.into_iter().map(value).collect();
            let branch = self.branch(cx, edge, 0, (summary.guard, &values), &mut put);
            self.machine.starts.push(branch);
        }
        Ok(())
    }

    fn step(
        &mut self,
        cx: &mut Context,
        from: usize,
        edge: &Edge<PointId>,
    ) -> Result<(), Diagnostic> {
        for stmt in alternatives(cx, edge.stmt) {
            let summary = self.summary(cx, stmt)?;
            let mut put = pooled(cx, &summary, "input", &mut self.machine.inputs);
            let effect = (summary.guard, &summary.updates[..]);
            let branch = self.branch(cx, edge, from, effect, &mut put);
            if branch.guard != cx.terms.false_() {
                self.machine.steps.push(branch);
            }
        }
        Ok(())
    }

    fn branch(
        &self,
        cx: &mut Context,
        edge: &Edge<PointId>,
        from: usize,
        (guard, values): (TermId, &[(VarId, TermId)]),
        put: &mut Substitution,
    ) -> Branch {
        let mut put_in = |term| put.apply(&mut cx.terms, term);
        let guard = put_in(guard);
        let mut values: Vec<(VarId, TermId)> = values
            .iter()
            .map(|&(var, value)| (var, put_in(value)))
            .collect();
        if let Some(places) = &self.machine.places {
            let target = self.graph.numbers[&edge.target] as u32;
            let target = cx.terms.lit(Value::Enum(target), places.sort);
            values.push((places.var, target));
        }
        values.extend(self.flag.map(|flag| (flag, cx.terms.bool(edge.observed))));
        Branch {
            name: edge.name.map(|name| cx.names[name].to_string()),
            from,
            to: self.graph.numbers[&edge.target],
            guard,
            values,
        }
    }

    fn summary(&self, cx: &mut Context, stmt: StmtId) -> Result<Summary, Diagnostic> {
        let is_variable = |var: VarId| self.own.iter().any(|variable| variable.var == var);
        Summary::new(cx, &is_variable, stmt).map_err(|why| {
            let (message, stmt) = match why {
                NoSummary::LoopBounds(stmt) => {
                    ("has a loop whose bounds depend on the state", stmt)
                }
                NoSummary::LongLoop(stmt) => ("has a loop with too many rounds", stmt),
            };
            let finding = refuse(message);
            match cx.stmts.span(stmt) {
                Some(span) => finding.at(span),
                None => finding,
            }
        })
    }
}

/// The variable that tells the place.
fn places(cx: &mut Context, model: &Model, points: &[PointId]) -> Places {
    let mut names: Vec<String> = Vec::new();
    for &point in points {
        let mut name = model.location_name(point);
        while names.contains(&name) {
            name.push('\'');
        }
        names.push(name);
    }
    let sort = cx.terms.sorts.enumeration("location", names);
    let var = made(cx, "location", sort);
    Places { var, sort }
}

/// The alternatives that a statement consists of as a whole.
fn alternatives(cx: &Context, stmt: StmtId) -> Vec<StmtId> {
    let (mut found, mut todo) = (Vec::new(), vec![stmt]);
    while let Some(stmt) = todo.pop() {
        match cx.stmts.get(stmt) {
            Stmt::Choice(list) => todo.extend(cx.stmts.items(list).iter().rev()),
            Stmt::Seq(list) if cx.stmts.items(list).len() == 1 => {
                todo.push(cx.stmts.items(list)[0]);
            }
            _ => found.push(stmt),
        }
    }
    found
}

/// Puts shared inputs for what a summary chooses: the first of each sort for the first choice of that sort, and so on.
fn pooled(
    cx: &mut Context,
    summary: &Summary,
    name: &str,
    inputs: &mut Vec<VarId>,
) -> Substitution {
    let mut put = Substitution::new();
    let mut used: FxHashMap<SortId, usize> = FxHashMap::default();
    for &chosen in &summary.auxiliary {
        let sort = cx.terms.var_sort(chosen);
        let n_used = used.entry(sort).or_default();
        let mut alike = inputs.iter().copied();
        let mut alike = alike.by_ref().filter(|&input| {
            cx.terms.var_sort(input) == sort && cx.terms.name(input).starts_with(name)
        });
        let input = alike.nth(*n_used);
        *n_used += 1;
        let input = input.unwrap_or_else(|| {
            let input = made(cx, &format!("{name}{}", inputs.len()), sort);
            inputs.push(input);
            input
        });
        let input = cx.terms.var(input);
        put.insert(&mut cx.terms, chosen, input);
    }
    put
}
