//! Instantiates modules: what every name of every instance stands for, and the variables of the whole model.
//!
//! An instance has its own names; a parameter stands for an expression that is read where the instance was declared. Nothing is
//! copied: a member is an expression of the tree together with the instance it is read in.

use super::tree::{ExprId, Member, NameId, Node, Role, Tree, Type};
use super::value::{Pick, PickId, Ty, Value};
use crate::parser::shorten;
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, FxHashSet, IdVec, Span, id_type};
use lariat_expr::{Int, SortId, TermId, VarId};
use lariat_system::Context;
use std::rc::Rc;

id_type!(
    /// An instance of a module.
    pub(super) struct InstId, "i"
);
id_type!(
    /// A variable of the flat model; each element of an array is one.
    pub(super) struct Slot, "x"
);

/// A finding was reported.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrong;

pub(super) type Sound<T> = Result<T, Wrong>;

/// More instances are refused: modules that instantiate each other twice grow exponentially.
const MAX_INSTANCES: usize = 1 << 20;
/// Instances inside of each other are no deeper: names are looked up through them.
const MAX_DEPTH: usize = 2_000;
/// More elements of one array are refused.
const MAX_ELEMENTS: usize = 1 << 16;

/// An instance.
pub(super) struct Instance {
    pub module: usize,
    /// Its path with a dot behind it; empty for `main`.
    pub prefix: String,
    pub parent: Option<InstId>,
    /// The process that it belongs to.
    pub process: InstId,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Variable(Rc<Layout>),
    /// A variable whose type is not known yet.
    Declared,
    Define(ExprId),
    Instance(InstId),
    /// An expression of another instance.
    Parameter(ExprId, InstId),
    /// Whether this process is the one that moves.
    Running(InstId),
}

/// How a variable is laid out: arrays are one variable per element.
#[derive(Debug)]
pub(super) enum Layout {
    Scalar(Slot),
    Array(i64, Vec<Rc<Layout>>),
}

/// The values that a number may have.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Domain {
    /// All of its sort.
    All,
    Range(Int, Int),
    /// In the order of their values.
    OneOf(Vec<Int>),
}

/// A variable.
pub(super) struct Variable {
    pub name: String,
    pub ty: Ty,
    pub domain: Domain,
    pub role: Role,
    pub span: Span,
    /// Whether it grows with time.
    pub is_clock: bool,
    /// Its value before a step; of an input, in a step.
    pub now: VarId,
    /// Its value after a step; of an input, what it was in the last step.
    pub next: VarId,
}

/// A member of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub instance: InstId,
    pub module: usize,
    pub member: usize,
}

/// The model under construction.
pub(super) struct Flat<'a> {
    pub cx: &'a mut Context,
    pub tree: &'a mut Tree,
    pub findings: &'a mut Diagnostics,
    pub instances: IdVec<InstId, Instance>,
    pub symbols: FxHashMap<(InstId, NameId), (Symbol, Span)>,
    pub variables: IdVec<Slot, Variable>,
    pub slot_of: FxHashMap<VarId, Slot>,
    pub members: Vec<Place>,
    /// The instances that are processes, `main` first; one if there are none.
    pub processes: Vec<InstId>,
    /// The input that says which process moves.
    pub selector: Option<Slot>,
    /// All symbolic values, as one sort; none if there are none.
    pub symbols_sort: Option<SortId>,
    symbol_terms: FxHashMap<Box<str>, TermId>,
    pub enum_sorts: Vec<SortId>,
    pub sort_of_set: FxHashMap<Vec<Box<str>>, SortId>,
    pub picks: IdVec<PickId, Pick>,
    pub memo: FxHashMap<(InstId, ExprId, bool), Option<Rc<Value>>>,
    /// Findings that were reported: an expression may be read again.
    reported: FxHashSet<(&'static str, Option<Span>)>,
    /// Where 0 or 1 was first used as a truth value.
    pub old_dialect: Option<Span>,
}

impl<'a> Flat<'a> {
    pub fn new(cx: &'a mut Context, tree: &'a mut Tree, findings: &'a mut Diagnostics) -> Self {
        Self {
            cx,
            tree,
            findings,
            instances: IdVec::new(),
            symbols: FxHashMap::default(),
            variables: IdVec::new(),
            slot_of: FxHashMap::default(),
            members: Vec::new(),
            processes: Vec::new(),
            selector: None,
            symbols_sort: None,
            symbol_terms: FxHashMap::default(),
            enum_sorts: Vec::new(),
            sort_of_set: FxHashMap::default(),
            picks: IdVec::new(),
            memo: FxHashMap::default(),
            reported: FxHashSet::default(),
            old_dialect: None,
        }
    }

