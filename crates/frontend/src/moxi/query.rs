//! `check-system`: the conditions of queries, and the flags that watch a run for them.
//!
//! A query asks for a trace on which all assumptions hold at every step, each condition to be reached holds at some step, and each
//! fairness condition infinitely often. A flag says that the assumptions held so far, another that a condition was reached. Without fairness a
//! finite trace is enough, so that all flags up is a bad state; with fairness no run may have them up again and again. A condition
//! that reads next values is about a step: then all of its query are read when the step has been made.

use super::template::{LISTS, Slot, Template, Templates, pairs, primed, reads_next};
use crate::smtlib::{NodeId, Read, Reader, Val, joined};
use lariat_base::{FxHashMap, Span};
use lariat_expr::{Op, TermId, VarId};
use lariat_system::PropertyBody;

/// A system that is asked about, under the names that the question gives to its variables.
pub(super) struct Checked {
    pub slots: Vec<Slot>,
    pub initial: TermId,
    /// What is true of every state, however the run starts.
    pub always: TermId,
    pub steps: TermId,
    pub queries: Vec<Query>,
}

/// A query.
pub(super) struct Query {
    pub name: String,
    pub span: Span,
    /// Where its traces start, if not where the system does.
    pub current: Option<TermId>,
    pub flags: Vec<Flag>,
    pub asks: Asks,
}

/// What a query looks for.
pub(super) enum Asks {
    /// A state.
    Reached(TermId),
    /// A run on which all are true again and again.
    Recurring(Vec<(Box<str>, TermId)>),
}

/// A Boolean variable that watches a run.
pub(super) struct Flag {
    pub slot: Slot,
    pub initial: TermId,
    /// Its next value.
    pub step: TermId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Assumption,
    Fairness,
    Reachable,
    Current,
}

#[derive(Clone, Copy)]
struct Condition {
    kind: Kind,
    term: TermId,
}

/// Reads `check-system`.
pub(super) fn check<'a>(
    reader: &mut Reader<'a, '_>,
    templates: &Templates<'a>,
    command: NodeId,
) -> Read<Checked> {
    let tree = reader.tree;
    let items = tree.items(command);
    let system = items
        .get(1)
        .copied()
        .ok_or_else(|| reader.malformed(command))?;
    let Some(template) = tree.symbol(system).and_then(|name| templates.get(name)) else {
        let message = format!("there is no system `{}` above", tree.text(system));
        return Err(tree.error("moxi-system", system, message));
    };
    let attributes = pairs(reader, &items[2..])?;
    let names = names_of(reader, template, system, &attributes)?;
    let checked = instance(
        reader,
        template,
        names.iter().map(|(name, _)| (*name).to_owned()),
    );
    let locals: Vec<(&'a str, Val)> = names
        .iter()
        .zip(&checked.slots)
        .filter_map(|((_, own), slot)| {
            let term = reader.cx.terms.var(slot.now);
            own.map(|own| (own, Val::Term(term)))
        })
        .collect();
    let mut questions = Questions {
        checked,
        conditions: FxHashMap::default(),
    };
    reader.with_locals(&locals, |reader| {
        for &(key, value) in &attributes {
            questions.condition(reader, key, value)?;
        }
        for &(key, value) in &attributes {
            questions.queries(reader, key, value)?;
        }
        Ok(())
    })?;
    Ok(questions.checked)
}

/// A system under its own names, or those given for its inputs, outputs and locals.
pub(super) fn instance(
    reader: &mut Reader<'_, '_>,
    template: &Template,
    names: impl Iterator<Item = String>,
) -> Checked {
    let mut slots: Vec<Slot> = Vec::new();
    for (own, name) in template.slots().zip(names) {
        let now = reader.cx.terms.declare(&name, own.sort);
        let next = reader
            .cx
            .terms
            .declare_instance(&format!("{name}'"), own.sort, 1);
        reader.next_of.insert(now, next);
        slots.push(Slot {
            name,
            sort: own.sort,
            now,
            next,
        });
    }
    let parts = template.renamed(reader, &slots);
    let [initial, always, steps] = parts.map(|parts| joined(&mut reader.cx.terms, Op::And, &parts));
    Checked {
        slots,
        initial,
        always,
        steps,
        queries: Vec::new(),
    }
}

/// The names of the slots, and those that the text may use.
fn names_of<'a, 't>(
    reader: &Reader<'a, '_>,
    template: &'t Template,
    system: NodeId,
    attributes: &[(NodeId, NodeId)],
) -> Read<Vec<(&'t str, Option<&'a str>)>>
where
    'a: 't,
{
    let mut names = Vec::new();
    for (key, slots) in LISTS.iter().zip(&template.lists) {
        let given = attributes
            .iter()
            .find(|&&(own, _)| reader.tree.text(own) == *key);
        let Some(&(_, list)) = given else {
            if slots.is_empty() {
                continue;
            }
            let message = format!("names for the variables of the system are missing: `{key} (…)`");
            return Err(reader.tree.error("moxi-variables", system, message));
        };
        let variables = reader.tree.items(list);
        if variables.len() != slots.len() {
            let message = format!(
                "the system has {} variables here, not {}",
                slots.len(),
                variables.len()
            );
            return Err(reader.tree.error("moxi-variables", list, message));
        }
        for &variable in variables {
            let name = reader.sorted_name(variable)?.0;
            names.push((name, Some(name)));
        }
    }
    names.extend(template.hidden.iter().map(|slot| (&*slot.name, None)));
    Ok(names)
}

struct Questions<'a> {
    checked: Checked,
    conditions: FxHashMap<&'a str, Condition>,
}

