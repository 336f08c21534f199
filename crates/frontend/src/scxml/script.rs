//! The expressions and assignments of ECMAScript that charts use: text to tree.
//!
//! More is read than is given a meaning, so that what is refused can be named. Nesting is bounded; nothing else recurses.

use lariat_expr::Int;

/// An expression with its place in the text it was read from.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Js {
    /// What it is.
    pub node: Node,
    /// First byte and one past the last.
    pub at: (usize, usize),
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Node {
    Int(Int),
    /// A number with a fraction or an exponent.
    Fraction,
    Text(Box<str>),
    Bool(bool),
    Undefined,
    Null,
    Name(Box<str>),
    Member(Box<Js>, Box<str>),
    Index(Box<Js>, Box<Js>),
    Call(Box<Js>, Vec<Js>),
    List(Vec<Js>),
    Not(Box<Js>),
    Neg(Box<Js>),
    Typeof(Box<Js>),
    Binary(Binary, Box<Js>, Box<Js>),
    If(Box<Js>, Box<Js>, Box<Js>),
    /// A word that starts no expression: evaluating this is an error of the program.
    Wrong(Box<str>),
}

/// Operators between two expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Or,
    And,
    Equal,
    Differ,
    SameAs,
    NotSameAs,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// `name = value`, the statements that scripts consist of.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Assignment {
    pub name: Box<str>,
    /// Whether it is a declaration.
    pub declares: bool,
    /// No value: `var x;`.
    pub value: Option<Js>,
    pub at: (usize, usize),
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mistake {
    pub message: String,
    pub at: (usize, usize),
}

/// How deep expressions may nest.
const MAX_DEPTH: usize = 200;
/// How long an expression may be: what is left of an operator nests in what is right of it.
const MAX_NODES: usize = 2_000;

/// Reads an expression that takes the whole text.
pub(super) fn expression(text: &str) -> Result<Js, Mistake> {
    let mut reader = Reader::new(text)?;
    let js = reader.conditional()?;
    reader.eat(";");
    reader.end()?;
    Ok(js)
}

