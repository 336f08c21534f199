//! The readable summary.

use crate::session::Session;
use lariat_base::FxHashMap;
use lariat_expr::{VarId, show_term};
use lariat_frontend::statement::{dialect, initial_branch, lines};
use lariat_system::{Context, Edge, LocId, LocRole, PropertyBody, System, TransitionSystem as _};
use lariat_verify::Model;
use lariat_verify::label;
use std::fmt::Write as _;

/// All models, and what they share.
pub fn summary(session: &Session, model: &Model) -> String {
    let mut text = String::new();
    for (part, system) in model.systems.iter().enumerate() {
        if part > 0 {
            text.push('\n');
        }
        let file = &session.sources.file(model.files[part]).name;
        let language = system.language.name().to_uppercase();
        if model.systems.len() > 1 {
            let _ = write!(text, "{}. ", part + 1);
        }
        let _ = writeln!(text, "{language} {}  ({file})", system.name);
        let mut writer = Writer {
            session,
            cx: &session.cx,
            system,
            text: &mut text,
        };
        writer.system();
    }
    if let Some((how, _)) = &model.composed {
        composition(session, model, how.name(), &mut text);
    }
    text
}

fn composition(session: &Session, model: &Model, how: &str, text: &mut String) {
    let mut owners: FxHashMap<VarId, Vec<usize>> = FxHashMap::default();
    for (part, system) in model.systems.iter().enumerate() {
        for variable in &system.variables {
            owners.entry(variable.var).or_default().push(part + 1);
        }
    }
    let _ = writeln!(text, "\ncomposition ({how} {} models)", model.systems.len());
    let mut shared = Vec::new();
    for variable in model.variables() {
        if owners[&variable.var].len() > 1 {
            shared.push(format!("`{}`", session.cx.terms.name(variable.var)));
        }
    }
    let _ = match shared.len() {
        0 => writeln!(text, "  no shared variables"),
        _ => writeln!(text, "  shared variables: {}", shared.join(", ")),
    };
}

struct Writer<'a> {
    session: &'a Session,
    cx: &'a Context,
    system: &'a System,
    text: &'a mut String,
}

