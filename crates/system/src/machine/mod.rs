//! The compiled evaluator: statements as code for a small backtracking register machine.
//!
//! Booleans, enumerations, narrow bit-vectors and integers that fit a machine word are `i64` registers; an overflow, or a
//! sort that has no such form, sends the caller back to the interpreter. Nondeterminism is explored
//! by backtracking over a trail, as in a Prolog machine: no state is copied until an outcome is
//! complete. The code is straight: no calls, no allocation per step.

mod bits;
mod compile;

use crate::run::exec::{Decision, MAX_STMTS};
use crate::{Context, StmtId, Variable};
pub use compile::Registers;
use compile::{Instr, check_sorts, compile, compile_terms};
use lariat_expr::{Int, Sort, SortId, Sorts, TermId, Value};
use std::ops::ControlFlow;

/// Why a statement cannot be run as code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// A sort has no machine form, or a havoc has too many values.
    Sort(SortId),
    /// A literal does not fit a machine word.
    Literal,
}

/// Why a run of code was given up; the interpreter decides then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bail {
    /// A result does not fit a machine word.
    Overflow,
    /// More than [`MAX_STMTS`] instructions.
    TooLong,
}

/// The code of one edge.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) code: Vec<Instr>,
    pub(crate) targets: Vec<u32>,
    /// Start values of all registers behind the variables: locals and constants.
    pub(crate) tail: Vec<i64>,
}

impl Program {
    /// How many instructions it has.
    pub fn n_instructions(&self) -> usize {
        self.code.len()
    }
}

/// Memory of the machine; keep it between runs.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    registers: Vec<i64>,
    trail: Vec<(u32, i64)>,
    forks: Vec<Fork>,
    decisions: Vec<Choice>,
}

/// What one nondeterministic instruction did: the branch, or the number of the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A branch.
    Branch(u32),
    /// The n-th value of the sort.
    Value(SortId, u32),
    /// An integer.
    Int(i64),
}

#[derive(Clone, Copy, Debug)]
struct Fork {
    at: usize,
    /// The alternative that was tried first; the others follow it in a circle.
    first: u32,
    /// How many alternatives were tried.
    tried: u32,
    n_trail: usize,
    n_decisions: usize,
}

impl Program {
    /// Compiles an edge of a system with these variables.
    pub fn new(cx: &Context, variables: &[Variable], stmt: StmtId) -> Result<Self, Unsupported> {
        check_sorts(cx, variables)?;
        compile(cx, &Registers::new(variables), stmt)
    }

    /// Compiles an edge of a system some of whose variables have no register form, if the edge does
    /// not touch those. Their registers may hold anything and keep it.
    pub fn partial(cx: &Context, variables: &Registers, stmt: StmtId) -> Result<Self, Unsupported> {
        compile(cx, variables, stmt)
    }
}

/// Boolean terms as code: at most 64 of them.
#[derive(Clone, Debug)]
pub struct Predicates {
    program: Program,
    results: Vec<u32>,
}

impl Predicates {
    /// Compiles terms over these variables; as in [`Program::partial`], the terms may leave some alone.
    pub fn new(
        cx: &Context,
        variables: &[Variable],
        terms: &[TermId],
    ) -> Result<Self, Unsupported> {
        assert!(terms.len() <= 64, "the truth of the terms fits a word");
        let (program, results) = compile_terms(cx, &Registers::new(variables), terms)?;
        Ok(Self { program, results })
    }
}

impl Machine {
    /// An empty machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs `program` from `state` (one register per variable; ignored by initial edges) and calls
    /// `emit` with the variables and the decisions of every outcome, in a fixed order.
    pub fn run(
        &mut self,
        program: &Program,
        state: &[i64],
        mut emit: impl FnMut(&[i64], &[Choice]),
    ) -> Result<(), Bail> {
        let every = |registers: &[i64], decisions: &[Choice]| {
            emit(registers, decisions);
            ControlFlow::Continue(())
        };
        self.explore(program, state, MAX_STMTS, |_| 0, every)
    }

