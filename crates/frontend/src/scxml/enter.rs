//! Which states a transition leaves and enters.
//!
//! What is left are the active states inside of the transition's *domain*. What is entered follows from its targets by the
//! procedures of the standard's appendix D; all is known beforehand but what history states remember. So the procedures are
//! run here with conditions on that: a state is entered when a term over the memories holds, nearly always `true`.

use super::lower::Lower;
use super::tree::{StateId, TransId, Tree};
use lariat_base::{FxHashMap, Id};
use lariat_expr::TermId;
use lariat_system::ChartKind;
use std::collections::BTreeMap;

/// What is entered, and when.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// In document order.
    pub states: BTreeMap<StateId, TermId>,
    /// The states whose default transition is taken.
    pub defaults: FxHashMap<StateId, TermId>,
    /// Of the parent of a history state: when the history's default content is executed.
    pub histories: FxHashMap<StateId, Vec<(StateId, TermId)>>,
}

/// A transition with one of its possible domains.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub transition: TransId,
    /// The state inside of which all active states are left; none if the transition has no target.
    pub domain: Option<StateId>,
    /// When this is the domain: what a history of a state around the source remembers decides.
    pub when: TermId,
}

/// The states that may be entered by a list of targets, for an argument that macrosteps end: too many rather than too few.
pub(super) fn may_enter(tree: &Tree, targets: &[StateId], domain: StateId) -> Vec<StateId> {
    let (mut found, mut todo) = (vec![false; tree.states.len()], targets.to_vec());
    let mut all = Vec::new();
    while let Some(id) = todo.pop() {
        if std::mem::replace(&mut found[id.index()], true) {
            continue;
        }
        all.push(id);
        let state = tree.state(id);
        match state.kind {
            ChartKind::Compound => todo.extend(&state.initial.targets),
            ChartKind::Parallel => todo.extend(&state.children),
            kind if kind.is_history() => {
                todo.extend(tree.inside(state.parent.expect("a history has a parent")));
            }
            _ => {}
        }
        // The states around it, and in parallel ones all regions.
        todo.extend(state.parent.filter(|&outer| tree.is_inside(outer, domain)));
    }
    all
}

