//! Abstraction functions as a person writes them: `x:sign, y:mod 4, level:{low: level < 10, ok: level < 90, high: true}`.
//!
//! The list is cut at commas outside of brackets. A variable may stand in it several times: its functions are used together.

use crate::ask::Findings;
use crate::model::Model;
use lariat_base::{Diagnostic, SourceId, SourceMap, Span, nearest};
use lariat_check::{Function, Functions};
use lariat_expr::{Int, SortId, TermId, Value, VarId};
use lariat_frontend::{Scope, parse_expression};
use lariat_system::{Context, TransitionSystem as _};

/// The functions that have a name, as they are written.
const NAMES: [&str; 9] = [
    "sign", "parity", "mod", "bits", "bit", "is", "at", "id", "any",
];
const HINT: &str = "write `sign`, `parity`, `mod M`, `bits`, `bit I`, `is VALUE`, `at N N …`, `id`, `any`, or a partition \
                    `{name: condition, …}`";

/// Reads abstraction functions for the variables of a model.
pub fn read_functions(
    cx: &mut Context,
    sources: &mut SourceMap,
    model: &Model,
    text: &str,
) -> Result<Functions, Findings> {
    let source = sources.add("<abstract>", text.to_owned());
    let scope = Scope::new(cx, &model.systems.iter().collect::<Vec<_>>());
    let mut reader = Reader {
        cx,
        scope,
        model,
        source,
        text,
        findings: Vec::new(),
    };
    let mut all = Vec::new();
    for part in parts(text, (0, text.len())) {
        all.extend(reader.function(part));
    }
    if reader.findings.is_empty() {
        Ok(Functions::new(all))
    } else {
        Err(reader.findings)
    }
}

/// A part of the text: where it starts and ends.
type Part = (usize, usize);

struct Reader<'r> {
    cx: &'r mut Context,
    scope: Scope,
    model: &'r Model,
    source: SourceId,
    text: &'r str,
    findings: Findings,
}

impl<'r> Reader<'r> {
    /// One variable with its function.
    fn function(&mut self, part: Part) -> Option<(VarId, Function)> {
        let Some(colon) = colon(self.text, part) else {
            return self.refuse(
                part,
                "here a function of a variable is wanted",
                "write `x:sign`",
            );
        };
        let name = trim(self.text, (part.0, colon));
        let var = self.variable(name)?;
        let written = trim(self.text, (colon + 1, part.1));
        let function = self.body(written, self.cx.terms.var_sort(var))?;
        let sort = self.cx.terms.var_sort(var);
        if let Some(wanted) = function.misfit(&self.cx.terms, sort) {
            let sort = self.cx.terms.sorts.name(sort);
            let message = format!(
                "this is for {wanted}; `{}` is of type {sort}",
                self.get(name)
            );
            return self.refuse(
                written,
                &message,
                "`is VALUE`, `id`, `any` and partitions are for all types",
            );
        }
        Some((var, function))
    }

    fn variable(&mut self, part: Part) -> Option<VarId> {
        let name = self.get(part);
        let terms = &self.cx.terms;
        let names = || {
            self.model
                .variables()
                .iter()
                .map(|v| (v.var, terms.name(v.var)))
        };
        if let Some((var, _)) = names().find(|&(_, known)| known == name) {
            return Some(var);
        }
        let near = nearest(name, names().map(|(_, known)| known));
        let message = format!("the model has no variable `{name}`");
        let finding = Diagnostic::error("unknown-name", message)
            .at(self.span(part))
            .maybe_hint(near.map(|near| format!("did you mean `{near}`?")));
        self.findings.push(finding);
        None
    }

