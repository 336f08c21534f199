//! Turns relations into assignments where they are ones: `havoc x'; assume x' = x + 1` is `x' := x + 1`.
//!
//! A step that is given as a relation (every STS, and many a havoc with an assumption behind it) is
//! split into cases: the assumptions' disjunctions and if-then-elses become edges of their own, and in each
//! of them an equation that determines a havoced variable becomes an assignment. Values that a case gives to variables
//! are put in, so that cases that cannot be go. What remains is
//! assumed as before. The set of steps stays exactly the same; what changes is that evaluating them
//! needs no search. Only the outer sequence of a step is looked at.

use super::{Applied, Pass, Stage};
use lariat_base::{Csr, FxHashMap, FxHashSet};
use lariat_expr::{Head, Op, Substitution, TermId, Terms, VarId};
use lariat_system::{Context, Edge, Initial, LocId, Stmt, StmtId, System, Vars, shared_variables};

/// The pass. It may replace an edge by several, one for each case; variables and locations stay.
pub struct SplitRelations;

impl Pass for SplitRelations {
    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        Applied::Cases(split_relations(cx, &mut stage.model.systems))
    }
}

/// Which edge of the given system each edge of the rewritten one is a case of, by its position.
#[derive(Clone, Debug)]
pub struct Cases {
    /// For each initial edge.
    pub initial: Vec<usize>,
    /// For each edge of each location.
    pub edges: Csr<LocId, usize>,
}

/// A step is split into at most this many.
const MAX_CASES: usize = 64;

/// Rewrites all steps of systems that run together.
///
/// An initial step of one of several does not start with the values of its own prelude: there is one prelude for all
/// variables, and the initial steps of other parts may have run before. So what the prelude gives to a variable that
/// another part has as well takes no part in the rewriting.
pub fn split_relations(cx: &mut Context, systems: &mut [System]) -> Vec<Cases> {
    let shared = shared_variables(systems);
    let is_alone = systems.len() == 1;
    let mut all = Vec::new();
    for system in systems {
        let (branches, initial) = split_starts(cx, system, is_alone, &shared);
        system.initial = Initial::new(cx, &system.variables, branches);
        let (mut rows, mut origins) = (Vec::new(), Vec::new());
        for (_, row) in system.edges.rows() {
            let (mut new_row, mut origin_row) = (Vec::new(), Vec::new());
            for (at, edge) in row.iter().enumerate() {
                let parts = Parts::of(cx, edge.stmt);
                let cases = if parts.is_relation() {
                    parts.cases(cx)
                } else {
                    vec![edge.stmt]
                };
                origin_row.extend(cases.iter().map(|_| at));
                new_row.extend(cases.into_iter().map(|stmt| Edge { stmt, ..*edge }));
            }
            rows.push(new_row);
            origins.push(origin_row);
        }
        system.edges = Csr::from_rows(rows);
        let edges = Csr::from_rows(origins);
        all.push(Cases { initial, edges });
    }
    all
}

/// The cases of the initial branches, and which branch each is a case of.
fn split_starts(
    cx: &mut Context,
    system: &System,
    is_alone: bool,
    shared: &Vars,
) -> (Vec<Edge>, Vec<usize>) {
    let (mut branches, mut origins) = (Vec::new(), Vec::new());
    let starts = system.initial.iter().zip(system.initial.branches());
    for (at, (start, branch)) in starts.enumerate() {
        let parts = if is_alone {
            // The prelude's havocs take part: `initial x = 0` determines `x`.
            Parts::of(cx, start.stmt)
        } else {
            Parts::behind(cx, branch.stmt, own_havocs(cx, start.stmt, shared))
        };
        let cases = if parts.is_relation() {
            parts.cases(cx)
        } else {
            vec![branch.stmt]
        };
        origins.extend(cases.iter().map(|_| at));
        branches.extend(cases.into_iter().map(|stmt| Edge { stmt, ..*branch }));
    }
    (branches, origins)
}

