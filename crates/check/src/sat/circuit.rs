//! One step of a machine as clauses (Tseitin), made once and copied for every step that a question is about.

use super::cdcl::{Cdcl, Lit};
use super::machine::Machine;
use lariat_base::{Budget, FxHashMap, Stop};
use lariat_expr::{Head, Op, TermId, Terms, Value, VarId};

/// The budget is looked at after so many conflicts.
const CONFLICTS: u64 = 1_000;
/// Circuits with more gates are not tried.
const MAX_GATES: usize = 2_000_000;

/// The clauses of a step. The variable 0 is true, the next ones are the bits of the state, then come the inputs and the gates.
#[derive(Clone, Debug, Default)]
pub(super) struct Circuit {
    pub n_vars: usize,
    pub clauses: Vec<Vec<Lit>>,
    /// How many bits the state has.
    pub n_state: usize,
    pub n_inputs: usize,
    /// What the bits of the state are next.
    pub next: Vec<Lit>,
    pub valid: Lit,
    pub bad: Lit,
    pub marks: Vec<Lit>,
    gates: FxHashMap<TermId, Lit>,
}

/// The literal that is true.
pub(super) const TRUE: Lit = Lit::FIRST;

impl Circuit {
    /// The circuit of a machine; nothing if it is too large.
    pub fn new(terms: &Terms, machine: &Machine) -> Option<Self> {
        let mut circuit = Self {
            n_vars: 1,
            n_state: machine.state.len(),
            n_inputs: machine.inputs.len(),
            ..Self::default()
        };
        let state = machine.state.iter().map(|&(var, _)| var);
        let vars: Vec<VarId> = state.chain(machine.inputs.iter().copied()).collect();
        let mut known: FxHashMap<VarId, Lit> = FxHashMap::default();
        for var in vars {
            known.insert(var, circuit.new_lit());
        }
        circuit.clauses.push(vec![TRUE]);
        let mut roots = vec![machine.valid, machine.bad];
        roots.extend(&machine.marks);
        roots.extend(machine.state.iter().map(|&(_, next)| next));
        for term in terms.subterms(&roots) {
            let lit = circuit.gate(terms, &known, term);
            circuit.gates.insert(term, lit);
            if circuit.n_vars > MAX_GATES {
                return None;
            }
        }
        let lit = |term: TermId| circuit.gates[&term];
        let (valid, bad) = (lit(machine.valid), lit(machine.bad));
        let marks = machine.marks.iter().map(|&mark| lit(mark)).collect();
        let next = machine.state.iter().map(|&(_, next)| lit(next)).collect();
        (circuit.valid, circuit.bad) = (valid, bad);
        (circuit.marks, circuit.next) = (marks, next);
        Some(circuit)
    }

    /// A bit of the state.
    pub fn state(bit: usize) -> Lit {
        Lit::new(1 + bit, false)
    }

    /// An input.
    pub fn input(&self, at: usize) -> Lit {
        Lit::new(1 + self.n_state + at, false)
    }

    fn new_lit(&mut self) -> Lit {
        self.n_vars += 1;
        Lit::new(self.n_vars - 1, false)
    }

    /// A gate that is true if all of these are.
    fn and(&mut self, lits: &[Lit]) -> Lit {
        let out = self.new_lit();
        let mut all = vec![out];
        for &lit in lits {
            self.clauses.push(vec![!out, lit]);
            all.push(!lit);
        }
        self.clauses.push(all);
        out
    }

    /// A gate that is true if one of these is.
    fn or(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|&lit| !lit).collect();
        !self.and(&negated)
    }

    fn gate(&mut self, terms: &Terms, known: &FxHashMap<VarId, Lit>, term: TermId) -> Lit {
        let (op, args) = match terms.head(term) {
            Head::Var(var) => return known[&var],
            Head::Lit(value) => return TRUE.if_(*value == Value::Bool(true)),
            Head::Op(op, args) => (op, args),
        };
        let args: Vec<Lit> = args.iter().map(|arg| self.gates[arg]).collect();
        match op {
            Op::Not => !args[0],
            Op::And => self.and(&args),
            Op::Or => self.or(&args),
            Op::Eq => {
                let (out, a, b) = (self.new_lit(), args[0], args[1]);
                for (a, b) in [(a, b), (!a, !b)] {
                    self.clauses.push(vec![out, a, b]);
                    self.clauses.push(vec![!out, !a, b]);
                }
                out
            }
            Op::Ite => {
                let (out, c, a, b) = (self.new_lit(), args[0], args[1], args[2]);
                for (condition, value) in [(c, a), (!c, b)] {
                    self.clauses.push(vec![!condition, !value, out]);
                    self.clauses.push(vec![!condition, value, !out]);
                }
                self.clauses.push(vec![!a, !b, out]);
                self.clauses.push(vec![a, b, !out]);
                out
            }
            other => panic!("{other:?} is not on truth values alone"),
        }
    }

    /// A copy of the step, whose state is given by other literals.
    pub fn copy(&self, solver: &mut Cdcl, state: &[Lit]) -> Copy {
        let mut lits = Vec::with_capacity(self.n_vars);
        // The variable 0 of every solver is true.
        lits.push(TRUE);
        lits.extend(state);
        while lits.len() < self.n_vars {
            lits.push(Lit::new(solver.new_var(), false));
        }
        let copy = Copy { lits };
        let mut clause: Vec<Lit> = Vec::new();
        for lits in &self.clauses {
            clause.clear();
            clause.extend(lits.iter().map(|&lit| copy.of(lit)));
            solver.add(&clause);
        }
        copy
    }
}

/// What stands for the variables of a circuit in a copy of it.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    lits: Vec<Lit>,
}

impl Copy {
    /// The literal that stands for one of the circuit.
    pub fn of(&self, lit: Lit) -> Lit {
        self.lits[lit.var()].if_(!lit.is_negative())
    }

    /// What the inputs are in the solver's last model.
    pub fn inputs(&self, circuit: &Circuit, solver: &Cdcl) -> Vec<bool> {
        let inputs = 0..circuit.n_inputs;
        inputs
            .map(|at| solver.truth(self.of(circuit.input(at))))
            .collect()
    }
}

/// A solver whose variable 0 is true.
pub(super) fn solver() -> Cdcl {
    let mut solver = Cdcl::new();
    solver.new_var();
    solver.add(&[TRUE]);
    solver
}

/// A solver that knows one step.
pub(super) fn fresh(circuit: &Circuit) -> (Cdcl, Copy) {
    let mut solver = solver();
    let state: Vec<Lit> = (0..circuit.n_state)
        .map(|_| Lit::new(solver.new_var(), false))
        .collect();
    let step = circuit.copy(&mut solver, &state);
    (solver, step)
}

/// What a solver says. Now and then the budget is looked at.
pub(super) fn ask(solver: &mut Cdcl, assumed: &[Lit], budget: &Budget) -> Result<bool, Stop> {
    loop {
        if let Some(answer) = solver.solve(assumed, CONFLICTS) {
            return Ok(answer);
        }
        budget.check()?;
    }
}
