//! The steps of a machine as a relation on sets of states, in *parts* that are joined one after the other. A variable is quantified away with the last
//! part that has it (Burch, Clarke, Long, "Symbolic model checking with partitioned transition relations", VLSI'91; the order of the
//! parts after Ranjan et al., "Efficient BDD algorithms for FSM synthesis and verification", IWLS'95).

use super::diagram::{Bdd, Diagrams, Var};
use crate::sat::lasting::demands;
use crate::sat::machine::Machine;
use lariat_base::{Budget, FxHashMap, FxHashSet, Stop};
use lariat_expr::{Head, Op, TermId, Terms, Value, VarId};
use std::cmp::Reverse;

/// Parts are joined while they have at most so many nodes.
const LARGEST_PART: usize = 2_000;

/// A machine as diagrams.
pub(super) struct Relation {
    pub diagrams: Diagrams,
    /// The bits of the state: now, and after the step.
    pub now: Vec<Var>,
    after: Vec<Var>,
    /// Which variables stay together when the order changes.
    blocks: Vec<Vec<Var>>,
    /// After in place of now, and the other way round.
    to_after: Vec<Var>,
    to_now: Vec<Var>,
    /// The variables that are no state: the inputs.
    inputs: Vec<Var>,
    /// The parts in the order in which they are joined with a set of states that a step starts from, or leads to.
    forward: Vec<Part>,
    backward: Vec<Part>,
    /// Which steps have each mark.
    marks: Vec<Bdd>,
    /// The states that are bad.
    pub bad: Bdd,
    /// What must be kept for a while.
    kept: Vec<Bdd>,
}

/// A part of the relation, and the variables that are quantified away with it.
struct Part {
    relation: Bdd,
    gone: Vec<Var>,
}

impl Relation {
    /// The steps of a machine.
    pub fn new(terms: &mut Terms, machine: &Machine, budget: &Budget) -> Result<Self, Stop> {
        let order = order(terms, machine);
        let vars = Variables::new(machine, &order);
        let mut relation = Self {
            diagrams: Diagrams::new(vars.n_vars, budget),
            now: vars.now,
            after: vars.after,
            blocks: vars.blocks,
            to_after: vars.to_after,
            to_now: vars.to_now,
            inputs: vars.inputs,
            forward: Vec::new(),
            backward: Vec::new(),
            marks: Vec::new(),
            bad: Bdd::FALSE,
            kept: Vec::new(),
        };
        relation.fill(terms, machine, &vars.of)?;
        Ok(relation)
    }

    /// How many marks there are.
    pub fn n_marks(&self) -> usize {
        self.marks.len()
    }

    /// Makes the parts, the marks and the bad states.
    fn fill(
        &mut self,
        terms: &mut Terms,
        machine: &Machine,
        vars: &FxHashMap<VarId, Var>,
    ) -> Result<(), Stop> {
        let mut roots: Vec<TermId> = machine.state.iter().map(|&(_, next)| next).collect();
        let n_state = roots.len();
        let n_marks = machine.marks.len();
        roots.extend(&machine.marks);
        roots.push(machine.bad);
        roots.extend(demands(terms, machine));
        let mut functions = self.functions(terms, &roots, vars)?;
        let valid = functions.split_off(n_state + n_marks + 1);
        let bad = functions.pop().expect("it was asked for");
        self.marks = functions.split_off(n_state);
        let inputs = self.diagrams.cube(&self.inputs)?;
        self.bad = self.diagrams.exists(bad, inputs)?;
        self.kept = [functions.clone(), valid.clone()].concat();
        let mut steps = valid;
        for (bit, function) in functions.into_iter().enumerate() {
            let after = self.diagrams.var(self.after[bit])?;
            let step = !self.diagrams.xor(after, function)?;
            steps.push(step);
            self.kept.push(step);
            self.tidy(&[])?;
        }
        let parts = self.joined(steps)?;
        self.kept.clone_from(&parts);
        self.forward = self.scheduled(&parts, &self.now);
        self.backward = self.scheduled(&parts, &self.after);
        self.kept.clear();
        Ok(())
    }