/// The havocs in the prelude of an initial step of variables that are not shared and that no declared value reads.
fn own_havocs(cx: &Context, start: StmtId, shared: &Vars) -> Vec<(VarId, StmtId)> {
    let Stmt::Seq(list) = cx.stmts.get(start) else {
        panic!("a start is a prelude and a branch");
    };
    let prelude = cx.stmts.items(list)[0];
    let read = cx.stmts.read(&cx.terms, prelude);
    let havoced = cx.stmts.flatten(prelude).into_iter();
    havoced
        .filter_map(|stmt| match cx.stmts.get(stmt) {
            Stmt::Havoc(var) => Some((var, stmt)),
            _ => None,
        })
        .filter(|(var, _)| !shared.contains(var) && read.binary_search(var).is_err())
        .collect()
}

/// The outer sequence of a step: havocs and assumptions first, then the rest.
struct Parts {
    root: StmtId,
    /// Variables with any value, before anything else is written, and the statements that give it to them.
    havocs: Vec<(VarId, StmtId)>,
    /// Assignments that come before the first assumption.
    first: Vec<StmtId>,
    assumptions: Vec<TermId>,
    rest: Vec<StmtId>,
}

impl Parts {
    fn of(cx: &Context, root: StmtId) -> Self {
        Self::behind(cx, root, Vec::new())
    }

    /// The parts of a step before which these variables got any value.
    fn behind(cx: &Context, root: StmtId, havocs: Vec<(VarId, StmtId)>) -> Self {
        let mut havoced: Vars = havocs.iter().map(|&(var, _)| var).collect();
        // What is read or written before the point that is looked at.
        let mut touched = havoced.clone();
        let mut parts = Self {
            root,
            havocs,
            first: Vec::new(),
            assumptions: Vec::new(),
            rest: Vec::new(),
        };
        for stmt in cx.stmts.flatten(root) {
            match cx.stmts.get(stmt) {
                _ if !parts.rest.is_empty() => parts.rest.push(stmt),
                Stmt::Havoc(var) | Stmt::Declare(var, None) if !touched.contains(&var) => {
                    havoced.insert(var);
                    parts.havocs.push((var, stmt));
                }
                Stmt::Assume(term) => parts.assumptions.push(term),
                Stmt::Assign(var, value)
                    if parts.assumptions.is_empty()
                        && !touched.contains(&var)
                        && !cx
                            .terms
                            .free_vars(&[value])
                            .iter()
                            .any(|v| havoced.contains(v)) =>
                {
                    parts.first.push(stmt);
                }
                _ => parts.rest.push(stmt),
            }
            touched.extend(cx.stmts.written(stmt));
            touched.extend(cx.stmts.read(&cx.terms, stmt));
        }
        parts
    }

    /// Whether there is something to be gained.
    fn is_relation(&self) -> bool {
        !self.havocs.is_empty() && !self.assumptions.is_empty()
    }

    /// One statement per case of the assumptions.
    fn cases(&self, cx: &mut Context) -> Vec<StmtId> {
        let all = cx.terms.and(&self.assumptions);
        let havoced: Vars = self.havocs.iter().map(|&(var, _)| var).collect();
        let cases = expand(&mut cx.terms, all, &havoced);
        let cases = cases.into_iter();
        cases.map(|case| self.case(cx, case, &havoced)).collect()
    }

    fn case(&self, cx: &mut Context, case: TermId, havoced: &Vars) -> StmtId {
        let conjuncts = conjuncts(&cx.terms, case);
        let Solved { values, rest } = solve(&cx.terms, havoced, &conjuncts);
        let mut parts = self.first.clone();
        let solved: FxHashSet<VarId> = values.iter().map(|&(var, _)| var).collect();
        let mut sources: FxHashMap<VarId, StmtId> = FxHashMap::default();
        for &(var, havoc) in &self.havocs {
            sources.insert(var, havoc);
            if !solved.contains(&var) {
                parts.push(cx.stmts.derive(Stmt::Havoc(var), havoc));
            }
        }
        for (var, value) in values {
            parts.push(cx.stmts.derive(Stmt::Assign(var, value), sources[&var]));
        }
        let span = cx.stmts.span(self.root);
        for term in rest {
            if term != cx.terms.true_() {
                parts.push(cx.stmts.add(Stmt::Assume(term), span));
            }
        }
        parts.extend_from_slice(&self.rest);
        cx.stmts.derive_seq(&parts, self.root)
    }
}

