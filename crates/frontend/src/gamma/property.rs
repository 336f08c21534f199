//! Property files (`.gpd`): formulas about a component, in the spelling of all other formulas.
//!
//! `A φ` is the property φ. `E φ` asks for a run: it becomes the property that no run is such, and a run that violates that is the one
//! asked for. Operators after a temporal one need brackets, as in Gamma.

use super::parse::{Parse, Parser, unsupported};
use super::token::Tok;
use super::tree::Name;
use lariat_base::{Diagnostic, SourceId, Span};
use lariat_system::{Property, PropertyBody};

/// What a property file says.
pub(super) struct PropertyFile {
    pub component: Name,
    pub formulas: Vec<Formula>,
}

pub(super) struct Formula {
    /// Whether it asks for a run.
    pub asks_for_run: bool,
    text: String,
    span: Span,
}

impl PropertyFile {
    pub fn properties(self) -> Vec<Property> {
        let all = (1..).zip(self.formulas);
        let all = all.map(|(number, formula)| {
            let (name, text) = if formula.asks_for_run {
                (format!("no-run-{number}"), format!("!({})", formula.text))
            } else {
                (number.to_string(), formula.text)
            };
            Property {
                name: name.into(),
                alias: None,
                body: PropertyBody::Ltl(text.into()),
                span: Some(formula.span),
            }
        });
        all.collect()
    }
}

/// Reads a property file.
pub(super) fn parse(source: SourceId, text: &str) -> Parse<PropertyFile> {
    let mut parser = Parser::new(source, text)?;
    while parser.eat_word("import") {
        if parser.tok() != Tok::Text {
            return Err(parser.unexpected("the path of a file in quotes"));
        }
        parser.advance();
    }
    parser.expect_word("component")?;
    let component = parser.name("the name of a component")?;
    let mut formulas = Vec::new();
    while parser.tok() != Tok::End {
        parser.annotations()?;
        parser.eat_word("formula");
        formulas.push(parser.formula(&component.text)?);
    }
    Ok(PropertyFile {
        component,
        formulas,
    })
}

/// What joins formulas, loosest first.
const JOINS: [&str; 4] = ["->", "||", "^", "&&"];

