//! An inductive invariant that excludes bad states, clause by clause: IC3 (Bradley, "SAT-based model checking without unrolling",
//! VMCAI'11; Eén, Mishchenko, Brayton, "Efficient implementation of property directed reachability", FMCAD'11).
//!
//! A *frame* `i` is a set of clauses that all states reachable in at most `i` steps satisfy. A bad state in the last frame is an
//! *obligation*: it has a predecessor in the frame before, which becomes an obligation itself, or it is excluded there, by a clause as short
//! as can be found. A run of obligations that reaches the start is a counterexample. Two equal frames are an invariant.
//!
//! Each clause is stored at the last frame that it is known of; a frame has the clauses of all later ones, too.

use super::cdcl::{Cdcl, Lit};
use super::circuit::{Circuit, Copy, ask, fresh};
use lariat_base::{Budget, Stop};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A conjunction of bits of the state or their negations, as literals of the circuit, sorted.
pub(super) type Cube = Vec<Lit>;

/// What a portion of work has led to.
#[derive(Debug)]
pub(super) enum Progress {
    Going,
    /// Bad states cannot be reached: the negations of these cubes, together, are inductive and exclude them.
    Proved(Vec<Cube>),
    /// The inputs of a run to a bad state, the last ones those of that state.
    Reached(Vec<Vec<bool>>),
}

/// So many guards of questions are left behind before the solver is made anew.
const MAX_GUARDS: usize = 3_000;
/// After so many literals in a row that cannot be dropped, the others are kept.
const PATIENCE: usize = 12;

#[derive(Debug)]
pub(super) struct Ic3 {
    circuit: Circuit,
    /// The clauses of each frame, as the cubes that they exclude.
    frames: Vec<Vec<Cube>>,
    /// Knows the frames: clauses of frame `i` count if `active[i]` is assumed.
    solver: Cdcl,
    step: Copy,
    active: Vec<Lit>,
    n_guards: usize,
    /// Knows the step only.
    lifter: Cdcl,
    lifted: Copy,
    /// Obligations by frame, shallow ones first: the frame, a number, the obligation.
    todo: BinaryHeap<Reverse<(usize, usize, usize)>>,
    obligations: Vec<Obligation>,
    /// The work of solvers that were made anew.
    past_work: u64,
    budget: Budget,
}

#[derive(Debug)]
struct Obligation {
    cube: Cube,
    /// The inputs with which all its states lead to the next one, or are bad.
    inputs: Vec<bool>,
    next: Option<usize>,
}

impl Ic3 {
    /// Nothing is known.
    pub fn new(circuit: Circuit, budget: &Budget) -> Self {
        let (solver, step) = fresh(&circuit);
        let (lifter, lifted) = fresh(&circuit);
        let mut ic3 = Self {
            circuit,
            frames: vec![Vec::new(), Vec::new()],
            solver,
            step,
            active: Vec::new(),
            n_guards: 0,
            lifter,
            lifted,
            todo: BinaryHeap::new(),
            obligations: Vec::new(),
            past_work: 0,
            budget: budget.clone(),
        };
        ic3.activate();
        ic3
    }

    /// How much was done.
    pub fn work(&self) -> u64 {
        self.past_work + self.solver.work + self.lifter.work
    }

    /// Which frame is the last.
    pub fn depth(&self) -> usize {
        self.frames.len() - 1
    }

    /// Goes on with another question: the circuit may have got more bits behind the others, and other bad states.
    pub fn ask(&mut self, circuit: Circuit) {
        self.circuit = circuit;
        self.todo.clear();
        self.obligations.clear();
        self.renew();
    }

    /// One obligation, or one more frame.
    pub fn advance(&mut self) -> Result<Progress, Stop> {
        if self.n_guards > MAX_GUARDS {
            self.renew();
        }
        if let Some(Reverse((frame, _, obligation))) = self.todo.pop() {
            return self.oblige(frame, obligation);
        }
        let last = self.depth();
        let bad = self.step.of(self.circuit.bad);
        let mut assumed = self.frame(last);
        assumed.push(bad);
        if !self.ask_solver(&assumed)? {
            return self.propagate();
        }
        let inputs = self.step.inputs(&self.circuit, &self.solver);
        let state = self.state();
        let cube = self.lift(&state, &inputs, &[self.circuit.bad])?;
        self.add_obligation(last, cube, inputs, None);
        Ok(Progress::Going)
    }

