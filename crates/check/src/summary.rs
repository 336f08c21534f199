//! Statements as formulas: a guard and the new value of each variable, over the values before.
//!
//! A statement is executed symbolically once: assignments are substituted, so no intermediate copies
//! of variables remain; the branches of a choice are merged by if-then-else over *selectors*, havocs
//! become *inputs*. Both are auxiliary variables of the statement. A predicate after the step is then
//! the predicate with the updates put in, a term over the state before, and most of them fold to a
//! constant or to a known predicate without asking a solver.
//!
//! Invariant: a model of the guard over (state, auxiliary variables) is exactly one execution of the
//! statement; [`Summary::decisions`] reads off which. The recursion follows the nesting of blocks in
//! the source, which the parsers bound.

use lariat_base::FxHashMap;
use lariat_expr::{Substitution, TermId, Terms, Value, VarId};
use lariat_system::{Context, Decision, Stmt, StmtId};

/// A statement as a formula.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What must hold for the statement to be executed, over variables before and auxiliary ones.
    pub guard: TermId,
    /// The variables that it may change with their new values; local variables are left out.
    pub updates: Vec<(VarId, TermId)>,
    /// The auxiliary variables: selectors and inputs.
    pub auxiliary: Vec<VarId>,
    shape: Shape,
}

/// Why a statement has no summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSummary {
    /// A loop's bounds depend on the state.
    LoopBounds(StmtId),
    /// A loop runs too long to be unfolded.
    LongLoop(StmtId),
}

/// The most rounds of a loop that are unfolded.
const MAX_ROUNDS: usize = 4096;

/// The nondeterminism of a statement, in the order of execution.
#[derive(Clone, Debug)]
enum Shape {
    Nothing,
    Seq(Vec<Shape>),
    /// The branch is the first whose selector is true, else the last.
    Branch(Vec<VarId>, Vec<Shape>),
    If(TermId, Box<Shape>, Box<Shape>),
    Any(VarId),
}

impl Summary {
    /// Summarises `stmt`, an edge of a system with these variables.
    pub fn new(
        cx: &mut Context,
        is_variable: &dyn Fn(VarId) -> bool,
        stmt: StmtId,
    ) -> Result<Self, NoSummary> {
        let mut summariser = Summariser {
            cx,
            root: stmt,
            auxiliary: Vec::new(),
        };
        let mut paths = Effect::default();
        let shape = summariser.run(stmt, &mut paths)?;
        let auxiliary = summariser.auxiliary;
        let guard = cx.terms.and(&paths.guards);
        let mut updates: Vec<(VarId, TermId)> = paths
            .values
            .into_iter()
            .filter(|&(var, _)| is_variable(var))
            .collect();
        updates.sort_unstable();
        updates.retain(|&(var, value)| cx.terms.as_var(value) != Some(var));
        Ok(Self {
            guard,
            updates,
            auxiliary,
            shape,
        })
    }

    /// The new value of `var`, if the statement may change it.
    pub fn update(&self, var: VarId) -> Option<TermId> {
        self.updates
            .binary_search_by_key(&var, |update| update.0)
            .ok()
            .map(|i| self.updates[i].1)
    }

    /// Terms over the state after the statement, as terms over the state before.
    pub fn after(&self, terms: &mut Terms, after: &[TermId]) -> Vec<TermId> {
        let mut updates = Substitution::new();
        if after.iter().any(|&term| terms.as_var(term).is_none()) {
            for &(var, value) in &self.updates {
                updates.insert(terms, var, value);
            }
        }
        let before = |&term: &TermId| match terms.as_var(term) {
            Some(var) => self.update(var).unwrap_or(term),
            None => updates.apply(terms, term),
        };
        after.iter().map(before).collect()
    }

    /// The decisions of one execution; `value` gives the value of a term over the state before and
    /// the auxiliary variables.
    pub fn decisions<E>(
        &self,
        cx: &mut Context,
        value: &mut dyn FnMut(&mut Context, TermId) -> Result<Value, E>,
    ) -> Result<Vec<Decision>, E> {
        let mut decisions = Vec::new();
        let mut todo = vec![&self.shape];
        while let Some(shape) = todo.pop() {
            match shape {
                Shape::Nothing => {}
                Shape::Seq(parts) => todo.extend(parts.iter().rev()),
                Shape::Branch(selectors, branches) => {
                    let mut taken = selectors.len();
                    for (i, &selector) in selectors.iter().enumerate() {
                        let selector = cx.terms.var(selector);
                        if value(cx, selector)?.as_bool() {
                            taken = i;
                            break;
                        }
                    }
                    decisions.push(Decision::Branch(taken as u32));
                    todo.push(&branches[taken]);
                }
                Shape::If(condition, then, otherwise) => {
                    todo.push(if value(cx, *condition)?.as_bool() {
                        then
                    } else {
                        otherwise
                    });
                }
                Shape::Any(input) => {
                    let input = cx.terms.var(*input);
                    decisions.push(Decision::Value(value(cx, input)?));
                }
            }
        }
        Ok(decisions)
    }
}

/// What has happened so far on all paths together.
#[derive(Clone, Debug, Default)]
struct Effect {
    guards: Vec<TermId>,
    values: FxHashMap<VarId, TermId>,
}

struct Summariser<'a> {
    cx: &'a mut Context,
    root: StmtId,
    auxiliary: Vec<VarId>,
}

