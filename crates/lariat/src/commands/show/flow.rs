//! Statements as a flow chart: boxes of code, diamonds where the way forks.

use lariat_expr::show_term;
use lariat_frontend::statement::{dialect, lines, shorten};
use lariat_system::{Context, Language, Stmt, StmtId};
use std::fmt::Write as _;

/// How deep inner statements are drawn; deeper ones are a box of text.
const MAX_DEPTH: usize = 12;
/// How many lines of code a box shows, and how wide they are.
const MAX_LINES: usize = 14;
const MAX_WIDTH: usize = 64;

/// Where the drawing goes on: a node, and what is written on the way that leaves it.
#[derive(Clone)]
pub struct Exit {
    /// The node.
    pub node: String,
    /// The label of the edge; may be empty.
    pub label: String,
}

/// Draws statements into a DOT text.
pub struct Flow<'a> {
    /// The statements.
    pub cx: &'a Context,
    /// Their language.
    pub language: Language,
    /// The fill colour of boxes.
    pub fill: &'static str,
    /// What comes before the names of nodes, so that they are unique.
    pub prefix: String,
    /// How many nodes may still be drawn; a box of text ends a drawing that would be too large.
    pub budget: &'a mut usize,
    /// Nodes, inside the cluster.
    pub nodes: String,
    /// Edges, outside of it.
    pub edges: String,
    /// How many nodes this flow has.
    pub n_nodes: usize,
}

impl Flow<'_> {
    /// Draws a statement and says where it ends.
    pub fn draw(&mut self, root: StmtId, title: &str, from: Vec<Exit>) -> Vec<Exit> {
        let mut pending = Vec::new();
        if !title.is_empty() {
            pending.push(title.to_owned());
        }
        let (exits, pending) = self.stmt(root, from, pending, 0);
        self.flush(pending, exits)
    }

    /// `pending` is code that has not been put into a box yet: boxes hold as much as they can.
    fn stmt(
        &mut self,
        id: StmtId,
        from: Vec<Exit>,
        mut pending: Vec<String>,
        depth: usize,
    ) -> (Vec<Exit>, Vec<String>) {
        let cx = self.cx;
        match cx.stmts.get(id) {
            Stmt::Seq(list) => {
                let mut exits = from;
                for &part in cx.stmts.items(list) {
                    (exits, pending) = self.stmt(part, exits, pending, depth);
                }
                (exits, pending)
            }
            Stmt::Choice(list) if self.may_fork(depth) => {
                let exits = self.flush(pending, from);
                let node =
                    self.node("shape=diamond, label=\"choice\", style=filled, fillcolor=white");
                self.join(&exits, &node);
                let mut ends = Vec::new();
                for &branch in cx.stmts.items(list) {
                    let (guard, rest) = self.guard(branch);
                    let entry = Exit {
                        node: node.clone(),
                        label: guard,
                    };
                    ends.extend(self.parts(&rest, vec![entry], depth + 1));
                }
                (ends, Vec::new())
            }
            Stmt::If(condition, then, otherwise) if self.may_fork(depth) => {
                let exits = self.flush(pending, from);
                let condition = show_term(&cx.terms, condition, dialect(self.language));
                let label = escape(&shorten(&condition, MAX_WIDTH));
                let shape = "shape=diamond, style=filled, fillcolor=white";
                let node = self.node(&format!("{shape}, label=\"{label}\""));
                self.join(&exits, &node);
                let mut ends = Vec::new();
                for (label, branch) in [("yes", then), ("no", otherwise)] {
                    let entry = Exit {
                        node: node.clone(),
                        label: label.into(),
                    };
                    ends.extend(self.parts(&[branch], vec![entry], depth + 1));
                }
                (ends, Vec::new())
            }
            _ => {
                pending.extend(lines(cx, self.language, id));
                (from, pending)
            }
        }
    }

    fn may_fork(&self, depth: usize) -> bool {
        depth < MAX_DEPTH && *self.budget > 0
    }

    fn parts(&mut self, parts: &[StmtId], from: Vec<Exit>, depth: usize) -> Vec<Exit> {
        let (mut exits, mut pending) = (from, Vec::new());
        for &part in parts {
            (exits, pending) = self.stmt(part, exits, pending, depth);
        }
        self.flush(pending, exits)
    }

    /// The assumption that a branch starts with, for the label of the way in, and the rest of it.
    fn guard(&self, branch: StmtId) -> (String, Vec<StmtId>) {
        let parts: Vec<StmtId> = match self.cx.stmts.get(branch) {
            Stmt::Seq(list) => self.cx.stmts.items(list).to_vec(),
            _ => vec![branch],
        };
        let guard = parts
            .first()
            .and_then(|&first| match self.cx.stmts.get(first) {
                Stmt::Assume(term) => Some(show_term(&self.cx.terms, term, dialect(self.language))),
                _ => None,
            });
        match guard {
            Some(guard) if guard.chars().count() <= MAX_WIDTH => (guard, parts[1..].to_vec()),
            _ => (String::new(), parts),
        }
    }

    /// Puts the code that waits into a box.
    fn flush(&mut self, pending: Vec<String>, from: Vec<Exit>) -> Vec<Exit> {
        if pending.is_empty() {
            return from;
        }
        let label = code(&pending);
        let fill = self.fill;
        let node = self.node(&format!(
            "shape=box, style=\"rounded,filled\", fillcolor=\"{fill}\", label=\"{label}\""
        ));
        self.join(&from, &node);
        vec![Exit {
            node,
            label: String::new(),
        }]
    }

    fn node(&mut self, attributes: &str) -> String {
        let name = format!("{}_{}", self.prefix, self.n_nodes);
        self.n_nodes += 1;
        *self.budget = self.budget.saturating_sub(1);
        let _ = writeln!(self.nodes, "    {name} [{attributes}];");
        name
    }

    /// Draws the ways from `exits` to `node`.
    pub fn join(&mut self, exits: &[Exit], node: &str) {
        for exit in exits {
            edge(&mut self.edges, &exit.node, node, &exit.label, "");
        }
    }
}

