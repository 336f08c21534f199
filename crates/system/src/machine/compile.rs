//! Compiles statements to code for [`crate::machine`].
//!
//! Registers: the system's variables, then everything else the statement needs (local variables,
//! loop counters, constants, intermediate results). An intermediate result is used again by later statements as long as
//! nothing it was computed from was set and no other way leads there. It need not be undone on backtracking: what reads it
//! comes after the instruction that computes it, and after a fork in between it is the same. Only `Set` is undone.

use crate::machine::bits::{self, BitOp};
use crate::machine::{Program, Unsupported, to_register};
use crate::run::symbols::bounds_of;
use crate::{Context, Stmt, StmtId, Variable};
use lariat_base::FxHashMap;
use lariat_expr::{BvOp, Head, Int, Op, Sort, SortId, TermId, VarId};

/// One instruction; operands are registers, the first one takes the result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instr {
    Add(u32, u32, u32),
    Mul(u32, u32, u32),
    Div(u32, u32, u32),
    Mod(u32, u32, u32),
    Rem(u32, u32, u32),
    Le(u32, u32, u32),
    Lt(u32, u32, u32),
    Eq(u32, u32, u32),
    And(u32, u32, u32),
    Or(u32, u32, u32),
    Not(u32, u32),
    /// An operator of bit-vectors, whose first argument has this width.
    Bits(BitOp, u8, [u32; 3]),
    Ite(u32, u32, u32, u32),
    /// Sets a variable; undone on backtracking.
    Set(u32, u32),
    /// Fails unless the register is true.
    Assume(u32),
    Jump(u32),
    /// Jumps if the register is false.
    Unless(u32, u32),
    /// One of `count` targets starting at `first`.
    Branch(u32, u32),
    /// Sets a variable to any of the first `count` values of its sort.
    Any(u32, SortId, u32),
    /// Sets a variable to any of `count` integers from the one in the second register on.
    Between(u32, u32, u32),
    End,
}

/// The most values that a havoc tries one by one.
const MAX_RANGE: u64 = 1 << 12;

/// The code of `stmt`. It may leave variables alone that have no register form.
pub(crate) fn compile(
    cx: &Context,
    variables: &Registers,
    stmt: StmtId,
) -> Result<Program, Unsupported> {
    let mut compiler = Compiler::new(cx, variables);
    compiler.run(stmt)?;
    Ok(compiler.program)
}

/// Code that computes `terms`, and the registers that hold their values at its end.
pub(crate) fn compile_terms(
    cx: &Context,
    variables: &Registers,
    terms: &[TermId],
) -> Result<(Program, Vec<u32>), Unsupported> {
    let mut compiler = Compiler::new(cx, variables);
    let registers = terms
        .iter()
        .map(|&term| compiler.term(term))
        .collect::<Result<_, _>>()?;
    compiler.emit(Instr::End);
    Ok((compiler.program, registers))
}

/// Whether every variable has a register form.
pub(crate) fn check_sorts(cx: &Context, variables: &[Variable]) -> Result<(), Unsupported> {
    let mut sorts = variables
        .iter()
        .map(|variable| cx.terms.var_sort(variable.var));
    sorts.try_for_each(|sort| check_sort(cx, sort))
}

/// What is still to be compiled, last first.
enum Task {
    Stmt(StmtId),
    /// Emit a jump to a place that is not known yet; the place fills it in.
    JumpTo(LabelId),
    /// The place of a label.
    Place(LabelId),
    /// A target of a branch instruction starts here.
    Target(usize),
    /// The end of a loop body: count up and go back.
    LoopEnd {
        counter: u32,
        back: u32,
    },
}

type LabelId = usize;

/// The registers of a system's variables: the first ones, in their order.
#[derive(Clone, Debug)]
pub struct Registers {
    of: FxHashMap<VarId, u32>,
}

impl Registers {
    /// The registers of these variables.
    pub fn new(variables: &[Variable]) -> Self {
        let numbered = variables.iter().zip(0..);
        Self {
            of: numbered.map(|(variable, i)| (variable.var, i)).collect(),
        }
    }

    /// The register of a variable, if it is one of the system.
    pub fn get(&self, var: VarId) -> Option<u32> {
        self.of.get(&var).copied()
    }
}

