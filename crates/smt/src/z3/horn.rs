//! Sequence interpolants from Z3's Horn engine.
//!
//! For steps `A_1 … A_m`, one relation `P_i` per cut over the variables that live there, and the
//! clauses `P_{i-1} ∧ A_i → P_i` with `P_0 = true` and `P_m = false`: any solution of these clauses is a
//! sequence interpolant by definition, and Z3's engine (spacer) looks for general ones: on two counters
//! that move together it finds `x = y` at every cut. The transformations that would merge or drop the
//! relations are off. A solution is read by evaluating `P_i(x, y)` in the model *without* completion,
//! which puts the relation's own formula for it; with completion Z3 would fill in values for `x`
//! and `y` and answer `true` or `false`.
//!
//! Proof-based interpolation, which Z3 once had, is gone from all current versions.

use super::interpolate::Sliced;
use super::{Z3, decode, was_interrupted, watch};
use crate::Reason;
use lariat_expr::{TermId, Terms, VarId};
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{FuncDecl, Params, SatResult, Sort};

/// Interpolants at the cuts of a sliced path.
pub(super) fn solve(z3: &Z3, terms: &mut Terms, path: &Sliced) -> Result<Vec<TermId>, Reason> {
    let Sliced { steps, cuts, .. } = path;
    let solver = z3::Solver::new_for_logic("HORN").expect("Z3 has a Horn engine");
    let mut params = Params::new();
    for transformation in ["inline_linear", "inline_eager", "slice", "coi"] {
        params.set_bool(format!("fp.xform.{transformation}"), false);
    }
    params.set_u32("rlimit", z3.config.interpolation.horn_steps);
    solver.set_params(&params);

    let atoms: Vec<Bool> = cuts
        .iter()
        .enumerate()
        .map(|(i, vars)| relation(z3, terms, i, vars))
        .collect();
    for (i, &step) in steps.iter().enumerate() {
        let mut encoder = z3.shared.encoder.borrow_mut();
        let mut body = vec![encoder.formula(terms, step)];
        body.extend(i.checked_sub(1).map(|before| atoms[before].clone()));
        let head = atoms
            .get(i)
            .cloned()
            .unwrap_or_else(|| Bool::from_bool(false));
        let mut vars = terms.free_vars(&[step]);
        vars.extend(
            i.checked_sub(1)
                .into_iter()
                .flat_map(|before| &cuts[before]),
        );
        vars.extend(cuts.get(i).into_iter().flatten());
        vars.sort_unstable();
        vars.dedup();
        let constants: Vec<Dynamic> = vars
            .iter()
            .map(|&var| encoder.constant(terms, var))
            .collect();
        let bound: Vec<&dyn Ast> = constants
            .iter()
            .map(|constant| constant as &dyn Ast)
            .collect();
        solver.assert(forall_const(&bound, &[], &Bool::and(&body).implies(head)));
    }

    let (result, stopped) = watch::watched(&z3.budget, || solver.check());
    let incomplete = |why: &str| Err(Reason::Incomplete(why.into()));
    match (result, stopped) {
        (SatResult::Sat, _) => {}
        (SatResult::Unsat, _) => return incomplete("the Horn engine found the path feasible"),
        (SatResult::Unknown, Some(stop)) => return Err(Reason::Stopped(stop)),
        (SatResult::Unknown, None) if was_interrupted(&solver) => {
            return incomplete("the Horn engine reached its step limit");
        }
        (SatResult::Unknown, None) => {
            return incomplete(&solver.get_reason_unknown().unwrap_or_default());
        }
    }
    let Some(model) = solver.get_model() else {
        return incomplete("the Horn engine gave no solution");
    };
    let encoder = z3.shared.encoder.borrow();
    let mut interpolants = Vec::with_capacity(atoms.len());
    for atom in &atoms {
        let formula = model.eval(atom, false).map(Dynamic::from);
        match formula.and_then(|formula| decode::decode(&encoder, terms, &formula)) {
            Some(term) => interpolants.push(term),
            None => return incomplete("the Horn engine's solution has no counterpart"),
        }
    }
    Ok(interpolants)
}

/// The atom of the `i`-th relation over the variables of its cut.
fn relation(z3: &Z3, terms: &Terms, i: usize, vars: &[VarId]) -> Bool {
    let mut encoder = z3.shared.encoder.borrow_mut();
    let constants: Vec<Dynamic> = vars
        .iter()
        .map(|&var| encoder.constant(terms, var))
        .collect();
    let sorts: Vec<Sort> = constants.iter().map(Ast::get_sort).collect();
    let domain: Vec<&Sort> = sorts.iter().collect();
    let args: Vec<&dyn Ast> = constants
        .iter()
        .map(|constant| constant as &dyn Ast)
        .collect();
    let decl = FuncDecl::new(format!("cut!{i}"), &domain, &Sort::bool());
    decl.apply(&args).as_bool().expect("a relation is Boolean")
}
