//! Reads VMT-LIB: commands one by one, what the annotations say, and the system in the end.

use crate::Parsed;
use crate::relation::{self, Moving, Relation, Role};
use crate::smtlib::{self, Annotation, NodeId, Read, Reader, Symbol, Tree, Val, parsed};
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, FxHashSet, SourceFile, SourceId};
use lariat_expr::{Substitution, TermId, VarId};
use lariat_system::{
    Context, Language, Property, PropertyBody, System, SystemBuilder, Temporal, TemporalNode,
    UnaryTemporal,
};

/// Reads a VMT-LIB model.
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
    let script = Script::new(Reader::new(cx, &tree));
    parsed(&tree, script, findings, file)
}

/// A script while it is read.
struct Script<'a, 'c> {
    reader: Reader<'a, 'c>,
    /// The declared variables, next ones too.
    declared: Vec<(VarId, NodeId)>,
    /// The names that stand behind `:next` somewhere, with the variables they belong to.
    next_names: FxHashMap<&'a str, &'a str>,
    /// The names that commands declare.
    own_names: FxHashSet<&'a str>,
    /// Which variable has the next value of which.
    next_of: FxHashMap<VarId, VarId>,
    next_vars: FxHashSet<VarId>,
    relation: Relation,
    claims: Vec<Claim<'a>>,
    /// Named terms that formulas may use.
    constants: Vec<(&'a str, TermId)>,
    /// What is remembered of the state before, with the variables for it.
    memory: Vec<Moving>,
}

/// A property as it stands in the script.
struct Claim<'a> {
    kind: Kind,
    index: u64,
    name: Option<&'a str>,
    of: Val,
    term: NodeId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invariant,
    Live,
    Ltl,
}

impl smtlib::Script for Script<'_, '_> {
    fn command(&mut self, command: NodeId) -> Read<()> {
        self.read(command)
    }

    fn system(self, name: &str) -> Read<System> {
        self.assembled(name)
    }
}

impl<'a, 'c> Script<'a, 'c> {
    fn new(reader: Reader<'a, 'c>) -> Self {
        let tree = reader.tree;
        let mut next_names = FxHashMap::default();
        for node in tree.ids() {
            if tree.head(node) == Some("!") {
                let items = tree.items(node);
                for pair in items.windows(2).skip(1) {
                    if tree.text(pair[0]) == ":next"
                        && let (Some(next), Some(now)) =
                            (tree.symbol(pair[1]), tree.symbol(items[1]))
                    {
                        next_names.insert(next, now);
                    }
                }
            }
        }
        let declares = |&&command: &&NodeId| {
            matches!(tree.head(command), Some("declare-fun" | "declare-const"))
        };
        let names = tree.roots.iter().filter(declares);
        let own_names = names
            .filter_map(|&command| tree.symbol(*tree.items(command).get(1)?))
            .collect();
        Self {
            reader,
            declared: Vec::new(),
            next_names,
            own_names,
            next_of: FxHashMap::default(),
            next_vars: FxHashSet::default(),
            relation: Relation::default(),
            claims: Vec::new(),
            constants: Vec::new(),
            memory: Vec::new(),
        }
    }

    fn read(&mut self, command: NodeId) -> Read<()> {
        let tree = self.reader.tree;
        match tree.head(command) {
            Some("set-info" | "set-option" | "set-logic") => Ok(()),
            Some("declare-fun" | "declare-const") => self.declare(command),
            Some("define-fun" | "define-const") => self.define(command),
            Some("declare-sort") => self.reader.declare_sort(command),
            Some("define-sort") => self.reader.define_sort(command),
            Some("assert")
                if tree.items(command).get(1).map(|&term| tree.text(term)) == Some("true") =>
            {
                Ok(())
            }
            Some("assert") => {
                let message = "the only assertion of a VMT-LIB script is `(assert true)`";
                let hint = "what starts and steps are is said by `:init true` and `:trans true`";
                Err(tree.error("vmt-command", command, message).hint(hint))
            }
            Some(name) => {
                let message = format!("`{name}` has no place in a VMT-LIB script");
                let hint = "a model is declarations and definitions with annotations such as `:next`, `:init` and `:trans`";
                Err(tree.error("vmt-command", command, message).hint(hint))
            }
            None => Err(self.reader.malformed(command)),
        }
    }

