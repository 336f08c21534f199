//! Reads expressions and formulas of SMV: operator precedence with a stack of its own, so that nesting costs no call stack.
//!
//! The parser alternates between wanting an operand and wanting an operator. What waits for a value stands on the stack; an
//! operator first completes everything that binds tighter than itself.

use super::lex::Tok;
use super::parse::{Parse, Reader, is_reserved};
use super::tree::{Binary, ExprId, NameId, Node, Unary};
use lariat_base::{Diagnostic, Span};

/// How tightly operators bind, the tightest last.
mod level {
    pub const IMPLIES: u8 = 1;
    pub const IFF: u8 = 2;
    pub const ITE: u8 = 3;
    pub const OR: u8 = 4;
    pub const AND: u8 = 5;
    pub const UNTIL: u8 = 6;
    pub const TEMPORAL: u8 = 7;
    pub const COMPARE: u8 = 8;
    pub const IN: u8 = 9;
    pub const UNION: u8 = 10;
    pub const RANGE: u8 = 11;
    pub const SHIFT: u8 = 12;
    pub const SUM: u8 = 13;
    pub const PRODUCT: u8 = 14;
    pub const CONCAT: u8 = 15;
    pub const UNARY: u8 = 16;
}

/// What waits for the value that is read.
enum Frame {
    Prefix(Unary, Option<(u32, u32)>, u32),
    Infix(ExprId, Binary, u8),
    /// `c ?`, waits for the value before the colon.
    Then(ExprId),
    /// `c ? a :`, waits for the rest.
    Else(ExprId, ExprId),
    Paren,
    Set(Vec<ExprId>, u32),
    List(Vec<ExprId>, u32),
    Call(NameId, Vec<ExprId>, u32),
    Index(ExprId),
    /// `w[h:`, waits for the low bit.
    Slice(ExprId, ExprId),
    /// Waits for a condition (an even number of parts) or a value.
    Case(Vec<ExprId>, u32),
}

/// What comes after an operand.
enum After {
    Operand,
    Value(ExprId),
    Done(ExprId),
}