    /// Looks for one outcome of `program` from `state`: each nondeterministic instruction tries its
    /// alternatives in a circle that starts where `pick` says (out of so many). `Ok(false)` means that
    /// there is none; the outcome is in [`outcome`](Self::outcome). Gives up after `fuel` instructions.
    pub fn sample(
        &mut self,
        program: &Program,
        state: &[i64],
        fuel: usize,
        pick: impl FnMut(u32) -> u32,
    ) -> Result<bool, Bail> {
        let mut found = false;
        self.explore(program, state, fuel, pick, |_, _| {
            found = true;
            ControlFlow::Break(())
        })?;
        Ok(found)
    }

    /// The registers of the first `n_variables` variables and the decisions, after a successful
    /// [`sample`](Self::sample).
    pub fn outcome(&self, n_variables: usize) -> (&[i64], &[Choice]) {
        (&self.registers[..n_variables], &self.decisions)
    }

    /// The truth of each of `predicates` in `state`, as bits.
    pub fn truths(&mut self, predicates: &Predicates, state: &[i64]) -> Result<u64, Bail> {
        let Predicates { program, results } = predicates;
        self.registers.clear();
        self.registers.extend_from_slice(state);
        self.registers.extend_from_slice(&program.tail);
        for &instr in &program.code[..program.code.len() - 1] {
            self.compute(instr)?;
        }
        let truth =
            |(i, &register): (usize, &u32)| u64::from(self.registers[register as usize] != 0) << i;
        Ok(results.iter().enumerate().map(truth).sum())
    }

    fn explore(
        &mut self,
        program: &Program,
        state: &[i64],
        fuel: usize,
        mut pick: impl FnMut(u32) -> u32,
        mut emit: impl FnMut(&[i64], &[Choice]) -> ControlFlow<()>,
    ) -> Result<(), Bail> {
        self.registers.clear();
        self.registers.extend_from_slice(state);
        self.registers.extend_from_slice(&program.tail);
        self.trail.clear();
        self.forks.clear();
        self.decisions.clear();
        let mut at = 0;
        for _ in 0..fuel {
            let next = match program.code[at] {
                Instr::End => {
                    if emit(&self.registers[..state.len()], &self.decisions).is_break() {
                        return Ok(());
                    }
                    None
                }
                Instr::Assume(a) => (self.registers[a as usize] != 0).then_some(at + 1),
                Instr::Jump(to) => Some(to as usize),
                Instr::Unless(a, to) => Some(if self.registers[a as usize] == 0 {
                    to as usize
                } else {
                    at + 1
                }),
                Instr::Branch(_, 0) => None,
                Instr::Between(_, _, 0) => None,
                Instr::Branch(_, count) | Instr::Any(_, _, count) | Instr::Between(_, _, count) => {
                    Some(self.fork(program, at, pick(count), 0))
                }
                Instr::Set(to, from) => {
                    self.set(to, self.registers[from as usize]);
                    Some(at + 1)
                }
                arithmetic => {
                    self.compute(arithmetic)?;
                    Some(at + 1)
                }
            };
            match next {
                Some(next) => at = next,
                None => match self.backtrack(program) {
                    Some(next) => at = next,
                    None => return Ok(()),
                },
            }
        }
        Err(Bail::TooLong)
    }

    /// Takes the next alternative of the instruction at `at` after `tried` others, remembering the rest.
    fn fork(&mut self, program: &Program, at: usize, first: u32, tried: u32) -> usize {
        let instr = program.code[at];
        let (Instr::Branch(_, count) | Instr::Any(_, _, count) | Instr::Between(_, _, count)) =
            instr
        else {
            panic!("{instr:?} has no alternatives");
        };
        if tried + 1 < count {
            self.forks.push(Fork {
                at,
                first,
                tried: tried + 1,
                n_trail: self.trail.len(),
                n_decisions: self.decisions.len(),
            });
        }
        // Both are below `count`, so the sum wraps at most once.
        let n = if first < count - tried {
            first + tried
        } else {
            first - (count - tried)
        };
        match instr {
            Instr::Branch(targets, _) => {
                self.decisions.push(Choice::Branch(n));
                program.targets[(targets + n) as usize] as usize
            }
            Instr::Any(to, sort, _) => {
                self.decisions.push(Choice::Value(sort, n));
                self.set(to, i64::from(n));
                at + 1
            }
            Instr::Between(to, low, _) => {
                let value = self.registers[low as usize] + i64::from(n);
                self.decisions.push(Choice::Int(value));
                self.set(to, value);
                at + 1
            }
            other => panic!("{other:?} has no alternatives"),
        }
    }

