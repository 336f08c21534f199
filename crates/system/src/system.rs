//! Transition systems: structural states (locations) joined by statements.

use crate::{CProgram, Chart, Initial, Plc, StmtId, Stmts, Temporal};
use lariat_base::{Csr, Id, IdVec, Interner, Span, id_type};
use lariat_expr::{Int, SortId, TermId, Terms, VarId};
use std::sync::Arc;

id_type!(
    /// A location of one model.
    pub struct LocId, "L"
);
id_type!(
    /// A structural state of any transition system: where it is, apart from the values of its variables.
    ///
    /// A model is at one of its locations ([`PointId::of`]). A composition is at a point of each of its parts, and numbers
    /// the combinations as it meets them: its points say nothing about the locations of a part, and the types keep them apart.
    pub struct PointId, "@"
);

impl PointId {
    /// The structural state of a model by itself that is at a location.
    pub fn of(location: LocId) -> Self {
        Self::from_index(location.index())
    }

    /// The location, if this is a structural state of a model by itself.
    pub fn location(self) -> LocId {
        LocId::from_index(self.index())
    }
}

id_type!(
    /// An interned name (of an action).
    pub struct NameId, "name"
);

/// What all models of one run share: terms, statements, names.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// Sorts, variables, terms.
    pub terms: Terms,
    /// Statements.
    pub stmts: Stmts,
    /// Names of actions.
    pub names: Interner<NameId, Box<str>>,
}

impl Context {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The input language of a model.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// Extended symbolic transition systems.
    Xsts,
    /// Control-flow automata.
    Cfa,
    /// Symbolic transition systems.
    Sts,
    /// Guarded commands.
    Gcl,
    /// C programs.
    C,
    /// SMV, the language of `NuSMV` and nuXmv.
    Smv,
    /// Circuits of and-gates and latches.
    Aiger,
    /// Circuits of words.
    Btor2,
    /// Statecharts in XML.
    Scxml,
    /// Structured Text, programs of controllers.
    St,
    /// Gamma: statecharts and their compositions.
    Gamma,
    /// VMT-LIB, transition systems in SMT-LIB.
    Vmt,
    /// `MoXI`, relations composed synchronously.
    Moxi,
}

impl Language {
    /// The languages of models: what is printed reads back. C and SMV are read only.
    pub const ALL: [Self; 4] = [Self::Xsts, Self::Cfa, Self::Sts, Self::Gcl];

    /// Whether models are programs: statements between locations.
    pub fn has_control_flow(self) -> bool {
        matches!(self, Self::Cfa | Self::C)
    }

    /// Whether models are circuits.
    pub fn is_circuit(self) -> bool {
        matches!(self, Self::Aiger | Self::Btor2)
    }

    /// Whether steps are relations between the values before and after.
    pub fn has_relations(self) -> bool {
        matches!(self, Self::Sts | Self::Smv | Self::Vmt | Self::Moxi)
    }

    /// Whether steps end with choices that the next step reads: inputs that are part of the state.
    pub fn has_free_inputs(self) -> bool {
        matches!(self, Self::Aiger | Self::Btor2 | Self::Smv)
    }

    /// Whether a run stays for ever in a state from which no step leads on. In the other languages it ends there, and a run
    /// that ends refutes no formula. (The end of a program is a step that stays; an assumption of a program that fails leaves the run out.)
    pub fn stays_when_stuck(self) -> bool {
        matches!(self, Self::Gcl)
    }

    /// Whether models can be printed in it, and what is printed reads back.
    pub fn is_printed(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// The location whose steps are those of the environment, where the language tells them from the system's own.
    pub fn environment(self) -> Option<&'static str> {
        matches!(self, Self::Xsts).then_some("env")
    }