impl<'a> Questions<'a> {
    fn condition(&mut self, reader: &mut Reader<'a, '_>, key: NodeId, value: NodeId) -> Read<()> {
        let tree = reader.tree;
        let kind = match tree.text(key) {
            ":assumption" => Kind::Assumption,
            ":fairness" => Kind::Fairness,
            ":reachable" => Kind::Reachable,
            ":current" => Kind::Current,
            ":query" | ":queries" => return Ok(()),
            text if LISTS.contains(&text) => return self.sorts_fit(reader, text, value),
            text => {
                let message = format!("a question has no `{text}`");
                return Err(tree.error("moxi-attribute", key, message));
            }
        };
        let (Some(name), &[_, body]) = (tree.head(value), tree.items(value)) else {
            let message = "a condition is a name and a term, `(r (= x 1))`";
            return Err(tree.error("moxi-condition", value, message));
        };
        let term = reader.condition(body)?;
        if let Some(finding) = reader.unsupported(&[term]) {
            return Err(finding.clone());
        }
        if kind == Kind::Current && reads_next(reader, self.checked.slots.iter(), term) {
            let message = "`:current` is about one state: it cannot read next values";
            return Err(tree.error("moxi-prime", body, message));
        }
        if self
            .conditions
            .insert(name, Condition { kind, term })
            .is_some()
        {
            let message = format!("there are two conditions `{name}`");
            return Err(tree.error("duplicate-name", value, message));
        }
        Ok(())
    }

    /// The variables of a list have the sorts that the system gives them.
    fn sorts_fit(&self, reader: &mut Reader<'a, '_>, _: &str, list: NodeId) -> Read<()> {
        for &variable in reader.tree.items(list) {
            let (name, node) = reader.sorted_name(variable)?;
            let sort = reader.sort(node)?;
            let slot = self.checked.slots.iter().find(|slot| slot.name == name);
            if slot.is_some_and(|slot| slot.sort != sort) {
                let message = "the system has another sort here";
                return Err(reader.tree.error("smtlib-sort", node, message));
            }
        }
        Ok(())
    }

    fn queries(&mut self, reader: &mut Reader<'a, '_>, key: NodeId, value: NodeId) -> Read<()> {
        let tree = reader.tree;
        match tree.text(key) {
            ":query" => self.query(reader, value),
            ":queries" => {
                let list = tree.items(value);
                if list.is_empty() {
                    return Err(tree.error("moxi-query", value, "there is no query"));
                }
                list.iter().try_for_each(|&query| self.query(reader, query))
            }
            _ => Ok(()),
        }
    }

