//! Statements as a person reads them, in the spelling of the model's language.

use lariat_expr::{Dialect, Op, TermId, VarId, show_term};
use lariat_system::{Context, Language, Stmt, StmtId};

/// The spelling of a language.
pub fn dialect(language: Language) -> &'static Dialect {
    match language {
        Language::Xsts => &Dialect::XSTS,
        Language::Cfa | Language::Sts => &Dialect::THETA,
        Language::C
        | Language::Gcl
        | Language::Smv
        | Language::Aiger
        | Language::Btor2
        | Language::Vmt
        | Language::Moxi
        | Language::Scxml
        | Language::Gamma
        | Language::St => &Dialect::GCL,
    }
}

/// A statement in several lines, inner ones indented; nothing for a statement that does nothing.
///
/// An STS or a script of SMT-LIB has formulas, not statements: of the statements that stand for them only the formulas
/// are shown.
pub fn lines(cx: &Context, language: Language, root: StmtId) -> Vec<String> {
    if matches!(language, Language::Sts | Language::Vmt | Language::Moxi) {
        let mut formulas = Vec::new();
        cx.stmts.walk(root, |_, stmt| {
            if let Stmt::Assume(term) = stmt {
                formulas.push(show_term(&cx.terms, term, dialect(language)));
            }
        });
        return formulas;
    }
    let mut printer = Printer {
        cx,
        dialect: dialect(language),
        lines: Vec::new(),
    };
    let mut todo = vec![Part::Stmt(root, 0)];
    while let Some(part) = todo.pop() {
        match part {
            Part::Line(indent, line) => printer.push(indent, line),
            Part::Stmt(stmt, indent) => printer.statement(stmt, indent, &mut todo),
        }
    }
    printer.lines
}

/// A statement in one line, at most `width` characters of it.
pub fn one_line(cx: &Context, language: Language, root: StmtId, width: usize) -> String {
    let lines = lines(cx, language, root);
    let mut text = String::new();
    for line in &lines {
        if !text.is_empty() {
            text += if text.ends_with('{') || line.starts_with(' ') || line.starts_with('}') {
                " "
            } else {
                "; "
            };
        }
        text += line.trim_start();
        if text.chars().count() > width {
            break;
        }
    }
    shorten(&text, width)
}

/// At most `width` characters of a text, with a mark if that is not all.
pub fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The branch of an initial step, without the part that gives variables their first values.
pub fn initial_branch(cx: &Context, stmt: StmtId) -> StmtId {
    match cx.stmts.get(stmt) {
        Stmt::Seq(list) => match cx.stmts.items(list) {
            &[_prelude, branch] => branch,
            _ => stmt,
        },
        _ => stmt,
    }
}

enum Part {
    Line(usize, String),
    Stmt(StmtId, usize),
}

struct Printer<'a> {
    cx: &'a Context,
    dialect: &'static Dialect,
    lines: Vec<String>,
}

impl Printer<'_> {
    fn push(&mut self, indent: usize, line: String) {
        // Deep nesting is shown, but not by lines that are mostly blank.
        let blanks = "  ".repeat(indent.min(20));
        self.lines.push(blanks + &line);
    }

    fn term(&self, term: TermId) -> String {
        show_term(&self.cx.terms, term, self.dialect)
    }

    fn statement(&mut self, id: StmtId, indent: usize, todo: &mut Vec<Part>) {
        let cx = self.cx;
        match cx.stmts.get(id) {
            Stmt::Assume(term) => self.push(indent, format!("assume {}", self.term(term))),
            Stmt::Assign(var, term) => self.push(indent, self.assignment(var, term)),
            Stmt::Havoc(var) => self.push(indent, format!("havoc {}", cx.terms.name(var))),
            Stmt::Declare(var, value) => {
                let sort = self
                    .dialect
                    .sort_name(&cx.terms.sorts, cx.terms.var_sort(var));
                let mut line = format!("local {} : {sort}", cx.terms.name(var));
                if let Some(value) = value {
                    line += " = ";
                    line += &self.term(value);
                }
                self.push(indent, line);
            }
            Stmt::Seq(list) => {
                let parts = cx.stmts.items(list).iter().rev();
                todo.extend(parts.map(|&part| Part::Stmt(part, indent)));
            }
            Stmt::Choice(list) => {
                let branches = cx.stmts.items(list);
                if branches.is_empty() {
                    self.push(indent, "blocked".into());
                    return;
                }
                todo.push(Part::Line(indent, "}".into()));
                for (i, &branch) in branches.iter().enumerate().rev() {
                    let start = if i == 0 { "choice {" } else { "} or {" };
                    todo.push(Part::Stmt(branch, indent + 1));
                    todo.push(Part::Line(indent, start.into()));
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let has_else = !is_skip(cx, otherwise);
                todo.push(Part::Line(indent, "}".into()));
                if has_else {
                    todo.push(Part::Stmt(otherwise, indent + 1));
                    todo.push(Part::Line(indent, "} else {".into()));
                }
                todo.push(Part::Stmt(then, indent + 1));
                let start = format!("if {} {{", self.term(condition));
                todo.push(Part::Line(indent, start));
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let (from, to) = (self.term(from), self.term(to));
                let start = format!("for {} from {from} to {to} {{", cx.terms.name(var));
                todo.push(Part::Line(indent, "}".into()));
                todo.push(Part::Stmt(body, indent + 1));
                todo.push(Part::Line(indent, start));
            }
        }
    }

    /// `x := e`, and `a[i] := e` for an array that changes at one index.
    fn assignment(&self, var: VarId, term: TermId) -> String {
        let name = self.cx.terms.name(var);
        if let Some(&[array, index, value]) = self.cx.terms.as_op(term, Op::Store)
            && self.cx.terms.as_var(array) == Some(var)
        {
            return format!("{name}[{}] := {}", self.term(index), self.term(value));
        }
        format!("{name} := {}", self.term(term))
    }
}

/// Whether a statement is an empty sequence.
pub fn is_skip(cx: &Context, stmt: StmtId) -> bool {
    matches!(cx.stmts.get(stmt), Stmt::Seq(list) if cx.stmts.items(list).is_empty())
}