/// The cases of a Boolean term: their disjunction is the term. Only what may determine a havoced
/// variable is split, and nothing any more when there would be too many.
fn expand(terms: &mut Terms, term: TermId, havocs: &Vars) -> Vec<TermId> {
    let mut done: Vec<TermId> = Vec::new();
    let mut todo = vec![propagate(terms, term)];
    while let Some(case) = todo.pop() {
        match split(terms, case, havocs) {
            Some(cases) if done.len() + todo.len() + cases.len() <= MAX_CASES => {
                todo.extend(cases.into_iter().rev());
            }
            _ => done.push(case),
        }
    }
    let false_ = terms.false_();
    if done.len() > 1 {
        done.retain(|&case| case != false_);
    }
    if done.is_empty() {
        done.push(false_);
    }
    done
}

/// A conjunction in which the values that it gives to variables are put in where else they stand: of a program that is written as
/// implications from its counter, one is left in each case.
fn propagate(terms: &mut Terms, mut case: TermId) -> TermId {
    /// What is known by then hardly grows any more.
    const MAX_ROUNDS: usize = 4;
    for _ in 0..MAX_ROUNDS {
        let conjuncts = conjuncts(terms, case);
        let mut known = Substitution::new();
        let (mut seen, mut facts) = (FxHashSet::default(), Vec::new());
        for &conjunct in &conjuncts {
            let definitions = definitions(terms, conjunct).into_iter();
            let mut fixed = definitions.filter(|&(_, value)| terms.as_lit(value).is_some());
            if let Some((var, value)) = fixed.next()
                && seen.insert(var)
            {
                known.insert(terms, var, value);
                facts.push(conjunct);
            }
        }
        let put_in = |&conjunct: &TermId| {
            if facts.contains(&conjunct) {
                conjunct
            } else {
                known.apply(terms, conjunct)
            }
        };
        let simpler: Vec<TermId> = conjuncts.iter().map(put_in).collect();
        let simpler = terms.and(&simpler);
        if simpler == case {
            break;
        }
        case = simpler;
    }
    case
}

fn conjuncts(terms: &Terms, case: TermId) -> Vec<TermId> {
    let parts = terms.as_op(case, Op::And);
    parts.map_or_else(|| vec![case], <[TermId]>::to_vec)
}