    /// The functions of terms over the bits. What is not needed any more is forgotten on the way.
    fn functions(
        &mut self,
        terms: &Terms,
        roots: &[TermId],
        vars: &FxHashMap<VarId, Var>,
    ) -> Result<Vec<Bdd>, Stop> {
        let all = terms.subterms(roots);
        let mut n_uses: FxHashMap<TermId, usize> = FxHashMap::default();
        let args = all.iter().flat_map(|&term| terms.args(term));
        for &used in args.chain(roots) {
            *n_uses.entry(used).or_default() += 1;
        }
        let mut known: FxHashMap<TermId, Bdd> = FxHashMap::default();
        for term in all {
            let function = self.function(terms, &known, vars, term)?;
            known.insert(term, function);
            for arg in terms.args(term) {
                let left = n_uses.get_mut(arg).expect("it was counted");
                *left -= 1;
                if *left == 0 {
                    known.remove(arg);
                }
            }
            if self.diagrams.is_untidy() {
                let needed: Vec<Bdd> = known.values().copied().collect();
                self.tidy(&needed)?;
            }
        }
        Ok(roots.iter().map(|root| known[root]).collect())
    }

    fn function(
        &mut self,
        terms: &Terms,
        known: &FxHashMap<TermId, Bdd>,
        vars: &FxHashMap<VarId, Var>,
        term: TermId,
    ) -> Result<Bdd, Stop> {
        let (op, args) = match terms.head(term) {
            Head::Var(var) => return self.diagrams.var(vars[&var]),
            Head::Lit(value) if *value == Value::Bool(true) => return Ok(Bdd::TRUE),
            Head::Lit(_) => return Ok(Bdd::FALSE),
            Head::Op(op, args) => (op, args),
        };
        let mut args = args.iter().map(|arg| known[arg]);
        let mut arg = || args.next().expect("it has its arguments");
        match op {
            Op::Not => Ok(!arg()),
            Op::And => args.try_fold(Bdd::TRUE, |all, arg| self.diagrams.and(all, arg)),
            Op::Or => args.try_fold(Bdd::FALSE, |some, arg| self.diagrams.or(some, arg)),
            Op::Eq => Ok(!self.diagrams.xor(arg(), arg())?),
            Op::Ite => self.diagrams.ite(arg(), arg(), arg()),
            other => panic!("{other:?} is not on truth values alone"),
        }
    }

    /// Joins neighbours while they are small.
    fn joined(&mut self, steps: Vec<Bdd>) -> Result<Vec<Bdd>, Stop> {
        let mut parts: Vec<Bdd> = Vec::new();
        for step in steps {
            let size = |part: &Bdd| self.diagrams.size(*part);
            let last = parts
                .last_mut()
                .filter(|last| size(last) + size(&step) <= LARGEST_PART);
            if let Some(last) = last {
                *last = self.diagrams.and(*last, step)?;
                continue;
            }
            parts.push(step);
            let needed = parts.clone();
            self.tidy(&needed)?;
        }
        Ok(parts)
    }

    /// The parts in a good order for sets over these bits of the state, which are quantified away as the inputs are: next is always the part after which
    /// most variables are done with, for the fewest that it brings in.
    fn scheduled(&self, parts: &[Bdd], from: &[Var]) -> Vec<Part> {
        let gone: FxHashSet<Var> = from.iter().chain(&self.inputs).copied().collect();
        let supports: Vec<FxHashSet<Var>> = parts
            .iter()
            .map(|&part| self.diagrams.support(part))
            .collect();
        let mut n_left: FxHashMap<Var, usize> = FxHashMap::default();
        for &var in supports.iter().flatten() {
            *n_left.entry(var).or_default() += 1;
        }
        let n_vars = self.diagrams.order.len();
        let mut present: FxHashSet<Var> = from.iter().copied().collect();
        let mut left: Vec<usize> = (0..parts.len()).collect();
        let mut scheduled = Vec::new();
        while !left.is_empty() {
            let worth = |part: usize| {
                let support = &supports[part];
                let is_done = |var: &&Var| gone.contains(var) && n_left[var] == 1;
                let n_done = support.iter().filter(is_done).count();
                let n_new = support.iter().filter(|var| !present.contains(var)).count();
                (n_vars + 2 * n_done - n_new, Reverse(part))
            };
            let best = (0..left.len()).max_by_key(|&at| worth(left[at]));
            let part = left.swap_remove(best.expect("one is left"));
            let mut done = Vec::new();
            for &var in &supports[part] {
                present.insert(var);
                let left = n_left.get_mut(&var).expect("it was counted");
                *left -= 1;
                if *left == 0 && gone.contains(&var) {
                    done.push(var);
                }
            }
            scheduled.push(Part {
                relation: parts[part],
                gone: done,
            });
        }
        // What no part has is gone from the start.
        let unused: Vec<Var> = gone
            .iter()
            .copied()
            .filter(|var| !n_left.contains_key(var))
            .collect();
        let first = Part {
            relation: Bdd::TRUE,
            gone: unused,
        };
        scheduled.insert(0, first);
        scheduled
    }

