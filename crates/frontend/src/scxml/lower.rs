//! What lowering a chart shares: the variables of the system, and which states are active.

use super::events::Events;
use super::tree::{StateId, Tree, index, root};
use super::types::{Table, Ty};
use super::value::Texts;
use lariat_base::{Diagnostics, FxHashMap};
use lariat_expr::{SortId, TermId, Value, VarId};
use lariat_system::{ChartKind, Context, Stmt, StmtId, Variable};

/// A chart on its way to a system.
pub(super) struct Lower<'a> {
    pub cx: &'a mut Context,
    pub tree: &'a Tree,
    pub table: &'a Table,
    pub events: &'a Events,
    pub texts: Texts,
    pub findings: &'a mut Diagnostics,
    pub vars: Vars,
    /// How many local variables were made.
    pub n_locals: u32,
    /// The local variable that says whether the block that is lowered goes on.
    pub alive: Option<VarId>,
    /// Whether a run can lead outside of what is modelled.
    pub may_leave: bool,
    /// Whether evaluating a condition of a transition may be an error.
    pub conditions_raise: bool,
}

/// What holds a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub var: VarId,
    /// Whether there is a value, if there may be none.
    pub defined: Option<VarId>,
}

/// A place of a queue: what is in it, and what came with it.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub what: VarId,
    pub fields: Vec<Slot>,
}

/// What a history state remembers.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// For a compound state, the child that was active.
    pub children: FxHashMap<StateId, VarId>,
    /// Of a parallel state: whether it was ever left.
    pub set: Option<VarId>,
}

/// The variables of the system.
#[derive(Clone, Debug)]
pub(super) struct Vars {
    /// The active child of each compound state.
    pub child: FxHashMap<StateId, VarId>,
    /// Whether a region of a parallel state is active, if that is not the same as the parallel state's own being so.
    pub region: FxHashMap<StateId, VarId>,
    pub memory: FxHashMap<StateId, Memory>,
    /// Whether a state was ever entered (late binding).
    pub entered: FxHashMap<StateId, VarId>,
    pub data: Vec<Slot>,
    /// The data that the chart reads: the others need no variable.
    pub is_used: Vec<bool>,
    pub internal: Vec<Seat>,
    pub pending: Vec<Seat>,
    /// How many of those that are pending were sent in earlier macrosteps.
    pub old: Option<VarId>,
    /// The event that was handled last, for formulas.
    pub event: VarId,
    /// What arrived last: position of a send, or zero.
    pub arrived: Option<VarId>,
    /// `_event.name`.
    pub current: Option<VarId>,
    pub overflow: Option<VarId>,
    pub outside: VarId,
    /// All of these, in order, with their initial values.
    pub all: Vec<Variable>,
}

/// Which variables a chart needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub seats: usize,
    pub internal: bool,
    pub current: bool,
    pub explicit_regions: bool,
}

impl Lower<'_> {
    /// Makes the variables; `prefix` keeps a second set of them apart.
    pub fn make_vars(&mut self, prefix: &str, needs: Needs, uses: &[bool]) -> Vars {
        let mut maker = Maker {
            lower: self,
            prefix,
            all: Vec::new(),
        };
        maker.make(needs, uses)
    }

    pub fn sort_of(&self, ty: Option<Ty>) -> SortId {
        match ty.unwrap_or(Ty::Int) {
            Ty::Int => self.cx.terms.sorts.int(),
            Ty::Bool => self.cx.terms.sorts.bool(),
            Ty::Text => self.texts.sort,
        }
    }

    /// The value of a compound state's variable that stands for a child, or for none.
    pub fn child_value(&mut self, parent: StateId, child: Option<StateId>) -> TermId {
        let var = self.vars.child[&parent];
        let sort = self.cx.terms.var_sort(var);
        let at = child.map_or(0, |child| 1 + self.tree.state(child).place);
        self.cx.terms.lit(Value::Enum(at as u32), sort)
    }

    /// Whether a state is active.
    pub fn active(&mut self, id: StateId) -> TermId {
        let Some(parent) = self.tree.parent(id) else {
            return self.cx.terms.true_();
        };
        match self.tree.kind(parent) {
            ChartKind::Compound => {
                let var = self.vars.child[&parent];
                let (var, value) = (self.cx.terms.var(var), self.child_value(parent, Some(id)));
                self.cx.terms.eq(var, value)
            }
            _ => match self.vars.region.get(&id) {
                Some(&var) => self.cx.terms.var(var),
                None => self.active(parent),
            },
        }
    }

    pub fn assign(&mut self, var: VarId, value: TermId) -> StmtId {
        self.cx.stmts.add(Stmt::Assign(var, value), None)
    }

    pub fn assign_bool(&mut self, var: VarId, value: bool) -> StmtId {
        let value = self.cx.terms.bool(value);
        self.assign(var, value)
    }

    pub fn seq(&mut self, parts: &[StmtId]) -> StmtId {
        match parts {
            [one] => *one,
            _ => self.cx.stmts.seq(parts, None),
        }
    }

    /// `then` if the condition holds, else `otherwise`; just one of them if that is known.
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

    pub fn assume(&mut self, condition: TermId) -> StmtId {
        self.cx.stmts.add(Stmt::Assume(condition), None)
    }

    /// A new local Boolean.
    pub fn local(&mut self, name: &str) -> VarId {
        self.n_locals += 1;
        let bool_ = self.cx.terms.sorts.bool();
        self.cx.terms.declare_instance(name, bool_, self.n_locals)
    }

    pub fn or_all(&mut self, parts: &[TermId]) -> TermId {
        self.cx.terms.or(parts)
    }

    /// Notes that what is modelled ends here, if the condition holds.
    pub fn leave_if(&mut self, outside: TermId) -> Option<StmtId> {
        if outside == self.cx.terms.false_() {
            return None;
        }
        self.may_leave = true;
        let var = self.vars.outside;
        let set = self.assign_bool(var, true);
        Some(self.when(outside, set, None))
    }
}

