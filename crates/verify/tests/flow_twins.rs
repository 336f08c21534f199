//! Data flow against naive twins on random systems: liveness set by set, the cone of influence round by round.

use lariat_base::FxHashSet;
use lariat_expr::{TermId, VarId};
use lariat_system::{Context, LocId, Stmt, StmtId, System, Vars, live_variables};
use lariat_testkit::{random_parts, random_program, rng};
use lariat_verify::pass::slice::slice;
use std::collections::{BTreeMap, BTreeSet};

const N_SYSTEMS: u64 = 400;

#[test]
fn variables_are_alive_where_the_twin_says() {
    for seed in 0..N_SYSTEMS {
        let (cx, system) = random_program(&mut rng(seed), 1 + (seed % 6) as usize);
        let observed: Vars = system.variables.iter().take(1).map(|v| v.var).collect();
        let found = live_variables(&cx, &system, &observed);
        let found: BTreeMap<LocId, BTreeSet<VarId>> = found
            .iter_ids()
            .map(|(at, live)| (at, live.iter().copied().collect()))
            .collect();
        assert_eq!(found, naive_live(&cx, &system, &observed), "seed {seed}");
    }
}

/// All locations again and again, until nothing changes.
fn naive_live(cx: &Context, system: &System, observed: &Vars) -> BTreeMap<LocId, BTreeSet<VarId>> {
    let locations = system.locations.iter_ids();
    let start: BTreeSet<VarId> = observed.iter().copied().collect();
    let mut live: BTreeMap<LocId, BTreeSet<VarId>> =
        locations.map(|(at, _)| (at, start.clone())).collect();
    loop {
        let before = live.clone();
        for (at, edges) in system.edges.rows() {
            for edge in edges {
                let now = naive_before(cx, edge.stmt, before[&edge.target].clone());
                live.get_mut(&at).expect("a location").extend(now);
            }
        }
        if live == before {
            return live;
        }
    }
}

fn naive_before(cx: &Context, stmt: StmtId, mut live: BTreeSet<VarId>) -> BTreeSet<VarId> {
    match cx.stmts.get(stmt) {
        Stmt::Assume(term) => live.extend(cx.terms.free_vars(&[term])),
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
            live.remove(&var);
            live.extend(cx.terms.free_vars(&[term]));
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => {
            live.remove(&var);
        }
        Stmt::Seq(list) => {
            for &part in cx.stmts.items(list).iter().rev() {
                live = naive_before(cx, part, live);
            }
        }
        // One without branches blocks: that it reads what is read later is more than the truth.
        Stmt::Choice(list) if cx.stmts.items(list).is_empty() => {}
        Stmt::Choice(list) => {
            let branches = cx.stmts.items(list).iter();
            let all = branches.map(|&branch| naive_before(cx, branch, live.clone()));
            live = all.flatten().collect();
        }
        Stmt::If(condition, then, otherwise) => {
            let other = naive_before(cx, otherwise, live.clone());
            live = naive_before(cx, then, live);
            live.extend(other);
            live.extend(cx.terms.free_vars(&[condition]));
        }
        Stmt::For { .. } => live.extend(cx.stmts.read(&cx.terms, stmt)),
    }
    live
}

#[test]
fn slicing_drops_what_the_twin_drops() {
    let mut n_dropped = 0;
    for seed in 0..N_SYSTEMS {
        let mut parts = random_parts(&mut rng(seed), 1 + (seed % 2) as u32, 1);
        let relevant = naive_cone(&parts.cx, &parts.systems, &parts.atoms);
        let variables = parts.systems.iter().flat_map(|system| &system.variables);
        let all: BTreeSet<VarId> = variables.map(|variable| variable.var).collect();
        let expected: Vec<VarId> = all.into_iter().filter(|v| !relevant.contains(v)).collect();
        let sliced = slice(&mut parts.cx, &mut parts.systems, &parts.atoms);
        assert_eq!(sliced.dropped, expected, "seed {seed}");
        n_dropped += expected.len();
    }
    assert!(n_dropped > 50, "{n_dropped}");
}

/// All statements again and again, until nothing is added.
fn naive_cone(cx: &Context, systems: &[System], atoms: &[TermId]) -> FxHashSet<VarId> {
    let mut relevant: FxHashSet<VarId> = cx.terms.free_vars(atoms).into_iter().collect();
    for system in systems {
        relevant.extend(cx.terms.free_vars(&system.declared_values()));
    }
    loop {
        let before = relevant.len();
        for stmt in systems.iter().flat_map(System::all_stmts) {
            grow(cx, stmt, &mut relevant);
        }
        if relevant.len() == before {
            return relevant;
        }
    }
}

/// Adds what a statement reads for something that matters; says whether anything in it matters.
fn grow(cx: &Context, stmt: StmtId, relevant: &mut FxHashSet<VarId>) -> bool {
    let (matters, read) = match cx.stmts.get(stmt) {
        Stmt::Assume(term) => (true, vec![term]),
        Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
            (relevant.contains(&var), vec![term])
        }
        Stmt::Havoc(var) | Stmt::Declare(var, None) => (relevant.contains(&var), Vec::new()),
        Stmt::Seq(list) | Stmt::Choice(list) => {
            let parts = cx.stmts.items(list);
            let blocks = parts.is_empty() && matches!(cx.stmts.get(stmt), Stmt::Choice(_));
            let inner: Vec<bool> = parts.iter().map(|&part| grow(cx, part, relevant)).collect();
            (blocks || inner.contains(&true), Vec::new())
        }
        Stmt::If(condition, then, otherwise) => {
            let inner = [then, otherwise].map(|branch| grow(cx, branch, relevant));
            (inner.contains(&true), vec![condition])
        }
        Stmt::For { from, to, body, .. } => (grow(cx, body, relevant), vec![from, to]),
    };
    if matters {
        relevant.extend(cx.terms.free_vars(&read));
    }
    matters
}
