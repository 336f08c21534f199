//! The states of a circuit, one by one, with the solver in place of the inputs: it tells where some inputs lead, and then where others
//! do, until there is nowhere else.
//!
//! A circuit with `n` inputs has `2^n` steps from each state, but mostly few successors. So circuits with few latches are decided, however
//! many inputs they have. The searches are those of explicit states.

use super::cdcl::{Cdcl, Lit};
use super::circuit::{Circuit, Copy, ask, fresh};
use super::paths::Found;
use super::stepper::Stepper;
use crate::acceptance::{Acceptance, Mark, MarkSets};
use crate::graph::{Arc, Graph, Hop, NodeId};
use crate::search::{Search, shorten};
use lariat_base::{Budget, FxHashMap, Id as _, Stop};

/// So many guards of questions are left behind before the solver is made anew.
const MAX_GUARDS: usize = 1_000;
/// How many propagated literals are a unit of work.
const PER_WORK: u64 = 8;

/// Bits of the state, packed.
type Packed = Box<[u64]>;

/// The graph of a circuit's states.
pub(super) struct States<'c> {
    circuit: &'c Circuit,
    budget: Budget,
    solver: Cdcl,
    step: Copy,
    n_guards: usize,
    index: FxHashMap<Packed, NodeId>,
    all: Vec<Packed>,
    arcs: Vec<Option<Box<[Arc]>>>,
    acceptance: Acceptance,
    marks: Vec<Mark>,
    sets: MarkSets,
    /// The work that the budget was told of, and that of solvers that were made anew.
    told: u64,
    past_work: u64,
}

impl<'c> States<'c> {
    /// The state before the start.
    pub fn new(circuit: &'c Circuit, budget: &Budget) -> Self {
        let (solver, step) = fresh(circuit);
        let mut acceptance = Acceptance::new();
        let marks = circuit.marks.iter().map(|_| acceptance.add_buchi());
        let marks = marks.collect();
        let mut states = Self {
            circuit,
            budget: budget.clone(),
            solver,
            step,
            n_guards: 0,
            index: FxHashMap::default(),
            all: Vec::new(),
            arcs: Vec::new(),
            acceptance,
            marks,
            sets: MarkSets::new(),
            told: 0,
            past_work: 0,
        };
        states.node(vec![0; circuit.n_state.div_ceil(64)].into());
        states
    }

    /// How many states were met.
    pub fn n_states(&self) -> usize {
        self.all.len()
    }

    /// A counterexample; none if there is none.
    pub fn search(&mut self) -> Result<Option<Found>, Stop> {
        let budget = self.budget.clone();
        let mut stepper = Stepper::new(self.circuit, &budget);
        if self.circuit.marks.is_empty() {
            let reach = Search::Bfs.reach().expect("it looks for states");
            let Some(path) = reach.search(self, &budget)? else {
                return Ok(None);
            };
            let mut inputs = self.inputs_along(&path.hops, &mut stepper)?;
            let last = path.hops.last().map_or(path.start, |hop| hop.to);
            inputs.push(stepper.inputs(self.bits(last), &[self.circuit.bad])?);
            return Ok(Some(Found {
                inputs,
                start: None,
            }));
        }
        let mut scc = Search::Scc.emptiness().expect("it looks for lassos");
        let Some(mut lasso) = scc.search(self, &budget)? else {
            return Ok(None);
        };
        if let Ok(short) = shorten(self, lasso.clone(), &|node| scc.is_explored(node), &budget) {
            lasso = short;
        }
        let mut inputs = self.inputs_along(&lasso.stem.hops, &mut stepper)?;
        let start = inputs.len();
        inputs.extend(self.inputs_along(&lasso.cycle, &mut stepper)?);
        // The last state is that of the loop's start, with what is chosen there.
        inputs.push(inputs[start].clone());
        Ok(Some(Found {
            inputs,
            start: Some(start),
        }))
    }

    fn node(&mut self, state: Packed) -> NodeId {
        if let Some(&known) = self.index.get(&state) {
            return known;
        }
        let node = NodeId::from_index(self.all.len());
        self.index.insert(state.clone(), node);
        self.all.push(state);
        self.arcs.push(None);
        node
    }

