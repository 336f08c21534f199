//! Runs of bounded length: all steps are one formula, one copy of the circuit after the other (Biere, Cimatti, Clarke, Zhu,
//! "Symbolic model checking without BDDs", TACAS'99).
//!
//! A loop is found with one saved state: some step saves the state in front of it, and a later state is the saved one. So what is said
//! of a length stays true of the longer ones, and the solver goes on from what it has learned. That a length has no counterexample is
//! the hard part; so the next question about loops is one about several
//! lengths, the more the longer they are.

use super::cdcl::{Cdcl, Lit};
use super::circuit::{Circuit, Copy, TRUE, solver};

/// The paths of a question are longer than those before by one over this.
const LONGER: usize = 20;

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The inputs of each step, the last ones those of the state that is reached.
    pub inputs: Vec<Vec<bool>>,
    /// After how many steps the loop starts, if there is one.
    pub start: Option<usize>,
}

/// Paths of growing length.
#[derive(Debug)]
pub(super) struct Paths<'c> {
    circuit: &'c Circuit,
    solver: Cdcl,
    /// The state after each number of steps, and the copies of the steps.
    states: Vec<Vec<Lit>>,
    steps: Vec<Copy>,
    /// That the loop starts in front of each step, and that it has started.
    starts: Vec<Lit>,
    is_looping: Lit,
    saved: Vec<Lit>,
    /// That each mark was met since the loop started.
    met: Vec<Lit>,
    /// That a counterexample ends after each number of steps that is asked about.
    ends: Vec<Lit>,
    /// What is asked, if it is not answered yet.
    question: Option<Lit>,
    /// No counterexample has so many steps or fewer.
    pub n_clear: usize,
}

impl<'c> Paths<'c> {
    /// Paths of no step.
    pub fn new(circuit: &'c Circuit) -> Self {
        let mut solver = solver();
        let saved = (0..circuit.n_state).map(|_| new_lit(&mut solver)).collect();
        Self {
            circuit,
            solver,
            states: vec![vec![!TRUE; circuit.n_state]],
            steps: Vec::new(),
            starts: Vec::new(),
            is_looping: !TRUE,
            saved,
            met: vec![!TRUE; circuit.marks.len()],
            ends: Vec::new(),
            question: None,
            n_clear: 0,
        }
    }

    /// How much was done.
    pub fn work(&self) -> u64 {
        self.solver.work + self.steps.len() as u64 * self.circuit.n_vars as u64
    }

    /// How many steps the paths have.
    pub fn n_steps(&self) -> usize {
        self.states.len() - 1
    }

    /// Goes on, for so many conflicts at most.
    pub fn advance(&mut self, max_conflicts: u64) -> Option<Found> {
        let question = self.question.unwrap_or_else(|| self.ask());
        self.question = Some(question);
        if self.solver.solve(&[question], max_conflicts)? {
            return Some(self.found());
        }
        self.solver.add(&[!question]);
        for end in std::mem::take(&mut self.ends) {
            self.solver.add(&[!end]);
        }
        self.question = None;
        self.n_clear = self.n_steps();
        None
    }

    /// Some more steps, and the question whether a counterexample ends after one of them.
    fn ask(&mut self) -> Lit {
        if self.circuit.marks.is_empty() {
            // A bad state may have no successor: it counts only as the last one.
            let end = self.ends_badly();
            self.ends.push(end);
        } else {
            for _ in 0..=self.n_steps() / LONGER {
                let end = self.loops();
                self.ends.push(end);
            }
        }
        let question = new_lit(&mut self.solver);
        let mut some = self.ends.clone();
        some.push(!question);
        self.solver.add(&some);
        question
    }

    /// One more step.
    fn push(&mut self) {
        let before = self.states.last().expect("there is a first state").clone();
        let step = self.circuit.copy(&mut self.solver, &before);
        self.solver.add(&[step.of(self.circuit.valid)]);
        let after = self.circuit.next.iter().map(|&next| step.of(next));
        self.states.push(after.collect());
        self.steps.push(step);
    }

    /// That the state after one more step is bad. It is read with inputs of its own.
    fn ends_badly(&mut self) -> Lit {
        if self.steps.is_empty() {
            self.steps
                .push(self.circuit.copy(&mut self.solver, &self.states[0]));
        }
        // The copy of the step from the last state is there already: it tells whether that state is bad.
        let last = self.steps.last().expect("there is a step").clone();
        self.solver.add(&[last.of(self.circuit.valid)]);
        let after = self.circuit.next.iter().map(|&next| last.of(next));
        let after: Vec<Lit> = after.collect();
        let step = self.circuit.copy(&mut self.solver, &after);
        let bad = step.of(self.circuit.bad);
        self.states.push(after);
        self.steps.push(step);
        let end = new_lit(&mut self.solver);
        self.solver.add(&[!end, bad]);
        end
    }

    /// That the state after one more step is the saved one, and all marks were met since.
    fn loops(&mut self) -> Lit {
        let before = self.states.last().expect("there is a first state").clone();
        self.push();
        let step = self.steps.last().expect("there is a step").clone();
        // The state before the start is none of the model.
        let start = if self.n_steps() == 1 {
            !TRUE
        } else {
            new_lit(&mut self.solver)
        };
        self.solver.add(&[!start, !self.is_looping]);
        for (&saved, &now) in self.saved.iter().zip(&before) {
            self.solver.add(&[!start, !saved, now]);
            self.solver.add(&[!start, saved, !now]);
        }
        self.starts.push(start);
        self.is_looping = either(&mut self.solver, self.is_looping, start);
        for at in 0..self.met.len() {
            let mark = step.of(self.circuit.marks[at]);
            let counts = both(&mut self.solver, self.is_looping, mark);
            self.met[at] = either(&mut self.solver, self.met[at], counts);
        }
        let end = new_lit(&mut self.solver);
        self.solver.add(&[!end, self.is_looping]);
        for &met in &self.met {
            self.solver.add(&[!end, met]);
        }
        let after = self.states.last().expect("there is a state");
        for (&saved, &now) in self.saved.iter().zip(after) {
            self.solver.add(&[!end, !saved, now]);
            self.solver.add(&[!end, saved, !now]);
        }
        end
    }

    /// What the solver's model shows: up to where the first end is true.
    fn found(&self) -> Found {
        let first = self.n_steps() + 1 - self.ends.len();
        let mut ends = self.ends.iter();
        let end = ends.position(|&end| self.solver.truth(end));
        let n_steps = first + end.expect("a counterexample ends somewhere");
        let inputs = self.steps.iter();
        let mut inputs: Vec<Vec<bool>> = inputs
            .map(|step| step.inputs(self.circuit, &self.solver))
            .collect();
        let mut starts = self.starts.iter();
        let start = starts.position(|&start| self.solver.truth(start));
        if let Some(start) = start {
            inputs.truncate(n_steps);
            // The last state is that of the loop's start, with what is chosen there.
            inputs.push(inputs[start].clone());
        }
        Found { inputs, start }
    }
}

fn new_lit(solver: &mut Cdcl) -> Lit {
    Lit::new(solver.new_var(), false)
}

fn both(solver: &mut Cdcl, a: Lit, b: Lit) -> Lit {
    let out = new_lit(solver);
    solver.add(&[!out, a]);
    solver.add(&[!out, b]);
    solver.add(&[out, !a, !b]);
    out
}

fn either(solver: &mut Cdcl, a: Lit, b: Lit) -> Lit {
    !both(solver, !a, !b)
}