    /// Undoes everything since the last fork and takes its next alternative.
    fn backtrack(&mut self, program: &Program) -> Option<usize> {
        let fork = self.forks.pop()?;
        while self.trail.len() > fork.n_trail {
            let (register, old) = self.trail.pop().expect("the trail is longer");
            self.registers[register as usize] = old;
        }
        self.decisions.truncate(fork.n_decisions);
        Some(self.fork(program, fork.at, fork.first, fork.tried))
    }

    fn set(&mut self, register: u32, value: i64) {
        let old = std::mem::replace(&mut self.registers[register as usize], value);
        if !self.forks.is_empty() {
            self.trail.push((register, old));
        }
    }

    fn compute(&mut self, instr: Instr) -> Result<(), Bail> {
        let r = |register: u32| self.registers[register as usize];
        let (to, result) = match instr {
            Instr::Add(to, a, b) => (to, r(a).checked_add(r(b))),
            Instr::Mul(to, a, b) => (to, r(a).checked_mul(r(b))),
            Instr::Div(to, a, b) => (
                to,
                if r(b) == 0 {
                    Some(0)
                } else {
                    r(a).checked_div_euclid(r(b))
                },
            ),
            Instr::Mod(to, a, b) => (to, modulo(r(a), r(b))),
            Instr::Rem(to, a, b) => (
                to,
                modulo(r(a), r(b)).map(|m| if r(b) < 0 { -m } else { m }),
            ),
            Instr::Le(to, a, b) => (to, Some(i64::from(r(a) <= r(b)))),
            Instr::Lt(to, a, b) => (to, Some(i64::from(r(a) < r(b)))),
            Instr::Eq(to, a, b) => (to, Some(i64::from(r(a) == r(b)))),
            Instr::And(to, a, b) => (to, Some(r(a) & r(b))),
            Instr::Or(to, a, b) => (to, Some(r(a) | r(b))),
            Instr::Not(to, a) => (to, Some(1 - r(a))),
            Instr::Bits(op, width, [to, a, b]) => (to, Some(op.apply(width, r(a), r(b)))),
            Instr::Ite(to, c, a, b) => (to, Some(if r(c) != 0 { r(a) } else { r(b) })),
            other => panic!("{other:?} computes nothing"),
        };
        self.registers[to as usize] = result.ok_or(Bail::Overflow)?;
        Ok(())
    }
}

/// SMT-LIB `mod`; by zero the dividend. The remainder of `i64::MIN` by -1 is 0, not an overflow.
fn modulo(a: i64, b: i64) -> Option<i64> {
    if b == 0 {
        Some(a)
    } else {
        a.checked_rem_euclid(b).or(Some(0))
    }
}

impl Choice {
    /// The decision as the interpreter takes it.
    pub fn decision(self, sorts: &Sorts) -> Decision {
        match self {
            Self::Branch(branch) => Decision::Branch(branch),
            Self::Value(sort, n) => {
                let value = Value::nth(sorts, sort, u64::from(n))
                    .expect("the machine counts within the sort");
                Decision::Value(value)
            }
            Self::Int(value) => Decision::Value(Value::Int(Int::from(value))),
        }
    }
}

/// A value as a register, if it has that form.
pub fn to_register(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(truth) => Some(i64::from(*truth)),
        Value::Int(int) => int.to_i64(),
        Value::Enum(position) => Some(i64::from(*position)),
        Value::Bv(bits) => bits.to_i64(),
        Value::Rat(_) | Value::Array(_) => None,
    }
}

/// A register as a value of a sort that the compiler supports.
pub fn from_register(sorts: &Sorts, sort: SortId, register: i64) -> Value {
    match sorts.get(sort) {
        Sort::Bool => Value::Bool(register != 0),
        Sort::Int => Value::Int(Int::from(register)),
        Sort::Enum(_) => Value::Enum(u32::try_from(register).expect("a literal's position")),
        Sort::Bv(_) => Value::Bv(Int::from(register)),
        other => panic!("{other:?} has no register form"),
    }
}
