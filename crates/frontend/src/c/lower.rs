//! From the syntax tree to a system: what the parts of the lowering share.
//!
//! Statements become edges (`statement`), calls are inlined (`call`), expressions become terms inside
//! one step (`expression`, `edge`). What a pointer may point to must be known where it is followed, and
//! is learnt where it is assigned: the whole program is lowered again until nothing new is learnt.

use super::control::edge::Step;
use super::control::fault::Fault;
use super::control::graph::{self, Graph};
use super::integer::arith::{Arith, IntMode, NeedsBits, Num};
use super::memory::object::{LeafKind, NoObject, ObjId, Objects};
use super::memory::pointer::{Pointers, Ptr};
use super::provenance::Provenance;
use super::syntax::ast::{Ast, Binary, Body, E, Expr, Pos, Storage, Unary};
use super::syntax::token::{Sym, Symbols};
use super::types::{IntTy, Ty, Type, Types};
use super::{COptions, Volatile};
use lariat_base::{Diagnostic, FxHashMap, FxHashSet, SourceId, Span};
use lariat_expr::{TermId, VarId};
use lariat_system::{Context, LocId, Stmt, StmtId};

/// The most edges of a program after inlining.
const MAX_EDGES: usize = 2_000_000;
/// The deepest that statements, expressions and inlined calls may nest together.
pub(super) const MAX_DEPTH: u32 = 1500;

/// Something that was lowered, or why it could not be.
pub(super) type Lowered<T> = Result<T, Box<Diagnostic>>;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Void,
    Num(Num),
    Ptr(Ptr),
    Record(Ty, Vec<Val>),
    /// A whole array inside a struct that is copied.
    Array(TermId),
}

/// Whose a local object is. Calls share one where they cannot be active at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Owner {
    /// All calls of its function.
    Function,
    /// Those calls of its function inside of which the function has been entered so often before.
    Level(u32),
    /// One path of calls.
    Call(u32),
}

/// A function that is being inlined.
pub(super) struct Frame {
    pub function: usize,
    /// How often the function is active further out.
    pub level: u32,
    /// The path of calls that leads here.
    pub instance: u32,
    pub labels: FxHashMap<Sym, LocId>,
    pub breaks: Vec<LocId>,
    pub continues: Vec<LocId>,
    pub ret: LocId,
    pub result: Option<ObjId>,
    pub n_loops: u32,
    pub has_labels: bool,
    pub switches: Vec<Cases>,
}

/// The cases of a switch so far.
#[derive(Default)]
pub(super) struct Cases {
    pub values: Vec<(i128, LocId, Pos)>,
    pub default: Option<LocId>,
}