struct Maker<'m, 'a> {
    lower: &'m mut Lower<'a>,
    prefix: &'m str,
    all: Vec<Variable>,
}

impl Maker<'_, '_> {
    fn var(&mut self, name: &str, sort: SortId, initial: Option<TermId>) -> VarId {
        let name = format!("{}{name}", self.prefix);
        let var = self.lower.cx.terms.declare(&name, sort);
        let initial = initial.or_else(|| {
            let value = Value::some(&self.lower.cx.terms.sorts, sort);
            Some(self.lower.cx.terms.lit(value, sort))
        });
        self.all.push(Variable {
            initial,
            ..Variable::new(var)
        });
        var
    }

    fn flag(&mut self, name: &str) -> VarId {
        let bool_ = self.lower.cx.terms.sorts.bool();
        let no = self.lower.cx.terms.false_();
        self.var(name, bool_, Some(no))
    }

    fn slot(&mut self, name: &str, ty: Option<Ty>, may_lack: bool) -> Slot {
        let sort = self.lower.sort_of(ty);
        let initial = matches!(ty, None | Some(Ty::Int)).then(|| self.lower.cx.terms.int(0));
        Slot {
            var: self.var(name, sort, initial),
            defined: may_lack.then(|| self.flag(&format!("{name}.defined"))),
        }
    }

    /// The sort of a compound state's variable: none, or one of its children.
    fn child_sort(&mut self, id: StateId) -> SortId {
        let tree = self.lower.tree;
        let state = tree.state(id);
        let names = state
            .children
            .iter()
            .map(|&child| tree.state(child).name.clone());
        let inactive: Box<str> = "-".into();
        let all = std::iter::once(inactive).chain(names);
        let name = format!("{}#{}", state.name, index(id));
        self.lower.cx.terms.sorts.enumeration(&name, all)
    }

