//! What the first abstraction tracks.
//!
//! Starting with nothing lets refinement find what matters, one spurious counterexample at a time;
//! starting with more saves those rounds where the guess is right and costs states where it is wrong.
//! The property is nearly always a good guess: a counterexample must make its atoms true and false.

use crate::domain::{Functions, atoms};
use crate::problem::{Goal, Problem};
use crate::product::label_term;
use crate::shape::Shape;
use lariat_base::FxHashSet;
use lariat_expr::{TermId, VarId};
use lariat_system::{Context, Stmt};

/// What the first precision tracks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialPrecision {
    /// Nothing.
    Empty,
    /// The atoms of the property, or their variables.
    Property,
    /// Control variables, declared or found (domains with values only).
    Control,
    /// All variables (domains with values only).
    AllVariables,
    /// The atoms of all conditions of the model, or their variables.
    AllAssumes,
    /// The labels of the Büchi automaton, or their variables.
    Automaton,
}

impl InitialPrecision {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Empty,
        Self::Property,
        Self::Control,
        Self::AllVariables,
        Self::AllAssumes,
        Self::Automaton,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Property => "prop",
            Self::Control => "ctrl",
            Self::AllVariables => "allvars",
            Self::AllAssumes => "allassumes",
            Self::Automaton => "automaton",
        }
    }
}

/// What is tracked to start with. A domain takes what it can: one with values only, the variables of the
/// predicates; one without values leaves the variables out.
pub(crate) struct Initial {
    pub predicates: Vec<TermId>,
    pub variables: Vec<VarId>,
    /// The control variables, whatever the setting is.
    pub control: Vec<VarId>,
}

impl Initial {
    /// For `problem`.
    pub fn new(cx: &mut Context, problem: &mut Problem, initial: InitialPrecision) -> Self {
        let declared = problem.system.variables();
        let all: Vec<VarId> = declared.iter().map(|variable| variable.var).collect();
        let control = Shape::new(cx, problem).control;
        let (predicates, variables) = match initial {
            InitialPrecision::Empty => (Vec::new(), Vec::new()),
            InitialPrecision::Property => (of_property(cx, problem), Vec::new()),
            InitialPrecision::Control => (Vec::new(), control.clone()),
            InitialPrecision::AllVariables => (Vec::new(), all),
            InitialPrecision::AllAssumes => (of_conditions(cx, problem, &all), Vec::new()),
            InitialPrecision::Automaton => (of_automaton(cx, &problem.goal), Vec::new()),
        };
        Self {
            predicates,
            variables,
            control,
        }
    }

    /// The variables, and those of the predicates.
    pub fn all_variables(&self, cx: &Context) -> Vec<VarId> {
        let mut variables = self.variables.clone();
        variables.extend(cx.terms.free_vars(&self.predicates));
        variables
    }

    /// The same, and those for which the user gives functions.
    pub fn told(&self, cx: &Context, given: Option<&Functions>) -> Vec<VarId> {
        let mut variables = self.all_variables(cx);
        let given = given.into_iter().flat_map(Functions::iter);
        variables.extend(given.map(|(var, _)| var));
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}

/// The atoms of what is read of observed states, fairness included.
fn of_property(cx: &Context, problem: &Problem) -> Vec<TermId> {
    let roots = problem.read_terms();
    roots
        .into_iter()
        .flat_map(|root| atoms(&cx.terms, root))
        .collect()
}

/// The labels as they are: what tells the automaton's edges apart.
fn of_automaton(cx: &mut Context, goal: &Goal) -> Vec<TermId> {
    let (automaton, atoms) = match goal {
        Goal::Reach(bad) => return Vec::from_iter(bad.when),
        Goal::Accept {
            automaton, atoms, ..
        } => (automaton, atoms),
    };
    let mut labels = Vec::new();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            labels.push(label_term(&mut cx.terms, automaton, atoms, edge.label));
        }
    }
    distinct(labels)
}

/// The atoms of what statements assume or branch on, as far as they speak of variables of the model only:
/// the values of local variables are gone after the step.
fn of_conditions(cx: &Context, problem: &mut Problem, variables: &[VarId]) -> Vec<TermId> {
    let mut conditions = Vec::new();
    for stmt in problem.stmts() {
        cx.stmts.walk(stmt, |_, stmt| match stmt {
            Stmt::Assume(condition) | Stmt::If(condition, ..) => conditions.push(condition),
            _ => {}
        });
    }
    let lasting = |&atom: &TermId| {
        let vars = cx.terms.free_vars(&[atom]);
        !vars.is_empty() && vars.iter().all(|var| variables.contains(var))
    };
    let found = distinct(conditions)
        .into_iter()
        .flat_map(|condition| atoms(&cx.terms, condition))
        .filter(lasting);
    distinct(found)
}

/// Each once, in the order of the first occurrence.
fn distinct<T: Copy + Eq + std::hash::Hash>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = FxHashSet::default();
    all.into_iter().filter(|&one| seen.insert(one)).collect()
}