    fn add_obligation(&mut self, frame: usize, cube: Cube, inputs: Vec<bool>, next: Option<usize>) {
        self.obligations.push(Obligation { cube, inputs, next });
        let at = self.obligations.len() - 1;
        self.todo.push(Reverse((frame, at, at)));
    }

    /// Excludes an obligation from a frame, or finds where it comes from.
    fn oblige(&mut self, frame: usize, at: usize) -> Result<Progress, Stop> {
        let cube = self.obligations[at].cube.clone();
        if self.is_excluded(frame, &cube) {
            if frame < self.depth() {
                self.todo.push(Reverse((frame + 1, at, at)));
            }
            return Ok(Progress::Going);
        }
        if let Some(core) = self.excluded_after(frame - 1, &cube)? {
            let mut kept = self.shortened(frame, core)?;
            let mut frame = frame;
            while frame < self.depth() {
                match self.excluded_after(frame, &kept)? {
                    Some(core) => kept = core,
                    None => break,
                }
                frame += 1;
            }
            self.exclude(frame, kept);
            if frame < self.depth() {
                self.todo.push(Reverse((frame + 1, at, at)));
            }
            return Ok(Progress::Going);
        }
        let inputs = self.step.inputs(&self.circuit, &self.solver);
        if frame == 1 {
            return Ok(Progress::Reached(self.run(inputs, at)));
        }
        let state = self.state();
        let mut target: Vec<Lit> = cube.iter().map(|&lit| self.next_of(lit)).collect();
        target.push(self.circuit.valid);
        let before = self.lift(&state, &inputs, &target)?;
        self.add_obligation(frame - 1, before, inputs, Some(at));
        self.todo.push(Reverse((frame, at, at)));
        Ok(Progress::Going)
    }

    /// The inputs from the start along obligations.
    fn run(&self, first: Vec<bool>, at: usize) -> Vec<Vec<bool>> {
        let mut inputs = vec![first];
        let mut at = Some(at);
        while let Some(obligation) = at.map(|at| &self.obligations[at]) {
            inputs.push(obligation.inputs.clone());
            at = obligation.next;
        }
        inputs
    }

    /// Starts a new frame with all clauses that hold there.
    fn propagate(&mut self) -> Result<Progress, Stop> {
        self.frames.push(Vec::new());
        self.activate();
        // Old obligations are excluded where they were.
        self.obligations.clear();
        for frame in 1..self.depth() {
            for cube in std::mem::take(&mut self.frames[frame]) {
                match self.excluded_after(frame, &cube)? {
                    Some(core) => self.exclude(frame + 1, core),
                    None => self.frames[frame].push(cube),
                }
            }
            if self.frames[frame].is_empty() {
                let later = self.frames[frame + 1..].iter().flatten();
                return Ok(Progress::Proved(later.cloned().collect()));
            }
        }
        Ok(Progress::Going)
    }

    /// Whether a clause says that the cube is not in the frame.
    fn is_excluded(&self, frame: usize, cube: &Cube) -> bool {
        let mut known = self.frames[frame..].iter().flatten();
        known.any(|smaller| is_subset(smaller, cube))
    }

    /// Whether no step from the states of a frame outside of the cube leads into it: then a part of it for which that is true as well,
    /// and which the state before the start is not in.
    fn excluded_after(&mut self, frame: usize, cube: &Cube) -> Result<Option<Cube>, Stop> {
        let guard = Lit::new(self.solver.new_var(), false);
        self.n_guards += 1;
        let outside = cube.iter().map(|&lit| !self.step.of(lit));
        let clause: Vec<Lit> = outside.chain([!guard]).collect();
        self.solver.add(&clause);
        let mut assumed = self.frame(frame);
        assumed.extend([guard, self.step.of(self.circuit.valid)]);
        let targets = cube.iter().map(|&lit| self.step.of(self.next_of(lit)));
        let targets: Vec<Lit> = targets.collect();
        assumed.extend(&targets);
        let is_possible = self.ask_solver(&assumed)?;
        let core = self.solver.core();
        let pairs = cube.iter().zip(&targets);
        let in_core = pairs.filter(|(_, target)| core.contains(target));
        let mut kept: Cube = in_core.map(|(&lit, _)| lit).collect();
        self.solver.add(&[!guard]);
        if is_possible {
            return Ok(None);
        }
        // All bits are 0 before the start.
        if kept.iter().all(|lit| lit.is_negative()) {
            let set = cube.iter().find(|lit| !lit.is_negative());
            kept.extend(set.copied());
            kept.sort_unstable();
        }
        Ok(Some(kept))
    }

