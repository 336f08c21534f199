//! A solver for propositional clauses: conflict-driven clause learning (Marques-Silva and Sakallah, GRASP, ICCAD'96; Moskewicz et
//! al., Chaff, DAC'01), with assumptions and cores as in `MiniSat` (Eén and Sörensson, SAT'03).
//!
//! Circuits are asked thousands of small questions about one step, so questions must cost little beyond the propagation that they
//! need: that is why this is not asked of the SMT solver. It is deterministic, and counts what it does.
//!
//! Clauses lie one after the other in one vector: length, glue (0 for those that were given), literals. The first two literals are
//! watched. Clauses are only removed between restarts, where no literal but those of level 0 has a reason.

use super::heap::Heap;
use std::ops::Not;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct Lit(u32);

impl Lit {
    /// The variable 0.
    pub const FIRST: Self = Self(0);

    /// The literal of a variable.
    pub fn new(var: usize, is_negative: bool) -> Self {
        Self((var as u32) << 1 | u32::from(is_negative))
    }

    /// Its variable.
    pub fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is a negation.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same if `is_positive`, else the negation.
    pub fn if_(self, is_positive: bool) -> Self {
        Self(self.0 ^ u32::from(!is_positive))
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The place of a clause.
type ClauseRef = u32;
const NONE: ClauseRef = u32::MAX;
/// How many words of a clause stand before its literals.
const HEAD: usize = 2;
/// A restart every so many conflicts, times the number of the Luby sequence.
const RESTART: u64 = 64;
/// So many learned clauses are kept at first.
const FEW_LEARNED: usize = 4_000;
/// Learned clauses with so few levels are kept for ever.
const GOOD_GLUE: u32 = 2;
/// How much less an activity counts after each conflict.
const DECAY: f64 = 0.95;
const HUGE: f64 = 1e100;

#[derive(Clone, Copy, Debug)]
struct Watch {
    clause: ClauseRef,
    /// Some other literal of the clause: if it is true, the clause need not be looked at.
    other: Lit,
}

/// Clauses, and what was found out about them.
#[derive(Debug, Default)]
pub(crate) struct Cdcl {
    words: Vec<u32>,
    n_learned: usize,
    max_learned: usize,
    watches: Vec<Vec<Watch>>,
    /// By literal: 1 if it is true, -1 if it is false, 0 if neither.
    values: Vec<i8>,
    levels: Vec<u32>,
    reasons: Vec<ClauseRef>,
    phases: Vec<bool>,
    trail: Vec<Lit>,
    /// The length of the trail before each decision.
    limits: Vec<usize>,
    n_propagated: usize,
    heap: Heap,
    step: f64,
    seen: Vec<bool>,
    is_contradictory: bool,
    /// How often the search for the present answer was started anew.
    n_restarts: u64,
    model: Vec<bool>,
    core: Vec<Lit>,
    /// How many literals were propagated in all.
    pub work: u64,
}

impl Cdcl {
    /// No clauses.
    pub fn new() -> Self {
        Self {
            max_learned: FEW_LEARNED,
            step: 1.0,
            ..Self::default()
        }
    }

    /// A new variable.
    pub fn new_var(&mut self) -> usize {
        let var = self.levels.len();
        self.levels.push(0);
        self.reasons.push(NONE);
        self.phases.push(false);
        self.seen.push(false);
        self.values.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.heap.add(var);
        var
    }

    /// How many variables there are.
    pub fn n_vars(&self) -> usize {
        self.levels.len()
    }

    /// Adds a clause.
    pub fn add(&mut self, lits: &[Lit]) {
        self.back_to(0);
        let mut kept: Vec<Lit> = lits.to_vec();
        kept.sort_unstable();
        kept.dedup();
        let is_true = |&lit: &Lit| self.values[lit.index()] > 0;
        let is_tautology = kept.windows(2).any(|pair| pair[0] == !pair[1]);
        if is_tautology || kept.iter().any(is_true) {
            return;
        }
        kept.retain(|lit| self.values[lit.index()] == 0);
        match kept[..] {
            [] => self.is_contradictory = true,
            [unit] => {
                self.set(unit, NONE);
                self.is_contradictory |= self.propagate().is_some();
            }
            _ => {
                self.store(&kept, 0);
            }
        }
    }

    /// Whether the clauses and the assumptions have a common model; nothing if that takes more conflicts.
    pub fn solve(&mut self, assumptions: &[Lit], max_conflicts: u64) -> Option<bool> {
        self.core.clear();
        let mut n_conflicts = 0;
        let answer = loop {
            self.back_to(0);
            if self.is_contradictory {
                break Some(false);
            }
            if self.n_learned > self.max_learned {
                self.forget();
            }
            let limit = RESTART * luby(self.n_restarts);
            self.n_restarts += 1;
            let most = limit.min(max_conflicts - n_conflicts);
            let (answer, n) = self.search(assumptions, most);
            n_conflicts += n;
            if answer.is_some() {
                break answer;
            }
            if n_conflicts >= max_conflicts {
                break None;
            }
        };
        if answer.is_some() {
            self.n_restarts = 0;
        }
        if answer == Some(true) {
            self.model.clear();
            let vars = 0..self.n_vars();
            self.model
                .extend(vars.map(|var| self.values[Lit::new(var, false).index()] > 0));
        }
        self.back_to(0);
        answer
    }

    /// The truth of a literal in the last model.
    pub fn truth(&self, lit: Lit) -> bool {
        self.model[lit.var()] != lit.is_negative()
    }

    /// Assumptions of the last question that contradict the clauses.
    pub fn core(&self) -> &[Lit] {
        &self.core
    }

    /// Searches until there is an answer or there were so many conflicts.
    fn search(&mut self, assumptions: &[Lit], max_conflicts: u64) -> (Option<bool>, u64) {
        let mut n_conflicts = 0;
        loop {
            if let Some(conflict) = self.propagate() {
                n_conflicts += 1;
                if self.limits.is_empty() {
                    self.is_contradictory = true;
                    return (Some(false), n_conflicts);
                }
                self.learn(conflict);
                continue;
            }
            if n_conflicts >= max_conflicts {
                return (None, n_conflicts);
            }
            // Assumptions are the first decisions.
            let mut decision = None;
            while let Some(&assumed) = assumptions.get(self.limits.len()) {
                match self.values[assumed.index()] {
                    1.. => self.limits.push(self.trail.len()),
                    0 => {
                        decision = Some(assumed);
                        break;
                    }
                    _ => {
                        self.explain(assumed);
                        return (Some(false), n_conflicts);
                    }
                }
            }
            let Some(decision) = decision.or_else(|| self.branch()) else {
                return (Some(true), n_conflicts);
            };
            self.limits.push(self.trail.len());
            self.set(decision, NONE);
        }
    }

    fn branch(&mut self) -> Option<Lit> {
        while let Some(var) = self.heap.pop() {
            let lit = Lit::new(var, false);
            if self.values[lit.index()] == 0 {
                return Some(lit.if_(self.phases[var]));
            }
        }
        None
    }

    fn set(&mut self, lit: Lit, reason: ClauseRef) {
        self.values[lit.index()] = 1;
        self.values[(!lit).index()] = -1;
        self.levels[lit.var()] = self.limits.len() as u32;
        self.reasons[lit.var()] = reason;
        self.trail.push(lit);
    }

    fn back_to(&mut self, level: usize) {
        if self.limits.len() <= level {
            return;
        }
        let start = self.limits[level];
        for &lit in &self.trail[start..] {
            self.values[lit.index()] = 0;
            self.values[(!lit).index()] = 0;
            self.phases[lit.var()] = !lit.is_negative();
            self.heap.add(lit.var());
        }
        self.trail.truncate(start);
        self.limits.truncate(level);
        self.n_propagated = start;
    }

    /// Sets what follows; the clause that cannot be true any more, if there is one.
    fn propagate(&mut self) -> Option<ClauseRef> {
        while let Some(&lit) = self.trail.get(self.n_propagated) {
            self.n_propagated += 1;
            self.work += 1;
            let falsified = !lit;
            let mut watches = std::mem::take(&mut self.watches[falsified.index()]);
            let (mut kept, mut at) = (0, 0);
            let mut conflict = None;
            'watches: while at < watches.len() {
                let watch = watches[at];
                at += 1;
                if self.values[watch.other.index()] > 0 {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let first = watch.clause as usize + HEAD;
                let end = first + self.words[watch.clause as usize] as usize;
                if self.words[first] == falsified.0 {
                    self.words.swap(first, first + 1);
                }
                let other = Lit(self.words[first]);
                let moved = Watch { other, ..watch };
                if other != watch.other && self.values[other.index()] > 0 {
                    watches[kept] = moved;
                    kept += 1;
                    continue;
                }
                for i in first + 2..end {
                    let next = Lit(self.words[i]);
                    if self.values[next.index()] >= 0 {
                        self.words.swap(first + 1, i);
                        self.watches[next.index()].push(moved);
                        continue 'watches;
                    }
                }
                watches[kept] = moved;
                kept += 1;
                if self.values[other.index()] < 0 {
                    conflict = Some(watch.clause);
                    while at < watches.len() {
                        watches[kept] = watches[at];
                        kept += 1;
                        at += 1;
                    }
                    self.n_propagated = self.trail.len();
                } else {
                    self.set(other, watch.clause);
                }
            }
            watches.truncate(kept);
            self.watches[falsified.index()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    fn lits(&self, clause: ClauseRef) -> impl Iterator<Item = Lit> + use<'_> {
        let first = clause as usize + HEAD;
        let end = first + self.words[clause as usize] as usize;
        self.words[first..end].iter().map(|&word| Lit(word))
    }

    fn store(&mut self, lits: &[Lit], glue: u32) -> ClauseRef {
        let clause = self.words.len() as ClauseRef;
        self.words.extend([lits.len() as u32, glue]);
        self.words.extend(lits.iter().map(|lit| lit.0));
        self.watch(clause);
        self.n_learned += usize::from(glue > 0);
        clause
    }

    fn watch(&mut self, clause: ClauseRef) {
        let first = clause as usize + HEAD;
        let [a, b] = [Lit(self.words[first]), Lit(self.words[first + 1])];
        for (lit, other) in [(a, b), (b, a)] {
            self.watches[lit.index()].push(Watch { clause, other });
        }
    }

    /// Learns from a conflict: goes back to where the learned clause says something new.
    fn learn(&mut self, conflict: ClauseRef) {
        let learned = self.first_unique_point(conflict);
        let asserting = learned[0];
        let back = learned[1..].iter().map(|lit| self.levels[lit.var()]).max();
        let mut levels: Vec<u32> = learned.iter().map(|lit| self.levels[lit.var()]).collect();
        levels.sort_unstable();
        levels.dedup();
        self.back_to(back.unwrap_or(0) as usize);
        let reason = if learned.len() == 1 {
            NONE
        } else {
            self.store(&learned, (levels.len() as u32).max(1))
        };
        self.set(asserting, reason);
        self.step /= DECAY;
        if self.step > HUGE {
            self.heap.scale(1.0 / HUGE);
            self.step /= HUGE;
        }
    }

    /// A clause that follows and has one literal of this level, its first. The second is of the highest level of the others.
    fn first_unique_point(&mut self, conflict: ClauseRef) -> Vec<Lit> {
        let here = self.limits.len() as u32;
        let mut learned = vec![Lit(0)];
        let (mut n_open, mut at) = (0, self.trail.len());
        let mut reason = conflict;
        let mut pivot = None;
        loop {
            let first = reason as usize + HEAD;
            let end = first + self.words[reason as usize] as usize;
            for i in first..end {
                let lit = Lit(self.words[i]);
                let var = lit.var();
                if Some(lit) == pivot || self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                self.heap.bump(var, self.step);
                if self.levels[var] == here {
                    n_open += 1;
                } else {
                    learned.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                if self.seen[self.trail[at].var()] {
                    break self.trail[at];
                }
            };
            n_open -= 1;
            if n_open == 0 {
                learned[0] = !lit;
                break;
            }
            self.seen[lit.var()] = false;
            pivot = Some(lit);
            reason = self.reasons[lit.var()];
        }
        let all = learned.clone();
        let kept: Vec<bool> = all.iter().map(|&lit| !self.is_implied(lit)).collect();
        let mut kept = kept.into_iter().enumerate();
        learned.retain(|_| kept.next().is_some_and(|(i, is_kept)| i == 0 || is_kept));
        for lit in all {
            self.seen[lit.var()] = false;
        }
        if let Some(highest) = (1..learned.len()).max_by_key(|&i| self.levels[learned[i].var()]) {
            learned.swap(1, highest);
        }
        learned
    }

    /// Whether a literal of a learned clause follows from the others.
    fn is_implied(&self, lit: Lit) -> bool {
        let reason = self.reasons[lit.var()];
        let known = |other: Lit| self.seen[other.var()] || self.levels[other.var()] == 0;
        reason != NONE && self.lits(reason).all(|other| other == !lit || known(other))
    }

    /// Finds the assumptions because of which `assumed` is false.
    fn explain(&mut self, assumed: Lit) {
        self.core.push(assumed);
        if self.levels[assumed.var()] == 0 {
            return;
        }
        self.seen[assumed.var()] = true;
        for at in (self.limits[0]..self.trail.len()).rev() {
            let lit = self.trail[at];
            if !std::mem::take(&mut self.seen[lit.var()]) {
                continue;
            }
            let reason = self.reasons[lit.var()];
            if reason == NONE {
                // All decisions so far are assumptions.
                self.core.push(lit);
                continue;
            }
            let others: Vec<Lit> = self.lits(reason).filter(|other| *other != lit).collect();
            for other in others {
                if self.levels[other.var()] > 0 {
                    self.seen[other.var()] = true;
                }
            }
        }
        self.seen[assumed.var()] = false;
    }

    /// Forgets the worse half of the learned clauses, and all that are true at level 0.
    fn forget(&mut self) {
        let mut glues = Vec::with_capacity(self.n_learned);
        let mut at = 0;
        while at < self.words.len() {
            if self.words[at + 1] > GOOD_GLUE {
                glues.push(self.words[at + 1]);
            }
            at += HEAD + self.words[at] as usize;
        }
        glues.sort_unstable();
        let worst = glues.get(glues.len() / 2).copied().unwrap_or(u32::MAX);
        // Of equally bad ones, the younger half stays.
        let n_worst = glues.iter().filter(|&&glue| glue == worst).count();
        let mut n_dropped = n_worst / 2;
        let old = std::mem::take(&mut self.words);
        for watches in &mut self.watches {
            watches.clear();
        }
        self.n_learned = 0;
        let mut at = 0;
        while at < old.len() {
            let (len, glue) = (old[at] as usize, old[at + 1]);
            let lits = &old[at + HEAD..at + HEAD + len];
            at += HEAD + len;
            if glue > worst || glue == worst && glue > GOOD_GLUE && n_dropped > 0 {
                n_dropped = n_dropped.saturating_sub(usize::from(glue == worst));
                continue;
            }
            let lits = lits.iter().map(|&word| Lit(word));
            let lits: Vec<Lit> = lits.filter(|lit| self.values[lit.index()] >= 0).collect();
            if lits.iter().any(|lit| self.values[lit.index()] > 0) {
                continue;
            }
            self.store(&lits, glue);
        }
        for lit in &self.trail {
            self.reasons[lit.var()] = NONE;
        }
        self.max_learned += self.max_learned / 10;
    }
}

/// The Luby sequence: 1, 1, 2, 1, 1, 2, 4, …
fn luby(at: u64) -> u64 {
    let (mut size, mut exponent) = (1, 0);
    while size < at + 1 {
        size = 2 * size + 1;
        exponent += 1;
    }
    let mut at = at;
    while size - 1 != at {
        size = (size - 1) / 2;
        exponent -= 1;
        at %= size;
    }
    1 << exponent
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_testkit::{Rng, rng};
    use rand::Rng as _;

    /// Random clauses, asked again and again under random assumptions while clauses are added, against all assignments.
    #[test]
    fn answers_are_those_of_all_assignments() {
        const VARS: usize = 9;
        for seed in 0..300 {
            let mut random = rng(seed);
            let mut solver = Cdcl::new();
            (0..VARS).for_each(|_| {
                solver.new_var();
            });
            let lit = |random: &mut Rng| Lit::new(random.random_range(0..VARS), random.random());
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            let holds =
                |assignment: u32, lit: Lit| (assignment >> lit.var() & 1 == 1) != lit.is_negative();
            for _ in 0..40 {
                let clause: Vec<Lit> = (0..random.random_range(1..5))
                    .map(|_| lit(&mut random))
                    .collect();
                if clause.len() > 1 || random.random_range(0..8) == 0 {
                    solver.add(&clause);
                    clauses.push(clause);
                }
                let assumed: Vec<Lit> = (0..random.random_range(0..5))
                    .map(|_| lit(&mut random))
                    .collect();
                let is_model = |assumed: &[Lit], assignment: u32| {
                    assumed.iter().all(|&lit| holds(assignment, lit))
                        && clauses
                            .iter()
                            .all(|clause| clause.iter().any(|&lit| holds(assignment, lit)))
                };
                let expected = (0..1 << VARS).any(|a| is_model(&assumed, a));
                let found = solver.solve(&assumed, u64::MAX);
                assert_eq!(found, Some(expected), "seed {seed}");
                if expected {
                    let model =
                        (0..VARS).map(|var| u32::from(solver.truth(Lit::new(var, false))) << var);
                    assert!(is_model(&assumed, model.sum()), "seed {seed}: the model");
                } else {
                    let core = solver.core().to_vec();
                    assert!(core.iter().all(|lit| assumed.contains(lit)), "seed {seed}");
                    assert!(
                        !(0..1 << VARS).any(|a| is_model(&core, a)),
                        "seed {seed}: the core"
                    );
                }
            }
        }
    }

    /// Each of `n + 1` pigeons in one of `n` holes: needs learning, restarts and forgetting.
    #[test]
    fn pigeons_do_not_fit() {
        let n = 7;
        let mut solver = Cdcl::new();
        solver.max_learned = 50;
        for _ in 0..n * (n + 1) {
            solver.new_var();
        }
        let is_in = |pigeon: usize, hole: usize| Lit::new(pigeon * n + hole, false);
        for pigeon in 0..=n {
            let somewhere: Vec<Lit> = (0..n).map(|hole| is_in(pigeon, hole)).collect();
            solver.add(&somewhere);
            for other in 0..pigeon {
                for hole in 0..n {
                    solver.add(&[!is_in(pigeon, hole), !is_in(other, hole)]);
                }
            }
        }
        assert_eq!(solver.solve(&[], 3), None);
        assert_eq!(solver.solve(&[], u64::MAX), Some(false));
    }

    #[test]
    fn luby_sequence() {
        let first: Vec<u64> = (0..15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
