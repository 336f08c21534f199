//! C expressions outside of a program: the atoms of formulas.
//!
//! They are read by the program's own grammar and lowered by its own arithmetic, over the variables of
//! the finished system. There are also `call(f)`, true right after a call of `f`; `at(LABEL)`, true
//! while control is at the label; and `end`, true when the program has ended.

use super::COptions;
use super::facts;
use super::integer::arith::IntMode;
use super::lower::Lower;
use super::memory::object::{Leaf, LeafKind, ObjId, Object};
use super::syntax::ast::{self, Expr};
use super::syntax::parse::{Entity, Parser};
use super::syntax::scan::Scanner;
use super::syntax::token::{Symbols, Tok};
use super::types::{self, IntTy, Type};
use crate::property::ExprAtom;
use lariat_base::{Diagnostic, Span};
use lariat_expr::{Int, Sort, Value, VarId};
use lariat_system::{CProgram, Context, Language, LocId, LocRole, System};
use std::sync::Arc;

/// The least and the greatest value of a variable, if it has any.
type Range = Option<(Int, Int)>;

/// The names that formulas over C programs may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    programs: Vec<Arc<CProgram>>,
    /// Variables of models in other languages that run together with a program.
    variables: Vec<(Box<str>, VarId, Range)>,
    constants: Vec<(Box<str>, i128, IntTy)>,
    locations: Vec<(Box<str>, usize, LocId, LocRole)>,
}

impl Names {
    /// The names of all C programs among the systems; none if there is none.
    pub fn new(cx: &Context, systems: &[&System]) -> Option<Self> {
        if !systems.iter().any(|system| system.language == Language::C) {
            return None;
        }
        let mut names = Self::default();
        for (position, system) in systems.iter().enumerate() {
            if let Some(program) = &system.program {
                for constant in &program.constants {
                    let int = facts::int_ty(constant.int);
                    let entry = (constant.name.clone(), constant.value, int);
                    names.constants.push(entry);
                }
                for (id, location) in system.locations.iter_ids() {
                    let entry = (location.name.clone(), position, id, location.role);
                    names.locations.push(entry);
                }
                names.programs.push(program.clone());
                continue;
            }
            for variable in &system.variables {
                let name = cx.terms.name(variable.var).into();
                names
                    .variables
                    .push((name, variable.var, variable.range.clone()));
            }
            for (name, value) in &system.constants {
                if let Some(Value::Int(value)) = cx.terms.as_lit(*value)
                    && let Ok(value) = i128::try_from(value.to_big())
                {
                    let (low, high) = IntTy::INT.range();
                    let fits = (low..=high).contains(&value);
                    let int = if fits { IntTy::INT } else { IntTy::LONG };
                    names.constants.push((name.clone(), value, int));
                }
            }
        }
        Some(names)
    }

    /// How the programs' integers are read.
    fn mode(&self) -> IntMode {
        if self.programs.iter().any(|program| program.bit_precise) {
            IntMode::BitPrecise
        } else {
            IntMode::Math
        }
    }

    fn is_variable(&self, name: &str) -> bool {
        let mut objects = self.programs.iter().flat_map(|program| &program.objects);
        objects.any(|object| *object.name == *name)
            || self.variables.iter().any(|known| *known.0 == *name)
    }
}

/// Reads an atom; `text` is the part `span` of its source.
pub(crate) fn parse_atom(
    cx: &mut Context,
    names: &Names,
    span: Span,
    text: &str,
) -> Result<ExprAtom, Vec<Diagnostic>> {
    if let Some(atom) = control_atom(cx, names, span, text) {
        return atom.map_err(|finding| vec![finding]);
    }
    let mut symbols = Symbols::new();
    let mut scanner = Scanner::new(text, span.start as usize);
    let mut tokens = Vec::new();
    loop {
        let token = scanner.next(&mut symbols);
        tokens.push(token);
        if token.tok == Tok::End {
            break;
        }
    }
    let mut parser = Parser::new(&tokens, text, span.start, span.source, &mut symbols);
    for (name, value, int) in &names.constants {
        let name = parser.symbols.intern(name);
        parser.entities.insert(name, Entity::Constant(*value, *int));
    }
    let mut types_of = Vec::new();
    for program in &names.programs {
        types_of.push(parser.bring_in(program));
        for object in &program.objects {
            let name = parser.symbols.intern(&object.name);
            parser.entities.insert(name, Entity::Ordinary);
        }
    }
    for (name, ..) in &names.variables {
        let name = parser.symbols.intern(name);
        parser.entities.insert(name, Entity::Ordinary);
    }
    let e = parser.expression().map_err(|finding| vec![*finding])?;
    if parser.tok() != Tok::End {
        return Err(vec![*parser.unexpected("the end of the expression")]);
    }
    let (ast, mut types) = (
        std::mem::take(&mut parser.ast),
        std::mem::replace(&mut parser.types, types::Types::new()),
    );
    let options = COptions {
        ints: names.mode(),
        ..COptions::default()
    };
    let mut lower = Lower::new(cx, &ast, (&mut types, &symbols), span.source, options);
    lower.in_atom = true;
    let constants = names.constants.iter();
    lower.constants = constants
        .filter_map(|known| symbols.get(&known.0))
        .collect();
    lower.declare_known(names);
    for (program, types) in names.programs.iter().zip(&types_of) {
        lower.declare_objects(program, types);
    }
    if lower.has_effects(e) {
        let message = "an atom must not call a function or change anything";
        let finding = Diagnostic::error("effect-in-atom", message).at(span);
        let mut exprs = (0..ast.n_exprs()).map(|i| ast.expr(ast::E(i as u32)));
        let assigns = exprs.any(|expr| matches!(expr, Expr::Assign(None, ..)));
        return Err(vec![
            finding.maybe_hint(assigns.then_some("`=` assigns, `==` compares")),
        ]);
    }
    let truth = lower.truth_of(e);
    truth.map(ExprAtom::Term).map_err(|finding| vec![*finding])
}

