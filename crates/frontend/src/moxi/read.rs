//! Reads `MoXI`: commands one by one, and the model that they ask about.

use super::query::{Checked, check, instance};
use super::template::{Slot, Template, Templates, define};
use crate::Parsed;
use crate::relation::{self, Moving, Relation, Role};
use crate::smtlib::{self, Logic, NodeId, Read, Reader, Symbol, Tree, Val, joined, parsed};
use lariat_base::{Diagnostic, Diagnostics, SourceFile, SourceId};
use lariat_expr::{Op, SortId, TermId, Value, VarId};
use lariat_system::{Context, Language, Property, System, SystemBuilder};

/// Reads a `MoXI` model.
pub(crate) fn parse(
    cx: &mut Context,
    source: SourceId,
    file: &SourceFile,
) -> Result<Parsed, Vec<Diagnostic>> {
    let mut findings = Diagnostics::new();
    let tree = Tree::read(source, &file.text, &mut findings);
    if findings.has_errors() {
        return Err(findings.into_vec());
    }
    let mut reader = Reader::new(cx, &tree);
    reader.lenient = true;
    let script = Script {
        reader,
        templates: Templates::default(),
        last: None,
        sorts: Vec::new(),
        rigid: Vec::new(),
        checked: Vec::new(),
    };
    parsed(&tree, script, findings, file)
}

struct Script<'a, 'c> {
    reader: Reader<'a, 'c>,
    templates: Templates<'a>,
    /// The last system that was defined.
    last: Option<&'a str>,
    sorts: Vec<SortId>,
    /// Constants without a value.
    rigid: Vec<(VarId, NodeId)>,
    checked: Vec<Checked>,
}

/// Where runs start: a system, and its initial states or others.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Start {
    checked: usize,
    current: Option<TermId>,
}

impl smtlib::Script for Script<'_, '_> {
    fn command(&mut self, command: NodeId) -> Read<()> {
        let tree = self.reader.tree;
        match tree.head(command) {
            Some("set-info" | "set-option") => Ok(()),
            Some("set-logic") => {
                let name = tree
                    .items(command)
                    .get(1)
                    .map_or("", |&name| tree.text(name));
                let Some(logic) = Logic::named(name) else {
                    let message = format!("there is no logic `{name}`");
                    return Err(tree.error("smtlib-logic", command, message));
                };
                self.reader.logic = logic;
                Ok(())
            }
            Some("declare-sort") => self.reader.declare_sort(command),
            Some("define-sort") => self.reader.define_sort(command),
            Some("declare-enum-sort") => {
                let sort = self.reader.enumeration(command)?;
                self.sorts.push(sort);
                Ok(())
            }
            Some("declare-const" | "declare-fun") => self.declare(command),
            Some("define-const" | "define-fun") => self.reader.definition(command).map(|_| ()),
            Some("define-system") => {
                define(&mut self.reader, &mut self.templates, command)?;
                self.last = tree.symbol(tree.items(command)[1]);
                Ok(())
            }
            Some("check-system") => {
                let checked = check(&mut self.reader, &self.templates, command)?;
                let several = checked.queries.len() > 1 && !self.rigid.is_empty();
                if several
                    && tree
                        .items(command)
                        .iter()
                        .any(|&item| tree.text(item) == ":queries")
                {
                    let message = "`:queries` about constants without a value is not supported: they would have to agree on it";
                    return Err(tree
                        .error("moxi-query", command, message)
                        .hint("write one `:query` for each"));
                }
                self.checked.push(checked);
                Ok(())
            }
            Some(name) => {
                let message = format!("`{name}` is no command of MoXI that is supported");
                Err(tree.error("moxi-command", command, message))
            }
            None => Err(self.reader.malformed(command)),
        }
    }

    fn system(mut self, name: &str) -> Read<System> {
        if self.checked.is_empty() {
            let empty = Template::default();
            let template = self
                .last
                .and_then(|last| self.templates.get(last))
                .unwrap_or(&empty);
            let names: Vec<String> = template.slots().map(|slot| slot.name.clone()).collect();
            let checked = instance(&mut self.reader, template, names.into_iter());
            self.checked.push(checked);
        }
        for checked in &self.checked {
            if let Some(finding) =
                self.reader
                    .unsupported(&[checked.initial, checked.always, checked.steps])
            {
                return Err(finding.clone());
            }
        }
        self.distinct_names()?;
        let mut starts: Vec<Start> = Vec::new();
        for (at, checked) in self.checked.iter().enumerate() {
            if checked.queries.is_empty() {
                starts.push(Start {
                    checked: at,
                    current: None,
                });
            }
            for query in &checked.queries {
                let start = Start {
                    checked: at,
                    current: query.current,
                };
                if !starts.contains(&start) {
                    starts.push(start);
                }
            }
        }
        Ok(self.assembled(name, &starts))
    }
}

impl Script<'_, '_> {
    fn declare(&mut self, command: NodeId) -> Read<()> {
        let declared = self.reader.declaration(command)?;
        let symbol = if declared.params.is_empty() {
            let terms = &mut self.reader.cx.terms;
            let var = terms.declare(declared.name, declared.result);
            self.rigid.push((var, declared.place));
            Symbol::Value(Val::Term(terms.var(var)))
        } else {
            Symbol::Function {
                params: declared.params,
                result: declared.result,
            }
        };
        self.reader.symbols.insert(declared.name, symbol);
        Ok(())
    }

    // ----- the model -----

