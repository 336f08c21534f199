//! Sequential circuits, as AIGER and BTOR2 describe them: states that step all at once, inputs that are free in every step.
//!
//! A state of the system is a state of the circuit *with* the inputs of its step, since properties and constraints may
//! read both. So the inputs of the next step are chosen at the end of a step, and the constraints are assumed there: they
//! hold in every state of a run, its last one included, and nothing is asked of what might come after it.

use lariat_base::{FxHashMap, FxHashSet, Span};
use lariat_expr::{Op, SortId, TermId, Terms, VarId};
use lariat_system::{
    Context, Edge, Language, Location, Stmt, StmtId, System, SystemBuilder, Variable,
};

/// A circuit under construction, or taken out of a system.
#[derive(Debug)]
pub struct Circuit {
    /// Its name, properties and fairness constraints.
    pub model: SystemBuilder,
    /// Its variables.
    pub parts: Vec<Part>,
    /// What is true in every step.
    pub constraints: Vec<(TermId, Option<Span>)>,
    names: FxHashSet<Box<str>>,
}

/// A variable of a circuit.
#[derive(Clone, Debug)]
pub struct Part {
    /// The variable.
    pub var: VarId,
    /// Its value in the first step, if not any.
    pub initial: Option<TermId>,
    /// Its value in the next step, over the values of this one; any if there is none, as for inputs.
    pub next: Option<TermId>,
    /// Where it is declared.
    pub span: Option<Span>,
}

impl Circuit {
    /// A circuit with nothing in it.
    pub fn new(language: Language, name: impl Into<Box<str>>) -> Self {
        Self {
            model: SystemBuilder::new(language, name),
            parts: Vec::new(),
            constraints: Vec::new(),
            names: FxHashSet::default(),
        }
    }

    /// A variable that is free in every step so far; the place of its [`Part`].
    pub(crate) fn declare(
        &mut self,
        cx: &mut Context,
        name: &str,
        sort: SortId,
        span: Option<Span>,
    ) -> usize {
        let var = cx.terms.declare(name, sort);
        self.parts.push(Part {
            var,
            initial: None,
            next: None,
            span,
        });
        self.parts.len() - 1
    }

    /// A name that nothing has yet: the symbol that the file gives, as far as it can be written in formulas, else the
    /// name by position. Symbols need not be distinct, nor be names in any other language.
    pub(crate) fn name(&mut self, symbol: Option<&str>, by_position: &str) -> String {
        let plain = symbol.map(|symbol| crate::as_name(symbol, crate::token::Syntax::Property));
        let mut name = plain.unwrap_or_else(|| by_position.to_owned());
        while !self.names.insert(name.as_str().into()) {
            name = format!("{name}_{by_position}");
        }
        name
    }

    /// Names a term in formulas.
    pub(crate) fn define(&mut self, symbol: Option<&str>, by_position: &str, term: TermId) {
        let name = self.name(symbol, by_position);
        self.model.constant(name, term);
    }

    /// The system: one location, one step.
    pub fn finish(self, cx: &mut Context) -> System {
        let Self {
            mut model,
            parts,
            constraints,
            ..
        } = self;
        let mut step: Vec<StmtId> = Vec::new();
        let mut moves: Vec<StmtId> = Vec::new();
        for part in &parts {
            model.variable(Variable {
                initial: part.initial,
                span: part.span,
                ..Variable::new(part.var)
            });
            let Some(next) = part.next else {
                moves.push(cx.stmts.add(Stmt::Havoc(part.var), part.span));
                continue;
            };
            let decl = cx.terms.decl(part.var).clone();
            let aside = cx
                .terms
                .declare_instance(&format!("{}'", decl.name), decl.sort, 1);
            step.push(cx.stmts.add(Stmt::Declare(aside, Some(next)), part.span));
            let value = cx.terms.var(aside);
            moves.push(cx.stmts.add(Stmt::Assign(part.var, value), part.span));
        }
        step.append(&mut moves);
        let assumed: Vec<StmtId> = constraints
            .iter()
            .map(|&(term, span)| cx.stmts.add(Stmt::Assume(term), span))
            .collect();
        step.extend(&assumed);
        let start = cx.stmts.seq(&assumed, None);
        let step = cx.stmts.seq(&step, None);
        let at = model.location(Location::new("step"));
        model.start(Edge::new(start, at));
        model.edge(at, Edge::new(step, at));
        model.finish(cx)
    }
}

/// The parts and constraints of a system that [`Circuit::finish`] made.
pub(crate) fn parts_of(cx: &Context, system: &System) -> (Vec<Part>, Vec<TermId>) {
    let mut edges = system.edges.rows().flat_map(|(_, row)| row);
    let step = edges.next().map(|edge| edge.stmt);
    let items = match step.map(|step| cx.stmts.get(step)) {
        Some(Stmt::Seq(list)) => cx.stmts.items(list),
        _ => &[],
    };
    let mut aside: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut next: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut constraints = Vec::new();
    for &item in items {
        match cx.stmts.get(item) {
            Stmt::Declare(var, Some(value)) => {
                aside.insert(var, value);
            }
            Stmt::Assign(var, value) => {
                let kept = cx.terms.as_var(value).and_then(|var| aside.get(&var));
                next.insert(var, *kept.unwrap_or(&value));
            }
            Stmt::Assume(term) => constraints.push(term),
            _ => {}
        }
    }
    let part = |variable: &Variable| Part {
        var: variable.var,
        initial: variable.initial,
        next: next.get(&variable.var).copied(),
        span: variable.span,
    };
    (system.variables.iter().map(part).collect(), constraints)
}

/// The variables of a circuit that have any value in every step: inputs, and states without a next state.
pub fn free_variables(cx: &Context, system: &System) -> FxHashSet<VarId> {
    let (parts, _) = parts_of(cx, system);
    let free = parts.iter().filter(|part| part.next.is_none());
    free.map(|part| part.var).collect()
}

/// The arguments of a conjunction or disjunction in an order in which pairing them one by one makes the same term again:
/// those first that [`Terms::gate`] did not take apart.
pub(crate) fn chain(terms: &Terms, op: Op, args: &[TermId]) -> Vec<TermId> {
    let mut args = args.to_vec();
    args.sort_by_key(|&arg| terms.as_op(arg, op).is_none());
    args
}

/// The conditions of a justice property with names: those of variables, or their positions in the property.
pub(crate) fn recurring(cx: &Context, property: &str, terms: &[TermId]) -> Vec<(Box<str>, TermId)> {
    let named = |(position, &term): (usize, &TermId)| {
        let name = match cx.terms.as_var(term) {
            Some(var) => cx.terms.name(var).to_owned(),
            None => format!("{property}.{position}"),
        };
        (name.into(), term)
    };
    terms.iter().enumerate().map(named).collect()
}
