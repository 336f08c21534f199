//! Calls: functions with a body are inlined, the functions of the verification tasks and of the
//! standard library that we know have their meaning, all others return any value.

use crate::c::integer::fold;
use crate::c::lower::{Frame, Lower, Lowered, MAX_DEPTH, Owner, Val};
use crate::c::memory::object::{self, ObjId, Place};
use crate::c::memory::place::Location;
use crate::c::provenance::{Origin, Source};
use crate::c::syntax::ast::{self, Body, E, Expr, Param, Pos};
use crate::c::syntax::token::Sym;
use crate::c::types::{IntTy, Ty, Type};
use lariat_base::{Diagnostic, FxHashMap, Span};
use lariat_system::{CArrival, CPart, LocRole, Stmt as Op};

/// Functions that only print, wait or synchronise: they change nothing that a program can see.
const SILENT: [&str; 16] = [
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "vprintf",
    "fflush",
    "perror",
    "sleep",
    "usleep",
    "srand",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "free",
];

/// The most edges of a program when a function is inlined inside itself: the size is exponential in the
/// depth where a function calls itself twice.
const MAX_RECURSIVE_EDGES: usize = 200_000;
/// The deepest nesting at which a function is inlined inside itself; the rest is for its body.
const MAX_RECURSIVE_DEPTH: u32 = MAX_DEPTH - 300;

/// Functions whose meaning needs a memory that we do not have.
const MEMORY: [&str; 22] = [
    "malloc",
    "calloc",
    "realloc",
    "alloca",
    "__builtin_alloca",
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "strcmp",
    "strncmp",
    "strlen",
    "strdup",
    "sprintf",
    "snprintf",
    "sscanf",
    "pthread_create",
    "longjmp",
];

/// What a function does that is known by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c) enum Known {
    Assume,
    LtlStep,
    Error,
    /// Ends the program.
    Exit,
    /// Fails an assertion: `assert` by its argument, the others whatever it is.
    Assert,
    Fail,
    Nondet,
}

