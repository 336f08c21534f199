//! A whole program: from text to system.

use super::control::call::Known;
use super::control::fault::Fault;
use super::control::graph;
use super::integer::arith::IntMode;
use super::integer::fold;
use super::link;
use super::lower::Lower;
use super::memory::object::{self, LeafKind};
use super::memory::pointer;
use super::syntax::ast::{self, Ast, Body, Stmt};
use super::syntax::parse::{Entity, Parser};
use super::syntax::preprocess::{NEEDS_CPP, Preprocessed, preprocess};
use super::syntax::scan::Annotation;
use super::syntax::token::{self, Sym, Symbols};
use super::types::{IntTy, Types, int_of};
use super::{COptions, Volatile};
use crate::{Parsed, file_stem};
use lariat_base::{Diagnostic, FxHashMap, FxHashSet, SourceFile, SourceId, Span};
use lariat_expr::TermId;
use lariat_system::{
    CHanging, CProgram, Context, Edge, Language, Property, PropertyBody, Stmt as Op, StmtId,
    System, SystemBuilder, Variable,
};
use std::ops::Range;

/// A named constant with its value and type.
type Named = (Sym, i128, IntTy);

/// How often a program is lowered until its pointers are known.
const MAX_PASSES: usize = 30;

/// Reads a C program.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
    options: COptions,
) -> Result<Parsed, Vec<Diagnostic>> {
    let one = |finding: Box<Diagnostic>| vec![*finding];
    let mut symbols = Symbols::new();
    let units = file.units();
    let (names, ranges): (Vec<&str>, Vec<Range<usize>>) = units.into_iter().unzip();
    let mut texts: Vec<Preprocessed> = Vec::new();
    for range in &ranges {
        let text = &file.text[range.clone()];
        let text = preprocess(text, range.start, source, &mut symbols, options);
        texts.push(text.map_err(one)?);
    }
    let mistakes = texts
        .iter_mut()
        .map(|text| std::mem::take(&mut text.mistakes));
    let mistakes: Vec<Diagnostic> = mistakes.flatten().collect();
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let prefixes = link::prefixes(&names);
    let Tree {
        ast,
        mut types,
        constants,
    } = Tree::read(
        &texts,
        (&prefixes, &ranges),
        source,
        file,
        options,
        &mut symbols,
    )?;
    let named = link::join_constants(constants, &prefixes, &mut symbols);
    let annotations: Vec<Annotation> = texts
        .into_iter()
        .flat_map(|text| text.annotations)
        .collect();
    let mut lower = Lower::new(cx, &ast, (&mut types, &symbols), source, options);
    lower.constants = named.iter().map(|known| known.0).collect();
    let main = symbols.get("main").and_then(|name| lower.body_of(name));
    let Some(main) = main else {
        let message = "there is no function `main`";
        return Err(vec![Diagnostic::error("missing-main", message)]);
    };
    let mut n_passes = 0;
    loop {
        lower.start_pass();
        lower.main(main);
        n_passes += 1;
        if !lower.pointers.changed || n_passes >= MAX_PASSES {
            break;
        }
    }
    for pos in std::mem::take(&mut lower.unresolved) {
        let finding = lower.unsupported("following a pointer without known targets", pos);
        lower.findings.push(*finding);
    }
    if lower.pointers.changed {
        let message = "the targets of the program's pointers could not be found";
        lower.findings.push(Diagnostic::error("too-large", message));
    }
    let mut findings = std::mem::take(&mut lower.findings);
    if !findings.is_empty() {
        let mut known: Vec<Diagnostic> = Vec::new();
        for finding in findings.drain(..) {
            if !known.contains(&finding) {
                known.push(finding);
            }
        }
        return Err(known);
    }
    let mut warnings = std::mem::take(&mut lower.warnings);
    warnings.extend(lower.bodiless_warning());
    let faults = Fault::ALL;
    warnings.extend(faults.into_iter().filter_map(|f| lower.fault_warning(f)));
    warnings.extend(lower.volatile_warning());
    warnings.extend(lower.never_called());
    let system = lower.system(file, &named, &annotations);
    Ok(Parsed {
        system,
        warnings,
        obligations: Vec::new(),
    })
}