impl Lower<'_> {
    /// The transition with each of its possible domains.
    pub fn ways(&mut self, id: TransId) -> Vec<Way> {
        let tree = self.tree;
        let transition = &tree.transitions[id.index()];
        let always = self.cx.terms.true_();
        if transition.targets.is_empty() {
            return vec![Way {
                transition: id,
                domain: None,
                when: always,
            }];
        }
        let source = transition.source;
        let may_stay = transition.internal && tree.kind(source) == ChartKind::Compound;
        let candidates = may_stay
            .then_some(source)
            .into_iter()
            .chain(tree.ancestors(source));
        let is_domain = |&outer: &StateId| tree.kind(outer) == ChartKind::Compound;
        let (mut ways, mut so_far) = (Vec::new(), always);
        for outer in candidates.filter(is_domain) {
            let inside: Vec<TermId> = transition
                .targets
                .iter()
                .map(|&target| self.leads_inside(target, outer))
                .collect();
            let all_inside = self.cx.terms.and(&inside);
            let when = self.cx.terms.and(&[so_far, all_inside]);
            if when != self.cx.terms.false_() {
                ways.push(Way {
                    transition: id,
                    domain: Some(outer),
                    when,
                });
            }
            let not = self.cx.terms.not(all_inside);
            so_far = self.cx.terms.and(&[so_far, not]);
            if so_far == self.cx.terms.false_() {
                break;
            }
        }
        ways
    }

    /// When what a target stands for lies inside of a state.
    fn leads_inside(&mut self, target: StateId, outer: StateId) -> TermId {
        let tree = self.tree;
        if !tree.kind(target).is_history() {
            return self.cx.terms.bool(tree.is_inside(target, outer));
        }
        let parent = tree.parent(target).expect("a history has a parent");
        if tree.is_in_or_at(parent, outer) {
            return self.cx.terms.true_();
        }
        if !tree.is_inside(outer, parent) {
            return self.cx.terms.false_();
        }
        // The history of a state around: all that it remembers, or its default, must lie inside.
        let remembered = self.is_remembered(target);
        let default = tree
            .state(target)
            .initial
            .targets
            .iter()
            .all(|&state| tree.is_inside(state, outer));
        let default = self.cx.terms.bool(default);
        let states = self.remembered(target);
        let mut beyond = Vec::new();
        for (state, when) in states {
            if !tree.is_inside(state, outer) {
                beyond.push(when);
            }
        }
        let beyond = self.cx.terms.or(&beyond);
        let inside = self.cx.terms.not(beyond);
        self.cx.terms.ite(remembered, inside, default)
    }

    /// When a history state remembers something.
    fn is_remembered(&mut self, history: StateId) -> TermId {
        let parent = self.tree.parent(history).expect("a history has a parent");
        let memory = &self.vars.memory[&history];
        if let Some(set) = memory.set {
            return self.cx.terms.var(set);
        }
        let var = memory.children[&parent];
        let (var, none) = (self.cx.terms.var(var), self.child_value(parent, None));
        let is_none = self.cx.terms.eq(var, none);
        self.cx.terms.not(is_none)
    }

    /// The states that a history may remember, and when it does.
    fn remembered(&mut self, history: StateId) -> Vec<(StateId, TermId)> {
        let tree = self.tree;
        let parent = tree.parent(history).expect("a history has a parent");
        let memory = self.vars.memory[&history].clone();
        let candidates: Vec<StateId> = match tree.kind(history) {
            ChartKind::DeepHistory => tree
                .inside(parent)
                .filter(|&id| tree.kind(id).is_atomic())
                .collect(),
            _ => tree.state(parent).children.clone(),
        };
        let mut all = Vec::new();
        for id in candidates {
            let mut parts = vec![self.is_remembered(history)];
            let mut at = id;
            while at != parent {
                let outer = tree.parent(at).expect("the parent is around it");
                if let Some(&var) = memory.children.get(&outer) {
                    let (var, value) = (self.cx.terms.var(var), self.child_value(outer, Some(at)));
                    parts.push(self.cx.terms.eq(var, value));
                }
                at = outer;
            }
            all.push((id, self.cx.terms.and(&parts)));
        }
        all
    }

    /// What is entered from a domain by these targets.
    pub fn entry(&mut self, targets: &[StateId], domain: StateId) -> Entry {
        let mut entry = Entry::default();
        let always = self.cx.terms.true_();
        for &target in targets {
            self.add_descendants(target, always, &mut entry);
        }
        for &target in targets {
            for (state, when) in self.effective(target) {
                self.add_ancestors(state, domain, when, &mut entry);
            }
        }
        entry
    }

    /// What a target stands for.
    fn effective(&mut self, target: StateId) -> Vec<(StateId, TermId)> {
        let tree = self.tree;
        if !tree.kind(target).is_history() {
            return vec![(target, self.cx.terms.true_())];
        }
        let mut all = self.remembered(target);
        let is_known = self.is_remembered(target);
        let unknown = self.cx.terms.not(is_known);
        all.extend(
            tree.state(target)
                .initial
                .targets
                .iter()
                .map(|&state| (state, unknown)),
        );
        all
    }

    fn add(&mut self, id: StateId, when: TermId, entry: &mut Entry) {
        let old = entry
            .states
            .get(&id)
            .copied()
            .unwrap_or(self.cx.terms.false_());
        entry.states.insert(id, self.cx.terms.or(&[old, when]));
    }

    /// `addDescendantStatesToEnter`; the recursion goes inwards, and is as deep as states nest.
    fn add_descendants(&mut self, id: StateId, when: TermId, entry: &mut Entry) {
        if when == self.cx.terms.false_() {
            return;
        }
        let tree = self.tree;
        let state = tree.state(id);
        match state.kind {
            kind if kind.is_history() => self.add_history(id, when, entry),
            ChartKind::Compound => {
                self.add(id, when, entry);
                let old = entry
                    .defaults
                    .get(&id)
                    .copied()
                    .unwrap_or(self.cx.terms.false_());
                entry.defaults.insert(id, self.cx.terms.or(&[old, when]));
                for &target in &state.initial.targets {
                    self.add_descendants(target, when, entry);
                }
                for &target in &state.initial.targets {
                    self.add_ancestors(target, id, when, entry);
                }
            }
            ChartKind::Parallel => {
                self.add(id, when, entry);
                self.add_regions(id, when, entry);
            }
            _ => self.add(id, when, entry),
        }
    }

    fn add_history(&mut self, id: StateId, when: TermId, entry: &mut Entry) {
        let tree = self.tree;
        let parent = tree.parent(id).expect("a history has a parent");
        let states = self.remembered(id);
        let mut both = Vec::new();
        for (state, remembered) in states {
            both.push((state, self.cx.terms.and(&[when, remembered])));
        }
        let is_known = self.is_remembered(id);
        let unknown = self.cx.terms.not(is_known);
        let default = self.cx.terms.and(&[when, unknown]);
        let known = entry.histories.entry(parent).or_default();
        match known.iter_mut().find(|known| known.0 == id) {
            Some(known) => known.1 = self.cx.terms.or(&[known.1, default]),
            None => known.push((id, default)),
        }
        both.extend(
            tree.state(id)
                .initial
                .targets
                .iter()
                .map(|&state| (state, default)),
        );
        for &(state, when) in &both {
            self.add_descendants(state, when, entry);
        }
        for (state, when) in both {
            self.add_ancestors(state, parent, when, entry);
        }
    }

    /// `addAncestorStatesToEnter`. A history stands at its place.
    fn add_ancestors(&mut self, id: StateId, domain: StateId, when: TermId, entry: &mut Entry) {
        if when == self.cx.terms.false_() {
            return;
        }
        let tree = self.tree;
        let between: Vec<StateId> = tree
            .ancestors(id)
            .take_while(|&outer| outer != domain)
            .collect();
        for outer in between {
            self.add(outer, when, entry);
            if tree.kind(outer) == ChartKind::Parallel {
                self.add_regions(outer, when, entry);
            }
        }
    }

    /// The regions of a parallel state in which nothing is entered yet.
    fn add_regions(&mut self, id: StateId, when: TermId, entry: &mut Entry) {
        let tree = self.tree;
        for &child in &tree.state(id).children {
            let inside = entry
                .states
                .iter()
                .filter(|(state, _)| tree.is_inside(**state, child));
            let covered: Vec<TermId> = inside.map(|(_, &when)| when).collect();
            let covered = self.cx.terms.or(&covered);
            let open = self.cx.terms.not(covered);
            let open = self.cx.terms.and(&[when, open]);
            self.add_descendants(child, open, entry);
        }
    }
}
