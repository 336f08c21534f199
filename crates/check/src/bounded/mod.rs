//! Counterexamples by unrolling: all paths of the product of one length at once. Bad states are looked for at their ends
//! (`reach.rs`), lassos with a loop that is closed by a rule by which numbers grow.
//!
//! Abstraction finds a loop by what its states have in common, which takes long where one step is a large relation (every STS)
//! or where many inputs are guessed. Here the solver chooses the path, where its loop starts, and the rays along
//! which the loop's numbers grow (`refine/along.rs`), from one formula for each length. A loop without rays is one that comes
//! back to its state. With more rays the formula is larger, so loops with one are sought at first.
//!
//! Some loops grow along no rays, above all where numbers are multiplied with one another. So paths that the solver chooses, with a
//! loop that brings back what has few values, are tested for a region that the loop does not leave. If there is none,
//! the length is done.
//!
//! This can only refute: what is found is a lasso of the product like any other, and is executed for all
//! rounds at once before anything is said (`refine/geometric.rs`, `refine/closed.rs`).

mod layers;
mod reach;

use crate::acceptance::Mark;
use crate::confirm::confirm;
use crate::engine::{Engine as _, Outcome, Statistics};
use crate::explored::Taken;
use crate::problem::{Goal, Problem};
use crate::product::{PlaceId, Product};
use crate::rank::{Purifier, not_linear};
use crate::refine::{AbstractLasso, Along, Recurrence, closed, geometric_near};
use crate::session::{Halt, Session, Stats};
use crate::verdict::{Counterexample, Unknown, Verdict};
use lariat_base::Budget;
use lariat_expr::{Int, TermId, Value, VarId};
use lariat_smt::{Answer, Backend, Reason};
use lariat_system::{Context, Lasso, StmtId, Variable};
use layers::{Layers, flag};

/// How far to unroll.
#[derive(Clone, Debug)]
pub struct BoundedConfig {
    /// The most steps of a lasso, those of the reader included.
    pub max_steps: usize,
    /// Which loops are looked for, besides those that come back to a state.
    pub recurrence: Recurrence,
}

impl Default for BoundedConfig {
    fn default() -> Self {
        Self {
            max_steps: 40,
            recurrence: Recurrence::default(),
        }
    }
}

/// The most rays.
const MAX_RAYS: usize = 2;
/// How many loops of each length are tested for a region.
const MAX_LOOPS: usize = 3;
/// The solver's steps for one question.
const STEPS: u32 = 20_000_000;
/// A variable with a range of fewer values is one of control.
const MANY_VALUES: i64 = 64;

/// Looks for a run that refutes the problem's property.
pub(crate) fn check_bounded(
    cx: &mut Context,
    problem: &mut Problem,
    config: &BoundedConfig,
    solver: &dyn Fn() -> Box<dyn Backend>,
    budget: &Budget,
) -> Outcome {
    let (stats, result);
    if let Err(why) = config.supports(problem) {
        (stats, result) = (Stats::default(), Err(Halt(Unknown::Unsupported(why))));
    } else {
        let mut product = Product::new(cx, problem);
        let variables = product.variables().to_vec();
        let mut session = Session::new(cx, solver(), &variables, budget);
        let mut other = solver();
        other.set_budget(budget);
        let mut search = Search {
            session: &mut session,
            product: &mut product,
            other,
            layers: Layers::new(),
            recurrence: config.recurrence,
            loops: Vec::new(),
        };
        result = if search.product.seeks_lassos() {
            let found = search.run(config.max_steps);
            found.map(|lasso| lasso.map(Counterexample::Lasso))
        } else {
            let found = search.reach();
            found.map(|run| run.map(Counterexample::Path))
        };
        stats = session.stats;
    }
    let verdict = match result {
        Ok(Some(counterexample)) => {
            confirm(cx, problem, &counterexample);
            Verdict::Violated(counterexample)
        }
        Ok(None) => {
            let what = match problem.goal {
                Goal::Reach(_) => "no path to a bad state",
                Goal::Accept { .. } => "no loop that closes or grows by a rule",
            };
            let n_steps = stats.iterations;
            let why = format!("{what} was found within {n_steps} steps");
            Verdict::Unknown(Unknown::NoProgress(why))
        }
        Err(Halt(why)) => Verdict::Unknown(why),
    };
    Outcome {
        verdict,
        statistics: Statistics::Cegar(stats),
        proof: None,
    }
}