/// The state of the lowering.
pub(super) struct Lower<'a> {
    pub cx: &'a mut Context,
    pub ast: &'a Ast,
    pub types: &'a mut Types,
    pub symbols: &'a Symbols,
    pub source: SourceId,
    pub mode: IntMode,
    pub options: COptions,
    /// Where steps of this pass may have no meaning.
    pub faults: Vec<(Fault, Span)>,
    /// Whether the place that is found next is not used, only its address.
    pub addressing: bool,
    /// The latches of the variables, if formulas read them; see `control/hang`.
    pub latches: FxHashMap<VarId, VarId>,
    /// The highest level of a frame; see [`COptions::recursion`].
    pub recursion: u32,

    // What stays from pass to pass.
    pub objects: Objects,
    pub pointers: Pointers,
    pub locals: FxHashMap<(Owner, u32, u32), ObjId>,
    pub globals: FxHashMap<Sym, ObjId>,
    pub instances: FxHashMap<(u32, E), u32>,
    pub functions: FxHashMap<Sym, usize>,
    pub global_of: FxHashMap<Sym, usize>,
    /// Initial values; variables without one have any.
    pub initial: FxHashMap<VarId, TermId>,
    /// Whether evaluating an expression needs several steps, and whether it changes anything.
    pub flow: Vec<bool>,
    pub effects: Vec<bool>,

    // What belongs to one pass.
    pub graph: Graph,
    pub step: Step,
    pub guard: Vec<TermId>,
    pub frames: Vec<Frame>,
    pub scope: FxHashMap<Sym, ObjId>,
    pub undo: Vec<(Sym, Option<ObjId>)>,
    pub hoisted: FxHashMap<E, Val>,
    pub provenance: Provenance,
    pub depth: u32,
    pub findings: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    /// Functions without a body that are called, whether they store anything, and the first call.
    pub bodiless: Vec<(Sym, bool, Pos)>,
    /// Where pointers were followed that have no target so far.
    pub unresolved: Vec<Pos>,
    /// Results of calls that the rest of an expression still needs.
    pub live: Vec<(E, ObjId)>,
    /// Objects that have any value at the start.
    pub any: FxHashSet<ObjId>,
    /// The statements that can be reached by a jump into them.
    pub has_label: Vec<bool>,
    /// Whether a function that marks an error has a body, so that the run goes on after it.
    pub error_bodies: bool,
    /// Whether this is an atom of a formula, not a program.
    pub in_atom: bool,
    /// The names of constants.
    pub constants: Vec<Sym>,
    /// The names of which the source takes an address somewhere.
    pub addressed: FxHashSet<Sym>,
}

impl<'a> Lower<'a> {
    pub fn new(
        cx: &'a mut Context,
        ast: &'a Ast,
        (types, symbols): (&'a mut Types, &'a Symbols),
        source: SourceId,
        options: COptions,
    ) -> Self {
        let functions = ast.functions.iter().enumerate();
        let functions = functions.map(|(i, function)| (function.name, i)).collect();
        let mut lower = Self {
            cx,
            ast,
            types,
            symbols,
            source,
            mode: options.ints,
            options,
            faults: Vec::new(),
            addressing: false,
            recursion: options.recursion,
            latches: FxHashMap::default(),
            objects: Objects::default(),
            pointers: Pointers::default(),
            locals: FxHashMap::default(),
            globals: FxHashMap::default(),
            instances: FxHashMap::default(),
            functions,
            global_of: FxHashMap::default(),
            initial: FxHashMap::default(),
            flow: Vec::new(),
            effects: Vec::new(),
            graph: Graph::new(),
            step: Step::default(),
            guard: Vec::new(),
            frames: Vec::new(),
            scope: FxHashMap::default(),
            undo: Vec::new(),
            hoisted: FxHashMap::default(),
            provenance: Provenance::default(),
            depth: 0,
            findings: Vec::new(),
            warnings: Vec::new(),
            bodiless: Vec::new(),
            unresolved: Vec::new(),
            live: Vec::new(),
            any: FxHashSet::default(),
            has_label: Self::find_labels(ast),
            error_bodies: false,
            in_atom: false,
            constants: Vec::new(),
            addressed: FxHashSet::default(),
        };
        lower.classify();
        lower
    }

    /// Finds out which expressions need several steps and which have effects.
    fn classify(&mut self) {
        let n = self.ast.n_exprs();
        (self.flow, self.effects) = (vec![false; n], vec![false; n]);
        for i in 0..n {
            let e = E(i as u32);
            let (mut flow, mut effects) = match self.ast.expr(e) {
                Expr::Block(_) => (true, true),
                // Which places are volatile is known when they are found.
                Expr::Unary(Unary::Deref, _)
                | Expr::Index(..)
                | Expr::Member(..)
                | Expr::Name(_) => (false, self.reads_volatile()),
                Expr::Assign(..) | Expr::Step { .. } => (false, true),
                Expr::Call(callee, _) => match self.ast.expr(*callee) {
                    Expr::Name(name) => (self.needs_steps(*name), true),
                    _ => (false, true),
                },
                _ => (false, false),
            };
            self.ast.children(e, |child| {
                flow |= self.flow[child.0 as usize];
                effects |= self.effects[child.0 as usize];
            });
            self.flow[i] = flow;
            self.effects[i] = effects;
        }
        self.addressed = super::memory::volatile::addressed(self.ast);
    }