    fn declare(&mut self, command: NodeId) -> Read<()> {
        let declared = self.reader.declaration(command)?;
        if !declared.params.is_empty() {
            let message = format!(
                "`{}` has parameters: uninterpreted functions are not supported",
                declared.name
            );
            return Err(self
                .reader
                .tree
                .error("smtlib-uninterpreted", declared.place, message));
        }
        self.variable(declared.name, declared.place, declared.result);
        // Some tools leave the declaration of the next variable out.
        let missing = self
            .next_names
            .iter()
            .filter(|(_, now)| **now == declared.name);
        let mut missing: Vec<&'a str> = missing
            .map(|(&next, _)| next)
            .filter(|next| !self.own_names.contains(next))
            .collect();
        missing.sort_unstable();
        for next in missing {
            if !self.reader.symbols.contains_key(next) {
                self.variable(next, declared.place, declared.result);
            }
        }
        Ok(())
    }

    fn variable(&mut self, name: &'a str, place: NodeId, sort: lariat_expr::SortId) {
        let instance = u32::from(self.next_names.contains_key(name));
        let terms = &mut self.reader.cx.terms;
        let var = terms.declare_instance(name, sort, instance);
        let term = terms.var(var);
        self.reader
            .symbols
            .insert(name, Symbol::Value(Val::Term(term)));
        self.declared.push((var, place));
    }

    fn define(&mut self, command: NodeId) -> Read<()> {
        let defined = self.reader.definition(command)?;
        let annotations = std::mem::take(&mut self.reader.annotations);
        let is_plain = annotations.is_empty();
        for annotation in annotations {
            self.annotation(&annotation, defined.name)?;
        }
        if let (Val::Term(term), true) = (defined.body, is_plain)
            && defined.n_params == 0
            && !defined.name.starts_with('.')
        {
            self.constants.push((defined.name, term));
        }
        Ok(())
    }

    fn annotation(&mut self, annotation: &Annotation, name: &'a str) -> Read<()> {
        let tree = self.reader.tree;
        let key = tree.text(annotation.key);
        match key {
            ":next" => self.next(annotation),
            ":init" | ":trans" => {
                if annotation.value.map(|value| tree.text(value)) != Some("true") {
                    let message = format!("the value of `{key}` is `true`");
                    return Err(tree.error("vmt-annotation", annotation.key, message));
                }
                let term = self.condition(annotation)?;
                let constraint = (term, Some(tree.span(annotation.term)));
                match key {
                    ":init" => self.relation.initial.push(constraint),
                    _ => self.relation.steps.push(constraint),
                }
                Ok(())
            }
            ":invar" => {
                let message =
                    "`:invar` is not supported: write the constraint as `:init` and `:trans`";
                Err(tree.error("vmt-annotation", annotation.key, message))
            }
            ":invar-property" => self.claim(annotation, name, Kind::Invariant),
            ":live-property" => self.claim(annotation, name, Kind::Live),
            ":ltl-property" => self.claim(annotation, name, Kind::Ltl),
            _ => Ok(()),
        }
    }

    /// The Boolean term that an annotation stands on.
    fn condition(&self, annotation: &Annotation) -> Read<TermId> {
        let terms = &self.reader.cx.terms;
        match annotation.of {
            Val::Term(term) if terms.sort(term) == terms.sorts.bool() => Ok(term),
            Val::Term(term) => {
                let message = format!(
                    "this is {}, not a Boolean",
                    terms.sorts.describe(terms.sort(term))
                );
                Err(self
                    .reader
                    .tree
                    .error("smtlib-sort", annotation.term, message))
            }
            Val::Formula(_) => {
                let message =
                    "temporal operators stand in `:ltl-property` and `:live-property` only";
                Err(self
                    .reader
                    .tree
                    .error("smtlib-temporal", annotation.term, message))
            }
        }
    }