struct Search<'s, 'c, 'p> {
    session: &'s mut Session<'c>,
    product: &'s mut Product<'p>,
    /// A solver without the assertions of the layers.
    other: Box<dyn Backend>,
    layers: Layers,
    recurrence: Recurrence,
    /// The loops that were tested for a region: their steps, and the values of control variables after each.
    loops: Vec<Vec<(StmtId, Vec<Value>)>>,
}

/// A path that the solver chose.
struct Chosen {
    taken: Vec<Taken>,
    /// How many of its steps are the stem.
    start: usize,
    /// The values of the variables after each step.
    states: Vec<Vec<Value>>,
}

impl Search<'_, '_, '_> {
    fn run(&mut self, max_steps: usize) -> Result<Option<Lasso>, Halt> {
        while self.layers.all.len() < max_steps {
            self.session.budget.check()?;
            if !self.layers.push(self.session, self.product)? {
                return Ok(None);
            }
            self.session.stats.iterations += 1;
            let starts = self.starts();
            if starts.is_empty() {
                continue;
            }
            let first = self.solved(&starts, 0, &[])?;
            if matches!(first, Found::Nothing) {
                continue;
            }
            let lasso = if self.multiplies() {
                let stays = self.stays(&starts, first)?;
                stays.map_or_else(|| self.grows(&starts), |lasso| Ok(Some(lasso)))?
            } else {
                let grows = self.grows(&starts)?;
                grows.map_or_else(|| self.stays(&starts, first), |lasso| Ok(Some(lasso)))?
            };
            if lasso.is_some() {
                return Ok(lasso);
            }
        }
        Ok(None)
    }

    /// A lasso whose loop stays in a region, along some of the paths of this length that loop at all.
    fn stays(&mut self, starts: &[usize], first: Found) -> Result<Option<Lasso>, Halt> {
        let (mut found, mut others) = (first, Vec::new());
        while let Found::Path(chosen) = found {
            if self.recurrence != Recurrence::Closed {
                break;
            }
            if self.is_new(&chosen)
                && let Some(lasso) = self.tested(&chosen, closed)?
            {
                return Ok(Some(lasso));
            }
            others.push(self.another(&chosen));
            if others.len() == MAX_LOOPS {
                break;
            }
            found = self.solved(starts, 0, &others)?;
        }
        Ok(None)
    }

    /// A lasso whose numbers grow along rays.
    fn grows(&mut self, starts: &[usize]) -> Result<Option<Lasso>, Halt> {
        for n_rays in 1..=MAX_RAYS {
            if let Found::Path(chosen) = self.solved(starts, n_rays, &[])?
                && let Some(lasso) = self.lasso(&chosen)?
            {
                return Ok(Some(lasso));
            }
        }
        Ok(None)
    }

    /// A path as by `solve`, in a scope of its own, under some conditions.
    fn solved(
        &mut self,
        starts: &[usize],
        n_rays: usize,
        conditions: &[TermId],
    ) -> Result<Found, Halt> {
        self.session.solver.push();
        for &condition in conditions {
            self.session
                .solver
                .assert(&self.session.cx.terms, condition);
        }
        let found = self.solve(starts, n_rays);
        self.session.solver.pop();
        found
    }

    /// Whether variables are multiplied with or divided by one another on some path: then rays are of little use.
    fn multiplies(&self) -> bool {
        let layers = self.layers.all.iter();
        let parts = layers.flat_map(|layer| layer.choices.iter().flat_map(|choice| &choice.parts));
        let parts: Vec<TermId> = parts.copied().collect();
        !not_linear(&self.session.cx.terms, &parts).is_empty()
    }

    /// Whether no loop with these steps and these values of control variables was tested before.
    fn is_new(&mut self, chosen: &Chosen) -> bool {
        let control = self.control();
        let at = self.session.variables.iter();
        let at: Vec<bool> = at.map(|var| control.contains(var)).collect();
        let mut same = Vec::new();
        for (taken, state) in chosen.taken.iter().zip(&chosen.states).skip(chosen.start) {
            let values = state.iter().zip(&at).filter(|(_, is_control)| **is_control);
            let values: Vec<Value> = values.map(|(value, _)| value.clone()).collect();
            same.push((taken.stmt, values));
        }
        let is_new = !self.loops.contains(&same);
        if is_new {
            self.loops.push(same);
        }
        is_new
    }

    /// That the path goes round another loop, by its steps or by the values of control variables.
    fn another(&mut self, chosen: &Chosen) -> TermId {
        let control = self.control();
        let mut same = Vec::new();
        for at in chosen.start..self.layers.all.len() {
            let choices = self.layers.all[at].choices.iter();
            let taken = choices.filter(|choice| choice.taken == chosen.taken[at]);
            same.extend(taken.map(|choice| choice.is_taken));
            for (i, var) in self.session.variables.clone().into_iter().enumerate() {
                if control.contains(&var) {
                    let copy = self.layers.var_after(self.session, var, at + 1);
                    let terms = &mut self.session.cx.terms;
                    let value = terms.lit(chosen.states[at][i].clone(), terms.sort(copy));
                    same.push(terms.eq(copy, value));
                }
            }
        }
        let same = self.session.cx.terms.and(&same);
        self.session.cx.terms.not(same)
    }

    /// The variables with few values that matter: a loop must bring them back, whatever its numbers do.
    fn control(&mut self) -> Vec<VarId> {
        let relevant = self.relevant();
        let terms = &self.session.cx.terms;
        let has_few = |variable: &&Variable| {
            let sort = terms.var_sort(variable.var);
            let is_number = sort == terms.sorts.int() || sort == terms.sorts.rat();
            let is_small = |(least, most): &(Int, Int)| most - least < Int::from(MANY_VALUES);
            !is_number || variable.range.as_ref().is_some_and(is_small)
        };
        let variables = self.product.variables().iter().filter(has_few);
        let control: Vec<VarId> = variables.map(|variable| variable.var).collect();
        relevant
            .into_iter()
            .filter(|var| control.contains(var))
            .collect()
    }

    /// After how many layers a loop may start that the last layer ends.
    fn starts(&self) -> Vec<usize> {
        let n = self.layers.all.len();
        let ends = self.ends(n);
        let meets = |&start: &usize| self.ends(start).iter().any(|place| ends.contains(place));
        (1..n).filter(meets).collect()
    }

    /// Where the first `n` layers may lead, unless the reader is to read there.
    fn ends(&self, n: usize) -> Vec<PlaceId> {
        let mut places = self.layers.places(n);
        places.retain(|&place| !self.product.is_reading(place));
        places
    }

    /// A path whose loop starts after so many layers; with rays, one that can be taken for ever.
    fn solve(&mut self, starts: &[usize], n_rays: usize) -> Result<Found, Halt> {
        let mut flags = Vec::new();
        let control = self.control();
        for &start in starts {
            let here = flag(self.session, &format!("the loop starts after {start}"));
            let mut loops = vec![self.loops(start)];
            for &var in &control {
                let [before, after] = [start, self.layers.all.len()]
                    .map(|n| self.layers.var_after(self.session, var, n));
                loops.push(self.session.cx.terms.eq(before, after));
            }
            let terms = &mut self.session.cx.terms;
            let loops = terms.and(&loops);
            let said = terms.implies(here, loops);
            self.session.solver.assert(&self.session.cx.terms, said);
            flags.push((start, here));
        }
        let one: Vec<TermId> = flags.iter().map(|&(_, here)| here).collect();
        let one = self.session.cx.terms.or(&one);
        self.session.solver.assert(&self.session.cx.terms, one);
        if n_rays > 0 {
            for term in self.growth(&flags, n_rays) {
                self.session.solver.assert(&self.session.cx.terms, term);
            }
        }
        self.session.stats.checks += 1;
        let terms = &self.session.cx.terms;
        match self.session.solver.check_briefly(terms, &[], STEPS) {
            Answer::Sat => Ok(self.chosen(&flags).map_or(Found::Unclear, Found::Path)),
            Answer::Unsat if n_rays == 0 => Ok(Found::Nothing),
            Answer::Unknown(Reason::Stopped(stop)) => Err(stop.into()),
            Answer::Unsat | Answer::Unknown(_) => Ok(Found::Unclear),
        }
    }

    /// That the path from a start on ends at the same place and is accepting.
    fn loops(&mut self, start: usize) -> TermId {
        let all = &self.layers.all;
        let last = all.len();
        let mut said = Vec::new();
        let mut same = Vec::new();
        for place in self.ends(start) {
            let ends = [start, last].map(|n| all[n - 1].leading_to(place));
            let terms = &mut self.session.cx.terms;
            let ends = ends.map(|flags| terms.or(&flags));
            same.push(terms.and(&ends));
        }
        said.push(self.session.cx.terms.or(&same));
        let (buchi, streett) = (
            self.product.acceptance().buchi().to_vec(),
            self.product.acceptance().streett().to_vec(),
        );
        for mark in buchi {
            said.push(self.meets(start, mark));
        }
        for pair in streett {
            let (request, response) = (
                self.meets(start, pair.request),
                self.meets(start, pair.response),
            );
            said.push(self.session.cx.terms.implies(request, response));
        }
        self.session.cx.terms.and(&said)
    }

    /// That the path meets a mark from a start on.
    fn meets(&mut self, start: usize, mark: Mark) -> TermId {
        let sets = self.product.mark_sets();
        let choices = self.layers.all[start..]
            .iter()
            .flat_map(|layer| &layer.choices);
        let marked = choices.filter(|choice| sets.contains(choice.marks, mark));
        let marked: Vec<TermId> = marked.map(|choice| choice.is_taken).collect();
        self.session.cx.terms.or(&marked)
    }

    /// That the loop can be taken for ever, with numbers that grow along rays.
    fn growth(&mut self, flags: &[(usize, TermId)], n_rays: usize) -> Vec<TermId> {
        let first = flags[0].0;
        let read = self.product.read_terms().to_vec();
        // What each edge does, without conditionals and division; and what is read.
        let mut purifier = Purifier::of_all_sorts();
        let mut steps: Vec<(usize, TermId, Vec<TermId>, Vec<TermId>)> = Vec::new();
        for at in first..self.layers.all.len() {
            for i in 0..self.layers.all[at].choices.len() {
                purifier = purifier.another();
                let choice = &self.layers.all[at].choices[i];
                let (is_taken, is_reading) = (choice.is_taken, choice.taken.model_edge.is_none());
                let mut parts = Vec::new();
                for &part in &choice.parts {
                    parts.push(purifier.purify(&mut self.session.cx.terms, part));
                }
                let mut letters = Vec::new();
                for &atom in read.iter().filter(|_| is_reading) {
                    let atom = self.layers.term_after(self.session, atom, at);
                    letters.push(purifier.purify(&mut self.session.cx.terms, atom));
                }
                parts.append(&mut purifier.definitions);
                steps.push((at, is_taken, parts, letters));
            }
        }
        let last = self.layers.all.len();
        let mut ends: Vec<(TermId, Vec<(TermId, TermId)>)> = Vec::new();
        let variables = self.relevant();
        for &(start, here) in flags {
            let pair = |search: &mut Self, &var: &VarId| {
                let [before, after] =
                    [start, last].map(|n| search.layers.var_after(search.session, var, n));
                (before, after)
            };
            let pairs: Vec<(TermId, TermId)> =
                variables.iter().map(|var| pair(self, var)).collect();
            ends.push((here, pairs));
        }
        let terms = &mut self.session.cx.terms;
        let mut seen: Vec<TermId> = Vec::new();
        for (_, _, parts, letters) in &steps {
            seen.extend(parts);
            seen.extend(letters);
        }
        seen.extend(
            ends.iter()
                .flat_map(|(_, pairs)| pairs)
                .flat_map(|&(a, b)| [a, b]),
        );
        let mut growing = terms.free_vars(&seen);
        let may_grow = self.recurrence != Recurrence::Off;
        growing.retain(|&var| {
            let sort = terms.var_sort(var);
            may_grow && (sort == terms.sorts.int() || sort == terms.sorts.rat())
        });
        let mut along = Along::new(terms, &growing, n_rays);
        let mut said = Vec::new();
        for (at, is_taken, parts, letters) in steps {
            let inside: Vec<TermId> = flags
                .iter()
                .filter(|&&(start, _)| start <= at)
                .map(|&(_, here)| here)
                .collect();
            let inside = terms.or(&inside);
            let is_inside = terms.and(&[inside, is_taken]);
            let mut all: Vec<TermId> = parts
                .iter()
                .map(|&part| along.truths(terms, part)[1])
                .collect();
            for &letter in &letters {
                let either = along.truths(terms, letter);
                all.push(terms.or(&either));
            }
            let all = terms.and(&all);
            said.push(terms.implies(is_inside, all));
        }
        for (here, pairs) in ends {
            let closing = along.closing(terms, &pairs);
            let closing = terms.and(&closing);
            said.push(terms.implies(here, closing));
        }
        said
    }

    /// The variables that matter to what the edges do and to what is read. The others may change as they like.
    fn relevant(&mut self) -> Vec<VarId> {
        let mut read = self.product.read_terms().to_vec();
        let mut updates: Vec<(VarId, TermId)> = Vec::new();
        let layers = self.layers.all.iter().skip(1);
        let stmts: Vec<_> = layers
            .flat_map(|layer| layer.choices.iter().map(|choice| choice.taken.stmt))
            .collect();
        for stmt in stmts {
            // Every edge of a layer has a summary.
            if let Ok(summary) = self.session.summary(stmt) {
                read.push(summary.guard);
                updates.extend(&summary.updates);
            }
        }
        updates.sort_unstable();
        updates.dedup();
        let terms = &self.session.cx.terms;
        let mut found: Vec<VarId> = Vec::new();
        let mut next = terms.free_vars(&read);
        while let Some(var) = next.pop() {
            if found.contains(&var) {
                continue;
            }
            found.push(var);
            let values = updates.iter().filter(|update| update.0 == var);
            let values: Vec<TermId> = values.map(|update| update.1).collect();
            next.extend(terms.free_vars(&values));
        }
        let variables = self.session.variables.iter().copied();
        variables.filter(|var| found.contains(var)).collect()
    }

    /// The path in the solver's model.
    fn chosen(&mut self, flags: &[(usize, TermId)]) -> Option<Chosen> {
        let session = &mut *self.session;
        let starts = flags.iter();
        let mut starts = starts.filter(|&&(_, here)| session.truth(here) == Some(true));
        let start = starts.next()?.0;
        let (mut taken, mut states) = (Vec::new(), Vec::new());
        for at in 0..self.layers.all.len() {
            let choices = self.layers.all[at].choices.iter();
            let mut choices = choices.filter(|choice| session.truth(choice.is_taken) == Some(true));
            taken.push(choices.next()?.taken);
            let mut values = Vec::new();
            for var in session.variables.clone() {
                let copy = self.layers.var_after(session, var, at + 1);
                values.push(session.solver.value(&session.cx.terms, copy)?);
            }
            states.push(values);
        }
        Some(Chosen {
            taken,
            start,
            states,
        })
    }

    /// The lasso along a path, tested as every other one.
    fn lasso(&mut self, chosen: &Chosen) -> Result<Option<Lasso>, Halt> {
        self.tested(chosen, |session, product, lasso| {
            geometric_near(session, product, lasso, &chosen.states)
        })
    }

    /// What a test says of a path. It asks a solver that knows nothing of the layers, whose copies mean something else.
    fn tested(
        &mut self,
        chosen: &Chosen,
        test: impl FnOnce(&mut Session, &mut Product, AbstractLasso<'_>) -> Result<Option<Lasso>, Halt>,
    ) -> Result<Option<Lasso>, Halt> {
        let (stem, cycle) = chosen.taken.split_at(chosen.start);
        std::mem::swap(&mut self.session.solver, &mut self.other);
        let found = test(self.session, self.product, AbstractLasso { stem, cycle });
        std::mem::swap(&mut self.session.solver, &mut self.other);
        found
    }
}

/// What the solver says of a length.
enum Found {
    /// No path has a loop, whatever its numbers do.
    Nothing,
    /// Some path may.
    Unclear,
    /// This one has one; if rays were asked for, one that can be taken for ever.
    Path(Chosen),
}