impl Summariser<'_> {
    fn run(&mut self, stmt: StmtId, effect: &mut Effect) -> Result<Shape, NoSummary> {
        Ok(match self.cx.stmts.get(stmt) {
            Stmt::Assume(term) => {
                let guard = self.value(effect, term);
                effect.guards.push(guard);
                Shape::Nothing
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let value = self.value(effect, term);
                effect.values.insert(var, value);
                Shape::Nothing
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                let input = self.fresh(self.cx.terms.var_sort(var));
                let term = self.cx.terms.var(input);
                effect.values.insert(var, term);
                Shape::Any(input)
            }
            Stmt::Seq(list) => {
                let parts = self.cx.stmts.items(list).to_vec();
                let mut shapes = Vec::new();
                for part in parts {
                    shapes.push(self.run(part, effect)?);
                }
                shapes.retain(|shape| !matches!(shape, Shape::Nothing));
                if shapes.is_empty() {
                    Shape::Nothing
                } else {
                    Shape::Seq(shapes)
                }
            }
            Stmt::Choice(list) => {
                let branches = self.cx.stmts.items(list).to_vec();
                self.choice(&branches, effect)?
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.value(effect, condition);
                let (mut yes, mut no) = (effect.branch(), effect.branch());
                let then = self.run(then, &mut yes)?;
                let otherwise = self.run(otherwise, &mut no)?;
                self.merge(effect, &[condition], &[yes, no]);
                match (&then, &otherwise) {
                    (Shape::Nothing, Shape::Nothing) => Shape::Nothing,
                    _ => Shape::If(condition, Box::new(then), Box::new(otherwise)),
                }
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => self.unfold_loop(stmt, var, (from, to), body, effect)?,
        })
    }

    fn choice(&mut self, branches: &[StmtId], effect: &mut Effect) -> Result<Shape, NoSummary> {
        if branches.is_empty() {
            effect.guards.push(self.cx.terms.false_());
            return Ok(Shape::Nothing);
        }
        let bool_ = self.cx.terms.sorts.bool();
        let selectors: Vec<VarId> = branches[1..].iter().map(|_| self.fresh(bool_)).collect();
        let conditions: Vec<TermId> = selectors
            .iter()
            .map(|&selector| self.cx.terms.var(selector))
            .collect();
        let (mut shapes, mut effects) = (Vec::new(), Vec::new());
        for &branch in branches {
            let mut own = effect.branch();
            shapes.push(self.run(branch, &mut own)?);
            effects.push(own);
        }
        self.merge(effect, &conditions, &effects);
        Ok(Shape::Branch(selectors, shapes))
    }

    fn unfold_loop(
        &mut self,
        stmt: StmtId,
        var: VarId,
        (from, to): (TermId, TermId),
        body: StmtId,
        effect: &mut Effect,
    ) -> Result<Shape, NoSummary> {
        let (from, to) = (self.value(effect, from), self.value(effect, to));
        let bound = |term| match self.cx.terms.as_lit(term) {
            Some(Value::Int(int)) => int.to_i64().ok_or(NoSummary::LongLoop(stmt)),
            _ => Err(NoSummary::LoopBounds(stmt)),
        };
        let (from, to) = (bound(from)?, bound(to)?);
        let mut shapes = Vec::new();
        for (round, at) in (from..to).enumerate() {
            if round >= MAX_ROUNDS {
                return Err(NoSummary::LongLoop(stmt));
            }
            let at = self.cx.terms.int(at);
            effect.values.insert(var, at);
            shapes.push(self.run(body, effect)?);
        }
        Ok(Shape::Seq(shapes))
    }

    /// The effect of taking the first branch whose condition is true, else the last.
    fn merge(&mut self, effect: &mut Effect, conditions: &[TermId], branches: &[Effect]) {
        let terms = &mut self.cx.terms;
        let mut changed: Vec<VarId> = branches
            .iter()
            .flat_map(|branch| branch.values.keys().copied())
            .collect();
        changed.sort_unstable();
        changed.dedup();
        for var in changed {
            let before = terms.var(var);
            let old = effect.values.get(&var).copied().unwrap_or(before);
            let value = |branch: &Effect| branch.values.get(&var).copied().unwrap_or(old);
            let (last, rest) = branches.split_last().expect("there is a branch");
            let merged = rest
                .iter()
                .zip(conditions)
                .rev()
                .fold(value(last), |otherwise, (branch, &condition)| {
                    terms.ite(condition, value(branch), otherwise)
                });
            effect.values.insert(var, merged);
        }
        let guards: Vec<TermId> = branches
            .iter()
            .map(|branch| terms.and(&branch.guards))
            .collect();
        let (&last, rest) = guards.split_last().expect("there is a branch");
        let merged = rest
            .iter()
            .zip(conditions)
            .rev()
            .fold(last, |otherwise, (&guard, &condition)| {
                terms.ite(condition, guard, otherwise)
            });
        effect.guards.push(merged);
    }

    /// A term over the values before the statement.
    fn value(&mut self, effect: &Effect, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        for var in self.cx.terms.free_vars(&[term]) {
            if let Some(&value) = effect.values.get(&var) {
                substitution.insert(&mut self.cx.terms, var, value);
            }
        }
        substitution.apply(&mut self.cx.terms, term)
    }

    /// A new auxiliary variable: its name tells the statement and its number, so it is the same each time.
    fn fresh(&mut self, sort: lariat_expr::SortId) -> VarId {
        let name = format!("{:?}#{}", self.root, self.auxiliary.len());
        let var = self.cx.terms.declare_instance(&name, sort, u32::MAX);
        self.auxiliary.push(var);
        var
    }
}

impl Effect {
    /// The start of a branch: the same values, no guards of its own.
    fn branch(&self) -> Self {
        Self {
            guards: Vec::new(),
            values: self.values.clone(),
        }
    }
}
