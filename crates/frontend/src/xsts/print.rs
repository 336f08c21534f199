//! Writes XSTS.

use crate::annotation;
use lariat_base::{FxHashMap, Id};
use lariat_expr::{Dialect, TermId, VarId, print_term};
use lariat_system::{Context, Edge, LocId, PropertyBody, Stmt, StmtId, System};
use std::fmt::Write;

/// Writes an XSTS model.
pub(crate) fn print(cx: &Context, system: &System) -> String {
    let mut printer = Printer {
        cx,
        text: String::new(),
        todo: Vec::new(),
    };
    printer.declarations(system);
    printer.blocks(system);
    for property in &system.properties {
        match &property.body {
            PropertyBody::Invariant(term) => {
                let term = printer.term(*term);
                let _ = writeln!(printer.text, "\nprop {{\n    {term}\n}}");
            }
            PropertyBody::Ltl(formula) => {
                printer.text += &annotation::print(&property.name, formula);
            }
            PropertyBody::Temporal(_)
            | PropertyBody::Unreachable(_)
            | PropertyBody::NotAllRecur(_) => {}
        }
    }
    printer.text
}

/// What is still to be written, last first.
enum Part {
    Text(&'static str),
    Line(usize, &'static str),
    /// A statement, its indentation, and whether an `else` may follow that is not its own.
    Stmt(StmtId, usize, Dangling),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dangling {
    No,
    Yes,
}

struct Printer<'a> {
    cx: &'a Context,
    text: String,
    todo: Vec<Part>,
}

impl Printer<'_> {
    fn term(&self, term: TermId) -> String {
        print_term(&self.cx.terms, term, &Dialect::XSTS)
    }

    fn name(&self, var: VarId) -> &str {
        self.cx.terms.name(var)
    }

    fn sort_name(&self, var: VarId) -> String {
        let sort = self.cx.terms.var_sort(var);
        Dialect::XSTS.sort_name(&self.cx.terms.sorts, sort)
    }

    fn declarations(&mut self, system: &System) {
        for &sort in &system.sorts {
            let decl = self.cx.terms.sorts.as_enum(sort);
            let decl = decl.expect("a model's own sorts are enumerations");
            let literals = decl.literals.join(", ");
            let _ = writeln!(self.text, "type {} : {{ {literals} }}", decl.name);
        }
        for variable in &system.variables {
            let ctrl = if variable.ctrl { "ctrl " } else { "" };
            let (name, sort) = (self.name(variable.var), self.sort_name(variable.var));
            let mut line = format!("{ctrl}var {name} : {sort}");
            if let Some(initial) = variable.initial {
                let _ = write!(line, " = {}", self.term(initial));
            }
            self.text += &line;
            self.text.push('\n');
        }
    }

    fn blocks(&mut self, system: &System) {
        let branch = |edge: &Edge| match self.cx.stmts.get(edge.stmt) {
            Stmt::Seq(list) => match self.cx.stmts.items(list) {
                &[_prelude, branch] => branch,
                _ => edge.stmt,
            },
            _ => edge.stmt,
        };
        let steps = |at: usize| -> Vec<StmtId> {
            let edges = system.edges.row(LocId::from_index(at));
            edges.iter().map(|edge| edge.stmt).collect()
        };
        let blocks: [(&'static str, Vec<StmtId>); 3] = [
            ("trans", steps(1)),
            ("init", system.initial.iter().map(branch).collect()),
            ("env", steps(0)),
        ];
        for at in self.block_order(&blocks) {
            let (name, branches) = &blocks[at];
            self.text.push('\n');
            self.text += name;
            if branches.is_empty() {
                // A set without branches cannot be written; one that is always blocked can.
                self.text += " assume false;";
            }
            for (i, &branch) in branches.iter().enumerate() {
                self.text += if i == 0 { " " } else { " or " };
                self.todo.push(Part::Stmt(branch, 0, Dangling::No));
                self.run();
            }
            self.text.push('\n');
        }
    }

    /// The order of the blocks in which local variables of one name are declared in the order of
    /// their instances, as they were when the model was read: first the usual one.
    fn block_order(&self, blocks: &[(&str, Vec<StmtId>); 3]) -> [usize; 3] {
        const ORDERS: [[usize; 3]; 6] = [
            [0, 1, 2],
            [1, 0, 2],
            [1, 2, 0],
            [0, 2, 1],
            [2, 0, 1],
            [2, 1, 0],
        ];
        let locals = blocks.each_ref().map(|(_, branches)| {
            let mut locals: Vec<VarId> = Vec::new();
            for &branch in branches {
                self.cx.stmts.walk(branch, |_, stmt| match stmt {
                    Stmt::Declare(var, _) | Stmt::For { var, .. } => locals.push(var),
                    _ => {}
                });
            }
            locals
        });
        let counts_up = |order: &[usize; 3]| {
            let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
            order.iter().flat_map(|&at| &locals[at]).all(|&var| {
                let decl = self.cx.terms.decl(var);
                let count = counts.entry(&*decl.name).or_default();
                *count += 1;
                *count == decl.instance
            })
        };
        let fitting = ORDERS.iter().find(|order| counts_up(order));
        *fitting.unwrap_or(&ORDERS[0])
    }

    fn run(&mut self) {
        while let Some(part) = self.todo.pop() {
            match part {
                Part::Text(text) => self.text += text,
                Part::Line(indent, text) => {
                    self.new_line(indent);
                    self.text += text;
                }
                Part::Stmt(stmt, indent, dangling) => self.statement(stmt, indent, dangling),
            }
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.text.push('\n');
        // Deep nesting is shown, but not by lines that are mostly blank.
        for _ in 0..indent.min(20) {
            self.text += "    ";
        }
    }

    fn statement(&mut self, stmt: StmtId, indent: usize, dangling: Dangling) {
        match self.cx.stmts.get(stmt) {
            Stmt::Assume(term) => {
                let term = self.term(term);
                let _ = write!(self.text, "assume {term};");
            }
            Stmt::Assign(var, term) => {
                let line = format!("{} := {};", self.name(var), self.term(term));
                self.text += &line;
            }
            Stmt::Havoc(var) => {
                let line = format!("havoc {};", self.name(var));
                self.text += &line;
            }
            Stmt::Declare(var, value) => {
                let mut line = format!("local var {} : {}", self.name(var), self.sort_name(var));
                if let Some(value) = value {
                    let _ = write!(line, " = {}", self.term(value));
                }
                self.text += &line;
                self.text.push(';');
            }
            Stmt::Seq(list) => {
                let items = self.cx.stmts.items(list);
                self.text.push('{');
                if items.is_empty() {
                    self.text.push('}');
                    return;
                }
                self.todo.push(Part::Line(indent, "}"));
                for &item in items.iter().rev() {
                    self.todo.push(Part::Stmt(item, indent + 1, Dangling::No));
                    self.todo.push(Part::Line(indent + 1, ""));
                }
            }
            Stmt::Choice(list) => {
                let items = self.cx.stmts.items(list);
                if items.is_empty() {
                    self.text += "assume false;";
                    return;
                }
                self.text += "choice ";
                for (i, &item) in items.iter().enumerate().rev() {
                    let dangling = if i + 1 == items.len() {
                        dangling
                    } else {
                        Dangling::No
                    };
                    self.todo.push(Part::Stmt(item, indent, dangling));
                    if i > 0 {
                        self.todo.push(Part::Text(" or "));
                    }
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let condition = self.term(condition);
                let _ = write!(self.text, "if ({condition}) ");
                let is_empty = matches!(self.cx.stmts.get(otherwise),
                    Stmt::Seq(list) if self.cx.stmts.items(list).is_empty());
                if is_empty && dangling == Dangling::No {
                    self.todo.push(Part::Stmt(then, indent, Dangling::No));
                } else {
                    self.todo.push(Part::Stmt(otherwise, indent, dangling));
                    self.todo.push(Part::Text(" else "));
                    self.todo.push(Part::Stmt(then, indent, Dangling::Yes));
                }
            }
            Stmt::For {
                var,
                from,
                to,
                body,
            } => {
                let line = format!(
                    "for {} from {} to {} do ",
                    self.name(var),
                    self.term(from),
                    self.term(to)
                );
                self.text += &line;
                self.todo.push(Part::Stmt(body, indent, dangling));
            }
        }
    }
}
