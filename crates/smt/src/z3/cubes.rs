//! Interpolants from models, the first fallback.
//!
//! For one cut between `A` and `B`: while `A` has a model outside of the interpolant found so far, take a
//! cube of `A`'s literals that the model satisfies, eliminate from it what is not shared across the cut,
//! and drop from the result every literal that is not needed to contradict `B` (unsat core). The
//! disjunction of these cubes follows from `A` when no model is left, and contradicts `B` member by
//! member. Eliminating from a cube is far cheaper than from `A`, and of a result with several disjuncts
//! one that holds in the model is enough (model-based projection). What cannot be eliminated is replaced by
//! its value in the model, which only narrows the cube.
//!
//! Cut by cut from the left, with `A = I_{k-1} ∧ A_k`, this gives a sequence interpolant.

use super::interpolate::Sliced;
use super::{Z3, implicant, project};
use crate::{Answer, Cores, Models, Reason, Solver};
use lariat_base::FxHashMap;
use lariat_expr::{Op, Substitution, TermId, Terms, Value, VarId};

/// Interpolants at the cuts of a sliced path.
pub(super) fn solve(z3: &Z3, terms: &mut Terms, path: &Sliced) -> Result<Vec<TermId>, Reason> {
    let mut found: Vec<TermId> = Vec::with_capacity(path.cuts.len());
    for (cut, live) in path.cuts.iter().enumerate() {
        let before = found.last().copied().unwrap_or(terms.true_());
        let left = terms.and(&[before, path.steps[cut]]);
        let mut right = z3.sibling();
        for &step in &path.steps[cut + 1..] {
            right.assert(terms, step);
        }
        found.push(separate(z3, terms, left, &mut right, live)?);
    }
    Ok(found)
}

/// A formula over `live` that follows from `left` and contradicts the assertions of `right`.
fn separate(
    z3: &Z3,
    terms: &mut Terms,
    left: TermId,
    right: &mut Z3,
    live: &[VarId],
) -> Result<TermId, Reason> {
    let mut solver = z3.sibling();
    solver.assert(terms, left);
    let mut cubes: Vec<TermId> = Vec::new();
    for _ in 0..z3.config.interpolation.projected_cubes {
        match solver.check(terms, &[]) {
            Answer::Unsat => return Ok(terms.or(&cubes)),
            Answer::Sat => {}
            Answer::Unknown(reason) => return Err(reason),
        }
        let Some(model) = read_model(&mut solver, terms, left) else {
            return incomplete("a model has a value that is none of ours");
        };
        let literals = implicant::literals(terms, left, &model);
        let cube = project_cube(z3, terms, &literals, live, &model)?;
        let cube = match right.check(terms, &cube) {
            Answer::Unsat => right.core(),
            Answer::Sat => return incomplete("a projected model reaches the other side"),
            Answer::Unknown(reason) => return Err(reason),
        };
        let cube = terms.and(&cube);
        cubes.push(cube);
        let outside = terms.not(cube);
        solver.assert(terms, outside);
    }
    incomplete("too many cubes")
}

fn incomplete<T>(why: &str) -> Result<T, Reason> {
    Err(Reason::Incomplete(why.into()))
}

fn read_model(
    solver: &mut Z3,
    terms: &mut Terms,
    formula: TermId,
) -> Option<FxHashMap<VarId, Value>> {
    let mut model = FxHashMap::default();
    for var in terms.free_vars(&[formula]) {
        let term = terms.var(var);
        model.insert(var, solver.value(terms, term)?);
    }
    Some(model)
}

/// Literals over `live` that hold in the model and imply that the others can be chosen so that `literals`
/// holds.
fn project_cube(
    z3: &Z3,
    terms: &mut Terms,
    literals: &[TermId],
    live: &[VarId],
    model: &FxHashMap<VarId, Value>,
) -> Result<Vec<TermId>, Reason> {
    let cube = terms.and(literals);
    let mut dead = terms.free_vars(&[cube]);
    dead.retain(|var| !live.contains(var));
    let mut projected = project::exists(z3, terms, cube, &dead)?;
    if let Some(disjuncts) = terms.as_op(projected.formula, Op::Or) {
        let disjuncts = disjuncts.to_vec();
        let holds = disjuncts
            .into_iter()
            .find(|&term| implicant::holds(terms, term, model));
        projected.formula = holds.unwrap_or(projected.formula);
    }
    let mut values = Substitution::new();
    for &var in &projected.left {
        let value = terms.lit(model[&var].clone(), terms.var_sort(var));
        values.insert(terms, var, value);
    }
    let cube = values.apply(terms, projected.formula);
    Ok(implicant::literals(terms, cube, model))
}
