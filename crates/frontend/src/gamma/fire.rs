//! What a transition does: states are left from inside out, its actions run, states are entered.
//!
//! Entering has two parts, as in what Gamma generates: first the variables of all regions are set from outside in, with the
//! actions of initial transitions, then the entry actions run from outside in.
//!
//! A transition may lead through choices and merges. At such a node its region has no active state, and the states around
//! it are active, whichever way led there; so what follows a node is made once where all ways meet again.

use super::chart_tree::{ChartTree, NodeId, RegionId, What, wrong};
use super::lower::{Lower, Priority};
use super::parse::{Parse, unsupported};
use lariat_base::Span;
use lariat_expr::{Int, TermId};
use lariat_system::StmtId;
use std::rc::Rc;

/// Something that can fire: when, and what it does.
pub(super) struct Candidate {
    pub enabled: TermId,
    pub stmt: StmtId,
    pub priority: Int,
    pub is_else: bool,
    pub span: Span,
}

impl<'a> Lower<'a> {
    pub fn tree(&self) -> Rc<ChartTree<'a>> {
        Rc::clone(&self.own().tree)
    }

    /// Notes that a transition fires.
    fn note(&mut self, transition: usize) -> StmtId {
        let var = self.own().fired[transition];
        self.assign_bool(var, true)
    }

    /// A transition that starts in a state.
    pub fn fire(&mut self, transition: usize) -> Parse<StmtId> {
        let tree = self.tree();
        let arc = &tree.transitions[transition];
        let mut parts = vec![self.note(transition)];
        if tree.nodes[arc.to].what == What::Join {
            return Err(wrong(
                "a join is reached from one state only",
                arc.decl.span,
            ));
        }
        self.move_to(&[arc.from], transition, None, &mut parts)?;
        Ok(self.seq(&parts))
    }

    /// A join: all of its transitions fire together, and the one that leads on.
    pub fn fire_join(&mut self, join: NodeId) -> Parse<StmtId> {
        let tree = self.tree();
        let (into, on) = (&tree.nodes[join].into, tree.nodes[join].out[0]);
        let mut parts = Vec::new();
        let sources: Vec<NodeId> = into.iter().map(|&at| tree.transitions[at].from).collect();
        for &at in into {
            parts.push(self.note(at));
        }
        parts.push(self.note(on));
        // What is left: the states around all sources, inside of the region of the join or of the target.
        let mut ends = sources.clone();
        ends.push(tree.transitions[on].to);
        let domain = self.domain(&ends, tree.transitions[on].decl.span)?;
        let outer = tree.below(domain, sources[0]);
        self.leave_whole(outer, &mut parts)?;
        for &at in into {
            let actions = self.actions(&tree.transitions[at].decl.actions)?;
            parts.push(actions);
        }
        let actions = self.actions(&tree.transitions[on].decl.actions)?;
        parts.push(actions);
        self.arrive(domain, tree.transitions[on].to, None, &mut parts)?;
        Ok(self.seq(&parts))
    }

    fn domain(&self, ends: &[NodeId], span: Span) -> Parse<RegionId> {
        let found = self.own().tree.common(ends);
        found.ok_or_else(|| {
            unsupported(
                "a transition between regions of the statechart itself",
                span,
            )
        })
    }

    /// From where a transition starts to where it leads, and on from there up to `stop`.
    fn move_to(
        &mut self,
        from: &[NodeId],
        transition: usize,
        stop: Option<NodeId>,
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let tree = self.tree();
        let arc = &tree.transitions[transition];
        let targets = self.targets(arc.to)?;
        let mut ends = from.to_vec();
        ends.extend(&targets);
        let domain = self.domain(&ends, arc.decl.span)?;
        self.leave(domain, from[0], out)?;
        let actions = self.actions(&arc.decl.actions)?;
        out.push(actions);
        self.arrive(domain, arc.to, stop, out)
    }

    /// The nodes that are entered when a transition leads to a node: those of a fork are all of its targets.
    fn targets(&self, node: NodeId) -> Parse<Vec<NodeId>> {
        let tree = &self.own().tree;
        if tree.nodes[node].what != What::Fork {
            return Ok(vec![node]);
        }
        let targets: Vec<NodeId> = tree.nodes[node]
            .out
            .iter()
            .map(|&at| tree.transitions[at].to)
            .collect();
        for &target in &targets {
            if matches!(
                tree.nodes[target].what,
                What::Choice | What::Merge | What::Fork | What::Join
            ) {
                let span = tree.nodes[target].name.span;
                return Err(unsupported(
                    "a fork that leads to another node than a state",
                    span,
                ));
            }
        }
        Ok(targets)
    }

    /// Enters what lies between a region and a node, and goes on from the node.
    fn arrive(
        &mut self,
        domain: RegionId,
        node: NodeId,
        stop: Option<NodeId>,
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let tree = self.tree();
        let targets = self.targets(node)?;
        if tree.nodes[node].what == What::Fork {
            for &at in &tree.nodes[node].out {
                let note = self.note(at);
                let actions = self.actions(&tree.transitions[at].decl.actions)?;
                out.extend([note, actions]);
            }
        }
        let outer = tree.below(domain, targets[0]);
        if matches!(tree.nodes[outer].what, What::Choice | What::Merge) {
            // The node lies in the region itself: nothing is entered.
            return self.go_on(node, stop, out);
        }
        if tree.nodes[outer].what == What::Join {
            return Err(unsupported(
                "a join after another node than a state",
                tree.nodes[outer].name.span,
            ));
        }
        self.activate(domain, outer, &targets, out)?;
        self.enter_actions(outer, &targets, out)?;
        match tree.nodes[node].what {
            What::Choice | What::Merge => self.go_on(node, stop, out),
            _ => Ok(()),
        }
    }

    /// What follows a choice or a merge, up to `stop`.
    fn go_on(&mut self, node: NodeId, stop: Option<NodeId>, out: &mut Vec<StmtId>) -> Parse<()> {
        if stop == Some(node) {
            return Ok(());
        }
        let tree = self.tree();
        let meeting = meeting_point(&tree, node);
        let until = meeting.or(stop);
        let mut branches = Vec::new();
        for &at in &tree.nodes[node].out {
            let mut parts = vec![self.note(at)];
            self.move_to(&[node], at, until, &mut parts)?;
            branches.push((at, self.seq(&parts)));
        }
        if tree.nodes[node].what == What::Merge {
            out.extend(branches.into_iter().map(|(_, stmt)| stmt));
        } else {
            let stmt = self.choose(branches, None)?;
            out.push(stmt);
        }
        match meeting {
            Some(meeting) => self.go_on(meeting, stop, out),
            None => Ok(()),
        }
    }

    /// One of several transitions that can fire, by the rules of the statechart; otherwise something else, or nothing can
    /// happen at all.
    fn choose(&mut self, all: Vec<(usize, StmtId)>, otherwise: Option<StmtId>) -> Parse<StmtId> {
        let mut candidates = Vec::new();
        for (at, stmt) in all {
            candidates.push(self.candidate(at, stmt)?);
        }
        self.choose_of(candidates, otherwise)
    }

    /// A transition with what it does.
    pub fn candidate(&mut self, at: usize, stmt: StmtId) -> Parse<Candidate> {
        let tree = self.tree();
        let decl = tree.transitions[at].decl;
        let is_else = |guard: &super::tree::Expr| matches!(guard.kind, super::tree::ExprKind::Else);
        let is_else = decl.guard.as_ref().is_some_and(is_else);
        Ok(Candidate {
            enabled: self.enabled(at)?,
            stmt,
            priority: decl.priority.clone().unwrap_or(Int::from(0)),
            is_else,
            span: decl.span,
        })
    }

    pub fn choose_of(&mut self, all: Vec<Candidate>, otherwise: Option<StmtId>) -> Parse<StmtId> {
        let (last, first): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.is_else);
        let otherwise = match &last[..] {
            [] => otherwise,
            // A trigger may stand beside `else`.
            [one] => Some(self.when(one.enabled, one.stmt, otherwise)),
            [one, ..] => return Err(wrong("two transitions have the guard `else`", one.span)),
        };
        let mut stmt = match otherwise {
            Some(stmt) => stmt,
            None => {
                let never = self.cx.terms.false_();
                self.assume(never)
            }
        };
        let pairs = |all: &[Candidate]| -> Vec<(TermId, StmtId)> {
            all.iter().map(|one| (one.enabled, one.stmt)).collect()
        };
        let groups: Vec<Vec<(TermId, StmtId)>> = match self.own().rules.priority {
            Priority::Off => vec![pairs(&first)],
            Priority::Order => pairs(&first).into_iter().map(|pair| vec![pair]).collect(),
            Priority::Value => {
                let mut values: Vec<&Int> = first.iter().map(|one| &one.priority).collect();
                values.sort();
                values.dedup();
                let of = |value: &Int| {
                    let same = first.iter().filter(|one| one.priority == *value);
                    same.map(|one| (one.enabled, one.stmt)).collect()
                };
                values.into_iter().rev().map(of).collect()
            }
        };
        for group in groups.iter().rev() {
            stmt = self.any_of_group(group, stmt);
        }
        Ok(stmt)
    }

    fn any_of_group(&mut self, group: &[(TermId, StmtId)], otherwise: StmtId) -> StmtId {
        match group {
            [] => otherwise,
            [(enabled, stmt)] => self.when(*enabled, *stmt, Some(otherwise)),
            _ => {
                let conditions: Vec<TermId> = group.iter().map(|&(enabled, _)| enabled).collect();
                let some = self.cx.terms.or(&conditions);
                let mut branches = Vec::new();
                for &(enabled, stmt) in group {
                    let assume = self.assume(enabled);
                    branches.push(self.seq(&[assume, stmt]));
                }
                let choice = self.cx.stmts.choice(&branches, None);
                self.when(some, choice, Some(otherwise))
            }
        }
    }

    /// Whether trigger and guard of a transition allow it.
    pub fn enabled(&mut self, transition: usize) -> Parse<TermId> {
        if let Some(&var) = self.own().early.get(&transition) {
            return Ok(self.cx.terms.var(var));
        }
        let tree = self.tree();
        let decl = tree.transitions[transition].decl;
        let mut parts = Vec::new();
        if let Some(trigger) = &decl.trigger {
            parts.push(self.trigger(trigger)?);
        }
        if let Some(guard) = &decl.guard {
            parts.push(self.condition(guard)?);
        }
        Ok(self.cx.terms.and(&parts))
    }

    // Leaving.

    /// Leaves everything from a node up to a region. A state is left with what is inside of it; a choice is in no state.
    fn leave(&mut self, domain: RegionId, node: NodeId, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        if tree.nodes[node].what == What::State {
            self.leave_state(node, None, out)?;
        }
        let mut region = tree.nodes[node].region;
        while region != domain {
            let outer = tree.regions[region]
                .parent
                .expect("the domain is around the node");
            self.forget(region, out);
            self.leave_state(outer, Some(region), out)?;
            region = tree.nodes[outer].region;
        }
        Ok(())
    }

    /// Leaves a state that is active, and all that is active inside.
    fn leave_whole(&mut self, state: NodeId, out: &mut Vec<StmtId>) -> Parse<()> {
        self.leave_state(state, None, out)
    }

    /// The regions of a state are left, but for one that is left already; then its exit actions run.
    fn leave_state(
        &mut self,
        state: NodeId,
        but: Option<RegionId>,
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let tree = self.tree();
        for &region in tree.nodes[state]
            .regions
            .iter()
            .filter(|&&region| Some(region) != but)
        {
            let mut stmt = None;
            for inner in tree.states(region).into_iter().rev() {
                let mut parts = Vec::new();
                self.leave_state(inner, None, &mut parts)?;
                if parts.is_empty() {
                    continue;
                }
                let (body, is_it) = (self.seq(&parts), self.is_current(inner));
                stmt = Some(self.when(is_it, body, stmt));
            }
            out.extend(stmt);
            self.forget(region, out);
        }
        if !tree.nodes[state].exit.is_empty() {
            let actions = self.actions(tree.nodes[state].exit)?;
            out.push(actions);
        }
        Ok(())
    }

    /// A region that is left has no active state, unless it remembers.
    fn forget(&mut self, region: RegionId, out: &mut Vec<StmtId>) {
        if !self.own().tree.regions[region].keeps {
            let nothing = self.state_value(region, None);
            let var = self.own().regions[region];
            out.push(self.assign(var, nothing));
        }
    }

    // Entering.

    /// Makes a state active, with those between it and the targets, and all other regions as they begin.
    fn activate(
        &mut self,
        region: RegionId,
        state: NodeId,
        targets: &[NodeId],
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let tree = self.tree();
        match tree.nodes[state].what {
            What::Shallow | What::Deep => return self.restore(region, state, out),
            What::Initial => return self.activate_region(region, out),
            What::State => {}
            _ => return Ok(()),
        }
        out.push(self.enter_region(region, state));
        for &inner in &tree.nodes[state].regions {
            let inside: Vec<NodeId> = targets
                .iter()
                .copied()
                .filter(|&target| target != state && self.is_inside(target, inner))
                .collect();
            match inside.first() {
                Some(&target) => {
                    let next = tree.below(inner, target);
                    if inside.iter().any(|&other| tree.below(inner, other) != next) {
                        let span = tree.nodes[target].name.span;
                        return Err(wrong("a fork leads to two states of one region", span));
                    }
                    self.activate(inner, next, &inside, out)?;
                }
                None => self.activate_region(inner, out)?,
            }
        }
        Ok(())
    }

    fn is_inside(&self, node: NodeId, region: RegionId) -> bool {
        let tree = &self.own().tree;
        tree.common(&[node]).is_some() && {
            let mut at = tree.nodes[node].region;
            loop {
                if at == region {
                    break true;
                }
                match tree.regions[at].parent {
                    Some(outer) => at = tree.nodes[outer].region,
                    None => break false,
                }
            }
        }
    }

    /// Makes a region active as it begins.
    pub fn activate_region(&mut self, region: RegionId, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        let entry = tree.entry_of(region).expect("every region has an entry");
        if tree.nodes[entry].what == What::Initial {
            self.activate_first(entry, out)
        } else {
            self.restore(region, entry, out)
        }
    }

    /// The transition of an entry node.
    fn activate_first(&mut self, entry: NodeId, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        let at = tree.nodes[entry].out[0];
        let arc = &tree.transitions[at];
        if arc.decl.trigger.is_some() || arc.decl.guard.is_some() {
            return Err(wrong(
                "the transition of an entry node has no trigger and no guard",
                arc.decl.span,
            ));
        }
        self.follow_first(entry, at, out)
    }

    /// A transition of an entry node, or of a choice after it.
    fn follow_first(&mut self, entry: NodeId, at: usize, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        let arc = &tree.transitions[at];
        let region = tree.nodes[entry].region;
        if tree.nodes[arc.to].region != region {
            let what = "an initial transition that leads out of its region or deeper into it";
            return Err(unsupported(what, arc.decl.span));
        }
        out.push(self.note(at));
        let actions = self.actions(&arc.decl.actions)?;
        out.push(actions);
        match tree.nodes[arc.to].what {
            What::State => self.activate(region, arc.to, &[arc.to], out),
            What::Choice | What::Merge => {
                let mut branches = Vec::new();
                for &next in &tree.nodes[arc.to].out {
                    let mut parts = Vec::new();
                    self.follow_first(entry, next, &mut parts)?;
                    branches.push((next, self.seq(&parts)));
                }
                let stmt = self.choose(branches, None)?;
                out.push(stmt);
                Ok(())
            }
            _ => Err(unsupported(
                "an initial transition to this node",
                arc.decl.span,
            )),
        }
    }

    /// Makes a region active by one of its histories.
    fn restore(&mut self, region: RegionId, history: NodeId, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        let nothing = self.state_value(region, None);
        let var = self.own().regions[region];
        let var = self.cx.terms.var(var);
        let is_first = self.cx.terms.eq(var, nothing);
        let mut parts = Vec::new();
        self.activate_first(history, &mut parts)?;
        let first = self.seq(&parts);
        let is_deep = tree.nodes[history].what == What::Deep;
        let again = self.restore_inside(region, is_deep)?;
        out.push(self.when(is_first, first, again));
        Ok(())
    }

    /// Makes what is inside of the active state of a region active: as it was, or as it begins. A region that never had an
    /// active state (a choice in it led on) begins, too.
    fn restore_inside(&mut self, region: RegionId, is_deep: bool) -> Parse<Option<StmtId>> {
        let tree = self.tree();
        let mut stmt = None;
        for state in tree.states(region).into_iter().rev() {
            let mut parts = Vec::new();
            for &inner in &tree.nodes[state].regions {
                if !is_deep {
                    self.activate_region(inner, &mut parts)?;
                    continue;
                }
                let nothing = self.state_value(inner, None);
                let var = self.own().regions[inner];
                let var = self.cx.terms.var(var);
                let is_first = self.cx.terms.eq(var, nothing);
                let mut first = Vec::new();
                self.activate_region(inner, &mut first)?;
                let first = self.seq(&first);
                let again = self.restore_inside(inner, true)?;
                parts.push(self.when(is_first, first, again));
            }
            if !parts.is_empty() {
                let (body, is_it) = (self.seq(&parts), self.is_current(state));
                stmt = Some(self.when(is_it, body, stmt));
            }
        }
        Ok(stmt)
    }

    /// Entry actions of a state that was made active, and of all that is active inside.
    fn enter_actions(
        &mut self,
        state: NodeId,
        targets: &[NodeId],
        out: &mut Vec<StmtId>,
    ) -> Parse<()> {
        let tree = self.tree();
        match tree.nodes[state].what {
            What::State => {}
            What::Shallow | What::Deep => {
                return self.region_actions(tree.nodes[state].region, out);
            }
            _ => return Ok(()),
        }
        if !tree.nodes[state].entry.is_empty() {
            let actions = self.actions(tree.nodes[state].entry)?;
            out.push(actions);
        }
        for &inner in &tree.nodes[state].regions {
            let target = targets
                .iter()
                .copied()
                .find(|&target| target != state && self.is_inside(target, inner));
            match target {
                Some(target) => {
                    let next = tree.below(inner, target);
                    self.enter_actions(next, targets, out)?;
                }
                None => self.region_actions(inner, out)?,
            }
        }
        Ok(())
    }

    /// Entry actions of the state of a region that is active, and of all inside.
    pub fn region_actions(&mut self, region: RegionId, out: &mut Vec<StmtId>) -> Parse<()> {
        let tree = self.tree();
        let mut stmt = None;
        for state in tree.states(region).into_iter().rev() {
            let mut parts = Vec::new();
            self.enter_actions(state, &[], &mut parts)?;
            if parts.is_empty() {
                continue;
            }
            let (body, is_it) = (self.seq(&parts), self.is_current(state));
            stmt = Some(self.when(is_it, body, stmt));
        }
        out.extend(stmt);
        Ok(())
    }
}