    /// What a step is called, and several of them, where there is only one location and its name says nothing.
    pub fn step_names(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Sts => Some(("trans", "trans")),
            Self::Smv => Some(("step", "steps")),
            Self::Gcl => Some(("action", "actions")),
            Self::Aiger | Self::Btor2 | Self::Vmt | Self::Moxi | Self::Scxml => {
                Some(("step", "steps"))
            }
            Self::St => Some(("scan", "scans")),
            Self::Gamma => Some(("cycle", "cycles")),
            Self::Xsts | Self::Cfa | Self::C => None,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xsts => "xsts",
            Self::Cfa => "cfa",
            Self::Sts => "sts",
            Self::Gcl => "gcl",
            Self::C => "c",
            Self::Smv => "smv",
            Self::Aiger => "aiger",
            Self::Btor2 => "btor2",
            Self::Scxml => "scxml",
            Self::St => "st",
            Self::Gamma => "gamma",
            Self::Vmt => "vmt",
            Self::Moxi => "moxi",
        }
    }
}

/// A variable of a system.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// The variable.
    pub var: VarId,
    /// Whether the model marks it as control (`ctrl var`).
    pub ctrl: bool,
    /// Its initial value, if the declaration gives one.
    pub initial: Option<TermId>,
    /// The least and greatest value that the declaration allows.
    pub range: Option<(Int, Int)>,
    /// Its declaration.
    pub span: Option<Span>,
}

impl Variable {
    /// A variable that starts with any value of its sort and has no declaration.
    pub fn new(var: VarId) -> Self {
        Self {
            var,
            ctrl: false,
            initial: None,
            range: None,
            span: None,
        }
    }
}

/// What a location is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocRole {
    /// Nothing special.
    Plain,
    /// Where the model starts (CFA).
    Initial,
    /// Where the model ends (CFA).
    Final,
    /// What must not be reached (CFA).
    Error,
    /// Between two statements of one edge (CFA): it has no name of its own.
    Inner,
    /// Where the model is cut off (C): it has no step from here, but what it models goes on in a way
    /// that is not known. A run that comes here is evidence of nothing.
    Cut,
}

/// A structural state.
#[derive(Clone, PartialEq, Debug)]
pub struct Location {
    /// Its name; what an unnamed location shows is up to the front end.
    pub name: Box<str>,
    /// What it is for.
    pub role: LocRole,
    /// Its declaration.
    pub span: Option<Span>,
}

impl Location {
    /// A location with nothing special about it and no declaration.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self {
            name: name.into(),
            role: LocRole::Plain,
            span: None,
        }
    }
}

/// A step: of a model from one of its locations to another, or (`Edge<PointId>`) of any transition system from one
/// structural state to another.
#[derive(Clone, Copy, Debug)]
pub struct Edge<L = LocId> {
    /// What happens.
    pub stmt: StmtId,
    /// Where it leads.
    pub target: L,
    /// Whether the state after it is a letter of the word that a formula reads.
    pub observed: bool,
    /// The name of the action, if the model gives one.
    pub name: Option<NameId>,
    /// Whether the step was added to let a finished run stay where it is.
    pub stutter: bool,
}

impl Edge {
    /// The step of a model by itself as one of a transition system.
    pub fn of_system(&self) -> Edge<PointId> {
        self.with_target(PointId::of(self.target))
    }
}

impl<L> Edge<L> {
    /// A step without a name, after which a formula reads the state.
    pub fn new(stmt: StmtId, target: L) -> Self {
        Self {
            stmt,
            target,
            observed: true,
            name: None,
            stutter: false,
        }
    }

    /// The same step to somewhere else.
    #[must_use]
    pub fn with_target<M>(&self, target: M) -> Edge<M> {
        Edge {
            stmt: self.stmt,
            target,
            observed: self.observed,
            name: self.name,
            stutter: self.stutter,
        }
    }

    /// The same step, observed or not.
    #[must_use]
    pub fn observed_if(self, observed: bool) -> Self {
        Self { observed, ..self }
    }

    /// The same step as one that only lets a finished run stay where it is.
    #[must_use]
    pub fn stuttering(self) -> Self {
        Self {
            stutter: true,
            ..self
        }
    }

    /// The same step, under a name.
    #[must_use]
    pub fn named(self, name: NameId) -> Self {
        Self {
            name: Some(name),
            ..self
        }
    }
}

/// A property that the model itself contains.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    /// Its name; empty if the language has none.
    pub name: Box<str>,
    /// Another name that the file has for it.
    pub alias: Option<Box<str>>,
    /// What it says.
    pub body: PropertyBody,
    /// Where it stands.
    pub span: Option<Span>,
}