struct Compiler<'a> {
    cx: &'a Context,
    variables: &'a Registers,
    /// The registers of local variables.
    locals: FxHashMap<VarId, u32>,
    program: Program,
    constants: FxHashMap<i64, u32>,
    /// The registers of terms that were computed on every way to here, each with the time when it was.
    known: FxHashMap<TermId, (u32, u32)>,
    /// When each variable was set last; times count what is set.
    set_at: FxHashMap<u32, u32>,
    time: u32,
}

impl<'a> Compiler<'a> {
    fn new(cx: &'a Context, variables: &'a Registers) -> Self {
        Self {
            cx,
            variables,
            locals: FxHashMap::default(),
            program: Program {
                code: Vec::new(),
                targets: Vec::new(),
                tail: Vec::new(),
            },
            constants: FxHashMap::default(),
            known: FxHashMap::default(),
            set_at: FxHashMap::default(),
            time: 0,
        }
    }

    fn run(&mut self, stmt: StmtId) -> Result<(), Unsupported> {
        let mut todo = vec![Task::Stmt(stmt)];
        // Jumps that wait for their label.
        let mut labels: Vec<Vec<usize>> = Vec::new();
        while let Some(task) = todo.pop() {
            match task {
                Task::Stmt(stmt) => self.stmt(stmt, &mut todo, &mut labels)?,
                Task::JumpTo(label) => {
                    labels[label].push(self.program.code.len());
                    self.emit(Instr::Jump(0));
                }
                Task::Place(label) => {
                    self.known.clear();
                    let here = self.here();
                    for at in std::mem::take(&mut labels[label]) {
                        match &mut self.program.code[at] {
                            Instr::Jump(to) | Instr::Unless(_, to) => *to = here,
                            other => panic!("{other:?} waits for no label"),
                        }
                    }
                }
                Task::Target(at) => {
                    self.known.clear();
                    self.program.targets[at] = self.here();
                }
                Task::LoopEnd { counter, back } => {
                    let (one, sum) = (self.constant(1), self.register());
                    self.emit(Instr::Add(sum, counter, one));
                    self.set(counter, sum);
                    self.emit(Instr::Jump(back));
                }
            }
        }
        self.emit(Instr::End);
        Ok(())
    }

