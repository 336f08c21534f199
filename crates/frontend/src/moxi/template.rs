//! `define-system`: a relation over variables of its own, with those of its parts inside.

use crate::smtlib::{Kind, NodeId, Read, Reader, Val};
use lariat_base::FxHashMap;
use lariat_expr::{SortId, Substitution, TermId, VarId};

/// A variable of a system: its value now and next.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub name: String,
    pub sort: SortId,
    pub now: VarId,
    pub next: VarId,
}

/// A system as a relation over its slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    /// Inputs, outputs and locals in the order of their declarations.
    pub lists: [Vec<Slot>; 3],
    /// The locals of its parts.
    pub hidden: Vec<Slot>,
    pub initial: Vec<TermId>,
    /// What is true of every state; of the next one it is among the steps, too.
    pub always: Vec<TermId>,
    pub steps: Vec<TermId>,
}

/// The keys of the lists.
pub(super) const LISTS: [&str; 3] = [":input", ":output", ":local"];

impl Template {
    /// All slots, inputs first.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.lists.iter().flatten().chain(&self.hidden)
    }

    /// What it says of the slots that stand for its own: of the start, of every state, of steps.
    pub fn renamed(&self, reader: &mut Reader<'_, '_>, slots: &[Slot]) -> [Vec<TermId>; 3] {
        let mut substitution = Substitution::new();
        let terms = &mut reader.cx.terms;
        for (own, other) in self.slots().zip(slots) {
            for (own, other) in [(own.now, other.now), (own.next, other.next)] {
                let other = terms.var(other);
                substitution.insert(terms, own, other);
            }
        }
        let mut all = |list: &[TermId]| {
            list.iter()
                .map(|&term| substitution.apply(terms, term))
                .collect()
        };
        [all(&self.initial), all(&self.always), all(&self.steps)]
    }
}

/// The systems of a script by their names.
pub(super) type Templates<'a> = FxHashMap<&'a str, Template>;

/// `(key value …)` behind the name of a command.
pub(super) fn pairs(reader: &Reader<'_, '_>, items: &[NodeId]) -> Read<Vec<(NodeId, NodeId)>> {
    let mut pairs = Vec::new();
    for pair in items.chunks(2) {
        match *pair {
            [key, value] if reader.tree.kind(key) == Kind::Keyword => pairs.push((key, value)),
            [place, ..] => {
                let message = "a keyword with a value is expected here, such as `:init t`";
                return Err(reader.tree.error("moxi-attribute", place, message));
            }
            [] => {}
        }
    }
    Ok(pairs)
}

/// Reads `define-system`.
pub(super) fn define<'a>(
    reader: &mut Reader<'a, '_>,
    templates: &mut Templates<'a>,
    command: NodeId,
) -> Read<()> {
    let tree = reader.tree;
    let items = tree.items(command);
    let name = items
        .get(1)
        .and_then(|&name| tree.symbol(name))
        .ok_or_else(|| reader.malformed(command))?;
    let mut template = Template::default();
    let mut names: Vec<(&'a str, Val)> = Vec::new();
    let mut given: Vec<&str> = Vec::new();
    let attributes = pairs(reader, &items[2..])?;
    for &(key, value) in &attributes {
        let text = tree.text(key);
        let has_read_terms = given.iter().any(|given| !LISTS.contains(given));
        if text != ":subsys" && given.contains(&text) {
            let message = format!("there are two `{text}`");
            return Err(tree.error("moxi-attribute", key, message));
        }
        given.push(text);
        let Some(list) = LISTS.iter().position(|&list| list == text) else {
            continue;
        };
        if has_read_terms {
            let message = "the lists of variables come before everything that uses them";
            return Err(tree.error("moxi-attribute", key, message));
        }
        for (slot, own) in variables(reader, value)? {
            let term = reader.cx.terms.var(slot.now);
            if names.iter().any(|(other, _)| *other == own) {
                let message = format!("`{own}` is declared twice");
                return Err(tree.error("duplicate-name", value, message));
            }
            reader.next_of.insert(slot.now, slot.next);
            names.push((own, Val::Term(term)));
            template.lists[list].push(slot);
        }
    }
    reader.with_locals(&names, |reader| {
        for &(key, value) in &attributes {
            attribute(reader, templates, &mut template, &names, key, value)?;
        }
        Ok(())
    })?;
    templates.insert(name, template);
    Ok(())
}

/// The variables of a list, each with the name it has in the text.
fn variables<'a>(reader: &mut Reader<'a, '_>, list: NodeId) -> Read<Vec<(Slot, &'a str)>> {
    let mut slots = Vec::new();
    for &variable in reader.tree.items(list) {
        let (name, sort) = reader.sorted_name(variable)?;
        let sort = reader.sort(sort)?;
        let (now, next) = (reader.fresh(name, sort), reader.fresh(name, sort));
        slots.push((
            Slot {
                name: name.to_owned(),
                sort,
                now,
                next,
            },
            name,
        ));
    }
    Ok(slots)
}

