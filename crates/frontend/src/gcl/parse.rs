//! Reads GCL: types, constants and variables first, wherever they are, then the rest.

use super::build::{self, Action, Body, Effect};
use crate::expression::level;
use crate::parser::{Parse, Parser};
use crate::scope::Scope;
use crate::token::{Syntax, Tok};
use crate::{Parsed, file_stem};
use lariat_base::{Diagnostic, FxHashMap, SourceFile, SourceId, Span};
use lariat_expr::{Int, SortId, TermId, Value, VarId};
use lariat_system::{Context, Fairness, Property, PropertyBody, Variable};
use std::borrow::Cow;

/// Reads a GCL model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let scope = Cow::Owned(Scope::default());
    let parser = Parser::new(cx, scope, Syntax::Gcl, source, &file.text, 0);
    let mut reader = Reader {
        parser,
        body: Body::new(file_stem(file)),
        ranges: FxHashMap::default(),
        actions: FxHashMap::default(),
        properties: FxHashMap::default(),
        assigned: FxHashMap::default(),
    };
    if reader.parser.tok() == Tok::End && !reader.parser.has_errors() {
        let finding = Diagnostic::error("empty-file", "the file is empty");
        let hint =
            "a model has variables (`var x : int = 0`) and actions (`action a: guard -> x := 1`)";
        let finding = finding.at(reader.parser.token_span()).hint(hint);
        reader.parser.report(finding);
    }
    reader.members(Pass::Declarations);
    reader.parser.seek(0);
    reader.members(Pass::Behaviour);
    if reader.parser.has_errors() {
        return Err(reader.parser.into_findings());
    }
    let system = build::system(reader.parser.cx, reader.body);
    Ok(Parsed {
        obligations: Vec::new(),
        system,
        warnings: reader.parser.into_findings(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Declarations,
    Behaviour,
}

struct Reader<'a> {
    parser: Parser<'a>,
    body: Body,
    ranges: FxHashMap<VarId, (Int, Int)>,
    actions: FxHashMap<&'a str, Span>,
    properties: FxHashMap<&'a str, Span>,
    /// The assignment to each variable in the action that is being read.
    assigned: FxHashMap<VarId, usize>,
}

/// The most values of a symmetric type.
const MAX_VALUES: i64 = 1000;

/// The type of a variable: a sort (none if it makes no sense) and perhaps a range.
type Domain = (Option<SortId>, Option<(Int, Int)>);

/// Whether a token starts a member of the model.
fn is_top(tok: Tok) -> bool {
    matches!(
        tok,
        Tok::Model
            | Tok::Type
            | Tok::Symmetric
            | Tok::Const
            | Tok::Var
            | Tok::Init
            | Tok::Action
            | Tok::Fair
            | Tok::Compassion
            | Tok::Property
    )
}

impl Reader<'_> {
    fn members(&mut self, pass: Pass) {
        loop {
            let tok = self.parser.tok();
            let read = match (tok, pass) {
                (Tok::End, _) => return,
                (Tok::Semi, _) => {
                    self.parser.advance();
                    Ok(())
                }
                (Tok::Type, Pass::Declarations) => self.enumeration(),
                (Tok::Symmetric, Pass::Declarations) => self.scalar_set(),
                (Tok::Const, Pass::Declarations) => self.constant(),
                (Tok::Var, Pass::Declarations) => self.variable(),
                (Tok::Property, Pass::Declarations) => self.skip_property(),
                (Tok::Model, Pass::Behaviour) => self.model(),
                (Tok::Init, Pass::Behaviour) => self.init(),
                (Tok::Action, Pass::Behaviour) => self.action(),
                (Tok::Property, Pass::Behaviour) => self.property(),
                (Tok::Fair | Tok::Compassion, Pass::Behaviour) => self.fairness(),
                (tok, Pass::Declarations) if !is_top(tok) => {
                    let what = "`type`, `const`, `var`, `init`, `action`, `fair` or `property`";
                    Err(self.parser.unexpected(what))
                }
                _ => {
                    self.parser.advance();
                    self.skip_member();
                    continue;
                }
            };
            match read {
                Err(_) => self.skip_member(),
                Ok(()) if !matches!(self.parser.tok(), Tok::End | Tok::Semi) => {
                    if !is_top(self.parser.tok()) {
                        let hint = self.parser.operator_advice();
                        self.parser.unexpected_hint("the next declaration", hint);
                        self.skip_member();
                    }
                }
                Ok(()) => {}
            }
        }
    }

    fn skip_member(&mut self) {
        while !is_top(self.parser.tok()) && self.parser.tok() != Tok::End {
            self.parser.advance();
        }
    }

    fn model(&mut self) -> Parse<()> {
        self.parser.advance();
        let (name, _) = self.parser.name("the name of the model")?;
        self.body.model.rename(name);
        Ok(())
    }

    fn enumeration(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a type")?;
        self.parser
            .expect(Tok::Single, "`=` and the literals in braces")?;
        let literals = self.parser.literals()?;
        if let Some(sort) = self.parser.declare_enum(name, span, start, &literals) {
            self.body.model.sort(sort);
        }
        Ok(())
    }

    /// `symmetric P = { a, b, c }`, or `symmetric P = 1..3`, whose values are `P1`, `P2` and `P3`.
    fn scalar_set(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a symmetric type")?;
        self.parser
            .expect(Tok::Single, "`=` and the values, as in `= 1..3`")?;
        let sort = if self.parser.tok() == Tok::LBrace {
            let literals = self.parser.literals()?;
            self.parser.declare_enum(name, span, start, &literals)
        } else {
            let values = self.parser.token().start;
            let (_, range) = self.sort_or_range()?;
            let whole = self.parser.span_from(values);
            let Some((low, high)) = range else {
                if !self.parser.has_errors() {
                    let finding = Diagnostic::error("not-constant", "expected a range `a..b`");
                    self.parser.report(finding.at(whole));
                }
                return Ok(());
            };
            let bounds = low.to_i64().zip(high.to_i64());
            let bounds = bounds.filter(|(low, high)| *low >= 0 && high - low < MAX_VALUES);
            let Some((low, high)) = bounds else {
                let message =
                    format!("a symmetric type has at most {MAX_VALUES} values, from 0 on");
                let finding = Diagnostic::error("out-of-range", message);
                self.parser.report(finding.at(whole));
                return Ok(());
            };
            let names: Vec<String> = (low..=high).map(|n| format!("{name}{n}")).collect();
            let literals: Vec<(&str, Span)> = names.iter().map(|name| (&**name, whole)).collect();
            self.parser.declare_enum(name, span, start, &literals)
        };
        if let Some(sort) = sort {
            self.parser.symmetric.insert(sort);
            self.body.model.symmetric(sort);
        }
        Ok(())
    }

    /// `const N = 3` or `const N : int = 3`.
    fn constant(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a constant")?;
        let sort = if self.parser.eat(Tok::Colon) {
            self.parser.sort()?
        } else {
            None
        };
        let sign = self.parser.expect(Tok::Single, "`=` and a value");
        self.parser.declaring(name, sign)?;
        let before = self.parser.token().start;
        let value = self.parser.expression(sort);
        let value = self.parser.declaring(name, value)?;
        let whole = self.parser.span_from(start);
        if self.is_duplicate(name, span) {
            return Ok(());
        }
        match value {
            Some(value) if self.parser.cx.terms.as_lit(value).is_some() => {
                let scope = self.parser.scope.to_mut();
                scope.declare_constant(name, value, Some(whole));
                self.body.model.constant(name, value);
            }
            Some(_) => {
                let span = self.parser.span_from(before);
                let finding = Diagnostic::error("not-constant", "the value is not constant");
                self.parser.report(finding.at(span));
                self.parser.mark_reported(name);
            }
            None => self.parser.mark_reported(name),
        }
        Ok(())
    }

    fn is_duplicate(&mut self, name: &str, span: Span) -> bool {
        let taken = self.parser.scope.is_taken(name);
        if let Some(taken) = taken {
            self.parser.duplicate(name, span, taken.first);
        }
        taken.is_some()
    }

    /// `var x : int = 0`, `var y : 0..5`.
    fn variable(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a variable")?;
        let read = self.range_and_value();
        let ((sort, range), initial) = self.parser.declaring(name, read)?;
        if self.is_duplicate(name, span) {
            return Ok(());
        }
        let Some(sort) = sort else {
            self.parser.mark_reported(name);
            return Ok(());
        };
        let var = self.parser.cx.terms.declare(name, sort);
        let span = self.parser.span_from(start);
        let parser = &mut self.parser;
        parser
            .scope
            .to_mut()
            .declare_variable(parser.cx, name, var, Some(span));
        if let Some(range) = &range {
            self.ranges.insert(var, range.clone());
        }
        self.body.model.variable(Variable {
            initial,
            range,
            span: Some(span),
            ..Variable::new(var)
        });
        Ok(())
    }

    /// `: T = e` or `: a..b = e`, of which the value may be left out.
    fn range_and_value(&mut self) -> Parse<(Domain, Option<TermId>)> {
        self.parser.expect(Tok::Colon, "`:` and a type")?;
        let (sort, range) = self.sort_or_range()?;
        if self.parser.tok() == Tok::Assign {
            let hint = Some("an initial value is given by `=`".into());
            let what = "`=` or the next declaration";
            return Err(self.parser.unexpected_hint(what, hint));
        }
        if !self.parser.eat(Tok::Single) {
            return Ok(((sort, range), None));
        }
        let start = self.parser.token().start;
        let initial = self.parser.expression(sort)?;
        if let (Some(value), Some(range)) = (initial, &range)
            && !self.may_lie_in(value, range)
        {
            let (low, high) = range;
            let message = format!("the initial value is not in {low}..{high}");
            let finding = Diagnostic::error("out-of-range", message);
            let place = self.parser.span_from(start);
            self.parser.report(finding.at(place));
        }
        Ok(((sort, range), initial))
    }

    /// Whether a value, as far as it is known, is in a range.
    fn may_lie_in(&self, value: TermId, (low, high): &(Int, Int)) -> bool {
        match self.parser.cx.terms.as_lit(value) {
            Some(Value::Int(int)) => low <= int && int <= high,
            _ => true,
        }
    }

    fn sort_or_range(&mut self) -> Parse<Domain> {
        let is_type = match self.parser.tok() {
            Tok::Bool | Tok::Integer | Tok::Rat | Tok::LBrack => true,
            Tok::Word => {
                let word = self.parser.token_text();
                self.parser.scope.meaning(word) == crate::scope::Meaning::Nothing
            }
            _ => false,
        };
        if is_type {
            return Ok((self.parser.sort()?, None));
        }
        let start = self.parser.token().start;
        let int = self.parser.cx.terms.sorts.int();
        let low = self.parser.tight_expression(Some(int), level::SUM)?;
        self.parser.expect(Tok::DotDot, "`..` of a range")?;
        let high = self.parser.tight_expression(Some(int), level::SUM)?;
        let span = self.parser.span_from(start);
        let (Some(low), Some(high)) = (low, high) else {
            return Ok((None, None));
        };
        let value = |term: TermId| {
            let value = self.parser.cx.terms.as_lit(term)?.as_int()?;
            Some(value.clone())
        };
        let finding = match (value(low), value(high)) {
            (Some(low), Some(high)) if low <= high => {
                return Ok((Some(int), Some((low, high))));
            }
            (Some(_), Some(_)) => Diagnostic::error("empty-range", "the range is empty"),
            _ => Diagnostic::error("not-constant", "the bounds of a range are constants"),
        };
        self.parser.report(finding.at(span));
        Ok((None, None))
    }

    fn init(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let bool_ = self.parser.cx.terms.sorts.bool();
        let term = self.parser.expression(Some(bool_))?;
        let span = self.parser.span_from(start);
        self.body.init.extend(term.map(|term| (term, span)));
        Ok(())
    }

    /// `fair p` (or `justice p`): `p` infinitely often; `compassion p -> q`: if `p` infinitely often, then `q`, too.
    fn fairness(&mut self) -> Parse<()> {
        let is_strong = self.parser.tok() == Tok::Compassion;
        self.parser.advance();
        let bool_ = self.parser.cx.terms.sorts.bool();
        let first = self.parser.operand_of_level(None, level::ANY)?;
        let first = self.parser.settle(first, Some(bool_));
        if !is_strong {
            let constraint = first.map(Fairness::Justice);
            if let Some(constraint) = constraint {
                self.body.model.fairness(constraint);
            }
            return Ok(());
        }
        self.parser
            .expect_after_expression(Tok::RArrow, "`->` between the two conditions")?;
        let second = self.parser.operand_of_level(None, level::ANY)?;
        let second = self.parser.settle(second, Some(bool_));
        if let (Some(first), Some(second)) = (first, second) {
            self.body
                .model
                .fairness(Fairness::Compassion(first, second));
        }
        Ok(())
    }

    /// `action NAME: guard -> x := e, y := any`, perhaps with parameters: `action NAME(i : T): …`.
    fn action(&mut self) -> Parse<()> {
        let start = self.parser.token().start;
        self.parser.advance();
        let (name, span) = self.parser.name("the name of an action")?;
        if let Some(first) = self.actions.insert(name, span) {
            self.parser.duplicate(name, span, Some(first));
        }
        let mark = self.parser.scope.to_mut().open();
        let read = self.parameters_and_command(start, name);
        self.parser.scope.to_mut().close(mark);
        read
    }

    /// `(i : T, j : T)`: the action may be taken with any values of these.
    fn parameters(&mut self) -> Parse<Vec<VarId>> {
        let mut parameters = Vec::new();
        if !self.parser.eat(Tok::LParen) {
            return Ok(parameters);
        }
        loop {
            let (name, span) = self.parser.name("the name of a parameter")?;
            self.parser.expect(Tok::Colon, "`:` and a type")?;
            let start = self.parser.token().start;
            let sort = self.parser.sort()?;
            let sort_span = self.parser.span_from(start);
            let sort = sort.and_then(|sort| self.parser.bindable(sort, sort_span));
            if let Some(taken) = self.parser.scope.is_taken(name) {
                self.parser.duplicate(name, span, taken.first);
            } else if let Some(sort) = sort {
                let (scope, cx) = (self.parser.scope.to_mut(), &mut *self.parser.cx);
                let var = scope.declare_local(cx, name, sort, span);
                // It has one value in all of the action: nothing may assign it.
                let value = cx.terms.var(var);
                scope.declare_constant(name, value, Some(span));
                parameters.push(var);
            } else {
                self.parser.mark_reported(name);
            }
            if !self.parser.eat(Tok::Comma) {
                break;
            }
        }
        self.parser.expect(Tok::RParen, "`,` or `)`")?;
        Ok(parameters)
    }

    /// What comes after the name of an action.
    fn parameters_and_command(&mut self, start: u32, name: &str) -> Parse<()> {
        let parameters = self.parameters()?;
        self.parser.expect(Tok::Colon, "`:`")?;
        let bool_ = self.parser.cx.terms.sorts.bool();
        let guard_start = self.parser.token().start;
        let guard = self.parser.operand_of_level(None, level::ANY)?;
        let guard_start = if parameters.is_empty() {
            start
        } else {
            guard_start
        };
        let guard_span = self.parser.span_from(guard_start);
        if self.parser.tok() == Tok::Assign {
            let hint = Some("an action is `guard -> assignments`; the guard may be `true`".into());
            return Err(self.parser.unexpected_hint("`->` after the guard", hint));
        }
        let guard = self.parser.settle(guard, Some(bool_));
        self.parser
            .expect_after_expression(Tok::RArrow, "`->` after the guard")?;
        let mut effects: Vec<Effect> = Vec::new();
        self.assigned.clear();
        if !self.parser.eat(Tok::Skip) {
            self.effect(&mut effects)?;
            while self.parser.eat(Tok::Comma) {
                self.effect(&mut effects)?;
            }
        }
        if let Some(guard) = guard {
            self.body.actions.push(Action {
                name: name.into(),
                parameters,
                guard,
                guard_span,
                effects,
                span: self.parser.span_from(start),
            });
        }
        Ok(())
    }

    /// `x := e`, `x := any` or `a[i] := e`.
    fn effect(&mut self, effects: &mut Vec<Effect>) -> Parse<()> {
        let start = self.parser.token().start;
        let (name, name_span) = self.parser.name("the name of a variable")?;
        let var = self.parser.writable(name, name_span);
        let sort = var.map(|var| self.parser.cx.terms.var_sort(var));
        let array = sort.and_then(|sort| self.parser.cx.terms.sorts.as_array(sort));
        let mut index = None;
        let is_element = self.parser.eat(Tok::LBrack);
        if is_element {
            if let (Some(sort), None) = (sort, array) {
                self.parser.mismatch(name_span, "an array", sort);
            }
            index = self.parser.expression(array.map(|array| array.0))?;
            self.parser.expect_after_expression(Tok::RBrack, "`]`")?;
        }
        if !self.parser.eat(Tok::Assign) {
            let hint = matches!(self.parser.tok(), Tok::Single | Tok::Double)
                .then(|| "an assignment is written `:=`".to_owned());
            return Err(self.parser.unexpected_hint("`:=`", hint));
        }
        let value_start = self.parser.token().start;
        let value = if self.parser.eat(Tok::Any) {
            if is_element {
                let message = "an element cannot be `any`; assign a variable that is";
                let finding = Diagnostic::error("unsupported-any", message);
                self.parser
                    .report(finding.at(self.parser.span_from(value_start)));
            }
            None
        } else {
            let wanted = if is_element { array.map(|a| a.1) } else { sort };
            let Some(value) = self.parser.expression(wanted)? else {
                return Ok(());
            };
            Some(value)
        };
        let span = self.parser.span_from(start);
        let Some(var) = var else { return Ok(()) };
        let earlier = self.assigned.get(&var).map(|&at| &mut effects[at]);
        if is_element {
            let (Some(_), Some(index), Some(value)) = (array, index, value) else {
                return Ok(());
            };
            match earlier {
                Some(Effect {
                    value: Some(so_far),
                    by_elements: true,
                    ..
                }) => *so_far = self.parser.cx.terms.store(*so_far, index, value),
                Some(earlier) => {
                    let first = earlier.span;
                    self.assigned_twice(name, span, first);
                }
                None => {
                    self.assigned.insert(var, effects.len());
                    effects.push(Effect {
                        var,
                        value: self.parser.stored(Some(var), Some(index), Some(value)),
                        by_elements: true,
                        range: None,
                        span,
                    });
                }
            }
            return Ok(());
        }
        if let Some(first) = earlier.map(|earlier| earlier.span) {
            self.assigned_twice(name, span, first);
        }
        let range = self.ranges.get(&var).cloned();
        if let (Some(value), Some(range)) = (value, &range)
            && !self.may_lie_in(value, range)
        {
            let (low, high) = range;
            let message = format!("`{name}` is in {low}..{high}, so this action is never taken");
            let finding = Diagnostic::warning("out-of-range", message).at(span);
            self.parser.report(finding);
        }
        self.assigned.insert(var, effects.len());
        effects.push(Effect {
            var,
            value,
            by_elements: false,
            range,
            span,
        });
        Ok(())
    }

    fn assigned_twice(&mut self, name: &str, span: Span, first: Span) {
        let message = format!("`{name}` is assigned twice at the same time");
        let finding = Diagnostic::error("assigned-twice", message).at(span);
        self.parser
            .report(finding.also(first, "first assigned here"));
    }

    fn skip_property(&mut self) -> Parse<()> {
        self.parser.advance();
        self.parser.name("the name of a property")?;
        self.parser.expect(Tok::Colon, "`:`")?;
        self.parser.ltl_text(is_top);
        Ok(())
    }

    fn property(&mut self) -> Parse<()> {
        self.parser.advance();
        let (name, span) = self.parser.name("the name of a property")?;
        if let Some(first) = self.properties.insert(name, span) {
            self.parser.duplicate(name, span, Some(first));
        }
        self.parser.expect(Tok::Colon, "`:`")?;
        let Some(text) = self.parser.ltl_text(is_top) else {
            return Ok(());
        };
        self.body.model.property(Property {
            name: name.into(),
            alias: None,
            body: PropertyBody::Ltl(text.text),
            span: Some(text.span),
        });
        Ok(())
    }
}
