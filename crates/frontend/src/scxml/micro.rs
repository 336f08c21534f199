//! One microstep as a statement: leave states, do what the transitions say, enter states.

use super::enter::Entry;
use super::lower::Lower;
use super::select::{Candidate, Selection};
use super::tree::{StateId, index, root};
use lariat_base::Id;
use lariat_expr::TermId;
use lariat_system::{ChartFiring, ChartKind, Stmt, StmtId};

/// A transition that fires, or may.
struct Chosen<'a> {
    candidate: &'a Candidate,
    when: TermId,
    /// The states for which it may be considered first, and when that is so: its content runs in their order.
    order: Vec<(StateId, TermId)>,
}

/// The same with what it enters.
struct Firing<'a> {
    chosen: &'a Chosen<'a>,
    when: TermId,
    entry: Entry,
}

/// One outcome of a trigger.
pub(super) struct Outcome {
    /// When it is this one.
    pub when: TermId,
    pub stmt: StmtId,
    /// The transitions that fire, and when, in the state before.
    pub fired: Vec<ChartFiring>,
}

fn firing(candidate: &Candidate, when: TermId) -> ChartFiring {
    ChartFiring {
        when,
        transition: candidate.way.transition.index(),
        domain: candidate.way.domain.map(index),
    }
}