    /// `(! x :next x')`.
    fn next(&mut self, annotation: &Annotation) -> Read<()> {
        let tree = self.reader.tree;
        let wrong = |node: NodeId, message: &str| tree.error("vmt-next", node, message);
        let terms = &self.reader.cx.terms;
        let now = match annotation.of {
            Val::Term(term) => terms.as_var(term),
            Val::Formula(_) => None,
        };
        let now =
            now.ok_or_else(|| wrong(annotation.term, "`:next` stands on a declared variable"))?;
        let place = annotation.value.unwrap_or(annotation.key);
        let next = tree
            .symbol(place)
            .and_then(|name| match self.reader.symbols.get(name) {
                Some(&Symbol::Value(Val::Term(term))) => terms.as_var(term),
                _ => None,
            });
        let next = next.ok_or_else(|| wrong(place, "behind `:next` stands a declared variable"))?;
        if terms.var_sort(now) != terms.var_sort(next) {
            let sorts = &terms.sorts;
            let (now, next) = (
                sorts.describe(terms.var_sort(now)),
                sorts.describe(terms.var_sort(next)),
            );
            let message = format!("the variable is {now}, its next value {next}");
            return Err(wrong(place, &message));
        }
        match self.next_of.insert(now, next) {
            Some(other) if other != next => {
                return Err(wrong(
                    place,
                    "the variable has another next variable already",
                ));
            }
            Some(_) => return Ok(()),
            None => {}
        }
        if now == next || !self.next_vars.insert(next) {
            return Err(wrong(place, "this is the next value of another variable"));
        }
        Ok(())
    }

    fn claim(&mut self, annotation: &Annotation, name: &'a str, kind: Kind) -> Read<()> {
        let tree = self.reader.tree;
        let place = annotation.value.unwrap_or(annotation.key);
        let Ok(index) = tree.text(place).parse::<u64>() else {
            let message = "a property has a number";
            return Err(tree.error("vmt-index", place, message));
        };
        if kind == Kind::Invariant {
            self.condition(annotation)?;
        }
        if self.claims.iter().any(|claim| claim.index == index) {
            let message = format!("there are two properties {index}");
            return Err(tree.error("duplicate-name", place, message));
        }
        if let Val::Term(_) = annotation.of {
            self.condition(annotation)?;
        }
        self.claims.push(Claim {
            kind,
            index,
            name: Some(name),
            of: annotation.of,
            term: annotation.term,
        });
        Ok(())
    }

    // ----- the system -----

    fn assembled(mut self, name: &str) -> Read<System> {
        for &(term, span) in self.relation.initial.iter().chain(&self.relation.steps) {
            if let Some(finding) = self.reader.unsupported(&[term]) {
                let finding = finding.clone();
                return Err(match span {
                    Some(span) => finding.also(span, "used here"),
                    None => finding,
                });
            }
        }
        for &(term, span) in &self.relation.initial {
            if self.reads_next(&[term]) {
                let message = "a next variable cannot stand in `:init`";
                let finding = Diagnostic::error("vmt-init", message);
                return Err(span.map_or(finding.clone(), |span| finding.at(span)));
            }
        }
        let claims = std::mem::take(&mut self.claims);
        let mut properties = Vec::new();
        for claim in &claims {
            let body = self.body(claim)?;
            properties.push(Property {
                name: claim.index.to_string().into(),
                alias: claim.name.map(Into::into),
                body,
                span: Some(self.reader.tree.span(claim.term)),
            });
        }
        let mut moving: Vec<Moving> = Vec::new();
        for &(var, place) in &self.declared {
            if !self.next_vars.contains(&var) {
                let role = self
                    .next_of
                    .get(&var)
                    .map_or(Role::Input, |&next| Role::State(next));
                moving.push(Moving {
                    var,
                    role,
                    span: Some(self.reader.tree.span(place)),
                });
            }
        }
        moving.append(&mut self.memory);
        let mut model = SystemBuilder::new(Language::Vmt, name);
        relation::declare(&mut model, &moving);
        for (name, term) in std::mem::take(&mut self.constants) {
            if !self.reads_next(&[term]) && self.reader.unsupported(&[term]).is_none() {
                model.constant(name, term);
            }
        }
        self.relation
            .add(self.reader.cx, &mut model, "run", &moving);
        for property in properties {
            model.property(property);
        }
        Ok(model.finish(self.reader.cx))
    }

    fn reads_next(&self, terms: &[TermId]) -> bool {
        let vars = self.reader.cx.terms.free_vars(terms);
        vars.iter().any(|var| self.next_vars.contains(var))
    }

