//! The expression parser of all languages: operator precedence with explicit stacks.
//!
//! Operators wait on a stack until one that binds less tightly comes; then the whole run of equally
//! tight ones is folded at once, so `a + b + … + z` becomes one sum, in linear time and without
//! recursion. Only brackets, `if` and array literals recurse, and [`Parser::nested`] bounds those.
//! Terms are built as the text is read; there is no tree in between.

mod array;
mod fold;
mod operand;
mod operator;
mod quantifier;
mod unary;

use crate::parser::{Failed, LeftArrow, Parse, Parser};
use crate::scope::LiteralName;
use crate::token::{Syntax, Tok};
use lariat_base::{Diagnostic, Span};
use lariat_expr::{SortId, TermId};
pub(crate) use operand::is_float_word;
pub(crate) use operator::level;
use operator::{Binary, advice, binary};

/// Something that was read and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    pub what: What,
    pub start: u32,
    pub end: u32,
}

/// What an operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Term(TermId),
    /// A literal of several enumerations, until its place tells which.
    Literal(LiteralName),
    /// Nothing that has a meaning; the reason was reported.
    Wrong,
}

/// An operator that waits for what follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Waiting {
    Not { start: u32 },
    Binary(Binary),
}

impl Waiting {
    fn level(self) -> u8 {
        match self {
            Self::Not { .. } => level::NOT,
            Self::Binary(operator) => operator.level(),
        }
    }
}

/// The stacks of all expressions that are being read.
#[derive(Default)]
pub(crate) struct Stacks {
    operands: Vec<Operand>,
    waiting: Vec<Waiting>,
    prefixes: Vec<(Tok, u32)>,
}

