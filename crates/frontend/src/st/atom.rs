//! Expressions of formulas: Structured Text over the variables of a finished system.
//!
//! Names have no case. `timer(T1).Q` is `T1.Q`, and says that `T1` is a timer. Operators may also be written as in formulas: `!=`,
//! since `<>` means "finally" there, and `&&`, `||`, `!`, `==`.

use super::ast::{Arg, Expr, ExprKind, Name, Pos};
use super::blocks::TIMERS;
use super::expression::{Env, Lowered, constant_int, evaluate_as};
use super::lex::{Tok, lex_formula};
use super::parse::Parser;
use super::value::Val;
use crate::property::ExprAtom;
use lariat_base::{Diagnostic, FxHashMap, Id as _, SourceId, Span};
use lariat_expr::{SortId, TermId, Value, VarId};
use lariat_system::{Context, Plc, PlcLeaf, PlcType, System};
use std::sync::Arc;

/// What formulas over programs of controllers may name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    bits: bool,
    leaves: FxHashMap<Box<str>, (VarId, PlcType)>,
    constants: FxHashMap<Box<str>, (TermId, PlcType)>,
    enums: Vec<(Box<str>, SortId)>,
    instances: FxHashMap<Box<str>, Box<str>>,
}

impl Names {
    /// The names of all such programs among the systems; none if there is none.
    pub fn new(systems: &[&System]) -> Option<Self> {
        let mut names = Self::default();
        let mut any = false;
        for system in systems {
            let Some(plc) = &system.plc else { continue };
            any = true;
            names.add(&system.name, plc);
        }
        any.then_some(names)
    }

    fn add(&mut self, program: &str, plc: &Arc<Plc>) {
        self.bits |= plc.bit_precise;
        for leaf in &plc.leaves {
            let key = leaf.name.to_ascii_uppercase();
            let full = format!("{}.{key}", program.to_ascii_uppercase());
            for key in [key, full] {
                self.leaves.entry(key.into()).or_insert((leaf.var, leaf.ty));
            }
        }
        for constant in &plc.constants {
            let key = constant.name.to_ascii_uppercase();
            self.constants
                .insert(key.into(), (constant.value, constant.ty));
        }
        self.enums.extend(plc.enums.iter().cloned());
        for (name, kind) in &plc.instances {
            let key = name.to_ascii_uppercase();
            self.instances.insert(key.into(), kind.clone());
        }
    }
}

/// Reads an atom; `text` is the part `span` of its source.
pub(crate) fn parse_atom(
    cx: &mut Context,
    names: &Names,
    span: Span,
    text: &str,
) -> Result<ExprAtom, Vec<Diagnostic>> {
    let lexed = lex_formula(text);
    let mut parser = Parser::new(text, &lexed, span.source, span.start);
    let e = parser.expression().map_err(|finding| vec![*finding])?;
    if parser.tok() != Tok::End {
        return Err(vec![*parser.unexpected("the end of the expression")]);
    }
    let mut env = AtomEnv { cx, names, span };
    let term = evaluate_as(&mut env, &e, PlcType::Bool);
    term.map(ExprAtom::Term).map_err(|finding| vec![*finding])
}

struct AtomEnv<'a> {
    cx: &'a mut Context,
    names: &'a Names,
    span: Span,
}

impl AtomEnv<'_> {
    /// A place as the name of a leaf, without case.
    fn path(&mut self, e: &Expr) -> Lowered<String> {
        match &e.kind {
            ExprKind::Name(name) => Ok(name.key.to_string()),
            ExprKind::Member(of, name) => Ok(format!("{}.{}", self.path(of)?, name.key)),
            ExprKind::Index(of, indices) => {
                let path = self.path(of)?;
                let mut all = Vec::new();
                for e in indices {
                    all.push(constant_int(self, e)?.to_string());
                }
                Ok(format!("{path}[{}]", all.join(",")))
            }
            ExprKind::Call(name, args) if &*name.key == "TIMER" => self.timer(args, e.pos),
            _ => {
                let message = "this is no variable".to_owned();
                Err(self.error("type-mismatch", message, e.pos))
            }
        }
    }

    fn timer(&mut self, args: &[Arg], pos: Pos) -> Lowered<String> {
        if let [Arg { value, .. }] = args {
            let path = self.path(value)?;
            let kind = self.names.instances.get(&*path);
            if kind.is_some_and(|kind| TIMERS.contains(&&*kind.to_ascii_uppercase())) {
                return Ok(path);
            }
        }
        let message = "`timer(…)` needs the name of a timer".to_owned();
        Err(self.error("unknown-name", message, pos))
    }
}

impl Env for AtomEnv<'_> {
    fn cx(&mut self) -> &mut Context {
        self.cx
    }

    fn bits(&self) -> bool {
        self.names.bits
    }

    fn span(&self, pos: Pos) -> Span {
        let start = self.span.start as usize;
        Span::new(
            self.span.source,
            start + pos.start as usize,
            start + pos.end as usize,
        )
    }

    fn read(&mut self, e: &Expr) -> Lowered<Val> {
        let path = self.path(e)?;
        if let Some(&(var, ty)) = self.names.leaves.get(&*path) {
            return Ok(Val::new(self.cx.terms.var(var), ty));
        }
        if let Some(&(value, ty)) = self.names.constants.get(&*path) {
            return Ok(Val::new(value, ty));
        }
        let mut known: Vec<&str> = self.names.leaves.keys().map(|key| &**key).collect();
        known.sort_unstable();
        let near = crate::scope::suggestion(&path, known);
        let written = crate::parser::shorten(&path);
        let inside = format!("{path}.");
        let message = if self.names.leaves.keys().any(|key| key.starts_with(&inside)) {
            format!("`{written}` is a whole instance or struct")
        } else {
            format!("unknown name `{written}`")
        };
        let finding = self.error("unknown-name", message, e.pos);
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        Err(Box::new(finding.maybe_hint(hint)))
    }

    fn call(&mut self, name: &Name, _args: &[Arg], pos: Pos) -> Lowered<Val> {
        let message = format!("a formula cannot call `{}`", name.text);
        Err(self.error("unknown-function", message, pos))
    }

    fn fault(&mut self, _when: TermId, _pos: Pos) {}

    fn enums(&self) -> &[(Box<str>, SortId)] {
        &self.names.enums
    }
}

/// The value of a text as one of an input; why it is none.
pub fn parse_input(
    cx: &mut Context,
    plc: &Plc,
    leaf: &PlcLeaf,
    text: &str,
) -> Result<Value, String> {
    let mut names = Names {
        bits: plc.bit_precise,
        enums: plc.enums.clone(),
        ..Names::default()
    };
    for constant in &plc.constants {
        let key = constant.name.to_ascii_uppercase();
        names
            .constants
            .insert(key.into(), (constant.value, constant.ty));
    }
    let lexed = lex_formula(text);
    let source = SourceId::from_index(0);
    let mut parser = Parser::new(text, &lexed, source, 0);
    let span = Span::new(source, 0, text.len());
    let said = |finding: Box<Diagnostic>| finding.message.clone();
    let e = parser.expression().map_err(said)?;
    if parser.tok() != Tok::End {
        return Err(parser.unexpected("the end of the value").message);
    }
    let mut env = AtomEnv {
        cx,
        names: &names,
        span,
    };
    let term = evaluate_as(&mut env, &e, leaf.ty).map_err(said)?;
    let value = env.cx.terms.as_lit(term).cloned();
    value.ok_or_else(|| "this is no constant".to_owned())
}