/// The syntax of a whole program.
struct Tree {
    ast: Ast,
    types: Types,
    /// Enumerators and macros that stand for constants, of each file.
    constants: Vec<Vec<Named>>,
}

impl Tree {
    /// Reads preprocessed files, and links them if they are several.
    fn read(
        texts: &[Preprocessed],
        (prefixes, ranges): (&[String], &[Range<usize>]),
        source: SourceId,
        file: &SourceFile,
        options: COptions,
        symbols: &mut Symbols,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut parser = Parser::new(&texts[0].tokens, &file.text, 0, source, symbols);
        parser.keeps_volatile = options.volatile == Volatile::Inputs;
        let standard: FxHashSet<Sym> = parser.entities.keys().copied().collect();
        let (mut starts, mut known, mut constants) = (Vec::new(), Vec::new(), Vec::new());
        for (text, prefix) in texts.iter().zip(prefixes) {
            if texts.len() > 1 {
                parser.next_file(&text.tokens, prefix);
            }
            starts.push(parser.types.records().len());
            parser.file().map_err(|finding| vec![*finding])?;
            let mut enumerators: Vec<Named> = Vec::new();
            for (&name, entity) in &parser.entities {
                if let (Entity::Constant(value, int), false) = (entity, standard.contains(&name)) {
                    enumerators.push((name, *value, *int));
                }
            }
            enumerators.sort_unstable_by_key(|known| known.0);
            constants.push(enumerators);
            known.push(parser.entities.clone());
        }
        let findings = link::link(&mut parser, &starts, ranges);
        if !findings.is_empty() {
            return Err(findings);
        }
        let (ast, types) = (parser.ast, parser.types);
        for ((text, entities), of_file) in texts.iter().zip(&known).zip(&mut constants) {
            let values = macro_values(&text.constants, entities, file, source, symbols);
            of_file.extend(values);
        }
        Ok(Self {
            ast,
            types,
            constants,
        })
    }
}

/// Whether a file goes beyond what this reads by itself, so that the system's preprocessor must be run first.
pub fn needs_preprocessor(source: SourceId, file: &SourceFile) -> bool {
    let mut symbols = Symbols::new();
    let read = preprocess(&file.text, 0, source, &mut symbols, COptions::default());
    read.is_err_and(|finding| finding.id == NEEDS_CPP)
}

/// The values of macros that stand for constants.
fn macro_values(
    constants: &[(Sym, Vec<token::Token>)],
    entities: &FxHashMap<Sym, Entity>,
    file: &SourceFile,
    source: SourceId,
    symbols: &mut Symbols,
) -> Vec<Named> {
    let mut values: Vec<Named> = Vec::new();
    for (name, body) in constants {
        let mut tokens = body.clone();
        let Some(&last) = tokens.last() else { continue };
        tokens.push(token::Token {
            tok: token::Tok::End,
            ..last
        });
        let mut parser = Parser::new(&tokens, &file.text, 0, source, symbols);
        parser.entities.clone_from(entities);
        for &(known, value, int) in &values {
            parser.entities.insert(known, Entity::Constant(value, int));
        }
        let Ok(e) = parser.conditional() else {
            continue;
        };
        if parser.tok() != token::Tok::End {
            continue;
        }
        if let Some(constant) = fold::fold(&parser.ast, &parser.types, e) {
            values.push((*name, constant.value, constant.int));
        }
    }
    values
}

