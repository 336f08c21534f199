//! Operands: literals, names, brackets, `if`, and what may follow one of these.

use super::{Operand, What, level};
use crate::parser::{Failed, LeftArrow, Parse, Parser, shorten};
use crate::scope::Found;
use crate::token::{Syntax, Tok};
use lariat_base::Diagnostic;
use lariat_expr::{BvOp, EnumSort, Int, Op, Rat, SortId, TermId, Value};

/// The longest literal.
const MAX_DIGITS: usize = 10_000;

impl Parser<'_> {
    /// Reads what comes between binary operators.
    pub(super) fn operand(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let operand = if matches!(
            self.tok(),
            Tok::Plus | Tok::Minus | Tok::PlusPlus | Tok::BvNeg | Tok::BvPos | Tok::BvNot
        ) {
            self.prefixed()?
        } else {
            let primary = self.primary(hint)?;
            self.suffixed(primary)?
        };
        if matches!(self.tok(), Tok::BvZeroExtend | Tok::BvSignExtend) {
            return self.extended(operand);
        }
        Ok(operand)
    }

    pub(super) fn primary(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let token = self.token();
        if self.at_chart_atom() {
            return self.chart_atom();
        }
        let term = match token.tok {
            Tok::Word => return self.named(hint),
            Tok::Int => self.int_literal(),
            Tok::True => Some(self.cx.terms.true_()),
            Tok::False => Some(self.cx.terms.false_()),
            Tok::LParen => return self.bracketed(hint),
            Tok::LBrack => return self.nested(|parser| parser.array_literal(hint)),
            Tok::If => return self.nested(|parser| parser.if_expression(hint)),
            Tok::Bv => self.bv_literal(),
            Tok::Forall | Tok::Exists if !self.is_known_name() => {
                return self.nested(Parser::quantified);
            }
            _ if self.is_known_name() => return self.named(hint),
            _ => {
                let hint = self.operator_advice();
                return Err(self.unexpected_hint("an expression", hint));
            }
        };
        self.advance();
        let operand = Operand {
            what: term.map_or(What::Wrong, What::Term),
            start: token.start,
            end: token.end,
        };
        if token.tok == Tok::Bv && self.tok() == Tok::Dot {
            return Err(self.unsupported_float("a literal"));
        }
        if token.tok == Tok::Int && self.tok() == Tok::Percent && self.scope.has_ratio_literals() {
            return self.ratio(operand);
        }
        Ok(operand)
    }

    /// Whether the current token, though a reserved word here, is the name of a variable of a model in
    /// another language.
    pub(super) fn is_known_name(&self) -> bool {
        self.syntax == Syntax::Property
            && self
                .token_text()
                .starts_with(|c: char| c.is_ascii_alphabetic())
            && self.scope.find(self.cx, self.token_text(), None) != Found::Nothing
    }

    fn named(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let token = self.token();
        let text = self.token_text();
        let what = match self.scope.find(self.cx, text, hint) {
            Found::Term(term) => What::Term(term),
            Found::Ambiguous(literal) => What::Literal(literal),
            Found::Nothing => return self.unknown_name(hint),
        };
        if let What::Term(term) = what {
            self.keep_symmetric(term);
        }
        self.advance();
        Ok(Operand {
            what,
            start: token.start,
            end: token.end,
        })
    }

    /// Reports a literal of a symmetric type: what names one of them tells it from the others.
    fn keep_symmetric(&mut self, term: TermId) {
        let sort = self.cx.terms.sort(term);
        if self.cx.terms.as_lit(term).is_none() || !self.symmetric.contains(&sort) {
            return;
        }
        let name = self.cx.terms.sorts.name(sort);
        let text = self.token_text();
        let message =
            format!("`{text}` tells one value of the symmetric type {name} from the others");
        let hint = format!(
            "use a parameter (`action a(i : {name}): …`), `forall(i : {name}, …)` or `any`; or declare the values by `type {name}`. \
             Properties may name them"
        );
        let finding = Diagnostic::error("symmetric-literal", message);
        self.report(finding.at(self.token_span()).hint(hint));
    }

    /// A name that stands for nothing: a conversion, something unsupported, or a slip. `wanted` is the sort that it should have.
    fn unknown_name(&mut self, wanted: Option<SortId>) -> Parse<Operand> {
        let token = self.token();
        let text = self.token_text();
        match text {
            "to_rat" => return self.conversion(Op::ToRat),
            "to_int" => return self.conversion(Op::ToInt),
            "bv2nat" => return self.conversion(Op::Bv(BvOp::ToNat)),
            "nat2bv" => {
                self.advance();
                let Some(width) = self.width()? else {
                    return Err(Failed);
                };
                return self.converted(token.start, Op::Bv(BvOp::OfInt(width)));
            }
            _ => {}
        }
        let span = self.token_span();
        if self.syntax == Syntax::Cfa && is_float_word(text) {
            return Err(self.unsupported_float(&format!("`{text}`")));
        }
        self.advance();
        let wanted = wanted.and_then(|sort| self.cx.terms.sorts.as_enum(sort));
        let message = match wanted {
            Some(decl) => {
                let text = shorten(text);
                format!(
                    "`{text}` is neither a literal of {} nor a variable",
                    decl.name
                )
            }
            None => format!("unknown variable `{}`", shorten(text)),
        };
        let hint = match (self.scope.nearest_name(text), wanted) {
            (Some(near), _) => Some(format!("did you mean `{near}`?")),
            (None, Some(decl)) => Some(literals(decl)),
            (None, None) => super::advice(text, self.syntax),
        };
        let finding = Diagnostic::error("unknown-variable", message).at(span);
        self.report_unknown(text, finding.maybe_hint(hint));
        Ok(Operand {
            what: What::Wrong,
            start: token.start,
            end: token.end,
        })
    }

    /// Reports floating-point numbers, which CFA has and we do not.
    pub(crate) fn unsupported_float(&mut self, what: &str) -> Failed {
        let message = format!("{what}: floating-point numbers are not supported");
        let finding = Diagnostic::error("unsupported-float", message);
        self.report(finding.at(self.token_span()));
        Failed
    }

    fn conversion(&mut self, op: Op) -> Parse<Operand> {
        let start = self.token().start;
        self.advance();
        self.converted(start, op)
    }

    /// `(e)` after the name of a conversion.
    fn converted(&mut self, start: u32, op: Op) -> Parse<Operand> {
        self.expect(Tok::LParen, "`(` after a conversion")?;
        let wanted = match op {
            Op::ToInt => Some(self.cx.terms.sorts.rat()),
            Op::Bv(BvOp::ToNat) => None,
            _ => Some(self.cx.terms.sorts.int()),
        };
        let operand = self.nested(|parser| parser.operand_of_level(wanted, level::ANY))?;
        let term = match wanted {
            None => self.bits(operand).map(|bits| bits.0),
            _ => self.settle(operand, wanted),
        };
        self.expect_after_expression(Tok::RParen, "`)`")?;
        let term = term.and_then(|term| self.build(op, &[term]));
        Ok(Operand {
            what: term.map_or(What::Wrong, What::Term),
            start,
            end: self.last_end(),
        })
    }

    fn bracketed(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let start = self.token().start;
        self.advance();
        let outer = std::mem::replace(&mut self.left_arrow, LeftArrow::Compares);
        let operand = self.nested(|parser| parser.operand_of_level(hint, level::ANY));
        self.left_arrow = outer;
        let operand = operand?;
        if self.tok() == Tok::Colon && self.syntax == Syntax::Cfa {
            return Err(self.unsupported_function());
        }
        self.expect_after_expression(Tok::RParen, "`)`")?;
        Ok(Operand {
            what: operand.what,
            start,
            end: self.last_end(),
        })
    }

    /// Reports functions, which CFA and STS have and we do not.
    pub(crate) fn unsupported_function(&mut self) -> Failed {
        let finding = Diagnostic::error("unsupported-function", "functions are not supported");
        self.report(finding.at(self.token_span()));
        Failed
    }

    /// `if c then a else if d then b else e`, however long, without recursion on `else`.
    fn if_expression(&mut self, hint: Option<SortId>) -> Parse<Operand> {
        let start = self.token().start;
        let bool_ = self.cx.terms.sorts.bool();
        let outer = std::mem::replace(&mut self.left_arrow, LeftArrow::Compares);
        let mut branches: Vec<(Option<TermId>, Operand)> = Vec::new();
        while self.eat(Tok::If) {
            let condition = self.expression(Some(bool_))?;
            self.expect_after_expression(Tok::Then, "`then`")?;
            let then = self.operand_of_level(hint, level::ANY)?;
            self.expect_after_expression(Tok::Else, "`else`")?;
            branches.push((condition, then));
        }
        self.left_arrow = outer;
        let otherwise = self.operand_of_level(hint, level::ANY)?;
        let end = otherwise.end;
        let term = self.fold_branches(&branches, otherwise);
        Ok(Operand {
            what: term.map_or(What::Wrong, What::Term),
            start,
            end,
        })
    }

    fn fold_branches(
        &mut self,
        branches: &[(Option<TermId>, Operand)],
        otherwise: Operand,
    ) -> Option<TermId> {
        let all = || branches.iter().map(|branch| branch.1).chain([otherwise]);
        let rat = self.cx.terms.sorts.rat();
        let sorts: Vec<SortId> = all().filter_map(|operand| self.sort_of(operand)).collect();
        // One rational makes all branches rational; else the first branch decides.
        let sort = sorts.iter().copied().find(|&sort| sort == rat);
        let sort = sort.or(sorts.first().copied());
        let mut values: Vec<Option<TermId>> = Vec::with_capacity(branches.len() + 1);
        for operand in all() {
            values.push(self.settle(operand, sort));
        }
        let values = values.into_iter().collect::<Option<Vec<TermId>>>()?;
        let conditions: Option<Vec<TermId>> = branches.iter().map(|branch| branch.0).collect();
        let conditions = conditions?;
        let (true_, false_) = (self.cx.terms.true_(), self.cx.terms.false_());
        let (&last, values) = values.split_last()?;
        let mut so_far = last;
        let mut at = conditions.len();
        while at > 0 {
            at -= 1;
            // Runs of constant branches are one disjunction or conjunction, built at once.
            let value = values[at];
            if value == true_ || value == false_ {
                let first = values[..at].iter().rposition(|&v| v != value);
                let first = first.map_or(0, |before| before + 1);
                let mut parts: Vec<TermId> = conditions[first..=at].to_vec();
                if value == false_ {
                    for part in &mut parts {
                        *part = self.cx.terms.not(*part);
                    }
                }
                parts.push(so_far);
                so_far = if value == true_ {
                    self.cx.terms.or(&parts)
                } else {
                    self.cx.terms.and(&parts)
                };
                at = first;
            } else {
                so_far = self.cx.terms.ite(conditions[at], value, so_far);
            }
        }
        Some(so_far)
    }

    fn int_literal(&mut self) -> Option<TermId> {
        let value = self.digits(self.token_text(), 10)?;
        Some(self.cx.terms.int(value))
    }

    /// `1%2`, of which the first number has been read.
    fn ratio(&mut self, numerator: Operand) -> Parse<Operand> {
        self.advance();
        if self.tok() != Tok::Int {
            return Err(self.unexpected_hint(
                "the denominator of a rational literal",
                Some("write `mod` for the remainder of a division".into()),
            ));
        }
        let denominator = self.digits(self.token_text(), 10);
        let span = self.token_span();
        self.advance();
        let term =
            self.resolve(numerator, None)
                .zip(denominator)
                .and_then(|(numerator, denominator)| {
                    let numerator = self.cx.terms.as_lit(numerator)?.as_int()?.clone();
                    let value = Rat::new(numerator, denominator);
                    if value.is_none() {
                        let finding =
                            Diagnostic::error("zero-denominator", "the denominator is zero");
                        self.report(finding.at(span));
                    }
                    let rat = self.cx.terms.sorts.rat();
                    Some(self.cx.terms.lit(Value::Rat(value?), rat))
                });
        Ok(Operand {
            what: term.map_or(What::Wrong, What::Term),
            start: numerator.start,
            end: self.last_end(),
        })
    }

    /// The number that digits stand for, if they are not too many.
    pub(crate) fn digits(&mut self, text: &str, radix: u32) -> Option<Int> {
        if text.len() <= 15
            && let Ok(small) = i64::from_str_radix(text, radix)
        {
            return Some(Int::from(small));
        }
        if text.len() > MAX_DIGITS {
            let message = format!("a number of more than {MAX_DIGITS} digits");
            let finding = Diagnostic::error("number-too-large", message);
            self.report(finding.at(self.token_span()));
            return None;
        }
        Some(Int::parse_radix(text, radix).expect("the lexer gives digits"))
    }

    /// `4'd5`, `4'b0101`, `8'xff`.
    fn bv_literal(&mut self) -> Option<TermId> {
        let text = self.token_text();
        let (width, value) = text.split_once('\'').expect("the lexer saw the quote");
        let radix = match value.as_bytes()[0] {
            b'b' => 2,
            b'x' => 16,
            _ => 10,
        };
        let (negative, digits) = match value.as_bytes()[1] {
            b'-' => (true, &value[2..]),
            b'+' => (false, &value[2..]),
            _ => (false, &value[1..]),
        };
        let width = self.width_of(width)?;
        let value = self.digits(digits, radix)?;
        let half = Int::power_of_two(width - 1);
        let fits = if negative {
            value <= half
        } else {
            value < Int::power_of_two(width)
        };
        if !fits {
            let message = format!("`{}` does not fit {width} bits", shorten(text));
            let finding = Diagnostic::error("number-too-large", message);
            self.report(finding.at(self.token_span()));
            return None;
        }
        let bits = if negative && !value.is_zero() {
            &Int::power_of_two(width) - &value
        } else {
            value
        };
        let sort = self.cx.terms.sorts.bv(width);
        Some(self.cx.terms.lit(Value::Bv(bits), sort))
    }

    /// `[n]`: the width of a bit-vector; nothing if it is a bad one, which is reported.
    pub(crate) fn width(&mut self) -> Parse<Option<u32>> {
        self.expect(Tok::LBrack, "`[` and the number of bits")?;
        if self.tok() != Tok::Int {
            return Err(self.unexpected("the number of bits"));
        }
        let width = self.width_of(self.token_text());
        self.advance();
        self.expect(Tok::RBrack, "`]`")?;
        Ok(width)
    }

    fn width_of(&mut self, text: &str) -> Option<u32> {
        let width = text.parse::<u32>().unwrap_or(u32::MAX);
        if width == 0 {
            let message = "a bit-vector has at least one bit";
            let finding = Diagnostic::error("unsupported-width", message);
            self.report(finding.at(self.token_span()));
        } else if width > super::fold::MAX_WIDTH {
            self.too_wide(self.token_span());
        } else {
            return Some(width);
        }
        None
    }
}

/// Whether a word is an operator on floating-point numbers.
pub(crate) fn is_float_word(text: &str) -> bool {
    text.strip_prefix("fp").is_some_and(|rest| {
        [
            "abs",
            "frombv",
            "isnan",
            "max",
            "min",
            "rem",
            "roundtoint",
            "sqrt",
            "tobv",
            "tofp",
            "sub",
            "add",
            "mul",
            "div",
            "pos",
            "neg",
        ]
        .contains(&rest)
    })
}

/// What an enumeration has, in words.
fn literals(decl: &EnumSort) -> String {
    const MOST: usize = 12;
    let shown = decl
        .literals
        .iter()
        .take(MOST)
        .map(|name| format!("`{name}`"));
    let shown: Vec<String> = shown.collect();
    let more = if decl.literals.len() > MOST {
        ", …"
    } else {
        ""
    };
    format!(
        "the literals of {} are {}{more}",
        decl.name,
        shown.join(", ")
    )
}