    fn stmt(
        &mut self,
        id: StmtId,
        todo: &mut Vec<Task>,
        labels: &mut Vec<Vec<usize>>,
    ) -> Result<(), Unsupported> {
        match self.cx.stmts.get(id) {
            Stmt::Assume(term) => {
                let condition = self.term(term)?;
                self.emit(Instr::Assume(condition));
            }
            Stmt::Assign(var, term) | Stmt::Declare(var, Some(term)) => {
                let value = self.term(term)?;
                let register = self.variable(var)?;
                self.set(register, value);
            }
            Stmt::Havoc(var) | Stmt::Declare(var, None) => {
                let range = self.range_of(var, todo);
                self.any(var, range)?;
            }
            Stmt::Seq(list) => todo.extend(
                self.cx
                    .stmts
                    .items(list)
                    .iter()
                    .rev()
                    .map(|&s| Task::Stmt(s)),
            ),
            Stmt::Choice(list) => {
                let branches = self.cx.stmts.items(list);
                let first = self.program.targets.len();
                self.emit(Instr::Branch(first as u32, branches.len() as u32));
                self.program.targets.resize(first + branches.len(), 0);
                labels.push(Vec::new());
                let end = labels.len() - 1;
                todo.push(Task::Place(end));
                for (i, &branch) in branches.iter().enumerate().rev() {
                    todo.extend([
                        Task::JumpTo(end),
                        Task::Stmt(branch),
                        Task::Target(first + i),
                    ]);
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.term(condition)?;
                labels.extend([Vec::new(), Vec::new()]);
                let (other, end) = (labels.len() - 2, labels.len() - 1);
                labels[other].push(self.program.code.len());
                self.emit(Instr::Unless(condition, 0));
                todo.extend([
                    Task::Place(end),
                    Task::Stmt(otherwise),
                    Task::Place(other),
                    Task::JumpTo(end),
                    Task::Stmt(then),
                ]);
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                // The counter and the bound are registers of their own: the body may write the variable.
                let (from, to) = (self.term(from)?, self.term(to)?);
                let (counter, bound, more) = (self.register(), self.register(), self.register());
                self.set(counter, from);
                self.set(bound, to);
                self.known.clear();
                let back = self.here();
                self.emit(Instr::Lt(more, counter, bound));
                labels.push(vec![self.program.code.len()]);
                let end = labels.len() - 1;
                self.emit(Instr::Unless(more, 0));
                let register = self.variable(var)?;
                self.set(register, counter);
                todo.extend([
                    Task::Place(end),
                    Task::LoopEnd { counter, back },
                    Task::Stmt(body),
                ]);
            }
        }
        Ok(())
    }

    /// Sets a variable to any value, or to any of these.
    fn any(&mut self, var: VarId, range: Option<(i64, u32)>) -> Result<(), Unsupported> {
        let sort = self.cx.terms.var_sort(var);
        let register = self.variable(var)?;
        let count = self.cx.terms.sorts.cardinality(sort);
        let instr = match (range, count.and_then(|count| u32::try_from(count).ok())) {
            (Some((low, count)), _) => Instr::Between(register, self.constant(low), count),
            (None, Some(count)) if u64::from(count) <= MAX_RANGE => {
                Instr::Any(register, sort, count)
            }
            (None, _) => return Err(Unsupported::Sort(sort)),
        };
        self.emit(instr);
        self.is_set(register);
        Ok(())
    }

    fn set(&mut self, register: u32, value: u32) {
        self.emit(Instr::Set(register, value));
        self.is_set(register);
    }

    /// What was computed from this register is not its value any more.
    fn is_set(&mut self, register: u32) {
        self.time += 1;
        self.set_at.insert(register, self.time);
    }

    /// The least and the number of the integers that a variable may have if it is to pass the
    /// assumptions that come next, if those are few: the others would be tried in vain.
    fn range_of(&self, var: VarId, todo: &[Task]) -> Option<(i64, u32)> {
        let mut next = todo.iter().rev();
        let (mut stmts, mut assumed) = (Vec::new(), Vec::new());
        loop {
            if stmts.is_empty()
                && let Some(&Task::Stmt(stmt)) = next.next()
            {
                stmts.push(stmt);
            }
            match stmts.pop().map(|stmt| self.cx.stmts.get(stmt)) {
                Some(Stmt::Seq(list)) => stmts.extend(self.cx.stmts.items(list).iter().rev()),
                Some(Stmt::Assume(term)) => match self.cx.terms.as_op(term, Op::And) {
                    Some(conjuncts) => assumed.extend(conjuncts),
                    None => assumed.push(term),
                },
                _ => break,
            }
        }
        let bounds = bounds_of(&self.cx.terms, var, &assumed);
        let integers = bounds.integers(MAX_RANGE)?;
        let low = integers.first().map_or(Some(0), Int::to_i64)?;
        Some((low, integers.len() as u32))
    }

    /// The register with the value of a term, after code that computes it.
    fn term(&mut self, root: TermId) -> Result<u32, Unsupported> {
        // Of each term its register, and when something that it reads was set last.
        let mut done: FxHashMap<TermId, (u32, u32)> = FxHashMap::default();
        for term in self.cx.terms.subterms(&[root]) {
            let found = match self.cx.terms.head(term) {
                Head::Var(var) => {
                    let register = self.variable(var)?;
                    (register, self.set_at.get(&register).copied().unwrap_or(0))
                }
                Head::Lit(value) => {
                    check_sort(self.cx, self.cx.terms.sort(term))?;
                    let value = to_register(value).ok_or(Unsupported::Literal)?;
                    (self.constant(value), 0)
                }
                Head::Op(op, args) => {
                    let set_at = args.iter().map(|arg| done[arg].1).max().unwrap_or(0);
                    match self.known.get(&term) {
                        Some(&(register, time)) if time >= set_at => (register, set_at),
                        _ => {
                            let register = self.operation(term, op, args, &done)?;
                            self.known.insert(term, (register, self.time));
                            (register, set_at)
                        }
                    }
                }
            };
            done.insert(term, found);
        }
        Ok(done[&root].0)
    }

    /// Computes an operation on what is in registers.
    fn operation(
        &mut self,
        term: TermId,
        op: Op,
        args: &[TermId],
        done: &FxHashMap<TermId, (u32, u32)>,
    ) -> Result<u32, Unsupported> {
        let sort = self.cx.terms.sort(term);
        check_sort(self.cx, sort)?;
        for &arg in args {
            check_sort(self.cx, self.cx.terms.sort(arg))?;
        }
        let registers: Vec<u32> = args.iter().map(|arg| done[arg].0).collect();
        let found = match op {
            Op::Bv(op) => {
                let sorts = &self.cx.terms.sorts;
                let width = |term: TermId| sorts.bv_width(self.cx.terms.sort(term)).unwrap_or(0);
                let right = args.get(1).map_or(0, |&arg| width(arg));
                let first = match op {
                    BvOp::OfInt(width) => width,
                    _ => width(args[0]),
                };
                self.bits(op, first, right, &registers)
            }
            _ => self.operator(op, &registers),
        };
        found.ok_or(Unsupported::Sort(sort))
    }

    /// An operator of bit-vectors, whose arguments have these widths.
    fn bits(&mut self, op: BvOp, width: u32, right: u32, args: &[u32]) -> Option<u32> {
        let (a, b) = match *args {
            [a] => (a, a),
            [a, b] => (a, b),
            _ => return None,
        };
        if matches!(op, BvOp::Zext(_) | BvOp::ToNat) {
            return Some(a);
        }
        let to = self.register();
        self.emit(match op {
            BvOp::And => Instr::And(to, a, b),
            BvOp::Or => Instr::Or(to, a, b),
            BvOp::Ult => Instr::Lt(to, a, b),
            BvOp::Ule => Instr::Le(to, a, b),
            _ => Instr::Bits(
                BitOp::new(op, right)?,
                u8::try_from(width).ok()?,
                [to, a, b],
            ),
        });
        Some(to)
    }

    fn operator(&mut self, op: Op, args: &[u32]) -> Option<u32> {
        let fold: Option<fn(u32, u32, u32) -> Instr> = match op {
            Op::And => Some(Instr::And),
            Op::Or => Some(Instr::Or),
            Op::Add => Some(Instr::Add),
            Op::Mul => Some(Instr::Mul),
            _ => None,
        };
        if let Some(instr) = fold {
            let (&first, rest) = args.split_first()?;
            return Some(rest.iter().fold(first, |so_far, &next| {
                let to = self.register();
                self.emit(instr(to, so_far, next));
                to
            }));
        }
        let to = self.register();
        self.emit(match (op, args) {
            (Op::Not, &[a]) => Instr::Not(to, a),
            (Op::Eq, &[a, b]) => Instr::Eq(to, a, b),
            (Op::Le, &[a, b]) => Instr::Le(to, a, b),
            (Op::Lt, &[a, b]) => Instr::Lt(to, a, b),
            (Op::Div, &[a, b]) => Instr::Div(to, a, b),
            (Op::Mod, &[a, b]) => Instr::Mod(to, a, b),
            (Op::Rem, &[a, b]) => Instr::Rem(to, a, b),
            (Op::Ite, &[c, a, b]) => Instr::Ite(to, c, a, b),
            _ => return None,
        });
        Some(to)
    }

    /// The register of a variable; a local one gets a new register.
    fn variable(&mut self, var: VarId) -> Result<u32, Unsupported> {
        check_sort(self.cx, self.cx.terms.var_sort(var))?;
        let known = self.variables.get(var);
        if let Some(register) = known.or_else(|| self.locals.get(&var).copied()) {
            return Ok(register);
        }
        let register = self.register();
        self.locals.insert(var, register);
        Ok(register)
    }

    fn constant(&mut self, value: i64) -> u32 {
        if let Some(&register) = self.constants.get(&value) {
            return register;
        }
        let register = self.register();
        self.program.tail[register as usize - self.variables.of.len()] = value;
        self.constants.insert(value, register);
        register
    }

    fn register(&mut self) -> u32 {
        self.program.tail.push(0);
        (self.variables.of.len() + self.program.tail.len() - 1) as u32
    }

    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn emit(&mut self, instr: Instr) {
        self.program.code.push(instr);
    }
}

fn check_sort(cx: &Context, sort: SortId) -> Result<(), Unsupported> {
    match cx.terms.sorts.get(sort) {
        Sort::Bool | Sort::Int | Sort::Enum(_) => Ok(()),
        Sort::Bv(width) if *width <= bits::MAX_WIDTH => Ok(()),
        Sort::Rat | Sort::Bv(_) | Sort::Array { .. } => Err(Unsupported::Sort(sort)),
    }
}
