//! Steps are cut in two where least is known: after what a state determines, before what is chosen anew.
//!
//! A step of a circuit computes the next values of its latches from those before and from its inputs, and then chooses the
//! inputs of the step to come. With `n` inputs each state has `2^n` of them, and each of these has `2^n` steps, though the
//! half of a step that computes does not choose and the half that chooses does not depend on the inputs before. Between the halves only the
//! latches are alive. With a location there, states that differ in dead inputs meet, and there are `2 · 2^n` half steps for each state of the
//! latches instead of `2^n · 2^n` whole ones.
//!
//! Nothing is read between the halves, so words are the same. Runs that get stuck between the halves are those that got stuck before.

use super::forget::{fixed_value, forgetting};
use super::{Applied, Pass, Stage};
use lariat_base::{Csr, FxHashMap, Id as _};
use lariat_expr::{Int, Sort, VarId};
use lariat_system::{
    Context, Edge, Initial, LocId, Location, Stmt, StmtId, System, Variable, Vars, live_before,
    live_variables,
};

/// The pass, for a model by itself: in a composition, every location is a point where another part may go on. It may add
/// locations behind the others, with one edge each, and variables behind the others, which hold what one half hands to the other.
pub struct CutSteps;

/// Models with more variables are not explored state by state anyway.
const MAX_VARIABLES: usize = 2_000;
/// The least number of bits that a cut must save.
const MIN_BITS: u32 = 2;

impl Pass for CutSteps {
    fn supports(&self, stage: &Stage) -> bool {
        stage.model.is_single() && stage.model.systems[0].variables.len() <= MAX_VARIABLES
    }

    fn apply(&self, cx: &mut Context, stage: &mut Stage) -> Applied {
        let observed = cx.terms.free_vars(&stage.observed_terms());
        let observed: Vars = observed.into_iter().collect();
        cut_steps(cx, &mut stage.model.systems[0], &observed);
        Applied::Halves
    }
}

/// Cuts the steps of a system for which that saves something.
fn cut_steps(cx: &mut Context, system: &mut System, observed: &Vars) {
    let live = live_variables(cx, system, observed);
    let mut cutter = Cutter {
        ranges: system
            .variables
            .iter()
            .map(|v| (v.var, v.range.clone()))
            .collect(),
        own: system.variables.iter().map(|v| v.var).collect(),
        handed: Vec::new(),
    };
    let n_locations = system.locations.len();
    let mut rows: Vec<Vec<Edge>> = Vec::new();
    let mut second_halves: Vec<Vec<Edge>> = Vec::new();
    for (_, edges) in system.edges.rows() {
        let mut row = Vec::new();
        for &edge in edges {
            match cutter.halves(cx, edge, &live[edge.target]) {
                None => row.push(edge),
                Some([first, second]) => {
                    let between = LocId::from_index(n_locations + second_halves.len());
                    row.push(Edge {
                        observed: false,
                        ..Edge::new(first, between)
                    });
                    second_halves.push(vec![Edge {
                        stmt: second,
                        ..edge
                    }]);
                }
            }
        }
        rows.push(row);
    }
    for _ in &second_halves {
        system.locations.push(Location::new("between"));
    }
    system.edges = Csr::from_rows(rows.into_iter().chain(second_halves));
    for var in cutter.handed {
        let range = cutter.ranges.get(&var).cloned().flatten();
        system.variables.push(Variable {
            range,
            initial: Some(fixed_value(cx, var)),
            ..Variable::new(var)
        });
    }
    let branches = system.initial.branches().to_vec();
    system.initial = Initial::new(cx, &system.variables, branches);
}

struct Cutter {
    ranges: FxHashMap<VarId, Option<(Int, Int)>>,
    /// The variables of the system.
    own: Vec<VarId>,
    /// Variables of steps that a first half hands to its second one.
    handed: Vec<VarId>,
}

impl Cutter {
    /// The halves of a step, if cutting it saves something.
    fn halves(&mut self, cx: &mut Context, edge: Edge, after: &Vars) -> Option<[StmtId; 2]> {
        if edge.stutter {
            return None;
        }
        let items = flat_items(cx, edge.stmt);
        self.learn_ranges(cx, &items);
        let all = self.bits(cx, after);
        let (mut live, mut best, mut best_bits) = (after.clone(), None, all);
        for at in (1..items.len()).rev() {
            live_before(cx, items[at], &mut live);
            let bits = self.bits(cx, &live);
            if bits < best_bits {
                (best, best_bits) = (Some((at, live.clone())), bits);
            }
        }
        let (at, live) = best.filter(|_| best_bits + MIN_BITS <= all)?;
        let (first, second) = items.split_at(at);
        let is_own: Vars = self.own.iter().copied().collect();
        let mut handed: Vec<VarId> = live
            .iter()
            .copied()
            .filter(|var| !is_own.contains(var))
            .collect();
        handed.sort_unstable();
        let first: Vec<StmtId> = first.iter().map(|&item| kept(cx, item, &handed)).collect();
        let first = cx.stmts.derive_seq(&first, edge.stmt);
        let dead = self.own.iter().copied().filter(|var| !live.contains(var));
        let dead: Vec<VarId> = dead.collect();
        let first = forgetting(cx, first, &dead);
        let second = cx.stmts.derive_seq(second, edge.stmt);
        let second = forgetting(cx, second, &handed);
        for var in handed {
            if !self.handed.contains(&var) {
                self.handed.push(var);
            }
        }
        Some([first, second])
    }

    /// A variable of a step has the range of what it is assigned to.
    fn learn_ranges(&mut self, cx: &Context, items: &[StmtId]) {
        for &item in items {
            if let Stmt::Assign(to, value) = cx.stmts.get(item)
                && let Some(from) = cx.terms.as_var(value)
                && let Some(range) = self.ranges.get(&to).cloned()
            {
                self.ranges.entry(from).or_insert(range);
            }
        }
    }

    /// How many bits the values of some variables take.
    fn bits(&self, cx: &Context, vars: &Vars) -> u32 {
        const MANY: u32 = 64;
        let bits = vars.iter().map(|&var| {
            let sort = cx.terms.var_sort(var);
            let count = match (cx.terms.sorts.get(sort), self.ranges.get(&var)) {
                (Sort::Int, Some(Some((low, high)))) => {
                    let size = (high - low).to_i64().and_then(|n| u64::try_from(n).ok());
                    size.map(|n| n + 1)
                }
                _ => cx.terms.sorts.cardinality(sort),
            };
            count.map_or(MANY, |count| {
                u64::BITS - count.saturating_sub(1).leading_zeros()
            })
        });
        bits.sum()
    }
}

/// The statements of a sequence, none of them a sequence.
fn flat_items(cx: &Context, stmt: StmtId) -> Vec<StmtId> {
    let mut items = Vec::new();
    let mut todo = vec![stmt];
    while let Some(part) = todo.pop() {
        match cx.stmts.get(part) {
            Stmt::Seq(list) => todo.extend(cx.stmts.items(list).iter().rev()),
            _ => items.push(part),
        }
    }
    items
}

/// A statement of a first half: what it declares for the second one is assigned, since it is a variable of the system now.
fn kept(cx: &mut Context, item: StmtId, handed: &[VarId]) -> StmtId {
    let stmt = match cx.stmts.get(item) {
        Stmt::Declare(var, Some(value)) if handed.contains(&var) => Stmt::Assign(var, value),
        Stmt::Declare(var, None) if handed.contains(&var) => Stmt::Havoc(var),
        _ => return item,
    };
    cx.stmts.derive(stmt, item)
}
