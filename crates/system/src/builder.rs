//! Makes a [`System`] part by part.
//!
//! Locations come before the edges between them; everything else may come in any order. What a caller does not mention is
//! absent: a system without enumerations, constants, fairness, properties or C types needs no word about them. How runs
//! start is derived at the end, when all variables are known.

use crate::{
    CProgram, Chart, Context, Edge, Fairness, Initial, Language, LocId, Location, Plc, Property,
    System, Variable,
};
use lariat_base::{Csr, IdVec};
use lariat_expr::{SortId, TermId, VarId};
use std::sync::Arc;

/// A system under construction.
#[derive(Clone, Debug)]
pub struct SystemBuilder {
    name: Box<str>,
    language: Language,
    sorts: Vec<SortId>,
    symmetric: Vec<SortId>,
    constants: Vec<(Box<str>, TermId)>,
    variables: Vec<Variable>,
    locations: IdVec<LocId, Location>,
    branches: Vec<Edge>,
    edges: Vec<(LocId, Edge)>,
    fairness: Vec<Fairness>,
    properties: Vec<Property>,
    clocks: Option<Vec<VarId>>,
    program: Option<Arc<CProgram>>,
    chart: Option<Arc<Chart>>,
    plc: Option<Arc<Plc>>,
}

impl SystemBuilder {
    /// A system with nothing in it.
    pub fn new(language: Language, name: impl Into<Box<str>>) -> Self {
        Self {
            name: name.into(),
            language,
            sorts: Vec::new(),
            symmetric: Vec::new(),
            constants: Vec::new(),
            variables: Vec::new(),
            locations: IdVec::new(),
            branches: Vec::new(),
            edges: Vec::new(),
            fairness: Vec::new(),
            properties: Vec::new(),
            clocks: None,
            program: None,
            chart: None,
            plc: None,
        }
    }

    /// Gives the system another name: some languages say it late.
    pub fn rename(&mut self, name: impl Into<Box<str>>) {
        self.name = name.into();
    }

    /// Adds an enumeration.
    pub fn sort(&mut self, sort: SortId) {
        self.sorts.push(sort);
    }

    /// Adds an enumeration whose literals the model does not tell apart.
    pub fn symmetric(&mut self, sort: SortId) {
        self.sorts.push(sort);
        self.symmetric.push(sort);
    }

    /// Adds a named constant.
    pub fn constant(&mut self, name: impl Into<Box<str>>, value: TermId) {
        self.constants.push((name.into(), value));
    }

    /// Adds a variable.
    pub fn variable(&mut self, variable: Variable) {
        self.variables.push(variable);
    }

    /// The variables so far.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Adds a location without edges.
    pub fn location(&mut self, location: Location) -> LocId {
        self.locations.push(location)
    }

    /// The locations so far.
    pub fn locations(&self) -> &IdVec<LocId, Location> {
        &self.locations
    }

    /// Adds a way to start: what happens after the variables have their initial values.
    pub fn start(&mut self, branch: Edge) {
        self.branches.push(branch);
    }

    /// Adds a step. The steps of one location keep the order in which they are added.
    pub fn edge(&mut self, from: LocId, edge: Edge) {
        self.edges.push((from, edge));
    }

    /// Adds a fairness constraint.
    pub fn fairness(&mut self, constraint: Fairness) {
        self.fairness.push(constraint);
    }

    /// Adds a property that stands in the model.
    pub fn property(&mut self, property: Property) {
        self.properties.push(property);
    }

    /// Says that the model is one in continuous time, with these clocks.
    pub fn continuous(&mut self, clocks: Vec<VarId>) {
        self.clocks = Some(clocks);
    }

    /// Says what is known of the C program that this is the system of.
    pub fn program(&mut self, program: CProgram) {
        self.program = Some(Arc::new(program));
    }

    /// Says what is known of the statechart that this is the system of.
    pub fn chart(&mut self, chart: Chart) {
        self.chart = Some(Arc::new(chart));
    }

    /// Says what is known of the controller's program that this is the system of.
    pub fn plc(&mut self, plc: Plc) {
        self.plc = Some(Arc::new(plc));
    }

    /// The system.
    pub fn finish(self, cx: &mut Context) -> System {
        System {
            name: self.name,
            language: self.language,
            sorts: self.sorts,
            symmetric: self.symmetric,
            constants: self.constants,
            initial: Initial::new(cx, &self.variables, self.branches),
            variables: self.variables,
            edges: Csr::from_pairs(self.locations.len(), self.edges),
            locations: self.locations,
            fairness: self.fairness,
            properties: self.properties,
            clocks: self.clocks,
            program: self.program,
            chart: self.chart,
            plc: self.plc,
        }
    }
}