/// Whether one of a term's cases has a conjunct that determines a havoced variable.
fn may_determine(terms: &Terms, term: TermId, havocs: &Vars) -> bool {
    let mut todo = vec![term];
    while let Some(term) = todo.pop() {
        match terms.head(term) {
            Head::Op(Op::And | Op::Or, parts) => todo.extend(parts),
            Head::Op(Op::Ite, &[_, then, otherwise]) => todo.extend([then, otherwise]),
            _ if definitions(terms, term)
                .iter()
                .any(|(var, _)| havocs.contains(var)) =>
            {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The cases of the first disjunction or if-then-else of a conjunction that may determine something.
fn split(terms: &mut Terms, case: TermId, havocs: &Vars) -> Option<Vec<TermId>> {
    let conjuncts = conjuncts(terms, case);
    for (at, &conjunct) in conjuncts.iter().enumerate() {
        if !may_determine(terms, conjunct, havocs) {
            continue;
        }
        let alternatives = match terms.head(conjunct) {
            Head::Op(Op::Or, parts) => {
                let parts = parts.to_vec();
                apart(terms, &parts)
            }
            Head::Op(Op::Ite, &[condition, then, otherwise]) => {
                let not_condition = terms.not(condition);
                vec![
                    terms.and(&[condition, then]),
                    terms.and(&[not_condition, otherwise]),
                ]
            }
            _ => continue,
        };
        let with = |terms: &mut Terms, alternative: TermId| {
            let mut parts = conjuncts.clone();
            parts[at] = alternative;
            let case = terms.and(&parts);
            propagate(terms, case)
        };
        return Some(
            alternatives
                .into_iter()
                .map(|alternative| with(terms, alternative))
                .collect(),
        );
    }
    None
}

/// The alternatives of a disjunction, those of an implication without what they have in common: the consequence is a case only where
/// the premise holds.
fn apart(terms: &mut Terms, alternatives: &[TermId]) -> Vec<TermId> {
    let premise = |term: &TermId| match terms.as_op(*term, Op::Not) {
        Some(&[premise]) if terms.as_var(premise).is_none() => Some(premise),
        _ => None,
    };
    let premises: Vec<TermId> = alternatives.iter().filter_map(premise).collect();
    let is_premised = |term: &TermId| premise(term).is_some();
    let (first, others): (Vec<TermId>, Vec<TermId>) =
        alternatives.iter().copied().partition(is_premised);
    let mut apart = first;
    for other in others {
        let parts = [&premises[..], &[other]].concat();
        apart.push(terms.and(&parts));
    }
    apart
}

/// What a conjunction says about havoced variables.
struct Solved {
    /// Values, each over variables that have theirs before.
    values: Vec<(VarId, TermId)>,
    /// What else must hold.
    rest: Vec<TermId>,
}

/// Solves a conjunction for havoced variables. A variable is solved once, by a term that does not
/// depend on it, not even through the values of others.
fn solve(terms: &Terms, havocs: &Vars, conjuncts: &[TermId]) -> Solved {
    let mut solved = Solved {
        values: Vec::new(),
        rest: Vec::new(),
    };
    // What the value of each solved variable depends on.
    let mut depends: FxHashMap<VarId, FxHashSet<VarId>> = FxHashMap::default();
    for &conjunct in conjuncts {
        let definition = definitions(terms, conjunct)
            .into_iter()
            .find(|&(var, value)| {
                let free = havocs.contains(&var) && !depends.contains_key(&var);
                free && !dependencies(terms, value, &depends).contains(&var)
            });
        match definition {
            Some((var, value)) => {
                depends.insert(var, dependencies(terms, value, &depends));
                // Whatever depends on the variable depends on what it depends on.
                let own = depends[&var].clone();
                for others in depends.values_mut().filter(|others| others.contains(&var)) {
                    others.extend(&own);
                }
                solved.values.push((var, value));
            }
            None => solved.rest.push(conjunct),
        }
    }
    order(terms, &mut solved.values);
    solved
}

fn dependencies(
    terms: &Terms,
    value: TermId,
    depends: &FxHashMap<VarId, FxHashSet<VarId>>,
) -> FxHashSet<VarId> {
    let vars = terms.free_vars(&[value]);
    let indirect = vars.iter().filter_map(|var| depends.get(var)).flatten();
    indirect.chain(&vars).copied().collect()
}

/// Puts values after those that they read.
fn order(terms: &Terms, values: &mut Vec<(VarId, TermId)>) {
    let mut waiting = std::mem::take(values);
    while !waiting.is_empty() {
        let pending: FxHashSet<VarId> = waiting.iter().map(|&(var, _)| var).collect();
        let is_ready = |value: TermId| {
            terms
                .free_vars(&[value])
                .iter()
                .all(|var| !pending.contains(var))
        };
        let (ready, others): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|&(_, value)| is_ready(value));
        assert!(
            !ready.is_empty(),
            "solved variables do not depend on one another in a circle"
        );
        values.extend(ready);
        waiting = others;
    }
}

/// The variables that a conjunct would determine, with their values; only plain forms: `v = t`, `v`, `!v`.
fn definitions(terms: &Terms, conjunct: TermId) -> Vec<(VarId, TermId)> {
    match terms.head(conjunct) {
        Head::Var(var) => vec![(var, terms.true_())],
        Head::Op(Op::Not, &[inner]) => terms
            .as_var(inner)
            .map(|var| (var, terms.false_()))
            .into_iter()
            .collect(),
        Head::Op(Op::Eq, &[left, right]) => {
            let sides = [(left, right), (right, left)];
            sides
                .into_iter()
                .filter_map(|(side, other)| terms.as_var(side).map(|var| (var, other)))
                .collect()
        }
        _ => Vec::new(),
    }
}
