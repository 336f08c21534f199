//! SCXML, statecharts in XML (`.scxml`), by the W3C's recommendation 1.0.
//!
//! XML becomes a tree of states (`read`, `content`, `tree`), with expressions of ECMAScript (`script`). `types` finds what
//! variables hold, `events` which events there are. Lowering (`lower`) makes terms of expressions (`value`) and statements
//! of executable content (`action`, `queue`); `select` says which transitions fire, `enter` what they leave and enter,
//! `micro` makes a microstep of that, `build` the system.

mod action;
mod build;
mod content;
mod enter;
mod events;
mod lower;
mod micro;
mod queue;
mod read;
mod script;
mod select;
mod tree;
mod types;
mod value;

use crate::Parsed;
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, SourceFile, SourceId};
use lariat_expr::VarId;
use lariat_system::Context;

/// How charts are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// How many events each of the queues holds.
    pub queue: usize,
    /// What the environment may send; by default what the chart waits for and does not send itself. `+NAME` is one more.
    pub events: Option<Vec<String>>,
    /// Whether macrosteps that never end are runs.
    pub hangs: bool,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            queue: DEFAULT_QUEUE,
            events: None,
            hangs: false,
        }
    }
}

/// How many events each queue holds, if nothing is said.
pub const DEFAULT_QUEUE: usize = 8;

/// Reads a chart.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
    reading: &Reading,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut findings = Diagnostics::new();
    let tree = read::read(source, &file.text, &mut findings);
    let Some(tree) = tree.filter(|_| !findings.has_errors()) else {
        return Err(findings.into_vec());
    };
    let table = types::infer(&tree, &mut findings);
    let events = events::Events::new(&tree, &table, reading.events.as_deref(), &mut findings);
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    let is_used = table.known.iter().map(|known| {
        if lower::is_field(&known.name) {
            events.reads_fields.iter().any(|path| **path == *known.name)
        } else {
            known.list.is_none()
        }
    });
    let is_used = is_used.collect();
    let texts = value::Texts::new(&mut cx.terms, &events.texts);
    let name = tree.name.clone().unwrap_or_else(|| crate::file_stem(file));
    let lower = lower::Lower {
        vars: no_vars(cx, is_used),
        cx,
        tree: &tree,
        table: &table,
        events: &events,
        texts,
        findings: &mut findings,
        n_locals: 0,
        alive: None,
        may_leave: false,
        conditions_raise: false,
    };
    let system = build::system(lower, &name, reading);
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    Ok(Parsed {
        system,
        warnings: findings.into_vec(),
        obligations: Vec::new(),
    })
}

/// No variables yet, but which data is used.
fn no_vars(cx: &mut Context, is_used: Vec<bool>) -> lower::Vars {
    let bool_ = cx.terms.sorts.bool();
    let nothing: VarId = cx.terms.declare("nothing", bool_);
    lower::Vars {
        child: FxHashMap::default(),
        region: FxHashMap::default(),
        memory: FxHashMap::default(),
        entered: FxHashMap::default(),
        data: Vec::new(),
        is_used,
        internal: Vec::new(),
        pending: Vec::new(),
        old: None,
        event: nothing,
        arrived: None,
        current: None,
        overflow: None,
        outside: nothing,
        all: Vec::new(),
    }
}