impl Writer<'_> {
    fn system(&mut self) {
        self.types();
        self.variables();
        if self.system.language.has_control_flow() {
            self.control_graph();
        } else {
            self.blocks();
        }
        self.properties();
    }

    fn types(&mut self) {
        if self.system.sorts.is_empty() {
            return;
        }
        self.text.push_str("\ntypes\n");
        for &sort in &self.system.sorts {
            if let Some(decl) = self.cx.terms.sorts.as_enum(sort) {
                let literals = decl.literals.join(", ");
                let _ = writeln!(self.text, "  {} {{ {literals} }}", decl.name);
            }
        }
    }

    fn variables(&mut self) {
        let spelling = dialect(self.system.language);
        let rows: Vec<[String; 4]> = self
            .system
            .variables
            .iter()
            .map(|variable| {
                let sort = self.cx.terms.var_sort(variable.var);
                let mut sort = spelling.sort_name(&self.cx.terms.sorts, sort);
                if let Some((low, high)) = &variable.range {
                    let _ = write!(sort, " {low}..{high}");
                }
                let initial = match variable.initial {
                    Some(value) => format!("= {}", show_term(&self.cx.terms, value, spelling)),
                    None => String::new(),
                };
                let ctrl = if variable.ctrl { "ctrl" } else { "" };
                let name = self.cx.terms.name(variable.var).to_owned();
                [ctrl.into(), name, format!(": {sort}"), initial]
            })
            .collect();
        let _ = writeln!(self.text, "\nvariables ({})", rows.len());
        table(self.text, &rows);
    }

    /// Locations and the edges between them; the statements of one edge belong together.
    fn control_graph(&mut self) {
        let system = self.system;
        let named = |l: &&lariat_system::Location| l.role != LocRole::Inner;
        let n_named = system.locations.iter().filter(named).count();
        let _ = writeln!(self.text, "\nlocations ({n_named})");
        for (at, location) in system.locations.iter_ids() {
            let role = match location.role {
                LocRole::Inner => continue,
                LocRole::Plain => "",
                LocRole::Initial => "  (initial)",
                LocRole::Final => "  (final)",
                LocRole::Error => "  (error)",
                LocRole::Cut => "  (cut off)",
            };
            let _ = writeln!(self.text, "  {}{role}", location.name);
            for edge in system.edges.row(at) {
                self.control_edge(edge);
            }
        }
    }

    fn control_edge(&mut self, edge: &Edge) {
        if edge.stutter {
            self.text.push_str("    (stays here for ever)\n");
            return;
        }
        let (target, stmts) = whole_edge(self.system, *edge);
        let mut code = Vec::new();
        for stmt in stmts {
            code.extend(lines(self.cx, self.system.language, stmt));
        }
        let target = &self.system.locations[target].name;
        let _ = writeln!(self.text, "    -> {target}");
        for line in code {
            let _ = writeln!(self.text, "         {line}");
        }
    }

    /// The initial steps and the steps of each structural state, with their statements.
    fn blocks(&mut self) {
        let system = self.system;
        self.block("init", None, &system.initial);
        for at in system.locations.ids() {
            let title = match system.language.step_names() {
                Some((_, steps)) => steps,
                None => &*system.locations[at].name,
            };
            self.block(title, Some(at), system.edges.row(at));
        }
    }

    fn block(&mut self, title: &str, at: Option<LocId>, edges: &[Edge]) {
        let branches: Vec<Vec<String>> = edges
            .iter()
            .map(|edge| {
                let stmt = match at {
                    None => initial_branch(self.cx, edge.stmt),
                    Some(_) => edge.stmt,
                };
                lines(self.cx, self.system.language, stmt)
            })
            .collect();
        if at.is_none() && branches.iter().all(Vec::is_empty) {
            return;
        }
        let count = match branches.len() {
            1 => String::new(),
            n => format!(" ({n})"),
        };
        let _ = writeln!(self.text, "\n{title}{count}");
        for (i, code) in branches.iter().enumerate() {
            let name = label::branch(self.cx, self.system, at, i, edges);
            let is_named = edges[i].name.is_some();
            if is_named || branches.len() > 1 {
                let _ = writeln!(self.text, "  {name}");
            }
            if code.is_empty() {
                self.text.push_str("    (nothing happens)\n");
            }
            for line in code {
                let _ = writeln!(self.text, "    {line}");
            }
        }
    }

    fn properties(&mut self) {
        if self.system.properties.is_empty() {
            return;
        }
        let spelling = dialect(self.system.language);
        let _ = writeln!(self.text, "\nproperties ({})", self.system.properties.len());
        let mut rows = Vec::new();
        for property in &self.system.properties {
            let body = match &property.body {
                PropertyBody::Invariant(term) => {
                    format!("always {}", show_term(&self.cx.terms, *term, spelling))
                }
                PropertyBody::Ltl(text) => text.to_string(),
                PropertyBody::Temporal(tree) => tree.text.to_string(),
                PropertyBody::NotAllRecur(list) => {
                    let names: Vec<&str> = list.iter().map(|(name, _)| &**name).collect();
                    format!("not all infinitely often: {}", names.join(", "))
                }
                PropertyBody::Unreachable(at) => {
                    format!("never at {}", self.system.locations[*at].name)
                }
            };
            let line = property.span.map(|span| {
                let file = self.session.sources.file(span.source);
                format!("(line {})", file.line_column(span.start).0)
            });
            let name = match &*property.name {
                "" => String::new(),
                name => format!("{name}:"),
            };
            rows.push([name, body, line.unwrap_or_default()]);
        }
        table(self.text, &rows);
    }
}

/// The target of an edge as it was written, with all its statements: inner locations are passed.
pub fn whole_edge(system: &System, edge: Edge) -> (LocId, Vec<lariat_system::StmtId>) {
    let (mut at, mut stmts) = (edge.target, vec![edge.stmt]);
    while system.locations[at].role == LocRole::Inner && stmts.len() <= system.locations.len() {
        let Some(next) = system.edges.row(at).first() else {
            break;
        };
        stmts.push(next.stmt);
        at = next.target;
    }
    (at, stmts)
}

/// Rows with aligned columns; columns that are empty in every row are left out.
fn table<const N: usize>(text: &mut String, rows: &[[String; N]]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in rows {
        let mut line = String::from(" ");
        for (cell, &width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            let _ = write!(line, " {cell:<width$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}
