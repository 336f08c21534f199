//! What comes before and after an operand: signs, bit-vector words, indices, primes.

use super::{Operand, What, level};
use crate::parser::{Failed, LeftArrow, Parse, Parser, Primes};
use crate::token::{Syntax, Tok};
use lariat_base::Diagnostic;
use lariat_expr::{BvOp, Op, Substitution, TermId};

impl Parser<'_> {
    /// `- - + x`: any number of prefixes, collected in a loop.
    pub(super) fn prefixed(&mut self) -> Parse<Operand> {
        let bottom = self.stacks.prefixes.len();
        loop {
            let token = self.token();
            match token.tok {
                Tok::PlusPlus => {
                    self.split_token(Tok::Plus, 1);
                    continue;
                }
                Tok::Plus | Tok::Minus | Tok::BvNeg | Tok::BvPos | Tok::BvNot => {}
                _ => break,
            }
            self.stacks.prefixes.push((token.tok, token.start));
            self.advance();
        }
        let operand = match self.primary(None) {
            Ok(primary) => self.suffixed(primary),
            Err(failed) => Err(failed),
        };
        let mut operand = match operand {
            Ok(operand) => operand,
            Err(failed) => {
                self.stacks.prefixes.truncate(bottom);
                return Err(failed);
            }
        };
        while self.stacks.prefixes.len() > bottom {
            let (mut prefix, mut start) = self.stacks.prefixes.pop().expect("above the bottom");
            // A run of signs is one sign: negating a long sum is not done again and again.
            while is_sign(prefix)
                && let Some(&(before, at)) = self.stacks.prefixes[bottom..].last()
                && is_sign(before)
            {
                prefix = if prefix == before {
                    Tok::Plus
                } else {
                    Tok::Minus
                };
                start = at;
                self.stacks.prefixes.pop();
            }
            let term = self.prefix(prefix, operand);
            operand = Operand {
                what: term.map_or(What::Wrong, What::Term),
                start,
                end: operand.end,
            };
        }
        Ok(operand)
    }

    fn prefix(&mut self, prefix: Tok, operand: Operand) -> Option<TermId> {
        match prefix {
            Tok::Plus => self.number(operand, "a sum"),
            Tok::Minus => {
                let number = self.number(operand, "a difference")?;
                Some(self.cx.terms.neg(number))
            }
            _ => {
                let (bits, _) = self.bits(operand)?;
                match prefix {
                    Tok::BvNeg => self.build(Op::Bv(BvOp::Neg), &[bits]),
                    Tok::BvNot => self.build(Op::Bv(BvOp::Not), &[bits]),
                    _ => Some(bits),
                }
            }
        }
    }

    /// `x bv_zero_extend bv[8]`.
    pub(super) fn extended(&mut self, operand: Operand) -> Parse<Operand> {
        let mut operand = operand;
        while matches!(self.tok(), Tok::BvZeroExtend | Tok::BvSignExtend) {
            let signed = self.tok() == Tok::BvSignExtend;
            self.advance();
            self.expect(Tok::BvType, "the new width, such as `bv[8]`")?;
            let width = self.width()?;
            let bits = self.bits(operand);
            let term = bits.zip(width).and_then(|((bits, old), width)| {
                if width < old {
                    let message = format!("{old} bits cannot be extended to {width}");
                    let finding = Diagnostic::error("type-mismatch", message);
                    self.report(finding.at(self.span_from(operand.start)));
                    return None;
                }
                let op = if signed {
                    BvOp::Sext(width)
                } else {
                    BvOp::Zext(width)
                };
                self.build(Op::Bv(op), &[bits])
            });
            operand = Operand {
                what: term.map_or(What::Wrong, What::Term),
                start: operand.start,
                end: self.last_end(),
            };
        }
        Ok(operand)
    }

    /// Indices, array writes, bit ranges and primes after an operand.
    pub(super) fn suffixed(&mut self, operand: Operand) -> Parse<Operand> {
        let mut operand = operand;
        loop {
            let what = match self.tok() {
                Tok::LBrack => self.nested(|parser| parser.indexed(operand))?,
                Tok::Quote => self.primed(operand)?,
                Tok::LParen if matches!(self.syntax, Syntax::Cfa | Syntax::Sts) => {
                    return Err(self.unsupported_function());
                }
                _ => return Ok(operand),
            };
            operand = Operand {
                what: what.map_or(What::Wrong, What::Term),
                start: operand.start,
                end: self.last_end(),
            };
        }
    }

    /// `a[i]`, `a[i <- v]…` or `x[8:0]`.
    fn indexed(&mut self, operand: Operand) -> Parse<Option<TermId>> {
        let base = self.resolve(operand, None);
        let sort = base.map(|base| self.cx.terms.sort(base));
        let sorts = &self.cx.terms.sorts;
        let array = sort.and_then(|sort| sorts.as_array(sort));
        if let Some(width) = sort.and_then(|sort| sorts.bv_width(sort)) {
            return self.extract(base.expect("it has a sort"), width);
        }
        if let (Some(sort), None) = (sort, array) {
            self.mismatch(self.operand_span(operand), "an array", sort);
        }
        let base = base.filter(|_| array.is_some());
        self.array_accesses(base)
    }

    /// `x[high:low]`, the upper bound excluded.
    fn extract(&mut self, base: TermId, width: u32) -> Parse<Option<TermId>> {
        let start = self.token().start;
        self.advance();
        let until = self.bound()?;
        self.expect(Tok::Colon, "`:` between the bounds of a bit range")?;
        let from = self.bound()?;
        self.expect(Tok::RBrack, "`]`")?;
        if from >= until || until > width {
            let message = format!("no such bits: the operand has bits {width}:0");
            let span = self.span_from(start);
            let finding = Diagnostic::error("type-mismatch", message).at(span);
            self.report(finding.hint("the upper bound comes first and is not included"));
            return Ok(None);
        }
        let op = BvOp::Extract {
            high: until - 1,
            low: from,
        };
        Ok(self.build(Op::Bv(op), &[base]))
    }

    fn bound(&mut self) -> Parse<u32> {
        if self.tok() != Tok::Int {
            return Err(self.unexpected("the bound of a bit range"));
        }
        let bound = self.token_text().parse().unwrap_or(u32::MAX);
        self.advance();
        Ok(bound)
    }

    /// `e'`: `e` with every variable in its next state.
    fn primed(&mut self, operand: Operand) -> Parse<Option<TermId>> {
        let message = match self.primes {
            Primes::Allowed => None,
            Primes::Outside => Some("only a transition may speak of the next state"),
            Primes::None => Some("only transitions of STS have next-state variables"),
        };
        if let Some(message) = message {
            let finding = Diagnostic::error("unexpected-prime", message);
            self.report(finding.at(self.token_span()));
            return Err(Failed);
        }
        let span = self.token_span();
        self.advance();
        let Some(term) = self.resolve(operand, None) else {
            return Ok(None);
        };
        let primed = self.next_state(term);
        if primed.is_none() {
            let message = "there is no state after the next one";
            self.report(Diagnostic::error("unexpected-prime", message).at(span));
        }
        Ok(primed)
    }

    /// `term` with every variable in its next state; nothing if one is in its next state already.
    pub(crate) fn next_state(&mut self, term: TermId) -> Option<TermId> {
        let mut substitution = Substitution::new();
        for var in self.cx.terms.free_vars(&[term]) {
            let decl = self.cx.terms.decl(var).clone();
            if decl.instance > 0 {
                return None;
            }
            if self.rigid.contains(&var) {
                continue;
            }
            let name = format!("{}'", decl.name);
            let next = self.cx.terms.declare_instance(&name, decl.sort, 1);
            let next = self.cx.terms.var(next);
            substitution.insert(&mut self.cx.terms, var, next);
        }
        Some(substitution.apply(&mut self.cx.terms, term))
    }

    /// An index or a value inside of `[…]`, where `<-` is an arrow.
    pub(super) fn inner(&mut self, hint: Option<lariat_expr::SortId>) -> Parse<Operand> {
        let outer = std::mem::replace(&mut self.left_arrow, LeftArrow::Writes);
        let operand = self.operand_of_level(hint, level::ANY);
        self.left_arrow = outer;
        operand
    }
}

fn is_sign(prefix: Tok) -> bool {
    matches!(prefix, Tok::Plus | Tok::Minus)
}