impl Property {
    /// Whether this is a name of it.
    pub fn is_called(&self, name: &str) -> bool {
        *self.name == *name || self.alias.as_deref() == Some(name)
    }
}

/// What a property says.
#[derive(Clone, PartialEq, Debug)]
pub enum PropertyBody {
    /// Always true in every observed state.
    Invariant(TermId),
    /// A temporal formula, as written.
    Ltl(Box<str>),
    /// A temporal formula that the front end has read.
    Temporal(Temporal),
    /// A location is never reached.
    Unreachable(LocId),
    /// No fair run makes all of these true infinitely often; different terms have different names.
    NotAllRecur(Vec<(Box<str>, TermId)>),
}

/// A constraint that tells the fair runs of a system: only they can refute a temporal property.
///
/// Both terms are Boolean, over the variables of the system, and are evaluated in *observed* states, as the atoms of a
/// formula are: what happens between two letters cannot make a run fair. Bad states may be reached by any run, since every
/// finite one could be the beginning of a fair one as far as is known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fairness {
    /// True infinitely often (weak fairness, if it says that an action is disabled or was taken).
    Justice(TermId),
    /// If the first is true infinitely often, so is the second (strong fairness, if they say that an action is enabled
    /// and that it was taken).
    Compassion(TermId, TermId),
}

impl Fairness {
    /// What it reads.
    pub fn terms(self) -> impl Iterator<Item = TermId> {
        let (first, second) = match self {
            Self::Justice(term) => (term, None),
            Self::Compassion(request, response) => (request, Some(response)),
        };
        [first].into_iter().chain(second)
    }

    /// The same constraint over other terms.
    #[must_use]
    pub fn map(self, mut map: impl FnMut(TermId) -> TermId) -> Self {
        match self {
            Self::Justice(term) => Self::Justice(map(term)),
            Self::Compassion(request, response) => Self::Compassion(map(request), map(response)),
        }
    }
}

/// Anything that can be run: variables, structural states, and the steps between them.
///
/// Compositions make their structural states on demand, so `edges` takes `&mut self`.
pub trait TransitionSystem {
    /// The variables, in a fixed order: a state lists their values in this order.
    fn variables(&self) -> &[Variable];
    /// The steps that start a run. All variables have any value before; each initial step says what it starts with.
    fn initial(&self) -> Vec<Edge<PointId>>;
    /// The same without the part that gives variables their initial values.
    fn branches(&self) -> Vec<Edge<PointId>>;
    /// The steps from a structural state.
    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>>;
    /// Which runs are fair: those that meet the constraints of all models that this is composed of.
    fn fairness(&self) -> &[Fairness];
    /// A structural state as shown to the user.
    fn location_name(&self, at: PointId) -> String;
    /// How many models this is composed of, at any depth; 1 for a model.
    fn n_leaves(&self) -> usize;
    /// The location of the `leaf`-th model.
    fn leaf_location(&self, at: PointId, leaf: usize) -> LocId;
    /// The `index`-th of the systems that this is composed of; nothing if it is a model by itself.
    fn component(&mut self, _index: usize) -> Option<&mut dyn TransitionSystem> {
        None
    }
    /// The structural state in which the `i`-th component is where the `order[i]`-th is at `at`. Nothing if that is none, or
    /// if the components cannot be exchanged: they must be alike in that each is a model that may step at any time.
    fn rearranged(&mut self, _at: PointId, _order: &[usize]) -> Option<PointId> {
        None
    }
}

/// A model as a front end delivers it.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name: what the file calls it, or the file's own name.
    pub name: Box<str>,
    /// The language it was written in.
    pub language: Language,
    /// Its enumerations, in the order of their declarations.
    pub sorts: Vec<SortId>,
    /// Those of them that were declared to be symmetric: the text of the model does not name their literals.
    pub symmetric: Vec<SortId>,
    /// Its named constants with their values: expressions have the values, property texts the names.
    pub constants: Vec<(Box<str>, TermId)>,
    /// Its variables, in the order of their declarations.
    pub variables: Vec<Variable>,
    /// Its structural states.
    pub locations: IdVec<LocId, Location>,
    /// The steps that start a run.
    pub initial: Initial,
    /// The steps of each structural state.
    pub edges: Csr<LocId, Edge>,
    /// Which of its runs are fair.
    pub fairness: Vec<Fairness>,
    /// The properties in the file.
    pub properties: Vec<Property>,
    /// In continuous time: the variables that grow while time passes.
    pub clocks: Option<Vec<VarId>>,
    /// The types of a C program.
    pub program: Option<Arc<CProgram>>,
    /// The states and transitions of a statechart.
    pub chart: Option<Arc<Chart>>,
    /// The variables of a controller's program.
    pub plc: Option<Arc<Plc>>,
}