/// The nearest node that every way on from a choice or merge leads through, if there is one.
fn meeting_point(tree: &ChartTree<'_>, node: NodeId) -> Option<NodeId> {
    let is_inner = |node: NodeId| matches!(tree.nodes[node].what, What::Choice | What::Merge);
    // For each node that can be reached: what all ways from it lead through. Nodes come after those that they lead to.
    let mut order = Vec::new();
    let mut done = vec![false; tree.nodes.len()];
    let mut todo = vec![(node, false)];
    while let Some((at, is_back)) = todo.pop() {
        if is_back {
            order.push(at);
            continue;
        }
        if std::mem::replace(&mut done[at], true) {
            continue;
        }
        todo.push((at, true));
        let next = tree.nodes[at]
            .out
            .iter()
            .map(|&out| tree.transitions[out].to);
        todo.extend(
            next.filter(|&next| is_inner(next))
                .map(|next| (next, false)),
        );
    }
    let mut through: Vec<Option<Vec<NodeId>>> = vec![None; tree.nodes.len()];
    for at in order {
        let mut common: Option<Vec<NodeId>> = None;
        for &out in &tree.nodes[at].out {
            let next = tree.transitions[out].to;
            let mut ways = Vec::new();
            if is_inner(next) {
                ways.push(next);
                ways.extend(through[next].iter().flatten());
            }
            common = Some(match common {
                None => ways,
                Some(before) => before
                    .into_iter()
                    .filter(|node| ways.contains(node))
                    .collect(),
            });
        }
        through[at] = Some(common.unwrap_or_default());
    }
    let all = through[node].take().unwrap_or_default();
    // The nearest leads through all others.
    all.iter()
        .copied()
        .max_by_key(|&at| through[at].as_ref().map_or(0, Vec::len))
}