impl Parser<'_> {
    fn formula(&mut self, component: &str) -> Parse<Formula> {
        let start = self.here();
        let asks_for_run = match self.word() {
            "A" => false,
            "E" => true,
            _ => return Err(self.unexpected("`A` or `E`")),
        };
        self.advance();
        let text = self.path_formula(component, 0)?;
        Ok(Formula {
            asks_for_run,
            text,
            span: self.since(start),
        })
    }

    fn path_formula(&mut self, component: &str, level: usize) -> Parse<String> {
        let Some(join) = JOINS.get(level) else {
            return self.temporal(component);
        };
        let mut parts = vec![self.path_formula(component, level + 1)?];
        while self.eat(join) {
            parts.push(self.path_formula(component, level + 1)?);
        }
        // Gamma groups to the right.
        let mut text = parts.pop().unwrap_or_default();
        while let Some(before) = parts.pop() {
            text = format!("({before} {join} {text})");
        }
        Ok(text)
    }

    /// `G φ`, `φ U ψ` and what stands in brackets.
    fn temporal(&mut self, component: &str) -> Parse<String> {
        if self.eat("!") {
            return Ok(format!("!{}", self.primary_formula(component)?));
        }
        let mut before = String::new();
        while let (Tok::Word, word @ ("G" | "F" | "X")) = (self.tok(), self.word()) {
            before.push_str(word);
            before.push(' ');
            self.advance();
        }
        let mut text = format!("{before}{}", self.primary_formula(component)?);
        loop {
            let join = match (self.tok(), self.word()) {
                (Tok::Word, "U") => "U",
                (Tok::Word, "R") => "R",
                (Tok::Word, "WU") => "W",
                (Tok::Word, word @ ("B" | "WB")) => {
                    return Err(unsupported(&format!("the operator `{word}`"), self.here()));
                }
                _ => return Ok(text),
            };
            if !before.is_empty() {
                let message = format!("`{}` after `{}` needs brackets", self.word(), before.trim());
                let finding = Diagnostic::error("gamma-property", message).at(self.here());
                return Err(Box::new(finding));
            }
            self.advance();
            // `φ U (ψ U χ)` without brackets would need them anyway.
            let next = self.primary_formula(component)?;
            text = format!("({text} {join} {next})");
        }
    }

    fn primary_formula(&mut self, component: &str) -> Parse<String> {
        self.nested(|parser| {
            for (open, close) in [("(", ")"), ("[", "]")] {
                if parser.eat(open) {
                    let inner = parser.path_formula(component, 0)?;
                    parser.expect(close)?;
                    return Ok(format!("({inner})"));
                }
            }
            if parser.eat("{") {
                return parser.atom(component);
            }
            if matches!((parser.tok(), parser.word()), (Tok::Word, "A" | "E")) {
                let what = "a quantifier over runs inside of a formula";
                return Err(unsupported(what, parser.here()));
            }
            Err(parser.unexpected("`(`, `[` or `{`"))
        })
    }

    /// An expression up to `}`, word by word.
    fn atom(&mut self, component: &str) -> Parse<String> {
        let mut text = String::from("(");
        while !self.eat("}") {
            let word = self.word();
            let piece = match (self.tok(), word) {
                (Tok::End, _) => return Err(self.unexpected("`}`")),
                (Tok::Word, "state") => format!("in({})", self.reference(component, true)?),
                (Tok::Word, "event") => format!("event({})", self.reference(component, false)?),
                (Tok::Word, "variable" | "var" | "parameter" | "param") => {
                    self.reference(component, false)?
                }
                (Tok::Word, "not") | (Tok::Sign("!"), _) => {
                    self.advance();
                    let follows = matches!(
                        (self.tok(), self.word()),
                        (Tok::Sign("("), _) | (Tok::Word, "state" | "event")
                    );
                    if !follows {
                        return Err(self.unexpected("a bracket after `not`"));
                    }
                    "!".to_owned()
                }
                (tok, word) => {
                    let piece = match (tok, word) {
                        (Tok::Word, "and") => "&&",
                        (Tok::Word, "or") => "||",
                        (Tok::Word, "xor") => "^",
                        (Tok::Word, "imply") => "->",
                        (Tok::Sign("=="), _) => "=",
                        (Tok::Sign("/="), _) => "!=",
                        (
                            Tok::Sign(
                                "=" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "(" | ")",
                            )
                            | Tok::Int,
                            word,
                        ) => word,
                        (Tok::Word, word @ ("true" | "false" | "div" | "mod")) => word,
                        // `TYPE::LITERAL`
                        (Tok::Word, _) if self.ahead(1).0 == Tok::Sign("::") => {
                            self.advance();
                            self.advance();
                            self.word()
                        }
                        _ => {
                            let what = format!("`{word}` in a property");
                            return Err(unsupported(&what, self.here()));
                        }
                    };
                    self.advance();
                    piece.to_owned()
                }
            };
            text.push_str(&piece);
            text.push(' ');
        }
        Ok(format!("{})", text.trim_end()))
    }

    /// `state a -> b.r.S`, `event a.p.e`, `parameter a.p.e::q`: the name with points. What belongs to the system itself, a statechart,
    /// has no name before it.
    fn reference(&mut self, component: &str, is_state: bool) -> Parse<String> {
        self.advance();
        let mut parts = vec![self.name("the name of a component")?.text];
        while self.eat(".") || self.eat("->") || self.eat("::") {
            parts.push(self.name("a name")?.text);
        }
        if !is_state && parts.len() > 1 && *parts[0] == *component {
            parts.remove(0);
        }
        Ok(parts.join("."))
    }
}
