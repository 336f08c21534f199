//! Finds values for havocs that cannot be tried one by one.
//!
//! A statement is executed with a symbol for each havoc of a large sort; branches fork the path,
//! assumptions become constraints over the symbols. Equations are solved as they appear (`x' = x + 1`
//! gives `x'` its value at once), disjunctions fork, bounded integers are enumerated, and what is
//! left unbounded is sampled, which is reported. This is no solver: it is what lets a person simulate
//! a model and what makes finite models finite, without one. Solutions are executed afterwards.

use crate::run::exec::Decision;
use crate::run::layers::Layers;
use crate::run::successors::{Incomplete, Limits, Meter};
use crate::run::symbols::{Bounds, bounds_of, sample, solve_equation};
use crate::{Context, State, Stmt, StmtId, StmtList, Variable};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, SortId, Substitution, TermId, Terms, Value, VarId};

/// What the name of a symbol starts with; the rest is the name of the variable that it stands for.
pub(crate) const SYMBOL: char = '?';

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Decisions that are likely to execute.
    pub solutions: Vec<Vec<Decision>>,
    /// Whether there may be more.
    pub more: Option<Incomplete>,
}

/// Runs `stmt` from `before` symbolically.
pub(crate) fn search(
    cx: &mut Context,
    stmt: StmtId,
    variables: &[Variable],
    before: Option<&State>,
    limits: &Limits,
) -> Search {
    let mut values = Layers::default();
    for (variable, value) in variables
        .iter()
        .zip(before.map_or(&[][..], |state| &state.values))
    {
        let sort = cx.terms.var_sort(variable.var);
        values.insert(variable.var, cx.terms.lit(value.clone(), sort));
    }
    let first = Path {
        todo: vec![Task::Stmt(stmt)],
        values,
        ..Path::default()
    };
    let mut searcher = Searcher {
        cx,
        limits,
        found: Search::default(),
        paths: vec![first],
        meter: Meter::default(),
        work: 0,
    };
    searcher.run();
    searcher.found
}

#[derive(Clone, Debug, Default)]
struct Path {
    todo: Vec<Task>,
    /// The value of each variable as a term over symbols.
    values: Layers<VarId, TermId>,
    /// What must hold, over symbols without a value.
    constraints: Vec<TermId>,
    /// The values of symbols, over symbols without a value.
    bound: FxHashMap<VarId, TermId>,
    decisions: Vec<Pending>,
    n_symbols: u32,
}

#[derive(Clone, Debug)]
enum Task {
    Stmt(StmtId),
    /// The rest of a sequence, from here on.
    Rest(StmtList, u32),
    Loop(Int, Int, VarId, StmtId),
}

#[derive(Clone, Debug)]
enum Pending {
    Branch(u32),
    Symbol(VarId),
}

/// The path cannot be executed.
struct Dead;

struct Searcher<'a> {
    cx: &'a mut Context,
    limits: &'a Limits,
    found: Search,
    paths: Vec<Path>,
    meter: Meter,
    /// Subterms that were looked at and not counted yet.
    work: u64,
}

/// The work of going on with a path, apart from its constraints.
const CASE: u64 = 50;