impl Lower<'_> {
    /// Lowers the program from the start of `main`.
    fn main(&mut self, main: usize) {
        self.define_globals();
        self.error_bodies = ["__VERIFIER_error", "reach_error"]
            .iter()
            .filter_map(|name| self.symbols.get(name))
            .any(|name| self.body_of(name).is_some());
        let function = &self.ast.functions[main];
        let body = match &function.body {
            Body::Present(body) => *body,
            Body::Broken(finding) => {
                self.findings.push((**finding).clone());
                return;
            }
            Body::Missing => return,
        };
        let end = self.graph.end;
        let frame = self.new_frame(main, 0, end);
        self.frames.push(frame);
        for (i, param) in function.params.iter().enumerate() {
            let Some(name) = param.name else { continue };
            let key = (u32::MAX - main as u32, i as u32);
            match self.local(key, name, param.ty, param.pos) {
                Ok(obj) => {
                    self.any_at_start(obj, true);
                    self.bind(name, obj);
                }
                Err(finding) => self.findings.push(*finding),
            }
        }
        self.statement(body);
        self.graph.jump(self.cx, end);
        self.frames.pop();
    }

    /// An object that may have any value of its type at the start; `unknown`: also as a pointer.
    pub fn any_at_start(&mut self, obj: object::ObjId, unknown: bool) {
        self.any.insert(obj);
        let object = &mut self.objects.list[obj.0 as usize];
        object.clean = false;
        for leaf in object.leaves.clone() {
            if let LeafKind::Pointer(_) = leaf.kind {
                let targets = pointer::Targets {
                    set: std::collections::BTreeSet::new(),
                    unknown,
                };
                self.pointers.learn(leaf.var, &targets, false);
            }
        }
    }

    /// The statements whose labels can be jumped to, and those that hold one.
    pub fn find_labels(ast: &Ast) -> Vec<bool> {
        let mut has_label: Vec<bool> = Vec::with_capacity(ast.n_stmts());
        for i in 0..ast.n_stmts() {
            let of = |s: &ast::S| has_label[s.0 as usize];
            let found = match ast.stmt(ast::S(i as u32)) {
                Stmt::Label(_) | Stmt::Case(_) | Stmt::Default => true,
                Stmt::Block(stmts) | Stmt::Group(stmts) => stmts.iter().any(of),
                Stmt::If(arms, otherwise) => {
                    arms.iter().any(|(_, s)| of(s)) || otherwise.as_ref().is_some_and(of)
                }
                Stmt::While(_, s) | Stmt::DoWhile(s, _) | Stmt::For(_, _, _, s) => of(s),
                Stmt::Switch(_, s) => of(s),
                _ => false,
            };
            has_label.push(found);
        }
        has_label
    }

    pub fn function_has_labels(&self, function: usize) -> bool {
        match self.ast.functions[function].body {
            Body::Present(body) => self.has_label[body.0 as usize],
            _ => false,
        }
    }

    /// The system of what was lowered.
    fn system(mut self, file: &SourceFile, named: &[Named], annotations: &[Annotation]) -> System {
        let mut model = SystemBuilder::new(Language::C, file_stem(file));
        for variable in self.variables() {
            model.variable(variable);
        }
        let mut ranges: Vec<TermId> = Vec::new();
        for variable in model.variables() {
            let Some(&(obj, leaf)) = self.objects.of_var.get(&variable.var) else {
                continue;
            };
            let leaf = self.objects.get(obj).leaves[leaf as usize];
            if let (None, LeafKind::Int(int), false) = (variable.initial, leaf.kind, leaf.is_array)
            {
                let term = self.cx.terms.var(variable.var);
                ranges.extend(self.arith().in_range(term, int));
            }
        }
        let stmts: Vec<_> = ranges
            .into_iter()
            .map(|range| self.cx.stmts.add(Op::Assume(range), None))
            .collect();
        let branch = self.cx.stmts.seq(&stmts, None);
        let starts = line_starts(&file.text);
        let line_of = |offset: u32| {
            let line = starts.partition_point(|&start| start <= offset);
            file.line_there(offset, line)
        };
        let calls_error = self.calls(&[Known::Error]);
        self.graph.has_steps = self.calls(&[Known::LtlStep]);
        self.graph.has_asserts = self.calls(&[Known::Assert, Known::Fail]);
        let latch = (self.options.hangs && self.graph.has_steps).then(|| self.latch(&mut model));
        let branch = match latch {
            Some((_, start)) => self.cx.stmts.seq(&[branch, start], None),
            None => branch,
        };
        let latch = latch.map(|(latch, _)| latch);
        let graph = std::mem::replace(&mut self.graph, graph::Graph::new());
        let ends = graph.finish(self.cx, line_of, latch, &mut model);
        model.start(Edge::new(branch, ends.start).observed_if(false));
        let hanging = ends.hanging.map(|hanging| {
            let never = self.cx.terms.sorts.bool();
            let never = self.cx.terms.declare("hangs@start", never);
            let (false_, true_) = (self.cx.terms.false_(), self.cx.terms.true_());
            model.variable(Variable {
                initial: Some(false_),
                ..Variable::new(never)
            });
            let set = self.cx.stmts.add(Op::Assign(never, true_), None);
            let branch = self.cx.stmts.seq(&[branch, set], None);
            model.start(Edge::new(branch, hanging.start).observed_if(false));
            CHanging {
                at_start: never,
                locations: hanging.locations,
            }
        });
        let source = self.source;
        for annotation in annotations {
            model.property(Property {
                name: annotation.name.clone(),
                alias: None,
                body: PropertyBody::Ltl(annotation.formula.clone()),
                span: Some(Span::new(source, annotation.start, annotation.end)),
            });
        }
        let implied = [
            ("no-error", calls_error.then_some(ends.error)),
            ("assertions", ends.assert),
            ("no-overflow", ends.overflow),
        ];
        for (name, loc) in implied {
            let Some(loc) = loc else { continue };
            model.property(Property {
                name: name.into(),
                alias: None,
                body: PropertyBody::Unreachable(loc),
                span: None,
            });
        }
        let facts = self.facts(named);
        model.program(CProgram { hanging, ..facts });
        for &(name, value, _) in named {
            let term = self.cx.terms.int(int_of(value));
            model.constant(self.symbols.text(name), term);
        }
        model.finish(self.cx)
    }

    /// Adds a latch for each variable; the statement that sets them, and the one that sets those at the start that have
    /// no initial value.
    fn latch(&mut self, model: &mut SystemBuilder) -> (StmtId, StmtId) {
        let variables = model.variables().iter();
        let variables: Vec<_> = variables.map(|v| (v.var, v.initial)).collect();
        let (mut stmts, mut starts) = (Vec::new(), Vec::new());
        for (var, initial) in variables {
            let name = format!("{}@step", self.cx.terms.name(var));
            let latch = self.cx.terms.declare(&name, self.cx.terms.var_sort(var));
            let value = self.cx.terms.var(var);
            model.variable(Variable {
                initial,
                ..Variable::new(latch)
            });
            self.latches.insert(var, latch);
            let set = self.cx.stmts.add(Op::Assign(latch, value), None);
            stmts.push(set);
            starts.extend(initial.is_none().then_some(set));
        }
        let stmts = self.cx.stmts.seq(&stmts, None);
        (stmts, self.cx.stmts.seq(&starts, None))
    }

    /// The variables of all objects, in the order they were made.
    fn variables(&mut self) -> Vec<Variable> {
        let mut variables = Vec::new();
        for (i, object) in self.objects.list.iter().enumerate() {
            let any = self.any.contains(&object::ObjId(i as u32));
            for leaf in &object.leaves {
                let initial = |var| {
                    let known = self.initial.get(&var).copied();
                    known.filter(|_| !any)
                };
                let range = match leaf.kind {
                    LeafKind::Unsupported(_) => continue,
                    LeafKind::Int(int) if !leaf.is_array => {
                        let bounded =
                            self.mode == IntMode::BitPrecise || !int.signed || int.bits < 32;
                        let (low, high) = int.range();
                        bounded.then(|| (int_of(low), int_of(high)))
                    }
                    _ => None,
                };
                variables.push(Variable {
                    initial: initial(leaf.var),
                    range,
                    span: object.span,
                    ..Variable::new(leaf.var)
                });
                if let Some(offset) = leaf.offset
                    && self.pointers.has_offset(leaf.var)
                {
                    variables.push(Variable {
                        initial: initial(offset),
                        span: object.span,
                        ..Variable::new(offset)
                    });
                }
            }
        }
        variables
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1));
    starts.collect()
}
