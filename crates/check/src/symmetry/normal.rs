//! Statements in a normal form in which the order of choices and of independent assignments is gone.
//!
//! A statement is a set of *cases*: what must hold before, and what each changed variable is then, as terms over the values before
//! and over *inputs*, which stand for any values. Terms are equal if their ids are (sums, conjunctions and the like are sorted),
//! so that equal sets of cases are equal relations. Different sets may be equal relations as well: whoever asks takes that for
//! "different".
//!
//! The name of an input says which variable it was for, and its number among those of that variable on its path, so that a permutation of variables is
//! one of inputs. Inputs for local variables are counted by their sorts.

use lariat_base::{FxHashMap, FxHashSet, Id as _};
use lariat_expr::{SortId, Substitution, TermId, Value, VarId};
use lariat_system::{Context, Stmt, StmtId};

/// One way through a statement.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Case {
    pub guard: TermId,
    /// In the order of the variables; what stays as it was is left out.
    pub updates: Vec<(VarId, TermId)>,
}

/// Makes cases of statements, within limits for all of them together.
pub(super) struct Cases {
    /// The variables of the system; others are local.
    variables: FxHashSet<VarId>,
    /// The inputs that stand for values of variables of the system: which variable, and its number.
    pub inputs: FxHashMap<VarId, (VarId, u32)>,
    /// Executions of statements that are left.
    steps: usize,
    /// Terms that there may be.
    max_terms: usize,
}

/// The most executions of statements.
const MAX_STEPS: usize = 40_000;
/// The most new terms.
const MAX_TERMS: usize = 200_000;
/// The most rounds of a loop.
const MAX_ROUNDS: i64 = 256;

/// What is left to do on a path.
#[derive(Clone, Copy)]
enum Todo {
    Stmt(StmtId),
    Set(VarId, TermId),
}

/// A way into a statement.
#[derive(Clone, Default)]
struct Path {
    todo: Vec<Todo>,
    guards: Vec<TermId>,
    values: FxHashMap<VarId, TermId>,
    /// How many inputs there are for each variable, or for locals of each sort.
    n_of_variable: FxHashMap<VarId, u32>,
    n_of_sort: FxHashMap<SortId, u32>,
}

impl Cases {
    /// Over the variables of a system.
    pub fn new(cx: &Context, variables: impl Iterator<Item = VarId>) -> Self {
        Self {
            variables: variables.collect(),
            inputs: FxHashMap::default(),
            steps: MAX_STEPS,
            max_terms: cx.terms.n_terms() + MAX_TERMS,
        }
    }

    /// The input for the `n`-th value that a variable of the system is given.
    pub fn input(cx: &mut Context, of: VarId, n: u32) -> VarId {
        let (name, sort) = (format!("{of:?}?{n}"), cx.terms.var_sort(of));
        cx.terms.declare_instance(&name, sort, u32::MAX)
    }

    /// The cases of a statement; nothing if that is too much, or if a loop depends on the state.
    pub fn of(&mut self, cx: &mut Context, root: StmtId) -> Option<Vec<Case>> {
        let mut paths = vec![Path {
            todo: vec![Todo::Stmt(root)],
            ..Path::default()
        }];
        let mut cases = Vec::new();
        while let Some(mut path) = paths.pop() {
            let Some(todo) = path.todo.pop() else {
                cases.push(self.finish(cx, path));
                continue;
            };
            self.steps = self.steps.checked_sub(1)?;
            if cx.terms.n_terms() > self.max_terms {
                return None;
            }
            match todo {
                Todo::Set(var, value) => {
                    path.values.insert(var, value);
                    paths.push(path);
                }
                Todo::Stmt(stmt) => self.step(cx, path, stmt, &mut paths)?,
            }
        }
        Some(cases)
    }

    /// Takes a path through one statement, or in several ways.
    fn step(
        &mut self,
        cx: &mut Context,
        mut path: Path,
        stmt: StmtId,
        paths: &mut Vec<Path>,
    ) -> Option<()> {
        match cx.stmts.get(stmt) {
            Stmt::Assume(term) => {
                assume(cx, path, term, paths);
                return Some(());
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let value = value(cx, &path, term);
                path.values.insert(var, value);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                let input = self.fresh(cx, &mut path, var);
                let input = cx.terms.var(input);
                path.values.insert(var, input);
            }
            Stmt::Seq(list) => {
                let parts = cx.stmts.items(list).iter().rev();
                path.todo.extend(parts.map(|&part| Todo::Stmt(part)));
            }
            Stmt::Choice(list) => {
                for &branch in cx.stmts.items(list).iter().rev() {
                    let mut taken = path.clone();
                    taken.todo.push(Todo::Stmt(branch));
                    paths.push(taken);
                }
                return Some(());
            }
            Stmt::If(condition, then, otherwise) => {
                let negated = cx.terms.not(condition);
                for (condition, branch) in [(condition, then), (negated, otherwise)] {
                    let mut taken = path.clone();
                    taken.todo.push(Todo::Stmt(branch));
                    assume(cx, taken, condition, paths);
                }
                return Some(());
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let bound = |cx: &mut Context, term| {
                    let bound = value(cx, &path, term);
                    cx.terms.as_lit(bound).and_then(Value::as_int)?.to_i64()
                };
                let (from, to) = (bound(cx, from)?, bound(cx, to)?);
                if to.checked_sub(from)? > MAX_ROUNDS {
                    return None;
                }
                for at in (from..to).rev() {
                    let at = cx.terms.int(at);
                    path.todo.extend([Todo::Stmt(body), Todo::Set(var, at)]);
                }
            }
        }
        paths.push(path);
        Some(())
    }

    fn fresh(&mut self, cx: &mut Context, path: &mut Path, var: VarId) -> VarId {
        if self.variables.contains(&var) {
            let n = path.n_of_variable.entry(var).or_default();
            *n += 1;
            let input = Self::input(cx, var, *n);
            self.inputs.insert(input, (var, *n));
            return input;
        }
        let sort = cx.terms.var_sort(var);
        let n = path.n_of_sort.entry(sort).or_default();
        *n += 1;
        let name = format!("local?{}?{n}", sort.index());
        cx.terms.declare_instance(&name, sort, u32::MAX)
    }

    fn finish(&self, cx: &mut Context, path: Path) -> Case {
        let mut updates: Vec<(VarId, TermId)> = path
            .values
            .into_iter()
            .filter(|(var, value)| {
                self.variables.contains(var) && cx.terms.as_var(*value) != Some(*var)
            })
            .collect();
        updates.sort_unstable();
        Case {
            guard: cx.terms.and(&path.guards),
            updates,
        }
    }
}

/// Goes on if a condition may be true.
fn assume(cx: &mut Context, mut path: Path, term: TermId, paths: &mut Vec<Path>) {
    let guard = value(cx, &path, term);
    if guard != cx.terms.false_() {
        path.guards.push(guard);
        paths.push(path);
    }
}

/// A term over the values before the statement.
fn value(cx: &mut Context, path: &Path, term: TermId) -> TermId {
    let mut substitution = Substitution::new();
    for var in cx.terms.free_vars(&[term]) {
        if let Some(&value) = path.values.get(&var) {
            substitution.insert(&mut cx.terms, var, value);
        }
    }
    substitution.apply(&mut cx.terms, term)
}