impl Searcher<'_> {
    fn run(&mut self) {
        let mut fuel = self.limits.cases;
        while let Some(mut path) = self.paths.pop() {
            // Constraints are rewritten as values become known.
            let work = CASE + path.constraints.len() as u64;
            if fuel == 0 || self.meter.spends(self.limits, work) {
                self.found.more = Some(Incomplete::Cases);
                return;
            }
            fuel -= 1;
            if self.execute(&mut path).is_ok() && !self.split(&path) {
                self.finish(path);
            }
        }
    }

    /// Runs the path to its end or to its next fork; a fork is pushed and the rest goes on later.
    fn execute(&mut self, path: &mut Path) -> Result<(), Dead> {
        let mut fuel = self.limits.cases;
        while let Some(task) = path.todo.pop() {
            if let Task::Rest(list, at) = task {
                if let Some(&stmt) = self.cx.stmts.items(list).get(at as usize) {
                    path.todo.push(Task::Rest(list, at + 1));
                    path.todo.push(Task::Stmt(stmt));
                }
                continue;
            }
            if fuel == 0 {
                self.found.more = Some(Incomplete::TooLong);
                return Err(Dead);
            }
            fuel -= 1;
            match task {
                Task::Stmt(stmt) => self.step(path, stmt)?,
                Task::Loop(at, end, var, body) if at < end => {
                    let term = self.cx.terms.int(at.clone());
                    path.values.insert(var, term);
                    path.todo.push(Task::Loop(&at + &Int::ONE, end, var, body));
                    path.todo.push(Task::Stmt(body));
                }
                Task::Loop(..) | Task::Rest(..) => {}
            }
        }
        path.values.freeze();
        Ok(())
    }

    fn step(&mut self, path: &mut Path, stmt: StmtId) -> Result<(), Dead> {
        match self.cx.stmts.get(stmt) {
            Stmt::Assume(term) => {
                let term = self.value(path, term);
                self.assume(path, term)?;
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let term = self.value(path, term);
                path.values.insert(var, term);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                path.n_symbols += 1;
                let sort = self.cx.terms.var_sort(var);
                // The symbol is named after its variable, so that a report can tell which it was.
                let name = format!("{SYMBOL}{}", self.cx.terms.name(var));
                let symbol = self.cx.terms.declare_instance(&name, sort, path.n_symbols);
                let term = self.cx.terms.var(symbol);
                path.values.insert(var, term);
                path.decisions.push(Pending::Symbol(symbol));
            }
            Stmt::Seq(list) => path.todo.push(Task::Rest(list, 0)),
            Stmt::Choice(list) => {
                path.values.freeze();
                let branches = self.cx.stmts.items(list);
                for (i, &branch) in branches.iter().enumerate().rev() {
                    let mut fork = path.clone();
                    fork.decisions.push(Pending::Branch(i as u32));
                    fork.todo.push(Task::Stmt(branch));
                    self.paths.push(fork);
                }
                return Err(Dead);
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.value(path, condition);
                let not_condition = self.cx.terms.not(condition);
                path.values.freeze();
                for (guard, branch) in [(not_condition, otherwise), (condition, then)] {
                    let mut fork = path.clone();
                    fork.todo.push(Task::Stmt(branch));
                    if self.assume(&mut fork, guard).is_ok() {
                        self.paths.push(fork);
                    }
                }
                return Err(Dead);
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let (from, to) = (self.value(path, from), self.value(path, to));
                let bound = |term| self.cx.terms.as_lit(term).and_then(Value::as_int).cloned();
                match (bound(from), bound(to)) {
                    (Some(from), Some(to)) => path.todo.push(Task::Loop(from, to, var, body)),
                    _ => {
                        // The bounds hang on symbols: give one its values, then look again.
                        path.todo.push(Task::Stmt(stmt));
                        let symbols = self.cx.terms.free_vars(&[from, to]);
                        self.enumerate(path, &symbols);
                        return Err(Dead);
                    }
                }
            }
        }
        Ok(())
    }

    /// A term with the path's values put in.
    fn value(&mut self, path: &Path, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for var in self.cx.terms.free_vars(&[term]) {
            if let Some(value) = path.values.get(var) {
                substitution.insert(&mut self.cx.terms, var, value);
            }
        }
        substitution.apply(&mut self.cx.terms, term)
    }

    /// Adds a constraint: splits conjunctions, solves equations, dies on contradictions.
    fn assume(&mut self, path: &mut Path, constraint: TermId) -> Result<(), Dead> {
        let mut todo = vec![constraint];
        while let Some(constraint) = todo.pop() {
            let terms = &mut self.cx.terms;
            if constraint == terms.true_() {
                continue;
            }
            if constraint == terms.false_() {
                return Err(Dead);
            }
            if let Some(parts) = terms.as_op(constraint, Op::And) {
                todo.extend_from_slice(parts);
                continue;
            }
            match equation(terms, constraint) {
                Some((symbol, value)) => todo.extend(self.bind(path, symbol, value)),
                None => path.constraints.push(constraint),
            }
        }
        Ok(())
    }

    /// Gives a symbol its value everywhere; returns the constraints, which must be looked at again.
    fn bind(&mut self, path: &mut Path, symbol: VarId, value: TermId) -> Vec<TermId> {
        let terms = &mut self.cx.terms;
        let mut substitution = Substitution::new();
        substitution.insert(terms, symbol, value);
        path.values.update(|term| {
            let is_open = terms.as_lit(term).is_none();
            is_open.then(|| substitution.apply(terms, term))
        });
        for term in path.bound.values_mut() {
            if terms.as_lit(*term).is_none() {
                *term = substitution.apply(terms, *term);
            }
        }
        path.bound.insert(symbol, value);
        let constraints = std::mem::take(&mut path.constraints)
            .into_iter()
            .map(|c| substitution.apply(terms, c))
            .collect();
        self.work += substitution.n_visited() as u64;
        constraints
    }

    /// Forks a finished path that still has constraints; false if there are none.
    fn split(&mut self, path: &Path) -> bool {
        if path.constraints.is_empty() {
            return false;
        }
        if let Some((at, cases)) = disjunction(&mut self.cx.terms, &path.constraints) {
            for case in cases.into_iter().rev() {
                let mut fork = path.clone();
                fork.constraints.swap_remove(at);
                if self.assume(&mut fork, case).is_ok() {
                    self.paths.push(fork);
                }
            }
        } else if let Some(condition) = undecided_condition(&self.cx.terms, &path.constraints) {
            self.split_on(path, condition);
        } else {
            let symbols = self.cx.terms.free_vars(&path.constraints);
            self.enumerate(path, &symbols);
        }
        true
    }

    /// Forks on a Boolean term being true or false.
    fn split_on(&mut self, path: &Path, condition: TermId) {
        for truth in [false, true] {
            let mut substitution = Substitution::new();
            let by = self.cx.terms.bool(truth);
            substitution.replace(&self.cx.terms, condition, by);
            let mut fork = path.clone();
            let guard = if truth {
                condition
            } else {
                self.cx.terms.not(condition)
            };
            let constraints = std::mem::take(&mut fork.constraints);
            let alive = constraints.into_iter().all(|constraint| {
                let constraint = substitution.apply(&mut self.cx.terms, constraint);
                self.assume(&mut fork, constraint).is_ok()
            });
            if alive && self.assume(&mut fork, guard).is_ok() {
                self.paths.push(fork);
            }
        }
    }

    /// Forks on the values of the one of `symbols` with the fewest candidates.
    fn enumerate(&mut self, path: &Path, symbols: &[VarId]) {
        let mut best: Option<(VarId, Candidates)> = None;
        for &symbol in symbols {
            let candidates = self.candidates(symbol, &path.constraints);
            if best
                .as_ref()
                .is_none_or(|(_, b)| candidates.rank() < b.rank())
            {
                best = Some((symbol, candidates));
            }
        }
        if let Some((symbol, candidates)) = best {
            self.fork_values(path, symbol, candidates);
        }
    }

    /// Emits a path without constraints, after giving free symbols their values.
    fn finish(&mut self, path: Path) {
        let free = path.decisions.iter().find_map(|decision| match decision {
            Pending::Symbol(symbol) => {
                let value = match path.bound.get(symbol) {
                    Some(&value) => value,
                    None => self.cx.terms.var(*symbol),
                };
                self.cx.terms.free_vars(&[value]).first().copied()
            }
            Pending::Branch(_) => None,
        });
        if let Some(symbol) = free {
            let candidates = self.candidates(symbol, &[]);
            self.fork_values(&path, symbol, candidates);
            return;
        }
        let decisions = path.decisions.iter().map(|decision| match decision {
            Pending::Branch(branch) => Decision::Branch(*branch),
            Pending::Symbol(symbol) => {
                let value = self.cx.terms.as_lit(path.bound[symbol]);
                Decision::Value(value.expect("no symbol is free").clone())
            }
        });
        let decisions = decisions.collect();
        self.found.solutions.push(decisions);
    }

    fn fork_values(&mut self, path: &Path, symbol: VarId, candidates: Candidates) {
        let sort = self.cx.terms.var_sort(symbol);
        let values = match candidates {
            Candidates::All(values) => values,
            Candidates::Some(values) => {
                self.found.more = Some(Incomplete::Sampled(symbol));
                values
            }
        };
        for value in values.into_iter().rev() {
            let work = std::mem::take(&mut self.work);
            if self.meter.spends(self.limits, work) {
                self.found.more = Some(Incomplete::Cases);
                return;
            }
            let value = self.cx.terms.lit(value, sort);
            let mut fork = path.clone();
            let constraints = self.bind(&mut fork, symbol, value);
            if constraints
                .into_iter()
                .all(|constraint| self.assume(&mut fork, constraint).is_ok())
            {
                self.paths.push(fork);
            }
        }
    }

    /// The values to try for a symbol.
    fn candidates(&mut self, symbol: VarId, constraints: &[TermId]) -> Candidates {
        let sort = self.cx.terms.var_sort(symbol);
        if let Some(values) = all_values(&self.cx.terms, sort, self.limits.cases as u64) {
            return Candidates::All(values);
        }
        let bounds = bounds_of(&self.cx.terms, symbol, constraints);
        match bounds.integers(self.limits.cases as u64) {
            Some(values) => Candidates::All(values.into_iter().map(Value::Int).collect()),
            None => Candidates::Some(self.sample(symbol, &bounds, constraints)),
        }
    }

    fn sample(&mut self, symbol: VarId, bounds: &Bounds, constraints: &[TermId]) -> Vec<Value> {
        sample(&self.cx.terms, symbol, bounds, constraints, self.limits)
    }
}