impl Lower<'_> {
    /// What may happen on a trigger: one outcome for each transition if only one can fire, else one for all. The last
    /// outcome is that nothing fires.
    pub fn outcomes(&mut self, selection: &Selection) -> Vec<Outcome> {
        let (mut outcomes, mut nothing) = (Vec::new(), Vec::new());
        let mistakes = self.mistakes(selection);
        for candidate in &selection.candidates {
            nothing.push(self.cx.terms.not(candidate.fires));
        }
        let nothing = self.cx.terms.and(&nothing);
        if selection.exclusive {
            let always = self.cx.terms.true_();
            for candidate in &selection.candidates {
                if candidate.fires == self.cx.terms.false_() {
                    continue;
                }
                let fired = vec![firing(candidate, always)];
                let mut parts = mistakes.clone();
                let chosen = Chosen {
                    candidate,
                    when: always,
                    order: Vec::new(),
                };
                parts.push(self.fire(&[chosen]));
                let span = Some(self.tree.transitions[candidate.way.transition.index()].span);
                let stmt = self.cx.stmts.seq(&parts, span);
                outcomes.push(Outcome {
                    when: candidate.fires,
                    stmt,
                    fired,
                });
            }
        } else {
            let something = self.cx.terms.not(nothing);
            let (mut parts, mut chosen, mut fired) = (mistakes.clone(), Vec::new(), Vec::new());
            for candidate in &selection.candidates {
                let when = self.noted("fires", candidate.fires, &mut parts);
                let order = self.turns(candidate, &mut parts);
                chosen.push(Chosen {
                    candidate,
                    when,
                    order,
                });
                fired.push(firing(candidate, candidate.fires));
            }
            parts.push(self.fire(&chosen));
            let stmt = self.seq(&parts);
            outcomes.push(Outcome {
                when: something,
                stmt,
                fired,
            });
        }
        if nothing != self.cx.terms.false_() {
            let stmt = self.seq(&mistakes);
            outcomes.push(Outcome {
                when: nothing,
                stmt,
                fired: Vec::new(),
            });
        }
        outcomes
    }

    /// What conditions that cannot be evaluated do.
    pub fn mistakes(&mut self, selection: &Selection) -> Vec<StmtId> {
        let mut parts: Vec<StmtId> = self.leave_if(selection.outside).into_iter().collect();
        // All conditions are read before any event is raised: none of them depends on the queue.
        for &raises in &selection.raises {
            let error = self.raise_named("error.execution");
            parts.push(self.when(raises, error, None));
        }
        parts
    }

    /// A local variable with the value that a term has now.
    fn noted(&mut self, name: &str, term: TermId, parts: &mut Vec<StmtId>) -> TermId {
        let local = self.local(name);
        parts.push(self.cx.stmts.add(Stmt::Declare(local, Some(term)), None));
        self.cx.terms.var(local)
    }

    /// Notes for which state a transition is considered first, if it does something.
    fn turns(&mut self, candidate: &Candidate, parts: &mut Vec<StmtId>) -> Vec<(StateId, TermId)> {
        if self.tree.transitions[candidate.way.transition.index()]
            .content
            .is_empty()
        {
            return Vec::new();
        }
        let mut order = Vec::new();
        for &(atomic, first) in &candidate.first {
            order.push((atomic, self.noted("first", first, parts)));
        }
        order
    }

    /// The microstep in which these transitions fire, each if its condition holds.
    fn fire(&mut self, all_chosen: &[Chosen<'_>]) -> StmtId {
        let mut all = Vec::new();
        for chosen in all_chosen {
            let candidate = chosen.candidate;
            let targets = &self.tree.transitions[candidate.way.transition.index()].targets;
            let entry = match candidate.way.domain {
                Some(domain) => self.entry(targets, domain),
                None => Entry::default(),
            };
            let when = chosen.when;
            all.push(Firing {
                chosen,
                when,
                entry,
            });
        }
        let mut parts = Vec::new();
        self.remember(&all, &mut parts);
        self.leave(&all, &mut parts);
        self.do_content(&all, &mut parts);
        self.enter(&all, &mut parts);
        self.seq(&parts)
    }

    /// Whether a transition may leave a state: one inside of its domain that can be active together with its source.
    fn may_leave(&self, firing: &Firing<'_>, id: StateId) -> bool {
        let way = &firing.chosen.candidate.way;
        let source = self.tree.transitions[way.transition.index()].source;
        way.domain
            .is_some_and(|domain| self.tree.is_inside(id, domain))
            && self.tree.can_be_together(id, source)
    }

    /// When a state is left, if it is active.
    fn is_left(&mut self, all: &[Firing<'_>], id: StateId) -> TermId {
        let leaving = all.iter().filter(|firing| self.may_leave(firing, id));
        let parts: Vec<TermId> = leaving.map(|firing| firing.when).collect();
        self.cx.terms.or(&parts)
    }

    /// History states remember what is active, before anything is left.
    fn remember(&mut self, all: &[Firing<'_>], parts: &mut Vec<StmtId>) {
        let tree = self.tree;
        for history in tree.ids().filter(|&id| tree.kind(id).is_history()) {
            let parent = tree.parent(history).expect("a history has a parent");
            let left = self.is_left(all, parent);
            if left == self.cx.terms.false_() {
                continue;
            }
            let active = self.active(parent);
            let when = self.cx.terms.and(&[left, active]);
            let memory = self.vars.memory[&history].clone();
            let mut stmts = Vec::new();
            if let Some(set) = memory.set {
                stmts.push(self.assign_bool(set, true));
            }
            let mut children: Vec<_> = memory.children.into_iter().collect();
            children.sort_unstable();
            for (state, var) in children {
                let child = self.vars.child[&state];
                let child = self.cx.terms.var(child);
                stmts.push(self.assign(var, child));
            }
            let stmt = self.seq(&stmts);
            parts.push(self.when(when, stmt, None));
        }
    }

    /// Leaves states, inner ones first.
    fn leave(&mut self, all: &[Firing<'_>], parts: &mut Vec<StmtId>) {
        let tree = self.tree;
        let mut resets = Vec::new();
        for id in tree.ids().rev() {
            let may_be_left = all.iter().any(|firing| self.may_leave(firing, id));
            if !may_be_left || tree.kind(id).is_history() {
                continue;
            }
            let (left, active) = (self.is_left(all, id), self.active(id));
            let when = self.cx.terms.and(&[left, active]);
            let mut stmts = Vec::new();
            for block in &tree.state(id).exit {
                stmts.extend(self.block(block));
            }
            if self.events.asks_inside {
                stmts.extend(self.deactivate(id));
            } else if let Some(&var) = self.vars.child.get(&id) {
                let none = self.child_value(id, None);
                let reset = self.assign(var, none);
                resets.push(self.when(left, reset, None));
            }
            if !stmts.is_empty() {
                let stmt = self.seq(&stmts);
                parts.push(self.when(when, stmt, None));
            }
        }
        parts.extend(resets);
    }

    /// Makes a state inactive, one by one.
    fn deactivate(&mut self, id: StateId) -> Option<StmtId> {
        let parent = self.tree.parent(id)?;
        Some(match self.vars.region.get(&id) {
            Some(&var) => self.assign_bool(var, false),
            None => {
                let (var, none) = (self.vars.child[&parent], self.child_value(parent, None));
                self.assign(var, none)
            }
        })
    }

    fn activate(&mut self, id: StateId) -> Option<StmtId> {
        let parent = self.tree.parent(id)?;
        if let Some(&var) = self.vars.region.get(&id) {
            return Some(self.assign_bool(var, true));
        }
        let var = *self.vars.child.get(&parent)?;
        let value = self.child_value(parent, Some(id));
        Some(self.assign(var, value))
    }

    /// What the transitions do.
    fn do_content(&mut self, all: &[Firing<'_>], parts: &mut Vec<StmtId>) {
        let tree = self.tree;
        let content = |firing: &Firing<'_>| {
            &tree.transitions[firing.chosen.candidate.way.transition.index()].content
        };
        if let [one] = all {
            parts.extend(self.block(content(one)));
            return;
        }
        let mut turns: Vec<(StateId, usize, TermId)> = Vec::new();
        for (at, firing) in all.iter().enumerate() {
            turns.extend(
                firing
                    .chosen
                    .order
                    .iter()
                    .map(|&(atomic, first)| (atomic, at, first)),
            );
        }
        turns.sort_by_key(|turn| (turn.0, turn.1));
        for (_, at, first) in turns {
            if let Some(stmt) = self.block(content(&all[at])) {
                let when = self.cx.terms.and(&[all[at].when, first]);
                parts.push(self.when(when, stmt, None));
            }
        }
    }

    /// Enters states, outer ones first.
    fn enter(&mut self, all: &[Firing<'_>], parts: &mut Vec<StmtId>) {
        let mut ids: Vec<StateId> = all
            .iter()
            .flat_map(|firing| firing.entry.states.keys().copied())
            .collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let (mut when, mut default) = (Vec::new(), Vec::new());
            let mut histories: Vec<(StateId, TermId)> = Vec::new();
            for firing in all {
                let entry = &firing.entry;
                when.extend(
                    entry
                        .states
                        .get(&id)
                        .map(|&when| self.cx.terms.and(&[firing.when, when])),
                );
                default.extend(
                    entry
                        .defaults
                        .get(&id)
                        .map(|&when| self.cx.terms.and(&[firing.when, when])),
                );
                for &(history, when) in entry.histories.get(&id).into_iter().flatten() {
                    histories.push((history, self.cx.terms.and(&[firing.when, when])));
                }
            }
            let (when, default) = (self.cx.terms.or(&when), self.cx.terms.or(&default));
            let stmt = self.entered(id, default, &histories);
            parts.push(self.when(when, stmt, None));
        }
    }

    /// What entering one state does; it takes its default transition when `default` holds.
    pub fn entered(
        &mut self,
        id: StateId,
        default: TermId,
        histories: &[(StateId, TermId)],
    ) -> StmtId {
        let tree = self.tree;
        let state = tree.state(id);
        let mut parts: Vec<StmtId> = self.activate(id).into_iter().collect();
        parts.extend(self.bind_late(id));
        for block in &state.entry {
            parts.extend(self.block(block));
        }
        if let Some(stmt) = self
            .block(&state.initial.content)
            .filter(|_| state.kind == ChartKind::Compound)
        {
            parts.push(self.when(default, stmt, None));
        }
        for &(history, when) in histories {
            if let Some(stmt) = self.block(&tree.state(history).initial.content) {
                parts.push(self.when(when, stmt, None));
            }
        }
        if state.kind == ChartKind::Final {
            parts.extend(self.done(id));
        }
        self.seq(&parts)
    }

    /// Gives the variables of a state their values when it is entered for the first time (late binding).
    fn bind_late(&mut self, id: StateId) -> Option<StmtId> {
        let entered = *self.vars.entered.get(&id)?;
        let mut parts = vec![self.assign_bool(entered, true)];
        parts.extend(self.bind(id));
        let stmt = self.seq(&parts);
        let entered = self.cx.terms.var(entered);
        let not = self.cx.terms.not(entered);
        Some(self.when(not, stmt, None))
    }

    /// Gives the variables of a state's data model their values.
    pub fn bind(&mut self, id: StateId) -> Vec<StmtId> {
        let tree = self.tree;
        let mut parts = Vec::new();
        for data in tree.data.iter().filter(|data| data.state == id) {
            let at = self.table.find(&data.name).expect("it is declared");
            let Some(code) = &data.value else { continue };
            if self.table.known[at].list.is_some() || !self.vars.is_used[at] {
                continue;
            }
            let value = self.value(code);
            let stores = self.store(self.vars.data[at], Some(value));
            let store = self.seq(&stores);
            parts.extend(self.leave_if(value.outside));
            let error = self.raise_named("error.execution");
            parts.push(self.when(value.raises, error, Some(store)));
        }
        parts
    }

    /// The end of a state around a final one.
    fn done(&mut self, id: StateId) -> Vec<StmtId> {
        let tree = self.tree;
        let parent = tree.parent(id).expect("a final state has a parent");
        let Some(outer) = tree.parent(parent) else {
            return Vec::new();
        };
        let event = format!("done.state.{}", tree.state(parent).name);
        let mut carried = self.carried(&tree.state(id).done);
        let mut parts = Vec::new();
        for raises in carried.raises.clone() {
            let error = self.raise_named("error.execution");
            parts.push(self.when(raises, error, None));
        }
        let outside = self.or_all(&carried.outside);
        parts.extend(self.leave_if(outside));
        for value in carried.values.iter_mut().flatten() {
            // What cannot be evaluated is not said.
            value.lacks = self.cx.terms.or(&[value.lacks, value.raises]);
        }
        parts.push(self.raise(&event, &carried));
        if tree.kind(outer) == ChartKind::Parallel {
            let ended = self.is_ended(outer);
            let event = format!("done.state.{}", tree.state(outer).name);
            let raise = self.raise_named(&event);
            parts.push(self.when(ended, raise, None));
        }
        parts
    }

    /// Whether a state is in its end: of a parallel state, all regions are.
    fn is_ended(&mut self, id: StateId) -> TermId {
        let tree = self.tree;
        let children = &tree.state(id).children;
        match tree.kind(id) {
            ChartKind::Compound => {
                let ends = children
                    .iter()
                    .filter(|&&child| tree.kind(child) == ChartKind::Final);
                let ends: Vec<StateId> = ends.copied().collect();
                let ends: Vec<TermId> = ends.into_iter().map(|child| self.active(child)).collect();
                self.cx.terms.or(&ends)
            }
            ChartKind::Parallel => {
                let ends: Vec<TermId> =
                    children.iter().map(|&child| self.is_ended(child)).collect();
                self.cx.terms.and(&ends)
            }
            _ => self.cx.terms.false_(),
        }
    }

    /// Whether the chart has come to its end.
    pub fn has_ended(&mut self) -> TermId {
        self.is_ended(root())
    }

    /// The first microstep: the initial states are entered.
    pub fn start(&mut self) -> StmtId {
        let tree = self.tree;
        let root = root();
        let mut parts = Vec::new();
        for id in tree.ids() {
            if id == root || !tree.late_binding {
                parts.extend(self.bind(id));
            }
        }
        parts.extend(self.block(&tree.scripts));
        let entry = self.entry(&tree.state(root).initial.targets, root);
        let no = self.cx.terms.false_();
        let ids: Vec<(StateId, TermId)> =
            entry.states.iter().map(|(&id, &when)| (id, when)).collect();
        for (id, when) in ids {
            let default = entry.defaults.get(&id).copied().unwrap_or(no);
            let histories = entry.histories.get(&id).cloned().unwrap_or_default();
            let stmt = self.entered(id, default, &histories);
            parts.push(self.when(when, stmt, None));
        }
        self.seq(&parts)
    }

    /// What the end of the chart does: the states that are active are left for good.
    pub fn finish(&mut self) -> StmtId {
        let tree = self.tree;
        let mut parts = Vec::new();
        let ends = tree.state(root()).children.iter().copied();
        for id in ends.filter(|&id| tree.kind(id) == ChartKind::Final && index(id) > 0) {
            let mut stmts = Vec::new();
            for block in &tree.state(id).exit {
                stmts.extend(self.block(block));
            }
            if !stmts.is_empty() {
                let active = self.active(id);
                let stmt = self.seq(&stmts);
                parts.push(self.when(active, stmt, None));
            }
        }
        self.seq(&parts)
    }
}