    /// Forgets what belongs to the pass before.
    pub fn start_pass(&mut self) {
        self.graph = Graph::new();
        self.step = Step::default();
        self.guard.clear();
        self.frames.clear();
        self.scope.clear();
        self.undo.clear();
        self.hoisted.clear();
        self.provenance = Provenance::default();
        self.depth = 0;
        self.findings.clear();
        self.faults.clear();
        self.bodiless.clear();
        self.unresolved.clear();
        self.live.clear();
        self.pointers.changed = false;
    }

    /// Whether there are volatile objects whose reads are inputs.
    pub fn reads_volatile(&self) -> bool {
        self.options.volatile == Volatile::Inputs && self.ast.has_volatile
    }

    pub fn has_flow(&self, e: E) -> bool {
        self.flow[e.0 as usize]
    }

    pub fn has_effects(&self, e: E) -> bool {
        self.effects[e.0 as usize]
    }

    pub fn arith(&mut self) -> Arith<'_> {
        Arith {
            terms: &mut self.cx.terms,
            mode: self.mode,
        }
    }

    pub fn int_ty(&mut self) -> Ty {
        self.types.int(IntTy::INT)
    }

    pub fn span(&self, pos: Pos) -> Span {
        Span::new(self.source, pos.start as usize, pos.end as usize)
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames
            .last_mut()
            .expect("code is lowered inside a function")
    }

    /// One level deeper into the program; the caller decreases `depth` again.
    pub fn deeper(&mut self, pos: Pos) -> Lowered<()> {
        if self.depth >= MAX_DEPTH {
            let message = "the program is nested too deep here, inlined calls included";
            return Err(self.error("too-deep", message, pos));
        }
        if self.graph.n_edges() >= MAX_EDGES {
            let message = format!("the program has more than {MAX_EDGES} steps after inlining");
            return Err(self.error("too-large", message, pos));
        }
        self.depth += 1;
        Ok(())
    }

    // Findings.

    pub fn error(&self, id: &'static str, message: impl Into<String>, pos: Pos) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(id, message).at(self.span(pos)))
    }

    pub fn unsupported(&self, what: &str, pos: Pos) -> Box<Diagnostic> {
        self.error("unsupported", format!("{what} is not supported"), pos)
    }

    pub fn needs_bits(&self, op: Binary, pos: Pos) -> Box<Diagnostic> {
        let message = format!(
            "this `{}` has no meaning for mathematical integers",
            op.text()
        );
        let finding = self.error("unsupported", message, pos);
        Box::new(finding.hint("check with `--int bitprecise`"))
    }

    pub fn binary_num(&mut self, op: Binary, left: Num, right: Num, pos: Pos) -> Lowered<Num> {
        let result = self.arith().binary(op, left, right);
        let num = result.map_err(|NeedsBits| self.needs_bits(op, pos))?;
        self.check_overflow(op, left, right);
        self.check_division(op, right);
        Ok(num)
    }

    // Objects.

    /// The object that a name stands for here.
    pub fn lookup(&mut self, name: Sym, pos: Pos) -> Lowered<ObjId> {
        if let Some(&obj) = self.scope.get(&name) {
            return Ok(obj);
        }
        self.global(name, pos)
    }

    /// A global object, made at its first use if it is only declared.
    pub fn global(&mut self, name: Sym, pos: Pos) -> Lowered<ObjId> {
        if let Some(&obj) = self.globals.get(&name) {
            return Ok(obj);
        }
        let text = self.symbols.text(name);
        let Some(&at) = self.global_of.get(&name) else {
            if self.functions.contains_key(&name) {
                return Err(self.unsupported("a pointer to a function", pos));
            }
            let message = format!("unknown name `{text}`");
            let known = self.global_of.keys().chain(self.scope.keys());
            let known = known.chain(self.globals.keys()).chain(&self.constants);
            let mut known: Vec<&str> = known.map(|&sym| self.symbols.text(sym)).collect();
            known.sort_unstable();
            let near = crate::scope::suggestion(text, known);
            let finding = self.error("unknown-name", message, pos);
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            return Err(Box::new(finding.maybe_hint(hint)));
        };
        let declaration = &self.ast.globals[at];
        let (ty, span) = (declaration.ty, self.span(declaration.pos));
        let obj = self
            .new_object(text, ty, span)
            .map_err(|NoObject(what)| self.unsupported(what, pos))?;
        self.globals.insert(name, obj);
        if declaration.storage == Storage::Extern && declaration.init.is_none() {
            self.any_at_start(obj, true);
        }
        Ok(obj)
    }

    pub fn new_object(&mut self, name: &str, ty: Ty, span: Span) -> Result<ObjId, NoObject> {
        let terms = (&mut self.cx.terms, self.mode);
        self.objects
            .add(terms, (self.types, self.symbols), name, ty, Some(span))
    }

    /// Makes the global variables that the file defines; extern ones wait for their first use.
    pub fn define_globals(&mut self) {
        for (i, declaration) in self.ast.globals.iter().enumerate() {
            let known = self.global_of.get(&declaration.name);
            let better = known.is_none_or(|&known| {
                let known = &self.ast.globals[known];
                known.init.is_none()
                    && (declaration.init.is_some() || known.storage == Storage::Extern)
            });
            if better {
                self.global_of.insert(declaration.name, i);
            }
        }
        for (i, declaration) in self.ast.globals.iter().enumerate() {
            let is_extern = declaration.storage == Storage::Extern && declaration.init.is_none();
            if is_extern || self.global_of.get(&declaration.name) != Some(&i) {
                continue;
            }
            if self.global(declaration.name, declaration.pos).is_err() {
                // Of a type that we do not know: an error where it is used.
                continue;
            }
            let obj = self.globals[&declaration.name];
            let set = self.initialize(obj, declaration.init.as_ref(), declaration.pos);
            if let Err(finding) = set {
                self.findings.push(*finding);
            }
        }
    }

    /// The name of a local variable of the current function.
    pub fn local_name(&self, name: Sym) -> String {
        let text = self.symbols.text(name);
        let function = self.frames.last().map(|frame| frame.function);
        let function = function.map_or("main", |at| self.symbols.text(self.ast.functions[at].name));
        if function == "main" && !self.objects.is_used(text) && !self.global_of.contains_key(&name)
        {
            return text.to_owned();
        }
        format!("{function}::{text}")
    }

    /// Whether a type holds pointers: their targets are kept apart for each inlined call.
    pub fn has_pointers(&self, ty: Ty) -> bool {
        let mut todo = vec![ty];
        let mut n_seen = 0;
        while let Some(ty) = todo.pop() {
            n_seen += 1;
            match self.types.get(ty) {
                Type::Ptr(_) => return true,
                Type::Array(element, _) => todo.push(*element),
                Type::Record(id) if n_seen < 1000 => {
                    let fields = self.types.record(*id).fields.as_deref();
                    todo.extend(fields.unwrap_or(&[]).iter().map(|field| field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// A local object of the current function: the same in all its calls that cannot be active at the
    /// same time.
    pub fn local(&mut self, key: (u32, u32), name: Sym, ty: Ty, pos: Pos) -> Lowered<ObjId> {
        let ty = self.local_type(name, ty);
        let by_call = self.has_pointers(ty);
        let owner = if by_call {
            Owner::Call(self.frame().instance)
        } else {
            Owner::Level(self.frame().level)
        };
        self.owned(owner, key, name, ty, pos)
    }

    /// An object of the current function, made at its first use.
    pub fn owned(
        &mut self,
        owner: Owner,
        key: (u32, u32),
        name: Sym,
        ty: Ty,
        pos: Pos,
    ) -> Lowered<ObjId> {
        let key = (owner, key.0, key.1);
        if let Some(&known) = self.locals.get(&key) {
            return Ok(known);
        }
        let (text, span) = (self.local_name(name), self.span(pos));
        let made = self.new_object(&text, ty, span);
        let obj = made.map_err(|NoObject(what)| self.unsupported(what, pos))?;
        self.locals.insert(key, obj);
        Ok(obj)
    }

    pub fn bind(&mut self, name: Sym, obj: ObjId) {
        let before = self.scope.insert(name, obj);
        self.undo.push((name, before));
    }

    pub fn unbind(&mut self, mark: usize) {
        while self.undo.len() > mark {
            if let Some((name, before)) = self.undo.pop() {
                match before {
                    Some(before) => self.scope.insert(name, before),
                    None => self.scope.remove(&name),
                };
            }
        }
    }

    /// Statements that give an object any value of its type.
    pub fn havoc(&mut self, obj: ObjId) -> Vec<StmtId> {
        let object = self.objects.get(obj).clone();
        let mut stmts = Vec::new();
        for leaf in &object.leaves {
            stmts.push(self.cx.stmts.add(Stmt::Havoc(leaf.var), object.span));
            if let (LeafKind::Int(int), false) = (leaf.kind, leaf.is_array) {
                let term = self.cx.terms.var(leaf.var);
                if let Some(range) = self.arith().in_range(term, int) {
                    stmts.push(self.cx.stmts.add(Stmt::Assume(range), object.span));
                }
            }
        }
        stmts
    }

    /// Ends the step that was collected: an edge, if it does anything or `always`.
    pub fn end_step(&mut self, pos: Pos, always: bool) {
        let span = Some(self.span(pos));
        let step = std::mem::take(&mut self.step);
        self.fault_edges(&step, span);
        if !always && step.is_empty() {
            if step.has_faults() {
                // What comes next must not share the location that the fault starts from.
                let arena = (&mut *self.cx, &mut self.provenance);
                let stmts = step.statements(arena, self.mode, None, span);
                self.blocked_or(stmts, false, span);
            } else {
                let markers = step.markers(self.cx, &mut self.provenance);
                self.keep_calls(markers);
            }
            return;
        }
        let arena = (&mut *self.cx, &mut self.provenance);
        let stmts = step.statements(arena, self.mode, None, span);
        self.blocked_or(stmts, true, span);
    }

    /// A step; without statements it is blocked whatever happens, and the run does not exist.
    fn blocked_or(&mut self, stmts: Option<Vec<StmtId>>, observed: bool, span: Option<Span>) {
        let stmts = stmts.unwrap_or_else(|| {
            let never = self.cx.terms.false_();
            vec![self.cx.stmts.add(Stmt::Assume(never), span)]
        });
        self.graph.step(self.cx, &stmts, observed, span);
    }

    /// Ends the step that was collected with a choice: to `then` where the condition holds, else to `otherwise`.
    pub fn end_branch(&mut self, condition: TermId, then: LocId, otherwise: LocId, pos: Pos) {
        let span = Some(self.span(pos));
        let step = std::mem::take(&mut self.step);
        self.fault_edges(&step, span);
        let Some(at) = self.graph.settle(self.cx) else {
            return;
        };
        let not = self.cx.terms.not(condition);
        for (condition, target) in [(condition, then), (not, otherwise)] {
            let arena = (&mut *self.cx, &mut self.provenance);
            if let Some(stmts) = step.statements(arena, self.mode, Some(condition), span) {
                let stmt = graph::one(self.cx, &stmts, span);
                self.graph.edge(at, stmt, target, true);
            }
        }
        self.graph.at = None;
    }

    /// Whether the program has a body for this function.
    pub fn body_of(&self, name: Sym) -> Option<usize> {
        let &at = self.functions.get(&name)?;
        let function = &self.ast.functions[at];
        (!matches!(function.body, Body::Missing)).then_some(at)
    }
}
