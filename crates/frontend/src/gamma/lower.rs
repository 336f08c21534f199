//! What lowering shares: the instances of statecharts, their signals, and what names mean at the place that is lowered.

use super::chart_tree::{ChartTree, NodeId};
use super::parse::Parse;
use super::project::Project;
use super::tree::{ChartDecl, Component, Name};
use super::value::{Slot, Ty, Val};
use lariat_base::{Diagnostic, Diagnostics, FxHashMap, FxHashSet, Span};
use lariat_expr::{Int, SortId, TermId, Value, VarId};
use lariat_system::{Context, Stmt, StmtId, Variable};
use std::rc::Rc;

/// A model on its way to a system.
pub(super) struct Lower<'a> {
    pub cx: &'a mut Context,
    pub project: &'a Project,
    pub findings: &'a mut Diagnostics,
    pub instances: Vec<Instance<'a>>,
    pub signals: Vec<Signal>,
    pub adapters: Vec<super::adapter::AdapterInfo>,
    pub queues: Vec<super::queue::Queue>,
    /// The variables of the system, with their initial values.
    pub variables: Vec<Variable>,
    /// Enumerations of the model, with their names and literals.
    pub enums: Vec<(String, Vec<Box<str>>, SortId)>,
    /// The file that names are looked up in.
    pub file: usize,
    /// The instance whose names are known.
    pub instance: Option<usize>,
    /// Local variables, innermost last; those before `hidden` cannot be seen.
    pub locals: Vec<(Box<str>, Local)>,
    pub hidden: usize,
    /// The functions that are being inlined.
    pub calls: Vec<Box<str>>,
    /// Says whether the function that is inlined has returned.
    pub returned: Option<VarId>,
    pub n_locals: u32,
    /// The timeouts that are switched off somewhere.
    pub deactivated: FxHashSet<VarId>,
    /// The longest time that a timeout is set to, in milliseconds, if all are known when the model is read.
    pub longest: Option<Int>,
    /// How time passes.
    pub time: super::Time,
}

/// What a local name stands for.
#[derive(Clone, Debug)]
pub(super) enum Local {
    Value(Val, Ty),
    Slot(Slot),
}

pub(super) type SignalId = usize;

/// An event at a port of an instance, going in or out: a flag, and parameters.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    /// `INSTANCE.PORT.EVENT`
    pub name: String,
    pub flag: VarId,
    pub params: Vec<(Box<str>, Slot)>,
    /// Whether parameters keep their values when the event is over.
    pub persistent: bool,
    pub span: Span,
    pub instance: usize,
    /// What hears it, at once or when the composition around it has stepped.
    pub targets: Vec<Target>,
    /// Where it waits until the composition around it has stepped, if it must.
    pub next: Option<Next>,
}

#[derive(Clone, Debug)]
pub(super) struct Target {
    pub signal: SignalId,
    pub at_once: bool,
}

/// The same event in the next cycle.
#[derive(Clone, Debug)]
pub(super) struct Next {
    pub flag: VarId,
    pub params: Vec<(Box<str>, Slot)>,
}

/// The signals of an event of a port.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    pub input: Option<SignalId>,
    pub output: Option<SignalId>,
}

/// A port by its name, with its events.
pub(super) type PortEnds = (Box<str>, Vec<(Box<str>, Ends)>);

/// A statechart of the system.
pub(super) struct Instance<'a> {
    /// Its name with those of the compositions around it; empty if it is the system.
    pub path: String,
    pub file: usize,
    pub component: &'a Component,
    pub chart: &'a ChartDecl,
    pub tree: Rc<ChartTree<'a>>,
    pub rules: Rules,
    pub params: FxHashMap<Box<str>, (Val, Ty)>,
    pub vars: FxHashMap<Box<str>, Slot>,
    pub timeouts: FxHashMap<Box<str>, VarId>,
    /// Events of ports, in the order of their declarations.
    pub ports: Vec<PortEnds>,
    /// The active state of each region.
    pub regions: Vec<VarId>,
    /// Whether a transition fired in this cycle, for each.
    pub fired: Vec<VarId>,
    /// Guards that were read at the beginning of the step, by transition.
    pub early: FxHashMap<usize, VarId>,
    /// How often it runs in a cycle.
    pub runs: usize,
}

/// How a statechart chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rules {
    pub bottom_up: bool,
    pub priority: Priority,
    pub unordered: bool,
    pub early_guards: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Priority {
    Off,
    Order,
    Value,
}