impl Lower<'_> {
    /// What a function does by its name. A body of the program's own counts more, but for the
    /// functions that verification tasks give a fixed meaning.
    pub fn known(&self, name: Sym) -> Option<Known> {
        let fixed = match self.symbols.text(name) {
            "__VERIFIER_assume" | "assume_abort_if_not" => Some(Known::Assume),
            "__VERIFIER_ltl_step" => Some(Known::LtlStep),
            "__VERIFIER_error" | "reach_error" => Some(Known::Error),
            _ => None,
        };
        if fixed.is_some() || self.body_of(name).is_some() {
            return fixed;
        }
        match self.symbols.text(name) {
            "abort"
            | "exit"
            | "_exit"
            | "_Exit"
            | "quick_exit"
            | "__builtin_trap"
            | "__builtin_unreachable"
            | "__builtin_abort"
            | "__builtin_exit" => Some(Known::Exit),
            "assert" => Some(Known::Assert),
            "__assert_fail" | "__assert_perror_fail" | "__assert" | "__assert_rtn" => {
                Some(Known::Fail)
            }
            text if text.starts_with("__VERIFIER_nondet") => Some(Known::Nondet),
            _ => None,
        }
    }

    /// Whether the source calls a function of this kind anywhere, in code that is never reached too:
    /// what a program is asked must not depend on what we find out about it.
    pub fn calls(&self, kinds: &[Known]) -> bool {
        (0..self.ast.n_exprs()).any(|i| {
            let Expr::Call(callee, _) = self.ast.expr(E(i as u32)) else {
                return false;
            };
            let Expr::Name(name) = self.ast.expr(*callee) else {
                return false;
            };
            self.known(*name).is_some_and(|kind| kinds.contains(&kind))
        })
    }

    /// Whether a call of this function takes steps of its own.
    pub fn needs_steps(&self, name: Sym) -> bool {
        match self.known(name) {
            Some(Known::Assume | Known::Nondet) => false,
            Some(_) => true,
            None => self.body_of(name).is_some(),
        }
    }

    /// A call within a step.
    pub fn simple_call(&mut self, callee: E, args: &[E], pos: Pos) -> Lowered<Val> {
        let &Expr::Name(name) = self.ast.expr(callee) else {
            return Err(self.unsupported("a call through a pointer", pos));
        };
        if self.scope.contains_key(&name) || self.global_of.contains_key(&name) {
            return Err(self.unsupported("a call through a pointer", pos));
        }
        let known = self.known(name);
        let text = self.symbols.text(name);
        if known == Some(Known::Assume) {
            for &arg in args {
                let value = self.value(arg)?;
                let truth = self.truth(value, pos)?;
                let mut all = vec![truth];
                for &guard in &self.guard {
                    all.push(self.cx.terms.not(guard));
                }
                let term = self.cx.terms.or(&all);
                self.step.assume(term);
            }
            return Ok(Val::Void);
        }
        if known == Some(Known::Nondet) {
            let ty = self.result_type(name, text);
            let from = self.origin(name, pos);
            return self.any_value(ty, Some(from), pos);
        }
        match (text, args) {
            ("__builtin_expect", &[value, ..]) => return self.value(value),
            ("abs" | "labs" | "llabs", &[arg]) => {
                let value = self.value(arg)?;
                let num = self.number(value, pos)?;
                let int = if text == "abs" {
                    IntTy::INT
                } else {
                    IntTy::LONG
                };
                let num = self.arith().convert(num, int);
                let zero = self.arith().constant(0, int);
                let negative = self.binary_num(ast::Binary::Lt, num, zero, pos)?;
                let negative = self.arith().is_true(negative);
                self.guard.push(negative);
                let minus = self.negated(num);
                self.guard.pop();
                return Ok(Val::Num(self.arith().choose(negative, minus, num)));
            }
            _ => {}
        }
        if MEMORY.contains(&text) || text.starts_with("pthread_") {
            return Err(self.unsupported(&format!("the function `{text}`"), pos));
        }
        let silent = self.is_silent(name);
        let mut values = Vec::new();
        for &arg in args {
            values.push((arg, self.value(arg)?));
        }
        let from = self.origin(name, pos);
        let mut stores = false;
        for (i, (arg, value)) in values.iter().enumerate() {
            let part = CPart::Target(i as u32, self.span(self.ast.pos(*arg)));
            stores |= !silent && self.havoc_target(value, Origin { part, ..from }, pos)?;
        }
        if !silent && !text.starts_with("__VERIFIER_") {
            self.warn_unknown(name, stores, pos);
        }
        let ty = self.result_type(name, text);
        self.any_value(ty, Some(from), pos)
    }

    /// Whether a function changes nothing that a program can see.
    pub fn is_silent(&self, name: Sym) -> bool {
        SILENT.contains(&self.symbols.text(name))
    }

    /// A new call of a function without a body; its result.
    fn origin(&mut self, function: Sym, pos: Pos) -> Origin {
        let source = Source::Function(function);
        Origin {
            source,
            call: self.provenance.call(source),
            span: self.span(pos),
            part: CPart::Result,
        }
    }

    fn warn_unknown(&mut self, name: Sym, stores: bool, pos: Pos) {
        let function = self.functions.get(&name);
        let is_extern = function.is_some_and(|&at| self.ast.functions[at].is_extern);
        if is_extern {
            return;
        }
        match self.bodiless.iter_mut().find(|known| known.0 == name) {
            Some(known) => known.1 |= stores,
            None => self.bodiless.push((name, stores, pos)),
        }
    }

    /// Names the functions without a body that the source does not declare `extern`.
    pub fn bodiless_warning(&self) -> Option<Diagnostic> {
        let &(_, _, first) = self.bodiless.first()?;
        let names = self.bodiless.iter().map(|known| known.0);
        let names: Vec<String> = names
            .map(|name| format!("`{}`", self.symbols.text(name)))
            .collect();
        let may = if self.bodiless.iter().any(|known| known.1) {
            "return anything and store anything where the arguments point to"
        } else {
            "return anything"
        };
        let message = match &names[..] {
            [one] => {
                format!("the function {one} has no body: it may {may}, and changes nothing else")
            }
            _ => format!(
                "the functions {} have no body: they may {may}, and change nothing else",
                names.join(", ")
            ),
        };
        let finding = Diagnostic::warning("no-body", message).at(self.span(first));
        Some(finding.hint("declare it `extern` if that is what you mean"))
    }

    /// The result type of a function without a body.
    pub fn result_type(&mut self, name: Sym, text: &str) -> Ty {
        if let Some(&at) = self.functions.get(&name) {
            return self.ast.functions[at].result;
        }
        let unsigned = |bits| IntTy::new(bits, false);
        let int = match text.strip_prefix("__VERIFIER_nondet_").unwrap_or("") {
            "bool" | "_Bool" => IntTy::BOOL,
            "char" => IntTy::CHAR,
            "uchar" => unsigned(8),
            "short" => IntTy::new(16, true),
            "ushort" => unsigned(16),
            "uint" | "unsigned" => IntTy::UINT,
            "long" | "longlong" | "loff_t" => IntTy::LONG,
            "ulong" | "ulonglong" | "size_t" => IntTy::ULONG,
            _ => IntTy::INT,
        };
        self.types.int(int)
    }

    /// A call with steps of its own; its result is in the state afterwards.
    pub fn call(&mut self, e: E, name: Sym, args: &[E], pos: Pos) -> Lowered<Val> {
        let mark = self.live.len();
        for &arg in args {
            self.hoist(arg)?;
        }
        let span = Some(self.span(pos));
        let body = self.body_of(name);
        match (self.known(name), body) {
            (Some(Known::LtlStep), _) => {
                self.evaluate_all(args, pos)?;
                if self.graph.at.is_some() {
                    let part = CPart::Nothing;
                    let origin = self.origin(name, pos);
                    let id = self.incoming(Origin { part, ..origin }, None, None);
                    let how = CArrival::Unused;
                    let marker = self.provenance.marker(&mut self.cx.stmts, id, how);
                    self.graph.step(self.cx, &[marker], true, span);
                    self.graph.mark_step();
                }
                return Ok(Val::Void);
            }
            (Some(Known::Exit), _) => {
                self.evaluate_all(args, pos)?;
                let end = self.graph.end;
                self.graph.step_to(self.cx, &[], end, true, span);
                return Ok(Val::Void);
            }
            (Some(Known::Fail), _) => {
                let target = self.graph.assert;
                self.graph.step_to(self.cx, &[], target, true, span);
                return Ok(Val::Void);
            }
            (Some(Known::Assert), _) => {
                let &[arg] = args else {
                    return Err(self.error("wrong-arguments", "`assert` takes one argument", pos));
                };
                let value = self.value(arg)?;
                let truth = self.truth(value, pos)?;
                let next = self.graph.location(span);
                let failed = self.graph.assert;
                self.end_branch(truth, next, failed, pos);
                self.graph.at = Some(next);
                self.live.truncate(mark);
                return Ok(Val::Void);
            }
            (Some(Known::Error), body) => {
                self.evaluate_all(args, pos)?;
                if self.error_bodies {
                    let text = format!("call({})", self.symbols.text(name));
                    let at = self.graph.named(&text, LocRole::Plain, span);
                    self.graph.step_to(self.cx, &[], at, true, span);
                    let skip = self.cx.stmts.skip();
                    let error = self.graph.error;
                    self.graph.edge(at, skip, error, false);
                    self.graph.error_is_mark = true;
                    self.graph.at = Some(at);
                    if body.is_none() {
                        let end = self.graph.end;
                        self.graph.step_to(self.cx, &[], end, true, span);
                        return Ok(Val::Void);
                    }
                } else {
                    self.numbered_error(name, args, span);
                    let error = self.graph.error;
                    self.graph.step_to(self.cx, &[], error, true, span);
                    return Ok(Val::Void);
                }
            }
            _ => {}
        }
        let Some(function) = body else {
            return Err(self.unsupported("this call", pos));
        };
        self.inline(e, function, args, mark, pos)
    }

    /// Errors that a program numbers, as in `__VERIFIER_error(7)`, are told apart by a location before.
    fn numbered_error(&mut self, name: Sym, args: &[E], span: Option<Span>) {
        let &[arg] = args else { return };
        let Some(constant) = fold::fold(self.ast, self.types, arg) else {
            return;
        };
        let text = format!("call({}({}))", self.symbols.text(name), constant.value);
        let (at, is_new) = self.graph.shared(&text, span);
        self.graph.step_to(self.cx, &[], at, true, span);
        self.graph.at = is_new.then_some(at);
    }

    /// Evaluates arguments that are not needed, for their effects.
    fn evaluate_all(&mut self, args: &[E], pos: Pos) -> Lowered<()> {
        for &arg in args {
            self.value(arg)?;
        }
        self.end_step(pos, false);
        Ok(())
    }

    fn inline(&mut self, e: E, function: usize, args: &[E], mark: usize, pos: Pos) -> Lowered<Val> {
        let ast = self.ast;
        let callee = &ast.functions[function];
        let text = self.symbols.text(callee.name).to_owned();
        let level = self.level_of(function);
        if level > 0 {
            self.refuse_recursion(&text, pos)?;
        }
        let body = match &callee.body {
            Body::Present(body) => *body,
            Body::Broken(finding) => return Err(finding.clone()),
            Body::Missing => return Err(self.unsupported("this call", pos)),
        };
        if args.len() < callee.params.len() {
            let message = format!(
                "the function `{text}` takes {} arguments, not {}",
                callee.params.len(),
                args.len()
            );
            return Err(self.error("wrong-arguments", message, pos));
        }
        let mut values = Vec::new();
        for &arg in args {
            values.push(self.value(arg)?);
        }
        self.live.truncate(mark);
        if level > self.recursion || level > 0 && self.graph.at.is_none() {
            return self.cut_off(function, pos);
        }
        self.protect(pos)?;
        let outer = self.frames.last().map_or(0, |frame| frame.instance);
        let next = self.instances.len() as u32 + 1;
        let instance = *self.instances.entry((outer, e)).or_insert(next);
        let ret = self.graph.location(Some(self.span(pos)));
        let frame = self.new_frame(function, instance, ret);
        self.frames.push(frame);
        let scope = std::mem::take(&mut self.scope);
        let undo = std::mem::take(&mut self.undo);
        let live = std::mem::take(&mut self.live);
        let result = self.enter(function, &callee.params, &values, pos);
        let result = result.and_then(|()| {
            if self.graph.at.is_some() {
                let name = format!("call({text})");
                self.graph.rename_open(&name, Some(self.span(pos)));
            }
            self.deeper(pos)?;
            self.statement(body);
            self.depth -= 1;
            self.leave_without_value();
            Ok(self.frames.last().and_then(|frame| frame.result))
        });
        self.frames.pop();
        (self.scope, self.undo, self.live) = (scope, undo, live);
        let result = result?;
        self.graph.at = self.graph.is_reached(ret).then_some(ret);
        self.graph.pending.clear();
        let Some(obj) = result else {
            return Ok(Val::Void);
        };
        let value = self.read(&self.whole(obj), pos)?;
        self.live.push((e, obj));
        Ok(value)
    }

    /// How often a function is active.
    fn level_of(&self, function: usize) -> u32 {
        let active = self.frames.iter();
        let active = active.filter(|frame| frame.function == function);
        active.count() as u32
    }

    /// Refuses to inline a function inside itself, if that was not asked for or leads too far.
    fn refuse_recursion(&self, function: &str, pos: Pos) -> Lowered<()> {
        let n = self.recursion;
        if n == 0 {
            let message = format!("the function `{function}` calls itself here");
            let finding = self.error("recursion", message, pos);
            let hint = "calls are inlined, so recursion needs a limit: \
                        `--recursion N` inlines it N deep; or write it as a loop";
            return Err(Box::new(finding.hint(hint)));
        }
        if self.depth >= MAX_RECURSIVE_DEPTH {
            let message = format!("the recursion of `{function}` is too deep to be inlined");
            let finding = self.error("too-deep", message, pos);
            return Err(Box::new(finding.hint("lower `--recursion`")));
        }
        if self.graph.n_edges() >= MAX_RECURSIVE_EDGES {
            let message = format!(
                "the program has more than {MAX_RECURSIVE_EDGES} steps with the recursion of \
                 `{function}` inlined {n} deep"
            );
            let finding = self.error("too-large", message, pos);
            return Err(Box::new(finding.hint("lower `--recursion`")));
        }
        Ok(())
    }

    /// The end of what is inlined: the arguments are evaluated, and nothing is known of what follows.
    /// That is no step, so no formula reads what they changed.
    fn cut_off(&mut self, function: usize, pos: Pos) -> Lowered<Val> {
        self.end_silent_step(pos);
        let callee = &self.ast.functions[function];
        let text = self.symbols.text(callee.name);
        let name = format!("recursion of {text} deeper than {}", self.recursion);
        let span = Some(self.span(pos));
        if self.graph.at.is_some() {
            let cut = self.graph.cut(&name, span);
            self.graph.step_to(self.cx, &[], cut, false, span);
        }
        self.graph.pending.clear();
        if matches!(self.types.get(callee.result), Type::Void) {
            return Ok(Val::Void);
        }
        // Code that is not reached still needs a value of this type.
        let obj = self.result_object(Owner::Function, function, pos)?;
        self.read(&self.whole(obj), pos)
    }

    pub fn whole(&self, obj: ObjId) -> Location {
        let ty = self.objects.get(obj).ty;
        let place = Place {
            obj,
            leaf: 0,
            ty,
            index: None,
        };
        Location {
            ty,
            places: vec![(None, place)],
        }
    }

    /// The step of the call: parameters get their values.
    fn enter(
        &mut self,
        function: usize,
        params: &[Param],
        values: &[Val],
        pos: Pos,
    ) -> Lowered<()> {
        for (i, (param, value)) in params.iter().zip(values).enumerate() {
            let Some(name) = param.name else { continue };
            let obj = self.local(
                (u32::MAX - function as u32, i as u32),
                name,
                param.ty,
                param.pos,
            )?;
            self.zero_at_start(obj);
            let value = self.converted(value.clone(), param.ty, pos)?;
            let at = self.whole(obj);
            self.write(&at, &value, pos)?;
            self.bind(name, obj);
        }
        let result = self.ast.functions[function].result;
        if !matches!(self.types.get(result), Type::Void) {
            let by_call = self.has_pointers(result);
            let owner = if by_call {
                Owner::Call(self.frame().instance)
            } else {
                Owner::Function
            };
            let obj = self.result_object(owner, function, pos)?;
            self.zero_at_start(obj);
            self.frame().result = Some(obj);
        }
        self.end_step(pos, true);
        Ok(())
    }

    /// What holds the result of a function: its callers read it before it is called again.
    fn result_object(&mut self, owner: Owner, function: usize, pos: Pos) -> Lowered<ObjId> {
        let key = (owner, u32::MAX - function as u32, u32::MAX);
        if let Some(&known) = self.locals.get(&key) {
            return Ok(known);
        }
        let function = &self.ast.functions[function];
        let name = format!("{}::return", self.symbols.text(function.name));
        let made = self.new_object(&name, function.result, self.span(function.pos));
        let obj = made.map_err(|object::NoObject(what)| self.unsupported(what, pos))?;
        self.locals.insert(key, obj);
        Ok(obj)
    }

    /// Results of calls that are still needed are copied before another call may change them.
    fn protect(&mut self, pos: Pos) -> Lowered<()> {
        for (e, obj) in std::mem::take(&mut self.live) {
            let at = self.whole(obj);
            let value = self.read(&at, pos)?;
            let copy = self.temporary(e, at.ty, pos)?;
            let to = self.whole(copy);
            self.write(&to, &value, pos)?;
            let saved = std::mem::take(&mut self.step);
            let value = self.read(&to, pos)?;
            self.step = saved;
            self.hoisted.insert(e, value);
        }
        Ok(())
    }

    /// A variable for the value of an expression.
    pub fn temporary(&mut self, e: E, ty: Ty, pos: Pos) -> Lowered<ObjId> {
        let level = self.frames.last().map_or(0, |frame| frame.level);
        let key = (Owner::Level(level), e.0, u32::MAX);
        if let Some(&known) = self.locals.get(&key) {
            return Ok(known);
        }
        let function = self.frames.last().map(|frame| frame.function);
        let function = function.map_or("main", |at| self.symbols.text(self.ast.functions[at].name));
        let name = format!("{function}::value");
        let made = self.new_object(&name, ty.plain(), self.span(pos));
        let obj = made.map_err(|object::NoObject(what)| self.unsupported(what, pos))?;
        self.locals.insert(key, obj);
        self.zero_at_start(obj);
        Ok(obj)
    }

    pub fn new_frame(
        &mut self,
        function: usize,
        instance: u32,
        ret: lariat_system::LocId,
    ) -> Frame {
        Frame {
            function,
            level: self.level_of(function),
            instance,
            labels: FxHashMap::default(),
            breaks: Vec::new(),
            continues: Vec::new(),
            ret,
            result: None,
            n_loops: 0,
            has_labels: self.function_has_labels(function),
            switches: Vec::new(),
        }
    }

    /// The end of a function without `return`: the result is any value.
    fn leave_without_value(&mut self) {
        let (result, ret) = {
            let frame = self.frame();
            (frame.result, frame.ret)
        };
        if self.graph.at.is_some() {
            if let Some(obj) = result {
                let stmts = self.havoc(obj);
                self.graph.pending.extend(stmts);
            }
            self.graph.jump(self.cx, ret);
        }
    }

    /// `return`: the value goes to the caller; that is no step.
    pub fn leave(&mut self, value: Option<E>, pos: Pos) -> Lowered<()> {
        let (result, ret) = {
            let frame = self.frame();
            (frame.result, frame.ret)
        };
        if let Some(e) = value {
            self.hoist(e)?;
            let value = self.value(e)?;
            if let Some(obj) = result {
                let at = self.whole(obj);
                let value = self.converted(value, at.ty, pos)?;
                self.write(&at, &value, pos)?;
            }
            self.live.clear();
            self.end_silent_step(pos);
        } else if let Some(obj) = result
            && self.graph.at.is_some()
        {
            let stmts = self.havoc(obj);
            self.graph.pending.extend(stmts);
        }
        self.graph.jump(self.cx, ret);
        Ok(())
    }

    /// Ends a step that is not observed: it is pending until the next.
    pub fn end_silent_step(&mut self, pos: Pos) {
        let span = Some(self.span(pos));
        let step = std::mem::take(&mut self.step);
        if self.graph.at.is_none() {
            return;
        }
        if step.is_empty() && !step.has_faults() {
            let markers = step.markers(self.cx, &mut self.provenance);
            self.keep_calls(markers);
            return;
        }
        let arena = (&mut *self.cx, &mut self.provenance);
        let stmts = step.statements(arena, self.mode, None, span);
        let stmts = stmts.unwrap_or_else(|| {
            let never = self.cx.terms.false_();
            vec![self.cx.stmts.add(Op::Assume(never), span)]
        });
        if step.has_faults() {
            // Where the step may have no meaning it needs a location of its own.
            self.fault_edges(&step, span);
            self.graph.step(self.cx, &stmts, false, span);
        } else {
            self.graph.pending.extend(stmts);
        }
    }

    /// A variable of ours: it is zero until it is set.
    pub fn zero_at_start(&mut self, obj: ObjId) {
        let leaves = self.objects.get(obj).leaves.clone();
        for leaf in leaves {
            for var in std::iter::once(leaf.var).chain(leaf.offset) {
                if !self.initial.contains_key(&var) {
                    let sort = self.cx.terms.var_sort(var);
                    let zero = self.zero_of(sort);
                    self.initial.insert(var, zero);
                }
            }
        }
    }
}