    /// A function without its variable, which is of this sort.
    fn body(&mut self, part: Part, sort: SortId) -> Option<Function> {
        let text = self.get(part);
        if text.starts_with('{') {
            return self.partition(part);
        }
        let name_end = text.find(char::is_whitespace).unwrap_or(text.len());
        let argument = trim(self.text, (part.0 + name_end, part.1));
        let (name, rest) = (&text[..name_end], self.get(argument));
        let number = || Int::parse_radix(rest, 10);
        let found = match (name, rest) {
            ("sign", "") => Some(Function::Sign),
            ("parity", "") => Some(Function::Parity),
            ("bits", "") => Some(Function::Bits),
            ("id", "") => Some(Function::Identity),
            ("any", "") => Some(Function::Any),
            ("mod", _) => {
                let modulus = number().filter(|m| *m >= Int::from(1));
                if modulus.is_none() {
                    return self.refuse(argument, "a positive number is wanted", "write `x:mod 4`");
                }
                modulus.map(Function::Modulo)
            }
            ("bit", _) => match rest.parse() {
                Ok(i) if i <= 4096 => Some(Function::Bit(i)),
                _ => {
                    return self.refuse(
                        argument,
                        "the number of a bit is wanted",
                        "write `x:bit 0`",
                    );
                }
            },
            ("is", _) if !rest.is_empty() => Some(Function::Is(self.value(argument, sort)?)),
            ("at", _) => {
                let cuts: Option<Vec<Int>> = rest
                    .split_whitespace()
                    .map(|cut| Int::parse_radix(cut, 10))
                    .collect();
                let Some(mut cuts) = cuts.filter(|cuts| !cuts.is_empty()) else {
                    return self.refuse(argument, "numbers are wanted", "write `x:at 0 10 90`");
                };
                cuts.sort();
                cuts.dedup();
                Some(Function::Thresholds(cuts))
            }
            _ => None,
        };
        if found.is_none() {
            let message = format!("`{text}` is no abstraction function");
            let near = nearest(name, NAMES).filter(|near| *near != name);
            let hint =
                near.map_or_else(|| HINT.to_owned(), |near| format!("did you mean `{near}`?"));
            return self.refuse(part, &message, &hint);
        }
        found
    }

    /// `{name: condition, …}`.
    fn partition(&mut self, part: Part) -> Option<Function> {
        if !self.get(part).ends_with('}') || part.1 - part.0 < 2 {
            return self.refuse(part, "the partition has no end", "close it with `}`");
        }
        let mut classes: Vec<(String, TermId)> = Vec::new();
        let n_findings = self.findings.len();
        for class in parts(self.text, (part.0 + 1, part.1 - 1)) {
            let Some(colon) = colon(self.text, class) else {
                self.refuse::<()>(
                    class,
                    "a class with its condition is wanted",
                    "write `low: x < 10`",
                );
                continue;
            };
            let name = self.get(trim(self.text, (class.0, colon))).to_owned();
            if classes.iter().any(|(other, _)| *other == name) {
                self.refuse::<()>(
                    class,
                    &format!("there are two classes `{name}`"),
                    "rename one",
                );
            }
            let condition = trim(self.text, (colon + 1, class.1));
            let bool_ = self.cx.terms.sorts.bool();
            classes.extend(
                self.term(condition, bool_)
                    .map(|condition| (name, condition)),
            );
        }
        (self.findings.len() == n_findings).then_some(Function::Partition(classes))
    }

    /// A constant of a sort.
    fn value(&mut self, part: Part, sort: SortId) -> Option<Value> {
        let term = self.term(part, sort)?;
        match self.cx.terms.as_lit(term).cloned() {
            Some(value) => Some(value),
            None => self.refuse(part, "a constant is wanted", "a partition takes conditions"),
        }
    }

    fn term(&mut self, part: Part, sort: SortId) -> Option<TermId> {
        let (span, text) = (self.span(part), self.get(part));
        match parse_expression(self.cx, &self.scope, span, text, Some(sort)) {
            Ok(term) => Some(term),
            Err(findings) => {
                self.findings.extend(findings);
                None
            }
        }
    }

    fn refuse<T>(&mut self, part: Part, message: &str, hint: &str) -> Option<T> {
        let finding = Diagnostic::error("bad-option", message);
        let finding = finding.at(self.span(part)).hint(hint);
        self.findings.push(finding);
        None
    }

    fn get(&self, part: Part) -> &'r str {
        &self.text[part.0..part.1]
    }

    fn span(&self, part: Part) -> Span {
        Span::new(self.source, part.0, part.1)
    }
}

/// A part without the blanks around it.
fn trim(text: &str, (from, to): Part) -> Part {
    let part = &text[from..to];
    let start = from + (part.len() - part.trim_start().len());
    (start, (start + part.trim().len()).min(to))
}

/// The parts of a part between commas outside of brackets, without blanks around them.
fn parts(text: &str, (from, to): Part) -> Vec<Part> {
    let (mut found, mut start, mut depth) = (Vec::new(), from, 0_usize);
    for (at, symbol) in text[from..to].char_indices() {
        match symbol {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(trim(text, (start, from + at)));
                start = from + at + 1;
            }
            _ => {}
        }
    }
    found.push(trim(text, (start, to)));
    found
}

/// Where the colon stands that ends a name; names of programs may have double ones.
fn colon(text: &str, (from, to): Part) -> Option<usize> {
    let bytes = &text.as_bytes()[from..to];
    let is_single = |&at: &usize| {
        bytes[at] == b':' && bytes.get(at + 1) != Some(&b':') && (at == 0 || bytes[at - 1] != b':')
    };
    (0..bytes.len()).find(is_single).map(|at| from + at)
}