    /// A shorter cube that no step leads into either.
    fn shortened(&mut self, frame: usize, cube: Cube) -> Result<Cube, Stop> {
        let mut kept = cube;
        let (mut at, mut n_failed) = (0, 0);
        while at < kept.len() && n_failed < PATIENCE {
            let mut fewer = kept.clone();
            fewer.remove(at);
            let is_apart = fewer.iter().any(|lit| !lit.is_negative());
            let found = if is_apart {
                self.excluded_after(frame - 1, &fewer)?
            } else {
                None
            };
            match found {
                Some(core) => {
                    kept = core;
                    n_failed = 0;
                }
                None => {
                    at += 1;
                    n_failed += 1;
                }
            }
        }
        Ok(kept)
    }

    /// Adds a clause to a frame and all before it.
    fn exclude(&mut self, frame: usize, cube: Cube) {
        for known in &mut self.frames[1..=frame] {
            known.retain(|other| !is_subset(&cube, other));
        }
        self.assert(frame, &cube);
        self.frames[frame].push(cube);
    }

    fn assert(&mut self, frame: usize, cube: &Cube) {
        let outside = cube.iter().map(|&lit| !self.step.of(lit));
        let clause: Vec<Lit> = outside.chain([!self.active[frame]]).collect();
        self.solver.add(&clause);
    }

    /// A part of a state all of whose states make the targets true with these inputs.
    fn lift(&mut self, state: &[Lit], inputs: &[bool], targets: &[Lit]) -> Result<Cube, Stop> {
        let guard = Lit::new(self.lifter.new_var(), false);
        self.n_guards += 1;
        let missed = targets.iter().map(|&target| !self.lifted.of(target));
        let clause: Vec<Lit> = missed.chain([!guard]).collect();
        self.lifter.add(&clause);
        let mut assumed = vec![guard];
        for (at, &value) in inputs.iter().enumerate() {
            assumed.push(self.lifted.of(self.circuit.input(at)).if_(value));
        }
        assumed.extend(state.iter().map(|&lit| self.lifted.of(lit)));
        let is_possible = ask(&mut self.lifter, &assumed, &self.budget)?;
        assert!(!is_possible, "a step leads where it leads");
        let core = self.lifter.core();
        let needed = state
            .iter()
            .filter(|&&lit| core.contains(&self.lifted.of(lit)));
        let needed = needed.copied().collect();
        self.lifter.add(&[!guard]);
        Ok(needed)
    }

    /// What a bit of the state, or its negation, is after a step.
    fn next_of(&self, lit: Lit) -> Lit {
        self.circuit.next[lit.var() - 1].if_(!lit.is_negative())
    }

    /// The state in the solver's last model.
    fn state(&self) -> Cube {
        let bits = (0..self.circuit.n_state).map(Circuit::state);
        bits.map(|bit| bit.if_(self.solver.truth(self.step.of(bit))))
            .collect()
    }

    /// What is assumed for a frame.
    fn frame(&self, frame: usize) -> Vec<Lit> {
        match frame {
            0 => vec![self.active[0]],
            _ => self.active[frame..].to_vec(),
        }
    }

    fn ask_solver(&mut self, assumed: &[Lit]) -> Result<bool, Stop> {
        ask(&mut self.solver, assumed, &self.budget)
    }

    /// Makes literals for new frames. Frame 0 is the state before the start.
    fn activate(&mut self) {
        while self.active.len() < self.frames.len() {
            let active = Lit::new(self.solver.new_var(), false);
            if self.active.is_empty() {
                for bit in 0..self.circuit.n_state {
                    let bit = self.step.of(Circuit::state(bit));
                    self.solver.add(&[!active, !bit]);
                }
            }
            self.active.push(active);
        }
    }

    /// New solvers without what old questions have left.
    fn renew(&mut self) {
        self.past_work += self.solver.work + self.lifter.work;
        (self.solver, self.step) = fresh(&self.circuit);
        (self.lifter, self.lifted) = fresh(&self.circuit);
        self.n_guards = 0;
        self.active.clear();
        self.activate();
        for frame in 1..self.frames.len() {
            for at in 0..self.frames[frame].len() {
                let cube = self.frames[frame][at].clone();
                self.assert(frame, &cube);
            }
        }
    }
}

/// Whether a sorted cube has all literals of another.
fn is_subset(smaller: &Cube, cube: &Cube) -> bool {
    smaller.iter().all(|lit| cube.binary_search(lit).is_ok())
}
