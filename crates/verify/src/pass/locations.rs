//! Makes locations visible to formulas: a Boolean variable for each that is true exactly there.
//!
//! Engines read terms over variables only. Every step that enters or leaves the location sets its flag, so an atom
//! over it is a term like any other. The flags exist in the rewritten model only: a lifted run has none, and its atoms
//! are judged by where it is.

use super::{Applied, Pass, Stage};
use crate::property::Atom;
use lariat_base::Id as _;
use lariat_expr::{TermId, VarId};
use lariat_system::{Context, Edge, Initial, LocId, Stmt, StmtId, System, Variable};

/// The pass. It adds variables and assignments to them; everything else stays.
pub struct TrackLocations;

impl Pass for TrackLocations {
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let Stage { model, property } = stage;
        for atom in property.conditions_mut() {
            let (places, is_there) = match atom {
                Atom::Term(_) => continue,
                Atom::At(places) => (places, true),
                Atom::NotAt(places) => (places, false),
            };
            let flags: Vec<TermId> = places
                .iter()
                .map(|&(leaf, loc)| {
                    let flag = track_location(cx, &mut model.systems[leaf], leaf, loc);
                    cx.terms.var(flag)
                })
                .collect();
            let any = cx.terms.or(&flags);
            *atom = Atom::Term(if is_there { any } else { cx.terms.not(any) });
        }
        Applied::InPlace
    }
}

/// The variable that is true exactly while `system`, the `leaf`-th, is at `loc`; added at the first call. No language can
/// declare its name, and no other location has it.
fn track_location(cx: &mut Context, system: &mut System, leaf: usize, loc: LocId) -> VarId {
    let location = &system.locations[loc].name;
    let name = format!("loc({}.{location}#{})", leaf + 1, loc.index());
    let flag = cx.terms.declare(&name, cx.terms.sorts.bool());
    if system.variables.iter().any(|variable| variable.var == flag) {
        return flag;
    }
    system.variables.push(Variable {
        ctrl: true,
        ..Variable::new(flag)
    });
    let mut branches = Vec::new();
    for branch in system.initial.branches() {
        let set = set_flag(cx, flag, branch.target == loc);
        let stmt = cx.stmts.derive_seq(&[set, branch.stmt], branch.stmt);
        branches.push(Edge { stmt, ..*branch });
    }
    system.initial = Initial::new(cx, &system.variables, branches);
    system.edges.update(|from, edge| {
        if (from == loc) != (edge.target == loc) {
            let set = set_flag(cx, flag, edge.target == loc);
            edge.stmt = cx.stmts.derive_seq(&[edge.stmt, set], edge.stmt);
        }
    });
    flag
}

fn set_flag(cx: &mut Context, flag: VarId, truth: bool) -> StmtId {
    let value = cx.terms.bool(truth);
    cx.stmts.add(Stmt::Assign(flag, value), None)
}
