//! One model, or several composed into one.

use lariat_base::SourceId;
use lariat_system::{
    Alternate, ComposeError, Composition, Context, Edge, Fairness, Interleave, LocId, LocRole,
    PointId, Schedule, System, TransitionSystem, Variable,
};

/// How several models step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compose {
    /// The first, the second, …, the first again.
    Alternate,
    /// Any of them at any time.
    Interleave,
}

impl Compose {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alternate => "alternate",
            Self::Interleave => "interleave",
        }
    }
}

/// What is checked: one model, or several as one.
#[derive(Debug)]
pub struct Model {
    /// The models, in a fixed order.
    pub systems: Vec<System>,
    /// The texts they were read from, if there are any.
    pub files: Vec<SourceId>,
    /// How they are composed, if they are several.
    pub composed: Option<(Compose, Composition<'static>)>,
    /// Whether it was asked if any run comes to where it is only let go on.
    pub knows_deadlock: bool,
}

impl Model {
    /// A model by itself.
    pub fn single(system: System) -> Self {
        Self {
            systems: vec![system],
            files: Vec::new(),
            composed: None,
            knows_deadlock: false,
        }
    }

    /// Several models as one.
    pub fn compose(
        cx: &mut Context,
        systems: Vec<System>,
        how: Compose,
    ) -> Result<Self, ComposeError> {
        let composition = composition(cx, &systems, how)?;
        Ok(Self {
            systems,
            files: Vec::new(),
            composed: Some((how, composition)),
            knows_deadlock: false,
        })
    }

    /// A copy. Compositions make their places on demand, so the copy starts without any.
    pub fn copy(&self, cx: &mut Context) -> Self {
        self.with_systems(cx, self.systems.clone())
    }

    /// The same composition of other systems.
    pub(crate) fn with_systems(&self, cx: &mut Context, systems: Vec<System>) -> Self {
        let mut copy = Self {
            systems,
            files: self.files.clone(),
            composed: None,
            knows_deadlock: self.knows_deadlock,
        };
        if let Some(how) = self.how() {
            let composition = composition(cx, &copy.systems, how);
            let composition = composition.expect("what was composed once can be composed again");
            copy.composed = Some((how, composition));
        }
        copy
    }

    /// How the models are composed, if they are several.
    pub fn how(&self) -> Option<Compose> {
        self.composed.as_ref().map(|(how, _)| *how)
    }

    /// Composes again after the systems have changed.
    pub(crate) fn recompose(&mut self, cx: &mut Context) {
        *self = self.copy(cx);
    }

    /// Whether it is a model by itself, not a composition.
    pub fn is_single(&self) -> bool {
        self.composed.is_none()
    }

    /// Whether it is a program by itself: locations, and statements between them.
    pub fn is_program(&self) -> bool {
        self.is_single() && self.systems[0].language.has_control_flow()
    }

    /// Whether it is by itself and has several locations: between them steps can be merged, and values die.
    pub fn has_inner_points(&self) -> bool {
        self.composed.is_none() && self.systems[0].locations.len() > 1
    }

    /// Where the models are cut off: of which of them, and at which location.
    pub fn cuts(&self) -> Vec<(usize, LocId)> {
        let mut cuts = Vec::new();
        for (part, system) in self.systems.iter().enumerate() {
            let locations = system.locations.iter_ids();
            let of_part = locations.filter(|(_, location)| location.role == LocRole::Cut);
            cuts.extend(of_part.map(|(at, _)| (part, at)));
        }
        cuts
    }

    /// Which part makes the `index`-th step from `at`, and which of that part's steps it is.
    pub fn origin(&mut self, at: PointId, index: usize) -> (usize, usize) {
        match &mut self.composed {
            None => (0, index),
            Some((_, composition)) => composition.origin(at, index),
        }
    }
}

fn composition(
    cx: &mut Context,
    systems: &[System],
    how: Compose,
) -> Result<Composition<'static>, ComposeError> {
    let n_parts = systems.len() as u32;
    let schedule: Box<dyn Schedule> = match how {
        Compose::Alternate => Box::new(Alternate { n_parts }),
        Compose::Interleave => Box::new(Interleave { n_parts }),
    };
    let boxed = |system: &System| -> Box<dyn TransitionSystem> { Box::new(system.clone()) };
    Composition::new(cx, systems.iter().map(boxed).collect(), schedule)
}

impl TransitionSystem for Model {
    fn variables(&self) -> &[Variable] {
        match &self.composed {
            None => self.systems[0].variables(),
            Some((_, composition)) => composition.variables(),
        }
    }

    fn initial(&self) -> Vec<Edge<PointId>> {
        match &self.composed {
            None => self.systems[0].initial(),
            Some((_, composition)) => composition.initial(),
        }
    }

    fn branches(&self) -> Vec<Edge<PointId>> {
        match &self.composed {
            None => self.systems[0].branches(),
            Some((_, composition)) => composition.branches(),
        }
    }

    fn edges(&mut self, at: PointId) -> Vec<Edge<PointId>> {
        match &mut self.composed {
            None => TransitionSystem::edges(&mut self.systems[0], at),
            Some((_, composition)) => composition.edges(at),
        }
    }

    fn fairness(&self) -> &[Fairness] {
        match &self.composed {
            None => self.systems[0].fairness(),
            Some((_, composition)) => composition.fairness(),
        }
    }

    fn location_name(&self, at: PointId) -> String {
        match &self.composed {
            None => self.systems[0].location_name(at),
            Some((_, composition)) => composition.location_name(at),
        }
    }

    fn n_leaves(&self) -> usize {
        self.systems.len()
    }

    fn leaf_location(&self, at: PointId, leaf: usize) -> LocId {
        match &self.composed {
            None => self.systems[0].leaf_location(at, leaf),
            Some((_, composition)) => composition.leaf_location(at, leaf),
        }
    }

    fn component(&mut self, index: usize) -> Option<&mut dyn TransitionSystem> {
        self.composed.as_mut()?.1.component(index)
    }

    fn rearranged(&mut self, at: PointId, order: &[usize]) -> Option<PointId> {
        self.composed.as_mut()?.1.rearranged(at, order)
    }
}