    pub fn report(&mut self, finding: Diagnostic) -> Wrong {
        let place = finding.primary.as_ref().map(|at| at.span);
        if self.reported.insert((finding.id, place)) {
            self.findings.push(finding);
        }
        Wrong
    }

    pub fn error(&mut self, id: &'static str, span: Span, message: impl Into<String>) -> Wrong {
        self.report(Diagnostic::error(id, message).at(span))
    }

    /// Makes all instances, names and variables.
    pub fn instantiate(&mut self) -> Sound<()> {
        let modules = self.module_names()?;
        let main = self.tree.names.intern("main".into());
        let Some(&main) = modules.get(&main) else {
            let finding = Diagnostic::error("missing-main", "there is no module `main`");
            return Err(self.report(finding.hint("the model is what `MODULE main` declares")));
        };
        if let Some(&(_, span)) = self.tree.modules[main].parameters.first() {
            return Err(self.error("main-parameters", span, "`main` has no parameters"));
        }
        self.collect_symbols();
        let root = self.instances.next_id();
        self.instances.push(Instance {
            module: main,
            prefix: String::new(),
            parent: None,
            process: root,
        });
        self.processes.push(root);
        // Declarations in the order of their instances; types are read when all names are known.
        let mut declared: Vec<(Place, ExprId)> = Vec::new();
        let mut at = root;
        while let Some(instance) = self.instances.get(at) {
            let module = instance.module;
            self.declare_members(at, module, &modules, &mut declared)?;
            at = lariat_base::Id::from_index(lariat_base::Id::index(at) + 1);
        }
        if self.processes.len() > 1 {
            self.declare_selector(root);
        }
        self.share_long_defines();
        for (place, name) in declared {
            // A wrong type is reported; the others are read all the same.
            let _ = self.declare_variable(place, name);
        }
        if self.findings.has_errors() {
            Err(Wrong)
        } else {
            Ok(())
        }
    }

    fn module_names(&mut self) -> Sound<FxHashMap<NameId, usize>> {
        let mut modules: FxHashMap<NameId, usize> = FxHashMap::default();
        for (at, module) in self.tree.modules.iter().enumerate() {
            if let Some(first) = modules.insert(module.name, at) {
                let name = shorten(self.tree.text(module.name)).into_owned();
                let finding =
                    Diagnostic::error("duplicate-name", format!("there are two modules `{name}`"));
                let first = self.tree.modules[first].span;
                self.findings
                    .push(finding.at(module.span).also(first, "the first"));
                return Err(Wrong);
            }
        }
        Ok(modules)
    }

    /// The symbolic values of all modules, as one sort.
    fn collect_symbols(&mut self) {
        let mut texts: Vec<Box<str>> = Vec::new();
        let mut seen: FxHashSet<Box<str>> = FxHashSet::default();
        let mut add = |text: Box<str>| {
            if seen.insert(text.clone()) {
                texts.push(text);
            }
        };
        for module in &self.tree.modules {
            for member in &module.members {
                let values = match member {
                    Member::Constants(names) => names.clone(),
                    Member::Variable { of, .. } => symbols_of_type(of),
                    _ => continue,
                };
                let is_name = |value: &ExprId| self.tree.path(*value).is_some();
                let is_mixed = values.iter().any(is_name);
                for value in values {
                    match (self.tree.path(value), self.tree.constant_index(value)) {
                        (Some(path), _) => add(path.into()),
                        (None, Some(int)) if is_mixed => add(int.to_string().into()),
                        _ => {}
                    }
                }
            }
        }
        if texts.is_empty() {
            return;
        }
        let sort = self
            .cx
            .terms
            .sorts
            .enumeration("symbols", texts.iter().cloned());
        self.symbols_sort = Some(sort);
        for (position, text) in texts.into_iter().enumerate() {
            let term = self
                .cx
                .terms
                .lit(lariat_expr::Value::Enum(position as u32), sort);
            self.symbol_terms.insert(text, term);
        }
    }