fn attribute<'a>(
    reader: &mut Reader<'a, '_>,
    templates: &Templates<'a>,
    template: &mut Template,
    names: &[(&'a str, Val)],
    key: NodeId,
    value: NodeId,
) -> Read<()> {
    let tree = reader.tree;
    match tree.text(key) {
        ":init" => {
            let term = reader.condition(value)?;
            no_primes(reader, template, value, term, ":init")?;
            template.initial.push(term);
        }
        ":trans" => {
            let term = reader.condition(value)?;
            template.steps.push(term);
        }
        ":inv" => {
            let term = reader.condition(value)?;
            no_primes(reader, template, value, term, ":inv")?;
            let later = primed(reader, template.slots(), term);
            template.always.push(term);
            template.steps.push(later);
        }
        ":subsys" => subsystem(reader, templates, template, names, value)?,
        text if LISTS.contains(&text) => {}
        text => {
            let message = format!("a system has no `{text}`");
            let hint = "its parts are `:input :output :local :init :trans :inv :subsys`";
            return Err(tree.error("moxi-attribute", key, message).hint(hint));
        }
    }
    Ok(())
}

/// A term about the values now as one about the next values.
pub(super) fn primed<'s>(
    reader: &mut Reader<'_, '_>,
    slots: impl Iterator<Item = &'s Slot>,
    term: TermId,
) -> TermId {
    let mut substitution = Substitution::new();
    let terms = &mut reader.cx.terms;
    for slot in slots {
        let next = terms.var(slot.next);
        substitution.insert(terms, slot.now, next);
    }
    substitution.apply(terms, term)
}

/// Whether a term reads next values of these slots.
pub(super) fn reads_next<'s>(
    reader: &Reader<'_, '_>,
    slots: impl Iterator<Item = &'s Slot>,
    term: TermId,
) -> bool {
    let vars = reader.cx.terms.free_vars(&[term]);
    slots.into_iter().any(|slot| vars.contains(&slot.next))
}

fn no_primes(
    reader: &Reader<'_, '_>,
    template: &Template,
    node: NodeId,
    term: TermId,
    key: &str,
) -> Read<()> {
    if reads_next(reader, template.slots(), term) {
        let message = format!("`{key}` is about one state: it cannot read next values");
        return Err(reader.tree.error("moxi-prime", node, message));
    }
    Ok(())
}

/// `(N (S a b …))`: an instance of a system, whose inputs and outputs are variables of this one.
fn subsystem<'a>(
    reader: &mut Reader<'a, '_>,
    templates: &Templates<'a>,
    template: &mut Template,
    names: &[(&'a str, Val)],
    node: NodeId,
) -> Read<()> {
    let tree = reader.tree;
    let wrong = |place: NodeId, message: String| tree.error("moxi-subsystem", place, message);
    let &[label, instance] = tree.items(node) else {
        return Err(wrong(
            node,
            "an instance is written `(NAME (SYSTEM x y …))`".to_owned(),
        ));
    };
    let label_name = tree
        .symbol(label)
        .ok_or_else(|| wrong(label, "an instance has a name".to_owned()))?;
    if names.iter().any(|(other, _)| *other == label_name) {
        return Err(wrong(label, format!("`{label_name}` is a variable")));
    }
    let system = tree.head(instance).unwrap_or_default();
    let Some(inner) = templates.get(system) else {
        return Err(wrong(
            instance,
            format!("there is no system `{system}` above"),
        ));
    };
    let actuals = &tree.items(instance)[1..];
    let formals: Vec<&Slot> = inner.lists[0].iter().chain(&inner.lists[1]).collect();
    if actuals.len() != formals.len() {
        let message = format!(
            "`{system}` has {} inputs and outputs, here are {}",
            formals.len(),
            actuals.len()
        );
        return Err(wrong(instance, message));
    }
    let mut slots: Vec<Slot> = Vec::new();
    for (&actual, formal) in actuals.iter().zip(&formals) {
        let Val::Term(term) = reader.value(actual)? else {
            return Err(wrong(actual, "a variable is expected here".to_owned()));
        };
        let own = template
            .slots()
            .find(|slot| reader.cx.terms.as_var(term) == Some(slot.now));
        let Some(own) = own else {
            return Err(wrong(
                actual,
                "a variable of this system is expected here".to_owned(),
            ));
        };
        if own.sort != formal.sort {
            let sorts = &reader.cx.terms.sorts;
            let message = format!(
                "this is {}, `{}` is {}",
                sorts.describe(own.sort),
                formal.name,
                sorts.describe(formal.sort)
            );
            return Err(wrong(actual, message));
        }
        slots.push(own.clone());
    }
    for local in inner.lists[2].iter().chain(&inner.hidden) {
        let name = format!("{label_name}.{}", local.name);
        let (now, next) = (
            reader.fresh(&name, local.sort),
            reader.fresh(&name, local.sort),
        );
        let slot = Slot {
            name,
            sort: local.sort,
            now,
            next,
        };
        slots.push(slot.clone());
        template.hidden.push(slot);
    }
    let [initial, always, steps] = inner.renamed(reader, &slots);
    template.initial.extend(initial);
    template.always.extend(always);
    template.steps.extend(steps);
    Ok(())
}
