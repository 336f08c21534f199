//! Counterexamples from sets of states: single states are chosen from them, back along rings, and the SAT solver finds the inputs between two.

use super::Sets;
use super::diagram::Bdd;
use crate::sat::paths::Found;
use crate::sat::stepper::Stepper;
use lariat_base::Stop;

/// The bits of a state.
type State = Vec<bool>;

/// A step to a state, which may have to have a mark.
struct Step {
    to: State,
    mark: Option<usize>,
}

/// Where a run from a state ends.
fn end<'r>(run: &'r [Step], start: &'r State) -> &'r State {
    run.last().map_or(start, |step| &step.to)
}

impl Sets<'_> {
    /// A run to a bad state, which the last ring has.
    pub(super) fn path(&mut self, bad: Bdd) -> Result<Found, Stop> {
        let rings = self.rings.clone();
        let run = self.back(&rings, bad)?;
        let mut stepper = Stepper::new(self.circuit, self.budget);
        let mut inputs = self.inputs(&run, &mut stepper)?;
        let last = end(&run, &self.start()).clone();
        inputs.push(stepper.inputs(last.into_iter(), &[self.circuit.bad])?);
        Ok(Found {
            inputs,
            start: None,
        })
    }

    /// An accepting run: to a fair state, and then around through steps with all marks.
    ///
    /// Where the way back to the start of the loop is cut off, the run has got into another component, and the loop is tried
    /// from there: there are only finitely many, one below the other.
    pub(super) fn lasso(&mut self) -> Result<Found, Stop> {
        let stem = self.way(&self.start(), self.fair, self.reached)?;
        let mut stem = stem.expect("fair states are reached");
        loop {
            let start = end(&stem, &self.start()).clone();
            let mut cycle = self.around(&start)?;
            let last = end(&cycle, &start).clone();
            if last != start {
                let goal = self.point(&start)?;
                match self.way(&last, goal, self.fair)? {
                    Some(way) => cycle.extend(way),
                    None => {
                        stem.extend(cycle);
                        continue;
                    }
                }
            }
            let n_stem = stem.len();
            stem.extend(cycle);
            let mut stepper = Stepper::new(self.circuit, self.budget);
            let mut inputs = self.inputs(&stem, &mut stepper)?;
            // The last state is that of the loop's start, with what is chosen there.
            inputs.push(inputs[n_stem].clone());
            return Ok(Found {
                inputs,
                start: Some(n_stem),
            });
        }
    }

    /// From a fair state through a step with each mark.
    fn around(&mut self, start: &State) -> Result<Vec<Step>, Stop> {
        let mut run: Vec<Step> = Vec::new();
        for mark in 0..self.relation.n_marks() {
            let needed = self.needed(&[]);
            let goal = self.relation.preimage(self.fair, Some(mark), &needed)?;
            let at = end(&run, start).clone();
            let way = self.way(&at, goal, self.fair)?;
            run.extend(way.expect("each fair state reaches each mark"));
            let here = self.point(end(&run, start))?;
            let after = self.relation.image(here, Some(mark), &needed)?;
            let after = self.relation.diagrams.and(after, self.fair)?;
            run.push(Step {
                to: self.pick(after),
                mark: Some(mark),
            });
        }
        Ok(run)
    }

    /// The shortest run inside of a set from a state to one of the goal, if there is one; no step if it is one itself.
    fn way(&mut self, from: &State, goal: Bdd, inside: Bdd) -> Result<Option<Vec<Step>>, Stop> {
        let start = self.point(from)?;
        let (mut rings, mut all) = (vec![start], start);
        loop {
            let last = *rings.last().expect("there is a start");
            let met = self.relation.diagrams.and(last, goal)?;
            if met != Bdd::FALSE {
                return self.back(&rings, met).map(Some);
            }
            let mut needed = self.needed(&[goal, inside, all]);
            needed.extend(&rings);
            let next = self.relation.image(last, None, &needed)?;
            let next = self.relation.diagrams.and(next, inside)?;
            let new = self.relation.diagrams.and(next, !all)?;
            if new == Bdd::FALSE {
                return Ok(None);
            }
            all = self.relation.diagrams.or(all, new)?;
            rings.push(new);
        }
    }

    /// A run through rings, of which the first has one state, to a state of a part of the last.
    fn back(&mut self, rings: &[Bdd], last: Bdd) -> Result<Vec<Step>, Stop> {
        let mut run = Vec::new();
        let mut state = self.pick(last);
        for ring in rings[..rings.len() - 1].iter().rev() {
            let here = self.point(&state)?;
            run.push(Step {
                to: state,
                mark: None,
            });
            let mut needed = self.needed(&[here]);
            needed.extend(rings);
            let before = self.relation.preimage(here, None, &needed)?;
            let before = self.relation.diagrams.and(before, *ring)?;
            state = self.pick(before);
        }
        run.reverse();
        Ok(run)
    }

    /// The inputs of a run from the start.
    fn inputs(&self, run: &[Step], stepper: &mut Stepper<'_>) -> Result<Vec<Vec<bool>>, Stop> {
        let mut at = &self.start();
        let mut inputs = Vec::new();
        for step in run {
            let mark = step.mark.map(|mark| self.circuit.marks[mark]);
            let (from, to) = (at.iter().copied(), step.to.iter().copied());
            inputs.push(stepper.step(from, to, mark.into_iter())?);
            at = &step.to;
        }
        Ok(inputs)
    }

    /// The state before the start.
    fn start(&self) -> State {
        vec![false; self.circuit.n_state]
    }

    fn point(&mut self, state: &State) -> Result<Bdd, Stop> {
        self.relation.diagrams.point(&self.relation.now, state)
    }

    /// A state of a set.
    fn pick(&self, set: Bdd) -> State {
        assert!(set != Bdd::FALSE, "a set that was found has a state");
        self.relation.diagrams.pick(set, &self.relation.now)
    }
}