impl Reader<'_> {
    /// Reads an expression, as long as it goes.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        let mut stack: Vec<Frame> = Vec::new();
        let mut value: Option<ExprId> = None;
        loop {
            let after = match value {
                None => self.operand(&mut stack)?,
                Some(read) => self.operator(&mut stack, read)?,
            };
            value = match after {
                After::Operand => None,
                After::Value(value) => Some(value),
                After::Done(value) => return Ok(value),
            };
        }
    }

    fn operand(&mut self, stack: &mut Vec<Frame>) -> Parse<After> {
        let start = self.token().start;
        let span = self.token_span();
        let node = match &self.token().tok {
            Tok::Int(int) => Node::Int(int.clone()),
            Tok::Real(rat) => Node::Real(rat.clone()),
            Tok::Bits(bits) => Node::Bits(bits.clone()),
            Tok::Quoted => Node::Name(self.intern_token()),
            Tok::Word => return self.word_operand(stack),
            Tok::Sign => {
                let frame = match self.token_text() {
                    "(" => Frame::Paren,
                    "{" => Frame::Set(Vec::new(), start),
                    "[" => Frame::List(Vec::new(), start),
                    "!" => Frame::Prefix(Unary::Not, None, start),
                    "-" => Frame::Prefix(Unary::Minus, None, start),
                    _ => return Err(self.unexpected("an expression")),
                };
                self.advance();
                stack.push(frame);
                return Ok(After::Operand);
            }
            Tok::Bad(_) | Tok::End => return Err(self.unexpected("an expression")),
        };
        self.advance();
        Ok(After::Value(self.tree.add(node, span)))
    }

    fn word_operand(&mut self, stack: &mut Vec<Frame>) -> Parse<After> {
        let (start, span) = (self.token().start, self.token_span());
        let word = self.token_text();
        let temporal = match word {
            "X" => Some(Unary::X),
            "F" => Some(Unary::F),
            "G" => Some(Unary::G),
            "Y" => Some(Unary::Y),
            "Z" => Some(Unary::Z),
            "O" => Some(Unary::O),
            "H" => Some(Unary::H),
            _ => None,
        };
        if let Some(operator) = temporal {
            self.advance();
            let bounds = self.bounds(operator)?;
            stack.push(Frame::Prefix(operator, bounds, start));
            return Ok(After::Operand);
        }
        match word {
            "TRUE" | "FALSE" => {
                let node = Node::Bool(word == "TRUE");
                self.advance();
                return Ok(After::Value(self.tree.add(node, span)));
            }
            "case" => {
                self.advance();
                stack.push(Frame::Case(Vec::new(), start));
                return Ok(After::Operand);
            }
            "A" | "E" | "AX" | "AF" | "AG" | "EX" | "EF" | "EG" | "ABF" | "ABG" | "EBF" | "EBG" => {
                let message = format!("`{word}` is an operator of branching time (CTL)");
                let finding = Diagnostic::error("ctl-operator", message).at(span);
                return Err(
                    self.fail(finding.hint("Lariat checks linear time: LTLSPEC and INVARSPEC"))
                );
            }
            _ => {}
        }
        let is_call = self.peek_text(1) == "(";
        if is_reserved(word) && !(is_call && is_function(word)) && word != "self" {
            return Err(self.unexpected("an expression"));
        }
        let name = self.intern_token();
        self.advance();
        if is_call {
            self.advance();
            stack.push(Frame::Call(name, Vec::new(), start));
            return Ok(After::Operand);
        }
        Ok(After::Value(self.tree.add(Node::Name(name), span)))
    }

    /// `[l,u]` behind a temporal operator.
    fn bounds(&mut self, operator: Unary) -> Parse<Option<(u32, u32)>> {
        let has_bounds = matches!(operator, Unary::F | Unary::G | Unary::O | Unary::H);
        if !has_bounds || self.token_text() != "[" {
            return Ok(None);
        }
        let start = self.token().start;
        self.advance();
        let low = self.bound()?;
        self.expect(",")?;
        let high = self.bound()?;
        self.expect("]")?;
        if low > high {
            let message = format!("the bound [{low},{high}] has no element");
            let finding = Diagnostic::error("empty-bound", message).at(self.span_from(start));
            return Err(self.fail(finding));
        }
        Ok(Some((low, high)))
    }

    fn bound(&mut self) -> Parse<u32> {
        let small = match &self.token().tok {
            Tok::Int(int) => int.to_i64().and_then(|int| u32::try_from(int).ok()),
            _ => None,
        };
        // A bound becomes that many nested operators.
        let Some(bound) = small.filter(|&bound| bound <= 1_000) else {
            return Err(self.unexpected("a number of steps up to 1000"));
        };
        self.advance();
        Ok(bound)
    }

    /// What follows a value: an operator, a bracket that closes, or the end of the expression.
    fn operator(&mut self, stack: &mut Vec<Frame>, value: ExprId) -> Parse<After> {
        let text = match self.token().tok {
            Tok::Sign | Tok::Word => self.token_text(),
            _ => "",
        };
        match text {
            "." => return self.dot(value),
            "[" => {
                self.advance();
                stack.push(Frame::Index(value));
                return Ok(After::Operand);
            }
            "?" => {
                let value = self.complete(stack, value, level::ITE + 1);
                self.advance();
                stack.push(Frame::Then(value));
                return Ok(After::Operand);
            }
            _ => {}
        }
        if let Some((operator, binds)) = infix(text) {
            let is_right = operator == Binary::Implies;
            let value = self.complete(stack, value, binds + u8::from(is_right));
            self.advance();
            stack.push(Frame::Infix(value, operator, binds));
            return Ok(After::Operand);
        }
        let value = self.complete(stack, value, 0);
        self.close(stack, value)
    }

    fn dot(&mut self, value: ExprId) -> Parse<After> {
        self.advance();
        let is_member = matches!(self.token().tok, Tok::Word | Tok::Quoted | Tok::Int(_));
        if !is_member {
            return Err(self.unexpected("the name of a member"));
        }
        let name = self.intern_token();
        let span = self.tree.spans[value].to(self.token_span());
        self.advance();
        Ok(After::Value(self.tree.add(Node::Dot(value, name), span)))
    }

    /// Completes what binds at least this tightly.
    fn complete(&mut self, stack: &mut Vec<Frame>, mut value: ExprId, least: u8) -> ExprId {
        loop {
            let binds = match stack.last() {
                Some(Frame::Prefix(operator, ..)) if operator.is_temporal() => level::TEMPORAL,
                Some(Frame::Prefix(..)) => level::UNARY,
                Some(Frame::Infix(_, _, binds)) => *binds,
                Some(Frame::Else(..)) => level::ITE,
                _ => return value,
            };
            if binds < least {
                return value;
            }
            let end = self.tree.spans[value];
            let (node, span) = match stack.pop() {
                Some(Frame::Prefix(operator, bounds, start)) => {
                    let node = match bounds {
                        Some((low, high)) => Node::Bounded(operator, low, high, value),
                        None => Node::Unary(operator, value),
                    };
                    (node, Span { start, ..end })
                }
                Some(Frame::Infix(left, operator, _)) => (
                    Node::Binary(operator, left, value),
                    self.tree.spans[left].to(end),
                ),
                Some(Frame::Else(condition, then)) => (
                    Node::Ite(condition, then, value),
                    self.tree.spans[condition].to(end),
                ),
                _ => unreachable!("only operators are completed"),
            };
            value = self.tree.add(node, span);
        }
    }

    /// Gives a completed value to the bracket that holds it.
    fn close(&mut self, stack: &mut Vec<Frame>, value: ExprId) -> Parse<After> {
        let text = match self.token().tok {
            Tok::Sign | Tok::Word => self.token_text(),
            _ => "",
        };
        let Some(frame) = stack.pop() else {
            return Ok(After::Done(value));
        };
        let (next, node, start) = match (frame, text) {
            (Frame::Paren, ")") => {
                self.advance();
                return Ok(After::Value(value));
            }
            (Frame::Then(condition), ":") => (Some(Frame::Else(condition, value)), None, 0),
            (Frame::Set(mut list, start), "," | "}") => {
                list.push(value);
                if text == "," {
                    (Some(Frame::Set(list, start)), None, 0)
                } else {
                    (None, Some(Node::Set(list)), start)
                }
            }
            (Frame::List(mut list, start), "," | "]") => {
                list.push(value);
                if text == "," {
                    (Some(Frame::List(list, start)), None, 0)
                } else {
                    (None, Some(Node::List(list)), start)
                }
            }
            (Frame::Call(name, mut list, start), "," | ")") => {
                list.push(value);
                if text == "," {
                    (Some(Frame::Call(name, list, start)), None, 0)
                } else {
                    (None, Some(Node::Call(name, list)), start)
                }
            }
            (Frame::Index(of), ":") => (Some(Frame::Slice(of, value)), None, 0),
            (Frame::Index(of), "]") => (
                None,
                Some(Node::Index(of, value)),
                self.tree.spans[of].start,
            ),
            (Frame::Slice(of, high), "]") => (
                None,
                Some(Node::Slice(of, high, value)),
                self.tree.spans[of].start,
            ),
            (Frame::Case(mut parts, start), ":") if parts.len().is_multiple_of(2) => {
                parts.push(value);
                (Some(Frame::Case(parts, start)), None, 0)
            }
            (Frame::Case(mut parts, start), ";") if !parts.len().is_multiple_of(2) => {
                parts.push(value);
                if self.peek_text(1) == "esac" {
                    self.advance();
                    (None, Some(Node::Case(parts)), start)
                } else {
                    (Some(Frame::Case(parts, start)), None, 0)
                }
            }
            (frame, _) => return Err(self.unexpected(awaited(&frame))),
        };
        self.advance();
        if let Some(frame) = next {
            stack.push(frame);
            return Ok(After::Operand);
        }
        let span = self.span_from(start);
        let node = node.expect("a bracket that goes on is a frame, one that ends a node");
        Ok(After::Value(self.tree.add(node, span)))
    }
}