impl System {
    /// Whether two systems are the same but for their names and places in the source. Both must live in `cx`.
    pub fn same(&self, other: &Self, cx: &Context) -> bool {
        let variable = |v: &Variable| (v.var, v.ctrl, v.initial, v.range.clone());
        let location = |l: &Location| {
            (l.role != LocRole::Inner)
                .then(|| l.name.clone())
                .map(|name| (name, l.role))
        };
        let property = |p: &Property| (p.name.clone(), p.body.clone());
        let same_edges = |a: &[Edge], b: &[Edge]| {
            let same = |(a, b): (&Edge, &Edge)| {
                let shape = |e: &Edge| (e.target, e.observed, e.name, e.stutter);
                shape(a) == shape(b) && cx.stmts.same(a.stmt, b.stmt)
            };
            a.len() == b.len() && a.iter().zip(b).all(same)
        };
        self.language == other.language
            && self.sorts == other.sorts
            && self.constants == other.constants
            && self.fairness == other.fairness
            && self
                .variables
                .iter()
                .map(variable)
                .eq(other.variables.iter().map(variable))
            && self
                .locations
                .iter()
                .map(location)
                .eq(other.locations.iter().map(location))
            && self
                .properties
                .iter()
                .map(property)
                .eq(other.properties.iter().map(property))
            && same_edges(&self.initial, &other.initial)
            && self.edges.n_rows() == other.edges.n_rows()
            && self
                .edges
                .rows()
                .all(|(at, row)| same_edges(row, other.edges.row(at)))
    }

    /// The location of this name.
    pub fn location(&self, name: &str) -> Option<LocId> {
        let named = |l: &Location| l.role != LocRole::Inner && *l.name == *name;
        self.locations.iter().position(named).map(LocId::from_index)
    }
}

impl TransitionSystem for System {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initial(&self) -> Vec<Edge<PointId>> {
        self.initial.iter().map(Edge::of_system).collect()
    }

    fn branches(&self) -> Vec<Edge<PointId>> {
        let branches = self.initial.branches().iter();
        branches.map(Edge::of_system).collect()
    }

    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>> {
        let row = self.edges.row(at.location()).iter();
        row.map(Edge::of_system).collect()
    }

    fn fairness(&self) -> &[Fairness] {
        &self.fairness
    }

    fn location_name(&self, at: PointId) -> String {
        self.locations[at.location()].name.to_string()
    }

    fn n_leaves(&self) -> usize {
        1
    }

    fn leaf_location(&self, at: PointId, leaf: usize) -> LocId {
        assert_eq!(leaf, 0, "a model is its only leaf");
        at.location()
    }
}

/// A borrowed system is one: a product composes a model without owning it.
impl<T: TransitionSystem + ?Sized> TransitionSystem for &mut T {
    fn variables(&self) -> &[Variable] {
        (**self).variables()
    }

    fn initial(&self) -> Vec<Edge<PointId>> {
        (**self).initial()
    }

    fn branches(&self) -> Vec<Edge<PointId>> {
        (**self).branches()
    }

    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>> {
        (**self).edges(at)
    }

    fn fairness(&self) -> &[Fairness] {
        (**self).fairness()
    }

    fn location_name(&self, at: PointId) -> String {
        (**self).location_name(at)
    }

    fn n_leaves(&self) -> usize {
        (**self).n_leaves()
    }

    fn leaf_location(&self, at: PointId, leaf: usize) -> LocId {
        (**self).leaf_location(at, leaf)
    }

    fn component(&mut self, index: usize) -> Option<&mut dyn TransitionSystem> {
        (**self).component(index)
    }

    fn rearranged(&mut self, at: PointId, order: &[usize]) -> Option<PointId> {
        (**self).rearranged(at, order)
    }
}