impl Parser<'_> {
    /// Reads an expression of the given sort, or of any. Gives nothing if it has no meaning.
    pub fn expression(&mut self, expected: Option<SortId>) -> Parse<Option<TermId>> {
        let operand = self.operand_of_level(expected, level::ANY)?;
        Ok(self.settle(operand, expected))
    }

    /// Reads an expression of operators that bind at least as tightly as `level`.
    pub fn tight_expression(
        &mut self,
        expected: Option<SortId>,
        level: u8,
    ) -> Parse<Option<TermId>> {
        let operand = self.operand_of_level(expected, level)?;
        Ok(self.settle(operand, expected))
    }

    /// Reads an expression; `hint` is the sort that a literal of several enumerations should have.
    pub(crate) fn operand_of_level(&mut self, hint: Option<SortId>, level: u8) -> Parse<Operand> {
        let n_operands = self.stacks.operands.len();
        let n_waiting = self.stacks.waiting.len();
        let result = self.read_operators(hint, level, n_waiting);
        if result.is_err() {
            self.stacks.operands.truncate(n_operands);
            self.stacks.waiting.truncate(n_waiting);
        }
        result
    }

    fn read_operators(&mut self, hint: Option<SortId>, least: u8, bottom: usize) -> Parse<Operand> {
        let mut hint = hint;
        loop {
            while self.is_not() {
                let start = self.token().start;
                self.stacks.waiting.push(Waiting::Not { start });
                self.advance();
            }
            let operand = self.operand(hint)?;
            self.stacks.operands.push(operand);
            let Some(operator) = self.operator_here(least) else {
                break;
            };
            let level = operator.level();
            self.reduce(bottom, level)?;
            if let Some(&Waiting::Binary(before)) = self.stacks.waiting[bottom..].last()
                && operator.never_chains()
                && before.level() == level
            {
                return Err(self.chained(operator));
            }
            hint = match operator {
                Binary::Eq | Binary::Ne => self.stacks.operands.last().and_then(|left| match left
                    .what
                {
                    What::Term(term) => Some(self.cx.terms.sort(term)),
                    _ => None,
                }),
                _ => None,
            };
            self.stacks.waiting.push(Waiting::Binary(operator));
            self.advance();
        }
        self.reduce(bottom, level::ANY)?;
        Ok(self.stacks.operands.pop().expect("an operand was read"))
    }

    /// Whether a negation stands here.
    fn is_not(&self) -> bool {
        match self.tok() {
            Tok::Bang => matches!(self.syntax, Syntax::Xsts | Syntax::Gcl | Syntax::Property),
            Tok::Not => !self.is_known_name(),
            Tok::Tilde => matches!(self.syntax, Syntax::Gcl | Syntax::Property),
            _ => false,
        }
    }

    /// The binary operator at the current token, if it binds tightly enough.
    fn operator_here(&mut self, least: u8) -> Option<Binary> {
        let tok = self.tok();
        if tok == Tok::LArrow && self.left_arrow == LeftArrow::Compares {
            // `x<-1` compares with a negative number.
            self.split_token(Tok::Lt, 1);
        } else if tok == Tok::PlusPlus && binary(tok, self.syntax).is_none() {
            self.split_token(Tok::Plus, 1);
        }
        binary(self.tok(), self.syntax).filter(|operator| operator.level() >= least)
    }

    /// Folds every waiting operator above `bottom` that binds more tightly than `level`.
    fn reduce(&mut self, bottom: usize, level: u8) -> Parse<()> {
        while let Some(&top) = self.stacks.waiting[bottom..].last()
            && top.level() > level
        {
            match top {
                Waiting::Not { start } => {
                    self.stacks.waiting.pop();
                    let operand = self
                        .stacks
                        .operands
                        .pop()
                        .expect("a negation has an operand");
                    let negated = self.negation(start, operand);
                    self.stacks.operands.push(negated);
                }
                Waiting::Binary(..) => {
                    let same =
                        |w: &&Waiting| matches!(w, Waiting::Binary(..)) && w.level() == top.level();
                    let run = self.stacks.waiting[bottom..].iter().rev();
                    let n = run.take_while(same).count();
                    self.fold_run(n, top.level())?;
                }
            }
        }
        Ok(())
    }

    fn chained(&mut self, operator: Binary) -> Failed {
        let found = self.describe_token();
        let message = match operator {
            Binary::Eq | Binary::Ne => format!("{found} cannot follow another equality"),
            _ => format!("{found} cannot follow another comparison"),
        };
        let finding = Diagnostic::error("unexpected-token", message).at(self.token_span());
        self.report(finding.hint("use brackets, or join two comparisons with \"and\""));
        Failed
    }

    /// Where an operand is.
    pub(crate) fn operand_span(&self, operand: Operand) -> Span {
        self.span(operand.start, operand.end)
    }

    /// The term of an operand, which should be of the given sort.
    pub(crate) fn settle(&mut self, operand: Operand, wanted: Option<SortId>) -> Option<TermId> {
        let term = self.resolve(operand, wanted)?;
        let Some(wanted) = wanted else {
            return Some(term);
        };
        let sort = self.cx.terms.sort(term);
        if sort == wanted {
            return Some(term);
        }
        if wanted == self.cx.terms.sorts.rat() && sort == self.cx.terms.sorts.int() {
            return Some(self.rational_of(term));
        }
        if self.syntax != Syntax::Gcl && self.operator_advice().is_some() {
            // An operator of another language follows: that is what is wrong here.
            self.will_be_reported();
            return None;
        }
        let wanted = self.cx.terms.sorts.describe(wanted);
        self.mismatch(self.operand_span(operand), &wanted, sort);
        None
    }

    /// The term of an operand; a literal of several enumerations is looked up in the given one.
    pub(crate) fn resolve(&mut self, operand: Operand, sort: Option<SortId>) -> Option<TermId> {
        let literal = match operand.what {
            What::Term(term) => return Some(term),
            What::Wrong => return None,
            What::Literal(literal) => literal,
        };
        let found = sort.and_then(|sort| self.scope.literal_of(literal, sort));
        if found.is_none() {
            let text = self.scope.literal_text(literal).to_owned();
            let span = self.operand_span(operand);
            let finding = match sort {
                Some(sort) => {
                    let sort = self.cx.terms.sorts.describe(sort);
                    let message = format!("expected {sort}, found the literal `{text}`");
                    Diagnostic::error("type-mismatch", message)
                }
                None => {
                    let owners = self.scope.owners(literal);
                    let first = owners[0].to_owned();
                    let owners: Vec<_> = owners.iter().map(|o| format!("`{o}`")).collect();
                    let message = format!("`{text}` is a literal of {}", owners.join(" and of "));
                    let hint = format!("write `{first}.{text}`");
                    Diagnostic::error("ambiguous-literal", message).hint(hint)
                }
            };
            self.report(finding.at(span));
        }
        found
    }

    /// Advice where an operator of another language stands.
    pub(crate) fn operator_advice(&self) -> Option<String> {
        advice(self.token_text(), self.syntax)
    }

    /// Reports that something else was expected after an expression, with advice on operators.
    pub(crate) fn expect_after_expression(&mut self, tok: Tok, what: &str) -> Parse<()> {
        if self.eat(tok) {
            return Ok(());
        }
        let hint = self.operator_advice();
        if tok == Tok::Semi && self.is_on_new_line() {
            return Err(self.missing_at_end(what));
        }
        Err(self.unexpected_hint(what, hint))
    }
}