    fn declare_members(
        &mut self,
        instance: InstId,
        module: usize,
        modules: &FxHashMap<NameId, usize>,
        declared: &mut Vec<(Place, ExprId)>,
    ) -> Sound<()> {
        let mut todo = vec![module];
        let mut included = vec![module];
        while let Some(module) = todo.pop() {
            for at in 0..self.tree.modules[module].members.len() {
                let place = Place {
                    instance,
                    module,
                    member: at,
                };
                self.members.push(place);
                match self.tree.modules[module].members[at].clone() {
                    Member::Isa(name, span) => match modules.get(&name) {
                        Some(base) if !included.contains(base) => {
                            included.push(*base);
                            todo.push(*base);
                        }
                        Some(_) => {
                            return Err(self.error(
                                "recursive-module",
                                span,
                                "a module contains itself",
                            ));
                        }
                        None => return Err(self.unknown_module(name, span)),
                    },
                    Member::Variable {
                        of:
                            Type::Module {
                                name: of,
                                arguments,
                                process,
                            },
                        name,
                        role,
                    } => {
                        let span = self.tree.spans[name];
                        if role != Role::State {
                            let message = "an instance of a module is declared in `VAR`";
                            return Err(self.error("bad-type", span, message));
                        }
                        self.declare_instance(instance, name, of, arguments, process, modules)?;
                    }
                    Member::Variable { name, .. } => {
                        self.declare(instance, name, Symbol::Declared)?;
                        declared.push((place, name));
                    }
                    Member::Define { name, value } => {
                        self.declare(instance, name, Symbol::Define(value))?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn unknown_module(&mut self, name: NameId, span: Span) -> Wrong {
        let text = self.tree.text(name);
        let names = self
            .tree
            .modules
            .iter()
            .map(|module| self.tree.text(module.name));
        let near = crate::scope::suggestion(text, names);
        let hint = near.map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no type or module `{}`", shorten(text));
        self.report(
            Diagnostic::error("unknown-module", message)
                .at(span)
                .maybe_hint(hint),
        )
    }

    fn declare_instance(
        &mut self,
        parent: InstId,
        name: ExprId,
        of: NameId,
        arguments: Vec<ExprId>,
        process: bool,
        modules: &FxHashMap<NameId, usize>,
    ) -> Sound<()> {
        let span = self.tree.spans[name];
        let Some(&module) = modules.get(&of) else {
            return Err(self.unknown_module(of, span));
        };
        let mut above = Some(parent);
        let mut depth = 0;
        while let Some(at) = above {
            depth += 1;
            if self.instances[at].module == module {
                let message = format!("module `{}` contains itself", shorten(self.tree.text(of)));
                return Err(self.error("recursive-module", span, message));
            }
            above = self.instances[at].parent;
        }
        if depth > MAX_DEPTH {
            let message = format!("instances of modules are nested more than {MAX_DEPTH} deep");
            return Err(self.error("too-deep", span, message));
        }
        if self.instances.len() >= MAX_INSTANCES {
            let message = format!("there are more than {MAX_INSTANCES} instances of modules");
            return Err(self.error("too-many-instances", span, message));
        }
        let parameters = self.tree.modules[module].parameters.clone();
        if parameters.len() != arguments.len() {
            let message = format!(
                "module `{}` has {} parameters, {} are given",
                shorten(self.tree.text(of)),
                parameters.len(),
                arguments.len()
            );
            return Err(self.error("wrong-arguments", span, message));
        }
        let path = self.tree.path(name).unwrap_or_default();
        let id = self.instances.next_id();
        self.instances.push(Instance {
            module,
            prefix: format!("{}{path}.", self.instances[parent].prefix),
            parent: Some(parent),
            process: if process {
                id
            } else {
                self.instances[parent].process
            },
        });
        if process {
            self.processes.push(id);
        }
        self.declare(parent, name, Symbol::Instance(id))?;
        for ((parameter, span), argument) in parameters.into_iter().zip(arguments) {
            self.bind(id, parameter, Symbol::Parameter(argument, parent), span)?;
        }
        Ok(())
    }

    fn declare(&mut self, instance: InstId, name: ExprId, symbol: Symbol) -> Sound<()> {
        let span = self.tree.spans[name];
        let Some(path) = self.tree.path(name) else {
            return Err(self.error(
                "bad-name",
                span,
                "the indices in a declared name are numbers",
            ));
        };
        let is_main = self.instances[instance].parent.is_none();
        if is_main && self.symbol_value(&path).is_some() {
            let message = format!("`{}` is a symbolic value, too", shorten(&path));
            return Err(self.error("name-clash", span, message));
        }
        let key = self.tree.names.intern(path.into());
        self.bind(instance, key, symbol, span)
    }

    fn bind(&mut self, instance: InstId, key: NameId, symbol: Symbol, span: Span) -> Sound<()> {
        if let Some((_, first)) = self.symbols.insert((instance, key), (symbol, span)) {
            let message = format!("`{}` is declared twice", shorten(self.tree.text(key)));
            let finding = Diagnostic::error("duplicate-name", message).at(span);
            return Err(self.report(finding.also(first, "the first declaration")));
        }
        Ok(())
    }

    /// `DEFINE cell.ack := …` is a name of the instance that `cell` stands for, here or by a parameter.
    fn share_long_defines(&mut self) {
        for place in self.members.clone() {
            let member = &self.tree.modules[place.module].members[place.member];
            let Member::Define { name, value } = *member else {
                continue;
            };
            let Node::Dot(of, last) = self.tree.nodes[name] else {
                continue;
            };
            if let Some(instance) = self.named_instance(place.instance, of) {
                let symbol = Symbol::Parameter(value, place.instance);
                let span = self.tree.spans[name];
                // A name of its own comes first.
                self.symbols
                    .entry((instance, last))
                    .or_insert((symbol, span));
            }
        }
    }

    /// The term of a symbolic value, in the sort of all of them.
    pub fn symbol_value(&self, text: &str) -> Option<TermId> {
        self.symbol_terms.get(text).copied()
    }

    fn declare_selector(&mut self, root: InstId) {
        let name = |process: &InstId| -> Box<str> {
            let prefix = &self.instances[*process].prefix;
            prefix.strip_suffix('.').unwrap_or("main").into()
        };
        let literals: Vec<Box<str>> = self.processes.iter().map(name).collect();
        let sort = self.enumeration(literals);
        let span = self.tree.modules[self.instances[root].module].span;
        let slot = self.add_variable(
            "_process_selector_".into(),
            Ty::Symbol,
            sort,
            Domain::All,
            Role::Input,
            span,
        );
        self.selector = Some(slot);
        let running = self.tree.names.intern("running".into());
        for process in self.processes.clone() {
            let symbol = Symbol::Running(process);
            self.symbols
                .entry((process, running))
                .or_insert((symbol, span));
        }
    }

    fn declare_variable(&mut self, place: Place, name: ExprId) -> Sound<()> {
        let Member::Variable { role, of, .. } =
            self.tree.modules[place.module].members[place.member].clone()
        else {
            panic!("the place of a variable is a declaration");
        };
        let path = self.tree.path(name).expect("the name was declared");
        let full = format!("{}{path}", self.instances[place.instance].prefix);
        let layout = self.layout(place.instance, &full, &of, role, self.tree.spans[name])?;
        let key = self.tree.names.intern(path.into());
        let known = self
            .symbols
            .get_mut(&(place.instance, key))
            .expect("the name was declared");
        known.0 = Symbol::Variable(Rc::new(layout));
        Ok(())
    }

    /// Makes the variables of a declaration. The recursion follows nested array types, which are bounded.
    fn layout(
        &mut self,
        instance: InstId,
        name: &str,
        of: &Type,
        role: Role,
        span: Span,
    ) -> Sound<Layout> {
        if let Type::Array { low, high, element } = of {
            let (low, high) = (
                self.constant(instance, *low)?,
                self.constant(instance, *high)?,
            );
            let bounds = low.to_i64().zip(high.to_i64());
            let Some((low, high)) = bounds.filter(|(low, high)| low <= high) else {
                return Err(self.error(
                    "empty-range",
                    span,
                    "this range of indices is empty or too large",
                ));
            };
            if high.abs_diff(low) >= MAX_ELEMENTS as u64 || self.variables.len() > MAX_INSTANCES {
                return Err(self.error("too-large", span, "this array has too many elements"));
            }
            let mut elements = Vec::new();
            for index in low..=high {
                let name = format!("{name}[{index}]");
                elements.push(Rc::new(self.layout(instance, &name, element, role, span)?));
            }
            return Ok(Layout::Array(low, elements));
        }
        let (ty, sort, domain) = self.scalar_type(instance, of, span)?;
        let slot = self.add_variable(name.to_owned(), ty, sort, domain, role, span);
        self.variables[slot].is_clock = *of == Type::Clock;
        Ok(Layout::Scalar(slot))
    }

    fn add_variable(
        &mut self,
        name: String,
        ty: Ty,
        sort: SortId,
        domain: Domain,
        role: Role,
        span: Span,
    ) -> Slot {
        // An input is a variable of the step alone; what it was is remembered after the step.
        let (now, next) = if role == Role::Input {
            (
                self.cx.terms.declare_instance(&name, sort, 1),
                self.cx.terms.declare(&name, sort),
            )
        } else {
            let next = self
                .cx
                .terms
                .declare_instance(&format!("next({name})"), sort, 1);
            (self.cx.terms.declare(&name, sort), next)
        };
        let slot = self.variables.push(Variable {
            name,
            ty,
            domain,
            role,
            span,
            is_clock: false,
            now,
            next,
        });
        self.slot_of.insert(now, slot);
        self.slot_of.insert(next, slot);
        slot
    }
}

/// The values of the enumerations inside of a type.
fn symbols_of_type(mut of: &Type) -> Vec<ExprId> {
    loop {
        match of {
            Type::Enum(values) => return values.clone(),
            Type::Array { element, .. } | Type::Map { element, .. } => of = element,
            _ => return Vec::new(),
        }
    }
}