    /// `(q (a r …))`.
    fn query(&mut self, reader: &mut Reader<'a, '_>, node: NodeId) -> Read<()> {
        let tree = reader.tree;
        let (Some(name), &[_, names]) = (tree.head(node), tree.items(node)) else {
            let message = "a query is a name and the names of conditions, `(q (a r))`";
            return Err(tree.error("moxi-query", node, message));
        };
        if self.checked.queries.iter().any(|query| query.name == name) {
            let message = format!("there are two queries `{name}`");
            return Err(tree.error("duplicate-name", node, message));
        }
        let mut of: [Vec<(&'a str, TermId)>; 4] = Default::default();
        for &condition in tree.items(names) {
            let known = tree
                .symbol(condition)
                .and_then(|name| Some((name, self.conditions.get(name)?)));
            let Some((name, &Condition { kind, term })) = known else {
                let message = format!("there is no condition `{}`", tree.text(condition));
                return Err(tree.error("moxi-query", condition, message));
            };
            of[kind as usize].push((name, term));
        }
        let [assumed, fair, reached, current] = of;
        if tree.items(names).is_empty() || current.len() > 1 {
            let message = "a query has conditions, and at most one of them is `:current`";
            return Err(tree.error("moxi-query", names, message));
        }
        let queries = self.checked.queries.iter();
        let others = queries
            .flat_map(|query| &query.flags)
            .map(|flag| flag.slot.now)
            .collect();
        let mut watch = Watch {
            reader,
            slots: &self.checked.slots,
            others,
            flags: Vec::new(),
            query: name,
            late: false,
        };
        let all = assumed.iter().chain(&fair).chain(&reached);
        watch.late = all
            .clone()
            .any(|&(_, term)| reads_next(watch.reader, watch.slots.iter(), term));
        let asks = watch.asks(&assumed, &fair, &reached);
        let flags = watch.flags;
        self.checked.queries.push(Query {
            name: name.to_owned(),
            span: tree.span(node),
            current: current.first().map(|&(_, term)| term),
            flags,
            asks,
        });
        Ok(())
    }
}

/// Makes the flags of a query.
struct Watch<'s, 'a, 'c> {
    reader: &'s mut Reader<'a, 'c>,
    slots: &'s [Slot],
    /// The flags of other queries.
    others: Vec<VarId>,
    flags: Vec<Flag>,
    query: &'s str,
    /// Whether conditions are about steps.
    late: bool,
}

impl Watch<'_, '_, '_> {
    fn asks(
        &mut self,
        assumed: &[(&str, TermId)],
        fair: &[(&str, TermId)],
        reached: &[(&str, TermId)],
    ) -> Asks {
        let mut up: Vec<TermId> = Vec::new();
        if !assumed.is_empty() {
            let all: Vec<TermId> = assumed.iter().map(|&(_, term)| term).collect();
            let all = joined(&mut self.reader.cx.terms, Op::And, &all);
            up.push(self.flag("ok", all, Op::And));
        }
        // The last condition to be reached is true in the state itself, if all others were before or are now.
        let is_simple = reached.len() == 1 && fair.is_empty() && !self.late;
        for &(name, term) in reached {
            up.push(if is_simple {
                term
            } else {
                self.flag(name, term, Op::Or)
            });
        }
        if fair.is_empty() {
            return Asks::Reached(joined(&mut self.reader.cx.terms, Op::And, &up));
        }
        let mut recurring: Vec<(Box<str>, TermId)> = Vec::new();
        for &(name, term) in fair {
            let term = if self.late {
                self.last_step(name, term)
            } else {
                term
            };
            let mut parts = up.clone();
            parts.push(term);
            let term = joined(&mut self.reader.cx.terms, Op::And, &parts);
            let name = self.own_name(name);
            if recurring.iter().all(|(other, _)| **other != *name) {
                recurring.push((name.into(), term));
            }
        }
        Asks::Recurring(recurring)
    }

    /// A name inside of the query's.
    fn own_name(&self, name: &str) -> String {
        match name.strip_prefix(self.query) {
            Some(rest) if rest.starts_with('.') => name.to_owned(),
            _ => format!("{}.{name}", self.query),
        }
    }

    fn slot(&mut self, name: &str) -> Slot {
        let bool_ = self.reader.cx.terms.sorts.bool();
        let mut name = self.own_name(name);
        let flags = self.flags.iter().map(|flag| flag.slot.now);
        let taken: Vec<VarId> = flags.chain(self.others.iter().copied()).collect();
        while self.slots.iter().any(|slot| slot.name == name)
            || taken
                .iter()
                .any(|&var| self.reader.cx.terms.name(var) == name)
            || self.reader.symbols.contains_key(name.as_str())
        {
            name.push('_');
        }
        let now = self.reader.cx.terms.declare(&name, bool_);
        let next = self
            .reader
            .cx
            .terms
            .declare_instance(&format!("{name}'"), bool_, 1);
        Slot {
            name,
            sort: bool_,
            now,
            next,
        }
    }

    /// A flag that says that a condition held always (`And`) or at some time (`Or`) up to now.
    fn flag(&mut self, name: &str, term: TermId, op: Op) -> TermId {
        let slot = self.slot(name);
        let terms = &mut self.reader.cx.terms;
        let now = terms.var(slot.now);
        let start = terms.bool(op == Op::And);
        let (initial, then) = if self.late {
            (start, term)
        } else {
            (term, primed(self.reader, self.slots.iter(), term))
        };
        let step = self.reader.cx.terms.gate(op, now, then);
        self.flags.push(Flag {
            slot,
            initial,
            step,
        });
        now
    }

    /// A flag that says that a condition held in the last step.
    fn last_step(&mut self, name: &str, term: TermId) -> TermId {
        let slot = self.slot(name);
        let now = self.reader.cx.terms.var(slot.now);
        let initial = self.reader.cx.terms.false_();
        self.flags.push(Flag {
            slot,
            initial,
            step: term,
        });
        now
    }
}

impl Asks {
    /// The property that there is no such trace, of runs for which `relevant` is true.
    pub fn denied(&self, reader: &mut Reader<'_, '_>, relevant: Option<TermId>) -> PropertyBody {
        let terms = &mut reader.cx.terms;
        match self {
            Self::Reached(term) => {
                let all: Vec<TermId> = relevant.into_iter().chain([*term]).collect();
                let bad = joined(terms, Op::And, &all);
                PropertyBody::Invariant(terms.not(bad))
            }
            Self::Recurring(parts) => PropertyBody::NotAllRecur(
                parts
                    .iter()
                    .map(|(name, term)| {
                        let all: Vec<TermId> = relevant.into_iter().chain([*term]).collect();
                        (name.clone(), joined(terms, Op::And, &all))
                    })
                    .collect(),
            ),
        }
    }
}