    /// The states to which steps from these lead, with a mark if one is given.
    pub fn image(&mut self, from: Bdd, mark: Option<usize>, needed: &[Bdd]) -> Result<Bdd, Stop> {
        let steps = self.marked(from, mark)?;
        let after = self.join(steps, true, needed)?;
        self.diagrams.rename(after, &self.to_now, 0)
    }

    /// The states from which steps lead to these, with a mark if one is given.
    pub fn preimage(&mut self, to: Bdd, mark: Option<usize>, needed: &[Bdd]) -> Result<Bdd, Stop> {
        let after = self.diagrams.rename(to, &self.to_after, 1)?;
        let steps = self.marked(after, mark)?;
        self.join(steps, false, needed)
    }

    fn marked(&mut self, steps: Bdd, mark: Option<usize>) -> Result<Bdd, Stop> {
        match mark {
            None => Ok(steps),
            Some(mark) => self.diagrams.and(steps, self.marks[mark]),
        }
    }

    /// A set of steps that all parts allow, without the variables that a step starts from, or leads to.
    fn join(&mut self, steps: Bdd, is_forward: bool, needed: &[Bdd]) -> Result<Bdd, Stop> {
        let mut steps = steps;
        let n_parts = self.forward.len();
        for at in 0..n_parts {
            let parts = if is_forward {
                &self.forward
            } else {
                &self.backward
            };
            let part = &parts[at];
            let cube = self.diagrams.cube(&part.gone)?;
            steps = self.diagrams.and_exists(steps, part.relation, cube)?;
            let needed = [needed, &[steps]].concat();
            self.tidy(&needed)?;
        }
        Ok(steps)
    }

    /// Frees what neither the relation nor the caller needs.
    pub fn tidy(&mut self, needed: &[Bdd]) -> Result<(), Stop> {
        if !self.diagrams.is_untidy() {
            return Ok(());
        }
        let mut roots: Vec<Bdd> = self.forward.iter().map(|part| part.relation).collect();
        roots.extend(&self.marks);
        roots.push(self.bad);
        roots.extend(&self.kept);
        roots.extend(needed);
        self.diagrams.tidy(&roots, &self.blocks)
    }
}

/// The variables of diagrams that stand for those of a machine.
struct Variables {
    n_vars: usize,
    of: FxHashMap<VarId, Var>,
    now: Vec<Var>,
    after: Vec<Var>,
    inputs: Vec<Var>,
    blocks: Vec<Vec<Var>>,
    to_after: Vec<Var>,
    to_now: Vec<Var>,
}

impl Variables {
    /// Numbers the variables in an order; a bit of the state is followed by what it is after the step.
    fn new(machine: &Machine, order: &[VarId]) -> Self {
        let bits = machine.state.iter().map(|&(var, _)| var);
        let bits: FxHashMap<VarId, usize> = bits.zip(0..).collect();
        let mut vars = Self {
            n_vars: 0,
            of: FxHashMap::default(),
            now: vec![0; bits.len()],
            after: vec![0; bits.len()],
            inputs: Vec::new(),
            blocks: Vec::new(),
            to_after: Vec::new(),
            to_now: Vec::new(),
        };
        for var in order {
            let now = vars.n_vars as Var;
            vars.of.insert(*var, now);
            if let Some(&bit) = bits.get(var) {
                (vars.now[bit], vars.after[bit]) = (now, now + 1);
                vars.blocks.push(vec![now, now + 1]);
                vars.to_after.extend([now + 1, now + 1]);
                vars.to_now.extend([now, now]);
                vars.n_vars += 2;
            } else {
                vars.inputs.push(now);
                vars.blocks.push(vec![now]);
                vars.to_after.push(now);
                vars.to_now.push(now);
                vars.n_vars += 1;
            }
        }
        vars
    }
}

/// An order in which variables that meet in a formula are near each other: as they are met from the functions of the bits, deep first.
fn order(terms: &Terms, machine: &Machine) -> Vec<VarId> {
    let mut order = Vec::new();
    let mut seen_vars = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let functions = machine.state.iter().map(|&(_, next)| next);
    let others = machine.marks.iter().chain([&machine.valid, &machine.bad]);
    let mut todo: Vec<TermId> = functions.chain(others.copied()).collect();
    todo.reverse();
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Some(var) = terms.as_var(term)
            && seen_vars.insert(var)
        {
            order.push(var);
        }
        todo.extend(terms.args(term).iter().rev());
    }
    let bits = machine.state.iter().map(|&(var, _)| var);
    let all = bits.chain(machine.inputs.iter().copied());
    let unused = all.filter(|var| seen_vars.insert(*var));
    order.extend(unused.collect::<Vec<_>>());
    order
}