/// `call(f)`, `at(LABEL)` or `end`.
fn control_atom(
    cx: &mut Context,
    names: &Names,
    span: Span,
    text: &str,
) -> Option<Result<ExprAtom, Diagnostic>> {
    let text = text.trim();
    if text == "end" && !names.is_variable("end") {
        let found = names
            .locations
            .iter()
            .find(|known| known.3 == LocRole::Final);
        return found.map(|&(_, system, loc, _)| Ok(ExprAtom::Location(system, loc)));
    }
    let (kind, inner) = if let Some(rest) = text.strip_prefix("call") {
        ("call", rest)
    } else {
        ("at", text.strip_prefix("at")?)
    };
    if names.is_variable(kind) {
        return None;
    }
    let inner = inner.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    let name = inner.strip_suffix("()").unwrap_or(inner).trim();
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_()-".contains(c);
    if name.is_empty() || !name.chars().all(is_part) {
        return None;
    }
    let full = format!("{kind}({name})");
    let is_error = kind == "call" && matches!(name, "reach_error" | "__VERIFIER_error");
    let found = names
        .locations
        .iter()
        .find(|known| named_so(&known.0, &full) || is_error && known.3 == LocRole::Error);
    let Some(&(_, system, ..)) = found else {
        let (id, what) = if kind == "call" {
            ("unknown-function", "is never called, or has no body")
        } else {
            ("unknown-label", "is no label that can be reached")
        };
        let message = format!("`{name}` {what}");
        return Some(Err(Diagnostic::error(id, message).at(span)));
    };
    let id = cx.names.intern(full.into());
    Some(Ok(ExprAtom::Named(system, id)))
}

/// Whether a location has this name: one of several with it has a number behind it.
fn named_so(location: &str, name: &str) -> bool {
    let rest = location.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
}

/// The locations that an atom such as `call(f)` is true at.
pub(crate) fn locations_named(system: &System, name: &str) -> Vec<LocId> {
    let is_error = matches!(name, "call(reach_error)" | "call(__VERIFIER_error)");
    let found = system.locations.iter_ids().filter(|(_, location)| {
        named_so(&location.name, name) || is_error && location.role == LocRole::Error
    });
    found.map(|(id, _)| id).collect()
}

impl Lower<'_> {
    /// Makes the variables of models in other languages known as objects. They have no C type of their
    /// own: it is the one that has their values.
    fn declare_known(&mut self, names: &Names) {
        for (name, var, range) in &names.variables {
            let Some(symbol) = self.symbols.get(name) else {
                continue;
            };
            let sort = self.cx.terms.var_sort(*var);
            let (element, is_array) = match self.cx.terms.sorts.as_array(sort) {
                Some((_, element)) => (element, true),
                None => (sort, false),
            };
            let int = match self.cx.terms.sorts.get(element) {
                Sort::Int => int_type(range.as_ref()),
                Sort::Bv(bits) => {
                    let signed = range.as_ref().is_none_or(|(low, _)| low.is_negative());
                    IntTy::new(*bits, signed)
                }
                _ => continue,
            };
            let mut ty = self.types.int(int);
            if is_array {
                ty = self.types.add(Type::Array(ty, None));
            }
            let obj = ObjId(self.objects.list.len() as u32);
            let leaf = Leaf {
                var: *var,
                kind: LeafKind::Int(int),
                is_array,
                offset: None,
                volatile: false,
            };
            self.objects.of_var.insert(*var, (obj, 0));
            self.objects.list.push(Object {
                name: name.clone(),
                ty,
                leaves: vec![leaf],
                span: None,
                clean: true,
            });
            self.globals.insert(symbol, obj);
        }
    }

    /// In an atom `a.b` may be a variable of this name, of a model in another language.
    pub fn foreign_member(&self, e: ast::E) -> Option<ObjId> {
        if !self.in_atom {
            return None;
        }
        let mut parts = Vec::new();
        let mut at = e;
        while let Expr::Member(of, name) = self.ast.expr(at) {
            parts.push(self.symbols.text(*name));
            at = *of;
        }
        let Expr::Name(name) = self.ast.expr(at) else {
            return None;
        };
        parts.push(self.symbols.text(*name));
        parts.reverse();
        let name = self.symbols.get(&parts.join("."))?;
        self.globals.get(&name).copied()
    }
}

/// The type whose values a variable of this range has.
fn int_type(range: Option<&(Int, Int)>) -> IntTy {
    let candidates = [
        IntTy::BOOL,
        IntTy::new(8, false),
        IntTy::new(16, false),
        IntTy::UINT,
        IntTy::ULONG,
        IntTy::CHAR,
        IntTy::new(16, true),
    ];
    let Some((low, high)) = range else {
        return IntTy::INT;
    };
    let matches = |int: &IntTy| {
        let (least, most) = int.range();
        types::int_of(least) == *low && types::int_of(most) == *high
    };
    candidates.into_iter().find(matches).unwrap_or(IntTy::INT)
}
