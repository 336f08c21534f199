//! Solutions of Horn clauses from Z3's Horn engine (spacer): sequence interpolants, inductive invariants.
//!
//! A clause says that a relation (or nothing) and a step imply another relation (or are impossible). For
//! steps `A_1 … A_m`, one relation `P_i` per cut over the variables that live there, and the
//! clauses `P_{i-1} ∧ A_i → P_i` with `P_0 = true` and `P_m = false`: any solution of these clauses is a
//! sequence interpolant by definition, and Z3's engine looks for general ones: on two counters
//! that move together it finds `x = y` at every cut. Where clauses form loops, a solution is an inductive
//! invariant of each relation's place. The transformations that would merge or drop the
//! relations are off. A solution is read by evaluating `P_i(x, y)` in the model *without* completion,
//! which puts the relation's own formula for it; with completion Z3 would fill in values for `x`
//! and `y` and answer `true` or `false`.
//!
//! Proof-based interpolation, which Z3 once had, is gone from all current versions.

use super::interpolate::Sliced;
use super::watch::{self, Interrupt};
use super::{STEPS_PER_WORK, Z3, decode, n_steps, was_interrupted};
use crate::{Applied, HornClause, HornSystem, Reason};
use lariat_expr::{TermId, Terms, VarId};
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{FuncDecl, Params, SatResult, Sort};

/// Interpolants at the cuts of a sliced path.
pub(super) fn interpolants(
    z3: &Z3,
    terms: &mut Terms,
    path: &Sliced,
) -> Result<Vec<TermId>, Reason> {
    let cut = |i: usize| {
        let args = path.cuts.get(i)?.clone();
        Some(Applied { relation: i, args })
    };
    let clause = |(i, &step): (usize, &TermId)| HornClause {
        from: i.checked_sub(1).and_then(cut),
        step,
        to: cut(i),
    };
    let system = HornSystem {
        relations: path.cuts.clone(),
        clauses: path.steps.iter().enumerate().map(clause).collect(),
    };
    solve(z3, terms, &system, z3.config.interpolation.horn_steps)
}

/// A formula for each relation, over its variables, that makes all clauses true.
pub(super) fn solve(
    z3: &Z3,
    terms: &mut Terms,
    system: &HornSystem,
    steps: u32,
) -> Result<Vec<TermId>, Reason> {
    loop {
        // What had to wait is begun again: its solver was interrupted, and the predicates of another method may be worse.
        if let Some(solution) = try_solve(z3, terms, system, steps)? {
            return Ok(solution);
        }
    }
}

/// The solution, or nothing if the computation had to wait meanwhile.
fn try_solve(
    z3: &Z3,
    terms: &mut Terms,
    system: &HornSystem,
    steps: u32,
) -> Result<Option<Vec<TermId>>, Reason> {
    let solver = z3::Solver::new_for_logic("HORN").expect("Z3 has a Horn engine");
    let mut params = Params::new();
    for transformation in ["inline_linear", "inline_eager", "slice", "coi"] {
        params.set_bool(format!("fp.xform.{transformation}"), false);
    }
    // On bit-vectors Z3 would rather fill tables of all values.
    params.set_symbol("fp.engine", "spacer");
    params.set_u32("rlimit", steps);
    solver.set_params(&params);

    let relations: Vec<FuncDecl> = system
        .relations
        .iter()
        .enumerate()
        .map(|(i, vars)| relation(z3, terms, i, vars))
        .collect();
    let apply = |terms: &Terms, applied: &Applied| {
        atom(z3, terms, &relations[applied.relation], &applied.args)
    };
    for HornClause { from, step, to } in &system.clauses {
        let mut vars = terms.free_vars(&[*step]);
        vars.extend(from.iter().chain(to).flat_map(|applied| &applied.args));
        vars.sort_unstable();
        vars.dedup();
        let constants = constants(z3, terms, &vars);
        let bound: Vec<&dyn Ast> = constants
            .iter()
            .map(|constant| constant as &dyn Ast)
            .collect();
        let mut body = vec![z3.shared.encoder.borrow_mut().formula(terms, *step)];
        body.extend(from.as_ref().map(|from| apply(terms, from)));
        let head = to
            .as_ref()
            .map_or_else(|| Bool::from_bool(false), |to| apply(terms, to));
        solver.assert(forall_const(&bound, &[], &Bool::and(&body).implies(head)));
    }

    let (result, stopped) = watch::watched(&z3.budget, || solver.check());
    let steps = n_steps(&solver).unwrap_or(0);
    let spent = z3.budget.spend(u64::from(steps / STEPS_PER_WORK));
    spent.map_err(Reason::Stopped)?;
    let incomplete = |why: &str| Err(Reason::Incomplete(why.into()));
    match (result, stopped) {
        (SatResult::Sat, _) => {}
        (SatResult::Unsat, _) => return incomplete("the Horn engine found the path feasible"),
        (SatResult::Unknown, Some(Interrupt::Stop(stop))) => return Err(Reason::Stopped(stop)),
        (SatResult::Unknown, Some(Interrupt::Wait)) => return Ok(None),
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
    let mut found = Vec::with_capacity(relations.len());
    for (decl, vars) in relations.iter().zip(&system.relations) {
        let atom = atom(z3, terms, decl, vars);
        let formula = model.eval(&atom, false).map(Dynamic::from);
        let encoder = z3.shared.encoder.borrow();
        match formula.and_then(|formula| decode::decode(&encoder, terms, &formula)) {
            Some(term) => found.push(term),
            None => return incomplete("the Horn engine's solution has no counterpart"),
        }
    }
    Ok(Some(found))
}

fn constants(z3: &Z3, terms: &Terms, vars: &[VarId]) -> Vec<Dynamic> {
    let mut encoder = z3.shared.encoder.borrow_mut();
    vars.iter()
        .map(|&var| encoder.constant(terms, var))
        .collect()
}

/// The `i`-th relation, over variables of these sorts.
fn relation(z3: &Z3, terms: &Terms, i: usize, vars: &[VarId]) -> FuncDecl {
    let sorts: Vec<Sort> = constants(z3, terms, vars)
        .iter()
        .map(Ast::get_sort)
        .collect();
    let domain: Vec<&Sort> = sorts.iter().collect();
    FuncDecl::new(format!("cut!{i}"), &domain, &Sort::bool())
}

/// A relation of variables.
fn atom(z3: &Z3, terms: &Terms, relation: &FuncDecl, vars: &[VarId]) -> Bool {
    let constants = constants(z3, terms, vars);
    let args: Vec<&dyn Ast> = constants
        .iter()
        .map(|constant| constant as &dyn Ast)
        .collect();
    relation
        .apply(&args)
        .as_bool()
        .expect("a relation is Boolean")
}