    /// That the state is the one of a node, as assumptions.
    fn at(&self, node: NodeId) -> Vec<Lit> {
        let bits = self.bits(node).enumerate();
        let lit = |(bit, is_set)| self.step.of(Circuit::state(bit)).if_(is_set);
        bits.map(lit).collect()
    }

    fn ask(&mut self, assumed: &[Lit]) -> Result<bool, Stop> {
        let answer = ask(&mut self.solver, assumed, &self.budget)?;
        let work = (self.past_work + self.solver.work) / PER_WORK;
        self.budget.spend(work - self.told)?;
        self.told = work;
        Ok(answer)
    }

    /// All successors of a node with their marks, each once.
    fn list(&mut self, node: NodeId) -> Result<Box<[Arc]>, Stop> {
        if self.n_guards > MAX_GUARDS {
            self.past_work += self.solver.work;
            (self.solver, self.step) = fresh(self.circuit);
            self.n_guards = 0;
        }
        let guard = Lit::new(self.solver.new_var(), false);
        self.n_guards += 1;
        let mut assumed = self.at(node);
        assumed.extend([guard, self.step.of(self.circuit.valid)]);
        let circuit = self.circuit;
        let told = circuit.next.iter().chain(&circuit.marks);
        let told: Vec<Lit> = told.map(|&lit| self.step.of(lit)).collect();
        let mut arcs = Vec::new();
        while self.ask(&assumed)? {
            let is_true = |&lit: &Lit| self.solver.truth(lit);
            let (next, marks) = told.split_at(circuit.n_state);
            let mut state = vec![0; circuit.n_state.div_ceil(64)];
            for (bit, lit) in next.iter().enumerate() {
                state[bit / 64] |= u64::from(is_true(lit)) << (bit % 64);
            }
            let carried = self.marks.iter().zip(marks);
            let carried = carried.filter(|(_, lit)| is_true(lit));
            let marks = self.sets.of(carried.map(|(&mark, _)| mark));
            let other = told.iter().map(|&lit| lit.if_(!self.solver.truth(lit)));
            let other: Vec<Lit> = other.chain([!guard]).collect();
            self.solver.add(&other);
            let target = self.node(state.into());
            arcs.push(Arc { target, marks });
        }
        self.solver.add(&[!guard]);
        Ok(arcs.into())
    }

    /// The bits of a node's state.
    fn bits(&self, node: NodeId) -> impl Iterator<Item = bool> + use<> {
        let state = self.all[node.index()].clone();
        (0..self.circuit.n_state).map(move |bit| state[bit / 64] >> (bit % 64) & 1 == 1)
    }

    fn inputs_along(
        &self,
        hops: &[Hop],
        stepper: &mut Stepper<'_>,
    ) -> Result<Vec<Vec<bool>>, Stop> {
        let mut inputs = Vec::new();
        for hop in hops {
            let arcs = self.arcs[hop.from.index()].as_ref();
            let arc = arcs.expect("a hop is along an arc")[hop.index];
            let marks = self.marks.iter().zip(&self.circuit.marks);
            let marks = marks.map(|(&mark, lit)| lit.if_(self.sets.contains(arc.marks, mark)));
            inputs.push(stepper.step(self.bits(hop.from), self.bits(arc.target), marks)?);
        }
        Ok(inputs)
    }
}

impl Graph for States<'_> {
    fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    fn mark_sets(&mut self) -> &mut MarkSets {
        &mut self.sets
    }

    fn initial(&mut self, out: &mut Vec<NodeId>) -> Result<(), Stop> {
        out.push(NodeId::from_index(0));
        Ok(())
    }

    fn successors(&mut self, node: NodeId, out: &mut Vec<Arc>) -> Result<(), Stop> {
        if self.arcs[node.index()].is_none() {
            let arcs = self.list(node)?;
            self.arcs[node.index()] = Some(arcs);
        }
        let arcs = self.arcs[node.index()].as_ref();
        out.extend_from_slice(arcs.expect("they were listed"));
        Ok(())
    }

    fn is_goal(&mut self, node: NodeId) -> Result<bool, Stop> {
        let mut assumed = self.at(node);
        assumed.push(self.step.of(self.circuit.bad));
        self.ask(&assumed)
    }
}
