//! What is known at a point of a step: the literals that variables hold there.
//!
//! A step changes little of what is known before it, so only that is noted, with a trail to take it back: following a
//! statement, branches and their meeting included, costs as much as the statement is long, however much is known.

use lariat_base::FxHashMap;
use lariat_expr::{TermId, VarId};

/// Variables with the literals that they hold.
pub type Known = FxHashMap<VarId, TermId>;

/// What a branch leaves otherwise than it was before: a literal, or nothing that is known.
pub type Changes = FxHashMap<VarId, Option<TermId>>;

/// What is known at the point that was followed to.
pub struct Flow<'k> {
    /// What is known before the step.
    before: &'k Known,
    changes: Changes,
    /// What each change replaced in `changes`, in their order.
    trail: Vec<(VarId, Replaced)>,
    /// Whether any run comes to this point.
    pub is_reached: bool,
}

/// What a change replaced.
enum Replaced {
    /// What was known before the step.
    Nothing,
    /// Another change.
    Change(Option<TermId>),
}

/// The start of a branch, to come back to.
pub struct Mark(usize);

impl<'k> Flow<'k> {
    /// The point before a step.
    pub fn new(before: &'k Known) -> Self {
        Self {
            before,
            changes: Changes::default(),
            trail: Vec::new(),
            is_reached: true,
        }
    }

    /// The literal that a variable holds here, if it is known.
    pub fn get(&self, var: VarId) -> Option<TermId> {
        let changed = self.changes.get(&var).copied();
        changed.unwrap_or_else(|| self.before.get(&var).copied())
    }

    /// From here on the variable holds this literal, or an unknown value.
    pub fn set(&mut self, var: VarId, value: Option<TermId>) {
        if self.get(var) != value {
            let before = self.changes.insert(var, value);
            let replaced = before.map_or(Replaced::Nothing, Replaced::Change);
            self.trail.push((var, replaced));
        }
    }

    /// Begins a branch.
    pub fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Goes back to the start of a branch; what the branch changed, unless its end is never reached.
    pub fn take_back(&mut self, mark: &Mark) -> Option<Changes> {
        let mut own = Changes::default();
        for (var, replaced) in self.trail.drain(mark.0..).rev() {
            let last = match replaced {
                Replaced::Change(value) => self.changes.insert(var, value),
                Replaced::Nothing => self.changes.remove(&var),
            };
            let last = last.expect("what is on the trail is a change");
            // The last change comes first.
            own.entry(var).or_insert(last);
        }
        std::mem::replace(&mut self.is_reached, true).then_some(own)
    }

    /// Goes on where branches meet: only what all of them agree on is known. Of no branches, nothing is reached.
    pub fn meet(&mut self, ends: &[Changes]) {
        self.is_reached = !ends.is_empty();
        // How many branches change a variable, and to what if they agree.
        let mut changed: FxHashMap<VarId, (usize, Option<TermId>)> = FxHashMap::default();
        for (&var, &value) in ends.iter().flatten() {
            let (n, common) = changed.entry(var).or_insert((0, value));
            *n += 1;
            if *common != value {
                *common = None;
            }
        }
        for (var, (n, common)) in changed {
            let is_agreed = n == ends.len() || common == self.get(var);
            self.set(var, if is_agreed { common } else { None });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::Id as _;

    #[test]
    fn branches_leave_what_they_agree_on() {
        let var = VarId::from_index;
        let lit = TermId::from_index;
        let before: Known = (0..4).map(|i| (var(i), lit(i))).collect();
        let mut flow = Flow::new(&before);
        flow.set(var(3), Some(lit(9)));
        let mut ends = Vec::new();
        for own in [[(0, 5), (1, 6), (2, 7)], [(0, 5), (1, 8), (3, 8)]] {
            let mark = flow.mark();
            for (at, value) in own {
                flow.set(var(at), Some(lit(30 + value)));
                flow.set(var(at), Some(lit(value)));
            }
            ends.extend(flow.take_back(&mark));
        }
        let now = |flow: &Flow<'_>| [0, 1, 2, 3].map(|at| flow.get(var(at)));
        let start = [Some(lit(0)), Some(lit(1)), Some(lit(2)), Some(lit(9))];
        assert_eq!(now(&flow), start, "a branch is taken back");
        // Both end with 5 in the first variable, the others they leave with different values.
        let mark = flow.mark();
        flow.meet(&ends);
        assert_eq!(now(&flow), [Some(lit(5)), None, None, None]);
        assert!(flow.take_back(&mark).is_some());
        assert_eq!(now(&flow), start);
        // A branch whose end is never reached has no say.
        let mark = flow.mark();
        flow.set(var(0), None);
        flow.is_reached = false;
        assert_eq!(flow.take_back(&mark), None);
        flow.meet(&ends[..1]);
        assert_eq!(
            now(&flow),
            [Some(lit(5)), Some(lit(6)), Some(lit(7)), Some(lit(9))]
        );
        flow.meet(&[]);
        assert!(!flow.is_reached);
    }
}