    fn make(&mut self, needs: Needs, uses: &[bool]) -> Vars {
        let tree = self.lower.tree;
        let (mut child, mut region) = (FxHashMap::default(), FxHashMap::default());
        let (mut memory, mut entered) = (FxHashMap::default(), FxHashMap::default());
        for id in tree.ids() {
            let state = tree.state(id);
            if state.kind == ChartKind::Compound {
                let sort = self.child_sort(id);
                child.insert(id, self.var(&format!("state({})", state.name), sort, None));
            }
            let of_parallel = state
                .parent
                .is_some_and(|outer| tree.kind(outer) == ChartKind::Parallel);
            if needs.explicit_regions && of_parallel && !state.kind.is_history() {
                region.insert(id, self.flag(&format!("active({})", state.name)));
            }
            let has_data = tree.data.iter().any(|data| data.state == id);
            if tree.late_binding && has_data && id != root() {
                entered.insert(id, self.flag(&format!("entered({})", state.name)));
            }
            if state.kind.is_history() {
                memory.insert(id, self.memory(id));
            }
        }
        let known = &self.lower.table.known;
        let data = known.iter().zip(uses).map(|(known, &is_used)| {
            let before = self.all.len();
            let slot = self.slot(&known.name, known.ty, known.may_lack);
            if !is_used {
                self.all.truncate(before);
            } else if let Some(declared) = self.all.get_mut(before) {
                declared.span = Some(known.span);
            }
            slot
        });
        let data = data.collect();
        let (text, none) = (self.lower.texts.sort, self.lower.texts.none);
        let n_internal = if needs.internal { needs.seats } else { 0 };
        let internal = (0..n_internal)
            .map(|i| self.seat(&format!("queue[{i}]"), text, none, uses))
            .collect();
        let sends = &self.lower.events.sends;
        let (mut pending, mut old, mut arrived) = (Vec::new(), None, None);
        if !sends.is_empty() {
            let sort = self.send_sort();
            let nothing = self.lower.cx.terms.lit(Value::Enum(0), sort);
            pending = (0..needs.seats)
                .map(|i| self.seat(&format!("pending[{i}]"), sort, nothing, uses))
                .collect();
            arrived = Some(self.var("arrived", sort, Some(nothing)));
            let first = sends[0].delay;
            if sends.iter().any(|send| send.delay != first) {
                let (int, zero) = (self.lower.cx.terms.sorts.int(), self.lower.cx.terms.int(0));
                old = Some(self.var("pending.old", int, Some(zero)));
            }
        }
        let event = self.var("event", text, Some(none));
        let current = needs
            .current
            .then(|| self.var("_event.name", text, Some(none)));
        let has_queue = needs.internal || !pending.is_empty();
        Vars {
            child,
            region,
            memory,
            entered,
            data,
            is_used: uses.to_vec(),
            internal,
            pending,
            old,
            event,
            arrived,
            current,
            overflow: has_queue.then(|| self.flag("queue.overflow")),
            outside: self.flag("outside"),
            all: std::mem::take(&mut self.all),
        }
    }

    fn send_sort(&mut self) -> SortId {
        let sends = &self.lower.events.sends;
        let names = sends.iter().enumerate().map(|(i, send)| {
            let delay = if send.delay > 0 {
                format!("@{}ms", send.delay)
            } else {
                String::new()
            };
            format!("{}{delay}#{}", send.event, i + 1).into_boxed_str()
        });
        let all: Vec<Box<str>> = std::iter::once("-".into()).chain(names).collect();
        self.lower.cx.terms.sorts.enumeration("Sent", all)
    }

    fn seat(&mut self, name: &str, sort: SortId, nothing: TermId, uses: &[bool]) -> Seat {
        let what = self.var(name, sort, Some(nothing));
        let known = &self.lower.table.known;
        let fields: Vec<usize> = (0..known.len())
            .filter(|&at| uses[at] && is_field(&known[at].name))
            .collect();
        let fields = fields.into_iter().map(|at| {
            let known = &self.lower.table.known[at];
            let (field, ty) = (format!("{name}{}", &known.name["_event".len()..]), known.ty);
            self.slot(&field, ty, true)
        });
        let fields = fields.collect();
        Seat { what, fields }
    }

    fn memory(&mut self, id: StateId) -> Memory {
        let tree = self.lower.tree;
        let state = tree.state(id);
        let parent = state.parent.expect("a history has a parent");
        let deep = state.kind == ChartKind::DeepHistory;
        let mut children = FxHashMap::default();
        let inside = tree.inside(parent).filter(|_| deep);
        for outer in std::iter::once(parent).chain(inside) {
            if tree.kind(outer) == ChartKind::Compound {
                let sort = self.child_sort(outer);
                let name = format!("{}({})", state.name, tree.state(outer).name);
                children.insert(outer, self.var(&name, sort, None));
            }
        }
        let is_parallel = tree.kind(parent) == ChartKind::Parallel;
        let set = is_parallel.then(|| self.flag(&format!("{}.set", state.name)));
        Memory { children, set }
    }
}

/// Whether a variable is what comes with an event.
pub(super) fn is_field(name: &str) -> bool {
    name.starts_with("_event.data")
}

/// The positions of the variables that are what comes with an event and are read.
pub(super) fn fields(table: &Table, uses: &[bool]) -> Vec<usize> {
    let all = table.known.iter().zip(uses).enumerate();
    all.filter(|(_, (known, is_used))| **is_used && is_field(&known.name))
        .map(|(at, _)| at)
        .collect()
}