    fn body(&mut self, claim: &Claim<'_>) -> Read<PropertyBody> {
        let text = self.reader.tree.one_line(claim.term);
        let mut tree = self.reader.extract(claim.of, &text);
        let atoms: Vec<TermId> = tree
            .nodes()
            .iter()
            .filter_map(|node| match node {
                TemporalNode::Atom(term, _) => Some(*term),
                _ => None,
            })
            .collect();
        if let Some(finding) = self.reader.unsupported(&atoms) {
            let span = self.reader.tree.span(claim.term);
            return Err(finding.clone().also(span, "used here"));
        }
        let later = self.reads_next(&atoms);
        match (claim.kind, claim.of) {
            (Kind::Invariant, Val::Term(term)) if !later => {
                return Ok(PropertyBody::Invariant(term));
            }
            (Kind::Invariant, Val::Term(term)) => {
                let term = self.of_last_step(term);
                return Ok(PropertyBody::Invariant(term));
            }
            (Kind::Live, _) => {
                let root = tree.nodes().len() as u32 - 1;
                let always = tree.push(TemporalNode::Unary(UnaryTemporal::G, root));
                tree.push(TemporalNode::Unary(UnaryTemporal::F, always));
                tree.text = format!("(ltl.F (ltl.G {text}))").into();
            }
            _ => {}
        }
        if later {
            let yes = self.reader.cx.terms.true_();
            tree = self.one_step_later(&tree, yes);
        }
        Ok(PropertyBody::Temporal(tree))
    }

    /// A formula about steps, read when the step that it speaks of has been made.
    fn one_step_later(&mut self, tree: &Temporal, yes: TermId) -> Temporal {
        tree.one_step_later(yes, |term| self.after_step(term))
    }

    /// What a term about a step says after it, true before the first one.
    fn of_last_step(&mut self, term: TermId) -> TermId {
        let term = self.after_step(term);
        let name = self.new_name("stepped".into());
        let terms = &mut self.reader.cx.terms;
        let bool_ = terms.sorts.bool();
        let stepped = terms.declare(&name, bool_);
        let next = terms.declare_instance(&format!("{name}.next"), bool_, 1);
        self.memory.push(Moving {
            var: stepped,
            role: Role::State(next),
            span: None,
        });
        let [stepped, next] = [stepped, next].map(|var| terms.var(var));
        let not_yet = terms.not(stepped);
        self.relation.initial.push((not_yet, None));
        self.relation.steps.push((next, None));
        terms.implies(stepped, term)
    }

    /// What a term about a step says after it, by what is remembered of the state before.
    fn after_step(&mut self, term: TermId) -> TermId {
        let mut substitution = Substitution::new();
        let now_of: FxHashMap<VarId, VarId> = self
            .next_of
            .iter()
            .map(|(&now, &next)| (next, now))
            .collect();
        for var in self.reader.cx.terms.free_vars(&[term]) {
            let by = match now_of.get(&var) {
                Some(&now) => now,
                None => self.before(var),
            };
            let by = self.reader.cx.terms.var(by);
            substitution.insert(&mut self.reader.cx.terms, var, by);
        }
        substitution.apply(&mut self.reader.cx.terms, term)
    }

    /// The variable that has the value of another one before the last step.
    fn before(&mut self, var: VarId) -> VarId {
        let name = format!("prev({})", self.reader.cx.terms.name(var));
        let known = self
            .memory
            .iter()
            .find(|part| self.reader.cx.terms.name(part.var) == name);
        if let Some(known) = known {
            return known.var;
        }
        let name = self.new_name(name);
        let terms = &mut self.reader.cx.terms;
        let sort = terms.var_sort(var);
        let before = terms.declare(&name, sort);
        let next = terms.declare_instance(&format!("{name}.next"), sort, 1);
        self.memory.push(Moving {
            var: before,
            role: Role::State(next),
            span: None,
        });
        let [next, now] = [next, var].map(|var| terms.var(var));
        let keeps = terms.eq(next, now);
        self.relation.steps.push((keeps, None));
        before
    }

    /// The name, or one like it that the script does not use.
    fn new_name(&self, mut name: String) -> String {
        while self.reader.symbols.contains_key(name.as_str()) {
            name.push('_');
        }
        name
    }
}