/// An edge of the drawing.
pub fn edge(text: &mut String, from: &str, to: &str, label: &str, more: &str) {
    let label = match label {
        "" => String::new(),
        label => format!("label=\" {} \"", escape(label)),
    };
    let attributes = [label, more.to_owned()];
    let attributes: Vec<&str> = attributes
        .iter()
        .map(String::as_str)
        .filter(|a| !a.is_empty())
        .collect();
    let _ = if attributes.is_empty() {
        writeln!(text, "  {from} -> {to};")
    } else {
        writeln!(text, "  {from} -> {to} [{}];", attributes.join(", "))
    };
}

/// Lines of code as a label, each on the left, neither too many nor too wide.
pub fn code(lines: &[String]) -> String {
    let mut label = String::new();
    let shown = if lines.len() > MAX_LINES + 1 {
        MAX_LINES
    } else {
        lines.len()
    };
    for line in &lines[..shown] {
        for part in wrap(line) {
            label += &escape(&part);
            label += "\\l";
        }
    }
    if shown < lines.len() {
        let _ = write!(label, "… {} more lines\\l", lines.len() - shown);
    }
    label
}

/// Breaks a long line at blanks; a very long one is cut.
fn wrap(line: &str) -> Vec<String> {
    const MAX_PARTS: usize = 4;
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut parts: Vec<String> = Vec::new();
    let mut current = indent.clone();
    for word in line.split_whitespace() {
        let fits = current.chars().count() + word.chars().count() < MAX_WIDTH;
        if !fits && current.trim() != "" {
            parts.push(std::mem::replace(&mut current, format!("{indent}  ")));
            if parts.len() == MAX_PARTS {
                parts.push(format!("{indent}  …"));
                return parts;
            }
        }
        if current.trim() != "" {
            current.push(' ');
        }
        current += &shorten(word, MAX_WIDTH);
    }
    parts.push(current);
    parts
}

/// Text inside a quoted DOT string.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped += "\\\\",
            '"' => escaped += "\\\"",
            '\n' => escaped += "\\n",
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_wrapped() {
        assert_eq!(escape("a \"b\" \\ c"), "a \\\"b\\\" \\\\ c");
        let long = format!("  assume {}", vec!["x == 1"; 20].join(" && "));
        let parts = wrap(&long);
        assert!(parts.len() > 2 && parts.iter().all(|p| p.chars().count() <= MAX_WIDTH));
        assert!(parts[0].starts_with("  assume") && parts[1].starts_with("    "));
    }
}