    /// Variables of one name are one variable, so they must have one sort.
    fn distinct_names(&self) -> Read<()> {
        let mut slots: Vec<&Slot> = self
            .checked
            .iter()
            .flat_map(|checked| &checked.slots)
            .collect();
        slots.sort_by(|a, b| a.name.cmp(&b.name));
        for pair in slots.windows(2) {
            if pair[0].name == pair[1].name && pair[0].sort != pair[1].sort {
                let message = format!(
                    "`{}` has different sorts in the systems that are checked",
                    pair[0].name
                );
                let hint = "give the variables of the second `check-system` other names";
                return Err(Diagnostic::error("duplicate-name", message).hint(hint));
            }
        }
        for slot in slots {
            if self.rigid.iter().any(|&(var, _)| var == slot.now) {
                let message = format!(
                    "`{}` is a constant and a variable of a system that is checked",
                    slot.name
                );
                let hint = "give the variable another name in `check-system`";
                return Err(Diagnostic::error("duplicate-name", message).hint(hint));
            }
        }
        Ok(())
    }

    fn assembled(mut self, name: &str, starts: &[Start]) -> System {
        let mut slots: Vec<Slot> = Vec::new();
        for checked in &self.checked {
            for slot in checked.slots.iter().chain(
                checked
                    .queries
                    .iter()
                    .flat_map(|query| query.flags.iter().map(|flag| &flag.slot)),
            ) {
                if slots.iter().all(|other| other.now != slot.now) {
                    slots.push(slot.clone());
                }
            }
        }
        let which = (starts.len() > 1).then(|| {
            let terms = &mut self.reader.cx.terms;
            let int = terms.sorts.int();
            let mut name = "start".to_owned();
            while slots.iter().any(|slot| slot.name == name)
                || self.rigid.iter().any(|&(var, _)| terms.name(var) == name)
            {
                name.push('_');
            }
            let now = terms.declare(&name, int);
            let next = terms.declare_instance(&format!("{name}'"), int, 1);
            Slot {
                name,
                sort: int,
                now,
                next,
            }
        });
        let (mut initial, mut steps) = (Vec::new(), Vec::new());
        for (at, &start) in starts.iter().enumerate() {
            let (first, step) = self.case(start, at, &slots, which.as_ref());
            initial.push(first);
            steps.push(step);
        }
        let mut properties = Vec::new();
        for (at, checked) in self.checked.iter().enumerate() {
            for query in &checked.queries {
                let start = Start {
                    checked: at,
                    current: query.current,
                };
                let position = starts
                    .iter()
                    .position(|&other| other == start)
                    .expect("it is a start");
                let relevant = which
                    .as_ref()
                    .map(|which| is(&mut self.reader, which.now, position as u32));
                let mut name = query.name.clone();
                while properties
                    .iter()
                    .any(|other: &Property| *other.name == *name)
                {
                    name.push('_');
                }
                properties.push(Property {
                    name: name.into(),
                    alias: None,
                    body: query.asks.denied(&mut self.reader, relevant),
                    span: Some(query.span),
                });
            }
        }
        let terms = &mut self.reader.cx.terms;
        let relation = Relation {
            initial: vec![(joined(terms, Op::Or, &initial), None)],
            steps: vec![(joined(terms, Op::Or, &steps), None)],
        };
        let mut moving: Vec<Moving> = Vec::new();
        for &(var, place) in &self.rigid {
            moving.push(Moving {
                var,
                role: Role::Rigid,
                span: Some(self.reader.tree.span(place)),
            });
        }
        for slot in slots.iter().chain(&which) {
            moving.push(Moving {
                var: slot.now,
                role: Role::State(slot.next),
                span: None,
            });
        }
        let mut model = SystemBuilder::new(Language::Moxi, name);
        for &sort in &self.sorts {
            model.sort(sort);
        }
        relation::declare(&mut model, &moving);
        relation.add(self.reader.cx, &mut model, "run", &moving);
        for property in properties {
            model.property(property);
        }
        model.finish(self.reader.cx)
    }

    /// How runs from one start begin and go on. Variables that belong to others keep some value.
    fn case(
        &mut self,
        start: Start,
        at: usize,
        slots: &[Slot],
        which: Option<&Slot>,
    ) -> (TermId, TermId) {
        let checked = &self.checked[start.checked];
        let reader = &mut self.reader;
        let mut initial = vec![start.current.unwrap_or(checked.initial), checked.always];
        let mut steps = vec![checked.steps];
        let mut own: Vec<VarId> = checked.slots.iter().map(|slot| slot.now).collect();
        for query in checked
            .queries
            .iter()
            .filter(|query| query.current == start.current)
        {
            for flag in &query.flags {
                let terms = &mut reader.cx.terms;
                let [now, next] = [flag.slot.now, flag.slot.next].map(|var| terms.var(var));
                initial.push(terms.eq(now, flag.initial));
                steps.push(terms.eq(next, flag.step));
                own.push(flag.slot.now);
            }
        }
        for slot in slots.iter().filter(|slot| !own.contains(&slot.now)) {
            let terms = &mut reader.cx.terms;
            let [now, next] = [slot.now, slot.next].map(|var| terms.var(var));
            let some = Value::some(&terms.sorts, slot.sort);
            let some = terms.lit(some, slot.sort);
            initial.push(terms.eq(now, some));
            steps.push(terms.eq(next, now));
        }
        if let Some(which) = which {
            initial.push(is(reader, which.now, at as u32));
            steps.push(is(reader, which.now, at as u32));
            steps.push(is(reader, which.next, at as u32));
        }
        let terms = &mut reader.cx.terms;
        (
            joined(terms, Op::And, &initial),
            joined(terms, Op::And, &steps),
        )
    }
}

/// Whether a variable is a number.
fn is(reader: &mut Reader<'_, '_>, var: VarId, number: u32) -> TermId {
    let terms = &mut reader.cx.terms;
    let number = terms.int(i64::from(number));
    let var = terms.var(var);
    terms.eq(var, number)
}