/// Values for a symbol: all that it can have, or some.
enum Candidates {
    All(Vec<Value>),
    Some(Vec<Value>),
}

impl Candidates {
    /// Complete enumerations first, smaller ones before larger ones.
    fn rank(&self) -> (bool, usize) {
        match self {
            Self::All(values) => (false, values.len()),
            Self::Some(values) => (true, values.len()),
        }
    }
}

/// All values of a finite sort with at most `limit` values.
fn all_values(terms: &Terms, sort: SortId, limit: u64) -> Option<Vec<Value>> {
    let count = terms
        .sorts
        .cardinality(sort)
        .filter(|&count| count <= limit)?;
    (0..count)
        .map(|n| Value::nth(&terms.sorts, sort, n))
        .collect()
}

/// A constraint that gives a symbol its value: `s`, `!s`, or an equation that can be solved for one.
fn equation(terms: &mut Terms, constraint: TermId) -> Option<(VarId, TermId)> {
    if let Some(symbol) = terms.as_var(constraint) {
        return Some((symbol, terms.true_()));
    }
    if let Some(&[inner]) = terms.as_op(constraint, Op::Not)
        && let Some(symbol) = terms.as_var(inner)
    {
        return Some((symbol, terms.false_()));
    }
    let &[left, right] = terms.as_op(constraint, Op::Eq)? else {
        panic!("an equation has two sides");
    };
    solve_equation(terms, left, right)
}

/// The first constraint that is a disjunction (or a negated conjunction), with its cases.
fn disjunction(terms: &mut Terms, constraints: &[TermId]) -> Option<(usize, Vec<TermId>)> {
    for (at, &constraint) in constraints.iter().enumerate() {
        if let Some(cases) = terms.as_op(constraint, Op::Or) {
            return Some((at, cases.to_vec()));
        }
        if let Some(&[inner]) = terms.as_op(constraint, Op::Not)
            && let Some(parts) = terms.as_op(inner, Op::And)
        {
            let parts = parts.to_vec();
            return Some((at, parts.into_iter().map(|part| terms.not(part)).collect()));
        }
    }
    None
}

/// A condition inside the constraints whose truth would simplify them: of an if-then-else, or one side of an equivalence.
fn undecided_condition(terms: &Terms, constraints: &[TermId]) -> Option<TermId> {
    let bool_ = terms.sorts.bool();
    terms
        .subterms(constraints)
        .into_iter()
        .find_map(|term| match terms.head(term) {
            Head::Op(Op::Ite, &[condition, ..]) => Some(condition),
            Head::Op(Op::Eq, &[left, _]) if terms.sort(left) == bool_ => Some(left),
            _ => None,
        })
}