/// What may stand behind a value inside of a bracket.
fn awaited(frame: &Frame) -> &'static str {
    match frame {
        Frame::Paren => "`)` or an operator",
        Frame::Then(_) => "`:` and the value for the other case",
        Frame::Set(..) => "`,` or `}`",
        Frame::List(..) | Frame::Index(_) | Frame::Slice(..) => "`]`",
        Frame::Call(..) => "`,` or `)`",
        Frame::Case(parts, _) if parts.len().is_multiple_of(2) => "`:` behind the condition",
        Frame::Case(..) => "`;` behind the value",
        _ => "an operator",
    }
}

fn infix(text: &str) -> Option<(Binary, u8)> {
    Some(match text {
        "::" => (Binary::Concat, level::CONCAT),
        "*" => (Binary::Mul, level::PRODUCT),
        "/" => (Binary::Div, level::PRODUCT),
        "mod" => (Binary::Mod, level::PRODUCT),
        "+" => (Binary::Add, level::SUM),
        "-" => (Binary::Sub, level::SUM),
        "<<" => (Binary::Shl, level::SHIFT),
        ">>" => (Binary::Shr, level::SHIFT),
        ".." => (Binary::Range, level::RANGE),
        "union" => (Binary::Union, level::UNION),
        "in" => (Binary::In, level::IN),
        "=" => (Binary::Eq, level::COMPARE),
        "!=" => (Binary::Ne, level::COMPARE),
        "<" => (Binary::Lt, level::COMPARE),
        ">" => (Binary::Gt, level::COMPARE),
        "<=" => (Binary::Le, level::COMPARE),
        ">=" => (Binary::Ge, level::COMPARE),
        "U" => (Binary::Until, level::UNTIL),
        "V" | "R" => (Binary::Releases, level::UNTIL),
        "S" => (Binary::Since, level::UNTIL),
        "T" => (Binary::Triggered, level::UNTIL),
        "W" => (Binary::WeakUntil, level::UNTIL),
        "M" => (Binary::StrongRelease, level::UNTIL),
        "&" => (Binary::And, level::AND),
        "|" => (Binary::Or, level::OR),
        "xor" => (Binary::Xor, level::OR),
        "xnor" => (Binary::Xnor, level::OR),
        "<->" => (Binary::Iff, level::IFF),
        "->" => (Binary::Implies, level::IMPLIES),
        _ => return None,
    })
}

/// The words that are called.
fn is_function(word: &str) -> bool {
    [
        "next",
        "toint",
        "bool",
        "word1",
        "signed",
        "unsigned",
        "extend",
        "resize",
        "sizeof",
        "uwconst",
        "swconst",
        "count",
        "abs",
        "min",
        "max",
        "READ",
        "WRITE",
        "CONSTARRAY",
        "typeof",
        "floor",
    ]
    .contains(&word)
}