impl<'a> Lower<'a> {
    /// The statechart that is lowered.
    pub fn own(&self) -> &Instance<'a> {
        &self.instances[self.instance.expect("a statechart is lowered")]
    }

    /// The signals of an event.
    pub fn ends(&self, port: &Name, event: &Name) -> Parse<Ends> {
        let own = self.own();
        let Some((_, events)) = own.ports.iter().find(|(name, _)| *name == port.text) else {
            let known = own.ports.iter().map(|(name, _)| &**name);
            return Err(unknown("port", port, known));
        };
        match events.iter().find(|(name, _)| *name == event.text) {
            Some((_, ends)) => Ok(*ends),
            None => Err(unknown(
                "event",
                event,
                events.iter().map(|(name, _)| &**name),
            )),
        }
    }

    // Variables.

    /// Makes a variable of the system.
    pub fn variable(
        &mut self,
        name: &str,
        sort: SortId,
        initial: Option<TermId>,
        span: Option<Span>,
    ) -> VarId {
        let var = self.cx.terms.declare(name, sort);
        self.variables.push(Variable {
            initial,
            span,
            ..Variable::new(var)
        });
        var
    }

    pub fn flag(&mut self, name: &str, span: Option<Span>) -> VarId {
        let (bool_, no) = (self.cx.terms.sorts.bool(), self.cx.terms.false_());
        self.variable(name, bool_, Some(no), span)
    }

    /// Makes the variables for a value of a type, with their default values.
    pub fn slot(&mut self, name: &str, ty: &Ty, span: Option<Span>) -> Slot {
        if let Ty::Record(fields) = ty {
            let fields = fields.iter();
            let fields = fields.map(|(field, ty)| {
                (
                    field.clone(),
                    self.slot(&format!("{name}.{field}"), ty, span),
                )
            });
            return Slot::Record(fields.collect());
        }
        let Val::Term(initial) = self.default_value(ty) else {
            unreachable!("only records are taken apart");
        };
        let sort = self.sort(ty);
        Slot::Var(self.variable(name, sort, Some(initial), span), ty.clone())
    }

    /// A new local variable.
    pub fn local(&mut self, name: &str, sort: SortId) -> VarId {
        self.n_locals += 1;
        self.cx.terms.declare_instance(name, sort, self.n_locals)
    }

    /// New local variables for a type, and the statements that declare them.
    pub fn local_slot(&mut self, name: &str, value: &Val, ty: &Ty, out: &mut Vec<StmtId>) -> Slot {
        match (ty, value) {
            (Ty::Record(fields), Val::Record(values)) => {
                let both = fields.iter().zip(values);
                let slots = both.map(|((field, ty), (_, value))| {
                    let name = format!("{name}.{field}");
                    (field.clone(), self.local_slot(&name, value, ty, out))
                });
                Slot::Record(slots.collect())
            }
            (_, Val::Term(term)) => {
                let sort = self.sort(ty);
                let var = self.local(name, sort);
                out.push(self.cx.stmts.add(Stmt::Declare(var, Some(*term)), None));
                Slot::Var(var, ty.clone())
            }
            _ => unreachable!("values fit their types"),
        }
    }

    // Statements.

    pub fn assign(&mut self, var: VarId, value: TermId) -> StmtId {
        self.cx.stmts.add(Stmt::Assign(var, value), None)
    }

    pub fn assign_bool(&mut self, var: VarId, value: bool) -> StmtId {
        let value = self.cx.terms.bool(value);
        self.assign(var, value)
    }

    pub fn assume(&mut self, condition: TermId) -> StmtId {
        self.cx.stmts.add(Stmt::Assume(condition), None)
    }

    pub fn seq(&mut self, parts: &[StmtId]) -> StmtId {
        match parts {
            [one] => *one,
            _ => self.cx.stmts.seq(parts, None),
        }
    }

    pub fn when(&mut self, condition: TermId, then: StmtId, otherwise: Option<StmtId>) -> StmtId {
        if condition == self.cx.terms.true_() {
            return then;
        }
        let otherwise = otherwise.unwrap_or_else(|| self.cx.stmts.skip());
        if condition == self.cx.terms.false_() {
            return otherwise;
        }
        self.cx
            .stmts
            .add(Stmt::If(condition, then, otherwise), None)
    }

    // States.

    /// The value of a region's variable that stands for a state, or for none.
    pub fn state_value(&mut self, region: usize, state: Option<NodeId>) -> TermId {
        let own = self.own();
        let var = own.regions[region];
        let states = own.tree.states(region);
        let at = state.map_or(0, |state| {
            1 + states
                .iter()
                .position(|&known| known == state)
                .expect("a state of the region")
        });
        let sort = self.cx.terms.var_sort(var);
        self.cx.terms.lit(Value::Enum(at as u32), sort)
    }

    /// Whether the variable of its region says that a state is active.
    pub fn is_current(&mut self, state: NodeId) -> TermId {
        let region = self.own().tree.nodes[state].region;
        let value = self.state_value(region, Some(state));
        let var = self.own().regions[region];
        let var = self.cx.terms.var(var);
        self.cx.terms.eq(var, value)
    }

    /// Whether a state is active: so must be the state around it, where its region remembers.
    pub fn active(&mut self, state: NodeId) -> TermId {
        let (mut parts, mut at) = (Vec::new(), state);
        loop {
            parts.push(self.is_current(at));
            let tree = &self.own().tree;
            let region = &tree.regions[tree.nodes[at].region];
            match region.parent.filter(|_| region.keeps) {
                Some(outer) => at = outer,
                None => return self.cx.terms.and(&parts),
            }
        }
    }

    pub fn enter_region(&mut self, region: usize, state: NodeId) -> StmtId {
        let value = self.state_value(region, Some(state));
        let var = self.own().regions[region];
        self.assign(var, value)
    }
}

/// A name that stands for nothing.
pub(super) fn unknown<'n>(
    what: &str,
    name: &Name,
    known: impl IntoIterator<Item = &'n str>,
) -> Box<Diagnostic> {
    let near = crate::scope::suggestion(&name.text, known);
    let message = format!("there is no {what} `{}`", name.text);
    let hint = near.map(|near| format!("did you mean `{near}`?"));
    Box::new(
        Diagnostic::error("unknown-name", message)
            .at(name.span)
            .maybe_hint(hint),
    )
}
