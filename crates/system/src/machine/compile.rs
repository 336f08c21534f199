//! Compiles statements to code for [`crate::machine`].
//!
//! Registers: the system's variables, then everything else the statement needs (local variables,
//! loop counters, constants, intermediate results). Intermediate results are recomputed by every
//! statement that needs them, so they never have to survive a backtrack; only `Set` is undone.

use crate::machine::{Program, Unsupported, to_register};
use crate::run::symbols::bounds_of;
use crate::{Context, Stmt, StmtId, Variable};
use lariat_base::FxHashMap;
use lariat_expr::{Head, Int, Op, Sort, SortId, TermId, VarId};

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

/// The most integers that a havoc tries one by one.
const MAX_RANGE: u64 = 1 << 12;

/// The code of `stmt`. It may leave variables alone that have no register form.
pub(crate) fn compile(
    cx: &Context,
    variables: &[Variable],
    stmt: StmtId,
) -> Result<Program, Unsupported> {
    let mut compiler = Compiler::new(cx, variables);
    compiler.run(stmt)?;
    Ok(compiler.program)
}

/// Code that computes `terms`, and the registers that hold their values at its end.
pub(crate) fn compile_terms(
    cx: &Context,
    variables: &[Variable],
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

struct Compiler<'a> {
    cx: &'a Context,
    n_variables: usize,
    registers: FxHashMap<VarId, u32>,
    program: Program,
    constants: FxHashMap<i64, u32>,
}

impl<'a> Compiler<'a> {
    fn new(cx: &'a Context, variables: &[Variable]) -> Self {
        let registers = variables.iter().enumerate();
        Self {
            cx,
            n_variables: variables.len(),
            registers: registers
                .map(|(i, variable)| (variable.var, i as u32))
                .collect(),
            program: Program {
                code: Vec::new(),
                targets: Vec::new(),
                tail: Vec::new(),
            },
            constants: FxHashMap::default(),
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
                    let here = self.here();
                    for at in std::mem::take(&mut labels[label]) {
                        match &mut self.program.code[at] {
                            Instr::Jump(to) | Instr::Unless(_, to) => *to = here,
                            other => panic!("{other:?} waits for no label"),
                        }
                    }
                }
                Task::Target(at) => self.program.targets[at] = self.here(),
                Task::LoopEnd { counter, back } => {
                    let (one, sum) = (self.constant(1), self.register());
                    self.emit(Instr::Add(sum, counter, one));
                    self.emit(Instr::Set(counter, sum));
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
                self.emit(Instr::Set(register, value));
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
                self.emit(Instr::Set(counter, from));
                self.emit(Instr::Set(bound, to));
                let back = self.here();
                self.emit(Instr::Lt(more, counter, bound));
                labels.push(vec![self.program.code.len()]);
                let end = labels.len() - 1;
                self.emit(Instr::Unless(more, 0));
                let register = self.variable(var)?;
                self.emit(Instr::Set(register, counter));
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
            (None, Some(count)) => Instr::Any(register, sort, count),
            (None, None) => return Err(Unsupported::Sort(sort)),
        };
        self.emit(instr);
        Ok(())
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
        let mut done: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in self.cx.terms.subterms(&[root]) {
            let register = match self.cx.terms.head(term) {
                Head::Var(var) => self.variable(var)?,
                Head::Lit(value) => {
                    check_sort(self.cx, self.cx.terms.sort(term))?;
                    let value = to_register(value).ok_or(Unsupported::Literal)?;
                    self.constant(value)
                }
                Head::Op(op, args) => {
                    for &arg in args {
                        check_sort(self.cx, self.cx.terms.sort(arg))?;
                    }
                    let args: Vec<u32> = args.iter().map(|arg| done[arg]).collect();
                    self.operator(op, &args)
                        .ok_or(Unsupported::Sort(self.cx.terms.sort(term)))?
                }
            };
            done.insert(term, register);
        }
        Ok(done[&root])
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
        if let Some(&register) = self.registers.get(&var) {
            return Ok(register);
        }
        let register = self.register();
        self.registers.insert(var, register);
        Ok(register)
    }

    fn constant(&mut self, value: i64) -> u32 {
        if let Some(&register) = self.constants.get(&value) {
            return register;
        }
        let register = self.register();
        self.program.tail[register as usize - self.n_variables] = value;
        self.constants.insert(value, register);
        register
    }

    fn register(&mut self) -> u32 {
        self.program.tail.push(0);
        (self.n_variables + self.program.tail.len() - 1) as u32
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
        Sort::Rat | Sort::Bv(_) | Sort::Array { .. } => Err(Unsupported::Sort(sort)),
    }
}