/// Reads the assignments of a script.
pub(super) fn assignments(text: &str) -> Result<Vec<Assignment>, Mistake> {
    let mut reader = Reader::new(text)?;
    let mut all = Vec::new();
    while reader.peek() != &Token::End {
        if reader.eat(";") {
            continue;
        }
        reader.statement(&mut all)?;
    }
    Ok(all)
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(Option<Int>),
    Text(Box<str>),
    Word(Box<str>),
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 45] = [
    "===", "!==", ">>>", "**=", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=",
    "-=", "*=", "/=", "%=", "=>", "<<", ">>", "**", "&=", "|=", "(", ")", "[", "]", "{", "}", ".",
    ",", ";", ":", "?", "<", ">", "+", "-", "*", "/", "%", "!", "=",
];
const BIT_SIGNS: [&str; 4] = ["&", "|", "^", "~"];

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize, usize)>,
    next: usize,
    depth: usize,
    n_nodes: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Self, Mistake> {
        Ok(Self {
            text,
            tokens: tokens(text)?,
            next: 0,
            depth: 0,
            n_nodes: 0,
        })
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn start(&self) -> usize {
        self.tokens[self.next].1
    }

    fn last_end(&self) -> usize {
        self.next.checked_sub(1).map_or(0, |at| self.tokens[at].2)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Sign(known) if *known == sign);
        self.next += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    fn end(&mut self) -> Result<(), Mistake> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Word(word) if matches!(&**word, "in" | "instanceof") => Err(self.outside(word)),
            _ => Err(self.unexpected("the end of the expression")),
        }
    }

    fn unexpected(&self, wanted: &str) -> Mistake {
        let (token, start, end) = &self.tokens[self.next];
        let found = match token {
            Token::End => "the text ends".to_owned(),
            _ => format!("`{}`", &self.text[*start..*end]),
        };
        Mistake {
            message: format!("expected {wanted}, found {found}"),
            at: (*start, *end),
        }
    }

    fn node(&mut self, node: Node, start: usize) -> Result<Js, Mistake> {
        self.n_nodes += 1;
        let at = (start, self.last_end());
        if self.n_nodes > MAX_NODES {
            let message = "this expression is too long".to_owned();
            return Err(Mistake { message, at });
        }
        Ok(Js { node, at })
    }

    fn nested<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Mistake>,
    ) -> Result<T, Mistake> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Mistake {
                message: format!("expressions nest deeper than {MAX_DEPTH}"),
                at: (self.start(), self.start()),
            });
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn conditional(&mut self) -> Result<Js, Mistake> {
        self.nested(|reader| {
            let start = reader.start();
            let condition = reader.binary(0)?;
            if !reader.eat("?") {
                return Ok(condition);
            }
            let then = reader.conditional()?;
            reader.expect(":")?;
            let otherwise = reader.conditional()?;
            let parts = (Box::new(condition), Box::new(then), Box::new(otherwise));
            reader.node(Node::If(parts.0, parts.1, parts.2), start)
        })
    }

    fn binary(&mut self, level: usize) -> Result<Js, Mistake> {
        const LEVELS: [&[(&str, Binary)]; 6] = [
            &[("||", Binary::Or)],
            &[("&&", Binary::And)],
            &[
                ("===", Binary::SameAs),
                ("!==", Binary::NotSameAs),
                ("==", Binary::Equal),
                ("!=", Binary::Differ),
            ],
            &[
                ("<=", Binary::AtMost),
                (">=", Binary::AtLeast),
                ("<", Binary::Less),
                (">", Binary::Greater),
            ],
            &[("+", Binary::Add), ("-", Binary::Sub)],
            &[("*", Binary::Mul), ("/", Binary::Div), ("%", Binary::Rem)],
        ];
        let Some(signs) = LEVELS.get(level) else {
            return self.unary();
        };
        let start = self.start();
        let mut left = self.binary(level + 1)?;
        while let Some(op) = signs
            .iter()
            .find(|(sign, _)| self.eat(sign))
            .map(|(_, op)| *op)
        {
            let right = self.binary(level + 1)?;
            left = self.node(Node::Binary(op, Box::new(left), Box::new(right)), start)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Js, Mistake> {
        let start = self.start();
        let make: fn(Box<Js>) -> Node = match self.peek() {
            Token::Sign("!") => Node::Not,
            Token::Sign("-") => Node::Neg,
            Token::Sign("+") => {
                self.next += 1;
                return self.nested(Self::unary);
            }
            Token::Word(word) if &**word == "typeof" => Node::Typeof,
            _ => return self.postfix(),
        };
        self.next += 1;
        let inner = self.nested(Self::unary)?;
        self.node(make(Box::new(inner)), start)
    }

    fn postfix(&mut self) -> Result<Js, Mistake> {
        let start = self.start();
        let mut js = self.primary()?;
        loop {
            let node = if self.eat(".") {
                let Token::Word(name) = self.peek().clone() else {
                    return Err(self.unexpected("a name"));
                };
                self.next += 1;
                Node::Member(Box::new(js), name)
            } else if self.eat("[") {
                let index = self.conditional()?;
                self.expect("]")?;
                Node::Index(Box::new(js), Box::new(index))
            } else if self.eat("(") {
                let args = self.list(")")?;
                Node::Call(Box::new(js), args)
            } else {
                return Ok(js);
            };
            js = self.node(node, start)?;
        }
    }

    fn list(&mut self, close: &str) -> Result<Vec<Js>, Mistake> {
        let mut all = Vec::new();
        while !self.eat(close) {
            all.push(self.conditional()?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(all)
    }

    fn primary(&mut self) -> Result<Js, Mistake> {
        let start = self.start();
        let node = match self.peek().clone() {
            Token::Number(value) => {
                self.next += 1;
                value.map_or(Node::Fraction, Node::Int)
            }
            Token::Text(text) => {
                self.next += 1;
                Node::Text(text)
            }
            Token::Word(word) => {
                self.next += 1;
                match &*word {
                    "true" => Node::Bool(true),
                    "false" => Node::Bool(false),
                    "undefined" => Node::Undefined,
                    "null" => Node::Null,
                    "return" | "continue" | "break" => Node::Wrong(word),
                    "new" | "function" | "in" | "instanceof" | "void" | "delete" => {
                        self.next -= 1;
                        return Err(self.outside(&word));
                    }
                    _ => Node::Name(word),
                }
            }
            Token::Sign("(") => {
                self.next += 1;
                let inner = self.conditional()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Sign("[") => {
                self.next += 1;
                Node::List(self.list("]")?)
            }
            Token::Sign(sign @ ("{" | "++" | "--")) => return Err(self.outside(sign)),
            _ => return Err(self.unexpected("an expression")),
        };
        self.node(node, start)
    }

    /// The finding that something of the language is not read.
    fn outside(&self, what: &str) -> Mistake {
        let (_, start, end) = self.tokens[self.next];
        let kind = match what {
            "{" => "objects are",
            "new" => "objects (`new`) are",
            "function" => "functions are",
            "++" | "--" => "assignments inside of expressions are",
            _ => "this operator is",
        };
        let message = format!("{kind} not supported (`{what}`)");
        let at = (start, end);
        Mistake { message, at }
    }

    fn statement(&mut self, all: &mut Vec<Assignment>) -> Result<(), Mistake> {
        let start = self.start();
        let declares = match self.peek() {
            Token::Word(word) if matches!(&**word, "var" | "let" | "const") => {
                self.next += 1;
                true
            }
            _ => false,
        };
        loop {
            let Token::Word(name) = self.peek().clone() else {
                return Err(self.unexpected("an assignment (scripts may do nothing else)"));
            };
            let words = [
                "function", "if", "for", "while", "return", "throw", "switch", "do", "try", "new",
            ];
            if words.contains(&&*name) {
                let (_, start, end) = self.tokens[self.next];
                let message = format!("scripts may only assign (found `{name}`)");
                let at = (start, end);
                return Err(Mistake { message, at });
            }
            self.next += 1;
            let value = self.assigned(&name, start, declares)?;
            let at = (start, self.last_end());
            all.push(Assignment {
                name,
                declares,
                value,
                at,
            });
            if !(declares && self.eat(",")) {
                return Ok(());
            }
        }
    }

    /// What follows the name in an assignment.
    fn assigned(
        &mut self,
        name: &str,
        start: usize,
        declares: bool,
    ) -> Result<Option<Js>, Mistake> {
        let read = Js {
            node: Node::Name(name.into()),
            at: (start, self.last_end()),
        };
        if self.eat("=") {
            return self.conditional().map(Some);
        }
        if declares {
            return Ok(None);
        }
        let updates = [
            ("+=", Binary::Add),
            ("-=", Binary::Sub),
            ("*=", Binary::Mul),
            ("/=", Binary::Div),
            ("%=", Binary::Rem),
        ];
        for (sign, op) in updates {
            if self.eat(sign) {
                let value = self.conditional()?;
                return self
                    .node(Node::Binary(op, Box::new(read), Box::new(value)), start)
                    .map(Some);
            }
        }
        for (sign, op) in [("++", Binary::Add), ("--", Binary::Sub)] {
            if self.eat(sign) {
                let one = self.node(Node::Int(Int::from(1)), start)?;
                return self
                    .node(Node::Binary(op, Box::new(read), Box::new(one)), start)
                    .map(Some);
            }
        }
        Err(self.unexpected("`=` (scripts may only assign)"))
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize, usize)>, Mistake> {
    let bytes = text.as_bytes();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let start = at;
        let first = rest.chars().next().expect("the text goes on");
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        let token = if first.is_ascii_digit()
            || first == '.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
            at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            number(&text[start..at]).ok_or_else(|| Mistake {
                message: format!("`{}` is no number", &text[start..at]),
                at: (start, at),
            })?
        } else if first.is_alphabetic() || first == '_' || first == '$' {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            at += rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            Token::Word(text[start..at].into())
        } else if first == '\'' || first == '"' {
            let (value, len) = quoted(rest, first).ok_or_else(|| Mistake {
                message: "this string does not end".to_owned(),
                at: (start, text.len()),
            })?;
            at += len;
            Token::Text(value.into())
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            at += sign.len();
            Token::Sign(sign)
        } else {
            let is_bits = BIT_SIGNS.iter().any(|sign| rest.starts_with(sign));
            let what = if is_bits {
                "operators on bits are not supported"
            } else {
                "unexpected character"
            };
            let at = (start, start + first.len_utf8());
            let message = format!("{what} (`{first}`)");
            return Err(Mistake { message, at });
        };
        all.push((token, start, at));
    }
    all.push((Token::End, text.len(), text.len()));
    Ok(all)
}

fn number(text: &str) -> Option<Token> {
    const MAX_DIGITS: usize = 1000;
    if text.len() > MAX_DIGITS {
        return None;
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return Some(Token::Number(Int::parse_radix(text, 10)));
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return Int::parse_radix(hex, 16).map(|value| Token::Number(Some(value)));
    }
    let (whole, fraction) = text.split_once('.')?;
    let are_digits = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit());
    (are_digits(whole) && are_digits(fraction)).then(|| {
        let is_whole = fraction.bytes().all(|b| b == b'0') && !whole.is_empty();
        Token::Number(if is_whole {
            Int::parse_radix(whole, 10)
        } else {
            None
        })
    })
}

/// The value of a quoted string and its length in the text.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == quote => return Some((value, at + c.len_utf8())),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                other => value.push(other),
            },
            '\n' => return None,
            _ => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_bind_as_in_ecmascript() {
        let js = expression("a + 2 * b == 3 && !c || d ? 1 : 'x'").unwrap();
        let Node::If(condition, ..) = js.node else {
            panic!("a conditional is loosest");
        };
        assert!(matches!(condition.node, Node::Binary(Binary::Or, ..)));
        assert!(matches!(
            expression("-x % 2").unwrap().node,
            Node::Binary(Binary::Rem, ..)
        ));
        assert!(matches!(
            expression("_event.data['x']").unwrap().node,
            Node::Index(..)
        ));
        assert!(matches!(expression("return").unwrap().node, Node::Wrong(_)));
    }

    #[test]
    fn what_is_not_read_is_named() {
        let message = |text: &str| expression(text).unwrap_err().message;
        assert_eq!(message("{a: 1}"), "objects are not supported (`{`)");
        assert_eq!(
            message("x | 2"),
            "operators on bits are not supported (`|`)"
        );
        assert_eq!(
            message("++x == 2"),
            "assignments inside of expressions are not supported (`++`)"
        );
        assert_eq!(
            message("x +"),
            "expected an expression, found the text ends"
        );
        assert!(expression(&"(".repeat(100_000)).is_err());
        assert!(expression(&"-".repeat(100_000)).is_err());
        assert!(expression(&format!("1{}", "+1".repeat(100_000))).is_err());
    }

    #[test]
    fn scripts_assign() {
        let all = assignments("var x = 1, y; x *= 2; y++ // end\n; z = x").unwrap();
        let names: Vec<&str> = all.iter().map(|one| &*one.name).collect();
        assert_eq!(names, ["x", "y", "x", "y", "z"]);
        assert!(assignments("foo()").is_err() && assignments("function f() {}").is_err());
    }
}
